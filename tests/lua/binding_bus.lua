-- Buses: events of several worlds, and worlds that take the place of others.
local firn = require("firn")
local tools = require("saves_tools")
local fails, refused = tools.fails, tools.refused

local test = {}

local Bell = firn.newEvent("bus.Bell")

local function listening()
    local bus, heard = firn.newBus(), {}
    local observer = bus:observe(Bell, function(event, world)
        heard[#heard + 1] = world:name() .. tostring(event.payload)
    end)
    return bus, heard, observer
end

function test.S9_a_bus_hears_the_worlds_that_are_attached()
    local bus, heard, observer = listening()
    local a, b = firn.newWorld({name = "a", bus = bus}), firn.newWorld({name = "b", bus = bus})
    local other = firn.newWorld({name = "c"})
    assert(a:attached() and b:attached() and not other:attached())
    local own = {}
    a:observe(0, Bell, function()
        own[#own + 1] = #heard
    end)
    a:emit(Bell, 0, 1)
    b:emit(Bell, b:spawn(), 2)
    other:emit(Bell, 0, 3)
    assert(table.concat(heard, ",") == "a1,b2" and own[1] == 0)
    b:detach()
    b:emit(Bell, 0, 4)
    assert(#heard == 2 and not b:attached())
    a:bind(b)
    a:emit(Bell, 0, 5)
    b:emit(Bell, 0, 6)
    assert(table.concat(heard, ",") == "a1,b2,b6" and #own == 2)
    a:attach()
    bus:unobserve(observer)
    a:emit(Bell, 0, 7)
    assert(#heard == 3)
    fails("FIRN_NOT_FOUND", "", bus.unobserve, bus, observer)
end

function test.S9_a_world_without_a_bus_is_not_attached_and_named()
    local world = firn.newWorld({name = "alone"})
    local bus = firn.newBus()
    local on = firn.newWorld({bus = bus})
    assert(fails("FIRN_INVALID", "alone", world.attach, world).subject == "alone")
    fails("FIRN_INVALID", "alone", on.bind, on, world)
    assert(on:attached())
    world:detach()
    refused("bind: a world is wanted", on.bind, on)
    refused("bind: a world is wanted", on.bind, on, {})
    refused("newWorld: option 'bus': a bus is wanted, not a table", firn.newWorld, {bus = {}})
    refused("newWorld: option 'bus': a table is wanted, not a boolean", firn.newWorld, {bus = false})
    refused("observe: event: a string is wanted, not nil", bus.observe, bus)
    refused("observe: function: a function is wanted, not nil", bus.observe, bus, Bell)
    refused("unobserve: observer: a number is wanted, not nil", bus.unobserve, bus)
    fails("FIRN_INVALID", "", bus.observe, bus, "", print)
    on:destroy()
    refused("the world has been destroyed", on.attach, on)
    refused("the world has been destroyed", on.attached, on)
end

function test.S9_events_of_firn_are_heard_with_all_that_belongs_to_them()
    local bus, spawned, prelude, added = firn.newBus(), nil, nil, nil
    local world = firn.newWorld({name = "w", bus = bus})
    local Fly = world:newTag({name = "Fly"})
    bus:observe(firn.OnSpawn, function(event, told)
        assert(told == world)
        spawned = spawned or event.entities
    end)
    bus:observe(firn.OnAdd, function(event)
        added = event.component
    end)
    bus:observe(firn.OnSnapshotSave, function(event)
        event:addData("weather", "rain")
    end)
    bus:observe(firn.FinishSnapshotLoad, function(event)
        prelude = event.prelude
    end)
    local ids = world:spawnMany(3, Fly)
    world:add(world:spawn(), Fly)
    assert(#spawned == 3 and spawned[3] == ids[3] and added == Fly)
    local data
    world:loadSnapshot(world:saveSnapshot(), {onData = function(_, value, key)
        data = key .. value
    end})
    assert(prelude.entityCount == 4 and data == "weatherrain")
end

function test.S9_what_an_observer_of_a_bus_raises_is_the_cause()
    local bus, raised = firn.newBus(), {}
    local world = firn.newWorld({bus = bus})
    local observer
    observer = bus:observe(Bell, function()
        bus:unobserve(observer)
        error(raised)
    end)
    local problem = fails("FIRN_REFUSED", "an observer of bus.Bell", world.emit, world, Bell, 0)
    assert(problem.cause == raised and problem.traceback)
    world:emit(Bell, 0)
    bus:observe(firn.OnSpawn, function()
        error(raised)
    end)
    assert(fails("FIRN_REFUSED", "an observer of OnSpawn", world.spawn, world).cause == raised)
end

function test.S9_a_load_that_brings_a_world_puts_it_in_the_place_of_the_old_one()
    local bus, heard = listening()
    local world = firn.newWorld({name = "cave", bus = bus})
    local saves = firn.saves.open(world, {
        game = "fox", storage = firn.saves.memory(),
        levels = {enter = function(level)
            local entered = firn.newWorld({name = "new", bus = bus})
            entered:detach()
            entered:emit(Bell, 0, "unheard")
            return entered
        end},
    })
    local slots = {}
    bus:observe("saved", function(event, told)
        slots[#slots + 1] = event.payload.slot .. told:name()
    end)
    saves:requestSave("one")
    saves:endTick(0)
    local loaded = saves:read("one")
    loaded.world:emit(Bell, 0, "!")
    world:emit(Bell, 0, "unheard")
    assert(table.concat(heard, ",") == "cave!" and not world:attached() and loaded.world:attached())
    saves:requestSave("two")
    saves:endTick(0)
    assert(table.concat(slots, ",") == "onecave,twocave")
end

function test.S9_buses_and_worlds_are_collected_in_any_order()
    tools.collected(function(gone, i)
        local bus = firn.newBus()
        local world = firn.newWorld({bus = bus})
        local second = firn.newWorld({bus = bus})
        bus:observe(Bell, function()
            return bus, world
        end)
        world:observe(0, Bell, function()
            return second
        end)
        world:emit(Bell, 0)
        if i % 2 == 0 then
            world:destroy()
        end
        gone[bus], gone[world], gone[second] = true, true, true
    end)
    local world = firn.newWorld({bus = firn.newBus()}) -- keeps it
    collectgarbage()
    collectgarbage()
    world:detach()
    world:attach()
end

-- ---------------------------------------------------------------- buildFrom

-- A world with one of everything, and what happened: own.heard.
local function village(bus)
    local own = {heard = {}}
    local world = firn.newWorld({name = "village", bus = bus, timestep = 0.25, limits = {entities = 50}})
    own.world = world
    local function hear(what)
        return function(given, ...)
            own.heard[#own.heard + 1] = what .. (given == own.world and "" or " there")
        end
    end
    own.At = world:newFFIComponent({name = "At", fields = {{"x", "float"}}})
    own.Bag = world:newComponent({name = "Bag", fields = {"things"}, requires = {own.At}})
    own.Likes = world:newRelationship({name = "Likes"})
    world:newEvent("bus.Own")
    world:newEvent("bus.Own")
    world:createState("menu", {enter = hear("enter"), exit = hear("exit")})
    world:addPhase("Late", "Update")
    own.late = world:addSystem({name = "late", phase = "Late", run = hear("late")})
    own.off = world:addSystem({name = "off", run = hear("off")})
    own.off:enable(false)
    world:addSystem({name = "removed", run = hear("removed")}):remove()
    world:addSystem({name = "paused", state = "menu", run = hear("menu")})
    world:addSystem({name = "start", phase = "Startup", run = hear("start")})
    world:newClass({name = "fox", components = {own.At(1), own.Bag({"cheese"})}, restore = hear("restore")})
    world:addSnapshotHandler({name = "weather", save = function(given)
        return given:name()
    end, load = function(given, value)
        hear("weather " .. value)(given)
    end})
    world:addSnapshotHandler({name = "gone", load = hear("gone")})
    world:removeSnapshotHandler("gone")
    world:observe(0, firn.FinishSnapshotLoad, hear("observer"))
    own.fox = world:spawnClass("fox")
    world:relate(own.fox, own.Likes, world:spawn(firn.Name("rabbit")))
    return own
end

local function take(own)
    local heard = table.concat(own.heard, ",")
    own.heard = {}
    return heard
end

function test.S9_a_replacement_has_what_was_registered_and_the_original_stays()
    local bus, belled = listening()
    local own = village(bus)
    local world, hash = own.world, own.world:hash()
    world:step(0)
    assert(take(own) == "start,late")
    local source = world:saveSnapshot()
    world:getMut(own.fox, own.Bag).things[1] = "apple"
    world:pushState("menu")
    take(own)
    local other, prelude, report = world:buildFrom(source)
    assert(take(own) == "weather village there,restore there")
    assert(other ~= world and other:hash() == hash and world:hash() ~= hash)
    assert(prelude.entityCount == 2 and report.committed and #other:states() == 0)
    assert(other:get(own.fox, own.Bag).things[1] == "cheese" and other:get(own.fox, own.At).x == 1)
    assert(world:get(own.fox, own.Bag).things[1] == "apple")
    other:getMut(own.fox, own.Bag).things[1] = "nut"
    assert(world:get(own.fox, own.Bag).things[1] == "apple")
    assert(other:related(own.fox, own.Likes, other:target(own.fox, own.Likes)))
    assert(other:timestep() == 0.25 and other:phases()[1] == world:phases()[1])
    other:step(0)
    assert(take(own) == "late there")
    other:pushState("menu")
    other:step(0)
    assert(take(own) == "enter there,menu there,late there")
    local second = other:spawnClass("fox")
    assert(other:get(second, own.Bag).things[1] == "cheese")
    fails("FIRN_LIMIT", "50", other.spawnMany, other, 60)
    -- Its events are its own until it is attached.
    other:emit("bus.Own", 0)
    other:emit(Bell, 0, "unheard")
    world:emit(Bell, 0, 1)
    world:bind(other)
    other:emit(Bell, 0, 2)
    world:emit(Bell, 0, "unheard")
    assert(table.concat(belled, ",") == "village1,village2")
    world:destroy()
    assert(other:get(own.fox, own.At).x == 1)
    other:newTag({name = "Old", requires = {own.Bag}})
    local third = other:buildFrom(other:saveSnapshot())
    assert(third:hash() == other:hash() and third:get(second, own.Bag).things[1] == "cheese")
end

function test.S9_a_replacement_that_fails_leaves_nothing()
    local own = village(firn.newBus())
    local world, hash = own.world, own.world:hash()
    take(own)
    fails("FIRN_NOT_OURS", "loadSnapshot", world.buildFrom, world, "junk, and no snapshot at all")
    refused("is wanted, not nil", world.buildFrom, world)
    refused("unknown option 'x'", world.buildFrom, world, world:saveSnapshot(), {x = 1})
    refused("option 'prepare': a function is wanted, not a number", world.buildFrom, world,
        world:saveSnapshot(), {prepare = 1})
    refused("buildFrom: options: a table is wanted, not a number", world.buildFrom, world,
        world:saveSnapshot(), 5)
    refused("not ready", world.buildFrom, world, world:saveSnapshot(), {prepare = function(built)
        assert(built ~= world and built:count() == 0)
        error("not ready")
    end})
    local stranger = firn.newWorld()
    stranger:spawn(stranger:newTag({name = "Stranger"}))
    fails("FIRN_UNKNOWN", "Stranger", world.buildFrom, world, stranger:saveSnapshot())
    local other = world:buildFrom(stranger:saveSnapshot(), {skipUnknown = true})
    assert(other:count() == 1 and not other:attached())
    local alone = firn.newWorld({name = "alone"})
    other = alone:buildFrom(alone:saveSnapshot())
    fails("FIRN_INVALID", "alone", other.attach, other)
    assert(world:hash() == hash and world:attached())
    world:destroy()
    refused("the world has been destroyed", world.buildFrom, world, "x")
end

function test.S9_a_replacement_has_the_kinds_of_event_whatever_they_are_called()
    local world = firn.newWorld()
    for _, name in ipairs({"count", "1", "made"}) do
        world:newEvent(name)
    end
    local other = world:buildFrom(world:saveSnapshot())
    for _, name in ipairs({"count", "1", "made"}) do
        other:emit(name, 0)
    end
end

function test.S9_a_replacement_and_its_original_are_collected()
    tools.collected(function(gone)
        local own = village(firn.newBus())
        local other = own.world:buildFrom(own.world:saveSnapshot())
        gone[own.world], gone[other] = true, true
    end)
end

return test
