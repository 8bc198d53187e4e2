// Script state beside that of a save: what belongs to entities that a load keeps goes on.
#include "builtin/game.h"

#include "base/alloc.h"
#include "base/error.h"
#include "firn/plugin.h"
#include "store/world.h"

#include <stdalign.h>

// ---------------------------------------------------------------- numbers

uint64_t fr_script_give_number(const firn_world *world, fr_script_state *state, firn_entity entity)
{
    if (entity == 0 || world->persists == NULL || world->persists(world, entity)) {
        return ++state->made;
    }
    uint64_t last = state->apart > state->apart_kept ? state->apart : state->apart_kept;
    state->apart = last + 1;
    return FR_SCRIPT_APART + state->apart;
}

uint64_t fr_script_apart(const firn_world *world)
{
    return fr_game_of(world)->script.state.apart;
}

void fr_script_set_apart(firn_world *world, uint64_t apart)
{
    fr_script_state *state = &fr_game_of(world)->script.state;
    state->apart = apart > state->apart ? apart : state->apart;
}

// Its own, unless the save has an item of that number, or is going to give it.
static uint64_t kept_number(fr_script_state *state, uint64_t number)
{
    bool free = fr_map_get(&state->numbers, number) == FR_MAP_NONE;
    return free && (number > FR_SCRIPT_APART || number <= state->made)
               ? number
               : FR_SCRIPT_APART + ++state->apart_kept;
}

// ---------------------------------------------------------------- before the load

static firn_result copy_item_texts(const firn_world *world, const fr_item *item, fr_item *copy,
                                   firn_error *err)
{
    const firn_allocator *allocator = &world->allocator;
    if (!fr_item_copy_name(allocator, item->key, &copy->key) ||
        !fr_item_copy_name(allocator, item->event, &copy->event)) {
        return fr_fail_memory(err, "script state");
    }
    return firn_buffer_append(&copy->payload, item->payload.data, item->payload.size, err);
}

// Times are what is left, and what has passed, until it is in place.
static firn_result keep_item(const firn_world *world, const fr_item *item, firn_entity entity,
                             fr_script_state *to, firn_error *err)
{
    firn_result result = fr_item_reserve(world, to, err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_item copy = *item;
    copy.entity = entity;
    copy.key = copy.event = NULL;
    copy.tracked = NULL;
    copy.drop = NULL;
    firn_buffer_init(&copy.payload, &world->allocator);
    result = copy_item_texts(world, item, &copy, err);
    if (result != FIRN_OK) {
        fr_item_free_texts(&world->allocator, &copy);
        return result;
    }
    copy.kept = item->number;
    copy.number = kept_number(to, item->number);
    copy.clock = item->clock == NULL ? NULL : fr_clock_named(to, item->clock->name);
    copy.due = item->timed ? item->due - fr_script_now(world, item->clock) : 0;
    copy.since = world->tick - item->since;
    fr_item_put(&world->allocator, to, &copy);
    return FIRN_OK;
}

// Under which id the entity of an item goes on with it; 0: it has another state, or ends.
static firn_entity who_keeps(const firn_world *world, const fr_item *item)
{
    const fr_asked *asked = world->asked;
    bool replaced = item->entity == 0 ||
                    (asked->takes_part != NULL && asked->takes_part(asked->user, item->entity));
    return replaced ? 0 : firn_load_keeps(world, item->entity);
}

firn_result fr_script_keep(const firn_world *world, const fr_script_state *now, fr_script_state *to,
                           firn_error *err)
{
    const fr_item **items;
    uint32_t count;
    firn_result result = fr_items_sorted(world, now, &items, &count, err);
    to->apart_kept = now->apart > now->apart_kept ? now->apart : now->apart_kept;
    bool any = false;
    for (uint32_t i = 0; result == FIRN_OK && i < count; i++) {
        firn_entity entity = who_keeps(world, items[i]);
        if (entity != 0) {
            any = true;
            result = keep_item(world, items[i], entity, to, err);
        }
    }
    to->apart_kept = any ? to->apart_kept : 0;
    fr_free(&world->allocator, items, now->item_count, sizeof *items, alignof(fr_item *));
    return result;
}

// ---------------------------------------------------------------- after it

void fr_script_place_kept(const firn_world *world, fr_script_state *state, fr_script_state *before)
{
    for (uint32_t i = 0; i < state->slot_count; i++) {
        fr_item *item = &state->items[i];
        if (item->kept == 0) {
            continue;
        }
        if (item->timed) {
            double due = fr_script_now(world, item->clock) + item->due;
            item->due = due > 0 ? due : 0;
        }
        item->since = world->tick - item->since;
        fr_item *old = &before->items[fr_map_get(&before->numbers, item->kept)];
        item->tracked = old->tracked;
        item->drop = old->drop;
        old->tracked = NULL;
        old->drop = NULL;
        item->kept = 0;
    }
}
