// The entities of a scene: what the scene file calls them, and which of them persist.
#include "saves/scene.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/sort.h"
#include "store/entity_index.h"

#include <assert.h>
#include <stdalign.h>
#include <string.h>

void fr_scene_free(const firn_allocator *allocator, fr_scene *scene)
{
    fr_free_text(allocator, scene->name);
    FR_ARRAY_FREE(allocator, scene->runs, scene->run_room);
    FR_ARRAY_FREE(allocator, scene->by_id, scene->by_id_room);
    FR_ARRAY_FREE(allocator, scene->seen, scene->seen_room);
    fr_known_free(allocator, &scene->known);
    *scene = (fr_scene){.name = NULL};
}

void fr_scene_replace(const firn_allocator *allocator, fr_scene *scene, const fr_scene *next)
{
    fr_known known = scene->known;
    scene->known = (fr_known){.ids = NULL};
    fr_scene_free(allocator, scene);
    *scene = *next;
    scene->known = known;
}

// ---------------------------------------------------------------- order

static int compare_keys_of_scene(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_item_locals(const void *a, const void *b)
{
    return compare_keys_of_scene(((const fr_scene_item *)a)->local,
                                 ((const fr_scene_item *)b)->local);
}

static int compare_run_ids(const void *a, const void *b)
{
    return compare_keys_of_scene(((const fr_scene_run *)a)->first,
                                 ((const fr_scene_run *)b)->first);
}

// Puts `count` things of `size` bytes in order, by way of pointers. False: no memory.
static bool sort_things(const firn_allocator *allocator, void *things, uint32_t count, size_t size,
                        fr_compare compare)
{
    const void **order = fr_alloc(allocator, count, sizeof *order, alignof(void *));
    uint8_t *bytes = fr_alloc(allocator, count, size, alignof(uint64_t));
    bool memory = (order != NULL && bytes != NULL) || count == 0;
    for (uint32_t i = 0; memory && i < count; i++) {
        order[i] = (uint8_t *)things + i * size;
    }
    if (memory && count > 0) {
        fr_sort(order, count, compare);
        for (uint32_t i = 0; i < count; i++) {
            memcpy(bytes + i * size, order[i], size);
        }
        memcpy(things, bytes, count * size);
    }
    fr_free(allocator, bytes, count, size, alignof(uint64_t));
    fr_free(allocator, order, count, sizeof *order, alignof(void *));
    return memory;
}

// ---------------------------------------------------------------- runs

static bool continues(const fr_scene_run *run, const fr_scene_item *item)
{
    return item->local == run->local + run->count && item->entity == run->first + run->count &&
           fr_generation(item->entity) == fr_generation(run->first);
}

static bool append_item(const firn_allocator *allocator, fr_scene *scene, const fr_scene_item *item)
{
    if (scene->run_count > 0 && continues(&scene->runs[scene->run_count - 1], item)) {
        scene->runs[scene->run_count - 1].count++;
        return true;
    }
    if (!FR_RESERVE(allocator, scene->runs, scene->run_room, scene->run_count + 1)) {
        return false;
    }
    scene->runs[scene->run_count++] = (fr_scene_run){item->local, item->entity, 1};
    return true;
}

firn_result fr_scene_order(const firn_allocator *allocator, fr_scene *scene, firn_error *err)
{
    uint32_t count = scene->run_count;
    if (!FR_RESERVE(allocator, scene->by_id, scene->by_id_room, count)) {
        return fr_fail_memory(err, "a scene");
    }
    for (uint32_t i = 0; i < count; i++) {
        scene->by_id[i] = scene->runs[i];
    }
    if (!sort_things(allocator, scene->by_id, count, sizeof *scene->by_id, compare_run_ids)) {
        return fr_fail_memory(err, "a scene");
    }
    for (uint32_t i = 1; i < count; i++) {
        firn_entity entity = scene->by_id[i].first;
        if (entity - scene->by_id[i - 1].first < scene->by_id[i - 1].count) {
            return fr_fail_entity(err, FIRN_INVALID, entity, "entities",
                                  "the entity %llu is in the scene twice",
                                  (unsigned long long)entity);
        }
    }
    return FIRN_OK;
}

static firn_result make_runs(const firn_allocator *allocator, const fr_scene_item *items,
                             uint32_t count, fr_scene *scene, firn_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && items[i].local == items[i - 1].local) {
            return fr_fail(err, FIRN_INVALID, "locals", "two entities of the scene are %llu",
                           (unsigned long long)items[i].local);
        }
        if (!append_item(allocator, scene, &items[i])) {
            return fr_fail_memory(err, "a scene");
        }
    }
    return fr_scene_order(allocator, scene, err);
}

firn_result fr_scene_make(const firn_allocator *allocator, const char *name, size_t name_size,
                          fr_scene_item *items, uint32_t count, fr_scene *out, firn_error *err)
{
    fr_scene scene = {.name = fr_copy_text(allocator, name, name_size)};
    firn_result result = scene.name != NULL && sort_things(allocator, items, count, sizeof *items,
                                                           compare_item_locals)
                             ? make_runs(allocator, items, count, &scene, err)
                             : fr_fail_memory(err, "a scene");
    if (result != FIRN_OK) {
        fr_scene_free(allocator, &scene);
        return result;
    }
    *out = scene;
    return FIRN_OK;
}

static bool copy_runs(const firn_allocator *allocator, const fr_scene *scene, fr_scene *copy)
{
    copy->name = fr_copy_text(allocator, scene->name, strlen(scene->name));
    if (copy->name == NULL ||
        !FR_RESERVE(allocator, copy->runs, copy->run_room, scene->run_count) ||
        !FR_RESERVE(allocator, copy->by_id, copy->by_id_room, scene->run_count) ||
        !FR_RESERVE(allocator, copy->seen, copy->seen_room, scene->seen_count)) {
        return false;
    }
    copy->run_count = scene->run_count;
    copy->seen_count = scene->seen_count;
    for (uint32_t i = 0; i < scene->run_count; i++) {
        copy->runs[i] = scene->runs[i];
        copy->by_id[i] = scene->by_id[i];
    }
    for (uint32_t i = 0; i < scene->seen_count; i++) {
        copy->seen[i] = scene->seen[i];
    }
    return true;
}

bool fr_scene_copy(const firn_allocator *allocator, const fr_scene *scene, fr_scene *out)
{
    fr_scene copy = {.looked = scene->looked};
    if (scene->name != NULL && !copy_runs(allocator, scene, &copy)) {
        fr_scene_free(allocator, &copy);
        return false;
    }
    *out = copy;
    return true;
}

bool fr_scene_keep(const firn_allocator *allocator, const fr_scene *scene, fr_scene *out)
{
    fr_scene copy;
    if (!fr_scene_copy(allocator, scene, &copy)) {
        return false;
    }
    if (!fr_known_copy(allocator, &scene->known, &copy.known)) {
        fr_scene_free(allocator, &copy);
        return false;
    }
    *out = copy;
    return true;
}

// ---------------------------------------------------------------- who is who

// The last of the runs that begins at a local id, or at an entity, or before it; NULL: none does.
static const fr_scene_run *last_run(const fr_scene_run *runs, uint32_t count, bool by_id,
                                    uint64_t key)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((by_id ? runs[middle].first : runs[middle].local) <= key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0 ? NULL : &runs[low - 1];
}

firn_entity fr_scene_entity(const fr_scene *scene, uint64_t local)
{
    const fr_scene_run *run = last_run(scene->runs, scene->run_count, false, local);
    return run != NULL && local - run->local < run->count ? run->first + (local - run->local) : 0;
}

uint64_t fr_scene_local(const fr_scene *scene, firn_entity entity)
{
    const fr_scene_run *run = last_run(scene->by_id, scene->run_count, true, entity);
    return run != NULL && entity - run->first < run->count ? run->local + (entity - run->first) : 0;
}

// ---------------------------------------------------------------- who persists

void fr_scene_add_seen(fr_scene *scene, fr_scene_item item)
{
    assert(scene->seen_count < scene->seen_room);
    scene->seen[scene->seen_count++] = item;
}

bool fr_scene_has_seen(const fr_scene *scene, uint64_t local)
{
    uint32_t first = 0, end = scene->seen_count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (scene->seen[middle].local < local) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first < scene->seen_count && scene->seen[first].local == local;
}

firn_result fr_scene_look(const firn_allocator *allocator, fr_scene *scene, const firn_world *world,
                          firn_error *err)
{
    if (scene->looked) {
        return FIRN_OK;
    }
    firn_component persist = firn_persist_component(world);
    scene->seen_count = 0;
    for (uint32_t i = 0; i < scene->run_count; i++) {
        const fr_scene_run *run = &scene->runs[i];
        for (uint32_t k = 0; k < run->count; k++) {
            const firn_persist *row = firn_get(world, run->first + k, persist);
            if (row == NULL) {
                continue;
            }
            if (!FR_RESERVE(allocator, scene->seen, scene->seen_room, scene->seen_count + 1)) {
                return fr_fail_memory(err, "a scene");
            }
            fr_scene_add_seen(scene, (fr_scene_item){run->local + k, run->first + k,
                                                     row->mode != FIRN_PERSIST_ALL});
        }
    }
    scene->looked = true;
    return FIRN_OK;
}

firn_result fr_scene_see(const firn_allocator *allocator, fr_scene *scene, const firn_world *world,
                         const fr_root *roots, uint32_t count, firn_error *err)
{
    fr_scene next = {.name = NULL};
    bool memory = FR_RESERVE(allocator, next.seen, next.seen_room, scene->seen_count + count);
    for (uint32_t i = 0; memory && i < scene->seen_count; i++) {
        if (!firn_alive(world, scene->seen[i].entity)) {
            fr_scene_add_seen(&next, scene->seen[i]);
        }
    }
    for (uint32_t i = 0; memory && i < count; i++) {
        uint64_t local = fr_scene_local(scene, roots[i].entity);
        if (local != 0) {
            bool partial = roots[i].row->mode != FIRN_PERSIST_ALL;
            fr_scene_add_seen(&next, (fr_scene_item){local, roots[i].entity, partial});
        }
    }
    memory = memory && sort_things(allocator, next.seen, next.seen_count, sizeof *next.seen,
                                   compare_item_locals);
    if (!memory) {
        fr_scene_free(allocator, &next);
        return fr_fail_memory(err, "a scene");
    }
    FR_ARRAY_FREE(allocator, scene->seen, scene->seen_room);
    scene->seen = next.seen;
    scene->seen_count = next.seen_count;
    scene->seen_room = next.seen_room;
    return FIRN_OK;
}

bool fr_scene_see_more(const firn_allocator *allocator, fr_scene *scene, const fr_scene_item *items,
                       uint32_t count)
{
    fr_scene next = {.name = NULL};
    uint32_t a = 0, b = 0;
    if (!FR_RESERVE(allocator, next.seen, next.seen_room, scene->seen_count + count)) {
        return false;
    }
    while (a < scene->seen_count || b < count) {
        uint64_t x = a < scene->seen_count ? scene->seen[a].local : UINT64_MAX;
        uint64_t y = b < count ? items[b].local : UINT64_MAX;
        fr_scene_item item = x <= y ? scene->seen[a] : items[b];
        a += x <= y;
        b += y <= x;
        item.entity = fr_scene_entity(scene, item.local);
        fr_scene_add_seen(&next, item);
    }
    FR_ARRAY_FREE(allocator, scene->seen, scene->seen_room);
    scene->seen = next.seen;
    scene->seen_count = next.seen_count;
    scene->seen_room = next.seen_room;
    return true;
}

// ---------------------------------------------------------------- two scenes

// What is left of the run that a walk is in; count 0: the end.
static fr_scene_run rest_of_run(const fr_scene_walk *walk, const fr_scene *scene, int which)
{
    uint32_t run = walk->run[which], offset = walk->offset[which];
    if (run >= scene->run_count) {
        return (fr_scene_run){UINT64_MAX, 0, 0};
    }
    const fr_scene_run *at = &scene->runs[run];
    return (fr_scene_run){at->local + offset, at->first + offset, at->count - offset};
}

static void step_over(fr_scene_walk *walk, const fr_scene *scene, int which, uint32_t count)
{
    walk->offset[which] += count;
    if (walk->offset[which] == scene->runs[walk->run[which]].count) {
        walk->run[which]++;
        walk->offset[which] = 0;
    }
}

bool fr_scene_next(fr_scene_walk *walk, const fr_scene *a, const fr_scene *b, fr_scene_part *out)
{
    const fr_scene_run x = rest_of_run(walk, a, 0), y = rest_of_run(walk, b, 1);
    if (x.count == 0 && y.count == 0) {
        return false;
    }
    bool in_a = x.local <= y.local, in_b = y.local <= x.local;
    const fr_scene_run *first = in_a ? &x : &y;
    *out = (fr_scene_part){first->local, in_a ? x.first : 0, in_b ? y.first : 0, first->count};
    uint64_t most = in_a && in_b ? y.count : (in_a ? y.local : x.local) - first->local;
    out->count = out->count < most ? out->count : (uint32_t)most;
    if (in_a) {
        step_over(walk, a, 0, out->count);
    }
    if (in_b) {
        step_over(walk, b, 1, out->count);
    }
    return true;
}
