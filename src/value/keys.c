#include "value/keys.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

bool fr_is_key(const firn_value *value)
{
    return value->kind == FIRN_VALUE_BOOL || value->kind == FIRN_VALUE_STRING ||
           (value->kind == FIRN_VALUE_NUMBER && value->as.number == value->as.number);
}

bool fr_same_key(const firn_value *a, const firn_value *b)
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

static void index_add(fr_table_keys *keys, uint32_t hash, uint32_t entry)
{
    uint32_t mask = keys->slot_count - 1;
    uint32_t at = hash & mask;
    while (keys->slots[at].entry != 0) {
        at = (at + 1) & mask;
    }
    keys->slots[at] = (fr_key_slot){hash, entry + 1};
}

void fr_keys_index(fr_table_keys *keys)
{
    if (keys->slots == NULL) {
        return;
    }
    memset(keys->slots, 0, keys->slot_count * sizeof *keys->slots);
    for (uint32_t i = 0; i < keys->count; i++) {
        index_add(keys, hash_key(&keys->keys[i], keys->seed), i);
    }
}

/// Removes the index place of an entry: places behind it that would be lost move up.
static void index_remove(fr_table_keys *keys, uint32_t entry)
{
    uint32_t mask = keys->slot_count - 1;
    uint32_t hole = hash_key(&keys->keys[entry], keys->seed) & mask;
    while (keys->slots[hole].entry != entry + 1) {
        hole = (hole + 1) & mask;
    }
    for (uint32_t at = (hole + 1) & mask; keys->slots[at].entry != 0; at = (at + 1) & mask) {
        uint32_t home = keys->slots[at].hash & mask;
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            keys->slots[hole] = keys->slots[at];
            hole = at;
        }
    }
    keys->slots[hole].entry = 0;
}

static void index_rename(fr_table_keys *keys, uint32_t from, uint32_t to)
{
    uint32_t mask = keys->slot_count - 1;
    uint32_t at = hash_key(&keys->keys[from], keys->seed) & mask;
    while (keys->slots[at].entry != from + 1) {
        at = (at + 1) & mask;
    }
    keys->slots[at].entry = to + 1;
}

uint32_t fr_keys_find(const fr_table_keys *keys, uint32_t count, const firn_value *key)
{
    if (keys == NULL) {
        return FR_KEYS_NONE;
    }
    if (keys->slots == NULL) {
        for (uint32_t i = 0; i < count; i++) {
            if (fr_same_key(&keys->keys[i], key)) {
                return i;
            }
        }
        return FR_KEYS_NONE;
    }
    uint32_t mask = keys->slot_count - 1;
    uint32_t hash = hash_key(key, keys->seed);
    for (uint32_t at = hash & mask; keys->slots[at].entry != 0; at = (at + 1) & mask) {
        uint32_t entry = keys->slots[at].entry - 1;
        if (keys->slots[at].hash == hash && fr_same_key(&keys->keys[entry], key)) {
            return entry < count ? entry : FR_KEYS_NONE;
        }
    }
    return FR_KEYS_NONE;
}

bool fr_keys_reserve(firn_doc *doc, fr_table_keys *keys, uint32_t need)
{
    if (need > keys->capacity) {
        firn_value *moved = fr_doc_grow(doc, keys->keys, keys->capacity, need, sizeof *keys->keys);
        if (moved == NULL) {
            return false;
        }
        keys->keys = moved;
        keys->capacity = need;
    }
    if (need <= FR_KEYS_SCAN || need <= keys->slot_count / 4 * 3) {
        return true;
    }
    uint32_t slot_count = 16;
    while (slot_count / 4 * 3 < need) {
        slot_count *= 2;
    }
    fr_key_slot *slots = fr_doc_alloc(doc, slot_count, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    uint64_t address = (uint64_t)(uintptr_t)doc;
    keys->seed = fr_hash(&address, sizeof address);
    keys->slots = slots;
    keys->slot_count = slot_count;
    fr_keys_index(keys);
    return true;
}

fr_table_keys *fr_keys_create(firn_doc *doc, const fr_table_keys *from, uint32_t count,
                              uint32_t capacity)
{
    fr_table_keys *keys = fr_doc_alloc(doc, 1, sizeof *keys);
    if (keys == NULL) {
        return NULL;
    }
    *keys = (fr_table_keys){.sorted = true};
    if (!fr_keys_reserve(doc, keys, capacity)) {
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        fr_keys_add(keys, from->keys[i]);
    }
    return keys;
}

void fr_keys_add(fr_table_keys *keys, firn_value key)
{
    assert(keys->wire == NULL && keys->count < keys->capacity);
    uint32_t entry = keys->count++;
    keys->keys[entry] = key;
    if (keys->sorted && entry > 0) {
        keys->sorted = fr_key_compare(&keys->keys[entry - 1], &key) < 0;
    }
    if (key.kind == FIRN_VALUE_NUMBER) {
        keys->numbers += 1;
    }
    if (keys->slots != NULL) {
        index_add(keys, hash_key(&key, keys->seed), entry);
    }
}

void fr_keys_remove(fr_table_keys *keys, uint32_t entry)
{
    assert(keys->wire == NULL);
    if (keys->keys[entry].kind == FIRN_VALUE_NUMBER) {
        keys->numbers -= 1;
    }
    if (keys->slots != NULL) {
        index_remove(keys, entry);
    }
    uint32_t last = keys->count - 1;
    if (entry != last) {
        if (keys->slots != NULL) {
            index_rename(keys, last, entry);
        }
        keys->keys[entry] = keys->keys[last];
        keys->sorted = false;
    }
    keys->count = last;
    if (last <= 1) {
        keys->sorted = true;
    }
}

// ---- lists that are shared

fr_table_keys **fr_keys_recent(firn_doc *doc, const firn_value *key)
{
    if (key->kind != FIRN_VALUE_STRING || key->length == 0 || key->length > UINT8_MAX) {
        return &doc->recent[key->kind];
    }
    return fr_keys_recent_text(doc, (const uint8_t *)key->as.string, (uint8_t)key->length);
}

/// The lowest `size` bytes of a word.
static uint64_t byte_mask(size_t size)
{
    return size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
}

void fr_wire_key_init(firn_wire_key *wire, const firn_value *key)
{
    memset(wire->bytes, 0, sizeof wire->bytes);
    uint8_t *at = wire->bytes;
    if (key->kind != FIRN_VALUE_STRING) {
        at = fr_put_scalar(at, key);
        assert(at != NULL); // a key is no table
    } else if (key->length < FR_WIRE_KEY_BYTES - 1) {
        *at = (uint8_t)(FR_TAG_STRING + key->length);
        memcpy(at + 1, key->as.string, key->length);
        at += 1 + key->length;
    }
    *at = FR_TAG_NUMBER;
    wire->size = (uint8_t)(at - wire->bytes);
    wire->low_mask = byte_mask(wire->size);
    wire->high_mask = wire->size > 8 ? byte_mask(wire->size - 8u) : 0;
}

void fr_wire_key_order(firn_wire_key *wire, const firn_value *keys, uint32_t count)
{
    uint32_t at = count;
    for (; at > 0 && fr_key_compare(&keys[wire[at - 1].ordered], &keys[count]) > 0; at--) {
        wire[at].ordered = wire[at - 1].ordered;
    }
    wire[at].ordered = (uint8_t)count;
}

bool fr_keys_share(firn_doc *doc, fr_table_keys *keys)
{
    if (keys->wire != NULL) {
        return true;
    }
    if (keys->count == 0 || keys->count > FR_KEYS_SHARED) {
        return false;
    }
    firn_wire_key *wire = fr_doc_alloc(doc, keys->count, sizeof *wire);
    if (wire == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < keys->count; i++) {
        fr_wire_key_init(&wire[i], &keys->keys[i]);
        fr_wire_key_order(wire, keys->keys, i);
    }
    keys->wire = wire;
    return true;
}
