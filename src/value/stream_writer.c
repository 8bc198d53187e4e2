#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "buffer/bytes.h"
#include "value/encode.h"
#include "value/stream.h"

/// The key that begins at `at` in canonical encoding, as a value that points to the bytes.
static firn_value written_key(const uint8_t *at, const uint8_t *end)
{
    fr_in in = {at, at, end};
    const char *text;
    size_t size;
    if (fr_in_encoded_string(&in, "key", UINT32_MAX, &text, &size, NULL) == FIRN_OK) {
        return (firn_value){.kind = FIRN_VALUE_STRING, .length = (uint32_t)size, .as.string = text};
    }
    if (*at == FR_TAG_NUMBER) {
        return (firn_value){.kind = FIRN_VALUE_NUMBER, .as.number = fr_load_f64(at + 1)};
    }
    return (firn_value){.kind = FIRN_VALUE_BOOL, .as.boolean = *at == FR_TAG_TRUE};
}

static void path_level(fr_path *path, const firn_writer *writer, const firn_level *level)
{
    if (level->left > level->map_items) {
        fr_path_index(path, level->items - level->left + 1);
    } else if (!fr_level_at_key(level)) {
        const firn_buffer *buffer = writer->buffer;
        firn_value key = written_key(buffer->data + level->last_key, buffer->data + buffer->size);
        fr_path_key(path, &key);
    }
}

void fr_writer_path(const firn_writer *writer, fr_path *path, char *text, size_t capacity)
{
    fr_path_begin(path, text, capacity);
    for (uint32_t i = 1; i < writer->depth; i++) {
        firn_level level = writer->outer[i];
        level.left += 1; // the path leads to the table that is open in it
        path_level(path, writer, &level);
    }
    if (writer->depth > 0) {
        path_level(path, writer, &writer->level);
    }
}

void fr_writer_fail(firn_writer *writer, firn_result code, const char *message)
{
    if (writer->error.code != FIRN_OK) {
        return;
    }
    char text[sizeof writer->error.subject];
    fr_path path;
    fr_writer_path(writer, &path, text, sizeof text);
    fr_fail(&writer->error, code, text, "%s", message);
}

uint8_t *fr_writer_grow(firn_writer *writer, size_t need)
{
    if (writer->error.code != FIRN_OK) {
        return NULL;
    }
    firn_buffer *buffer = writer->buffer;
    if (firn_buffer_reserve(buffer, need, &writer->error) != FIRN_OK) {
        return NULL;
    }
    return buffer->data + buffer->size;
}

void fr_writer_close(firn_writer *writer)
{
    while (writer->level.left == 0 && writer->depth > 0) {
        writer->depth -= 1;
        writer->level = writer->outer[writer->depth];
    }
    if (writer->level.left == 0) {
        writer->written += 1;
        writer->values = 1;
        writer->level.left = 1;
    }
}

static void writer_fail_order(firn_writer *writer, const uint8_t *last, const uint8_t *key,
                              size_t size)
{
    char before[96];
    char now[96];
    char message[256];
    firn_value last_value = written_key(last, key);
    firn_value value = written_key(key, key + size);
    snprintf(message, sizeof message, "the key %s comes after %s, and keys ascend",
             fr_key_text(now, sizeof now, &value), fr_key_text(before, sizeof before, &last_value));
    fr_writer_fail(writer, FIRN_INVALID, message);
}

static inline bool is_short_string(uint8_t tag)
{
    return tag > FR_TAG_STRING && tag < FR_COUNT_TWO;
}

/// Most keys are short strings that differ in the first byte.
static inline bool key_ascends(const uint8_t *last, const uint8_t *key)
{
    if (is_short_string(last[0]) && is_short_string(key[0]) && last[1] != key[1]) {
        return last[1] < key[1];
    }
    return fr_encoded_key_compare(last, key) < 0;
}

/// A complete key of `size` bytes stands behind the buffer's end: keeps it when it sorts after the
/// one before.
static inline void writer_take_key(firn_writer *writer, size_t size)
{
    firn_buffer *buffer = writer->buffer;
    firn_level *level = &writer->level;
    const uint8_t *key = buffer->data + buffer->size;
    if (level->last_key != 0 && !key_ascends(buffer->data + level->last_key, key)) {
        writer_fail_order(writer, buffer->data + level->last_key, key, size);
        return;
    }
    level->last_key = buffer->size;
    buffer->size += size;
    level->left -= 1;
}

void firn_writer_begin(firn_writer *writer, firn_buffer *buffer, const firn_limits *limits)
{
    if (writer == NULL) {
        return;
    }
    writer->buffer = buffer;
    writer->level = fr_level_top();
    writer->depth = 0;
    writer->start = buffer != NULL ? buffer->size : 0;
    writer->values = 1;
    writer->written = 0;
    writer->error.code = FIRN_OK;
    if (buffer == NULL) {
        fr_fail(&writer->error, FIRN_INVALID, "buffer", "the buffer is NULL");
    } else {
        fr_limits_resolve(limits, &writer->limits, &writer->error);
    }
}

// Only as much of it as there is to read: an error is large, and writers are many.
static void note_ended(firn_error *error)
{
    static const char subject[] = "writer", message[] = "the writer has ended";
    error->code = FIRN_INVALID;
    error->offset = FIRN_NO_OFFSET;
    error->entity = 0;
    memcpy(error->subject, subject, sizeof subject);
    memcpy(error->message, message, sizeof message);
}

firn_result firn_writer_end(firn_writer *writer, firn_error *err)
{
    if (writer == NULL) {
        return fr_fail(err, FIRN_INVALID, "writer", "the writer is NULL");
    }
    if (writer->error.code == FIRN_OK && writer->depth > 0) {
        char message[96];
        snprintf(message, sizeof message, "the table lacks %" PRIu64 " of %" PRIu64 " items",
                 writer->level.left, writer->level.items);
        fr_writer_fail(writer, FIRN_INVALID, message);
    }
    firn_result result = writer->error.code;
    if (result != FIRN_OK) {
        fr_fail_copy(err, &writer->error);
        if (writer->buffer != NULL) {
            writer->buffer->size = writer->start;
        }
    }
    // The buffer is its owner's again: what comes late fails and does not touch it.
    writer->buffer = NULL;
    note_ended(&writer->error);
    return result;
}

/// Refuses what is never a key; true when the item may be written.
static bool writer_no_key(firn_writer *writer, const char *message)
{
    if (!fr_level_at_key(&writer->level)) {
        return true;
    }
    fr_writer_fail(writer, FIRN_INVALID, message);
    return false;
}

void firn_write_nil(firn_writer *writer)
{
    uint8_t *at = fr_writer_room(writer, 1);
    if (at == NULL) {
        return;
    }
    if (writer->depth > 0) {
        fr_writer_fail(writer, FIRN_INVALID, "nil inside a table");
        return;
    }
    *at = FR_TAG_NIL;
    fr_writer_done(writer, 1);
}

void firn_write_bool(firn_writer *writer, bool value)
{
    uint8_t *at = fr_writer_room(writer, 1);
    if (at == NULL) {
        return;
    }
    *at = value ? FR_TAG_TRUE : FR_TAG_FALSE;
    if (fr_level_at_key(&writer->level)) {
        writer_take_key(writer, 1);
    } else {
        fr_writer_done(writer, 1);
    }
}

static void write_number_key(firn_writer *writer, uint8_t *at, double value)
{
    uint64_t array_count = writer->level.items - writer->level.map_items;
    if (value != value) {
        fr_writer_fail(writer, FIRN_INVALID, "a key is NaN");
        return;
    }
    if (value >= 1 && value <= (double)array_count + 1 && value == (double)(uint64_t)value) {
        char message[96];
        snprintf(message, sizeof message,
                 "the key %.0f belongs to the array part, which has %" PRIu64 " elements", value,
                 array_count);
        fr_writer_fail(writer, FIRN_INVALID, message);
        return;
    }
    fr_put_number(at, value == 0 ? 0 : value);
    writer_take_key(writer, 9);
}

void firn_write_number(firn_writer *writer, double value)
{
    uint8_t *at = fr_writer_room(writer, 9);
    if (at == NULL) {
        return;
    }
    if (fr_level_at_key(&writer->level)) {
        write_number_key(writer, at, value);
        return;
    }
    fr_put_number(at, value);
    fr_writer_done(writer, 9);
}

static void write_word(firn_writer *writer, uint8_t tag, uint64_t word)
{
    uint8_t *at = fr_writer_room(writer, 9);
    if (at == NULL || !writer_no_key(writer, "a key is a 64-bit integer")) {
        return;
    }
    *at = tag;
    fr_store_u64(at + 1, word);
    fr_writer_done(writer, 9);
}

void firn_write_int64(firn_writer *writer, int64_t value)
{
    write_word(writer, FR_TAG_INT64, (uint64_t)value);
}

void firn_write_uint64(firn_writer *writer, uint64_t value)
{
    write_word(writer, FR_TAG_UINT64, value);
}

void firn_write_complex(firn_writer *writer, double re, double im)
{
    uint8_t *at = fr_writer_room(writer, 17);
    if (at == NULL || !writer_no_key(writer, "a key is a complex number")) {
        return;
    }
    *at = FR_TAG_COMPLEX;
    fr_store_u64(at + 1, fr_canonical_bits(re));
    fr_store_u64(at + 9, fr_canonical_bits(im));
    fr_writer_done(writer, 17);
}

static void writer_fail_string(firn_writer *writer, const void *bytes, size_t size)
{
    char message[96];
    if (bytes == NULL && size > 0) {
        snprintf(message, sizeof message, "a string of %zu bytes at NULL", size);
    } else {
        snprintf(message, sizeof message, "a string of %zu bytes, the limit is %" PRIu64, size,
                 writer->limits.string_bytes);
    }
    fr_writer_fail(writer, bytes == NULL && size > 0 ? FIRN_INVALID : FIRN_LIMIT, message);
}

/// memcpy for what is mostly a few bytes: the call would take longer than the copy.
static inline void copy_few(uint8_t *to, const uint8_t *from, size_t size)
{
    if (size > 16) {
        memcpy(to, from, size);
    } else if (size >= 8) {
        memcpy(to, from, 8);
        memcpy(to + size - 8, from + size - 8, 8);
    } else if (size >= 4) {
        memcpy(to, from, 4);
        memcpy(to + size - 4, from + size - 4, 4);
    } else if (size > 0) {
        to[0] = from[0];
        to[size / 2] = from[size / 2];
        to[size - 1] = from[size - 1];
    }
}

void firn_write_string(firn_writer *writer, const void *bytes, size_t size)
{
    if (writer == NULL || writer->error.code != FIRN_OK) {
        return;
    }
    if (size > writer->limits.string_bytes || size > FR_STRING_BYTES_MAX ||
        (bytes == NULL && size > 0)) {
        writer_fail_string(writer, bytes, size);
        return;
    }
    uint8_t *start = fr_writer_room(writer, size + FR_COUNT_BYTES_MAX);
    if (start == NULL) {
        return;
    }
    uint8_t *at = fr_put_count(start, (uint32_t)size + FR_TAG_STRING);
    copy_few(at, bytes, size);
    size += (size_t)(at - start);
    if (fr_level_at_key(&writer->level)) {
        writer_take_key(writer, size);
    } else {
        fr_writer_done(writer, size);
    }
}

void firn_write_text(firn_writer *writer, const char *text)
{
    if (text != NULL) {
        firn_write_string(writer, text, strlen(text));
    } else if (writer != NULL) {
        fr_writer_fail(writer, FIRN_INVALID, "a text at NULL");
    }
}

/// Whatever keeps a table of so many items from being written here.
static void writer_fail_table(firn_writer *writer)
{
    char message[96];
    if (!writer_no_key(writer, "a key is a table")) {
        return;
    }
    if (writer->depth >= writer->limits.depth) {
        snprintf(message, sizeof message, "more than %" PRIu32 " tables inside each other",
                 writer->limits.depth);
    } else {
        snprintf(message, sizeof message, "more than %" PRIu64 " values in one",
                 writer->limits.tree_values);
    }
    fr_writer_fail(writer, FIRN_LIMIT, message);
}

void firn_write_table(firn_writer *writer, uint32_t array_count, uint32_t map_count)
{
    uint8_t *start = fr_writer_room(writer, 1 + 2 * FR_COUNT_BYTES_MAX);
    uint64_t map_items = 2 * (uint64_t)map_count;
    uint64_t items = array_count + map_items;
    if (start == NULL) {
        return;
    }
    if (fr_level_at_key(&writer->level) || writer->depth >= writer->limits.depth ||
        items > writer->limits.tree_values - writer->values) {
        writer_fail_table(writer);
        return;
    }
    uint8_t *at = start + 1;
    *start = (uint8_t)(FR_TAG_TABLE + (array_count > 0 ? 4 : 0) + (map_count > 0 ? 1 : 0));
    if (array_count > 0) {
        at = fr_put_count(at, array_count + 1);
    }
    if (map_count > 0) {
        at = fr_put_count(at, map_count);
    }
    if (items == 0) {
        fr_writer_done(writer, 1);
        return;
    }
    writer->buffer->size += (size_t)(at - start);
    writer->values += items;
    fr_level_put_aside(&writer->outer[writer->depth++], &writer->level);
    writer->level = (firn_level){items, map_items, items, 0};
}

static void write_tree(firn_writer *writer, const firn_value *value)
{
    if (!writer_no_key(writer, "a key is a table")) {
        return;
    }
    char text[sizeof writer->error.subject];
    fr_path path;
    fr_writer_path(writer, &path, text, sizeof text);
    firn_result result =
        fr_value_encode_inside(value, writer->depth, &writer->values, &writer->limits,
                               writer->buffer, &path, &writer->error);
    if (result == FIRN_OK) {
        fr_writer_done(writer, 0);
    } else {
        memcpy(writer->error.subject, text, sizeof text);
    }
}

void firn_write_value(firn_writer *writer, const firn_value *value)
{
    if (writer == NULL || writer->error.code != FIRN_OK) {
        return;
    }
    if (value == NULL) {
        fr_writer_fail(writer, FIRN_INVALID, "a value at NULL");
        return;
    }
    switch (value->kind) {
    case FIRN_VALUE_NIL:
        firn_write_nil(writer);
        break;
    case FIRN_VALUE_BOOL:
        firn_write_bool(writer, value->as.boolean);
        break;
    case FIRN_VALUE_NUMBER:
        firn_write_number(writer, value->as.number);
        break;
    case FIRN_VALUE_INT64:
        firn_write_int64(writer, value->as.int64);
        break;
    case FIRN_VALUE_UINT64:
        firn_write_uint64(writer, value->as.uint64);
        break;
    case FIRN_VALUE_COMPLEX:
        firn_write_complex(writer, value->as.complex[0], value->as.complex[1]);
        break;
    case FIRN_VALUE_STRING:
        firn_write_string(writer, value->as.string, value->length);
        break;
    default:
        write_tree(writer, value);
        break;
    }
}

void fr_writer_done_rows(firn_writer *writer, uint32_t count, size_t size)
{
    writer->buffer->size += size;
    writer->written += count;
}
