#include "value/table.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

firn_table *fr_table_create(firn_doc *doc, uint32_t room)
{
    size_t values = room;
    if (values > (SIZE_MAX - sizeof(firn_table)) / sizeof(firn_value)) {
        return NULL;
    }
    // The values lie right behind the table.
    size_t size = sizeof(firn_table) + values * sizeof(firn_value);
    firn_table *table = fr_doc_take_small(doc, size);
    if (table != NULL) {
        *table = (firn_table){.room = room};
        table->values = (firn_value *)(table + 1);
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

bool fr_table_reserve_map(firn_doc *doc, firn_table *table, size_t entries)
{
    size_t need = table->entries + entries;
    if (need <= table->room) {
        return true;
    }
    if (need < entries || need > UINT32_MAX / 4) {
        return false;
    }
    size_t room = fr_next_capacity(table->room, need, 1);
    firn_value *values = fr_doc_grow(doc, table->values, table->room, room, sizeof *table->values);
    if (values == NULL) {
        return false;
    }
    table->values = values;
    table->room = (uint32_t)room;
    return true;
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

static uint32_t map_find(const firn_table *table, const firn_value *key)
{
    return fr_keys_find(table->keys, table->entries, key);
}

const firn_value *fr_table_find(const firn_table *table, const firn_value *key)
{
    int64_t index = item_index(table, key);
    if (index >= 0) {
        return &table->items[index];
    }
    uint32_t entry = map_find(table, key);
    return entry != FR_KEYS_NONE ? &table->values[entry] : NULL;
}

/// Whether `key` is the next one of a list that the table shares. A table without entries looks for
/// a list that begins with the key.
static bool map_follows(firn_doc *doc, firn_table *table, const firn_value *key)
{
    if (table->keys == NULL) {
        fr_table_keys *recent = *fr_keys_recent(doc, key);
        if (recent == NULL || recent->count == 0 || !fr_same_key(&recent->keys[0], key) ||
            !fr_keys_share(doc, recent)) {
            return false;
        }
        table->keys = recent;
    }
    const fr_table_keys *keys = table->keys;
    return keys->wire != NULL && table->entries < keys->count &&
           fr_same_key(&keys->keys[table->entries], key);
}

/// Gives the table a list of its own with as much room as there is for values.
static bool map_own_keys(firn_doc *doc, firn_table *table, const firn_value *first)
{
    fr_table_keys *keys = table->keys;
    if (keys != NULL && keys->wire == NULL) {
        return fr_keys_reserve(doc, keys, table->room);
    }
    keys = fr_keys_create(doc, keys, table->entries, table->room);
    if (keys == NULL) {
        return false;
    }
    table->keys = keys;
    *fr_keys_recent(doc, table->entries > 0 ? &keys->keys[0] : first) = keys;
    return true;
}

/// Adds an absent key to the map.
static bool map_add(firn_doc *doc, firn_table *table, firn_value key, firn_value item)
{
    if (map_follows(doc, table, &key)) {
        // Some of the keys behind this one will come, too.
        uint32_t rest = table->keys->count - table->entries;
        uint32_t more = table->entries + 4;
        if (!fr_table_reserve_map(doc, table, rest < more ? rest : more)) {
            return false;
        }
    } else if (fr_table_reserve_map(doc, table, 1) && map_own_keys(doc, table, &key)) {
        fr_keys_add(table->keys, key);
    } else {
        return false;
    }
    assert(table->values != NULL); // there is room
    table->values[table->entries++] = item;
    return true;
}

/// Removes an entry of a table that has its keys for itself.
static void map_remove(firn_table *table, uint32_t entry)
{
    fr_keys_remove(table->keys, entry);
    assert(table->values != NULL); // it has the entry
    table->entries -= 1;
    table->values[entry] = table->values[table->entries];
}

/// Appends an element, and behind it the entries whose keys follow.
static bool table_push(firn_doc *doc, firn_table *table, firn_value item)
{
    size_t following = 0;
    if (table->keys != NULL && table->keys->numbers > 0) {
        firn_value key = number_key((double)table->count + 2);
        while (map_find(table, &key) != FR_KEYS_NONE) {
            following += 1;
            key.as.number += 1;
        }
    }
    if (!fr_table_reserve_items(doc, table, (size_t)table->count + 1 + following) ||
        (following > 0 && !map_own_keys(doc, table, NULL))) {
        return false;
    }
    table->items[table->count++] = item;
    for (; following > 0; following--) {
        firn_value key = number_key((double)table->count + 1);
        uint32_t entry = map_find(table, &key);
        table->items[table->count++] = table->values[entry];
        map_remove(table, entry);
    }
    return true;
}

bool fr_table_add(firn_doc *doc, firn_table *table, firn_value key, firn_value item)
{
    if (key.kind == FIRN_VALUE_NUMBER && key.as.number == (double)table->count + 1) {
        return table_push(doc, table, item);
    }
    return map_add(doc, table, key, item);
}

/// Removes element `index`: those behind it become entries of the map.
static bool table_remove_item(firn_doc *doc, firn_table *table, uint32_t index)
{
    uint32_t behind = table->count - index - 1;
    if (behind > 0) {
        firn_value first = number_key((double)index + 2);
        if (!fr_table_reserve_map(doc, table, behind) || !map_own_keys(doc, table, &first)) {
            return false;
        }
    }
    for (uint32_t i = index + 1; i < table->count; i++) {
        fr_keys_add(table->keys, number_key((double)i + 1));
        table->values[table->entries++] = table->items[i];
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
    uint32_t entry = map_find(table, &key);
    if (entry == FR_KEYS_NONE) {
        return removes || fr_table_add(doc, table, key, item);
    }
    if (!removes) {
        assert(table->values != NULL); // it has the entry
        table->values[entry] = item;
        return true;
    }
    if (!map_own_keys(doc, table, NULL)) {
        return false;
    }
    map_remove(table, entry);
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
    if (item->kind != FIRN_VALUE_NIL && map_follows(doc, table->as.table, &name)) {
        return map_add(doc, table->as.table, name, *item) ? FIRN_OK : fr_fail_memory(err, "table");
    }
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
    return table != NULL && table->kind == FIRN_VALUE_TABLE ? table->as.table->entries : 0;
}
