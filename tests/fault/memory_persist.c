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

static firn_result take_persisted(scene *s, firn_error *err)
{
    firn_saves_loaded loaded;
    firn_result result = firn_saves_take(s->saves, s->out.data, s->out.size, &loaded, err);
    firn_saves_loaded_free(&loaded);
    return result;
}

// ---- scenes

static firn_result tell_scene(scene *s, firn_error *err)
{
    const firn_entity entities[3] = {s->other, s->entity, s->people[0]};
    const uint64_t locals[3] = {7, 2, 8};
    return firn_saves_scene(s->saves, "hall", entities, locals, 3, err);
}

static void have_told_scene(scene *s)
{
    firn_error err;
    have_persisted_game(s);
    s->people[0] = zoo_spawn_one(s->z.world, s->z.of[ZOO_POINT]);
    const firn_persist row = {.mode = FIRN_PERSIST_VARS};
    assert_ok(firn_persist_set(s->z.world, s->people[0], &row, &err), &err);
    assert_ok(tell_scene(s, &err), &err);
    assert_ok(firn_despawn(s->z.world, s->people[0], &err), &err);
}

static firn_result ask_scene(scene *s, firn_error *err)
{
    (void)err;
    assert_string_equal(firn_saves_scene_name(s->saves), "hall");
    assert_true(firn_saves_scene_entity(s->saves, 2) == s->entity);
    assert_int_equal(firn_saves_scene_local(s->saves, s->other), 7);
    return FIRN_OK;
}

static void have_save_of_scene(scene *s)
{
    firn_error err;
    have_told_scene(s);
    assert_ok(make_persisted(s, &err), &err);
    assert_ok(firn_despawn(s->z.world, s->other, &err), &err);
}

static void have_save_of_changed_scene(scene *s)
{
    firn_error err;
    have_save_of_scene(s);
    const firn_entity entities[2] = {s->entity, zoo_spawn_one(s->z.world, s->z.of[ZOO_POINT])};
    const uint64_t locals[2] = {2, 9};
    assert_ok(firn_saves_scene(s->saves, "hall", entities, locals, 2, &err), &err);
}

// ---- levels

static firn_result enter_nothing(void *user, const char *level, bool for_restore,
                                 firn_world **world, firn_error *err)
{
    (void)user, (void)level, (void)for_restore, (void)world, (void)err;
    return FIRN_OK;
}

static void have_levels(scene *s)
{
    firn_error err;
    const firn_levels levels = {.enter = enter_nothing};
    const firn_saves_desc desc = {
        .game = "game", .kind = FIRN_SAVES_PERSISTED, .levels = &levels, .now = clock_that_stands};
    s->saves = firn_saves_open(s->z.world, &desc, &err);
    assert_non_null(s->saves);
    s->people[0] = zoo_spawn_one(s->z.world, s->z.of[ZOO_POINT]);
    assert_ok(tell_scene(s, &err), &err);
}

static void have_carried(scene *s)
{
    firn_error err;
    have_levels(s);
    firn_component carry = firn_carry_component(s->z.world), child_of = firn_child_of(s->z.world);
    assert_ok(firn_add(s->z.world, s->other, &carry, 1, &err), &err);
    assert_ok(firn_relate(s->z.world, s->other, child_of, s->entity, NULL, &err), &err);
}

static void have_edited_scene(scene *s)
{
    firn_error err;
    const firn_saves_desc desc = {
        .game = "game", .kind = FIRN_SAVES_PERSISTED, .editor = true, .now = clock_that_stands};
    s->saves = firn_saves_open(s->z.world, &desc, &err);
    assert_non_null(s->saves);
    s->people[0] = zoo_spawn_one(s->z.world, s->z.of[ZOO_POINT]);
    assert_ok(tell_scene(s, &err), &err);
}

static firn_result begin_play(scene *s, firn_error *err)
{
    return firn_saves_play_begin(s->saves, err);
}

static firn_result leave_scene(scene *s, firn_error *err)
{
    return firn_saves_leave(s->saves, err);
}

static firn_result enter_cave(scene *s, firn_error *err)
{
    return firn_saves_enter(s->saves, "cave", err);
}

static firn_result request_cave(scene *s, firn_error *err)
{
    return firn_saves_request_enter(s->saves, "cave", err);
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
    {"firn_saves_make", make_persisted, have_told_scene, false},
    {"firn_saves_scene", tell_scene, have_levels, false},
    {"firn_saves_scene", tell_scene, have_told_scene, false},
    {"firn_saves_play_begin", begin_play, have_edited_scene, false},
    {"firn_saves_scene_name firn_saves_scene_entity firn_saves_scene_local", ask_scene,
     have_told_scene, true},
    {"firn_saves_take", take_persisted, have_save_of_scene, false},
    {"firn_saves_take", take_persisted, have_save_of_changed_scene, false},
    {"firn_saves_leave", leave_scene, have_carried, false},
    {"firn_saves_enter", enter_cave, have_levels, true},
    {"firn_saves_request_enter", request_cave, have_levels, false},
    {NULL, NULL, NULL, false},
};
