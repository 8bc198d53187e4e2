// Script state as the game makes and reads it: events, timers, waits and machines.
#include "builtin/script.h"

#include "base/alloc.h"
#include "base/error.h"
#include "builtin/game.h"

#include <stdalign.h>
#include <string.h>

// ---------------------------------------------------------------- what starts have in common

firn_result fr_script_time(const firn_world *world, const char *clock, double delay, fr_clock **out,
                           double *due, firn_error *err)
{
    firn_result result = fr_script_check_ticks(delay, "delay", err);
    if (result == FIRN_OK) {
        result = fr_script_find_clock(&fr_game_of(world)->script.state, clock, out, err);
    }
    if (result == FIRN_OK) {
        *due = fr_script_now(world, *out) + delay;
    }
    return result;
}

static firn_result check_owner(const firn_world *world, firn_entity entity, firn_error *err)
{
    return entity == 0 ? FIRN_OK : fr_world_check_alive(world, entity, err);
}

bool fr_item_copy_name(const firn_allocator *allocator, const char *name, char **out)
{
    *out = name == NULL ? NULL : fr_copy_text(allocator, name, strlen(name));
    return name == NULL || *out != NULL;
}

uint64_t fr_script_start(firn_world *world, fr_item *item, const char *key, const char *event,
                         firn_error *err)
{
    const firn_allocator *allocator = &world->allocator;
    fr_script_state *state = &fr_game_of(world)->script.state;
    firn_result result = fr_item_reserve(world, state, err);
    if (result == FIRN_OK && (!fr_item_copy_name(allocator, key, &item->key) ||
                              !fr_item_copy_name(allocator, event, &item->event))) {
        result = fr_fail_memory(err, "script state");
    }
    if (result != FIRN_OK) {
        fr_item_free_texts(allocator, item);
        return 0;
    }
    item->number = fr_script_give_number(world, state, item->entity);
    fr_item_put(allocator, state, item);
    return item->number;
}

void fr_item_come_to(const firn_world *world, fr_item *item, uint32_t step)
{
    item->step = step;
    item->since = world->tick;
    item->first = true;
    item->run = fr_game_of(world)->script.runs;
}

// ---------------------------------------------------------------- events

firn_result fr_script_encode(const firn_world *world, const firn_value *value, firn_buffer *out,
                             firn_error *err)
{
    // In a save it stands in an item of a list of the entry.
    firn_limits limits = world->limits, most;
    firn_limits_default(&most);
    most.depth -= 3;
    fr_limits_lower(&limits, &most);
    return firn_value_encode(value, &limits, out, err);
}

uint64_t firn_script_send(firn_world *world, const char *event, firn_entity address, double delay,
                          const firn_value *payload, firn_error *err)
{
    fr_game *game;
    firn_result result = fr_game_enter(world, &game, err);
    if (result == FIRN_OK) {
        result = fr_script_check_name(event, "event", err);
    }
    if (result == FIRN_OK) {
        result = check_owner(world, address, err);
    }
    fr_item item = {.kind = FIRN_SCRIPT_EVENT, .entity = address, .timed = true};
    if (result == FIRN_OK) {
        result = fr_script_time(world, NULL, delay, &item.clock, &item.due, err);
    }
    if (result == FIRN_OK && payload != NULL && payload->kind != FIRN_VALUE_NIL) {
        firn_buffer_init(&item.payload, &world->allocator);
        result = fr_script_encode(world, payload, &item.payload, err);
    }
    if (result != FIRN_OK) {
        firn_buffer_free(&item.payload);
        return 0;
    }
    return fr_script_start(world, &item, NULL, event, err);
}

// ---------------------------------------------------------------- timers and waits

// What a timer and a wait begin with: their step, and an entity that lives.
static firn_result enter_step(firn_world *world, const uint64_t reserved[4], const char *what,
                              const char *provider, const char *step, fr_item *item,
                              firn_error *err)
{
    fr_game *game;
    firn_result result = fr_game_enter(world, &game, err);
    if (result == FIRN_OK) {
        result = fr_check_reserved(reserved, what, err);
    }
    if (result == FIRN_OK && step == NULL) {
        result = fr_fail(err, FIRN_INVALID, "step", "step is NULL");
    }
    if (result == FIRN_OK) {
        result = fr_script_find_step(&game->script, provider, step, &item->provider, &item->step,
                                     err);
    }
    return result == FIRN_OK ? check_owner(world, item->entity, err) : result;
}

uint64_t firn_timer_start(firn_world *world, const firn_timer_desc *desc, firn_error *err)
{
    if (desc == NULL) {
        fr_fail(err, FIRN_INVALID, "desc", "desc is NULL");
        return 0;
    }
    fr_item item = {.kind = FIRN_SCRIPT_TIMER, .entity = desc->entity, .timed = true};
    firn_result result = enter_step(world, desc->reserved, "firn_timer_desc", desc->provider,
                                    desc->step, &item, err);
    if (result == FIRN_OK) {
        result = fr_script_check_ticks(desc->period, "period", err);
    }
    if (result == FIRN_OK) {
        result = fr_script_time(world, desc->clock, desc->delay, &item.clock, &item.due, err);
    }
    if (result != FIRN_OK) {
        return 0;
    }
    item.period = desc->period + 0.0; // -0 is 0
    return fr_script_start(world, &item, NULL, NULL, err);
}

uint64_t firn_wait_start(firn_world *world, const firn_wait_desc *desc, firn_error *err)
{
    if (desc == NULL) {
        fr_fail(err, FIRN_INVALID, "desc", "desc is NULL");
        return 0;
    }
    fr_item item = {.kind = FIRN_SCRIPT_WAIT, .entity = desc->entity};
    firn_result result = enter_step(world, desc->reserved, "firn_wait_desc", desc->provider,
                                    desc->step, &item, err);
    if (result == FIRN_OK && desc->event != NULL) {
        result = fr_script_check_name(desc->event, "event", err);
    }
    if (result == FIRN_OK) {
        result = fr_script_time(world, desc->clock, desc->delay, &item.clock, &item.due, err);
    }
    if (result != FIRN_OK) {
        return 0;
    }
    item.timed = desc->event == NULL || desc->delay > 0;
    if (!item.timed) {
        item.clock = NULL;
        item.due = 0;
    }
    return fr_script_start(world, &item, NULL, desc->event, err);
}

// ---------------------------------------------------------------- machines

uint64_t firn_machine_set(firn_world *world, firn_entity entity, const char *provider,
                          const char *state, firn_error *err)
{
    fr_game *game;
    firn_result result = fr_game_enter(world, &game, err);
    if (result == FIRN_OK && state == NULL) {
        result = fr_fail(err, FIRN_INVALID, "state", "state is NULL");
    }
    uint32_t provider_index = 0, step = 0;
    if (result == FIRN_OK) {
        result = fr_script_find_step(&game->script, provider, state, &provider_index, &step, err);
    }
    if (result == FIRN_OK) {
        result = fr_world_check_alive(world, entity, err);
    }
    if (result != FIRN_OK) {
        return 0;
    }
    fr_item *there = fr_item_named(world, &game->script.state, provider_index, entity, NULL);
    if (there != NULL) {
        there->previous = there->step;
        fr_item_come_to(world, there, step);
        return there->number;
    }
    fr_item item = {
        .kind = FIRN_SCRIPT_MACHINE,
        .entity = entity,
        .provider = provider_index,
        .previous = FR_NO_STEP,
    };
    fr_item_come_to(world, &item, step);
    return fr_script_start(world, &item, NULL, NULL, err);
}

uint64_t firn_machine_find(const firn_world *world, firn_entity entity, const char *provider)
{
    const fr_game *game = fr_game_of(world);
    if (game == NULL || provider == NULL) {
        return 0;
    }
    uint32_t index = fr_provider_named(&game->script, provider, strlen(provider));
    const fr_item *item = fr_item_named(world, &game->script.state, index, entity, NULL);
    return item == NULL ? 0 : item->number;
}

// ---------------------------------------------------------------- looking

static firn_result fail_no_item(uint64_t number, firn_error *err)
{
    return fr_fail(err, FIRN_NOT_FOUND, "number", "there is no item %llu",
                   (unsigned long long)number);
}

static const char *text_of(const char *text)
{
    return text == NULL ? "" : text;
}

static firn_script_item describe_item(const firn_world *world, const fr_script *script,
                                      const fr_item *item)
{
    bool stands = item->kind == FIRN_SCRIPT_MACHINE || item->kind == FIRN_SCRIPT_CURSOR;
    firn_script_item out = {
        .kind = item->kind,
        .number = item->number,
        .entity = item->entity,
        .provider = "",
        .step = "",
        .previous = "",
        .key = text_of(item->key),
        .event = text_of(item->event),
        .clock = item->clock == NULL ? "" : item->clock->name,
        .timed = item->timed,
        .due = item->due,
        .period = item->period,
        .ticks = stands ? fr_item_ticks(world, item) : 0,
        .pending = item->pending,
    };
    if (item->kind != FIRN_SCRIPT_EVENT) {
        const fr_provider *provider = script->providers[item->provider];
        out.provider = provider->name;
        out.step = provider->steps[item->step].name;
        if (item->kind == FIRN_SCRIPT_MACHINE && item->previous != FR_NO_STEP) {
            out.previous = provider->steps[item->previous].name;
        }
    }
    return out;
}

firn_result firn_script_read(const firn_world *world, uint64_t number, firn_script_item *out,
                             firn_error *err)
{
    const fr_game *game = fr_game_of(world);
    if (game == NULL || out == NULL) {
        const char *argument = game == NULL ? "world" : "out";
        return fr_fail(err, FIRN_INVALID, argument, "%s is NULL", argument);
    }
    const fr_item *item = fr_item_of(world, &game->script.state, number);
    if (item == NULL) {
        return fail_no_item(number, err);
    }
    *out = describe_item(world, &game->script, item);
    return FIRN_OK;
}

firn_result firn_script_end(firn_world *world, uint64_t number, firn_error *err)
{
    fr_game *game;
    firn_result result = fr_game_enter(world, &game, err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_item *item = fr_item_of(world, &game->script.state, number);
    if (item == NULL) {
        return fail_no_item(number, err);
    }
    fr_item_remove(&world->allocator, &game->script.state, item);
    return FIRN_OK;
}

// The largest of `count` numbers is at 0 again, when only that at `root` may be out of place.
static void sift_number(uint64_t *numbers, uint32_t root, uint32_t count)
{
    uint64_t number = numbers[root];
    for (uint32_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && numbers[child] < numbers[child + 1]) {
            child++;
        }
        if (number >= numbers[child]) {
            break;
        }
        numbers[root] = numbers[child];
    }
    numbers[root] = number;
}

static void heap_numbers(uint64_t *numbers, uint32_t count)
{
    for (uint32_t i = count / 2; i > 0; i--) {
        sift_number(numbers, i - 1, count);
    }
}

void fr_sort_numbers(uint64_t *numbers, uint32_t count)
{
    heap_numbers(numbers, count);
    for (uint32_t last = count; last > 1; last--) {
        uint64_t largest = numbers[0];
        numbers[0] = numbers[last - 1];
        numbers[last - 1] = largest;
        sift_number(numbers, 0, last - 1);
    }
}

uint32_t firn_script_list(const firn_world *world, firn_script_kind kind, firn_entity entity,
                          uint64_t *out, uint32_t room)
{
    const fr_game *game = fr_game_of(world);
    uint32_t count = 0, slots = game == NULL ? 0 : game->script.state.slot_count;
    room = out == NULL ? 0 : room;
    for (uint32_t i = 0; i < slots; i++) {
        const fr_item *item = &game->script.state.items[i];
        if (item->number == 0 || (kind != FIRN_SCRIPT_NONE && item->kind != kind) ||
            (entity != 0 && item->entity != entity) || !fr_item_lives(world, item)) {
            continue;
        }
        // The lowest `room` of them, the largest of these first.
        if (count < room) {
            out[count] = item->number;
        }
        if (++count == room) {
            heap_numbers(out, room);
        } else if (count > room && room > 0 && item->number < out[0]) {
            out[0] = item->number;
            sift_number(out, 0, room);
        }
    }
    fr_sort_numbers(out, count < room ? count : room);
    return count;
}
