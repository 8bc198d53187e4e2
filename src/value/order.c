#include <string.h>

#include "buffer/bytes.h"
#include "value/table.h"

/// Booleans before numbers before strings.
static int key_rank(const firn_value *key)
{
    return key->kind == FIRN_VALUE_BOOL ? 0 : key->kind == FIRN_VALUE_NUMBER ? 1 : 2;
}

int fr_key_compare(const firn_value *a, const firn_value *b)
{
    if (a->kind != b->kind) {
        return key_rank(a) - key_rank(b);
    }
    if (a->kind == FIRN_VALUE_BOOL) {
        return (int)a->as.boolean - (int)b->as.boolean;
    }
    if (a->kind == FIRN_VALUE_NUMBER) {
        return (a->as.number > b->as.number) - (a->as.number < b->as.number);
    }
    uint32_t shorter = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->as.string, b->as.string, shorter);
    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

static void swap_entries(const firn_table *table, uint32_t a, uint32_t b)
{
    firn_value *keys = table->keys->keys;
    firn_value key = keys[a];
    firn_value value = table->values[a];
    keys[a] = keys[b];
    table->values[a] = table->values[b];
    keys[b] = key;
    table->values[b] = value;
}

/// Lets entry `root` sink to its place in the heap of `count` entries.
static void sink_entry(const firn_table *table, uint32_t root, uint32_t count)
{
    const firn_value *keys = table->keys->keys;
    for (;;) {
        uint64_t child = 2 * (uint64_t)root + 1;
        if (child >= count) {
            return;
        }
        if (child + 1 < count && fr_key_compare(&keys[child], &keys[child + 1]) < 0) {
            child += 1;
        }
        if (fr_key_compare(&keys[root], &keys[child]) >= 0) {
            return;
        }
        swap_entries(table, root, (uint32_t)child);
        root = (uint32_t)child;
    }
}

// Heap sort: no memory, no recursion, and no input that makes it quadratic. qsort of the C library
// may call malloc.
static void sort_entries(const firn_table *table, uint32_t count)
{
    for (uint32_t root = count / 2; root > 0; root--) {
        sink_entry(table, root - 1, count);
    }
    for (uint32_t last = count - 1; last > 0; last--) {
        swap_entries(table, 0, last);
        sink_entry(table, 0, last);
    }
}

static void insert_entries(const firn_table *table, uint32_t count)
{
    firn_value *keys = table->keys->keys;
    for (uint32_t i = 1; i < count; i++) {
        firn_value key = keys[i];
        firn_value value = table->values[i];
        uint32_t at = i;
        for (; at > 0 && fr_key_compare(&keys[at - 1], &key) > 0; at--) {
            keys[at] = keys[at - 1];
            table->values[at] = table->values[at - 1];
        }
        keys[at] = key;
        table->values[at] = value;
    }
}

void fr_table_sort(const firn_table *table)
{
    fr_table_keys *keys = table->keys;
    if (keys == NULL || keys->sorted || keys->wire != NULL) {
        return;
    }
    if (keys->count <= 2 * FR_KEYS_SCAN) {
        insert_entries(table, keys->count);
    } else {
        sort_entries(table, keys->count);
    }
    keys->sorted = true;
    fr_keys_index(keys);
}

const firn_value *firn_table_next(const firn_value *table, uint32_t *cursor, firn_value *key)
{
    if (table == NULL || table->kind != FIRN_VALUE_TABLE || cursor == NULL) {
        return NULL;
    }
    const firn_table *content = table->as.table;
    uint32_t at = *cursor;
    if (at < content->count) {
        if (key != NULL) {
            *key = (firn_value){.kind = FIRN_VALUE_NUMBER, .as.number = (double)at + 1};
        }
        *cursor = at + 1;
        return &content->items[at];
    }
    fr_table_sort(content);
    for (at -= content->count; at < fr_table_places(content); at++) {
        uint32_t entry = fr_table_entry_at(content, at);
        if (entry < content->entries) {
            if (key != NULL) {
                *key = content->keys->keys[entry];
            }
            *cursor = content->count + at + 1;
            return &content->values[entry];
        }
    }
    return NULL;
}

/// What firn_value_equal may still do: trees that share tables can be larger than any memory.
struct equal_bounds {
    uint64_t values;
    uint32_t depth;
};

#define EQUAL_VALUES_MAX (UINT64_C(1) << 28)

static bool equal_values(const firn_value *a, const firn_value *b, struct equal_bounds *bounds);

static bool equal_tables(const firn_table *a, const firn_table *b, struct equal_bounds *bounds)
{
    if (a == b) {
        return true;
    }
    if (a->count != b->count || a->entries != b->entries) {
        return false;
    }
    if (bounds->depth == 0) {
        return false;
    }
    bounds->depth -= 1;
    for (uint32_t i = 0; i < a->count; i++) {
        if (!equal_values(&a->items[i], &b->items[i], bounds)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < a->entries; i++) {
        const firn_value *other = fr_table_find(b, &a->keys->keys[i]);
        if (other == NULL || !equal_values(&a->values[i], other, bounds)) {
            return false;
        }
    }
    bounds->depth += 1;
    return true;
}

static bool equal_values(const firn_value *a, const firn_value *b, struct equal_bounds *bounds)
{
    if (a->kind != b->kind || bounds->values == 0) {
        return false;
    }
    bounds->values -= 1;
    switch (a->kind) {
    case FIRN_VALUE_NIL:
        return true;
    case FIRN_VALUE_BOOL:
        return a->as.boolean == b->as.boolean;
    case FIRN_VALUE_NUMBER:
        return fr_canonical_bits(a->as.number) == fr_canonical_bits(b->as.number);
    case FIRN_VALUE_INT64:
        return a->as.int64 == b->as.int64;
    case FIRN_VALUE_UINT64:
        return a->as.uint64 == b->as.uint64;
    case FIRN_VALUE_COMPLEX:
        return fr_canonical_bits(a->as.complex[0]) == fr_canonical_bits(b->as.complex[0]) &&
               fr_canonical_bits(a->as.complex[1]) == fr_canonical_bits(b->as.complex[1]);
    case FIRN_VALUE_STRING:
        return a->length == b->length && memcmp(a->as.string, b->as.string, a->length) == 0;
    case FIRN_VALUE_TABLE:
        return equal_tables(a->as.table, b->as.table, bounds);
    }
    return false;
}

bool firn_value_equal(const firn_value *a, const firn_value *b)
{
    if (a == NULL || b == NULL) {
        return a == b;
    }
    struct equal_bounds bounds = {EQUAL_VALUES_MAX, FIRN_DEPTH_MAX};
    return equal_values(a, b, &bounds);
}
