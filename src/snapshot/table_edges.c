// Relationships of a table, whose targets may be decimal digits, as ids of rows may.
#include "base/error.h"
#include "snapshot/table_image.h"

static bool has_digits(const firn_value *edge)
{
    uint64_t id;
    const firn_value *target = firn_table_get_text(edge, "target");
    return target != NULL && target->kind == FIRN_VALUE_STRING && fr_table_number(target, &id);
}

static firn_result make_number(firn_doc *doc, firn_value *edge, firn_error *err)
{
    uint64_t id;
    if (!has_digits(edge)) {
        return FIRN_OK;
    }
    fr_table_number(firn_table_get_text(edge, "target"), &id);
    const firn_value *number = firn_value_number(doc, (double)id, err);
    return number == NULL ? FIRN_NO_MEMORY : firn_table_set_text(doc, edge, "target", number, err);
}

// Appends the value with other targets.
static firn_result encode_with_numbers(fr_table_image *image, const firn_value *value,
                                       firn_error *err)
{
    size_t before = image->bytes.size;
    firn_result result = firn_value_encode(value, &image->limits, &image->bytes, err);
    if (result != FIRN_OK) {
        return result;
    }
    firn_doc *doc = firn_doc_create(&image->world->allocator, &image->limits, err);
    if (doc == NULL) {
        return FIRN_NO_MEMORY;
    }
    firn_value *copy =
        firn_value_decode(doc, image->bytes.data + before, image->bytes.size - before, err);
    image->bytes.size = before;
    const firn_value *edges = firn_table_get_text(copy, "edges");
    result = copy == NULL ? FIRN_NO_MEMORY : make_number(doc, copy, err);
    for (uint32_t i = 0; result == FIRN_OK && i < firn_table_array_count(edges); i++) {
        // What is in the document may be changed.
        result = make_number(doc, (firn_value *)firn_table_get_number(edges, i + 1.0), err);
    }
    if (result == FIRN_OK) {
        result = firn_value_encode(copy, &image->limits, &image->bytes, err);
    }
    firn_doc_destroy(doc);
    return result;
}

firn_result fr_table_encode_edges(fr_table_image *image, const firn_value *value, firn_error *err)
{
    const firn_value *edges = firn_table_get_text(value, "edges");
    bool digits = has_digits(value);
    for (uint32_t i = 0; !digits && i < firn_table_array_count(edges); i++) {
        digits = has_digits(firn_table_get_number(edges, i + 1.0));
    }
    return digits ? encode_with_numbers(image, value, err)
                  : firn_value_encode(value, &image->limits, &image->bytes, err);
}
