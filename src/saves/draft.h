/// draft.h: a save on its way to a file. It is collected in the thread of the game; once its
/// snapshot is captured it may be written on any thread.
#ifndef FR_DRAFT_H
#define FR_DRAFT_H

#include "saves/file.h"
#include "saves/persist_load.h"
#include "saves/saves.h"

/// Sections that every save has: snapshot, custom, variables.
#define FR_DRAFT_SECTIONS 3

/// What a save holds. Its meta and the bytes of the game's own sections are those of the options,
/// which stay until it is freed.
typedef struct fr_draft {
    firn_saves *saves;
    firn_save_header header;
    firn_doc *doc;         ///< where hooks give fields, or NULL
    firn_buffer level;     ///< of the header, with a zero
    firn_buffer custom;    ///< encoded
    firn_buffer variables; ///< encoded
    bool captured;         ///< the snapshot is in `snapshot`; else it is taken while the file is
                           ///< written
    firn_buffer snapshot;
    firn_buffer persist;          ///< of a persisted save: its section, written with the snapshot
    firn_section persist_section; ///< the same, among `own`
    fr_persist_also_fn also;      ///< NULL, or what is captured is what it says (persist_load.h)
    void *also_user;
    const firn_section *own[FIRN_SECTIONS_MOST]; ///< the game's, in the order of a file
    uint32_t own_count;
} fr_draft;

/// FIRN_INVALID, FIRN_LIMIT: what can be said of the options before hooks run. NULL is good.
firn_result fr_draft_check_options(const firn_saves *saves, const firn_saves_write_options *options,
                                   firn_error *err);
/// Allocates nothing.
void fr_draft_init(fr_draft *draft, firn_saves *saves);
/// Runs the hooks, then collects all but the snapshot; the header goes on with the line of saves.
/// The options are checked. Fails as firn_saves_make. May be made again, in the memory that it has;
/// to be freed either way.
firn_result fr_draft_make(fr_draft *draft, const firn_saves_write_options *options,
                          firn_error *err);
/// Takes the snapshot now, without its hash. Fails as firn_snapshot_save.
firn_result fr_draft_capture(fr_draft *draft, firn_error *err);
/// Appends the file to `out`, which is as before when it fails.
firn_result fr_draft_write(fr_draft *draft, firn_buffer *out, firn_digest *identity,
                           firn_error *err);
/// The file is where it belongs: the line of saves goes on from it.
void fr_draft_saved(const fr_draft *draft, firn_digest identity);
void fr_draft_free(fr_draft *draft);

/// How the manager writes and reads files.
firn_save_file_options fr_saves_file_options(const firn_saves *saves);

#endif
