/// persist_parts.h: what a save holds of entities that are saved by field: the section
/// FIRN_SECTION_PERSIST, an encoded table
///
///     {version = 1, parts = {{key, {{name, {value}}, {name, {}}, ...}, {vars}, id}, ...},
///      keys = {key, id, ...}, no_vars = {id, ...}, apart = number,
///      scene = name, ids = {local, id, count, ...}, gone = {local, ...}}
///
/// with a name as in firn_persist.fields and its value (of a struct a table by field name), or an
/// empty table: the entity did not have the component. {} for variables: they are not saved. The id
/// is what script state calls it, which the save has when it is there. Of
/// entities that are saved whole, which are in the image: those whose key says another thing than
/// their id, and those whose variables are not saved. `apart`: how many items of script state count
/// apart (builtin/script.h), when any do. The last three are there when a scene was
/// told (scene.h): its entities run by run, in the order of their locals, and those that persisted
/// and are dead.
#ifndef FR_PERSIST_PARTS_H
#define FR_PERSIST_PARTS_H

#include "firn/save_file.h"
#include "saves/scene.h"
#include "snapshot/beside.h"

/// Writes the section for a scene and these entities. What a codec
/// returned; FIRN_LIMIT, FIRN_NO_MEMORY; `out` is then undefined.
firn_result fr_parts_write(firn_world *world, const fr_scene *scene, const fr_root *roots,
                           uint32_t count, firn_buffer *out, firn_error *err);

/// What a section says about the world as it is.
typedef struct fr_parts {
    fr_beside_row *rows; ///< made aside
    uint32_t count;
    uint32_t capacity;
    /// Who has the key of one that is saved whole now (`saved`) -> the id of that one.
    firn_merged *keyed;
    uint32_t keyed_count;
    uint32_t keyed_room;
    fr_map named;    ///< ids of the save whose key is a name
    fr_map by_field; ///< entities that the save has by field: slot -> generation
    /// Those whose script state it has, as they are now; their slots, and their ids in the save ->
    /// place there.
    firn_entity *scripted;
    uint32_t scripted_count;
    uint32_t scripted_room;
    fr_map scripted_slots;
    fr_map scripted_ids;
    uint64_t apart; ///< as fr_script_apart
} fr_parts;

/// Who has a key in the world as it is; 0: nobody.
typedef firn_entity (*fr_key_fn)(void *user, const char *key, size_t size);

/// Takes a section apart and makes its rows aside. Names that are no longer registered, fields that
/// are no more and keys that nobody has are passed over. FIRN_CORRUPT, FIRN_INVALID (a value that
/// the component cannot hold; err->subject is its name), FIRN_NO_MEMORY. To be freed either way.
firn_result fr_parts_read(firn_world *world, const void *bytes, size_t size, fr_key_fn find,
                          void *user, fr_parts *out, firn_error *err);
/// Frees what is not in place.
void fr_parts_free(firn_world *world, fr_parts *parts);

#endif
