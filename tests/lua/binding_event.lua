-- Events: observers, what they see and how they fail, emitted payloads, queues.
local firn = require("firn")
local core = require("firn.api").core

local test = {}

local Position = firn.newFFIComponent({
    name = "EventPosition", fields = {{"x", "double"}, {"y", "double"}},
})
local Marker = firn.newTag({name = "EventMarker"})
local Likes = firn.newRelationship({name = "EventLikes"})
local Hit = firn.newEvent("EventHit")

local function fails(pattern, fn, ...)
    local ok, problem = pcall(fn, ...)
    assert(not ok, "it did not fail")
    assert(tostring(problem):find(pattern), tostring(problem))
    return problem
end

local function heap()
    jit.flush() -- compiled code holds functions that it calls
    collectgarbage()
    collectgarbage()
    return collectgarbage("count") * 1024
end

local function rounds(n, round)
    for i = 1, 100 do round(i) end
    local before = heap()
    for i = 1, n do round(i) end
    local grown = heap() - before
    assert(grown < 16384, ("%d bytes more"):format(grown))
end

-- ---------------------------------------------------------------- what an observer sees

function test.an_observer_of_address_0_sees_every_entity_at_once()
    local world = firn.newWorld()
    local seen = {}
    world:observe(0, firn.OnSpawn, function(event, of)
        assert(of == world and event.name == "OnSpawn" and event.address == 0)
        seen[#seen + 1] = event.entity
    end)
    local one = world:spawn(Marker)
    assert(#seen == 1 and seen[1] == one)
    local two = world:spawn()
    assert(#seen == 2 and seen[2] == two)
end

function test.an_observer_at_an_entity_sees_that_entity_only()
    local world = firn.newWorld()
    local one, two = world:spawn(), world:spawn()
    local told = 0
    world:observe(one, firn.OnDespawn, function(event)
        told = told + 1
        assert(event.address == one and event.entity == one and event.count == 1)
        assert(event.entities[1] == one and #event.entities == 1)
    end)
    world:despawn(two)
    assert(told == 0)
    world:despawn(one)
    assert(told == 1)
end

function test.a_row_is_still_there_for_observers_of_its_end()
    local world = firn.newWorld()
    local entity = world:spawn(Position(3, 4))
    local x
    world:observe(0, firn.OnDespawn, function(event)
        assert(world:isAlive(event.entity))
        x = world:get(event.entity, Position).x
    end)
    world:despawn(entity)
    assert(x == 3 and not world:isAlive(entity))
end

function test.observers_of_a_component_see_that_component_only()
    local world = firn.newWorld()
    local told = {}
    for _, name in ipairs({firn.OnAdd, firn.OnSet, firn.OnRemove}) do
        world:observe(0, name, function(event)
            assert(event.component == Position and event.target == nil)
            local x = world:get(event.entity, Position).x
            told[#told + 1] = ("%s %g"):format(event.name, x)
        end, Position)
    end
    local entity = world:spawn(Marker) -- no OnAdd for what it is spawned with
    world:set(entity, Position(1, 0))
    world:set(entity, Position(2, 0))
    world:remove(entity, Marker)
    world:remove(entity, Position)
    assert(table.concat(told, ", ") == "OnAdd 1, OnSet 2, OnRemove 2", table.concat(told, ", "))
end

function test.an_edge_is_told_with_its_target()
    local world = firn.newWorld()
    local told = {}
    for _, name in ipairs({firn.OnAdd, firn.OnRemove}) do
        world:observe(0, name, function(event)
            assert(event.component == Likes and event.entity)
            told[#told + 1] = event.name .. event.target
        end, Likes)
    end
    local source, target = world:spawn(), world:spawn()
    world:relate(source, Likes, target)
    world:unrelate(source, Likes, target)
    assert(table.concat(told, " ") == ("OnAdd%d OnRemove%d"):format(target, target))
end

function test.entities_that_are_spawned_together_are_one_event()
    local world = firn.newWorld()
    local queue = world:newQueue({firn.OnSpawn})
    local kept, asked
    world:observe(0, firn.OnSpawn, function(event)
        assert(event.count == 100000 and event.entity == nil)
        kept = event
    end)
    world:observe(0, firn.OnSpawn, function(event)
        asked = event
        assert(#event.entities == 100000 and event.entities == event.entities)
    end)
    local ids = world:spawnMany(100000, Position(1, 2))
    for i = 1, #ids do
        assert(asked.entities[i] == ids[i])
    end
    fails("entities: the event is over", function() return kept.entities end)
    local pulled = queue:next()
    assert(pulled.count == 100000 and #pulled.entities == 100000 and pulled.entity == nil)
    assert(pulled.entities[100000] == ids[100000])
end

function test.an_emitted_payload_is_the_very_value()
    local world = firn.newWorld()
    local entity = world:spawn()
    local payload = {damage = 7, by = {1, 2}}
    local seen = {}
    world:observe(0, Hit, function(event) seen[1] = event end)
    world:observe(entity, Hit, function(event) seen[2] = event end)
    world:emit(Hit, entity, payload)
    assert(rawequal(seen[1].payload, payload) and rawequal(seen[2].payload, payload))
    assert(seen[1].bytes == nil and seen[1].address == entity and seen[1].entity == entity)
    world:emit(Hit, 0)
    assert(seen[1].payload == nil and seen[1].count == 0 and #seen[1].entities == 0)
    world:emit(Hit, 0, false)
    assert(seen[1].payload == false)
end

function test.a_payload_emitted_inside_an_observer_hides_no_other()
    local world = firn.newWorld()
    local seen = {}
    world:observe(0, Hit, function(event)
        if event.payload.depth < 3 then
            world:emit(Hit, 0, {depth = event.payload.depth + 1})
        end
    end)
    world:observe(0, Hit, function(event) seen[#seen + 1] = event.payload.depth end)
    world:emit(Hit, 0, {depth = 1})
    assert(table.concat(seen, " ") == "3 2 1")
end

function test.a_payload_that_cannot_be_encoded_is_refused_with_its_path()
    local world = firn.newWorld()
    local told = 0
    world:observe(0, Hit, function() told = told + 1 end)
    local problem = fails("payload.plan%[2%] is a function", world.emit, world, Hit, 0,
        {plan = {1, print}})
    assert(problem.result == "FIRN_INVALID" and told == 0)
    fails("payload: the value is a function", world.emit, world, Hit, 0, print)
end

-- ---------------------------------------------------------------- failures

function test.a_failing_observer_fails_emit_with_its_error_as_the_cause()
    local world = firn.newWorld()
    local others = 0
    local raised = {}
    world:observe(0, Hit, function() error(raised) end)
    world:observe(0, Hit, function() others = others + 1 end)
    local problem = fails("an observer of EventHit", world.emit, world, Hit, 0)
    assert(rawequal(problem.cause, raised) and problem.result == "FIRN_REFUSED")
    assert(problem.traceback:find("binding_event.lua") and others == 1)
end

function test.an_error_in_an_observer_of_a_change_is_raised_when_the_change_has_been_made()
    local world = firn.newWorld()
    local others, broken = 0, true
    world:observe(0, firn.OnSpawn, function() if broken then error("not today") end end)
    world:observe(0, firn.OnSpawn, function() others = others + 1 end)
    local problem = fails("an observer of OnSpawn: .*not today", world.spawn, world)
    assert(problem.result == "FIRN_REFUSED" and problem.cause:find("not today$"))
    assert(others == 1)
    broken = false
    world:spawn()
    assert(others == 2)
end

function test.an_error_caught_inside_an_observer_leaves_no_trace()
    local world = firn.newWorld()
    local inner
    world:observe(0, Hit, function() error("inner") end)
    world:observe(0, firn.OnSpawn, function() error("outer") end)
    world:observe(0, firn.OnSpawn, function()
        inner = select(2, pcall(world.emit, world, Hit, 0))
    end)
    local problem = fails("OnSpawn: .*outer", world.spawn, world)
    assert(problem.cause:find("outer$") and inner.cause:find("inner$"))
    world:unobserve(world:observe(0, Hit, function() end))
end

function test.publications_inside_each_other_have_a_bound()
    local world = firn.newWorld()
    local depth = 0
    world:observe(0, Hit, function()
        depth = depth + 1
        world:emit(Hit, 0, {depth})
    end)
    local problem = fails("EventHit", world.emit, world, Hit, 0)
    assert(depth == 64)
    while problem.cause do
        problem, depth = problem.cause, depth - 1
    end
    assert(problem.result == "FIRN_LIMIT" and depth == 0)
end

function test.a_world_is_not_destroyed_while_an_observer_of_it_runs()
    local world = firn.newWorld()
    world:observe(0, Hit, function() world:destroy() end)
    fails("destroy: the world is in use by emit", world.emit, world, Hit, 0)
    assert(not world:isAlive(1))
    world:destroy()
end

function test.N4_a_step_inside_a_publication_is_refused_and_names_the_event()
    local world = firn.newWorld()
    local problem
    world:observe(0, Hit, function() problem = fails("EventHit", world.step, world, 0) end)
    world:emit(Hit, 0)
    assert(problem.result == "FIRN_BUSY" and problem.subject == Hit)
end

function test.T10_changes_of_an_observer_wait_for_the_end_of_the_publication()
    local world = firn.newWorld()
    local entity = world:spawn()
    local spawned
    world:observe(0, Hit, function(event)
        world:despawn(event.entity)
        spawned = world:spawn(Marker)
        assert(world:isAlive(entity) and world:isAlive(spawned))
        assert(not world:has(spawned, Marker))
    end)
    world:emit(Hit, entity)
    assert(not world:isAlive(entity) and world:has(spawned, Marker))
end

function test.an_error_about_a_change_that_waited_is_raised_by_the_end_of_the_loop()
    local world = firn.newWorld()
    local entity = world:spawn(Marker)
    world:observe(0, firn.OnDespawn, function() error("stay") end)
    local problem = fails("an observer of OnDespawn: .*stay", function()
        for _ in world:newQuery({include = {Marker}}):each() do
            world:despawn(entity)
        end
    end)
    assert(problem.result == "FIRN_REFUSED" and not world:isAlive(entity))
end

function test.an_error_about_a_change_in_a_system_is_raised_there()
    local world = firn.newWorld()
    local raised = {}
    world:observe(0, firn.OnSpawn, function() error(raised) end)
    local inner
    world:addSystem({run = function()
        inner = fails("an observer of OnSpawn", world.spawn, world)
    end})
    world:step(0)
    assert(rawequal(inner.cause, raised) and world:count() == 1)
end

-- ---------------------------------------------------------------- saves and loads

function test.T10_a_load_keeps_observers_of_address_0_and_queues_and_removes_those_at_entities()
    local world = firn.newWorld()
    local weak = setmetatable({}, {__mode = "v"})
    local queue = world:newQueue({Hit})
    local entity = world:spawn(Marker)
    local everywhere, ended = 0, 0
    world:observe(0, Hit, function() everywhere = everywhere + 1 end)
    world:observe(0, firn.OnDespawn, function() ended = ended + 1 end)
    local there
    coroutine.wrap(function() -- which leaves no function in a slot of this stack
        weak.fn = function() return world end
        there = world:observe(entity, Hit, weak.fn)
    end)()
    world.resources.audio = weak
    local save = world:saveSnapshot().buffer
    world:emit(Hit, entity, "before")
    world:loadSnapshot(save)
    assert(ended == 0 and world:isAlive(entity) and world.resources.audio == weak)
    assert(fails("removed before", world.unobserve, world, there).result == "FIRN_NOT_FOUND")
    world:emit(Hit, entity, "after")
    assert(everywhere == 2 and queue:next().payload == "before")
    assert(queue:next().payload == "after" and queue:next() == nil)
    heap()
    assert(not weak.fn)
end

function test.observers_that_end_with_loads_leave_the_heap_where_it_was()
    local world = firn.newWorld()
    local entity = world:spawn(Marker)
    local save = world:saveSnapshot().buffer
    rounds(1000, function()
        world:observe(entity, Hit, function() return {} end)
        world:loadSnapshot(save)
    end)
end

function test.N4_a_save_and_a_load_inside_a_publication_are_refused_and_name_the_event()
    local world = firn.newWorld()
    local entity = world:spawn(Marker)
    local save = world:saveSnapshot().buffer
    local refused = {}
    world:observe(0, Hit, function()
        for i, call in ipairs({world.saveSnapshot, world.loadSnapshot, world.flush}) do
            refused[i] = fails("EventHit", call, world, i == 2 and save or nil)
        end
    end)
    world:emit(Hit, 0)
    for _, problem in ipairs(refused) do
        assert(problem.result == "FIRN_BUSY" and problem.subject == Hit)
    end
    assert(#refused == 3 and world:isAlive(entity))
end

function test.a_failing_observer_of_a_save_fails_the_save_with_its_error_as_the_cause()
    local world = firn.newWorld()
    local raised = {}
    local observer = world:observe(0, firn.OnSnapshotSave, function() error(raised) end)
    local problem = fails("an observer of OnSnapshotSave", world.saveSnapshot, world)
    assert(rawequal(problem.cause, raised))
    world:unobserve(observer)
    world:saveSnapshot()
end

function test.N11_what_observers_of_a_save_or_load_change_is_told_before_it_returns()
    local world = firn.newWorld()
    local save = world:saveSnapshot().buffer
    local broken, spawned = false, 0
    for _, name in ipairs({firn.OnSnapshotSave, firn.StartSnapshotLoad, firn.FinishSnapshotLoad}) do
        world:observe(0, name, function() world:spawn(Marker) end)
    end
    world:observe(0, firn.OnSpawn, function()
        spawned = spawned + 1
        if broken then error("full") end
    end)
    world:saveSnapshot()
    assert(spawned == 1)
    world:loadSnapshot(save)
    assert(spawned == 3 and world:count() == 2)
    broken = true
    local problem = fails("saveSnapshot: an observer of OnSpawn", world.saveSnapshot, world)
    assert(problem.cause:find("full$") and world:count() == 3)
    fails("saveSnapshot: .*OnSpawn", world.saveSnapshot, world, {format = "table"})
    problem = fails("loadSnapshot: an observer of OnSpawn", world.loadSnapshot, world, save)
    assert(problem.cause:find("full$") and world:count() == 2)
end

-- ---------------------------------------------------------------- with the JIT compiler

-- The loop is compiled while nobody listens: spawn goes through the FFI. Then it must not.
function test.an_observer_that_comes_after_a_loop_was_compiled_is_called()
    local world = firn.newWorld()
    local seen, spawned = {}, {}
    local observer
    local function listen(event)
        seen[#seen + 1] = event.entity
        assert(world:get(event.entity, Position).x == #seen)
    end
    for i = 1, 100070 do
        local heard = i % 10007 == 0
        if heard then
            observer = world:observe(0, firn.OnSpawn, listen)
        end
        local entity = world:spawn(Position(#seen + 1, i))
        if heard then
            spawned[#spawned + 1] = entity
            world:unobserve(observer)
        end
        world:despawn(entity)
    end
    assert(#seen == 10 and #spawned == 10)
    for i, entity in ipairs(spawned) do
        assert(seen[i] == entity)
    end
end

function test.an_observer_of_every_spawn_of_a_compiled_loop_sees_each_once()
    local world = firn.newWorld()
    local told, marked = 0, 0
    for i = 1, 50000 do
        if i == 20014 then
            world:observe(0, firn.OnSpawn, function(event)
                told = told + 1
                if told % 10007 == 0 then
                    marked = marked + event.entity
                    error("every 10007th")
                end
            end)
        end
        local ok = pcall(world.spawn, world, Marker)
        assert(ok == (i < 20014 or told % 10007 ~= 0))
    end
    assert(told == 50000 - 20013 and marked == (20013 + 10007) + (20013 + 20014))
end

-- ---------------------------------------------------------------- coming and going

function test.an_observer_that_is_removed_is_not_called_again_even_by_itself()
    local world = firn.newWorld()
    local told = 0
    local own
    own = world:observe(0, Hit, function()
        told = told + 1
        world:unobserve(own)
        collectgarbage()
    end)
    world:emit(Hit, 0)
    world:emit(Hit, 0)
    assert(told == 1)
    local problem = fails("removed before", world.unobserve, world, own)
    assert(problem.result == "FIRN_NOT_FOUND")
end

function test.observers_that_come_and_go_leave_the_heap_where_it_was()
    local world = firn.newWorld()
    rounds(10000, function()
        world:unobserve(world:observe(0, Hit, function() end))
    end)
end

function test.observers_that_end_with_their_entity_leave_the_heap_where_it_was()
    local world = firn.newWorld()
    rounds(10000, function()
        local entity = world:spawn()
        local ballast = {1, 2, 3}
        world:observe(entity, Hit, function() return ballast end)
        world:despawn(entity)
    end)
end

function test.a_function_is_let_go_with_the_entity_of_its_observer()
    local world = firn.newWorld()
    local weak = setmetatable({}, {__mode = "v"})
    local entity = world:spawn()
    weak.fn = function() return world end
    world:observe(entity, Hit, weak.fn)
    heap()
    assert(weak.fn)
    world:despawn(entity)
    world:emit(Hit, 0) -- any core function
    heap()
    assert(not weak.fn)
end

function test.a_world_is_collected_although_an_observer_closes_over_it()
    local weak = setmetatable({}, {__mode = "k"})
    do
        local world = firn.newWorld()
        weak[world] = true
        local entity = world:spawn()
        world:observe(0, firn.OnSpawn, function() return world, entity end)
        world:observe(entity, Hit, function() return world end)
        world:newQueue({Hit})
        world:addSystem({run = function() return world end})
        world:createState("closed", {enter = function() return world end})
        world:random("closed")
    end
    heap()
    assert(next(weak) == nil)
end

function test.a_world_that_is_collected_hears_of_no_new_definitions()
    for _, step in ipairs({"collect", 0, 1, 2, 3, 5, 8, 13}) do
        for _ = 1, 20 do
            local world = firn.newWorld()
            world:observe(0, firn.OnSpawn, function() return world end)
        end
        collectgarbage("collect")
        for i = 1, 20 do
            if step ~= "collect" then
                collectgarbage("step", step)
            end
            firn.newEvent(("EventAfter%s%d"):format(step, i))
        end
    end
    firn.newTag({name = "EventTagAfter"})
end

-- ---------------------------------------------------------------- queues

function test.a_queue_keeps_events_until_they_are_pulled()
    local world = firn.newWorld()
    local queue = world:newQueue({Hit, firn.OnSpawn, firn.OnDespawn})
    local entity = world:spawn()
    world:emit(Hit, entity, {damage = 7, list = {1, 2, 3}})
    world:emit(Hit, 0)
    world:despawn(entity)
    local event = queue:next()
    assert(event.name == "OnSpawn" and event.entity == entity and event.entities[1] == entity)
    event = queue:next()
    assert(event.name == Hit and event.address == entity and event.payload.damage == 7)
    assert(#event.payload.list == 3 and firn.decode(event.bytes).damage == 7)
    event = queue:next()
    assert(event.address == 0 and event.payload == nil and event.bytes == nil and event.count == 0)
    assert(queue:next().name == "OnDespawn" and queue:next() == nil)
    queue:close()
    fails("next: the queue has been closed", queue.next, queue)
    fails("close: the queue has been closed", queue.close, queue)
end

-- ---------------------------------------------------------------- bad input

function test.what_is_no_event_is_refused_by_name()
    local world = firn.newWorld()
    local nothing = function() end
    local problem = fails("no kind of event is called Nope", world.emit, world, "Nope", 0)
    assert(problem.result == "FIRN_NOT_FOUND" and problem.subject == "Nope")
    problem = fails("no kind of event is called Nope", world.observe, world, 0, "Nope", nothing)
    assert(problem.result == "FIRN_NOT_FOUND")
    problem = fails("no kind of event is called Nope", world.newQueue, world, {Hit, "Nope"})
    assert(problem.result == "FIRN_NOT_FOUND")
    problem = fails("OnSpawn is built in", world.emit, world, "OnSpawn", 0)
    assert(problem.result == "FIRN_INVALID")
end

function test.wrong_arguments_are_refused_by_name()
    local world = firn.newWorld()
    local nothing = function() end
    fails("binding_event.lua:%d+: observe: event: a string is wanted, not nil", function()
        world:observe(0, nil, nothing)
    end)
    fails("observe: function: a function is wanted, not a table", world.observe, world, 0, Hit, {})
    fails("observe: address is 1.5", world.observe, world, 1.5, Hit, nothing)
    fails("observe: address", world.observe, world, 2 ^ 60, Hit, nothing)
    fails("observe: address", world.observe, world, 0 / 0, Hit, nothing)
    fails("observe: address: a number is wanted, not nil", world.observe, world, nil, Hit, nothing)
    fails("observe: component must be", world.observe, world, 0, "OnAdd", nothing, 7)
    fails("emit: address: a number is wanted", world.emit, world, Hit, "1")
    fails("emit: event: a string is wanted", world.emit, world, 3, 0)
    fails("newQueue: events: a table is wanted", world.newQueue, world, "x")
    fails("newQueue: .*key 'a'", world.newQueue, world, {Hit, a = Hit})
    local many = {}
    for i = 1, 65 do
        many[i] = "Many" .. i
        world:newEvent(many[i])
    end
    fails("newQueue: 65 kinds of event are above 64", world.newQueue, world, many)
    fails("newQueue: events: there is none", world.newQueue, world, {})
    fails("unobserve: observer: a number is wanted", world.unobserve, world, {})
    fails("newEvent: name", world.newEvent, world, nil)
    fails("newEvent", world.newEvent, world, "")
    fails("newEvent", firn.newEvent, "")
    fails("zero byte", firn.newEvent, "a\0b")
    local worlds = {}
    for i = 1, 5 do worlds[i] = firn.newWorld({limits = i == 3 and {nameBytes = 20} or nil}) end
    local long = "EventOfALongNameIndeed"
    fails("newEvent", firn.newEvent, long)
    for _, one in ipairs(worlds) do
        fails("no kind of event", one.newQueue, one, {long})
        one:destroy()
    end
    assert(firn.newEvent(long) == long)
    local problem = fails("", world.observe, world, 4194304 * 5 + 1, Hit, nothing)
    assert(problem.result == "FIRN_NOT_FOUND" and problem.entity == 4194304 * 5 + 1)
    problem = fails("", world.observe, world, 0, Hit, nothing, Marker)
    assert(problem.result == "FIRN_INVALID")
    world:destroy()
    fails("observe: the world has been destroyed", world.observe, world, 0, Hit, nothing)
    fails("emit: the world has been destroyed", world.emit, world, Hit, 0)
end

function test.kinds_of_the_module_are_in_every_world_and_others_in_one()
    local before = firn.newWorld()
    local late = firn.newEvent("EventLate")
    assert(late == "EventLate" and firn.newEvent("EventLate") == late)
    before:emit(late, 0)
    firn.newWorld():emit(late, 0)
    before:newEvent("EventOwn")
    before:emit("EventOwn", 0)
    fails("no kind", function() firn.newWorld():emit("EventOwn", 0) end)
end

function test.what_is_raised_may_raise_when_it_is_made_text()
    local raised = setmetatable({}, {__tostring = function() error("no text") end})
    for event, call in pairs({OnSpawn = "spawn", OnSnapshotSave = "saveSnapshot"}) do
        local world = firn.newWorld()
        world:observe(0, event, function() error(raised) end)
        local ok, problem = pcall(world[call], world)
        assert(not ok and rawequal(problem.cause, raised))
        assert(tostring(problem):find("a table was raised", 1, true))
    end
end

return test
