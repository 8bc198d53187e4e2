// Components and fields that are renamed and dropped in the bytes of snapshots.
#include "api/rewrite_game.h"
#include "api/snapshot_zoo.h"
#include "support/tree.h"

#include <stdlib.h>
#include <string.h>

static firn_edit rename_component(const char *component, const char *to)
{
    return (firn_edit){.kind = FIRN_RENAME_COMPONENT, .component = component, .to = to};
}

static firn_edit drop_component(const char *component)
{
    return (firn_edit){.kind = FIRN_DROP_COMPONENT, .component = component};
}

static firn_edit rename_field(const char *component, const char *field, const char *to)
{
    return (firn_edit){.kind = FIRN_RENAME_FIELD, .component = component, .field = field, .to = to};
}

static firn_edit drop_field(const char *component, const char *field)
{
    return (firn_edit){.kind = FIRN_DROP_FIELD, .component = component, .field = field};
}

static firn_buffer bytes_of_hex(const char *hex)
{
    firn_error err;
    firn_buffer bytes = {0};
    size_t size;
    uint8_t *from = test_from_hex(hex, &size);
    assert_ok(firn_buffer_append(&bytes, from, size, &err), &err);
    free(from);
    return bytes;
}

static void assert_is_hex(const firn_buffer *bytes, const char *hex)
{
    firn_buffer expected = bytes_of_hex(hex);
    assert_same_bytes(bytes, &expected);
    firn_buffer_free(&expected);
}

// ---- worlds

static firn_buffer save_of_game(uint64_t seed, uint32_t entities)
{
    game_names names;
    game_names_begin(&names);
    game_world game = game_make(&names);
    game_fill(&game, seed, entities);
    firn_buffer image = game_save(game.world);
    firn_world_destroy(game.world);
    return image;
}

static void an_image_without_edits_comes_out_as_the_same_bytes(void **state)
{
    (void)state;
    firn_buffer image = save_of_game(1, 100);
    firn_buffer out = game_rewrite(&image, NULL, 0);
    assert_same_bytes(&out, &image);
    firn_buffer_free(&image);
    firn_buffer_free(&out);
}

static void edits_are_about_the_names_that_those_before_leave(void **state)
{
    (void)state;
    firn_buffer image = save_of_game(2, 60);
    const firn_edit through[] = {rename_component("Score", "Points"), drop_component("Title"),
                                 rename_component("Points", "Title"),
                                 rename_field("Place", "x", "z"), rename_field("Place", "y", "x")};
    const firn_edit straight[] = {drop_component("Title"), rename_component("Score", "Title"),
                                  rename_field("Place", "x", "z"), rename_field("Place", "y", "x")};
    firn_buffer a = game_rewrite(&image, through, 5), b = game_rewrite(&image, straight, 4);
    assert_same_bytes(&a, &b);
    firn_buffer_free(&image);
    firn_buffer_free(&a);
    firn_buffer_free(&b);
}

static void effects_say_what_was_found_and_how_many_rows_it_has(void **state)
{
    (void)state;
    firn_error err;
    game_names names;
    game_names_begin(&names);
    game_world game = game_make(&names);
    firn_component both[] = {game.of[GAME_BOSS], game.of[GAME_PLACE]};
    (void)firn_spawn(game.world, both, 2, &err);
    (void)firn_spawn(game.world, both, 1, &err);
    firn_buffer image = game_save(game.world), out = {0};
    firn_world_destroy(game.world);
    const firn_edit edits[] = {drop_component("Boss"), rename_field("Place", "x", "left"),
                               drop_field("Place", "z"), drop_component("Ghost")};
    firn_edit_effect effects[4];
    const firn_rewrite_options options = {.edits = edits, .edit_count = 4};
    assert_ok(firn_image_rewrite(image.data, image.size, &options, &out, effects, &err), &err);
    assert_true(effects[0].found && effects[1].found && !effects[2].found && !effects[3].found);
    assert_int_equal(effects[0].rows, 2);
    assert_int_equal(effects[1].rows, 1);
    assert_int_equal(effects[2].rows, 0);
    firn_buffer_free(&image);
    firn_buffer_free(&out);
}

static void the_result_is_appended_to_what_the_buffer_holds(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = save_of_game(3, 20), out = {0};
    assert_ok(firn_buffer_append(&out, "front", 5, &err), &err);
    assert_ok(firn_image_rewrite(image.data, image.size, NULL, &out, NULL, &err), &err);
    assert_int_equal(out.size, image.size + 5);
    assert_memory_equal(out.data, "front", 5);
    assert_memory_equal(out.data + 5, image.data, image.size);
    firn_buffer_free(&image);
    firn_buffer_free(&out);
}

static void version_2_stays_version_2(void **state)
{
    (void)state;
    game_names names;
    game_names_begin(&names);
    game_world game = game_make(&names);
    game_fill(&game, 4, 30);
    const firn_save_options options = {.wire_version = 2, .sparse_edges = true};
    firn_buffer image = zoo_save_with(game.world, &options);
    const firn_edit edit = rename_component("Score", "Points");
    assert_true(game_edit(&names, &edit));
    game_world other = game_make(&names);
    (void)zoo_load(other.world, &image);
    firn_buffer expected = zoo_save_with(other.world, &options);
    firn_buffer out = game_rewrite(&image, &edit, 1);
    assert_same_bytes(&out, &expected);
    firn_world_destroy(game.world);
    firn_world_destroy(other.world);
    firn_buffer_free(&image);
    firn_buffer_free(&expected);
    firn_buffer_free(&out);
}

// In the image they stand in the order of the rows, which then is another one.
static void sources_keep_their_order_whatever_the_frames_do(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_component a = zoo_register(world, &(firn_component_desc){.name = "A", .kind = FIRN_TAG});
    firn_component b = zoo_register(world, &(firn_component_desc){.name = "B", .kind = FIRN_TAG});
    firn_component likes = zoo_register(
        world,
        &(firn_component_desc){.name = "Likes", .kind = FIRN_RELATION, .relation = FIRN_REVERSE});
    firn_entity target = zoo_spawn(world, NULL, 0);
    firn_entity with_a = zoo_spawn_one(world, a), with_b = zoo_spawn_one(world, b);
    assert_ok(firn_relate(world, with_a, likes, target, NULL, &err), &err);
    assert_ok(firn_relate(world, with_b, likes, target, NULL, &err), &err);
    firn_buffer image = zoo_save(world);
    firn_world_destroy(world);
    const void *order;
    size_t size;
    assert_int_equal(
        firn_image_data(image.data, image.size, "__firn.order", NULL, &order, &size, &err),
        FIRN_NOT_FOUND);
    const firn_edit edit = rename_component("A", "C");
    firn_buffer out = game_rewrite(&image, &edit, 1);
    assert_ok(firn_image_data(out.data, out.size, "__firn.order", NULL, &order, &size, &err), &err);
    world = zoo_empty(NULL);
    likes = zoo_register(
        world,
        &(firn_component_desc){.name = "Likes", .kind = FIRN_RELATION, .relation = FIRN_REVERSE});
    const firn_load_options options = {.skip_unknown = true};
    assert_ok(firn_snapshot_load(world, out.data, out.size, &options, NULL, &err), &err);
    firn_entity sources[2];
    assert_int_equal(firn_sources(world, likes, target, sources, 2), 2);
    assert_true(sources[0] == with_a && sources[1] == with_b);
    firn_world_destroy(world);
    firn_buffer_free(&image);
    firn_buffer_free(&out);
}

// A relation whose edges only its codec can read: their targets, as numbers.
static firn_result write_targets(void *user, const firn_rows *rows, firn_writer *out,
                                 firn_error *err)
{
    (void)user, (void)err;
    for (uint32_t i = 0; i < rows->count; i++) {
        firn_write_number(out, (double)((const firn_entity *)rows->data)[i]);
    }
    return FIRN_OK;
}

static firn_result read_targets(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)user, (void)err;
    for (uint32_t i = 0; i < rows->count; i++) {
        ((firn_entity *)rows->data)[i] = (firn_entity)firn_read_number(in);
    }
    return FIRN_OK;
}

static firn_component register_coded(firn_world *world)
{
    static const firn_codec codec = {
        .abi = FIRN_ABI, .name = "targets", .encode = write_targets, .decode = read_targets};
    return zoo_register(
        world, &(firn_component_desc){.name = "Likes",
                                      .kind = FIRN_RELATION,
                                      .size = sizeof(firn_entity),
                                      .codec = &codec,
                                      .relation = FIRN_SPARSE | FIRN_EXCLUSIVE | FIRN_REVERSE});
}

static void lists_of_edges_that_a_codec_wrote_stay(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_component a = zoo_register(world, &(firn_component_desc){.name = "A", .kind = FIRN_TAG});
    firn_component m = zoo_register(world, &(firn_component_desc){.name = "M", .kind = FIRN_TAG});
    firn_component likes = register_coded(world);
    firn_entity target = zoo_spawn(world, NULL, 0);
    const firn_entity in_order[3] = {zoo_spawn_one(world, m), zoo_spawn_one(world, a),
                                     zoo_spawn(world, NULL, 0)};
    for (uint32_t i = 0; i < 3; i++) {
        assert_ok(firn_relate(world, in_order[i], likes, target, NULL, &err), &err);
    }
    firn_buffer image = zoo_save(world);
    firn_world_destroy(world);
    const firn_edit edit = rename_component("A", "Z");
    firn_buffer out = game_rewrite(&image, &edit, 1);
    world = zoo_empty(NULL);
    likes = register_coded(world);
    const firn_load_options options = {.skip_unknown = true};
    assert_ok(firn_snapshot_load(world, out.data, out.size, &options, NULL, &err), &err);
    firn_entity sources[3];
    assert_int_equal(firn_sources(world, likes, target, sources, 3), 3);
    assert_memory_equal(sources, in_order, sizeof sources);
    firn_world_destroy(world);
    firn_buffer_free(&image);
    firn_buffer_free(&out);
}

// ---- values

// An image of one entity whose component Bag has this value.
static firn_buffer save_of_bag(const char *tree)
{
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_component bag =
        zoo_register(world, &(firn_component_desc){.name = "Bag", .kind = FIRN_VALUE});
    firn_entity entity = zoo_spawn_one(world, bag);
    assert_ok(firn_set_value(world, entity, bag, test_tree(doc, tree), &err), &err);
    firn_buffer image = zoo_save(world);
    firn_world_destroy(world);
    firn_doc_destroy(doc);
    return image;
}

static void assert_bag(const char *before, const firn_edit *edits, uint32_t count,
                       const char *after)
{
    firn_buffer image = save_of_bag(before), expected = save_of_bag(after);
    firn_buffer out = game_rewrite(&image, edits, count);
    assert_same_bytes(&out, &expected);
    firn_buffer_free(&image);
    firn_buffer_free(&expected);
    firn_buffer_free(&out);
}

static void a_field_of_a_table_is_renamed_wherever_its_name_says_it_is(void **state)
{
    (void)state;
    firn_edit edit = rename_field("Bag", "gold", "coins");
    assert_bag("{gold = 5, iron = 1}", &edit, 1, "{coins = 5, iron = 1}");
    assert_bag("{iron = 1}", &edit, 1, "{iron = 1}");
    assert_bag("{[1] = 7, gold = {1, 2}}", &edit, 1, "{[1] = 7, coins = {1, 2}}");
    edit = rename_field("Bag", "home.x", "home.left");
    assert_bag("{home = {x = 1, y = 2}}", &edit, 1, "{home = {left = 1, y = 2}}");
    assert_bag("{[\"home.x\"] = 1}", &edit, 1, "{[\"home.left\"] = 1}");
    edit = rename_field("Bag", "home", "base");
    assert_bag("{home = {x = 1}, [\"home.y\"] = 2, [\"home[0].z\"] = 3, homes = 4}", &edit, 1,
               "{base = {x = 1}, [\"base.y\"] = 2, [\"base[0].z\"] = 3, homes = 4}");
    edit = rename_field("Bag", "home.x", "x");
    assert_bag("{home = {x = 1, y = 2}}", &edit, 1, "{home = {y = 2}, x = 1}");
    edit = rename_field("Bag", "x", "home.x");
    assert_bag("{x = 1, home = {y = 2}}", &edit, 1, "{[\"home.x\"] = 1, home = {y = 2}}");
    edit = rename_field("Bag", "a.b.c", "a.b.d");
    assert_bag("{a = {b = {c = 1}}, [\"a.b\"] = {c = 2}}", &edit, 1,
               "{a = {b = {d = 1}}, [\"a.b\"] = {d = 2}}");
}

static void a_field_of_a_table_is_dropped(void **state)
{
    (void)state;
    firn_edit edit = drop_field("Bag", "home.x");
    assert_bag("{home = {x = 1, y = 2}, x = 3}", &edit, 1, "{home = {y = 2}, x = 3}");
    edit = drop_field("Bag", "home");
    assert_bag("{home = {x = 1}, [\"home.y\"] = 2}", &edit, 1, "{}");
    assert_bag("{home = 5, 1, 2}", &edit, 1, "{1, 2}");
    assert_bag("\"home\"", &edit, 1, "\"home\"");
    assert_bag("7", &edit, 1, "7");
}

static void a_field_that_is_there_already_is_an_error(void **state)
{
    (void)state;
    firn_error err;
    const struct {
        const char *bag, *from, *to;
    } cases[] = {
        {"{gold = 1, coins = 2}", "gold", "coins"},
        {"{home = {x = 1, y = 2}}", "home.x", "home.y"},
        {"{home = {x = 1}, [\"home.y\"] = 2}", "home.y", "home.x"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        firn_buffer image = save_of_bag(cases[i].bag), out = {0};
        const firn_edit edit = rename_field("Bag", cases[i].from, cases[i].to);
        const firn_rewrite_options options = {.edits = &edit, .edit_count = 1};
        assert_int_equal(firn_image_rewrite(image.data, image.size, &options, &out, NULL, &err),
                         FIRN_EXISTS);
        assert_error(&err, FIRN_EXISTS, cases[i].to);
        assert_int_equal(out.size, 0);
        firn_buffer_free(&image);
        firn_buffer_free(&out);
    }
}

static void a_name_in_a_table_that_would_be_too_long_is_an_error(void **state)
{
    (void)state;
    firn_error err;
    char tree[1200] = "{[\"a.";
    memset(tree + 5, 'x', 1000);
    memcpy(tree + 1005, "\"] = 1}", 8);
    firn_buffer image = save_of_bag(tree), out = {0};
    const firn_edit edit = rename_field("Bag", "a", "a much longer name than that");
    const firn_rewrite_options options = {.edits = &edit, .edit_count = 1};
    assert_int_equal(firn_image_rewrite(image.data, image.size, &options, &out, NULL, &err),
                     FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "Bag");
    firn_buffer_free(&image);
    firn_buffer_free(&out);
}

// ---- what firn did not write

// Version 1, 4 slots, 3 entities in one frame of N, encoded: nil, 5, nil. No __firn.world.
#define NILS                                                                                       \
    "07000000000000f03f 070000000000001440 070000000000000840 07000000000000f03f "                 \
    "07000000000000f03f 214e 20 07000000000000f03f 070000000000000840 07000000000000f03f "         \
    "070000000000000000 000000000000f03f 0000000000000040 0000000000000840 00 0605000000 00 01"
#define WORLD_END "02 2c5f5f6669726e2e776f726c64 0901 247469636b 070000000000000000 01"
// Slot 4 comes next, with generation 1.
#define FREE_4 "02 2b5f5f6669726e2e66726565 0c02 28 0400400000000000"

static void rows_without_a_value_become_a_frame_of_their_own(void **state)
{
    (void)state;
    firn_buffer image = bytes_of_hex(NILS);
    firn_buffer out = game_rewrite(&image, NULL, 0);
    assert_is_hex(&out, "07000000000000f03f 070000000000001440 070000000000000840 "
                        "070000000000000040 07000000000000f03f 214e 20 "
                        "070000000000000000 070000000000000040 070000000000000000 "
                        "000000000000f03f 0000000000000840 "
                        "07000000000000f03f 07000000000000f03f 07000000000000f03f "
                        "070000000000000000 0000000000000040 070000000000001440 " FREE_4 WORLD_END);
    firn_buffer_free(&image);
    firn_buffer_free(&out);
}

static void a_component_that_is_nil_everywhere_may_be_a_tag_and_stays(void **state)
{
    (void)state;
    firn_error err;
    // Of two entities, with a nil in place of the fingerprint.
    firn_buffer image =
        bytes_of_hex("07000000000000f03f 070000000000000840 070000000000000040 07000000000000f03f "
                     "07000000000000f03f 2154 00 07000000000000f03f 070000000000000040 "
                     "07000000000000f03f 070000000000000000 000000000000f03f 0000000000000040 "
                     "00 00 01");
    firn_buffer once = game_rewrite(&image, NULL, 0), out = game_rewrite(&once, NULL, 0);
    assert_same_bytes(&out, &once);
    firn_world *world = zoo_empty(NULL);
    firn_component tag = zoo_register(world, &(firn_component_desc){.name = "T", .kind = FIRN_TAG});
    assert_ok(firn_snapshot_load(world, out.data, out.size, NULL, NULL, &err), &err);
    assert_true(firn_has(world, 1, tag) && firn_has(world, 2, tag));
    firn_world_destroy(world);
    firn_buffer_free(&image);
    firn_buffer_free(&once);
    firn_buffer_free(&out);
}

// A frame without rows goes; 1,000 slots of which one is used, without a free list.
static void slots_without_an_entity_are_free_and_empty_frames_go(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image =
        bytes_of_hex("07000000000000f03f 070000000000488f40 07000000000000f03f 070000000000000040 "
                     "07000000000000f03f 214e 20 "
                     "07000000000000f03f 070000000000000000 07000000000000f03f 070000000000000000 "
                     "070000000000000000 07000000000000f03f 070000000000000000 000000000000f03f "
                     "01");
    firn_buffer out = game_rewrite(&image, NULL, 0);
    firn_world *world = zoo_empty(NULL);
    assert_ok(firn_snapshot_load(world, image.data, image.size,
                                 &(firn_load_options){.keep_unknown = true}, NULL, &err),
              &err);
    firn_buffer expected = zoo_save(world);
    assert_same_bytes(&out, &expected);
    firn_world_destroy(world);
    firn_buffer_free(&image);
    firn_buffer_free(&expected);
    firn_buffer_free(&out);
}

// Columns of L->100000000000001, and of L->1e+14 with that target in its value.
static void targets_that_become_one_are_an_error(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer out = {0};
    firn_buffer image = bytes_of_hex(
        "07000000000000f03f 070000000000000040 07000000000000f03f 07000000000000f03f "
        "070000000000000040 324c2d3e313030303030303030303030303031 20 284c2d3e31652b3134 20 "
        "070000000000000040 07000000000000f03f 07000000000000f03f 070000000000000040 "
        "070000000000000000 000000000000f03f "
        "0901 26746172676574 074000901ec4bcd642 0901 26746172676574 074000901ec4bcd642 01");
    firn_result result = firn_image_rewrite(image.data, image.size, NULL, &out, NULL, &err);
    assert_int_equal(result, FIRN_EXISTS);
    assert_error(&err, FIRN_EXISTS, "L->100000000000001");
    firn_buffer_free(&image);
    firn_buffer_free(&out);
}

static void a_result_above_a_limit_is_an_error(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = save_of_game(5, 20), out = {0};
    const firn_edit edit = rename_component("Place", "A place with a long name");
    const firn_limits limits = {.file_bytes = image.size};
    const firn_rewrite_options options = {.edits = &edit, .edit_count = 1, .limits = &limits};
    assert_int_equal(firn_image_rewrite(image.data, image.size, &options, &out, NULL, &err),
                     FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "image");
    assert_int_equal(out.size, 0);
    firn_buffer_free(&image);
    firn_buffer_free(&out);
}

// One entity with the raw component R of 8 bytes: a byte, a hole that is not zero, an int. Spelled
// as C does.
#define ONE_RAW(name, fingerprint, row)                                                            \
    "07000000000000f03f 070000000000000040 07000000000000f03f 07000000000000f03f "                 \
    "07000000000000f03f " name fingerprint " 07000000000000f03f 07000000000000f03f "               \
    "07000000000000f03f 070000000000000000 000000000000f03f " row

static void raw_rows_are_laid_out_anew_and_their_holes_are_zero(void **state)
{
    (void)state;
    // `a:signed char,b:int|8`
    firn_buffer image = bytes_of_hex(ONE_RAW(
        "2152 ", "35613a7369676e656420636861722c623a696e747c38", "05ffffff 07000000 ") WORLD_END);
    firn_buffer out = game_rewrite(&image, NULL, 0);
    // `a:int8_t,b:int32_t|8`
    assert_is_hex(&out, ONE_RAW("2152 ", "34613a696e74385f742c623a696e7433325f747c38",
                                "05000000 07000000 ") WORLD_END);
    firn_buffer_free(&out);
    const firn_edit edit = drop_field("R", "b");
    out = game_rewrite(&image, &edit, 1);
    // `a:int8_t|1`
    assert_is_hex(&out, ONE_RAW("2152 ", "2a613a696e74385f747c31", "05 ") WORLD_END);
    firn_buffer_free(&image);
    firn_buffer_free(&out);
}

static void rows_that_are_not_understood_stay_as_they_are(void **state)
{
    (void)state;
    firn_error err;
    // `a:long|8`
    firn_buffer image =
        bytes_of_hex(ONE_RAW("2152 ", "28613a6c6f6e677c38", "05ffffff 07000000 ") WORLD_END);
    firn_edit edit = rename_component("R", "S");
    firn_buffer out = game_rewrite(&image, &edit, 1);
    assert_is_hex(&out, ONE_RAW("2153 ", "28613a6c6f6e677c38", "05ffffff 07000000 ") WORLD_END);
    edit = drop_field("R", "a");
    const firn_rewrite_options options = {.edits = &edit, .edit_count = 1};
    firn_buffer_clear(&out);
    assert_int_equal(firn_image_rewrite(image.data, image.size, &options, &out, NULL, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "R.a");
    assert_int_equal(out.size, 0);
    firn_buffer_free(&image);
    firn_buffer_free(&out);
}

// `{["a"] = 1, ["a"] = 1}`
static void a_value_that_has_a_key_twice_is_corrupt(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer out = {0};
    firn_buffer image = bytes_of_hex(ONE_RAW("2142 ", "20", "0902 216102 216102 ") WORLD_END);
    const firn_edit edits[] = {rename_component("B", "C"), drop_field("C", "b")};
    for (uint32_t count = 1; count <= 2; count++) {
        const firn_rewrite_options options = {.edits = edits, .edit_count = count};
        assert_int_equal(firn_image_rewrite(image.data, image.size, &options, &out, NULL, &err),
                         FIRN_CORRUPT);
        assert_error(&err, FIRN_CORRUPT, "B");
    }
    firn_buffer_free(&image);
    image = bytes_of_hex("07000000000000f03f 07000000000000f03f 070000000000000000 "
                         "070000000000000000 070000000000000000 02 2164 0902 216102 216102 01");
    assert_int_equal(firn_image_rewrite(image.data, image.size, NULL, &out, NULL, &err),
                     FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "d");
    assert_int_equal(err.offset, 53);
    firn_buffer_free(&image);
    firn_buffer_free(&out);
}

static void a_schema_says_how_an_image_is_read(void **state)
{
    (void)state;
    firn_error err;
    // `a:int|4`, and a value of four bytes that reads both ways: "abc".
    firn_buffer out = {0};
    firn_buffer image = bytes_of_hex(ONE_RAW("2152 ", "27613a696e747c34", "23616263 ") "01");
    const firn_image_schema schema = {.component = "R", .fingerprint = ""};
    const firn_rewrite_options options = {.schemas = &schema, .schema_count = 1};
    assert_ok(firn_image_rewrite(image.data, image.size, &options, &out, NULL, &err), &err);
    assert_is_hex(&out, ONE_RAW("2152 ", "20", "23616263 ") WORLD_END);
    firn_buffer_free(&image);
    firn_buffer_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_image_without_edits_comes_out_as_the_same_bytes),
        cmocka_unit_test(edits_are_about_the_names_that_those_before_leave),
        cmocka_unit_test(effects_say_what_was_found_and_how_many_rows_it_has),
        cmocka_unit_test(the_result_is_appended_to_what_the_buffer_holds),
        cmocka_unit_test(version_2_stays_version_2),
        cmocka_unit_test(sources_keep_their_order_whatever_the_frames_do),
        cmocka_unit_test(lists_of_edges_that_a_codec_wrote_stay),
        cmocka_unit_test(a_field_of_a_table_is_renamed_wherever_its_name_says_it_is),
        cmocka_unit_test(a_field_of_a_table_is_dropped),
        cmocka_unit_test(a_field_that_is_there_already_is_an_error),
        cmocka_unit_test(a_name_in_a_table_that_would_be_too_long_is_an_error),
        cmocka_unit_test(rows_without_a_value_become_a_frame_of_their_own),
        cmocka_unit_test(a_component_that_is_nil_everywhere_may_be_a_tag_and_stays),
        cmocka_unit_test(slots_without_an_entity_are_free_and_empty_frames_go),
        cmocka_unit_test(targets_that_become_one_are_an_error),
        cmocka_unit_test(a_result_above_a_limit_is_an_error),
        cmocka_unit_test(raw_rows_are_laid_out_anew_and_their_holes_are_zero),
        cmocka_unit_test(rows_that_are_not_understood_stay_as_they_are),
        cmocka_unit_test(a_value_that_has_a_key_twice_is_corrupt),
        cmocka_unit_test(a_schema_says_how_an_image_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
