// Saved rows carried into another layout.
#include "support/support.h"

#include <stdalign.h>
#include <string.h>

#include "buffer/bytes.h"
#include "store/schema.h"

// A saved schema, a layout of now, and the way from one to the other.
typedef struct migration_fixture {
    test_allocator memory;
    fr_schema from;
    fr_layout to;
    fr_migration way;
    firn_error err;
} migration_fixture;

static void open_migration(migration_fixture *f, const char *fingerprint, size_t size, size_t align,
                           const firn_field *fields, uint32_t count)
{
    memset(f, 0, sizeof *f);
    test_allocator_init(&f->memory);
    firn_limits limits;
    firn_limits_default(&limits);
    firn_component_desc desc = {
        .name = "Body", .size = size, .align = align, .fields = fields, .field_count = count};
    const firn_allocator *allocator = &f->memory.allocator;
    assert_ok(fr_schema_parse(allocator, fingerprint, strlen(fingerprint), "Body", &limits,
                              &f->from, &f->err),
              &f->err);
    assert_ok(fr_layout_make(allocator, &desc, &limits, &f->to, &f->err), &f->err);
    assert_ok(fr_migration_make(allocator, &f->from, &f->to, &f->way, &f->err), &f->err);
}

#define OPEN(f, fingerprint, T, fields)                                                            \
    open_migration(f, fingerprint, sizeof(T), alignof(T), fields, FIRN_COUNT(fields))

static void close_migration(migration_fixture *f)
{
    const firn_allocator *allocator = &f->memory.allocator;
    fr_migration_free(allocator, &f->from, &f->to, &f->way);
    fr_layout_free(allocator, &f->to);
    fr_schema_free(allocator, &f->from);
    assert_no_leak(&f->memory);
}

static void store_float(uint8_t *wire, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    fr_store_u32(wire, bits);
}

// The component Body of the recorded file 23_schema_v1_for_migration, as it is now.
typedef struct body {
    int32_t flags;
    float hp;
    float m[3];
    float x;
    int16_t y;
    int32_t armor;
    float z;
} body;

static const firn_field body_fields[] = {
    FIRN_FIELD(body, flags, FIRN_I32),      FIRN_FIELD(body, hp, FIRN_F32),
    FIRN_FIELD_ARRAY(body, m, FIRN_F32, 3), FIRN_FIELD(body, x, FIRN_F32),
    FIRN_FIELD(body, y, FIRN_I16),          FIRN_FIELD(body, armor, FIRN_I32),
    FIRN_FIELD(body, z, FIRN_F32),
};

#define BODY_V1 "x:double,y:double,hp:int32_t,flags:uint8_t,old:float,m:float[3]|40"

static void store_body_v1(uint8_t *wire, double x, double y, int32_t hp, uint8_t flags, float m)
{
    memset(wire, 0, 40);
    fr_store_f64(wire, x);
    fr_store_f64(wire + 8, y);
    fr_store_u32(wire + 16, (uint32_t)hp);
    wire[20] = flags;
    store_float(wire + 24, 99);
    for (unsigned i = 0; i < 3; i++) {
        store_float(wire + 28 + 4 * i, m + (float)i);
    }
}

static void T13_fields_are_carried_by_name_and_converted(void **state)
{
    (void)state;
    migration_fixture f;
    OPEN(&f, BODY_V1, body, body_fields);
    uint8_t wire[80];
    store_body_v1(wire, 1.25, -7, 90, 255, 1);
    store_body_v1(wire + 40, 0.1, 1e6, -1, 0, 4);
    body rows[2] = {{.armor = 25, .z = 3}, {.armor = 25, .z = 3}};
    fr_migration_apply(&f.way, &f.from, &f.to, wire, 2, rows);
    assert_true(rows[0].x == 1.25f && rows[0].y == -7 && rows[0].hp == 90 && rows[0].flags == 255);
    assert_true(rows[1].x == (float)0.1 && rows[1].y == (int16_t)1000000 && rows[1].hp == -1);
    assert_true(rows[1].flags == 0);
    for (unsigned i = 0; i < 3; i++) {
        assert_true(rows[0].m[i] == 1 + (float)i && rows[1].m[i] == 4 + (float)i);
    }
    close_migration(&f);
}

static void T13_new_fields_keep_the_default_row(void **state)
{
    (void)state;
    migration_fixture f;
    OPEN(&f, BODY_V1, body, body_fields);
    uint8_t wire[40];
    store_body_v1(wire, 0, 0, 0, 0, 0);
    body row = {.armor = 25, .z = 3};
    fr_migration_apply(&f.way, &f.from, &f.to, wire, 1, &row);
    assert_int_equal(row.armor, 25);
    assert_true(row.z == 3);
    close_migration(&f);
}

static void T13_fields_that_no_leaf_takes_are_not_used(void **state)
{
    (void)state;
    migration_fixture f;
    OPEN(&f, BODY_V1, body, body_fields);
    static const uint8_t expected[6] = {1, 1, 1, 1, 0, 1};
    assert_memory_equal(f.way.used, expected, 6);
    close_migration(&f);
}

static void T13_values_that_change_are_counted_under_their_leaf(void **state)
{
    (void)state;
    migration_fixture f;
    OPEN(&f, BODY_V1, body, body_fields);
    uint8_t wire[120];
    store_body_v1(wire, 0.1, 1e6, 0, 0, 0); // x is rounded, y changes
    store_body_v1(wire + 40, 1e300, 7.9, 0, 0, 0);
    store_body_v1(wire + 80, 1, -5, 16777217, 0, 0);
    body rows[3];
    memset(rows, 0, sizeof rows);
    fr_migration_apply(&f.way, &f.from, &f.to, wire, 3, rows);
    static const uint64_t expected[7] = {0, 0, 0, 1, 2, 0, 0};
    for (unsigned i = 0; i < 7; i++) {
        assert_int_equal(f.way.changed[i], expected[i]);
    }
    fr_migration_apply(&f.way, &f.from, &f.to, wire, 3, rows);
    assert_int_equal(f.way.changed[4], 4);
    close_migration(&f);
}

typedef struct arrays {
    int32_t longer[4];
    int32_t shorter[2];
    double converted[3];
    int32_t single;
    float many[2];
    char text[4];
} arrays;

static const firn_field arrays_fields[] = {
    FIRN_FIELD_ARRAY(arrays, longer, FIRN_I32, 4),
    FIRN_FIELD_ARRAY(arrays, shorter, FIRN_I32, 2),
    FIRN_FIELD_ARRAY(arrays, converted, FIRN_F64, 3),
    FIRN_FIELD(arrays, single, FIRN_I32),
    FIRN_FIELD_ARRAY(arrays, many, FIRN_F32, 2),
    FIRN_FIELD_ARRAY(arrays, text, FIRN_CHAR, 4),
};

static void T13_arrays_keep_what_both_have(void **state)
{
    (void)state;
    migration_fixture f;
    OPEN(&f,
         "longer:int[2],shorter:int[3],converted:uint8_t[2],single:int[2],many:float,text:char[2]"
         "|40",
         arrays, arrays_fields);
    uint8_t wire[40] = {0};
    for (unsigned i = 0; i < 5; i++) {
        fr_store_u32(wire + 4 * i, 10 + i);
    }
    wire[20] = 200;
    wire[21] = 201;
    fr_store_u32(wire + 24, 30);
    fr_store_u32(wire + 28, 31);
    store_float(wire + 32, 1.5f);
    memcpy(wire + 36, "ab", 2);
    arrays row = {{1, 2, 3, 4}, {5, 6}, {7, 8, 9}, 5, {6, 7}, "xyz"};
    fr_migration_apply(&f.way, &f.from, &f.to, wire, 1, &row);
    static const int32_t longer[4] = {10, 11, 3, 4};
    assert_memory_equal(row.longer, longer, sizeof longer);
    assert_true(row.shorter[0] == 12 && row.shorter[1] == 13);
    assert_true(row.converted[0] == 200 && row.converted[1] == 201 && row.converted[2] == 9);
    assert_int_equal(row.single, 30);
    assert_true(row.many[0] == 1.5f && row.many[1] == 7);
    assert_string_equal(row.text, "abz");
    close_migration(&f);
}

typedef struct renamed {
    int32_t health;
    int32_t mana;
} renamed;

static void F10_a_renamed_field_is_found_by_its_former_names(void **state)
{
    (void)state;
    static const char *const health_was[] = {"hp", "life", NULL};
    firn_field fields[] = {FIRN_FIELD(renamed, health, FIRN_I32),
                           FIRN_FIELD(renamed, mana, FIRN_I32)};
    fields[0].former_names = health_was;
    migration_fixture f;
    OPEN(&f, "life:int16_t,mana:int|8", renamed, fields);
    static const uint8_t used[2] = {2, 1};
    assert_memory_equal(f.way.used, used, 2);
    uint8_t wire[8] = {0xfe, 0xff, 0, 0, 9, 0, 0, 0};
    renamed row = {0, 0};
    fr_migration_apply(&f.way, &f.from, &f.to, wire, 1, &row);
    assert_int_equal(row.health, -2);
    assert_int_equal(row.mana, 9);
    close_migration(&f);
}

static void F10_a_field_by_its_own_name_is_stronger_than_by_a_former_one(void **state)
{
    (void)state;
    static const char *const health_was[] = {"hp", NULL};
    firn_field fields[] = {FIRN_FIELD(renamed, health, FIRN_I32)};
    fields[0].former_names = health_was;
    migration_fixture f;
    OPEN(&f, "hp:int,health:int|8", renamed, fields);
    static const uint8_t used[2] = {0, 1};
    assert_memory_equal(f.way.used, used, 2);
    uint8_t wire[8] = {1, 0, 0, 0, 2, 0, 0, 0};
    renamed row = {0, 0};
    fr_migration_apply(&f.way, &f.from, &f.to, wire, 1, &row);
    assert_int_equal(row.health, 2);
    close_migration(&f);
}

static void F10_a_renamed_nested_struct_is_found(void **state)
{
    (void)state;
    static const char *const was[] = {"pos", NULL};
    static const firn_field inner[] = {{.name = "x", .type = FIRN_I32},
                                       {.name = "y", .type = FIRN_I32, .offset = 4}};
    const firn_field fields[] = {{.name = "home",
                                  .type = FIRN_NESTED,
                                  .fields = inner,
                                  .field_count = 2,
                                  .size = 8,
                                  .former_names = was}};
    migration_fixture f;
    OPEN(&f, "pos.y:int,pos.x:int|8", renamed, fields);
    uint8_t wire[8] = {1, 0, 0, 0, 2, 0, 0, 0};
    int32_t row[2] = {0, 0};
    fr_migration_apply(&f.way, &f.from, &f.to, wire, 1, row);
    assert_int_equal(row[0], 2);
    assert_int_equal(row[1], 1);
    close_migration(&f);
}

static void T13_bools_become_0_or_1_whatever_was_saved(void **state)
{
    (void)state;
    typedef struct {
        bool same;
        bool number;
    } flags;
    const firn_field fields[] = {FIRN_FIELD(flags, same, FIRN_BOOL),
                                 FIRN_FIELD(flags, number, FIRN_BOOL)};
    migration_fixture f;
    OPEN(&f, "number:uint8_t,same:bool|2", flags, fields);
    static const uint8_t wire[2] = {5, 1};
    uint8_t row[2] = {0, 0};
    fr_migration_apply(&f.way, &f.from, &f.to, wire, 1, row);
    assert_int_equal(row[0], 1);
    assert_int_equal(row[1], 1);
    assert_int_equal(f.way.changed[1], 1);
    close_migration(&f);
}

static void a_failed_allocation_of_a_migration_leaves_nothing_behind(void **state)
{
    (void)state;
    migration_fixture f;
    OPEN(&f, BODY_V1, body, body_fields);
    uint64_t blocks = f.memory.blocks;
    for (uint64_t call = 1;; call++) {
        fr_migration way;
        test_allocator_fail_at(&f.memory, call, false);
        firn_result result = fr_migration_make(&f.memory.allocator, &f.from, &f.to, &way, &f.err);
        if (!f.memory.injected) {
            assert_ok(result, &f.err);
            fr_migration_free(&f.memory.allocator, &f.from, &f.to, &way);
            break;
        }
        assert_int_equal(result, FIRN_NO_MEMORY);
        assert_int_equal(f.memory.blocks, blocks);
    }
    close_migration(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T13_fields_are_carried_by_name_and_converted),
        cmocka_unit_test(T13_new_fields_keep_the_default_row),
        cmocka_unit_test(T13_fields_that_no_leaf_takes_are_not_used),
        cmocka_unit_test(T13_values_that_change_are_counted_under_their_leaf),
        cmocka_unit_test(T13_arrays_keep_what_both_have),
        cmocka_unit_test(F10_a_renamed_field_is_found_by_its_former_names),
        cmocka_unit_test(F10_a_field_by_its_own_name_is_stronger_than_by_a_former_one),
        cmocka_unit_test(F10_a_renamed_nested_struct_is_found),
        cmocka_unit_test(T13_bools_become_0_or_1_whatever_was_saved),
        cmocka_unit_test(a_failed_allocation_of_a_migration_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
