#include "snapshot/kept_data.h"

#include <stdalign.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"

static void destroy_kept_part(firn_world *world, void *data)
{
    fr_kept_free(&world->allocator, data);
}

static fr_kept *kept_part(const firn_world *world)
{
    return world->parts[FR_PART_KEPT].data;
}

const fr_kept *fr_kept_of(const firn_world *world)
{
    return kept_part(world);
}

uint32_t fr_kept_count(const firn_world *world)
{
    return kept_part(world) != NULL ? kept_part(world)->count : 0;
}

static bool keep_datum(const firn_allocator *allocator, fr_kept *kept, const fr_image *image,
                       const fr_datum *datum)
{
    firn_buffer *bytes = &kept->bytes;
    size_t at = bytes->size;
    if (!FR_RESERVE(allocator, kept->entries, kept->capacity, kept->count + 1) ||
        firn_buffer_append(bytes, datum->key, datum->key_size, NULL) != FIRN_OK ||
        firn_buffer_append(bytes, "", 1, NULL) != FIRN_OK ||
        firn_buffer_append(bytes, image->bytes + datum->offset, datum->size, NULL) != FIRN_OK) {
        return false;
    }
    kept->entries[kept->count++] = (fr_kept_entry){at, datum->key_size, datum->size};
    return true;
}

firn_result fr_kept_collect(const firn_world *world, const fr_image *image, fr_kept **out,
                            firn_error *err)
{
    const firn_allocator *allocator = &world->allocator;
    fr_kept *kept = fr_alloc_zero(allocator, 1, sizeof *kept, alignof(fr_kept));
    *out = NULL;
    if (kept == NULL) {
        return fr_fail_memory(err, "data");
    }
    firn_buffer_init(&kept->bytes, allocator);
    for (uint32_t i = 0; i < image->data_count; i++) {
        const fr_datum *datum = &image->data[i];
        if (!fr_key_is_custom(datum->key, datum->key_size) ||
            fr_handler_find(world, datum->key, datum->key_size) != NULL) {
            continue;
        }
        if (!keep_datum(allocator, kept, image, datum)) {
            fr_kept_free(allocator, kept);
            return fr_fail_memory(err, "data");
        }
    }
    *out = kept;
    return FIRN_OK;
}

void fr_kept_free(const firn_allocator *allocator, fr_kept *kept)
{
    if (kept == NULL) {
        return;
    }
    FR_ARRAY_FREE(allocator, kept->entries, kept->capacity);
    firn_buffer_free(&kept->bytes);
    fr_free(allocator, kept, 1, sizeof *kept, alignof(fr_kept));
}

void fr_kept_install(firn_world *world, fr_kept *kept)
{
    fr_kept_free(&world->allocator, kept_part(world));
    world->parts[FR_PART_KEPT] = (fr_part){kept, destroy_kept_part};
    world->adopt_data = fr_adopt_data;
}

void fr_kept_take(firn_world *world, const char *key)
{
    fr_kept *kept = kept_part(world);
    size_t size = strlen(key);
    uint32_t left = 0;
    for (uint32_t i = 0; kept != NULL && i < kept->count; i++) {
        const fr_kept_entry *entry = &kept->entries[i];
        if (entry->key_size != size || memcmp(kept->bytes.data + entry->at, key, size) != 0) {
            kept->entries[left++] = *entry;
        }
    }
    if (kept != NULL) {
        kept->count = left;
    }
}
