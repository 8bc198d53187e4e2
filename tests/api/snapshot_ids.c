// Ids of an image, which a load checks and places in blocks.
#include "api/snapshot_zoo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// More than two blocks, and a rest.
#define COUNT 600

// An image of entities 1 to COUNT in one frame.
typedef struct rows {
    zoo z;
    firn_buffer image;
    uint8_t *ids; // in the image
} rows;

static void store(uint8_t *at, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(bits >> (8 * i));
}

static rows rows_make(void)
{
    uint8_t first[16];
    rows r = {.z = zoo_make(NULL, false)};
    for (uint32_t i = 0; i < COUNT; i++)
        zoo_spawn_one(r.z.world, r.z.of[ZOO_TAG]);
    r.image = zoo_save(r.z.world);
    store(first, 1);
    store(first + 8, 2);
    for (r.ids = r.image.data; memcmp(r.ids, first, sizeof first) != 0; r.ids++)
        assert_true(r.ids + (size_t)8 * COUNT < r.image.data + r.image.size);
    return r;
}

static void rows_free(rows *r)
{
    firn_buffer_free(&r->image);
    firn_world_destroy(r->z.world);
}

// The load says what a check of the bytes says, and leaves the world.
static void expect_refused(const rows *r)
{
    firn_error checked, loaded;
    firn_hash before = zoo_hash(r->z.world);
    firn_result result = firn_image_check(r->image.data, r->image.size, NULL, NULL, &checked);
    assert_int_equal(result, FIRN_CORRUPT);
    assert_int_equal(
        firn_snapshot_load(r->z.world, r->image.data, r->image.size, NULL, NULL, &loaded),
        FIRN_CORRUPT);
    assert_string_equal(loaded.message, checked.message);
    assert_int_equal(loaded.offset, checked.offset);
    assert_int_equal(zoo_hash(r->z.world).total, before.total);
}

static void F5_an_id_that_is_none_is_refused_wherever_it_stands(void **state)
{
    (void)state;
    static const uint32_t places[] = {0, 1, 100, 255, 256, 300, 511, 512, COUNT - 1};
    static const double wrong[] = {0.5,
                                   -1,
                                   0,
                                   -0.0,
                                   NAN,
                                   INFINITY,
                                   4194304,
                                   COUNT + 1,
                                   1e300,
                                   9007199254740992.0,
                                   4503599627370496.0 /* slot 0 of a high generation */};
    rows r = rows_make();
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        uint32_t place = places[i];
        for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
            store(r.ids + (size_t)8 * place, wrong[k]);
            expect_refused(&r);
        }
        store(r.ids + (size_t)8 * place, place + 1.5);
        expect_refused(&r);
        store(r.ids + (size_t)8 * place, place == 0 ? COUNT : place); // its neighbour's
        expect_refused(&r);
        store(r.ids + (size_t)8 * place, place + 1);
    }
    assert_saves_as(r.z.world, &r.image);
    zoo_load(r.z.world, &r.image);
    rows_free(&r);
}

static void F5_blocks_that_count_up_are_no_ids_all_the_same(void **state)
{
    (void)state;
    // What is added to each id of the first block, the second, and the rest.
    static const double added[][3] = {
        {0.5, 0, 0},             // no whole numbers
        {0, 0.5, 0},             //
        {COUNT, 0, 0},           // above the next slot
        {COUNT - 100, 0, 0},     // some of them
        {-1, 0, 0},              // slot 0
        {4194304.0 - 100, 0, 0}, // across the slots' end
        {0, -256, 0},            // the slots of the first block
        {0, -1, 0},              // one of them
        {0, 0, -256},            //
        {256, 0, 0},             //
    };
    rows r = rows_make();
    for (size_t k = 0; k < sizeof added / sizeof *added; k++) {
        for (uint32_t i = 0; i < COUNT; i++)
            store(r.ids + (size_t)8 * i, i + 1 + added[k][i < 256 ? 0 : i < 512 ? 1 : 2]);
        expect_refused(&r);
    }
    rows_free(&r);
}

static void T12_generations_that_differ_or_are_equal_in_a_block_are_kept(void **state)
{
    (void)state;
    rows r = rows_make();
    zoo other = zoo_make(NULL, true);
    for (uint32_t round = 0; round < 4; round++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            double generations[] = {0, 2147483647, i % 100 == 0, i / 200};
            store(r.ids + (size_t)8 * i, (i + 1) + 4194304.0 * generations[round]);
        }
        zoo_load(other.world, &r.image);
        assert_saves_as(other.world, &r.image);
    }
    firn_world_destroy(other.world);
    rows_free(&r);
}

// Spawned together, one by one, despawned here and there, in several archetypes.
static void T12_every_entity_is_found_after_a_load(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false), other = zoo_make(NULL, true);
    firn_error err;
    test_random random = {1};
    firn_entity ids[2000];
    for (uint32_t round = 0; round < 12; round++) {
        uint32_t count = 1 + test_random_below(&random, 2000);
        firn_component kinds[] = {z.of[ZOO_TAG], z.of[ZOO_SCORE]};
        assert_ok(firn_spawn_many(z.world, kinds, 1 + round % 2, count, ids, &err), &err);
        for (uint32_t i = 0; i < count; i++) {
            double score = (double)ids[i];
            if (round % 2 == 1)
                assert_ok(firn_set(z.world, ids[i], z.of[ZOO_SCORE], &score, &err), &err);
        }
        for (uint32_t i = 0; i < count; i += 1 + test_random_below(&random, round < 6 ? 900 : 3))
            assert_ok(firn_despawn(z.world, ids[i], &err), &err);
        firn_buffer image = zoo_save(z.world);
        zoo_load(other.world, &image);
        assert_saves_as(other.world, &image);
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(firn_alive(other.world, ids[i]), firn_alive(z.world, ids[i]));
            const double *score = firn_get(other.world, ids[i], other.of[ZOO_SCORE]);
            assert_int_equal(score != NULL, round % 2 == 1 && firn_alive(z.world, ids[i]));
            assert_true(score == NULL || *score == (double)ids[i]);
        }
        firn_buffer_free(&image);
    }
    firn_world_destroy(z.world);
    firn_world_destroy(other.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(F5_an_id_that_is_none_is_refused_wherever_it_stands),
        cmocka_unit_test(F5_blocks_that_count_up_are_no_ids_all_the_same),
        cmocka_unit_test(T12_generations_that_differ_or_are_equal_in_a_block_are_kept),
        cmocka_unit_test(T12_every_entity_is_found_after_a_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
