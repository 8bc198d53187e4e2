-- Entities: made, read, changed and ended.
local firn = require("firn")
local refused = require("refused")
local amongFinalizers = require("finalizers")

local Position = firn.newFFIComponent({
    name = "entity.Position", fields = {{"x", "float"}, {"y", "float"}}, defaults = {y = 7},
})
local Velocity = firn.newFFIComponent({
    name = "entity.Velocity", fields = {{"x", "float"}, {"y", "float"}},
})
local Health = firn.newScalar({name = "entity.Health", type = "number", default = 100})
local Enemy = firn.newTag({name = "entity.Enemy"})

local test = {}

function test.an_entity_has_what_it_was_spawned_with()
    local world = firn.newWorld()
    local entity = world:spawn(Position(1, 2), Enemy)
    local position = world:get(entity, Position)
    assert(position.x == 1 and position.y == 2 and position.__firn == Position)
    assert(world:has(entity, Enemy) and world:get(entity, Enemy) == Enemy)
    assert(world:get(world:spawn(Position), Position).y == 7)
    assert(not world:has(world:spawn(), Enemy))
end

function test.an_entity_is_spawned_with_many_components()
    local world = firn.newWorld()
    local items, tags = {Position(5, 6), firn.Name("it"), Health(3)}, {}
    for i = 1, 40 do
        tags[i] = world:newTag({name = "T" .. i})
        items[#items + 1] = tags[i]
    end
    local entity = world:spawn(unpack(items))
    assert(#world:components(entity) == 43 and world:has(entity, tags[40]))
    assert(world:get(entity, firn.Name) == "it" and world:get(entity, Position).x == 5)
    assert(world:get(entity, Health) == 3)
end

function test.a_row_of_the_world_can_be_spawned_again()
    local world = firn.newWorld()
    local entity = world:spawn(Position(1, 2), Health(4))
    for _ = 1, 100 do
        entity = world:spawn(world:get(entity, Position), Health(4))
        assert(world:get(entity, Position).x == 1 and world:get(entity, Position).y == 2)
    end
end

function test.many_are_spawned_alike()
    local world = firn.newWorld()
    local parent = world:spawn()
    local entities = world:spawnMany(1000, Position(3, 4), Enemy, firn.ChildOf(parent),
        firn.Name("one of many"))
    assert(#entities == 1000 and world:count() == 1001)
    for _, entity in ipairs(entities) do
        assert(world:get(entity, Position).y == 4 and world:target(entity, firn.ChildOf) == parent)
        assert(world:get(entity, firn.Name) == "one of many")
    end
    assert(#world:spawnMany(0, Position) == 0)
end

function test.a_row_is_written_through_getMut_only()
    local world = firn.newWorld()
    local entity = world:spawn(Position(1, 2))
    world:getMut(entity, Position).x = 5
    assert(world:get(entity, Position).x == 5)
    refused("constant", function() world:get(entity, Position).x = 6 end)
    assert(world:get(entity, Position).x == 5)
end

function test.set_changes_a_component_or_adds_it()
    local world = firn.newWorld()
    local entity = world:spawn(Position(1, 2))
    world:set(entity, Position(8, 9))
    world:set(entity, Velocity(1, 0))
    world:set(entity, Health, 5)
    world:set(entity, Enemy)
    world:set(entity, firn.Name("x"))
    assert(world:get(entity, Position).x == 8 and world:get(entity, Velocity).x == 1)
    assert(world:get(entity, Health) == 5 and world:has(entity, Enemy))
    assert(world:get(entity, firn.Name) == "x")
    world:set(entity, Position, {x = 3})
    assert(world:get(entity, Position).x == 3 and world:get(entity, Position).y == 7)
    world:set(entity, firn.ChildOf(entity))
    assert(world:target(entity, firn.ChildOf) == entity)
    refused("itself: give an instance", world.set, world, entity, Position)
    refused("itself: give an instance", world.set, world, entity, Health, nil)
end

function test.add_and_remove_take_several_components()
    local world = firn.newWorld()
    local entity = world:spawn(Position(1, 2))
    world:add(entity, Position, Velocity, Enemy)
    assert(world:get(entity, Position).x == 1 and world:has(entity, Velocity))
    local components = world:components(entity)
    assert(#components == 3 and components[1] == Enemy and components[2] == Position)
    world:remove(entity, Velocity, Enemy, Health)
    assert(world:has(entity, Position) and #world:components(entity) == 1)
    refused("'ChildOf' needs a target: use world:relate", world.add, world, entity, firn.ChildOf)
end

function test.a_despawned_entity_is_gone()
    local world = firn.newWorld()
    local entity = world:spawn(Position)
    world:despawn(entity)
    assert(not world:isAlive(entity) and world:get(entity, Position) == nil)
    assert(world:getMut(entity, Position) == nil and not world:has(entity, Position))
    local ok, problem = pcall(world.despawn, world, entity)
    assert(not ok and problem.result == "FIRN_NOT_FOUND" and problem.entity == entity)
    assert(tostring(problem):find("binding_entity.lua:%d+: despawn: "))
end

function test.ids_are_numbers_of_53_bits()
    local world = firn.newWorld()
    local entity = world:spawn()
    for _ = 1, 5000 do
        world:despawn(entity)
        entity = world:spawn(Position)
    end
    assert(type(entity) == "number" and entity > 2^32 and entity % 1 == 0)
    assert(world:isAlive(entity) and not world:isAlive(entity - 2^22))
end

function test.a_key_that_is_taken_leaves_nothing_behind()
    local world = firn.newWorld()
    local player = world:spawn(firn.EntityKey("player"))
    local ok, problem = pcall(world.spawn, world, Position(1, 2), firn.EntityKey("player"))
    assert(not ok and problem.result == "FIRN_EXISTS" and problem.entity == player)
    assert(world:count() == 1)
    ok, problem = pcall(world.spawnMany, world, 3, Position(1, 2), firn.EntityKey("crew"))
    assert(not ok and problem.result == "FIRN_EXISTS")
    assert(world:count() == 1 and world:findKey("crew") == nil)
end

function test.discard_forgets_what_waits()
    local world = firn.newWorld()
    local entity = world:spawn(Position(1, 2))
    for _ in world:newQuery({}):each() do
        world:despawn(entity)
        assert(world:discard() == 0 and world:pending() == 1)
    end
    assert(world:pending() == 0 and world:count() == 0)
    world:flush()
end

function test.wrong_arguments_are_refused_and_change_nothing()
    local world = firn.newWorld()
    local entity = world:spawn(Position(1, 2))
    refused("argument 1 must be an instance or a component, not 5", world.spawn, world, 5)
    refused("argument 1 must be an instance or a component, not nil", world.spawn, world, nil)
    refused("argument 2 must be an instance or a component, not nil", world.spawn, world, Enemy, nil,
        Enemy)
    refused("argument 5 must be", world.spawn, world, Enemy, Health, Position, Velocity, "x")
    refused("argument 1 must be an instance or a component, not a table", world.spawn, world, {})
    refused("argument 1 must be an instance or a component, not a cdata", world.spawn, world, 5LL)
    refused("n must be a count of entities, not 1.5", world.spawnMany, world, 1.5)
    refused("n must be a count of entities, not -1", world.spawnMany, world, -1)
    refused("n must be a count of entities, not 8388608", world.spawnMany, world, 2^23)
    for _, wrong in ipairs({1.5, -1, 2^53, 1 / 0, 0 / 0}) do
        for _, call in ipairs({"despawn", "isAlive", "components", "set", "add", "remove"}) do
            refused("entity must be an entity, not", world[call], world, wrong, Position)
        end
        refused("entity must be an entity, not", world.get, world, wrong, Position)
        refused("entity must be an entity, not", world.getMut, world, wrong, Position)
        refused("entity must be an entity, not", world.has, world, wrong, Position)
    end
    refused("entity must be an entity, not 'x'", world.despawn, world, "x")
    refused("entity must be an entity, not nil", world.isAlive, world)
    refused("component must be a component, not nil", world.get, world, entity)
    refused("component must be a component, not 5", world.has, world, entity, 5)
    refused("argument 3 must be a component, not nil", world.add, world, entity, Enemy, nil)
    refused("argument 2 must be a component, not a table", world.remove, world, entity, {})
    refused("argument 2 must be an instance", world.set, world, entity, nil)
    refused("use world:set", world.getMut, world, entity, firn.Name)
    assert(world:count() == 1 and #world:components(entity) == 1)
    world:despawn(entity)
    for _, call in ipairs({"set", "add", "remove"}) do
        local ok, problem = pcall(world[call], world, entity, Enemy)
        assert(not ok and problem.result == "FIRN_NOT_FOUND" and problem.entity == entity)
    end
end

function test.compiled_spawns_are_those_of_the_interpreter()
    local world = firn.newWorld()
    local sum = 0
    for i = 1, 20000 do
        local entity
        if i % 3 == 0 then
            entity = world:spawn(Position(i, i), Health(i))
        elseif i % 3 == 1 then
            entity = world:spawn(Enemy, Velocity(1, i))
        else
            entity = world:spawn(Position, Health(i), Velocity(i, 1), Enemy, firn.Name("n"))
        end
        sum = sum + (world:get(entity, Health) or 0)
        if i % 5 == 0 then
            world:despawn(entity)
        end
    end
    local expected = 0
    for i = 1, 20000 do
        expected = expected + (i % 3 == 1 and 0 or i)
    end
    assert(sum == expected and world:count() == 16000)
end

function test.arguments_of_a_call_survive_one_of_a_finalizer_or_a_metamethod()
    local world = firn.newWorld()
    local Text = world:newScalar({name = "Text", type = "string"})
    local Bag = world:newComponent({name = "Bag", fields = {"n"}})
    local Likes = world:newRelationship({name = "Likes"})
    local ran = 0
    local function arm()
        getmetatable(newproxy(true)).__gc = function()
            ran = ran + 1
            world:despawn(world:spawn(Velocity(9, 9), Text("other"), Bag(9)))
        end
    end
    local pause, speed = collectgarbage("setpause", 1), collectgarbage("setstepmul", 100000)
    local friend = world:spawn()
    local function round(i)
        arm()
        local entity = world:spawn(Position(i, 2), Bag(i), Text("own"))
        arm()
        world:set(entity, Health, i)
        world:set(entity, Bag(-i))
        world:relate(entity, Likes, friend)
        arm()
        local two = world:spawnMany(2, Bag(i), Position(i, i))
        assert(world:get(entity, Position).x == i and world:get(entity, Bag).n == -i)
        assert(world:get(entity, Text) == "own" and not world:has(entity, Velocity))
        assert(world:target(entity, Likes) == friend)
        assert(world:get(two[2], Bag).n == i and world:get(two[2], Position).y == i)
    end
    local ok, problem, i = true, nil, 0
    local rounds = package.loaded.stress and 50 or 200
    while ok and (i < rounds or ran <= 50 and i < 20 * rounds) do
        i = i + 1
        ok, problem = pcall(round, i)
    end
    collectgarbage("setpause", pause)
    collectgarbage("setstepmul", speed)
    assert(ok, problem)
    assert(ran > 50)

    local told = false
    local once = setmetatable({}, {__index = function(_, key)
        if key == "__firn" and not told then
            told = true
            world:spawn(Velocity(9, 9), Text("other"))
        end
        return Bag[key]
    end})
    local entity = world:spawn(Position(7, 8), once)
    assert(world:get(entity, Position).x == 7 and world:has(entity, Bag))
    assert(not world:has(entity, Velocity))

    local always = setmetatable({}, {__index = function(_, key)
        return world:count() and Bag[key]
    end})
    ok, problem = pcall(world.spawn, world, Position(7, 8), always)
    assert(not ok and problem:find("an argument calls firn whenever it is read", 1, true))

    local other = firn.newWorld()
    local last = setmetatable({}, {__index = function(_, key)
        other:destroy()
        return Position[key]
    end})
    ok, problem = pcall(other.spawn, other, Position(1, 2), last)
    assert(not ok and tostring(problem):find("destroyed", 1, true))
end

function test.what_is_read_is_that_of_the_row_whatever_a_finalizer_does_meanwhile()
    local world = firn.newWorld()
    local Alive = world:newScalar({name = "Alive", type = "boolean"})
    local Text = world:newScalar({name = "Text", type = "string"})
    local Bag = world:newComponent({name = "Bag", fields = {"n", "text"}})
    local Likes = world:newRelationship({name = "Likes", fields = {{"much", "double"}}})
    local friend, others = world:spawn(), {}
    local function finalize(n)
        for i = 1, 4 do
            others[#others + 1] = world:spawn(Position(-1, n), Health(-n), Alive(i > 2),
                Text("other" .. n), Bag(-n), Likes(friend, {much = -n}))
        end
        for _ = 1, 3 do
            world:despawn(table.remove(others, 1))
        end
        world:set(others[1], Text("changed" .. n))
        world:remove(others[#others], Position)
        world:spawnMany(2, Bag(n))
    end
    local query = world:newQuery({include = {Position, Health, Text, Bag, Alive}})
    local function readColumns(entity, i)
        for archetype, count in query:each() do
            local positions, numbers = archetype:column(Position), archetype:column(Health)
            local texts, bags = archetype:column(Text), archetype:columnMut(Bag)
            for row = 0, count - 1 do
                if archetype:entity(row) == entity then
                    assert(positions[row].x == i and numbers[row] == i and texts[row] == "own" .. i)
                    assert(bags[row].text == "mine" .. i)
                    bags[row] = Bag(i, "column")
                    assert(bags[row].text == "column")
                end
            end
        end
    end
    amongFinalizers(finalize, 150, function(i)
        local entity = world:spawn(Position(i, 2), Health(i), Alive(i % 2 == 0), Text("own" .. i),
            Bag(i, "mine" .. i), Likes(friend, {much = i}))
        world:getMut(entity, Position).y = i
        assert(world:get(entity, Position).x == i and world:get(entity, Position).y == i)
        assert(world:get(entity, Health) == i and world:get(entity, Alive) == (i % 2 == 0))
        assert(world:get(entity, Text) == "own" .. i and world:getMut(entity, Bag).n == i)
        assert(world:related(entity, Likes, friend).much == i)
        assert(world:targets(entity, Likes)[1] == friend and #world:targets(entity, Likes) == 1)
        readColumns(entity, i)
        for _, one in ipairs(world:spawnMany(3, Bag(i, "many"), Text("many"), Position(i, i))) do
            assert(world:get(one, Bag).text == "many" and world:get(one, Text) == "many")
            world:despawn(one)
        end
        world:add(entity, Velocity, Enemy)
        assert(world:has(entity, Velocity) and world:has(entity, Enemy))
        world:remove(entity, Velocity, Enemy, Position)
        assert(#world:components(entity) == 5 and not world:has(entity, Velocity))
        assert(world:get(entity, Bag).text == "column")
        world:despawn(entity)
    end)
end

function test.a_change_whose_arguments_were_lost_gets_them_again()
    local api = require("firn.api")
    local world = firn.newWorld()
    local Bag = world:newComponent({name = "Bag", fields = {"n"}})
    local lost = 0
    -- Before the change itself, something calls firn.
    local function losing(functions, name, call, ...)
        local change, own = functions[name], rawget(functions, name)
        functions[name] = function(...)
            functions[name] = own
            lost = lost + 1
            pcall(world.spawn, world, Health(5), Bag(9), 5) -- hands over others, and fails
            return change(...)
        end
        return call(world, ...)
    end
    local function changes(functions)
        local entity = losing(functions, "spawn", world.spawn, Position(1, 2), Bag(3), firn.Name("it"))
        local two = losing(functions, "spawn_many", world.spawnMany, 2, Bag(4), Position(5, 6))
        losing(functions, "set", world.set, entity, Health, 7)
        losing(functions, "set", world.set, entity, Bag(8))
        losing(functions, "set", world.relate, entity, firn.ChildOf, two[1])
        losing(functions, "add", world.add, entity, Velocity, Enemy)
        losing(functions, "remove", world.remove, entity, Velocity)
        assert(world:get(entity, Position).x == 1 and world:get(entity, firn.Name) == "it")
        assert(world:get(entity, Health) == 7 and world:get(entity, Bag).n == 8)
        assert(world:target(entity, firn.ChildOf) == two[1] and not world:has(entity, Velocity))
        assert(world:has(entity, Enemy) and #world:components(entity) == 6)
        assert(world:get(two[2], Bag).n == 4 and world:get(two[2], Position).x == 5)
    end
    changes(api.fast)
    for _, name in ipairs({firn.OnSpawn, firn.OnAdd, firn.OnSet, firn.OnRemove}) do
        world:observe(0, name, function() end)
    end
    changes(api.core)
    assert(lost == 14 and world:count() == 6)
end

function test.a_table_made_while_its_row_changes_is_not_kept()
    local world = firn.newWorld()
    local entity, Bag
    local during
    Bag = world:newComponent({name = "Bag", fields = {"n"}, init = function(bag)
        if during then
            local call = during
            during = nil
            call(bag)
        end
    end})
    entity = world:spawn(Bag)
    during = function() world:set(entity, Bag(2)) end
    assert(world:get(entity, Bag).n == 2)
    entity = world:spawn(Bag)
    during = function() world:remove(entity, Bag) end
    assert(world:get(entity, Bag) == nil)
    world:add(entity, Bag)
    during = function() world:despawn(entity) end
    assert(world:get(entity, Bag) == nil and not world:isAlive(entity))
    world:spawn(Bag)
    for archetype, count in world:newQuery({include = {Bag}}):each() do
        local bags, last = archetype:columnMut(Bag), count - 1
        during = function() bags[last] = Bag(3) end
        assert(bags[last].n == 3)
        during = function() world:destroy() end
        local ok, problem = pcall(function() bags[last] = {n = 4} end)
        assert(not ok and problem:find("destroyed", 1, true))
        break
    end
end

function test.a_finalizer_may_destroy_the_world_of_any_call()
    local world
    local function begin()
        world = firn.newWorld()
        local friend = world:spawn()
        local query = world:newQuery({include = {Position}})
        for i = 1, 10 do
            local entity = world:spawn(Position(i, 1), firn.Name("it"), firn.ChildOf(friend))
            world:set(entity, Position(i, 2))
            assert(world:get(entity, firn.Name) and world:getMut(entity, Position))
            world:add(entity, Velocity)
            assert(world:related(entity, firn.ChildOf, friend) and world:sources(friend, firn.ChildOf))
            for archetype in query:each() do
                assert(archetype:column(Position) ~= nil)
            end
            world:spawnMany(2, Position, firn.Name("many"))
        end
        world:destroy()
    end
    local destroyed = 0
    amongFinalizers(function()
        if world and world.fast then
            destroyed = destroyed + 1
            world:destroy()
        end
    end, 200, function()
        local ok, problem = pcall(begin)
        assert(ok or tostring(problem):find("destroyed", 1, true)
            or tostring(problem):find("the loop has ended", 1, true)
            or tostring(problem):find("there is no row", 1, true), problem)
    end)
    assert(destroyed > 5)
end

return test
