// Running what is due.
#include "builtin/script.h"

#include "base/error.h"
#include "base/sort.h"
#include "builtin/game.h"

#include <stdio.h>
#include <string.h>

// One run.
typedef struct script_run {
    firn_world *world;
    fr_game *game;
    fr_script *script;
    uint32_t loads; // of the game when it began: a load since then ends it
    uint32_t due_count;
    firn_result result;
    firn_error *err;
} script_run;

static bool run_goes_on(const script_run *run)
{
    return run->game->loads == run->loads;
}

// Keeps the first failure.
static void note_run_failure(script_run *run, firn_result result, firn_error *why)
{
    if (result == FIRN_OK || run->result != FIRN_OK) {
        return;
    }
    run->result = result;
    fr_error_complete(why, result);
    fr_fail_copy(run->err, why);
}

// ---------------------------------------------------------------- what is due

// The first whole tick that is not below.
static uint64_t tick_of(double due)
{
    uint64_t tick = (uint64_t)due;
    return (double)tick < due ? tick + 1 : tick;
}

// Whether it runs now, and since which tick.
static bool item_is_due(const script_run *run, const fr_item *item, uint64_t *tick)
{
    *tick = run->world->tick;
    if (item->pending) {
        return false;
    }
    if (item->timed) {
        bool due = fr_script_now(run->world, item->clock) >= item->due;
        if (due && item->clock == NULL) {
            *tick = tick_of(item->due);
        }
        return due;
    }
    if (item->event != NULL) {
        return false;
    }
    const fr_provider *provider = run->script->providers[item->provider];
    return provider->steps[item->step].run != NULL;
}

static int compare_due(const void *a, const void *b)
{
    const fr_due *left = a, *right = b;
    if (left->tick != right->tick) {
        return left->tick < right->tick ? -1 : 1;
    }
    return left->number < right->number ? -1 : left->number > right->number;
}

static firn_result collect_due(script_run *run, firn_error *err)
{
    fr_script *script = run->script;
    fr_script_state *state = &script->state;
    const firn_allocator *allocator = &run->world->allocator;
    uint32_t most = state->item_count;
    if (most > 0 && (!FR_RESERVE(allocator, script->due, script->due_capacity, most) ||
                     !FR_RESERVE(allocator, script->due_order, script->due_order_capacity, most))) {
        return fr_fail_memory(err, "script state");
    }
    for (uint32_t i = 0; i < state->slot_count; i++) {
        fr_item *item = &state->items[i];
        uint64_t tick;
        if (item->number == 0) {
            continue;
        }
        if (!fr_item_lives(run->world, item)) {
            fr_item_remove(allocator, state, item); // its entity has ended
        } else if (item_is_due(run, item, &tick)) {
            fr_due *due = &script->due[run->due_count];
            *due = (fr_due){tick, item->number, i};
            script->due_order[run->due_count++] = due;
        }
    }
    fr_sort((const void **)script->due_order, run->due_count, compare_due);
    return FIRN_OK;
}

// ---------------------------------------------------------------- calls

static void call_step(script_run *run, firn_step_call *call, uint32_t provider_index,
                      uint32_t step_index)
{
    const fr_provider *provider = run->script->providers[provider_index];
    const firn_step *step = &provider->steps[step_index];
    if (step->run == NULL) {
        return;
    }
    call->provider = provider->name;
    call->step = step->name;
    firn_error why;
    fr_error_begin(&why);
    firn_result result = step->run(provider->user, run->world, call, &why);
    if (result == FIRN_OK && run->world->open_loops == 0) {
        return;
    }
    char name[sizeof why.subject];
    snprintf(name, sizeof name, "%s.%s", provider->name, step->name);
    if (result != FIRN_OK && why.message[0] == '\0') {
        fr_fail(&why, result, name, "the step \"%s\" failed", name);
    }
    note_run_failure(run, result, &why);
    result = fr_game_close_loops(run->world, "step", name, &why);
    note_run_failure(run, result, &why);
}

// A machine or cursor is called where it stands.
static void call_standing(script_run *run, fr_item *item, firn_step_call *call)
{
    char key[FR_SCRIPT_NAME_BYTES + 1] = "";
    if (item->key != NULL) {
        memcpy(key, item->key, strlen(item->key) + 1); // the call may end it
    }
    fr_item_await(&run->world->allocator, &run->script->state, item, NULL);
    fr_item_set_time(item, false, NULL, 0);
    item->run = run->script->runs;
    call->key = key;
    call->first = item->first;
    call->ticks = fr_item_ticks(run->world, item);
    call->tracked = item->tracked;
    item->first = false;
    call_step(run, call, item->provider, item->step);
    call->key = "";
}

static void call_item(script_run *run, fr_item *item, firn_step_call *call)
{
    call->kind = item->kind;
    call->number = item->number;
    call->entity = item->entity;
    if (item->kind != FIRN_SCRIPT_WAIT) {
        call_standing(run, item, call);
        return;
    }
    uint32_t provider = item->provider, step = item->step;
    fr_item_remove(&run->world->allocator, &run->script->state, item);
    call_step(run, call, provider, step);
}

static void call_timer(script_run *run, fr_item *item)
{
    firn_step_call call = {
        .kind = FIRN_SCRIPT_TIMER,
        .number = item->number,
        .entity = item->entity,
        .key = "",
        .event = "",
        .count = 1,
    };
    uint32_t provider = item->provider, step = item->step;
    if (item->period > 0) {
        double missed = (fr_script_now(run->world, item->clock) - item->due) / item->period;
        call.count =
            missed < FR_SCRIPT_TICKS_MOST ? (uint64_t)missed + 1 : (uint64_t)FR_SCRIPT_TICKS_MOST;
        item->due += (double)call.count * item->period;
    } else {
        fr_item_remove(&run->world->allocator, &run->script->state, item);
    }
    call_step(run, &call, provider, step);
}

// ---------------------------------------------------------------- events

static bool hears(const fr_item *item, const fr_item *event)
{
    return item->entity == 0 || event->entity == 0 || item->entity == event->entity;
}

// Whoever waits for the event now, in order; false: no memory.
static bool collect_waiting(script_run *run, const fr_item *event, uint32_t *count)
{
    fr_script *script = run->script;
    const firn_allocator *allocator = &run->world->allocator;
    uint64_t hash = fr_script_hash(event->event);
    uint32_t cursor = UINT32_MAX, slot;
    *count = 0;
    while ((slot = fr_map_next(&script->state.awaited, hash, &cursor)) != FR_MAP_NONE) {
        const fr_item *item = &script->state.items[slot];
        if (strcmp(item->event, event->event) != 0 || !hears(item, event)) {
            continue;
        }
        if (!FR_RESERVE(allocator, script->woken, script->woken_capacity, *count + 1)) {
            return false;
        }
        script->woken[(*count)++] = item->number;
    }
    fr_sort_numbers(script->woken, *count);
    return true;
}

// The payload as a tree, NULL for none, in *payload.
static firn_result decode_payload(script_run *run, const fr_item *event, const firn_value **payload,
                                  firn_error *err)
{
    fr_script *script = run->script;
    *payload = NULL;
    if (event->payload.size == 0) {
        return FIRN_OK;
    }
    if (script->payloads == NULL) {
        script->payloads = firn_doc_create(&run->world->allocator, NULL, err);
    }
    if (script->payloads == NULL) {
        return FIRN_NO_MEMORY;
    }
    firn_doc_clear(script->payloads);
    *payload = firn_value_decode(script->payloads, event->payload.data, event->payload.size, err);
    return *payload != NULL ? FIRN_OK : FIRN_NO_MEMORY;
}

static void call_listeners(script_run *run, const fr_item *event, const firn_step_call *call)
{
    const fr_script *script = run->script;
    uint32_t count = script->listener_count; // those that are added meanwhile hear the next one
    for (uint32_t i = 0; i < count && run_goes_on(run); i++) {
        const fr_listener_step *listener = &script->listeners[i];
        if (strcmp(listener->event, event->event) == 0) {
            firn_step_call heard = *call;
            call_step(run, &heard, listener->provider, listener->step);
        }
    }
}

static void wake(script_run *run, const fr_item *event, const firn_step_call *call, uint32_t count)
{
    fr_script *script = run->script;
    for (uint32_t i = 0; i < count && run_goes_on(run); i++) {
        fr_item *item = fr_item_of(run->world, &script->state, script->woken[i]);
        // A call before it may have ended it, or let it wait for something else.
        if (item != NULL && item->event != NULL && strcmp(item->event, event->event) == 0 &&
            !item->pending) {
            firn_step_call heard = *call;
            call_item(run, item, &heard);
        }
    }
}

// What cannot be delivered for want of memory stays due.
static void deliver_event(script_run *run, fr_item *item)
{
    const firn_allocator *allocator = &run->world->allocator;
    firn_step_call call = {
        .kind = FIRN_SCRIPT_EVENT,
        .number = item->number,
        .entity = item->entity,
        .key = "",
        .event = item->event,
        .address = item->entity,
    };
    uint32_t waiting;
    firn_error why;
    firn_result result = decode_payload(run, item, &call.payload, &why);
    if (result == FIRN_OK && !collect_waiting(run, item, &waiting)) {
        result = fr_fail_memory(&why, "script state");
    }
    if (result != FIRN_OK) {
        note_run_failure(run, result, &why);
        return;
    }
    fr_item event = *item;
    *item = (fr_item){.number = event.number, .entity = event.entity, .kind = event.kind};
    fr_item_remove(allocator, &run->script->state, item);
    call_listeners(run, &event, &call);
    wake(run, &event, &call, waiting);
    fr_item_free_texts(allocator, &event);
}

// ---------------------------------------------------------------- the run

static void run_due(script_run *run, const fr_due *due)
{
    fr_item *item = &run->script->state.items[due->slot];
    uint64_t tick;
    if (item->number != due->number || !fr_item_lives(run->world, item) ||
        !item_is_due(run, item, &tick)) {
        return; // an earlier call ended it or made it wait
    }
    if (item->kind == FIRN_SCRIPT_EVENT) {
        deliver_event(run, item);
    } else if (item->kind == FIRN_SCRIPT_TIMER) {
        call_timer(run, item);
    } else if (item->kind == FIRN_SCRIPT_WAIT || item->run != run->script->runs) {
        firn_step_call call = {.key = "", .event = ""};
        call_item(run, item, &call);
    }
}

firn_result firn_script_run(firn_world *world, firn_error *err)
{
    fr_game *game;
    firn_result result = fr_game_settle(world, &game, err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_script *script = &game->script;
    if (script->running) {
        return fr_fail(err, FIRN_BUSY, "script", "a run of the script state runs already");
    }
    script_run run = {
        .world = world, .game = game, .script = script, .loads = game->loads, .err = err};
    result = collect_due(&run, err);
    if (result != FIRN_OK) {
        return result;
    }
    script->running = true;
    script->runs++;
    for (uint32_t i = 0; i < run.due_count && run_goes_on(&run); i++) {
        run_due(&run, script->due_order[i]);
    }
    script->running = false;
    return run.result;
}

static firn_result run_as_system(void *user, firn_world *world, double dt, firn_error *err)
{
    (void)user, (void)dt;
    return firn_script_run(world, err);
}

firn_system firn_script_system(firn_world *world, firn_phase phase, firn_error *err)
{
    const firn_system_desc desc = {
        .name = "firn.script",
        .phase = phase != 0 ? phase : firn_phase_find(world, "FixedFirst"),
        .run = run_as_system,
    };
    return firn_system_add(world, &desc, err);
}

double firn_script_ticks(const firn_world *world, double seconds)
{
    double ticks = seconds / firn_world_timestep(world) + 0.5;
    if (!(ticks > 0)) {
        return 0;
    }
    return ticks < FR_SCRIPT_TICKS_MOST ? (double)(uint64_t)ticks : FR_SCRIPT_TICKS_MOST;
}
