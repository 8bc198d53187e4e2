#include "value/table.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "buffer/bytes.h"

#define ENTRY_NONE UINT32_MAX

firn_table *fr_table_create(firn_doc *doc)
{
    firn_table *table = fr_doc_alloc(doc, 1, sizeof *table);
    if (table != NULL) {
        *table = (firn_table){0};
    }
    return table;
}

bool fr_table_reserve_items(firn_doc *doc, firn_table *table, size_t elements)
{
    if (elements <= table->capacity) {
        return true;
    }
    size_t capacity = fr_next_capacity(table->capacity, elements, 1);
    if (capacity > UINT32_MAX) {
        return false;
    }
    firn_value *items =
        fr_doc_grow(doc, table->items, table->capacity, capacity, sizeof *table->items);
    if (items == NULL) {
        return false;
    }
    table->items = items;
    table->capacity = (uint32_t)capacity;
    return true;
}

bool fr_is_key(const firn_value *value)
{
    return value->kind == FIRN_VALUE_BOOL || value->kind == FIRN_VALUE_STRING ||
           (value->kind == FIRN_VALUE_NUMBER && value->as.number == value->as.number);
}

static bool same_key(const firn_value *a, const firn_value *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    if (a->kind == FIRN_VALUE_NUMBER) {
        return a->as.number == b->as.number;
    }
    if (a->kind == FIRN_VALUE_BOOL) {
        return a->as.boolean == b->as.boolean;
    }
    return a->length == b->length && memcmp(a->as.string, b->as.string, a->length) == 0;
}

static uint32_t hash_key(const firn_value *key, uint64_t seed)
{
    uint64_t hash;
    if (key->kind == FIRN_VALUE_STRING) {
        hash = fr_hash_seeded(key->as.string, key->length, seed);
    } else {
        // Keys are normalized: -0 is 0.
        uint64_t word = key->kind == FIRN_VALUE_NUMBER ? fr_bits_f64(key->as.number)
                                                       : (uint64_t)key->as.boolean;
        hash = fr_hash_seeded(&word, sizeof word, seed);
    }
    return (uint32_t)(hash ^ (hash >> 32));
}

static void index_add(fr_table_map *map, uint32_t hash, uint32_t entry)
{
    uint32_t mask = map->slot_count - 1;
    uint32_t at = hash & mask;
    while (map->slots[at].entry != 0) {
        at = (at + 1) & mask;
    }
    map->slots[at] = (fr_table_slot){hash, entry + 1};
}

void fr_table_index(fr_table_map *map)
{
    if (map->slots == NULL) {
        return;
    }
    memset(map->slots, 0, map->slot_count * sizeof *map->slots);
    for (uint32_t i = 0; i < map->count; i++) {
        index_add(map, hash_key(&map->entries[i].key, map->seed), i);
    }
}

/// Removes the index place of an entry: places behind it that would be lost move up.
static void index_remove(fr_table_map *map, uint32_t entry)
{
    uint32_t mask = map->slot_count - 1;
    uint32_t hole = hash_key(&map->entries[entry].key, map->seed) & mask;
    while (map->slots[hole].entry != entry + 1) {
        hole = (hole + 1) & mask;
    }
    for (uint32_t at = (hole + 1) & mask; map->slots[at].entry != 0; at = (at + 1) & mask) {
        uint32_t home = map->slots[at].hash & mask;
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            map->slots[hole] = map->slots[at];
            hole = at;
        }
    }
    map->slots[hole].entry = 0;
}

static void index_rename(fr_table_map *map, uint32_t from, uint32_t to)
{
    uint32_t mask = map->slot_count - 1;
    uint32_t at = hash_key(&map->entries[from].key, map->seed) & mask;
    while (map->slots[at].entry != from + 1) {
        at = (at + 1) & mask;
    }
    map->slots[at].entry = to + 1;
}

static uint32_t map_find(const fr_table_map *map, const firn_value *key)
{
    if (map == NULL) {
        return ENTRY_NONE;
    }
    if (map->slots == NULL) {
        for (uint32_t i = 0; i < map->count; i++) {
            if (same_key(&map->entries[i].key, key)) {
                return i;
            }
        }
        return ENTRY_NONE;
    }
    uint32_t mask = map->slot_count - 1;
    uint32_t hash = hash_key(key, map->seed);
    for (uint32_t at = hash & mask; map->slots[at].entry != 0; at = (at + 1) & mask) {
        uint32_t entry = map->slots[at].entry - 1;
        if (map->slots[at].hash == hash && same_key(&map->entries[entry].key, key)) {
            return entry;
        }
    }
    return ENTRY_NONE;
}

static bool map_create(firn_doc *doc, firn_table *table)
{
    fr_table_map *map = fr_doc_alloc(doc, 1, sizeof *map);
    if (map == NULL) {
        return false;
    }
    *map = (fr_table_map){.sorted = true};
    table->map = map;
    return true;
}

bool fr_table_reserve_map(firn_doc *doc, firn_table *table, size_t entries)
{
    if (table->map == NULL && !map_create(doc, table)) {
        return false;
    }
    fr_table_map *map = table->map;
    size_t need = map->count + entries;
    if (need < entries || need > UINT32_MAX / 4) {
        return false;
    }
    if (need > map->capacity) {
        size_t capacity = fr_next_capacity(map->capacity, need, 1);
        fr_table_entry *moved =
            fr_doc_grow(doc, map->entries, map->capacity, capacity, sizeof *map->entries);
        if (moved == NULL) {
            return false;
        }
        map->entries = moved;
        map->capacity = (uint32_t)capacity;
    }
    if (need <= FR_MAP_SCAN || need <= (size_t)map->slot_count / 4 * 3) {
        return true;
    }
    uint32_t slot_count = 16;
    while ((size_t)slot_count / 4 * 3 < need) {
        slot_count *= 2;
    }
    fr_table_slot *slots = fr_doc_alloc(doc, slot_count, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    uint64_t address = (uint64_t)(uintptr_t)doc;
    map->seed = fr_hash(&address, sizeof address);
    map->slots = slots;
    map->slot_count = slot_count;
    fr_table_index(map);
    return true;
}

/// Adds an absent key; there is room.
static void map_add(fr_table_map *map, firn_value key, firn_value item)
{
    uint32_t entry = map->count++;
    map->entries[entry] = (fr_table_entry){key, item};
    if (map->sorted && entry > 0) {
        map->sorted = fr_key_compare(&map->entries[entry - 1].key, &key) < 0;
    }
    if (key.kind == FIRN_VALUE_NUMBER) {
        map->numbers += 1;
    }
    if (map->slots != NULL) {
        index_add(map, hash_key(&key, map->seed), entry);
    }
}

static void map_remove(fr_table_map *map, uint32_t entry)
{
    if (map->entries[entry].key.kind == FIRN_VALUE_NUMBER) {
        map->numbers -= 1;
    }
    if (map->slots != NULL) {
        index_remove(map, entry);
    }
    uint32_t last = map->count - 1;
    if (entry != last) {
        if (map->slots != NULL) {
            index_rename(map, last, entry);
        }
        map->entries[entry] = map->entries[last];
        map->sorted = false;
    }
    map->count = last;
    if (last <= 1) {
        map->sorted = true;
    }
}

static firn_value number_key(double number)
{
    return (firn_value){.kind = FIRN_VALUE_NUMBER, .as.number = number};
}

/// The index of an element for a key 1..count, else -1.
static int64_t item_index(const firn_table *table, const firn_value *key)
{
    if (key->kind != FIRN_VALUE_NUMBER) {
        return -1;
    }
    double number = key->as.number;
    if (!(number >= 1 && number <= (double)table->count) || (double)(uint32_t)number != number) {
        return -1;
    }
    return (int64_t)number - 1;
}

const firn_value *fr_table_find(const firn_table *table, const firn_value *key)
{
    int64_t index = item_index(table, key);
    if (index >= 0) {
        return &table->items[index];
    }
    uint32_t entry = map_find(table->map, key);
    return entry != ENTRY_NONE ? &table->map->entries[entry].value : NULL;
}

/// Appends an element, and behind it the entries whose keys follow.
static bool table_push(firn_doc *doc, firn_table *table, firn_value item)
{
    size_t following = 0;
    if (table->map != NULL && table->map->numbers > 0) {
        firn_value key = number_key((double)table->count + 2);
        while (map_find(table->map, &key) != ENTRY_NONE) {
            following += 1;
            key.as.number += 1;
        }
    }
    if (!fr_table_reserve_items(doc, table, (size_t)table->count + 1 + following)) {
        return false;
    }
    table->items[table->count++] = item;
    for (; following > 0; following--) {
        firn_value key = number_key((double)table->count + 1);
        uint32_t entry = map_find(table->map, &key);
        table->items[table->count++] = table->map->entries[entry].value;
        map_remove(table->map, entry);
    }
    return true;
}

bool fr_table_add(firn_doc *doc, firn_table *table, firn_value key, firn_value item)
{
    if (key.kind == FIRN_VALUE_NUMBER && key.as.number == (double)table->count + 1) {
        return table_push(doc, table, item);
    }
    if (!fr_table_reserve_map(doc, table, 1)) {
        return false;
    }
    map_add(table->map, key, item);
    return true;
}

/// Removes element `index`: those behind it become entries of the map.
static bool table_remove_item(firn_doc *doc, firn_table *table, uint32_t index)
{
    uint32_t behind = table->count - index - 1;
    if (behind > 0 && !fr_table_reserve_map(doc, table, behind)) {
        return false;
    }
    for (uint32_t i = index + 1; i < table->count; i++) {
        map_add(table->map, number_key((double)i + 1), table->items[i]);
    }
    table->count = index;
    return true;
}

static bool table_assign(firn_doc *doc, firn_table *table, firn_value key, firn_value item)
{
    int64_t index = item_index(table, &key);
    bool removes = item.kind == FIRN_VALUE_NIL;
    if (index >= 0) {
        if (removes) {
            return table_remove_item(doc, table, (uint32_t)index);
        }
        table->items[index] = item;
        return true;
    }
    fr_table_map *map = table->map;
    uint32_t entry = map_find(map, &key);
    if (entry == ENTRY_NONE) {
        return removes || fr_table_add(doc, table, key, item);
    }
    assert(map != NULL && map->entries != NULL); // where it was found
    if (removes) {
        map_remove(map, entry);
    } else {
        map->entries[entry].value = item;
    }
    return true;
}

static firn_result check_table_call(const firn_doc *doc, const firn_value *table,
                                    const firn_value *item, firn_error *err)
{
    if (doc == NULL) {
        return fr_fail(err, FIRN_INVALID, "doc", "the document is NULL");
    }
    if (table == NULL || table->kind != FIRN_VALUE_TABLE) {
        return fr_fail(err, FIRN_INVALID, "table", "the value is no table");
    }
    if (item == NULL) {
        return fr_fail(err, FIRN_INVALID, "item", "the item is NULL");
    }
    return FIRN_OK;
}

firn_result firn_table_push(firn_doc *doc, firn_value *table, const firn_value *item,
                            firn_error *err)
{
    firn_result result = check_table_call(doc, table, item, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (item->kind == FIRN_VALUE_NIL) {
        return fr_fail(err, FIRN_INVALID, "item", "nil is no element");
    }
    return table_push(doc, table->as.table, *item) ? FIRN_OK : fr_fail_memory(err, "table");
}

firn_result firn_table_set(firn_doc *doc, firn_value *table, const firn_value *key,
                           const firn_value *item, firn_error *err)
{
    firn_result result = check_table_call(doc, table, item, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (key == NULL || !fr_is_key(key)) {
        return fr_fail(err, FIRN_INVALID, "key",
                       "a table key is a boolean, a number that is not NaN, or a string");
    }
    firn_value normal = *key;
    if (normal.kind == FIRN_VALUE_NUMBER && normal.as.number == 0) {
        normal.as.number = 0;
    }
    return table_assign(doc, table->as.table, normal, *item) ? FIRN_OK
                                                             : fr_fail_memory(err, "table");
}

static firn_value text_key(const char *text)
{
    size_t length = strlen(text);
    return (firn_value){
        .kind = FIRN_VALUE_STRING,
        .length = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX,
        .as.string = text,
    };
}

firn_result firn_table_set_text(firn_doc *doc, firn_value *table, const char *key,
                                const firn_value *item, firn_error *err)
{
    firn_result result = check_table_call(doc, table, item, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (key == NULL) {
        return fr_fail(err, FIRN_INVALID, "key", "the key is NULL");
    }
    firn_value name = text_key(key);
    if (item->kind != FIRN_VALUE_NIL && fr_table_find(table->as.table, &name) == NULL) {
        result = fr_string_value(doc, key, strlen(key), &name, err);
        if (result != FIRN_OK) {
            return result;
        }
    }
    return table_assign(doc, table->as.table, name, *item) ? FIRN_OK : fr_fail_memory(err, "table");
}

const firn_value *firn_table_get(const firn_value *table, const firn_value *key)
{
    if (table == NULL || table->kind != FIRN_VALUE_TABLE || key == NULL || !fr_is_key(key)) {
        return NULL;
    }
    firn_value normal = *key;
    if (normal.kind == FIRN_VALUE_NUMBER && normal.as.number == 0) {
        normal.as.number = 0;
    }
    return fr_table_find(table->as.table, &normal);
}

const firn_value *firn_table_get_text(const firn_value *table, const char *key)
{
    if (key == NULL) {
        return NULL;
    }
    firn_value name = text_key(key);
    return firn_table_get(table, &name);
}

const firn_value *firn_table_get_number(const firn_value *table, double key)
{
    firn_value number = number_key(key);
    return firn_table_get(table, &number);
}

uint32_t firn_table_array_count(const firn_value *table)
{
    return table != NULL && table->kind == FIRN_VALUE_TABLE ? table->as.table->count : 0;
}

uint32_t firn_table_map_count(const firn_value *table)
{
    if (table == NULL || table->kind != FIRN_VALUE_TABLE || table->as.table->map == NULL) {
        return 0;
    }
    return table->as.table->map->count;
}
