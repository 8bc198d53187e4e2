-- firn/diff.lua: what differs in two worlds or saves.
local check = require("firn.check")
local core = require("firn.api").core
local snapshot = require("firn.snapshot")
local World = require("firn.world")

local diff = {}

local OPTIONS = {
    components = "table", exclude = "table", tolerance = "number", entitiesOnly = "boolean",
    limit = "number", limits = "any", format = "string",
}

--- Whether the option `format` is "text", and not "table".
function diff.isText(doing, format)
    if format ~= nil and format ~= "table" and format ~= "text" then
        check.fail(doing, "option 'format': it is \"table\" or \"text\", not %s", check.describe(format))
    end
    return format == "text"
end

--- The option `tolerance`, a number from 0 on.
function diff.tolerance(doing, tolerance)
    if tolerance ~= nil and not (tolerance >= 0) then
        check.fail(doing, "option 'tolerance': a number from 0 on is wanted, not %s",
            check.describe(tolerance))
    end
    return tolerance
end

-- Components, or their names, as names.
local function namesOf(option, list)
    local names = {}
    for i, one in ipairs(check.list("diff", option, list)) do
        local about = type(one) == "table" and rawget(one, "__about")
        local name = about and about.name or one
        names[i] = check.value("diff", ("%s[%d]"):format(option, i), name, "string")
        if name:find("%z") then
            check.fail("diff", "%s[%d] has a zero byte in it", option, i)
        end
    end
    return names
end

local function isWorld(source)
    return type(source) == "table" and getmetatable(source) == World
end

-- The bytes of a side; nil for a world.
local function bytesOf(source)
    return not isWorld(source) and snapshot.bytesOf("diff", source) or nil
end

-- The version that bytes are written in; what is wrong with them is told by the comparison.
local function versionOf(bytes, limits)
    local good, prelude = pcall(core.image_check, bytes, limits)
    return good and prelude.version or nil
end

local function save(world, version)
    return tostring(world:saveSnapshot({wireVersion = version, sparseEdges = true}).buffer)
end

--- diff(left, right[, options]) -> tree, or with format = "text" lines: worlds or bytes.
function diff.diff(left, right, options)
    local plain = {}
    for name, value in next, check.anyOptions("diff", options, OPTIONS) do
        plain[name] = value
    end
    local text = diff.isText("diff", plain.format)
    diff.tolerance("diff", plain.tolerance)
    local limit = plain.limit
    if limit ~= nil and not (limit >= 0 and limit % 1 == 0 and limit <= 2^53) then
        check.fail("diff", "option 'limit': a whole number from 0 on is wanted, not %s",
            check.describe(limit))
    end
    for _, option in ipairs({"components", "exclude"}) do
        plain[option] = plain[option] and namesOf(option, plain[option])
    end
    local a, b = bytesOf(left), bytesOf(right)
    a = a or save(left, b and versionOf(b, plain.limits))
    return core.diff(a, b or save(right, versionOf(a, plain.limits)), plain, text)
end

return diff
