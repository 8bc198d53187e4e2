-- firn/snapshot.lua: saves, loads, merges and hashes of a world, and snapshot handlers.
local api = require("firn.api")
local check = require("firn.check")
local World = require("firn.world")
require("firn.query") -- World.readTerms
local buffer = require("string.buffer")

local component = require("firn.component")
local events = require("firn.events")
local core, fast, ffi, fastOf = api.core, api.fast, api.ffi, World.fastOf

-- ---------------------------------------------------------------- options

local SAVE_OPTIONS = {
    format = "string", buffer = "buffer", path = "string", filterQuery = "table",
    layers = "table", customData = "table", exclude = "table", wireVersion = "number",
    sparseEdges = "boolean",
}

local FILTER_OPTIONS = { include = "table", exclude = "table", any = "table" }

local LOAD_OPTIONS = {
    skipUnknown = "boolean", keepUnknown = "boolean", limits = "any", onData = "function",
}

local MERGE_OPTIONS = { skipUnknown = "boolean", keepUnknown = "boolean", limits = "any" }

-- The options as core.save takes them: checked, and without Lua objects; nil: there are none.
local function plainOptions(world, doing, options)
    if options.filterQuery == nil and options.layers == nil and options.customData == nil
        and options.exclude == nil and options.wireVersion == nil and options.sparseEdges == nil then
        return nil
    end
    local plain = {
        customData = options.customData,
        wireVersion = options.wireVersion,
        sparseEdges = options.sparseEdges,
    }
    if plain.wireVersion and plain.wireVersion ~= 1 and plain.wireVersion ~= 2 then
        check.fail(doing, "wireVersion is %s, neither 1 nor 2", check.describe(plain.wireVersion))
    end
    if options.filterQuery then
        local filter = check.options(doing, options.filterQuery, FILTER_OPTIONS, "filterQuery.")
        plain.terms = World.readTerms(world, doing, filter)
    end
    if options.layers then
        plain.layers = {}
        for i, layer in ipairs(check.list(doing, "layers", options.layers)) do
            plain.layers[i] = check.value(doing, ("layers[%d]"):format(i), layer, "number")
            if layer < 0 or layer > 31 or layer % 1 ~= 0 then
                check.fail(doing, "layers[%d] is %s, not a whole number from 0 to 31", i,
                    check.describe(layer))
            end
        end
    end
    if options.exclude then
        plain.exclude = {}
        for i, excluded in ipairs(check.list(doing, "exclude", options.exclude)) do
            plain.exclude[i] = component.handle(doing, world, excluded, ("exclude[%d]"):format(i))
        end
    end
    return plain
end

-- ---------------------------------------------------------------- saves

-- A save that fails leaves its buffer as it was, and what runs in a save may change that. So a save is
-- written to a block of memory of its own, which the buffer shows when all is there. Of each buffer,
-- {shown=, spare=}: two blocks {bytes=, size=}, by turns.
local blocks = setmetatable({}, {__mode = "k"})
local block = ffi.typeof("uint8_t[?]")
local bytePointer, pointers = ffi.typeof("uint8_t *"), ffi.typeof("uint8_t *[?]")

-- Takes the block that the buffer does not show; it has at least so many bytes.
local function takeSpare(out, size)
    local own = blocks[out] or {}
    local spare = own.spare
    own.spare, blocks[out] = nil, own
    return own, spare and spare.size >= size and spare or {bytes = block(size), size = size}
end

-- The buffer shows its spare block, which has `size` bytes of a save.
local function show(out, own, spare, size)
    out:set(spare.bytes, size)
    -- A finalizer may have saved into the same buffer meanwhile.
    own.shown, own.spare = spare, own.shown ~= spare and own.shown or nil
end

-- Saves into `out`, in the place of what it holds: without a copy where that is possible; `fresh`: it
-- holds nothing, and nobody else knows it. A file comes first: when it cannot be written, the buffer
-- stays as it was.
local function saveInto(world, out, fresh, plain, path)
    local last, own, spare, bytes, room = world.saveSize or 0, nil, nil, nil, nil
    local guess = last + math.floor(last / 8) + 4096
    if fresh and not core.save_calls(world.core) then
        bytes, room = out:reserve(guess)
    else
        own, spare = takeSpare(out, guess)
        bytes, room = ffi.cast(bytePointer, spare.bytes), spare.size
    end
    local where = pointers(1)
    local size, kept = core.save(world.core, plain, "saveSnapshot", bytes, room, where)
    if path then
        core.replace_file(path, kept and where[0] or bytes, size)
    end
    if kept then
        out:reset():putcdata(where[0], size)
        core.release(kept)
    elseif own then
        show(out, own, spare, size)
    else
        out:commit(size)
    end
    world.saveSize = size
end

-- The same where `options` are a buffer alone, which has two blocks, and no Lua can run: it is compiled
-- as a whole, and so is what calls it. Returns that buffer, or nil: not saved.
local function saveAgain(world, options)
    if type(options) ~= "table" or next(options) ~= "buffer" or next(options, "buffer") ~= nil then
        return
    end
    local out = rawget(options, "buffer")
    local own = blocks[out]
    local spare = own and own.spare
    local size = spare and fast.save(world.fast, spare.bytes, spare.size) or api.SLOW
    if size ~= api.SLOW then
        show(out, own, spare, size)
        return out
    end
end

--- Saves the world. Returns {format = "binary", buffer = string.buffer} or, with format = "table",
--- {format = "table", snapshot = table}.
function World:saveSnapshot(options)
    World.settle(self, "saveSnapshot")
    local again = saveAgain(self, options)
    if again then
        return { format = "binary", buffer = again }
    end
    options = check.anyOptions("saveSnapshot", options, SAVE_OPTIONS)
    local format = options.format or "binary"
    if format ~= "binary" and format ~= "table" then
        check.fail("saveSnapshot", "format: %q is neither \"binary\" nor \"table\"", format)
    end
    if format == "table" then
        for _, name in ipairs({ "buffer", "path" }) do
            if options[name] ~= nil then
                check.fail("saveSnapshot", "a table save takes no option '%s'", name)
            end
        end
        local plain = plainOptions(self, "saveSnapshot", options)
        return { format = "table", snapshot = core.save_table(self.core, plain) }
    end
    if options.path and options.path:find("%z") then
        check.fail("saveSnapshot", "option 'path' has a zero byte in it")
    end
    local out = options.buffer or buffer.new()
    saveInto(self, out, not options.buffer, plainOptions(self, "saveSnapshot", options), options.path)
    return { format = "binary", buffer = out }
end

-- ---------------------------------------------------------------- loads

-- What a source is: a string of bytes, a string.buffer with bytes, or a snapshot table.
local function sourceOf(doing, source)
    local kind = check.type(source)
    local format = kind == "table" and rawget(source, "format")
    if kind == "table" and (format == "binary" or rawget(source, "buffer") ~= nil) then
        source = rawget(source, "buffer")
        kind = check.type(source)
        if kind ~= "buffer" and kind ~= "string" then
            check.fail(doing, "snapshot.buffer: a buffer is wanted, not %s", check.what(source))
        end
    elseif kind == "table" and (format == "table" or rawget(source, "snapshot") ~= nil) then
        source = check.value(doing, "snapshot.snapshot", rawget(source, "snapshot"), "table")
    end
    if kind ~= "string" and kind ~= "buffer" and kind ~= "table" then
        check.fail(doing, "snapshot: a string, a buffer, a table or what saveSnapshot returned is " ..
            "wanted, not %s", check.what(source))
    end
    return source, kind
end

-- Calls a core function with bytes: a buffer is lent as it is, and not consumed. As an argument, it
-- lives as long as the call.
local function withBytes(world, call, source, kind, options)
    if kind == "buffer" then
        local bytes, size = source:ref()
        return call(world.core, nil, options, bytes, size, source)
    end
    return call(world.core, source, options)
end

-- Load options as core.load takes them: onData(world, value, key) gets its world.
local function loadOptions(world, options)
    local onData = options.onData
    return {
        skipUnknown = options.skipUnknown, keepUnknown = options.keepUnknown,
        limits = options.limits,
        onData = onData and function(value, key)
            onData(world, value, key)
        end,
    }
end

--- Replaces the world by a snapshot: bytes, a buffer, a table, or what saveSnapshot returned.
--- Returns the prelude and the report.
function World:loadSnapshot(source, options)
    World.settle(self, "loadSnapshot")
    options = check.anyOptions("loadSnapshot", options, LOAD_OPTIONS)
    local from, kind = sourceOf("loadSnapshot", source)
    if kind == "table" then
        return core.load_table(self.core, from, loadOptions(self, options))
    end
    local prelude, report = withBytes(self, core.load, from, kind, loadOptions(self, options))
    World.forgetTables(self, fastOf(self, "loadSnapshot")) -- a collector may have those of before
    return prelude, report
end

--- Adds the entities of a snapshot to the world. Returns {[saved id] = new id} and the report.
function World:mergeSnapshot(source, options)
    World.settle(self, "mergeSnapshot")
    options = check.anyOptions("mergeSnapshot", options, MERGE_OPTIONS)
    local from, kind = sourceOf("mergeSnapshot", source)
    return withBytes(self, core.merge, from, kind, options)
end

--- The state of the world as hexadecimal digits: the total, {component = hash}, and the hashes of
--- ids, entities and world. Equal worlds have equal hashes on every machine.
function World:hash()
    fastOf(self, "hash")
    return core.hash(self.core)
end

-- ---------------------------------------------------------------- handlers

--- saveHas(entity): in the save of a handler, whether the save holds the entity; else whether it lives.
function World:saveHas(entity)
    fastOf(self, "saveHas")
    return core.save_has(self.core, World.checkEntity("saveHas", entity))
end

--- loadKeeps(entity) -> in the check of a handler, the id that an entity has after the load, when that keeps
--- it as it is; nil: it comes from the save or ends.
function World:loadKeeps(entity)
    fastOf(self, "loadKeeps")
    return core.load_keeps(self.core, World.checkEntity("loadKeeps", entity))
end

local HANDLER_OPTIONS = {
    name = "string", save = "function", load = "function", finish = "function",
    check = "function",
}

--- Adds a handler {name, save(world), load(world, value), finish(world, prelude),
--- check(world, value)}: state beside the entities, saved under its name.
function World:addSnapshotHandler(handler)
    fastOf(self, "addSnapshotHandler")
    handler = check.options("addSnapshotHandler", handler, HANDLER_OPTIONS)
    if handler.name == nil or handler.name == "" then
        check.fail("addSnapshotHandler", "option 'name' is missing")
    end
    if not (handler.save or handler.load or handler.finish or handler.check) then
        check.fail("addSnapshotHandler", "handler '%s' has none of save, load, finish and check",
            handler.name)
    end
    local world = self
    self.handlers, self.handlersMade = self.handlers or {}, self.handlersMade or {}
    self.handlers[handler.name] = core.handler_add(self.core, handler.name, {
        save = handler.save and function()
            return handler.save(world)
        end,
        load = handler.load and function(value)
            handler.load(world, value)
        end,
        finish = handler.finish and function(prelude)
            handler.finish(world, prelude)
        end,
        check = handler.check and function(value)
            handler.check(world, value)
        end,
    })
    self.handlersMade[handler.name] = self:remember(function(other)
        other:addSnapshotHandler(handler)
    end)
end

--- Removes a handler by its name.
function World:removeSnapshotHandler(name)
    fastOf(self, "removeSnapshotHandler")
    check.value("removeSnapshotHandler", "name", name, "string")
    local handlers = self.handlers or {}
    core.handler_remove(self.core, name, handlers[name])
    if handlers[name] then
        World.unmake(self, self.handlersMade[name])
    end
    handlers[name] = nil
end

-- ---------------------------------------------------------------- events of saves and loads

-- Each observer gets functions of its own: one that replaces them has no effect on anything else.
function events.completions.OnSnapshotSave(world, event)
    function event.addData(_, key, value)
        check.value("addData", "key", key, "string")
        core.saving_add_data(world.core, key, value)
    end
    function event.exclude(_, excluded)
        core.saving_exclude(world.core, component.handle("exclude", world, excluded))
    end
end

function events.completions.StartSnapshotLoad(world, event)
    function event.onData(_, key, fn)
        check.value("onData", "key", key, "string")
        check.value("onData", "function", fn, "function")
        core.loading_on_data(world.core, key, function(value, name)
            fn(world, value, name)
        end)
    end
end

function events.completions.FinishSnapshotLoad(world, event)
    event.prelude = core.loading_prelude(world.core)
end

-- ---------------------------------------------------------------- snapshots without a world

local snapshot = {}

-- The options of saveSnapshot as core takes them, for saves that somebody else makes.
function snapshot.plainOptions(world, doing, options)
    options = check.options(doing, options, SAVE_OPTIONS, "snapshot.")
    for _, name in ipairs({ "format", "buffer", "path" }) do
        if options[name] ~= nil then
            check.fail(doing, "unknown option 'snapshot.%s'", name)
        end
    end
    return plainOptions(world, doing, options)
end

-- The bytes of a snapshot as a string.
local function bytesOf(doing, source)
    local from, kind = sourceOf(doing, source)
    if kind == "table" then
        check.fail(doing, "snapshot: bytes are wanted, not a table")
    end
    return tostring(from)
end

snapshot.bytesOf = bytesOf

--- Checks bytes as far as they can be without a world, and returns the prelude.
function snapshot.checkSnapshot(source, limits)
    return core.image_check(bytesOf("checkSnapshot", source), limits)
end

--- The hash of the world that bytes hold, as world:hash() would give it.
function snapshot.hashSnapshot(source, limits)
    return core.image_hash(bytesOf("hashSnapshot", source), limits)
end

return snapshot
