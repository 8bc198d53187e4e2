-- dungeon.lua: a dungeon of three rooms: what a save of persisted entities brings back, and what keeps
-- running. examples/11_dungeon.c tells the same story in C.
--
--   luajit examples/dungeon/dungeon.lua
local firn = require("firn")

local Open = firn.newScalar({name = "Open", type = "boolean"}) -- of doors and chests
local Life = firn.newScalar({name = "Life", type = "number"}) -- of who fights
local Rooms = firn.newScalar({name = "Rooms", type = "number"}) -- of the bat, which counts those that it sees

local world = firn.newWorld({name = "dungeon"})
local saves

local function say(text, ...)
    print(text:format(...))
end

-- ---------------------------------------------------------------- the rooms

-- The scene files: things by their ids. A door needs a key and leads to a room, a chest holds something.
local ROOMS = {
    hall = {{name = "hermit"}, {name = "key"}, {name = "door", needs = "key", leads = "crypt"}},
    crypt = {{name = "ghoul"}, {name = "chest", holds = "seal"}, {name = "gate", needs = "seal", leads = "vault"}},
    vault = {{name = "coffer", holds = "crown"}},
}

local function the(name)
    return world:findKey(name)
end

local function makeThing(thing, done)
    local entity = world:spawn(firn.EntityKey(thing.name), firn.Persist)
    if thing.leads or thing.holds then
        world:set(entity, Open(done))
    elseif thing.name == "ghoul" then
        world:set(entity, Life(2))
        world:setMachine(entity, "ghoul", "roams")
    end
    return entity
end

-- Makes a room from its scene file, and tells the manager which entity is which. What was done on an
-- earlier visit is in variables; on the way to a save it does not count, as that has all of it.
local function enter(room, forRestore)
    local entities = {}
    saves:leave() -- all end but who is carried
    for id, thing in ipairs(ROOMS[room]) do
        local done = not forRestore and saves:variable(thing.name) or false
        if not done or thing.leads or thing.holds then
            entities[id] = makeThing(thing, done)
        end
    end
    world:set(the("bat"), Rooms(world:get(the("bat"), Rooms) + 1))
    saves:scene(room, entities)
end

-- ---------------------------------------------------------------- script

-- The hermit's candle burns wherever the player is.
world:addSequence("hermit", {
    burn = function(_, call)
        local inches = saves:variable("candle") - 1
        say("  [The candle burns down to %d inches.]", inches)
        saves:variable("candle", inches)
        if inches == 0 then
            world:endScriptItem(call.number)
        end
    end,
})

-- The ghoul walks about; when it has come to the player it bites.
world:addSequence("ghoul", {
    roams = function()
        local places = {"the altar", "a grave", "you"}
        local place = places[world:random("ghoul"):integer(1, 3)]
        say("  The ghoul comes to %s.", place)
        return place == "you" and "bites" or nil
    end,
    bites = function()
        local life = world:get(the("player"), Life) - 1
        world:set(the("player"), Life(life))
        say("  It bites: you have %d lives.", life)
        return "roams"
    end,
})

-- ---------------------------------------------------------------- commands

local function has(thing)
    return world:variable(the("player"), thing)
end

local function take(thing)
    world:variable(the("player"), thing, true)
    say("  You have the %s.", thing)
    if the(thing) then
        saves:variable(thing, true)
        world:despawn(the(thing))
    end
end

local function open(name)
    for _, thing in ipairs(ROOMS[saves:sceneName()]) do
        if thing.name == name and thing.needs and not has(thing.needs) then
            return say("  It is locked.")
        elseif thing.name == name then
            world:set(the(name), Open(true))
            saves:variable(name, true)
            say("  The %s is open.", name)
            if thing.holds then
                take(thing.holds)
            end
        end
    end
end

local function hit(name)
    local life = world:get(the(name), Life) - 1
    world:set(the(name), Life(life))
    say("  You hit the %s%s.", name, life > 0 and "" or ", and it dies")
    if life == 0 then
        saves:variable(name, true)
        world:despawn(the(name))
    end
end

local function talk()
    if has("crown") then
        return say("  \"The crown! And my candle still burns.\"")
    end
    saves:variable("candle", 6)
    world:startTimer({sequence = "hermit", step = "burn", delay = 4, period = 4})
    say("  \"Bring me the crown before my candle has burnt down.\"")
end

local function look()
    local seen = {("  The %s."):format(saves:sceneName())}
    for _, thing in ipairs(ROOMS[saves:sceneName()]) do
        local entity = the(thing.name)
        local opened = entity and world:get(entity, Open)
        local how = opened == nil and "" or opened and ", open" or ", closed"
        seen[#seen + 1] = entity and ("A %s%s."):format(thing.name, how)
    end
    say("%s The bat counts %d.", table.concat(seen, " "), world:get(the("bat"), Rooms))
end

local function go(room)
    for _, thing in ipairs(ROOMS[saves:sceneName()] or {}) do
        if thing.leads == room and not world:get(the(thing.name), Open) then
            return say("  The %s is closed.", thing.name)
        end
    end
    saves:enter(room)
    look()
end

local COMMANDS = {
    ["talk to"] = talk, take = take, open = open, hit = hit, ["go to"] = go, wait = function() end,
    ["save in"] = function(slot)
        saves:requestSave(slot)
    end,
    load = function(slot)
        saves:requestLoad(slot)
    end,
}

-- A command, and the tick that it takes; saves and loads are done at its end.
local function play(verb, noun)
    say("> %s %s", verb, noun)
    COMMANDS[verb](noun)
    world:tick(world:tick() + 1)
    world:runScript()
    saves:endTick(1)
    if verb == "load" then
        look()
    end
end

-- ---------------------------------------------------------------- the game

-- Both come along into every room. The player is saved; the bat just flies on, whatever is loaded.
world:spawn(firn.EntityKey("player"), Life(5), firn.Carry, firn.Persist({id = "player", spawned = true}))
world:spawn(firn.EntityKey("bat"), Rooms(0), firn.Carry)
saves = firn.saves.open(world, {
    game = "dungeon",
    kind = "persisted",
    storage = firn.saves.memory(), -- a game: firn.saves.folder
    levels = {enter = enter},
})

go("hall")
for _, line in ipairs({
    {"talk to", "hermit"}, {"open", "door"}, {"take", "key"}, {"open", "door"},
    {"go to", "crypt"}, {"wait", "a while"}, {"hit", "ghoul"}, {"hit", "ghoul"},
    {"open", "chest"}, {"save in", "camp"}, {"open", "gate"}, {"go to", "vault"},
    {"open", "coffer"}, {"load", "camp"}, {"open", "gate"}, {"go to", "vault"},
    {"open", "coffer"}, {"go to", "crypt"}, {"go to", "hall"}, {"talk to", "hermit"},
}) do
    play(line[1], line[2])
end
saves:close()
