/// hash_avx2.h: XXH3 in vectors of 256 bits, on processors that have them, where firn is compiled
/// for those that may not: twice as fast as in vectors of 128 bits, to the same value.
#ifndef FR_HASH_AVX2_H
#define FR_HASH_AVX2_H

#include "base/avx2.h"
#include "firn/base.h"

/// How many bytes ahead xxhash.h fetches: as many as arrive while those before them are hashed. Its
/// own 384 are too few for bytes that no cache holds (scenes save_digest and saves_take).
#define XXH_PREFETCH_DIST 8192

#ifdef FR_AVX2

/// XXH3_64bits_update; `state` is an XXH3_state_t. The processor must have AVX2.
void fr_hash_update_avx2(void *state, const void *bytes, size_t size);

#endif

#endif
