// Calls of persist.h.
#include "fault/memory_scene.h"

#include <string.h>

static firn_result register_persist(scene *s, firn_error *err)
{
    return scene_made(firn_persist_register(s->z.world, err) != 0, err);
}

static void have_persist(scene *s)
{
    firn_error err;
    assert_ok(register_persist(s, &err), &err);
}

static firn_result ask_components(scene *s, firn_error *err)
{
    (void)err;
    assert_true(firn_persist_component(s->z.world) != 0);
    assert_true(firn_vars_component(s->z.world) != 0);
    assert_true(firn_carry_component(s->z.world) != 0);
    return FIRN_OK;
}

static firn_result set_persist(scene *s, firn_error *err)
{
    const firn_persist row = {.id = "player"};
    return firn_persist_set(s->z.world, s->entity, &row, err);
}

static void have_persistent(scene *s)
{
    firn_error err;
    have_persist(s);
    assert_ok(set_persist(s, &err), &err);
}

static firn_result check_persist(scene *s, firn_error *err)
{
    char key[FIRN_PERSIST_KEY_SIZE];
    firn_persist_key(s->z.world, s->entity, key);
    assert_string_equal(key, "player");
    return firn_persist_check(s->z.world, s->entity, err);
}

static firn_result set_vars(scene *s, firn_error *err)
{
    return firn_vars_set(s->z.world, s->entity, "bag", s->table, err);
}

static void have_vars(scene *s)
{
    firn_error err;
    have_persist(s);
    assert_ok(set_vars(s, &err), &err);
}

static void have_vars_and_no_document(scene *s)
{
    have_vars(s);
    scene_empty_document(s);
}

static firn_result get_vars(scene *s, firn_error *err)
{
    return scene_made(firn_vars_get(s->z.world, s->entity, "bag", s->doc, err) != NULL, err);
}

// ---- saves of what persists

static int64_t clock_that_stands(void *user)
{
    (void)user;
    return 1;
}

static void have_persisted_game(scene *s)
{
    firn_error err;
    const firn_saves_desc desc = {
        .game = "game", .kind = FIRN_SAVES_PERSISTED, .now = clock_that_stands};
    const firn_persist by_field = {.mode = FIRN_PERSIST_FIELDS, .fields = "zoo.Point zoo.Title"};
    const firn_persist spawned = {.spawned = true};
    s->saves = firn_saves_open(s->z.world, &desc, &err);
    assert_non_null(s->saves);
    assert_ok(firn_persist_set(s->z.world, s->entity, &by_field, &err), &err);
    assert_ok(firn_persist_set(s->z.world, s->other, &spawned, &err), &err);
}

static firn_result make_persisted(scene *s, firn_error *err)
{
    return firn_saves_make(s->saves, NULL, &s->out, err);
}

static firn_result open_persisted(scene *s, firn_error *err)
{
    const firn_saves_desc desc = {.game = "game", .kind = FIRN_SAVES_PERSISTED};
    s->saves = firn_saves_open(s->z.world, &desc, err);
    return scene_made(s->saves != NULL, err);
}

const memory_case memory_persist_cases[] = {
    {"firn_persist_register", register_persist, NULL, false},
    {"firn_persist_component firn_vars_component firn_carry_component", ask_components,
     have_persist, true},
    {"firn_persist_set", set_persist, have_persist, false},
    {"firn_persist_check firn_persist_key", check_persist, have_persistent, true},
    {"firn_vars_set", set_vars, have_persist, false},
    {"firn_vars_set", set_vars, have_vars, false},
    {"firn_vars_get", get_vars, have_vars_and_no_document, false},
    {"firn_saves_open", open_persisted, NULL, false},
    {"firn_saves_make", make_persisted, have_persisted_game, false},
    {NULL, NULL, NULL, false},
};
