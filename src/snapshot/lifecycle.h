/// lifecycle.h: what a game adds to a save and a load: handlers, custom data, observers of the
/// three events of snapshots. In the order in which they run: docs/plugins.md.
#ifndef FR_LIFECYCLE_H
#define FR_LIFECYCLE_H

#include "firn/snapshot.h"
#include "plugin/registry.h"
#include "snapshot/append.h"
#include "snapshot/filter.h"
#include "snapshot/image.h"

// ---- save

/// An entry that firn_saving_add_data or firn_saving_add_encoded added.
typedef struct fr_added {
    char *key;
    uint32_t key_size;
    size_t at; ///< in firn_saving.bytes, canonical
    size_t size;
} fr_added;

/// What one save holds beside entities.
struct firn_saving {
    firn_world *world;
    fr_filter filter;
    const firn_data **sorted; ///< custom data of the options, by key
    uint32_t sorted_count;
    fr_added *added; ///< in the order of the calls
    uint32_t added_count;
    uint32_t added_capacity;
    firn_buffer bytes;  ///< of what was added
    fr_map taken;       ///< hash of key -> place in sorted, then in added
    uint32_t key_count; ///< of the game's entries so far, handlers included
    bool open;          ///< OnSnapshotSave is being published
    fr_append append;
};

/// Checks the selection and the custom data of the options and tells the observers of
/// OnSnapshotSave, who may add to it. FIRN_INVALID, FIRN_LIMIT, FIRN_NO_MEMORY, what an observer
/// returned. To be freed either way.
firn_result fr_saving_begin(firn_saving *saving, firn_world *world,
                            const firn_save_options *options, firn_error *err);
/// FIRN_INVALID, FIRN_LIMIT: no key that a game may use.
firn_result fr_saving_check_key(const firn_world *world, const char *key, size_t *size,
                                firn_error *err);
/// Whether there is custom data for `key`.
bool fr_saving_has_key(const firn_saving *saving, const char *key, size_t size);
/// One more entry for `key`, which is not the world's own: FIRN_INVALID when there is one already,
/// FIRN_LIMIT.
firn_result fr_saving_take_key(firn_saving *saving, const char *key, size_t size, firn_error *err);
void fr_saving_free(firn_saving *saving);

/// The value that a handler saves, in *out, which is cleared first and left empty for none.
firn_result fr_handler_save(firn_world *world, const fr_handler *handler, firn_buffer *out,
                            firn_error *err);

// ---- load

/// A function that waits for the entries of a key.
typedef struct fr_listener {
    char *key;
    firn_data_fn listen;
    void *user;
} fr_listener;

/// What one load hands to the game.
struct firn_loading {
    firn_world *world;
    const fr_image *image;
    const firn_load_options *options;
    const fr_handler *handlers; ///< the world's, which nobody changes meanwhile
    uint32_t handler_count;
    void **prepared;        ///< per handler, what its check made
    fr_listener *listeners; ///< in the order of their registration
    uint32_t listener_count;
    uint32_t listener_capacity;
    const firn_entity *brought; ///< entities that firn_world.watch is to be told of
    uint32_t brought_count;
    struct fr_kept *kept; ///< NULL, or what becomes the world's entries that nobody took
    char *key;            ///< room for the longest key
    size_t key_room;
    bool open;           ///< StartSnapshotLoad is being published
    firn_result failure; ///< the first one after the commit
    firn_error why;
};

/// Makes everything that the callbacks need and lets the handlers check their entries, with the
/// world locked. On failure those that had accepted are asked to discard. To be freed either way.
firn_result fr_loading_begin(firn_loading *loading, firn_world *world, const fr_image *image,
                             const firn_load_options *options, firn_error *err);
/// The world is the new one: the handlers commit, and what is kept is there.
void fr_loading_commit(firn_loading *loading);
/// Nothing is going to be loaded, though the handlers had accepted: they are asked to discard.
void fr_loading_discard(firn_loading *loading);
/// StartSnapshotLoad, loads, entities that are watched, data, finishes, FinishSnapshotLoad, and
/// what they left to apply. All run; the first failure is returned.
firn_result fr_loading_deliver(firn_loading *loading, const firn_prelude *prelude, firn_error *err);
void fr_loading_free(firn_loading *loading);
/// All that a merge tells: firn_world.watch, of these entities. All are told; the first failure.
firn_result fr_merged_restore(firn_world *world, const firn_entity *brought, uint32_t count,
                              firn_error *err);

// ---- its steps, for entries that are no image's

/// The checks of `handlers`, all or nothing: those that had accepted are asked to discard.
firn_result fr_handlers_check(firn_loading *loading, firn_error *err);
void fr_handlers_commit(firn_loading *loading);
/// Their loads, and what those left to apply. All run; the first failure is returned.
firn_result fr_handlers_load(firn_loading *loading, firn_error *err);

#endif
