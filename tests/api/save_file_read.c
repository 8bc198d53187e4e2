// Save files that are read: what is refused, and how.
#include "api/save_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer/bytes.h"
#include "saves/file.h"

// A save, changed in some way and sealed again, is refused.
static void assert_sealed_refused(const firn_buffer *save, firn_result result, const char *subject,
                                  const char *message)
{
    parts_seal(save->data);
    parts_assert_refused(save->data, save->size, NULL, result, subject, message);
}

static uint8_t *save_entry(const firn_buffer *save, uint32_t index)
{
    uint32_t header = fr_load_u32(save->data + FR_HEAD_HEADER);
    return save->data + FR_SAVE_FIXED_BYTES + header + index * FR_SAVE_ENTRY_BYTES;
}

// ---- no save file at all

static void what_is_no_save_file_is_told_apart(void **state)
{
    (void)state;
    uint8_t zeros[5000] = {0};
    firn_buffer snapshot = parts_snapshot();
    parts_assert_refused("", 0, NULL, FIRN_TRUNCATED, "file", "empty");
    parts_assert_refused(NULL, 0, NULL, FIRN_TRUNCATED, "file", "empty");
    parts_assert_refused(snapshot.data, snapshot.size, NULL, FIRN_NOT_OURS, "magic",
                         "bare snapshot");
    parts_assert_refused("\x06\x02\0\0\0", 5, NULL, FIRN_NOT_OURS, "magic", "bare snapshot");
    parts_assert_refused("level = 3\r\n\t# end", 17, NULL, FIRN_NOT_OURS, "magic", "text");
    parts_assert_refused("\xc3\xa9t\xc3\xa9", 5, NULL, FIRN_NOT_OURS, "magic", "text");
    parts_assert_refused("\177ELF", 4, NULL, FIRN_NOT_OURS, "magic", "0x7f");
    parts_assert_refused("PK\x03\x04", 4, NULL, FIRN_NOT_OURS, "magic", "0x50");
    parts_assert_refused(zeros, sizeof zeros, NULL, FIRN_CORRUPT, "magic", "zeros");
    parts_assert_refused("\x06\x03\0\0\0", 5, NULL, FIRN_NOT_OURS, "magic", "0x06");
    firn_buffer_free(&snapshot);
    firn_error err;
    assert_null(firn_save_file_open(NULL, 5, NULL, &err));
    assert_error(&err, FIRN_INVALID, "bytes");
    assert_null(firn_save_file_open("x", 1, &(firn_save_file_options){.compression = 20}, &err));
    assert_error(&err, FIRN_INVALID, "compression");
}

// What transfers do to line ends and bytes above 0x7f; 0: nothing.
typedef struct transfer {
    const char *from, *to;
} transfer;

static void replace_all(firn_buffer *out, const firn_buffer *in, transfer t)
{
    size_t from = strlen(t.from);
    firn_error err;
    for (size_t i = 0; i < in->size;) {
        if (i + from <= in->size && memcmp(in->data + i, t.from, from) == 0) {
            assert_ok(firn_buffer_append(out, t.to, strlen(t.to), &err), &err);
            i += from;
        } else {
            assert_ok(firn_buffer_append(out, in->data + i++, 1, &err), &err);
        }
    }
}

static void K12_a_transfer_as_text_is_told_apart(void **state)
{
    (void)state;
    static const transfer transfers[] = {
        {"\r\n", "\n"}, {"\n", "\r\n"},         {"\n", "\r"},
        {"\r", "\n"},   {"\x89", "\xc2\x89"},   {"\x89", "\xef\xbf\xbd"},
        {"\x89", "\t"}, {"\x1a\n", "\x1a\r\n"}, {"\r\n", "\r\r\n"},
    };
    firn_buffer save = parts_full_save(NULL);
    for (size_t i = 0; i < sizeof transfers / sizeof *transfers; i++) {
        firn_buffer damaged = {0};
        replace_all(&damaged, &save, transfers[i]);
        parts_assert_refused(damaged.data, damaged.size, NULL, FIRN_CORRUPT, "magic",
                             "transfer as text");
        firn_buffer_free(&damaged);
    }
    firn_buffer_free(&save);
}

static void a_damaged_magic_says_which_byte(void **state)
{
    (void)state;
    firn_buffer save = parts_full_save(NULL);
    for (uint32_t i = 0; i < FR_SAVE_MAGIC_BYTES; i++) {
        char message[32];
        save.data[i] ^= 0x40;
        snprintf(message, sizeof message, "byte %u is 0x%02x", i, save.data[i]);
        parts_assert_refused(save.data, save.size, NULL, FIRN_CORRUPT, "magic", message);
        save.data[i] ^= 0x40;
    }
    firn_buffer_free(&save);
}

// ---- versions

static void another_container_version_is_refused(void **state)
{
    (void)state;
    firn_buffer save = parts_full_save(NULL);
    fr_store_u32(save.data + FR_HEAD_VERSION, 2);
    assert_sealed_refused(&save, FIRN_VERSION, "container version", "version 2");
    fr_store_u32(save.data + FR_HEAD_VERSION, 255);
    assert_sealed_refused(&save, FIRN_VERSION, "container version", "version 255");
    fr_store_u32(save.data + FR_HEAD_VERSION, 256);
    assert_sealed_refused(&save, FIRN_CORRUPT, "container version", "damaged: it is 256");
    fr_store_u32(save.data + FR_HEAD_VERSION, 0);
    assert_sealed_refused(&save, FIRN_CORRUPT, "container version", "damaged: it is 0");
    firn_buffer_free(&save);
}

// A save whose header is what a tree says.
static firn_buffer save_with_header(const char *tree)
{
    firn_error err;
    firn_save_header header = parts_header();
    firn_buffer save = {0}, map = parts_encoded(tree);
    firn_buffer base = parts_write(&header, NULL, 0, NULL);
    assert_ok(firn_buffer_append(&save, base.data, FR_SAVE_FIXED_BYTES, &err), &err);
    assert_ok(firn_buffer_append(&save, map.data, map.size, &err), &err);
    static const uint8_t zeros[FR_SAVE_ALIGN + FR_SAVE_DIGEST_BYTES] = {0};
    size_t used = save.size, head = fr_head_bytes(used);
    assert_ok(firn_buffer_append(&save, zeros, head - used, &err), &err);
    fr_store_u32(save.data + FR_HEAD_SIZE, (uint32_t)head);
    fr_store_u64(save.data + FR_HEAD_FILE, head);
    fr_store_u32(save.data + FR_HEAD_HEADER, (uint32_t)map.size);
    parts_seal(save.data);
    firn_buffer_free(&base);
    firn_buffer_free(&map);
    return save;
}

#define REST "game = \"mill\", gameVersion = 1, level = \"\""

static void S4_another_save_format_version_is_refused(void **state)
{
    (void)state;
    static const char *const versions[] = {"2", "0", "4294967295"};
    for (size_t i = 0; i < 3; i++) {
        char tree[128];
        snprintf(tree, sizeof tree, "{saveFormatVersion = %s, " REST "}", versions[i]);
        firn_buffer save = save_with_header(tree);
        parts_assert_refused(save.data, save.size, NULL, FIRN_VERSION, "saveFormatVersion",
                             versions[i]);
        firn_buffer_free(&save);
    }
}

static void a_header_needs_little_and_ignores_what_it_does_not_know(void **state)
{
    (void)state;
    firn_buffer save = save_with_header("{saveFormatVersion = 1, " REST
                                        ", difficulty = 3, [5] = true, revision = 7LL, tick = "
                                        "8ULL, playTime = 3LL}");
    firn_save_file *file = parts_open(&save);
    const firn_save_header *header = firn_save_file_header(file);
    assert_string_equal(header->game, "mill");
    assert_string_equal(header->level, "");
    assert_string_equal(header->engine, "");
    assert_string_equal(header->kind, "world");
    assert_int_equal(header->game_version, 1);
    assert_int_equal(header->timestamp, 0);
    assert_int_equal(header->tick, 8);
    assert_int_equal(header->revision, 7);
    assert_true(header->play_time == 3);
    assert_int_equal(header->parent.low | header->parent.high, 0);
    assert_null(header->meta);
    firn_save_file_close(file);
    firn_buffer_free(&save);
}

static void a_header_with_a_wrong_field_is_corrupt(void **state)
{
    (void)state;
#define GOOD "saveFormatVersion = 1, " REST
#define BUT  "saveFormatVersion = 1, "
    static const struct {
        const char *tree, *subject, *message;
    } cases[] = {
        {"{" REST "}", "saveFormatVersion", "missing"},
        {"{saveFormatVersion = \"1\", " REST "}", "saveFormatVersion", "integer"},
        {"{saveFormatVersion = 1.5, " REST "}", "saveFormatVersion", "integer"},
        {"{saveFormatVersion = 4294967296, " REST "}", "saveFormatVersion", "integer"},
        {"{" BUT "gameVersion = 1, level = \"\"}", "game", "missing"},
        {"{" BUT "game = \"g\", level = \"\"}", "gameVersion", "missing"},
        {"{" BUT "game = \"g\", gameVersion = 1}", "level", "missing"},
        {"{" BUT "game = \"g\", gameVersion = 0, level = \"\"}", "gameVersion", "0"},
        {"{" BUT "game = \"\", gameVersion = 1, level = \"\"}", "game", "empty"},
        {"{" BUT "game = true, gameVersion = 1, level = \"\"}", "game", "string"},
        {"{" BUT "game = \"g\", gameVersion = 1, level = 5}", "level", "string"},
        {"{" GOOD ", kind = \"other\"}", "kind", "other"},
        {"{" GOOD ", timestamp = -1}", "timestamp", "integer"},
        {"{" GOOD ", timestamp = 9007199254740992}", "timestamp", "integer"},
        {"{" GOOD ", tick = -1LL}", "tick", "integer"},
        {"{" GOOD ", tick = 9007199254740992ULL}", "tick", "integer"},
        {"{" GOOD ", revision = {}}", "revision", "integer"},
        {"{" GOOD ", playTime = -1}", "playTime", "-1"},
        {"{" GOOD ", playTime = -1LL}", "playTime", "seconds"},
        {"{" GOOD ", playTime = \"1\"}", "playTime", "seconds"},
        {"{" GOOD ", parent = \"12\"}", "parent", "hex"},
        {"{" GOOD ", parent = \"0123456789ABCDEF0123456789ABCDEF\"}", "parent", "hex"},
        {"{" GOOD ", meta = 1}", "meta", "table"},
        {"5", "header", "table"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        firn_buffer save = save_with_header(cases[i].tree);
        parts_assert_refused(save.data, save.size, NULL, FIRN_CORRUPT, cases[i].subject,
                             cases[i].message);
        firn_buffer_free(&save);
    }
#undef GOOD
#undef BUT
}

static void a_text_with_a_zero_in_a_header_is_corrupt(void **state)
{
    (void)state;
    firn_save_header header = parts_header();
    firn_buffer save = parts_write(&header, NULL, 0, NULL);
    for (size_t i = 0; i < save.size; i++)
        if (memcmp(save.data + i, "kitchen", 7) == 0) {
            save.data[i + 3] = 0;
            break;
        }
    assert_sealed_refused(&save, FIRN_CORRUPT, "level", "zero byte");
    firn_buffer_free(&save);
}

static void a_header_that_is_not_canonical_is_corrupt(void **state)
{
    (void)state;
    firn_save_header header = parts_header();
    firn_buffer save = parts_write(&header, NULL, 0, NULL);
    save.data[FR_SAVE_FIXED_BYTES] = 0x03;
    assert_sealed_refused(&save, FIRN_CORRUPT, "header", "encodes");
    firn_buffer_free(&save);
}

static void a_header_that_is_above_a_limit_says_so(void **state)
{
    (void)state;
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_save_header header = parts_header();
    header.meta = test_tree(doc, "{a = {b = {c = {d = 1}}}}");
    firn_buffer save = parts_write(&header, NULL, 0, NULL);
    firn_limits limits = {.depth = 3};
    firn_save_file_options options = {.limits = &limits};
    assert_null(firn_save_file_open(save.data, save.size, &options, &err));
    assert_error(&err, FIRN_LIMIT, "header");
    assert_in_range(err.offset, FR_SAVE_FIXED_BYTES + 1, save.size);
    firn_buffer_free(&save);
    firn_doc_destroy(doc);
}

// ---- cut and added

static void K12_a_file_that_was_cut_is_truncated(void **state)
{
    (void)state;
    firn_buffer save = parts_full_save(NULL);
    uint32_t head = fr_load_u32(save.data + FR_HEAD_SIZE);
    for (size_t size = 0; size < save.size; size++) {
        const char *subject = size == 0 || size >= head ? "file" : size < 8 ? "" : "head";
        parts_assert_refused(save.data, size, NULL, FIRN_TRUNCATED, subject, "");
    }
    parts_assert_refused(save.data, save.size - 1, NULL, FIRN_TRUNCATED, "file", "cut");
    firn_buffer_free(&save);
}

static void K12_bytes_behind_a_file_are_corrupt(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer save = parts_full_save(NULL);
    size_t size = save.size;
    for (uint32_t added = 1; added < 20; added++) {
        assert_ok(firn_buffer_append(&save, "\0", 1, &err), &err);
        parts_assert_refused(save.data, save.size, NULL, FIRN_CORRUPT, "file", "added");
    }
    firn_save_file_open(save.data, save.size, NULL, &err);
    assert_int_equal(err.offset, size);
    firn_buffer_free(&save);
}

static void K12_a_damaged_section_is_named(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer save = parts_full_save(NULL);
    firn_save_file *file = parts_open(&save);
    firn_section_info info;
    for (uint32_t i = 0; firn_save_file_section_at(file, i, &info); i++) {
        if (info.stored == 0)
            continue;
        save.data[info.offset + info.stored / 2] ^= 1;
        parts_assert_refused(save.data, save.size, NULL, FIRN_CORRUPT, info.name, "damaged");
        assert_null(firn_save_file_open(save.data, save.size, NULL, &err));
        assert_int_equal(err.offset, info.offset);
        save.data[info.offset + info.stored / 2] ^= 1;
    }
    firn_save_file_close(file);
    firn_buffer_free(&save);
}

static void a_damaged_head_is_corrupt(void **state)
{
    (void)state;
    firn_buffer save = parts_full_save(NULL);
    uint32_t head = fr_load_u32(save.data + FR_HEAD_SIZE);
    for (uint32_t i = FR_HEAD_FILE; i < head; i++) {
        save.data[i] ^= 1;
        parts_assert_refused(save.data, save.size, NULL, FIRN_CORRUPT, "head", "");
        save.data[i] ^= 1;
    }
    firn_buffer_free(&save);
}

// ---- heads that contradict themselves, with a right hash

static void a_head_with_wrong_sizes_is_corrupt(void **state)
{
    (void)state;
    static const struct {
        uint32_t at, value;
    } cases[] = {
        {FR_HEAD_SIZE, 4104},         {FR_HEAD_SIZE, UINT32_MAX},  {FR_HEAD_SIZE, 0},
        {FR_HEAD_COUNT, 33},          {FR_HEAD_COUNT, UINT32_MAX}, {FR_HEAD_COUNT, 5},
        {FR_HEAD_HEADER, UINT32_MAX}, {FR_HEAD_HEADER, 0},
    };
    firn_buffer save = parts_full_save(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t good = fr_load_u32(save.data + cases[i].at);
        fr_store_u32(save.data + cases[i].at, cases[i].value);
        parts_assert_refused(save.data, save.size, NULL, FIRN_CORRUPT, "head", "");
        fr_store_u32(save.data + cases[i].at, good);
    }
    firn_buffer_free(&save);
}

static void a_table_of_sections_that_is_wrong_is_corrupt(void **state)
{
    (void)state;
    static const struct {
        uint32_t entry, at;
        uint8_t value;
        const char *subject, *message;
    } cases[] = {
        {3, 0, 0, "section", "none"},      // the size of a name: map.png
        {3, 0, 6, "section", "none"},      //
        {3, 0, 32, "section", "none"},     //
        {3, 1, 'M', "section", "none"},    //
        {3, 1, 0, "section", "none"},      //
        {3, 31, 'x', "map.png", "behind"}, // what stands behind it
        {3, 32, 2, "map.png", "codec 2"},  //
        {3, 35, 1, "map.png", "codec"},    //
        {3, 36, 1, "map.png", "codec"},    //
        {3, 40, 1, "map.png", "cannot"},   // size without stored
        {3, 32, 1, "map.png", "cannot"},   // compressed, and not smaller
        {4, 1, 'R', "section", "none"},    //
        {4, 48, 16, "replay", "cannot"},   // stored without size
    };
    firn_buffer save = parts_full_save(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t *byte = save_entry(&save, cases[i].entry) + cases[i].at, good = *byte;
        *byte = cases[i].value;
        assert_sealed_refused(&save, FIRN_CORRUPT, cases[i].subject, cases[i].message);
        *byte = good;
    }
    firn_buffer_free(&save);
}

static void a_section_that_is_there_twice_is_corrupt(void **state)
{
    (void)state;
    firn_save_header header = parts_header();
    firn_section sections[] = {{"a", "1", 1}, {"b", "2", 1}};
    firn_buffer save = parts_write(&header, sections, 2, NULL);
    save_entry(&save, 1)[1] = 'a';
    assert_sealed_refused(&save, FIRN_CORRUPT, "a", "twice");
    firn_buffer_free(&save);
}

static void S1_a_snapshot_that_is_not_the_first_section_is_corrupt(void **state)
{
    (void)state;
    firn_save_header header = parts_header();
    firn_buffer snapshot = parts_snapshot();
    firn_section sections[] = {{"a", "1", 1}, {"snapshox", snapshot.data, snapshot.size}};
    firn_buffer save = parts_write(&header, sections, 2, NULL);
    save_entry(&save, 1)[8] = 't';
    assert_sealed_refused(&save, FIRN_CORRUPT, "snapshot", "behind a");
    firn_buffer_free(&save);
    firn_buffer_free(&snapshot);
}

static void a_head_of_another_size_than_what_it_holds_is_corrupt(void **state)
{
    (void)state;
    firn_error err;
    firn_save_header header = parts_header();
    firn_buffer save = parts_write(&header, NULL, 0, NULL), longer = {0};
    uint8_t zeros[FR_SAVE_ALIGN] = {0};
    size_t head = save.size;
    assert_ok(firn_buffer_append(&longer, save.data, head, &err), &err);
    assert_ok(firn_buffer_append(&longer, zeros, sizeof zeros, &err), &err);
    for (size_t size = head - FR_SAVE_ALIGN; size <= longer.size; size += 8) {
        fr_store_u32(longer.data + FR_HEAD_SIZE, (uint32_t)size);
        fr_store_u64(longer.data + FR_HEAD_FILE, size);
        parts_seal(longer.data);
        if (size != head)
            parts_assert_refused(longer.data, size, NULL, FIRN_CORRUPT, "head", "what it holds");
        memcpy(longer.data, save.data, head);
        memset(longer.data + head, 0, sizeof zeros);
    }
    firn_buffer_free(&longer);
    firn_buffer_free(&save);
}

static void sections_that_do_not_fill_the_file_are_corrupt(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {0, 3, 5, UINT64_MAX};
    firn_save_header header = parts_header();
    firn_section section = {"a", "1234", 4};
    firn_buffer save = parts_write(&header, &section, 1, NULL);
    for (size_t i = 0; i < 4; i++) {
        fr_store_u64(save_entry(&save, 0) + FR_ENTRY_SIZE, sizes[i]);
        fr_store_u64(save_entry(&save, 0) + FR_ENTRY_STORED, sizes[i]);
        assert_sealed_refused(&save, FIRN_CORRUPT, sizes[i] > 4 ? "a" : "file", "byte");
    }
    fr_store_u64(save.data + FR_HEAD_FILE, 8);
    assert_sealed_refused(&save, FIRN_CORRUPT, "file", "head");
    firn_buffer_free(&save);
}

static void a_head_that_is_not_filled_up_with_zeros_is_corrupt(void **state)
{
    (void)state;
    firn_save_header header = parts_header();
    size_t most = 0;
    char level[FR_SAVE_ALIGN + 1] = "";
    header.level = level;
    for (size_t i = 0; i < FR_SAVE_ALIGN; i++) {
        level[i] = 'x';
        firn_buffer save = parts_write(&header, NULL, 0, NULL);
        size_t used = FR_SAVE_FIXED_BYTES + fr_load_u32(save.data + FR_HEAD_HEADER);
        size_t end = save.size - FR_SAVE_DIGEST_BYTES;
        most = end - used > most ? end - used : most;
        for (size_t at = used; at < end; at++) {
            char message[64];
            snprintf(message, sizeof message, "byte %zu of the head is not 0", at);
            save.data[at] = 1;
            assert_sealed_refused(&save, FIRN_CORRUPT, "head", message);
            save.data[at] = 0;
        }
        firn_buffer_free(&save);
    }
    assert_int_equal(most, FR_SAVE_ALIGN - 1);
}

// ---- the head alone

static void K6_a_head_is_read_without_the_rest(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer save = parts_full_save(NULL);
    uint32_t head = fr_load_u32(save.data + FR_HEAD_SIZE);
    uint8_t *copy = malloc(head);
    assert_non_null(copy);
    memcpy(copy, save.data, head);
    firn_save_file *file = firn_save_file_read_head(copy, head, NULL, &err);
    assert_non_null(file);
    free(copy); // it is not needed any more
    assert_string_equal(firn_save_file_header(file)->level, "kitchen");
    assert_tree(firn_save_file_header(file)->meta, "{\"first\", title = \"The kitchen\"}");
    assert_int_equal(firn_save_file_size(file), save.size);
    assert_int_equal(firn_save_file_section_count(file), 6);
    firn_section_info info;
    assert_true(firn_save_file_section_at(file, 5, &info));
    assert_string_equal(info.name, FIRN_SECTION_THUMBNAIL);
    const void *bytes = NULL;
    size_t size = 1;
    assert_int_equal(firn_save_file_section(file, "replay", &bytes, &size, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "replay");
    assert_int_equal(size, 1);
    firn_save_file_close(file);
    assert_null(firn_save_file_read_head(save.data, head - 1, NULL, &err));
    assert_error(&err, FIRN_TRUNCATED, "head");
    firn_buffer_free(&save);
}

static void a_section_that_is_not_there_is_named(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer save = parts_full_save(NULL);
    firn_save_file *file = parts_open(&save);
    const void *bytes = NULL;
    size_t size = 1;
    assert_int_equal(firn_save_file_section(file, "sounds", &bytes, &size, &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "sounds");
    assert_null(bytes);
    firn_section_info info;
    assert_false(firn_save_file_section_at(file, 6, &info));
    assert_false(firn_save_file_section_at(file, 0, NULL));
    assert_int_equal(firn_save_file_section(NULL, "x", &bytes, &size, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "file");
    assert_int_equal(firn_save_file_section(file, NULL, &bytes, &size, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "name");
    assert_int_equal(firn_save_file_section(file, "x", NULL, &size, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "bytes");
    assert_int_equal(firn_save_file_section(file, "x", &bytes, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "size");
    firn_save_file_close(file);
    firn_buffer_free(&save);
}

static void no_file_holds_nothing(void **state)
{
    (void)state;
    firn_section_info info;
    assert_null(firn_save_file_header(NULL));
    assert_int_equal(firn_save_file_size(NULL), 0);
    assert_int_equal(firn_save_file_section_count(NULL), 0);
    assert_false(firn_save_file_section_at(NULL, 0, &info));
    firn_digest none = firn_save_file_identity(NULL);
    assert_int_equal(none.low | none.high, 0);
    firn_save_file_close(NULL);
}

static void the_limits_of_bytes_hold_when_reading(void **state)
{
    (void)state;
    firn_buffer save = parts_full_save(NULL);
    firn_limits limits = {.file_bytes = save.size - 1};
    firn_save_file_options options = {.limits = &limits};
    parts_assert_refused(save.data, save.size, &options, FIRN_LIMIT, "file", "above the limit");
    limits = (firn_limits){.expanded_bytes = 20};
    parts_assert_refused(save.data, save.size, &options, FIRN_LIMIT, "snapshot", "above the limit");
    // The head can be read all the same.
    firn_error err;
    limits = (firn_limits){.file_bytes = 1, .expanded_bytes = 1};
    firn_save_file *file = firn_save_file_read_head(save.data, save.size, &options, &err);
    assert_non_null(file);
    firn_save_file_close(file);
    firn_buffer_free(&save);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_save_file_is_told_apart),
        cmocka_unit_test(K12_a_transfer_as_text_is_told_apart),
        cmocka_unit_test(a_damaged_magic_says_which_byte),
        cmocka_unit_test(another_container_version_is_refused),
        cmocka_unit_test(S4_another_save_format_version_is_refused),
        cmocka_unit_test(a_header_needs_little_and_ignores_what_it_does_not_know),
        cmocka_unit_test(a_header_with_a_wrong_field_is_corrupt),
        cmocka_unit_test(a_text_with_a_zero_in_a_header_is_corrupt),
        cmocka_unit_test(a_header_that_is_not_canonical_is_corrupt),
        cmocka_unit_test(a_header_that_is_above_a_limit_says_so),
        cmocka_unit_test(K12_a_file_that_was_cut_is_truncated),
        cmocka_unit_test(K12_bytes_behind_a_file_are_corrupt),
        cmocka_unit_test(K12_a_damaged_section_is_named),
        cmocka_unit_test(a_damaged_head_is_corrupt),
        cmocka_unit_test(a_head_with_wrong_sizes_is_corrupt),
        cmocka_unit_test(a_table_of_sections_that_is_wrong_is_corrupt),
        cmocka_unit_test(a_section_that_is_there_twice_is_corrupt),
        cmocka_unit_test(S1_a_snapshot_that_is_not_the_first_section_is_corrupt),
        cmocka_unit_test(a_head_of_another_size_than_what_it_holds_is_corrupt),
        cmocka_unit_test(sections_that_do_not_fill_the_file_are_corrupt),
        cmocka_unit_test(a_head_that_is_not_filled_up_with_zeros_is_corrupt),
        cmocka_unit_test(K6_a_head_is_read_without_the_rest),
        cmocka_unit_test(a_section_that_is_not_there_is_named),
        cmocka_unit_test(no_file_holds_nothing),
        cmocka_unit_test(the_limits_of_bytes_hold_when_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
