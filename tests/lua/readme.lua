-- readme.lua README.md: runs the first block of Lua in it, which prints what its `-->` say.
local file = assert(io.open(arg[1]))
local block = assert(file:read("*a"):match("\n```lua\n(.-)\n```\n"), "README.md has no block of Lua")
file:close()

local expected = {}
for line in block:gmatch("%-%->%s*([^\n]+)") do
    expected[#expected + 1] = line
end
assert(#expected > 0, "the Lua of README.md prints nothing")

local printed = {}
local environment = setmetatable({}, {__index = _G})
function environment.print(...)
    local words = {}
    for i = 1, select("#", ...) do
        words[i] = tostring((select(i, ...)))
    end
    printed[#printed + 1] = table.concat(words, " ")
end
setfenv(assert(loadstring(block, "@README.md")), environment)()
assert(table.concat(printed, "\n") == table.concat(expected, "\n"), table.concat(printed, "\n"))
os.remove("fox.firn")
