// Differences as a tree.
#include <string.h>

#include "snapshot/diff.h"
#include "value/doc.h"

typedef struct diff_tree {
    firn_doc *doc;
    firn_buffer scratch;
    firn_value *lists[FIRN_DIFFERENCE_DATA + 1]; // by kind
    firn_value *entity;                          // the one at hand
    firn_value *changes;
    firn_entity id; // of it
    bool begun;     // there is one at hand
    firn_error *err;
} diff_tree;

// ---- members

// Sets a member; a value that could not be made is a failure.
static bool item_set_member(const diff_tree *to, firn_value *table, const char *key,
                            const firn_value *value)
{
    return value != NULL && firn_table_set_text(to->doc, table, key, value, to->err) == FIRN_OK;
}

static bool item_set_text(const diff_tree *to, firn_value *table, const char *key, const char *text)
{
    return *text == 0 || item_set_member(to, table, key, firn_value_text(to->doc, text, to->err));
}

static bool item_set_number(const diff_tree *to, firn_value *table, const char *key, double number)
{
    return item_set_member(to, table, key, firn_value_number(to->doc, number, to->err));
}

// A value of the comparison becomes one of the document. Scalars keep all their bits.
static firn_value *tree_copy(diff_tree *to, const firn_value *value)
{
    if (value->kind == FIRN_VALUE_NUMBER) {
        return firn_value_number(to->doc, value->as.number, to->err);
    }
    firn_limits limits;
    firn_limits_default(&limits);
    limits.string_bytes = limits.tree_values = UINT64_MAX;
    firn_buffer_clear(&to->scratch);
    if (firn_value_encode(value, &limits, &to->scratch, to->err) != FIRN_OK) {
        return NULL;
    }
    return firn_value_decode(to->doc, to->scratch.data, to->scratch.size, to->err);
}

static bool item_set_side(diff_tree *to, firn_value *table, const char *key,
                          const firn_value *value)
{
    return value == NULL || item_set_member(to, table, key, tree_copy(to, value));
}

static bool item_set_only(const diff_tree *to, firn_value *table, const firn_difference *difference)
{
    if (difference->in_left && difference->in_right) {
        return true;
    }
    return item_set_text(to, table, "only", difference->in_left ? "left" : "right");
}

// ---- differences

// `Position.x`
static bool item_set_field(diff_tree *to, firn_value *table, const firn_difference *difference)
{
    const char *path = difference->path;
    firn_buffer *text = &to->scratch;
    firn_buffer_clear(text);
    const char *parts[] = {difference->component, *path != 0 && *path != '[' ? "." : "", path};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (firn_buffer_append(text, parts[i], strlen(parts[i]), to->err) != FIRN_OK) {
            return false;
        }
    }
    return item_set_member(to, table, "field",
                           firn_value_string(to->doc, text->data, text->size, to->err));
}

// The list that a difference belongs to: of its kind, or the changes of its entity.
static firn_value *list_of(diff_tree *to, const firn_difference *difference)
{
    bool is_change =
        difference->kind == FIRN_DIFFERENCE_COMPONENT || difference->kind == FIRN_DIFFERENCE_FIELD;
    if (!is_change) {
        return to->lists[difference->kind];
    }
    if (to->begun && to->id == difference->entity) {
        return to->changes;
    }
    to->begun = true;
    to->id = difference->entity;
    to->entity = firn_value_table(to->doc, to->err);
    to->changes = firn_value_table(to->doc, to->err);
    bool made =
        to->entity != NULL && to->changes != NULL &&
        item_set_number(to, to->entity, "id", (double)difference->entity) &&
        item_set_text(to, to->entity, "key", difference->key) &&
        item_set_text(to, to->entity, "name", difference->name) &&
        item_set_member(to, to->entity, "changes", to->changes) &&
        firn_table_push(to->doc, to->lists[FIRN_DIFFERENCE_ENTITY], to->entity, to->err) == FIRN_OK;
    return made ? to->changes : NULL;
}

static bool fill_item(diff_tree *to, firn_value *item, const firn_difference *difference)
{
    switch (difference->kind) {
    case FIRN_DIFFERENCE_ENTITY:
        return item_set_number(to, item, "id", (double)difference->entity) &&
               item_set_text(to, item, "key", difference->key) &&
               item_set_text(to, item, "name", difference->name);
    case FIRN_DIFFERENCE_ORDER:
        return item_set_number(to, item, "entity", (double)difference->entity) &&
               item_set_text(to, item, "component", difference->component) &&
               item_set_text(to, item, "path", difference->path);
    case FIRN_DIFFERENCE_DATA:
        return item_set_text(to, item, "key", difference->component) &&
               item_set_text(to, item, "path", difference->path);
    case FIRN_DIFFERENCE_HEADER:
        return item_set_text(to, item, "path", difference->path);
    default:
        return item_set_text(to, item, "component", difference->component) &&
               item_set_text(to, item, "path", difference->path) &&
               item_set_field(to, item, difference);
    }
}

static firn_result add_item(void *user, const firn_difference *difference, firn_error *err)
{
    diff_tree *to = user;
    to->err = err;
    firn_value *list = list_of(to, difference);
    firn_value *item = list != NULL ? firn_value_table(to->doc, err) : NULL;
    bool made = item != NULL && fill_item(to, item, difference) &&
                item_set_side(to, item, "left", difference->left) &&
                item_set_side(to, item, "right", difference->right) &&
                item_set_only(to, item, difference) &&
                firn_table_push(to->doc, list, item, err) == FIRN_OK;
    return made ? FIRN_OK : err->code;
}

// ---- the whole

static bool begin_tree(diff_tree *to, firn_value *root)
{
    static const char *const names[] = {[FIRN_DIFFERENCE_HEADER] = "header",
                                        [FIRN_DIFFERENCE_SCHEMA] = "schemas",
                                        [FIRN_DIFFERENCE_ORDER] = "order",
                                        [FIRN_DIFFERENCE_ENTITY] = "entities",
                                        [FIRN_DIFFERENCE_DATA] = "data"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i] != NULL) {
            to->lists[i] = firn_value_table(to->doc, to->err);
            if (!item_set_member(to, root, names[i], to->lists[i])) {
                return false;
            }
        }
    }
    return true;
}

firn_value *firn_diff_value(const firn_diff_side *left, const firn_diff_side *right,
                            const firn_diff_options *options, firn_doc *doc,
                            firn_diff_summary *summary, firn_error *err)
{
    if (doc == NULL) {
        fr_fail(err, FIRN_INVALID, "doc", "doc is NULL");
        return NULL;
    }
    firn_diff_summary counts;
    diff_tree to = {.doc = doc, .err = err};
    firn_buffer_init(&to.scratch, &doc->allocator);
    firn_value *root = firn_value_table(doc, err);
    if (root == NULL || !begin_tree(&to, root)) {
        return NULL;
    }
    firn_result result = firn_diff(left, right, options, add_item, &to, &counts, err);
    to.err = err;
    bool made =
        result == FIRN_OK &&
        item_set_member(&to, root, "same", firn_value_bool(doc, counts.differences == 0, err)) &&
        item_set_number(&to, root, "differences", (double)counts.differences) &&
        item_set_number(&to, root, "listed", (double)counts.listed);
    firn_buffer_free(&to.scratch);
    if (!made) {
        return NULL;
    }
    if (summary != NULL) {
        *summary = counts;
    }
    return root;
}
