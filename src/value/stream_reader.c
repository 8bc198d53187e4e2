#include <inttypes.h>

#include "base/error.h"
#include "value/check.h"
#include "value/decode.h"
#include "value/stream.h"

/// Nothing is read after a failure: every fast path finds no bytes.
static void reader_stop(firn_reader *reader)
{
    reader->end = reader->at;
}

static uint64_t reader_offset(const firn_reader *reader)
{
    return reader->base + (uint64_t)(reader->at - reader->bytes);
}

static fr_in reader_in(const firn_reader *reader)
{
    return (fr_in){reader->bytes, reader->at, reader->end};
}

/// A private function has filled reader->error with an offset from the start of the bytes.
static void reader_failed_inside(firn_reader *reader)
{
    if (reader->error.offset != FIRN_NO_OFFSET) {
        reader->error.offset += reader->base;
    }
    reader_stop(reader);
}

void fr_reader_close(firn_reader *reader)
{
    while (reader->level.left == 0 && reader->depth > 0) {
        reader->depth -= 1;
        reader->level = reader->outer[reader->depth];
    }
    if (reader->level.left == 0) {
        reader->finished += 1;
        reader->last = reader->next;
        reader->next = reader->at;
        reader->values = 1;
        reader->level.left = 1;
    }
}

void firn_reader_begin(firn_reader *reader, const void *bytes, size_t size,
                       const firn_limits *limits)
{
    fr_reader_begin_at(reader, bytes, size, 0, limits);
}

void fr_reader_begin_at(firn_reader *reader, const void *bytes, size_t size, uint64_t base,
                        const firn_limits *limits)
{
    if (reader == NULL) {
        return;
    }
    fr_in in;
    fr_in_begin(&in, bytes, size);
    reader->bytes = in.bytes;
    reader->at = in.at;
    reader->end = in.end;
    reader->base = base;
    reader->level = fr_level_top();
    reader->depth = 0;
    reader->values = 1;
    reader->finished = 0;
    reader->next = reader->at;
    reader->last = NULL;
    reader->looked = NULL;
    reader->entity_of = NULL;
    reader->ids = NULL;
    reader->error.code = FIRN_OK;
    if (bytes == NULL && size > 0) {
        fr_fail(&reader->error, FIRN_INVALID, "bytes", "%zu bytes at NULL", size);
    } else if (fr_limits_resolve(limits, &reader->limits, &reader->error) != FIRN_OK) {
        reader_stop(reader);
    }
}

firn_result firn_reader_end(const firn_reader *reader, firn_error *err)
{
    if (reader == NULL) {
        return fr_fail(err, FIRN_INVALID, "reader", "the reader is NULL");
    }
    if (reader->error.code != FIRN_OK) {
        return fr_fail_copy(err, &reader->error);
    }
    if (reader->at != reader->end) {
        return fr_fail_at(err, FIRN_CORRUPT, reader_offset(reader), NULL, "%zu bytes were not read",
                          (size_t)(reader->end - reader->at));
    }
    if (reader->depth > 0) {
        return fr_fail_at(err, FIRN_TRUNCATED, reader_offset(reader), NULL,
                          "the bytes end %" PRIu64 " items before the table does",
                          reader->level.left);
    }
    return FIRN_OK;
}

bool firn_reader_failed(const firn_reader *reader)
{
    return reader == NULL || reader->error.code != FIRN_OK;
}

void fr_reader_corrupt(firn_reader *reader, const uint8_t *at, const char *message)
{
    fr_fail_at(&reader->error, FIRN_CORRUPT, reader->base + (uint64_t)(at - reader->bytes), NULL,
               "%s", message);
    reader_stop(reader);
}

void fr_reader_no_argument(firn_reader *reader, const char *name)
{
    fr_fail(&reader->error, FIRN_INVALID, name, "%s is NULL", name);
    reader_stop(reader);
}

void fr_reader_step_back(firn_reader *reader)
{
    if (reader->depth == 0 && reader->last != NULL && reader->looked != reader->at) {
        reader->at = reader->next = reader->last;
        reader->last = NULL;
        reader->finished -= 1;
    }
}

void firn_reader_refuse(firn_reader *reader, const char *reason)
{
    if (firn_reader_failed(reader)) {
        return;
    }
    fr_reader_step_back(reader);
    fr_fail_at(&reader->error, FIRN_REFUSED, reader_offset(reader), NULL, "%s",
               reason != NULL ? reason : "the value was refused");
    reader_stop(reader);
}

firn_value_kind firn_read_kind(firn_reader *reader)
{
    static const uint8_t kinds[FR_TAG_STRING] = {
        [FR_TAG_FALSE] = FIRN_VALUE_BOOL,      [FR_TAG_TRUE] = FIRN_VALUE_BOOL,
        [FR_TAG_INT32] = FIRN_VALUE_NUMBER,    [FR_TAG_NUMBER] = FIRN_VALUE_NUMBER,
        [FR_TAG_INT64] = FIRN_VALUE_INT64,     [FR_TAG_UINT64] = FIRN_VALUE_UINT64,
        [FR_TAG_COMPLEX] = FIRN_VALUE_COMPLEX,
    };
    if (reader == NULL) {
        return FIRN_VALUE_NIL;
    }
    reader->looked = reader->at;
    fr_in in = reader_in(reader);
    uint32_t tag;
    if (!fr_in_count(&in, &tag)) {
        return FIRN_VALUE_NIL;
    }
    if (tag >= FR_TAG_STRING) {
        return FIRN_VALUE_STRING;
    }
    if (tag >= FR_TAG_TABLE && tag <= FR_TAG_TABLE_LAST) {
        return FIRN_VALUE_TABLE;
    }
    return (firn_value_kind)kinds[tag];
}

/// The wanted kind is not what stands here.
static void reader_fail_kind(firn_reader *reader, uint32_t tag, const char *wanted)
{
    uint64_t offset = reader_offset(reader);
    bool is_value = tag >= FR_TAG_STRING || fr_scalar_payload[tag] != FR_NO_SCALAR ||
                    (tag >= FR_TAG_TABLE && tag <= FR_TAG_TABLE_LAST);
    if (is_value) {
        fr_fail_at(&reader->error, FIRN_CORRUPT, offset, NULL, "%s was expected, not %s", wanted,
                   fr_tag_text(tag));
    } else {
        fr_value_refuse_tag(tag, offset, &reader->error);
    }
    reader_stop(reader);
}

static void reader_fail_short(firn_reader *reader, const char *wanted)
{
    fr_fail_at(&reader->error, FIRN_TRUNCATED, reader_offset(reader), NULL,
               "%s does not fit the %zu bytes left", wanted, (size_t)(reader->end - reader->at));
    reader_stop(reader);
}

/// Reads the tag of the next item in any form; false after a failure, and for no reader.
static bool reader_tag(firn_reader *reader, fr_in *in, const char *wanted, uint32_t *tag)
{
    if (firn_reader_failed(reader)) {
        return false;
    }
    *in = reader_in(reader);
    if (fr_in_count(in, tag)) {
        return true;
    }
    reader_fail_short(reader, wanted);
    return false;
}

static bool reader_no_key(firn_reader *reader, const char *found)
{
    if (!fr_level_at_key(&reader->level)) {
        return true;
    }
    fr_fail_at(&reader->error, FIRN_CORRUPT, reader_offset(reader), NULL, "a table key is %s",
               found);
    reader_stop(reader);
    return false;
}

/// Reads an item with this tag, which is no key, and `size` bytes behind it; NULL after a failure.
static const uint8_t *reader_payload(firn_reader *reader, uint32_t wanted, size_t size)
{
    fr_in in;
    uint32_t tag;
    const uint8_t *payload;
    if (!reader_tag(reader, &in, fr_tag_text(wanted), &tag)) {
        return NULL;
    }
    if (tag != wanted) {
        reader_fail_kind(reader, tag, fr_tag_text(wanted));
        return NULL;
    }
    if (!reader_no_key(reader, fr_tag_text(tag))) {
        return NULL;
    }
    if (!fr_in_bytes(&in, size, &payload)) {
        reader_fail_short(reader, fr_tag_text(wanted));
        return NULL;
    }
    fr_reader_done(reader, in.at);
    return payload;
}

void firn_read_nil(firn_reader *reader)
{
    reader_payload(reader, FR_TAG_NIL, 0);
}

bool firn_read_bool(firn_reader *reader)
{
    fr_in in;
    uint32_t tag;
    if (!reader_tag(reader, &in, "a boolean", &tag)) {
        return false;
    }
    if (tag != FR_TAG_FALSE && tag != FR_TAG_TRUE) {
        reader_fail_kind(reader, tag, "a boolean");
        return false;
    }
    fr_reader_done(reader, in.at);
    return tag == FR_TAG_TRUE;
}

static double read_other_number(firn_reader *reader)
{
    fr_in in;
    uint32_t tag;
    const uint8_t *payload;
    if (!reader_tag(reader, &in, "a number", &tag)) {
        return 0;
    }
    if (tag != FR_TAG_NUMBER && tag != FR_TAG_INT32) {
        reader_fail_kind(reader, tag, "a number");
        return 0;
    }
    if (!fr_in_bytes(&in, tag == FR_TAG_NUMBER ? 8 : 4, &payload)) {
        reader_fail_short(reader, "a number");
        return 0;
    }
    double value =
        tag == FR_TAG_NUMBER ? fr_load_f64(payload) : (double)(int32_t)fr_load_u32(payload);
    if (value != value && !reader_no_key(reader, "NaN")) {
        return 0;
    }
    fr_reader_done(reader, in.at);
    return value;
}

double firn_read_number(firn_reader *reader)
{
    if (reader == NULL) {
        return 0;
    }
    const uint8_t *at = reader->at;
    if (reader->end - at >= 9 && *at == FR_TAG_NUMBER) {
        double value = fr_load_f64(at + 1);
        if (value == value) {
            fr_reader_done(reader, at + 9);
            return value;
        }
    }
    return read_other_number(reader);
}

int64_t firn_read_int64(firn_reader *reader)
{
    const uint8_t *payload = reader_payload(reader, FR_TAG_INT64, 8);
    return payload != NULL ? (int64_t)fr_load_u64(payload) : 0;
}

uint64_t firn_read_uint64(firn_reader *reader)
{
    const uint8_t *payload = reader_payload(reader, FR_TAG_UINT64, 8);
    return payload != NULL ? fr_load_u64(payload) : 0;
}

void firn_read_complex(firn_reader *reader, double *re, double *im)
{
    const uint8_t *payload = reader_payload(reader, FR_TAG_COMPLEX, 16);
    double real = payload != NULL ? fr_load_f64(payload) : 0;
    double imaginary = payload != NULL ? fr_load_f64(payload + 8) : 0;
    if (re != NULL) {
        *re = real;
    }
    if (im != NULL) {
        *im = imaginary;
    }
}

static const char *read_other_string(firn_reader *reader, size_t *size)
{
    fr_in in;
    uint32_t tag;
    const uint8_t *bytes;
    *size = 0;
    if (!reader_tag(reader, &in, "a string", &tag)) {
        return NULL;
    }
    if (tag < FR_TAG_STRING) {
        reader_fail_kind(reader, tag, "a string");
        return NULL;
    }
    size_t length = tag - FR_TAG_STRING;
    if (!fr_in_bytes(&in, length, &bytes)) {
        reader_fail_short(reader, "a string");
        return NULL;
    }
    if (length > reader->limits.string_bytes) {
        fr_fail_at(&reader->error, FIRN_LIMIT, reader_offset(reader), NULL,
                   "a string of %zu bytes, the limit is %" PRIu64, length,
                   reader->limits.string_bytes);
        reader_stop(reader);
        return NULL;
    }
    fr_reader_done(reader, in.at);
    *size = length;
    return (const char *)bytes;
}

const char *firn_read_string(firn_reader *reader, size_t *size)
{
    size_t unwanted;
    if (size == NULL) {
        size = &unwanted;
    }
    if (reader == NULL) {
        *size = 0;
        return NULL;
    }
    const uint8_t *at = reader->at;
    size_t left = (size_t)(reader->end - at);
    if (left > 0 && *at >= FR_TAG_STRING && *at < FR_COUNT_TWO) {
        size_t length = (size_t)*at - FR_TAG_STRING;
        if (length < left && length <= reader->limits.string_bytes) {
            fr_reader_done(reader, at + 1 + length);
            *size = length;
            return (const char *)at + 1;
        }
    }
    return read_other_string(reader, size);
}

/// A table that holds something begins before `at`.
static void reader_open(firn_reader *reader, const uint8_t *at, const firn_table_head *head)
{
    uint64_t map_items = 2 * (uint64_t)head->map_count;
    uint64_t items = head->array_count + map_items;
    reader->at = at;
    fr_level_put_aside(&reader->outer[reader->depth++], &reader->level);
    reader->level = (firn_level){items, map_items, items, 0};
}

static firn_table_head read_other_table(firn_reader *reader)
{
    firn_table_head head = {0};
    fr_in in;
    uint32_t tag;
    if (!reader_tag(reader, &in, "a table", &tag)) {
        return head;
    }
    if (tag < FR_TAG_TABLE || tag > FR_TAG_TABLE_LAST) {
        reader_fail_kind(reader, tag, "a table");
        return head;
    }
    if (!reader_no_key(reader, "a table")) {
        return head;
    }
    if (reader->depth >= reader->limits.depth) {
        fr_fail_at(&reader->error, FIRN_LIMIT, reader_offset(reader), NULL,
                   "more than %" PRIu32 " tables inside each other", reader->limits.depth);
        reader_stop(reader);
        return head;
    }
    if (!fr_value_check_head(&in, reader->at, tag, &reader->values, &reader->limits, &head,
                             &reader->error)) {
        reader_failed_inside(reader);
        return (firn_table_head){0};
    }
    if ((head.array_count | head.map_count) == 0) {
        fr_reader_done(reader, in.at);
    } else {
        reader_open(reader, in.at, &head);
    }
    return head;
}

// The usual case stands apart for speed: one-byte tag and counts, something inside, nothing wrong.
firn_table_head firn_read_table(firn_reader *reader)
{
    if (reader == NULL) {
        return (firn_table_head){0};
    }
    const uint8_t *at = reader->at;
    if (reader->end - at < 3) {
        return read_other_table(reader);
    }
    uint32_t form = (uint32_t)at[0] - FR_TAG_TABLE;
    uint32_t elements = 0;
    uint32_t pairs = 0;
    at += 1;
    if (form > FR_TAG_TABLE_LAST - FR_TAG_TABLE) {
        return read_other_table(reader);
    }
    if (form >= 2) {
        elements = *at++;
    }
    if ((form & 1) != 0) {
        pairs = *at++;
    }
    if (elements >= FR_COUNT_TWO || pairs >= FR_COUNT_TWO) {
        return read_other_table(reader);
    }
    if (form >= 4 && elements > 0) {
        elements -= 1;
    }
    uint32_t items = elements + 2 * pairs;
    if (items == 0 || items > (size_t)(reader->end - at) ||
        items > reader->limits.tree_values - reader->values ||
        reader->depth >= reader->limits.depth || fr_level_at_key(&reader->level)) {
        return read_other_table(reader);
    }
    firn_table_head head = {form >= 4 || form < 2 ? 1 : 0, elements, pairs};
    reader->values += items;
    reader_open(reader, at, &head);
    return head;
}

/// Checks the next item against these limits without moving; *in is then behind it.
static bool reader_check(firn_reader *reader, fr_in *in, const firn_limits *limits)
{
    if (firn_reader_failed(reader)) {
        return false;
    }
    *in = reader_in(reader);
    bool good =
        fr_level_at_key(&reader->level)
            ? fr_value_check_key(in, limits, &reader->error)
            : fr_value_check_inside(in, reader->depth, &reader->values, limits, &reader->error);
    if (!good) {
        reader_failed_inside(reader);
    }
    return good;
}

void firn_read_skip(firn_reader *reader)
{
    fr_in in;
    if (reader != NULL && reader_check(reader, &in, &reader->limits)) {
        fr_reader_done(reader, in.at);
    }
}

/// The reader's limits, lowered to what the document takes for one value of its own.
static firn_limits reader_limits_for(const firn_reader *reader, const firn_limits *own)
{
    firn_limits limits = reader->limits;
    uint64_t before = reader->values - 1;
    if (own->depth < limits.depth - reader->depth) {
        limits.depth = reader->depth + own->depth;
    }
    if (own->string_bytes < limits.string_bytes) {
        limits.string_bytes = own->string_bytes;
    }
    if (own->tree_values < limits.tree_values - before) {
        limits.tree_values = before + own->tree_values;
    }
    return limits;
}

firn_value *firn_read_value(firn_reader *reader, firn_doc *doc)
{
    if (firn_reader_failed(reader)) {
        return NULL;
    }
    if (doc == NULL) {
        fr_fail(&reader->error, FIRN_INVALID, "doc", "the document is NULL");
        reader_stop(reader);
        return NULL;
    }
    firn_limits limits = reader_limits_for(reader, &doc->limits);
    fr_in in;
    if (fr_level_at_key(&reader->level) && !reader_check(reader, &in, &limits)) {
        return NULL;
    }
    in = reader_in(reader);
    firn_value *value =
        fr_value_build(&in, reader->depth, &reader->values, &limits, doc, &reader->error);
    if (value == NULL) {
        reader_failed_inside(reader);
    } else {
        fr_reader_done(reader, in.at);
    }
    return value;
}

firn_entity firn_reader_entity(firn_reader *reader, firn_entity saved)
{
    bool mapped = reader != NULL && reader->entity_of != NULL;
    return mapped ? reader->entity_of(reader->ids, saved) : saved;
}

void fr_reader_done_rows(firn_reader *reader, uint32_t count, size_t size)
{
    reader->at += size;
    reader->finished += count;
}
