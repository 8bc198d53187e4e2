/// selection.h: what a save of a world holds: its frames in the decided order and their component
/// table. Nothing is copied; valid while the world's structure does not change.
#ifndef FR_SELECTION_H
#define FR_SELECTION_H

#include "snapshot/filter.h"

/// Neighbouring rows of an archetype.
typedef struct fr_saved_rows {
    fr_archetype *archetype;
    uint32_t first;
    uint32_t count;
    const firn_entity *entities; ///< `count`
} fr_saved_rows;

/// Neighbouring runs of rows with the same saved components: one frame.
typedef struct fr_selected_frame {
    uint32_t first; ///< in fr_selection.runs
    uint32_t count;
    uint32_t rows;
    uint32_t first_column; ///< in fr_selection.columns: data first and then tags, each by name
    uint32_t column_count;
} fr_selected_frame;

typedef struct fr_selection {
    fr_saved_rows *runs; ///< in the decided order
    uint32_t run_count;
    uint32_t run_capacity;
    fr_selected_frame *frames;
    uint32_t frame_count;
    uint32_t frame_capacity;
    fr_component **columns; ///< of all frames
    uint32_t column_count;
    uint32_t column_capacity;
    fr_component **components; ///< the saved ones in use, and required by those; by name
    uint32_t component_count;
    uint32_t component_room;
    uint32_t *places; ///< per component index: 1-based place in `components`, or 0
    uint32_t entity_count;
    bool reduced;  ///< components are left out
    uint8_t *kept; ///< a bit a slot, set where its entity is saved; NULL: all entities are
    size_t kept_bytes;
} fr_selection;

/// filter NULL: all of the world. FIRN_NO_MEMORY, FIRN_INVALID (fr_filter_find_layer).
firn_result fr_select(const firn_world *world, fr_filter *filter, fr_selection *out,
                      firn_error *err);
void fr_selection_free(const firn_world *world, fr_selection *selection);

/// Whether the entity of a living slot is left out.
static inline bool fr_is_left_out(const fr_selection *selection, uint32_t slot)
{
    return selection->kept != NULL && (selection->kept[slot / 8] >> (slot % 8) & 1) == 0;
}

#endif
