// What counts as the encoding that firn writes, and what the other encodings become.
#include <stdlib.h>
#include <string.h>

#include "value/check.h"
#include "value_trees.h"

/// The bytes become `canonical`, which itself is canonical.
static void assert_becomes(const char *hex, const char *canonical)
{
    size_t size;
    size_t wanted_size;
    firn_error err;
    firn_buffer out = {0};
    uint8_t *bytes = test_from_hex(hex, &size);
    uint8_t *wanted = test_from_hex(canonical, &wanted_size);
    bool same = size == wanted_size && memcmp(bytes, wanted, size) == 0;
    assert_int_equal(fr_value_is_canonical(bytes, size), same);
    assert_true(fr_value_is_canonical(wanted, wanted_size));
    assert_ok(fr_value_canonicalise(bytes, size, NULL, NULL, &out, &err), &err);
    assert_int_equal(out.size, wanted_size);
    assert_memory_equal(out.data, wanted, wanted_size);
    firn_buffer_free(&out);
    free(bytes);
    free(wanted);
}

static void scalars_have_one_form(void **state)
{
    (void)state;
    assert_becomes("00", "00");
    assert_becomes("02", "02");
    assert_becomes("ff02000000", "02");
    assert_becomes("0605000000", "070000000000001440");
    assert_becomes("0600000080", "07000000000000e0c1");
    assert_becomes("070000000000000080", "070000000000000080");
    assert_becomes("07010000000000f8ff", "07000000000000f87f");
    assert_becomes("12 000000000000f8ff 0000000000000080", "12 000000000000f87f 0000000000000080");
    assert_becomes("ff21000000 61", "21 61");
    assert_becomes("ffe0000000 61*192", "e000 61*192");
    assert_becomes("ffdf1f0000 61*8127", "feff 61*8127");
    assert_becomes("ffe01f0000 61*8128", "ffe01f0000 61*8128");
}

static void tables_have_one_form(void **state)
{
    (void)state;
    assert_becomes("0900", "08");
    assert_becomes("0c01", "08");
    assert_becomes("0b0000", "08");
    assert_becomes("0a01 00", "08");
    assert_becomes("0901 2161 00", "08");
    assert_becomes("0a01 02", "0901 070000000000000000 02");
    assert_becomes("0c03 00 02", "0901 070000000000000040 02");
    assert_becomes("0cff02000000 02", "0c02 02");
    assert_becomes("0901 07000000000000f03f 02", "0c02 02");
    assert_becomes("0901 070000000000000080 02", "0901 070000000000000000 02");
    assert_becomes("0d0201 02 070000000000000040 01", "0c03 02 01");
    assert_becomes("0d0201 01 070000000000000840 02", "0d0201 01 070000000000000840 02");
}

static void keys_ascend(void **state)
{
    (void)state;
    assert_becomes("0902 02 01 01 02", "0902 01 02 02 01");
    assert_becomes("0902 2161 01 02 02", "0902 02 02 2161 01");
    assert_becomes("0902 20 01 07000000000000f0bf 01", "0902 07000000000000f0bf 01 20 01");
    assert_becomes("0903 2162 01 226161 01 2161 01", "0903 2161 01 226161 01 2162 01");
    assert_becomes("0902 21ff 01 217f 02", "0902 217f 02 21ff 01");
}

static void inner_tables_are_looked_at_too(void **state)
{
    (void)state;
    assert_becomes("0c02 0c02 0601000000", "0c02 0c02 07000000000000f03f");
    assert_becomes("0901 2161 0902 2162 01 2161 02", "0901 2161 0902 2161 02 2162 01");
    assert_becomes("0c03 0901 2161 01 0901 2161 02", "0c03 0901 2161 01 0901 2161 02");
}

static void invalid_bytes_are_not_canonical(void **state)
{
    (void)state;
    static const char *const bad[] = {"0000",
                                      "03",
                                      "06",
                                      "07",
                                      "2161 61",
                                      "22 61",
                                      "0c02",
                                      "0c02 00",
                                      "0901 2161",
                                      "0901 08 02",
                                      "0902 2161 01 2161 02",
                                      "0901 07000000000000f87f 01",
                                      "0901 10 00*8 01",
                                      "ff",
                                      "e0",
                                      "13",
                                      "0c02 0e0008"};
    assert_false(fr_value_is_canonical(NULL, 0));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        size_t size;
        uint8_t *bytes = test_from_hex(bad[i], &size);
        assert_false(fr_value_is_canonical(bytes, size));
        free(bytes);
    }
}

static void canonical_bytes_are_copied_without_other_memory(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    test_allocator_fail_at(&memory, 1, true);
    firn_error err;
    firn_buffer out = {0};
    static const uint8_t bytes[] = {0x0c, 0x03, 0x02, 0x01};
    assert_ok(fr_value_canonicalise(bytes, sizeof bytes, NULL, &memory.allocator, &out, &err),
              &err);
    assert_memory_equal(out.data, bytes, sizeof bytes);
    firn_buffer_free(&out);
}

static void a_failure_leaves_the_output_as_it_was(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer out = {0};
    assert_ok(firn_buffer_append(&out, "abc", 3, &err), &err);
    size_t size;
    uint8_t *bytes = test_from_hex("0903 2162 01 2161 01 2161 02", &size);
    assert_int_equal(fr_value_canonicalise(bytes, size, NULL, NULL, &out, &err), FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "");
    assert_int_equal(err.offset, 8);
    assert_non_null(strstr(err.message, "\"a\""));
    assert_int_equal(out.size, 3);
    free(bytes);
    firn_buffer_free(&out);
}

static void what_encode_writes_is_canonical(void **state)
{
    (void)state;
    test_random random = {11};
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_buffer out = {0};
    for (int i = 0; i < 3000; i++) {
        firn_doc_clear(doc);
        firn_buffer_clear(&out);
        test_encode(test_random_value(&random, doc, 4), &out);
        assert_true(fr_value_is_canonical(out.data, out.size));
    }
    firn_buffer_free(&out);
    firn_doc_destroy(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_have_one_form),
        cmocka_unit_test(tables_have_one_form),
        cmocka_unit_test(keys_ascend),
        cmocka_unit_test(inner_tables_are_looked_at_too),
        cmocka_unit_test(invalid_bytes_are_not_canonical),
        cmocka_unit_test(canonical_bytes_are_copied_without_other_memory),
        cmocka_unit_test(a_failure_leaves_the_output_as_it_was),
        cmocka_unit_test(what_encode_writes_is_canonical),
    };
    return cmocka_run_group_tests_name("value_canonical", tests, NULL, NULL);
}
