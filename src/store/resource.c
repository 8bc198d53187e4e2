// Named pointers of the game, in the order in which they were set.
#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/utf8.h"
#include "firn/game.h"
#include "store/world.h"

#include <string.h>

static fr_resource *find_resource(const firn_world *world, const char *name)
{
    for (uint32_t i = 0; i < world->resource_count; i++) {
        if (strcmp(world->resources[i].name, name) == 0) {
            return &world->resources[i];
        }
    }
    return NULL;
}

// Takes a resource out of the list; the others keep their order.
static fr_resource take_resource(firn_world *world, fr_resource *resource)
{
    fr_resource taken = *resource;
    fr_resource *end = world->resources + world->resource_count;
    memmove(resource, resource + 1, (size_t)(end - resource - 1) * sizeof *resource);
    world->resource_count--;
    return taken;
}

// Its name is no longer in the list, so that `destroy` may do with the world what it likes.
static void end_resource(firn_world *world, fr_resource *taken)
{
    fr_free_text(&world->allocator, taken->name);
    if (taken->destroy != NULL) {
        taken->destroy(taken->pointer);
    }
}

static firn_result add_resource(firn_world *world, const char *name, size_t size,
                                const fr_resource *resource, firn_error *err)
{
    char *copy = NULL;
    if (FR_RESERVE(&world->allocator, world->resources, world->resource_capacity,
                   world->resource_count + 1)) {
        copy = fr_copy_text(&world->allocator, name, size);
    }
    if (copy == NULL) {
        return fr_fail_memory(err, "a resource");
    }
    fr_resource *added = &world->resources[world->resource_count++];
    *added = *resource;
    added->name = copy;
    return FIRN_OK;
}

// Puts it behind all others, as one that is set now.
static void replace_resource(firn_world *world, fr_resource *there, const fr_resource *resource)
{
    fr_resource old = take_resource(world, there);
    fr_resource *added = &world->resources[world->resource_count++];
    *added = *resource;
    added->name = old.name;
    if (old.destroy != NULL && old.pointer != resource->pointer) {
        old.destroy(old.pointer);
    }
}

firn_result firn_resource_set(firn_world *world, const char *name, void *pointer,
                              void (*destroy)(void *pointer), firn_error *err)
{
    if (world == NULL || pointer == NULL) {
        const char *argument = world == NULL ? "world" : "pointer";
        return fr_fail(err, FIRN_INVALID, argument, "%s is NULL", argument);
    }
    size_t size;
    firn_result result =
        fr_check_text_name(name, world->limits.name_bytes, "resource name", &size, err);
    if (result != FIRN_OK) {
        return result;
    }
    const fr_resource resource = {.pointer = pointer, .destroy = destroy};
    fr_resource *there = find_resource(world, name);
    if (there == NULL) {
        return add_resource(world, name, size, &resource, err);
    }
    replace_resource(world, there, &resource);
    return FIRN_OK;
}

void *firn_resource_get(const firn_world *world, const char *name)
{
    if (world == NULL || name == NULL) {
        return NULL;
    }
    const fr_resource *resource = find_resource(world, name);
    return resource == NULL ? NULL : resource->pointer;
}

firn_result firn_resource_remove(firn_world *world, const char *name, firn_error *err)
{
    if (world == NULL || name == NULL) {
        const char *argument = world == NULL ? "world" : "name";
        return fr_fail(err, FIRN_INVALID, argument, "%s is NULL", argument);
    }
    fr_resource *there = find_resource(world, name);
    if (there == NULL) {
        return fr_fail(err, FIRN_NOT_FOUND, name, "there is no resource \"%s\"", name);
    }
    fr_resource taken = take_resource(world, there);
    end_resource(world, &taken);
    return FIRN_OK;
}

void fr_resources_free(firn_world *world)
{
    while (world->resource_count > 0) {
        fr_resource taken = take_resource(world, &world->resources[world->resource_count - 1]);
        end_resource(world, &taken);
    }
    FR_ARRAY_FREE(&world->allocator, world->resources, world->resource_capacity);
}
