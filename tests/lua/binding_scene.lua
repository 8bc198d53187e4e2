-- Persisted saves: scenes that the game tells of, levels that it goes to, who is carried along.
local firn = require("firn")
local tools = require("saves_tools")
local fails, refused = tools.fails, tools.refused

local test = {}

local Place = firn.newFFIComponent({name = "ScenePlace", fields = {{"x", "float"}}})
local Bag = firn.newComponent({name = "SceneBag", fields = {"things"}})

-- A game of two scenes; a file says which local ids there are, and at which place. Even ones persist.
-- The player is carried and persists, the bird is only carried.
local function game(options)
    local own = {
        world = firn.newWorld({name = "game"}), entered = {},
        files = {cave = {[1] = 10, [2] = 20, [4] = 40}, wood = {[2] = 200, [3] = 300, [6] = 600}},
    }
    local world = own.world
    function own.enter(name, forRestore)
        local file = own.files[name]
        if not file then
            return false, "it is not on the map"
        end
        own.entered[#own.entered + 1] = name .. (forRestore and " again" or "")
        own.saves:leave()
        local ids = {}
        for id = 1, 9 do
            if file[id] then
                ids[id] = id % 2 == 0 and world:spawn(Place(file[id]), firn.Persist) or world:spawn(Place(file[id]))
            end
        end
        own.saves:scene(name, ids)
    end
    local given = {
        game = "scenes", kind = "persisted", storage = firn.saves.memory(), levels = {enter = own.enter},
    }
    for name, value in pairs(options or {}) do
        given[name] = value
    end
    own.saves = firn.saves.open(world, given)
    own.player = world:spawn(Place(1), firn.Carry, firn.Persist({id = "player", spawned = true}))
    own.bird = world:spawn(Place(2), Bag({"twig"}), firn.Carry)
    own.feather = world:spawn(Bag({1}), firn.ChildOf(own.bird))
    -- Where the entity is that the file calls so.
    function own.x(id)
        return world:get(own.saves:sceneEntity(id), Place).x
    end
    own.saves:enter("cave")
    return own, world, own.saves
end

-- ---------------------------------------------------------------- K5

function test.K5_a_save_of_another_scene_enters_it_and_its_entities_have_the_saved_ids()
    local own, world, saves = game()
    assert(saves:sceneName() == "cave")
    local two, four = saves:sceneEntity(2), saves:sceneEntity(4)
    world:set(two, Place(21))
    world:set(own.player, Place(5))
    saves:write("one")
    assert(saves:list()[1].level == "cave")
    saves:enter("wood")
    assert(not world:isAlive(four) and saves:sceneName() == "wood" and own.x(6) == 600)
    assert(table.concat(own.entered, ", ") == "cave, wood")
    world:set(own.player, Place(6))
    world:spawnMany(3) -- so that the cave gets other ids
    local loaded = saves:read("one")
    assert(table.concat(own.entered, ", ") == "cave, wood, cave again")
    assert(saves:sceneName() == "cave" and saves:sceneEntity(2) == two and saves:sceneEntity(4) == four)
    assert(own.x(2) == 21 and own.x(4) == 40 and own.x(1) == 10 and world:get(own.player, Place).x == 5)
    assert(#loaded.sceneMissing == 0 and #loaded.sceneNew == 0)
    assert(saves:sceneLocal(two) == 2 and saves:sceneLocal(own.player) == nil and saves:sceneEntity(3) == nil)
    -- The same scene with the same ids is not entered.
    saves:read("one")
    assert(#own.entered == 3)
end

function test.K5_a_save_of_the_same_scene_with_other_ids_gives_them_back()
    local own, world, saves = game()
    local two, four = saves:sceneEntity(2), saves:sceneEntity(4)
    saves:write("one")
    saves:enter("cave")
    assert(saves:sceneEntity(2) ~= two)
    saves:read("one")
    assert(saves:sceneEntity(2) == two and saves:sceneEntity(4) == four and own.x(4) == 40)
end

function test.K5_a_change_of_level_under_way_is_dropped_by_a_load()
    local own, world, saves = game()
    local told = {}
    for _, name in ipairs({"loaded", "level_entered"}) do
        world:observe(0, name, function(event)
            told[#told + 1] = name .. " " .. event.payload.slot .. " " .. event.payload.result
        end)
    end
    saves:write("one")
    saves:requestEnter("wood")
    saves:endTick(0)
    saves:tell()
    assert(saves:sceneName() == "wood" and table.concat(told, ", ") == "level_entered wood FIRN_OK")
    saves:requestEnter("wood")
    assert(saves:requestLoad("one"))
    saves:endTick(0)
    saves:tell()
    assert(saves:sceneName() == "cave" and told[2] == "loaded one FIRN_OK" and #told == 2)
    assert(own.entered[#own.entered] == "cave again")
end

function test.K5_a_scene_file_that_changed_is_reported_and_the_rest_loads()
    local own, world, saves = game()
    world:set(saves:sceneEntity(4), Place(41))
    saves:write("one")
    saves:enter("wood")
    own.files.cave = {[1] = 10, [4] = 40, [7] = 70, [8] = 80}
    local loaded = saves:read("one")
    assert(table.concat(loaded.sceneMissing, ",") == "2" and table.concat(loaded.sceneNew, ",") == "7,8")
    assert(own.x(4) == 41 and own.x(7) == 70)
end

function test.K5_a_scene_that_is_no_more_is_refused_and_nothing_changes()
    local own, world, saves = game()
    saves:write("one")
    saves:enter("wood")
    own.files.cave = nil
    local hash = world:hash()
    fails("FIRN_UNKNOWN", "it is not on the map", saves.read, saves, "one")
    fails("FIRN_UNKNOWN", "it is not on the map", saves.enter, saves, "cave")
    assert(world:hash() == hash and saves:sceneName() == "wood")
end

function test.K5_a_scene_that_cannot_be_made_goes_back_to_the_one_before()
    local own, world, saves = game()
    local make = own.enter
    saves:close()
    own.saves = firn.saves.open(world, {
        game = "scenes", kind = "persisted",
        levels = {
            enter = function(name, forRestore)
                make(name, forRestore)
                if own.broken == name then
                    error("no light in the " .. name)
                end
            end,
        },
    })
    saves = own.saves
    saves:enter("cave")
    local bytes = saves:makeBytes()
    saves:enter("wood")
    world:set(own.player, Place(7))
    world:set(saves:sceneEntity(6), Place(601))
    own.broken = "cave"
    local problem = fails("FIRN_REFUSED", "no light in the cave", saves.take, saves, bytes)
    assert(problem.wentBack and saves:sceneName() == "wood" and own.x(6) == 601)
    assert(world:get(own.player, Place).x == 7)
    own.broken = nil
    saves:take(bytes)
    assert(saves:sceneName() == "cave")
end

-- ---------------------------------------------------------------- K2

function test.K2_what_was_destroyed_stays_destroyed_in_later_saves_of_other_scenes_too()
    local own, world, saves = game()
    local four = saves:sceneEntity(4)
    world:despawn(four)
    saves:write("one")
    saves:enter("wood")
    saves:read("one")
    assert(not world:isAlive(four) and saves:sceneEntity(4) == four and own.x(2) == 20)
    saves:write("two")
    saves:enter("wood")
    saves:read("two")
    assert(not world:isAlive(four) and not world:isAlive(saves:sceneEntity(4)))
    -- One without persist is the scene's, whatever became of it.
    world:despawn(saves:sceneEntity(1))
    saves:write("three")
    saves:enter("wood")
    saves:read("three")
    assert(own.x(1) == 10)
end

-- ---------------------------------------------------------------- K16

function test.K16_who_is_carried_keeps_running_and_who_persists_is_put_back()
    local own, world, saves = game()
    saves:write("one")
    saves:enter("wood")
    world:set(own.bird, Place(9))
    world:get(own.bird, Bag).things[2] = "berry"
    world:set(own.player, Place(9))
    local moved = saves:read("one").moved
    local bird, feather = moved[own.bird] or own.bird, moved[own.feather] or own.feather
    assert(world:get(bird, Place).x == 9 and world:get(bird, Bag).things[2] == "berry")
    assert(world:target(feather, firn.ChildOf) == bird and world:get(feather, Bag).things[1] == 1)
    assert(world:get(own.player, Place).x == 1)
end

function test.K16_leaving_ends_all_but_who_is_carried_with_its_children()
    local own, world, saves = game()
    local ended = 0
    world:observe(0, firn.OnDespawn, function(event)
        ended = ended + event.count
    end)
    local nest = world:spawn(Bag({}), firn.ChildOf(saves:sceneEntity(1)))
    saves:leave()
    assert(world:count() == 3 and ended == 4 and not world:isAlive(nest))
    assert(world:isAlive(own.player) and world:isAlive(own.bird) and world:isAlive(own.feather))
    assert(saves:sceneName() == nil and saves:sceneEntity(2) == nil)
end

-- ---------------------------------------------------------------- what is refused

function test.scenes_and_levels_say_what_is_wrong_with_them()
    local own, world, saves = game()
    refused("scene: name: a string is wanted, not nil", saves.scene, saves)
    refused("scene: entities: a table is wanted, not nil", saves.scene, saves, "cave")
    refused("scene: entities: a local id: a number is wanted, not a string", saves.scene, saves, "cave", {a = 1})
    refused("scene: entities[2]: a number is wanted, not a string", saves.scene, saves, "cave", {[2] = "a"})
    refused("scene: name has a zero byte in it", saves.scene, saves, "a\0", {})
    refused("sceneEntity: local id: a number is wanted, not nil", saves.sceneEntity, saves)
    refused("sceneLocal: entity: a number is wanted, not nil", saves.sceneLocal, saves)
    refused("enter: level: a string is wanted, not nil", saves.enter, saves)
    refused("requestEnter: level has a zero byte in it", saves.requestEnter, saves, "a\0")
    fails("FIRN_INVALID", "scene", saves.scene, saves, "", {})
    for _, id in ipairs({0, -1, 1.5, 2^53}) do
        fails("FIRN_INVALID", "local id", saves.scene, saves, "cave", {[id] = own.player})
    end
    fails("FIRN_INVALID", "entity", saves.scene, saves, "cave", {[5] = 0})
    fails("FIRN_INVALID", "", saves.scene, saves, "cave", {[5] = own.player, [6] = own.player})
    assert(saves:sceneName() == "cave" and own.x(2) == 20)
    for _ in world:newQuery({include = {Place}}):each() do
        fails("FIRN_BUSY", "", saves.enter, saves, "wood")
        fails("FIRN_BUSY", "", saves.leave, saves)
    end
    local whole = firn.saves.open(firn.newWorld(), {game = "scenes"})
    fails("FIRN_UNSUPPORTED", "", whole.scene, whole, "cave", {})
    fails("FIRN_INVALID", "", whole.enter, whole, "cave")
    fails("FIRN_INVALID", "", whole.requestEnter, whole, "cave")
end

function test.what_a_level_raises_is_the_cause_when_the_game_enters_it()
    local raised = {}
    local world = firn.newWorld()
    local saves = firn.saves.open(world, {
        game = "scenes", storage = firn.saves.memory(),
        levels = {
            current = function() end,
            enter = function(level)
                if level == "cave" then
                    error(raised)
                end
                return firn.newWorld({name = level})
            end,
        },
    })
    assert(fails("FIRN_REFUSED", "", saves.enter, saves, "cave").cause == raised)
    assert(saves:world() == world)
    saves:enter("wood")
    assert(saves:world() ~= world and saves:world():name() == "wood")
    local payload
    saves:world():observe(0, "level_entered", function(event)
        payload = event.payload
    end)
    saves:requestEnter("cave")
    saves:endTick(0)
    saves:tell()
    assert(payload.slot == "cave" and payload.result == "FIRN_REFUSED")
    assert(payload.error.message:find("levels.enter: a table was raised", 1, true))
    assert(payload.error.cause == raised and payload.error.traceback)
end

return test
