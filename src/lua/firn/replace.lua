-- firn/replace.lua: a second world with everything that the first one has registered, built from a
-- snapshot, while the first one stays.
local api = require("firn.api")
local check = require("firn.check")
local World = require("firn.world")
local core = api.core

-- What a world has registered, it remembers as functions that do the same for another world.
World.preparations[#World.preparations + 1] = function(world)
    world.made = {count = 0}
end

-- Remembers redo(other) behind all that is remembered. Returns what World.unmake takes.
function World.remember(world, redo)
    local made = world.made
    made.count = made.count + 1
    made[made.count] = redo
    return made.count
end

-- Forgets it: the registration has been removed.
function World.unmake(world, place)
    world.made[place] = nil
end

local function redoAll(world, other)
    for i = 1, world.made.count do
        local redo = world.made[i]
        if redo then
            redo(other)
        end
    end
end

local BUILD_OPTIONS = { prepare = "function" }

-- buildFrom(source[, options]) -> world, prelude, report. source and options as of loadSnapshot, and
-- prepare(world), which runs before that. The new world is on the bus of this one, detached; observers,
-- queries, queues and resources are this one's alone.
function World:buildFrom(source, options)
    World.settle(self, "buildFrom")
    local load, build = {}, {}
    for name, value in next, check.value("buildFrom", "options", options or {}, "table") do
        (BUILD_OPTIONS[name] and build or load)[name] = value
    end
    build = check.options("buildFrom", build, BUILD_OPTIONS)
    local other = World.new({
        name = self:name(), limits = self.limits, debug = self.debug, bus = self.bus,
        timestep = self:timestep(),
    })
    local ok, prelude, report = pcall(function()
        other:detach()
        redoAll(self, other)
        core.game_take_start(other.core, self)
        if build.prepare then
            build.prepare(other)
        end
        return other:loadSnapshot(source, load)
    end)
    if not ok then
        other:destroy()
        error(prelude, 0)
    end
    return other, prelude, report
end
