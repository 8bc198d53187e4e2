// Calls of saves.h that are about slots, requests and play.
#include "fault/memory_scene.h"

#include <string.h>

static int64_t stopped(void *user)
{
    (void)user;
    return 1234567890123;
}

static void open_saves(scene *s, bool editor)
{
    firn_error err;
    assert_ok(firn_storage_memory(&s->memory.allocator, &s->storage, &err), &err);
    const firn_saves_desc desc = {.game = "game",
                                  .storage = &s->storage,
                                  .autosave_seconds = 10,
                                  .autosave_ring = 2,
                                  .editor = editor,
                                  .now = stopped};
    s->saves = firn_saves_open(s->z.world, &desc, &err);
    assert_non_null(s->saves);
}

static void have_slots(scene *s)
{
    firn_error err;
    open_saves(s, false);
    firn_value *meta = firn_value_table(s->doc, &err);
    firn_table_set_text(s->doc, meta, "thumbnail", firn_value_text(s->doc, "pixels", &err), &err);
    const firn_saves_write_options options = {.meta = meta};
    assert_ok(firn_saves_write(s->saves, "a", &options, &err), &err);
    assert_ok(firn_saves_write(s->saves, "b", NULL, &err), &err);
}

static void have_damaged_slot(scene *s)
{
    firn_error err;
    firn_revision revision;
    have_slots(s);
    assert_ok(s->storage.put(s->storage.user, "a", FIRN_REVISION_ANY, "x", 1, &revision, &err),
              &err);
}

static firn_result list_slots(scene *s, firn_error *err)
{
    firn_slot_list list;
    firn_result result = firn_saves_list(s->saves, &list, err);
    for (uint32_t i = 0; i < list.count; i++) {
        scene_trace(s, list.slots[i].name, strlen(list.slots[i].name));
        scene_trace(s, &list.slots[i].from_backup, 1);
    }
    firn_slot_list_free(&list);
    return result;
}

static firn_result find_newest(scene *s, firn_error *err)
{
    char slot[FIRN_SLOT_NAME_SIZE] = "";
    firn_result result = firn_saves_newest(s->saves, slot, err);
    scene_trace(s, slot, strlen(slot));
    return result;
}

static firn_result ask_slots(scene *s, firn_error *err)
{
    (void)err;
    firn_saves_wait(s->saves);
    assert_false(firn_saves_writing(s->saves));
    assert_true(firn_saves_playing(s->saves));
    assert_true(firn_saves_has(s->saves, "a"));
    assert_false(firn_saves_has(s->saves, "c"));
    return FIRN_OK;
}

static firn_result read_thumbnail(scene *s, firn_error *err)
{
    return firn_saves_thumbnail(s->saves, "a", &s->out, err);
}

static firn_result copy_slot(scene *s, firn_error *err)
{
    return firn_saves_copy(s->saves, "a", "c", true, err);
}

static firn_result rename_slot(scene *s, firn_error *err)
{
    return firn_saves_rename(s->saves, "a", "c", true, err);
}

static firn_result remove_slot(scene *s, firn_error *err)
{
    return firn_saves_remove(s->saves, "a", err);
}

static firn_result request_save(scene *s, firn_error *err)
{
    const firn_value title = {.kind = FIRN_VALUE_STRING, .length = 3, .as.string = "cup"};
    const firn_section section = {"mine", title.as.string, title.length};
    const firn_saves_write_options options = {
        .meta = s->table, .sections = &section, .section_count = 1};
    return firn_saves_request_save(s->saves, "a", &options, err);
}

static firn_result request_load(scene *s, firn_error *err)
{
    return firn_saves_request_load(s->saves, "a", err);
}

// ---- the end of a tick

// What an event says failed is what the call of a case returns.
static firn_error told;

static firn_result hear_failure(void *user, firn_world *world, const firn_event *event,
                                firn_error *err)
{
    (void)user, (void)world, (void)err;
    const firn_saves_event *saw = event->payload;
    if (saw->error != NULL)
        told = *saw->error;
    return FIRN_OK;
}

static void hear_saves(scene *s)
{
    static const char *const kinds[] = {"saved", "save_failed", "loaded"};
    firn_error err;
    for (int i = 0; i < 3; i++) {
        const firn_observer_desc desc = {.event = kinds[i], .observe = hear_failure};
        assert_true(firn_observe(s->z.world, &desc, &err) != 0);
    }
}

static void have_ticks(scene *s)
{
    have_slots(s);
    hear_saves(s);
}

static void have_load(scene *s)
{
    have_ticks(s);
    zoo_litter(&s->z);
}

static firn_result end_tick(scene *s, double seconds, firn_error *err)
{
    told = (firn_error){.code = FIRN_OK};
    firn_result result = firn_saves_end_tick(s->saves, seconds, err);
    if (result == FIRN_OK)
        result = firn_saves_tell(s->saves, err);
    if (result == FIRN_OK && told.code != FIRN_OK)
        *err = told;
    return result == FIRN_OK ? told.code : result;
}

static firn_result save_in_tick(scene *s, firn_error *err)
{
    firn_result result = firn_saves_request_save(s->saves, "a", NULL, err);
    return result == FIRN_OK ? end_tick(s, 0, err) : result;
}

static firn_result autosave_in_tick(scene *s, firn_error *err)
{
    return end_tick(s, 10, err);
}

static firn_result load_in_tick(scene *s, firn_error *err)
{
    firn_result result = firn_saves_request_load(s->saves, "a", err);
    return result == FIRN_OK ? end_tick(s, 0, err) : result;
}

// ---- play

static void have_editor(scene *s)
{
    open_saves(s, true);
}

static void have_play(scene *s)
{
    firn_error err;
    have_editor(s);
    assert_ok(firn_saves_play_begin(s->saves, &err), &err);
    zoo_litter(&s->z);
}

static firn_result begin_play(scene *s, firn_error *err)
{
    return firn_saves_play_begin(s->saves, err);
}

static firn_result stop_play(scene *s, firn_error *err)
{
    return firn_saves_play_stop(s->saves, err);
}

const memory_case memory_slots_cases[] = {
    {"firn_saves_list firn_slot_list_free", list_slots, have_slots, false},
    {"firn_saves_list", list_slots, have_damaged_slot, false},
    {"firn_saves_newest", find_newest, have_slots, false},
    {"firn_saves_has firn_saves_writing firn_saves_wait firn_saves_playing",
     ask_slots, have_slots, true},
    {"firn_saves_thumbnail", read_thumbnail, have_slots, false},
    {"firn_saves_copy", copy_slot, have_slots, false},
    {"firn_saves_rename", rename_slot, have_slots, false},
    {"firn_saves_remove", remove_slot, have_slots, true},
    {"firn_saves_request_save", request_save, have_slots, false},
    {"firn_saves_request_load", request_load, have_slots, false},
    {"firn_saves_end_tick firn_saves_tell", save_in_tick, have_ticks, false},
    {"firn_saves_end_tick", autosave_in_tick, have_ticks, false},
    {"firn_saves_end_tick", load_in_tick, have_load, false},
    {"firn_saves_play_begin", begin_play, have_editor, false},
    {"firn_saves_play_stop", stop_play, have_play, false},
    {NULL, NULL, NULL, false},
};
