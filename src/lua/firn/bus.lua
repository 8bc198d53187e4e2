-- firn/bus.lua: buses of events that several worlds share.
local api = require("firn.api")
local check = require("firn.check")
local events = require("firn.events")
local World = require("firn.world")
local core, misuse = api.core, check.fail

local bus = {}

local Bus = {}
Bus.__index = Bus

-- newBus() -> bus: for newWorld{bus=}. It lives as long as its object and the worlds on it.
function bus.new()
    return setmetatable({core = core.bus_create(), kept = {}}, Bus)
end

-- The userdata of a value that has to be a bus.
function World.busOf(doing, value)
    if getmetatable(value) ~= Bus then
        misuse(doing, "option 'bus': a bus is wanted, not %s", check.what(value))
    end
    return value.core
end

-- observe(event, fn) -> observer. fn(event, world) hears the events of that name of all worlds that are
-- attached, whatever their address.
function Bus:observe(name, fn)
    check.value("observe", "event", name, "string")
    check.value("observe", "function", fn, "function")
    local observer, kept = core.bus_observe(self.core, name, function(world, ...)
        events.deliver(world, name, fn, ...)
    end)
    self.kept[observer] = kept
    return observer
end

-- unobserve(observer): it does not run any more.
function Bus:unobserve(observer)
    check.value("unobserve", "observer", observer, "number")
    core.bus_unobserve(self.core, observer, self.kept[observer])
    self.kept[observer] = nil
end

-- attach(): the world tells its events to its bus; detach(): to its own observers only.
function World:attach()
    World.fastOf(self, "attach")
    core.world_attach(self.core, true)
end

function World:detach()
    World.fastOf(self, "detach")
    core.world_attach(self.core, false)
end

function World:attached()
    World.fastOf(self, "attached")
    return core.world_attached(self.core)
end

-- bind(replacement): gives its place on the bus to another world, in one call.
function World:bind(replacement)
    World.fastOf(self, "bind")
    core.world_bind(self.core, replacement)
end

return bus
