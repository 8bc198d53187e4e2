#include "snapshot/report.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/utf8.h"

// One walk over what there is to tell. It counts first, everything that may come to be told, and
// then tells what did.
typedef struct notice_walk {
    firn_notice *notices; // NULL: only counts
    uint32_t count;
    char *text; // the next free byte
    uint64_t text_bytes;
    uint64_t changed_values;
    uint32_t kept;
} notice_walk;

static const char *keep_field(notice_walk *to, const char *text, size_t size)
{
    char *kept = to->text;
    to->text_bytes += size + 1;
    if (to->notices == NULL) {
        return NULL;
    }
    memcpy(kept, text, size);
    kept[size] = '\0';
    to->text += size + 1;
    return kept;
}

static void note(notice_walk *to, firn_notice_kind kind, const char *component, const char *field,
                 uint64_t count)
{
    if (to->notices != NULL && count == 0) {
        return;
    }
    const char *kept = field[0] != '\0' ? keep_field(to, field, strlen(field)) : "";
    if (to->notices != NULL) {
        to->notices[to->count] = (firn_notice){kind, component, kept, count};
    }
    to->count++;
}

static void tell_fields(const fr_source *source, const fr_entry *saved, const char *name,
                        notice_walk *to)
{
    const fr_layout *layout = &source->component->layout;
    const uint64_t *changed =
        source->how == FR_MIGRATE ? source->migration.changed : source->changed;
    for (uint32_t leaf = 0; leaf < layout->leaf_count; leaf++) {
        to->changed_values += changed[leaf];
        note(to, FIRN_NOTICE_FIELD, name, layout->leaves[leaf].name, changed[leaf]);
    }
    if (source->how != FR_MIGRATE) {
        note(to, FIRN_NOTICE_REMOVED, name, "", source->removed);
        return;
    }
    for (uint32_t i = 0; i < saved->schema.field_count; i++) {
        const fr_schema_field *field = &saved->schema.fields[i];
        char text[256];
        fr_printable(text, sizeof text, field->name, field->name_size);
        if (source->migration.used[i] != 1) {
            note(to, source->migration.used[i] ? FIRN_NOTICE_RENAMED : FIRN_NOTICE_REMOVED, name,
                 text, saved->rows);
        }
    }
}

static void tell_unknown(const fr_load *load, const firn_saved_component *names, notice_walk *to)
{
    for (uint32_t i = 0; i < load->image.prelude.component_count; i++) {
        if (load->sources[i].component == NULL) {
            // Also where it has no rows.
            uint64_t rows = load->image.entries[i].rows;
            firn_notice notice = {FIRN_NOTICE_UNKNOWN, names != NULL ? names[i].name : "", "",
                                  rows};
            if (to->notices != NULL) {
                to->notices[to->count] = notice;
            }
            to->count++;
        }
    }
}

static void tell_all(const fr_load *load, const firn_saved_component *names, notice_walk *to)
{
    for (uint32_t i = 0; i < load->image.prelude.component_count; i++) {
        const fr_source *source = &load->sources[i];
        const fr_entry *saved = &load->image.entries[i];
        const char *name = names != NULL ? names[i].name : "";
        if (source->component == NULL) {
            continue;
        }
        if (source->transient) {
            note(to, FIRN_NOTICE_TRANSIENT, name, "", saved->rows);
        }
        if (source->component->kept) {
            to->kept++;
            note(to, FIRN_NOTICE_KEPT, name, "", saved->rows);
        }
        if (source->renamed) {
            note(to, FIRN_NOTICE_RENAMED, name, "", saved->rows);
        }
        note(to, FIRN_NOTICE_TARGET, name, "", source->dropped);
        if (source->how == FR_MIGRATE || source->changed != NULL) {
            tell_fields(source, saved, name, to);
        }
    }
    note(to, FIRN_NOTICE_DISCARDED, "", "", load->discarded);
}

static void walk_notices(const fr_load *load, bool failed, const firn_saved_component *names,
                         notice_walk *to)
{
    tell_unknown(load, names, to);
    if (!failed) {
        tell_all(load, names, to);
    }
}

// ---- the memory: component table, notices, texts

static const char *put_name(char **text, const char *bytes, size_t size)
{
    char *kept = *text;
    if (size > 0) {
        memcpy(kept, bytes, size);
    }
    kept[size] = '\0';
    *text += size + 1;
    return kept;
}

static void put_components(const fr_image *image, firn_saved_component *components, char *text)
{
    for (uint32_t i = 0; i < image->prelude.component_count; i++) {
        const fr_entry *entry = &image->entries[i];
        components[i].name = put_name(&text, entry->name, entry->name_size);
        components[i].fingerprint = put_name(&text, entry->fingerprint, entry->fingerprint_size);
    }
}

firn_result fr_report_reserve(const fr_load *load, bool failed, firn_load_report *report,
                              firn_error *err)
{
    const firn_allocator *allocator = &load->world->allocator;
    const fr_image *image = &load->image;
    uint32_t components = image->prelude.component_count;
    notice_walk most = {.count = 0};
    walk_notices(load, failed, NULL, &most);
    uint64_t names = 0;
    for (uint32_t i = 0; i < components; i++) {
        names += (uint64_t)image->entries[i].name_size + image->entries[i].fingerprint_size + 2;
    }
    uint64_t notices_at = (uint64_t)components * sizeof(firn_saved_component);
    uint64_t names_at = notices_at + (uint64_t)most.count * sizeof(firn_notice);
    uint64_t size = names_at + names + most.text_bytes + 1; // never 0
    if (size > SIZE_MAX / 2) {
        return fr_fail_memory(err, "report");
    }
    uint8_t *memory = fr_alloc(allocator, (size_t)size, 1, sizeof(uint64_t));
    if (memory == NULL) {
        return fr_fail_memory(err, "report");
    }
    report->allocator = *allocator;
    report->memory = memory;
    report->memory_size = (size_t)size;
    report->prelude = image->prelude;
    report->prelude.components = (const firn_saved_component *)(void *)memory;
    report->notices = (const firn_notice *)(void *)(memory + notices_at);
    put_components(image, (firn_saved_component *)(void *)memory, (char *)memory + names_at);
    report->text = (char *)memory + names_at + names;
    return FIRN_OK;
}

void fr_report_fill(const fr_load *load, bool failed, firn_load_report *report)
{
    notice_walk to = {.notices = (firn_notice *)report->notices, .text = report->text};
    walk_notices(load, failed, report->prelude.components, &to);
    report->notice_count = to.count;
    report->changed_values = to.changed_values;
    report->kept = to.kept;
    report->discarded = load->discarded;
    for (uint32_t i = 0; i < report->notice_count; i++) {
        report->unknown += report->notices[i].kind == FIRN_NOTICE_UNKNOWN;
    }
}

void firn_load_report_free(firn_load_report *report)
{
    if (report == NULL || report->memory == NULL) {
        return;
    }
    fr_free(&report->allocator, report->memory, report->memory_size, 1, sizeof(uint64_t));
    report->memory = NULL;
    report->text = NULL;
    report->notices = NULL;
    report->notice_count = 0;
    report->prelude.components = NULL;
}
