// `firn diff` of saves of kind "persisted": what is saved by field.
#include <stdio.h>
#include <string.h>

#include "cli/run.h"
#include "support/tree.h"

#define LEFT_PARTS                                                                                 \
    "{{\"#12\", {{\"Lamp.oil\", {3}}, {\"Lamp.wick\", {7}}}, {}},"                                 \
    " {\"gate\", {{\"Open\", {true}}, {\"Lock\", {{kind = 1, pins = {4, 5}}}}},"                   \
    " {{{visits = 2, mood = \"calm\"}}}},"                                                         \
    " {\"only\", {}, {}},"                                                                         \
    " {\"same\", {{\"Open\", {false}}}, {}}}"
#define RIGHT_PARTS                                                                                \
    "{{\"#12\", {{\"Lamp.oil\", {2.5}}, {\"Lamp.wick\", {7}}}, {}},"                               \
    " {\"gate\", {{\"Open\", {}}, {\"Lock\", {{kind = 1, pins = {4, 6}}}}, {\"Rust\", {1}}},"      \
    " {{{visits = 3}}}},"                                                                          \
    " {\"same\", {{\"Open\", {false}}}, {}},"                                                      \
    " {\"#17\", {}, {{}}}}"

// A save with such a section; section NULL: with none.
static void put_save(cli_test *t, const char *name, const char *section)
{
    firn_error err;
    firn_buffer image = {0}, encoded = {0}, save = {0};
    firn_world *world = firn_world_create(NULL, NULL);
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    assert_ok(firn_snapshot_save(world, NULL, &image, &err), &err);
    if (section != NULL)
        assert_ok(firn_value_encode(test_tree(doc, section), NULL, &encoded, &err), &err);
    const firn_save_header header = {
        .game = "yard", .game_version = 1, .level = "", .kind = "persisted"};
    const firn_section sections[] = {{FIRN_SECTION_SNAPSHOT, image.data, image.size},
                                     {FIRN_SECTION_PERSIST, encoded.data, encoded.size}};
    uint32_t count = section != NULL ? 2 : 1;
    assert_ok(firn_save_file_write(&header, sections, count, NULL, &save, &err), &err);
    cli_put(t, name, save.data, save.size);
    firn_buffer_free(&save);
    firn_buffer_free(&encoded);
    firn_buffer_free(&image);
    firn_doc_destroy(doc);
    firn_world_destroy(world);
}

static void put_both(cli_test *t)
{
    put_save(t, "left",
             "{version = 1, keys = {\"ball\", 4}, no_vars = {}, parts = " LEFT_PARTS "}");
    put_save(t, "right",
             "{version = 1, keys = {\"ball\", 5}, no_vars = {}, parts = " RIGHT_PARTS "}");
}

static void entities_are_told_by_key(void **state)
{
    cli_test *t = *state;
    put_both(t);
    assert_int_equal(cli_run(t, "diff", "left", "right", NULL), 1);
    assert_string_equal(t->out, "save data \"firn.persist\": keys[2] 4 -> 5\n"
                                "save entity 12: Lamp.oil 3 -> 2.5\n"
                                "save entity (key \"gate\"): Lock.pins[2] 5 -> 6\n"
                                "save entity (key \"gate\"): Open only left\n"
                                "save entity (key \"gate\"): Vars.mood \"calm\" -> nil\n"
                                "save entity (key \"gate\"): Vars.visits 2 -> 3\n"
                                "save entity (key \"gate\"): Rust only right\n"
                                "save entity (key \"only\"): only left\n"
                                "save entity 17: only right\n");
    assert_int_equal(cli_run(t, "diff", "left", "left", NULL), 0);
    assert_string_equal(t->out, "");
}

static void their_components_are_chosen(void **state)
{
    cli_test *t = *state;
    put_both(t);
    assert_int_equal(cli_run(t, "diff", "left", "right", "-c", "Lamp", NULL), 1);
    assert_string_equal(t->out, "save entity 12: Lamp.oil 3 -> 2.5\n"
                                "save entity (key \"only\"): only left\n"
                                "save entity 17: only right\n");
    assert_int_equal(cli_run(t, "diff", "left", "right", "-t", "0.5", "-c", "Lamp.oil", NULL), 1);
    assert_null(strstr(t->out, "Lamp"));
    assert_int_equal(cli_run(t, "diff", "left", "right", "-x", "Vars", "-x", "Open", NULL), 1);
    assert_null(strstr(t->out, "Vars"));
    assert_null(strstr(t->out, "Open"));
    assert_says(t->out, "Rust only right\n");
}

static void one_that_no_entity_has_is_trouble(void **state)
{
    cli_test *t = *state;
    put_both(t);
    put_save(t, "odd", "{parts = {1}}");
    static const char *const names[] = {"Lam", "Lamp.oi", "lamp"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(cli_run(t, "diff", "left", "right", "-c", names[i], NULL), 2);
        assert_says(t->err, "firn: neither file has a component ");
        assert_says(t->err, names[i]);
    }
    assert_int_equal(cli_run(t, "diff", "odd", "odd", "-x", "Lamp", NULL), 2);
    assert_int_equal(cli_run(t, "diff", "odd", "left", "-x", "Lamp", NULL), 1);
    assert_string_equal(t->err, "");
}

static void json_has_their_keys(void **state)
{
    cli_test *t = *state;
    if (!firn_json_available())
        skip();
    put_both(t);
    assert_int_equal(cli_run(t, "diff", "left", "right", "--json", NULL), 1);
    assert_says(t->out, "{\"kind\":\"saveField\",\"id\":12,\"component\":\"Lamp.oil\",\"left\":3,"
                        "\"right\":2.5}\n");
    assert_says(t->out, "{\"kind\":\"saveField\",\"key\":\"gate\",\"component\":\"Lock\",\"path\":"
                        "\"pins[2]\",\"left\":5,\"right\":6}\n");
    assert_says(t->out, "{\"kind\":\"saveEntity\",\"key\":\"only\",\"only\":\"left\"}\n");
    assert_says(t->out, "{\"kind\":\"saveComponent\",\"key\":\"gate\",\"component\":\"Rust\","
                        "\"right\":1,\"only\":\"right\"}\n");
    assert_says(t->out, "\"changedEntities\":2,");
}

static void a_section_that_one_save_lacks_is_told_whole(void **state)
{
    cli_test *t = *state;
    put_both(t);
    put_save(t, "none", NULL);
    assert_int_equal(cli_run(t, "diff", "left", "none", NULL), 1);
    assert_memory_equal(t->out, "save data \"firn.persist\": {keys = ", 34);
    assert_int_equal(cli_run(t, "diff", "none", "left", "-c", "Lamp", NULL), 0);
    assert_int_equal(cli_run(t, "diff", "none", "none", "-c", "Lamp", NULL), 2);
}

static void a_section_of_another_shape_is_a_value(void **state)
{
    cli_test *t = *state;
    put_both(t);
    static const char *const shapes[] = {"{parts = 1}",
                                         "{parts = {1}}",
                                         "{parts = {{1, {}, {}}}}",
                                         "{parts = {{\"a\", 1, {}}}}",
                                         "{parts = {{\"a\", {}, 1}}}",
                                         "{parts = {{\"a\", {{1, {}}}, {}}}}",
                                         "{parts = {{\"a\", {{\"b\", 1}}, {}}}}"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        put_save(t, "odd", shapes[i]);
        assert_int_equal(cli_run(t, "diff", "odd", "right", NULL), 1);
        assert_says(t->out, "save data \"firn.persist\": keys nil -> ");
        assert_int_equal(cli_run(t, "diff", "odd", "odd", NULL), 0);
    }
}

static void a_key_does_not_drive_the_terminal(void **state)
{
    cli_test *t = *state;
    put_save(t, "left", "{parts = {{\"a\33[2J\", {{\"A\33b\", {1}}}, {}}, {\"#1x\", {}, {}}}}");
    put_save(t, "right", "{parts = {{\"a\33[2J\", {{\"A\33b\", {2}}}, {}}}}");
    assert_int_equal(cli_run(t, "diff", "left", "right", NULL), 1);
    assert_string_equal(t->out, "save entity (key \"#1x\"): only left\n"
                                "save entity (key \"a\\x1b[2J\"): A\\x1bb 1 -> 2\n");
}

// Each list alone takes more memory than a document has at first.
static void put_large(cli_test *t, const char *name, int value)
{
    static char text[32768];
    size_t at = (size_t)snprintf(text, sizeof text, "{parts = {{\"many\", {");
    for (int i = 0; i < 300; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "{\"C%d\", {%d}}, ", i, value);
    at += (size_t)snprintf(text + at, sizeof text - at, "}, {{{hp = %d}}}}, ", value);
    for (int i = 0; i < 300; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "{\"k%d\", {}, {}}, ", i);
    at += (size_t)snprintf(text + at, sizeof text - at, "}, ");
    for (int i = 0; i < 300; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "r%d = %d, ", i, value);
    snprintf(text + at, sizeof text - at, "}");
    put_save(t, name, text);
}

static void without_memory_nothing_is_compared(void **state)
{
    cli_test *t = *state;
    put_large(t, "left", 1);
    put_large(t, "right", 2);
    static const char *const words[] = {"firn", "diff", "left", "right"};
    cli_run_without_memory(t, 4, words);
    static const char *const chosen[] = {"firn", "diff", "left", "right", "-cC0", "-xC1"};
    cli_run_without_memory(t, 6, chosen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cli_unit_test(entities_are_told_by_key),
        cli_unit_test(their_components_are_chosen),
        cli_unit_test(one_that_no_entity_has_is_trouble),
        cli_unit_test(json_has_their_keys),
        cli_unit_test(a_section_that_one_save_lacks_is_told_whole),
        cli_unit_test(a_section_of_another_shape_is_a_value),
        cli_unit_test(a_key_does_not_drive_the_terminal),
        cli_unit_test(without_memory_nothing_is_compared),
    };
    return cmocka_run_group_tests_name("cli_diff_persisted", tests, NULL, NULL);
}
