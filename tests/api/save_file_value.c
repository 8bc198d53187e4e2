// Save files as trees, and back.
#include "api/save_parts.h"

#include <string.h>

#include "buffer/bytes.h"
#include "saves/file.h"

static firn_doc *new_doc(void)
{
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    assert_non_null(doc);
    return doc;
}

static firn_value *tree_of(const firn_buffer *save, firn_doc *doc)
{
    firn_error err = {.code = FIRN_OK};
    firn_save_file *file = parts_open(save);
    firn_value *tree = firn_save_file_value(file, doc, &err);
    assert_ok(err.code, &err);
    assert_non_null(tree);
    firn_save_file_close(file);
    return tree;
}

static void S1_a_save_is_a_tree_of_its_parts(void **state)
{
    (void)state;
    firn_doc *doc = new_doc();
    firn_buffer save = parts_full_save(NULL), snapshot = parts_snapshot();
    firn_value *tree = tree_of(&save, doc);
    const firn_value *image = firn_table_get_text(tree, "snapshot");
    assert_int_equal(image->length, snapshot.size);
    assert_memory_equal(image->as.string, snapshot.data, snapshot.size);
    firn_error err;
    firn_value *text = firn_value_text(doc, "...", &err);
    assert_ok(firn_table_set_text(doc, tree, "snapshot", text, &err), &err);
    assert_tree(tree,
                "{custom = {5, mood = \"calm\"}, engineVersion = \"grist 1.5\", game = \"mill\","
                " gameVersion = 3, kind = \"world\", level = \"kitchen\","
                " meta = {\"first\", thumbnail = \"PNG bytes\", title = \"The kitchen\"},"
                " parent = \"fedcba98765432100123456789abcdef\", playTime = 600.25, revision = 7,"
                " saveFormatVersion = 1, sections = {[\"map.png\"] = \"\","
                " replay = \"left right left\"}, snapshot = \"...\","
                " tick = 36000, timestamp = 1700000000123,"
                " variables = {coins = 12, visited = {\"mill\", \"barn\"}}}");
    firn_buffer_free(&snapshot);
    firn_buffer_free(&save);
    firn_doc_destroy(doc);
}

static void assert_comes_back(const firn_buffer *save, const firn_save_file_options *options)
{
    firn_error err;
    firn_doc *doc = new_doc();
    firn_buffer again = {0};
    firn_value *tree = tree_of(save, doc);
    assert_ok(firn_save_file_from_value(tree, options, &again, &err), &err);
    assert_int_equal(again.size, save->size);
    assert_memory_equal(again.data, save->data, save->size);
    firn_buffer_free(&again);
    firn_doc_destroy(doc);
}

static void S7_a_save_comes_back_from_its_tree_byte_for_byte(void **state)
{
    (void)state;
    for (int compression = 0; compression <= (firn_save_file_can_compress() ? 19 : 0);
         compression += 19) {
        firn_save_file_options options = {.compression = compression};
        firn_buffer save = parts_full_save(&options);
        assert_comes_back(&save, &options);
        firn_buffer_free(&save);
    }
}

static void S7_a_save_without_any_section_comes_back(void **state)
{
    (void)state;
    firn_doc *doc = new_doc();
    firn_save_header header = {.game = "mill", .game_version = 1, .level = ""};
    static const char *const metas[] = {NULL, "{}", "{thumbnail = \"\"}", "{thumbnail = 5}",
                                        "{1, 2, thumbnail = \"x\"}"};
    for (size_t i = 0; i < sizeof metas / sizeof *metas; i++) {
        header.meta = metas[i] != NULL ? test_tree(doc, metas[i]) : NULL;
        firn_buffer save = parts_write(&header, NULL, 0, NULL);
        assert_comes_back(&save, NULL);
        firn_buffer_free(&save);
    }
    firn_doc_destroy(doc);
}

static void S7_numbers_of_any_kind_make_the_same_file(void **state)
{
    (void)state;
    static const char *const trees[] = {
        "{saveFormatVersion = 1, game = \"g\", gameVersion = 2, level = \"l\", tick = 5,"
        " timestamp = 6, revision = 7, playTime = 8}",
        "{saveFormatVersion = 1LL, game = \"g\", gameVersion = 2ULL, level = \"l\", tick = 5LL,"
        " timestamp = 6ULL, revision = 7LL, playTime = 8ULL, parent = \"\"}",
    };
    firn_error err;
    firn_doc *doc = new_doc();
    firn_buffer out[2] = {{0}, {0}};
    for (int i = 0; i < 2; i++)
        assert_ok(firn_save_file_from_value(test_tree(doc, trees[i]), NULL, &out[i], &err), &err);
    assert_int_equal(out[0].size, out[1].size);
    assert_memory_equal(out[0].data, out[1].data, out[0].size);
    firn_buffer_free(&out[0]);
    firn_buffer_free(&out[1]);
    firn_doc_destroy(doc);
}

// ---- what is refused

#define HEADER "saveFormatVersion = 1, game = \"g\", gameVersion = 2, level = \"l\""

static void a_tree_that_is_no_save_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *tree;
        firn_result result;
        const char *subject, *message;
    } cases[] = {
        {"5", FIRN_INVALID, "value", "table"},
        {"{}", FIRN_INVALID, "saveFormatVersion", "missing"},
        {"{saveFormatVersion = 2}", FIRN_VERSION, "saveFormatVersion", "2"},
        {"{saveFormatVersion = 1, game = 5}", FIRN_INVALID, "game", "string"},
        {"{" HEADER ", 1}", FIRN_INVALID, "save", "no string"},
        {"{" HEADER ", customs = {}}", FIRN_INVALID, "customs", "no field"},
        {"{" HEADER ", custom = 1}", FIRN_INVALID, "custom", "table"},
        {"{" HEADER ", variables = \"x\"}", FIRN_INVALID, "variables", "table"},
        {"{" HEADER ", snapshot = {}}", FIRN_INVALID, "snapshot", "string"},
        {"{" HEADER ", snapshot = \"x\"}", FIRN_INVALID, "snapshot", "begin"},
        {"{" HEADER ", sections = \"x\"}", FIRN_INVALID, "sections", "table"},
        {"{" HEADER ", sections = {\"x\"}}", FIRN_INVALID, "sections", "name"},
        {"{" HEADER ", sections = {x = 1}}", FIRN_INVALID, "x", "string"},
        {"{" HEADER ", sections = {X = \"x\"}}", FIRN_INVALID, "X", "names no section"},
        {"{" HEADER ", sections = {thumbnail = \"x\"}}", FIRN_INVALID, "thumbnail", "meta"},
    };
    firn_doc *doc = new_doc();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        firn_error err = {.code = FIRN_OK};
        firn_buffer out = {0};
        firn_value *tree = test_tree(doc, cases[i].tree);
        firn_result result = firn_save_file_from_value(tree, NULL, &out, &err);
        if (result != cases[i].result)
            fail_msg("%s gives %s", cases[i].tree, firn_result_name(result));
        assert_error(&err, cases[i].result, cases[i].subject);
        if (strstr(err.message, cases[i].message) == NULL)
            fail_msg("%s gives \"%s\"", cases[i].tree, err.message);
        assert_int_equal(out.size, 0);
        firn_buffer_free(&out);
    }
    firn_error err;
    assert_int_equal(firn_save_file_from_value(NULL, NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "value");
    firn_save_file_options wrong = {.compression = 20};
    assert_int_equal(firn_save_file_from_value(test_tree(doc, "{}"), &wrong, NULL, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "compression");
    firn_doc_destroy(doc);
}

static void a_key_that_goes_on_behind_a_zero_is_no_field(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer out = {0};
    firn_doc *doc = new_doc();
    firn_value *tree = test_tree(doc, "{" HEADER "}");
    const firn_value key = {.kind = FIRN_VALUE_STRING, .length = 6, .as.string = "meta\0x"};
    assert_ok(firn_table_set(doc, tree, &key, firn_value_table(doc, &err), &err), &err);
    assert_int_equal(firn_save_file_from_value(tree, NULL, &out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "meta");
    assert_int_equal(out.size, 0);
    firn_doc_destroy(doc);
}

static void a_tree_with_more_sections_than_a_file_has_is_above_the_limit(void **state)
{
    (void)state;
    firn_error err;
    firn_doc *doc = new_doc();
    firn_value *tree = test_tree(doc, "{" HEADER ", custom = {}}");
    firn_value *sections = firn_value_table(doc, &err);
    for (int i = 0; i < FIRN_SECTIONS_MOST; i++) {
        char name[3] = {(char)('a' + i / 10), (char)('0' + i % 10), 0};
        firn_value *bytes = firn_value_text(doc, "x", &err);
        assert_ok(firn_table_set_text(doc, sections, name, bytes, &err), &err);
    }
    assert_ok(firn_table_set_text(doc, tree, "sections", sections, &err), &err);
    firn_buffer out = {0};
    assert_int_equal(firn_save_file_from_value(tree, NULL, &out, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "sections");
    firn_buffer_free(&out);
    firn_doc_destroy(doc);
}

static void a_value_that_is_above_a_limit_is_named_by_its_path(void **state)
{
    (void)state;
    firn_error err;
    firn_doc *doc = new_doc();
    firn_limits limits = {.depth = 2};
    firn_save_file_options options = {.limits = &limits};
    firn_buffer out = {0};
    firn_value *tree = test_tree(doc, "{" HEADER ", custom = {a = {b = {}}}}");
    assert_int_equal(firn_save_file_from_value(tree, &options, &out, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "custom");
    assert_non_null(strstr(err.message, "custom.a.b"));
    firn_buffer_free(&out);
    firn_doc_destroy(doc);
}

static void a_tree_that_does_not_fit_its_document_leaves_nothing(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer save = parts_full_save(NULL);
    firn_save_file *file = parts_open(&save);
    firn_limits limits = {.string_bytes = 20};
    firn_doc *doc = firn_doc_create(NULL, &limits, &err);
    assert_null(firn_save_file_value(file, doc, &err));
    assert_int_equal(err.code, FIRN_LIMIT);
    firn_doc_destroy(doc);
    assert_null(firn_save_file_value(file, NULL, &err));
    assert_error(&err, FIRN_INVALID, "doc");
    doc = new_doc();
    assert_null(firn_save_file_value(NULL, doc, &err));
    assert_error(&err, FIRN_INVALID, "file");
    firn_doc_destroy(doc);
    firn_save_file_close(file);
    firn_buffer_free(&save);
}

// A save of another writer, who did not look at what custom is.
static void custom_that_is_no_table_is_corrupt(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        firn_result result;
        const char *message;
    } cases[] = {
        {"\x02", 1, FIRN_CORRUPT, "no table"},
        {"\x09\x05\x02", 3, FIRN_TRUNCATED, "custom: "},
        {"\x03", 1, FIRN_CORRUPT, "custom: "},
    };
    firn_save_header header = parts_header();
    firn_doc *doc = new_doc();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        firn_error err;
        firn_section section = {"custox", cases[i].bytes, cases[i].size};
        firn_buffer save = parts_write(&header, &section, 1, NULL);
        uint8_t *name = save.data + FR_SAVE_FIXED_BYTES + fr_load_u32(save.data + FR_HEAD_HEADER);
        name[6] = 'm';
        parts_seal(save.data);
        firn_save_file *file = parts_open(&save);
        assert_null(firn_save_file_value(file, doc, &err));
        assert_error(&err, cases[i].result, "custom");
        assert_non_null(strstr(err.message, cases[i].message));
        firn_save_file_close(file);
        firn_buffer_free(&save);
    }
    firn_doc_destroy(doc);
}

static void a_head_alone_is_no_tree(void **state)
{
    (void)state;
    firn_error err;
    firn_doc *doc = new_doc();
    firn_buffer save = parts_full_save(NULL);
    firn_save_file *file = firn_save_file_read_head(save.data, save.size, NULL, &err);
    assert_non_null(file);
    assert_null(firn_save_file_value(file, doc, &err));
    assert_error(&err, FIRN_INVALID, "snapshot");
    firn_save_file_close(file);
    firn_buffer_free(&save);
    firn_doc_destroy(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(S1_a_save_is_a_tree_of_its_parts),
        cmocka_unit_test(S7_a_save_comes_back_from_its_tree_byte_for_byte),
        cmocka_unit_test(S7_a_save_without_any_section_comes_back),
        cmocka_unit_test(S7_numbers_of_any_kind_make_the_same_file),
        cmocka_unit_test(a_tree_that_is_no_save_is_refused),
        cmocka_unit_test(a_key_that_goes_on_behind_a_zero_is_no_field),
        cmocka_unit_test(a_tree_with_more_sections_than_a_file_has_is_above_the_limit),
        cmocka_unit_test(a_value_that_is_above_a_limit_is_named_by_its_path),
        cmocka_unit_test(a_tree_that_does_not_fit_its_document_leaves_nothing),
        cmocka_unit_test(custom_that_is_no_table_is_corrupt),
        cmocka_unit_test(a_head_alone_is_no_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
