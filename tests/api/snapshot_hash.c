// The hash of a world, and of its save.
#include "api/snapshot_zoo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct part {
    char name[64];
    uint64_t hash;
} part;

typedef struct parts {
    firn_hash whole;
    part items[16];
    uint32_t count;
} parts;

static void note_part(void *user, const char *component, uint64_t hash)
{
    parts *all = user;
    assert_true(all->count < 16);
    snprintf(all->items[all->count].name, sizeof all->items[0].name, "%s", component);
    all->items[all->count++].hash = hash;
}

static parts hash_world(firn_world *world)
{
    firn_error err;
    parts all;
    memset(&all, 0, sizeof all);
    assert_ok(firn_world_hash(world, &all.whole, note_part, &all, &err), &err);
    return all;
}

static parts hash_image(const firn_buffer *image)
{
    firn_error err;
    parts all;
    memset(&all, 0, sizeof all);
    assert_ok(firn_image_hash(image->data, image->size, NULL, &all.whole, note_part, &all, &err),
              &err);
    return all;
}

static uint64_t part_of(const parts *all, const char *name)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (strcmp(all->items[i].name, name) == 0)
            return all->items[i].hash;
    fail_msg("no hash of %s", name);
    return 0;
}

static void F1_a_world_and_its_save_have_the_same_hash(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false), other = zoo_make(NULL, true);
    zoo_fill(&z);
    zoo_litter(&other);
    firn_buffer image = zoo_save(z.world);
    zoo_load(other.world, &image);
    parts live = hash_world(z.world), saved = hash_image(&image), loaded = hash_world(other.world);
    assert_memory_equal(&live, &saved, sizeof live);
    assert_memory_equal(&live, &loaded, sizeof live);
    assert_int_equal(live.count, ZOO_KINDS + 3);
    for (uint32_t i = 1; i < live.count; i++)
        assert_true(strcmp(live.items[i - 1].name, live.items[i].name) < 0);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
    firn_world_destroy(other.world);
}

static void F1_an_empty_world_has_a_hash_too(void **state)
{
    (void)state;
    firn_world *world = zoo_empty(NULL);
    firn_buffer image = zoo_save(world);
    parts live = hash_world(world), saved = hash_image(&image);
    assert_memory_equal(&live, &saved, sizeof live);
    assert_int_equal(live.count, 0);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void F1_the_hash_of_a_component_changes_with_it_alone(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_error err;
    parts before = hash_world(z.world);
    zoo_point *point = firn_get_mut(z.world, 1, z.of[ZOO_POINT]);
    point->x += 1;
    parts after = hash_world(z.world);
    for (uint32_t i = 0; i < before.count; i++)
        assert_int_equal(before.items[i].hash != after.items[i].hash,
                         strcmp(before.items[i].name, "zoo.Point") == 0);
    assert_int_equal(before.whole.ids, after.whole.ids);
    assert_int_equal(before.whole.entities, after.whole.entities);
    assert_int_equal(before.whole.world, after.whole.world);
    assert_int_not_equal(before.whole.total, after.whole.total);
    point->x -= 1;
    after = hash_world(z.world);
    assert_memory_equal(&before, &after, sizeof before);

    assert_ok(firn_set_text(z.world, 8, z.of[ZOO_TITLE], "other", &err), &err);
    after = hash_world(z.world);
    assert_int_not_equal(part_of(&before, "zoo.Title"), part_of(&after, "zoo.Title"));
    assert_int_equal(part_of(&before, "zoo.Bag"), part_of(&after, "zoo.Bag"));
    firn_world_destroy(z.world);
}

static void F1_the_tick_has_a_part_of_its_own(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_error err;
    firn_hash before = zoo_hash(z.world);
    assert_ok(firn_world_set_tick(z.world, 601, &err), &err);
    firn_hash after = zoo_hash(z.world);
    assert_int_not_equal(before.world, after.world);
    assert_int_not_equal(before.total, after.total);
    assert_int_equal(before.ids, after.ids);
    assert_int_equal(before.entities, after.entities);
    firn_world_destroy(z.world);
}

// Two worlds that hold the same, but would give other ids next.
static void F1_the_free_list_counts_in_the_ids_alone(void **state)
{
    (void)state;
    firn_error err;
    firn_hash hashes[3];
    for (int i = 0; i < 3; i++) {
        firn_world *world = zoo_empty(NULL);
        firn_entity ids[3];
        assert_ok(firn_spawn_many(world, NULL, 0, 3, ids, &err), &err);
        assert_ok(firn_despawn(world, ids[i == 1 ? 2 : 1], &err), &err);
        assert_ok(firn_despawn(world, ids[i == 1 ? 1 : 2], &err), &err);
        if (i == 2) { // one generation more
            firn_entity again = zoo_spawn(world, NULL, 0);
            assert_ok(firn_despawn(world, again, &err), &err);
        }
        hashes[i] = zoo_hash(world);
        firn_buffer image = zoo_save(world);
        assert_int_equal(hash_image(&image).whole.total, hashes[i].total);
        firn_buffer_free(&image);
        firn_world_destroy(world);
    }
    for (int i = 1; i < 3; i++) {
        assert_int_not_equal(hashes[0].ids, hashes[i].ids);
        assert_int_not_equal(hashes[0].total, hashes[i].total);
        assert_int_equal(hashes[0].entities, hashes[i].entities);
        assert_int_equal(hashes[0].world, hashes[i].world);
    }
    assert_int_not_equal(hashes[1].ids, hashes[2].ids);
}

static void F1_a_tag_counts_in_the_entities_and_not_in_other_components(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    firn_error err;
    firn_entity entity = zoo_spawn_one(z.world, z.of[ZOO_POINT]);
    parts before = hash_world(z.world);
    assert_ok(firn_add(z.world, entity, &z.of[ZOO_TAG], 1, &err), &err);
    parts after = hash_world(z.world);
    assert_int_not_equal(before.whole.entities, after.whole.entities);
    assert_int_equal(before.whole.ids, after.whole.ids);
    assert_int_equal(part_of(&before, "zoo.Point"), part_of(&after, "zoo.Point"));
    firn_world_destroy(z.world);
}

static void F1_custom_data_and_transient_components_are_not_hashed(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_error err;
    firn_component_desc desc = {.name = "a.Cache", .kind = FIRN_STRING, .transient = true};
    firn_component cache = zoo_register(z.world, &desc);
    parts before = hash_world(z.world);
    // The last row of its archetype, which stays behind the others.
    assert_ok(firn_set_text(z.world, 12, cache, "what is computed from the rest", &err), &err);
    parts after = hash_world(z.world);
    assert_memory_equal(&before, &after, sizeof before);
    firn_data data = {.key = "k", .encoded = "\x02", .encoded_size = 1};
    firn_buffer image =
        zoo_save_with(z.world, &(firn_save_options){.data = &data, .data_count = 1});
    parts saved = hash_image(&image);
    assert_memory_equal(&before, &saved, sizeof before);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(F1_a_world_and_its_save_have_the_same_hash),
        cmocka_unit_test(F1_an_empty_world_has_a_hash_too),
        cmocka_unit_test(F1_the_hash_of_a_component_changes_with_it_alone),
        cmocka_unit_test(F1_the_tick_has_a_part_of_its_own),
        cmocka_unit_test(F1_the_free_list_counts_in_the_ids_alone),
        cmocka_unit_test(F1_a_tag_counts_in_the_entities_and_not_in_other_components),
        cmocka_unit_test(F1_custom_data_and_transient_components_are_not_hashed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
