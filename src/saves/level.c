// Levels and scenes: what the game tells of them, and how it goes from one to the next.
#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/utf8.h"
#include "firn/bus.h"
#include "saves/file.h"
#include "saves/saves.h"
#include "store/relation.h"

#include <assert.h>
#include <stdalign.h>
#include <string.h>

// ---------------------------------------------------------------- what is told

// A level that is entered tells its scene while the manager is busy, and may have destroyed the
// world of before.
static firn_result check_may_tell(const firn_saves *saves, firn_error *err)
{
    if (saves != NULL && saves->entering) {
        return FIRN_OK;
    }
    firn_result result = fr_saves_check(saves, err);
    return result == FIRN_OK ? fr_saves_check_free(saves, err) : result;
}

static firn_result check_told(const firn_saves *saves, const char *name,
                              const firn_entity *entities, const uint64_t *locals, uint32_t n,
                              firn_error *err)
{
    firn_result result = fr_check_text_name(name, FR_SAVE_TEXT_MOST, "scene", NULL, err);
    if (result == FIRN_OK && n > 0 && (entities == NULL || locals == NULL)) {
        const char *what = entities == NULL ? "entities" : "locals";
        return fr_fail(err, FIRN_INVALID, what, "%s is NULL, with a count of %u", what, n);
    }
    if (result == FIRN_OK && n > saves->limits.entities) {
        return fr_fail(err, FIRN_LIMIT, "entities", "a scene of %u entities: the limit is %u", n,
                       saves->limits.entities);
    }
    for (uint32_t i = 0; result == FIRN_OK && i < n; i++) {
        if (locals[i] == 0 || locals[i] >= FR_LOCAL_END) {
            return fr_fail(err, FIRN_INVALID, "locals",
                           "the local id %llu of entity %u is not 1 to 2^53 - 1",
                           (unsigned long long)locals[i], i);
        }
        if (fr_slot(entities[i]) == 0 || entities[i] >= FR_LOCAL_END) {
            return fr_fail(err, FIRN_INVALID, "entities", "entity %u of the scene is none", i);
        }
    }
    return result;
}

static firn_result make_told(const firn_saves *saves, const char *name, const firn_entity *entities,
                             const uint64_t *locals, uint32_t n, fr_scene *out, firn_error *err)
{
    const firn_allocator *allocator = &saves->allocator;
    fr_scene_item *items =
        n == 0 ? NULL : fr_alloc(allocator, n, sizeof *items, alignof(fr_scene_item));
    if (items == NULL && n > 0) {
        return fr_fail_memory(err, "a scene");
    }
    for (uint32_t i = 0; i < n; i++) {
        items[i] = (fr_scene_item){.local = locals[i], .entity = entities[i]};
    }
    firn_result result = fr_scene_make(allocator, name, strlen(name), items, n, out, err);
    fr_free(allocator, items, n, sizeof *items, alignof(fr_scene_item));
    return result;
}

firn_result firn_saves_scene(firn_saves *saves, const char *name, const firn_entity *entities,
                             const uint64_t *locals, uint32_t n, firn_error *err)
{
    firn_result result = check_may_tell(saves, err);
    if (result == FIRN_OK && !saves->scenes) {
        result = fr_fail(err, FIRN_UNSUPPORTED, "kind",
                         "the manager saves whole worlds, which need no scenes");
    }
    if (result == FIRN_OK) {
        result = check_told(saves, name, entities, locals, n, err);
    }
    fr_scene scene;
    if (result == FIRN_OK) {
        result = make_told(saves, name, entities, locals, n, &scene, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    // A level that is entered may bring another world, in which they are looked at afterwards.
    if (!saves->entering) {
        result = fr_scene_look(&saves->allocator, &scene, saves->world, err);
    }
    if (result != FIRN_OK) {
        fr_scene_free(&saves->allocator, &scene);
        return result;
    }
    fr_scene_replace(&saves->allocator, &saves->scene, &scene);
    return FIRN_OK;
}

const char *firn_saves_scene_name(const firn_saves *saves)
{
    return saves == NULL ? NULL : saves->scene.name;
}

firn_entity firn_saves_scene_entity(const firn_saves *saves, uint64_t local)
{
    return saves == NULL ? 0 : fr_scene_entity(&saves->scene, local);
}

uint64_t firn_saves_scene_local(const firn_saves *saves, firn_entity entity)
{
    return saves == NULL ? 0 : fr_scene_local(&saves->scene, entity);
}

// ---------------------------------------------------------------- leaving

// Who is carried, with children, and everybody else.
typedef struct scene_leave {
    firn_world *world;
    fr_picks carried;
    fr_map stays; // slot -> generation
    firn_entity *ending;
    uint32_t ending_count;
    uint32_t ending_room;
} scene_leave;

bool fr_carried_pick(const firn_world *world, fr_picks *out)
{
    firn_component carry = firn_carry_component(world);
    uint32_t index = carry == 0 ? FR_NO_COMPONENT : fr_component_index(world, carry);
    bool memory = true;
    for (uint32_t i = 0; memory && carry != 0 && i < world->order_count; i++) {
        const fr_archetype *archetype = world->archetypes[world->order[i]];
        bool has = fr_archetype_term(archetype, index) >= 0;
        for (uint32_t row = 0; memory && has && row < archetype->count; row++) {
            memory = fr_picks_add_tree(world, out, firn_child_of(world), archetype->entities[row]);
        }
    }
    return memory;
}

static bool note_carried(scene_leave *leave)
{
    const firn_world *world = leave->world;
    bool memory = fr_carried_pick(world, &leave->carried) &&
                  fr_map_reserve(&world->allocator, &leave->stays, leave->carried.count);
    for (uint32_t i = 0; memory && i < leave->carried.count; i++) {
        firn_entity entity = leave->carried.entities[i];
        (void)fr_map_add(NULL, &leave->stays, fr_slot(entity), fr_generation(entity));
    }
    return memory;
}

static bool note_others(scene_leave *leave)
{
    const firn_world *world = leave->world;
    for (uint32_t i = 0; i < world->order_count; i++) {
        const fr_archetype *archetype = world->archetypes[world->order[i]];
        if (!FR_RESERVE(&world->allocator, leave->ending, leave->ending_room,
                        leave->ending_count + archetype->count)) {
            return false;
        }
        for (uint32_t row = 0; row < archetype->count; row++) {
            firn_entity entity = archetype->entities[row];
            if (!fr_picks_have(&leave->carried, fr_slot(entity))) {
                leave->ending[leave->ending_count++] = entity;
            }
        }
    }
    return true;
}

static firn_result end_others(firn_world *world, firn_error *err)
{
    scene_leave leave = {.world = world};
    firn_result result = note_carried(&leave) && note_others(&leave)
                             ? FIRN_OK
                             : fr_fail_memory(err, "what is carried");
    if (result == FIRN_OK) {
        result = fr_targets_end(world, leave.ending, leave.ending_count, &leave.stays, err);
    }
    fr_picks_free(world, &leave.carried);
    fr_map_free(&world->allocator, &leave.stays);
    FR_ARRAY_FREE(&world->allocator, leave.ending, leave.ending_room);
    return result;
}

firn_result firn_saves_leave(firn_saves *saves, firn_error *err)
{
    firn_result result = check_may_tell(saves, err);
    if (result == FIRN_OK) {
        result = fr_saves_check(saves, err);
    }
    if (result == FIRN_OK) {
        result = fr_world_settle(saves->world, err);
    }
    if (result == FIRN_OK) {
        result = end_others(saves->world, err);
    }
    if (result == FIRN_OK) {
        const fr_scene none = {.name = NULL};
        fr_scene_replace(&saves->allocator, &saves->scene, &none);
        saves->left = true;
    }
    return result;
}

// ---------------------------------------------------------------- entering

firn_result fr_level_enter(firn_saves *saves, const char *name, bool for_restore,
                           firn_world **world, firn_error *err)
{
    const firn_levels *levels = &saves->levels;
    firn_error why;
    fr_error_begin(&why);
    saves->entering = true;
    saves->left = false;
    firn_result result = levels->enter(levels->user, name, for_restore, world, &why);
    saves->entering = false;
    if (result != FIRN_OK && why.message[0] == 0) {
        return fr_fail(err, result, name, "the level \"%.200s\" cannot be entered: %s", name,
                       firn_result_text(result));
    }
    if (result != FIRN_OK) {
        fr_error_complete(&why, result);
        return fr_fail_copy(err, &why);
    }
    return FIRN_OK;
}

firn_result fr_level_bind(firn_saves *saves, const char *name, firn_world *world, firn_error *err)
{
    if (world == NULL) {
        return fr_fail(err, FIRN_INVALID, name, "the level \"%.200s\" has no world", name);
    }
    firn_result result = FIRN_OK;
    if (world != saves->world) {
        fr_known_free(&saves->allocator, &saves->scene.known);
        result = fr_saves_bind(saves, world, err);
    }
    return result == FIRN_OK ? fr_scene_look(&saves->allocator, &saves->scene, world, err) : result;
}

void fr_level_take_bus(firn_world *before, firn_world *world)
{
    firn_bus *bus = firn_world_bus(world);
    if (bus == NULL || before == world) {
        return;
    }
    bool shared = before != NULL && firn_world_bus(before) == bus;
    firn_result result = firn_world_bind(shared ? before : NULL, world, NULL);
    assert(result == FIRN_OK); // nothing runs in any of them
    (void)result;
}

firn_result fr_level_check(const firn_saves *saves, const char *level, firn_error *err)
{
    firn_error why;
    if (level == NULL || (level[0] != 0 && fr_check_text_name(level, FR_SAVE_TEXT_MOST, "level",
                                                              NULL, &why) != FIRN_OK)) {
        return fr_fail(err, FIRN_INVALID, "level", "%s",
                       level == NULL ? "level is NULL" : why.message);
    }
    return saves->levels.enter != NULL
               ? FIRN_OK
               : fr_fail(err, FIRN_INVALID, "levels", "the manager has no levels to enter");
}

firn_result firn_saves_enter(firn_saves *saves, const char *level, firn_error *err)
{
    firn_result result = fr_saves_check_ready(saves, "firn_saves_request_enter", err);
    if (result == FIRN_OK) {
        result = fr_level_check(saves, level, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    firn_world *world = saves->world;
    saves->busy = "a change of level";
    result = fr_level_enter(saves, level, false, &world, err);
    firn_world *before = saves->world; // NULL: the level destroyed it
    if (result == FIRN_OK) {
        result = fr_level_bind(saves, level, world, err);
    }
    if (result == FIRN_OK) {
        fr_level_take_bus(before, world);
    }
    saves->busy = NULL;
    return result;
}
