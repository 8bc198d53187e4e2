-- firn/events.lua: kinds of event, observers, queues.
local api = require("firn.api")
local check = require("firn.check")
local component = require("firn.component")
local World = require("firn.world")
local core, misuse = api.core, check.fail
local fastOf = World.fastOf

local events = {}

-- The kinds that firn publishes itself.
events.builtin = {
    "OnSpawn", "OnDespawn", "OnAdd", "OnRemove", "OnSet", "OnSnapshotSave", "StartSnapshotLoad",
    "FinishSnapshotLoad",
}

-- What other files do to the events of a kind before an observer sees them: [name] =
-- function(world, event).
events.completions = {}

-- ---------------------------------------------------------------- kinds

-- What the module defined, in this order, and the worlds that live, as in component.lua.
local definitions = {}
local worlds = setmetatable({}, {__mode = "kv"})

local function register(world, name)
    world.kinds[name] = core.event_register(world.core, name)
end

-- Registers what has been defined so far in a new world.
World.preparations[#World.preparations + 1] = function(world)
    world.kinds, world.ownKinds = {}, {}
    worlds[world] = world.core
    for _, name in ipairs(definitions) do
        register(world, name)
    end
end

-- newEvent(name) -> name: a kind of event of the game's own, in every world; in all or in none.
function events.newEvent(name)
    check.value("newEvent", "name", name, "string")
    core.event_check(nil, name)
    for _, defined in ipairs(definitions) do
        if defined == name then
            return name
        end
    end
    local all = {}
    for world in pairs(worlds) do
        if world.fast then
            core.event_check(world.core, name)
            all[#all + 1] = world
        end
    end
    for _, world in ipairs(all) do
        if world.fast then
            register(world, name)
        end
    end
    definitions[#definitions + 1] = name
    return name
end

-- The same, in this world only.
function World:newEvent(name)
    fastOf(self, "newEvent")
    register(self, name)
    if not self.ownKinds[name] then
        self.ownKinds[name] = self:remember(function(other)
            other:newEvent(name)
        end)
    end
    return name
end

local function kindOf(world, doing, event)
    local kind = world.kinds[event]
    if not kind then
        kind = core.event_find(world.core, event, doing)
        world.kinds[event] = kind
    end
    return kind
end

-- ---------------------------------------------------------------- events

-- Of events of several entities: {world, what event_entities takes}.
local several = setmetatable({}, {__mode = "k"})

-- `entities` is made when it is asked for.
local Event = {}
function Event.__index(event, key)
    if key ~= "entities" then
        return nil
    end
    local entities
    local count = rawget(event, "count")
    if count > 1 then
        local from = several[event]
        entities = from and from.world.fast and core.event_entities(from.world.core, from.serial)
        if not entities then
            misuse("entities", "the event is over; they are there while its observers run")
        end
    else
        entities = {event.entity}
    end
    event.entities = entities
    return entities
end

local function eventOf(world, name, address, count, entity, handle, target, payload, bytes)
    return setmetatable({
        name = name,
        address = address,
        count = count,
        entity = entity,
        component = world.byHandle[handle],
        target = target,
        payload = payload,
        bytes = bytes,
    }, Event)
end

-- ---------------------------------------------------------------- observers

-- Hands an event of the world to an observer.
function events.deliver(world, name, fn, from, count, entity, handle, target, payload, bytes, serial)
    local event = eventOf(world, name, from, count, entity, handle, target, payload, bytes)
    if count > 1 then
        several[event] = {world = world, serial = serial}
    end
    local complete = events.completions[name]
    if complete then
        complete(world, event)
    end
    fn(event, world)
end

-- observe(address, event, fn[, component]) -> observer. fn(event, world) runs at once; address 0
-- hears every entity.
function World:observe(address, name, fn, defined)
    fastOf(self, "observe")
    check.value("observe", "event", name, "string")
    check.value("observe", "function", fn, "function")
    local wanted = defined == nil and 0 or component.handle("observe", self, defined)
    local world = self
    local function tell(...)
        events.deliver(world, name, fn, ...)
    end
    return core.observe(self.core, name, address, wanted, tell)
end

-- unobserve(observer): it does not run any more.
function World:unobserve(observer)
    fastOf(self, "unobserve")
    check.value("unobserve", "observer", observer, "number")
    core.unobserve(self.core, observer)
end

-- emit(event, address[, payload]): tells observers at once and queues for later.
function World:emit(event, address, payload)
    World.settle(self, "emit")
    core.emit(self.core, self.kinds[event] or kindOf(self, "emit", event), address, payload)
end

-- ---------------------------------------------------------------- queues

local Queue = {}
Queue.__index = Queue

-- newQueue{event, ...}: keeps events of these kinds until they are pulled.
function World:newQueue(names)
    fastOf(self, "newQueue")
    check.value("newQueue", "events", names, "table")
    local kinds = {}
    for i, name in ipairs(names) do
        kinds[i] = kindOf(self, "newQueue", name)
    end
    for key in pairs(names) do
        if not kinds[key] then
            misuse("newQueue", "events: a list of names is wanted, and it has the key %s",
                check.describe(key))
        end
    end
    if #kinds == 0 then
        misuse("newQueue", "events: there is none in the list")
    end
    return setmetatable({world = self, handle = core.queue_open(self.core, kinds)}, Queue)
end

local function openQueue(queue, doing)
    fastOf(queue.world, doing)
    return queue.handle or misuse(doing, "the queue has been closed")
end

-- next() -> event or nil: pulls the event that waits longest.
function Queue:next()
    local handle = openQueue(self, "next")
    local world = self.world
    local name, address, count, entities, of, target, payload, bytes =
        core.queue_next(world.core, handle)
    if not name then
        return nil
    end
    local event = eventOf(world, name, address, count, nil, of, target, payload, bytes)
    event[count > 1 and "entities" or "entity"] = entities
    return event
end

-- close(): what waits in it is gone.
function Queue:close()
    core.queue_close(self.world.core, openQueue(self, "close"))
    self.handle = nil
end

return events
