// Reading and writing rows of entities.
#include "base/error.h"
#include "base/sort.h"
#include "buffer/reader.h"
#include "buffer/writer.h"
#include "store/entity.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------- reading

static const fr_column *find_column(const firn_world *world, firn_entity entity,
                                    firn_component handle, uint32_t *row)
{
    fr_archetype *archetype;
    if (world == NULL || !fr_world_find(world, entity, &archetype, row)) {
        return NULL;
    }
    uint32_t index = fr_component_index(world, handle);
    return index == FR_NO_COMPONENT ? NULL : fr_archetype_column(archetype, index);
}

// A row of a relation that may have several targets is not one row.
static bool has_many(const fr_column *column)
{
    return (column->needs & FR_NEEDS_MANY) != 0;
}

const void *firn_get(const firn_world *world, firn_entity entity, firn_component component)
{
    uint32_t row;
    const fr_column *column = find_column(world, entity, component, &row);
    if (column == NULL || has_many(column)) {
        return NULL;
    }
    return column->data + (size_t)row * column->stride;
}

void *firn_get_mut(firn_world *world, firn_entity entity, firn_component component)
{
    uint32_t row;
    const fr_column *column = find_column(world, entity, component, &row);
    if (column == NULL || has_many(column) || (column->needs & FR_NEEDS_FREE) != 0) {
        return NULL;
    }
    return column->data + (size_t)row * column->stride;
}

bool firn_has(const firn_world *world, firn_entity entity, firn_component component)
{
    fr_archetype *archetype;
    uint32_t row;
    if (world == NULL || !fr_world_find(world, entity, &archetype, &row)) {
        return false;
    }
    uint32_t index = fr_component_index(world, component);
    return index != FR_NO_COMPONENT && fr_archetype_term(archetype, index) >= 0;
}

// Merges the two lists of names that an archetype has: of durable terms, of transient ones.
uint32_t firn_entity_components(const firn_world *world, firn_entity entity, firn_component *out,
                                uint32_t room)
{
    fr_archetype *archetype;
    uint32_t row;
    if (world == NULL || !fr_world_find(world, entity, &archetype, &row)) {
        return 0;
    }
    uint32_t durable = 0;
    uint32_t transient = archetype->durable_count;
    uint32_t total = 0;
    const fr_component *last = NULL;
    for (uint32_t i = 0; i < archetype->term_count; i++) {
        const fr_component *a = fr_archetype_named(archetype, durable);
        const fr_component *b = fr_archetype_named(archetype, transient);
        assert(a != NULL); // whichever comes last, it is a term
        bool first =
            b == NULL || (durable < archetype->durable_count &&
                          fr_compare_names(a->name, a->name_size, b->name, b->name_size) < 0);
        durable += first;
        transient += !first;
        // A relation has a term for each target.
        const fr_component *next = first ? a : b;
        if (next != last && !next->kept && total++ < room && out != NULL) {
            out[total - 1] = fr_component_handle(world, next->index);
        }
        last = next;
    }
    return total;
}

const uint8_t *firn_row_encoded(const void *row, size_t *size)
{
    const fr_blob *blob = row;
    if (size != NULL) {
        *size = blob == NULL ? 0 : blob->size;
    }
    return blob == NULL ? NULL : fr_blob_bytes(blob);
}

const char *firn_row_string(const void *row, size_t *size)
{
    size_t encoded_size;
    const uint8_t *encoded = firn_row_encoded(row, &encoded_size);
    if (size != NULL) {
        *size = 0;
    }
    fr_in in;
    uint32_t tag;
    fr_in_begin(&in, encoded, encoded_size);
    if (encoded == NULL || !fr_in_count(&in, &tag) || tag < FR_TAG_STRING) {
        return NULL;
    }
    if (size != NULL) {
        *size = tag - FR_TAG_STRING;
    }
    return (const char *)in.at;
}

const char *firn_get_string(const firn_world *world, firn_entity entity, firn_component component,
                            size_t *size)
{
    if (size != NULL) {
        *size = 0;
    }
    if (firn_component_kind_of(world, component) != FIRN_STRING) {
        return NULL;
    }
    return firn_row_string(firn_get(world, entity, component), size);
}

static const char *kind_words(firn_component_kind kind)
{
    switch (kind) {
    case FIRN_STRUCT:
        return "a struct";
    case FIRN_BOOLEAN:
        return "a boolean";
    case FIRN_NUMBER:
        return "a number";
    case FIRN_STRING:
        return "a string";
    case FIRN_VALUE:
        return "a value";
    case FIRN_RELATION:
        return "a relation";
    case FIRN_TAG:
        break;
    }
    return "a tag";
}

static firn_value *value_of_row(const fr_component *component, const void *row, firn_doc *doc,
                                firn_error *err)
{
    switch (component->kind) {
    case FIRN_BOOLEAN:
        // A game may have written any byte; a save refuses it.
        return firn_value_bool(doc, *(const uint8_t *)row != 0, err);
    case FIRN_NUMBER:
        return firn_value_number(doc, *(const double *)row, err);
    case FIRN_STRING:
    case FIRN_VALUE: {
        size_t size;
        const uint8_t *encoded = firn_row_encoded(row, &size);
        return firn_value_decode(doc, encoded, size, err);
    }
    case FIRN_STRUCT:
    case FIRN_TAG:
    case FIRN_RELATION:
        break;
    }
    fr_fail(err, FIRN_INVALID, component->name, "%s is %s and has no value", component->name,
            kind_words(component->kind));
    return NULL;
}

firn_value *firn_get_value(const firn_world *world, firn_entity entity, firn_component handle,
                           firn_doc *doc, firn_error *err)
{
    if (world == NULL || doc == NULL) {
        const char *argument = world == NULL ? "world" : "doc";
        fr_fail(err, FIRN_INVALID, argument, "%s is NULL", argument);
        return NULL;
    }
    const fr_component *component = fr_component_of(world, handle, "component", err);
    if (component == NULL || fr_world_check_alive(world, entity, err) != FIRN_OK) {
        return NULL;
    }
    const void *row = firn_get(world, entity, handle);
    if (row == NULL && component->kind != FIRN_TAG && component->kind != FIRN_RELATION) {
        fr_fail_entity(err, FIRN_NOT_FOUND, entity, component->name,
                       "entity %" PRIu64 " has no component %s", entity, component->name);
        return NULL;
    }
    return value_of_row(component, row, doc, err);
}

// ---------------------------------------------------------------- writing

// What every set does first; NULL on failure, with the result in *result.
static const fr_component *begin_set(firn_world *world, firn_entity entity, firn_component handle,
                                     bool *deferred, firn_result *result, firn_error *err)
{
    *result = fr_world_enter(world, deferred, err);
    if (*result != FIRN_OK) {
        return NULL;
    }
    const fr_component *component = fr_component_of(world, handle, "component", err);
    if (component == NULL) {
        *result = FIRN_INVALID;
        return NULL;
    }
    *result = fr_world_check_alive(world, entity, err);
    return *result == FIRN_OK ? component : NULL;
}

// Puts a row in: at once where that is the same as in order, else behind the changes that wait.
static firn_result put_row(firn_world *world, firn_entity entity, const fr_component *component,
                           bool deferred, const void *bytes, firn_error *err)
{
    fr_archetype *archetype;
    uint32_t row;
    uint32_t index = component->index;
    if (!deferred) {
        return fr_world_find(world, entity, &archetype, &row)
                   ? fr_entity_set(world, archetype, row, index, bytes, err)
                   : fr_world_fail_dead(entity, err);
    }
    if (fr_world_find(world, entity, &archetype, &row) &&
        fr_archetype_term(archetype, index) >= 0 && !fr_commands_removes(world, entity, index)) {
        return fr_entity_set(world, archetype, row, index, bytes, err);
    }
    return fr_commands_push(world, FR_COMMAND_SET, entity, &index, 1, bytes, err);
}

firn_result firn_set(firn_world *world, firn_entity entity, firn_component handle, const void *row,
                     firn_error *err)
{
    bool deferred;
    firn_result result;
    const fr_component *component = begin_set(world, entity, handle, &deferred, &result, err);
    if (component == NULL) {
        return result;
    }
    if (component->kind == FIRN_TAG) {
        return row == NULL ? firn_add(world, entity, &handle, 1, err)
                           : fr_fail(err, FIRN_INVALID, "row", "row is not NULL and %s is a tag",
                                     component->name);
    }
    if (component->kind == FIRN_STRING || component->kind == FIRN_VALUE) {
        return fr_fail(err, FIRN_INVALID, component->name, "%s is %s: use firn_set_%s",
                       component->name, kind_words(component->kind),
                       component->kind == FIRN_STRING ? "string" : "value");
    }
    if (component->kind == FIRN_RELATION) {
        return fr_fail(err, FIRN_INVALID, component->name, "%s is a relation: use firn_relate",
                       component->name);
    }
    if (row == NULL) {
        return fr_fail(err, FIRN_INVALID, "row", "row is NULL and %s is %s", component->name,
                       kind_words(component->kind));
    }
    return put_row(world, entity, component, deferred, row, err);
}

#define SCRATCH_KEPT 65536

// The scratch buffer stays for the next value unless it has become large.
static void end_scratch(firn_world *world)
{
    firn_buffer_clear(&world->scratch);
    if (world->scratch.capacity > SCRATCH_KEPT) {
        firn_buffer_free(&world->scratch);
    }
}

static firn_result put_blob(firn_world *world, firn_entity entity, const fr_component *component,
                            bool deferred, const uint8_t *encoded, size_t size, firn_error *err)
{
    fr_blob blob;
    if (!fr_blob_make(&world->allocator, encoded, (uint32_t)size, &blob)) {
        return fr_fail_memory(err, component->name);
    }
    // Observers set rows through the same buffer.
    end_scratch(world);
    firn_result result = put_row(world, entity, component, deferred, &blob, err);
    if (result != FIRN_OK) {
        fr_blob_free(&world->allocator, &blob, 1);
    }
    return result;
}

static firn_result check_set_kind(const fr_component *component, firn_component_kind kind,
                                  firn_error *err)
{
    if (component->kind == kind) {
        return FIRN_OK;
    }
    return fr_fail(err, FIRN_INVALID, component->name, "%s is %s, not %s", component->name,
                   kind_words(component->kind), kind_words(kind));
}

firn_result firn_set_string(firn_world *world, firn_entity entity, firn_component handle,
                            const void *bytes, size_t size, firn_error *err)
{
    bool deferred;
    firn_result result;
    const fr_component *component = begin_set(world, entity, handle, &deferred, &result, err);
    if (component == NULL) {
        return result;
    }
    result = check_set_kind(component, FIRN_STRING, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (bytes == NULL && size > 0) {
        return fr_fail(err, FIRN_INVALID, "bytes", "bytes is NULL and size is %zu", size);
    }
    if (size > world->limits.string_bytes || size > FR_STRING_BYTES_MAX) {
        return fr_fail_entity(err, FIRN_LIMIT, entity, component->name,
                              "%s: a string of %zu bytes is above the limit of %" PRIu64,
                              component->name, size, world->limits.string_bytes);
    }
    fr_out out;
    fr_out_begin(&out, &world->scratch, NULL);
    fr_out_encoded_string(&out, bytes, size);
    result = fr_out_end(&out, err);
    if (result == FIRN_OK) {
        result = put_blob(world, entity, component, deferred, world->scratch.data,
                          world->scratch.size, err);
    }
    end_scratch(world);
    return result;
}

firn_result firn_set_text(firn_world *world, firn_entity entity, firn_component component,
                          const char *text, firn_error *err)
{
    if (text == NULL) {
        return fr_fail(err, FIRN_INVALID, "text", "text is NULL");
    }
    return firn_set_string(world, entity, component, text, strlen(text), err);
}

// Encodes into the scratch buffer; a failure names the component before the path.
static firn_result encode_value(firn_world *world, const fr_component *component,
                                const firn_value *value, firn_error *err)
{
    firn_error local;
    firn_result result = firn_value_encode(value, &world->limits, &world->scratch, &local);
    if (result != FIRN_OK) {
        char subject[2 * sizeof local.subject];
        snprintf(subject, sizeof subject, "%s%s", component->name, local.subject);
        return fr_fail(err, result, subject, "%s: %s", component->name, local.message);
    }
    if (world->scratch.size > UINT32_MAX) {
        return fr_fail(err, FIRN_LIMIT, component->name, "%s: a value of %zu bytes is too large",
                       component->name, world->scratch.size);
    }
    return FIRN_OK;
}

firn_result firn_set_value(firn_world *world, firn_entity entity, firn_component handle,
                           const firn_value *value, firn_error *err)
{
    bool deferred;
    firn_result result;
    const fr_component *component = begin_set(world, entity, handle, &deferred, &result, err);
    if (component == NULL) {
        return result;
    }
    result = check_set_kind(component, FIRN_VALUE, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (value == NULL || value->kind == FIRN_VALUE_NIL) {
        return fr_fail(err, FIRN_INVALID, value == NULL ? "value" : component->name,
                       "%s: value is %s", component->name, value == NULL ? "NULL" : "nil");
    }
    result = encode_value(world, component, value, err);
    if (result == FIRN_OK) {
        result = put_blob(world, entity, component, deferred, world->scratch.data,
                          world->scratch.size, err);
    } else if (err != NULL) {
        err->entity = entity;
    }
    end_scratch(world);
    return result;
}
