-- firn/checked.lua: columns of debug worlds, and the structs in them: each use is checked, where a
-- pointer would read or write what is no longer the column.
local check = require("firn.check")
local component = require("firn.component")
local misuse, describe = check.fail, check.describe

local checked = {}

-- ---------------------------------------------------------------- structs

-- Of a checked struct, or array of structs: a function that checks it, and returns what it stands for.
local reads, writes = setmetatable({}, {__mode = "k"}), setmetatable({}, {__mode = "k"})

-- The struct itself where the value is a checked one.
function checked.value(value)
    local read = type(value) == "table" and reads[value]
    if read then
        return read()
    end
    return value
end
local valueOf = checked.value

-- [component] = the metatable of its checked structs
local metatables = setmetatable({}, {__mode = "k"})

local makeMetatable

-- write: raises where the struct is for reading, nil: it is not. The FFI lets structs in what is
-- constant be written.
local function structOf(defined, read, write)
    metatables[defined] = metatables[defined] or makeMetatable(defined)
    local struct = setmetatable({}, metatables[defined])
    reads[struct], writes[struct] = read, write
    return struct
end

-- A field that is a struct of its own, or an array of them.
local function fieldOf(field, name, read, write)
    local function readField()
        return read()[name]
    end
    if field.count == 0 then
        return structOf(field.nested, readField, write)
    end
    local array = setmetatable({}, {
        __index = function(_, i)
            return structOf(field.nested, function()
                return readField()[i]
            end, write)
        end,
        __newindex = function(_, i, value)
            if write then
                write()
            end
            readField()[i] = valueOf(value)
        end,
    })
    reads[array] = readField
    return array
end

function makeMetatable(defined)
    local nested, metatable = {}, {}
    for _, field in ipairs(defined.__about.fields) do
        nested[field.name] = field.nested and field or nil
    end
    for name, method in pairs(component.instanceMetatable(defined)) do
        metatable[name] = type(method) == "function" and function(a, b, ...)
            return method(valueOf(a), valueOf(b), ...)
        end or nil
    end
    metatable.__eq = metatable.__eq or function(a, b)
        return valueOf(a) == valueOf(b)
    end
    function metatable.__index(struct, key)
        local read = reads[struct]
        local value = read()[key]
        return nested[key] and fieldOf(nested[key], key, read, writes[struct]) or value
    end
    function metatable.__newindex(struct, key, value)
        if writes[struct] then
            writes[struct]()
        end
        reads[struct]()[key] = valueOf(value)
    end
    return metatable
end

-- ---------------------------------------------------------------- columns

-- A column that stands for `rows` as long as the loop stands at this archetype.
function checked.column(loop, defined, rows, writable)
    local name, step, count = defined.__about.name, loop.step, loop.count
    local doing = writable and "columnMut" or "column"
    local isStruct = defined.__about.ctype ~= nil
    local function placeOf(i)
        if not loop.open or loop.step ~= step then
            misuse(doing, "the column of '%s' is used after its loop went on", name)
        elseif type(i) ~= "number" or i % 1 ~= 0 or i < 0 or i >= count then
            misuse(doing, "'%s' has no row %s: there are %d", name, describe(i), count)
        end
        return i
    end
    local function refuse()
        misuse(doing, "the column of '%s' is for reading: use columnMut", name)
    end
    return setmetatable({}, {
        __index = function(_, i)
            local row = rows[placeOf(i)]
            if not isStruct then
                return row
            end
            return structOf(defined, function()
                return rows[placeOf(i)]
            end, not writable and refuse or nil)
        end,
        __newindex = function(_, i, value)
            if not writable then
                refuse()
            end
            rows[placeOf(i)] = valueOf(value)
        end,
    })
end

return checked
