-- firn/saves.lua: save games: slots, requests, autosaves, levels, migration, variables, background
-- saves. docs/lua-saves.md describes what is here.
local api = require("firn.api")
local check = require("firn.check")
local diff = require("firn.diff")
local events = require("firn.events")
local persist = require("firn.persist")
local snapshot = require("firn.snapshot")
local storages = require("firn.saves_storage")
local World = require("firn.world")
local core, misuse = api.core, check.fail

local saves = {
    folder = storages.folder,
    memory = storages.memory,
    folderOf = storages.folderOf,
    checkStorage = storages.checkStorage,
}

local Saves = {}
Saves.__index = Saves

-- ---------------------------------------------------------------- open

local OPEN_OPTIONS = {
    game = "string", kind = "string", engine = "string", version = "number", maxSlots = "number",
    compression = "number", storage = "any", levels = "table", migrations = "table",
    background = "boolean", secondSave = "string", editor = "boolean", autosaveSeconds = "number", autosaveRing = "number",
    keepUnknown = "boolean", skipUnknown = "boolean", snapshot = "table", limits = "any",
    now = "function",
}

local LEVEL_OPTIONS = { current = "function", enter = "function" }

local KINDS = {world = 0, persisted = 1} -- firn_saves_kind
local SECOND_SAVES = {kept = 0, waits = 1, busy = 2} -- firn_second_save

-- Whatever else it is, a world has the components of persisted saves.
local function enterPersist(world, doing)
    if type(world) == "table" and getmetatable(world) == World and world.fast then
        persist.enter(world, doing)
    end
end

-- The option `kind` becomes its number. Returns whether it is "persisted": then the world has the
-- components, and so do those that levels bring.
local function takeKind(world, plain)
    local number = KINDS[plain.kind or "world"]
    if not number then
        misuse("open", "option 'kind': it is \"world\" or \"persisted\", not %s",
            check.describe(plain.kind))
    end
    local persisted, enter = number == KINDS.persisted, plain.enter
    plain.kind = number
    if persisted then
        enterPersist(world, "open")
    end
    if persisted and enter then
        function plain.enter(...)
            local entered, why = enter(...)
            enterPersist(entered, "open")
            return entered, why
        end
    end
    return persisted
end

-- The option `secondSave` becomes its number.
local function takeSecondSave(plain)
    local number = SECOND_SAVES[plain.secondSave or "kept"]
    if not number then
        misuse("open", "option 'secondSave': it is \"kept\", \"waits\" or \"busy\", not %s",
            check.describe(plain.secondSave))
    end
    plain.secondSave = number
end

-- {[n] = function or false} as a list of {n, function or false}.
local function listMigrations(migrations)
    local list = {}
    for from, migrate in next, migrations do
        if type(from) ~= "number" or from < 1 or from % 1 ~= 0 or from >= 2^32 then
            misuse("open", "option 'migrations': a key is %s, not a version of the game",
                check.describe(from))
        elseif type(migrate) ~= "function" and migrate ~= false then
            misuse("open", "option 'migrations[%d]': a function or false is wanted, not %s", from,
                check.what(migrate))
        end
        list[#list + 1] = {from, migrate}
    end
    table.sort(list, function(a, b)
        return a[1] < b[1]
    end)
    return list
end

-- open(world, options) -> saves: a manager of save games for the world.
function saves.open(world, options)
    if type(world) ~= "table" or getmetatable(world) ~= World then
        misuse("open", "world: a world is wanted, not %s", check.what(world))
    end
    World.fastOf(world, "open")
    local plain = check.options("open", options, OPEN_OPTIONS)
    check.value("open", "option 'game'", plain.game, "string")
    if plain.levels then
        local levels = check.options("open", plain.levels, LEVEL_OPTIONS, "levels.")
        plain.current, plain.enter, plain.levels = levels.current, levels.enter, nil
    end
    local persisted = takeKind(world, plain)
    takeSecondSave(plain)
    plain.migrations = plain.migrations and listMigrations(plain.migrations)
    plain.snapshot = plain.snapshot and snapshot.plainOptions(world, "open", plain.snapshot)
    plain.storage = plain.storage ~= nil and storages.adapt("open", plain.storage) or nil
    return setmetatable({core = core.saves_open(world.core, world, plain), persisted = persisted}, Saves)
end

-- world() -> the world that the manager is bound to: after a load perhaps another one than before.
function Saves:world()
    return core.saves_world(self.core)
end

-- bind(world): the manager goes to another world without a load.
function Saves:bind(world)
    if self.persisted then
        enterPersist(world, "bind")
    end
    core.saves_bind(self.core, world)
end

-- close(): waits for a save in the background, then lets go of everything.
function Saves:close()
    core.saves_close(self.core)
end

-- Calls that may change the world, or read all of it, begin with this.
local function settled(self, doing)
    World.settle(core.saves_world(self.core), doing)
    return self.core
end

-- Those that may load end with it: a collector may have table components of before.
local function forget(self, ...)
    local world = core.saves_world(self.core)
    if world.fast then
        World.forgetTables(world, world.fast)
    end
    return ...
end

-- ---------------------------------------------------------------- save

local MAKE_OPTIONS = { meta = "table", sections = "table" }
local WRITE_OPTIONS = { meta = "table", sections = "table", force = "boolean" }

local function writeOptions(doing, options, allowed)
    options = check.anyOptions(doing, options, allowed)
    local sections = {} -- a copy, which finalizers do not change while core reads it
    for name, bytes in next, options.sections or {} do
        check.value(doing, "sections: a name", name, "string")
        sections[name] = check.value(doing, ("sections['%s']"):format(name), bytes, "string")
    end
    return {meta = options.meta, sections = sections, force = options.force}
end

local function slotName(doing, slot, argument)
    check.value(doing, argument or "slot", slot, "string")
    if slot:find("%z") then
        misuse(doing, "%s has a zero byte in it", argument or "slot")
    end
    return slot
end

-- make([options]) -> envelope: a save of the world as it is, without a slot.
function Saves:make(options)
    return core.saves_make(settled(self, "make"), writeOptions("make", options, MAKE_OPTIONS), false)
end

-- makeBytes([options]) -> the same as the bytes of a save file.
function Saves:makeBytes(options)
    return core.saves_make(settled(self, "makeBytes"), writeOptions("makeBytes", options, MAKE_OPTIONS),
        true)
end

-- write(slot[, options]): saves into a slot, at once.
function Saves:write(slot, options)
    slotName("write", slot)
    core.saves_write(settled(self, "write"), slot, writeOptions("write", options, WRITE_OPTIONS), false)
end

-- requestSave(slot[, options]): the same at the end of this tick.
function Saves:requestSave(slot, options)
    core.saves_write(self.core, slotName("requestSave", slot),
        writeOptions("requestSave", options, WRITE_OPTIONS), true)
end

-- onBeforeSave(hook[, fields]) -> function that removes it. hook() returns fields for `custom`.
function Saves:onBeforeSave(hook, fields)
    local doing = "onBeforeSave"
    check.value(doing, "hook", hook, "function")
    local declared = fields and {}
    if fields ~= nil then
        for i, field in ipairs(check.list(doing, "fields", check.value(doing, "fields", fields, "table"))) do
            declared[i] = check.value(doing, ("fields[%d]"):format(i), field, "string")
        end
    end
    local manager = self.core
    local handle, kept = core.saves_add_hook(manager, hook, declared)
    return function()
        if handle then
            core.saves_remove_hook(manager, handle, kept)
            handle = nil
        end
    end
end

-- ---------------------------------------------------------------- load

local ENVELOPE_OPTIONS = { compression = "number" }

local function bytesOf(doing, value)
    local kind = check.type(value)
    if kind ~= "string" and kind ~= "buffer" then
        misuse(doing, "bytes: a string or a buffer is wanted, not %s", check.what(value))
    end
    return tostring(value)
end

-- take(envelope or bytes) -> loaded: loads a save that make or makeBytes gave.
function Saves:take(save)
    local manager = settled(self, "take")
    if type(save) == "table" then
        save = core.save_file_bytes(save, 0, "take")
    end
    return forget(self, core.saves_load(manager, bytesOf("take", save), false))
end

-- read(slot) -> loaded: loads the save of a slot, at once.
function Saves:read(slot)
    slotName("read", slot)
    return forget(self, core.saves_load(settled(self, "read"), slot, true))
end

-- requestLoad(slot) -> true: it is loaded at the end of this tick; false: it is empty.
function Saves:requestLoad(slot)
    return core.saves_request_load(self.core, slotName("requestLoad", slot))
end

-- endTick(seconds): the end of a tick, which took so long: does what is requested and tells of it.
function Saves:endTick(seconds)
    check.value("endTick", "seconds", seconds, "number")
    core.saves_end_tick(settled(self, "endTick"), seconds)
    forget(self)
end

-- tell(): publishes what waits to be told.
function Saves:tell()
    core.saves_tell(settled(self, "tell"))
end

for _, name in ipairs({"saved", "save_failed", "loaded", "level_entered"}) do
    events.completions[name] = function(world, event)
        local payload = core.saves_event(world.core)
        if payload then
            event.payload = payload
            if payload.loaded then
                payload.loaded.world = world
            end
        end
    end
end

-- ---------------------------------------------------------------- levels and scenes

-- scene(name, {[local id] = entity}): the game is in this scene, whose file calls entities so.
function Saves:scene(name, entities)
    check.value("scene", "name", name, "string")
    local locals, list = {}, {}
    for id, entity in next, check.value("scene", "entities", entities, "table") do
        locals[#locals + 1] = check.value("scene", "entities: a local id", id, "number")
        list[#list + 1] = check.value("scene", ("entities[%.17g]"):format(id), entity, "number")
    end
    core.saves_scene(self.core, name, locals, list)
end

-- sceneName() -> the name that was told, or nil
function Saves:sceneName()
    return core.saves_scene_name(self.core)
end

-- sceneEntity(local id) -> the entity, dead or alive, or nil
function Saves:sceneEntity(id)
    return core.saves_scene_entity(self.core, check.value("sceneEntity", "local id", id, "number"))
end

-- sceneLocal(entity) -> its local id, or nil
function Saves:sceneLocal(entity)
    return core.saves_scene_local(self.core, check.value("sceneLocal", "entity", entity, "number"))
end

-- leave(): every entity ends but those with Carry, and their children.
function Saves:leave()
    core.saves_leave(settled(self, "leave"))
    forget(self)
end

local function levelName(doing, level)
    return check.value(doing, "level", level, "string")
end

-- enter(level): goes there, at once.
function Saves:enter(level)
    core.saves_enter(settled(self, "enter"), levelName("enter", level), false)
    forget(self)
end

-- requestEnter(level): the same at the end of this tick.
function Saves:requestEnter(level)
    core.saves_enter(self.core, levelName("requestEnter", level), true)
end

-- ---------------------------------------------------------------- slots

local COPY_OPTIONS = { replace = "boolean" }

-- list() -> {{name=, level=, playTime=, ...}, ...}: all slots, the newest first.
function Saves:list()
    return core.saves_list(self.core)
end

function Saves:has(slot)
    return core.saves_has(self.core, slotName("has", slot))
end

local INSPECT_OPTIONS = { all = "boolean", tolerance = "number", format = "string" }

-- inspect(slot[, options]) -> tree, or with format = "text" lines: a save against the game as it is.
function Saves:inspect(slot, options)
    slotName("inspect", slot)
    options = check.anyOptions("inspect", options, INSPECT_OPTIONS)
    local text = diff.isText("inspect", options.format)
    diff.tolerance("inspect", options.tolerance)
    return core.saves_inspect(settled(self, "inspect"), slot, options, text)
end

-- newest() -> name or nil: the slot for a Continue button.
function Saves:newest()
    return core.saves_newest(self.core)
end

-- thumbnail(slot) -> the string that meta.thumbnail was, or nil.
function Saves:thumbnail(slot)
    return core.saves_thumbnail(self.core, slotName("thumbnail", slot))
end

-- copy(from, to[, {replace=true}])
function Saves:copy(from, to, options)
    options = check.anyOptions("copy", options, COPY_OPTIONS)
    core.saves_copy(self.core, slotName("copy", from, "from"), slotName("copy", to, "to"),
        options.replace, false)
end

-- rename(from, to[, {replace=true}])
function Saves:rename(from, to, options)
    options = check.anyOptions("rename", options, COPY_OPTIONS)
    core.saves_copy(self.core, slotName("rename", from, "from"), slotName("rename", to, "to"),
        options.replace, true)
end

-- remove(slot): and its backup.
function Saves:remove(slot)
    core.saves_remove(self.core, slotName("remove", slot))
end

-- ---------------------------------------------------------------- variables

-- variable(name) -> value; variable(name, value) sets it.
function Saves:variable(name, ...)
    check.value("variable", "name", name, "string")
    if select("#", ...) == 0 then
        return core.saves_variable(self.core, name)
    end
    core.saves_set_variable(self.core, name, (...), "variable")
end

function Saves:removeVariable(name)
    check.value("removeVariable", "name", name, "string")
    core.saves_set_variable(self.core, name, nil, "removeVariable")
end

-- variables() -> {[name] = value}, a copy
function Saves:variables()
    return core.saves_variables(self.core)
end

-- ---------------------------------------------------------------- play, time, background

-- playBegin(): an editor begins play; the world is kept.
function Saves:playBegin()
    core.saves_play(settled(self, "playBegin"), true)
end

-- playStop(): the world is what it was before.
function Saves:playStop()
    core.saves_play(settled(self, "playStop"), false)
    forget(self)
end

function Saves:playing()
    return (core.saves_state(self.core, "playing"))
end

-- playTime() -> seconds played in this line of saves
function Saves:playTime()
    return (select(2, core.saves_state(self.core, "playTime")))
end

-- writing() -> whether a save runs in the background
function Saves:writing()
    return (select(3, core.saves_state(self.core, "writing")))
end

-- wait(): for that save; it is told of by the next endTick.
function Saves:wait()
    core.saves_wait(self.core)
end

-- ---------------------------------------------------------------- files without a manager

-- header(bytes) -> table: what describes a save; the first 4,096 bytes of a file are enough.
function saves.header(bytes)
    return core.save_file_header(bytesOf("header", bytes))
end

-- envelope(bytes) -> table: all of it.
function saves.envelope(bytes)
    return core.save_file_envelope(bytesOf("envelope", bytes))
end

-- bytes(envelope[, {compression=}]) -> the save file of an envelope.
function saves.bytes(envelope, options)
    check.value("bytes", "envelope", envelope, "table")
    options = check.anyOptions("bytes", options, ENVELOPE_OPTIONS)
    return core.save_file_bytes(envelope, options.compression or 0, "bytes")
end

-- toJson(envelope or bytes) -> lines of JSON: the header, then sections and entities, without loss.
function saves.toJson(save)
    if type(save) == "table" then
        save = core.save_file_bytes(save, 0, "toJson")
    end
    return core.json_export_save(bytesOf("toJson", save))
end

-- fromJson(text[, {compression=}]) -> the bytes of the save file.
function saves.fromJson(text, options)
    check.value("fromJson", "text", text, "string")
    options = check.anyOptions("fromJson", options, ENVELOPE_OPTIONS)
    return core.json_import_save(text, options.compression or 0)
end

return saves
