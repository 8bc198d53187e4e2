-- Behaviours of saves and loads, by the numbers of the feature list, that no other file shows.
local firn = require("firn")
local refused = require("refused")
local buffer = require("string.buffer")
local reader = require("reader")

local test = {}

local function saved(world, options)
    return world:saveSnapshot(options).buffer:tostring()
end

local SLOTS = 2 ^ 22

local function vectorIn(world, name)
    return world:newFFIComponent({
        name = name or "Position", fields = {{"x", "float"}, {"y", "float"}},
    })
end

-- ---------------------------------------------------------------- T4

function test.T4_ids_keep_slot_and_generation_and_are_not_minted_twice()
    local world = firn.newWorld()
    local ids = world:spawnMany(5)
    for _ = 1, 3 do
        world:despawn(ids[2])
        ids[2] = world:spawn()
    end
    assert(ids[2] == 2 + 3 * SLOTS)
    world:despawn(ids[4])
    local save = saved(world)
    local late = world:spawn()
    world:despawn(ids[1])
    world:loadSnapshot(save)
    assert(world:isAlive(ids[1]) and world:isAlive(ids[2]) and not world:isAlive(ids[4]))
    local seen = {}
    for i, id in ipairs(ids) do
        seen[id] = i
    end
    assert(world:spawn() == late) -- minted after the save, it is free again
    for _ = 1, 20 do
        local id = world:spawn()
        assert(not seen[id] and id ~= ids[4])
        seen[id] = true
    end
    assert(not world:isAlive(ids[4]))
end

function test.T4_the_largest_id_is_an_exact_number()
    local world = firn.newWorld()
    local largest = 2 ^ 53 - 1
    world:loadSnapshot({
        version = 2, nextEntityId = SLOTS, componentTable = {},
        archetypes = {{columnIndices = {}, entities = {{largest}, {largest - 2 * SLOTS - 1}}}},
    })
    assert(world:isAlive(largest) and world:count() == 2)
    local other = firn.newWorld()
    other:loadSnapshot(saved(world))
    assert(other:isAlive(largest) and other:isAlive(largest - 2 * SLOTS - 1))
end

function test.T4_what_a_selection_left_out_is_free_with_another_generation()
    local world = firn.newWorld()
    local Kept = world:newTag({name = "Kept"})
    local a, b = world:spawn(Kept), world:spawn()
    local save = saved(world, {filterQuery = {include = {Kept}}})
    world:loadSnapshot(save)
    assert(world:isAlive(a) and not world:isAlive(b))
    assert(world:spawn() == b + SLOTS)
end

-- ---------------------------------------------------------------- T5

local function kindsOfWorld()
    local world = firn.newWorld()
    return world, {
        Position = vectorIn(world),
        Score = world:newScalar({name = "Score", type = "number"}),
        Alive = world:newScalar({name = "Alive", type = "boolean"}),
        Title = world:newScalar({name = "Title", type = "string"}),
        Boss = world:newTag({name = "Boss"}),
        Info = world:newComponent({name = "Info"}),
        Likes = world:newRelationship({name = "Likes", fields = {{"much", "float"}}}),
        Owner = world:newRelationship({name = "Owner", sparse = true, exclusive = true}),
    }
end

function test.T5_every_kind_of_component_comes_back()
    local world, C = kindsOfWorld()
    local fox = world:spawn(C.Position(1.5, -2), C.Score(0.1), C.Alive(false), C.Title("a\0b"), C.Boss,
        C.Info.new({deep = {1, {x = true}}}))
    local den = world:spawn()
    world:relate(fox, C.Likes, den, {much = 0.5})
    world:relate(fox, C.Likes, fox, {much = 2})
    world:relate(fox, C.Owner, den)
    world:relate(den, firn.ChildOf, fox)
    local bytes, plain = saved(world), world:saveSnapshot({format = "table"})
    for _, source in ipairs({bytes, plain}) do
        local other, D = kindsOfWorld()
        other:loadSnapshot(source)
        local position = other:get(fox, D.Position)
        assert(position.x == 1.5 and position.y == -2 and other:get(fox, D.Score) == 0.1)
        assert(other:get(fox, D.Alive) == false and other:get(fox, D.Title) == "a\0b")
        assert(other:has(fox, D.Boss) and other:get(fox, D.Info).deep[2].x == true)
        assert(other:related(fox, D.Likes, den).much == 0.5)
        assert(other:related(fox, D.Likes, fox).much == 2)
        assert(other:target(fox, D.Owner) == den and other:target(den, firn.ChildOf) == fox)
        assert(other:sources(den, D.Likes)[1] == fox and saved(other) == bytes)
    end
end

function test.T5_a_sparse_relation_of_many_targets_fails_the_save_by_its_name()
    for _, transient in ipairs({false, true}) do
        local world = firn.newWorld()
        local Knows = world:newRelationship({name = "Knows", sparse = true, transient = transient})
        local a, b = world:spawn(), world:spawn()
        world:relate(a, Knows, b)
        if transient then
            local other = firn.newWorld()
            other:loadSnapshot(saved(world))
            assert(other:isAlive(a))
        else
            refused("Knows", world.saveSnapshot, world)
            refused("Knows", world.saveSnapshot, world, {format = "table"})
            assert(#saved(world, {sparseEdges = true}) > 0)
        end
    end
end

-- ---------------------------------------------------------------- T10

function test.T10_resources_are_left_out_and_stay()
    local world = firn.newWorld()
    local resources = world.resources
    resources.callback = function() end
    resources.world = world
    local save = saved(world)
    world:loadSnapshot(save)
    assert(world.resources == resources and resources.world == world)
    local other = firn.newWorld()
    other:loadSnapshot(save)
    assert(next(other.resources) == nil)
end

function test.T10_no_entity_that_is_replaced_is_told_about()
    local world = firn.newWorld()
    local Marked = world:newTag({name = "Marked"})
    local told = 0
    world:spawn(Marked)
    local save = saved(world)
    world:spawn(Marked)
    for _, name in ipairs({firn.OnDespawn, firn.OnSpawn, firn.OnAdd, firn.OnRemove}) do
        world:observe(0, name, function()
            told = told + 1
        end)
    end
    world:loadSnapshot(save)
    assert(told == 0)
    world:spawn(Marked)
    assert(told == 1) -- OnSpawn
end

-- ---------------------------------------------------------------- T11

function test.T11_what_fails_a_save_is_named_and_changes_neither_world_nor_output()
    local world = firn.newWorld()
    local Ai = world:newComponent({name = "Ai"})
    local own, path = buffer.new(), os.tmpname()
    world:spawn(Ai.new({plan = {1}}))
    world:saveSnapshot({buffer = own, path = path})
    local good = own:tostring()
    local cycle = {}
    cycle.inside = {cycle}
    local ai = world:spawn(Ai.new({plan = {1, 2, {callback = print}}}))
    for _, wrong in ipairs({
        {{plan = {1, 2, {callback = print}}}, ".plan[3].callback is a function"},
        {cycle, ".inside[1].inside is a table that is inside itself"},
        {{co = coroutine.create(print)}, ".co is a coroutine"},
        {{file = io.stdout}, ".file is a userdata"},
    }) do
        world:set(ai, Ai.new(wrong[1]))
        for _, options in ipairs({{buffer = own, path = path}, {format = "table"}}) do
            local problem = refused(wrong[2], world.saveSnapshot, world, options)
            assert(problem.message:find("component 'Ai'", 1, true), problem.message)
            assert(problem.message:find(("entity %d"):format(ai), 1, true), problem.message)
            assert(problem.entity == ai)
        end
        assert(own:tostring() == good)
        assert(world:get(ai, Ai) and world:count() == 2)
    end
    local file = assert(io.open(path, "rb"))
    assert(file:read("*a") == good)
    file:close()
    os.remove(path)
    os.remove(path .. ".bak")
    world:despawn(ai)
    world:saveSnapshot({buffer = own})
    world:loadSnapshot(own)
    assert(world:count() == 1)
end

function test.T11_a_save_without_functions_that_fails_leaves_its_buffer_too()
    local world = firn.newWorld()
    local Position = vectorIn(world)
    local Knows = world:newRelationship({name = "Knows", sparse = true})
    local own = buffer.new()
    local a, b = unpack(world:spawnMany(500, Position(1, 2)))
    for round = 1, 4 do
        world:saveSnapshot({buffer = own})
        local good = own:tostring()
        assert(good == saved(world))
        world:relate(a, Knows, b)
        refused("Knows", world.saveSnapshot, world, {buffer = own})
        refused("unknown option", world.saveSnapshot, world, {buffer = own, bufer = own})
        assert(own:tostring() == good)
        world:unrelate(a, Knows)
        world:set(a, Position(round, 0))
    end
end

function test.T2_buffers_that_are_saved_into_by_turns_keep_their_own_bytes()
    local world, other = firn.newWorld(), firn.newWorld()
    local Position = vectorIn(world)
    local buffers, expected = {}, {}
    for i = 1, 3 do
        buffers[i] = buffer.new()
    end
    local fox = world:spawn(Position(0, 0))
    for round = 1, 30 do
        local i = round % 3 + 1
        world:set(fox, Position(round, 0))
        if round % 5 == 0 then
            world:spawnMany(100, Position(1, round))
        end
        world:saveSnapshot({buffer = buffers[i]})
        expected[i] = saved(world)
        if round % 7 == 0 then
            other:saveSnapshot({buffer = buffers[i]})
            expected[i] = saved(other)
        elseif round % 11 == 0 then
            buffers[i]:put("more")
            expected[i] = expected[i] .. "more"
        elseif round % 13 == 0 then
            buffers[i]:reset()
            expected[i] = ""
        end
        collectgarbage()
        for k = 1, 3 do
            assert(buffers[k]:tostring() == (expected[k] or ""))
        end
    end
end

function test.T2_what_runs_in_a_save_or_load_may_do_anything_to_its_buffer()
    local world, other = firn.newWorld(), firn.newWorld()
    other:spawnMany(100)
    local own, meddle = buffer.new(), function() end
    local Coded = world:newComponent({
        name = "Coded", fields = {"n"},
        save = function(value)
            meddle()
            return value.n
        end,
        load = function(n)
            meddle()
            return {n = n}
        end,
    })
    local ids = world:spawnMany(50, Coded(1))
    local good = saved(world)
    for _, way in ipairs({
        function() other:saveSnapshot({buffer = own}) end,
        function() own:reset():put(("x"):rep(5000)) end,
        function() own:free() end,
        function() pcall(world.saveSnapshot, world, {buffer = own}) end,
        function() collectgarbage() end,
    }) do
        for _ = 1, 3 do
            meddle = way
            world:saveSnapshot({buffer = own})
            assert(own:tostring() == good)
            world:loadSnapshot(own)
            meddle = function() end
            assert(world:count() == 50 and world:get(ids[50], Coded).n == 1)
            own:set(good)
        end
    end
end

-- ---------------------------------------------------------------- T12, T13

function test.T12_a_dense_struct_is_one_copy_and_a_codec_runs_once_a_row()
    local world = firn.newWorld()
    local Position = vectorIn(world)
    local calls = 0
    local Coded = world:newFFIComponent({
        name = "Coded", fields = {{"n", "int32_t"}},
        save = function(row)
            calls = calls + 1
            return {n = row.n}
        end,
        load = function(data)
            return {n = data.n}
        end,
    })
    for i = 1, 10 do
        world:spawn(Position(i, -i), Coded(i))
    end
    local bytes = saved(world)
    assert(calls == 10)
    local image = reader.read(bytes)
    local kinds = {}
    for _, component in ipairs(image.components) do
        kinds[component.name] = component.fingerprint or "encoded"
    end
    assert(kinds.Position == "x:float,y:float|8" and kinds.Coded == "encoded")
    assert(image.entities[3].Position.y == -3 and image.entities[3].Coded.n == 3)
    local column = require("ffi").new("float[20]")
    for i = 0, 9 do
        column[2 * i], column[2 * i + 1] = i + 1, -i - 1
    end
    assert(bytes:find(require("ffi").string(column, 80), 1, true), "the column is no copy")
end

function test.T12_a_pointer_needs_a_codec_or_is_transient()
    local fields = {{"n", "int32_t"}, {"body", "void *"}}
    local world = firn.newWorld()
    refused("body", world.newFFIComponent, world, {name = "Body", fields = fields})
    assert(world:newFFIComponent({name = "Body", fields = fields, transient = true}))
    assert(world:newFFIComponent({
        name = "Coded", fields = fields,
        save = function(row)
            return row.n
        end,
        load = function(n)
            return {n = n}
        end,
    }))
end

function test.T13_a_newer_schema_maps_fields_by_name_and_converts()
    local world = firn.newWorld()
    local Old = world:newFFIComponent({name = "Unit", fields = {
        {"hp", "int32_t"}, {"gone", "double"}, {"speed", "float"}, {"on", "uint8_t"},
    }})
    local unit = world:spawn(Old(90, 1, 1.5, 7))
    local bytes, plain = saved(world), world:saveSnapshot({format = "table"})
    for _, source in ipairs({bytes, plain}) do
        local newer = firn.newWorld()
        local Unit = newer:newFFIComponent({
            name = "Unit", defaults = {armor = 25},
            fields = {{"speed", "double"}, {"armor", "int16_t"}, {"hp", "float"}, {"on", "bool"}},
        })
        local _, report = newer:loadSnapshot(source)
        local row = newer:get(unit, Unit)
        assert(row.speed == 1.5 and row.armor == 25 and row.hp == 90 and row.on == true)
        local removed = {}
        for _, notice in ipairs(report.notices) do
            removed[notice.field] = notice.kind == "removed"
        end
        assert(source ~= bytes or removed.gone)
    end
end

function test.T14_transient_columns_stay_out_and_requires_applies_at_load()
    local world = firn.newWorld()
    local function register(into)
        local Cache = into:newFFIComponent({
            name = "Cache", fields = {{"n", "int32_t"}}, defaults = {n = 8}, transient = true,
        })
        return Cache, into:newTag({name = "Walker", requires = {Cache}})
    end
    local Cache, Walker = register(world)
    local a, b = world:spawn(Walker), world:spawn(Cache(3))
    world:getMut(a, Cache).n = 5
    local save = saved(world)
    assert(not save:find("Cache", 1, true))
    local other = firn.newWorld()
    local Other = register(other)
    other:loadSnapshot(save)
    assert(other:get(a, Other).n == 8 and other:isAlive(b) and not other:has(b, Other))
    local ok, problem = pcall(world.newFFIComponent, world, {
        name = "Both", fields = {{"n", "int32_t"}}, transient = true,
        save = function() end, load = function() end,
    })
    assert(not ok and tostring(problem):find("transient", 1, true))
end

-- ---------------------------------------------------------------- all of them

-- The behaviours that the binding has under the names of their own.
local ROWS = "T1 T2 T3 T4 T5 T6 T7 T8 T9 T10 T11 T12 T13 T14 T15 T16 T17 T18 T19 T22 T23"
    .. " N1 N4 N5 N6 N11 N12 N13"

function test.every_row_has_a_test_that_carries_its_number()
    local folder = arg[0]:match("^(.*)/run%.lua$")
    local pipe = assert(io.popen(("cat '%s'/binding_*.lua"):format(folder)))
    local source = pipe:read("*a")
    pipe:close()
    for row in ROWS:gmatch("%S+") do
        assert(source:find("function test%." .. row .. "_%w") or source:find('test%["' .. row .. "_"), row)
    end
end

return test
