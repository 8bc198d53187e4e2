-- What happens around saves and loads: events, handlers, selection, codecs, and what a failure leaves.
local firn = require("firn")
local refused = require("refused")
local buffer = require("string.buffer")

local test = {}

local function saved(world, options)
    return world:saveSnapshot(options).buffer:tostring()
end

local function vectorIn(world)
    return world:newFFIComponent({name = "Position", fields = {{"x", "float"}, {"y", "float"}}})
end

-- ---------------------------------------------------------------- T8

function test.T8_any_value_is_kept_and_reserved_keys_are_refused()
    local world = firn.newWorld()
    local values = {a = false, b = 0.1, c = "\0", d = {}, e = {1, nil, 3}, f = 5LL, g = {[false] = {2}},
        h = 1i}
    local heard = {}
    for _, format in ipairs({"binary", "table"}) do
        world:loadSnapshot(world:saveSnapshot({format = format, customData = values}), {
            onData = function(_, value, key)
                heard[key] = value
            end,
        })
        assert(heard.a == false and heard.b == 0.1 and heard.c == "\0" and next(heard.d) == nil)
        assert(heard.e[1] == 1 and heard.e[2] == nil and heard.e[3] == 3)
        assert(firn.encode(heard.h) == firn.encode(1i))
        assert(heard.f == 5LL and type(heard.f) == "cdata" and heard.g[false][1] == 2)
    end
    for _, key in ipairs({"__tecs.x", "__tecs.stateStack", "__firn.world", "tecs.random"}) do
        refused(key, world.saveSnapshot, world, {customData = {[key] = 1}})
        refused(key, world.saveSnapshot, world, {format = "table", customData = {[key] = 1}})
    end
end

-- ---------------------------------------------------------------- T15, T18

function test.T15_listeners_of_a_key_run_in_their_order_and_for_one_load()
    local world = firn.newWorld()
    local heard = {}
    local save = saved(world, {customData = {a = 1, b = {2}}})
    local listen = true
    world:observe(0, firn.StartSnapshotLoad, function(event)
        for i = 1, listen and 3 or 0 do
            event:onData("b", function(loaded, value)
                assert(loaded == world)
                heard[#heard + 1] = i .. ":" .. value[1]
            end)
        end
        event.onData = "gone" -- what an observer puts here has no effect
    end)
    world:observe(0, firn.StartSnapshotLoad, function(event)
        event:onData("b", function()
            heard[#heard + 1] = "last"
        end)
        event:onData("never", error)
    end)
    world:loadSnapshot(save)
    assert(table.concat(heard, " ") == "1:2 2:2 3:2 last")
    listen, heard = false, {}
    world:loadSnapshot(save)
    assert(table.concat(heard, " ") == "last")
end

function test.T15_the_prelude_has_the_component_table_wherever_it_is_given()
    local world = firn.newWorld()
    local Position, Score = vectorIn(world), world:newScalar({name = "Score", type = "number"})
    world:spawn(Position(1, 2), Score(3))
    world:spawn(Score(4))
    local preludes = {}
    world:observe(0, firn.FinishSnapshotLoad, function(event)
        preludes[#preludes + 1] = event.prelude
        event.prelude = nil
    end)
    world:observe(0, firn.FinishSnapshotLoad, function(event)
        preludes[#preludes + 1] = event.prelude
    end)
    world:addSnapshotHandler({name = "game.finish", finish = function(of, prelude)
        assert(of == world)
        preludes[#preludes + 1] = prelude
    end})
    local returned = world:loadSnapshot(saved(world))
    preludes[#preludes + 1] = returned
    assert(#preludes == 4)
    for _, prelude in ipairs(preludes) do
        local names = {}
        for _, component in ipairs(prelude.componentTable) do
            names[component.name] = component.fingerprint
        end
        assert(names.Position == "x:float,y:float|8" and names.Score == "")
        assert(prelude.version == 1 and prelude.nextEntityId == 3 and prelude.entityCount == 2)
        assert(prelude.archetypeCount == 2)
    end
end

function test.T15_a_save_is_told_before_its_selection()
    local world = firn.newWorld()
    local Tile, Late = world:newTag({name = "Tile"}), world:newTag({name = "Late"})
    local ids = world:spawnMany(3, Tile)
    local other = world:spawn()
    world:observe(0, firn.OnSnapshotSave, function(event, of)
        assert(of == world)
        event:exclude(Tile)
        of:add(other, Late) -- waits for the end of the publication, and is in the save
        event:addData("game.tiles", {count = #ids})
    end)
    local data
    local save = world:saveSnapshot({customData = {own = 1}})
    local prelude = world:loadSnapshot(save, {onData = function(_, value, key)
        data = key == "game.tiles" and value or data
    end})
    assert(prelude.entityCount == 1 and not world:isAlive(ids[1]) and data.count == 3)
    assert(world:has(other, Late))
end

function test.T18_entities_come_first_then_every_load_then_every_finish()
    local world = firn.newWorld()
    local Position = vectorIn(world)
    local fox = world:spawn(Position(1, 2))
    local log = {}
    for _, name in ipairs({"game.b", "game.a", "game.none"}) do
        world:addSnapshotHandler({
            name = name,
            save = function()
                return name ~= "game.none" and {of = name} or nil
            end,
            load = function(of, value)
                assert(of:get(fox, Position).x == 1 and value.of == name)
                log[#log + 1] = "load " .. name
            end,
            finish = function()
                log[#log + 1] = "finish " .. name
            end,
        })
    end
    local save = saved(world)
    assert(not save:find("game.none", 1, true))
    world:set(fox, Position(5, 5))
    world:loadSnapshot(save)
    local loads, finishes = table.concat(log, ","):match("^(load.-),(finish.*)$")
    assert(#log == 5 and loads:find("game.a") and loads:find("game.b"))
    assert(finishes == "finish game.b,finish game.a,finish game.none", finishes)
end

-- ---------------------------------------------------------------- T16, N5

function test.T16_layers_select_by_the_layer_of_Transform2D()
    local world = firn.newWorld()
    local Transform = world:newFFIComponent({
        name = "Transform2D", fields = {{"x", "float"}, {"layer", "int32_t"}},
    })
    local ids = {}
    for layer = 0, 31 do
        ids[layer] = world:spawn(Transform(0, layer))
    end
    local plain = world:spawn()
    local layers = {2, 31}
    for _, format in ipairs({"binary", "table"}) do
        local other = firn.newWorld()
        other:loadSnapshot(world:saveSnapshot({format = format, layers = layers}), {skipUnknown = true})
        for layer = 0, 31 do
            assert(other:isAlive(ids[layer]) == (layer == 2 or layer == 31), layer)
        end
        assert(other:isAlive(plain))
    end
    assert(#layers == 2 and layers[1] == 2)
    for _, wrong in ipairs({-1, 32, 1.5, 0 / 0}) do
        refused("layer", world.saveSnapshot, world, {layers = {wrong}})
    end
end

function test.T16_path_buffer_filter_and_data_go_together()
    local world = firn.newWorld()
    local Persist = world:newTag({name = "Persist"})
    local kept, left = world:spawn(Persist), world:spawn()
    local own, path = buffer.new(), os.tmpname()
    local query = {include = {Persist}}
    local result = world:saveSnapshot({
        buffer = own, path = path, filterQuery = query, layers = {2, 3},
        customData = {build = "v12", checkpoint = {level = "intro", elapsed = 42.5}},
    })
    assert(result.buffer == own and #query.include == 1 and next(query, next(query)) == nil)
    local file = assert(io.open(path, "rb"))
    local bytes = file:read("*a")
    file:close()
    os.remove(path)
    os.remove(path .. ".bak")
    assert(bytes == own:tostring())
    local data = {}
    world:loadSnapshot(bytes, {onData = function(_, value, key)
        data[key] = value
    end})
    assert(world:isAlive(kept) and not world:isAlive(left))
    assert(data.build == "v12" and data.checkpoint.elapsed == 42.5)
end

function test.N5_a_save_without_a_filter_holds_disabled_and_paused_entities()
    local world = firn.newWorld()
    local off, waiting = world:spawn(firn.Disabled), world:spawn(firn.Paused)
    local query = world:newQuery({})
    assert(query:count() < 2)
    local other = firn.newWorld()
    other:loadSnapshot(saved(world))
    assert(other:has(off, firn.Disabled) and other:has(waiting, firn.Paused))
end

-- ---------------------------------------------------------------- N1

function test.N1_a_table_save_is_detached_and_column_indexed_and_record_forms_load()
    local world = firn.newWorld()
    local Position, Info = vectorIn(world), world:newComponent({name = "Info"})
    local fox = world:spawn(Position(1, 2), Info.new({list = {1, 2}}))
    local snapshot = world:saveSnapshot({format = "table"}).snapshot
    world:getMut(fox, Position).x = 9
    world:get(fox, Info).list[1] = "changed"
    world:loadSnapshot(snapshot)
    assert(world:get(fox, Position).x == 1 and world:get(fox, Info).list[1] == 1)
    world:get(fox, Info).list[1] = "changed again" -- the world has no part of the table
    world:loadSnapshot(snapshot)
    assert(world:get(fox, Info).list[1] == 1)

    world:loadSnapshot({
        version = 1, nextEntityId = 42, componentTable = {{name = "Info"}, {name = "Position"}},
        archetypes = {{columnIndices = {2, 1}, entities = {
            {1, {x = 10, y = 20}, {hp = 100}}, {2, {x = 30, y = 40}, {hp = 50}},
        }}},
        data = {{key = "build", value = "v12"}},
    })
    assert(world:get(2, Position).x == 30 and world:get(1, Info).hp == 100)
    assert(world:spawn() % 2 ^ 22 <= 42)
    world:loadSnapshot({
        version = 1,
        archetypes = {{components = {"Position"}, entities = {
            {id = 7, values = {Position = {x = 5, y = 6}, Info = {hp = 1}}},
        }}},
    })
    assert(world:count() == 1 and world:get(7, Position).y == 6 and world:get(7, Info).hp == 1)
end

-- ---------------------------------------------------------------- F8

function test.F8_a_merge_follows_fields_that_are_entities()
    local world = firn.newWorld()
    local Unit = world:newFFIComponent({name = "Unit", fields = {
        {"leader", "firn_entity"}, {"friends", "entity[2]"}, {"number", "double"},
    }})
    local Owes = world:newRelationship({name = "Owes", fields = {{"witness", "entity"}}})
    local a, b = world:spawn(), world:spawn()
    world:set(a, Unit(b, {a, b}, a))
    world:relate(b, Owes, a, {witness = b})
    assert(world:get(a, Unit).leader == b and type(world:get(a, Unit).friends[1]) == "number")
    local map = world:mergeSnapshot(world:saveSnapshot())
    local unit = world:get(map[a], Unit)
    assert(unit.leader == map[b] and unit.friends[0] == map[a] and unit.friends[1] == map[b])
    assert(unit.number == a) -- a number is a number
    assert(world:related(map[b], Owes, map[a]).witness == map[b])
end

-- ---------------------------------------------------------------- N4

function test.N4_a_system_saves_and_loads_after_its_loop_and_later_systems_go_on()
    local world = firn.newWorld()
    local Position = vectorIn(world)
    local query = world:newQuery({include = {Position}})
    local fox = world:spawn(Position(1, 0))
    local save, problems, ran = nil, {}, 0
    world:addSystem({name = "saves", run = function(of)
        for archetype in query:each() do
            archetype:columnMut(Position)[0].x = 2
            problems[1] = select(2, pcall(of.saveSnapshot, of))
            problems[2] = select(2, pcall(of.saveSnapshot, of, {format = "table"}))
        end
        save = saved(of)
        of:set(fox, Position(7, 0))
        for _ in query:each() do
            problems[3] = select(2, pcall(of.loadSnapshot, of, save))
        end
        of:loadSnapshot(save)
        ran = ran + 1
    end})
    world:step(0.01)
    assert(ran == 1 and world:get(fox, Position).x == 2)
    for i = 1, 3 do
        assert(problems[i].result == "FIRN_BUSY", tostring(problems[i]))
        assert(tostring(problems[i]):find("query", 1, true), tostring(problems[i]))
    end
end

function test.N4_inside_a_publication_saves_and_loads_are_refused_by_its_name()
    local world = firn.newWorld()
    local save = saved(world)
    local Hit = world:newEvent("Hit")
    for _, name in ipairs({firn.OnSpawn, Hit}) do
        local problems = {}
        local observer = world:observe(0, name, function()
            problems[1] = select(2, pcall(world.saveSnapshot, world))
            problems[2] = select(2, pcall(world.loadSnapshot, world, save))
            problems[3] = select(2, pcall(world.mergeSnapshot, world, save))
        end)
        if name == Hit then
            world:emit(Hit, 0)
        else
            world:spawn()
        end
        world:unobserve(observer)
        for i = 1, 3 do
            assert(problems[i].result == "FIRN_BUSY", tostring(problems[i]))
            assert(tostring(problems[i]):find(name, 1, true), tostring(problems[i]))
        end
    end
end

-- ---------------------------------------------------------------- N6

function test.N6_each_form_of_codec_loads_and_decodes_before_anything_is_replaced()
    local names = {[3] = "hero.png"}
    for _, form in ipairs({
        {"serialize", "deserialize"}, {"save", "load"}, {"save", "deserialize"},
    }) do
        for _, maker in ipairs({"newFFIComponent", "newComponent"}) do
            local world = firn.newWorld()
            local before, calls, Sprite = world:spawn(), 0, nil
            local options = {
                name = "Sprite",
                fields = maker == "newComponent" and {"image"} or {{"image", "int32_t"}},
            }
            options[form[1]] = function(sprite)
                return {image = names[sprite.image]}
            end
            options[form[2]] = function(...)
                local data = select(form[2] == "deserialize" and 2 or 1, ...)
                assert(form[2] == "load" or (...) == world)
                assert(world:isAlive(before), "entities were replaced before")
                calls = calls + 1
                return Sprite.new({image = data.image == "hero.png" and 3 or 0})
            end
            Sprite = world[maker](world, options)
            local sprite = world:spawn(Sprite(3))
            local bytes, plain = saved(world), world:saveSnapshot({format = "table"})
            assert(bytes:find("hero.png", 1, true))
            for _, source in ipairs({bytes, plain}) do
                before = world:spawn()
                world:set(sprite, Sprite(0))
                world:loadSnapshot(source)
                assert(world:get(sprite, Sprite).image == 3 and not world:isAlive(before))
            end
            assert(calls == 2)
        end
    end
end

function test.N6_nil_leaves_the_component_out_and_calls_no_loader()
    local world = firn.newWorld()
    local loads = 0
    local Maybe = world:newComponent({
        name = "Maybe", fields = {"n"},
        serialize = function(value)
            return value.n > 1 and {n = value.n} or nil
        end,
        deserialize = function(_, data)
            loads = loads + 1
            return {n = data.n}
        end,
    })
    local one, two = world:spawn(Maybe(1)), world:spawn(Maybe(2))
    world:loadSnapshot(saved(world))
    assert(world:isAlive(one) and not world:has(one, Maybe) and world:get(two, Maybe).n == 2)
    assert(loads == 1)
end

function test.N6_relations_have_codecs_too()
    local world = firn.newWorld()
    local ropes = {[5] = "hemp"}
    local Tied
    Tied = world:newRelationship({
        name = "Tied", fields = {{"rope", "int32_t"}},
        save = function(edge)
            return {rope = ropes[edge.rope], target = edge.target}
        end,
        load = function(saved_)
            return Tied(saved_.target, {rope = saved_.rope == "hemp" and 5 or 0})
        end,
    })
    local a, b = world:spawn(), world:spawn()
    world:relate(a, Tied, b, {rope = 5})
    local bytes, plain = saved(world), world:saveSnapshot({format = "table"})
    assert(bytes:find("hemp", 1, true))
    for _, source in ipairs({bytes, plain}) do
        world:unrelate(a, Tied)
        world:loadSnapshot(source)
        assert(world:related(a, Tied, b).rope == 5)
    end
end

-- ---------------------------------------------------------------- N11, N12, N13

function test.N11_what_load_callbacks_stage_is_there_before_the_load_returns()
    local world = firn.newWorld()
    local Marked = world:newTag({name = "Marked"})
    local fox, told = world:spawn(), {}
    world:observe(0, firn.OnAdd, function(event)
        told[#told + 1] = event.entity
    end, Marked)
    world:addSnapshotHandler({
        name = "game.mark",
        save = function()
            return true
        end,
        load = function(of)
            of:add(fox, Marked)
        end,
        finish = function(of)
            of:spawn(Marked)
        end,
    })
    world:loadSnapshot(saved(world, {customData = {late = 1}}), {onData = function(of, _, key)
        if key == "late" then
            of:spawn(Marked)
        end
    end})
    assert(world:has(fox, Marked) and world:count() == 3 and world:pending() == 0)
    assert(#told == 1 or #told == 3) -- spawned with it is no OnAdd
end

-- A world with everything that can raise before a load commits, and what raises.
local function breakable(at)
    local world = firn.newWorld()
    local function raise(where)
        return function(...)
            if at.raise == where then
                error({where = where})
            end
            local count = select("#", ...)
            local last = select(count, ...)
            return type(last) == "function" and (select(count - 1, ...)) or last -- entityOf
        end
    end
    local Coded = world:newComponent({
        name = "Coded", fields = {"n"}, save = raise("save"), load = raise("load"),
    })
    local Struct = world:newFFIComponent({
        name = "Struct", fields = {{"n", "int32_t"}},
        serialize = function(row)
            return raise("serialize")({n = row.n})
        end,
        deserialize = raise("deserialize"),
    })
    local Named = world:newComponent({name = "Named", container = {new = raise("new")}})
    world:addSnapshotHandler({
        name = "game.check",
        save = function()
            return raise("handler")(1)
        end,
        check = raise("check"),
    })
    world:spawn(Coded(1), Struct(2))
    world:set(world:spawn(), Named, {3})
    return world
end

function test.N12_a_callback_that_raises_before_the_commit_changes_nothing()
    local at = {}
    local world = breakable(at)
    local bytes, plain = saved(world), world:saveSnapshot({format = "table"})
    world:spawn()
    local hash, again = world:hash(), saved(world)
    for _, where in ipairs({"load", "deserialize", "check", "new"}) do
        for _, source in ipairs({bytes, plain}) do
            at.raise = where
            local ok, problem = pcall(world.loadSnapshot, world, source)
            at.raise = nil
            assert(not ok and problem.cause.where == where, tostring(problem))
            assert(problem.result == "FIRN_REFUSED" and problem.committed == false)
            assert(world:hash() == hash and saved(world) == again, where)
        end
    end
    for _, where in ipairs({"save", "serialize", "handler"}) do
        for _, format in ipairs({"binary", "table"}) do
            at.raise = where
            local ok, problem = pcall(world.saveSnapshot, world, {format = format})
            at.raise = nil
            assert(not ok and problem.cause.where == where, tostring(problem))
            assert(world:hash() == hash and saved(world) == again, where)
        end
    end
end

function test.N12_errors_after_the_commit_let_everything_run_and_the_first_is_raised()
    local world = firn.newWorld()
    local log = {}
    for _, name in ipairs({"game.a", "game.b"}) do
        world:addSnapshotHandler({
            name = name,
            save = function()
                return 1
            end,
            load = function()
                log[#log + 1] = "load " .. name
                error({of = name})
            end,
            finish = function()
                log[#log + 1] = "finish " .. name
                error("later")
            end,
        })
    end
    local fox = world:spawn()
    local save = saved(world)
    world:despawn(fox)
    local ok, problem = pcall(world.loadSnapshot, world, save)
    assert(not ok and problem.committed == true and problem.cause.of == log[1]:match("load (.*)"))
    assert(world:isAlive(fox) and #log == 4, table.concat(log, ","))
end

function test.N12_what_is_raised_beside_the_load_tells_that_the_world_is_the_new_one()
    for _, failing in ipairs({"init", "observer"}) do
        local world, fail = firn.newWorld(), nil
        local Cache = world:newFFIComponent({
            name = "Cache", fields = {{"n", "int32_t"}}, transient = true,
            init = function() assert(fail ~= "init", "no luck") end,
        })
        local Walker = world:newTag({name = "Walker", requires = {Cache}})
        world:observe(0, firn.OnSpawn, function() assert(fail ~= "observer", "no luck") end)
        world:addSnapshotHandler({name = "more", finish = function(loaded) loaded:spawn() end})
        local fox = world:spawn(Walker)
        local save = saved(world)
        world:despawn(fox)
        fail = failing
        local ok, problem = pcall(world.loadSnapshot, world, save)
        assert(not ok and problem.committed == true, failing)
        assert(tostring(problem):find("no luck", 1, true) and world:isAlive(fox))
    end
end

function test.N13_a_table_component_without_its_constructor_fails_the_load_by_its_name()
    local world = firn.newWorld()
    local Health = {}
    function Health:isFull()
        return self.current == self.maximum
    end
    world:newComponent({
        name = "Health", container = Health, fields = {"current", "maximum"},
        defaults = {maximum = 100},
    })
    local fox = world:spawn(Health(100))
    local save = saved(world)
    world:get(fox, Health).current = 3
    world:loadSnapshot(save)
    assert(world:get(fox, Health):isFull() and getmetatable(world:get(fox, Health)).__index == Health)
    local new = Health.new
    Health.new = nil
    local hash = world:hash()
    local problem = refused("Health", world.loadSnapshot, world, save)
    assert(problem.committed == false and tostring(problem):find("Health.new", 1, true))
    Health.new = new
    assert(world:hash() == hash)
    world:loadSnapshot(save)
end

return test
