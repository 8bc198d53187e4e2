#include "base/hash_avx2.h"

#ifdef FR_AVX2

#include <immintrin.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#ifdef __OPTIMIZE__
#pragma GCC optimize("O3")
#endif
#endif

// Where firn is compiled as one file, xxhash.h is in it already and this is what hash.c has.
#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#define XXH_VECTOR XXH_AVX2
#endif
#include <xxhash.h>

void fr_hash_update_avx2(void *state, const void *bytes, size_t size)
{
    XXH3_64bits_update(state, bytes, size);
}

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
