#include <string.h>

#include "base/error.h"
#include "os/file.h"
#include "snapshot/append.h"
#include "snapshot/format.h"
#include "snapshot/image_write.h"
#include "snapshot/last_save.h"
#include "snapshot/target.h"
#include "snapshot/write.h"
#include "store/relation.h"

static void encode_names(const fr_selection *selection, fr_out *out)
{
    for (uint32_t i = 0; i < selection->name_count; i++) {
        char text[FR_SAVED_NAME_BYTES];
        size_t size;
        const fr_component *component = selection->table[i]->component;
        const char *name = fr_saved_name_text(selection->table[i], text, &size);
        if (component->kept) {
            fr_write_entry(out, name, size, component->fingerprint, component->fingerprint_size);
            continue;
        }
        const char *fingerprint = component->raw ? component->layout.fingerprint : "";
        fr_write_entry(out, name, size, fingerprint, strlen(fingerprint));
    }
}

static firn_result write_prelude(fr_save *save, firn_buffer *table, firn_error *err)
{
    const fr_selection *selection = save->selection;
    const fr_front front = {.wire_version = save->wire_version,
                            .next_slot = save->world->index.next_slot,
                            .entities = selection->entity_count,
                            .frames = selection->frame_count,
                            .components = selection->name_count};
    fr_write_front(&save->out, &front);
    if (table->size == 0) {
        fr_out names;
        fr_out_begin(&names, table, NULL);
        encode_names(selection, &names);
        if (fr_out_end(&names, err) != FIRN_OK) {
            firn_buffer_clear(table);
            return names.error.code;
        }
    }
    fr_out_bytes(&save->out, table->data, table->size);
    return fr_out_end(&save->out, err);
}

static firn_result write_frame(fr_save *save, const fr_selected_frame *frame, firn_error *err)
{
    const fr_selection *selection = save->selection;
    fr_write_frame_head(&save->out, frame->column_count, frame->rows);
    for (uint32_t i = 0; i < frame->column_count; i++) {
        fr_write_frame_number(&save->out, fr_selected_column(selection, frame, i)->place);
    }
    fr_write_frame_number(&save->out, frame->by_row ? FR_MODE_ROWS : FR_MODE_COLUMNS);
    if (frame->by_row) {
        return fr_write_rows(save, frame, err);
    }
    firn_result result = FIRN_OK;
    for (uint32_t a = 0; result == FIRN_OK && a < frame->count; a++) {
        result = fr_write_ids(save, &selection->runs[frame->first + a], err);
    }
    for (uint32_t i = 0; result == FIRN_OK && i < frame->column_count; i++) {
        const fr_saved_name *name = fr_selected_column(selection, frame, i);
        for (uint32_t a = 0; result == FIRN_OK && a < frame->count; a++) {
            result = fr_write_column(save, &selection->runs[frame->first + a], name, err);
        }
    }
    return result;
}

// What a read would refuse is refused here.
static firn_result check_image_limits(const fr_save *save, size_t start, firn_error *err)
{
    const firn_limits *limits = &save->world->limits;
    size_t size = save->out.buffer->size - start;
    if (save->selection->name_count > limits->table_entries) {
        return fr_fail(err, FIRN_LIMIT, "component table", "%u components are above the limit %u",
                       save->selection->name_count, limits->table_entries);
    }
    if (size > limits->file_bytes) {
        return fr_fail(err, FIRN_LIMIT, "image", "the image has %zu bytes, above the limit %llu",
                       size, (unsigned long long)limits->file_bytes);
    }
    return FIRN_OK;
}

// What the frames have at least, and room for what is around them.
static size_t least_bytes(const fr_selection *selection)
{
    size_t bytes = 4096;
    for (uint32_t f = 0; f < selection->frame_count; f++) {
        bytes += selection->frames[f].row_bytes * selection->frames[f].rows;
    }
    return bytes;
}

static firn_result write_image(fr_save *save, firn_buffer *table, firn_error *err)
{
    size_t start = save->out.buffer->size;
    size_t room = least_bytes(save->selection) + save->saving->append.behind;
    firn_result result = firn_buffer_reserve(save->out.buffer, room, err);
    if (result == FIRN_OK) {
        result = write_prelude(save, table, err);
    }
    for (uint32_t i = 0; result == FIRN_OK && i < save->selection->frame_count; i++) {
        result = write_frame(save, &save->selection->frames[i], err);
    }
    if (result == FIRN_OK) {
        result = fr_write_data(save, err);
    }
    return result == FIRN_OK ? check_image_limits(save, start, err) : result;
}

static firn_result check_save(firn_world *world, const firn_save_options *options,
                              const firn_buffer *out, firn_error *err)
{
    if (world == NULL) {
        return fr_fail(err, FIRN_INVALID, "world", "world is NULL");
    }
    if (out == NULL) {
        return fr_fail(err, FIRN_INVALID, "out", "out is NULL");
    }
    if (options->wire_version > FR_WIRE_VERSION_2) {
        return fr_fail(err, FIRN_INVALID, "wire_version", "wire_version %u is not 0, 1 or 2",
                       options->wire_version);
    }
    return fr_check_reserved(options->reserved, "firn_save_options.reserved", err);
}

// Encoded data that lies in the output would be overwritten before it is read.
static firn_result check_apart(const firn_save_options *options, const firn_buffer *out,
                               firn_error *err)
{
    for (uint32_t i = 0; options->data != NULL && i < options->data_count; i++) {
        const firn_data *datum = &options->data[i];
        uintptr_t begin = (uintptr_t)out->data, at = (uintptr_t)datum->encoded;
        if (datum->value == NULL && at - begin < out->capacity) {
            return fr_fail(err, FIRN_INVALID, datum->key ? datum->key : "data",
                           "the encoded data of entry %u lies in the output buffer", i);
        }
    }
    return FIRN_OK;
}

// Relations of many targets that are sparse: Tecs cannot read them.
static firn_result check_edges(const fr_selection *selection, firn_error *err)
{
    for (uint32_t i = 0; i < selection->name_count; i++) {
        const fr_component *component = selection->names[i].component;
        if (fr_relation_is_many(component)) {
            return fr_fail(err, FIRN_INVALID, component->name,
                           "%s is a sparse relation of many targets: it takes the option for "
                           "sparse edges to save it",
                           component->name);
        }
    }
    return FIRN_OK;
}

// A column of a target is named by the relation and the target: a load holds that to its limit too.
static firn_result check_names(const fr_selection *selection, uint32_t most, firn_error *err)
{
    for (uint32_t i = 0; i < selection->name_count; i++) {
        const fr_saved_name *name = &selection->names[i];
        if (name->target == 0) {
            continue;
        }
        char text[FR_SAVED_NAME_BYTES];
        size_t size;
        const char *saved = fr_saved_name_text(name, text, &size);
        if (size > most) {
            return fr_fail(err, FIRN_LIMIT, name->component->name,
                           "the name of a relation with its target has %zu bytes, more than the %u "
                           "allowed: %s",
                           size, most, saved);
        }
    }
    return FIRN_OK;
}

static firn_result save_selected(fr_last_save *last, fr_save *save,
                                 const firn_save_options *options, firn_error *err)
{
    const firn_world *world = save->world;
    firn_result result = FIRN_OK;
    if (!options->sparse_edges) {
        result = check_edges(save->selection, err);
    }
    if (result == FIRN_OK) {
        result = check_names(save->selection, world->limits.name_bytes, err);
    }
    if (result == FIRN_OK) {
        result = write_image(save, &last->table, err);
    }
    if (result == FIRN_OK) {
        fr_out_flush(&save->out);
    }
    return result;
}

static firn_result save_with(firn_saving *saving, const firn_save_options *options,
                             firn_buffer *out, fr_digest *digest, firn_error *err)
{
    firn_world *world = saving->world;
    fr_last_save *last = fr_last_save_of(world, err);
    if (last == NULL) {
        return FIRN_NO_MEMORY;
    }
    fr_save save; // all but its error is set, which is large
    save.world = world;
    save.saving = saving;
    save.wire_version = options->wire_version ? options->wire_version : FR_WIRE_VERSION;
    save.selection = &last->selection;
    save.scratch = &last->scratch;
    fr_out_begin(&save.out, out, digest);
    firn_result result = fr_last_save_select(last, world, &saving->filter, err);
    if (result == FIRN_OK) {
        result = save_selected(last, &save, options, err);
    }
    fr_last_save_rest(last, world);
    return result;
}

// Of entities that are picked: nothing is kept for the next save.
static firn_result save_picked(firn_saving *saving, const firn_save_options *options,
                               firn_buffer *out, fr_digest *digest, firn_error *err)
{
    firn_world *world = saving->world;
    fr_picks picks = {.count = 0};
    fr_last_save own = {.repeatable = false};
    firn_buffer_init(&own.table, &world->allocator);
    firn_buffer_init(&own.scratch, &world->allocator);
    fr_save save = {.world = world,
                    .saving = saving,
                    .wire_version = options->wire_version ? options->wire_version : FR_WIRE_VERSION,
                    .selection = &own.selection,
                    .scratch = &own.scratch};
    fr_out_begin(&save.out, out, digest);
    firn_result result = saving->append.pick(saving->append.pick_user, world, &picks, err);
    if (result == FIRN_OK) {
        result = fr_select(world, &saving->filter, &picks, &own.selection, err);
    }
    if (result == FIRN_OK) {
        result = save_selected(&own, &save, options, err);
    }
    fr_selection_free(world, &own.selection);
    fr_picks_free(world, &picks);
    firn_buffer_free(&own.table);
    firn_buffer_free(&own.scratch);
    return result;
}

static firn_result save_any(firn_saving *saving, const firn_save_options *options, firn_buffer *out,
                            fr_digest *digest, firn_error *err)
{
    return saving->append.pick != NULL ? save_picked(saving, options, out, digest, err)
                                       : save_with(saving, options, out, digest, err);
}

static firn_result save_digested(firn_saving *saving, const firn_save_options *options,
                                 firn_buffer *out, firn_error *err)
{
    if (options->digest == NULL) {
        return save_any(saving, options, out, NULL, err);
    }
    const firn_allocator *allocator = &saving->world->allocator;
    fr_digest *digest = fr_digest_create(allocator);
    if (digest == NULL) {
        return fr_fail_memory(err, "digest");
    }
    firn_result result = save_any(saving, options, out, digest, err);
    if (result == FIRN_OK) {
        fr_hash128 value = fr_digest_value_128(digest);
        *options->digest = (firn_digest){value.low, value.high};
    }
    fr_digest_destroy(allocator, digest);
    return result;
}

static firn_result save_to(firn_world *world, const firn_save_options *options,
                           const fr_append *append, firn_buffer *out, firn_error *err)
{
    firn_saving saving;
    firn_result result = fr_saving_begin(&saving, world, options, err);
    saving.append = *append;
    if (result == FIRN_OK) {
        result = save_digested(&saving, options, out, err);
    }
    fr_saving_free(&saving);
    return result;
}

firn_digest firn_bytes_digest(const void *bytes, size_t size)
{
    fr_hash128 value = fr_hash_128(bytes, size);
    return (firn_digest){value.low, value.high};
}

firn_result fr_snapshot_append_with(firn_world *world, const firn_save_options *options,
                                    const fr_append *append, firn_buffer *out, firn_error *err)
{
    const firn_save_options defaults = {0};
    if (options == NULL) {
        options = &defaults;
    }
    firn_result result = check_save(world, options, out, err);
    if (result == FIRN_OK) {
        result = fr_world_check_idle(world, err);
    }
    if (result == FIRN_OK) {
        result = check_apart(options, out, err);
    }
    if (result == FIRN_OK) {
        result = fr_world_settle(world, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    size_t start = out->size;
    result = save_to(world, options, append, out, err);
    if (result != FIRN_OK && out->size > start) {
        out->size = start;
    }
    return result;
}

firn_result fr_snapshot_append(firn_world *world, const firn_save_options *options,
                               firn_buffer *out, firn_error *err)
{
    return fr_snapshot_append_with(world, options, &(fr_append){.behind = 0}, out, err);
}

firn_result firn_snapshot_save(firn_world *world, const firn_save_options *options,
                               firn_buffer *out, firn_error *err)
{
    // From inside a codec, `out` may be what the save around it writes to.
    if (world == NULL || fr_world_check_idle(world, NULL) == FIRN_OK) {
        firn_buffer_clear(out);
    }
    return fr_snapshot_append(world, options, out, err);
}

firn_result firn_snapshot_save_file(firn_world *world, const char *path,
                                    const firn_save_options *options, firn_error *err)
{
    if (world == NULL) {
        return fr_fail(err, FIRN_INVALID, "world", "world is NULL");
    }
    if (path == NULL || *path == '\0') {
        return fr_fail(err, FIRN_INVALID, "path", "path is %s", path ? "empty" : "NULL");
    }
    firn_save_options with_digest = options != NULL ? *options : (firn_save_options){0};
    firn_digest *wanted = with_digest.digest;
    firn_digest digest = {0, 0};
    with_digest.digest = wanted != NULL ? &digest : NULL;
    firn_buffer image;
    firn_buffer_init(&image, &world->allocator);
    firn_result result = firn_snapshot_save(world, &with_digest, &image, err);
    if (result == FIRN_OK) {
        result = fr_file_replace(&world->allocator, path, image.data, image.size, err);
    }
    if (wanted != NULL && (result == FIRN_OK || result == FIRN_NOT_DURABLE)) {
        *wanted = digest;
    }
    firn_buffer_free(&image);
    return result;
}
