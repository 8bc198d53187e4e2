// codec.c: how rows of components that Lua describes are saved.
#include "lua/state.h"

void fr_lua_codec_of(lua_State *L, fr_lua *lua, int desc_index, firn_component_desc *desc)
{
    (void)L;
    (void)lua;
    (void)desc_index;
    (void)desc;
}
