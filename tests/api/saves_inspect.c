// Saves compared with the running game.
#include <string.h>

#include "api/inspect_game.h"
#include "support/tree.h"

static inspect_game *game;

static void K9_right_after_a_load_everything_that_persists_is_the_same(void **state)
{
    game = *state;
    firn_error err;
    assert_true(assert_inspected(game, NULL, ALL_ARE_SAME).same);
    inspect_set(game, PLAYER, ZOO_POINT, 9);
    inspect_set(game, LAMP, ZOO_SCORE, 9);
    inspect_set_var(game, SIGN, "read", "7");
    inspect_set_variable(game, "gold", "9");
    game->timer = 9;
    assert_ok(firn_despawn(game->world, SUMMONED, &err), &err);
    zoo_spawn_one(game->world, game->z.of[ZOO_POINT]);
    assert_ok(firn_world_set_tick(game->world, 70, &err), &err);
    inspect_load(game);
    firn_inspection is = assert_inspected(game, NULL, ALL_ARE_SAME);
    assert_true(is.same && is.same_entities == 6 && is.differences == 0);
    inspect_set(game, SCENERY, ZOO_POINT, 9);
    assert_true(assert_inspected(game, NULL, ALL_ARE_SAME).same);
}

static void relate_child(firn_entity source)
{
    firn_error err;
    firn_component child_of = firn_child_of(game->world);
    assert_ok(firn_unrelate(game->world, source, child_of, 0, &err), &err);
    assert_ok(firn_relate(game->world, source, child_of, SCENERY, NULL, &err), &err);
}

static void K9_the_order_of_sources_of_scenery_is_compared(void **state)
{
    game = *state;
    firn_error err;
    relate_child(PLAYER);
    relate_child(CHEST);
    for (int round = 0; round < 2; round++) {
        assert_ok(firn_saves_write(game->saves, "a", NULL, &err), &err);
        relate_child(round == 0 ? PLAYER : CHEST);
        firn_inspection is =
            assert_inspected(game, NULL, "order: the sources of ChildOf -> 1\n" ALL_ARE_SAME);
        assert_true(!is.same && is.differences == 1);
        inspect_load(game);
        assert_true(assert_inspected(game, NULL, ALL_ARE_SAME).same);
        relate_child(round == 0 ? PLAYER : CHEST);
    }
}

static void K9_script_state_of_scenery_is_not_compared(void **state)
{
    game = *state;
    firn_error err;
    assert_true(firn_script_send(game->world, "rain", SCENERY, 4, NULL, &err) != 0);
    assert_true(assert_inspected(game, NULL, ALL_ARE_SAME).same);
    inspect_load(game);
    assert_int_equal(firn_script_list(game->world, FIRN_SCRIPT_EVENT, SCENERY, NULL, 0), 1);
    assert_true(assert_inspected(game, NULL, ALL_ARE_SAME).same);
}

static void K9_what_changed_is_told_by_component_and_field(void **state)
{
    game = *state;
    firn_error err;
    inspect_set(game, PLAYER, ZOO_POINT, 1.5);
    assert_ok(firn_set_text(game->world, CHEST, game->z.of[ZOO_TITLE], "gone", &err), &err);
    assert_ok(firn_add(game->world, CHEST, &game->z.of[ZOO_TAG], 1, &err), &err);
    assert_ok(firn_set_text(game->world, CHEST, firn_name(game->world), "a chest", &err), &err);
    inspect_set(game, CHILD, ZOO_SCORE, 4);
    firn_inspection is =
        assert_inspected(game, NULL,
                         "entity 2 (key \"player\"): zoo.Point.x 0 -> 1.5\n"
                         "entity 2 (key \"player\"): zoo.Point.y 0 -> -1.5\n"
                         "entity 3 (name \"a chest\"): Name only now\n"
                         "entity 3 (name \"a chest\"): zoo.Tag only now\n"
                         "entity 3 (name \"a chest\"): zoo.Title \"\" -> \"gone\"\n"
                         "entity 6: same\n"
                         "entity 7: zoo.Score 0 -> 4\n"
                         "entity 5: same\n"
                         "entity (key \"lamp\"): same\n");
    assert_true(!is.same && is.same_entities == 3 && is.changed_entities == 3);
    assert_true(is.differences == 6 && is.missing_entities == 0 && is.extra_entities == 0);
}

static void K9_fields_and_variables_of_entities_are_told(void **state)
{
    game = *state;
    firn_error err;
    zoo_body *body = firn_get_mut(game->world, LAMP, game->z.of[ZOO_BODY]);
    body->home.y = 0.5f;
    body->mass = 5; // is not saved
    inspect_set(game, LAMP, ZOO_SCORE, 2);
    assert_ok(firn_add(game->world, LAMP, &game->z.of[ZOO_TAG], 1, &err), &err);
    inspect_set_var(game, LAMP, "lit", "{true}");
    inspect_set_var(game, SIGN, "read", "3");
    inspect_set_var(game, SIGN, "by", "{\"Ann\"}");
    assert_inspected(game, NULL,
                     "entity 2 (key \"player\"): same\n"
                     "entity 3: same\n"
                     "entity 6: same\n"
                     "entity 7: same\n"
                     "entity 5: Vars.by nil -> {\"Ann\"}\n"
                     "entity 5: Vars.read 2 -> 3\n"
                     "entity (key \"lamp\"): zoo.Score 0 -> 2\n"
                     "entity (key \"lamp\"): zoo.Body.home.y 0 -> 0.5\n"
                     "entity (key \"lamp\"): zoo.Tag only now\n"
                     "entity (key \"lamp\"): Vars only now\n");
}

static void K9_entities_are_missing_or_extra(void **state)
{
    game = *state;
    firn_error err;
    assert_ok(firn_despawn(game->world, SUMMONED, &err), &err);
    assert_ok(firn_despawn(game->world, SIGN, &err), &err);
    firn_entity boss = zoo_spawn(game->world, NULL, 0), ghost = zoo_spawn(game->world, NULL, 0);
    inspect_persist(game, boss, (firn_persist){.id = "boss"});
    inspect_persist(game, ghost, (firn_persist){.id = "ghost", .mode = FIRN_PERSIST_VARS});
    firn_inspection is = assert_inspected(game, NULL,
                                          "entity 2 (key \"player\"): same\n"
                                          "entity 3: same\n"
                                          "entity 6: missing\n"
                                          "entity 7: missing\n"
                                          "entity 4194309 (key \"boss\"): extra\n"
                                          "entity 5: missing\n"
                                          "entity (key \"lamp\"): same\n"
                                          "entity (key \"ghost\"): extra\n");
    assert_true(is.missing_entities == 3 && is.extra_entities == 2 && is.differences == 5);
    assert_true(is.same_entities == 3 && is.changed_entities == 0);
}

static void K9_variables_timers_states_and_the_rest_are_told(void **state)
{
    game = *state;
    firn_error err;
    inspect_set_variable(game, "gold", "4");
    inspect_set_variable(game, "quests", "{{name = \"find\"}}");
    game->timer = 6;
    assert_ok(firn_random_seed(game->world, 3, &err), &err);
    assert_ok(firn_world_set_tick(game->world, 60, &err), &err);
    assert_inspected(game, NULL,
                     "header: tick 0 -> 60\n" ALL_ARE_SAME
                     "random: nil -> {seed = 3, streams = {}}\n"
                     "data \"timers\": due 5 -> 6\n"
                     "variables: gold 3 -> 4\n"
                     "variables: quests nil -> {{name = \"find\"}}\n");
    inspect_set_variable(game, "gold", NULL);
    inspect_set_variable(game, "quests", NULL);
    assert_ok(firn_world_set_tick(game->world, 0, &err), &err);
    assert_inspected(game, NULL,
                     ALL_ARE_SAME "random: nil -> {seed = 3, streams = {}}\n"
                                  "data \"timers\": due 5 -> 6\n"
                                  "variables: gold 3 -> nil\n");
}

static void K9_variables_that_a_load_leaves_alone_are_not_compared(void **state)
{
    game = *state;
    firn_error err;
    inspect_persist(game, PLAYER, (firn_persist){.id = "player", .no_vars = true});
    inspect_persist(game, SIGN, (firn_persist){.mode = FIRN_PERSIST_VARS, .no_vars = true});
    assert_ok(firn_saves_write(game->saves, "a", NULL, &err), &err);
    inspect_set_var(game, PLAYER, "hat", "1");
    inspect_set_var(game, SIGN, "read", "9");
    assert_inspected(game, NULL, ALL_ARE_SAME);
    inspect_load(game);
    assert_inspected(game, NULL, ALL_ARE_SAME);
}

static void K9_who_has_the_key_of_a_saved_entity_is_compared_with_it(void **state)
{
    game = *state;
    firn_error err;
    assert_ok(firn_despawn(game->world, PLAYER, &err), &err);
    zoo_spawn(game->world, NULL, 0);
    firn_entity other = zoo_spawn_one(game->world, game->z.of[ZOO_POINT]);
    inspect_persist(game, other, (firn_persist){.id = "player"});
    inspect_set(game, other, ZOO_POINT, 1);
    assert_ok(firn_set_text(game->world, other, firn_name(game->world), "Ann", &err), &err);
    assert_inspected(game, NULL,
                     "entity 2 (key \"player\"): Name only now\n"
                     "entity 2 (key \"player\"): zoo.Point.x 0 -> 1\n"
                     "entity 2 (key \"player\"): zoo.Point.y 0 -> -1\n"
                     "entity 3: same\n"
                     "entity 6: same\n"
                     "entity 7: same\n"
                     "entity 5: same\n"
                     "entity (key \"lamp\"): same\n");
    inspect_load(game);
    assert_inspected(game, NULL, ALL_ARE_SAME);
}

static void K9_a_tree_has_a_status_for_each_entity(void **state)
{
    game = *state;
    firn_error err;
    inspect_set(game, PLAYER, ZOO_POINT, 1.5);
    assert_ok(firn_despawn(game->world, SUMMONED, &err), &err);
    inspect_set_variable(game, "gold", "4");
    inspect_set(game, LAMP, ZOO_SCORE, 2);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    const firn_value *tree = firn_saves_inspect(game->saves, "a", NULL, doc, NULL, &err);
    assert_tree(
        tree,
        "{changed = 2, data = {}, differences = 6, entities = {{changes = {{component = "
        "\"zoo.Point\", field = \"zoo.Point.x\", now = 1.5, path = \"x\", saved = 0}, {component = "
        "\"zoo.Point\", field = \"zoo.Point.y\", now = -1.5, path = \"y\", saved = 0}}, id = 2, "
        "key = \"player\", status = \"changed\"}, {id = 3, status = \"same\"}, {id = 6, status = "
        "\"missing\"}, {id = 7, status = \"missing\"}, {id = 5, status = \"same\"}, {changes = "
        "{{component = \"zoo.Score\", field = \"zoo.Score\", now = 2, saved = 0}}, key = \"lamp\", "
        "status = \"changed\"}}, extra = 0, header = {}, missing = 2, order = {}, same = false, "
        "schemas = {}, unchanged = 2, variables = {{now = 4, path = \"gold\", saved = 3}}}");
    firn_doc_destroy(doc);
}

// ---- whole worlds

static void K9_a_save_of_a_whole_world_is_compared(void **state)
{
    game = *state;
    firn_error err;
    assert_inspected(game, NULL, "");
    firn_inspection is = assert_inspected(game, (&(firn_inspect_options){.all = true}),
                                          "entity 1: same\n"
                                          "entity 2: same\n"
                                          "entity 3: same\n"
                                          "entity 4: same\n"
                                          "entity 5: same\n"
                                          "entity 6: same\n"
                                          "entity 7: same\n");
    assert_true(is.same && is.same_entities == 7);
    inspect_set(game, SCENERY, ZOO_POINT, 2);
    assert_ok(firn_set_text(game->world, CHEST, firn_key(game->world), "chest", &err), &err);
    assert_ok(firn_set_text(game->world, SIGN, firn_name(game->world), "sign", &err), &err);
    assert_ok(firn_despawn(game->world, CHILD, &err), &err);
    zoo_spawn(game->world, NULL, 0);
    zoo_spawn(game->world, NULL, 0);
    is = assert_inspected(game, NULL,
                          "header: nextEntityId 8 -> 9\n"
                          "entity 1: zoo.Point.x 0 -> 2\n"
                          "entity 1: zoo.Point.y 0 -> -2\n"
                          "entity 3 (key \"chest\"): Key only now\n"
                          "entity 5 (name \"sign\"): Name only now\n"
                          "entity 7: missing\n"
                          "entity 8: extra\n"
                          "entity 4194311: extra\n");
    assert_true(is.same_entities == 3 && is.changed_entities == 3 && is.missing_entities == 1 &&
                is.extra_entities == 2);
    inspect_load(game);
    assert_inspected(game, NULL, "");
    assert_ok(firn_set_text(game->world, SIGN, firn_name(game->world), "sign", &err), &err);
    assert_ok(firn_saves_write(game->saves, "a", NULL, &err), &err);
    assert_ok(firn_despawn(game->world, LAMP, &err), &err);
    assert_inspected(game, (&(firn_inspect_options){.all = true}),
                     "header: freeIds 0 -> 1\n"
                     "entity 1: same\n"
                     "entity 2: same\n"
                     "entity 3: same\n"
                     "entity 4: missing\n"
                     "entity 5 (name \"sign\"): same\n"
                     "entity 6: same\n"
                     "entity 7: same\n");
}

static void K9_the_order_of_entities_is_told(void **state)
{
    game = *state;
    firn_error err;
    const firn_component *point = &game->z.of[ZOO_POINT];
    assert_ok(firn_remove(game->world, SCENERY, point, 1, &err), &err);
    assert_ok(firn_add(game->world, SCENERY, point, 1, &err), &err);
    assert_inspected(game, NULL, "order: the entities of {zoo.Point}, first 2\n");
    inspect_load(game);
    assert_inspected(game, NULL, "");
}

static void an_empty_world_can_be_inspected(void **state)
{
    game = *state;
    firn_error err;
    for (firn_entity entity = CHILD; entity >= SCENERY; entity--)
        assert_ok(firn_despawn(game->world, entity, &err), &err);
    assert_ok(firn_saves_write(game->saves, "a", NULL, &err), &err);
    assert_inspected(game, (&(firn_inspect_options){.all = true}), "");
}

static void a_tolerance_holds_for_all_that_is_compared(void **state)
{
    game = *state;
    inspect_set(game, PLAYER, ZOO_POINT, 0.25);
    inspect_set(game, LAMP, ZOO_SCORE, 0.25);
    inspect_set_var(game, SIGN, "read", "2.25");
    inspect_set_variable(game, "gold", "3.25");
    game->timer = 5.25;
    const firn_inspect_options tolerant = {.tolerance = 0.25};
    assert_inspected(game, &tolerant, ALL_ARE_SAME);
}

// ---- slots

static void K9_a_damaged_slot_is_inspected_by_its_backup(void **state)
{
    game = *state;
    firn_error err;
    inspect_set(game, PLAYER, ZOO_POINT, 1);
    assert_ok(game->storage.put(game->storage.user, "a", FIRN_REVISION_ANY, "junk", 4,
                                &(firn_revision){0}, &err),
              &err);
    firn_inspection is;
    firn_buffer text = {0};
    assert_ok(firn_saves_inspect_text(game->saves, "a", NULL, &text, &is, &err), &err);
    assert_true(is.from_backup && is.changed_entities == 1);
    assert_int_equal(is.damage.code, FIRN_NOT_OURS);
    firn_buffer_free(&text);
}

static firn_result raise_gold(void *user, firn_doc *doc, firn_value *save, firn_error *err)
{
    (void)user;
    firn_value *variables = (firn_value *)(uintptr_t)firn_table_get_text(save, "variables");
    return firn_table_set_text(doc, variables, "gold", firn_value_number(doc, 30, err), err);
}

static void K9_a_save_of_an_older_game_is_migrated_first(void **state)
{
    game = *state;
    const firn_migration migration = {.from = 1, .migrate = raise_gold};
    game->desc.version = 2;
    game->desc.migrations = &migration;
    game->desc.migration_count = 1;
    inspect_open_again(game);
    firn_inspection is = assert_inspected(game, NULL, "variables: gold 30 -> nil\n");
    assert_int_equal(is.migrated_from, 1);
    game->desc.migrations = NULL;
    game->desc.migration_count = 0;
}

static const char *level_of_game(void *user, firn_world *world)
{
    (void)user;
    (void)world;
    return "cave";
}

static void the_level_of_a_save_is_told(void **state)
{
    game = *state;
    const firn_levels levels = {.current = level_of_game};
    game->desc.levels = &levels;
    inspect_open_again(game);
    inspect_set_variable(game, "gold", "3");
    assert_inspected(game, NULL, "header: level \"\" -> \"cave\"\n");
    game->desc.levels = NULL;
}

// ---- what is refused

static void what_cannot_be_inspected_is_refused(void **state)
{
    game = *state;
    firn_error err;
    inspect_refused(game, "b", NULL, FIRN_NOT_FOUND, "b");
    inspect_refused(game, "Not A Slot", NULL, FIRN_INVALID, "Not A Slot");
    inspect_refused(game, "a", (&(firn_inspect_options){.tolerance = -1}), FIRN_INVALID,
                    "tolerance");
    inspect_refused(game, "a", (&(firn_inspect_options){.reserved = {1}}), FIRN_INVALID,
                    "reserved");
    firn_query query = firn_query_create(game->world, &(firn_query_desc){.name = "all"}, &err);
    firn_iter it;
    firn_iter_begin(game->world, query, &it);
    inspect_refused(game, "a", NULL, FIRN_BUSY, "all");
    assert_ok(firn_iter_end(&it, &err), &err);
    assert_null(firn_saves_inspect(game->saves, "a", NULL, NULL, NULL, &err));
    assert_error(&err, FIRN_INVALID, "doc");
    assert_int_equal(firn_saves_inspect_text(game->saves, "a", NULL, NULL, NULL, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "text");
    assert_int_equal(firn_saves_inspect_text(NULL, "a", NULL, &(firn_buffer){0}, NULL, &err),
                     FIRN_INVALID);
    game->desc.game = "another";
    inspect_open_again(game);
    inspect_refused(game, "a", NULL, FIRN_OTHER_GAME, "inspected");
    game->desc.game = "inspected";
    game->desc.kind = FIRN_SAVES_PERSISTED;
    inspect_open_again(game);
    inspect_refused(game, "a", NULL, FIRN_UNSUPPORTED, "kind");
}

// The save in the slot gets another section, or none.
static void replace_section(const char *name, const char *tree)
{
    firn_error err;
    firn_buffer bytes = {0}, value = {0}, file = {0};
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    assert_ok(
        game->storage.get(game->storage.user, "a", FIRN_CURRENT, UINT64_MAX, &bytes, NULL, &err),
        &err);
    firn_save_file *save = firn_save_file_open(bytes.data, bytes.size, NULL, &err);
    assert_non_null(save);
    firn_section sections[8];
    firn_section_info info;
    uint32_t count = 0;
    if (tree != NULL)
        assert_ok(firn_value_encode(test_tree(doc, tree), NULL, &value, &err), &err);
    for (uint32_t i = 0; firn_save_file_section_at(save, i, &info); i++) {
        firn_section *section = &sections[count];
        section->name = info.name;
        assert_ok(firn_save_file_section(save, info.name, &section->bytes, &section->size, &err),
                  &err);
        if (strcmp(info.name, name) == 0)
            *section = (firn_section){info.name, value.data, value.size};
        count += section->size > 0;
    }
    assert_ok(firn_save_file_write(firn_save_file_header(save), sections, count, NULL, &file, &err),
              &err);
    assert_ok(game->storage.put(game->storage.user, "a", FIRN_REVISION_ANY, file.data, file.size,
                                &(firn_revision){0}, &err),
              &err);
    firn_save_file_close(save);
    firn_doc_destroy(doc);
    firn_buffer_free(&bytes);
    firn_buffer_free(&value);
    firn_buffer_free(&file);
}

static void sections_that_are_none_are_refused(void **state)
{
    game = *state;
    static const char *const parts[] = {
        "{parts = {5}}", "{parts = {{5, {}, {}}}}", "{parts = {{\"lamp\", 5, {}}}}",
        "{parts = {{\"lamp\", {}, 5}}}", "{parts = {{\"lamp\", {{5, {1}}}, {}}}}"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        replace_section("firn.persist", parts[i]);
        inspect_refused(game, "a", NULL, FIRN_CORRUPT, "firn.persist");
    }
    replace_section("firn.persist", "{no_vars = {\"x\"}, parts = {{\"#x\", {}, {}}, "
                                    "{\"#12345678901234567\", {}, {}}, "
                                    "{\"lamp\", {{\"Gone.x\", {1}}, {\"zoo.Score\", {0}}}, {}}}}");
    inspect_set_var(game, PLAYER, "hat", "1");
    assert_inspected(game, NULL,
                     "entity 2 (key \"player\"): Vars only now\n"
                     "entity 3: same\n"
                     "entity 6: same\n"
                     "entity 7: same\n"
                     "entity: missing\n"
                     "entity: missing\n"
                     "entity (key \"lamp\"): Gone.x only saved\n"
                     "entity 5: extra\n");
    replace_section("snapshot", NULL);
    inspect_refused(game, "a", NULL, FIRN_CORRUPT, "snapshot");
}

static void a_save_without_sections_has_nothing_of_them(void **state)
{
    game = *state;
    replace_section("firn.persist", NULL);
    replace_section("variables", NULL);
    assert_inspected(game, NULL,
                     "entity 2 (key \"player\"): same\n"
                     "entity 3: same\n"
                     "entity 6: same\n"
                     "entity 7: same\n"
                     "entity 5: extra\n"
                     "entity (key \"lamp\"): extra\n"
                     "variables: gold nil -> 3\n");
}

static firn_result note_hook(void *user, firn_saves *saves, firn_doc *doc, firn_value *fields,
                             firn_error *err)
{
    (void)saves;
    (void)doc;
    (void)fields;
    (void)err;
    *(int *)user += 1;
    return FIRN_OK;
}

static void no_hook_runs_and_the_line_of_saves_stays(void **state)
{
    game = *state;
    firn_error err;
    int ran = 0;
    assert_true(firn_saves_before_save(game->saves, NULL, note_hook, &ran, &err) != 0);
    firn_buffer before = {0}, after = {0};
    assert_ok(firn_saves_make(game->saves, NULL, &before, &err), &err);
    ran = 0;
    assert_inspected(game, NULL, "");
    assert_int_equal(ran, 0);
    assert_ok(firn_saves_write(game->saves, "b", NULL, &err), &err);
    firn_saves_loaded loaded;
    assert_ok(firn_saves_read(game->saves, "b", &loaded, &err), &err);
    assert_int_equal(firn_save_file_header(loaded.envelope)->revision, 3);
    firn_saves_loaded_free(&loaded);
    firn_buffer_free(&before);
    firn_buffer_free(&after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PERSISTED(K9_right_after_a_load_everything_that_persists_is_the_same),
        PERSISTED(K9_the_order_of_sources_of_scenery_is_compared),
        PERSISTED(K9_script_state_of_scenery_is_not_compared),
        PERSISTED(K9_what_changed_is_told_by_component_and_field),
        PERSISTED(K9_fields_and_variables_of_entities_are_told),
        PERSISTED(K9_entities_are_missing_or_extra),
        PERSISTED(K9_variables_timers_states_and_the_rest_are_told),
        PERSISTED(K9_variables_that_a_load_leaves_alone_are_not_compared),
        PERSISTED(K9_who_has_the_key_of_a_saved_entity_is_compared_with_it),
        PERSISTED(K9_a_tree_has_a_status_for_each_entity),
        OF_WORLD(K9_a_save_of_a_whole_world_is_compared),
        OF_WORLD(K9_the_order_of_entities_is_told),
        OF_WORLD(an_empty_world_can_be_inspected),
        PERSISTED(a_tolerance_holds_for_all_that_is_compared),
        OF_WORLD(K9_a_damaged_slot_is_inspected_by_its_backup),
        OF_WORLD(K9_a_save_of_an_older_game_is_migrated_first),
        OF_WORLD(the_level_of_a_save_is_told),
        OF_WORLD(what_cannot_be_inspected_is_refused),
        PERSISTED(sections_that_are_none_are_refused),
        PERSISTED(a_save_without_sections_has_nothing_of_them),
        OF_WORLD(no_hook_runs_and_the_line_of_saves_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
