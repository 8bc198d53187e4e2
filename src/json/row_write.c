#include <assert.h>
#include <string.h>

#include "buffer/bytes.h"
#include "json/row.h"

bool fr_json_row_is_plain(const fr_schema *schema)
{
    for (uint32_t i = 0; i < schema->field_count; i++) {
        if (!fr_json_is_key(schema->fields[i].name, schema->fields[i].name_size)) {
            return false;
        }
    }
    return true;
}

static uint32_t field_elements(const fr_schema_field *field)
{
    return field->count > 0 ? field->count : 1;
}

bool fr_json_row_has_no_gaps(const fr_schema *schema, const uint8_t *row)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < schema->field_count; i++) {
        const fr_schema_field *field = &schema->fields[i];
        if (end + fr_leading_zeros(row + end, field->offset - end) < field->offset) {
            return false;
        }
        end = field->offset + fr_type_size(field->type) * field_elements(field);
    }
    return end + fr_leading_zeros(row + end, schema->size - end) == schema->size;
}

// The integer of a type of so many bytes, sign and all.
static uint64_t load_integer(const uint8_t *wire, uint32_t size, bool negative)
{
    assert(size > 0 && size <= 8);
    uint64_t value = 0;
    for (uint32_t i = 0; i < size; i++) {
        value |= (uint64_t)wire[i] << (8 * i);
    }
    uint64_t sign = UINT64_C(1) << (8 * size - 1);
    return negative ? (value ^ sign) - sign : value;
}

static void put_element(fr_json_text *text, firn_type type, const uint8_t *wire)
{
    uint32_t size = fr_type_size(type);
    switch (fr_type_plain(type)) {
    case FIRN_BOOL:
        fr_json_put_bool(text, *wire != 0);
        break;
    case FIRN_F32: {
        uint32_t bits = fr_load_u32(wire);
        float value;
        memcpy(&value, &bits, sizeof value);
        fr_json_put_number_f32(text, value);
        break;
    }
    case FIRN_F64:
        fr_json_put_number(text, fr_load_f64(wire));
        break;
    case FIRN_I8:
    case FIRN_I16:
    case FIRN_I32:
    case FIRN_I64:
        fr_json_put_signed(text, (int64_t)load_integer(wire, size, true));
        break;
    default:
        fr_json_put_unsigned(text, load_integer(wire, size, false));
    }
}

static void put_chars(fr_json_text *text, const uint8_t *chars, uint32_t count)
{
    uint32_t size = count;
    while (size > 0 && chars[size - 1] == 0) {
        size--;
    }
    if (fr_json_is_text(chars, size)) {
        fr_json_put_text(text, chars, size);
    } else {
        fr_json_put_bytes(text, "$bytes", chars, count);
    }
}

static void put_field(fr_json_text *text, const fr_schema_field *field, const uint8_t *row)
{
    const uint8_t *wire = row + field->offset;
    if (field->count == 0) {
        put_element(text, field->type, wire);
        return;
    }
    if (field->type == FIRN_CHAR) {
        put_chars(text, wire, field->count);
        return;
    }
    fr_json_put(text, "[");
    for (uint32_t i = 0; i < field->count; i++) {
        fr_json_put(text, i > 0 ? "," : "");
        put_element(text, field->type, wire + (size_t)i * fr_type_size(field->type));
    }
    fr_json_put(text, "]");
}

void fr_json_put_row(fr_json_text *text, const fr_schema *schema, bool plain, const uint8_t *row)
{
    fr_json_open(text, plain);
    for (uint32_t i = 0; i < schema->field_count; i++) {
        const fr_schema_field *field = &schema->fields[i];
        fr_json_open_member(text, plain, i == 0, field->name, field->name_size);
        put_field(text, field, row);
        fr_json_close_member(text, plain);
    }
    fr_json_close(text, plain);
}
