// Images without a world: check, hash and data must agree. The first byte chooses the limits, the
// second the call to the allocator that fails (0: none), the rest is the image.
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static void count_component(void *user, const char *component, uint64_t hash)
{
    (void)hash;
    FUZZ_CHECK(component[0] != '\0');
    ++*(uint32_t *)user;
}

static void check_prelude(const firn_prelude *prelude, const firn_limits *limits)
{
    FUZZ_CHECK(prelude->version == 1 || prelude->version == 2);
    FUZZ_CHECK(prelude->next_slot >= 1 && prelude->entity_count <= limits->entities);
    FUZZ_CHECK(prelude->entity_count < prelude->next_slot);
    FUZZ_CHECK(prelude->frame_count <= limits->archetypes);
    FUZZ_CHECK(prelude->component_count <= limits->table_entries);
    FUZZ_CHECK(prelude->data_count <= limits->data_keys + 64); // of firn's own
}

// NO_MEMORY for the failed call of the allocator, or what the call without it comes to.
static void check_without_memory(const uint8_t *image, size_t size, const firn_limits *limits,
                                 uint64_t call, firn_result expected)
{
    fuzz_allocator memory;
    fuzz_allocator_init(&memory);
    firn_image_options options = {.limits = limits, .allocator = &memory.allocator};
    firn_error err = {0};
    memory.left = call;
    firn_result result = firn_image_check(image, size, &options, NULL, &err);
    FUZZ_CHECK(result == expected || (result == FIRN_NO_MEMORY && memory.left == UINT64_MAX));
    memory.left = call;
    firn_hash hash;
    result = firn_image_hash(image, size, &options, &hash, NULL, NULL, &err);
    FUZZ_CHECK(result == expected || (result == FIRN_NO_MEMORY && memory.left == UINT64_MAX));
    FUZZ_CHECK(memory.blocks == 0 && memory.bytes == 0);
}

static void check_data(const uint8_t *image, size_t size, const firn_image_options *options,
                       firn_result checked, const char *key)
{
    const void *encoded = NULL;
    size_t encoded_size = 0;
    firn_error err = {0};
    firn_result result = firn_image_data(image, size, key, options, &encoded, &encoded_size, &err);
    if (checked != FIRN_OK) {
        FUZZ_CHECK(result == checked);
    } else if (result == FIRN_OK) {
        const uint8_t *at = encoded;
        FUZZ_CHECK(at > image && at < image + size);
        FUZZ_CHECK(encoded_size > 0 && encoded_size < (size_t)(image + size - at));
        FUZZ_OK(firn_value_check(encoded, encoded_size, options->limits, NULL, &err), &err);
    } else {
        FUZZ_CHECK(result == FIRN_NOT_FOUND);
    }
}

static void walk_rows(const firn_image *image, uint32_t archetype, uint32_t columns, firn_doc *doc)
{
    firn_error err = {0};
    firn_image_rows *rows = firn_image_rows_open(image, archetype, &err);
    FUZZ_CHECK(rows != NULL);
    while (firn_image_rows_next(rows)) {
        uint32_t at, row;
        FUZZ_CHECK(firn_image_find(image, firn_image_rows_entity(rows), &at, &row));
        FUZZ_CHECK(at == archetype);
        for (uint32_t i = 0; i < columns; i++) {
            size_t size;
            FUZZ_CHECK(firn_image_rows_bytes(rows, i, &size) != NULL && size > 0);
            // Raw rows that nobody understands, keys that are there twice.
            const firn_value *value = firn_image_rows_value(rows, i, doc, &err);
            const firn_value *again = firn_image_value(image, archetype, i, row, doc, &err);
            FUZZ_CHECK((value == NULL) == (again == NULL));
            FUZZ_CHECK(value == NULL || firn_value_equal(value, again));
        }
        firn_doc_clear(doc);
    }
    firn_image_rows_close(rows);
}

// Everything that an open image says, of images with few rows.
static void walk(const uint8_t *bytes, size_t size, const firn_image_options *options,
                 firn_result checked)
{
    firn_error err = {0};
    firn_image_component component;
    firn_image_field field;
    firn_image_archetype archetype;
    firn_image_datum datum;
    firn_image *image = firn_image_open(bytes, size, options, &err);
    FUZZ_CHECK((image == NULL ? err.code : FIRN_OK) == checked);
    firn_doc *doc = firn_doc_create(NULL, options->limits, &err);
    for (uint32_t i = 0; firn_image_component_at(image, i, &component); i++) {
        FUZZ_CHECK(firn_image_component_find(image, component.name) == i);
        FUZZ_CHECK(component.bytes <= size && component.nils <= component.rows);
        for (uint32_t k = 0; firn_image_field_at(image, i, k, &field); k++) {
            FUZZ_CHECK(strlen(field.name) <= field.name_size);
            FUZZ_CHECK(field.offset + field.size <= component.row_size);
        }
    }
    for (uint32_t i = 0; firn_image_archetype_at(image, i, &archetype); i++) {
        FUZZ_CHECK(archetype.size > 0 && archetype.offset + archetype.size < size);
        if ((uint64_t)archetype.rows * archetype.columns < 256) {
            walk_rows(image, i, archetype.columns, doc);
        }
    }
    for (uint32_t i = 0; firn_image_datum_at(image, i, &datum); i++) {
        FUZZ_OK(firn_value_check(datum.encoded, datum.size, NULL, NULL, &err), &err);
    }
    firn_doc_destroy(doc);
    firn_image_close(image);
}

// Both ways round come to the same; who only counts looks into fewer values.
static void compare_back(const firn_diff_side *left, const firn_diff_side *right,
                         const firn_diff_options *diff, firn_result expected, uint64_t differences)
{
    firn_error err = {0};
    firn_buffer text = {0};
    firn_diff_summary summary = {0};
    FUZZ_CHECK(firn_diff_text(right, left, diff, &text, &summary, &err) == expected);
    FUZZ_CHECK(expected != FIRN_OK || summary.differences == differences);
    firn_buffer_free(&text);
    firn_result result = firn_diff(left, right, diff, NULL, NULL, &summary, &err);
    FUZZ_CHECK(result == expected || (result == FIRN_OK && expected == FIRN_CORRUPT));
    FUZZ_CHECK(expected != FIRN_OK || summary.differences == differences);
}

// An image does not differ from itself. Where it does from one with another bit, lines and counts
// agree; two tables with a key twice cannot be compared.
static void compare(const uint8_t *image, size_t size, const firn_image_options *options,
                    uint64_t choice)
{
    firn_error err = {0};
    firn_diff_summary summary = {0};
    const firn_diff_options diff = {.limits = options->limits, .limit = 20};
    const firn_diff_side left = {.bytes = image, .size = size};
    FUZZ_OK(firn_diff(&left, &left, &diff, NULL, NULL, &summary, &err), &err);
    FUZZ_CHECK(summary.differences == 0);
    uint8_t *other = malloc(size);
    FUZZ_CHECK(other != NULL);
    memcpy(other, image, size);
    other[choice % size] ^= (uint8_t)(1u << (choice >> 32) % 8);
    const firn_diff_side right = {.bytes = other, .size = size};
    if (firn_image_check(other, size, options, NULL, &err) == FIRN_OK) {
        firn_buffer text = {0};
        firn_result result = firn_diff_text(&left, &right, &diff, &text, &summary, &err);
        FUZZ_CHECK(result == FIRN_OK || result == FIRN_CORRUPT);
        FUZZ_CHECK((text.size > 0) == (result == FIRN_OK && summary.differences > 0));
        compare_back(&left, &right, &diff, result, summary.differences);
        firn_buffer_free(&text);
    }
    free(other);
}

// A name of the image as text, cut in front of the target; "" when it has a 0 or is long.
static void name_of(const firn_image *image, uint32_t index, char out[64])
{
    firn_image_component component;
    out[0] = '\0';
    if (!firn_image_component_at(image, index, &component)) {
        return;
    }
    size_t size = component.relation_size > 0 ? component.relation_size : strlen(component.name);
    if (size < 64) {
        memcpy(out, component.name, size);
        out[size] = '\0';
    }
}

static void field_of(const firn_image *image, uint32_t component, uint32_t index, char out[64])
{
    firn_image_field field;
    (void)memcpy(out, "a.b", 4);
    if (firn_image_field_at(image, component, index, &field) && field.name_size < 64) {
        memcpy(out, field.name, field.name_size);
        out[field.name_size] = '\0';
    }
}

// Edits of what the image has make a snapshot, which is then firn's own, or say why not.
static void rewrite(const uint8_t *bytes, size_t size, const firn_limits *limits, uint64_t choice)
{
    firn_error err = {0};
    firn_buffer out = {0}, again = {0};
    firn_image *image = firn_image_open(bytes, size, &(firn_image_options){.limits = limits}, &err);
    FUZZ_CHECK(image != NULL);
    firn_image_info before, after;
    firn_image_describe(image, &before);
    uint32_t count = before.prelude.component_count > 0 ? before.prelude.component_count : 1;
    char names[4][64], field[64];
    for (uint32_t i = 0; i < 4; i++) {
        name_of(image, (uint32_t)(choice >> (8 * i)) % count, names[i]);
    }
    field_of(image, (uint32_t)(choice >> 16) % count, (uint32_t)(choice >> 40) % 8, field);
    const firn_edit edits[] = {
        {.kind = FIRN_RENAME_COMPONENT, .component = names[0], .to = "M"},
        {.kind = FIRN_DROP_COMPONENT, .component = names[1]},
        {.kind = FIRN_RENAME_FIELD, .component = names[2], .field = field, .to = "q.r"},
        {.kind = FIRN_DROP_FIELD, .component = names[3], .field = "x"},
    };
    firn_rewrite_options options = {
        .edits = edits, .edit_count = (uint32_t)(choice >> 60) % 5, .limits = limits};
    firn_result result = firn_image_rewrite(bytes, size, &options, &out, NULL, &err);
    FUZZ_CHECK(result == FIRN_OK || (out.size == 0 && err.message[0] != '\0'));
    firn_image_close(image);
    if (result == FIRN_OK) {
        options.edit_count = 0;
        image = firn_image_open(out.data, out.size, &(firn_image_options){.limits = limits}, &err);
        firn_image_describe(image, &after);
        FUZZ_CHECK(after.by_firn && after.prelude.entity_count == before.prelude.entity_count);
        FUZZ_CHECK(after.prelude.next_slot == before.prelude.next_slot);
        firn_image_close(image);
        FUZZ_OK(firn_image_rewrite(out.data, out.size, &options, &again, NULL, &err), &err);
        FUZZ_CHECK(again.size == out.size && memcmp(again.data, out.data, out.size) == 0);
    }
    firn_buffer_free(&out);
    firn_buffer_free(&again);
}

// What is left of an image checks, and nothing is left out of it the second time.
static void salvage(const uint8_t *image, size_t size, const firn_image_options *options,
                    firn_result checked)
{
    firn_error err = {0};
    firn_buffer out = {0}, again = {0};
    firn_salvage_summary summary = {0};
    firn_result result = firn_image_salvage(image, size, options, NULL, NULL, &out, &summary, &err);
    FUZZ_CHECK(result == FIRN_OK || (err.code == result && err.message[0] != '\0'));
    FUZZ_CHECK(!summary.whole || result != FIRN_OK || checked == FIRN_OK);
    if (result == FIRN_OK) {
        FUZZ_OK(firn_image_check(out.data, out.size, options, NULL, &err), &err);
        FUZZ_OK(firn_image_salvage(out.data, out.size, options, NULL, NULL, &again, &summary, &err),
                &err);
        FUZZ_CHECK(summary.whole && again.size == out.size);
        FUZZ_CHECK(memcmp(again.data, out.data, out.size) == 0);
    }
    firn_buffer_free(&out);
    firn_buffer_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return -1;
    }
    const uint8_t *image = data + 2;
    size -= 2;
    firn_limits limits = fuzz_limits(data[0]);
    firn_image_options options = {.limits = &limits};
    firn_error err = {0};
    firn_prelude prelude = {0};
    firn_result checked = firn_image_check(image, size, &options, &prelude, &err);
    FUZZ_CHECK(checked == FIRN_OK || (err.code == checked && err.message[0] != '\0'));
    FUZZ_CHECK(checked == FIRN_OK || err.offset <= size || err.offset == FIRN_NO_OFFSET);
    if (checked == FIRN_OK) {
        check_prelude(&prelude, &limits);
    }

    firn_hash first = {0}, second = {0};
    uint32_t components = 0;
    firn_result hashed =
        firn_image_hash(image, size, &options, &first, count_component, &components, &err);
    FUZZ_CHECK(hashed == checked);
    if (hashed == FIRN_OK) {
        FUZZ_OK(firn_image_hash(image, size, &options, &second, NULL, NULL, &err), &err);
        FUZZ_CHECK(memcmp(&first, &second, sizeof first) == 0);
        FUZZ_CHECK(components <= prelude.component_count);
        for (uint64_t i = 1; i <= 4; i++) {
            compare(image, size, &options, first.total * i);
            if (prelude.next_slot <= 65536) { // each slot without an entity takes 8 bytes
                rewrite(image, size, &limits, first.total * (2 * i + 1));
            }
        }
    }
    walk(image, size, &options, checked);
    salvage(image, size, &options, checked);
    check_data(image, size, &options, checked, "weather");
    check_data(image, size, &options, checked, "");
    if (data[1] > 0) {
        check_without_memory(image, size, &limits, data[1] - 1u, checked);
    }
    return 0;
}
