-- script.lua: plays by itself, for tests: "hold right, wait 60, shot here.png, press f5, quit".
-- A step is as long as the world's, whatever the clock says: a script does the same everywhere.
local held = {}

function love.keyboard.isDown(...)
    for _, key in ipairs({...}) do
        if held[key] then
            return true
        end
    end
    return false
end

local COMMANDS = {}

function COMMANDS.hold(key)
    held[key] = true
end

function COMMANDS.release(key)
    held[key] = nil
end

function COMMANDS.press(key)
    love.event.push("keypressed", key, key, false)
    coroutine.yield() -- it comes with the next frame
end

function COMMANDS.wait(steps, world, update)
    for _ = 1, tonumber(steps) do
        update(world:timestep())
    end
end

function COMMANDS.shot(name)
    love.graphics.captureScreenshot(name) -- a file beside the saves
    coroutine.yield()
end

-- Prints the state of the world.
function COMMANDS.print(_, world)
    local score = world.resources.score
    print(("tick %d, state %s, %d entities, %d points, hash %s"):format(world:tick(),
        world:topState().name, world:count(), score.points, (world:hash())))
end

function COMMANDS.quit()
    love.event.quit()
    coroutine.yield()
end

-- Puts a script in the place of the player and of the clock.
return function(script, world)
    local update = love.update
    love.update = coroutine.wrap(function()
        for command, argument in script:gmatch("(%a+) *([^ ,]*)") do
            COMMANDS[command](argument, world, update)
        end
        love.update = update
    end)
    function love.errorhandler(problem)
        io.stderr:write(debug.traceback(tostring(problem), 2), "\n")
        return function()
            return 1
        end
    end
end
