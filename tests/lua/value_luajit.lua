-- value_luajit.lua: the LuaJIT side of value_luajit.c: random values, the real string.buffer, and a
-- deep comparison. The C side calls the functions of the returned table.
local buffer = require("string.buffer")
local ffi = require("ffi")
local new = require("table.new")

local M = {decode = buffer.decode, encode = buffer.encode}

-- Numbers by bits, all NaN alike; cdata by type and content.
local function same(a, b)
  local kind = type(a)
  if kind ~= type(b) then return false end
  if kind == "number" then
    if a ~= a then return b ~= b end
    return a == b and 1 / a == 1 / b
  elseif kind == "cdata" then
    if ffi.typeof(a) ~= ffi.typeof(b) then return false end
    if ffi.istype("complex", a) then return same(a.re, b.re) and same(a.im, b.im) end
    return a == b
  elseif kind == "table" then
    for key, value in pairs(a) do
      if not same(value, b[key]) then return false end
    end
    for key in pairs(b) do
      if a[key] == nil then return false end
    end
    return true
  end
  return a == b
end
M.same = same

-- For the C side, which has no 64-bit integers in Lua's C API.
function M.int64(high, low) return ffi.cast("int64_t", high) * 0x100000000LL + low end
function M.uint64(high, low) return ffi.cast("uint64_t", high) * 0x100000000ULL + low end
function M.complex(re, im) return ffi.new("complex", re, im) end

local special = {0, -0.0, 0 / 0, -(0 / 0), 1 / 0, -1 / 0, 1, -1, 0.5, 2 ^ 31, -2 ^ 31, 2 ^ 32, 2 ^ 53,
  5e-324, 1e308, math.pi}
local function number()
  local choice = math.random(3)
  if choice == 1 then return special[math.random(#special)] end
  if choice == 2 then return math.random(-3, 20) end
  return (math.random() - 0.5) * 10 ^ math.random(-20, 20)
end

local lengths = {0, 1, 190, 191, 192, 193, 447, 448, 8127, 8128}
local function text()
  local length = math.random(0, 8)
  if math.random(40) == 1 then length = lengths[math.random(#lengths)] end
  local bytes = {}
  for i = 1, length do bytes[i] = string.char(math.random(0, 255)) end
  return table.concat(bytes)
end

local function word(kind)
  return ffi.cast(kind, math.random(0, 2 ^ 32 - 1)) * 0x100000000ULL + math.random(0, 2 ^ 32 - 1)
end

local value

local function key()
  local choice = math.random(8)
  if choice == 1 then return math.random(2) == 1 end
  if choice <= 4 then return text() end
  local n = number()
  return n == n and n or 3
end

-- Tables with every kind of history: holes, index 0, removed keys, room that is not used.
local function tab(depth)
  local t = math.random(3) == 1 and new(math.random(0, 9), math.random(0, 9)) or {}
  for _ = 1, math.random(0, math.random(10) == 1 and 40 or 6) do
    local choice = math.random(6)
    if choice <= 2 then t[#t + 1] = value(depth)
    elseif choice == 3 then t[math.random(0, 9)] = value(depth)
    elseif choice == 4 then t[math.random(0, 5)] = nil
    else t[key()] = value(depth) end
  end
  return t
end

function value(depth)
  local choice = math.random(depth > 0 and 13 or 8)
  if choice == 1 then return nil end
  if choice == 2 then return math.random(2) == 1 end
  if choice == 3 then return ffi.cast("int64_t", word("uint64_t")) end
  if choice == 4 then return word("uint64_t") end
  if choice == 5 then return ffi.new("complex", number(), number()) end
  if choice == 6 then return text() end
  if choice <= 8 then return number() end
  return tab(depth - 1)
end

function M.generate(seed)
  math.randomseed(seed)
  return value(4)
end

return M
