/// persist_parts.h: what a save holds of entities that are saved by field: the section
/// FIRN_SECTION_PERSIST, an encoded table
///
///     {version = 1, parts = {{key, {{name, {value}}, {name, {}}, ...}, {vars}}, ...}}
///
/// with a name as in firn_persist.fields and its value (of a struct a table by field name), or an
/// empty table: the entity did not have the component. {} for variables: they are not saved.
#ifndef FR_PERSIST_PARTS_H
#define FR_PERSIST_PARTS_H

#include "firn/save_file.h"
#include "saves/persist.h"

/// Writes the section for these entities, whose rows are checked. What a codec returned;
/// FIRN_LIMIT, FIRN_NO_MEMORY; `out` is then undefined.
firn_result fr_parts_write(firn_world *world, const firn_entity *entities, uint32_t count,
                           firn_buffer *out, firn_error *err);

/// A row on its way into an entity.
typedef struct fr_part_row {
    firn_entity entity;
    fr_component *component;
    bool absent; ///< the entity is to lose the component
    bool whole;  ///< else these leaves:
    uint32_t first_leaf;
    uint32_t leaf_count;
    uint8_t *row; ///< made aside; NULL for a tag
} fr_part_row;

typedef struct fr_parts {
    fr_part_row *rows;
    uint32_t count;
    uint32_t capacity;
} fr_parts;

/// Who has a key in the world as it is; 0: nobody.
typedef firn_entity (*fr_key_fn)(void *user, const char *key, size_t size);

/// Takes a section apart and makes its rows aside. Names that are no longer registered, fields that
/// are no more and keys that nobody has are passed over. FIRN_CORRUPT, FIRN_INVALID (a value that
/// the component cannot hold; err->subject is its name), FIRN_NO_MEMORY. To be freed either way.
firn_result fr_parts_read(firn_world *world, const void *bytes, size_t size, fr_key_fn find,
                          void *user, fr_parts *out, firn_error *err);
/// Puts the rows in; nobody is told. Entities that do not live are passed over. FIRN_NO_MEMORY:
/// some are in.
firn_result fr_parts_apply(firn_world *world, fr_parts *parts, firn_error *err);
void fr_parts_free(firn_world *world, fr_parts *parts);

#endif
