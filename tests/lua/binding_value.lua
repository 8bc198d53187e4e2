-- Values: firn.encode and firn.decode beside LuaJIT's own string.buffer.
local buffer = require("string.buffer")
local ffi = require("ffi")
local firn = require("firn")
local luajit = require("value_luajit")

local test = {}

local function unhex(text)
    text = text:gsub("(%x%x)%*(%d+)", function(byte, count) return byte:rep(tonumber(count)) end)
    return (text:gsub("%s", ""):gsub("%x%x", function(x) return string.char(tonumber(x, 16)) end))
end

local function refused(what, message, f, ...)
    local ok, problem = pcall(f, ...)
    assert(not ok, what .. " was not refused")
    assert(tostring(problem):find(message, 1, true), what .. ": " .. tostring(problem))
    return problem
end

-- The lines of the vectors: kind, id, source or bytes, bytes or result.
local function vectors()
    local lines = {}
    for line in io.lines(os.getenv("FIRN_TEST_DATA") .. "/stringbuffer/stringbuffer_vectors.txt") do
        local kind, id, first, second = line:match("^(%u)\t([^\t]*)\t([^\t]*)\t?([^\t]*)$")
        if kind then
            lines[#lines + 1] = {kind = kind, id = id, first = first, second = second}
        end
    end
    return lines
end

local environment = setmetatable({ffi = ffi, buffer = buffer}, {__index = _G})
local function evaluate(source)
    return setfenv(assert(loadstring("return " .. source)), environment)()
end

-- Each value of the vectors: all but pointers, dictionaries and several values in a row.
local function each_value(f)
    local count = 0
    for _, vector in ipairs(vectors()) do
        local encoded = vector.kind == "E" or vector.kind == "O"
        local one = not vector.first:find("encode(", 1, true) and not vector.id:find("^lud")
        if encoded and one then
            f(vector.id, unhex(vector.second), evaluate(vector.first))
            count = count + 1
        end
    end
    assert(count > 80, count)
end

function test.what_luajit_encodes_firn_decodes()
    each_value(function(id, bytes, value)
        assert(luajit.same(firn.decode(bytes), value), id)
        assert(luajit.same(firn.decode(bytes), buffer.decode(bytes)), id)
    end)
end

function test.what_firn_encodes_luajit_decodes()
    each_value(function(id, _, value)
        local bytes = firn.encode(value)
        assert(luajit.same(buffer.decode(bytes), value), id)
        assert(luajit.same(firn.decode(bytes), value), id)
    end)
end

-- ---------------------------------------------------------------- the one encoding

local function hex(bytes)
    return (bytes:gsub(".", function(c) return ("%02x"):format(c:byte()) end))
end

function test.equal_tables_have_equal_bytes_whatever_their_history()
    local a, b = {}, {}
    for i = 1, 50 do
        a["key" .. i], a[i] = i, true
    end
    for i = 50, 1, -1 do
        b[i], b["key" .. i] = true, i
        b["gone" .. i] = 1
    end
    for i = 1, 50 do
        b["gone" .. i] = nil
    end
    assert(firn.encode(a) == firn.encode(b))
    local new = require("table.new")
    local roomy = new(100, 100)
    roomy[1], roomy.x = 1, 2
    assert(firn.encode(roomy) == firn.encode({1, x = 2}))
end

-- docs/format.md, "Values".
function test.the_bytes_are_those_of_the_format()
    local cases = {
        {nil, "00"}, {true, "02"}, {0 / 0, "07000000000000f87f"}, {-0.0, "070000000000000080"},
        {"", "20"}, {{}, "08"}, {{1}, "0c0207000000000000f03f"},
        {{b = true, a = false, [true] = "", [0.5] = "", [-1] = ""},
            "0905022007000000000000f0bf2007000000000000e03f202161012162" .. "02"},
        {{[0] = true, true}, "0d02010207000000000000000002"},
        {{true, nil, true}, "0d020102070000000000000840" .. "02"},
        {{[2] = true}, "090107000000000000004002"},
        {{1LL, 2ULL}, "0c03100100000000000000110200000000000000"},
        {ffi.new("complex", 0 / 0, 1), "12000000000000f87f000000000000f03f"},
    }
    for i, case in ipairs(cases) do
        local bytes = hex(firn.encode(case[1]))
        assert(bytes == case[2], i .. ": " .. bytes)
    end
end

function test.elements_between_the_other_keys_are_elements()
    local t = {}
    for i = 20, 1, -1 do
        t[i] = i
    end
    t.name, t[-1], t[22], t[0.5] = "n", "before", "after", "half"
    local bytes = firn.encode(t)
    assert(hex(bytes):sub(1, 6) == "0d1504", hex(bytes))
    assert(luajit.same(firn.decode(bytes), t))
end

-- The bytes of a value as the C API of Lua walks it: a hole is a shape that what string.buffer wrote
-- is not put in order for.
local function walked(value)
    local bytes = firn.encode({value, hole = {true, nil, true}})
    local hole = "\36hole\13\2\1\2\7\0\0\0\0\0\0\8\64\2"
    assert(bytes:sub(1, 3) == "\13\2\1" and bytes:sub(-#hole) == hole)
    return bytes:sub(4, -#hole - 1)
end

function test.both_ways_to_encode_give_the_same_bytes()
    for seed = 1, 400 do
        local value = luajit.generate(seed)
        if type(value) == "table" then
            local bytes = firn.encode(value)
            assert(bytes == walked(value), seed)
            assert(bytes == firn.encode(buffer.decode(buffer.encode(value))), seed)
        end
    end
end

function test.random_trees_come_back()
    for seed = 1, 400 do
        local value = luajit.generate(seed)
        local bytes = firn.encode(value)
        assert(luajit.same(firn.decode(bytes), value), seed)
        assert(luajit.same(firn.decode(bytes, {depth = 100}), value), seed)
        assert(luajit.same(buffer.decode(bytes), value), seed)
        assert(firn.encode(firn.decode(bytes)) == bytes, seed)
        assert(luajit.same(firn.decode(buffer.encode(value)), value), seed)
        assert(luajit.same(firn.decode(buffer.encode(value), {depth = 100}), value), seed)
    end
end

function test.large_maps_are_sorted()
    for _, count in ipairs({15, 16, 17, 31, 32, 33, 34, 5000}) do
        local t = {}
        for i = 1, count do
            t["a long name that has a number behind it " .. i] = i
            t["k" .. i] = {i}
            t[i * 1001] = "x"
            t[-i / 7] = i % 2 == 0
        end
        local bytes = firn.encode(t)
        assert(bytes == walked(t), count)
        assert(luajit.same(firn.decode(bytes), t), count)
    end
end

function test.numbers_are_sorted_by_value()
    local t, order = {}, {}
    for i = -2000, 2000 do
        local key = i * 1000.25 + (i % 7) / 3 + 0.125 -- none of them is 0
        t[key], order[#order + 1] = i, key
    end
    local bytes = firn.encode(t)
    assert(bytes == walked(t))
    local at = 4 -- behind the tag and the count
    for _, key in ipairs(order) do
        assert(bytes:sub(at, at + 8) == firn.encode(key), key)
        at = at + 18
    end
    local whole = {}
    for i = 1, 100 do
        whole[i * 1000003] = i
    end
    assert(firn.encode(whole) == walked(whole))
end

function test.strings_of_every_length_come_back()
    for _, size in ipairs({0, 1, 7, 8, 9, 15, 16, 17, 190, 191, 192, 193, 8127, 8128, 65536}) do
        local text = ("s"):rep(size)
        local t = {text, [text] = text}
        assert(luajit.same(firn.decode(firn.encode(t)), t), size)
        assert(firn.encode(t) == walked(t), size)
    end
end

function test.metatables_are_not_looked_at()
    local calls = 0
    local function count()
        calls = calls + 1
        return nil
    end
    local t = setmetatable({x = 1}, {
        __index = count, __newindex = count, __len = count, __call = count, __tostring = count,
        __pairs = count, __ipairs = count, __eq = count, __metatable = false,
    })
    assert(firn.encode(t) == firn.encode({x = 1}) and walked(t) == firn.encode({x = 1}))
    assert(calls == 0)
    assert(getmetatable(firn.decode(firn.encode(t))) == nil)
end

-- ---------------------------------------------------------------- what is refused

local function refusals()
    local cycle = {}
    cycle.me = {cycle}
    local deep = {}
    for _ = 1, 100 do
        deep = {deep}
    end
    local between = require("table.new")(0, 20)
    for i = 20, 1, -1 do
        between[i] = i == 10 and print or i
    end
    return {
        {print, "the value is a function"},
        {{plan = {1, 2, {callback = print}}}, ".plan[3].callback is a function"},
        {{x = coroutine.create(print)}, ".x is a coroutine"},
        {{x = io.stdout}, ".x is a userdata"},
        {{["two words"] = {[0.5] = newproxy()}}, '["two words"][0.5] is a userdata'},
        {{buffer.decode("\3")}, "[1] is a light userdata"},
        {{[true] = ffi.new("int")}, "[true] is a cdata"},
        {{ffi.new("int64_t[1]")}, "[1] is a cdata"},
        {{ffi.typeof("int64_t")}, "[1] is a cdata"},
        {{a = {[print] = 1}}, ".a has a key that is a function"},
        {{[{}] = 1}, "the value has a key that is a table"},
        {{[1LL] = 1}, "the value has a key that is a cdata"},
        {between, "[10] is a function"},
        {cycle, ".me[1] is a table that is inside itself"},
        {deep, "is deeper than 100 tables inside each other"},
    }
end

function test.T11_what_cannot_be_encoded_is_refused_with_its_path()
    for _, case in ipairs(refusals()) do
        local problem = refused(case[2], "encode: ", firn.encode, case[1])
        assert(tostring(problem):find(case[2], 1, true), tostring(problem))
        assert(tostring(problem):find("binding_value.lua:", 1, true), tostring(problem))
        assert(problem.message:find(case[2], 1, true))
    end
    local problem = refused("a function", "is a function", firn.encode, {a = {print}})
    assert(problem.result == "FIRN_INVALID" and problem.subject == ".a[1]")
end

function test.T11_an_encoder_that_refused_goes_on_to_work()
    for _ = 1, 1000 do
        refused("a function", ".a[2] is a function", firn.encode, {a = {1, print}})
        assert(firn.encode({1}) == "\12\2\7\0\0\0\0\0\0\240\63")
    end
end

function test.a_table_that_is_there_twice_is_no_cycle()
    local shared = {1}
    assert(luajit.same(firn.decode(firn.encode({shared, shared})), {{1}, {1}}))
end

function test.limits_are_checked_by_both()
    local value = {1, 2, {"abc", {a = "b"}}}
    local bytes = firn.encode(value)
    local cases = {
        {{treeValues = 3}, "FIRN_LIMIT"}, {{stringBytes = 2}, "FIRN_LIMIT"},
        {{depth = 2}, "FIRN_LIMIT"},
    }
    for _, case in ipairs(cases) do
        assert(refused("a limit", "encode: ", firn.encode, value, case[1]).result == case[2])
        local problem = refused("a limit", "decode: ", firn.decode, bytes, case[1])
        assert(problem.result == case[2] and problem.offset)
    end
    local enough = {treeValues = 9, stringBytes = 3, depth = 3}
    assert(firn.encode(value, enough) == bytes)
    assert(luajit.same(firn.decode(bytes, enough), value))
    assert(luajit.same(firn.decode(bytes, "untrusted"), value))
    local deep = {}
    for _ = 1, 40 do
        deep = {deep}
    end
    refused("untrusted", "more than 32 tables", firn.decode, firn.encode(deep), "untrusted")
end

function test.limits_that_are_none_are_named()
    refused("a name", "decode: unknown limit 'dpeth'", firn.decode, "\0", {dpeth = 1})
    refused("a number", "encode: the limit 'depth' is 1.5", firn.encode, {}, {depth = 1.5})
    refused("zero", "the limit 'depth' is 0", firn.encode, {}, {depth = 0})
    refused("NaN", "the limit 'treeValues' is ", firn.encode, {}, {treeValues = 0 / 0})
    refused("a string", "the limit 'entities' is many", firn.encode, {}, {entities = "many"})
    refused("a table", "the limit 'entities' is table", firn.encode, {}, {entities = {}})
    refused("too much", "the limit depth is 1000", firn.encode, {}, {depth = 1000})
    refused("a list", "the name of a limit is a number", firn.encode, {}, {1})
    refused("no table", "decode: limits is a number, not a table", firn.decode, "\0", 12)
end

function test.wrong_arguments_are_named()
    refused("nothing", "encode: there is no value", firn.encode)
    refused("a number", "decode: bytes is a number, not a string", firn.decode, 5)
    refused("nil", "decode: bytes is nil, not a string", firn.decode)
    refused("a file", "decode: bytes is a userdata, not a string", firn.decode, io.stdout)
    assert(firn.decode(firn.encode(nil)) == nil)
end

-- ---------------------------------------------------------------- bytes from anywhere

function test.a_string_buffer_keeps_its_bytes()
    local bytes = buffer.new()
    bytes:put(firn.encode({x = 1}))
    assert(firn.decode(bytes).x == 1 and firn.decode(bytes).x == 1)
    assert(#bytes > 0)
end

function test.what_luajit_refuses_firn_refuses()
    local count = 0
    for _, vector in ipairs(vectors()) do
        if vector.kind == "B" and not vector.first:find("buffer.new", 1, true) then
            local bytes = vector.first == "-" and "" or unhex(vector.first)
            local problem = refused(vector.id, "decode: ", firn.decode, bytes)
            assert(problem.offset, vector.id)
            local again = refused(vector.id, "decode: ", firn.decode, bytes, {depth = 100})
            assert(again.result == problem.result and again.offset == problem.offset, vector.id)
            count = count + 1
        end
    end
    assert(count > 30, count)
end

function test.keys_that_are_there_twice_are_named()
    refused("a boolean", "decode: the key true is there twice", firn.decode, "\9\2\2\2\2\2")
    refused("a string", 'decode: the key "a" is there twice', firn.decode, "\9\2\33a\2\33a\2")
end

function test.an_error_outside_of_any_program_has_no_place()
    local _, problem = coroutine.resume(coroutine.create(firn.encode), print)
    assert(tostring(problem) == "encode: the value is a function", tostring(problem))
end

function test.the_buffer_of_a_very_large_value_is_not_kept()
    local large = ("x"):rep(2 ^ 24)
    assert(luajit.same(firn.decode(firn.encode({large, large})), {large, large}))
    assert(firn.encode(true) == "\2")
end

function test.every_proper_prefix_is_refused()
    local bytes = firn.encode({1, 2, "three", {a = {true, 0.5}}, k = 1LL, c = 1i})
    for size = 0, #bytes - 1 do
        refused(size, "decode: ", firn.decode, bytes:sub(1, size))
        refused(size, "decode: ", firn.decode, bytes:sub(1, size), {depth = 100})
    end
end

function test.damaged_bytes_never_do_more_than_raise()
    math.randomseed(7)
    for seed = 1, 200 do
        local bytes = firn.encode(luajit.generate(seed))
        for _ = 1, 20 do
            local at = math.random(#bytes)
            local damaged = bytes:sub(1, at - 1) .. string.char(math.random(0, 255))
                .. bytes:sub(at + 1)
            local ok, value = pcall(firn.decode, damaged)
            local walked, same = pcall(firn.decode, damaged, {depth = 100})
            assert(ok == walked, seed)
            assert(not ok or luajit.same(value, same), seed)
        end
    end
end

local function resident()
    local file = io.open("/proc/self/status")
    local text = file and file:read("*a") or "VmRSS: 0 kB"
    if file then
        file:close()
    end
    return tonumber(text:match("VmRSS:%s*(%d+)"))
end

-- TRUST: six bytes that make LuaJIT's own decoder take a gigabyte.
function test.bombs_are_refused_before_anything_is_taken()
    local bombs = {}
    for tag = 0x09, 0x0d do
        bombs[#bombs + 1] = string.char(tag) .. "\255\255\255\255\7"
        bombs[#bombs + 1] = string.char(tag) .. "\255\255\255\255\7\255\255\255\255\7"
        bombs[#bombs + 1] = ("\12\2"):rep(99) .. string.char(tag) .. "\255\255\255\255\7"
    end
    bombs[#bombs + 1] = "\255\255\255\255\127"
    local function explode()
        for _, bomb in ipairs(bombs) do
            refused("a bomb", "decode: ", firn.decode, bomb)
            refused("a bomb", "decode: ", firn.decode, bomb, {depth = 100})
        end
    end
    explode()
    collectgarbage()
    collectgarbage("stop")
    for _, bomb in ipairs(bombs) do
        local before, held = collectgarbage("count"), resident()
        pcall(firn.decode, bomb)
        pcall(firn.decode, bomb, {depth = 100})
        assert(collectgarbage("count") - before < 64, #bomb)
        assert(resident() - held < 1024, #bomb)
    end
    collectgarbage("restart")
end

-- Tables inside tables that each announce as many items as bytes are left, which together are more.
function test.tables_share_the_bytes_that_are_left()
    local parts, size = {}, 100000
    for depth = 1, 99 do
        local left = size - 6 * depth
        parts[depth] = "\10\255" .. string.char(left % 256, math.floor(left / 256) % 256,
            math.floor(left / 65536), 0)
    end
    local bytes = table.concat(parts)
    bytes = bytes .. ("\0"):rep(size - #bytes)
    collectgarbage()
    collectgarbage("stop")
    local before = collectgarbage("count")
    refused("too many", "decode: ", firn.decode, bytes)
    assert(collectgarbage("count") - before < 8 * size / 1024 + 1024)
    collectgarbage("restart")
end

-- ---------------------------------------------------------------- memory

function test.collecting_all_the_time_changes_nothing()
    local before = collectgarbage("setstepmul", 1000)
    local pause = collectgarbage("setpause", 1)
    for seed = 1, 100 do
        local value = luajit.generate(seed)
        local bytes = firn.encode(value)
        assert(luajit.same(firn.decode(bytes), value), seed)
        assert(luajit.same(firn.decode(bytes, {depth = 100}), value), seed)
        assert(value == nil or walked(value) == bytes, seed)
    end
    collectgarbage("setstepmul", before)
    collectgarbage("setpause", pause)
end

function test.a_finalizer_may_encode_and_decode()
    local runs = 0
    for i = 1, 300 do
        local proxy = newproxy(true)
        getmetatable(proxy).__gc = function()
            runs = runs + 1
            assert(firn.decode(firn.encode({i, name = "x"})).name == "x")
            refused("a function", "[1] is a function", firn.encode, {print})
        end
        proxy = nil
        local t = {i, {a = "text " .. i, b = {}}, [i + 0.5] = "y"}
        assert(luajit.same(firn.decode(firn.encode(t)), t))
        assert(luajit.same(firn.decode(walked(t), {depth = 100}), t))
        if i % 10 == 0 then
            collectgarbage()
        end
    end
    assert(runs > 100, runs)
end

function test.encoding_and_decoding_leaves_memory_where_it_was()
    local value = {}
    for i = 1, 1000 do
        value[i] = {x = i, name = "unit " .. i, [i] = {1, 2}}
    end
    local function work()
        for _ = 1, 20 do
            firn.decode(firn.encode(value))
            firn.decode(walked(value), {depth = 100})
            pcall(firn.encode, {value, print})
        end
        collectgarbage()
        collectgarbage()
    end
    work()
    local before = collectgarbage("count")
    work()
    assert(collectgarbage("count") - before < 64)
end

return test
