-- callbacks.lua: takes all the places that LuaJIT has for Lua functions that C may call, so that the
-- next conversion of one, however it comes about, raises an error. To be required before firn.
local ffi = require("ffi")

local taken = 0
while pcall(ffi.cast, "void (*)(void)", function() end) do
    taken = taken + 1
end
assert(taken > 0, "LuaJIT has no callbacks here")

return {begin = function() end}
