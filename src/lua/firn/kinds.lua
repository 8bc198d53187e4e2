-- firn/kinds.lua: components that are no structs: tags, scalars, and those that every world has.
local api = require("firn.api")
local check = require("firn.check")
local component = require("firn.component")
local ffi, fast, misuse, describe = api.ffi, api.fast, check.fail, check.describe

-- ---------------------------------------------------------------- tags

-- The component of a tag, which is not registered yet.
function component.tag(doing, options)
    local about = {kind = component.KIND.tag, options = options}
    local container = component.makeContainer(doing, options, about)
    function about.put(lua, i)
        lua.rows[i] = nil
    end
    function about.read(_, lua, entity, handle)
        return fast.has(lua, entity, handle) and container or nil
    end
    function about.readMut()
        return nil
    end
    function about.column()
        return nil
    end
    component.makeCallable(container, function()
        return container
    end)
    return component.finish(container, about)
end

-- The component for a tag that firn has registered in this world, as the tags of states.
function component.ofTag(world, handle, name)
    local defined = world.byHandle[handle]
    if not defined then
        defined = component.tag("tag", {name = name})
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
    options = check.options("newTag", options, TAG_OPTIONS)
    return component.define("newTag", world, component.tag("newTag", options))
end

-- ---------------------------------------------------------------- scalars

local numberPointer, constNumberPointer = ffi.typeof("double *"), ffi.typeof("const double *")
local boolPointer, constBoolPointer = ffi.typeof("bool *"), ffi.typeof("const bool *")
local byteRow = ffi.typeof("const uint8_t *")

-- Where a string is copied to first: a finalizer may change that of the row before Lua has it.
local room, reads = 256, 0
local texts = ffi.new("char[?]", room)

-- The string that copy(lua, out, room, ...) copies to `out`, or nil: it returns the size.
local function textOf(lua, name, copy, ...)
    for _ = 1, 100 do
        reads = reads + 1
        local read, calls, out = reads, lua.calls, texts
        local size = copy(lua, out, room, ...)
        local found = lua.found
        if size > room then
            room = 2 * size
            texts = ffi.new("char[?]", room)
        else
            local text = found and ffi.string(out, size) or nil
            if reads == read and lua.calls == calls then
                return text
            end
        end
    end
    misuse(name, "a finalizer calls firn whenever it is read")
end

-- A column of strings: texts[0] to texts[count - 1].
local Texts = {}

function Texts:__index(i)
    if type(i) == "number" and i >= 0 and i < self.count then
        return textOf(self.lua, "column", fast.row_text, ffi.cast(byteRow, self.rows) + i * 16) -- FIRN_ROW_SIZE
    end
end

function Texts:__newindex()
    misuse("column", "a column of strings is read only: use world:set")
end

-- Rows of numbers and of booleans: read(lua, entity, component) reads one.
local function addNumbers(about, read, pointer, constPointer)
    function about.put(lua, i, value)
        ffi.cast(pointer, lua.numbers + i)[0] = value
        lua.rows[i] = lua.numbers + i
    end
    function about.read(_, lua, entity, handle)
        local value = read(lua, entity, handle)
        if lua.found then
            return value
        end
    end
    component.addPointers(about, pointer, constPointer)
end

local KINDS = {}

function KINDS.number(about)
    addNumbers(about, fast.number, numberPointer, constNumberPointer)
end

function KINDS.boolean(about)
    addNumbers(about, fast.boolean, boolPointer, constBoolPointer)
end

function KINDS.string(about)
    function about.putExtra(lua, i, value)
        local extra = lua.extras[i]
        extra.row, extra.size = value, #value
    end
    function about.read(_, lua, entity, handle)
        return textOf(lua, "get", fast.text, entity, handle)
    end
    function about.readMut()
        misuse("getMut", "'%s' is a string: use world:set", about.name)
    end
    function about.column(world, rows, count, writable)
        if writable then
            misuse("columnMut", "'%s' is a string: use world:set", about.name)
        end
        return setmetatable({lua = world.fast, rows = rows, count = count}, Texts)
    end
end

local function checkScalar(about, value)
    if type(value) ~= about.scalar then
        misuse(about.name, "a %s is wanted, not %s", about.scalar, describe(value))
    end
    return value
end

-- The bytes of a row for core.register.
local function defaultBytes(kind, value)
    if kind == "number" then
        return ffi.string(ffi.new("double[1]", value), 8)
    elseif kind == "boolean" then
        return value and "\1" or "\0"
    end
    return value
end

-- The component of a scalar, which is not registered yet.
local function newScalarTable(doing, options)
    local kind = options.type
    if not KINDS[kind] then
        misuse(doing, "option 'type': it is \"number\", \"boolean\" or \"string\", not %s",
            describe(kind))
    end
    local about = {kind = component.KIND[kind], scalar = kind, options = options}
    local container = component.makeContainer(doing, options, about)
    if options.default ~= nil then
        check.value(doing, "option 'default'", options.default, kind)
        about.default = defaultBytes(kind, options.default)
    end
    KINDS[kind](about)
    -- An instance is {value = 5}; the value itself does where the component is named.
    local name = about.put and "put" or "putExtra"
    local putValue = about[name]
    about[name] = function(lua, i, value)
        if type(value) == "table" then
            value = value.value
        end
        putValue(lua, i, checkScalar(about, value))
    end
    local metatable = component.instanceMetatable(container)
    local function construct(_, value)
        if value == nil then
            value = options.default
        end
        return setmetatable({value = checkScalar(about, value)}, metatable)
    end
    container.new = container.new or function(value)
        return construct(nil, value)
    end
    component.makeCallable(container, construct)
    return component.finish(container, about)
end

local SCALAR_OPTIONS = {
    name = "string", type = "string", default = "any", container = "table", requires = "table",
    transient = "boolean", formerNames = "table",
}

-- One number, boolean or string.
function component.newScalar(world, options)
    options = check.options("newScalar", options, SCALAR_OPTIONS)
    return component.define("newScalar", world, newScalarTable("newScalar", options))
end

-- ---------------------------------------------------------------- those of every world

-- In the order of core.builtins.
component.builtins = {
    newScalarTable("Name", {name = "Name", type = "string"}),
    newScalarTable("EntityKey", {name = "EntityKey", type = "string"}),
    component.tag("Disabled", {name = "Disabled"}),
    component.tag("Paused", {name = "Paused"}),
    component.relation("ChildOf", {name = "ChildOf"}),
}
