/// scene_load.h: the scene that a load is in, brought to what the save knows of it.
#ifndef FR_SCENE_LOAD_H
#define FR_SCENE_LOAD_H

#include "saves/saves.h"
#include "store/rename.h"

/// Whether the scene that the game is in is that of a save, no entity that both have has another id
/// now than it had then, and none is gone that lived then and was not saved whole: such a one only
/// comes back with its scene. Ids do not matter of those that had ended then, and whose slots others
/// of the image have.
bool fr_scene_fits(const firn_saves *saves, const fr_scene *saved, const void *image, size_t size);

/// Writes scene_missing and scene_new of `loaded`, with its allocator. FIRN_NO_MEMORY.
firn_result fr_scene_compare(const firn_saves *saves, const fr_scene *saved,
                             firn_saves_loaded *loaded, firn_error *err);

/// Adds to `governed` who lives in the manager's scene and is gone in that of a save.
/// FIRN_NO_MEMORY.
firn_result fr_scene_bury(const firn_saves *saves, const fr_scene *saved, fr_picks *governed,
                          firn_error *err);

/// Finds out which living entities of the manager's scene have another id in the save: they get
/// that. The caller frees `out`. FIRN_CORRUPT (a slot that the world of the image never used), FIRN_NO_MEMORY.
firn_result fr_scene_want_ids(const firn_saves *saves, const fr_scene *saved, const void *image,
                              size_t size, fr_renames *out, firn_error *err);

/// The manager's scene as it is after a load, which is prepared: who ends is marked, `moved` get
/// other ids. Those that live are under the id that they have then, all others, if the save has
/// them, under that: a load that makes one anew knows it. FIRN_NO_MEMORY; *out is then untouched.
firn_result fr_scene_make_next(const firn_saves *saves, const fr_scene *saved,
                               const firn_merged *moved, uint32_t count, fr_scene *out,
                               firn_error *err);

#endif
