// A damaged image comes back so that a world can have it: what is left of the bytes is loaded into
// one that knows the relations that they show, and what that refuses is left out, too.
#include "firn/salvage.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "firn/game.h"
#include "plugin/registry.h"
#include "snapshot/format.h"
#include "snapshot/image_rows.h"
#include "snapshot/image_write.h"
#include "snapshot/order_list.h"
#include "snapshot/salvage.h"

// So many times what a world refuses is left out.
#define TRIES_MOST 64

typedef struct salvaging {
    const void *bytes;
    size_t size;
    const firn_image_options *options;
    firn_allocator allocator;
    firn_world *world; // one that knows what every world knows
    fr_salvage_avoid avoid;
    fr_map coded;      // hashes of names of relations that a codec may write: no world knows them
    firn_buffer image; // what is left so far
} salvaging;

// ---- what a world refuses

static bool is_refused(firn_result result)
{
    return result == FIRN_CORRUPT || result == FIRN_TRUNCATED || result == FIRN_INVALID ||
           result == FIRN_LIMIT || result == FIRN_EXISTS || result == FIRN_VERSION;
}

// Components, states and classes are those of a game that is not here: unknown is not wrong.
static firn_result load_nowhere(const salvaging *job, firn_world *world, const firn_buffer *image,
                                firn_error *err)
{
    const firn_load_options options = {.keep_unknown = true, .limits = job->options->limits};
    return firn_snapshot_check(world, image->data, image->size, &options, NULL, err);
}

// One entry of data, in an image of nothing else.
static firn_result try_entry(const salvaging *job, const fr_datum *datum, const uint8_t *bytes,
                             firn_error *err)
{
    const fr_front front = {.wire_version = 1, .next_slot = 1};
    firn_buffer alone;
    fr_out out;
    firn_buffer_init(&alone, &job->allocator);
    fr_out_begin(&out, &alone, NULL);
    fr_write_front(&out, &front);
    fr_write_data_key(&out, datum->key, datum->key_size);
    fr_out_bytes(&out, bytes + datum->offset, datum->size);
    fr_write_data_end(&out);
    firn_result result = fr_out_end(&out, err);
    if (result == FIRN_OK) {
        result = load_nowhere(job, job->world, &alone, err);
    }
    firn_buffer_free(&alone);
    return result;
}

static firn_result refuse_entries(salvaging *job, const fr_image *left, bool *refused,
                                  firn_error *err)
{
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result != FIRN_NO_MEMORY && i < left->data_count; i++) {
        const fr_datum *datum = &left->data[i];
        for (uint32_t k = 0; k < FR_SALVAGE_KEYS; k++) {
            size_t size = strlen(fr_salvage_keys[k]);
            if (datum->key_size != size || memcmp(datum->key, fr_salvage_keys[k], size) != 0) {
                continue;
            }
            result = try_entry(job, datum, left->bytes, err);
            *refused |= is_refused(result);
            job->avoid.keys |= is_refused(result) ? UINT32_C(1) << k : 0;
        }
    }
    return result == FIRN_NO_MEMORY ? result : FIRN_OK;
}

// ---- relations that an image shows

// What its edges hold is taken as it is.
static firn_result show_relation(const salvaging *job, firn_world *world, const char *name,
                                 size_t size, uint32_t bits, firn_error *err)
{
    char text[256];
    if (size >= sizeof text || fr_components_find(&world->components, name, size) != NULL ||
        fr_map_get(&job->coded, fr_hash(name, size)) != FR_MAP_NONE) {
        return FIRN_OK;
    }
    memcpy(text, name, size);
    text[size] = '\0';
    const firn_component_desc desc = {
        .name = text, .kind = FIRN_RELATION, .relation = bits | FIRN_REVERSE};
    firn_error why;
    bool known = firn_component_register(world, &desc, &why) != 0;
    return known || why.code != FIRN_NO_MEMORY ? FIRN_OK : fr_fail_copy(err, &why);
}

static firn_result show_dense_relations(const salvaging *job, firn_world *world,
                                        const fr_image *left, firn_error *err)
{
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < left->prelude.component_count; i++) {
        const fr_entry *entry = &left->entries[i];
        size_t size = fr_name_relation(entry->name, entry->name_size);
        if (size < entry->name_size) {
            result = show_relation(job, world, entry->name, size, 0, err);
        }
    }
    return result;
}

// Those whose sources are listed.
static firn_result show_listed_relations(const salvaging *job, firn_world *world,
                                         const fr_image *left, firn_error *err)
{
    firn_reader reader;
    firn_buffer sources;
    firn_reader_begin(&reader, left->bytes + left->world.order_value, left->world.order_size, NULL);
    firn_buffer_init(&sources, &left->allocator);
    fr_order_list list = {.sources = &sources};
    firn_table_head head = firn_read_table(&reader);
    firn_error why = {.code = FIRN_OK};
    for (uint32_t i = 0; why.code == FIRN_OK && i < head.array_count; i++) {
        if (fr_order_read_list(&reader, &list, &why) != NULL) {
            break; // as a load says
        }
        if (fr_image_entry(left, list.name, list.name_size) != NULL) {
            (void)show_relation(job, world, list.name, list.name_size, FIRN_SPARSE, &why);
        }
    }
    firn_buffer_free(&sources);
    return why.code == FIRN_OK ? FIRN_OK : fr_fail_copy(err, &why);
}

// Only what firn wrote has them.
static firn_world *make_world(const salvaging *job, const fr_image *left, firn_error *err)
{
    const firn_world_desc desc = {.allocator = &job->allocator, .limits = job->options->limits};
    firn_world *world = firn_world_create(&desc, err);
    firn_result result = world != NULL ? FIRN_OK : err->code;
    if (result == FIRN_OK && left->world.ours) {
        result = show_dense_relations(job, world, left, err);
    }
    if (result == FIRN_OK && left->world.has_order && left->world.ours) {
        result = show_listed_relations(job, world, left, err);
    }
    if (result != FIRN_OK) {
        firn_world_destroy(world);
        world = NULL;
    }
    return world;
}

// ---- what that world refuses

static firn_result avoid(salvaging *job, fr_map *map, uint64_t key, uint32_t value, firn_error *err)
{
    return fr_map_add(&job->allocator, map, key, value) ? FIRN_OK : fr_fail_memory(err, "salvage");
}

// The encoded column of a frame, not made aside, that has an offset; NULL: none has.
static const fr_span *column_at(const fr_image *left, uint64_t offset)
{
    for (uint32_t i = 0; i < left->frame_count; i++) {
        const fr_frame *frame = &left->frames[i];
        for (uint32_t k = 0; !frame->by_row && k < frame->column_count; k++) {
            const fr_span *span = &left->spans[frame->first_column + k];
            if (offset >= span->offset && offset - span->offset < span->size) {
                return left->entries[span->entry].raw ? NULL : span;
            }
        }
    }
    return NULL;
}

// The component that an offset is about, as it stands in the table; NULL: none is.
static const fr_entry *entry_at(const fr_image *left, uint64_t offset)
{
    for (uint32_t i = 0; i < left->prelude.component_count; i++) {
        if (left->entries[i].offset == offset) {
            return &left->entries[i];
        }
    }
    return NULL;
}

static const fr_component *shown_relation(const firn_world *world, const fr_entry *entry)
{
    size_t size = fr_name_relation(entry->name, entry->name_size);
    const fr_component *found = fr_components_find(&world->components, entry->name, size);
    return found != NULL && found->kind == FIRN_RELATION ? found : NULL;
}

// The value of a relation: it is left out, but for what a codec of the game may have made of it.
// Then only the game can tell of that relation.
static firn_result refuse_edge_value(salvaging *job, const firn_world *world, const fr_image *left,
                                     const fr_span *span, const firn_error *why, bool *refused,
                                     firn_error *err)
{
    const fr_component *relation = shown_relation(world, &left->entries[span->entry]);
    bool is_own = relation->index < job->world->components.count;
    if (!is_own && !fr_salvage_is_edge(left->bytes + why->offset, left->size - (size_t)why->offset,
                                       &left->limits)) {
        return avoid(job, &job->coded, fr_hash(relation->name, relation->name_size), 0, err);
    }
    *refused = true;
    return avoid(job, &job->avoid.values, why->entity, fr_salvage_place(&job->avoid, span->entry),
                 err);
}

static firn_result refuse_what_failed(salvaging *job, const firn_world *world, const fr_image *left,
                                      const firn_error *why, bool *refused, firn_error *err)
{
    firn_entity id = why->entity;
    const fr_span *span = column_at(left, why->offset);
    const fr_entry *entry = entry_at(left, why->offset);
    if (id != 0 && span != NULL && shown_relation(world, &left->entries[span->entry]) != NULL) {
        return refuse_edge_value(job, world, left, span, why, refused, err);
    }
    if (id == 0 && entry != NULL) {
        uint32_t place = fr_salvage_place(&job->avoid, (uint32_t)(entry - left->entries));
        *refused = true;
        return avoid(job, &job->avoid.columns, place, 0, err);
    }
    if (id == 0 || fr_map_get(&job->avoid.ids, id) != FR_MAP_NONE) {
        return fr_fail(err, FIRN_CORRUPT, why->subject, "what is left cannot be loaded: %s",
                       why->message);
    }
    *refused = true;
    return avoid(job, &job->avoid.ids, id, 0, err);
}

// What a load into one world refuses.
static firn_result refuse_one(salvaging *job, const fr_image *left, bool *refused, firn_error *err)
{
    firn_error why = {.code = FIRN_OK};
    firn_world *world = make_world(job, left, &why);
    firn_result result = world != NULL ? load_nowhere(job, world, &job->image, &why) : why.code;
    if (result == FIRN_NO_MEMORY) {
        fr_fail_copy(err, &why);
    } else {
        result =
            is_refused(result) ? refuse_what_failed(job, world, left, &why, refused, err) : FIRN_OK;
    }
    firn_world_destroy(world);
    return result;
}

// What a load of all refuses, one at a time, but for relations that only their codecs can tell of.
static firn_result refuse_rows(salvaging *job, const fr_image *left, bool *refused, firn_error *err)
{
    firn_result result = FIRN_OK;
    uint32_t coded;
    do {
        coded = job->coded.count;
        result = refuse_one(job, left, refused, err);
    } while (result == FIRN_OK && !*refused && job->coded.count > coded &&
             job->coded.count < TRIES_MOST);
    return result;
}

// Values, or columns, that need no world to be told.
static firn_result refuse_values(salvaging *job, const fr_image *left, bool *refused,
                                 firn_error *err)
{
    fr_salvage_avoid *avoided = &job->avoid;
    uint64_t had = (uint64_t)avoided->ids.count + avoided->values.count + avoided->columns.count;
    bool memory = fr_salvage_note_unsound(left, &avoided->ids) &&
                  (!left->world.ours || fr_salvage_note_targets(left, avoided));
    *refused = avoided->ids.count + avoided->values.count + avoided->columns.count > had;
    return memory ? FIRN_OK : fr_fail_memory(err, "salvage");
}

// Adds to what is to be avoided; *refused: there was something.
static firn_result ask_world(salvaging *job, bool *refused, firn_error *err)
{
    fr_image left;
    firn_result result =
        fr_image_open(&left, job->image.data, job->image.size, job->options->limits,
                      &job->allocator, false, NULL, NULL, err);
    if (result != FIRN_OK) {
        return result;
    }
    result = refuse_values(job, &left, refused, err);
    if (result == FIRN_OK) {
        result = refuse_entries(job, &left, refused, err);
    }
    if (result == FIRN_OK && !*refused) {
        result = refuse_rows(job, &left, refused, err);
    }
    fr_image_close(&left);
    return result;
}

// ---- all of it

// Whether the bytes are all right as they are: a world can have them without being told schemas.
static firn_result try_whole(salvaging *job, bool *whole, firn_error *err)
{
    fr_image image;
    bool refused = true;
    *whole = false;
    firn_result result = fr_image_open_options(&image, job->bytes, job->size, job->options, err);
    if (result != FIRN_OK) {
        return result == FIRN_INVALID || result == FIRN_NO_MEMORY ? result : FIRN_OK;
    }
    fr_image_close(&image);
    if (job->options->schema_count > 0) {
        return FIRN_OK;
    }
    result = firn_buffer_append(&job->image, job->bytes, job->size, err);
    if (result == FIRN_OK) {
        result = ask_world(job, &refused, err);
        *whole = result == FIRN_OK && !refused;
    }
    return result == FIRN_NO_MEMORY ? result : FIRN_OK;
}

static firn_result salvage_until_it_loads(salvaging *job, firn_error *err)
{
    firn_result result = FIRN_OK;
    bool refused = true;
    for (int i = 0; result == FIRN_OK && refused && i < TRIES_MOST; i++) {
        firn_salvage_summary unused;
        firn_buffer_clear(&job->image);
        result = fr_salvage_image(job->bytes, job->size, job->options, &job->avoid, NULL, NULL,
                                  &job->image, &unused, err);
        if (result == FIRN_OK) {
            result = ask_world(job, &refused, err);
        }
    }
    return result == FIRN_OK && refused
               ? fr_fail(err, FIRN_CORRUPT, "image",
                         "what is left cannot be loaded: too much of it is no world's")
               : result;
}

static firn_result salvage_all(salvaging *job, firn_loss_fn each, void *user, firn_buffer *out,
                               firn_salvage_summary *summary, firn_error *err)
{
    bool whole;
    firn_limits limits;
    firn_result result = fr_limits_resolve(job->options->limits, &limits, err);
    if (result == FIRN_OK && job->size > limits.file_bytes) {
        result = fr_fail(err, FIRN_LIMIT, "image", "the image has %zu bytes, above the limit %llu",
                         job->size, (unsigned long long)limits.file_bytes);
    }
    if (result == FIRN_OK) {
        result = try_whole(job, &whole, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    if (whole) {
        firn_prelude prelude = {0};
        (void)firn_image_check(job->bytes, job->size, job->options, &prelude, NULL);
        *summary = (firn_salvage_summary){.whole = true,
                                          .entities = prelude.entity_count,
                                          .entities_said = prelude.entity_count,
                                          .frames = prelude.frame_count,
                                          .frames_said = prelude.frame_count,
                                          .data = prelude.data_count};
        return firn_buffer_append(out, job->bytes, job->size, err);
    }
    result = salvage_until_it_loads(job, err);
    if (result != FIRN_OK) {
        return result;
    }
    // The same once more, for those who listen.
    return fr_salvage_image(job->bytes, job->size, job->options, &job->avoid, each, user, out,
                            summary, err);
}

firn_result firn_image_salvage(const void *bytes, size_t size, const firn_image_options *options,
                               firn_loss_fn each, void *user, firn_buffer *out,
                               firn_salvage_summary *summary, firn_error *err)
{
    const firn_image_options defaults = {0};
    firn_salvage_summary own;
    if (bytes == NULL || out == NULL) {
        const char *what = bytes == NULL ? "bytes" : "out";
        return fr_fail(err, FIRN_INVALID, what, "%s is NULL", what);
    }
    salvaging job = {
        .bytes = bytes, .size = size, .options = options != NULL ? options : &defaults};
    firn_result result = fr_allocator_check(job.options->allocator, err);
    if (result != FIRN_OK) {
        return result;
    }
    job.allocator = job.options->allocator ? *job.options->allocator : *firn_allocator_default();
    firn_buffer_init(&job.image, &job.allocator);
    firn_error why = {.code = FIRN_OK};
    const firn_world_desc desc = {.allocator = &job.allocator, .limits = job.options->limits};
    job.world = firn_world_create(&desc, &why);
    result = job.world == NULL
                 ? why.code
                 : salvage_all(&job, each, user, out, summary != NULL ? summary : &own, &why);
    firn_world_destroy(job.world);
    fr_map_free(&job.allocator, &job.avoid.ids);
    fr_map_free(&job.allocator, &job.avoid.values);
    fr_map_free(&job.allocator, &job.avoid.columns);
    fr_map_free(&job.allocator, &job.coded);
    firn_buffer_free(&job.image);
    return result == FIRN_OK ? FIRN_OK : fr_fail_copy(err, &why);
}
