// Every way to damage a save file of 4 KiB a little: each bit, each byte, each place to cut.
#include "golden/firn_saves.h"

#include <stdlib.h>
#include <string.h>

#include "support/support.h"

// The save, and room for one byte more, at the end of a block, so that a sanitizer sees a read
// behind it.
typedef struct damage {
    uint8_t *good;
    size_t size;
    uint8_t *bytes[3]; // one byte less, as many, one more
} damage;

static damage damage_begin(void)
{
    damage d;
    d.good = golden_save_read(golden_damage_save, &d.size);
    assert_in_range(d.size, 3800, 4400);
    for (size_t i = 0; i < 3; i++) {
        d.bytes[i] = malloc(d.size + i - 1);
        assert_non_null(d.bytes[i]);
    }
    memcpy(d.bytes[1], d.good, d.size);
    return d;
}

static void damage_end(damage *d)
{
    for (size_t i = 0; i < 3; i++)
        free(d->bytes[i]);
    free(d->good);
}

static firn_result assert_noticed(const uint8_t *bytes, size_t size, const char *what, size_t at)
{
    firn_error err = {.code = FIRN_OK};
    firn_save_file *file = firn_save_file_open(bytes, size, NULL, &err);
    if (file != NULL)
        fail_msg("%s at byte %zu is not noticed", what, at);
    if (err.code == FIRN_OK || err.message[0] == 0 || err.subject[0] == 0 || err.offset > size)
        fail_msg("%s at byte %zu: a bad error: %s %s", what, at, err.subject, err.message);
    return err.code;
}

static void K12_each_flipped_bit_is_noticed(void **state)
{
    (void)state;
    damage d = damage_begin();
    for (size_t i = 0; i < d.size; i++)
        for (int bit = 0; bit < 8; bit++) {
            d.bytes[1][i] ^= (uint8_t)(1 << bit);
            firn_result result = assert_noticed(d.bytes[1], d.size, "a flipped bit", i);
            assert_int_equal(result, FIRN_CORRUPT);
            d.bytes[1][i] ^= (uint8_t)(1 << bit);
        }
    damage_end(&d);
}

static void K12_each_removed_byte_is_noticed(void **state)
{
    (void)state;
    damage d = damage_begin();
    for (size_t i = 0; i < d.size; i++) {
        memcpy(d.bytes[0], d.good, i);
        memcpy(d.bytes[0] + i, d.good + i + 1, d.size - i - 1);
        assert_noticed(d.bytes[0], d.size - 1, "a removed byte", i);
    }
    damage_end(&d);
}

static void K12_each_doubled_byte_is_noticed(void **state)
{
    (void)state;
    damage d = damage_begin();
    for (size_t i = 0; i < d.size; i++) {
        memcpy(d.bytes[2], d.good, i + 1);
        memcpy(d.bytes[2] + i + 1, d.good + i, d.size - i);
        assert_noticed(d.bytes[2], d.size + 1, "a doubled byte", i);
    }
    damage_end(&d);
}

static void K12_each_added_byte_is_noticed(void **state)
{
    (void)state;
    damage d = damage_begin();
    static const uint8_t values[] = {0x00, 0xff, 0x89, '\n', '\r', ' '};
    for (size_t i = 0; i <= d.size; i++) {
        memcpy(d.bytes[2], d.good, i);
        memcpy(d.bytes[2] + i + 1, d.good + i, d.size - i);
        for (size_t k = 0; k < sizeof values; k++) {
            d.bytes[2][i] = values[k];
            assert_noticed(d.bytes[2], d.size + 1, "an added byte", i);
        }
    }
    damage_end(&d);
}

static void K12_each_truncation_is_noticed(void **state)
{
    (void)state;
    damage d = damage_begin();
    for (size_t size = 0; size < d.size; size++) {
        uint8_t *cut = d.bytes[0] + (d.size - 1 - size); // it ends where its block ends
        memcpy(cut, d.good, size);
        assert_int_equal(assert_noticed(cut, size, "a cut", size), FIRN_TRUNCATED);
    }
    damage_end(&d);
}

static void K12_each_byte_of_another_value_is_noticed(void **state)
{
    (void)state;
    damage d = damage_begin();
    static const uint8_t values[] = {0x00, 0xff, '\n', '\r', ' '};
    for (size_t i = 0; i < d.size; i++)
        for (size_t k = 0; k < sizeof values; k++) {
            if (d.good[i] == values[k])
                continue;
            d.bytes[1][i] = values[k];
            assert_noticed(d.bytes[1], d.size, "another byte", i);
            d.bytes[1][i] = d.good[i];
        }
    damage_end(&d);
}

// What a torn write leaves: sectors of zeros, or of what the file held before.
static void K12_each_sector_that_was_not_written_is_noticed(void **state)
{
    (void)state;
    damage d = damage_begin();
    for (int with = 0; with < 2; with++)
        for (size_t begin = 0; begin < d.size; begin += 512)
            for (size_t end = begin + 512; end < d.size + 512; end += 512) {
                size_t last = end < d.size ? end : d.size;
                for (size_t i = begin; i < last; i++)
                    d.bytes[1][i] = with == 0 ? 0 : (uint8_t)(d.good[i] + 1);
                assert_noticed(d.bytes[1], d.size, "an old sector", begin);
                memcpy(d.bytes[1], d.good, d.size);
            }
    damage_end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(K12_each_flipped_bit_is_noticed),
        cmocka_unit_test(K12_each_removed_byte_is_noticed),
        cmocka_unit_test(K12_each_doubled_byte_is_noticed),
        cmocka_unit_test(K12_each_added_byte_is_noticed),
        cmocka_unit_test(K12_each_truncation_is_noticed),
        cmocka_unit_test(K12_each_byte_of_another_value_is_noticed),
        cmocka_unit_test(K12_each_sector_that_was_not_written_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
