#include <string.h>

#include "base/error.h"
#include "buffer/bytes.h"
#include "snapshot/format.h"
#include "snapshot/image_write.h"
#include "snapshot/kept_data.h"
#include "snapshot/order.h"
#include "snapshot/write.h"
#include "value/check.h"

static void write_key(fr_save *save, const char *key)
{
    fr_write_data_key(&save->out, key, strlen(key));
}

// Whether a slot below the next one is not alive, or will not be.
static bool has_dead_slots(const fr_save *save)
{
    return save->selection->entity_count != save->world->index.next_slot - 1;
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

// Entities that are left out come back as dead slots of the next generation; one of the last
// generation as a retired slot. The id that the first such slot from *slot on gives; 0 at the end.
static firn_entity next_left_out(const fr_save *save, uint32_t *slot)
{
    const firn_world *world = save->world;
    for (; *slot < world->index.next_slot; ++*slot) {
        uint64_t record = world->index.records[*slot];
        if (fr_record_kind(record) != FR_SLOT_ALIVE || !fr_is_left_out(save->selection, *slot)) {
            continue;
        }
        const fr_archetype *archetype = world->archetypes[fr_record_archetype(record)];
        uint64_t generation = archetype->entities[fr_record_row(record)] >> FIRN_SLOT_BITS;
        if (generation < FIRN_GENERATION_MAX) {
            return fr_entity((*slot)++, (uint32_t)generation + 1);
        }
    }
    return 0;
}

static uint32_t count_left_out(const fr_save *save)
{
    uint32_t count = 0, slot = 1;
    while (save->selection->kept != NULL && next_left_out(save, &slot) != 0) {
        count++;
    }
    return count;
}

static void write_free_entry(fr_save *save)
{
    uint32_t count = save->world->index.free_count + count_left_out(save);
    uint32_t per_piece = FR_PIECE_BYTES / FR_ID_BYTES;
    uint32_t pieces = count / per_piece + (count % per_piece != 0);
    write_key(save, FR_KEY_FREE);
    fr_out_u8(&save->out, pieces > 0 ? FR_TAG_TABLE + 4 : FR_TAG_TABLE);
    if (pieces > 0) {
        fr_out_count(&save->out, pieces + 1);
    }
    uint32_t free_slot = save->world->index.free_head, left_out_slot = 1;
    for (uint32_t i = 0; i < pieces; i++) {
        uint32_t n = count < per_piece ? count : per_piece;
        fr_out_count(&save->out, FR_TAG_STRING + n * FR_ID_BYTES);
        for (uint32_t k = fr_write_free(save, &free_slot, n); k < n; k++) {
            fr_out_u64(&save->out, next_left_out(save, &left_out_slot));
        }
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

static bool save_has(const void *user, firn_entity entity)
{
    return !fr_is_unsaved(user, fr_slot(entity));
}

static bool save_has_part(const void *user, firn_entity entity)
{
    const fr_selection *selection = user;
    return selection->picks != NULL &&
           fr_map_get(&selection->picks->parts, fr_slot(entity)) != FR_MAP_NONE;
}

static firn_result ask_handler(const fr_save *save, const fr_handler *handler, firn_error *err)
{
    firn_world *world = save->world;
    const fr_selection *selection = save->selection;
    const fr_asked asked = {.saves = save_has,
                            .saves_part = save_has_part,
                            .user = selection,
                            .persists = selection->picks != NULL};
    world->asked = &asked;
    firn_result result = fr_handler_save(world, handler, save->scratch, err);
    world->asked = NULL;
    return result;
}

// What the handlers keep: those of firn itself, or those of the game.
static firn_result write_handlers(fr_save *save, bool builtin, firn_error *err)
{
    const fr_registry *registry = fr_registry_of(save->world);
    for (uint32_t i = 0; registry != NULL && i < registry->handler_count; i++) {
        const fr_handler *handler = &registry->handlers[i];
        if (handler->builtin != builtin) {
            continue;
        }
        firn_result result = ask_handler(save, handler, err);
        if (result == FIRN_OK && save->scratch->size > 0 && !builtin) {
            result = fr_saving_take_key(save->saving, handler->table.name, handler->name_size, err);
        }
        if (result != FIRN_OK) {
            return result;
        }
        if (save->scratch->size > 0) {
            write_key(save, handler->table.name);
            fr_out_bytes(&save->out, save->scratch->data, save->scratch->size);
        }
    }
    return FIRN_OK;
}

static firn_result write_custom(fr_save *save, firn_error *err)
{
    const firn_saving *saving = save->saving;
    for (uint32_t i = 0; i < saving->sorted_count; i++) {
        firn_result result = write_datum(save, saving->sorted[i], err);
        if (result != FIRN_OK) {
            return result;
        }
    }
    for (uint32_t i = 0; i < saving->added_count; i++) {
        write_key(save, saving->added[i].key);
        fr_out_bytes(&save->out, saving->bytes.data + saving->added[i].at, saving->added[i].size);
    }
    return FIRN_OK;
}

static firn_result write_order_entries(fr_save *save, firn_error *err)
{
    firn_buffer_clear(save->scratch);
    firn_result result = fr_order_write(save, save->scratch, err);
    if (result == FIRN_OK && save->scratch->size > 0) {
        write_key(save, FR_KEY_ORDER);
        fr_out_bytes(&save->out, save->scratch->data, save->scratch->size);
    }
    if (result != FIRN_OK || save->selection->picks == NULL) {
        return result;
    }
    firn_buffer_clear(save->scratch);
    result = fr_order_write_outer(save, save->scratch, err);
    if (result == FIRN_OK && save->scratch->size > 0) {
        write_key(save, FR_KEY_OUTER);
        fr_out_bytes(&save->out, save->scratch->data, save->scratch->size);
    }
    return result;
}

// What nobody took, but for what has a handler or a new value.
static firn_result write_kept(fr_save *save, firn_error *err)
{
    const fr_kept *kept = fr_kept_of(save->world);
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && kept != NULL && i < kept->count; i++) {
        const fr_kept_entry *entry = &kept->entries[i];
        const char *key = (const char *)kept->bytes.data + entry->at;
        if (fr_handler_find(save->world, key, entry->key_size) != NULL ||
            fr_saving_has_key(save->saving, key, entry->key_size)) {
            continue;
        }
        result = fr_saving_take_key(save->saving, key, entry->key_size, err);
        if (result == FIRN_OK) {
            fr_write_data_key(&save->out, key, entry->key_size);
            fr_out_bytes(&save->out, key + entry->key_size + 1, entry->size);
        }
    }
    return result;
}

firn_result fr_write_data(fr_save *save, firn_error *err)
{
    firn_result result = write_handlers(save, true, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (has_dead_slots(save)) {
        write_free_entry(save);
    }
    result = write_order_entries(save, err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_write_world_entry(&save->out, save->world->name, strlen(save->world->name),
                         save->world->tick);
    result = write_custom(save, err);
    if (result == FIRN_OK) {
        result = write_handlers(save, false, err);
    }
    if (result == FIRN_OK) {
        result = write_kept(save, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    fr_write_data_end(&save->out);
    return fr_out_end(&save->out, err);
}
