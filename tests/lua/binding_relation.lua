-- Relationships between entities.
local firn = require("firn")
local refused = require("refused")

local Likes = firn.newRelationship({name = "relation.Likes", fields = {{"much", "double"}},
    defaults = {much = 1}, sparse = true})
local Owns = firn.newRelationship({name = "relation.Owns"})
local Mark = firn.newTag({name = "relation.Mark"})

local test = {}

function test.an_edge_names_its_relation_and_its_target()
    local edge = Likes(7, {much = 3})
    assert(edge.relation == Likes and edge.target == 7 and edge.much == 3)
    assert(edge.__firn == Likes and Likes(7).much == 1)
    assert(Likes.new({target = 9, much = 4}).target == 9)
end

function test.a_child_is_spawned_with_its_parent()
    local world = firn.newWorld()
    local parent = world:spawn()
    local child = world:spawn(Mark, firn.ChildOf(parent))
    assert(world:target(child, firn.ChildOf) == parent)
    assert(world:related(child, firn.ChildOf, parent).target == parent)
    assert(world:sources(parent, firn.ChildOf)[1] == child)
    world:despawn(parent)
    assert(not world:isAlive(child))
end

function test.edges_are_added_set_and_removed()
    local world = firn.newWorld()
    local a, b, c = world:spawn(), world:spawn(), world:spawn()
    world:relate(a, Likes, b)
    world:relate(a, Likes, c, {much = 5})
    world:relate(a, Owns, c)
    assert(world:related(a, Likes, b).much == 1 and world:related(a, Likes, c).much == 5)
    world:relate(a, Likes, b, {much = 8})
    assert(world:related(a, Likes, b).much == 8)
    local targets = world:targets(a, Likes)
    assert(#targets == 2 and targets[1] == b and targets[2] == c)
    assert(world:target(b, Likes) == nil and #world:targets(b, Likes) == 0)
    world:unrelate(a, Likes, b)
    assert(world:related(a, Likes, b) == nil and world:has(a, Likes))
    world:unrelate(a, Likes)
    assert(not world:has(a, Likes) and world:has(a, Owns))
    assert(world:components(a)[1] == Owns)
end

function test.queries_take_edges()
    local world = firn.newWorld()
    local a, b = world:spawn(), world:spawn()
    local x = world:spawn(Likes(a, {much = 2}))
    world:spawn(Likes(b), Owns(a))
    assert(world:newQuery({include = {Likes}}):count() == 2)
    assert(world:newQuery({include = {Likes(a)}}):count() == 1)
    assert(world:newQuery({include = {Likes(b)}, exclude = {Owns(a)}}):count() == 0)
    for archetype in world:newQuery({include = {Likes(a)}}):each() do
        assert(archetype:entity(0) == x)
    end
end

function test.an_edge_to_the_dead_leaves_nothing_behind()
    local world = firn.newWorld()
    local dead = world:spawn()
    world:despawn(dead)
    local ok, problem = pcall(world.spawn, world, Mark, Likes(dead))
    assert(not ok and problem.result == "FIRN_NOT_FOUND" and problem.entity == dead)
    assert(world:count() == 0)
end

function test.edges_in_a_loop_wait()
    local world = firn.newWorld()
    local a = world:spawn(Mark)
    local made
    for archetype in world:newQuery({include = {Mark}}):each() do
        made = world:spawn(Likes(archetype:entity(0), {much = 6}))
        world:relate(a, Owns, made)
        assert(not world:has(a, Owns))
    end
    assert(world:related(made, Likes, a).much == 6 and world:target(a, Owns) == made)
end

function test.wrong_edges_are_refused()
    local world = firn.newWorld()
    local a = world:spawn()
    refused("target must be an entity, not 1.5", Likes, 1.5)
    refused("target must be an entity, not nil", Likes)
    refused("there is no field 'many'", Likes, 5, {many = 1})
    refused("the relation 'relation.Likes' needs a target", world.spawn, world, Likes)
    refused("source must be an entity, not -1", world.relate, world, -1, Likes, a)
    refused("target must be an entity", world.relate, world, a, Likes, 2^60)
    refused("'relation.Mark' is no relation", world.relate, world, a, Mark, a)
    for _, name in ipairs({"target", "relation"}) do
        refused("every edge has that", firn.newRelationship,
            {name = "relation.X", fields = {{name, "double"}}})
    end
    refused("relation must be a component, not nil", world.targets, world, a, nil)
    refused("use world:relate", world.set, world, a, Likes, 5)
    refused("unknown option 'exclusiv'", firn.newRelationship, {name = "x", exclusiv = true})
    assert(#world:components(a) == 0)
end

function test.OnSpawn_finds_strings_and_edges_and_is_told_alone()
    local world = firn.newWorld()
    local Bag = world:newComponent({name = "Bag", fields = {"n"}})
    local friend = world:spawn(firn.EntityKey("friend"))
    local told = {}
    world:observe(0, firn.OnSpawn, function(event)
        for _, entity in ipairs(event.entities) do
            assert(world:get(entity, firn.Name) == "it" and world:get(entity, Bag).n == 5)
            assert(world:related(entity, Likes, friend).much == 3)
            assert(world:target(entity, firn.ChildOf) == friend)
        end
        told[#told + 1] = event.count
    end)
    for _, name in ipairs({firn.OnAdd, firn.OnSet, firn.OnRemove, firn.OnDespawn}) do
        world:observe(0, name, function(event) told[#told + 1] = event.name end)
    end
    local queue = world:newQueue({firn.OnSpawn, firn.OnAdd, firn.OnSet})
    local parts = {Bag(5), firn.Name("it"), Likes(friend, {much = 3}), firn.ChildOf(friend)}
    world:spawn(unpack(parts))
    world:spawnMany(3, unpack(parts))
    assert(#told == 2 and told[1] == 1 and told[2] == 3)
    assert(queue:next().name == "OnSpawn" and queue:next().count == 3 and queue:next() == nil)
    -- What fails has not been there.
    local ok = pcall(world.spawnMany, world, 2, Bag(5), firn.EntityKey("one"))
    assert(not ok and #told == 2 and queue:next() == nil and world:count() == 5)
    world:set(friend, firn.Name("friend"))
    assert(told[3] == "OnAdd" or told[3] == "OnSet") -- others are heard again
end

return test
