// Calls of image.h, and of the table form.
#include "fault/memory_scene.h"

#include <string.h>

// ---- table form

static firn_result save_table(scene *s, firn_error *err)
{
    firn_value *table = NULL;
    firn_result result = firn_snapshot_save_table(s->z.world, NULL, s->doc, &table, err);
    if (result == FIRN_OK)
        scene_trace_value(s, table);
    else
        assert_null(table);
    return result;
}

static void add_coded(scene *s)
{
    firn_component both[] = {s->coded, s->owner};
    zoo_spawn(s->z.world, both, 1);
    zoo_spawn(s->z.world, both, 2);
}

// The document holds the world as it was, with rows that a codec saves.
static void keep_table(scene *s)
{
    firn_error err;
    firn_value *table = NULL;
    firn_data data = {.key = "level", .value = s->table};
    firn_save_options options = {.data = &data, .data_count = 1};
    add_coded(s);
    assert_ok(firn_snapshot_save_table(s->z.world, &options, s->doc, &table, &err), &err);
    s->table = table;
    zoo_litter(&s->z);
}

static firn_result load_table(scene *s, firn_error *err)
{
    firn_load_report report;
    firn_result result = firn_snapshot_load_table(s->z.world, s->table, NULL, &report, err);
    firn_load_report_free(&report);
    assert_int_equal(result == FIRN_OK, report.committed);
    return result;
}

static firn_result check_table(scene *s, firn_error *err)
{
    return firn_snapshot_check_table(s->z.world, s->table, NULL, NULL, err);
}

// ---- images

static firn_image *open_image(scene *s, firn_error *err)
{
    firn_image_options options = {.allocator = &s->memory.allocator};
    const firn_buffer *image = &s->source->image;
    return firn_image_open(image->data, image->size, &options, err);
}

static firn_result open_and_close(scene *s, firn_error *err)
{
    firn_image *image = open_image(s, err);
    firn_image_close(image);
    return scene_made(image != NULL, err);
}

// What takes no memory once the image is open.
static void trace_parts(scene *s, const firn_image *image)
{
    firn_image_info info;
    firn_image_component component;
    firn_image_field field;
    firn_image_archetype archetype;
    firn_image_column column;
    firn_image_datum datum;
    firn_entity ids[64];
    uint32_t place[2];
    firn_image_describe(image, &info);
    scene_trace(s, &info.prelude, sizeof info.prelude);
    for (uint32_t i = 0; firn_image_component_at(image, i, &component); i++) {
        assert_int_equal(firn_image_component_find(image, component.name), i);
        for (uint32_t k = 0; firn_image_field_at(image, i, k, &field); k++)
            scene_trace(s, field.name, field.name_size);
    }
    for (uint32_t i = 0; firn_image_archetype_at(image, i, &archetype); i++) {
        uint32_t count = firn_image_entities(image, i, 0, ids, 64);
        scene_trace(s, ids, count * sizeof *ids);
        assert_true(firn_image_find(image, ids[count - 1], &place[0], &place[1]));
        for (uint32_t k = 0; firn_image_column_at(image, i, k, &column); k++)
            scene_trace(s, column.bytes, column.size);
    }
    for (uint32_t i = 0; firn_image_datum_at(image, i, &datum); i++)
        scene_trace(s, datum.encoded, datum.size);
}

static firn_result walk_parts(scene *s, firn_error *err)
{
    firn_image *image = open_image(s, err);
    if (image == NULL)
        return err->code;
    uint64_t calls = s->memory.calls;
    trace_parts(s, image);
    assert_int_equal(s->memory.calls, calls);
    firn_image_close(image);
    return FIRN_OK;
}

// The first column of a kind: its archetype and place.
static void find_column(const firn_image *image, bool raw, uint32_t *archetype, uint32_t *column)
{
    firn_image_column found;
    for (*archetype = 0;; ++*archetype) {
        assert_true(firn_image_archetype_at(image, *archetype, &(firn_image_archetype){0}));
        for (*column = 0; firn_image_column_at(image, *archetype, *column, &found); ++*column)
            if (found.raw == raw)
                return;
    }
}

static firn_result read_values(scene *s, firn_error *err)
{
    firn_image *image = open_image(s, err);
    firn_result result = scene_made(image != NULL, err);
    for (int raw = 0; result == FIRN_OK && raw < 2; raw++) {
        uint32_t archetype, column;
        find_column(image, raw != 0, &archetype, &column);
        const firn_value *value = firn_image_value(image, archetype, column, 0, s->doc, err);
        result = scene_made(value != NULL, err);
        scene_trace_value(s, value);
        firn_reader reader;
        if (result == FIRN_OK && raw == 0)
            assert_ok(firn_image_reader(image, archetype, column, &reader, err), err);
    }
    firn_image_close(image);
    return result;
}

static firn_result trace_rows(scene *s, firn_image_rows *rows, uint32_t columns, firn_error *err)
{
    while (firn_image_rows_next(rows)) {
        firn_entity entity = firn_image_rows_entity(rows);
        scene_trace(s, &entity, sizeof entity);
        for (uint32_t i = 0; i < columns; i++) {
            size_t size;
            assert_non_null(firn_image_rows_bytes(rows, i, &size));
            const firn_value *value = firn_image_rows_value(rows, i, s->doc, err);
            if (value == NULL)
                return err->code;
            scene_trace_value(s, value);
        }
    }
    return FIRN_OK;
}

static firn_result walk_rows(scene *s, firn_error *err)
{
    firn_image *image = open_image(s, err);
    firn_result result = scene_made(image != NULL, err);
    firn_image_archetype archetype;
    for (uint32_t i = 0; result == FIRN_OK && firn_image_archetype_at(image, i, &archetype); i++) {
        firn_image_rows *rows = firn_image_rows_open(image, i, err);
        result = scene_made(rows != NULL, err);
        if (result == FIRN_OK)
            result = trace_rows(s, rows, archetype.columns, err);
        firn_image_rows_close(rows);
    }
    firn_image_close(image);
    return result;
}

const memory_case memory_image_cases[] = {
    {"firn_snapshot_save_table", save_table, NULL, false},
    {"firn_snapshot_save_table", save_table, add_coded, false},
    {"firn_snapshot_load_table", load_table, keep_table, false},
    {"firn_snapshot_check_table", check_table, keep_table, false},
    {"firn_image_open firn_image_close", open_and_close, NULL, false},
    {"firn_image_describe firn_image_component_at firn_image_component_find firn_image_field_at "
     "firn_image_archetype_at firn_image_entities firn_image_find firn_image_column_at "
     "firn_image_datum_at",
     walk_parts, NULL, false},
    {"firn_image_value firn_image_reader", read_values, NULL, false},
    {"firn_image_rows_open firn_image_rows_close firn_image_rows_next firn_image_rows_entity "
     "firn_image_rows_bytes firn_image_rows_value",
     walk_rows, NULL, false},
    {NULL, NULL, NULL, false},
};
