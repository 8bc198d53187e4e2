-- Script state: clocks, events, timers, waits, state machines and sequences.
local firn = require("firn")

local test = {}

local function fails(pattern, fn, ...)
    local ok, problem = pcall(fn, ...)
    assert(not ok, "it did not fail")
    assert(tostring(problem):find(pattern), tostring(problem))
    return problem
end

-- A world with a timestep of 1 whose steps write down that they ran: `notes` of the step before.
local function newGame(options)
    options = options or {}
    options.timestep = 1
    local world = firn.newWorld(options)
    local game = {world = world, notes = {}}
    local function note(_, call)
        local text = call.step
        text = call.key and text .. "/" .. call.key or text
        text = call.event and text .. ":" .. call.event or text
        text = call.payload and text .. "=" .. tostring(call.payload) or text
        text = call.first and text .. "!" or text
        text = call.tracked and text .. "*" or text
        game.notes[#game.notes + 1] = text
        if game.hook then
            return game.hook(call)
        end
    end
    game.steps = {start = note, open = note, close = note, idle = true}
    world:addSequence("door", game.steps)
    game.system = world:addScriptSystem()
    function game.step(expected)
        game.notes = {}
        world:step(1)
        local text = table.concat(game.notes, " ")
        assert(text == expected, ("'%s' is not '%s'"):format(text, expected))
    end
    return game, world
end

-- ---------------------------------------------------------------- events, timers, waits

function test.K4_an_event_reaches_listeners_and_who_waits_for_it()
    local game, world = newGame()
    local someone, other = world:spawn(), world:spawn()
    world:listen("bell", "door", "open")
    world:startWait({sequence = "door", step = "close", entity = someone, event = "bell"})
    world:startWait({sequence = "door", step = "start", entity = other, event = "bell", delay = 3})
    local number = world:send("bell", {payload = 5, delay = 1, entity = someone})
    local item = world:scriptItem(number)
    assert(item.kind == "event" and item.event == "bell" and item.due == 1
        and item.entity == someone and item.number == number and not item.step)
    game.step("")
    game.step("open:bell=5 close:bell=5")
    assert(world:scriptItem(number) == nil)
    game.step("")
    game.step("start")
end

function test.K4_a_payload_is_any_value()
    local game, world = newGame()
    local heard
    game.hook = function(call)
        heard = call
    end
    world:listen("bell", "door", "open")
    world:send("bell", {payload = {name = "x", list = {1, 2, {deep = true}}}})
    world:step(1)
    assert(heard.payload.name == "x" and heard.payload.list[3].deep == true)
    assert(heard.kind == "event" and heard.sequence == "door" and not heard.entity)
    local problem = fails("is a function", world.send, world, "bell", {payload = {f = print}})
    assert(problem.result == "FIRN_INVALID" and problem.subject == ".f")
end

function test.K4_timers_run_once_or_again_and_again()
    local game, world = newGame()
    local counted
    game.hook = function(call)
        counted = call.count
    end
    world:startTimer({sequence = "door", step = "open", delay = 1})
    local often = world:startTimer({sequence = "door", step = "close", period = 2})
    assert(world:scriptItem(often).period == 2)
    game.step("close")
    game.step("open")
    game.step("close")
    assert(counted == 1)
    world:tick(9)
    game.step("close")
    assert(counted == 3)
    world:endScriptItem(often)
    game.step("")
    assert(fails("no item", world.endScriptItem, world, often).result == "FIRN_NOT_FOUND")
    local problem = fails("period", world.startTimer, world,
        {sequence = "door", step = "open", period = -1})
    assert(problem.result == "FIRN_INVALID" and problem.subject == "period")
end

-- ---------------------------------------------------------------- clocks

function test.K4_clocks_are_scaled_and_paused()
    local game, world = newGame()
    world:addClock("day")
    world:addClock("boss")
    assert(table.concat(world:clocks(), " ") == "boss day")
    world:setClock("day", {scale = 0.5})
    world:startTimer({sequence = "door", step = "open", delay = 1, clock = "day"})
    game.step("")
    game.step("")
    world:setClock("day", {paused = true})
    game.step("open")
    local day = world:clock("day")
    assert(day.ticks == 1 and day.seconds == 1 and day.scale == 0.5 and day.paused == true)
    world:setClock("day", {paused = false, ticks = 100})
    game.step("")
    assert(world:clock("day").ticks == 100.5)
    world:removeClock("boss")
    assert(world:clock("boss") == nil)
    world:timestep(1 / 60)
    assert(world:ticksOf(0.5) == 30)
    fails("removeClock: there is no clock", world.removeClock, world, "boss")
    fails("addClock: there is a clock", world.addClock, world, "day")
    fails("option 'scale' is %-1", world.setClock, world, "day", {scale = -1})
    fails("option 'ticks'", world.setClock, world, "day", {ticks = 0 / 0})
    fails("unknown option 'speed'", world.setClock, world, "day", {speed = 1})
    fails("there is no clock", world.setClock, world, "night", {})
end

-- ---------------------------------------------------------------- machines

function test.K4_a_machine_goes_where_its_step_says()
    local game, world = newGame()
    local guard = world:spawn()
    local number = world:setMachine(guard, "door", "open")
    game.step("open!")
    game.step("open")
    game.hook = function(call)
        return call.ticks >= 2 and "close" or nil
    end
    game.step("open")
    local machine = world:machine(guard, "door")
    assert(machine.step == "close" and machine.previous == "open" and machine.ticks == 1
        and machine.number == number and machine.kind == "machine")
    game.step("close!")
    game.hook = function()
        return false
    end
    game.step("close")
    assert(world:machine(guard, "door") == nil)
    fails("setMachine: ", world.setMachine, world, 12345, "door", "open")
end

-- ---------------------------------------------------------------- cursors

function test.T23_a_sequence_is_a_table_of_named_steps()
    local world = firn.newWorld({timestep = 1})
    local said = {}
    world:addSequence("intro", {
        start = function(of, call)
            said[#said + 1] = "start"
            assert(of == world and call.cursor and call.key == "k")
            call.cursor:wait({delay = 2})
            return nil
        end,
        speak = function(_, call)
            said[#said + 1] = "speak after " .. call.ticks
            return "leave"
        end,
        leave = function()
            said[#said + 1] = "leave"
            return false
        end,
    })
    world:addScriptSystem()
    local cursor = world:startCursor({sequence = "intro", key = "k"})
    world:step(1)
    assert(table.concat(said, ", ") == "start")
    cursor:go("speak")
    world:step(1)
    world:step(1)
    world:step(1)
    assert(table.concat(said, ", ") == "start, speak after 0, leave")
    assert(world:cursor("intro", nil, "k") == nil)
    fails("no cursor", cursor.go, cursor, "leave")
end

function test.T23_a_cursor_waits_for_an_event_and_for_what_it_tracks()
    local game, world = newGame()
    local someone = world:spawn()
    local cursor = world:startCursor({sequence = "door", entity = someone, step = "open"})
    cursor:wait({event = "bell"})
    assert(world:scriptItem(cursor.number).event == "bell")
    game.step("")
    world:send("bell", {entity = someone})
    game.step("open:bell!")
    local request = {url = "x"}
    cursor:track(request)
    assert(cursor:isPending() and cursor:tracked() == request)
    assert(world:scriptItem(cursor.number).pending)
    game.step("")
    assert(cursor:done({}) == false and cursor:isPending())
    assert(cursor:done(request) == true and not cursor:isPending())
    assert(cursor:done(request) == false)
    game.step("open*")
    cursor:finish()
    game.step("")
    assert(cursor:isPending() == false and cursor:tracked() == nil)
    fails("track: there is no value", cursor.track, cursor)
    assert(fails("no cursor", cursor.track, cursor, {}).result == "FIRN_NOT_FOUND")
end

function test.T23_a_cursor_is_restored_without_what_it_tracks()
    local game, world = newGame()
    local cursor = world:startCursor({sequence = "door", key = "get", step = "open"})
    game.step("open/get!")
    local request = {}
    local gone = setmetatable({request}, {__mode = "v"})
    cursor:track(request)
    game.step("")
    local saved = world:saveSnapshot().buffer
    world:loadSnapshot(saved)
    assert(not cursor:isPending() and cursor:tracked() == nil)
    assert(cursor:done(request) == false)
    game.step("open/get")
    cursor:track({})
    game.step("")
    assert(cursor:isPending())
    request = nil
    collectgarbage()
    collectgarbage()
    assert(gone[1] == nil, "what was tracked before the load is still held")
end

function test.what_is_tracked_ends_with_the_world()
    local gone = setmetatable({}, {__mode = "v"})
    do
        local _, world = newGame()
        local request = {}
        gone[1] = request
        world:startCursor({sequence = "door"}):track(request)
        collectgarbage()
        assert(gone[1])
        world:destroy()
    end
    for _ = 1, 4 do
        collectgarbage()
    end
    assert(not gone[1])
end

-- ---------------------------------------------------------------- saves

function test.K4_script_state_comes_back_and_goes_on_with_the_code_of_the_game()
    local game, world = newGame()
    local someone = world:spawn()
    world:addClock("day")
    world:send("bell", {delay = 2, payload = "ding"})
    world:startTimer({sequence = "door", step = "open", entity = someone, delay = 1, clock = "day"})
    world:setMachine(someone, "door", "idle")
    world:startWait({sequence = "door", step = "close", event = "bell"})
    world:startCursor({sequence = "door", key = "k"})
    local saved = tostring(world:saveSnapshot().buffer)
    local other, otherWorld = newGame()
    assert(otherWorld:scriptState() == nil)
    otherWorld:loadSnapshot(saved)
    assert(tostring(otherWorld:saveSnapshot().buffer) == saved)
    assert(otherWorld:hash() == world:hash())
    for _, expected in ipairs({"start/k!", "open start/k", "close:bell=ding start/k"}) do
        game.step(expected)
        other.step(expected)
        assert(otherWorld:hash() == world:hash())
    end
    local state = world:scriptState()
    assert(state.version == 1 and state.number == 5 and state.cursors[1].key == "k"
        and state.machines[1].entity == someone and #world:scriptItems() == 2)
    assert(world:scriptItems({kind = "machine"})[1] == 3)
    assert(#world:scriptItems({entity = someone, kind = "cursor"}) == 0)
end

function test.T23_a_sequence_or_step_that_is_not_there_fails_the_load()
    local _, world = newGame()
    world:startCursor({sequence = "door"})
    local saved = tostring(world:saveSnapshot().buffer)
    local bare = firn.newWorld()
    local problem = fails("provider \"door\"", bare.loadSnapshot, bare, saved)
    assert(problem.result == "FIRN_UNKNOWN" and problem.subject == "door")
    bare:addSequence("door", {other = true})
    problem = fails("no step \"start\"", bare.loadSnapshot, bare, saved)
    assert(problem.result == "FIRN_UNKNOWN" and problem.subject == "door.start")
    assert(bare:scriptState() == nil)
end

function test.K4_a_replacement_world_has_sequences_and_listeners()
    local game, world = newGame()
    world:listen("bell", "door", "open")
    world:send("bell")
    world:startCursor({sequence = "door"})
    local saved = world:saveSnapshot().buffer
    local other = world:buildFrom(saved)
    game.notes = {}
    other:step(1)
    assert(table.concat(game.notes, " ") == "open:bell start!")
end

-- ---------------------------------------------------------------- failures

function test.what_a_step_raises_is_the_cause_of_the_error_of_the_step()
    local game, world = newGame()
    game.hook = function()
        error({mine = true})
    end
    world:startTimer({sequence = "door", step = "open"})
    local problem = fails("door.open", world.step, world, 1)
    assert(problem.result == "FIRN_REFUSED" and problem.cause.subject == "the step \"door.open\"")
    assert(problem.cause.cause.mine)
    game.hook = nil
    game.step("")
end

function test.what_a_step_returns_is_the_name_of_a_step_or_false()
    local game, world = newGame()
    local cursor = world:startCursor({sequence = "door"})
    game.hook = function()
        return 5
    end
    fails("returned 5", world.step, world, 1)
    game.hook = function()
        return "burn"
    end
    fails("no step \"burn\"", world.step, world, 1)
    cursor:finish()
    world:startTimer({sequence = "door", step = "open"})
    fails("of a timer returned 'burn'", world.step, world, 1)
end

function test.wrong_arguments_are_named()
    local game, world = newGame()
    fails("addSequence: steps", world.addSequence, world, "x")
    fails("addSequence: steps: 1 is no name", world.addSequence, world, "x", {function() end})
    fails("the step 'a' is 5", world.addSequence, world, "x", {a = 5})
    fails("the provider \"door\" is registered", world.addSequence, world, "door", game.steps)
    fails("has 0 steps", world.addSequence, world, "x", {})
    fails("addSequence: name", world.addSequence, world, nil, game.steps)
    fails("unknown option 'tick'", world.startTimer, world, {tick = 1})
    fails("startTimer: option 'sequence'", world.startTimer, world, {step = "open"})
    fails("startTimer: option 'step'", world.startTimer, world, {sequence = "door"})
    fails("startWait: option 'event'", world.startWait, world, {event = 5})
    fails("the provider \"gate\"", world.startWait, world, {sequence = "gate", step = "x"})
    fails("the provider \"door\" has no step \"x\"", world.startWait, world,
        {sequence = "door", step = "x"})
    fails("has no step \"x\"", world.listen, world, "bell", "door", "x")
    fails("listen: event", world.listen, world)
    fails("send: event", world.send, world)
    fails("send: .*delay", world.send, world, "bell", {delay = -1})
    fails("option 'kind'", world.scriptItems, world, {kind = "door"})
    fails("startCursor: ", world.startCursor, world, {sequence = "door", entity = 0.5})
    world:startCursor({sequence = "door"})
    fails("has a cursor", world.startCursor, world, {sequence = "door"})
    world:destroy()
    fails("destroyed", world.send, world, "bell")
end

function test.runs_are_not_inside_each_other_nor_inside_loops()
    local game, world = newGame()
    game.hook = function()
        fails("runs already", world.runScript, world)
    end
    world:startTimer({sequence = "door", step = "open"})
    world:runScript()
    assert(game.notes[1] == "open")
    world:spawn()
    for _ in world:newQuery({name = "all"}):each() do
        fails("runScript: .*all", world.runScript, world)
    end
end

function test.a_loop_that_a_step_leaves_is_closed()
    local game, world = newGame()
    world:spawn()
    local query = world:newQuery({})
    game.hook = function()
        for _ in query:each() do
            break
        end
    end
    world:startTimer({sequence = "door", step = "open"})
    game.step("open")
    assert(world:spawn())
end

function test.finalizers_that_remove_clocks_harm_nothing()
    local world = firn.newWorld()
    for round = 1, 50 do
        for _, name in ipairs({"a", "b", "c"}) do
            pcall(world.addClock, world, name .. round)
        end
        local proxy = newproxy(true)
        getmetatable(proxy).__gc = function()
            for _, name in ipairs(world:clocks()) do
                pcall(world.removeClock, world, name)
            end
        end
        proxy = nil
        for _, name in ipairs(world:clocks()) do
            assert(type(name) == "string")
        end
    end
end

function test.T23_finalizers_that_change_script_state_harm_nothing()
    local game, world = newGame()
    game.hook = function(call)
        return call.kind == "cursor" and (call.step == "open" and "close" or "open") or nil
    end
    for round = 1, 200 do
        local proxy = newproxy(true)
        getmetatable(proxy).__gc = function()
            local cursor = world:cursor("door", nil, "k")
            if cursor then
                cursor:track({})
                cursor:finish()
            end
        end
        proxy = nil
        if not world:cursor("door", nil, "k") then
            world:startCursor({sequence = "door", key = "k"}):track({round})
        end
        for _, number in ipairs(world:scriptItems()) do
            world:scriptItem(number)
        end
        world:step(1)
        collectgarbage("step", 100)
    end
    assert(game)
end

return test
