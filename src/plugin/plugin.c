#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "plugin/registry.h"
#include "store/event.h"

static uint32_t list_length(const void *list)
{
    const void *const *items = list;
    uint32_t count = 0;
    while (items != NULL && items[count] != NULL) {
        count++;
    }
    return count;
}

// ---- what a save or load is about

bool firn_save_has(const firn_world *world, firn_entity entity)
{
    if (!firn_alive(world, entity)) {
        return false;
    }
    const fr_asked *asked = world->asked;
    return asked == NULL || asked->saves == NULL || asked->saves(asked->user, entity);
}

firn_entity firn_load_keeps(const firn_world *world, firn_entity entity)
{
    const fr_asked *asked = world != NULL ? world->asked : NULL;
    return asked != NULL && asked->keeps != NULL ? asked->keeps(asked->user, entity) : 0;
}

// ---- checks

static const fr_plugin *find_plugin(const firn_world *world, const char *name)
{
    const fr_registry *registry = fr_registry_of(world);
    for (uint32_t i = 0; registry != NULL && i < registry->plugin_count; i++) {
        if (strcmp(registry->plugins[i].name, name) == 0) {
            return &registry->plugins[i];
        }
    }
    return NULL;
}

const firn_codec *firn_codec_find(const firn_world *world, const char *name)
{
    const fr_registry *registry = world != NULL ? fr_registry_of(world) : NULL;
    for (uint32_t i = 0; name != NULL && registry != NULL && i < registry->plugin_count; i++) {
        const fr_plugin *plugin = &registry->plugins[i];
        for (uint32_t k = 0; k < plugin->codec_count; k++) {
            if (strcmp(plugin->codecs[k].name, name) == 0) {
                return &plugin->codecs[k];
            }
        }
    }
    return NULL;
}

static firn_result check_codec_table(const firn_world *world, const firn_plugin *plugin, uint32_t i,
                                     firn_error *err)
{
    const firn_codec *codec = plugin->codecs[i];
    firn_result result =
        fr_check_vtable("codec", codec->abi, codec->name, world->limits.name_bytes, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (codec->encode == NULL || codec->decode == NULL) {
        return fr_fail(err, FIRN_INVALID, codec->name, "codec %s has NULL for %s", codec->name,
                       codec->encode == NULL ? "encode" : "decode");
    }
    bool there = firn_codec_find(world, codec->name) != NULL;
    for (uint32_t k = 0; k < i; k++) {
        there = there || strcmp(plugin->codecs[k]->name, codec->name) == 0;
    }
    return there
               ? fr_fail(err, FIRN_EXISTS, codec->name, "there is a codec %s already", codec->name)
               : FIRN_OK;
}

static firn_result check_handler_table(const firn_world *world, const firn_plugin *plugin,
                                       uint32_t i, firn_error *err)
{
    const firn_handler *handler = plugin->handlers[i];
    firn_result result = fr_handler_check(world, handler, false, i, err);
    for (uint32_t k = 0; result == FIRN_OK && k < i; k++) {
        if (strcmp(plugin->handlers[k]->name, handler->name) == 0) {
            return fr_fail(err, FIRN_EXISTS, handler->name, "handler %s is in the plugin %s twice",
                           handler->name, plugin->name);
        }
    }
    return result;
}

static firn_result check_plugin(const firn_world *world, const firn_plugin *plugin, firn_error *err)
{
    firn_result result =
        fr_check_vtable("plugin", plugin->abi, plugin->name, world->limits.name_bytes, err);
    if (result == FIRN_OK && find_plugin(world, plugin->name) != NULL) {
        return fr_fail(err, FIRN_EXISTS, plugin->name, "there is a plugin %s already",
                       plugin->name);
    }
    uint32_t codecs = list_length(plugin->codecs), handlers = list_length(plugin->handlers);
    for (uint32_t i = 0; result == FIRN_OK && i < codecs; i++) {
        result = check_codec_table(world, plugin, i, err);
    }
    for (uint32_t i = 0; result == FIRN_OK && i < handlers; i++) {
        result = check_handler_table(world, plugin, i, err);
    }
    return result;
}

// ---- what a plugin adds

// A plugin on its way into the registry.
typedef struct plugin_arrival {
    const firn_plugin *table;
    fr_plugin plugin;
    fr_handler *handlers; // copies
    uint32_t handler_count;
    uint32_t handlers_copied;
    uint32_t kinds_before; // of event
} plugin_arrival;

void fr_plugin_free(const firn_allocator *allocator, fr_plugin *plugin)
{
    for (uint32_t i = 0; i < plugin->codec_count; i++) {
        fr_free_text(allocator, (char *)plugin->codecs[i].name);
    }
    fr_free(allocator, plugin->codecs, plugin->codec_count, sizeof *plugin->codecs, sizeof(void *));
    fr_free(allocator, plugin->observers, plugin->observer_count, sizeof *plugin->observers,
            sizeof(firn_observer));
    fr_free_text(allocator, plugin->name);
}

static bool copy_codecs(const firn_allocator *allocator, plugin_arrival *arrival)
{
    fr_plugin *plugin = &arrival->plugin;
    uint32_t count = list_length(arrival->table->codecs);
    if (count == 0) {
        return true;
    }
    plugin->codecs = fr_alloc_zero(allocator, count, sizeof *plugin->codecs, sizeof(void *));
    plugin->codec_count = plugin->codecs != NULL ? count : 0;
    bool copied = plugin->codecs != NULL;
    for (uint32_t i = 0; copied && i < count; i++) {
        const firn_codec *codec = arrival->table->codecs[i];
        plugin->codecs[i] = *codec;
        plugin->codecs[i].name = fr_copy_text(allocator, codec->name, strlen(codec->name));
        copied = plugin->codecs[i].name != NULL;
    }
    return copied;
}

static bool copy_handlers(const firn_allocator *allocator, plugin_arrival *arrival)
{
    uint32_t count = list_length(arrival->table->handlers);
    if (count == 0) {
        return true;
    }
    arrival->handlers = fr_alloc(allocator, count, sizeof *arrival->handlers, sizeof(void *));
    if (arrival->handlers == NULL) {
        return false;
    }
    arrival->handler_count = count;
    for (uint32_t i = 0; i < count; i++) {
        if (!fr_handler_copy(allocator, arrival->table->handlers[i], &arrival->handlers[i])) {
            return false;
        }
        arrival->handlers[i].owner = arrival->plugin.name;
        arrival->handlers_copied++;
    }
    return true;
}

// Everything that takes memory, so that the arrival itself cannot fail.
static bool copy_plugin(firn_world *world, fr_registry *registry, plugin_arrival *arrival)
{
    const firn_allocator *allocator = &world->allocator;
    const firn_plugin *table = arrival->table;
    fr_plugin *plugin = &arrival->plugin;
    uint32_t observers = list_length(table->observers);
    plugin->install = table->install;
    plugin->destroy = table->destroy;
    plugin->user = table->user;
    plugin->name = fr_copy_text(allocator, table->name, strlen(table->name));
    if (plugin->name == NULL || !copy_codecs(allocator, arrival) ||
        !copy_handlers(allocator, arrival)) {
        return false;
    }
    if (observers > 0) {
        plugin->observers =
            fr_alloc_zero(allocator, observers, sizeof *plugin->observers, sizeof(firn_observer));
        if (plugin->observers == NULL) {
            return false;
        }
        plugin->observer_count = observers;
    }
    return FR_RESERVE(allocator, registry->plugins, registry->plugin_capacity,
                      registry->plugin_count + 1) &&
           (arrival->handler_count == 0 ||
            FR_RESERVE(allocator, registry->handlers, registry->handler_capacity,
                       registry->handler_count + arrival->handler_count));
}

static firn_result add_events(firn_world *world, plugin_arrival *arrival, firn_error *err)
{
    const firn_plugin *table = arrival->table;
    for (uint32_t i = 0; table->events != NULL && table->events[i] != NULL; i++) {
        firn_error why;
        if (firn_event_register(world, table->events[i], &why) == 0) {
            return fr_fail_copy(err, &why);
        }
    }
    for (uint32_t i = 0; table->observers != NULL && table->observers[i] != NULL; i++) {
        firn_error why;
        arrival->plugin.observers[i] = firn_observe(world, table->observers[i], &why);
        if (arrival->plugin.observers[i] == 0) {
            return fr_fail_copy(err, &why);
        }
    }
    return FIRN_OK;
}

static firn_result run_install(firn_world *world, fr_registry *registry,
                               const plugin_arrival *arrival, firn_error *err)
{
    const firn_plugin *table = arrival->table;
    if (table->install == NULL) {
        return FIRN_OK;
    }
    firn_error why;
    fr_error_begin(&why);
    registry->installing = arrival->plugin.name;
    world->installer = arrival->plugin.number;
    firn_result result = table->install(table->user, world, &why);
    world->installer = 0;
    registry->installing = NULL;
    if (result == FIRN_OK) {
        return FIRN_OK;
    }
    fr_error_complete(&why, result);
    return fr_fail_entity(err, result, why.entity, table->name, "plugin %s: %s", table->name,
                          why.message);
}

// A plugin that was installed and does not stay goes as one that is removed.
static firn_result adopt_entries(firn_world *world, const plugin_arrival *arrival, firn_error *err)
{
    const firn_plugin *table = arrival->table;
    firn_result result = fr_handlers_adopt(world, arrival->handlers, arrival->handler_count, err);
    if (result != FIRN_OK && table->destroy != NULL) {
        table->destroy(table->user, world);
    }
    return result;
}

static void stop_observing(firn_world *world, const fr_plugin *plugin)
{
    for (uint32_t i = 0; i < plugin->observer_count; i++) {
        // One that went with its entity is not there any more.
        if (plugin->observers[i] != 0) {
            (void)firn_unobserve(world, plugin->observers[i], NULL);
        }
    }
}

static void withdraw_plugin(firn_world *world, plugin_arrival *arrival)
{
    const firn_allocator *allocator = &world->allocator;
    stop_observing(world, &arrival->plugin);
    fr_events_forget_kinds(world, arrival->kinds_before);
    for (uint32_t i = 0; i < arrival->handlers_copied; i++) {
        fr_handler_free(allocator, &arrival->handlers[i]);
    }
    fr_plugin_free(allocator, &arrival->plugin);
}

static void put_plugin(fr_registry *registry, const plugin_arrival *arrival)
{
    for (uint32_t i = 0; i < arrival->handler_count; i++) {
        fr_handler_put(registry, &arrival->handlers[i]);
    }
    registry->plugins[registry->plugin_count++] = arrival->plugin;
}

firn_result firn_plugin_add(firn_world *world, const firn_plugin *plugin, firn_error *err)
{
    firn_result result = fr_registry_check_idle(world, err);
    if (result == FIRN_OK && plugin == NULL) {
        return fr_fail(err, FIRN_INVALID, "plugin", "plugin is NULL");
    }
    if (result == FIRN_OK) {
        result = check_plugin(world, plugin, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    fr_registry *registry = fr_registry_need(world, err);
    return registry == NULL ? FIRN_NO_MEMORY
                            : fr_plugin_add(world, plugin, ++registry->plugins_made, err);
}

firn_result fr_plugin_add(firn_world *world, const firn_plugin *plugin, uint32_t number,
                          firn_error *err)
{
    fr_registry *registry = world->parts[FR_PART_PLUGINS].data;
    plugin_arrival arrival = {
        .table = plugin, .plugin.number = number, .kinds_before = world->events.kind_count};
    firn_result result = copy_plugin(world, registry, &arrival) ? add_events(world, &arrival, err)
                                                                : fr_fail_memory(err, plugin->name);
    if (result == FIRN_OK) {
        result = run_install(world, registry, &arrival, err);
    }
    if (result == FIRN_OK) {
        result = adopt_entries(world, &arrival, err);
    }
    if (result == FIRN_OK) {
        put_plugin(registry, &arrival);
    } else {
        withdraw_plugin(world, &arrival);
    }
    fr_free(&world->allocator, arrival.handlers, arrival.handler_count, sizeof *arrival.handlers,
            sizeof(void *));
    return result;
}

// ---- removing

// Two codecs may share their functions, but not their name.
static bool codec_is_used(const fr_plugin *plugin, const fr_component *component)
{
    for (uint32_t i = 0; component->has_codec && i < plugin->codec_count; i++) {
        const firn_codec *codec = &plugin->codecs[i];
        if (component->codec.encode == codec->encode && component->codec.decode == codec->decode &&
            component->codec.user == codec->user &&
            strcmp(component->codec.name, codec->name) == 0) {
            return true;
        }
    }
    return false;
}

static firn_result check_unused(const firn_world *world, const fr_plugin *plugin, firn_error *err)
{
    for (uint32_t i = 0; i < world->components.count; i++) {
        const fr_component *component = world->components.items[i];
        if (codec_is_used(plugin, component)) {
            return fr_fail(err, FIRN_BUSY, component->name, "%s uses codec %s of the plugin %s",
                           component->name, component->codec.name, plugin->name);
        }
    }
    return FIRN_OK;
}

firn_result firn_plugin_remove(firn_world *world, const char *name, firn_error *err)
{
    firn_result result = fr_registry_check_idle(world, err);
    if (result != FIRN_OK) {
        return result;
    }
    const fr_plugin *found = name != NULL ? find_plugin(world, name) : NULL;
    if (found == NULL) {
        return name == NULL ? fr_fail(err, FIRN_INVALID, "name", "name is NULL")
                            : fr_fail(err, FIRN_NOT_FOUND, "plugin", "there is no plugin %s", name);
    }
    result = check_unused(world, found, err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_registry *registry = world->parts[FR_PART_PLUGINS].data;
    fr_plugin plugin = *found;
    uint32_t place = (uint32_t)(found - registry->plugins);
    registry->plugin_count--;
    memmove(registry->plugins + place, registry->plugins + place + 1,
            (registry->plugin_count - place) * sizeof plugin);
    for (uint32_t i = registry->handler_count; i-- > 0;) {
        if (registry->handlers[i].owner == plugin.name) {
            fr_handler_take(&world->allocator, registry, i);
        }
    }
    stop_observing(world, &plugin);
    if (plugin.destroy != NULL) {
        plugin.destroy(plugin.user, world);
    }
    fr_plugin_free(&world->allocator, &plugin);
    return FIRN_OK;
}
