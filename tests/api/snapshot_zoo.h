/// snapshot_zoo.h: a world that holds a component of every kind, for the tests of snapshots.
#ifndef TEST_SNAPSHOT_ZOO_H
#define TEST_SNAPSHOT_ZOO_H

#include "firn/firn.h"
#include "support/support.h"

typedef struct zoo_point {
    float x, y;
} zoo_point;

/// Every type of field, nested structs, arrays, holes, and an alignment of 64.
typedef struct zoo_body {
    _Alignas(64) double mass;
    int8_t i8;
    uint16_t u16;
    bool awake;
    int64_t i64;
    uint8_t u8;
    int16_t i16;
    int32_t i32;
    uint32_t u32;
    uint64_t u64;
    char label[7];
    zoo_point home;
    zoo_point path[3];
    firn_entity target;
    double target_number;
    bool doors[3];
} zoo_body;

/// Two bytes of padding in every row.
typedef struct zoo_gap {
    int32_t a;
    int16_t b;
} zoo_gap;

typedef enum zoo_kind {
    ZOO_POINT, ///< FIRN_STRUCT without holes
    ZOO_BODY,  ///< FIRN_STRUCT with all there is
    ZOO_GAP,   ///< FIRN_STRUCT with padding
    ZOO_FLAG,  ///< FIRN_BOOLEAN
    ZOO_SCORE, ///< FIRN_NUMBER
    ZOO_TITLE, ///< FIRN_STRING
    ZOO_BAG,   ///< FIRN_VALUE
    ZOO_TAG,   ///< FIRN_TAG
    ZOO_KINDS
} zoo_kind;

typedef struct zoo {
    firn_world *world;
    firn_component of[ZOO_KINDS];
} zoo;

extern const firn_field zoo_point_fields[2];

/// The description of a component of the zoo.
firn_component_desc zoo_desc(zoo_kind kind);
/// A description of a plain struct.
firn_component_desc zoo_struct(const char *name, size_t size, const firn_field *fields,
                               uint32_t count);
/// A world without components of the game. Ends the test when it cannot be made.
firn_world *zoo_empty(test_allocator *memory);
/// Registers a component; ends the test when that fails.
firn_component zoo_register(firn_world *world, const firn_component_desc *desc);
/// A world with every component of the zoo, registered in order, or backwards.
zoo zoo_make(test_allocator *memory, bool backwards);
/// Twelve entities that have a bit of everything, some of them despawned again.
void zoo_fill(const zoo *z);
/// Something else: other entities at the same slots, other generations, other sets of components.
void zoo_litter(const zoo *z);

firn_entity zoo_spawn(firn_world *world, const firn_component *components, uint32_t count);
firn_entity zoo_spawn_one(firn_world *world, firn_component component);

/// firn_snapshot_save that must succeed, into a buffer of the default allocator.
firn_buffer zoo_save(firn_world *world);
/// The same with options.
firn_buffer zoo_save_with(firn_world *world, const firn_save_options *options);
/// firn_snapshot_load that must succeed; the report is freed, its numbers stay.
firn_load_report zoo_load(firn_world *world, const firn_buffer *image);
/// firn_world_hash that must succeed.
firn_hash zoo_hash(firn_world *world);

/// Both buffers hold the same bytes; prints the first that differ.
#define assert_same_bytes(a, b) zoo_assert_same_bytes((a), (b), __FILE__, __LINE__)
void zoo_assert_same_bytes(const firn_buffer *a, const firn_buffer *b, const char *file, int line);
/// A save of the world now gives these bytes.
#define assert_saves_as(world, image) zoo_assert_saves_as((world), (image), __FILE__, __LINE__)
void zoo_assert_saves_as(firn_world *world, const firn_buffer *image, const char *file, int line);

/// What a load told.
#define ZOO_NOTES 32
typedef struct zoo_note {
    firn_notice_kind kind;
    char component[64];
    char field[64];
    uint64_t count;
} zoo_note;
typedef struct zoo_notes {
    zoo_note items[ZOO_NOTES];
    uint32_t count;
} zoo_notes;
/// The notices of a report, which is freed then.
zoo_notes zoo_take_notes(firn_load_report *report);
/// The notice about a field is there exactly once, with this count.
#define assert_note(notes, kind, component, field, count)                                          \
    zoo_assert_note((notes), (kind), (component), (field), (count), __FILE__, __LINE__)
void zoo_assert_note(const zoo_notes *notes, firn_notice_kind kind, const char *component,
                     const char *field, uint64_t count, const char *file, int line);

#endif
