#include "value/encode.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "value/table.h"

/// A table that is being written: its next item.
struct encode_level {
    const firn_table *table;
    uint32_t next; ///< elements first, then places of entries
};

struct encoder {
    firn_buffer *out;
    const firn_limits *limits;
    firn_error *err;
    uint64_t *values;
    uint32_t outside; ///< tables that were open before the first level
    uint32_t depth;   ///< open levels
    struct encode_level levels[FIRN_DEPTH_MAX];
};

static inline firn_result encode_reserve(firn_buffer *out, size_t size, firn_error *err)
{
    return size <= out->capacity - out->size ? FIRN_OK : firn_buffer_reserve(out, size, err);
}

static firn_result encode_string(struct encoder *encoder, const firn_value *value)
{
    uint32_t length = value->length;
    if (length > encoder->limits->string_bytes || length > FR_STRING_BYTES_MAX) {
        return fr_fail(encoder->err, FIRN_LIMIT, NULL,
                       "a string of %" PRIu32 " bytes, the limit is %" PRIu64, length,
                       encoder->limits->string_bytes);
    }
    firn_buffer *out = encoder->out;
    firn_result result = encode_reserve(out, (size_t)length + FR_COUNT_BYTES_MAX, encoder->err);
    if (result != FIRN_OK) {
        return result;
    }
    uint8_t *at = fr_put_count(out->data + out->size, length + FR_TAG_STRING);
    if (length > 0) {
        memcpy(at, value->as.string, length);
    }
    out->size = (size_t)(at - out->data) + length;
    return FIRN_OK;
}

/// Writes entries of a shared list from this place on, as far as keys are short and values are
/// scalars. Returns the place of the first other one. There may be no memory for so many at once,
/// or a limit below what is short: then it writes none.
static uint32_t encode_row(const struct encoder *encoder, const firn_table *table, uint32_t place)
{
    firn_buffer *out = encoder->out;
    const firn_wire_key *wire = table->keys->wire;
    uint32_t end = table->keys->count;
    size_t most = (end - place) * (size_t)FR_WIRE_PAIR_BYTES;
    if (encoder->limits->string_bytes < FR_WIRE_KEY_BYTES ||
        encode_reserve(out, most, NULL) != FIRN_OK) {
        return place;
    }
    uint8_t *at = out->data + out->size;
    for (; place < end; place++) {
        uint32_t entry = wire[place].ordered;
        if (entry >= table->entries) {
            continue;
        }
        if (wire[entry].size == 0) {
            break;
        }
        uint8_t *behind = fr_put_wire_pair(at, &wire[entry], &table->values[entry]);
        if (behind == NULL) {
            break;
        }
        at = behind;
    }
    out->size = (size_t)(at - out->data);
    return place;
}

/// The head of a table; a table of which more is to come becomes the newest level.
static firn_result encode_table(struct encoder *encoder, const firn_table *table)
{
    const firn_limits *limits = encoder->limits;
    if (encoder->outside + encoder->depth >= limits->depth) {
        return fr_fail(encoder->err, FIRN_LIMIT, NULL,
                       "more than %" PRIu32 " tables inside each other", limits->depth);
    }
    uint32_t entries = table->entries;
    uint64_t items = (uint64_t)table->count + 2 * (uint64_t)entries;
    if (items > limits->tree_values - *encoder->values) {
        return fr_fail(encoder->err, FIRN_LIMIT, NULL, "more than %" PRIu64 " values in one",
                       limits->tree_values);
    }
    *encoder->values += items;
    firn_result result = encode_reserve(encoder->out, 1 + 2 * FR_COUNT_BYTES_MAX, encoder->err);
    if (result != FIRN_OK) {
        return result;
    }
    uint8_t *at = encoder->out->data + encoder->out->size;
    *at++ = (uint8_t)(FR_TAG_TABLE + (table->count > 0 ? 4 : 0) + (entries > 0 ? 1 : 0));
    if (table->count > 0) {
        at = fr_put_count(at, table->count + 1);
    }
    if (entries > 0) {
        at = fr_put_count(at, entries);
    }
    encoder->out->size = (size_t)(at - encoder->out->data);
    uint32_t next = 0;
    if (entries > 0 && table->keys->wire != NULL) {
        next = table->count == 0 ? encode_row(encoder, table, 0) : 0;
    } else if (entries > 0) {
        fr_table_sort(table);
    }
    if (next < table->count + fr_table_places(table)) {
        encoder->levels[encoder->depth++] = (struct encode_level){table, next};
    }
    return FIRN_OK;
}

static firn_result encode_scalar(struct encoder *encoder, const firn_value *value)
{
    firn_buffer *out = encoder->out;
    firn_result result = encode_reserve(out, FR_SCALAR_BYTES_MAX, encoder->err);
    if (result != FIRN_OK) {
        return result;
    }
    uint8_t *end = fr_put_scalar(out->data + out->size, value);
    if (end == NULL) {
        return fr_fail(encoder->err, FIRN_INVALID, NULL, "%d is no kind of value",
                       (int)value->kind);
    }
    out->size = (size_t)(end - out->data);
    return FIRN_OK;
}

static firn_result encode_item(struct encoder *encoder, const firn_value *value)
{
    if (value->kind == FIRN_VALUE_STRING) {
        return encode_string(encoder, value);
    }
    if (value->kind == FIRN_VALUE_TABLE) {
        return encode_table(encoder, value->as.table);
    }
    return encode_scalar(encoder, value);
}

/// The elements up to one that opens a level.
static firn_result encode_elements(struct encoder *encoder, struct encode_level *level)
{
    const firn_table *table = level->table;
    uint32_t depth = encoder->depth;
    firn_result result = FIRN_OK;
    while (result == FIRN_OK && encoder->depth == depth && level->next < table->count) {
        result = encode_item(encoder, &table->items[level->next++]);
    }
    return result;
}

/// Entries up to one that opens a level; closes the level behind the last.
static firn_result encode_entries(struct encoder *encoder, struct encode_level *level)
{
    const firn_table *table = level->table;
    uint32_t end = table->count + fr_table_places(table);
    uint32_t depth = encoder->depth;
    firn_result result = FIRN_OK;
    while (result == FIRN_OK && encoder->depth == depth) {
        if (level->next < end && table->keys->wire != NULL) {
            level->next = table->count + encode_row(encoder, table, level->next - table->count);
        }
        if (level->next == end) {
            encoder->depth -= 1;
            break;
        }
        uint32_t entry = fr_table_entry_at(table, level->next++ - table->count);
        if (entry >= table->entries) {
            continue;
        }
        result = encode_item(encoder, &table->keys->keys[entry]);
        if (result == FIRN_OK) {
            result = encode_item(encoder, &table->values[entry]);
        }
    }
    return result;
}

static firn_result encode_levels(struct encoder *encoder)
{
    firn_result result = FIRN_OK;
    while (encoder->depth > 0 && result == FIRN_OK) {
        struct encode_level *level = &encoder->levels[encoder->depth - 1];
        result = level->next < level->table->count ? encode_elements(encoder, level)
                                                   : encode_entries(encoder, level);
    }
    return result;
}

/// Adds the items that the open levels were at.
static void encode_path(const struct encoder *encoder, fr_path *path)
{
    for (uint32_t i = 0; i < encoder->depth; i++) {
        const struct encode_level *level = &encoder->levels[i];
        uint32_t at = level->next - 1;
        if (at < level->table->count) {
            fr_path_index(path, (uint64_t)at + 1);
        } else {
            uint32_t entry = fr_table_entry_at(level->table, at - level->table->count);
            fr_path_key(path, &level->table->keys->keys[entry]);
        }
    }
}

firn_result fr_value_encode_inside(const firn_value *value, uint32_t depth, uint64_t *values,
                                   const firn_limits *limits, firn_buffer *out, fr_path *path,
                                   firn_error *err)
{
    size_t start = out->size;
    struct encoder encoder;
    encoder.out = out;
    encoder.limits = limits;
    encoder.err = err;
    encoder.values = values;
    encoder.outside = depth;
    encoder.depth = 0;
    firn_result result = encode_item(&encoder, value);
    if (result == FIRN_OK) {
        result = encode_levels(&encoder);
    }
    if (result == FIRN_OK) {
        return FIRN_OK;
    }
    out->size = start;
    if (path != NULL) {
        encode_path(&encoder, path);
    }
    return result;
}

firn_result firn_value_encode(const firn_value *value, const firn_limits *limits, firn_buffer *out,
                              firn_error *err)
{
    if (value == NULL || out == NULL) {
        return fr_fail(err, FIRN_INVALID, value == NULL ? "value" : "out", "%s is NULL",
                       value == NULL ? "the value" : "the buffer");
    }
    firn_limits bounds;
    firn_result result = fr_limits_resolve(limits, &bounds, err);
    if (result != FIRN_OK) {
        return result;
    }
    uint64_t values = 1;
    firn_error failure;
    char text[sizeof failure.subject];
    fr_path path;
    fr_path_begin(&path, text, sizeof text);
    result = fr_value_encode_inside(value, 0, &values, &bounds, out, &path, &failure);
    if (result == FIRN_OK || err == NULL) {
        return result;
    }
    memcpy(failure.subject, text, sizeof text);
    return fr_fail_copy(err, &failure);
}
