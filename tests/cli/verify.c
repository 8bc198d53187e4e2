// firn verify.
#include "cli/golden.h"
#include "golden/bad_images.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- verdicts

static void good_files_are_listed(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/09_game.bin");
    cli_put_golden(t, "saves/02_kitchen.firn");
    assert_int_equal(cli_run(t, "verify", "firn/09_game.bin", "saves/02_kitchen.firn", NULL), 0);
    assert_string_equal(t->out, "firn/09_game.bin: ok\nsaves/02_kitchen.firn: ok\n");
    assert_string_equal(t->err, "");
    assert_int_equal(cli_run(t, "verify", "-q", "firn/09_game.bin", NULL), 0);
    assert_string_equal(t->out, "");
}

// The worst one decides: damage is less than what cannot be checked.
static void the_exit_status_tells_damage_from_trouble(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/09_game.bin");
    cli_put_golden(t, "errors/corrupt/id_0.bin");
    cli_put_golden(t, "errors/version/version_3.bin");
    assert_int_equal(cli_run(t, "verify", "errors/corrupt/id_0.bin", "firn/09_game.bin", NULL), 1);
    assert_string_equal(t->out, "firn/09_game.bin: ok\n");
    assert_string_equal(t->err, "firn: errors/corrupt/id_0.bin: 0 is no entity id (byte 108)\n");
    assert_int_equal(
        cli_run(t, "verify", "missing", "errors/corrupt/id_0.bin", "firn/09_game.bin", NULL), 2);
    assert_int_equal(cli_run(t, "verify", "errors/version/version_3.bin", NULL), 2);
    assert_int_equal(cli_run(t, "verify", "--max-size=1", "firn/09_game.bin", NULL), 2);
}

static void json_says_the_same(void **state)
{
    cli_test *t = *state;
    if (!firn_json_available()) {
        return;
    }
    cli_put_golden(t, "firn/09_game.bin");
    cli_put_golden(t, "errors/corrupt/id_0.bin");
    assert_int_equal(
        cli_run(t, "verify", "--json", "firn/09_game.bin", "errors/corrupt/id_0.bin", "no", NULL),
        2);
    assert_string_equal(t->out,
                        "{\"file\":\"firn/09_game.bin\",\"result\":\"FIRN_OK\"}\n"
                        "{\"byte\":108,\"file\":\"errors/corrupt/id_0.bin\",\"message\":"
                        "\"0 is no entity id\",\"result\":\"FIRN_CORRUPT\",\"subject\":\"ids\"}\n"
                        "{\"file\":\"no\",\"message\":\"no: there is no such file\",\"result\":"
                        "\"FIRN_NOT_FOUND\",\"subject\":\"no\"}\n");
    assert_string_equal(t->err, "");
    assert_int_equal(
        cli_run(t, "verify", "--json", "-q", "firn/09_game.bin", "errors/corrupt/id_0.bin", NULL),
        1);
    assert_true(strncmp(t->out, "{\"byte\":108,", 12) == 0);
}

static void a_terminal_gets_colors_and_a_bar(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/09_game.bin");
    t->host.terminal = t->host.error_terminal = true;
    assert_int_equal(cli_run(t, "verify", "firn/09_game.bin", "no", NULL), 2);
    assert_string_equal(t->out, "firn/09_game.bin\33[32m: ok\33[0m\n");
    assert_says(t->err, "\r[##########                              ]  25%");
    assert_says(t->err, "\r[####################                    ]  50%\r\33[K\r[");
    assert_says(t->err, "\r\33[Kfirn: no: there is no such file\n");
    t->host.no_color = true;
    assert_int_equal(cli_run(t, "verify", "firn/09_game.bin", NULL), 0);
    assert_string_equal(t->out, "firn/09_game.bin: ok\n");
    assert_says(t->err, "\r\33[K");
}

// ---- what only a game can tell

// They are good as far as bytes go.
static const char *const only_a_game_can_tell[] = {
    // Codecs and types of registered components.
    "corrupt/codec_value",
    "corrupt/fingerprint_field_twice",
    "corrupt/fingerprint_size",
    "corrupt/fingerprint_type",
    "invalid/bool_is_a_number",
    "invalid/component_is_a_relation",
    "invalid/number_is_a_string",
    "invalid/number_is_an_int64",
    "invalid/relation_field_is_a_string",
    "invalid/relation_is_raw",
    "invalid/row_number_is_a_string",
    "invalid/string_is_a_bool",
    "invalid/string_is_a_bool_in_the_long_form",
    "invalid/struct_field_is_a_string",
    "invalid/struct_is_a_number",
    "invalid/tag_is_a_struct",
    "invalid/wrapped_bool_is_nil",
    "refused/by_a_codec",
    "unknown/component",
    "unknown/components",
    "unknown/state",
    // Which components are relations, and of which kind.
    "corrupt/edges_are_a_number",
    "corrupt/relation_is_a_number",
    "corrupt/relation_target_0",
    "corrupt/relation_target_fraction",
    "corrupt/relation_target_is_a_string",
    "corrupt/relation_target_twice",
    "corrupt/relation_target_twice_among_many",
    "corrupt/relation_target_twice_behind_others",
    "corrupt/relation_without_a_target",
};

// Values that a codec of the game refuses, which is code.
static const char *const only_code_can_tell[] = {"corrupt/codec_value", "refused/by_a_codec"};

static bool is_among(const char *path, const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(path, paths[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool needs_a_game(const char *path)
{
    return is_among(path, only_a_game_can_tell, FIRN_COUNT(only_a_game_can_tell));
}

// Of a key that is there twice the load names the value, the tool the second one.
static bool has_another_place(const char *path)
{
    return strcmp(path, "corrupt/key_twice") == 0;
}

// Runs verify, with the schema if there is one. Unless the file is good, says its name and place.
static int verify_damaged(cli_test *t, const bad_image *bad, const char *schema)
{
    char file[256], place[64];
    (void)snprintf(file, sizeof file, "errors/%s.bin", bad->path);
    (void)snprintf(place, sizeof place, " (byte %" PRIu64 ")\n", bad->offset);
    cli_forget(t);
    cli_put_golden(t, file);
    if (schema != NULL) {
        cli_put_golden(t, schema);
    }
    int status = schema != NULL ? cli_run(t, "verify", "--schema", schema, file, NULL)
                                : cli_run(t, "verify", file, NULL);
    if (status != 0) {
        bool elsewhere = schema == NULL && has_another_place(bad->path);
        assert_says(t->err, file);
        assert_says(t->err, elsewhere ? " is there twice (byte " : place);
    }
    return status;
}

static void damaged_golden_files_are_rejected_with_their_offsets(void **state)
{
    cli_test *t = *state;
    uint32_t rejected = 0;
    for (uint32_t i = 0; i < bad_image_count; i++) {
        const bad_image *bad = &bad_images[i];
        int status = verify_damaged(t, bad, NULL);
        if (needs_a_game(bad->path)) {
            assert_true(bad->check == FIRN_OK);
            assert_int_equal(status, 0);
            continue;
        }
        bool cannot_be_told = strncmp(bad->path, "limit/", 6) == 0 ||
                              strncmp(bad->path, "unknown/", 8) == 0 ||
                              strncmp(bad->path, "version/", 8) == 0;
        if (status != (cannot_be_told ? 2 : 1)) {
            fail_msg("%s: %d", bad->path, status);
        }
        rejected++;
    }
    assert_int_equal(rejected, bad_image_count - FIRN_COUNT(only_a_game_can_tell));
}

// ---- a schema of the game

// What a load says and the bytes do not: with the same place.
static void damaged_golden_files_do_not_fit_the_game_of_a_schema(void **state)
{
    cli_test *t = *state;
    uint32_t rejected = 0;
    for (uint32_t i = 0; i < bad_image_count; i++) {
        const bad_image *bad = &bad_images[i];
        int status = verify_damaged(t, bad, "game.schema");
        if (is_among(bad->path, only_code_can_tell, FIRN_COUNT(only_code_can_tell))) {
            assert_int_equal(status, 0);
            continue;
        }
        if (status == 0 || (needs_a_game(bad->path) && status != 1)) {
            fail_msg("%s: %d", bad->path, status);
        }
        rejected++;
    }
    assert_int_equal(rejected, bad_image_count - FIRN_COUNT(only_code_can_tell));
}

static void verify_with_the_schema(cli_test *t, const char *file)
{
    cli_put_golden(t, "game.schema");
    if (cli_run(t, "verify", "--schema", "game.schema", file, NULL) != 0) {
        fail_msg("%s", t->err);
    }
}

static void good_golden_files_fit_the_game_of_a_schema(void **state)
{
    assert_in_range(cli_each_golden(*state, "firn", ".bin", verify_with_the_schema), 11, 100);
}

// Everything that the file names is there: it says no less than the file does.
static void verify_with_its_own_schema(cli_test *t, const char *file)
{
    if (cli_has_no_snapshot(file)) {
        return;
    }
    assert_int_equal(cli_run(t, "schema", file, NULL), 0);
    cli_put_text(t, "own.schema", t->out);
    if (cli_run(t, "verify", "--schema", "own.schema", file, NULL) != 0) {
        fail_msg("%s", t->err);
    }
}

static void every_file_fits_the_schema_that_is_printed_of_it(void **state)
{
    assert_in_range(cli_each_golden(*state, "firn", ".bin", verify_with_its_own_schema), 11, 100);
    assert_in_range(cli_each_golden(*state, "tecs", ".bin", verify_with_its_own_schema), 20, 100);
    assert_in_range(cli_each_golden(*state, "saves", ".firn", verify_with_its_own_schema), 5, 100);
}

static void what_a_schema_does_not_name_is_wrong_only_if_it_is_complete(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/09_game.bin");
    cli_put_golden(t, "firn/11_script.bin");
    cli_put_golden(t, "errors/unknown/two_readings.bin");
    cli_put_text(t, "part", "Position raw x:float,y:float|8\n");
    cli_put_text(t, "states", "day state\nnight state\ncomplete\n");
    cli_put_text(t, "whole", "Score number\nday state\nnight state\n  complete # all\n");
    cli_put_text(t, "one", "Score number\nday state\ncomplete\n");
    assert_int_equal(cli_run(t, "verify", "--schema=part", "firn/09_game.bin", NULL), 0);
    assert_int_equal(cli_run(t, "verify", "--schema=whole", "firn/09_game.bin", NULL), 0);
    assert_int_equal(cli_run(t, "verify", "--schema=states", "firn/09_game.bin", NULL), 1);
    assert_says(t->err, "component Score is not registered (byte ");
    assert_int_equal(cli_run(t, "verify", "--schema=one", "firn/09_game.bin", NULL), 1);
    assert_says(t->err, "the state \"night\" of the save is not registered (byte ");
    // Its provider of script state is none of those.
    assert_int_equal(cli_run(t, "verify", "--schema=whole", "firn/11_script.bin", NULL), 0);
    assert_int_equal(cli_run(t, "verify", "--schema=one", "errors/unknown/two_readings.bin", NULL),
                     2);
}

static void a_schema_tells_relations_and_their_fields(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/10_relations.bin");
    static const struct {
        const char *schema, *says;
    } wrong[] = {
        {"Likes relation sparse", "Likes->3 and Likes->1 in the save are one component"},
        {"Trusts relation amount:int32_t|4", "Trusts is a sparse relation in the save"},
        {"Likes number", "Likes->3 and Likes->1 in the save are one component, Likes"},
        {"Knows relation sparse exclusive", "Knows of entity 6: the saved value has two targets"},
        {"Position relation", "Position is a struct in the save"},
    };
    for (size_t i = 0; i < FIRN_COUNT(wrong); i++) {
        cli_put_text(t, "wrong", wrong[i].schema);
        assert_int_equal(cli_run(t, "verify", "--schema=wrong", "firn/10_relations.bin", NULL), 1);
        assert_says(t->err, wrong[i].says);
        assert_says(t->err, " (byte ");
    }
    // Fields that the save has and the game lacks, and the other way round, are none of them.
    cli_put_golden(t, "firn/03_structs.bin");
    cli_put_text(t, "newer", "Padded raw wide:float,more:int32_t[2]|12\n");
    assert_int_equal(cli_run(t, "verify", "--schema=newer", "firn/03_structs.bin", NULL), 0);
    cli_put_text(t, "right", "Trusts relation exclusive  sparse \"amount:int32_t|4\" # edges\n");
    assert_int_equal(cli_run(t, "verify", "--schema=right", "firn/10_relations.bin", NULL), 0);
}

// ---- relations that the bytes show

// A codec that keeps the target to itself, in much room.
static firn_result write_holders(void *user, const firn_rows *rows, firn_writer *out,
                                 firn_error *err)
{
    (void)user, (void)err;
    for (uint32_t i = 0; i < rows->count; i++) {
        firn_entity target = ((const firn_entity *)rows->data)[i];
        firn_write_table(out, 2000, 0);
        for (int k = 0; k < 2000; k++)
            firn_write_number(out, (double)target);
    }
    return FIRN_OK;
}

static firn_result read_holders(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)user, (void)err;
    for (uint32_t i = 0; i < rows->count; i++) {
        uint32_t left = firn_read_table(in).array_count;
        while (left-- > 0)
            ((firn_entity *)rows->data)[i] = (firn_entity)firn_read_number(in);
    }
    return FIRN_OK;
}

// Three edges to one target, whose sources stand in other archetypes than they came.
static void put_edges(cli_test *t, const char *name, uint32_t bits, bool with_codec)
{
    static const firn_codec codec = {FIRN_ABI, "holders", write_holders, read_holders, NULL};
    firn_error err;
    firn_buffer image = {0};
    firn_world *world = firn_world_create(NULL, NULL);
    const firn_component_desc desc = {.name = "HeldBy",
                                      .kind = FIRN_RELATION,
                                      .relation = bits | FIRN_REVERSE,
                                      .codec = with_codec ? &codec : NULL};
    const firn_save_options options = {.sparse_edges = true};
    firn_component held = firn_component_register(world, &desc, &err);
    firn_entity target = firn_spawn(world, NULL, 0, &err), source = 0;
    for (int i = 0; i < 3; i++) {
        source = firn_spawn(world, NULL, 0, &err);
        assert_ok(firn_relate(world, source, held, target, NULL, &err), &err);
        if (i == 1)
            assert_ok(firn_set(world, source, firn_paused(world), NULL, &err), &err);
    }
    assert_ok(firn_snapshot_save(world, &options, &image, &err), &err);
    cli_put(t, name, image.data, image.size);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

// The last of its lists of sources, three ids, ends in the target.
static void name_another_source(cli_test *t, const char *name)
{
    const firn_buffer *file = cli_get(t, name);
    static const uint8_t ids[] = {0x20 + 24, 2, 0, 0, 0, 0, 0, 0, 0, 3};
    size_t at = file->size - sizeof ids;
    while (at > 0 && memcmp(file->data + at, ids, sizeof ids) != 0)
        at--;
    assert_int_equal(file->data[at + 17], 4);
    file->data[at + 17] = 1;
}

static void orders_of_relations_that_the_bytes_show_are_checked(void **state)
{
    cli_test *t = *state;
    static const uint32_t bits[] = {0, FIRN_SPARSE, FIRN_SPARSE | FIRN_EXCLUSIVE};
    for (size_t i = 0; i < FIRN_COUNT(bits); i++) {
        put_edges(t, "edges", bits[i], false);
        assert_int_equal(cli_run(t, "verify", "edges", NULL), 0);
        name_another_source(t, "edges");
        assert_int_equal(cli_run(t, "verify", "edges", NULL), 1);
        assert_says(t->err, "__firn.order lists other sources than the rows have (byte ");
    }
    put_edges(t, "edges", FIRN_SPARSE | FIRN_EXCLUSIVE, true);
    name_another_source(t, "edges");
    const char *const words[] = {"firn", "verify", "edges"};
    assert_int_equal(cli_run_words(t, 3, words), 0); // its codec would have to tell
    cli_run_without_memory(t, 3, words);
}

// ---- sections of save files

static void put_digest(uint8_t *at, firn_digest digest)
{
    for (int i = 0; i < 8; i++) {
        at[i] = (uint8_t)(digest.high >> (56 - 8 * i));
        at[8 + i] = (uint8_t)(digest.low >> (56 - 8 * i));
    }
}

static uint32_t get_u32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

// A save with this section, whose bytes become others of the same size, with hashes that are right
// (docs/format.md, "Save files").
static void put_forged_save(cli_test *t, const char *name, const char *section, const char *bytes,
                            size_t size)
{
    firn_error err;
    firn_buffer save = {0};
    firn_section_info info;
    const firn_save_header header = {.game = "mill", .game_version = 1, .level = ""};
    uint8_t table[64] = {0x09, 1, 0x21, 'a'}; // {a = ""}, and a string that fills it up
    assert_in_range(size, 6, 60);
    table[4] = (uint8_t)(0x20 + size - 5);
    memset(table + 5, 'x', size - 5);
    const firn_section sections[] = {{section, table, size}};
    assert_ok(firn_save_file_write(&header, sections, 1, NULL, &save, &err), &err);
    firn_save_file *file = firn_save_file_open(save.data, save.size, NULL, &err);
    assert_true(firn_save_file_section_at(file, 0, &info));
    assert_false(info.compressed);
    uint32_t head = get_u32(save.data + 12), header_size = get_u32(save.data + 24);
    memcpy(save.data + info.offset, bytes, size);
    put_digest(save.data + 32 + header_size + 56, firn_bytes_digest(bytes, size));
    put_digest(save.data + head - 16, firn_bytes_digest(save.data, head - 16));
    firn_save_file_close(file);
    cli_put(t, name, save.data, save.size);
    firn_buffer_free(&save);
}

static void tables_of_a_save_file_are_decoded(void **state)
{
    cli_test *t = *state;
    static const char twice[] = "\x09\x02\x21"
                                "a\x02\x21"
                                "a\x02";
    static const char number[] = "\x26"
                                 "abcdef";
    put_forged_save(t, "a.firn", FIRN_SECTION_CUSTOM, twice, sizeof twice - 1);
    assert_int_equal(cli_run(t, "verify", "a.firn", NULL), 1);
    assert_says(t->err, "firn: a.firn: custom: the key \"a\" is there twice (byte ");
    put_forged_save(t, "a.firn", FIRN_SECTION_VARIABLES, number, sizeof number - 1);
    assert_int_equal(cli_run(t, "verify", "a.firn", NULL), 1);
    assert_says(t->err, "firn: a.firn: variables: it is no table (byte ");
}

static void damage_of_a_save_file_has_its_place(void **state)
{
    cli_test *t = *state;
    size_t size;
    uint8_t *bytes = test_read_data("saves/02_kitchen.firn", &size);
    bytes[1000] ^= 1;
    cli_put(t, "a.firn", bytes, size);
    assert_int_equal(cli_run(t, "verify", "a.firn", NULL), 1);
    assert_says(t->err, "firn: a.firn: ");
    assert_says(t->err, "snapshot");
    assert_says(t->err, " (byte ");
    free(bytes);
}

// An own component of that name in another game is no matter.
static void a_row_of_persist_that_is_none_is_damage(void **state)
{
    cli_test *t = *state;
    firn_error err;
    firn_buffer image = {0};
    const firn_persist row = {.id = "door"};
    firn_world *world = firn_world_create(NULL, &err);
    firn_component persist = firn_persist_register(world, &err);
    firn_entity door = firn_spawn(world, &persist, 1, &err);
    assert_ok(firn_persist_set(world, door, &row, &err), &err);
    assert_ok(firn_snapshot_save(world, NULL, &image, &err), &err);
    firn_world_destroy(world);
    cli_put(t, "a.bin", image.data, image.size);
    const char *const words[] = {"firn", "verify", "a.bin"};
    assert_int_equal(cli_run_words(t, 3, words), 0);
    cli_run_without_memory(t, 3, words);
    size_t at = 0;
    while (memcmp(image.data + at, "door", 5) != 0) {
        at++;
    }
    image.data[at + offsetof(firn_persist, mode)] = 4;
    cli_put(t, "a.bin", image.data, image.size);
    char place[100];
    (void)snprintf(place, sizeof place,
                   "a.bin: entity 1: persist: mode is 4, not 0 to 2 (byte %d)\n", (int)at);
    assert_int_equal(cli_run(t, "verify", "a.bin", NULL), 1);
    assert_says(t->err, place);
    firn_buffer_free(&image);

    const firn_component_desc own = {.name = "persist", .kind = FIRN_NUMBER};
    world = firn_world_create(NULL, &err);
    persist = firn_component_register(world, &own, &err);
    (void)firn_spawn(world, &persist, 1, &err);
    assert_ok(firn_snapshot_save(world, NULL, &image, &err), &err);
    firn_world_destroy(world);
    cli_put(t, "a.bin", image.data, image.size);
    assert_int_equal(cli_run(t, "verify", "a.bin", NULL), 0);
    firn_buffer_free(&image);
}

// What is wrong in a snapshot stands behind the head of its save file.
static void a_place_in_the_snapshot_is_one_in_the_file(void **state)
{
    cli_test *t = *state;
    size_t size;
    uint8_t *image = test_read_data("errors/corrupt/id_0.bin", &size);
    const firn_save_header header = {.game = "mill", .game_version = 1, .level = ""};
    const firn_section section = {FIRN_SECTION_SNAPSHOT, image, size};
    firn_error err;
    firn_buffer save = {0};
    firn_section_info info;
    char place[64];
    assert_ok(firn_save_file_write(&header, &section, 1, NULL, &save, &err), &err);
    firn_save_file *file = firn_save_file_open(save.data, save.size, NULL, &err);
    assert_true(firn_save_file_section_at(file, 0, &info));
    (void)snprintf(place, sizeof place, "0 is no entity id (byte %d)\n", (int)info.offset + 108);
    firn_save_file_close(file);
    cli_put(t, "a.firn", save.data, save.size);
    assert_int_equal(cli_run(t, "verify", "a.firn", NULL), 1);
    assert_says(t->err, place);
    assert_int_equal(cli_run(t, "hash", "a.firn", NULL), 2);
    assert_says(t->err, place);
    firn_buffer_free(&save);
    free(image);
}

// The bytes of the file are not those of the snapshot.
static void a_place_in_a_compressed_snapshot_is_one_of_the_snapshot(void **state)
{
    cli_test *t = *state;
    if (!firn_save_file_can_compress()) {
        return;
    }
    size_t size;
    uint8_t *image = test_read_data("firn/03_structs.bin", &size);
    memset(image + size - 20, 0, 20);
    const firn_save_header header = {.game = "mill", .game_version = 1, .level = ""};
    const firn_section section = {FIRN_SECTION_SNAPSHOT, image, size};
    const firn_save_file_options options = {.compression = 3};
    firn_error err;
    firn_buffer save = {0};
    assert_ok(firn_save_file_write(&header, &section, 1, &options, &save, &err), &err);
    cli_put(t, "a.firn", save.data, save.size);
    assert_int_equal(cli_run(t, "verify", "a.firn", NULL), 1);
    assert_says(t->err, " of the snapshot)\n");
    firn_buffer_free(&save);
    free(image);
}

// ---- no memory

static void a_schema_without_memory_tells_nothing(void **state)
{
    cli_test *t = *state;
    static const char *const files[] = {"firn/10_relations.bin", "firn/11_script.bin"};
    cli_put_text(t, "game",
                 "complete\nScore number\nPosition raw x:float,y:float|8\n"
                 "ChildOf encoded\nKnows relation sparse\nLikes relation\n"
                 "Bag encoded\nBoss tag\nTrusts relation sparse exclusive amount:int32_t|4\n"
                 "day state\n");
    for (size_t i = 0; i < FIRN_COUNT(files); i++) {
        cli_put_golden(t, files[i]);
        const char *const words[] = {"firn", "verify", "--schema", "game", files[i]};
        cli_run_without_memory(t, (int)FIRN_COUNT(words), words);
    }
}

static void verify_without_memory_cannot_tell(void **state)
{
    cli_test *t = *state;
    static const char *const files[] = {"firn/09_game.bin", "firn/10_relations.bin",
                                        "firn/11_script.bin", "saves/02_kitchen.firn",
                                        "tool/evening.firn"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        cli_put_golden(t, files[i]);
        for (uint64_t call = 1;; call++) {
            test_allocator_fail_at(&t->memory, call, false);
            int status = cli_run(t, "verify", files[i], NULL);
            if (!t->memory.injected) {
                assert_int_equal(status, 0);
                break;
            }
            if (status != 0) { // some of it can be done without
                assert_int_equal(status, 2);
                assert_says(t->err, "memory");
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cli_unit_test(good_files_are_listed),
        cli_unit_test(the_exit_status_tells_damage_from_trouble),
        cli_unit_test(json_says_the_same),
        cli_unit_test(a_terminal_gets_colors_and_a_bar),
        cli_unit_test(damaged_golden_files_are_rejected_with_their_offsets),
        cli_unit_test(damaged_golden_files_do_not_fit_the_game_of_a_schema),
        cli_unit_test(good_golden_files_fit_the_game_of_a_schema),
        cli_unit_test(every_file_fits_the_schema_that_is_printed_of_it),
        cli_unit_test(what_a_schema_does_not_name_is_wrong_only_if_it_is_complete),
        cli_unit_test(a_schema_tells_relations_and_their_fields),
        cli_unit_test(orders_of_relations_that_the_bytes_show_are_checked),
        cli_unit_test(tables_of_a_save_file_are_decoded),
        cli_unit_test(damage_of_a_save_file_has_its_place),
        cli_unit_test(a_row_of_persist_that_is_none_is_damage),
        cli_unit_test(a_place_in_the_snapshot_is_one_in_the_file),
        cli_unit_test(a_place_in_a_compressed_snapshot_is_one_of_the_snapshot),
        cli_unit_test(verify_without_memory_cannot_tell),
        cli_unit_test(a_schema_without_memory_tells_nothing),
    };
    return cmocka_run_group_tests_name("cli_verify", tests, NULL, NULL);
}
