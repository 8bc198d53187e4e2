// fr_layout_make: places, fingerprints and plans of any C struct.
#include "store_layouts.h"

static void T12_a_struct_without_padding_is_direct(void **state)
{
    layout_fixture *f = *state;
    assert_made(f, position, position_fields);
    assert_string_equal(f->layout.fingerprint, "x:float,y:float|8");
    assert_int_equal(f->layout.direct, !FR_BIG_ENDIAN);
    assert_int_equal(f->layout.run_count, 1);
    assert_int_equal(f->layout.wire_size, 8);
}

// The component that the recorded file 04_ffi_all_types was written with.
typedef struct all_types {
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f;
    double d;
    bool b;
    char tag[5];
    float m[3];
    int plainint;
    unsigned uns;
} all_types;

static const firn_field all_fields[] = {
    FIRN_FIELD(all_types, i8, FIRN_I8),          FIRN_FIELD(all_types, u8, FIRN_U8),
    FIRN_FIELD(all_types, i16, FIRN_I16),        FIRN_FIELD(all_types, u16, FIRN_U16),
    FIRN_FIELD(all_types, i32, FIRN_I32),        FIRN_FIELD(all_types, u32, FIRN_U32),
    FIRN_FIELD(all_types, i64, FIRN_I64),        FIRN_FIELD(all_types, u64, FIRN_U64),
    FIRN_FIELD(all_types, f, FIRN_F32),          FIRN_FIELD(all_types, d, FIRN_F64),
    FIRN_FIELD(all_types, b, FIRN_BOOL),         FIRN_FIELD_ARRAY(all_types, tag, FIRN_CHAR, 5),
    FIRN_FIELD_ARRAY(all_types, m, FIRN_F32, 3), FIRN_FIELD(all_types, plainint, FIRN_I32),
    FIRN_FIELD(all_types, uns, FIRN_U32),
};

static void T13_the_fingerprint_is_that_of_recorded_files(void **state)
{
    layout_fixture *f = *state;
    assert_made(f, all_types, all_fields);
    assert_string_equal(f->layout.fingerprint,
                        "i8:int8_t,u8:uint8_t,i16:int16_t,u16:uint16_t,i32:int32_t,u32:uint32_t,"
                        "i64:int64_t,u64:uint64_t,f:float,d:double,b:bool,tag:char[5],m:float[3],"
                        "plainint:int32_t,uns:uint32_t|80");
    assert_int_equal(f->layout.bool_count, 1);
    assert_int_equal(f->layout.leaves[f->layout.bools[0]].wire_offset, 48);
}

typedef struct packed_doubles {
    uint8_t bytes[12]; // int32 at 0, double at 4: as i386 lays out {int32_t; double}
} packed_doubles;

static void
T12_64_bit_fields_stand_at_natural_offsets_on_the_wire_wherever_they_are_in_memory(void **state)
{
    layout_fixture *f = *state;
    firn_field fields[] = {
        {.name = "n", .type = FIRN_I32, .offset = 0},
        {.name = "d", .type = FIRN_F64, .offset = 4},
    };
    assert_ok(make(f, sizeof(packed_doubles), 4, fields, 2), &f->err);
    assert_string_equal(f->layout.fingerprint, "n:int32_t,d:double|16");
    assert_int_equal(f->layout.leaves[1].memory_offset, 4);
    assert_int_equal(f->layout.leaves[1].wire_offset, 8);
    assert_false(f->layout.direct);
    assert_false(f->layout.same_shape);
}

typedef struct padded {
    int8_t a;
    double b;
    int16_t c;
} padded;

static const firn_field padded_fields[] = {
    FIRN_FIELD(padded, a, FIRN_I8),
    FIRN_FIELD(padded, b, FIRN_F64),
    FIRN_FIELD(padded, c, FIRN_I16),
};

static void T12_a_struct_with_padding_is_not_direct(void **state)
{
    layout_fixture *f = *state;
    assert_made(f, padded, padded_fields);
    assert_string_equal(f->layout.fingerprint, "a:int8_t,b:double,c:int16_t|24");
    assert_false(f->layout.direct);
    assert_int_equal(f->layout.wire_hole_count, 2);
    assert_int_equal(f->layout.wire_holes[0].offset, 1);
    assert_int_equal(f->layout.wire_holes[0].size, 7);
    assert_int_equal(f->layout.wire_holes[1].offset, 18);
    assert_int_equal(f->layout.wire_holes[1].size, 6);
}

static void T12_fields_declared_in_another_order_than_in_memory_keep_the_declared_one(void **state)
{
    layout_fixture *f = *state;
    const firn_field fields[] = {position_fields[1], position_fields[0]};
    assert_made(f, position, fields);
    assert_string_equal(f->layout.fingerprint, "y:float,x:float|8");
    assert_false(f->layout.direct);
    assert_int_equal(f->layout.run_count, 2);
}

typedef struct limb {
    bool broken;
    position at;
} limb;

static const firn_field limb_fields[] = {
    FIRN_FIELD(limb, broken, FIRN_BOOL),
    FIRN_FIELD_STRUCT(limb, at, position, position_fields),
};

typedef struct body {
    position home;
    limb limbs[2];
    firn_entity owner;
    double target;
} body;

static const firn_field body_fields[] = {
    FIRN_FIELD_STRUCT(body, home, position, position_fields),
    {.name = "limbs",
     .type = FIRN_NESTED,
     .offset = offsetof(body, limbs),
     .count = 2,
     .fields = limb_fields,
     .field_count = FIRN_COUNT(limb_fields),
     .size = sizeof(limb)},
    FIRN_FIELD(body, owner, FIRN_ENTITY),
    FIRN_FIELD(body, target, FIRN_ENTITY_NUMBER),
};

static void T12_nested_structs_become_dotted_leaves(void **state)
{
    layout_fixture *f = *state;
    assert_made(f, body, body_fields);
    assert_string_equal(f->layout.fingerprint,
                        "home.x:float,home.y:float,limbs[0].broken:bool,limbs[0].at.x:float,"
                        "limbs[0].at.y:float,limbs[1].broken:bool,limbs[1].at.x:float,"
                        "limbs[1].at.y:float,owner:uint64_t,target:double|48");
    assert_int_equal(f->layout.leaves[6].memory_offset,
                     offsetof(body, limbs) + sizeof(limb) + offsetof(limb, at));
    assert_int_equal(f->layout.bool_count, 2);
}

typedef struct aligned_64 {
    alignas(64) int32_t value;
} aligned_64;

static void T12_alignment_up_to_64_is_kept(void **state)
{
    layout_fixture *f = *state;
    const firn_field fields[] = {FIRN_FIELD(aligned_64, value, FIRN_I32)};
    assert_made(f, aligned_64, fields);
    assert_int_equal(f->layout.memory_align, 64);
    assert_int_equal(f->layout.memory_size, 64);
    assert_string_equal(f->layout.fingerprint, "value:int32_t|4");
}

static void T12_align_0_is_that_of_the_largest_field(void **state)
{
    layout_fixture *f = *state;
    assert_ok(make(f, sizeof(padded), 0, padded_fields, 3), &f->err);
    assert_int_equal(f->layout.memory_align, alignof(padded));
}

static void T12_a_packed_struct_is_described_by_its_alignment(void **state)
{
    layout_fixture *f = *state;
    firn_field fields[] = {
        {.name = "a", .type = FIRN_U8, .offset = 0},
        {.name = "b", .type = FIRN_U32, .offset = 1},
    };
    assert_ok(make(f, 5, 1, fields, 2), &f->err);
    assert_int_equal(f->layout.wire_size, 8);
    assert_int_equal(make(f, 5, 0, fields, 2), FIRN_INVALID);
    assert_error(&f->err, FIRN_INVALID, "Thing.b");
}

static void T12_a_packed_struct_may_be_nested_in_one_that_is_not(void **state)
{
    layout_fixture *f = *state;
    firn_field inner[] = {
        {.name = "a", .type = FIRN_U8, .offset = 0},
        {.name = "b", .type = FIRN_U32, .offset = 1},
    };
    firn_field outer[] = {
        {.name = "n", .type = FIRN_U8, .offset = 0},
        {.name = "in",
         .type = FIRN_NESTED,
         .offset = 1,
         .fields = inner,
         .field_count = 2,
         .size = 5},
        {.name = "d", .type = FIRN_F64, .offset = 8},
    };
    assert_ok(make(f, 16, 8, outer, 3), &f->err);
    assert_string_equal(f->layout.fingerprint, "n:uint8_t,in.a:uint8_t,in.b:uint32_t,d:double|16");
}

static void T12_a_pointer_makes_a_layout_that_cannot_cross_raw(void **state)
{
    layout_fixture *f = *state;
    typedef struct {
        void *handle;
        int32_t n;
    } holder;
    const firn_field fields[] = {
        FIRN_FIELD(holder, handle, FIRN_POINTER),
        FIRN_FIELD(holder, n, FIRN_I32),
    };
    assert_made(f, holder, fields);
    assert_false(f->layout.wire);
    assert_string_equal(f->layout.fingerprint, "");
    assert_int_equal(f->layout.leaf_count, 2);
}

static void F10_a_leaf_has_the_former_names_of_the_structs_around_it_too(void **state)
{
    layout_fixture *f = *state;
    static const char *const old_x[] = {"px", NULL};
    static const char *const old_home[] = {"house", "start", NULL};
    firn_field inner[] = {position_fields[0], position_fields[1]};
    inner[0].former_names = old_x;
    firn_field outer[] = {FIRN_FIELD_STRUCT(position, x, position, inner)};
    outer[0].name = "home";
    outer[0].former_names = old_home;
    assert_made(f, position, outer);
    const fr_leaf *x = &f->layout.leaves[0];
    assert_int_equal(x->former_count, 5);
    static const char *const expected[] = {"home.px", "house.x", "house.px", "start.x", "start.px"};
    for (uint32_t i = 0; i < 5; i++) {
        assert_string_equal(x->former_names[i], expected[i]);
    }
    assert_int_equal(f->layout.leaves[1].former_count, 2);
}

static void layouts_are_equal_when_they_describe_the_same(void **state)
{
    layout_fixture *f = *state;
    assert_made(f, body, body_fields);
    fr_layout other;
    firn_component_desc desc = {.name = "Other",
                                .size = sizeof(body),
                                .align = alignof(body),
                                .fields = body_fields,
                                .field_count = FIRN_COUNT(body_fields)};
    assert_ok(fr_layout_make(&f->memory.allocator, &desc, &f->limits, &other, &f->err), &f->err);
    assert_true(fr_layout_equal(&f->layout, &other));
    other.leaves[3].memory_offset++;
    assert_false(fr_layout_equal(&f->layout, &other));
    fr_layout_free(&f->memory.allocator, &other);
}

static void a_failed_allocation_leaves_nothing_behind(void **state)
{
    layout_fixture *f = *state;
    static const char *const old[] = {"old", "older", NULL};
    firn_field fields[4];
    memcpy(fields, body_fields, sizeof body_fields);
    fields[1].former_names = old;
    for (int for_ever = 0; for_ever < 2; for_ever++) {
        for (uint64_t call = 1;; call++) {
            test_allocator_fail_at(&f->memory, call, for_ever != 0);
            firn_result result = MAKE(f, body, fields);
            bool injected = f->memory.injected;
            test_allocator_fail_at(&f->memory, 0, false);
            if (!injected) {
                assert_ok(result, &f->err);
                break;
            }
            assert_int_equal(result, FIRN_NO_MEMORY);
            assert_error(&f->err, FIRN_NO_MEMORY, "");
            assert_no_leak(&f->memory);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LAYOUT_TEST(T12_a_struct_without_padding_is_direct),
        LAYOUT_TEST(T13_the_fingerprint_is_that_of_recorded_files),
        LAYOUT_TEST(
            T12_64_bit_fields_stand_at_natural_offsets_on_the_wire_wherever_they_are_in_memory),
        LAYOUT_TEST(T12_a_struct_with_padding_is_not_direct),
        LAYOUT_TEST(T12_fields_declared_in_another_order_than_in_memory_keep_the_declared_one),
        LAYOUT_TEST(T12_nested_structs_become_dotted_leaves),
        LAYOUT_TEST(T12_alignment_up_to_64_is_kept),
        LAYOUT_TEST(T12_align_0_is_that_of_the_largest_field),
        LAYOUT_TEST(T12_a_packed_struct_is_described_by_its_alignment),
        LAYOUT_TEST(T12_a_packed_struct_may_be_nested_in_one_that_is_not),
        LAYOUT_TEST(T12_a_pointer_makes_a_layout_that_cannot_cross_raw),
        LAYOUT_TEST(F10_a_leaf_has_the_former_names_of_the_structs_around_it_too),
        LAYOUT_TEST(layouts_are_equal_when_they_describe_the_same),
        LAYOUT_TEST(a_failed_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
