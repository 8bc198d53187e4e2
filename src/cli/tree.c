#include "cli/tree.h"

#include <inttypes.h>
#include <stdio.h>

void fr_cli_tree_begin(fr_cli *cli, fr_cli_tree *tree)
{
    *tree = (fr_cli_tree){.err = {.code = FIRN_OK}};
    tree->doc = firn_doc_create(cli->host->allocator, &cli->limits, &tree->err);
    if (tree->doc != NULL) {
        tree->root = firn_value_table(tree->doc, &tree->err);
    }
}

void fr_cli_tree_end(fr_cli_tree *tree)
{
    firn_doc_destroy(tree->doc);
    tree->doc = NULL;
}

void fr_cli_tree_set(fr_cli_tree *tree, firn_value *table, const char *key, const firn_value *value)
{
    if (tree->err.code != FIRN_OK) {
        return;
    }
    if (key == NULL) {
        firn_table_push(tree->doc, table, value, &tree->err);
    } else {
        firn_table_set_text(tree->doc, table, key, value, &tree->err);
    }
}

// Whether a value can be made.
static bool is_well(const fr_cli_tree *tree)
{
    return tree->err.code == FIRN_OK;
}

void fr_cli_tree_text(fr_cli_tree *tree, firn_value *table, const char *key, const char *text)
{
    if (is_well(tree)) {
        fr_cli_tree_set(tree, table, key, firn_value_text(tree->doc, text, &tree->err));
    }
}

void fr_cli_tree_number(fr_cli_tree *tree, firn_value *table, const char *key, double number)
{
    if (is_well(tree)) {
        fr_cli_tree_set(tree, table, key, firn_value_number(tree->doc, number, &tree->err));
    }
}

void fr_cli_tree_bool(fr_cli_tree *tree, firn_value *table, const char *key, bool value)
{
    if (is_well(tree)) {
        fr_cli_tree_set(tree, table, key, firn_value_bool(tree->doc, value, &tree->err));
    }
}

void fr_cli_tree_hex(fr_cli_tree *tree, firn_value *table, const char *key, uint64_t number)
{
    char digits[17];
    (void)snprintf(digits, sizeof digits, "%016" PRIx64, number);
    fr_cli_tree_text(tree, table, key, digits);
}

void fr_cli_tree_digest(fr_cli_tree *tree, firn_value *table, const char *key, firn_digest digest)
{
    char text[33] = "";
    if (digest.high != 0 || digest.low != 0) {
        (void)snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, digest.high, digest.low);
    }
    fr_cli_tree_text(tree, table, key, text);
}

firn_value *fr_cli_tree_table(fr_cli_tree *tree, firn_value *table, const char *key)
{
    firn_value *made = is_well(tree) ? firn_value_table(tree->doc, &tree->err) : NULL;
    fr_cli_tree_set(tree, table, key, made);
    return made;
}

const char *fr_cli_text_at(const firn_value *table, const char *key)
{
    const firn_value *value = firn_table_get_text(table, key);
    return value != NULL && value->kind == FIRN_VALUE_STRING ? value->as.string : "";
}
