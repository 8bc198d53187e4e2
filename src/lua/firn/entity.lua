-- firn/entity.lua: entities of a world: spawn, despawn, and what they have.
local api = require("firn.api")
local component = require("firn.component")
local World = require("firn.world")
local check = require("firn.check")
local core, fast, SLOW = api.core, api.fast, api.SLOW
local misuse, describe = check.fail, check.describe
local fastOf = World.fastOf
local handleOf = component.handle

local function checkEntity(doing, entity)
    if type(entity) ~= "number" then
        misuse(doing, "entity must be a number, not %s", describe(entity))
    end
end

-- Argument i of spawn: an instance, a component (its default) or an edge.
local function put(world, lua, doing, i, item)
    local kind = type(item)
    local defined = (kind == "cdata" or kind == "table") and item.__firn
    local handle = world.handles[defined]
    if not handle then
        if not component.is(defined) then
            misuse(doing, "argument %d must be an instance or a component, not %s", i + 1,
                describe(item))
        end
        misuse(doing, "argument %d: component '%s' is of another world", i + 1,
            defined.__about.name)
    end
    lua.components[i] = handle
    if kind == "table" and rawequal(item, defined) then
        lua.rows[i] = nil
    else
        defined.__about.put(lua, i, item)
    end
end

-- spawn(...): an entity of these instances and components. Returns its id.
function World:spawn(...)
    local lua = fastOf(self, "spawn")
    local count = select("#", ...)
    for i = 1, count do
        put(self, lua, "spawn", i - 1, (select(i, ...)))
    end
    local entity = fast.spawn(lua, count)
    if entity == SLOW then
        return core.spawn(self.core, count)
    elseif entity == 0 then
        core.raise(self.core, "spawn")
    end
    return entity
end

-- despawn(entity): ends it.
function World:despawn(entity)
    local lua = fastOf(self, "despawn")
    checkEntity("despawn", entity)
    local result = fast.despawn(lua, entity)
    if result == SLOW then
        core.despawn(self.core, entity)
    elseif result ~= 0 then
        core.raise(self.core, "despawn")
    end
end

-- isAlive(entity): whether it lives.
function World:isAlive(entity)
    local lua = fastOf(self, "isAlive")
    checkEntity("isAlive", entity)
    return fast.alive(lua, entity)
end

-- has(entity, component)
function World:has(entity, defined)
    local lua = fastOf(self, "has")
    checkEntity("has", entity)
    return fast.has(lua, entity, self.handles[defined] or handleOf("has", self, defined))
end

-- get(entity, component): its value, for reading; nil when it is not there.
function World:get(entity, defined)
    local lua = fastOf(self, "get")
    checkEntity("get", entity)
    local handle = self.handles[defined] or handleOf("get", self, defined)
    local row = fast.get(lua, entity, handle)
    if row ~= nil then
        return defined.__about.view(self, row, false)
    elseif fast.has(lua, entity, handle) then
        return defined.__about.view(self, nil, false)
    end
end

-- getMut(entity, component): its value, for writing; nil when it is not there.
function World:getMut(entity, defined)
    local lua = fastOf(self, "getMut")
    checkEntity("getMut", entity)
    local row = fast.get_mut(lua, entity,
        self.handles[defined] or handleOf("getMut", self, defined))
    if row ~= nil then
        return defined.__about.view(self, row, true)
    end
end

return World
