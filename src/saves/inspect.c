// A save of a slot against the game: opens both and compares what they hold.
#include "saves/inspect.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "firn/game.h"
#include "saves/persist.h"
#include "saves/take.h"
#include "snapshot/diff.h"

#include <string.h>

// ---------------------------------------------------------------- entities that are the same

static int compare_entity_ids(const void *a, const void *b)
{
    const firn_entity *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

// The entities of the save, by id.
static firn_result list_saved_entities(fr_inspect *inspect, firn_error *err)
{
    firn_image_info info;
    firn_image_archetype archetype;
    firn_image_describe(inspect->image, &info);
    const firn_allocator *allocator = &inspect->saves->allocator;
    uint32_t count = info.prelude.entity_count, at = 0;
    if (count == 0) {
        return FIRN_OK;
    }
    inspect->id_count = count;
    inspect->ids = fr_alloc(allocator, count, sizeof *inspect->ids, sizeof(uint64_t));
    inspect->sorted = fr_alloc(allocator, count, sizeof *inspect->sorted, sizeof(void *));
    if (inspect->ids == NULL || inspect->sorted == NULL) {
        return fr_fail_memory(err, "entities");
    }
    for (uint32_t i = 0; firn_image_archetype_at(inspect->image, i, &archetype); i++) {
        at += firn_image_entities(inspect->image, i, 0, inspect->ids + at, count - at);
    }
    for (uint32_t i = 0; i < count; i++) {
        inspect->sorted[i] = &inspect->ids[i];
    }
    fr_sort((const void **)inspect->sorted, count, compare_entity_ids);
    return FIRN_OK;
}

static void label_text(const firn_world *world, firn_entity entity, firn_component component,
                       char out[256])
{
    size_t size;
    const char *text = firn_get_string(world, entity, component, &size);
    if (text != NULL) {
        fr_printable(out, 256, text, size);
    }
}

// An entity that is the same has the labels of the world.
static firn_result tell_same(fr_inspect *inspect, firn_entity entity, firn_error *err)
{
    const firn_world *world = inspect->saves->world;
    char key[256] = "", name[256] = "", id[FIRN_PERSIST_KEY_SIZE];
    if (inspect->lists_same) {
        uint32_t at = fr_map_get(&inspect->renamed_saved, entity);
        firn_entity now = at != FR_MAP_NONE ? inspect->renamed[at].entity : entity;
        label_text(world, now, firn_key(world), key);
        label_text(world, now, firn_name(world), name);
        firn_persist_key(world, now, id);
        if (id[0] != 0 && id[0] != '#') {
            fr_printable(key, sizeof key, id, strlen(id));
        }
    }
    const firn_difference like = {.entity = entity, .key = key, .name = name};
    return fr_inspect_entity(inspect, &like, FR_INSPECT_SAME, err);
}

// Those of the save before an entity were not told of: they are the same.
static firn_result tell_same_before(fr_inspect *inspect, firn_entity entity, firn_error *err)
{
    firn_result result = FIRN_OK;
    while (result == FIRN_OK && inspect->next < inspect->id_count &&
           *inspect->sorted[inspect->next] < entity) {
        result = tell_same(inspect, *inspect->sorted[inspect->next++], err);
    }
    return result;
}

// An entity of the save is told of otherwise.
static firn_result tell_same_up_to(fr_inspect *inspect, firn_entity entity, firn_error *err)
{
    firn_result result = tell_same_before(inspect, entity, err);
    if (inspect->next < inspect->id_count && *inspect->sorted[inspect->next] == entity) {
        inspect->next++;
    }
    return result;
}

// ---------------------------------------------------------------- differences of the snapshots

static firn_result hear_change(fr_inspect *inspect, const firn_difference *difference,
                               firn_error *err)
{
    if (strcmp(difference->component, FR_VARS_NAME) == 0 &&
        fr_inspect_leaves_vars(inspect, difference->entity)) {
        return FIRN_OK;
    }
    firn_result result = FIRN_OK;
    if (inspect->last != difference->entity) {
        inspect->last = difference->entity;
        result = tell_same_up_to(inspect, difference->entity, err);
        if (result == FIRN_OK) {
            result = fr_inspect_entity(inspect, difference, FR_INSPECT_CHANGED, err);
        }
    }
    return result == FIRN_OK ? fr_inspect_difference(inspect, difference, err) : result;
}

// One that only the save has is called as it is there, one that it has not as it is now.
static firn_result hear_entity(fr_inspect *inspect, const firn_difference *difference,
                               firn_error *err)
{
    firn_entity entity = difference->entity;
    bool missing = difference->in_left;
    if (!missing && fr_inspect_spares(inspect, entity)) {
        return FIRN_OK;
    }
    firn_result result =
        missing ? tell_same_up_to(inspect, entity, err) : tell_same_before(inspect, entity, err);
    return result == FIRN_OK
               ? fr_inspect_entity(inspect, difference,
                                   missing ? FR_INSPECT_MISSING : FR_INSPECT_EXTRA, err)
               : result;
}

// How the bytes are written is no state of the game, nor, in a migrated save, its schemas; neither
// are, where other entities live beside those that persist, the ids that come next.
static bool is_state(const fr_inspect *inspect, const char *path)
{
    return strcmp(path, "version") != 0 &&
           (!inspect->saves->persisted || strcmp(path, "tick") == 0 || strcmp(path, "name") == 0);
}

// Once: what comes behind the entities is about to be told.
static firn_result end_inspected(fr_inspect *inspect, firn_error *err)
{
    if (inspect->entities_told) {
        return FIRN_OK;
    }
    inspect->entities_told = true;
    firn_result result = tell_same_before(inspect, UINT64_MAX, err);
    return result == FIRN_OK ? fr_inspect_parts(inspect, err) : result;
}

static firn_result hear_difference(void *user, const firn_difference *difference, firn_error *err)
{
    fr_inspect *inspect = user;
    firn_result result;
    switch (difference->kind) {
    case FIRN_DIFFERENCE_ENTITY:
        return hear_entity(inspect, difference, err);
    case FIRN_DIFFERENCE_COMPONENT:
    case FIRN_DIFFERENCE_FIELD:
        return hear_change(inspect, difference, err);
    case FIRN_DIFFERENCE_HEADER:
        return is_state(inspect, difference->path) ? fr_inspect_difference(inspect, difference, err)
                                                   : FIRN_OK;
    case FIRN_DIFFERENCE_DATA:
        result = end_inspected(inspect, err);
        return result == FIRN_OK && !fr_inspect_is_same_owner(inspect, difference)
                   ? fr_inspect_difference(inspect, difference, err)
                   : result;
    case FIRN_DIFFERENCE_SCHEMA:
        return FIRN_OK;
    default:
        return fr_inspect_difference(inspect, difference, err);
    }
}

static firn_result compare_snapshots(fr_inspect *inspect, firn_error *err)
{
    const firn_buffer *now = &inspect->draft.snapshot;
    const firn_diff_side left = {.image = inspect->image};
    const firn_diff_side right = {.bytes = now->data, .size = now->size};
    return fr_diff_renamed(&left, &right, &inspect->options, inspect->renamed,
                           inspect->renamed_count, hear_difference, inspect, NULL, err);
}

// ---------------------------------------------------------------- the rest

// The bytes of a section; NULL: the save has none.
static firn_result saved_bytes(fr_inspect *inspect, const char *name, const void **bytes,
                               size_t *size, firn_error *err)
{
    *bytes = NULL;
    *size = 0;
    firn_error why;
    firn_result result = firn_save_file_section(inspect->loaded.envelope, name, bytes, size, &why);
    return result == FIRN_OK || result == FIRN_NOT_FOUND ? FIRN_OK : fr_fail_copy(err, &why);
}

// The value that bytes say; NULL of none.
static firn_result decode_section(fr_inspect *inspect, const void *bytes, size_t size,
                                  const firn_value **out, firn_error *err)
{
    *out = bytes != NULL ? firn_value_decode(inspect->doc, bytes, size, err) : NULL;
    return *out != NULL || bytes == NULL ? FIRN_OK : err->code;
}

static firn_result tell_level(fr_inspect *inspect, firn_error *err)
{
    const char *level = firn_save_file_header(inspect->loaded.envelope)->level;
    const char *now = fr_saves_level(inspect->saves);
    if (strcmp(level, now) == 0) {
        return FIRN_OK;
    }
    firn_value values[2] = {{.kind = FIRN_VALUE_STRING}, {.kind = FIRN_VALUE_STRING}};
    values[FR_LEFT].as.string = level;
    values[FR_LEFT].length = (uint32_t)strlen(level);
    values[FR_RIGHT].as.string = now;
    values[FR_RIGHT].length = (uint32_t)strlen(now);
    const firn_difference difference = {.kind = FIRN_DIFFERENCE_HEADER,
                                        .key = "",
                                        .name = "",
                                        .component = "",
                                        .path = "level",
                                        .in_left = true,
                                        .in_right = true,
                                        .left = &values[FR_LEFT],
                                        .right = &values[FR_RIGHT]};
    return fr_inspect_difference(inspect, &difference, err);
}

static firn_result hear_variable(void *user, const firn_difference *difference, firn_error *err)
{
    return fr_inspect_difference(user, difference, err);
}

static firn_result compare_variables(fr_inspect *inspect, firn_error *err)
{
    const firn_value *saved = NULL;
    const void *bytes = NULL;
    size_t size = 0;
    firn_value *none = firn_value_table(inspect->doc, err);
    firn_result result =
        none != NULL ? saved_bytes(inspect, FIRN_SECTION_VARIABLES, &bytes, &size, err) : err->code;
    if (result == FIRN_OK) {
        result = decode_section(inspect, bytes, size, &saved, err);
    }
    if (result == FIRN_OK && inspect->tree != NULL) {
        fr_diff_tree *tree = inspect->tree;
        tree->lists[FIRN_DIFFERENCE_DATA] = firn_value_table(tree->doc, err);
        result = fr_diff_tree_member(tree, tree->root, "variables",
                                     tree->lists[FIRN_DIFFERENCE_DATA], err);
    }
    return result == FIRN_OK
               ? firn_diff_values("", saved != NULL ? saved : none, inspect->saves->variables.table,
                                  &inspect->options, hear_variable, inspect, NULL, err)
               : result;
}

static firn_result open_saved_parts(fr_inspect *inspect, firn_error *err)
{
    const void **bytes = &inspect->section;
    size_t *size = &inspect->section_size;
    firn_result result = saved_bytes(inspect, FIRN_SECTION_PERSIST, bytes, size, err);
    return result == FIRN_OK ? decode_section(inspect, *bytes, *size, &inspect->parts[FR_LEFT], err)
                             : result;
}

static firn_result open_parts_of_now(fr_inspect *inspect, firn_error *err)
{
    const firn_buffer *now = &inspect->draft.persist;
    if (!inspect->saves->persisted) {
        return FIRN_OK;
    }
    firn_result result =
        decode_section(inspect, now->data, now->size, &inspect->parts[FR_RIGHT], err);
    return result == FIRN_OK && inspect->section != NULL ? fr_inspect_pair_parts(inspect, err)
                                                         : result;
}

// ---------------------------------------------------------------- all of it

static firn_result compare_all(fr_inspect *inspect, firn_error *err)
{
    firn_result result = tell_level(inspect, err);
    if (result == FIRN_OK) {
        result = open_parts_of_now(inspect, err);
    }
    if (result == FIRN_OK) {
        result = compare_snapshots(inspect, err);
    }
    if (result == FIRN_OK) {
        result = end_inspected(inspect, err);
    }
    return result == FIRN_OK ? compare_variables(inspect, err) : result;
}

static firn_result open_image(fr_inspect *inspect, firn_error *err)
{
    const void *bytes;
    size_t size;
    const firn_image_options options = {.limits = inspect->options.limits,
                                        .allocator = inspect->options.allocator};
    firn_result result =
        firn_save_file_section(inspect->loaded.envelope, FIRN_SECTION_SNAPSHOT, &bytes, &size, err);
    if (result == FIRN_NOT_FOUND) {
        return fr_fail(err, FIRN_CORRUPT, FIRN_SECTION_SNAPSHOT, "the save has no snapshot");
    }
    if (result == FIRN_OK) {
        inspect->image = firn_image_open(bytes, size, &options, err);
        result = inspect->image != NULL ? FIRN_OK : err->code;
    }
    return result;
}

// A save sees who persists and who is in it; an inspection leaves that as it was. What the save has
// of an entity is captured, however it persists now.
static firn_result capture_game(fr_inspect *inspect, firn_error *err)
{
    firn_saves *saves = inspect->saves;
    fr_scene before;
    if (inspect->section != NULL) {
        inspect->draft.also = fr_inspect_pick;
        inspect->draft.also_user = inspect;
    }
    if (!fr_scene_keep(&saves->allocator, &saves->scene, &before)) {
        return fr_fail_memory(err, "a scene");
    }
    firn_result result = fr_draft_capture(&inspect->draft, err);
    inspect->now = saves->scene;
    saves->scene = before;
    return result;
}

static firn_result open_both(fr_inspect *inspect, const char *slot, firn_error *err)
{
    firn_saves *saves = inspect->saves;
    fr_worker_finish(saves);
    firn_result result = fr_slot_open(saves, slot, &inspect->loaded, err);
    if (result == FIRN_OK) {
        result = fr_take_ready(saves, &inspect->loaded, err);
    }
    if (result == FIRN_OK) {
        result = open_image(inspect, err);
    }
    if (result == FIRN_OK) {
        result = list_saved_entities(inspect, err);
    }
    if (result == FIRN_OK) {
        inspect->doc = firn_doc_create(&saves->allocator, &saves->limits, err);
        result = inspect->doc != NULL ? FIRN_OK : err->code;
    }
    if (result == FIRN_OK && saves->persisted) {
        result = open_saved_parts(inspect, err);
    }
    return result == FIRN_OK ? capture_game(inspect, err) : result;
}

static firn_result check_inspect(const fr_inspect *inspect, const char *slot,
                                 const firn_inspect_options *options, firn_error *err)
{
    const firn_saves *saves = inspect->saves;
    firn_result result = fr_saves_check(saves, err);
    if (result == FIRN_OK) {
        result = fr_saves_check_slot(saves, slot, err);
    }
    if (result == FIRN_OK) {
        result = fr_saves_check_ready(saves, NULL, err);
    }
    if (result == FIRN_OK) {
        result = fr_check_reserved(options->reserved, "firn_inspect_options.reserved", err);
    }
    if (result == FIRN_OK && !(options->tolerance >= 0)) {
        result = fr_fail(err, FIRN_INVALID, "tolerance", "tolerance is not a number from 0 on");
    }
    return result;
}

static void free_inspect(fr_inspect *inspect)
{
    const firn_allocator *allocator = &inspect->saves->allocator;
    fr_free(allocator, inspect->ids, inspect->id_count, sizeof *inspect->ids, sizeof(uint64_t));
    fr_free(allocator, inspect->sorted, inspect->id_count, sizeof *inspect->sorted, sizeof(void *));
    fr_inspect_ids_free(inspect);
    fr_scene_free(allocator, &inspect->now);
    firn_image_close(inspect->image);
    firn_doc_destroy(inspect->doc);
    fr_draft_free(&inspect->draft);
    firn_saves_loaded_free(&inspect->loaded);
}

firn_result fr_inspect_slot(fr_inspect *inspect, const char *slot,
                            const firn_inspect_options *options, firn_error *err)
{
    const firn_inspect_options defaults = {.all = false};
    options = options != NULL ? options : &defaults;
    firn_result result = check_inspect(inspect, slot, options, err);
    if (result != FIRN_OK) {
        return result;
    }
    firn_saves *saves = inspect->saves;
    inspect->options = (firn_diff_options){
        .tolerance = options->tolerance, .limits = &saves->limits, .allocator = &saves->allocator};
    inspect->lists_same = options->all || saves->persisted;
    fr_draft_init(&inspect->draft, saves);
    saves->busy = "an inspection";
    result = open_both(inspect, slot, err);
    if (result == FIRN_OK) {
        result = compare_all(inspect, err);
    }
    saves->busy = NULL;
    inspect->counts.same = inspect->counts.differences == 0;
    inspect->counts.from_backup = inspect->loaded.from_backup;
    inspect->counts.damage = inspect->loaded.damage;
    inspect->counts.migrated_from = inspect->loaded.migrated_from;
    free_inspect(inspect);
    return result;
}
