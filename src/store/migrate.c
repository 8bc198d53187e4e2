#include "store/schema.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdalign.h>
#include <string.h>

typedef struct fr_migration_step {
    uint32_t field; ///< of the schema
    uint32_t leaf;  ///< of the layout
    uint32_t count; ///< elements that both have
    bool copy;      ///< the same bytes: no conversion
} fr_migration_step;

enum { MIGRATION_BY_NAME = 1, MIGRATION_BY_FORMER_NAME = 2 };

// The saved field that becomes a leaf, or NULL; *how receives by which kind of name.
static const fr_field_name *migration_source(const fr_schema *from, const fr_leaf *leaf,
                                             uint8_t *how)
{
    *how = MIGRATION_BY_NAME;
    const fr_field_name *found = fr_field_names_find(&from->names, leaf->name, leaf->name_size);
    for (uint32_t i = 0; found == NULL && i < leaf->former_count; i++) {
        const char *former = leaf->former_names[i];
        *how = MIGRATION_BY_FORMER_NAME;
        found = fr_field_names_find(&from->names, former, strlen(former));
    }
    return found;
}

static void migration_add_step(fr_migration *migration, const fr_schema *from, const fr_layout *to,
                               uint32_t leaf_index)
{
    const fr_leaf *leaf = &to->leaves[leaf_index];
    uint8_t how;
    const fr_field_name *source = migration_source(from, leaf, &how);
    if (source == NULL || leaf->type == FIRN_POINTER) {
        return;
    }
    const fr_schema_field *field = &from->fields[source->field];
    uint32_t saved = field->count == 0 ? 1 : field->count;
    uint32_t wanted = leaf->count == 0 ? 1 : leaf->count;
    bool same = fr_type_plain(field->type) == fr_type_plain(leaf->type);
    migration->steps[migration->step_count++] = (fr_migration_step){
        .field = source->field,
        .leaf = leaf_index,
        .count = saved < wanted ? saved : wanted,
        // Bools are converted always, which makes them 0 or 1.
        .copy =
            same && leaf->type != FIRN_BOOL && (!FR_BIG_ENDIAN || fr_type_size(leaf->type) == 1),
    };
    migration->used[source->field] = how;
}

firn_result fr_migration_make(const firn_allocator *allocator, const fr_schema *from,
                              const fr_layout *to, fr_migration *out, firn_error *err)
{
    fr_migration made = {NULL, 0, NULL, NULL};
    made.steps =
        fr_alloc(allocator, to->leaf_count, sizeof(fr_migration_step), alignof(fr_migration_step));
    made.changed = fr_alloc_zero(allocator, to->leaf_count, sizeof(uint64_t), alignof(uint64_t));
    made.used = fr_alloc_zero(allocator, from->field_count, 1, 1);
    if (made.steps == NULL || made.changed == NULL || made.used == NULL) {
        fr_migration_free(allocator, from, to, &made);
        return fr_fail_memory(err, "a migration");
    }
    for (uint32_t i = 0; i < to->leaf_count; i++) {
        migration_add_step(&made, from, to, i);
    }
    *out = made;
    return FIRN_OK;
}

void fr_migration_free(const firn_allocator *allocator, const fr_schema *from, const fr_layout *to,
                       fr_migration *migration)
{
    fr_free(allocator, migration->steps, to->leaf_count, sizeof(fr_migration_step),
            alignof(fr_migration_step));
    fr_free(allocator, migration->changed, to->leaf_count, sizeof(uint64_t), alignof(uint64_t));
    fr_free(allocator, migration->used, from->field_count, 1, 1);
    memset(migration, 0, sizeof *migration);
}

// Converts the elements of one field in n rows; returns how many values changed.
static uint64_t migrate_field(const fr_migration_step *step, const fr_schema *from,
                              const fr_layout *to, const uint8_t *wire, size_t n, uint8_t *rows)
{
    const fr_schema_field *field = &from->fields[step->field];
    const fr_leaf *leaf = &to->leaves[step->leaf];
    uint32_t from_size = fr_type_size(field->type);
    uint32_t to_size = fr_type_size(leaf->type);
    uint64_t changed = 0;
    for (size_t row = 0; row < n; row++) {
        const uint8_t *source = wire + row * from->size + field->offset;
        uint8_t *target = rows + row * to->memory_size + leaf->memory_offset;
        for (uint32_t i = 0; i < step->count; i++) {
            uint8_t element[8];
            fr_wire_copy(element, source + (size_t)i * from_size, from_size);
            changed += fr_convert(field->type, element, leaf->type, target + (size_t)i * to_size);
        }
    }
    return changed;
}

void fr_migration_apply(fr_migration *migration, const fr_schema *from, const fr_layout *to,
                        const uint8_t *wire, size_t n, void *rows)
{
    uint8_t *target = rows;
    for (uint32_t i = 0; i < migration->step_count; i++) {
        const fr_migration_step *step = &migration->steps[i];
        if (step->copy) {
            const fr_leaf *leaf = &to->leaves[step->leaf];
            fr_rows_copy(target + leaf->memory_offset, to->memory_size,
                         wire + from->fields[step->field].offset, from->size,
                         (size_t)step->count * fr_type_size(leaf->type), n);
        } else {
            migration->changed[step->leaf] += migrate_field(step, from, to, wire, n, target);
        }
    }
}
