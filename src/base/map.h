/// map.h: a hash map from 64-bit keys to 32-bit values, and lookups by bytes on top of it: open
/// addressing, linear probing, no tombstones. Keys that are hashes of longer keys are resolved by
/// the caller: fr_map_next walks all values under one key, in the order they were added.
#ifndef FR_MAP_H
#define FR_MAP_H

#include "firn/base.h"

typedef struct fr_map {
    struct fr_map_entry *entries; ///< NULL while empty
    uint32_t capacity;            ///< 0 or a power of two
    uint32_t count;
} fr_map;

#define FR_MAP_NONE UINT32_MAX ///< no value; never stored

void fr_map_free(const firn_allocator *allocator, fr_map *map);
void fr_map_clear(fr_map *map); ///< keeps memory
/// Makes room for `extra` more entries, so that as many fr_map_add cannot fail.
bool fr_map_reserve(const firn_allocator *allocator, fr_map *map, uint32_t extra);
/// Adds an entry; several values may stand under one key. false: no memory, nothing changed.
bool fr_map_add(const firn_allocator *allocator, fr_map *map, uint64_t key, uint32_t value);
/// The first value under the key, or FR_MAP_NONE.
uint32_t fr_map_get(const fr_map *map, uint64_t key);
/// Walks the values under a key: *cursor starts at UINT32_MAX; FR_MAP_NONE at the end.
uint32_t fr_map_next(const fr_map *map, uint64_t key, uint32_t *cursor);
/// Removes the entry (key, value); false when it is not there.
bool fr_map_remove(fr_map *map, uint64_t key, uint32_t value);

#endif
