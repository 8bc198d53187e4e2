#include "plugin/registry.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/utf8.h"

// ---- keys

static bool key_begins(const char *key, size_t size, const char *prefix)
{
    size_t length = strlen(prefix);
    return size >= length && memcmp(key, prefix, length) == 0;
}

bool fr_key_is_custom(const char *key, size_t size)
{
    bool random = size == strlen(FR_KEY_RANDOM) && memcmp(key, FR_KEY_RANDOM, size) == 0;
    return !random && !key_begins(key, size, FR_PREFIX_TECS) &&
           !key_begins(key, size, FR_PREFIX_FIRN);
}

// ---- the part

const fr_registry *fr_registry_of(const firn_world *world)
{
    return world->parts[FR_PART_PLUGINS].data;
}

static void free_handler(const firn_allocator *allocator, fr_handler *handler)
{
    fr_free_text(allocator, (char *)handler->table.name);
}

static void destroy_registry(firn_world *world, void *data)
{
    fr_registry *registry = data;
    for (uint32_t i = 0; i < registry->handler_count; i++) {
        free_handler(&world->allocator, &registry->handlers[i]);
    }
    FR_ARRAY_FREE(&world->allocator, registry->handlers, registry->handler_capacity);
    fr_free(&world->allocator, registry, 1, sizeof *registry, sizeof(void *));
}

// NULL: no memory.
static fr_registry *need_registry(firn_world *world, firn_error *err)
{
    fr_part *part = &world->parts[FR_PART_PLUGINS];
    if (part->data == NULL) {
        part->data = fr_alloc_zero(&world->allocator, 1, sizeof(fr_registry), sizeof(void *));
        part->destroy = destroy_registry;
        if (part->data == NULL) {
            part->destroy = NULL;
            fr_fail_memory(err, "registry");
        }
    }
    return part->data;
}

// ---- checks

firn_result fr_check_vtable(const char *what, uint32_t abi, const char *name, uint32_t name_bytes,
                            firn_error *err)
{
    if (abi == 0) {
        return fr_fail(err, FIRN_INVALID, what, "the %s has abi 0; it should be FIRN_ABI", what);
    }
    if (abi > FIRN_ABI) {
        return fr_fail(err, FIRN_VERSION, what, "the %s has abi %u, this is abi %u", what, abi,
                       FIRN_ABI);
    }
    char label[64];
    snprintf(label, sizeof label, "%s name", what);
    return fr_check_text_name(name, name_bytes, label, NULL, err);
}

static fr_handler *find_handler(const fr_registry *registry, const char *name, size_t size)
{
    for (uint32_t i = 0; registry != NULL && i < registry->handler_count; i++) {
        fr_handler *handler = &registry->handlers[i];
        if (handler->name_size == size && memcmp(handler->table.name, name, size) == 0) {
            return handler;
        }
    }
    return NULL;
}

static firn_result check_handler(const firn_world *world, const firn_handler *handler, bool builtin,
                                 firn_error *err)
{
    if (handler == NULL) {
        return fr_fail(err, FIRN_INVALID, "handler", "handler is NULL");
    }
    // What firn itself adds is not bound by the limits of the game.
    uint32_t name_bytes = builtin ? UINT8_MAX : world->limits.name_bytes;
    firn_result result = fr_check_vtable("handler", handler->abi, handler->name, name_bytes, err);
    if (result != FIRN_OK) {
        return result;
    }
    const char *name = handler->name;
    if (!builtin && !fr_key_is_custom(name, strlen(name))) {
        return fr_fail(err, FIRN_INVALID, name,
                       "handler name %s is reserved: __tecs.*, __firn.* and tecs.random are", name);
    }
    if (!handler->save && !handler->check && !handler->commit && !handler->discard &&
        !handler->load && !handler->finish) {
        return fr_fail(err, FIRN_INVALID, name, "handler %s has no function", name);
    }
    if (handler->discard != NULL && handler->check == NULL) {
        return fr_fail(err, FIRN_INVALID, name, "handler %s has discard and no check", name);
    }
    const fr_registry *registry = fr_registry_of(world);
    if (find_handler(registry, name, strlen(name)) != NULL) {
        return fr_fail(err, FIRN_EXISTS, name, "there is a handler %s already", name);
    }
    uint32_t games = registry != NULL ? registry->handler_count - registry->builtin_count : 0;
    if (!builtin && games == world->limits.handlers) {
        return fr_fail(err, FIRN_LIMIT, name, "handler %s is more than the %u handlers allowed",
                       name, world->limits.handlers);
    }
    return FIRN_OK;
}

// ---- adding and removing

firn_result fr_handler_add(firn_world *world, const firn_handler *handler, bool builtin,
                           firn_error *err)
{
    firn_result result = fr_world_check_idle(world, err);
    if (result == FIRN_OK) {
        result = check_handler(world, handler, builtin, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    const firn_allocator *allocator = &world->allocator;
    fr_registry *registry = need_registry(world, err);
    if (registry == NULL) {
        return FIRN_NO_MEMORY;
    }
    size_t size = strlen(handler->name);
    char *name = fr_copy_text(allocator, handler->name, size);
    if (name == NULL || !FR_RESERVE(allocator, registry->handlers, registry->handler_capacity,
                                    registry->handler_count + 1)) {
        fr_free_text(allocator, name);
        return fr_fail_memory(err, handler->name);
    }
    uint32_t at = builtin ? registry->builtin_count : registry->handler_count;
    fr_handler *made = &registry->handlers[at];
    memmove(made + 1, made, (registry->handler_count - at) * sizeof *made);
    registry->handler_count++;
    *made = (fr_handler){.table = *handler, .name_size = (uint32_t)size, .builtin = builtin};
    made->table.name = name;
    registry->builtin_count += builtin;
    return FIRN_OK;
}

firn_result firn_handler_add(firn_world *world, const firn_handler *handler, firn_error *err)
{
    return fr_handler_add(world, handler, false, err);
}

firn_result firn_handler_remove(firn_world *world, const char *name, firn_error *err)
{
    firn_result result = fr_world_check_idle(world, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (name == NULL) {
        return fr_fail(err, FIRN_INVALID, "name", "name is NULL");
    }
    fr_registry *registry = world->parts[FR_PART_PLUGINS].data;
    fr_handler *handler = find_handler(registry, name, strlen(name));
    if (handler == NULL || handler->builtin) {
        return fr_fail(err, FIRN_NOT_FOUND, "handler", "there is no handler %s", name);
    }
    free_handler(&world->allocator, handler);
    uint32_t behind = (uint32_t)(registry->handlers + registry->handler_count - (handler + 1));
    memmove(handler, handler + 1, behind * sizeof *handler);
    registry->handler_count--;
    return FIRN_OK;
}
