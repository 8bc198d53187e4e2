// Save files as they are written, and read back.
#include "api/save_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "buffer/bytes.h"
#include "saves/file.h"

static void assert_same_header(const firn_save_header *a, const firn_save_header *b)
{
    assert_int_equal(a->format_version, b->format_version);
    assert_int_equal(a->game_version, b->game_version);
    assert_string_equal(a->game, b->game);
    assert_string_equal(a->engine, b->engine);
    assert_string_equal(a->level, b->level);
    assert_string_equal(a->kind, b->kind);
    assert_true(a->timestamp == b->timestamp);
    assert_true(a->tick == b->tick);
    assert_true(a->play_time == b->play_time);
    assert_true(a->revision == b->revision);
    assert_true(a->parent.low == b->parent.low && a->parent.high == b->parent.high);
}

static firn_save_header read_back(const firn_save_header *header)
{
    firn_buffer save = parts_write(header, NULL, 0, NULL);
    firn_save_file *file = parts_open(&save);
    firn_save_header expected = *header;
    expected.engine = firn_save_file_header(file)->engine;
    expected.kind = header->kind != NULL ? header->kind : "world";
    assert_same_header(firn_save_file_header(file), &expected);
    firn_save_header found = *firn_save_file_header(file);
    found.engine =
        strcmp(found.engine, header->engine ? header->engine : "") == 0 ? "same" : "firn";
    firn_save_file_close(file);
    firn_buffer_free(&save);
    return found;
}

static void K6_a_header_comes_back(void **state)
{
    (void)state;
    firn_save_header header = parts_header();
    assert_string_equal(read_back(&header).engine, "same");
}

static void K6_a_header_of_the_least_and_of_the_most_comes_back(void **state)
{
    (void)state;
    firn_save_header least = {.format_version = 1, .game_version = 1, .game = "g", .level = ""};
    read_back(&least);
    char text[256];
    memset(text, 'x', 255);
    text[255] = 0;
    firn_save_header most = {.format_version = 1,
                             .game_version = UINT32_MAX,
                             .game = text,
                             .engine = text,
                             .level = text,
                             .kind = "persisted",
                             .timestamp = (INT64_C(1) << 53) - 1,
                             .tick = (UINT64_C(1) << 53) - 1,
                             .play_time = DBL_MAX,
                             .revision = (UINT64_C(1) << 53) - 1,
                             .parent = {UINT64_MAX, UINT64_MAX}};
    read_back(&most);
}

static void the_engine_is_that_of_firn_when_none_is_given(void **state)
{
    (void)state;
    firn_save_header header = parts_header();
    const char *none[] = {NULL, ""};
    for (int i = 0; i < 2; i++) {
        header.engine = none[i];
        firn_buffer save = parts_write(&header, NULL, 0, NULL);
        firn_save_file *file = parts_open(&save);
        assert_string_equal(firn_save_file_header(file)->engine, "firn 0.1.0");
        firn_save_file_close(file);
        firn_buffer_free(&save);
    }
}

static void S1_the_sections_of_a_file_stand_in_one_order(void **state)
{
    (void)state;
    static const char *const order[] = {"snapshot", "custom", "variables",
                                        "map.png",  "replay", "thumbnail"};
    firn_buffer save = parts_full_save(NULL);
    firn_save_file *file = parts_open(&save);
    assert_int_equal(firn_save_file_section_count(file), 6);
    assert_int_equal(firn_save_file_size(file), save.size);
    firn_section_info info;
    uint64_t end = 0;
    for (uint32_t i = 0; firn_save_file_section_at(file, i, &info); i++) {
        assert_string_equal(info.name, order[i]);
        assert_false(info.compressed);
        assert_int_equal(info.size, info.stored);
        assert_int_equal(info.offset, i == 0 ? fr_load_u32(save.data + FR_HEAD_SIZE) : end);
        end = info.offset + info.stored;
        firn_digest digest = firn_bytes_digest(save.data + info.offset, (size_t)info.stored);
        assert_true(digest.low == info.digest.low && digest.high == info.digest.high);
    }
    assert_int_equal(end, save.size);
    firn_save_file_close(file);
    firn_buffer_free(&save);
}

// Whatever the head holds, and wherever in memory the file begins.
static void S1_a_snapshot_begins_at_a_multiple_of_64(void **state)
{
    (void)state;
    firn_save_header header = parts_header();
    firn_buffer snapshot = parts_snapshot();
    const firn_section section = {FIRN_SECTION_SNAPSHOT, snapshot.data, snapshot.size};
    char level[129] = "";
    uint32_t heads = 0;
    uint64_t last = 0;
    header.level = level;
    for (size_t i = 0; i < 128; i++) {
        level[i] = 'x';
        firn_buffer save = parts_write(&header, &section, 1, NULL);
        firn_save_file *file = parts_open(&save);
        firn_section_info info;
        assert_true(firn_save_file_section_at(file, 0, &info));
        assert_int_equal(info.offset % FR_SAVE_ALIGN, 0);
        assert_int_equal((uintptr_t)(save.data + info.offset) % FR_SAVE_ALIGN, 0);
        assert_true(info.offset >= last);
        heads += info.offset != last ? 1 : 0;
        last = info.offset;
        firn_save_file_close(file);
        firn_buffer_free(&save);
    }
    assert_in_range(heads, 3, 4);
    firn_buffer_free(&snapshot);
}

static void S1_the_snapshot_in_a_file_is_the_one_that_was_saved(void **state)
{
    (void)state;
    firn_buffer save = parts_full_save(NULL), snapshot = parts_snapshot();
    firn_save_file *file = parts_open(&save);
    parts_assert_section(file, FIRN_SECTION_SNAPSHOT, snapshot.data, snapshot.size);
    parts_assert_section(file, "replay", "left right left", 15);
    parts_assert_section(file, "map.png", NULL, 0);
    firn_save_file_close(file);
    firn_buffer_free(&snapshot);
    firn_buffer_free(&save);
}

static void K6_a_thumbnail_leaves_the_header_and_becomes_a_section(void **state)
{
    (void)state;
    firn_buffer save = parts_full_save(NULL);
    firn_save_file *file = parts_open(&save);
    assert_tree(firn_save_file_header(file)->meta, "{\"first\", title = \"The kitchen\"}");
    parts_assert_section(file, FIRN_SECTION_THUMBNAIL, "PNG bytes", 9);
    firn_save_file_close(file);
    firn_buffer_free(&save);
}

static void a_thumbnail_that_is_no_string_stays_in_the_header(void **state)
{
    (void)state;
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_save_header header = parts_header();
    header.meta = test_tree(doc, "{thumbnail = {1, 2}, [true] = 1, [0.5] = 2}");
    firn_buffer save = parts_write(&header, NULL, 0, NULL);
    firn_save_file *file = parts_open(&save);
    assert_int_equal(firn_save_file_section_count(file), 0);
    assert_true(firn_value_equal(firn_save_file_header(file)->meta, header.meta));
    firn_save_file_close(file);
    firn_buffer_free(&save);
    firn_doc_destroy(doc);
}

static void a_file_goes_behind_what_the_buffer_holds(void **state)
{
    (void)state;
    firn_error err;
    firn_save_header header = parts_header();
    firn_section section = {"replay", "abc", 3};
    firn_buffer alone = parts_write(&header, &section, 1, NULL), out = {0};
    assert_ok(firn_buffer_append(&out, "12345", 5, &err), &err);
    assert_ok(firn_save_file_write(&header, &section, 1, NULL, &out, &err), &err);
    assert_int_equal(out.size, alone.size + 5);
    assert_memory_equal(out.data + 5, alone.data, alone.size);
    firn_buffer_free(&out);
    firn_buffer_free(&alone);
}

static void the_identity_is_the_hash_of_the_head(void **state)
{
    (void)state;
    firn_buffer save = parts_full_save(NULL);
    firn_save_file *file = parts_open(&save);
    firn_section_info first;
    assert_true(firn_save_file_section_at(file, 0, &first));
    firn_digest is = firn_save_file_identity(file);
    firn_digest hash = firn_bytes_digest(save.data, (size_t)first.offset - 16);
    assert_true(is.low == hash.low && is.high == hash.high);
    firn_save_file_close(file);
    firn_buffer_free(&save);
}

// ---- section by section

static void a_file_that_is_built_section_by_section_is_the_same(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer snapshot = parts_snapshot();
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_save_header header = parts_header();
    header.meta = test_tree(doc, "{thumbnail = \"bytes\"}");
    static uint8_t large[10000];
    memset(large, 7, sizeof large);
    firn_section sections[] = {{FIRN_SECTION_SNAPSHOT, snapshot.data, snapshot.size},
                               {"large", large, sizeof large}};
    const char *names[] = {FIRN_SECTION_SNAPSHOT, "large"};
    for (int with_digest = 0; with_digest < 2; with_digest++) {
        for (int compression = 0; compression < (firn_save_file_can_compress() ? 4 : 1);
             compression++) {
            firn_save_file_options options = {.compression = compression};
            firn_buffer whole = parts_write(&header, sections, 2, &options), out = {0};
            fr_file_out file;
            firn_digest digest = firn_bytes_digest(snapshot.data, snapshot.size), identity;
            assert_ok(fr_file_begin(&file, &header, names, 2, &options, &out, &err), &err);
            firn_buffer *room = fr_file_open_section(&file);
            assert_ok(firn_buffer_append(room, snapshot.data, snapshot.size, &err), &err);
            assert_ok(fr_file_close_section(&file, with_digest ? &digest : NULL, &err), &err);
            room = fr_file_open_section(&file);
            assert_ok(firn_buffer_append(room, large, sizeof large, &err), &err);
            assert_ok(fr_file_close_section(&file, NULL, &err), &err);
            assert_ok(fr_file_end(&file, &identity, &err), &err);
            assert_int_equal(out.size, whole.size);
            assert_memory_equal(out.data, whole.data, whole.size);
            firn_save_file *read = parts_open(&out);
            firn_digest is = firn_save_file_identity(read);
            assert_true(is.low == identity.low && is.high == identity.high);
            firn_save_file_close(read);
            firn_buffer_free(&out);
            firn_buffer_free(&whole);
        }
    }
    firn_doc_destroy(doc);
    firn_buffer_free(&snapshot);
}

static void a_file_that_is_given_up_leaves_the_buffer_as_it_was(void **state)
{
    (void)state;
    firn_error err;
    firn_save_header header = parts_header();
    const char *names[] = {"a", "b"};
    firn_buffer out = {0};
    fr_file_out file;
    assert_ok(firn_buffer_append(&out, "before", 6, &err), &err);
    assert_ok(fr_file_begin(&file, &header, names, 2, NULL, &out, &err), &err);
    assert_ok(fr_file_section(&file, "1234", 4, &err), &err);
    fr_file_cancel(&file);
    fr_file_cancel(&file);
    assert_int_equal(out.size, 6);
    assert_memory_equal(out.data, "before", 6);
    firn_buffer_free(&out);
}

static void a_section_that_cannot_be_compressed_for_lack_of_memory_gives_the_file_up(void **state)
{
    (void)state;
    if (!firn_save_file_can_compress())
        skip();
    firn_error err;
    test_allocator memory;
    test_allocator_init(&memory);
    firn_save_header header = parts_header();
    firn_save_file_options options = {.allocator = &memory.allocator, .compression = 3};
    const char *names[] = {"a"};
    firn_buffer out = {0};
    fr_file_out file;
    for (uint64_t call = 1;; call++) {
        firn_buffer_clear(&out);
        assert_ok(firn_buffer_append(&out, "before", 6, &err), &err);
        assert_ok(fr_file_begin(&file, &header, names, 1, &options, &out, &err), &err);
        firn_buffer *room = fr_file_open_section(&file);
        for (int i = 0; i < 1000; i++)
            assert_ok(firn_buffer_append(room, "12345678", 8, &err), &err);
        test_allocator_fail_at(&memory, call, false);
        firn_result result = fr_file_close_section(&file, NULL, &err);
        test_allocator_fail_at(&memory, 0, false);
        if (result == FIRN_OK)
            break;
        assert_error(&err, FIRN_NO_MEMORY, "compression");
        assert_int_equal(out.size, 6);
        assert_true(call < 100);
    }
    assert_ok(fr_file_end(&file, NULL, &err), &err);
    assert_no_leak(&memory);
    firn_buffer_free(&out);
}

static void a_large_section_that_cannot_be_hashed_for_lack_of_memory_gives_the_file_up(void **state)
{
    (void)state;
    static const char bytes[300000];
    firn_error err;
    test_allocator memory;
    test_allocator_init(&memory);
    firn_save_header header = parts_header();
    firn_save_file_options options = {.allocator = &memory.allocator};
    const char *names[] = {"a"};
    firn_buffer out = {0};
    fr_file_out file;
    assert_ok(firn_buffer_append(&out, "before", 6, &err), &err);
    assert_ok(fr_file_begin(&file, &header, names, 1, &options, &out, &err), &err);
    test_allocator_fail_at(&memory, 1, false);
    assert_int_equal(fr_file_section(&file, bytes, sizeof bytes, &err), FIRN_NO_MEMORY);
    assert_error(&err, FIRN_NO_MEMORY, "digest");
    assert_int_equal(out.size, 6);
    assert_no_leak(&memory);
    firn_buffer_free(&out);
}

static void sections_that_come_out_of_order_are_invalid(void **state)
{
    (void)state;
    firn_error err;
    firn_save_header header = parts_header();
    const char *names[] = {"b", FIRN_SECTION_SNAPSHOT};
    firn_buffer out = {0};
    fr_file_out file;
    assert_int_equal(fr_file_begin(&file, &header, names, 2, NULL, &out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, FIRN_SECTION_SNAPSHOT);
    assert_int_equal(out.size, 0);
    firn_buffer_free(&out);
}

// ---- what is refused

static void refuse_write(const firn_save_header *header, const firn_section *sections,
                         uint32_t count, const firn_save_file_options *options, firn_result result,
                         const char *subject, const char *message)
{
    firn_error err;
    firn_buffer out = {0};
    assert_ok(firn_buffer_append(&out, "before", 6, &err), &err);
    if (firn_save_file_write(header, sections, count, options, &out, &err) != result)
        fail_msg("%s: %s", subject, message);
    assert_error(&err, result, subject);
    if (strstr(err.message, message) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", err.message, message);
    assert_int_equal(out.size, 6);
    assert_memory_equal(out.data, "before", 6);
    firn_buffer_free(&out);
}

static void a_header_that_is_out_of_range_is_invalid(void **state)
{
    (void)state;
    firn_value number = {.kind = FIRN_VALUE_NUMBER};
    char text[300];
    memset(text, 'x', 299);
    text[299] = 0;
    const firn_save_header good = parts_header();
    refuse_write(NULL, NULL, 0, NULL, FIRN_INVALID, "header", "NULL");
#define REFUSE_FIELD(assignment, subject, message)                                                 \
    do {                                                                                           \
        firn_save_header bad = good;                                                               \
        bad.assignment;                                                                            \
        refuse_write(&bad, NULL, 0, NULL, FIRN_INVALID, subject, message);                         \
    } while (0)
    REFUSE_FIELD(game = NULL, "game", "NULL");
    REFUSE_FIELD(game = "", "game", "empty");
    REFUSE_FIELD(game = text, "game", "255");
    REFUSE_FIELD(game = "a\nb", "game", "control");
    REFUSE_FIELD(engine = text, "engineVersion", "255");
    REFUSE_FIELD(level = NULL, "level", "NULL");
    REFUSE_FIELD(level = "\xff", "level", "UTF-8");
    REFUSE_FIELD(kind = "worlds", "kind", "worlds");
    REFUSE_FIELD(game_version = 0, "gameVersion", "0");
    REFUSE_FIELD(timestamp = -5, "timestamp", "-5");
    REFUSE_FIELD(timestamp = INT64_C(1) << 53, "timestamp", "9007199254740992");
    REFUSE_FIELD(tick = UINT64_MAX, "tick", "18446744073709551615");
    REFUSE_FIELD(revision = UINT64_C(1) << 53, "revision", "2^53");
    REFUSE_FIELD(play_time = -0.5, "playTime", "-0.5");
    REFUSE_FIELD(play_time = (double)INFINITY, "playTime", "inf");
    REFUSE_FIELD(play_time = (double)NAN, "playTime", "nan");
    REFUSE_FIELD(meta = &number, "meta", "table");
#undef REFUSE_FIELD
}

static void a_section_that_may_not_be_is_invalid(void **state)
{
    (void)state;
    firn_save_header header = parts_header();
    static const struct {
        firn_section section;
        const char *subject, *message;
    } cases[] = {
        {{NULL, "x", 1}, "sections", "no name"},
        {{"", "x", 1}, "", "names no section"},
        {{"Map", "x", 1}, "Map", "names no section"},
        {{"a/b", "x", 1}, "a/b", "names no section"},
        {{"a123456789b123456789c123456789d1", "x", 1}, "a12345678", "names no section"},
        {{"firn.x", "x", 1}, "firn.x", "reserved"},
        {{"thumbnail", "x", 1}, "thumbnail", "meta.thumbnail"},
        {{"snapshot", "x", 1}, "snapshot", "begin"},
        {{"snapshot", "", 0}, "snapshot", "begin"},
        {{"snapshot", "\x07\0\0\0\0\0\0\x08\x40", 9}, "snapshot", "begin"}, // version 3
        {{"custom", "", 0}, "custom", "table"},
        {{"custom", "\x02", 1}, "custom", "table"},
        {{"variables", "\x09\x01\x21", 3}, "variables", "table"},
        {{"variables", "\x0c\x01", 2}, "variables", "table"}, // a table, but not canonical
        {{"x", NULL, 1}, "x", "NULL"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuse_write(&header, &cases[i].section, 1, NULL, FIRN_INVALID, cases[i].subject,
                     cases[i].message);
    firn_section twice[] = {{"b", "1", 1}, {"a", "2", 1}, {"b", "3", 1}};
    refuse_write(&header, twice, 3, NULL, FIRN_INVALID, "b", "twice");
    refuse_write(&header, NULL, 1, NULL, FIRN_INVALID, "sections", "NULL");
    assert_int_equal(firn_save_file_write(&header, NULL, 0, NULL, NULL, NULL), FIRN_INVALID);
}

static void the_longest_name_of_a_section_is_written_and_read(void **state)
{
    (void)state;
    firn_save_header header = parts_header();
    firn_section section = {"a123456789b123456789c123456789d", "x", 1};
    firn_buffer save = parts_write(&header, &section, 1, NULL);
    firn_save_file *file = parts_open(&save);
    parts_assert_section(file, section.name, "x", 1);
    firn_save_file_close(file);
    firn_buffer_free(&save);
}

static void more_sections_than_a_file_may_have_are_above_the_limit(void **state)
{
    (void)state;
    firn_error err;
    firn_save_header header = parts_header();
    firn_section sections[FIRN_SECTIONS_MOST + 1];
    char names[FIRN_SECTIONS_MOST + 1][4] = {{0}};
    for (uint32_t i = 0; i <= FIRN_SECTIONS_MOST; i++) {
        names[i][0] = (char)('a' + i / 10);
        names[i][1] = (char)('0' + i % 10);
        sections[i] = (firn_section){names[i], "x", 1};
    }
    firn_buffer save = parts_write(&header, sections, FIRN_SECTIONS_MOST, NULL);
    firn_save_file *file = parts_open(&save);
    assert_int_equal(firn_save_file_section_count(file), FIRN_SECTIONS_MOST);
    firn_save_file_close(file);
    firn_buffer_free(&save);
    refuse_write(&header, sections, FIRN_SECTIONS_MOST + 1, NULL, FIRN_LIMIT, "sections", "33");
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    header.meta = test_tree(doc, "{thumbnail = \"x\"}");
    refuse_write(&header, sections, FIRN_SECTIONS_MOST, NULL, FIRN_LIMIT, "sections", "33");
    firn_doc_destroy(doc);
}

// ---- limits

static firn_value *long_meta(firn_doc *doc, size_t size)
{
    char text[5000];
    firn_error err;
    assert_in_range(size, 0, sizeof text);
    memset(text, 'm', sizeof text);
    firn_value *meta = firn_value_table(doc, &err);
    firn_value *string = firn_value_string(doc, text, size, &err);
    assert_ok(firn_table_set_text(doc, meta, "text", string, &err), &err);
    return meta;
}

static void K6_a_head_of_more_than_4096_bytes_is_above_the_limit(void **state)
{
    (void)state;
    firn_error err;
    firn_save_header header = parts_header();
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    header.meta = long_meta(doc, 3000);
    firn_buffer save = parts_write(&header, NULL, 0, NULL);
    size_t room = FIRN_SAVE_HEAD_MOST - save.size; // the file is all head
    firn_buffer_free(&save);
    header.meta = long_meta(doc, 3000 + room);
    save = parts_write(&header, NULL, 0, NULL);
    assert_int_equal(save.size, FIRN_SAVE_HEAD_MOST);
    firn_save_file *file = parts_open(&save);
    assert_true(firn_value_equal(firn_save_file_header(file)->meta, header.meta));
    firn_save_file_close(file);
    firn_buffer_free(&save);
    header.meta = long_meta(doc, 3000 + room + FR_SAVE_ALIGN);
    refuse_write(&header, NULL, 0, NULL, FIRN_LIMIT, "meta", "4160");
    header.meta = long_meta(doc, 3000 + room);
    firn_section section = {"x", "", 0};
    refuse_write(&header, &section, 1, NULL, FIRN_LIMIT, "meta", "4160");
    firn_doc_destroy(doc);
}

static void the_limits_of_bytes_hold_when_writing(void **state)
{
    (void)state;
    firn_save_header header = parts_header();
    firn_section sections[] = {{"a", "12345", 5}, {"b", "123", 3}};
    firn_buffer save = parts_write(&header, sections, 2, NULL);
    firn_limits limits = {.file_bytes = save.size, .expanded_bytes = 8};
    firn_save_file_options options = {.limits = &limits};
    firn_buffer same = parts_write(&header, sections, 2, &options);
    firn_buffer_free(&same);
    limits.file_bytes--;
    refuse_write(&header, sections, 2, &options, FIRN_LIMIT, "b", "above the limit");
    limits.file_bytes = 4;
    refuse_write(&header, sections, 2, &options, FIRN_LIMIT, "a", "above the limit 4");
    limits = (firn_limits){.expanded_bytes = 7};
    refuse_write(&header, sections, 2, &options, FIRN_LIMIT, "b", "above the limit 7");
    firn_buffer_free(&save);
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    header.meta = test_tree(doc, "{thumbnail = \"12345678\"}");
    refuse_write(&header, NULL, 0, &options, FIRN_LIMIT, "thumbnail", "above the limit 7");
    firn_doc_destroy(doc);
}

static void options_that_are_wrong_are_named(void **state)
{
    (void)state;
    firn_save_header header = parts_header();
    firn_limits limits = {.depth = 101};
    firn_allocator allocator = {NULL, NULL};
    firn_save_file_options cases[] = {{.compression = -1},
                                      {.compression = 20},
                                      {.limits = &limits},
                                      {.allocator = &allocator},
                                      {.reserved = {0, 1}}};
    static const char *const subjects[] = {"compression", "compression", "depth", "allocator",
                                           "firn_save_file_options"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuse_write(&header, NULL, 0, &cases[i], FIRN_INVALID, subjects[i], "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(K6_a_header_comes_back),
        cmocka_unit_test(K6_a_header_of_the_least_and_of_the_most_comes_back),
        cmocka_unit_test(the_engine_is_that_of_firn_when_none_is_given),
        cmocka_unit_test(S1_the_sections_of_a_file_stand_in_one_order),
        cmocka_unit_test(S1_a_snapshot_begins_at_a_multiple_of_64),
        cmocka_unit_test(S1_the_snapshot_in_a_file_is_the_one_that_was_saved),
        cmocka_unit_test(K6_a_thumbnail_leaves_the_header_and_becomes_a_section),
        cmocka_unit_test(a_thumbnail_that_is_no_string_stays_in_the_header),
        cmocka_unit_test(a_file_goes_behind_what_the_buffer_holds),
        cmocka_unit_test(the_identity_is_the_hash_of_the_head),
        cmocka_unit_test(a_file_that_is_built_section_by_section_is_the_same),
        cmocka_unit_test(a_file_that_is_given_up_leaves_the_buffer_as_it_was),
        cmocka_unit_test(a_section_that_cannot_be_compressed_for_lack_of_memory_gives_the_file_up),
        cmocka_unit_test(
            a_large_section_that_cannot_be_hashed_for_lack_of_memory_gives_the_file_up),
        cmocka_unit_test(sections_that_come_out_of_order_are_invalid),
        cmocka_unit_test(a_header_that_is_out_of_range_is_invalid),
        cmocka_unit_test(a_section_that_may_not_be_is_invalid),
        cmocka_unit_test(the_longest_name_of_a_section_is_written_and_read),
        cmocka_unit_test(more_sections_than_a_file_may_have_are_above_the_limit),
        cmocka_unit_test(K6_a_head_of_more_than_4096_bytes_is_above_the_limit),
        cmocka_unit_test(the_limits_of_bytes_hold_when_writing),
        cmocka_unit_test(options_that_are_wrong_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
