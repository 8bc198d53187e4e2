-- Worlds: made, used and destroyed.
local api = require("firn.api")
local check = require("firn.check")
local firn = require("firn")

local test = {}

function test.the_version_is_that_of_the_library()
    assert(firn.version:match("^%d+%.%d+%.%d+$"))
    assert(api.fast.version() == api.core.version)
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

return test
