// Persisted saves compared with a game in which other entities persist, or more or less of them.
#include <stdio.h>
#include <string.h>

#include "api/inspect_game.h"

static inspect_game *game;

static void stop_persisting(firn_entity entity)
{
    firn_error err;
    firn_component persist = firn_persist_component(game->world);
    assert_ok(firn_remove(game->world, entity, &persist, 1, &err), &err);
}

static void assert_same_once_loaded(void)
{
    inspect_load(game);
    assert_true(assert_inspected(game, NULL, ALL_ARE_SAME).same);
}

static void K9_one_that_was_saved_whole_and_persists_by_field_now_has_changed(void **state)
{
    game = *state;
    inspect_set(game, PLAYER, ZOO_POINT, 1.5);
    inspect_persist(
        game, PLAYER,
        (firn_persist){.id = "player", .mode = FIRN_PERSIST_FIELDS, .fields = "zoo.Score"});
    inspect_persist(game, CHEST, (firn_persist){.mode = FIRN_PERSIST_VARS});
    firn_inspection is =
        assert_inspected(game, NULL,
                         "entity 2 (key \"player\"): persist.fields \"\" -> \"zoo.Score\"\n"
                         "entity 2 (key \"player\"): persist.mode 0 -> 1\n"
                         "entity 2 (key \"player\"): zoo.Point.x 0 -> 1.5\n"
                         "entity 2 (key \"player\"): zoo.Point.y 0 -> -1.5\n"
                         "entity 3: persist.mode 0 -> 2\n"
                         "entity 6: same\n"
                         "entity 7: same\n"
                         "entity 5: same\n"
                         "entity (key \"lamp\"): same\n");
    assert_true(is.changed_entities == 2 && is.differences == 5);
    assert_same_once_loaded();
}

static void K9_one_that_was_saved_by_field_and_persists_whole_now_is_compared_by_field(void **state)
{
    game = *state;
    inspect_persist(game, LAMP, (firn_persist){.id = "lamp"});
    inspect_persist(game, SIGN, (firn_persist){.spawned = true});
    assert_true(assert_inspected(game, NULL, ALL_ARE_SAME).same);
    inspect_set(game, LAMP, ZOO_SCORE, 2);
    inspect_set(game, LAMP, ZOO_POINT, 2); // is not in the save
    inspect_set_var(game, SIGN, "read", "3");
    firn_inspection is = assert_inspected(game, NULL,
                                          "entity 2 (key \"player\"): same\n"
                                          "entity 3: same\n"
                                          "entity 6: same\n"
                                          "entity 7: same\n"
                                          "entity 5: Vars.read 2 -> 3\n"
                                          "entity (key \"lamp\"): zoo.Score 0 -> 2\n");
    assert_true(is.changed_entities == 2 && is.extra_entities == 0);
    assert_same_once_loaded();
}

static void K9_what_is_saved_by_field_is_what_the_save_has(void **state)
{
    game = *state;
    inspect_persist(game, LAMP,
                    (firn_persist){.id = "lamp",
                                   .mode = FIRN_PERSIST_FIELDS,
                                   .fields = "zoo.Body.mass zoo.Point",
                                   .no_vars = true});
    inspect_set(game, LAMP, ZOO_POINT, 2);
    assert_true(assert_inspected(game, NULL, ALL_ARE_SAME).same);
    inspect_set(game, LAMP, ZOO_SCORE, 2);
    assert_inspected(game, NULL,
                     "entity 2 (key \"player\"): same\n"
                     "entity 3: same\n"
                     "entity 6: same\n"
                     "entity 7: same\n"
                     "entity 5: same\n"
                     "entity (key \"lamp\"): zoo.Score 0 -> 2\n");
    assert_same_once_loaded();
}

static void K9_as_many_names_as_a_row_holds_are_compared(void **state)
{
    game = *state;
    firn_error err;
    firn_persist row = {.id = "lamp", .mode = FIRN_PERSIST_FIELDS};
    memset(row.fields, 'n', sizeof row.fields - 1);
    const firn_component_desc desc = {.name = row.fields, .kind = FIRN_NUMBER};
    firn_component component = firn_component_register(game->world, &desc, &err);
    assert_ok(firn_set(game->world, LAMP, component, &(double){3}, &err), &err);
    inspect_persist(game, LAMP, row);
    assert_ok(firn_saves_write(game->saves, "a", NULL, &err), &err);
    assert_true(assert_inspected(game, NULL, ALL_ARE_SAME).same);
}

static void K9_one_that_does_not_persist_any_more_has_changed(void **state)
{
    game = *state;
    stop_persisting(PLAYER);
    stop_persisting(CHEST);
    stop_persisting(SUMMONED);
    inspect_set(game, CHILD, ZOO_SCORE, 4);
    firn_inspection is = assert_inspected(game, NULL,
                                          "entity 2 (key \"player\"): persist only saved\n"
                                          "entity 3: persist only saved\n"
                                          "entity 6: persist only saved\n"
                                          "entity 7: zoo.Score 0 -> 4\n"
                                          "entity 5: same\n"
                                          "entity (key \"lamp\"): same\n");
    assert_true(is.changed_entities == 4 && is.missing_entities == 0);
    assert_same_once_loaded();
}

// No load knows that it is the one that was saved by field.
static void K9_one_that_was_saved_by_field_and_does_not_persist_is_missing(void **state)
{
    game = *state;
    stop_persisting(LAMP);
    for (int i = 0; i < 2; i++) {
        firn_inspection is = assert_inspected(game, NULL,
                                              "entity 2 (key \"player\"): same\n"
                                              "entity 3: same\n"
                                              "entity 6: same\n"
                                              "entity 7: same\n"
                                              "entity 5: same\n"
                                              "entity (key \"lamp\"): missing\n");
        assert_true(is.missing_entities == 1);
        inspect_load(game);
    }
}

// In another session nothing tells that it is.
static void K9_one_that_never_persisted_is_another_one(void **state)
{
    game = *state;
    stop_persisting(PLAYER);
    inspect_open_again(game);
    inspect_set_variable(game, "gold", "3");
    assert_int_equal(assert_inspected(game, NULL,
                                      "entity 2 (key \"player\"): missing\n"
                                      "entity 3: same\n"
                                      "entity 6: same\n"
                                      "entity 7: same\n"
                                      "entity 5: same\n"
                                      "entity (key \"lamp\"): same\n")
                         .missing_entities,
                     1);
    assert_same_once_loaded();
}

// ---- random games: what is told is what a load does

#define GAMES    400
#define MOST     32
#define VARS_END 64

// What an entity has.
typedef struct looks {
    bool alive, tag;
    bool has[4]; // persist, zoo.Point, zoo.Score, Vars
    firn_persist row;
    zoo_point point;
    double score;
    uint8_t vars[VARS_END];
    firn_entity parent;
} looks;

typedef struct random_game {
    test_random random;
    firn_entity ids[MOST];
    uint32_t count;
    uint32_t names;           // that were given, each to one entity
    firn_persist saved[MOST]; // what persisted then
    bool whole[MOST], part[MOST];
    bool placed[MOST]; // of the scene
    looks before[MOST];
} random_game;

static looks look_at(firn_entity entity)
{
    looks of;
    memset(&of, 0, sizeof of);
    const firn_world *world = game->world;
    of.alive = firn_alive(world, entity);
    of.tag = firn_has(world, entity, game->z.of[ZOO_TAG]);
    const firn_persist *row = firn_get(world, entity, firn_persist_component(world));
    const zoo_point *point = firn_get(world, entity, game->z.of[ZOO_POINT]);
    const double *score = firn_get(world, entity, game->z.of[ZOO_SCORE]);
    const void *vars = firn_get(world, entity, firn_vars_component(world));
    of.has[0] = row != NULL;
    of.has[1] = point != NULL;
    of.has[2] = score != NULL;
    of.has[3] = vars != NULL;
    if (row != NULL)
        of.row = *row;
    if (point != NULL)
        of.point = *point;
    of.score = score != NULL ? *score : 0;
    size_t size = 0;
    const uint8_t *bytes = vars != NULL ? firn_row_encoded(vars, &size) : NULL;
    assert_true(size <= VARS_END);
    if (size > 0)
        memcpy(of.vars, bytes, size);
    of.parent = firn_target(world, entity, firn_child_of(world));
    return of;
}

// What is below a spawned one is saved with it.
static bool is_below_spawned(firn_entity entity)
{
    firn_component child_of = firn_child_of(game->world);
    bool found = false;
    for (firn_entity at = entity; at != 0 && !found; at = firn_target(game->world, at, child_of)) {
        const firn_persist *row = firn_get(game->world, at, firn_persist_component(game->world));
        found = row != NULL && row->spawned;
    }
    return found;
}

static bool look_same(const looks *a, const looks *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

// A row that differs from the one that the entity has in what the game may change.
static void persist_somehow(random_game *g, firn_entity entity, bool keeps_name)
{
    static const char *const lists[] = {"zoo.Score", "zoo.Point.x zoo.Score", "zoo.Tag Vars",
                                        "zoo.Point"};
    firn_persist row = {.mode = (uint8_t)test_random_below(&g->random, 3)};
    looks of = look_at(entity);
    if (of.parent != 0)
        return; // it is saved with its parent, if at all
    if (keeps_name && of.has[0])
        memcpy(row.id, of.row.id, sizeof row.id);
    else if (test_random_below(&g->random, 2) == 0)
        (void)snprintf(row.id, sizeof row.id, "name%u", (unsigned)g->names++);
    if (row.mode == FIRN_PERSIST_FIELDS)
        strcpy(row.fields, lists[test_random_below(&g->random, FIRN_COUNT(lists))]);
    row.no_vars = test_random_below(&g->random, 4) == 0;
    row.spawned = row.mode == FIRN_PERSIST_ALL && test_random_below(&g->random, 3) == 0;
    inspect_persist(game, entity, row);
}

static void change_rows(random_game *g, firn_entity entity)
{
    firn_error err;
    char number[16];
    (void)snprintf(number, sizeof number, "%u", (unsigned)test_random_below(&g->random, 3));
    firn_component tag = game->z.of[ZOO_TAG], point = game->z.of[ZOO_POINT];
    switch (test_random_below(&g->random, 5)) {
    case 0:
        inspect_set(game, entity, ZOO_POINT, 1 + test_random_below(&g->random, 3));
        break;
    case 1:
        inspect_set(game, entity, ZOO_SCORE, test_random_below(&g->random, 3));
        break;
    case 2:
        inspect_set_var(game, entity, "x", number);
        break;
    case 3:
        assert_ok(firn_has(game->world, entity, tag)
                      ? firn_remove(game->world, entity, &tag, 1, &err)
                      : firn_add(game->world, entity, &tag, 1, &err),
                  &err);
        break;
    default:
        assert_ok(firn_remove(game->world, entity, &point, 1, &err), &err);
    }
}

static void spawn_one(random_game *g)
{
    firn_error err;
    firn_entity entity = zoo_spawn_one(game->world, game->z.of[ZOO_POINT]);
    uint32_t parent = test_random_below(&g->random, g->count + 1);
    if (test_random_below(&g->random, 3) == 0 && parent < g->count &&
        firn_alive(game->world, g->ids[parent]))
        assert_ok(firn_relate(game->world, entity, firn_child_of(game->world), g->ids[parent], NULL,
                              &err),
                  &err);
    g->ids[g->count++] = entity;
    if (test_random_below(&g->random, 3) > 0)
        persist_somehow(g, entity, false);
}

static void change_something(random_game *g)
{
    firn_error err;
    uint32_t at = test_random_below(&g->random, g->count);
    firn_entity entity = g->ids[at];
    uint32_t what = test_random_below(&g->random, 12);
    if (what == 0 && g->count < MOST) {
        spawn_one(g);
    } else if (!firn_alive(game->world, entity)) {
        return;
    } else if (what == 1 && !g->placed[at]) {
        assert_ok(firn_despawn(game->world, entity, &err), &err);
    } else if (what <= 4) {
        persist_somehow(g, entity, true);
    } else if (what <= 6 && look_at(entity).has[0]) {
        stop_persisting(entity);
    } else {
        change_rows(g, entity);
    }
}

// Some of them are of a scene.
static void place_some(random_game *g)
{
    firn_error err;
    firn_entity placed[MOST];
    uint64_t locals[MOST];
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        g->placed[i] = test_random_below(&g->random, 2) == 0;
        if (g->placed[i]) {
            placed[count] = g->ids[i];
            locals[count++] = 100 + i;
        }
    }
    assert_ok(firn_saves_scene(game->saves, "room", placed, locals, count, &err), &err);
}

static void save_and_go_on(random_game *g, bool scene)
{
    firn_error err;
    assert_ok(firn_saves_write(game->saves, "a", NULL, &err), &err);
    for (uint32_t i = 0; i < g->count; i++) {
        looks of = look_at(g->ids[i]);
        g->saved[i] = of.row;
        g->whole[i] = is_below_spawned(g->ids[i]) || (of.has[0] && of.row.mode == FIRN_PERSIST_ALL);
        g->part[i] = of.has[0] && !g->whole[i];
    }
    if (!scene && test_random_below(&g->random, 4) == 0)
        inspect_open_again(game); // it knows nobody
    uint32_t changes = test_random_below(&g->random, 14);
    for (uint32_t i = 0; i < changes; i++)
        change_something(g);
    for (uint32_t i = 0; i < g->count; i++)
        g->before[i] = look_at(g->ids[i]);
}

// ---- what was told of an entity

static const firn_value *told_of(const firn_value *tree, firn_entity id, const char *key,
                                 const char *status)
{
    const firn_value *list = firn_table_get_text(tree, "entities");
    for (uint32_t i = 1; i <= firn_table_array_count(list); i++) {
        const firn_value *item = firn_table_get_number(list, i);
        const firn_value *has_id = firn_table_get_text(item, "id");
        const firn_value *has_key = firn_table_get_text(item, "key");
        const firn_value *has_status = firn_table_get_text(item, "status");
        bool by_key = *key != '\0' && has_key != NULL && has_key->length == strlen(key) &&
                      memcmp(has_key->as.string, key, has_key->length) == 0;
        bool by_id = has_id != NULL && has_id->as.number == (double)id;
        bool has =
            status == NULL || (has_status->length == strlen(status) &&
                               memcmp(has_status->as.string, status, has_status->length) == 0);
        if (has && (*key != '\0' && has_id == NULL ? by_key : by_id))
            return item;
    }
    return NULL;
}

// What one is called that made room.
static firn_entity id_after(const firn_saves_loaded *loaded, firn_entity entity)
{
    for (uint32_t i = 0; i < loaded->moved_count; i++) {
        if (loaded->moved[i].saved == entity)
            return loaded->moved[i].entity;
    }
    return entity;
}

// Checks who lived before the load and lives on under its id, whatever became of it.
static void check_one(const random_game *g, const firn_saves_loaded *loaded, const firn_value *tree,
                      uint32_t i, const char *text)
{
    looks after = look_at(g->whole[i] ? g->ids[i] : id_after(loaded, g->ids[i]));
    looks was = g->before[i];
    was.parent = g->whole[i] ? was.parent : id_after(loaded, was.parent);
    bool differs = !look_same(&was, &after);
    const firn_value *changed = told_of(tree, g->ids[i], g->saved[i].id, "changed");
    const firn_value *same = told_of(tree, g->ids[i], g->saved[i].id, "same");
    const firn_value *missing = told_of(tree, g->ids[i], g->saved[i].id, "missing");
    const firn_value *extra = told_of(tree, g->ids[i], g->before[i].row.id, "extra");
    bool spared = extra != NULL && g->before[i].row.mode != FIRN_PERSIST_ALL;
    bool moved = id_after(loaded, g->ids[i]) != g->ids[i]; // it was another one
    bool good;
    if (g->whole[i])
        good = after.alive && (changed != NULL   ? differs && g->before[i].alive
                               : missing != NULL ? !g->before[i].alive || moved || extra != NULL
                                                 : same != NULL && !differs);
    else if (extra != NULL && !spared)
        good = !after.alive;
    else if (g->part[i] && g->before[i].has[0])
        good = (changed != NULL) == differs;
    else // it may have ended with its parent
        good = !differs ||
               (!after.alive && !firn_alive(game->world, id_after(loaded, g->before[i].parent)));
    if (!good)
        fail_msg("entity %llu (%s, saved %s): %s; it is told\n%s", (unsigned long long)g->ids[i],
                 g->saved[i].id,
                 g->whole[i]  ? "whole"
                 : g->part[i] ? "in part"
                              : "not",
                 differs ? "the load changed it" : "the load left it", text);
}

static void play_random_game(uint32_t seed)
{
    firn_error err;
    random_game g = {.random = {seed}};
    firn_saves_loaded loaded = {0};
    firn_buffer text = {0};
    uint32_t people = 3 + test_random_below(&g.random, 9);
    while (g.count < people)
        spawn_one(&g);
    bool scene = seed % 2 == 0;
    if (scene)
        place_some(&g);
    save_and_go_on(&g, scene);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_inspection is, again;
    const firn_value *tree = firn_saves_inspect(game->saves, "a", NULL, doc, &is, &err);
    assert_ok(tree != NULL ? FIRN_OK : err.code, &err);
    assert_ok(firn_saves_inspect_text(game->saves, "a", NULL, &text, NULL, &err), &err);
    assert_ok(firn_buffer_append(&text, "", 1, &err), &err);
    assert_ok(firn_saves_read(game->saves, "a", &loaded, &err), &err);
    for (uint32_t i = 0; i < g.count; i++)
        check_one(&g, &loaded, tree, i, (const char *)text.data);
    firn_buffer_clear(&text);
    assert_ok(firn_saves_inspect_text(game->saves, "a", NULL, &text, &again, &err), &err);
    if (again.changed_entities != 0)
        fail_msg("seed %u, after the load:\n%.*s", (unsigned)seed, (int)text.size,
                 (const char *)text.data);
    firn_saves_loaded_free(&loaded);
    firn_buffer_free(&text);
    firn_doc_destroy(doc);
}

static void K9_what_is_told_is_what_a_load_does(void **state)
{
    for (uint32_t seed = 0; seed < GAMES; seed++) {
        game = *state;
        play_random_game(seed);
        inspect_end(state);
        inspect_make_persisted(state);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PERSISTED(K9_one_that_was_saved_whole_and_persists_by_field_now_has_changed),
        PERSISTED(K9_one_that_was_saved_by_field_and_persists_whole_now_is_compared_by_field),
        PERSISTED(K9_what_is_saved_by_field_is_what_the_save_has),
        PERSISTED(K9_as_many_names_as_a_row_holds_are_compared),
        PERSISTED(K9_one_that_does_not_persist_any_more_has_changed),
        PERSISTED(K9_one_that_was_saved_by_field_and_does_not_persist_is_missing),
        PERSISTED(K9_one_that_never_persisted_is_another_one),
        PERSISTED(K9_what_is_told_is_what_a_load_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
