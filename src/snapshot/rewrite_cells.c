// Rows and values as they are written.
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "buffer/bytes.h"
#include "snapshot/format.h"
#include "snapshot/rewrite.h"
#include "value/check.h"

// ---- raw rows

// The list of names in a row, which is shorter than its field or fills it.
static firn_result put_name_list(fr_rewrite *rewrite, const fr_rewrite_entry *entry,
                                 const uint8_t *from, uint8_t *to, firn_error *err)
{
    firn_buffer list;
    firn_buffer_init(&list, &rewrite->allocator);
    const char *text = (const char *)from + entry->list_from;
    firn_result result = fr_rewrite_list(rewrite, text, entry->list_size, &list, err);
    if (result == FIRN_OK && list.size >= entry->list_size) {
        char shown[256];
        fr_printable(shown, sizeof shown, list.data, list.size);
        result = fr_fail(err, FIRN_LIMIT, shown, "a list of names in %s would have %zu bytes: %s",
                         entry->saved->name, list.size, shown);
    }
    if (result == FIRN_OK) {
        memset(to + entry->list_to, 0, entry->list_size);
    }
    if (result == FIRN_OK && list.size > 0) {
        memcpy(to + entry->list_to, list.data, list.size);
    }
    firn_buffer_free(&list);
    return result;
}

static firn_result put_raw_row(fr_rewrite *rewrite, const fr_rewrite_entry *entry,
                               const uint8_t *from, uint8_t *to, firn_error *err)
{
    memset(to, 0, entry->row_size);
    for (uint32_t i = 0; i < entry->step_count; i++) {
        const fr_rewrite_step *step = &entry->steps[i];
        memcpy(to + step->to, from + step->from, step->size);
    }
    return entry->list_size > 0 ? put_name_list(rewrite, entry, from, to, err) : FIRN_OK;
}

// Whether rows are written as they stand in the image.
static bool is_copy(const fr_rewrite_entry *entry)
{
    return entry->list_size == 0 && entry->step_count == 1 && entry->steps[0].from == 0 &&
           entry->steps[0].size == entry->row_size && entry->row_size == entry->saved->schema.size;
}

firn_result fr_rewrite_put_rows(fr_rewrite *rewrite, const fr_rewrite_entry *entry,
                                const uint8_t *rows, size_t count, firn_error *err)
{
    fr_out *out = &rewrite->out;
    if (is_copy(entry)) {
        fr_out_bytes(out, rows, count * entry->row_size);
        return fr_out_end(out, err);
    }
    firn_result result = FIRN_OK;
    for (size_t i = 0; result == FIRN_OK && i < count; i++) {
        uint8_t *space = fr_out_space(out, entry->row_size);
        if (space == NULL) {
            return fr_out_end(out, err);
        }
        result = put_raw_row(rewrite, entry, rows + i * entry->saved->schema.size, space, err);
        if (result == FIRN_OK) {
            fr_out_filled(out, entry->row_size);
        }
    }
    return result;
}

// ---- values

static firn_result put_edited(fr_rewrite *rewrite, const fr_rewrite_entry *entry,
                              const uint8_t *bytes, size_t size, bool *changed, firn_error *err)
{
    firn_doc_clear(rewrite->doc);
    firn_value *value = firn_value_decode(rewrite->doc, bytes, size, err);
    if (value == NULL) {
        return err->code;
    }
    firn_result result = fr_rewrite_value(rewrite, entry->group, rewrite->doc, value, changed, err);
    return result == FIRN_OK && *changed
               ? firn_value_encode(value, &rewrite->limits, rewrite->out.buffer, err)
               : result;
}

firn_result fr_rewrite_put_value(fr_rewrite *rewrite, const fr_rewrite_entry *entry,
                                 const uint8_t *bytes, size_t size, firn_error *err)
{
    bool changed = false;
    firn_error why;
    firn_result result = fr_out_end(&rewrite->out, &why);
    if (result == FIRN_OK && rewrite->groups[entry->group].edits_fields &&
        fr_value_tag(bytes, bytes + size) < FR_TAG_STRING) {
        result = put_edited(rewrite, entry, bytes, size, &changed, &why);
    }
    if (result == FIRN_OK && !changed) {
        result = fr_value_canonicalise(bytes, size, &rewrite->limits, &rewrite->allocator,
                                       rewrite->out.buffer, &why);
    }
    if (result == FIRN_OK || result == FIRN_NO_MEMORY || result == FIRN_EXISTS) {
        return result == FIRN_OK ? FIRN_OK : fr_fail_copy(err, &why);
    }
    char name[256];
    fr_printable(name, sizeof name, entry->saved->name, entry->saved->name_size);
    return fr_fail_at(err, result, why.offset, name, "a value of %s: %s", name, why.message);
}
