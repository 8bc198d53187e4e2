-- Components: what they are made from, their constructors and instances.
local firn = require("firn")
local refused = require("refused")

local test = {}

local Vec = {}
function Vec:length()
    return math.sqrt(self.x * self.x + self.y * self.y)
end
function Vec.__add(a, b)
    return Vec(a.x + b.x, a.y + b.y)
end
firn.newFFIComponent({
    name = "component.Vec", container = Vec, fields = {{"x", "float"}, {"y", "float"}},
})

function test.a_container_becomes_the_component()
    local v = Vec(3, 4)
    assert(v:length() == 5 and (v + v).x == 6 and v.__firn == Vec and Vec.new({x = 8}).x == 8)
    local world = firn.newWorld()
    local entity = world:spawn(v)
    assert(world:get(entity, Vec):length() == 5)
    assert((world:get(entity, Vec) + v).y == 8)
end

function test.fields_have_every_type()
    local All = firn.newFFIComponent({name = "component.All", fields = {
        {"a", "bool"}, {"b", "int8_t"}, {"c", "uint8_t"}, {"d", "int16_t"}, {"e", "uint16_t"},
        {"f", "int32_t"}, {"g", "uint32_t"}, {"h", "int64_t"}, {"i", "uint64_t"}, {"j", "float"},
        {"k", "double"}, {"l", "char"}, {"m", "int32_t[4]"}, {"n", Vec}, {"o", Vec, 2},
    }})
    local world = firn.newWorld()
    local all = All(true, -1, 255, -2, 65535, -3, 4294967295, -4LL, 5ULL, 0.5, 0.1, 65, {1, 2, 3, 4},
        Vec(1, 2))
    all.o[1].y = 9
    local entity = world:spawn(all)
    local row = world:get(entity, All)
    assert(row.a == true and row.b == -1 and row.c == 255 and row.d == -2 and row.e == 65535)
    assert(row.f == -3 and row.g == 4294967295 and row.h == -4 and row.i == 5 and row.j == 0.5)
    assert(row.k == 0.1 and row.l == 65 and row.m[3] == 4 and row.n:length() > 2 and row.o[1].y == 9)
    assert(All.new({n = {x = 5}, m = {7}}).n.x == 5)
end

function test.defaults_stand_where_nothing_is_given()
    local D = firn.newFFIComponent({
        name = "component.D", fields = {{"x", "float"}, {"on", "bool"}, {"ids", "int32_t[2]"}},
        defaults = {x = 2, on = true, ids = {4, 5}},
    })
    assert(D().x == 2 and D().on and D(nil, false).on == false and D().ids[1] == 5)
    assert(D.new({x = 3}).x == 3 and D.new().on)
    local world = firn.newWorld()
    local row = world:get(world:spawn(D), D)
    assert(row.x == 2 and row.on and row.ids[0] == 4)
end

function test.init_runs_for_every_instance_and_for_rows_by_default()
    local inits = 0
    local I = firn.newFFIComponent({
        name = "component.I", fields = {{"n", "double"}},
        init = function(instance)
            inits = inits + 1
            instance.n = instance.n + 1
        end,
    })
    local R = firn.newTag({name = "component.R", requires = {I}})
    local world = firn.newWorld()
    local given = world:spawn(I(5))
    assert(inits == 1 and world:get(given, I).n == 6)
    assert(world:get(world:spawn(I), I).n == 1 and inits == 2)
    assert(world:get(world:spawn(R), I).n == 1 and inits == 3)
    local late = world:spawn()
    world:add(late, R)
    assert(world:get(late, I).n == 1 and inits == 4)
end

function test.what_init_raises_is_raised_by_the_spawn()
    local world = firn.newWorld()
    local Bad = world:newFFIComponent({
        name = "component.Bad", fields = {{"n", "double"}}, init = function() error("no luck") end,
    })
    refused("no luck", world.spawn, world, Bad)
    assert(world:spawn())
end

function test.scalars_are_plain_values()
    local world = firn.newWorld()
    local Hp = world:newScalar({name = "component.Hp", type = "number", default = 9})
    local On = world:newScalar({name = "component.On", type = "boolean"})
    local Text = world:newScalar({name = "component.Text", type = "string", default = "none"})
    local entity = world:spawn(Hp(5), On(true), Text("a\0b"))
    assert(world:get(entity, Hp) == 5 and world:get(entity, On) == true)
    assert(world:get(entity, Text) == "a\0b")
    world:set(entity, Hp, 6)
    world:set(entity, On(false))
    world:set(entity, Text, "changed")
    assert(world:get(entity, Hp) == 6 and world:get(entity, On) == false)
    assert(world:get(entity, Text) == "changed")
    local bare = world:spawn(Hp, On, Text)
    assert(world:get(bare, Hp) == 9 and world:get(bare, On) == false)
    assert(world:get(bare, Text) == "none" and Hp().value == 9)
    world:getMut(bare, Hp)[0] = 10
    assert(world:get(bare, Hp) == 10)
end

function test.required_components_come_along()
    local A = firn.newFFIComponent({
        name = "component.A", fields = {{"x", "double"}}, defaults = {x = 4},
    })
    local B = firn.newTag({name = "component.B", requires = {A}})
    local world = firn.newWorld()
    assert(world:get(world:spawn(B), A).x == 4)
end

function test.the_module_s_components_are_in_live_and_later_worlds()
    local live = firn.newWorld()
    local C = firn.newTag({name = "component.C"})
    local later = firn.newWorld()
    assert(live:has(live:spawn(C), C) and later:has(later:spawn(C), C))
end

function test.components_enter_each_world_in_the_order_of_their_definitions()
    local live, defined = firn.newWorld(), {}
    for i, name in ipairs({"order.Zebra", "order.Ape", "order.Mule", "order.Bear"}) do
        defined[i] = firn.newTag({name = name})
    end
    live:newTag({name = "order.Own"})
    for _, world in ipairs({live, firn.newWorld()}) do
        for i = 2, #defined do
            assert(world.handles[defined[i]] == world.handles[defined[i - 1]] + 1)
        end
    end
end

function test.a_world_s_component_is_in_that_world_only()
    local world, other = firn.newWorld(), firn.newWorld()
    local W = world:newTag({name = "component.W"})
    assert(world:has(world:spawn(W), W))
    refused("component 'component.W' is of another world", other.spawn, other, W)
    refused("component 'component.W' is of another world", other.has, other, other:spawn(), W)
    local same = other:newTag({name = "component.W"})
    assert(other:has(other:spawn(same), same) and same ~= W)
end

function test.wrong_descriptions_are_refused_and_change_nothing()
    local world = firn.newWorld()
    local make = firn.newFFIComponent
    refused("unknown option 'feilds'", make, {name = "x", feilds = {}})
    refused("option 'name': a string is wanted, not nil", make, {fields = {}})
    refused("options: a table is wanted", make, 5)
    refused("option 'fields'", make, {name = "component.X"})
    refused("fields[1] must be {name, type}", make, {name = "component.X", fields = {"x"}})
    refused("'a b' is no name", make, {name = "component.X", fields = {{"a b", "float"}}})
    refused("there is no type 'flaot'", make, {name = "component.X", fields = {{"x", "flaot"}}})
    refused("two fields 'x'", make,
        {name = "component.X", fields = {{"x", "float"}, {"x", "float"}}})
    refused("defaults", make,
        {name = "component.X", fields = {{"x", "float"}}, defaults = {y = 1}})
    refused("requires holds 5", make,
        {name = "component.X", fields = {{"x", "float"}}, requires = {5}})
    for _, name in ipairs({"requires", "formerNames"}) do
        refused("option '" .. name .. "': a list is wanted", firn.newTag,
            {name = "component.X", [name] = Vec})
    end
    refused("there is a component 'component.Vec' already", make,
        {name = "component.Vec", fields = {{"x", "float"}}})
    refused("container is the component 'component.Vec' already", make,
        {name = "component.X", fields = {{"x", "float"}}, container = Vec})
    refused("newFFIComponent: the field \"p\" is a pointer", make, {name = "component.X", fields = {{"p", "void *"}}})
    local function none() end
    refused("the component name \"a->b\" has \"->\" in it", world.newFFIComponent, world,
        {name = "a->b", fields = {{"x", "float"}}, init = none})
    refused("the component name \"a->b\" has \"->\" in it", world.newComponent, world,
        {name = "a->b", fields = {"x"}, save = none, load = none})
    refused("option 'type'", firn.newScalar, {name = "component.X", type = "table"})
    refused("option 'default'", firn.newScalar,
        {name = "component.X", type = "number", default = "a"})
    assert(make({name = "component.X", fields = {{"p", "void *"}}, transient = true}))
    assert(world:spawn())
end

function test.wrong_values_are_refused()
    refused("x: a number is wanted, not 'a'", Vec, "a")
    refused("it has 2 fields, and 1 more", Vec, 1, 2, 3)
    refused("there is no field 'z'", Vec.new, {z = 1})
    refused("binding_component.lua:" .. debug.getinfo(1, "l").currentline + 1, function()
        Vec({})
    end)
    local world = firn.newWorld()
    local Hp = world:newScalar({name = "component.Hp", type = "number"})
    refused("a number is wanted, not 'x'", Hp, "x")
    local entity = world:spawn(Hp(1), Vec(1, 2))
    refused("a number is wanted, not a table", world.set, world, entity, Hp, {value = {}})
    refused("must be an instance, not 5", world.set, world, entity, Vec, 5)
    assert(world:get(entity, Hp) == 1 and world:get(entity, Vec).x == 1)
end

function test.a_component_that_one_world_cannot_take_is_in_none()
    local world = firn.newWorld()
    local Saved = world:newComponent({
        name = "Saved",
        save = function() firn.newTag({name = "TooLate"}) end,
        load = function() end,
    })
    world:spawn(Saved())
    local ok, problem = pcall(world.saveSnapshot, world)
    assert(not ok and tostring(problem):find("the world cannot change", 1, true))
    local TooLate = firn.newTag({name = "TooLate"})
    assert(world:has(world:spawn(TooLate), TooLate))
    ok, problem = pcall(firn.newTag, {name = "a\0b"})
    assert(not ok and problem:find("option 'name' has a zero byte", 1, true))
end

function test.a_definition_enters_all_worlds_or_none()
    local first = firn.newWorld()
    local small = firn.newWorld({limits = {nameBytes = 40, stringBytes = 1000}})
    local name, long = "component.All" .. ("n"):rep(60), ("x"):rep(1001)
    refused("name", firn.newTag, {name = name})
    refused("former", firn.newTag, {name = "component.AllTag", formerNames = {name}})
    refused("1001", firn.newScalar, {
        name = "component.AllText", type = "string", default = long,
    })
    local full = firn.newWorld()
    local Own = full:newTag({name = "component.AllOwn", formerNames = {"component.AllOld"}})
    refused("a former name of", firn.newTag, {name = "component.AllOld"})
    refused("component.AllOwn", firn.newTag, {
        name = "component.AllNew", formerNames = {"component.AllOwn"},
    })
    assert(full:has(full:spawn(Own), Own))
    small:destroy()
    full:destroy()
    -- Nothing is left of them.
    for _, free in ipairs({name, "component.AllTag", "component.AllOld", "component.AllNew"}) do
        local Tag = firn.newTag({name = free})
        assert(first:has(first:spawn(Tag), Tag))
    end
    local Text = firn.newScalar({name = "component.AllText", type = "string", default = long})
    assert(first:get(first:spawn(Text), Text) == long)
end

function test.a_definition_whose_kept_rows_are_refused_enters_no_world()
    local source, kept, other = firn.newWorld(), firn.newWorld(), firn.newWorld()
    local Item = source:newComponent({
        name = "component.Kept", save = function() return "saved" end, load = function() end,
    })
    source:spawn(Item())
    kept:loadSnapshot(source:saveSnapshot(), {keepUnknown = true})
    source:destroy()
    local function options(load)
        return {name = "component.Kept", save = function() return 1 end, load = load}
    end
    refused("not today", firn.newComponent, options(function() error("not today") end))
    local made, seen
    local Kept = firn.newComponent(options(function(saved)
        seen, made = saved, firn.newWorld()
    end))
    assert(seen == "saved")
    for _, world in ipairs({kept, other, made}) do
        assert(world:has(world:spawn(Kept()), Kept))
    end
    assert(kept:newQuery({include = {Kept}}):count() == 2)
end

return test
