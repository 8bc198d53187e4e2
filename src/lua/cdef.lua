-- cdef.lua HEADER OUTPUT: makes firn/cdef.lua, the declarations for the FFI, of a preprocessed header.
-- Functions are left out: the FFI reaches them through the table of fast.h only.
local header, output = arg[1], arg[2]
local file = assert(io.open(header))
local text = file:read("*a")
file:close()

-- Statements of the top level, which end at a semicolon outside of braces.
local kept, depth, from = {}, 0, 1
for at, mark in text:gmatch("()([{};])") do
    if mark == "{" then
        depth = depth + 1
    elseif mark == "}" then
        depth = depth - 1
    elseif depth == 0 then
        local statement = text:sub(from, at):gsub("%s+", " "):gsub("^ ", "")
        if statement:find("^typedef") or statement:find("^struct") or statement:find("^enum") then
            kept[#kept + 1] = statement
        end
        from = at + 1
    end
end
assert(depth == 0, "the header has an open brace")
-- A member of firn_value has a name that is a keyword to the FFI.
local declarations = table.concat(kept, "\n"):gsub("%f[%w_]complex;", "complex_parts;")
require("ffi").cdef(declarations) -- or the build fails here

file = assert(io.open(output, "w"))
file:write("-- Made from the headers of firn by cdef.lua.\nreturn [[\n", declarations, "\n]]\n")
file:close()
