#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "buffer/bytes.h"
#include "snapshot/edges.h"
#include "value/check.h"
#include "value/stream.h"

// The rows at hand.
typedef struct decoding {
    fr_load *load;
    fr_source *source;
    const char *name; // in the save
    const fr_component *component;
    const firn_entity *entities;
    uint8_t *rows;
    uint32_t count;
    uint32_t *filled;
    fr_in in;
    uint64_t base; // what is added to offsets in `in`
} decoding;

// Fails at the value `at`, of row `row`.
static firn_result refuse_row_at(const decoding *work, firn_result code, uint32_t row,
                                 uint64_t offset, const char *why, firn_error *err)
{
    firn_entity entity = fr_load_saved_id(work->load, work->entities[row]);
    fr_fail_at(err, code, offset, work->name, "%s of entity %llu: %s", work->name,
               (unsigned long long)entity, why);
    if (err != NULL) {
        err->entity = entity;
    }
    return code;
}

static firn_result refuse_row(const decoding *work, firn_result code, uint32_t row,
                              const uint8_t *at, const char *why, firn_error *err)
{
    return refuse_row_at(work, code, row, work->base + (uint64_t)(at - work->in.bytes), why, err);
}

// Steps over the next value, which was checked before.
static const uint8_t *next_value(decoding *work, size_t *size)
{
    const uint8_t *at = work->in.at;
    size_t length =
        fr_simple_length(at, work->in.end, fr_short_string_end(&work->load->image.limits));
    if (length > 0) {
        work->in.at += length;
    } else if (!fr_value_check_next(&work->in, &work->load->image.limits, NULL)) {
        work->in.at = work->in.end;
    }
    *size = (size_t)(work->in.at - at);
    return at;
}

// ---- scalars

// A table of one pair and no elements, in any of its forms; `in` is then before the key.
static bool opens_pair(fr_in *in)
{
    uint32_t tag, elements, pairs;
    if (!fr_in_count(in, &tag) || tag <= FR_TAG_TABLE || tag > FR_TAG_TABLE_LAST) {
        return false;
    }
    uint32_t form = tag - FR_TAG_TABLE; // bit 0: pairs, bit 1: elements from 0, bit 2: from 1
    if (form > 1 && (!fr_in_count(in, &elements) || elements != form >> 2)) {
        return false;
    }
    return (form & 1) != 0 && fr_in_count(in, &pairs) && pairs == 1;
}

// X of {value = X}, the form of version 2; anything else stays as it is.
static void unwrap(const uint8_t **bytes, size_t *size)
{
    static const char key[] = "value";
    fr_in in;
    uint32_t length;
    const uint8_t *text;
    fr_in_begin(&in, *bytes, *size);
    if (!opens_pair(&in) || !fr_in_count(&in, &length) ||
        length != FR_TAG_STRING + sizeof key - 1 || !fr_in_bytes(&in, sizeof key - 1, &text) ||
        memcmp(text, key, sizeof key - 1) != 0) {
        return;
    }
    *bytes = in.at;
    *size = fr_in_left(&in);
}

static const char *decode_bool(decoding *work, uint32_t row, const uint8_t *bytes, size_t size)
{
    uint32_t tag = fr_value_tag(bytes, bytes + size);
    if (tag != FR_TAG_TRUE && tag != FR_TAG_FALSE) {
        return "the saved value is no bool";
    }
    work->rows[row] = tag == FR_TAG_TRUE;
    return NULL;
}

static const char *decode_number(decoding *work, uint32_t row, const uint8_t *bytes, size_t size)
{
    fr_in in;
    double number;
    fr_in_begin(&in, bytes, size);
    if (fr_in_encoded_number(&in, work->name, &number, NULL) != FIRN_OK) {
        return "the saved value is no number";
    }
    memcpy(work->rows + (size_t)row * sizeof number, &number, sizeof number);
    return NULL;
}

// Shorter runs take no blocks that blobs share: most of one would stay empty.
#define POOLED_ROWS 64

static bool make_blob(decoding *work, uint32_t row, const uint8_t *bytes, uint32_t size)
{
    fr_blob *blob = (fr_blob *)(void *)work->rows + row;
    return work->count < POOLED_ROWS
               ? fr_blob_make(&work->load->world->allocator, bytes, size, blob)
               : fr_blob_pool_make(&work->load->blobs, bytes, size, blob);
}

// One blob from a valid encoding: copied when it is canonical, which is what firn writes.
static firn_result decode_blob(decoding *work, uint32_t row, const uint8_t *bytes, size_t size,
                               firn_error *err)
{
    const firn_allocator *allocator = &work->load->world->allocator;
    firn_buffer canonical;
    firn_buffer_init(&canonical, allocator);
    firn_result result = FIRN_OK;
    if (!fr_value_is_canonical(bytes, size)) {
        firn_error why;
        result = fr_value_canonicalise(bytes, size, &work->load->image.limits, allocator,
                                       &canonical, &why);
        if (result != FIRN_OK) {
            refuse_row(work, result, row, bytes, why.message, err);
        }
        bytes = canonical.data;
        size = canonical.size;
    }
    if (result == FIRN_OK && (size > UINT32_MAX || !make_blob(work, row, bytes, (uint32_t)size))) {
        result = fr_fail_memory(err, work->name);
    }
    firn_buffer_free(&canonical);
    return result;
}

static firn_result decode_scalars(decoding *work, firn_error *err)
{
    bool is_bool = work->component->kind == FIRN_BOOLEAN;
    for (uint32_t row = 0; row < work->count; row++) {
        size_t size;
        const uint8_t *at = next_value(work, &size), *bytes = at;
        unwrap(&bytes, &size);
        const char *why =
            is_bool ? decode_bool(work, row, bytes, size) : decode_number(work, row, bytes, size);
        if (why != NULL) {
            return refuse_row(work, FIRN_INVALID, row, at, why, err);
        }
    }
    return FIRN_OK;
}

static firn_result decode_string(decoding *work, uint32_t row, const uint8_t *bytes, size_t size,
                                 firn_error *err)
{
    const uint8_t *at = bytes;
    unwrap(&bytes, &size);
    if (fr_value_tag(bytes, bytes + size) < FR_TAG_STRING) {
        return refuse_row(work, FIRN_INVALID, row, at, "the saved value is no string", err);
    }
    return decode_blob(work, row, bytes, size, err);
}

static firn_result decode_strings(decoding *work, firn_error *err)
{
    fr_in *in = &work->in;
    const uint8_t *at = in->at, *end = in->end;
    for (uint32_t row = 0; row < work->count; row++) {
        // A string whose tag is one byte is canonical and needs no closer look.
        size_t size = fr_simple_length(at, end, FR_COUNT_TWO);
        if (size > 0 && *at >= FR_TAG_STRING) {
            if (!make_blob(work, row, at, (uint32_t)size)) {
                return fr_fail_memory(err, work->name);
            }
            at += size;
            continue;
        }
        in->at = at;
        const uint8_t *bytes = next_value(work, &size);
        firn_result result = decode_string(work, row, bytes, size, err);
        if (result != FIRN_OK) {
            return result;
        }
        at = in->at;
    }
    return FIRN_OK;
}

static firn_result decode_values(decoding *work, firn_error *err)
{
    for (uint32_t row = 0; row < work->count; row++) {
        size_t size;
        const uint8_t *bytes = next_value(work, &size);
        firn_result result = decode_blob(work, row, bytes, size, err);
        if (result != FIRN_OK) {
            return result;
        }
    }
    return FIRN_OK;
}

// ---- what is kept

static firn_result keep_blob(decoding *work, uint32_t row, const uint8_t *bytes, size_t size,
                             firn_error *err)
{
    bool kept = size <= UINT32_MAX && make_blob(work, row, bytes, (uint32_t)size);
    return kept ? FIRN_OK : fr_fail_memory(err, work->name);
}

static firn_result keep_values(decoding *work, firn_error *err)
{
    firn_result result = FIRN_OK;
    for (uint32_t row = 0; result == FIRN_OK && row < work->count; row++) {
        size_t size;
        const uint8_t *bytes = next_value(work, &size);
        result = keep_blob(work, row, bytes, size, err);
    }
    return result;
}

static firn_result keep_raw_rows(decoding *work, firn_error *err)
{
    size_t size = (size_t)(work->in.end - work->in.at) / work->count;
    firn_result result = FIRN_OK;
    for (uint32_t row = 0; result == FIRN_OK && row < work->count; row++) {
        result = keep_blob(work, row, work->in.at + row * size, size, err);
    }
    return result;
}

// ---- structs

static firn_entity entity_of_merge(void *ids, firn_entity saved)
{
    return fr_merge_id(ids, saved);
}

// Begins a reader on the values at hand whose errors have offsets of the image.
static void begin_reader(const decoding *work, firn_reader *reader)
{
    firn_reader_begin(reader, work->in.at, (size_t)(work->in.end - work->in.at),
                      &work->load->image.limits);
    reader->base = work->base + (uint64_t)(work->in.at - work->in.bytes);
    if (work->load->merge != NULL) {
        reader->entity_of = entity_of_merge;
        reader->ids = work->load->merge;
    }
}

static firn_result decode_fields(decoding *work, firn_error *err)
{
    const fr_layout *layout = &work->component->layout;
    fr_component_fill(&work->load->world->allocator, work->component, work->rows, work->count);
    firn_reader reader;
    begin_reader(work, &reader);
    for (uint32_t row = 0; row < work->count; row++) {
        fr_layout_read_row(layout, &reader, work->rows + (size_t)row * work->component->stride,
                           work->source->changed, &work->source->removed);
        if (!firn_reader_failed(&reader)) {
            continue;
        }
        firn_error why;
        firn_result result = firn_reader_end(&reader, &why);
        // No callback refused it: the value is one that the component cannot hold.
        if (result == FIRN_REFUSED) {
            result = FIRN_INVALID;
        }
        return refuse_row_at(work, result, row, why.offset, why.message, err);
    }
    return firn_reader_end(&reader, err);
}

// What a codec said, at the row that its reader is at where it did not say which.
static firn_result refuse_codec(const decoding *work, firn_result code, firn_reader *reader,
                                firn_error *why, firn_error *err)
{
    if (reader->error.code == FIRN_OK) {
        fr_reader_step_back(reader);
    }
    uint64_t row = reader->finished < work->count ? reader->finished : work->count - 1;
    firn_entity entity = why->entity != 0 ? why->entity : work->entities[row];
    // No codec knows offsets, but for those that its reader told it.
    uint64_t offset = why->offset;
    if (offset < reader->base || offset == FIRN_NO_OFFSET) {
        offset = reader->base + (uint64_t)(reader->next - reader->bytes);
    }
    fr_error_complete(why, code);
    if (strcmp(why->subject, work->component->name) == 0) {
        fr_fail_at(err, code, offset, work->name, "%s", why->message);
    } else {
        fr_fail_at(err, code, offset, work->name, "codec %s of %s: %s", work->component->codec.name,
                   work->name, why->message);
    }
    if (err != NULL) {
        err->entity = fr_load_saved_id(work->load, entity);
    }
    return code;
}

static firn_result decode_codec(decoding *work, firn_error *err)
{
    firn_world *world = work->load->world;
    const fr_component *component = work->component;
    fr_component_fill(&world->allocator, component, work->rows, work->count);
    // From here on the rows may own something, whatever the codec returns.
    *work->filled += work->count;
    firn_rows run = {world,
                     fr_component_handle(world, component->index),
                     work->entities,
                     work->rows,
                     component->stride,
                     work->count};
    firn_reader reader;
    begin_reader(work, &reader);
    firn_error why;
    fr_error_begin(&why);
    fr_world_lock(world, component->name);
    firn_result result = component->codec.decode(component->codec.user, &run, &reader, &why);
    fr_world_unlock(world);
    // A reader that failed says more than a codec that passed its failure on.
    if (reader.error.code != FIRN_OK && (result == FIRN_OK || why.message[0] == '\0')) {
        why = reader.error;
        result = result == FIRN_OK ? why.code : result;
    } else if (result == FIRN_OK) {
        result = firn_reader_end(&reader, &why);
        reader.looked = reader.at; // it is the next value that is wrong
    }
    return result == FIRN_OK ? FIRN_OK : refuse_codec(work, result, &reader, &why, err);
}

// ---- relations

static firn_result decode_edges(decoding *work, firn_error *err)
{
    fr_edge_rows rows = {.load = work->load,
                         .source = work->source,
                         .relation = work->component,
                         .name = work->name,
                         .entities = work->entities,
                         .rows = work->rows,
                         .count = work->count,
                         .in = work->in,
                         .base = work->base};
    if (!work->component->has_codec) {
        return fr_load_edge_rows(&rows, err);
    }
    firn_result result = decode_codec(work, err);
    return result == FIRN_OK ? fr_load_check_targets(&rows, err) : result;
}

// Offsets in columns that were made aside begin here; then they become those in the image.
#define ASIDE_BASE (UINT64_C(1) << 62)

// What is added to offsets in `bytes`.
static uint64_t base_of(const fr_load *load, const fr_span *span, const uint8_t *bytes)
{
    const fr_image *image = &load->image;
    if (bytes >= image->bytes && bytes < image->bytes + image->size) {
        return (uint64_t)(bytes - image->bytes);
    }
    if (bytes >= span->bytes && bytes < span->bytes + span->size) {
        return ASIDE_BASE + (uint64_t)(bytes - span->bytes);
    }
    // Rows that were raw have been written anew: their own offsets mean nothing to the caller.
    return image->spans[image->entries[span->entry].first_column].offset;
}

static firn_result decode_rows(decoding *work, firn_error *err)
{
    switch (work->source->how) {
    case FR_SCALAR:
        return work->component->kind == FIRN_STRING ? decode_strings(work, err)
                                                    : decode_scalars(work, err);
    case FR_VALUE:
    case FR_RAW_VALUE:
        return decode_values(work, err);
    case FR_FIELDS:
        return decode_fields(work, err);
    case FR_EDGE:
        return decode_edges(work, err);
    case FR_KEEP:
        return keep_values(work, err);
    case FR_KEEP_RAW:
        return keep_raw_rows(work, err);
    default:
        return decode_codec(work, err);
    }
}

firn_result fr_load_decode(fr_load *load, const fr_span *span, fr_stage *stage, uint32_t column,
                           uint32_t to, uint32_t n, const uint8_t *bytes, size_t size,
                           firn_error *err)
{
    char name[256];
    const fr_component *component = stage->archetype->columns[column].component;
    decoding work = {.load = load,
                     .source = &load->sources[span->entry],
                     .name = fr_load_name(load, span->entry, name),
                     .component = component,
                     .entities = stage->entities + to,
                     .rows = (uint8_t *)stage->blocks[column] + (size_t)to * component->stride,
                     .count = n,
                     .filled = &stage->filled[column],
                     .base = base_of(load, span, bytes)};
    fr_in_begin(&work.in, bytes, size);
    firn_result result = decode_rows(&work, err);
    if (result != FIRN_OK && err != NULL && err->offset >= ASIDE_BASE) {
        err->offset = fr_image_place(&load->image, span, (size_t)(err->offset - ASIDE_BASE));
    }
    return result;
}
