#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "value/encode.h"
#include "value/keys.h"
#include "value/stream.h"

static firn_value row_key(const char *name)
{
    size_t length = strlen(name);
    return (firn_value){
        .kind = FIRN_VALUE_STRING,
        .length = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX,
        .as.string = name,
    };
}

firn_result firn_row_keys_init(firn_row_keys *keys, const char *const *names, uint32_t count,
                               firn_error *err)
{
    if (keys == NULL || names == NULL) {
        return fr_fail(err, FIRN_INVALID, keys == NULL ? "keys" : "names", "%s NULL",
                       keys == NULL ? "keys is" : "names is");
    }
    keys->count = 0;
    keys->longest = 0;
    if (count == 0) {
        return fr_fail(err, FIRN_INVALID, "count", "a row has no key");
    }
    if (count > FIRN_ROW_KEYS_MAX) {
        return fr_fail(err, FIRN_LIMIT, "count", "a row of %u keys, the limit is %u",
                       (unsigned)count, (unsigned)FIRN_ROW_KEYS_MAX);
    }
    firn_value values[FIRN_ROW_KEYS_MAX];
    firn_wire_key wire[FIRN_ROW_KEYS_MAX];
    for (uint32_t i = 0; i < count; i++) {
        if (names[i] == NULL) {
            return fr_fail(err, FIRN_INVALID, "names", "name %u is NULL", (unsigned)i);
        }
        values[i] = row_key(names[i]);
        for (uint32_t other = 0; other < i; other++) {
            if (fr_same_key(&values[i], &values[other])) {
                char shown[64];
                fr_printable(shown, sizeof shown, names[i], values[i].length);
                return fr_fail(err, FIRN_INVALID, shown, "the name \"%s\" is there twice", shown);
            }
        }
        keys->names[i] = names[i];
        fr_wire_key_init(&wire[i], &values[i]);
        fr_wire_key_order(wire, values, i);
        uint32_t length = wire[i].size > 0 ? values[i].length : UINT32_MAX;
        keys->longest = keys->longest > length ? keys->longest : length;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint8_t number = wire[i].ordered;
        keys->wire[i] = wire[number];
        keys->wire[i].ordered = number;
    }
    keys->count = count;
    return FIRN_OK;
}

/// Whether all names have short encodings that these limits allow.
static bool row_names_fit(const firn_row_keys *keys, const firn_limits *limits)
{
    return keys->longest < FR_WIRE_KEY_BYTES && keys->longest <= limits->string_bytes;
}

// ---- writing

/// Any row, with a call for each key and value.
static void write_any_row(firn_writer *writer, const firn_row_keys *keys, const firn_value *values)
{
    uint32_t present = 0;
    for (uint32_t i = 0; i < keys->count; i++) {
        present += values[i].kind != FIRN_VALUE_NIL;
    }
    firn_write_table(writer, 0, present);
    for (uint32_t i = 0; i < keys->count; i++) {
        uint32_t number = keys->wire[i].ordered;
        if (values[number].kind != FIRN_VALUE_NIL) {
            firn_write_text(writer, keys->names[number]);
            firn_write_value(writer, &values[number]);
        }
    }
}

/// A string whose tag is one byte, where there is room for the tag and *spare more bytes; NULL: it
/// is another, or is not allowed.
static uint8_t *put_short_string(uint8_t *at, const firn_value *value, const firn_limits *limits,
                                 size_t *spare)
{
    size_t length = value->length;
    if (value->kind != FIRN_VALUE_STRING || length >= FR_COUNT_TWO - FR_TAG_STRING ||
        length > limits->string_bytes || length > *spare || value->as.string == NULL) {
        return NULL;
    }
    *spare -= length;
    *at = (uint8_t)(FR_TAG_STRING + length);
    memcpy(at + 1, value->as.string, length);
    return at + 1 + length;
}

/// The pairs of a row at `at`, where there is room for scalars and *spare more bytes; *pairs is
/// their number. NULL: a value is neither a scalar nor a short string.
static inline uint8_t *put_pairs(uint8_t *at, const firn_row_keys *keys, const firn_value *values,
                                 const firn_limits *limits, size_t spare, uint32_t *pairs)
{
    const firn_wire_key *key = keys->wire;
    const firn_wire_key *end = key + keys->count;
    uint32_t absent = 0;
    for (; key != end; key++) {
        const firn_value *value = &values[key->ordered];
        uint8_t *behind = fr_put_wire_pair(at, key, value);
        if (value->kind == FIRN_VALUE_NIL) {
            absent += 1;
            continue;
        }
        if (behind == NULL) {
            behind = put_short_string(at + key->size, value, limits, &spare);
        }
        if (behind == NULL) {
            return NULL;
        }
        at = behind;
    }
    *pairs = keys->count - absent;
    return at;
}

void firn_write_row(firn_writer *writer, const firn_row_keys *keys, const firn_value *values)
{
    if (writer == NULL || writer->error.code != FIRN_OK) {
        return;
    }
    if (keys == NULL || values == NULL) {
        fr_writer_fail(writer, FIRN_INVALID, keys == NULL ? "keys at NULL" : "values at NULL");
        return;
    }
    // The usual case makes no call, also none for room: any row makes that.
    const firn_limits *limits = &writer->limits;
    firn_buffer *buffer = writer->buffer;
    size_t room = buffer->capacity - buffer->size;
    size_t need = 2 + (size_t)keys->count * FR_WIRE_PAIR_BYTES;
    if (!row_names_fit(keys, limits) || writer->depth >= limits->depth ||
        fr_level_at_key(&writer->level) ||
        UINT64_C(2) * keys->count > limits->tree_values - writer->values || need > room) {
        write_any_row(writer, keys, values);
        return;
    }
    uint8_t *start = buffer->data + buffer->size;
    uint32_t pairs = 0;
    uint8_t *end = put_pairs(start + 2, keys, values, limits, room - need, &pairs);
    if (end == NULL || pairs == 0) {
        write_any_row(writer, keys, values);
        return;
    }
    start[0] = FR_TAG_TABLE + 1;
    start[1] = (uint8_t)pairs;
    writer->values += UINT64_C(2) * pairs;
    fr_writer_done(writer, (size_t)(end - start));
}

// ---- reading

static void forget_row(const firn_row_keys *keys, firn_value *values)
{
    for (uint32_t i = 0; i < keys->count; i++) {
        values[i] = (firn_value){.kind = FIRN_VALUE_NIL};
    }
}

static firn_value read_row_value(firn_reader *reader, firn_doc *doc)
{
    firn_value value = {.kind = firn_read_kind(reader)};
    size_t size;
    switch (value.kind) {
    case FIRN_VALUE_NIL:
        firn_read_nil(reader);
        break;
    case FIRN_VALUE_BOOL:
        value.as.boolean = firn_read_bool(reader);
        break;
    case FIRN_VALUE_NUMBER:
        value.as.number = firn_read_number(reader);
        break;
    case FIRN_VALUE_INT64:
        value.as.int64 = firn_read_int64(reader);
        break;
    case FIRN_VALUE_UINT64:
        value.as.uint64 = firn_read_uint64(reader);
        break;
    case FIRN_VALUE_STRING:
        value.as.string = firn_read_string(reader, &size);
        value.length = (uint32_t)size;
        break;
    default: {
        if (doc == NULL) {
            fr_reader_corrupt(reader, reader->at,
                              value.kind == FIRN_VALUE_TABLE
                                  ? "a row without a document has a table"
                                  : "a row without a document has a complex number");
            break;
        }
        const firn_value *made = firn_read_value(reader, doc);
        if (made != NULL) {
            value = *made;
        }
    }
    }
    return value;
}

/// The number of the name, or keys->count.
static uint32_t find_name(const firn_row_keys *keys, const char *name, size_t size)
{
    uint32_t i = 0;
    while (i < keys->count &&
           (strlen(keys->names[i]) != size || memcmp(keys->names[i], name, size) != 0)) {
        i += 1;
    }
    return i;
}

/// Reads one pair; a key that no name has is skipped.
static void read_any_pair(firn_reader *reader, const firn_row_keys *keys, firn_value *values,
                          firn_doc *doc)
{
    const uint8_t *key = reader->at;
    uint32_t number = keys->count;
    if (firn_read_kind(reader) == FIRN_VALUE_STRING) {
        size_t size;
        const char *name = firn_read_string(reader, &size);
        number = name != NULL ? find_name(keys, name, size) : keys->count;
    } else {
        firn_read_skip(reader);
    }
    if (number == keys->count) {
        firn_read_skip(reader);
        return;
    }
    firn_value value = read_row_value(reader, doc);
    if (value.kind == FIRN_VALUE_NIL) {
        return;
    }
    if (values[number].kind != FIRN_VALUE_NIL && !firn_reader_failed(reader)) {
        fr_reader_corrupt(reader, key, "a key of a row is there twice");
    }
    values[number] = value;
}

/// Any row, with calls for each key and value.
static void read_any_row(firn_reader *reader, const firn_row_keys *keys, firn_value *values,
                         firn_doc *doc)
{
    forget_row(keys, values);
    firn_table_head head = firn_read_table(reader);
    for (uint32_t i = 0; i < head.array_count && !firn_reader_failed(reader); i++) {
        firn_read_skip(reader);
    }
    for (uint32_t i = 0; i < head.map_count && !firn_reader_failed(reader); i++) {
        read_any_pair(reader, keys, values, doc);
    }
    if (firn_reader_failed(reader)) {
        forget_row(keys, values);
    }
}

/// One past the value at `at`, a number, boolean or short string; NULL: it is another, or does not
/// fit. There are 9 bytes.
static inline const uint8_t *get_value(const firn_reader *reader, const uint8_t *at,
                                       firn_value *value)
{
    uint8_t tag = *at++;
    if (tag == FR_TAG_NUMBER) {
        *value = (firn_value){.kind = FIRN_VALUE_NUMBER, .as.number = fr_load_f64(at)};
        return at + 8;
    }
    if (tag == FR_TAG_FALSE || tag == FR_TAG_TRUE) {
        *value = (firn_value){.kind = FIRN_VALUE_BOOL, .as.boolean = tag == FR_TAG_TRUE};
        return at;
    }
    size_t length = (size_t)tag - FR_TAG_STRING;
    if (tag < FR_TAG_STRING || tag >= FR_COUNT_TWO || length > reader->limits.string_bytes ||
        length > (size_t)(reader->end - at)) {
        return NULL;
    }
    *value = (firn_value){
        .kind = FIRN_VALUE_STRING, .length = (uint32_t)length, .as.string = (const char *)at};
    return at + length;
}

/// The most bytes of a short key and a value that is no string.
#define ROW_PAIR_BYTES (FR_WIRE_KEY_BYTES + 9)

/// One past the last of so many pairs, which have some of the keys in canonical order; NULL: they
/// are others.
static inline const uint8_t *get_pairs(const firn_reader *reader, const uint8_t *at, uint32_t pairs,
                                       const firn_row_keys *keys, firn_value *values)
{
    const firn_wire_key *key = keys->wire;
    const firn_wire_key *end = key + keys->count;
    for (; key != end; key++) {
        firn_value *value = &values[key->ordered];
        if (reader->end - at < ROW_PAIR_BYTES || !fr_wire_key_is_at(key, at)) {
            *value = (firn_value){.kind = FIRN_VALUE_NIL};
            continue;
        }
        at = get_value(reader, at + key->size, value);
        if (at == NULL) {
            return NULL;
        }
        pairs -= 1;
    }
    return pairs == 0 ? at : NULL;
}

/// What keeps a row from being read at all.
static void read_no_row(firn_reader *reader, const firn_row_keys *keys, firn_value *values)
{
    if (keys != NULL && values != NULL) {
        forget_row(keys, values);
    } else if (!firn_reader_failed(reader)) {
        fr_reader_no_argument(reader, keys == NULL ? "keys" : "values");
    }
}

void firn_read_row(firn_reader *reader, const firn_row_keys *keys, firn_value *values,
                   firn_doc *doc)
{
    if (keys == NULL || values == NULL || reader == NULL || reader->error.code != FIRN_OK) {
        read_no_row(reader, keys, values);
        return;
    }
    const firn_limits *limits = &reader->limits;
    const uint8_t *at = reader->at;
    uint32_t pairs = reader->end - at >= 2 && at[0] == FR_TAG_TABLE + 1 ? at[1] : 0;
    bool usual = pairs > 0 && pairs <= keys->count && row_names_fit(keys, limits) &&
                 reader->depth < limits->depth && !fr_level_at_key(&reader->level) &&
                 UINT64_C(2) * pairs <= limits->tree_values - reader->values;
    const uint8_t *end = usual ? get_pairs(reader, at + 2, pairs, keys, values) : NULL;
    if (end == NULL) {
        read_any_row(reader, keys, values, doc);
        return;
    }
    reader->values += UINT64_C(2) * pairs;
    fr_reader_done(reader, end);
}
