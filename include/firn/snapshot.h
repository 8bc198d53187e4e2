/// firn/snapshot.h: a world to bytes and back, checks and hashes of bytes. The bytes:
/// docs/format.md.
#ifndef FIRN_SNAPSHOT_H
#define FIRN_SNAPSHOT_H

#include "firn/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------- digest

/// XXH3 of 128 bits, seed 0 and default secret (https://xxhash.com), as two numbers that are equal
/// on every machine. Its canonical form as bytes: `high`, then `low`, each big-endian, which is how
/// xxh128sum prints it. It finds damage; it is no signature.
typedef struct firn_digest {
    uint64_t low, high;
} firn_digest;

/// The digest of bytes. bytes may be NULL when size is 0.
FIRN_API firn_digest firn_bytes_digest(const void *bytes, size_t size);

// ---------------------------------------------------------------- save

/// One entry of custom data: the value as a tree, or encoded already (checked, and written
/// canonically).
typedef struct firn_data {
    const char *key; ///< UTF-8; `__tecs.*`, `__firn.*`, `tecs.random`, `tecs.sequence` are refused
    const firn_value *value; ///< NULL: use `encoded`
    const void *encoded;     ///< not inside the output buffer
    size_t encoded_size;
} firn_data;

typedef struct firn_save_options {
    const firn_data *data; ///< custom data; written in the order of their keys
    uint32_t data_count;
    /// 0 or 1: version 1; 2: version 2 with scalars as {value = X}, also what is kept and seems one
    uint32_t wire_version;
    /// NULL, or receives the digest of all bytes written, which is taken as they pass: cheaper than
    /// firn_bytes_digest afterwards. A save that fails leaves it as it was.
    firn_digest *digest;
    /// NULL, or which entities are saved: those that firn_query_create would match, but Disabled is
    /// no exception. Those that are left out come back as dead entities.
    const firn_query_desc *filter;
    /// NULL, or of which layers: integers 0 to 31 against the number `layer` of the component
    /// Transform2D. Entities without that component are saved on any.
    const double *layers;
    uint32_t layer_count; ///< 0 with layers: only entities without Transform2D
    /// Entities that have one of these components are left out; for a relation, an edge of it. A
    /// component that is left out alone is a transient one.
    const firn_component *exclude;
    uint32_t exclude_count;
    /// Saves sparse relations of many targets, in a form that only the port of Tecs and firn read.
    /// Else an entity that has one is FIRN_INVALID. What is kept of them (keep_unknown) is saved in
    /// any case, as it came.
    bool sparse_edges;
    uint64_t reserved[4]; ///< must be zero
} firn_save_options;

/// Writes the world to `out`, which is cleared first and reused. Deferred changes are applied
/// first, then OnSnapshotSave is published, then handlers save. options NULL: all defaults.
/// Failures leave `out` empty and the world as it was: FIRN_BUSY (in a loop, a publication, or a
/// callback: err->subject is the query, the event, or whose callback it is), FIRN_INVALID (a bool
/// byte that is neither 0 nor 1: component, field and entity; a row of `persist` or Vars that is
/// none: err->entity; a data key reserved, empty or twice; an option), FIRN_LIMIT, FIRN_NO_MEMORY,
/// or what a codec, handler or observer returned.
FIRN_CALLS_BACK FIRN_API firn_result firn_snapshot_save(firn_world *world,
                                                        const firn_save_options *options,
                                                        firn_buffer *out, firn_error *err);

/// firn_snapshot_save into a file that is replaced atomically (a crash at any moment leaves the old
/// file or the new one, whole); the old file stays as `<path>.bak`. FIRN_IO, FIRN_NOT_FOUND (no
/// such folder), FIRN_NOT_DURABLE (replaced, but the folder could not be synced; options->digest is
/// that of the new file).
FIRN_CALLS_BACK FIRN_API firn_result firn_snapshot_save_file(firn_world *world, const char *path,
                                                             const firn_save_options *options,
                                                             firn_error *err);

/// Payload of OnSnapshotSave (firn/event.h), which is published when a save begins, before anything
/// is selected: changes that observers make are saved. One that fails fails the save. Only to be
/// used while the event is published.
typedef struct firn_saving firn_saving;

/// Adds an entry of custom data behind those of the options, a copy. FIRN_INVALID: a key that is
/// reserved, empty or there already; else as a save.
FIRN_API firn_result firn_saving_add_data(firn_saving *saving, const char *key,
                                          const firn_value *value, firn_error *err);
/// Leaves the entities that have a component out of this save, as firn_save_options.exclude does:
/// for what is made again from other state after a load.
FIRN_API firn_result firn_saving_exclude(firn_saving *saving, firn_component component,
                                         firn_error *err);
/// firn_saving_add_data of a value that is encoded already.
FIRN_API firn_result firn_saving_add_encoded(firn_saving *saving, const char *key,
                                             const void *encoded, size_t size, firn_error *err);

// ---------------------------------------------------------------- load

/// An entry of the component table of an image, as it stands there.
typedef struct firn_saved_component {
    const char *name;
    const char *fingerprint; ///< `x:float,y:float|8`; "" where the image has none
} firn_saved_component;

/// What the front of an image says.
struct firn_prelude {
    uint32_t version;   ///< 1 or 2
    uint32_t next_slot; ///< the next slot that was never used
    uint32_t entity_count;
    uint32_t frame_count;     ///< distinct saved component sets
    uint32_t component_count; ///< entries of the component table
    uint32_t data_count;      ///< entries of the data section
    /// `component_count` of them, for a load; NULL for firn_image_check, and when a load failed
    /// before it could tell.
    const firn_saved_component *components;
};

/// One thing that a load left out or changed.
typedef enum firn_notice_kind {
    FIRN_NOTICE_UNKNOWN,   ///< an unregistered component was skipped; count: rows
    FIRN_NOTICE_TRANSIENT, ///< a saved component is transient now and was skipped; count: rows
    FIRN_NOTICE_FIELD,     ///< values of a field changed by more than rounding; count: values
    /// A saved field that the component has no more; count: rows. Where the rows were tables: field
    /// is "", count: entries that no field takes.
    FIRN_NOTICE_REMOVED,
    /// A component, or a field of a raw column, was found under a former name; count: rows.
    FIRN_NOTICE_RENAMED,
    /// Relationships to entities that the save does not have were left out; count: edges.
    FIRN_NOTICE_TARGET,
    FIRN_NOTICE_DISCARDED, ///< deferred changes dropped; count: changes
    FIRN_NOTICE_KEPT       ///< an unregistered component is kept; count: rows
} firn_notice_kind;

typedef struct firn_notice {
    firn_notice_kind kind;
    const char *component; ///< its name in the save
    const char *field;     ///< or ""
    uint64_t count;
} firn_notice;

/// Gets an entry of custom data: one checked encoded value, valid during the call. May change the
/// world. Fill `err` to say why it fails.
typedef firn_result (*firn_data_fn)(void *user, firn_world *world, const char *key,
                                    const void *encoded, size_t size, firn_error *err);

typedef struct firn_load_options {
    bool skip_unknown; ///< components that are not registered are left out, not an error
    /// Not with skip_unknown: components that are not registered are kept. They follow their
    /// entities unseen and are saved again, byte for byte, until a load without them. So are
    /// entries of data that have no handler and no listener of firn_loading_on_data takes (on_data
    /// takes none): the next saves hold them behind all others, but for keys that have a handler or
    /// are written then, and a handler that is added gets them.
    bool keep_unknown;
    /// NULL, or called for each entry of custom data in file order, after the world is restored. A
    /// result other than FIRN_OK is returned by the load when all have run; the world stays loaded.
    firn_data_fn on_data;
    void *user; ///< handed to it
    const firn_limits
        *limits;          ///< NULL: the world's; the world's hold as well, the lower one of each
    uint64_t reserved[4]; ///< must be zero
} firn_load_options;

/// What a load did. It owns memory and may outlive the world: free it after every load, also after
/// one that failed.
typedef struct firn_load_report {
    firn_prelude prelude;
    bool committed;          ///< the world now holds the save
    uint32_t unknown;        ///< unknown components skipped
    uint32_t kept;           ///< unknown components kept
    uint32_t kept_data;      ///< entries of data kept
    uint64_t changed_values; ///< values that a migration changed by more than rounding
    uint32_t discarded;      ///< deferred changes dropped
    /// `notice_count` of them, unknown components first. Of a load that failed before it committed
    /// only those are told.
    const firn_notice *notices;
    uint32_t notice_count;
    // ---- the library's
    firn_allocator allocator;
    void *memory;
    size_t memory_size;
    char *text;
} firn_load_report;

/// Frees what the report points to, and forgets it; numbers stay. NULL and a zeroed report are
/// allowed.
FIRN_API void firn_load_report_free(firn_load_report *report);

/// Replaces the world by the image. Everything is checked before anything changes: a failure with
/// report->committed false leaves the world bit for bit as it was. Drop hooks run for the replaced
/// rows. Failures: FIRN_NOT_OURS, FIRN_TRUNCATED, FIRN_CORRUPT (err->offset and err->subject say
/// where and what), FIRN_VERSION, FIRN_LIMIT, FIRN_UNKNOWN (err->subject is the component, the
/// state, or the class of err->entity), FIRN_INVALID (a saved value that the component cannot
/// hold, or a row of `persist` or Vars that is none: err->entity, err->offset), FIRN_BUSY (as a
/// save), FIRN_NO_MEMORY, what a codec or the check of a handler returned. Once the world is the
/// new one, all callbacks run (docs/plugins.md); what the first one that failed returned is
/// returned, with report->committed true. `image` is only read, may not be a row of this world, and
/// is not needed afterwards. options NULL: all defaults. report NULL is allowed; what it held
/// before is not freed.
FIRN_CALLS_BACK FIRN_API firn_result firn_snapshot_load(firn_world *world, const void *image,
                                                        size_t size,
                                                        const firn_load_options *options,
                                                        firn_load_report *report, firn_error *err);

/// firn_snapshot_load of a file. Also FIRN_NOT_FOUND, FIRN_IO; FIRN_LIMIT for a file above
/// file_bytes.
FIRN_CALLS_BACK FIRN_API firn_result firn_snapshot_load_file(firn_world *world, const char *path,
                                                             const firn_load_options *options,
                                                             firn_load_report *report,
                                                             firn_error *err);

/// Everything that firn_snapshot_load does before it changes anything: the image is checked, rows
/// are decoded, handlers check their entries. Then all of it is dropped, by the drop hooks and by
/// the discard of each handler, and the world is bit for bit as it was, with the changes that wait.
/// FIRN_OK: a load of these bytes with these options would commit, if there is the memory. Fails as
/// a load that does not commit, with the same error. report->committed is false; the report of
/// success has the notices of a load but for what shows only when raw columns are put in place
/// (FIRN_NOTICE_FIELD of them) and FIRN_NOTICE_DISCARDED, and kept_data is 0.
FIRN_CALLS_BACK FIRN_API firn_result firn_snapshot_check(firn_world *world, const void *image,
                                                         size_t size,
                                                         const firn_load_options *options,
                                                         firn_load_report *report, firn_error *err);

/// Payload of StartSnapshotLoad (firn/event.h), which is published when the world is the loaded one
/// and before handlers and data. That of FinishSnapshotLoad, which comes last, is the
/// `const firn_prelude *`. A failure of their observers is returned when all else has run. Only to
/// be used while the event is published.
typedef struct firn_loading firn_loading;

/// Calls `listen` for each entry of custom data with this key, in this load, after the loads of
/// handlers: entries in file order, the listeners of one in the order of these calls, behind
/// firn_load_options.on_data. FIRN_INVALID: a reserved or empty key.
FIRN_API firn_result firn_loading_on_data(firn_loading *loading, const char *key,
                                          firn_data_fn listen, void *user, firn_error *err);

// ---------------------------------------------------------------- merge

typedef struct firn_merge_options {
    bool skip_unknown; ///< as in firn_load_options
    /// Components that are not registered are kept as in firn_load_options, beside what the world
    /// keeps already; data is not. Ids in what is kept stay as they were saved.
    bool keep_unknown;
    const firn_limits *limits; ///< as in firn_load_options
    uint64_t reserved[4];      ///< must be zero
} firn_merge_options;

/// An entity that was merged.
typedef struct firn_merged {
    firn_entity saved;  ///< its id in the image
    firn_entity entity; ///< its id in the world
} firn_merged;

/// What a merge did. It owns memory and may outlive the world: free it after every merge, also
/// after one that failed.
typedef struct firn_merge_report {
    firn_load_report load;  ///< committed: the entities are there; nothing is ever discarded
    const firn_merged *map; ///< `count` of them, in the order of the slots of the saved ids
    uint32_t count;
    uint64_t dangling; ///< ids of entities that the image does not have: they became 0
} firn_merge_report;

/// Frees what the report points to, and forgets it; numbers stay. NULL and a zeroed report are
/// allowed.
FIRN_API void firn_merge_report_free(firn_merge_report *report);

/// The new id of an entity of the image; 0 when the image did not have it, or report is NULL.
FIRN_API firn_entity firn_merge_find(const firn_merge_report *report, firn_entity saved);

/// Adds the entities of an image to the world. Each gets a new id, as firn_spawn gives them, frame
/// by frame and row by row; the ids of other entities, their rows and the order of those stay. Ids
/// in fields of type FIRN_ENTITY and FIRN_ENTITY_NUMBER follow, and those that codecs ask
/// firn_reader_entity for; in FIRN_VALUE components, and in structs that are such a one now, they
/// stay as they were saved. The sources of a target keep their order. Data, states, random streams,
/// name and tick of the image are not applied, handlers and observers not told; the restore
/// callbacks of classes (firn/class.h) run when all are there, and the first failure of one is
/// returned, with load.committed true. Deferred changes are applied first. Fails as
/// firn_snapshot_load does, before anything changes, and: FIRN_EXISTS when an entity of the world
/// has a unique string of the image (err->subject: the component; err->entity: who has it),
/// FIRN_LIMIT for more entities than the world may have, FIRN_INVALID for rows that the world keeps
/// in another form, or that are those of an unknown relation: of a component like `Likes->5`, or
/// sparse ones.
FIRN_CALLS_BACK FIRN_API firn_result firn_snapshot_merge(firn_world *world, const void *image,
                                                         size_t size,
                                                         const firn_merge_options *options,
                                                         firn_merge_report *report,
                                                         firn_error *err);

// ---------------------------------------------------------------- table form

/// A save as a tree in `doc`, for inspecting and editing (docs/format.md, "Table form"):
/// `{version, nextEntityId, entityCount, componentTable = {{name}, ...}, archetypes =
/// {{columnIndices, entities = {{id, value, ...}, ...}}, ...}, data = {{key, value}, ...}}`.
/// A struct is a map by field name, a tag true; nil leaves a hole. Kept rows whose fingerprint is
/// not understood are strings, and it stands beside their name. Nothing in it is the world's:
/// later changes never show. Selects and fails as firn_snapshot_save does; options->digest is
/// FIRN_INVALID, and FIRN_LIMIT is also what is above a limit of the document. A failure leaves
/// the document and *out as they were.
FIRN_CALLS_BACK FIRN_API firn_result firn_snapshot_save_table(firn_world *world,
                                                              const firn_save_options *options,
                                                              firn_doc *doc, firn_value **out,
                                                              firn_error *err);

/// firn_snapshot_load of a tree, which may be edited, or of the record form: archetypes
/// `{components = {names}, entities = {{id, values = {name = value}}, ...}}`, and `states` and
/// `pipeline` beside `data`. Ids may be decimal strings; entityCount, data, and nextEntityId (then
/// one above the highest slot) may be missing; other keys are not looked at. Components map by
/// field name, and codecs are always called. The same steps and failures, and FIRN_NOT_OURS for
/// what is no such table. err->subject is the path of what is wrong, as
/// `archetypes[2].entities[5][3]`, or the component or data key that it is about; there is no
/// offset. The limit file_bytes does not hold. `table` is only read, before anything changes.
FIRN_CALLS_BACK FIRN_API firn_result firn_snapshot_load_table(firn_world *world,
                                                              const firn_value *table,
                                                              const firn_load_options *options,
                                                              firn_load_report *report,
                                                              firn_error *err);

/// firn_snapshot_check of a tree, with what firn_snapshot_load_table says of trees and errors.
FIRN_CALLS_BACK FIRN_API firn_result firn_snapshot_check_table(firn_world *world,
                                                               const firn_value *table,
                                                               const firn_load_options *options,
                                                               firn_load_report *report,
                                                               firn_error *err);

/// firn_snapshot_merge of a tree, with what firn_snapshot_load_table says of trees and errors.
FIRN_CALLS_BACK FIRN_API firn_result firn_snapshot_merge_table(firn_world *world,
                                                               const firn_value *table,
                                                               const firn_merge_options *options,
                                                               firn_merge_report *report,
                                                               firn_error *err);

// ---------------------------------------------------------------- images without a world

/// How the rows of a component are read, where the bytes do not say it.
typedef struct firn_image_schema {
    const char *component; ///< its name
    /// Raw rows: their fields as docs/format.md has them, `x:float,y:float|8`. NULL or "": encoded
    /// values.
    const char *fingerprint;
} firn_image_schema;

/// For the calls that need no world.
typedef struct firn_image_options {
    const firn_limits *limits;       ///< NULL: the defaults
    const firn_allocator *allocator; ///< NULL: the default; but for firn_image_open
                                     ///< nothing stays allocated after a call
    /// NULL, or `schema_count` of them: they decide how the columns of their components are read,
    /// with a fingerprint in the image or without one. Not in an image that firn wrote and that
    /// checks as it says itself. Those of components that the image does not have are no matter.
    /// They stay until an open image is closed. FIRN_INVALID: a bad one (err->subject: the
    /// component), or two for one component. One that does not fit the bytes fails as bytes that
    /// are damaged do: err->subject is the component, err->offset where it went wrong.
    const firn_image_schema *schemas;
    uint32_t schema_count;
    uint64_t reserved[4]; ///< must be zero
} firn_image_options;

/// Checks bytes as far as they can be without registrations: bounds, names, schemas, ids, counts,
/// values. From any thread. options NULL: the defaults; prelude NULL is allowed. Fails as
/// firn_snapshot_load does; FIRN_UNKNOWN when columns with a fingerprint fit more than one reading
/// (err->subject: the component, of which options->schemas may say how it is read).
FIRN_API firn_result firn_image_check(const void *image, size_t size,
                                      const firn_image_options *options, firn_prelude *prelude,
                                      firn_error *err);

/// Finds the first value of a data key in an image: *encoded points into it. FIRN_NOT_FOUND; else
/// as firn_image_check.
FIRN_API firn_result firn_image_data(const void *image, size_t size, const char *key,
                                     const firn_image_options *options, const void **encoded,
                                     size_t *encoded_size, firn_error *err);

// ---------------------------------------------------------------- hashes

/// The state of a world in numbers that are equal on every machine (XXH3, docs/format.md). Not part
/// of it: custom data and transient components.
typedef struct firn_hash {
    uint64_t total;    ///< of all parts
    uint64_t ids;      ///< ids in order, free list, generations, next slot
    uint64_t entities; ///< which components the entities have, in order
    uint64_t world;    ///< tick, states, phases, random streams, script state
} firn_hash;

/// NULL, or called with each component's name and hash, in the order of names. It may not change
/// the world that is hashed.
typedef void (*firn_hash_fn)(void *user, const char *component, uint64_t hash);

/// Hashes what a save of the world would hold. Fails as firn_snapshot_save does.
FIRN_CALLS_BACK FIRN_API firn_result firn_world_hash(firn_world *world, firn_hash *out,
                                                     firn_hash_fn each, void *user,
                                                     firn_error *err);

/// The same of an image that firn wrote in version 1: equal to the hash of the world it holds. Of
/// version 2, or of another writer, it is the hash of the bytes as they are. Fails as
/// firn_image_check does.
FIRN_CALLS_BACK FIRN_API firn_result firn_image_hash(const void *image, size_t size,
                                                     const firn_image_options *options,
                                                     firn_hash *out, firn_hash_fn each, void *user,
                                                     firn_error *err);

#ifdef __cplusplus
}
#endif

#endif
