// Calls of saves.h.
#include "fault/memory_scene.h"

#include <string.h>

// ---- managers

static int64_t stopped_clock(void *user)
{
    (void)user;
    return 1;
}

static const char *current_level(void *user, firn_world *world)
{
    (void)user, (void)world;
    return "cave";
}

static firn_result enter_level(void *user, const char *level, bool for_restore, firn_world **world,
                               firn_error *err)
{
    (void)user, (void)level, (void)for_restore, (void)world, (void)err;
    return FIRN_OK;
}

static const firn_levels levels = {current_level, enter_level, NULL};

static firn_result change_custom(void *user, firn_doc *doc, firn_value *save, firn_error *err)
{
    (void)user;
    firn_value *custom = firn_value_table(doc, err);
    return custom == NULL ? FIRN_NO_MEMORY : firn_table_set_text(doc, save, "custom", custom, err);
}

static const firn_migration migrations[] = {{.from = 2}, {.from = 1, .migrate = change_custom}};

static firn_saves_desc manager_desc(void)
{
    return (firn_saves_desc){.game = "game",
                             .version = 3,
                             .migrations = migrations,
                             .migration_count = 2,
                             .now = stopped_clock};
}

static firn_result open_with(scene *s, const firn_saves_desc *desc, firn_error *err)
{
    s->saves = firn_saves_open(s->z.world, desc, err);
    return scene_made(s->saves != NULL, err);
}

static firn_result open_manager(scene *s, firn_error *err)
{
    const firn_saves_desc desc = manager_desc();
    return open_with(s, &desc, err);
}

static firn_result open_and_close_manager(scene *s, firn_error *err)
{
    const firn_saves_desc desc = manager_desc();
    firn_saves *saves = firn_saves_open(s->z.world, &desc, err);
    firn_saves_close(saves);
    return scene_made(saves != NULL, err);
}

static void have_manager(scene *s)
{
    firn_error err;
    assert_ok(open_manager(s, &err), &err);
}

// ---- variables

static firn_result set_variable(scene *s, firn_error *err)
{
    return firn_saves_set_variable(s->saves, "bag", s->table, err);
}

static firn_result remove_variable(scene *s, firn_error *err)
{
    return firn_saves_set_variable(s->saves, "old", NULL, err);
}

static void have_variable(scene *s)
{
    firn_error err;
    have_manager(s);
    assert_ok(firn_saves_set_variable(s->saves, "old", s->table, &err), &err);
}

// The next one that is set makes what was replaced too much.
static void have_many_replaced(scene *s)
{
    firn_error err;
    char text[1100];
    memset(text, 'x', sizeof text);
    have_manager(s);
    const firn_value *string = firn_value_string(s->doc, text, sizeof text, &err);
    for (int i = 0; i < 14; i++)
        assert_ok(firn_saves_set_variable(s->saves, "text", string, &err), &err);
}

static firn_result set_large_variable(scene *s, firn_error *err)
{
    char text[8000];
    memset(text, 'y', sizeof text);
    const firn_value string = {.kind = FIRN_VALUE_STRING, .length = sizeof text, .as.string = text};
    return firn_saves_set_variable(s->saves, "large", &string, err);
}

static firn_result ask_manager(scene *s, firn_error *err)
{
    (void)err;
    assert_ptr_equal(firn_saves_world(s->saves), s->z.world);
    assert_non_null(firn_saves_variable(s->saves, "old"));
    assert_non_null(firn_saves_variables(s->saves));
    assert_true(firn_saves_play_time(s->saves) == 0);
    return FIRN_OK;
}

// ---- saves

static firn_result give_bag(void *user, firn_saves *saves, firn_doc *doc, firn_value *fields,
                            firn_error *err)
{
    (void)user, (void)saves;
    firn_value *number = firn_value_number(doc, 4, err);
    return number == NULL ? FIRN_NO_MEMORY : firn_table_set_text(doc, fields, "bag", number, err);
}

static firn_result give_text(void *user, firn_saves *saves, firn_doc *doc, firn_value *fields,
                             firn_error *err)
{
    (void)user;
    const char *text = firn_saves_variable(saves, "text")->as.string;
    firn_value *copy = firn_value_text(doc, text, err);
    return copy == NULL ? FIRN_NO_MEMORY : firn_table_set_text(doc, fields, "text", copy, err);
}

static firn_result add_hook(scene *s, firn_error *err)
{
    static const char *const fields[] = {"bag", "score", NULL};
    return scene_made(firn_saves_before_save(s->saves, fields, give_bag, NULL, err) != 0, err);
}

static void have_hook(scene *s)
{
    firn_error err;
    have_variable(s);
    assert_ok(add_hook(s, &err), &err);
}

static firn_result remove_hook(scene *s, firn_error *err)
{
    return firn_saves_remove_hook(s->saves, 1, err);
}

static firn_result make_save(scene *s, firn_error *err)
{
    const firn_section section = {"map", "xyz", 3};
    const firn_saves_write_options options = {
        .meta = s->table, .sections = &section, .section_count = 1};
    return firn_saves_make(s->saves, &options, &s->out, err);
}

static void have_slots_with(scene *s, firn_saves_desc desc)
{
    firn_error err;
    if (s->storage.abi == 0)
        assert_ok(firn_storage_memory(&s->memory.allocator, &s->storage, &err), &err);
    desc.storage = &s->storage;
    assert_ok(open_with(s, &desc, &err), &err);
}

static void have_slots(scene *s)
{
    have_slots_with(s, manager_desc());
}

static firn_result write_slot(scene *s, firn_error *err)
{
    return firn_saves_write(s->saves, "a", NULL, err);
}

static void have_slot(scene *s)
{
    firn_error err;
    have_slots(s);
    assert_ok(write_slot(s, &err), &err);
}

// ---- loads

// The world is another one than in the slot.
static void have_load(scene *s)
{
    firn_error err;
    have_slot(s);
    assert_ok(firn_saves_set_variable(s->saves, "old", s->table, &err), &err);
    zoo_litter(&s->z);
}

// Its sections are expanded when they are read, where this build can.
static void have_load_of_compressed(scene *s)
{
    firn_error err;
    firn_saves_desc desc = manager_desc();
    desc.compression = firn_save_file_can_compress() ? 1 : 0;
    const firn_section large = {"map", s->source->image.data, s->source->image.size};
    const firn_saves_write_options options = {.sections = &large, .section_count = 1};
    have_slots_with(s, desc);
    char text[500];
    memset(text, 'x', sizeof text);
    const firn_value *string = firn_value_string(s->doc, text, sizeof text, &err);
    assert_ok(firn_saves_set_variable(s->saves, "text", string, &err), &err);
    assert_int_not_equal(firn_saves_before_save(s->saves, NULL, give_text, s, &err), 0);
    assert_ok(firn_saves_write(s->saves, "a", &options, &err), &err);
    assert_ok(firn_saves_remove_hook(s->saves, 1, &err), &err);
    zoo_litter(&s->z);
}

static void have_load_of_level(scene *s)
{
    have_load(s);
    firn_saves_desc desc = manager_desc();
    desc.levels = &levels;
    firn_saves_close(s->saves);
    have_slots_with(s, desc);
}

static void have_load_of_old(scene *s)
{
    firn_saves_desc desc = manager_desc();
    desc.version = 1;
    desc.migration_count = 0;
    have_slots_with(s, desc);
    firn_error err;
    assert_ok(write_slot(s, &err), &err);
    zoo_litter(&s->z);
    firn_saves_close(s->saves);
    have_slots(s);
}

static void have_damaged_load(scene *s)
{
    firn_error err;
    have_load(s);
    assert_ok(write_slot(s, &err), &err);
    firn_revision revision;
    assert_ok(s->storage.put(s->storage.user, "a", FIRN_REVISION_ANY, "ruin", 4, &revision, &err),
              &err);
}

static firn_result bind_to_another_world(scene *s, firn_error *err)
{
    const firn_world_desc desc = {.allocator = &s->memory.allocator};
    firn_world *world = firn_world_create(&desc, err);
    if (world == NULL)
        return FIRN_NO_MEMORY;
    firn_result result = firn_saves_bind(s->saves, world, err);
    assert_ptr_equal(firn_saves_world(s->saves), result == FIRN_OK ? world : s->z.world);
    firn_error back;
    assert_ok(firn_saves_bind(s->saves, s->z.world, &back), &back);
    firn_world_destroy(world);
    return result;
}

static firn_result read_slot(scene *s, firn_error *err)
{
    firn_saves_loaded loaded;
    firn_result result = firn_saves_read(s->saves, "a", &loaded, err);
    firn_saves_loaded_free(&loaded);
    return result;
}

static firn_result read_slot_without_report(scene *s, firn_error *err)
{
    return firn_saves_read(s->saves, "a", NULL, err);
}

static firn_result take_save(scene *s, firn_error *err)
{
    firn_buffer bytes = {0};
    assert_ok(s->storage.get(s->storage.user, "a", FIRN_CURRENT, UINT64_MAX, &bytes, NULL, err),
              err);
    firn_result result = firn_saves_take(s->saves, bytes.data, bytes.size, NULL, err);
    firn_buffer_free(&bytes);
    return result;
}

const memory_case memory_manager_cases[] = {
    {"firn_saves_open", open_manager, NULL, false},
    {"firn_saves_close", open_and_close_manager, NULL, false},
    {"firn_saves_set_variable", set_variable, have_manager, false},
    {"firn_saves_set_variable", remove_variable, have_variable, true},
    {"firn_saves_set_variable", set_large_variable, have_many_replaced, false},
    {"firn_saves_world firn_saves_variable firn_saves_variables firn_saves_play_time", ask_manager,
     have_variable, true},
    {"firn_saves_bind", bind_to_another_world, have_manager, false},
    {"firn_saves_before_save", add_hook, have_manager, false},
    {"firn_saves_remove_hook", remove_hook, have_hook, true},
    {"firn_saves_make", make_save, have_hook, false},
    {"firn_saves_write", write_slot, have_slots, false},
    {"firn_saves_write", write_slot, have_slot, false},
    {"firn_saves_take", take_save, have_load, false},
    {"firn_saves_take", take_save, have_load_of_level, false},
    {"firn_saves_take", take_save, have_load_of_compressed, false},
    {"firn_saves_take", take_save, have_load_of_old, false},
    {"firn_saves_read firn_saves_loaded_free", read_slot, have_load, false},
    {"firn_saves_read", read_slot_without_report, have_load_of_level, false},
    {"firn_saves_read", read_slot, have_damaged_load, false},
    {NULL, NULL, NULL, false},
};
