// Differences as a tree.
#include <string.h>

#include "base/error.h"
#include "snapshot/diff_tell.h"
#include "value/doc.h"

// ---- members

firn_result fr_diff_tree_member(fr_diff_tree *tree, firn_value *table, const char *key,
                                const firn_value *value, firn_error *err)
{
    return value != NULL ? firn_table_set_text(tree->doc, table, key, value, err) : err->code;
}

firn_result fr_diff_tree_text(fr_diff_tree *tree, firn_value *table, const char *key,
                              const char *text, firn_error *err)
{
    if (*text == 0) {
        return FIRN_OK;
    }
    return fr_diff_tree_member(tree, table, key, firn_value_text(tree->doc, text, err), err);
}

firn_result fr_diff_tree_number(fr_diff_tree *tree, firn_value *table, const char *key,
                                double number, firn_error *err)
{
    return fr_diff_tree_member(tree, table, key, firn_value_number(tree->doc, number, err), err);
}

// A value of the comparison becomes one of the document. Numbers keep all their bits.
static firn_value *copy_side(fr_diff_tree *tree, const firn_value *value, firn_error *err)
{
    if (value->kind == FIRN_VALUE_NUMBER) {
        return firn_value_number(tree->doc, value->as.number, err);
    }
    firn_limits limits;
    firn_limits_default(&limits);
    limits.string_bytes = limits.tree_values = UINT64_MAX;
    firn_buffer_clear(&tree->scratch);
    if (firn_value_encode(value, &limits, &tree->scratch, err) != FIRN_OK) {
        return NULL;
    }
    return firn_value_decode(tree->doc, tree->scratch.data, tree->scratch.size, err);
}

static firn_result add_sides(fr_diff_tree *tree, firn_value *item,
                             const firn_difference *difference, firn_error *err)
{
    const fr_side_names *names = tree->names;
    firn_result result = FIRN_OK;
    if (difference->left != NULL) {
        result = fr_diff_tree_member(tree, item, names->left,
                                     copy_side(tree, difference->left, err), err);
    }
    if (result == FIRN_OK && difference->right != NULL) {
        result = fr_diff_tree_member(tree, item, names->right,
                                     copy_side(tree, difference->right, err), err);
    }
    if (result == FIRN_OK && difference->in_left != difference->in_right) {
        const char *only = difference->in_left ? names->left : names->right;
        result = fr_diff_tree_text(tree, item, "only", only, err);
    }
    return result;
}

// `Position.x`
static firn_result add_field(fr_diff_tree *tree, firn_value *item,
                             const firn_difference *difference, firn_error *err)
{
    const char *path = difference->path;
    firn_buffer *text = &tree->scratch;
    firn_buffer_clear(text);
    const char *parts[] = {difference->component, *path != 0 && *path != '[' ? "." : "", path};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        firn_result result = firn_buffer_append(text, parts[i], strlen(parts[i]), err);
        if (result != FIRN_OK) {
            return result;
        }
    }
    return fr_diff_tree_member(tree, item, "field",
                               firn_value_string(tree->doc, text->data, text->size, err), err);
}

// ---- differences

static firn_result fill_item(fr_diff_tree *tree, firn_value *item,
                             const firn_difference *difference, firn_error *err)
{
    bool is_data = difference->kind == FIRN_DIFFERENCE_DATA;
    firn_result result =
        fr_diff_tree_text(tree, item, is_data ? "key" : "component", difference->component, err);
    if (result == FIRN_OK) {
        result = fr_diff_tree_text(tree, item, "path", difference->path, err);
    }
    switch (difference->kind) {
    case FIRN_DIFFERENCE_ORDER:
        return result == FIRN_OK
                   ? fr_diff_tree_number(tree, item, "entity", (double)difference->entity, err)
                   : result;
    case FIRN_DIFFERENCE_SCHEMA:
    case FIRN_DIFFERENCE_COMPONENT:
    case FIRN_DIFFERENCE_FIELD:
        return result == FIRN_OK ? add_field(tree, item, difference, err) : result;
    default:
        return result;
    }
}

firn_result fr_diff_tree_entity(fr_diff_tree *tree, const firn_difference *difference,
                                firn_error *err)
{
    tree->begun = true;
    tree->id = difference->entity;
    tree->changes = NULL;
    tree->entity = firn_value_table(tree->doc, err);
    firn_result result = tree->entity != NULL ? FIRN_OK : err->code;
    if (result == FIRN_OK && difference->entity != 0) {
        result = fr_diff_tree_number(tree, tree->entity, "id", (double)difference->entity, err);
    }
    if (result == FIRN_OK) {
        result = fr_diff_tree_text(tree, tree->entity, "key", difference->key, err);
    }
    if (result == FIRN_OK) {
        result = fr_diff_tree_text(tree, tree->entity, "name", difference->name, err);
    }
    return result == FIRN_OK
               ? firn_table_push(tree->doc, tree->lists[FIRN_DIFFERENCE_ENTITY], tree->entity, err)
               : result;
}

static firn_result begin_tree_change(fr_diff_tree *tree, const firn_difference *difference,
                                     firn_error *err)
{
    firn_result result = FIRN_OK;
    if (!tree->begun || tree->id != difference->entity) {
        result = fr_diff_tree_entity(tree, difference, err);
    }
    if (result != FIRN_OK || tree->changes != NULL) {
        return result;
    }
    tree->changes = firn_value_table(tree->doc, err);
    return fr_diff_tree_member(tree, tree->entity, "changes", tree->changes, err);
}

firn_result fr_diff_tree_add(fr_diff_tree *tree, const firn_difference *difference, firn_error *err)
{
    firn_value *list = tree->lists[difference->kind];
    if (difference->kind == FIRN_DIFFERENCE_ENTITY) {
        firn_result result = fr_diff_tree_entity(tree, difference, err);
        return result == FIRN_OK ? add_sides(tree, tree->entity, difference, err) : result;
    }
    if (list == NULL) {
        firn_result result = begin_tree_change(tree, difference, err);
        if (result != FIRN_OK) {
            return result;
        }
        list = tree->changes;
    }
    firn_value *item = firn_value_table(tree->doc, err);
    firn_result result = item != NULL ? fill_item(tree, item, difference, err) : err->code;
    if (result == FIRN_OK) {
        result = add_sides(tree, item, difference, err);
    }
    return result == FIRN_OK ? firn_table_push(tree->doc, list, item, err) : result;
}

// ---- the whole

firn_result fr_diff_tree_begin(fr_diff_tree *tree, firn_doc *doc, const fr_side_names *names,
                               firn_error *err)
{
    static const char *const keys[] = {[FIRN_DIFFERENCE_HEADER] = "header",
                                       [FIRN_DIFFERENCE_SCHEMA] = "schemas",
                                       [FIRN_DIFFERENCE_ORDER] = "order",
                                       [FIRN_DIFFERENCE_ENTITY] = "entities",
                                       [FIRN_DIFFERENCE_DATA] = "data"};
    *tree = (fr_diff_tree){.doc = doc, .names = names};
    firn_buffer_init(&tree->scratch, &doc->allocator);
    tree->root = firn_value_table(doc, err);
    firn_result result = tree->root != NULL ? FIRN_OK : err->code;
    for (size_t i = 0; result == FIRN_OK && i < sizeof keys / sizeof *keys; i++) {
        if (keys[i] != NULL) {
            tree->lists[i] = firn_value_table(doc, err);
            result = fr_diff_tree_member(tree, tree->root, keys[i], tree->lists[i], err);
        }
    }
    return result;
}

void fr_diff_tree_end(fr_diff_tree *tree)
{
    firn_buffer_free(&tree->scratch);
}

static firn_result add_to_tree(void *tree, const firn_difference *difference, firn_error *err)
{
    return fr_diff_tree_add(tree, difference, err);
}

static firn_result add_counts(fr_diff_tree *tree, const firn_diff_summary *counts, firn_error *err)
{
    firn_value *same = firn_value_bool(tree->doc, counts->differences == 0, err);
    firn_result result = fr_diff_tree_member(tree, tree->root, "same", same, err);
    if (result == FIRN_OK) {
        result =
            fr_diff_tree_number(tree, tree->root, "differences", (double)counts->differences, err);
    }
    return result == FIRN_OK
               ? fr_diff_tree_number(tree, tree->root, "listed", (double)counts->listed, err)
               : result;
}

firn_value *firn_diff_value(const firn_diff_side *left, const firn_diff_side *right,
                            const firn_diff_options *options, firn_doc *doc,
                            firn_diff_summary *summary, firn_error *err)
{
    if (doc == NULL) {
        fr_fail(err, FIRN_INVALID, "doc", "doc is NULL");
        return NULL;
    }
    static const fr_side_names names = {"left", "right"};
    firn_diff_summary counts;
    fr_diff_tree tree;
    firn_error why;
    firn_result result = fr_diff_tree_begin(&tree, doc, &names, &why);
    if (result == FIRN_OK) {
        result = firn_diff(left, right, options, add_to_tree, &tree, &counts, &why);
    }
    if (result == FIRN_OK) {
        result = add_counts(&tree, &counts, &why);
    }
    fr_diff_tree_end(&tree);
    if (result != FIRN_OK) {
        fr_fail_copy(err, &why);
        return NULL;
    }
    if (summary != NULL) {
        *summary = counts;
    }
    return tree.root;
}
