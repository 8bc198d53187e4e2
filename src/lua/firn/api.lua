-- firn/api.lua: the C side of the binding: the module firn.core, and the functions that the FFI calls.
local ffi = require("ffi")
local core = require("firn.core")

-- Errors name the place in the program that called the binding, not one in it.
local home = debug.getinfo(1, "S").source:match("^(.*)[/\\]api%.lua$") or "@firn"
core.home(home)

ffi.cdef(require("firn.cdef"))
if ffi.C.firn_lua_declared ~= core.version then
    error(("firn/core.so has the version %d, and the Lua files beside it are made for %d"):format(
        core.version, ffi.C.firn_lua_declared), 0)
end

return {
    core = core,
    ffi = ffi,
    fast = ffi.cast("const firn_lua_api *", core.api),
    madeIn = home .. "/made/", -- how the names of chunks begin that the binding makes
    SLOW = -1, -- fast functions return it when the core function of the same name must do it
}
