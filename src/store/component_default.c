// The default row of a component.
#include "store/component.h"

#include "base/alloc.h"
#include "base/error.h"
#include "store/leaves.h"

#include <stdio.h>
#include <string.h>

static firn_result check_default_bool(const firn_component_desc *desc, const char *subject,
                                      uint8_t byte, firn_error *err)
{
    if (byte <= 1) {
        return FIRN_OK;
    }
    return fr_fail(err, FIRN_INVALID, subject,
                   "the default row of the component \"%s\" has a bool of %u, neither 0 nor 1",
                   desc->name, byte);
}

// Field by field, so that padding is zero.
static firn_result copy_struct_default(const firn_component_desc *desc, fr_component *component,
                                       firn_error *err)
{
    const fr_layout *layout = &component->layout;
    size_t row;
    uint32_t leaf;
    if (!fr_layout_check_rows(layout, desc->default_row, 1, &row, &leaf)) {
        const fr_leaf *bad = &layout->leaves[leaf];
        const uint8_t *byte = (const uint8_t *)desc->default_row + bad->memory_offset;
        while (*byte <= 1) {
            byte++;
        }
        char subject[FR_FIELD_SUBJECT_BYTES];
        return check_default_bool(desc, fr_field_subject(subject, desc->name, bad->name), *byte,
                                  err);
    }
    for (uint32_t i = 0; i < layout->leaf_count; i++) {
        const fr_leaf *copied = &layout->leaves[i];
        memcpy((uint8_t *)component->default_row + copied->memory_offset,
               (const uint8_t *)desc->default_row + copied->memory_offset, fr_leaf_size(copied));
    }
    return FIRN_OK;
}

static firn_result copy_plain_default(const firn_component_desc *desc, fr_component *component,
                                      firn_error *err)
{
    if (desc->default_row == NULL) {
        return FIRN_OK;
    }
    if (component->kind == FIRN_STRUCT || component->kind == FIRN_RELATION) {
        return copy_struct_default(desc, component, err);
    }
    memcpy(component->default_row, desc->default_row, component->stride);
    if (component->kind == FIRN_NUMBER) {
        return FIRN_OK;
    }
    return check_default_bool(desc, desc->name, *(const uint8_t *)component->default_row, err);
}

// Encodes the default of a string or value into `encoded`.
static firn_result encode_default(const firn_component_desc *desc, const firn_limits *limits,
                                  firn_buffer *encoded, firn_error *err)
{
    if (desc->default_value == NULL) {
        firn_writer writer;
        firn_writer_begin(&writer, encoded, limits);
        if (desc->kind == FIRN_STRING) {
            firn_write_string(&writer, "", 0);
        } else {
            firn_write_table(&writer, 0, 0);
        }
        return firn_writer_end(&writer, err);
    }
    firn_value_kind kind = desc->default_value->kind;
    if (desc->kind == FIRN_STRING && kind != FIRN_VALUE_STRING) {
        return fr_fail(err, FIRN_INVALID, desc->name,
                       "the default value of the component \"%s\" is no string", desc->name);
    }
    if (kind == FIRN_VALUE_NIL) {
        return fr_fail(err, FIRN_INVALID, desc->name,
                       "the default value of the component \"%s\" is nil", desc->name);
    }
    firn_error why;
    firn_result result = firn_value_encode(desc->default_value, limits, encoded, &why);
    if (result != FIRN_OK) {
        // The subject of `why` is the path to the place in the value, like `.items[3]`.
        char text[2 * FR_FIELD_SUBJECT_BYTES];
        snprintf(text, sizeof text, "%s%s", desc->name, why.subject);
        return fr_fail(err, result, text, "%s", why.message);
    }
    return FIRN_OK;
}

static firn_result copy_value_default(const firn_allocator *allocator,
                                      const firn_component_desc *desc, const firn_limits *limits,
                                      fr_component *component, firn_error *err)
{
    firn_buffer encoded;
    firn_buffer_init(&encoded, allocator);
    firn_result result = encode_default(desc, limits, &encoded, err);
    if (result == FIRN_OK && encoded.size > UINT32_MAX) {
        result = fr_fail(err, FIRN_LIMIT, desc->name,
                         "the default value of the component \"%s\" has %zu bytes, more than 4 GiB",
                         desc->name, encoded.size);
    }
    if (result == FIRN_OK &&
        !fr_blob_make(allocator, encoded.data, (uint32_t)encoded.size, component->default_row)) {
        result = fr_fail_memory(err, "a default value");
    }
    firn_buffer_free(&encoded);
    return result;
}

firn_result fr_component_make_default(const firn_allocator *allocator,
                                      const firn_component_desc *desc, const firn_limits *limits,
                                      fr_component *component, firn_error *err)
{
    if (component->stride == 0) {
        return FIRN_OK;
    }
    uint32_t size = fr_component_default_size(component);
    component->default_row = fr_alloc_zero(allocator, size, 1, component->align);
    if (component->default_row == NULL) {
        return fr_fail_memory(err, "a default row");
    }
    bool value_row = component->kind == FIRN_STRING || component->kind == FIRN_VALUE;
    firn_result result = value_row ? copy_value_default(allocator, desc, limits, component, err)
                                   : copy_plain_default(desc, component, err);
    const uint8_t *bytes = component->default_row;
    component->default_zero = true;
    for (uint32_t i = 0; i < size; i++) {
        component->default_zero = component->default_zero && bytes[i] == 0;
    }
    return result;
}
