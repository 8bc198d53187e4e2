// Entities whose rows are plain bytes: rows of every size, and steps that are remembered.
#include "unit/store_fixture.h"

#include <stdio.h>

#define LARGEST 72 // above what moves without a call

// A component of `size` bytes, whose default row counts up from `size`.
static firn_component bytes_of(fixture *f, uint32_t size)
{
    char name[16];
    uint8_t by_default[LARGEST];
    firn_error err;
    snprintf(name, sizeof name, "Bytes%u", (unsigned)size);
    for (uint32_t i = 0; i < size; i++) {
        by_default[i] = (uint8_t)(size + i);
    }
    firn_field field = {.name = "bytes", .type = FIRN_U8, .count = size};
    firn_component component =
        firn_component_register(f->world,
                                &(firn_component_desc){.name = name,
                                                       .size = size,
                                                       .fields = &field,
                                                       .field_count = 1,
                                                       .default_row = by_default},
                                &err);
    if (component == 0) {
        fail_msg("%s: %s", name, err.message);
    }
    return component;
}

static void assert_bytes(const fixture *f, firn_entity entity, firn_component component,
                         uint32_t size, uint8_t first)
{
    const uint8_t *row = firn_get(f->world, entity, component);
    assert_non_null(row);
    for (uint32_t i = 0; i < size; i++) {
        assert_int_equal(row[i], (uint8_t)(first + i));
    }
}

static void set_bytes(fixture *f, firn_entity entity, firn_component component, uint32_t size,
                      uint8_t first)
{
    uint8_t row[LARGEST];
    firn_error err;
    for (uint32_t i = 0; i < size; i++) {
        row[i] = (uint8_t)(first + i);
    }
    assert_ok(firn_set(f->world, entity, component, row, &err), &err);
}

static firn_entity spawn_plainly(fixture *f, const firn_component *components, uint32_t count)
{
    firn_error err;
    firn_entity entity = firn_spawn(f->world, components, count, &err);
    if (entity == 0) {
        fail_msg("spawning: %s", err.message);
    }
    return entity;
}

static void rows_of_every_size_begin_move_and_stay_whole(void **state)
{
    fixture *f = *state;
    for (uint32_t size = 1; size <= LARGEST; size++) {
        firn_component components[] = {bytes_of(f, size), f->number};
        firn_entity ids[8];
        for (uint32_t i = 0; i < FIRN_COUNT(ids); i++) {
            ids[i] = spawn_plainly(f, components, 1);
            assert_bytes(f, ids[i], components[0], size, (uint8_t)size);
            set_bytes(f, ids[i], components[0], size, (uint8_t)(10 * i));
        }
        assert_int_equal(firn_add(f->world, ids[1], &f->number, 1, NULL), FIRN_OK);
        assert_int_equal(firn_despawn(f->world, ids[0], NULL), FIRN_OK);
        for (uint32_t i = 1; i < FIRN_COUNT(ids); i++) {
            assert_bytes(f, ids[i], components[0], size, (uint8_t)(10 * i));
        }
        ids[0] = spawn_plainly(f, components, 2);
        assert_bytes(f, ids[0], components[0], size, (uint8_t)size);
        assert_int_equal(firn_remove(f->world, ids[1], &components[0], 1, NULL), FIRN_OK);
        assert_int_equal(firn_add(f->world, ids[1], &components[0], 1, NULL), FIRN_OK);
        assert_bytes(f, ids[0], components[0], size, (uint8_t)size);
        assert_bytes(f, ids[1], components[0], size, (uint8_t)size);
    }
}

// More sets than steps are remembered, so that they push each other out.
static void sets_of_components_that_were_pushed_out_are_found_again(void **state)
{
    fixture *f = *state;
    firn_component tags[9];
    for (uint32_t i = 0; i < FIRN_COUNT(tags); i++) {
        char name[16];
        snprintf(name, sizeof name, "Tag%u", (unsigned)i);
        firn_component_desc desc = {.name = name, .kind = FIRN_TAG};
        tags[i] = firn_component_register(f->world, &desc, NULL);
    }
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t set = 0; set < 1u << FIRN_COUNT(tags); set++) {
            firn_component components[FIRN_COUNT(tags)];
            uint32_t count = 0;
            for (uint32_t i = 0; i < FIRN_COUNT(tags); i++) {
                if ((set >> i & 1) != 0) {
                    components[count++] = tags[i];
                }
            }
            firn_entity entity = spawn_plainly(f, components, count);
            firn_entity again = spawn_plainly(f, components, count);
            assert_int_equal(firn_remove(f->world, again, components, count, NULL), FIRN_OK);
            for (uint32_t i = 0; i < FIRN_COUNT(tags); i++) {
                assert_int_equal(firn_has(f->world, entity, tags[i]), set >> i & 1);
                assert_false(firn_has(f->world, again, tags[i]));
            }
        }
    }
}

static void spawning_stops_at_the_limit_of_entities(void **state)
{
    (void)state;
    firn_error err;
    firn_limits limits = {.entities = 3};
    firn_world *world = firn_world_create(&(firn_world_desc){.limits = &limits}, NULL);
    firn_component paused = firn_paused(world);
    firn_entity last = 0;
    for (uint32_t i = 0; i < 3; i++) {
        last = firn_spawn(world, &paused, 1, NULL);
        assert_int_equal(last, i + 1);
    }
    assert_int_equal(firn_spawn(world, &paused, 1, &err), 0);
    assert_error(&err, FIRN_LIMIT, "entities");
    assert_int_equal(firn_despawn(world, last, NULL), FIRN_OK);
    assert_int_equal(firn_spawn(world, &paused, 1, NULL), fr_entity(3, 1));
    assert_int_equal(firn_spawn(world, &paused, 1, NULL), 0);
    firn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(rows_of_every_size_begin_move_and_stay_whole),
        FIXTURE_TEST(sets_of_components_that_were_pushed_out_are_found_again),
        cmocka_unit_test(spawning_stops_at_the_limit_of_entities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
