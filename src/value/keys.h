/// keys.h: the keys of the map of a table, in the order in which they came. A hash index finds them
/// when there are more than FR_KEYS_SCAN, seeded by the document's address, so that nobody can
/// choose keys that collide.
///
/// Rows have the same keys again and again: a table that begins with the first key of another
/// table's list takes that list, and uses the more of it the more keys it gets in the same order.
/// Such a list is shared: it never changes from then on, and a table that needs another list makes
/// a copy.
#ifndef FR_KEYS_H
#define FR_KEYS_H

#include "value/doc.h"
#include "value/encode.h"

/// Lists up to this size are searched from front to back.
#define FR_KEYS_SCAN 8
/// Lists up to this size can be shared.
#define FR_KEYS_SHARED 32
/// No key: an entry that is not there.
#define FR_KEYS_NONE UINT32_MAX

/// A place of the index. The entry is its number + 1, 0 when the place is free.
typedef struct fr_key_slot {
    uint32_t hash;
    uint32_t entry;
} fr_key_slot;

#define FR_WIRE_KEY_BYTES  16
#define FR_WIRE_PAIR_BYTES (FR_WIRE_KEY_BYTES + FR_SCALAR_BYTES_MAX)

typedef struct fr_table_keys {
    firn_value *keys;
    fr_key_slot *slots;  ///< NULL while there are few
    firn_wire_key *wire; ///< NULL until the list is shared
    uint32_t count;
    uint32_t capacity;
    uint32_t slot_count; ///< 0 or a power of two, more than count
    uint32_t numbers;    ///< keys that are numbers
    uint64_t seed;
    bool sorted; ///< the keys are in canonical order
} fr_table_keys;

/// Whether a value may be a key: a boolean, a number that is not NaN, a string.
bool fr_is_key(const firn_value *value);
bool fr_same_key(const firn_value *a, const firn_value *b);
/// Canonical order of keys: negative, 0 or positive.
int fr_key_compare(const firn_value *a, const firn_value *b);

/// A list with the first `count` keys of another (NULL when 0) and room for `capacity`, at least 1;
/// NULL: no memory.
fr_table_keys *fr_keys_create(firn_doc *doc, const fr_table_keys *from, uint32_t count,
                              uint32_t capacity);
/// Makes room for `need` keys in all; false: no memory, nothing changed.
bool fr_keys_reserve(firn_doc *doc, fr_table_keys *keys, uint32_t need);
/// The entry of a key among the first `count`, or FR_KEYS_NONE. keys NULL: there are none.
uint32_t fr_keys_find(const fr_table_keys *keys, uint32_t count, const firn_value *key);
/// Adds an absent key, for which there is room, to a list that is not shared.
void fr_keys_add(fr_table_keys *keys, firn_value key);
/// Removes an entry from a list that is not shared: the last entry moves to its place.
void fr_keys_remove(fr_table_keys *keys, uint32_t entry);
/// Fills the index again after keys moved.
void fr_keys_index(fr_table_keys *keys);

/// The place where the document keeps the newest list of those that begin like `key`.
fr_table_keys **fr_keys_recent(firn_doc *doc, const firn_value *key);
/// The same for a string of 1..255 bytes.
static inline fr_table_keys **fr_keys_recent_text(firn_doc *doc, const uint8_t *text,
                                                  uint8_t length)
{
    uint32_t mix = length + 3u * text[0] + 7u * text[length - 1];
    return &doc->recent[mix % FR_DOC_RECENT];
}
/// *wire gets the encoding of a key; all but `ordered`.
void fr_wire_key_init(firn_wire_key *wire, const firn_value *key);
/// Number `count` comes to keys 0..count - 1, whose order is known.
void fr_wire_key_order(firn_wire_key *wire, const firn_value *keys, uint32_t count);
/// Makes a list a shared one; false: it has no key or too many, or no memory.
bool fr_keys_share(firn_doc *doc, fr_table_keys *keys);

/// Whether the 16 readable bytes at `at` begin with the key.
static inline bool fr_wire_key_is_at(const firn_wire_key *key, const uint8_t *at)
{
    uint64_t low = (fr_load_u64(at) ^ fr_load_u64(key->bytes)) & key->low_mask;
    uint64_t high = (fr_load_u64(at + 8) ^ fr_load_u64(key->bytes + 8)) & key->high_mask;
    return (low | high) == 0 && key->size > 0;
}

/// Writes a short key and a value behind it, where there is room for FR_WIRE_PAIR_BYTES. Returns
/// one past the last byte; NULL when the value is no scalar.
static inline uint8_t *fr_put_wire_pair(uint8_t *at, const firn_wire_key *key,
                                        const firn_value *value)
{
    memcpy(at, key->bytes, FR_WIRE_KEY_BYTES);
    at += key->size;
    if (value->kind == FIRN_VALUE_NUMBER) {
        fr_store_u64(at + 1, fr_canonical_bits(value->as.number)); // its tag is there
        return at + 9;
    }
    return fr_put_scalar(at, value);
}

#endif
