/// scene.h (private): the scene that the game is in, as it told it: which entity the scene file
/// calls what. The same structure holds what a save says about its own.
#ifndef FR_SCENE_H
#define FR_SCENE_H

#include "firn/saves.h"
#include "saves/known.h"
#include "saves/persist.h"
#include "snapshot/picks.h"

/// Ids in scene files end here: they are numbers in saves.
#define FR_LOCAL_END (UINT64_C(1) << 53)

/// Entities side by side: local, local + 1, ... are first, first + 1, ..., of one generation.
typedef struct fr_scene_run {
    uint64_t local;
    firn_entity first;
    uint32_t count;
} fr_scene_run;

/// One entity of a scene.
typedef struct fr_scene_item {
    uint64_t local;
    firn_entity entity;
    bool partial; ///< it was not saved whole when it was last seen
} fr_scene_item;

typedef struct fr_scene {
    char *name;         ///< NULL: no scene was told
    fr_scene_run *runs; ///< in the order of locals
    fr_scene_run *by_id;
    uint32_t run_count;
    uint32_t run_room;
    uint32_t by_id_room;
    /// Those that had `persist` when they were last seen, in the order of locals. The dead among
    /// them are the tombstones. Of a save: those alone.
    fr_scene_item *seen;
    uint32_t seen_count;
    uint32_t seen_room;
    bool looked;    ///< all of them were looked at once
    fr_known known; ///< with a name or without
} fr_scene;

void fr_scene_free(const firn_allocator *allocator, fr_scene *scene);
/// A scene of these entities; the items are put in order. FIRN_INVALID (err->subject `locals`: two
/// of one local; `entities`: one twice), FIRN_NO_MEMORY; *out is then untouched.
firn_result fr_scene_make(const firn_allocator *allocator, const char *name, size_t name_size,
                          fr_scene_item *items, uint32_t count, fr_scene *out, firn_error *err);
/// Another scene takes the place of one, which is freed but for who is known.
void fr_scene_replace(const firn_allocator *allocator, fr_scene *scene, const fr_scene *next);
/// A copy that knows nobody. False: no memory; *out is then untouched.
bool fr_scene_copy(const firn_allocator *allocator, const fr_scene *scene, fr_scene *out);
/// One with who is known. False: no memory; *out is then untouched.
bool fr_scene_keep(const firn_allocator *allocator, const fr_scene *scene, fr_scene *out);

/// Fills by_id of a scene that has its runs. FIRN_INVALID: an entity is in it twice;
/// FIRN_NO_MEMORY.
firn_result fr_scene_order(const firn_allocator *allocator, fr_scene *scene, firn_error *err);

/// The entity that has a local id, dead or alive; 0: none has. And back.
firn_entity fr_scene_entity(const fr_scene *scene, uint64_t local);
uint64_t fr_scene_local(const fr_scene *scene, firn_entity entity);

/// One more that was seen; there is room for it.
void fr_scene_add_seen(fr_scene *scene, fr_scene_item item);
/// Whether the one with a local id is among those seen.
bool fr_scene_has_seen(const fr_scene *scene, uint64_t local);
/// Looks for `persist` in all of them, if that was not done before. FIRN_NO_MEMORY.
firn_result fr_scene_look(const firn_allocator *allocator, fr_scene *scene, const firn_world *world,
                          firn_error *err);
/// The entities with `persist` are these now, and were looked for before: those that are dead stay
/// seen. FIRN_NO_MEMORY.
firn_result fr_scene_see(const firn_allocator *allocator, fr_scene *scene, const firn_world *world,
                         const fr_root *roots, uint32_t count, firn_error *err);

/// Those of another list, in the order of locals, are seen, too: who is in both is as before.
/// False: no memory.
bool fr_scene_see_more(const firn_allocator *allocator, fr_scene *scene, const fr_scene_item *items,
                       uint32_t count);

/// What two scenes have in common, or one of them alone, run by run.
typedef struct fr_scene_part {
    uint64_t local;
    firn_entity a; ///< the first one; 0: not in the first scene
    firn_entity b;
    uint32_t count;
} fr_scene_part;

/// Walks two scenes by local: a walk begins zeroed. False: the end.
typedef struct fr_scene_walk {
    uint32_t run[2];
    uint32_t offset[2];
} fr_scene_walk;
bool fr_scene_next(fr_scene_walk *walk, const fr_scene *a, const fr_scene *b, fr_scene_part *out);

// ---------------------------------------------------------------- scene_file.c

/// Writes the keys `gone` and `ids` with their values, of a scene that has a name.
void fr_scene_write_ids(const fr_scene *scene, const firn_world *world, firn_writer *to);
/// Reads the scene of a section FIRN_SECTION_PERSIST; its name is NULL where the save has none.
/// FIRN_VERSION (of the section), FIRN_CORRUPT, FIRN_LIMIT, FIRN_NO_MEMORY; *out is then untouched.
firn_result fr_scene_read(const firn_allocator *allocator, const firn_limits *limits,
                          const void *bytes, size_t size, fr_scene *out, firn_error *err);

#endif
