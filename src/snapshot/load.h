/// load.h: check, aside, swap. A load takes an image apart (image.h), decides for every saved
/// component how its columns become rows (sources), lays the rows out over archetypes (stages and
/// pieces), prepares everything that could fail aside, and then swaps it in, which cannot fail.
#ifndef FR_LOAD_H
#define FR_LOAD_H

#include "snapshot/image.h"
#include "store/world.h"

/// How the columns of an entry become rows.
typedef enum fr_how {
    FR_SKIP,       ///< not at all: unknown or transient
    FR_PRESENCE,   ///< a tag: which of its values stand there says nothing
    FR_COPY,       ///< raw, same schema: copied at the swap
    FR_MIGRATE,    ///< raw, another schema: carried field by field at the swap
    FR_SCALAR,     ///< encoded, a bool, number or string
    FR_VALUE,      ///< encoded, a value
    FR_RAW_VALUE,  ///< raw, now a value: a table by field name
    FR_FIELDS,     ///< encoded, now a plain struct: mapped by field name
    FR_DECODE,     ///< encoded, a codec
    FR_DECODE_RAW, ///< raw, now a codec: it gets tables by field name
    FR_EDGE,       ///< encoded, a relation: edges.h
    FR_KEEP,       ///< encoded, not registered: kept as it is
    FR_KEEP_RAW    ///< raw, not registered: each row is kept as it is
} fr_how;

/// What a load knows of one entry of the component table.
typedef struct fr_source {
    fr_component *component; ///< NULL: not registered
    fr_how how;
    bool renamed; ///< found under a former name
    bool transient;
    fr_migration migration; ///< FR_MIGRATE
    uint64_t *changed;      ///< FR_FIELDS, FR_EDGE: per leaf
    uint64_t removed;       ///< FR_FIELDS, FR_EDGE: values of fields that are no more
    firn_entity target;     ///< of a dense relation, whose columns have one each; else 0
    firn_entity new_target; ///< what it is in the world: another one in a merge
    uint64_t dropped;       ///< of a relation: edges to what is not in the save
    bool holed;             ///< and that leaves rows without an edge
    bool no_tag;            ///< kept, with values that are none of a tag
} fr_source;

/// The new rows of one archetype.
typedef struct fr_stage {
    fr_archetype *archetype;
    uint32_t rows;
    uint32_t capacity;     ///< after the swap
    uint32_t first;        ///< the row of the archetype that row 0 becomes; 0 but in a merge
    firn_entity *entities; ///< [capacity]
    void **blocks;    ///< per column: rows made aside, or NULL: made at the swap, in the live block
    uint32_t *filled; ///< per column: rows of the block that hold something to drop
} fr_stage;

/// Neighbouring rows of a frame that go to neighbouring rows of a stage.
typedef struct fr_piece {
    uint32_t frame;
    uint32_t first; ///< row in the frame
    uint32_t rows;
    uint32_t stage;
    uint32_t to; ///< row in the stage
} fr_piece;

/// The ids of a merge.
typedef struct fr_merge {
    uint32_t *places; ///< per slot of the image: 1-based place in `map`, or 0: no entity
    uint32_t slots;
    firn_merged *map; ///< in the order of saved slots
    uint32_t count;
    fr_map by_new;     ///< new id -> place in `map`, once somebody asked for one
    uint64_t dangling; ///< ids that became 0
} fr_merge;

typedef struct fr_load {
    firn_world *world;
    bool appends;        ///< its rows follow those that are there; else they replace the world
    fr_archetype **from; ///< NULL, or where the rows of each frame stand that become others
    fr_merge *merge;     ///< NULL: entities have the ids of the image
    bool beside;         ///< what is kept of the world has edges to what comes (beside.h)
    fr_map comes;        ///< beside: the entities of the image, slot -> generation
    fr_map returns;      ///< beside: which living entities come back, as they are called now
    const struct fr_renames *renames; ///< beside: who gets another id
    fr_map edges;    ///< beside: those of relations that list sources, fr_load_edge_key -> 0
    uint32_t coming; ///< beside: edges for which there is room
    const firn_load_options *options;
    bool any_size; ///< file_bytes does not hold
    fr_image image;
    fr_source *sources; ///< per entry
    bool resolved;      ///< the sources know their components
    bool ids_checked;   ///< nothing that fails from here on is about bytes that were not checked
    uint32_t *entry_of; ///< per component index: its entry, or UINT32_MAX
    fr_map entry_of_target;   ///< term of a dense relation -> its entry
    bool has_edges;           ///< relations are among the sources
    uint64_t linked;          ///< edges of rows that are appended: linked so far
    uint32_t component_count; ///< when the load began
    fr_stage *stages;
    uint32_t stage_count;
    uint32_t stage_capacity;
    fr_map stage_of;  ///< archetype index -> stage
    fr_piece *pieces; ///< in the order of frames and rows
    uint32_t piece_count;
    uint32_t piece_capacity;
    firn_entity *watched; ///< the entities whose rows somebody watches, in the order of the image
    uint32_t watched_count;
    uint32_t watched_room;
    uint32_t *made; ///< indices of archetypes that this load made
    uint32_t made_count;
    uint32_t made_capacity;
    fr_entity_index index; ///< the new one
    char *name;            ///< the world's new name
    firn_buffer scratch;
    firn_buffer kept_order; ///< what becomes that of the world
    fr_blob_pool blobs;     ///< strings and values of long columns
    uint32_t discarded;
} fr_load;

/// What every load checks first: FIRN_INVALID (`what` names the NULL thing to load), FIRN_BUSY.
firn_result fr_load_check(firn_world *world, const void *bytes, const char *what,
                          const firn_load_options *options, firn_error *err);
/// The limits of a load.
firn_result fr_load_limits(const firn_world *world, const firn_load_options *options,
                           firn_limits *out, firn_error *err);
/// An image on its way in.
typedef struct fr_load_input {
    const void *bytes;
    size_t size;
    bool any_size;   ///< one that firn made of a table may be above file_bytes
    bool only_check; ///< nothing of it is to stay
} fr_load_input;

/// The load itself, after fr_load_check; options and report are not NULL, and the report is zero.
/// With only_check all that may fail of it, and then the world is as it was.
firn_result fr_load_image(firn_world *world, const fr_load_input *input,
                          const firn_load_options *options, firn_load_report *report,
                          firn_error *err);
/// The merge itself, after fr_load_check; as fr_load_image.
firn_result fr_merge_image(firn_world *world, const void *image, size_t size, bool any_size,
                           const firn_load_options *options, firn_merge_report *report,
                           firn_error *err);
/// What every merge checks first, and the options of its load.
firn_result fr_merge_check(firn_world *world, const void *bytes, const char *what,
                           const firn_merge_options *options, firn_load_options *load,
                           firn_error *err);
/// Begins a load.
void fr_load_begin(fr_load *load, firn_world *world, bool any_size,
                   const firn_load_options *options);
/// Opens the image and decides its sources. Errors as in firn_snapshot_load.
firn_result fr_load_read(fr_load *load, const void *bytes, size_t size, bool ids_later,
                         firn_error *err);
/// Opens the image, decides its sources and lays its rows out. Errors as in firn_snapshot_load.
firn_result fr_load_open(fr_load *load, const void *bytes, size_t size, bool ids_later,
                         firn_error *err);
/// Decides the sources. FIRN_UNKNOWN, FIRN_INVALID, FIRN_CORRUPT (one component under two names).
firn_result fr_load_sources(fr_load *load, firn_error *err);
/// Gives the entries that are not registered a kept component as their source. FIRN_NO_MEMORY; in a
/// merge FIRN_INVALID: what the world keeps of that name is of another form, or its name says the
/// id of a target.
firn_result fr_load_keep(fr_load *load, firn_error *err);
/// At the end of a merge: the world keeps these, too.
void fr_load_keep_beside(fr_load *load);
/// Lays the rows out: stages, pieces, archetypes.
firn_result fr_load_plan(fr_load *load, firn_error *err);
/// Makes ids, index, and every row that cannot be made at the swap.
firn_result fr_load_prepare(fr_load *load, firn_error *err);
/// The entity index of the image, and the ids of all stages: checks both, writes both, in one pass.
/// Anything wrong is FIRN_CORRUPT without a place.
firn_result fr_load_index(fr_load *load, firn_error *err);
/// Makes the indexes of unique strings of the rows that were made. FIRN_CORRUPT: one is there
/// twice.
firn_result fr_load_unique(fr_load *load, firn_error *err);
/// The same for rows that are appended. Also FIRN_EXISTS: an entity of the world has one.
firn_result fr_load_unique_appended(fr_load *load, firn_error *err);
/// Has the rows of a frame checked of components that check theirs (fr_component.check); those that
/// are made aside are there. FIRN_INVALID with the id in the image and the place of the row;
/// FIRN_NO_MEMORY.
firn_result fr_load_check_rows(fr_load *load, const fr_frame *frame, uint32_t first_piece,
                               uint32_t last_piece, firn_error *err);
/// Has the rows checked that somebody watches, and lists their entities. What the watch returned,
/// with the id in the image; FIRN_NO_MEMORY.
firn_result fr_load_watch(fr_load *load, firn_error *err);
/// Chooses the ids that the entities of the image get. FIRN_LIMIT, FIRN_NO_MEMORY.
firn_result fr_merge_choose_ids(fr_load *load, firn_error *err);
/// The new id of an entity of the image, or 0.
firn_entity fr_merge_find(const fr_merge *merge, firn_entity saved);
/// The same, and counts what has none.
firn_entity fr_merge_id(fr_merge *merge, firn_entity saved);
/// Whether an entity of the image gets this id. False: no memory.
bool fr_merge_gives(fr_load *load, firn_entity entity, bool *gives);
/// The id in the image of an entity that the load makes, for messages.
firn_entity fr_load_saved_id(const fr_load *load, firn_entity entity);
/// Writes the ids of all stages of rows that are appended.
void fr_load_place_ids(fr_load *load);
/// Enters the strings of a unique component's rows, which are in place.
void fr_load_enter_unique(fr_component *component, const firn_entity *entities, const uint8_t *rows,
                          uint32_t n);
/// Decodes `n` encoded values of a saved column, `bytes` to `bytes + size`, into rows of a stage's
/// column.
firn_result fr_load_decode(fr_load *load, const fr_span *span, fr_stage *stage, uint32_t column,
                           uint32_t to, uint32_t n, const uint8_t *bytes, size_t size,
                           firn_error *err);
/// FIRN_INVALID: a value of a tag's column is neither nil, true nor a table, which stand for one.
firn_result fr_load_check_tags(const fr_load *load, const fr_frame *frame, const fr_span *span,
                               firn_error *err);
/// Makes the rows that come from raw bytes in place.
void fr_load_make_raw_rows(fr_load *load);
/// Runs the init hooks of rows that the save does not have.
void fr_load_run_init_hooks(const fr_load *load);
/// The second half of fr_load_prepare beside others: links the edges of all stages, which are
/// aside; puts the sources of targets in order, when the stages are appended. Cannot fail.
void fr_load_link_now(fr_load *load);
void fr_order_apply_now(fr_load *load);
/// Appends a stage, whose ids are known, behind the rows that are there.
void fr_load_append_stage(fr_load *load, fr_stage *stage);
/// Name and tick of the world are those of the image.
void fr_load_take_name_and_tick(fr_load *load);
/// Whether the rows of a component come from the save.
bool fr_load_brings(const fr_load *load, const fr_component *component);
/// Forgets the stages; what is still aside is dropped.
void fr_load_free_stages(fr_load *load);
/// firn_world.adopt_kept.
firn_result fr_adopt_kept(firn_world *world, fr_component *component, firn_error *err);
/// Puts everything in place. Cannot fail.
void fr_load_swap(fr_load *load);
/// After a failure: drops what was made aside and removes archetypes that were made. The world is
/// as it was.
void fr_load_withdraw(fr_load *load);
/// What there is to tell of a load that failed: components that are not registered. Returns
/// `result`, or FIRN_NO_MEMORY.
firn_result fr_load_report_failure(const fr_load *load, firn_result result,
                                   firn_load_report *report, firn_error *err);
/// Frees everything.
void fr_load_free(fr_load *load);

/// The registration of a saved name: by name, else by former name. A name with a target has that of
/// its relation. NULL: there is none.
fr_component *fr_load_registered(const firn_world *world, const char *name, size_t size,
                                 bool *renamed);
/// The entry's name, printable.
const char *fr_load_name(const fr_load *load, uint32_t entry, char out[256]);

#endif
