// Whole save files as lines of JSON and back.
#include "api/json_lines.h"
#include "api/save_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static firn_buffer save_lines_of(const firn_buffer *save)
{
    firn_buffer lines = {0};
    firn_error err;
    assert_ok(firn_json_export_save(save->data, save->size, NULL, json_sink, &lines, &err), &err);
    return lines;
}

static void assert_save_crosses(const firn_buffer *save)
{
    firn_buffer lines = save_lines_of(save), again = {0};
    firn_error err;
    assert_ok(firn_buffer_append(&again, "front", 5, &err), &err);
    assert_ok(firn_json_import_save(lines.data, lines.size, NULL, &again, &err), &err);
    if (again.size != save->size + 5 || memcmp(again.data + 5, save->data, save->size) != 0)
        fail_msg("%zu bytes came back as other %zu:\n%.*s", save->size, again.size, (int)lines.size,
                 (const char *)lines.data);
    firn_buffer_free(&lines);
    firn_buffer_free(&again);
}

static void S7_a_save_file_comes_back_byte_for_byte(void **state)
{
    (void)state;
    firn_buffer save = parts_full_save(NULL);
    assert_save_crosses(&save);
    firn_buffer_free(&save);
}

static void S7_golden_saves_come_back_byte_for_byte(void **state)
{
    (void)state;
    static const char *const names[] = {"01_least", "02_kitchen", "03_persisted", "04_thumbnail",
                                        "05_most"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[512];
        firn_buffer save = {0};
        size_t size;
        snprintf(path, sizeof path, "%s/saves/%s.firn", FIRN_TEST_DATA, names[i]);
        uint8_t *bytes = test_read_file(path, &size);
        assert_ok(firn_buffer_append(&save, bytes, size, NULL), NULL);
        assert_save_crosses(&save);
        firn_buffer_free(&save);
        free(bytes);
    }
}

static void S7_a_save_without_sections_or_with_odd_ones_comes_back(void **state)
{
    (void)state;
    const firn_save_header header = parts_header();
    firn_buffer save = parts_write(&header, NULL, 0, NULL);
    assert_save_crosses(&save);
    firn_buffer_free(&save);
    firn_buffer tree = parts_encoded("{1, nil, {[0.5] = -5LL}}");
    const firn_section sections[] = {{"empty", NULL, 0},
                                     {"no-table", "\x02", 1},
                                     {"not.canonical", "\x0a\x01\x02", 3},
                                     {"table", tree.data, tree.size}};
    save = parts_write(&header, sections, 4, NULL);
    assert_save_crosses(&save);
    firn_buffer_free(&save);
    firn_buffer_free(&tree);
}

static void S7_the_lines_of_a_save_say_what_is_in_it(void **state)
{
    (void)state;
    firn_buffer save = parts_full_save(NULL), lines = save_lines_of(&save);
    assert_ok(firn_buffer_append(&lines, "", 1, NULL), NULL);
    const char *text = (const char *)lines.data;
    assert_memory_equal(text, "{\"firn\":\"save\",\"format\":1,\"header\":{\"engineVersion\":", 51);
    assert_non_null(strstr(text, "\"game\":\"mill\""));
    assert_non_null(strstr(text, "\n{\"section\":\"custom\",\"value\":{"));
    assert_non_null(strstr(text, "\n{\"section\":\"variables\",\"value\":{"));
    assert_non_null(strstr(text, "\n{\"section\":\"thumbnail\",\"bytes\":\""));
    assert_null(strstr(text, "\n{\"section\":\"snapshot\""));
    assert_non_null(strstr(text, "\n{\"firn\":\"snapshot\","));
    firn_buffer_free(&lines);
    firn_buffer_free(&save);
}

static void S7_a_compressed_save_comes_back_with_the_same_sections(void **state)
{
    (void)state;
    if (!firn_save_file_can_compress())
        return;
    const firn_save_file_options packed = {.compression = 3};
    const firn_json_options options = {.compression = 3};
    firn_buffer plain = parts_full_save(NULL), save = parts_full_save(&packed), again = {0};
    firn_buffer lines = save_lines_of(&save), plain_lines = save_lines_of(&plain);
    firn_error err;
    assert_int_equal(lines.size, plain_lines.size);
    assert_memory_equal(lines.data, plain_lines.data, lines.size);
    assert_ok(firn_json_import_save(lines.data, lines.size, &options, &again, &err), &err);
    assert_int_equal(again.size, save.size);
    assert_memory_equal(again.data, save.data, save.size);
    firn_buffer_free(&again);
    firn_buffer_free(&lines);
    firn_buffer_free(&plain_lines);
    firn_buffer_free(&plain);
    firn_buffer_free(&save);
}

// The lines of a whole save, with one piece of them exchanged; NULL as `with`: cut there.
static firn_result import_changed(const char *text, const char *piece, const char *with,
                                  firn_error *err)
{
    firn_buffer changed = {0}, out = {0};
    const char *at = strstr(text, piece);
    assert_non_null(at);
    assert_ok(firn_buffer_append(&changed, text, (size_t)(at - text), NULL), NULL);
    if (with != NULL) {
        assert_ok(firn_buffer_append(&changed, with, strlen(with), NULL), NULL);
        at += strlen(piece);
        assert_ok(firn_buffer_append(&changed, at, strlen(at), NULL), NULL);
    }
    firn_result result = firn_json_import_save(changed.data, changed.size, NULL, &out, err);
    if (result != FIRN_OK)
        assert_int_equal(out.size, 0);
    firn_buffer_free(&changed);
    firn_buffer_free(&out);
    return result;
}

static void assert_change_refused(const char *text, const char *piece, const char *with,
                                  firn_result code, const char *subject, const char *message)
{
    firn_error err = {0};
    assert_int_equal(import_changed(text, piece, with, &err), code);
    assert_error(&err, code, subject);
    if (strstr(err.message, message) == NULL)
        fail_msg("\"%s\" does not say %s", err.message, message);
}

static void S7_lines_that_make_no_save_are_refused(void **state)
{
    (void)state;
    firn_buffer save = parts_full_save(NULL), lines = save_lines_of(&save);
    assert_ok(firn_buffer_append(&lines, "", 1, NULL), NULL);
    const char *text = (const char *)lines.data;
    static const struct {
        const char *piece, *with;
        firn_result code;
        const char *subject, *message;
    } cases[] = {
        {"{", NULL, FIRN_TRUNCATED, "the header", "missing"},
        {"{", "[", FIRN_CORRUPT, "line", "line 1"},
        {"\"save\"", "\"snapshot\"", FIRN_NOT_OURS, "firn", "header"},
        {"\"format\":1", "\"format\":2", FIRN_VERSION, "format", "format 2"},
        {"\"format\":1", "\"format\":-1", FIRN_CORRUPT, "format", "no number"},
        {"\"header\":", "\"headers\":", FIRN_CORRUPT, "header", "missing"},
        {"\"game\":\"mill\"", "\"game\":5", FIRN_CORRUPT, "game", "game"},
        {"\"game\":\"mill\"", "\"game\":{\"$x\":5}", FIRN_CORRUPT, "value", "$int64"},
        {"\"sections\":", "\"section\":", FIRN_CORRUPT, "sections", "missing"},
        {"[\"snapshot\"", "[5", FIRN_CORRUPT, "sections", "no name"},
        {"[\"snapshot\"", "[\"Snapshot\"", FIRN_CORRUPT, "sections", "no name"},
        {",\"custom\"", ",\"custom\",\"custom\"", FIRN_CORRUPT, "custom", "line 3"},
        {"{\"section\":\"variables\"", NULL, FIRN_TRUNCATED, "variables", "line 2"},
        {"{\"section\":\"variables\"", "{\"section\":\"other\"", FIRN_CORRUPT, "variables",
         "line 3"},
        {"{\"section\":\"thumbnail\",\"bytes\":\"", "{\"section\":\"thumbnail\",\"bytes\":\"*",
         FIRN_CORRUPT, "", "base64"},
        {"{\"section\":\"custom\",\"value\":", "{\"section\":\"custom\",\"value\":[{\"$x\":1}]}\n",
         FIRN_CORRUPT, "value", "line 2"},
        {"{\"firn\":\"snapshot\"", NULL, FIRN_TRUNCATED, "lines", "header"},
        {"{\"firn\":\"snapshot\"", "{\"firn\":\"snap\"", FIRN_NOT_OURS, "firn", "line"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_change_refused(text, cases[i].piece, cases[i].with, cases[i].code, cases[i].subject,
                              cases[i].message);
    firn_buffer_free(&lines);
    firn_buffer_free(&save);
}

static void S7_a_thumbnail_needs_its_meta_and_lines_need_a_snapshot(void **state)
{
    (void)state;
    const firn_save_header header = parts_header();
    firn_buffer save = parts_write(&header, NULL, 0, NULL), lines = save_lines_of(&save);
    assert_ok(firn_buffer_append(&lines, "", 1, NULL), NULL);
    const char *text = (const char *)lines.data;
    assert_change_refused(
        text, "\"sections\":[]}",
        "\"sections\":[\"thumbnail\"]}\n{\"section\":\"thumbnail\",\"bytes\":\"\"}", FIRN_CORRUPT,
        "thumbnail", "no meta");
    assert_change_refused(text, "\"sections\":[]}", "\"sections\":[]}\n5", FIRN_CORRUPT, "lines",
                          "line 2");
    firn_buffer_free(&lines);
    firn_buffer_free(&save);
}

static void S7_damaged_saves_and_wrong_arguments_are_refused(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer save = parts_full_save(NULL), out = {0};
    save.data[save.size - 1] ^= 1;
    assert_int_equal(firn_json_export_save(save.data, save.size, NULL, json_sink, &out, &err),
                     FIRN_CORRUPT);
    assert_int_equal(firn_json_export_save(save.data, save.size, NULL, json_sink, &out, NULL),
                     FIRN_CORRUPT);
    assert_int_equal(firn_json_export_save(save.data, save.size, NULL, NULL, NULL, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "sink");
    assert_int_equal(firn_json_import_save(NULL, 1, NULL, &out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "text");
    assert_int_equal(firn_json_import_save("", 0, NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "out");
    const firn_json_options reserved = {.reserved = {1}};
    assert_int_equal(firn_json_import_save("", 0, &reserved, &out, &err), FIRN_INVALID);
    assert_int_equal(firn_json_export_save("", 0, &reserved, json_sink, &out, &err), FIRN_INVALID);
    assert_int_equal(out.size, 0);
    firn_buffer_free(&save);
}

static firn_result refuse_line(void *user, const void *text, size_t size, firn_error *err)
{
    (void)text, (void)size, (void)err;
    uint32_t *left = user;
    return (*left)-- > 0 ? FIRN_OK : FIRN_IO;
}

static void S7_a_sink_that_fails_ends_the_export_of_a_save(void **state)
{
    (void)state;
    firn_buffer save = parts_full_save(NULL);
    firn_result result = FIRN_IO;
    for (uint32_t n = 0; result != FIRN_OK; n++) {
        firn_error err = {0};
        uint32_t left = n;
        result = firn_json_export_save(save.data, save.size, NULL, refuse_line, &left, &err);
        assert_int_equal(result, left == UINT32_MAX ? FIRN_IO : FIRN_OK);
        assert_true(n < 20);
    }
    firn_buffer_free(&save);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(S7_a_save_file_comes_back_byte_for_byte),
        cmocka_unit_test(S7_golden_saves_come_back_byte_for_byte),
        cmocka_unit_test(S7_a_save_without_sections_or_with_odd_ones_comes_back),
        cmocka_unit_test(S7_the_lines_of_a_save_say_what_is_in_it),
        cmocka_unit_test(S7_a_compressed_save_comes_back_with_the_same_sections),
        cmocka_unit_test(S7_lines_that_make_no_save_are_refused),
        cmocka_unit_test(S7_a_thumbnail_needs_its_meta_and_lines_need_a_snapshot),
        cmocka_unit_test(S7_damaged_saves_and_wrong_arguments_are_refused),
        cmocka_unit_test(S7_a_sink_that_fails_ends_the_export_of_a_save),
    };
    return firn_json_available() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
