// What an inspection finds, as lines or as a tree.
#include "base/error.h"
#include "saves/inspect.h"

static const fr_side_names saved_and_now = {"saved", "now"};

static const char *status_word(fr_inspect_status status)
{
    static const char *const words[] = {[FR_INSPECT_SAME] = "same",
                                        [FR_INSPECT_CHANGED] = "changed",
                                        [FR_INSPECT_MISSING] = "missing",
                                        [FR_INSPECT_EXTRA] = "extra"};
    return words[status];
}

static firn_result end_inspect_line(fr_inspect *inspect, firn_result result, firn_error *err)
{
    return result == FIRN_OK ? firn_buffer_append(inspect->text, "\n", 1, err) : result;
}

// The fields of an entity that changed say so themselves.
static firn_result write_inspected(fr_inspect *inspect, const firn_difference *like,
                                   fr_inspect_status status, firn_error *err)
{
    if (status == FR_INSPECT_CHANGED) {
        return FIRN_OK;
    }
    firn_result result = fr_entity_text(like, status_word(status), inspect->text, err);
    return end_inspect_line(inspect, result, err);
}

firn_result fr_inspect_entity(fr_inspect *inspect, const firn_difference *like,
                              fr_inspect_status status, firn_error *err)
{
    firn_inspection *counts = &inspect->counts;
    counts->same_entities += status == FR_INSPECT_SAME;
    counts->changed_entities += status == FR_INSPECT_CHANGED;
    counts->missing_entities += status == FR_INSPECT_MISSING;
    counts->extra_entities += status == FR_INSPECT_EXTRA;
    counts->differences += status == FR_INSPECT_MISSING || status == FR_INSPECT_EXTRA;
    if (status == FR_INSPECT_SAME && !inspect->lists_same) {
        return FIRN_OK;
    }
    if (inspect->tree == NULL) {
        return write_inspected(inspect, like, status, err);
    }
    firn_result result = fr_diff_tree_entity(inspect->tree, like, err);
    return result == FIRN_OK ? fr_diff_tree_text(inspect->tree, inspect->tree->entity, "status",
                                                 status_word(status), err)
                             : result;
}

firn_result fr_inspect_difference(fr_inspect *inspect, const firn_difference *difference,
                                  firn_error *err)
{
    inspect->counts.differences++;
    if (inspect->tree != NULL) {
        return fr_diff_tree_add(inspect->tree, difference, err);
    }
    firn_result result = fr_difference_text(difference, &saved_and_now, inspect->text, err);
    return end_inspect_line(inspect, result, err);
}

// ---------------------------------------------------------------- calls of the game

static firn_result add_inspected_numbers(fr_inspect *inspect, firn_error *err)
{
    fr_diff_tree *tree = inspect->tree;
    const firn_inspection *counts = &inspect->counts;
    const struct {
        const char *key;
        uint64_t number;
    } members[] = {{"unchanged", counts->same_entities},
                   {"changed", counts->changed_entities},
                   {"missing", counts->missing_entities},
                   {"extra", counts->extra_entities},
                   {"differences", counts->differences}};
    firn_value *same = firn_value_bool(tree->doc, counts->same, err);
    firn_result result = fr_diff_tree_member(tree, tree->root, "same", same, err);
    for (size_t i = 0; result == FIRN_OK && i < sizeof members / sizeof *members; i++) {
        result =
            fr_diff_tree_number(tree, tree->root, members[i].key, (double)members[i].number, err);
    }
    return result;
}

firn_value *firn_saves_inspect(firn_saves *saves, const char *slot,
                               const firn_inspect_options *options, firn_doc *doc,
                               firn_inspection *out, firn_error *err)
{
    if (doc == NULL) {
        fr_fail(err, FIRN_INVALID, "doc", "doc is NULL");
        return NULL;
    }
    fr_diff_tree tree;
    fr_inspect inspect = {.saves = saves, .tree = &tree};
    firn_error why;
    firn_result result = fr_diff_tree_begin(&tree, doc, &saved_and_now, &why);
    if (result == FIRN_OK) {
        result = fr_inspect_slot(&inspect, slot, options, &why);
    }
    if (result == FIRN_OK) {
        result = add_inspected_numbers(&inspect, &why);
    }
    fr_diff_tree_end(&tree);
    if (result != FIRN_OK) {
        fr_fail_copy(err, &why);
        return NULL;
    }
    if (out != NULL) {
        *out = inspect.counts;
    }
    return tree.root;
}

firn_result firn_saves_inspect_text(firn_saves *saves, const char *slot,
                                    const firn_inspect_options *options, firn_buffer *text,
                                    firn_inspection *out, firn_error *err)
{
    if (text == NULL) {
        return fr_fail(err, FIRN_INVALID, "text", "text is NULL");
    }
    fr_inspect inspect = {.saves = saves, .text = text};
    size_t start = text->size;
    firn_error why;
    firn_result result = fr_inspect_slot(&inspect, slot, options, &why);
    if (result != FIRN_OK) {
        text->size = start;
        return fr_fail_copy(err, &why);
    }
    if (out != NULL) {
        *out = inspect.counts;
    }
    return FIRN_OK;
}
