// rows.c: rows of table components: numbers for tables that Lua keeps (firn/tables.lua).
#include "lua/rows.h"

#include "base/alloc.h"

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

bool fr_lua_rows_add(firn_lua *lua)
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

void fr_lua_rows_drop(void *user, const firn_rows *rows)
{
    firn_lua *lua = user;
    const uint8_t *row = rows->data;
    for (uint32_t i = 0; i < rows->count; i++, row += rows->size) {
        int32_t handle;
        memcpy(&handle, row, sizeof handle);
        if (handle > 0) {
            let_go(lua, (uint32_t)handle);
        } else if (handle < 0 && --lua->table_rows[-handle].copies == 0) {
            let_go(lua, (uint32_t)-handle);
        }
    }
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
