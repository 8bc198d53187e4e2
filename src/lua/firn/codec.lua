-- firn/codec.lua: how rows are saved that are no plain data: the options serialize and deserialize, or
-- save and load, of a component.
local api = require("firn.api")
local check = require("firn.check")
local World = require("firn.world")
local ffi, fast, misuse = api.ffi, api.fast, check.fail

local codec = {}

local bytePointer = ffi.typeof("uint8_t *")

-- The options, for the lists of options that makers allow.
codec.OPTIONS = {
    serialize = "function", deserialize = "function", save = "function", load = "function",
}

-- Pairs that cannot stand together, and what each needs.
local CLASHES = {{"save", "serialize"}, {"load", "deserialize"}, {"load", "serialize"}}

-- Reads the options: about.save is what makes a saved value of an instance, or nil, about.load what
-- makes an instance of a world, a saved value, a default instance and what entityOf makes.
function codec.read(doing, options, about)
    for _, name in ipairs({"serialize", "deserialize", "save", "load"}) do
        if options[name] and options.transient then
            misuse(doing, "option '%s': '%s' is transient, it would never be called", name,
                options.name)
        end
    end
    for _, clash in ipairs(CLASHES) do
        if options[clash[1]] and options[clash[2]] then
            misuse(doing, "options '%s' and '%s': only one of them can be given", clash[1], clash[2])
        end
    end
    about.save = options.serialize or options.save
    local load, deserialize = options.load, options.deserialize
    if about.save and not load and not deserialize then
        misuse(doing, "option '%s' needs %s", options.save and "save" or "serialize",
            options.save and "'load' or 'deserialize'" or "'deserialize'")
    elseif not about.save and (load or deserialize) then
        misuse(doing, "option '%s' needs %s", load and "load" or "deserialize",
            load and "'save'" or "'serialize' or 'save'")
    end
    about.load = deserialize or load and function(_, saved, instance, entityOf)
        return load(saved, instance, entityOf)
    end
end

-- A function for loaders: entityOf(saved id) -> the entity that it is now, or nil. A merge gives other
-- ids.
function codec.entityOf(world)
    return function(saved)
        if type(saved) ~= "number" or saved < 0 or saved >= 2^53 or saved % 1 ~= 0 then
            misuse("entityOf", "saved must be an entity, not %s", check.describe(saved))
        end
        local entity = fast.saved_entity(World.fastOf(world, "entityOf"), saved)
        if entity < 0 then
            misuse("entityOf", "nothing is loaded any more")
        end
        return entity > 0 and entity or nil
    end
end

-- Adds to a codec how many rows are decoded at once, see codec.c.
function codec.addAll(world, made)
    local decode = made.decode
    function made.decodeAll(rows, stride, values, n)
        local fast = world.fast
        rows = ffi.cast(bytePointer, rows)
        for i = 1, n do
            fast.decoded = i - 1
            decode(rows + (i - 1) * stride, values[i])
        end
    end
    return made
end

-- The codec of a struct, for core.register, where it has one.
function codec.ofStruct(about, container)
    if not about.save then
        return
    end
    local pointer, ctype, size = about.pointer, about.ctype, about.size
    local save, load = about.save, about.load
    size = math.max(size, ffi.sizeof(ctype))
    function about.makeCodec(world)
        local entityOf = codec.entityOf(world)
        return codec.addAll(world, {
            encode = function(row)
                return save(ffi.cast(pointer, row))
            end,
            decode = function(row, saved)
                row = ffi.cast(pointer, row)
                local instance = load(world, saved, row, entityOf)
                if instance == nil then
                    return
                elseif type(instance) == "table" then
                    instance = container.new(instance)
                elseif not ffi.istype(ctype, instance) and not ffi.istype(pointer, instance)
                    and not ffi.istype(about.constPointer, instance) then
                    error("the loader gave " .. check.describe(instance) .. ", no instance", 0)
                end
                if instance ~= row then
                    ffi.copy(row, instance, size)
                end
            end,
        })
    end
end

return codec
