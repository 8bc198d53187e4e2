// Files of Tecs walked without a world: each value is that of the table that Tecs wrote of the same
// world.
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden/tecs_expect.h"

typedef struct walked {
    const char *name;
    uint8_t *bytes;
    firn_image *image;
    firn_doc *doc;
    json_t *table;
} walked;

static walked open_walked(const char *name)
{
    char path[512];
    size_t size;
    json_error_t error;
    firn_error err;
    walked w = {.name = name, .doc = firn_doc_create(NULL, NULL, NULL)};
    snprintf(path, sizeof path, FIRN_TEST_DATA "/tecs/%s.bin", name);
    w.bytes = test_read_file(path, &size);
    w.image = firn_image_open(w.bytes, size, NULL, &err);
    if (w.image == NULL) {
        fail_msg("%s: %s", name, err.message);
    }
    snprintf(path, sizeof path, FIRN_TEST_DATA "/tecs/%s.table.json", name);
    w.table = json_load_file(path, JSON_ALLOW_NUL, &error);
    if (w.table == NULL) {
        fail_msg("%s: %s", path, error.text);
    }
    return w;
}

static void close_walked(walked *w)
{
    firn_image_close(w->image);
    firn_doc_destroy(w->doc);
    json_decref(w->table);
    free(w->bytes);
}

// Item i of a row, counted from 1: rows with holes are objects.
static const json_t *row_item(const json_t *row, size_t i)
{
    char key[32];
    snprintf(key, sizeof key, "$key:number:%zu", i);
    return json_is_array(row) ? json_array_get(row, i - 1) : json_object_get(row, key);
}

static void compare_value(const walked *w, firn_image_rows *rows, uint32_t column,
                          const json_t *expect)
{
    firn_error err;
    char difference[GOLDEN_ROOM] = "";
    const firn_value *value = firn_image_rows_value(rows, column, w->doc, &err);
    assert_non_null(value);
    bool same = expect == NULL ? value->kind == FIRN_VALUE_NIL
                               : golden_is_value(expect, value, "value", difference);
    if (!same) {
        fail_msg("%s: entity %llu, column %u: %s", w->name,
                 (unsigned long long)firn_image_rows_entity(rows), (unsigned)column, difference);
    }
}

static void compare_columns(const walked *w, uint32_t archetype, const json_t *indices)
{
    firn_image_column column;
    firn_image_component component;
    const json_t *names = json_object_get(w->table, "componentTable");
    for (uint32_t i = 0; firn_image_column_at(w->image, archetype, i, &column); i++) {
        assert_int_equal(column.component + 1, json_integer_value(json_array_get(indices, i)));
        assert_true(firn_image_component_at(w->image, column.component, &component));
        const json_t *name = json_object_get(json_array_get(names, column.component), "name");
        assert_string_equal(component.name, json_string_value(name));
    }
}

static void compare_archetype(const walked *w, uint32_t index, const json_t *expect)
{
    firn_error err;
    firn_image_archetype archetype;
    const json_t *entities = json_object_get(expect, "entities");
    const json_t *indices = json_object_get(expect, "columnIndices");
    assert_true(firn_image_archetype_at(w->image, index, &archetype));
    assert_int_equal(archetype.rows, json_array_size(entities));
    assert_int_equal(archetype.columns, json_array_size(indices));
    compare_columns(w, index, indices);
    firn_image_rows *rows = firn_image_rows_open(w->image, index, &err);
    for (size_t row = 0; firn_image_rows_next(rows); row++) {
        const json_t *expected = json_array_get(entities, row);
        assert_true((json_int_t)firn_image_rows_entity(rows) ==
                    json_integer_value(row_item(expected, 1)));
        for (uint32_t i = 0; i < archetype.columns; i++) {
            compare_value(w, rows, i, row_item(expected, i + 2));
        }
    }
    firn_image_rows_close(rows);
}

static void compare_entries(const walked *w)
{
    size_t i;
    json_t *entry;
    firn_image_datum datum;
    firn_error err;
    json_array_foreach(json_object_get(w->table, "data"), i, entry)
    {
        char difference[GOLDEN_ROOM] = "";
        assert_true(firn_image_datum_at(w->image, (uint32_t)i, &datum));
        const char *key = json_string_value(json_object_get(entry, "key"));
        const firn_value *value = firn_value_decode(w->doc, datum.encoded, datum.size, &err);
        // The order of the game's own entries is that of a hash table.
        if (datum.custom) {
            continue;
        }
        assert_string_equal(datum.key, key);
        if (!golden_is_value(json_object_get(entry, "value"), value, key, difference)) {
            fail_msg("%s: %s", w->name, difference);
        }
    }
    assert_false(firn_image_datum_at(w->image, (uint32_t)i, &datum));
}

static void T22_the_values_of_a_tecs_file_are_walked_without_a_world(void **state)
{
    (void)state;
    static const char *const names[] = {
        "01_empty_world",       "02_bare_entities",
        "03_dense_ffi",         "04_ffi_all_types",
        "05_table_components",  "06_scalars_and_tags",
        "07_custom_codecs",     "10_dense_ffi_relationship",
        "12_large_target_name", "13_states",
        "14_pipeline",          "15_custom_data",
        "16_random_streams",    "18_filter_and_exclude",
        "19_disabled_paused",   "20_transient_requires",
        "21_entity_keys",       "23_schema_v1_for_migration",
        "25_row_major_mixed",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        walked w = open_walked(names[i]);
        const json_t *archetypes = json_object_get(w.table, "archetypes");
        firn_image_info info;
        firn_image_describe(w.image, &info);
        assert_int_equal(info.prelude.frame_count, json_array_size(archetypes));
        assert_false(info.by_firn);
        for (uint32_t k = 0; k < info.prelude.frame_count; k++) {
            compare_archetype(&w, k, json_array_get(archetypes, k));
        }
        compare_entries(&w);
        close_walked(&w);
    }
}

static void T5_targets_in_a_tecs_file_are_told_exactly(void **state)
{
    (void)state;
    firn_image_component component;
    walked w = open_walked("12_large_target_name");
    assert_true(firn_image_component_at(w.image, 0, &component));
    assert_string_equal(component.name, "Likes->9.0071992505467e+15");
    assert_int_equal(component.relation_size, 5);
    assert_true(component.target == 9007199250546693);
    close_walked(&w);
    w = open_walked("10_dense_ffi_relationship");
    uint32_t index = firn_image_component_find(w.image, "Trades->4194305");
    assert_true(firn_image_component_at(w.image, index, &component));
    assert_true(component.relation_size == 6 && component.target == 4194305);
    close_walked(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T22_the_values_of_a_tecs_file_are_walked_without_a_world),
        cmocka_unit_test(T5_targets_in_a_tecs_file_are_told_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
