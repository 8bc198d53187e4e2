/// firn/lua.h: the Lua binding as a C module, for programs that link it themselves. Everything else
/// about it: docs/lua.md.
#ifndef FIRN_LUA_H
#define FIRN_LUA_H

#if defined(_WIN32)
#define FIRN_LUA_API __declspec(dllexport)
#else
#define FIRN_LUA_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct lua_State;

/// The module `firn.core`, to be put into package.preload by a program that has it linked in; plain
/// LuaJIT finds it as firn/core.so on its package.cpath. Needs LuaJIT 2.1: another Lua is refused
/// with a Lua error. Leaves the module on the stack and returns 1.
FIRN_LUA_API int luaopen_firn_core(struct lua_State *L);

#ifdef __cplusplus
}
#endif

#endif
