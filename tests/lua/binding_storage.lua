-- Storages of save games: folders, memory, those of the game's own, and damaged files.
local firn = require("firn")
local tools = require("saves_tools")
local game, fails, refused = tools.game, tools.fails, tools.refused

local test = {}

local function folder()
    local path = os.tmpname()
    os.remove(path)
    return path
end

local function emptied(path, ...)
    for _, name in ipairs({...}) do
        os.remove(path .. "/" .. name)
        os.remove(path .. "/" .. name .. ".bak")
    end
    os.remove(path .. "/.firn-lock")
    assert(os.remove(path))
end

local function bytesOf(path)
    local file = assert(io.open(path, "rb"))
    local bytes = file:read("*a")
    file:close()
    return bytes
end

local function put(path, bytes)
    local file = assert(io.open(path, "wb"))
    file:write(bytes)
    file:close()
end

local function allWell(reports, failures)
    assert(#reports > 10)
    for _, report in ipairs(reports) do
        assert(report.result == "FIRN_OK", report.check .. ": " .. report.message)
    end
    assert(failures == 0)
end

-- ---------------------------------------------------------------- K12

function test.K12_a_folder_keeps_saves_and_the_backup_is_used_and_reported()
    local path = folder()
    local saves, world, fox, Gold = game({storage = firn.saves.folder({path = path})})
    saves:write("one")
    world:set(fox, Gold, 2)
    saves:write("one")
    local file = path .. "/s_one.firn"
    local good = bytesOf(file)
    assert(firn.saves.envelope(good).revision == 2)
    for _, damage in ipairs({
        good:sub(1, -2), good .. "x", good:sub(1, 60), "", good:sub(1, 300) .. "\255" .. good:sub(302),
    }) do
        put(file, damage)
        local loaded = saves:read("one")
        assert(loaded.fromBackup and loaded.damage.result and loaded.damage.message)
        assert(world:get(fox, Gold) == 1)
        world:set(fox, Gold, 3)
    end
    put(file, "just text, and no save at all, however long it is")
    assert(saves:list()[1].fromBackup and saves:list()[1].error.result == "FIRN_NOT_OURS")
    put(file .. ".bak", "")
    local hash = world:hash()
    fails("FIRN_NOT_OURS", "text", saves.read, saves, "one")
    assert(world:hash() == hash and saves:list()[1].error and saves:list()[1].level == nil)
    put(file, good)
    assert(not saves:read("one").fromBackup and world:get(fox, Gold) == 2)
    saves:close()
    emptied(path, "s_one.firn")
end

function test.K12_a_folder_that_cannot_be_made_is_an_error_object()
    local path = folder()
    put(path, "a file")
    fails("FIRN_IO", path, function()
        local saves = game({storage = firn.saves.folder({path = path .. "/in"})})
        saves:write("one")
    end)
    os.remove(path)
end

function test.K12_a_folder_or_a_link_in_the_place_of_a_file_has_its_own_message()
    local path = folder()
    local saves, world = game({storage = firn.saves.folder({path = path})})
    local hash = world:hash()
    firn.saves.open(firn.newWorld(), {game = "fox", storage = firn.saves.folder({path = path .. "/s_one.firn"})})
    assert(os.execute(("ln -s nowhere '%s/s_two.firn'"):format(path)) == 0)
    for _, slot in ipairs({"one", "two"}) do
        for _, call in ipairs({"read", "write"}) do
            fails("FIRN_IO", "s_" .. slot .. ".firn", saves[call], saves, slot)
        end
        assert(tools.slot(saves, slot).error.result == "FIRN_IO")
    end
    assert(world:hash() == hash and saves:newest() == nil)
    saves:close()
    os.remove(path .. "/s_one.firn/.firn-lock")
    os.remove(path .. "/s_one.firn")
    emptied(path, "s_two.firn")
end

function test.a_save_that_is_cut_or_changed_at_any_byte_is_refused()
    local saves, world, fox, Gold = game()
    local bytes = saves:makeBytes({meta = {title = "x"}, sections = {own = "bytes"}})
    world:set(fox, Gold, 2)
    local hash = world:hash()
    for i = 1, #bytes do
        local flipped = string.char((bytes:byte(i) + 1) % 256)
        for _, damaged in ipairs({
            bytes:sub(1, i - 1), bytes:sub(1, i - 1) .. flipped .. bytes:sub(i + 1),
            bytes:sub(1, i) .. bytes:sub(i),
        }) do
            local ok, problem = pcall(saves.take, saves, damaged)
            local result = not ok and problem.result
            assert(result == "FIRN_TRUNCATED" or result == "FIRN_CORRUPT" or result == "FIRN_NOT_OURS",
                tostring(problem))
        end
    end
    assert(world:hash() == hash)
    assert(saves:take(bytes) and world:get(fox, Gold) == 1)
end

function test.a_save_that_expands_too_far_is_refused()
    local ok, saves = pcall(game, {compression = 19})
    if not ok then
        assert(saves.result == "FIRN_UNSUPPORTED", tostring(saves)) -- in this build
        return
    end
    local bytes = saves:makeBytes({sections = {bomb = ("\0"):rep(3e6)}})
    assert(#bytes < 1e5)
    for name, limit in pairs({expandedBytes = 1e5, expandRatio = 10}) do
        local other, world = game({limits = {[name] = limit}})
        local hash = world:hash()
        fails("FIRN_LIMIT", "bomb", other.take, other, bytes)
        assert(world:hash() == hash)
    end
    saves:take(bytes)
end

-- What was written by version 1 of the format is read for ever.
function test.golden_saves_are_read()
    for _, name in ipairs({"01_least", "02_kitchen", "03_persisted", "04_thumbnail"}) do
        local bytes = bytesOf(os.getenv("FIRN_TEST_DATA") .. "/saves/" .. name .. ".firn")
        local header, envelope = firn.saves.header(bytes), firn.saves.envelope(bytes)
        assert(header.size == #bytes and header.saveFormatVersion == 1)
        assert(envelope.game == header.game and envelope.level == header.level)
        assert(firn.encode(firn.saves.envelope(firn.saves.bytes(envelope))) == firn.encode(envelope))
    end
end

-- ---------------------------------------------------------------- conformance

function test.K12_the_storages_conform()
    local path = folder()
    allWell(firn.saves.checkStorage(firn.saves.folder({path = path})))
    emptied(path)
    allWell(firn.saves.checkStorage(firn.saves.memory()))
    local own, entries = tools.storage()
    allWell(firn.saves.checkStorage(own))
    assert(next(entries) == nil)
end

function test.a_storage_that_does_not_conform_is_told_why()
    local own = tools.storage()
    local get = own.get
    function own.get(name, generation)
        return get(name, generation, math.huge)
    end
    own.remove = function()
        return true
    end
    local reports, failures = firn.saves.checkStorage(own)
    local said = 0
    for _, report in ipairs(reports) do
        said = said + (report.result ~= "FIRN_OK" and 1 or 0)
        assert((report.result == "FIRN_OK") == (report.message == ""))
    end
    assert(failures > 0 and said == failures)
    refused("checkStorage: storage: a table is wanted, not nil", firn.saves.checkStorage)
    refused("unknown option 'storage.putt'", firn.saves.checkStorage, {putt = print})
end

-- ---------------------------------------------------------------- the game's own

function test.a_storage_in_Lua_keeps_saves()
    local own, entries = tools.storage()
    local saves, world, fox, Gold = game({storage = own})
    saves:write("one")
    world:set(fox, Gold, 2)
    saves:write("one")
    assert(firn.saves.header(entries.one.current.bytes).revision == 2)
    entries.one.current.bytes = "rubbish"
    local loaded = saves:read("one")
    assert(loaded.fromBackup and world:get(fox, Gold) == 1)
    assert(saves:newest() == "one" and saves:has("one") and #saves:list() == 1)
    saves:write("one")
    saves:copy("one", "two", {replace = true})
    saves:remove("one")
    assert(entries.one == nil and entries.two)
end

function test.what_a_storage_raises_is_the_cause()
    local own = tools.storage()
    local saves, world = game({storage = own})
    saves:write("one")
    saves:close()
    local hash = world:hash()
    local raised = {}
    local function fail()
        error(raised)
    end
    for name, calls in pairs({put = {"write"}, get = {"read"}, head = {"write"},
        list = {"list", "newest"}, remove = {"remove"}}) do
        local broken = {}
        for key, value in pairs(own) do
            broken[key] = value
        end
        broken[name] = fail
        saves = firn.saves.open(world, {game = "fox", storage = broken})
        for _, call in ipairs(calls) do
            local problem = fails("FIRN_REFUSED", name .. " of the storage", saves[call], saves, "one")
            assert(problem.cause == raised and problem.traceback)
        end
        saves:close()
    end
    assert(world:hash() == hash)
end

function test.what_a_storage_returns_is_checked()
    local answers = {}
    local own = {name = "odd"}
    for _, name in ipairs({"put", "get", "head", "list", "remove"}) do
        own[name] = function()
            return unpack(answers[name] or {}, 1, 3)
        end
    end
    local saves = game({storage = own})
    local function odd(method, result, text, given)
        for name in pairs(answers) do
            answers[name] = nil
        end
        answers.list = {{}}
        for name, values in pairs(given) do
            answers[name] = values
        end
        fails(result, text, saves[method], saves, "one")
    end
    odd("write", "FIRN_REFUSED", "a revision is a whole number from 1 on, not 0.5", {put = {0.5}})
    odd("write", "FIRN_REFUSED", "a revision", {put = {2^60}})
    odd("write", "FIRN_REFUSED", "one: a callback refused", {})
    odd("write", "FIRN_IO", "the disk is full", {put = {nil, "FIRN_IO", "the disk is full"}})
    odd("write", "FIRN_REFUSED", "the name of a result, not 5", {put = {nil, 5}})
    odd("write", "FIRN_REFUSED", "one: FIRN_SOMETHING", {put = {nil, "FIRN_SOMETHING", "FIRN_SOMETHING"}})
    odd("write", "FIRN_NOT_DURABLE", "", {put = {1, "FIRN_NOT_DURABLE"}})
    odd("read", "FIRN_NOT_FOUND", "one", {})
    odd("read", "FIRN_REFUSED", "get gives bytes, a string", {get = {5, 1}})
    odd("read", "FIRN_REFUSED", "a revision", {get = {"bytes", "x"}})
    odd("write", "FIRN_REFUSED", "head gives bytes and a table with a size", {head = {"bytes"}})
    odd("write", "FIRN_REFUSED", "head gives at most 4096 bytes",
        {head = {("x"):rep(5000), {size = 5000, revision = 1}}})
    odd("list", "FIRN_REFUSED", "list gives a list of tables, not 5", {list = {5}})
    odd("list", "FIRN_REFUSED", "an entry of the list", {list = {{{name = "UPPER", size = 1}}}})
    odd("list", "FIRN_IO", "offline", {list = {nil, "FIRN_IO", "offline"}})
    odd("list", "FIRN_REFUSED", "list", {list = {nil}})
    odd("remove", "FIRN_NOT_FOUND", "one", {})
end

function test.a_storage_may_not_use_its_manager()
    local own = tools.storage()
    local saves
    local head = own.head
    function own.head(...)
        if saves then
            saves:list()
        end
        return head(...)
    end
    saves = game({storage = own})
    fails("FIRN_REFUSED", "a storage may not use the saves that it is of", saves.write, saves, "one")
end

function test.a_storage_is_shared_and_outlives_its_object()
    local storage = firn.saves.memory()
    local saves, world = game({storage = storage})
    local other = game({storage = storage})
    saves:write("one")
    storage = nil
    collectgarbage()
    assert(storage == nil and other:has("one"))
    saves:close()
    world:destroy()
    collectgarbage()
    assert(other:has("one"))
end

return test
