#include "base/map.h"

#include "base/alloc.h"

#include <assert.h>
#include <stdalign.h>

typedef struct fr_map_entry {
    uint64_t key;
    uint32_t value; ///< FR_MAP_NONE: the place is empty
} fr_map_entry;

#define MAP_CAPACITY_FIRST 4
#define MAP_CAPACITY_MOST  (UINT32_C(1) << 31)

// Where a key would like to stand. The address salts it, so that keys which a file chose cannot be
// aimed at one place. Source of the mixer: MurmurHash3, fmix64.
static uint32_t map_home(const fr_map *map, uint64_t key)
{
    key ^= (uint64_t)(uintptr_t)map->entries;
    key = (key ^ (key >> 33)) * UINT64_C(0xff51afd7ed558ccd);
    key = (key ^ (key >> 33)) * UINT64_C(0xc4ceb9fe1a85ec53);
    return (uint32_t)(key ^ (key >> 33)) & (map->capacity - 1);
}

static void map_put(fr_map *map, uint64_t key, uint32_t value)
{
    uint32_t mask = map->capacity - 1;
    uint32_t at = map_home(map, key);
    while (map->entries[at].value != FR_MAP_NONE) {
        at = (at + 1) & mask;
    }
    map->entries[at] = (fr_map_entry){key, value};
    map->count++;
}

// Moves all entries, beginning behind an empty place, so that entries of one key keep their order
// even where they wrap around the end.
static void map_put_all(fr_map *map, const fr_map *from)
{
    if (from->count == 0) {
        return;
    }
    uint32_t mask = from->capacity - 1;
    uint32_t start = 0;
    while (from->entries[start].value != FR_MAP_NONE) {
        start++;
    }
    for (uint32_t i = 1; i < from->capacity; i++) {
        const fr_map_entry *entry = &from->entries[(start + i) & mask];
        if (entry->value != FR_MAP_NONE) {
            map_put(map, entry->key, entry->value);
        }
    }
}

void fr_map_free(const firn_allocator *allocator, fr_map *map)
{
    fr_free(allocator, map->entries, map->capacity, sizeof(fr_map_entry), alignof(fr_map_entry));
    *map = (fr_map){NULL, 0, 0};
}

void fr_map_clear(fr_map *map)
{
    for (uint32_t i = 0; i < map->capacity; i++) {
        map->entries[i].value = FR_MAP_NONE;
    }
    map->count = 0;
}

bool fr_map_reserve(const firn_allocator *allocator, fr_map *map, uint32_t extra)
{
    // At most three quarters full: probes stay short, and one place is always empty.
    uint64_t need = (uint64_t)map->count + extra;
    uint64_t capacity = map->capacity == 0 ? MAP_CAPACITY_FIRST : map->capacity;
    while (need > capacity / 4 * 3) {
        capacity *= 2;
    }
    if (capacity == map->capacity || need == 0) {
        return true;
    }
    if (capacity > MAP_CAPACITY_MOST) {
        return false;
    }
    fr_map grown = {NULL, (uint32_t)capacity, 0};
    grown.entries =
        fr_alloc(allocator, grown.capacity, sizeof(fr_map_entry), alignof(fr_map_entry));
    if (grown.entries == NULL) {
        return false;
    }
    fr_map_clear(&grown);
    map_put_all(&grown, map);
    fr_map_free(allocator, map);
    *map = grown;
    return true;
}

bool fr_map_add(const firn_allocator *allocator, fr_map *map, uint64_t key, uint32_t value)
{
    assert(value != FR_MAP_NONE);
    if (!fr_map_reserve(allocator, map, 1)) {
        return false;
    }
    map_put(map, key, value);
    return true;
}

uint32_t fr_map_get(const fr_map *map, uint64_t key)
{
    uint32_t cursor = UINT32_MAX;
    return fr_map_next(map, key, &cursor);
}

uint32_t fr_map_next(const fr_map *map, uint64_t key, uint32_t *cursor)
{
    if (map->count == 0) {
        return FR_MAP_NONE;
    }
    uint32_t mask = map->capacity - 1;
    uint32_t at = *cursor == UINT32_MAX ? map_home(map, key) : (*cursor + 1) & mask;
    for (; map->entries[at].value != FR_MAP_NONE; at = (at + 1) & mask) {
        if (map->entries[at].key == key) {
            *cursor = at;
            return map->entries[at].value;
        }
    }
    return FR_MAP_NONE;
}

// Closes the hole at `hole`: each later entry of the run moves into it unless its home lies behind.
static void map_close(fr_map *map, uint32_t hole)
{
    uint32_t mask = map->capacity - 1;
    uint32_t at = hole;
    for (;;) {
        at = (at + 1) & mask;
        if (map->entries[at].value == FR_MAP_NONE) {
            break;
        }
        uint32_t home = map_home(map, map->entries[at].key);
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            map->entries[hole] = map->entries[at];
            hole = at;
        }
    }
    map->entries[hole].value = FR_MAP_NONE;
}

bool fr_map_remove(fr_map *map, uint64_t key, uint32_t value)
{
    uint32_t cursor = UINT32_MAX;
    uint32_t found = fr_map_next(map, key, &cursor);
    while (found != FR_MAP_NONE && found != value) {
        found = fr_map_next(map, key, &cursor);
    }
    if (found == FR_MAP_NONE) {
        return false;
    }
    map_close(map, cursor);
    map->count--;
    return true;
}
