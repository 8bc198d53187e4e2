// A damaged image comes back so that a world can have it: what is left of the bytes is loaded into
// an empty one, and what that refuses is left out, too.
#include "firn/salvage.h"

#include <string.h>

#include "base/alloc.h"
#include "firn/game.h"
#include "plugin/registry.h"
#include "snapshot/image_write.h"
#include "snapshot/salvage.h"

// So many times what a world refuses is left out.
#define TRIES_MOST 64

typedef struct salvaging {
    const void *bytes;
    size_t size;
    const firn_image_options *options;
    firn_allocator allocator;
    firn_world *world; // an empty one
    fr_salvage_avoid avoid;
    firn_buffer image; // what is left so far
} salvaging;

// ---- what a world refuses

static bool is_refused(firn_result result)
{
    return result == FIRN_CORRUPT || result == FIRN_TRUNCATED || result == FIRN_INVALID ||
           result == FIRN_LIMIT || result == FIRN_EXISTS || result == FIRN_VERSION;
}

// Components, states and classes are those of a game that is not here: unknown is not wrong.
static firn_result load_nowhere(const salvaging *job, const firn_buffer *image, firn_error *err)
{
    const firn_load_options options = {.keep_unknown = true, .limits = job->options->limits};
    return firn_snapshot_check(job->world, image->data, image->size, &options, NULL, err);
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
        result = load_nowhere(job, &alone, err);
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

// Entities whose values a load of all refuses, one at a time.
static firn_result refuse_rows(salvaging *job, bool *refused, firn_error *err)
{
    firn_error why = {.code = FIRN_OK};
    firn_result result = load_nowhere(job, &job->image, &why);
    if (result == FIRN_NO_MEMORY) {
        return fr_fail_copy(err, &why);
    }
    if (!is_refused(result)) {
        return FIRN_OK;
    }
    firn_entity id = why.entity;
    if (id == 0 || fr_map_get(&job->avoid.ids, id) != FR_MAP_NONE) {
        return fr_fail(err, FIRN_CORRUPT, why.subject, "what is left cannot be loaded: %s",
                       why.message);
    }
    *refused = true;
    return fr_map_add(&job->allocator, &job->avoid.ids, id, 0) ? FIRN_OK
                                                               : fr_fail_memory(err, "salvage");
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
    uint32_t had = job->avoid.ids.count;
    if (!fr_salvage_note_unsound(&left, &job->avoid.ids)) {
        result = fr_fail_memory(err, "salvage");
    }
    *refused = job->avoid.ids.count > had;
    if (result == FIRN_OK) {
        result = refuse_entries(job, &left, refused, err);
    }
    if (result == FIRN_OK && !*refused) {
        result = refuse_rows(job, refused, err);
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
    firn_buffer_free(&job.image);
    return result == FIRN_OK ? FIRN_OK : fr_fail_copy(err, &why);
}
