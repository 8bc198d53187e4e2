#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/utf8.h"
#include "snapshot/kept_data.h"
#include "snapshot/lifecycle.h"
#include "store/event.h"
#include "value/stream.h"

// ---- one callback at a time

// What a callback of `name` said, at its entry or with FIRN_NO_OFFSET.
static firn_result refuse_callback(const char *kind, const char *name, firn_result result,
                                   firn_error *why, uint64_t offset, firn_error *err)
{
    char shown[256];
    fr_printable(shown, sizeof shown, name, strlen(name));
    fr_error_complete(why, result);
    if (why->offset != FIRN_NO_OFFSET) {
        offset = why->offset;
    }
    fr_fail_at(err, result, offset, shown, "%s %s: %s", kind, shown, why->message);
    if (err != NULL) {
        err->entity = why->entity;
    }
    return result;
}

// Keeps the first failure after the commit.
static void note_failure(firn_loading *loading, const char *kind, const char *name,
                         firn_result result, firn_error *why, uint64_t offset)
{
    if (result != FIRN_OK && loading->failure == FIRN_OK) {
        loading->failure = refuse_callback(kind, name, result, why, offset, &loading->why);
    }
}

// ---- entries

static bool is_entry_of(const fr_datum *datum, const fr_handler *handler)
{
    return datum->key_size == handler->name_size &&
           memcmp(datum->key, handler->table.name, datum->key_size) == 0;
}

// The last entry of a handler, or NULL.
static const fr_datum *last_entry(const fr_image *image, const fr_handler *handler)
{
    for (uint32_t i = image->data_count; i-- > 0;) {
        if (is_entry_of(&image->data[i], handler)) {
            return &image->data[i];
        }
    }
    return NULL;
}

static void begin_entry(const firn_loading *loading, const fr_handler *handler,
                        const fr_datum *datum, firn_reader *reader)
{
    const fr_image *image = loading->image;
    // What firn itself adds is not bound by the limits of the game's data.
    fr_reader_begin_at(reader, image->bytes + datum->offset, datum->size, datum->offset,
                       handler->builtin ? NULL : &image->limits);
}

// A reader that failed is a failure of the callback that overlooked it, and what there is to say of
// one that says nothing.
static firn_result result_of_reading(firn_result result, const firn_reader *reader, firn_error *why)
{
    if (reader->error.code != FIRN_OK && (result == FIRN_OK || why->message[0] == '\0')) {
        *why = reader->error;
    }
    return result == FIRN_OK ? reader->error.code : result;
}

// ---- before the commit

static firn_result check_entry(firn_loading *loading, uint32_t i, firn_error *err)
{
    firn_world *world = loading->world;
    const fr_handler *handler = &loading->handlers[i];
    const firn_handler *table = &handler->table;
    if (table->check == NULL) {
        return FIRN_OK;
    }
    const fr_datum *datum = last_entry(loading->image, handler);
    firn_reader reader = {.error = {.code = FIRN_OK}};
    if (datum != NULL) {
        begin_entry(loading, handler, datum, &reader);
    }
    firn_error why;
    fr_error_begin(&why);
    fr_world_lock(world, table->name);
    firn_result result = table->check(table->user, world, datum != NULL ? &reader : NULL,
                                      &loading->prepared[i], &why);
    fr_world_unlock(world);
    firn_result read = result_of_reading(result, &reader, &why);
    if (result == FIRN_OK && read != FIRN_OK && table->discard != NULL) {
        fr_world_lock(world, table->name);
        table->discard(table->user, world, loading->prepared[i]);
        fr_world_unlock(world);
    }
    if (read == FIRN_OK) {
        return FIRN_OK;
    }
    if (handler->builtin && why.subject[0] != '\0') { // says itself what it is about
        return fr_fail_copy(err, &why);
    }
    return refuse_callback("handler", table->name, read, &why,
                           datum != NULL ? datum->offset : FIRN_NO_OFFSET, err);
}

// In the opposite order, from the `count`th on.
static void discard_checked(firn_loading *loading, uint32_t count)
{
    firn_world *world = loading->world;
    for (uint32_t i = count; i-- > 0;) {
        const firn_handler *table = &loading->handlers[i].table;
        if (table->discard != NULL) {
            fr_world_lock(world, table->name);
            table->discard(table->user, world, loading->prepared[i]);
            fr_world_unlock(world);
        }
    }
}

firn_result fr_handlers_check(firn_loading *loading, firn_error *err)
{
    loading->prepared = fr_alloc_zero(&loading->world->allocator, loading->handler_count,
                                      sizeof *loading->prepared, sizeof(void *));
    if (loading->prepared == NULL) {
        return fr_fail_memory(err, "handlers");
    }
    for (uint32_t i = 0; i < loading->handler_count; i++) {
        firn_result result = check_entry(loading, i, err);
        if (result != FIRN_OK) {
            discard_checked(loading, i);
            return result;
        }
    }
    return FIRN_OK;
}

// Room for the longest key and a zero behind it: nothing may fail once the world has changed.
static firn_result reserve_longest_key(firn_loading *loading, firn_error *err)
{
    size_t longest = 0;
    for (uint32_t i = 0; i < loading->image->data_count; i++) {
        if (loading->image->data[i].key_size > longest) {
            longest = loading->image->data[i].key_size;
        }
    }
    loading->key_room = longest + 1;
    loading->key = fr_alloc(&loading->world->allocator, loading->key_room, 1, 1);
    return loading->key != NULL ? FIRN_OK : fr_fail_memory(err, "data key");
}

firn_result fr_loading_begin(firn_loading *loading, firn_world *world, const fr_image *image,
                             const firn_load_options *options, firn_error *err)
{
    const fr_registry *registry = fr_registry_of(world);
    *loading = (firn_loading){.world = world, .image = image, .options = options};
    firn_result result = reserve_longest_key(loading, err);
    if (result == FIRN_OK && options->keep_unknown) {
        result = fr_kept_collect(world, image, &loading->kept, err);
    }
    if (result != FIRN_OK || registry == NULL || registry->handler_count == 0) {
        return result;
    }
    loading->handlers = registry->handlers;
    loading->handler_count = registry->handler_count;
    return fr_handlers_check(loading, err);
}

void fr_loading_discard(firn_loading *loading)
{
    discard_checked(loading, loading->handler_count);
}

// ---- after the commit

static void commit_entry(const firn_loading *loading, uint32_t i)
{
    firn_world *world = loading->world;
    const fr_handler *handler = &loading->handlers[i];
    const firn_handler *table = &handler->table;
    if (handler->rest != NULL && loading->image->world.ours &&
        last_entry(loading->image, handler) == NULL) {
        handler->rest(table->user, world);
    }
    if (table->commit != NULL) {
        fr_world_lock(world, table->name);
        table->commit(table->user, world, loading->prepared[i]);
        fr_world_unlock(world);
    }
}

void fr_handlers_commit(firn_loading *loading)
{
    for (uint32_t i = 0; i < loading->handler_count; i++) {
        commit_entry(loading, i);
    }
}

void fr_loading_commit(firn_loading *loading)
{
    fr_handlers_commit(loading);
    fr_kept_install(loading->world, loading->kept);
    loading->kept = NULL;
}

static void load_entries(firn_loading *loading, const fr_handler *handler)
{
    const firn_handler *table = &handler->table;
    for (uint32_t i = 0; table->load != NULL && i < loading->image->data_count; i++) {
        const fr_datum *datum = &loading->image->data[i];
        if (!is_entry_of(datum, handler)) {
            continue;
        }
        firn_reader reader;
        begin_entry(loading, handler, datum, &reader);
        firn_error why;
        fr_error_begin(&why);
        loading->world->dispatch = table->name;
        firn_result result = table->load(table->user, loading->world, &reader, &why);
        result = result_of_reading(result, &reader, &why);
        note_failure(loading, "handler", table->name, result, &why, datum->offset);
    }
}

static void deliver_datum(firn_loading *loading, const fr_datum *datum, firn_data_fn listen,
                          void *user)
{
    firn_error why;
    fr_error_begin(&why);
    loading->world->dispatch = loading->key;
    firn_result result = listen(user, loading->world, loading->key,
                                loading->image->bytes + datum->offset, datum->size, &why);
    note_failure(loading, "data", loading->key, result, &why, datum->offset);
}

static void deliver_entries(firn_loading *loading)
{
    const firn_load_options *options = loading->options;
    for (uint32_t i = 0; i < loading->image->data_count; i++) {
        const fr_datum *datum = &loading->image->data[i];
        if (!fr_key_is_custom(datum->key, datum->key_size)) {
            continue;
        }
        memcpy(loading->key, datum->key, datum->key_size);
        loading->key[datum->key_size] = '\0';
        if (options->on_data != NULL) {
            deliver_datum(loading, datum, options->on_data, options->user);
        }
        for (uint32_t k = 0; k < loading->listener_count; k++) {
            const fr_listener *listener = &loading->listeners[k];
            // A key in foreign bytes may hold a 0: it is that of no listener.
            if (strlen(listener->key) == datum->key_size &&
                memcmp(listener->key, datum->key, datum->key_size) == 0) {
                fr_kept_take(loading->world, loading->key);
                deliver_datum(loading, datum, listener->listen, listener->user);
            }
        }
    }
}

static void finish_handlers(firn_loading *loading, const firn_prelude *prelude)
{
    for (uint32_t i = 0; i < loading->handler_count; i++) {
        const firn_handler *table = &loading->handlers[i].table;
        if (table->finish == NULL) {
            continue;
        }
        firn_error why;
        fr_error_begin(&why);
        loading->world->dispatch = table->name;
        firn_result result = table->finish(table->user, loading->world, prelude, &why);
        note_failure(loading, "handler", table->name, result, &why, FIRN_NO_OFFSET);
    }
}

static void publish_loading(firn_loading *loading, enum fr_event_index kind, const char *name,
                            const void *payload)
{
    firn_error why;
    fr_error_begin(&why);
    loading->world->dispatch = name;
    firn_result result = fr_event_publish(loading->world, kind, payload, &why);
    note_failure(loading, "observer of", name, result, &why, FIRN_NO_OFFSET);
}

static void restore_brought(firn_loading *loading)
{
    firn_world *world = loading->world;
    for (uint32_t i = 0; i < loading->brought_count; i++) {
        firn_error why;
        fr_error_begin(&why);
        firn_result result = world->watch.restore(world, loading->brought[i], &why);
        why.entity = why.entity == 0 ? loading->brought[i] : why.entity;
        note_failure(loading, "class", world->dispatch, result, &why, FIRN_NO_OFFSET);
    }
}

// Applies what callbacks left to apply. A loop that one left open is a failure, and ends here.
static firn_result settle_loaded(firn_world *world, firn_error *err)
{
    firn_result result = fr_world_settle(world, err);
    if (world->open_loops > 0) {
        (void)fr_world_close_loops(world, NULL);
    }
    return result;
}

// All callbacks have run.
static firn_result end_callbacks(firn_loading *loading, firn_error *err)
{
    loading->world->dispatch = NULL;
    firn_error why;
    fr_error_begin(&why);
    firn_result settled = settle_loaded(loading->world, &why);
    if (loading->failure == FIRN_OK && settled != FIRN_OK) {
        loading->failure = settled;
        loading->why = why;
    }
    return loading->failure != FIRN_OK ? fr_fail_copy(err, &loading->why) : FIRN_OK;
}

firn_result fr_handlers_load(firn_loading *loading, firn_error *err)
{
    for (uint32_t i = 0; i < loading->handler_count; i++) {
        load_entries(loading, &loading->handlers[i]);
    }
    return end_callbacks(loading, err);
}

firn_result fr_merged_restore(firn_world *world, const firn_entity *brought, uint32_t count,
                              firn_error *err)
{
    firn_loading loading = {.world = world, .brought = brought, .brought_count = count};
    if (count == 0) {
        return FIRN_OK;
    }
    restore_brought(&loading);
    return end_callbacks(&loading, err);
}

firn_result fr_loading_deliver(firn_loading *loading, const firn_prelude *prelude, firn_error *err)
{
    loading->open = true;
    publish_loading(loading, FR_EVENT_LOAD_START, "StartSnapshotLoad", loading);
    loading->open = false;
    for (uint32_t i = 0; i < loading->handler_count; i++) {
        load_entries(loading, &loading->handlers[i]);
    }
    restore_brought(loading);
    deliver_entries(loading);
    finish_handlers(loading, prelude);
    publish_loading(loading, FR_EVENT_LOAD_FINISH, "FinishSnapshotLoad", prelude);
    return end_callbacks(loading, err);
}

void fr_loading_free(firn_loading *loading)
{
    const firn_allocator *allocator = &loading->world->allocator;
    fr_kept_free(allocator, loading->kept);
    for (uint32_t i = 0; i < loading->listener_count; i++) {
        fr_free_text(allocator, loading->listeners[i].key);
    }
    FR_ARRAY_FREE(allocator, loading->listeners, loading->listener_capacity);
    fr_free(allocator, loading->prepared, loading->handler_count, sizeof *loading->prepared,
            sizeof(void *));
    fr_free(allocator, loading->key, loading->key_room, 1, 1);
}
