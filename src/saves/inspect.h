/// inspect.h: a save against the game as it is, told entity by entity.
///
/// inspect.c opens both and compares; inspect_ids.c finds who has which id; inspect_pick.c captures
/// of the game what the save has of it; inspect_parts.c compares what is saved by field;
/// inspect_tell.c writes lines or a tree.
#ifndef FR_INSPECT_H
#define FR_INSPECT_H

#include "base/map.h"
#include "saves/draft.h"
#include "snapshot/diff_tell.h"

typedef enum fr_inspect_status {
    FR_INSPECT_SAME,
    FR_INSPECT_CHANGED,
    FR_INSPECT_MISSING,
    FR_INSPECT_EXTRA
} fr_inspect_status;

typedef struct fr_inspect {
    firn_saves *saves;
    firn_diff_options options;
    bool lists_same;
    firn_saves_loaded loaded; ///< the save
    fr_draft draft;           ///< the game
    firn_doc *doc;            ///< values of both
    const void *section;      ///< FIRN_SECTION_PERSIST of the save, or NULL
    size_t section_size;
    const firn_value *parts[2];
    struct fr_inspect_row *rows; ///< rows of `persist` by which the game is captured
    firn_merged *renamed; ///< entities that have another id in the save than now; `entity` 0: those
                          ///< whose id of the save another one has now
    uint32_t renamed_count;
    uint32_t renamed_room;
    fr_map renamed_saved; ///< that in the save -> place in renamed
    fr_map renamed_now;   ///< that of now -> place
    fr_scene scene;       ///< of the save
    fr_scene now;         ///< of the game, with who persists
    fr_picks carried;     ///< where a load goes to another scene: who stays
    fr_map displaced;     ///< as of a load (scene_load.h)
    fr_map same;          ///< the same (identity.h)
    fr_map named;
    fr_map below;
    fr_map saved_parts;         ///< hash of the key of a part of the save -> place in parts[]
    fr_map seen_keys;           ///< the same of one of now.seen -> place there
    fr_map no_vars;             ///< saved whole, but for its variables: by id in the save
    firn_image *image;          ///< of the save
    firn_entity *ids;           ///< its entities; NULL: the same ones are not listed
    const firn_entity **sorted; ///< by id
    uint32_t id_count;
    uint32_t next;      ///< of the sorted, to be told
    firn_entity last;   ///< that was told to be changed
    bool entities_told; ///< all of them
    firn_inspection counts;
    firn_buffer *text; ///< lines, or NULL:
    fr_diff_tree *tree;
} fr_inspect;

/// Compares the save of a slot with the game, and tells of it in `text` or `tree`; counts are
/// complete then. `err` is not NULL. Fails as firn_saves_inspect.
firn_result fr_inspect_slot(fr_inspect *inspect, const char *slot,
                            const firn_inspect_options *options, firn_error *err);
/// Tells of an entity: the one of `like`, with its key and name.
firn_result fr_inspect_entity(fr_inspect *inspect, const firn_difference *like,
                              fr_inspect_status status, firn_error *err);
/// Tells of a difference.
firn_result fr_inspect_difference(fr_inspect *inspect, const firn_difference *difference,
                                  firn_error *err);
/// Fills `scene` and `renamed` from `ids`, the section of the save, and those who persist now.
/// FIRN_CORRUPT, FIRN_LIMIT, FIRN_NO_MEMORY.
firn_result fr_inspect_ids(fr_inspect *inspect, const fr_persisted *persisted, firn_error *err);
/// Who has a key of the save now, to a load; 0: nobody.
firn_entity fr_inspect_of_key(const fr_inspect *inspect, const fr_persisted *persisted,
                              const firn_value *key);
/// Who is one of the save now, to a load; 0: nobody who lives.
firn_entity fr_inspect_entity_of(const fr_inspect *inspect, firn_entity saved);
/// An fr_persist_also_fn whose user is the inspection: what is captured of an entity that a load
/// would change in place is what the save has of it. Calls fr_inspect_ids.
firn_result fr_inspect_pick(void *user, fr_persisted *persisted, fr_picks *picks, firn_error *err);
void fr_inspect_rows_free(fr_inspect *inspect);
/// The entity that a number names; 0: it is none.
firn_entity fr_inspect_id(const firn_value *value);
/// Entity `entity` is `saved` in the save, 0: nobody is, unless one of them is paired already.
/// FIRN_NO_MEMORY.
firn_result fr_inspect_pair(fr_inspect *inspect, firn_entity saved, firn_entity entity,
                            firn_error *err);
/// Whether a difference in data is that script state of the save names its entity as the save does.
bool fr_inspect_is_same_owner(const fr_inspect *inspect, const firn_difference *difference);
/// Whether an id has the same place in the scenes of the save and of now, or, when they are two,
/// who has it is carried: else who has it are two.
bool fr_inspect_has_place(const fr_inspect *inspect, firn_entity entity);
/// Whether an entity of now that persists and that the save has not is left by a load: one of the
/// scene that was not gone in the save.
bool fr_inspect_spares(const fr_inspect *inspect, firn_entity entity);
void fr_inspect_ids_free(fr_inspect *inspect);
/// Finds parts of the save, and keys of now, for all below; pairs the ids of entities that both
/// have by field. FIRN_CORRUPT, FIRN_NO_MEMORY.
firn_result fr_inspect_pair_parts(fr_inspect *inspect, firn_error *err);
/// Tells what parts[] say of entities that are saved by field. FIRN_CORRUPT, FIRN_NO_MEMORY.
firn_result fr_inspect_parts(fr_inspect *inspect, firn_error *err);
/// What the save has by field of the entity of a list: its key, names as {{name, {value}}, ...} and
/// variables, {} when they are not saved. False: it is none.
bool fr_inspect_part_at(const fr_inspect *inspect, uint32_t index, const firn_value **key,
                        const firn_value **names, const firn_value **vars);
/// Whether the variables of an entity that is saved whole are left alone by a load.
bool fr_inspect_leaves_vars(const fr_inspect *inspect, firn_entity entity);

#endif
