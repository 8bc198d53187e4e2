-- What happens in the middle of calls of saves: finalizers, other threads, answers that change.
local core = require("firn.core")
local firn = require("firn")
local finalizers = require("finalizers")
local tools = require("saves_tools")
local game, fails = tools.game, tools.fails

local test = {}

local function filled(letter)
    local value = {}
    for i = 1, 40 do
        value["key" .. i] = {letter:rep(300 + i), {i}}
    end
    return value
end

function test.K3_variables_are_read_whole_while_finalizers_change_them()
    local saves = game()
    local values = {filled("a"), filled("b")}
    saves:variable("plan", values[1])
    finalizers(function(ran)
        saves:variable("plan", values[ran % 2 + 1])
        saves:variable("text", ("t"):rep(20000 + ran))
    end, 60, function()
        local plan = saves:variables().plan
        local letter = plan.key1[1]:sub(1, 1)
        for i = 1, 40 do
            assert(plan["key" .. i][1] == letter:rep(300 + i) and plan["key" .. i][2][1] == i)
        end
        local text = saves:variable("text")
        assert(text == nil or text == ("t"):rep(#text))
    end)
end

-- Calls use(saves) again and again, with saves that finalizers close.
local function amongClosing(use)
    local saves
    finalizers(function()
        if saves then
            saves:close()
            saves = nil
        end
    end, 30, function()
        saves = saves or game()
        local ok, problem = pcall(use, saves)
        assert(ok or tostring(problem):find("the saves have been closed", 1, true), problem)
    end)
end

function test.K3_a_finalizer_may_close_saves_whose_variables_are_read()
    amongClosing(function(saves)
        saves:variable("plan", filled("a"))
        return saves:variables()
    end)
end

function test.K3_a_call_of_saves_that_are_closed_while_its_arguments_are_read_says_so()
    local saves = game()
    local options = setmetatable({sections = {}, force = false}, {__index = function()
        saves:close() -- as a finalizer would
    end})
    tools.refused("makeBytes: the saves have been closed", core.saves_make, saves.core, options, true)
end

function test.K3_a_finalizer_may_close_saves_that_have_loaded()
    local saves = game()
    saves:variable("plan", filled("a"))
    local bytes = saves:makeBytes()
    amongClosing(function(others)
        return others:take(bytes)
    end)
end

function test.F6_a_finalizer_cannot_use_a_manager_that_is_collected_with_it_but_its_save_is_kept()
    local function drop(told)
        local storage, entries = tools.storage()
        local saves = game({storage = storage, background = true})
        saves:onBeforeSave(function()
            collectgarbage()
        end)
        saves:requestSave("one")
        saves:endTick(0)
        getmetatable(newproxy(true)).__gc = function()
            for _, name in ipairs({"write", "requestSave", "has", "list", "variables", "wait", "close"}) do
                local ok, problem = pcall(saves[name], saves, "two")
                told[#told + 1] = ok and name or problem
            end
        end
        return entries
    end
    jit.off(drop, true)
    local heard = 0
    for _ = 1, 10 do
        local told = {}
        local entries = drop(told)
        for _ = 1, 6 do
            collectgarbage()
        end
        for _, problem in ipairs(told) do
            heard = heard + 1
            assert(problem:find("collected together", 1, true) or problem:find("have been closed", 1, true),
                problem)
        end
        assert(#told == 0 or entries.one and not entries.two)
    end
    assert(heard > 0)
end

function test.F6_a_save_of_a_manager_that_is_collected_is_kept_although_its_storage_collects()
    local function drop()
        local storage, entries = tools.storage()
        for _, name in ipairs({"head", "list", "put"}) do
            local call = storage[name]
            storage[name] = function(...)
                collectgarbage()
                return call(...)
            end
        end
        local saves = game({storage = storage, background = true})
        saves:requestSave("one")
        saves:endTick(0)
        return entries
    end
    local kept = 0
    for _ = 1, 10 do
        local entries = drop()
        for _ = 1, 4 do
            collectgarbage()
        end
        kept = kept + (entries.one and 1 or 0)
    end
    assert(kept >= 6, kept) -- dead slots of the stack may still show some
end

function test.finalizers_do_not_change_the_sections_and_fields_that_are_read()
    local saves = game()
    local sections, fields = {}, {}
    finalizers(function(ran)
        sections["s" .. ran % 50] = ran % 3 > 0 and ("x"):rep(ran) or nil
        fields[1] = "field" .. ran
    end, 60, function(i)
        sections, fields = {a = ("y"):rep(i)}, {"first" .. i}
        saves:makeBytes({sections = sections, meta = {list = {("m"):rep(300 + i)}}})
        saves:onBeforeSave(function() end, fields)()
    end)
end

function test.F6_background_saves_of_two_games_take_turns_in_the_storage_they_share()
    local path = os.tmpname()
    os.remove(path)
    local options = {storage = firn.saves.folder({path = path}), background = true}
    local first, one = game(options)
    local second, two = game(options)
    local problem
    for _, world in ipairs({one, two}) do
        world:observe(0, "save_failed", function(event)
            problem = event.payload.error
        end)
    end
    for i = 1, 60 do
        first:requestSave("first", {meta = {of = "first"}})
        second:requestSave("the-second", {meta = {of = "the-second"}})
        first:endTick(0)
        second:endTick(0)
        repeat
            for _, slot in ipairs(first:list()) do
                assert(not slot.error and slot.meta.of == slot.name)
            end
        until not second:writing() and not first:writing()
        assert(first:has("first") and first:has("the-second") and #first:list() == 2, i)
    end
    first:tell()
    second:tell()
    assert(not problem, problem)
    second:remove("first")
    first:remove("the-second")
    first:close()
    second:close()
    os.remove(path .. "/.firn-lock")
    assert(os.remove(path))
end

function test.K12_entries_of_a_list_are_read_once_and_checked()
    local entry, saves
    local function lists(given)
        entry = given
        return saves.list, saves
    end
    local storage = tools.storage()
    storage.list = function()
        return {entry}
    end
    saves = game({storage = storage})
    for _, wrong in ipairs({-1, 0, 0 / 0, 1.5, 2 ^ 70, "x", {}, false}) do
        fails("FIRN_REFUSED", "a revision is a whole number", lists({
            name = "one", size = 5, revision = wrong,
        }))
        lists({name = "one", size = 5, modified = wrong})
        assert(#saves:list() == 0) -- nobody finds the entry
    end
    local asked = 0
    lists(setmetatable({}, {__index = function(_, key)
        if key == "name" then
            asked = asked + 1
            return asked == 1 and "one" or nil
        end
        return key == "size" and 5 or nil
    end}))
    assert(#saves:list() == 0 and asked == 1)
end

function test.K12_an_entry_of_no_bytes_has_an_empty_head()
    local storage, entries = tools.storage()
    entries.one = {current = {bytes = "", revision = 1}}
    local saves = game({storage = storage})
    local slot = saves:list()[1]
    assert(slot.name == "one" and slot.size == 0 and slot.error)
    assert(saves:newest() == nil and saves:has("one"))
    storage.head = function()
        return "", {size = 0, revision = 1}
    end
    local _, failures = firn.saves.checkStorage(storage) -- which also asks for no bytes
    assert(failures > 0)
end

return test
