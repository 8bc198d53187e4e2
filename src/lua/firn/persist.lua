-- firn/persist.lua: which entities a persisted save holds, and variables of entities. The components are
-- firn's own: a world gets them when it needs them.
local api = require("firn.api")
local check = require("firn.check")
local checked = require("firn.checked")
local component = require("firn.component")
local World = require("firn.world")
require("firn.entity")
local core, ffi, misuse, describe = api.core, api.ffi, check.fail, check.describe

local persist = {}

-- ---------------------------------------------------------------- persist

-- A firn_persist under names that leave the plain ones to the metatable.
local ctype = ffi.typeof([[
    struct { char __id[64], __fields[192]; uint8_t __mode; bool __no_vars, spawned; }
]])
assert(ffi.sizeof(ctype) == ffi.sizeof("firn_persist")
    and ffi.offsetof(ctype, "spawned") == ffi.offsetof("firn_persist", "spawned"))
local pointer, constPointer = ffi.typeof("$ *", ctype), ffi.typeof("const $ *", ctype)

local MODES = {[0] = "all", "fields", "vars"} -- firn_persist_mode
local MODE_NUMBERS = {all = 0, fields = 1, vars = 2}

local function setText(row, field, value, name, room)
    check.value("persist", name, value, "string")
    if value:find("%z") then
        misuse("persist", "%s has a zero byte in it", name)
    elseif #value >= room then
        misuse("persist", "%s has %d bytes, not up to %d", name, #value, room - 1)
    end
    ffi.fill(row[field], room)
    ffi.copy(row[field], value)
end

-- How each property is read from a row and written to it.
local get, set = {}, {}

function get.id(row)
    return ffi.string(row.__id)
end

function set.id(row, value)
    setText(row, "__id", value, "id", 64)
end

function get.mode(row)
    return MODES[row.__mode]
end

function set.mode(row, value)
    row.__mode = MODE_NUMBERS[value]
        or misuse("persist", "mode: it is \"all\", \"fields\" or \"vars\", not %s", describe(value))
end

function get.fields(row)
    local list = {}
    for name in ffi.string(row.__fields):gmatch("[^ ]+") do
        list[#list + 1] = name
    end
    return list
end

function set.fields(row, value)
    for i, name in ipairs(check.list("persist", "fields", check.value("persist", "fields", value, "table"))) do
        check.value("persist", ("fields[%d]"):format(i), name, "string")
        if not name:find("^[^ ]+$") then
            misuse("persist", "fields[%d]: '%s' is no name", i, name)
        end
    end
    setText(row, "__fields", table.concat(value, " "), "fields", 192)
end

function get.vars(row)
    return not row.__no_vars
end

function set.vars(row, value)
    row.__no_vars = not check.value("persist", "vars", value, "boolean")
end

local Persist = {}

function Persist.new(values)
    local row = ctype()
    check.value("persist", "the values", values or {}, "table")
    for name, value in next, values or {} do
        if name == "spawned" then
            row.spawned = check.value("persist", "spawned", value, "boolean")
        elseif set[name] then
            set[name](row, value)
        else
            misuse("persist", "there is no field %s", describe(name))
        end
    end
    return row
end

local about = {
    name = "persist", kind = component.KIND.struct, ctype = ctype, fields = {}, size = ffi.sizeof(ctype),
    pointer = pointer, constPointer = constPointer,
}

function about.instanceOf(value)
    value = checked.value(value)
    if type(value) == "table" then
        value = Persist.new(value)
    elseif not ffi.istype(ctype, value) and not ffi.istype(pointer, value)
        and not ffi.istype(constPointer, value) then
        misuse("persist", "the value must be an instance, not %s", describe(value))
    end
    about.kept = value -- until the call is over
    return value
end

function about.putInstance(lua, i, row, world)
    core.persist_check_row(world.core, ffi.cast(constPointer, row))
    lua.rows[i] = row
end

function about.put(lua, i, value, world)
    about.putInstance(lua, i, about.instanceOf(value), world)
end

component.addRows(about)
component.makeCallable(Persist, function(_, values)
    return Persist.new(values)
end)
component.finish(Persist, about)
ffi.metatype(ctype, {
    __index = function(row, name)
        local read = get[name]
        if read then
            return read(row)
        end
        return Persist[name]
    end,
    __newindex = function(row, name, value)
        local write = set[name] or misuse("persist", "there is no field %s", describe(name))
        write(row, value)
    end,
})

-- ---------------------------------------------------------------- Vars and Carry

local Vars = {}

local function useVariable()
    misuse("Vars", "variables are set by world:variable")
end

component.makeCallable(Vars, useVariable)
component.finish(Vars, {
    name = "Vars", kind = component.KIND.value, put = useVariable, readMut = useVariable,
    read = function(world, _, entity)
        return core.vars_all(world.core, entity)
    end,
    column = function()
        misuse("column", "variables are read by world:variables")
    end,
})

-- ---------------------------------------------------------------- registration

persist.Persist, persist.Vars = Persist, Vars
persist.Carry = component.tag("Carry", {name = "Carry"})

-- The world has the three components from now on.
function persist.enter(world, doing)
    if rawget(world.handles, Persist) then
        return
    end
    local own = {core.persist_register(world.core, doing)}
    for i, defined in ipairs({Persist, Vars, persist.Carry}) do
        world.handles[defined] = own[i]
        world.byHandle[own[i]] = defined
    end
    if world.made then -- it is one of the game's
        world:remember(function(other)
            persist.enter(other, doing)
        end)
    end
end

for _, defined in ipairs({Persist, Vars, persist.Carry}) do
    component.onDemand[defined] = function(world)
        persist.enter(world, defined.__about.name)
    end
end

-- checkPersist(entity): raises what a save would say of what its persist component names.
function World:checkPersist(entity)
    World.enter(self, "checkPersist")
    core.persist_check(self.core, World.checkEntity("checkPersist", entity))
end

-- persistKey(entity) -> what saves call it, or nil when it does not persist.
function World:persistKey(entity)
    World.enter(self, "persistKey")
    return core.persist_key(self.core, World.checkEntity("persistKey", entity))
end

-- ---------------------------------------------------------------- variables of entities

local function setVariable(world, doing, entity, name, value)
    World.settle(world, doing)
    World.checkEntity(doing, entity)
    check.value(doing, "name", name, "string")
    persist.enter(world, doing)
    core.vars_set(world.core, entity, name, value, doing)
end

-- variable(entity, name) -> value; variable(entity, name, value) sets it.
function World:variable(entity, name, ...)
    if select("#", ...) > 0 then
        return setVariable(self, "variable", entity, name, (...))
    end
    World.enter(self, "variable")
    World.checkEntity("variable", entity)
    return core.vars_get(self.core, entity, check.value("variable", "name", name, "string"))
end

-- removeVariable(entity, name)
function World:removeVariable(entity, name)
    setVariable(self, "removeVariable", entity, name, nil)
end

-- variables(entity) -> {[name] = value}, a copy
function World:variables(entity)
    World.enter(self, "variables")
    return core.vars_all(self.core, World.checkEntity("variables", entity)) or {}
end

return persist
