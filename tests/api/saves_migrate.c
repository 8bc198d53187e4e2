// Saves of older versions of the game.
#include "api/saves_game.h"

#include <stdio.h>
#include <string.h>

static saves_game game;

// What the migrations of a test do, by the version they begin at.
static firn_result (*steps[4])(firn_doc *doc, firn_value *save, firn_error *err);
static uint32_t ran[64]; // versions whose step ran, in order
static uint32_t ran_count;

static firn_result run_step_from(void *user, firn_doc *doc, firn_value *save, firn_error *err)
{
    uint32_t from = *(const uint32_t *)user;
    assert_true(firn_table_get_text(save, "gameVersion")->as.number == from);
    ran[ran_count++] = from;
    return steps[from] == NULL ? FIRN_OK : steps[from](doc, save, err);
}

static const uint32_t versions[] = {0, 1, 2, 3};
static firn_migration migrations[] = {
    {3, run_step_from, (void *)(uintptr_t)&versions[3]},
    {1, run_step_from, (void *)(uintptr_t)&versions[1]},
    {2, run_step_from, (void *)(uintptr_t)&versions[2]},
};

static int make_game(void **state)
{
    memset(steps, 0, sizeof steps);
    ran_count = 0;
    saves_game_make(&game);
    game.desc.version = 1;
    game.desc.levels = &game.levels;
    return saves_game_begin(&game, state);
}

// A save of version 1 in the slot "a"; the game is then of version 4, and at another place.
static void have_old_save(void)
{
    firn_error err;
    saves_game_set(&game, "chapter", 1);
    assert_ok(firn_saves_write(game.saves, "a", NULL, &err), &err);
    game.desc.version = 4;
    game.desc.migrations = migrations;
    game.desc.migration_count = 3;
    saves_game_open_again(&game);
    saves_game_set(&game, "chapter", 9);
    zoo_litter(&game.z);
}

static void assert_read_fails(firn_result result, const char *subject, const char *message)
{
    firn_error err;
    saves_game_state before = saves_game_look(&game);
    firn_saves_loaded loaded;
    assert_int_equal(firn_saves_read(game.saves, "a", &loaded, &err), result);
    assert_error(&err, result, subject);
    assert_non_null(strstr(err.message, message));
    assert_int_equal(firn_save_file_header(loaded.envelope)->game_version, 1);
    assert_int_equal(loaded.migrated_from, 0);
    firn_saves_loaded_free(&loaded);
    assert_unchanged(&game, &before);
    assert_string_equal(game.trace, "");
}

// ---------------------------------------------------------------- steps

static firn_result rename_chapter(firn_doc *doc, firn_value *save, firn_error *err)
{
    const firn_value nil = {.kind = FIRN_VALUE_NIL};
    firn_value *variables = (firn_value *)(uintptr_t)firn_table_get_text(save, "variables");
    firn_result result =
        firn_table_set_text(doc, variables, "part", firn_table_get_text(variables, "chapter"), err);
    return result == FIRN_OK ? firn_table_set_text(doc, variables, "chapter", &nil, err) : result;
}

static firn_result double_part(firn_doc *doc, firn_value *save, firn_error *err)
{
    firn_value *variables = (firn_value *)(uintptr_t)firn_table_get_text(save, "variables");
    double part = firn_table_get_text(variables, "part")->as.number;
    return firn_table_set_text(doc, variables, "part", firn_value_number(doc, part * 2 + 10, err),
                               err);
}

static void K13_steps_run_one_after_the_other(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = zoo_save(game.z.world);
    have_old_save();
    steps[1] = rename_chapter;
    steps[3] = double_part;
    firn_saves_loaded loaded;
    assert_ok(firn_saves_read(game.saves, "a", &loaded, &err), &err);
    assert_int_equal(ran_count, 3);
    assert_true(ran[0] == 1 && ran[1] == 2 && ran[2] == 3);
    assert_true(saves_game_get(&game, "part") == 12);
    assert_true(saves_game_get(&game, "chapter") == -1);
    assert_saves_as(game.z.world, &image);
    assert_int_equal(loaded.migrated_from, 1);
    assert_int_equal(firn_save_file_header(loaded.envelope)->game_version, 4);
    assert_string_equal(game.trace, "enter start; ");
    firn_saves_loaded_free(&loaded);
    firn_buffer_free(&image);
}

static void K13_only_the_steps_from_the_version_of_the_save_on_run(void **state)
{
    (void)state;
    firn_error err;
    game.desc.version = 3;
    saves_game_open_again(&game);
    have_old_save();
    assert_ok(firn_saves_read(game.saves, "a", NULL, &err), &err);
    assert_int_equal(ran_count, 1);
    assert_int_equal(ran[0], 3);
    firn_buffer file = saves_game_file(&game);
    assert_ok(firn_saves_take(game.saves, file.data, file.size, NULL, &err), &err);
    assert_int_equal(ran_count, 1);
    firn_buffer_free(&file);
}

static void K13_the_line_goes_on_from_the_save_in_the_slot(void **state)
{
    (void)state;
    firn_error err;
    have_old_save();
    firn_buffer old = saves_game_slot(&game, "a", FIRN_CURRENT);
    firn_save_file *file = firn_save_file_open(old.data, old.size, NULL, &err);
    firn_digest identity = firn_save_file_identity(file);
    firn_save_file_close(file);
    firn_buffer_free(&old);
    assert_ok(firn_saves_read(game.saves, "a", NULL, &err), &err);
    firn_buffer next = saves_game_file(&game);
    file = firn_save_file_open(next.data, next.size, NULL, &err);
    assert_memory_equal(&firn_save_file_header(file)->parent, &identity, sizeof identity);
    assert_int_equal(firn_save_file_header(file)->revision, 2);
    firn_save_file_close(file);
    firn_buffer_free(&next);
}

// Gives every entity with the component one more: {x = 5, y = 6} in place of its row.
static firn_result move_points(firn_doc *doc, firn_value *save, firn_error *err)
{
    const firn_value *snapshot = firn_table_get_text(save, "snapshot");
    const firn_value *names = firn_table_get_text(snapshot, "componentTable");
    const firn_value *archetypes = firn_table_get_text(snapshot, "archetypes");
    for (uint32_t a = 1; a <= firn_table_array_count(archetypes); a++) {
        const firn_value *archetype = firn_table_get_number(archetypes, a);
        const firn_value *columns = firn_table_get_text(archetype, "columnIndices");
        const firn_value *entities = firn_table_get_text(archetype, "entities");
        for (uint32_t c = 1; c <= firn_table_array_count(columns); c++) {
            double index = firn_table_get_number(columns, c)->as.number;
            const firn_value *name =
                firn_table_get_text(firn_table_get_number(names, index), "name");
            if (strcmp(name->as.string, "zoo.Point") != 0)
                continue;
            for (uint32_t e = 1; e <= firn_table_array_count(entities); e++) {
                const firn_value *row = firn_table_get_number(entities, e);
                firn_value *point = (firn_value *)(uintptr_t)firn_table_get_number(row, c + 1.0);
                firn_result result =
                    firn_table_set_text(doc, point, "x", firn_value_number(doc, 5.5, err), err);
                if (result != FIRN_OK)
                    return result;
            }
        }
    }
    return FIRN_OK;
}

static void K13_a_step_changes_entities_in_the_table_form(void **state)
{
    (void)state;
    firn_error err;
    firn_entity entity = zoo_spawn_one(game.z.world, game.z.of[ZOO_POINT]);
    have_old_save();
    steps[2] = move_points;
    assert_ok(firn_saves_read(game.saves, "a", NULL, &err), &err);
    const zoo_point *point = firn_get(game.z.world, entity, game.z.of[ZOO_POINT]);
    assert_true(point->x == 5.5F && point->y == 0);
}

static firn_result go_to_cave(firn_doc *doc, firn_value *save, firn_error *err)
{
    return firn_table_set_text(doc, save, "level", firn_value_text(doc, "cave", err), err);
}

static void K13_a_step_may_change_the_level(void **state)
{
    (void)state;
    firn_error err;
    have_old_save();
    steps[1] = go_to_cave;
    assert_ok(firn_saves_read(game.saves, "a", NULL, &err), &err);
    assert_string_equal(game.trace, "enter cave; ");
}

static firn_result play_twice_as_long(firn_doc *doc, firn_value *save, firn_error *err)
{
    double seconds = firn_table_get_text(save, "playTime")->as.number;
    return firn_table_set_text(doc, save, "playTime", firn_value_number(doc, 2 * seconds, err),
                               err);
}

static void K13_a_step_may_change_the_play_time(void **state)
{
    (void)state;
    firn_error err;
    assert_ok(firn_saves_end_tick(game.saves, 30, &err), &err);
    have_old_save();
    steps[1] = play_twice_as_long;
    assert_ok(firn_saves_read(game.saves, "a", NULL, &err), &err);
    assert_true(firn_saves_play_time(game.saves) == 60);
}

static void K13_versions_that_need_no_change_need_no_function(void **state)
{
    (void)state;
    firn_error err;
    const firn_migration nothing[] = {{.from = 1}, {.from = 2}, {.from = 3}};
    firn_buffer image = zoo_save(game.z.world);
    have_old_save();
    game.desc.migrations = nothing;
    saves_game_open_again(&game);
    firn_saves_loaded loaded;
    assert_ok(firn_saves_read(game.saves, "a", &loaded, &err), &err);
    assert_int_equal(loaded.migrated_from, 1);
    assert_int_equal(firn_save_file_header(loaded.envelope)->game_version, 4);
    assert_saves_as(game.z.world, &image);
    firn_saves_loaded_free(&loaded);
    firn_buffer_free(&image);
}

static void K13_a_component_renamed_at_registration_needs_no_function(void **state)
{
    (void)state;
    firn_error err;
    const firn_component_desc old = {.name = "zoo.Old", .kind = FIRN_NUMBER};
    firn_entity entity = zoo_spawn_one(game.z.world, zoo_register(game.z.world, &old));
    const double number = 3;
    assert_ok(
        firn_set(game.z.world, entity, firn_component_find(game.z.world, "zoo.Old"), &number, &err),
        &err);
    firn_buffer bytes = saves_game_file(&game);
    const char *const former[] = {"zoo.Old", NULL};
    const firn_component_desc renamed = {
        .name = "zoo.New", .kind = FIRN_NUMBER, .former_names = former};
    firn_world *world = zoo_make(&game.memory, true).world;
    firn_component component = zoo_register(world, &renamed);
    const firn_migration nothing[] = {{.from = 1}};
    const firn_saves_desc desc = {
        .game = "zoo", .version = 2, .migrations = nothing, .migration_count = 1};
    firn_saves *saves = firn_saves_open(world, &desc, &err);
    assert_ok(firn_saves_take(saves, bytes.data, bytes.size, NULL, &err), &err);
    assert_true(*(const double *)firn_get(world, entity, component) == 3);
    firn_saves_close(saves);
    firn_world_destroy(world);
    firn_buffer_free(&bytes);
}

static firn_result expect_maps(firn_doc *doc, firn_value *save, firn_error *err)
{
    (void)doc, (void)err;
    assert_non_null(firn_table_get_text(save, "custom"));
    assert_non_null(firn_table_get_text(save, "variables"));
    return FIRN_OK;
}

static void a_step_finds_the_maps_that_another_writer_left_out(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = zoo_save(game.z.world), bytes = {0};
    const firn_section section = {FIRN_SECTION_SNAPSHOT, image.data, image.size};
    const firn_save_header header = {.game_version = 1, .game = "zoo", .level = "start"};
    assert_ok(firn_save_file_write(&header, &section, 1, NULL, &bytes, &err), &err);
    have_old_save();
    steps[1] = expect_maps;
    assert_ok(firn_saves_take(game.saves, bytes.data, bytes.size, NULL, &err), &err);
    assert_int_equal(ran_count, 3);
    firn_buffer_free(&bytes);
    firn_buffer_free(&image);
}

// ---------------------------------------------------------------- failures

static void K13_a_missing_step_names_the_version_and_no_step_runs(void **state)
{
    (void)state;
    firn_error err;
    have_old_save();
    game.desc.migration_count = 2; // from 3 and 1
    saves_game_open_again(&game);
    assert_read_fails(FIRN_NOT_FOUND, "2", "there is no migration from version 2");
    assert_int_equal(ran_count, 0);
    game.desc.migration_count = 0;
    saves_game_open_again(&game);
    assert_int_equal(firn_saves_read(game.saves, "a", NULL, &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "1");
}

static firn_result refuse(firn_doc *doc, firn_value *save, firn_error *err)
{
    (void)doc, (void)save;
    snprintf(err->message, sizeof err->message, "the bridge is gone");
    return FIRN_REFUSED;
}

static firn_result refuse_silently(firn_doc *doc, firn_value *save, firn_error *err)
{
    (void)doc, (void)save, (void)err;
    return FIRN_REFUSED;
}

static void K13_a_failing_step_names_the_version(void **state)
{
    (void)state;
    have_old_save();
    steps[2] = refuse;
    assert_read_fails(FIRN_REFUSED, "2", "the migration from version 2 failed: the bridge is gone");
    assert_int_equal(ran_count, 2);
    steps[2] = refuse_silently;
    assert_read_fails(FIRN_REFUSED, "2", "the migration from version 2 failed");
}

// Steps that leave nonsense under a key.
static const char *nonsense_key;
static firn_value nonsense;

static firn_result leave_nonsense(firn_doc *doc, firn_value *save, firn_error *err)
{
    if (nonsense_key == NULL) {
        *save = nonsense;
        return FIRN_OK;
    }
    return firn_table_set_text(doc, save, nonsense_key, &nonsense, err);
}

static void K13_a_step_that_leaves_nonsense_is_refused_naming_what(void **state)
{
    (void)state;
    const firn_value nil = {.kind = FIRN_VALUE_NIL},
                     number = {.kind = FIRN_VALUE_NUMBER, .as.number = 4},
                     text = {.kind = FIRN_VALUE_STRING, .length = 1, .as.string = "x"};
    const struct {
        const char *key;
        firn_value value;
        const char *subject;
    } cases[] = {
        {NULL, number, "save"},
        {"level", nil, "level"},
        {"level", number, "level"},
        {"game", nil, "game"},
        {"engineVersion", number, "engineVersion"},
        {"custom", nil, "custom"},
        {"custom", text, "custom"},
        {"variables", number, "variables"},
        {"variables", nil, "variables"},
        {"snapshot", nil, "snapshot"},
        {"snapshot", text, "snapshot"},
        {"meta", number, "meta"},
        {"sections", number, "sections"},
        {"extra", number, "extra"},
        {"tick", text, "tick"},
    };
    have_old_save();
    steps[2] = leave_nonsense;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nonsense_key = cases[i].key;
        nonsense = cases[i].value;
        assert_read_fails(FIRN_INVALID, cases[i].subject, cases[i].subject);
    }
}

static firn_result leave_other_game(firn_doc *doc, firn_value *save, firn_error *err)
{
    return firn_table_set_text(doc, save, "game", firn_value_text(doc, "other", err), err);
}

static firn_result leave_empty_snapshot(firn_doc *doc, firn_value *save, firn_error *err)
{
    return firn_table_set_text(doc, save, "snapshot", firn_value_table(doc, err), err);
}

static firn_result leave_unknown_component(firn_doc *doc, firn_value *save, firn_error *err)
{
    const firn_value *snapshot = firn_table_get_text(save, "snapshot");
    const firn_value *names = firn_table_get_text(snapshot, "componentTable");
    firn_value *first = (firn_value *)(uintptr_t)firn_table_get_number(names, 1);
    return firn_table_set_text(doc, first, "name", firn_value_text(doc, "zoo.Ghost", err), err);
}

static void K13_a_snapshot_that_a_step_broke_is_refused_with_the_place(void **state)
{
    (void)state;
    have_old_save();
    steps[3] = leave_empty_snapshot;
    assert_read_fails(FIRN_NOT_OURS, "", "migrated from version 1: ");
    steps[3] = leave_unknown_component;
    assert_read_fails(FIRN_UNKNOWN, "zoo.Ghost", "migrated from version 1: ");
}

static void K13_a_step_does_not_change_whose_save_it_is(void **state)
{
    (void)state;
    firn_error err;
    have_old_save();
    steps[1] = leave_other_game;
    assert_int_equal(firn_saves_read(game.saves, "a", NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "game");
}

static firn_result leave_other_version(firn_doc *doc, firn_value *save, firn_error *err)
{
    firn_value *version = firn_value_number(doc, 77, err);
    firn_result result = firn_table_set_text(doc, save, "gameVersion", version, err);
    return result == FIRN_OK ? firn_table_set_text(doc, save, "saveFormatVersion", version, err)
                             : result;
}

static void K13_the_version_is_the_managers_to_set(void **state)
{
    (void)state;
    firn_error err;
    have_old_save();
    steps[1] = leave_other_version;
    steps[3] = leave_other_version;
    firn_saves_loaded loaded;
    assert_ok(firn_saves_read(game.saves, "a", &loaded, &err), &err);
    assert_int_equal(firn_save_file_header(loaded.envelope)->game_version, 4);
    firn_saves_loaded_free(&loaded);
}

static void a_save_without_a_snapshot_is_not_migrated(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer bytes = {0};
    const firn_section section = {FIRN_SECTION_CUSTOM, "\x08", 1};
    const firn_save_header header = {.game_version = 1, .game = "zoo", .level = "start"};
    assert_ok(firn_save_file_write(&header, &section, 1, NULL, &bytes, &err), &err);
    have_old_save();
    assert_int_equal(firn_saves_take(game.saves, bytes.data, bytes.size, NULL, &err), FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "snapshot");
    firn_buffer_free(&bytes);
}

#define GAME_TEST(test) cmocka_unit_test_setup_teardown(test, make_game, saves_game_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        GAME_TEST(K13_steps_run_one_after_the_other),
        GAME_TEST(K13_only_the_steps_from_the_version_of_the_save_on_run),
        GAME_TEST(K13_the_line_goes_on_from_the_save_in_the_slot),
        GAME_TEST(K13_a_step_changes_entities_in_the_table_form),
        GAME_TEST(K13_a_step_may_change_the_level),
        GAME_TEST(K13_a_step_may_change_the_play_time),
        GAME_TEST(K13_versions_that_need_no_change_need_no_function),
        GAME_TEST(K13_a_component_renamed_at_registration_needs_no_function),
        GAME_TEST(a_step_finds_the_maps_that_another_writer_left_out),
        GAME_TEST(K13_a_missing_step_names_the_version_and_no_step_runs),
        GAME_TEST(K13_a_failing_step_names_the_version),
        GAME_TEST(K13_a_step_that_leaves_nonsense_is_refused_naming_what),
        GAME_TEST(K13_a_snapshot_that_a_step_broke_is_refused_with_the_place),
        GAME_TEST(K13_a_step_does_not_change_whose_save_it_is),
        GAME_TEST(K13_the_version_is_the_managers_to_set),
        GAME_TEST(a_save_without_a_snapshot_is_not_migrated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
