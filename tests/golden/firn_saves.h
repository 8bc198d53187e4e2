/// The parts of which tests/golden/saves/*.firn are made.
#ifndef TESTS_GOLDEN_FIRN_SAVES_H
#define TESTS_GOLDEN_FIRN_SAVES_H

#include "firn/save_file.h"

/// A section of the game's own: `size` bytes, byte i is `first` + `step` * i.
typedef struct golden_section {
    const char *name;
    uint32_t size;
    uint8_t first, step;
} golden_section;

typedef struct golden_save {
    const char *name;
    firn_save_header header;    ///< without meta
    const char *meta;           ///< NULL, or a tree as text
    uint32_t thumbnail;         ///< bytes of meta.thumbnail, byte i is i * i; 0: none
    const char *custom;         ///< NULL, or a tree as text
    const char *variables;      ///< the same
    const char *image;          ///< NULL, or of tests/golden/firn: its bytes are the snapshot
    golden_section sections[4]; ///< up to the one without a name
    int compression;            ///< with it, the bytes are not fixed: those of zstd may change
} golden_save;

extern const golden_save golden_saves[];
extern const uint32_t golden_save_count;
/// The one of about 4 KiB, for damage.
extern const golden_save *const golden_damage_save;

/// The file as it lies in tests/golden/saves; freed with free.
uint8_t *golden_save_read(const golden_save *save, size_t *size);

/// Writes the parts anew.
firn_result golden_save_write(const golden_save *save, firn_buffer *out, firn_error *err);

/// The bytes that a section has in memory; freed with firn_buffer_free. Empty for a name that the
/// save does not have.
firn_buffer golden_save_section(const golden_save *save, const char *name);

#endif
