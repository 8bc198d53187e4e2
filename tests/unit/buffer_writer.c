// Bytes out: to a buffer, to a digest, to both; failures stick.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "buffer/writer.h"
#include "support/support.h"

static firn_buffer buffer;
static fr_digest *digest;

static int make(void **state)
{
    (void)state;
    digest = fr_digest_create(firn_allocator_default());
    return digest == NULL;
}

static int drop(void **state)
{
    (void)state;
    fr_digest_destroy(firn_allocator_default(), digest);
    firn_buffer_free(&buffer);
    return 0;
}

static int clear(void **state)
{
    (void)state;
    firn_buffer_clear(&buffer);
    fr_digest_reset(digest);
    return 0;
}

/// Some of everything.
static void write_all(fr_out *out)
{
    fr_out_bytes(out, "ab", 2);
    fr_out_u8(out, 0xff);
    fr_out_u64(out, UINT64_C(0x0102030405060708));
    fr_out_count(out, 0xe0);
    fr_out_encoded_bool(out, true);
    fr_out_encoded_bool(out, false);
    fr_out_encoded_number(out, 1);
    fr_out_encoded_number(out, -(double)NAN);
    fr_out_encoded_string(out, "hi", 2);
    fr_out_encoded_string(out, NULL, 0);
}

static const char *const all = "6162 ff 0807060504030201 e000 02 01"
                               "07000000000000f03f 07000000000000f87f 226869 20";

static void every_call_appends_its_bytes(void **state)
{
    (void)state;
    firn_error err;
    fr_out out;
    size_t size;
    uint8_t *wanted = test_from_hex(all, &size);
    fr_out_begin(&out, &buffer, NULL);
    write_all(&out);
    assert_ok(fr_out_end(&out, &err), &err);
    assert_int_equal(buffer.size, size);
    assert_memory_equal(buffer.data, wanted, size);
    free(wanted);
}

static void a_digest_sees_the_bytes_with_and_without_a_buffer(void **state)
{
    (void)state;
    firn_error err;
    fr_out out;
    size_t size;
    uint8_t *wanted = test_from_hex(all, &size);
    for (int with_buffer = 0; with_buffer < 2; with_buffer++) {
        fr_digest_reset(digest);
        fr_out_begin(&out, with_buffer ? &buffer : NULL, digest);
        write_all(&out);
        fr_out_flush(&out);
        assert_ok(fr_out_end(&out, &err), &err);
        assert_true(fr_digest_value(digest) == fr_hash(wanted, size));
    }
    free(wanted);
}

static void filled_space_is_counted_and_digested(void **state)
{
    (void)state;
    firn_error err;
    fr_out out;
    fr_out_begin(&out, &buffer, digest);
    fr_out_u8(&out, 'a');
    uint8_t *space = fr_out_space(&out, 1000);
    assert_non_null(space);
    memcpy(space, "bcd", 3);
    fr_out_filled(&out, 3);
    fr_out_flush(&out);
    assert_ok(fr_out_end(&out, &err), &err);
    assert_memory_equal(buffer.data, "abcd", 4);
    assert_true(fr_digest_value(digest) == fr_hash("abcd", 4));
    fr_out_begin(&out, NULL, digest);
    assert_null(fr_out_space(&out, 10));
    fr_out_filled(&out, 10);
    assert_true(fr_digest_value(digest) == fr_hash("abcd", 4));
}

static void the_digest_is_that_of_the_buffer_however_it_came_to_its_bytes(void **state)
{
    (void)state;
    static uint8_t bytes[3 * FR_OUT_BLOCK];
    firn_error err;
    test_random random = {1};
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)test_random_below(&random, 256);
    for (uint32_t round = 0; round < 200; round++) {
        fr_out out;
        fr_digest_reset(digest);
        firn_buffer_clear(&buffer);
        assert_ok(firn_buffer_append(&buffer, "before", 6, &err), &err);
        fr_out_begin(&out, &buffer, digest);
        for (uint32_t i = test_random_below(&random, 8); i > 0; i--) {
            size_t size = test_random_below(&random, i % 3 == 0 ? sizeof bytes : 600);
            switch (test_random_below(&random, 3)) {
            case 0: // past the out
                assert_ok(firn_buffer_append(&buffer, bytes, size, &err), &err);
                break;
            case 1:
                memcpy(fr_out_space(&out, size + 1), bytes, size);
                fr_out_filled(&out, size);
                break;
            default:
                fr_out_bytes(&out, bytes, size);
                break;
            }
            assert_true(out.digested <= buffer.size);
        }
        fr_out_flush(&out);
        assert_ok(fr_out_end(&out, &err), &err);
        assert_true(fr_digest_value(digest) == fr_hash(buffer.data + 6, buffer.size - 6));
    }
}

static void a_digest_is_never_more_than_a_block_behind(void **state)
{
    (void)state;
    static uint8_t bytes[FR_OUT_BLOCK + 1];
    fr_out out;
    fr_out_begin(&out, &buffer, digest);
    fr_out_bytes(&out, bytes, FR_OUT_BLOCK - 1);
    assert_int_equal(out.digested, 0);
    fr_out_u8(&out, 1);
    assert_int_equal(out.digested, FR_OUT_BLOCK);
    fr_out_u8(&out, 2);
    fr_out_bytes(&out, bytes, sizeof bytes);
    assert_int_equal(out.digested, buffer.size);
}

static void the_first_failure_sticks(void **state)
{
    (void)state;
    firn_error err;
    fr_out out;
    firn_buffer failing;
    test_allocator memory;
    test_allocator_init(&memory);
    firn_buffer_init(&failing, &memory.allocator);
    test_allocator_fail_at(&memory, 1, false);
    fr_out_begin(&out, &failing, digest);
    write_all(&out);
    assert_null(fr_out_space(&out, 1));
    fr_out_filled(&out, 1);
    assert_int_equal(fr_out_end(&out, &err), FIRN_NO_MEMORY);
    assert_error(&err, FIRN_NO_MEMORY, "buffer");
    fr_out_flush(&out);
    assert_int_equal(failing.size, 0);
    assert_true(fr_digest_value(digest) == fr_hash(NULL, 0));
    firn_buffer_free(&failing);
    assert_no_leak(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_call_appends_its_bytes, clear),
        cmocka_unit_test_setup(a_digest_sees_the_bytes_with_and_without_a_buffer, clear),
        cmocka_unit_test_setup(the_digest_is_that_of_the_buffer_however_it_came_to_its_bytes,
                               clear),
        cmocka_unit_test_setup(a_digest_is_never_more_than_a_block_behind, clear),
        cmocka_unit_test_setup(filled_space_is_counted_and_digested, clear),
        cmocka_unit_test_setup(the_first_failure_sticks, clear),
    };
    return cmocka_run_group_tests_name("buffer_writer", tests, make, drop);
}
