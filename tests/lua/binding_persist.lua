-- Persisted saves: what they hold, what a load puts back, what it leaves alone, variables of entities.
local firn = require("firn")
local tools = require("saves_tools")
local fails, refused = tools.fails, tools.refused

local test = {}

local Place = firn.newFFIComponent({name = "PersistPlace", fields = {{"x", "float"}, {"y", "float"}}})
local Bag = firn.newComponent({name = "PersistBag", fields = {"things"}})
local Health = firn.newScalar({name = "PersistHealth", type = "number"})
local Title = firn.newScalar({name = "PersistTitle", type = "string"})
local Lit = firn.newTag({name = "PersistLit"})
local Spark = firn.newTag({name = "PersistSpark", transient = true})

-- A room with a player, a door and scenery, and its manager.
local function room(options)
    local own = {world = firn.newWorld({name = "room"})}
    function own.furnish(world)
        own.scenery = world:spawn(Place(1, 1))
        own.player = world:spawn(Place(2, 2), Bag({"key"}), firn.Persist({id = "player"}))
        own.door = world:spawn(Place(3, 3), Health(3), firn.Persist)
    end
    own.furnish(own.world)
    local given = {game = "rooms", kind = "persisted", storage = firn.saves.memory()}
    for name, value in pairs(options or {}) do
        given[name] = value
    end
    own.saves = firn.saves.open(own.world, given)
    return own, own.world, own.saves
end

local function x(world, entity)
    return world:get(entity, Place).x
end

-- ---------------------------------------------------------------- K1

function test.K1_a_persisted_save_holds_what_persists_and_leaves_the_rest_alone()
    local own, world, saves = room()
    saves:write("one")
    world:set(own.player, Place(20, 0))
    world:get(own.player, Bag).things[2] = "lamp"
    world:set(own.door, Health(1))
    world:add(own.door, Lit)
    world:set(own.scenery, Place(10, 0))
    local loaded = saves:read("one")
    assert(x(world, own.player) == 2 and world:get(own.player, Bag).things[2] == nil)
    assert(world:get(own.player, Bag).things[1] == "key")
    assert(world:get(own.door, Health) == 3 and not world:has(own.door, Lit))
    assert(x(world, own.scenery) == 10)
    assert(loaded.envelope.kind == "persisted" and loaded.world == world and next(loaded.moved) == nil)
    assert(saves:list()[1].kind == "persisted")
end

function test.K14_a_handler_is_told_who_is_saved_and_who_is_kept()
    local own, world, saves = room()
    local has, keeps = {}, {}
    world:addSnapshotHandler({name = "moods", save = function()
        for _, name in ipairs({"scenery", "player"}) do
            has[name] = world:saveHas(own[name])
        end
    end, check = function()
        for _, name in ipairs({"scenery", "player"}) do
            keeps[name] = world:loadKeeps(own[name])
        end
    end})
    saves:write("one")
    assert(has.scenery == false and has.player == true)
    saves:read("one")
    assert(keeps.scenery == own.scenery and keeps.player == nil)
    assert(world:loadKeeps(own.scenery) == nil and world:saveHas(own.scenery))
    world:loadSnapshot(world:saveSnapshot())
    assert(has.scenery == true and keeps.scenery == nil)
    refused("saveHas: ", world.saveHas, world, "one")
    refused("loadKeeps: ", world.loadKeeps, world)
end

function test.K4_script_state_of_scenery_is_not_saved_and_goes_on()
    local own, world, saves = room()
    saves:write("one")
    for _ = 1, 50 do
        world:step(1 / 60)
    end
    local rain = world:send("rain", {entity = own.scenery, delay = 4})
    local lost = world:send("rain", {entity = own.player, delay = 4})
    assert(world:scriptItem(rain).due == 54)
    saves:read("one")
    assert(world:scriptItem(rain).due == 4 and world:scriptItem(lost) == nil)
    local state = saves:make()
    world:despawn(own.scenery)
    saves:take(state)
    assert(#world:scriptItems() == 0)
end

function test.K4_script_state_of_what_persists_in_part_comes_back()
    local own, world, saves = room()
    world:addSequence("lamp", {glow = function() end, fade = function() end})
    local lamp = world:spawn(Health(5), firn.Persist({id = "lamp", mode = "fields", fields = {"PersistHealth"}}))
    local guide = world:spawn(Health(6), firn.Persist({mode = "vars"}))
    local timer = world:startTimer({sequence = "lamp", step = "glow", entity = lamp, delay = 9})
    world:setMachine(guide, "lamp", "glow")
    local bytes = saves:makeBytes()
    world:endScriptItem(timer)
    local later = world:startTimer({sequence = "lamp", step = "glow", entity = guide, delay = 2})
    world:setMachine(guide, "lamp", "fade")
    saves:take(bytes)
    assert(world:scriptItem(timer).entity == lamp and world:scriptItem(timer).due == 9)
    assert(world:machine(guide, "lamp").step == "glow" and world:scriptItem(later) == nil)
end

function test.K1_a_component_is_made_read_and_written_by_its_fields()
    local world = firn.newWorld()
    local default = world:spawn(firn.Persist)
    local row = world:get(default, firn.Persist)
    assert(row.id == "" and row.mode == "all" and #row.fields == 0 and row.vars and not row.spawned)
    local lamp = world:spawn(firn.Persist.new({
        id = "lamp", mode = "fields", fields = {"PersistPlace.x", "PersistHealth"}, vars = false,
    }))
    row = world:get(lamp, firn.Persist)
    assert(row.id == "lamp" and row.mode == "fields" and row.vars == false and not row.spawned)
    assert(table.concat(row.fields, ",") == "PersistPlace.x,PersistHealth" and row.__firn == firn.Persist)
    world:set(lamp, firn.Persist, {id = "torch"})
    assert(world:get(lamp, firn.Persist).id == "torch" and world:get(lamp, firn.Persist).mode == "all")
    world:set(default, world:get(lamp, firn.Persist))
    assert(world:get(default, firn.Persist).id == "torch")
    local writable = world:getMut(default, firn.Persist)
    writable.id, writable.mode, writable.fields, writable.vars = "t", "vars", {"PersistLit"}, false
    row = world:get(default, firn.Persist)
    assert(row.id == "t" and row.mode == "vars" and row.fields[1] == "PersistLit" and not row.vars)
    for archetype, count in world:newQuery({include = {firn.Persist}}):each() do
        assert(count == 2)
        archetype:columnMut(firn.Persist)[0].spawned = true
        assert(archetype:column(firn.Persist)[0].spawned and archetype:column(firn.Persist)[1].id == "torch")
    end
    assert(world:components(lamp)[1] == firn.Persist)
    assert(world:persistKey(lamp) == "torch" and world:persistKey(world:spawn(firn.Persist)) == "#3")
    assert(world:get(world:spawn(firn.Persist.new({spawned = true})), firn.Persist).spawned == true)
    assert(world:persistKey(world:spawn()) == nil and world:persistKey(77) == nil)
end

function test.K1_fields_and_variables_are_saved_by_themselves()
    local own, world, saves = room()
    local lamp = world:spawn(Place(1, 2), Health(5), Title("old"), Bag({"oil"}), firn.Persist({
        mode = "fields", fields = {"PersistPlace.x", "PersistTitle", "PersistBag", "PersistLit"}, vars = false,
    }))
    local guide = world:spawn(Health(5), firn.Persist({id = "guide", mode = "vars"}))
    world:variable(lamp, "lit", true)
    world:variable(guide, "told", {"hello", n = 1})
    local bytes = saves:makeBytes()
    world:set(lamp, Place(10, 20))
    world:set(lamp, Health(6))
    world:set(lamp, Title("new"))
    world:add(lamp, Lit)
    world:remove(lamp, Bag)
    world:variable(lamp, "lit", false)
    world:set(guide, Health(6))
    world:removeVariable(guide, "told")
    saves:take(bytes)
    local place = world:get(lamp, Place)
    assert(place.x == 1 and place.y == 20 and world:get(lamp, Health) == 6)
    assert(world:get(lamp, Title) == "old" and world:get(lamp, Bag).things[1] == "oil")
    assert(not world:has(lamp, Lit) and world:variable(lamp, "lit") == false)
    assert(world:variable(guide, "told").n == 1 and world:get(guide, Health) == 6)
end

function test.K1_an_entity_with_an_id_is_found_under_another_entity_id()
    local own, world, saves = room()
    local lamp = world:spawn(Health(5), firn.Persist({id = "lamp", mode = "fields", fields = {"PersistHealth"}}))
    local bytes = saves:makeBytes()
    world:despawn(lamp)
    world:spawn()
    local other = world:spawn(Health(9), firn.Persist({id = "lamp", mode = "fields", fields = {"PersistHealth"}}))
    assert(other ~= lamp)
    saves:take(bytes)
    assert(world:get(other, Health) == 5)
end

function test.K1_what_is_wrong_with_a_component_is_said_where_it_is_made()
    local world = firn.newWorld()
    refused("persist: the values: a table is wanted, not a string", firn.Persist, "door")
    refused("persist: there is no field 'key'", firn.Persist, {key = "door"})
    refused("persist: there is no field 1", firn.Persist, {"door"})
    refused("persist: id: a string is wanted, not a number", firn.Persist, {id = 5})
    refused("persist: id has a zero byte in it", firn.Persist, {id = "a\0b"})
    refused("persist: id has 64 bytes, not up to 63", firn.Persist, {id = ("a"):rep(64)})
    refused("persist: mode: it is \"all\", \"fields\" or \"vars\", not 'most'", firn.Persist, {mode = "most"})
    refused("persist: fields: a table is wanted, not a string", firn.Persist, {fields = "Light"})
    refused("persist: fields: a list is wanted", firn.Persist, {fields = {Light = true}})
    refused("persist: fields[1]: a string is wanted, not a number", firn.Persist, {fields = {5}})
    refused("persist: fields[1]: 'a b' is no name", firn.Persist, {fields = {"a b"}})
    refused("persist: fields has 192 bytes, not up to 191", firn.Persist, {fields = {("a"):rep(192)}})
    refused("persist: vars: a boolean is wanted, not a string", firn.Persist, {vars = "all"})
    refused("persist: spawned: a boolean is wanted, not a number", firn.Persist, {spawned = 1})
    local door = world:spawn(firn.Persist)
    refused("persist: there is no field 'key'", function()
        world:getMut(door, firn.Persist).key = "door"
    end)
    refused("persist: the value must be an instance, not 5", world.set, world, door, firn.Persist, 5)
    -- What takes a world to know is said where one gets it.
    local problem = fails("FIRN_INVALID", "#door", world.set, world, door, firn.Persist({id = "#door"}))
    assert(problem.subject == "id")
    fails("FIRN_INVALID", "id is no UTF-8", world.spawn, world, firn.Persist({id = "\255"}))
    problem = fails("FIRN_INVALID", "PersistPlace.z is no field of its component", world.spawn, world,
        Place(1, 2), firn.Persist({mode = "fields", fields = {"PersistPlace.x", "PersistPlace.z"}}))
    assert(problem.subject == "PersistPlace.z")
    fails("FIRN_INVALID", "ChildOf is a relation", world.spawn, world,
        firn.Persist({mode = "fields", fields = {"ChildOf"}}))
    assert(world:count() == 1 and world:get(door, firn.Persist).id == "")
end

function test.K1_a_field_of_no_component_is_refused_by_a_save()
    local own, world, saves = room()
    local lamp = world:spawn(firn.Persist({mode = "fields", fields = {"PersistGlow.red"}}))
    local problem = fails("FIRN_INVALID", "PersistGlow.red is of no component", world.checkPersist, world, lamp)
    assert(problem.subject == "PersistGlow.red" and problem.entity == lamp)
    problem = fails("FIRN_INVALID", "PersistGlow.red", saves.write, saves, "one")
    assert(problem.entity == lamp and not saves:has("one"))
    fails("FIRN_NOT_FOUND", "the entity has no persist", world.checkPersist, world, own.scenery)
    world:newFFIComponent({name = "PersistGlow", fields = {{"red", "float"}}})
    world:checkPersist(lamp)
    saves:write("one")
end

function test.K1_a_transient_component_is_in_no_save()
    local own, world, saves = room()
    world:add(own.player, Spark)
    local problem = fails("FIRN_INVALID", "PersistSpark is of a transient component", world.set, world, own.scenery,
        firn.Persist({mode = "fields", fields = {"PersistSpark"}}))
    assert(problem.subject == "PersistSpark" and not world:has(own.scenery, firn.Persist))
    -- Named before it is known, it is found by the save, which makes nothing.
    world:set(own.scenery, firn.Persist({mode = "fields", fields = {"PersistEmber"}}))
    world:newTag({name = "PersistEmber", transient = true})
    problem = fails("FIRN_INVALID", "PersistEmber", saves.write, saves, "one")
    assert(problem.subject == "PersistEmber" and problem.entity == own.scenery and not saves:has("one"))
    world:remove(own.scenery, firn.Persist)
    -- Who is saved whole is saved without it, and comes back without it.
    saves:write("one")
    saves:read("one")
    assert(x(world, own.player) == 2 and not world:has(own.player, Spark))
end

function test.K1_two_entities_of_one_id_cannot_be_saved()
    local own, world, saves = room()
    local second = world:spawn(firn.Persist({id = "player"}))
    local problem = fails("FIRN_EXISTS", "player", saves.make, saves)
    assert(problem.subject == "player" and problem.entity == second)
end

function test.K1_a_save_of_the_other_kind_is_refused()
    local own, world, saves = room()
    local whole = firn.saves.open(firn.newWorld(), {game = "rooms", kind = "world"})
    local problem = fails("FIRN_UNSUPPORTED", "", saves.take, saves, whole:makeBytes())
    assert(problem.subject == "kind" and x(world, own.player) == 2)
    problem = fails("FIRN_UNSUPPORTED", "", whole.take, whole, saves:makeBytes())
    assert(problem.subject == "kind" and whole:world():count() == 0)
    refused("open: option 'kind': it is \"world\" or \"persisted\", not 'all'", firn.saves.open, firn.newWorld(),
        {game = "rooms", kind = "all"})
    refused("open: option 'kind': a string is wanted, not a number", firn.saves.open, firn.newWorld(),
        {game = "rooms", kind = 1})
end

function test.K1_a_world_has_the_components_when_it_needs_them()
    local world = firn.newWorld()
    local Vars = world:newScalar({name = "Vars", type = "number"}) -- of a game that knows no others
    local fox = world:spawn(Vars(5))
    fails("FIRN_EXISTS", "Vars", world.spawn, world, firn.Persist)
    fails("FIRN_EXISTS", "Vars", world.variable, world, fox, "x", 1)
    fails("FIRN_EXISTS", "Vars", firn.saves.open, world, {game = "rooms", kind = "persisted"})
    local other = firn.newWorld()
    fails("FIRN_UNKNOWN", "Vars", other.loadSnapshot, other, world:saveSnapshot())
    assert(world:get(fox, Vars) == 5)
    -- A component of the module may need them.
    local Chest = world.newTag(firn.newWorld(), {name = "PersistChest", requires = {firn.Persist}})
    assert(Chest.__about.world:has(Chest.__about.world:spawn(Chest), firn.Persist))
end

function test.K1_the_components_go_along_to_a_world_that_replaces_another()
    local world = firn.newWorld()
    local door = world:spawn(firn.Persist({id = "door"}), firn.Carry)
    world:variable(door, "open", true)
    local built = world:buildFrom(world:saveSnapshot())
    assert(built:persistKey(door) == "door" and built:variable(door, "open") and built:has(door, firn.Carry))
    local saves = firn.saves.open(built, {game = "rooms", kind = "persisted"})
    local next_ = firn.newWorld()
    saves:bind(next_)
    assert(#next_:components(next_:spawn(firn.Persist, firn.Carry)) == 2)
    saves:take(saves:makeBytes())
    refused("bind: a world is wanted", saves.bind, saves, 5)
end

-- ---------------------------------------------------------------- K2

function test.K2_what_was_destroyed_before_the_save_stays_destroyed()
    local own, world, saves = room()
    world:despawn(own.door)
    saves:write("one")
    world:destroy()
    -- The same room, made anew, has the door again.
    local again = firn.newWorld({name = "room"})
    own.furnish(again)
    saves:bind(again)
    saves:read("one")
    assert(not again:isAlive(own.door) and again:isAlive(own.player))
    saves:write("two")
    saves:read("two")
    assert(not again:isAlive(own.door))
end

-- ---------------------------------------------------------------- K14

function test.K14_what_is_missing_is_made_again_with_its_children()
    local own, world, saves = room()
    local ball = world:spawn(Health(1), Bag({"air"}), firn.Persist({spawned = true}))
    local grip = world:spawn(Health(2), Bag({1}), firn.ChildOf(ball))
    local screw = world:spawn(Health(3), firn.ChildOf(grip))
    saves:write("one")
    world:despawn(ball)
    assert(not world:isAlive(screw))
    saves:read("one")
    assert(world:get(ball, Health) == 1 and world:get(ball, Bag).things[1] == "air")
    assert(world:get(grip, Bag).things[1] == 1 and world:target(grip, firn.ChildOf) == ball)
    assert(world:get(screw, Health) == 3 and world:target(screw, firn.ChildOf) == grip)
end

function test.K14_what_came_after_the_save_is_removed_with_its_children()
    local own, world, saves = room()
    saves:write("one")
    local ball = world:spawn(Bag(5), firn.Persist({spawned = true}))
    local grip, leaf = world:spawn(firn.ChildOf(ball)), world:spawn(Health(7))
    saves:read("one")
    assert(not world:isAlive(ball) and not world:isAlive(grip) and world:get(leaf, Health) == 7)
    assert(world:spawn() == ball)
end

function test.K14_who_holds_a_saved_id_moves_and_is_reported()
    local own, world, saves = room()
    local Likes = world:newRelationship({name = "Likes"})
    saves:write("one")
    world:despawn(own.door)
    local other = world:spawn(Health(8), Bag("its own"))
    world:relate(own.scenery, Likes, other)
    local moved = saves:read("one").moved
    local now = moved[other]
    assert(now and not world:isAlive(other) and world:isAlive(own.door))
    assert(next(moved, other) == nil and world:get(now, Health) == 8 and world:get(now, Bag).things == "its own")
    assert(world:target(own.scenery, Likes) == now)
end

function test.K14_who_has_the_id_of_a_saved_entity_is_it_and_gets_its_entity_id()
    local own, world, saves = room()
    local Likes = world:newRelationship({name = "Likes"})
    saves:write("one")
    world:despawn(own.player)
    world:spawn()
    local other = world:spawn(Place(9, 9), Bag({}), firn.Persist({id = "player"}))
    world:relate(own.scenery, Likes, other)
    local moved = saves:read("one").moved
    assert(other ~= own.player and not world:isAlive(other) and moved[other] == own.player)
    assert(x(world, own.player) == 2 and world:get(own.player, Bag).things[1] == "key")
    assert(world:target(own.scenery, Likes) == own.player)
end

function test.K14_variables_that_are_not_saved_stay_as_they_are()
    local own, world, saves = room()
    world:set(own.door, firn.Persist({vars = false}))
    world:variable(own.door, "knocks", 1)
    saves:write("one")
    world:variable(own.door, "knocks", 2)
    world:set(own.door, Health(1))
    saves:read("one")
    assert(world:get(own.door, Health) == 3 and world:variable(own.door, "knocks") == 2)
end

function test.K14_a_load_runs_as_every_load()
    local own, world, saves = room()
    local told = {}
    for _, event in ipairs({firn.StartSnapshotLoad, firn.FinishSnapshotLoad}) do
        world:observe(0, event, function(heard)
            told[#told + 1] = heard.name
        end)
    end
    world:addSnapshotHandler({
        name = "weather",
        save = function()
            return "rain"
        end,
        load = function(_, value)
            told[#told + 1] = value
        end,
        finish = function()
            told[#told + 1] = "finish"
        end,
    })
    world:seed(7)
    saves:variable("chapter", 2)
    world:tick(5)
    local after = {world:random("loot"):integer(1000), world:random("loot"):integer(1000)}
    world:seed(7)
    world:random("loot"):integer(1000)
    saves:write("one")
    saves:variable("chapter", 3)
    world:random("loot"):integer(1000)
    world:tick(9)
    saves:requestLoad("one")
    saves:endTick(0.1)
    assert(table.concat(told, " ") == "StartSnapshotLoad rain finish FinishSnapshotLoad", table.concat(told, " "))
    assert(world:tick() == 5 and saves:variable("chapter") == 2)
    assert(world:random("loot"):integer(1000) == after[2])
end

function test.K14_a_load_that_is_refused_changes_nothing()
    local own, world, saves = room()
    saves:write("one")
    world:set(own.player, Place(20, 20))
    world:spawn(firn.Persist({spawned = true}))
    local hash = world:hash()
    local remove = world:observe(0, firn.StartSnapshotLoad, function()
        error("not now")
    end)
    fails("FIRN_REFUSED", "not now", saves.read, saves, "one")
    assert(world:hash() == hash)
    world:unobserve(remove)
    saves:read("one")
    assert(x(world, own.player) == 2)
end

function test.K14_a_level_makes_its_entities_for_a_load()
    local level, seen = "room", nil
    local own
    own = room({
        levels = {
            current = function()
                return level
            end,
            enter = function(name)
                level, seen = name, own.saves:world()
                local world = firn.newWorld({name = name})
                own.furnish(world)
                return world
            end,
        },
    })
    local world, saves = own.world, own.saves
    world:set(own.player, Place(5, 5))
    saves:write("one")
    level = "wood"
    local loaded = saves:read("one")
    assert(level == "room" and seen == world and loaded.world == saves:world() and loaded.world ~= world)
    assert(x(loaded.world, own.player) == 5 and x(loaded.world, own.scenery) == 1)
    -- Not for one of the same level.
    seen = nil
    saves:read("one")
    assert(seen == nil)
end

-- ---------------------------------------------------------------- variables

function test.variables_of_an_entity_are_a_map()
    local world = firn.newWorld()
    local fox = world:spawn()
    assert(world:variable(fox, "hunger") == nil and next(world:variables(fox)) == nil)
    world:removeVariable(fox, "hunger")
    assert(not world:has(fox, firn.Vars) and world:get(fox, firn.Vars) == nil)
    world:variable(fox, "hunger", 3)
    world:variable(fox, "friends", {"owl", {deep = true}})
    assert(world:variable(fox, "hunger") == 3 and world:variable(fox, "friends")[2].deep)
    assert(world:get(fox, firn.Vars).hunger == 3 and world:variables(fox).friends[1] == "owl")
    world:variables(fox).hunger = 9 -- a copy
    world:variable(fox, "hunger", nil)
    assert(world:variable(fox, "hunger") == nil and world:has(fox, firn.Vars))
    local other = world:spawn(firn.Vars)
    world:variable(other, "x", false)
    assert(world:variable(other, "x") == false)
    world:remove(other, firn.Vars)
    assert(next(world:variables(other)) == nil)
    world:variable(other, "big", 5LL)
    world:loadSnapshot(world:saveSnapshot())
    assert(world:variable(other, "big") == 5LL)
end

function test.variables_say_what_is_wrong_with_them()
    local world = firn.newWorld()
    local fox = world:spawn()
    refused("variable: name: a string is wanted, not nil", world.variable, world, fox)
    refused("variable: name: a string is wanted, not a number", world.variable, world, fox, 5, 5)
    refused("removeVariable: name: a string is wanted, not nil", world.removeVariable, world, fox)
    refused("variable: name has a zero byte in it", world.variable, world, fox, "a\0", 1)
    refused("variable: name has a zero byte in it", world.variable, world, fox, "a\0")
    refused("variable: entity must be an entity, not nil", world.variable, world, nil, "x")
    refused("variables: entity must be an entity, not 'x'", world.variables, world, "x")
    fails("FIRN_INVALID", "name is empty", world.variable, world, fox, "")
    fails("FIRN_INVALID", "name is empty", world.variable, world, fox, "", 1)
    fails("FIRN_INVALID", ".deep is a function", world.variable, world, fox, "x", {deep = print})
    refused("Vars: variables are set by world:variable", world.set, world, fox, firn.Vars, {x = 1})
    refused("Vars: variables are set by world:variable", firn.Vars, {x = 1})
    refused("Vars: variables are set by world:variable", world.getMut, world, fox, firn.Vars)
    world:variable(fox, "x", 1)
    for archetype in world:newQuery({include = {firn.Vars}}):each() do
        refused("column: variables are read by world:variables", archetype.column, archetype, firn.Vars)
        fails("FIRN_BUSY", "", world.variable, world, world:spawn(), "y", 1)
    end
    world:despawn(fox)
    fails("FIRN_NOT_FOUND", "", world.variable, world, fox, "x", 2)
    assert(world:variable(fox, "x") == nil and next(world:variables(fox)) == nil)
    world:destroy()
    refused("variable: the world has been destroyed", world.variable, world, fox, "x")
    refused("variable: the world has been destroyed", world.variable, world, fox, "x", 1)
end

function test.variables_hold_what_the_limits_of_the_world_allow()
    local long = ("x"):rep(2^24 + 1) -- the usual limit is 2^24
    local usual = firn.newWorld()
    fails("FIRN_LIMIT", "", usual.variable, usual, usual:spawn(), "map", long)
    local world = firn.newWorld({limits = {stringBytes = 2^25}})
    local fox = world:spawn()
    world:variable(fox, "map", long)
    world:variable(fox, "name", "fox")
    assert(world:variable(fox, "map") == long and world:variable(fox, "name") == "fox")
    assert(world:variables(fox).map == long)
end

function test.variables_of_an_entity_run_the_observers_of_their_component()
    local world = firn.newWorld()
    local fox, heard = world:spawn(firn.Vars), 0
    world:observe(fox, firn.OnSet, function(event, in_)
        assert(in_:variable(fox, "x") == 5)
        heard = heard + 1
    end, firn.Vars)
    world:variable(fox, "x", 5)
    assert(heard == 1)
    world:observe(fox, firn.OnSet, function()
        error("not this one")
    end, firn.Vars)
    refused("not this one", world.variable, world, fox, "x", 5)
end

-- ---------------------------------------------------------------- K15

-- A world in which a hen, a fox and what a scene places have timers, waits, machines and a cursor, which draw,
-- send and spawn; `log` gets what happens.
local function farm(log)
    local world = firn.newWorld({timestep = 1})
    local Eggs = world:newScalar({name = "Eggs", type = "number"})
    local function note(call)
        log[#log + 1] = ("%d %s %s %s"):format(world:tick(), call.kind, call.step, tostring(call.entity))
    end
    world:random("luck")
    world:addSequence("farm", {
        start = function(_, call)
            note(call)
            if not call.first then
                return "rest"
            end
            call.cursor:wait({event = "dawn", delay = 5})
        end,
        lay = function(_, call)
            note(call)
            world:send("dawn", {delay = 2, payload = {at = world:tick()}})
            local luck = world:random("luck")
            world:startWait({sequence = "farm", step = "rest", entity = call.entity, delay = luck:integer(4)})
            world:spawn(Eggs(luck:integer(9)), firn.Persist({spawned = true}))
        end,
        rest = function(_, call)
            note(call)
            return call.kind == "cursor" and "start" or call.kind == "machine" and call.ticks > 1 and "prowl" or nil
        end,
        prowl = function(_, call)
            note(call)
            return call.ticks > 2 and "rest" or nil
        end,
    })
    world:listen("dawn", "farm", "rest")
    world:addScriptSystem()
    local saves
    local function enter(name)
        saves:leave()
        local dog = world:spawn(Eggs(#name), firn.Persist)
        local lamp = world:spawn(Eggs(0), Lit, firn.Persist({mode = "fields", fields = {"Eggs"}}))
        world:setMachine(dog, "farm", "prowl")
        world:startTimer({sequence = "farm", step = "rest", entity = lamp, delay = 2, period = 4})
        saves:scene(name, {dog, lamp})
    end
    saves = firn.saves.open(world, {game = "farm", kind = "persisted", levels = {enter = enter}})
    return world, saves, Eggs
end

-- ---------------------------------------------------------------- other ways to persist since a save

function test.K9_one_that_persists_otherwise_by_now_is_compared_by_what_the_save_has()
    local own, world, saves = room()
    local sign = world:spawn(Place(4, 4), firn.Persist({id = "sign", mode = "fields", fields = {"PersistPlace.x"}}))
    saves:write("one")
    local function told()
        return saves:inspect("one", {format = "text"})
    end
    local same = told()
    world:set(own.player, firn.Persist({id = "player", mode = "vars"}))
    world:remove(own.door, firn.Persist)
    world:set(sign, firn.Persist({id = "sign"}))
    world:set(sign, Place(5, 5))
    assert(told() == 'entity 2 (key "player"): persist.mode 0 -> 2\n'
        .. "entity 3: persist only saved\n"
        .. 'entity (key "sign"): PersistPlace.x 4 -> 5\n', told())
    saves:read("one")
    assert(told() == same and saves:inspect("one").same, told())
    assert(world:get(own.player, firn.Persist).mode == "all" and world:has(own.door, firn.Persist))
    assert(x(world, sign) == 4 and world:get(sign, Place).y == 5)
end

-- ---------------------------------------------------------------- rows that are none

function test.K1_a_row_that_none_can_be_comes_with_no_load()
    local own, world = room()
    local image = world:saveSnapshot().buffer:tostring()
    local at = image:find("player", 1, true) + 64 + 192
    local damaged = image:sub(1, at - 1) .. string.char(4) .. image:sub(at + 1)
    local hash = tostring(world:hash())
    local problem = fails("FIRN_INVALID", "persist: mode is 4, not 0 to 2", world.loadSnapshot, world, damaged)
    assert(problem.subject == "persist" and problem.entity == own.player and problem.offset == at - 1 - 64 - 192)
    assert(tostring(world:hash()) == hash)
    local row = world:getMut(own.player, firn.Persist)
    refused('persist: mode: it is "all", "fields" or "vars", not 4', function() row.mode = 4 end)
    world:loadSnapshot(image)
end

function test.K15_a_save_of_any_tick_goes_on_as_the_run_did()
    local function run(world, log, ticks)
        for i = #log, 1, -1 do
            log[i] = nil
        end
        for _ = 1, ticks do
            world:step(1)
        end
        return table.concat(log, "\n") .. tostring(world:hash())
    end
    for at = 0, 14 do
        local log, other = {}, {}
        local world, saves, Eggs = farm(log)
        saves:enter("yard")
        local hen = world:spawn(Eggs(0), firn.Persist({spawned = true}))
        local fox = world:spawn(firn.Persist({id = "fox", spawned = true}))
        world:addClock("moon")
        world:setClock("moon", {scale = 0.3})
        world:startTimer({sequence = "farm", step = "lay", entity = hen, delay = 3, period = 3})
        world:startTimer({sequence = "farm", step = "rest", delay = 1, period = 0.7, clock = "moon"})
        world:startCursor({sequence = "farm", entity = fox, key = "den"})
        world:setMachine(fox, "farm", "prowl")
        run(world, log, at)
        local save = saves:makeBytes()
        local direct = run(world, log, 20)
        saves:take(save)
        assert(run(world, log, 20) == direct, "in the same game, from tick " .. at)
        saves:enter("woods")
        run(world, log, at)
        saves:take(save)
        assert(saves:sceneName() == "yard")
        assert(run(world, log, 20) == direct, "from another scene, from tick " .. at)
        local again, fresh = farm(other)
        fresh:take(save)
        assert(run(again, other, 20) == direct, "in another one, from tick " .. at)
    end
end

return test
