/// difference.h: differences as lines of text and of JSON.
#ifndef FR_CLI_DIFFERENCE_H
#define FR_CLI_DIFFERENCE_H

#include "cli/cli.h"

/// Appends a line of text; `around`: it is of the save file around the snapshot. FIRN_NO_MEMORY.
firn_result fr_cli_difference_text(const firn_difference *difference, bool around, firn_buffer *out,
                                   firn_error *err);
/// Appends an object of JSON on a line: the members that firn_diff_value has, and `kind`. Fails as
/// firn_json_write.
firn_result fr_cli_difference_json(const firn_difference *difference, bool around, firn_buffer *out,
                                   firn_error *err);

#endif
