// Trees to bytes: errors with the path to the place, nothing half written, round trips.
#include <stdlib.h>
#include <string.h>

#include "value_trees.h"

static firn_value *chain(firn_doc *doc, uint32_t tables)
{
    firn_value *outer = firn_value_table(doc, NULL);
    for (uint32_t i = 1; i < tables; i++) {
        firn_value *table = firn_value_table(doc, NULL);
        assert_int_equal(firn_table_push(doc, table, outer, NULL), FIRN_OK);
        outer = table;
    }
    return outer;
}

static void T11_an_error_has_the_path_to_the_place(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer out = {0};
    firn_limits limits = {.string_bytes = 4};
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_value *root = firn_value_table(doc, NULL);
    firn_value *items = firn_value_table(doc, NULL);
    firn_value *third = firn_value_table(doc, NULL);
    firn_value *one = firn_value_number(doc, 1, NULL);
    firn_table_set_text(doc, root, "items", items, NULL);
    firn_table_push(doc, items, one, NULL);
    firn_table_push(doc, items, one, NULL);
    firn_table_push(doc, items, third, NULL);
    firn_table_set_text(doc, third, "name", firn_value_text(doc, "too long", NULL), NULL);
    assert_int_equal(firn_value_encode(root, &limits, &out, &err), FIRN_LIMIT);
    // The key that leads there is longer than the limit itself.
    assert_string_equal(err.subject, ".items");
    limits.string_bytes = 5;
    assert_int_equal(firn_value_encode(root, &limits, &out, &err), FIRN_LIMIT);
    assert_string_equal(err.subject, ".items[3].name");
    assert_non_null(strstr(err.message, "8 bytes"));
    firn_table_set_text(doc, third, "name", one, NULL);
    firn_table_set_text(doc, third, "a b\n", firn_value_text(doc, "too long", NULL), NULL);
    assert_int_equal(firn_value_encode(root, &limits, &out, &err), FIRN_LIMIT);
    assert_string_equal(err.subject, ".items[3][\"a b\\x0a\"]");
    firn_table_set_text(doc, third, "a b\n", one, NULL);
    firn_table_set(doc, third, firn_value_number(doc, 0.5, NULL),
                   firn_value_text(doc, "too long", NULL), NULL);
    assert_int_equal(firn_value_encode(root, &limits, &out, &err), FIRN_LIMIT);
    assert_string_equal(err.subject, ".items[3][0.5]");
    firn_table_set(doc, third, firn_value_bool(doc, true, NULL),
                   firn_value_text(doc, "too long", NULL), NULL);
    assert_int_equal(firn_value_encode(root, &limits, &out, &err), FIRN_LIMIT);
    assert_string_equal(err.subject, ".items[3][true]");
    assert_int_equal(out.size, 0);
    firn_buffer_free(&out);
    firn_doc_destroy(doc);
}

static void a_hundred_tables_pass_and_one_more_fails(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer out = {0};
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    assert_ok(firn_value_encode(chain(doc, 100), NULL, &out, &err), &err);
    assert_non_null(firn_value_decode(doc, out.data, out.size, &err));
    size_t size = out.size;
    assert_int_equal(firn_value_encode(chain(doc, 101), NULL, &out, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "[1][1][1]");
    assert_string_equal(err.subject + strlen(err.subject) - 3, "...");
    assert_int_equal(out.size, size);
    firn_buffer_free(&out);
    firn_doc_destroy(doc);
}

static void a_tree_that_shares_tables_ends_at_the_limit_of_values(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer out = {0};
    firn_limits limits = {.tree_values = 1000};
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_value *table = firn_value_table(doc, NULL);
    for (int i = 0; i < 60; i++) {
        firn_value *pair = firn_value_table(doc, NULL);
        firn_table_push(doc, pair, table, NULL);
        firn_table_push(doc, pair, table, NULL);
        table = pair;
    }
    assert_int_equal(firn_value_encode(table, &limits, &out, &err), FIRN_LIMIT);
    assert_non_null(strstr(err.message, "1000 values"));
    firn_buffer_free(&out);
    firn_doc_destroy(doc);
}

static void what_is_no_value_is_invalid(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer out = {0};
    firn_value value = {.kind = (firn_value_kind)77};
    assert_int_equal(firn_value_encode(NULL, NULL, &out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "value");
    assert_int_equal(firn_value_encode(&value, NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "out");
    assert_int_equal(firn_value_encode(&value, NULL, &out, &err), FIRN_INVALID);
    assert_non_null(strstr(err.message, "77"));
    assert_int_equal(firn_value_encode(&value, NULL, &out, NULL), FIRN_INVALID);
    firn_buffer_free(&out);
}

static void limits_that_are_none_are_invalid(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer out;
    firn_buffer_init(&out, NULL);
    const firn_limits limits = {.reserved = {1}};
    const firn_value value = {.kind = FIRN_VALUE_BOOL};
    assert_int_equal(firn_value_encode(&value, &limits, &out, &err), FIRN_INVALID);
    assert_non_null(strstr(err.message, "reserved[0]"));
    assert_int_equal(out.size, 0);
    firn_buffer_free(&out);
}

static void encode_appends(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer out = {0};
    firn_value value = {.kind = FIRN_VALUE_BOOL, .as.boolean = true};
    assert_ok(firn_buffer_append(&out, "x", 1, &err), &err);
    assert_ok(firn_value_encode(&value, NULL, &out, &err), &err);
    assert_ok(firn_value_encode(&value, NULL, &out, &err), &err);
    assert_memory_equal(out.data, "x\2\2", 3);
    firn_buffer_free(&out);
}

static void random_trees_come_back_equal(void **state)
{
    (void)state;
    test_random random = {1};
    firn_error err;
    firn_buffer out = {0};
    firn_buffer again = {0};
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    for (int i = 0; i < 4000; i++) {
        firn_doc_clear(doc);
        firn_buffer_clear(&out);
        firn_buffer_clear(&again);
        firn_value *value = test_random_value(&random, doc, 5);
        test_encode(value, &out);
        const firn_value *back = firn_value_decode(doc, out.data, out.size, &err);
        assert_ok(back != NULL ? FIRN_OK : err.code, &err);
        assert_true(firn_value_equal(value, back));
        assert_true(firn_value_equal(back, value));
        test_encode(back, &again);
        assert_int_equal(again.size, out.size);
        assert_memory_equal(again.data, out.data, out.size);
    }
    firn_buffer_free(&out);
    firn_buffer_free(&again);
    firn_doc_destroy(doc);
}

static void a_failed_decode_leaves_nothing_in_the_document(void **state)
{
    (void)state;
    test_allocator memory;
    firn_error err;
    size_t size;
    test_allocator_init(&memory);
    firn_doc *doc = firn_doc_create(&memory.allocator, NULL, NULL);
    firn_value *kept = firn_value_text(doc, "kept", NULL);
    uint64_t bytes_before = memory.bytes;
    // The key that is there twice is met after a long string was copied.
    uint8_t *bytes = test_from_hex("0902 2161 ffff0f0000 62*4063 2161 02", &size);
    assert_null(firn_value_decode(doc, bytes, size, &err));
    assert_error(&err, FIRN_CORRUPT, "");
    assert_int_equal(err.offset, size - 3);
    assert_int_equal(memory.bytes, bytes_before);
    assert_string_equal(kept->as.string, "kept");
    free(bytes);
    firn_doc_destroy(doc);
    assert_no_leak(&memory);
}

static void keys_are_twice_there_only_with_values(void **state)
{
    (void)state;
    static const struct {
        const char *hex;
        bool good;
    } cases[] = {
        {"0902 2161 00 2161 02", true},
        {"0902 2161 02 2161 00", true},
        {"0902 2161 02 2161 02", false},
        {"0d0301 02 00 070000000000000040 02", true},
        {"0d0201 02 07000000000000f03f 02", false},
        {"0b0101 02 070000000000000000 02", false},
        {"0902 070000000000000000 02 070000000000000080 02", false},
        {"0902 0600000000 02 070000000000000080 02", false},
        {"0902 0605000000 02 070000000000001440 02", false},
    };
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size;
        firn_error err;
        uint8_t *bytes = test_from_hex(cases[i].hex, &size);
        const firn_value *value = firn_value_decode(doc, bytes, size, &err);
        assert_int_equal(value != NULL, cases[i].good);
        if (value == NULL)
            assert_error(&err, FIRN_CORRUPT, "");
        free(bytes);
    }
    firn_doc_destroy(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T11_an_error_has_the_path_to_the_place),
        cmocka_unit_test(a_hundred_tables_pass_and_one_more_fails),
        cmocka_unit_test(a_tree_that_shares_tables_ends_at_the_limit_of_values),
        cmocka_unit_test(what_is_no_value_is_invalid),
        cmocka_unit_test(limits_that_are_none_are_invalid),
        cmocka_unit_test(encode_appends),
        cmocka_unit_test(random_trees_come_back_equal),
        cmocka_unit_test(a_failed_decode_leaves_nothing_in_the_document),
        cmocka_unit_test(keys_are_twice_there_only_with_values),
    };
    return cmocka_run_group_tests_name("value_encode", tests, NULL, NULL);
}
