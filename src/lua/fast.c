// fast.c: what the FFI calls. Nothing here runs Lua.
#include "lua/entity.h"
#include "lua/rows.h"

#include "store/world.h"

#include <string.h>

// ---------------------------------------------------------------- reading

// A finalizer may destroy a world at any time: firn then finds nothing.

static bool fast_alive(const firn_lua *lua, double entity)
{
    return firn_alive(lua->world, fr_lua_entity_of(entity));
}

static double fast_count(const firn_lua *lua)
{
    return firn_entity_count(lua->world);
}

static bool fast_has(const firn_lua *lua, double entity, double component)
{
    return firn_has(lua->world, fr_lua_entity_of(entity), (firn_component)component);
}

static const void *fast_get(const firn_lua *lua, double entity, double component)
{
    return firn_get(lua->world, fr_lua_entity_of(entity), (firn_component)component);
}

static void *fast_get_mut(firn_lua *lua, double entity, double component)
{
    return firn_get_mut(lua->world, fr_lua_entity_of(entity), (firn_component)component);
}

static double fast_number(firn_lua *lua, double entity, double component)
{
    const double *row = fast_get(lua, entity, component);
    lua->found = row != NULL;
    return row != NULL ? *row : 0;
}

static bool fast_boolean(firn_lua *lua, double entity, double component)
{
    const bool *row = fast_get(lua, entity, component);
    lua->found = row != NULL;
    return row != NULL && *row;
}

static int32_t fast_table(firn_lua *lua, double entity, double component)
{
    const int32_t *row = fast_get(lua, entity, component);
    lua->found = row != NULL;
    return row != NULL ? *row : 0;
}

static double fast_row_text(firn_lua *lua, char *out, double room, const void *row)
{
    size_t size = 0;
    const char *text = row != NULL ? firn_row_string(row, &size) : NULL;
    lua->found = text != NULL;
    if (text != NULL && (double)size <= room) {
        memcpy(out, text, size);
    }
    return (double)size;
}

static double fast_text(firn_lua *lua, char *out, double room, double entity, double component)
{
    return fast_row_text(lua, out, room, fast_get(lua, entity, component));
}

static const void *fast_related(const firn_lua *lua, double source, double relation, double target)
{
    return firn_related(lua->world, fr_lua_entity_of(source), (firn_component)relation,
                        fr_lua_entity_of(target));
}

static double fast_target(const firn_lua *lua, double source, double relation)
{
    return (double)firn_target(lua->world, fr_lua_entity_of(source), (firn_component)relation);
}

static uint32_t fast_targets(const firn_lua *lua, double source, double relation, firn_entity *out,
                             uint32_t room)
{
    return firn_targets(lua->world, fr_lua_entity_of(source), (firn_component)relation, out, room);
}

static uint32_t fast_sources(const firn_lua *lua, double target, double relation, firn_entity *out,
                             uint32_t room)
{
    return firn_sources(lua->world, (firn_component)relation, fr_lua_entity_of(target), out, room);
}

// ---------------------------------------------------------------- changes

// Whether any change might run Lua: somebody listens, or other changes come first. The core
// function says what is wrong with a world that has been destroyed.
static bool is_slow(const firn_lua *lua)
{
    const firn_world *world = lua->world;
    return world == NULL || world->events_heard != 0 || world->locked_by != NULL ||
           (world->open_loops == 0 && world->commands.count != 0);
}

// Whether a component that is added, by default or not, brings a row that a Lua function inits.
static bool inits_rows(const firn_world *world, uint32_t index, bool by_default)
{
    const fr_component *component = world->components.items[index];
    bool inits = by_default && component->hooks.init == fr_lua_init_rows;
    for (uint32_t i = 0; i < component->required_count && !inits; i++) {
        inits = world->components.items[component->required[i]]->hooks.init == fr_lua_init_rows;
    }
    return inits;
}

static bool arguments_init_rows(const firn_lua *lua, uint32_t count, bool rows)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = fr_component_index(lua->world, (firn_component)lua->components[i]);
        if (index != FR_NO_COMPONENT &&
            inits_rows(lua->world, index, !rows || lua->rows[i] == NULL)) {
            return true;
        }
    }
    return false;
}

// An extra may bring what its component requires; strings and edges are rare where there are inits.
static bool may_init(const firn_lua *lua, uint32_t count, uint32_t extras, bool rows)
{
    return lua->inits && (extras > 0 || arguments_init_rows(lua, count, rows));
}

// Whether a change with these arguments is not made here: FR_LUA_SLOW, FR_LUA_AGAIN, or 0.
static int elsewhere(firn_lua *lua, uint32_t count, uint32_t extras, bool rows)
{
    bool slow = is_slow(lua) || may_init(lua, count, extras, rows);
    return slow ? FR_LUA_SLOW : fr_lua_take_handed(lua) ? 0 : FR_LUA_AGAIN;
}

static double fast_spawn(firn_lua *lua, uint32_t count, uint32_t extras)
{
    int other = elsewhere(lua, count, extras, true);
    return other != 0 ? other : fr_lua_spawn(lua, count, extras);
}

static int fast_spawn_many(firn_lua *lua, uint32_t n, uint32_t count, uint32_t extras,
                           firn_entity *out)
{
    int other = elsewhere(lua, count, extras, true);
    return other != 0 ? other : (int)fr_lua_spawn_many(lua, n, count, extras, out);
}

static int fast_despawn(firn_lua *lua, double entity)
{
    return is_slow(lua) ? FR_LUA_SLOW
                        : (int)firn_despawn(lua->world, fr_lua_entity_of(entity), &lua->error);
}

static int fast_set(firn_lua *lua, double entity, uint32_t count)
{
    int other = elsewhere(lua, count, 1 - count, true);
    return other != 0 ? other : (int)fr_lua_set(lua, entity, count);
}

static int fast_add(firn_lua *lua, double entity, uint32_t count)
{
    int other = elsewhere(lua, count, 0, false);
    return other != 0 ? other : (int)fr_lua_add(lua, entity, count);
}

static int fast_remove(firn_lua *lua, double entity, uint32_t count)
{
    int other = is_slow(lua) ? FR_LUA_SLOW : fr_lua_take_handed(lua) ? 0 : FR_LUA_AGAIN;
    return other != 0 ? other : (int)fr_lua_remove(lua, entity, count);
}

static int fast_unrelate(firn_lua *lua, double source, double relation, double target)
{
    return is_slow(lua)
               ? FR_LUA_SLOW
               : (int)firn_unrelate(lua->world, fr_lua_entity_of(source), (firn_component)relation,
                                    fr_lua_entity_of(target), &lua->error);
}

// ---------------------------------------------------------------- saves

static void *no_more_room(void *user, void *ptr, size_t old_size, size_t new_size, size_t align)
{
    (void)user, (void)ptr, (void)old_size, (void)new_size, (void)align;
    return NULL;
}

static double fast_save(const firn_lua *lua, uint8_t *bytes, double room)
{
    const fr_lua *whole = (const fr_lua *)(const void *)lua;
    if (lua->world == NULL || whole->callbacks > 0 || lua->world->commands.count > 0) {
        return FR_LUA_SLOW;
    }
    const firn_allocator lent = {no_more_room, NULL};
    firn_buffer out;
    firn_buffer_init(&out, &lent);
    out.data = bytes;
    out.capacity = (size_t)room;
    return firn_snapshot_save(lua->world, NULL, &out, NULL) == FIRN_OK ? (double)out.size
                                                                       : FR_LUA_SLOW;
}

static double fast_saved_entity(firn_lua *lua, double saved)
{
    firn_reader *reader = ((fr_lua *)(void *)lua)->decoding;
    return reader == NULL ? -1 : (double)firn_reader_entity(reader, fr_lua_entity_of(saved));
}

// ---------------------------------------------------------------- loops

static double fast_query_count(firn_lua *lua, double query)
{
    return firn_query_count(lua->world, (firn_query)query);
}

static void fast_loop_begin(firn_lua *lua, double query, firn_iter *it)
{
    firn_iter_begin(lua->world, (firn_query)query, it);
}

static bool fast_loop_next(firn_lua *lua, firn_iter *it)
{
    return lua->world != NULL && firn_iter_next(it);
}

// The end of the outermost loop applies what waits. firn has ended one that a system left open.
static int fast_loop_end(firn_lua *lua, firn_iter *it)
{
    if (lua->world == NULL || !it->open || it->epoch != lua->world->loop_epoch) {
        return 0;
    }
    bool applies = lua->world->open_loops == 1 && lua->world->commands.count > 0;
    return applies && (lua->world->events_heard != 0 || lua->inits)
               ? FR_LUA_SLOW
               : (int)firn_iter_end(it, &lua->error);
}

// ---------------------------------------------------------------- random numbers

static void fast_random_start(firn_random *random, double seed)
{
    firn_random_start(random, (int32_t)seed);
}

static double fast_random_integer(firn_random *random, double low, double high)
{
    return (double)firn_random_integer(random, (int64_t)low, (int64_t)high);
}

const firn_lua_api fr_lua_api = {
    .version = firn_version,
    .alive = fast_alive,
    .count = fast_count,
    .has = fast_has,
    .get = fast_get,
    .get_mut = fast_get_mut,
    .number = fast_number,
    .boolean = fast_boolean,
    .table = fast_table,
    .text = fast_text,
    .row_text = fast_row_text,
    .spawn = fast_spawn,
    .spawn_many = fast_spawn_many,
    .despawn = fast_despawn,
    .set = fast_set,
    .add = fast_add,
    .remove = fast_remove,
    .unrelate = fast_unrelate,
    .keep_table = fr_lua_rows_keep,
    .give_table = fr_lua_rows_give,
    .forget_table = fr_lua_rows_forget,
    .set_table = fr_lua_rows_set,
    .make_table = fr_lua_rows_make,
    .save = fast_save,
    .saved_entity = fast_saved_entity,
    .related = fast_related,
    .target = fast_target,
    .targets = fast_targets,
    .sources = fast_sources,
    .query_count = fast_query_count,
    .loop_begin = fast_loop_begin,
    .loop_next = fast_loop_next,
    .loop_end = fast_loop_end,
    .random_start = fast_random_start,
    .random_next = firn_random_next,
    .random_integer = fast_random_integer,
    .random_range = firn_random_range,
};
