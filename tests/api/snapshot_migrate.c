// Saves of older versions of a game: other fields, other names, other kinds.
#include "api/snapshot_zoo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct unit1 {
    int32_t health;
    double speed;
    float gone;
    uint8_t marks[4];
    int32_t big[2];
    firn_entity leader;
    zoo_point at;
    bool awake;
} unit1;

static const firn_field unit1_fields[] = {
    FIRN_FIELD(unit1, health, FIRN_I32),
    FIRN_FIELD(unit1, speed, FIRN_F64),
    FIRN_FIELD(unit1, gone, FIRN_F32),
    FIRN_FIELD_ARRAY(unit1, marks, FIRN_U8, 4),
    FIRN_FIELD_ARRAY(unit1, big, FIRN_I32, 2),
    FIRN_FIELD(unit1, leader, FIRN_ENTITY),
    FIRN_FIELD_STRUCT(unit1, at, zoo_point, zoo_point_fields),
    FIRN_FIELD(unit1, awake, FIRN_BOOL),
};

typedef struct unit2 {
    uint8_t marks[6]; // more elements
    double hitpoints; // was health
    float speed;      // was a double
    int8_t big[3];    // another type and more elements
    double leader;    // an id as a number
    int64_t level;    // new
    zoo_point place;  // was at
    bool awake;
} unit2;

static const char *const was_health[] = {"energy", "health", NULL};
static const char *const was_at[] = {"at", NULL};

static const firn_field unit2_fields[] = {
    FIRN_FIELD_ARRAY(unit2, marks, FIRN_U8, 6),
    {.name = "hitpoints",
     .type = FIRN_F64,
     .offset = offsetof(unit2, hitpoints),
     .former_names = was_health},
    FIRN_FIELD(unit2, speed, FIRN_F32),
    FIRN_FIELD_ARRAY(unit2, big, FIRN_I8, 3),
    FIRN_FIELD(unit2, leader, FIRN_ENTITY_NUMBER),
    FIRN_FIELD(unit2, level, FIRN_I64),
    {.name = "place",
     .type = FIRN_NESTED,
     .offset = offsetof(unit2, place),
     .fields = zoo_point_fields,
     .field_count = 2,
     .size = sizeof(zoo_point),
     .former_names = was_at},
    FIRN_FIELD(unit2, awake, FIRN_BOOL),
};

static const unit2 unit2_default = {
    .marks = {9, 9, 9, 9, 8, 7}, .hitpoints = -1, .big = {1, 2, 3}, .level = 5, .place = {-1, -1}};

static firn_component_desc unit1_desc(const char *name)
{
    return zoo_struct(name, sizeof(unit1), unit1_fields, FIRN_COUNT(unit1_fields));
}

static firn_component_desc unit2_desc(const char *name)
{
    firn_component_desc desc =
        zoo_struct(name, sizeof(unit2), unit2_fields, FIRN_COUNT(unit2_fields));
    desc.default_row = &unit2_default;
    return desc;
}

static unit1 unit1_of(int i)
{
    unit1 unit;
    memset(&unit, 0, sizeof unit);
    unit.health = 100 + i;
    unit.speed = 0.1;
    unit.gone = 1;
    for (int k = 0; k < 4; k++)
        unit.marks[k] = (uint8_t)(k + 1);
    unit.big[0] = 300; // 44 as an int8_t
    unit.big[1] = -1;
    unit.leader = (UINT64_C(1) << 52) + 1;
    unit.at = (zoo_point){3, 4};
    unit.awake = true;
    return unit;
}

// A save of two unit1.
static firn_buffer save_units(const char *name)
{
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_component_desc desc = unit1_desc(name);
    firn_component component = zoo_register(world, &desc);
    for (int i = 0; i < 2; i++) {
        unit1 unit = unit1_of(i);
        firn_entity entity = zoo_spawn_one(world, component);
        assert_ok(firn_set(world, entity, component, &unit, &err), &err);
    }
    firn_buffer image = zoo_save(world);
    firn_world_destroy(world);
    return image;
}

static firn_load_report load_noting(firn_world *world, const firn_buffer *image, zoo_notes *notes)
{
    firn_error err;
    firn_load_report report;
    assert_ok(firn_snapshot_load(world, image->data, image->size, NULL, &report, &err), &err);
    *notes = zoo_take_notes(&report);
    return report;
}

static void assert_unit2(const unit2 *unit, int i)
{
    static const uint8_t marks[6] = {1, 2, 3, 4, 8, 7};
    assert_non_null(unit);
    assert_memory_equal(unit->marks, marks, 6);
    assert_true(unit->hitpoints == 100 + i);
    assert_true(unit->speed == 0.1f);
    assert_int_equal(unit->big[0], 44);
    assert_int_equal(unit->big[1], -1);
    assert_int_equal(unit->big[2], 3);
    assert_true(unit->leader == 0x1p52 + 1);
    assert_int_equal(unit->level, 5);
    assert_true(unit->place.x == 3 && unit->place.y == 4);
    assert_true(unit->awake);
}

static void T13_fields_are_carried_by_name_and_the_rest_has_its_default(void **state)
{
    (void)state;
    firn_buffer image = save_units("Unit");
    firn_world *world = zoo_empty(NULL);
    firn_component_desc desc = unit2_desc("Unit");
    firn_component component = zoo_register(world, &desc);
    zoo_notes notes;
    for (int round = 0; round < 2; round++) { // cold, and into blocks that fit
        firn_load_report report = load_noting(world, &image, &notes);
        assert_int_equal(report.changed_values, 2);
        assert_unit2(firn_get(world, 1, component), 0);
        assert_unit2(firn_get(world, 2, component), 1);
    }
    assert_note(&notes, FIRN_NOTICE_FIELD, "Unit", "big", 2);
    assert_note(&notes, FIRN_NOTICE_REMOVED, "Unit", "gone", 2);
    assert_note(&notes, FIRN_NOTICE_RENAMED, "Unit", "health", 2);
    assert_note(&notes, FIRN_NOTICE_RENAMED, "Unit", "at.x", 2);
    assert_note(&notes, FIRN_NOTICE_RENAMED, "Unit", "at.y", 2);
    assert_int_equal(notes.count, 5);
    // What was carried is saved in the new form.
    firn_buffer again = zoo_save(world);
    zoo_load(world, &again);
    assert_saves_as(world, &again);
    firn_buffer_free(&again);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void F10_a_renamed_component_is_found_under_its_former_name(void **state)
{
    (void)state;
    static const char *const former[] = {"game.Soldier", "game.Man", NULL};
    firn_buffer image = save_units("game.Man");
    firn_world *world = zoo_empty(NULL);
    firn_component_desc desc = unit2_desc("game.Unit");
    desc.former_names = former;
    firn_component component = zoo_register(world, &desc);
    zoo_notes notes;
    load_noting(world, &image, &notes);
    assert_note(&notes, FIRN_NOTICE_RENAMED, "game.Man", "", 2);
    assert_unit2(firn_get(world, 2, component), 1);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void F10_a_scalar_and_a_tag_are_renamed_like_a_struct(void **state)
{
    (void)state;
    static const char *const former[][2] = {{"zoo.Title", NULL}, {"zoo.Tag", NULL}};
    zoo z = zoo_make(NULL, false);
    firn_error err;
    firn_entity entity = zoo_spawn_one(z.world, z.of[ZOO_TAG]);
    assert_ok(firn_set_text(z.world, entity, z.of[ZOO_TITLE], "a title", &err), &err);
    firn_buffer image = zoo_save(z.world);
    firn_world *world = zoo_empty(NULL);
    firn_component_desc title = {.name = "Caption", .kind = FIRN_STRING, .former_names = former[0]};
    firn_component_desc tag = {.name = "Mark", .kind = FIRN_TAG, .former_names = former[1]};
    firn_component caption = zoo_register(world, &title), mark = zoo_register(world, &tag);
    zoo_load(world, &image);
    size_t size;
    assert_memory_equal(firn_get_string(world, entity, caption, &size), "a title", 7);
    assert_true(firn_has(world, entity, mark));
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
    firn_world_destroy(world);
}

static void F10_a_save_that_holds_the_old_and_the_new_name_is_corrupt(void **state)
{
    (void)state;
    static const char *const former[] = {"a.Old", NULL};
    firn_error err;
    firn_world *old = zoo_empty(NULL), *world = zoo_empty(NULL);
    firn_component_desc first = unit1_desc("a.Old"), second = unit1_desc("b.New");
    firn_component both[] = {zoo_register(old, &first), zoo_register(old, &second)};
    zoo_spawn(old, both, 2);
    firn_buffer image = zoo_save(old);
    second.former_names = former;
    zoo_register(world, &second);
    assert_int_equal(firn_snapshot_load(world, image.data, image.size, NULL, NULL, &err),
                     FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "b.New");
    assert_int_equal(firn_entity_count(world), 0);
    firn_buffer_free(&image);
    firn_world_destroy(old);
    firn_world_destroy(world);
}

// Sets a table {health = 7, speed = 2, at = {x = 1}, marks = {5, 6}, unknown = true}.
static firn_buffer save_tables(void)
{
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_component_desc desc = {.name = "Unit", .kind = FIRN_VALUE};
    firn_component component = zoo_register(world, &desc);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *table = firn_value_table(doc, &err), *at = firn_value_table(doc, &err);
    firn_value *marks = firn_value_table(doc, &err);
    assert_ok(firn_table_push(doc, marks, firn_value_number(doc, 5, &err), &err), &err);
    assert_ok(firn_table_push(doc, marks, firn_value_number(doc, 6, &err), &err), &err);
    assert_ok(firn_table_set_text(doc, at, "x", firn_value_number(doc, 1, &err), &err), &err);
    assert_ok(firn_table_set_text(doc, table, "at", at, &err), &err);
    assert_ok(firn_table_set_text(doc, table, "marks", marks, &err), &err);
    assert_ok(firn_table_set_text(doc, table, "health", firn_value_number(doc, 7.5, &err), &err),
              &err);
    assert_ok(firn_table_set_text(doc, table, "unknown", firn_value_bool(doc, true, &err), &err),
              &err);
    for (int i = 0; i < 3; i++) {
        firn_entity entity = zoo_spawn_one(world, component);
        assert_ok(firn_set_value(world, entity, component, table, &err), &err);
    }
    firn_buffer image = zoo_save(world);
    firn_doc_destroy(doc);
    firn_world_destroy(world);
    return image;
}

static void T13_a_component_saved_as_a_table_becomes_a_struct(void **state)
{
    (void)state;
    firn_buffer image = save_tables();
    firn_world *world = zoo_empty(NULL);
    firn_component_desc desc = unit2_desc("Unit");
    firn_component component = zoo_register(world, &desc);
    zoo_notes notes;
    load_noting(world, &image, &notes);
    for (uint64_t id = 1; id <= 3; id++) {
        static const uint8_t marks[6] = {5, 6, 9, 9, 8, 7};
        const unit2 *unit = firn_get(world, id, component);
        assert_memory_equal(unit->marks, marks, 6);
        assert_true(unit->hitpoints == 7.5);
        assert_int_equal(unit->level, 5);
        assert_true(unit->place.x == 1 && unit->place.y == -1);
        assert_int_equal(unit->big[2], 3);
    }
    assert_note(&notes, FIRN_NOTICE_REMOVED, "Unit", "", 3);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void T13_a_lossy_value_of_a_table_is_counted(void **state)
{
    (void)state;
    firn_buffer image = save_tables();
    firn_world *world = zoo_empty(NULL);
    firn_component_desc desc = unit1_desc("Unit"); // health is an integer there
    firn_component component = zoo_register(world, &desc);
    zoo_notes notes;
    firn_load_report report = load_noting(world, &image, &notes);
    assert_int_equal(((const unit1 *)firn_get(world, 1, component))->health, 7);
    assert_note(&notes, FIRN_NOTICE_FIELD, "Unit", "health", 3);
    assert_int_equal(report.changed_values, 3);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void T13_a_component_saved_as_a_struct_becomes_a_table(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = save_units("Unit");
    firn_world *world = zoo_empty(NULL);
    firn_component_desc desc = {.name = "Unit", .kind = FIRN_VALUE};
    firn_component component = zoo_register(world, &desc);
    zoo_load(world, &image);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *table = firn_get_value(world, 2, component, doc, &err);
    assert_true(firn_table_get_text(table, "health")->as.number == 101);
    assert_true(firn_table_get_text(table, "speed")->as.number == 0.1);
    assert_true(firn_table_get_text(table, "at.y")->as.number == 4);
    assert_int_equal(firn_table_get_text(table, "leader")->kind, FIRN_VALUE_UINT64);
    assert_true(firn_table_get_text(table, "awake")->as.boolean);
    const firn_value *marks = firn_table_get_text(table, "marks");
    assert_int_equal(firn_table_array_count(marks), 4);
    assert_true(firn_table_get_number(marks, 4)->as.number == 4);
    firn_doc_destroy(doc);
    // And back to the struct, which it was.
    firn_buffer tables = zoo_save(world);
    firn_world *back = zoo_empty(NULL);
    firn_component_desc unit = unit1_desc("Unit");
    zoo_register(back, &unit);
    zoo_load(back, &tables);
    assert_saves_as(back, &image);
    firn_buffer_free(&tables);
    firn_buffer_free(&image);
    firn_world_destroy(world);
    firn_world_destroy(back);
}

// A component that changed its kind, beside another that is there to be kept.
static void expect_refused_kind(zoo_kind saved, zoo_kind now, firn_result result)
{
    firn_error err;
    firn_world *from = zoo_empty(NULL), *to = zoo_empty(NULL);
    firn_component_desc old = zoo_desc(saved), new = zoo_desc(now);
    old.name = new.name = "changed";
    zoo_spawn_one(from, zoo_register(from, &old));
    zoo_spawn_one(to, zoo_register(to, &new));
    firn_buffer image = zoo_save(from), before = zoo_save(to);
    firn_load_report report;
    assert_int_equal(firn_snapshot_load(to, image.data, image.size, NULL, &report, &err), result);
    firn_load_report_free(&report);
    assert_error(&err, result, "changed");
    assert_false(report.committed);
    assert_saves_as(to, &before);
    firn_buffer_free(&image);
    firn_buffer_free(&before);
    firn_world_destroy(from);
    firn_world_destroy(to);
}

static void N12_a_value_that_the_component_cannot_hold_leaves_the_world(void **state)
{
    (void)state;
    expect_refused_kind(ZOO_FLAG, ZOO_SCORE, FIRN_INVALID);
    expect_refused_kind(ZOO_FLAG, ZOO_TITLE, FIRN_INVALID);
    expect_refused_kind(ZOO_SCORE, ZOO_FLAG, FIRN_INVALID);
    expect_refused_kind(ZOO_SCORE, ZOO_TITLE, FIRN_INVALID);
    expect_refused_kind(ZOO_TITLE, ZOO_FLAG, FIRN_INVALID);
    expect_refused_kind(ZOO_TITLE, ZOO_SCORE, FIRN_INVALID);
    expect_refused_kind(ZOO_BAG, ZOO_FLAG, FIRN_INVALID);
    expect_refused_kind(ZOO_BAG, ZOO_TITLE, FIRN_INVALID);
    expect_refused_kind(ZOO_POINT, ZOO_FLAG, FIRN_INVALID);
    expect_refused_kind(ZOO_POINT, ZOO_SCORE, FIRN_INVALID);
    expect_refused_kind(ZOO_POINT, ZOO_TITLE, FIRN_INVALID);
    expect_refused_kind(ZOO_POINT, ZOO_TAG, FIRN_INVALID);
    expect_refused_kind(ZOO_BODY, ZOO_FLAG, FIRN_INVALID);
}

static void T13_a_number_saved_as_a_struct_field_crosses_all_types(void **state)
{
    (void)state;
    typedef struct one {
        int64_t n;
    } one;
    typedef struct other {
        uint8_t n;
    } other;
    static const firn_field from_fields[] = {FIRN_FIELD(one, n, FIRN_I64)};
    static const firn_field to_fields[] = {FIRN_FIELD(other, n, FIRN_U8)};
    static const struct {
        int64_t from;
        uint8_t to;
        bool lossy;
    } cases[] = {
        {0, 0, false}, {255, 255, false}, {256, 0, true}, {-1, 255, true}, {INT64_MAX, 255, true}};
    firn_error err;
    firn_world *from = zoo_empty(NULL), *to = zoo_empty(NULL);
    firn_component_desc old = zoo_struct("c", sizeof(one), from_fields, 1);
    firn_component_desc new = zoo_struct("c", sizeof(other), to_fields, 1);
    firn_component a = zoo_register(from, &old), b = zoo_register(to, &new);
    uint64_t lossy = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        firn_entity entity = zoo_spawn_one(from, a);
        assert_ok(firn_set(from, entity, a, &(one){cases[i].from}, &err), &err);
        lossy += cases[i].lossy;
    }
    firn_buffer image = zoo_save(from);
    firn_load_report report = zoo_load(to, &image);
    assert_int_equal(report.changed_values, lossy);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(((const other *)firn_get(to, i + 1, b))->n, cases[i].to);
    firn_buffer_free(&image);
    firn_world_destroy(from);
    firn_world_destroy(to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T13_fields_are_carried_by_name_and_the_rest_has_its_default),
        cmocka_unit_test(F10_a_renamed_component_is_found_under_its_former_name),
        cmocka_unit_test(F10_a_scalar_and_a_tag_are_renamed_like_a_struct),
        cmocka_unit_test(F10_a_save_that_holds_the_old_and_the_new_name_is_corrupt),
        cmocka_unit_test(T13_a_component_saved_as_a_table_becomes_a_struct),
        cmocka_unit_test(T13_a_lossy_value_of_a_table_is_counted),
        cmocka_unit_test(T13_a_component_saved_as_a_struct_becomes_a_table),
        cmocka_unit_test(N12_a_value_that_the_component_cannot_hold_leaves_the_world),
        cmocka_unit_test(T13_a_number_saved_as_a_struct_field_crosses_all_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
