/// fuzz_world.h: worlds for the targets: the components of the golden worlds, and some whose rows
/// own memory or bring other components along.
#ifndef FUZZ_WORLD_H
#define FUZZ_WORLD_H

#include "fuzz/fuzz.h"

/// A row of the component Owned: saved by a codec as a string, freed by its drop hook.
typedef struct fuzz_text {
    char *bytes; ///< from malloc; NULL with size 0
    uint32_t size;
    uint32_t magic; ///< FUZZ_TEXT_LIVES, else the row was dropped or has moved
} fuzz_text;

#define FUZZ_TEXT_LIVES 0x74786574u

/// What the hooks of Owned know: how many blocks their rows own.
typedef struct fuzz_texts {
    uint64_t living;
} fuzz_texts;

/// A row that owns a copy of the bytes.
fuzz_text fuzz_text_make(fuzz_texts *texts, const uint8_t *bytes, size_t size);
void fuzz_text_drop(fuzz_texts *texts, fuzz_text *text);

/// Registers Extra (a number), Passing (a transient number), Owned, and Needs (a tag that requires
/// the three). False on failure.
bool fuzz_register(firn_world *world, fuzz_texts *texts, firn_error *err);

/// A world with the names of golden_firn_world in other shapes: fields moved, renamed, gone, added
/// and of other types, components of other kinds; and those of fuzz_register. NULL on failure.
firn_world *fuzz_newer_world(const firn_allocator *allocator, fuzz_texts *texts, firn_error *err);

#endif
