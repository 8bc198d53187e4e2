-- What differs in two worlds or saves, and in a slot and the game.
local firn = require("firn")
local tools = require("saves_tools")
local fails, refused = tools.fails, tools.refused

local test = {}

local Place = firn.newFFIComponent({name = "DiffPlace", fields = {{"x", "float"}, {"ids", "int64_t[2]"}}})
local Bag = firn.newComponent({name = "DiffBag", fields = {"things", "gold"}})
local Score = firn.newScalar({name = "DiffScore", type = "number"})
local Likes = firn.newRelationship({name = "DiffLikes"})
local Owns = firn.newRelationship({name = "DiffOwns", sparse = true})

local function fill(world)
    local hero = world:spawn(Place(1, {2, 3}), firn.EntityKey("hero"))
    local friend = world:spawn(Bag({"rope"}, 4), Score(5), Likes(hero), Owns(hero))
    return hero, friend
end

local function two()
    local left, right = firn.newWorld(), firn.newWorld()
    local hero, friend = fill(left)
    fill(right)
    return left, right, hero, friend
end

function test.F1_worlds_and_saves_are_compared_in_any_pairing()
    local left, right, hero, friend = two()
    assert(firn.diff(left, right).same and firn.diff(left, right, {format = "text"}) == "")
    right:set(hero, Place(1.5, {2, 9}))
    right:getMut(friend, Bag).things[2] = {name = "lamp"}
    right:set(friend, Score(6))
    right:unrelate(friend, Likes, hero)
    local lines = table.concat({
        'entity 1 (key "hero"): DiffPlace.x 1 -> 1.5',
        'entity 1 (key "hero"): DiffPlace.ids[1] 3 -> 9',
        'entity 2: DiffBag.things[2] nil -> {name = "lamp"}',
        "entity 2: DiffLikes->1 only left",
        "entity 2: DiffScore 5 -> 6",
    }, "\n") .. "\n"
    local a = left:saveSnapshot({sparseEdges = true}).buffer
    local b = right:saveSnapshot({sparseEdges = true, wireVersion = 2}).buffer
    for _, pair in ipairs({{left, right}, {a, right}, {tostring(a), right}, {left, b}}) do
        local got = firn.diff(pair[1], pair[2], {format = "text"})
        got = got:gsub("DiffScore.value", "DiffScore")
        assert(got == lines, got)
    end
    assert(firn.diff(a, b).header[1].path == "version")
end

function test.F1_a_table_has_entities_changes_and_counts()
    local left, right, hero, friend = two()
    right:set(hero, Place(1.5, {2, 9}))
    right:despawn(friend)
    right:seed(3)
    local found = firn.diff(left, right)
    assert(not found.same and found.differences == 5 and found.listed == 5)
    local entity, gone = found.entities[1], found.entities[2]
    assert(entity.id == hero and entity.key == "hero" and entity.only == nil and #entity.changes == 2)
    local change = entity.changes[1]
    assert(change.component == "DiffPlace" and change.path == "x" and change.field == "DiffPlace.x")
    assert(change.left == 1 and change.right == 1.5)
    assert(entity.changes[2].left == 3LL and entity.changes[2].path == "ids[1]")
    assert(gone.id == friend and gone.only == "left" and gone.changes == nil)
    assert(found.header[1].path == "freeIds" and found.header[1].right == 1)
    assert(found.data[1].key == "tecs.random" and found.data[1].only == "right")
end

function test.options_choose_what_is_compared()
    local left, right, hero, friend = two()
    right:set(hero, Place(1.5, {2, 3}))
    right:set(friend, Score(6))
    right:seed(3)
    local function count(options)
        return firn.diff(left, right, options).differences
    end
    assert(count() == 3 and count({entitiesOnly = true}) == 2 and count({tolerance = 0.5}) == 2)
    assert(count({components = {Place}}) == 1 and count({components = {"DiffScore"}}) == 1)
    assert(count({components = {Place, "DiffScore"}, exclude = {Score}}) == 1)
    assert(count({components = {}}) == 0 and count({exclude = {Place, Score}}) == 1)
    local some = firn.diff(left, right, {limit = 1})
    assert(some.differences == 3 and some.listed == 1 and #some.entities == 1 and #some.data == 0)
    assert(firn.diff(left, right, {limit = 1, format = "text"}):match("and 2 more\n$"))
    assert(count({limits = "untrusted", format = "table"}) == 3)
end

function test.what_cannot_be_compared_is_refused()
    local world = firn.newWorld()
    refused("diff: ", firn.diff, world)
    refused("diff: ", firn.diff, world, 5)
    refused("diff: unknown option 'tolerence'", firn.diff, world, world, {tolerence = 1})
    refused("diff: option 'tolerance': a number from 0 on", firn.diff, world, world, {tolerance = -1})
    refused("diff: option 'tolerance': a number from 0 on", firn.diff, world, world, {tolerance = 0/0})
    refused("diff: option 'limit': a whole number", firn.diff, world, world, {limit = 0.5})
    refused("diff: option 'format': it is \"table\" or \"text\"", firn.diff, world, world, {format = "json"})
    refused("diff: components[2]: a string is wanted", firn.diff, world, world, {components = {"A", 5}})
    refused("diff: exclude[1] has a zero byte", firn.diff, world, world, {exclude = {"A\0"}})
    fails("FIRN_TRUNCATED", "diff: ", firn.diff, "\7", world)
    fails("FIRN_NOT_OURS", "diff: ", firn.diff, "x", "y", {format = "text"})
    local gone = firn.newWorld()
    gone:destroy()
    refused("", firn.diff, world, gone)
end

-- ---------------------------------------------------------------- K9

local function game(options)
    local saves, world, hero, Gold = tools.game(options)
    saves:write("one")
    return saves, world, hero, Gold
end

function test.K9_right_after_a_load_everything_is_the_same()
    for _, kind in ipairs({"world", "persisted"}) do
        local saves, world, hero, Gold = tools.game({kind = kind})
        if kind == "persisted" then
            world:set(hero, firn.Persist({id = "hero"}))
        end
        saves:variable("gold", 3)
        saves:write("one")
        world:set(hero, Gold(9))
        saves:variable("gold", 4)
        local found = saves:inspect("one")
        assert(not found.same and found.changed == 1 and found.unchanged == 0)
        local entity = found.entities[1]
        assert(entity.status == "changed" and entity.id == hero)
        assert(entity.changes[1].field == "Gold" and entity.changes[1].saved == 1)
        assert(entity.changes[1].now == 9 and found.variables[1].path == "gold")
        assert(found.variables[1].saved == 3 and found.variables[1].now == 4)
        saves:read("one")
        found = saves:inspect("one")
        assert(found.same and found.differences == 0 and found.unchanged == 1)
        assert(#found.entities == (kind == "persisted" and 1 or 0))
    end
end

function test.K9_entities_are_missing_extra_and_the_same()
    local saves, world, hero, Gold = game()
    local extra = world:spawn(Gold(2), firn.Name("more"))
    local lines = saves:inspect("one", {all = true, format = "text"})
    assert(lines:find("entity 1: same\n", 1, true) and lines:find('entity 2 (name "more"): extra\n', 1, true))
    world:despawn(hero)
    local found = saves:inspect("one")
    assert(found.missing == 1 and found.extra == 1 and found.entities[1].status == "missing")
    assert(found.entities[2].id == extra and found.entities[2].name == "more")
    assert(#saves:inspect("one", {tolerance = 5}).entities == 2)
end

function test.K9_a_spawned_one_with_another_key_is_not_the_saved_one()
    local storage, found = firn.saves.memory(), nil
    for _, key in ipairs({"crate", "ball"}) do
        local saves, world, entity = tools.game({kind = "persisted", storage = storage})
        world:set(entity, firn.Persist({id = key, spawned = true}))
        if key == "crate" then
            saves:write("one")
        else
            found = saves:inspect("one")
        end
        saves:close()
    end
    local status = {}
    for _, entity in ipairs(found.entities) do
        status[entity.key] = entity.status
    end
    assert(found.changed == 0 and status.crate == "missing" and status.ball == "extra")
end

function test.K9_values_of_lua_handlers_are_compared()
    local saves, world = tools.game()
    local timers = {{due = 4}}
    world:addSnapshotHandler({name = "timers", save = function() return timers end,
        load = function(_, value) timers = value end})
    saves:write("one")
    timers = {{due = 5}, {due = 6}}
    local found = saves:inspect("one")
    assert(#found.data == 2 and found.data[1].key == "timers" and found.data[1].path == "[1].due")
    assert(found.data[1].saved == 4 and found.data[1].now == 5 and found.data[2].now.due == 6)
    saves:read("one")
    assert(saves:inspect("one").same)
end

function test.an_error_of_a_handler_reaches_the_caller()
    local saves, world = game()
    world:addSnapshotHandler({name = "broken", save = function() error("no timers") end})
    local problem = fails("FIRN_REFUSED", "inspect: ", saves.inspect, saves, "one")
    assert(tostring(problem.cause):find("no timers", 1, true))
end

function test.what_cannot_be_inspected_is_refused()
    local saves = game()
    fails("FIRN_NOT_FOUND", "inspect: ", saves.inspect, saves, "two")
    fails("FIRN_INVALID", "inspect: ", saves.inspect, saves, "Not A Slot")
    refused("inspect: slot", saves.inspect, saves, 5)
    refused("inspect: unknown option 'limit'", saves.inspect, saves, "one", {limit = 1})
    refused("inspect: option 'format'", saves.inspect, saves, "one", {format = "xml"})
    refused("inspect: option 'tolerance'", saves.inspect, saves, "one", {tolerance = -1})
    saves:close()
    refused("the saves have been closed", saves.inspect, saves, "one")
end

return test
