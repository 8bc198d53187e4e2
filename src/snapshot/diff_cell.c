// Finding rows in columns, also in those whose rows have no fixed size.
#include "base/alloc.h"
#include "snapshot/diff.h"
#include "snapshot/image_rows.h"

// Steps from the nearest place before the row that is known.
static bool seek_value(fr_diff *diff, const fr_image *image, const fr_span *span,
                       fr_diff_cursor *cursor, uint32_t row)
{
    const uint8_t *end = span->bytes + span->size;
    if (cursor->marks == NULL) {
        size_t count = (size_t)span->rows / FR_MARK_ROWS + 1;
        cursor->marks = fr_alloc(&diff->allocator, count, sizeof *cursor->marks, sizeof(void *));
        if (cursor->marks == NULL) {
            return false;
        }
        cursor->marks[0] = 0;
        cursor->mark_count = 1;
    }
    uint32_t mark = row / FR_MARK_ROWS;
    mark = mark < cursor->mark_count ? mark : cursor->mark_count - 1;
    if (cursor->row > row || cursor->row < mark * FR_MARK_ROWS) {
        cursor->row = mark * FR_MARK_ROWS;
        cursor->at = cursor->marks[mark];
    }
    while (cursor->row < row) {
        cursor->at += fr_value_length(image, span->bytes + cursor->at, end);
        cursor->row++;
        if (cursor->row == cursor->mark_count * FR_MARK_ROWS) {
            cursor->marks[cursor->mark_count++] = cursor->at;
        }
    }
    return true;
}

bool fr_diff_find_cell(fr_diff *diff, int side, uint32_t span, uint32_t row, fr_diff_cell *out)
{
    fr_diff_image *images = &diff->images[side];
    const fr_image *image = images->image;
    const fr_span *column = &image->spans[span];
    const fr_entry *entry = &image->entries[column->entry];
    *out = (fr_diff_cell){NULL, 0};
    if (entry->raw) {
        if (fr_span_has(column, row)) {
            out->bytes = column->bytes + fr_span_place(column, row) * entry->schema.size;
            out->size = entry->schema.size;
        }
        return true;
    }
    fr_diff_cursor *cursor = &images->cursors[span];
    if (!seek_value(diff, image, column, cursor, row)) {
        return false;
    }
    out->bytes = column->bytes + cursor->at;
    out->size = fr_value_length(image, out->bytes, column->bytes + column->size);
    return true;
}
