-- firn/value.lua: the coder of Lua values, for games that save beside a world. It is in C: code that
-- LuaJIT has compiled must not catch what string.buffer raises, which may leave a wrong local behind.
local check = require("firn.check")
local core = require("firn.api").core

local M = {}

-- encode(value[, limits]) -> string: the one encoding that firn has for the value.
M.encode = core.encode

-- decode(bytes[, limits]) -> value. `bytes` is a string, or a string.buffer, which keeps its bytes.
function M.decode(bytes, limits)
    if type(bytes) == "userdata" and getmetatable(bytes) == "buffer" then
        bytes = bytes:tostring()
    end
    return core.decode(bytes, limits)
end

-- toJson(value) -> one line of JSON, without loss: docs/json.md says how what JSON lacks is written.
M.toJson = core.json_write

-- fromJson(text) -> value
function M.fromJson(text)
    return core.json_read(check.value("fromJson", "text", text, "string"))
end

return M
