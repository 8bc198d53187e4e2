-- scenery.lua: what stays as it is: the sky, the hills, the snow. Drawn once, into a canvas.
local pictures = require("pictures")

local WIDTH, HEIGHT, HORIZON = 800, 450, 170

local function gradient(y, bottom, upper, lower)
    local mesh = love.graphics.newMesh({
        {0, y, 0, 0, unpack(upper)}, {WIDTH, y, 0, 0, unpack(upper)},
        {WIDTH, bottom, 0, 0, unpack(lower)}, {0, bottom, 0, 0, unpack(lower)},
    }, "fan", "static")
    love.graphics.setColor(1, 1, 1)
    love.graphics.draw(mesh)
end

local function stars(random)
    for _ = 1, 160 do
        local x, y, radius = random:random(WIDTH), random:random(HORIZON), 0.4 + random:random()
        love.graphics.setColor(1, 1, 1, 0.2 + 0.7 * random:random())
        love.graphics.circle("fill", x, y, radius)
    end
end

local function moon(x, y)
    pictures.glow(x, y, 110, 0.65, 0.75, 1, 0.55)
    love.graphics.setColor(0.97, 0.96, 0.9)
    love.graphics.circle("fill", x, y, 24, 64)
    love.graphics.setColor(0.88, 0.88, 0.86)
    love.graphics.circle("fill", x - 8, y - 5, 5)
    love.graphics.circle("fill", x + 7, y + 6, 7)
    love.graphics.circle("fill", x + 6, y - 11, 3)
end

-- A ridge of hills, as high as the sum of two waves.
local function hills(y, height, length, shift, upper, lower)
    local strip = {}
    for x = 0, WIDTH, 8 do
        local top = y - height * (1 + math.sin((x + shift) / length) * 0.6
            + math.sin((x - shift) / length * 2.7) * 0.25)
        strip[#strip + 1] = {x, top, 0, 0, unpack(upper)}
        strip[#strip + 1] = {x, HORIZON + 22, 0, 0, unpack(lower)}
    end
    love.graphics.setColor(1, 1, 1)
    love.graphics.draw(love.graphics.newMesh(strip, "strip", "static"))
end

local function pine(x, y, size)
    love.graphics.setColor(0.16, 0.13, 0.16)
    love.graphics.rectangle("fill", x - size / 16, y - size * 0.2, size / 8, size * 0.2)
    for i = 0, 2 do
        local width, top = size * (0.34 - i * 0.08), y - size * (0.5 + i * 0.24)
        local bottom = top + size * 0.36
        love.graphics.setColor(0.08, 0.15, 0.22)
        love.graphics.polygon("fill", x, top, x - width, bottom, x + width, bottom)
        love.graphics.setColor(0.60, 0.69, 0.86)
        love.graphics.polygon("fill", x, top, x - width * 0.55, top + size * 0.2,
            x - width * 0.1, top + size * 0.15, x + width * 0.2, top + size * 0.2,
            x + width * 0.3, top + size * 0.11)
    end
end

local function pines(random)
    local trees = {}
    for i = 1, 34 do
        trees[i] = {x = random:random(WIDTH), y = HORIZON + 4 + 18 * random:random()}
    end
    table.sort(trees, function(a, b) return a.y < b.y end)
    for _, tree in ipairs(trees) do
        pine(tree.x, tree.y, 26 + (tree.y - HORIZON) * 1.6 + 8 * random:random())
    end
end

-- Flat drifts, lighter above than below.
local function drifts(random)
    for _ = 1, 46 do
        local depth = random:random()
        local y = HORIZON + 40 + 240 * depth * depth
        local x, width = random:random(WIDTH), (y - HORIZON) * (0.3 + random:random())
        love.graphics.setColor(0.28, 0.36, 0.60, 0.22)
        love.graphics.ellipse("fill", x, y + 2, width, width * 0.05)
        love.graphics.setColor(0.85, 0.90, 1, 0.16)
        love.graphics.ellipse("fill", x - width * 0.1, y, width * 0.9, width * 0.04)
    end
end

local function canvasOf(paint)
    local canvas = love.graphics.newCanvas(WIDTH, HEIGHT, {msaa = 4})
    canvas:renderTo(paint)
    return canvas
end

-- Two canvases: the sky, and the land in front of it.
return function()
    local random = love.math.newRandomGenerator(7) -- of the picture only: the game has streams
    return canvasOf(function()
        gradient(0, HORIZON + 20, {0.03, 0.05, 0.14}, {0.30, 0.34, 0.54})
        stars(random)
        moon(655, 66)
    end), canvasOf(function()
        hills(HORIZON - 12, 46, 118, 40, {0.36, 0.42, 0.62}, {0.26, 0.32, 0.52})
        hills(HORIZON, 26, 76, 300, {0.45, 0.52, 0.72}, {0.36, 0.43, 0.64})
        gradient(HORIZON + 8, HEIGHT, {0.38, 0.46, 0.68}, {0.56, 0.64, 0.82})
        drifts(random)
        pines(random)
    end)
end
