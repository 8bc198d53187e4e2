-- main.lua: the keys, the saves, and what LÖVE calls.
--
--   love examples/love          arrows or WASD: go; P: pause; F5: save; F9: load; Escape: quit
--   love examples/love --script "hold right, wait 60, shot here.png, quit"      (script.lua)
local game = require("world")
local draw = require("draw")

local AUTOSAVE, QUICKSAVE = "autosave.firn", "quicksave.firn"

local world

local function tell(what)
    love.window.setTitle("Snowlings - " .. what)
end

-- LÖVE keeps the files of a game in a folder of its own.
local function pathOf(name)
    return love.filesystem.getSaveDirectory() .. "/" .. name
end

-- The file is replaced whole: if the power fails, there is the old one or the new one.
local function save(name)
    love.filesystem.createDirectory("")
    world:saveSnapshot({path = pathOf(name)})
    tell("saved")
end

-- Returns whether the world is the saved one now. A save that does not load changes nothing.
local function load(name)
    local bytes = love.filesystem.read(name)
    if not bytes then
        tell("nothing is saved")
        return false
    end
    local ok, problem = pcall(world.loadSnapshot, world, bytes)
    tell(ok and "loaded" or tostring(problem))
    return ok
end

function love.load(arguments)
    world = game.new()
    draw(world)
    if not load(AUTOSAVE) then
        os.rename(pathOf(AUTOSAVE), pathOf(AUTOSAVE .. ".bad")) -- if it is there, it stays there
        game.begin(world)
    end
    if arguments[1] == "--script" then
        require("script")(arguments[2], world)
    end
end

function love.update(dt)
    local function down(...)
        return love.keyboard.isDown(...) and 1 or 0
    end
    local input = world.resources.input
    input.x = down("right", "d") - down("left", "a")
    input.y = down("down", "s") - down("up", "w")
    world:step(math.min(dt, 0.1)) -- what a slow moment missed is not made up for
end

function love.draw()
    world:runPhase("Render")
end

function love.keypressed(key)
    if key == "f5" then
        save(QUICKSAVE)
    elseif key == "f9" then
        load(QUICKSAVE)
    elseif key == "p" and world:topState().name == "playing" then
        world:pushState("paused")
    elseif key == "p" then
        world:popState()
    elseif key == "escape" then
        love.event.quit()
    end
end

function love.quit()
    save(AUTOSAVE)
end
