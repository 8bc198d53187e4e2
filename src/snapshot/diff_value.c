// What differs in two trees.
#include "base/utf8.h"
#include "buffer/bytes.h"
#include "snapshot/diff.h"
#include "value/keys.h"

// ---- scalars

bool fr_diff_same_number(const fr_diff *diff, double left, double right)
{
    if (fr_bits_f64(left) == fr_bits_f64(right)) {
        return true;
    }
    double tolerance = diff->options.tolerance;
    if (tolerance == 0) {
        return false;
    }
    if (left != left || right != right) {
        return left != left && right != right;
    }
    double apart = left > right ? left - right : right - left;
    return apart <= tolerance;
}

static bool is_number(const firn_value *value)
{
    return value->kind == FIRN_VALUE_NUMBER || value->kind == FIRN_VALUE_INT64 ||
           value->kind == FIRN_VALUE_UINT64;
}

static double to_number(const firn_value *value)
{
    return value->kind == FIRN_VALUE_INT64    ? (double)value->as.int64
           : value->kind == FIRN_VALUE_UINT64 ? (double)value->as.uint64
                                              : value->as.number;
}

static bool are_same(const fr_diff *diff, const firn_value *left, const firn_value *right)
{
    if (left->kind == right->kind) {
        switch (left->kind) {
        case FIRN_VALUE_NUMBER:
            return fr_diff_same_number(diff, left->as.number, right->as.number);
        case FIRN_VALUE_COMPLEX:
            return fr_diff_same_number(diff, left->as.complex[0], right->as.complex[0]) &&
                   fr_diff_same_number(diff, left->as.complex[1], right->as.complex[1]);
        default:
            return firn_value_equal(left, right);
        }
    }
    return diff->lenient && is_number(left) && is_number(right) &&
           fr_diff_same_number(diff, to_number(left), to_number(right));
}

// ---- tables

static firn_result diff_values(fr_diff *diff, const firn_value *left, const firn_value *right,
                               uint32_t depth, firn_error *err);

// The number of an element; 0 for other keys.
static uint32_t index_of(const firn_value *key)
{
    bool fits = key->kind == FIRN_VALUE_NUMBER && key->as.number >= 1 &&
                key->as.number <= (double)UINT32_MAX;
    uint32_t index = fits ? (uint32_t)key->as.number : 0;
    return fits && key->as.number == (double)index ? index : 0;
}

static firn_result diff_item(fr_diff *diff, const firn_value *key, const firn_value *left,
                             const firn_value *right, uint32_t depth, firn_error *err)
{
    size_t size = diff->path.size;
    uint32_t index = index_of(key);
    if (index > 0) {
        fr_path_index(&diff->path, index);
    } else if (diff->flat && depth == 1 && key->kind == FIRN_VALUE_STRING) {
        char name[256];
        fr_path_text(&diff->path, ".");
        fr_path_text(&diff->path, fr_printable(name, sizeof name, key->as.string, key->length));
    } else {
        fr_path_key(&diff->path, key);
    }
    firn_result result = diff_values(diff, left, right, depth, err);
    fr_path_cut(&diff->path, size);
    return result;
}

// The next pair of a map whose key is no element of the other table; NULL at the end.
static const firn_value *next_pair(const firn_value *table, uint32_t *cursor, uint32_t elements,
                                   firn_value *key)
{
    const firn_value *item;
    while ((item = firn_table_next(table, cursor, key)) != NULL) {
        uint32_t index = index_of(key);
        if (index == 0 || index > elements) {
            return item;
        }
    }
    return NULL;
}

static firn_result diff_maps(fr_diff *diff, const firn_value *tables[2], uint32_t elements,
                             uint32_t depth, firn_error *err)
{
    firn_value keys[2];
    const firn_value *items[2];
    uint32_t cursors[2];
    for (int side = FR_LEFT; side <= FR_RIGHT; side++) {
        cursors[side] = firn_table_array_count(tables[side]); // behind the elements
        items[side] = next_pair(tables[side], &cursors[side], elements, &keys[side]);
    }
    firn_result result = FIRN_OK;
    while (result == FIRN_OK && (items[FR_LEFT] != NULL || items[FR_RIGHT] != NULL)) {
        int order = items[FR_LEFT] == NULL    ? 1
                    : items[FR_RIGHT] == NULL ? -1
                                              : fr_key_compare(&keys[FR_LEFT], &keys[FR_RIGHT]);
        result = diff_item(diff, order <= 0 ? &keys[FR_LEFT] : &keys[FR_RIGHT],
                           order <= 0 ? items[FR_LEFT] : NULL, order >= 0 ? items[FR_RIGHT] : NULL,
                           depth, err);
        for (int side = FR_LEFT; side <= FR_RIGHT; side++) {
            if (side == FR_LEFT ? order <= 0 : order >= 0) {
                items[side] = next_pair(tables[side], &cursors[side], elements, &keys[side]);
            }
        }
    }
    return result;
}

static firn_result diff_tables(fr_diff *diff, const firn_value *left, const firn_value *right,
                               uint32_t depth, firn_error *err)
{
    const firn_value *tables[2] = {left, right};
    uint32_t counts[2] = {firn_table_array_count(left), firn_table_array_count(right)};
    uint32_t most = counts[counts[FR_RIGHT] > counts[FR_LEFT]];
    firn_result result = FIRN_OK;
    for (uint32_t i = 1; result == FIRN_OK && i <= most; i++) {
        firn_value key = {.kind = FIRN_VALUE_NUMBER, .as.number = i};
        result = diff_item(diff, &key, firn_table_get_number(left, i),
                           firn_table_get_number(right, i), depth, err);
    }
    return result == FIRN_OK ? diff_maps(diff, tables, most, depth, err) : result;
}

static bool is_table(const firn_value *value)
{
    return value != NULL && value->kind == FIRN_VALUE_TABLE;
}

// Trees are decoded within the limit of depth, which is at most FIRN_DEPTH_MAX.
static firn_result diff_values(fr_diff *diff, const firn_value *left, const firn_value *right,
                               uint32_t depth, firn_error *err)
{
    if (is_table(left) && is_table(right) && depth < FIRN_DEPTH_MAX) {
        return diff_tables(diff, left, right, depth + 1, err);
    }
    if (left != NULL && right != NULL && are_same(diff, left, right)) {
        return FIRN_OK;
    }
    return fr_diff_tell(diff, left, right, err);
}

firn_result fr_diff_values(fr_diff *diff, const firn_value *left, const firn_value *right,
                           firn_error *err)
{
    return diff_values(diff, left, right, 0, err);
}
