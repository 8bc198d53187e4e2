/// table.h: tables of a document. Elements 1..n lie in a row; every other key is an entry of the
/// map: number i of a list of keys, which other tables may share, and value i of the table's own.
#ifndef FR_TABLE_H
#define FR_TABLE_H

#include "value/keys.h"

struct firn_table {
    firn_value *items;
    firn_value *values;  ///< of the first `entries` keys of the list
    fr_table_keys *keys; ///< NULL until the first entry
    uint32_t count;      ///< elements
    uint32_t capacity;   ///< of `items`
    uint32_t entries;    ///< all keys of the list, unless it is shared
    uint32_t room;       ///< of `values`
};

/// An empty table with room for so many entries; NULL: no memory.
firn_table *fr_table_create(firn_doc *doc, uint32_t room);
/// Makes room for `elements` in all and for `entries` more. false: no memory, nothing changed.
bool fr_table_reserve_items(firn_doc *doc, firn_table *table, size_t elements);
bool fr_table_reserve_map(firn_doc *doc, firn_table *table, size_t entries);

/// table[key], or NULL.
const firn_value *fr_table_find(const firn_table *table, const firn_value *key);
/// Adds a key that is absent, and moves entries that continue the array part to it. The item is not
/// nil. false: no memory, nothing changed.
bool fr_table_add(firn_doc *doc, firn_table *table, firn_value key, firn_value item);

/// Puts the entries of a table whose list is not shared into canonical order. Allocates nothing.
void fr_table_sort(const firn_table *table);

/// Places to walk for all entries of a sorted table in canonical order, with fr_table_entry_at.
static inline uint32_t fr_table_places(const firn_table *table)
{
    return table->keys != NULL && table->keys->wire != NULL ? table->keys->count : table->entries;
}

/// The entry at a place; the place is empty when the entry is not below table->entries.
static inline uint32_t fr_table_entry_at(const firn_table *table, uint32_t place)
{
    return table->keys->wire != NULL ? table->keys->wire[place].ordered : place;
}

/// A string in the document: *out gets a copy of the bytes. Fails like firn_value_string.
firn_result fr_string_value(firn_doc *doc, const void *bytes, size_t size, firn_value *out,
                            firn_error *err);

#endif
