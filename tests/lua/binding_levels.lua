-- Save games: levels, worlds that loads bring, migrations, and how long all of it lives.
local firn = require("firn")
local tools = require("saves_tools")
local game, fails, refused = tools.game, tools.fails, tools.refused

local test = {}

local Gold = firn.newScalar({name = "LevelGold", type = "number"})
local Table = firn.newComponent({name = "LevelTable", fields = {"x"}})

-- A game whose levels each have a world of their own: {saves=, world=, entered=, enter=}.
local function levels(options)
    local own = {entered = {}, level = "cave"}
    own.world = firn.newWorld({name = "cave"})
    own.hero = own.world:spawn(Gold(1), Table(1))
    function own.enter(level)
        own.level = level
        own.world = firn.newWorld({name = level})
        return own.world
    end
    local given = {
        game = "fox", storage = firn.saves.memory(),
        levels = {
            current = function()
                return own.level
            end,
            enter = function(level, forRestore, world)
                assert(forRestore == true and world == own.saves:world())
                own.entered[#own.entered + 1] = level
                return own.enter(level, forRestore, world)
            end,
        },
    }
    for name, value in pairs(options or {}) do
        given[name] = value
    end
    own.saves = firn.saves.open(own.world, given)
    return own
end

-- ---------------------------------------------------------------- S3

function test.S3_a_load_enters_the_level_and_is_bound_to_its_world()
    local own = levels()
    local first = own.world
    own.saves:write("one")
    assert(own.saves:list()[1].level == "cave")
    own.level = "wood"
    local loaded = own.saves:read("one")
    assert(own.entered[1] == "cave" and #own.entered == 1)
    assert(loaded.world == own.world and own.world ~= first and own.saves:world() == own.world)
    assert(own.world:get(own.hero, Gold) == 1 and own.world:get(own.hero, Table).x == 1)
    assert(first:get(own.hero, Gold) == 1)
    first:destroy()
    own.world:set(own.hero, Gold, 8)
    own.saves:write("two")
    assert(own.saves:read("two").world:get(own.hero, Gold) == 8)
    -- Handlers, observers and codecs of the new world run in the load.
    local heard = 0
    local enter = own.enter
    function own.enter(level)
        local world = enter(level)
        world:observe(0, firn.FinishSnapshotLoad, function(_, told)
            assert(told == world)
            heard = heard + 1
        end)
        world:addSnapshotHandler({name = "weather", load = function() end, finish = function()
            heard = heard + 1
        end})
        return world
    end
    own.saves:read("two")
    assert(heard == 2)
end

function test.S3_a_level_may_keep_its_world()
    local own = levels()
    local world = own.world
    function own.enter() end
    own.saves:write("one")
    world:set(own.hero, Gold, 5)
    assert(own.saves:read("one").world == world and world:get(own.hero, Gold) == 1)
    function own.enter()
        return world
    end
    assert(own.saves:read("one").world == world)
end

function test.S3_events_go_to_the_world_that_a_load_brought()
    local own = levels()
    local heard = {}
    local enter = own.enter
    function own.enter(level)
        local world = enter(level)
        world:newEvent("loaded")
        world:observe(0, "loaded", function(event, told)
            heard[#heard + 1] = event.payload.loaded.world == told and told == own.world
        end)
        return world
    end
    own.saves:requestSave("one")
    own.saves:endTick(0)
    own.saves:requestLoad("one")
    own.saves:endTick(0)
    own.saves:endTick(0)
    assert(#heard == 1 and heard[1] == true)
end

function test.S3_an_unknown_level_changes_nothing()
    local own = levels()
    local world, hash = own.world, own.world:hash()
    own.saves:write("one")
    function own.enter()
        return false, "it is not on the map"
    end
    local problem = fails("FIRN_UNKNOWN", "it is not on the map", own.saves.read, own.saves, "one")
    assert(problem.subject == "cave" and not problem.wentBack)
    function own.enter()
        return false
    end
    fails("FIRN_UNKNOWN", "there is no such level", own.saves.read, own.saves, "one")
    assert(own.saves:world() == world and world:hash() == hash and #own.entered == 2)
end

function test.S3_a_failure_after_the_level_is_entered_goes_back()
    local own = levels()
    own.saves:write("one")
    own.level = "wood"
    own.world:set(own.hero, Gold, 6)
    local hash = own.world:hash()
    local raised = {}
    local enter = own.enter
    function own.enter(level)
        local world = enter(level)
        if level == "cave" then
            world:addSnapshotHandler({name = "weather", finish = function()
                error(raised)
            end})
        end
        return world
    end
    local problem = fails("FIRN_REFUSED", "a table was raised", own.saves.read, own.saves, "one")
    assert(problem.wentBack and problem.cause == raised and problem.traceback)
    assert(table.concat(own.entered, ",") == "cave,wood")
    assert(own.saves:world() == own.world and own.world:name() == "cave" and own.level == "wood")
    assert(own.world:hash() == hash and own.world:get(own.hero, Gold) == 6)
    own.saves:write("two")
    assert(tools.slot(own.saves, "two").level == "wood")
end

function test.S3_what_levels_raise_is_the_cause_and_nothing_changes()
    local own = levels()
    own.saves:write("one")
    local world, hash = own.world, own.world:hash()
    local raised = {}
    local fail = true
    function own.enter()
        return fail and error(raised)
    end
    local problem = fails("FIRN_REFUSED", "levels.enter", own.saves.read, own.saves, "one")
    assert(problem.cause == raised and own.saves:world() == world and world:hash() == hash)
    for _, wrong in ipairs({5, "wood", {}, true}) do
        function own.enter()
            return wrong
        end
        fails("FIRN_REFUSED", "a world is wanted, not ", own.saves.read, own.saves, "one")
    end
    function own.enter() end
    own.level = 5
    for _, call in ipairs({"make", "read", "write"}) do
        problem = fails("FIRN_REFUSED", "the name of the level", own.saves[call], own.saves,
            call ~= "make" and "one" or nil)
        assert(problem.cause)
    end
    assert(world:hash() == hash and own.saves:world() == world)
    own.level = nil
    assert(own.saves:make().level == "")
end

function test.S3_a_manager_is_bound_to_another_world_without_a_load()
    local saves, world, fox = game()
    saves:variable("x", 1)
    saves:onBeforeSave(function()
        return {y = 2}
    end)
    local other = firn.newWorld({name = "wood"})
    saves:bind(other)
    assert(saves:world() == other and saves:variable("x") == 1)
    local envelope = saves:make()
    assert(envelope.custom.y == 2 and firn.hashSnapshot(envelope.snapshot) == other:hash())
    local heard = 0
    other:observe(0, "saved", function(_, told)
        heard = heard + (told == other and 1 or 0)
    end)
    saves:requestSave("one")
    saves:endTick(0)
    assert(heard == 1 and world:isAlive(fox))
    fails("FIRN_EXISTS", "", saves.bind, firn.saves.open(world, {game = "fox"}), other)
    for _, wrong in ipairs({5, {}, "world"}) do
        refused("bind: a world is wanted", saves.bind, saves, wrong)
    end
    local gone = firn.newWorld()
    gone:destroy()
    refused("bind: a world is wanted", saves.bind, saves, gone)
    other:destroy()
    local third = firn.newWorld()
    saves:bind(third)
    saves:write("two")
    assert(saves:world() == third)
    local remove
    remove = saves:onBeforeSave(function()
        refused("the saves are in use by make", saves.bind, saves, firn.newWorld())
    end)
    saves:make()
    remove()
end

function test.S3_worlds_in_use_are_not_destroyed_and_calls_are_refused_meanwhile()
    local own = levels()
    own.saves:write("one")
    local checked = 0
    function own.enter(_, _, world)
        refused("in use", world.destroy, world)
        fails("FIRN_BUSY", "", own.saves.write, own.saves, "two")
        fails("FIRN_BUSY", "", own.saves.variable, own.saves, "a", 1)
        refused("in use", own.saves.close, own.saves)
        checked = checked + 1
    end
    own.saves:read("one")
    assert(checked == 1)
end

function test.S3_a_load_enters_no_more_worlds_than_it_can_go_back_from()
    local own = levels()
    own.saves:write("one")
    local enter, entered = own.enter, {}
    function own.enter(level)
        entered[#entered + 1] = enter(level)
        entered[#entered]:addSnapshotHandler({name = "weather", finish = function()
            error("not this time")
        end})
        return entered[#entered]
    end
    local world = own.world
    local problem = fails("FIRN_REFUSED", "going back to the level", own.saves.read, own.saves, "one")
    assert(problem.wentBack == false and #entered == 2 and world:isAlive(own.hero))
    entered[1]:destroy()
    entered[2]:removeSnapshotHandler("weather")
    assert(own.saves:world() == entered[2])
end

-- ---------------------------------------------------------------- S4, K13

function test.K13_migrations_run_one_by_one_on_a_copy()
    local old = game({version = 1})
    old:variable("gold", 5)
    old:write("one")
    local bytes = old:makeBytes()
    local steps = {}
    local saves, world, fox = game({
        version = 4,
        migrations = {
            [1] = function(save)
                steps[#steps + 1] = save.gameVersion
                assert(type(save.snapshot) == "table" and save.custom)
                save.variables.gold = save.variables.gold * 2
            end,
            [2] = false,
            [3] = function(save)
                steps[#steps + 1] = save.gameVersion
                local new = {}
                for name, value in pairs(save) do
                    new[name] = value
                end
                new.variables = {silver = save.variables.gold * 10}
                return new
            end,
        },
    })
    local loaded = saves:take(bytes)
    assert(table.concat(steps, ",") == "1,3" and loaded.migratedFrom == 1)
    assert(saves:variable("silver") == 100 and saves:variable("gold") == nil)
    assert(loaded.envelope.gameVersion == 4 and type(loaded.envelope.snapshot) == "string")
    assert(world:isAlive(fox))
end

function test.K13_missing_failing_and_senseless_steps_change_nothing_and_name_the_version()
    local bytes = game({version = 1}):makeBytes()
    local step
    local saves, world = game({version = 3, migrations = {[1] = function(save)
        return step(save)
    end}})
    local hash = world:hash()
    assert(fails("FIRN_NOT_FOUND", "version 2", saves.take, saves, bytes).subject == "2")
    saves, world = game({version = 2, migrations = {[1] = function(save)
        return step(save)
    end}})
    local raised = {}
    step = function()
        error(raised)
    end
    local problem = fails("FIRN_REFUSED", "a table was raised", saves.take, saves, bytes)
    assert(problem.cause == raised and problem.subject == "1")
    step = function()
        return 5
    end
    fails("FIRN_INVALID", "version 1", saves.take, saves, bytes)
    step = function(save)
        save.variables = nil
    end
    fails("FIRN_INVALID", "variables", saves.take, saves, bytes)
    step = function(save)
        save.meta = print
    end
    fails("FIRN_INVALID", ".meta is a function", saves.take, saves, bytes)
    assert(world:hash() == hash)
end

function test.K13_a_save_of_a_newer_game_is_listed_kept_and_not_loaded()
    local storage = firn.saves.memory()
    local new = game({version = 2, storage = storage})
    new:write("one")
    new:write("autosave")
    local saves, world = game({version = 1, storage = storage, autosaveSeconds = 1})
    local hash = world:hash()
    fails("FIRN_NEWER", "version 2", saves.read, saves, "one")
    fails("FIRN_NEWER", "", saves.write, saves, "one")
    local slot = tools.slot(saves, "one")
    assert(slot.newer and slot.gameVersion == 2 and saves:newest() == nil)
    local failed
    world:observe(0, "save_failed", function(event)
        failed = event.payload.error.result
    end)
    saves:endTick(1)
    assert(failed == "FIRN_NEWER" and tools.slot(saves, "autosave").newer and world:hash() == hash)
    saves:write("one", {force = true})
    assert(not tools.slot(saves, "one").newer)
    local other = game({game = "bear", storage = storage})
    fails("FIRN_OTHER_GAME", "fox", other.read, other, "one")
    assert(other:list()[1].otherGame and other:newest() == nil)
end

-- ---------------------------------------------------------------- lifetimes

function test.a_manager_and_a_world_that_know_each_other_are_collected()
    tools.collected(function(gone)
        local own = levels({now = function()
            return 5
        end})
        local world, saves = own.world, own.saves
        saves:onBeforeSave(function()
            return {count = world:count(), same = saves:world() == world}
        end)
        world:observe(0, "saved", function()
            assert(saves:has("one"))
        end)
        saves:requestSave("one")
        saves:endTick(0)
        saves:read("one")
        gone[world], gone[saves], gone[own.world] = true, true, true
    end)
end

function test.a_manager_closes_with_its_object()
    local worlds = {}
    for i = 1, 8 do
        worlds[i] = firn.newWorld()
        firn.saves.open(worlds[i], {game = "a"})
    end
    collectgarbage()
    collectgarbage()
    local closed = 0
    for i = 1, 8 do
        closed = closed + (pcall(firn.saves.open, worlds[i], {game = "a"}) and 1 or 0)
    end
    assert(closed >= 6, closed) -- dead slots of the stack may show one or two
end

function test.a_world_may_go_before_its_manager()
    local saves, world = game()
    saves:write("one")
    saves:variable("x", 1)
    world:destroy()
    assert(saves:list()[1].name == "one" and saves:variable("x") == 1 and saves:world() == world)
    refused("the world has been destroyed", saves.write, saves, "one")
    refused("the world has been destroyed", saves.endTick, saves, 0)
    refused("the world has been destroyed", saves.read, saves, "one")
    saves:close()
    refused("the saves have been closed", saves.world, saves)
    refused("the saves have been closed", saves.close, saves)
end

function test.a_save_in_the_background_outlives_its_objects()
    local storage, entries = tools.storage()
    tools.collected(function(gone, i)
        local saves, world = game({storage = storage, background = true})
        saves:requestSave("slot-" .. i)
        saves:endTick(0)
        gone[saves], gone[world] = true, true
    end)
    local saved = 0
    for i = 1, 8 do
        saved = saved + (entries["slot-" .. i] and 1 or 0)
    end
    assert(saved >= 5, saved)
end

function test.K7_a_bus_hears_of_a_requested_load_that_brings_another_world()
    local bus, level, heard, entered = firn.newBus(), "cave", {}, nil
    local saves = firn.saves.open(firn.newWorld({name = "cave", bus = bus}), {
        game = "fox",
        storage = firn.saves.memory(),
        levels = {
            current = function()
                return level
            end,
            enter = function(name)
                level = name
                entered = firn.newWorld({bus = bus})
                return entered
            end,
        },
    })
    bus:observe("loaded", function(event, world)
        assert(world == entered and event.payload.loaded.world == world)
        heard[#heard + 1] = event.payload.slot
    end)
    saves:write("one")
    level = "wood"
    saves:requestLoad("one")
    saves:endTick(1)
    saves:tell()
    assert(#heard == 1 and heard[1] == "one")
end

return test
