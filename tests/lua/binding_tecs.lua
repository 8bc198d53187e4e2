-- The files of tests/golden/tecs, loaded with components that are registered in Lua.
local firn = require("firn")
local buffer = require("string.buffer")
local ffi = require("ffi")
local tecs = require("tecs")

local test = {}

local function load(entry)
    local world = tecs.world(entry)
    local prelude, report = world:loadSnapshot(tecs.image(entry))
    return world, prelude, report
end

-- ---------------------------------------------------------------- each file, whole

local function checkPrelude(entry, expect, prelude)
    local table_ = expect.prelude.componentTable
    assert(prelude.version == (entry.version or expect.prelude.version), prelude.version)
    assert(prelude.nextEntityId == expect.prelude.nextEntityId)
    assert(prelude.entityCount == expect.prelude.entityCount)
    assert(prelude.archetypeCount == expect.prelude.archetypeCount)
    assert(#prelude.componentTable == #table_)
    for i, component in ipairs(prelude.componentTable) do
        assert(component.name == table_[i].name, component.name)
        assert(component.fingerprint == table_[i].fingerprint, component.fingerprint)
    end
end

-- The data of the game, in its order.
local function checkData(world, entry, expect)
    local heard = {}
    world:loadSnapshot(tecs.image(entry), {
        onData = function(loaded, value, key)
            assert(loaded == world)
            heard[#heard + 1] = {key = key, value = value}
        end,
    })
    local difference = tecs.differs(tecs.meant(expect.data or {}), heard, "data")
    assert(not difference, difference)
end

local function checkStates(world, expect)
    local stack, top = world:states(), world:topState()
    assert(#stack == #expect.stateStack)
    for i, name in ipairs(expect.stateStack) do
        assert(stack[i].name == name, stack[i].name)
    end
    assert((top and top.name) == expect.stateStack[#expect.stateStack])
end

-- A file with 21 phases is older than the phase Ingress.
local function checkPhases(world, expect)
    local place = 0
    assert(world:accumulator() == expect.fixedAccumulator)
    for _, name in ipairs(world:phases()) do
        if name == "Ingress" and #expect.phaseStates == 21 then
            assert(world:phaseEnabled(name))
        else
            place = place + 1
            assert(world:phaseEnabled(name) == expect.phaseStates[place], name)
        end
    end
    assert(place == #expect.phaseStates)
end

local function checkKeys(world, expect)
    local found = 0
    for _, entity in ipairs(expect.entities) do
        local key = entity.components.Key
        if key then
            assert(world:requireKey(key) == entity.id and world:findKey(key) == entity.id)
            found = found + 1
        end
    end
    assert(found == #(expect.keyIndex or {}))
end

local function checkDraws(world, expect)
    for name, draws in pairs(expect.nextDraws or {}) do
        local stream = world:random(name)
        assert(#draws == 5)
        for _, draw in ipairs(draws) do
            assert(stream:next() == draw, name)
        end
    end
end

-- Slots that are free are used again, with another generation, before those that come.
local function checkSlots(world, expect)
    local free = {}
    for _, slot in ipairs(expect.freeSlots) do
        free[slot] = true
    end
    for _ = 1, #expect.freeSlots do
        local entity = world:spawn()
        assert(free[entity % 2 ^ 22] and entity >= 2 ^ 22, entity)
        free[entity % 2 ^ 22] = nil
    end
    assert(world:spawn() == expect.nextFreshSlot)
end

for _, entry in ipairs(tecs.files) do
    local name = entry.path:gsub("[^%w]", "_")
    test["T22_" .. name .. "_loads_to_its_expected_values"] = function()
        local expect = tecs.expectation(entry)
        local world, prelude, report = load(entry)
        assert(report.committed)
        checkPrelude(entry, expect, prelude)
        tecs.check(world, entry, expect)
        checkData(world, entry, expect)
        tecs.check(world, entry, expect)
        checkStates(world, expect)
        checkPhases(world, expect)
        checkKeys(world, expect)
        checkDraws(world, expect)
        checkSlots(world, expect)
    end

    test["T22_" .. name .. "_is_saved_again_and_loads_to_the_same"] = function()
        local expect = tecs.expectation(entry)
        local options = {sparseEdges = entry.edges}
        local first = load(entry)
        local bytes = first:saveSnapshot(options).buffer
        local plain = first:saveSnapshot({format = "table", sparseEdges = entry.edges})
        for _, source in ipairs({bytes:tostring(), bytes, {buffer = bytes}, plain,
            plain.snapshot}) do
            local world = tecs.world(entry)
            world:loadSnapshot(source)
            tecs.check(world, entry, expect)
            assert(world:saveSnapshot(options).buffer:tostring() == bytes:tostring())
        end
    end

    if tecs.table(entry) then
        test["T1_" .. name .. "_loads_from_the_table_that_Tecs_wrote"] = function()
            local world = tecs.world(entry)
            world:loadSnapshot(tecs.table(entry))
            tecs.check(world, entry, tecs.expectation(entry))
            local other = load(entry)
            assert(other:saveSnapshot().buffer:tostring() == world:saveSnapshot().buffer:tostring())
        end
    end
end

-- ---------------------------------------------------------------- what one file shows

function test.the_files_are_those_that_the_C_tests_load()
    local seen, tables = {}, 0
    for _, entry in ipairs(tecs.files) do
        assert(not seen[entry.path], entry.path)
        seen[entry.path] = true
        tables = tables + (tecs.table(entry) and 1 or 0)
    end
    assert(#tecs.files == 33 and tables >= 20, tables)
    local source = assert(io.open(os.getenv("FIRN_TEST_DATA") .. "/tecs_components.c"))
    local listed = 0
    for path in source:read("*a"):gmatch('GOLDEN%("([^"]+)"') do
        assert(seen[path], path)
        listed = listed + 1
    end
    source:close()
    assert(listed == #tecs.files)
end

function test.N12_no_prefix_of_a_file_loads_or_changes_the_world()
    for _, entry in ipairs(tecs.files) do
        local world = load(entry)
        local image = tecs.image(entry)
        world:spawn()
        local before = world:hash()
        for size = 0, #image - 1, math.max(1, math.floor(#image / 40)) do
            local ok, problem = pcall(world.loadSnapshot, world, image:sub(1, size))
            assert(not ok and problem.committed == false, entry.path)
            assert(problem.result == "FIRN_TRUNCATED" or problem.result == "FIRN_CORRUPT"
                or problem.result == "FIRN_NOT_OURS", problem.result)
            assert(problem.offset <= size)
        end
        assert(world:hash() == before)
    end
end

function test.T22_a_target_of_16_digits_is_an_exact_number()
    local world = load(tecs.find("12_large_target_name"))
    local target = 9007199250546693
    assert(world:target(6, world.specs.Likes) == target and world:isAlive(target))
    assert(#world:sources(target, world.specs.Likes) == 1)
end

function test.T6_a_state_of_a_file_must_be_there()
    local entry = tecs.find("13_states")
    local world = tecs.world({components = entry.components, states = {"base"}})
    local before = world:hash()
    local ok, problem = pcall(world.loadSnapshot, world, tecs.image(entry))
    assert(not ok and tostring(problem):find("game", 1, true), tostring(problem))
    assert(world:hash() == before)
end

function test.N12_a_codec_that_raises_changes_nothing_and_says_why()
    local entry = tecs.find("07_custom_codecs")
    local world = load(entry)
    local before = world:hash()
    local image = tecs.image(entry):gsub("rock%.png", "mock.png")
    local ok, problem = pcall(world.loadSnapshot, world, image)
    assert(not ok and tostring(problem):find("no image has that name", 1, true), tostring(problem))
    assert(problem.committed == false and tostring(problem):find("SpriteLike", 1, true))
    assert(world:hash() == before)
end

function test.N6_a_serializer_that_returns_nil_leaves_its_component_out()
    local entry = tecs.find("07_custom_codecs")
    local world = load(entry)
    local NilCodec = world.specs.NilCodec
    world:set(5, NilCodec.new({v = 1}))
    world:loadSnapshot(world:saveSnapshot())
    assert(world:isAlive(5) and not world:has(5, NilCodec))
end

function test.T14_entities_of_transient_components_only_are_kept()
    local world = load(tecs.find("20_transient_requires"))
    assert(world:has(1, world.specs.Runtime) and world:isAlive(2))
    assert(#world:components(2) == 0)
end

-- A world with the component Number, and the component.
local function numberWorld(of)
    local world = firn.newWorld()
    return world, world:newFFIComponent({name = "Number", fields = {{"n", of}}})
end

function test.T13_a_field_of_another_type_makes_of_each_number_what_is_right()
    local groups, count = {}, 0
    for _, case in ipairs(tecs.matrix()) do
        local key = case.from .. " to " .. case.to
        groups[key] = groups[key] or {from = case.from, to = case.to}
        table.insert(groups[key], case)
        count = count + 1
    end
    assert(count == 490, count)
    for key, cases in pairs(groups) do
        local old, From = numberWorld(cases.from)
        local ids, changed = {}, 0
        for i, case in ipairs(cases) do
            local number = From()
            ffi.copy(number, case.source, ffi.sizeof(number))
            ids[i] = old:spawn(number)
            changed = changed + (case.changed and 1 or 0)
        end
        local newer, To = numberWorld(cases.to)
        local _, report = newer:loadSnapshot(old:saveSnapshot())
        assert(report.changedValues == changed, key)
        for i, case in ipairs(cases) do
            local row = newer:get(ids[i], To)
            local same = row.n ~= row.n and cases.to:find("[fd]") -- one NaN is as good as another
                or ffi.string(row, ffi.sizeof(To())) == case.target:sub(1, ffi.sizeof(To()))
            assert(same, key)
        end
    end
end

-- Another value of the same type, as close as can be.
local function another(value)
    if type(value) == "number" then
        local more = value * (1 + 2 ^ -52)
        return value == 0 and -value or more ~= value and more or value + 5e-324
    elseif type(value) == "string" then
        return value:find("^%$i64") and value .. "1" or value .. "\0"
    end
    return not value
end

-- Changes each leaf of a tree for a moment.
local function eachChange(tree, notice)
    tree.another = true
    notice()
    tree.another = nil
    local keys = {}
    for key in pairs(tree) do
        keys[#keys + 1] = key
    end
    for _, key in ipairs(keys) do
        local value = tree[key]
        if type(value) == "table" then
            eachChange(value, notice)
        else
            tree[key] = another(value)
            notice()
            tree[key] = value
        end
    end
end

function test.the_comparison_notices_every_changed_expectation()
    for _, entry in ipairs(tecs.files) do
        local world, expect, tried = load(entry), tecs.expectation(entry), 0
        for _, entity in ipairs(expect.entities) do
            eachChange(entity.components, function()
                tried = tried + 1
                assert(tecs.difference(world, entry, expect), entry.path)
            end)
        end
        tecs.check(world, entry, expect)
        assert(tried >= #expect.entities)
    end
end

function test.a_file_that_is_read_from_a_buffer_is_still_in_it()
    local entry = tecs.find("03_dense_ffi")
    local bytes = buffer.new():put(tecs.image(entry))
    local prelude = firn.checkSnapshot(bytes)
    assert(prelude.entityCount == 5 and #bytes == #tecs.image(entry))
    local world = tecs.world(entry)
    world:loadSnapshot(bytes)
    assert(bytes:tostring() == tecs.image(entry))
end

return test
