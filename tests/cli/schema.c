// firn schema, and --schema: how components are read where a file does not say it.
#include "cli/run.h"
#include "golden/firn_build.h"

#include <stdlib.h>
#include <string.h>

// First is raw. Of the others one is a string of one byte and the other raw.
static void put_doubtful(cli_test *t)
{
    image_builder image = {0};
    image_add_front(&image, 2, 1, 1, 3);
    image_add_text(&image, "First");
    image_add_text(&image, "a:int8_t|1");
    image_add_text(&image, "Second one");
    image_add_text(&image, "b:int8_t|1");
    image_add_text(&image, "Third");
    image_add_text(&image, "c:int8_t|1");
    image_add_frame(&image, 3, 1);
    image_add_bytes(&image, "\x03\x21\x21\x03\x01", 5);
    cli_put(t, "doubtful.bin", image.bytes, image.size);
    free(image.bytes);
}

static void a_schema_file_decides_between_two_readings(void **state)
{
    cli_test *t = *state;
    put_doubtful(t);
    assert_int_equal(cli_run(t, "dump", "doubtful.bin", NULL), 2);
    assert_says(t->err,
                "Second one can be read as raw and as encoded: register it or give its schema");
    cli_put_text(t, "raw.schema",
                 "# of the game\n\n  \"Second one\" raw b:int8_t|1 # one byte\r\n");
    assert_int_equal(cli_run(t, "dump", "--schema", "raw.schema", "doubtful.bin", NULL), 0);
    assert_says(t->out, "33");
    cli_put_text(t, "encoded.schema", "\"Second\\u{20}o\\x6ee\"  encoded  # as text");
    assert_int_equal(cli_run(t, "dump", "--schema=encoded.schema", "doubtful.bin", NULL), 0);
    assert_says(t->out, "\"!\"");
    assert_int_equal(cli_run(t, "hash", "--schema=encoded.schema", "doubtful.bin", NULL), 0);
    assert_int_equal(
        cli_run(t, "diff", "--schema=encoded.schema", "doubtful.bin", "doubtful.bin", NULL), 0);
    assert_int_equal(cli_run(t, "verify", "--schema=encoded.schema", "doubtful.bin", NULL), 0);
    if (firn_json_available()) {
        assert_int_equal(cli_run(t, "dump", "--json", "--schema=raw.schema", "doubtful.bin", NULL),
                         0);
    }
}

static void a_schema_that_does_not_fit_is_named(void **state)
{
    cli_test *t = *state;
    put_doubtful(t);
    cli_put_text(t, "wide.schema", "First raw \"a:int64_t|8\"");
    assert_int_equal(cli_run(t, "info", "--schema", "wide.schema", "doubtful.bin", NULL), 2);
    assert_says(t->err, "the schema of First (raw) does not fit");
    assert_says(t->err, "(byte ");
}

static void what_schema_prints_reads_the_same_file(void **state)
{
    cli_test *t = *state;
    static const char *const files[] = {"firn/03_structs.bin", "firn/10_relations.bin",
                                        "tecs/04_ffi_all_types.bin", "saves/02_kitchen.firn"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        cli_put_golden(t, files[i]);
        assert_int_equal(cli_run(t, "schema", files[i], NULL), 0);
        cli_put_text(t, "game.schema", t->out);
        char schema[4096];
        assert_true(strlen(t->out) < sizeof schema);
        memcpy(schema, t->out, strlen(t->out) + 1);
        assert_int_equal(cli_run(t, "schema", "--schema", "game.schema", files[i], NULL), 0);
        assert_string_equal(t->out, schema);
    }
}

static void names_that_need_it_are_quoted(void **state)
{
    cli_test *t = *state;
    image_builder image = {0};
    image_add_front(&image, 1, 0, 0, 7);
    image_add_text(&image, "A \"b\" \\ c");
    image_add_text(&image, "");
    image_add_text(&image, "Gr\xc3\xb6\xc3\x9f"
                           "e\xe2\x82\xac\xf0\x9f\x98\x80");
    image_add_text(&image, "");
    image_add_text(&image, "Likes->5");
    image_add_text(&image, "");
    image_add_text(&image, "Likes->6");
    image_add_text(&image, "");
    image_add_text(&image, "Raw->5");
    image_add_text(&image, "");
    image_add_text(&image, "Odd");
    image_add_text(&image, "x:vec|12");
    image_add_text(&image, "Raw");
    image_add_text(&image, "a#:unsigned int,b:char[2]|8");
    image_add_byte(&image, 0x01);
    cli_put(t, "names.bin", image.bytes, image.size);
    free(image.bytes);
    assert_int_equal(cli_run(t, "schema", "names.bin", NULL), 0);
    assert_string_equal(t->out, "# names.bin\n"
                                "\"A \\\"b\\\" \\\\ c\" encoded\n"
                                "\"Gr\xc3\xb6\xc3\x9f"
                                "e\xe2\x82\xac\xf0\x9f\x98\x80\" encoded\n"
                                "Likes relation\n"
                                "# not understood: Odd raw x:vec|12\n"
                                "Raw raw \"a#:unsigned int,b:char[2]|8\"\n");
    cli_put_text(t, "names.schema", t->out);
    assert_int_equal(cli_run(t, "info", "--schema", "names.schema", "names.bin", NULL), 0);
    // The same, escaped.
    cli_put_text(t, "names.schema",
                 "\"Gr\\u{f6}\\u{df}e\\u{20ac}\\u{1f600}\" raw x:float|4\n"
                 "\"a\\nb\" encoded");
    assert_int_equal(cli_run(t, "schema", "--schema", "names.schema", "names.bin", NULL), 2);
    assert_says(t->err, "line 2: ");
    cli_put_text(t, "names.schema", "\"Gr\\u{f6}\\u{df}e\\u{20ac}\\u{1f600}\" raw x:float|4");
    assert_int_equal(cli_run(t, "schema", "--schema", "names.schema", "names.bin", NULL), 0);
    assert_says(t->out, "\" raw x:float|4\n");
}

static void bad_schema_files_are_refused_with_their_line(void **state)
{
    cli_test *t = *state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"A encoded\nB", "line 2: a component is raw or encoded"},
        {"A row x:float|4", "line 1: a component is raw or encoded"},
        {"A raw", "line 1: raw takes a fingerprint"},
        {"A raw # x:float|4", "line 1: raw takes a fingerprint"},
        {"\n\nA raw x:float|8", "line 3: "},
        {"A raw \"x:float|4\" more", "line 1: something stands behind the fingerprint"},
        {"A encoded more", "line 1: something stands behind encoded"},
        {"A tag x:float|4", "line 1: something stands behind tag"},
        {"A state more", "line 1: something stands behind state"},
        {"complete A", "line 1: a component is raw or encoded"},
        {"A tag\nA number", "line 2: "},
        {"A number\nA tag", "line 2: the component has a schema already"},
        {"Key encoded\nKey string", "line 2: the component has a schema already"},
        {"A state\n\nA state", "line 3: "},
        {"Key number", "line 1: every game has a component Key of another kind"},
        {"A relation listed x:vec2|8", "line 1: "},
        {"A relation \"x:float|4\" sparse", "line 1: something stands behind the fingerprint"},
        {"A relation sparse listed cascade", "line 1: "},
        {"A->1 tag", "line 1: "},
        {"\"A encoded", "line 1: a quote has no end"},
        {"A raw \"x:float|4", "line 1: a quote has no end"},
        {"\"A\\", "line 1: a backslash"},
        {"\"A\\q\" encoded", "line 1: a backslash"},
        {"\"A\\x\" encoded", "line 1: a backslash"},
        {"\"A\\x00\" encoded", "line 1: a backslash"},
        {"\"A\\u41\" encoded", "line 1: a backslash"},
        {"\"A\\u{110000}\" encoded", "line 1: a backslash"},
        {"\"A\\u{41\" encoded", "line 1: a backslash"},
        {"A encoded\nA raw x:float|4", "line 2: the component has a schema already"},
        {"Likes->5 raw x:float|4", "line 1: Likes->5 is a target"},
    };
    cli_put_golden(t, "firn/01_empty.bin");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cli_put_text(t, "bad.schema", bad[i].text);
        assert_int_equal(cli_run(t, "info", "--schema", "bad.schema", "firn/01_empty.bin", NULL),
                         2);
        assert_says(t->err, "firn: bad.schema: ");
        assert_says(t->err, bad[i].says);
    }
    cli_put(t, "bad.schema", "A\0 encoded", 10);
    assert_int_equal(cli_run(t, "info", "--schema", "bad.schema", "firn/01_empty.bin", NULL), 2);
    assert_says(t->err, "line 1: a byte is 0");
    assert_int_equal(cli_run(t, "info", "--schema", "absent", "firn/01_empty.bin", NULL), 2);
    assert_says(t->err, "absent");
    assert_int_equal(cli_run(t, "schema", "absent", NULL), 2);
    cli_put_golden(t, "saves/01_least.firn");
    assert_int_equal(cli_run(t, "schema", "saves/01_least.firn", NULL), 2);
}

// Any bytes, of those that mean something.
static void no_schema_file_makes_it_crash(void **state)
{
    cli_test *t = *state;
    static const char letters[] = "\"\\#\n\n rawencodedxu{}41:float|4,\t";
    test_random random = {.state = 11};
    cli_put_golden(t, "firn/01_empty.bin");
    for (int i = 0; i < 3000; i++) {
        char text[64];
        uint32_t size = test_random_below(&random, sizeof text);
        for (uint32_t k = 0; k < size; k++)
            text[k] = letters[test_random_below(&random, sizeof letters - 1)];
        cli_put(t, "any.schema", text, size);
        (void)cli_run(t, "hash", "--schema", "any.schema", "firn/01_empty.bin", NULL);
    }
}

static void schemas_without_memory_say_so(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "tecs/04_ffi_all_types.bin");
    assert_int_equal(cli_run(t, "schema", "tecs/04_ffi_all_types.bin", NULL), 0);
    cli_put_text(t, "game.schema", t->out);
    const char *const words[] = {"firn", "schema", "--schema", "game.schema",
                                 "tecs/04_ffi_all_types.bin"};
    cli_run_without_memory(t, 5, words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cli_unit_test(a_schema_file_decides_between_two_readings),
        cli_unit_test(a_schema_that_does_not_fit_is_named),
        cli_unit_test(what_schema_prints_reads_the_same_file),
        cli_unit_test(names_that_need_it_are_quoted),
        cli_unit_test(bad_schema_files_are_refused_with_their_line),
        cli_unit_test(no_schema_file_makes_it_crash),
        cli_unit_test(schemas_without_memory_say_so),
    };
    return cmocka_run_group_tests_name("cli_schema", tests, NULL, NULL);
}
