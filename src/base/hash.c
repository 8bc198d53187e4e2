#include "base/hash.h"

#include "base/alloc.h"
#include "base/hash_avx2.h"

#include <stdalign.h>

// gcc unrolls the rounds of XXH3 at -O3 only; rolled up, their sums live in memory, at half the
// speed.
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#pragma GCC push_options
#pragma GCC optimize("O3")
#define HASH_OPTIONS_PUSHED
#endif

#define XXH_INLINE_ALL
#include <xxhash.h>

struct fr_digest {
    XXH3_state_t state;
};

uint64_t fr_hash(const void *bytes, size_t size)
{
    return XXH3_64bits(bytes, size);
}

uint64_t fr_hash_seeded(const void *bytes, size_t size, uint64_t seed)
{
    return XXH3_64bits_withSeed(bytes, size, seed);
}

static void update_state(XXH3_state_t *state, const void *bytes, size_t size)
{
#ifdef FR_AVX2
    if (__builtin_cpu_supports("avx2")) {
        fr_hash_update_avx2(state, bytes, size);
        return;
    }
#endif
    XXH3_64bits_update(state, bytes, size);
}

// The states of both widths are one: they differ in how they end.
static fr_hash128 end_128(const XXH3_state_t *state)
{
    XXH128_hash_t hash = XXH3_128bits_digest(state);
    return (fr_hash128){hash.low64, hash.high64};
}

fr_hash128 fr_hash_128(const void *bytes, size_t size)
{
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_64bits_reset(&state);
    if (size > 0) {
        update_state(&state, bytes, size);
    }
    return end_128(&state);
}

fr_digest *fr_digest_create(const firn_allocator *allocator)
{
    fr_digest *digest = fr_alloc_zero(allocator, 1, sizeof *digest, alignof(fr_digest));
    if (digest != NULL) {
        fr_digest_reset(digest);
    }
    return digest;
}

void fr_digest_destroy(const firn_allocator *allocator, fr_digest *digest)
{
    fr_free(allocator, digest, 1, sizeof *digest, alignof(fr_digest));
}

void fr_digest_reset(fr_digest *digest)
{
    XXH3_64bits_reset(&digest->state);
}

void fr_digest_update(fr_digest *digest, const void *bytes, size_t size)
{
    if (size > 0) {
        update_state(&digest->state, bytes, size);
    }
}

void fr_digest_update_u64(fr_digest *digest, uint64_t value)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
    fr_digest_update(digest, bytes, sizeof bytes);
}

uint64_t fr_digest_value(const fr_digest *digest)
{
    return XXH3_64bits_digest(&digest->state);
}

fr_hash128 fr_digest_value_128(const fr_digest *digest)
{
    return end_128(&digest->state);
}

#ifdef HASH_OPTIONS_PUSHED
#pragma GCC pop_options
#endif
