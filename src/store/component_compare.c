// Whether two components were made from the same description.
#include "store/component.h"

#include <string.h>

static bool default_rows_equal(const fr_component *a, const fr_component *b)
{
    if (a->kind == FIRN_STRING || a->kind == FIRN_VALUE) {
        const fr_blob *left = a->default_row;
        const fr_blob *right = b->default_row;
        return left->size == right->size &&
               memcmp(fr_blob_bytes(left), fr_blob_bytes(right), left->size) == 0;
    }
    uint32_t size = fr_component_default_size(a);
    return size == 0 || memcmp(a->default_row, b->default_row, size) == 0;
}

static bool codecs_equal(const fr_component *a, const fr_component *b)
{
    return a->has_codec == b->has_codec &&
           (!a->has_codec ||
            (a->codec.abi == b->codec.abi && strcmp(a->codec.name, b->codec.name) == 0 &&
             a->codec.encode == b->codec.encode && a->codec.decode == b->codec.decode &&
             a->codec.user == b->codec.user));
}

static bool hooks_equal(const firn_hooks *a, const firn_hooks *b)
{
    return a->init == b->init && a->drop == b->drop && a->move == b->move && a->user == b->user;
}

static bool required_equal(const fr_component *a, const fr_component *b)
{
    for (uint32_t i = 0; i < a->required_count && i < b->required_count; i++) {
        if (a->required[i] != b->required[i]) {
            return false;
        }
    }
    return a->required_count == b->required_count;
}

static bool former_names_equal(const fr_component *a, const fr_component *b)
{
    for (uint32_t i = 0; i < a->former_count && i < b->former_count; i++) {
        if (strcmp(a->former_names[i], b->former_names[i]) != 0) {
            return false;
        }
    }
    return a->former_count == b->former_count;
}

const char *fr_component_difference(const fr_component *a, const fr_component *b)
{
    if (a->kind != b->kind) {
        return "another kind";
    }
    if (!fr_layout_equal(&a->layout, &b->layout)) {
        return "another layout";
    }
    if (a->relation != b->relation || a->edge_stride != b->edge_stride) {
        return "another kind of relation";
    }
    if (!default_rows_equal(a, b)) {
        return "another default";
    }
    if (a->transient != b->transient) {
        return "another value of transient";
    }
    if (a->unique != b->unique) {
        return "another value of unique";
    }
    if (!codecs_equal(a, b)) {
        return "another codec";
    }
    if (!hooks_equal(&a->hooks, &b->hooks)) {
        return "other hooks";
    }
    if (!required_equal(a, b)) {
        return "other required components";
    }
    return former_names_equal(a, b) ? NULL : "other former names";
}
