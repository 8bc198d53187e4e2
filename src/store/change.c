// Changes of structure as a game calls them: at once, or deferred inside a loop.
#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "store/entity.h"
#include "store/given.h"

// What a new entity gets: the given components, and the tag of the state on top, which *count then
// counts too.
static firn_result resolve_new(firn_world *world, const firn_component *components, uint32_t *count,
                               firn_error *err)
{
    firn_result result = fr_world_resolve(world, components, *count, "components", err);
    if (result != FIRN_OK || world->spawn_tag == FR_NO_COMPONENT) {
        return result;
    }
    if (*count == world->scratch_component_capacity &&
        !FR_RESERVE(&world->allocator, world->scratch_components, world->scratch_component_capacity,
                    *count + 1)) {
        return fr_fail_memory(err, "a list of components");
    }
    world->scratch_components[(*count)++] = world->spawn_tag;
    return FIRN_OK;
}

#define GIVEN_ROWS_ON_STACK 512

// Rows may stand in a column that has to grow: they are copied aside first.
static firn_result make_given(firn_world *world, fr_newcomer *newcomer, const void *const *rows,
                              uint32_t given, uint32_t n, firn_entity *out, firn_error *err)
{
    _Alignas(FR_CACHE_LINE) uint8_t small[GIVEN_ROWS_ON_STACK];
    uint64_t size = fr_given_size(world, newcomer->components, rows, given, newcomer->count);
    if (size == 0) {
        return fr_entities_make(world, newcomer, n, out, err);
    }
    uint8_t *block = small;
    if (size > sizeof small) {
        block =
            size > SIZE_MAX ? NULL : fr_alloc(&world->allocator, (size_t)size, 1, FR_CACHE_LINE);
        if (block == NULL) {
            return fr_fail_memory(err, "rows of entities");
        }
    }
    fr_given_pack(world, newcomer->components, rows, given, newcomer->count, block);
    newcomer->rows = block;
    firn_result result = fr_entities_make(world, newcomer, n, out, err);
    if (block != small) {
        fr_free(&world->allocator, block, (size_t)size, 1, FR_CACHE_LINE);
    }
    return result;
}

firn_result fr_spawn_rows(firn_world *world, const firn_component *components,
                          const void *const *rows, uint32_t count, uint32_t n, firn_entity *out,
                          firn_error *err)
{
    bool deferred;
    uint32_t given = rows == NULL ? 0 : count;
    firn_result result = fr_world_enter(world, &deferred, err);
    if (result == FIRN_OK) {
        result = resolve_new(world, components, &count, err);
    }
    if (result == FIRN_OK) {
        result = fr_given_check(world, world->scratch_components, rows, given, err);
    }
    if (result != FIRN_OK || n == 0) {
        return result;
    }
    fr_newcomer newcomer = {world->scratch_components, count, NULL};
    if (!deferred) {
        return make_given(world, &newcomer, rows, given, n, out, err);
    }
    result = fr_world_check_plain(world, newcomer.components, count, err);
    return result != FIRN_OK ? result
                             : fr_commands_push_spawn(world, newcomer.components, count, rows,
                                                      given, n, out, err);
}

static firn_result complete_all(firn_world *world, const firn_entity *entities, uint32_t n,
                                fr_complete_fn *complete, void *user, firn_error *err)
{
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; i < n && result == FIRN_OK; i++) {
        result = complete(user, world, entities[i], err);
    }
    for (uint32_t i = 0; i < n && result != FIRN_OK; i++) {
        (void)firn_despawn(world, entities[i], NULL);
    }
    return result;
}

firn_result fr_spawn_complete(firn_world *world, const firn_component *components,
                              const void *const *rows, uint32_t count, uint32_t n, firn_entity *out,
                              fr_complete_fn *complete, void *user, firn_error *err)
{
    bool deferred;
    firn_result result = fr_world_enter(world, &deferred, err);
    if (result == FIRN_OK && !deferred && n > 0) {
        result = fr_change_reserve(world, FR_EVENT_SPAWN, 1, n, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    // Init hooks, which run meanwhile, cannot begin to listen.
    uint32_t heard = world->events_heard;
    world->events_heard = deferred ? heard : 0;
    result = fr_spawn_rows(world, components, rows, count, n, out, err);
    if (result == FIRN_OK) {
        result = complete_all(world, out, n, complete, user, err);
    }
    world->events_heard = heard;
    if (result == FIRN_OK && !deferred && n > 0) {
        fr_publish_spawn(world, out, n);
    }
    return result;
}

firn_result firn_spawn_many(firn_world *world, const firn_component *components, uint32_t count,
                            uint32_t n, firn_entity *out, firn_error *err)
{
    return fr_spawn_rows(world, components, NULL, count, n, out, err);
}

// Copies the rows that are given over those of a plain archetype. False: one has no place, or two
// have the same; what was copied does not matter then.
static bool put_plain(const fr_archetype *archetype, uint32_t row, const uint32_t *components,
                      const void *const *rows, uint32_t given)
{
    for (uint32_t i = 0; i < given; i++) {
        const fr_column *column = fr_archetype_column(archetype, components[i]);
        if (rows[i] == NULL) {
            continue;
        }
        if (column == NULL) {
            return false;
        }
        fr_plain_copy(fr_plain_row(column, row), rows[i], column->stride);
        for (uint32_t j = 0; j < given; j++) {
            if (j != i && components[j] == components[i]) {
                return false;
            }
        }
    }
    return true;
}

// The usual entity: nothing stands in the way and nobody listens, its set of components is
// remembered, its archetype needs nothing, and there is room. 0: it is another one, and nothing
// changed.
static inline firn_entity spawn_plain(firn_world *world, const firn_component *components,
                                      const void *const *rows, uint32_t count)
{
    uint32_t given = rows == NULL ? 0 : count;
    if (!fr_world_is_idle(world) || fr_heard(world, FR_HEARD(FR_EVENT_SPAWN)) ||
        resolve_new(world, components, &count, NULL) != FIRN_OK) {
        return 0;
    }
    const fr_archetype *root = world->archetypes[0];
    fr_archetype *archetype = fr_world_recall(world, root, true, world->scratch_components, count);
    if (archetype == NULL || archetype->needs != 0 || archetype->count == archetype->capacity ||
        !fr_entity_index_has_room(&world->index, world->limits.entities)) {
        return 0;
    }
    uint32_t row = archetype->count;
    fr_plain_fill(archetype, row);
    if (!put_plain(archetype, row, world->scratch_components, rows, given)) {
        return 0;
    }
    archetype->count++;
    firn_entity entity = fr_entity_index_take(&world->index);
    world->index.records[fr_slot(entity)] = fr_record_of(entity, archetype->index, row);
    archetype->entities[row] = entity;
    return entity;
}

firn_entity firn_spawn_rows(firn_world *world, const firn_component *components,
                            const void *const *rows, uint32_t count, firn_error *err)
{
    firn_entity entity = spawn_plain(world, components, rows, count);
    if (entity != 0 || fr_spawn_rows(world, components, rows, count, 1, &entity, err) == FIRN_OK) {
        return entity;
    }
    return 0;
}

firn_entity firn_spawn(firn_world *world, const firn_component *components, uint32_t count,
                       firn_error *err)
{
    firn_entity entity = spawn_plain(world, components, NULL, count);
    if (entity != 0 || fr_spawn_rows(world, components, NULL, count, 1, &entity, err) == FIRN_OK) {
        return entity;
    }
    return 0;
}

firn_result firn_despawn(firn_world *world, firn_entity entity, firn_error *err)
{
    fr_archetype *archetype;
    uint32_t row;
    if (!fr_world_is_idle(world)) {
        return fr_commands_despawn(world, entity, err);
    }
    if (!fr_world_find(world, entity, &archetype, &row)) {
        return fr_world_fail_dead(entity, err);
    }
    return fr_entity_end(world, entity, archetype, row, err);
}

static firn_result change_components(firn_world *world, fr_command_kind kind, firn_entity entity,
                                     const firn_component *components, uint32_t count,
                                     firn_error *err)
{
    bool deferred;
    fr_archetype *archetype = NULL;
    uint32_t row = 0;
    firn_result result = fr_world_enter(world, &deferred, err);
    if (result == FIRN_OK &&
        !(deferred ? firn_alive(world, entity) : fr_world_find(world, entity, &archetype, &row))) {
        result = fr_world_fail_dead(entity, err);
    }
    if (result == FIRN_OK) {
        result = fr_world_resolve(world, components, count, "components", err);
    }
    if (result != FIRN_OK || count == 0) {
        return result;
    }
    const uint32_t *indices = world->scratch_components;
    if (deferred && kind == FR_COMMAND_ADD) {
        result = fr_world_check_plain(world, indices, count, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
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
