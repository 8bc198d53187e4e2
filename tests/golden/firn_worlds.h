/// The worlds whose images are tests/golden/firn/*.bin, all with the same components registered.
#ifndef TESTS_GOLDEN_FIRN_WORLDS_H
#define TESTS_GOLDEN_FIRN_WORLDS_H

#include "firn/firn.h"

/// Padding between and behind its fields.
typedef struct golden_padded {
    int8_t small;
    double wide;
    bool flag;
    uint16_t marks[3];
} golden_padded;

typedef struct golden_point {
    float x, y;
} golden_point;

typedef struct golden_slot {
    int16_t kind;
    int64_t amount;
} golden_slot;

/// Nested structs, an array of them, ids of entities.
typedef struct golden_unit {
    uint32_t number;
    golden_point home;
    golden_slot slots[2];
    firn_entity leader;
    double follower;
    char label[6];
} golden_unit;

typedef struct golden_types {
    bool b;
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
} golden_types;

/// Saved as "handle <number>", or as nil when it is 0. 13 is refused when loading.
typedef struct golden_handle {
    int32_t number;
    void *pointer;
} golden_handle;

/// A row of Trusts.
typedef struct golden_trust {
    firn_entity target;
    int32_t amount;
} golden_trust;

/// A world without entities and with these components: Position, Padded, Unit, Types (structs),
/// Alive (bool), Score (number), Title (string), Bag (value), Boss (tag), Handle (codec), Gone
/// (transient number); the relations Likes (dense), Trusts (sparse, exclusive), Knows (sparse, many
/// targets); the states day and night, the phase Thaw behind Update, and the
/// provider story with the steps begin and go. NULL on failure.
firn_world *golden_firn_world(const firn_allocator *allocator, const char *name, firn_error *err);

typedef struct golden_image {
    const char *name; ///< the file is tests/golden/firn/<name>.bin
    /// Makes the world's content; FIRN_OK.
    firn_result (*fill)(firn_world *world, firn_error *err);
    const char *world_name;
    uint32_t wire_version;
    bool sparse_edges;      ///< holds sparse relationships of many targets
    bool custom_data;       ///< saved with golden_custom_data
    firn_hash hash;         ///< of the world
    uint64_t version2_hash; ///< the total of the image when wire_version is 2; else 0
} golden_image;

extern const golden_image golden_images[];
extern const uint32_t golden_image_count;

/// The world of an image, filled. NULL on failure.
firn_world *golden_image_world(const golden_image *image, firn_error *err);
/// Saves a world as the image is saved.
firn_result golden_image_save(const golden_image *image, firn_world *world, firn_buffer *out,
                              firn_error *err);

#endif
