-- State of an engine beside the entities, kept by handlers and codecs: bodies, sound, text, requests,
-- sequences. Each library here is as little as shows it.
local firn = require("firn")

local test = {}

local function saved(world)
    return world:saveSnapshot().buffer:tostring()
end

-- Steps of time: what is saved at one of them, loaded and stepped on is what was stepped at once.
local STEP = 1 / 64

-- ---------------------------------------------------------------- physics

-- Bodies that fall and bounce; their handles are numbers that mean nothing to another run.
local Physics = {}
Physics.__index = Physics

local function newPhysics(first)
    return setmetatable({bodies = {}, nextHandle = first, time = 0}, Physics)
end

function Physics:add(x, y)
    local handle = self.nextHandle
    self.nextHandle = handle + 1
    self.bodies[handle] = {x = x, y = y, vy = 0, bounces = 0}
    return handle
end

function Physics:step()
    self.time = self.time + STEP
    for _, body in pairs(self.bodies) do
        body.vy = body.vy - 9.8 * STEP
        body.y = body.y + body.vy * STEP
        if body.y < 0 then
            body.y, body.vy, body.bounces = -body.y, -body.vy * 0.8, body.bounces + 1
        end
    end
end

local PHYSICS_VERSION = 3

-- A plugin: entities have a RigidBody, whose handle is none of the save's business.
local function addPhysics(world, firstHandle)
    local plugin = {world = world, physics = newPhysics(firstHandle)}
    local RigidBody = world:newFFIComponent({
        name = "RigidBody", fields = {{"handle", "int32_t"}}, transient = true,
    })
    plugin.RigidBody = RigidBody
    function plugin.spawn(x, y)
        return world:spawn(RigidBody(plugin.physics:add(x, y)))
    end
    function plugin.hasBody(entity)
        local row = world:get(entity, RigidBody)
        return row ~= nil and plugin.physics.bodies[row.handle] ~= nil
    end
    function plugin.body(entity)
        return plugin.physics.bodies[world:get(entity, RigidBody).handle]
    end
    local query = world:newQuery({include = {RigidBody}})
    world:addSnapshotHandler({
        name = "game.physics",
        check = function(_, value)
            if value.version ~= PHYSICS_VERSION then
                error("physics of version " .. tostring(value.version), 0)
            end
        end,
        save = function()
            local physics, owners = plugin.physics, {}
            for archetype, count in query:each() do
                local bodies = archetype:column(RigidBody)
                for i = 0, count - 1 do
                    owners[#owners + 1] = {archetype:entity(i), bodies[i].handle}
                end
            end
            return {
                version = PHYSICS_VERSION, bodies = physics.bodies, time = physics.time,
                nextHandle = physics.nextHandle, owners = owners,
            }
        end,
        load = function(of, value)
            plugin.physics = setmetatable({
                bodies = value.bodies, nextHandle = value.nextHandle, time = value.time,
            }, Physics)
            for _, owner in ipairs(value.owners) do
                if of:isAlive(owner[1]) then
                    of:set(owner[1], RigidBody(owner[2]))
                end
            end
        end,
    })
    return plugin
end

function test.T23_the_whole_state_of_physics_comes_back_and_bodies_find_their_entities()
    local world = firn.newWorld()
    local plugin = addPhysics(world, 1)
    local ids = {}
    for i = 1, 8 do
        ids[i] = plugin.spawn(i, i)
    end
    local bare = world:spawn()
    for _ = 1, 100 do
        plugin.physics:step()
    end
    world:despawn(ids[3])
    local save = saved(world)
    assert(not save:find("RigidBody", 1, true))

    local other = firn.newWorld()
    local loaded = addPhysics(other, 1000)
    loaded.spawn(0, 0)
    other:loadSnapshot(save)
    assert(not loaded.hasBody(ids[3]) and not loaded.hasBody(bare) and loaded.hasBody(ids[4]))
    for _ = 1, 200 do
        plugin.physics:step()
        loaded.physics:step()
    end
    for i, id in ipairs(ids) do
        if i ~= 3 then
            local a, b = plugin.body(id), loaded.body(id)
            assert(a.x == b.x and a.y == b.y and a.vy == b.vy and a.bounces == b.bounces)
        end
    end
    assert(plugin.physics.time == loaded.physics.time)
    assert(plugin.physics:add(0, 0) == loaded.physics:add(0, 0))
end

function test.T23_physics_of_another_version_is_refused_before_anything_changes()
    local world = firn.newWorld()
    local plugin = addPhysics(world, 1)
    local fox = plugin.spawn(1, 2)
    local plain = world:saveSnapshot({format = "table"}).snapshot
    for _, entry in ipairs(plain.data) do
        if entry.key == "game.physics" then
            entry.value.version = 4
        end
    end
    local ok, problem = pcall(world.loadSnapshot, world, plain)
    assert(not ok and tostring(problem):find("physics of version 4", 1, true), tostring(problem))
    assert(problem.committed == false and plugin.hasBody(fox))
end

-- ---------------------------------------------------------------- sound

function test.T23_settings_of_sound_come_back_and_voices_do_not()
    local function addAudio(world)
        local audio = {
            master = 1, muted = false, paused = false, groups = {music = 1, effects = 1},
            limits = {step = 4}, voices = {},
        }
        local Sound = world:newComponent({
            name = "Sound", fields = {"clip", "group", "voice"},
            save = function(sound)
                return {clip = sound.clip, group = sound.group}
            end,
            load = function(data)
                return {clip = data.clip, group = data.group}
            end,
        })
        function audio.play(entity)
            local sound = world:get(entity, Sound)
            audio.voices[#audio.voices + 1] = {clip = sound.clip, at = 0}
            sound.voice = #audio.voices
        end
        world:addSnapshotHandler({
            name = "game.audio",
            save = function()
                return {
                    master = audio.master, muted = audio.muted, paused = audio.paused,
                    groups = audio.groups,
                }
            end,
            load = function(_, value)
                for name, setting in pairs(value) do
                    audio[name] = setting
                end
            end,
            finish = function(of)
                audio.voices = {}
                for archetype, count in of:newQuery({include = {Sound}}):each() do
                    for i = 0, count - 1 do
                        audio.play(archetype:entity(i))
                    end
                end
            end,
        })
        return audio, Sound
    end
    local world = firn.newWorld()
    local audio, Sound = addAudio(world)
    local bell = world:spawn(Sound("bell.ogg", "effects"))
    audio.play(bell)
    audio.play(bell)
    audio.voices[2].at, audio.master, audio.muted, audio.groups.music = 12.5, 0.25, true, 0
    audio.limits.step = 9
    local save = saved(world)

    local other = firn.newWorld()
    local loaded, Loaded = addAudio(other)
    other:loadSnapshot(save)
    assert(loaded.master == 0.25 and loaded.muted and not loaded.paused)
    assert(loaded.groups.music == 0 and loaded.groups.effects == 1 and loaded.limits.step == 4)
    assert(#loaded.voices == 1 and loaded.voices[1].at == 0)
    assert(loaded.voices[1].clip == "bell.ogg" and other:get(bell, Loaded).voice == 1)
end

-- ---------------------------------------------------------------- text

function test.T23_what_is_derived_is_left_out_and_derived_again()
    local derived = 0
    local function addText(world, fonts)
        local Text = world:newComponent({
            name = "Text", fields = {"text", "font", "glyphs"},
            save = function(text)
                return {text = text.text, font = text.font}
            end,
            load = function(data)
                return {text = data.text, font = data.font}
            end,
        })
        local function derive(of)
            for archetype, count in of:newQuery({include = {Text}}):each() do
                local column = archetype:column(Text)
                for i = 0, count - 1 do
                    local text, font = column[i], fonts[column[i].font]
                    text.glyphs = nil
                    for letter in font and text.text:gmatch(".") or function() end do
                        text.glyphs = text.glyphs or {}
                        table.insert(text.glyphs, font .. ":" .. letter)
                        derived = derived + 1
                    end
                end
            end
        end
        world:observe(0, firn.FinishSnapshotLoad, function(_, of)
            derive(of)
        end)
        return Text, derive
    end
    local world = firn.newWorld()
    local Text, derive = addText(world, {serif = "S", gothic = "G"})
    local sign, lost = world:spawn(Text("Inn", "serif")), world:spawn(Text("Lost", "gothic"))
    derive(world)
    assert(world:get(sign, Text).glyphs[1] == "S:I" and derived == 7)
    local save = saved(world)
    assert(not save:find("glyphs", 1, true))

    local other = firn.newWorld()
    local Other = addText(other, {serif = "T"})
    other:loadSnapshot(save)
    assert(table.concat(other:get(sign, Other).glyphs, " ") == "T:I T:n T:n")
    local without = other:get(lost, Other)
    assert(without.text == "Lost" and without.font == "gothic" and without.glyphs == nil)
end

-- ---------------------------------------------------------------- requests

function test.T23_a_pending_request_is_sent_again_and_replaced_transfers_are_stopped()
    local world = firn.newWorld()
    local Request = world:newComponent({name = "Request", fields = {"url"}})
    local Pending = world:newTag({name = "Pending", transient = true})
    local transfers, stopped = {}, {} -- beside the world: a transfer is nothing to save
    local query = world:newQuery({include = {Request}, exclude = {Pending}})
    world:addSystem({name = "http", run = function(of)
        for archetype, count in query:each() do
            for i = 0, count - 1 do
                local entity = archetype:entity(i)
                transfers[#transfers + 1] = {
                    entity = entity, url = archetype:column(Request)[i].url, running = true,
                }
                of:add(entity, Pending)
            end
        end
    end})
    world:observe(0, firn.FinishSnapshotLoad, function()
        for _, transfer in ipairs(transfers) do
            transfer.running = false
            stopped[#stopped + 1] = transfer.url
        end
        transfers = {}
    end)
    local asked = world:spawn(Request("score"))
    world:step(STEP)
    assert(#transfers == 1 and world:has(asked, Pending))
    local save = saved(world)
    world:spawn(Request("later"))
    world:step(STEP)
    assert(#transfers == 2)

    world:loadSnapshot(save)
    assert(table.concat(stopped, " ") == "score later" and not world:has(asked, Pending))
    world:step(STEP)
    assert(#transfers == 1 and transfers[1].url == "score" and transfers[1].entity == asked)
    assert(transfers[1].running and world:has(asked, Pending))
end

-- ---------------------------------------------------------------- sequences

function test.T23_a_cursor_comes_back_without_the_future_it_waited_for()
    local function addSequences(world)
        local cursors = {}
        local plugin = {}
        function plugin.start(entity, provider, key)
            cursors[entity] = {provider = provider, key = key, at = 1}
        end
        function plugin.wait(entity, future)
            cursors[entity].future = future
        end
        function plugin.isPending(entity)
            local future = cursors[entity].future
            return future ~= nil and not future.done
        end
        function plugin.at(entity)
            return cursors[entity].at
        end
        world:addSystem({name = "sequences", phase = "FixedUpdate", run = function()
            for entity, cursor in pairs(cursors) do
                if not plugin.isPending(entity) then
                    cursor.at = cursor.at + 1
                end
            end
        end})
        world:addSnapshotHandler({
            name = "game.sequence",
            save = function()
                local list = {}
                for entity, cursor in pairs(cursors) do
                    list[#list + 1] = {
                        entity = entity, provider = cursor.provider, key = cursor.key, at = cursor.at,
                    }
                end
                return list
            end,
            load = function(_, list)
                cursors = {}
                for _, saved_ in ipairs(list) do
                    cursors[saved_.entity] = {
                        provider = saved_.provider, key = saved_.key, at = saved_.at,
                    }
                end
            end,
        })
        return plugin
    end
    local world = firn.newWorld({timestep = STEP})
    local sequences = addSequences(world)
    local actor = world:spawn()
    sequences.start(actor, "dialogue", "intro")
    world:step(STEP)
    local future = {listeners = {}}
    future.listeners[1] = function()
        return future
    end
    sequences.wait(actor, future)
    world:step(STEP)
    assert(sequences.isPending(actor) and sequences.at(actor) == 2)
    world:loadSnapshot(saved(world))
    assert(not sequences.isPending(actor) and sequences.at(actor) == 2)
    world:step(STEP)
    assert(sequences.at(actor) == 3)
end

return test
