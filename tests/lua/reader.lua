-- reader.lua: reads snapshots in plain LuaJIT, with its own string.buffer and ffi and nothing of
-- firn: what the bytes mean to somebody who knows only the description of the format.
--
--   reader.read(bytes) returns
--   { version=, next_slot=, entity_count=, frame_count=,
--     components = {{name=, fingerprint=}, ...},      -- fingerprint nil where there is none
--     frames = {{names = {...}, ids = {...}, mode = 0 or 1}, ...},
--     entities = {[id] = {[component] = value, ...}, ...},
--     data = {{key=, value=}, ...} }
--
-- A raw row is a table by field name; an array field is a table from 1. A payload of nil leaves the
-- component out. What contradicts itself is an error.
local buffer = require("string.buffer")
local ffi = require("ffi")

local reader = {}

-- ---------------------------------------------------------------- raw rows

local types = {
  bool = "uint8_t", char = "int8_t", int8_t = "int8_t", uint8_t = "uint8_t", int16_t = "int16_t",
  uint16_t = "uint16_t", int32_t = "int32_t", uint32_t = "uint32_t", int64_t = "int64_t",
  uint64_t = "uint64_t", float = "float", double = "double",
}

local function round_up(offset, size) return math.ceil(offset / size) * size end

-- The fields of "name:type,name:type[3]|size": each at the next multiple of its own size.
local function layout_of(fingerprint)
  local list, row_size = fingerprint:match("^(.+)|(%d+)$")
  assert(list, "a fingerprint without a size: " .. fingerprint)
  local fields, offset, widest = {}, 0, 1
  for name, kind in list:gmatch("([^:,]+):([^,]+)") do
    local element, count = kind:match("^([%w_]+)%[(%d+)%]$")
    element = element or kind
    assert(types[element], "a field of no known type: " .. name .. ":" .. kind)
    local size = ffi.sizeof(types[element])
    offset = round_up(offset, size)
    fields[#fields + 1] = {
      name = name, offset = offset, size = size, count = tonumber(count), boolean = element == "bool",
      element = ffi.typeof(types[element] .. "[1]"),
    }
    offset = offset + size * (tonumber(count) or 1)
    widest = math.max(widest, size)
  end
  assert(round_up(offset, widest) == tonumber(row_size), "another size than " .. fingerprint)
  return {fields = fields, size = tonumber(row_size)}
end

local function element_at(field, bytes)
  local element = field.element()
  ffi.copy(element, bytes, field.size)
  if not field.boolean then return element[0] end
  assert(element[0] <= 1, field.name .. " is a bool of neither 0 nor 1")
  return element[0] == 1
end

local function row_at(layout, bytes)
  local row = {}
  for _, field in ipairs(layout.fields) do
    local value
    if field.count then
      value = {}
      for i = 1, field.count do
        value[i] = element_at(field, bytes + field.offset + (i - 1) * field.size)
      end
    else
      value = element_at(field, bytes + field.offset)
    end
    row[field.name] = value
  end
  return row
end

-- ---------------------------------------------------------------- the parts of a snapshot

local function integer(value, what)
  assert(type(value) == "number" and value >= 0 and value % 1 == 0, what .. " is no count")
  return value
end

local function read_prelude(bytes)
  local snapshot = {
    version = bytes:decode(),
    next_slot = integer(bytes:decode(), "nextEntityId"),
    entity_count = integer(bytes:decode(), "entityCount"),
    frame_count = integer(bytes:decode(), "archetypeCount"),
    components = {}, frames = {}, entities = {}, data = {},
  }
  assert(snapshot.version == 1 or snapshot.version == 2, "an unknown version")
  for i = 1, integer(bytes:decode(), "componentCount") do
    local name, fingerprint = bytes:decode(), bytes:decode()
    assert(type(name) == "string" and #name > 0, "a component without a name")
    if fingerprint == "" then fingerprint = nil end
    snapshot.components[i] = {
      name = name, fingerprint = fingerprint, layout = fingerprint and layout_of(fingerprint),
      target = tonumber(name:match("%->(%d+)$")),
    }
  end
  return snapshot
end

local function take(bytes, size)
  local pointer, length = bytes:ref()
  assert(length >= size, "the bytes end early")
  return pointer
end

-- One row of a column, raw or encoded.
local function read_row(bytes, component)
  if component.layout then
    local row = row_at(component.layout, take(bytes, component.layout.size))
    bytes:skip(component.layout.size)
    return row
  end
  local value = bytes:decode()
  if component.target and value ~= nil then
    assert(value.target == component.target, component.name .. " has another target inside")
  end
  return value
end

local function add_entity(snapshot, frame, id)
  local slot = id % 2 ^ 22
  assert(id % 1 == 0 and slot > 0 and slot < snapshot.next_slot and id < 2 ^ 53, "no id")
  assert(snapshot.entities[id] == nil, "an id that is there twice")
  snapshot.entities[id] = {}
  frame.ids[#frame.ids + 1] = id
end

local function read_columns(bytes, snapshot, frame, columns, count)
  local id = ffi.new("double[1]")
  for _ = 1, count do
    ffi.copy(id, take(bytes, 8), 8)
    bytes:skip(8)
    add_entity(snapshot, frame, id[0])
  end
  for _, component in ipairs(columns) do
    for row = 1, count do
      snapshot.entities[frame.ids[row]][component.name] = read_row(bytes, component)
    end
  end
end

-- Bit i - 1 of the mask says whether the row has column i. The oldest files have booleans.
local function has_column(mask, i)
  if type(mask) == "table" then return mask[i] end
  return math.floor(mask / 2 ^ (i - 1)) % 2 == 1
end

local function read_rows(bytes, snapshot, frame, columns, count)
  assert(#columns <= 52, "more columns than a mask has bits")
  for row = 1, count do
    add_entity(snapshot, frame, bytes:decode())
    local mask = bytes:decode()
    assert(type(mask) == "table" or integer(mask, "a mask") < 2 ^ #columns, "bits of no column")
    for i, component in ipairs(columns) do
      if has_column(mask, i) then
        snapshot.entities[frame.ids[row]][component.name] = read_row(bytes, component)
      end
    end
  end
end

local function read_frame(bytes, snapshot)
  local columns, frame = {}, {names = {}, ids = {}}
  local column_count = integer(bytes:decode(), "columnCount")
  local count = integer(bytes:decode(), "a frame's entityCount")
  for i = 1, column_count do
    columns[i] = assert(snapshot.components[bytes:decode()], "a column of no component")
    frame.names[i] = columns[i].name
  end
  frame.mode = bytes:decode()
  local read = assert(({[0] = read_columns, read_rows})[frame.mode], "an unknown mode")
  read(bytes, snapshot, frame, columns, count)
  snapshot.frames[#snapshot.frames + 1] = frame
  return count
end

function reader.read(image)
  local bytes = buffer.new():set(image)
  local snapshot = read_prelude(bytes)
  local entities = 0
  for _ = 1, snapshot.frame_count do entities = entities + read_frame(bytes, snapshot) end
  assert(entities == snapshot.entity_count, "the frames hold other entities than the prelude says")
  while true do
    local more = bytes:decode()
    assert(type(more) == "boolean", "neither an entry of data nor the end")
    if not more then break end
    snapshot.data[#snapshot.data + 1] = {key = bytes:decode(), value = bytes:decode()}
  end
  assert(#bytes == 0, "bytes behind the end")
  return snapshot
end

-- The ids in an array of strings, from the element `first` on (1): those of `__firn.free`, in the
-- order in which they are given, or, from 3, the sources of an element of `__firn.order`.
function reader.ids(pieces, first)
  local ids, bytes = {}, table.concat(pieces, "", first or 1)
  local id = ffi.new("uint64_t[1]")
  for at = 1, #bytes, 8 do
    ffi.copy(id, bytes:sub(at, at + 7), 8)
    ids[#ids + 1] = tonumber(id[0])
  end
  return ids
end

return reader
