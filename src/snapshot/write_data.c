#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "buffer/bytes.h"
#include "snapshot/format.h"
#include "snapshot/image.h"
#include "snapshot/write.h"
#include "value/check.h"

static void write_key(fr_save *save, const char *key)
{
    fr_out_encoded_bool(&save->out, true);
    fr_out_encoded_string(&save->out, key, strlen(key));
}

bool fr_has_dead_slots(const firn_world *world)
{
    return world->index.alive != world->index.next_slot - 1;
}

uint32_t fr_write_free(fr_save *save, uint32_t *slot, uint32_t most)
{
    const uint64_t *records = save->world->index.records;
    uint32_t n = 0;
    for (; n < most && *slot != 0; n++) {
        uint64_t record = records[*slot];
        fr_out_u64(&save->out, fr_entity(*slot, fr_record_generation(record)));
        *slot = fr_record_next_free(record);
    }
    return n;
}

static void write_world_entry(fr_save *save)
{
    const firn_world *world = save->world;
    bool named = world->name[0] != '\0';
    write_key(save, FR_KEY_WORLD);
    fr_out_u8(&save->out, FR_TAG_TABLE + 1);
    fr_out_count(&save->out, named ? 2 : 1);
    if (named) {
        fr_out_encoded_string(&save->out, "name", 4);
        fr_out_encoded_string(&save->out, world->name, strlen(world->name));
    }
    fr_out_encoded_string(&save->out, "tick", 4);
    fr_out_encoded_number(&save->out, (double)world->tick);
}

static void write_free_entry(fr_save *save)
{
    uint32_t count = save->world->index.free_count;
    uint32_t per_piece = FR_PIECE_BYTES / FR_ID_BYTES;
    uint32_t pieces = count / per_piece + (count % per_piece != 0);
    write_key(save, FR_KEY_FREE);
    fr_out_u8(&save->out, pieces > 0 ? FR_TAG_TABLE + 4 : FR_TAG_TABLE);
    if (pieces > 0) {
        fr_out_count(&save->out, pieces + 1);
    }
    uint32_t slot = save->world->index.free_head;
    for (uint32_t i = 0; i < pieces; i++) {
        uint32_t n = count < per_piece ? count : per_piece;
        fr_out_count(&save->out, FR_TAG_STRING + n * FR_ID_BYTES);
        fr_write_free(save, &slot, n);
        count -= n;
    }
}

static firn_result write_encoded(fr_save *save, const firn_data *datum, firn_error *err)
{
    const firn_limits *limits = &save->world->limits;
    firn_buffer canonical;
    firn_buffer_init(&canonical, &save->world->allocator);
    firn_result result = fr_value_canonicalise(datum->encoded, datum->encoded_size, limits,
                                               &save->world->allocator, &canonical, err);
    if (result == FIRN_OK) {
        fr_out_bytes(&save->out, canonical.data, canonical.size);
    }
    firn_buffer_free(&canonical);
    return result;
}

static firn_result write_datum(fr_save *save, const firn_data *datum, firn_error *err)
{
    write_key(save, datum->key);
    firn_error why;
    firn_result result = fr_out_end(&save->out, &why);
    if (result == FIRN_OK && datum->value != NULL) {
        result = firn_value_encode(datum->value, &save->world->limits, save->out.buffer, &why);
    } else if (result == FIRN_OK) {
        result = write_encoded(save, datum, &why);
    }
    if (result != FIRN_OK) {
        return fr_fail_at(err, result, why.offset, datum->key, "data %s%s%s: %s", datum->key,
                          datum->value && why.subject[0] ? " at " : "",
                          datum->value ? why.subject : "", why.message);
    }
    return FIRN_OK;
}

static firn_result check_datum(const fr_save *save, const firn_data *datum, firn_error *err)
{
    size_t size;
    firn_result result =
        fr_check_text_name(datum->key, save->world->limits.name_bytes, "data key", &size, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (!fr_key_is_custom(datum->key, size)) {
        return fr_fail(err, FIRN_INVALID, datum->key,
                       "data key %s is reserved: __tecs.*, __firn.* and tecs.random are",
                       datum->key);
    }
    if (datum->value == NULL && datum->encoded == NULL) {
        return fr_fail(err, FIRN_INVALID, datum->key, "data %s has neither value nor encoded bytes",
                       datum->key);
    }
    return FIRN_OK;
}

static int compare_data(const void *a, const void *b)
{
    const firn_data *left = a, *right = b;
    return fr_compare_names(left->key, strlen(left->key), right->key, strlen(right->key));
}

// The game's entries in the order of their keys, none twice.
static firn_result sort_data(const fr_save *save, const firn_save_options *options,
                             const firn_data **sorted, firn_error *err)
{
    for (uint32_t i = 0; i < options->data_count; i++) {
        firn_result result = check_datum(save, &options->data[i], err);
        if (result != FIRN_OK) {
            return result;
        }
        sorted[i] = &options->data[i];
    }
    fr_sort((const void **)sorted, options->data_count, compare_data);
    for (uint32_t i = 1; i < options->data_count; i++) {
        if (compare_data(sorted[i - 1], sorted[i]) == 0) {
            return fr_fail(err, FIRN_INVALID, sorted[i]->key, "data key %s is there twice",
                           sorted[i]->key);
        }
    }
    return FIRN_OK;
}

static firn_result write_custom(fr_save *save, const firn_save_options *options, firn_error *err)
{
    const firn_allocator *allocator = &save->world->allocator;
    uint32_t count = options->data_count;
    if (count == 0) {
        return FIRN_OK;
    }
    if (options->data == NULL) {
        return fr_fail(err, FIRN_INVALID, "data", "data is NULL, data_count is %u", count);
    }
    uint32_t most = save->world->limits.data_keys;
    if (most < FR_OWN_ENTRIES || count > most - FR_OWN_ENTRIES) {
        return fr_fail(err, FIRN_LIMIT, "data_count",
                       "%u data keys and those of firn are above the limit %u", count, most);
    }
    const firn_data **sorted = fr_alloc(allocator, count, sizeof *sorted, sizeof(void *));
    if (sorted == NULL) {
        return fr_fail_memory(err, "data");
    }
    firn_result result = sort_data(save, options, sorted, err);
    for (uint32_t i = 0; result == FIRN_OK && i < count; i++) {
        result = write_datum(save, sorted[i], err);
    }
    fr_free(allocator, sorted, count, sizeof *sorted, sizeof(void *));
    return result;
}

firn_result fr_write_data(fr_save *save, const firn_save_options *options, firn_error *err)
{
    if (fr_has_dead_slots(save->world)) {
        write_free_entry(save);
    }
    write_world_entry(save);
    firn_result result = write_custom(save, options, err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_out_encoded_bool(&save->out, false);
    return fr_out_end(&save->out, err);
}
