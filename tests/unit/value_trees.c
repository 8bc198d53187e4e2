#include "value_trees.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double random_number(test_random *random)
{
    static const double special[] = {0.0,
                                     -0.0,
                                     1,
                                     -1,
                                     0.5,
                                     2147483647,
                                     -2147483648.0,
                                     4294967296,
                                     9007199254740992,
                                     1e308,
                                     5e-324,
                                     INFINITY,
                                     -INFINITY};
    uint64_t bits;
    double number;
    switch (test_random_below(random, 4)) {
    case 0:
        return special[test_random_below(random, sizeof special / sizeof *special)];
    case 1:
        return (double)test_random_below(random, 12) - 2;
    case 2:
        return test_random_below(random, 8) == 0 ? (double)NAN : test_random_real(random) * 1000;
    default:
        bits = test_random_u64(random);
        memcpy(&number, &bits, sizeof number);
        return number;
    }
}

static firn_value *random_string(test_random *random, firn_doc *doc)
{
    static char bytes[9000];
    static const uint32_t lengths[] = {0, 1, 3, 8, 190, 191, 192, 193, 447, 448};
    uint32_t length = test_random_below(random, 9);
    if (test_random_below(random, 8) == 0)
        length = lengths[test_random_below(random, sizeof lengths / sizeof *lengths)];
    else if (test_random_below(random, 200) == 0)
        length = 8120 + test_random_below(random, 20);
    bool letters = test_random_below(random, 2) == 0;
    for (uint32_t i = 0; i < length; i++)
        bytes[i] =
            (char)(letters ? 'a' + test_random_below(random, 4) : test_random_below(random, 256));
    return firn_value_string(doc, bytes, length, NULL);
}

static firn_value *random_key(test_random *random, firn_doc *doc)
{
    uint32_t kind = test_random_below(random, 10);
    if (kind == 0)
        return firn_value_bool(doc, test_random_below(random, 2) == 0, NULL);
    if (kind > 5)
        return random_string(random, doc);
    double number = random_number(random);
    return firn_value_number(doc, number != number ? 7 : number, NULL);
}

static firn_value *random_table(test_random *random, firn_doc *doc, uint32_t depth)
{
    firn_value *table = firn_value_table(doc, NULL);
    bool large = test_random_below(random, 12) == 0;
    uint32_t steps = test_random_below(random, large ? 60 : 6);
    assert_non_null(table);
    for (uint32_t i = 0; i < steps; i++) {
        firn_value *item = test_random_value(random, doc, depth);
        if (test_random_below(random, 2) == 0 && item->kind != FIRN_VALUE_NIL)
            assert_int_equal(firn_table_push(doc, table, item, NULL), FIRN_OK);
        else
            assert_int_equal(firn_table_set(doc, table, random_key(random, doc), item, NULL),
                             FIRN_OK);
    }
    return table;
}

firn_value *test_random_value(test_random *random, firn_doc *doc, uint32_t depth)
{
    switch (test_random_below(random, depth > 0 ? 12 : 8)) {
    case 0:
        return firn_value_nil(doc, NULL);
    case 1:
        return firn_value_bool(doc, test_random_below(random, 2) == 0, NULL);
    case 2:
        return firn_value_int64(doc, (int64_t)test_random_u64(random), NULL);
    case 3:
        return firn_value_uint64(doc, test_random_u64(random), NULL);
    case 4:
        return firn_value_complex(doc, random_number(random), random_number(random), NULL);
    case 5:
        return random_string(random, doc);
    case 6:
    case 7:
        return firn_value_number(doc, random_number(random), NULL);
    default:
        return random_table(random, doc, depth - 1);
    }
}

void test_write_tree(firn_writer *writer, const firn_value *value)
{
    uint32_t cursor = 0;
    uint32_t elements = firn_table_array_count(value);
    const firn_value *item;
    firn_value key;
    switch (value->kind) {
    case FIRN_VALUE_NIL:
        firn_write_nil(writer);
        return;
    case FIRN_VALUE_BOOL:
        firn_write_bool(writer, value->as.boolean);
        return;
    case FIRN_VALUE_NUMBER:
        firn_write_number(writer, value->as.number);
        return;
    case FIRN_VALUE_INT64:
        firn_write_int64(writer, value->as.int64);
        return;
    case FIRN_VALUE_UINT64:
        firn_write_uint64(writer, value->as.uint64);
        return;
    case FIRN_VALUE_COMPLEX:
        firn_write_complex(writer, value->as.complex[0], value->as.complex[1]);
        return;
    case FIRN_VALUE_STRING:
        firn_write_string(writer, value->as.string, value->length);
        return;
    case FIRN_VALUE_TABLE:
        break;
    }
    firn_write_table(writer, elements, firn_table_map_count(value));
    while ((item = firn_table_next(value, &cursor, &key)) != NULL) {
        if (cursor > elements)
            test_write_tree(writer, &key);
        test_write_tree(writer, item);
    }
}

static firn_value *read_table(firn_reader *reader, firn_doc *doc)
{
    firn_table_head head = firn_read_table(reader);
    firn_value *table = firn_value_table(doc, NULL);
    bool twice = false;
    for (uint64_t i = 0; i < (uint64_t)head.array_count + head.map_count; i++) {
        bool element = i < head.array_count;
        firn_value *key = element ? firn_value_number(doc, (double)(head.array_first + i), NULL)
                                  : test_read_tree(reader, doc);
        firn_value *item = test_read_tree(reader, doc);
        if (firn_reader_failed(reader))
            return NULL;
        // A NULL item is a table with a key that is there twice; reading goes on behind it.
        if (item == NULL || (item->kind != FIRN_VALUE_NIL && firn_table_get(table, key) != NULL))
            twice = true;
        else if (item->kind != FIRN_VALUE_NIL)
            assert_int_equal(firn_table_set(doc, table, key, item, NULL), FIRN_OK);
    }
    return firn_reader_failed(reader) || twice ? NULL : table;
}

firn_value *test_read_tree(firn_reader *reader, firn_doc *doc)
{
    firn_value *value = NULL;
    size_t size;
    const char *string;
    double re;
    double im;
    switch (firn_read_kind(reader)) {
    case FIRN_VALUE_NIL:
        firn_read_nil(reader);
        value = firn_value_nil(doc, NULL);
        break;
    case FIRN_VALUE_BOOL:
        value = firn_value_bool(doc, firn_read_bool(reader), NULL);
        break;
    case FIRN_VALUE_NUMBER:
        value = firn_value_number(doc, firn_read_number(reader), NULL);
        break;
    case FIRN_VALUE_INT64:
        value = firn_value_int64(doc, firn_read_int64(reader), NULL);
        break;
    case FIRN_VALUE_UINT64:
        value = firn_value_uint64(doc, firn_read_uint64(reader), NULL);
        break;
    case FIRN_VALUE_COMPLEX:
        firn_read_complex(reader, &re, &im);
        value = firn_value_complex(doc, re, im, NULL);
        break;
    case FIRN_VALUE_STRING:
        string = firn_read_string(reader, &size);
        value = string != NULL ? firn_value_string(doc, string, size, NULL) : NULL;
        break;
    case FIRN_VALUE_TABLE:
        value = read_table(reader, doc);
        break;
    }
    return firn_reader_failed(reader) ? NULL : value;
}

void test_encode(const firn_value *value, firn_buffer *out)
{
    firn_error err;
    assert_ok(firn_value_encode(value, NULL, out, &err), &err);
}

char *test_to_hex(const uint8_t *bytes, size_t size)
{
    char *hex = malloc(2 * size + 1);
    assert_non_null(hex);
    hex[0] = 0;
    for (size_t i = 0; i < size; i++)
        snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    return hex;
}
