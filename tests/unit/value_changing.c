// Bytes that change while a value is read, as those of a mapped file may: a tree is built within
// the bytes, or not at all.
#include <stdlib.h>
#include <string.h>

#include "value_trees.h"

/// Writes one byte when memory is taken for the first time, and the old one when memory is given
/// back, which is before the bytes are asked why they are no value.
typedef struct tamperer {
    firn_allocator allocator;
    uint8_t *bytes;
    size_t at;
    uint8_t byte;
    uint8_t old;
    bool armed;
} tamperer;

static void *tamper_resize(void *user, void *ptr, size_t old_size, size_t new_size, size_t align)
{
    tamperer *tamper = user;
    if (tamper->armed && new_size > 0) {
        tamper->bytes[tamper->at] = tamper->byte;
        tamper->armed = false;
    } else if (!tamper->armed && new_size == 0) {
        tamper->bytes[tamper->at] = tamper->old;
    }
    const firn_allocator *memory = firn_allocator_default();
    return memory->resize(memory->user, ptr, old_size, new_size, align);
}

// Decodes a copy of `bytes` in which byte `at` is `byte` while it is read. -> the result
static firn_result decode_tampered(const firn_buffer *bytes, size_t at, uint8_t byte,
                                   firn_error *err)
{
    tamperer tamper = {.at = at, .byte = byte};
    tamper.allocator = (firn_allocator){tamper_resize, &tamper};
    tamper.bytes = malloc(bytes->size); // exactly: a read behind it is found
    assert_non_null(tamper.bytes);
    memcpy(tamper.bytes, bytes->data, bytes->size);
    tamper.old = tamper.bytes[at];
    firn_doc *doc = firn_doc_create(&tamper.allocator, NULL, NULL);
    assert_non_null(doc);
    tamper.armed = true;
    *err = (firn_error){.code = FIRN_OK};
    const firn_value *value = firn_value_decode(doc, tamper.bytes, bytes->size, err);
    assert_false(tamper.armed);
    if (value != NULL) {
        firn_buffer again = {0};
        test_encode(value, &again);
        firn_buffer_free(&again);
    }
    firn_doc_destroy(doc);
    free(tamper.bytes);
    return value == NULL ? err->code : FIRN_OK;
}

static void a_value_whose_bytes_change_is_built_within_them_or_refused(void **state)
{
    (void)state;
    test_random random = {7};
    uint32_t results[2] = {0, 0};
    for (int round = 0; round < 20; round++) {
        firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
        firn_buffer bytes = {0};
        test_encode(test_random_value(&random, doc, 4), &bytes);
        for (int i = 0; i < 400; i++) {
            firn_error err;
            size_t at = (size_t)(test_random_u64(&random) % bytes.size);
            uint8_t byte = (uint8_t)test_random_u64(&random);
            firn_result result = decode_tampered(&bytes, at, byte, &err);
            if (result != FIRN_OK) {
                assert_error(&err, result, "");
                assert_true(err.offset <= bytes.size);
            }
            results[result != FIRN_OK] += 1;
        }
        firn_buffer_free(&bytes);
        firn_doc_destroy(doc);
    }
    assert_true(results[0] > 100 && results[1] > 100);
}

// The hex is a value, and `byte` at `at` makes bytes that are none.
static void assert_change_is_seen(const char *hex, size_t at, uint8_t byte)
{
    firn_buffer bytes = {0};
    bytes.data = test_from_hex(hex, &bytes.size);
    firn_error err;
    if (decode_tampered(&bytes, at, byte, &err) != FIRN_CORRUPT) {
        fail_msg("%s with %02x at %zu is not seen", hex, byte, at);
    }
    assert_error(&err, FIRN_CORRUPT, "");
    assert_non_null(strstr(err.message, "changed"));
    free(bytes.data);
}

static void a_string_that_becomes_longer_than_its_bytes_is_refused(void **state)
{
    (void)state;
    assert_change_is_seen("22 61 62", 0, 0x30);
}

static void a_string_that_becomes_shorter_than_its_bytes_is_refused(void **state)
{
    (void)state;
    assert_change_is_seen("22 61 62", 0, 0x21);
}

static void a_scalar_that_becomes_longer_than_its_bytes_is_refused(void **state)
{
    (void)state;
    assert_change_is_seen("02", 0, 0x07);
}

static void a_byte_that_becomes_no_tag_is_refused(void **state)
{
    (void)state;
    assert_change_is_seen("02", 0, 0x1f);
}

static void a_length_that_becomes_longer_than_its_bytes_is_refused(void **state)
{
    (void)state;
    assert_change_is_seen("02", 0, 0xff);
}

static void a_key_that_becomes_none_is_refused(void **state)
{
    (void)state;
    assert_change_is_seen("09 01 02 02", 2, 0x00);            // nil
    assert_change_is_seen("09 01 02 02", 2, 0x08);            // a table
    assert_change_is_seen("09 01 07 00*6 f0 7f 02", 9, 0xf8); // NaN
    assert_change_is_seen("09 01 07 00*6 f0 7f 02", 2, 0x10); // an int64
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_whose_bytes_change_is_built_within_them_or_refused),
        cmocka_unit_test(a_string_that_becomes_longer_than_its_bytes_is_refused),
        cmocka_unit_test(a_string_that_becomes_shorter_than_its_bytes_is_refused),
        cmocka_unit_test(a_scalar_that_becomes_longer_than_its_bytes_is_refused),
        cmocka_unit_test(a_byte_that_becomes_no_tag_is_refused),
        cmocka_unit_test(a_length_that_becomes_longer_than_its_bytes_is_refused),
        cmocka_unit_test(a_key_that_becomes_none_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
