-- pictures.lua: what those in the snow look like.
local HATS = {
    {0.86, 0.25, 0.27}, {0.95, 0.62, 0.20}, {0.22, 0.60, 0.52}, {0.36, 0.42, 0.80},
    {0.66, 0.34, 0.66}, {0.90, 0.45, 0.58},
}

local graphics = love.graphics
local pictures = {}

-- A round light, brightest in the middle.
local function newLight()
    local data = love.image.newImageData(128, 128)
    data:mapPixel(function(x, y)
        local distance = math.sqrt((x - 63.5) ^ 2 + (y - 63.5) ^ 2) / 64
        return 1, 1, 1, math.max(0, 1 - distance) ^ 2
    end)
    return graphics.newImage(data)
end

local light

function pictures.glow(x, y, radius, r, g, b, a)
    light = light or newLight()
    graphics.setBlendMode("add")
    graphics.setColor(r, g, b, a)
    graphics.draw(light, x, y, 0, radius / 64, radius / 64, 64, 64)
    graphics.setBlendMode("alpha")
end

local function shadow(width)
    graphics.setColor(0.20, 0.26, 0.48, 0.35)
    graphics.ellipse("fill", 4, 0, width, width * 0.32)
end

local function disc(x, y, radius, r, g, b)
    graphics.setColor(r, g, b)
    graphics.circle("fill", x, y, radius, 32)
end

-- The pictures stand at 0, 0 and look to the right.
function pictures.snowling(hop, hat)
    local lift = -math.abs(math.sin(hop)) * 5
    shadow(13)
    graphics.translate(0, lift)
    disc(0, -9, 11, 0.76, 0.82, 0.94)
    disc(1, -10, 10, 0.95, 0.97, 1)
    disc(1, -24, 8, 0.80, 0.86, 0.96)
    disc(2, -25, 7.2, 0.98, 0.99, 1)
    graphics.setColor(HATS[hat])
    graphics.rectangle("fill", -6, -19.5, 14, 3.5, 1.5)
    graphics.rectangle("fill", -7, -18, 3.5, 9, 1.5)
    graphics.arc("fill", "closed", 1, -28, 7.5, -math.pi, 0)
    disc(0, -36, 2.8, 1, 1, 1)
    disc(4, -25, 1.3, 0.12, 0.13, 0.2)
    disc(8, -25, 1.1, 0.12, 0.13, 0.2)
    graphics.setColor(0.96, 0.55, 0.2)
    graphics.polygon("fill", 7, -24, 14, -22, 7, -21.5)
end

function pictures.player(hop)
    shadow(12)
    graphics.translate(0, -math.abs(math.sin(hop)) * 2)
    graphics.setColor(0.16, 0.14, 0.22)
    graphics.rectangle("fill", -6, -4, 5, 4)
    graphics.rectangle("fill", 2, -4, 5, 4)
    graphics.setColor(0.62, 0.15, 0.20)
    graphics.polygon("fill", -11, -3, -5, -26, 5, -26, 11, -3)
    graphics.setColor(0.75, 0.22, 0.25)
    graphics.polygon("fill", 1, -3, 1, -26, 5, -26, 11, -3)
    graphics.setColor(0.95, 0.95, 0.98)
    graphics.rectangle("fill", -11, -5, 22, 3.5, 1.5)
    disc(0, -30, 8.5, 0.62, 0.15, 0.20)
    disc(2.5, -29.5, 6, 0.97, 0.82, 0.70)
    disc(3, -30, 1.1, 0.12, 0.13, 0.2)
    disc(6.5, -30, 1, 0.12, 0.13, 0.2)
    graphics.setColor(0.25, 0.18, 0.16)
    graphics.setLineWidth(1.5)
    graphics.line(8, -17, 16, -20, 16, -15)
    disc(16, -11.5, 4, 1, 0.86, 0.45)
    pictures.glow(16, -11.5, 26, 1, 0.75, 0.35, 0.6)
end

-- A half circle that stands on the ground.
local function dome(x, radius, r, g, b)
    graphics.setColor(r, g, b)
    graphics.arc("fill", "closed", x, 0, radius, -math.pi, 0, 64)
end

function pictures.home(guests, tick)
    graphics.setColor(0.14, 0.19, 0.40, 0.35)
    graphics.ellipse("fill", 8, 2, 68, 14)
    dome(0, 58, 0.70, 0.77, 0.92)
    dome(-2, 55, 0.86, 0.91, 0.99)
    graphics.setColor(0.60, 0.68, 0.86)
    graphics.setLineWidth(1.2)
    for row = 1, 4 do
        local y = -row * 11.5
        local half = math.sqrt(56 ^ 2 - y * y)
        graphics.line(-half, y, half, y)
        for x = -half + row % 2 * 11 + 8, half - 4, 22 do
            graphics.line(x, y, x, y + 11.5)
        end
    end
    local flicker = 0.92 + 0.08 * math.sin(tick / 9) * math.sin(tick / 23)
    dome(21, 27, 0.60, 0.68, 0.87)
    dome(21, 24, 0.95, 0.97, 1)
    dome(23, 18, 0.80 * flicker, 0.42 * flicker, 0.16)
    dome(23, 12, 1 * flicker, 0.70 * flicker, 0.30)
    for i = 1, math.min(#guests.names, 3) do -- they look out
        disc(5 + i * 9, -4 - i % 2 * 2, 4.5, 0.98, 0.99, 1)
        disc(4 + i * 9, -5 - i % 2 * 2, 0.9, 0.12, 0.13, 0.2)
        disc(7 + i * 9, -5 - i % 2 * 2, 0.9, 0.12, 0.13, 0.2)
    end
end

return pictures
