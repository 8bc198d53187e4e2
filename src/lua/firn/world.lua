-- firn/world.lua: worlds.
local api = require("firn.api")
local component = require("firn.component")
local check = require("firn.check")
local core, ffi, misuse = api.core, api.ffi, check.fail

local World = {}
World.__index = World

-- What the FFI takes for a world that lives.
function World.fastOf(world, doing)
    return world.fast or misuse(doing, "the world has been destroyed")
end

-- What a call does first that a loop would stop or put off: one that is open, but that nobody runs
-- any more, ends here.
function World.settle(world, doing)
    local lua = World.fastOf(world, doing)
    if lua.open_loops[0] > 0 and core.settle then
        core.settle(world.core)
    end
end

-- What other files do to each new world.
World.preparations = {}

local WORLD_OPTIONS = {name = "string", limits = "table", timestep = "number"}

-- newWorld{name=, limits={}, timestep=}: an empty world with all that has been defined.
function World.new(options)
    local doing = "newWorld"
    options = check.options(doing, options or {}, WORLD_OPTIONS)
    local limits
    if options.limits then
        limits = ffi.new("firn_limits")
        for name, value in pairs(options.limits) do
            if type(name) ~= "string" or name == "reserved" or not pcall(function()
                limits[name] = value
            end) then
                misuse(doing, "limits: there is no limit %s of that kind", check.describe(name))
            end
        end
    end
    local world = component.newWorldTable(core.create(options.name, limits))
    world.resources = {}
    world.fast = ffi.cast("firn_lua *", core.pointer(world.core))
    setmetatable(world, World)
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

-- Ends the world; what it holds is freed at once.
function World:destroy()
    World.fastOf(self, "destroy")
    core.destroy(self.core)
    self.fast = nil
end

for _, maker in ipairs({"newFFIComponent", "newTag"}) do
    World[maker] = function(self, options)
        World.fastOf(self, maker)
        return component[maker](self, options)
    end
end

return World
