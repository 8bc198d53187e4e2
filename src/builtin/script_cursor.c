// Sequence cursors, and what they track.
#include "builtin/script.h"

#include "base/alloc.h"
#include "base/error.h"
#include "builtin/game.h"

#include <assert.h>
#include <string.h>

// ---------------------------------------------------------------- finding

uint64_t firn_cursor_find(const firn_world *world, const char *provider, firn_entity entity,
                          const char *key)
{
    const fr_game *game = fr_game_of(world);
    if (game == NULL || provider == NULL) {
        return 0;
    }
    uint32_t index = fr_provider_named(&game->script, provider, strlen(provider));
    const fr_item *item =
        fr_item_named(world, &game->script.state, index, entity, key == NULL ? "" : key);
    return item == NULL ? 0 : item->number;
}

// NULL: there is none.
static fr_item *cursor_of(const firn_world *world, uint64_t number)
{
    const fr_game *game = fr_game_of(world);
    fr_item *item = game == NULL ? NULL : fr_item_of(world, &game->script.state, number);
    return item != NULL && item->kind == FIRN_SCRIPT_CURSOR ? item : NULL;
}

static firn_result enter_cursor(firn_world *world, uint64_t number, fr_game **game, fr_item **item,
                                firn_error *err)
{
    firn_result result = fr_game_enter(world, game, err);
    if (result != FIRN_OK) {
        return result;
    }
    *item = cursor_of(world, number);
    if (*item == NULL) {
        result = fr_fail(err, FIRN_NOT_FOUND, "cursor", "there is no cursor %llu",
                         (unsigned long long)number);
    }
    assert(result != FIRN_OK || *item != NULL);
    return result;
}

// ---------------------------------------------------------------- going

// It waits for nothing.
static void clear_wait(const firn_world *world, fr_game *game, fr_item *item)
{
    fr_item_await(&world->allocator, &game->script.state, item, NULL);
    fr_item_set_time(item, false, NULL, 0);
}

uint64_t firn_cursor_start(firn_world *world, const char *provider, firn_entity entity,
                           const char *key, const char *step, firn_error *err)
{
    fr_game *game;
    firn_result result = fr_game_enter(world, &game, err);
    key = key == NULL ? "" : key;
    fr_item item = {.kind = FIRN_SCRIPT_CURSOR, .entity = entity};
    uint32_t first = 0;
    if (result == FIRN_OK) {
        result = fr_script_find_step(&game->script, provider, step, &item.provider, &first, err);
    }
    if (result == FIRN_OK && key[0] != '\0') {
        result = fr_script_check_name(key, "key", err);
    }
    if (result == FIRN_OK && entity != 0) {
        result = fr_world_check_alive(world, entity, err);
    }
    if (result != FIRN_OK) {
        return 0;
    }
    if (fr_item_named(world, &game->script.state, item.provider, entity, key) != NULL) {
        fr_fail_entity(err, FIRN_EXISTS, entity, provider,
                       "the entity has a cursor of \"%s\" with the key \"%s\" already", provider,
                       key);
        return 0;
    }
    fr_item_come_to(world, &item, first);
    return fr_script_start(world, &item, key, NULL, err);
}

firn_result firn_cursor_go(firn_world *world, uint64_t cursor, const char *step, firn_error *err)
{
    fr_game *game;
    fr_item *item;
    firn_result result = enter_cursor(world, cursor, &game, &item, err);
    if (result == FIRN_OK && step == NULL) {
        result = fr_fail(err, FIRN_INVALID, "step", "step is NULL");
    }
    uint32_t provider, index;
    if (result == FIRN_OK) {
        result = fr_script_find_step(&game->script, game->script.providers[item->provider]->name,
                                     step, &provider, &index, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    clear_wait(world, game, item);
    fr_item_come_to(world, item, index);
    fr_item_let_go(item);
    return FIRN_OK;
}

firn_result firn_cursor_wait(firn_world *world, uint64_t cursor, const char *event, double delay,
                             const char *clock, firn_error *err)
{
    fr_game *game;
    fr_item *item;
    firn_result result = enter_cursor(world, cursor, &game, &item, err);
    if (result == FIRN_OK && event != NULL) {
        result = fr_script_check_name(event, "event", err);
    }
    fr_clock *by = NULL;
    double due = 0;
    if (result == FIRN_OK) {
        result = fr_script_time(world, clock, delay, &by, &due, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    const firn_allocator *allocator = &world->allocator;
    fr_script_state *state = &game->script.state;
    char *name = NULL;
    if (event != NULL) {
        name = fr_map_reserve(allocator, &state->awaited, 1)
                   ? fr_copy_text(allocator, event, strlen(event))
                   : NULL;
        if (name == NULL) {
            return fr_fail_memory(err, "script state");
        }
    }
    bool timed = event == NULL || delay > 0;
    fr_item_await(allocator, state, item, name);
    fr_item_set_time(item, timed, timed ? by : NULL, timed ? due : 0);
    item->run = game->script.runs;
    fr_item_let_go(item);
    return FIRN_OK;
}

// ---------------------------------------------------------------- tracking

firn_result firn_cursor_track(firn_world *world, uint64_t cursor, void *tracked,
                              void (*drop)(void *tracked), firn_error *err)
{
    fr_game *game;
    fr_item *item;
    firn_result result = enter_cursor(world, cursor, &game, &item, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (tracked == NULL) {
        return fr_fail(err, FIRN_INVALID, "tracked", "tracked is NULL");
    }
    fr_item before = *item;
    if (item->tracked == tracked) {
        before.drop = NULL; // it is not let go of
    }
    clear_wait(world, game, item);
    item->tracked = tracked;
    item->drop = drop;
    item->pending = true;
    fr_item_let_go(&before);
    return FIRN_OK;
}

bool firn_cursor_is_pending(const firn_world *world, uint64_t cursor)
{
    const fr_item *item = cursor_of(world, cursor);
    return item != NULL && item->pending;
}

void *firn_cursor_tracked(const firn_world *world, uint64_t cursor)
{
    const fr_item *item = cursor_of(world, cursor);
    return item == NULL ? NULL : item->tracked;
}

firn_result firn_cursor_done(firn_world *world, uint64_t cursor, const void *tracked,
                             firn_error *err)
{
    fr_game *game;
    fr_item *item;
    firn_result result = enter_cursor(world, cursor, &game, &item, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (!item->pending || item->tracked != tracked) {
        return fr_fail(err, FIRN_NOT_FOUND, "tracked", "the cursor %llu does not track it",
                       (unsigned long long)cursor);
    }
    item->pending = false;
    return FIRN_OK;
}
