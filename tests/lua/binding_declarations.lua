-- What the FFI of LuaJIT is told of firn: functions that compiled code may call, without a way back
-- into Lua, and without arguments that the compiler does not take.
local ffi = require("ffi")
local firn = require("firn")

local test = {}

-- Kinds of LuaJIT's types.
local NUMBER, POINTER, VOID, ENUM, FUNCTION, TYPEDEF, ATTRIBUTE, FIELD = 0, 2, 4, 5, 6, 7, 8, 9
local PLAIN = {[NUMBER] = true, [VOID] = true, [ENUM] = true}

-- The kind of a type, the number of the one that it is made of, and what LuaJIT says of it.
local function typeOf(id)
    local info = assert(ffi.typeinfo(id))
    return bit.rshift(info.info, 28), bit.band(info.info, 0xffff), info
end

-- A type without its other names.
local function resolve(id)
    local kind, child = typeOf(id)
    while kind == TYPEDEF or kind == ATTRIBUTE do
        id = child
        kind, child = typeOf(id)
    end
    return id, kind, child
end

-- Why a value of the type may not go in or out of a function; nil: it may.
local function complaint(id)
    local _, kind, child = resolve(id)
    if kind == POINTER then
        local _, target = resolve(child)
        return target == FUNCTION and "a function" or nil
    end
    return not PLAIN[kind] and "a struct by value" or nil
end

-- What is wrong with a function type: "its result is a struct by value"; nil: nothing.
local function complaintOfFunction(id)
    local _, result, info = typeOf(id)
    local problem = complaint(result)
    if problem then
        return "its result is " .. problem
    end
    local argument = info.sib
    while argument do
        local _, child, field = typeOf(argument)
        problem = complaint(child)
        if problem then
            return ("its argument %s is %s"):format(field.name or "...", problem)
        end
        argument = field.sib
    end
end

-- Calls each(name, type) for the functions that a struct of pointers to functions has.
local function eachFunction(struct, each)
    local _, _, info = typeOf(struct)
    local id = info.sib
    while id do
        local kind, child, field = typeOf(id)
        local _, pointer, target = resolve(child)
        assert(kind == FIELD and pointer == POINTER, "a member is no pointer: " .. field.name)
        local callee, what = resolve(target)
        assert(what == FUNCTION, "a member is no function: " .. field.name)
        each(field.name, callee)
        id = field.sib
    end
end

function test.no_function_that_the_FFI_calls_takes_or_gives_a_struct_by_value_or_a_function()
    local count = 0
    eachFunction(tonumber((resolve(tonumber(ffi.typeof("firn_lua_api"))))), function(name, id)
        count = count + 1
        local problem = complaintOfFunction(id)
        assert(not problem, name .. ": " .. tostring(problem))
    end)
    assert(count > 30, count)
end

-- The names of the functions that were declared: types of functions have none.
local function declared()
    local names, id = {}, 1
    while ffi.typeinfo(id) do
        local kind, _, info = typeOf(id)
        if kind == FUNCTION and info.name then
            names[#names + 1] = info.name
        end
        id = id + 1
    end
    return table.concat(names, " ")
end

function test.no_other_function_is_declared()
    assert(firn.newWorld and declared() == "", declared())
    ffi.cdef("int declarations_other(void);")
    assert(declared() == "declarations_other")
end

function test.what_no_function_may_take_or_give_is_noticed()
    ffi.cdef([[
        typedef struct { int x; } declarations_struct;
        typedef void (*declarations_function)(void);
        typedef struct {
            int (*good)(const declarations_struct *a, const char *b, double c, firn_result d);
            int (*value)(int a, declarations_struct b);
            declarations_struct (*result)(void);
            void (*callback)(declarations_function a);
            declarations_function (*gives)(const void *a);
            void (*direct)(void (*a)(int), int b);
        } declarations_table;
    ]])
    local problems = {}
    eachFunction(tonumber(ffi.typeof("declarations_table")), function(name, id)
        problems[name] = complaintOfFunction(id)
    end)
    assert(problems.good == nil)
    assert(problems.value == "its argument b is a struct by value")
    assert(problems.result == "its result is a struct by value")
    assert(problems.callback == "its argument a is a function")
    assert(problems.gives == "its result is a function")
    assert(problems.direct == "its argument a is a function")
end

return test
