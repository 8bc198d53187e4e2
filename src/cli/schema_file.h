/// schema_file.h: schema files, which say how the components of a snapshot are read, and what the
/// game is that reads it, one a line:
///
///     # a comment
///     Position raw x:float,y:float|8
///     "Ai state" encoded
///     Alive boolean                     (so are number, string, tag)
///     Trusts relation sparse exclusive listed amount:int32_t|4
///     night state
///     complete                          (there are no others)
///
/// A name or fingerprint in quotes has the escapes of fr_cli_text, and `\"`.
#ifndef FR_CLI_SCHEMA_FILE_H
#define FR_CLI_SCHEMA_FILE_H

#include "cli/cli.h"

/// Reads the file of the option `schema`, if it is given: fr_cli_image_options has the schemas
/// then, and cli->game the game. false: it failed, which has been said with the number of the line.
bool fr_cli_schemas_read(fr_cli *cli);

/// Prints the line of a component, or, of a target, that of its relation, whose fields no file
/// tells.
void fr_cli_schema_print(fr_cli *cli, const firn_image_component *component);

#endif
