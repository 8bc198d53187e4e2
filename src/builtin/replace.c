// Replacement worlds: firn_world_build_from.
#include "firn/replace.h"
#include "builtin/game.h"
#include "plugin/registry.h"
#include "store/world_copy.h"

#include "base/error.h"

static firn_result check_original(firn_world *original, firn_error *err)
{
    if (original == NULL) {
        return fr_fail(err, FIRN_INVALID, "original", "original is NULL");
    }
    fr_game *game;
    firn_result result = fr_game_enter(original, &game, err);
    return result == FIRN_OK ? fr_registry_check_idle(original, err) : result;
}

// A world without entities that has what the original has registered.
static firn_world *make_like(const firn_world *original, firn_error *err)
{
    const firn_world_desc desc = {
        .allocator = &original->allocator,
        .limits = &original->limits,
        .bus = firn_world_bus(original),
    };
    firn_world *world = fr_world_assemble(&desc, original, err);
    if (world == NULL) {
        return NULL;
    }
    firn_result result = firn_world_detach(world, err);
    if (result == FIRN_OK) {
        result = fr_world_copy(world, original, err);
    }
    if (result == FIRN_OK) {
        result = fr_game_copy(world, original, err);
    }
    if (result == FIRN_OK) {
        result = fr_registry_copy(world, original, err);
    }
    if (result != FIRN_OK) {
        firn_world_destroy(world);
        return NULL;
    }
    return world;
}

firn_world *firn_world_build_from(firn_world *original, const void *image, size_t size,
                                  const firn_load_options *options, firn_load_report *report,
                                  firn_error *err)
{
    if (report != NULL) {
        *report = (firn_load_report){0};
    }
    if (check_original(original, err) != FIRN_OK) {
        return NULL;
    }
    firn_world *world = make_like(original, err);
    if (world != NULL && firn_snapshot_load(world, image, size, options, report, err) != FIRN_OK) {
        firn_world_destroy(world);
        world = NULL;
        if (report != NULL) {
            report->committed = false;
        }
    }
    return world;
}
