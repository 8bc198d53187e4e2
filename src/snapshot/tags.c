// Values of tags. What old saves have for one is a table, nil or true; anything else was saved of a
// component of another kind.
#include "base/error.h"
#include "buffer/bytes.h"
#include "snapshot/format.h"
#include "snapshot/load.h"
#include "value/check.h"

static bool may_be_tag(uint32_t tag)
{
    return tag == FR_TAG_NIL || tag == FR_TAG_TRUE ||
           (tag >= FR_TAG_TABLE && tag <= FR_TAG_TABLE_LAST);
}

// Values of a byte each, all of which are nil or true.
static bool are_plain_tags(const fr_span *span)
{
    uint32_t others = 0;
    for (size_t i = 0; span->size == span->rows && i < span->size; i++) {
        others |= span->bytes[i] & ~(uint32_t)FR_TAG_TRUE;
    }
    return span->size == span->rows && others == 0;
}

static firn_result refuse_tag(const fr_load *load, const fr_frame *frame, const fr_span *span,
                              uint32_t row, const uint8_t *at, uint32_t tag, firn_error *err)
{
    const fr_image *image = &load->image;
    char name[256];
    fr_load_name(load, span->entry, name);
    firn_entity entity =
        (firn_entity)fr_load_f64(frame->ids + (size_t)row * FR_ID_BYTES); // ids were checked
    uint64_t offset = at >= image->bytes && at < image->bytes + image->size
                          ? (uint64_t)(at - image->bytes)
                          : fr_image_place(image, span, (size_t)(at - span->bytes));
    fr_fail_at(err, FIRN_INVALID, offset, name, "%s of entity %llu: the saved value of a tag is %s",
               name, (unsigned long long)entity, fr_tag_text(tag));
    if (err != NULL) {
        err->entity = entity;
    }
    return FIRN_INVALID;
}

firn_result fr_load_check_tags(const fr_load *load, const fr_frame *frame, const fr_span *span,
                               firn_error *err)
{
    if (are_plain_tags(span)) {
        return FIRN_OK;
    }
    fr_in in;
    fr_in_begin(&in, span->bytes, span->size);
    for (uint32_t row = 0; row < span->rows; row++) {
        const uint8_t *at = in.at;
        uint32_t tag = fr_value_tag(at, in.end);
        if (!may_be_tag(tag)) {
            return refuse_tag(load, frame, span, row, at, tag, err);
        }
        if (!fr_value_check_next(&in, &load->image.limits, err)) {
            return FIRN_CORRUPT; // was checked: cannot be
        }
    }
    return FIRN_OK;
}
