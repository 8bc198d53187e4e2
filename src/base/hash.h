/// hash.h: XXH3 of the xxHash library (https://xxhash.com). The same value on every machine.
#ifndef FR_HASH_H
#define FR_HASH_H

#include "firn/base.h"

uint64_t fr_hash(const void *bytes, size_t size);
uint64_t fr_hash_seeded(const void *bytes, size_t size, uint64_t seed);

/// XXH3 of 128 bits.
typedef struct fr_hash128 {
    uint64_t low, high;
} fr_hash128;
fr_hash128 fr_hash_128(const void *bytes, size_t size);

/// A hash of bytes that come in pieces: equal to fr_hash, and to fr_hash_128, of all of them.
typedef struct fr_digest fr_digest;
fr_digest *fr_digest_create(const firn_allocator *allocator); ///< NULL: no memory
void fr_digest_destroy(const firn_allocator *allocator, fr_digest *digest);
void fr_digest_reset(fr_digest *digest);
void fr_digest_update(fr_digest *digest, const void *bytes, size_t size);
void fr_digest_update_u64(fr_digest *digest, uint64_t value); ///< 8 bytes, little-endian
uint64_t fr_digest_value(const fr_digest *digest);
fr_hash128 fr_digest_value_128(const fr_digest *digest);

#endif
