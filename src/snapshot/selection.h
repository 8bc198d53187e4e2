/// selection.h: what a save of a world holds: its frames in the decided order and their component
/// table. Nothing is copied; valid while the world's structure does not change.
#ifndef FR_SELECTION_H
#define FR_SELECTION_H

#include "snapshot/filter.h"
#include "snapshot/picks.h"

/// A name of 255 bytes, an arrow, 16 digits and a 0.
#define FR_SAVED_NAME_BYTES 288

/// Neighbouring rows of an archetype.
typedef struct fr_saved_rows {
    fr_archetype *archetype;
    uint32_t first;
    uint32_t count;
    const firn_entity *entities; ///< `count`
} fr_saved_rows;

/// An entry of the component table: a component, or a target of a dense relation.
typedef struct fr_saved_name {
    fr_component *component;
    firn_entity target; ///< of a dense relation; else 0
    uint32_t place;     ///< in the table, 1-based
} fr_saved_name;

/// Neighbouring runs of rows with the same saved components: one frame.
typedef struct fr_selected_frame {
    uint32_t first; ///< in fr_selection.runs
    uint32_t count;
    uint32_t rows;
    uint32_t first_column; ///< in fr_selection.columns: data first and then tags and sparse
                           ///< relations, each by name
    uint32_t column_count;
    size_t row_bytes; ///< that a row has at least
    bool by_row;      ///< holds a sparse relation: written row by row
} fr_selected_frame;

typedef struct fr_selection {
    fr_saved_rows *runs; ///< in the decided order
    uint32_t run_count;
    uint32_t run_capacity;
    fr_selected_frame *frames;
    uint32_t frame_count;
    uint32_t frame_capacity;
    uint32_t *columns; ///< of all frames: places in `names`
    uint32_t column_count;
    uint32_t column_capacity;
    fr_saved_name *names; ///< those in use, and required by those
    uint32_t name_count;
    uint32_t name_capacity;
    const fr_saved_name **table; ///< the same in the order of names and targets
    uint32_t table_capacity;
    uint32_t *places; ///< per component index: 1-based place in `names`, or 0
    uint32_t place_capacity;
    fr_map targets; ///< term of a dense relation -> its place in `names`
    uint32_t entity_count;
    uint8_t *kept; ///< a bit a slot, set where its entity is saved; NULL: all entities are
    size_t kept_bytes;
    const fr_picks *picks; ///< NULL, or the only entities that may be saved
} fr_selection;

/// In the memory that *out has, which is zeroed or was selected before; it is to be freed either
/// way. filter NULL: all of the world. picks NULL: whatever the filter takes; they stay as long as
/// the selection. FIRN_NO_MEMORY, FIRN_INVALID (fr_filter_find_layer).
firn_result fr_select(const firn_world *world, fr_filter *filter, const fr_picks *picks,
                      fr_selection *out, firn_error *err);
void fr_selection_free(const firn_world *world, fr_selection *selection);
/// The memory that it has.
size_t fr_selection_bytes(const fr_selection *selection);

/// A column of a frame.
static inline const fr_saved_name *fr_selected_column(const fr_selection *selection,
                                                      const fr_selected_frame *frame, uint32_t i)
{
    return &selection->names[selection->columns[frame->first_column + i]];
}

/// Whether an entity that is saved has the component.
bool fr_selection_has(const fr_selection *selection, const fr_component *component);
/// Two fr_saved_name in the order of the table: by name, then by target.
int fr_compare_saved_names(const void *a, const void *b);
/// What a save calls it; valid as long as `out` and the component.
const char *fr_saved_name_text(const fr_saved_name *name, char out[FR_SAVED_NAME_BYTES],
                               size_t *size);

/// Whether the entity of a living slot is not in the save.
static inline bool fr_is_unsaved(const fr_selection *selection, uint32_t slot)
{
    if (selection->picks != NULL) {
        return !fr_picks_have(selection->picks, slot);
    }
    return selection->kept != NULL && (selection->kept[slot / 8] >> (slot % 8) & 1) == 0;
}

/// A number below fr_selection_numbers for the entity of a slot that is saved.
static inline uint32_t fr_selection_number(const fr_selection *selection, uint32_t slot)
{
    return selection->picks != NULL ? fr_map_get(&selection->picks->numbers, slot) : slot;
}
static inline uint32_t fr_selection_numbers(const fr_selection *selection, const firn_world *world)
{
    return selection->picks != NULL ? selection->picks->count : world->index.next_slot;
}

/// Whether the entity of a living slot is left out, and comes back as a dead one.
static inline bool fr_is_left_out(const fr_selection *selection, uint32_t slot)
{
    return selection->kept != NULL && (selection->kept[slot / 8] >> (slot % 8) & 1) == 0;
}

#endif
