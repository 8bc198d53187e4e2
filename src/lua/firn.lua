-- firn: game worlds that sleep and wake up the same. docs/lua.md describes what is here.
local api = require("firn.api")
local component = require("firn.component")
require("firn.struct")
require("firn.kinds")
local World = require("firn.world")
require("firn.replace")
local events = require("firn.events")
local game = require("firn.game")
require("firn.entity")
require("firn.relation")
require("firn.query")
require("firn.tables")
require("firn.class")
require("firn.script")
local persist = require("firn.persist")

local firn = {}

firn.version = ("%d.%d.%d"):format(math.floor(api.core.version / 1e6),
    math.floor(api.core.version / 1e3) % 1e3, api.core.version % 1e3)

firn.newWorld = World.new
for _, maker in ipairs({"newComponent", "newFFIComponent", "newTag", "newScalar", "newRelationship"}) do
    firn[maker] = function(options)
        return component[maker](nil, options)
    end
end
for _, builtin in ipairs(component.builtins) do
    firn[builtin.__about.name] = builtin
end
firn.Persist, firn.Vars, firn.Carry = persist.Persist, persist.Vars, persist.Carry
for _, name in ipairs(events.builtin) do
    firn[name] = name
end
firn.newEvent = events.newEvent
firn.newBus = require("firn.bus").new
firn.newRandom = game.newRandom

local snapshot = require("firn.snapshot")
firn.checkSnapshot = snapshot.checkSnapshot
firn.hashSnapshot = snapshot.hashSnapshot

firn.diff = require("firn.diff").diff

local value = require("firn.value")
firn.encode = value.encode
firn.decode = value.decode
firn.toJson = value.toJson
firn.fromJson = value.fromJson

firn.saves = require("firn.saves")

return firn
