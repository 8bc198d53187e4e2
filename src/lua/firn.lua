-- firn: game worlds that sleep and wake up the same. docs/lua.md describes what is here.
local api = require("firn.api")

local firn = {}

firn.version = ("%d.%d.%d"):format(math.floor(api.core.version / 1e6),
    math.floor(api.core.version / 1e3) % 1e3, api.core.version % 1e3)

return firn
