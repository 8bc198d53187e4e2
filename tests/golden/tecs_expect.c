#include "golden/tecs_expect.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool differ(char *difference, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(difference, GOLDEN_ROOM, format, arguments);
    va_end(arguments);
    return false;
}

static bool number_is(double expected, const firn_value *value, const char *path, char *difference)
{
    if (value->kind != FIRN_VALUE_NUMBER) {
        return differ(difference, "%s is of kind %d, not a number", path, (int)value->kind);
    }
    double number = value->as.number;
    bool same = isnan(expected) ? isnan(number) : memcmp(&expected, &number, sizeof number) == 0;
    return same || differ(difference, "%s is %.17g, not %.17g", path, number, expected);
}

static bool integer_is(const char *digits, const firn_value *value, const char *path,
                       char *difference)
{
    char text[32] = "no 64-bit integer";
    if (value->kind == FIRN_VALUE_INT64) {
        snprintf(text, sizeof text, "%" PRId64, value->as.int64);
    } else if (value->kind == FIRN_VALUE_UINT64) {
        snprintf(text, sizeof text, "%" PRIu64, value->as.uint64);
    }
    return strcmp(text, digits) == 0 || differ(difference, "%s is %s, not %s", path, text, digits);
}

bool golden_is_text(const json_t *json, const char *bytes, size_t size)
{
    const uint8_t *text = (const uint8_t *)json_string_value(json);
    const uint8_t *end = text + json_string_length(json);
    size_t i = 0;
    // A character for each byte, in UTF-8.
    while (text < end && i < size) {
        unsigned character = *text++;
        if (character >= 0x80) {
            character = (character & 0x1f) << 6 | (*text++ & 0x3fu);
        }
        if (character != (uint8_t)bytes[i++]) {
            return false;
        }
    }
    return text == end && i == size;
}

// An array of char that holds `text`, and zeros behind it.
static bool characters_are(const char *text, const firn_value *value, const char *path,
                           char *difference)
{
    size_t length = strlen(text);
    uint32_t count = firn_table_array_count(value);
    for (uint32_t i = 0; i < count; i++) {
        const firn_value *character = firn_table_get_number(value, i + 1.0);
        double expected = i < length ? text[i] : 0;
        if (character->kind != FIRN_VALUE_NUMBER || character->as.number != expected) {
            return differ(difference, "%s differs from \"%s\" at %" PRIu32, path, text, i);
        }
    }
    return length <= count || differ(difference, "%s is shorter than \"%s\"", path, text);
}

static bool text_is(const json_t *json, const firn_value *value, const char *path, char *difference)
{
    const char *text = json_string_value(json);
    if (strncmp(text, "$i64:", 5) == 0) {
        return integer_is(text + 5, value, path, difference);
    }
    if (strcmp(text, "$NaN") == 0) {
        return number_is((double)NAN, value, path, difference);
    }
    if (strcmp(text, "$Inf") == 0) {
        return number_is((double)INFINITY, value, path, difference);
    }
    if (value->kind == FIRN_VALUE_TABLE) {
        return characters_are(text, value, path, difference);
    }
    if (value->kind != FIRN_VALUE_STRING) {
        return differ(difference, "%s is of kind %d, not a string", path, (int)value->kind);
    }
    return golden_is_text(json, value->as.string, value->length) ||
           differ(difference, "%s is \"%s\", not \"%s\"", path, value->as.string, text);
}

static bool array_is(const json_t *json, const firn_value *value, const char *path,
                     char *difference)
{
    if (firn_table_array_count(value) != json_array_size(json) ||
        firn_table_map_count(value) != 0) {
        return differ(difference, "%s has %" PRIu32 " elements and %" PRIu32 " entries, not %zu",
                      path, firn_table_array_count(value), firn_table_map_count(value),
                      json_array_size(json));
    }
    for (size_t i = 0; i < json_array_size(json); i++) {
        char item_path[GOLDEN_ROOM];
        snprintf(item_path, sizeof item_path, "%.200s[%zu]", path, i + 1);
        const firn_value *item = firn_table_get_number(value, (double)(i + 1));
        if (!golden_is_value(json_array_get(json, i), item, item_path, difference)) {
            return false;
        }
    }
    return true;
}

static const firn_value *member(const firn_value *table, const char *key)
{
    firn_value boolean = {.kind = FIRN_VALUE_BOOL};
    if (strncmp(key, "$key:number:", 12) == 0) {
        return firn_table_get_number(table, strtod(key + 12, NULL));
    }
    if (strncmp(key, "$key:boolean:", 13) == 0) {
        boolean.as.boolean = strcmp(key + 13, "true") == 0;
        return firn_table_get(table, &boolean);
    }
    return firn_table_get_text(table, key);
}

static bool object_is(const json_t *json, const firn_value *value, const char *path,
                      char *difference)
{
    size_t entries = (size_t)firn_table_array_count(value) + firn_table_map_count(value);
    if (value->kind != FIRN_VALUE_TABLE || entries != json_object_size(json)) {
        return differ(difference, "%s is of kind %d with %zu entries, not a table with %zu", path,
                      (int)value->kind, entries, json_object_size(json));
    }
    const char *key;
    const json_t *item;
    json_object_foreach((json_t *)(uintptr_t)json, key, item)
    {
        char item_path[GOLDEN_ROOM];
        snprintf(item_path, sizeof item_path, "%.120s.%.120s", path, key);
        if (!golden_is_value(item, member(value, key), item_path, difference)) {
            return false;
        }
    }
    return true;
}

bool golden_is_value(const json_t *json, const firn_value *value, const char *path,
                     char difference[GOLDEN_ROOM])
{
    if (value == NULL) {
        return differ(difference, "%s is missing", path);
    }
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        return object_is(json, value, path, difference);
    case JSON_ARRAY:
        return array_is(json, value, path, difference);
    case JSON_STRING:
        return text_is(json, value, path, difference);
    case JSON_INTEGER:
        return number_is((double)json_integer_value(json), value, path, difference);
    case JSON_REAL:
        return number_is(json_real_value(json), value, path, difference);
    case JSON_TRUE:
    case JSON_FALSE:
        return (value->kind == FIRN_VALUE_BOOL && value->as.boolean == json_is_true(json)) ||
               differ(difference, "%s is not %s", path, json_is_true(json) ? "true" : "false");
    case JSON_NULL:
        break;
    }
    return differ(difference, "%s has an expectation without a meaning", path);
}

#define AS(T, bytes) (*(const T *)(const void *)(bytes))

static firn_value *element_value(firn_doc *doc, firn_type type, const uint8_t *bytes)
{
    switch (type) {
    case FIRN_BOOL:
        return firn_value_bool(doc, AS(bool, bytes), NULL);
    case FIRN_I8:
        return firn_value_number(doc, AS(int8_t, bytes), NULL);
    case FIRN_U8:
        return firn_value_number(doc, AS(uint8_t, bytes), NULL);
    case FIRN_I16:
        return firn_value_number(doc, AS(int16_t, bytes), NULL);
    case FIRN_U16:
        return firn_value_number(doc, AS(uint16_t, bytes), NULL);
    case FIRN_I32:
        return firn_value_number(doc, AS(int32_t, bytes), NULL);
    case FIRN_U32:
        return firn_value_number(doc, AS(uint32_t, bytes), NULL);
    case FIRN_I64:
        return firn_value_int64(doc, AS(int64_t, bytes), NULL);
    case FIRN_U64:
        return firn_value_uint64(doc, AS(uint64_t, bytes), NULL);
    case FIRN_F32:
        return firn_value_number(doc, (double)AS(float, bytes), NULL);
    case FIRN_F64:
        return firn_value_number(doc, AS(double, bytes), NULL);
    case FIRN_CHAR:
        return firn_value_number(doc, AS(char, bytes), NULL);
    default:
        return NULL; // no golden component has other fields
    }
}

static size_t element_size(firn_type type)
{
    switch (type) {
#define EXPECT_SIZE(name, text, size)                                                              \
    case FIRN_##name:                                                                              \
        return size;
        FIRN_TYPES(EXPECT_SIZE)
#undef EXPECT_SIZE
    default:
        return 0;
    }
}

static firn_value *field_value(firn_doc *doc, const firn_field *field, const uint8_t *row)
{
    if (field->count == 0) {
        return element_value(doc, field->type, row + field->offset);
    }
    firn_value *array = firn_value_table(doc, NULL);
    for (uint32_t i = 0; i < field->count; i++) {
        const uint8_t *bytes = row + field->offset + i * element_size(field->type);
        firn_table_push(doc, array, element_value(doc, field->type, bytes), NULL);
    }
    return array;
}

// Adds the fields of a row to a table.
static firn_value *add_fields(const golden_file *file, const char *name, const uint8_t *row,
                              firn_doc *doc, firn_value *table)
{
    for (uint32_t i = 0; i < file->component_count; i++) {
        const firn_component_desc *desc = &file->components[i].desc;
        if (strcmp(desc->name, name) != 0) {
            continue;
        }
        for (uint32_t j = 0; j < desc->field_count; j++) {
            const firn_field *field = &desc->fields[j];
            firn_table_set_text(doc, table, field->name, field_value(doc, field, row), NULL);
        }
    }
    return table;
}

static firn_value *struct_value(const golden_file *file, const char *name, const void *row,
                                firn_doc *doc)
{
    return row == NULL ? NULL : add_fields(file, name, row, doc, firn_value_table(doc, NULL));
}

// The component that an expectation names, and of `Relation->target` the target, else 0.
static firn_component find_component(const firn_world *world, const char *text, firn_entity *target)
{
    const char *arrow = strstr(text, "->");
    char name[GOLDEN_ROOM];
    size_t size = arrow != NULL ? (size_t)(arrow - text) : strlen(text);
    snprintf(name, sizeof name, "%.*s", (int)size, text);
    *target = arrow != NULL ? strtoull(arrow + 2, NULL, 10) : 0;
    return firn_component_find(world, name);
}

// The target's sources know the entity, too.
static bool is_source(const firn_world *world, firn_entity entity, firn_component relation,
                      firn_entity target)
{
    firn_entity sources[16];
    uint32_t count = firn_sources(world, relation, target, sources, FIRN_COUNT(sources));
    for (uint32_t i = 0; i < count && i < FIRN_COUNT(sources); i++) {
        if (sources[i] == entity) {
            return true;
        }
    }
    return false;
}

// A relationship as {target = id, fields}; target 0: the only one.
static firn_value *relation_value(const firn_world *world, const golden_file *file,
                                  firn_entity entity, firn_component relation, firn_entity target,
                                  firn_doc *doc)
{
    const firn_entity *row = target != 0 ? firn_related(world, entity, relation, target)
                                         : firn_get(world, entity, relation);
    if (row == NULL || !is_source(world, entity, relation, *row)) {
        return NULL;
    }
    firn_value *table = firn_value_table(doc, NULL);
    firn_table_set_text(doc, table, "target", firn_value_number(doc, (double)*row, NULL), NULL);
    return add_fields(file, firn_component_name(world, relation), (const uint8_t *)row, doc, table);
}

// What an entity holds under the name of an expectation; a tag is true.
static firn_value *component_value(const firn_world *world, const golden_file *file,
                                   firn_entity entity, const char *name, firn_doc *doc)
{
    firn_entity target;
    firn_component component = find_component(world, name, &target);
    const void *row = firn_get(world, entity, component);
    const char *text;
    size_t size;
    switch (firn_component_kind_of(world, component)) {
    case FIRN_STRUCT:
        return struct_value(file, name, row, doc);
    case FIRN_RELATION:
        return relation_value(world, file, entity, component, target, doc);
    case FIRN_BOOLEAN:
        return row == NULL ? NULL : firn_value_bool(doc, AS(bool, row), NULL);
    case FIRN_NUMBER:
        return row == NULL ? NULL : firn_value_number(doc, AS(double, row), NULL);
    case FIRN_STRING:
        text = firn_get_string(world, entity, component, &size);
        return text == NULL ? NULL : firn_value_string(doc, text, size, NULL);
    case FIRN_VALUE:
        return firn_get_value(world, entity, component, doc, NULL);
    case FIRN_TAG:
        return firn_has(world, entity, component) ? firn_value_bool(doc, true, NULL) : NULL;
    }
    return NULL;
}

// Each target of a relationship counts.
static uint32_t count_components(const firn_world *world, firn_entity entity)
{
    firn_component components[16];
    uint32_t count = firn_entity_components(world, entity, components, FIRN_COUNT(components));
    uint32_t sum = count;
    for (uint32_t i = 0; i < count && i < FIRN_COUNT(components); i++) {
        if (firn_component_kind_of(world, components[i]) == FIRN_RELATION) {
            sum += firn_targets(world, entity, components[i], NULL, 0) - 1;
        }
    }
    return sum;
}

static bool entity_is(const firn_world *world, const golden_file *file, const json_t *expect,
                      firn_doc *doc, char *difference)
{
    firn_entity entity = (firn_entity)json_integer_value(json_object_get(expect, "id"));
    uint64_t slot = (uint64_t)json_integer_value(json_object_get(expect, "slot"));
    uint64_t generation = (uint64_t)json_integer_value(json_object_get(expect, "generation"));
    if (!firn_alive(world, entity) || entity != slot + (generation << FIRN_SLOT_BITS)) {
        return differ(difference, "no entity %" PRIu64 " of slot %" PRIu64 ", generation %" PRIu64,
                      entity, slot, generation);
    }
    json_t *components = json_object_get(expect, "components");
    uint32_t count = count_components(world, entity);
    if (count != json_object_size(components)) {
        return differ(difference, "entity %" PRIu64 " has %" PRIu32 " components, not %zu", entity,
                      count, json_object_size(components));
    }
    const char *name;
    json_t *value;
    json_object_foreach(components, name, value)
    {
        char path[GOLDEN_ROOM];
        snprintf(path, sizeof path, "entity %" PRIu64 " %.120s", entity, name);
        firn_value *held = component_value(world, file, entity, name, doc);
        if (!golden_is_value(value, held, path, difference)) {
            return false;
        }
    }
    return true;
}

bool golden_holds(const firn_world *world, const golden_file *file, const json_t *expect,
                  char difference[GOLDEN_ROOM])
{
    const json_t *entities = json_object_get(expect, "entities");
    if (firn_entity_count(world) != json_array_size(entities)) {
        return differ(difference, "%" PRIu32 " entities, not %zu", firn_entity_count(world),
                      json_array_size(entities));
    }
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    bool same = true;
    for (size_t i = 0; same && i < json_array_size(entities); i++) {
        same = entity_is(world, file, json_array_get(entities, i), doc, difference);
    }
    firn_doc_destroy(doc);
    return same;
}
