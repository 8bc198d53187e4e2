-- snapshot_expect.lua: what LuaJIT must find in the snapshots of the worlds of golden/firn_worlds.c,
-- written down by hand from what those worlds are filled with.
local buffer = require("string.buffer")
local ffi = require("ffi")
local huge = math.huge

-- Compiled, a long run of decodes mixes up its locals now and then (LuaJIT 2.1.0-beta3).
require("jit").off()

local function times(text, n) return text:rep(n) end

local no_data = {{key = "__firn.world", value = {tick = 0}}}

local bag = {"rope", coins = 12}

-- Two of each kind, and one entity that has several. Component 13 of each nine is transient.
local function kinds(wrap)
  return {
    next_slot = 20,
    frames = {
      {names = {}, ids = {9, 18, 8, 17}}, -- the transient component keeps rows of its own
      {names = {"Alive"}, ids = {2, 11}},
      {names = {"Bag"}, ids = {5, 14}},
      {names = {"Boss"}, ids = {6, 15}},
      {names = {"Name", "Position", "Score", "Boss", "Disabled"}, ids = {19}}, -- tags come last
      {names = {"Handle"}, ids = {7, 16}},
      {names = {"Position"}, ids = {1, 10}},
      {names = {"Score"}, ids = {3, 12}},
      {names = {"Title"}, ids = {4, 13}},
    },
    entities = {
      [1] = {Position = {x = 1.5, y = -2}}, [10] = {Position = {x = 1.5, y = -1}},
      [2] = {Alive = wrap(true)}, [11] = {Alive = wrap(false)},
      [3] = {Score = wrap(0.1)}, [12] = {Score = wrap(1.1)},
      [4] = {Title = wrap("")}, [13] = {Title = wrap("king")},
      [5] = {Bag = bag}, [14] = {Bag = bag},
      [6] = {Boss = true}, [15] = {Boss = true},
      [7] = {Handle = "handle 7"}, [16] = {Handle = "handle 8"},
      [8] = {}, [9] = {}, [17] = {}, [18] = {},
      [19] = {
        Boss = true, Disabled = true, Score = wrap(-0.0), Position = {x = 3, y = 4},
        Name = wrap("M\195\164x"),
      },
    },
    data = no_data,
  }
end

-- Padding is that of the leaves: an int8 before a double stands 8 bytes before it.
local function padded(small, wide, flag, first)
  return {small = small, wide = wide, flag = flag, marks = {first, first + 1, first + 2}}
end

local function unit(number, y)
  return {
    number = number, ["home.x"] = 0.25, ["home.y"] = y,
    ["slots[0].kind"] = -7, ["slots[0].amount"] = -0x7fffffffffffffffLL - 1,
    ["slots[1].kind"] = 7, ["slots[1].amount"] = 0x7fffffffffffffffLL,
    leader = 1ULL, follower = 1, label = {("crow\0\0"):byte(1, -1)},
  }
end

local structs = {
  next_slot = 6,
  frames = {
    {names = {"Padded", "Unit"}, ids = {2, 3, 4}},
    {names = {"Types"}, ids = {1, 5}},
  },
  entities = {
    [1] = {Types = {
      b = true, i8 = 127, u8 = 255, i16 = 32767, u16 = 65535, i32 = 2147483647, u32 = 4294967295,
      i64 = 0x7fffffffffffffffLL, u64 = 0xffffffffffffffffULL, f32 = huge, f64 = 1e308,
    }},
    [2] = {Padded = padded(-1, 0.5, false, 0), Unit = unit(4294967295, 0)},
    [3] = {Padded = padded(-2, 1.5, true, 1000), Unit = unit(4294967294, 1)},
    [4] = {Padded = padded(-3, 2.5, false, 2000), Unit = unit(4294967293, 2)},
    [5] = {Types = {
      b = false, i8 = -128, u8 = 0, i16 = -32768, u16 = 0, i32 = -2147483648, u32 = 0,
      i64 = -0x7fffffffffffffffLL - 1, u64 = 0ULL, f32 = -0.0, f64 = 5e-324,
    }},
  },
  data = no_data,
}

-- Slot 1 is retired: it is in no frame and not free. Slot 4 died twice, slots 8, 2 and 6 once; the
-- last of those that died is slot 6, and slot 2 was used again before it.
local free_list = {
  next_slot = 10,
  frames = {
    {names = {}, ids = {7, 3, 5}},
    {names = {"Score"}, ids = {4194304 + 6, 9}},
  },
  entities = {
    [3] = {}, [5] = {}, [7] = {}, [9] = {Score = 7}, [4194304 + 6] = {Score = 4},
  },
  free = {4194304 + 2, 4194304 + 8, 2 * 4194304 + 4},
  data = no_data,
}

local data = {
  next_slot = 2,
  frames = {{names = {"Score"}, ids = {1}}},
  entities = {[1] = {Score = 1}},
  data = {
    {key = "__firn.world", value = {name = "winter", tick = 2 ^ 53}},
    {key = "clock", value = 5},
    {key = "weather", value = 0.5},
  },
}

local function nested(depth)
  local value = {}
  for _ = 2, depth do value = {value} end
  return value
end

local values = {
  next_slot = 7,
  frames = {
    {names = {"Bag"}, ids = {1, 2, 3, 4}},
    {names = {"Title"}, ids = {5, 6}},
  },
  entities = {
    [1] = {Bag = {
      0, -0.0, 1e300, -huge, 0 / 0, -0x7fffffffffffffffLL - 1, 0xffffffffffffffffULL,
      ffi.new("complex", 1, -1),
      times("x", 190), times("x", 191), times("x", 192), times("x", 193), times("x", 194),
      [false] = true, [-3] = false, [0.5] = false, [""] = {},
    }},
    [2] = {Bag = nested(100)},
    [3] = {Bag = false},
    [4] = {Bag = {}},
    [5] = {Title = "a\0b\255"},
    [6] = {Title = ""},
  },
  data = no_data,
}

local codec = {
  next_slot = 5,
  frames = {{names = {"Handle"}, ids = {1, 2, 3, 4}}},
  entities = {
    [1] = {Handle = "handle -1"}, [2] = {Handle = "handle 1"}, [3] = {Handle = "handle 2"},
    [4] = {Handle = "handle 3"},
  },
  data = no_data,
}

-- 23 phases: the built-in ones, and Thaw behind Update. Of 0.625 seconds two steps of 0.25 were run.
local function phases(...)
  local all = {}
  for i = 1, 23 do all[i] = true end
  for _, i in ipairs({...}) do all[i] = false end
  return all
end

local game = {
  next_slot = 3,
  frames = {
    {names = {"Score", "dayState"}, ids = {1}},
    {names = {"nightState"}, ids = {2}},
  },
  entities = {[1] = {Score = 1, dayState = true}, [2] = {nightState = true}},
  data = {
    {key = "__tecs.stateStack", value = {"day", "night", "day"}},
    {key = "__tecs.pipeline", value = {
      fixedAccumulator = 0.125, phaseStates = phases(13, 20),
      disabledPhases = {Thaw = true, Last = true},
    }},
    {key = "tecs.random", value = {
      seed = 42,
      streams = {["game.loot"] = {1782179806, -635290933, 1046902905, -1667463104}},
    }},
    {key = "__firn.world", value = {tick = 2}},
  },
}

-- Rows with a sparse relationship stand row by row, those of dense ones have a column for each
-- target. The children of 1 came as 5 and 4.
local relations = {
  next_slot = 7,
  frames = {
    {names = {}, ids = {1}},
    {names = {"Position", "Score", "Boss", "ChildOf", "Trusts"}, ids = {4}, mode = 1},
    {names = {"ChildOf", "Trusts"}, ids = {5}, mode = 1},
    {names = {"Knows"}, ids = {6}, mode = 1},
    {names = {"Likes->3"}, ids = {3}},
    {names = {"Likes->1", "Likes->3"}, ids = {2}},
  },
  entities = {
    [1] = {},
    [2] = {["Likes->1"] = {target = 1}, ["Likes->3"] = {target = 3}},
    [3] = {["Likes->3"] = {target = 3}},
    [4] = {
      Position = {x = 1, y = 2}, Score = 3, Boss = true, ChildOf = {target = 1},
      Trusts = {target = 5, amount = -7},
    },
    [5] = {ChildOf = {target = 1}, Trusts = {target = 5, amount = 5}},
    [6] = {Knows = {edges = {{target = 4}, {target = 1}}}},
  },
  data = {
    {key = "__firn.order", value = {{relation = "ChildOf", target = 1, sources = {5, 4}}}},
    {key = "__firn.world", value = {tick = 0}},
  },
}

-- The timer of 2, which was despawned, has ended with it.
local script = {
  next_slot = 3,
  frames = {{names = {}, ids = {1}}},
  entities = {[1] = {}},
  free = {2 + 2 ^ 22},
  data = {
    {key = "tecs.sequence", value = {
      version = 1, number = 9,
      clocks = {
        moon = {paused = true, scale = 0.1, since = 12, ticks = 0.1 * 7},
        sun = {scale = 1, since = 5, ticks = 0},
      },
      events = {
        {number = 1, event = "bell", entity = 1, due = 15, payload = "ding"},
        {number = 2, event = "dawn", due = 12},
      },
      timers = {
        {number = 3, provider = "story", step = "go", due = 0.1 * 7 + 2.5, period = 0.25,
          clock = "moon"},
        {number = 5, provider = "story", step = "begin", entity = 1, due = 12},
      },
      waits = {
        {number = 6, provider = "story", step = "go", entity = 1, event = "bell", due = 16,
          clock = "sun"},
      },
      machines = {
        {number = 7, provider = "story", step = "go", previous = "begin", entity = 1, since = 12,
          first = true},
      },
      cursors = {
        {number = 8, provider = "story", step = "begin", entity = 1, key = "quest", event = "dawn",
          since = 12, first = true},
        {number = 9, provider = "story", step = "go", key = "", since = 12, first = true},
      },
    }},
    {key = "__firn.world", value = {tick = 12}},
  },
}

local expected = {
  ["01_empty"] = {next_slot = 1, frames = {}, entities = {}, data = no_data},
  ["02_kinds"] = kinds(function(value) return value end),
  ["03_structs"] = structs,
  ["04_free_list"] = free_list,
  ["05_data"] = data,
  ["06_version_2"] = kinds(function(value) return {value = value} end),
  ["07_values"] = values,
  ["08_codec"] = codec,
  ["09_game"] = game,
  ["10_relations"] = relations,
  ["11_script"] = script,
}
expected["06_version_2"].version = 2

-- ---------------------------------------------------------------- comparison

local difference

local function at(path, key) return path .. "[" .. tostring(key) .. "]" end

local function table_difference(path, got, wanted)
  for key, value in pairs(wanted) do
    local found = difference(at(path, key), got[key], value)
    if found then return found end
  end
  for key, value in pairs(got) do
    if wanted[key] == nil then return at(path, key) .. " is there: " .. tostring(value) end
  end
end

-- Where the two differ, or nil. Numbers by bits, all NaN alike; cdata by type and content.
function difference(path, got, wanted)
  local kind = type(wanted)
  if type(got) == kind then
    if kind == "table" then return table_difference(path, got, wanted) end
    if kind ~= "cdata" or ffi.typeof(got) == ffi.typeof(wanted) then
      if buffer.encode(got) == buffer.encode(wanted) or (got ~= got and wanted ~= wanted) then
        return nil
      end
    end
  end
  return path .. " is " .. tostring(got) .. ", not " .. tostring(wanted)
end

local expect = {}

-- Entries of data but the free list, which is taken out as ids; the order of sources as tables.
local function split_free(reader, entries)
  local others, free = {}, nil
  for _, entry in ipairs(entries) do
    if entry.key == "__firn.free" then
      free = reader.ids(entry.value)
    elseif entry.key == "__firn.order" then
      local order = {}
      for i, list in ipairs(entry.value) do
        order[i] = {relation = list[1], target = list[2], sources = reader.ids(list, 3)}
      end
      others[#others + 1] = {key = entry.key, value = order}
    else
      others[#others + 1] = entry
    end
  end
  return others, free
end

-- Reads the image of a world; returns nil, or how it is not as expected.
function expect.check(reader, name, image)
  local wanted = assert(expected[name], "no expectation for " .. name)
  local snapshot = reader.read(image)
  local entries, free = split_free(reader, snapshot.data)
  local frames, entity_count = {}, 0
  for i, frame in ipairs(snapshot.frames) do
    frames[i] = {names = frame.names, ids = frame.ids, mode = frame.mode ~= 0 and frame.mode or nil}
    entity_count = entity_count + #frame.ids
  end
  return difference("version", snapshot.version, wanted.version or 1)
    or difference("next_slot", snapshot.next_slot, wanted.next_slot)
    or difference("entity_count", snapshot.entity_count, entity_count)
    or difference("frames", frames, wanted.frames)
    or difference("entities", snapshot.entities, wanted.entities)
    or difference("free", free, wanted.free)
    or difference("data", entries, wanted.data)
end

-- Changes each expected value in turn, as little as its kind allows; returns how many changes the
-- comparison did not notice, and how many there were.
function expect.unnoticed(reader, name, image)
  local missed, tried = 0, 0
  local function other(value)
    if type(value) == "number" then return value == value and (value ~= 0 and -value or 1) or 0 end
    if type(value) == "boolean" then return not value end
    if type(value) == "string" then return value .. "1" end
    return value + 1
  end
  local function change(t)
    local keys = {}
    for key in pairs(t) do keys[#keys + 1] = key end
    for _, key in ipairs(keys) do
      local value = t[key]
      if type(value) == "table" then
        change(value)
      elseif not ffi.istype("complex", value) then
        t[key] = other(value)
        tried = tried + 1
        if not expect.check(reader, name, image) then missed = missed + 1 end
        t[key] = value
      end
    end
    t.another = true
    tried = tried + 1
    if not expect.check(reader, name, image) then missed = missed + 1 end
    t.another = nil
  end
  change(expected[name].entities)
  change(expected[name].data)
  change(expected[name].frames)
  return missed, tried
end

return expect
