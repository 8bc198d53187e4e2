-- firn/checked.lua: columns of debug worlds, and the structs in them: each use is checked, where a
-- pointer would read or write what is no longer the column.
local ffi = require("ffi")
local check = require("firn.check")
local component = require("firn.component")
local misuse, describe = check.fail, check.describe

local checked = {}

-- ---------------------------------------------------------------- what stands for something

-- What stands for a struct in a column, or for an array in one, is cdata at its place with a type of its
-- own, of the same size: firn asks it at each use, ffi.copy finds the bytes, and the FFI refuses it where it
-- wants the struct itself. An empty table it would take for zeros.

-- [cdata] = {read: checks and returns what it stands for, write: raises where that is for reading or nil,
-- operators}
local parts = setmetatable({}, {__mode = "k"})
local used = false -- there are some, or were

-- What it stands for where the value is checked.
function checked.value(value)
    local part = used and type(value) == "cdata" and parts[value]
    if part then
        return part.read()
    end
    return value
end
local valueOf = checked.value

local function partOf(standing)
    return parts[standing] or error("this stands for nothing in a column", 3)
end

local OPERATORS = {
    "__add", "__sub", "__mul", "__div", "__mod", "__pow", "__unm", "__concat", "__len", "__lt", "__le",
    "__call", "__tostring", "__pairs", "__ipairs",
}

local function dispatch(operator, absent)
    return function(a, b, ...)
        local part = parts[a] or partOf(b)
        local own = part.operators[operator] or absent
        if not own then
            error(("a struct of a column has no %s"):format(operator), 2)
        end
        return own(valueOf(a), valueOf(b), ...)
    end
end

local metatable = {
    __eq = dispatch("__eq", function(a, b) return a == b end),
    __index = function(self, key)
        local part = partOf(self)
        return part.operators.get(part, key)
    end,
    __newindex = function(self, key, value)
        local part = partOf(self)
        if part.write then
            part.write()
        end
        part.operators.set(part, key, valueOf(value))
    end,
}
for _, operator in ipairs(OPERATORS) do
    metatable[operator] = dispatch(operator, operator == "__tostring" and tostring or nil)
end

-- [bytes] = a pointer to such cdata
local pointers = {}

local function pointerOf(size)
    if not pointers[size] then
        ffi.cdef(("struct firn_checked_%d { char __firn_bytes[%d]; };"):format(size, size))
        ffi.metatype(("struct firn_checked_%d"):format(size), metatable)
        pointers[size] = ffi.typeof(("struct firn_checked_%d *"):format(size))
    end
    return pointers[size]
end

local function standIn(read, write, operators)
    local place = read()
    local made = ffi.cast(pointerOf(ffi.sizeof(place)), place)[0]
    parts[made], used = {read = read, write = write, operators = operators}, true
    return made
end

-- ---------------------------------------------------------------- structs

-- [component] = the operators of its checked structs
local operatorsOf = setmetatable({}, {__mode = "k"})

local makeOperators

-- write: raises where the struct is for reading, nil: it is not. The FFI lets structs in what is
-- constant be written.
local function structOf(defined, read, write)
    operatorsOf[defined] = operatorsOf[defined] or makeOperators(defined)
    return standIn(read, write, operatorsOf[defined])
end

-- A field that is an array. `char[n]` is none: ffi.string takes it.
local function arrayOf(defined, field, read, write)
    local function placeOf(i)
        if type(i) ~= "number" or i % 1 ~= 0 or i < 0 or i >= field.count then
            misuse("column", "'%s.%s' has no element %s: there are %d", defined.__about.name, field.name,
                describe(i), field.count)
        end
        return i
    end
    return standIn(read, write, {
        get = function(_, i)
            placeOf(i)
            if not field.nested then
                return read()[i]
            end
            return structOf(field.nested, function()
                return read()[i]
            end, write)
        end,
        set = function(_, i, value)
            read()[placeOf(i)] = value
        end,
    })
end

local function fieldOf(defined, field, part)
    local read = part.read
    local function readField()
        return read()[field.name]
    end
    if field.count == 0 then
        return structOf(field.nested, readField, part.write)
    end
    return arrayOf(defined, field, readField, part.write)
end

function makeOperators(defined)
    local fields, operators = {}, component.instanceMetatable(defined)
    for _, field in ipairs(defined.__about.fields) do
        local isArray = field.count > 0 and field.base ~= "char"
        fields[field.name] = (field.nested or isArray) and field or nil
    end
    function operators.get(part, key)
        local value = part.read()[key]
        return fields[key] and fieldOf(defined, fields[key], part) or value
    end
    function operators.set(part, key, value)
        part.read()[key] = value
    end
    return operators
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
