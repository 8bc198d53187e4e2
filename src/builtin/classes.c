// Entity classes.
#include "builtin/game.h"
#include "firn/class.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/utf8.h"

#include <assert.h>
#include <string.h>

#define CLASSES_MOST 65536u
#define CLASS_NAME   "Class"

// ---------------------------------------------------------------- finding

static uint32_t class_named(const fr_classes *classes, const char *name, size_t size)
{
    uint64_t hash = fr_hash(name, size);
    uint32_t cursor = UINT32_MAX, index;
    while ((index = fr_map_next(&classes->names, hash, &cursor)) != FR_MAP_NONE) {
        const char *other = classes->items[index].name;
        if (strlen(other) == size && memcmp(other, name, size) == 0) {
            break;
        }
    }
    return index;
}

static uint32_t class_index(const fr_game *game, firn_class handle)
{
    bool there = game != NULL && handle - game->class_base < game->classes.count;
    return there ? (uint32_t)(handle - game->class_base) : FR_MAP_NONE;
}

firn_class firn_class_find(const firn_world *world, const char *name)
{
    const fr_game *game = fr_game_of(world);
    uint32_t index = game == NULL || name == NULL ? FR_MAP_NONE
                                                  : class_named(&game->classes, name, strlen(name));
    return index == FR_MAP_NONE ? 0 : game->class_base + index;
}

const char *firn_class_name(const firn_world *world, firn_class entity_class)
{
    const fr_game *game = fr_game_of(world);
    uint32_t index = class_index(game, entity_class);
    return index == FR_MAP_NONE ? "" : game->classes.items[index].name;
}

firn_component firn_class_component(const firn_world *world)
{
    const fr_game *game = fr_game_of(world);
    return game == NULL ? 0 : game->classes.component;
}

firn_class firn_class_of(const firn_world *world, firn_entity entity)
{
    const fr_game *game = fr_game_of(world);
    if (game == NULL || game->classes.component == 0) {
        return 0;
    }
    size_t size;
    const char *name = firn_get_string(world, entity, game->classes.component, &size);
    uint32_t index = name == NULL ? FR_MAP_NONE : class_named(&game->classes, name, size);
    return index == FR_MAP_NONE ? 0 : game->class_base + index;
}

// ---------------------------------------------------------------- loads

static firn_result check_class_row(firn_world *world, const fr_blob *row, firn_error *err)
{
    size_t size;
    const char *name = firn_row_string(row, &size);
    if (size == 0 || class_named(&fr_game_of(world)->classes, name, size) != FR_MAP_NONE) {
        return FIRN_OK;
    }
    char shown[256];
    fr_printable(shown, sizeof shown, name, size);
    return fr_fail(err, FIRN_UNKNOWN, shown, "the class \"%s\" of the save is not registered",
                   shown);
}

static firn_result restore_entity(firn_world *world, firn_entity entity, firn_error *err)
{
    const fr_game *game = fr_game_of(world);
    uint32_t index = class_index(game, firn_class_of(world, entity));
    if (index == FR_MAP_NONE || game->classes.items[index].restore == NULL) {
        return FIRN_OK;
    }
    const fr_class *restored = &game->classes.items[index];
    world->dispatch = restored->name;
    return restored->restore(restored->user, world, entity, err);
}

static void watch_classes(firn_world *world, const fr_classes *classes)
{
    world->watch = (fr_watch){
        .component = fr_component_index(world, classes->component),
        .check = check_class_row,
        .restore = restore_entity,
    };
}

// ---------------------------------------------------------------- registration

static firn_result check_class(const firn_world *world, const fr_classes *classes,
                               const firn_class_desc *desc, firn_error *err)
{
    if (desc == NULL) {
        return fr_fail(err, FIRN_INVALID, "desc", "desc is NULL");
    }
    size_t size;
    firn_result result = fr_check_reserved(desc->reserved, "firn_class_desc", err);
    if (result == FIRN_OK) {
        result = fr_check_text_name(desc->name, world->limits.name_bytes, "class name", &size, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    if (desc->component_count > 0 && desc->components == NULL) {
        return fr_fail(err, FIRN_INVALID, "components", "components is NULL and its count is %u",
                       desc->component_count);
    }
    if (desc->component_count > world->components.count) {
        return fr_fail(err, FIRN_INVALID, "component_count",
                       "component_count is %u, and there are %u components", desc->component_count,
                       world->components.count);
    }
    uint32_t index = class_named(classes, desc->name, size);
    if (index != FR_MAP_NONE && !fr_maker_waits(classes->items[index].maker, world->installer)) {
        return fr_fail(err, FIRN_EXISTS, desc->name, "the class \"%s\" is registered already",
                       desc->name);
    }
    if (index == FR_MAP_NONE && classes->count == CLASSES_MOST) {
        return fr_fail(err, FIRN_LIMIT, desc->name, "%s: a world has at most %u classes",
                       desc->name, CLASSES_MOST);
    }
    return FIRN_OK;
}

// All parts but the component of the last one, which is Class.
static firn_result fill_bundle(firn_world *world, const firn_class_desc *desc, fr_bundle *bundle,
                               firn_error *err)
{
    if (!fr_bundle_make(&world->allocator, desc->component_count + 1, bundle)) {
        return fr_fail_memory(err, "a class");
    }
    firn_component of_classes = firn_component_find(world, CLASS_NAME);
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < desc->component_count; i++) {
        firn_component component = desc->components[i];
        if (component == of_classes && of_classes != 0) {
            return fr_fail(err, FIRN_INVALID, CLASS_NAME,
                           "components[%u] is Class, which says of itself which class it is", i);
        }
        result =
            fr_bundle_put(world, bundle, i, component, desc->rows == NULL ? NULL : desc->rows[i],
                          desc->values == NULL ? NULL : desc->values[i], err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    const firn_value name = {
        .kind = FIRN_VALUE_STRING,
        .length = (uint32_t)strlen(desc->name),
        .as.string = desc->name,
    };
    return fr_bundle_put_value(world, bundle, desc->component_count, &name, err);
}

// Room for one more, and then, as the last thing that may fail, the component Class.
static firn_result reserve_class(firn_world *world, fr_classes *classes, firn_component *component,
                                 firn_error *err)
{
    const firn_allocator *allocator = &world->allocator;
    if (!FR_RESERVE(allocator, classes->items, classes->capacity, classes->count + 1) ||
        !fr_map_reserve(allocator, &classes->names, 1)) {
        return fr_fail_memory(err, "a class");
    }
    const firn_component_desc desc = {.name = CLASS_NAME, .kind = FIRN_STRING};
    firn_error why;
    *component = firn_component_register(world, &desc, &why);
    return *component != 0 ? FIRN_OK : fr_fail_copy(err, &why);
}

static void free_class(const firn_world *world, fr_class *freed)
{
    fr_bundle_free(world, &freed->bundle);
    fr_free_text(&world->allocator, freed->name);
}

// Puts a class in its place, for which there is room: the last one, or that of a copy.
static uint32_t put_class(firn_world *world, fr_classes *classes, const fr_class *made)
{
    size_t size = strlen(made->name);
    uint32_t index = class_named(classes, made->name, size);
    if (index == FR_MAP_NONE) {
        index = classes->count++;
        (void)fr_map_add(&world->allocator, &classes->names, fr_hash(made->name, size), index);
    } else {
        free_class(world, &classes->items[index]);
    }
    classes->items[index] = *made;
    watch_classes(world, classes);
    return index;
}

firn_class firn_class_register(firn_world *world, const firn_class_desc *desc, firn_error *err)
{
    fr_game *game;
    if (fr_game_enter(world, &game, err) != FIRN_OK ||
        check_class(world, &game->classes, desc, err) != FIRN_OK) {
        return 0;
    }
    fr_class made = {
        .name = fr_copy_text(&world->allocator, desc->name, strlen(desc->name)),
        .create = desc->create,
        .restore = desc->restore,
        .user = desc->user,
        .maker.installer = world->installer,
    };
    firn_component component = 0;
    firn_result result = made.name != NULL ? fill_bundle(world, desc, &made.bundle, err)
                                           : fr_fail_memory(err, "a class");
    if (result == FIRN_OK) {
        result = reserve_class(world, &game->classes, &component, err);
    }
    if (result != FIRN_OK) {
        free_class(world, &made);
        return 0;
    }
    assert(made.bundle.components != NULL); // the bundle was made
    made.bundle.components[desc->component_count] = component;
    game->classes.component = component;
    return game->class_base + put_class(world, &game->classes, &made);
}

bool fr_classes_copy(firn_world *world, const fr_classes *from)
{
    fr_classes *to = &fr_game_of(world)->classes;
    if (from->count == 0) {
        return true;
    }
    if (!FR_RESERVE(&world->allocator, to->items, to->capacity, from->count) ||
        !fr_map_reserve(&world->allocator, &to->names, from->count)) {
        return false;
    }
    to->component = from->component;
    for (uint32_t i = 0; i < from->count; i++) {
        fr_class copy = from->items[i];
        copy.bundle = (fr_bundle){.count = 0};
        copy.maker = fr_maker_copy(copy.maker);
        copy.name = fr_copy_text(&world->allocator, copy.name, strlen(copy.name));
        if (copy.name == NULL || !fr_bundle_copy(world, &from->items[i].bundle, &copy.bundle)) {
            free_class(world, &copy);
            return false;
        }
        (void)put_class(world, to, &copy);
    }
    return true;
}

void fr_classes_free(const firn_world *world, fr_classes *classes)
{
    for (uint32_t i = 0; i < classes->count; i++) {
        free_class(world, &classes->items[i]);
    }
    FR_ARRAY_FREE(&world->allocator, classes->items, classes->capacity);
    fr_map_free(&world->allocator, &classes->names);
    *classes = (fr_classes){.count = 0};
}

// ---------------------------------------------------------------- spawning

static firn_result create_entity(firn_world *world, const fr_class *spawned, firn_entity entity,
                                 firn_error *err)
{
    // Who heard of it may have ended it.
    if (spawned->create == NULL || !firn_alive(world, entity)) {
        return FIRN_OK;
    }
    firn_error why;
    fr_error_begin(&why);
    firn_result result = spawned->create(spawned->user, world, entity, &why);
    if (result == FIRN_OK) {
        return FIRN_OK;
    }
    if (firn_alive(world, entity)) {
        (void)firn_despawn(world, entity, NULL);
    }
    fr_error_complete(&why, result);
    return fr_fail_entity(err, result, entity, spawned->name, "class %s: %s", spawned->name,
                          why.message);
}

firn_entity firn_class_spawn(firn_world *world, firn_class entity_class, firn_error *err)
{
    fr_game *game;
    if (fr_game_enter(world, &game, err) != FIRN_OK || fr_world_settle(world, err) != FIRN_OK) {
        return 0;
    }
    uint32_t index = class_index(game, entity_class);
    if (index == FR_MAP_NONE) {
        fr_fail(err, FIRN_INVALID, "entity_class", "%llu is not a class of this world",
                (unsigned long long)entity_class);
        return 0;
    }
    // Classes that are registered meanwhile may move it.
    const fr_class spawned = game->classes.items[index];
    firn_entity entity = 0;
    if (fr_bundle_spawn(world, &spawned.bundle, &entity, err) != FIRN_OK ||
        create_entity(world, &spawned, entity, err) != FIRN_OK) {
        return 0;
    }
    return entity;
}
