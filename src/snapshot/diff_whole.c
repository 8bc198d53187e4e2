// What differs in two images beside their entities: header, schemas, order of sources, data.
#include <assert.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "plugin/registry.h"
#include "snapshot/diff.h"
#include "snapshot/format.h"

// ---- header

static void begin_header(fr_diff *diff, const char *path)
{
    fr_diff_begin(diff, FIRN_DIFFERENCE_HEADER, "", 0);
    fr_path_text(&diff->path, path);
}

static firn_result tell_values(fr_diff *diff, const firn_value *left, const firn_value *right,
                               firn_error *err)
{
    firn_result result =
        left != NULL && right != NULL ? fr_diff_tell(diff, left, right, err) : err->code;
    firn_doc_clear(diff->doc);
    return result;
}

static firn_result tell_number(fr_diff *diff, const char *path, uint64_t left, uint64_t right,
                               firn_error *err)
{
    if (left == right) {
        return FIRN_OK;
    }
    begin_header(diff, path);
    const firn_value *value = firn_value_number(diff->doc, (double)left, err);
    return tell_values(
        diff, value, value != NULL ? firn_value_number(diff->doc, (double)right, err) : NULL, err);
}

static firn_result tell_text(fr_diff *diff, const char *left, size_t left_size, const char *right,
                             size_t right_size, firn_error *err)
{
    if (left_size == right_size && (left_size == 0 || memcmp(left, right, left_size) == 0)) {
        return FIRN_OK;
    }
    const firn_value *value = firn_value_string(diff->doc, left, left_size, err);
    return tell_values(diff, value,
                       value != NULL ? firn_value_string(diff->doc, right, right_size, err) : NULL,
                       err);
}

// The first place where the ids that are used again differ.
static firn_result diff_free_ids(fr_diff *diff, firn_error *err)
{
    const fr_image *left = diff->images[FR_LEFT].image, *right = diff->images[FR_RIGHT].image;
    firn_result result =
        tell_number(diff, "freeIds", left->world.free_count, right->world.free_count, err);
    if (result != FIRN_OK || !left->world.has_free || !right->world.has_free) {
        return result;
    }
    fr_free_walk walks[2];
    fr_free_begin(&walks[FR_LEFT], left);
    fr_free_begin(&walks[FR_RIGHT], right);
    uint64_t ids[2] = {0, 0};
    for (uint32_t i = 1; fr_free_next(&walks[FR_LEFT], &ids[FR_LEFT]) &&
                         fr_free_next(&walks[FR_RIGHT], &ids[FR_RIGHT]);
         i++) {
        if (ids[FR_LEFT] != ids[FR_RIGHT]) {
            fr_path path;
            char text[64];
            fr_path_begin(&path, text, sizeof text);
            fr_path_text(&path, "freeIds");
            fr_path_index(&path, i);
            return tell_number(diff, text, ids[FR_LEFT], ids[FR_RIGHT], err);
        }
    }
    return FIRN_OK;
}

static firn_result diff_header(fr_diff *diff, firn_error *err)
{
    const fr_image *left = diff->images[FR_LEFT].image, *right = diff->images[FR_RIGHT].image;
    firn_result result =
        tell_number(diff, "version", left->prelude.version, right->prelude.version, err);
    if (result == FIRN_OK) {
        begin_header(diff, "name");
        result = tell_text(diff, left->world.name, left->world.name_size, right->world.name,
                           right->world.name_size, err);
    }
    if (result == FIRN_OK) {
        result = tell_number(diff, "tick", left->world.tick, right->world.tick, err);
    }
    if (result == FIRN_OK) {
        result = tell_number(diff, "nextEntityId", left->prelude.next_slot,
                             right->prelude.next_slot, err);
    }
    return result == FIRN_OK ? diff_free_ids(diff, err) : result;
}

// ---- schemas

static firn_result diff_schema(fr_diff *diff, const fr_diff_name *name, firn_error *err)
{
    const fr_entry *left = name->entries[FR_LEFT], *right = name->entries[FR_RIGHT];
    if (left == NULL || right == NULL || name->same_rows || !name->selected) {
        return FIRN_OK;
    }
    fr_diff_begin(diff, FIRN_DIFFERENCE_SCHEMA, left->name, left->name_size);
    return tell_text(diff, left->fingerprint, left->raw ? left->fingerprint_size : 0,
                     right->fingerprint, right->raw ? right->fingerprint_size : 0, err);
}

// ---- data

static firn_value *decode_data(fr_diff *diff, int side, const fr_datum *datum, firn_error *err)
{
    firn_error why;
    const uint8_t *bytes = diff->images[side].image->bytes + datum->offset;
    firn_value *value = firn_value_decode(diff->doc, bytes, datum->size, &why);
    if (value == NULL) {
        fr_fail(err, why.code, diff->component, "data %s: %s", diff->component, why.message);
    }
    return value;
}

static const fr_datum *find_datum(const fr_image *image, const char *key)
{
    for (uint32_t i = 0; i < image->data_count; i++) {
        const fr_datum *datum = &image->data[i];
        if (datum->key_size == strlen(key) && memcmp(datum->key, key, datum->key_size) == 0) {
            return datum;
        }
    }
    return NULL;
}

// ---- the order of sources

// Relation and target of a list of sources.
typedef struct source_list {
    const firn_value *list;
    const char *relation;
    size_t size;
    double target;
} source_list;

static source_list list_at(const firn_value *lists, uint32_t index)
{
    source_list out = {firn_table_get_number(lists, index), "?", 1, 0};
    const firn_value *relation = firn_table_get_number(out.list, 1);
    const firn_value *target = firn_table_get_number(out.list, 2);
    if (relation != NULL && relation->kind == FIRN_VALUE_STRING) {
        out.relation = relation->as.string;
        out.size = relation->length;
    }
    out.target = target != NULL && target->kind == FIRN_VALUE_NUMBER ? target->as.number : 0;
    return out;
}

static int compare_lists(const source_list *a, const source_list *b)
{
    if (a->list == NULL || b->list == NULL) {
        return a->list == NULL ? 1 : -1;
    }
    int order = fr_compare_names(a->relation, a->size, b->relation, b->size);
    return order != 0 ? order : (a->target > b->target) - (a->target < b->target);
}

static firn_result diff_lists(fr_diff *diff, const firn_value *left, const firn_value *right,
                              firn_error *err)
{
    firn_result result = FIRN_OK;
    source_list a = list_at(left, 1), b = list_at(right, 1);
    for (uint32_t i = 1, k = 1; result == FIRN_OK && (a.list != NULL || b.list != NULL);) {
        int order = compare_lists(&a, &b);
        const source_list *at = order <= 0 ? &a : &b;
        if (order != 0 || !firn_value_equal(a.list, b.list)) {
            bool is_id = at->target >= 1 && at->target < FR_ID_END;
            fr_diff_begin(diff, FIRN_DIFFERENCE_ORDER, at->relation, at->size);
            diff->at.entity = is_id ? (firn_entity)at->target : 0;
            result = fr_diff_tell_both(diff, err);
        }
        if (order <= 0) {
            a = list_at(left, ++i);
        }
        if (order >= 0) {
            b = list_at(right, ++k);
        }
    }
    return result;
}

// Of targets that the images have (FR_KEY_ORDER), or of others (FR_KEY_OUTER).
static firn_result diff_sources(fr_diff *diff, const char *key, firn_error *err)
{
    const firn_value *lists[2] = {NULL, NULL};
    fr_diff_begin(diff, FIRN_DIFFERENCE_ORDER, key, strlen(key));
    firn_result result = FIRN_OK;
    for (int side = FR_LEFT; result == FIRN_OK && side <= FR_RIGHT; side++) {
        const fr_datum *datum = find_datum(diff->images[side].image, key);
        if (datum != NULL) {
            lists[side] = decode_data(diff, side, datum, err);
            result = lists[side] != NULL ? FIRN_OK : err->code;
        }
    }
    if (result == FIRN_OK) {
        result = diff_lists(diff, lists[FR_LEFT], lists[FR_RIGHT], err);
    }
    firn_doc_clear(diff->doc);
    return result;
}

firn_result fr_diff_front(fr_diff *diff, firn_error *err)
{
    bool whole = fr_diff_is_whole(diff);
    firn_result result = whole ? diff_header(diff, err) : FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < diff->name_count; i++) {
        result = diff_schema(diff, &diff->names[i], err);
    }
    if (result == FIRN_OK && whole) {
        result = diff_sources(diff, FR_KEY_ORDER, err);
    }
    return result == FIRN_OK && whole ? diff_sources(diff, FR_KEY_OUTER, err) : result;
}

// ---- entries of data

static bool is_entry(const fr_datum *datum)
{
    static const char *const others[] = {FR_KEY_WORLD, FR_KEY_FREE, FR_KEY_ORDER, FR_KEY_OUTER};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (datum->key_size == strlen(others[i]) &&
            memcmp(datum->key, others[i], datum->key_size) == 0) {
            return false;
        }
    }
    return true;
}

// By key; those of one key as they stand.
static int compare_keys(const void *a, const void *b)
{
    const fr_datum *left = a, *right = b;
    int order = fr_compare_names(left->key, left->key_size, right->key, right->key_size);
    return order != 0 ? order : (left > right) - (left < right);
}

static firn_result diff_datum(fr_diff *diff, const fr_datum *const data[2], firn_error *err)
{
    const fr_datum *left = data[FR_LEFT], *right = data[FR_RIGHT];
    const fr_datum *any = left != NULL ? left : right;
    assert(any != NULL); // it is an entry of one side or both
    const uint8_t *bytes[2] = {diff->images[FR_LEFT].image->bytes,
                               diff->images[FR_RIGHT].image->bytes};
    assert(any != NULL);
    if (left != NULL && right != NULL && left->size == right->size &&
        memcmp(bytes[FR_LEFT] + left->offset, bytes[FR_RIGHT] + right->offset, left->size) == 0) {
        return FIRN_OK;
    }
    fr_diff_begin(diff, FIRN_DIFFERENCE_DATA, any->key, any->key_size);
    const firn_value *values[2] = {NULL, NULL};
    for (int side = FR_LEFT; side <= FR_RIGHT; side++) {
        if (data[side] != NULL) {
            values[side] = decode_data(diff, side, data[side], err);
            if (values[side] == NULL) {
                return err->code;
            }
        }
    }
    firn_result result = fr_diff_values(diff, values[FR_LEFT], values[FR_RIGHT], err);
    firn_doc_clear(diff->doc);
    return result;
}

static firn_result diff_sorted(fr_diff *diff, const fr_datum *const *sorted[2],
                               const uint32_t counts[2], firn_error *err)
{
    uint32_t at[2] = {0, 0};
    firn_result result = FIRN_OK;
    while (result == FIRN_OK &&
           (at[FR_LEFT] < counts[FR_LEFT] || at[FR_RIGHT] < counts[FR_RIGHT])) {
        const fr_datum *data[2] = {NULL, NULL};
        for (int side = FR_LEFT; side <= FR_RIGHT; side++) {
            data[side] = at[side] < counts[side] ? sorted[side][at[side]] : NULL;
        }
        int order = data[FR_LEFT] == NULL ? 1
                    : data[FR_RIGHT] == NULL
                        ? -1
                        : fr_compare_names(data[FR_LEFT]->key, data[FR_LEFT]->key_size,
                                           data[FR_RIGHT]->key, data[FR_RIGHT]->key_size);
        data[FR_LEFT] = order <= 0 ? data[FR_LEFT] : NULL;
        data[FR_RIGHT] = order >= 0 ? data[FR_RIGHT] : NULL;
        result = diff_datum(diff, data, err);
        at[FR_LEFT] += order <= 0;
        at[FR_RIGHT] += order >= 0;
    }
    return result;
}

firn_result fr_diff_data(fr_diff *diff, firn_error *err)
{
    if (!fr_diff_is_whole(diff)) {
        return FIRN_OK;
    }
    const fr_datum **sorted[2] = {NULL, NULL};
    uint32_t counts[2] = {0, 0};
    bool made = true;
    for (int side = FR_LEFT; side <= FR_RIGHT; side++) {
        const fr_image *image = diff->images[side].image;
        sorted[side] = fr_alloc(&diff->allocator, (size_t)image->data_count + 1,
                                sizeof(const fr_datum *), sizeof(void *));
        made = made && sorted[side] != NULL;
        for (uint32_t i = 0; made && i < image->data_count; i++) {
            if (is_entry(&image->data[i])) {
                sorted[side][counts[side]++] = &image->data[i];
            }
        }
        if (made) {
            fr_sort((const void **)sorted[side], counts[side], compare_keys);
        }
    }
    const fr_datum *const *both[2] = {sorted[FR_LEFT], sorted[FR_RIGHT]};
    firn_result result = made ? diff_sorted(diff, both, counts, err) : fr_fail_memory(err, "data");
    for (int side = FR_LEFT; side <= FR_RIGHT; side++) {
        fr_free(&diff->allocator, sorted[side], (size_t)diff->images[side].image->data_count + 1,
                sizeof(const fr_datum *), sizeof(void *));
    }
    return result;
}
