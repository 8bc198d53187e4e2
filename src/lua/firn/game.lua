-- firn/game.lua: systems and phases, states, keys, random numbers.
local api = require("firn.api")
local check = require("firn.check")
local component = require("firn.component")
local World = require("firn.world")
local core, ffi, fast, misuse = api.core, api.ffi, api.fast, check.fail
local describe = check.describe
local fastOf, settle = World.fastOf, World.settle

local game = {}

-- ---------------------------------------------------------------- phases and steps

-- addPhase(name, after): a phase right behind another one.
function World:addPhase(name, after)
    fastOf(self, "addPhase")
    core.phase_add(self.core, name, after)
    self:remember(function(other)
        other:addPhase(name, after)
    end)
end

-- enablePhase(name, enabled): a disabled phase is passed over.
function World:enablePhase(name, enabled)
    fastOf(self, "enablePhase")
    core.phase_enable(self.core, name, enabled)
end

function World:phaseEnabled(name)
    fastOf(self, "phaseEnabled")
    return core.phase_enabled(self.core, name)
end

-- phases() -> names, in the order in which they run.
function World:phases()
    fastOf(self, "phases")
    return core.phases(self.core)
end

-- step(dt): runs the phases, those of fixed steps as often as a timestep has passed.
function World:step(dt)
    settle(self, "step")
    core.step(self.core, dt)
end

-- runPhase(name[, dt]): runs one phase, enabled or not.
function World:runPhase(name, dt)
    settle(self, "runPhase")
    core.run_phase(self.core, name, dt)
end

-- startup(): runs the startup phases unless they have run.
function World:startup()
    settle(self, "startup")
    core.startup(self.core)
end

-- shutdown(): runs the shutdown phases when the startup phases have run.
function World:shutdown()
    settle(self, "shutdown")
    core.shutdown(self.core)
end

-- timestep([seconds]) -> seconds of a fixed step
function World:timestep(seconds)
    fastOf(self, "timestep")
    return core.timestep(self.core, seconds)
end

-- tick([n]) -> completed fixed steps
function World:tick(n)
    fastOf(self, "tick")
    return core.tick(self.core, n)
end

-- accumulator([seconds]) -> seconds that wait for the next fixed step
function World:accumulator(seconds)
    fastOf(self, "accumulator")
    return core.accumulator(self.core, seconds)
end

-- ---------------------------------------------------------------- systems

local System = {}
System.__index = System

local SYSTEM_OPTIONS = {name = "string", phase = "string", state = "any", run = "function"}

-- addSystem{name=, phase="Update", state=, run=function(world, dt) end} -> system
function World:addSystem(options)
    local doing = "addSystem"
    fastOf(self, doing)
    options = check.options(doing, options, SYSTEM_OPTIONS)
    local run = check.value(doing, "option 'run'", options.run, "function")
    local state = options.state == nil and 0 or game.stateHandle(self, doing, options.state)
    local world = self
    local handle, own = core.system_add(self.core, options.name, options.phase, state,
        function(dt)
            run(world, dt)
            settle(world, "system")
        end)
    local system = setmetatable({world = self, handle = handle, own = own, name = options.name}, System)
    options.state = type(options.state) == "table" and options.state.name or options.state
    system.made = self:remember(function(other)
        other:addSystem(options):enable(system:enabled())
    end)
    return system
end

local function addedSystem(system, doing)
    fastOf(system.world, doing)
    return system.handle or misuse(doing, "the system has been removed")
end

-- enable(enabled): a disabled system does not run.
function System:enable(enabled)
    core.system_enable(self.world.core, addedSystem(self, "enable"), enabled)
end

function System:enabled()
    return core.system_enabled(self.world.core, addedSystem(self, "enabled"))
end

-- remove(): it does not run any more.
function System:remove()
    core.system_remove(self.world.core, addedSystem(self, "remove"), self.own)
    self.handle, self.own = nil, nil
    World.unmake(self.world, self.made)
end

-- ---------------------------------------------------------------- states

local State = {}
State.__index = State

function State:__tostring()
    return self.name
end

World.preparations[#World.preparations + 1] = function(world)
    world.stateOf = {} -- handle -> state
    world.streams = {} -- name -> stream
end

-- The object for a state of firn, made when a plugin has registered it.
local function stateOf(world, handle)
    local state = world.stateOf[handle]
    if not state then
        local name, tag, tagName = core.state_about(world.core, handle)
        state = setmetatable({
            world = world,
            handle = handle,
            name = name,
            tag = component.ofTag(world, tag, tagName),
        }, State)
        world.stateOf[handle] = state
    end
    return state
end

-- The handle of a state, or of one given by its name.
function game.stateHandle(world, doing, state)
    if type(state) == "table" and getmetatable(state) == State then
        if state.world ~= world then
            misuse(doing, "the state '%s' is of another world", state.name)
        end
        return state.handle
    elseif type(state) ~= "string" then
        misuse(doing, "state: a state or its name is wanted, not %s", describe(state))
    end
    return core.state_find(world.core, state, doing)
end

local STATE_OPTIONS = {
    enter = "function", exit = "function", pause = "function", resume = "function",
    despawnOnPop = "boolean",
}

-- createState(name[, {enter=, exit=, pause=, resume=, despawnOnPop=}]) -> state. The functions get
-- the world and the state.
function World:createState(name, options)
    local doing = "createState"
    fastOf(self, doing)
    options = check.anyOptions(doing, options, STATE_OPTIONS)
    local policies = {}
    for i, policy in ipairs({"enter", "exit", "pause", "resume"}) do
        policies[i] = options[policy]
    end
    local world, state = self, nil
    local handle = core.state_create(self.core, name, options.despawnOnPop, policies,
        function(policy)
            policies[policy](world, state)
        end)
    state = stateOf(self, handle)
    self:remember(function(other)
        other:createState(name, options)
    end)
    return state
end

-- pushState(state or name): puts it on top.
function World:pushState(state)
    settle(self, "pushState")
    core.state_push(self.core, game.stateHandle(self, "pushState", state))
end

-- popState(): takes the top off.
function World:popState()
    settle(self, "popState")
    core.state_pop(self.core)
end

-- switchState(state or name): puts it in the place of the top.
function World:switchState(state)
    settle(self, "switchState")
    core.state_switch(self.core, game.stateHandle(self, "switchState", state))
end

-- topState() -> the state on top, or nil
function World:topState()
    fastOf(self, "topState")
    local handle = core.state_top(self.core)
    return handle ~= 0 and stateOf(self, handle) or nil
end

-- states() -> the states on the stack, bottom first
function World:states()
    fastOf(self, "states")
    local stack = core.states(self.core)
    for i, handle in ipairs(stack) do
        stack[i] = stateOf(self, handle)
    end
    return stack
end

-- stateTag(state or name) -> the component that marks its entities
function World:stateTag(state)
    fastOf(self, "stateTag")
    return stateOf(self, game.stateHandle(self, "stateTag", state)).tag
end

-- ---------------------------------------------------------------- keys

-- requireKey(key) -> the entity with this EntityKey; raises when there is none.
function World:requireKey(key)
    fastOf(self, "requireKey")
    return core.require_key(self.core, key)
end

-- findKey(key) -> the same, or nil
function World:findKey(key)
    fastOf(self, "findKey")
    return core.find_key(self.core, key, "findKey")
end

-- ---------------------------------------------------------------- random numbers

local Random = {}
Random.__index = Random

-- The generator, which ends with its world.
local function generator(random, doing)
    if random.world then
        fastOf(random.world, doing)
    end
    return random.generator
end

-- next() -> 0 <= x < 1
function Random:next()
    return fast.random_next(generator(self, "next"))
end

local function wholeNumber(argument, value)
    if type(value) ~= "number" or math.floor(value) ~= value or math.abs(value) > 2 ^ 53 then
        misuse("integer", "%s must be a whole number, not %s", argument, describe(value))
    end
    return value
end

-- integer(m) -> 1 .. m; integer(m, n) -> m .. n
function Random:integer(m, n)
    local own = generator(self, "integer")
    wholeNumber("m", m)
    if n == nil then
        m, n = 1, m
    else
        wholeNumber("n", n)
    end
    if m > n then
        misuse("integer", "there is no number from %.0f to %.0f", m, n)
    end
    return fast.random_integer(own, m, n)
end

-- range(low, high) -> low <= x < high
function Random:range(low, high)
    local own = generator(self, "range")
    check.value("range", "low", low, "number")
    check.value("range", "high", high, "number")
    return fast.random_range(own, low, high)
end

-- save() -> four numbers, from which load goes on.
function Random:save()
    local words = generator(self, "save").words
    return {words[0], words[1], words[2], words[3]}
end

function Random:load(saved)
    local own = generator(self, "load")
    check.value("load", "saved", saved, "table")
    local words, any = {}, false
    for i = 1, 4 do
        local word = saved[i]
        if type(word) ~= "number" or math.floor(word) ~= word or word < 0 or word >= 2 ^ 32 then
            misuse("load", "saved[%d] is %s, not a word of a generator", i, describe(word))
        end
        words[i], any = word, any or word ~= 0
    end
    if not any then
        misuse("load", "all words are 0, which no generator has")
    end
    for i = 1, 4 do
        own.words[i - 1] = words[i]
    end
end

-- newRandom(seed): a generator that belongs to no world.
function game.newRandom(seed)
    if type(seed) ~= "number" or math.floor(seed) ~= seed or seed < -2 ^ 31 or seed >= 2 ^ 32 then
        misuse("newRandom", "seed must be a whole number of 32 bits, not %s", describe(seed))
    end
    local own = ffi.new("firn_random")
    fast.random_start(own, seed >= 2 ^ 31 and seed - 2 ^ 32 or seed)
    return setmetatable({generator = own}, Random)
end

local streamType = ffi.typeof("firn_random *")

-- random(name): the world's stream of that name, which is saved with it.
function World:random(name)
    fastOf(self, "random")
    local stream = self.streams[name]
    if not stream then
        stream = setmetatable({
            world = self,
            generator = ffi.cast(streamType, core.random_stream(self.core, name)),
        }, Random)
        self.streams[name] = stream
    end
    return stream
end

-- seed([n]) -> the world's seed; setting it starts all its streams again.
function World:seed(seed)
    fastOf(self, "seed")
    return core.seed(self.core, seed)
end

return game
