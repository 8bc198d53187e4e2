-- Worlds: made, used and destroyed.
local api = require("firn.api")
local check = require("firn.check")
local firn = require("firn")

local test = {}

function test.the_version_is_that_of_the_library()
    assert(firn.version:match("^%d+%.%d+%.%d+$"))
    assert(api.fast.version() == api.core.version)
end

function test.a_core_of_another_version_is_refused_by_the_files_beside_it()
    local loaded = package.loaded
    local core, cdef = loaded["firn.core"], loaded["firn.cdef"]
    for change, refused in pairs({[0] = false, [1] = true, [-1] = true}) do
        loaded["firn.core"] = setmetatable({version = core.version + change}, {__index = core})
        loaded["firn.cdef"] = "/* struct firn_lua_api {} has been declared */"
        loaded["firn.api"] = nil
        local ok, problem = pcall(require, "firn.api")
        loaded["firn.core"], loaded["firn.cdef"], loaded["firn.api"] = core, cdef, api
        assert(ok == not refused)
        local text = ("firn/core.so has the version %d, and the Lua files beside it are made for %d")
            :format(core.version + change, core.version)
        assert(ok or problem == text, problem)
    end
end

function test.a_destroyed_world_is_refused()
    local world = api.core.create("x")
    local fast = api.ffi.cast("firn_lua *", api.core.pointer(world))
    assert(not api.fast.alive(fast, 1) and fast.open_loops[0] == 0 and fast.pending[0] == 0)
    api.core.destroy(world)
    local ok, problem = pcall(api.core.pointer, world)
    assert(not ok and problem:find("it has been destroyed", 1, true), problem)
end

function test.a_wrong_option_is_told_with_the_place_in_the_program()
    local ok, problem = pcall(check.options, "saveSnapshot", { fromat = "table" }, { format = "string" })
    assert(not ok)
    assert(problem:find("binding_world.lua:%d+: saveSnapshot: unknown option 'fromat'$"), problem)
    ok, problem = pcall(check.options, "saveSnapshot", { format = 3 }, { format = "string" })
    assert(not ok)
    assert(problem:find("saveSnapshot: option 'format': a string is wanted, not a number$"), problem)
end

function test.newWorld_takes_a_name_and_limits()
    local world = firn.newWorld({name = "level 1", limits = {entities = 2}})
    assert(world:name() == "level 1" and firn.newWorld():name() == "")
    world:spawn()
    world:spawn()
    local ok, problem = pcall(world.spawn, world)
    assert(not ok and problem.result == "FIRN_LIMIT" and world:count() == 2)
end

function test.wrong_options_of_newWorld_are_named()
    for text, options in pairs({
        ["unknown option 'nam'"] = {nam = "x"},
        ["option 'name'"] = {name = 5},
        ["unknown limit 'entites'"] = {limits = {entites = 5}},
        ["the limit 'entities' is 1.5"] = {limits = {entities = 1.5}},
        ["the limit 'depth' is x"] = {limits = {depth = "x"}},
        ["unknown limit 'reserved'"] = {limits = {reserved = 1}},
    }) do
        local ok, problem = pcall(firn.newWorld, options)
        assert(not ok and tostring(problem):find(text, 1, true), tostring(problem))
    end
    assert(not pcall(firn.newWorld, {limits = {depth = 1000}}))
    assert(not pcall(firn.newWorld, {limits = "trusted"}))
    assert(firn.newWorld({limits = "untrusted"}):spawn())
end

function test.every_method_refuses_a_destroyed_world()
    local world = firn.newWorld()
    local entity = world:spawn()
    world:destroy()
    for _, name in ipairs({
        "spawn", "spawnMany", "despawn", "isAlive", "count", "has", "get", "getMut", "components",
        "set", "add", "remove", "flush", "discard", "pending", "relate", "unrelate", "related",
        "target", "targets", "sources", "newQuery", "name", "destroy", "newTag", "newScalar",
        "newFFIComponent", "newRelationship",
    }) do
        local ok, problem = pcall(world[name], world, entity, firn.ChildOf, entity)
        assert(not ok and tostring(problem):find("the world has been destroyed", 1, true), name)
    end
end

function test.a_world_that_nobody_holds_is_collected()
    local seen = setmetatable({}, {__mode = "v"})
    for i = 1, 20 do
        local world = firn.newWorld()
        local Own = world:newFFIComponent({
            name = "world.Own", fields = {{"x", "double"}},
            init = function(instance)
                instance.x = world:count()
            end,
        })
        world:spawn(Own)
        for _ in world:newQuery({}):each() do
            break
        end
        seen[i] = world
    end
    for _ = 1, 4 do
        collectgarbage()
    end
    assert(next(seen) == nil)
end

return test
