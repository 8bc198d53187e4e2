// Entities that the save knows under another id than the game: by their key, or by their place in a
// scene that was entered with other ids.
#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "plugin/registry.h"
#include "saves/identity.h"
#include "saves/inspect.h"
#include "saves/scene_load.h"
#include "snapshot/diff.h"

firn_result fr_inspect_pair(fr_inspect *inspect, firn_entity saved, firn_entity entity,
                            firn_error *err)
{
    const firn_allocator *allocator = &inspect->saves->allocator;
    uint32_t at = inspect->renamed_count;
    if (saved == entity || fr_map_get(&inspect->renamed_saved, saved) != FR_MAP_NONE ||
        fr_map_get(&inspect->renamed_now, entity) != FR_MAP_NONE) {
        return FIRN_OK;
    }
    if (!FR_RESERVE(allocator, inspect->renamed, inspect->renamed_room, at + 1) ||
        !fr_map_reserve(allocator, &inspect->renamed_saved, 1) ||
        (entity != 0 && !fr_map_add(allocator, &inspect->renamed_now, entity, at))) {
        return fr_fail_memory(err, "entities");
    }
    fr_map_add(allocator, &inspect->renamed_saved, saved, at);
    inspect->renamed[inspect->renamed_count++] = (firn_merged){saved, entity};
    return FIRN_OK;
}

// ---------------------------------------------------------------- keys

firn_entity fr_inspect_id(const firn_value *value)
{
    bool is_id = value != NULL && value->kind == FIRN_VALUE_NUMBER && value->as.number >= 1 &&
                 value->as.number < (double)FR_LOCAL_END;
    return is_id ? (firn_entity)value->as.number : 0;
}

// The pair {key, id} at a place of a list of both; false: it is none.
static bool key_at(const firn_value *list, uint32_t at, const firn_value **key, firn_entity *id)
{
    *key = firn_table_get_number(list, at);
    *id = fr_inspect_id(firn_table_get_number(list, (double)at + 1));
    return *id != 0 && *key != NULL && (*key)->kind == FIRN_VALUE_STRING;
}

// Who has a key now (`saved`), and its id in the save, as a load lists them.
typedef struct keyed_list {
    firn_merged *items;
    uint32_t count;
    uint32_t room;
} keyed_list;

static firn_result add_keyed(fr_inspect *inspect, keyed_list *keyed, firn_entity saved,
                             firn_entity entity, firn_error *err)
{
    const firn_allocator *allocator = &inspect->saves->allocator;
    bool memory = FR_RESERVE(allocator, keyed->items, keyed->room, keyed->count + 1) &&
                  (saved != entity || fr_map_add(allocator, &inspect->same, fr_slot(saved), 0));
    if (!memory) {
        return fr_fail_memory(err, "keys");
    }
    keyed->items[keyed->count++] = (firn_merged){.saved = entity, .entity = saved};
    return FIRN_OK;
}

static firn_result match_keys(fr_inspect *inspect, const fr_persisted *persisted, keyed_list *keyed,
                              firn_error *err)
{
    const firn_value *list = firn_table_get_text(inspect->parts[FR_LEFT], "keys"), *key;
    firn_entity saved;
    firn_result result = FIRN_OK;
    for (uint32_t i = 1; result == FIRN_OK && key_at(list, i, &key, &saved); i += 2) {
        if (!fr_map_add(&inspect->saves->allocator, &inspect->named, saved, 0)) {
            return fr_fail_memory(err, "keys");
        }
        firn_entity entity = fr_inspect_of_key(inspect, persisted, key);
        result = entity != 0 ? add_keyed(inspect, keyed, saved, entity, err) : FIRN_OK;
    }
    return result;
}

// ---------------------------------------------------------------- scenes

static firn_result displace_rivals(fr_inspect *inspect, const keyed_list *keyed, firn_error *err)
{
    const void *image;
    size_t size;
    firn_result result =
        firn_save_file_section(inspect->loaded.envelope, FIRN_SECTION_SNAPSHOT, &image, &size, err);
    return result == FIRN_OK
               ? fr_scene_displace(inspect->saves, &inspect->scene, image, size, keyed->items,
                                   keyed->count, &inspect->displaced, err)
               : result;
}

static bool is_in_scene(const fr_inspect *inspect)
{
    const fr_scene *saved = &inspect->scene, *now = &inspect->saves->scene;
    return saved->name != NULL && now->name != NULL && strcmp(saved->name, now->name) == 0;
}

// Whether a load goes to another scene first, and leaves all there that is not carried.
static bool leaves_scene(const fr_inspect *inspect)
{
    return inspect->scene.name != NULL && !is_in_scene(inspect);
}

static bool is_carried(const fr_inspect *inspect, firn_entity entity)
{
    return firn_alive(inspect->saves->world, entity) &&
           fr_picks_have(&inspect->carried, fr_slot(entity));
}

bool fr_inspect_has_place(const fr_inspect *inspect, firn_entity entity)
{
    if (leaves_scene(inspect)) {
        return is_carried(inspect, entity);
    }
    return !is_in_scene(inspect) || fr_scene_local(&inspect->scene, entity) ==
                                        fr_scene_local(&inspect->saves->scene, entity);
}

bool fr_inspect_spares(const fr_inspect *inspect, firn_entity entity)
{
    const fr_scene *saved = &inspect->scene, *now = &inspect->saves->scene;
    uint64_t local = is_in_scene(inspect) ? fr_scene_local(now, entity) : 0;
    return local != 0 && !fr_scene_has_seen(saved, local);
}

static firn_result match_scene(fr_inspect *inspect, firn_error *err)
{
    const fr_scene *saved = &inspect->scene, *now = &inspect->saves->scene;
    fr_scene_walk walk = {{0, 0}, {0, 0}};
    fr_scene_part part;
    firn_result result = FIRN_OK;
    if (!is_in_scene(inspect)) {
        return FIRN_OK;
    }
    while (result == FIRN_OK && fr_scene_next(&walk, saved, now, &part)) {
        for (uint32_t i = 0; result == FIRN_OK && part.a != 0 && part.b != 0 && i < part.count;
             i++) {
            bool displaced = fr_map_get(&inspect->displaced, fr_slot(part.b + i)) != FR_MAP_NONE;
            result = displaced ? FIRN_OK : fr_inspect_pair(inspect, part.a + i, part.b + i, err);
        }
    }
    return result;
}

// ---------------------------------------------------------------- ids that others have now

// Whether who has the id of a saved entity is that one to a load.
static bool is_that_to_load(fr_inspect *inspect, firn_entity entity)
{
    const fr_scene none = {.name = NULL};
    bool leaves = leaves_scene(inspect);
    const fr_identity identity = {inspect->saves, leaves ? &none : &inspect->scene, &inspect->same,
                                  &inspect->named, &inspect->below};
    bool stays = !leaves || is_carried(inspect, entity) ||
                 fr_map_get(&inspect->same, fr_slot(entity)) != FR_MAP_NONE;
    return stays && fr_identity_is_that(&identity, entity);
}

static firn_result pair_strangers(fr_inspect *inspect, firn_error *err)
{
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < inspect->id_count; i++) {
        firn_entity id = inspect->ids[i];
        if (firn_alive(inspect->saves->world, id) && !is_that_to_load(inspect, id)) {
            result = fr_inspect_pair(inspect, id, 0, err);
        }
    }
    return result;
}

firn_entity fr_inspect_of_key(const fr_inspect *inspect, const fr_persisted *persisted,
                              const firn_value *key)
{
    const fr_scene none = {.name = NULL};
    bool leaves = leaves_scene(inspect), is_id = key->length > 0 && key->as.string[0] == '#';
    firn_entity entity = fr_persisted_of_key(inspect->saves, leaves ? &none : &inspect->scene,
                                             persisted, key->as.string, key->length);
    bool stays = !leaves || !is_id ||
                 (is_carried(inspect, entity) && fr_scene_local(&inspect->scene, entity) == 0);
    return stays ? entity : 0;
}

firn_entity fr_inspect_entity_of(const fr_inspect *inspect, firn_entity saved)
{
    uint32_t at = fr_map_get(&inspect->renamed_saved, saved);
    bool other = at == FR_MAP_NONE && fr_map_get(&inspect->renamed_now, saved) != FR_MAP_NONE;
    firn_entity entity = at != FR_MAP_NONE ? inspect->renamed[at].entity : saved;
    return !other && firn_alive(inspect->saves->world, entity) ? entity : 0;
}

static firn_result pair_keyed(fr_inspect *inspect, const keyed_list *keyed, firn_error *err)
{
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < keyed->count; i++) {
        const firn_merged *pair = &keyed->items[i];
        bool placed =
            is_in_scene(inspect) &&
            fr_scene_is_at_place(inspect->saves, &inspect->scene, &inspect->displaced, pair->saved);
        result = placed ? FIRN_OK : fr_inspect_pair(inspect, pair->entity, pair->saved, err);
    }
    return result;
}

firn_result fr_inspect_ids(fr_inspect *inspect, const fr_persisted *persisted, firn_error *err)
{
    const firn_saves *saves = inspect->saves;
    keyed_list keyed = {.count = 0};
    firn_result result = fr_scene_read(&saves->allocator, &saves->limits, inspect->section,
                                       inspect->section_size, &inspect->scene, err);
    if (result == FIRN_OK && leaves_scene(inspect) &&
        !fr_carried_pick(saves->world, &inspect->carried)) {
        result = fr_fail_memory(err, "what is carried");
    }
    if (result == FIRN_OK) {
        result = match_keys(inspect, persisted, &keyed, err);
    }
    if (result == FIRN_OK && is_in_scene(inspect)) {
        result = displace_rivals(inspect, &keyed, err);
    }
    if (result == FIRN_OK) {
        result = match_scene(inspect, err);
    }
    if (result == FIRN_OK) {
        result = pair_keyed(inspect, &keyed, err);
    }
    FR_ARRAY_FREE(&saves->allocator, keyed.items, keyed.room);
    return result == FIRN_OK ? pair_strangers(inspect, err) : result;
}

bool fr_inspect_is_same_owner(const fr_inspect *inspect, const firn_difference *difference)
{
    static const char field[] = ".entity";
    size_t size = strlen(difference->path);
    firn_entity now = fr_inspect_id(difference->right);
    uint32_t at = fr_map_get(&inspect->renamed_saved, fr_inspect_id(difference->left));
    return now != 0 && strcmp(difference->component, FR_KEY_SCRIPT) == 0 && size >= sizeof field &&
           strcmp(difference->path + size - (sizeof field - 1), field) == 0 && at != FR_MAP_NONE &&
           inspect->renamed[at].entity == now;
}

void fr_inspect_ids_free(fr_inspect *inspect)
{
    const firn_allocator *allocator = &inspect->saves->allocator;
    fr_inspect_rows_free(inspect);
    fr_picks_free(inspect->saves->world, &inspect->carried);
    FR_ARRAY_FREE(allocator, inspect->renamed, inspect->renamed_room);
    fr_map_free(allocator, &inspect->renamed_saved);
    fr_map_free(allocator, &inspect->renamed_now);
    fr_map_free(allocator, &inspect->displaced);
    fr_map_free(allocator, &inspect->same);
    fr_map_free(allocator, &inspect->named);
    fr_map_free(allocator, &inspect->below);
    fr_map_free(allocator, &inspect->saved_parts);
    fr_map_free(allocator, &inspect->seen_keys);
    fr_map_free(allocator, &inspect->no_vars);
    fr_scene_free(allocator, &inspect->scene);
}
