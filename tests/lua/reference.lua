-- reference.lua: each block of docs/lua-reference.md, docs/lua-game.md, docs/lua-saves.md and
-- docs/lua-script.md is a test: a chunk of its own, in which `firn` is there.
local blocks = require("blocks")
local firn = require("firn")

local test = {}

for _, name in ipairs({"lua-reference.md", "lua-game.md", "lua-saves.md", "lua-script.md"}) do
    blocks.read(name, function(heading, line, lines)
        local chunk = blocks.compile(name, line, lines)
        test[("%s: %s, line %d"):format(name, heading, line)] = function()
            setfenv(chunk, setmetatable({firn = firn}, {__index = _G}))()
        end
    end, function() end)
end

return test
