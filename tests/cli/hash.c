// firn hash, and the kinds of files that every command reads.
#include "cli/run.h"
#include "golden/firn_worlds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- hashes

typedef struct hash_lines {
    char text[4096];
} hash_lines;

static void add_hash_line(void *user, const char *component, uint64_t hash)
{
    hash_lines *lines = user;
    size_t size = strlen(lines->text);
    (void)snprintf(lines->text + size, sizeof lines->text - size, "%016" PRIx64 "  component %s\n",
                   hash, component);
}

// What firn_world_hash says of a world, as the tool prints it.
static void expect_hashes(firn_world *world, char out[8192])
{
    firn_hash hash;
    firn_error err;
    hash_lines lines = {""};
    assert_ok(firn_world_hash(world, &hash, add_hash_line, &lines, &err), &err);
    (void)snprintf(out, 8192,
                   "%016" PRIx64 "  total\n%016" PRIx64 "  ids\n%016" PRIx64
                   "  entities\n%016" PRIx64 "  world\n%s",
                   hash.total, hash.ids, hash.entities, hash.world, lines.text);
}

static void F1_the_hashes_are_those_of_the_world_in_the_game(void **state)
{
    cli_test *t = *state;
    for (uint32_t i = 0; i < golden_image_count; i++) {
        char expected[8192];
        firn_error err;
        firn_buffer image = {0};
        firn_world *world = golden_image_world(&golden_images[i], &err);
        assert_non_null(world);
        const firn_save_options options = {.sparse_edges = true};
        assert_ok(firn_snapshot_save(world, &options, &image, &err), &err);
        cli_put(t, "game.firn", image.data, image.size);
        expect_hashes(world, expected);
        assert_int_equal(cli_run(t, "hash", "game.firn", NULL), 0);
        assert_string_equal(t->out, expected);
        firn_buffer_free(&image);
        firn_world_destroy(world);
    }
}

static void hashes_of_foreign_bytes_say_so(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "tecs/03_dense_ffi.bin");
    cli_put_golden(t, "firn/06_version_2.bin");
    assert_int_equal(cli_run(t, "hash", "tecs/03_dense_ffi.bin", NULL), 0);
    assert_says(t->out, "\nof the bytes: a world that loads them has other hashes\n");
    assert_int_equal(cli_run(t, "hash", "firn/06_version_2.bin", NULL), 0);
    assert_says(t->out, "\nof the bytes: ");
    if (firn_json_available()) {
        assert_int_equal(cli_run(t, "hash", "--json", "tecs/03_dense_ffi.bin", NULL), 0);
        assert_says(t->out, "\"of\":\"bytes\"");
    }
}

static void several_files_have_their_names_above(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/01_empty.bin");
    assert_int_equal(cli_run(t, "hash", "firn/01_empty.bin", "missing", "firn/01_empty.bin", NULL),
                     2);
    assert_true(strncmp(t->out, "firn/01_empty.bin:\n", 19) == 0);
    assert_says(t->out, "  world\n\nfirn/01_empty.bin:\n");
    assert_string_equal(t->err, "firn: missing: there is no such file\n");
}

static void the_total_is_one_line_a_file(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/01_empty.bin");
    cli_put(t, "b\tc", cli_get(t, "firn/01_empty.bin")->data,
            cli_get(t, "firn/01_empty.bin")->size);
    assert_int_equal(cli_run(t, "hash", "-t", "firn/01_empty.bin", "b\tc", NULL), 0);
    assert_says(t->out, "  firn/01_empty.bin\n");
    assert_says(t->out, "  b\\u{9}c\n");
    assert_int_equal(strspn(t->out, "0123456789abcdef"), 16);
}

static void json_has_a_line_a_file(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/01_empty.bin");
    int status = cli_run(t, "hash", "--json", "firn/01_empty.bin", NULL);
    if (!firn_json_available()) {
        assert_int_equal(status, 2);
        assert_string_equal(t->err, "firn: this build of firn has no JSON\n");
        return;
    }
    assert_int_equal(status, 0);
    assert_says(t->out, "{\"components\":{},\"entities\":\"");
    assert_says(t->out, "\"file\":\"firn/01_empty.bin\",\"ids\":\"");
    assert_says(t->out, "\"of\":\"world\",\"total\":\"");
    assert_int_equal(strcspn(t->out, "\n"), strlen(t->out) - 1);
}

// ---- sources

// The same state in every form has the same hash.
static void assert_same_hash(cli_test *t, const char *a, const char *b)
{
    char first[4096];
    assert_int_equal(cli_run(t, "hash", a, NULL), 0);
    assert_true(strlen(t->out) < sizeof first);
    memcpy(first, t->out, strlen(t->out) + 1);
    assert_int_equal(cli_run(t, "hash", b, NULL), 0);
    assert_string_equal(t->out, first);
}

static void a_save_file_has_the_hash_of_its_snapshot(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/10_relations.bin");
    cli_put_golden(t, "saves/05_most.firn");
    assert_same_hash(t, "firn/10_relations.bin", "saves/05_most.firn");
    cli_put_golden(t, "firn/03_structs.bin");
    cli_put_golden(t, "saves/06_compressed.firn");
    if (firn_save_file_can_compress()) {
        assert_same_hash(t, "firn/03_structs.bin", "saves/06_compressed.firn");
        return;
    }
    assert_int_equal(cli_run(t, "hash", "saves/06_compressed.firn", NULL), 2);
    assert_says(t->err, "firn: saves/06_compressed.firn: ");
}

static void json_has_the_hash_of_what_it_stands_for(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/03_structs.bin");
    cli_put_golden(t, "json/firn_03_structs.jsonl");
    if (!firn_json_available()) {
        assert_int_equal(cli_run(t, "hash", "json/firn_03_structs.jsonl", NULL), 2);
        assert_string_equal(t->err,
                            "firn: json/firn_03_structs.jsonl: this build of firn has no JSON\n");
        return;
    }
    assert_same_hash(t, "firn/03_structs.bin", "json/firn_03_structs.jsonl");
    const firn_buffer *json = cli_get(t, "json/firn_03_structs.jsonl");
    firn_buffer blank = {0};
    assert_int_equal(firn_buffer_append(&blank, " \n\t", 3, NULL), FIRN_OK);
    assert_int_equal(firn_buffer_append(&blank, json->data, json->size, NULL), FIRN_OK);
    cli_put(t, "blank.jsonl", blank.data, blank.size);
    firn_buffer_free(&blank);
    assert_same_hash(t, "firn/03_structs.bin", "blank.jsonl");
}

static firn_result append_lines(void *user, const void *text, size_t size, firn_error *err)
{
    return firn_buffer_append(user, text, size, err);
}

static void a_save_file_as_json_is_read_too(void **state)
{
    cli_test *t = *state;
    firn_error err;
    firn_buffer lines = {0};
    cli_put_golden(t, "saves/02_kitchen.firn");
    const firn_buffer *save = cli_get(t, "saves/02_kitchen.firn");
    if (!firn_json_available()) {
        return;
    }
    assert_ok(firn_json_export_save(save->data, save->size, NULL, append_lines, &lines, &err),
              &err);
    cli_put(t, "save.jsonl", lines.data, lines.size);
    assert_same_hash(t, "saves/02_kitchen.firn", "save.jsonl");
    firn_buffer_free(&lines);
}

static void a_save_without_a_snapshot_has_no_hash(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "saves/01_least.firn");
    assert_int_equal(cli_run(t, "hash", "saves/01_least.firn", NULL), 2);
    assert_string_equal(t->err, "firn: saves/01_least.firn: the save has no snapshot\n");
}

static void what_is_none_of_these_says_so(void **state)
{
    cli_test *t = *state;
    cli_put_text(t, "a.txt", "hello");
    cli_put_text(t, "empty", "");
    cli_put_text(t, "blank", "  \n");
    cli_put_text(t, "a.json", "{\"a\": 1}\n");
    assert_int_equal(cli_run(t, "hash", "a.txt", "empty", "blank", NULL), 2);
    assert_says(t->err,
                "firn: a.txt: byte 0x68 begins no version number: not a snapshot (byte 0)\n");
    assert_says(t->err, "firn: empty: the file is empty (byte 0)\n");
    assert_says(t->err, "firn: blank: ");
    assert_int_equal(cli_run(t, "hash", "a.json", NULL), 2);
    assert_says(t->err,
                "firn: a.json: looks like JSON, but is not what dump --json writes (byte 0)\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cli_unit_test(F1_the_hashes_are_those_of_the_world_in_the_game),
        cli_unit_test(hashes_of_foreign_bytes_say_so),
        cli_unit_test(several_files_have_their_names_above),
        cli_unit_test(the_total_is_one_line_a_file),
        cli_unit_test(json_has_a_line_a_file),
        cli_unit_test(a_save_file_has_the_hash_of_its_snapshot),
        cli_unit_test(json_has_the_hash_of_what_it_stands_for),
        cli_unit_test(a_save_file_as_json_is_read_too),
        cli_unit_test(a_save_without_a_snapshot_has_no_hash),
        cli_unit_test(what_is_none_of_these_says_so),
    };
    return cmocka_run_group_tests_name("cli_hash", tests, NULL, NULL);
}
