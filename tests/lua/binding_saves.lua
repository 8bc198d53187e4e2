-- Save games: envelopes, slots, requests, variables, hooks, time, errors.
local firn = require("firn")
local tools = require("saves_tools")
local game, fails, refused = tools.game, tools.fails, tools.refused

local test = {}

-- ---------------------------------------------------------------- S1

function test.S1_an_envelope_is_a_table_that_is_made_and_taken_without_a_slot()
    local time = 1700000000000
    local saves, world, fox, Gold = game({
        version = 3, engine = "den 1.2", now = function()
            return time
        end,
    })
    local key = world:saveSnapshot().buffer:tostring()
    local envelope = saves:make({meta = {title = "at home"}, sections = {fog = "\0\1"}})
    assert(envelope.saveFormatVersion == 1 and envelope.gameVersion == 3 and envelope.game == "fox")
    assert(envelope.engineVersion == "den 1.2" and envelope.level == "" and envelope.kind == "world")
    assert(envelope.timestamp == time and envelope.tick == 0 and envelope.playTime == 0)
    assert(envelope.revision == 1 and envelope.parent == "" and envelope.meta.title == "at home")
    assert(envelope.snapshot == key and envelope.sections.fog == "\0\1")
    assert(next(envelope.custom) == nil and next(envelope.variables) == nil)

    local bytes = firn.saves.bytes(envelope)
    assert(firn.encode(firn.saves.envelope(bytes)) == firn.encode(envelope))
    local following = firn.saves.envelope(saves:makeBytes())
    assert(following.revision == 2 and #following.parent == 32)
    local header = firn.saves.header(bytes:sub(1, 4096))
    assert(header.game == "fox" and header.size == #bytes and header.snapshot == nil)

    for _, save in ipairs({envelope, bytes, require("string.buffer").new():set(bytes)}) do
        world:set(fox, Gold, 7)
        local loaded = saves:take(save)
        assert(world:get(fox, Gold) == 1 and loaded.world == world)
        assert(loaded.envelope.meta.title == "at home" and loaded.prelude.entityCount == 1)
        assert(loaded.report.committed and not loaded.fromBackup and not loaded.wentBack)
        assert(loaded.migratedFrom == nil and loaded.damage == nil)
    end
    saves:close()
end

function test.S1_files_without_a_manager_say_what_is_wrong_with_them()
    fails("FIRN_TRUNCATED", "header", firn.saves.header, "")
    fails("FIRN_NOT_OURS", "envelope", firn.saves.envelope, ("text "):rep(100))
    refused("header: bytes: a string or a buffer is wanted, not nil", firn.saves.header)
    fails("FIRN_INVALID", "game", firn.saves.bytes, {saveFormatVersion = 1, gameVersion = 1})
    refused("bytes: envelope: a table is wanted, not nil", firn.saves.bytes)
    refused("unknown option 'level'", firn.saves.bytes, {}, {level = 1})
    local saves = game()
    local envelope = saves:make()
    envelope.custom = 5
    fails("FIRN_INVALID", "custom", saves.take, saves, envelope)
    envelope.custom = print
    fails("FIRN_INVALID", ".custom is a function", firn.saves.bytes, envelope)
    refused("option 'compression' is 20000000000", firn.saves.bytes, envelope, {compression = 2e10})
end

-- ---------------------------------------------------------------- S2

function test.S2_hooks_give_fields_until_they_are_removed()
    local saves = game()
    local remove = saves:onBeforeSave(function()
        return {score = 1200, deep = {1, {2}}}
    end)
    saves:onBeforeSave(function() end)
    local custom = saves:make().custom
    assert(custom.score == 1200 and custom.deep[2][1] == 2)
    remove()
    remove()
    assert(next(saves:make().custom) == nil)
end

function test.S2_hooks_that_clash_fail_by_name_and_nothing_is_written()
    local saves = game()
    saves:onBeforeSave(function()
        return {score = 1}
    end, {"score"})
    fails("FIRN_EXISTS", "score", saves.onBeforeSave, saves, print, {"score"})
    local remove = saves:onBeforeSave(function()
        return {score = 2}
    end)
    fails("FIRN_EXISTS", "score", saves.write, saves, "one")
    assert(not saves:has("one"))
    remove()
    remove = saves:onBeforeSave(function()
        return {lives = 2}
    end, {"life"})
    fails("FIRN_INVALID", "lives", saves.write, saves, "one")
    remove()
    saves:write("one")
    refused("onBeforeSave: hook: a function is wanted, not nil", saves.onBeforeSave, saves)
    refused("fields[1]: a string is wanted, not a number", saves.onBeforeSave, saves, print, {5})
    refused("fields: a table is wanted, not a boolean", saves.onBeforeSave, saves, print, false)
end

function test.S2_what_a_hook_raises_is_the_cause_and_nothing_is_written()
    local saves, world = game()
    local hash = world:hash()
    local raised = {}
    local remove = saves:onBeforeSave(function()
        error(raised)
    end)
    local problem = fails("FIRN_REFUSED", "a table was raised", saves.write, saves, "one")
    assert(problem.cause == raised and problem.traceback:find("binding_saves.lua", 1, true))
    assert(not saves:has("one") and world:hash() == hash)
    fails("FIRN_REFUSED", "", saves.make, saves)
    remove()
    remove = saves:onBeforeSave(function()
        return 5
    end)
    fails("FIRN_REFUSED", "a hook returns a table of fields or nil, not a number", saves.make, saves)
    remove()
    remove = saves:onBeforeSave(function()
        return {f = print}
    end)
    fails("FIRN_INVALID", ".f is a function", saves.make, saves)
    remove()
    saves:write("one")
end

function test.S2_a_hook_may_use_the_saves_but_not_save_or_close_them()
    local saves = game()
    local seen, remove
    remove = saves:onBeforeSave(function()
        seen = {
            list = #saves:list(),
            make = fails("FIRN_BUSY", "", saves.make, saves),
            close = refused("the saves are in use by ", saves.close, saves),
            remove = fails("FIRN_BUSY", "", remove),
        }
        saves:variable("seen", true)
        saves:requestSave("later")
    end)
    saves:write("one")
    assert(seen and seen.list == 0)
    saves:endTick(0)
    assert(saves:has("later") and saves:variable("seen"))
end

-- ---------------------------------------------------------------- S4, S5, S6

function test.S4_a_save_of_an_unknown_format_version_is_refused()
    local saves = game()
    local envelope = saves:make()
    envelope.saveFormatVersion = 99
    fails("FIRN_VERSION", "99", saves.take, saves, envelope)
end

function test.S5_S6_name_tick_ids_streams_and_states_come_back()
    local saves, world, fox, Gold = game()
    local Friend = world:newFFIComponent({name = "Friend", fields = {{"id", "double"}}})
    local rabbit = world:spawn(firn.Name("rabbit"), Friend(fox))
    saves:onBeforeSave(function()
        return {hero = fox}
    end)
    world:createState("menu")
    world:pushState("menu")
    world:tick(41)
    local dice = world:random("dice")
    dice:next()
    local envelope = saves:make()
    local next_, hash = dice:next(), nil
    saves:take(envelope)
    hash = world:hash()
    world:tick(50)
    world:despawn(rabbit)
    world:popState()
    world:set(fox, Gold, 9)
    local loaded = saves:take(envelope)
    assert(world:hash() == hash and world:tick() == 41 and world:name() == "caves")
    assert(tostring(world:topState()) == "menu" and world:random("dice"):next() == next_)
    assert(loaded.envelope.custom.hero == fox and world:get(fox, Gold) == 1)
    assert(world:get(rabbit, Friend).id == fox)
    assert(loaded.envelope.tick == 41)
end

-- ---------------------------------------------------------------- S7

local values = {
    a = 2LL^62 + 1, b = 18446744073709551615ULL, c = 0.1 + 0.2, d = 1 / 0, e = -1 / 0, f = "\0\255",
    g = {1, 2, {x = false}}, h = -0.0, i = 1i, [5] = "five", [true] = "yes",
}

-- Whether this build has JSON; without it every call says so.
local function hasJson()
    local ok, problem = pcall(firn.toJson, 1)
    assert(ok or problem.result == "FIRN_UNSUPPORTED", tostring(problem))
    return ok
end

function test.S7_values_go_through_JSON_without_loss()
    if not hasJson() then
        fails("FIRN_UNSUPPORTED", "", firn.fromJson, "1")
        return
    end
    assert(firn.encode(firn.fromJson(firn.toJson(values))) == firn.encode(values))
    local nan = firn.fromJson(firn.toJson(0 / 0))
    assert(nan ~= nan and firn.toJson({1, "x"}) == '[1,"x"]' and firn.fromJson("[1,null]")[1] == 1)
    fails("FIRN_INVALID", "function", firn.toJson, print)
    fails("FIRN_TRUNCATED", "fromJson", firn.fromJson, '{"a":')
    fails("FIRN_CORRUPT", "fromJson", firn.fromJson, "nonsense")
    refused("toJson: there is no value", firn.toJson)
    refused("fromJson: text: a string is wanted, not nil", firn.fromJson)
end

function test.S7_a_whole_save_goes_through_JSON_without_loss()
    local saves, world = game()
    saves:variable("all", values)
    world:spawn(firn.Name("rabbit"))
    local bytes = saves:makeBytes({meta = {title = "x", thumbnail = "\0\255"}, sections = {own = "\1"}})
    if not hasJson() then
        fails("FIRN_UNSUPPORTED", "", firn.saves.toJson, bytes)
        fails("FIRN_UNSUPPORTED", "", firn.saves.fromJson, "{}")
        return
    end
    local text = firn.saves.toJson(bytes)
    assert(text:find("rabbit", 1, true) and firn.saves.fromJson(text) == bytes)
    assert(firn.saves.toJson(firn.saves.envelope(bytes)) == text)
    saves:take(firn.saves.fromJson(text))
    fails("FIRN_NOT_OURS", "toJson", firn.saves.toJson, "text, and no save")
    fails("FIRN_NOT_OURS", "fromJson", firn.saves.fromJson, "{}\n")
    refused("unknown option 'level'", firn.saves.fromJson, text, {level = 1})
    refused("toJson: bytes: a string or a buffer is wanted, not nil", firn.saves.toJson)
end

-- ---------------------------------------------------------------- S8

function test.S8_what_is_not_registered_fails_the_load_by_name()
    local saves, world = game()
    local Rare = world:newTag({name = "Rare"})
    world:spawn(Rare)
    local bytes = saves:makeBytes()
    local other, otherWorld = game()
    local hash = otherWorld:hash()
    local problem = fails("FIRN_UNKNOWN", "Rare", other.take, other, bytes)
    assert(problem.subject == "Rare" and problem.wentBack == false and otherWorld:hash() == hash)
    assert(other:playTime() == 0)
    world:createState("menu")
    world:pushState("menu")
    bytes = saves:makeBytes()
    otherWorld:newTag({name = "Rare"})
    fails("FIRN_UNKNOWN", "menu", other.take, other, bytes)

    local keeps, kept = game({keepUnknown = true})
    kept:createState("menu")
    assert(keeps:take(bytes).report.kept == 1)
    assert(keeps:make().snapshot == firn.saves.envelope(bytes).snapshot)
    local skips, skipped = game({skipUnknown = true})
    skipped:createState("menu")
    assert(skips:take(bytes).report.unknown == 1)
    fails("FIRN_INVALID", "both", game, {keepUnknown = true, skipUnknown = true})
end

-- ---------------------------------------------------------------- K3

function test.K3_variables_are_saved_with_every_slot_and_replaced_by_every_load()
    local saves = game()
    saves:variable("door", {open = true, count = 3LL})
    saves:variable("name", "fox")
    assert(saves:variable("name") == "fox" and saves:variable("nothing") == nil)
    local copy = saves:variables()
    copy.name = "rabbit"
    assert(saves:variable("name") == "fox" and saves:variable("door").count == 3LL)
    saves:write("one")
    saves:variable("name", nil)
    saves:removeVariable("door")
    saves:variable("new", false)
    assert(saves:variable("new") == false and next(saves:variables()) == "new")
    local loaded = saves:read("one")
    assert(saves:variable("name") == "fox" and saves:variable("new") == nil)
    assert(loaded.envelope.variables.name == "fox")
    fails("FIRN_INVALID", "variable", saves.variable, saves, "", 1)
    fails("FIRN_INVALID", "function", saves.variable, saves, "f", print)
    refused("variable: name: a string is wanted, not a number", saves.variable, saves, 5)
    refused("removeVariable: name: a string is wanted, not nil", saves.removeVariable, saves)
end

-- ---------------------------------------------------------------- K6, K8, K10

function test.K6_play_time_runs_in_the_line_and_meta_is_read_without_the_world()
    local saves = game()
    saves:endTick(1.5)
    saves:write("one", {meta = {title = "the cave", thumbnail = "PNG"}})
    saves:endTick(10)
    assert(saves:playTime() == 11.5)
    saves:read("one")
    assert(saves:playTime() == 1.5)
    local slot = saves:list()[1]
    assert(slot.name == "one" and slot.playTime == 1.5 and slot.meta.title == "the cave")
    assert(slot.meta.thumbnail == nil and slot.hasThumbnail and saves:thumbnail("one") == "PNG")
    assert(slot.size > 0 and slot.timestamp > 1.6e12 and slot.revision == 1 and slot.level == "")
    assert(slot.gameVersion == 1 and slot.error == nil and not slot.newer and not slot.otherGame)
    saves:write("two")
    assert(saves:thumbnail("two") == nil and saves:thumbnail("three") == nil)
    fails("FIRN_INVALID", "meta.f is a function", saves.write, saves, "one", {meta = {f = print}})
    fails("FIRN_LIMIT", "4096", saves.write, saves, "one", {meta = {text = ("x"):rep(5000)}})
end

function test.K8_slots_are_asked_for_copied_renamed_and_removed()
    local saves, world, fox, Gold = game()
    assert(not saves:has("one") and saves:newest() == nil and #saves:list() == 0)
    saves:write("one")
    saves:copy("one", "two")
    fails("FIRN_EXISTS", "two", saves.copy, saves, "one", "two")
    saves:copy("one", "two", {replace = true})
    saves:rename("two", "three")
    assert(not saves:has("two") and saves:has("three"))
    fails("FIRN_EXISTS", "three", saves.rename, saves, "one", "three")
    fails("FIRN_NOT_FOUND", "nine", saves.copy, saves, "nine", "ten")
    world:set(fox, Gold, 5)
    saves:write("newer")
    assert(#saves:list() == 3 and saves:newest() ~= nil)
    saves:remove("one")
    fails("FIRN_NOT_FOUND", "one", saves.remove, saves, "one")
    fails("FIRN_NOT_FOUND", "one", saves.read, saves, "one")
    refused("unknown option 'replaec'", saves.copy, saves, "a", "b", {replaec = true})
    refused("options: a table is wanted, not a boolean", saves.rename, saves, "a", "b", false)
    refused("copy: to: a string is wanted, not nil", saves.copy, saves, "a")
end

function test.K10_bad_names_of_slots_are_refused_before_the_storage_is_asked()
    local storage, entries = tools.storage()
    local called = 0
    for _, name in ipairs({"put", "get", "head", "list", "remove"}) do
        local call = storage[name]
        storage[name] = function(...)
            called = called + 1
            return call(...)
        end
    end
    local saves = game({storage = storage})
    local before = called
    for _, name in ipairs({"", ("x"):rep(65), "../x", "CON", "nul", "a.", "Upper", "füchsin"}) do
        for _, method in ipairs({"write", "read", "requestSave", "requestLoad", "remove", "thumbnail", "inspect"}) do
            fails("FIRN_INVALID", method, saves[method], saves, name)
        end
        for _, method in ipairs({"copy", "rename"}) do
            fails("FIRN_INVALID", method, saves[method], saves, name, "a")
            fails("FIRN_INVALID", method, saves[method], saves, "a", name)
        end
        assert(not saves:has(name))
    end
    refused("slot has a zero byte in it", saves.write, saves, "a\0b")
    refused("write: slot: a string is wanted, not a number", saves.write, saves, 5)
    assert(called == before and next(entries) == nil)
    saves:write("-rf")
    saves:write(("x"):rep(64))
    assert(saves:has("-rf"))
end

function test.K10_the_number_of_slots_is_bounded_but_for_two()
    local saves = game({maxSlots = 2})
    saves:write("autosave")
    saves:write("quicksave")
    saves:write("a")
    saves:write("b")
    fails("FIRN_LIMIT", "2", saves.write, saves, "c")
    saves:write("a")
    saves:remove("b")
    saves:write("c")
end

-- ---------------------------------------------------------------- K7

local function listen(world)
    local heard = {}
    for _, name in ipairs({"saved", "save_failed", "loaded"}) do
        world:observe(0, name, function(event, told)
            assert(told == world and event.payload.slot)
            heard[#heard + 1] = name .. " " .. event.payload.slot
            heard[name] = event.payload
        end)
    end
    return heard
end

function test.K7_requests_wait_for_the_end_of_the_tick_and_are_told()
    local saves, world, fox, Gold = game()
    local heard = listen(world)
    assert(saves:requestLoad("one") == false)
    world:addSystem({name = "save", run = function()
        saves:requestSave("one", {meta = {title = "in a step"}})
        fails("FIRN_BUSY", "firn_saves_request_save", saves.write, saves, "one")
    end})
    world:step(1)
    assert(not saves:has("one") and #heard == 0)
    saves:endTick(1)
    assert(heard[1] == "saved one" and #heard == 1 and heard.saved.result == "FIRN_OK")
    world:set(fox, Gold, 4)
    assert(saves:requestLoad("one") == true)
    saves:endTick(1)
    assert(world:get(fox, Gold) == 1 and #heard == 1)
    saves:tell()
    assert(heard[2] == "loaded one" and #heard == 2)
    local loaded = heard.loaded.loaded
    assert(loaded.world == world and loaded.envelope.meta.title == "in a step" and loaded.report.committed)
    saves:requestSave("a")
    saves:requestSave("b")
    saves:requestSave("a", {meta = {n = 2}})
    saves:endTick(0)
    assert(heard[3] == "saved a" and heard[4] == "saved b" and #heard == 4)
    fails("FIRN_INVALID", "seconds", saves.endTick, saves, -1)
    refused("endTick: seconds: a number is wanted, not nil", saves.endTick, saves)
    refused("unknown option 'mete'", saves.requestSave, saves, "a", {mete = {}})
end

function test.K7_a_request_that_fails_is_told_with_its_cause()
    local saves, world = game()
    local heard = listen(world)
    local both = {}
    for i = 1, 2 do
        world:observe(0, "save_failed", function(event)
            both[i] = event.payload.error
        end)
    end
    local raised = {}
    local remove = saves:onBeforeSave(function()
        error(raised)
    end)
    saves:requestSave("one")
    saves:endTick(0)
    remove()
    assert(#heard == 1 and heard[1] == "save_failed one")
    local problem = heard.save_failed.error
    assert(problem.result == "FIRN_REFUSED" and problem.cause == raised)
    assert(both[1].cause == raised and both[2].cause == raised)
    assert(problem.traceback and tostring(problem):find("binding_saves.lua", 1, true))
    assert(not saves:has("one"))
    saves:write("one")
    saves:requestLoad("one")
    saves:remove("one")
    saves:endTick(0)
    saves:endTick(0)
    assert(heard.loaded.error.result == "FIRN_NOT_FOUND" and heard.loaded.error.cause == nil)
    assert(heard.loaded.loaded.envelope == nil)
end

function test.K7_a_load_that_fails_is_told_on_a_later_tick_with_its_cause()
    local raised, other, check = {}, {}, nil
    local saves, world = game()
    local heard = listen(world)
    local second
    world:observe(0, "loaded", function(event)
        second = event.payload.error
    end)
    world:addSnapshotHandler({name = "weather", check = function()
        return check and error(check)
    end})
    saves:write("one")
    -- What a handler of the world raises, with other calls in between.
    check = raised
    saves:requestLoad("one")
    saves:endTick(0)
    check = nil
    collectgarbage()
    assert(saves:has("one") and fails("FIRN_NOT_FOUND", "", saves.read, saves, "two").cause == nil)
    saves:write("two")
    assert(#heard == 0)
    saves:tell()
    local problem = heard.loaded.error
    assert(problem.result == "FIRN_REFUSED" and problem.message:find("weather: a table was raised", 1, true))
    assert(problem.cause == raised and problem.traceback:find("binding_saves.lua", 1, true))
    assert(second.cause == raised)
    -- It is that of the load, whatever a save in the same tick, and one in the next, raised.
    local remove = saves:onBeforeSave(function()
        error(other)
    end)
    check = raised
    saves:requestSave("three")
    saves:requestLoad("one")
    saves:endTick(0)
    check = nil
    assert(heard.save_failed.error.cause == other)
    saves:requestSave("three")
    heard.save_failed = nil
    saves:endTick(0)
    remove()
    assert(heard.loaded.error.cause == raised and heard.save_failed.error.cause == other)
    -- A text that the message has no room for.
    check = ("long "):rep(400)
    saves:requestLoad("one")
    saves:endTick(0)
    saves:endTick(0)
    assert(heard.loaded.error.cause:find("long long", 1, true) and #heard.loaded.error.message < 2000)
    check = "two\nlines"
    saves:requestLoad("one")
    saves:endTick(0)
    saves:endTick(0)
    assert(heard.loaded.error.cause:find("two\nlines", 1, true))
    -- One that raised nothing has none.
    check = nil
    saves:requestLoad("one")
    saves:remove("one")
    saves:endTick(0)
    saves:endTick(0)
    assert(heard.loaded.error.result == "FIRN_NOT_FOUND" and heard.loaded.error.cause == nil)
end

function test.K7_what_nobody_heard_of_is_not_the_cause_of_the_next_one()
    local saves, world = game()
    local check
    world:addSnapshotHandler({name = "weather", check = function()
        return check and error(check)
    end})
    saves:write("one")
    for i = 1, 3 do -- without an observer
        check = {i}
        saves:requestLoad("one")
        saves:endTick(0)
    end
    local heard = listen(world)
    local last = {}
    check = last
    saves:tell()
    heard.loaded = nil
    saves:requestLoad("one")
    saves:endTick(0)
    saves:endTick(0)
    assert(heard.loaded.error.cause == last)
end

function test.K7_requests_of_one_tick_that_fail_have_each_the_cause_of_its_own()
    local saves, world = game()
    local calls, causes = 0, {}
    world:addSnapshotHandler({name = "weather", save = function()
        error("a handler")
    end})
    saves:onBeforeSave(function()
        calls = calls + 1
        if calls == 2 then
            error("a hook")
        end
    end)
    world:observe(0, "save_failed", function(event)
        causes[event.payload.slot] = event.payload.error.cause
    end)
    saves:requestSave("one")
    saves:requestSave("two")
    saves:endTick(0)
    assert(causes.one:find("a handler", 1, true) and causes.two:find("a hook", 1, true))
end

-- A save that fails while nobody listens, and a load whose message is cut, or is short.
function test.K7_a_load_finds_its_cause_behind_those_of_others()
    for _, check in ipairs({("long "):rep(400), "short"}) do
        local saves, world = game()
        world:addSnapshotHandler({name = "weather", check = function()
            error(check)
        end})
        saves:write("one")
        saves:onBeforeSave(function()
            error("a hook")
        end)
        saves:requestSave("two")
        saves:requestLoad("one")
        saves:endTick(0)
        local heard = listen(world)
        saves:tell()
        assert(#heard == 1 and heard.loaded.error.cause:find(check, 1, true))
    end
end

function test.K7_an_observer_of_a_save_that_is_requested_is_the_cause_as_well()
    local saves, world = game()
    local heard = listen(world)
    local raised = {}
    world:addSnapshotHandler({name = "weather", save = function()
        error(raised)
    end})
    saves:requestSave("one")
    saves:endTick(0)
    assert(heard.save_failed.error.cause == raised and heard.save_failed.error.traceback)
end

function test.K7_autosaves_come_by_play_time_into_a_ring()
    local saves, world = game({autosaveSeconds = 2, autosaveRing = 2})
    local heard = listen(world)
    for _ = 1, 8 do
        saves:endTick(1)
    end
    assert(table.concat(heard, ",") == "saved autosave,saved autosave-2,saved autosave,saved autosave-2")
    fails("FIRN_INVALID", "autosave", game, {autosaveSeconds = -1})
end

function test.K7_what_an_observer_raises_is_raised_by_the_end_of_the_tick()
    local saves, world = game()
    world:observe(0, "saved", function()
        error("not now")
    end)
    saves:requestSave("one")
    local problem = fails("FIRN_REFUSED", "an observer of saved", saves.endTick, saves, 0)
    assert(problem.cause:find("not now", 1, true) and saves:has("one"))
end

-- The game's own events may have these names, too.
function test.K7_events_of_the_game_keep_their_payload()
    local world = firn.newWorld()
    world:newEvent("saved")
    local got
    world:observe(0, "saved", function(event)
        got = event.payload
    end)
    world:emit("saved", 0, {mine = true})
    assert(got.mine == true)
    world:emit("saved", 0)
    assert(got == nil)
end

-- ---------------------------------------------------------------- K11, K12

function test.K11_options_are_checked_and_named()
    local world = firn.newWorld()
    local open = firn.saves.open
    refused("open: world: a world is wanted, not nil", open)
    refused("open: world: a world is wanted, not a table", open, {})
    refused("open: options: a table is wanted, not nil", open, world)
    refused("unknown option 'gmae'", open, world, {gmae = "fox"})
    refused("option 'game': a string is wanted, not nil", open, world, {})
    refused("option 'levels': a table is wanted, not a boolean", open, world, {game = "a", levels = false})
    refused("unknown option 'levels.leave'", open, world, {game = "a", levels = {leave = print}})
    refused("option 'levels.enter': a function is wanted", open, world, {game = "a", levels = {enter = 1}})
    refused("option 'now': a function is wanted", open, world, {game = "a", now = 5})
    refused("storage: a table is wanted, not a boolean", open, world, {game = "a", storage = false})
    refused("option 'storage.put' is missing", open, world, {game = "a", storage = {name = "x"}})
    refused("a key is 'x', not a version", open, world, {game = "a", migrations = {x = print}})
    refused("option 'migrations[1]': a function or false is wanted, not a boolean", open, world,
        {game = "a", migrations = {true}})
    refused("unknown option 'snapshot.format'", open, world, {game = "a", snapshot = {format = "binary"}})
    refused("unknown option 'snapshot.nothing'", open, world, {game = "a", snapshot = {nothing = 1}})
    refused("unknown limit 'dpeth'", open, world, {game = "a", limits = {dpeth = 1}})
    refused("version", open, world, {game = "a", version = -1})
    refused("version", open, world, {game = "a", version = 1.5})
    fails("FIRN_INVALID", "..", open, world, {game = ".."})
    fails("FIRN_INVALID", "version 5", open, world, {game = "a", version = 2, migrations = {[5] = false}})
    fails("FIRN_INVALID", "compression", open, world, {game = "a", compression = 99})
    local saves = open(world, {game = "a"})
    fails("FIRN_EXISTS", "", open, world, {game = "a"})
    fails("FIRN_INVALID", "storage", saves.write, saves, "one")
    saves:close()
    open(world, {game = "a"}):close()
    refused("the saves have been closed", saves.list, saves)
    world:destroy()
    refused("the world has been destroyed", open, world, {game = "a"})
end

function test.K11_options_of_snapshots_are_those_of_every_save()
    local world = firn.newWorld()
    local Fly = world:newTag({name = "Fly"})
    local Gold = world:newScalar({name = "Gold", type = "number"})
    world:spawn(Gold(1))
    world:spawn(Fly, Gold(2))
    local saves = firn.saves.open(world, {
        game = "fox", storage = firn.saves.memory(),
        snapshot = {exclude = {Fly}, customData = {weather = {"rain"}}, filterQuery = {include = {Gold}}},
    })
    collectgarbage()
    local seen
    world:loadSnapshot(saves:make().snapshot, {onData = function(_, value, key)
        seen = key .. value[1]
    end})
    assert(world:count() == 1 and seen == "weatherrain")
end

function test.K11_compressed_saves_load_again()
    local ok, saves, world = pcall(game, {compression = 3})
    if not ok then
        assert(saves.result == "FIRN_UNSUPPORTED", tostring(saves)) -- in this build
        return
    end
    world:spawnMany(5000, firn.Disabled)
    local envelope = saves:make()
    local small = saves:makeBytes()
    assert(#small < #firn.saves.bytes(envelope))
    assert(#firn.saves.bytes(envelope, {compression = 3}) < 2 * #small)
    assert(firn.saves.envelope(small).snapshot == envelope.snapshot)
    saves:take(small)
end

function test.K12_the_folder_of_a_game_is_told_and_a_folder_keeps_files()
    assert(firn.saves.folderOf("fox"):find("fox", 1, true))
    fails("FIRN_INVALID", "..", firn.saves.folderOf, "..")
    refused("folderOf: game: a string is wanted, not nil", firn.saves.folderOf)
    refused("one of the options 'path' and 'game' is wanted", firn.saves.folder, {})
    refused("unknown option 'pth'", firn.saves.folder, {pth = "x"})
    refused("has a zero byte", firn.saves.folder, {path = "a\0"})
end

-- ---------------------------------------------------------------- K17

function test.K17_play_in_an_editor_leaves_the_world_as_it_was()
    local saves, world, fox, Gold = game({editor = true})
    local hash = world:hash()
    assert(not saves:playing())
    fails("FIRN_BUSY", "", saves.make, saves)
    fails("FIRN_BUSY", "", saves.requestSave, saves, "one")
    fails("FIRN_NOT_FOUND", "", saves.playStop, saves)
    saves:playBegin()
    assert(saves:playing())
    world:set(fox, Gold, 50)
    world:spawn(Gold(2))
    saves:variable("x", 1)
    saves:endTick(5)
    saves:write("one")
    saves:requestSave("two")
    saves:playStop()
    assert(world:hash() == hash and saves:variable("x") == nil and saves:playTime() == 0)
    saves:endTick(0)
    assert(saves:has("one") and not saves:has("two") and #saves:list() == 1)
    saves:remove("one")
    local plain = game()
    assert(plain:playing())
    fails("FIRN_INVALID", "editor", plain.playBegin, plain)
end

-- ---------------------------------------------------------------- F6

function test.F6_a_background_save_holds_the_tick_of_its_request()
    local saves, world, fox, Gold = game({background = true, compression = 0})
    local heard = listen(world)
    world:set(fox, Gold, 2)
    saves:requestSave("one")
    saves:endTick(1)
    world:set(fox, Gold, 3)
    saves:wait()
    assert(not saves:writing() and #heard == 0)
    saves:endTick(1)
    assert(heard[1] == "saved one")
    saves:read("one")
    assert(world:get(fox, Gold) == 2)
    saves:requestSave("a")
    saves:requestSave("b")
    saves:endTick(0)
    saves:close() -- waits
end

function test.K7_an_observer_of_saves_cannot_close_them()
    local saves, world = game()
    local told = 0
    world:observe(0, "saved", function()
        refused("close: the saves are in use by endTick", saves.close, saves)
        told = told + 1
    end)
    saves:requestSave("one")
    saves:endTick(1)
    assert(told == 1 and saves:has("one"))
end

-- A storage of the game alone: what is packed is put by the end of a tick, and runs until then.
function test.F6_a_second_save_is_kept_waits_or_is_busy()
    for _, second in ipairs({"default", "kept", "waits", "busy"}) do
        local saves, world = game({background = true, storage = tools.storage(),
            secondSave = second ~= "default" and second or nil})
        local heard = listen(world)
        saves:requestSave("one")
        saves:endTick(0)
        assert(saves:writing())
        if second == "busy" then
            fails("FIRN_BUSY", "one", saves.requestSave, saves, "two")
        else
            saves:requestSave("two")
        end
        saves:endTick(0)
        saves:wait()
        saves:endTick(0)
        saves:wait()
        saves:endTick(0)
        assert(heard[1] == "saved one")
        assert(heard[2] == (second ~= "busy" and "saved two" or nil))
    end
    refused("open: option 'secondSave': it is \"kept\", \"waits\" or \"busy\", not 'later'",
        game, {secondSave = "later"})
    refused("open: option 'secondSave': a string is wanted, not a boolean", game, {secondSave = true})
end

function test.F6_a_storage_in_Lua_is_called_by_the_game_alone()
    local storage, entries = tools.storage()
    local saves, world = game({background = true, storage = storage})
    local heard = listen(world)
    saves:requestSave("one")
    saves:endTick(0)
    saves:wait()
    saves:endTick(0)
    assert(heard[1] == "saved one" and entries.one)
    saves:requestSave("two")
    saves:endTick(0)
    saves:close()
    assert(entries.two)
end

function test.F6_a_failure_of_the_background_is_told()
    local storage = tools.storage()
    storage.put = function()
        return nil, "FIRN_IO", "the cloud is gone"
    end
    local saves, world = game({background = true, storage = storage})
    local heard = listen(world)
    saves:requestSave("one")
    saves:endTick(0)
    saves:wait()
    saves:endTick(0)
    assert(heard[1] == "save_failed one")
    assert(heard.save_failed.error.result == "FIRN_IO")
    assert(heard.save_failed.error.message:find("the cloud is gone", 1, true))
end

-- ---------------------------------------------------------------- now

function test.a_clock_that_fails_fails_the_save()
    local raised = {}
    local clock = function()
        error(raised)
    end
    local saves, world = game({now = function()
        return clock()
    end})
    local hash = world:hash()
    local problem = fails("FIRN_REFUSED", "now: a table was raised", saves.write, saves, "one")
    assert(problem.cause == raised and problem.traceback and world:hash() == hash)
    assert(not saves:has("one"))
    local heard = listen(world)
    saves:requestSave("one")
    saves:endTick(0)
    assert(heard.save_failed.error.cause == raised and heard.save_failed.error.message:find("now: "))
    for _, wrong in ipairs({"noon", -1, 0.5, 2^60}) do
        clock = function()
            return wrong
        end
        fails("FIRN_REFUSED", "now", saves.make, saves)
    end
    clock = function()
        return 5
    end
    assert(saves:make().timestamp == 5)
end

return test
