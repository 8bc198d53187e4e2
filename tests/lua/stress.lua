-- stress.lua: makes the collector run at the worst moments: all the time, and whole around calls of
-- the binding into C. To be required before firn.
local api = require("firn.api")
local ffi = require("ffi")

collectgarbage("setpause", 1)
collectgarbage("setstepmul", 1000)

-- A collection around each call would take minutes where a test calls a million times: the first calls
-- of a test have one, and then one in a prime number.
local calls = 0
local EACH, THEN = 200, 211

-- Overwrites what has been freed, so that who still reads it reads nonsense.
local bytes = ffi.typeof("uint8_t[?]")
local function soil()
    for size = 8, 256, 8 do
        for _ = 1, 4 do
            ffi.fill(bytes(size), size, 0xdd)
        end
    end
end

local function collect()
    calls = calls + 1
    if calls < EACH or calls % THEN == 0 then
        collectgarbage()
        soil()
    end
end

-- The wrapper stands, as it were, in the binding: errors name the place that called it.
local source = [[
local call, collect = ...
local function after(...)
    collect()
    return ...
end
return function(...)
    collect()
    return after(call(...))
end]]
local chunk = "@" .. package.searchpath("firn.api", package.path):gsub("api%.lua$", "stress.lua")

local function wrapped(call)
    return assert(loadstring(source, chunk))(call, collect)
end

local core = api.core
for name, value in pairs(core) do
    if type(value) == "function" then
        core[name] = wrapped(value)
    end
end

-- The functions that the FFI calls, by name.
local fast = api.fast
api.fast = setmetatable({}, {__index = function(self, name)
    self[name] = wrapped(fast[name])
    return self[name]
end})

-- begin(): a test begins.
return {
    begin = function()
        calls = 0
    end,
}
