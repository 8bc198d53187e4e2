/// table.h: tables of a document. Elements 1..n lie in a row; every other key is an entry of the
/// map, which has a hash index above FR_MAP_SCAN entries, seeded by the document's address, so that
/// nobody can choose keys that collide. The order of entries shows nowhere: fr_table_sort may
/// change it at any time.
#ifndef FR_TABLE_H
#define FR_TABLE_H

#include "value/doc.h"

/// Maps up to this size are searched from front to back.
#define FR_MAP_SCAN 8

typedef struct fr_table_entry {
    firn_value key;
    firn_value value;
} fr_table_entry;

/// A place of the index. The entry is its number + 1, 0 when the place is free.
typedef struct fr_table_slot {
    uint32_t hash;
    uint32_t entry;
} fr_table_slot;

typedef struct fr_table_map {
    fr_table_entry *entries;
    fr_table_slot *slots; ///< NULL while the map is small
    uint32_t count;
    uint32_t capacity;
    uint32_t slot_count; ///< 0 or a power of two, more than count
    uint32_t numbers;    ///< entries whose key is a number
    uint64_t seed;
    bool sorted; ///< the entries are in canonical order
} fr_table_map;

struct firn_table {
    firn_value *items;
    fr_table_map *map; ///< NULL until the first entry
    uint32_t count;
    uint32_t capacity;
};

/// An empty table; NULL: no memory.
firn_table *fr_table_create(firn_doc *doc);
/// Makes room for `elements` in all and for `entries` more. false: no memory, nothing changed.
bool fr_table_reserve_items(firn_doc *doc, firn_table *table, size_t elements);
bool fr_table_reserve_map(firn_doc *doc, firn_table *table, size_t entries);

/// Whether a value may be a key: a boolean, a number that is not NaN, a string.
bool fr_is_key(const firn_value *value);
/// table[key], or NULL.
const firn_value *fr_table_find(const firn_table *table, const firn_value *key);
/// Adds a key that is absent, and moves entries that continue the array part to it. The item is not
/// nil. false: no memory, nothing changed.
bool fr_table_add(firn_doc *doc, firn_table *table, firn_value key, firn_value item);

/// Canonical order of keys: negative, 0 or positive.
int fr_key_compare(const firn_value *a, const firn_value *b);
/// Puts the entries into canonical order. Allocates nothing.
void fr_table_sort(const firn_table *table);
/// Fills the index again after the entries moved.
void fr_table_index(fr_table_map *map);

/// A string in the document: *out gets a copy of the bytes. Fails like firn_value_string.
firn_result fr_string_value(firn_doc *doc, const void *bytes, size_t size, firn_value *out,
                            firn_error *err);

#endif
