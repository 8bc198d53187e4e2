#include "snapshot/image_write.h"

#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "buffer/bytes.h"
#include "snapshot/format.h"

// ---- parts

void fr_write_front(fr_out *out, const fr_front *front)
{
    fr_out_encoded_number(out, front->wire_version);
    fr_out_encoded_number(out, front->next_slot);
    fr_out_encoded_number(out, front->entities);
    fr_out_encoded_number(out, front->frames);
    fr_out_encoded_number(out, front->components);
}

void fr_write_entry(fr_out *out, const char *name, size_t name_size, const char *fingerprint,
                    size_t fingerprint_size)
{
    fr_out_encoded_string(out, name, name_size);
    fr_out_encoded_string(out, fingerprint, fingerprint_size);
}

void fr_write_frame_head(fr_out *out, uint32_t columns, uint32_t rows)
{
    fr_out_encoded_number(out, columns);
    fr_out_encoded_number(out, rows);
}

void fr_write_frame_number(fr_out *out, uint32_t number)
{
    fr_out_encoded_number(out, number);
}

void fr_write_data_key(fr_out *out, const char *key, size_t size)
{
    fr_out_encoded_bool(out, true);
    fr_out_encoded_string(out, key, size);
}

void fr_write_world_entry(fr_out *out, const char *name, size_t size, uint64_t tick)
{
    fr_write_data_key(out, FR_KEY_WORLD, strlen(FR_KEY_WORLD));
    fr_out_u8(out, FR_TAG_TABLE + 1);
    fr_out_count(out, size > 0 ? 2 : 1);
    if (size > 0) {
        fr_out_encoded_string(out, "name", 4);
        fr_out_encoded_string(out, name, size);
    }
    fr_out_encoded_string(out, "tick", 4);
    fr_out_encoded_number(out, (double)tick);
}

void fr_write_data_end(fr_out *out)
{
    fr_out_encoded_bool(out, false);
}

// ---- rows

void fr_row_writer_begin(fr_row_writer *writer, fr_out *out, const firn_allocator *allocator)
{
    *writer = (fr_row_writer){.out = out, .allocator = allocator};
    firn_buffer_init(&writer->ids, allocator);
}

void fr_row_writer_end(fr_row_writer *writer)
{
    for (uint32_t i = 0; i < writer->capacity; i++) {
        firn_buffer_free(&writer->columns[i]);
    }
    FR_ARRAY_FREE(writer->allocator, writer->columns, writer->capacity);
    firn_buffer_free(&writer->ids);
}

firn_result fr_row_writer_frame(fr_row_writer *writer, uint32_t columns, uint32_t rows, bool by_row,
                                firn_error *err)
{
    uint32_t had = writer->capacity;
    if (!FR_RESERVE(writer->allocator, writer->columns, writer->capacity, columns)) {
        return fr_fail_memory(err, "columns");
    }
    for (uint32_t i = had; i < writer->capacity; i++) {
        firn_buffer_init(&writer->columns[i], writer->allocator);
    }
    for (uint32_t i = 0; i < columns; i++) {
        firn_buffer_clear(&writer->columns[i]);
    }
    firn_buffer_clear(&writer->ids);
    writer->count = columns;
    writer->rows = rows;
    writer->by_row = by_row;
    return FIRN_OK;
}

firn_result fr_row_writer_row(fr_row_writer *writer, firn_entity id, firn_error *err)
{
    writer->id = id;
    writer->mask = 0;
    if (writer->by_row) {
        return FIRN_OK;
    }
    uint8_t bytes[FR_ID_BYTES];
    fr_store_f64(bytes, (double)id);
    return firn_buffer_append(&writer->ids, bytes, sizeof bytes, err);
}

firn_buffer *fr_row_writer_cell(fr_row_writer *writer, uint32_t column)
{
    if (writer->by_row) {
        writer->mask |= UINT64_C(1) << column;
    }
    return &writer->columns[column];
}

static void flush_cells(fr_row_writer *writer)
{
    fr_out_encoded_number(writer->out, (double)writer->id);
    fr_out_encoded_number(writer->out, (double)writer->mask);
    for (uint32_t i = 0; i < writer->count; i++) {
        fr_out_bytes(writer->out, writer->columns[i].data, writer->columns[i].size);
        firn_buffer_clear(&writer->columns[i]);
    }
}

static void flush_columns(fr_row_writer *writer)
{
    fr_out_bytes(writer->out, writer->ids.data, writer->ids.size);
    for (uint32_t i = 0; i < writer->count; i++) {
        fr_out_bytes(writer->out, writer->columns[i].data, writer->columns[i].size);
    }
}

firn_result fr_row_writer_close(fr_row_writer *writer, firn_error *err)
{
    writer->rows--;
    if (writer->by_row) {
        flush_cells(writer);
    } else if (writer->rows == 0) {
        flush_columns(writer);
    }
    return fr_out_end(writer->out, err);
}
