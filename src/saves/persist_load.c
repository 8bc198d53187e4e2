// Which entities a persisted save holds, and its way back into the running world.
#include "saves/persist_load.h"

#include "base/error.h"
#include "base/hash.h"
#include "snapshot/beside.h"
#include "store/relation.h"

#include <string.h>

// ---------------------------------------------------------------- who persists

// One pass over the entities that have the component.
typedef struct persist_walk {
    firn_world *world;
    const fr_component *child_of;
    fr_picks *picks;
    fr_persisted *out;
    bool checks; // a save is made: rows are checked, and keys
    firn_error *err;
} persist_walk;

static void free_persisted(const firn_world *world, fr_persisted *persisted)
{
    fr_picks_free(world, &persisted->roots);
    fr_map_free(&world->allocator, &persisted->keys);
}

// The first root that has a key; 0: none has. Keys are told apart by their hash; those of equal
// hash are compared.
static firn_entity find_root(const firn_world *world, const fr_persisted *persisted,
                             const char *key, size_t size)
{
    char other[FIRN_PERSIST_KEY_SIZE];
    uint64_t hash = fr_hash(key, size);
    uint32_t cursor = UINT32_MAX, at;
    while ((at = fr_map_next(&persisted->keys, hash, &cursor)) != FR_MAP_NONE) {
        firn_entity root = persisted->roots.entities[at];
        firn_persist_key(world, root, other);
        if (strlen(other) == size && memcmp(other, key, size) == 0) {
            return root;
        }
    }
    return 0;
}

static firn_result add_root(persist_walk *walk, firn_entity entity, const firn_persist *row)
{
    const firn_world *world = walk->world;
    fr_persisted *out = walk->out;
    char key[FIRN_PERSIST_KEY_SIZE];
    fr_persist_write_key(entity, row, key);
    firn_entity holder = walk->checks ? find_root(world, out, key, strlen(key)) : 0;
    if (holder != 0) {
        return fr_fail_entity(walk->err, FIRN_EXISTS, entity, key,
                              "the entities %llu and %llu are both saved as %s",
                              (unsigned long long)holder, (unsigned long long)entity, key);
    }
    bool memory =
        fr_map_add(&world->allocator, &out->keys, fr_hash(key, strlen(key)), out->roots.count) &&
        fr_picks_add(world, &out->roots, entity);
    return memory ? FIRN_OK : fr_fail_memory(walk->err, "keys");
}

// What is below a spawned entity, level by level.
static firn_result pick_children(persist_walk *walk, firn_entity root)
{
    fr_picks *picks = walk->picks;
    const fr_reverse *reverse = &walk->child_of->reverse;
    uint32_t next = picks->count;
    firn_entity parent = root;
    for (;;) {
        firn_entity child = fr_reverse_first(reverse, fr_slot(parent));
        for (; child != 0; child = fr_reverse_next(reverse, child, parent)) {
            if (!fr_picks_add(walk->world, picks, child)) {
                return fr_fail_memory(walk->err, "children");
            }
        }
        if (next == picks->count) {
            return FIRN_OK;
        }
        parent = picks->entities[next++];
    }
}

static firn_result pick_one(persist_walk *walk, firn_entity entity, const firn_persist *row)
{
    firn_result result = fr_persist_check_row(walk->world, entity, row, true, walk->err);
    if (result != FIRN_OK) {
        // One that no save can have is none to a load.
        return walk->checks ? result : FIRN_OK;
    }
    result = add_root(walk, entity, row);
    if (result != FIRN_OK || row->mode != FIRN_PERSIST_ALL) {
        return result;
    }
    if (!fr_picks_add(walk->world, walk->picks, entity)) {
        return fr_fail_memory(walk->err, "entities");
    }
    return row->spawned ? pick_children(walk, entity) : FIRN_OK;
}

static firn_result walk_persisted(firn_world *world, fr_picks *picks, fr_persisted *out,
                                  bool checks, firn_error *err)
{
    const fr_component *persist = fr_persist_find(world, FR_PERSIST_NAME, FIRN_STRUCT);
    uint32_t child_of = fr_component_index(world, firn_child_of(world));
    persist_walk walk = {.world = world,
                         .child_of = world->components.items[child_of],
                         .picks = picks,
                         .out = out,
                         .checks = checks,
                         .err = err};
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < world->order_count; i++) {
        const fr_archetype *archetype = world->archetypes[world->order[i]];
        const fr_column *column = fr_archetype_column(archetype, persist->index);
        for (uint32_t row = 0; result == FIRN_OK && column != NULL && row < archetype->count;
             row++) {
            const uint8_t *at = column->data + (size_t)row * column->stride;
            result =
                pick_one(&walk, archetype->entities[row], (const firn_persist *)(const void *)at);
        }
    }
    return result;
}

firn_result fr_persist_pick(void *section, firn_world *world, fr_picks *picks, firn_error *err)
{
    fr_persisted persisted = {.roots = {.count = 0}};
    firn_result result = walk_persisted(world, picks, &persisted, true, err);
    if (result == FIRN_OK) {
        result =
            fr_parts_write(world, persisted.roots.entities, persisted.roots.count, section, err);
    }
    free_persisted(world, &persisted);
    return result;
}

// ---------------------------------------------------------------- the way back

typedef struct persist_restore {
    const firn_world *world;
    fr_persisted now; // in the world as it is
    fr_picks whole;   // what the save governs
    fr_parts parts;
} persist_restore;

static firn_entity root_of_key(void *user, const char *key, size_t size)
{
    const persist_restore *restore = user;
    return find_root(restore->world, &restore->now, key, size);
}

// Who has a key of a whole entity of the save is governed, too, however it is saved now.
static firn_result govern_renamed(persist_restore *restore, firn_world *world, firn_error *err)
{
    const fr_parts *parts = &restore->parts;
    for (uint32_t i = 0; i < parts->renamed_count; i++) {
        if (!fr_picks_add(world, &restore->whole, parts->renamed[i].saved)) {
            return fr_fail_memory(err, "entities");
        }
    }
    return FIRN_OK;
}

static firn_result restore_persisted(persist_restore *restore, firn_world *world,
                                     const fr_persist_input *input,
                                     const firn_load_options *options, firn_saves_loaded *loaded,
                                     firn_error *err)
{
    firn_result result = walk_persisted(world, &restore->whole, &restore->now, false, err);
    if (result == FIRN_OK) {
        result = fr_parts_read(world, input->section, input->section_size, root_of_key, restore,
                               &restore->parts, err);
    }
    if (result == FIRN_OK) {
        result = govern_renamed(restore, world, err);
    }
    struct fr_beside beside = {.governed = restore->whole.entities,
                               .governed_count = restore->whole.count,
                               .renamed = restore->parts.renamed,
                               .renamed_count = restore->parts.renamed_count,
                               .rows = restore->parts.rows,
                               .row_count = restore->parts.count};
    if (result == FIRN_OK) {
        result = fr_snapshot_load_beside(world, input->image, input->image_size, &beside, options,
                                         &loaded->report, err);
    }
    loaded->allocator = world->allocator;
    loaded->moved = beside.moved;
    loaded->moved_count = beside.moved_count;
    loaded->moved_room = beside.moved_room;
    return result;
}

firn_result fr_persist_restore(firn_world *world, const fr_persist_input *input,
                               const firn_load_options *options, firn_saves_loaded *loaded,
                               firn_error *err)
{
    persist_restore restore = {.world = world};
    firn_result result = fr_world_settle(world, err);
    if (result == FIRN_OK) {
        result = restore_persisted(&restore, world, input, options, loaded, err);
    }
    fr_parts_free(world, &restore.parts);
    free_persisted(world, &restore.now);
    fr_picks_free(world, &restore.whole);
    return result;
}
