// The items of a script state, in slots that they keep, found by their numbers and names.
#include "builtin/game.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/sort.h"
#include "base/utf8.h"

#include <assert.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------- arguments

firn_result fr_script_check_name(const char *name, const char *argument, firn_error *err)
{
    if (name == NULL) {
        return fr_fail(err, FIRN_INVALID, argument, "%s is NULL", argument);
    }
    return fr_check_text_name(name, FR_SCRIPT_NAME_BYTES, argument, NULL, err);
}

firn_result fr_script_check_ticks(double ticks, const char *argument, firn_error *err)
{
    return ticks >= 0 && ticks <= FR_SCRIPT_TICKS_MOST
               ? FIRN_OK
               : fr_fail(err, FIRN_INVALID, argument, "%s is %g, not a number of ticks from 0 on",
                         argument, ticks);
}

// ---------------------------------------------------------------- names

uint64_t fr_script_hash(const char *text)
{
    return fr_hash(text, strlen(text));
}

static uint64_t hash_item_name(uint32_t provider, firn_entity entity, const char *key)
{
    const uint64_t words[] = {provider, entity, key == NULL ? 1 : fr_script_hash(key)};
    return fr_hash(words, sizeof words);
}

static bool item_has_name(const fr_item *item)
{
    return item->kind == FIRN_SCRIPT_MACHINE || item->kind == FIRN_SCRIPT_CURSOR;
}

static uint64_t name_of_item(const fr_item *item)
{
    return hash_item_name(item->provider, item->entity, item->key);
}

// ---------------------------------------------------------------- finding

bool fr_item_lives(const firn_world *world, const fr_item *item)
{
    return item->entity == 0 || firn_alive(world, item->entity);
}

fr_item *fr_item_of(const firn_world *world, const fr_script_state *state, uint64_t number)
{
    uint32_t slot = fr_map_get(&state->numbers, number);
    fr_item *item = slot == FR_MAP_NONE ? NULL : &state->items[slot];
    return item != NULL && fr_item_lives(world, item) ? item : NULL;
}

fr_item *fr_item_with_name(const fr_script_state *state, uint32_t provider, firn_entity entity,
                           const char *key)
{
    uint32_t cursor = UINT32_MAX, slot;
    uint64_t hash = hash_item_name(provider, entity, key);
    while ((slot = fr_map_next(&state->named, hash, &cursor)) != FR_MAP_NONE) {
        fr_item *item = &state->items[slot];
        bool same_key =
            key == NULL ? item->key == NULL : item->key != NULL && strcmp(item->key, key) == 0;
        if (item->provider == provider && item->entity == entity && same_key) {
            return item;
        }
    }
    return NULL;
}

fr_item *fr_item_named(const firn_world *world, const fr_script_state *state, uint32_t provider,
                       firn_entity entity, const char *key)
{
    fr_item *item = fr_item_with_name(state, provider, entity, key);
    return item != NULL && fr_item_lives(world, item) ? item : NULL;
}

uint64_t fr_item_ticks(const firn_world *world, const fr_item *item)
{
    uint64_t ticks = world->tick - item->since;
    return (int64_t)ticks > 0 ? ticks : 0;
}

static int compare_items(const void *a, const void *b)
{
    const fr_item *left = a, *right = b;
    return left->number < right->number ? -1 : left->number > right->number;
}

static bool is_of_save(const firn_world *world, firn_entity entity)
{
    const fr_asked *asked = world->asked;
    bool in_part = asked != NULL && asked->saves_part != NULL && firn_alive(world, entity) &&
                   asked->saves_part(asked->user, entity);
    return entity == 0 || in_part || firn_save_has(world, entity);
}

firn_result fr_items_sorted(const firn_world *world, const fr_script_state *state,
                            const fr_item ***items, uint32_t *count, firn_error *err)
{
    *items = NULL;
    *count = 0;
    if (state->item_count == 0) {
        return FIRN_OK;
    }
    *items = fr_alloc(&world->allocator, state->item_count, sizeof **items, alignof(fr_item *));
    if (*items == NULL) {
        return fr_fail_memory(err, "script state");
    }
    for (uint32_t i = 0; i < state->slot_count; i++) {
        const fr_item *item = &state->items[i];
        if (item->number != 0 && is_of_save(world, item->entity)) {
            (*items)[(*count)++] = item;
        }
    }
    fr_sort((const void **)*items, *count, compare_items);
    return FIRN_OK;
}

bool fr_script_rests(const fr_script *script)
{
    const fr_script_state *state = &script->state;
    return state->made == 0 && state->apart == 0 && state->clock_count == 0 &&
           state->item_count == 0;
}

// ---------------------------------------------------------------- putting in and taking out

firn_result fr_item_reserve(const firn_world *world, fr_script_state *state, firn_error *err)
{
    const firn_allocator *allocator = &world->allocator;
    if (state->item_count >= FR_SCRIPT_ITEMS(&world->limits)) {
        return fr_fail(err, FIRN_LIMIT, "script", "there are %u items already, the most allowed",
                       state->item_count);
    }
    bool memory = FR_RESERVE(allocator, state->items, state->capacity, state->item_count + 1) &&
                  fr_map_reserve(allocator, &state->numbers, 1) &&
                  fr_map_reserve(allocator, &state->named, 1) &&
                  fr_map_reserve(allocator, &state->awaited, 1);
    return memory ? FIRN_OK : fr_fail_memory(err, "script state");
}

void fr_item_await(const firn_allocator *allocator, fr_script_state *state, fr_item *item,
                   char *event)
{
    uint32_t slot = (uint32_t)(item - state->items);
    if (item->event != NULL) {
        (void)fr_map_remove(&state->awaited, fr_script_hash(item->event), slot);
        fr_free_text(allocator, item->event);
    }
    item->event = event;
    if (event != NULL) {
        (void)fr_map_add(allocator, &state->awaited, fr_script_hash(event), slot);
    }
}

void fr_item_put(const firn_allocator *allocator, fr_script_state *state, const fr_item *item)
{
    bool fresh = state->item_count == state->slot_count;
    uint32_t slot = fresh ? state->slot_count : state->free_slot;
    fr_item *place = &state->items[slot];
    if (fresh) {
        state->slot_count++;
    } else {
        state->free_slot = place->step;
    }
    *place = *item;
    state->item_count++;
    (void)fr_map_add(allocator, &state->numbers, item->number, slot);
    if (item_has_name(item)) {
        (void)fr_map_add(allocator, &state->named, name_of_item(item), slot);
    }
    if (item->kind != FIRN_SCRIPT_EVENT && item->event != NULL) {
        (void)fr_map_add(allocator, &state->awaited, fr_script_hash(item->event), slot);
    }
    if (item->clock != NULL) {
        item->clock->users++;
    }
}

void fr_item_set_time(fr_item *item, bool timed, fr_clock *clock, double due)
{
    if (item->clock != NULL) {
        item->clock->users--;
    }
    if (clock != NULL) {
        clock->users++;
    }
    item->clock = clock;
    item->timed = timed;
    item->due = due;
}

void fr_item_let_go(fr_item *item)
{
    void *tracked = item->tracked;
    void (*drop)(void *) = item->drop;
    item->tracked = NULL;
    item->drop = NULL;
    item->pending = false;
    if (tracked != NULL && drop != NULL) {
        drop(tracked);
    }
}

void fr_item_free_texts(const firn_allocator *allocator, fr_item *item)
{
    fr_free_text(allocator, item->key);
    fr_free_text(allocator, item->event);
    firn_buffer_free(&item->payload);
}

void fr_item_remove(const firn_allocator *allocator, fr_script_state *state, fr_item *item)
{
    uint32_t slot = (uint32_t)(item - state->items);
    (void)fr_map_remove(&state->numbers, item->number, slot);
    if (item_has_name(item)) {
        (void)fr_map_remove(&state->named, name_of_item(item), slot);
    }
    if (item->kind != FIRN_SCRIPT_EVENT && item->event != NULL) {
        (void)fr_map_remove(&state->awaited, fr_script_hash(item->event), slot);
    }
    fr_item_set_time(item, false, NULL, 0);
    fr_item gone = *item;
    *item = (fr_item){.step = state->free_slot};
    state->free_slot = slot;
    state->item_count--;
    fr_item_free_texts(allocator, &gone);
    fr_item_let_go(&gone);
}

void fr_items_sweep(const firn_world *world, fr_script_state *state)
{
    for (uint32_t i = 0; i < state->slot_count; i++) {
        if (state->items[i].number != 0 && !fr_item_lives(world, &state->items[i])) {
            fr_item_remove(&world->allocator, state, &state->items[i]);
        }
    }
}

void fr_script_state_free(const firn_allocator *allocator, fr_script_state *state)
{
    for (uint32_t i = 0; i < state->slot_count; i++) {
        if (state->items[i].number != 0) {
            fr_item_free_texts(allocator, &state->items[i]);
            fr_item_let_go(&state->items[i]);
        }
    }
    for (uint32_t i = 0; i < state->clock_count; i++) {
        fr_free_text(allocator, state->clocks[i]->name);
        fr_free(allocator, state->clocks[i], 1, sizeof(fr_clock), alignof(fr_clock));
    }
    FR_ARRAY_FREE(allocator, state->items, state->capacity);
    FR_ARRAY_FREE(allocator, state->clocks, state->clock_capacity);
    fr_map_free(allocator, &state->numbers);
    fr_map_free(allocator, &state->named);
    fr_map_free(allocator, &state->awaited);
    *state = (fr_script_state){0};
}
