-- docs.lua: each ```lua block of docs/lua.md is a test: a chunk of its own, in which `firn` is there.
local firn = require("firn")

local file = os.getenv("FIRN_TEST_DATA") .. "/../../docs/lua.md"

local test = {}

-- As many empty lines as stand above a block: errors then name the line of the document.
local function add_block(name, line, lines)
    local source = ("\n"):rep(line) .. table.concat(lines, "\n")
    local chunk = assert(loadstring(source, "@docs/lua.md"))
    test[("%s, line %d"):format(name, line)] = function()
        setfenv(chunk, setmetatable({firn = firn}, {__index = _G}))()
    end
end

local heading, block, from, at = "", nil, 0, 0
for line in io.lines(file) do
    at = at + 1
    if block and line == "```" then
        add_block(heading, from, block)
        block = nil
    elseif block then
        block[#block + 1] = line
    elseif line == "```lua" then
        block, from = {}, at
    else
        heading = line:match("^#+ (.*)") or heading
    end
end
assert(not block, "the last block has no end")

return test
