/// kept_data.h: entries of the data section that a load with keep_unknown found nobody for, the
/// part FR_PART_KEPT of a world: saved again behind all others.
#ifndef FR_KEPT_DATA_H
#define FR_KEPT_DATA_H

#include "snapshot/lifecycle.h"

typedef struct fr_kept_entry {
    size_t at; ///< of the key, which a 0 follows, and then the encoded value, in fr_kept.bytes
    size_t key_size;
    size_t size; ///< of the value
} fr_kept_entry;

typedef struct fr_kept {
    fr_kept_entry *entries; ///< in file order; a key may be there more than once
    uint32_t count;
    uint32_t capacity;
    firn_buffer bytes;
} fr_kept;

/// The world's, or NULL.
const fr_kept *fr_kept_of(const firn_world *world);
/// How many the world has.
uint32_t fr_kept_count(const firn_world *world);
/// Those of an image that have no handler, copied. FIRN_NO_MEMORY; *out is then NULL.
firn_result fr_kept_collect(const firn_world *world, const fr_image *image, fr_kept **out,
                            firn_error *err);
/// Frees it; NULL is allowed.
void fr_kept_free(const firn_allocator *allocator, fr_kept *kept);
/// The world's entries are these (NULL: none) from now on.
void fr_kept_install(firn_world *world, fr_kept *kept);
/// Somebody takes the entries of a key.
void fr_kept_take(firn_world *world, const char *key);
/// firn_world.adopt_data.
firn_result fr_adopt_data(firn_world *world, const fr_handler *handlers, uint32_t count,
                          firn_error *err);

#endif
