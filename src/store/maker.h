/// maker.h (private): which plugin's install made a state, a phase, a system, a class or a query,
/// so that a world that is built from another one has it once: copied, and then taken by that
/// install.
#ifndef FR_MAKER_H
#define FR_MAKER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct fr_maker {
    uint32_t installer; ///< the number of the plugin (firn_world.installer), or 0: the game
    bool vacant;        ///< a copy of another world's, until that plugin's install makes it here
} fr_maker;

/// Of the copy of what has this one.
static inline fr_maker fr_maker_copy(fr_maker from)
{
    return (fr_maker){.installer = from.installer, .vacant = from.installer != 0};
}

/// Whether it waits for the install that runs, which is `installer`.
static inline bool fr_maker_waits(fr_maker maker, uint32_t installer)
{
    return maker.vacant && maker.installer == installer;
}

#endif
