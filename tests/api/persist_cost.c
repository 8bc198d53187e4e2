// Saves of few entities of a large world: what they take does not grow with the world.
#include "api/persist_room.h"
#include "buffer/bytes.h"
#include "snapshot/append.h"

#include <stdlib.h>
#include <string.h>

#define PERSISTED 100

// What a save and a load ask of the allocator.
typedef struct cost {
    uint64_t calls;
    uint64_t bytes; // the most at once
} cost;

static void begin_cost(room *r, cost *c)
{
    test_allocator_fail_at(&r->memory, 0, false);
    test_allocator_reset_peak(&r->memory);
    c->bytes = r->memory.bytes;
}

static void end_cost(const room *r, cost *c)
{
    c->calls = r->memory.calls;
    c->bytes = r->memory.peak_bytes - c->bytes;
}

// Of persisted entities with edges to each other and to scenery, which is of the same components.
static void fill_room(room *r, uint32_t scenery)
{
    firn_error err;
    firn_component child_of = firn_child_of(r->z.world);
    firn_entity all[PERSISTED];
    for (uint32_t i = 0; i < PERSISTED; i++) {
        all[i] = room_spawn(r, (float)i);
        room_persist(r, all[i], (firn_persist){.no_vars = i % 2 == 0});
        firn_entity parent = i < 2 ? r->scenery : all[i / 2 - 1];
        assert_ok(firn_relate(r->z.world, all[i], child_of, parent, NULL, &err), &err);
    }
    firn_entity *others = malloc(scenery * sizeof *others);
    assert_ok(firn_spawn_many(r->z.world, &r->z.of[ZOO_POINT], 1, scenery, others, &err), &err);
    for (uint32_t i = 0; i < scenery; i++)
        assert_ok(firn_relate(r->z.world, others[i], child_of, i == 0 ? r->scenery : others[i - 1],
                              NULL, &err),
                  &err);
    free(others);
}

static void measure(uint32_t scenery, cost *save, cost *load)
{
    void *state;
    assert_int_equal(room_make(&state), 0);
    room *r = state;
    fill_room(r, scenery);
    // What is made once and stays is there the second time.
    for (int i = 0; i < 2; i++) {
        begin_cost(r, save);
        room_save(r);
        end_cost(r, save);
        begin_cost(r, load);
        room_load(r);
        end_cost(r, load);
    }
    assert_int_equal(room_end(&state), 0);
}

static void K14_a_save_and_its_load_take_no_more_memory_in_a_larger_world(void **state)
{
    (void)state;
    cost small[2], large[2];
    measure(60000, &small[0], &small[1]);
    measure(180000, &large[0], &large[1]);
    for (int i = 0; i < 2; i++) {
        assert_true(large[i].calls <= small[i].calls + 4);
        assert_true(large[i].bytes <= small[i].bytes + 256);
    }
}

// ---- loads that others may fail

typedef struct meddler {
    room *r;
    bool rests; // the way back is a load, too
} meddler;

static firn_result meddle(void *user, firn_world *world, const firn_event *event, firn_error *err)
{
    (void)world, (void)event;
    meddler *m = user;
    if (m->rests) {
        return FIRN_OK;
    }
    m->rests = true;
    room_place(m->r, m->r->scenery, 7);
    assert_ok(firn_spawn_many(m->r->z.world, NULL, 0, 3, NULL, err), err);
    return FIRN_REFUSED;
}

// Whoever is called when the load is in place may change anything: the way back is to all of it.
static void K14_a_load_that_an_observer_fails_takes_back_what_it_did_to_kept_entities(void **state)
{
    room *r = *state;
    firn_error err;
    cost quiet, watched;
    assert_ok(firn_spawn_many(r->z.world, &r->z.of[ZOO_POINT], 1, 60000, NULL, &err), &err);
    room_save(r);
    begin_cost(r, &quiet);
    room_load(r);
    end_cost(r, &quiet);
    firn_buffer before = zoo_save(r->z.world);
    meddler m = {.r = r};
    const firn_observer_desc desc = {.event = "FinishSnapshotLoad", .observe = meddle, .user = &m};
    assert_true(firn_observe(r->z.world, &desc, &err) != 0);
    begin_cost(r, &watched);
    firn_saves_loaded loaded;
    assert_int_equal(firn_saves_take(r->saves, r->file.data, r->file.size, &loaded, &err),
                     FIRN_REFUSED);
    end_cost(r, &watched);
    assert_true(loaded.went_back);
    firn_saves_loaded_free(&loaded);
    assert_saves_as(r->z.world, &before);
    firn_buffer_free(&before);
    // That is the one thing for which the world is kept.
    assert_true(quiet.bytes < 60000 && watched.bytes > 60000);
}

// ---- an image of few ids

static firn_result pick_two(void *user, firn_world *world, fr_picks *picks, firn_error *err)
{
    (void)err;
    const room *r = user;
    assert_true(fr_picks_add(world, picks, r->player) && fr_picks_add(world, picks, r->door));
    return FIRN_OK;
}

static void K14_a_slot_that_is_there_twice_is_found_in_a_small_image_of_a_large_world(void **state)
{
    room *r = *state;
    firn_error err;
    const firn_image_options options = {.allocator = &r->memory.allocator};
    firn_buffer image = {0};
    assert_ok(firn_spawn_many(r->z.world, NULL, 0, 60000, NULL, &err), &err);
    for (firn_entity entity = 100; entity < 120; entity++)
        assert_ok(firn_despawn(r->z.world, entity, &err), &err);
    const fr_append two = {.pick = pick_two, .pick_user = r};
    assert_ok(fr_snapshot_append_with(r->z.world, NULL, &two, &image, &err), &err);
    firn_result result = FIRN_NO_MEMORY;
    for (uint64_t call = 1; result == FIRN_NO_MEMORY; call++) {
        test_allocator_fail_at(&r->memory, call, false);
        result = firn_image_check(image.data, image.size, &options, NULL, &err);
    }
    test_allocator_fail_at(&r->memory, 0, false);
    assert_ok(result, &err);
    // The two ids stand side by side.
    size_t at = 0;
    while (fr_load_f64(image.data + at) != (double)r->player ||
           fr_load_f64(image.data + at + 8) != (double)r->door)
        at++;
    memcpy(image.data + at + 8, image.data + at, 8);
    assert_int_equal(firn_image_check(image.data, image.size, &options, NULL, &err), FIRN_CORRUPT);
    assert_int_equal(err.entity, r->player);
    firn_buffer_free(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(K14_a_save_and_its_load_take_no_more_memory_in_a_larger_world),
        IN_ROOM(K14_a_load_that_an_observer_fails_takes_back_what_it_did_to_kept_entities),
        IN_ROOM(K14_a_slot_that_is_there_twice_is_found_in_a_small_image_of_a_large_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
