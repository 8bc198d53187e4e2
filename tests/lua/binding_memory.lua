-- What saves, loads and worlds leave behind: nothing.
local firn = require("firn")
local ffi = require("ffi")
local buffer = require("string.buffer")
local worlds = require("firn_worlds")

local test = {}

-- ---------------------------------------------------------------- heaps

ffi.cdef([[
    struct firn_test_mallinfo {
        size_t arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost;
    };
    struct firn_test_mallinfo mallinfo2(void);
    size_t __sanitizer_get_current_allocated_bytes(void);
]])

-- Bytes that C has from malloc: under a sanitizer its own count, or nil where nobody counts.
local sanitized = pcall(function()
    return ffi.C.__sanitizer_get_current_allocated_bytes
end)
local counts = sanitized or pcall(function()
    return ffi.C.mallinfo2
end)

local function heapOfC()
    if sanitized then
        return tonumber(ffi.C.__sanitizer_get_current_allocated_bytes())
    elseif not counts then
        return 0
    end
    local info = ffi.C.mallinfo2()
    return tonumber(info.uordblks + info.hblkhd)
end

-- What the JIT compiler made keeps what it was made for, and goes first.
local function heapOfLua()
    jit.flush()
    for _ = 1, 4 do
        collectgarbage()
    end
    return collectgarbage("count") * 1024
end

-- A leak shows in each stretch of so many rounds. What is made once comes in the first ones.
-- The C library counts what waits for the next malloc as used; a sanitizer counts exactly.
local STRETCHES, LUA_ROOM, C_ROOM = 8, 8 * 1024, sanitized and 256 or 16 * 1024

local function assertLevel(rounds, round, luaRoom)
    local lua, c
    for _ = 1, STRETCHES do
        local luaBefore, cBefore = heapOfLua(), heapOfC()
        for _ = 1, rounds do
            round()
        end
        lua, c = heapOfLua() - luaBefore, heapOfC() - cBefore
        if lua < (luaRoom or LUA_ROOM) and c < C_ROOM then
            return
        end
    end
    error(("%d rounds: Lua has %d bytes more, and C %d"):format(rounds, lua, c))
end

-- ---------------------------------------------------------------- saves and loads

-- A world of every kind of component, with handlers, observers and data.
local function fullWorld()
    local world = worlds.new("full")
    for _, name in ipairs({"02_kinds", "03_structs", "08_codec", "09_game", "10_relations"}) do
        worlds.fill[name](world)
    end
    world:addSnapshotHandler({
        name = "game.memory",
        save = function()
            return {1, 2, {3}}
        end,
        load = function() end,
        finish = function() end,
    })
    world:observe(0, firn.OnSnapshotSave, function(event)
        event:addData("added", {x = 1})
    end)
    world:observe(0, firn.StartSnapshotLoad, function(event)
        event:onData("added", function() end)
    end)
    return world
end

function test.a_thousand_saves_and_loads_leave_both_heaps_where_they_were()
    local world = fullWorld()
    local own = buffer.new()
    assertLevel(1000, function()
        world:saveSnapshot({buffer = own, sparseEdges = true, customData = {a = {1, 2}}})
        world:loadSnapshot(own, {onData = function() end})
    end)
end

function test.table_saves_loads_and_merges_leave_both_heaps_where_they_were()
    local world = fullWorld()
    assertLevel(200, function()
        local save = world:saveSnapshot({format = "table", sparseEdges = true})
        world:loadSnapshot(save)
        local other = firn.newWorld()
        other:mergeSnapshot(save, {skipUnknown = true})
        other:destroy()
    end)
end

function test.saves_and_loads_that_fail_leave_both_heaps_where_they_were()
    local world = fullWorld()
    local bytes = world:saveSnapshot({sparseEdges = true}).buffer:tostring()
    local broken = world:spawn(world.specs.Bag({plan = {print}}))
    local n = 0
    assertLevel(300, function()
        n = n + 1
        assert(not pcall(world.loadSnapshot, world, bytes:sub(1, n * 37 % #bytes)))
        assert(not pcall(world.saveSnapshot, world))
        assert(not pcall(world.saveSnapshot, world, {format = "table"}))
        assert(not pcall(firn.decode, "\10\255\255\255\255\7"))
    end)
    assert(world:isAlive(broken))
end

function test.entities_and_tables_that_end_are_gone()
    local world = worlds.new()
    local Bag = world.specs.Bag
    local seen = setmetatable({}, {__mode = "k"})
    assertLevel(300, function()
        local value = {1, 2, 3}
        local entity = world:spawn(Bag(value))
        seen[value] = true
        world:set(entity, Bag({4}))
        world:despawn(entity)
        world:flush()
    end)
    world:spawn()
    collectgarbage()
    local left = 0
    for _ in pairs(seen) do
        left = left + 1
    end
    assert(left <= 2, left)
end

-- ---------------------------------------------------------------- worlds

-- A world whose own functions know it: codecs, a constructor, handlers, observers, systems, states.
local function knownWorld(seen)
    local world = firn.newWorld({name = "known"})
    local Known
    Known = world:newFFIComponent({
        name = "Known", fields = {{"x", "double"}},
        init = function(row)
            row.x = world:count()
        end,
        serialize = function(row)
            return {x = row.x, of = world:name()}
        end,
        deserialize = function(of, data)
            assert(of == world)
            return Known(data.x)
        end,
    })
    local Table = world:newComponent({
        name = "KnownTable",
        save = function(value)
            return {value.n, world:count()}
        end,
        load = function(saved)
            return {n = saved[1], world = world}
        end,
    })
    world:addSnapshotHandler({name = "game.known", save = function() return world:name() end})
    world:observe(0, firn.OnSpawn, function() return world end)
    world:addSystem({run = function() return world end})
    world:createState("known", {enter = function() return world end})
    world:spawn(Table.new({n = 1}), Known())
    world.resources.itself = world
    world:loadSnapshot(world:saveSnapshot())
    seen[#seen + 1] = world
    seen[#seen + 1] = world.core
end

function test.a_world_whose_codecs_close_over_it_is_collected_and_freed()
    local seen = setmetatable({}, {__mode = "v"})
    -- LuaJIT never forgets the type of a struct, which is one of each world here.
    assertLevel(50, function()
        knownWorld(seen)
        collectgarbage()
        collectgarbage()
    end, 50 * 2048)
    heapOfLua()
    assert(next(seen) == nil)
end

-- Opens a manager, uses it, and forgets it, or closes it.
local function saveGames(close)
    local bus = firn.newBus()
    local world = firn.newWorld({bus = bus})
    local saves = firn.saves.open(world, {
        game = "fox", storage = firn.saves.memory(), background = true, version = 2,
        migrations = {[1] = function(save)
            save.variables = {migrated = true}
        end},
        levels = {current = function()
            return "cave"
        end, enter = function()
            return firn.newWorld({bus = bus})
        end},
    })
    bus:observe("saved", function(event)
        return event.payload.slot, world
    end)
    local remove = saves:onBeforeSave(function()
        return {count = world:count()}
    end)
    saves:variable("bag", {1, {2}})
    saves:requestSave("one", {meta = {title = "x", thumbnail = "y"}, sections = {own = "z"}})
    saves:endTick(1)
    saves:wait()
    saves:tell()
    remove()
    local envelope = saves:read("one").envelope
    saves:write("two", {meta = {}})
    saves:list()
    saves:thumbnail("one")
    envelope.gameVersion = 1
    saves:take(envelope)
    for _, junk in ipairs({"junk", firn.saves.bytes(envelope):sub(1, -2)}) do
        assert(not pcall(saves.take, saves, junk))
    end
    assert(not pcall(saves.read, saves, "three"))
    if close then
        saves:close()
        saves = nil
        world:destroy()
    end
end

function test.managers_of_save_games_leave_nothing()
    local close = false
    assertLevel(50, function()
        close = not close
        saveGames(close)
        collectgarbage()
        collectgarbage()
    end)
end

function test.worlds_that_are_built_like_another_one_leave_nothing()
    local world = fullWorld()
    local save = world:saveSnapshot({sparseEdges = true})
    local close = false
    assertLevel(10, function()
        close = not close
        local other = world:buildFrom(save, {prepare = function(built)
            built.specs = world.specs
        end})
        if close then
            other:destroy()
        end
        assert(not pcall(world.buildFrom, world, "junk"))
        collectgarbage()
        collectgarbage()
    end, 10 * 2048)
end

function test.a_world_that_is_destroyed_is_freed_at_once()
    local before = heapOfC()
    local world = fullWorld()
    assert(not counts or heapOfC() > before)
    local with = heapOfC()
    world:destroy()
    assert(not counts or heapOfC() < with - (with - before) * 0.5)
    assert(not pcall(world.spawn, world))
end

return test
