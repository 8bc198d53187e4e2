-- adventure.lua: a text adventure that is saved after every command, and goes on where it was.
--
--   luajit examples/adventure/adventure.lua [FOLDER]       FOLDER: for the saves; else the player's own
local firn = require("firn")

-- ---------------------------------------------------------------- the story, which is not saved

local ROOMS = {
    hall = {"A hall. A draught comes up the stairs.", {north = "garden", up = "attic", down = "cellar"}},
    garden = {"A garden, overgrown. A bed of roses.", {south = "hall"}},
    attic = {"An attic, full of dust.", {down = "hall"}},
    cellar = {"A cellar with a vaulted roof.", {up = "hall"}},
}
local THINGS = {lamp = "attic", key = "garden", chest = "cellar"}

-- ---------------------------------------------------------------- the world, which is

local In = firn.newRelationship({name = "adventure.In", exclusive = true, reverse = true})
local Opened = firn.newTag({name = "adventure.Opened"})

local world = firn.newWorld({name = "adventure"})
local saves = firn.saves.open(world, {
    game = "firn-adventure",
    storage = firn.saves.folder(arg[1] and {path = arg[1]} or {game = "firn-adventure"}),
})

-- Entities have keys: these find them again, whatever a load brought.
local function the(key)
    return world:findKey(key)
end

local function place(of)
    return world:get(world:target(the(of), In), firn.EntityKey)
end

local function newGame()
    for room in pairs(ROOMS) do
        world:spawn(firn.EntityKey(room))
    end
    world:spawn(firn.EntityKey("player"), In(the("hall")))
    for thing, room in pairs(THINGS) do
        world:spawn(firn.EntityKey(thing), In(the(room)))
    end
    saves:variable("score", 0)
end

-- ---------------------------------------------------------------- commands

local commands = {}

local function score(points)
    saves:variable("score", saves:variable("score") + points)
end

local function dark()
    return place("player") == "cellar" and place("lamp") ~= "player"
end

function commands.look()
    local here = place("player")
    if dark() then
        return "It is dark. You see nothing but the stairs that go up."
    end
    local lines = {ROOMS[here][1]}
    for _, thing in ipairs({"lamp", "key", "chest"}) do
        local where = place(thing)
        lines[#lines + 1] = where == here and "There is a " .. thing .. "." or nil
        lines[#lines + 1] = where == "player" and "You have the " .. thing .. "." or nil
    end
    return table.concat(lines, " ")
end

function commands.go(direction)
    local room = ROOMS[place("player")][2][direction]
    if not room then
        return "There is no way."
    end
    world:relate(the("player"), In, the(room))
    return commands.look()
end

function commands.take(thing)
    if not THINGS[thing] or place(thing) ~= place("player") or dark() then
        return "There is none."
    elseif thing == "chest" then
        return "It is too heavy."
    end
    world:relate(the(thing), In, the("player"))
    score(10)
    return "Taken."
end

function commands.open(thing)
    if thing ~= "chest" or place("chest") ~= place("player") or dark() then
        return "Open what?"
    elseif world:has(the("chest"), Opened) then
        return "It is open, and empty."
    elseif place("key") ~= "player" then
        return "It is locked."
    end
    world:add(the("chest"), Opened)
    score(50)
    return "The key turns. Gold!"
end

function commands.save()
    saves:requestSave("quicksave", {meta = {room = place("player")}})
    return "Saved."
end

function commands.load()
    return saves:requestLoad("quicksave") and "Loaded." or "Nothing is saved."
end

-- ---------------------------------------------------------------- the loop

world:observe(0, "save_failed", function(event)
    print("It could not be saved: " .. event.payload.error.message)
end)

local slot = saves:newest()
if slot then
    saves:read(slot)
    print("You wake up where you were.")
else
    newGame()
end
print(commands.look())

local function prompt()
    io.write(("[%s, %d points, move %d] > "):format(place("player"), saves:variable("score"), world:tick()))
    io.flush()
end

prompt()
for line in io.lines() do
    local verb, object = line:lower():match("^%s*(%a+)%s*(%a*)")
    if verb == "quit" then
        break
    end
    local command = commands[verb]
    world:tick(world:tick() + 1)
    print(command and command(object) or "You can: go, take, open, look, save, load, quit.")
    saves:endTick(1) -- does what "save" and "load" ask for
    saves:requestSave("autosave")
    saves:endTick(0)
    prompt()
end
saves:close()
