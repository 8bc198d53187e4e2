/// image_write.h: the parts that an image is made of, for those who write one: a save of a world,
/// and whoever has an image's content without a world.
#ifndef FR_IMAGE_WRITE_H
#define FR_IMAGE_WRITE_H

#include "buffer/writer.h"

/// What stands in front of the component table.
typedef struct fr_front {
    uint32_t wire_version;
    uint32_t next_slot;
    uint32_t entities;
    uint32_t frames;
    uint32_t components;
} fr_front;

void fr_write_front(fr_out *out, const fr_front *front);
/// An entry of the component table.
void fr_write_entry(fr_out *out, const char *name, size_t name_size, const char *fingerprint,
                    size_t fingerprint_size);
/// The head of a frame; its columns, places in the component table from 1, and its mode follow.
void fr_write_frame_head(fr_out *out, uint32_t columns, uint32_t rows);
/// A column of it, or its mode.
void fr_write_frame_number(fr_out *out, uint32_t number);
/// An entry of the data section; its encoded value follows.
void fr_write_data_key(fr_out *out, const char *key, size_t size);
/// The entry FR_KEY_WORLD; size 0: the world has no name.
void fr_write_world_entry(fr_out *out, const char *name, size_t size, uint64_t tick);
/// The end of the data section, and of the image.
void fr_write_data_end(fr_out *out);

/// The frames of an image from their rows, which come one after the other. A frame column by column
/// is kept aside until its last row is there.
typedef struct fr_row_writer {
    fr_out *out;
    const firn_allocator *allocator;
    firn_buffer ids;      ///< of a frame column by column
    firn_buffer *columns; ///< its columns, or of a frame row by row the cells of one row
    uint32_t count;       ///< columns of the frame
    uint32_t capacity;
    uint32_t rows; ///< of the frame, still to come
    bool by_row;
    uint64_t id; ///< of the row at hand
    uint64_t mask;
} fr_row_writer;

/// Takes no memory.
void fr_row_writer_begin(fr_row_writer *writer, fr_out *out, const firn_allocator *allocator);
void fr_row_writer_end(fr_row_writer *writer);
/// Begins a frame of so many rows and columns, whose head is written; at most FR_MASK_COLUMNS of
/// them when it lies row by row. FIRN_NO_MEMORY.
firn_result fr_row_writer_frame(fr_row_writer *writer, uint32_t columns, uint32_t rows, bool by_row,
                                firn_error *err);
/// Begins a row. FIRN_NO_MEMORY.
firn_result fr_row_writer_row(fr_row_writer *writer, firn_entity id, firn_error *err);
/// Where the bytes of the row in a column go: they are appended once, a raw row or an encoded
/// value. A row of a frame row by row may lack columns.
firn_buffer *fr_row_writer_cell(fr_row_writer *writer, uint32_t column);
/// Ends the row, and the frame with its last one. FIRN_NO_MEMORY.
firn_result fr_row_writer_close(fr_row_writer *writer, firn_error *err);

#endif
