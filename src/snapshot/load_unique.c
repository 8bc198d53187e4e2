// The indexes of unique strings, made aside of the rows that a load made aside.
#include "base/error.h"
#include "base/utf8.h"
#include "snapshot/load.h"
#include "store/relation.h"
#include "store/unique.h"

#include <inttypes.h>

// The rows of one component, as they will be.
typedef struct unique_rows {
    const fr_load *load;
    const fr_component *component;
} unique_rows;

static const fr_blob *rows_of_stage(const fr_stage *stage, const fr_component *component)
{
    const fr_column *column = fr_archetype_column(stage->archetype, component->index);
    return column == NULL ? NULL : stage->blocks[column - stage->archetype->columns];
}

static const fr_blob *row_of_loaded(void *user, uint32_t slot)
{
    const unique_rows *rows = user;
    const fr_load *load = rows->load;
    uint64_t record = load->index.records[slot];
    uint32_t stage = fr_map_get(&load->stage_of, fr_record_archetype(record));
    return rows_of_stage(&load->stages[stage], rows->component) + fr_record_row(record);
}

static firn_result fail_twice(const fr_load *load, const fr_component *component,
                              firn_entity entity, const fr_blob *row, uint32_t other,
                              firn_error *err)
{
    size_t size;
    const char *bytes = firn_row_string(row, &size);
    char shown[64];
    fr_printable(shown, sizeof shown, bytes, size);
    const fr_entry *saved = &load->image.entries[load->entry_of[component->index]];
    fr_fail_at(err, FIRN_CORRUPT, saved->offset, component->name,
               "the entities in slots %" PRIu32 " and %" PRIu32 " have the %s \"%s\" both", other,
               fr_slot(entity), component->name, shown);
    if (err != NULL) {
        err->entity = entity;
    }
    return FIRN_CORRUPT;
}

static firn_result index_stage(unique_rows *rows, fr_component *component, const fr_stage *stage,
                               firn_error *err)
{
    const fr_blob *blobs = rows_of_stage(stage, component);
    for (uint32_t row = 0; blobs != NULL && row < stage->rows; row++) {
        firn_entity entity = stage->entities[row];
        uint32_t other = fr_unique_add(component, entity, &blobs[row], row_of_loaded, rows);
        if (other != 0) {
            return fail_twice(rows->load, component, entity, &blobs[row], other, err);
        }
    }
    return FIRN_OK;
}

static firn_result index_component(const fr_load *load, fr_component *component, firn_error *err)
{
    unique_rows rows = {load, component};
    uint32_t count = 0;
    // Without an entry all rows are the default, which is not unique.
    bool saved = load->entry_of[component->index] != UINT32_MAX;
    for (uint32_t i = 0; saved && i < load->stage_count; i++) {
        count += rows_of_stage(&load->stages[i], component) != NULL ? load->stages[i].rows : 0;
    }
    if (!fr_unique_begin(&load->world->allocator, component, count)) {
        return fr_fail_memory(err, component->name);
    }
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && count > 0 && i < load->stage_count; i++) {
        result = index_stage(&rows, component, &load->stages[i], err);
    }
    return result;
}

firn_result fr_load_unique(fr_load *load, firn_error *err)
{
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < load->component_count; i++) {
        fr_component *component = load->world->components.items[i];
        if (component->unique) {
            result = index_component(load, component, err);
        }
    }
    return result;
}

// ---- of rows that are appended: they are told apart by their number in the image, from 1 on

static uint32_t stage_of_number(const unique_rows *rows, uint32_t *number)
{
    uint32_t s = 0;
    for (;; s++) {
        const fr_stage *stage = &rows->load->stages[s];
        if (rows_of_stage(stage, rows->component) == NULL) {
            continue;
        }
        if (*number < stage->rows) {
            return s;
        }
        *number -= stage->rows;
    }
}

static const fr_blob *row_of_merged(void *user, uint32_t slot)
{
    const unique_rows *rows = user;
    uint32_t number = slot - 1;
    const fr_stage *stage = &rows->load->stages[stage_of_number(rows, &number)];
    return rows_of_stage(stage, rows->component) + number;
}

static firn_entity saved_of_number(const unique_rows *rows, uint32_t number)
{
    number--;
    const fr_stage *stage = &rows->load->stages[stage_of_number(rows, &number)];
    return fr_load_saved_id(rows->load, stage->entities[number]);
}

// Whether an entity that has a string loses it before the rows are in place.
static bool goes_or_comes(const fr_load *load, firn_entity entity)
{
    return load->beside && (fr_map_get(&load->returns, fr_slot(entity)) == fr_generation(entity) ||
                            fr_target_ends(load->world, entity));
}

static firn_result check_merged(unique_rows *rows, fr_component *component, const fr_stage *stage,
                                uint32_t *number, firn_error *err)
{
    firn_world *world = rows->load->world;
    const fr_blob *blobs = rows_of_stage(stage, component);
    for (uint32_t row = 0; blobs != NULL && row < stage->rows; row++) {
        uint32_t place = ++*number;
        uint32_t other = fr_unique_add(component, place, &blobs[row], row_of_merged, rows);
        if (other != 0) {
            firn_entity entity = fr_load_saved_id(rows->load, stage->entities[row]);
            return fail_twice(rows->load, component, entity, &blobs[row],
                              fr_slot(saved_of_number(rows, other)), err);
        }
        // No living entity has the new id yet: whoever has the string is another one.
        firn_error why;
        firn_result result =
            fr_unique_reserve(world, component, stage->entities[row], &blobs[row], &why);
        if (result == FIRN_EXISTS && goes_or_comes(rows->load, why.entity)) {
            result = FIRN_OK;
        }
        if (result != FIRN_OK) {
            return fr_fail_copy(err, &why);
        }
    }
    return FIRN_OK;
}

static firn_result check_merged_component(const fr_load *load, fr_component *component,
                                          firn_error *err)
{
    unique_rows rows = {load, component};
    uint32_t count = 0, number = 0;
    for (uint32_t i = 0; i < load->stage_count; i++) {
        count += rows_of_stage(&load->stages[i], component) != NULL ? load->stages[i].rows : 0;
    }
    const firn_allocator *allocator = &load->world->allocator;
    if (!fr_unique_begin(allocator, component, count)) {
        return fr_fail_memory(err, component->name);
    }
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && count > 0 && i < load->stage_count; i++) {
        result = check_merged(&rows, component, &load->stages[i], &number, err);
    }
    if (result == FIRN_OK && !fr_map_reserve(allocator, &component->keys, count)) {
        return fr_fail_memory(err, component->name);
    }
    return result;
}

firn_result fr_load_unique_appended(fr_load *load, firn_error *err)
{
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < load->component_count; i++) {
        fr_component *component = load->world->components.items[i];
        if (component->unique && load->entry_of[i] != UINT32_MAX) {
            result = check_merged_component(load, component, err);
        }
    }
    return result;
}
