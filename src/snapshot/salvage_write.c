// The image that is made of what is left.
#include "base/utf8.h"
#include "buffer/bytes.h"
#include "snapshot/format.h"
#include "snapshot/image_write.h"
#include "snapshot/salvage.h"
#include "value/check.h"

typedef struct left_writer {
    fr_salvage *job;
    fr_out out;
} left_writer;

static void write_table(left_writer *writer)
{
    const fr_salvage *job = writer->job;
    const fr_image *image = &job->image;
    const fr_front front = {.wire_version = image->prelude.version,
                            .next_slot = image->prelude.next_slot,
                            .entities = job->summary.entities,
                            .frames = job->summary.frames,
                            .components = job->numbered};
    fr_write_front(&writer->out, &front);
    for (uint32_t i = 0; i < image->prelude.component_count; i++) {
        const fr_entry *entry = &image->entries[i];
        if (job->numbers[i] == 0) {
            continue;
        }
        // A fingerprint stands exactly where columns are raw.
        fr_write_entry(&writer->out, entry->name, entry->name_size, entry->fingerprint,
                       entry->raw ? entry->fingerprint_size : 0);
    }
}

// ---- frames

static bool is_whole_frame(const fr_salvage *job, const fr_left_frame *frame)
{
    return frame->kept == frame->said_rows && frame->columns == frame->said_columns &&
           !frame->thinned && job->numbered == job->image.prelude.component_count;
}

// Its number in the table that is written; 0: it is left out.
static uint32_t column_number(const fr_salvage *job, const fr_left_frame *frame, uint32_t column)
{
    return job->numbers[job->image.spans[frame->first_span + column].entry];
}

static void write_left_head(left_writer *writer, const fr_left_frame *frame)
{
    uint32_t columns = 0;
    for (uint32_t i = 0; i < frame->columns; i++) {
        columns += column_number(writer->job, frame, i) > 0;
    }
    fr_write_frame_head(&writer->out, columns, frame->kept);
    for (uint32_t i = 0; i < frame->columns; i++) {
        uint32_t number = column_number(writer->job, frame, i);
        if (number > 0) {
            fr_write_frame_number(&writer->out, number);
        }
    }
    fr_write_frame_number(&writer->out, frame->by_row ? FR_MODE_ROWS : FR_MODE_COLUMNS);
}

// The rows that are kept, of `stride` bytes each.
static void write_plain_rows(left_writer *writer, const fr_left_frame *frame, const uint8_t *bytes,
                             size_t stride)
{
    for (uint32_t row = 0; row < frame->rows; row++) {
        if (!fr_salvage_is_gone(writer->job, frame, row)) {
            fr_out_bytes(&writer->out, bytes + row * stride, stride);
        }
    }
}

static void tell_value(fr_salvage *job, const fr_entry *entry, firn_entity entity, size_t offset)
{
    char name[256];
    fr_printable(name, sizeof name, entry->name, entry->name_size);
    fr_salvage_tell(
        job, &(firn_loss){.kind = FIRN_LOSS_VALUE, .offset = offset, .count = 1, .entity = entity},
        name, "%s of entity %llu is lost: no world can have the value", name,
        (unsigned long long)entity);
}

static void write_left_values(left_writer *writer, const fr_left_frame *frame, uint32_t column)
{
    fr_salvage *job = writer->job;
    const fr_image *image = &job->image;
    const fr_span *span = &image->spans[frame->first_span + column];
    fr_in in;
    fr_in_begin(&in, image->bytes, image->size);
    in.at = span->bytes;
    for (uint32_t row = 0; row < frame->rows; row++) {
        const uint8_t *at = in.at;
        fr_salvage_step_value(job, frame, column, row, &in);
        if (fr_salvage_is_gone(job, frame, row)) {
            continue;
        }
        firn_entity id =
            (firn_entity)fr_load_f64(image->bytes + frame->body + (size_t)row * FR_ID_BYTES);
        if (frame->thinned && fr_salvage_avoids(job, id, span->entry)) {
            tell_value(job, &image->entries[span->entry], id, (size_t)(at - image->bytes));
            fr_out_u8(&writer->out, FR_TAG_NIL);
        } else {
            fr_out_bytes(&writer->out, at, (size_t)(in.at - at));
        }
    }
}

static void write_columns(left_writer *writer, const fr_left_frame *frame)
{
    const fr_image *image = &writer->job->image;
    write_plain_rows(writer, frame, image->bytes + frame->body, FR_ID_BYTES);
    for (uint32_t i = 0; i < frame->columns; i++) {
        const fr_span *span = &image->spans[frame->first_span + i];
        const fr_entry *entry = &image->entries[span->entry];
        if (column_number(writer->job, frame, i) == 0) {
            continue;
        }
        if (entry->raw) {
            write_plain_rows(writer, frame, span->bytes, entry->schema.size);
        } else {
            write_left_values(writer, frame, i);
        }
    }
}

static void write_left_rows(left_writer *writer, const fr_left_frame *frame)
{
    const fr_image *image = &writer->job->image;
    fr_in in;
    double id;
    firn_error why;
    fr_in_begin(&in, image->bytes, image->size);
    in.at += frame->body;
    for (uint32_t row = 0; row < frame->rows; row++) {
        const uint8_t *at = in.at;
        if (frame->hole_column != FR_NO_COLUMN && row == frame->hole_row) {
            in.at = image->bytes + frame->hole + frame->hole_size;
        } else {
            (void)fr_salvage_step_row(writer->job, frame, &in, &id, &why); // was walked before
        }
        if (!fr_salvage_is_gone(writer->job, frame, row)) {
            fr_out_bytes(&writer->out, at, (size_t)(in.at - at));
        }
    }
}

static void write_left_frame(left_writer *writer, const fr_left_frame *frame)
{
    const fr_image *image = &writer->job->image;
    if (is_whole_frame(writer->job, frame)) {
        fr_out_bytes(&writer->out, image->bytes + frame->offset, frame->end - frame->offset);
        return;
    }
    write_left_head(writer, frame);
    if (frame->by_row) {
        write_left_rows(writer, frame);
    } else {
        write_columns(writer, frame);
    }
}

// ---- data

static bool is_key(const fr_datum *datum, const char *key)
{
    return datum->key_size == strlen(key) && memcmp(datum->key, key, datum->key_size) == 0;
}

static void write_value_of(left_writer *writer, const char *key, const firn_buffer *value)
{
    fr_write_data_key(&writer->out, key, strlen(key));
    fr_out_bytes(&writer->out, value->data, value->size);
}

// Where the image has no list, but entities were lost, no slot is free: nothing is known of them.
static void write_free_list(left_writer *writer, bool there, firn_buffer *scratch)
{
    fr_salvage *job = writer->job;
    uint64_t lost = 0;
    firn_buffer_clear(scratch);
    if (there) {
        fr_salvage_free_list(job, scratch, &lost);
    } else if (firn_buffer_append(scratch, "\x08", 1, &job->error) != FIRN_OK) { // an empty table
        fr_salvage_no_memory(job);
    }
    if (lost > 0) {
        fr_salvage_tell(job,
                        &(firn_loss){.kind = FIRN_LOSS_IDS,
                                     .offset = job->image.world.free_value,
                                     .size = job->image.world.free_size,
                                     .count = lost},
                        FR_KEY_FREE, "%llu freed ids are lost: they do not come again",
                        (unsigned long long)lost);
    }
    write_value_of(writer, FR_KEY_FREE, scratch);
}

static void write_left_order(left_writer *writer, const fr_image *kept, const fr_datum *datum,
                             firn_buffer *scratch)
{
    bool outer = is_key(datum, FR_KEY_OUTER);
    uint32_t lists = 0;
    firn_buffer_clear(scratch);
    fr_salvage_order(writer->job, kept, datum, outer, scratch, &lists);
    if (lists > 0) {
        write_value_of(writer, outer ? FR_KEY_OUTER : FR_KEY_ORDER, scratch);
    }
}

static void write_left_data(left_writer *writer, const fr_image *kept)
{
    fr_salvage *job = writer->job;
    const fr_image *image = &job->image;
    firn_buffer scratch;
    firn_buffer_init(&scratch, &image->allocator);
    bool lost = job->summary.entities < job->summary.entities_said || job->summary.losses > 0;
    if (!image->world.has_free && lost) {
        write_free_list(writer, false, &scratch);
    }
    for (uint32_t i = 0; i < image->data_count && job->result == FIRN_OK; i++) {
        const fr_datum *datum = &image->data[i];
        if (is_key(datum, FR_KEY_FREE)) {
            write_free_list(writer, true, &scratch);
        } else if (is_key(datum, FR_KEY_ORDER) || is_key(datum, FR_KEY_OUTER)) {
            write_left_order(writer, kept, datum, &scratch);
        } else {
            fr_write_data_key(&writer->out, datum->key, datum->key_size);
            fr_out_bytes(&writer->out, image->bytes + datum->offset, datum->size);
        }
    }
    firn_buffer_free(&scratch);
}

// ---- all of it

static void note_write_failure(fr_salvage *job, firn_result result, const firn_error *why)
{
    if (result != FIRN_OK && job->result == FIRN_OK) {
        job->result = result;
        job->error = *why;
    }
}

// What is kept, opened: the orders of sources are about it.
static bool open_kept(fr_salvage *job, const firn_buffer *out, size_t start, fr_image *kept)
{
    const fr_image *image = &job->image;
    firn_error why;
    firn_result result = fr_image_open(kept, out->data + start, out->size - start, &image->limits,
                                       &image->allocator, false, NULL, NULL, &why);
    note_write_failure(job, result, &why);
    return result == FIRN_OK;
}

void fr_salvage_write(fr_salvage *job, firn_buffer *out)
{
    left_writer writer = {.job = job};
    size_t start = out->size;
    firn_error why;
    fr_image kept;
    fr_out_begin(&writer.out, out, NULL);
    write_table(&writer);
    for (uint32_t i = 0; i < job->frame_count; i++) {
        if (job->frames[i].kept > 0) {
            write_left_frame(&writer, &job->frames[i]);
        }
    }
    fr_write_data_end(&writer.out);
    note_write_failure(job, fr_out_end(&writer.out, &why), &why);
    if (job->result != FIRN_OK || !open_kept(job, out, start, &kept)) {
        return;
    }
    firn_buffer data;
    firn_buffer_init(&data, &job->image.allocator);
    fr_out_begin(&writer.out, &data, NULL);
    write_left_data(&writer, &kept);
    fr_write_data_end(&writer.out);
    note_write_failure(job, fr_out_end(&writer.out, &why), &why);
    fr_image_close(&kept);
    out->size--; // the end of the data section, which comes now
    if (job->result == FIRN_OK) {
        note_write_failure(job, firn_buffer_append(out, data.data, data.size, &why), &why);
    }
    firn_buffer_free(&data);
}
