/// selection.h: what a save of a world holds: its frames in the decided order and their component
/// table. Nothing is copied; valid while the world's structure does not change.
#ifndef FR_SELECTION_H
#define FR_SELECTION_H

#include "store/world.h"

/// Neighbouring archetypes with the same durable components: one frame.
typedef struct fr_selected_frame {
    uint32_t first; ///< in fr_selection.archetypes
    uint32_t count;
    uint32_t rows;
    uint32_t column_count;
} fr_selected_frame;

typedef struct fr_selection {
    fr_archetype **archetypes; ///< those that have rows, in the decided order
    uint32_t archetype_count;
    fr_selected_frame *frames;
    uint32_t frame_count;
    fr_component **components; ///< the durable ones in use, and required by those; by name
    uint32_t component_count;
    uint32_t *places; ///< per component index: 1-based place in `components`, or 0
    uint32_t room;    ///< items allocated for archetypes and frames
    uint32_t component_room;
    uint32_t entity_count;
} fr_selection;

/// FIRN_NO_MEMORY.
firn_result fr_select(const firn_world *world, fr_selection *out, firn_error *err);
void fr_selection_free(const firn_world *world, fr_selection *selection);

/// Column i of a frame, data columns first and then tags, each in the order of their names.
fr_component *fr_frame_component(const fr_selection *selection, const fr_selected_frame *frame,
                                 uint32_t i);

#endif
