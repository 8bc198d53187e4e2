-- firn/check.lua: arguments and options, and the errors of wrong ones.
local core = require("firn.api").core
local buffer = require("string.buffer")

local check = {}

--- Raises `doing: message`, with the place in the program that called the binding.
function check.fail(doing, format, ...)
    core.misuse(doing, format:format(...))
end

local function is_buffer(value)
    return type(value) == "userdata" and getmetatable(value) == "buffer"
end

--- The type of a value for messages: that of Lua, or "buffer" for a string.buffer.
function check.type(value)
    return is_buffer(value) and "buffer" or type(value)
end

--- "a table", "nil": the type of a value in a sentence.
function check.what(value)
    return value == nil and "nil" or "a " .. check.type(value)
end

--- What a value is, for messages: numbers, strings and booleans themselves, else the type.
function check.describe(value)
    if type(value) == "number" then
        return ("%.17g"):format(value)
    elseif type(value) == "string" then
        return ("'%s'"):format(value)
    end
    return type(value) == "boolean" and tostring(value) or check.what(value)
end

--- `value` when it has the type, as check.type names it; else it is argument `name` that is wrong.
function check.value(doing, name, value, expected)
    if check.type(value) ~= expected then
        check.fail(doing, "%s: a %s is wanted, not %s", name, expected, check.what(value))
    end
    return value
end

--- Options by name: each that is given must be allowed, and of the type that `allowed` says. Returns
--- a table of those that stand in `options` itself: no metatable is asked for others.
function check.options(doing, options, allowed, prefix)
    prefix = prefix or ""
    if type(options) ~= "table" then
        check.fail(doing, "%s: a table is wanted, not %s",
            prefix == "" and "options" or prefix:gsub("%.$", ""), check.what(options))
    end
    local given = {}
    for name, value in next, options do
        local expected = allowed[name]
        if not expected then
            check.fail(doing, "unknown option '%s%s'", prefix, tostring(name))
        end
        if expected ~= "any" then
            check.value(doing, "option '" .. prefix .. name .. "'", value, expected)
        end
        given[name] = value
    end
    return given
end

local NONE = {}

--- The same where options may be nil.
function check.anyOptions(doing, options, allowed)
    return options == nil and NONE or check.options(doing, options, allowed)
end

--- `value` when it is a list: its keys are 1 to their number. nil is an empty one.
function check.list(doing, name, value)
    local count = 0
    for _ in next, value or {} do
        count = count + 1
    end
    for i = 1, count do
        if rawget(value, i) == nil then
            check.fail(doing, "%s: a list is wanted, without holes and without other keys", name)
        end
    end
    return value or {}
end

assert(is_buffer(buffer.new()), "firn needs LuaJIT 2.1 with string.buffer")

return check
