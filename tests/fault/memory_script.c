// Calls of script.h.
#include "fault/memory_scene.h"

#include <string.h>

// ---- providers

static firn_result run_step(void *user, firn_world *world, const firn_step_call *call,
                            firn_error *err)
{
    scene *s = user;
    (void)world, (void)err;
    const uint64_t numbers[] = {call->number, call->entity, call->ticks, call->count, call->first};
    scene_trace(s, numbers, sizeof numbers);
    scene_trace(s, call->key, strlen(call->key));
    scene_trace(s, call->event, strlen(call->event));
    if (call->payload != NULL)
        scene_trace_value(s, call->payload);
    return FIRN_OK;
}

static firn_result add_provider(scene *s, firn_error *err)
{
    const firn_step steps[] = {{"open the door", run_step}, {"close the door", run_step}};
    const firn_provider_desc desc = {
        .name = "a provider", .steps = steps, .step_count = 2, .user = s};
    return firn_provider_add(s->z.world, &desc, err);
}

static void have_provider(scene *s)
{
    firn_error err;
    assert_ok(add_provider(s, &err), &err);
}

static firn_result listen(scene *s, firn_error *err)
{
    return firn_script_listen(s->z.world, "an event that is long", "a provider", "open the door",
                              err);
}

static firn_result script_system(scene *s, firn_error *err)
{
    return scene_made(firn_script_system(s->z.world, 0, err) != 0, err);
}

static firn_result script_ticks(scene *s, firn_error *err)
{
    (void)err;
    double ticks = firn_script_ticks(s->z.world, 0.5);
    scene_trace(s, &ticks, sizeof ticks);
    return FIRN_OK;
}

// ---- clocks

static firn_result clock_add(scene *s, firn_error *err)
{
    return firn_clock_add(s->z.world, "a clock of the game", err);
}

static void have_clock(scene *s)
{
    firn_error err;
    have_provider(s);
    assert_ok(clock_add(s, &err), &err);
    const char *names[] = {"b", "a", "c"};
    for (int i = 0; i < 3; i++)
        assert_ok(firn_clock_add(s->z.world, names[i], &err), &err);
}

static firn_result clock_change(scene *s, firn_error *err)
{
    firn_world *world = s->z.world;
    firn_clock clock = {0};
    firn_result result = firn_clock_scale(world, "a", 2, err);
    if (result == FIRN_OK)
        result = firn_clock_set(world, "a", 5, err);
    if (result == FIRN_OK)
        result = firn_clock_pause(world, "a", true, err);
    if (result == FIRN_OK)
        result = firn_clock_read(world, "a", &clock, err);
    if (result == FIRN_OK)
        result = firn_clock_remove(world, "b", err);
    scene_trace(s, &clock.ticks, sizeof clock.ticks);
    scene_trace(s, firn_clock_name(world, firn_clock_count(world) - 1), 1);
    return result;
}

// ---- items

static firn_result send_event(scene *s, firn_error *err)
{
    const firn_value payload = {
        .kind = FIRN_VALUE_STRING, .length = 20, .as.string = "a payload of length."};
    return scene_made(
        firn_script_send(s->z.world, "an event that is long", s->entity, 0, &payload, err) != 0,
        err);
}

static firn_result start_timer(scene *s, firn_error *err)
{
    const firn_timer_desc desc = {.provider = "a provider",
                                  .step = "open the door",
                                  .entity = s->entity,
                                  .period = 2,
                                  .clock = "a clock of the game"};
    return scene_made(firn_timer_start(s->z.world, &desc, err) != 0, err);
}

static firn_result start_wait(scene *s, firn_error *err)
{
    const firn_wait_desc desc = {.provider = "a provider",
                                 .step = "close the door",
                                 .entity = s->entity,
                                 .event = "an event that is long"};
    return scene_made(firn_wait_start(s->z.world, &desc, err) != 0, err);
}

static firn_result set_machine(scene *s, firn_error *err)
{
    firn_world *world = s->z.world;
    uint64_t number = firn_machine_set(world, s->entity, "a provider", "open the door", err);
    uint64_t found = firn_machine_find(world, s->entity, "a provider");
    scene_trace(s, &found, sizeof found);
    return scene_made(number != 0, err);
}

static firn_result start_cursor(scene *s, firn_error *err)
{
    firn_world *world = s->z.world;
    uint64_t number =
        firn_cursor_start(world, "a provider", s->entity, "a key of a cursor", NULL, err);
    uint64_t found = firn_cursor_find(world, "a provider", s->entity, "a key of a cursor");
    scene_trace(s, &found, sizeof found);
    return scene_made(number != 0, err);
}

// ---- changes

static void have_cursor(scene *s)
{
    firn_error err;
    have_clock(s);
    assert_ok(start_cursor(s, &err), &err);
}

static uint64_t cursor_of_scene(const scene *s)
{
    return firn_cursor_find(s->z.world, "a provider", s->entity, "a key of a cursor");
}

static firn_result cursor_wait(scene *s, firn_error *err)
{
    return firn_cursor_wait(s->z.world, cursor_of_scene(s), "an event that is long", 4, "a", err);
}

static firn_result cursor_moves(scene *s, firn_error *err)
{
    firn_world *world = s->z.world;
    uint64_t cursor = cursor_of_scene(s);
    firn_result result = firn_cursor_go(world, cursor, "close the door", err);
    if (result == FIRN_OK)
        result = firn_cursor_track(world, cursor, s, NULL, err);
    bool told[] = {firn_cursor_is_pending(world, cursor), firn_cursor_tracked(world, cursor) == s};
    scene_trace(s, told, sizeof told);
    return result == FIRN_OK ? firn_cursor_done(world, cursor, s, err) : result;
}

static void have_everything(scene *s)
{
    firn_error err;
    have_cursor(s);
    assert_ok(cursor_wait(s, &err), &err);
    assert_ok(send_event(s, &err), &err);
    assert_ok(start_timer(s, &err), &err);
    assert_ok(start_wait(s, &err), &err);
    assert_ok(set_machine(s, &err), &err);
}

static firn_result look(scene *s, firn_error *err)
{
    uint64_t numbers[8] = {0};
    firn_script_item item = {0};
    uint32_t count = firn_script_list(s->z.world, FIRN_SCRIPT_NONE, s->entity, numbers, 8);
    firn_result result = firn_script_read(s->z.world, numbers[count - 1], &item, err);
    scene_trace(s, numbers, sizeof numbers);
    scene_trace(s, item.provider, strlen(item.provider));
    return result == FIRN_OK ? firn_script_end(s->z.world, numbers[0], err) : result;
}

static firn_result read_value(scene *s, firn_error *err)
{
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_value *value = firn_script_value(s->z.world, doc, err);
    if (value != NULL)
        scene_trace_value(s, value);
    firn_doc_destroy(doc);
    return scene_made(value != NULL, err);
}

// ---- running, saving and loading

static void have_event(scene *s)
{
    firn_error err;
    have_provider(s);
    assert_ok(listen(s, &err), &err);
    assert_ok(start_wait(s, &err), &err);
    assert_ok(send_event(s, &err), &err);
}

static firn_result run_script(scene *s, firn_error *err)
{
    return firn_script_run(s->z.world, err);
}

static firn_result save_script(scene *s, firn_error *err)
{
    return firn_snapshot_save(s->z.world, NULL, &s->out, err);
}

static void have_image(scene *s)
{
    firn_error err;
    have_everything(s);
    assert_ok(save_script(s, &err), &err);
    assert_ok(firn_script_run(s->z.world, &err), &err);
}

static firn_result load_script(scene *s, firn_error *err)
{
    return firn_snapshot_load(s->z.world, s->out.data, s->out.size, NULL, NULL, err);
}

static firn_result build_with_script(scene *s, firn_error *err)
{
    firn_world *world =
        firn_world_build_from(s->z.world, s->out.data, s->out.size, NULL, NULL, err);
    firn_world_destroy(world);
    return scene_made(world != NULL, err);
}

static void have_listening_image(scene *s)
{
    firn_error err;
    have_image(s);
    assert_ok(listen(s, &err), &err);
}

const memory_case memory_script_cases[] = {
    {"firn_provider_add", add_provider, NULL, false},
    {"firn_script_listen", listen, have_provider, false},
    {"firn_script_system", script_system, NULL, false},
    {"firn_script_ticks", script_ticks, NULL, true},
    {"firn_clock_add", clock_add, NULL, false},
    {"firn_clock_scale firn_clock_set firn_clock_pause firn_clock_read firn_clock_remove "
     "firn_clock_count firn_clock_name",
     clock_change, have_clock, true},
    {"firn_script_send", send_event, have_provider, false},
    {"firn_timer_start", start_timer, have_clock, false},
    {"firn_wait_start", start_wait, have_clock, false},
    {"firn_machine_set firn_machine_find", set_machine, have_clock, false},
    {"firn_cursor_start firn_cursor_find", start_cursor, have_clock, false},
    {"firn_cursor_wait", cursor_wait, have_cursor, false},
    {"firn_cursor_go firn_cursor_track firn_cursor_is_pending firn_cursor_tracked "
     "firn_cursor_done",
     cursor_moves, have_cursor, true},
    {"firn_script_list firn_script_read firn_script_end", look, have_everything, true},
    {"firn_script_value", read_value, have_everything, false},
    {"firn_script_run", run_script, have_event, false},
    {"firn_snapshot_save", save_script, have_everything, false},
    {"firn_snapshot_load", load_script, have_image, false},
    {"firn_world_build_from", build_with_script, have_listening_image, false},
    {NULL, NULL, NULL, false},
};
