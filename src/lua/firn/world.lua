-- firn/world.lua: worlds.
local api = require("firn.api")
local component = require("firn.component")
local check = require("firn.check")
local core, fast, ffi, misuse = api.core, api.fast, api.ffi, check.fail

local World = {}
World.__index = World

-- What the FFI takes for a world that lives.
local function fastOf(world, doing)
    return world.fast or misuse(doing, "the world has been destroyed")
end
World.fastOf = fastOf

-- ---------------------------------------------------------------- open loops

-- A loop over a query (firn/query.lua) that a `break` or an error left is still open to firn. Nothing
-- tells the binding, so it looks, at calls that would show the difference, whether a function is still
-- inside. world.loops are those that are open, the innermost last; threads are the coroutines that
-- began them.
local threads = setmetatable({}, {__mode = "kv"})

function World.enterLoop(world, loop)
    threads[loop] = core.thread()
    local count = world.loopCount + 1
    world.loopCount = count
    world.loops[count] = loop
end

-- Ends a loop, wherever it stands.
function World.endLoop(world, loop, doing)
    local loops, count = world.loops, world.loopCount
    local place = count
    while place > 0 and loops[place] ~= loop do
        place = place - 1
    end
    if place == 0 then
        return
    end
    for i = place, count do
        loops[i] = loops[i + 1]
    end
    world.loopCount = count - 1
    threads[loop] = nil
    loop.open, loop.count = false, 0
    local lua, iter, spare = fastOf(world, doing), loop.iter, loop.query.spare
    spare[#spare + 1] = iter
    local result = fast.loop_end(lua, iter)
    if result == api.SLOW then
        core.loop_end(world.core, iter, doing)
    elseif result ~= 0 then
        core.raise(world.core, doing)
    end
end

-- What a call does first that a loop would stop or put off: one that is open, but that nobody runs
-- any more, ends here.
function World.settle(world, doing)
    local lua = fastOf(world, doing)
    lua.calls = lua.calls + 1
    for i = world.loopCount, 1, -1 do
        local loop = world.loops[i]
        if loop then
            loop.hint = core.loop_lives(threads[loop], loop, loop.hint)
            if not loop.hint then
                World.endLoop(world, loop, doing)
            end
        end
    end
    return lua
end

-- What every call on entities does first. A loop that is left makes no difference as long as nothing
-- waits for its end.
function World.enter(world, doing)
    local lua = world.fast or fastOf(world, doing)
    lua.calls = lua.calls + 1
    if world.loopCount > 0 and lua.pending[0] > 0 then
        World.settle(world, doing)
    end
    if lua.table_dropped ~= 0 or lua.table_given ~= 0 then
        World.forgetTables(world, lua)
    end
    return lua
end

-- Calls hand(world, lua, doing, ...), which hands over arguments, and returns what it does. What runs
-- meanwhile, a metamethod or a finalizer, may call firn and hand over others in their place: then it
-- is done again. Until the change that takes them, a finalizer may still come: then it returns AGAIN.
function World.handOver(world, lua, doing, hand, ...)
    local calls = lua.calls
    local count, extras = hand(world, lua, doing, ...)
    if lua.calls == calls then
        lua.handed = calls
        return count, extras
    end
    for _ = 1, 100 do
        lua = World.enter(world, doing)
        calls = lua.calls
        count, extras = hand(world, lua, doing, ...)
        if lua.calls == calls then
            lua.handed = calls
            return count, extras
        end
    end
    misuse(doing, "an argument calls firn whenever it is read")
end

-- ---------------------------------------------------------------- made and destroyed

-- What other files do to each new world.
World.preparations = {}

local WORLD_OPTIONS = {
    name = "string", limits = "any", timestep = "number", debug = "boolean", bus = "table",
}

-- newWorld{name=, limits={}, timestep=, debug=, bus=}: an empty world with all that has been defined. Columns
-- of a debug world check each use, and cannot be kept or compiled well.
function World.new(options)
    local doing = "newWorld"
    options = check.anyOptions(doing, options, WORLD_OPTIONS)
    local world = component.newWorldTable(core.create(options.name, options.limits,
        options.bus and World.busOf(doing, options.bus)))
    world.debug = options.debug
    world.resources, world.loops, world.loopCount = {}, {}, 0
    world.fast = ffi.cast("firn_lua *", core.pointer(world.core))
    setmetatable(world, World)
    world.limits, world.bus = options.limits, options.bus
    if options.bus then
        core.world_object(world.core, world)
    end
    component.enterAll(world)
    component.follow(world)
    for _, prepare in ipairs(World.preparations) do
        prepare(world)
    end
    if options.timestep then
        world:timestep(options.timestep)
    end
    return world
end

-- name() -> the world's name, which a load may change
function World:name()
    fastOf(self, "name")
    return core.name(self.core)
end

-- destroy(): ends the world; what it holds is freed at once.
function World:destroy()
    fastOf(self, "destroy")
    core.destroy(self.core)
    self.fast.calls = self.fast.calls + 1
    self.fast = nil
    for i = 1, self.loopCount do
        self.loops[i].open, self.loops[i].count = false, 0
    end
end

for _, maker in ipairs({"newComponent", "newFFIComponent", "newTag", "newScalar", "newRelationship"}) do
    World[maker] = function(self, options)
        fastOf(self, maker)
        return component[maker](self, options)
    end
end

return World
