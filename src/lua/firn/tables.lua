-- firn/tables.lua: components whose instances are Lua tables: newComponent.
local api = require("firn.api")
local check = require("firn.check")
local codec = require("firn.codec")
local component = require("firn.component")
local template = require("firn.template")
local World = require("firn.world")
local core, fast, ffi, misuse, describe = api.core, api.fast, api.ffi, check.fail, check.describe
local type, next, rawget, rawset, rawequal = type, next, rawget, rawset, rawequal
local getmetatable, setmetatable = getmetatable, setmetatable

-- A row is the number of a table in world.tables (src/lua/rows.h). `lua` is world.fast, which has the
-- lists of numbers.
local handlePointer = ffi.typeof("int32_t *")

-- ---------------------------------------------------------------- numbers

-- Keeps a table. Returns its number.
local function keep(tables, lua, value)
    local handle = fast.keep_table(lua)
    if handle == 0 then
        error("not enough memory", 0)
    end
    tables[handle] = value
    return handle
end

-- Forgets the tables that firn let go of, and those of a call that came to nothing.
function World.forgetTables(world, lua)
    local tables, handle = world.tables, fast.forget_table(lua, 0)
    while handle ~= 0 do
        tables[handle] = nil
        handle = fast.forget_table(lua, handle)
    end
end

local function forgetDropped(world)
    if world.fast.table_dropped ~= 0 then
        World.forgetTables(world, world.fast)
    end
end

-- ---------------------------------------------------------------- copies

-- A copy of a value, with copies of the tables in it.
local function copyOf(value, seen)
    if type(value) ~= "table" then
        return value
    elseif seen and seen[value] then
        return seen[value]
    end
    local copy = {}
    seen = seen or {}
    seen[value] = copy
    for key, item in next, value do
        copy[key] = copyOf(item, seen)
    end
    return setmetatable(copy, getmetatable(value))
end

-- An item of a call for many entities: of a table each of them gets a copy, made when it is looked at.
-- They are copies of how it is now.
function World.copyItem(item)
    if type(item) == "table" then
        local defined = item.__firn
        if component.is(defined) and defined.__about.isTable and not rawequal(item, defined) then
            return copyOf(item)
        end
    end
    return item
end

-- ---------------------------------------------------------------- rows

-- Makes the table of a row that has none yet: `before` is what stands there. The row is that of the
-- entity, or where that is 0 `row`. A constructor, or a finalizer, may call firn: then it may be that
-- the row is not there any more, or that it has a table by now, and nil is returned.
local function make(world, about, before, row, entity, component)
    local instance
    if before == 0 then
        instance = about.construct()
    else
        instance = copyOf(world.tables[-before])
    end
    local lua = World.fastOf(world, about.name)
    local handle = instance ~= nil and keep(world.tables, lua, instance)
    return handle and fast.make_table(lua, entity, component, row, before, handle) and instance or nil
end

-- The table of a row that stays where it is.
local function tableOf(world, about, row)
    local instance
    repeat
        local handle = row[0]
        if handle > 0 then
            instance = world.tables[handle]
        else
            instance = make(world, about, handle, row, 0, 0)
        end
    until instance ~= nil
    return instance
end

-- A column of tables: column[0] to column[count - 1].
local Column = {}

function Column:__index(i)
    local column = rawget(self, Column)
    if type(i) == "number" and i >= 0 and i < column.count and i % 1 == 0 then
        local handle = column.rows[i]
        return handle > 0 and column.world.tables[handle]
            or tableOf(column.world, column.about, column.rows + i)
    end
end

function Column:__newindex(i, value)
    local column = rawget(self, Column)
    if not column.writable then
        misuse("column", "it is for reading: use columnMut")
    elseif type(i) ~= "number" or not (i >= 0 and i < column.count) or i % 1 ~= 0 then
        misuse("columnMut", "there is no row %s", describe(i))
    end
    local world = column.world
    value = column.about.instanceOf(value)
    local lua = World.fastOf(world, "columnMut")
    local handle = keep(world.tables, lua, value)
    fast.set_table(lua, column.rows + i, handle)
end

local function addRows(about, container)
    function about.instanceOf(value)
        if type(value) ~= "table" then
            misuse(about.name, "the value must be a table, not %s", describe(value))
        elseif value.__firn ~= container then
            value = container.new(value)
        end
        return value
    end
    function about.putInstance(lua, i, value, world)
        local handle = keep(world.tables, lua, value)
        fast.give_table(lua, handle)
        ffi.cast(handlePointer, lua.numbers + i)[0] = handle
        lua.rows[i] = lua.numbers + i
    end
    function about.put(lua, i, value, world)
        about.putInstance(lua, i, about.instanceOf(value), world)
    end
    function about.view(world, row)
        return tableOf(world, about, ffi.cast(handlePointer, row))
    end
    function about.read(world, lua, entity, handle)
        local number = fast.table(lua, entity, handle)
        if number > 0 then
            return world.tables[number]
        elseif lua.found then
            return make(world, about, number, nil, entity, handle)
        end
    end
    about.readMut = about.read
    function about.column(world, rows, count, writable)
        return setmetatable({[Column] = {
            world = world, about = about, rows = ffi.cast(handlePointer, rows), count = count,
            writable = writable,
        }}, Column)
    end
end

-- ---------------------------------------------------------------- fields

-- The declared fields: {name=, default=, formerNames=}, in order; those that the option has by name
-- come last, in the order of their names.
local function readFields(doing, options)
    local fields, seen, named = {}, {}, {}
    local function add(name, default, formerNames)
        if type(name) ~= "string" then
            misuse(doing, "fields: the name of a field is %s", describe(name))
        elseif seen[name] then
            misuse(doing, "there are two fields '%s'", name)
        end
        seen[name] = true
        fields[#fields + 1] = {name = name, default = default, formerNames = formerNames}
    end
    for i, entry in ipairs(options.fields or {}) do
        if type(entry) == "table" then
            add(rawget(entry, 1), rawget(entry, "default"), rawget(entry, "formerNames"))
        else
            add(entry)
        end
        seen[i] = true
    end
    for name in next, options.fields or {} do
        if not seen[name] then
            if type(name) ~= "string" then
                misuse(doing, "fields: the name of a field is %s", describe(name))
            end
            named[#named + 1] = name
        end
    end
    table.sort(named)
    for _, name in ipairs(named) do
        add(name, rawget(options.fields, name))
    end
    for name, default in next, options.defaults or {} do
        if not seen[name] then
            add(name)
        end
        for _, field in ipairs(fields) do
            if field.name == name then
                field.default = default
            end
        end
    end
    if #fields > 100 then
        misuse(doing, "%d fields are more than 100", #fields)
    end
    return fields
end

-- Fields whose former names stand in a save, in the order in which they are declared.
local function readRenames(doing, fields)
    local renames = {}
    for _, field in ipairs(fields) do
        if field.formerNames ~= nil then
            check.value(doing, ("field '%s': formerNames"):format(field.name), field.formerNames,
                "table")
        end
        for i, former in ipairs(field.formerNames or {}) do
            check.value(doing, ("field '%s': formerNames[%d]"):format(field.name, i), former,
                "string")
            for _, other in ipairs(fields) do
                if other.name == former then
                    misuse(doing, "'%s' is a field and a former name of '%s'", former, field.name)
                end
            end
            renames[#renames + 1] = {from = former, to = field.name}
        end
    end
    return renames
end

local function rename(renames, values)
    for i = 1, #renames do
        local from, to = renames[i].from, renames[i].to
        if rawget(values, from) ~= nil then
            if rawget(values, to) == nil then
                rawset(values, to, values[from])
            end
            rawset(values, from, nil)
        end
    end
end

-- ---------------------------------------------------------------- constructors

-- about.construct(_, ...) makes an instance of values in the order of the fields; about.adopt(values)
-- makes one of a table itself. Returns the constructor of values by name.
local function addConstructors(about, fields, metatable)
    local names, init, defaults = {}, about.init, {}
    for i, field in ipairs(fields) do
        names[i] = field.name
        if field.default ~= nil then
            defaults[#defaults + 1] = {name = field.name, value = field.default}
        end
    end
    local function adopt(instance)
        for i = 1, #defaults do
            local default = defaults[i]
            if rawget(instance, default.name) == nil then
                rawset(instance, default.name, copyOf(default.value))
            end
        end
        setmetatable(instance, metatable)
        if init then
            init(instance)
        end
        return instance
    end
    about.adopt = adopt
    function about.construct(_, ...)
        local instance, count = {}, select("#", ...)
        if count > #names then
            misuse(about.name, "it has %d fields, and %d more values were given", #names,
                count - #names)
        end
        for i = 1, count do
            instance[names[i]] = (select(i, ...))
        end
        return adopt(instance)
    end
    return function(values)
        if values ~= nil and type(values) ~= "table" then
            misuse(about.name, "the values must be a table, not %s", describe(values))
        end
        local instance = {}
        for key, value in next, values or instance do
            instance[key] = value
        end
        return adopt(instance)
    end
end

-- ---------------------------------------------------------------- saves

-- A function that makes an instance of what was saved, by the constructor that the component has then.
local function makeLoader(about, container, named, renames)
    return function(values)
        if type(values) ~= "table" then
            error("the save has " .. describe(values) .. ", not a table", 0)
        end
        rename(renames, values)
        local new = container.new
        if new == named then
            return about.adopt(values)
        elseif type(new) ~= "function" then
            error(("there is no constructor %s.new"):format(about.name), 0)
        end
        local instance = new(values)
        if type(instance) ~= "table" then
            error(("%s.new gave %s, not a table"):format(about.name, describe(instance)), 0)
        end
        return instance
    end
end

local function addCodec(about, container, named, fields, renames, metatable)
    local loaded = makeLoader(about, container, named, renames)
    local save, load, view = about.save, about.load, about.view
    local runs = not save and template.make(fields, metatable, keep, loaded)
    function about.makeCodec(world)
        local made, entityOf = {tables = true, plain = not save}, codec.entityOf(world)
        if about.transient then
            return made
        end
        function made.encode(row)
            local instance = view(world, row)
            if save then
                return save(instance)
            end
            return instance
        end
        function made.decode(row, saved)
            forgetDropped(world)
            local instance
            if load then
                local default = about.construct()
                instance = load(world, saved, default, entityOf)
                if instance == nil then
                    instance = default
                elseif type(instance) ~= "table" then
                    error("the loader gave " .. describe(instance) .. ", no instance", 0)
                elseif instance.__firn ~= container then
                    instance = loaded(instance)
                end
            else
                instance = loaded(saved)
            end
            ffi.cast(handlePointer, row)[0] = keep(world.tables, world.fast, instance)
        end
        if runs then
            made.size = runs.size
            function made.fill(rows, n, to)
                return runs.fill(world.tables, rows, n, to)
            end
            function made.unfill(rows, n, from)
                forgetDropped(world)
                local plain = container.new == named and not about.init
                return (plain and runs.unfill or runs.unfillThrough)(world.tables, world.fast, rows,
                    n, from)
            end
        end
        return codec.addAll(world, made)
    end
end

-- ---------------------------------------------------------------- newComponent

local OPTIONS = {
    name = "string", container = "table", fields = "table", defaults = "table", init = "function",
    requires = "table", transient = "boolean", formerNames = "table",
}
for name, kind in pairs(codec.OPTIONS) do
    OPTIONS[name] = kind
end

-- A component whose instances are tables, of any keys.
function component.newComponent(world, options)
    local doing = "newComponent"
    options = check.options(doing, options, OPTIONS)
    local about = {
        kind = component.KIND.struct, isTable = true, init = options.init, options = options,
        size = 4, align = 4,
        fields = {{name = "handle", type = 6, offset = 0, count = 0}}, -- an int32_t
    }
    local container = component.makeContainer(doing, options, about)
    local fields = readFields(doing, options)
    local renames = readRenames(doing, fields)
    codec.read(doing, options, about)
    local metatable = component.instanceMetatable(container)
    local named = addConstructors(about, fields, metatable)
    container.new = container.new or named
    addRows(about, container)
    addCodec(about, container, named, fields, renames, metatable)
    component.makeCallable(container, about.construct)
    component.finish(container, about)
    return component.define(doing, world, container)
end

return World
