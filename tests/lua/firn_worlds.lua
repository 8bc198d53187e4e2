-- firn_worlds.lua: the components of tests/golden/firn_worlds.c and what its worlds hold, in Lua.
local firn = require("firn")

local worlds = {}

-- A value of any kind stands in a table.
local BAG = {
    name = "Bag", fields = {"value"},
    save = function(bag)
        return bag.value
    end,
    load = function(saved)
        return {value = saved}
    end,
}

-- Saved as "handle <number>", or as nil when it is 0.
local HANDLE = {
    name = "Handle", fields = {{"number", "int32_t"}, {"pointer", "void *"}},
    serialize = function(handle)
        return handle.number ~= 0 and "handle " .. handle.number or nil
    end,
    deserialize = function(world, saved)
        local number = tonumber(saved:match("^handle (%-?%d+)$"))
        if not number or number == 13 then
            error(saved .. " is no handle", 0)
        end
        return world.specs.Handle(number)
    end,
}

-- A world with all of them, in the order of their names in world.specs.
function worlds.new(name)
    local world = firn.newWorld({name = name})
    local specs = {}
    world.specs = specs
    local function add(maker, options)
        specs[options.name] = world[maker](world, options)
        return specs[options.name]
    end
    local Position = add("newFFIComponent", {
        name = "Position", fields = {{"x", "float"}, {"y", "float"}},
    })
    add("newFFIComponent", {name = "Padded", fields = {
        {"small", "int8_t"}, {"wide", "double"}, {"flag", "bool"}, {"marks", "uint16_t[3]"},
    }})
    -- A struct inside another one is a component in Lua; it has the fields of this one.
    local Slot = world:newFFIComponent({
        name = "Slot", fields = {{"kind", "int16_t"}, {"amount", "int64_t"}},
    })
    add("newFFIComponent", {name = "Unit", fields = {
        {"number", "uint32_t"}, {"home", Position}, {"slots", Slot, 2}, {"leader", "firn_entity"},
        {"follower", "entity"}, {"label", "char[6]"},
    }})
    specs.Slot = Slot
    add("newFFIComponent", {name = "Types", fields = {
        {"b", "bool"}, {"i8", "int8_t"}, {"u8", "uint8_t"}, {"i16", "int16_t"}, {"u16", "uint16_t"},
        {"i32", "int32_t"}, {"u32", "uint32_t"}, {"i64", "int64_t"}, {"u64", "uint64_t"},
        {"f32", "float"}, {"f64", "double"},
    }})
    add("newScalar", {name = "Alive", type = "boolean"})
    add("newScalar", {name = "Score", type = "number"})
    add("newScalar", {name = "Title", type = "string"})
    add("newComponent", BAG)
    add("newTag", {name = "Boss"})
    add("newFFIComponent", HANDLE)
    add("newRelationship", {name = "Likes"})
    add("newRelationship", {
        name = "Trusts", fields = {{"amount", "int32_t"}}, sparse = true, exclusive = true,
    })
    add("newRelationship", {name = "Knows", sparse = true, reverse = true})
    add("newScalar", {name = "Gone", type = "number", default = 5, transient = true})
    world:createState("day")
    world:createState("night")
    world:addPhase("Thaw", "Update")
    world:addSequence("story", {begin = true, go = true})
    return world
end

-- ---------------------------------------------------------------- contents

local fill = {}

fill["01_empty"] = function()
end

fill["02_kinds"] = function(world)
    local C = world.specs
    for i = 0, 1 do
        world:spawn(C.Position(1.5, -2 + i))
        world:spawn(C.Alive(i == 0))
        world:spawn(C.Score(0.1 + i))
        world:spawn(C.Title(i == 0 and "" or "king"))
        world:spawn(C.Bag({"rope", coins = 12}))
        world:spawn(C.Boss)
        world:spawn(C.Handle(7 + i))
        world:spawn(C.Gone(i))
        world:spawn()
    end
    world:spawn(C.Boss, firn.Disabled, C.Score(-1 / (1 / 0)), C.Position(3, 4), firn.Name("M\195\164x"))
end

fill["03_structs"] = function(world)
    local C = world.specs
    local leader = world:spawn()
    local slots = {C.Slot(-7, -2LL ^ 63), C.Slot(7, 0x7fffffffffffffffLL)}
    for i = 0, 2 do
        local unit = C.Unit(2 ^ 32 - 1 - i, C.Position(0.25, i), slots, leader, leader, "crow")
        world:spawn(C.Padded(-1 - i, i + 0.5, i == 1, {1000 * i, 1000 * i + 1, 1000 * i + 2}), unit)
    end
    world:set(leader, C.Types(true, 127, 255, 32767, 65535, 2147483647, 4294967295,
        0x7fffffffffffffffLL, 0xffffffffffffffffULL, 1 / 0, 1e308))
    world:spawn(C.Types(false, -128, 0, -32768, 0, -2147483648, 0, -2LL ^ 63, 0ULL, -1 / (1 / 0),
        5e-324))
end
fill["06_version_2"] = fill["02_kinds"]

fill["07_values"] = function(world)
    local C, ffi = world.specs, require("ffi")
    local odd = {
        0, -1 / (1 / 0), 1e300, -1 / 0, 0 / 0, ffi.new("int64_t", -2LL ^ 63),
        0xffffffffffffffffULL, ffi.new("complex", 1, -1),
    }
    for size = 190, 194 do
        odd[#odd + 1] = ("x"):rep(size)
    end
    odd[false], odd[-3], odd[0.5], odd[""] = true, false, false, {}
    local deep = {}
    for _ = 1, 99 do
        deep = {deep}
    end
    for _, value in ipairs({odd, deep, false, {}}) do
        world:spawn(C.Bag(value))
    end
    world:spawn(C.Title("a\0b\255"))
    world:spawn(C.Title(""))
end

fill["08_codec"] = function(world)
    for i = 0, 3 do
        world:spawn(world.specs.Handle(i == 0 and -1 or i))
    end
end

fill["09_game"] = function(world)
    world:timestep(0.25)
    world:pushState("day")
    world:spawn(world.specs.Score(1))
    world:pushState("night")
    world:spawn()
    world:pushState("day")
    world:enablePhase("Thaw", false)
    world:enablePhase("Last", false)
    world:step(0.625)
    world:seed(42)
    world:random("game.loot")
end

fill["10_relations"] = function(world)
    local C = world.specs
    local a, b, c, d, e, f = unpack(world:spawnMany(6))
    world:relate(b, C.Likes, a)
    world:relate(b, C.Likes, c)
    world:relate(c, C.Likes, c)
    world:relate(d, firn.ChildOf, b)
    world:relate(e, firn.ChildOf, a)
    world:relate(d, firn.ChildOf, a)
    world:relate(d, C.Trusts, e, {amount = -7})
    world:relate(e, C.Trusts, e, {amount = 5})
    world:set(d, C.Position(1, 2))
    world:set(d, C.Score(3))
    world:add(d, C.Boss)
    world:relate(f, C.Knows, d)
    world:relate(f, C.Knows, a)
end

local function stepTo(world, tick)
    while world:tick() < tick do
        world:step(1)
    end
end

fill["11_script"] = function(world)
    local hero, ghost = unpack(world:spawnMany(2))
    world:timestep(1)
    stepTo(world, 5)
    world:addClock("sun")
    world:addClock("moon")
    world:setClock("moon", {scale = 0.1})
    stepTo(world, 12)
    world:setClock("moon", {paused = true})
    world:send("bell", {entity = hero, delay = 3, payload = "ding"})
    world:send("dawn")
    world:startTimer({sequence = "story", step = "go", delay = 2.5, period = 0.25, clock = "moon"})
    world:startTimer({sequence = "story", step = "begin", entity = ghost, delay = 1})
    world:startTimer({sequence = "story", step = "begin", entity = hero})
    world:startWait({
        sequence = "story", step = "go", entity = hero, event = "bell", delay = 9, clock = "sun",
    })
    world:setMachine(hero, "story", "begin")
    world:setMachine(hero, "story", "go")
    local quest = world:startCursor({sequence = "story", entity = hero, key = "quest", step = "begin"})
    world:startCursor({sequence = "story", step = "go"})
    quest:wait({event = "dawn"})
    world:despawn(ghost)
end

worlds.fill = fill

-- ---------------------------------------------------------------- images

-- Name, and what its save is given.
worlds.images = {
    {name = "01_empty"}, {name = "02_kinds"}, {name = "03_structs"}, {name = "04_free_list"},
    {name = "05_data", options = {customData = {weather = 0.5, clock = 5}}},
    {name = "06_version_2", options = {wireVersion = 2}}, {name = "07_values"},
    {name = "08_codec"}, {name = "09_game"},
    {name = "10_relations", options = {sparseEdges = true}}, {name = "11_script"},
}

-- The bytes that C wrote.
function worlds.bytes(image)
    local path = ("%s/firn/%s.bin"):format(os.getenv("FIRN_TEST_DATA"), image.name)
    local file = assert(io.open(path, "rb"))
    local bytes = file:read("*a")
    file:close()
    return bytes
end

return worlds
