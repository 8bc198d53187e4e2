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

// Whether both have the entities of a part, under other ids.
static bool has_other_ids(const fr_scene_part *part)
{
    return part->a != 0 && part->b != 0 && part->a != part->b;
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

// The generations in the slots of an image. False: it is none, or there is no memory.
static bool map_slots(const firn_world *world, const void *bytes, size_t size, fr_map *out)
{
    fr_image image;
    bool opened = fr_image_open(&image, bytes, size, &world->limits, &world->allocator, true, NULL,
                                NULL, NULL) == FIRN_OK;
    bool good = opened;
    for (uint32_t f = 0; good && f < image.frame_count; f++) {
        for (uint32_t row = 0; good && row < image.frames[f].rows; row++) {
            firn_entity id = fr_frame_id(&image.frames[f], row);
            good = fr_map_add(&world->allocator, out, fr_slot(id), fr_generation(id));
        }
    }
    if (opened) {
        fr_image_close(&image);
    }
    return good;
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
    bool fits =
        map_slots(saves->world, image, size, &slots) && differ_as_they_must(now, saved, &slots);
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

firn_result fr_scene_compare(const firn_saves *saves, const fr_scene *saved,
                             firn_saves_loaded *loaded, firn_error *err)
{
    const firn_allocator *allocator = &loaded->allocator;
    uint64_t *missing = NULL, *added = NULL;
    fr_scene_walk walk = {{0, 0}, {0, 0}};
    fr_scene_part part;
    bool memory = true;
    while (memory && fr_scene_next(&walk, &saves->scene, saved, &part)) {
        if (part.a == 0) {
            memory = list_locals(allocator, &part, &missing, &loaded->scene_missing_count,
                                 &loaded->missing_room);
        } else if (part.b == 0) {
            memory =
                list_locals(allocator, &part, &added, &loaded->scene_new_count, &loaded->new_room);
        }
    }
    loaded->scene_missing = missing;
    loaded->scene_new = added;
    return memory ? FIRN_OK : fr_fail_memory(err, "a scene");
}

firn_result fr_scene_bury(const firn_saves *saves, const fr_scene *saved, fr_picks *governed,
                          firn_error *err)
{
    bool memory = true;
    for (uint32_t i = 0; memory && i < saved->seen_count; i++) {
        firn_entity entity = fr_scene_entity(&saves->scene, saved->seen[i].local);
        memory = !firn_alive(saves->world, entity) || fr_picks_add(saves->world, governed, entity);
    }
    return memory ? FIRN_OK : fr_fail_memory(err, "entities");
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
// anew knows it, or the one of now, or, when others have both, one that nobody gets.
static firn_entity id_of_dead(const next_scene *next, firn_entity now, firn_entity saved)
{
    if (saved != 0 && fr_map_get(&next->ids, saved) == FR_MAP_NONE) {
        return saved;
    }
    return fr_map_get(&next->ids, now) == FR_MAP_NONE
               ? now
               : fr_entity(fr_slot(now), FIRN_GENERATION_MAX);
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
            if (!fr_map_add(&next->saves->allocator, &next->ids, id, next->count)) {
                return false;
            }
            next->items[next->count++] = (fr_scene_item){.local = run->local + k, .entity = id};
        }
    }
    return true;
}

static firn_result rebuild_scene(next_scene *next, fr_scene *out, firn_error *err)
{
    const firn_allocator *allocator = &next->saves->allocator;
    const fr_scene *scene = &next->saves->scene;
    uint32_t total = count_scene(scene);
    next->items = fr_alloc(allocator, total, sizeof *next->items, alignof(fr_scene_item));
    firn_result result =
        next->items != NULL && add_next_items(next, true) && add_next_items(next, false)
            ? fr_scene_make(allocator, scene->name, strlen(scene->name), next->items, next->count,
                            out, err)
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

// Those that were seen to persist, and those that are gone in the save, also where the scene file
// has them no more: a later one may have them again.
static bool see_all(const firn_saves *saves, const fr_scene *saved, fr_scene *out)
{
    const fr_scene *scene = &saves->scene;
    uint32_t a = 0, b = 0;
    out->looked = scene->looked;
    if (!FR_RESERVE(&saves->allocator, out->seen, out->seen_room,
                    scene->seen_count + saved->seen_count)) {
        return false;
    }
    out->seen_count = 0;
    while (a < scene->seen_count || b < saved->seen_count) {
        uint64_t x = a < scene->seen_count ? scene->seen[a].local : UINT64_MAX;
        uint64_t y = b < saved->seen_count ? saved->seen[b].local : UINT64_MAX;
        uint64_t local = x < y ? x : y;
        bool partial = x == local && scene->seen[a].partial;
        a += x == local;
        b += y == local;
        fr_scene_add_seen(out, (fr_scene_item){local, fr_scene_entity(out, local), partial});
    }
    return true;
}

firn_result fr_scene_make_next(const firn_saves *saves, const fr_scene *saved,
                               const firn_merged *moved, uint32_t count, fr_scene *out,
                               firn_error *err)
{
    next_scene next = {.saves = saves, .saved = saved};
    fr_scene scene = {.name = NULL};
    firn_result result = note_moved(&next, moved, count) ? FIRN_OK : fr_fail_memory(err, "a scene");
    bool changes = next.moved.count > 0 || !have_equal_ids(&saves->scene, saved);
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
