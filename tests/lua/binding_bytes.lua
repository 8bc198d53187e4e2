-- Lua and C write the same bytes for the same worlds: those of tests/golden/firn, which C wrote.
local firn = require("firn")
local worlds = require("firn_worlds")

local test = {}

local function saved(world, image)
    return world:saveSnapshot(image.options).buffer:tostring()
end

-- The first byte that differs, for messages.
local function difference(a, b)
    for i = 1, math.max(#a, #b) do
        if a:byte(i) ~= b:byte(i) then
            return ("byte %d of %d and %d: %s and %s"):format(i, #a, #b, tostring(a:byte(i)),
                tostring(b:byte(i)))
        end
    end
end

local function same(a, b)
    assert(a == b, difference(a, b))
end

for _, image in ipairs(worlds.images) do
    test["T22_" .. image.name .. "_of_C_is_loaded_and_saved_as_the_same_bytes"] = function()
        local bytes = worlds.bytes(image)
        local world = worlds.new()
        world:loadSnapshot(bytes)
        same(saved(world, image), bytes)
        -- What version 2 cannot say is not in its hash.
        assert(image.name == "06_version_2" or world:hash() == firn.hashSnapshot(bytes))
    end

    local fill = worlds.fill[image.name]
    if fill then
        test["T22_" .. image.name .. "_filled_by_Lua_has_the_bytes_of_C"] = function()
            local world = worlds.new()
            fill(world)
            same(saved(world, image), worlds.bytes(image))
        end
    end
end

function test.the_images_are_those_of_C()
    local source = assert(io.open(os.getenv("FIRN_TEST_DATA") .. "/firn_worlds.c"))
    local listed = 0
    for name in source:read("*a"):gmatch('{%.name = "(%d[^"]+)"') do
        listed = listed + 1
        assert(worlds.images[listed].name == name, name)
    end
    source:close()
    assert(listed == 11 and listed == #worlds.images)
end

-- Runs bytes_process.lua in another luajit, and returns what it prints.
local function inAnotherProcess(option, seed)
    local script = arg[0]:gsub("run%.lua$", "bytes_process.lua")
    local program = arg[-1]
    for i = -1, -10, -1 do
        program = arg[i] or program
    end
    local pipe = assert(io.popen(("'%s' %s '%s' %d"):format(program, option, script, seed)))
    local printed = pipe:read("*a")
    pipe:close()
    return printed
end

function test.equal_worlds_have_equal_bytes_in_every_process_with_and_without_the_compiler()
    local first = inAnotherProcess("-jon", 1)
    assert(#first > 1000, first)
    for seed = 2, 4 do
        same(inAnotherProcess("-jon", seed), first)
        same(inAnotherProcess("-joff", seed), first)
    end
end

return test
