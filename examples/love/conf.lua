-- conf.lua: what LÖVE reads before everything else.
function love.conf(t)
    t.identity = "firn-snowlings" -- names the folder of the saves
    t.version = "11.4"
    t.window.title = "Snowlings"
    t.window.width, t.window.height = 800, 450
    t.window.msaa = 4
    t.modules.audio = false
    t.modules.sound = false
    t.modules.joystick = false
    t.modules.physics = false
end
