// Changes of structure as a game calls them: at once, or deferred inside a loop.
#include "base/error.h"
#include "store/entity.h"

firn_result firn_spawn_many(firn_world *world, const firn_component *components, uint32_t count,
                            uint32_t n, firn_entity *out, firn_error *err)
{
    bool deferred;
    firn_result result = fr_world_enter(world, &deferred, err);
    if (result == FIRN_OK) {
        result = fr_world_resolve(world, components, count, "components", err);
    }
    if (result != FIRN_OK || n == 0) {
        return result;
    }
    if (deferred) {
        return fr_commands_push_spawn(world, world->scratch_components, count, n, out, err);
    }
    return fr_entities_make(world, world->scratch_components, count, n, out, err);
}

firn_entity firn_spawn(firn_world *world, const firn_component *components, uint32_t count,
                       firn_error *err)
{
    firn_entity entity;
    return firn_spawn_many(world, components, count, 1, &entity, err) == FIRN_OK ? entity : 0;
}

firn_result firn_despawn(firn_world *world, firn_entity entity, firn_error *err)
{
    bool deferred;
    firn_result result = fr_world_enter(world, &deferred, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (deferred) {
        result = fr_world_check_alive(world, entity, err);
        return result != FIRN_OK
                   ? result
                   : fr_commands_push(world, FR_COMMAND_DESPAWN, entity, NULL, 0, NULL, err);
    }
    fr_archetype *archetype;
    uint32_t row;
    result = fr_world_locate(world, entity, &archetype, &row, err);
    if (result == FIRN_OK) {
        fr_entity_end(world, archetype, row);
    }
    return result;
}

static firn_result change_components(firn_world *world, fr_command_kind kind, firn_entity entity,
                                     const firn_component *components, uint32_t count,
                                     firn_error *err)
{
    bool deferred;
    fr_archetype *archetype = NULL;
    uint32_t row = 0;
    firn_result result = fr_world_enter(world, &deferred, err);
    if (result == FIRN_OK) {
        result = deferred ? fr_world_check_alive(world, entity, err)
                          : fr_world_locate(world, entity, &archetype, &row, err);
    }
    if (result == FIRN_OK) {
        result = fr_world_resolve(world, components, count, "components", err);
    }
    if (result != FIRN_OK || count == 0) {
        return result;
    }
    const uint32_t *indices = world->scratch_components;
    if (deferred) {
        return fr_commands_push(world, kind, entity, indices, count, NULL, err);
    }
    return kind == FR_COMMAND_ADD ? fr_entity_add(world, archetype, row, indices, count, err)
                                  : fr_entity_remove(world, archetype, row, indices, count, err);
}

firn_result firn_add(firn_world *world, firn_entity entity, const firn_component *components,
                     uint32_t count, firn_error *err)
{
    return change_components(world, FR_COMMAND_ADD, entity, components, count, err);
}

firn_result firn_remove(firn_world *world, firn_entity entity, const firn_component *components,
                        uint32_t count, firn_error *err)
{
    return change_components(world, FR_COMMAND_REMOVE, entity, components, count, err);
}

firn_result firn_flush(firn_world *world, firn_error *err)
{
    return fr_world_settle(world, err);
}

uint32_t firn_discard(firn_world *world)
{
    if (world == NULL || world->open_loops > 0 || world->locked_by != NULL) {
        return 0;
    }
    return fr_commands_discard(world);
}

uint32_t firn_pending(const firn_world *world)
{
    return world == NULL ? 0 : world->commands.count;
}
