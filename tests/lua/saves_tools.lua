-- saves_tools.lua: what the tests of save games share.
local firn = require("firn")

local tools = {}

tools.refused = require("refused")

--- The same for an error object with this result.
function tools.fails(result, text, call, ...)
    local problem = tools.refused(text, call, ...)
    assert(type(problem) == "table", tostring(problem))
    assert(problem.result == result, problem.result .. ": " .. tostring(problem))
    return problem
end

--- A world with one entity that has gold, and its manager: `options` beside a memory storage.
function tools.game(options)
    local world = firn.newWorld({name = "caves"})
    local Gold = world:newScalar({name = "Gold", type = "number"})
    local given = {game = "fox", storage = firn.saves.memory()}
    for name, value in pairs(options or {}) do
        given[name] = value
    end
    local saves = firn.saves.open(world, given)
    return saves, world, world:spawn(Gold(1)), Gold
end

--- The entry of a slot in the list, whatever times the clock has given.
function tools.slot(saves, name)
    for _, slot in ipairs(saves:list()) do
        if slot.name == name then
            return slot
        end
    end
end

--- Whether the two or three objects that play(gone, i) enters into `gone`, in 8 rounds, are collected:
--- all but what dead slots of the stack and compiled code still show, which is that of a round or two.
function tools.collected(play)
    local gone = setmetatable({}, {__mode = "k"})
    for i = 1, 8 do
        play(gone, i)
    end
    for _ = 1, 4 do
        collectgarbage()
    end
    local left = 0
    for _ in pairs(gone) do
        left = left + 1
    end
    assert(left <= 6, left .. " are left")
end

--- A storage as a game would write one: {name=, put=, ...}, with backups, and `entries` to look into.
function tools.storage()
    local entries, made = {}, 0
    local own = {name = "a table", entries = entries, calls = {}}

    local function find(name, generation)
        local entry = entries[name]
        return entry and entry[generation]
    end

    local function expects(name, expected)
        local current = find(name, "current")
        if expected == nil then
            return true
        elseif expected == 0 then
            return not current, "FIRN_EXISTS"
        elseif not current then
            return false, "FIRN_NOT_FOUND"
        end
        return current.revision == expected, "FIRN_CONFLICT"
    end

    function own.put(name, bytes, expected)
        local fits, result = expects(name, expected)
        if not fits then
            return nil, result, "it is not what was expected"
        end
        made = made + 1
        local backup = find(name, "current") or find(name, "backup")
        entries[name] = {current = {bytes = bytes, revision = made}, backup = backup}
        return made
    end

    function own.get(name, generation, limit)
        local found = find(name, generation)
        if not found then
            return nil
        elseif #found.bytes > limit then
            return nil, "FIRN_LIMIT", "it is too large"
        end
        return found.bytes, found.revision
    end

    function own.head(name, generation, room)
        local found = find(name, generation)
        if not found then
            return nil, "FIRN_NOT_FOUND"
        end
        return found.bytes:sub(1, room), {size = #found.bytes, revision = found.revision}
    end

    function own.list()
        local list = {}
        for name, entry in pairs(entries) do
            local shown = entry.current or entry.backup
            list[#list + 1] = {name = name, size = #shown.bytes, onlyBackup = not entry.current}
        end
        return list
    end

    function own.remove(name, expected)
        local fits, result = expects(name, expected)
        if not entries[name] then
            return nil, "FIRN_NOT_FOUND"
        elseif not fits then
            return nil, result
        end
        entries[name] = nil
        return true
    end

    local vtable = {}
    for _, name in ipairs({"name", "put", "get", "head", "list", "remove"}) do
        vtable[name] = own[name]
    end
    return vtable, entries
end

return tools
