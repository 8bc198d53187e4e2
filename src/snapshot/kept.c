// What a load keeps of components that are not registered.
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "snapshot/edges.h"
#include "snapshot/format.h"
#include "store/kept.h"
#include "value/check.h"

// ---- columns that stand last

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

// Whether each value is one of a sparse relation, or nil.
static bool all_edges(const fr_image *image, const fr_span *span)
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

static bool names_rise(const fr_entry *a, const fr_entry *b)
{
    return fr_compare_entries(a, b) < 0;
}

// In a frame that firn wrote tags and sparse relations stand behind all else, both in the order of
// their names. So what may be one is one when nothing behind it says otherwise. A relation has only
// frames row by row; elsewhere it may stand anywhere in them.
static void find_last(const fr_load *load, const fr_frame *frame, fr_kept_desc *descs)
{
    const fr_image *image = &load->image;
    bool last = true; // all behind the column at hand
    for (uint32_t i = frame->column_count; i-- > 0;) {
        const fr_span *span = &image->spans[frame->first_column + i];
        const fr_entry *entry = &image->entries[span->entry];
        const fr_component *component = load->sources[span->entry].component;
        fr_kept_desc *desc = &descs[span->entry];
        bool known = component != NULL;
        bool tag = known ? component->kind == FIRN_TAG : desc->raw == 0 && all_true(span);
        bool sparse = known ? fr_relation_is_sparse(component)
                            : desc->sparse && frame->by_row && all_edges(image, span);
        if (i + 1 < frame->column_count) {
            last = last && names_rise(entry, &image->entries[span[1].entry]);
        }
        last = last && (tag || sparse);
        desc->tag = desc->tag && tag && last;
        desc->sparse = sparse && (last || !image->world.ours);
    }
}

// ---- components

static bool names_target(const fr_entry *entry)
{
    for (uint32_t i = 0; i + 1 < entry->name_size; i++) {
        if (memcmp(entry->name + i, FR_ARROW, 2) == 0) {
            return true;
        }
    }
    return false;
}

// In what firn writes a fingerprint says that a column is raw, but for targets of relationships.
static fr_kept_desc describe_entry(const fr_image *image, const fr_entry *entry)
{
    bool says = entry->fingerprint_size > 0 && (entry->raw || names_target(entry));
    return (fr_kept_desc){
        .name = entry->name,
        .name_size = entry->name_size,
        .fingerprint = says ? entry->fingerprint : "",
        .fingerprint_size = says ? entry->fingerprint_size : 0,
        .raw = entry->raw ? entry->schema.size : 0,
        .tag = entry->rows > 0,
        .sparse = entry->rows > 0 && !entry->raw && !names_target(entry),
        .wrapped = image->prelude.version == FR_WIRE_VERSION_2,
    };
}

static void claim(fr_load *load, uint32_t entry, fr_component *kept)
{
    fr_source *source = &load->sources[entry];
    source->component = kept;
    source->how = load->image.entries[entry].raw ? FR_KEEP_RAW : FR_KEEP;
    kept->claimed = true;
}

// Those that the world keeps already, then others.
static firn_result claim_all(fr_load *load, const fr_kept_desc *descs, firn_error *err)
{
    firn_world *world = load->world;
    uint32_t count = load->image.prelude.component_count, next = 0;
    for (uint32_t i = 0; i < count; i++) {
        fr_component *kept =
            load->sources[i].component == NULL ? fr_kept_find(&world->components, &descs[i]) : NULL;
        if (kept != NULL) {
            claim(load, i, kept);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (load->sources[i].component != NULL) {
            continue;
        }
        fr_component *kept = fr_kept_make(world, &descs[i], &next);
        if (kept == NULL) {
            return fr_fail_memory(err, "component table");
        }
        claim(load, i, kept);
    }
    return FIRN_OK;
}

// ---- in a merge, beside those that the world keeps

static firn_result refuse_kept(const fr_load *load, uint32_t entry, const char *why,
                               firn_error *err)
{
    char name[256];
    fr_load_name(load, entry, name);
    return fr_fail_at(err, FIRN_INVALID, load->image.entries[entry].offset, name, "%s %s", name,
                      why);
}

static bool is_same_form(const fr_component *kept, const fr_kept_desc *desc)
{
    return kept->kept_raw == desc->raw && kept->fingerprint_size == desc->fingerprint_size &&
           memcmp(kept->fingerprint, desc->fingerprint, desc->fingerprint_size) == 0;
}

static firn_result claim_beside(fr_load *load, uint32_t entry, const fr_kept_desc *desc,
                                uint32_t *next, firn_error *err)
{
    firn_world *world = load->world;
    const fr_entry *saved = &load->image.entries[entry];
    fr_component *kept = fr_kept_listed(&world->components, desc->name, desc->name_size);
    bool empty = kept == NULL || !fr_kept_has_rows(world, kept);
    if (saved->rows > 0 && (names_target(saved) || desc->sparse)) {
        return refuse_kept(load, entry, "holds ids of targets: its relation is not registered",
                           err);
    }
    if (!empty && saved->rows > 0 && !is_same_form(kept, desc)) {
        return refuse_kept(load, entry, "is kept already, in another form", err);
    }
    if (kept == NULL || (empty && saved->rows > 0)) {
        kept = fr_kept_make(world, desc, next);
    }
    if (kept == NULL) {
        return fr_fail_memory(err, "component table");
    }
    claim(load, entry, kept);
    // What has other values than true somewhere is no tag.
    load->sources[entry].no_tag = saved->rows > 0 && !desc->tag;
    return FIRN_OK;
}

static firn_result claim_all_beside(fr_load *load, const fr_kept_desc *descs, firn_error *err)
{
    uint32_t next = 0;
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < load->image.prelude.component_count; i++) {
        if (load->sources[i].component == NULL) {
            result = claim_beside(load, i, &descs[i], &next, err);
        }
    }
    return result;
}

void fr_load_keep_beside(fr_load *load)
{
    for (uint32_t i = 0; i < load->image.prelude.component_count; i++) {
        const fr_source *source = &load->sources[i];
        if (source->no_tag) {
            source->component->kept_tag = false;
        }
        if (source->component != NULL && load->image.prelude.version != FR_WIRE_VERSION_2) {
            source->component->kept_wrapped = false;
        }
    }
    fr_kept_settle(load->world, FR_KEPT_ADDED);
}

firn_result fr_load_keep(fr_load *load, firn_error *err)
{
    const firn_allocator *allocator = &load->world->allocator;
    const fr_image *image = &load->image;
    uint32_t count = image->prelude.component_count;
    fr_kept_desc *descs = fr_alloc(allocator, (size_t)count + 1, sizeof *descs, sizeof(void *));
    if (descs == NULL) {
        return fr_fail_memory(err, "component table");
    }
    for (uint32_t i = 0; i < count; i++) {
        descs[i] = describe_entry(image, &image->entries[i]);
    }
    for (uint32_t i = 0; i < image->frame_count; i++) {
        find_last(load, &image->frames[i], descs);
    }
    firn_result result = load->merge != NULL || load->beside ? claim_all_beside(load, descs, err)
                                                             : claim_all(load, descs, err);
    fr_free(allocator, descs, (size_t)count + 1, sizeof *descs, sizeof(void *));
    load->world->adopt_kept = fr_adopt_kept;
    return result;
}
