-- firn/script.lua: script state: clocks, events that are due later, timers, waits, state machines and
-- sequences. A sequence is a table of named steps; saves hold names.
local api = require("firn.api")
local check = require("firn.check")
local World = require("firn.world")
require("firn.entity")
require("firn.game")
local core, misuse, describe = api.core, check.fail, check.describe
local fastOf, settle = World.fastOf, World.settle

-- ---------------------------------------------------------------- cursors

local Cursor = {}
Cursor.__index = Cursor

local function cursorOf(world, number)
    return number and setmetatable({world = world, number = number}, Cursor)
end

local function entered(cursor, doing)
    fastOf(cursor.world, doing)
    return cursor.world.core, cursor.number
end

-- go(step): goes on to another step, which runs from the next run on.
function Cursor:go(step)
    local own, number = entered(self, "go")
    core.cursor_go(own, number, step)
end

local WAIT_OPTIONS = {event = "string", delay = "number", clock = "string"}

-- wait{event=, delay=, clock=}: its step does not run before the event comes or the time has come.
function Cursor:wait(options)
    local own, number = entered(self, "wait")
    options = check.options("wait", options, WAIT_OPTIONS)
    core.cursor_wait(own, number, options.event, options.delay or 0, options.clock)
end

-- track(value): its step does not run before the value, which no save holds, is done.
function Cursor:track(value)
    local own, number = entered(self, "track")
    if value == nil then
        misuse("track", "there is no value")
    end
    core.cursor_track(own, number, value)
end

-- done(value) -> whether it is what the cursor tracked; its step then runs in the next run.
function Cursor:done(value)
    local own, number = entered(self, "done")
    return core.cursor_done(own, number, value)
end

-- isPending() -> whether it tracks something that is not done.
function Cursor:isPending()
    return core.cursor_pending(entered(self, "isPending"))
end

-- tracked() -> what it tracks, done or not, or nil
function Cursor:tracked()
    return core.cursor_tracked(entered(self, "tracked"))
end

-- finish(): the cursor ends.
function Cursor:finish()
    local own, number = entered(self, "finish")
    core.script_end(own, number, "finish")
end

-- ---------------------------------------------------------------- sequences

-- What a step returns says where its cursor or machine goes on: the name of a step, or false: it ends.
local function follow(world, call, result)
    if result == nil then
        return
    elseif call.kind ~= "cursor" and call.kind ~= "machine" then
        misuse("step", "the step '%s' of a%s %s returned %s: only those of cursors and machines go on",
            call.step, call.kind == "event" and "n" or "", call.kind, describe(result))
    elseif result == false then
        core.script_end(world.core, call.number, "step")
    elseif type(result) ~= "string" then
        misuse("step", "the step '%s' returned %s, not the name of a step, nor false", call.step,
            describe(result))
    elseif call.kind == "cursor" then
        core.cursor_go(world.core, call.number, result)
    else
        core.machine_set(world.core, call.entity, call.sequence, result)
    end
end

local function stepNames(doing, steps)
    check.value(doing, "steps", steps, "table")
    local names = {}
    for name, step in next, steps do
        if type(name) ~= "string" then
            misuse(doing, "steps: %s is no name of a step", describe(name))
        elseif type(step) ~= "function" and step ~= true then
            misuse(doing, "the step '%s' is %s, not a function, nor true", name, describe(step))
        end
        names[#names + 1] = name
    end
    -- Cursors begin at `start`, if there is one.
    table.sort(names, function(a, b)
        if (a == "start") ~= (b == "start") then
            return a == "start"
        end
        return a < b
    end)
    return names
end

-- addSequence(name, {start = function(world, call) end, ...}): steps by name; true is one in which
-- nothing is done.
function World:addSequence(name, steps)
    local doing = "addSequence"
    fastOf(self, doing)
    local names, runs, does = stepNames(doing, steps), {}, {}
    for _, step in ipairs(names) do
        runs[step], does[step] = steps[step], steps[step] ~= true
    end
    local world = self
    core.provider_add(self.core, name, names, does, function(call)
        call.cursor = call.kind == "cursor" and cursorOf(world, call.number) or nil
        follow(world, call, (runs[call.step](world, call)))
        settle(world, "step")
    end)
    self:remember(function(other)
        other:addSequence(name, steps)
    end)
end

-- listen(event, sequence, step): the step hears all events of that name.
function World:listen(event, sequence, step)
    fastOf(self, "listen")
    core.script_listen(self.core, event, sequence, step)
    self:remember(function(other)
        other:listen(event, sequence, step)
    end)
end

-- runScript(): runs what is due; to be called once in every fixed step.
function World:runScript()
    settle(self, "runScript")
    core.script_run(self.core)
end

-- addScriptSystem([phase]) -> the system that does it, in FixedFirst or in another phase
function World:addScriptSystem(phase)
    fastOf(self, "addScriptSystem")
    return self:addSystem({
        name = "firn.script", phase = phase or "FixedFirst", run = self.runScript,
    })
end

-- ticksOf(seconds) -> ticks, a whole number
function World:ticksOf(seconds)
    fastOf(self, "ticksOf")
    return core.script_ticks(self.core, seconds)
end

-- ---------------------------------------------------------------- clocks

-- addClock(name): it runs from 0.
function World:addClock(name)
    fastOf(self, "addClock")
    core.clock_add(self.core, name)
end

function World:removeClock(name)
    fastOf(self, "removeClock")
    core.clock_remove(self.core, name)
end

local CLOCK_OPTIONS = {scale = "number", paused = "boolean", ticks = "number"}

-- setClock(name, {scale=, paused=, ticks=})
function World:setClock(name, options)
    fastOf(self, "setClock")
    options = check.options("setClock", options, CLOCK_OPTIONS)
    core.clock_change(self.core, name, options.scale, options.paused, options.ticks)
end

-- clock(name) -> {ticks=, seconds=, scale=, paused=}, or nil
function World:clock(name)
    fastOf(self, "clock")
    return core.clock_read(self.core, name)
end

-- clocks() -> names, in their order
function World:clocks()
    fastOf(self, "clocks")
    return core.clock_names(self.core)
end

-- ---------------------------------------------------------------- items

local function optionalEntity(doing, entity)
    return entity and World.checkEntity(doing, entity)
end

local SEND_OPTIONS = {entity = "number", delay = "number", payload = "any"}

-- send(event[, {entity=, delay=, payload=}]) -> number
function World:send(event, options)
    local doing = "send"
    fastOf(self, doing)
    options = check.anyOptions(doing, options, SEND_OPTIONS)
    return core.script_send(self.core, event, optionalEntity(doing, options.entity),
        options.delay or 0, options.payload)
end

local TIMER_OPTIONS = {
    sequence = "string", step = "string", entity = "number", delay = "number", period = "number",
    clock = "string",
}

-- startTimer{sequence=, step=, entity=, delay=, period=, clock=} -> number
function World:startTimer(options)
    local doing = "startTimer"
    fastOf(self, doing)
    options = check.options(doing, options, TIMER_OPTIONS)
    return core.timer_start(self.core, options.sequence, options.step,
        optionalEntity(doing, options.entity), options.delay or 0, options.period or 0, options.clock)
end

local START_WAIT_OPTIONS = {
    sequence = "string", step = "string", entity = "number", event = "string", delay = "number",
    clock = "string",
}

-- startWait{sequence=, step=, entity=, event=, delay=, clock=} -> number
function World:startWait(options)
    local doing = "startWait"
    fastOf(self, doing)
    options = check.options(doing, options, START_WAIT_OPTIONS)
    return core.wait_start(self.core, options.sequence, options.step,
        optionalEntity(doing, options.entity), options.event, options.delay or 0, options.clock)
end

-- setMachine(entity, sequence, state) -> number: the entity is in that state from now on.
function World:setMachine(entity, sequence, state)
    fastOf(self, "setMachine")
    return core.machine_set(self.core, World.checkEntity("setMachine", entity), sequence, state)
end

-- machine(entity, sequence) -> what scriptItem says of it, or nil
function World:machine(entity, sequence)
    fastOf(self, "machine")
    local number = core.machine_find(self.core, World.checkEntity("machine", entity), sequence)
    return number and core.script_read(self.core, number)
end

local CURSOR_OPTIONS = {sequence = "string", entity = "number", key = "string", step = "string"}

-- startCursor{sequence=, entity=, key=, step=} -> cursor. Without a step it begins at `start`.
function World:startCursor(options)
    local doing = "startCursor"
    fastOf(self, doing)
    options = check.options(doing, options, CURSOR_OPTIONS)
    local number = core.cursor_start(self.core, options.sequence,
        optionalEntity(doing, options.entity), options.key, options.step or "start")
    return cursorOf(self, number)
end

-- cursor(sequence[, entity[, key]]) -> the cursor, or nil
function World:cursor(sequence, entity, key)
    fastOf(self, "cursor")
    local number = core.cursor_find(self.core, sequence, optionalEntity("cursor", entity), key)
    return cursorOf(self, number)
end

-- scriptItem(number) -> what the item is now, or nil: it has ended
function World:scriptItem(number)
    fastOf(self, "scriptItem")
    return core.script_read(self.core, check.value("scriptItem", "number", number, "number"))
end

-- endScriptItem(number)
function World:endScriptItem(number)
    fastOf(self, "endScriptItem")
    core.script_end(self.core, check.value("endScriptItem", "number", number, "number"),
        "endScriptItem")
end

local LIST_OPTIONS = {kind = "string", entity = "number"}

-- scriptItems([{kind=, entity=}]) -> numbers in ascending order
function World:scriptItems(options)
    local doing = "scriptItems"
    fastOf(self, doing)
    options = check.anyOptions(doing, options, LIST_OPTIONS)
    return core.script_list(self.core, options.kind, optionalEntity(doing, options.entity))
end

-- scriptState() -> all of it, as a save holds it; nil when nothing was ever made
function World:scriptState()
    fastOf(self, "scriptState")
    return core.script_value(self.core)
end
