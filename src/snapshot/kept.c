// What a load keeps of components that are not registered.
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "snapshot/edges.h"
#include "snapshot/format.h"
#include "snapshot/forms.h"
#include "store/kept.h"

// ---- components

// In what firn writes a fingerprint says that a column is raw, but for targets of relationships.
static fr_kept_desc describe_entry(const fr_image *image, const fr_entry *entry,
                                   const fr_form *form)
{
    bool says = entry->fingerprint_size > 0 && (entry->raw || fr_entry_names_target(entry));
    return (fr_kept_desc){
        .name = entry->name,
        .name_size = entry->name_size,
        .fingerprint = says ? entry->fingerprint : "",
        .fingerprint_size = says ? entry->fingerprint_size : 0,
        .raw = entry->raw ? entry->schema.size : 0,
        .tag = form->tag,
        .sparse = form->sparse,
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
    if (saved->rows > 0 && (fr_entry_names_target(saved) || desc->sparse)) {
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

// Those of registered components are known.
static void find_forms(const fr_load *load, fr_form *forms)
{
    for (uint32_t i = 0; i < load->image.prelude.component_count; i++) {
        const fr_component *component = load->sources[i].component;
        forms[i] = (fr_form){.known = component != NULL};
        if (component != NULL) {
            forms[i].tag = component->kind == FIRN_TAG;
            forms[i].sparse = fr_relation_is_sparse(component);
        }
    }
    fr_forms_find(&load->image, forms);
}

static firn_result keep_all(fr_load *load, fr_form *forms, fr_kept_desc *descs, firn_error *err)
{
    const fr_image *image = &load->image;
    find_forms(load, forms);
    for (uint32_t i = 0; i < image->prelude.component_count; i++) {
        descs[i] = describe_entry(image, &image->entries[i], &forms[i]);
    }
    return load->merge != NULL || load->beside ? claim_all_beside(load, descs, err)
                                               : claim_all(load, descs, err);
}

firn_result fr_load_keep(fr_load *load, firn_error *err)
{
    const firn_allocator *allocator = &load->world->allocator;
    size_t count = (size_t)load->image.prelude.component_count + 1;
    fr_kept_desc *descs = fr_alloc(allocator, count, sizeof *descs, sizeof(void *));
    fr_form *forms = fr_alloc(allocator, count, sizeof *forms, 1);
    firn_result result = descs != NULL && forms != NULL ? keep_all(load, forms, descs, err)
                                                        : fr_fail_memory(err, "component table");
    fr_free(allocator, forms, count, sizeof *forms, 1);
    fr_free(allocator, descs, count, sizeof *descs, sizeof(void *));
    load->world->adopt_kept = fr_adopt_kept;
    return result;
}
