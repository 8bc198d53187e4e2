// rows.c: rows of table components: numbers for tables that Lua keeps (firn/tables.lua).
#include "lua/rows.h"

#include "base/alloc.h"
#include "lua/entity.h"

#include <string.h>

#define FIRST_ROOM 64
// Numbers that are added at once: the code that Lua compiles for a row has no branch for new ones.
#define ADDED 64

static bool reserve_rows(firn_lua *lua, uint32_t need)
{
    size_t room = lua->table_room;
    if (need < room) {
        return true;
    }
    room = fr_next_capacity(room, (size_t)need + 1, FIRST_ROOM);
    if (room > INT32_MAX) {
        return false;
    }
    firn_lua_row *rows = fr_resize(firn_allocator_default(), lua->table_rows, lua->table_room, room,
                                   sizeof *rows, _Alignof(firn_lua_row));
    if (rows == NULL) {
        return false;
    }
    lua->table_rows = rows;
    lua->table_room = (uint32_t)room;
    return true;
}

static bool add_numbers(firn_lua *lua)
{
    uint32_t last = lua->table_count + ADDED;
    if (!reserve_rows(lua, last)) {
        return false;
    }
    for (uint32_t number = last; number > lua->table_count; number--) {
        lua->table_rows[number].next = lua->table_free;
        lua->table_free = number;
    }
    lua->table_count = last;
    return true;
}

uint32_t fr_lua_rows_keep(firn_lua *lua)
{
    if (lua->table_free == 0 && !add_numbers(lua)) {
        return 0;
    }
    uint32_t number = lua->table_free;
    lua->table_free = lua->table_rows[number].next;
    return number;
}

void fr_lua_rows_give(firn_lua *lua, uint32_t number)
{
    lua->table_rows[number].next = lua->table_given;
    lua->table_given = number;
}

uint32_t fr_lua_rows_forget(firn_lua *lua, uint32_t done)
{
    if (done != 0) {
        lua->table_rows[done].next = lua->table_free;
        lua->table_free = done;
    }
    uint32_t *list = lua->table_dropped != 0 ? &lua->table_dropped : &lua->table_given;
    uint32_t number = *list;
    *list = number != 0 ? lua->table_rows[number].next : 0;
    return number;
}

void fr_lua_rows_free(firn_lua *lua)
{
    fr_free(firn_allocator_default(), lua->table_rows, lua->table_room, sizeof *lua->table_rows,
            _Alignof(firn_lua_row));
    lua->table_rows = NULL;
    lua->table_room = lua->table_count = 0;
    lua->table_free = lua->table_dropped = lua->table_given = 0;
}

static void let_go(firn_lua *lua, uint32_t handle)
{
    lua->table_rows[handle].next = lua->table_dropped;
    lua->table_dropped = handle;
}

// Lets go of what stood in a row.
static void drop_row(firn_lua *lua, int32_t handle)
{
    if (handle > 0) {
        let_go(lua, (uint32_t)handle);
    } else if (handle < 0 && --lua->table_rows[-handle].copies == 0) {
        let_go(lua, (uint32_t)-handle);
    }
}

void fr_lua_rows_drop(void *user, const firn_rows *rows)
{
    const uint8_t *row = rows->data;
    for (uint32_t i = 0; i < rows->count; i++, row += rows->size) {
        int32_t handle;
        memcpy(&handle, row, sizeof handle);
        drop_row(user, handle);
    }
}

void fr_lua_rows_set(firn_lua *lua, int32_t *row, uint32_t number)
{
    int32_t before = *row;
    *row = (int32_t)number;
    drop_row(lua, before);
}

bool fr_lua_rows_make(firn_lua *lua, double entity, double component, int32_t *row, int32_t before,
                      uint32_t number)
{
    if (entity != 0) {
        row = (int32_t *)(uintptr_t)firn_get(lua->world, fr_lua_entity_of(entity),
                                             (firn_component)component);
    }
    if (row == NULL || *row != before) {
        let_go(lua, number);
        return false;
    }
    fr_lua_rows_set(lua, row, number);
    return true;
}

void fr_lua_rows_share(firn_lua *lua, int32_t *row, uint32_t n)
{
    lua->table_rows[*row].copies = n;
    *row = -*row;
}

uint32_t fr_lua_rows_take(firn_lua *lua)
{
    uint32_t given = lua->table_given;
    lua->table_given = 0;
    return given;
}

void fr_lua_rows_refuse(firn_lua *lua, uint32_t given)
{
    while (given != 0) {
        uint32_t next = lua->table_rows[given].next;
        let_go(lua, given);
        given = next;
    }
}

// tables(userdata) -> the tables of rows, by their numbers
static int rows_tables(lua_State *L)
{
    fr_lua_push_table(L, fr_lua_check(L), "tables");
    return 1;
}

const luaL_Reg fr_lua_rows_functions[] = {
    {"tables", rows_tables},
    {NULL, NULL},
};
