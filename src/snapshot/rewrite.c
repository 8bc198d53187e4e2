#include "snapshot/rewrite.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/utf8.h"
#include "snapshot/format.h"
#include "snapshot/image_write.h"

// ---- edits

static firn_result refuse_edit(uint32_t index, const char *subject, const char *why,
                               firn_error *err)
{
    return fr_fail(err, FIRN_INVALID, subject, "edit %u: %s", index, why);
}

static firn_result check_edit_name(const fr_rewrite *rewrite, uint32_t index, const char *name,
                                   const char *what, firn_error *err)
{
    firn_error why;
    firn_result result = fr_check_text_name(name, rewrite->limits.name_bytes, what, NULL, &why);
    if (result != FIRN_OK) {
        return fr_fail(err, result, why.subject, "edit %u: %s", index, why.message);
    }
    return FIRN_OK;
}

// A name of a component, which is no target of a relation.
static firn_result check_edit_component(const fr_rewrite *rewrite, uint32_t index, const char *name,
                                        firn_error *err)
{
    firn_result result = check_edit_name(rewrite, index, name, "component name", err);
    if (result == FIRN_OK && strstr(name, FR_ARROW) != NULL) {
        return refuse_edit(index, name, "a relation is named without its target", err);
    }
    return result;
}

static firn_result check_edit_field(const fr_rewrite *rewrite, uint32_t index, const char *name,
                                    firn_error *err)
{
    firn_result result = check_edit_name(rewrite, index, name, "field name", err);
    if (result == FIRN_OK && strpbrk(name, ":,|") != NULL) {
        return refuse_edit(index, name, "no field has a name with : , or |", err);
    }
    return result;
}

static firn_result check_edit(const fr_rewrite *rewrite, uint32_t index, firn_error *err)
{
    const firn_edit *edit = &rewrite->edits[index];
    firn_result result = check_edit_component(rewrite, index, edit->component, err);
    if (result != FIRN_OK) {
        return result;
    }
    switch (edit->kind) {
    case FIRN_RENAME_COMPONENT:
        return check_edit_component(rewrite, index, edit->to, err);
    case FIRN_DROP_COMPONENT:
        return FIRN_OK;
    case FIRN_RENAME_FIELD:
        result = check_edit_field(rewrite, index, edit->field, err);
        return result == FIRN_OK ? check_edit_field(rewrite, index, edit->to, err) : result;
    case FIRN_DROP_FIELD:
        return check_edit_field(rewrite, index, edit->field, err);
    }
    return refuse_edit(index, "kind", "there is no such kind", err);
}

// ---- begin and end

static firn_result check_rewrite_options(const firn_rewrite_options *options, firn_error *err)
{
    firn_result result = fr_check_reserved(options->reserved, "firn_rewrite_options.reserved", err);
    if (result == FIRN_OK && options->edits == NULL && options->edit_count > 0) {
        result = fr_fail(err, FIRN_INVALID, "edits", "%u edits at NULL", options->edit_count);
    }
    return result == FIRN_OK ? fr_allocator_check(options->allocator, err) : result;
}

static firn_result reserve_edits(fr_rewrite *rewrite, firn_error *err)
{
    const firn_allocator *allocator = &rewrite->allocator;
    size_t count = (size_t)rewrite->edit_count + 1;
    rewrite->edit_next = fr_alloc(allocator, count, sizeof *rewrite->edit_next, sizeof(uint32_t));
    rewrite->effects = fr_alloc_zero(allocator, count, sizeof *rewrite->effects, sizeof(uint64_t));
    rewrite->doc = firn_doc_create(allocator, &rewrite->limits, err);
    if (rewrite->edit_next == NULL || rewrite->effects == NULL || rewrite->doc == NULL) {
        return fr_fail_memory(err, "edits");
    }
    for (uint32_t i = 0; i < rewrite->edit_count; i++) {
        rewrite->edit_next[i] = FR_NO_EDIT;
    }
    return FIRN_OK;
}

firn_result fr_rewrite_begin(fr_rewrite *rewrite, const firn_rewrite_options *options,
                             firn_error *err)
{
    const firn_rewrite_options defaults = {0};
    options = options != NULL ? options : &defaults;
    *rewrite = (fr_rewrite){.allocator = *firn_allocator_default()};
    firn_result result = check_rewrite_options(options, err);
    if (result == FIRN_OK) {
        result = fr_limits_resolve(options->limits, &rewrite->limits, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    if (options->allocator != NULL) {
        rewrite->allocator = *options->allocator;
    }
    rewrite->schemas = options->schemas;
    rewrite->schema_count = options->schema_count;
    rewrite->edits = options->edits;
    rewrite->edit_count = options->edit_count;
    rewrite->strict = options->strict;
    firn_buffer_init(&rewrite->texts, &rewrite->allocator);
    for (uint32_t i = 0; result == FIRN_OK && i < rewrite->edit_count; i++) {
        result = check_edit(rewrite, i, err);
    }
    return result == FIRN_OK ? reserve_edits(rewrite, err) : result;
}

void fr_rewrite_end(fr_rewrite *rewrite)
{
    const firn_allocator *allocator = &rewrite->allocator;
    size_t count = (size_t)rewrite->edit_count + 1;
    fr_rewrite_forget_pieces(rewrite);
    fr_rewrite_forget_names(rewrite);
    if (rewrite->opened) {
        fr_rewrite_forget_table(rewrite);
        fr_image_close(&rewrite->image);
    }
    firn_doc_destroy(rewrite->doc);
    firn_buffer_free(&rewrite->texts);
    fr_free(allocator, rewrite->edit_next, count, sizeof *rewrite->edit_next, sizeof(uint32_t));
    fr_free(allocator, rewrite->effects, count, sizeof *rewrite->effects, sizeof(uint64_t));
}

firn_result fr_rewrite_open(fr_rewrite *rewrite, const void *bytes, size_t size, firn_error *err)
{
    const firn_image_options options = {.limits = &rewrite->limits,
                                        .allocator = &rewrite->allocator,
                                        .schemas = rewrite->schemas,
                                        .schema_count = rewrite->schema_count};
    firn_result result = fr_image_open_options(&rewrite->image, bytes, size, &options, err);
    if (result != FIRN_OK) {
        return result;
    }
    rewrite->opened = true;
    return fr_rewrite_describe(rewrite, err);
}

// ---- write

static firn_result write_rewritten(fr_rewrite *rewrite, firn_error *err)
{
    const firn_prelude *prelude = &rewrite->image.prelude;
    const fr_front front = {.wire_version = prelude->version,
                            .next_slot = prelude->next_slot,
                            .entities = prelude->entity_count,
                            .frames = rewrite->frame_count,
                            .components = rewrite->table_count};
    fr_write_front(&rewrite->out, &front);
    for (uint32_t i = 0; i < rewrite->table_count; i++) {
        const fr_rewrite_entry *entry = rewrite->table[i];
        fr_write_entry(&rewrite->out, entry->name, entry->name_size, entry->fingerprint,
                       entry->fingerprint_size);
    }
    firn_result result = fr_rewrite_frames(rewrite, err);
    return result == FIRN_OK ? fr_rewrite_data(rewrite, err) : result;
}

// Whether what was written is a snapshot: it may be above a limit.
static firn_result check_written(const fr_rewrite *rewrite, const firn_buffer *out, size_t start,
                                 firn_error *err)
{
    const firn_image_options options = {.limits = &rewrite->limits,
                                        .allocator = &rewrite->allocator};
    firn_error why;
    firn_result result =
        firn_image_check(out->data + start, out->size - start, &options, NULL, &why);
    if (result == FIRN_OK || result == FIRN_NO_MEMORY) {
        return result == FIRN_OK ? FIRN_OK : fr_fail_copy(err, &why);
    }
    return fr_fail(err, result, why.subject, "the edits make no snapshot: %s", why.message);
}

firn_result fr_rewrite_write(fr_rewrite *rewrite, firn_buffer *out, firn_error *err)
{
    size_t start = out->size;
    firn_result result = fr_rewrite_pieces(rewrite, err);
    if (result == FIRN_OK) {
        fr_out_begin(&rewrite->out, out, NULL);
        result = write_rewritten(rewrite, err);
    }
    if (result == FIRN_OK) {
        result = check_written(rewrite, out, start, err);
    }
    if (result != FIRN_OK) {
        out->size = start;
    }
    return result;
}

firn_result fr_rewrite_finish(const fr_rewrite *rewrite, firn_edit_effect *effects, firn_error *err)
{
    for (uint32_t i = 0; i < rewrite->edit_count; i++) {
        const firn_edit *edit = &rewrite->edits[i];
        bool field = edit->kind == FIRN_RENAME_FIELD || edit->kind == FIRN_DROP_FIELD;
        if (rewrite->strict && !rewrite->effects[i].found) {
            return fr_fail(err, FIRN_NOT_FOUND, field ? edit->field : edit->component,
                           "there is no %s %s%s%s", field ? "field" : "component", edit->component,
                           field ? "." : "", field ? edit->field : "");
        }
    }
    if (effects != NULL && rewrite->edit_count > 0) {
        memcpy(effects, rewrite->effects, rewrite->edit_count * sizeof *effects);
    }
    return FIRN_OK;
}
