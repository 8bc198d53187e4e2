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

static bool key_equals(const char *key, size_t size, const char *name)
{
    return size == strlen(name) && memcmp(key, name, size) == 0;
}

bool fr_key_is_custom(const char *key, size_t size)
{
    return !key_equals(key, size, FR_KEY_RANDOM) && !key_equals(key, size, FR_KEY_SCRIPT) &&
           !key_begins(key, size, FR_PREFIX_TECS) && !key_begins(key, size, FR_PREFIX_FIRN);
}

// ---- the part

const fr_registry *fr_registry_of(const firn_world *world)
{
    return world->parts[FR_PART_PLUGINS].data;
}

// The world has no entities any more.
static void destroy_registry(firn_world *world, void *data)
{
    fr_registry *registry = data;
    const firn_allocator *allocator = &world->allocator;
    while (registry->plugin_count > 0) {
        fr_plugin *plugin = &registry->plugins[--registry->plugin_count];
        if (plugin->destroy != NULL) {
            fr_world_lock(world, plugin->name);
            plugin->destroy(plugin->user, world);
            fr_world_unlock(world);
        }
        fr_plugin_free(allocator, plugin);
    }
    for (uint32_t i = 0; i < registry->handler_count; i++) {
        fr_handler_free(allocator, &registry->handlers[i]);
    }
    FR_ARRAY_FREE(allocator, registry->plugins, registry->plugin_capacity);
    FR_ARRAY_FREE(allocator, registry->handlers, registry->handler_capacity);
    fr_free(allocator, registry, 1, sizeof *registry, sizeof(void *));
}

fr_registry *fr_registry_need(firn_world *world, firn_error *err)
{
    fr_part *part = &world->parts[FR_PART_PLUGINS];
    if (part->data != NULL) {
        return part->data;
    }
    fr_registry *made = fr_alloc_zero(&world->allocator, 1, sizeof *made, sizeof(void *));
    if (made == NULL) {
        fr_fail_memory(err, "registry");
        return NULL;
    }
    *part = (fr_part){made, destroy_registry};
    return made;
}

firn_result fr_registry_check_idle(const firn_world *world, firn_error *err)
{
    firn_result result = fr_world_check_idle(world, err);
    if (result != FIRN_OK) {
        return result;
    }
    const fr_registry *registry = fr_registry_of(world);
    if (registry != NULL && registry->installing != NULL) {
        return fr_fail(err, FIRN_BUSY, registry->installing, "the plugin %s is being installed",
                       registry->installing);
    }
    return FIRN_OK;
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

firn_result fr_handler_check(const firn_world *world, const firn_handler *handler, bool builtin,
                             uint32_t more, firn_error *err)
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
                       "handler name %s is reserved: __tecs.*, __firn.*, tecs.random and "
                       "tecs.sequence are",
                       name);
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
    uint64_t games = registry != NULL ? registry->handler_count - registry->builtin_count : 0;
    if (!builtin && games + more >= world->limits.handlers) {
        return fr_fail(err, FIRN_LIMIT, name, "handler %s is more than the %u handlers allowed",
                       name, world->limits.handlers);
    }
    return FIRN_OK;
}

// ---- adding and removing

bool fr_handler_copy(const firn_allocator *allocator, const firn_handler *handler, fr_handler *out)
{
    size_t size = strlen(handler->name);
    char *name = fr_copy_text(allocator, handler->name, size);
    *out = (fr_handler){.table = *handler, .name_size = (uint32_t)size};
    out->table.name = name;
    return name != NULL;
}

void fr_handler_free(const firn_allocator *allocator, fr_handler *handler)
{
    fr_free_text(allocator, (char *)handler->table.name);
}

void fr_handler_put(fr_registry *registry, const fr_handler *handler)
{
    uint32_t at = handler->builtin ? registry->builtin_count : registry->handler_count;
    fr_handler *place = &registry->handlers[at];
    memmove(place + 1, place, (registry->handler_count - at) * sizeof *place);
    *place = *handler;
    registry->handler_count++;
    registry->builtin_count += handler->builtin;
}

void fr_handler_take(const firn_allocator *allocator, fr_registry *registry, uint32_t place)
{
    fr_handler *handler = &registry->handlers[place];
    fr_handler_free(allocator, handler);
    registry->handler_count--;
    memmove(handler, handler + 1, (registry->handler_count - place) * sizeof *handler);
}

firn_result fr_handlers_adopt(firn_world *world, const fr_handler *handlers, uint32_t count,
                              firn_error *err)
{
    return world->adopt_data != NULL ? world->adopt_data(world, handlers, count, err) : FIRN_OK;
}

static firn_result add_handler(firn_world *world, const firn_handler *handler, bool builtin,
                               fr_rests_fn rests, fr_rest_fn rest, firn_error *err)
{
    firn_result result = fr_registry_check_idle(world, err);
    if (result == FIRN_OK) {
        result = fr_handler_check(world, handler, builtin, 0, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    const firn_allocator *allocator = &world->allocator;
    fr_registry *registry = fr_registry_need(world, err);
    if (registry == NULL) {
        return FIRN_NO_MEMORY;
    }
    fr_handler made;
    if (!FR_RESERVE(allocator, registry->handlers, registry->handler_capacity,
                    registry->handler_count + 1) ||
        !fr_handler_copy(allocator, handler, &made)) {
        return fr_fail_memory(err, handler->name);
    }
    made.builtin = builtin;
    made.rests = rests;
    made.rest = rest;
    result = fr_handlers_adopt(world, &made, 1, err);
    if (result == FIRN_OK) {
        fr_handler_put(registry, &made);
    } else {
        fr_handler_free(allocator, &made);
    }
    return result;
}

firn_result fr_handler_add(firn_world *world, const firn_handler *handler, bool builtin,
                           firn_error *err)
{
    return add_handler(world, handler, builtin, NULL, NULL, err);
}

firn_result fr_handler_add_resting(firn_world *world, const firn_handler *handler,
                                   fr_rests_fn rests, fr_rest_fn rest, firn_error *err)
{
    return add_handler(world, handler, true, rests, rest, err);
}

firn_result firn_handler_add(firn_world *world, const firn_handler *handler, firn_error *err)
{
    return fr_handler_add(world, handler, false, err);
}

const fr_handler *fr_handler_find(const firn_world *world, const char *name, size_t size)
{
    return find_handler(fr_registry_of(world), name, size);
}

firn_result firn_handler_remove(firn_world *world, const char *name, firn_error *err)
{
    firn_result result = fr_registry_check_idle(world, err);
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
    if (handler->owner != NULL) {
        return fr_fail(err, FIRN_INVALID, name, "handler %s goes with its plugin %s", name,
                       handler->owner);
    }
    fr_handler_take(&world->allocator, registry, (uint32_t)(handler - registry->handlers));
    return FIRN_OK;
}
