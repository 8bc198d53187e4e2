/// Damaged images against a world: each is refused with a place and a thing and changes nothing, or
/// loads to a world that can be saved and loaded again.
#ifndef TESTS_FAULT_BYTES_DAMAGE_H
#define TESTS_FAULT_BYTES_DAMAGE_H

#include "firn/firn.h"

/// An image, and the worlds that it is loaded into: `world` holds entities and must be as before
/// after every refusal; `other` takes what was loaded through a save.
typedef struct damage_case {
    const char *name;
    uint8_t *image;
    size_t size;
    firn_world *world;
    firn_world *other;
    firn_buffer before; ///< the save of `world`
    firn_hash hash;
    firn_buffer saved, again;
    /// The codecs are not exact: they write nil, which is gone after a save and a load, or refuse
    /// what they wrote themselves.
    bool loose_codecs;
    uint64_t refused;
    uint64_t loaded;
} damage_case;

/// Takes over both worlds, which have the same components registered, and loads the image into
/// `world`. A failure ends the test.
void damage_begin(damage_case *damage, const char *name, const uint8_t *image, size_t size,
                  firn_world *world, firn_world *other);
void damage_end(damage_case *damage);

/// Tries every prefix.
void damage_prefixes(damage_case *damage);
/// Tries `count` random changes, times the number in the variable FIRN_BYTES.
void damage_changes(damage_case *damage, uint32_t count, uint64_t seed);

/// Begins the case of image `i`.
typedef void (*damage_begin_fn)(damage_case *damage, uint32_t i);
/// Tries every prefix of each of `images` images.
void damage_prefixes_of_all(damage_begin_fn begin, uint32_t images);
/// Tries changes of each, of which some must be refused and some load, and prints how many.
void damage_changes_of_all(damage_begin_fn begin, uint32_t images, uint64_t seed);

#endif
