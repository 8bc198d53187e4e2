-- bench/lua/main.lua: how fast the Lua binding is, each figure as a ratio to a peer that runs in the
-- same process, by turns with it. bench/lua/run.sh builds it and gives each scene a process.
--
--   luajit main.lua --list
--   luajit main.lua SCENE
--
-- Loads of tables are not measured in one process with their peer but by turns with it in processes of
-- their own, and without the collector: what it gives back after one of them, the other one would
-- have to get again.
--
--   luajit main.lua SCENE ours|peer      nanoseconds: the median and the least time
local ffi = require("ffi")
local buffer = require("string.buffer")
local firn = require("firn")

ffi.cdef([[
typedef struct peer peer;
peer *peer_create(void);
void peer_destroy(peer *own);
int peer_load(peer *own, const void *image, size_t size);
int peer_spawn(peer *own, uint32_t count);
void peer_iterate(peer *own, float dt);
typedef struct { long seconds, nanoseconds; } bench_time;
int clock_gettime(int clock, bench_time *time);
]])
local peers = ffi.load(assert(os.getenv("FIRN_BENCH_PEER"), "run bench/lua/run.sh"))

local Position = firn.newFFIComponent({ name = "Position", fields = { { "x", "float" }, { "y", "float" } } })
local Velocity = firn.newFFIComponent({ name = "Velocity", fields = { { "x", "float" }, { "y", "float" } } })
local Health = firn.newFFIComponent({
    name = "Health", fields = { { "current", "int32_t" }, { "max", "int32_t" } },
})

-- ---------------------------------------------------------------- measuring

local CLOCK_MONOTONIC = 1
local time = ffi.new("bench_time")

local function now()
    ffi.C.clock_gettime(CLOCK_MONOTONIC, time)
    return tonumber(time.seconds) * 1e9 + tonumber(time.nanoseconds)
end

local function timed(work)
    collectgarbage()
    local from = now()
    work()
    return now() - from
end

local function median(list)
    table.sort(list)
    return list[math.floor((#list + 1) / 2)], list[1]
end

-- The medians and least times of two lists, as ratios and in nanoseconds.
local function ratios(own, other)
    local ownMedian, ownLeast = median(own)
    local peerMedian, peerLeast = median(other)
    return ownMedian / peerMedian, ownLeast / peerLeast, ownMedian, peerMedian
end

-- Runs both by turns, after a few turns that do not count.
local function compare(rounds, ours, peer)
    local own, other = {}, {}
    for round = -2, rounds do
        local a, b
        if round % 2 == 0 then
            a, b = timed(ours), timed(peer)
        else
            b, a = timed(peer), timed(ours)
        end
        if round > 0 then
            own[round], other[round] = a, b
        end
    end
    return ratios(own, other)
end

-- One side of a scene, in this process.
local function alone(make)
    local work, times = make(), {}
    collectgarbage()
    collectgarbage("stop")
    for round = -1, 7 do
        local from = now()
        work()
        times[math.max(round, 1)] = now() - from
    end
    return median(times)
end

-- Both sides by turns, in processes of their own.
local function apart(scene)
    local times = { ours = {}, peer = {} }
    for round = 1, 9 do
        for _, side in ipairs({ "ours", "peer" }) do
            local command = ("luajit %q %q %s"):format(arg[0], scene, side)
            local output = assert(io.popen(command))
            times[side][round] = assert(output:read("*n"), command)
            output:close()
        end
    end
    return ratios(times.ours, times.peer)
end

-- ---------------------------------------------------------------- scenes

local function filled(count)
    local world = firn.newWorld()
    for i = 1, count do
        world:spawn(Position(i, 1), Velocity(1, 2), Health(100, 100))
    end
    return world
end

local scenes = {}

local function save(count, rounds)
    return function()
        local world, out = filled(count), buffer.new()
        local bytes = world:saveSnapshot({ buffer = out }).buffer:tostring()
        local from, to = ffi.new("uint8_t[?]", #bytes), ffi.new("uint8_t[?]", #bytes)
        ffi.copy(from, bytes, #bytes)
        local options = { buffer = out }
        return compare(rounds, function()
            world:saveSnapshot(options)
        end, function()
            ffi.copy(to, from, #bytes)
        end)
    end
end

local function load(count, rounds)
    return function()
        local world, own = filled(count), peers.peer_create()
        local saved = world:saveSnapshot().buffer
        local ratio = { compare(rounds, function()
            world:loadSnapshot(saved)
        end, function()
            local bytes, size = saved:ref()
            assert(peers.peer_load(own, bytes, size) == 0)
        end) }
        peers.peer_destroy(own)
        return unpack(ratio)
    end
end

local TABLES = 100000

local function saveTables(fields, make)
    return function()
        local component = firn.newComponent({ name = "Table", fields = fields })
        local world, rows, options = firn.newWorld(), {}, { buffer = buffer.new() }
        for i = 1, TABLES do
            rows[i] = make(i)
            world:spawn(component.new(make(i)))
        end
        return compare(9, function()
            world:saveSnapshot(options)
        end, function()
            for i = 1, #rows do
                buffer.encode(rows[i])
            end
        end)
    end
end

-- Both sides, each made when it is measured.
local function loadTables(fields, make)
    local function ours()
        local component = firn.newComponent({ name = "Table", fields = fields })
        local world = firn.newWorld()
        for i = 1, TABLES do
            world:spawn(component.new(make(i)))
        end
        local saved = world:saveSnapshot().buffer
        return function()
            world:loadSnapshot(saved)
        end
    end
    local function peer()
        local rows, each = {}, {}
        for i = 1, TABLES do
            rows[i] = make(i)
            each[i] = buffer.encode(rows[i])
        end
        return function()
            for i = 1, #each do
                rows[i] = buffer.decode(each[i])
            end
        end
    end
    return { ours = ours, peer = peer }
end

local STATS = { "x", "y", "hp" }

local function stats(i)
    return { x = i, y = 2 * i, hp = 100 }
end

local function loose(i)
    return { name = "unit " .. i % 7, plan = { { at = i, go = true }, { at = i + 1, go = false } } }
end

local function iterate(inC)
    return function()
        local count = 1000000
        local world = filled(count)
        local query = world:newQuery({ include = { Position, Velocity } })
        local function ours()
            for archetype, rows in query:each() do
                local position = archetype:columnMut(Position)
                local velocity = archetype:column(Velocity)
                for i = 0, rows - 1 do
                    position[i].x = position[i].x + velocity[i].x * 0.016
                    position[i].y = position[i].y + velocity[i].y * 0.016
                end
            end
        end
        if inC then
            local own = peers.peer_create()
            assert(peers.peer_spawn(own, count) == 0)
            local ratio = { compare(21, ours, function()
                peers.peer_iterate(own, 0.016)
            end) }
            peers.peer_destroy(own)
            return unpack(ratio)
        end
        local position = ffi.new("struct { float x, y; }[?]", count)
        local velocity = ffi.new("struct { float x, y; }[?]", count)
        return compare(21, ours, function()
            for i = 0, count - 1 do
                position[i].x = position[i].x + velocity[i].x * 0.016
                position[i].y = position[i].y + velocity[i].y * 0.016
            end
        end)
    end
end

local function spawn()
    local count = 100000
    local world, own
    return compare(15, function()
        world = firn.newWorld()
        for i = 1, count do
            world:spawn(Position(i, 1), Velocity(1, 2), Health(100, 100))
        end
        world:destroy()
    end, function()
        own = peers.peer_create()
        assert(peers.peer_spawn(own, count) == 0)
        peers.peer_destroy(own)
    end)
end

-- name, what it is compared with, the aim, the scene
local function scene(name, against, aim, run)
    scenes[#scenes + 1] = { name = name, against = against, aim = aim, run = run }
end

scene("save 1,000,000 entities", "memcpy of the bytes", 1.10, save(1000000, 21))
scene("save 10,000 entities", "memcpy of the bytes", 1.15, save(10000, 301))
scene("load 1,000,000 entities", "the load in C", 1.05, load(1000000, 15))
scene("load 10,000 entities", "the load in C", nil, load(10000, 201))
scene("save 100,000 tables {x, y, hp}", "buffer.encode of each", 0.30, saveTables(STATS, stats))
scene("load 100,000 tables {x, y, hp}", "buffer.decode of each", 0.50, loadTables(STATS, stats))
scene("save 100,000 nested tables", "buffer.encode of each", 2, saveTables(nil, loose))
scene("load 100,000 nested tables", "buffer.decode of each", 2, loadTables(nil, loose))
scene("iterate 1,000,000 entities", "the loop over plain arrays", 1.10, iterate(false))
scene("iterate 1,000,000 entities, C", "the loop in C", nil, iterate(true))
scene("spawn 100,000 entities one by one", "firn_spawn_rows in C", 3, spawn)

-- ---------------------------------------------------------------- main

if arg[1] == "--list" then
    for _, each in ipairs(scenes) do
        print(each.name)
    end
    return
end
local chosen
for _, each in ipairs(scenes) do
    chosen = each.name == arg[1] and each or chosen
end
assert(chosen, "there is no such scene")
if arg[2] then
    print(alone(chosen.run[arg[2]]))
    return
end
local ratio, least, ours, peer
if type(chosen.run) == "table" then
    ratio, least, ours, peer = apart(chosen.name)
else
    ratio, least, ours, peer = chosen.run()
end
print(("%-36s %-28s %7s %7s %6s"):format("scene", "ratio to", "median", "min", "aim"))
print(("%-36s %-28s %7.2f %7.2f %6s   %.3f ms against %.3f ms"):format(chosen.name, chosen.against,
    ratio, least, chosen.aim or "", ours / 1e6, peer / 1e6))
