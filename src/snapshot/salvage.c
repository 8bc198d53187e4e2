// A damaged image, from its front to one that checks.
#include "snapshot/salvage.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/array.h"
#include "snapshot/format.h"

const char *const fr_salvage_keys[FR_SALVAGE_KEYS] = {FR_KEY_STATES, FR_KEY_PIPELINE, FR_KEY_RANDOM,
                                                      FR_KEY_SCRIPT};

void fr_salvage_tell(fr_salvage *job, firn_loss *loss, const char *subject, const char *format, ...)
{
    if (!job->telling || job->result != FIRN_OK) {
        return;
    }
    job->summary.losses++;
    if (job->each == NULL) {
        return;
    }
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    loss->section = "";
    loss->subject = subject != NULL ? subject : "";
    loss->message = message;
    firn_error why;
    fr_error_begin(&why);
    firn_result result = job->each(job->user, loss, &why);
    if (result != FIRN_OK) {
        fr_error_complete(&why, result);
        job->result = result;
        job->error = why;
    }
}

void fr_salvage_no_memory(fr_salvage *job)
{
    if (job->result == FIRN_OK) {
        job->result = fr_fail_memory(&job->error, "salvage");
    }
}

// ---- readings

static void forget_walk(fr_salvage *job)
{
    FR_ARRAY_FREE(&job->image.allocator, job->frames, job->frame_capacity);
    job->frames = NULL;
    job->frame_count = job->frame_capacity = 0;
    job->image.span_count = job->image.data_count = 0;
    job->image.world = (fr_image_world){0};
    job->summary.bytes_lost = 0;
}

static uint64_t lost_in_walk(const fr_salvage *job)
{
    uint64_t lost = job->summary.bytes_lost;
    for (uint32_t i = 0; i < job->frame_count; i++) {
        lost += job->frames[i].hole_size;
    }
    return lost;
}

static void read_doubts(fr_salvage *job, bool raw)
{
    for (uint32_t i = 0; i < job->image.prelude.component_count; i++) {
        fr_entry *entry = &job->image.entries[i];
        entry->raw = entry->doubtful ? raw : entry->raw;
    }
}

static bool has_doubts(const fr_salvage *job)
{
    for (uint32_t i = 0; i < job->image.prelude.component_count; i++) {
        if (job->image.entries[i].doubtful) {
            return true;
        }
    }
    return false;
}

// Raw as the fingerprints say, or, in an image that is not firn's, encoded where less is lost then.
// What comes last says whose it is: the walk that reads raw may not get there.
static void walk_best(fr_salvage *job)
{
    job->telling = false;
    fr_salvage_walk(job);
    uint64_t raw = lost_in_walk(job);
    if (raw > 0 && !job->image.world.ours && has_doubts(job)) {
        forget_walk(job);
        read_doubts(job, false);
        fr_salvage_walk(job);
        read_doubts(job, job->image.world.ours || lost_in_walk(job) >= raw);
    }
    forget_walk(job);
    job->telling = true;
    job->budget = (uint64_t)job->image.size * 4 + (UINT64_C(64) << 20);
    fr_salvage_walk(job);
}

// ---- all of it

static firn_result begin_salvage(fr_salvage *job, const void *bytes, size_t size,
                                 const firn_image_options *options, firn_error *err)
{
    fr_image *image = &job->image;
    *image = (fr_image){.bytes = bytes,
                        .size = size,
                        .ids_later = true,
                        .allocator =
                            options->allocator ? *options->allocator : *firn_allocator_default()};
    job->telling = true;
    job->budget = (uint64_t)size * 4 + (UINT64_C(64) << 20);
    firn_result result = fr_limits_resolve(options->limits, &image->limits, err);
    bool changed = false;
    if (result == FIRN_OK) {
        result = fr_salvage_front(job, err);
    }
    if (result == FIRN_OK) {
        result =
            fr_image_give_schemas(image, options->schemas, options->schema_count, &changed, err);
    }
    return result;
}

static void end_salvage(fr_salvage *job)
{
    const firn_allocator allocator = job->image.allocator;
    FR_ARRAY_FREE(&allocator, job->frames, job->frame_capacity);
    fr_free(&allocator, job->gone, job->gone_size, 1, 1);
    fr_free(&allocator, job->numbers, job->numbers_size, sizeof *job->numbers,
            sizeof *job->numbers);
    fr_free(&allocator, job->names, job->name_room, sizeof *job->names, 1);
    fr_image_close(&job->image);
}

static void tell_cut(fr_salvage *job)
{
    if (job->cut) {
        fr_salvage_tell(job, &(firn_loss){.kind = FIRN_LOSS_BYTES, .offset = job->image.size},
                        "data", "the image ends before the data section does");
    }
}

static void tell_missing(fr_salvage *job)
{
    const firn_salvage_summary *summary = &job->summary;
    bool differs =
        summary->entities != summary->entities_said || summary->frames != summary->frames_said;
    if (summary->losses == 0 && differs) { // what was counted wrong, and nothing else
        fr_salvage_tell(
            job, &(firn_loss){.kind = FIRN_LOSS_NUMBER, .offset = FIRN_NO_OFFSET}, "entityCount",
            "the prelude says %u entities in %u frames, there are %u in %u", summary->entities_said,
            summary->frames_said, summary->entities, summary->frames);
    }
}

static void salvage_parts(fr_salvage *job, firn_buffer *out)
{
    walk_best(job);
    if (job->result == FIRN_OK) {
        tell_cut(job);
        fr_salvage_rows(job);
    }
    if (job->result == FIRN_OK) {
        tell_missing(job);
        fr_salvage_write(job, out);
    }
    job->summary.data = job->image.data_count;
    job->summary.whole = job->summary.losses == 0;
}

firn_result fr_salvage_image(const void *bytes, size_t size, const firn_image_options *options,
                             const fr_salvage_avoid *avoid, firn_loss_fn each, void *user,
                             firn_buffer *out, firn_salvage_summary *summary, firn_error *err)
{
    fr_salvage job = {.each = each, .user = user, .avoid = avoid};
    size_t start = out->size;
    firn_result result = begin_salvage(&job, bytes, size, options, err);
    if (result == FIRN_OK) {
        salvage_parts(&job, out);
        result = job.result;
    }
    if (result != FIRN_OK && job.result != FIRN_OK) {
        fr_fail_copy(err, &job.error);
    }
    if (result == FIRN_OK && job.summary.entities == 0 && job.summary.data == 0) {
        result = fr_fail(err, FIRN_CORRUPT, "image",
                         "nothing can be saved: no frame and no data checks out");
    }
    if (result != FIRN_OK) {
        out->size = start;
    }
    *summary = job.summary;
    end_salvage(&job);
    return result;
}
