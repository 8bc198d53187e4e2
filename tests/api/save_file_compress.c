// Compressed sections, and frames of zstd that were made to harm.
#include "api/save_parts.h"

#include <stdlib.h>
#include <string.h>

#include "buffer/bytes.h"
#include "saves/file.h"

// Text that compresses well, but not by thousands.
static uint8_t *long_text(size_t size)
{
    test_random random = {5};
    uint8_t *text = malloc(size);
    assert_non_null(text);
    for (size_t i = 0; i < size; i++)
        text[i] = (uint8_t)('a' + test_random_below(&random, i % 16 == 0 ? 20 : 2));
    return text;
}

static firn_section_info only_section(firn_save_file *file)
{
    firn_section_info info;
    assert_true(firn_save_file_section_at(file, 0, &info));
    return info;
}

static firn_buffer write_one(const uint8_t *bytes, size_t size,
                             const firn_save_file_options *options)
{
    firn_save_header header = parts_header();
    firn_section section = {"text", bytes, size};
    return parts_write(&header, &section, 1, options);
}

// ---- what firn writes

static void K11_a_section_comes_back_from_every_level(void **state)
{
    (void)state;
    size_t size = 30000;
    uint8_t *text = long_text(size);
    for (int level = 1; level <= 19; level++) {
        firn_save_file_options options = {.compression = level};
        if (!firn_save_file_can_compress()) {
            firn_error err;
            firn_save_header header = parts_header();
            firn_buffer out = {0};
            assert_int_equal(firn_save_file_write(&header, NULL, 0, &options, &out, &err),
                             FIRN_UNSUPPORTED);
            assert_error(&err, FIRN_UNSUPPORTED, "compression");
            continue;
        }
        firn_buffer save = write_one(text, size, &options);
        assert_in_range(save.size, 1, size / 2);
        firn_save_file *file = parts_open(&save);
        assert_true(only_section(file).compressed);
        parts_assert_section(file, "text", text, size);
        const void *first, *second;
        size_t again;
        assert_ok(firn_save_file_section(file, "text", &first, &again, NULL), NULL);
        assert_ok(firn_save_file_section(file, "text", &second, &again, NULL), NULL);
        assert_ptr_equal(first, second);
        firn_save_file_close(file);
        firn_buffer_free(&save);
    }
    free(text);
}

static void assert_kept_as_it_is(const uint8_t *bytes, size_t size, const firn_limits *limits)
{
    firn_save_file_options options = {.limits = limits,
                                      .compression = firn_save_file_can_compress() ? 3 : 0};
    firn_buffer save = write_one(bytes, size, &options);
    firn_save_file *file = parts_open(&save);
    assert_false(only_section(file).compressed);
    parts_assert_section(file, "text", bytes, size);
    firn_save_file_close(file);
    firn_buffer_free(&save);
}

static void K11_what_does_not_become_smaller_stays_as_it_is(void **state)
{
    (void)state;
    uint8_t noise[3000];
    test_random random = {1};
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (uint8_t)test_random_u64(&random);
    for (size_t size = 0; size < 12; size++)
        assert_kept_as_it_is((const uint8_t *)"aaaaaaaaaaaa", size, NULL);
    assert_kept_as_it_is(noise, sizeof noise, NULL);
}

static void what_a_reader_would_not_expand_is_not_compressed(void **state)
{
    (void)state;
    size_t size = (size_t)4 << 20;
    uint8_t *zeros = calloc(size, 1), *text = long_text(5000);
    assert_non_null(zeros);
    assert_kept_as_it_is(zeros, size, &(firn_limits){.expand_ratio = 1});
    assert_kept_as_it_is(text, 5000, &(firn_limits){.window_log = 9});
    if (firn_save_file_can_compress()) {
        firn_save_file_options options = {.compression = 3};
        firn_buffer save = write_one(zeros, (size_t)1 << 20, &options);
        assert_in_range(save.size, 1, 2000); // up to 1 MiB that is no matter
        firn_save_file *file = parts_open(&save);
        parts_assert_section(file, "text", zeros, (size_t)1 << 20);
        firn_save_file_close(file);
        firn_buffer_free(&save);
    }
    free(text);
    free(zeros);
}

static void F5_what_becomes_much_smaller_is_filled_up_for_the_ratio(void **state)
{
    (void)state;
    if (!firn_save_file_can_compress())
        skip();
    firn_error err;
    size_t size = ((size_t)4 << 20) + 1;
    uint8_t *zeros = calloc(size, 1);
    assert_non_null(zeros);
    static const uint32_t ratios[] = {0, 250, 249, 7, 2};
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
        uint32_t ratio = ratios[i] > 0 ? ratios[i] : 250;
        firn_limits limits = {.expand_ratio = ratios[i]}, strict = {.expand_ratio = ratio};
        firn_save_file_options write = {.limits = &limits, .compression = 3};
        firn_save_file_options read = {.limits = &strict};
        firn_buffer save = write_one(zeros, size, &write);
        firn_save_file *file = firn_save_file_open(save.data, save.size, &read, &err);
        assert_non_null(file);
        assert_true(only_section(file).compressed);
        assert_int_equal(only_section(file).stored, (size + ratio - 1) / ratio);
        parts_assert_section(file, "text", zeros, size);
        firn_save_file_close(file);
        strict.expand_ratio--;
        parts_assert_refused(save.data, save.size, &read, FIRN_LIMIT, "text", "times");
        firn_buffer_free(&save);
    }
    free(zeros);
}

static void F5_what_is_written_passes_the_limits_for_strangers(void **state)
{
    (void)state;
    if (!firn_save_file_can_compress())
        skip();
    firn_error err;
    firn_limits limits;
    firn_limits_untrusted(&limits);
    firn_save_file_options most = {.compression = 12}, strangers = {.limits = &limits};
    size_t size = (size_t)3 << 20;
    uint8_t *text = long_text(size);
    firn_buffer save = write_one(text, size, &most);
    firn_save_file *file = firn_save_file_open(save.data, save.size, &strangers, &err);
    assert_non_null(file);
    assert_true(only_section(file).compressed);
    parts_assert_section(file, "text", text, size);
    firn_save_file_close(file);
    firn_buffer_free(&save);
    free(text);
}

static void a_lower_window_is_written_and_held_to(void **state)
{
    (void)state;
    if (!firn_save_file_can_compress())
        skip();
    firn_error err;
    firn_limits limits = {.window_log = 12};
    firn_save_file_options low = {.limits = &limits, .compression = 3};
    firn_save_file_options usual = {.compression = 3};
    size_t size = 300000;
    uint8_t *text = long_text(size);
    const void *bytes = NULL;
    size_t found;
    firn_buffer save = write_one(text, size, &low);
    firn_save_file *file = firn_save_file_open(save.data, save.size, &low, &err);
    assert_non_null(file);
    parts_assert_section(file, "text", text, size);
    firn_save_file_close(file);
    firn_buffer_free(&save);
    save = write_one(text, size, &usual);
    file = firn_save_file_open(save.data, save.size, &low, &err);
    assert_non_null(file);
    assert_int_equal(firn_save_file_section(file, "text", &bytes, &found, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "text");
    assert_null(bytes);
    firn_save_file_close(file);
    firn_buffer_free(&save);
    free(text);
}

// ---- frames made by hand

typedef struct frame {
    uint8_t bytes[64];
    size_t size;
} frame;

static void frame_bytes(frame *f, const void *bytes, size_t size)
{
    assert_true(f->size + size <= sizeof f->bytes);
    memcpy(f->bytes + f->size, bytes, size);
    f->size += size;
}

// A frame of one segment that says how many bytes it has.
static frame frame_of(uint32_t content)
{
    frame f = {.size = 0};
    uint8_t size[4];
    fr_store_u32(size, content);
    frame_bytes(&f, "\x28\xb5\x2f\xfd\xa0", 5);
    frame_bytes(&f, size, 4);
    return f;
}

// A block that is one byte, `count` times.
static void frame_repeat(frame *f, uint32_t count, bool last)
{
    uint32_t head = (last ? 1 : 0) | 1 << 1 | count << 3;
    uint8_t block[4] = {(uint8_t)head, (uint8_t)(head >> 8), (uint8_t)(head >> 16), 'z'};
    frame_bytes(f, block, 4);
}

// A save whose section `text` is the frame and claims to have `size` bytes.
static firn_buffer save_of_frame(const frame *f, uint64_t size)
{
    firn_save_header header = parts_header();
    firn_section sections[] = {{"a", "as it is", 8}, {"text", f->bytes, f->size}};
    firn_buffer save = parts_write(&header, sections, 2, NULL);
    uint8_t *entry = save.data + FR_SAVE_FIXED_BYTES + fr_load_u32(save.data + FR_HEAD_HEADER) +
                     FR_SAVE_ENTRY_BYTES;
    fr_store_u32(entry + FR_ENTRY_CODEC, FR_SAVE_CODEC_ZSTD);
    fr_store_u64(entry + FR_ENTRY_SIZE, size);
    parts_seal(save.data);
    return save;
}

// The section does not expand, or, in a build without zstd, cannot; the others are there. Memory
// that is taken for it stays below `most`.
static void assert_no_section(const frame *f, uint64_t size, firn_result result,
                              const char *message, uint64_t most)
{
    firn_error err;
    test_allocator memory;
    test_allocator_init(&memory);
    firn_save_file_options options = {.allocator = &memory.allocator};
    firn_buffer save = save_of_frame(f, size);
    firn_save_file *file = firn_save_file_open(save.data, save.size, &options, &err);
    assert_non_null(file);
    const void *bytes = NULL;
    size_t found = 1;
    test_allocator_reset_peak(&memory);
    uint64_t before = memory.bytes;
    if (!firn_save_file_can_compress())
        result = FIRN_UNSUPPORTED, message = "no zstd";
    if (firn_save_file_section(file, "text", &bytes, &found, &err) != result)
        fail_msg("not %s: %s", firn_result_name(result), err.message);
    assert_error(&err, result, "text");
    if (strstr(err.message, message) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", err.message, message);
    assert_null(bytes);
    assert_int_equal(found, 1);
    assert_in_range(memory.peak_bytes - before, 0, most);
    parts_assert_section(file, "a", "as it is", 8);
    firn_save_file_close(file);
    assert_no_leak(&memory);
    firn_buffer_free(&save);
}

#define ZSTD_MEMORY ((uint64_t)110000) // what zstd takes to expand anything

static void a_frame_made_by_hand_expands(void **state)
{
    (void)state;
    uint8_t expected[300];
    memset(expected, 'z', sizeof expected);
    frame f = frame_of(300);
    frame_repeat(&f, 200, false);
    frame_repeat(&f, 100, true);
    if (!firn_save_file_can_compress()) {
        assert_no_section(&f, 300, FIRN_UNSUPPORTED, "no zstd", 0);
        return;
    }
    firn_buffer save = save_of_frame(&f, 300);
    firn_save_file *file = parts_open(&save);
    parts_assert_section(file, "text", expected, 300);
    firn_save_file_close(file);
    firn_buffer_free(&save);
}

static void F5_a_bomb_that_says_what_it_is_goes_no_further_than_the_head(void **state)
{
    (void)state;
    static const struct {
        uint64_t size;
        firn_limits limits;
        const char *message;
    } cases[] = {
        {UINT64_MAX, {0}, "above the limit"},
        {(UINT64_C(1) << 30) + 1, {.expanded_bytes = UINT64_MAX}, "times"},
        {(UINT64_C(1) << 30) - 7, {0}, "above the limit"},
        {(UINT64_C(1) << 30) - 8, {0}, "times"},
        {(1 << 20) + 1, {0}, "1000 times"},
        {(1 << 20) + 1, {.expand_ratio = 250}, "250 times"},
        {(1 << 20) + 1, {.expand_ratio = 4}, "4 times"},
        {100, {.expanded_bytes = 107}, "above the limit 107"},
    };
    frame f = frame_of(1 << 20);
    for (int i = 0; i < 10; i++)
        frame_repeat(&f, 1 << 17, i == 9);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        firn_error err;
        test_allocator memory;
        test_allocator_init(&memory);
        firn_save_file_options options = {.limits = &cases[i].limits,
                                          .allocator = &memory.allocator};
        firn_buffer save = save_of_frame(&f, cases[i].size);
        parts_assert_refused(save.data, save.size, &options, FIRN_LIMIT, "text", cases[i].message);
        assert_in_range(memory.peak_bytes, 1, 20000);
        assert_no_leak(&memory);
        // The head can still be listed.
        firn_save_file *file = firn_save_file_read_head(save.data, save.size, &options, &err);
        assert_non_null(file);
        firn_save_file_close(file);
        firn_buffer_free(&save);
    }
}

static void the_ratio_is_exact(void **state)
{
    (void)state;
    frame f = frame_of(1 << 21);
    while (f.size < 64)
        frame_bytes(&f, "x", 1);
    firn_limits limits = {.expand_ratio = (1 << 20) / 64 + 1};
    firn_save_file_options options = {.limits = &limits};
    firn_error err;
    uint64_t most = (uint64_t)limits.expand_ratio * 64;
    firn_buffer save = save_of_frame(&f, most);
    firn_save_file *file = firn_save_file_open(save.data, save.size, &options, &err);
    assert_non_null(file);
    firn_save_file_close(file);
    firn_buffer_free(&save);
    save = save_of_frame(&f, most + 1);
    parts_assert_refused(save.data, save.size, &options, FIRN_LIMIT, "text", "times");
    firn_buffer_free(&save);
}

static void F5_a_bomb_that_lies_takes_no_more_than_it_says(void **state)
{
    (void)state;
    // The frame says 1 MiB, the table 1000 bytes.
    frame f = frame_of(1 << 20);
    for (int i = 0; i < 8; i++)
        frame_repeat(&f, 1 << 17, i == 7);
    assert_no_section(&f, 1000, FIRN_CORRUPT, "another number", 1100);
    // Both say 1000 bytes, and the blocks have a mebibyte.
    f = frame_of(1000);
    for (int i = 0; i < 8; i++)
        frame_repeat(&f, 1 << 17, i == 7);
    assert_no_section(&f, 1000, FIRN_CORRUPT, "expand", ZSTD_MEMORY);
    // Both say 1000 bytes, and the blocks have 999.
    f = frame_of(1000);
    frame_repeat(&f, 999, true);
    assert_no_section(&f, 1000, FIRN_CORRUPT, "expand", ZSTD_MEMORY);
}

static void a_frame_that_is_none_is_corrupt(void **state)
{
    (void)state;
    frame f = {.size = 0};
    frame_bytes(&f, "no frame", 8);
    assert_no_section(&f, 100, FIRN_CORRUPT, "no frame", 1100);
    f = (frame){.size = 0};
    assert_no_section(&f, 100, FIRN_CORRUPT, "no frame", 1100);
    f.size = 0; // a frame that is skipped
    frame_bytes(&f, "\x50\x2a\x4d\x18\x02\0\0\0ab", 10);
    assert_no_section(&f, 100, FIRN_CORRUPT, "no frame", 1100);
    f.size = 0; // a size that is not said
    frame_bytes(&f, "\x28\xb5\x2f\xfd\x00\x50", 6);
    frame_repeat(&f, 100, true);
    assert_no_section(&f, 100, FIRN_CORRUPT, "does not say", 1100);
    f = frame_of(100); // cut
    frame_repeat(&f, 100, false);
    assert_no_section(&f, 100, FIRN_CORRUPT, "one whole frame", 1100);
    f = frame_of(100); // more behind it
    frame_repeat(&f, 100, true);
    frame_bytes(&f, "\0x", 2);
    assert_no_section(&f, 100, FIRN_CORRUPT, "one whole frame", 1100);
    f.size = 0; // a dictionary
    frame_bytes(&f, "\x28\xb5\x2f\xfd\x21\x07\x64", 7);
    frame_repeat(&f, 100, true);
    assert_no_section(&f, 100, FIRN_CORRUPT, "expand", ZSTD_MEMORY);
}

static void F5_a_frame_that_looks_back_too_far_is_above_the_limit(void **state)
{
    (void)state;
    frame f = {.size = 0}; // a window of 2^24, a size of 4 bytes
    frame_bytes(&f, "\x28\xb5\x2f\xfd\x80\x70\x64\0\0\0", 10);
    frame_repeat(&f, 100, true);
    assert_no_section(&f, 100, FIRN_LIMIT, "2^23", 1100);
}

static void a_save_with_a_section_that_does_not_expand_is_no_tree(void **state)
{
    (void)state;
    firn_error err;
    frame f = frame_of(1000);
    frame_repeat(&f, 999, true);
    firn_buffer save = save_of_frame(&f, 1000);
    firn_save_file *file = parts_open(&save);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    assert_null(firn_save_file_value(file, doc, &err));
    assert_error(&err, firn_save_file_can_compress() ? FIRN_CORRUPT : FIRN_UNSUPPORTED, "text");
    firn_doc_destroy(doc);
    firn_save_file_close(file);
    firn_buffer_free(&save);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(K11_a_section_comes_back_from_every_level),
        cmocka_unit_test(K11_what_does_not_become_smaller_stays_as_it_is),
        cmocka_unit_test(what_a_reader_would_not_expand_is_not_compressed),
        cmocka_unit_test(F5_what_becomes_much_smaller_is_filled_up_for_the_ratio),
        cmocka_unit_test(F5_what_is_written_passes_the_limits_for_strangers),
        cmocka_unit_test(a_lower_window_is_written_and_held_to),
        cmocka_unit_test(a_frame_made_by_hand_expands),
        cmocka_unit_test(F5_a_bomb_that_says_what_it_is_goes_no_further_than_the_head),
        cmocka_unit_test(the_ratio_is_exact),
        cmocka_unit_test(F5_a_bomb_that_lies_takes_no_more_than_it_says),
        cmocka_unit_test(a_frame_that_is_none_is_corrupt),
        cmocka_unit_test(F5_a_frame_that_looks_back_too_far_is_above_the_limit),
        cmocka_unit_test(a_save_with_a_section_that_does_not_expand_is_no_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
