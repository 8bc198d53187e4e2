-- refused.lua: refused(text, call, ...): the call must raise an error with the text in it, which is
-- returned.
return function(text, call, ...)
    local ok, problem = pcall(call, ...)
    assert(not ok, "it was not refused: " .. text)
    assert(tostring(problem):find(text, 1, true), tostring(problem))
    return problem
end
