// Script state goes on after a load as if there had been none, whatever happened before.
#include "firn/firn.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A game that is all script: every step draws what it does from a stream of the world.
enum { EVENTS = 4, CLOCKS = 3, KEYS = 3, MOST_ENTITIES = 12, TICKS_AFTER = 40 };
static const char *const step_names[] = {"a", "b", "c", "d"};
static const char *const provider_names[] = {"one", "two"};
static const char *const event_names[EVENTS] = {"bell", "knock", "rain", "dawn"};
static const char *const clock_names[CLOCKS] = {"boss", "day", "menu"};
static const char *const key_names[KEYS] = {"", "k", "other"};

static uint32_t draw(firn_world *world, uint32_t bound)
{
    firn_random *stream = firn_random_stream(world, "chaos", NULL);
    return (uint32_t)firn_random_integer(stream, 0, (int64_t)bound - 1);
}

static const char *draw_clock(firn_world *world)
{
    const char *name = clock_names[draw(world, CLOCKS)];
    firn_clock clock;
    bool there = draw(world, 2) == 0 && firn_clock_read(world, name, &clock, NULL) == FIRN_OK;
    return there ? name : NULL;
}

// One that lives, or 0. An entity is what has a machine.
static firn_entity draw_entity(firn_world *world)
{
    uint64_t numbers[MOST_ENTITIES];
    uint32_t count = firn_script_list(world, FIRN_SCRIPT_MACHINE, 0, numbers, MOST_ENTITIES);
    uint32_t which = draw(world, MOST_ENTITIES);
    firn_script_item item = {0};
    if (which < count)
        (void)firn_script_read(world, numbers[which], &item, NULL);
    return item.entity;
}

static void send_something(firn_world *world)
{
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *payload = firn_value_number(doc, draw(world, 100), &err);
    for (uint32_t depth = draw(world, 4); depth > 0; depth--) {
        firn_value *table = firn_value_table(doc, &err);
        assert_ok(firn_table_set_text(doc, table, "in", payload, &err), &err);
        payload = table;
    }
    (void)firn_script_send(world, event_names[draw(world, EVENTS)], draw_entity(world),
                           draw(world, 9), draw(world, 2) ? payload : NULL, NULL);
    firn_doc_destroy(doc);
}

static void start_something(firn_world *world)
{
    const firn_timer_desc timer = {.provider = provider_names[draw(world, 2)],
                                   .step = step_names[draw(world, 4)],
                                   .entity = draw_entity(world),
                                   .delay = draw(world, 20) / 2.0,
                                   .period = draw(world, 3) ? 0 : 5 + draw(world, 30) / 4.0,
                                   .clock = draw_clock(world)};
    const firn_wait_desc wait = {.provider = timer.provider,
                                 .step = timer.step,
                                 .entity = timer.entity,
                                 .event = draw(world, 2) ? event_names[draw(world, EVENTS)] : NULL,
                                 .delay = draw(world, 8),
                                 .clock = timer.clock};
    uint64_t number = draw(world, 2) ? firn_timer_start(world, &timer, NULL)
                                     : firn_wait_start(world, &wait, NULL);
    assert_true(number != 0);
}

static void change_a_clock(firn_world *world)
{
    const char *name = clock_names[draw(world, CLOCKS)];
    (void)firn_clock_add(world, name, NULL);
    (void)firn_clock_scale(world, name, draw(world, 30) / 10.0, NULL);
    (void)firn_clock_pause(world, name, draw(world, 4) == 0, NULL);
    if (draw(world, 5) == 0)
        (void)firn_clock_remove(world, name, NULL);
}

static void move_a_cursor(firn_world *world)
{
    const char *provider = provider_names[draw(world, 2)], *key = key_names[draw(world, KEYS)];
    firn_entity entity = draw_entity(world);
    uint64_t cursor = firn_cursor_find(world, provider, entity, key);
    if (cursor == 0)
        (void)firn_cursor_start(world, provider, entity, key, step_names[draw(world, 4)], NULL);
    else if (draw(world, 3) == 0)
        (void)firn_cursor_wait(world, cursor, draw(world, 2) ? event_names[0] : NULL,
                               draw(world, 9), draw_clock(world), NULL);
    else if (draw(world, 4) == 0)
        (void)firn_script_end(world, cursor, NULL);
    else
        (void)firn_cursor_go(world, cursor, step_names[draw(world, 4)], NULL);
}

static void change_an_entity(firn_world *world)
{
    firn_entity entity = draw_entity(world);
    if (entity != 0 && draw(world, 3) == 0) {
        (void)firn_despawn(world, entity, NULL);
        return;
    }
    if (entity == 0 && firn_entity_count(world) < MOST_ENTITIES)
        entity = firn_spawn(world, NULL, 0, NULL);
    if (entity != 0)
        (void)firn_machine_set(world, entity, "one", step_names[draw(world, 4)], NULL);
}

static void do_something(firn_world *world)
{
    static void (*const actions[])(firn_world *) = {
        send_something, start_something, change_a_clock, move_a_cursor, change_an_entity,
    };
    // Few enough that it neither dies out nor grows for ever.
    uint32_t items = firn_script_list(world, FIRN_SCRIPT_NONE, 0, NULL, 0);
    if (draw(world, 64) >= items)
        actions[draw(world, 5)](world);
}

static firn_result act(void *user, firn_world *world, const firn_step_call *call, firn_error *err)
{
    (void)user, (void)err;
    // What a call says is drawn as well, so that a difference shows.
    uint32_t said = (uint32_t)(call->number + call->ticks + call->count + call->first);
    for (said %= 3; said > 0; said--)
        (void)draw(world, 2);
    if (call->payload != NULL && call->payload->kind == FIRN_VALUE_NUMBER)
        (void)draw(world, 3);
    do_something(world);
    if (draw(world, 4) == 0)
        do_something(world);
    return FIRN_OK;
}

static firn_world *make_chaos(void)
{
    firn_error err;
    firn_world *world = firn_world_create(NULL, &err);
    assert_non_null(world);
    firn_step steps[4];
    for (int i = 0; i < 4; i++)
        steps[i] = (firn_step){step_names[i], act};
    steps[3].run = NULL;
    for (int i = 0; i < 2; i++) {
        const firn_provider_desc desc = {
            .name = provider_names[i], .steps = steps, .step_count = 4};
        assert_ok(firn_provider_add(world, &desc, &err), &err);
    }
    assert_ok(firn_script_listen(world, "dawn", "one", "a", &err), &err);
    assert_true(firn_script_system(world, 0, &err) != 0);
    assert_ok(firn_world_set_timestep(world, 1, &err), &err);
    return world;
}

static void tick_chaos(firn_world *world)
{
    firn_error err;
    assert_ok(firn_world_step(world, 1, &err), &err);
    for (int i = 0; i < 2; i++)
        do_something(world);
}

static firn_hash hash_chaos(firn_world *world)
{
    firn_error err;
    firn_hash hash;
    assert_ok(firn_world_hash(world, &hash, NULL, NULL, &err), &err);
    return hash;
}

static firn_buffer save_chaos(firn_world *world)
{
    firn_error err;
    firn_buffer image = {0};
    assert_ok(firn_snapshot_save(world, NULL, &image, &err), &err);
    return image;
}

static void load_chaos(firn_world *world, const firn_buffer *image)
{
    firn_error err;
    assert_ok(firn_snapshot_load(world, image->data, image->size, NULL, NULL, &err), &err);
}

static uint32_t history_count(void)
{
    const char *text = getenv("FIRN_SEEDS");
    unsigned long count = text != NULL ? strtoul(text, NULL, 10) : 50;
    assert_true(count > 0 && count <= 100000);
    return (uint32_t)count;
}

// The world goes on from the image as it did before.
static void check_again(firn_world *world, uint32_t seed, const firn_buffer *image,
                        const firn_hash *hashes, const firn_buffer *end)
{
    load_chaos(world, image);
    for (int i = 0; i < TICKS_AFTER; i++) {
        firn_hash hash = hash_chaos(world);
        if (memcmp(&hash, &hashes[i], sizeof hash) != 0)
            fail_msg("history %u is another one %d ticks after the load", (unsigned)seed, i);
        tick_chaos(world);
    }
    firn_buffer again = save_chaos(world);
    assert_int_equal(again.size, end->size);
    assert_memory_equal(again.data, end->data, end->size);
    firn_buffer_free(&again);
}

static void K4_a_game_goes_on_after_a_load_as_if_there_had_been_none(void **state)
{
    (void)state;
    uint64_t items = 0;
    firn_error err;
    for (uint32_t seed = 1; seed <= history_count(); seed++) {
        firn_hash hashes[TICKS_AFTER];
        firn_world *world = make_chaos(), *other = make_chaos();
        assert_ok(firn_random_seed(world, (int32_t)seed, &err), &err);
        assert_ok(firn_random_seed(other, -(int32_t)seed, &err), &err);
        for (uint32_t i = 0; i < 20 + seed % 50; i++)
            tick_chaos(world);
        for (uint32_t i = 0; i < seed % 30; i++)
            tick_chaos(other);
        firn_buffer image = save_chaos(world);
        for (int i = 0; i < TICKS_AFTER; i++) {
            hashes[i] = hash_chaos(world);
            tick_chaos(world);
            items += firn_script_list(world, FIRN_SCRIPT_NONE, 0, NULL, 0);
        }
        firn_buffer end = save_chaos(world);
        check_again(other, seed, &image, hashes, &end);
        check_again(world, seed, &image, hashes, &end);
        firn_buffer_free(&image);
        firn_buffer_free(&end);
        firn_world_destroy(world);
        firn_world_destroy(other);
    }
    // There was something to go on.
    assert_true(items > (uint64_t)history_count() * TICKS_AFTER * 8);
}

static void K4_going_back_and_on_at_every_tick_changes_nothing(void **state)
{
    (void)state;
    firn_error err;
    for (uint32_t distance = 1; distance <= 8; distance++) {
        firn_world *world = make_chaos();
        firn_buffer images[9] = {{0}};
        assert_ok(firn_random_seed(world, (int32_t)distance, &err), &err);
        for (uint32_t tick = 0; tick < 100; tick++) {
            firn_buffer *image = &images[tick % (distance + 1)];
            firn_buffer_free(image);
            *image = save_chaos(world);
            if (tick >= distance) {
                load_chaos(world, &images[(tick - distance) % (distance + 1)]);
                for (uint32_t i = 0; i < distance; i++)
                    tick_chaos(world);
                firn_buffer again = save_chaos(world);
                assert_int_equal(again.size, image->size);
                assert_memory_equal(again.data, image->data, image->size);
                firn_buffer_free(&again);
            }
            tick_chaos(world);
        }
        for (int i = 0; i < 9; i++)
            firn_buffer_free(&images[i]);
        firn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(K4_a_game_goes_on_after_a_load_as_if_there_had_been_none),
        cmocka_unit_test(K4_going_back_and_on_at_every_tick_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
