-- Worlds: made, used and destroyed.
local api = require("firn.api")
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

return test
