/// store_renames.h: renames done to a world by themselves, and its free list brought along.
#ifndef TEST_STORE_RENAMES_H
#define TEST_STORE_RENAMES_H

#include "store/rename.h"

/// All or nothing. Slots that nobody has any more are free, on top, the first `from` below the
/// others; slots between the last ones in use and a new one above are free as well, at the bottom.
firn_result renames_run(firn_world *world, fr_renames *renames, firn_error *err);

#endif
