// Script state of entities that a persisted save has by field, or by their variables alone.
#include "api/persist_room.h"
#include "api/persist_section.h"

static const firn_step steps[] = {{"glow", NULL}, {"flicker", NULL}};

static void add_candle(firn_world *world)
{
    firn_error err;
    const firn_provider_desc desc = {.name = "candle", .steps = steps, .step_count = 2};
    assert_ok(firn_provider_add(world, &desc, &err), &err);
}

static uint64_t start_timer(firn_world *world, firn_entity entity, double delay)
{
    firn_error err;
    const firn_timer_desc desc = {
        .provider = "candle", .step = "glow", .entity = entity, .delay = delay};
    uint64_t number = firn_timer_start(world, &desc, &err);
    assert_ok(number != 0 ? FIRN_OK : err.code, &err);
    return number;
}

// One of each kind.
static void start_all(firn_world *world, firn_entity entity)
{
    firn_error err;
    start_timer(world, entity, 9);
    assert_true(firn_script_send(world, "wind", entity, 9, NULL, &err) != 0);
    const firn_wait_desc wait = {
        .provider = "candle", .step = "glow", .entity = entity, .event = "match"};
    assert_true(firn_wait_start(world, &wait, &err) != 0);
    assert_true(firn_machine_set(world, entity, "candle", "glow", &err) != 0);
    assert_true(firn_cursor_start(world, "candle", entity, "burn", "glow", &err) != 0);
}

static uint32_t count_items(const firn_world *world, firn_entity entity)
{
    return firn_script_list(world, FIRN_SCRIPT_NONE, entity, NULL, 0);
}

static void end_all(firn_world *world, firn_entity entity)
{
    firn_error err;
    uint64_t numbers[8];
    uint32_t count =
        firn_script_list(world, FIRN_SCRIPT_NONE, entity, numbers, FIRN_COUNT(numbers));
    for (uint32_t i = 0; i < count; i++) {
        assert_ok(firn_script_end(world, numbers[i], &err), &err);
    }
}

static double due_of(const firn_world *world, uint64_t number)
{
    firn_script_item item;
    return firn_script_read(world, number, &item, NULL) == FIRN_OK ? item.due : -1;
}

static firn_entity candle(room *r, firn_persist row)
{
    firn_entity entity = room_spawn(r, 3);
    room_persist(r, entity, row);
    return entity;
}

static void set_tick(room *r, uint64_t tick)
{
    firn_error err;
    assert_ok(firn_world_set_tick(r->z.world, tick, &err), &err);
}

static const firn_persist by_field = {
    .id = "lamp", .mode = FIRN_PERSIST_FIELDS, .fields = "zoo.Point"};
static const firn_persist by_vars = {.mode = FIRN_PERSIST_VARS, .no_vars = true};

static void K4_script_state_comes_back_whatever_else_of_an_entity_persists(void **state)
{
    room *r = *state;
    firn_error err;
    firn_world *world = r->z.world;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    add_candle(world);
    firn_entity lamp = candle(r, by_field), guide = candle(r, by_vars);
    start_all(world, lamp);
    start_all(world, guide);
    const firn_value *saved = firn_script_value(world, doc, &err);
    room_save(r);
    set_tick(r, 1000);
    end_all(world, lamp);
    start_timer(world, lamp, 77);
    assert_true(firn_machine_set(world, guide, "candle", "flicker", &err) != 0);
    room_place(r, guide, 8);
    room_load(r);
    assert_int_equal(firn_world_tick(world), 0);
    assert_true(firn_value_equal(firn_script_value(world, doc, &err), saved));
    assert_true(room_place_of(r, guide) == 8); // no row of it was saved
    firn_doc_destroy(doc);
}

static void K4_script_state_follows_the_key_of_an_entity(void **state)
{
    room *r = *state;
    firn_error err;
    add_candle(r->z.world);
    firn_entity lamp = candle(r, by_field);
    start_all(r->z.world, lamp);
    uint64_t timer = start_timer(r->z.world, lamp, 4);
    room_save(r);
    firn_entity other = candle(r, (firn_persist){.id = "other", .mode = FIRN_PERSIST_VARS});
    room_persist(r, lamp, by_vars); // has another key now
    start_all(r->z.world, other);
    room_persist(r, other, by_field);
    room_load(r);
    assert_int_equal(count_items(r->z.world, other), 6);
    assert_true(due_of(r->z.world, timer) == 4);
    // The one of before is one that the save has not: it goes on, under numbers of its own.
    assert_int_equal(count_items(r->z.world, lamp), 6);
    assert_ok(firn_despawn(r->z.world, other, &err), &err);
    room_load(r);
    assert_int_equal(firn_script_read(r->z.world, timer, &(firn_script_item){0}, &err),
                     FIRN_NOT_FOUND);
    assert_int_equal(count_items(r->z.world, lamp), 6);
}

static void K15_what_is_saved_in_part_counts_in_the_numbers_of_saves(void **state)
{
    room *r = *state;
    add_candle(r->z.world);
    firn_entity lamp = candle(r, by_field);
    assert_int_equal(start_timer(r->z.world, lamp, 1), 1);
    room_save(r);
    uint64_t next = start_timer(r->z.world, lamp, 2);
    room_load(r);
    assert_int_equal(start_timer(r->z.world, lamp, 3), next);
}

// ---- the section

// A section with parts of the lamp and the guide, both with an id, or none (0).
static firn_result take_ids(room *r, const double ids[2], firn_error *err)
{
    const char *const keys[] = {"lamp", "guide"};
    firn_buffer bytes = {0};
    firn_writer to;
    firn_writer_begin(&to, &bytes, NULL);
    firn_write_table(&to, 0, 1);
    firn_write_text(&to, "parts");
    firn_write_table(&to, 2, 0);
    for (int i = 0; i < 2; i++) {
        firn_write_table(&to, ids[i] != 0 ? 4 : 3, 0);
        firn_write_text(&to, keys[i]);
        firn_write_table(&to, 0, 0);
        firn_write_table(&to, 0, 0);
        if (ids[i] != 0) {
            firn_write_number(&to, ids[i]);
        }
    }
    assert_ok(firn_writer_end(&to, err), err);
    firn_result result = take_with_section(r->saves, &r->file, bytes.data, bytes.size, err);
    firn_buffer_free(&bytes);
    return result;
}

static void K4_the_id_of_a_part_says_that_its_script_state_is_saved(void **state)
{
    room *r = *state;
    firn_error err;
    firn_world *world = r->z.world;
    add_candle(world);
    firn_entity lamp = candle(r, by_field);
    firn_entity guide = candle(r, (firn_persist){.id = "guide", .mode = FIRN_PERSIST_VARS});
    uint64_t saved = start_timer(world, lamp, 5);
    room_save(r);
    uint64_t later = start_timer(world, lamp, 6);
    const double bad[][2] = {{1.5, 0}, {-1, 0}, {0x1p53, 0}, {9, 9}};
    for (size_t i = 0; i < FIRN_COUNT(bad); i++) {
        assert_int_equal(take_ids(r, bad[i], &err), FIRN_CORRUPT);
        assert_error(&err, FIRN_CORRUPT, "firn.persist");
        assert_true(due_of(world, later) == 6);
    }
    // One of a save that has no script state of parts.
    const double none[] = {0, 0};
    assert_ok(take_ids(r, none, &err), &err);
    assert_true(due_of(world, saved) == 5 && due_of(world, later) == -1);
    assert_int_equal(count_items(world, lamp), 2); // under other numbers, where the save gives them
    // Whoever had the id in the save has what it had.
    const double swapped[] = {(double)guide, (double)lamp};
    assert_ok(take_ids(r, swapped, &err), &err);
    assert_int_equal(count_items(world, lamp), 0);
    assert_int_equal(count_items(world, guide), 1);
    assert_true(due_of(world, saved) == 5);
}

static void K4_each_allocation_may_fail(void **state)
{
    room *r = *state;
    firn_error err;
    firn_world *world = r->z.world;
    add_candle(world);
    firn_entity lamp = candle(r, by_field);
    start_all(world, lamp);
    firn_result result = FIRN_NO_MEMORY;
    for (uint64_t call = 1; result == FIRN_NO_MEMORY; call++) {
        firn_buffer_clear(&r->file);
        test_allocator_fail_at(&r->memory, call, false);
        result = firn_saves_make(r->saves, NULL, &r->file, &err);
        test_allocator_fail_at(&r->memory, 0, false);
    }
    assert_ok(result, &err);
    end_all(world, lamp);
    firn_buffer before = zoo_save(world);
    result = FIRN_NO_MEMORY;
    for (uint64_t call = 1; result == FIRN_NO_MEMORY; call++) {
        assert_saves_as(world, &before);
        test_allocator_fail_at(&r->memory, call, false);
        result = firn_saves_take(r->saves, r->file.data, r->file.size, NULL, &err);
        test_allocator_fail_at(&r->memory, 0, false);
    }
    assert_ok(result, &err);
    assert_int_equal(count_items(world, lamp), 5);
    firn_buffer_free(&before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOM(K4_script_state_comes_back_whatever_else_of_an_entity_persists),
        IN_ROOM(K4_script_state_follows_the_key_of_an_entity),
        IN_ROOM(K15_what_is_saved_in_part_counts_in_the_numbers_of_saves),
        IN_ROOM(K4_the_id_of_a_part_says_that_its_script_state_is_saved),
        IN_ROOM(K4_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
