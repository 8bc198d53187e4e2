// What a load keeps of components that are not registered.
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "snapshot/format.h"
#include "snapshot/load.h"
#include "store/kept.h"
#include "value/check.h"

// ---- columns that stand among those of tags

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

static bool names_rise(const fr_entry *a, const fr_entry *b)
{
    return fr_compare_entries(a, b) < 0;
}

// In a frame that firn wrote tags stand behind all else, both in the order of their names. So what
// may be a tag is one when nothing behind it says otherwise.
static void find_tags(const fr_load *load, const fr_frame *frame, fr_kept_desc *descs)
{
    const fr_image *image = &load->image;
    bool tags = true; // all behind the column at hand
    for (uint32_t i = frame->column_count; i-- > 0;) {
        const fr_span *span = &image->spans[frame->first_column + i];
        const fr_entry *entry = &image->entries[span->entry];
        const fr_component *component = load->sources[span->entry].component;
        if (i + 1 < frame->column_count) {
            tags = tags && names_rise(entry, &image->entries[span[1].entry]);
        }
        tags = tags &&
               (component != NULL ? component->kind == FIRN_TAG : !entry->raw && all_true(span));
        descs[span->entry].tag = descs[span->entry].tag && tags;
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
static fr_kept_desc describe_entry(const fr_entry *entry)
{
    bool says = entry->fingerprint_size > 0 && (entry->raw || names_target(entry));
    return (fr_kept_desc){
        .name = entry->name,
        .name_size = entry->name_size,
        .fingerprint = says ? entry->fingerprint : "",
        .fingerprint_size = says ? entry->fingerprint_size : 0,
        .raw = entry->raw ? entry->schema.size : 0,
        .tag = entry->rows > 0,
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
        descs[i] = describe_entry(&image->entries[i]);
    }
    for (uint32_t i = 0; i < image->frame_count; i++) {
        find_tags(load, &image->frames[i], descs);
    }
    firn_result result = claim_all(load, descs, err);
    fr_free(allocator, descs, (size_t)count + 1, sizeof *descs, sizeof(void *));
    load->world->adopt_kept = fr_adopt_kept;
    return result;
}
