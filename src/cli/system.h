/// system.h: what main.c asks of each operating system.
#ifndef FR_CLI_SYSTEM_H
#define FR_CLI_SYSTEM_H

#include "cli/cli.h"

/// Makes the standard streams binary, and says of the host which of them are terminals, and how
/// wide.
void fr_cli_system_begin(fr_cli_host *host);
/// Whether a path names a pipe or a device, which is read to its end as it comes.
bool fr_cli_system_is_stream(const char *path);
/// Whether two paths are those of one file that is there; "-" is the standard input.
bool fr_cli_system_is_same(const char *one, const char *other);
/// Whether a write failed since nobody reads any more; `reason` is what errno was.
bool fr_cli_system_is_closed(int reason);
/// The arguments in UTF-8, where those of main are not: a NULL-terminated array in `out`, which
/// stays. *argc and *argv become those.
firn_result fr_cli_system_arguments(firn_buffer *out, int *argc, const char *const **argv,
                                    firn_error *err);

#endif
