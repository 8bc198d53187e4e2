// What observers of snapshot events may ask for.
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "snapshot/lifecycle.h"
#include "value/check.h"

// ---- OnSnapshotSave

// Room for one more entry, so that keep_added cannot fail; its key.
static char *reserve_added(firn_saving *saving, const char *key, size_t size)
{
    const firn_allocator *allocator = &saving->world->allocator;
    if (!FR_RESERVE(allocator, saving->added, saving->added_capacity, saving->added_count + 1) ||
        !fr_map_reserve(allocator, &saving->taken, 1)) {
        return NULL;
    }
    return fr_copy_text(allocator, key, size);
}

static firn_result add_value(firn_saving *saving, const char *key, const firn_value *value,
                             const void *encoded, size_t encoded_size, firn_error *err)
{
    const firn_world *world = saving->world;
    size_t size;
    firn_result result = fr_saving_check_key(world, key, &size, err);
    if (result == FIRN_OK) {
        result = fr_saving_take_key(saving, key, size, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    size_t at = saving->bytes.size;
    char *kept = reserve_added(saving, key, size);
    firn_error why;
    if (kept == NULL) {
        result = fr_fail_memory(&why, key);
    } else if (value != NULL) {
        result = firn_value_encode(value, &world->limits, &saving->bytes, &why);
    } else {
        result = fr_value_canonicalise(encoded, encoded_size, &world->limits, &world->allocator,
                                       &saving->bytes, &why);
    }
    if (result != FIRN_OK) {
        fr_free_text(&world->allocator, kept);
        saving->key_count--;
        return fr_fail_at(err, result, why.offset, key, "data %s: %s", key, why.message);
    }
    uint32_t place = saving->sorted_count + saving->added_count;
    (void)fr_map_add(&world->allocator, &saving->taken, fr_hash(key, size), place); // has room
    saving->added[saving->added_count++] =
        (fr_added){kept, (uint32_t)size, at, saving->bytes.size - at};
    return FIRN_OK;
}

static firn_result check_saving(const firn_saving *saving, const void *thing, const char *name,
                                firn_error *err)
{
    if (saving == NULL || thing == NULL) {
        return fr_fail(err, FIRN_INVALID, saving ? name : "saving", "%s is NULL",
                       saving ? name : "saving");
    }
    return saving->open ? FIRN_OK : fr_fail(err, FIRN_INVALID, "saving", "OnSnapshotSave is over");
}

firn_result firn_saving_add_data(firn_saving *saving, const char *key, const firn_value *value,
                                 firn_error *err)
{
    firn_result result = check_saving(saving, value, "value", err);
    return result == FIRN_OK ? add_value(saving, key, value, NULL, 0, err) : result;
}

firn_result firn_saving_add_encoded(firn_saving *saving, const char *key, const void *encoded,
                                    size_t size, firn_error *err)
{
    firn_result result = check_saving(saving, encoded, "encoded", err);
    return result == FIRN_OK ? add_value(saving, key, NULL, encoded, size, err) : result;
}

firn_result firn_saving_exclude(firn_saving *saving, firn_component component, firn_error *err)
{
    firn_result result = check_saving(saving, saving, "saving", err);
    if (result != FIRN_OK) {
        return result;
    }
    const firn_world *world = saving->world;
    const fr_component *excluded = fr_component_of(world, component, "component", err);
    if (excluded == NULL) {
        return FIRN_INVALID;
    }
    return fr_filter_exclude(&world->allocator, &saving->filter, excluded->index)
               ? FIRN_OK
               : fr_fail_memory(err, excluded->name);
}

// ---- StartSnapshotLoad

firn_result firn_loading_on_data(firn_loading *loading, const char *key, firn_data_fn listen,
                                 void *user, firn_error *err)
{
    if (loading == NULL || listen == NULL) {
        return fr_fail(err, FIRN_INVALID, loading ? "listen" : "loading", "%s is NULL",
                       loading ? "listen" : "loading");
    }
    if (!loading->open) {
        return fr_fail(err, FIRN_INVALID, "loading", "StartSnapshotLoad is over");
    }
    const firn_world *world = loading->world;
    size_t size;
    firn_result result = fr_check_text_name(key, world->limits.name_bytes, "data key", &size, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (!fr_key_is_custom(key, size)) {
        return fr_fail(err, FIRN_INVALID, key, "data key %s is not the game's", key);
    }
    char *kept = fr_copy_text(&world->allocator, key, size);
    if (kept == NULL || !FR_RESERVE(&world->allocator, loading->listeners,
                                    loading->listener_capacity, loading->listener_count + 1)) {
        fr_free_text(&world->allocator, kept);
        return fr_fail_memory(err, "a listener");
    }
    loading->listeners[loading->listener_count++] = (fr_listener){kept, listen, user};
    return FIRN_OK;
}
