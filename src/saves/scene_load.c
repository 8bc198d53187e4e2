// The scene that a load is in, brought to what the save knows of it: ids, and who is gone.
#include "saves/scene_load.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "snapshot/image.h"
#include "store/relation.h"

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

bool fr_scene_fits(const fr_scene *now, const fr_scene *saved)
{
    return now->name != NULL && strcmp(now->name, saved->name) == 0 && have_equal_ids(now, saved);
}

static bool list_locals(const firn_allocator *allocator, const fr_scene_part *part,
                        uint64_t **locals, uint32_t *count, uint32_t *room)
{
    if (!FR_RESERVE(allocator, *locals, *room, *count + part->count)) {
        return false;
    }
    for (uint32_t i = 0; i < part->count; i++) {
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
    for (uint32_t i = 0; i < saved->seen_count; i++) {
        firn_entity entity = fr_scene_entity(&saves->scene, saved->seen[i].local);
        if (firn_alive(saves->world, entity) && !fr_picks_add(saves->world, governed, entity)) {
            return fr_fail_memory(err, "entities");
        }
    }
    return FIRN_OK;
}

void fr_scene_spare_new(const firn_saves *saves, const fr_scene *saved, fr_picks *governed)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < governed->count; i++) {
        uint64_t local = fr_scene_local(&saves->scene, governed->entities[i]);
        if (local == 0 || fr_scene_entity(saved, local) != 0) {
            governed->entities[count++] = governed->entities[i];
        }
    }
    governed->count = count;
}

// ---------------------------------------------------------------- ids

static bool want_ids_of_part(const firn_saves *saves, const fr_scene_part *part, fr_scene_ids *out)
{
    for (uint32_t i = 0; i < part->count; i++) {
        firn_entity now = part->a + i, wanted = part->b + i;
        if (!firn_alive(saves->world, now)) {
            continue;
        }
        if (!fr_renames_add(saves->world, &out->renames, now, wanted)) {
            return false;
        }
        out->most = fr_slot(wanted) > out->most ? fr_slot(wanted) : out->most;
    }
    return true;
}

// One that the scene of the save did not have is another one than the entity of the save that has
// its id: it moves behind all slots.
static bool move_new(const firn_saves *saves, const fr_scene *saved, const fr_image *image,
                     fr_renames *renames)
{
    const firn_world *world = saves->world;
    uint32_t now = world->index.next_slot, then = image->prelude.next_slot;
    uint32_t fresh = now > then ? now : then;
    for (uint32_t f = 0; f < image->frame_count; f++) {
        for (uint32_t row = 0; row < image->frames[f].rows; row++) {
            firn_entity id = fr_frame_id(&image->frames[f], row);
            uint64_t local = fr_scene_local(&saves->scene, id);
            bool is_new = local != 0 && fr_scene_entity(saved, local) == 0;
            if (is_new && firn_alive(world, id) &&
                !fr_renames_add(world, renames, id, fr_entity(fresh++, 0))) {
                return false;
            }
        }
    }
    return true;
}

static firn_result ask_image(const firn_saves *saves, const fr_scene *saved, const void *bytes,
                             size_t size, fr_scene_ids *out, firn_error *err)
{
    const firn_world *world = saves->world;
    fr_image image;
    firn_result result = fr_image_open(&image, bytes, size, &world->limits, &world->allocator,
                                       false, NULL, NULL, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (out->most >= image.prelude.next_slot) {
        result = fr_fail(err, FIRN_CORRUPT, FIRN_SECTION_PERSIST,
                         "the scene of the save has the slot %u, and its world had %u slots",
                         out->most, image.prelude.next_slot);
    } else if (!move_new(saves, saved, &image, &out->renames)) {
        result = fr_fail_memory(err, "ids");
    }
    fr_image_close(&image);
    return result;
}

firn_result fr_scene_want_ids(const firn_saves *saves, const fr_scene *saved, const void *image,
                              size_t size, fr_scene_ids *out, firn_error *err)
{
    fr_scene_walk walk = {{0, 0}, {0, 0}};
    fr_scene_part part;
    while (fr_scene_next(&walk, &saves->scene, saved, &part)) {
        out->has_new = out->has_new || part.b == 0;
        if (has_other_ids(&part) && !want_ids_of_part(saves, &part, out)) {
            return fr_fail_memory(err, "ids");
        }
    }
    return out->has_new || out->renames.count > 0 ? ask_image(saves, saved, image, size, out, err)
                                                  : FIRN_OK;
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

// Adds those that live then, or all others but who has the id of one that does. False: no memory.
static bool add_next_items(next_scene *next, bool living)
{
    const firn_world *world = next->saves->world;
    const fr_scene *scene = &next->saves->scene;
    for (uint32_t i = 0; i < scene->run_count; i++) {
        const fr_scene_run *run = &scene->runs[i];
        for (uint32_t k = 0; k < run->count; k++) {
            firn_entity id = run->first + k, saved = fr_scene_entity(next->saved, run->local + k);
            bool lives = firn_alive(world, id) && !fr_target_ends(world, id);
            id = lives ? fr_renames_new(&next->moved, id) : saved != 0 ? saved : id;
            if (lives != living || fr_map_get(&next->ids, id) != FR_MAP_NONE) {
                continue;
            }
            if (!fr_map_add(&next->saves->allocator, &next->ids, id, next->count)) {
                return false;
            }
            next->items[next->count++] = (fr_scene_item){run->local + k, id};
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

// Those that were seen to persist, and those that are gone in the save.
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
        firn_entity entity = fr_scene_entity(out, local);
        a += x == local;
        b += y == local;
        if (entity != 0) {
            out->seen[out->seen_count++] = (fr_scene_item){local, entity};
        }
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
