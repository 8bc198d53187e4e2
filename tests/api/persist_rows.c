// Rows of `persist` and Vars that neither component can have: no load brings them, no save has
// them.
#include "api/persist_room.h"
#include "api/persist_section.h"

#include <stdio.h>
#include <string.h>

// ---- rows that firn_persist_set refuses, made of the one of the player

typedef struct bad_row {
    size_t at, count; // bytes of the row
    uint8_t byte;     // what they become
    const char *why;
} bad_row;

#define AT(field) offsetof(firn_persist, field)

static const bad_row bad_rows[] = {
    {AT(mode), 1, 3, "persist: mode is 3, not 0 to 2"},
    {AT(mode), 1, 255, "persist: mode is 255, not 0 to 2"},
    {AT(mode), 3, 1,
     "persist: one that was spawned is saved whole, so that a load can make it again: mode is 1"},
    {AT(id), 1, '#', "persist: the id #layer begins as those of entities without one do"},
    {AT(id), 1, 0xff, "persist: id is no UTF-8"},
    {AT(id), FIRN_PERSIST_ID_SIZE, 'a', "persist: id has no end within its 64 bytes"},
    {AT(fields), 1, 0xff, "persist: fields is no UTF-8"},
    {AT(fields), FIRN_PERSIST_FIELDS_SIZE, 'a', "persist: fields has no end within its 192 bytes"},
};

// Where the row of the player begins among bytes.
static uint8_t *row_in(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i + sizeof(firn_persist) <= size; i++) {
        if (memcmp(bytes + i, "player", 7) == 0)
            return (uint8_t *)bytes + i;
    }
    fail_msg("no row");
    return NULL;
}

static void assert_row_is_told(const room *r, const firn_error *err, const bad_row *bad,
                               uint64_t offset)
{
    char message[300];
    (void)snprintf(message, sizeof message, "entity %d: %s", (int)r->player, bad->why);
    assert_error(err, FIRN_INVALID, "persist");
    assert_string_equal(err->message, message);
    assert_true(err->entity == r->player && err->offset == offset);
}

static void each_bad_row(room *r, const uint8_t *bytes, size_t size,
                         void (*each)(room *r, const bad_row *bad, uint64_t offset))
{
    uint8_t *row = row_in(bytes, size), before[sizeof(firn_persist)];
    memcpy(before, row, sizeof before);
    for (size_t i = 0; i < FIRN_COUNT(bad_rows); i++) {
        memset(row + bad_rows[i].at, bad_rows[i].byte, bad_rows[i].count);
        firn_hash hash = zoo_hash(r->z.world);
        each(r, &bad_rows[i], (uint64_t)(row - bytes));
        assert_int_equal(zoo_hash(r->z.world).total, hash.total);
        memcpy(row, before, sizeof before);
    }
}

// ---- loads

static void load_bad_row(room *r, const bad_row *bad, uint64_t offset)
{
    firn_error err;
    const firn_buffer *image = &r->file;
    assert_int_equal(firn_snapshot_load(r->z.world, image->data, image->size, NULL, NULL, &err),
                     FIRN_INVALID);
    assert_row_is_told(r, &err, bad, offset);
    assert_int_equal(firn_snapshot_check(r->z.world, image->data, image->size, NULL, NULL, &err),
                     FIRN_INVALID);
    assert_row_is_told(r, &err, bad, offset);
    assert_int_equal(firn_snapshot_merge(r->z.world, image->data, image->size, NULL, NULL, &err),
                     FIRN_INVALID);
    assert_row_is_told(r, &err, bad, offset);
}

static void K1_a_snapshot_with_a_row_that_is_none_is_refused(void **state)
{
    room *r = *state;
    r->file = zoo_save(r->z.world);
    room_place(r, r->player, 7);
    each_bad_row(r, r->file.data, r->file.size, load_bad_row);
    zoo_load(r->z.world, &r->file);
}

static void K1_so_is_one_that_lies_row_by_row(void **state)
{
    room *r = *state;
    firn_error err;
    const firn_component_desc desc = {
        .name = "Near", .kind = FIRN_RELATION, .relation = FIRN_SPARSE};
    firn_component near = zoo_register(r->z.world, &desc);
    assert_ok(firn_relate(r->z.world, r->player, near, r->door, NULL, &err), &err);
    const firn_save_options options = {.sparse_edges = true};
    r->file = zoo_save_with(r->z.world, &options);
    each_bad_row(r, r->file.data, r->file.size, load_bad_row);
    zoo_load(r->z.world, &r->file);
}

static void take_bad_row(room *r, const bad_row *bad, uint64_t offset)
{
    firn_error err;
    const void *image;
    size_t size;
    firn_save_file *file = firn_save_file_open(r->file.data, r->file.size, NULL, &err);
    assert_ok(firn_save_file_section(file, FIRN_SECTION_SNAPSHOT, &image, &size, &err), &err);
    firn_buffer copy = {0};
    assert_ok(firn_buffer_append(&copy, image, size, &err), &err);
    uint8_t *row = row_in(copy.data, copy.size);
    memset(row + bad->at, bad->byte, bad->count);
    assert_int_equal(take_with_image(r->saves, &r->file, copy.data, copy.size, &err), FIRN_INVALID);
    assert_row_is_told(r, &err, bad, (uint64_t)(row - copy.data));
    assert_true(offset != 0); // that of the whole file is another one
    firn_buffer_free(&copy);
    firn_save_file_close(file);
}

static void K1_a_save_of_what_persists_with_such_a_row_is_refused(void **state)
{
    room *r = *state;
    firn_buffer whole = zoo_save(r->z.world);
    room_save(r);
    room_place(r, r->player, 7);
    each_bad_row(r, whole.data, whole.size, take_bad_row);
    room_load(r);
    assert_true(room_place_of(r, r->player) == 2);
    firn_buffer_free(&whole);
}

// ---- rows of other forms

// A snapshot of a game with a component of its own of that name, which the room is to load.
static firn_buffer image_of_other(firn_component_desc *desc, const void *row,
                                  const firn_value *value)
{
    firn_error err;
    firn_world *other = firn_world_create(NULL, &err);
    firn_component component = zoo_register(other, desc);
    firn_entity entity = zoo_spawn_one(other, component);
    assert_ok(value != NULL ? firn_set_value(other, entity, component, value, &err)
                            : firn_set(other, entity, component, row, &err),
              &err);
    firn_buffer image = zoo_save(other);
    firn_world_destroy(other);
    return image;
}

static void assert_other_is_refused(room *r, const firn_buffer *image, const char *component,
                                    const char *message)
{
    firn_error err;
    firn_hash hash = zoo_hash(r->z.world);
    assert_int_equal(firn_snapshot_load(r->z.world, image->data, image->size, NULL, NULL, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, component);
    assert_string_equal(err.message, message);
    assert_true(err.entity == 1 && err.offset > 0 && err.offset < image->size);
    assert_int_equal(zoo_hash(r->z.world).total, hash.total);
}

typedef struct other_persist {
    int16_t mode;
    uint16_t spawned;
} other_persist;

static const firn_field other_fields[] = {FIRN_FIELD(other_persist, mode, FIRN_I16),
                                          FIRN_FIELD(other_persist, spawned, FIRN_U16)};

static void K1_a_row_of_other_fields_is_checked_as_what_it_becomes(void **state)
{
    room *r = *state;
    firn_component_desc desc = zoo_struct("persist", sizeof(other_persist), other_fields, 2);
    firn_buffer image = image_of_other(&desc, &(other_persist){.mode = 4}, NULL);
    assert_other_is_refused(r, &image, "persist", "entity 1: persist: mode is 4, not 0 to 2");
    firn_buffer_free(&image);
    image = image_of_other(&desc, &(other_persist){.spawned = 7}, NULL);
    firn_load_report report = zoo_load(r->z.world, &image);
    assert_true(report.committed);
    const firn_persist *row = firn_get(r->z.world, 1, r->persist);
    assert_true(row->spawned && row->mode == FIRN_PERSIST_ALL);
    firn_buffer_free(&image);
}

// What changed is counted once, though the rows were made twice.
static void K1_what_changes_in_such_a_row_is_counted_once(void **state)
{
    room *r = *state;
    firn_error err;
    firn_load_report report;
    firn_component_desc desc = zoo_struct("persist", sizeof(other_persist), other_fields, 2);
    firn_buffer image = image_of_other(&desc, &(other_persist){.mode = 257}, NULL);
    assert_ok(firn_snapshot_load(r->z.world, image.data, image.size, NULL, &report, &err), &err);
    zoo_notes notes = zoo_take_notes(&report);
    assert_note(&notes, FIRN_NOTICE_FIELD, "persist", "mode", 1);
    firn_buffer_free(&image);
}

static void K1_an_encoded_row_is_checked(void **state)
{
    room *r = *state;
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_value *row = firn_value_table(doc, NULL);
    firn_component_desc desc = {.name = "persist", .kind = FIRN_VALUE};
    firn_table_set_text(doc, row, "mode", firn_value_number(doc, 4, NULL), NULL);
    firn_buffer image = image_of_other(&desc, NULL, row);
    assert_other_is_refused(r, &image, "persist", "entity 1: persist: mode is 4, not 0 to 2");
    firn_buffer_free(&image);
    firn_doc_destroy(doc);
}

static void variables_that_are_no_map_are_refused(void **state)
{
    room *r = *state;
    firn_component_desc desc = {.name = "Vars", .kind = FIRN_VALUE};
    const firn_value five = {.kind = FIRN_VALUE_NUMBER, .as.number = 5};
    firn_buffer image = image_of_other(&desc, NULL, &five);
    assert_other_is_refused(r, &image, "Vars", "entity 1: Vars is no map");
    firn_buffer_free(&image);
}

// Beside others, {} is none at all.
static void no_variables_at_all_come_back_as_none(void **state)
{
    room *r = *state;
    firn_error err;
    firn_component vars = firn_vars_component(r->z.world);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    assert_ok(firn_set_value(r->z.world, r->player, vars, firn_value_table(doc, &err), &err), &err);
    assert_ok(firn_add(r->z.world, r->door, &vars, 1, &err), &err);
    firn_buffer image = zoo_save(r->z.world);
    zoo_load(r->z.world, &image);
    const firn_value *value = firn_get_value(r->z.world, r->player, vars, doc, &err);
    assert_true(value != NULL && value->kind == FIRN_VALUE_TABLE);
    assert_null(firn_vars_get(r->z.world, r->door, "keys", doc, &err));
    assert_error(&err, FIRN_NOT_FOUND, "keys");
    firn_buffer_free(&image);
    firn_doc_destroy(doc);
}

// An unknown component that was kept becomes the library's.
static void K1_rows_that_were_kept_are_checked_when_the_component_is_registered(void **state)
{
    room *r = *state;
    firn_error err;
    r->file = zoo_save(r->z.world);
    row_in(r->file.data, r->file.size)[AT(mode)] = 4;
    firn_world *late = firn_world_create(NULL, &err);
    const firn_load_options keep = {.keep_unknown = true};
    assert_ok(firn_snapshot_load(late, r->file.data, r->file.size, &keep, NULL, &err), &err);
    assert_int_equal(firn_persist_register(late, &err), 0);
    assert_error(&err, FIRN_INVALID, "persist");
    assert_true(err.entity == r->player && firn_persist_component(late) == 0);
    firn_world_destroy(late);
}

// ---- saves

static void K1_a_row_that_was_set_past_the_check_is_refused_by_each_save(void **state)
{
    room *r = *state;
    firn_error err;
    firn_buffer out = {0};
    firn_persist row = {.id = "player", .mode = 4};
    assert_ok(firn_set(r->z.world, r->player, r->persist, &row, &err), &err);
    assert_int_equal(firn_snapshot_save(r->z.world, NULL, &out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "persist");
    assert_string_equal(err.message, "entity 2: persist: mode is 4, not 0 to 2");
    assert_true(err.entity == r->player && out.size == 0);
    assert_int_equal(firn_saves_make(r->saves, NULL, &out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "mode");
    assert_true(err.entity == r->player);
    row.mode = 0;
    assert_ok(firn_set(r->z.world, r->player, r->persist, &row, &err), &err);
    assert_ok(firn_saves_make(r->saves, NULL, &out, &err), &err);
    firn_buffer_free(&out);
}

static void variables_that_are_no_map_are_refused_by_a_save(void **state)
{
    room *r = *state;
    firn_error err;
    firn_buffer out = {0};
    firn_component vars = firn_vars_component(r->z.world);
    const firn_value five = {.kind = FIRN_VALUE_NUMBER, .as.number = 5};
    assert_ok(firn_set_value(r->z.world, r->door, vars, &five, &err), &err);
    assert_int_equal(firn_saves_make(r->saves, NULL, &out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "Vars");
    assert_string_equal(err.message, "entity 3: Vars is no map");
    assert_true(err.entity == r->door);
    firn_buffer_free(&out);
}

// The default row of Vars.
static void no_variables_at_all_are_a_map(void **state)
{
    room *r = *state;
    firn_error err;
    firn_component vars = firn_vars_component(r->z.world);
    const firn_value five = {.kind = FIRN_VALUE_NUMBER, .as.number = 5};
    assert_ok(firn_add(r->z.world, r->door, &vars, 1, &err), &err);
    room_save(r);
    assert_ok(firn_vars_set(r->z.world, r->door, "keys", &five, &err), &err);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    assert_true(firn_vars_get(r->z.world, r->door, "keys", doc, &err)->as.number == 5);
    firn_doc_destroy(doc);
}

static void K1_a_part_of_a_row_cannot_be_saved_by_field(void **state)
{
    room *r = *state;
    firn_error err;
    firn_persist row = {.mode = FIRN_PERSIST_FIELDS, .fields = "persist.mode"};
    assert_int_equal(firn_persist_set(r->z.world, r->door, &row, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "persist.mode");
    strcpy(row.fields, "persist");
    assert_ok(firn_persist_set(r->z.world, r->door, &row, &err), &err);
}

// ---- the section

static firn_result take_part(room *r, const char *name, const firn_value *value, firn_error *err)
{
    firn_buffer section = {0};
    firn_writer to;
    firn_writer_begin(&to, &section, NULL);
    firn_write_table(&to, 0, 1);
    firn_write_text(&to, "parts");
    firn_write_table(&to, 1, 0);
    firn_write_table(&to, 3, 0);
    firn_write_text(&to, "lamp");
    firn_write_table(&to, 1, 0);
    firn_write_table(&to, 2, 0);
    firn_write_text(&to, name);
    firn_write_table(&to, 1, 0);
    firn_write_value(&to, value);
    firn_write_table(&to, 0, 0);
    assert_ok(firn_writer_end(&to, err), err);
    firn_result result = take_with_section(r->saves, &r->file, section.data, section.size, err);
    firn_buffer_free(&section);
    return result;
}

static void K1_a_row_that_is_saved_by_field_is_checked(void **state)
{
    room *r = *state;
    firn_error err;
    firn_entity lamp = room_spawn(r, 4);
    room_persist(r, lamp,
                 (firn_persist){.id = "lamp", .mode = FIRN_PERSIST_FIELDS, .fields = "persist"});
    room_save(r);
    firn_hash hash = zoo_hash(r->z.world);
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_value *row = firn_value_table(doc, NULL);
    firn_table_set_text(doc, row, "mode", firn_value_number(doc, 4, NULL), NULL);
    assert_int_equal(take_part(r, "persist", row, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "persist");
    assert_string_equal(err.message, "the saved value of persist: persist: mode is 4, not 0 to 2");
    assert_true(err.entity == lamp);
    assert_int_equal(take_part(r, "Vars", firn_value_number(doc, 4, NULL), &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "Vars");
    assert_int_equal(zoo_hash(r->z.world).total, hash.total);
    room_load(r);
    firn_doc_destroy(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOM(K1_a_snapshot_with_a_row_that_is_none_is_refused),
        IN_ROOM(K1_so_is_one_that_lies_row_by_row),
        IN_ROOM(K1_a_save_of_what_persists_with_such_a_row_is_refused),
        IN_ROOM(K1_a_row_of_other_fields_is_checked_as_what_it_becomes),
        IN_ROOM(K1_what_changes_in_such_a_row_is_counted_once),
        IN_ROOM(K1_an_encoded_row_is_checked),
        IN_ROOM(variables_that_are_no_map_are_refused),
        IN_ROOM(no_variables_at_all_come_back_as_none),
        IN_ROOM(K1_rows_that_were_kept_are_checked_when_the_component_is_registered),
        IN_ROOM(K1_a_row_that_was_set_past_the_check_is_refused_by_each_save),
        IN_ROOM(variables_that_are_no_map_are_refused_by_a_save),
        IN_ROOM(no_variables_at_all_are_a_map),
        IN_ROOM(K1_a_part_of_a_row_cannot_be_saved_by_field),
        IN_ROOM(K1_a_row_that_is_saved_by_field_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
