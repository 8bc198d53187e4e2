// Kept entries of the data section become those of handlers that are added now.
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "snapshot/kept_data.h"

// The entries as those of an image, and who takes them.
typedef struct data_adoption {
    firn_world *world;
    fr_image image;
    fr_handler *takers;
    uint32_t taker_count;
    firn_loading loading;
} data_adoption;

static bool reads_entries(const fr_handler *handler)
{
    const firn_handler *table = &handler->table;
    return table->check != NULL || table->commit != NULL || table->load != NULL;
}

static bool is_for(const fr_datum *datum, const fr_handler *handler)
{
    return datum->key_size == handler->name_size &&
           memcmp(datum->key, handler->table.name, datum->key_size) == 0;
}

static void list_entries(data_adoption *work, const fr_kept *kept)
{
    fr_image *image = &work->image;
    image->bytes = kept->bytes.data;
    image->size = kept->bytes.size;
    image->limits = work->world->limits;
    for (uint32_t i = 0; i < kept->count; i++) {
        const fr_kept_entry *entry = &kept->entries[i];
        image->data[image->data_count++] =
            (fr_datum){.key = (const char *)kept->bytes.data + entry->at,
                       .key_size = (uint32_t)entry->key_size,
                       .offset = entry->at + entry->key_size + 1,
                       .size = entry->size};
    }
}

static void list_takers(data_adoption *work, const fr_handler *handlers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        bool takes = false;
        for (uint32_t k = 0; reads_entries(&handlers[i]) && k < work->image.data_count; k++) {
            takes = takes || is_for(&work->image.data[k], &handlers[i]);
        }
        if (takes) {
            work->takers[work->taker_count++] = handlers[i];
        }
    }
}

static firn_result give_entries(data_adoption *work, firn_error *err)
{
    firn_loading *loading = &work->loading;
    firn_result result = fr_world_check_closed(work->world, err);
    if (result != FIRN_OK || work->taker_count == 0) {
        return work->taker_count > 0 ? result : FIRN_OK;
    }
    *loading = (firn_loading){.world = work->world,
                              .image = &work->image,
                              .handlers = work->takers,
                              .handler_count = work->taker_count};
    firn_error why = {.code = FIRN_OK};
    result = fr_handlers_check(loading, &why);
    if (result == FIRN_OK) {
        fr_handlers_commit(loading);
        result = fr_handlers_load(loading, &why);
    }
    if (result != FIRN_OK) {
        // No image is at hand that an offset could be in.
        why.offset = FIRN_NO_OFFSET;
        fr_fail_copy(err, &why);
    }
    fr_loading_free(loading);
    for (uint32_t i = 0; result == FIRN_OK && i < work->taker_count; i++) {
        fr_kept_take(work->world, work->takers[i].table.name);
    }
    return result;
}

firn_result fr_adopt_data(firn_world *world, const fr_handler *handlers, uint32_t count,
                          firn_error *err)
{
    const firn_allocator *allocator = &world->allocator;
    const fr_kept *kept = fr_kept_of(world);
    data_adoption work = {.world = world};
    if (count == 0 || kept == NULL || kept->count == 0) {
        return FIRN_OK;
    }
    uint32_t room = kept->count;
    work.image.data = fr_alloc(allocator, room, sizeof(fr_datum), sizeof(void *));
    work.takers = fr_alloc(allocator, count, sizeof *work.takers, sizeof(void *));
    firn_result result;
    if (work.image.data == NULL || work.takers == NULL) {
        result = fr_fail_memory(err, "data");
    } else {
        list_entries(&work, kept);
        list_takers(&work, handlers, count);
        result = give_entries(&work, err);
    }
    fr_free(allocator, work.image.data, room, sizeof(fr_datum), sizeof(void *));
    fr_free(allocator, work.takers, count, sizeof *work.takers, sizeof(void *));
    return result;
}
