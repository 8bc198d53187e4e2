-- world.lua: who lives in the snow, and the rules. Nothing here draws, or reads keys or files.
local firn = require("firn")
local components = require("components")
local Position, Velocity, Look = components.Position, components.Velocity, components.Look
local Snowling, Follows, Guests = components.Snowling, components.Follows, components.Guests

local LEFT, RIGHT, TOP, BOTTOM = 30, 770, 200, 420
local NAMES = {"Aput", "Brr", "Flo", "Ilka", "Kari", "Lumi", "Nuk", "Oona", "Pim", "Sila", "Tilo"}

local game = {}

local function spawnSnowling(world, x)
    local random = world:random("spawn") -- a stream of its own, which is saved with the world
    world:spawn(
        Snowling,
        firn.Name(NAMES[random:integer(#NAMES)]),
        Position(x or random:range(LEFT + 250, RIGHT), random:range(TOP, BOTTOM)),
        Velocity(0, 0),
        Look(random:range(0.8, 1.2), random:range(0, 3), random:integer(6)))
end

-- What a new game begins with.
function game.begin(world)
    world:pushState("playing")
    world:spawn(Position(150, 240), Guests(), firn.EntityKey("home"))
    world:spawn(Position(270, 320), Velocity(0, 0), Look(), firn.EntityKey("player"))
    for _ = 1, 12 do
        spawnSnowling(world)
    end
end

-- Those who follow the player, the first one first.
function game.line(world)
    local line, last = {}, world:requireKey("player")
    repeat
        last = world:sources(last, Follows)[1]
        line[#line + 1] = last
    until not last
    return line
end

-- The player goes where the keys say.
local function steer(world)
    local input = world.resources.input
    world:set(world:requireKey("player"), Velocity(input.x * 120, input.y * 80))
end

-- Now and then, a snowling thinks of another way to go, or stops.
local function wander(world)
    local random = world:random("wander")
    for archetype, count in world.resources.free:each() do
        local velocity = archetype:columnMut(Velocity)
        for i = 0, count - 1 do
            if random:integer(90) == 1 then
                local speed = random:integer(0, 2) * 16
                velocity[i].x = random:range(-1, 1) * speed
                velocity[i].y = random:range(-0.5, 0.5) * speed
            end
        end
    end
end

-- Those in the line go after the one before.
local function follow(world)
    local leader = world:get(world:requireKey("player"), Position)
    for _, id in ipairs(game.line(world)) do
        local position, velocity = world:get(id, Position), world:getMut(id, Velocity)
        local dx, dy = leader.x - position.x, leader.y - position.y
        local distance = math.sqrt(dx * dx + dy * dy)
        local speed = math.min(math.max(0, distance - 26) * 5, 140)
        velocity.x, velocity.y = dx / distance * speed, dy / distance * speed
        leader = position
    end
end

local function move(world, dt)
    for archetype, count in world.resources.moving:each() do
        local position, look = archetype:columnMut(Position), archetype:columnMut(Look)
        local velocity = archetype:column(Velocity)
        for i = 0, count - 1 do
            local p, v = position[i], velocity[i]
            p.x = math.min(math.max(LEFT, p.x + v.x * dt), RIGHT)
            p.y = math.min(math.max(TOP, p.y + v.y * dt), BOTTOM)
            look[i]:follow(v, dt)
        end
    end
end

-- Who is touched joins the line. Changes like this wait for the end of the loop.
local function meet(world)
    local player = world:requireKey("player")
    local here, line = world:get(player, Position), game.line(world)
    local last = line[#line] or player
    for archetype, count in world.resources.free:each() do
        local position = archetype:column(Position)
        for i = 0, count - 1 do
            if here:near(position[i], 26) then
                world:relate(archetype:entity(i), Follows, last)
                last = archetype:entity(i)
            end
        end
    end
end

-- At home they go in: the longer the line, the more each of them counts.
local function arrive(world)
    local home, line = world:requireKey("home"), game.line(world)
    local here = world:get(world:requireKey("player"), Position)
    if #line > 0 and here:near(world:get(home, Position), 60) then
        local guests, score = world:getMut(home, Guests), world.resources.score
        for place, id in ipairs(line) do
            table.insert(guests.names, world:get(id, firn.Name))
            score.points = score.points + place
            world:despawn(id)
            spawnSnowling(world, RIGHT)
        end
        score.longest = math.max(score.longest, #line)
    end
end

-- A world with the rules, in which nobody lives yet.
function game.new()
    local world = firn.newWorld({name = "snowlings", timestep = 1 / 60})
    world.resources = { -- of the game, and not saved
        input = {x = 0, y = 0},
        score = {points = 0, longest = 0},
        free = world:newQuery({include = {Snowling, Position, Velocity}, exclude = {Follows}}),
        moving = world:newQuery({include = {Position, Velocity, Look}}),
    }
    world:createState("playing")
    world:createState("paused")
    local function system(phase, run)
        world:addSystem({phase = phase, state = "playing", run = run})
    end
    system("FixedPreUpdate", steer)
    system("FixedPreUpdate", wander)
    system("FixedPreUpdate", follow)
    system("FixedUpdate", move)
    system("FixedPostUpdate", meet)
    system("FixedPostUpdate", arrive)
    world:addSnapshotHandler({ -- but the score is, by this
        name = "score",
        save = function() return world.resources.score end,
        load = function(_, score) world.resources.score = score end,
    })
    return world
end

return game
