-- finalizers.lua: calls round(i) often, while finalizers call finalize(n) again and again. Without the
-- JIT compiler: LuaJIT may never leave a finalizer that runs compiled code.
return function(finalize, rounds, round)
    local left, ran, on = 0, 0, true
    local function arm()
        if left < 2 then
            left = left + 1
            getmetatable(newproxy(true)).__gc = function()
                left, ran = left - 1, ran + 1
                if on then
                    finalize(ran)
                end
                if ran % 3 > 0 and on then
                    arm()
                end
            end
        end
    end
    local compiled = jit.status()
    local pause, speed = collectgarbage("setpause", 1), collectgarbage("setstepmul", 1000)
    jit.off()
    jit.flush()
    local ok, problem, i = true, nil, 0
    rounds = package.loaded.stress and 20 or rounds
    while ok and (i < rounds or ran < 6 and i < 20 * rounds) do
        i = i + 1
        arm()
        ok, problem = pcall(round, i)
    end
    on = false
    collectgarbage("setpause", pause)
    collectgarbage("setstepmul", speed)
    if compiled then
        jit.on()
    end
    assert(ok, problem)
    assert(ran > 5)
end
