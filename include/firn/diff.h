/// firn/diff.h: what is not the same in two worlds, two images, or a world and an image: entities,
/// components, fields with both values, states, phases, random streams, data, header.
///
/// An image needs no registrations: its schemas come from its bytes. Entities are compared by id.
/// What is the same costs a comparison of bytes and no memory; what is not costs 24 bytes an
/// entity, and 4 bytes a slot where entities stand in other places. A world costs the image that a
/// save of it makes.
#ifndef FIRN_DIFF_H
#define FIRN_DIFF_H

#include "firn/image.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------- what is compared

/// One side: exactly one of world, image and bytes is there.
///
///     firn_diff_side now = {.world = world}, then = {.bytes = save.data, .size = save.size};
typedef struct firn_diff_side {
    /// What a save of the world would hold now: deferred changes are applied, OnSnapshotSave is
    /// published and the handlers save, as for firn_snapshot_save, in the version of the other
    /// side, sparse relations of many targets too.
    firn_world *world;
    const firn_image *image; ///< an open image
    const void *bytes;       ///< an image: `size` bytes, only read
    size_t size;
} firn_diff_side;

typedef struct firn_diff_options {
    /// NULL, or `component_count` names: only these components are compared, and nothing but
    /// entities. A relation's name stands for all its targets.
    const char *const *components;
    uint32_t component_count;
    /// NULL, or `exclude_count` names of components that are not compared.
    const char *const *exclude;
    uint32_t exclude_count;
    /// 0: bit for bit, so that -0.0 is not 0.0, and a NaN only the same NaN. Else numbers that are
    /// floating point (float and double fields, numbers in values) are the same when they are at
    /// most this far apart, and two NaN are.
    double tolerance;
    bool entities_only;        ///< no header, order, data
    uint64_t limit;            ///< 0, or how many differences are handed out; the rest is counted
    const firn_limits *limits; ///< of bytes; NULL: the defaults
    const firn_allocator *allocator; ///< NULL: the default; nothing stays allocated after a call
    uint64_t reserved[4];            ///< must be zero
} firn_diff_options;

// ---------------------------------------------------------------- differences

typedef enum firn_difference_kind {
    /// What the images say of the whole: `path` is `version`, `name`, `tick`, `nextEntityId`, or
    /// `freeIds`, the ids that are used again before fresh ones: their number, or the first place
    /// that differs, as `freeIds[3]`.
    FIRN_DIFFERENCE_HEADER,
    /// A component with other fields: both fingerprints, "" where its rows are encoded.
    FIRN_DIFFERENCE_SCHEMA,
    /// Entities that stand in another order. Without a component: `path` lists the components of
    /// their archetype, `entity` is the first of the left side behind one that it stands before on
    /// the right. With a component: the sources of the target `entity` of that relation, in saves
    /// of what persists also of one that is in neither.
    FIRN_DIFFERENCE_ORDER,
    FIRN_DIFFERENCE_ENTITY,    ///< an entity that only one side has
    FIRN_DIFFERENCE_COMPONENT, ///< a component that an entity has on one side only: its value
    FIRN_DIFFERENCE_FIELD,     ///< a value of a component
    /// An entry of data, or a value in it; `component` is its key. `__tecs.stateStack` are the
    /// states, `__tecs.pipeline` the phases, `tecs.random` the random streams, others those of
    /// handlers and of the game.
    FIRN_DIFFERENCE_DATA
} firn_difference_kind;

/// One difference. What it points to is valid during the call that gets it.
typedef struct firn_difference {
    firn_difference_kind kind;
    firn_entity entity;
    const char *key;  ///< of the entity, printable: the id of its component persist, else its Key,
                      ///< else ""
    const char *name; ///< of the entity, printable, or ""
    const char *component; ///< its name; `Relation->17` for an edge to 17; or the key of data
    /// Where in it, or "" for the whole: `x`, `home.x`, `cells[3]`, `items[2].name`.
    /// Elements of a struct count from 0, those of a value from 1. At most 1,023 bytes; what is
    /// longer ends in "...".
    const char *path;
    bool in_left, in_right;         ///< which side has it
    const firn_value *left, *right; ///< the values; NULL: there is none
    firn_type type; ///< of a field of a struct; FIRN_F32 values print as floats. Else
                    ///< FIRN_TYPE_NONE
} firn_difference;

/// Gets the differences one after the other: header, schemas, order, then entities by id and in
/// them components by name, then data by key. A result other than FIRN_OK ends the comparison, and
/// is what it returns; fill `err` to say why. It may not change what is compared.
typedef firn_result (*firn_difference_fn)(void *user, const firn_difference *difference,
                                          firn_error *err);

/// How many differences there are; all zeros: none.
typedef struct firn_diff_summary {
    uint64_t differences; ///< all: header + schemas + order + left_entities + right_entities +
                          ///< components + fields + data
    uint64_t listed;      ///< of them handed out
    uint64_t header;
    uint64_t schemas;
    uint64_t order;
    uint64_t left_entities;    ///< entities that only the left side has
    uint64_t right_entities;   ///< entities that only the right side has
    uint64_t changed_entities; ///< entities of both with another component or field
    uint64_t components;       ///< components of those that one side has
    uint64_t fields;
    uint64_t data;
} firn_diff_summary;

/// Compares two sides. each NULL: only counts. summary NULL is allowed; a failure leaves it as it
/// was. FIRN_INVALID (a side that is none, an option), what a save of a world and
/// firn_image_check return, FIRN_CORRUPT (a table that has a key twice, in a value that is compared
/// or handed out), FIRN_NO_MEMORY, what `each` returned. Changes neither side, but for what the
/// callbacks of a save change. Without a world from any thread.
FIRN_CALLS_BACK FIRN_API firn_result firn_diff(const firn_diff_side *left,
                                               const firn_diff_side *right,
                                               const firn_diff_options *options,
                                               firn_difference_fn each, void *user,
                                               firn_diff_summary *summary, firn_error *err);

/// Compares two trees, either of which may be NULL: differences of kind FIRN_DIFFERENCE_DATA, whose
/// `component` is `name`, with both values where they differ. Of the options tolerance and limit
/// hold. each NULL, summary as for firn_diff. FIRN_INVALID, what `each` returned.
FIRN_API firn_result firn_diff_values(const char *name, const firn_value *left,
                                      const firn_value *right, const firn_diff_options *options,
                                      firn_difference_fn each, void *user,
                                      firn_diff_summary *summary, firn_error *err);

// ---------------------------------------------------------------- as text and as a tree

/// Appends a difference as one line: `entity 17 (key "player"): Position.x 1.5 -> 1.25`, without a
/// line end. Numbers have as many digits as it takes to tell them apart; what is absent is nil;
/// long strings and tables are cut. FIRN_INVALID, FIRN_NO_MEMORY; `out` is then as before.
FIRN_API firn_result firn_difference_text(const firn_difference *difference, firn_buffer *out,
                                          firn_error *err);

/// firn_diff as lines, appended to `out`; where the limit left some out, a last line says how many.
/// No difference is no line. Fails as firn_diff does; `out` is then as before.
FIRN_CALLS_BACK FIRN_API firn_result firn_diff_text(const firn_diff_side *left,
                                                    const firn_diff_side *right,
                                                    const firn_diff_options *options,
                                                    firn_buffer *out, firn_diff_summary *summary,
                                                    firn_error *err);

/// firn_diff as a tree in `doc`: `{same = false, differences = 4, listed = 4, header = {...},
/// schemas = {...}, order = {...}, entities = {...}, data = {...}}`. An entity is `{id = 17, key =
/// "player", name = "Ann", changes = {...}}`, with `only = "left"` or `"right"` instead of changes
/// when one side lacks it. Any other difference is `{component = "Position", path = "x", field =
/// "Position.x", left = 1.5, right = 1.25}`, with what there is of it, and `only` as above; data
/// has its `key` instead of component and field, order the `entity`. NULL on failure, as firn_diff
/// fails, and with FIRN_LIMIT (of the document).
FIRN_CALLS_BACK FIRN_API firn_value *firn_diff_value(const firn_diff_side *left,
                                                     const firn_diff_side *right,
                                                     const firn_diff_options *options,
                                                     firn_doc *doc, firn_diff_summary *summary,
                                                     firn_error *err);

#ifdef __cplusplus
}
#endif

#endif
