// The table form of a save: an image, read back into a tree.
#include "base/error.h"
#include "base/utf8.h"
#include "snapshot/image_rows.h"
#include "snapshot/table.h"
#include "store/world.h"
#include "value/table.h"

// The tree as it grows. The first failure sticks: what follows does nothing.
typedef struct table_tree {
    const fr_image *image;
    firn_doc *doc;
    firn_result result;
    firn_error *err;
} table_tree;

static firn_value *tree_failed(table_tree *tree, firn_result result)
{
    tree->result = result;
    return NULL;
}

// An empty table with room for `elements`; NULL after a failure.
static firn_value *tree_table(table_tree *tree, size_t elements)
{
    if (tree->result != FIRN_OK) {
        return NULL;
    }
    firn_value *table = firn_value_table(tree->doc, tree->err);
    if (table == NULL) {
        return tree_failed(tree, FIRN_NO_MEMORY);
    }
    if (elements > 0 && !fr_table_reserve_items(tree->doc, table->as.table, elements)) {
        return tree_failed(tree, fr_fail_memory(tree->err, "table"));
    }
    return table;
}

static firn_value *tree_string(table_tree *tree, const char *bytes, size_t size)
{
    if (tree->result != FIRN_OK) {
        return NULL;
    }
    firn_error why;
    firn_value *string = firn_value_string(tree->doc, bytes, size, &why);
    if (string == NULL) {
        tree->result = fr_fail_copy(tree->err, &why);
    }
    return string;
}

static void tree_set(table_tree *tree, firn_value *table, const char *key, const firn_value *item)
{
    if (tree->result == FIRN_OK) {
        tree->result = firn_table_set_text(tree->doc, table, key, item, tree->err);
    }
}

static void tree_push(table_tree *tree, firn_value *table, const firn_value *item)
{
    if (tree->result == FIRN_OK) {
        tree->result = firn_table_push(tree->doc, table, item, tree->err);
    }
}

static firn_value tree_number(double number)
{
    return (firn_value){.kind = FIRN_VALUE_NUMBER, .as.number = number};
}

static void tree_set_number(table_tree *tree, firn_value *table, const char *key, double number)
{
    const firn_value item = tree_number(number);
    tree_set(tree, table, key, &item);
}

// ---- archetypes

// A value that does not fit the document.
static void refuse_cell(table_tree *tree, const fr_rows *rows, uint32_t column,
                        const firn_error *why)
{
    tree->result = why->code;
    if (why->code == FIRN_NO_MEMORY) {
        fr_fail_copy(tree->err, why);
        return;
    }
    char name[256];
    const fr_entry *entry = &tree->image->entries[rows->cells[column].span->entry];
    firn_entity entity = fr_frame_id(rows->frame, rows->stepped - 1);
    fr_printable(name, sizeof name, entry->name, entry->name_size);
    fr_fail_entity(tree->err, why->code, entity, name, "%s of entity %llu: %s", name,
                   (unsigned long long)entity, why->message);
}

// Rows whose fingerprint is not understood are strings of their bytes.
static const firn_value *make_cell(table_tree *tree, fr_rows *rows, uint32_t column,
                                   firn_error *err)
{
    const fr_cell *cell = &rows->cells[column];
    if (cell->size > 0 && fr_entry_is_opaque(&tree->image->entries[cell->span->entry])) {
        return firn_value_string(tree->doc, (const char *)cell->at, cell->size, err);
    }
    return fr_rows_value(rows, column, tree->doc, err);
}

// {id, value, value, ...}: what is nil leaves a hole.
static firn_value *make_row(table_tree *tree, fr_rows *rows)
{
    uint32_t columns = rows->frame->column_count;
    firn_value *row = tree_table(tree, (size_t)columns + 1);
    const firn_entity id = fr_frame_id(rows->frame, rows->stepped - 1);
    const firn_value number = tree_number((double)id);
    tree_push(tree, row, &number);
    for (uint32_t i = 0; i < columns && tree->result == FIRN_OK; i++) {
        firn_error why;
        const firn_value place = tree_number(i + 2.0);
        const firn_value *value = make_cell(tree, rows, i, &why);
        if (value == NULL) {
            refuse_cell(tree, rows, i, &why);
        } else {
            tree->result = firn_table_set(tree->doc, row, &place, value, tree->err);
        }
    }
    return row;
}

static firn_value *make_archetype(table_tree *tree, const fr_frame *frame)
{
    firn_value *archetype = tree_table(tree, 0);
    firn_value *indices = tree_table(tree, frame->column_count);
    firn_value *entities = tree_table(tree, frame->rows);
    for (uint32_t i = 0; i < frame->column_count; i++) {
        const firn_value index =
            tree_number(tree->image->spans[frame->first_column + i].entry + 1.0);
        tree_push(tree, indices, &index);
    }
    fr_rows rows;
    if (tree->result == FIRN_OK) {
        tree->result = fr_rows_begin(&rows, tree->image, frame, tree->err);
    }
    if (tree->result != FIRN_OK) {
        return NULL;
    }
    while (tree->result == FIRN_OK && fr_rows_next(&rows)) {
        tree_push(tree, entities, make_row(tree, &rows));
    }
    fr_rows_end(&rows);
    tree_set(tree, archetype, "columnIndices", indices);
    tree_set(tree, archetype, "entities", entities);
    return archetype;
}

static firn_value *make_archetypes(table_tree *tree)
{
    firn_value *list = tree_table(tree, tree->image->frame_count);
    for (uint32_t i = 0; i < tree->image->frame_count && tree->result == FIRN_OK; i++) {
        tree_push(tree, list, make_archetype(tree, &tree->image->frames[i]));
    }
    return list;
}

// ---- component table and data

static firn_value *make_component_table(table_tree *tree)
{
    uint32_t count = tree->image->prelude.component_count;
    firn_value *list = tree_table(tree, count);
    for (uint32_t i = 0; i < count && tree->result == FIRN_OK; i++) {
        const fr_entry *entry = &tree->image->entries[i];
        firn_value *item = tree_table(tree, 0);
        tree_set(tree, item, "name", tree_string(tree, entry->name, entry->name_size));
        if (fr_entry_is_opaque(entry)) {
            tree_set(tree, item, "fingerprint",
                     tree_string(tree, entry->fingerprint, entry->fingerprint_size));
        }
        tree_push(tree, list, item);
    }
    return list;
}

static firn_value *make_datum(table_tree *tree, const fr_datum *datum)
{
    firn_value *item = tree_table(tree, 0);
    tree_set(tree, item, "key", tree_string(tree, datum->key, datum->key_size));
    if (tree->result != FIRN_OK) {
        return NULL;
    }
    firn_error why;
    const firn_value *value =
        firn_value_decode(tree->doc, tree->image->bytes + datum->offset, datum->size, &why);
    if (value != NULL) {
        tree_set(tree, item, "value", value);
        return item;
    }
    tree->result = why.code;
    if (why.code == FIRN_NO_MEMORY) {
        fr_fail_copy(tree->err, &why);
    } else {
        char key[256];
        fr_printable(key, sizeof key, datum->key, datum->key_size);
        fr_fail(tree->err, why.code, key, "data %s: %s", key, why.message);
    }
    return NULL;
}

static firn_value *make_data(table_tree *tree)
{
    firn_value *list = tree_table(tree, tree->image->data_count);
    for (uint32_t i = 0; i < tree->image->data_count && tree->result == FIRN_OK; i++) {
        tree_push(tree, list, make_datum(tree, &tree->image->data[i]));
    }
    return list;
}

static firn_value *make_tree(table_tree *tree)
{
    const firn_prelude *prelude = &tree->image->prelude;
    firn_value *root = tree_table(tree, 0);
    tree_set_number(tree, root, "version", prelude->version);
    tree_set_number(tree, root, "nextEntityId", prelude->next_slot);
    tree_set_number(tree, root, "entityCount", prelude->entity_count);
    tree_set(tree, root, "componentTable", make_component_table(tree));
    tree_set(tree, root, "archetypes", make_archetypes(tree));
    tree_set(tree, root, "data", make_data(tree));
    return root;
}

// ---- the save

static firn_result check_save_table(const firn_save_options *options, const firn_doc *doc,
                                    firn_value *const *out, firn_error *err)
{
    if (doc == NULL || out == NULL) {
        const char *what = doc == NULL ? "doc" : "out";
        return fr_fail(err, FIRN_INVALID, what, "%s is NULL", what);
    }
    if (options != NULL && options->digest != NULL) {
        return fr_fail(err, FIRN_INVALID, "digest",
                       "digest is of the bytes of a save: the table form has none");
    }
    return FIRN_OK;
}

firn_result fr_table_of_image(const void *bytes, size_t size, const firn_limits *limits,
                              const firn_allocator *allocator, firn_doc *doc, firn_value **out,
                              firn_error *err)
{
    fr_image image;
    firn_result result =
        fr_image_open(&image, bytes, size, limits, allocator, true, NULL, NULL, err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_doc_mark mark = fr_doc_here(doc);
    fr_doc_forget_keys(doc);
    table_tree tree = {&image, doc, FIRN_OK, err};
    firn_value *root = make_tree(&tree);
    fr_image_close(&image);
    if (tree.result != FIRN_OK) {
        fr_doc_rollback(doc, mark);
        return tree.result;
    }
    *out = root;
    return FIRN_OK;
}

firn_result firn_snapshot_save_table(firn_world *world, const firn_save_options *options,
                                     firn_doc *doc, firn_value **out, firn_error *err)
{
    firn_result result = check_save_table(options, doc, out, err);
    if (result != FIRN_OK) {
        return result;
    }
    firn_buffer bytes;
    firn_buffer_init(&bytes, world != NULL ? &world->allocator : NULL);
    result = firn_snapshot_save(world, options, &bytes, err);
    if (result == FIRN_OK) {
        result = fr_table_of_image(bytes.data, bytes.size, &world->limits, &world->allocator, doc,
                                   out, err);
    }
    firn_buffer_free(&bytes);
    return result;
}
