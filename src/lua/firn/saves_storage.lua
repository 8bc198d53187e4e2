-- firn/saves_storage.lua: where save files are kept: folders, memory, and storages of the game's own.
local api = require("firn.api")
local check = require("firn.check")
local core, misuse = api.core, check.fail

local storage = {}

-- ---------------------------------------------------------------- storages of firn

local FOLDER_OPTIONS = { path = "string", game = "string" }

-- folder{path=} or folder{game=} -> storage: files in one folder, made when it is not there.
function storage.folder(options)
    options = check.options("folder", options, FOLDER_OPTIONS)
    if (options.path == nil) == (options.game == nil) then
        misuse("folder", "one of the options 'path' and 'game' is wanted")
    end
    return core.storage_folder(options.path, options.game)
end

-- memory() -> storage: gone with the program.
function storage.memory()
    return core.storage_memory()
end

-- folderOf(game) -> path: the folder of a game's saves on this system; nothing is made.
function storage.folderOf(game)
    return core.storage_game_folder(check.value("folderOf", "game", game, "string"))
end

-- ---------------------------------------------------------------- storages of the game's own

local STORAGE_OPTIONS = {
    name = "string", put = "function", get = "function", head = "function", list = "function",
    remove = "function",
}

-- What a function of a storage returned, when it is nonsense.
local function wrong(own, what, value)
    error(("the storage %s: %s, not %s"):format(own.name, what, check.describe(value)), 0)
end

local function isCount(value, least)
    return type(value) == "number" and value >= least and value < 2^53 and value % 1 == 0
end

-- A revision: a whole number from 1 on.
local function revisionOf(own, value)
    return isCount(value, 1) and value or wrong(own, "a revision is a whole number from 1 on", value)
end

-- nil, result, why: the call failed. The name of the result and why, as core takes them.
local function failure(own, result, why)
    if result == nil then
        result = "FIRN_NOT_FOUND"
    elseif type(result) ~= "string" or not result:find("^FIRN_") then
        wrong(own, "a call that fails returns nil and the name of a result", result)
    end
    return result, why and tostring(why) or nil
end

-- The generation of a call that gave one has revision; a backup has none.
local function given(own, generation, value)
    return generation == "current" and revisionOf(own, value) or 0
end

local function bytesOf(own, what, bytes, most)
    if type(bytes) ~= "string" then
        wrong(own, what .. " gives bytes, a string", bytes)
    elseif #bytes > most then
        wrong(own, ("%s gives at most %.0f bytes"):format(what, most), #bytes)
    end
    return bytes
end

local function adaptPut(own)
    return function(name, bytes, expected)
        local revision, result, why = own.put(name, bytes, expected)
        if revision == nil then
            return failure(own, result or "FIRN_REFUSED", why)
        end
        return result, why, revisionOf(own, revision)
    end
end

local function adaptGet(own)
    return function(name, generation, limit)
        local bytes, revision, why = own.get(name, generation, limit)
        if bytes == nil then
            return failure(own, revision, why)
        elseif type(bytes) == "string" and #bytes > limit then
            return "FIRN_LIMIT", ("%.0f bytes are above %.0f"):format(#bytes, limit)
        end
        return nil, nil, bytesOf(own, "get", bytes, limit), given(own, generation, revision)
    end
end

local function adaptHead(own)
    return function(name, generation, room)
        local bytes, stored, why = own.head(name, generation, room)
        if bytes == nil then
            return failure(own, stored, why)
        elseif type(stored) ~= "table" then
            wrong(own, "head gives bytes and a table with a size", stored)
        end
        local size, modified = stored.size, stored.modified
        if not isCount(size, 0) then
            wrong(own, "head gives bytes and a table with a size", stored)
        end
        return nil, nil, bytesOf(own, "head", bytes, room), size,
            given(own, generation, stored.revision), isCount(modified, 0) and modified or 0
    end
end

-- An entry of a list, read once: what is behind a metatable may change.
local function entryOf(own, stored)
    if type(stored) == "table" then
        local name, size = stored.name, stored.size
        local revision, modified = stored.revision, stored.modified
        if type(name) == "string" and name:find("^[a-z0-9_-]+$") and isCount(size, 0) then
            return {
                name = name, size = size, onlyBackup = stored.onlyBackup,
                revision = revision ~= nil and revisionOf(own, revision) or 0,
                modified = isCount(modified, 0) and modified or 0,
            }
        end
    end
    wrong(own, "an entry of the list is a table with a name and a size", stored)
end

local function adaptList(own)
    return function()
        local list, result, why = own.list()
        if list == nil then
            return failure(own, result or "FIRN_REFUSED", why)
        elseif type(list) ~= "table" then
            wrong(own, "list gives a list of tables", list)
        end
        local sorted = {}
        for i, stored in ipairs(list) do
            sorted[i] = entryOf(own, stored)
        end
        table.sort(sorted, function(a, b)
            return a.name < b.name
        end)
        return nil, nil, sorted
    end
end

local function adaptRemove(own)
    return function(name, expected)
        local done, result, why = own.remove(name, expected)
        if not done then
            return failure(own, result, why)
        end
        return result, why
    end
end

-- What core takes for the value of an option `storage`: one of firn's, or the adapter of a table.
function storage.adapt(doing, value)
    if core.storage_is(value) then
        return value
    end
    local own = check.options(doing, value, STORAGE_OPTIONS, "storage.")
    for _, name in ipairs({"name", "put", "get", "head", "list", "remove"}) do
        if own[name] == nil then
            misuse(doing, "option 'storage.%s' is missing", name)
        end
    end
    return {
        name = own.name, put = adaptPut(own), get = adaptGet(own), head = adaptHead(own),
        list = adaptList(own), remove = adaptRemove(own),
    }
end

-- checkStorage(storage) -> {{check=, result=, message=}, ...}, failures: whether it does what a
-- storage has to.
function storage.checkStorage(value)
    return core.storage_check(storage.adapt("checkStorage", value))
end

return storage
