/// plain.h (private): single rows of plain archetypes (no hooks, no blobs, only small rows). What
/// most spawns, despawns and changes do: short loops without a call. Who moves edges links them.
#ifndef FR_PLAIN_H
#define FR_PLAIN_H

#include "store/archetype.h"

#include <assert.h>
#include <string.h>

static inline uint8_t *fr_plain_row(const fr_column *column, uint32_t row)
{
    return column->data + (size_t)row * column->stride;
}

/// Copies a row by words, the last two of which may overlap.
static inline void fr_plain_copy(uint8_t *to, const uint8_t *from, uint32_t size)
{
    assert(size <= FR_PLAIN_BYTES);
    if (size >= 8) {
        for (uint32_t at = 0; at + 8 < size; at += 8) {
            memcpy(to + at, from + at, 8);
        }
        memcpy(to + size - 8, from + size - 8, 8);
    } else if (size >= 4) {
        memcpy(to, from, 4);
        memcpy(to + size - 4, from + size - 4, 4);
    } else {
        for (uint32_t at = 0; at < size; at++) {
            to[at] = from[at];
        }
    }
}

/// Writes the default row to all columns.
static inline void fr_plain_fill(const fr_archetype *archetype, uint32_t row)
{
    assert(fr_archetype_is_plain(archetype));
    const fr_column *end = archetype->columns + archetype->column_count;
    for (const fr_column *column = archetype->columns; column < end; column++) {
        const uint8_t *by_default = column->component->default_row;
        fr_plain_copy(fr_plain_row(column, row), by_default, column->stride);
    }
}

/// Copies one row over another.
static inline void fr_plain_copy_row(const fr_archetype *archetype, uint32_t to, uint32_t from)
{
    assert(fr_archetype_is_plain(archetype) && to != from);
    const fr_column *end = archetype->columns + archetype->column_count;
    for (const fr_column *column = archetype->columns; column < end; column++) {
        fr_plain_copy(fr_plain_row(column, to), fr_plain_row(column, from), column->stride);
    }
}

/// Copies what `to` has of a row of `from`, and writes default rows for the rest.
static inline void fr_plain_move(const fr_archetype *from, uint32_t row, const fr_archetype *to,
                                 uint32_t to_row)
{
    assert(fr_archetype_is_plain(from) && fr_archetype_is_plain(to));
    const fr_column *source = from->columns;
    const fr_column *source_end = source + from->column_count;
    const fr_column *end = to->columns + to->column_count;
    for (const fr_column *column = to->columns; column < end; column++) {
        while (source < source_end && source->key < column->key) {
            source++;
        }
        bool both = source < source_end && source->key == column->key;
        const uint8_t *bytes = both ? fr_plain_row(source, row) : column->component->default_row;
        fr_plain_copy(fr_plain_row(column, to_row), bytes, column->stride);
    }
}

#endif
