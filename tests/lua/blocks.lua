-- blocks.lua: the ```lua blocks of a document.
local blocks = {}

--- Calls block(heading, line, lines) for each block, and text(line) for each line outside.
function blocks.read(name, block, text)
    local heading, lines, from, at = "", nil, 0, 0
    for line in io.lines(os.getenv("FIRN_TEST_DATA") .. "/../../docs/" .. name) do
        at = at + 1
        if lines and line == "```" then
            block(heading, from, lines)
            lines = nil
        elseif lines then
            lines[#lines + 1] = line
        elseif line == "```lua" then
            lines, from = {}, at
        else
            heading = line:match("^#+ (.*)") or heading
            text(line)
        end
    end
    assert(not lines, "the last block of " .. name .. " has no end")
end

--- Lines as a chunk, whose errors name the line of the document.
function blocks.compile(name, line, lines)
    local source = ("\n"):rep(line) .. table.concat(lines, "\n")
    return assert(loadstring(source, "@docs/" .. name))
end

return blocks
