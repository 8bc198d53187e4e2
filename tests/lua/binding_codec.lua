-- How components say themselves what is saved of them.
local firn = require("firn")
local refused = require("refused")

local test = {}

local function saved(world)
    return tostring(world:saveSnapshot().buffer)
end

local function both(world, check)
    local bytes, tables = saved(world), world:saveSnapshot({format = "table"})
    for _, save in ipairs({bytes, tables}) do
        world:loadSnapshot(save)
        check()
    end
    return bytes
end

function test.T12_a_codec_runs_once_for_each_row_of_a_struct()
    local names, saves, loads = {"oak", "elm"}, 0, 0
    local world = firn.newWorld()
    local Sprite
    Sprite = world:newFFIComponent({
        name = "Sprite", fields = {{"image", "int32_t"}, {"slot", "int32_t"}},
        serialize = function(sprite)
            saves = saves + 1
            return {image = names[sprite.image]}
        end,
        deserialize = function(from, data)
            loads = loads + 1
            assert(from == world)
            for i, name in ipairs(names) do
                if name == data.image then
                    return Sprite(i, 100 + i)
                end
            end
            error("no image is called " .. data.image)
        end,
    })
    local first, second = world:spawn(Sprite(1, 9)), world:spawn(Sprite(2, 9))
    local bytes = saved(world)
    assert(saves == 2 and bytes:find("oak", 1, true) and bytes:find("elm", 1, true))
    names = {"elm", "oak"} -- another process has other numbers
    world:loadSnapshot(bytes)
    assert(loads == 2)
    assert(world:get(first, Sprite).image == 2 and world:get(first, Sprite).slot == 102)
    assert(world:get(second, Sprite).image == 1)
    names = {"elm"}
    local problem = refused("component 'Sprite', entity " .. first, world.loadSnapshot, world, bytes)
    assert(tostring(problem):find("no image is called oak", 1, true))
    assert(tostring(problem):find("traceback", 1, true))
    assert(problem.entity == first and problem.subject == "Sprite")
    assert(problem.result == "FIRN_REFUSED")
    assert(world:get(first, Sprite).slot == 102)
end

function test.N6_a_codec_has_three_forms()
    for _, form in ipairs({{"serialize", "deserialize"}, {"save", "load"}, {"save", "deserialize"}}) do
        for _, maker in ipairs({"newComponent", "newFFIComponent"}) do
            local world = firn.newWorld()
            local C
            local options = {name = "C", fields = maker == "newComponent" and {"n", "seen"}
                or {{"n", "double"}, {"seen", "double"}}}
            options[form[1]] = function(c)
                return c.n * 2
            end
            options[form[2]] = form[2] == "load" and function(n)
                return C(n / 2, 1)
            end or function(to, n)
                assert(to == world)
                return C(n / 2, 1)
            end
            C = world[maker](world, options)
            local entity = world:spawn(C(21))
            both(world, function()
                assert(world:get(entity, C).n == 21 and world:get(entity, C).seen == 1)
            end)
        end
    end
end

function test.N6_a_loader_may_fill_a_default_instance()
    for _, maker in ipairs({"newComponent", "newFFIComponent"}) do
        local world = firn.newWorld()
        local C = world[maker](world, {
            name = "C", defaults = {b = 4},
            fields = maker == "newComponent" and {"a", "b"} or {{"a", "float"}, {"b", "float"}},
            save = function(c) return c.a end,
            load = function(a, c) c.a = a end,
        })
        local entity = world:spawn(C(3, 5))
        both(world, function()
            assert(world:get(entity, C).a == 3 and world:get(entity, C).b == 4)
        end)
    end
end

function test.N6_nil_leaves_a_component_out()
    for _, maker in ipairs({"newComponent", "newFFIComponent"}) do
        local world = firn.newWorld()
        local loads = 0
        local C
        C = world[maker](world, {
            name = "C", fields = maker == "newComponent" and {"n"} or {{"n", "double"}},
            save = function(c)
                if c.n > 0 then
                    return c.n
                end
            end,
            load = function(n)
                loads = loads + 1
                return C(n)
            end,
        })
        local kept, left = world:spawn(C(1)), world:spawn(C(0))
        world:loadSnapshot(saved(world))
        assert(world:get(kept, C).n == 1 and loads == 1)
        assert(world:isAlive(left) and not world:has(left, C))
    end
end

function test.N6_relationships_have_codecs()
    local world = firn.newWorld()
    local Likes
    Likes = world:newRelationship({
        name = "Likes", fields = {{"degree", "int32_t"}},
        save = function(edge)
            return {target = edge.target, words = ("very "):rep(edge.degree)}
        end,
        load = function(saved)
            return Likes(saved.target, {degree = #saved.words / 5})
        end,
    })
    local target = world:spawn()
    local source = world:spawn(Likes(target, {degree = 3}))
    both(world, function()
        assert(world:related(source, Likes, target).degree == 3)
        assert(world:targets(source, Likes)[1] == target)
    end)
end

function test.N6_decoding_runs_before_anything_is_replaced()
    local world = firn.newWorld()
    local seen, entity
    local C
    C = world:newComponent({
        name = "C", fields = {"n"},
        serialize = function(c) return c.n end,
        deserialize = function(to, n)
            seen = to:get(entity, C).n
            refused("spawn", to.spawn, to)
            return C(n)
        end,
    })
    entity = world:spawn(C(1))
    local bytes = saved(world)
    world:get(entity, C).n = 2
    world:loadSnapshot(bytes)
    assert(seen == 2 and world:get(entity, C).n == 1)
end

function test.T11_what_a_serializer_gives_is_named_where_it_cannot_be_saved()
    local world = firn.newWorld()
    local C = world:newFFIComponent({
        name = "C", fields = {{"n", "int32_t"}},
        serialize = function(c)
            return c.n == 2 and {deep = {print}} or c.n == 3 and error("three is too much") or c.n
        end,
        deserialize = function() end,
    })
    world:spawn(C(1))
    local entity = world:spawn(C(2))
    refused(("component 'C', entity %d: .deep[1] is a function"):format(entity), world.saveSnapshot,
        world)
    world:getMut(entity, C).n = 3
    local problem = refused("three is too much", world.saveSnapshot, world)
    assert(problem.entity == entity and tostring(problem):find("traceback", 1, true))
    refused("three is too much", world.saveSnapshot, world, {format = "table"})
    refused("three is too much", world.hash, world)
    world:getMut(entity, C).n = 4
    assert(#saved(world) > 0)
end

function test.T14_codecs_that_could_not_work_are_refused()
    local world = firn.newWorld()
    local function f() end
    local function new(maker, options)
        options.name = "Wrong"
        options.fields = maker ~= "newComponent" and {{"n", "int32_t"}} or {"n"}
        return world[maker](world, options)
    end
    for _, maker in ipairs({"newComponent", "newFFIComponent", "newRelationship"}) do
        refused("option 'serialize': 'Wrong' is transient", new, maker,
            {transient = true, serialize = f, deserialize = f})
        refused("option 'load': 'Wrong' is transient", new, maker, {transient = true, load = f})
        refused("option 'serialize' needs 'deserialize'", new, maker, {serialize = f})
        refused("option 'save' needs 'load' or 'deserialize'", new, maker, {save = f})
        refused("option 'load' needs 'save'", new, maker, {load = f})
        refused("option 'deserialize' needs 'serialize' or 'save'", new, maker, {deserialize = f})
        refused("options 'save' and 'serialize'", new, maker,
            {save = f, serialize = f, deserialize = f})
        refused("options 'load' and 'deserialize'", new, maker,
            {save = f, load = f, deserialize = f})
        refused("options 'load' and 'serialize'", new, maker, {serialize = f, load = f})
        refused("option 'save'", new, maker, {save = 5, load = f})
    end
end

function test.T12_a_struct_with_a_pointer_needs_a_codec()
    local world = firn.newWorld()
    refused("handle", world.newFFIComponent, world, {name = "P", fields = {{"handle", "void *"}}})
    local P = world:newFFIComponent({
        name = "P", fields = {{"handle", "void *"}},
        save = function(p) return p.handle ~= nil end,
        load = function() end,
    })
    local entity = world:spawn(P())
    world:loadSnapshot(saved(world))
    assert(world:get(entity, P).handle == nil)
end

function test.what_a_loader_gives_must_be_an_instance()
    for _, maker in ipairs({"newComponent", "newFFIComponent"}) do
        local world = firn.newWorld()
        local given
        local C = world[maker](world, {
            name = "C", fields = maker == "newComponent" and {"n"} or {{"n", "double"}},
            save = function(c) return c.n end,
            load = function() return given end,
        })
        local entity = world:spawn(C(1))
        local bytes = saved(world)
        given = "text"
        refused("the loader gave 'text', no instance", world.loadSnapshot, world, bytes)
        given = {n = 7}
        world:loadSnapshot(bytes)
        assert(world:get(entity, C).n == 7 and world:get(entity, C).__firn == C)
    end
end

function test.a_world_whose_codec_knows_it_is_collected()
    local weak = setmetatable({}, {__mode = "k"})
    for _ = 1, 3 do
        local world = firn.newWorld()
        weak[world] = true
        local C
        C = world:newComponent({
            name = "C", fields = {"n"},
            save = function(c) return world and c.n end,
            load = function(n) return world and C(n) end,
        })
        local c = C(1)
        c.world = world
        world:spawn(c)
        world:loadSnapshot(saved(world))
    end
    jit.flush() -- what it made keeps what it was made for
    collectgarbage()
    collectgarbage()
    assert(next(weak) == nil)
end

function test.numbers_and_tables_of_a_call_are_safe_from_what_it_calls()
    local world = firn.newWorld()
    local Score = world:newScalar({name = "Score", type = "number"})
    local T = world:newComponent({name = "T", fields = {"n"}})
    local tag = world:newTag({name = "Tag"})
    world:observe(0, firn.OnAdd, function()
        world:spawn(Score(99), T(99))
    end, tag)
    local query = world:newQuery({include = {Score}})
    local first = world:spawn(Score(1))
    for _ in query:each() do
        world:add(first, tag)
    end
    local entity = world:spawn(Score(2), T(3), tag)
    assert(world:get(entity, Score) == 2 and world:get(entity, T).n == 3)
end

function test.T12_of_many_rows_the_one_that_is_refused_is_named()
    local n, wrong = 1000, 0
    local function refuse(values)
        assert(values.id ~= wrong, "this one not")
        return values
    end
    local world = firn.newWorld()
    local Numbers = world:newComponent({name = "Numbers", fields = {"id"}})
    local Loose = world:newComponent({name = "Loose"})
    local Loaded = world:newComponent({name = "Loaded", save = function(value)
        return {id = value.id, list = {value.id}}
    end, load = refuse})
    local Bare = world:newFFIComponent({name = "Bare", fields = {{"id", "double"}},
        save = function(value)
            return {id = value.id}
        end, load = refuse})
    for _, C in ipairs({Numbers, Loose, Loaded, Bare}) do
        local entities = {}
        for i = 1, n do
            local deep = C == Loose and i % 300 == 0 and {}
            local value = {id = i, more = C ~= Numbers and C ~= Bare and {i, "text"} or nil}
            for _ = 1, deep and 98 or 0 do -- with the row, as deep as a value may be
                deep = {deep}
            end
            value.deep = deep or nil
            entities[i] = world:spawn(C.new(value))
        end
        wrong = 0
        local bytes = saved(world)
        world:loadSnapshot(bytes)
        assert(saved(world) == bytes)
        local new = C.new
        if C == Numbers or C == Loose then
            C.new = function(values)
                return new(refuse(values))
            end
        end
        for _, row in ipairs({1, 2, 255, 256, 257, 300, 301, 777, n}) do
            wrong = row
            local problem = refused(("component '%s', entity %d: "):format(C.__about.name,
                entities[row]), world.loadSnapshot, world, bytes)
            assert(problem.entity == entities[row] and tostring(problem):find("this one not", 1, true))
            assert(saved(world) == bytes)
        end
        wrong = 0
        world:loadSnapshot(bytes)
        assert(saved(world) == bytes)
        C.new = new
        for _, entity in ipairs(entities) do
            world:despawn(entity)
        end
    end
end

function test.T12_of_many_tables_the_one_that_cannot_be_saved_is_named()
    local n = 1000
    local world = firn.newWorld()
    local Loose = world:newComponent({name = "Loose"})
    local entities = {}
    for i = 1, n do
        entities[i] = world:spawn(Loose.new({id = i, list = {i, {text = "t" .. i}}}))
    end
    for _, entity in ipairs(world:spawnMany(10, Loose.new({shared = {1}}))) do
        entities[#entities + 1] = entity -- its table is a copy that is not made yet
    end
    local bytes = saved(world)
    for _, row in ipairs({1, 2, 3, 256, 257, 300, 777, n, n + 5}) do
        local value = world:getMut(entities[row], Loose)
        value.bad = {print}
        local problem = refused(("component 'Loose', entity %d: .bad[1] is a function"):format(
            entities[row]), world.saveSnapshot, world)
        assert(problem.entity == entities[row])
        value.bad = nil
        assert(saved(world) == bytes)
    end
    local value = world:getMut(entities[500], Loose)
    value.list[3] = ("x"):rep(300000)
    local long = saved(world)
    world:loadSnapshot(long)
    assert(saved(world) == long and #world:get(entities[500], Loose).list[3] == 300000)
    for i = 1, n do
        assert(world:get(entities[i], Loose).list[2].text == "t" .. i)
    end
end

-- Merges a world with two entities that name each other in what their codecs save.
local function mergeFriends(define)
    local worlds, codecs = {}, {}
    for i = 1, 2 do
        worlds[i] = firn.newWorld()
        codecs[i] = define(worlds[i])
    end
    local from, into = worlds[1], worlds[2]
    local a, b = from:spawn(), from:spawn()
    from:set(a, codecs[1], {friend = b, gone = 2^40 + 5})
    from:set(b, codecs[1], {friend = a, gone = 2^40 + 5})
    local save = from:saveSnapshot()
    into:spawnMany(7)
    local map = into:mergeSnapshot(save)
    local function friendOf(world, entity, codec)
        return tonumber(world:get(entity, codec).friend)
    end
    assert(map[a] ~= a and friendOf(into, map[a], codecs[2]) == map[b])
    assert(friendOf(into, map[b], codecs[2]) == map[a])
    assert(into:get(map[a], codecs[2]).gone == -1)
    from:loadSnapshot(save)
    assert(friendOf(from, a, codecs[1]) == b and friendOf(from, b, codecs[1]) == a)
end

function test.codecs_follow_entities_in_a_merge()
    local kept
    local function goneOf(entityOf, saved)
        kept = entityOf
        return entityOf(saved) or -1
    end
    mergeFriends(function(world)
        return world:newComponent({
            name = "Friends", fields = {"friend", "gone"},
            save = function(value)
                return {value.friend, value.gone}
            end,
            load = function(saved, _, entityOf)
                local gone = saved[2] > 2^40 and goneOf(entityOf, saved[2]) or saved[2]
                return {friend = entityOf(saved[1]), gone = gone}
            end,
        })
    end)
    mergeFriends(function(world)
        return world:newFFIComponent({
            name = "Friends", fields = {{"friend", "double"}, {"gone", "double"}},
            serialize = function(value)
                return {value.friend, value.gone}
            end,
            deserialize = function(_, saved, instance, entityOf)
                instance.friend, instance.gone = entityOf(saved[1]), goneOf(entityOf, saved[2])
                return instance
            end,
        })
    end)
    refused("entityOf: nothing is loaded any more", kept, 1)
    refused("entityOf: saved must be an entity, not 1.5", kept, 1.5)
    refused("entityOf: saved must be an entity, not nil", kept)
end

return test
