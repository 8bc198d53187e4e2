-- firn/component.lua: components. Those of the module are registered in every world, those of a world
-- in that one.
local api = require("firn.api")
local check = require("firn.check")
local core, ffi, misuse = api.core, api.ffi, check.fail
local describe = check.describe

local component = {}

-- The kinds of firn_component_kind, and the relation bits of firn_relation_bits.
local KIND = {
    struct = 0, boolean = 1, number = 2, string = 3, value = 4, tag = 5, relation = 6,
}

-- What the module defined, in this order, and the worlds that live.
local definitions = {}
local worlds = setmetatable({}, {__mode = "k"})

-- A component is a table: methods, `new`, and
--     __firn   the component itself, which its instances have as well
--     __about  what the binding knows of it:
--         name, kind      of it; and what core.register reads (component.c)
--         put(fast, i, instance)      hands over the row of argument i
--         view(world, row, writable)  the value of a row (a pointer); what get returns
--         column(world, rows, count, writable)  what archetype:column returns
--         world           nil, or the only world that has it

-- ---------------------------------------------------------------- registration

local function enter(world, defined)
    local about = defined.__about
    about.required = {}
    for i, required in ipairs(about.requires or {}) do
        about.required[i] = world.handles[required]
    end
    local handle = core.register(world.core, about)
    world.handles[defined] = handle
    world.byHandle[handle] = defined
end

-- Adds a component to the world, or with nil to all that live and to those that come.
local function define(doing, world, defined)
    local about = defined.__about
    about.world = world
    for _, required in ipairs(about.requires or {}) do
        if not component.is(required) then
            misuse(doing, "requires holds %s, which is no component", describe(required))
        elseif required.__about.world and required.__about.world ~= world then
            misuse(doing, "requires holds '%s', which is of another world", required.__about.name)
        end
    end
    for other in pairs(world and {[world] = true} or worlds) do
        if other.fast and core.find(other.core, about.name) ~= 0 then
            misuse(doing, "there is a component '%s' already", about.name)
        end
    end
    if world then
        enter(world, defined)
        return defined
    end
    for _, other in ipairs(definitions) do
        if other.__about.name == about.name then
            misuse(doing, "there is a component '%s' already", about.name)
        end
    end
    if next(worlds) == nil then
        -- Whatever is wrong with it is noticed here, not in the world that comes.
        local scratch = component.newWorldTable(core.create(nil))
        component.enterAll(scratch)
        enter(scratch, defined)
        core.destroy(scratch.core)
    end
    for other in pairs(worlds) do
        if other.fast then
            enter(other, defined)
        end
    end
    definitions[#definitions + 1] = defined
    return defined
end
component.define = define

-- The tables that a world keeps its components in.
function component.newWorldTable(userdata)
    return {core = userdata, handles = {}, byHandle = {}}
end

-- Registers what has been defined so far in a new world.
function component.enterAll(world)
    local builtins = {core.builtins(world.core)}
    for i, builtin in ipairs(component.builtins) do
        world.handles[builtin] = builtins[i]
        world.byHandle[builtins[i]] = builtin
    end
    for _, defined in ipairs(definitions) do
        enter(world, defined)
    end
end

function component.follow(world)
    worlds[world] = true
end

function component.is(value)
    return type(value) == "table" and rawget(value, "__about") ~= nil
end

-- The handle of a component in a world.
function component.handle(doing, world, value, argument)
    local handle = world.handles[value]
    if handle then
        return handle
    end
    if not component.is(value) then
        misuse(doing, "%s must be a component, not %s", argument or "component", describe(value))
    end
    misuse(doing, "component '%s' is of another world", value.__about.name)
end

-- ---------------------------------------------------------------- structs

-- C type of a field -> firn_type.
local TYPES = {
    bool = 1, int8_t = 2, uint8_t = 3, int16_t = 4, uint16_t = 5, int32_t = 6, uint32_t = 7,
    int64_t = 8, uint64_t = 9, float = 10, double = 11, char = 12,
}
local POINTER, NESTED = 15, 16

-- One entry of `fields`, {"name", "type"}, as core.register and the constructor want it.
local function readField(doing, place, entry)
    if type(entry) ~= "table" then
        misuse(doing, "fields[%d] must be {name, type}, not %s", place, describe(entry))
    end
    local name, of = entry[1], entry[2]
    if type(name) ~= "string" or not name:find("^[%a_][%w_]*$") or name:find("^__") then
        misuse(doing, "fields[%d]: %s is no name of a field", place, describe(name))
    end
    local field = {name = name, count = 0, formerNames = entry.formerNames}
    if component.is(of) and of.__about.ctype then
        field.type, field.nested, field.count = NESTED, of, entry[3] or 0
        field.fields, field.size = of.__about.fields, of.__about.size
        field.declared = "$ " .. name .. (entry[3] and ("[%d]"):format(entry[3]) or "")
        return field
    elseif type(of) ~= "string" then
        misuse(doing, "field '%s': its type must be a string, not %s", name, describe(of))
    end
    local base, count = of:match("^([%w_]+)%s*%[%s*(%d+)%s*%]$")
    base = base or of
    field.base, field.count = base, tonumber(count) or 0
    field.type = TYPES[base] or (base:find("%*%s*$") and POINTER)
    if not field.type then
        misuse(doing, "field '%s': there is no type '%s'", name, of)
    end
    field.declared = base .. " " .. name .. (count and ("[%s]"):format(count) or "")
    return field
end

-- The ctype of a list of fields, whose offsets are filled in.
local function makeStruct(doing, fields)
    local text, nested = {}, {}
    for i, field in ipairs(fields) do
        text[i] = field.declared .. ";"
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
    return ctype
end

-- Metamethods that a container gives its instances.
local function instanceMetatable(container)
    local metatable = {}
    for key, value in pairs(container) do
        if type(key) == "string" and key:find("^__") then
            metatable[key] = value
        end
    end
    metatable.__firn, metatable.__about = nil, nil
    metatable.__index = container
    return metatable
end

-- Makes the container callable: Position(1, 2).
local function makeCallable(container, construct)
    local metatable = {}
    for key, value in pairs(getmetatable(container) or {}) do
        metatable[key] = value
    end
    metatable.__call = construct
    setmetatable(container, metatable)
end

local function identity(value)
    return value
end

-- The table that becomes the component: the caller's container, or a new one.
local function makeContainer(doing, options, about)
    if type(options.name) ~= "string" or options.name == "" then
        misuse(doing, "name must be a string that is not empty, not %s", describe(options.name))
    end
    local container = options.container or {}
    if rawget(container, "__about") then
        misuse(doing, "container is the component '%s' already", container.__about.name)
    end
    about.name = options.name
    about.requires = options.requires
    about.formerNames = options.formerNames
    about.transient = options.transient
    about.options = options
    return container
end
component.makeContainer = makeContainer
component.makeCallable = makeCallable
component.instanceMetatable = instanceMetatable
component.KIND = KIND

-- Turns the container into the component.
local function finish(container, about)
    container.__firn = container
    container.__about = about
end
component.finish = finish

local FFI_OPTIONS = {
    name = "string", fields = "table", container = "table", defaults = "table", init = "function",
    requires = "table", transient = "boolean", formerNames = "table", serialize = "function",
    deserialize = "function", save = "function", load = "function",
}

-- A struct that stands in the columns as it is. Returns the component.
function component.newFFIComponent(world, options)
    local doing = "newFFIComponent"
    check.options(doing, options, FFI_OPTIONS)
    local about = {kind = KIND.struct, init = options.init}
    local container = makeContainer(doing, options, about)
    local fields = {}
    for i, entry in ipairs(options.fields or {}) do
        fields[i] = readField(doing, i, entry)
    end
    about.fields = fields
    about.ctype = makeStruct(doing, fields)
    about.size, about.align = ffi.sizeof(about.ctype), ffi.alignof(about.ctype)
    about.pointer = ffi.typeof("$ *", about.ctype)
    about.constPointer = ffi.typeof("const $ *", about.ctype)
    local default = about.ctype(options.defaults or {})
    about.default = ffi.string(default, about.size)

    function about.put(fast, i, instance)
        fast.rows[i] = instance
    end
    function about.view(_, row, writable)
        return ffi.cast(writable and about.pointer or about.constPointer, row)
    end
    function about.column(_, rows, _, writable)
        return ffi.cast(writable and about.pointer or about.constPointer, rows)
    end
    container.new = container.new or function(values)
        local instance = about.ctype(default)
        for key, value in pairs(values or {}) do
            instance[key] = value
        end
        if about.init then
            about.init(instance)
        end
        return instance
    end
    makeCallable(container, function(_, ...)
        local instance = about.ctype(default)
        for i = 1, select("#", ...) do
            local value = select(i, ...)
            if type(value) ~= "nil" then
                instance[fields[i].name] = value
            end
        end
        if about.init then
            about.init(instance)
        end
        return instance
    end)
    finish(container, about)
    ffi.metatype(about.ctype, instanceMetatable(container))
    return define(doing, world, container)
end

-- ---------------------------------------------------------------- tags

local function newTagTable(doing, options)
    local about = {kind = KIND.tag}
    local container = makeContainer(doing, options, about)
    function about.put(fast, i)
        fast.rows[i] = nil
    end
    function about.view()
        return container
    end
    function about.column()
        return nil
    end
    makeCallable(container, identity)
    finish(container, about)
    return container
end

-- The component for a tag that firn has registered in this world, as the tags of states.
function component.ofTag(world, handle, name)
    local defined = world.byHandle[handle]
    if not defined then
        defined = newTagTable("tag", {name = name})
        defined.__about.world = world
        world.handles[defined] = handle
        world.byHandle[handle] = defined
    end
    return defined
end

local TAG_OPTIONS = {
    name = "string", container = "table", requires = "table", transient = "boolean",
    formerNames = "table",
}

-- Presence only: the component is its own instance.
function component.newTag(world, options)
    check.options("newTag", options, TAG_OPTIONS)
    return define("newTag", world, newTagTable("newTag", options))
end

-- Those that every world has, in the order of core.builtins.
component.builtins = {}
for i, name in ipairs({"Name", "EntityKey", "Disabled", "Paused", "ChildOf"}) do
    component.builtins[i] = newTagTable("builtin", {name = name})
    component[name] = component.builtins[i]
end

return component
