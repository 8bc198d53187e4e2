// The worlds of tecs/ in table form, as Tecs itself wrote them.
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden/tecs_loaded.h"

// ---- JSON to trees

// Strings are bytes, each written as the character of that number.
static firn_value *make_string(firn_doc *doc, const char *text, size_t size)
{
    char *bytes = malloc(size + 1);
    size_t count = 0;
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++) {
        unsigned character = (uint8_t)text[i];
        if (character >= 0x80) {
            character = (character & 0x1f) << 6 | ((uint8_t)text[++i] & 0x3fu);
        }
        bytes[count++] = (char)(uint8_t)character;
    }
    firn_value *value = firn_value_string(doc, bytes, count, NULL);
    free(bytes);
    return value;
}

static firn_value *make_text(firn_doc *doc, const json_t *json)
{
    const char *text = json_string_value(json);
    if (strncmp(text, "$i64:-", 6) == 0) {
        return firn_value_int64(doc, strtoll(text + 5, NULL, 10), NULL);
    }
    if (strncmp(text, "$i64:", 5) == 0) {
        return firn_value_uint64(doc, strtoull(text + 5, NULL, 10), NULL);
    }
    if (strcmp(text, "$Inf") == 0) {
        return firn_value_number(doc, (double)INFINITY, NULL);
    }
    assert_int_not_equal(text[0], '$');
    return make_string(doc, text, json_string_length(json));
}

static firn_value *make_key(firn_doc *doc, const char *key)
{
    if (strncmp(key, "$key:number:", 12) == 0) {
        return firn_value_number(doc, strtod(key + 12, NULL), NULL);
    }
    if (strncmp(key, "$key:boolean:", 13) == 0) {
        return firn_value_bool(doc, strcmp(key + 13, "true") == 0, NULL);
    }
    return make_string(doc, key, strlen(key));
}

static firn_value *make_tree(firn_doc *doc, json_t *json)
{
    firn_value *table = firn_value_table(doc, NULL);
    const char *key;
    json_t *item;
    size_t i;
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        json_object_foreach(json, key, item)
        {
            assert_ok(firn_table_set(doc, table, make_key(doc, key), make_tree(doc, item), NULL),
                      NULL);
        }
        return table;
    case JSON_ARRAY:
        json_array_foreach(json, i, item)
        {
            assert_ok(firn_table_push(doc, table, make_tree(doc, item), NULL), NULL);
        }
        return table;
    case JSON_STRING:
        return make_text(doc, json);
    case JSON_TRUE:
    case JSON_FALSE:
        return firn_value_bool(doc, json_is_true(json), NULL);
    default:
        return firn_value_number(doc, json_number_value(json), NULL);
    }
}

// Whether Tecs wrote the table form of a file's world.
static bool has_table_format(const golden_file *file, char path[512])
{
    snprintf(path, 512, FIRN_TEST_DATA "/tecs/%s.table.json", file->expect);
    FILE *there = fopen(path, "rb");
    return there != NULL && fclose(there) == 0;
}

// The table form of a file's world; freed with json_decref.
static json_t *read_table_format(const golden_file *file)
{
    char path[512];
    json_error_t error;
    has_table_format(file, path);
    json_t *table = json_load_file(path, JSON_ALLOW_NUL, &error);
    if (table == NULL) {
        fail_msg("%s: %s", path, error.text);
    }
    return table;
}

// ---- load

static void load_table_format(const golden_loaded *golden, firn_world *world)
{
    firn_error err = {0};
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    json_t *json = read_table_format(golden->file);
    firn_result result = firn_snapshot_load_table(world, make_tree(doc, json), NULL, NULL, &err);
    if (result != FIRN_OK) {
        fail_msg("%s: %s: %s", golden->file->path, firn_result_name(result), err.message);
    }
    json_decref(json);
    firn_doc_destroy(doc);
}

static void T1_a_table_of_tecs_loads_to_the_world_of_its_binary_file(void **state)
{
    (void)state;
    uint32_t tables = 0;
    for (uint32_t i = 0; i < golden_file_count; i++) {
        char path[512];
        if (!has_table_format(&golden_files[i], path)) {
            continue; // not written by Tecs
        }
        tables++;
        golden_loaded golden = golden_load(&golden_files[i]);
        firn_error err = {0};
        firn_buffer from_bytes = {0}, from_table = {0};
        firn_world *world = golden_world(golden.file, &err);
        load_table_format(&golden, world);
        assert_golden(world, &golden);
        assert_ok(firn_snapshot_save(golden.world, NULL, &from_bytes, &err), &err);
        assert_ok(firn_snapshot_save(world, NULL, &from_table, &err), &err);
        if (from_bytes.size != from_table.size ||
            memcmp(from_bytes.data, from_table.data, from_table.size) != 0) {
            fail_msg("%s: the table is saved as other bytes", golden.file->path);
        }
        firn_buffer_free(&from_bytes);
        firn_buffer_free(&from_table);
        firn_world_destroy(world);
        golden_unload(&golden);
    }
    assert_true(tables >= 20);
}

// ---- save

#define ENTRIES 32

// The custom data of a load, for the save that follows.
typedef struct kept_data {
    firn_doc *doc;
    firn_data entries[ENTRIES];
    uint32_t count;
} kept_data;

static firn_result keep_data(void *user, firn_world *world, const char *key, const void *encoded,
                             size_t size, firn_error *err)
{
    (void)world;
    kept_data *kept = user;
    for (uint32_t i = 0; i < kept->count; i++) {
        if (strcmp(kept->entries[i].key, key) == 0) {
            return FIRN_OK; // a save has each key once
        }
    }
    assert_true(kept->count < ENTRIES);
    firn_data *entry = &kept->entries[kept->count++];
    entry->key = firn_value_text(kept->doc, key, err)->as.string;
    entry->value = firn_value_decode(kept->doc, encoded, size, err);
    assert_non_null(entry->value);
    return FIRN_OK;
}

// Loads the file once more, and saves it as a table of version 2, which is that of Tecs.
static const firn_value *save_again(const golden_loaded *golden, kept_data *kept)
{
    firn_error err = {0};
    firn_value *table = NULL;
    firn_load_options load = {.on_data = keep_data, .user = kept};
    assert_ok(firn_snapshot_load(golden->world, golden->image, golden->size, &load, NULL, &err),
              &err);
    firn_save_options save = {.data = kept->entries, .data_count = kept->count, .wire_version = 2};
    assert_ok(firn_snapshot_save_table(golden->world, &save, kept->doc, &table, &err), &err);
    return table;
}

// The row of an entity, and the archetype that it is in.
static const firn_value *find_row(const firn_value *table, double id, const firn_value **archetype)
{
    const firn_value *list = firn_table_get_text(table, "archetypes");
    for (uint32_t i = 1; i <= firn_table_array_count(list); i++) {
        *archetype = firn_table_get_number(list, i);
        const firn_value *rows = firn_table_get_text(*archetype, "entities");
        for (uint32_t k = 1; k <= firn_table_array_count(rows); k++) {
            const firn_value *row = firn_table_get_number(rows, k);
            if (firn_table_get_number(row, 1)->as.number == id) {
                return row;
            }
        }
    }
    fail_msg("no entity %.17g", id);
    return NULL;
}

// Tecs prints a large target with an exponent, firn all its digits.
static bool is_component(const char *saved, const char *expected)
{
    const char *arrow = strstr(expected, "->");
    bool rounded = arrow != NULL && strstr(arrow, "e+") != NULL;
    return rounded ? strncmp(saved, expected, (size_t)(arrow - expected) + 2) == 0
                   : strcmp(saved, expected) == 0;
}

// The value of a component in a row, or NULL.
static const firn_value *find_cell(const firn_value *table, const firn_value *archetype,
                                   const firn_value *row, const char *component)
{
    const firn_value *indices = firn_table_get_text(archetype, "columnIndices");
    const firn_value *names = firn_table_get_text(table, "componentTable");
    for (uint32_t i = 1; i <= firn_table_array_count(indices); i++) {
        double index = firn_table_get_number(indices, i)->as.number;
        const firn_value *name = firn_table_get_text(firn_table_get_number(names, index), "name");
        if (is_component(name->as.string, component)) {
            return firn_table_get_number(row, i + 1.0);
        }
    }
    return NULL;
}

static uint32_t cell_count(const firn_value *row)
{
    return firn_table_array_count(row) + firn_table_map_count(row) - 1;
}

// Item i of a row of the JSON, counted from 1: rows with holes are objects.
static const json_t *json_cell(const json_t *row, size_t i)
{
    char key[32];
    snprintf(key, sizeof key, "$key:number:%zu", i);
    return json_is_array(row) ? json_array_get(row, i - 1) : json_object_get(row, key);
}

static bool is_tag(const golden_loaded *golden, const char *component)
{
    firn_component found = firn_component_find(golden->world, component);
    return found != 0 && firn_component_kind_of(golden->world, found) == FIRN_TAG;
}

// What Tecs writes for a tag means nothing.
static void compare_cell(const golden_loaded *golden, const json_t *expect, const firn_value *value,
                         const char *component)
{
    char difference[GOLDEN_ROOM] = "";
    bool same = is_tag(golden, component)
                    ? value != NULL && value->kind == FIRN_VALUE_BOOL && value->as.boolean
                    : golden_is_value(expect, value, component, difference);
    if (!same) {
        fail_msg("%s: %s: %s", golden->file->path, component, difference);
    }
}

static void compare_row(const golden_loaded *golden, const json_t *table_format,
                        const json_t *indices, const json_t *row, const firn_value *table)
{
    const json_t *names = json_object_get(table_format, "componentTable");
    const firn_value *archetype = NULL;
    const firn_value *saved = find_row(table, json_number_value(json_cell(row, 1)), &archetype);
    uint32_t cells = 0;
    for (size_t i = 0; i < json_array_size(indices); i++) {
        size_t index = (size_t)json_integer_value(json_array_get(indices, i));
        const char *component =
            json_string_value(json_object_get(json_array_get(names, index - 1), "name"));
        const json_t *expect = json_cell(row, i + 2);
        if (expect != NULL) {
            compare_cell(golden, expect, find_cell(table, archetype, saved, component), component);
            cells++;
        }
    }
    assert_int_equal(cell_count(saved), cells);
}

static void compare_archetypes(const golden_loaded *golden, const json_t *table_format,
                               const firn_value *table)
{
    size_t i, k, entities = 0;
    json_t *archetype, *row;
    json_array_foreach(json_object_get(table_format, "archetypes"), i, archetype)
    {
        const json_t *indices = json_object_get(archetype, "columnIndices");
        json_array_foreach(json_object_get(archetype, "entities"), k, row)
        {
            compare_row(golden, table_format, indices, row, table);
            entities++;
        }
    }
    assert_true(firn_table_get_text(table, "entityCount")->as.number == (double)entities);
}

static const firn_value *find_data(const firn_value *table, const char *key)
{
    const firn_value *list = firn_table_get_text(table, "data");
    for (uint32_t i = 1; i <= firn_table_array_count(list); i++) {
        const firn_value *entry = firn_table_get_number(list, i);
        if (strcmp(firn_table_get_text(entry, "key")->as.string, key) == 0) {
            return firn_table_get_text(entry, "value");
        }
    }
    return NULL;
}

static bool is_repeated(const json_t *data, size_t index)
{
    const json_t *key = json_object_get(json_array_get(data, index), "key");
    for (size_t i = 0; i < index; i++) {
        if (json_equal(json_object_get(json_array_get(data, i), "key"), key)) {
            return true;
        }
    }
    return false;
}

// firn has more phases than the file, and writes them when something is not as at the start; the
// rest of what Tecs wrote is the same.
static void compare_data(const golden_loaded *golden, const json_t *table_format,
                         const firn_value *table)
{
    const firn_value none = {.kind = FIRN_VALUE_NUMBER, .as.number = 0};
    size_t i;
    json_t *entry;
    json_array_foreach(json_object_get(table_format, "data"), i, entry)
    {
        if (is_repeated(json_object_get(table_format, "data"), i)) {
            continue;
        }
        const char *key = json_string_value(json_object_get(entry, "key"));
        const json_t *expect = json_object_get(entry, "value");
        const firn_value *value = find_data(table, key);
        if (strcmp(key, "__tecs.pipeline") == 0) {
            expect = json_object_get(expect, "fixedAccumulator");
            value = firn_table_get_text(value, "fixedAccumulator");
            value = value != NULL ? value : &none;
        }
        char difference[GOLDEN_ROOM] = "";
        if (!golden_is_value(expect, value, key, difference)) {
            fail_msg("%s: %s", golden->file->path, difference);
        }
    }
}

static void T22_a_tecs_file_is_saved_as_the_table_that_tecs_wrote(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < golden_file_count; i++) {
        char path[512];
        if (!has_table_format(&golden_files[i], path) ||
            strcmp(golden_files[i].expect, "23_schema_v1_for_migration") == 0) {
            continue; // not written by Tecs; loads to a newer schema
        }
        golden_loaded golden = golden_load(&golden_files[i]);
        kept_data kept = {.doc = firn_doc_create(NULL, NULL, NULL)};
        const firn_value *table = save_again(&golden, &kept);
        json_t *expect = read_table_format(golden.file);
        static const char *const numbers[] = {"version", "nextEntityId"};
        for (uint32_t k = 0; k < FIRN_COUNT(numbers); k++) {
            assert_true(firn_table_get_text(table, numbers[k])->as.number ==
                        json_number_value(json_object_get(expect, numbers[k])));
        }
        compare_archetypes(&golden, expect, table);
        compare_data(&golden, expect, table);
        json_decref(expect);
        firn_doc_destroy(kept.doc);
        golden_unload(&golden);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T1_a_table_of_tecs_loads_to_the_world_of_its_binary_file),
        cmocka_unit_test(T22_a_tecs_file_is_saved_as_the_table_that_tecs_wrote),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
