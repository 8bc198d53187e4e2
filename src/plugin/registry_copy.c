// Handlers and plugins of a world, added to a new one.
#include "plugin/registry.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

// ---- handlers

// The place of the first handler of a plugin; `next` when it has none.
static uint32_t first_of_plugin(const fr_registry *from, const fr_plugin *plugin, uint32_t next)
{
    for (uint32_t i = next; i < from->handler_count; i++) {
        if (from->handlers[i].owner == plugin->name) {
            return i;
        }
    }
    return next;
}

// The game's own handlers up to a place.
static firn_result copy_own_handlers(firn_world *world, const fr_registry *from, uint32_t *next,
                                     uint32_t end, firn_error *err)
{
    firn_result result = FIRN_OK;
    for (; result == FIRN_OK && *next < end; ++*next) {
        const fr_handler *handler = &from->handlers[*next];
        if (handler->owner == NULL) {
            result = fr_handler_add(world, &handler->table, false, err);
        }
    }
    return result;
}

// ---- plugins

// A plugin as it was added, in pointers to what the original has.
typedef struct plugin_table {
    firn_plugin table;
    const void **lists; // three, each ended by NULL
    uint32_t list_items;
    firn_observer_desc *observers;
    uint32_t observer_count;
} plugin_table;

static void free_plugin_table(const firn_allocator *allocator, plugin_table *made)
{
    fr_free(allocator, made->lists, made->list_items, sizeof *made->lists, sizeof(void *));
    fr_free(allocator, made->observers, made->observer_count, sizeof *made->observers,
            sizeof(uint64_t));
}

static uint32_t count_handlers(const fr_registry *from, const fr_plugin *plugin)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < from->handler_count; i++) {
        count += from->handlers[i].owner == plugin->name;
    }
    return count;
}

static bool alloc_plugin_table(const firn_allocator *allocator, const fr_registry *from,
                               const fr_plugin *plugin, plugin_table *made)
{
    made->observer_count = plugin->observer_count;
    made->list_items =
        plugin->codec_count + plugin->observer_count + count_handlers(from, plugin) + 3;
    made->lists = fr_alloc_zero(allocator, made->list_items, sizeof *made->lists, sizeof(void *));
    if (made->lists != NULL && made->observer_count > 0) {
        made->observers = fr_alloc_zero(allocator, made->observer_count, sizeof *made->observers,
                                        sizeof(uint64_t));
    }
    return made->lists != NULL && (made->observer_count == 0 || made->observers != NULL);
}

static void fill_plugin_table(const firn_world *original, const fr_plugin *plugin,
                              plugin_table *made)
{
    const fr_registry *from = fr_registry_of(original);
    made->table = (firn_plugin){
        .abi = FIRN_ABI,
        .name = plugin->name,
        .install = plugin->install,
        .destroy = plugin->destroy,
        .user = plugin->user,
    };
    const void **next = made->lists;
    made->table.codecs = (const firn_codec *const *)(const void *)next;
    for (uint32_t i = 0; i < plugin->codec_count; i++) {
        *next++ = &plugin->codecs[i];
    }
    next++;
    made->table.handlers = (const firn_handler *const *)(const void *)next;
    for (uint32_t i = 0; i < from->handler_count; i++) {
        if (from->handlers[i].owner == plugin->name) {
            *next++ = &from->handlers[i].table;
        }
    }
    next++;
    made->table.observers = (const firn_observer_desc *const *)(const void *)next;
    for (uint32_t i = 0; i < plugin->observer_count; i++) {
        if (fr_observer_describe(original, plugin->observers[i], &made->observers[i])) {
            *next++ = &made->observers[i];
        }
    }
}

static firn_result add_again(firn_world *world, const firn_world *original, const fr_plugin *plugin,
                             firn_error *err)
{
    plugin_table made = {.lists = NULL};
    firn_result result = FIRN_NO_MEMORY;
    if (alloc_plugin_table(&world->allocator, fr_registry_of(original), plugin, &made)) {
        fill_plugin_table(original, plugin, &made);
        result = fr_plugin_add(world, &made.table, plugin->number, err);
    } else {
        fr_fail_memory(err, plugin->name);
    }
    free_plugin_table(&world->allocator, &made);
    return result;
}

// A component that has a plugin's codec has the name that the plugin owns.
static void take_codec_names(firn_world *world, const fr_plugin *plugin)
{
    for (uint32_t i = 0; i < world->components.count; i++) {
        fr_component *component = world->components.items[i];
        for (uint32_t k = 0; component->has_codec && k < plugin->codec_count; k++) {
            const char *name = plugin->codecs[k].name;
            if (component->codec.name == name) {
                component->codec.name = firn_codec_find(world, name)->name;
            }
        }
    }
}

firn_result fr_registry_copy(firn_world *world, const firn_world *original, firn_error *err)
{
    const fr_registry *from = fr_registry_of(original);
    uint32_t next = from->builtin_count;
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < from->plugin_count; i++) {
        const fr_plugin *plugin = &from->plugins[i];
        result = copy_own_handlers(world, from, &next, first_of_plugin(from, plugin, next), err);
        if (result == FIRN_OK) {
            result = add_again(world, original, plugin, err);
        }
        if (result == FIRN_OK) {
            take_codec_names(world, plugin);
        }
    }
    if (result == FIRN_OK) {
        result = copy_own_handlers(world, from, &next, from->handler_count, err);
    }
    fr_registry *registry = world->parts[FR_PART_PLUGINS].data;
    registry->plugins_made = from->plugins_made;
    return result;
}
