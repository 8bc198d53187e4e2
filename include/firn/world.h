/// firn/world.h: worlds, components, entities, queries, deferred changes.
///
/// One world, one thread at a time, reading included. A pointer to a row is valid until the next
/// structural change (spawn, despawn, add, remove, a set that adds, flush) or load. Changes and
/// sets are told to observers and queues (firn/event.h). What an observer does may have ended an
/// entity before the call that made it returns.
///
/// Every maker returns the thing, or 0 or NULL; every doer returns firn_result. Both fill `err`
/// (which may be NULL) when they fail, and then nothing has changed. Common failures, not repeated
/// below: FIRN_INVALID (an argument is NULL, zero or of another world: err->subject is its name),
/// FIRN_NOT_FOUND (an entity that is dead, or whose slot holds another generation: err->entity),
/// FIRN_NO_MEMORY (also of a queue of events that has no room for the change), FIRN_BUSY (called
/// from a hook or codec: err->subject is the component).
#ifndef FIRN_WORLD_H
#define FIRN_WORLD_H

#include "firn/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A world: entities, their components, and everything that hangs off it.
typedef struct firn_world firn_world;

/// A registered component of one world; 0 is none. Exact as a double.
typedef uint64_t firn_component;

/// A query of one world; 0 is none. Exact as a double.
typedef uint64_t firn_query;

typedef struct firn_codec firn_codec; // firn/plugin.h
typedef struct firn_bus firn_bus;     // firn/bus.h

// ---------------------------------------------------------------- world

typedef struct firn_world_desc {
    const firn_allocator *allocator; ///< NULL: firn_allocator_default(); copied
    const firn_limits *limits;       ///< NULL: the defaults; copied
    const char *name;                ///< NULL: ""; UTF-8; saved with the world; copied
    firn_bus *bus;        ///< NULL, or the bus that the world is made on, and attached to
    uint64_t reserved[4]; ///< must be zero
} firn_world_desc;

/// Makes an empty world with the components Name and Key (strings), Disabled and Paused (tags).
/// desc NULL: all defaults. NULL on failure: FIRN_NO_MEMORY, FIRN_INVALID, FIRN_LIMIT.
FIRN_API firn_world *firn_world_create(const firn_world_desc *desc, firn_error *err);

/// Runs the drop hooks of every row and frees everything, deferred changes and open loops included.
/// NULL is allowed. Never from a hook or an observer.
FIRN_CALLS_BACK FIRN_API void firn_world_destroy(firn_world *world);

/// The world's name, valid until a load or destroy; "" for a NULL world.
FIRN_API const char *firn_world_name(const firn_world *world);

/// Completed fixed steps: a number that is saved and hashed with the world. A game that counts its
/// steps sets it after each; at most 2^53.
FIRN_API uint64_t firn_world_tick(const firn_world *world);
FIRN_API firn_result firn_world_set_tick(firn_world *world, uint64_t tick, firn_error *err);

/// Living entities, those of Disabled and reserved ones (spawned inside a loop) included.
FIRN_API uint32_t firn_entity_count(const firn_world *world);

/// The limits that this world was made with, defaults filled in. Valid as long as the world.
FIRN_API const firn_limits *firn_world_limits(const firn_world *world);

// ---------------------------------------------------------------- components

/// Types of the fields of a struct: name, C type as it stands in a fingerprint, bytes.
#define FIRN_TYPES(X)                                                                              \
    X(BOOL, "bool", 1)                                                                             \
    X(I8, "int8_t", 1)                                                                             \
    X(U8, "uint8_t", 1)                                                                            \
    X(I16, "int16_t", 2)                                                                           \
    X(U16, "uint16_t", 2)                                                                          \
    X(I32, "int32_t", 4)                                                                           \
    X(U32, "uint32_t", 4)                                                                          \
    X(I64, "int64_t", 8)                                                                           \
    X(U64, "uint64_t", 8)                                                                          \
    X(F32, "float", 4)                                                                             \
    X(F64, "double", 8)                                                                            \
    X(CHAR, "char", 1)            /* a byte of text; a signed number where one is needed */        \
    X(ENTITY, "uint64_t", 8)      /* a firn_entity */                                              \
    X(ENTITY_NUMBER, "double", 8) /* a firn_entity as a double, as Lua holds it */

typedef enum firn_type {
    FIRN_TYPE_NONE, ///< not a type: a zeroed field is refused
#define FIRN_TYPE_ENUM(name, text, size) FIRN_##name,
    FIRN_TYPES(FIRN_TYPE_ENUM)
#undef FIRN_TYPE_ENUM
        FIRN_POINTER, ///< means nothing to another process: only with a codec, or transient
    FIRN_NESTED       ///< a struct with `fields` of its own
} firn_type;

/// One field of a struct, or of a struct inside it.
typedef struct firn_field {
    const char *name; ///< UTF-8 without `:` `,` `|`; nested ones are joined by dots on the wire
    firn_type type;
    size_t offset;                   ///< bytes from the start of the (nested) struct
    uint32_t count;                  ///< 0: one value; n: an array of n
    const struct firn_field *fields; ///< FIRN_NESTED: its fields
    uint32_t field_count;
    size_t size;                     ///< FIRN_NESTED: sizeof one element
    const char *const *former_names; ///< NULL, or names it had before, ended by NULL
    uint64_t reserved[4];            ///< must be zero
} firn_field;

/// `FIRN_FIELD(Position, x, FIRN_F32)`; `FIRN_FIELD_ARRAY(Mesh, weights, FIRN_F32, 8)`;
/// `FIRN_FIELD_STRUCT(Unit, home, Position, position_fields)`.
#define FIRN_FIELD(T, member, type_)                                                               \
    {                                                                                              \
#member, type_, offsetof(T, member), 0, NULL, 0, 0, NULL,                                  \
        {                                                                                          \
            0, 0, 0, 0                                                                             \
        }                                                                                          \
    }
#define FIRN_FIELD_ARRAY(T, member, type_, count_)                                                 \
    {                                                                                              \
#member, type_, offsetof(T, member), count_, NULL, 0, 0, NULL,                             \
        {                                                                                          \
            0, 0, 0, 0                                                                             \
        }                                                                                          \
    }
#define FIRN_FIELD_STRUCT(T, member, S, fields_)                                                   \
    {                                                                                              \
#member, FIRN_NESTED, offsetof(T, member), 0, fields_,                                     \
            (uint32_t)(sizeof(fields_) / sizeof *(fields_)), sizeof(S), NULL,                      \
        {                                                                                          \
            0, 0, 0, 0                                                                             \
        }                                                                                          \
    }
#define FIRN_COUNT(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

/// The kinds of component.
typedef enum firn_component_kind {
    FIRN_STRUCT,  ///< `size` bytes of C struct
    FIRN_BOOLEAN, ///< one bool
    FIRN_NUMBER,  ///< one double
    FIRN_STRING,  ///< bytes of any length
    FIRN_VALUE,   ///< a value of any shape, usually a table
    FIRN_TAG,     ///< presence only
    FIRN_RELATION ///< edges to other entities (firn/relation.h)
} firn_component_kind;

/// What a relation is like (firn/relation.h). None: dense, any number of targets, and the end of a
/// target removes the edges to it.
enum firn_relation_bits {
    FIRN_SPARSE = 1,    ///< the target makes no archetype of its own
    FIRN_EXCLUSIVE = 2, ///< at most one target
    FIRN_REVERSE = 4,   ///< the sources of a target are listed
    FIRN_CASCADE = 8    ///< the sources of a target end with it; includes FIRN_REVERSE
};

/// A run of rows of one component.
typedef struct firn_rows {
    const firn_world *world;
    firn_component component;
    const firn_entity *entities; ///< `count` ids, in row order
    void *data;                  ///< `count` rows, `size` bytes apart; NULL for a tag
    size_t size;
    uint32_t count;
} firn_rows;

/// Callbacks on whole runs of rows; each may be NULL. They cannot fail and may not call functions
/// that change the world (those return FIRN_BUSY); reading is allowed. Only for FIRN_STRUCT and
/// FIRN_TAG.
typedef struct firn_hooks {
    /// Rows that were made from the default row, not those that firn_set or a load brought.
    void (*init)(void *user, const firn_rows *rows);
    /// Rows that are about to go away or be overwritten by firn_set.
    void (*drop)(void *user, const firn_rows *rows);
    /// `count` rows move to uninitialized memory that does not overlap; the old rows are not
    /// dropped. NULL: memcpy. Called for every move, so it must be exact as memcpy is.
    void (*move)(void *user, void *to, void *from, uint32_t count);
    void *user;
} firn_hooks;

typedef struct firn_component_desc {
    const char *name; ///< UTF-8, unique in the world; what a save calls it. Copied.
    firn_component_kind kind;
    size_t
        size; ///< FIRN_STRUCT: sizeof; FIRN_RELATION: sizeof of a struct that begins with the
              ///< target, a firn_entity that is not among its fields, or 0: only the target; else 0
    size_t align; ///< FIRN_STRUCT: alignof, a power of two up to 64; 0: that of the largest field
    const firn_field *fields; ///< FIRN_STRUCT, FIRN_RELATION: in declared order; copied
    uint32_t field_count;
    const void *default_row; ///< FIRN_STRUCT, FIRN_BOOLEAN (bool), FIRN_NUMBER (double): NULL is
                             ///< zero; copied
    const firn_value *default_value; ///< FIRN_STRING, FIRN_VALUE: NULL is "" and {}; copied
    /// NULL, or how rows are saved; copied. FIRN_STRUCT; FIRN_RELATION unless it is sparse and not
    /// exclusive.
    const firn_codec *codec;
    const firn_component *required; ///< components that every entity with this one gets as well
    uint32_t required_count;
    const char *const *former_names; ///< NULL, or names it had in older saves, ended by NULL
    bool transient;                  ///< never saved
    /// FIRN_STRING: no two entities have the same one, but for the empty one, which is the default.
    /// Setting one that another entity has is FIRN_EXISTS (err->entity: that one); such a change
    /// that was deferred is dropped. A save with two of one is FIRN_CORRUPT.
    bool unique;
    firn_hooks hooks;
    uint32_t relation;    ///< FIRN_RELATION: firn_relation_bits; else 0
    uint64_t reserved[4]; ///< must be zero
} firn_component_desc;

/// Registers a component. The same name with the same description gives the component that is
/// there; with another one FIRN_EXISTS. FIRN_INVALID: a bad name; no fields, or fields that
/// overlap, leave the struct or are misaligned (err->subject is `Component.field`); a pointer field
/// with neither codec nor transient; a codec that is transient; a name that is another component's
/// former name. FIRN_LIMIT: too many components; a struct above string_bytes or of more than 65,536
/// fields, those of nested structs counted each; more than 64 former names. Structs nest 16 deep.
/// Allowed inside a loop. Where a load kept rows of that name, or of a former one (keep_unknown in
/// firn/snapshot.h), they are decoded at once, all or none, those of a relation for all its targets
/// but such as do not live: also FIRN_BUSY (a loop is open, an event is published), FIRN_INVALID
/// (the rows do not fit; they are kept under two of the names; the component is transient), what a
/// codec returns.
FIRN_CALLS_BACK FIRN_API firn_component firn_component_register(firn_world *world,
                                                                const firn_component_desc *desc,
                                                                firn_error *err);

/// The component of that name, or 0.
FIRN_API firn_component firn_component_find(const firn_world *world, const char *name);

/// Name and kind of a component; valid as long as the world. "" and FIRN_TAG when it is not of this
/// world.
FIRN_API const char *firn_component_name(const firn_world *world, firn_component component);
FIRN_API firn_component_kind firn_component_kind_of(const firn_world *world,
                                                    firn_component component);

/// Registered components; those are firn_component_at(world, 0 .. count-1), in registration order.
FIRN_API uint32_t firn_component_count(const firn_world *world);
FIRN_API firn_component firn_component_at(const firn_world *world, uint32_t index);

/// The built-in components: Name (FIRN_STRING), Disabled (FIRN_TAG: queries skip it), Paused
/// (FIRN_TAG).
FIRN_API firn_component firn_name(const firn_world *world);
FIRN_API firn_component firn_disabled(const firn_world *world);
FIRN_API firn_component firn_paused(const firn_world *world);

// ---------------------------------------------------------------- entities

/// Makes an entity with these components, and all that they require, at their defaults. count 0
/// makes a bare one. Inside a loop the id is reserved at once and the entity appears when the loop
/// ends. 0 on failure; FIRN_LIMIT: too many entities, archetypes or components in one entity.
FIRN_CALLS_BACK FIRN_API firn_entity firn_spawn(firn_world *world, const firn_component *components,
                                                uint32_t count, firn_error *err);

/// firn_spawn with rows: rows[i] is copied in as firn_set does it, before anybody hears of the
/// entity; NULL: its default. rows may be NULL. Only FIRN_STRUCT, FIRN_BOOLEAN and FIRN_NUMBER have
/// rows to give, each component one: else FIRN_INVALID. Inside a loop the rows wait with the spawn.
FIRN_CALLS_BACK FIRN_API firn_entity firn_spawn_rows(firn_world *world,
                                                     const firn_component *components,
                                                     const void *const *rows, uint32_t count,
                                                     firn_error *err);

/// Makes `n` alike entities in consecutive rows, all or none; n may be 0. out: NULL, or room for n
/// ids.
FIRN_CALLS_BACK FIRN_API firn_result firn_spawn_many(firn_world *world,
                                                     const firn_component *components,
                                                     uint32_t count, uint32_t n, firn_entity *out,
                                                     firn_error *err);

/// Ends an entity; the last row of its archetype takes its row. Inside a loop it lives on, and can
/// be read, until the loop ends.
FIRN_CALLS_BACK FIRN_API firn_result firn_despawn(firn_world *world, firn_entity entity,
                                                  firn_error *err);

/// True for a living entity, a reserved one included.
FIRN_API bool firn_alive(const firn_world *world, firn_entity entity);

FIRN_API bool firn_has(const firn_world *world, firn_entity entity, firn_component component);

/// The row, or NULL when the entity is dead or has no such component, or for a tag. FIRN_STRING and
/// FIRN_VALUE rows are read with firn_row_string and firn_row_encoded.
FIRN_API const void *firn_get(const firn_world *world, firn_entity entity,
                              firn_component component);

/// The row for writing. NULL also for FIRN_STRING and FIRN_VALUE, whose rows firn owns.
FIRN_API void *firn_get_mut(firn_world *world, firn_entity entity, firn_component component);

/// Copies `row` (FIRN_STRUCT: its size; FIRN_BOOLEAN: a bool; FIRN_NUMBER: a double) in; adds the
/// component, and what it requires, when it is not there. The bytes are taken as they are: what
/// they own is the world's afterwards. `row` may be a row of this world. FIRN_TAG: row is NULL, the
/// same as firn_add. Inside a loop the row of a component that is there changes at once, unless its
/// removal waits; what adds the component waits.
FIRN_CALLS_BACK FIRN_API firn_result firn_set(firn_world *world, firn_entity entity,
                                              firn_component component, const void *row,
                                              firn_error *err);

/// Sets a FIRN_STRING. FIRN_LIMIT: longer than string_bytes.
FIRN_CALLS_BACK FIRN_API firn_result firn_set_string(firn_world *world, firn_entity entity,
                                                     firn_component component, const void *bytes,
                                                     size_t size, firn_error *err);
FIRN_CALLS_BACK FIRN_API firn_result firn_set_text(firn_world *world, firn_entity entity,
                                                   firn_component component, const char *text,
                                                   firn_error *err);

/// Sets a FIRN_VALUE to a copy of `value`. What cannot be encoded fails as firn_value_encode does,
/// with `Component.path` as the subject. nil is FIRN_INVALID.
FIRN_CALLS_BACK FIRN_API firn_result firn_set_value(firn_world *world, firn_entity entity,
                                                    firn_component component,
                                                    const firn_value *value, firn_error *err);

/// Reads a FIRN_STRING; NULL when it is not there. Not zero-terminated.
FIRN_API const char *firn_get_string(const firn_world *world, firn_entity entity,
                                     firn_component component, size_t *size);

/// A copy of a FIRN_VALUE (or any other value-like component) in `doc`; NULL when it is not there.
FIRN_API firn_value *firn_get_value(const firn_world *world, firn_entity entity,
                                    firn_component component, firn_doc *doc, firn_error *err);

/// The bytes of a FIRN_STRING row, or the canonical encoding of a FIRN_STRING or FIRN_VALUE row,
/// given the row (from firn_get or a query's column). Valid as long as the row.
FIRN_API const char *firn_row_string(const void *row, size_t *size);
FIRN_API const uint8_t *firn_row_encoded(const void *row, size_t *size);
/// Bytes from one FIRN_STRING or FIRN_VALUE row to the next in a column.
#define FIRN_ROW_SIZE 16

/// Adds several components at once, at their defaults, with what they require; those that are there
/// stay as they are. count may be 0, here and in firn_remove.
FIRN_CALLS_BACK FIRN_API firn_result firn_add(firn_world *world, firn_entity entity,
                                              const firn_component *components, uint32_t count,
                                              firn_error *err);
/// Removes several components at once; those that are not there are no error. What others require
/// may be removed too.
FIRN_CALLS_BACK FIRN_API firn_result firn_remove(firn_world *world, firn_entity entity,
                                                 const firn_component *components, uint32_t count,
                                                 firn_error *err);

/// The components of an entity, in the order of their names: writes at most `room` of them and
/// returns how many there are; 0 when it is dead.
FIRN_API uint32_t firn_entity_components(const firn_world *world, firn_entity entity,
                                         firn_component *out, uint32_t room);

// ---------------------------------------------------------------- queries

typedef enum firn_term_kind {
    FIRN_WITH,    ///< must be there
    FIRN_WITHOUT, ///< must not be there; has no column
    FIRN_ANY,     ///< at least one of the FIRN_ANY terms must be there
    FIRN_OPTIONAL ///< may be there
} firn_term_kind;

typedef struct firn_term {
    firn_component component;
    firn_term_kind kind;
    bool read_only; ///< the loop does not write this column
    /// FIRN_RELATION, FIRN_WITH or FIRN_WITHOUT: an edge to this entity; 0: to any. A query may
    /// name a relation several times, with several targets. Rows of a sparse relation are told
    /// apart one by one: a step is then part of an archetype.
    firn_entity target;
} firn_term;

#define FIRN_QUERY_TERMS 32

typedef struct firn_query_desc {
    const char *name; ///< NULL: ""; for messages
    const firn_term *terms;
    uint32_t term_count;  ///< 0..FIRN_QUERY_TERMS; 0 matches every entity
    uint64_t reserved[4]; ///< must be zero
} firn_query_desc;

/// Makes a query. It caches the archetypes that match and follows new ones. Entities with Disabled
/// are skipped unless a term names it. Allowed inside a loop. FIRN_INVALID: a component twice,
/// contradicting terms. FIRN_LIMIT: more than 65,535 queries.
FIRN_API firn_query firn_query_create(firn_world *world, const firn_query_desc *desc,
                                      firn_error *err);

/// FIRN_NOT_FOUND: destroyed before. FIRN_BUSY: a loop over it is open.
FIRN_API firn_result firn_query_destroy(firn_world *world, firn_query query, firn_error *err);

/// How many entities match now.
FIRN_API uint32_t firn_query_count(firn_world *world, firn_query query);

/// A loop over the archetypes that match a query, in the order of their component names. Fields
/// above the line are for reading after firn_iter_next said true.
typedef struct firn_iter {
    const firn_entity *entities;     ///< `count` ids
    void *columns[FIRN_QUERY_TERMS]; ///< per term: `count` rows; NULL for a tag, FIRN_WITHOUT, or
                                     ///< absent
    bool present[FIRN_QUERY_TERMS];  ///< per term: whether the component is there
    uint32_t count;                  ///< rows in this step, never 0
    // ---- the library's
    firn_world *world;
    firn_query query;
    uint32_t position;
    uint32_t row;   ///< of the archetype at `position`: where the next step looks on
    uint32_t epoch; ///< of the world when the loop began: another one, and the loop is over
    bool open;
    firn_error error;
} firn_iter;

/// Begins a loop. Changes of structure inside it are deferred until the end of the outermost loop:
/// wrong arguments and dead entities are reported at once, ids of spawns are reserved at once, and
/// the end makes the world what the same calls outside a loop would have made it (only the slots of
/// entities that end inside are not free before the end, and what observers change comes behind
/// what waits). Until then firn_has, firn_get and queries show the world as it was. Loops may stand
/// inside each other. A bad query gives a loop of no steps, and firn_iter_end returns the failure.
FIRN_API void firn_iter_begin(firn_world *world, firn_query query, firn_iter *it);
/// Steps to the next archetype with rows; false at the end. Rows are those at the step's begin.
FIRN_API bool firn_iter_next(firn_iter *it);
/// Ends the loop, wherever it stands; the outermost one applies the deferred changes in order. A
/// failure is that of the first change that failed: it stays queued with all behind it, and
/// firn_flush tries again. FIRN_INVALID for a loop that was never begun (a zeroed `it`) or has
/// ended.
FIRN_CALLS_BACK FIRN_API firn_result firn_iter_end(firn_iter *it, firn_error *err);

/// Applies deferred changes. FIRN_BUSY while a loop is open: err->subject is the query's name, or
/// `query 3` without one; while an event is published: err->subject is its name. A change to an
/// entity that an earlier one ended is dropped. Every change outside a loop flushes first, too, and
/// fails as the flush does.
FIRN_CALLS_BACK FIRN_API firn_result firn_flush(firn_world *world, firn_error *err);
/// Forgets deferred changes; the ids reserved by spawns are freed. Returns how many changes.
/// Does nothing while a loop is open or an event is published.
FIRN_CALLS_BACK FIRN_API uint32_t firn_discard(firn_world *world);
/// Deferred changes that wait.
FIRN_API uint32_t firn_pending(const firn_world *world);

#ifdef __cplusplus
}
#endif

#endif
