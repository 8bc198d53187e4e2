#include "lua/fast.h"

// The id in a number of Lua; 0, which lives nowhere, when it is none.
static firn_entity entity_of_number(double number)
{
    return number >= 1 && number < 0x1p53 && (double)(uint64_t)number == number ? (uint64_t)number
                                                                                : 0;
}

static bool fast_alive(const firn_lua *lua, double entity)
{
    return firn_alive(lua->world, entity_of_number(entity));
}

const firn_lua_api fr_lua_api = {
    .version = firn_version,
    .alive = fast_alive,
};
