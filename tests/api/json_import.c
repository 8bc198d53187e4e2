// Lines that are no snapshot.
#include "api/json_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Two frames, one of them row by row; every kind of field; a row that nobody understands.
static const char lines[] =
    "{\"firn\":\"snapshot\",\"format\":1,\"version\":1,\"nextEntityId\":5,\"entities\":3,\"data\":"
    "2,"
    "\"components\":[{\"name\":\"Bag\"},{\"name\":\"Body\",\"fingerprint\":"
    "\"b:bool,i:int8_t,u:uint64_t,f:float,d:double,c:char[4],a:uint16_t[2]|40\"},"
    "{\"name\":\"Odd\",\"fingerprint\":\"v:vec|2\"},{\"name\":\"Tag\"}],"
    "\"frames\":[{\"rows\":2,\"columns\":[\"Body\",\"Odd\",\"Tag\"]},"
    "{\"rows\":1,\"byRow\":true,\"columns\":[\"Bag\",\"Body\"]}]}\n"
    "{\"id\":1,\"frame\":0,\"components\":{\"Body\":{\"b\":true,\"i\":-5,\"u\":7,\"f\":0.1,\"d\":0."
    "1,"
    "\"c\":\"wolf\",\"a\":[1,2]},\"Odd\":{\"$bytes\":\"AP8=\"},\"Tag\":true}}\n"
    "{\"id\":2,\"frame\":0,\"components\":{\"Body\":{\"b\":false,\"i\":5,\"u\":{\"$uint64\":"
    "\"18446744073709551615\"},\"f\":{\"$number\":\"7f800001\"},\"d\":{\"$number\":\"-inf\"},"
    "\"c\":{\"$bytes\":\"AP8=\"},\"a\":[3,4]},\"Odd\":{\"$bytes\":\"AQE=\"},\"Tag\":null}}\n"
    "{\"id\":3,\"frame\":1,\"components\":{\"Bag\":{\"x\":[1,2,{\"y\":{}}]}}}\n"
    "{\"data\":\"mine\",\"value\":{\"$encoded\":\"BgUAAAA=\"}}\n"
    "{\"data\":\"__firn.world\",\"value\":{\"tick\":0}}\n";

static firn_result import_text(const char *text, size_t size, const firn_limits *limits,
                               firn_error *err)
{
    firn_buffer out = {0};
    const firn_json_options options = {.limits = limits};
    assert_ok(firn_buffer_append(&out, "keep", 4, NULL), NULL);
    firn_result result = firn_json_import_image(text, size, &options, &out, err);
    if (result == FIRN_OK)
        assert_ok(firn_image_check(out.data + 4, out.size - 4, NULL, NULL, err), err);
    else
        assert_int_equal(out.size, 4);
    firn_buffer_free(&out);
    return result;
}

// The lines with the first `piece` exchanged; they are wrong at the first `at`, or anywhere.
static void assert_change(const char *piece, const char *with, firn_result code,
                          const char *subject, const char *at)
{
    const char *place = strstr(lines, piece);
    if (place == NULL)
        fail_msg("the lines have no %s", piece);
    firn_buffer text = {0};
    firn_error err = {0};
    assert_ok(firn_buffer_append(&text, lines, (size_t)(place - lines), NULL), NULL);
    assert_ok(firn_buffer_append(&text, with, strlen(with), NULL), NULL);
    place += strlen(piece);
    assert_ok(firn_buffer_append(&text, place, strlen(place) + 1, NULL), NULL);
    firn_result result = import_text((char *)text.data, text.size - 1, NULL, &err);
    if (result != code)
        fail_msg("%s for %s: %s, %s", with, piece, firn_result_name(result), err.message);
    if (code != FIRN_OK)
        assert_error(&err, code, subject);
    const char *wrong = at != NULL ? strstr((char *)text.data, at) : NULL;
    if (wrong != NULL && err.offset != (uint64_t)(wrong - (char *)text.data))
        fail_msg("%s: wrong at %llu, not %llu: %s", with, (unsigned long long)err.offset,
                 (unsigned long long)(wrong - (char *)text.data), err.message);
    firn_buffer_free(&text);
}

static void S7_these_lines_are_a_snapshot(void **state)
{
    (void)state;
    firn_buffer image = json_image_of(lines, sizeof lines - 1);
    assert_crosses(image.data, image.size, "lines");
    firn_buffer again = json_lines_of(image.data, image.size);
    // But for the chars, which were given without the zeros behind them.
    assert_int_equal(again.size, sizeof lines - 1 + 4);
    firn_buffer_free(&again);
    firn_buffer_free(&image);
    // Blank lines, other ends of lines, another order of members, no end of the last line.
    assert_change("\n{\"id\":1,\"frame\":0,", "\r\n\n \t\n{\"frame\":0,\"id\":1,", FIRN_OK, "",
                  NULL);
    assert_change("\"b\":true,\"i\":-5", "\"i\":-5,\"b\":true", FIRN_OK, "", NULL);
    assert_change("\"Odd\":{\"$bytes\":\"AP8=\"},\"Tag\":true",
                  "\"Tag\":true,\"Odd\":{\"$bytes\":\"AP8=\"}", FIRN_OK, "", NULL);
    assert_change("\"value\":{\"tick\":0}}\n", "\"value\":{\"tick\":0}}", FIRN_OK, "", NULL);
}

static void S7_a_header_that_is_wrong_is_refused_where_it_is_wrong(void **state)
{
    (void)state;
    assert_change("\"snapshot\"", "\"save\"", FIRN_NOT_OURS, "firn", "{");
    assert_change("{\"firn\":\"snapshot\",", "{", FIRN_NOT_OURS, "firn", "{");
    assert_change("\"format\":1", "\"format\":2", FIRN_VERSION, "format", "{");
    assert_change("\"format\":1", "\"format\":\"1\"", FIRN_CORRUPT, "format", "\"1\"");
    assert_change("\"version\":1,", "", FIRN_CORRUPT, "version", "{");
    assert_change("\"version\":1", "\"version\":3", FIRN_VERSION, "version", NULL);
    assert_change("\"nextEntityId\":5", "\"nextEntityId\":-1", FIRN_CORRUPT, "nextEntityId", "-1");
    assert_change("\"nextEntityId\":5", "\"nextEntityId\":3", FIRN_CORRUPT, "", NULL);
    assert_change("\"nextEntityId\":5", "\"nextEntityId\":4294967296", FIRN_CORRUPT, "nextEntityId",
                  "4294967296");
    assert_change("\"entities\":3", "\"entities\":1.5", FIRN_CORRUPT, "entities", "1.5");
    assert_change("\"data\":2", "\"data\":true", FIRN_CORRUPT, "data", "true");
    assert_change("\"data\":2", "\"data\":2,\"more\":1", FIRN_CORRUPT, "header", "{");
    assert_change("\"components\":[", "\"component\":[", FIRN_CORRUPT, "components", "{");
    assert_change("\"components\":[{\"name\":\"Bag\"}", "\"components\":[55", FIRN_CORRUPT,
                  "components", "55,");
    assert_change("{\"name\":\"Bag\"}", "{\"name\":\"Bag\",\"x\":1}", FIRN_CORRUPT, "components",
                  "{\"name\":\"Bag\"");
    assert_change("{\"name\":\"Bag\"}", "{\"name\":5}", FIRN_CORRUPT, "name", "5}");
    assert_change("{\"name\":\"Bag\"}", "{\"name\":\"Tag\"}", FIRN_CORRUPT, "components",
                  "{\"name\":\"Tag\"}]");
    assert_change("{\"name\":\"Bag\"}", "{\"name\":\"\"}", FIRN_CORRUPT, "", NULL);
    assert_change("\"v:vec|2\"", "\"\"", FIRN_CORRUPT, "fingerprint", "\"\"");
    assert_change("\"v:vec|2\"", "\"nothing\"", FIRN_CORRUPT, "fingerprint", "\"nothing\"");
    assert_change("\"frames\":[", "\"frame\":[", FIRN_CORRUPT, "frames", "{");
    assert_change("\"frames\":[", "\"frames\":[5,", FIRN_CORRUPT, "rows", "5,{");
    assert_change("\"rows\":2,", "", FIRN_CORRUPT, "rows", "{\"columns\"");
    assert_change("\"rows\":2", "\"rows\":2,\"x\":0", FIRN_CORRUPT, "frames", "{\"rows\"");
    assert_change("\"rows\":1,", "\"rows\":2,", FIRN_CORRUPT, "frames", NULL);
    assert_change("\"rows\":2,\"columns\"", "\"rows\":2,\"byRow\":true,\"columns\"", FIRN_OK, "",
                  NULL);
    assert_change("\"byRow\":true", "\"byRow\":1", FIRN_CORRUPT, "byRow", "1,\"columns\":[\"Bag");
    assert_change("\"columns\":[\"Body\"", "\"columns\":[5", FIRN_CORRUPT, "columns", "5,\"Odd\"");
    assert_change("\"columns\":[\"Body\"", "\"columns\":[\"Nobody\"", FIRN_CORRUPT, "Nobody",
                  "\"Nobody\"");
    assert_change("\"columns\":[\"Body\",\"Odd\"", "\"columns\":[\"Odd\",\"Odd\"", FIRN_CORRUPT, "",
                  NULL);
}

static void S7_a_frame_row_by_row_has_at_most_52_columns(void **state)
{
    (void)state;
    firn_buffer columns = {0};
    for (int i = 0; i < 53; i++)
        assert_ok(firn_buffer_append(&columns, "\"Bag\",", 6, NULL), NULL);
    columns.data[columns.size - 1] = 0;
    char with[400];
    snprintf(with, sizeof with, "[%s]", (const char *)columns.data);
    assert_change("[\"Bag\",\"Body\"]", with, FIRN_CORRUPT, "columns", "[\"Bag\",\"Bag\"");
    firn_buffer_free(&columns);
}

static void S7_an_entity_that_is_wrong_is_refused_where_it_is_wrong(void **state)
{
    (void)state;
    assert_change("{\"id\":1,", "{", FIRN_CORRUPT, "id", "{\"frame\"");
    assert_change("{\"id\":1,", "{\"id\":0,", FIRN_CORRUPT, "", NULL);
    assert_change("{\"id\":1,", "{\"id\":2,", FIRN_CORRUPT, "", NULL);
    assert_change("{\"id\":1,", "{\"id\":9007199254740992,", FIRN_CORRUPT, "id",
                  "9007199254740992");
    assert_change("\"frame\":0", "\"frame\":1", FIRN_CORRUPT, "frame", "{\"id\":1");
    assert_change("\"frame\":0", "\"frame\":7", FIRN_CORRUPT, "frame", "{\"id\":1");
    assert_change("\"frame\":0", "\"frames\":0", FIRN_CORRUPT, "frame", "{\"id\":1");
    assert_change("\"frame\":0", "\"frame\":0,\"x\":1", FIRN_CORRUPT, "entity", "{\"id\":1");
    assert_change("\"components\":{", "\"component\":{", FIRN_CORRUPT, "entity", "{\"id\":1");
    assert_change("\"components\":{\"Body\"", "\"components\":{\"Bag\"", FIRN_CORRUPT, "Bag",
                  "{\"b\":true");
    assert_change("\"components\":{\"Body\"", "\"components\":{\"Bo\\u0000dy\"", FIRN_CORRUPT, "",
                  NULL);
    assert_change(",\"Tag\":true", "", FIRN_CORRUPT, "components", "{\"Body\":{\"b\":true");
    assert_change("\"components\":{\"Bag\":{\"x\":[1,2,{\"y\":{}}]}}", "\"components\":5",
                  FIRN_CORRUPT, "components", "5}\n");
    assert_change("\"components\":{\"Bag\":{\"x\":[1,2,{\"y\":{}}]}}",
                  "\"components\":{\"$table\":[[\"Bag\",1],[\"Bag\",2]]}", FIRN_CORRUPT, "Bag",
                  "2]]}");
    assert_change("\"components\":{\"Bag\":{\"x\":[1,2,{\"y\":{}}]}}",
                  "\"components\":{\"$table\":[[\"Bag\"]]}", FIRN_CORRUPT, "", "[\"Bag\"]]");
    assert_change("{\"x\":[1,2,{\"y\":{}}]}", "{\"$int64\":\"x\"}", FIRN_CORRUPT, "Bag", "\"x\"}");
    assert_change("[\"Bag\",\"Body\"]", "[\"Bag\",\"Bag\"]", FIRN_CORRUPT, "", NULL);
}

static void S7_a_field_that_its_type_cannot_hold_is_refused(void **state)
{
    (void)state;
    assert_change("\"b\":true", "\"b\":1", FIRN_CORRUPT, "Body", "1,\"i\"");
    assert_change("\"i\":-5", "\"i\":-129", FIRN_CORRUPT, "Body", "-129");
    assert_change("\"i\":-5", "\"i\":128", FIRN_CORRUPT, "Body", "128");
    assert_change("\"i\":-5", "\"i\":5.0", FIRN_CORRUPT, "Body", "5.0");
    assert_change("\"i\":-5", "\"i\":{\"$int64\":\"-5\"}", FIRN_OK, "", NULL);
    assert_change("\"u\":7", "\"u\":-7", FIRN_CORRUPT, "Body", "-7");
    assert_change("\"u\":7", "\"u\":{\"$uint64\":\"x\"}", FIRN_CORRUPT, "Body", "{\"$uint64\":\"x");
    assert_change("\"f\":0.1", "\"f\":1e39", FIRN_CORRUPT, "Body", "1e39");
    assert_change("\"f\":0.1", "\"f\":{\"$number\":\"nan\"}", FIRN_OK, "", NULL);
    assert_change("\"f\":0.1", "\"f\":{\"$number\":\"7ff8000000000000\"}", FIRN_CORRUPT, "Body",
                  "{\"$number\":\"7ff8");
    assert_change("\"d\":0.1", "\"d\":\"0.1\"", FIRN_CORRUPT, "Body", "\"0.1\"");
    assert_change("\"c\":\"wolf\"", "\"c\":\"wolves\"", FIRN_CORRUPT, "Body", "\"wolves\"");
    assert_change("\"c\":\"wolf\"", "\"c\":[1,2,3,4]", FIRN_CORRUPT, "Body", "[1,2,3,4]");
    assert_change("\"a\":[1,2]", "\"a\":[1]", FIRN_CORRUPT, "Body", "[1]");
    assert_change("\"a\":[1,2]", "\"a\":[1,65536]", FIRN_CORRUPT, "Body", "[1,65536]");
    assert_change("\"a\":[1,2]", "\"a\":1", FIRN_CORRUPT, "Body", "1},");
    assert_change(",\"a\":[1,2]", "", FIRN_CORRUPT, "Body", "{\"b\":true");
    assert_change("\"a\":[1,2]", "\"a\":[1,2],\"z\":1", FIRN_CORRUPT, "Body", "1},");
    assert_change("{\"$bytes\":\"AP8=\"}", "{\"$bytes\":\"AP8A\"}", FIRN_CORRUPT, "Odd",
                  "\"AP8A\"");
    assert_change("{\"$bytes\":\"AP8=\"}", "{\"v\":1}", FIRN_CORRUPT, "Odd", "{\"v\"");
    assert_change("{\"$bytes\":\"AP8=\"}", "5", FIRN_CORRUPT, "Odd", "5,\"Tag\"");
}

static void S7_data_that_is_wrong_is_refused_where_it_is_wrong(void **state)
{
    (void)state;
    assert_change("{\"data\":\"mine\",", "{\"datum\":\"mine\",", FIRN_CORRUPT, "data",
                  "{\"datum\"");
    assert_change("{\"data\":\"mine\",", "{\"data\":\"mine\",\"x\":1,", FIRN_CORRUPT, "data",
                  "{\"data\":\"mine\"");
    assert_change("{\"data\":\"mine\",", "{\"data\":5,", FIRN_CORRUPT, "data", "5,\"value\"");
    assert_change("\"value\":{\"$encoded\"", "\"value\":{\"$encode\"", FIRN_CORRUPT, "mine",
                  "\"BgUAAAA=\"");
    assert_change("BgUAAAA=", "BgUA", FIRN_TRUNCATED, "mine", "\"BgUA\"");
    assert_change("BgUAAAA=", "BgUAAAAA", FIRN_CORRUPT, "mine", "\"BgUAAAAA\"");
    assert_change("BgUAAAA=", "*", FIRN_CORRUPT, "mine", "\"*\"");
    assert_change("{\"tick\":0}}\n", "{\"tick\":0}}\n5\n", FIRN_CORRUPT, "line", "5\n");
    assert_change("{\"tick\":0}", "{\"tick\":-1}", FIRN_CORRUPT, "", NULL);
}

static void S7_the_message_has_the_number_of_the_line(void **state)
{
    (void)state;
    static const char text[] = "\n\n{\"firn\":\"snapshot\",\"format\":9}\n";
    firn_error err = {0};
    assert_int_equal(import_text(text, sizeof text - 1, NULL, &err), FIRN_VERSION);
    assert_memory_equal(err.message, "line 3: ", 8);
    assert_int_equal(err.offset, 2);
}

static void S7_lines_cut_anywhere_are_refused(void **state)
{
    (void)state;
    // But for the last line end.
    for (size_t size = 0; size + 1 < sizeof lines - 1; size++) {
        firn_error err = {0};
        if (import_text(lines, size, NULL, &err) == FIRN_OK)
            fail_msg("%zu bytes of the lines are a snapshot", size);
        assert_true(err.code == FIRN_TRUNCATED || err.code == FIRN_CORRUPT);
    }
}

static void S7_lines_with_any_byte_changed_are_refused_or_a_snapshot(void **state)
{
    (void)state;
    test_random random = {5};
    char text[sizeof lines];
    uint32_t fine = 0;
    for (size_t i = 0; i < sizeof lines - 1; i++) {
        for (int k = 0; k < 6; k++) {
            static const char likely[] = "\"{}[]:,0-9e.$\\\n";
            memcpy(text, lines, sizeof lines);
            text[i] = k < 3 ? (char)(uint8_t)test_random_below(&random, 256)
                            : likely[test_random_below(&random, sizeof likely - 1)];
            firn_error err = {0};
            fine += import_text(text, sizeof lines - 1, NULL, &err) == FIRN_OK;
        }
    }
    assert_true(fine > 100);
}

static void S7_limits_hold_for_lines(void **state)
{
    (void)state;
    firn_error err = {0};
    const firn_limits limits[] = {{.file_bytes = 100},  {.file_bytes = 300},  {.entities = 2},
                                  {.archetypes = 1},    {.table_entries = 3}, {.columns = 2},
                                  {.string_bytes = 10}, {.depth = 1},         {.tree_values = 3},
                                  {.name_bytes = 2}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (import_text(lines, sizeof lines - 1, &limits[i], &err) != FIRN_LIMIT)
            fail_msg("limits %zu: %s, %s", i, firn_result_name(err.code), err.message);
    }
}

// Rows of a megabyte each, which take a line of a hundred bytes.
static void S7_small_lines_cannot_make_a_large_snapshot(void **state)
{
    (void)state;
    firn_buffer text = {0};
    firn_error err;
    static const char header[] =
        "{\"firn\":\"snapshot\",\"format\":1,\"version\":1,\"nextEntityId\":1000,\"entities\":999,"
        "\"data\":0,\"components\":[{\"name\":\"A\",\"fingerprint\":\"c:char[1000000]|1000000\"}],"
        "\"frames\":[{\"rows\":999,\"columns\":[\"A\"]}]}\n";
    static const char row[] = "{\"id\":1,\"frame\":0,\"components\":{\"A\":{\"c\":\"\"}}}\n";
    assert_ok(firn_buffer_append(&text, header, sizeof header - 1, NULL), NULL);
    for (int i = 0; i < 999; i++)
        assert_ok(firn_buffer_append(&text, row, sizeof row - 1, NULL), NULL);
    test_allocator memory;
    test_allocator_init(&memory);
    firn_buffer out;
    firn_buffer_init(&out, &memory.allocator);
    const firn_limits limits = {.file_bytes = 8000000};
    const firn_json_options options = {.limits = &limits, .allocator = &memory.allocator};
    assert_int_equal(firn_json_import_image(text.data, text.size, &options, &out, &err),
                     FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "");
    assert_true(memory.peak_bytes < 24000000);
    firn_buffer_free(&out);
    firn_buffer_free(&text);
    assert_no_leak(&memory);
}

static void S7_wrong_arguments_are_refused(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer out = {0};
    const firn_json_options reserved = {.reserved = {0, 1}};
    const firn_allocator nothing = {0};
    const firn_json_options without = {.allocator = &nothing};
    const firn_limits deep = {.depth = 101};
    const firn_json_options beyond = {.limits = &deep};
    assert_int_equal(firn_json_import_image(NULL, 1, NULL, &out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "text");
    assert_int_equal(firn_json_import_image("", 0, NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "out");
    assert_int_equal(firn_json_import_image("", 0, &reserved, &out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "reserved");
    assert_int_equal(firn_json_import_image("", 0, &without, &out, &err), FIRN_INVALID);
    assert_int_equal(firn_json_import_image("", 0, &beyond, &out, &err), FIRN_INVALID);
    assert_int_equal(firn_json_import_image(NULL, 0, NULL, &out, &err), FIRN_TRUNCATED);
    assert_int_equal(firn_json_import_image(" ", 1, NULL, &out, NULL), FIRN_TRUNCATED);
    firn_buffer image = json_image_of(lines, sizeof lines - 1);
    assert_int_equal(firn_json_export_image(image.data, image.size, NULL, NULL, NULL, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "sink");
    assert_int_equal(
        firn_json_export_image(image.data, image.size - 1, NULL, json_sink, &out, &err),
        FIRN_TRUNCATED);
    assert_int_equal(
        firn_json_export_image(image.data, image.size, &reserved, json_sink, &out, &err),
        FIRN_INVALID);
    assert_int_equal(out.size, 0);
    firn_buffer_free(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(S7_these_lines_are_a_snapshot),
        cmocka_unit_test(S7_a_header_that_is_wrong_is_refused_where_it_is_wrong),
        cmocka_unit_test(S7_a_frame_row_by_row_has_at_most_52_columns),
        cmocka_unit_test(S7_an_entity_that_is_wrong_is_refused_where_it_is_wrong),
        cmocka_unit_test(S7_a_field_that_its_type_cannot_hold_is_refused),
        cmocka_unit_test(S7_data_that_is_wrong_is_refused_where_it_is_wrong),
        cmocka_unit_test(S7_the_message_has_the_number_of_the_line),
        cmocka_unit_test(S7_lines_cut_anywhere_are_refused),
        cmocka_unit_test(S7_lines_with_any_byte_changed_are_refused_or_a_snapshot),
        cmocka_unit_test(S7_limits_hold_for_lines),
        cmocka_unit_test(S7_small_lines_cannot_make_a_large_snapshot),
        cmocka_unit_test(S7_wrong_arguments_are_refused),
    };
    return firn_json_available() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
