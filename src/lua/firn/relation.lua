-- firn/relation.lua: relationships between entities.
local api = require("firn.api")
local check = require("firn.check")
local component = require("firn.component")
local World = require("firn.world")
require("firn.entity")
local core, fast, ffi, misuse, SLOW = api.core, api.fast, api.ffi, check.fail, api.SLOW
local enter, handOver = World.enter, World.handOver
local checkEntity, finishSet = World.checkEntity, World.finishSet

-- The handle of a relation.
local function relationOf(doing, world, relation)
    local handle = world.handles[relation]
        or component.handle(doing, world, relation, "relation")
    if not relation.__about.isRelation then
        misuse(doing, "'%s' is no relation", relation.__about.name)
    end
    return handle
end

local function putEdge(_, lua, _, relation, handle, target, edge)
    lua.extras[0].component = handle
    relation.__about.putExtra(lua, 0, edge)
    lua.extras[0].target = target
    return 0
end

-- relate(source, relation, target[, fields]): adds an edge, or sets the fields of the one that is
-- there.
function World:relate(source, relation, target, fields)
    local lua = enter(self, "relate")
    checkEntity("relate", source, "source")
    local handle = relationOf("relate", self, relation)
    checkEntity("relate", target, "target")
    local edge = relation.__about.edge(target, fields)
    local count = handOver(self, enter(self, "relate"), "relate", putEdge, relation, handle, target,
        edge)
    finishSet(self, "relate", lua, source, count)
end

-- unrelate(source, relation[, target]): removes an edge, or all of the relation.
function World:unrelate(source, relation, target)
    local lua = enter(self, "unrelate")
    checkEntity("unrelate", source, "source")
    local handle = relationOf("unrelate", self, relation)
    target = target == nil and 0 or checkEntity("unrelate", target, "target")
    local result = fast.unrelate(lua, source, handle, target)
    if result == SLOW then
        core.unrelate(self.core, source, handle, target)
    elseif result ~= 0 then
        core.raise(self.core, "unrelate")
    end
end

-- related(source, relation, target): the edge, for reading; nil when it is not there.
function World:related(source, relation, target)
    local lua = enter(self, "related")
    checkEntity("related", source, "source")
    local handle = relationOf("related", self, relation)
    local row = fast.related(lua, source, handle, checkEntity("related", target, "target"))
    if row ~= nil then
        return relation.__about.view(self, row, false)
    end
end

-- target(source, relation): its first target, or nil
function World:target(source, relation)
    local lua = enter(self, "target")
    checkEntity("target", source, "source")
    local target = fast.target(lua, source, relationOf("target", self, relation))
    return target ~= 0 and target or nil
end

-- The ids that count(out, room) writes, as a list.
local function listOf(count)
    local room = count(nil, 0)
    local out = ffi.new("firn_entity[?]", room + 1)
    room = count(out, room)
    local list = {}
    for i = 1, room do
        list[i] = tonumber(out[i - 1])
    end
    return list
end

-- targets(source, relation): all of its targets
function World:targets(source, relation)
    local lua = enter(self, "targets")
    checkEntity("targets", source, "source")
    local handle = relationOf("targets", self, relation)
    return listOf(function(out, room)
        return fast.targets(lua, source, handle, out, room)
    end)
end

-- sources(target, relation): the entities that have it as a target
function World:sources(target, relation)
    local lua = enter(self, "sources")
    checkEntity("sources", target, "target")
    local handle = relationOf("sources", self, relation)
    return listOf(function(out, room)
        return fast.sources(lua, handle, target, out, room)
    end)
end
