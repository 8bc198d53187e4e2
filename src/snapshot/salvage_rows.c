// Which rows of a damaged image are kept: those whose id is one, and not there before.
#include "base/alloc.h"
#include "base/map.h"
#include "base/utf8.h"
#include "buffer/bytes.h"
#include "snapshot/format.h"
#include "snapshot/salvage.h"
#include "store/entity_index.h"
#include "value/check.h"

// A row on its way.
typedef struct left_row {
    uint32_t row;
    double id;
    size_t offset; ///< of its id
} left_row;

static void tell_row(fr_salvage *job, const left_row *row, const char *subject, const char *why)
{
    bool is_id = fr_salvage_is_id(job, row->id);
    firn_entity entity = is_id ? (firn_entity)row->id : 0;
    firn_loss loss = {
        .kind = FIRN_LOSS_ENTITY, .offset = row->offset, .count = 1, .entity = entity};
    if (is_id) {
        fr_salvage_tell(job, &loss, subject, "entity %llu is lost: %s", (unsigned long long)entity,
                        why);
    } else {
        fr_salvage_tell(job, &loss, subject, "an entity is lost: %s", why);
    }
}

// The component of the value that could not be read.
static void hole_name(const fr_salvage *job, const fr_left_frame *frame, char name[256])
{
    const fr_image *image = &job->image;
    name[0] = '\0';
    if (!frame->by_row) {
        const fr_entry *entry =
            &image->entries[image->spans[frame->first_span + frame->hole_column].entry];
        fr_printable(name, 256, entry->name, entry->name_size);
    }
}

static bool has_bad_bool(const fr_salvage *job, const fr_left_frame *frame, uint32_t row,
                         char name[256])
{
    const fr_image *image = &job->image;
    for (uint32_t i = 0; !frame->by_row && i < frame->columns; i++) {
        const fr_span *span = &image->spans[frame->first_span + i];
        const fr_entry *entry = &image->entries[span->entry];
        size_t bad;
        uint32_t field;
        if (entry->raw &&
            !fr_schema_check_rows(&entry->schema, span->bytes + (size_t)row * entry->schema.size, 1,
                                  &bad, &field)) {
            fr_printable(name, 256, entry->name, entry->name_size);
            return true;
        }
    }
    return false;
}

bool fr_salvage_avoids(const fr_salvage *job, firn_entity entity, uint32_t entry)
{
    uint32_t cursor = UINT32_MAX, place;
    while ((place = fr_map_next(&job->avoid->values, entity, &cursor)) != FR_MAP_NONE) {
        if (place == entry) {
            return true;
        }
    }
    return false;
}

// Rows that lie one by one are kept as they are, or not.
static bool must_go(const fr_salvage *job, const fr_left_frame *frame, firn_entity entity)
{
    bool goes = frame->by_row && fr_map_get(&job->avoid->values, entity) != FR_MAP_NONE;
    for (uint32_t i = 0; !goes && frame->by_row && i < frame->columns; i++) {
        goes = job->numbers[job->image.spans[frame->first_span + i].entry] == 0;
    }
    return goes || fr_map_get(&job->avoid->ids, entity) != FR_MAP_NONE;
}

// Whether it is kept; takes its slot.
static bool is_kept(fr_salvage *job, const fr_left_frame *frame, const left_row *row)
{
    char name[256] = "";
    const char *why = NULL;
    if (frame->hole_column != FR_NO_COLUMN && row->row == frame->hole_row) {
        hole_name(job, frame, name);
        why = "a value of it cannot be read";
    } else if (!fr_salvage_is_id(job, row->id)) {
        why = "its id is none that the image can have";
    } else if (frame->doubtful && has_bad_bool(job, frame, row->row, name)) {
        why = "a bool of it is neither 0 nor 1";
    } else if (must_go(job, frame, (firn_entity)row->id)) {
        why = "no world can have a value of it";
    } else {
        firn_result result =
            fr_image_check_slot(&job->image, (uint64_t)row->id, row->offset, "ids", NULL);
        if (result == FIRN_NO_MEMORY) {
            fr_salvage_no_memory(job);
        }
        why = result == FIRN_OK ? NULL : "its slot has another one already";
    }
    if (why != NULL) {
        tell_row(job, row, name, why);
    }
    return why == NULL;
}

static void note_row(fr_salvage *job, fr_left_frame *frame, const left_row *row)
{
    if (is_kept(job, frame, row)) {
        uint32_t slot = fr_slot((uint64_t)row->id);
        job->top_slot = slot > job->top_slot ? slot : job->top_slot;
        frame->kept++;
        frame->thinned |= fr_map_get(&job->avoid->values, (uint64_t)row->id) != FR_MAP_NONE;
        return;
    }
    size_t bit = frame->first_bit + row->row;
    job->gone[bit / 8] |= (uint8_t)(1u << bit % 8);
}

static void judge_rows(fr_salvage *job, fr_left_frame *frame)
{
    fr_in in;
    firn_error why;
    fr_in_begin(&in, job->image.bytes, job->image.size);
    in.at += frame->body;
    for (uint32_t i = 0; i < frame->rows && job->result == FIRN_OK; i++) {
        left_row row = {.row = i, .id = 0, .offset = (size_t)fr_in_offset(&in)};
        if (!frame->by_row) {
            row.id = fr_load_f64(in.at);
            in.at += FR_ID_BYTES;
        } else if (frame->hole_column != FR_NO_COLUMN && i == frame->hole_row) {
            (void)fr_in_encoded_number(&in, "ids", &row.id, NULL);
            in.at = job->image.bytes + frame->hole + frame->hole_size;
        } else {
            (void)fr_salvage_step_row(job, frame, &in, &row.id, &why); // it was walked before
        }
        note_row(job, frame, &row);
    }
}

// Where nextEntityId cannot be read it is behind all slots that are known.
static void count_slots(fr_salvage *job)
{
    fr_free_walk walk;
    uint64_t id;
    if (job->image.world.has_free) {
        fr_free_begin(&walk, &job->image);
        while (fr_free_next(&walk, &id)) {
            bool good = id < (uint64_t)FR_ID_END && fr_salvage_is_id(job, (double)id);
            job->top_slot = good && fr_slot(id) > job->top_slot ? fr_slot(id) : job->top_slot;
        }
    }
    job->image.prelude.next_slot = job->top_slot + 1;
}

// The numbers of the components that are written.
static void number_components(fr_salvage *job)
{
    uint32_t count = job->image.prelude.component_count;
    job->numbers = fr_alloc_zero(&job->image.allocator, (size_t)count + 1, sizeof *job->numbers,
                                 sizeof *job->numbers);
    job->numbers_size = job->numbers != NULL ? count + 1 : 0;
    if (job->numbers == NULL) {
        fr_salvage_no_memory(job);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (fr_map_get(&job->avoid->columns, i) == FR_MAP_NONE) {
            job->numbers[i] = ++job->numbered;
        }
    }
}

static void tell_columns(fr_salvage *job)
{
    fr_image *image = &job->image;
    if (job->avoid->columns.count == 0) {
        return;
    }
    for (uint32_t i = 0; i < image->prelude.component_count; i++) {
        image->entries[i].rows = 0;
    }
    for (uint32_t i = 0; i < job->frame_count; i++) {
        const fr_left_frame *frame = &job->frames[i];
        for (uint32_t k = 0; k < frame->columns; k++) {
            image->entries[image->spans[frame->first_span + k].entry].rows += frame->kept;
        }
    }
    for (uint32_t i = 0; i < image->prelude.component_count; i++) {
        const fr_entry *entry = &image->entries[i];
        char name[256];
        if (job->numbers[i] == 0) {
            fr_printable(name, sizeof name, entry->name, entry->name_size);
            fr_salvage_tell(job,
                            &(firn_loss){.kind = FIRN_LOSS_COLUMNS,
                                         .offset = entry->offset,
                                         .count = entry->rows},
                            name, "%s is lost, of %llu entities: no world can have it", name,
                            (unsigned long long)entry->rows);
        }
    }
}

void fr_salvage_rows(fr_salvage *job)
{
    fr_image *image = &job->image;
    size_t rows = 0;
    for (uint32_t i = 0; i < job->frame_count; i++) {
        job->frames[i].first_bit = rows;
        rows += job->frames[i].rows;
    }
    number_components(job);
    image->prelude.next_slot = job->slots;
    image->prelude.entity_count = (uint32_t)rows; // each takes 8 bytes
    job->gone_size = rows / 8 + 1;
    job->gone = fr_alloc_zero(&image->allocator, job->gone_size, 1, 1);
    if (job->numbers == NULL || job->gone == NULL || fr_image_make_slots(image, NULL) != FIRN_OK) {
        fr_salvage_no_memory(job);
        return;
    }
    if (image->slots != NULL) {
        memset(image->slots, 0, image->slot_bytes);
    }
    for (uint32_t i = 0; i < job->frame_count && job->result == FIRN_OK; i++) {
        judge_rows(job, &job->frames[i]);
        job->summary.frames += job->frames[i].kept > 0;
        job->summary.entities += job->frames[i].kept;
    }
    tell_columns(job);
    if (!job->slots_known) {
        count_slots(job);
    }
}

void fr_salvage_step_value(const fr_salvage *job, const fr_left_frame *frame, uint32_t column,
                           uint32_t row, fr_in *in)
{
    if (column == frame->hole_column && row == frame->hole_row) {
        in->at = job->image.bytes + frame->hole + frame->hole_size;
        return;
    }
    (void)fr_value_check_next(in, &job->image.limits, NULL); // it was walked before
}
