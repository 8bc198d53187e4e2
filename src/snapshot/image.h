/// image.h: an image taken apart: where everything is, with every bound, name, schema, id, count
/// and value checked. Works on bytes alone; nothing in it depends on a world. Points into the
/// bytes.
#ifndef FR_IMAGE_H
#define FR_IMAGE_H

#include "buffer/reader.h"
#include "firn/snapshot.h"
#include "plugin/registry.h"
#include "store/schema.h"

#define FR_NO_COLUMN UINT32_MAX

/// One entry of the component table.
typedef struct fr_entry {
    const char *name;
    uint32_t name_size;
    uint32_t fingerprint_size;
    const char *fingerprint;
    size_t offset;         ///< of its name, in the image
    fr_schema schema;      ///< when raw; no fields when only the size of a row could be read
    bool raw;              ///< how this reading takes its columns
    bool doubtful;         ///< has a fingerprint, so it could be either
    bool given;            ///< the caller says how it is read
    int hint;              ///< doubtful: what the caller knows of it, as fr_image_hint says
    uint32_t first_column; ///< its columns in file order, linked by fr_span.next
    uint32_t last_column;
    uint64_t rows;
} fr_entry;

/// 64 rows of a column that some rows lack.
typedef struct fr_presence {
    uint64_t bits;   ///< bit i: row i of them has a value
    uint32_t before; ///< values of all rows before them
} fr_presence;

/// One column of a frame. Where the frame lies row by row, the column is made of it aside, so that
/// nothing but walk_rows.c knows such frames.
typedef struct fr_span {
    uint32_t entry;
    uint32_t next; ///< the entry's next column, or FR_NO_COLUMN
    uint32_t rows;
    uint32_t nils;   ///< rows whose value is nil, those without a value included
    uint32_t absent; ///< rows without a value, which only frames row by row have: raw columns leave
                     ///< them out, encoded ones have nil there
    size_t offset;   ///< of the column in the image; of the first row when aside
    size_t size;
    const uint8_t *bytes;        ///< in the image or aside
    const fr_presence *presence; ///< which rows have a value; NULL: all
} fr_span;

typedef struct fr_frame {
    uint32_t rows;
    uint32_t column_count;
    uint32_t first_column;
    bool by_row;        ///< lies row by row
    size_t offset;      ///< of the frame, for messages
    size_t rows_at;     ///< by_row: offset of the first row
    const uint8_t *ids; ///< `rows` doubles, in the image or aside
    uint8_t *aside;     ///< by_row: ids and columns
    size_t aside_size;
} fr_frame;

/// One entry of the data section.
typedef struct fr_datum {
    const char *key;
    uint32_t key_size;
    size_t offset; ///< of the encoded value
    size_t size;
} fr_datum;

/// What an image says of the world as a whole.
typedef struct fr_image_world {
    bool ours;     ///< __firn.world is there
    bool has_free; ///< __firn.free is there
    const char *name;
    size_t name_size;
    uint64_t tick;
    uint32_t free_count;
    size_t free_value; ///< offset of the encoded array of pieces
    size_t free_size;
    bool has_outer;     ///< __firn.outer is there
    size_t outer_value; ///< as those of order
    size_t outer_size;
    bool has_order;     ///< __firn.order is there
    size_t order_value; ///< offset of its encoded value
    size_t order_size;
} fr_image_world;

typedef struct fr_image {
    const uint8_t *bytes;
    size_t size;
    firn_allocator allocator;
    firn_limits limits;
    firn_prelude prelude;
    size_t frames_at; ///< offset of the first frame
    size_t data_at;   ///< offset of the data section
    fr_entry *entries;
    uint32_t entry_capacity;
    const fr_entry **by_name; ///< the entries in the order of their names
    fr_frame *frames;
    uint32_t frame_count;
    uint32_t frame_capacity;
    fr_span *spans; ///< the columns of all frames
    uint32_t span_count;
    uint32_t span_capacity;
    fr_datum *data;
    uint32_t data_count;
    uint32_t data_capacity;
    bool ids_later; ///< the ids and the free list are checked by the caller
    uint8_t *slots; ///< a bit a slot: taken by an id or the free list; NULL with ids_later, or:
    bool few_slots; ///< the image is much smaller than those bits: taken_slots has them
    fr_map taken_slots;
    size_t slot_bytes;
    fr_image_world world;
} fr_image;

/// What the caller knows of a component: 1 its columns are raw, 0 they are encoded, -1 nothing.
typedef int (*fr_image_hint)(void *user, const char *name, size_t size);

/// Takes the image apart. `hint` may be NULL. Columns with a fingerprint are read as raw; where
/// that does not fit, or another reading fits the hints better, as encoded (docs/format.md, "Raw or
/// encoded"). Errors as in firn_image_check; *image is then freed.
/// With `ids_later` nothing looks at ids and free list, also not to tell readings apart: the caller
/// checks them, and where they are wrong opens the image again without it, for the reading and the
/// error that are right.
firn_result fr_image_open(fr_image *image, const void *bytes, size_t size,
                          const firn_limits *limits, const firn_allocator *allocator,
                          bool ids_later, fr_image_hint hint, void *user, firn_error *err);
/// The same for the public calls: without hints.
firn_result fr_image_open_options(fr_image *image, const void *bytes, size_t size,
                                  const firn_image_options *options, firn_error *err);
void fr_image_close(fr_image *image);
/// Finds out which columns are raw: walks the image until a reading checks.
firn_result fr_image_find_reading(fr_image *image, fr_image_hint hint, void *user, firn_error *err);

/// Whether the schemas of options are some. FIRN_INVALID, FIRN_LIMIT, FIRN_NO_MEMORY.
firn_result fr_schemas_check(const firn_image_options *options, firn_error *err);
/// Lets schemas that were checked decide how columns are read; those of components that the image
/// does not have are stepped over. They stay, as long as the image is open. *changed: one says
/// something else than the image. FIRN_INVALID: one component has two. FIRN_NO_MEMORY.
firn_result fr_image_give_schemas(fr_image *image, const firn_image_schema *schemas, uint32_t count,
                                  bool *changed, firn_error *err);
/// The walk failed with *err: lets it name the component whose schema does not fit, which is the
/// last one before the place.
void fr_image_blame_schema(const fr_image *image, firn_error *err);
/// The entry of a name, or NULL.
fr_entry *fr_image_entry(const fr_image *image, const char *name, size_t size);
/// The bytes of a name before its last arrow; all of it when it has none.
size_t fr_name_relation(const char *name, size_t size);
/// Whether it is one of `Relation->target`.
bool fr_name_has_arrow(const char *name, size_t size);

/// Decides by name and fingerprint whether the columns of an entry may be raw, and reads the
/// schema. A fingerprint that is not understood leaves a schema without fields; one without a size
/// makes the entry encoded. FIRN_LIMIT, FIRN_NO_MEMORY.
firn_result fr_entry_schema(fr_entry *entry, const firn_allocator *allocator,
                            const firn_limits *limits, firn_error *err);
/// Whether the rows of an entry are nothing but bytes.
static inline bool fr_entry_is_opaque(const fr_entry *entry)
{
    return entry->raw && entry->schema.field_count == 0;
}
/// Two fr_entry by name, for sorting; those of targets of one relation by the number.
int fr_compare_entries(const void *a, const void *b);

/// Sorts the table by name. FIRN_CORRUPT: a name stands there twice. FIRN_NO_MEMORY.
firn_result fr_image_sort_table(fr_image *image, firn_error *err);
/// Room for the slots that are taken, all of them free. FIRN_NO_MEMORY.
firn_result fr_image_make_slots(fr_image *image, firn_error *err);
/// One walk over frames and data with the entries' `raw` as they are. *reached: how far it came.
firn_result fr_image_walk(fr_image *image, size_t *reached, firn_error *err);
/// Reads the head of a frame of at most `rows_left` rows, whose columns become spans.
firn_result fr_image_walk_head(fr_image *image, fr_in *in, uint32_t rows_left, fr_frame *frame,
                               firn_error *err);
/// Walks the rows of a frame that lies row by row, from `in` on. Errors as fr_image_walk.
firn_result fr_image_walk_rows(fr_image *image, fr_in *in, const fr_frame *frame, firn_error *err);
/// Makes ids and columns of such a frame, which was walked. FIRN_NO_MEMORY.
firn_result fr_image_make_columns(fr_image *image, fr_frame *frame, firn_error *err);
/// Where the byte at `at` of a column stands in the image.
uint64_t fr_image_place(const fr_image *image, const fr_span *span, size_t at);
/// Checks a number that stands for an id, unless ids are checked later.
firn_result fr_image_check_id(fr_image *image, double number, uint64_t offset, firn_error *err);
/// Takes the slot of an id, which must be one that the image may have. FIRN_CORRUPT, about `what`;
/// FIRN_NO_MEMORY.
firn_result fr_image_check_slot(fr_image *image, uint64_t id, uint64_t offset, const char *what,
                                firn_error *err);
/// FIRN_CORRUPT for a bool byte of a raw row, which begins at `offset`.
firn_result fr_image_refuse_bool(const fr_entry *entry, uint32_t field, size_t row, uint64_t offset,
                                 firn_error *err);
/// Reads one entry of data behind its `true`, and adds it. *games counts the game's. A failure
/// leaves no entry.
firn_result fr_image_walk_datum(fr_image *image, fr_in *in, uint32_t *games, firn_error *err);
/// The data section, from `in` to the end of the image.
firn_result fr_image_walk_data(fr_image *image, fr_in *in, firn_error *err);

/// Whether an entry has this key.
bool fr_datum_is(const fr_datum *datum, const char *key);
/// Whether it is one that firn and its built-in parts write.
bool fr_datum_is_own(const fr_datum *datum);

/// The id of a row of a frame.
static inline firn_entity fr_frame_id(const fr_frame *frame, uint32_t row)
{
    return (firn_entity)fr_load_f64(frame->ids + (size_t)row * sizeof(double));
}

/// Whether a row of a column has a value.
static inline bool fr_span_has(const fr_span *span, uint32_t row)
{
    return span->presence == NULL || (span->presence[row / 64].bits >> (row % 64) & 1) != 0;
}

/// How many rows before `row` have a value: where a raw row lies among the others.
static inline size_t fr_span_place(const fr_span *span, uint32_t row)
{
    if (span->presence == NULL) {
        return row;
    }
    const fr_presence *presence = &span->presence[row / 64];
    size_t place = presence->before;
    for (uint64_t bits = presence->bits & ((UINT64_C(1) << row % 64) - 1); bits != 0;) {
        bits &= bits - 1;
        place++;
    }
    return place;
}

/// The tag of a value that was checked; it may be written longer than need be.
static inline uint32_t fr_value_tag(const uint8_t *at, const uint8_t *end)
{
    fr_in in = {at, at, end};
    uint32_t tag = 0;
    fr_in_count(&in, &tag);
    return tag;
}

/// Walks the free list: reads the ids of one piece after the other. *in begins at free_value.
typedef struct fr_free_walk {
    firn_reader reader;
    uint32_t pieces;
    const uint8_t *piece;
    size_t left;
    bool failed;
} fr_free_walk;
void fr_free_begin(fr_free_walk *walk, const fr_image *image);
/// The next id as it stands; false at the end, or with walk->failed at something that is no list of
/// ids.
bool fr_free_next(fr_free_walk *walk, uint64_t *id);

#endif
