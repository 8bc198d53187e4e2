#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "buffer/bytes.h"
#include "json/row.h"

// ---- members

firn_result fr_json_members_begin(fr_json_members *members, const fr_json_node *node,
                                  const char *what, firn_buffer *scratch, firn_error *err)
{
    const fr_json_node *table = fr_json_tagged(node, "$table");
    *members = (fr_json_members){.pairs = table != NULL, .scratch = scratch};
    if (table != NULL) {
        node = table;
    }
    if (node->kind != (table != NULL ? FR_JSON_ARRAY : FR_JSON_OBJECT)) {
        return fr_json_refuse(node, what, "is no object", err);
    }
    members->at = node + 1;
    members->end = fr_json_next(node);
    return FIRN_OK;
}

bool fr_json_members_next(fr_json_members *members, firn_result *result, firn_error *err)
{
    if (members->at == members->end) {
        return false;
    }
    const fr_json_node *node = members->at;
    members->at = fr_json_next(node);
    if (!members->pairs) {
        members->key = node->key;
        members->key_size = node->key_size;
        members->node = node;
        return true;
    }
    if (node->kind != FR_JSON_ARRAY || node->size != 2) {
        *result = fr_json_refuse(node, "", "is no pair [key, value] of a $table", err);
        return false;
    }
    members->node = fr_json_next(node + 1);
    *result = fr_json_read_string(node + 1, "key", members->scratch, &members->key,
                                  &members->key_size, err);
    return *result == FIRN_OK;
}

// ---- fields

static void store_integer(uint8_t *wire, uint32_t size, uint64_t value)
{
    for (uint32_t i = 0; i < size; i++) {
        wire[i] = (uint8_t)(value >> (8 * i));
    }
}

// False when the node is nothing that the type can hold.
static bool row_element(const fr_json_node *node, firn_type type, uint8_t *wire)
{
    uint32_t size = fr_type_size(type);
    uint64_t all = UINT64_MAX >> (64 - 8 * size);
    int64_t most = (int64_t)(all >> 1);
    union {
        double f64;
        float f32;
        int64_t whole;
        uint64_t natural;
    } value;
    switch (fr_type_plain(type)) {
    case FIRN_BOOL:
        *wire = node->kind == FR_JSON_BOOL && node->as.boolean;
        return node->kind == FR_JSON_BOOL;
    case FIRN_F32: {
        if (!fr_json_read_float(node, &value.f32)) {
            return false;
        }
        uint32_t bits;
        memcpy(&bits, &value.f32, sizeof bits);
        fr_store_u32(wire, bits);
        return true;
    }
    case FIRN_F64:
        if (!fr_json_read_double(node, &value.f64)) {
            return false;
        }
        fr_store_f64(wire, value.f64);
        return true;
    case FIRN_I8:
    case FIRN_I16:
    case FIRN_I32:
    case FIRN_I64:
        if (!fr_json_read_signed(node, -most - 1, most, &value.whole)) {
            return false;
        }
        store_integer(wire, size, (uint64_t)value.whole);
        return true;
    default:
        if (!fr_json_read_unsigned(node, all, &value.natural)) {
            return false;
        }
        store_integer(wire, size, value.natural);
        return true;
    }
}

static firn_result row_chars(const fr_json_node *node, uint32_t count, uint8_t *wire,
                             firn_buffer *scratch, firn_error *err)
{
    const char *bytes;
    size_t size;
    firn_result result = fr_json_read_string(node, "", scratch, &bytes, &size, err);
    if (result == FIRN_OK && size <= count) {
        memcpy(wire, bytes, size);
        return FIRN_OK;
    }
    return result == FIRN_OK ? FIRN_CORRUPT : result;
}

static firn_result row_array(const fr_json_node *node, const fr_schema_field *field, uint8_t *wire)
{
    if (node->kind != FR_JSON_ARRAY || node->size != field->count) {
        return FIRN_CORRUPT;
    }
    const fr_json_node *at = node + 1;
    for (uint32_t i = 0; i < field->count; i++, at = fr_json_next(at)) {
        if (!row_element(at, field->type, wire + (size_t)i * fr_type_size(field->type))) {
            return FIRN_CORRUPT;
        }
    }
    return FIRN_OK;
}

// FIRN_CORRUPT when the node is nothing that the field can hold: err says nothing of it then.
static firn_result row_field(const fr_json_node *node, const fr_schema_field *field, uint8_t *row,
                             firn_buffer *scratch, firn_error *err)
{
    uint8_t *wire = row + field->offset;
    if (field->count == 0) {
        return row_element(node, field->type, wire) ? FIRN_OK : FIRN_CORRUPT;
    }
    return field->type == FIRN_CHAR ? row_chars(node, field->count, wire, scratch, err)
                                    : row_array(node, field, wire);
}

// ---- rows

static firn_result refuse_member(const fr_json_node *node, const char *component, const char *field,
                                 size_t size, const char *why, firn_error *err)
{
    char name[128];
    fr_printable(name, sizeof name, field, size);
    return fr_fail_at(err, FIRN_CORRUPT, node->offset, component, "%s.%s %s", component, name, why);
}

static firn_result read_bytes_row(const fr_json_node *node, const fr_schema *schema,
                                  const char *component, firn_buffer *out, firn_error *err)
{
    size_t start = out->size;
    firn_result result = fr_json_read_base64(node, out, err);
    if (result == FIRN_OK && out->size - start != schema->size) {
        char why[80];
        snprintf(why, sizeof why, "a row has %u bytes, not %zu", schema->size, out->size - start);
        out->size = start;
        return fr_json_refuse(node, component, why, err);
    }
    return result;
}

// The field of a member: mostly the next one. Pairs stand in the order of the fields.
static const fr_schema_field *find_field(const fr_schema *schema, const fr_json_members *members,
                                         uint32_t place)
{
    const fr_schema_field *next = &schema->fields[place];
    if (place < schema->field_count && next->name_size == members->key_size &&
        memcmp(next->name, members->key, members->key_size) == 0) {
        return next;
    }
    const fr_field_name *found =
        members->pairs ? NULL
                       : fr_field_names_find(&schema->names, members->key, members->key_size);
    return found != NULL ? &schema->fields[found->field] : NULL;
}

static firn_result row_fields(const fr_json_node *node, const fr_schema *schema,
                              const char *component, uint8_t *row, firn_buffer *scratch,
                              firn_error *err)
{
    fr_json_members members;
    firn_result result = fr_json_members_begin(&members, node, component, scratch, err);
    uint32_t count = 0;
    for (; result == FIRN_OK && fr_json_members_next(&members, &result, err); count++) {
        const fr_schema_field *field = find_field(schema, &members, count);
        if (field == NULL) {
            return refuse_member(members.node, component, members.key, members.key_size,
                                 "is no field of the fingerprint, or not where it should be", err);
        }
        result = row_field(members.node, field, row, scratch, err);
        if (result == FIRN_CORRUPT) {
            return refuse_member(members.node, component, field->name, field->name_size,
                                 "has a value that its type cannot hold", err);
        }
    }
    if (result == FIRN_OK && count != schema->field_count) {
        return fr_json_refuse(node, component, "a field is missing", err);
    }
    return result;
}

firn_result fr_json_read_row(const fr_json_node *node, const fr_schema *schema,
                             const char *component, firn_buffer *out, firn_error *err)
{
    const fr_json_node *bytes = fr_json_tagged(node, "$bytes");
    if (bytes != NULL) {
        return read_bytes_row(bytes, schema, component, out, err);
    }
    if (schema->field_count == 0) {
        return fr_json_refuse(node, component, "the fingerprint is not understood: a row is $bytes",
                              err);
    }
    firn_result result = firn_buffer_reserve(out, schema->size, err);
    if (result != FIRN_OK) {
        return result;
    }
    firn_buffer scratch;
    firn_buffer_init(&scratch, &out->allocator);
    uint8_t *row = out->data + out->size;
    memset(row, 0, schema->size);
    result = row_fields(node, schema, component, row, &scratch, err);
    firn_buffer_free(&scratch);
    if (result == FIRN_OK) {
        out->size += schema->size;
    }
    return result;
}
