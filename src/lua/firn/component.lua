-- firn/component.lua: components. Those of the module are registered in every world, those of a world
-- in that one.
local api = require("firn.api")
local check = require("firn.check")
local core, fast, ffi = api.core, api.fast, api.ffi
local misuse, describe = check.fail, check.describe

local component = {}

-- The numbers of firn_component_kind.
component.KIND = {
    struct = 0, boolean = 1, number = 2, string = 3, value = 4, tag = 5, relation = 6,
}

-- What the module defined, in this order, and the worlds that live.
local definitions = {}
-- [world] = its userdata: an entry goes when that is to be finalized, which may be before nobody knows
-- the world any more.
local worlds = setmetatable({}, {__mode = "kv"})

-- A component is a table: methods, `new`, and
--     __firn   the component itself, which its instances have as well
--     __about  what the binding knows of it:
--         name, kind      of it; and what core.register reads (component.c)
--         put(lua, i, value, world)   hands over the row of argument i: lua.rows[i]
--         putExtra(lua, i, value)     in its place: an edge or a string, lua.extras[i]
--         read(world, lua, entity, handle)     what get returns; and what getMut does:
--         readMut(world, lua, entity, handle)  after a call of firn that comes between, nonsense
--         view(world, row)            the table of a row (a pointer), of a component of tables
--         column(world, rows, count, writable)  what archetype:column returns
--         makeCodec(world)            nil, or makes its codec (codec.c)
--         world                       nil, or the only world that has it

-- ---------------------------------------------------------------- registration

-- What core.check and core.register take.
local function described(world, about)
    about.required = {}
    for i, required in ipairs(about.requires or {}) do
        about.required[i] = world.handles[required]
    end
    return world.core, about, about.makeCodec and about.makeCodec(world)
end

local function enter(world, defined)
    local handle = core.register(described(world, defined.__about))
    world.handles[defined] = handle
    world.byHandle[handle] = defined
end

local function checkRequired(doing, world, about)
    for _, required in ipairs(about.requires or {}) do
        if not component.is(required) then
            misuse(doing, "requires holds %s, which is no component", describe(required))
        elseif required.__about.world and not (world and world.handles[required]) then
            misuse(doing, "requires holds '%s', which is of another world", required.__about.name)
        end
    end
end

-- A world without entities, of the usual limits: what is wrong with a component is noticed there,
-- also while no other world lives.
local proof

-- The worlds that a definition is for: that one, or with nil all that live.
local function worldsOf(world)
    if world then
        return {world}
    end
    proof = proof or component.enterAll(component.newWorldTable(core.create(nil)))
    local all = {proof}
    for other in pairs(worlds) do
        all[#all + 1] = other.fast and other
    end
    return all
end

local function enterInto(list, defined)
    for _, world in ipairs(list) do
        if (world.fast or world == proof) and not world.handles[defined] then
            enter(world, defined)
        end
    end
end

-- A world that is built like this one gets the component, too (replace.lua).
local function rememberIn(world, defined)
    world.remember(world, function(other)
        enter(other, defined)
        rememberIn(other, defined)
    end)
end

-- Adds a component to the world, or with nil to all that live and to those that come: to all of them
-- or to none.
function component.define(doing, world, defined)
    local about = defined.__about
    about.doing, about.world = doing, world
    checkRequired(doing, world, about)
    -- Each is asked before the first has it. Rows that a world has kept can still be none of the
    -- component, so such a world comes first.
    local adopting = {}
    for _, other in ipairs(worldsOf(world)) do
        if core.find(other.core, about.name) ~= 0 then
            misuse(doing, "there is a component '%s' already", about.name)
        elseif core.check(described(other, about)) then
            adopting[#adopting + 1] = other
        end
    end
    enterInto(adopting, defined)
    enterInto(worldsOf(world), defined) -- what reads rows may have made worlds, or destroyed some
    definitions[#definitions + 1] = not world and defined or nil
    if world then
        rememberIn(world, defined)
    end
    return defined
end

-- Components that a world gets when it needs them: [component] = enter(world), which registers it.
component.onDemand = {}

-- The tables that a world keeps its components in.
function component.newWorldTable(userdata)
    local world = {core = userdata, handles = {}, byHandle = {}, tables = core.tables(userdata)}
    setmetatable(world.handles, {__index = function(handles, defined)
        local register = component.onDemand[defined]
        if register then
            register(world)
            return rawget(handles, defined)
        end
    end})
    return world
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
    return world
end

function component.follow(world)
    worlds[world] = world.core
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

-- ---------------------------------------------------------------- making

-- The table that becomes the component: the caller's container, or a new one; and what is the same for
-- all kinds in `about`.
function component.makeContainer(doing, options, about)
    check.value(doing, "option 'name'", options.name, "string")
    if options.name:find("%z") then
        misuse(doing, "option 'name' has a zero byte in it")
    end
    local container = options.container or {}
    if rawget(container, "__about") then
        misuse(doing, "container is the component '%s' already", container.__about.name)
    end
    about.name = options.name
    about.requires = options.requires
    about.transient = options.transient
    about.formerNames = options.formerNames
    check.list(doing, "option 'requires'", options.requires)
    for i, name in ipairs(check.list(doing, "option 'formerNames'", options.formerNames)) do
        check.value(doing, ("formerNames[%d]"):format(i), name, "string")
    end
    return container
end

-- What getMut and columns are of, where the rows themselves are handed out.
function component.addPointers(about, pointer, constPointer)
    function about.readMut(_, lua, entity, handle)
        local row = fast.get_mut(lua, entity, handle)
        if row ~= nil then
            return ffi.cast(pointer, row)
        end
    end
    function about.column(_, rows, _, writable)
        return ffi.cast(writable and pointer or constPointer, rows)
    end
end

-- The same of structs, with what get is of.
function component.addRows(about)
    local constPointer = about.constPointer
    function about.read(_, lua, entity, handle)
        local row = fast.get(lua, entity, handle)
        if row ~= nil then
            return ffi.cast(constPointer, row)
        end
    end
    component.addPointers(about, about.pointer, constPointer)
end

-- Makes the container callable: Position(1, 2). A metatable that it has stays as it is for others.
function component.makeCallable(container, construct)
    local metatable = {}
    for key, value in pairs(getmetatable(container) or {}) do
        metatable[key] = value
    end
    metatable.__call = construct
    setmetatable(container, metatable)
end

-- The metamethods that a container gives its instances.
function component.instanceMetatable(container)
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

-- Turns the container into the component.
function component.finish(container, about)
    container.__firn = container
    container.__about = about
    return container
end

return component
