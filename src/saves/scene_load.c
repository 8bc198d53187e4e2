// The scene that a load is in, brought to what the save knows of it: ids, and who is gone.
#include "saves/scene_load.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "snapshot/image.h"
#include "store/relation.h"

#include <assert.h>
#include <stdalign.h>
#include <string.h>

// ---------------------------------------------------------------- two scenes

// An id of the last generation stands for an entity that had ended, and whose id others may get.
static bool is_nobody(firn_entity id)
{
    return fr_generation(id) == FIRN_GENERATION_MAX;
}

// Whether both have the entities of a part, under other ids.
static bool has_other_ids(const fr_scene_part *part)
{
    return part->a != 0 && part->b != 0 && part->a != part->b && !is_nobody(part->a) &&
           !is_nobody(part->b);
}

static bool have_equal_ids(const fr_scene *now, const fr_scene *saved)
{
    fr_scene_walk walk = {{0, 0}, {0, 0}};
    fr_scene_part part;
    while (fr_scene_next(&walk, now, saved, &part)) {
        if (has_other_ids(&part)) {
            return false;
        }
    }
    return true;
}

// Both lists are in the order of locals.
static bool misses_partial(const firn_saves *saves, const fr_scene *saved)
{
    const fr_scene *now = &saves->scene;
    uint32_t gone = 0;
    for (uint32_t i = 0; i < now->seen_count; i++) {
        const fr_scene_item *item = &now->seen[i];
        while (gone < saved->seen_count && saved->seen[gone].local < item->local) {
            gone++;
        }
        bool was_gone = gone < saved->seen_count && saved->seen[gone].local == item->local;
        if (item->partial && !was_gone && fr_scene_entity(saved, item->local) != 0 &&
            !firn_alive(saves->world, item->entity)) {
            return true;
        }
    }
    return false;
}

// The generations in the slots of an image.
static firn_result map_slots(const firn_world *world, const void *bytes, size_t size, fr_map *out,
                             firn_error *err)
{
    fr_image image;
    firn_result result = fr_image_open(&image, bytes, size, &world->limits, &world->allocator, true,
                                       NULL, NULL, err);
    if (result != FIRN_OK) {
        return result;
    }
    bool memory = true;
    for (uint32_t f = 0; memory && f < image.frame_count; f++) {
        for (uint32_t row = 0; memory && row < image.frames[f].rows; row++) {
            firn_entity id = fr_frame_id(&image.frames[f], row);
            memory = fr_map_add(&world->allocator, out, fr_slot(id), fr_generation(id));
        }
    }
    fr_image_close(&image);
    return memory ? FIRN_OK : fr_fail_memory(err, "ids");
}

// Whether all entities with another id had one that somebody else has in the image: they had ended.
static bool differ_as_they_must(const fr_scene *now, const fr_scene *saved, const fr_map *slots)
{
    fr_scene_walk walk = {{0, 0}, {0, 0}};
    fr_scene_part part;
    while (fr_scene_next(&walk, now, saved, &part)) {
        for (uint32_t i = 0; has_other_ids(&part) && i < part.count; i++) {
            uint32_t generation = fr_map_get(slots, fr_slot(part.b + i));
            if (generation == FR_MAP_NONE || generation == fr_generation(part.b + i)) {
                return false;
            }
        }
    }
    return true;
}

bool fr_scene_fits(const firn_saves *saves, const fr_scene *saved, const void *image, size_t size)
{
    const fr_scene *now = &saves->scene;
    if (now->name == NULL || strcmp(now->name, saved->name) != 0 || misses_partial(saves, saved)) {
        return false;
    }
    if (have_equal_ids(now, saved)) {
        return true;
    }
    fr_map slots = {0};
    bool fits = map_slots(saves->world, image, size, &slots, NULL) == FIRN_OK &&
                differ_as_they_must(now, saved, &slots);
    fr_map_free(&saves->world->allocator, &slots);
    return fits;
}

static bool list_locals(const firn_allocator *allocator, const fr_scene_part *part,
                        uint64_t **locals, uint32_t *count, uint32_t *room)
{
    if (!FR_RESERVE(allocator, *locals, *room, *count + part->count)) {
        return false;
    }
    for (uint32_t i = 0; i < part->count; i++) {
        assert(*locals != NULL); // there is room
        (*locals)[(*count)++] = part->local + i;
    }
    return true;
}

static bool list_missing(const firn_saves *saves, const fr_scene *saved, firn_saves_loaded *loaded)
{
    uint64_t *missing = NULL;
    fr_scene_walk walk = {{0, 0}, {0, 0}};
    fr_scene_part part;
    bool memory = true;
    while (memory && fr_scene_next(&walk, &saves->scene, saved, &part)) {
        memory = part.a != 0 || list_locals(&loaded->allocator, &part, &missing,
                                            &loaded->scene_missing_count, &loaded->missing_room);
    }
    loaded->scene_missing = missing;
    return memory;
}

// Those that the save has not, and those whose entity of the save another one is.
static bool list_new(const fr_scene *saved, const fr_scene *next, const fr_known *brought,
                     firn_saves_loaded *loaded)
{
    uint64_t *added = NULL;
    fr_scene_walk walk = {{0, 0}, {0, 0}};
    fr_scene_part part;
    bool memory = true;
    while (memory && fr_scene_next(&walk, next, saved, &part)) {
        fr_scene_part one = part;
        if (part.b == 0) {
            memory = list_locals(&loaded->allocator, &part, &added, &loaded->scene_new_count,
                                 &loaded->new_room);
        }
        one.count = 1;
        for (uint32_t i = 0; memory && has_other_ids(&part) && i < part.count; i++) {
            one.local = part.local + i;
            memory = !fr_known_has(brought, part.b + i) ||
                     list_locals(&loaded->allocator, &one, &added, &loaded->scene_new_count,
                                 &loaded->new_room);
        }
    }
    loaded->scene_new = added;
    return memory;
}

firn_result fr_scene_compare(const firn_saves *saves, const fr_scene *saved, const fr_scene *next,
                             const fr_known *brought, firn_saves_loaded *loaded, firn_error *err)
{
    bool missing = list_missing(saves, saved, loaded);
    bool added = list_new(saved, next, brought, loaded);
    return missing && added ? FIRN_OK : fr_fail_memory(err, "a scene");
}

firn_result fr_scene_bury(const firn_saves *saves, const fr_scene *saved, const fr_map *by_field,
                          fr_picks *governed, firn_error *err)
{
    bool memory = true;
    for (uint32_t i = 0; memory && i < saved->seen_count; i++) {
        firn_entity entity = fr_scene_entity(&saves->scene, saved->seen[i].local);
        bool buried = firn_alive(saves->world, entity) &&
                      fr_map_get(by_field, fr_slot(entity)) == FR_MAP_NONE;
        memory = !buried || fr_picks_add(saves->world, governed, entity);
    }
    return memory ? FIRN_OK : fr_fail_memory(err, "entities");
}

// ---------------------------------------------------------------- places and keys

typedef struct scene_places {
    const firn_saves *saves;
    const fr_scene *saved;
    const firn_merged *keyed;
    fr_map by_slot; // of who has a key -> place in keyed
    fr_map slots;   // of the image -> generation
    fr_map *displaced;
} scene_places;

// Who is now at the place that an entity had in the save; 0: nobody who lives.
static firn_entity holder_of_place(const scene_places *places, firn_entity saved)
{
    uint64_t local = fr_scene_local(places->saved, saved);
    firn_entity now = local == 0 ? 0 : fr_scene_entity(&places->saves->scene, local);
    return firn_alive(places->saves->world, now) &&
                   fr_map_get(places->displaced, fr_slot(now)) == FR_MAP_NONE
               ? now
               : 0;
}

// Whether an entity is one of the image by its place.
static bool has_place(const scene_places *places, firn_entity now)
{
    uint64_t local = fr_scene_local(&places->saves->scene, now);
    firn_entity saved = local == 0 ? 0 : fr_scene_entity(places->saved, local);
    return saved != 0 && fr_map_get(places->displaced, fr_slot(now)) == FR_MAP_NONE &&
           fr_map_get(&places->slots, fr_slot(saved)) == fr_generation(saved);
}

static bool displace(const scene_places *places, firn_entity now)
{
    return fr_map_get(places->displaced, fr_slot(now)) != FR_MAP_NONE ||
           fr_map_add(&places->saves->allocator, places->displaced, fr_slot(now), 0);
}

// Who loses its place may have a key itself: then it takes that place. False: no memory.
static bool follow_keys(const scene_places *places, const firn_merged *pair)
{
    bool memory = true;
    while (memory && pair != NULL && !has_place(places, pair->saved)) {
        firn_entity holder = holder_of_place(places, pair->entity);
        bool rivals = holder != 0 && holder != pair->saved;
        memory = displace(places, pair->saved) && (!rivals || displace(places, holder));
        uint32_t next = rivals ? fr_map_get(&places->by_slot, fr_slot(holder)) : FR_MAP_NONE;
        pair = next == FR_MAP_NONE ? NULL : &places->keyed[next];
    }
    return memory;
}

// Whether places and keys do not say the same.
static bool has_rivals(const scene_places *places, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const firn_merged *pair = &places->keyed[i];
        uint64_t local = fr_scene_local(&places->saves->scene, pair->saved);
        if (local != fr_scene_local(places->saved, pair->entity)) {
            return true;
        }
    }
    return false;
}

firn_result fr_scene_displace(const firn_saves *saves, const fr_scene *saved, const void *image,
                              size_t size, const firn_merged *keyed, uint32_t count, fr_map *out,
                              firn_error *err)
{
    const firn_allocator *allocator = &saves->allocator;
    scene_places places = {.saves = saves, .saved = saved, .keyed = keyed, .displaced = out};
    if (!has_rivals(&places, count)) {
        return FIRN_OK;
    }
    firn_result result = map_slots(saves->world, image, size, &places.slots, err);
    bool memory = true;
    for (uint32_t i = 0; result == FIRN_OK && memory && i < count; i++) {
        memory = fr_map_add(allocator, &places.by_slot, fr_slot(keyed[i].saved), i);
    }
    for (uint32_t i = 0; result == FIRN_OK && memory && i < count; i++) {
        memory = follow_keys(&places, &keyed[i]);
    }
    fr_map_free(allocator, &places.by_slot);
    fr_map_free(&saves->world->allocator, &places.slots);
    return memory ? result : fr_fail_memory(err, "keys");
}

bool fr_scene_is_at_place(const firn_saves *saves, const fr_scene *saved, const fr_map *displaced,
                          firn_entity entity)
{
    uint64_t local = fr_scene_local(&saves->scene, entity);
    return local != 0 && fr_scene_entity(saved, local) == entity &&
           fr_map_get(displaced, fr_slot(entity)) == FR_MAP_NONE;
}

// ---------------------------------------------------------------- ids

static bool want_ids_of_part(const firn_saves *saves, const fr_scene_part *part,
                             fr_renames *renames)
{
    for (uint32_t i = 0; i < part->count; i++) {
        firn_entity now = part->a + i, wanted = part->b + i;
        if (!firn_alive(saves->world, now)) {
            continue;
        }
        if (!fr_renames_add(saves->world, renames, now, wanted)) {
            return false;
        }
    }
    return true;
}

// No slot is above those that the world of the image had.
static firn_result check_slots(const firn_saves *saves, const void *bytes, size_t size,
                               uint32_t most, firn_error *err)
{
    const firn_world *world = saves->world;
    fr_image image;
    firn_result result = fr_image_open(&image, bytes, size, &world->limits, &world->allocator, true,
                                       NULL, NULL, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (most >= image.prelude.next_slot) {
        result = fr_fail(err, FIRN_CORRUPT, FIRN_SECTION_PERSIST,
                         "the scene of the save has the slot %u, and its world had %u slots", most,
                         image.prelude.next_slot);
    }
    fr_image_close(&image);
    return result;
}

firn_result fr_scene_want_ids(const firn_saves *saves, const fr_scene *saved, const void *image,
                              size_t size, fr_renames *out, firn_error *err)
{
    uint32_t most = 0; // of the slots that are wanted
    fr_scene_walk walk = {{0, 0}, {0, 0}};
    fr_scene_part part;
    while (fr_scene_next(&walk, &saves->scene, saved, &part)) {
        if (!has_other_ids(&part)) {
            continue;
        }
        if (!want_ids_of_part(saves, &part, out)) {
            return fr_fail_memory(err, "ids");
        }
        uint32_t last = fr_slot(part.b) + part.count - 1;
        most = last > most ? last : most;
    }
    return out->count > 0 ? check_slots(saves, image, size, most, err) : FIRN_OK;
}

// ---------------------------------------------------------------- the scene after the load

// The scene on its way to what it is then.
typedef struct next_scene {
    const firn_saves *saves;
    const fr_scene *saved;
    const fr_known *brought;
    fr_renames moved;
    fr_map ids; // of the items
    fr_scene_item *items;
    uint32_t count;
} next_scene;

static uint32_t count_scene(const fr_scene *scene)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < scene->run_count; i++) {
        total += scene->runs[i].count;
    }
    return total;
}

// The id of an entity that does not live then: the one of the save, so that a load that makes it
// anew knows it, or, when there is none or others have it, one that nobody gets: the one of now may
// be given again.
static firn_entity id_of_dead(const next_scene *next, firn_entity now, firn_entity saved)
{
    uint32_t slot = fr_slot(now);
    if (saved != 0 && fr_map_get(&next->ids, saved) == FR_MAP_NONE) {
        return saved;
    }
    while (fr_map_get(&next->ids, fr_entity(slot, FIRN_GENERATION_MAX)) != FR_MAP_NONE) {
        slot = slot % FIRN_SLOT_MAX + 1;
    }
    return fr_entity(slot, FIRN_GENERATION_MAX);
}

static bool add_next_item(next_scene *next, uint64_t local, firn_entity id)
{
    next->items[next->count] = (fr_scene_item){.local = local, .entity = id};
    return fr_map_add(&next->saves->allocator, &next->ids, id, next->count++);
}

// Whether the load makes one that the scene file has no more.
static bool is_made(const next_scene *next, firn_entity saved)
{
    return fr_known_has(next->brought, saved) && fr_map_get(&next->ids, saved) == FR_MAP_NONE;
}

static bool add_made_items(next_scene *next)
{
    fr_scene_walk walk = {{0, 0}, {0, 0}};
    fr_scene_part part;
    bool memory = true;
    while (memory && fr_scene_next(&walk, &next->saves->scene, next->saved, &part)) {
        for (uint32_t i = 0; memory && part.a == 0 && i < part.count; i++) {
            memory = !is_made(next, part.b + i) || add_next_item(next, part.local + i, part.b + i);
        }
    }
    return memory;
}

// Adds those that live then, or all others. False: no memory.
static bool add_next_items(next_scene *next, bool living)
{
    const firn_world *world = next->saves->world;
    const fr_scene *scene = &next->saves->scene;
    for (uint32_t i = 0; i < scene->run_count; i++) {
        const fr_scene_run *run = &scene->runs[i];
        for (uint32_t k = 0; k < run->count; k++) {
            firn_entity id = run->first + k, saved = fr_scene_entity(next->saved, run->local + k);
            bool lives = firn_alive(world, id) && !fr_target_ends(world, id);
            if (lives != living) {
                continue;
            }
            id = lives ? fr_renames_new(&next->moved, id) : id_of_dead(next, id, saved);
            if (!add_next_item(next, run->local + k, id)) {
                return false;
            }
        }
    }
    return true;
}

static firn_result rebuild_scene(next_scene *next, fr_scene *out, firn_error *err)
{
    const firn_allocator *allocator = &next->saves->allocator;
    const fr_scene *scene = &next->saves->scene;
    uint32_t total = count_scene(scene) + count_scene(next->saved);
    next->items = fr_alloc(allocator, total, sizeof *next->items, alignof(fr_scene_item));
    firn_result result = next->items != NULL && add_next_items(next, true) &&
                                 add_made_items(next) && add_next_items(next, false)
                             ? fr_scene_make(allocator, scene->name, strlen(scene->name),
                                             next->items, next->count, out, err)
                             : fr_fail_memory(err, "a scene");
    fr_free(allocator, next->items, total, sizeof *next->items, alignof(fr_scene_item));
    fr_map_free(allocator, &next->ids);
    return result;
}

static bool note_moved(next_scene *next, const firn_merged *moved, uint32_t count)
{
    const firn_saves *saves = next->saves;
    bool memory = true;
    for (uint32_t i = 0; memory && i < count; i++) {
        memory = fr_scene_local(&saves->scene, moved[i].saved) == 0 ||
                 fr_renames_add(saves->world, &next->moved, moved[i].saved, moved[i].entity);
    }
    return memory;
}

// Those that are of the scene again are seen to persist.
static bool see_made(const firn_saves *saves, fr_scene *out)
{
    const firn_allocator *allocator = &saves->allocator;
    fr_scene made = {.name = NULL}; // a list of them
    fr_scene_walk walk = {{0, 0}, {0, 0}};
    fr_scene_part part;
    bool memory = true;
    while (memory && fr_scene_next(&walk, &saves->scene, out, &part)) {
        uint32_t count = part.a == 0 ? part.count : 0;
        memory = FR_RESERVE(allocator, made.seen, made.seen_room, made.seen_count + count);
        for (uint32_t i = 0; memory && i < count; i++) {
            fr_scene_add_seen(&made, (fr_scene_item){.local = part.local + i});
        }
    }
    memory = memory && fr_scene_see_more(allocator, out, made.seen, made.seen_count);
    fr_scene_free(allocator, &made);
    return memory;
}

// Those that were seen to persist, and those that are gone in the save, also where the scene file
// has them no more: a later one may have them again.
static bool see_all(const firn_saves *saves, const fr_scene *saved, fr_scene *out)
{
    const firn_allocator *allocator = &saves->allocator;
    const fr_scene *scene = &saves->scene;
    out->looked = scene->looked;
    out->seen_count = 0;
    return fr_scene_see_more(allocator, out, scene->seen, scene->seen_count) &&
           fr_scene_see_more(allocator, out, saved->seen, saved->seen_count) &&
           see_made(saves, out);
}

// Whether one has what the other has not, or calls it otherwise, be it dead.
static bool are_different(const fr_scene *scene, const fr_scene *saved)
{
    fr_scene_walk walk = {{0, 0}, {0, 0}};
    fr_scene_part part;
    while (fr_scene_next(&walk, scene, saved, &part)) {
        if (part.a != part.b) {
            return true;
        }
    }
    return false;
}

firn_result fr_scene_make_next(const firn_saves *saves, const fr_scene *saved,
                               const fr_known *brought, const firn_merged *moved, uint32_t count,
                               fr_scene *out, firn_error *err)
{
    next_scene next = {.saves = saves, .saved = saved, .brought = brought};
    fr_scene scene = {.name = NULL};
    firn_result result = note_moved(&next, moved, count) ? FIRN_OK : fr_fail_memory(err, "a scene");
    bool changes = next.moved.count > 0 || are_different(&saves->scene, saved);
    if (result == FIRN_OK && changes) {
        result = rebuild_scene(&next, &scene, err);
    } else if (result == FIRN_OK && !fr_scene_copy(&saves->allocator, &saves->scene, &scene)) {
        result = fr_fail_memory(err, "a scene");
    }
    if (result == FIRN_OK && !see_all(saves, saved, &scene)) {
        fr_scene_free(&saves->allocator, &scene);
        result = fr_fail_memory(err, "a scene");
    }
    fr_renames_free(saves->world, &next.moved);
    if (result == FIRN_OK) {
        *out = scene;
    }
    return result;
}
