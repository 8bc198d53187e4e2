// Rows that entities have when a load that keeps others is done: where their entities stand then,
// and room there.
#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "snapshot/beside_load.h"
#include "store/entity.h"

#include <assert.h>
#include <string.h>

// An entity with such rows, which stand side by side.
typedef struct fr_late_entity {
    firn_entity entity; // as it is called after the load
    uint32_t first;
    uint32_t count;
    fr_archetype *home; // where it is when the rest of the load is done; NULL: nowhere
    fr_archetype *to;
    bool made;      // `to`, for this
    fr_blob *fills; // per column of `to`: what is new by default; NULL: no memory is owned
} fr_late_entity;

// ---------------------------------------------------------------- where entities are

static firn_result list_entities(fr_beside_load *work, firn_error *err)
{
    const firn_allocator *allocator = &work->world->allocator;
    const struct fr_beside *beside = work->beside;
    uint32_t next;
    for (uint32_t i = 0; i < beside->row_count; i = next) {
        const fr_beside_row *row = &beside->rows[i];
        for (next = i + 1; next < beside->row_count; next++) {
            if (beside->rows[next].entity != row->entity ||
                beside->rows[next].saved != row->saved) {
                break;
            }
        }
        if (!FR_RESERVE(allocator, work->late, work->late_room, work->late_count + 1)) {
            return fr_fail_memory(err, "rows");
        }
        work->late[work->late_count++] =
            (fr_late_entity){.entity = row->entity, .first = i, .count = next - i};
    }
    return FIRN_OK;
}

// Where a kept entity is when those that end are gone, and others have their new ids.
static void find_kept(const fr_beside_load *work, fr_late_entity *late)
{
    firn_world *world = work->world;
    firn_entity entity = late->entity;
    fr_archetype *now;
    uint32_t row;
    if (fr_map_get(&work->load.returns, fr_slot(entity)) != fr_generation(entity) &&
        fr_world_find(world, entity, &now, &row) && !fr_target_ends(world, entity)) {
        late->entity = fr_renames_new(&work->renames, entity);
        late->home = fr_renames_home(&work->renames, fr_targets_end_home(world, entity, now));
    }
}

// Those of the image are in the archetypes of its stages: `coming` has them by slot.
static void find_coming(fr_beside_load *work, const fr_map *coming)
{
    const fr_load *load = &work->load;
    for (uint32_t i = 0; i < load->piece_count; i++) {
        const fr_piece *piece = &load->pieces[i];
        for (uint32_t row = 0; row < piece->rows; row++) {
            firn_entity id = fr_frame_id(&load->image.frames[piece->frame], piece->first + row);
            uint32_t at = fr_map_get(coming, fr_slot(id));
            if (at != FR_MAP_NONE && work->late[at].entity == id) {
                work->late[at].home = load->stages[piece->stage].archetype;
            }
        }
    }
}

static firn_result find_homes(fr_beside_load *work, firn_error *err)
{
    fr_map coming = {.count = 0};
    bool memory = true;
    for (uint32_t i = 0; memory && i < work->late_count; i++) {
        fr_late_entity *late = &work->late[i];
        if (work->beside->rows[late->first].saved) {
            memory = fr_map_add(&work->world->allocator, &coming, fr_slot(late->entity), i);
        } else {
            find_kept(work, late);
        }
    }
    if (memory && coming.count > 0) {
        find_coming(work, &coming);
    }
    fr_map_free(&work->world->allocator, &coming);
    return memory ? FIRN_OK : fr_fail_memory(err, "rows");
}

// ---------------------------------------------------------------- what is kept

// A copy of the row that an entity of the image has now, which leaves with it.
static bool copy_kept_row(const fr_beside_load *work, fr_beside_row *part)
{
    const firn_world *world = work->world;
    const firn_allocator *allocator = &world->allocator;
    firn_entity now = fr_renames_old(&work->renames, part->entity);
    const void *row = NULL;
    assert(part->component->kind == FIRN_VALUE || part->component->kind == FIRN_STRING);
    if (fr_map_get(&work->load.returns, fr_slot(now)) == fr_generation(now)) {
        row = firn_get(world, now, fr_component_handle(world, part->component->index));
    }
    part->absent = row == NULL;
    if (row == NULL) {
        return true;
    }
    size_t size;
    const uint8_t *bytes = firn_row_encoded(row, &size);
    fr_blob blob;
    part->row = fr_column_alloc(allocator, sizeof blob, 1);
    if (part->row == NULL || !fr_blob_make(allocator, bytes, (uint32_t)size, &blob)) {
        fr_column_free(allocator, part->row, sizeof blob, 1);
        part->row = NULL;
        return false;
    }
    memcpy(part->row, &blob, sizeof blob);
    return true;
}

static firn_result copy_kept_rows(const fr_beside_load *work, firn_error *err)
{
    const struct fr_beside *beside = work->beside;
    bool memory = true;
    for (uint32_t i = 0; memory && i < beside->row_count; i++) {
        memory = !beside->rows[i].keeps || copy_kept_row(work, &beside->rows[i]);
    }
    return memory ? FIRN_OK : fr_fail_memory(err, "rows");
}

// ---------------------------------------------------------------- room

static bool has_late_term(const fr_term *terms, uint32_t count, fr_term term)
{
    uint32_t at = fr_terms_place(terms, count, term);
    return at < count && terms[at] == term;
}

// What an entity has then, into scratch_terms.
static bool collect_late_terms(const fr_beside_load *work, const fr_late_entity *late,
                               uint32_t *count)
{
    firn_world *world = work->world;
    const fr_beside_row *rows = &work->beside->rows[late->first];
    uint32_t most = late->home->term_count;
    for (uint32_t i = 0; i < late->count; i++) {
        most += 1 + rows[i].component->required_count;
    }
    if (!FR_RESERVE(&world->allocator, world->scratch_terms, world->scratch_term_capacity, most)) {
        return false;
    }
    fr_term *terms = world->scratch_terms;
    *count = late->home->term_count;
    memcpy(terms, late->home->terms, *count * sizeof *terms);
    for (uint32_t i = 0; i < late->count; i++) {
        const fr_component *component = rows[i].component;
        fr_term term = fr_term_make(component->index, 0);
        bool has = has_late_term(terms, *count, term);
        if (rows[i].absent && has) {
            uint32_t at = fr_terms_place(terms, *count, term);
            memmove(terms + at, terms + at + 1, (--*count - at) * sizeof *terms);
        }
        if (rows[i].absent || has) {
            continue;
        }
        fr_terms_insert(terms, count, term);
        for (uint32_t k = 0; k < component->required_count; k++) {
            fr_term required = fr_term_make(component->required[k], 0);
            if (!has_late_term(terms, *count, required)) {
                fr_terms_insert(terms, count, required);
            }
        }
    }
    return true;
}

// What is new by default and owns memory.
static bool make_fills(const firn_world *world, fr_late_entity *late)
{
    const fr_archetype *to = late->to;
    if ((to->needs & FR_NEEDS_FREE) == 0 || to->column_count == 0) {
        return true;
    }
    late->fills =
        fr_alloc_zero(&world->allocator, to->column_count, sizeof *late->fills, sizeof(uint64_t));
    bool memory = late->fills != NULL;
    for (uint32_t i = 0; memory && i < to->column_count; i++) {
        const fr_column *column = &to->columns[i];
        if ((column->needs & FR_NEEDS_FREE) != 0 &&
            fr_archetype_term_column(late->home, column->key) == NULL) {
            memory = fr_component_fill(&world->allocator, column->component, &late->fills[i], 1);
        }
    }
    return memory;
}

static firn_result make_late_room(const fr_beside_load *work, fr_late_entity *late, firn_error *err)
{
    firn_world *world = work->world;
    uint32_t count;
    firn_error why;
    uint64_t before = world->archetypes_made;
    if (!collect_late_terms(work, late, &count)) {
        return fr_fail_memory(err, "a set of components");
    }
    // Others may be made before this one is needed.
    late->home->held = true;
    late->to = fr_world_archetype(world, world->scratch_terms, count, &why);
    if (late->to == NULL) {
        return fr_fail_copy(err, &why);
    }
    late->made = world->archetypes_made > before;
    late->to->held = true;
    if (late->to == late->home) {
        return FIRN_OK;
    }
    late->to->incoming++;
    return fr_archetype_reserve(&world->allocator, late->to,
                                late->to->count + late->to->incoming) &&
                   make_fills(world, late)
               ? FIRN_OK
               : fr_fail_memory(err, "rows");
}

firn_result fr_beside_prepare_rows(fr_beside_load *work, firn_error *err)
{
    firn_result result = list_entities(work, err);
    if (result == FIRN_OK) {
        result = copy_kept_rows(work, err);
    }
    if (result == FIRN_OK) {
        result = find_homes(work, err);
    }
    for (uint32_t i = 0; result == FIRN_OK && i < work->late_count; i++) {
        fr_late_entity *late = &work->late[i];
        result = late->home == NULL ? FIRN_OK : make_late_room(work, late, err);
    }
    return result;
}

void fr_beside_free_rows(fr_beside_load *work, bool failed)
{
    const firn_allocator *allocator = &work->world->allocator;
    for (uint32_t i = work->late_count; i-- > 0;) {
        const fr_late_entity *late = &work->late[i];
        if (late->home == NULL) {
            continue;
        }
        late->home->held = false;
        if (late->to == NULL) {
            continue;
        }
        late->to->held = false;
        late->to->incoming = 0;
        if (late->fills != NULL) {
            fr_blob_free(allocator, late->fills, late->to->column_count);
            fr_free(allocator, late->fills, late->to->column_count, sizeof *late->fills,
                    sizeof(uint64_t));
        }
        if (failed && late->made) {
            fr_world_remove_archetype(work->world, late->to);
        }
    }
    FR_ARRAY_FREE(allocator, work->late, work->late_room);
    work->late = NULL;
    work->late_count = work->late_room = 0;
}

// ---------------------------------------------------------------- the commit, which cannot fail

// Default rows behind the last one of `to`, in the columns that are new.
static void put_fills(const fr_late_entity *late)
{
    const fr_archetype *to = late->to;
    for (uint32_t i = 0; i < to->column_count; i++) {
        const fr_column *column = &to->columns[i];
        uint8_t *at = column->data + (size_t)to->count * column->stride;
        if (fr_archetype_term_column(late->home, column->key) != NULL) {
            continue;
        }
        if ((column->needs & FR_NEEDS_FREE) != 0) {
            memcpy(at, &late->fills[i], sizeof late->fills[i]);
            late->fills[i] = (fr_blob){0};
        } else {
            memcpy(at, column->component->default_row, column->stride);
        }
    }
}

static void put_late_leaves(const fr_beside_row *part, uint8_t *now)
{
    const fr_leaf *leaf = part->component->layout.leaves + part->first_leaf;
    for (uint32_t i = 0; i < part->leaf_count; i++, leaf++) {
        uint32_t count = leaf->count > 0 ? leaf->count : 1;
        memcpy(now + leaf->memory_offset, part->row + leaf->memory_offset,
               (size_t)count * fr_type_size(leaf->type));
    }
}

static void put_late_row(firn_world *world, fr_archetype *archetype, uint32_t row,
                         fr_beside_row *part)
{
    const fr_column *column = fr_archetype_column(archetype, part->component->index);
    if (part->row == NULL || column == NULL) {
        return;
    }
    if (!part->whole) {
        put_late_leaves(part, column->data + (size_t)row * column->stride);
        return;
    }
    firn_result result =
        fr_entity_set(world, archetype, row, part->component->index, part->row, NULL);
    assert(result == FIRN_OK); // it is there, and nobody is told
    (void)result;
    // What the row owns is the world's.
    fr_column_free(&world->allocator, part->row, part->component->stride, 1);
    part->row = NULL;
}

static void put_late_entity(fr_beside_load *work, const fr_late_entity *late)
{
    firn_world *world = work->world;
    fr_archetype *archetype = NULL;
    uint32_t row = 0;
    bool found = fr_world_find(world, late->entity, &archetype, &row);
    assert(found && archetype == late->home);
    (void)found;
    if (late->to != late->home) {
        if (!fr_move_is_plain(late->home, late->to)) {
            put_fills(late);
        }
        fr_entity_move_filled(world, late->home, row, late->to, NULL, NULL);
        row = late->to->count - 1;
    }
    for (uint32_t i = 0; i < late->count; i++) {
        put_late_row(world, late->to, row, &work->beside->rows[late->first + i]);
    }
}

void fr_beside_put_rows(fr_beside_load *work, bool saved)
{
    firn_world *world = work->world;
    uint32_t heard = world->events_heard;
    world->events_heard = 0;
    for (uint32_t i = 0; i < work->late_count; i++) {
        const fr_late_entity *late = &work->late[i];
        if (late->home != NULL && work->beside->rows[late->first].saved == saved) {
            put_late_entity(work, late);
        }
    }
    world->events_heard = heard;
}
