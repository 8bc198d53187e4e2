// The frames of an image that is written again.
#include <string.h>

#include "base/error.h"
#include "buffer/bytes.h"
#include "snapshot/format.h"
#include "snapshot/image_rows.h"
#include "snapshot/image_write.h"
#include "snapshot/rewrite.h"

static firn_result put_column(fr_rewrite *rewrite, const fr_rewrite_run *run, uint32_t rows,
                              firn_error *err)
{
    const fr_rewrite_entry *entry = run->entry;
    const uint8_t *at = run->bytes, *end = run->bytes + run->size;
    firn_result result = FIRN_OK;
    if (entry->saved->raw) {
        return fr_rewrite_put_rows(rewrite, entry, at, rows, err);
    }
    for (uint32_t row = 0; result == FIRN_OK && row < rows; row++) {
        size_t size = fr_value_length(&rewrite->image, at, end);
        result = fr_rewrite_put_value(rewrite, entry, at, size, err);
        at += size;
    }
    return result;
}

// Ids and columns of pieces that make one frame.
static firn_result put_columns(fr_rewrite *rewrite, const fr_rewrite_piece *const *pieces,
                               uint32_t count, firn_error *err)
{
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; i < count; i++) {
        fr_out_bytes(&rewrite->out, pieces[i]->ids, (size_t)pieces[i]->rows * FR_ID_BYTES);
    }
    for (uint32_t column = 0; column < pieces[0]->run_count; column++) {
        for (uint32_t i = 0; result == FIRN_OK && i < count; i++) {
            result = put_column(rewrite, &pieces[i]->runs[column], pieces[i]->rows, err);
        }
    }
    return result == FIRN_OK ? fr_out_end(&rewrite->out, err) : result;
}

static firn_result put_cells(fr_rewrite *rewrite, const fr_rewrite_piece *piece, const uint8_t **at,
                             firn_error *err)
{
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < piece->run_count; i++) {
        const fr_rewrite_run *run = &piece->runs[i];
        size_t size = run->entry->saved->schema.size;
        if (run->entry->saved->raw) {
            result = fr_rewrite_put_rows(rewrite, run->entry, at[i], 1, err);
        } else {
            size = fr_value_length(&rewrite->image, at[i], run->bytes + run->size);
            result = fr_rewrite_put_value(rewrite, run->entry, at[i], size, err);
        }
        at[i] += size;
    }
    return result;
}

// In a frame row by row there are not more columns than in that of the image.
static firn_result put_by_row(fr_rewrite *rewrite, const fr_rewrite_piece *piece, firn_error *err)
{
    const uint8_t *at[FR_MASK_COLUMNS];
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; i < piece->run_count; i++) {
        at[i] = piece->runs[i].bytes;
    }
    for (uint32_t row = 0; result == FIRN_OK && row < piece->rows; row++) {
        double id = fr_load_f64(piece->ids + (size_t)row * FR_ID_BYTES);
        fr_out_encoded_number(&rewrite->out, id);
        fr_out_encoded_number(&rewrite->out, (double)((UINT64_C(1) << piece->run_count) - 1));
        result = put_cells(rewrite, piece, at, err);
    }
    return result == FIRN_OK ? fr_out_end(&rewrite->out, err) : result;
}

static firn_result put_frame(fr_rewrite *rewrite, const fr_rewrite_piece *const *pieces,
                             uint32_t count, firn_error *err)
{
    const fr_rewrite_piece *first = pieces[0];
    uint32_t rows = 0;
    for (uint32_t i = 0; i < count; i++) {
        rows += pieces[i]->rows;
    }
    fr_write_frame_head(&rewrite->out, first->run_count, rows);
    for (uint32_t i = 0; i < first->run_count; i++) {
        fr_write_frame_number(&rewrite->out, first->runs[i].entry->place);
    }
    fr_write_frame_number(&rewrite->out, first->by_row ? FR_MODE_ROWS : FR_MODE_COLUMNS);
    if (!first->by_row) {
        return put_columns(rewrite, pieces, count, err);
    }
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < count; i++) {
        result = put_by_row(rewrite, pieces[i], err);
    }
    return result;
}

firn_result fr_rewrite_frames(fr_rewrite *rewrite, firn_error *err)
{
    firn_result result = FIRN_OK;
    for (uint32_t at = 0, count; result == FIRN_OK && at < rewrite->piece_count; at += count) {
        count = 1;
        while (at + count < rewrite->piece_count && !rewrite->sorted[at + count]->first) {
            count++;
        }
        result = put_frame(rewrite, &rewrite->sorted[at], count, err);
    }
    return result;
}
