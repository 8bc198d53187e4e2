/// Codecs for the components of 07_custom_codecs, whose saved form is not that of their struct.
#ifndef TESTS_GOLDEN_TECS_CODECS_H
#define TESTS_GOLDEN_TECS_CODECS_H

#include "firn/firn.h"

/// Saved as {image = "rock.png", u0 = ...}: the name of an image, not its index; `slot` is not
/// saved.
typedef struct sprite_like {
    int32_t image; ///< 1: hero.png, 2: rock.png
    float u0;
    int32_t slot;
} sprite_like;

/// Saved as {a = ...}, although its bytes could be copied.
typedef struct half_custom {
    float a;
} half_custom;

/// Saved as a string, "3:abc".
typedef struct packed_table {
    int32_t x;
    char label[8];
} packed_table;

/// Saved as {v = ...}, or as nil when v is not above 1.
typedef struct nil_codec {
    int32_t v;
} nil_codec;

extern const firn_codec sprite_like_codec;
extern const firn_codec half_custom_codec;
extern const firn_codec packed_table_codec;
extern const firn_codec nil_codec_codec;

#endif
