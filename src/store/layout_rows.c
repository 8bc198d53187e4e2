// Rows between memory and wire. Work goes field by field over blocks of rows that stay in the
// nearest cache, so that every inner loop copies one constant size.
#include "store/layout.h"

#include <string.h>

#define ROWS_BLOCK_BYTES 8192

static size_t rows_per_block(const fr_layout *layout)
{
    uint32_t widest =
        layout->memory_size > layout->wire_size ? layout->memory_size : layout->wire_size;
    return widest >= ROWS_BLOCK_BYTES ? 1 : ROWS_BLOCK_BYTES / widest;
}

void fr_rows_copy(uint8_t *to, size_t to_stride, const uint8_t *from, size_t from_stride,
                  size_t size, size_t n)
{
    // The size is constant in each loop: a copy is one or two instructions.
#define ROWS_COPY(bytes)                                                                           \
    for (size_t i = 0; i < n; i++) {                                                               \
        memcpy(to + i * to_stride, from + i * from_stride, bytes);                                 \
    }                                                                                              \
    break
    switch (size) {
    case 1:
        ROWS_COPY(1);
    case 2:
        ROWS_COPY(2);
    case 4:
        ROWS_COPY(4);
    case 8:
        ROWS_COPY(8);
    case 12:
        ROWS_COPY(12);
    case 16:
        ROWS_COPY(16);
    default:
        ROWS_COPY(size);
    }
#undef ROWS_COPY
}

static void rows_zero(uint8_t *to, size_t stride, size_t size, size_t n)
{
#define ROWS_ZERO(bytes)                                                                           \
    for (size_t i = 0; i < n; i++) {                                                               \
        memset(to + i * stride, 0, bytes);                                                         \
    }                                                                                              \
    break
    switch (size) {
    case 1:
        ROWS_ZERO(1);
    case 2:
        ROWS_ZERO(2);
    case 3:
        ROWS_ZERO(3);
    case 4:
        ROWS_ZERO(4);
    case 7:
        ROWS_ZERO(7);
    default:
        ROWS_ZERO(size);
    }
#undef ROWS_ZERO
}

static void rows_zero_holes(const fr_hole *holes, uint32_t count, uint8_t *rows, size_t stride,
                            size_t n)
{
    for (uint32_t i = 0; i < count; i++) {
        rows_zero(rows + holes[i].offset, stride, holes[i].size, n);
    }
}

void fr_wire_copy(uint8_t *to, const uint8_t *from, uint32_t size)
{
    if (!FR_BIG_ENDIAN) {
        memcpy(to, from, size);
        return;
    }
    for (uint32_t i = 0; i < size; i++) {
        to[i] = from[size - 1 - i];
    }
}

// Copies a run of n rows, each element in the other byte order where the machine's is not the
// wire's.
static void rows_copy_run(const fr_run *run, uint8_t *to, size_t to_stride, const uint8_t *from,
                          size_t from_stride, size_t n)
{
    size_t bytes = (size_t)run->size * run->count;
    if (!FR_BIG_ENDIAN || run->size == 1) {
        fr_rows_copy(to, to_stride, from, from_stride, bytes, n);
        return;
    }
    for (size_t row = 0; row < n; row++) {
        for (size_t at = 0; at < bytes; at += run->size) {
            fr_wire_copy(to + row * to_stride + at, from + row * from_stride + at, run->size);
        }
    }
}

static void block_to_wire(const fr_layout *layout, const uint8_t *rows, size_t n, uint8_t *wire)
{
    size_t memory_stride = layout->memory_size;
    size_t wire_stride = layout->wire_size;
    if (layout->same_shape) {
        memcpy(wire, rows, n * wire_stride);
    } else {
        for (uint32_t i = 0; i < layout->run_count; i++) {
            const fr_run *run = &layout->runs[i];
            rows_copy_run(run, wire + run->wire_offset, wire_stride, rows + run->memory_offset,
                          memory_stride, n);
        }
    }
    rows_zero_holes(layout->wire_holes, layout->wire_hole_count, wire, wire_stride, n);
}

static void block_from_wire(const fr_layout *layout, const uint8_t *wire, size_t n, uint8_t *rows)
{
    size_t memory_stride = layout->memory_size;
    size_t wire_stride = layout->wire_size;
    if (layout->same_shape) {
        memcpy(rows, wire, n * wire_stride);
    } else {
        for (uint32_t i = 0; i < layout->run_count; i++) {
            const fr_run *run = &layout->runs[i];
            rows_copy_run(run, rows + run->memory_offset, memory_stride, wire + run->wire_offset,
                          wire_stride, n);
        }
    }
    rows_zero_holes(layout->memory_holes, layout->memory_hole_count, rows, memory_stride, n);
}

void fr_layout_to_wire(const fr_layout *layout, const void *rows, size_t n, uint8_t *wire)
{
    const uint8_t *from = rows;
    size_t step = layout->direct ? n : rows_per_block(layout);
    for (size_t at = 0; at < n; at += step) {
        size_t count = n - at < step ? n - at : step;
        block_to_wire(layout, from + at * layout->memory_size, count,
                      wire + at * layout->wire_size);
    }
}

void fr_layout_from_wire(const fr_layout *layout, const uint8_t *wire, size_t n, void *rows)
{
    uint8_t *to = rows;
    size_t step = layout->direct ? n : rows_per_block(layout);
    for (size_t at = 0; at < n; at += step) {
        size_t count = n - at < step ? n - at : step;
        block_from_wire(layout, wire + at * layout->wire_size, count,
                        to + at * layout->memory_size);
    }
}

size_t fr_rows_find_bad_bool(const uint8_t *bytes, size_t stride, uint32_t count, size_t n)
{
    // Looks at everything without a branch, and for the place only when there is one.
    uint8_t all = 0;
    for (size_t row = 0; row < n; row++) {
        for (uint32_t i = 0; i < count; i++) {
            all |= bytes[row * stride + i];
        }
    }
    if (all <= 1) {
        return n;
    }
    for (size_t row = 0; row < n; row++) {
        for (uint32_t i = 0; i < count; i++) {
            if (bytes[row * stride + i] > 1) {
                return row;
            }
        }
    }
    return n;
}

bool fr_layout_check_rows(const fr_layout *layout, const void *rows, size_t n, size_t *row,
                          uint32_t *leaf)
{
    const uint8_t *bytes = rows;
    for (uint32_t i = 0; n > 0 && i < layout->bool_count; i++) {
        const fr_leaf *holder = &layout->leaves[layout->bools[i]];
        size_t bad = fr_rows_find_bad_bool(bytes + holder->memory_offset, layout->memory_size,
                                           holder->count == 0 ? 1 : holder->count, n);
        if (bad < n) {
            *row = bad;
            *leaf = layout->bools[i];
            return false;
        }
    }
    return true;
}
