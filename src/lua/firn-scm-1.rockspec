-- LuaRocks builds the Lua binding from a checkout: `luarocks make src/lua/firn-scm-1.rockspec` at
-- its top. It takes what the library takes to build, and the headers of LuaJIT 2.1.
rockspec_format = "3.0"
package = "firn"
version = "scm-1"
source = {
    url = "git+file://.", -- there is no other address: the rock is made where the source is
}
description = {
    summary = "Entity worlds as bytes: an archetype store with exact snapshots",
    license = "MIT",
}
supported_platforms = {"unix"}
dependencies = {"lua == 5.1"}
build = {
    type = "command",
    build_command = "cmake -S . -B build/rock -DCMAKE_BUILD_TYPE=Release -DFIRN_BUILD_LUA=ON"
        .. " -DFIRN_BUILD_TESTS=OFF -DFIRN_BUILD_EXAMPLES=OFF -DFIRN_BUILD_BENCH=OFF"
        .. " -DFIRN_INSTALL_LUA=$(LUADIR) -DFIRN_INSTALL_LUA_C=$(LIBDIR)"
        .. " && cmake --build build/rock --target firn_core firn_lua_files",
    install_command = "cmake --install build/rock --component lua",
}
