// Schemas that the caller gives: how columns are read of which the bytes do not say it.
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "snapshot/image.h"

static bool is_encoded_schema(const firn_image_schema *schema)
{
    return schema->fingerprint == NULL || schema->fingerprint[0] == '\0';
}

// What a schema says wrong is the caller's.
static firn_result refuse_given(const firn_error *why, firn_error *err)
{
    return fr_fail(err, why->code == FIRN_CORRUPT ? FIRN_INVALID : why->code, why->subject, "%s",
                   why->message);
}

static firn_result parse_given(const firn_image_schema *given, const firn_allocator *allocator,
                               const firn_limits *limits, fr_schema *out, firn_error *err)
{
    firn_error why;
    fr_error_begin(&why);
    firn_result result = fr_schema_parse(allocator, given->fingerprint, strlen(given->fingerprint),
                                         given->component, limits, out, &why);
    return result == FIRN_OK ? FIRN_OK : refuse_given(&why, err);
}

static firn_result check_given(const firn_image_schema *given, const firn_allocator *allocator,
                               const firn_limits *limits, firn_error *err)
{
    firn_result result =
        fr_check_text_name(given->component, limits->name_bytes, "component name", NULL, err);
    if (result != FIRN_OK || is_encoded_schema(given)) {
        return result;
    }
    if (fr_name_has_arrow(given->component, strlen(given->component))) {
        return fr_fail(err, FIRN_INVALID, given->component,
                       "%s is a target of a relationship: it is always encoded", given->component);
    }
    fr_schema schema;
    result = parse_given(given, allocator, limits, &schema, err);
    if (result == FIRN_OK) {
        fr_schema_free(allocator, &schema);
    }
    return result;
}

firn_result fr_schemas_check(const firn_image_options *options, firn_error *err)
{
    if (options->schema_count > 0 && options->schemas == NULL) {
        return fr_fail(err, FIRN_INVALID, "schemas", "%u schemas at NULL", options->schema_count);
    }
    const firn_allocator *allocator =
        options->allocator != NULL ? options->allocator : firn_allocator_default();
    firn_limits limits;
    firn_result result = fr_limits_resolve(options->limits, &limits, err);
    for (uint32_t i = 0; result == FIRN_OK && i < options->schema_count; i++) {
        result = check_given(&options->schemas[i], allocator, &limits, err);
    }
    return result;
}

static bool says_the_same(const fr_entry *entry, const firn_image_schema *given)
{
    if (is_encoded_schema(given)) {
        return !entry->raw;
    }
    return entry->raw && entry->fingerprint_size == strlen(given->fingerprint) &&
           memcmp(entry->fingerprint, given->fingerprint, entry->fingerprint_size) == 0;
}

static firn_result give_schema(fr_image *image, fr_entry *entry, const firn_image_schema *given,
                               firn_error *err)
{
    entry->doubtful = false;
    if (is_encoded_schema(given)) {
        entry->raw = false;
        return FIRN_OK;
    }
    fr_schema schema;
    firn_result result = parse_given(given, &image->allocator, &image->limits, &schema, err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_schema_free(&image->allocator, &entry->schema);
    entry->schema = schema;
    entry->raw = true;
    entry->fingerprint = given->fingerprint;
    entry->fingerprint_size = (uint32_t)strlen(given->fingerprint);
    return FIRN_OK;
}

firn_result fr_image_give_schemas(fr_image *image, const firn_image_schema *schemas, uint32_t count,
                                  bool *changed, firn_error *err)
{
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < count; i++) {
        const firn_image_schema *given = &schemas[i];
        fr_entry *entry = fr_image_entry(image, given->component, strlen(given->component));
        if (entry == NULL) {
            continue;
        }
        if (entry->given) {
            return fr_fail(err, FIRN_INVALID, given->component, "%s has two schemas",
                           given->component);
        }
        *changed |= !says_the_same(entry, given);
        entry->given = true;
        result = give_schema(image, entry, given, err);
    }
    return result;
}

// Columns are walked in the order of their bytes: the last one that was given before the failure.
static const fr_entry *last_given(const fr_image *image, uint64_t offset)
{
    const fr_entry *last = NULL;
    for (uint32_t i = 0; i < image->span_count; i++) {
        const fr_span *span = &image->spans[i];
        const fr_entry *entry = &image->entries[span->entry];
        if (entry->given && span->offset > 0 && span->offset <= offset) {
            last = entry;
        }
    }
    return last;
}

void fr_image_blame_schema(const fr_image *image, firn_error *err)
{
    bool by_bytes = err != NULL && err->offset != FIRN_NO_OFFSET &&
                    (err->code == FIRN_CORRUPT || err->code == FIRN_TRUNCATED);
    const fr_entry *entry = by_bytes ? last_given(image, err->offset) : NULL;
    if (entry == NULL) {
        return;
    }
    char name[256];
    const firn_error why = *err;
    fr_printable(name, sizeof name, entry->name, entry->name_size);
    (void)fr_fail_at(err, why.code, why.offset, name, "the schema of %s (%s) does not fit: %s",
                     name, entry->raw ? "raw" : "encoded", why.message);
}

fr_entry *fr_image_entry(const fr_image *image, const char *name, size_t size)
{
    const fr_entry wanted = {.name = name, .name_size = (uint32_t)size};
    uint32_t first = 0, end = image->prelude.component_count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        const fr_entry *entry = image->by_name[middle];
        int order = fr_compare_entries(&wanted, entry);
        if (order == 0) {
            return &image->entries[entry - image->entries];
        }
        if (order < 0) {
            end = middle;
        } else {
            first = middle + 1;
        }
    }
    return NULL;
}
