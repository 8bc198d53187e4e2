// Who comes, comes back, ends and moves in a load that keeps others.
#include <assert.h>

#include "base/array.h"
#include "base/error.h"
#include "snapshot/beside_load.h"

// Each entity of the image. False ends it, and is returned.
typedef bool (*each_saved_fn)(fr_beside_load *work, firn_entity saved);

static bool each_saved(fr_beside_load *work, each_saved_fn each)
{
    const fr_image *image = &work->load.image;
    bool good = true;
    for (uint32_t f = 0; good && f < image->frame_count; f++) {
        for (uint32_t row = 0; good && row < image->frames[f].rows; row++) {
            good = each(work, fr_frame_id(&image->frames[f], row));
        }
    }
    return good;
}

static bool has_id(const fr_map *map, firn_entity entity)
{
    return fr_map_get(map, fr_slot(entity)) == fr_generation(entity);
}

static bool add_id(const fr_beside_load *work, fr_ids *ids, firn_entity entity)
{
    if (!FR_RESERVE(&work->world->allocator, ids->items, ids->room, ids->count + 1)) {
        return false;
    }
    ids->items[ids->count++] = entity;
    return true;
}

bool fr_beside_lives(const fr_load *load, firn_entity entity)
{
    uint32_t generation = fr_map_get(&load->comes, fr_slot(entity));
    if (generation != FR_MAP_NONE) {
        return generation == fr_generation(entity);
    }
    firn_entity now = fr_renames_old(load->renames, entity);
    return fr_world_check_alive(load->world, now, NULL) == FIRN_OK &&
           !fr_target_ends(load->world, now);
}

firn_entity fr_beside_keeps(const void *user, firn_entity entity)
{
    const fr_beside_load *work = user;
    firn_entity then = fr_renames_new(&work->renames, entity);
    bool lives = firn_alive(work->world, work->put ? then : entity);
    // Before the load it may have been dead, and another one gets its id.
    bool kept = lives && fr_renames_old(&work->renames, then) == entity &&
                fr_map_get(&work->load.comes, fr_slot(then)) == FR_MAP_NONE &&
                (work->put || !fr_target_ends(work->world, entity));
    return kept ? then : 0;
}

bool fr_beside_brings(const void *user, firn_entity entity)
{
    const fr_beside_load *work = user;
    return has_id(&work->load.comes, entity);
}

bool fr_beside_takes_part(const void *user, firn_entity entity)
{
    const struct fr_beside *beside = ((const fr_beside_load *)user)->beside;
    return beside->is_part != NULL && beside->is_part(beside->user, entity);
}

firn_entity fr_beside_brings_part(const void *user, firn_entity saved)
{
    const struct fr_beside *beside = ((const fr_beside_load *)user)->beside;
    firn_entity now = beside->part_of != NULL ? beside->part_of(beside->user, saved) : 0;
    return now != 0 ? fr_beside_keeps(user, now) : 0;
}

// ---------------------------------------------------------------- who comes, and who is renamed

static bool note_coming(fr_beside_load *work, firn_entity saved)
{
    return fr_map_add(&work->world->allocator, &work->load.comes, fr_slot(saved),
                      fr_generation(saved));
}

static bool note_governed(fr_beside_load *work)
{
    const struct fr_beside *beside = work->beside;
    bool memory = true;
    // Who they are is of interest only where some are renamed.
    uint32_t count = beside->renamed_count > 0 ? beside->governed_count : 0;
    for (uint32_t i = 0; memory && i < count; i++) {
        assert(firn_alive(work->world, beside->governed[i]));
        memory =
            fr_map_add(&work->world->allocator, &work->governed, fr_slot(beside->governed[i]), i);
    }
    return memory;
}

static bool is_governed(const fr_beside_load *work, firn_entity entity)
{
    return fr_map_get(&work->governed, fr_slot(entity)) != FR_MAP_NONE;
}

// Who is governed and does not come has no use for another id; the image holds before all.
static bool has_use(const fr_beside_load *work, const firn_merged *pair)
{
    bool comes = has_id(&work->load.comes, pair->entity);
    bool taken = !comes && fr_map_get(&work->load.comes, fr_slot(pair->entity)) != FR_MAP_NONE;
    return !taken && (comes || !is_governed(work, pair->saved));
}

// Of two pairs that contradict each other the first holds. Who is to have an id that is of no use,
// or another's, and has one of the image, is not the entity of the image: it moves out of the way.
static bool add_renamed(fr_beside_load *work, firn_merged pair)
{
    fr_renames *renames = &work->renames;
    if (!firn_alive(work->world, pair.saved) ||
        fr_map_get(&renames->by_slot, fr_slot(pair.saved)) != FR_MAP_NONE) {
        return true;
    }
    uint32_t slot = fr_slot(pair.entity);
    if (!has_use(work, &pair) || fr_map_get(&renames->to_slot, slot) != FR_MAP_NONE) {
        if (!has_id(&work->load.comes, pair.saved)) {
            return true;
        }
        slot = work->slots;
        pair.entity = fr_entity(slot, 0);
    }
    work->slots = slot >= work->slots ? slot + 1 : work->slots;
    return fr_renames_add(work->world, renames, pair.saved, pair.entity);
}

static firn_result note_renamed(fr_beside_load *work, firn_error *err)
{
    const struct fr_beside *beside = work->beside;
    uint32_t most = work->world->limits.entities;
    for (uint32_t i = 0; i < beside->renamed_count; i++) {
        const firn_merged *pair = &beside->renamed[i];
        uint32_t slot = fr_slot(pair->entity);
        if (slot == 0 || slot > most || pair->entity >> FIRN_SLOT_BITS > FIRN_GENERATION_MAX) {
            return fr_fail_entity(err, FIRN_CORRUPT, pair->saved, "ids",
                                  "%llu, which the save has for an entity, is no id here",
                                  (unsigned long long)pair->entity);
        }
        if (!add_renamed(work, *pair)) {
            return fr_fail_memory(err, "ids");
        }
    }
    return FIRN_OK;
}

// ---------------------------------------------------------------- who comes back, and who ends

// Whether a living entity with an id of the image is that of the image.
static bool is_that_of_image(const fr_beside_load *work, firn_entity now, firn_entity saved)
{
    const struct fr_beside *beside = work->beside;
    return now != saved || beside->is_saved == NULL || beside->is_saved(beside->user, now);
}

static bool note_returning(fr_beside_load *work, firn_entity saved)
{
    firn_entity now = fr_renames_old(&work->renames, saved);
    if (!firn_alive(work->world, now) || !is_that_of_image(work, now, saved)) {
        return true;
    }
    return fr_map_add(&work->world->allocator, &work->load.returns, fr_slot(now),
                      fr_generation(now)) &&
           add_id(work, &work->leaving, now);
}

static firn_result note_who_ends(fr_beside_load *work, firn_error *err)
{
    const struct fr_beside *beside = work->beside;
    for (uint32_t i = 0; i < beside->governed_count; i++) {
        if (!has_id(&work->load.returns, beside->governed[i]) &&
            !add_id(work, &work->ending, beside->governed[i])) {
            return fr_fail_memory(err, "ids");
        }
    }
    firn_result result = fr_targets_end_prepare(work->world, work->ending.items, work->ending.count,
                                                &work->load.returns, beside->stays, err);
    work->ends_prepared = result == FIRN_OK;
    return result;
}

// ---------------------------------------------------------------- who makes room

// The id of the entity that lives in a slot; 0: none does.
static firn_entity holder_of(const firn_world *world, uint32_t slot)
{
    uint64_t record = slot < world->index.next_slot ? world->index.records[slot] : 0;
    if (fr_record_kind(record) != FR_SLOT_ALIVE) {
        return 0;
    }
    return world->archetypes[fr_record_archetype(record)]->entities[fr_record_row(record)];
}

// Whoever is kept on a slot that is needed moves behind all slots.
static bool clear_slot(fr_beside_load *work, firn_entity wanted)
{
    firn_entity holder = holder_of(work->world, fr_slot(wanted));
    if (holder == 0 || has_id(&work->load.returns, holder) ||
        fr_map_get(&work->renames.by_slot, fr_slot(holder)) != FR_MAP_NONE ||
        fr_target_ends(work->world, holder)) {
        return true;
    }
    return fr_renames_add(work->world, &work->renames, holder, fr_entity(work->slots++, 0));
}

static firn_result note_who_moves(fr_beside_load *work, firn_error *err)
{
    uint32_t renamed = work->renames.count, most = work->world->limits.entities;
    bool memory = each_saved(work, clear_slot);
    for (uint32_t i = 0; memory && i < renamed; i++) {
        const fr_rename *rename = &work->renames.items[i];
        memory = fr_target_ends(work->world, rename->from) || clear_slot(work, rename->to);
    }
    if (!memory) {
        return fr_fail_memory(err, "ids");
    }
    if (work->slots - 1 > most) {
        return fr_fail(
            err, FIRN_LIMIT, "entities",
            "no slots for entities that make room for those of the save: the limit is %u", most);
    }
    return fr_renames_prepare(work->world, &work->renames, err);
}

static firn_result tell_who_moves(fr_beside_load *work, firn_error *err)
{
    struct fr_beside *beside = work->beside;
    uint32_t count = work->renames.count;
    if (!FR_RESERVE(&work->world->allocator, beside->moved, beside->moved_room, count)) {
        return fr_fail_memory(err, "ids");
    }
    beside->moved_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const fr_rename *rename = &work->renames.items[i];
        if (!fr_target_ends(work->world, rename->from)) {
            beside->moved[beside->moved_count++] = (firn_merged){rename->from, rename->to};
        }
    }
    return FIRN_OK;
}

firn_result fr_beside_sort_out(fr_beside_load *work, firn_error *err)
{
    uint32_t now = work->world->index.next_slot, saved = work->load.image.prelude.next_slot;
    const firn_allocator *allocator = &work->world->allocator;
    work->slots = now > saved ? now : saved;
    work->load.renames = &work->renames;
    uint32_t coming = work->load.image.prelude.entity_count;
    if (!fr_map_reserve(allocator, &work->load.comes, coming) ||
        !fr_map_reserve(allocator, &work->load.returns, coming) || !each_saved(work, note_coming) ||
        !note_governed(work)) {
        return fr_fail_memory(err, "ids");
    }
    firn_result result = note_renamed(work, err);
    if (result == FIRN_OK && !each_saved(work, note_returning)) {
        result = fr_fail_memory(err, "ids");
    }
    if (result == FIRN_OK) {
        result = note_who_ends(work, err);
    }
    if (result == FIRN_OK) {
        result = note_who_moves(work, err);
    }
    return result == FIRN_OK ? tell_who_moves(work, err) : result;
}
