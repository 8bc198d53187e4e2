// Saves of what persists: what a load puts back, what keeps running.
#include "api/persist_room.h"

#include <stdio.h>
#include <string.h>

// ---- what comes back

static void K1_a_persisted_entity_comes_back_whole_and_scenery_stays_as_it_is(void **state)
{
    room *r = *state;
    firn_error err;
    firn_component name = firn_name(r->z.world), disabled = firn_disabled(r->z.world);
    assert_ok(firn_set_text(r->z.world, r->player, name, "Ada", &err), &err);
    room_save(r);
    room_place(r, r->player, 20);
    room_place(r, r->scenery, 10);
    assert_ok(firn_set_text(r->z.world, r->player, name, "Bo", &err), &err);
    assert_ok(firn_add(r->z.world, r->player, &disabled, 1, &err), &err);
    room_load(r);
    assert_true(room_place_of(r, r->player) == 2);
    assert_true(room_place_of(r, r->scenery) == 10);
    size_t size;
    assert_memory_equal(firn_get_string(r->z.world, r->player, name, &size), "Ada", 3);
    assert_false(firn_has(r->z.world, r->player, disabled));
}

static void K1_components_that_were_gained_since_the_save_are_removed(void **state)
{
    room *r = *state;
    firn_error err;
    room_save(r);
    assert_ok(firn_add(r->z.world, r->door, &r->z.of[ZOO_BAG], 1, &err), &err);
    assert_ok(firn_add(r->z.world, r->scenery, &r->z.of[ZOO_BAG], 1, &err), &err);
    assert_ok(firn_remove(r->z.world, r->door, &r->z.of[ZOO_POINT], 1, &err), &err);
    room_load(r);
    assert_false(firn_has(r->z.world, r->door, r->z.of[ZOO_BAG]));
    assert_true(firn_has(r->z.world, r->scenery, r->z.of[ZOO_BAG]));
    assert_true(room_place_of(r, r->door) == 3);
}

static void K1_a_parent_that_does_not_persist_is_the_parent_again(void **state)
{
    room *r = *state;
    firn_error err;
    firn_component child_of = firn_child_of(r->z.world);
    assert_ok(firn_relate(r->z.world, r->player, child_of, r->scenery, NULL, &err), &err);
    room_save(r);
    assert_ok(firn_relate(r->z.world, r->player, child_of, r->door, NULL, &err), &err);
    room_load(r);
    assert_true(firn_target(r->z.world, r->player, child_of) == r->scenery);
    assert_int_equal(firn_sources(r->z.world, child_of, r->door, NULL, 0), 0);
}

static void K14_a_child_that_does_not_persist_stays_with_its_parent(void **state)
{
    room *r = *state;
    firn_error err;
    firn_component child_of = firn_child_of(r->z.world);
    room_save(r);
    assert_ok(firn_relate(r->z.world, r->scenery, child_of, r->player, NULL, &err), &err);
    room_load(r);
    assert_true(firn_target(r->z.world, r->scenery, child_of) == r->player);
    assert_true(firn_first_source(r->z.world, child_of, r->player) == r->scenery);
}

// ---- what comes and goes

static void K14_a_spawned_entity_comes_back_with_its_id_and_children(void **state)
{
    room *r = *state;
    firn_error err;
    firn_component child_of = firn_child_of(r->z.world);
    firn_entity ball = room_spawn(r, 5), grip = room_spawn(r, 6), screw = room_spawn(r, 7);
    room_persist(r, ball, (firn_persist){.spawned = true});
    assert_ok(firn_relate(r->z.world, grip, child_of, ball, NULL, &err), &err);
    assert_ok(firn_relate(r->z.world, screw, child_of, grip, NULL, &err), &err);
    room_save(r);
    assert_ok(firn_despawn(r->z.world, ball, &err), &err);
    assert_false(firn_alive(r->z.world, screw));
    room_load(r);
    assert_true(room_place_of(r, ball) == 5 && room_place_of(r, grip) == 6 &&
                room_place_of(r, screw) == 7);
    assert_true(firn_target(r->z.world, screw, child_of) == grip);
    assert_true(firn_target(r->z.world, grip, child_of) == ball);
}

static void K14_what_was_spawned_after_the_save_is_removed_with_its_children(void **state)
{
    room *r = *state;
    firn_error err;
    room_save(r);
    firn_entity ball = room_spawn(r, 5), grip = room_spawn(r, 6), leaf = room_spawn(r, 7);
    room_persist(r, ball, (firn_persist){.spawned = true});
    assert_ok(firn_relate(r->z.world, grip, firn_child_of(r->z.world), ball, NULL, &err), &err);
    room_load(r);
    assert_false(firn_alive(r->z.world, ball));
    assert_false(firn_alive(r->z.world, grip));
    assert_true(room_place_of(r, leaf) == 7);
}

static void K2_what_was_destroyed_before_the_save_stays_destroyed(void **state)
{
    room *r = *state;
    firn_error err;
    assert_ok(firn_despawn(r->z.world, r->door, &err), &err);
    room_save(r);
    // The same scene, made anew, has the door again.
    firn_saves_close(r->saves);
    firn_world_destroy(r->z.world);
    r->z = zoo_make(&r->memory, false);
    r->saves = firn_saves_open(r->z.world, &r->desc, &err);
    assert_true(room_spawn(r, 1) == r->scenery && room_spawn(r, 9) == r->player &&
                room_spawn(r, 9) == r->door);
    room_persist(r, r->player, (firn_persist){.id = "player"});
    room_persist(r, r->door, (firn_persist){.mode = 0});
    room_load(r);
    assert_false(firn_alive(r->z.world, r->door));
    assert_true(room_place_of(r, r->player) == 2);
    room_save(r);
    room_load(r);
    assert_false(firn_alive(r->z.world, r->door));
}

static void K14_the_next_ids_are_those_of_the_save(void **state)
{
    room *r = *state;
    firn_error err;
    firn_entity ball = room_spawn(r, 5);
    assert_ok(firn_despawn(r->z.world, ball, &err), &err);
    room_save(r);
    firn_entity first = room_spawn(r, 1), second = room_spawn(r, 2);
    room_load(r);
    // The two are no persisted entities: they stay, and hold their slots.
    assert_true(firn_alive(r->z.world, first) && firn_alive(r->z.world, second));
    assert_ok(firn_despawn(r->z.world, second, &err), &err);
    assert_ok(firn_despawn(r->z.world, first, &err), &err);
    room_load(r);
    assert_true(room_spawn(r, 1) == first);
    assert_true(room_spawn(r, 2) == second);
}

enum { LATER = 12 };

static void spawn_later(room *r, firn_entity ids[LATER])
{
    for (int i = 0; i < LATER; i++) {
        ids[i] = room_spawn(r, (float)i);
        room_persist(r, ids[i], (firn_persist){.spawned = true});
    }
}

static void end_some(room *r, test_random *random, firn_entity *some, uint32_t count, bool all)
{
    firn_error err;
    for (uint32_t i = 0; i < count; i++)
        if (firn_alive(r->z.world, some[i]) && (all || test_random_below(random, 2) == 0))
            assert_ok(firn_despawn(r->z.world, some[i], &err), &err);
}

// Whatever becomes of those whom nobody saves: the run itself gives no slot that one of them holds.
static void K14_the_next_ids_are_those_of_the_run_when_scenery_has_ended(void **state)
{
    room *r = *state;
    for (uint32_t seed = 1; seed <= 60; seed++) {
        test_random random = {seed};
        firn_entity before[10], after[10], wanted[LATER], found[LATER];
        for (int i = 0; i < 10; i++)
            before[i] = room_spawn(r, 0);
        for (int i = 0; i < 10; i += 3)
            room_persist(r, before[i], (firn_persist){.spawned = true});
        end_some(r, &random, before, 10, false);
        room_save(r);
        spawn_later(r, wanted);
        for (int round = 0; round < 2; round++) {
            end_some(r, &random, before, 10, false);
            for (int i = 0; i < 10; i++)
                after[i] = room_spawn(r, 0);
            end_some(r, &random, before, 10, seed % 2 == 0);
            end_some(r, &random, after, 10, true);
            room_load(r);
            spawn_later(r, found);
            assert_memory_equal(found, wanted, sizeof found);
        }
        end_some(r, &random, found, LATER, true);
    }
}

static void K14_an_entity_that_is_kept_on_a_slot_of_the_save_moves_and_is_reported(void **state)
{
    room *r = *state;
    firn_error err;
    firn_saves_loaded loaded;
    firn_component child_of = firn_child_of(r->z.world);
    room_save(r);
    assert_ok(firn_despawn(r->z.world, r->door, &err), &err);
    firn_entity other = room_spawn(r, 8), child = room_spawn(r, 9);
    assert_true((other & FIRN_SLOT_MAX) == (r->door & FIRN_SLOT_MAX));
    const zoo_body body = {.target = other};
    assert_ok(firn_set(r->z.world, r->scenery, r->z.of[ZOO_BODY], &body, &err), &err);
    assert_ok(firn_relate(r->z.world, child, child_of, other, NULL, &err), &err);
    assert_ok(firn_saves_take(r->saves, r->file.data, r->file.size, &loaded, &err), &err);
    assert_int_equal(loaded.moved_count, 1);
    assert_true(loaded.moved[0].saved == other);
    firn_entity moved = loaded.moved[0].entity;
    firn_saves_loaded_free(&loaded);
    assert_false(firn_alive(r->z.world, other));
    assert_true(room_place_of(r, moved) == 8 && room_place_of(r, r->door) == 3);
    assert_true(firn_target(r->z.world, child, child_of) == moved);
    const zoo_body *now = firn_get(r->z.world, r->scenery, r->z.of[ZOO_BODY]);
    assert_true(now->target == moved);
}

static firn_result count_ring(void *user, firn_world *world, const firn_event *event,
                              firn_error *err)
{
    (void)world, (void)event, (void)err;
    ++*(int *)user;
    return FIRN_OK;
}

static void K14_observers_follow_who_moves_and_leave_with_who_ends(void **state)
{
    room *r = *state;
    firn_error err;
    int rings = 0;
    firn_saves_loaded loaded;
    room_save(r);
    assert_ok(firn_despawn(r->z.world, r->door, &err), &err);
    firn_entity other = room_spawn(r, 8), ball = room_spawn(r, 9);
    room_persist(r, ball, (firn_persist){.spawned = true});
    firn_event_kind ring = firn_event_register(r->z.world, "ring", &err);
    for (int i = 0; i < 2; i++) {
        const firn_observer_desc desc = {.address = i == 0 ? other : ball,
                                         .event = "ring",
                                         .observe = count_ring,
                                         .user = &rings};
        assert_int_not_equal(firn_observe(r->z.world, &desc, &err), 0);
    }
    assert_ok(firn_saves_take(r->saves, r->file.data, r->file.size, &loaded, &err), &err);
    firn_entity moved = loaded.moved[0].entity;
    firn_saves_loaded_free(&loaded);
    assert_ok(firn_emit(r->z.world, ring, moved, NULL, 0, &err), &err);
    assert_int_equal(rings, 1);
    assert_true(room_spawn(r, 1) == ball);
    assert_ok(firn_emit(r->z.world, ring, ball, NULL, 0, &err), &err);
    assert_int_equal(rings, 1);
}

static void K14_children_that_are_kept_stand_before_those_of_the_save_in_its_order(void **state)
{
    room *r = *state;
    firn_error err;
    firn_component child_of = firn_child_of(r->z.world);
    firn_entity first = room_spawn(r, 5), second = room_spawn(r, 6), found[4];
    room_persist(r, first, (firn_persist){.mode = 0});
    room_persist(r, second, (firn_persist){.mode = 0});
    assert_ok(firn_relate(r->z.world, second, child_of, r->player, NULL, &err), &err);
    assert_ok(firn_relate(r->z.world, first, child_of, r->player, NULL, &err), &err);
    room_save(r);
    assert_ok(firn_relate(r->z.world, r->scenery, child_of, r->player, NULL, &err), &err);
    room_load(r);
    assert_int_equal(firn_sources(r->z.world, child_of, r->player, found, 4), 3);
    assert_true(found[0] == r->scenery && found[1] == second && found[2] == first);
}

static void K14_an_entity_saved_by_field_is_rid_of_a_parent_that_ends(void **state)
{
    room *r = *state;
    firn_error err;
    room_persist(r, r->door, (firn_persist){.mode = FIRN_PERSIST_FIELDS, .fields = "zoo.Point"});
    room_save(r);
    firn_entity ball = room_spawn(r, 5);
    room_persist(r, ball, (firn_persist){.spawned = true});
    assert_ok(firn_relate(r->z.world, r->door, firn_child_of(r->z.world), ball, NULL, &err), &err);
    room_load(r);
    assert_false(firn_alive(r->z.world, ball));
    assert_true(firn_alive(r->z.world, r->door));
    assert_int_equal(firn_target(r->z.world, r->door, firn_child_of(r->z.world)), 0);
}

// Each allocation of a load fails by turns.
static void a_load_that_fails_aside_changes_nothing(void **state)
{
    room *r = *state;
    firn_error err;
    firn_entity ball = room_spawn(r, 5);
    room_persist(r, ball, (firn_persist){.spawned = true});
    room_save(r);
    assert_ok(firn_despawn(r->z.world, ball, &err), &err);
    firn_entity other = room_spawn(r, 8);
    room_place(r, r->player, 20);
    firn_result result = FIRN_NO_MEMORY;
    for (uint64_t call = 1; result == FIRN_NO_MEMORY; call++) {
        firn_hash before = zoo_hash(r->z.world);
        test_allocator_fail_at(&r->memory, call, false);
        result = firn_saves_take(r->saves, r->file.data, r->file.size, NULL, &err);
        test_allocator_fail_at(&r->memory, 0, false);
        if (result == FIRN_NO_MEMORY)
            assert_true(zoo_hash(r->z.world).total == before.total);
    }
    assert_int_equal(result, FIRN_OK);
    assert_false(firn_alive(r->z.world, other));
    assert_true(room_place_of(r, ball) == 5 && room_place_of(r, r->player) == 2);
}

// The same into a world that never had so many entities, of a save whose variables stay.
static void a_load_into_a_small_world_that_fails_changes_nothing(void **state)
{
    room *r = *state;
    firn_error err;
    firn_entity balls[300];
    for (int i = 0; i < 300; i++) {
        balls[i] = room_spawn(r, (float)i);
        room_persist(r, balls[i], (firn_persist){.spawned = true, .no_vars = true});
    }
    room_save(r);
    firn_buffer file = r->file;
    r->file = (firn_buffer){0};
    firn_result result = FIRN_NO_MEMORY;
    for (uint64_t call = 1; result == FIRN_NO_MEMORY; call++) {
        assert_int_equal(room_end(state) | room_make(state), 0); // nothing has grown before
        firn_hash before = zoo_hash(r->z.world);
        test_allocator_fail_at(&r->memory, call, false);
        result = firn_saves_take(r->saves, file.data, file.size, NULL, &err);
        test_allocator_fail_at(&r->memory, 0, false);
        if (result == FIRN_NO_MEMORY)
            assert_true(zoo_hash(r->z.world).total == before.total);
    }
    assert_ok(result, &err);
    assert_true(room_place_of(r, balls[299]) == 299);
    firn_buffer_free(&file);
}

// ---- levels

typedef struct places {
    room *r;
    char level[16];
    int entered;
} places;

static const char *level_now(void *user, firn_world *world)
{
    (void)world;
    return ((places *)user)->level;
}

// The level has the same entities as every other, but none of them under its old id.
static firn_result enter_place(void *user, const char *level, bool for_restore, firn_world **world,
                               firn_error *err)
{
    places *p = user;
    room *r = p->r;
    assert_true(for_restore);
    p->entered++;
    strcpy(p->level, level);
    const firn_entity old[] = {r->scenery, r->player, r->door};
    for (int i = 0; i < 3; i++)
        if (firn_alive(*world, old[i]))
            assert_ok(firn_despawn(*world, old[i], err), err);
    r->scenery = room_spawn(r, 1);
    firn_entity player = room_spawn(r, 50), door = room_spawn(r, 60);
    room_persist(r, player, (firn_persist){.id = "player"});
    room_persist(r, door, (firn_persist){.mode = 0});
    return FIRN_OK;
}

static void K5_a_save_of_another_level_enters_it_first_and_saved_ids_come_back(void **state)
{
    room *r = *state;
    firn_error err;
    places p = {.r = r, .level = "cave"};
    const firn_levels levels = {level_now, enter_place, &p};
    firn_saves_close(r->saves);
    r->desc.levels = &levels;
    r->saves = firn_saves_open(r->z.world, &r->desc, &err);
    room_save(r);
    room_load(r);
    assert_int_equal(p.entered, 0);
    room_place(r, r->player, 20);
    firn_world *world = r->z.world;
    assert_ok(enter_place(&p, "hut", true, &world, &err), &err);
    assert_false(firn_alive(r->z.world, r->player));
    room_load(r);
    assert_int_equal(p.entered, 2);
    assert_string_equal(p.level, "cave");
    assert_true(room_place_of(r, r->player) == 2 && room_place_of(r, r->door) == 3);
    assert_int_equal(firn_entity_count(r->z.world), 3);
}

// ---- sections of the game's own

static void S1_a_persisted_save_has_one_section_less_for_the_game(void **state)
{
    room *r = *state;
    firn_error err;
    enum { ROOM = 28 }; // beside snapshot, custom, variables and what is saved by field
    firn_section sections[ROOM + 1];
    char names[ROOM + 1][16];
    for (int i = 0; i <= ROOM; i++) {
        snprintf(names[i], sizeof names[i], "s%d", i);
        sections[i] = (firn_section){names[i], "x", 1};
    }
    firn_saves_write_options options = {.sections = sections, .section_count = ROOM};
    assert_ok(firn_saves_make(r->saves, &options, &r->file, &err), &err);
    firn_save_file *file = firn_save_file_open(r->file.data, r->file.size, NULL, &err);
    assert_non_null(file);
    assert_int_equal(firn_save_file_section_count(file), FIRN_SECTIONS_MOST);
    firn_save_file_close(file);
    size_t size = r->file.size;
    options.section_count = ROOM + 1;
    assert_int_equal(firn_saves_make(r->saves, &options, &r->file, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "sections");
    assert_non_null(strstr(err.message, "29 sections of the game's own are more than the 28"));
    assert_int_equal(r->file.size, size);
}

static void K1_one_that_is_saved_whole_is_saved_without_its_transient_components(void **state)
{
    room *r = *state;
    firn_error err;
    firn_world *world = r->z.world;
    const firn_component_desc desc = {.name = "Glow", .kind = FIRN_NUMBER, .transient = true};
    firn_component glow = firn_component_register(world, &desc, &err);
    assert_ok(firn_set(world, r->player, glow, &(double){4}, &err), &err);
    room_save(r);
    room_place(r, r->player, 9);
    room_load(r);
    assert_true(room_place_of(r, r->player) != 9);
    assert_false(firn_has(world, r->player, glow)); // as in a load of the whole world
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOM(K1_one_that_is_saved_whole_is_saved_without_its_transient_components),
        IN_ROOM(K1_a_persisted_entity_comes_back_whole_and_scenery_stays_as_it_is),
        IN_ROOM(K1_components_that_were_gained_since_the_save_are_removed),
        IN_ROOM(K1_a_parent_that_does_not_persist_is_the_parent_again),
        IN_ROOM(K14_a_child_that_does_not_persist_stays_with_its_parent),
        IN_ROOM(K14_a_spawned_entity_comes_back_with_its_id_and_children),
        IN_ROOM(K14_what_was_spawned_after_the_save_is_removed_with_its_children),
        IN_ROOM(K2_what_was_destroyed_before_the_save_stays_destroyed),
        IN_ROOM(K14_the_next_ids_are_those_of_the_save),
        IN_ROOM(K14_the_next_ids_are_those_of_the_run_when_scenery_has_ended),
        IN_ROOM(K14_an_entity_that_is_kept_on_a_slot_of_the_save_moves_and_is_reported),
        IN_ROOM(K14_observers_follow_who_moves_and_leave_with_who_ends),
        IN_ROOM(K14_children_that_are_kept_stand_before_those_of_the_save_in_its_order),
        IN_ROOM(K14_an_entity_saved_by_field_is_rid_of_a_parent_that_ends),
        IN_ROOM(a_load_that_fails_aside_changes_nothing),
        IN_ROOM(a_load_into_a_small_world_that_fails_changes_nothing),
        IN_ROOM(K5_a_save_of_another_level_enters_it_first_and_saved_ids_come_back),
        IN_ROOM(S1_a_persisted_save_has_one_section_less_for_the_game),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
