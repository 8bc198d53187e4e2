// A damaged save file, from its sections to one that opens.
#include "saves/salvage.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "saves/compress.h"

// Bytes of the magic that must be there, where nothing of the header is.
#define MAGIC_LEAST 5
// Of a file with compressed sections, whose level nothing says.
#define USUAL_COMPRESSION 3

void fr_file_note(fr_file_salvage *job, firn_result result, const firn_error *why)
{
    if (result != FIRN_OK && job->result == FIRN_OK) {
        job->result = result;
        job->error = *why;
    }
}

static void hand_loss(fr_file_salvage *job, const firn_loss *loss)
{
    firn_error why;
    job->summary.losses++;
    if (job->each == NULL || job->result != FIRN_OK) {
        return;
    }
    fr_error_begin(&why);
    firn_result result = job->each(job->user, loss, &why);
    if (result != FIRN_OK) {
        fr_error_complete(&why, result);
        fr_file_note(job, result, &why);
    }
}

void fr_file_tell(fr_file_salvage *job, firn_loss *loss, const char *subject, const char *format,
                  ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    loss->section = "";
    loss->subject = subject;
    loss->message = message;
    hand_loss(job, loss);
}

// ---- sections

static firn_result pass_loss(void *user, const firn_loss *loss, firn_error *err)
{
    fr_file_salvage *job = user;
    firn_loss in_file = *loss;
    in_file.section = FIRN_SECTION_SNAPSHOT;
    hand_loss(job, &in_file);
    return job->result == FIRN_OK ? FIRN_OK : fr_fail_copy(err, &job->error);
}

static void tell_section(fr_file_salvage *job, const fr_left_section *section, const char *what)
{
    fr_file_tell(job,
                 &(firn_loss){.kind = FIRN_LOSS_SECTION,
                              .offset = section->offset,
                              .size = section->stored,
                              .count = 1},
                 section->name, "the section %s is damaged: %s", section->name, what);
}

// Takes a section from the backup; false: it has none that is whole.
static bool take_from_backup(fr_file_salvage *job, fr_left_section *section)
{
    const void *bytes;
    size_t size;
    firn_error why = {.code = FIRN_OK};
    firn_result result = job->backup != NULL ? firn_save_file_section(job->backup, section->name,
                                                                      &bytes, &size, &why)
                                             : FIRN_NOT_FOUND;
    if (result == FIRN_NO_MEMORY) {
        fr_file_note(job, result, &why);
    }
    if (result != FIRN_OK) {
        return false;
    }
    section->bytes = bytes;
    section->left = size;
    section->good = true;
    job->summary.from_backup++;
    return true;
}

// What is left of a damaged snapshot.
static void salvage_snapshot(fr_file_salvage *job, fr_left_section *section)
{
    const firn_image_options options = {.limits = &job->settings.limits,
                                        .allocator = &job->settings.allocator,
                                        .schemas = job->options->schemas,
                                        .schema_count = job->options->schema_count};
    firn_error why = {.code = FIRN_OK};
    firn_salvage_summary of_image = {0};
    firn_result result = section->bytes == NULL
                             ? fr_fail(&why, FIRN_CORRUPT, section->name, "nothing of it is there")
                             : firn_image_salvage(section->bytes, section->left, &options,
                                                  pass_loss, job, &job->snapshot, &of_image, &why);
    bool of_bytes = result == FIRN_CORRUPT || result == FIRN_NOT_OURS || result == FIRN_LIMIT;
    if (result != FIRN_OK && (job->result != FIRN_OK || !of_bytes)) {
        fr_file_note(job, result, &why);
        return;
    }
    if (result != FIRN_OK) {
        tell_section(job, section, why.message);
        return;
    }
    job->summary.entities = of_image.entities;
    job->summary.entities_said = of_image.entities_said;
    job->summary.frames = of_image.frames;
    job->summary.frames_said = of_image.frames_said;
    job->summary.data = of_image.data;
    job->summary.bytes_lost = of_image.bytes_lost;
    section->good = true;
    section->bytes = job->snapshot.data;
    section->left = job->snapshot.size;
    tell_section(job, section,
                 of_image.whole ? "what is left of it checks as a whole"
                                : "what is left of it is kept");
}

// Of a snapshot that is whole.
static firn_result count_snapshot(const fr_file_settings *settings,
                                  const firn_salvage_options *options, const void *bytes,
                                  size_t size, firn_salvage_summary *summary, firn_error *err)
{
    const firn_image_options opening = {.limits = &settings->limits,
                                        .allocator = &settings->allocator,
                                        .schemas = options->schemas,
                                        .schema_count = options->schema_count};
    firn_error why;
    firn_prelude prelude;
    if (firn_image_check(bytes, size, &opening, &prelude, &why) != FIRN_OK) {
        return why.code == FIRN_NO_MEMORY ? fr_fail_copy(err, &why) : FIRN_OK;
    }
    summary->entities = summary->entities_said = prelude.entity_count;
    summary->frames = summary->frames_said = prelude.frame_count;
    summary->data = prelude.data_count;
    return FIRN_OK;
}

static void mend_section(fr_file_salvage *job, fr_left_section *section)
{
    if (take_from_backup(job, section)) {
        tell_section(job, section, "that of the backup is taken");
    } else if (strcmp(section->name, FIRN_SECTION_SNAPSHOT) == 0) {
        salvage_snapshot(job, section);
    } else {
        tell_section(job, section, "it is lost");
    }
    job->summary.sections_lost += !section->good;
}

static fr_left_section *section_of(fr_file_salvage *job, const char *name)
{
    for (uint32_t i = 0; i < job->count; i++) {
        if (strcmp(job->sections[i].name, name) == 0) {
            return &job->sections[i];
        }
    }
    return NULL;
}

// What is saved by field belongs to its snapshot.
static void follow_snapshot(fr_file_salvage *job, bool snapshot_was_good)
{
    const fr_left_section *snapshot = section_of(job, FIRN_SECTION_SNAPSHOT);
    fr_left_section *persist = section_of(job, FIRN_SECTION_PERSIST);
    bool came = snapshot != NULL && snapshot->good && !snapshot_was_good &&
                snapshot->bytes != job->snapshot.data;
    if (!came || persist == NULL || !persist->good) {
        return;
    }
    if (take_from_backup(job, persist)) {
        fr_file_tell(
            job, &(firn_loss){.kind = FIRN_LOSS_SECTION, .offset = persist->offset, .count = 1},
            persist->name, "the section %s of the backup comes with its snapshot", persist->name);
    }
}

// Sections that the table of the file does not name any more.
static void take_unnamed(fr_file_salvage *job)
{
    firn_section_info info;
    for (uint32_t i = 0; job->unreadable > 0 && firn_save_file_section_at(job->backup, i, &info);
         i++) {
        if (section_of(job, info.name) != NULL || job->count == FIRN_SECTIONS_MOST) {
            continue;
        }
        fr_left_section *section = &job->sections[job->count];
        *section = (fr_left_section){.offset = FIRN_NO_OFFSET};
        (void)snprintf(section->name, sizeof section->name, "%s", info.name);
        if (take_from_backup(job, section)) {
            job->count++;
            job->unreadable--;
            tell_section(job, section, "that of the backup is taken");
        }
    }
    if (job->unreadable > 0) {
        job->summary.sections_lost += job->unreadable;
        fr_file_tell(job,
                     &(firn_loss){.kind = FIRN_LOSS_SECTION,
                                  .offset = FIRN_NO_OFFSET,
                                  .count = job->unreadable},
                     "", "%u sections are lost: the table of sections is damaged", job->unreadable);
    }
}

static void mend_sections(fr_file_salvage *job)
{
    const fr_left_section *snapshot = section_of(job, FIRN_SECTION_SNAPSHOT);
    bool was_good = snapshot == NULL || snapshot->good;
    for (uint32_t i = 0; i < job->count && job->result == FIRN_OK; i++) {
        if (!job->sections[i].good) {
            mend_section(job, &job->sections[i]);
        }
    }
    if (job->result == FIRN_OK) {
        follow_snapshot(job, was_good);
        take_unnamed(job);
    }
    snapshot = section_of(job, FIRN_SECTION_SNAPSHOT);
    if (job->result == FIRN_OK && snapshot != NULL && snapshot->good &&
        snapshot->bytes != job->snapshot.data) {
        firn_error why;
        fr_file_note(job,
                     count_snapshot(&job->settings, job->options, snapshot->bytes, snapshot->left,
                                    &job->summary, &why),
                     &why);
    }
}

// ---- write

// As asked for, or as the file was.
static int compression_of(const fr_file_salvage *job)
{
    bool compressed = false;
    for (uint32_t i = 0; i < job->count; i++) {
        compressed |= job->sections[i].compressed;
    }
    bool as_it_was = job->settings.compression == 0 && compressed && fr_can_compress();
    return as_it_was ? USUAL_COMPRESSION : job->settings.compression;
}

// The thumbnail goes through the header.
static void put_thumbnail(fr_file_salvage *job)
{
    const fr_left_section *section = section_of(job, FIRN_SECTION_THUMBNAIL);
    if (section == NULL || !section->good) {
        return;
    }
    firn_error err = {.code = FIRN_OK};
    firn_value *meta =
        job->header.meta != NULL
            ? fr_file_copy_meta(job->header.meta, &job->settings.allocator, job->doc, &err)
            : firn_value_table(job->doc, &err);
    const firn_value *bytes =
        meta != NULL ? firn_value_string(job->doc, section->bytes, section->left, &err) : NULL;
    firn_result result =
        bytes != NULL ? firn_table_set_text(job->doc, meta, FIRN_SECTION_THUMBNAIL, bytes, &err)
                      : err.code;
    fr_file_note(job, result, &err);
    job->header.meta = meta;
}

static void write_left_file(fr_file_salvage *job, firn_buffer *out)
{
    firn_section sections[FIRN_SECTIONS_MOST];
    uint32_t count = 0;
    const firn_save_file_options options = {.limits = &job->settings.limits,
                                            .allocator = &job->settings.allocator,
                                            .compression = compression_of(job)};
    put_thumbnail(job);
    for (uint32_t i = 0; i < job->count; i++) {
        const fr_left_section *section = &job->sections[i];
        bool thumbnail = strcmp(section->name, FIRN_SECTION_THUMBNAIL) == 0;
        job->summary.sections += section->good;
        if (section->good && !thumbnail) {
            sections[count++] = (firn_section){section->name, section->bytes, section->left};
        }
    }
    firn_error why;
    if (job->result == FIRN_OK && job->summary.sections == 0) {
        fr_file_note(
            job, fr_fail(&why, FIRN_CORRUPT, "file", "nothing can be saved: no section checks out"),
            &why);
    }
    if (job->result == FIRN_OK) {
        fr_file_note(job, firn_save_file_write(&job->header, sections, count, &options, out, &why),
                     &why);
    }
}

// ---- all of it

static bool looks_like_save(fr_file_salvage *job)
{
    size_t same = 0;
    for (size_t i = 0; i < FR_SAVE_MAGIC_BYTES && i < job->size; i++) {
        same += job->bytes[i] == (uint8_t)FR_SAVE_MAGIC[i];
    }
    return same >= MAGIC_LEAST || fr_file_has_header(job);
}

static void salvage_parts_of(fr_file_salvage *job, firn_buffer *out)
{
    firn_error why;
    if (!looks_like_save(job)) {
        fr_file_note(job, fr_file_refuse(job->bytes, job->size, &why), &why);
        return;
    }
    fr_file_left_header(job);
    if (job->result == FIRN_OK) {
        fr_file_left_sections(job);
    }
    if (job->result == FIRN_OK) {
        mend_sections(job);
    }
    if (job->result == FIRN_OK && job->summary.losses == 0) {
        fr_file_tell(job, &(firn_loss){.kind = FIRN_LOSS_HEADER, .offset = 0}, "head",
                     "the head of the file was damaged: a field of it may be wrong");
    }
    if (job->result == FIRN_OK) {
        write_left_file(job, out);
    }
}

static firn_result salvage_damaged(fr_file_salvage *job, firn_buffer *out)
{
    const fr_file_settings *settings = &job->settings;
    const firn_save_file_options reading = {.limits = &settings->limits,
                                            .allocator = &settings->allocator};
    if (job->options->backup != NULL) {
        // One that is damaged as well is of no use.
        job->backup = firn_save_file_open(job->options->backup, job->options->backup_size, &reading,
                                          &job->error);
    }
    firn_buffer_init(&job->snapshot, &settings->allocator);
    job->doc = firn_doc_create(&settings->allocator, &settings->limits, &job->error);
    if (job->doc == NULL || (job->backup == NULL && job->error.code == FIRN_NO_MEMORY)) {
        job->result = FIRN_NO_MEMORY;
    } else {
        salvage_parts_of(job, out);
    }
    for (uint32_t i = 0; i < job->count; i++) {
        fr_free(&settings->allocator, job->sections[i].expanded, (size_t)job->sections[i].size, 1,
                FR_CACHE_LINE);
    }
    firn_buffer_free(&job->snapshot);
    firn_doc_destroy(job->doc);
    firn_save_file_close(job->backup);
    return job->result;
}

static firn_result keep_whole(const fr_file_salvage *job, firn_save_file *file, firn_buffer *out,
                              firn_salvage_summary *summary, firn_error *err)
{
    const void *snapshot;
    size_t size;
    firn_error why;
    *summary =
        (firn_salvage_summary){.whole = true, .sections = firn_save_file_section_count(file)};
    firn_result result =
        firn_save_file_section(file, FIRN_SECTION_SNAPSHOT, &snapshot, &size, &why);
    if (result == FIRN_OK) {
        result = count_snapshot(&job->settings, job->options, snapshot, size, summary, err);
    } else if (result == FIRN_NO_MEMORY) {
        fr_fail_copy(err, &why);
    }
    return result == FIRN_NO_MEMORY ? result : firn_buffer_append(out, job->bytes, job->size, err);
}

firn_result firn_save_file_salvage(const void *bytes, size_t size,
                                   const firn_salvage_options *options, firn_loss_fn each,
                                   void *user, firn_buffer *out, firn_salvage_summary *summary,
                                   firn_error *err)
{
    const firn_salvage_options defaults = {0};
    firn_salvage_summary own;
    if (bytes == NULL || out == NULL) {
        const char *what = bytes == NULL ? "bytes" : "out";
        return fr_fail(err, FIRN_INVALID, what, "%s is NULL", what);
    }
    fr_file_salvage job = {.bytes = bytes,
                           .size = size,
                           .options = options != NULL ? options : &defaults,
                           .each = each,
                           .user = user};
    const firn_save_file_options opening = {.limits = job.options->limits,
                                            .allocator = job.options->allocator,
                                            .compression = job.options->compression};
    firn_result result =
        fr_check_reserved(job.options->reserved, "firn_salvage_options.reserved", err);
    if (result == FIRN_OK) {
        result = fr_file_settings_make(&job.settings, &opening, err);
    }
    if (result == FIRN_OK && size > job.settings.limits.file_bytes) {
        result = fr_fail(err, FIRN_LIMIT, "file", "the save has %zu bytes, above the limit %llu",
                         size, (unsigned long long)job.settings.limits.file_bytes);
    }
    if (result != FIRN_OK) {
        return result;
    }
    firn_error why;
    firn_save_file *file = firn_save_file_open(bytes, size, &opening, &why);
    summary = summary != NULL ? summary : &own;
    if (file != NULL) {
        result = keep_whole(&job, file, out, summary, err);
        firn_save_file_close(file);
        return result;
    }
    if (why.code == FIRN_NO_MEMORY || why.code == FIRN_VERSION) {
        return fr_fail_copy(err, &why);
    }
    result = salvage_damaged(&job, out);
    *summary = job.summary;
    return result == FIRN_OK ? FIRN_OK : fr_fail_copy(err, &job.error);
}
