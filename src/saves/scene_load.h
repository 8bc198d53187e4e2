/// scene_load.h: the scene that a load is in, brought to what the save knows of it.
#ifndef FR_SCENE_LOAD_H
#define FR_SCENE_LOAD_H

#include "saves/saves.h"
#include "store/rename.h"

/// Whether the scene that the game is in is that of a save, no entity that both have has another id
/// now than it had then, and none is gone that lived then and was not saved whole: such a one only
/// comes back with its scene. Ids do not matter of those that had ended then, and whose slots
/// others of the image have.
bool fr_scene_fits(const firn_saves *saves, const fr_scene *saved, const void *image, size_t size);

/// Writes scene_missing and scene_new of `loaded`, with its allocator: next and brought as below.
/// FIRN_NO_MEMORY.
firn_result fr_scene_compare(const firn_saves *saves, const fr_scene *saved, const fr_scene *next,
                             const fr_known *brought, firn_saves_loaded *loaded, firn_error *err);

/// Adds to `governed` who lives in the manager's scene and is gone in that of a save, but for those
/// that the save has by field: by their keys (by_field: their slots). FIRN_NO_MEMORY.
firn_result fr_scene_bury(const firn_saves *saves, const fr_scene *saved, const fr_map *by_field,
                          fr_picks *governed, firn_error *err);

/// A scene file may have given a key to another of its entities. Who has the key of an entity of
/// the image (`keyed`: `saved` lives, `entity` is its id there), and no place in the scene of the
/// save that another entity of the image has, is that entity; who is at its place then is not.
/// Adds the slots of both to `out`: their places say nothing. FIRN_NO_MEMORY; what is wrong with
/// the image.
firn_result fr_scene_displace(const firn_saves *saves, const fr_scene *saved, const void *image,
                              size_t size, const firn_merged *keyed, uint32_t count, fr_map *out,
                              firn_error *err);

/// Finds out which living entities of the manager's scene have another id in the save: they get
/// that. The caller frees `out`. FIRN_CORRUPT (a slot that the world of the image never used),
/// FIRN_NO_MEMORY.
firn_result fr_scene_want_ids(const firn_saves *saves, const fr_scene *saved, const void *image,
                              size_t size, fr_renames *out, firn_error *err);

/// Whether an entity has the id of its place in the scene of the save already, and no key says
/// otherwise.
bool fr_scene_is_at_place(const firn_saves *saves, const fr_scene *saved, const fr_map *displaced,
                          firn_entity entity);

/// The manager's scene as it is after a load, which is prepared: who ends is marked, `moved` get
/// other ids, `brought` are the entities of the image. Those that live are under the id that they
/// have then, all others, if the save has them, under that: a load that makes one anew knows it.
/// One that the scene file has no more, and the load makes, is of the scene again. FIRN_NO_MEMORY;
/// *out is then untouched.
firn_result fr_scene_make_next(const firn_saves *saves, const fr_scene *saved,
                               const fr_known *brought, const firn_merged *moved, uint32_t count,
                               fr_scene *out, firn_error *err);

#endif
