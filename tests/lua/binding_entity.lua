-- Entities: made, read and ended.
local firn = require("firn")

local Position = firn.newFFIComponent({name = "entity.Position", fields = {{"x", "float"}, {"y", "float"}},
    defaults = {y = 7}})
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
    world:destroy()
end

function test.a_row_is_written_through_getMut_only()
    local world = firn.newWorld()
    local entity = world:spawn(Position(1, 2))
    world:getMut(entity, Position).x = 5
    assert(world:get(entity, Position).x == 5)
    assert(not pcall(function() world:get(entity, Position).x = 6 end))
    assert(world:get(entity, Position).x == 5)
end

function test.a_despawned_entity_is_gone()
    local world = firn.newWorld()
    local entity = world:spawn(Position)
    world:despawn(entity)
    assert(not world:isAlive(entity) and world:get(entity, Position) == nil)
    local ok, problem = pcall(world.despawn, world, entity)
    assert(not ok and problem.result == "FIRN_NOT_FOUND" and problem.entity == entity)
end

return test
