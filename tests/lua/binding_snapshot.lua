-- Saves, loads, handlers, and the events of both.
local firn = require("firn")
local buffer = require("string.buffer")
local amongFinalizers = require("finalizers")

local Position = firn.newFFIComponent({
    name = "SnapPosition", fields = { { "x", "float" }, { "y", "float" } },
})
local Marked = firn.newTag({ name = "SnapMarked" })

local test = {}

local function filled()
    local world = firn.newWorld({ name = "filled" })
    local ids = {}
    for i = 1, 10 do
        ids[i] = i % 2 == 0 and world:spawn(Position(i, -i), Marked) or world:spawn(Position(i, 2 * i))
    end
    world:despawn(ids[3])
    return world, ids
end

local function refuses(part, fn, ...)
    local ok, problem = pcall(fn, ...)
    assert(not ok, "it was not refused")
    assert(tostring(problem):find(part, 1, true), tostring(problem))
    return problem
end

function test.T1_a_binary_save_is_the_default_and_comes_back_tagged()
    local world = filled()
    local save = world:saveSnapshot()
    assert(save.format == "binary" and getmetatable(save.buffer) == "buffer")
    local named = world:saveSnapshot({ format = "binary" })
    assert(named.buffer:tostring() == save.buffer:tostring())
    local plain = world:saveSnapshot({ format = "table" })
    assert(plain.format == "table" and plain.snapshot.version == 1)
    assert(plain.snapshot.entityCount == 9)
end

function test.T2_every_form_of_a_snapshot_loads_and_a_buffer_is_not_consumed()
    local world, ids = filled()
    local save = world:saveSnapshot()
    local bytes = save.buffer:tostring()
    local plain = world:saveSnapshot({ format = "table" })
    for _, source in ipairs({ bytes, save.buffer, save, plain, plain.snapshot }) do
        local other = firn.newWorld()
        local prelude, report = other:loadSnapshot(source)
        assert(prelude.entityCount == 9 and report.committed)
        assert(other:isAlive(ids[1]) and not other:isAlive(ids[3]))
        assert(other:get(ids[4], Position).y == -4)
        assert(other:saveSnapshot().buffer:tostring() == bytes)
    end
    assert(#save.buffer == #bytes)
end

function test.T2_a_supplied_buffer_is_reset_and_filled_again()
    local world = filled()
    local own = buffer.new()
    own:put("what was there")
    local first = world:saveSnapshot({ buffer = own })
    assert(first.buffer == own)
    local bytes = own:tostring()
    for _ = 1, 3 do
        world:saveSnapshot({ buffer = own })
        assert(own:tostring() == bytes)
    end
end

function test.T2_saves_into_one_buffer_hold_what_the_world_has_become()
    local world, own = firn.newWorld(), buffer.new()
    local options, heard, id = { buffer = own }, 0, world:spawn(Position(0, 0))
    local function check()
        assert(world:saveSnapshot(options).buffer == own)
        local other = buffer.new()
        world:saveSnapshot({ buffer = other, format = "binary" })
        assert(own:tostring() == other:tostring())
    end
    local changes = {
        [20] = function()
            world:spawnMany(20000, Position(1, 1)) -- more than the blocks have room for
        end,
        [40] = function()
            for _ in world:newQuery({ include = { Position } }):each() do
                world:add(id, Marked)
                refuses("open", world.saveSnapshot, world, options)
                break -- the change waits for the next call
            end
        end,
        [60] = function()
            world:observe(0, firn.OnSnapshotSave, function(event)
                heard = heard + 1
                event:addData("heard", 1)
            end)
        end,
        [80] = function()
            options.customData = { a = 1 }
            refuses("open", function()
                for _ in world:newQuery({ include = { Position } }):each() do
                    world:saveSnapshot(options)
                end
            end)
            options.customData = nil
        end,
    }
    for round = 1, 100 do
        world:set(id, Position(round, 0))
        if changes[round] then
            changes[round]()
        end
        check()
    end
    assert(world:has(id, Marked) and heard == 82)
end

function test.T3_a_table_save_refuses_buffer_and_path()
    local world = filled()
    refuses("'buffer'", world.saveSnapshot, world, { format = "table", buffer = buffer.new() })
    refuses("'path'", world.saveSnapshot, world, { format = "table", path = "x" })
    refuses("unknown option 'fromat'", world.saveSnapshot, world, { fromat = "table" })
    refuses("format", world.saveSnapshot, world, { format = "json" })
end

function test.T8_custom_data_reaches_its_listeners()
    local world = filled()
    local data = { build = "v12", checkpoint = { level = "intro", elapsed = 42.5 } }
    local save = world:saveSnapshot({ customData = data })
    local seen = {}
    world:loadSnapshot(save, {
        onData = function(loaded, value, key)
            assert(loaded == world)
            seen[key] = value
        end,
    })
    assert(seen.build == "v12" and seen.checkpoint.level == "intro")
    refuses("__tecs.x", world.saveSnapshot, world, { customData = { ["__tecs.x"] = 1 } })
    local problem = refuses(".fn is a function", world.saveSnapshot, world,
        { customData = { bad = { fn = print } } })
    assert(problem.result == "FIRN_INVALID" and problem.subject == "bad")
    refuses("a key is a number", world.saveSnapshot, world, { customData = { 1 } })
end

function test.T15_the_events_of_a_save_and_a_load_offer_what_they_should()
    local world, ids = filled()
    local order = {}
    world:observe(0, firn.OnSnapshotSave, function(event)
        event:addData("own", { 1, 2 })
        event:exclude(Marked)
        event.addData = nil -- has no effect on anything but this table
        order[#order + 1] = "save"
    end)
    world:observe(0, firn.OnSnapshotSave, function(event)
        event:addData("second", true)
        order[#order + 1] = "save again"
    end)
    local save = world:saveSnapshot()
    local other = firn.newWorld()
    other:observe(0, firn.StartSnapshotLoad, function(event)
        assert(other:isAlive(ids[1]))
        event:onData("own", function(loaded, value, key)
            assert(loaded == other and key == "own" and value[2] == 2)
            order[#order + 1] = "first"
        end)
        event:onData("own", function()
            order[#order + 1] = "second"
        end)
    end)
    other:observe(0, firn.FinishSnapshotLoad, function(event)
        assert(event.prelude.entityCount == 4)
        order[#order + 1] = "finish"
    end)
    other:loadSnapshot(save)
    assert(table.concat(order, ",") == "save,save again,first,second,finish")
    assert(not other:isAlive(ids[2]))
end

function test.T15_an_event_that_is_over_does_nothing()
    local world = filled()
    local kept
    world:observe(0, firn.OnSnapshotSave, function(event)
        kept = event
    end)
    world:saveSnapshot()
    refuses("the event is over", kept.addData, kept, "late", 1)
    refuses("the event is over", kept.exclude, kept, Marked)
    world:observe(0, firn.StartSnapshotLoad, function(event)
        kept = event
    end)
    world:loadSnapshot(world:saveSnapshot())
    refuses("onData: the event is over", kept.onData, kept, "late", print)
end

function test.T15_keys_that_events_cannot_take_are_refused_there()
    local world = filled()
    local bytes = world:saveSnapshot().buffer:tostring()
    local calls = 0
    world:observe(0, firn.OnSnapshotSave, function(event)
        calls = calls + 1
        refuses("addData: data key __firn.x is reserved", event.addData, event, "__firn.x", 1)
        event:addData("once", 1)
        refuses("addData: data key once is there twice", event.addData, event, "once", 2)
    end)
    world:observe(0, firn.StartSnapshotLoad, function(event)
        calls = calls + 1
        refuses("onData: the data key is empty", event.onData, event, "", print)
        refuses("onData: data key __firn.x", event.onData, event, "__firn.x", print)
    end)
    world:saveSnapshot()
    world:loadSnapshot(bytes)
    assert(calls == 2)
end

function test.T18_handlers_save_load_and_finish_in_their_order()
    local world = filled()
    local log = {}
    for _, name in ipairs({ "game.b", "game.a" }) do
        world:addSnapshotHandler({
            name = name,
            save = function(saved)
                assert(saved == world)
                return name == "game.b" and { name } or nil
            end,
            load = function(_, value)
                log[#log + 1] = "load " .. value[1]
            end,
            finish = function(_, prelude)
                assert(prelude.version == 1)
                log[#log + 1] = "finish " .. name
            end,
        })
    end
    world:loadSnapshot(world:saveSnapshot())
    assert(table.concat(log, ",") == "load game.b,finish game.b,finish game.a")
    refuses("FIRN_EXISTS", function()
        local ok, problem = pcall(world.addSnapshotHandler, world, { name = "game.a", save = print })
        assert(not ok)
        error(problem.result)
    end)
    world:removeSnapshotHandler("game.a")
    world:addSnapshotHandler({ name = "game.a", save = function() end })
    refuses("'name' is missing", world.addSnapshotHandler, world, { save = print })
    refuses("none of save, load", world.addSnapshotHandler, world, { name = "x" })
    refuses("unknown option 'lod'", world.addSnapshotHandler, world, { name = "x", lod = print })
end

function test.N12_a_handler_that_raises_before_commit_changes_nothing()
    local world, ids = filled()
    local save = world:saveSnapshot().buffer:tostring()
    world:despawn(ids[1])
    local before = world:hash()
    world:addSnapshotHandler({
        name = "game.no",
        check = function()
            error({ code = 7 })
        end,
    })
    local problem = refuses("loadSnapshot", world.loadSnapshot, world, save)
    assert(problem.result == "FIRN_REFUSED" and problem.cause.code == 7)
    assert(problem.committed == false and problem.traceback)
    assert(world:hash() == before)
    world:removeSnapshotHandler("game.no")
    world:addSnapshotHandler({
        name = "game.late",
        finish = function()
            error("too late")
        end,
    })
    problem = refuses("too late", world.loadSnapshot, world, save)
    assert(problem.committed == true and world:isAlive(ids[1]))
end

function test.T11_a_failed_save_leaves_world_and_buffer_as_they_should_be()
    local world = filled()
    local before = world:hash()
    world:addSnapshotHandler({
        name = "game.bad",
        save = function()
            local cycle = {}
            cycle.cycle = cycle
            return cycle
        end,
    })
    local own = buffer.new()
    local problem = refuses("game.bad", world.saveSnapshot, world, { buffer = own })
    assert(problem.result and #own == 0)
    world:removeSnapshotHandler("game.bad")
    assert(world:hash() == before)
end

function test.T16_a_path_writes_the_very_bytes_of_the_buffer()
    local world = filled()
    local path = os.tmpname()
    local save = world:saveSnapshot({ path = path })
    local file = assert(io.open(path, "rb"))
    assert(file:read("*a") == save.buffer:tostring())
    file:close()
    os.remove(path)
    os.remove(path .. ".bak")
    refuses("FIRN_NOT_FOUND", function()
        local _, problem = pcall(world.saveSnapshot, world, { path = "/nowhere/at/all" })
        error(problem.result)
    end)
end

function test.T16_filters_and_layers_select()
    local world, ids = filled()
    local query = { include = { Position }, exclude = { Marked } }
    local other = firn.newWorld()
    other:loadSnapshot(world:saveSnapshot({ filterQuery = query }))
    assert(other:isAlive(ids[1]) and not other:isAlive(ids[2]))
    assert(#query.include == 1 and #query.exclude == 1)
    assert(other:loadSnapshot(world:saveSnapshot({ layers = { 2, 3 } })).entityCount == 9)
    for _, layer in ipairs({ 1.5, -1, 32, 0 / 0 }) do
        refuses("layers[2] is ", world.saveSnapshot, world, { layers = { 0, layer } })
    end
    refuses("wireVersion is 3", world.saveSnapshot, world, { wireVersion = 3 })
    refuses("unknown option 'filterQuery.inclde'", world.saveSnapshot, world,
        { filterQuery = { inclde = {} } })
end

function test.T17_bytes_that_are_no_snapshot_are_refused_and_change_nothing()
    local world = filled()
    local before = world:hash()
    local bytes = world:saveSnapshot().buffer:tostring()
    for size = 0, #bytes - 1, 7 do
        local ok, problem = pcall(world.loadSnapshot, world, bytes:sub(1, size))
        assert(not ok and problem.result, size)
    end
    assert(refuses("version", world.loadSnapshot, world, firn.encode(3) .. bytes:sub(10)).result ==
        "FIRN_VERSION")
    for _, wrong in ipairs({ 7, true, print, coroutine.create(print) }) do
        refuses("snapshot: a string, a buffer, a table", world.loadSnapshot, world, wrong)
    end
    refuses("unknown option 'strict'", world.loadSnapshot, world, bytes, { strict = true })
    refuses("above the limit", world.loadSnapshot, world, bytes, { limits = { entities = 3 } })
    refuses("limits is a boolean", world.mergeSnapshot, world, bytes, { limits = true })
    refuses("above the limit", world.mergeSnapshot, world, bytes, { limits = { entities = 3 } })
    for _, read in ipairs({ firn.checkSnapshot, firn.hashSnapshot }) do
        assert(refuses("not a snapshot", read, "x").result == "FIRN_NOT_OURS")
        assert(refuses("Snapshot: ", read, bytes:sub(1, -2)).result == "FIRN_TRUNCATED")
        refuses("above the limit", read, bytes, { entities = 3 })
    end
    refuses("loadSnapshot: .data[1].value is a function", world.loadSnapshot, world,
        { version = 2, archetypes = {}, data = { { key = "a", value = print } } })
    assert(firn.newWorld():loadSnapshot(bytes, { limits = "untrusted" }).entityCount == 9)
    assert(world:hash() == before)
end

function test.F1_hashes_of_worlds_and_of_their_bytes_are_equal()
    local world = filled()
    local total, components = world:hash()
    local bytes = world:saveSnapshot().buffer:tostring()
    local image, imageComponents = firn.hashSnapshot(bytes)
    assert(total == image and #total == 16)
    assert(components.SnapPosition and components.SnapPosition == imageComponents.SnapPosition)
    assert(firn.checkSnapshot(bytes).entityCount == 9)
end

function test.F8_a_merge_gives_new_ids_and_tells_them()
    local world, ids = filled()
    local save = world:saveSnapshot()
    for _, source in ipairs({ save, world:saveSnapshot({ format = "table" }) }) do
        local map, report = world:mergeSnapshot(source)
        assert(map[ids[4]] ~= ids[4] and world:get(map[ids[4]], Position).x == 4)
        assert(report.committed and report.dangling == 0)
    end
end

function test.N1_a_table_that_the_caller_edits_loads()
    local world, ids = filled()
    local plain = world:saveSnapshot({ format = "table" }).snapshot
    plain.data = plain.data or {}
    plain.data[#plain.data + 1] = { key = "mygame.migrated", value = true }
    world:despawn(ids[1])
    local migrated
    world:addSnapshotHandler({
        name = "mygame.migrated",
        load = function(_, value)
            migrated = value
        end,
    })
    world:loadSnapshot(plain)
    assert(migrated == true and world:isAlive(ids[1]))
end

function test.a_save_or_load_inside_one_is_busy()
    local world = filled()
    local save = world:saveSnapshot().buffer:tostring()
    local problems = {}
    world:addSnapshotHandler({
        name = "game.inside",
        save = function()
            problems[1] = select(2, pcall(world.saveSnapshot, world))
            problems[2] = select(2, pcall(world.loadSnapshot, world, save))
            return 1
        end,
        load = function()
            problems[3] = select(2, pcall(world.loadSnapshot, world, save))
        end,
    })
    local again = world:saveSnapshot()
    world:loadSnapshot(again)
    for i = 1, 3 do
        assert(problems[i].result == "FIRN_BUSY", tostring(problems[i]))
    end
end

function test.many_saves_and_loads_leave_the_heap_where_it_was()
    local world = filled()
    world:addSnapshotHandler({
        name = "game.some",
        save = function()
            return { 1, 2, { 3 } }
        end,
        load = function() end,
    })
    local own = buffer.new()
    local function round()
        for _ = 1, 50 do
            world:saveSnapshot({ buffer = own, customData = { a = 1 } })
            world:loadSnapshot(own, { onData = function() end })
        end
        collectgarbage()
        collectgarbage()
        return collectgarbage("count")
    end
    round()
    local before = round()
    for _ = 1, 10 do
        round()
    end
    local after = round()
    -- What the JIT compiler makes on the way is a few KiB; a leak would be one for each of 500 loads.
    assert(after - before < 32, ("%.1f KiB more"):format(after - before))
end

function test.names_with_a_zero_byte_and_lists_with_holes_are_refused()
    local world = firn.newWorld()
    local Mark = world:newTag({name = "Mark"})
    local out = require("string.buffer").new():put("old")
    for wrong, options in pairs({
        ["option 'path'"] = {path = "a\0b", buffer = out},
        ["customData: a key"] = {customData = {["a\0b"] = 1}, buffer = out},
        wireVersion = {wireVersion = 1.5, buffer = out},
        ["layers"] = {layers = {first = 1}, buffer = out},
        ["exclude"] = {exclude = {nil, Mark}, buffer = out},
        ["include"] = {filterQuery = {include = {mark = Mark}}, buffer = out},
    }) do
        local ok, problem = pcall(world.saveSnapshot, world, options)
        assert(not ok and problem:find(wrong, 1, true), wrong)
        assert(out:tostring() == "old")
    end
    local missing = "/no folder of this name/save"
    assert(not pcall(world.saveSnapshot, world, {path = missing, buffer = out}))
    assert(out:tostring() == "old")
    local ok, problem = pcall(world.addSnapshotHandler, world, {name = "a\0b", save = print})
    assert(not ok and problem:find("option 'name'", 1, true))
    ok, problem = pcall(world.newQuery, world, {include = {nil, Mark}})
    assert(not ok and problem:find("include: a list is wanted", 1, true))
end

function test.options_are_what_stands_in_the_table_itself()
    local function trap(options)
        return setmetatable(options or {}, {
            __index = function(_, key)
                error("__index of " .. tostring(key))
            end,
            __pairs = function()
                error("__pairs")
            end,
        })
    end
    local hidden = setmetatable({}, {__index = {buffer = 5, format = "table", path = {}}})
    local world = firn.newWorld(trap())
    assert(#world:saveSnapshot(hidden).buffer == #world:saveSnapshot().buffer)
    local Tag = world:newTag(trap({name = "Tag"}))
    local Number = world:newScalar(trap({name = "Number", type = "number", default = 4}))
    local Table = world:newComponent(trap({
        name = "Table", fields = trap({"x", trap({"y"})}), defaults = trap({x = 2}),
    }))
    local Struct = world:newFFIComponent(trap({
        name = "Struct", fields = trap({trap({"x", "double"}), trap({"y", "float"})}),
        defaults = trap({x = 3}),
    }))
    local Nested = world:newFFIComponent(trap({name = "Nested", fields = {trap({"at", Struct})}}))
    local Likes = world:newRelationship(trap({name = "Likes"}))
    local entity = world:spawn(Tag, Number, Table, Struct, Nested)
    world:relate(entity, Likes, entity)
    assert(world:get(entity, Number) == 4 and world:get(entity, Table).x == 2)
    assert(world:get(entity, Struct).x == 3)
    assert(world:newQuery(trap({include = {Tag}})):count() == 1)
    local finished = 0
    world:addSnapshotHandler(trap({name = "game.trap", finish = function()
        finished = finished + 1
    end}))
    world:createState("state", trap())
    world:addSystem(trap({run = print}))
    local saved = world:saveSnapshot(trap({filterQuery = trap({include = {Tag}})}))
    world:loadSnapshot(trap(saved), trap())
    world:mergeSnapshot(trap(world:saveSnapshot(trap({format = "table"}))), trap())
    assert(finished == 1 and world:newQuery({include = {Tag}}):count() == 2)
end

function test.options_that_are_no_table_are_refused()
    local world = firn.newWorld()
    local bytes = world:saveSnapshot().buffer:tostring()
    for _, wrong in ipairs({false, true, 5, "x", print}) do
        local problem = "options: a table is wanted, not a " .. type(wrong)
        refuses("saveSnapshot: " .. problem, world.saveSnapshot, world, wrong)
        refuses("loadSnapshot: " .. problem, world.loadSnapshot, world, bytes, wrong)
        refuses("mergeSnapshot: " .. problem, world.mergeSnapshot, world, bytes, wrong)
        refuses("createState: " .. problem, world.createState, world, "state", wrong)
        refuses("newWorld: " .. problem, firn.newWorld, wrong)
        refuses("newTag: " .. problem, world.newTag, world, wrong)
    end
    refuses("newTag: options: a table is wanted, not nil", world.newTag, world)
    refuses("what saveSnapshot returned is wanted, not nil", world.loadSnapshot, world)
    refuses("snapshot.buffer: a buffer is wanted, not nil", world.loadSnapshot, world,
        {format = "binary"})
    refuses("snapshot.snapshot: a table is wanted, not nil", world.loadSnapshot, world,
        {format = "table"})
end

function test.T16_an_empty_list_of_layers_saves_entities_without_a_layer()
    local world = firn.newWorld()
    local Transform = world:newFFIComponent({
        name = "Transform2D", fields = {{"x", "float"}, {"layer", "int32_t"}},
    })
    local placed, plain = world:spawn(Transform(0, 0)), world:spawn()
    for _, format in ipairs({"binary", "table"}) do
        local other = firn.newWorld()
        other:loadSnapshot(world:saveSnapshot({format = format, layers = {}}), {skipUnknown = true})
        assert(other:isAlive(plain) and not other:isAlive(placed))
    end
    refuses("layers[1] is 32", world.saveSnapshot, world, {layers = {32}})
    refuses("layers[1] is -1", world.saveSnapshot, world, {format = "table", layers = {-1}})
end

function test.data_under_a_key_with_a_zero_byte_is_refused()
    local world, saw = firn.newWorld(), 0
    local function hear(event, call)
        local observer = world:observe(0, event, function(of)
            saw = saw + 1
            call(of)
        end)
        return observer
    end
    local observer = hear("OnSnapshotSave", function(event)
        event:addData("a\0b", 1)
    end)
    refuses("zero byte", world.saveSnapshot, world)
    world:unobserve(observer)
    local bytes = world:saveSnapshot().buffer:tostring()
    hear("StartSnapshotLoad", function(event)
        event:onData("a\0b", print)
    end)
    refuses("zero byte", world.loadSnapshot, world, bytes)
    assert(saw == 2)
end

function test.a_save_is_that_of_its_call_whatever_a_finalizer_saves_meanwhile()
    local world, ids = filled()
    local Note = world:newComponent({ name = "Note", fields = { "text" } })
    local shared, path = buffer.new(), os.tmpname()
    local function fill(target, n)
        for i = 1, 40 do
            target:spawn(Position(i, n), Note(("n"):rep(n % 50 * 20)))
        end
    end
    amongFinalizers(function(n)
        fill(world, n)
        world:saveSnapshot({ buffer = shared })
        world:saveSnapshot()
        world:saveSnapshot({ path = path })
        for archetype, count in world:newQuery({ include = { Note } }):each() do
            for row = 0, count - 1 do
                world:despawn(archetype:entity(row))
            end
        end
    end, 60, function(i)
        local x = world:get(ids[1], Position).x + 1
        world:set(ids[1], Position(x, i))
        for _, options in ipairs({ {}, { buffer = shared }, { buffer = shared }, { path = path } }) do
            local bytes = world:saveSnapshot(options).buffer
            if not options.buffer then
                local copy = firn.newWorld()
                copy:newComponent({ name = "Note", fields = { "text" } })
                copy:loadSnapshot(bytes)
                assert(copy:get(ids[1], Position).x == x and copy:get(ids[1], Position).y == i)
                copy:destroy()
            end
            firn.checkSnapshot(bytes:tostring())
        end
    end)
    os.remove(path)
    os.remove(path .. ".bak")
    local other
    amongFinalizers(function()
        if other and other.fast then
            other:destroy()
        end
    end, 60, function()
        other = firn.newWorld()
        local ok, problem = pcall(function()
            other:spawn(Position(1, 2))
            other:loadSnapshot(other:saveSnapshot().buffer)
            other:saveSnapshot({ buffer = shared })
            other:saveSnapshot({ buffer = shared })
        end)
        assert(ok or tostring(problem):find("destroyed", 1, true), problem)
    end)
end

return test
