// Who of the world is who of a save, where ids are the same.
#include "saves/identity.h"

#include "firn/relation.h"

static const firn_persist *persist_row(const fr_identity *identity, firn_entity entity)
{
    const firn_world *world = identity->saves->world;
    return firn_get(world, entity, firn_persist_component(world));
}

static bool is_named_in_save(const fr_identity *identity, firn_entity entity)
{
    return fr_map_get(identity->named, entity) != FR_MAP_NONE;
}

static bool has_same_key(const fr_identity *identity, firn_entity entity)
{
    return fr_map_get(identity->same, fr_slot(entity)) != FR_MAP_NONE;
}

// Who persists is that one, unless it was spawned and its key, or that of the save, is a name:
// then the other has not got it.
static bool is_that_by_row(const fr_identity *identity, firn_entity entity, const firn_persist *row)
{
    return !row->spawned || (row->id[0] == '\0' && !is_named_in_save(identity, entity));
}

static bool is_spawned_one_of_save(const fr_identity *identity, firn_entity entity)
{
    const firn_persist *row = entity != 0 ? persist_row(identity, entity) : NULL;
    return row != NULL && row->spawned && fr_identity_is_that(identity, entity);
}

// Whether the nearest one above that persists was spawned and is one of the save. Noted of all on
// the way, so that nobody is passed twice.
static bool hangs_below_that(const fr_identity *identity, firn_entity entity)
{
    const firn_world *world = identity->saves->world;
    firn_component child_of = firn_child_of(world);
    uint32_t steps = 0, noted = FR_MAP_NONE;
    firn_entity at = entity;
    while (at != 0 && steps < world->index.alive && persist_row(identity, at) == NULL &&
           (noted = fr_map_get(identity->below, fr_slot(at))) == FR_MAP_NONE) {
        at = firn_target(world, at, child_of);
        steps++;
    }
    bool below = noted != FR_MAP_NONE ? noted != 0 : is_spawned_one_of_save(identity, at);
    for (at = entity; steps > 0; steps--) {
        (void)fr_map_add(&identity->saves->allocator, identity->below, fr_slot(at), below);
        at = firn_target(world, at, child_of);
    }
    return below;
}

// What is below a spawned one is saved with it, and is that of the save when that one is.
static bool is_below_that(const fr_identity *identity, firn_entity entity)
{
    return !is_named_in_save(identity, entity) && hangs_below_that(identity, entity);
}

// Who has its key is one of the save; one of the scene is known by its place in it; of others, who
// was in a save or load, or persists.
bool fr_identity_is_that(const fr_identity *identity, firn_entity entity)
{
    const fr_scene *now = &identity->saves->scene, *then = identity->scene;
    if (has_same_key(identity, entity)) {
        return true;
    }
    uint64_t local = then->name == NULL ? 0 : fr_scene_local(now, entity);
    if (local != 0) {
        return fr_scene_entity(then, local) == entity;
    }
    if (fr_known_has(&now->known, entity)) {
        return true;
    }
    const firn_persist *row = persist_row(identity, entity);
    return row != NULL ? is_that_by_row(identity, entity, row) : is_below_that(identity, entity);
}
