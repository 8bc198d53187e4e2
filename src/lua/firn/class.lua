-- firn/class.lua: entity classes: bundles of components by name, that a save knows.
local api = require("firn.api")
local check = require("firn.check")
local World = require("firn.world")
require("firn.entity")
require("firn.tables")
local core, misuse = api.core, check.fail

local CLASS_OPTIONS = {
    name = "string", components = "table", create = "function", restore = "function",
}

-- Registers the class; until a finalizer leaves what is handed over in its place.
local function register(world, name, callbacks, ...)
    for _ = 1, 100 do
        local lua = World.enter(world, "newClass")
        local count, extras = World.handOver(world, lua, "newClass", World.putAll, select("#", ...), ...)
        if core.class_register(world.core, name, count, extras, callbacks) then
            return
        end
    end
    misuse("newClass", "a finalizer calls firn whenever the components are read")
end

-- newClass{name=, components={...}, create=, restore=}: a bundle of instances and components. The
-- callbacks get the world and the entity: create of one that spawnClass made, restore of one that a
-- load brought.
function World:newClass(options)
    local doing = "newClass"
    World.fastOf(self, doing)
    options = check.options(doing, options, CLASS_OPTIONS)
    check.value(doing, "option 'name'", options.name, "string")
    -- What firn keeps of a class are bytes. Tables are copied into each entity of it.
    local items, tables, places = {}, {}, {}
    for i, item in ipairs(check.list(doing, "components", options.components)) do
        local copy = World.copyItem(item)
        local isTable = not rawequal(copy, item)
        items[i] = isTable and item.__firn or item
        if isTable then
            tables[#tables + 1], places[#places + 1] = copy, i
        end
    end
    local world, create, restore = self, options.create, options.restore
    local callbacks = {}
    if create or #tables > 0 then
        function callbacks.create(entity)
            for _, instance in ipairs(tables) do
                world:set(entity, World.copyItem(instance))
            end
            if create then
                create(world, entity)
            end
        end
    end
    if restore then
        function callbacks.restore(entity)
            restore(world, entity)
        end
    end
    register(self, options.name, callbacks, unpack(items))
    -- Of tables the copies, which are nobody else's.
    options.components = items
    for i, instance in ipairs(tables) do
        options.components[places[i]] = instance
    end
    self:remember(function(other)
        other:newClass(options)
    end)
end

-- spawnClass(name) -> the id of a new entity of that class.
function World:spawnClass(name)
    check.value("spawnClass", "name", name, "string")
    World.settle(self, "spawnClass")
    return core.class_spawn(self.core, name)
end

-- classOf(entity) -> the name of its class, or nil.
function World:classOf(entity)
    World.enter(self, "classOf")
    return core.class_of(self.core, World.checkEntity("classOf", entity))
end

return World
