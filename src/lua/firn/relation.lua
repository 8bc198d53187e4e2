-- firn/relation.lua: relationships between entities.
local api = require("firn.api")
local check = require("firn.check")
local component = require("firn.component")
local World = require("firn.world")
require("firn.entity")
local core, fast, ffi, misuse, SLOW = api.core, api.fast, api.ffi, check.fail, api.SLOW
local enter, readAgain = World.enter, World.readAgain
local checkEntity, setBy = World.checkEntity, World.setBy

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
    enter(self, "relate")
    checkEntity("relate", source, "source")
    local handle = relationOf("relate", self, relation)
    checkEntity("relate", target, "target")
    local edge = relation.__about.edge(target, fields)
    setBy(self, "relate", enter(self, "relate"), source, putEdge, relation, handle, target, edge)
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

local function readEdge(_, lua, about, source, handle, target)
    local row = fast.related(lua, source, handle, target)
    if row ~= nil then
        return ffi.cast(about.constPointer, row)
    end
end

-- related(source, relation, target): the edge, for reading; nil when it is not there.
function World:related(source, relation, target)
    local lua = enter(self, "related")
    checkEntity("related", source, "source")
    local handle = relationOf("related", self, relation)
    checkEntity("related", target, "target")
    local calls = lua.calls
    local edge = readEdge(self, lua, relation.__about, source, handle, target)
    if lua.calls ~= calls then
        return readAgain(self, "related", relation, readEdge, relation.__about, source, handle, target)
    end
    return edge
end

-- target(source, relation): its first target, or nil
function World:target(source, relation)
    local lua = enter(self, "target")
    checkEntity("target", source, "source")
    local target = fast.target(lua, source, relationOf("target", self, relation))
    return target ~= 0 and target or nil
end

-- The ids that read(lua, entity, handle, out, room) writes, as a list.
local function listOf(world, doing, argument, entity, relation, read)
    local lua = enter(world, doing)
    checkEntity(doing, entity, argument)
    local handle = relationOf(doing, world, relation)
    local room, out = 0, nil
    repeat
        local had = room
        room = read(lua, entity, handle, out, had)
        if room > had then
            out = ffi.new("firn_entity[?]", room)
        end
    until room <= had
    local list = {}
    for i = 1, room do
        list[i] = tonumber(out[i - 1])
    end
    return list
end

-- targets(source, relation): all of its targets
function World:targets(source, relation)
    return listOf(self, "targets", "source", source, relation, fast.targets)
end

-- sources(target, relation): the entities that have it as a target
function World:sources(target, relation)
    return listOf(self, "sources", "target", target, relation, fast.sources)
end
