-- firn/struct.lua: components that are C structs: newFFIComponent and newRelationship.
local api = require("firn.api")
local check = require("firn.check")
local checked = require("firn.checked")
local codec = require("firn.codec")
local component = require("firn.component")
local ffi, misuse, describe = api.ffi, check.fail, check.describe

-- ---------------------------------------------------------------- fields

-- Type of a field -> firn_type. Fields of entities are followed by a merge.
local TYPES = {
    bool = 1, int8_t = 2, uint8_t = 3, int16_t = 4, uint16_t = 5, int32_t = 6, uint32_t = 7,
    int64_t = 8, uint64_t = 9, float = 10, double = 11, char = 12, firn_entity = 13, entity = 14,
}
local DECLARED = {entity = "double"} -- where it is not the C type
local POINTER, NESTED = 15, 16

-- A field whose type is another struct component.
local function readNested(doing, entry, field)
    local of, count = rawget(entry, 2).__about, rawget(entry, 3)
    if count ~= nil and (type(count) ~= "number" or count < 1 or count % 1 ~= 0) then
        misuse(doing, "field '%s': its count is %s", field.name, describe(count))
    end
    field.type, field.nested, field.count = NESTED, rawget(entry, 2), count or 0
    field.fields, field.size = of.fields, of.size
    field.declared = "$ " .. field.name .. (count and ("[%d]"):format(count) or "")
    return field
end

-- One entry of `fields`, {"name", "type"}, as core.register and the constructor want it.
local function readField(doing, place, entry)
    if type(entry) ~= "table" then
        misuse(doing, "fields[%d] must be {name, type}, not %s", place, describe(entry))
    end
    local name, of, formerNames = rawget(entry, 1), rawget(entry, 2), rawget(entry, "formerNames")
    for i, former in ipairs(check.value(doing, "formerNames", formerNames or {}, "table")) do
        check.value(doing, ("formerNames[%d]"):format(i), former, "string")
    end
    if type(name) ~= "string" or not name:find("^[%a_][%w_]*$") or name:find("^__") then
        misuse(doing, "fields[%d]: %s is no name of a field", place, describe(name))
    end
    local field = {name = name, formerNames = formerNames}
    if component.is(of) and of.__about.ctype then
        return readNested(doing, entry, field)
    elseif type(of) ~= "string" then
        misuse(doing, "field '%s': its type must be a string or a struct component, not %s", name,
            describe(of))
    end
    local base, count = of:match("^([%w_]+)%s*%[%s*(%d+)%s*%]$")
    base = base or of
    field.base, field.count = base, tonumber(count) or 0
    field.type = TYPES[base] or (base:find("%*%s*$") and POINTER)
    if not field.type then
        misuse(doing, "field '%s': there is no type '%s'", name, of)
    end
    field.declared = (DECLARED[base] or base) .. " " .. name .. (count and ("[%s]"):format(count) or "")
    return field
end

local function readFields(doing, entries)
    local fields, seen = {}, {}
    for i, entry in ipairs(entries) do
        fields[i] = readField(doing, i, entry)
        if seen[fields[i].name] then
            misuse(doing, "there are two fields '%s'", fields[i].name)
        end
        seen[fields[i].name] = true
    end
    return fields
end

-- Makes the ctype of fields, whose offsets are filled in, behind what stands in `first`.
local function makeStruct(doing, fields, first, about)
    local text, nested = {first}, {}
    for _, field in ipairs(fields) do
        text[#text + 1] = field.declared .. ";"
        nested[#nested + 1] = field.nested and field.nested.__about.ctype
    end
    local ok, ctype = pcall(ffi.typeof, "struct { " .. table.concat(text, " ") .. " }",
        unpack(nested))
    if not ok then
        misuse(doing, "fields: %s", ctype)
    end
    for _, field in ipairs(fields) do
        field.offset = ffi.offsetof(ctype, field.name)
    end
    about.fields, about.ctype = fields, ctype
    about.size, about.align = ffi.sizeof(ctype), ffi.alignof(ctype)
    about.pointer = ffi.typeof("$ *", ctype)
    about.constPointer = ffi.typeof("const $ *", ctype)
end

-- ---------------------------------------------------------------- constructors

-- What is wrong with a value for a field, or nil: where C would take what Lua would not.
local function checkerOf(field)
    if field.count > 0 or field.nested or field.type == POINTER then
        return "true"
    elseif field.base == "bool" then
        return "type($) == 'boolean'", "a boolean"
    elseif field.base:find("64") then
        return "(type($) == 'number' or type($) == 'cdata')", "a number"
    end
    return "type($) == 'number'", "a number"
end

-- Lines that set a field of `instance` to the local `f1`, where it is given.
local function setterOf(field, i)
    local test, wanted = checkerOf(field)
    local lines = [[
    if type($) ~= "nil" then
        if not (%s) then
            wrong("%s", $, "%s")
        end
        %sinstance["%s"] = $
    end
]]
    local convert = (field.nested or field.count > 0) and "$ = plain($) " or ""
    if field.nested and field.count == 0 then
        convert = ("%sif type($) == 'table' then $ = nested['%s'].new($) end "):format(convert, field.name)
    end
    return (lines:format(test, field.name, wanted, convert, field.name):gsub("%$", "f" .. i))
end

-- construct(_, ...) makes an instance of values in the order of the fields, named(values) of values by
-- name. Both are made for the fields, so that a compiled spawn has no loops.
local CONSTRUCTORS = [[
local ctype, default, init, nested, known, wrong, plain = ...
local type, select, pairs = type, select, pairs
local function construct(_, %s...)
    if select("#", ...) > 0 then
        wrong(nil, select("#", ...))
    end
    local instance = ctype(default)
%s    if init then
        init(instance)
    end
    return instance
end
local function named(values)
    if values == nil then
        return construct(nil)
    end
    for key in pairs(values) do
        if not known[key] then
            wrong(key)
        end
    end
    return construct(nil%s)
end
return construct, named]]

local MOST_FIELDS = 150 -- a function of Lua takes about 200 values

local function makeConstructors(about, first)
    local names, setters, values, nested, known = {}, {}, {}, {}, {}
    if #about.fields > MOST_FIELDS then
        misuse(about.name, "%d fields are more than the %d that a struct may have", #about.fields,
            MOST_FIELDS)
    end
    for i, field in ipairs(about.fields) do
        names[i] = ("f%d, "):format(i)
        setters[i] = setterOf(field, i)
        values[i] = (", values['%s']"):format(field.name)
        nested[field.name] = field.nested
        known[field.name] = true
    end
    local function wrong(name, value, wanted)
        if wanted then
            misuse(about.name, "%s: %s is wanted, not %s", name, wanted, describe(value))
        elseif name == nil then
            misuse(about.name, "it has %d fields, and %d more values were given", #about.fields, value)
        end
        misuse(about.name, "there is no field %s", describe(name))
    end
    local source = CONSTRUCTORS:format(table.concat(names), table.concat(setters),
        table.concat(values))
    local make = assert(loadstring(source, api.madeIn .. about.name))
    return make(about.ctype, first, about.init, nested, known, wrong, checked.value)
end

-- The default row, from the option `defaults`.
local function makeDefault(doing, about, defaults)
    local row = about.ctype()
    local _, named = makeConstructors({
        name = doing .. ": defaults", fields = about.fields, ctype = about.ctype,
    }, row)
    local given = {}
    for name, value in next, defaults do
        given[name] = value
    end
    local ok, problem = pcall(named, given)
    if not ok then
        misuse(doing, "defaults: %s", tostring(problem))
    end
    return problem
end

-- The FFI never forgets the metatable of a struct. One of a component of the module may hold it; that
-- of a component of one world must not, or the world is never collected when a function of the
-- component knows it.
local function weakly(container)
    return setmetatable({container = container}, {__mode = "v"})
end

local function setMetatable(world, ctype, container)
    local metatable = component.instanceMetatable(container)
    if world then
        local held = weakly(container)
        function metatable.__index(_, key)
            return held.container[key]
        end
    end
    ffi.metatype(ctype, metatable)
end

-- ---------------------------------------------------------------- newFFIComponent

local FFI_OPTIONS = {
    name = "string", fields = "table", container = "table", defaults = "table", init = "function",
    requires = "table", transient = "boolean", formerNames = "table", serialize = "function",
    deserialize = "function", save = "function", load = "function",
}

-- Rows of a struct, as put and all others hand them over.
local function addRows(about)
    function about.put(lua, i, instance)
        lua.rows[i] = instance
    end
    component.addRows(about)
end

-- A struct that stands in the columns as it is. Returns the component.
function component.newFFIComponent(world, options)
    local doing = "newFFIComponent"
    options = check.options(doing, options, FFI_OPTIONS)
    local about = {kind = component.KIND.struct, init = options.init, options = options}
    local container = component.makeContainer(doing, options, about)
    check.value(doing, "option 'fields'", options.fields, "table")
    makeStruct(doing, readFields(doing, options.fields), nil, about)
    local default = makeDefault(doing, about, options.defaults or {})
    about.default = ffi.string(default, about.size)
    addRows(about)
    local ctype = about.ctype
    about.putInstance = about.put
    -- What is not of the component, like a table of its fields, becomes an instance first.
    function about.instanceOf(value)
        value = checked.value(value)
        if type(value) == "table" then
            value = container.new(value)
            about.kept = value -- until the call is over
        elseif not ffi.istype(ctype, value) and not ffi.istype(about.pointer, value)
            and not ffi.istype(about.constPointer, value) then
            misuse(about.name, "the value must be an instance, not %s", describe(value))
        end
        return value
    end
    function about.put(lua, i, value)
        about.putInstance(lua, i, about.instanceOf(value))
    end
    if about.init then
        local pointer, init = about.pointer, about.init
        function about.initRows(rows, count)
            rows = ffi.cast(pointer, rows)
            for i = 0, count - 1 do
                init(rows + i)
            end
        end
    end
    local construct, named = makeConstructors(about, default)
    container.new = container.new or named
    codec.read(doing, options, about)
    codec.ofStruct(about, container)
    component.makeCallable(container, construct)
    component.finish(container, about)
    setMetatable(world, about.ctype, container)
    return component.define(doing, world, container)
end

-- ---------------------------------------------------------------- newRelationship

local RELATION_OPTIONS = {
    name = "string", exclusive = "boolean", sparse = "boolean", reverse = "boolean",
    cascade = "boolean", fields = "table", container = "table", defaults = "table",
    requires = "table", transient = "boolean", formerNames = "table", serialize = "function",
    deserialize = "function", save = "function", load = "function",
}

-- The bits of firn_relation_bits.
local BITS = {sparse = 1, exclusive = 2, reverse = 4, cascade = 8}

local function checkTarget(about, target)
    if type(target) ~= "number" or target < 1 or target >= 2^53 or target % 1 ~= 0 then
        misuse(about.name, "target must be an entity, not %s", describe(target))
    end
    return target
end

-- Makes an edge, R(target, fields): a struct that begins with the target.
local function makeEdges(container, about, default)
    local ctype, hasFields = about.ctype, #about.fields > 0
    local _, named = makeConstructors(about, default)
    local function construct(_, target, fields)
        checkTarget(about, target)
        local edge = named(fields)
        edge.__target = target
        return edge
    end
    function about.putExtra(lua, i, edge)
        local extra = lua.extras[i]
        extra.target = tonumber(edge.__target)
        extra.row = hasFields and edge or nil
    end
    function about.edge(target, fields)
        fields = checked.value(fields)
        return ffi.istype(ctype, fields) and fields or construct(nil, target, fields)
    end
    container.new = container.new or function(values)
        local fields = {}
        for key, value in pairs(values) do
            fields[key] = key ~= "target" and value or nil
        end
        return construct(nil, values.target, fields)
    end
    component.makeCallable(container, construct)
    local metatable, held = component.instanceMetatable(container), weakly(container)
    function metatable.__index(edge, key)
        if key == "target" then
            return tonumber(edge.__target)
        elseif key == "relation" then
            return held.container
        end
        return held.container[key]
    end
    component.finish(container, about)
    ffi.metatype(ctype, metatable)
end

-- The component of a relation, which is not registered yet.
function component.relation(doing, options)
    local about = {kind = component.KIND.relation, relation = 0, options = options, isRelation = true}
    local container = component.makeContainer(doing, options, about)
    for name, bit in pairs(BITS) do
        about.relation = about.relation + (options[name] and bit or 0)
    end
    local fields = readFields(doing, options.fields or {})
    for _, field in ipairs(fields) do
        if field.name == "target" or field.name == "relation" then
            misuse(doing, "field '%s': every edge has that", field.name)
        end
    end
    makeStruct(doing, fields, "uint64_t __target;", about)
    local default = makeDefault(doing, about, options.defaults or {})
    if #about.fields > 0 then
        about.default = ffi.string(default, about.size)
    else
        about.size, about.align = 0, 0
    end
    addRows(about)
    about.put = nil
    makeEdges(container, about, default)
    codec.read(doing, options, about)
    codec.ofStruct(about, container)
    return container
end

-- Edges to other entities.
function component.newRelationship(world, options)
    local doing = "newRelationship"
    options = check.options(doing, options, RELATION_OPTIONS)
    return component.define(doing, world, component.relation(doing, options))
end
