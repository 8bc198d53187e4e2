-- tecs.lua: the files of tests/golden/tecs, the components that each is loaded with, and the comparison
-- of a world with what is expected of a file.
local firn = require("firn")
local ffi = require("ffi")
local json = require("json")

local tecs = {}

local DATA = assert(os.getenv("FIRN_TEST_DATA")) .. "/tecs/"

-- ---------------------------------------------------------------- components

-- Makers of components in a world, by their names in the files: {kind, options}.
local VECTOR = {{"x", "float"}, {"y", "float"}}
local Position = {"FFI", {name = "Position", fields = VECTOR}}
local Velocity = {"FFI", {name = "Velocity", fields = VECTOR}}
local Health = {"FFI", {name = "Health", fields = {{"current", "int32_t"}, {"max", "int32_t"}}}}
local Marker = {"Tag", {name = "Marker"}}
local Boss = {"Tag", {name = "Boss"}}
local Score = {"Scalar", {name = "Score", type = "number"}}
local Info = {"Table", {name = "Info"}}

local AllTypes = {"FFI", {name = "AllTypes", fields = {
    {"i8", "int8_t"}, {"u8", "uint8_t"}, {"i16", "int16_t"}, {"u16", "uint16_t"}, {"i32", "int32_t"},
    {"u32", "uint32_t"}, {"i64", "int64_t"}, {"u64", "uint64_t"}, {"f", "float"}, {"d", "double"},
    {"b", "bool"}, {"tag", "char[5]"}, {"m", "float[3]"}, {"plainint", "int32_t"},
    {"uns", "uint32_t"},
}}}

local Likes = {"Relationship", {name = "Likes"}}
local Trades = {"Relationship", {
    name = "Trades", fields = {{"amount", "int32_t"}, {"rate", "float"}},
}}
local Owner = {"Relationship", {name = "Owner", sparse = true, exclusive = true, reverse = true}}

-- 07: what is saved is not what the component is.
local IMAGES = {"hero.png", "rock.png"}

local function imageOf(name)
    for i, known in ipairs(IMAGES) do
        if known == name then
            return i
        end
    end
    error("no image has that name")
end

-- Serialized by its fields of meaning: the name of an image, not its index, and no slot.
local SpriteLike = {"FFI", {
    name = "SpriteLike", fields = {{"image", "int32_t"}, {"u0", "float"}, {"slot", "int32_t"}},
    serialize = function(sprite)
        return {image = IMAGES[sprite.image], u0 = sprite.u0}
    end,
    deserialize = function(world, data)
        local sprite = world.specs.SpriteLike()
        sprite.image, sprite.u0 = imageOf(data.image), data.u0
        return sprite
    end,
}}

local HalfCustom = {"FFI", {
    name = "HalfCustom", fields = {{"a", "float"}},
    save = function(half)
        return {a = half.a}
    end,
    load = function(saved)
        return {a = saved.a}
    end,
}}

local PackedTable = {"Table", {
    name = "PackedTable", fields = {"x", "label"},
    save = function(packed)
        return ("%d:%s"):format(packed.x, packed.label)
    end,
    load = function(saved)
        local x, label = saved:match("^(%d+):(.*)$")
        return {x = tonumber(x), label = label}
    end,
}}

local NilCodec = {"Table", {
    name = "NilCodec", fields = {"v"},
    serialize = function(value)
        return value.v > 1 and {v = value.v} or nil
    end,
    deserialize = function(world, data)
        return world.specs.NilCodec.new({v = data.v})
    end,
}}

-- 23 was saved with an older schema.
local NEWER_SCHEMA = {
    {"FFI", {
        name = "Body", defaults = {armor = 25}, fields = {
            {"flags", "int32_t"}, {"hp", "float"}, {"m", "float[3]"}, {"x", "float"},
            {"y", "int16_t"}, {"armor", "int32_t"}, {"z", "float"},
        },
    }},
    {"FFI", {name = "Same", fields = {{"a", "int32_t"}}}},
    -- The constructor by names says what becomes of an older instance.
    {"Table", {
        name = "TabMig", fields = {"b", "c"},
        container = function()
            return {new = function(values)
                return {b = values.b, c = values.c or 7}
            end}
        end,
    }},
}

-- ---------------------------------------------------------------- files

local DENSE = {Position, Velocity, Health}
local TABLES = {{"Table", {name = "Inventory"}}, {"Table", {name = "Loose"}}}
local SCALARS = {
    {"Scalar", {name = "Score", type = "number", default = 3}},
    {"Scalar", {name = "Alive", type = "boolean"}},
    {"Scalar", {name = "Title", type = "string", default = "none"}},
    Boss, {"Tag", {name = "Elite"}},
}
local CODECS = {
    SpriteLike, HalfCustom, {"FFI", {name = "PlainAfter", fields = {{"b", "double"}}}}, PackedTable,
    NilCodec,
}
local CHILDREN = {Position, Marker}
local MANY_TARGETS = {Likes, Trades, Position}
local SELECTED = {Position, {"Tag", {name = "Derived"}}, Health}
local TRANSIENTS = {
    {"Table", {name = "Runtime", defaults = {slot = 0}, transient = true}},
    {"Scalar", {name = "Charge", type = "number", default = 8, transient = true}},
    {"Table", {name = "Durable", requires = {"Runtime", "Charge"}}},
    {"FFI", {name = "TransientFFI", fields = {{"v", "int32_t"}}, transient = true}},
}
local MIXED = {Position, Info, Score, Marker, Owner}
local PORT = {
    Position, Score, Boss, {"Relationship", {name = "Likes", sparse = true, reverse = true}}, Info,
}
local STATES = {"base", "ready", "game"}

local function file(path, expect, components, more)
    local entry = more or {}
    entry.path, entry.expect, entry.components = path, expect or path, components or {}
    tecs.files[#tecs.files + 1] = entry
end

tecs.files = {}
file("01_empty_world")
file("02_bare_entities")
for _, path in ipairs({"03_dense_ffi", "arm64/03_dense_ffi", "S_int32tags_03_dense_ffi"}) do
    file(path, "03_dense_ffi", DENSE)
end
file("S_version1_03_dense_ffi", "03_dense_ffi", DENSE, {version = 1})
file("04_ffi_all_types", nil, {AllTypes})
file("05_table_components", nil, TABLES)
file("arm64/05_table_components", "05_table_components", TABLES)
file("06_scalars_and_tags", nil, SCALARS)
file("arm64/06_scalars_and_tags", "06_scalars_and_tags", SCALARS)
file("07_custom_codecs", nil, CODECS)
for _, prefix in ipairs({"", "arm64/", "S_int32tags_"}) do
    file(prefix .. "08_sparse_exclusive_childof", "08_sparse_exclusive_childof", CHILDREN)
end
file("10_dense_ffi_relationship", nil, MANY_TARGETS)
file("12_large_target_name", nil, MANY_TARGETS)
for _, prefix in ipairs({"", "arm64/", "S_int32tags_"}) do
    file(prefix .. "13_states", "13_states", {Position}, {states = STATES})
end
file("S_version1_13_states", "13_states", {Position}, {states = STATES, version = 1})
file("14_pipeline")
file("15_custom_data")
file("16_random_streams")
file("18_filter_and_exclude", nil, SELECTED)
file("19_disabled_paused", nil, {Position})
file("20_transient_requires", nil, TRANSIENTS)
file("21_entity_keys", nil, {Position})
file("23_schema_v1_for_migration", nil, NEWER_SCHEMA)
file("25_row_major_mixed", nil, MIXED)
file("S_version1_25_row_major_mixed", "25_row_major_mixed", MIXED, {version = 1})
file("S_old_version1_boolmask_25", "25_row_major_mixed", MIXED, {version = 1})
file("S_nupp_v1_basic", nil, PORT, {states = {"menu"}, version = 1, edges = true})

-- The entry of a path.
function tecs.find(path)
    for _, entry in ipairs(tecs.files) do
        if entry.path == path then
            return entry
        end
    end
    error("there is no file " .. path)
end

local MAKERS = {
    FFI = "newFFIComponent", Table = "newComponent", Scalar = "newScalar", Tag = "newTag",
    Relationship = "newRelationship",
}

-- A world with the components and states of a file, in their order. world.specs: by their names.
function tecs.world(entry)
    local world = firn.newWorld()
    world.specs = {
        Name = firn.Name, Key = firn.EntityKey, Disabled = firn.Disabled, Paused = firn.Paused,
        ChildOf = firn.ChildOf,
    }
    for _, spec in ipairs(entry.components) do
        local options = {}
        for key, value in pairs(spec[2]) do
            options[key] = value
        end
        options.container = options.container and options.container()
        options.requires = options.requires and {}
        for i, name in ipairs(spec[2].requires or {}) do
            options.requires[i] = world.specs[name]
        end
        world.specs[options.name] = world[MAKERS[spec[1]]](world, options)
    end
    for _, name in ipairs(entry.states or {}) do
        world.specs[name .. "State"] = world:createState(name).tag
    end
    return world
end

-- The bytes of a file.
function tecs.image(entry)
    local opened = assert(io.open(DATA .. entry.path .. ".bin", "rb"))
    local bytes = opened:read("*a")
    opened:close()
    return bytes
end

-- What a file must be: entities, data, and so on.
function tecs.expectation(entry)
    return json.readFile(DATA .. entry.expect .. ".expect.json")
end

-- ---------------------------------------------------------------- values

local INTEGER = {} -- the metatable of an expected 64-bit integer

-- The value that JSON stands for.
local function meant(value)
    if type(value) == "string" then
        local digits = value:match("^%$i64:(.*)$")
        if digits then
            return setmetatable({digits = digits}, INTEGER)
        end
        return ({["$NaN"] = 0 / 0, ["$Inf"] = 1 / 0, ["$-Inf"] = -1 / 0})[value] or value
    elseif type(value) ~= "table" then
        return value
    end
    local table_ = {}
    for key, item in pairs(value) do
        if type(key) == "string" then
            local number = key:match("^%$key:number:(.*)$")
            local boolean = key:match("^%$key:boolean:(.*)$")
            key = number and tonumber(number) or key
            if boolean then
                key = boolean == "true"
            end
        end
        table_[key] = meant(item)
    end
    return table_
end
tecs.meant = meant

-- Where `actual` differs from what is expected; nil when it does not. Numbers are equal bit for bit.
local function differs(expected, actual, path)
    if getmetatable(expected) == INTEGER then
        local digits = type(actual) == "cdata" and tostring(actual):gsub("U?LL$", "")
        return digits ~= expected.digits and ("%s is %s, not %s"):format(path, tostring(actual),
            expected.digits) or nil
    elseif type(expected) ~= type(actual) then
        return ("%s is a %s, not a %s"):format(path, type(actual), type(expected))
    elseif type(expected) == "number" then
        local same = expected == actual and 1 / expected == 1 / actual
            or expected ~= expected and actual ~= actual
        return not same and ("%s is %.17g, not %.17g"):format(path, actual, expected) or nil
    elseif type(expected) ~= "table" then
        return expected ~= actual and ("%s is %s, not %s"):format(path, tostring(actual),
            tostring(expected)) or nil
    end
    for key, item in pairs(expected) do
        local difference = differs(item, actual[key], ("%s.%s"):format(path, tostring(key)))
        if difference then
            return difference
        end
    end
    for key in pairs(actual) do
        if expected[key] == nil then
            return ("%s.%s is not expected"):format(path, tostring(key))
        end
    end
end
tecs.differs = differs

-- A struct as a table of its fields.
local function tableOf(row, fields)
    local values = {}
    for _, field in ipairs(fields) do
        local name, count = field[1], tonumber(field[2]:match("%[(%d+)%]$"))
        values[name] = row[name]
        if count then
            values[name] = {}
            for i = 1, count do
                values[name][i] = row[name][i - 1]
            end
        end
    end
    return values
end

local function specOf(entry, name)
    for _, spec in ipairs(entry.components) do
        if spec[2].name == name then
            return spec
        end
    end
end

-- An edge as {target =, fields}; the target's sources know the entity, too.
local function edgeOf(world, entry, entity, name, target)
    local relation = world.specs[name]
    target = target or world:target(entity, relation)
    local edge = target and world:related(entity, relation, target)
    if not edge then
        return nil
    end
    local known = false
    for _, source in ipairs(world:sources(target, relation)) do
        known = known or source == entity
    end
    assert(known, "the target does not know its source")
    local spec = specOf(entry, name)
    local values = tableOf(edge, spec and spec[2].fields or {})
    values.target = edge.target
    return values
end

-- What an entity holds under the name of an expectation; a tag is true.
local function held(world, entry, entity, text)
    local name, target = text:match("^(.*)%->(%d+)$")
    name = name or text
    local component, spec = world.specs[name], specOf(entry, name)
    if not component then
        return nil
    elseif name == "ChildOf" or spec and spec[1] == "Relationship" then
        return edgeOf(world, entry, entity, name, tonumber(target))
    end
    local value = world:get(entity, component)
    if value ~= nil and spec and spec[1] == "FFI" then
        return tableOf(value, spec[2].fields)
    end
    if component == value then
        return true
    end
    return value
end

-- ---------------------------------------------------------------- worlds

-- Each target of a relation counts.
local function countComponents(world, entry, entity)
    local list, count = world:components(entity), 0
    for _, component in ipairs(list) do
        count = count + 1
        for name, of in pairs(world.specs) do
            local spec = of == component and specOf(entry, name)
            if spec and spec[1] == "Relationship" then
                count = count + #world:targets(entity, component) - 1
            end
        end
    end
    return count
end

-- Where the entities of a world are not those that are expected; nil when they are.
function tecs.difference(world, entry, expect)
    if world:count() ~= #expect.entities then
        return ("%d entities, not %d"):format(world:count(), #expect.entities)
    end
    for _, entity in ipairs(expect.entities) do
        local id, count = entity.id, 0
        if not world:isAlive(id) or id ~= entity.slot + entity.generation * 2 ^ 22 then
            return ("no entity %.0f"):format(id)
        end
        for name, value in pairs(entity.components) do
            local path = ("entity %.0f %s"):format(id, name)
            local difference = differs(meant(value), held(world, entry, id, name), path)
            if difference then
                return difference
            end
            count = count + 1
        end
        if countComponents(world, entry, id) ~= count then
            return ("entity %.0f has not %d components"):format(id, count)
        end
    end
end

function tecs.check(world, entry, expect)
    local difference = tecs.difference(world, entry, expect)
    assert(not difference, difference)
end

-- Puts 64-bit integers themselves into a tree.
local function whole(value)
    if getmetatable(value) == INTEGER then
        local negative = value.digits:sub(1, 1) == "-"
        local number = ffi.new(negative and "int64_t" or "uint64_t", 0)
        for digit in value.digits:gmatch("%d") do
            number = number * 10 + tonumber(digit)
        end
        return negative and -number or number
    elseif type(value) == "table" then
        for key, item in pairs(value) do
            value[key] = whole(item)
        end
    end
    return value
end

-- The value that JSON stands for, as Lua holds it.
function tecs.value(json_)
    return whole(meant(json_))
end

-- The table form of a file's world as Tecs wrote it; nil where there is none.
function tecs.table(entry)
    local path = DATA .. entry.path .. ".table.json"
    local there = io.open(path, "rb")
    if not there then
        return nil
    end
    there:close()
    return tecs.value(json.readFile(path))
end

local TYPES = {
    BOOL = "bool", I8 = "int8_t", U8 = "uint8_t", I16 = "int16_t", U16 = "uint16_t", I32 = "int32_t",
    U32 = "uint32_t", I64 = "int64_t", U64 = "uint64_t", F32 = "float", F64 = "double",
}

-- migration_matrix.json as the C tests have it, with what is right where processors differ: a list of
-- {from =, source =, to =, target =, changed =}: types of fields, and bits as 8 bytes.
function tecs.matrix()
    local cases = {}
    local bits = ffi.new("uint64_t[1]")
    local function bytes(digits)
        bits[0] = 0
        for digit in digits:gmatch("%x") do
            bits[0] = bits[0] * 16 + tonumber(digit, 16)
        end
        return ffi.string(bits, 8)
    end
    for line in io.lines(DATA .. "/../../unit/store_convert_cases.inc") do
        local from, source, to, target, changed =
            line:match("FIRN_(%w+), UINT64_C%(0x(%x+)%), FIRN_(%w+), UINT64_C%(0x(%x+)%), (%w+)")
        cases[#cases + 1] = {
            from = TYPES[from], source = bytes(source), to = TYPES[to], target = bytes(target),
            changed = changed == "true",
        }
    end
    return cases
end

return tecs
