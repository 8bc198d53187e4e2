-- firn/api.lua: the C side of the binding: the module firn.core, and the functions that the FFI calls.
local ffi = require("ffi")
local core = require("firn.core")

-- Errors name the place in the program that called the binding, not one in it.
local home = debug.getinfo(1, "S").source:match("^(.*)[/\\]api%.lua$") or "@firn"
core.home(home)

local declarations = require("firn.cdef")
ffi.cdef(declarations)
if ffi.C.firn_lua_declared ~= core.version then
    error(("firn/core.so has the version %d, and the Lua files beside it are made for %d"):format(
        core.version, ffi.C.firn_lua_declared), 0)
end

-- The functions of firn_lua_api, each taken out once: to take one out makes an object, and with that
-- a finalizer may run, between the arguments of a call and the call.
local functions = ffi.cast("const firn_lua_api *", core.api)
local fast = {}
for name in declarations:match("struct firn_lua_api (%b{})"):gmatch("%(%*([%w_]+)%)%(") do
    fast[name] = functions[name]
end

return {
    core = core,
    ffi = ffi,
    fast = fast,
    madeIn = home .. "/made/", -- how the names of chunks begin that the binding makes
    SLOW = -1, -- fast functions return it when the core function of the same name must do it
    AGAIN = -2, -- both return it when the arguments that were handed over are not there any more
}
