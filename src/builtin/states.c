// The stack of states.
#include "builtin/entry.h"
#include "builtin/game.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/utf8.h"
#include "plugin/registry.h"

#include <stdalign.h>
#include <stdio.h>
#include <string.h>

typedef void (*state_callback)(void *user, firn_world *world);

// ---------------------------------------------------------------- registration

static uint32_t state_named(const fr_states *states, const char *name, size_t size)
{
    for (uint32_t i = 0; i < states->count; i++) {
        const char *other = states->items[i].name;
        if (strlen(other) == size && memcmp(other, name, size) == 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

static firn_result check_state(const firn_world *world, const fr_states *states,
                               const firn_state_desc *desc, firn_error *err)
{
    if (desc == NULL) {
        return fr_fail(err, FIRN_INVALID, "desc", "desc is NULL");
    }
    size_t size;
    firn_result result = fr_check_reserved(desc->reserved, "firn_state_desc", err);
    if (result == FIRN_OK) {
        result = fr_check_text_name(desc->name, world->limits.name_bytes, "state name", &size, err);
    }
    uint32_t there = result == FIRN_OK ? state_named(states, desc->name, size) : UINT32_MAX;
    if (there != UINT32_MAX && !fr_maker_waits(states->items[there].maker, world->installer)) {
        return fr_fail(err, FIRN_EXISTS, desc->name, "the state \"%s\" is registered already",
                       desc->name);
    }
    return result;
}

// Registers the tag, and with it the state: what fails, fails before.
static firn_result add_state(firn_world *world, fr_states *states, const firn_state_desc *desc,
                             char *name, firn_error *err)
{
    char tag_name[256 + sizeof FR_STATE_TAG];
    snprintf(tag_name, sizeof tag_name, "%s" FR_STATE_TAG, name);
    const firn_component_desc tag_desc = {.name = tag_name, .kind = FIRN_TAG};
    firn_error why;
    firn_component tag = firn_component_register(world, &tag_desc, &why);
    if (tag == 0) {
        return fr_fail_copy(err, &why);
    }
    fr_state *state = &states->items[states->count++];
    *state = (fr_state){.name = name,
                        .desc = *desc,
                        .tag = fr_component_index(world, tag),
                        .maker.installer = world->installer};
    state->desc.name = name;
    return FIRN_OK;
}

firn_state firn_state_create(firn_world *world, const firn_state_desc *desc, firn_error *err)
{
    fr_game *game;
    if (fr_game_enter(world, &game, err) != FIRN_OK ||
        check_state(world, &game->states, desc, err) != FIRN_OK) {
        return 0;
    }
    fr_states *states = &game->states;
    uint32_t vacant = state_named(states, desc->name, strlen(desc->name));
    if (vacant != UINT32_MAX) {
        fr_state *state = &states->items[vacant];
        state->maker.vacant = false;
        state->desc = *desc;
        state->desc.name = state->name;
        return game->state_base + vacant;
    }
    char *name = NULL;
    if (FR_RESERVE(&world->allocator, states->items, states->capacity, states->count + 1)) {
        name = fr_copy_text(&world->allocator, desc->name, strlen(desc->name));
    }
    if (name == NULL) {
        fr_fail_memory(err, "a state");
        return 0;
    }
    if (add_state(world, states, desc, name, err) != FIRN_OK) {
        fr_free_text(&world->allocator, name);
        return 0;
    }
    return game->state_base + (states->count - 1);
}

static uint32_t state_index(const fr_game *game, firn_state state)
{
    if (game == NULL || state - game->state_base >= game->states.count) {
        return UINT32_MAX;
    }
    return (uint32_t)(state - game->state_base);
}

uint32_t fr_state_of(const fr_game *game, firn_state state, firn_error *err)
{
    uint32_t index = state_index(game, state);
    if (index == UINT32_MAX) {
        fr_fail(err, FIRN_INVALID, "state", "%llu is not a state of this world",
                (unsigned long long)state);
    }
    return index;
}

firn_state firn_state_find(const firn_world *world, const char *name)
{
    const fr_game *game = fr_game_of(world);
    if (game == NULL || name == NULL) {
        return 0;
    }
    uint32_t index = state_named(&game->states, name, strlen(name));
    return index == UINT32_MAX ? 0 : game->state_base + index;
}

const char *firn_state_name(const firn_world *world, firn_state state)
{
    const fr_game *game = fr_game_of(world);
    uint32_t index = state_index(game, state);
    return index == UINT32_MAX ? "" : game->states.items[index].name;
}

firn_component firn_state_tag(const firn_world *world, firn_state state)
{
    const fr_game *game = fr_game_of(world);
    uint32_t index = state_index(game, state);
    return index == UINT32_MAX ? 0 : fr_component_handle(world, game->states.items[index].tag);
}

// ---------------------------------------------------------------- the stack

firn_state firn_state_at(const firn_world *world, uint32_t place)
{
    const fr_game *game = fr_game_of(world);
    if (game == NULL || place >= game->states.depth) {
        return 0;
    }
    return game->state_base + game->states.stack[place];
}

uint32_t firn_state_depth(const firn_world *world)
{
    const fr_game *game = fr_game_of(world);
    return game == NULL ? 0 : game->states.depth;
}

firn_state firn_state_top(const firn_world *world)
{
    // Of no state, the place is beyond every stack.
    return firn_state_at(world, firn_state_depth(world) - 1);
}

static void put_spawn_tag(firn_world *world, const fr_states *states)
{
    world->spawn_tag =
        states->depth == 0 ? FR_NO_COMPONENT : states->items[states->stack[states->depth - 1]].tag;
}

// Calls a callback of the state on top. False: it loaded a world, whose stack stands.
static bool tell_top(firn_world *world, fr_game *game, state_callback callback)
{
    fr_states *states = &game->states;
    if (callback == NULL) {
        return true;
    }
    const fr_state *state = &states->items[states->stack[states->depth - 1]];
    const char *name = state->name;
    uint32_t loads = game->loads;
    states->changing = name;
    callback(state->desc.user, world);
    // What then waits and fails, fails again in the next change.
    (void)fr_game_close_loops(world, "state", name, NULL);
    states->changing = NULL;
    return game->loads == loads;
}

static const firn_state_desc *top_desc(const fr_states *states)
{
    return &states->items[states->stack[states->depth - 1]].desc;
}

static bool is_on_stack(const fr_states *states, uint32_t index)
{
    for (uint32_t i = 0; i < states->depth; i++) {
        if (states->stack[i] == index) {
            return true;
        }
    }
    return false;
}

// Ends the entities with a tag, always the last of the first archetype that has one: the end of one
// may take others, and archetypes, with it, and what a load would not bring back must not matter.
static firn_result end_tagged(firn_world *world, uint32_t tag, firn_error *err)
{
    for (uint32_t i = 0; i < world->order_count;) {
        const fr_archetype *archetype = world->archetypes[world->order[i]];
        if (archetype->count == 0 || fr_archetype_term(archetype, tag) < 0) {
            i++;
            continue;
        }
        firn_result result = firn_despawn(world, archetype->entities[archetype->count - 1], err);
        if (result != FIRN_OK) {
            return result;
        }
        i = 0;
    }
    return FIRN_OK;
}

// *loaded: a callback loaded a world, and nothing more is to be done.
static firn_result leave_top(firn_world *world, fr_game *game, bool *loaded, firn_error *err)
{
    fr_states *states = &game->states;
    uint32_t index = states->stack[states->depth - 1];
    *loaded = !tell_top(world, game, states->items[index].desc.exit);
    if (*loaded) {
        return FIRN_OK;
    }
    states->depth--;
    put_spawn_tag(world, states);
    if (!states->items[index].desc.despawn_on_pop || is_on_stack(states, index)) {
        return FIRN_OK;
    }
    return end_tagged(world, states->items[index].tag, err);
}

// There is room.
static void enter_state(firn_world *world, fr_game *game, uint32_t index)
{
    fr_states *states = &game->states;
    states->stack[states->depth++] = index;
    put_spawn_tag(world, states);
    tell_top(world, game, states->items[index].desc.enter);
}

static firn_result begin_change(firn_world *world, fr_game **game, firn_error *err)
{
    firn_result result = fr_game_settle(world, game, err);
    if (result != FIRN_OK) {
        return result;
    }
    const char *name = (*game)->states.changing;
    return name == NULL ? FIRN_OK
                        : fr_fail(err, FIRN_BUSY, name,
                                  "the stack cannot change while a callback of the state \"%s\" "
                                  "runs",
                                  name);
}

firn_result firn_state_push(firn_world *world, firn_state state, firn_error *err)
{
    fr_game *game;
    firn_result result = begin_change(world, &game, err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_states *states = &game->states;
    uint32_t index = fr_state_of(game, state, err);
    if (index == UINT32_MAX) {
        return FIRN_INVALID;
    }
    if (states->depth >= FR_STATES_MOST) {
        return fr_fail(err, FIRN_LIMIT, states->items[index].name,
                       "the stack holds %u states already, the most allowed", states->depth);
    }
    if (!FR_RESERVE(&world->allocator, states->stack, states->stack_capacity, states->depth + 1)) {
        return fr_fail_memory(err, "the stack of states");
    }
    if (states->depth == 0 || tell_top(world, game, top_desc(states)->pause)) {
        enter_state(world, game, index);
    }
    return FIRN_OK;
}

static firn_result fail_empty(firn_error *err)
{
    return fr_fail(err, FIRN_NOT_FOUND, "state", "the stack of states is empty");
}

firn_result firn_state_pop(firn_world *world, firn_error *err)
{
    fr_game *game;
    firn_result result = begin_change(world, &game, err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_states *states = &game->states;
    if (states->depth == 0) {
        return fail_empty(err);
    }
    bool loaded;
    result = leave_top(world, game, &loaded, err);
    if (!loaded && states->depth > 0) {
        tell_top(world, game, top_desc(states)->resume);
    }
    return result;
}

firn_result firn_state_switch(firn_world *world, firn_state state, firn_error *err)
{
    if (firn_state_depth(world) == 0) {
        return firn_state_push(world, state, err);
    }
    fr_game *game;
    firn_result result = begin_change(world, &game, err);
    if (result != FIRN_OK) {
        return result;
    }
    uint32_t index = fr_state_of(game, state, err);
    if (index == UINT32_MAX) {
        return FIRN_INVALID;
    }
    bool loaded;
    result = leave_top(world, game, &loaded, err);
    if (!loaded) {
        enter_state(world, game, index);
    }
    return result;
}

// ---------------------------------------------------------------- saving and loading

// A stack that a save holds.
typedef struct saved_stack {
    uint32_t depth;
    uint32_t capacity;
    uint32_t *stack;
} saved_stack;

static bool states_rest(const void *user)
{
    const fr_game *game = user;
    return game->states.depth == 0;
}

static firn_result save_states(void *user, firn_world *world, firn_writer *out, firn_error *err)
{
    (void)world, (void)err; // the writer keeps what fails
    const fr_game *game = user;
    const fr_states *states = &game->states;
    firn_write_table(out, states->depth, 0);
    for (uint32_t i = 0; i < states->depth; i++) {
        firn_write_text(out, states->items[states->stack[i]].name);
    }
    return FIRN_OK;
}

// Before any of them is looked for: what is wrong without a game goes before what is unknown.
static bool all_are_names(const firn_value *stack)
{
    bool all = true;
    for (uint32_t i = 1; all && i <= firn_table_array_count(stack); i++) {
        all = firn_table_get_number(stack, i)->kind == FIRN_VALUE_STRING;
    }
    return all;
}

static firn_result find_saved_state(const fr_states *states, const fr_game_entry *entry,
                                    const firn_value *name, uint32_t *index, firn_error *err)
{
    *index = state_named(states, name->as.string, name->length);
    if (*index == UINT32_MAX) {
        char shown[256];
        fr_printable(shown, sizeof shown, name->as.string, name->length);
        return fr_fail_at(err, FIRN_UNKNOWN, entry->place, shown,
                          "the state \"%s\" of the save is not registered", shown);
    }
    return FIRN_OK;
}

static firn_result read_stack(void *user, const fr_game_entry *entry, void *prepared,
                              firn_error *err)
{
    const fr_game *game = user;
    const firn_allocator *allocator = &entry->world->allocator;
    saved_stack *saved = prepared;
    uint32_t depth = firn_table_array_count(entry->value);
    if (firn_table_map_count(entry->value) > 0) {
        return fr_entry_fail(entry, FIRN_CORRUPT, err, "the stack is not a list");
    }
    if (depth > FR_STATES_MOST) {
        return fr_entry_fail(entry, FIRN_LIMIT, err, "%u states are above the limit %u", depth,
                             FR_STATES_MOST);
    }
    if (!all_are_names(entry->value)) {
        return fr_entry_fail(entry, FIRN_CORRUPT, err, "a state is not the string of its name");
    }
    if (depth > 0 && !FR_RESERVE(allocator, saved->stack, saved->capacity, depth)) {
        return fr_fail_memory(err, "the stack of states");
    }
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < depth; i++) {
        const firn_value *name = firn_table_get_number(entry->value, i + 1.0);
        result = find_saved_state(&game->states, entry, name, &saved->stack[i], err);
    }
    saved->depth = depth;
    return result;
}

static void discard_states(void *user, firn_world *world, void *prepared)
{
    (void)user;
    saved_stack *saved = prepared;
    if (saved != NULL) {
        FR_ARRAY_FREE(&world->allocator, saved->stack, saved->capacity);
        fr_free(&world->allocator, saved, 1, sizeof *saved, alignof(saved_stack));
    }
}

static firn_result check_states(void *user, firn_world *world, firn_reader *in, void **prepared,
                                firn_error *err)
{
    const fr_entry_reading reading = {
        .key = FR_KEY_STATES,
        .most = UINT64_C(2) * FR_STATES_MOST,
        .saved_size = sizeof(saved_stack),
        .saved_align = alignof(saved_stack),
        .read = read_stack,
        .discard = discard_states,
    };
    return fr_entry_check(&reading, user, world, in, prepared, err);
}

// A save without a stack empties it.
static void commit_states(void *user, firn_world *world, void *prepared)
{
    fr_game *game = user;
    fr_states *states = &game->states;
    saved_stack *saved = prepared;
    game->loads++;
    states->depth = 0;
    if (saved != NULL) {
        FR_ARRAY_FREE(&world->allocator, states->stack, states->stack_capacity);
        states->stack = saved->stack;
        states->stack_capacity = saved->capacity;
        states->depth = saved->depth;
        fr_free(&world->allocator, saved, 1, sizeof *saved, alignof(saved_stack));
    }
    put_spawn_tag(world, states);
}

firn_result fr_states_install(firn_world *world, fr_game *game, firn_error *err)
{
    const firn_handler handler = {
        .abi = FIRN_ABI,
        .name = FR_KEY_STATES,
        .save = save_states,
        .check = check_states,
        .commit = commit_states,
        .discard = discard_states,
        .user = game,
    };
    return fr_handler_add_resting(world, &handler, states_rest, NULL, err);
}

void fr_states_free(const firn_allocator *allocator, fr_states *states)
{
    for (uint32_t i = 0; i < states->count; i++) {
        fr_free_text(allocator, states->items[i].name);
    }
    FR_ARRAY_FREE(allocator, states->items, states->capacity);
    FR_ARRAY_FREE(allocator, states->stack, states->stack_capacity);
    *states = (fr_states){0};
}
