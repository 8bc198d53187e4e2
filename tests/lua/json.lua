-- json.lua: reads JSON, as much of it as the expectations in tests/golden take: json.read(text) gives
-- tables, numbers, strings and booleans. A character of a string is a byte. null is refused.
local json = {}

local ESCAPES = {
    ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t",
}

local function fail(text, at, message)
    error(("JSON, byte %d: %s near %q"):format(at, message, text:sub(at, at + 20)), 0)
end

local function skip(text, at)
    return text:find("[^ \t\r\n]", at) or #text + 1
end

local function readEscape(text, at)
    local letter = text:sub(at + 1, at + 1)
    if letter ~= "u" then
        return ESCAPES[letter] or fail(text, at, "an unknown escape"), at + 2
    end
    local digits = text:match("^00(%x%x)", at + 2) or fail(text, at, "no byte")
    return string.char(tonumber(digits, 16)), at + 6
end

local function readString(text, at)
    local pieces = {}
    at = at + 1
    while text:sub(at, at) ~= '"' do
        local first, second = text:byte(at, at + 1)
        local piece
        if not first then
            fail(text, at, "a string without an end")
        elseif first == 92 then
            piece, at = readEscape(text, at)
        elseif first < 128 then
            piece = text:match('^[^"\\\128-\255]+', at)
            at = at + #piece
        elseif first == 0xc2 or first == 0xc3 then -- a byte from 128 on, in UTF-8
            piece, at = string.char((first - 0xc0) * 64 + second - 128), at + 2
        else
            fail(text, at, "a character that is no byte")
        end
        pieces[#pieces + 1] = piece
    end
    return table.concat(pieces), at + 1
end

local readValue

-- The members between brackets: add(at) reads one and says where it ended.
local function readMembers(text, at, closing, add)
    at = skip(text, at + 1)
    if text:sub(at, at) == closing then
        return at + 1
    end
    while true do
        at = skip(text, add(at))
        local separator = text:sub(at, at)
        if separator == closing then
            return at + 1
        elseif separator ~= "," then
            fail(text, at, "no comma")
        end
        at = skip(text, at + 1)
    end
end

local function readObject(text, at)
    local object = {}
    return object, readMembers(text, at, "}", function(from)
        local key, after = readString(text, from)
        after = skip(text, after)
        if text:sub(after, after) ~= ":" then
            fail(text, after, "no colon")
        end
        object[key], after = readValue(text, skip(text, after + 1))
        return after
    end)
end

local function readArray(text, at)
    local array = {}
    return array, readMembers(text, at, "]", function(from)
        local after
        array[#array + 1], after = readValue(text, from)
        return after
    end)
end

function readValue(text, at)
    local first = text:sub(at, at)
    if first == "{" then
        return readObject(text, at)
    elseif first == "[" then
        return readArray(text, at)
    elseif first == '"' then
        return readString(text, at)
    end
    local word = text:match("^[%w%.+-]+", at) or fail(text, at, "no value")
    if word == "true" or word == "false" then
        return word == "true", at + #word
    end
    return tonumber(word) or fail(text, at, "no value"), at + #word
end

-- The value that a text is.
function json.read(text)
    local value, at = readValue(text, skip(text, 1))
    if skip(text, at) <= #text then
        fail(text, at, "more than one value")
    end
    return value
end

-- The value that a file is.
function json.readFile(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read("*a")
    file:close()
    return json.read(text)
end

return json
