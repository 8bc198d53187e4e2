-- firn/api.lua: the C side of the binding: the module firn.core, and the functions that the FFI calls.
local ffi = require("ffi")
local core = require("firn.core")

ffi.cdef(require("firn.cdef"))

return {
    core = core,
    ffi = ffi,
    fast = ffi.cast("const firn_lua_api *", core.api),
    SLOW = -1, -- fast functions return it when the core function of the same name must do it
}
