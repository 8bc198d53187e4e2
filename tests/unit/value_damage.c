// Every prefix and thousands of changes of good encodings: each is an error with an offset, or a
// value; and check, decode and the streaming reader are of one mind.
#include <stdlib.h>
#include <string.h>

#include "value/check.h"
#include "value_trees.h"

enum { CHANGES = 12000 };

struct samples {
    uint8_t **bytes;
    size_t *sizes;
    size_t count;
};

static void add_sample(struct samples *samples, uint8_t *bytes, size_t size)
{
    samples->bytes = realloc(samples->bytes, (samples->count + 1) * sizeof *samples->bytes);
    samples->sizes = realloc(samples->sizes, (samples->count + 1) * sizeof *samples->sizes);
    assert_non_null(samples->bytes);
    assert_non_null(samples->sizes);
    samples->bytes[samples->count] = bytes;
    samples->sizes[samples->count] = size;
    samples->count += 1;
}

/// The hex fields of the vectors, short ones.
static void add_vectors(struct samples *samples, char *text)
{
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        char *hex = strrchr(line, '\t');
        if ((line[0] != 'E' && line[0] != 'O') || hex == NULL || strchr(hex, '*') != NULL)
            continue;
        size_t size;
        uint8_t *bytes = test_from_hex(hex + 1, &size);
        add_sample(samples, bytes, size);
    }
}

static int make_samples(void **state)
{
    static struct samples samples;
    size_t size;
    char *x64 = (char *)test_read_data("stringbuffer/stringbuffer_vectors.txt", &size);
    char *arm64 = (char *)test_read_data("stringbuffer/stringbuffer_vectors.arm64.txt", &size);
    add_vectors(&samples, x64);
    add_vectors(&samples, arm64);
    free(x64);
    free(arm64);
    test_random random = {5};
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    while (samples.count < 300) {
        firn_buffer out = {0};
        firn_doc_clear(doc);
        test_encode(test_random_value(&random, doc, 4), &out);
        if (out.size > 12 && out.size < 1000) {
            uint8_t *copy = malloc(out.size);
            assert_non_null(copy);
            memcpy(copy, out.data, out.size);
            add_sample(&samples, copy, out.size);
        }
        firn_buffer_free(&out);
    }
    firn_doc_destroy(doc);
    *state = &samples;
    return 0;
}

static int free_samples(void **state)
{
    struct samples *samples = *state;
    for (size_t i = 0; i < samples->count; i++)
        free(samples->bytes[i]);
    free(samples->bytes);
    free(samples->sizes);
    return 0;
}

/// A value that decodes has one canonical encoding, which decodes to an equal value.
static void assert_right_value(firn_doc *doc, const firn_value *value)
{
    firn_error err;
    firn_buffer out = {0};
    test_encode(value, &out);
    assert_true(fr_value_is_canonical(out.data, out.size));
    const firn_value *back = firn_value_decode(doc, out.data, out.size, &err);
    assert_ok(back != NULL ? FIRN_OK : err.code, &err);
    assert_true(firn_value_equal(value, back));
    firn_buffer_free(&out);
}

static void assert_reader_agrees(firn_doc *doc, const uint8_t *bytes, size_t size,
                                 const firn_value *value, firn_result checked, uint64_t offset)
{
    firn_error err;
    firn_reader reader;
    firn_reader_begin(&reader, bytes, size, NULL);
    const firn_value *read = test_read_tree(&reader, doc);
    firn_result result = firn_reader_end(&reader, &err);
    if (checked != FIRN_OK) {
        assert_int_equal(result, checked);
        assert_int_equal(err.offset, offset);
    } else if (value != NULL) {
        assert_ok(result, &err);
        assert_true(firn_value_equal(read, value));
    } else {
        assert_null(read); // a key that is there twice
    }
    firn_reader_begin(&reader, bytes, size, NULL);
    firn_read_skip(&reader);
    assert_int_equal(firn_reader_end(&reader, &err), checked);
}

/// The bytes stand at the end of a block of their size, so that the sanitizer sees a read behind
/// it.
static bool try_bytes(firn_doc *doc, const uint8_t *bytes, size_t size)
{
    firn_error check_err;
    firn_error err;
    firn_doc_clear(doc);
    firn_result checked = firn_value_check(bytes, size, NULL, NULL, &check_err);
    const firn_value *value = firn_value_decode(doc, bytes, size, &err);
    if (checked != FIRN_OK) {
        assert_null(value);
        assert_error(&err, checked, "");
        assert_true(err.offset <= size);
        assert_int_equal(err.offset, check_err.offset);
        assert_string_equal(err.message, check_err.message);
        assert_false(fr_value_is_canonical(bytes, size));
    } else if (value == NULL) {
        assert_error(&err, FIRN_CORRUPT, "");
        assert_non_null(strstr(err.message, "twice"));
        assert_true(err.offset < size);
        assert_false(fr_value_is_canonical(bytes, size));
    } else {
        assert_right_value(doc, value);
    }
    assert_reader_agrees(doc, bytes, size, value, checked, check_err.offset);
    return value != NULL;
}

static bool try_copy(firn_doc *doc, const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy + 1, bytes, size);
    bool good = try_bytes(doc, copy + 1, size);
    free(copy);
    return good;
}

static void every_prefix_is_an_error(void **state)
{
    const struct samples *samples = *state;
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    for (size_t i = 0; i < samples->count; i++) {
        size_t used = 0;
        (void)firn_value_check(samples->bytes[i], samples->sizes[i], NULL, &used, NULL);
        for (size_t cut = 0; cut < used; cut++)
            assert_false(try_copy(doc, samples->bytes[i], cut));
    }
    firn_doc_destroy(doc);
}

/// Changes one to three places; returns the new size.
static size_t change(test_random *random, uint8_t *bytes, size_t size, size_t capacity)
{
    static const uint8_t special[] = {0x00, 0x01, 0x02, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c,
                                      0x0d, 0x0e, 0x0f, 0x10, 0x12, 0x13, 0x1f, 0x20, 0x21, 0x22,
                                      0xdf, 0xe0, 0xfe, 0xff, 0x7f, 0x80, 0xf0, 0xf8};
    uint32_t changes = 1 + test_random_below(random, 3);
    for (uint32_t i = 0; i < changes && size > 0; i++) {
        size_t at = test_random_below(random, (uint32_t)size);
        switch (test_random_below(random, 4)) {
        case 0:
            bytes[at] ^= (uint8_t)(1u << test_random_below(random, 8));
            break;
        case 1:
            bytes[at] = special[test_random_below(random, sizeof special)];
            break;
        case 2:
            memmove(bytes + at, bytes + at + 1, size - at - 1);
            size -= 1;
            break;
        default:
            if (size == capacity)
                break;
            memmove(bytes + at + 1, bytes + at, size - at);
            bytes[at] = special[test_random_below(random, sizeof special)];
            size += 1;
            break;
        }
    }
    return size;
}

static void every_change_is_an_error_or_a_right_value(void **state)
{
    const struct samples *samples = *state;
    test_random random = {99};
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    uint8_t bytes[1100];
    int good = 0;
    for (int i = 0; i < CHANGES; i++) {
        size_t which = test_random_below(&random, (uint32_t)samples->count);
        memcpy(bytes, samples->bytes[which], samples->sizes[which]);
        size_t size = change(&random, bytes, samples->sizes[which], sizeof bytes);
        good += try_copy(doc, bytes, size);
    }
    // Neither all good nor all bad, or the changes would show little.
    assert_in_range(good, CHANGES / 20, CHANGES - CHANGES / 20);
    firn_doc_destroy(doc);
}

static void samples_themselves_agree(void **state)
{
    const struct samples *samples = *state;
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    int good = 0;
    for (size_t i = 0; i < samples->count; i++)
        good += try_copy(doc, samples->bytes[i], samples->sizes[i]);
    // All but the pointers, the dictionaries and the vectors of several values.
    assert_in_range(good, (int)samples->count - 24, (int)samples->count);
    firn_doc_destroy(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_themselves_agree),
        cmocka_unit_test(every_prefix_is_an_error),
        cmocka_unit_test(every_change_is_an_error_or_a_right_value),
    };
    return cmocka_run_group_tests_name("value_damage", tests, make_samples, free_samples);
}
