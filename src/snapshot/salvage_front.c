// The front of a damaged image: numbers that can be counted anew, and the component table, without
// which no frame can be read.
#include <stdio.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/utf8.h"
#include "snapshot/format.h"
#include "snapshot/salvage.h"

// Names that are made up, at most: with more there is no table.
#define MADE_NAMES_MOST 64
// A number as firn writes it.
#define NUMBER_BYTES 9

static const char *const said_names[] = {"version", "nextEntityId", "entityCount", "archetypeCount",
                                         "componentCount"};

// ---- numbers

static void step_over_number(fr_in *in)
{
    in->at += fr_in_left(in) < NUMBER_BYTES ? fr_in_left(in) : NUMBER_BYTES;
}

// One after the other; `fixed`: each takes 9 bytes, as firn writes them. Returns how many are
// numbers.
static int read_said(fr_salvage *job, bool fixed, fr_in *in)
{
    int numbers = 0;
    fr_in_begin(in, job->image.bytes, job->image.size);
    for (int i = 0; i < 5; i++) {
        const uint8_t *at = in->at;
        bool good = fr_in_encoded_number(in, "number", &job->said[i], NULL) == FIRN_OK &&
                    (!fixed || in->at - at == NUMBER_BYTES);
        if (!good) {
            job->said[i] = -1;
            in->at = at;
            step_over_number(in);
        }
        numbers += good;
    }
    return numbers;
}

static bool said_count(const fr_salvage *job, int which, uint64_t most, uint32_t *out)
{
    double number = job->said[which];
    bool good = number >= 0 && number <= (double)most && number == (double)(uint32_t)number;
    *out = good ? (uint32_t)number : 0;
    return good;
}

static void tell_counted(fr_salvage *job, int which)
{
    fr_salvage_tell(job, &(firn_loss){.kind = FIRN_LOSS_NUMBER, .offset = FIRN_NO_OFFSET},
                    said_names[which], "%s of the prelude is damaged: it was counted anew",
                    said_names[which]);
}

// What they say that can be: ids lie below nextEntityId, which is above entityCount.
static void judge_numbers(fr_salvage *job)
{
    fr_image *image = &job->image;
    firn_salvage_summary *summary = &job->summary;
    uint32_t version, slots, most = image->limits.entities;
    uint64_t room = image->size / FR_ID_BYTES;
    bool entities =
        said_count(job, FR_SAID_ENTITIES, most < room ? most : room, &summary->entities_said);
    bool known = said_count(job, FR_SAID_SLOTS, (uint64_t)most + 1, &slots) && slots > 0 &&
                 slots > summary->entities_said;
    if (!said_count(job, FR_SAID_VERSION, FR_WIRE_VERSION_2, &version) || version == 0) {
        version = FR_WIRE_VERSION;
        tell_counted(job, FR_SAID_VERSION);
    }
    image->prelude.version = version;
    if (!known) {
        tell_counted(job, FR_SAID_SLOTS);
    }
    if (!entities) {
        tell_counted(job, FR_SAID_ENTITIES);
    }
    if (!said_count(job, FR_SAID_FRAMES, image->size / FR_FRAME_BYTES_MIN, &summary->frames_said)) {
        tell_counted(job, FR_SAID_FRAMES);
    }
    job->slots = known ? slots : most + 1;
    job->slots_known = known;
}

// ---- the component table

// Instead of a name that is none.
static firn_result make_up_name(fr_salvage *job, uint32_t index, firn_error *err)
{
    fr_image *image = &job->image;
    fr_entry *entry = &image->entries[index];
    if (job->names == NULL) {
        job->names = fr_alloc(&image->allocator, MADE_NAMES_MOST, sizeof *job->names, 1);
        job->name_room = job->names != NULL ? MADE_NAMES_MOST : 0;
    }
    if (job->names == NULL) {
        return fr_fail_memory(err, "names");
    }
    char shown[256];
    fr_printable(shown, sizeof shown, entry->name, entry->name_size);
    if (job->name_count == MADE_NAMES_MOST) {
        return fr_fail_at(err, FIRN_CORRUPT, entry->offset, "component name",
                          "the component table cannot be read: too many names are damaged, like %s",
                          shown);
    }
    char *name = job->names[job->name_count++].text;
    entry->name_size = (uint32_t)snprintf(name, sizeof(fr_made_name), "lost.%u", index + 1);
    entry->name = name;
    fr_salvage_tell(job, &(firn_loss){.kind = FIRN_LOSS_NAME, .offset = entry->offset, .count = 1},
                    name, "component %u has a damaged name, %s: it is called %s now", index + 1,
                    shown, name);
    return job->result;
}

static firn_result fail_table(const firn_error *why, firn_error *err)
{
    return fr_fail_at(err, FIRN_CORRUPT, why->offset, "component table",
                      "the component table cannot be read, and without it no frame: %s",
                      why->message);
}

static firn_result read_left_entry(fr_salvage *job, fr_in *in, firn_error *err)
{
    fr_image *image = &job->image;
    uint32_t index = image->prelude.component_count;
    firn_error why;
    size_t size;
    if (index >= image->limits.table_entries) {
        return fr_fail_at(err, FIRN_LIMIT, fr_in_offset(in), "component table",
                          "more than %u components: the limit", image->limits.table_entries);
    }
    if (!FR_RESERVE(&image->allocator, image->entries, image->entry_capacity, index + 1)) {
        return fr_fail_memory(err, "component table");
    }
    fr_entry *entry = &image->entries[index];
    *entry = (fr_entry){.first_column = FR_NO_COLUMN,
                        .last_column = FR_NO_COLUMN,
                        .offset = (size_t)fr_in_offset(in)};
    if (fr_in_encoded_string(in, "component name", UINT32_MAX, &entry->name, &size, &why) !=
        FIRN_OK) {
        return fail_table(&why, err);
    }
    entry->name_size = (uint32_t)size;
    image->prelude.component_count++;
    bool is_name =
        fr_check_name(entry->name, size, image->limits.name_bytes, "name", NULL) == FIRN_OK;
    firn_result result = is_name ? FIRN_OK : make_up_name(job, index, err);
    if (result != FIRN_OK || (fr_in_left(in) > 0 && *in->at == FR_TAG_NIL)) {
        in->at += result == FIRN_OK;
        return result;
    }
    if (fr_in_encoded_string(in, "fingerprint", UINT32_MAX, &entry->fingerprint, &size, &why) !=
        FIRN_OK) {
        return fail_table(&why, err);
    }
    entry->fingerprint_size = (uint32_t)size;
    return fr_entry_schema(entry, &image->allocator, &image->limits, err);
}

// Frames begin with a number, the data with a boolean, and names are strings.
static bool is_name_next(const fr_in *in)
{
    return fr_in_left(in) > 0 && *in->at >= FR_TAG_STRING;
}

static void forget_table(fr_salvage *job)
{
    fr_image *image = &job->image;
    for (uint32_t i = 0; i < image->prelude.component_count; i++) {
        fr_schema_free(&image->allocator, &image->entries[i].schema);
    }
    image->prelude.component_count = job->name_count = 0;
}

// As many entries as there are, at most `most`.
static firn_result read_left_table(fr_salvage *job, fr_in in, uint32_t most, firn_error *err)
{
    forget_table(job);
    firn_result result = FIRN_OK;
    while (result == FIRN_OK && job->image.prelude.component_count < most && is_name_next(&in)) {
        result = read_left_entry(job, &in, err);
    }
    job->image.frames_at = (size_t)fr_in_offset(&in);
    return result;
}

static bool table_ends(const fr_salvage *job, firn_result result)
{
    size_t at = job->image.frames_at;
    return result == FIRN_OK && at < job->image.size && job->image.bytes[at] < FR_TAG_TABLE &&
           job->image.bytes[at] != FR_TAG_NIL;
}

// As many components as componentCount says, or else as there are strings.
static firn_result read_counted_table(fr_salvage *job, const fr_in *in, firn_error *err)
{
    uint32_t said;
    bool is_said = said_count(job, FR_SAID_COMPONENTS, job->image.limits.table_entries, &said);
    bool tells = job->telling;
    job->telling = false;
    firn_result counted = is_said ? read_left_table(job, *in, said, NULL) : FIRN_CORRUPT;
    bool good = job->image.prelude.component_count == said && table_ends(job, counted);
    firn_result strings = good ? FIRN_OK : read_left_table(job, *in, UINT32_MAX, NULL);
    bool found = good || table_ends(job, strings);
    job->telling = tells;
    if (counted == FIRN_NO_MEMORY || strings == FIRN_NO_MEMORY) {
        return fr_fail_memory(err, "component table");
    }
    if (!good && found) {
        tell_counted(job, FR_SAID_COMPONENTS);
    }
    // Once more, with what is to be told. Where neither ends well, the count is believed.
    return read_left_table(job, *in, good || (!found && is_said) ? said : UINT32_MAX, err);
}

// Of two components with one name the later one has another.
static firn_result sort_left_table(fr_salvage *job, firn_error *err)
{
    fr_image *image = &job->image;
    firn_result result;
    firn_error why;
    while ((result = fr_image_sort_table(image, &why)) == FIRN_CORRUPT) {
        uint32_t i = 1;
        while (fr_compare_entries(image->by_name[i - 1], image->by_name[i]) != 0) {
            i++;
        }
        const fr_entry *a = image->by_name[i - 1], *b = image->by_name[i];
        result = make_up_name(job, (uint32_t)((a > b ? a : b) - image->entries), err);
        fr_free(&image->allocator, image->by_name, image->prelude.component_count,
                sizeof *image->by_name, sizeof(void *));
        image->by_name = NULL;
        if (result != FIRN_OK) {
            return result;
        }
    }
    return result == FIRN_OK ? FIRN_OK : fr_fail_copy(err, &why);
}

firn_result fr_salvage_front(fr_salvage *job, firn_error *err)
{
    fr_in in;
    bool tells = job->telling;
    if (read_said(job, false, &in) < 3) {
        return fr_fail_at(err, FIRN_NOT_OURS, 0, "prelude",
                          "the bytes do not begin with the numbers of a snapshot");
    }
    job->telling = false;
    firn_result result = read_counted_table(job, &in, NULL);
    if (result != FIRN_NO_MEMORY && !table_ends(job, result) && read_said(job, true, &in) >= 3) {
        result = read_counted_table(job, &in, NULL);
    }
    if (!table_ends(job, result)) {
        (void)read_said(job, false, &in);
    }
    job->telling = tells;
    if (result == FIRN_NO_MEMORY) {
        return fr_fail_memory(err, "component table");
    }
    judge_numbers(job);
    result = job->result == FIRN_OK ? read_counted_table(job, &in, err) : job->result;
    return result == FIRN_OK ? sort_left_table(job, err) : result;
}
