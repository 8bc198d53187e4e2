/// rewrite.h: an image written again with other names (firn/rewrite.h). The names of an image, and
/// those of lists elsewhere, make groups: a component, or a relation with all its targets. The
/// edits change the groups; then the table, the frames and the data section are written from the
/// parts of the image. First every frame is made into pieces, in which no row lacks a column.
#ifndef FR_REWRITE_H
#define FR_REWRITE_H

#include "buffer/writer.h"
#include "firn/rewrite.h"
#include "snapshot/forms.h"
#include "snapshot/image.h"

#define FR_NO_GROUP UINT32_MAX
#define FR_NO_EDIT  UINT32_MAX

/// A field of raw rows that stays.
typedef struct fr_rewrite_field {
    uint32_t source; ///< in the schema of the image
    uint32_t name_size;
    char *name; ///< of its own
} fr_rewrite_field;

/// A component, or a relation.
typedef struct fr_rewrite_group {
    const char *name; ///< as the bytes have it
    uint32_t name_size;
    uint32_t now_size;
    const char *now; ///< what the edits so far made of it
    bool dropped;
    bool relation;     ///< its values are edges
    bool edits_fields; ///< some edit is about its fields
    bool has_fields;   ///< `fields` are those that stay; else all
    uint32_t raw;      ///< the entry that is raw, or UINT32_MAX
    uint64_t rows;     ///< that have it
    fr_rewrite_field *fields;
    uint32_t field_count, field_capacity;
    uint32_t first_edit, last_edit; ///< those about it, linked by fr_rewrite.edit_next
    uint32_t rank;                  ///< its place among the names that stay
} fr_rewrite_group;

/// Bytes of a row that move together.
typedef struct fr_rewrite_step {
    uint32_t from, to, size;
} fr_rewrite_step;

/// An entry of the component table, beside that of the image.
typedef struct fr_rewrite_entry {
    const fr_entry *saved;
    uint32_t group;
    uint32_t rank;  ///< of its name without the target
    uint32_t place; ///< in the table that is written, from 1; 0: dropped
    firn_entity target;
    bool last; ///< stands among tags and sparse relations
    bool sparse;
    bool nils_stay; ///< all its values are nil, which may be those of a tag
    const char *name;
    size_t name_at; ///< in fr_rewrite.texts
    uint32_t name_size;
    uint32_t base_size; ///< of it without the target
    const char *fingerprint;
    size_t fingerprint_at;
    uint32_t fingerprint_size;
    uint32_t row_size;      ///< of a raw row that is written
    fr_rewrite_step *steps; ///< of a raw row
    uint32_t step_count, step_capacity;
    uint32_t list_from, list_to, list_size; ///< of a list of names in a raw row; size 0: none
} fr_rewrite_entry;

/// A column of a piece.
typedef struct fr_rewrite_run {
    const fr_rewrite_entry *entry;
    const uint8_t *bytes;
    size_t size;
} fr_rewrite_run;

/// Rows of a frame that have the same columns of those that stay.
typedef struct fr_rewrite_piece {
    uint32_t number; ///< in the order of the image
    uint32_t rows;
    const uint8_t *ids;
    uint32_t first_run; ///< its columns, in fr_rewrite.runs
    uint32_t run_count;
    const fr_rewrite_run *runs;     ///< in the order in which they are written
    const fr_rewrite_entry **names; ///< in the order of their names
    bool by_row;
    bool first; ///< of the frame that is written
} fr_rewrite_piece;

/// A block that holds what was taken out of a frame.
typedef struct fr_rewrite_block {
    uint8_t *bytes;
    size_t size;
} fr_rewrite_block;

typedef struct fr_rewrite {
    firn_allocator allocator;
    firn_limits limits;
    const firn_image_schema *schemas;
    uint32_t schema_count;
    const firn_edit *edits;
    uint32_t edit_count;
    bool strict;
    firn_edit_effect *effects;
    uint32_t *edit_next; ///< per edit: the next about the same group
    bool opened;         ///< there is an image
    fr_image image;
    fr_rewrite_group *groups;
    uint32_t group_count, group_capacity;
    fr_map group_of; ///< hash of a name as the bytes have it -> group
    fr_rewrite_entry *entries;
    const fr_rewrite_entry **table; ///< those that stay, in their order
    uint32_t table_count;
    firn_buffer texts; ///< names and fingerprints; never moves
    fr_rewrite_piece *pieces;
    uint32_t piece_count, piece_capacity;
    const fr_rewrite_piece **sorted; ///< as they are written
    fr_rewrite_run *runs;
    const fr_rewrite_entry **names; ///< as many
    uint32_t run_count, run_capacity, name_capacity;
    fr_rewrite_block *blocks;
    uint32_t block_count, block_capacity;
    uint32_t frame_count;
    firn_doc *doc; ///< of the value at hand
    fr_out out;
} fr_rewrite;

/// Takes options and edits. Whatever comes, fr_rewrite_end follows. FIRN_INVALID, FIRN_LIMIT (a
/// name), FIRN_NO_MEMORY.
firn_result fr_rewrite_begin(fr_rewrite *rewrite, const firn_rewrite_options *options,
                             firn_error *err);
void fr_rewrite_end(fr_rewrite *rewrite);
/// Opens the image, which stays until the end. As firn_image_check.
firn_result fr_rewrite_open(fr_rewrite *rewrite, const void *bytes, size_t size, firn_error *err);
/// Notes the names in the rows of a component whose field lists some. FIRN_NO_MEMORY.
firn_result fr_rewrite_lists(fr_rewrite *rewrite, const char *component, const char *field,
                             firn_error *err);
/// Notes a name of a list: `Light`, or `Body.velocity`. FIRN_NO_MEMORY.
firn_result fr_rewrite_note(fr_rewrite *rewrite, const char *name, size_t size, firn_error *err);
/// Applies the edits to all names that were noted. FIRN_INVALID, FIRN_EXISTS, FIRN_LIMIT,
/// FIRN_NO_MEMORY.
firn_result fr_rewrite_plan(fr_rewrite *rewrite, firn_error *err);
/// Appends the image. FIRN_EXISTS, FIRN_CORRUPT, FIRN_LIMIT, FIRN_NO_MEMORY.
firn_result fr_rewrite_write(fr_rewrite *rewrite, firn_buffer *out, firn_error *err);
/// After the last part: FIRN_NOT_FOUND when the rewrite is strict and an edit found nothing.
/// effects may be NULL.
firn_result fr_rewrite_finish(const fr_rewrite *rewrite, firn_edit_effect *effects,
                              firn_error *err);

// ---- names

/// The group of a name as the bytes have it, or FR_NO_GROUP.
uint32_t fr_rewrite_group_find(const fr_rewrite *rewrite, const char *name, size_t size);
/// The same, made when it is not there. FR_NO_GROUP: no memory.
uint32_t fr_rewrite_group_make(fr_rewrite *rewrite, const char *name, size_t size);
/// A name of a list, which was noted, as it is now, in `out`, which is emptied first and stays
/// empty when the name goes. *group: whose it is. FIRN_NO_MEMORY.
firn_result fr_rewrite_name(fr_rewrite *rewrite, const char *name, size_t size, firn_buffer *out,
                            uint32_t *group, firn_error *err);
/// The names of a list, blanks between them, as they are now, in `out`, which is emptied first.
firn_result fr_rewrite_list(fr_rewrite *rewrite, const char *text, size_t size, firn_buffer *out,
                            firn_error *err);
/// Whether a field is this one or lies in it: `home`, `home.x`, `path[2].x`.
bool fr_rewrite_lies_in(const char *name, size_t size, const char *field, size_t field_size);

// ---- values

/// Applies the edits of fields to a value in `doc`. FIRN_EXISTS, FIRN_LIMIT, FIRN_NO_MEMORY.
firn_result fr_rewrite_value(fr_rewrite *rewrite, uint32_t group, firn_doc *doc, firn_value *value,
                             bool *changed, firn_error *err);

// ---- parts

/// What the entries of the image are, and their groups.
firn_result fr_rewrite_describe(fr_rewrite *rewrite, firn_error *err);
void fr_rewrite_forget_table(fr_rewrite *rewrite);
void fr_rewrite_forget_names(fr_rewrite *rewrite);
void fr_rewrite_forget_pieces(fr_rewrite *rewrite);

/// Names, schemas and places of the entries, after the edits.
firn_result fr_rewrite_table(fr_rewrite *rewrite, firn_error *err);
/// Makes the frames into pieces, sorts them, and counts the frames that they make.
firn_result fr_rewrite_pieces(fr_rewrite *rewrite, firn_error *err);
firn_result fr_rewrite_frames(fr_rewrite *rewrite, firn_error *err);
firn_result fr_rewrite_data(fr_rewrite *rewrite, firn_error *err);
/// The entries FR_KEY_ORDER and FR_KEY_OUTER, where there are any.
firn_result fr_rewrite_order(fr_rewrite *rewrite, firn_error *err);
/// Appends rows of a raw column, or one encoded value, to what is written.
firn_result fr_rewrite_put_rows(fr_rewrite *rewrite, const fr_rewrite_entry *entry,
                                const uint8_t *rows, size_t count, firn_error *err);
firn_result fr_rewrite_put_value(fr_rewrite *rewrite, const fr_rewrite_entry *entry,
                                 const uint8_t *bytes, size_t size, firn_error *err);

#endif
