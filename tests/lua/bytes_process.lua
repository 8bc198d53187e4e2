-- bytes_process.lua SEED: prints the bytes of a world in hexadecimal digits. The seed is the order in
-- which keys come into the tables, and how often the world was saved before.
local firn = require("firn")

local seed = tonumber(arg[1])
math.randomseed(seed)

-- {key = value} for the keys, put in by chance, among others that are gone.
local function filled(keys)
    local order, result = {}, {}
    for i, key in ipairs(keys) do
        table.insert(order, math.random(i), key)
    end
    for _, key in ipairs(order) do
        result["gone" .. math.random(100)] = true
        result[key] = tostring(key)
    end
    for key in pairs(result) do
        result[key] = not tostring(key):find("^gone") and result[key] or nil
    end
    return result
end

local Plan = firn.newComponent({name = "Plan"})
local Position = firn.newFFIComponent({name = "Position", fields = {{"x", "float"}, {"y", "float"}}})
local Labelled = firn.newComponent({name = "Labelled", fields = {"text", "at"}, defaults = {at = 3}})

local world = firn.newWorld()
local keys = {0.5, -1, 1, 2, 3, true, false}
for i = 1, 40 do
    keys[#keys + 1] = "key " .. i
end
for i = 1, 100 do
    world:spawn(Plan.new(filled(keys)), Position(i, -i), Labelled("label " .. i))
    world:spawn(Labelled.new({text = "other", more = filled(keys)}))
end
for _ = 1, seed do
    world:saveSnapshot()
end
local bytes = world:saveSnapshot({customData = filled({"a", "b", "c", "d", "e"})}).buffer
io.write((bytes:tostring():gsub(".", function(byte)
    return ("%02x"):format(byte:byte())
end)))
