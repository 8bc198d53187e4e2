-- run.lua [--stress | --callbacks] FILE [NAME]: runs the tests of a file, or the one of that name: a
-- file returns a table {name = function}, each name a sentence. Prints what fails with its traceback.
-- --stress: the collector runs at the worst moments. --callbacks: no Lua function can become one of C.
local arguments = {...}
local around = arguments[1]:find("^%-%-") and require(table.remove(arguments, 1):sub(3))
local file, only = arguments[1], arguments[2]
local tests = assert(loadfile(file))()

local names = {}
for name in pairs(tests) do
    if not only or name == only then
        names[#names + 1] = name
    end
end
table.sort(names)
assert(#names > 0, "there is no test to run")

local failed = 0
for _, name in ipairs(names) do
    if around then
        around.begin()
    end
    local ok, problem = xpcall(tests[name], function(problem)
        return debug.traceback(tostring(problem), 2)
    end)
    print(("[%s] %s"):format(ok and "       OK " or "  FAILED  ", name))
    if not ok then
        failed = failed + 1
        print(problem)
    end
    collectgarbage()
end
print(("%d of %d tests passed"):format(#names - failed, #names))
os.exit(failed == 0 and 0 or 1, true)
