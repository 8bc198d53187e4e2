// firn_world_create: the store's world, and what a game finds in every world.
#include "builtin/game.h"

#include "base/alloc.h"
#include "base/error.h"
#include "firn/relation.h"
#include "store/world_copy.h"

#include <stdalign.h>
#include <stdio.h>

fr_game *fr_game_of(const firn_world *world)
{
    return world == NULL ? NULL : world->parts[FR_PART_GAME].data;
}

firn_result fr_game_enter(firn_world *world, fr_game **game, firn_error *err)
{
    firn_result result = fr_world_check_unlocked(world, err);
    if (result != FIRN_OK) {
        return result;
    }
    *game = fr_game_of(world);
    return *game != NULL ? FIRN_OK
                         : fr_fail(err, FIRN_INVALID, "world", "the world is being destroyed");
}

firn_result fr_game_settle(firn_world *world, fr_game **game, firn_error *err)
{
    firn_result result = fr_game_enter(world, game, err);
    if (result == FIRN_OK) {
        result = fr_world_check_idle(world, err);
    }
    return result == FIRN_OK ? fr_world_settle(world, err) : result;
}

firn_result fr_game_close_loops(firn_world *world, const char *what, const char *name,
                                firn_error *err)
{
    if (world->open_loops == 0) {
        return FIRN_OK;
    }
#ifndef NDEBUG
    firn_error why;
    fr_query_busy(world, world->loop_query, &why);
    fprintf(stderr, "firn: the %s \"%s\" left a loop over the query %s open\n", what, name,
            why.subject);
#else
    (void)what, (void)name;
#endif
    return fr_world_close_loops(world, err);
}

// Handles of two worlds, and of two kinds, differ in their upper bits. The component base has 32
// bits from the world's address above bit 20.
static uint64_t handle_base(const firn_world *world, uint64_t kind, uint32_t shift)
{
    uint64_t mixed = ((world->component_base >> 20) ^ kind) * UINT64_C(0x9e3779b97f4a7c15);
    return mixed >> (11 + shift) << shift | 1;
}

static void destroy_game(firn_world *world, void *data)
{
    fr_game *game = data;
    const firn_allocator *allocator = &world->allocator;
    // What is destroyed after it finds no game.
    world->parts[FR_PART_GAME] = (fr_part){0};
    fr_streams_free(allocator, &game->streams);
    fr_states_free(allocator, &game->states);
    fr_pipeline_free(allocator, &game->pipeline);
    fr_classes_free(world, &game->classes);
    fr_script_free(allocator, &game->script);
    fr_free(allocator, game, 1, sizeof *game, alignof(fr_game));
}

static firn_result install_child_of(firn_world *world, fr_game *game, firn_error *err)
{
    const firn_component_desc desc = {
        .name = "ChildOf",
        .kind = FIRN_RELATION,
        .relation = FIRN_SPARSE | FIRN_EXCLUSIVE | FIRN_REVERSE | FIRN_CASCADE,
    };
    firn_error why;
    game->child_of = firn_component_register(world, &desc, &why);
    return game->child_of != 0 ? FIRN_OK : fr_fail_copy(err, &why);
}

firn_component firn_child_of(const firn_world *world)
{
    const fr_game *game = fr_game_of(world);
    return game == NULL ? 0 : game->child_of;
}

static firn_result install_game(firn_world *world, firn_error *err)
{
    fr_game *game = fr_alloc_zero(&world->allocator, 1, sizeof *game, alignof(fr_game));
    if (game == NULL) {
        return fr_fail_memory(err, "a world");
    }
    world->parts[FR_PART_GAME] = (fr_part){game, destroy_game};
    game->state_base = handle_base(world, 1, 20);
    game->phase_base = handle_base(world, 2, 20);
    game->system_base = handle_base(world, 3, 32);
    game->class_base = handle_base(world, 4, 20);
    firn_result result = fr_keys_install(world, game, err);
    if (result == FIRN_OK) {
        result = install_child_of(world, game, err);
    }
    if (result == FIRN_OK) {
        result = fr_states_install(world, game, err);
    }
    if (result == FIRN_OK) {
        result = fr_pipeline_install(world, game, err);
    }
    if (result == FIRN_OK) {
        result = fr_streams_install(world, &game->streams, err);
    }
    return result == FIRN_OK ? fr_script_install(world, game, err) : result;
}

firn_world *fr_world_assemble(const firn_world_desc *desc, const firn_world *original,
                              firn_error *err)
{
    firn_world *world = fr_world_make(desc, err);
    if (world != NULL && original != NULL) {
        fr_world_share_handles(world, original);
    }
    if (world != NULL && install_game(world, err) != FIRN_OK) {
        firn_world_destroy(world);
        return NULL;
    }
    return world;
}

firn_world *firn_world_create(const firn_world_desc *desc, firn_error *err)
{
    return fr_world_assemble(desc, NULL, err);
}
