#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "buffer/bytes.h"
#include "snapshot/format.h"
#include "snapshot/image.h"
#include "snapshot/order.h"
#include "store/relation.h"

// The parts, each a hash of its own (docs/format.md, "Hash"). A world and an image feed the same
// bytes; numbers are 8 bytes, a name is its size and its bytes:
//
//     component  per frame that has it: rows, then the column as it stands on the wire
//     entities   per frame: columns, their names in order, rows
//     ids        next slot, number of ids, all ids as doubles in order; number of free ids, those
//                in the order of their use
//     world      tick; per entry of a built-in handler: key, its size and its bytes
//     total      ids, entities, world, then per component in the order of names: name, hash
typedef struct hashing {
    fr_digest *part;
    fr_digest *total;
    firn_hash *out;
    firn_hash_fn each;
    void *user;
} hashing;

static firn_result begin_hash(const firn_allocator *allocator, hashing *hash, firn_error *err)
{
    hash->part = fr_digest_create(allocator);
    hash->total = fr_digest_create(allocator);
    if (hash->part != NULL && hash->total != NULL) {
        return FIRN_OK;
    }
    return fr_fail_memory(err, "hash");
}

static void end_hash(const firn_allocator *allocator, hashing *hash)
{
    fr_digest_destroy(allocator, hash->part);
    fr_digest_destroy(allocator, hash->total);
}

static void hash_name(fr_digest *digest, const char *name, size_t size)
{
    fr_digest_update_u64(digest, size);
    fr_digest_update(digest, name, size);
}

// Closes the part at hand.
static uint64_t close_part(hashing *hash)
{
    uint64_t value = fr_digest_value(hash->part);
    fr_digest_reset(hash->part);
    return value;
}

// What built-in handlers keep is part of a world; firn's own entries are so in other ways.
static bool key_is_hashed(const char *key, size_t size)
{
    size_t prefix = strlen(FR_PREFIX_FIRN);
    bool is_order = size == strlen(FR_KEY_ORDER) && memcmp(key, FR_KEY_ORDER, size) == 0;
    return is_order || (!fr_key_is_custom(key, size) &&
                        (size < prefix || memcmp(key, FR_PREFIX_FIRN, prefix) != 0));
}

static void hash_entry(hashing *hash, const char *key, size_t key_size, const uint8_t *bytes,
                       size_t size)
{
    hash_name(hash->part, key, key_size);
    fr_digest_update_u64(hash->part, size);
    fr_digest_update(hash->part, bytes, size);
}

static void hash_front(hashing *hash)
{
    hash->out->world = close_part(hash);
    fr_digest_update_u64(hash->total, hash->out->ids);
    fr_digest_update_u64(hash->total, hash->out->entities);
    fr_digest_update_u64(hash->total, hash->out->world);
}

static void hash_component(hashing *hash, const char *name, size_t size)
{
    uint64_t value = close_part(hash);
    hash_name(hash->total, name, size);
    fr_digest_update_u64(hash->total, value);
    if (hash->each == NULL) {
        return;
    }
    char text[256];
    hash->each(hash->user, fr_printable(text, sizeof text, name, size), value);
}

// ---- a world

static firn_result hash_world_ids(fr_save *save, hashing *hash, firn_error *err)
{
    const fr_selection *selection = save->selection;
    const fr_entity_index *index = &save->world->index;
    fr_digest_update_u64(hash->part, index->next_slot);
    fr_digest_update_u64(hash->part, selection->entity_count);
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < selection->run_count; i++) {
        result = fr_write_ids(save, &selection->runs[i], err);
    }
    fr_digest_update_u64(hash->part, index->free_count);
    uint32_t slot = index->free_head;
    fr_write_free(save, &slot, index->free_count);
    hash->out->ids = close_part(hash);
    return result;
}

static firn_result hash_world_entities(const fr_save *save, hashing *hash, firn_error *err)
{
    const fr_selection *selection = save->selection;
    const firn_allocator *allocator = &save->world->allocator;
    size_t most = (size_t)save->world->limits.columns + 1;
    const fr_saved_name **names = fr_alloc(allocator, most, sizeof *names, sizeof(void *));
    if (names == NULL) {
        return fr_fail_memory(err, "hash");
    }
    for (uint32_t i = 0; i < selection->frame_count; i++) {
        const fr_selected_frame *frame = &selection->frames[i];
        for (uint32_t k = 0; k < frame->column_count; k++) {
            names[k] = fr_selected_column(selection, frame, k);
        }
        fr_sort((const void **)names, frame->column_count, fr_compare_saved_names);
        fr_digest_update_u64(hash->part, frame->column_count);
        for (uint32_t k = 0; k < frame->column_count; k++) {
            char text[FR_SAVED_NAME_BYTES];
            size_t size;
            const char *name = fr_saved_name_text(names[k], text, &size);
            hash_name(hash->part, name, size);
        }
        fr_digest_update_u64(hash->part, frame->rows);
    }
    hash->out->entities = close_part(hash);
    fr_free(allocator, names, most, sizeof *names, sizeof(void *));
    return FIRN_OK;
}

static firn_result hash_world_component(fr_save *save, const fr_saved_name *name, hashing *hash,
                                        firn_error *err)
{
    const fr_selection *selection = save->selection;
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < selection->frame_count; i++) {
        const fr_selected_frame *frame = &selection->frames[i];
        const fr_archetype *archetype = selection->runs[frame->first].archetype;
        fr_term term = fr_relation_term(name->component, name->target);
        uint32_t at = fr_terms_place(archetype->terms, archetype->term_count, term);
        if (at == archetype->term_count || archetype->terms[at] != term) {
            continue;
        }
        fr_digest_update_u64(hash->part, frame->rows);
        for (uint32_t a = 0; result == FIRN_OK && a < frame->count; a++) {
            result = fr_write_column(save, &selection->runs[frame->first + a], name, err);
        }
    }
    if (result == FIRN_OK) {
        char text[FR_SAVED_NAME_BYTES];
        size_t size;
        const char *text_of_name = fr_saved_name_text(name, text, &size);
        hash_component(hash, text_of_name, size);
    }
    return result;
}

static firn_result hash_order(fr_save *save, hashing *hash, firn_error *err)
{
    firn_buffer_clear(save->scratch);
    firn_result result = fr_order_write(save, save->scratch, err);
    if (result == FIRN_OK && save->scratch->size > 0) {
        hash_entry(hash, FR_KEY_ORDER, strlen(FR_KEY_ORDER), save->scratch->data,
                   save->scratch->size);
    }
    return result;
}

static firn_result hash_builtins(fr_save *save, hashing *hash, firn_error *err)
{
    const fr_registry *registry = fr_registry_of(save->world);
    for (uint32_t i = 0; registry != NULL && i < registry->builtin_count; i++) {
        const fr_handler *handler = &registry->handlers[i];
        firn_result result = fr_handler_save(save->world, handler, save->scratch, err);
        if (result != FIRN_OK) {
            return result;
        }
        const char *key = handler->table.name;
        if (save->scratch->size > 0 && key_is_hashed(key, handler->name_size)) {
            hash_entry(hash, key, handler->name_size, save->scratch->data, save->scratch->size);
        }
    }
    return FIRN_OK;
}

static firn_result hash_world(fr_save *save, hashing *hash, firn_error *err)
{
    fr_out_begin(&save->out, NULL, hash->part);
    firn_result result = hash_world_ids(save, hash, err);
    if (result != FIRN_OK) {
        return result;
    }
    result = hash_world_entities(save, hash, err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_digest_update_u64(hash->part, save->world->tick);
    result = hash_builtins(save, hash, err);
    if (result == FIRN_OK) {
        result = hash_order(save, hash, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    hash_front(hash);
    for (uint32_t i = 0; result == FIRN_OK && i < save->selection->name_count; i++) {
        result = hash_world_component(save, save->selection->table[i], hash, err);
    }
    return result;
}

firn_result firn_world_hash(firn_world *world, firn_hash *out, firn_hash_fn each, void *user,
                            firn_error *err)
{
    if (world == NULL || out == NULL) {
        return fr_fail(err, FIRN_INVALID, world ? "out" : "world", "%s is NULL",
                       world ? "out" : "world");
    }
    firn_result result = fr_world_settle(world, err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_selection selection = {.run_count = 0};
    firn_buffer scratch;
    firn_buffer_init(&scratch, &world->allocator);
    fr_save save = {.world = world,
                    .wire_version = FR_WIRE_VERSION,
                    .selection = &selection,
                    .scratch = &scratch};
    firn_hash value = {0};
    hashing hash = {.out = &value, .each = each, .user = user};
    result = begin_hash(&world->allocator, &hash, err);
    if (result == FIRN_OK) {
        result = fr_select(world, NULL, NULL, &selection, err);
    }
    if (result == FIRN_OK) {
        result = hash_world(&save, &hash, err);
    }
    if (result == FIRN_OK) {
        value.total = fr_digest_value(hash.total);
        *out = value;
    }
    fr_selection_free(world, &selection);
    firn_buffer_free(&scratch);
    end_hash(&world->allocator, &hash);
    return result;
}

// ---- an image

static void hash_image_ids(const fr_image *image, hashing *hash)
{
    fr_digest_update_u64(hash->part, image->prelude.next_slot);
    fr_digest_update_u64(hash->part, image->prelude.entity_count);
    for (uint32_t i = 0; i < image->frame_count; i++) {
        fr_digest_update(hash->part, image->frames[i].ids,
                         (size_t)image->frames[i].rows * FR_ID_BYTES);
    }
    fr_digest_update_u64(hash->part, image->world.free_count);
    if (image->world.has_free) {
        fr_free_walk walk;
        uint64_t id;
        fr_free_begin(&walk, image);
        while (fr_free_next(&walk, &id)) {
            fr_digest_update_u64(hash->part, id);
        }
    }
    hash->out->ids = close_part(hash);
}

// A frame has data columns before tags; the hash has them in the order of names.
static void hash_frame_names(const fr_image *image, const fr_frame *frame, const fr_entry **names,
                             hashing *hash)
{
    for (uint32_t k = 0; k < frame->column_count; k++) {
        names[k] = &image->entries[image->spans[frame->first_column + k].entry];
    }
    fr_sort((const void **)names, frame->column_count, fr_compare_entries);
    fr_digest_update_u64(hash->part, frame->column_count);
    for (uint32_t k = 0; k < frame->column_count; k++) {
        hash_name(hash->part, names[k]->name, names[k]->name_size);
    }
    fr_digest_update_u64(hash->part, frame->rows);
}

static firn_result hash_image_entities(const fr_image *image, hashing *hash, firn_error *err)
{
    size_t most = (size_t)image->prelude.component_count + 1;
    const fr_entry **names = fr_alloc(&image->allocator, most, sizeof *names, sizeof(void *));
    if (names == NULL) {
        return fr_fail_memory(err, "hash");
    }
    for (uint32_t i = 0; i < image->frame_count; i++) {
        hash_frame_names(image, &image->frames[i], names, hash);
    }
    hash->out->entities = close_part(hash);
    fr_free(&image->allocator, names, most, sizeof *names, sizeof(void *));
    return FIRN_OK;
}

static void hash_image_component(const fr_image *image, const fr_entry *entry, hashing *hash)
{
    for (uint32_t i = entry->first_column; i != FR_NO_COLUMN; i = image->spans[i].next) {
        const fr_span *span = &image->spans[i];
        fr_digest_update_u64(hash->part, span->rows);
        fr_digest_update(hash->part, span->bytes, span->size);
    }
    hash_component(hash, entry->name, entry->name_size);
}

static firn_result hash_image(const fr_image *image, hashing *hash, firn_error *err)
{
    hash_image_ids(image, hash);
    firn_result result = hash_image_entities(image, hash, err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_digest_update_u64(hash->part, image->world.tick);
    for (uint32_t i = 0; i < image->data_count; i++) {
        const fr_datum *datum = &image->data[i];
        if (key_is_hashed(datum->key, datum->key_size)) {
            hash_entry(hash, datum->key, datum->key_size, image->bytes + datum->offset,
                       datum->size);
        }
    }
    hash_front(hash);
    for (uint32_t i = 0; i < image->prelude.component_count; i++) {
        hash_image_component(image, image->by_name[i], hash);
    }
    hash->out->total = fr_digest_value(hash->total);
    return FIRN_OK;
}

firn_result firn_image_hash(const void *bytes, size_t size, const firn_image_options *options,
                            firn_hash *out, firn_hash_fn each, void *user, firn_error *err)
{
    if (out == NULL) {
        return fr_fail(err, FIRN_INVALID, "out", "out is NULL");
    }
    fr_image image;
    firn_result result = fr_image_open_options(&image, bytes, size, options, err);
    if (result != FIRN_OK) {
        return result;
    }
    firn_hash value = {0};
    hashing hash = {.out = &value, .each = each, .user = user};
    result = begin_hash(&image.allocator, &hash, err);
    if (result == FIRN_OK) {
        result = hash_image(&image, &hash, err);
    }
    if (result == FIRN_OK) {
        *out = value;
    }
    end_hash(&image.allocator, &hash);
    fr_image_close(&image);
    return result;
}
