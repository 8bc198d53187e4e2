/// persisted.h: what differs in what two saves of kind `persisted` hold by field.
#ifndef FR_CLI_PERSISTED_H
#define FR_CLI_PERSISTED_H

#include "cli/cli.h"

/// Whether a source is a save that holds a component of this name by field: `Lamp`, or `Lamp.oil`
/// alone, or `Vars`. Fails as firn_save_file_section, and without memory.
firn_result fr_cli_persisted_has(fr_cli *cli, const fr_cli_source *source, const char *name,
                                 bool *out, firn_error *err);

/// Compares two values of the section `firn.persist`, which live in `doc`. `each` gets entities and
/// their components, as firn_diff tells them, by key (`#12` is the entity 12), and, unless options
/// choose components, the rest as firn_diff_values does. Fails as firn_diff_values, and without
/// memory.
firn_result fr_cli_diff_persisted(const firn_value *left, const firn_value *right,
                                  const firn_diff_options *options, firn_doc *doc,
                                  firn_difference_fn each, void *user, firn_error *err);

#endif
