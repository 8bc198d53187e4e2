// JSON: text of any kind is refused with a reason, or comes back; images and saves have lines that
// bring them back. The first byte chooses the limits, the second what the rest is: 0 the text of a
// value, 1 lines of a snapshot, 2 lines of a save, 3 an image.
#include <string.h>

#include "firn/json.h"
#include "fuzz/fuzz.h"

typedef firn_result (*export_fn)(const void *bytes, size_t size, const firn_json_options *options,
                                 firn_json_sink_fn sink, void *user, firn_error *err);
typedef firn_result (*import_fn)(const void *text, size_t size, const firn_json_options *options,
                                 firn_buffer *out, firn_error *err);

static firn_result sink(void *user, const void *text, size_t size, firn_error *err)
{
    return firn_buffer_append(user, text, size, err);
}

static void check_error(const firn_error *err, firn_result result, size_t size)
{
    FUZZ_CHECK(err->code == result && err->message[0] != 0);
    FUZZ_CHECK(err->offset <= size || err->offset == FIRN_NO_OFFSET);
}

static bool same(const firn_buffer *a, const firn_buffer *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

static int fuzz_value(const uint8_t *data, size_t size, const firn_limits *limits)
{
    firn_error err = {0};
    firn_doc *doc = firn_doc_create(NULL, limits, &err), *other = firn_doc_create(NULL, NULL, &err);
    firn_buffer text = {0}, again = {0};
    const firn_value *value = firn_json_read(doc, data, size, &err);
    if (value == NULL) {
        check_error(&err, err.code, size);
    } else {
        FUZZ_OK(firn_json_write(value, &text, &err), &err);
        const firn_value *copy = firn_json_read(other, text.data, text.size, &err);
        FUZZ_CHECK(copy != NULL && firn_value_equal(copy, value));
        FUZZ_OK(firn_json_write(copy, &again, &err), &err);
        FUZZ_CHECK(same(&text, &again));
    }
    firn_buffer_free(&text);
    firn_buffer_free(&again);
    firn_doc_destroy(doc);
    firn_doc_destroy(other);
    return value != NULL ? 0 : -1;
}

// What lines make has lines that make the same again.
static int fuzz_lines(const uint8_t *data, size_t size, const firn_limits *limits,
                      export_fn export_it, import_fn import_it)
{
    firn_error err = {0};
    firn_buffer first = {0}, lines = {0}, second = {0};
    const firn_json_options options = {.limits = limits};
    firn_result result = import_it(data, size, &options, &first, &err);
    if (result != FIRN_OK) {
        check_error(&err, result, size);
        FUZZ_CHECK(first.size == 0);
    } else {
        FUZZ_OK(export_it(first.data, first.size, NULL, sink, &lines, &err), &err);
        FUZZ_OK(import_it(lines.data, lines.size, NULL, &second, &err), &err);
        FUZZ_CHECK(same(&first, &second));
    }
    firn_buffer_free(&first);
    firn_buffer_free(&lines);
    firn_buffer_free(&second);
    return 0;
}

// The image of an image's lines has the same lines. Values may be more in the encoding of firn: a
// list with holes becomes pairs.
static int fuzz_image(const uint8_t *data, size_t size, const firn_limits *limits)
{
    firn_error err = {0};
    firn_buffer lines = {0}, image = {0}, again = {0};
    const firn_json_options options = {.limits = limits};
    firn_result result = firn_json_export_image(data, size, &options, sink, &lines, &err);
    if (result == FIRN_OK) {
        result = firn_json_import_image(lines.data, lines.size, &options, &image, &err);
        FUZZ_CHECK(result == FIRN_OK || result == FIRN_LIMIT);
    }
    if (result == FIRN_OK) {
        FUZZ_OK(firn_json_export_image(image.data, image.size, &options, sink, &again, &err), &err);
        FUZZ_CHECK(same(&lines, &again));
    }
    firn_buffer_free(&lines);
    firn_buffer_free(&image);
    firn_buffer_free(&again);
    return result == FIRN_OK ? 0 : -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || !firn_json_available()) {
        return -1;
    }
    firn_limits limits = fuzz_limits(data[0]);
    switch (data[1] % 4) {
    case 0:
        return fuzz_value(data + 2, size - 2, &limits);
    case 1:
        return fuzz_lines(data + 2, size - 2, &limits, firn_json_export_image,
                          firn_json_import_image);
    case 2:
        return fuzz_lines(data + 2, size - 2, &limits, firn_json_export_save,
                          firn_json_import_save);
    default:
        return fuzz_image(data + 2, size - 2, &limits);
    }
}
