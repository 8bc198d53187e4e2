#include "support/support.h"

#include "base/hash.h"

#include <string.h>

// The input and the hashes are those of the xxHash project's own sanity check.
#define PRIME64 UINT64_C(11400714785074694797)

static void fill_like_xxhash(uint8_t *bytes, size_t size)
{
    uint64_t generator = UINT32_C(2654435761);
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(generator >> 56);
        generator *= PRIME64;
    }
}

static void hashes_are_those_that_xxhash_publishes(void **state)
{
    (void)state;
    uint8_t bytes[2400];
    fill_like_xxhash(bytes, sizeof bytes);
    static const struct {
        size_t size;
        uint64_t seed;
        uint64_t hash;
    } vectors[] = {
        {0, 0, UINT64_C(0x2d06800538d394c2)},         {1, 0, UINT64_C(0xc44bdff4074eecdb)},
        {6, 0, UINT64_C(0x27b56a84cd2d7325)},         {12, 0, UINT64_C(0xa713daf0dfbb77e7)},
        {24, 0, UINT64_C(0xa3fe70bf9d3510eb)},        {48, 0, UINT64_C(0x397da259ecba1f11)},
        {80, 0, UINT64_C(0xbcdefbbb2c47c90a)},        {195, 0, UINT64_C(0xcd94217ee362ec3a)},
        {403, 0, UINT64_C(0xcdeb804d65c6dea4)},       {512, 0, UINT64_C(0x617e49599013cb6b)},
        {2048, 0, UINT64_C(0xdd59e2c3a5f038e0)},      {2240, 0, UINT64_C(0x6e73a90539cf2948)},
        {2367, 0, UINT64_C(0xcb37aeb9e5d361ed)},      {0, PRIME64, UINT64_C(0xa8a6b918b2f0364a)},
        {1, PRIME64, UINT64_C(0x032be332dd766ef8)},   {6, PRIME64, UINT64_C(0x84589c116ab59ab9)},
        {12, PRIME64, UINT64_C(0xe7303e1b2336de0e)},  {48, PRIME64, UINT64_C(0xadc2cbaa44acc616)},
        {195, PRIME64, UINT64_C(0xba68003d370cb3d9)}, {512, PRIME64, UINT64_C(0x3ce457de14c27708)},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        assert_true(vectors[i].seed != 0 || fr_hash(bytes, vectors[i].size) == vectors[i].hash);
        assert_true(fr_hash_seeded(bytes, vectors[i].size, vectors[i].seed) == vectors[i].hash);
    }
}

static void wide_hashes_are_those_that_xxhash_publishes(void **state)
{
    (void)state;
    uint8_t bytes[2400];
    fill_like_xxhash(bytes, sizeof bytes);
    static const struct {
        size_t size;
        uint64_t low, high;
    } vectors[] = {
        {0, UINT64_C(0x6001c324468d497f), UINT64_C(0x99aa06d3014798d8)},
        {1, UINT64_C(0xc44bdff4074eecdb), UINT64_C(0xa6cd5e9392000f6a)},
        {6, UINT64_C(0x3e7039bdda43cfc6), UINT64_C(0x082afe0b8162d12a)},
        {12, UINT64_C(0x061a192713f69ad9), UINT64_C(0x6e3efd8fc7802b18)},
        {24, UINT64_C(0x1e7044d28b1b901d), UINT64_C(0x0ce966e4678d3761)},
        {48, UINT64_C(0xf942219aed80f67b), UINT64_C(0xa002ac4e5478227e)},
        {81, UINT64_C(0x5e8bafb9f95fb803), UINT64_C(0x4952f58181ab0042)},
        {222, UINT64_C(0xf1aebd597cec6b3a), UINT64_C(0x337e09641b948717)},
        {403, UINT64_C(0xcdeb804d65c6dea4), UINT64_C(0x1b6de21e332dd73d)},
        {512, UINT64_C(0x617e49599013cb6b), UINT64_C(0x18d2d110dcc9bca1)},
        {2048, UINT64_C(0xdd59e2c3a5f038e0), UINT64_C(0xf736557fd47073a5)},
        {2240, UINT64_C(0x6e73a90539cf2948), UINT64_C(0xccb134fbfa7ce49d)},
        {2367, UINT64_C(0xcb37aeb9e5d361ed), UINT64_C(0xe89c0f6ff369b427)},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        fr_hash128 hash = fr_hash_128(bytes, vectors[i].size);
        assert_true(hash.low == vectors[i].low);
        assert_true(hash.high == vectors[i].high);
    }
}

static void another_seed_gives_another_hash(void **state)
{
    (void)state;
    assert_true(fr_hash_seeded("snow", 4, 1) != fr_hash_seeded("snow", 4, 2));
    assert_true(fr_hash_seeded("snow", 4, 1) != fr_hash("snow", 4));
}

static void pieces_hash_like_the_whole(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    static uint8_t bytes[5000];
    fill_like_xxhash(bytes, sizeof bytes);
    fr_digest *digest = fr_digest_create(&memory.allocator);
    assert_non_null(digest);
    test_random random = {1};
    for (uint32_t round = 0; round < 300; round++) {
        size_t size = test_random_below(&random, sizeof bytes);
        fr_digest_reset(digest);
        for (size_t at = 0; at < size;) {
            size_t piece = test_random_below(&random, 700);
            piece = piece < size - at ? piece : size - at;
            fr_digest_update(digest, bytes + at, piece);
            at += piece;
        }
        fr_hash128 wide = fr_digest_value_128(digest), whole = fr_hash_128(bytes, size);
        assert_true(fr_digest_value(digest) == fr_hash(bytes, size));
        assert_true(wide.low == whole.low && wide.high == whole.high);
    }
    fr_digest_destroy(&memory.allocator, digest);
    fr_digest_destroy(&memory.allocator, NULL);
    assert_no_leak(&memory);
}

static void a_new_digest_is_that_of_no_bytes_and_reading_it_changes_nothing(void **state)
{
    (void)state;
    fr_digest *digest = fr_digest_create(NULL);
    assert_non_null(digest);
    assert_true(fr_digest_value(digest) == fr_hash(NULL, 0));
    fr_digest_update(digest, NULL, 0);
    assert_true(fr_digest_value(digest) == fr_hash(NULL, 0));
    fr_digest_update(digest, "sn", 2);
    assert_true(fr_digest_value(digest) == fr_hash("sn", 2));
    fr_digest_update(digest, "ow", 2);
    assert_true(fr_digest_value(digest) == fr_hash("snow", 4));
    fr_digest_destroy(NULL, digest);
}

static void a_number_is_hashed_as_eight_little_endian_bytes(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {8, 7, 6, 5, 4, 3, 2, 1};
    fr_digest *digest = fr_digest_create(NULL);
    assert_non_null(digest);
    fr_digest_update_u64(digest, UINT64_C(0x0102030405060708));
    assert_true(fr_digest_value(digest) == fr_hash(bytes, sizeof bytes));
    fr_digest_destroy(NULL, digest);
}

static void a_digest_without_memory_is_null(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    test_allocator_fail_at(&memory, 1, false);
    assert_null(fr_digest_create(&memory.allocator));
    assert_no_leak(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_those_that_xxhash_publishes),
        cmocka_unit_test(wide_hashes_are_those_that_xxhash_publishes),
        cmocka_unit_test(another_seed_gives_another_hash),
        cmocka_unit_test(pieces_hash_like_the_whole),
        cmocka_unit_test(a_new_digest_is_that_of_no_bytes_and_reading_it_changes_nothing),
        cmocka_unit_test(a_number_is_hashed_as_eight_little_endian_bytes),
        cmocka_unit_test(a_digest_without_memory_is_null),
    };
    return cmocka_run_group_tests_name("base/hash", tests, NULL, NULL);
}
