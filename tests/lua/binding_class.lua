-- Entity classes: bundles of components by name, that saves know.
local firn = require("firn")
local tools = require("saves_tools")
local game, fails, refused = tools.game, tools.fails, tools.refused

local test = {}

local function zoo(options)
    local saves, world = game(options)
    local own = {saves = saves, world = world, heard = {}}
    own.At = world:newFFIComponent({name = "At", fields = {{"x", "float"}, {"y", "float"}}})
    own.Age = world:newScalar({name = "Age", type = "number"})
    own.Awake = world:newScalar({name = "Awake", type = "boolean"})
    own.Call = world:newScalar({name = "Call", type = "string"})
    own.Food = world:newComponent({name = "Food", fields = {"kind", "amounts"}})
    own.Wild = world:newTag({name = "Wild"})
    function own.define(heard)
        world:newClass({
            name = "fox",
            components = {
                own.At(1, 2), own.Age(3), own.Awake(true), own.Call("wah"), own.Food("mice", {1, 2}),
                own.Wild,
            },
            create = heard and function(given, entity)
                assert(given == world and world:get(entity, own.Food).kind == "mice")
                heard[#heard + 1] = "create " .. entity
            end,
            restore = heard and function(given, entity)
                assert(given == world and world:get(entity, own.Call) == "wah")
                heard[#heard + 1] = "restore " .. entity
            end,
        })
    end
    return own
end

function test.S8_an_entity_of_a_class_has_its_components_with_their_values()
    local own = zoo()
    own.define()
    local world = own.world
    collectgarbage()
    for _ = 1, 2 do
        local fox = world:spawnClass("fox")
        assert(world:get(fox, own.At).x == 1 and world:get(fox, own.At).y == 2)
        assert(world:get(fox, own.Age) == 3 and world:get(fox, own.Awake) == true)
        assert(world:get(fox, own.Call) == "wah" and world:has(fox, own.Wild))
        local food = world:getMut(fox, own.Food)
        assert(food.kind == "mice" and food.amounts[2] == 2)
        food.amounts[2] = 9 -- of this one only
        assert(world:classOf(fox) == "fox" and world:classOf(world:spawn()) == nil)
    end
    world:newClass({name = "stone"})
    assert(world:classOf(world:spawnClass("stone")) == "stone")
    world:newClass({name = "rock", components = {own.At, own.Age, own.Food, own.Call}})
    local rock = world:spawnClass("rock")
    assert(world:get(rock, own.At).x == 0 and world:get(rock, own.Call) == "")
end

function test.S8_a_load_runs_restore_and_never_create()
    local own = zoo()
    own.define(own.heard)
    local fox = own.world:spawnClass("fox")
    assert(table.concat(own.heard, ",") == "create " .. fox)
    own.saves:write("one")
    own.world:despawn(fox)
    own.saves:read("one")
    assert(table.concat(own.heard, ",") == ("create %d,restore %d"):format(fox, fox))
    assert(own.world:get(fox, own.Food).amounts[1] == 1 and own.world:classOf(fox) == "fox")
end

function test.S8_a_class_that_is_not_registered_fails_the_load_by_name()
    local own = zoo()
    own.define()
    own.world:spawnClass("fox")
    local bytes = own.saves:makeBytes()
    local other = zoo()
    other.world:newClass({name = "bear"})
    local hash = other.world:hash()
    local problem = fails("FIRN_UNKNOWN", "fox", other.saves.take, other.saves, bytes)
    assert(problem.subject == "fox" and other.world:hash() == hash)
end

function test.S8_what_callbacks_raise_is_the_cause()
    local own = zoo()
    local world, raised = own.world, {}
    world:newClass({name = "bear", create = function()
        error(raised)
    end})
    local count = world:count()
    local problem = fails("FIRN_REFUSED", "bear", world.spawnClass, world, "bear")
    assert(problem.cause == raised and problem.subject == "bear" and problem.entity)
    assert(world:count() == count)
    local fail = false
    world:newClass({name = "wolf", restore = function()
        return fail and error(raised)
    end})
    world:spawnClass("wolf")
    own.saves:write("one")
    fail = true
    local hash = world:hash()
    problem = fails("FIRN_REFUSED", "wolf", own.saves.read, own.saves, "one")
    assert(problem.cause == raised and not problem.wentBack) -- going back restores it, too
    fail = false
    own.saves:read("one")
    assert(world:hash() == hash)
end

function test.classes_are_checked_and_named()
    local own = zoo()
    local world = own.world
    own.define()
    local Likes = world:newRelationship({name = "Likes"})
    fails("FIRN_EXISTS", "fox", world.newClass, world, {name = "fox"})
    refused("option 'name': a string is wanted, not nil", world.newClass, world, {})
    refused("options: a table is wanted, not nil", world.newClass, world)
    refused("unknown option 'creat'", world.newClass, world, {name = "a", creat = print})
    refused("option 'restore': a function is wanted", world.newClass, world, {name = "a", restore = 1})
    refused("must be an instance or a component, not 5", world.newClass, world,
        {name = "a", components = {5}})
    refused("without holes", world.newClass, world, {name = "a", components = {x = own.Wild}})
    fails("FIRN_INVALID", "Likes", world.newClass, world, {name = "a", components = {Likes(world:spawn())}})
    fails("FIRN_INVALID", "Wild", world.newClass, world, {name = "a", components = {own.Wild, own.Wild}})
    fails("FIRN_UNKNOWN", "there is no class 'cat'", world.spawnClass, world, "cat")
    refused("spawnClass: name: a string is wanted, not nil", world.spawnClass, world)
    refused("classOf: entity must be an entity, not nil", world.classOf, world)
    for _ in world:newQuery({include = {own.Wild}}):each() do end
    world:spawnClass("fox")
    for _ in world:newQuery({include = {own.Wild}}):each() do
        fails("FIRN_BUSY", "", world.spawnClass, world, "fox")
    end
    world:destroy()
    refused("the world has been destroyed", world.newClass, world, {name = "b"})
    refused("the world has been destroyed", world.spawnClass, world, "fox")
end

return test
