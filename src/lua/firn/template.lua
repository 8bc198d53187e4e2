-- firn/template.lua: tables with numbers under known keys as bytes, many at once. Their encoding only
-- differs in the numbers, so it is copied as a whole and the numbers are put into it (docs/format.md).
local api = require("firn.api")
local bit = require("bit")
local ffi = api.ffi

local template = {}

-- The bytes can be read and written through pointers to numbers: little-endian, aligned or not.
local usable = ffi.abi("le") and (jit.arch == "x64" or jit.arch == "x86" or jit.arch == "arm64")

local MOST_FIELDS, LONGEST_NAME = 32, 64
local TABLE_OF_PAIRS, STRING, NUMBER = "\9", 32, "\7"

-- The names in the order of a save, the bytes of a table with zeros as its numbers, and the offset of
-- each number.
local function lay(fields)
    local names, places = {}, {}
    for i, field in ipairs(fields) do
        names[i] = field.name
        if #field.name > LONGEST_NAME then
            return
        end
    end
    if #names == 0 or #names > MOST_FIELDS then
        return
    end
    table.sort(names, function(a, b)
        -- Byte by byte: the operator asks the locale.
        for i = 1, math.min(#a, #b) do
            if a:byte(i) ~= b:byte(i) then
                return a:byte(i) < b:byte(i)
            end
        end
        return #a < #b
    end)
    local bytes = TABLE_OF_PAIRS .. string.char(#names)
    for i, name in ipairs(names) do
        bytes = bytes .. string.char(STRING + #name) .. name .. NUMBER
        places[i] = #bytes
        bytes = bytes .. ("\0"):rep(8)
    end
    return names, bytes, places
end

-- Conditions that are true where the bytes at `from` are no such table. A number whose exponent has
-- all bits is none that may be taken as it is: among them are bits that Lua has other uses for.
local function otherwise(bytes, places)
    local conditions = {}
    local at = 0
    local buffer = ffi.cast("const uint8_t *", bytes)
    for i = 1, #places do
        while at < places[i] do
            local left = places[i] - at
            local size = left >= 4 and 4 or left >= 2 and 2 or 1
            local kind = size == 4 and "i32" or size == 2 and "u16" or "u8"
            local pointer = ffi.cast(size == 4 and "const int32_t *"
                or size == 2 and "const uint16_t *" or "const uint8_t *", buffer + at)
            conditions[#conditions + 1] = ("cast(%s, from + %d)[0] ~= %d"):format(kind, at, pointer[0])
            at = at + size
        end
        conditions[#conditions + 1] =
            ("band(cast(i32, from + %d)[0], 0x7ff00000) == 0x7ff00000"):format(at + 4)
        at = at + 8
    end
    return table.concat(conditions, "\n            or ")
end

local SOURCE = [[
local ffi, band, keep, metatable, loaded, bytes = ...
local cast, copy, rawget, next, type = ffi.cast, ffi.copy, rawget, next, type
local setmetatable = setmetatable
local handles, u8 = ffi.typeof("int32_t *"), ffi.typeof("uint8_t *")
local i32, u16, f64 = ffi.typeof("int32_t *"), ffi.typeof("uint16_t *"), ffi.typeof("double *")
local function fill(tables, rows, n, to)
    rows, to = cast(handles, rows), cast(u8, to)
    local at = 0 -- a pointer that moves would be a new object in each row
    for i = 0, n - 1 do
        local handle = rows[i]
        if handle <= 0 then
            return i
        end
        local row = tables[handle]
        %s
        local count = 0
        for _ in next, row do
            count = count + 1
        end
        if count ~= %d then
            return i
        end
        copy(to + at, bytes, %d)
        %s
        at = at + %d
    end
    return n
end
local function unfill(tables, lua, rows, n, from)
    rows, from = cast(handles, rows), cast(u8, from)
    for i = 0, n - 1 do
        if %s then
            return i
        end
        %s
        rows[i] = keep(tables, lua, %s)
        from = from + %d
    end
    return n
end
return fill, unfill]]

-- How tables of these fields are written and read, for firn/tables.lua; nil where they are not.
--     size                                  bytes of a table
--     fill(tables, rows, n, to)             see codec.c
--     unfill(tables, lua, rows, n, from)    makes instances itself
--     unfillThrough                         the same with loaded(values)
function template.make(fields, metatable, keep, loaded)
    local names, bytes, places = lay(fields)
    if not usable or not names then
        return
    end
    local reads, writes, values = {}, {}, {}
    for i, name in ipairs(names) do
        reads[i] = ("local v%d = rawget(row, %q) if type(v%d) ~= 'number' or v%d ~= v%d then return i end")
            :format(i, name, i, i, i)
        writes[i] = ("cast(f64, to + (at + %d))[0] = v%d"):format(places[i], i)
        values[i] = ("[%q] = cast(f64, from + %d)[0]"):format(name, places[i])
    end
    local row = "{" .. table.concat(values, ", ") .. "}"
    local function build(instance, before)
        local source = SOURCE:format(table.concat(reads, "\n        "), #names, #bytes,
            table.concat(writes, "\n        "), #bytes, otherwise(bytes, places), before, instance,
            #bytes)
        return assert(loadstring(source, api.madeIn .. "template"))(ffi, bit.band, keep, metatable, loaded,
            bytes)
    end
    local fill, unfill = build(("setmetatable(%s, metatable)"):format(row), "")
    local _, unfillThrough = build(("loaded(%s)"):format(row), "lua.decoded = i")
    return {size = #bytes, fill = fill, unfill = unfill, unfillThrough = unfillThrough}
end

return template
