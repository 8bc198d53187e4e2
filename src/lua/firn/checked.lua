-- firn/checked.lua: columns of debug worlds, and the structs in them: each use is checked, where a
-- pointer would read or write what is no longer the column.
local ffi = require("ffi")
local check = require("firn.check")
local component = require("firn.component")
local misuse, describe = check.fail, check.describe

local checked = {}

-- ---------------------------------------------------------------- arrays

-- What stands for an array in a column is cdata at its place with a type of its own, of the same size: firn
-- is asked at each use, ffi.copy finds the bytes, and the FFI refuses it where it wants the array itself.

-- [cdata] = {read: checks and returns the array, get(i), set(i, value)}
local arrays = setmetatable({}, {__mode = "k"})
local used = false -- there are some, or were: compiled code of other worlds looks no further

local function arrayAt(standing)
    return arrays[standing] or error("this stands for no array in a column", 3)
end

local Array = {
    __index = function(self, i)
        return arrayAt(self).get(i)
    end,
    __newindex = function(self, i, value)
        arrayAt(self).set(i, value)
    end,
}

-- [bytes] = a pointer to such cdata
local pointers = {}

local function pointerOf(size)
    if not pointers[size] then
        ffi.cdef(("struct firn_checked_%d { char __firn_bytes[%d]; };"):format(size, size))
        ffi.metatype(("struct firn_checked_%d"):format(size), Array)
        pointers[size] = ffi.typeof(("struct firn_checked_%d *"):format(size))
    end
    return pointers[size]
end

-- ---------------------------------------------------------------- structs

-- Of a checked struct, which is a table: a function that checks it, and returns the struct itself.
local reads, writes = setmetatable({}, {__mode = "k"}), setmetatable({}, {__mode = "k"})

-- The struct or array itself where the value is a checked one.
function checked.value(value)
    local kind = type(value)
    local read = kind == "table" and reads[value]
    if used and kind == "cdata" then
        read = arrays[value] and arrays[value].read
    end
    if read then
        return read()
    end
    return value
end
local valueOf = checked.value

-- [component] = the metatable of its checked structs
local metatables = setmetatable({}, {__mode = "k"})

local makeMetatable

-- The FFI would take an empty table for a struct of zeros. The first value of this one it can convert to
-- nothing; no field has such a name.
local NO_INITIALIZER = coroutine.create(function() end)

-- write: raises where the struct is for reading, nil: it is not. The FFI lets structs in what is
-- constant be written.
local function structOf(defined, read, write)
    metatables[defined] = metatables[defined] or makeMetatable(defined)
    local struct = setmetatable({[0] = NO_INITIALIZER}, metatables[defined])
    reads[struct], writes[struct] = read, write
    return struct
end

local function arrayOf(defined, field, read, write)
    local function placeOf(i)
        if type(i) ~= "number" or i % 1 ~= 0 or i < 0 or i >= field.count then
            misuse("column", "'%s.%s' has no element %s: there are %d", defined.__about.name, field.name,
                describe(i), field.count)
        end
        return i
    end
    local array = read()
    local made = ffi.cast(pointerOf(ffi.sizeof(array)), array)[0]
    used = true
    arrays[made] = {
        read = read,
        get = function(i)
            placeOf(i)
            return field.nested and structOf(field.nested, function()
                return read()[i]
            end, write) or read()[i]
        end,
        set = function(i, value)
            if write then
                write()
            end
            read()[placeOf(i)] = valueOf(value)
        end,
    }
    return made
end

-- A field that is a struct of its own, or an array.
local function fieldOf(defined, field, read, write)
    local function readField()
        return read()[field.name]
    end
    if field.count == 0 then
        return structOf(field.nested, readField, write)
    end
    return arrayOf(defined, field, readField, write)
end

function makeMetatable(defined)
    local fields, metatable = {}, {}
    for _, field in ipairs(defined.__about.fields) do
        local isArray = field.count > 0 and field.base ~= "char" -- ffi.string takes those
        fields[field.name] = (field.nested or isArray) and field or nil
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
        return fields[key] and fieldOf(defined, fields[key], read, writes[struct]) or value
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
