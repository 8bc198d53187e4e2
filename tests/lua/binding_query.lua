-- Queries, loops over them, and what a loop leaves open.
local ffi = require("ffi")
local firn = require("firn")
local refused = require("refused")

local Position = firn.newFFIComponent({
    name = "query.Position", fields = {{"x", "double"}, {"y", "double"}},
})
local Velocity = firn.newFFIComponent({
    name = "query.Velocity", fields = {{"x", "double"}, {"y", "double"}},
})
local Enemy = firn.newTag({name = "query.Enemy"})
local Health = firn.newScalar({name = "query.Health", type = "number", default = 3})
local Title = firn.newScalar({name = "query.Title", type = "string"})

local test = {}

-- A world with n entities of Position and Velocity, half of them enemies.
local function newScene(n)
    local world = firn.newWorld()
    local entities = {}
    for i = 1, n or 10 do
        entities[i] = i % 2 == 0 and world:spawn(Position(i, 0), Velocity(1, 2), Enemy)
            or world:spawn(Position(i, 0), Velocity(1, 2))
    end
    return world, world:newQuery({include = {Position, Velocity}}), entities
end

function test.a_compiled_loop_makes_nothing_for_an_entity()
    local world, query = newScene(20000)
    local function move(times)
        for _ = 1, times do
            for archetype, count in query:each() do
                local positions, velocities = archetype:columnMut(Position), archetype:column(Velocity)
                for i = 0, count - 1 do
                    positions[i].x = positions[i].x + velocities[i].x
                end
            end
        end
    end
    move(20) -- is compiled
    collectgarbage()
    collectgarbage("stop")
    local before = collectgarbage("count")
    move(10)
    local made = collectgarbage("count") - before
    collectgarbage("restart")
    assert(not jit.status() or made < 100, made) -- KiB, for 200,000 entities
    for archetype in query:each() do
        assert(archetype:column(Position)[0].x >= 31)
    end
    assert(world:count() == 20000)
end

function test.a_loop_sees_every_entity_once()
    local world, query, entities = newScene(101)
    local seen, steps = {}, 0
    for archetype, count in query:each() do
        steps = steps + 1
        assert(archetype.count == count)
        for i = 0, count - 1 do
            seen[archetype:entity(i)] = true
        end
    end
    for _, entity in ipairs(entities) do
        assert(seen[entity])
    end
    assert(steps == 2 and query:count() == 101 and world.loopCount == 0)
end

function test.columns_are_typed_and_written_through_columnMut_only()
    local world, query, entities = newScene(1000)
    for _ = 1, 20 do
        for archetype, count in query:each() do
            local position = archetype:columnMut(Position)
            local velocity = archetype:column(Velocity)
            for i = 0, count - 1 do
                position[i].x = position[i].x + velocity[i].x * 0.5
            end
        end
    end
    for i, entity in ipairs(entities) do
        assert(world:get(entity, Position).x == i + 10)
    end
    refused("constant", function()
        for archetype in query:each() do
            archetype:column(Position)[0].x = 1
        end
    end)
    assert(world:get(entities[1], Position).x == 11)
end

function test.optional_columns_are_nil_where_they_are_not_there()
    local world = newScene(4)
    local query = world:newQuery({include = {Position}, optional = {Enemy, Health}})
    world:spawn(Position(0, 0), Health(8))
    local withHealth = 0
    for archetype in query:each() do
        local health = archetype:column(Health)
        if health then
            withHealth = withHealth + 1
            assert(health[0] == 8 and archetype:has(Health) and not archetype:has(Enemy))
        else
            assert(not archetype:has(Health))
        end
    end
    assert(withHealth == 1)
end

function test.any_and_exclude_select_archetypes()
    local world = newScene(10)
    world:spawn(Health(1))
    assert(world:newQuery({exclude = {Enemy}}):count() == 6)
    assert(world:newQuery({any = {Enemy, Health}}):count() == 6)
    assert(world:newQuery({include = {Enemy}}):count() == 5)
    assert(world:newQuery({}):count() == 11)
end

function test.a_column_of_strings_is_read_by_index()
    local world = firn.newWorld()
    world:spawn(Title("one"))
    world:spawn(Title("a longer one that stands elsewhere"))
    for archetype, count in world:newQuery({include = {Title}}):each() do
        local titles = archetype:column(Title)
        assert(count == 2 and titles[0] == "one" and titles[2] == nil)
        assert(titles[1] == "a longer one that stands elsewhere")
        refused("read only", function() titles[0] = "x" end)
        refused("use world:set", archetype.columnMut, archetype, Title)
    end
end

function test.changes_in_a_loop_wait_for_its_end()
    local world, query, entities = newScene(10)
    for archetype, count in query:each() do
        for i = 0, count - 1 do
            world:despawn(archetype:entity(i))
            assert(world:isAlive(archetype:entity(i)))
        end
    end
    assert(world:count() == 0 and not world:isAlive(entities[1]) and world:pending() == 0)
end

function test.rows_that_are_spawned_in_a_loop_are_there_at_its_end()
    local world, query = newScene(3)
    local made
    for _ in query:each() do
        made = made or world:spawn(Position(7, 8), Health(4), Title("new"))
        assert(world:isAlive(made) and not world:has(made, Position))
    end
    assert(world:get(made, Position).y == 8 and world:get(made, Health) == 4)
    assert(world:get(made, Title) == "new")
end

-- ---------------------------------------------------------------- loops that are left

function test.a_break_leaves_nothing_open()
    local world, query, entities = newScene(10)
    for archetype in query:each() do
        world:despawn(archetype:entity(0))
        break
    end
    assert(world:count() == 9 and world:pending() == 0)
    world:despawn(entities[1])
    assert(world:count() == 8)
end

function test.a_break_without_changes_makes_no_difference()
    local world, query, entities = newScene(10)
    for _ in query:each() do
        break
    end
    world:despawn(entities[1])
    assert(not world:isAlive(entities[1]) and world:count() == 9)
    query:destroy()
end

function test.an_error_leaves_nothing_open()
    local world, query = newScene(10)
    local ok = pcall(function()
        for archetype in query:each() do
            world:despawn(archetype:entity(0))
            error("stop")
        end
    end)
    assert(not ok and world:count() == 9)
end

function test.a_return_out_of_nested_loops_ends_both()
    local world, query = newScene(10)
    local inner = world:newQuery({include = {Enemy}})
    local function find()
        for _ in query:each() do
            for archetype in inner:each() do
                world:despawn(archetype:entity(0))
                return archetype:entity(1)
            end
        end
    end
    local found = find()
    assert(world:isAlive(found) and world:count() == 9 and world.loopCount == 0)
end

function test.the_outer_loop_goes_on_when_the_inner_one_is_left()
    local world, query = newScene(10)
    local steps = 0
    for archetype in query:each() do
        steps = steps + 1
        for other in query:each() do
            world:despawn(other:entity(steps))
            break
        end
        assert(world:count() == 10 and world:isAlive(archetype:entity(steps)))
        assert(world.loopCount == 1)
    end
    assert(steps == 2 and world:count() == 8)
end

function test.left_loops_do_not_pile_up()
    local world, query = newScene(10)
    for _ = 1, 2000 do
        for _ in query:each() do
            break
        end
    end
    assert(world.loopCount <= 1)
end

function test.a_loop_in_a_coroutine_lives_until_it_is_over()
    local world, query = newScene(10)
    local co = coroutine.create(function()
        for archetype in query:each() do
            world:despawn(archetype:entity(0))
            coroutine.yield()
        end
    end)
    assert(coroutine.resume(co))
    assert(world:count() == 10 and world:pending() == 1)
    assert(coroutine.resume(co) and world:pending() == 2)
    assert(coroutine.resume(co) and coroutine.status(co) == "dead")
    assert(world:count() == 8)
end

function test.a_loop_around_a_coroutine_lives()
    local world, query, entities = newScene(10)
    for _ in query:each() do
        coroutine.wrap(function()
            world:despawn(entities[1])
            assert(world:isAlive(entities[1]) and world:isAlive(entities[1]))
        end)()
        break
    end
    assert(world:count() == 9)
end

function test.a_loop_in_a_coroutine_that_failed_is_over()
    local world, query = newScene(10)
    local co = coroutine.create(function()
        for archetype in query:each() do
            world:despawn(archetype:entity(0))
            error("stop")
        end
    end)
    assert(not coroutine.resume(co))
    assert(world:count() == 9)
end

function test.a_loop_in_a_coroutine_that_nobody_holds_is_over()
    local world, query = newScene(10)
    coroutine.wrap(function()
        for archetype in query:each() do
            world:despawn(archetype:entity(0))
            coroutine.yield()
        end
    end)()
    collectgarbage()
    collectgarbage()
    assert(world:count() == 9)
end

function test.a_loop_of_stripped_code_counts_as_alive_until_it_is_closed()
    local world, query = newScene(10)
    local source = loadstring([[
        local query, world = ...
        for archetype in query:each() do
            world:despawn(archetype:entity(0))
            assert(world:count() == 10)
            break
        end
        assert(world:count() == 10)
        return true
    ]])
    assert(loadstring(string.dump(source, true))(query, world))
    assert(world:count() == 9)
end

function test.close_ends_the_loops_of_a_query()
    local world, query = newScene(10)
    for archetype in query:each() do
        world:despawn(archetype:entity(0))
        query:close()
        assert(world:count() == 9)
        refused("the loop has ended", archetype.column, archetype, Position)
        break
    end
    refused("the loop has ended", function()
        for _ in query:each() do
            query:close()
        end
    end)
end

function test.a_system_that_leaves_its_loop_ends_it()
    local world, query = newScene(10)
    local counts = {}
    world:addSystem({name = "leaves", run = function()
        for archetype in query:each() do
            world:despawn(archetype:entity(0))
            break
        end
    end})
    world:addSystem({name = "looks", run = function()
        counts[#counts + 1] = world:count()
    end})
    world:step(0.1)
    world:step(0.1)
    assert(counts[1] == 9 and counts[2] == 8 and world.loopCount == 0)
end

function test.a_loop_that_outlived_its_system_goes_no_further()
    local world, query = newScene(10)
    local steps = 0
    local co = coroutine.create(function()
        for _ in query:each() do
            steps = steps + 1
            coroutine.yield()
        end
    end)
    world:addSystem({name = "begins", run = function()
        coroutine.resume(co)
        error("stop")
    end})
    assert(not pcall(world.step, world, 0.1))
    world:despawn(world:spawn())
    coroutine.resume(co)
    assert(steps == 1 and coroutine.status(co) == "dead" and world:count() == 10)
end

function test.compiled_loops_that_are_left_are_noticed()
    local world, query = newScene(200)
    for i = 1, 150 do
        for archetype, count in query:each() do
            local position = archetype:column(Position)
            local sum = 0
            for k = 0, count - 1 do
                sum = sum + position[k].x
            end
            if sum > 0 then
                world:despawn(archetype:entity(0))
                break
            end
        end
        assert(world:count() == 200 - i)
    end
end

function test.columns_of_a_debug_world_check_each_use()
    local world = firn.newWorld({debug = true})
    world:spawn(Position(1, 2), Health(7))
    world:spawn(Position(3, 4))
    local query = world:newQuery({include = {Position}, optional = {Health, Enemy}})
    local kept
    for archetype in query:each() do
        if kept then
            refused("is used after its loop went on", function() return kept[0] end)
        end
        local position = archetype:columnMut(Position)
        kept = position
        position[0].x = position[0].x + 10
        refused("has no row 1: there are 1", function() return position[1] end)
        refused("has no row -1", function() return position[-1] end)
        refused("has no row 0.5", function() return position[0.5] end)
        refused("is for reading", function() archetype:column(Position)[0].x = 1 end)
        local health = archetype:column(Health)
        if health then
            assert(health[0] == 7)
            refused("is for reading", function() health[0] = 8 end)
            archetype:columnMut(Health)[0] = 9
            assert(health[0] == 9)
        end
        assert(archetype:column(Enemy) == nil)
    end
    refused("is used after its loop went on", function() kept[0].x = 1 end)
end

function test.structs_of_a_debug_world_check_each_use()
    local world = firn.newWorld({debug = true})
    local Vector = world:newFFIComponent({
        name = "Vector", fields = {{"x", "double"}, {"y", "double"}},
        container = {
            length = function(self) return math.sqrt(self.x ^ 2 + self.y ^ 2) end,
            __add = function(a, b) return a:sum(b) end,
            __eq = function(a, b) return a.x == b.x and a.y == b.y end,
        },
    })
    function Vector.sum(a, b) return Vector(a.x + b.x, a.y + b.y) end
    local Body = world:newFFIComponent({
        name = "Body",
        fields = {
            {"at", Vector}, {"corners", Vector, 2}, {"marks", "int32_t[3]"}, {"id", "int64_t"},
            {"name", "char[8]"},
        },
    })
    local entity = world:spawn(Vector(3, 4), Body.new({at = {x = 1, y = 2}, id = 9, name = "ann"}))
    world:spawn(Vector(5, 6), Body, Enemy)
    local kept = {}
    for archetype in world:newQuery({include = {Vector, Body}}):each() do
        for _, use in ipairs(kept) do
            refused("is used after its loop went on", use)
        end
        local vectors, bodies = archetype:columnMut(Vector), archetype:columnMut(Body)
        local vector, body = vectors[0], bodies[0]
        local at, corner = body.at, body.corners[1]
        if #kept == 0 then
            assert(vector.x == 3 and vector:length() == 5 and vector.__firn == Vector)
            assert((vector + vector).y == 8 and vector == vectors[0] and vector ~= Vector(1, 1))
            assert(at.y == 2 and body.id == 9LL and body.marks[2] == 0)
            vector.x, at.y, corner.x, body.marks[1] = 6, 7, 8, 9
            body.corners[0] = vector
            local other = world:spawn(vector)
            world:set(entity, vector)
            world:set(entity, Body, body)
            vectors[0] = corner
            assert(vector.x == 8 and not world:has(other, Body))
            body.at = vector
            assert(body.at.x == 8 and body.corners[0].x == 6)
            body.corners = bodies[0].corners
            assert(body.corners[0].x == 6 and body.corners[1].x == 8)
            local still = archetype:column(Body)[0]
            refused("is for reading", function() still.at.x = 1 end)
            refused("is for reading", function() still.corners[0] = vector end)
            refused("is for reading", function() still.corners[0].x = 1 end)
            refused("is for reading", function() still.marks[0] = 1 end)
            refused("'Body.marks' has no element 3: there are 3", function() return body.marks[3] end)
            refused("'Body.marks' has no element -1", function() body.marks[-1] = 1 end)
            refused("'Body.corners' has no element 1.5", function() return body.corners[1.5] end)
            assert(ffi.string(body.name) == "ann")
            -- They are copied where firn makes an instance; the FFI refuses what stands for them.
            local made = Body.new({at = body.at, corners = body.corners, marks = body.marks})
            assert(made.at.x == 8 and made.corners[1].x == 8 and made.marks[1] == 9)
            assert(Body(body.at).at.x == 8)
            refused("cannot convert 'thread'", function() made.at = body.at end)
            refused("cannot convert 'thread'", ffi.new, ffi.typeof(made), body)
            for _, name in ipairs({"corners", "marks"}) do
                refused("cannot convert 'struct firn_checked", function() made[name] = body[name] end)
            end
            assert(made.marks[1] == 9)
            local corners = ffi.new("double[4]")
            ffi.copy(corners, body.corners, ffi.sizeof(body.corners))
            assert(ffi.sizeof(body.corners) == 32 and corners[0] == 6 and corners[2] == 8)
            refused("stands for no array", function() return ffi.new(ffi.typeof(body.marks))[0] end)
        end
        local marks = body.marks
        kept = {
            function() return marks[0] end, function() marks[0] = 1 end,
            function() return vector.x end, function() vector.x = 1 end, function() return at.y end,
            function() corner.x = 1 end, function() return body.corners[0] end,
            function() return vector + vector end, function() world:set(entity, vector) end,
            function() return vector:length() end,
        }
    end
    for _, use in ipairs(kept) do
        refused("is used after its loop went on", use)
    end
    assert(world:get(entity, Vector).x == 8 and world:get(entity, Body).marks[1] == 9)
end

-- ---------------------------------------------------------------- bad input

function test.wrong_terms_are_refused()
    local world, query = newScene(2)
    local other = firn.newWorld()
    local own = other:newTag({name = "query.Own"})
    refused("unknown option 'includes'", world.newQuery, world, {includes = {}})
    refused("include[1] must be a component", world.newQuery, world, {include = {5}})
    local many = {}
    for i = 1, 33 do
        many[i] = world:newTag({name = "query.Tag" .. i})
    end
    refused("33 components are more than the 32", world.newQuery, world, {include = many})
    refused("'query.Own' is of another world", world.newQuery, world, {include = {own}})
    refused("FIRN_INVALID", function()
        local ok, problem = pcall(world.newQuery, world, {include = {Position, Position}})
        error(ok and "" or problem.result)
    end)
    for archetype in query:each() do
        refused("'query.Health' is no term", archetype.column, archetype, Health)
        refused("component must be a component, not nil", archetype.column, archetype, nil)
        refused("there is no row 2", archetype.entity, archetype, 2)
        refused("there is no row -1", archetype.entity, archetype, -1)
        break
    end
end

function test.what_is_destroyed_is_refused()
    local world, query = newScene(2)
    local step, loop = query:each()
    assert(step(loop))
    query:close()
    query:destroy()
    refused("the query has been destroyed", query.each, query)
    refused("the query has been destroyed", query.count, query)
    refused("the query has been destroyed", query.destroy, query)
    query = world:newQuery({})
    step, loop = query:each()
    assert(step(loop))
    world:destroy()
    refused("the world has been destroyed", step, loop)
    refused("the world has been destroyed", query.each, query)
    refused("the world has been destroyed", query.close, query)
    refused("the world has been destroyed", world.newQuery, world, {})
end

function test.a_row_of_an_archetype_is_a_whole_number()
    local world = firn.newWorld()
    local Row = world:newTag({name = "query.Row"})
    local entity, seen = world:spawn(Row), 0
    for archetype in world:newQuery({include = {Row}}):each() do
        for _, row in ipairs({0.5, -1, 1, 0 / 0, 1 / 0, 2 ^ 53, "0", false}) do
            assert(not pcall(archetype.entity, archetype, row), row)
            seen = seen + 1
        end
        assert(not pcall(archetype.entity, archetype))
        assert(archetype:entity(0) == entity)
    end
    assert(seen == 8)
end

return test
