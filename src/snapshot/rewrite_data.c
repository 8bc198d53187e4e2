// The data section of an image that is written again.
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "buffer/bytes.h"
#include "snapshot/format.h"
#include "snapshot/image_write.h"
#include "snapshot/rewrite.h"
#include "value/check.h"

static firn_result put_datum(fr_rewrite *rewrite, const fr_datum *datum, firn_error *err)
{
    firn_limits wide;
    fr_limits_wide(&rewrite->limits, &wide);
    fr_write_data_key(&rewrite->out, datum->key, datum->key_size);
    firn_error why;
    firn_result result = fr_out_end(&rewrite->out, &why);
    if (result == FIRN_OK) {
        result = fr_value_canonicalise(rewrite->image.bytes + datum->offset, datum->size, &wide,
                                       &rewrite->allocator, rewrite->out.buffer, &why);
    }
    if (result == FIRN_OK || result == FIRN_NO_MEMORY) {
        return result == FIRN_OK ? FIRN_OK : fr_fail_copy(err, &why);
    }
    char key[256];
    fr_printable(key, sizeof key, datum->key, datum->key_size);
    return fr_fail_at(err, result, datum->offset + why.offset, key, "data %s: %s", key,
                      why.message);
}

static firn_result put_all_of(fr_rewrite *rewrite, const char *key, firn_error *err)
{
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < rewrite->image.data_count; i++) {
        if (fr_datum_is(&rewrite->image.data[i], key)) {
            result = put_datum(rewrite, &rewrite->image.data[i], err);
        }
    }
    return result;
}

// ---- the free list

// The ids that come next: those of the image, or, where it has none, the slots without an entity.
typedef struct free_ids {
    const fr_image *image;
    fr_free_walk walk;
    uint32_t slot;
} free_ids;

static bool slot_is_taken(const fr_image *image, uint32_t slot)
{
    return image->few_slots ? fr_map_get(&image->taken_slots, slot) != FR_MAP_NONE
                            : (image->slots[slot >> 3] >> (slot & 7) & 1) != 0;
}

// There are as many as were counted.
static uint64_t next_free(free_ids *ids)
{
    uint64_t id = 0;
    if (ids->image->world.has_free) {
        (void)fr_free_next(&ids->walk, &id);
        return id;
    }
    while (slot_is_taken(ids->image, ids->slot)) {
        ids->slot++;
    }
    return ids->slot++ + (UINT64_C(1) << FIRN_SLOT_BITS);
}

static firn_result put_free(fr_rewrite *rewrite, firn_error *err)
{
    const fr_image *image = &rewrite->image;
    const uint32_t per_piece = FR_PIECE_BYTES / FR_ID_BYTES;
    uint32_t dead = image->prelude.next_slot - 1 - image->prelude.entity_count;
    uint32_t count = image->world.has_free ? image->world.free_count : dead;
    uint32_t pieces = count / per_piece + (count % per_piece != 0);
    free_ids ids = {.image = image, .slot = 1};
    if (image->world.has_free) {
        fr_free_begin(&ids.walk, image);
    }
    if (dead == 0) {
        return FIRN_OK;
    }
    fr_write_data_key(&rewrite->out, FR_KEY_FREE, strlen(FR_KEY_FREE));
    fr_out_u8(&rewrite->out, pieces > 0 ? FR_TAG_TABLE + 4 : FR_TAG_TABLE);
    if (pieces > 0) {
        fr_out_count(&rewrite->out, pieces + 1);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (i % per_piece == 0) {
            uint32_t n = count - i < per_piece ? count - i : per_piece;
            fr_out_count(&rewrite->out, FR_TAG_STRING + n * FR_ID_BYTES);
        }
        fr_out_u64(&rewrite->out, next_free(&ids));
    }
    return fr_out_end(&rewrite->out, err);
}

// ---- the whole

static firn_result put_builtin(fr_rewrite *rewrite, firn_error *err)
{
    static const char *const keys[] = {FR_KEY_STATES, FR_KEY_PIPELINE, FR_KEY_RANDOM,
                                       FR_KEY_SCRIPT};
    firn_result result = FIRN_OK;
    for (size_t i = 0; result == FIRN_OK && i < sizeof keys / sizeof *keys; i++) {
        result = put_all_of(rewrite, keys[i], err);
    }
    return result;
}

firn_result fr_rewrite_data(fr_rewrite *rewrite, firn_error *err)
{
    firn_result result = put_builtin(rewrite, err);
    if (result == FIRN_OK) {
        result = put_free(rewrite, err);
    }
    if (result == FIRN_OK) {
        result = fr_rewrite_order(rewrite, err);
    }
    if (result == FIRN_OK) {
        const fr_image_world *world = &rewrite->image.world;
        fr_write_world_entry(&rewrite->out, world->name, world->name_size, world->tick);
    }
    for (uint32_t i = 0; result == FIRN_OK && i < rewrite->image.data_count; i++) {
        if (!fr_datum_is_own(&rewrite->image.data[i])) {
            result = put_datum(rewrite, &rewrite->image.data[i], err);
        }
    }
    if (result == FIRN_OK) {
        fr_write_data_end(&rewrite->out);
        result = fr_out_end(&rewrite->out, err);
    }
    return result;
}
