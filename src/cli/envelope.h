/// envelope.h: what a save file has around its snapshot, as values.
#ifndef FR_CLI_ENVELOPE_H
#define FR_CLI_ENVELOPE_H

#include "cli/tree.h"

/// The header of a save file as the root of a tree, under the names that docs/format.md has.
void fr_cli_header_tree(fr_cli *cli, const firn_save_file *save, fr_cli_tree *tree);

/// A section: its value if it is a table in firn's encoding, else its bytes.
typedef struct fr_cli_section {
    const void *bytes;
    size_t size;
    const firn_value *value; ///< in the document; or `text`
    firn_value text;         ///< the bytes as a string
} fr_cli_section;

/// Reads a section into *out, which does not move then. Fails as firn_save_file_section and
/// firn_value_decode, without memory.
firn_result fr_cli_section_read(fr_cli *cli, const fr_cli_source *source, const char *name,
                                firn_doc *doc, fr_cli_section *out, firn_error *err);

#endif
