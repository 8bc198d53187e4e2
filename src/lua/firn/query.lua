-- firn/query.lua: queries, loops over them, and the columns of what they match.
local api = require("firn.api")
local check = require("firn.check")
local checked = require("firn.checked")
local component = require("firn.component")
local World = require("firn.world")
local core, fast, ffi, misuse, describe = api.core, api.fast, api.ffi, check.fail, check.describe
local enterLoop, endLoop = World.enterLoop, World.endLoop

local Query = {}
Query.__index = Query

-- What a loop hands out for each archetype: the loop itself, as it stands then.
local Archetype = {}
Archetype.__index = Archetype

-- ---------------------------------------------------------------- newQuery

-- The options, and the kinds of their terms in firn_term_kind.
local KINDS = {"include", "exclude", "any", "optional"}
local QUERY_OPTIONS = {
    include = "table", exclude = "table", any = "table", optional = "table", name = "string",
}

-- The component and the target of a term: a component, or an edge.
local function readTerm(world, doing, place, term)
    local defined, target = term, 0
    if type(term) == "cdata" then
        local ok, of = pcall(function()
            return term.__firn
        end)
        defined = ok and of or nil
        if not component.is(defined) or not defined.__about.isRelation then
            misuse(doing, "%s must be a component or an edge, not %s", place, describe(term))
        end
        target = term.target
    end
    return component.handle(doing, world, defined, place), target, defined
end

-- The lists that core.query_create takes, and which column belongs to which component. Filters of
-- saves are read by it, too.
function World.readTerms(world, doing, options)
    local terms = {handles = {}, kinds = {}, targets = {}, places = {}}
    for kind, name in ipairs(KINDS) do
        for i, term in ipairs(check.list(doing, name, options[name])) do
            local handle, target, defined =
                readTerm(world, doing, ("%s[%d]"):format(name, i), term)
            local place = #terms.handles
            terms.handles[place + 1] = handle
            terms.kinds[place + 1] = kind - 1
            terms.targets[place + 1] = target
            if name ~= "exclude" and not terms.places[defined] then
                terms.places[defined] = place
            end
        end
    end
    return terms
end

-- newQuery{include={}, exclude={}, any={}, optional={}, name=}: lists of components and edges.
function World:newQuery(options)
    local doing = "newQuery"
    World.fastOf(self, doing)
    options = check.options(doing, options, QUERY_OPTIONS)
    local terms = World.readTerms(self, doing, options)
    local handle = core.query_create(self.core, options.name, terms.handles, terms.kinds,
        terms.targets)
    return setmetatable({
        world = self, handle = handle, places = terms.places, spare = {},
    }, Query)
end

local function handleOf(query, doing)
    return query.handle or misuse(doing, "the query has been destroyed")
end

-- count(): how many entities match now
function Query:count()
    local lua = World.enter(self.world, "count")
    return fast.query_count(lua, handleOf(self, "count"))
end

-- destroy(): forgets the query.
function Query:destroy()
    World.settle(self.world, "destroy")
    core.query_destroy(self.world.core, handleOf(self, "destroy"))
    self.handle = nil
end

-- close(): ends the loops over it that are open.
function Query:close()
    local world = self.world
    World.fastOf(world, "close")
    for i = world.loopCount, 1, -1 do
        local loop = world.loops[i]
        if loop and loop.query == self then
            endLoop(world, loop, "close")
        end
    end
end

-- ---------------------------------------------------------------- loops

local idPointer = ffi.typeof("const int64_t *") -- ids have 53 bits, and signed ones convert faster

-- Opens a loop when its first step is asked for: then it stands where World.settle looks for it, which a
-- finalizer may call at any time.
local function begin(loop)
    local world, query = loop.world, loop.query
    local lua = World.settle(world, "each")
    local handle = handleOf(query, "each")
    -- The C side of a loop is large: those of loops that are over are used again.
    local spare = query.spare
    local iter = spare[#spare] or ffi.new("firn_iter")
    spare[#spare] = nil
    loop.iter = iter
    fast.loop_begin(lua, handle, iter)
    enterLoop(world, loop)
    return iter
end

local function nextStep(loop)
    local world = loop.world
    local lua = world.fast
    if not loop.open or not lua then
        misuse("each", lua and "the loop has ended" or "the world has been destroyed")
    end
    local iter = loop.iter or begin(loop)
    if fast.loop_next(lua, iter) then
        local count = iter.count
        loop.count, loop.step = count, loop.step + 1
        loop.ids = ffi.cast(idPointer, iter.entities)
        return loop, count
    end
    endLoop(world, loop, "each")
    return nil
end

-- each(): `for archetype, count in query:each() do`. Changes of structure inside wait for the end.
function Query:each()
    World.fastOf(self.world, "each")
    handleOf(self, "each")
    return nextStep, setmetatable({
        world = self.world, query = self, places = self.places, iter = false, open = true, count = 0,
        hint = 0, step = 0,
    }, Archetype)
end

-- ---------------------------------------------------------------- archetypes

-- The place of a component among the terms.
local function placeOf(loop, doing, defined)
    local place = loop.places[defined]
    if not place then
        component.handle(doing, loop.world, defined)
        misuse(doing, "'%s' is no term of the query", defined.__about.name)
    elseif loop.count == 0 then
        misuse(doing, "the loop has ended")
    end
    return place
end

local function columnOf(loop, defined, rows, writable)
    local column = defined.__about.column(loop.world, rows, loop.count, writable)
    return loop.world.debug and column ~= nil and checked.column(loop, defined, column, writable)
        or column
end

-- column(component): its rows, for reading: a pointer to row 0, or nil where it is not there.
function Archetype:column(defined)
    local place = placeOf(self, "column", defined)
    local rows = self.iter.columns[place]
    if rows ~= nil then
        return columnOf(self, defined, rows, false)
    end
end

-- columnMut(component): its rows, for writing.
function Archetype:columnMut(defined)
    local place = placeOf(self, "columnMut", defined)
    local rows = self.iter.columns[place]
    if rows ~= nil then
        return columnOf(self, defined, rows, true)
    end
end

-- entity(i): the entity of row i, from 0
function Archetype:entity(i)
    if type(i) ~= "number" or not (i >= 0 and i < self.count) or i % 1 ~= 0 then
        misuse("entity", "there is no row %s", describe(i))
    end
    return tonumber(self.ids[i])
end

-- has(component): whether its entities have it
function Archetype:has(defined)
    local lua = World.fastOf(self.world, "has")
    local handle = self.world.handles[defined] or component.handle("has", self.world, defined)
    return self.count > 0 and fast.has(lua, tonumber(self.ids[0]), handle)
end
