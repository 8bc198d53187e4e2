#include "api/inspect_game.h"

#include <string.h>

#include "support/tree.h"

// ---- the game

static firn_result save_timers(void *user, firn_world *world, firn_writer *out, firn_error *err)
{
    (void)world;
    (void)err;
    firn_write_table(out, 0, 1);
    firn_write_text(out, "due");
    firn_write_number(out, ((inspect_game *)user)->timer);
    return FIRN_OK;
}

static firn_result load_timers(void *user, firn_world *world, firn_reader *in, firn_error *err)
{
    (void)world;
    (void)err;
    size_t size;
    firn_read_table(in);
    firn_read_string(in, &size);
    ((inspect_game *)user)->timer = firn_read_number(in);
    return FIRN_OK;
}

static void add_handler(inspect_game *game)
{
    firn_error err;
    const firn_handler timers = {
        .abi = FIRN_ABI, .name = "timers", .save = save_timers, .load = load_timers, .user = game};
    assert_ok(firn_handler_add(game->world, &timers, &err), &err);
}

void inspect_persist(inspect_game *game, firn_entity entity, firn_persist row)
{
    firn_error err;
    assert_ok(firn_persist_set(game->world, entity, &row, &err), &err);
}

void inspect_set(inspect_game *game, firn_entity entity, zoo_kind kind, double number)
{
    firn_error err;
    const zoo_point point = {(float)number, -(float)number};
    const void *row = kind == ZOO_POINT ? (const void *)&point : &number;
    assert_ok(firn_set(game->world, entity, game->z.of[kind], row, &err), &err);
}

void inspect_set_var(inspect_game *game, firn_entity entity, const char *name, const char *tree)
{
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    assert_ok(firn_vars_set(game->world, entity, name, test_tree(doc, tree), &err), &err);
    firn_doc_destroy(doc);
}

void inspect_set_variable(inspect_game *game, const char *name, const char *tree)
{
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    const firn_value *value = tree ? test_tree(doc, tree) : NULL;
    assert_ok(firn_saves_set_variable(game->saves, name, value, &err), &err);
    firn_doc_destroy(doc);
}

static void spawn_people(inspect_game *game)
{
    firn_error err;
    const firn_component *of = game->z.of;
    const firn_component lamp[] = {of[ZOO_SCORE], of[ZOO_BODY]};
    assert_int_equal(zoo_spawn_one(game->world, of[ZOO_POINT]), SCENERY);
    assert_int_equal(zoo_spawn_one(game->world, of[ZOO_POINT]), PLAYER);
    assert_int_equal(zoo_spawn_one(game->world, of[ZOO_TITLE]), CHEST);
    assert_int_equal(zoo_spawn(game->world, lamp, 2), LAMP);
    assert_int_equal(zoo_spawn(game->world, NULL, 0), SIGN);
    assert_int_equal(zoo_spawn_one(game->world, of[ZOO_POINT]), SUMMONED);
    assert_int_equal(zoo_spawn_one(game->world, of[ZOO_SCORE]), CHILD);
    assert_ok(firn_relate(game->world, CHILD, firn_child_of(game->world), SUMMONED, NULL, &err),
              &err);
    inspect_set_var(game, SIGN, "read", "2");
}

static void persist_people(inspect_game *game)
{
    inspect_persist(game, PLAYER, (firn_persist){.id = "player"});
    inspect_persist(game, CHEST, (firn_persist){.mode = FIRN_PERSIST_ALL});
    inspect_persist(game, LAMP,
                    (firn_persist){.id = "lamp",
                                   .mode = FIRN_PERSIST_FIELDS,
                                   .fields = "zoo.Score zoo.Body.home zoo.Tag"});
    inspect_persist(game, SIGN, (firn_persist){.mode = FIRN_PERSIST_VARS});
    inspect_persist(game, SUMMONED, (firn_persist){.spawned = true});
}

static int make_game(void **state, firn_saves_kind kind)
{
    static inspect_game made;
    inspect_game *game = &made;
    firn_error err;
    *game = (inspect_game){.timer = 5};
    test_allocator_init(&game->memory);
    game->z = zoo_make(&game->memory, false);
    game->world = game->z.world;
    assert_ok(firn_storage_memory(&game->memory.allocator, &game->storage, &err), &err);
    game->desc = (firn_saves_desc){.game = "inspected", .kind = kind, .storage = &game->storage};
    game->saves = firn_saves_open(game->world, &game->desc, &err);
    assert_true(firn_persist_register(game->world, &err) != 0);
    add_handler(game);
    spawn_people(game);
    if (kind == FIRN_SAVES_PERSISTED)
        persist_people(game);
    inspect_set_variable(game, "gold", "3");
    assert_ok(firn_saves_write(game->saves, "a", NULL, &err), &err);
    *state = game;
    return game->saves == NULL;
}

int inspect_make_world(void **state)
{
    return make_game(state, FIRN_SAVES_WORLD);
}

int inspect_make_persisted(void **state)
{
    return make_game(state, FIRN_SAVES_PERSISTED);
}

int inspect_end(void **state)
{
    inspect_game *game = *state;
    firn_saves_close(game->saves);
    firn_storage_close(&game->storage);
    firn_world_destroy(game->world);
    assert_no_leak(&game->memory);
    return 0;
}

void inspect_load(inspect_game *game)
{
    firn_error err;
    assert_ok(firn_saves_read(game->saves, "a", NULL, &err), &err);
}

// ---- what is told

static double number_of(const firn_value *tree, const char *key)
{
    const firn_value *value = firn_table_get_text(tree, key);
    assert_non_null(value);
    return value->as.number;
}

// The tree says the same as the counts.
static void check_tree(inspect_game *game, const firn_inspect_options *options,
                       const firn_inspection *is)
{
    firn_error err;
    firn_inspection again;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    const firn_value *tree = firn_saves_inspect(game->saves, "a", options, doc, &again, &err);
    if (tree == NULL)
        fail_msg("no tree: %s", err.message);
    assert_true(again.differences == is->differences && again.same == is->same);
    assert_int_equal(firn_table_get_text(tree, "same")->as.boolean, is->same);
    assert_true(number_of(tree, "unchanged") == (double)is->same_entities);
    assert_true(number_of(tree, "changed") == (double)is->changed_entities);
    assert_true(number_of(tree, "missing") == (double)is->missing_entities);
    assert_true(number_of(tree, "extra") == (double)is->extra_entities);
    assert_true(number_of(tree, "differences") == (double)is->differences);
    firn_doc_destroy(doc);
}

firn_inspection inspect_assert(inspect_game *game, const firn_inspect_options *options,
                               const char *expected, const char *file, int line)
{
    firn_error err;
    firn_buffer text = {0};
    firn_inspection is;
    firn_hash before = zoo_hash(game->world);
    assert_ok(firn_saves_inspect_text(game->saves, "a", options, &text, &is, &err), &err);
    if (text.size != strlen(expected) ||
        (text.size > 0 && memcmp(text.data, expected, text.size) != 0)) {
        print_error("it gives\n%.*sand not\n%s", (int)text.size, (const char *)text.data, expected);
        _fail(file, line);
    }
    check_tree(game, options, &is);
    firn_hash after = zoo_hash(game->world);
    assert_memory_equal(&before, &after, sizeof before);
    firn_buffer_free(&text);
    return is;
}

void inspect_open_again(inspect_game *game)
{
    firn_error err;
    firn_saves_close(game->saves);
    game->saves = firn_saves_open(game->world, &game->desc, &err);
    assert_non_null(game->saves);
}

void inspect_refused(inspect_game *game, const char *slot, const firn_inspect_options *options,
                     firn_result result, const char *subject)
{
    firn_error err;
    firn_buffer text = {0};
    firn_inspection is = {.differences = 77};
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    assert_null(firn_saves_inspect(game->saves, slot, options, doc, &is, &err));
    assert_error(&err, result, subject);
    assert_ok(firn_buffer_append(&text, "x", 1, &err), &err);
    assert_int_equal(firn_saves_inspect_text(game->saves, slot, options, &text, &is, &err), result);
    assert_error(&err, result, subject);
    assert_true(text.size == 1 && is.differences == 77);
    firn_buffer_free(&text);
    firn_doc_destroy(doc);
}
