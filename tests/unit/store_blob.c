// Rows that hold encodings, alone and in blocks that they share.
#include "store/blob.h"
#include "support/support.h"

#include <string.h>

#define BLOBS 3000

typedef struct blobs {
    test_allocator memory;
    fr_blob_pool pool;
    fr_blob items[BLOBS];
    uint8_t bytes[2000];
} blobs;

static blobs b;

static int make(void **state)
{
    (void)state;
    test_allocator_init(&b.memory);
    fr_blob_pool_begin(&b.pool, &b.memory.allocator);
    for (size_t i = 0; i < sizeof b.bytes; i++)
        b.bytes[i] = (uint8_t)(i * 7 + i / 256);
    return 0;
}

// Sizes around what fits a row, a block that is shared, and neither.
static uint32_t size_of(uint32_t i)
{
    static const uint32_t sizes[] = {1, 12, 13, 15, 16, 17, 24, 100, 511, 512, 513, 1900};
    return sizes[i % 12];
}

static void assert_holds(const fr_blob *blob, uint32_t i)
{
    uint8_t copy[2000];
    assert_int_equal(blob->size, size_of(i));
    assert_memory_equal(fr_blob_bytes(blob), b.bytes + i % 90, size_of(i));
    fr_blob_copy(blob, copy);
    assert_memory_equal(copy, b.bytes + i % 90, size_of(i));
}

static void blobs_of_a_pool_hold_what_those_made_alone_hold(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < BLOBS; i++) {
        const uint8_t *bytes = b.bytes + i % 90;
        assert_true(i % 5 == 4 ? fr_blob_make(&b.memory.allocator, bytes, size_of(i), &b.items[i])
                               : fr_blob_pool_make(&b.pool, bytes, size_of(i), &b.items[i]));
    }
    for (uint32_t i = 0; i < BLOBS; i++)
        assert_holds(&b.items[i], i);
    fr_blob_pool_end(&b.pool);
    // In an order of its own: 7 and BLOBS have no common divisor.
    for (uint32_t i = 0, at = 0; i < BLOBS; i++, at = (at + 7) % BLOBS) {
        assert_holds(&b.items[at], at);
        fr_blob_free(&b.memory.allocator, &b.items[at], 1);
    }
    assert_no_leak(&b.memory);
}

static void small_blobs_of_a_pool_share_allocations(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < BLOBS; i++)
        assert_true(fr_blob_pool_make(&b.pool, b.bytes, 16, &b.items[i]));
    assert_true(b.memory.calls < BLOBS / 200);
    fr_blob_free(&b.memory.allocator, b.items, BLOBS);
    // The pool goes on in the block that it had begun.
    assert_true(fr_blob_pool_make(&b.pool, b.bytes, 16, &b.items[0]));
    fr_blob_pool_end(&b.pool);
    fr_blob_free(&b.memory.allocator, b.items, 1);
    assert_no_leak(&b.memory);
}

static void a_pool_without_memory_makes_no_blob_and_goes_on_later(void **state)
{
    (void)state;
    const fr_blob before = {.size = 3, .bytes = {1, 2, 3}};
    for (uint32_t i = 0; i < 1000; i++) {
        b.items[i] = before;
        test_allocator_fail_at(&b.memory, 1, true);
        bool made = fr_blob_pool_make(&b.pool, b.bytes, 100, &b.items[i]);
        test_allocator_fail_at(&b.memory, 0, false);
        if (!made) {
            assert_memory_equal(&b.items[i], &before, sizeof before);
            assert_true(fr_blob_pool_make(&b.pool, b.bytes, 100, &b.items[i]));
        }
        assert_memory_equal(fr_blob_bytes(&b.items[i]), b.bytes, 100);
    }
    fr_blob_pool_end(&b.pool);
    fr_blob_pool_end(&b.pool);
    fr_blob_free(&b.memory.allocator, b.items, 1000);
    assert_no_leak(&b.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(blobs_of_a_pool_hold_what_those_made_alone_hold, make),
        cmocka_unit_test_setup(small_blobs_of_a_pool_share_allocations, make),
        cmocka_unit_test_setup(a_pool_without_memory_makes_no_blob_and_goes_on_later, make),
    };
    return cmocka_run_group_tests_name("store/blob", tests, NULL, NULL);
}
