-- firn/checked.lua: columns of debug worlds: each use is checked, where a pointer would read or write
-- what is no longer the column.
local check = require("firn.check")
local misuse, describe = check.fail, check.describe

local checked = {}

-- A column that stands for `rows` as long as the loop stands at this archetype.
function checked.column(loop, defined, rows, writable)
    local name, step, count = defined.__about.name, loop.step, loop.count
    local doing = writable and "columnMut" or "column"
    local function at(i)
        if not loop.open or loop.step ~= step then
            misuse(doing, "the column of '%s' is used after its loop went on", name)
        elseif type(i) ~= "number" or i % 1 ~= 0 or i < 0 or i >= count then
            misuse(doing, "'%s' has no row %s: there are %d", name, describe(i), count)
        end
        return i
    end
    return setmetatable({}, {
        __index = function(_, i)
            return rows[at(i)]
        end,
        __newindex = function(_, i, value)
            if not writable then
                misuse(doing, "the column of '%s' is for reading: use columnMut", name)
            end
            rows[at(i)] = value
        end,
    })
end

return checked
