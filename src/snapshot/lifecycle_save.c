#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "snapshot/lifecycle.h"
#include "store/event.h"

// ---- keys

static const char *taken_key(const firn_saving *saving, uint32_t place)
{
    return place < saving->sorted_count ? saving->sorted[place]->key
                                        : saving->added[place - saving->sorted_count].key;
}

bool fr_saving_has_key(const firn_saving *saving, const char *key, size_t size)
{
    uint32_t cursor = UINT32_MAX;
    uint64_t hash = fr_hash(key, size);
    for (;;) {
        uint32_t place = fr_map_next(&saving->taken, hash, &cursor);
        if (place == FR_MAP_NONE) {
            return false;
        }
        const char *other = taken_key(saving, place);
        if (strlen(other) == size && memcmp(other, key, size) == 0) {
            return true;
        }
    }
}

firn_result fr_saving_take_key(firn_saving *saving, const char *key, size_t size, firn_error *err)
{
    uint32_t most = saving->world->limits.data_keys;
    if (fr_saving_has_key(saving, key, size)) {
        return fr_fail(err, FIRN_INVALID, key, "data key %s is there twice", key);
    }
    if (saving->key_count == most) {
        return fr_fail(err, FIRN_LIMIT, key, "data key %s is more than the %u allowed", key, most);
    }
    saving->key_count++;
    return FIRN_OK;
}

firn_result fr_saving_check_key(const firn_world *world, const char *key, size_t *size,
                                firn_error *err)
{
    firn_result result = fr_check_text_name(key, world->limits.name_bytes, "data key", size, err);
    if (result == FIRN_OK && !fr_key_is_custom(key, *size)) {
        return fr_fail(err, FIRN_INVALID, key,
                       "data key %s is reserved: __tecs.*, __firn.*, tecs.random and "
                       "tecs.sequence are",
                       key);
    }
    return result;
}

// ---- custom data of the options

static int compare_data(const void *a, const void *b)
{
    const firn_data *left = a, *right = b;
    return fr_compare_names(left->key, strlen(left->key), right->key, strlen(right->key));
}

static firn_result take_datum(firn_saving *saving, uint32_t place, firn_error *err)
{
    const firn_data *datum = saving->sorted[place];
    size_t size = strlen(datum->key);
    firn_result result = fr_saving_take_key(saving, datum->key, size, err);
    if (result == FIRN_OK &&
        !fr_map_add(&saving->world->allocator, &saving->taken, fr_hash(datum->key, size), place)) {
        return fr_fail_memory(err, "data");
    }
    return result;
}

static firn_result check_datum(const firn_world *world, const firn_data *datum, firn_error *err)
{
    size_t size;
    firn_result result = fr_saving_check_key(world, datum->key, &size, err);
    if (result == FIRN_OK && datum->value == NULL && datum->encoded == NULL) {
        return fr_fail(err, FIRN_INVALID, datum->key, "data %s has neither value nor encoded bytes",
                       datum->key);
    }
    return result;
}

// The game's entries in the order of their keys, none twice.
static firn_result sort_data(firn_saving *saving, const firn_save_options *options, firn_error *err)
{
    uint32_t count = options->data_count;
    if (count == 0) {
        return FIRN_OK;
    }
    if (options->data == NULL) {
        return fr_fail(err, FIRN_INVALID, "data", "data is NULL, data_count is %u", count);
    }
    uint32_t most = saving->world->limits.data_keys;
    if (count > most) {
        return fr_fail(err, FIRN_LIMIT, "data_count", "%u data keys are above the limit %u", count,
                       most);
    }
    saving->sorted =
        fr_alloc(&saving->world->allocator, count, sizeof *saving->sorted, sizeof(void *));
    if (saving->sorted == NULL) {
        return fr_fail_memory(err, "data");
    }
    saving->sorted_count = count;
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < count; i++) {
        saving->sorted[i] = &options->data[i];
        result = check_datum(saving->world, saving->sorted[i], err);
    }
    if (result == FIRN_OK) {
        fr_sort((const void **)saving->sorted, count, compare_data);
    }
    for (uint32_t i = 0; result == FIRN_OK && i < count; i++) {
        result = take_datum(saving, i, err);
    }
    return result;
}

// ---- the whole

static firn_result refuse_saving(const char *kind, const char *name, firn_result result,
                                 firn_error *why, firn_error *err)
{
    fr_error_complete(why, result);
    return fr_fail_entity(err, result, why->entity, name, "%s %s: %s", kind, name, why->message);
}

firn_result fr_saving_begin(firn_saving *saving, firn_world *world,
                            const firn_save_options *options, firn_error *err)
{
    *saving = (firn_saving){.world = world};
    firn_buffer_init(&saving->bytes, &world->allocator);
    firn_result result = fr_filter_begin(&saving->filter, world, options, err);
    if (result == FIRN_OK) {
        result = sort_data(saving, options, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    firn_error why;
    fr_error_begin(&why);
    saving->open = true;
    result = fr_event_publish(world, FR_EVENT_SAVE, saving, &why);
    saving->open = false;
    if (result != FIRN_OK) {
        return refuse_saving("observer of", "OnSnapshotSave", result, &why, err);
    }
    // What observers deferred in a way of their own.
    return fr_world_settle(world, err);
}

void fr_saving_free(firn_saving *saving)
{
    const firn_allocator *allocator = &saving->world->allocator;
    fr_filter_free(allocator, &saving->filter);
    fr_free(allocator, saving->sorted, saving->sorted_count, sizeof *saving->sorted,
            sizeof(void *));
    for (uint32_t i = 0; i < saving->added_count; i++) {
        fr_free_text(allocator, saving->added[i].key);
    }
    FR_ARRAY_FREE(allocator, saving->added, saving->added_capacity);
    fr_map_free(allocator, &saving->taken);
    firn_buffer_free(&saving->bytes);
}

// ---- handlers

firn_result fr_handler_save(firn_world *world, const fr_handler *handler, firn_buffer *out,
                            firn_error *err)
{
    firn_buffer_clear(out);
    const firn_handler *table = &handler->table;
    if (table->save == NULL || (handler->rests != NULL && handler->rests(table->user))) {
        return FIRN_OK;
    }
    firn_writer writer;
    firn_error why;
    fr_error_begin(&why);
    // What firn itself adds is not bound by the limits of the game's data.
    firn_writer_begin(&writer, out, handler->builtin ? NULL : &world->limits);
    fr_world_lock(world, table->name);
    firn_result result = table->save(table->user, world, &writer, &why);
    fr_world_unlock(world);
    uint64_t written = writer.written;
    firn_error ended;
    if (firn_writer_end(&writer, &ended) != FIRN_OK && result == FIRN_OK) {
        result = ended.code;
        why = ended;
    }
    if (result != FIRN_OK) {
        return refuse_saving("handler", table->name, result, &why, err);
    }
    if (written > 1) {
        return fr_fail(err, FIRN_INVALID, table->name, "handler %s wrote %llu values", table->name,
                       (unsigned long long)written);
    }
    if (written == 1 && out->data[0] == 0) { // nil
        firn_buffer_clear(out);
    }
    return FIRN_OK;
}
