#include "cli/difference.h"

#include <string.h>

firn_result fr_cli_difference_text(const firn_difference *difference, bool around, firn_buffer *out,
                                   firn_error *err)
{
    size_t start = out->size;
    firn_result result = around ? firn_buffer_append(out, "save ", 5, err) : FIRN_OK;
    if (result == FIRN_OK) {
        result = firn_difference_text(difference, out, err);
    }
    if (result == FIRN_OK) {
        result = firn_buffer_append(out, "\n", 1, err);
    }
    if (result != FIRN_OK) {
        out->size = start;
    }
    return result;
}

// ---- JSON

// An object that is being written. The first failure stays.
typedef struct json_object {
    firn_buffer *out;
    firn_error *err;
    firn_result result;
    const char *between;
} json_object;

static void put_json(json_object *object, const char *text)
{
    if (object->result == FIRN_OK) {
        object->result = firn_buffer_append(object->out, text, strlen(text), object->err);
    }
}

static void put_member(json_object *object, const char *key, const firn_value *value)
{
    put_json(object, object->between);
    put_json(object, "\"");
    put_json(object, key);
    put_json(object, "\":");
    if (object->result == FIRN_OK) {
        object->result = firn_json_write(value, object->out, object->err);
    }
    object->between = ",";
}

// None for "".
static void put_text_member(json_object *object, const char *key, const char *text)
{
    const firn_value value = {
        .kind = FIRN_VALUE_STRING, .length = (uint32_t)strlen(text), .as.string = text};
    if (*text != 0) {
        put_member(object, key, &value);
    }
}

static void put_entity_member(json_object *object, const char *key, firn_entity entity)
{
    const firn_value value = {.kind = FIRN_VALUE_NUMBER, .as.number = (double)entity};
    if (entity != 0) {
        put_member(object, key, &value);
    }
}

static void put_difference_place(json_object *object, const firn_difference *difference)
{
    bool is_data = difference->kind == FIRN_DIFFERENCE_DATA;
    if (difference->kind == FIRN_DIFFERENCE_ORDER) {
        put_entity_member(object, "entity", difference->entity);
    } else {
        put_entity_member(object, "id", difference->entity);
    }
    put_text_member(object, "key", is_data ? difference->component : difference->key);
    put_text_member(object, "name", difference->name);
    if (!is_data) {
        put_text_member(object, "component", difference->component);
    }
    put_text_member(object, "path", difference->path);
}

static void put_sides(json_object *object, const firn_difference *difference)
{
    if (difference->left != NULL) {
        put_member(object, "left", difference->left);
    }
    if (difference->right != NULL) {
        put_member(object, "right", difference->right);
    }
    if (difference->in_left != difference->in_right) {
        put_text_member(object, "only", difference->in_left ? "left" : "right");
    }
}

firn_result fr_cli_difference_json(const firn_difference *difference, bool around, firn_buffer *out,
                                   firn_error *err)
{
    static const char *const kinds[][2] = {
        [FIRN_DIFFERENCE_HEADER] = {"header", "saveHeader"},
        [FIRN_DIFFERENCE_SCHEMA] = {"schema", "saveSchema"},
        [FIRN_DIFFERENCE_ORDER] = {"order", "saveOrder"},
        [FIRN_DIFFERENCE_ENTITY] = {"entity", "saveEntity"},
        [FIRN_DIFFERENCE_COMPONENT] = {"component", "saveComponent"},
        [FIRN_DIFFERENCE_FIELD] = {"field", "saveField"},
        [FIRN_DIFFERENCE_DATA] = {"data", "saveData"}};
    json_object object = {out, err, FIRN_OK, "{"};
    size_t start = out->size;
    put_text_member(&object, "kind", kinds[difference->kind][around]);
    put_difference_place(&object, difference);
    put_sides(&object, difference);
    put_json(&object, "}\n");
    if (object.result != FIRN_OK) {
        out->size = start;
    }
    return object.result;
}
