/// persist_load.h: what a persisted save holds, and its way back.
#ifndef FR_PERSIST_LOAD_H
#define FR_PERSIST_LOAD_H

#include "saves/persist_parts.h"
#include "saves/saves.h"

/// The entities that have `persist`.
typedef struct fr_persisted {
    fr_root *roots; ///< all of them
    uint32_t count;
    uint32_t capacity;
    fr_map keys; ///< hash of the id of its own, if it has one -> place in roots
} fr_persisted;

/// The first one that has an id of its own; 0: none has.
firn_entity fr_persisted_find(const fr_persisted *persisted, const char *id, size_t size);
/// Who is now what a save calls by a key; 0: nobody. A key that is an id is that of the save, whose
/// scene, if it has one, is that of the manager; its name NULL: it has none.
firn_entity fr_persisted_of_key(const firn_saves *saves, const fr_scene *saved,
                                const fr_persisted *now, const char *key, size_t size);

/// Changes what is picked, and rows of roots, before anything is written.
typedef firn_result (*fr_persist_also_fn)(void *user, fr_persisted *persisted, fr_picks *picks,
                                          firn_error *err);

/// What a save of what persists is written from and to.
typedef struct fr_persist_output {
    firn_saves *saves;
    firn_buffer *section;    ///< for FIRN_SECTION_PERSIST
    fr_persist_also_fn also; ///< NULL, or
    void *also_user;         ///< handed to it
} fr_persist_output;

/// An fr_pick_fn whose user is an fr_persist_output: picks what is saved whole, sees who of the
/// scene persists, and writes the section. FIRN_INVALID (firn_persist_check; a spawned one that is
/// not saved whole), FIRN_EXISTS (err->subject: a key that two entities have; err->entity: the
/// second).
firn_result fr_persist_pick(void *output, firn_world *world, fr_picks *picks, firn_error *err);

/// A persisted save on its way in.
typedef struct fr_persist_input {
    const void *image;
    size_t image_size;
    const void *section; ///< FIRN_SECTION_PERSIST
    size_t section_size;
    const fr_scene *scene; ///< of the section; its name NULL: it has none
} fr_persist_input;

/// firn_snapshot_load of such a save into the manager's world: only what persists is replaced. The
/// scene of the save, if it has one, is that of the manager. Writes what *loaded says of a
/// persisted save. Fails as fr_snapshot_load_beside and fr_parts_read, and with FIRN_CORRUPT: a
/// slot of the scene that the world of the image never used.
firn_result fr_persist_restore(firn_saves *saves, const fr_persist_input *input,
                               const firn_load_options *options, firn_saves_loaded *loaded,
                               firn_error *err);

#endif
