-- firn/entity.lua: entities of a world: spawn, despawn, and what they have.
local api = require("firn.api")
local check = require("firn.check")
local component = require("firn.component")
local World = require("firn.world")
local core, fast, ffi, SLOW, AGAIN = api.core, api.fast, api.ffi, api.SLOW, api.AGAIN
local misuse, describe = check.fail, check.describe
local enter, handOver, handleOf = World.enter, World.handOver, component.handle
local type, rawequal, select = type, rawequal, select

local MOST = {components = 512, extras = 64} -- FR_LUA_ITEMS, FR_LUA_EXTRAS

-- ---------------------------------------------------------------- arguments

local function isEntity(entity)
    return entity >= 0 and entity < 2^53 and entity % 1 == 0
end

local function checkEntity(doing, entity, name)
    if type(entity) ~= "number" or not isEntity(entity) then
        misuse(doing, "%s must be an entity, not %s", name or "entity", describe(entity))
    end
    return entity
end
World.checkEntity = checkEntity

-- Says what is wrong with argument `place` of a call.
local function refuseItem(world, doing, place, item, defined)
    if component.is(defined) then
        misuse(doing, "argument %d: component '%s' is of another world", place,
            defined.__about.name)
    end
    misuse(doing, "argument %d must be an instance or a component, not %s", place, describe(item))
end

-- The component of an instance; a cdata that is none has no such member, and says so by raising.
local function definedOf(item)
    return item.__firn
end

-- Hands over an instance, a component (its default) or an edge, behind `count` components and `extras`
-- extras. Returns both, one of them one more.
local function put(world, lua, doing, place, item, count, extras)
    local kind, defined = type(item), nil
    if kind == "table" then
        defined = item.__firn
    elseif kind == "cdata" then
        local ok
        ok, defined = pcall(definedOf, item)
        defined = ok and defined
    end
    local handle = world.handles[defined or false]
    if not handle then
        refuseItem(world, doing, place, item, defined)
    end
    local about = defined.__about
    if count >= MOST.components or extras >= MOST.extras then
        misuse(doing, "argument %d is one too many", place)
    end
    if about.isRelation then
        if kind == "table" then
            misuse(doing, "argument %d: the relation '%s' needs a target", place, about.name)
        end
    elseif kind == "table" and rawequal(item, defined) then
        lua.components[count] = handle
        lua.rows[count] = nil
        return count + 1, extras
    elseif about.put then
        lua.components[count] = handle
        about.put(lua, count, item, world)
        return count + 1, extras
    end
    lua.extras[extras].component = handle
    about.putExtra(lua, extras, item)
    return count, extras + 1
end

-- Hands over all arguments. The usual ones are written out, so that the compiler sees no loop.
local function putAll(world, lua, doing, n, a, b, c, d, ...)
    local count, extras = 0, 0
    if n > 0 then
        count, extras = put(world, lua, doing, 1, a, count, extras)
    end
    if n > 1 then
        count, extras = put(world, lua, doing, 2, b, count, extras)
    end
    if n > 2 then
        count, extras = put(world, lua, doing, 3, c, count, extras)
    end
    if n > 3 then
        count, extras = put(world, lua, doing, 4, d, count, extras)
    end
    for i = 5, n do
        count, extras = put(world, lua, doing, i, (select(i - 4, ...)), count, extras)
    end
    return count, extras
end

World.putAll = putAll

-- ---------------------------------------------------------------- spawn and despawn

-- spawn(...): an entity of these instances, components and edges. Returns its id.
function World:spawn(...)
    local lua = enter(self, "spawn")
    local count, extras = handOver(self, lua, "spawn", putAll, select("#", ...), ...)
    local entity = fast.spawn(lua, count, extras)
    if entity == SLOW then
        -- No tail call: this frame keeps the instances, of which only pointers were handed over.
        entity = core.spawn(self.core, count, extras)
    end
    if entity == AGAIN then
        return World.spawn(self, ...)
    elseif entity == 0 then
        core.raise(self.core, "spawn")
    end
    return entity
end

-- n items, tables as copies.
local function copyItems(n, item, ...)
    if n > 0 then
        return World.copyItem(item), copyItems(n - 1, ...)
    end
end

local function spawnMany(self, n, out, ...)
    local lua = enter(self, "spawnMany")
    local count, extras = handOver(self, lua, "spawnMany", putAll, select("#", ...), ...)
    local result = fast.spawn_many(lua, n, count, extras, out)
    if result == SLOW then
        result = core.spawn_many(self.core, n, count, extras, out) or 0
    end
    if result == AGAIN then
        return spawnMany(self, n, out, ...)
    elseif result ~= 0 then
        core.raise(self.core, "spawnMany")
    end
end

-- spawnMany(n, ...): n alike entities. Returns their ids.
function World:spawnMany(n, ...)
    World.fastOf(self, "spawnMany")
    if type(n) ~= "number" or n < 0 or n > 2^22 or n % 1 ~= 0 then
        misuse("spawnMany", "n must be a count of entities, not %s", describe(n))
    end
    local out = ffi.new("firn_entity[?]", n + 1)
    if n > 1 then
        spawnMany(self, n, out, copyItems(select("#", ...), ...))
    else
        spawnMany(self, n, out, ...)
    end
    local entities = {}
    for i = 1, n do
        entities[i] = tonumber(out[i - 1])
    end
    return entities
end

-- despawn(entity): ends it.
function World:despawn(entity)
    local lua = enter(self, "despawn")
    local result = fast.despawn(lua, checkEntity("despawn", entity))
    if result == SLOW then
        core.despawn(self.core, entity)
    elseif result ~= 0 then
        core.raise(self.core, "despawn")
    end
end

-- isAlive(entity): whether it lives.
function World:isAlive(entity)
    return fast.alive(enter(self, "isAlive"), checkEntity("isAlive", entity))
end

-- count(): living entities
function World:count()
    return fast.count(enter(self, "count"))
end

-- ---------------------------------------------------------------- reading

-- has(entity, component)
function World:has(entity, defined)
    local lua = enter(self, "has")
    return fast.has(lua, checkEntity("has", entity),
        self.handles[defined] or handleOf("has", self, defined))
end

-- Calls read(...) again, because something called firn while it read, and may have moved what it read.
local function readAgain(world, doing, defined, read, ...)
    for _ = 1, 100 do
        local lua = enter(world, doing)
        local calls = lua.calls
        local value = read(world, lua, ...)
        if lua.calls == calls then
            return value
        end
    end
    misuse(doing, "a finalizer calls firn whenever '%s' is read", defined.__about.name)
end
World.readAgain = readAgain

-- What `how`, read or readMut, finds.
local function find(world, doing, how, entity, defined)
    local lua = enter(world, doing)
    local handle = world.handles[defined] or handleOf(doing, world, defined)
    local calls, read = lua.calls, defined.__about[how]
    local value = read(world, lua, checkEntity(doing, entity), handle)
    if lua.calls ~= calls then
        return readAgain(world, doing, defined, read, entity, handle)
    end
    return value
end

-- get(entity, component): its value, for reading; nil when it is not there.
function World:get(entity, defined)
    return find(self, "get", "read", entity, defined)
end

-- getMut(entity, component): its value, for writing; nil when it is not there.
function World:getMut(entity, defined)
    return find(self, "getMut", "readMut", entity, defined)
end

-- components(entity): those that it has, in the order of their names
function World:components(entity)
    enter(self, "components")
    local list = {}
    for _, handle in ipairs(core.components(self.core, checkEntity("components", entity))) do
        list[#list + 1] = self.byHandle[handle]
    end
    return list
end

-- ---------------------------------------------------------------- changing

-- Sets what has been handed over. Whether that was not there any more: it is to be handed over again.
local function isLost(self, doing, lua, entity, count)
    local result = fast.set(lua, entity, count)
    if result == SLOW then
        result = core.set(self.core, entity, count, doing) or 0
    end
    if result ~= 0 and result ~= AGAIN then
        core.raise(self.core, doing)
    end
    return result == AGAIN
end

-- Sets what hand(world, lua, doing, ...) hands over, see World.handOver.
local function setBy(self, doing, lua, entity, hand, ...)
    local count = handOver(self, lua, doing, hand, ...)
    if isLost(self, doing, lua, entity, count) then
        return setBy(self, doing, enter(self, doing), entity, hand, ...)
    end
end
World.setBy = setBy

-- Hands over a value of a component. Returns how many components that are: a string is an extra.
local function putValue(world, lua, _, about, handle, value)
    local put = about.putInstance or about.put
    if put then
        put(lua, 0, value, world)
        lua.components[0] = handle
        return 1
    end
    lua.extras[0].component = handle
    about.putExtra(lua, 0, value)
    return 0
end

-- set(entity, instance), or set(entity, component, value): sets a component, or adds it.
function World:set(entity, item, value)
    local lua = enter(self, "set")
    checkEntity("set", entity)
    if type(value) == "nil" then
        if component.is(item) and item.__about.kind ~= component.KIND.tag
            and not item.__about.isRelation then
            misuse("set", "argument 2 is the component '%s' itself: give an instance, or a value",
                item.__about.name)
        end
        return setBy(self, "set", lua, entity, put, 2, item, 0, 0)
    end
    local handle = self.handles[item] or handleOf("set", self, item)
    local about = item.__about
    if about.isRelation then
        misuse("set", "'%s' is a relation: use world:relate", about.name)
    elseif about.instanceOf then
        value = about.instanceOf(value) -- a constructor may run, which may call firn
        lua = enter(self, "set")
    end
    setBy(self, "set", lua, entity, putValue, about, handle, value)
end

-- Hands over components without rows.
local function putComponents(world, lua, doing, ...)
    local count = select("#", ...)
    if count > MOST.components then
        misuse(doing, "%d components are too many", count)
    end
    for i = 1, count do
        local defined = select(i, ...)
        lua.components[i - 1] = world.handles[defined == nil and false or defined]
            or handleOf(doing, world, defined, ("argument %d"):format(i + 1))
        if defined.__about.isRelation and doing == "add" then
            misuse(doing, "argument %d: the relation '%s' needs a target: use world:relate", i + 1,
                defined.__about.name)
        end
        lua.rows[i - 1] = nil
    end
    return count
end

-- add or remove, as `doing` says
local function change(self, doing, entity, ...)
    local lua = enter(self, doing)
    checkEntity(doing, entity)
    local count = handOver(self, lua, doing, putComponents, ...)
    local result = fast[doing](lua, entity, count)
    if result == SLOW then
        result = core[doing](self.core, entity, count) or 0
    end
    if result == AGAIN then
        return change(self, doing, entity, ...)
    elseif result ~= 0 then
        core.raise(self.core, doing)
    end
end

-- add(entity, ...): adds components at their defaults; those that are there stay as they are.
function World:add(entity, ...)
    change(self, "add", entity, ...)
end

-- remove(entity, ...): removes components; those that are not there are no error.
function World:remove(entity, ...)
    change(self, "remove", entity, ...)
end

-- ---------------------------------------------------------------- deferred changes

-- flush(): applies the changes that wait
function World:flush()
    World.settle(self, "flush")
    core.flush(self.core)
end

-- discard(): forgets the changes that wait. Returns how many.
function World:discard()
    World.fastOf(self, "discard")
    return core.discard(self.core)
end

-- pending(): how many changes wait
function World:pending()
    return World.fastOf(self, "pending").pending[0]
end

return World
