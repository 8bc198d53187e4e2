#include "cli/field.h"

#include <assert.h>
#include <string.h>

uint32_t fr_cli_field_elements(const firn_image_field *field)
{
    return field->count == 0 || field->type == FIRN_CHAR ? 1 : field->count;
}

// Little-endian, wherever it runs.
static uint64_t load_bits(const uint8_t *at, uint32_t size)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < size; i++) {
        bits |= (uint64_t)at[i] << (8 * i);
    }
    return bits;
}

static int64_t with_sign(uint64_t bits, uint32_t size)
{
    assert(size > 0 && size <= 8);
    uint64_t sign = UINT64_C(1) << (8 * size - 1);
    uint64_t wide = (bits ^ sign) - sign;
    int64_t value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Of what is no number, each bit counts: a conversion may change some.
static double double_of_single(uint32_t bits)
{
    if ((bits & UINT32_C(0x7f800000)) == UINT32_C(0x7f800000)) {
        return double_of((uint64_t)(bits & UINT32_C(0x80000000)) << 32 |
                         UINT64_C(0x7ff0000000000000) |
                         (uint64_t)(bits & UINT32_C(0x007fffff)) << 29);
    }
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static firn_value field_number(double number)
{
    return (firn_value){.kind = FIRN_VALUE_NUMBER, .as.number = number};
}

static firn_value field_text(const char *text, size_t size)
{
    while (size > 0 && text[size - 1] == 0) {
        size--;
    }
    return (firn_value){.kind = FIRN_VALUE_STRING, .length = (uint32_t)size, .as.string = text};
}

firn_value fr_cli_field_value(const firn_image_field *field, const void *row, uint32_t element)
{
    const uint8_t *bytes = (const uint8_t *)row + field->offset;
    if (field->type == FIRN_CHAR && field->count > 0) {
        return field_text((const char *)bytes, field->size);
    }
    uint32_t size = field->size / (field->count > 0 ? field->count : 1);
    uint64_t bits = load_bits(bytes + (size_t)element * size, size);
    switch (field->type) {
    case FIRN_BOOL:
        return (firn_value){.kind = FIRN_VALUE_BOOL, .as.boolean = bits != 0};
    case FIRN_F32:
        return field_number(double_of_single((uint32_t)bits));
    case FIRN_F64:
    case FIRN_ENTITY_NUMBER:
        return field_number(double_of(bits));
    case FIRN_I64:
        return (firn_value){.kind = FIRN_VALUE_INT64, .as.int64 = with_sign(bits, size)};
    case FIRN_U64:
    case FIRN_ENTITY:
        return (firn_value){.kind = FIRN_VALUE_UINT64, .as.uint64 = bits};
    case FIRN_I8:
    case FIRN_I16:
    case FIRN_I32:
    case FIRN_CHAR:
        return field_number((double)with_sign(bits, size));
    default:
        return field_number((double)bits);
    }
}

firn_result fr_cli_field_print(const firn_image_field *field, const void *row, firn_buffer *out,
                               firn_error *err)
{
    const firn_print_options options = {.floats = field->type == FIRN_F32};
    uint32_t elements = fr_cli_field_elements(field);
    bool is_array = field->count > 0 && field->type != FIRN_CHAR;
    size_t start = out->size;
    firn_result result = is_array ? firn_buffer_append(out, "{", 1, err) : FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < elements; i++) {
        const firn_value value = fr_cli_field_value(field, row, i);
        result = i > 0 ? firn_buffer_append(out, ", ", 2, err) : FIRN_OK;
        if (result == FIRN_OK) {
            result = firn_value_print(&value, &options, out, err);
        }
    }
    if (result == FIRN_OK && is_array) {
        result = firn_buffer_append(out, "}", 1, err);
    }
    if (result != FIRN_OK) {
        out->size = start;
    }
    return result;
}
