/// stream.h: what other rooms need of the streaming writer and reader beyond firn/value.h.
#ifndef FR_STREAM_H
#define FR_STREAM_H

#include "buffer/reader.h"
#include "value/path.h"

/// firn_reader_begin for a part of a larger input: `base` is the part's offset, for errors.
void fr_reader_begin_at(firn_reader *reader, const void *bytes, size_t size, uint64_t base,
                        const firn_limits *limits);

/// Between top-level values: goes back to the last one, unless firn_read_kind has looked at the
/// next one. `finished` is then the number of the value that a refusal is about.
void fr_reader_step_back(firn_reader *reader);

/// Compares two keys in canonical encoding, as the order of keys goes: negative, 0 or positive.
int fr_encoded_key_compare(const uint8_t *a, const uint8_t *b);

/// The next item of a level is a key.
static inline bool fr_level_at_key(const firn_level *level)
{
    return level->left <= level->map_items && (level->left & 1) == 0;
}

/// A level outside of tables: one value is to come.
static inline firn_level fr_level_top(void)
{
    return (firn_level){.items = 1, .left = 1};
}

/// Puts a level aside while a table in it is open, which counts as come already. Not one copy:
/// `left` was written just before, and a wider load would wait until it is in the cache.
static inline void fr_level_put_aside(firn_level *outer, const firn_level *level)
{
    outer->items = level->items;
    outer->map_items = level->map_items;
    outer->left = level->left - 1;
    outer->last_key = level->last_key;
}

/// Closes every table that has all its items, when the last item of the innermost has come.
void fr_writer_close(firn_writer *writer);
void fr_reader_close(firn_reader *reader);

/// Begins a path with that to the item that would be written next.
void fr_writer_path(const firn_writer *writer, fr_path *path, char *text, size_t capacity);

/// Makes the writer fail with the path to the item that would be written next as the subject. The
/// first failure stays.
void fr_writer_fail(firn_writer *writer, firn_result code, const char *message);

/// Makes a reader that has not failed fail: FIRN_CORRUPT at a place in its bytes, or FIRN_INVALID
/// for an argument that is NULL.
void fr_reader_corrupt(firn_reader *reader, const uint8_t *at, const char *message);
void fr_reader_no_argument(firn_reader *reader, const char *name);

/// Makes room in the buffer of a writer where there is too little; NULL after a failure.
uint8_t *fr_writer_grow(firn_writer *writer, size_t need);

/// Room for an item; NULL after a failure, and for no writer.
static inline uint8_t *fr_writer_room(firn_writer *writer, size_t need)
{
    if (writer == NULL) {
        return NULL;
    }
    firn_buffer *buffer = writer->buffer;
    if (writer->error.code == FIRN_OK && need <= buffer->capacity - buffer->size) {
        return buffer->data + buffer->size;
    }
    return fr_writer_grow(writer, need);
}

/// The item of `size` bytes at the end of the buffer is complete.
static inline void fr_writer_done(firn_writer *writer, size_t size)
{
    writer->buffer->size += size;
    if (--writer->level.left == 0) {
        fr_writer_close(writer);
    }
}

/// Rows behind the end of the buffer, `size` bytes together, are complete: canonical values within
/// the limits, outside of tables.
void fr_writer_done_rows(firn_writer *writer, uint32_t count, size_t size);
/// The same of rows that were read outside of tables.
void fr_reader_done_rows(firn_reader *reader, uint32_t count, size_t size);

/// The item that ends before `at` was read.
static inline void fr_reader_done(firn_reader *reader, const uint8_t *at)
{
    reader->at = at;
    if (--reader->level.left == 0) {
        fr_reader_close(reader);
    }
}

#endif
