// firn salvage.
#include "cli/run.h"

#include <string.h>

// The golden file with a byte changed, under the same name.
static void put_damaged(cli_test *t, const char *name, size_t at)
{
    cli_put_golden(t, name);
    const firn_buffer *file = cli_get(t, name);
    firn_buffer copy = {0};
    assert_ok(firn_buffer_append(&copy, file->data, file->size, NULL), NULL);
    copy.data[at] ^= 0xff;
    cli_put(t, name, copy.data, copy.size);
    firn_buffer_free(&copy);
}

static void a_damaged_snapshot_becomes_a_whole_one(void **state)
{
    cli_test *t = *state;
    put_damaged(t, "firn/02_kinds.bin", 330);
    assert_int_equal(cli_run(t, "salvage", "firn/02_kinds.bin", "-o", "out.bin", NULL), 1);
    assert_string_equal(t->out,
                        "entity 14 is lost: a value of it cannot be read\n"
                        "entities 18 of 19, archetypes 9 of 9, data keys 1, bytes lost 0\n");
    assert_int_equal(cli_run(t, "verify", "out.bin", NULL), 0);
    // It is not written over the damaged one, and there is nothing more to lose.
    assert_int_equal(cli_run(t, "salvage", "-n", "firn/02_kinds.bin", NULL), 1);
    assert_int_equal(cli_run(t, "salvage", "-n", "out.bin", NULL), 0);
    assert_string_equal(t->out, "nothing is lost\n");
}

static void what_is_lost_is_on_one_line_of_json(void **state)
{
    cli_test *t = *state;
    if (!firn_json_available())
        skip();
    put_damaged(t, "firn/02_kinds.bin", 330);
    assert_int_equal(cli_run(t, "salvage", "--json", "-n", "firn/02_kinds.bin", NULL), 1);
    assert_says(t->out, "\"losses\":[{\"count\":1");
    assert_says(t->out, "\"entity\":14");
    assert_says(t->out, "\"whole\":false");
    put_damaged(t, "saves/02_kitchen.firn", 4000);
    assert_int_equal(cli_run(t, "salvage", "--json", "-n", "saves/02_kitchen.firn", NULL), 1);
    assert_says(t->out, "\"kind\":\"section\"");
    assert_says(t->out, "\"offset\":");
}

static void a_damaged_save_becomes_a_whole_one(void **state)
{
    cli_test *t = *state;
    put_damaged(t, "saves/02_kitchen.firn", 300);
    assert_int_equal(cli_run(t, "salvage", "saves/02_kitchen.firn", "-o", "out.firn", NULL), 1);
    assert_says(t->out, "the head of the file was damaged");
    assert_int_equal(cli_run(t, "verify", "out.firn", NULL), 0);
}

static void what_is_lost_of_a_snapshot_says_so(void **state)
{
    cli_test *t = *state;
    put_damaged(t, "saves/02_kitchen.firn", 768 + 31); // archetypeCount
    assert_int_equal(cli_run(t, "salvage", "-n", "saves/02_kitchen.firn", NULL), 1);
    assert_says(t->out, "snapshot: archetypeCount of the prelude is damaged");
    assert_says(t->out, "entities 6 of 6, archetypes 2, data keys 1, bytes lost 0\n");
    if (firn_json_available()) {
        assert_int_equal(cli_run(t, "salvage", "--json", "-n", "saves/02_kitchen.firn", NULL), 1);
        assert_says(t->out, "\"section\":\"snapshot\"");
    }
}

static void json_is_made_bytes_first(void **state)
{
    cli_test *t = *state;
    if (!firn_json_available())
        skip();
    cli_put_golden(t, "json/firn_03_structs.jsonl");
    cli_put_golden(t, "firn/03_structs.bin");
    assert_int_equal(cli_run(t, "salvage", "json/firn_03_structs.jsonl", "-o", "out", NULL), 0);
    const firn_buffer *out = cli_get(t, "out"), *image = cli_get(t, "firn/03_structs.bin");
    assert_int_equal(out->size, image->size);
    assert_memory_equal(out->data, image->data, out->size);
    cli_put_text(t, "bad.json", " {\"firn\":");
    assert_int_equal(cli_run(t, "salvage", "bad.json", "-n", NULL), 2);
}

// By the first byte alone it would be JSON.
static void damage_that_begins_as_json_does_is_none(void **state)
{
    cli_test *t = *state;
    static const char *const names[] = {"firn/02_kinds.bin", "saves/02_kitchen.firn"};
    for (size_t i = 0; i < FIRN_COUNT(names); i++) {
        for (const char *first = "{["; *first != '\0'; first++) {
            put_damaged(t, names[i], 0);
            cli_get(t, names[i])->data[0] = (uint8_t)*first;
            assert_int_equal(cli_run(t, "salvage", names[i], "-o", "out", NULL), 1);
            assert_int_equal(cli_run(t, "verify", "out", NULL), 0);
        }
    }
}

static void damaged_sections_come_from_the_backup(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "saves/03_persisted.firn");
    const firn_buffer *good = cli_get(t, "saves/03_persisted.firn");
    cli_put(t, "game.firn.bak", good->data, good->size);
    put_damaged(t, "saves/03_persisted.firn", good->size - 1);
    good = cli_get(t, "saves/03_persisted.firn");
    cli_put(t, "game.firn", good->data, good->size);
    assert_int_equal(cli_run(t, "salvage", "game.firn", "-n", NULL), 1);
    assert_says(t->out, "a backup is there: --backup takes what is damaged from it\n");
    assert_int_equal(cli_run(t, "salvage", "--backup", "game.firn", "-o", "out.firn", NULL), 1);
    assert_says(t->out, "that of the backup is taken");
    assert_says(t->out, ", 1 from the backup\n");
    const firn_buffer *out = cli_get(t, "out.firn"), *backup = cli_get(t, "game.firn.bak");
    assert_int_equal(out->size, backup->size);
    assert_memory_equal(out->data, backup->data, out->size);
}

static void a_backup_that_is_none_is_said(void **state)
{
    cli_test *t = *state;
    put_damaged(t, "saves/03_persisted.firn", 700);
    assert_int_equal(cli_run(t, "salvage", "-b", "-n", "saves/03_persisted.firn", NULL), 2);
    assert_says(t->err, "saves/03_persisted.firn.bak");
    cli_put_text(t, "saves/03_persisted.firn.bak", "no save");
    assert_int_equal(cli_run(t, "salvage", "-b", "-n", "saves/03_persisted.firn", NULL), 2);
    cli_put_text(t, "-", "x");
    assert_int_equal(cli_run(t, "salvage", "-b", "-n", "-", NULL), 2);
    assert_says(t->err, "the standard input has no backup");
    firn_buffer copy = {0};
    const firn_buffer *file = cli_get(t, "saves/03_persisted.firn");
    assert_ok(firn_buffer_append(&copy, file->data, file->size, NULL), NULL);
    cli_put(t, "-", copy.data, copy.size);
    firn_buffer_free(&copy);
    assert_int_equal(cli_run(t, "salvage", "-n", "-", NULL), 1);
}

static void nothing_is_written_of_what_cannot_be_saved(void **state)
{
    cli_test *t = *state;
    cli_put_text(t, "text", "Dear diary");
    cli_put_text(t, "empty", "");
    const char *const files[] = {"text", "empty", "absent"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(cli_run(t, "salvage", files[i], "-o", "out.firn", NULL), 2);
        assert_says(t->err, files[i]);
        assert_false(cli_has(t, "out.firn"));
    }
    assert_int_equal(cli_run(t, "salvage", "empty", "-n", NULL), 2);
    assert_says(t->err, "firn: empty: the file is empty (byte 0)\n");
    assert_int_equal(cli_run(t, "salvage", "text", NULL), 2);
    assert_says(t->err, "salvage takes one of --output and --dry-run");
    assert_int_equal(cli_run(t, "salvage", "text", "-n", "-o", "x", NULL), 2);
}

// What is lost goes to the standard error then.
static void a_pipe_gets_the_file_alone(void **state)
{
    cli_test *t = *state;
    put_damaged(t, "firn/02_kinds.bin", 330);
    assert_int_equal(cli_run(t, "salvage", "firn/02_kinds.bin", "-o", "-", NULL), 1);
    assert_int_equal(t->out[0], 0x07);
    assert_string_equal(t->err, "firn: firn/02_kinds.bin: entity 14 is lost: a value of it cannot "
                                "be read\n");
    put_damaged(t, "saves/02_kitchen.firn", 768 + 31); // archetypeCount
    assert_int_equal(cli_run(t, "salvage", "saves/02_kitchen.firn", "-o", "-", NULL), 1);
    assert_says(t->err, "firn: saves/02_kitchen.firn: snapshot: archetypeCount of the prelude is");
    if (firn_json_available()) {
        const char *const words[] = {"salvage", "firn/02_kinds.bin", "-o", "-", "--json"};
        assert_int_equal(cli_run(t, words[0], words[1], words[2], words[3], words[4], NULL), 2);
        assert_says(t->err, "--json and --output - both write to the standard output");
        assert_string_equal(t->out, "");
    }
}

// As those of a snapshot by itself.
static void entities_of_a_whole_snapshot_are_counted(void **state)
{
    cli_test *t = *state;
    put_damaged(t, "saves/02_kitchen.firn", 3000);
    assert_int_equal(cli_run(t, "salvage", "-n", "saves/02_kitchen.firn", NULL), 1);
    assert_string_equal(t->out, "the section replay is damaged: it is lost\n"
                                "entities 6 of 6, archetypes 2 of 2, data keys 1, bytes lost 0\n"
                                "sections 5 of 6\n");
    if (firn_json_available()) {
        cli_put_golden(t, "saves/02_kitchen.firn");
        assert_int_equal(cli_run(t, "salvage", "-n", "--json", "saves/02_kitchen.firn", NULL), 0);
        assert_says(t->out, "\"entities\":6,\"entitiesSaid\":6,");
        assert_says(t->out, "\"dataKeys\":1,");
    }
}

// A schema of another file mends what a damaged one says of its rows.
static void a_schema_mends_a_damaged_fingerprint(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/03_structs.bin");
    assert_int_equal(cli_run(t, "schema", "firn/03_structs.bin", NULL), 0);
    cli_put_text(t, "game.schema", t->out);
    const firn_buffer *file = cli_get(t, "firn/03_structs.bin");
    size_t at = 0;
    while (memcmp(file->data + at, "|24", 3) != 0 && at + 4 < file->size)
        at++;
    put_damaged(t, "firn/03_structs.bin", at + 1);
    assert_int_equal(
        cli_run(t, "salvage", "--schema", "game.schema", "firn/03_structs.bin", "-o", "o", NULL),
        0);
    assert_int_equal(cli_run(t, "verify", "o", NULL), 0);
}

static void many_losses_are_counted(void **state)
{
    cli_test *t = *state;
    firn_error err;
    firn_world *world = firn_world_create(NULL, &err);
    for (int i = 0; i < 300; i++)
        assert_true(firn_spawn(world, NULL, 0, &err) != 0);
    firn_buffer image = {0};
    assert_ok(firn_snapshot_save(world, NULL, &image, &err), &err);
    firn_world_destroy(world);
    for (size_t at = 45 + 27, i = 0; i < 300; i++, at += 8)
        image.data[at] = 0x11; // a fraction
    cli_put(t, "many.bin", image.data, image.size);
    firn_buffer_free(&image);
    assert_int_equal(cli_run(t, "salvage", "-n", "many.bin", NULL), 1);
    assert_says(t->out, " losses more\n");
}

static void edges_that_no_world_takes_are_left_out(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "errors/corrupt/relation_to_another_target.bin");
    const char *const words[] = {"firn", "salvage", "-o", "out.bin",
                                 "errors/corrupt/relation_to_another_target.bin"};
    assert_int_equal(cli_run_words(t, FIRN_COUNT(words), words), 1);
    assert_string_equal(t->out, "Likes->1 of entity 1 is lost: no world can have the value\n"
                                "Likes->1 of entity 2 is lost: no world can have the value\n"
                                "entities 2 of 2, archetypes 1 of 1, data keys 1, bytes lost 0\n");
    assert_int_equal(cli_run(t, "verify", "out.bin", NULL), 0);
    if (firn_json_available()) {
        assert_int_equal(cli_run(t, "salvage", "--json", "-n", words[4], NULL), 1);
        assert_says(t->out, "\"entity\":1,\"kind\":\"value\"");
        assert_says(t->out, "\"offset\":107,\"subject\":\"Likes->1\"");
    }
    const char *const dry[] = {"firn", "salvage", "-n", words[4]};
    cli_run_without_memory(t, FIRN_COUNT(dry), dry);
    cli_put_golden(t, "errors/corrupt/relation_of_the_target_0.bin");
    assert_int_equal(
        cli_run(t, "salvage", "errors/corrupt/relation_of_the_target_0.bin", "-o", "out.bin", NULL),
        1);
    assert_string_equal(t->out, "Likes->0 is lost, of 1 entities: no world can have it\n"
                                "entities 1 of 1, archetypes 1 of 1, data keys 1, bytes lost 0\n");
    assert_int_equal(cli_run(t, "verify", "out.bin", NULL), 0);
}

static void salvages_without_memory_say_so(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "saves/03_persisted.firn");
    const firn_buffer *good = cli_get(t, "saves/03_persisted.firn");
    cli_put(t, "game.firn.bak", good->data, good->size);
    put_damaged(t, "saves/03_persisted.firn", good->size - 1);
    good = cli_get(t, "saves/03_persisted.firn");
    cli_put(t, "game.firn", good->data, good->size);
    // What is at OUT is read to see whether it is the file.
    cli_put(t, "out.firn", good->data, good->size - 1);
    const char *const words[] = {"firn", "salvage", "--backup", "game.firn", "-o", "out.firn"};
    cli_run_without_memory(t, 6, words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cli_unit_test(a_damaged_snapshot_becomes_a_whole_one),
        cli_unit_test(what_is_lost_is_on_one_line_of_json),
        cli_unit_test(a_damaged_save_becomes_a_whole_one),
        cli_unit_test(what_is_lost_of_a_snapshot_says_so),
        cli_unit_test(json_is_made_bytes_first),
        cli_unit_test(damage_that_begins_as_json_does_is_none),
        cli_unit_test(damaged_sections_come_from_the_backup),
        cli_unit_test(a_backup_that_is_none_is_said),
        cli_unit_test(nothing_is_written_of_what_cannot_be_saved),
        cli_unit_test(a_pipe_gets_the_file_alone),
        cli_unit_test(entities_of_a_whole_snapshot_are_counted),
        cli_unit_test(a_schema_mends_a_damaged_fingerprint),
        cli_unit_test(many_losses_are_counted),
        cli_unit_test(edges_that_no_world_takes_are_left_out),
        cli_unit_test(salvages_without_memory_say_so),
    };
    return cmocka_run_group_tests_name("cli_salvage", tests, NULL, NULL);
}
