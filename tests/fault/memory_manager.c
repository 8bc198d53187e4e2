// Calls of saves.h.
#include "fault/memory_scene.h"

#include <string.h>

static const firn_migration migrations[] = {{.from = 2}, {.from = 1}};

static firn_saves_desc manager_desc(void)
{
    return (firn_saves_desc){
        .game = "game", .version = 3, .migrations = migrations, .migration_count = 2};
}

static firn_result open_manager(scene *s, firn_error *err)
{
    const firn_saves_desc desc = manager_desc();
    s->saves = firn_saves_open(s->z.world, &desc, err);
    return scene_made(s->saves != NULL, err);
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

const memory_case memory_manager_cases[] = {
    {"firn_saves_open", open_manager, NULL, false},
    {"firn_saves_close", open_and_close_manager, NULL, false},
    {"firn_saves_set_variable", set_variable, have_manager, false},
    {"firn_saves_set_variable", remove_variable, have_variable, true},
    {"firn_saves_set_variable", set_large_variable, have_many_replaced, false},
    {"firn_saves_world firn_saves_variable firn_saves_variables firn_saves_play_time", ask_manager,
     have_variable, true},
    {NULL, NULL, NULL, false},
};
