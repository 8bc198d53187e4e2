// Encoded values: what checks, decodes, streams and is canonical must agree. The first byte chooses
// the limits, the rest is the value.
#include "fuzz/fuzz.h"

#include <string.h>

#include "value/check.h"

// Reads one value item by item. The depth is bounded by the reader's own limit.
static void walk(firn_reader *in)
{
    double re, im;
    size_t size;
    switch (firn_read_kind(in)) {
    case FIRN_VALUE_NIL:
        firn_read_nil(in);
        break;
    case FIRN_VALUE_BOOL:
        firn_read_bool(in);
        break;
    case FIRN_VALUE_NUMBER:
        firn_read_number(in);
        break;
    case FIRN_VALUE_INT64:
        firn_read_int64(in);
        break;
    case FIRN_VALUE_UINT64:
        firn_read_uint64(in);
        break;
    case FIRN_VALUE_COMPLEX:
        firn_read_complex(in, &re, &im);
        break;
    case FIRN_VALUE_STRING:
        firn_read_string(in, &size);
        break;
    case FIRN_VALUE_TABLE: {
        firn_table_head head = firn_read_table(in);
        uint64_t items = (uint64_t)head.array_count + 2 * (uint64_t)head.map_count;
        for (uint64_t i = 0; i < items && !firn_reader_failed(in); i++) {
            walk(in);
        }
        break;
    }
    }
}

// Writes a tree item by item.
static void write_items(firn_writer *out, const firn_value *value)
{
    if (value->kind != FIRN_VALUE_TABLE) {
        firn_write_value(out, value);
        return;
    }
    uint32_t array_count = firn_table_array_count(value), map_count = firn_table_map_count(value);
    firn_write_table(out, array_count, map_count);
    uint32_t cursor = 0, seen = 0;
    firn_value key;
    for (const firn_value *item = firn_table_next(value, &cursor, &key); item != NULL;
         item = firn_table_next(value, &cursor, &key)) {
        FUZZ_CHECK(firn_value_equal(firn_table_get(value, &key), item));
        if (seen++ >= array_count) {
            firn_write_value(out, &key);
        }
        write_items(out, item);
    }
    FUZZ_CHECK(seen == array_count + map_count);
}

// Duplicate keys are the one thing that only a decode notices.
static bool check_readers(const uint8_t *bytes, size_t size, const firn_limits *limits,
                          firn_doc *doc, firn_value **value)
{
    firn_error err = {0}, check_err = {0};
    size_t used = SIZE_MAX;
    firn_result prefix = firn_value_check(bytes, size, limits, &used, &err);
    firn_result whole = firn_value_check(bytes, size, limits, NULL, &check_err);
    FUZZ_CHECK(prefix != FIRN_OK || (used > 0 && used <= size));
    FUZZ_CHECK((whole == FIRN_OK) == (prefix == FIRN_OK && used == size));
    FUZZ_CHECK(prefix == FIRN_OK || prefix == whole);

    firn_reader *in = &(firn_reader){0};
    firn_reader_begin(in, bytes, size, limits);
    walk(in);
    firn_result walked = firn_reader_end(in, &err);
    FUZZ_CHECK(walked == whole);
    firn_reader_begin(in, bytes, size, limits);
    firn_read_skip(in);
    firn_result skipped = firn_reader_end(in, &err);
    FUZZ_CHECK(skipped == whole);
    FUZZ_CHECK(whole == FIRN_OK || err.offset == check_err.offset);

    *value = firn_value_decode(doc, bytes, size, &err);
    FUZZ_CHECK(*value == NULL || whole == FIRN_OK);
    FUZZ_CHECK(*value != NULL || err.code == (whole != FIRN_OK ? whole : FIRN_CORRUPT));
    FUZZ_CHECK(*value != NULL || err.offset <= size);
    firn_reader_begin(in, bytes, size, limits);
    firn_value *read = firn_read_value(in, doc);
    firn_result ended = firn_reader_end(in, &err);
    FUZZ_CHECK((ended == FIRN_OK) == (*value != NULL));
    FUZZ_CHECK(*value == NULL || firn_value_equal(read, *value));
    return *value != NULL;
}

// A row that is read has what its tree has, and is written with the same bytes.
static void check_row(const uint8_t *bytes, size_t size, const firn_limits *limits,
                      const firn_value *value, firn_doc *doc)
{
    static const char *const names[] = {"b", "a", "hp", "name", ""};
    enum { NAMES = sizeof names / sizeof *names };
    firn_error err = {0};
    firn_row_keys keys;
    firn_value row[NAMES];
    firn_reader *in = &(firn_reader){0};
    FUZZ_OK(firn_row_keys_init(&keys, names, NAMES, &err), &err);
    firn_reader_begin(in, bytes, size, limits);
    firn_read_row(in, &keys, row, doc);
    bool is_row = value->kind == FIRN_VALUE_TABLE;
    FUZZ_CHECK((firn_reader_end(in, &err) == FIRN_OK) == is_row);
    firn_buffer out = {0};
    firn_writer *writer = &(firn_writer){0};
    firn_writer_begin(writer, &out, NULL);
    firn_write_row(writer, &keys, row);
    FUZZ_OK(firn_writer_end(writer, &err), &err);
    firn_value *again = firn_value_decode(doc, out.data, out.size, &err);
    for (uint32_t i = 0; i < NAMES && is_row && again != NULL; i++) {
        const firn_value *item = firn_table_get_text(value, names[i]);
        FUZZ_CHECK(item != NULL ? firn_value_equal(item, &row[i]) : row[i].kind == FIRN_VALUE_NIL);
        FUZZ_CHECK(firn_value_equal(item, firn_table_get_text(again, names[i])));
    }
    FUZZ_CHECK(again != NULL);
    firn_buffer_free(&out);
}

static void check_canonical(const uint8_t *bytes, size_t size, const firn_value *value,
                            firn_doc *doc)
{
    firn_error err = {0};
    firn_limits limits;
    firn_limits_default(&limits);
    firn_buffer first = {0}, second = {0};
    FUZZ_OK(firn_value_encode(value, NULL, &first, &err), &err);
    FUZZ_CHECK(fr_value_is_canonical(first.data, first.size));
    FUZZ_CHECK(fr_value_is_canonical(bytes, size) ==
               (size == first.size && memcmp(bytes, first.data, size) == 0));
    FUZZ_OK(fr_value_canonicalise(bytes, size, &limits, firn_allocator_default(), &second, &err),
            &err);
    FUZZ_CHECK(second.size == first.size && memcmp(second.data, first.data, first.size) == 0);

    firn_value *again = firn_value_decode(doc, first.data, first.size, &err);
    FUZZ_CHECK(again != NULL && firn_value_equal(value, again));

    firn_buffer_clear(&second);
    firn_writer *out = &(firn_writer){0};
    firn_writer_begin(out, &second, NULL);
    write_items(out, again);
    FUZZ_OK(firn_writer_end(out, &err), &err);
    FUZZ_CHECK(second.size == first.size && memcmp(second.data, first.data, first.size) == 0);
    firn_buffer_free(&first);
    firn_buffer_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return -1;
    }
    firn_limits limits = fuzz_limits(data[0]);
    firn_error err = {0};
    firn_doc *doc = firn_doc_create(NULL, &limits, &err);
    firn_value *value;
    if (check_readers(data + 1, size - 1, &limits, doc, &value)) {
        firn_doc *wide = firn_doc_create(NULL, NULL, &err);
        check_canonical(data + 1, size - 1, value, wide);
        check_row(data + 1, size - 1, &limits, value, wide);
        firn_doc_destroy(wide);
    } else {
        FUZZ_CHECK(!fr_value_is_canonical(data + 1, size - 1) || data[0] % 4 == 2 ||
                   data[0] % 4 == 1);
    }
    firn_doc_destroy(doc);
    return 0;
}
