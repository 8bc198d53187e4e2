#include "snapshot/write.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "buffer/bytes.h"
#include "snapshot/format.h"
#include "snapshot/image.h"
#include "store/relation.h"
#include "store/schema.h"

uint8_t *fr_write_space(fr_save *save, size_t size)
{
    if (save->out.error.code != FIRN_OK) {
        return NULL;
    }
    if (save->out.buffer != NULL) {
        return fr_out_space(&save->out, size);
    }
    firn_buffer_clear(save->scratch);
    if (firn_buffer_reserve(save->scratch, size, &save->out.error) != FIRN_OK) {
        return NULL;
    }
    return save->scratch->data;
}

void fr_write_filled(fr_save *save, size_t size)
{
    if (save->out.buffer != NULL) {
        fr_out_filled(&save->out, size);
    } else {
        fr_out_bytes(&save->out, save->scratch->data, size);
    }
}

static firn_result refuse_bool(const fr_saved_rows *run, const fr_component *component,
                               const char *field, size_t row, firn_error *err)
{
    firn_entity entity = run->entities[row];
    return fr_fail_entity(err, FIRN_INVALID, entity, component->name,
                          "entity %llu: %s%s%s is a bool that is neither 0 nor 1",
                          (unsigned long long)entity, component->name, *field ? "." : "", field);
}

static firn_result check_rows_to_save(const fr_saved_rows *run, const fr_component *component,
                                      const uint8_t *rows, firn_error *err)
{
    firn_error why;
    for (uint32_t row = 0; row < run->count; row++) {
        firn_result result = component->check(rows + (size_t)row * component->stride, &why);
        if (result != FIRN_OK) {
            firn_entity entity = run->entities[row];
            return fr_fail_entity(err, result, entity, component->name, "entity %llu: %s",
                                  (unsigned long long)entity, why.message);
        }
    }
    return FIRN_OK;
}

static firn_result write_raw(fr_save *save, const fr_saved_rows *run, const fr_component *component,
                             const uint8_t *rows, firn_error *err)
{
    const fr_layout *layout = &component->layout;
    size_t row;
    uint32_t leaf;
    if (!fr_layout_check_rows(layout, rows, run->count, &row, &leaf)) {
        return refuse_bool(run, component, layout->leaves[leaf].name, row, err);
    }
    if (layout->direct) {
        fr_out_bytes(&save->out, rows, (size_t)run->count * component->stride);
        return fr_out_end(&save->out, err);
    }
    size_t most = layout->wire_size < FR_WRITE_CHUNK ? FR_WRITE_CHUNK / layout->wire_size : 1;
    for (size_t at = 0; at < run->count;) {
        size_t n = run->count - at < most ? run->count - at : most;
        uint8_t *space = fr_write_space(save, n * layout->wire_size);
        if (space == NULL) {
            break;
        }
        fr_layout_to_wire(layout, rows + at * component->stride, n, space);
        fr_write_filled(save, n * layout->wire_size);
        at += n;
    }
    return fr_out_end(&save->out, err);
}

static const char value_key[] = "\x09\x01\x25value"; // {value = ...}

// Version 2 wraps scalars.
static size_t wrap_size(const fr_save *save)
{
    return save->wire_version == FR_WIRE_VERSION_2 ? sizeof value_key - 1 : 0;
}

static uint8_t *put_wrap(uint8_t *at, size_t size)
{
    if (size > 0) {
        memcpy(at, value_key, sizeof value_key - 1);
    }
    return at + size;
}

static void write_repeated(fr_save *save, uint8_t byte, size_t count)
{
    while (count > 0) {
        size_t n = count < FR_WRITE_CHUNK ? count : FR_WRITE_CHUNK;
        uint8_t *space = fr_write_space(save, n);
        if (space == NULL) {
            return;
        }
        memset(space, byte, n);
        fr_write_filled(save, n);
        count -= n;
    }
}

// The next rows of a column whose values have at most `size` bytes: how many come next, and room
// for them. NULL after a failure.
static uint8_t *space_for_rows(fr_save *save, uint32_t left, size_t size, uint32_t *n)
{
    *n = left < FR_WRITE_CHUNK / size ? left : (uint32_t)(FR_WRITE_CHUNK / size);
    return fr_write_space(save, *n * size);
}

static firn_result write_bools(fr_save *save, const fr_saved_rows *run,
                               const fr_component *component, const uint8_t *rows, firn_error *err)
{
    size_t wrap = wrap_size(save);
    for (uint32_t row = 0; row < run->count;) {
        uint32_t n;
        uint8_t *space = space_for_rows(save, run->count - row, wrap + 1, &n), *at = space;
        if (space == NULL) {
            break;
        }
        for (uint32_t end = row + n; row < end; row++) {
            if (rows[row] > 1) {
                return refuse_bool(run, component, "", row, err);
            }
            at = put_wrap(at, wrap);
            *at++ = rows[row] ? FR_TAG_TRUE : FR_TAG_FALSE;
        }
        fr_write_filled(save, (size_t)(at - space));
    }
    return fr_out_end(&save->out, err);
}

static firn_result write_numbers(fr_save *save, const fr_saved_rows *run, const uint8_t *rows,
                                 firn_error *err)
{
    size_t wrap = wrap_size(save);
    for (uint32_t row = 0; row < run->count;) {
        uint32_t n;
        size_t most = wrap + FR_SCALAR_BYTES_MAX;
        uint8_t *space = space_for_rows(save, run->count - row, most, &n), *at = space;
        if (space == NULL) {
            break;
        }
        for (uint32_t end = row + n; row < end; row++) {
            double number;
            memcpy(&number, rows + (size_t)row * sizeof number, sizeof number);
            at = fr_put_number(put_wrap(at, wrap), number);
        }
        fr_write_filled(save, (size_t)(at - space));
    }
    return fr_out_end(&save->out, err);
}

// A bare bool, number or string that was kept of a save of version 1 may be what a codec wrote, but
// more likely is a scalar.
static bool is_kept_scalar(const fr_component *component, const fr_blob *blob)
{
    const uint8_t *bytes = fr_blob_bytes(blob);
    if (!component->kept || component->kept_raw > 0 || component->kept_tag ||
        component->kept_wrapped) {
        return false;
    }
    uint32_t tag = fr_value_tag(bytes, bytes + blob->size);
    return tag == FR_TAG_FALSE || tag == FR_TAG_TRUE || tag == FR_TAG_INT32 ||
           tag == FR_TAG_NUMBER || tag >= FR_TAG_STRING;
}

// As many of the first blobs as make up a chunk, at least one of `left`; *size receives the bytes
// that they have at most.
static uint32_t take_blobs(const fr_blob *blobs, uint32_t left, size_t wrap, size_t *size)
{
    uint32_t n = 0;
    *size = 0;
    while (n < left && *size < FR_WRITE_CHUNK) {
        *size += wrap + blobs[n++].size;
    }
    return n;
}

static firn_result write_blobs(fr_save *save, const fr_saved_rows *run,
                               const fr_component *component, const uint8_t *rows, firn_error *err)
{
    const fr_blob *blobs = (const fr_blob *)(const void *)rows;
    bool text = component->kind == FIRN_STRING;
    size_t wrap = text || component->kept ? wrap_size(save) : 0;
    for (uint32_t row = 0; row < run->count;) {
        size_t size;
        uint32_t end = row + take_blobs(blobs + row, run->count - row, wrap, &size);
        uint8_t *space = fr_write_space(save, size + FR_BLOB_INLINE), *at = space;
        if (space == NULL) {
            break;
        }
        for (; row < end; row++) {
            at = put_wrap(at, text || is_kept_scalar(component, &blobs[row]) ? wrap : 0);
            fr_blob_copy(&blobs[row], at);
            at += blobs[row].size;
        }
        fr_write_filled(save, (size_t)(at - space));
    }
    return fr_out_end(&save->out, err);
}

// A value that cannot be written: which entity's, and where in it.
static firn_result refuse_value(const fr_saved_rows *run, const fr_component *component,
                                uint64_t row, const firn_error *why, firn_error *err)
{
    firn_entity entity = row < run->count ? run->entities[row] : 0;
    return fr_fail_entity(err, why->code, entity, component->name,
                          "codec %s of %s, value %llu of entity %llu%s%s: %s",
                          component->codec.name, component->name, (unsigned long long)row + 1,
                          (unsigned long long)entity, why->subject[0] ? " at " : "", why->subject,
                          why->message);
}

// Runs the codec over all rows. Its values go straight behind the buffer's bytes.
static firn_result run_encode(fr_save *save, const fr_saved_rows *run,
                              const fr_component *component, uint8_t *rows, firn_buffer *to,
                              firn_error *err)
{
    firn_writer writer;
    firn_rows all = {save->world,       fr_component_handle(save->world, component->index),
                     run->entities,     rows,
                     component->stride, run->count};
    size_t before = to->size;
    firn_writer_begin(&writer, to, &save->world->limits);
    firn_error why;
    fr_error_begin(&why);
    fr_world_lock(save->world, component->name);
    firn_result result = component->codec.encode(component->codec.user, &all, &writer, &why);
    fr_world_unlock(save->world);
    uint64_t written = writer.written;
    firn_error end;
    if (writer.buffer != to || writer.start != before || to->size < before) {
        return fr_fail(err, FIRN_INVALID, component->name,
                       "codec %s of %s changed the buffer under its writer", component->codec.name,
                       component->name);
    }
    firn_result ended = firn_writer_end(&writer, &end);
    if (result != FIRN_OK) {
        fr_error_complete(&why, result);
        if (strcmp(why.subject, component->name) == 0) {
            return fr_fail_copy(err, &why);
        }
        return fr_fail_entity(err, result, why.entity, component->name, "codec %s of %s: %s",
                              component->codec.name, component->name, why.message);
    }
    if (ended != FIRN_OK) {
        return refuse_value(run, component, written, &end, err);
    }
    if (written != run->count) {
        return fr_fail(err, FIRN_INVALID, component->name,
                       "codec %s of %s wrote %llu values for %u rows", component->codec.name,
                       component->name, (unsigned long long)written, run->count);
    }
    return FIRN_OK;
}

static firn_result write_codec(fr_save *save, const fr_saved_rows *run,
                               const fr_component *component, uint8_t *rows, firn_error *err)
{
    firn_result result = fr_out_end(&save->out, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (save->out.buffer != NULL) {
        return run_encode(save, run, component, rows, save->out.buffer, err);
    }
    firn_buffer_clear(save->scratch);
    result = run_encode(save, run, component, rows, save->scratch, err);
    if (result == FIRN_OK) {
        fr_out_bytes(&save->out, save->scratch->data, save->scratch->size);
    }
    return result;
}

firn_result fr_write_column(fr_save *save, const fr_saved_rows *run, const fr_saved_name *name,
                            firn_error *err)
{
    const fr_component *component = name->component;
    if (component->kind == FIRN_TAG) {
        write_repeated(save, FR_TAG_TRUE, run->count);
        return fr_out_end(&save->out, err);
    }
    const fr_column *column =
        fr_archetype_term_column(run->archetype, fr_relation_term(component, name->target));
    assert(column != NULL); // only tags have none
    uint8_t *rows = column->data + (size_t)run->first * column->stride;
    if (component->check != NULL) {
        firn_result result = check_rows_to_save(run, component, rows, err);
        if (result != FIRN_OK) {
            return result;
        }
    }
    switch (component->kind) {
    case FIRN_BOOLEAN:
        return write_bools(save, run, component, rows, err);
    case FIRN_NUMBER:
        return write_numbers(save, run, rows, err);
    case FIRN_STRING:
    case FIRN_VALUE:
        return write_blobs(save, run, component, rows, err);
    case FIRN_RELATION:
        return component->has_codec ? write_codec(save, run, component, rows, err)
                                    : fr_write_edges(save, run, component, rows, err);
    default:
        return component->has_codec ? write_codec(save, run, component, rows, err)
                                    : write_raw(save, run, component, rows, err);
    }
}
