/// tree.h: what a command finds out, as a tree, which becomes its `--json` as it is and its text by
/// choice. The first failure sticks, and later calls do nothing.
#ifndef FR_CLI_TREE_H
#define FR_CLI_TREE_H

#include "cli/cli.h"

typedef struct fr_cli_tree {
    firn_doc *doc; ///< NULL after a failure to make it
    firn_value *root;
    firn_error err; ///< code FIRN_OK while all is well
} fr_cli_tree;

/// Begins with an empty table as the root.
void fr_cli_tree_begin(fr_cli *cli, fr_cli_tree *tree);
void fr_cli_tree_end(fr_cli_tree *tree);

/// Each sets a field of a table, or, with key NULL, appends an element. Text is copied.
void fr_cli_tree_set(fr_cli_tree *tree, firn_value *table, const char *key,
                     const firn_value *value);
void fr_cli_tree_text(fr_cli_tree *tree, firn_value *table, const char *key, const char *text);
void fr_cli_tree_number(fr_cli_tree *tree, firn_value *table, const char *key, double number);
void fr_cli_tree_bool(fr_cli_tree *tree, firn_value *table, const char *key, bool value);
/// 16 hex digits.
void fr_cli_tree_hex(fr_cli_tree *tree, firn_value *table, const char *key, uint64_t number);
/// 32 hex digits, or "" for a digest of zeros.
void fr_cli_tree_digest(fr_cli_tree *tree, firn_value *table, const char *key, firn_digest digest);
/// An empty table, which is returned.
firn_value *fr_cli_tree_table(fr_cli_tree *tree, firn_value *table, const char *key);

/// The text that a table has under a key, or "".
const char *fr_cli_text_at(const firn_value *table, const char *key);

#endif
