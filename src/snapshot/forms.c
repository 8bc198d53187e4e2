#include "snapshot/forms.h"

#include <string.h>

#include "buffer/bytes.h"
#include "snapshot/edges.h"
#include "snapshot/format.h"
#include "value/check.h"

// Whether each value is true, as those of a tag that firn wrote, or nil.
static bool all_true(const fr_span *span)
{
    if (span->size != span->rows) {
        return false;
    }
    for (size_t i = 0; i < span->size; i++) {
        if (span->bytes[i] != FR_TAG_TRUE && span->bytes[i] != FR_TAG_NIL) {
            return false;
        }
    }
    return span->rows > 0;
}

bool fr_span_holds_edges(const fr_image *image, const fr_span *span)
{
    fr_in in;
    fr_in_begin(&in, span->bytes, span->size);
    for (uint32_t row = 0; row < span->rows; row++) {
        const uint8_t *at = in.at;
        if (!fr_value_check_next(&in, &image->limits, NULL)) {
            return false;
        }
        if (*at != FR_TAG_NIL && !fr_holds_edges(image, at, (size_t)(in.at - at))) {
            return false;
        }
    }
    return span->nils < span->rows;
}

bool fr_entry_names_target(const fr_entry *entry)
{
    for (uint32_t i = 0; i + 1 < entry->name_size; i++) {
        if (memcmp(entry->name + i, FR_ARROW, 2) == 0) {
            return true;
        }
    }
    return false;
}

static bool names_rise(const fr_entry *a, const fr_entry *b)
{
    return fr_compare_entries(a, b) < 0;
}

// In a frame that firn wrote tags and sparse relations stand behind all else, both in the order of
// their names. So what may be one is one when nothing behind it says otherwise. A relation has only
// frames row by row; elsewhere it may stand anywhere in them.
static void find_last(const fr_image *image, const fr_frame *frame, fr_form *forms)
{
    bool last = true; // all behind the column at hand
    for (uint32_t i = frame->column_count; i-- > 0;) {
        const fr_span *span = &image->spans[frame->first_column + i];
        const fr_entry *entry = &image->entries[span->entry];
        fr_form *form = &forms[span->entry];
        bool tag = form->known ? form->tag : !entry->raw && all_true(span);
        bool sparse = form->known
                          ? form->sparse
                          : form->sparse && frame->by_row && fr_span_holds_edges(image, span);
        if (i + 1 < frame->column_count) {
            last = last && names_rise(entry, &image->entries[span[1].entry]);
        }
        last = last && (tag || sparse);
        if (!form->known) {
            form->tag = form->tag && tag && last;
            form->sparse = sparse && (last || !image->world.ours);
        }
    }
}

void fr_forms_find(const fr_image *image, fr_form *forms)
{
    for (uint32_t i = 0; i < image->prelude.component_count; i++) {
        const fr_entry *entry = &image->entries[i];
        if (!forms[i].known) {
            forms[i].tag = entry->rows > 0;
            forms[i].sparse = entry->rows > 0 && !entry->raw && !fr_entry_names_target(entry);
        }
    }
    for (uint32_t i = 0; i < image->frame_count; i++) {
        find_last(image, &image->frames[i], forms);
    }
}
