// Script state in saves of what persists comes back.
#include "api/persist_room.h"

#include <string.h>

static const firn_step steps[] = {{"walk", NULL}, {"fight", NULL}};

static void add_guard(firn_world *world)
{
    firn_error err;
    const firn_provider_desc desc = {.name = "guard", .steps = steps, .step_count = 2};
    assert_ok(firn_provider_add(world, &desc, &err), &err);
}

static uint64_t start_timer(room *r, firn_entity entity)
{
    firn_error err;
    const firn_timer_desc desc = {
        .provider = "guard", .step = "walk", .entity = entity, .delay = 3, .period = 2};
    uint64_t number = firn_timer_start(r->z.world, &desc, &err);
    assert_ok(number != 0 ? FIRN_OK : err.code, &err);
    return number;
}

static void set_machine(room *r, firn_entity entity, const char *state)
{
    firn_error err;
    assert_true(firn_machine_set(r->z.world, entity, "guard", state, &err) != 0);
}

static const char *state_of(room *r, firn_entity entity)
{
    firn_script_item item;
    uint64_t number = firn_machine_find(r->z.world, entity, "guard");
    return firn_script_read(r->z.world, number, &item, NULL) == FIRN_OK ? item.step : "none";
}

static firn_value *value_of(room *r, firn_doc *doc)
{
    firn_error err;
    firn_value *value = firn_script_value(r->z.world, doc, &err);
    assert_non_null(value);
    return value;
}

static void K4_a_persisted_save_restores_script_state(void **state)
{
    room *r = *state;
    firn_error err;
    firn_world *world = r->z.world;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    add_guard(world);
    assert_ok(firn_clock_add(world, "day", &err), &err);
    set_machine(r, r->player, "walk");
    uint64_t timer = start_timer(r, r->door);
    assert_true(firn_script_send(world, "bell", 0, 4, NULL, &err) != 0);
    const firn_value *saved = value_of(r, doc);
    room_save(r);
    assert_ok(firn_clock_remove(world, "day", &err), &err);
    set_machine(r, r->player, "fight");
    assert_ok(firn_script_end(world, timer, &err), &err);
    start_timer(r, 0);
    room_load(r);
    assert_true(firn_value_equal(value_of(r, doc), saved));
    assert_string_equal(state_of(r, r->player), "walk");
    firn_doc_destroy(doc);
}

static void K4_what_a_spawned_entity_had_comes_back_with_it(void **state)
{
    room *r = *state;
    firn_error err;
    add_guard(r->z.world);
    firn_entity ball = room_spawn(r, 5);
    room_persist(r, ball, (firn_persist){.id = "ball", .spawned = true});
    set_machine(r, ball, "walk");
    room_save(r);
    assert_ok(firn_despawn(r->z.world, ball, &err), &err);
    // Somebody else is in its slot, with a machine of its own, which goes on.
    firn_entity other = room_spawn(r, 6);
    set_machine(r, other, "fight");
    firn_entity late = room_spawn(r, 7);
    room_persist(r, late, (firn_persist){.id = "late", .spawned = true});
    uint64_t timer = start_timer(r, late);
    room_load(r);
    assert_true(firn_alive(r->z.world, ball));
    assert_string_equal(state_of(r, ball), "walk");
    assert_string_equal(state_of(r, other), "none"); // it has another id now
    assert_int_equal(firn_script_read(r->z.world, timer, &(firn_script_item){0}, &err),
                     FIRN_NOT_FOUND);
    assert_int_equal(firn_script_list(r->z.world, FIRN_SCRIPT_NONE, 0, NULL, 0), 2);
}

static void T23_a_persisted_save_of_an_unknown_provider_changes_nothing(void **state)
{
    room *r = *state;
    firn_error err;
    firn_world *world = firn_world_create(NULL, &err);
    firn_saves *saves = firn_saves_open(world, &r->desc, &err);
    firn_buffer file = {0};
    const firn_provider_desc desc = {.name = "gate", .steps = steps, .step_count = 2};
    assert_ok(firn_provider_add(world, &desc, &err), &err);
    assert_true(firn_cursor_start(world, "gate", 0, "k", NULL, &err) != 0);
    assert_ok(firn_saves_make(saves, NULL, &file, &err), &err);
    firn_saves_close(saves);
    firn_world_destroy(world);

    add_guard(r->z.world);
    set_machine(r, r->player, "fight");
    firn_buffer before = zoo_save(r->z.world);
    assert_int_equal(firn_saves_take(r->saves, file.data, file.size, NULL, &err), FIRN_UNKNOWN);
    assert_error(&err, FIRN_UNKNOWN, "gate");
    assert_saves_as(r->z.world, &before);
    firn_buffer_free(&before);
    firn_buffer_free(&file);
}

static void K17_script_state_of_play_ends_with_it(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = firn_world_create(NULL, &err);
    const firn_saves_desc desc = {.game = "editor", .editor = true};
    firn_saves *saves = firn_saves_open(world, &desc, &err);
    add_guard(world);
    assert_ok(firn_clock_add(world, "edited", &err), &err);
    assert_ok(firn_saves_play_begin(saves, &err), &err);
    assert_ok(firn_clock_add(world, "played", &err), &err);
    assert_true(firn_cursor_start(world, "guard", 0, NULL, NULL, &err) != 0);
    assert_ok(firn_saves_play_stop(saves, &err), &err);
    assert_int_equal(firn_clock_count(world), 1);
    assert_string_equal(firn_clock_name(world, 0), "edited");
    assert_int_equal(firn_script_list(world, FIRN_SCRIPT_NONE, 0, NULL, 0), 0);
    firn_saves_close(saves);
    firn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOM(K4_a_persisted_save_restores_script_state),
        IN_ROOM(K4_what_a_spawned_entity_had_comes_back_with_it),
        cmocka_unit_test(K17_script_state_of_play_ends_with_it),
        IN_ROOM(T23_a_persisted_save_of_an_unknown_provider_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
