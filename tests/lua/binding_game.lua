-- What stands beside the entities: systems and phases, steps, states, keys, random numbers.
local firn = require("firn")

local test = {}

local Position = firn.newFFIComponent({
    name = "GamePosition", fields = {{"x", "double"}},
})
local Marker = firn.newTag({name = "GameMarker"})
local Ping = firn.newEvent("GamePing")

local function fails(pattern, fn, ...)
    local ok, problem = pcall(fn, ...)
    assert(not ok, "it did not fail")
    assert(tostring(problem):find(pattern), tostring(problem))
    return problem
end

-- ---------------------------------------------------------------- systems, phases, steps

function test.systems_run_in_the_order_of_their_phases_with_the_time_of_the_step()
    local world = firn.newWorld({timestep = 0.5})
    local ran = {}
    local function system(name, phase)
        world:addSystem({name = name, phase = phase, run = function(of, dt)
            assert(of == world)
            ran[#ran + 1] = name .. dt
        end})
    end
    system("late", "Last")
    system("update")
    system("again", "Update")
    system("fixed", "FixedUpdate")
    system("start", "Startup")
    system("end", "Shutdown")
    world:step(1.25)
    assert(table.concat(ran, " ") == "start0 fixed0.5 fixed0.5 update1.25 again1.25 late1.25")
    assert(world:tick() == 2 and world:accumulator() == 0.25 and world:timestep() == 0.5)
    ran = {}
    world:shutdown()
    assert(table.concat(ran, " ") == "end0")
end

function test.T7_a_phase_is_passed_over_while_it_is_disabled()
    local world = firn.newWorld()
    local ran = 0
    world:addSystem({phase = "Render", run = function() ran = ran + 1 end})
    world:enablePhase("Render", false)
    assert(not world:phaseEnabled("Render") and world:phaseEnabled("Update"))
    world:step(0)
    assert(ran == 0)
    world:runPhase("Render")
    assert(ran == 1)
    world:enablePhase("Render", true)
    world:step(0)
    assert(ran == 2)
end

function test.a_phase_of_the_game_runs_behind_another_one()
    local world = firn.newWorld()
    world:addPhase("Ai", "Update")
    local names = world:phases()
    for i, name in ipairs(names) do
        if name == "Update" then
            assert(names[i + 1] == "Ai")
        end
    end
    local ran = {}
    world:addSystem({phase = "Ai", run = function() ran[#ran + 1] = "ai" end})
    world:addSystem({phase = "PostUpdate", run = function() ran[#ran + 1] = "post" end})
    world:step(0)
    assert(table.concat(ran, " ") == "ai post")
    assert(fails("Ai", world.addPhase, world, "Ai", "Update").result == "FIRN_EXISTS")
end

function test.a_system_that_fails_keeps_no_other_from_running()
    local world = firn.newWorld()
    local ran = {}
    local raised = setmetatable({}, {__tostring = function() return "the first" end})
    world:addSystem({name = "bad", run = function() error(raised) end})
    world:addSystem({name = "worse", run = function() error("the second") end})
    world:addSystem({name = "good", run = function() ran[#ran + 1] = "good" end})
    local problem = fails('step: the system "bad": the first', world.step, world, 0)
    assert(rawequal(problem.cause, raised) and problem.result == "FIRN_REFUSED")
    assert(problem.subject == 'the system "bad"')
    assert(problem.traceback:find("binding_game.lua") and #ran == 1)
end

function test.an_error_object_passes_through_a_system_as_the_cause()
    local world = firn.newWorld()
    world:addSystem({name = "keys", run = function() world:requireKey("nobody") end})
    local problem = fails('no entity has the key "nobody"', world.step, world, 0)
    assert(problem.cause.result == "FIRN_NOT_FOUND" and problem.cause.subject == "nobody")
    assert(not problem.message:find("\n"))
end

function test.a_system_is_disabled_and_removed_by_itself_and_by_others()
    local world = firn.newWorld()
    local ran = {}
    local one, two
    one = world:addSystem({name = "one", run = function()
        ran[#ran + 1] = "one"
        one:remove()
        collectgarbage()
        two:enable(false)
    end})
    two = world:addSystem({name = "two", run = function() ran[#ran + 1] = "two" end})
    assert(one:enabled() and two:enabled())
    world:step(0)
    assert(table.concat(ran, " ") == "one" and not two:enabled())
    two:enable(true)
    world:step(0)
    assert(table.concat(ran, " ") == "one two")
    fails("remove: the system has been removed", one.remove, one)
    fails("enable: enabled: a boolean is wanted, not nil", two.enable, two)
end

function test.a_step_inside_a_coroutine_works_and_a_yield_across_it_fails()
    local world = firn.newWorld()
    local steps = 0
    world:addSystem({run = function() steps = steps + 1 end})
    local co = coroutine.wrap(function()
        for _ = 1, 3 do
            world:step(0)
            coroutine.yield(steps)
        end
    end)
    assert(co() == 1 and co() == 2 and co() == 3)
    local yields = world:addSystem({run = function() coroutine.yield() end})
    local ok, problem
    coroutine.wrap(function()
        ok, problem = pcall(world.step, world, 0)
    end)()
    assert(ok == false and tostring(problem):find("attempt to yield across C%-call boundary"))
    yields:remove()
    world:step(0)
    assert(steps == 5)
    -- A coroutine that a system resumes may use the world and yield to the system.
    world:addSystem({run = function()
        local inner = coroutine.wrap(function()
            world:emit(Ping, 0, 1)
            coroutine.yield()
            world:emit(Ping, 0, 2)
        end)
        inner()
        inner()
    end})
    local heard = {}
    world:observe(0, Ping, function(event) heard[#heard + 1] = event.payload end)
    world:step(0)
    assert(table.concat(heard, " ") == "1 2")
end

function test.systems_that_come_and_go_leave_the_heap_where_it_was()
    local world = firn.newWorld()
    local function round()
        world:addSystem({run = function() end}):remove()
    end
    for _ = 1, 100 do round() end
    collectgarbage()
    collectgarbage()
    local before = collectgarbage("count")
    for _ = 1, 10000 do round() end
    collectgarbage()
    collectgarbage()
    assert(collectgarbage("count") - before < 16)
end

function test.startup_runs_once_and_before_the_first_step()
    local world = firn.newWorld()
    local started = 0
    world:addSystem({phase = "Startup", run = function() started = started + 1 end})
    world:startup()
    world:startup()
    world:step(0)
    assert(started == 1)
end

function test.times_are_set_and_read()
    local world = firn.newWorld()
    assert(world:timestep() == 1 / 60 and world:tick() == 0)
    assert(world:timestep(0.25) == 0.25 and world:tick(77) == 77 and world:tick() == 77)
    assert(fails("0", world.timestep, world, 0).result == "FIRN_INVALID")
    fails("timestep: seconds is %-1", world.timestep, world, -1)
    fails("tick: tick is 1.5", world.tick, world, 1.5)
    fails("step: dt: a number is wanted, not nil", world.step, world)
    fails("step: dt is nan", world.step, world, 0 / 0)
    fails("step: dt is inf", world.step, world, math.huge)
    assert(fails("65536", world.step, world, 1e9).result == "FIRN_LIMIT")
    assert(world:timestep() == 0.25 and world:tick() == 77)
    assert(world:accumulator(1.5) == 1.5 and world:accumulator(0) == 0)
    fails("accumulator: seconds is %-1", world.accumulator, world, -1)
end

function test.unknown_phases_are_refused_by_name()
    local world = firn.newWorld()
    local nothing = function() end
    for doing, call in pairs({
        addSystem = function() world:addSystem({phase = "Nope", run = nothing}) end,
        addPhase = function() world:addPhase("New", "Nope") end,
        enablePhase = function() world:enablePhase("Nope", true) end,
        phaseEnabled = function() world:phaseEnabled("Nope") end,
        runPhase = function() world:runPhase("Nope") end,
    }) do
        local problem = fails(doing .. ": no phase is called Nope", call)
        assert(problem.result == "FIRN_NOT_FOUND" and problem.subject == "Nope")
    end
    assert(#world:phases() == 22)
    fails("addSystem: unknown option 'fase'", world.addSystem, world, {fase = "Update"})
    fails("addSystem: option 'run': a function is wanted", world.addSystem, world, {})
    fails("addSystem: the system name .* has 256 bytes", world.addSystem, world,
        {name = ("x"):rep(256), run = nothing})
    fails("addSystem: state: a state or its name", world.addSystem, world,
        {run = nothing, state = 3})
    fails("enablePhase: enabled: a boolean", world.enablePhase, world, "Update", 1)
end

function test.N4_a_system_saves_and_loads_after_its_loop_and_not_inside_it()
    local world = firn.newWorld()
    local first = world:spawn(Position(1))
    local query = world:newQuery({include = {Position}, name = "positions"})
    local refused, loaded
    local system = world:addSystem({name = "saver", run = function()
        for archetype in query:each() do
            refused = fails("positions", world.saveSnapshot, world)
            archetype:columnMut(Position)[0].x = 2
        end
        local save = world:saveSnapshot().buffer
        for archetype in query:each() do
            archetype:columnMut(Position)[0].x = 3
            break -- what is left open ends when it would matter
        end
        world:loadSnapshot(save)
        loaded = world:get(first, Position).x
    end})
    local after = 0
    world:addSystem({run = function() after = after + 1 end})
    world:step(0)
    assert(refused.result == "FIRN_BUSY" and loaded == 2)
    assert(after == 0) -- a load ends its step
    system:remove()
    world:step(0)
    assert(after == 1)
end

function test.a_loop_that_a_system_leaves_open_is_closed_and_its_changes_are_applied()
    local world = firn.newWorld()
    world:spawn(Marker)
    local query = world:newQuery({include = {Marker}, name = "left open by a test"})
    local spawned
    local leaver = world:addSystem({name = "leaver", run = function()
        for _ in query:each() do
            spawned = world:spawn(Position(1))
            return
        end
    end})
    local checker = world:addSystem({run = function()
        assert(world:get(spawned, Position).x == 1)
    end})
    world:step(0)
    leaver:remove()
    checker:remove()
    local thrower = world:addSystem({run = function()
        for _ in query:each() do
            world:despawn(spawned)
            error("out")
        end
    end})
    fails("out", world.step, world, 0)
    assert(not world:isAlive(spawned))
    thrower:remove()
    world:step(0)
    for _ in query:each() do
        fails("left open by a test", world.step, world, 0)
    end
end

function test.T7_the_accumulator_the_tick_and_disabled_phases_are_saved()
    local world = firn.newWorld({timestep = 0.5})
    world:step(1.75)
    world:enablePhase("Render", false)
    local save = world:saveSnapshot().buffer
    world:step(1)
    world:enablePhase("Render", true)
    world:enablePhase("Update", false)
    world:loadSnapshot(save)
    assert(world:tick() == 3 and world:accumulator() == 0.25)
    assert(not world:phaseEnabled("Render") and world:phaseEnabled("Update"))
end

function test.T10_systems_queries_and_states_are_the_same_after_a_load()
    local world = firn.newWorld()
    local play = world:createState("play")
    local ran = 0
    local system = world:addSystem({state = play, run = function() ran = ran + 1 end})
    local query = world:newQuery({include = {Position}})
    local resource = {}
    world.resources.renderer = resource
    world:pushState(play)
    world:spawn(Position(1))
    local save = world:saveSnapshot().buffer
    world:popState()
    world:spawnMany(3, Position(2))
    world:loadSnapshot(save)
    world:step(0)
    assert(ran == 1 and system:enabled() and query:count() == 1)
    assert(world:topState() == play and world.resources.renderer == resource)
end

-- ---------------------------------------------------------------- states

function test.T6_a_save_brings_the_whole_stack_back_without_calling_policies()
    local world = firn.newWorld()
    local calls = 0
    local function count() calls = calls + 1 end
    local names = {"menu", "play", "pause"}
    for _, name in ipairs(names) do
        world:createState(name, {enter = count, exit = count, pause = count, resume = count})
        world:pushState(name)
    end
    local save = world:saveSnapshot().buffer
    world:popState()
    world:switchState("menu")
    calls = 0
    world:loadSnapshot(save)
    for i, state in ipairs(world:states()) do
        assert(state.name == names[i])
    end
    assert(#world:states() == 3 and calls == 0)
    local other = firn.newWorld()
    other:createState("menu")
    local one = other:spawn(Position(4))
    local problem = fails("play", other.loadSnapshot, other, save)
    assert(problem.result == "FIRN_UNKNOWN" and other:get(one, Position).x == 4)
end

function test.states_tell_what_happens_to_them_in_order()
    local world = firn.newWorld()
    local told = {}
    local function policies(options)
        for _, policy in ipairs({"enter", "exit", "pause", "resume"}) do
            options[policy] = function(of, state)
                assert(of == world)
                told[#told + 1] = policy .. " " .. tostring(state)
            end
        end
        return options
    end
    local menu = world:createState("menu", policies({}))
    local play = world:createState("play", policies({despawnOnPop = true}))
    assert(world:topState() == nil and #world:states() == 0)
    world:pushState(menu)
    world:pushState("play")
    assert(world:topState() == play and world:states()[1] == menu and menu.name == "menu")
    local entity = world:spawn()
    assert(world:has(entity, world:stateTag("play")) and world:stateTag(play) == play.tag)
    assert(play.tag.__about.name == "playState")
    world:popState()
    assert(not world:isAlive(entity) and world:topState() == menu)
    world:switchState(play)
    assert(table.concat(told, ", ") == "enter menu, pause menu, enter play, exit play, " ..
        "resume menu, exit menu, enter play")
    world:popState()
    assert(fails("empty", world.popState, world).result == "FIRN_NOT_FOUND")
end

function test.a_policy_that_fails_is_raised_when_the_stack_has_changed()
    local world = firn.newWorld()
    local play = world:createState("play", {enter = function() error("no level") end})
    local problem = fails('pushState: enter of the state "play": .*no level', world.pushState,
        world, play)
    assert(problem.cause:find("no level$") and world:topState() == play)
    local busy
    local other = world:createState("other", {enter = function() world:popState() end})
    busy = fails("enter of the state \"other\"", world.pushState, world, other)
    assert(busy.cause.result == "FIRN_BUSY")
end

function test.a_system_of_a_state_runs_while_that_is_on_top()
    local world = firn.newWorld()
    local play = world:createState("play")
    local ran = 0
    world:addSystem({state = "play", run = function() ran = ran + 1 end})
    world:step(0)
    world:pushState(play)
    world:step(0)
    world:popState()
    world:step(0)
    assert(ran == 1)
end

function test.unknown_states_are_refused_by_name()
    local world = firn.newWorld()
    local other = firn.newWorld():createState("elsewhere")
    world:createState("play")
    for _, doing in ipairs({"pushState", "switchState", "stateTag"}) do
        local problem = fails(doing .. ": no state is called Nope", world[doing], world, "Nope")
        assert(problem.result == "FIRN_NOT_FOUND" and problem.subject == "Nope")
        fails(doing .. ": the state 'elsewhere' is of another world", world[doing], world, other)
        fails(doing .. ": state: a state or its name", world[doing], world, 7)
    end
    assert(fails("play", world.createState, world, "play").result == "FIRN_EXISTS")
    fails("createState: unknown option 'onEnter'", world.createState, world, "x", {onEnter = 1})
    fails("createState: option 'enter': a function", world.createState, world, "x", {enter = 1})
    fails("createState: name: a string is wanted, not nil", world.createState, world)
    assert(#world:states() == 0)
end

-- ---------------------------------------------------------------- keys

function test.T9_a_key_finds_its_entity_after_a_load_too()
    local world = firn.newWorld()
    local player = world:spawn(firn.EntityKey("player"), Position(1))
    assert(world:requireKey("player") == player and world:findKey("player") == player)
    assert(world:get(player, firn.EntityKey) == "player")
    local save = world:saveSnapshot().buffer
    world:set(player, firn.EntityKey, "renamed")
    assert(world:findKey("player") == nil and world:findKey("renamed") == player)
    world:loadSnapshot(save)
    assert(world:requireKey("player") == player and world:findKey("renamed") == nil)
    local problem = fails('requireKey: no entity has the key "renamed"', world.requireKey, world,
        "renamed")
    assert(problem.result == "FIRN_NOT_FOUND" and problem.subject == "renamed")
end

function test.T9_no_two_entities_have_one_key()
    local world = firn.newWorld()
    local player = world:spawn(firn.EntityKey("player"))
    local other = world:spawn()
    local problem = fails("player", world.set, world, other, firn.EntityKey, "player")
    assert(problem.result == "FIRN_EXISTS" and problem.entity == player)
    assert(not world:has(other, firn.EntityKey))
    fails("findKey: key: a string is wanted, not nil", world.findKey, world)
    fails("requireKey: key: a string is wanted, not a number", world.requireKey, world, 3)
    assert(world:findKey("") == nil and world:findKey("play\0er") == nil)
end

-- ---------------------------------------------------------------- random numbers

-- The golden values of docs/format.md.
function test.a_generator_gives_the_numbers_of_the_format()
    local random = firn.newRandom(12345)
    for _, number in ipairs({
        0.25454781646840274, 0.047265402274206281, 0.87110176053829491, 0.88562377681955695,
    }) do
        assert(random:next() == number)
    end
    random = firn.newRandom(12345)
    for _, number in ipairs({26, 5, 88, 89, 98, 19, 32, 95, 87, 90, 75, 51}) do
        assert(random:integer(1, 100) == number)
    end
    local function words(of)
        local saved = of:save()
        for i = 1, 4 do
            saved[i] = bit.tobit(saved[i])
        end
        return table.concat(saved, " ")
    end
    assert(words(firn.newRandom(1)) == "1580013426 350525680 -770792963 -1283263687")
    local world = firn.newWorld()
    assert(world:seed() == 0x5eed1234)
    assert(world:seed(42) == 42)
    assert(words(world:random("game.loot")) == "1782179806 -635290933 1046902905 -1667463104")
end

function test.T19_streams_go_on_by_themselves_and_a_seed_starts_them_again()
    local world = firn.newWorld()
    local loot, weather = world:random("loot"), world:random("weather")
    assert(world:random("loot") == loot)
    local first = {loot:next(), loot:next()}
    weather:next()
    world:seed(world:seed())
    assert(loot:next() == first[1] and loot:next() == first[2])
    assert(world:seed(0xdeadbeef) == 0xdeadbeef - 2 ^ 32)
    assert(loot:next() ~= first[1])
end

function test.T19_a_loaded_game_rolls_on_from_where_the_save_stood()
    local world = firn.newWorld()
    world:seed(7)
    local loot = world:random("loot")
    loot:next()
    local save = world:saveSnapshot().buffer
    local rolled = {loot:next(), loot:integer(100), loot:range(2, 3)}
    world:seed(8)
    world:random("weather"):next()
    world:loadSnapshot(save)
    assert(world:seed() == 7)
    assert(loot:next() == rolled[1] and loot:integer(100) == rolled[2])
    assert(loot:range(2, 3) == rolled[3])
    -- In another process the stream is opened after the load.
    local other = firn.newWorld()
    other:loadSnapshot(save)
    assert(other:random("loot"):next() == rolled[1])
end

function test.T19_a_save_from_before_the_first_draw_starts_all_streams_again()
    local world = firn.newWorld()
    local plain = world:saveSnapshot().buffer
    local loot = world:random("loot")
    local first = loot:next()
    world:loadSnapshot(plain)
    assert(loot:next() == first)
    world:seed(3)
    world:loadSnapshot(plain)
    assert(world:seed() == 0x5eed1234 and loot:next() == first)
end

function test.numbers_stay_in_their_intervals()
    local random = firn.newRandom(-7)
    for _ = 1, 1000 do
        local x, n, r = random:next(), random:integer(6), random:range(-2, 3)
        assert(x >= 0 and x < 1 and n >= 1 and n <= 6 and n % 1 == 0 and r >= -2 and r < 3)
        local far = random:integer(-2 ^ 53, 2 ^ 53)
        assert(far >= -2 ^ 53 and far <= 2 ^ 53 and far % 1 == 0)
        assert(random:integer(5, 5) == 5)
    end
end

function test.a_generator_goes_on_from_what_it_saved()
    local random = firn.newRandom(5)
    random:next()
    local saved = random:save()
    local next1 = random:next()
    random:load(saved)
    assert(random:next() == next1)
    fails("load: all words are 0", random.load, random, {0, 0, 0, 0})
    fails("load: saved%[2%]", random.load, random, {1, 1.5, 0, 0})
    fails("load: saved%[4%] is nil", random.load, random, {1, 2, 3})
    fails("load: saved: a table", random.load, random, "x")
end

function test.wrong_numbers_are_refused_by_name()
    local world = firn.newWorld()
    local random = firn.newRandom(2 ^ 32 - 1)
    fails("integer: there is no number from 1 to 0", random.integer, random, 0)
    fails("integer: there is no number from 3 to 2", random.integer, random, 3, 2)
    fails("integer: m must be a whole number, not 1.5", random.integer, random, 1.5)
    fails("integer: n must be a whole number, not 'x'", random.integer, random, 1, "x")
    fails("integer: m must be", random.integer, random)
    fails("range: high: a number", random.range, random, 1)
    fails("newRandom: seed must be", firn.newRandom)
    fails("newRandom: seed must be", firn.newRandom, 0.5)
    fails("newRandom: seed must be", firn.newRandom, 2 ^ 32)
    fails("seed: seed is", world.seed, world, 2 ^ 32)
    fails("seed: seed: a number", world.seed, world, "x")
    fails("random: name: a string", world.random, world, 3)
    local stream = world:random("x")
    world:destroy()
    fails("next: the world has been destroyed", stream.next, stream)
    fails("step: the world has been destroyed", world.step, world, 0)
end

return test
