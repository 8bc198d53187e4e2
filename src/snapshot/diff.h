/// diff.h: two open images side by side: which components of one are those of the other, which rows
/// hold the same entity, which of those are not the same bytes, and what about them differs.
///
/// diff_names.c gives the components of both one numbering. diff_rows.c pairs rows by id, in runs,
/// and lists the entities whose bytes differ. diff_entity.c tells of each of those what differs,
/// with diff_value.c for trees; diff_cell.c finds
/// the bytes. diff_whole.c has what belongs to no entity.
#ifndef FR_DIFF_H
#define FR_DIFF_H

#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "firn/diff.h"
#include "snapshot/image.h"
#include "value/path.h"

#define FR_NO_ROW UINT32_MAX
/// Rows between two marks of a column of encoded values.
#define FR_MARK_ROWS 64

enum { FR_LEFT, FR_RIGHT };

/// Where a column of encoded values was read last, and every 64th row as far as it was.
typedef struct fr_diff_cursor {
    size_t *marks;
    uint32_t mark_count;
    uint32_t row;
    size_t at; ///< where that row begins
} fr_diff_cursor;

/// One image. Rows are numbered through all frames.
typedef struct fr_diff_image {
    const fr_image *image;
    uint32_t *names;         ///< per entry: its number among the names of both
    uint32_t *first_rows;    ///< per frame: the number of its first row
    uint32_t *columns;       ///< per frame: its spans, by those numbers
    fr_diff_cursor *cursors; ///< per span
    uint32_t key;            ///< the names of Key, Name and persist, or FR_NO_COLUMN
    uint32_t title;
    uint32_t persist;
} fr_diff_image;

/// A component of one image or both.
typedef struct fr_diff_name {
    const fr_entry *entries[2]; ///< NULL where an image lacks it
    bool selected;              ///< is to be compared
    bool same_rows;             ///< its bytes mean the same in both
} fr_diff_name;

/// An entity that differs, or may. One row is FR_NO_ROW when that image lacks it.
typedef struct fr_diff_entity {
    firn_entity id;
    uint32_t rows[2];
} fr_diff_entity;

/// A component of two archetypes; FR_NO_COLUMN where one lacks it.
typedef struct fr_diff_pair {
    uint32_t name;
    uint32_t spans[2];
} fr_diff_pair;

/// A row in a column: a raw row, or one encoded value.
typedef struct fr_diff_cell {
    const uint8_t *bytes;
    size_t size; ///< 0: the entity lacks the component
} fr_diff_cell;

typedef struct fr_diff {
    firn_allocator allocator;
    firn_diff_options options; ///< resolved
    firn_limits limits;        ///< for values that were checked
    fr_diff_image images[2];
    fr_diff_name *names; ///< in the order of names
    uint32_t name_count;
    size_t name_room;

    fr_diff_pair *pairs; ///< of the archetypes at hand
    uint32_t pair_count;
    size_t pair_room;
    uint32_t paired[2]; ///< those archetypes

    fr_diff_entity *entities;
    uint32_t entity_count;
    uint32_t entity_capacity;
    const fr_diff_entity **sorted; ///< all of them, by id; NULL: not yet
    uint32_t *slots; ///< per slot of the right image: the number of its row + 1; NULL: not made yet
    uint64_t *met;   ///< a bit a row of the right image: the left one has that entity
    uint64_t *dirty; ///< a bit a row of the run at hand: its bytes differ
    size_t slot_room; ///< items of those three
    size_t met_room;
    size_t dirty_room;

    const firn_merged *renamed; ///< ids of the left image that are others on the right
    fr_map renamed_left;        ///< id on the left -> place in it
    fr_map renamed_right;       ///< the same of ids on the right
    firn_doc *doc;              ///< both values of a difference
    firn_buffer scratch;
    firn_difference at; ///< what is to be told of the place at hand
    fr_path path;
    char path_text[1024];
    char component[256];
    char key[256];
    char title[256];
    bool lenient; ///< integers and numbers of equal value are the same
    bool flat;    ///< tables have fields of a struct, under their dotted names
    firn_difference_fn each;
    void *user;
    firn_diff_summary summary;
} fr_diff;

/// Numbers the components of both, and lists the columns of each frame by them. FIRN_NO_MEMORY.
firn_result fr_diff_names_make(fr_diff *diff, firn_error *err);
void fr_diff_names_free(fr_diff *diff);
/// The number of a component that an image has by a name; FR_NO_COLUMN when it has none.
uint32_t fr_diff_name_find(const fr_diff_image *side, const char *name);
/// Whether nothing is left out.
static inline bool fr_diff_is_whole(const fr_diff *diff)
{
    return diff->options.components == NULL && !diff->options.entities_only;
}

/// Lists the entities that differ, or may, by id; tells of archetypes in another order.
firn_result fr_diff_rows(fr_diff *diff, firn_error *err);
void fr_diff_rows_free(fr_diff *diff);
/// Makes `pairs` those of two frames. FIRN_NO_MEMORY.
firn_result fr_diff_pair_frames(fr_diff *diff, uint32_t left, uint32_t right, firn_error *err);
/// Finds the row of a span. false: no memory.
bool fr_diff_find_cell(fr_diff *diff, int side, uint32_t span, uint32_t row, fr_diff_cell *out);
static inline bool fr_diff_same_bytes(const fr_diff_cell *a, const fr_diff_cell *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0);
}
/// The frame that holds the row of a number.
uint32_t fr_diff_frame_of(const fr_diff_image *side, uint32_t row);

/// Tells what differs in the entities that fr_diff_rows has listed.
firn_result fr_diff_entities(fr_diff *diff, firn_error *err);
/// Tells of header, schemas and the order of sources; of data.
firn_result fr_diff_front(fr_diff *diff, firn_error *err);
firn_result fr_diff_data(fr_diff *diff, firn_error *err);

/// `err` is never NULL here.
/// Begins to tell of something: `at` is a difference of this kind in a component, without a path.
void fr_diff_begin(fr_diff *diff, firn_difference_kind kind, const char *component, size_t size);
/// Goes on with another component of the same entity.
void fr_diff_name_component(fr_diff *diff, const char *component, size_t size);
/// Whether a difference that is told now is handed out, not only counted.
static inline bool fr_diff_is_heard(const fr_diff *diff)
{
    return diff->each != NULL &&
           (diff->options.limit == 0 || diff->summary.listed < diff->options.limit);
}
/// Tells of the difference at hand. A value of NULL: that side has none.
firn_result fr_diff_tell(fr_diff *diff, const firn_value *left, const firn_value *right,
                         firn_error *err);
/// The same of what one side has; without a value also when nobody hears it.
firn_result fr_diff_tell_only(fr_diff *diff, int side, const firn_value *value, firn_error *err);
/// The same of what both have, without values.
firn_result fr_diff_tell_both(fr_diff *diff, firn_error *err);
/// Tells of every difference of two trees, the paths added to that at hand. One of them may be
/// NULL.
firn_result fr_diff_values(fr_diff *diff, const firn_value *left, const firn_value *right,
                           firn_error *err);
/// firn_diff, where the entity `saved` of the left side is `entity` on the right, 0: nobody there,
/// though one may have its id; none is there twice. Ids in rows are compared as they are.
firn_result fr_diff_renamed(const firn_diff_side *left, const firn_diff_side *right,
                            const firn_diff_options *options, const firn_merged *renamed,
                            uint32_t renamed_count, firn_difference_fn each, void *user,
                            firn_diff_summary *summary, firn_error *err);
/// Tells of every difference of two trees without images, as *like says: its kind, entity, key,
/// name and component. flat: the trees are structs. Adds to *summary.
firn_result fr_diff_trees(const firn_difference *like, bool flat, const firn_value *left,
                          const firn_value *right, const firn_diff_options *options,
                          firn_difference_fn each, void *user, firn_diff_summary *summary,
                          firn_error *err);
/// Whether numbers are the same to the options.
bool fr_diff_same_number(const fr_diff *diff, double left, double right);

#endif
