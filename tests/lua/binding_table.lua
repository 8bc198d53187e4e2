-- Components whose instances are Lua tables.
local firn = require("firn")
local refused = require("refused")
local buffer = require("string.buffer")

local test = {}

local function saved(world)
    return tostring(world:saveSnapshot().buffer)
end

local Health = {}
function Health:isFull()
    return self.current == self.maximum
end
firn.newComponent({
    name = "table.Health", container = Health, fields = {"current", "maximum"},
    defaults = {maximum = 10},
})

function test.a_component_keeps_the_very_table_that_was_given()
    local world = firn.newWorld()
    local health = Health(5)
    assert(health.current == 5 and health.maximum == 10 and not health:isFull())
    local entity = world:spawn(health)
    assert(world:get(entity, Health) == health and world:getMut(entity, Health) == health)
    local other = Health.new({current = 3, extra = {1, 2}})
    world:set(entity, other)
    assert(world:get(entity, Health) == other and other.extra[2] == 2)
    world:set(entity, Health, {current = 10})
    assert(world:get(entity, Health):isFull())
    world:remove(entity, Health)
    assert(world:get(entity, Health) == nil)
end

function test.a_default_is_made_when_it_is_looked_at()
    local made = 0
    local Counted = firn.newComponent({name = "table.Counted", fields = {n = 1}, init = function(c)
        made = made + 1
        c.list = {}
    end})
    local Needs = firn.newTag({name = "table.Needs", requires = {Counted}})
    local world = firn.newWorld()
    local first, second = world:spawn(Counted), world:spawn(Needs)
    assert(made == 0)
    local instance = world:get(first, Counted)
    assert(made == 1 and instance.n == 1 and instance == world:get(first, Counted))
    assert(world:get(second, Counted).list ~= instance.list and made == 2)
    assert(getmetatable(instance).__index == Counted)
end

function test.entities_of_one_call_have_copies()
    local world = firn.newWorld()
    local given = Health.new({current = 1, bag = {gold = 2}})
    local entities = world:spawnMany(3, given)
    given.bag.gold = 7
    local first, second = world:get(entities[1], Health), world:get(entities[2], Health)
    assert(first ~= second and first.bag ~= second.bag and first.bag.gold == 2)
    first.bag.gold = 5
    assert(world:get(entities[3], Health).bag.gold == 2 and second.bag.gold == 2)
    world:despawn(entities[3])
    for _, entity in ipairs(world:spawnMany(2, given)) do
        world:despawn(entity)
    end
    assert(#world:spawnMany(0, given) == 0)
    assert(world:get(entities[1], Health).bag.gold == 5)
end

function test.columns_give_tables()
    local world = firn.newWorld()
    local all = {}
    for i = 1, 5 do
        all[i] = Health(i)
        world:spawn(all[i])
    end
    world:spawn(Health)
    local query = world:newQuery({include = {Health}})
    local seen = 0
    for archetype, count in query:each() do
        local column, writable = archetype:column(Health), archetype:columnMut(Health)
        for i = 0, count - 1 do
            assert(column[i] == (all[i + 1] or column[i]) and column[i].maximum == 10)
            seen = seen + 1
        end
        assert(column[count] == nil and column[-1] == nil and column[0.5] == nil)
        local other = Health(99)
        writable[0] = other
        assert(column[0] == other)
        refused("columnMut", function() column[0] = other end)
        refused("there is no row", function() writable[count] = other end)
    end
    assert(seen == 6)
end

function test.what_firn_drops_is_forgotten()
    local world = firn.newWorld()
    local weak = setmetatable({}, {__mode = "k"})
    local function fill(n)
        for i = 1, n do
            local health = Health(i)
            weak[health] = true
            world:spawn(health)
        end
    end
    fill(100)
    for _, entity in ipairs(world:spawnMany(50, Health(1))) do
        world:despawn(entity)
    end
    local query = world:newQuery({include = {Health}})
    for archetype, count in query:each() do
        for i = 0, count - 1 do
            world:despawn(archetype:entity(i))
        end
    end
    world:count()
    collectgarbage()
    collectgarbage()
    assert(next(weak) == nil)
    local used = world.fast.table_count
    fill(100)
    assert(world.fast.table_count == used)
    refused("is of another world", function()
        world:spawn(Health(1), firn.newWorld():newTag({name = "table.Other"}))
    end)
    refused("entity", world.set, world, 2^40 + 1, Health(1))
    world:count()
    assert(world.fast.table_free ~= 0 or world.fast.table_count == used)
    fill(1)
    world:destroy()
end

function test.T12_a_table_is_saved_as_what_it_is()
    local world = firn.newWorld()
    local health = Health.new({
        current = 5, maximum = 6, name = "Ann", [1] = "a", [2] = true, deep = {{x = {y = -0.5}}},
    })
    health.deep.list = setmetatable({1, 2}, {__index = error})
    local entity = world:spawn(health)
    local plain = world:spawn(Health(1, 2))
    local bytes = saved(world)
    assert(bytes:find(firn.encode(health), 1, true))
    assert(bytes:find(firn.encode({current = 1, maximum = 2}), 1, true))
    local other = firn.newWorld()
    other:loadSnapshot(bytes)
    local loaded = other:get(entity, Health)
    assert(loaded ~= health and firn.encode(loaded) == firn.encode(health))
    assert(loaded:isFull() == false and loaded.deep[1].x.y == -0.5 and loaded.name == "Ann")
    assert(other:get(plain, Health).maximum == 2 and saved(other) == bytes)
    assert(other:hash() == world:hash())
    local tableSave = world:saveSnapshot({format = "table"})
    local third = firn.newWorld()
    third:loadSnapshot(tableSave)
    assert(saved(third) == bytes)
end

function test.T12_many_tables_are_saved_as_each_by_itself()
    local world = firn.newWorld()
    local P = world:newComponent({name = "P", fields = {"x", "y", "hp", "end"}})
    local expected, n = buffer.new(), 3000
    local odd = {
        [7] = function(p) p.y = nil end, [8] = function(p) p.name = "eight" end,
        [9] = function(p) p.x = 0 / 0 end, [10] = function(p) p.hp = "ten" end,
        [11] = function(p) p.hp = 1 / 0 end, [12] = function(p) p.y, p.z = nil, 5 end,
        [13] = function(p) p.x = -0.0 end, [2000] = function(p) p[1] = 5 end,
    }
    local entities = {}
    for i = 1, n do
        local p = P(i, -i / 3, i * 1e300, 1)
        if odd[i] then
            odd[i](p)
        end
        entities[i] = world:spawn(p)
        expected:put(firn.encode(p))
    end
    P.z = 9 -- what the metatable gives is not saved
    local bytes = saved(world)
    assert(bytes:find(expected:tostring(), 1, true))
    local before = {}
    for i = 1, n do
        before[i] = world:get(entities[i], P)
    end
    for _ = 1, 3 do
        world:loadSnapshot(bytes)
        assert(saved(world) == bytes)
    end
    for i = 1, n do
        local p = world:get(entities[i], P)
        assert(p ~= before[i] and getmetatable(p) == getmetatable(before[i]))
        assert(firn.encode(p) == firn.encode(before[i]))
    end
    assert(world.fast.table_count < 2 * n + 64) -- they are added by 64
end

function test.T13_declared_fields_take_defaults_and_others_stay()
    local old = firn.newWorld()
    local Old = old:newComponent({name = "Unit", fields = {"hp", "speed"}})
    local entity = old:spawn(Old(5, 2))
    local bytes = saved(old)
    local new = firn.newWorld()
    local New = new:newComponent({
        name = "Unit", fields = {"health", "armor"}, defaults = {armor = {3}, health = 1},
    })
    new:loadSnapshot(bytes)
    local unit, fresh = new:get(entity, New), New()
    assert(unit.hp == 5 and unit.speed == 2 and unit.armor[1] == 3 and unit.health == 1)
    assert(unit.armor ~= fresh.armor)
end

function test.F10_fields_and_components_have_former_names()
    local old = firn.newWorld()
    local Old = old:newComponent({name = "Unit", fields = {"hp", "speed"}})
    local entity = old:spawn(Old(5, 2))
    local bytes = saved(old)
    local new = firn.newWorld()
    local New = new:newComponent({
        name = "Soldier", formerNames = {"Unit"},
        fields = {{"health", formerNames = {"points", "hp"}}, "speed"},
    })
    new:loadSnapshot(bytes)
    local unit = new:get(entity, New)
    assert(unit.health == 5 and unit.hp == nil and unit.speed == 2)
    refused("'a' is a field and a former name of 'b'", function()
        new:newComponent({name = "Bad", fields = {"a", {"b", formerNames = {"a"}}}})
    end)
end

function test.N13_tables_load_through_their_named_constructor()
    local world = firn.newWorld()
    local Named = {}
    local calls = 0
    function Named.new(values)
        calls = calls + 1
        return setmetatable({sum = values.a + values.b, a = values.a, b = values.b}, {
            __index = Named,
        })
    end
    world:newComponent({name = "Named", container = Named, fields = {"a", "b"}})
    local Other = world:newComponent({name = "Other", fields = {"a", "b"}})
    local first = world:spawn(Named(1, 2), Other(1, 2))
    local second = world:spawn(Named.new({a = 4, b = 5}))
    calls = 0
    local bytes = saved(world)
    world:loadSnapshot(bytes)
    assert(calls == 2 and world:get(first, Named).sum == 3 and world:get(second, Named).sum == 9)
    assert(world:get(first, Named).__firn == Named)

    local before = world:get(first, Other)
    Other.new = nil
    local problem = refused("component 'Other', entity " .. first .. ": there is no constructor",
        world.loadSnapshot, world, bytes)
    assert(problem.entity == first and problem.subject == "Other")
    assert(world:get(first, Other) == before and world:get(second, Named).sum == 9)
    Other.new = function() return 5 end
    refused("Other.new gave 5, not a table", world.loadSnapshot, world, bytes)
    Other.new = function(values) return error("no " .. values.a) end
    problem = refused("no 1", world.loadSnapshot, world, bytes)
    assert(tostring(problem):find("traceback", 1, true))
    assert(world:get(first, Other) == before)
end

function test.T11_what_cannot_be_encoded_is_named_with_its_path()
    local world = firn.newWorld()
    local Ai = world:newComponent({name = "Ai", fields = {"plan"}})
    world:spawn(Ai({}))
    local ai = Ai({1, 2, {callback = print}})
    local entity = world:spawn(ai)
    local output = buffer.new():put("as it was")
    local function fails(text)
        local problem = refused(("component 'Ai', entity %d: %s"):format(entity, text),
            world.saveSnapshot, world, {buffer = output})
        assert(problem.entity == entity and problem.subject == "Ai")
        assert(output:tostring() == "as it was" or #output == 0)
        assert(world:get(entity, Ai) == ai)
    end
    fails(".plan[3].callback is a function")
    ai.plan = {coroutine.create(print)}
    fails(".plan[1] is a coroutine")
    ai.plan = {me = output}
    fails(".plan.me is a userdata")
    ai.plan = {}
    ai.plan.me = ai.plan
    fails(".plan.me is a table that is inside itself")
    ai.plan = {}
    local deep = ai.plan
    for _ = 1, 200 do
        deep[1] = {}
        deep = deep[1]
    end
    fails(".plan[1]")
    ai.plan = {[{}] = 1}
    fails(".plan has a key")
    ai.plan = nil
    assert(#saved(world) > 0)
end

function test.T14_transient_tables_stay_out()
    local world = firn.newWorld()
    local Base = world:newComponent({name = "Base", fields = {v = 7}})
    local Cache = world:newComponent({name = "Cache", transient = true, fields = {"f"}})
    local Keeper = world:newComponent({name = "Keeper", requires = {Cache, Base}})
    local entity = world:spawn(Keeper(), Cache(print))
    world:get(entity, Base).v = 8
    world:loadSnapshot(saved(world))
    assert(world:get(entity, Cache).f == nil and world:get(entity, Base).v == 8)
end

function test.tables_wait_in_loops_like_everything()
    local world = firn.newWorld()
    local entities = {}
    for i = 1, 10 do
        entities[i] = world:spawn(Health(i))
    end
    local spawned, late = {}, {}
    for archetype, count in world:newQuery({include = {Health}}):each() do
        for i = 0, count - 1 do
            local health = Health(100 + i)
            spawned[world:spawn(health)] = health
            late = world:spawnMany(2, Health(7))
            world:remove(archetype:entity(i), Health)
        end
    end
    for entity, health in pairs(spawned) do
        assert(world:get(entity, Health) == health)
    end
    assert(world:get(late[2], Health).current == 7 and not world:has(entities[1], Health))
    local weak = setmetatable({}, {__mode = "v"})
    local bare = world:spawn()
    for _ in world:newQuery({include = {Health}}):each() do
        weak[1] = Health(1)
        world:despawn(bare)
        world:set(bare, weak[1]) -- never gets there
    end
    assert(not world:isAlive(bare))
    collectgarbage()
    assert(weak[1] == nil)
end

function test.a_constructor_may_change_the_world()
    local world = firn.newWorld()
    local Wild
    Wild = world:newComponent({name = "Wild", init = function(wild)
        for i = 1, 100 do
            wild[i] = world:spawn(Health(i))
        end
        world:spawnMany(200, Wild)
    end})
    local entity = world:spawn(Wild)
    local wild = world:get(entity, Wild)
    assert(wild == world:get(entity, Wild) and world:get(wild[100], Health).current == 100)
end

function test.observers_see_rows_that_go()
    local world = firn.newWorld()
    local seen = {}
    world:observe(0, firn.OnSet, function()
        world:spawn(Health(3))
    end, Health)
    world:observe(0, firn.OnDespawn, function(event)
        seen[#seen + 1] = world:get(event.entity, Health)
    end)
    local health, next = Health(1), Health(2)
    local entity = world:spawn(health)
    world:set(entity, next)
    assert(world:get(entity, Health) == next)
    world:despawn(entity)
    assert(#seen == 1 and seen[1] == next)
end

function test.wrong_things_are_named()
    local world = firn.newWorld()
    local function new(options)
        options.name = options.name or "Wrong"
        return world:newComponent(options)
    end
    refused("unknown option 'feilds'", new, {feilds = {}})
    refused("there are two fields 'a'", new, {fields = {"a", "a"}})
    refused("the name of a field is true", new, {fields = {[true] = 1}})
    refused("the value must be a table, not 5", world.set, world, world:spawn(), Health, 5)
    refused("it has 2 fields, and 1 more", Health, 1, 2, 3)
    refused("the values must be a table", Health.new, 5)
    local many = {}
    for i = 1, 101 do
        many[i] = "f" .. i
    end
    refused("101 fields are more than 100", new, {fields = many})
end

function test.a_table_save_refuses_what_its_load_would_refuse()
    for depth = 93, 99 do
        local world = firn.newWorld()
        local Deep = world:newComponent({name = "Deep"})
        local root = {}
        local at = root
        for _ = 3, depth do
            at.x = {}
            at = at.x
        end
        world:spawn(Deep.new({root = root}))
        local copy = firn.newWorld()
        copy:newComponent({name = "Deep"})
        copy:loadSnapshot(world:saveSnapshot())
        local ok, save = pcall(world.saveSnapshot, world, {format = "table"})
        assert(ok == (depth <= 95), depth) -- five tables are around it
        if ok then
            copy:loadSnapshot(save)
        else
            assert(save.result == "FIRN_LIMIT" and save.subject:find("archetypes[1].entities[1]", 1, true))
            assert(tostring(save):find("the table could not be loaded: .+ tables inside each other"))
        end
    end
end

return test
