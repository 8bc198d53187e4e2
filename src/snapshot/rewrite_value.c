// Fields of values that are tables.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "snapshot/rewrite.h"

// An edit of a field on its way through a table: what is taken out goes to `into` under `to`.
typedef struct field_move {
    firn_doc *doc;
    const firn_edit *edit;
    firn_value *into; ///< NULL: it is dropped
    const char *to;
    bool changed;
    firn_error *err;
} field_move;

static const firn_value *text_item(const firn_value *table, const char *key, size_t size)
{
    const firn_value text = {.kind = FIRN_VALUE_STRING, .length = (uint32_t)size, .as.string = key};
    return firn_table_get(table, &text);
}

// The keys of a table that are the field or lie in it, in a list. NULL: no memory.
static firn_value *keys_in_field(const field_move *move, const firn_value *table, const char *field)
{
    firn_value *keys = firn_value_table(move->doc, move->err);
    bool memory = keys != NULL;
    size_t size = strlen(field);
    uint32_t cursor = 0;
    firn_value key;
    while (memory && firn_table_next(table, &cursor, &key) != NULL) {
        bool is_in = key.kind == FIRN_VALUE_STRING &&
                     fr_rewrite_lies_in(key.as.string, key.length, field, size);
        memory = !is_in || firn_table_push(move->doc, keys, &key, move->err) == FIRN_OK;
    }
    return memory ? keys : NULL;
}

// Whether a table has a field, under its dotted name or in other tables.
static bool has_field(const firn_value *table, const char *field, size_t size)
{
    if (text_item(table, field, size) != NULL) {
        return true;
    }
    for (size_t i = 1; i < size; i++) {
        const firn_value *inner = field[i] == '.' ? text_item(table, field, i) : NULL;
        if (inner != NULL && inner->kind == FIRN_VALUE_TABLE &&
            has_field(inner, field + i + 1, size - i - 1)) {
            return true;
        }
    }
    return false;
}

// The new name of a key that lies in the field.
static firn_value *moved_key(const field_move *move, const firn_value *key, size_t field_size)
{
    char name[1024];
    size_t to = strlen(move->to), rest = key->length - field_size;
    if (to + rest > sizeof name) {
        fr_fail(move->err, FIRN_LIMIT, move->to, "%s and what is in it make a name of %zu bytes",
                move->to, to + rest);
        return NULL;
    }
    memcpy(name, move->to, to);
    memcpy(name + to, key->as.string + field_size, rest);
    return firn_value_string(move->doc, name, to + rest, move->err);
}

static firn_result put_moved(const field_move *move, const firn_value *key, size_t field_size,
                             const firn_value *item)
{
    firn_value *name = moved_key(move, key, field_size);
    if (name == NULL) {
        return move->err->code;
    }
    if (has_field(move->into, name->as.string, name->length)) {
        char text[256];
        (void)snprintf(text, sizeof text, "%s.%s", move->edit->component, move->edit->to);
        return fr_fail(move->err, FIRN_EXISTS, text, "%s is there already", text);
    }
    return firn_table_set(move->doc, move->into, name, item, move->err);
}

// Takes the field out of this table, and puts it where it goes.
static firn_result move_here(field_move *move, firn_value *table, const char *field)
{
    const firn_value *keys = keys_in_field(move, table, field);
    const firn_value nil = {.kind = FIRN_VALUE_NIL};
    firn_result result = keys != NULL ? FIRN_OK : FIRN_NO_MEMORY;
    uint32_t count = firn_table_array_count(keys);
    firn_value *items = result == FIRN_OK ? firn_value_table(move->doc, move->err) : NULL;
    result = items != NULL ? FIRN_OK : FIRN_NO_MEMORY;
    for (uint32_t i = 1; result == FIRN_OK && i <= count; i++) {
        const firn_value *key = firn_table_get_number(keys, i);
        result = firn_table_push(move->doc, items, firn_table_get(table, key), move->err);
        if (result == FIRN_OK) {
            result = firn_table_set(move->doc, table, key, &nil, move->err);
        }
    }
    for (uint32_t i = 1; result == FIRN_OK && move->into != NULL && i <= count; i++) {
        result = put_moved(move, firn_table_get_number(keys, i), strlen(field),
                           firn_table_get_number(items, i));
    }
    move->changed |= count > 0;
    return result;
}

// Goes on into the tables that the first parts of the name stand for. As deep as it has dots.
static firn_result move_field(field_move *move, firn_value *table, const char *field)
{
    firn_result result = move_here(move, table, field);
    for (size_t i = 1; result == FIRN_OK && field[i - 1] != '\0' && field[i] != '\0'; i++) {
        const firn_value *inner = field[i] == '.' ? text_item(table, field, i) : NULL;
        if (inner == NULL || inner->kind != FIRN_VALUE_TABLE) {
            continue;
        }
        const field_move before = *move;
        firn_value in_doc = *inner; // the same table
        if (move->into == table && strncmp(move->to, field, i + 1) == 0) {
            move->into = &in_doc;
            move->to += i + 1;
        }
        result = move_field(move, &in_doc, field + i + 1);
        move->into = before.into;
        move->to = before.to;
    }
    return result;
}

static firn_result edit_table(firn_doc *doc, const firn_edit *edit, firn_value *table,
                              bool *changed, firn_error *err)
{
    firn_error why = {.code = FIRN_NO_MEMORY};
    field_move move = {.doc = doc, .edit = edit, .to = edit->to, .err = &why};
    move.into = edit->kind == FIRN_RENAME_FIELD ? table : NULL;
    firn_result result = move_field(&move, table, edit->field);
    *changed |= move.changed;
    return result == FIRN_OK ? FIRN_OK : fr_fail_copy(err, &why);
}

// A relation may have many edges in one value.
static firn_result edit_edges(firn_doc *doc, const firn_edit *edit, const firn_value *value,
                              bool *changed, firn_error *err)
{
    const firn_value *edges = firn_table_get_text(value, "edges");
    firn_result result = FIRN_OK;
    for (uint32_t i = 1; result == FIRN_OK && i <= firn_table_array_count(edges); i++) {
        firn_value edge = *firn_table_get_number(edges, i);
        if (edge.kind == FIRN_VALUE_TABLE) {
            result = edit_table(doc, edit, &edge, changed, err);
        }
    }
    return result;
}

firn_result fr_rewrite_value(fr_rewrite *rewrite, uint32_t group, firn_doc *doc, firn_value *value,
                             bool *changed, firn_error *err)
{
    const fr_rewrite_group *of = &rewrite->groups[group];
    firn_result result = FIRN_OK;
    *changed = false;
    if (value->kind != FIRN_VALUE_TABLE) {
        return FIRN_OK;
    }
    for (uint32_t i = of->first_edit; result == FIRN_OK && i != FR_NO_EDIT;
         i = rewrite->edit_next[i]) {
        const firn_edit *edit = &rewrite->edits[i];
        bool by_this = false;
        if (edit->kind == FIRN_RENAME_COMPONENT || edit->kind == FIRN_DROP_COMPONENT) {
            continue;
        }
        result = edit_table(doc, edit, value, &by_this, err);
        if (result == FIRN_OK && of->relation) {
            result = edit_edges(doc, edit, value, &by_this, err);
        }
        rewrite->effects[i].found |= by_this;
        rewrite->effects[i].rows += by_this;
        *changed |= by_this;
    }
    return result;
}
