#include "store/schema.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/utf8.h"
#include "store/leaves.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

// A fingerprint that is being read.
typedef struct schema_parsing {
    const char *text;
    size_t size;
    size_t at;
    const char *component;
    const firn_limits *limits;
    firn_error *err;
    fr_schema *schema;
    uint64_t end;    // wire bytes so far
    uint32_t widest; // the largest alignment so far
} schema_parsing;

static firn_result fail_schema(const schema_parsing *parsing, firn_result code, const char *message)
{
    return fr_fail(parsing->err, code, parsing->component,
                   "the fingerprint of the component \"%s\", byte %zu: %s", parsing->component,
                   parsing->at, message);
}

// Fails about a piece of the fingerprint.
static firn_result fail_piece(const schema_parsing *parsing, firn_result code, const char *what,
                              const char *piece, size_t size)
{
    char shown[64];
    char message[160];
    snprintf(message, sizeof message, "%s \"%s\"", what,
             fr_printable(shown, sizeof shown, piece, size));
    return fail_schema(parsing, code, message);
}

static uint32_t count_fields(const char *text, size_t size)
{
    uint32_t count = 1;
    for (size_t i = 0; i < size && count <= FR_LEAVES_MAX; i++) {
        count += text[i] == ',';
    }
    return count;
}

// Gives a field its natural place.
static firn_result place_field(schema_parsing *parsing, fr_schema_field *field)
{
    uint32_t size = fr_type_size(field->type);
    parsing->end = (parsing->end + size - 1) / size * size;
    field->offset = (uint32_t)parsing->end;
    parsing->end += (uint64_t)size * (field->count == 0 ? 1 : field->count);
    parsing->widest = size > parsing->widest ? size : parsing->widest;
    uint64_t most = parsing->limits->string_bytes;
    if (parsing->end > most || parsing->end > UINT32_MAX - 8) {
        return fail_schema(parsing, FIRN_LIMIT, "a row is larger than the limit string_bytes");
    }
    return FIRN_OK;
}

// Reads `name:type` and the `,` or `|` behind it.
static firn_result parse_field(schema_parsing *parsing, fr_schema_field *field, char *behind)
{
    const char *name = parsing->text + parsing->at;
    size_t left = parsing->size - parsing->at;
    size_t name_size = 0;
    while (name_size < left && strchr(":,|", name[name_size]) == NULL) {
        name_size++;
    }
    if (name_size == left || name[name_size] != ':') {
        return fail_piece(parsing, FIRN_CORRUPT, "no type behind the field", name, name_size);
    }
    if (name_size == 0) {
        return fail_schema(parsing, FIRN_CORRUPT, "a field without a name");
    }
    if (name_size > parsing->limits->name_bytes) {
        return fail_piece(parsing, FIRN_LIMIT, "the field name is too long:", name, name_size);
    }
    parsing->at += name_size + 1;
    const char *type = name + name_size + 1;
    left -= name_size + 1;
    size_t type_size = 0;
    while (type_size < left && strchr(",|", type[type_size]) == NULL) {
        type_size++;
    }
    if (type_size == left) {
        return fail_schema(parsing, FIRN_CORRUPT, "no size at the end");
    }
    *field = (fr_schema_field){.name = name, .name_size = (uint32_t)name_size};
    field->type = fr_type_parse(type, type_size, &field->count);
    if (field->type == FIRN_TYPE_NONE) {
        return fail_piece(parsing, FIRN_CORRUPT, "the unknown type", type, type_size);
    }
    firn_result result = place_field(parsing, field);
    parsing->at += type_size + 1;
    *behind = type[type_size];
    return result;
}

// Reads the size at the end, and compares it with what the fields come to.
static firn_result parse_size(schema_parsing *parsing)
{
    uint64_t widest = parsing->widest;
    uint64_t size = (parsing->end + widest - 1) / widest * widest;
    char expected[24];
    int digits = snprintf(expected, sizeof expected, "%" PRIu64, size);
    const char *given = parsing->text + parsing->at;
    size_t left = parsing->size - parsing->at;
    if (left != (size_t)digits || memcmp(given, expected, left) != 0) {
        char what[80];
        snprintf(what, sizeof what, "the fields come to %s bytes, but the size is", expected);
        return fail_piece(parsing, FIRN_CORRUPT, what, given, left);
    }
    parsing->schema->size = (uint32_t)size;
    return FIRN_OK;
}

static firn_result parse_fields(schema_parsing *parsing)
{
    fr_schema *schema = parsing->schema;
    char behind = ',';
    for (uint32_t i = 0; behind == ','; i++) {
        // There are as many fields as commas and one.
        firn_result result = parse_field(parsing, &schema->fields[i], &behind);
        if (result != FIRN_OK) {
            return result;
        }
        const fr_schema_field *field = &schema->fields[i];
        schema->has_bools |= field->type == FIRN_BOOL;
        schema->names.items[i] = (fr_field_name){field->name, field->name_size, i, false};
        if (behind == '|' && i + 1 < schema->field_count) {
            return fail_schema(parsing, FIRN_CORRUPT, "fields behind the size");
        }
    }
    firn_result result = parse_size(parsing);
    if (result != FIRN_OK) {
        return result;
    }
    const fr_field_name *a;
    const fr_field_name *b;
    if (!fr_field_names_sort(&schema->names, &a, &b)) {
        return fail_piece(parsing, FIRN_CORRUPT, "two fields are named", a->bytes, a->size);
    }
    return FIRN_OK;
}

firn_result fr_schema_parse(const firn_allocator *allocator, const char *fingerprint, size_t size,
                            const char *component, const firn_limits *limits, fr_schema *out,
                            firn_error *err)
{
    fr_schema schema;
    memset(&schema, 0, sizeof schema);
    schema_parsing parsing = {fingerprint, size, 0, component, limits, err, &schema, 0, 1};
    uint32_t count = count_fields(fingerprint, size);
    if (count > FR_LEAVES_MAX) {
        return fail_schema(&parsing, FIRN_LIMIT, "more than 65536 fields");
    }
    // `a:int,` is the shortest field: no memory for fields that cannot be there.
    if (count > 64 && count > size / 6) {
        return fail_schema(&parsing, FIRN_CORRUPT, "more commas than fields");
    }
    schema.fields = fr_alloc(allocator, count, sizeof *schema.fields, alignof(fr_schema_field));
    schema.field_count = schema.fields == NULL ? 0 : count;
    bool made = schema.fields != NULL && fr_field_names_alloc(allocator, &schema.names, count);
    firn_result result = made ? parse_fields(&parsing) : fr_fail_memory(err, "a fingerprint");
    if (result != FIRN_OK) {
        fr_schema_free(allocator, &schema);
        return result;
    }
    *out = schema;
    return FIRN_OK;
}

void fr_schema_free(const firn_allocator *allocator, fr_schema *schema)
{
    fr_free(allocator, schema->fields, schema->field_count, sizeof *schema->fields,
            alignof(fr_schema_field));
    fr_field_names_free(allocator, &schema->names);
    memset(schema, 0, sizeof *schema);
}

bool fr_schema_matches(const fr_schema *schema, const fr_layout *layout)
{
    if (!layout->wire || schema->field_count != layout->leaf_count ||
        schema->size != layout->wire_size) {
        return false;
    }
    for (uint32_t i = 0; i < schema->field_count; i++) {
        const fr_schema_field *field = &schema->fields[i];
        const fr_leaf *leaf = &layout->leaves[i];
        if (field->name_size != leaf->name_size ||
            memcmp(field->name, leaf->name, leaf->name_size) != 0 ||
            fr_type_plain(field->type) != fr_type_plain(leaf->type) ||
            field->count != leaf->count || field->offset != leaf->wire_offset) {
            return false;
        }
    }
    return true;
}

bool fr_schema_check_rows(const fr_schema *schema, const uint8_t *wire, size_t n, size_t *row,
                          uint32_t *field)
{
    for (uint32_t i = 0; schema->has_bools && i < schema->field_count; i++) {
        const fr_schema_field *from = &schema->fields[i];
        if (from->type != FIRN_BOOL || n == 0) {
            continue;
        }
        size_t bad = fr_rows_find_bad_bool(wire + from->offset, schema->size,
                                           from->count == 0 ? 1 : from->count, n);
        if (bad < n) {
            *row = bad;
            *field = i;
            return false;
        }
    }
    return true;
}

void fr_schema_write_row(const fr_schema *schema, const uint8_t *wire, firn_writer *out)
{
    firn_write_table(out, 0, schema->field_count);
    for (uint32_t i = 0; i < schema->names.count; i++) {
        const fr_schema_field *field = &schema->fields[schema->names.sorted[i]->field];
        firn_write_string(out, field->name, field->name_size);
        fr_field_write(field->type, field->count, wire + field->offset, out);
    }
}
