-- Values: firn.encode and firn.decode beside LuaJIT's own string.buffer.
local buffer = require("string.buffer")
local ffi = require("ffi")
local firn = require("firn")
local luajit = require("value_luajit")

local test = {}

local function unhex(text)
    text = text:gsub("(%x%x)%*(%d+)", function(byte, count) return byte:rep(tonumber(count)) end)
    return (text:gsub("%s", ""):gsub("%x%x", function(x) return string.char(tonumber(x, 16)) end))
end

local function refused(what, message, f, ...)
    local ok, problem = pcall(f, ...)
    assert(not ok, what .. " was not refused")
    assert(tostring(problem):find(message, 1, true), what .. ": " .. tostring(problem))
    return problem
end

-- The lines of the vectors: kind, id, source or bytes, bytes or result.
local function vectors()
    local lines = {}
    for line in io.lines(os.getenv("FIRN_TEST_DATA") .. "/stringbuffer/stringbuffer_vectors.txt") do
        local kind, id, first, second = line:match("^(%u)\t([^\t]*)\t([^\t]*)\t?([^\t]*)$")
        if kind then
            lines[#lines + 1] = {kind = kind, id = id, first = first, second = second}
        end
    end
    return lines
end

local environment = setmetatable({ffi = ffi, buffer = buffer}, {__index = _G})
local function evaluate(source)
    return setfenv(assert(loadstring("return " .. source)), environment)()
end

-- Each value of the vectors: all but pointers, dictionaries and several values in a row.
local function each_value(f)
    local count = 0
    for _, vector in ipairs(vectors()) do
        local encoded = vector.kind == "E" or vector.kind == "O"
        local one = not vector.first:find("encode(", 1, true) and not vector.id:find("^lud")
        if encoded and one then
            f(vector.id, unhex(vector.second), evaluate(vector.first))
            count = count + 1
        end
    end
    assert(count > 80, count)
end

function test.what_luajit_encodes_firn_decodes()
    each_value(function(id, bytes, value)
        assert(luajit.same(firn.decode(bytes), value), id)
        assert(luajit.same(firn.decode(bytes), buffer.decode(bytes)), id)
    end)
end

function test.what_firn_encodes_luajit_decodes()
    each_value(function(id, _, value)
        local bytes = firn.encode(value)
        assert(luajit.same(buffer.decode(bytes), value), id)
        assert(luajit.same(firn.decode(bytes), value), id)
    end)
end

return test
