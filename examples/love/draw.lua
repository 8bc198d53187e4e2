-- draw.lua: shows a world. All of it comes from what is saved, time from the tick: a world that was
-- loaded looks like the one before.
local firn = require("firn")
local components = require("components")
local game = require("world")
local pictures = require("pictures")
local newScenery = require("scenery")
local Position, Look, Guests = components.Position, components.Look, components.Guests

local graphics = love.graphics

-- Curtains of green light, high up.
local function aurora(tick)
    for x = 0, 800, 16 do
        local wave = math.sin(x / 90 + tick / 160) + math.sin(x / 37 - tick / 210)
        local strength = 0.10 + 0.05 * math.sin(x / 130 - tick / 120)
        pictures.glow(x, 58 + wave * 12, 46, 0.25, 0.95, 0.65, strength)
        pictures.glow(x, 40 + wave * 14, 34, 0.45, 0.35, 0.95, strength * 0.8)
    end
end

local function flakes(tick)
    for i = 1, 150 do
        local depth = 0.4 + i % 7 / 10
        local x = (i * 197 + math.sin(tick / 70 + i) * 14 - tick * 0.3 * depth) % 800
        local y = (i * 331 + tick * depth) % 450
        graphics.setColor(1, 1, 1, 0.35 + depth * 0.4)
        graphics.circle("fill", x, y, 0.7 + depth * 1.1)
    end
end

-- One picture, smaller when it is further away.
local function place(position, look, picture, ...)
    local size = 0.75 + (position.y - 200) / 500
    graphics.push()
    graphics.translate(position.x, position.y)
    graphics.scale(look and look.left and -size or size, size)
    if look then
        graphics.scale(look.size, look.size)
    end
    picture(...)
    graphics.pop()
end

-- Those in the snow, the furthest first.
local function creatures(things, player)
    local list = {}
    for archetype, count in things:each() do
        local position, look = archetype:column(Position), archetype:column(Look)
        for i = 0, count - 1 do
            list[#list + 1] = {id = archetype:entity(i), position = position[i], look = look[i]}
        end
    end
    table.sort(list, function(a, b)
        return a.position.y < b.position.y or a.position.y == b.position.y and a.id < b.id
    end)
    for _, one in ipairs(list) do
        local picture = one.id == player and pictures.player or pictures.snowling
        place(one.position, one.look, picture, one.look.hop, one.look.hat)
    end
end

-- What the lantern and the fire at home shine on.
local function lights(here, house, tick)
    local flicker = 1 + 0.06 * math.sin(tick / 7) * math.sin(tick / 19)
    pictures.glow(house.x + 24, house.y + 6, 120 * flicker, 1, 0.55, 0.20, 0.50)
    pictures.glow(here.x + 8, here.y - 4, 110 * flicker, 1, 0.65, 0.28, 0.50)
end

local function text(words, x, y, align)
    graphics.setColor(0.06, 0.08, 0.20, 0.55)
    graphics.printf(words, x + 1, y + 1, 780 - x, align)
    graphics.setColor(1, 1, 1)
    graphics.printf(words, x, y, 780 - x, align)
end

local function numbers(world, guests)
    local score, line, names = world.resources.score, game.line(world), {}
    for i, id in ipairs(line) do
        names[i] = world:get(id, firn.Name)
    end
    text(("%d points   longest line %d   %d at home"):format(score.points, score.longest,
        #guests.names), 20, 14, "left")
    text(#names > 0 and table.concat(names, ", ") or "take the snowlings home", 20, 424, "left")
    text("P pause   F5 save   F9 load", 20, 424, "right")
end

local function pause()
    graphics.setColor(0.04, 0.06, 0.16, 0.6)
    graphics.rectangle("fill", 0, 0, 800, 450)
    graphics.setColor(1, 1, 1)
    graphics.printf("the snowlings wait", 0, 205, 800, "center")
end

-- Adds the drawing to a world, as a system of a phase that steps pass over: love.draw runs it.
return function(world)
    local sky, land = newScenery()
    local things = world:newQuery({include = {Position, Look}})
    graphics.setNewFont(15):setFilter("nearest") -- no glyph bleeds into another
    world:addSystem({phase = "Render", run = function()
        local player, home = world:requireKey("player"), world:requireKey("home")
        local here, house = world:get(player, Position), world:get(home, Position)
        local guests, tick = world:get(home, Guests), world:tick()
        graphics.setColor(1, 1, 1)
        graphics.draw(sky)
        aurora(tick)
        graphics.setColor(1, 1, 1)
        graphics.draw(land)
        place(house, nil, pictures.home, guests, tick)
        lights(here, house, tick)
        creatures(things, player)
        flakes(tick)
        numbers(world, guests)
        if world:topState().name == "paused" then
            pause()
        end
    end})
    world:enablePhase("Render", false)
end
