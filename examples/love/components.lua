-- components.lua: what the entities in the snow are made of.
local firn = require("firn")

local components = {}

-- A component may be a class: its instances, structs of two floats here, have its methods.
local Position = {}

-- Whether another one is near. The field is seen at a slant, which halves its depth.
function Position:near(other, distance)
    local dx, dy = other.x - self.x, (other.y - self.y) * 2
    return dx * dx + dy * dy < distance * distance
end

components.Position = firn.newFFIComponent({
    name = "Position",
    container = Position,
    fields = {{"x", "float"}, {"y", "float"}},
})

components.Velocity = firn.newFFIComponent({
    name = "Velocity",
    fields = {{"x", "float"}, {"y", "float"}},
})

local Look = {}

-- Who moves hops, and looks ahead.
function Look:follow(velocity, dt)
    if velocity.x ~= 0 or velocity.y ~= 0 then
        self.hop = self.hop + 9 * dt
        self.left = velocity.x < 0
    end
end

components.Look = firn.newFFIComponent({
    name = "Look",
    container = Look,
    fields = {{"size", "float"}, {"hop", "float"}, {"hat", "uint8_t"}, {"left", "bool"}},
    defaults = {size = 1},
})

-- Those who went in: a Lua table, in which anything may be that Lua can hold as data.
components.Guests = firn.newComponent({name = "Guests", fields = {names = {}}})

components.Snowling = firn.newTag({name = "Snowling"})

-- Each follows one, and `reverse` finds who follows it.
components.Follows = firn.newRelationship({name = "Follows", exclusive = true, reverse = true})

return components
