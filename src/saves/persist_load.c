// Which entities a persisted save holds, and its way back into the running world.
#include "saves/persist_load.h"

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "builtin/script.h"
#include "saves/identity.h"
#include "saves/scene_load.h"

#include <string.h>

// ---------------------------------------------------------------- who persists

// One pass over the entities that have the component.
typedef struct persist_walk {
    firn_world *world;
    fr_picks *picks;
    fr_persisted *out;
    bool checks; // a save is made: rows are checked, and keys
    firn_error *err;
} persist_walk;

static void free_persisted(const firn_world *world, fr_persisted *persisted)
{
    FR_ARRAY_FREE(&world->allocator, persisted->roots, persisted->capacity);
    fr_map_free(&world->allocator, &persisted->keys);
}

// Ids are told apart by their hash; those of equal hash are compared.
firn_entity fr_persisted_find(const fr_persisted *persisted, const char *id, size_t size)
{
    uint64_t hash = fr_hash(id, size);
    uint32_t cursor = UINT32_MAX, at;
    while ((at = fr_map_next(&persisted->keys, hash, &cursor)) != FR_MAP_NONE) {
        const fr_root *root = &persisted->roots[at];
        if (strlen(root->row->id) == size && memcmp(root->row->id, id, size) == 0) {
            return root->entity;
        }
    }
    return 0;
}

static firn_result add_root(persist_walk *walk, firn_entity entity, const firn_persist *row)
{
    const firn_allocator *allocator = &walk->world->allocator;
    fr_persisted *out = walk->out;
    size_t size = strlen(row->id);
    firn_entity holder = walk->checks && size > 0 ? fr_persisted_find(out, row->id, size) : 0;
    if (holder != 0) {
        return fr_fail_entity(walk->err, FIRN_EXISTS, entity, row->id,
                              "the entities %llu and %llu are both saved as %s",
                              (unsigned long long)holder, (unsigned long long)entity, row->id);
    }
    bool memory =
        size == 0 || fr_map_add(allocator, &out->keys, fr_hash(row->id, size), out->count);
    if (!memory || !FR_RESERVE(allocator, out->roots, out->capacity, out->count + 1)) {
        return fr_fail_memory(walk->err, "keys");
    }
    out->roots[out->count++] = (fr_root){entity, row};
    return FIRN_OK;
}

static firn_result pick_one(persist_walk *walk, firn_entity entity, const firn_persist *row)
{
    firn_result result = fr_persist_check_row(walk->world, entity, row, true, walk->err);
    if (result != FIRN_OK) {
        // One that no save can have is none to a load.
        return walk->checks ? result : FIRN_OK;
    }
    result = add_root(walk, entity, row);
    if (result != FIRN_OK) {
        return result;
    }
    if (row->mode != FIRN_PERSIST_ALL) {
        return fr_map_add(&walk->world->allocator, &walk->picks->parts, fr_slot(entity), 0)
                   ? FIRN_OK
                   : fr_fail_memory(walk->err, "entities");
    }
    bool memory = row->spawned ? fr_picks_add_tree(walk->world, walk->picks,
                                                   firn_child_of(walk->world), entity)
                               : fr_picks_add(walk->world, walk->picks, entity);
    return memory ? FIRN_OK : fr_fail_memory(walk->err, "entities");
}

static uint32_t count_rows(const firn_world *world, const fr_component *persist)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->order_count; i++) {
        const fr_archetype *archetype = world->archetypes[world->order[i]];
        count += fr_archetype_column(archetype, persist->index) != NULL ? archetype->count : 0;
    }
    return count;
}

static firn_result walk_persisted(firn_world *world, fr_picks *picks, fr_persisted *out,
                                  bool checks, firn_error *err)
{
    const fr_component *persist = fr_persist_find(world, FR_PERSIST_NAME, FIRN_STRUCT);
    persist_walk walk = {.world = world, .picks = picks, .out = out, .checks = checks, .err = err};
    uint32_t count = count_rows(world, persist);
    bool memory = FR_RESERVE(&world->allocator, out->roots, out->capacity, count) &&
                  fr_picks_reserve(world, picks, count);
    firn_result result = memory ? FIRN_OK : fr_fail_memory(err, "entities");
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

// Those of this save, and of those before who live.
static firn_result know_saved(firn_saves *saves, const firn_world *world, const fr_picks *picks,
                              firn_error *err)
{
    fr_known *known = &saves->scene.known;
    if (!fr_known_reserve(&saves->allocator, known, picks->count)) {
        return fr_fail_memory(err, "who is known");
    }
    fr_known_drop_dead(known, world);
    for (uint32_t i = 0; i < picks->count; i++) {
        fr_known_add(known, picks->entities[i]);
    }
    return FIRN_OK;
}

firn_result fr_persist_pick(void *output, firn_world *world, fr_picks *picks, firn_error *err)
{
    const fr_persist_output *to = output;
    firn_saves *saves = to->saves;
    fr_persisted persisted = {.count = 0};
    firn_result result = walk_persisted(world, picks, &persisted, true, err);
    if (result == FIRN_OK) {
        result = fr_scene_look(&saves->allocator, &saves->scene, world, err);
    }
    if (result == FIRN_OK) {
        result = fr_scene_see(&saves->allocator, &saves->scene, world, persisted.roots,
                              persisted.count, err);
    }
    if (result == FIRN_OK && to->also != NULL) {
        result = to->also(to->also_user, &persisted, picks, err);
    }
    if (result == FIRN_OK) {
        result = fr_parts_write(world, &saves->scene, persisted.roots, persisted.count, to->section,
                                err);
    }
    if (result == FIRN_OK) {
        result = know_saved(saves, world, picks, err);
    }
    free_persisted(world, &persisted);
    return result;
}

// ---------------------------------------------------------------- the way back

typedef struct persist_restore {
    firn_saves *saves;
    firn_world *world;
    const fr_persist_input *input;
    firn_saves_loaded *loaded;
    fr_renames ids;   // of the scene
    fr_scene next;    // the scene when all is in place
    fr_persisted now; // in the world as it is
    fr_picks whole;   // what the save governs
    fr_parts parts;
    fr_map displaced;     // of the scene: another one has the id of their place, by its key
    fr_map same;          // slots of those with key and id of the save
    fr_map below;         // of identity.h
    firn_merged *renamed; // those with other ids, of the scene, then by key
    uint32_t renamed_count;
    uint32_t renamed_room;
    fr_known brought; // the entities of the image
    struct fr_beside beside;
} persist_restore;

// The id in a key; 0: it is none.
static firn_entity id_of_key(const char *key, size_t size)
{
    firn_entity id = 0;
    for (size_t i = 1; i < size; i++) {
        if (key[i] < '0' || key[i] > '9' || id > UINT64_MAX / 16) {
            return 0;
        }
        id = id * 10 + (firn_entity)(key[i] - '0');
    }
    return id;
}

// Who is now what the save calls so: one of its scene is who has that place, whoever has the id.
static firn_entity entity_of_id(const firn_saves *saves, const fr_scene *then, firn_entity saved)
{
    const fr_scene *now = &saves->scene;
    uint64_t local = then->name == NULL ? 0 : fr_scene_local(then, saved);
    if (local != 0) {
        return fr_scene_entity(now, local);
    }
    return then->name == NULL || fr_scene_local(now, saved) == 0 ? saved : 0;
}

firn_entity fr_persisted_of_key(const firn_saves *saves, const fr_scene *saved,
                                const fr_persisted *now, const char *key, size_t size)
{
    const firn_world *world = saves->world;
    if (size == 0 || key[0] != '#') {
        return fr_persisted_find(now, key, size);
    }
    firn_entity entity = entity_of_id(saves, saved, id_of_key(key, size));
    const firn_persist *row = firn_get(world, entity, firn_persist_component(world));
    bool is_root = row != NULL && row->id[0] == '\0' &&
                   fr_persist_check_row(world, entity, row, true, NULL) == FIRN_OK;
    return is_root ? entity : 0;
}

static firn_entity root_of_key(void *user, const char *key, size_t size)
{
    const persist_restore *restore = user;
    return fr_persisted_of_key(restore->saves, restore->input->scene, &restore->now, key, size);
}

// Who has a key of a whole entity of the save is governed, too, however it is saved now.
static bool govern_keyed(persist_restore *restore)
{
    const fr_parts *parts = &restore->parts;
    bool memory = true;
    for (uint32_t i = 0; memory && i < parts->keyed_count; i++) {
        const firn_merged *pair = &parts->keyed[i];
        memory =
            pair->saved == pair->entity
                ? fr_map_add(&restore->world->allocator, &restore->same, fr_slot(pair->saved), 0)
                : fr_picks_add(restore->world, &restore->whole, pair->saved);
    }
    return memory;
}

// What the save knows of the scene comes before keys, but for those who lost their place to a key.
static firn_result list_renamed(persist_restore *restore, firn_error *err)
{
    const fr_renames *ids = &restore->ids;
    const fr_parts *parts = &restore->parts;
    const fr_scene *saved = restore->input->scene;
    if (!FR_RESERVE(&restore->world->allocator, restore->renamed, restore->renamed_room,
                    ids->count + parts->keyed_count)) {
        return fr_fail_memory(err, "ids");
    }
    for (uint32_t i = 0; i < ids->count; i++) {
        if (fr_map_get(&restore->displaced, fr_slot(ids->items[i].from)) == FR_MAP_NONE) {
            restore->renamed[restore->renamed_count++] =
                (firn_merged){ids->items[i].from, ids->items[i].to};
        }
    }
    for (uint32_t i = 0; i < parts->keyed_count; i++) {
        firn_entity now = parts->keyed[i].saved;
        if (now != parts->keyed[i].entity &&
            !fr_scene_is_at_place(restore->saves, saved, &restore->displaced, now)) {
            restore->renamed[restore->renamed_count++] = parts->keyed[i];
        }
    }
    return FIRN_OK;
}

static firn_result prepare_scene(persist_restore *restore, firn_error *err)
{
    firn_saves *saves = restore->saves;
    const fr_scene *saved = restore->input->scene;
    if (saved->name == NULL) {
        return FIRN_OK;
    }
    const fr_persist_input *input = restore->input;
    firn_result result = fr_scene_look(&saves->allocator, &saves->scene, restore->world, err);
    return result == FIRN_OK ? fr_scene_want_ids(saves, saved, input->image, input->image_size,
                                                 &restore->ids, err)
                             : result;
}

// Whether the save has a place for an entity, though it may not have all of it: its scene file does
// not make it anew, and no load would make it again.
static bool is_there_in_part(const persist_restore *restore, firn_entity entity)
{
    bool in_scene =
        restore->input->scene->name != NULL && fr_scene_local(&restore->saves->scene, entity) != 0;
    return in_scene || fr_map_get(&restore->parts.by_field, fr_slot(entity)) != FR_MAP_NONE;
}

// Who persists as a whole by now, and did not in the save, was there all the same: it is kept.
static void spare_others(persist_restore *restore)
{
    fr_picks *whole = &restore->whole;
    uint32_t count = 0;
    for (uint32_t i = 0; i < whole->count; i++) {
        firn_entity entity = whole->entities[i];
        if (is_there_in_part(restore, entity)) {
            (void)fr_map_remove(&whole->numbers, fr_slot(entity), i);
        } else {
            whole->entities[count++] = entity;
        }
    }
    whole->count = count;
}

// What a load governs, as it is put together from the world, the scene and the section.
static firn_result sort_governed(persist_restore *restore, firn_error *err)
{
    const fr_persist_input *input = restore->input;
    const fr_parts *parts = &restore->parts;
    firn_result result = FIRN_OK;
    spare_others(restore);
    if (input->scene->name != NULL) {
        result =
            fr_scene_bury(restore->saves, input->scene, &parts->by_field, &restore->whole, err);
    }
    if (result == FIRN_OK && input->scene->name != NULL) {
        result = fr_scene_displace(restore->saves, input->scene, input->image, input->image_size,
                                   parts->keyed, parts->keyed_count, &restore->displaced, err);
    }
    if (result == FIRN_OK && !govern_keyed(restore)) {
        result = fr_fail_memory(err, "entities");
    }
    return result == FIRN_OK ? list_renamed(restore, err) : result;
}

static firn_result prepare_restore(persist_restore *restore, firn_error *err)
{
    const fr_persist_input *input = restore->input;
    firn_world *world = restore->world;
    firn_result result = walk_persisted(world, &restore->whole, &restore->now, false, err);
    if (result == FIRN_OK) {
        result = prepare_scene(restore, err);
    }
    if (result == FIRN_OK) {
        result = fr_parts_read(world, input->section, input->section_size, root_of_key, restore,
                               &restore->parts, err);
    }
    return result == FIRN_OK ? sort_governed(restore, err) : result;
}

static bool is_saved_entity(void *user, firn_entity entity)
{
    persist_restore *restore = user;
    const fr_identity identity = {restore->saves, restore->input->scene, &restore->same,
                                  &restore->parts.named, &restore->below};
    return fr_identity_is_that(&identity, entity);
}

// Whether the save has the script state of an entity that is kept.
static bool is_saved_part(void *user, firn_entity entity)
{
    const persist_restore *restore = user;
    return fr_map_get(&restore->parts.scripted_slots, fr_slot(entity)) != FR_MAP_NONE;
}

static firn_entity part_of_save(void *user, firn_entity saved)
{
    const fr_parts *parts = &((const persist_restore *)user)->parts;
    uint32_t at = fr_map_get(&parts->scripted_ids, saved);
    return at != FR_MAP_NONE ? parts->scripted[at] : 0;
}

static void note_brought(fr_known *known, const fr_image *image)
{
    for (uint32_t f = 0; f < image->frame_count; f++) {
        for (uint32_t row = 0; row < image->frames[f].rows; row++) {
            fr_known_add(known, fr_frame_id(&image->frames[f], row));
        }
    }
}

static firn_result prepare_next_scene(void *user, const fr_image *image, firn_error *err)
{
    persist_restore *restore = user;
    firn_saves *saves = restore->saves;
    const firn_allocator *allocator = &saves->allocator;
    const fr_scene *saved = restore->input->scene;
    fr_known *brought = &restore->brought;
    uint32_t count = image->prelude.entity_count;
    if (!fr_known_reserve(allocator, &saves->scene.known, count) ||
        !fr_known_reserve(allocator, brought, count)) {
        return fr_fail_memory(err, "who is known");
    }
    note_brought(brought, image);
    firn_result result = fr_scene_make_next(saves, saved, brought, restore->beside.moved,
                                            restore->beside.moved_count, &restore->next, err);
    return result == FIRN_OK && saved->name != NULL
               ? fr_scene_compare(saves, saved, &restore->next, brought, restore->loaded, err)
               : result;
}

static void take_next_scene(void *user, const fr_image *image)
{
    persist_restore *restore = user;
    const firn_allocator *allocator = &restore->saves->allocator;
    fr_scene *scene = &restore->saves->scene;
    fr_script_set_apart(restore->world, restore->parts.apart);
    // Those of the image, and of those before who live.
    fr_known_drop_dead(&scene->known, restore->world);
    note_brought(&scene->known, image);
    fr_scene_replace(allocator, scene, &restore->next);
    restore->next = (fr_scene){.name = NULL};
}

static firn_result load_beside_others(persist_restore *restore, const firn_load_options *options,
                                      firn_error *err)
{
    const fr_persist_input *input = restore->input;
    firn_saves_loaded *loaded = restore->loaded;
    restore->beside = (struct fr_beside){.governed = restore->whole.entities,
                                         .governed_count = restore->whole.count,
                                         .renamed = restore->renamed,
                                         .renamed_count = restore->renamed_count,
                                         .rows = restore->parts.rows,
                                         .row_count = restore->parts.count,
                                         .is_saved = is_saved_entity,
                                         .stays = &restore->parts.by_field,
                                         .is_part = is_saved_part,
                                         .part_of = part_of_save,
                                         .sorted = prepare_next_scene,
                                         .placed = take_next_scene,
                                         .user = restore};
    firn_result result = fr_snapshot_load_beside(restore->world, input->image, input->image_size,
                                                 &restore->beside, options, &loaded->report, err);
    loaded->moved = restore->beside.moved;
    loaded->moved_count = restore->beside.moved_count;
    loaded->moved_room = restore->beside.moved_room;
    return result;
}

firn_result fr_persist_restore(firn_saves *saves, const fr_persist_input *input,
                               const firn_load_options *options, firn_saves_loaded *loaded,
                               firn_error *err)
{
    firn_world *world = saves->world;
    persist_restore restore = {.saves = saves, .world = world, .input = input, .loaded = loaded};
    loaded->allocator = world->allocator;
    firn_result result = fr_world_settle(world, err);
    if (result == FIRN_OK) {
        result = prepare_restore(&restore, err);
    }
    if (result == FIRN_OK) {
        result = load_beside_others(&restore, options, err);
    }
    fr_renames_free(world, &restore.ids);
    fr_map_free(&world->allocator, &restore.same);
    fr_map_free(&saves->allocator, &restore.below);
    fr_map_free(&world->allocator, &restore.displaced);
    FR_ARRAY_FREE(&world->allocator, restore.renamed, restore.renamed_room);
    fr_known_free(&saves->allocator, &restore.brought);
    fr_scene_free(&saves->allocator, &restore.next);
    fr_parts_free(world, &restore.parts);
    free_persisted(world, &restore.now);
    fr_picks_free(world, &restore.whole);
    return result;
}
