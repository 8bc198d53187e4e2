#include "snapshot/load.h"

#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/utf8.h"
#include "os/file.h"
#include "snapshot/edges.h"
#include "snapshot/format.h"
#include "snapshot/kept_data.h"
#include "snapshot/lifecycle.h"
#include "snapshot/report.h"

const char *fr_load_name(const fr_load *load, uint32_t entry, char out[256])
{
    const fr_entry *saved = &load->image.entries[entry];
    return fr_printable(out, 256, saved->name, saved->name_size);
}

fr_component *fr_load_registered(const firn_world *world, const char *name, size_t size,
                                 bool *renamed)
{
    size = fr_name_relation(name, size);
    fr_component *component = fr_components_find(&world->components, name, size);
    *renamed = false;
    if (component != NULL) {
        return component;
    }
    component = fr_components_find_former(&world->components, name, size);
    *renamed = component != NULL;
    return component;
}

static int hint_of_registration(void *user, const char *name, size_t size)
{
    bool renamed;
    const fr_component *component = fr_load_registered(user, name, size, &renamed);
    if (component == NULL || component->transient) {
        return -1;
    }
    return component->raw ? 1 : 0;
}

// ---- sources

// A fingerprint that was not understood: parses it again to say why.
static firn_result refuse_schema(const fr_load *load, const fr_entry *saved, const char *name,
                                 firn_error *err)
{
    fr_schema unused = {0};
    firn_error why;
    firn_result result =
        fr_schema_parse(&load->world->allocator, saved->fingerprint, saved->fingerprint_size, name,
                        &load->image.limits, &unused, &why);
    fr_schema_free(&load->world->allocator, &unused);
    return fr_fail_at(err, result, saved->offset, name, "%s", why.message);
}

static firn_result how_from_raw(fr_load *load, uint32_t entry, fr_source *source, firn_error *err)
{
    const fr_entry *saved = &load->image.entries[entry];
    const fr_component *component = source->component;
    const firn_allocator *allocator = &load->world->allocator;
    char name[256];
    fr_load_name(load, entry, name);
    if (component->kind != FIRN_STRUCT && component->kind != FIRN_VALUE) {
        return fr_fail_at(err, FIRN_INVALID, saved->offset, name,
                          "%s is a struct in the save and is registered as another kind", name);
    }
    if (saved->schema.field_count == 0) {
        return refuse_schema(load, saved, name, err);
    }
    if (component->kind == FIRN_VALUE) {
        source->how = FR_RAW_VALUE;
    } else if (component->has_codec) {
        source->how = FR_DECODE_RAW;
    } else if (fr_schema_matches(&saved->schema, &component->layout)) {
        source->how = FR_COPY;
    } else {
        source->how = FR_MIGRATE;
    }
    if (source->how != FR_MIGRATE) {
        return FIRN_OK;
    }
    return fr_migration_make(allocator, &saved->schema, &component->layout, &source->migration,
                             err);
}

static firn_result count_changes(const fr_load *load, fr_source *source, firn_error *err)
{
    const fr_layout *layout = &source->component->layout;
    if (layout->leaf_count == 0) {
        return FIRN_OK;
    }
    source->changed = fr_alloc_zero(&load->world->allocator, layout->leaf_count,
                                    sizeof *source->changed, sizeof(uint64_t));
    return source->changed != NULL ? FIRN_OK : fr_fail_memory(err, source->component->name);
}

static firn_result how_from_encoded(fr_load *load, fr_source *source, firn_error *err)
{
    const fr_component *component = source->component;
    switch (component->kind) {
    case FIRN_TAG:
        source->how = FR_PRESENCE;
        return FIRN_OK;
    case FIRN_VALUE:
        source->how = FR_VALUE;
        return FIRN_OK;
    case FIRN_STRUCT:
        break;
    default:
        source->how = FR_SCALAR;
        return FIRN_OK;
    }
    source->how = component->has_codec ? FR_DECODE : FR_FIELDS;
    return source->how == FR_DECODE ? FIRN_OK : count_changes(load, source, err);
}

static firn_result refuse_name(const fr_load *load, uint32_t entry, firn_result code,
                               const char *why, firn_error *err)
{
    char name[256];
    fr_load_name(load, entry, name);
    return fr_fail_at(err, code, load->image.entries[entry].offset, name, "%s %s", name, why);
}

// A relation: its target, and that the save has it in the form that is registered.
static firn_result how_from_edges(fr_load *load, uint32_t entry, fr_source *source, firn_error *err)
{
    const fr_entry *saved = &load->image.entries[entry];
    const fr_component *component = source->component;
    size_t size = fr_name_relation(saved->name, saved->name_size), arrow = sizeof FR_ARROW - 1;
    bool named = size < saved->name_size;
    if (component->kind != FIRN_RELATION) {
        return refuse_name(load, entry, FIRN_INVALID, "is registered as no relation", err);
    }
    if (saved->rows == 0) {
        return FIRN_OK;
    }
    if (named != fr_relation_is_dense(component)) {
        return refuse_name(load, entry, FIRN_INVALID,
                           named ? "is a dense relation in the save and registered as a sparse one"
                                 : "is a sparse relation in the save and registered as a dense one",
                           err);
    }
    source->how = FR_EDGE;
    load->has_edges = true;
    if (!named) {
        return count_changes(load, source, err);
    }
    source->target = fr_target_of_entry(&load->image, saved, saved->name + size + arrow,
                                        saved->name_size - size - arrow);
    if (source->target == 0) {
        return refuse_name(load, entry, FIRN_CORRUPT, "names no target", err);
    }
    return count_changes(load, source, err);
}

static firn_result find_source(fr_load *load, uint32_t entry, firn_error *err)
{
    const fr_entry *saved = &load->image.entries[entry];
    fr_source *source = &load->sources[entry];
    if (source->component == NULL) {
        return FIRN_OK;
    }
    uint32_t *place = &load->entry_of[source->component->index];
    if (*place != UINT32_MAX && !fr_relation_is_dense(source->component)) {
        char name[256], other[256];
        fr_load_name(load, entry, name);
        return fr_fail_at(err, FIRN_CORRUPT, saved->offset, name,
                          "%s and %s in the save are one component, %s", name,
                          fr_load_name(load, *place, other), source->component->name);
    }
    *place = entry;
    source->transient = source->component->transient;
    return FIRN_OK;
}

static firn_result decide_how(fr_load *load, uint32_t entry, firn_error *err)
{
    fr_source *source = &load->sources[entry];
    if (source->component == NULL || source->transient || source->component->kept) {
        return FIRN_OK;
    }
    const fr_entry *saved = &load->image.entries[entry];
    if (saved->raw) {
        return how_from_raw(load, entry, source, err);
    }
    bool named = fr_name_relation(saved->name, saved->name_size) < saved->name_size;
    return named || source->component->kind == FIRN_RELATION
               ? how_from_edges(load, entry, source, err)
               : how_from_encoded(load, source, err);
}

// The last stack of states that the save has, or NULL.
static const fr_datum *find_stack(const fr_image *image)
{
    for (uint32_t i = image->data_count; i-- > 0;) {
        const fr_datum *datum = &image->data[i];
        if (datum->key_size == sizeof FR_KEY_STATES - 1 &&
            memcmp(datum->key, FR_KEY_STATES, datum->key_size) == 0) {
            return datum;
        }
    }
    return NULL;
}

// Whether an entry is the tag of a state on the save's stack, which is then what is missing.
static bool is_tag_of_state(const fr_image *image, const fr_entry *entry, const fr_datum *stack)
{
    size_t ending = sizeof FR_STATE_TAG - 1, size;
    if (stack == NULL || entry->name_size <= ending ||
        memcmp(entry->name + entry->name_size - ending, FR_STATE_TAG, ending) != 0) {
        return false;
    }
    firn_reader reader;
    firn_reader_begin(&reader, image->bytes + stack->offset, stack->size, &image->limits);
    firn_table_head head = firn_read_table(&reader);
    for (uint32_t i = 0; i < head.array_count; i++) {
        const char *name = firn_read_string(&reader, &size);
        if (name != NULL && size == entry->name_size - ending &&
            memcmp(name, entry->name, size) == 0) {
            return true;
        }
    }
    return false;
}

// The unknown components, unless the game lets them be skipped.
static firn_result refuse_unknown(fr_load *load, firn_error *err)
{
    uint32_t unknown = 0, first = 0;
    for (uint32_t i = load->image.prelude.component_count; i-- > 0;) {
        if (load->sources[i].component == NULL) {
            first = i;
            unknown++;
        }
    }
    if (unknown == 0 || load->options->skip_unknown) {
        return FIRN_OK;
    }
    char name[256];
    fr_load_name(load, first, name);
    const fr_entry *saved = &load->image.entries[first];
    const fr_datum *stack = find_stack(&load->image);
    if (is_tag_of_state(&load->image, saved, stack)) {
        name[strlen(name) - strlen(FR_STATE_TAG)] = '\0';
        return fr_fail_at(err, FIRN_UNKNOWN, stack->offset, name,
                          "the state \"%s\" of the save is not registered", name);
    }
    uint64_t offset = saved->offset;
    if (unknown == 1) {
        return fr_fail_at(err, FIRN_UNKNOWN, offset, name, "component %s is not registered", name);
    }
    return fr_fail_at(err, FIRN_UNKNOWN, offset, name,
                      "component %s and %u more are not registered", name, unknown - 1);
}

// The component of each entry.
static firn_result find_components(fr_load *load, firn_error *err)
{
    uint32_t entries = load->image.prelude.component_count;
    load->sources = fr_alloc_zero(&load->world->allocator, (size_t)entries + 1,
                                  sizeof *load->sources, sizeof(void *));
    if (load->sources == NULL) {
        return fr_fail_memory(err, "component table");
    }
    for (uint32_t i = 0; i < entries; i++) {
        const fr_entry *saved = &load->image.entries[i];
        fr_source *source = &load->sources[i];
        source->component =
            fr_load_registered(load->world, saved->name, saved->name_size, &source->renamed);
    }
    return load->options->keep_unknown ? fr_load_keep(load, err) : FIRN_OK;
}

firn_result fr_load_sources(fr_load *load, firn_error *err)
{
    uint32_t entries = load->image.prelude.component_count;
    firn_result result = find_components(load, err);
    if (result != FIRN_OK) {
        return result;
    }
    load->component_count = load->world->components.count;
    load->entry_of = fr_alloc(&load->world->allocator, (size_t)load->component_count + 1,
                              sizeof *load->entry_of, sizeof(void *));
    if (load->entry_of == NULL) {
        return fr_fail_memory(err, "component table");
    }
    memset(load->entry_of, 0xff, load->component_count * sizeof *load->entry_of);
    for (uint32_t i = 0; result == FIRN_OK && i < entries; i++) {
        result = find_source(load, i, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    load->resolved = true;
    result = refuse_unknown(load, err);
    for (uint32_t i = 0; result == FIRN_OK && i < entries; i++) {
        result = decide_how(load, i, err);
    }
    return result;
}

// ---- the load

firn_result fr_load_check(firn_world *world, const void *bytes, const char *what,
                          const firn_load_options *options, firn_error *err)
{
    if (world == NULL) {
        return fr_fail(err, FIRN_INVALID, "world", "world is NULL");
    }
    if (bytes == NULL) {
        return fr_fail(err, FIRN_INVALID, what, "%s is NULL", what);
    }
    firn_result result = fr_check_reserved(options->reserved, "firn_load_options.reserved", err);
    if (result == FIRN_OK && options->skip_unknown && options->keep_unknown) {
        result = fr_fail(err, FIRN_INVALID, "keep_unknown",
                         "what is not registered is kept or skipped, not both");
    }
    if (result == FIRN_OK) {
        result = fr_world_check_idle(world, err);
    }
    if (result == FIRN_OK) {
        result = fr_world_check_closed(world, err);
    }
    return result;
}

// What the load may bring must fit the world as well: else it could not be loaded again.
firn_result fr_load_limits(const firn_world *world, const firn_load_options *options,
                           firn_limits *out, firn_error *err)
{
    firn_result result = fr_limits_resolve(options != NULL ? options->limits : NULL, out, err);
    if (result == FIRN_OK && (options == NULL || options->limits == NULL)) {
        *out = world->limits;
    } else if (result == FIRN_OK) {
        fr_limits_lower(out, &world->limits);
    }
    return result;
}

firn_result fr_load_read(fr_load *load, const void *bytes, size_t size, bool ids_later,
                         firn_error *err)
{
    firn_world *world = load->world;
    firn_limits limits;
    firn_result result = fr_load_limits(world, load->options, &limits, err);
    if (load->any_size) {
        limits.file_bytes = UINT64_MAX;
    }
    if (result == FIRN_OK) {
        result = fr_image_open(&load->image, bytes, size, &limits, &world->allocator, ids_later,
                               hint_of_registration, world, err);
    }
    return result == FIRN_OK ? fr_load_sources(load, err) : result;
}

firn_result fr_load_open(fr_load *load, const void *bytes, size_t size, bool ids_later,
                         firn_error *err)
{
    firn_result result = fr_load_read(load, bytes, size, ids_later, err);
    if (result == FIRN_OK && load->merge != NULL) {
        result = fr_merge_choose_ids(load, err);
    }
    if (result == FIRN_OK) {
        result = fr_load_targets(load, err);
    }
    return result == FIRN_OK ? fr_load_plan(load, err) : result;
}

static firn_result try_load(fr_load *load, const void *bytes, size_t size, bool ids_later,
                            firn_error *err)
{
    firn_result result = fr_load_open(load, bytes, size, ids_later, err);
    return result == FIRN_OK ? fr_load_prepare(load, err) : result;
}

void fr_load_begin(fr_load *load, firn_world *world, bool any_size,
                   const firn_load_options *options)
{
    *load = (fr_load){.world = world, .any_size = any_size, .options = options};
    firn_buffer_init(&load->scratch, &world->allocator);
    firn_buffer_init(&load->kept_order, &world->allocator);
    fr_entity_index_init(&load->index);
}

// Ids are checked as they are placed, in one pass. When anything fails before that, or there, the
// load starts over with the ids first, so that error and reading are those of a check.
static firn_result prepare_load(fr_load *load, const void *bytes, size_t size, firn_error *err)
{
    firn_error why;
    firn_result result = try_load(load, bytes, size, true, &why);
    if (result == FIRN_OK) {
        return FIRN_OK;
    }
    if (result == FIRN_NO_MEMORY || load->ids_checked) {
        return fr_fail_copy(err, &why);
    }
    fr_load_withdraw(load);
    fr_load_free(load);
    fr_load_begin(load, load->world, load->any_size, load->options);
    return try_load(load, bytes, size, false, err);
}

firn_result fr_load_report_failure(const fr_load *load, firn_result result,
                                   firn_load_report *report, firn_error *err)
{
    if (report->memory == NULL && load->resolved && result != FIRN_NO_MEMORY &&
        fr_report_reserve(load, true, report, err) != FIRN_OK) {
        result = FIRN_NO_MEMORY;
    }
    if (report->memory != NULL) {
        fr_report_fill(load, true, report);
    } else {
        report->prelude = load->image.prelude;
    }
    return result;
}

static firn_result commit_load(fr_load *load, firn_loading *loading, firn_load_report *report,
                               firn_error *err)
{
    fr_load_swap(load);
    fr_loading_commit(loading);
    report->committed = true;
    fr_report_fill(load, false, report);
    loading->brought = load->watched;
    loading->brought_count = load->watched_count;
    const firn_prelude prelude = report->prelude; // the game gets a copy
    firn_result result = fr_loading_deliver(loading, &prelude, err);
    report->kept_data = fr_kept_count(load->world);
    return result;
}

firn_result fr_load_image(firn_world *world, const fr_load_input *input,
                          const firn_load_options *options, firn_load_report *report,
                          firn_error *err)
{
    fr_load load;
    fr_load_begin(&load, world, input->any_size, options);
    firn_loading loading = {.world = world};
    firn_result result = prepare_load(&load, input->bytes, input->size, err);
    if (result == FIRN_OK) {
        result = fr_report_reserve(&load, false, report, err);
    }
    if (result == FIRN_OK) {
        result = fr_loading_begin(&loading, world, &load.image, options, err);
    }
    if (result == FIRN_OK && input->only_check) {
        fr_loading_discard(&loading);
        fr_report_fill(&load, false, report);
        fr_load_withdraw(&load);
    } else if (result == FIRN_OK) {
        result = commit_load(&load, &loading, report, err);
    } else {
        fr_load_withdraw(&load);
        result = fr_load_report_failure(&load, result, report, err);
    }
    fr_loading_free(&loading);
    fr_load_free(&load);
    return result;
}

static firn_result load_bytes(firn_world *world, const fr_load_input *input,
                              const firn_load_options *options, firn_load_report *report,
                              firn_error *err)
{
    const firn_load_options defaults = {0};
    firn_load_report own = {.committed = false};
    if (options == NULL) {
        options = &defaults;
    }
    firn_load_report *told = report != NULL ? report : &own;
    *told = (firn_load_report){0};
    firn_result result = fr_load_check(world, input->bytes, "image", options, err);
    if (result == FIRN_OK) {
        result = fr_load_image(world, input, options, told, err);
    }
    if (report == NULL) {
        firn_load_report_free(&own);
    }
    return result;
}

firn_result firn_snapshot_load(firn_world *world, const void *image, size_t size,
                               const firn_load_options *options, firn_load_report *report,
                               firn_error *err)
{
    const fr_load_input input = {.bytes = image, .size = size};
    return load_bytes(world, &input, options, report, err);
}

firn_result firn_snapshot_check(firn_world *world, const void *image, size_t size,
                                const firn_load_options *options, firn_load_report *report,
                                firn_error *err)
{
    const fr_load_input input = {.bytes = image, .size = size, .only_check = true};
    return load_bytes(world, &input, options, report, err);
}

firn_result firn_snapshot_load_file(firn_world *world, const char *path,
                                    const firn_load_options *options, firn_load_report *report,
                                    firn_error *err)
{
    if (report != NULL) {
        *report = (firn_load_report){0};
    }
    if (world == NULL) {
        return fr_fail(err, FIRN_INVALID, "world", "world is NULL");
    }
    if (path == NULL || *path == '\0') {
        return fr_fail(err, FIRN_INVALID, "path", "path is %s", path ? "empty" : "NULL");
    }
    firn_limits limits;
    firn_result result = fr_load_limits(world, options, &limits, err);
    if (result != FIRN_OK) {
        return result;
    }
    firn_buffer image;
    firn_buffer_init(&image, &world->allocator);
    result = fr_file_read(path, limits.file_bytes, &image, err);
    if (result == FIRN_OK && image.size == 0) {
        result = fr_fail_at(err, FIRN_TRUNCATED, 0, path, "%s is empty", path);
    } else if (result == FIRN_OK) {
        result = firn_snapshot_load(world, image.data, image.size, options, report, err);
    }
    firn_buffer_free(&image);
    return result;
}
