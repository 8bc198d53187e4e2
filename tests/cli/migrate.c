// firn migrate.
#include "cli/run.h"

#include <stdio.h>
#include <string.h>

// A component table in the order of its names: the names of a snapshot.
static bool has_component(const firn_buffer *bytes, const char *name)
{
    firn_error err;
    firn_image *image = firn_image_open(bytes->data, bytes->size, NULL, &err);
    if (image == NULL)
        fail_msg("not opened: %s", err.message);
    bool has = firn_image_component_find(image, name) != UINT32_MAX;
    firn_image_close(image);
    return has;
}

static firn_buffer copy_of(cli_test *t, const char *name)
{
    firn_error err;
    firn_buffer copy = {0};
    const firn_buffer *file = cli_get(t, name);
    assert_ok(firn_buffer_append(&copy, file->data, file->size, &err), &err);
    return copy;
}

// The golden file under a name that can be replaced.
static void put_as(cli_test *t, const char *golden, const char *name)
{
    cli_put_golden(t, golden);
    firn_buffer copy = copy_of(t, golden);
    cli_put(t, name, copy.data, copy.size);
    firn_buffer_free(&copy);
}

static bool is_still(cli_test *t, const char *name, const firn_buffer *before)
{
    const firn_buffer *file = cli_get(t, name);
    return file->size == before->size && memcmp(file->data, before->data, file->size) == 0;
}

static void a_dry_run_says_what_would_change_and_changes_nothing(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/07_values.bin");
    firn_buffer before = copy_of(t, "firn/07_values.bin");
    assert_int_equal(cli_run(t, "migrate", "--dry-run", "--rename-component", "Bag=Sack",
                             "--drop-component", "Ghost", "firn/07_values.bin", NULL),
                     0);
    assert_string_equal(t->out, "firn/07_values.bin: 1490 bytes, would be 1491\n"
                                "       rows       names  edit\n"
                                "          4           0  rename component Bag to Sack\n"
                                "          -           -  drop component Ghost: not there\n");
    assert_true(is_still(t, "firn/07_values.bin", &before));
    firn_buffer_free(&before);
}

static void output_goes_to_another_file(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/03_structs.bin");
    firn_buffer before = copy_of(t, "firn/03_structs.bin");
    assert_int_equal(cli_run(t, "migrate", "--rename-component=Plain=Even", "-o", "new.bin",
                             "firn/03_structs.bin", NULL),
                     0);
    assert_true(is_still(t, "firn/03_structs.bin", &before));
    assert_int_equal(cli_run(t, "migrate", "--rename-component=Plain=Even", "-o", "-",
                             "firn/03_structs.bin", NULL),
                     0);
    assert_memory_equal(t->out, cli_get(t, "new.bin")->data, cli_get(t, "new.bin")->size);
    firn_buffer_free(&before);
}

// What is wrong is said of the result, whose bytes nobody can see.
static void a_result_that_no_world_takes_is_refused(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "tecs/21_entity_keys.bin");
    firn_buffer bad = copy_of(t, "tecs/21_entity_keys.bin");
    bad.data[280] = 0xf4; // a name, which is then no string
    cli_put(t, "bad.bin", bad.data, bad.size);
    firn_buffer_free(&bad);
    assert_int_equal(cli_run(t, "migrate", "-n", "bad.bin", NULL), 2);
    assert_says(t->err, "firn: bad.bin: Name of entity 3: the saved value is no string\n");
}

static void files_are_replaced_in_place(void **state)
{
    cli_test *t = *state;
    put_as(t, "firn/02_kinds.bin", "kinds.bin");
    put_as(t, "firn/01_empty.bin", "empty.bin");
    assert_true(has_component(cli_get(t, "kinds.bin"), "Title"));
    assert_int_equal(
        cli_run(t, "migrate", "-i", "--drop-component=Title", "kinds.bin", "empty.bin", NULL), 0);
    assert_false(has_component(cli_get(t, "kinds.bin"), "Title"));
    assert_says(t->out, "kinds.bin: 794 bytes, now 745\n");
    assert_says(t->out, "empty.bin: unchanged\n");
}

// Else the edits would be made twice, or what was in a backup would be no more.
static void files_in_place_are_no_backups_of_each_other(void **state)
{
    cli_test *t = *state;
    put_as(t, "firn/02_kinds.bin", "a.bin");
    put_as(t, "firn/10_relations.bin", "a.bin.bak");
    firn_buffer before = copy_of(t, "a.bin.bak");
    static const char *const files[][2] = {
        {"a.bin", "a.bin.bak"}, {"a.bin.bak", "./a.bin"}, {"./a.bin", "a.bin"}};
    for (size_t i = 0; i < FIRN_COUNT(files); i++) {
        const char *const words[] = {"firn", "migrate",   "--rename-component=Boss=Chief",
                                     "-i",   files[i][0], files[i][1]};
        assert_int_equal(cli_run_words(t, 6, words), 2);
        assert_says(t->err, i < 2 ? "a.bin would become a.bin.bak, which is to be migrated"
                                  : "./a.bin and a.bin are one file");
    }
    assert_true(is_still(t, "a.bin.bak", &before));
    firn_buffer_free(&before);
    const char *const words[] = {"firn", "migrate", "--rename-component=Boss=Chief", "-i",
                                 "a.bin.bak"};
    cli_run_without_memory(t, 5, words);
}

static void no_file_is_replaced_before_all_are_known_to_be_good(void **state)
{
    cli_test *t = *state;
    put_as(t, "firn/02_kinds.bin", "kinds.bin");
    cli_put_text(t, "bad.bin", "no save");
    firn_buffer before = copy_of(t, "kinds.bin");
    assert_int_equal(cli_run(t, "migrate", "-i", "--drop-component=Title", "kinds.bin", "bad.bin",
                             "missing.bin", NULL),
                     2);
    assert_true(is_still(t, "kinds.bin", &before));
    assert_string_equal(t->out, "");
    assert_says(t->err, "bad.bin: ");
    assert_says(t->err, "missing.bin: ");
    assert_says(t->err, "no file was replaced");
    firn_buffer_free(&before);
}

static void edits_are_made_in_the_order_in_which_they_are_given(void **state)
{
    cli_test *t = *state;
    put_as(t, "firn/02_kinds.bin", "kinds.bin");
    assert_int_equal(cli_run(t, "migrate", "-i", "--rename-component=Title=Name2",
                             "--drop-component=Name2", "--rename-component=Score=Name2",
                             "kinds.bin", NULL),
                     0);
    assert_true(has_component(cli_get(t, "kinds.bin"), "Name2"));
    assert_false(has_component(cli_get(t, "kinds.bin"), "Score"));
    assert_int_equal(cli_run(t, "migrate", "-n", "--drop-component=Flag",
                             "--rename-component=Flag=Other", "kinds.bin", NULL),
                     0);
    assert_says(t->out, "rename component Flag to Other: not there\n");
}

// A snapshot of an entity with the component `a.b`, a struct of the field c.
static void put_dotted(cli_test *t)
{
    static const firn_field fields[] = {{"c", FIRN_F32, 0, 0, NULL, 0, 0, NULL, {0}},
                                        {"d.e", FIRN_F32, 4, 0, NULL, 0, 0, NULL, {0}}};
    firn_error err;
    firn_buffer image = {0};
    firn_world *world = firn_world_create(NULL, &err);
    const firn_component_desc desc = {.name = "a.b", .size = 8, .fields = fields, .field_count = 1};
    firn_component component = firn_component_register(world, &desc, &err);
    assert_ok(component != 0 ? FIRN_OK : err.code, &err);
    firn_component likes = firn_component_register(
        world, &(firn_component_desc){.name = "x.y", .kind = FIRN_RELATION}, &err);
    firn_entity entity = firn_spawn(world, &component, 1, &err);
    assert_ok(firn_relate(world, entity, likes, entity, NULL, &err), &err);
    assert_ok(firn_snapshot_save(world, NULL, &image, &err), &err);
    firn_world_destroy(world);
    cli_put(t, "dotted.bin", image.data, image.size);
    firn_buffer_free(&image);
}

static void the_longest_name_that_a_component_has_is_it(void **state)
{
    cli_test *t = *state;
    put_dotted(t);
    assert_int_equal(cli_run(t, "migrate", "-n", "--rename-field=a.b.c=left", "dotted.bin", NULL),
                     0);
    assert_says(t->out, "          1           0  rename field a.b.c to left\n");
    assert_int_equal(cli_run(t, "migrate", "-n", "--rename-component=a.b=q.r.s",
                             "--rename-field=q.r.s.c=left", "dotted.bin", NULL),
                     0);
    assert_says(t->out, "          1           0  rename field q.r.s.c to left\n");
    assert_int_equal(
        cli_run(t, "migrate", "-n", "--drop-field=x.y.z", "--drop-field=n.o.p", "dotted.bin", NULL),
        0);
    assert_says(t->out, "drop field x.y.z: not there\n");
    assert_says(t->out, "drop field n.o.p: not there\n");
}

// A snapshot of an entity with the components `a=b`, a struct of the field c, and `a`, a tag.
static void put_equal(cli_test *t)
{
    static const firn_field field = {.name = "c", .type = FIRN_F32};
    firn_error err;
    firn_buffer image = {0};
    firn_world *world = firn_world_create(NULL, &err);
    const firn_component_desc descs[] = {
        {.name = "a=b", .size = 4, .fields = &field, .field_count = 1},
        {.name = "a", .kind = FIRN_TAG}};
    firn_component made[2];
    for (int i = 0; i < 2; i++)
        made[i] = firn_component_register(world, &descs[i], &err);
    assert_true(firn_spawn(world, made, 2, &err) != 0);
    assert_ok(firn_snapshot_save(world, NULL, &image, &err), &err);
    firn_world_destroy(world);
    cli_put(t, "equal.bin", image.data, image.size);
    firn_buffer_free(&image);
}

static void a_name_with_an_equals_sign_is_one(void **state)
{
    cli_test *t = *state;
    put_equal(t);
    assert_int_equal(cli_run(t, "migrate", "-n", "--strict", "--rename-field=a=b.c=d",
                             "--rename-component=a=b=x=y", "--rename-field=x=y.d=e",
                             "--drop-component=x=y", "equal.bin", NULL),
                     0);
    assert_says(t->out, "          1           0  rename field a=b.c to d\n"
                        "          1           0  rename component a=b to x=y\n"
                        "          1           0  rename field x=y.d to e\n"
                        "          1           0  drop component x=y\n");
    assert_int_equal(
        cli_run(t, "migrate", "-n", "--strict", "--rename-component=a=z=b", "equal.bin", NULL), 0);
    assert_says(t->out, "rename component a to z=b\n");
}

static void an_edit_that_finds_nothing_is_an_error_when_that_is_asked_for(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/01_empty.bin");
    assert_int_equal(cli_run(t, "migrate", "--strict", "-n", "--drop-component=Ghost",
                             "firn/01_empty.bin", NULL),
                     2);
    assert_says(t->err, "firn/01_empty.bin: there is no component Ghost");
}

static void a_name_that_is_taken_is_an_error(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/02_kinds.bin");
    assert_int_equal(
        cli_run(t, "migrate", "-n", "--rename-component=Title=Score", "firn/02_kinds.bin", NULL),
        2);
    assert_says(t->err, "Title cannot be called Score: there is a component of that name");
}

static void saves_get_another_version_of_the_game(void **state)
{
    cli_test *t = *state;
    put_as(t, "saves/02_kitchen.firn", "kitchen.firn");
    assert_int_equal(cli_run(t, "migrate", "-i", "--set-game-version", "9", "kitchen.firn", NULL),
                     0);
    assert_int_equal(cli_run(t, "info", "kitchen.firn", NULL), 0);
    assert_says(t->out, "mill, version 9\n");
    put_as(t, "saves/01_least.firn", "least.firn"); // without a snapshot
    assert_int_equal(cli_run(t, "migrate", "-i", "--set-game-version=2", "least.firn", NULL), 0);
    assert_int_equal(cli_run(t, "verify", "least.firn", "kitchen.firn", NULL), 0);
}

static void json_is_written_as_bytes_and_not_replaced(void **state)
{
    cli_test *t = *state;
    if (!firn_json_available()) {
        skip();
    }
    cli_put_text(t, "a.json",
                 "{\"firn\":\"snapshot\",\"format\":1,\"version\":1,\"nextEntityId\":1,"
                 "\"entities\":0,\"data\":0,\"components\":[{\"name\":\"A\"}],\"frames\":[]}\n");
    assert_int_equal(cli_run(t, "migrate", "-i", "--drop-component=A", "a.json", NULL), 2);
    assert_says(t->err, "a.json: is JSON");
    assert_int_equal(
        cli_run(t, "migrate", "-o", "a.bin", "--rename-component=A=B", "--json", "a.json", NULL),
        0);
    assert_says(t->out, "\"changed\":true");
    assert_says(t->out, "{\"component\":\"A\",\"edit\":\"renameComponent\",\"found\":true");
    assert_true(has_component(cli_get(t, "a.bin"), "B"));
    assert_int_equal(cli_run(t, "migrate", "-n", "--drop-field=A.x", "--json", "a.json", NULL), 0);
    assert_says(t->out, "\"field\":\"x\"");
}

static void names_from_the_command_line_do_not_drive_the_terminal(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/01_empty.bin");
    assert_int_equal(
        cli_run(t, "migrate", "-n", "--drop-component=a\\b", "firn/01_empty.bin", NULL), 0);
    assert_says(t->out, "drop component a\\\\b: not there\n");
}

static void an_output_that_cannot_be_written_is_trouble(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/01_empty.bin");
    assert_int_equal(cli_run(t, "migrate", "-o", "no/folder", "firn/01_empty.bin", NULL), 2);
    assert_says(t->err, "no/folder: there is no such folder");
    assert_string_equal(t->out, "");
    t->output_full = true;
    t->output_most = 0;
    assert_int_equal(cli_run(t, "migrate", "-n", "firn/01_empty.bin", NULL), 2);
}

static void wrong_arguments_are_named(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/01_empty.bin");
    static const struct {
        const char *words[4], *says;
    } cases[] = {
        {{"-n", "--rename-component=A"}, "--rename-component takes a name=new, not \"A\""},
        {{"-n", "--rename-component=A="}, "not \"A=\""},
        {{"-n", "--rename-component==B"}, "not \"=B\""},
        {{"-n", "--drop-component="}, "--drop-component takes a name, not \"\""},
        {{"-n", "--rename-field=A.b"}, "--rename-field takes Component.field=new"},
        {{"-n", "--rename-field=A=b.c"}, "--rename-field takes Component.field=new"},
        {{"-n", "--rename-field=A.=c"}, "--rename-field takes Component.field=new"},
        {{"-n", "--rename-field=A.b="}, "--rename-field takes Component.field=new"},
        {{"-n", "--drop-field=A"}, "--drop-field takes Component.field, not \"A\""},
        {{"-n", "--drop-field=A."}, "--drop-field takes"},
        {{"-n", "--drop-field=.b"}, "--drop-field takes"},
        {{"-n", "--set-game-version=x"}, "--set-game-version takes a number"},
        {{"-n", "--set-game-version=0"}, "a version of a game is 1 to 4294967295"},
        {{"-n", "--set-game-version=5G"}, "a version of a game is 1 to 4294967295"},
        {{"--drop-component=A"}, "takes one of --output, --in-place and --dry-run"},
        {{"-n", "-i"}, "takes one of --output, --in-place and --dry-run"},
        {{"-o", "out", "again"}, "--output is for one file"},
        {{"-i", "-"}, "the standard input is not to be replaced"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *words[8] = {"firn", "migrate"};
        int count = 2;
        for (size_t k = 0; k < 4 && cases[i].words[k] != NULL; k++)
            words[count++] = cases[i].words[k];
        words[count++] = "firn/01_empty.bin";
        assert_int_equal(cli_run_words(t, count, words), 2);
        assert_says(t->err, cases[i].says);
        assert_says(t->err, "firn migrate --help");
    }
}

static void an_edit_that_cannot_be_is_told_as_it_was_written(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/10_relations.bin");
    assert_int_equal(cli_run(t, "migrate", "-n", "--drop-component", "Boss", "--rename-component",
                             "Likes->1=Admires", "firn/10_relations.bin", NULL),
                     2);
    assert_string_equal(t->err, "firn: --rename-component Likes->1=Admires: a relation is named "
                                "without its target\ntry: firn migrate --help\n");
    assert_int_equal(
        cli_run(t, "migrate", "-n", "--drop-field=Position.x|", "firn/10_relations.bin", NULL), 2);
    assert_says(t->err, "firn: --drop-field Position.x|: no field has a name with : , or |\n");
    char edit[1024] = "--drop-field=";
    memset(edit + 13, 'n', 1000); // the end is cut, and still says why
    memcpy(edit + 1013, ".x", 3);
    assert_int_equal(cli_run(t, "migrate", "-n", edit, "firn/10_relations.bin", NULL), 2);
    assert_says(t->err, "nnnn...: the component name \"nnnn");
}

static void there_is_an_end_of_edits(void **state)
{
    cli_test *t = *state;
    const char *words[300] = {"firn", "migrate", "-n"};
    for (int i = 3; i < 299; i++)
        words[i] = "--drop-component=A";
    words[299] = "firn/01_empty.bin";
    cli_put_golden(t, "firn/01_empty.bin");
    assert_int_equal(cli_run_words(t, 300, words), 2);
    assert_says(t->err, "more than 256 edits");
}

// The names take more memory than a document has at first.
static void without_memory_it_says_so(void **state)
{
    cli_test *t = *state;
    enum { EDITS = 100, NAME = 250 };
    static char edits[EDITS][NAME + 32];
    const char *words[EDITS + 4] = {"firn", "migrate", "-n", "firn/02_kinds.bin"};
    for (int i = 0; i < EDITS; i++) {
        snprintf(edits[i], sizeof edits[i], "--drop-field=%0*d.x", NAME, i);
        words[i + 4] = edits[i];
    }
    cli_put_golden(t, "firn/02_kinds.bin");
    cli_run_without_memory(t, EDITS + 4, words);
    static const char *const dotted[] = {"firn",
                                         "migrate",
                                         "-n",
                                         "--drop-component=Title",
                                         "--rename-field=a.b.c=d",
                                         "firn/02_kinds.bin"};
    cli_run_without_memory(t, 6, dotted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cli_unit_test(a_dry_run_says_what_would_change_and_changes_nothing),
        cli_unit_test(output_goes_to_another_file),
        cli_unit_test(a_result_that_no_world_takes_is_refused),
        cli_unit_test(files_are_replaced_in_place),
        cli_unit_test(files_in_place_are_no_backups_of_each_other),
        cli_unit_test(no_file_is_replaced_before_all_are_known_to_be_good),
        cli_unit_test(edits_are_made_in_the_order_in_which_they_are_given),
        cli_unit_test(the_longest_name_that_a_component_has_is_it),
        cli_unit_test(a_name_with_an_equals_sign_is_one),
        cli_unit_test(an_edit_that_finds_nothing_is_an_error_when_that_is_asked_for),
        cli_unit_test(a_name_that_is_taken_is_an_error),
        cli_unit_test(saves_get_another_version_of_the_game),
        cli_unit_test(json_is_written_as_bytes_and_not_replaced),
        cli_unit_test(names_from_the_command_line_do_not_drive_the_terminal),
        cli_unit_test(an_output_that_cannot_be_written_is_trouble),
        cli_unit_test(wrong_arguments_are_named),
        cli_unit_test(an_edit_that_cannot_be_is_told_as_it_was_written),
        cli_unit_test(there_is_an_end_of_edits),
        cli_unit_test(without_memory_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
