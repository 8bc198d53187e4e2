-- docs.lua: the blocks of docs/lua.md are one program, in order; and that page and the reference name
-- and show all that is public.
local blocks = require("blocks")
local firn = require("firn")

local test = {}

local program, at = {}, 0
local code, prose = {}, {}

local function collect(heading, line, lines)
    code[#code + 1] = table.concat(lines, "\n")
end

local function note(line)
    prose[#prose + 1] = line
end

blocks.read("lua.md", function(heading, line, lines)
    collect(heading, line, lines)
    for i, text in ipairs(lines) do
        program[line + i] = text
        at = line + i
    end
end, note)
blocks.read("lua-reference.md", collect, note)
blocks.read("lua-game.md", collect, note)
blocks.read("lua-saves.md", collect, note)
blocks.read("lua-script.md", collect, note)
code, prose = table.concat(code, "\n"), table.concat(prose, "\n")

function test.the_guide_is_a_program_that_runs()
    local lines = {}
    for i = 1, at do
        lines[i] = program[i] or ""
    end
    local chunk = blocks.compile("lua.md", 0, lines)
    setfenv(chunk, setmetatable({}, {__index = _G}))()
end

-- ---------------------------------------------------------------- all that is public

-- Functions that stand among the public ones, but are for the binding's own files.
local PRIVATE = {
    World = {
        checkEntity = "arguments", endLoop = "loops", enter = "loops", enterLoop = "loops",
        fastOf = "destroyed worlds", setBy = "changes",
        forgetTables = "table components", handOver = "arguments",
        new = "it is firn.newWorld", preparations = "what files do to new worlds", readTerms = "queries and filters",
        readAgain = "changes", putAll = "arguments", busOf = "options",
        remember = "replacements", unmake = "replacements",
        settle = "loops", copyItem = "table components",
    },
}

-- The names of a class that users may call.
local function methods(class, object)
    local names = {}
    for name in pairs(getmetatable(object).__index) do
        local private = PRIVATE[class] and PRIVATE[class][name] or name:find("^__")
        names[#names + 1] = not private and name or nil
    end
    assert(#names > 0, class)
    return names
end

-- In examples, an object may have any name.
local function missing(list, prefix, names, how)
    for _, name in ipairs(names) do
        for place, text in pairs({example = code, text = prose}) do
            local before = place == "example" and prefix:gsub("^%w+:", "%%w[:.]") or prefix
            if not text:find(before .. name .. "%f[^%w]") then
                list[#list + 1] = ("%s%s stands in no %s"):format(how, name, place)
            end
        end
    end
end

local function complain(list)
    table.sort(list)
    assert(#list == 0, "\n" .. table.concat(list, "\n"))
end

function test.every_function_is_named_and_shown()
    local world = firn.newWorld()
    local _, loop = world:newQuery({}):each()
    local list, names = {}, {}
    for name in pairs(firn) do
        names[#names + 1] = name
    end
    missing(list, "firn%.", names, "firn.")
    missing(list, "world:", methods("World", world), "world:")
    missing(list, "query:", methods("Query", world:newQuery({})), "query:")
    missing(list, "archetype:", methods("Archetype", loop), "archetype:")
    missing(list, "system:", methods("System", world:addSystem({run = print})), "system:")
    missing(list, "queue:", methods("Queue", world:newQueue({firn.OnSpawn})), "queue:")
    missing(list, "stream:", methods("Random", world:random("x")), "stream:")
    missing(list, "bus:", methods("Bus", firn.newBus()), "bus:")
    missing(list, "saves:", methods("Saves", firn.saves.open(world, {game = "docs"})), "saves:")
    world:addSequence("docs", {start = true})
    missing(list, "cursor:", methods("Cursor", world:startCursor({sequence = "docs"})), "cursor:")
    names = {}
    for name in pairs(firn.saves) do
        names[#names + 1] = name
    end
    missing(list, "firn%.saves%.", names, "firn.saves.")
    complain(list)
end

-- The options stand in the sources as tables: `local SAVE_OPTIONS = {path = "string", ...}`.
function test.every_option_is_named_and_shown()
    local list, seen, count = {}, {}, 0
    local folder = os.getenv("FIRN_TEST_DATA") .. "/../../src/lua/firn/"
    for _, file in ipairs({"class", "codec", "game", "kinds", "query", "replace", "saves", "saves_storage", "script", "snapshot", "struct",
        "tables", "world"}) do
        local source = assert(io.open(folder .. file .. ".lua")):read("*a")
        for options in source:gmatch("OPTIONS%s*=%s*(%b{})") do
            count = count + 1
            for name in options:gmatch("(%w+)%s*=") do
                seen[name] = true
            end
        end
    end
    assert(count >= 22 and seen.filterQuery and seen.keepUnknown, count)
    local names = {}
    for name in pairs(seen) do
        names[#names + 1] = name
    end
    missing(list, "%f[%w]", names, "option ")
    complain(list)
end

-- What the binding makes tables of for the game: their fields.
function test.every_field_is_named()
    local world = firn.newWorld()
    local prelude, report = world:loadSnapshot(world:saveSnapshot())
    local _, merged = world:mergeSnapshot(world:saveSnapshot())
    local _, problem = pcall(world.loadSnapshot, world, "junk")
    local names = {}
    local saves = firn.saves.open(world, {game = "docs", storage = firn.saves.memory()})
    saves:write("one")
    local loaded, slot = saves:read("one"), saves:list()[1]
    for _, of in ipairs({prelude, report, merged, problem, loaded, loaded.envelope, slot}) do
        for name in pairs(of) do
            names[#names + 1] = name
        end
    end
    for _, name in ipairs({
        "cause", "traceback", "entity", "name", "address", "count", "entities", "component", "target",
        "payload", "bytes", "prelude", "addData", "exclude", "onData", "tag",
    }) do
        names[#names + 1] = name
    end
    local list = {}
    for _, name in ipairs(names) do
        if not prose:find("%f[%w]" .. name .. "%f[^%w]") then
            list[#list + 1] = "the field " .. name
        end
    end
    complain(list)
end

return test
