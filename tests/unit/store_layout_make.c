// fr_layout_make: places, fingerprints and plans of any C struct, and what is refused.
#include "support/support.h"

#include <stdalign.h>
#include <string.h>

#include "base/error.h"
#include "store/layout.h"

typedef struct layout_fixture {
    test_allocator memory;
    firn_limits limits;
    fr_layout layout;
    firn_error err;
} layout_fixture;

static int set_up(void **state)
{
    static layout_fixture fixture;
    memset(&fixture, 0, sizeof fixture);
    test_allocator_init(&fixture.memory);
    firn_limits_default(&fixture.limits);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    layout_fixture *f = *state;
    fr_layout_free(&f->memory.allocator, &f->layout);
    assert_no_leak(&f->memory);
    return 0;
}

static firn_result make(layout_fixture *f, size_t size, size_t align, const firn_field *fields,
                        uint32_t count)
{
    firn_component_desc desc = {
        .name = "Thing", .size = size, .align = align, .fields = fields, .field_count = count};
    fr_layout_free(&f->memory.allocator, &f->layout);
    return fr_layout_make(&f->memory.allocator, &desc, &f->limits, &f->layout, &f->err);
}

#define MAKE(f, T, fields)        make(f, sizeof(T), alignof(T), fields, FIRN_COUNT(fields))
#define REFUSED(f, T, fields)     refused(f, sizeof(T), fields, FIRN_COUNT(fields))
#define assert_made(f, T, fields) assert_ok(MAKE(f, T, fields), &(f)->err)

// The error of a struct that is refused; nothing is left allocated.
static firn_result refused(layout_fixture *f, size_t size, const firn_field *fields, uint32_t count)
{
    firn_result result = make(f, size, 0, fields, count);
    assert_int_not_equal(result, FIRN_OK);
    assert_null(f->layout.leaves);
    assert_no_leak(&f->memory);
    return result;
}

typedef struct position {
    float x;
    float y;
} position;

static const firn_field position_fields[] = {
    FIRN_FIELD(position, x, FIRN_F32),
    FIRN_FIELD(position, y, FIRN_F32),
};

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
    assert_int_equal(refused(f, 5, fields, 2), FIRN_INVALID);
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

// ---------------------------------------------------------------- refused

static void a_struct_without_fields_is_refused(void **state)
{
    layout_fixture *f = *state;
    assert_int_equal(refused(f, 8, NULL, 0), FIRN_INVALID);
    assert_int_equal(refused(f, 8, NULL, 2), FIRN_INVALID);
    assert_int_equal(refused(f, 8, position_fields, 0), FIRN_INVALID);
    assert_error(&f->err, FIRN_INVALID, "Thing");
}

static void a_struct_of_size_0_or_beyond_the_limit_is_refused(void **state)
{
    layout_fixture *f = *state;
    assert_int_equal(refused(f, 0, position_fields, 2), FIRN_INVALID);
    assert_int_equal(refused(f, SIZE_MAX - 7, position_fields, 2), FIRN_LIMIT);
    f->limits.string_bytes = 7;
    assert_int_equal(refused(f, 8, position_fields, 2), FIRN_LIMIT);
    assert_error(&f->err, FIRN_LIMIT, "Thing");
}

static void an_alignment_that_c_does_not_have_is_refused(void **state)
{
    layout_fixture *f = *state;
    static const size_t bad[] = {3, 128, SIZE_MAX, 24};
    for (size_t i = 0; i < FIRN_COUNT(bad); i++) {
        assert_int_equal(make(f, 24, bad[i], position_fields, 2), FIRN_INVALID);
        assert_non_null(strstr(f->err.message, "alignment"));
    }
    assert_int_equal(make(f, 8, 16, position_fields, 2), FIRN_INVALID);
    assert_int_equal(refused(f, 10, position_fields, 2), FIRN_INVALID);
}

static void overlapping_fields_are_refused_naming_both(void **state)
{
    layout_fixture *f = *state;
    firn_field fields[] = {
        {.name = "first", .type = FIRN_I32, .offset = 0},
        {.name = "second", .type = FIRN_I16, .offset = 2},
    };
    assert_int_equal(refused(f, 4, fields, 2), FIRN_INVALID);
    assert_error(&f->err, FIRN_INVALID, "Thing.second");
    assert_non_null(strstr(f->err.message, "\"first\""));
}

static void overlapping_elements_of_nested_structs_are_refused(void **state)
{
    layout_fixture *f = *state;
    firn_field inner[] = {
        {.name = "a", .type = FIRN_I32, .offset = 0},
        {.name = "b", .type = FIRN_I32, .offset = 0},
    };
    firn_field outer[] = {{.name = "in",
                           .type = FIRN_NESTED,
                           .offset = 0,
                           .count = 2,
                           .fields = inner,
                           .field_count = 2,
                           .size = 4}};
    assert_int_equal(refused(f, 8, outer, 1), FIRN_INVALID);
    assert_error(&f->err, FIRN_INVALID, "Thing.in[0].b");
}

static void fields_that_leave_their_struct_are_refused(void **state)
{
    layout_fixture *f = *state;
    firn_field fields[] = {{.name = "f", .type = FIRN_I32, .offset = 8}};
    assert_int_equal(refused(f, 8, fields, 1), FIRN_INVALID);
    assert_error(&f->err, FIRN_INVALID, "Thing.f");
    fields[0].offset = 0;
    fields[0].count = 3;
    assert_int_equal(refused(f, 8, fields, 1), FIRN_INVALID);
    fields[0].count = UINT32_MAX;
    assert_int_equal(refused(f, 8, fields, 1), FIRN_INVALID);
    fields[0].count = 0;
    fields[0].offset = SIZE_MAX - 3;
    assert_int_equal(refused(f, 8, fields, 1), FIRN_INVALID);
}

static void fields_that_leave_a_nested_struct_are_refused(void **state)
{
    layout_fixture *f = *state;
    firn_field outer[] = {FIRN_FIELD_STRUCT(padded, a, position, position_fields)};
    outer[0].size = 4;
    assert_int_equal(refused(f, 24, outer, 1), FIRN_INVALID);
    assert_error(&f->err, FIRN_INVALID, "Thing.a.y");
}

static void misaligned_fields_are_refused(void **state)
{
    layout_fixture *f = *state;
    firn_field fields[] = {{.name = "f", .type = FIRN_I32, .offset = 2}};
    assert_int_equal(refused(f, 8, fields, 1), FIRN_INVALID);
    assert_error(&f->err, FIRN_INVALID, "Thing.f");
    assert_non_null(strstr(f->err.message, "offset 2"));
}

static void unknown_types_are_refused(void **state)
{
    layout_fixture *f = *state;
    static const int types[] = {FIRN_TYPE_NONE, FIRN_NESTED + 1, 1000};
    for (size_t i = 0; i < FIRN_COUNT(types); i++) {
        firn_field fields[] = {{.name = "f", .type = (firn_type)types[i]}};
        assert_int_equal(refused(f, 8, fields, 1), FIRN_INVALID);
        assert_error(&f->err, FIRN_INVALID, "Thing.f");
    }
}

static void bad_field_names_are_refused(void **state)
{
    layout_fixture *f = *state;
    static const char *const names[] = {NULL, "", "a:b", "a,b", "a|b", "a\nb", "\xff"};
    for (size_t i = 0; i < FIRN_COUNT(names); i++) {
        firn_field fields[] = {position_fields[0], position_fields[1]};
        fields[1].name = names[i];
        assert_int_equal(refused(f, 8, fields, 2), FIRN_INVALID);
        assert_error(&f->err, FIRN_INVALID, "Thing.#2");
    }
}

static void field_names_beyond_the_limit_are_refused(void **state)
{
    layout_fixture *f = *state;
    f->limits.name_bytes = 5;
    firn_field fields[] = {FIRN_FIELD_STRUCT(position, x, position, position_fields)};
    fields[0].name = "home";
    assert_int_equal(refused(f, 8, fields, 1), FIRN_LIMIT);
    assert_error(&f->err, FIRN_LIMIT, "Thing.home.x");
    fields[0].name = "longer";
    assert_int_equal(refused(f, 8, fields, 1), FIRN_LIMIT);
}

static void equal_field_names_are_refused(void **state)
{
    layout_fixture *f = *state;
    firn_field fields[] = {position_fields[0], position_fields[1]};
    fields[1].name = "x";
    assert_int_equal(refused(f, 8, fields, 2), FIRN_INVALID);
    assert_error(&f->err, FIRN_INVALID, "Thing.x");
}

static void F10_former_names_that_mean_another_field_are_refused(void **state)
{
    layout_fixture *f = *state;
    static const char *const name_of_y[] = {"y", NULL};
    static const char *const old[] = {"old", NULL};
    static const char *const twice[] = {"old", "old", NULL};
    static const char *const bad[] = {"a|b", NULL};
    firn_field fields[] = {position_fields[0], position_fields[1]};
    fields[0].former_names = name_of_y;
    assert_int_equal(refused(f, 8, fields, 2), FIRN_INVALID);
    assert_error(&f->err, FIRN_INVALID, "Thing.x");
    fields[0].former_names = old;
    fields[1].former_names = old;
    assert_int_equal(refused(f, 8, fields, 2), FIRN_INVALID);
    fields[1].former_names = NULL;
    fields[0].former_names = twice;
    assert_int_equal(refused(f, 8, fields, 2), FIRN_INVALID);
    fields[0].former_names = bad;
    assert_int_equal(refused(f, 8, fields, 2), FIRN_INVALID);
    assert_error(&f->err, FIRN_INVALID, "Thing.x");
}

static void what_only_nested_structs_have_is_refused_elsewhere(void **state)
{
    layout_fixture *f = *state;
    firn_field fields[] = {position_fields[0]};
    fields[0].size = 4;
    assert_int_equal(refused(f, 8, fields, 1), FIRN_INVALID);
    fields[0].size = 0;
    fields[0].type = FIRN_NESTED;
    assert_int_equal(refused(f, 8, fields, 1), FIRN_INVALID);
    assert_error(&f->err, FIRN_INVALID, "Thing.x");
}

static void reserved_words_of_a_field_must_be_zero(void **state)
{
    layout_fixture *f = *state;
    firn_field fields[] = {position_fields[0], position_fields[1]};
    fields[1].reserved[2] = 9;
    assert_int_equal(refused(f, 8, fields, 2), FIRN_INVALID);
    assert_error(&f->err, FIRN_INVALID, "Thing.y");
    assert_non_null(strstr(f->err.message, "reserved[2] is 9"));
}

static void structs_nested_deeper_than_16_are_refused(void **state)
{
    layout_fixture *f = *state;
    firn_field levels[18] = {{.name = "i", .type = FIRN_I32}};
    for (uint32_t i = 1; i < 18; i++) {
        levels[i] = (firn_field){.name = "s",
                                 .type = FIRN_NESTED,
                                 .fields = &levels[i - 1],
                                 .field_count = 1,
                                 .size = 4};
    }
    assert_ok(make(f, 4, 4, &levels[16], 1), &f->err);
    assert_int_equal(refused(f, 4, &levels[17], 1), FIRN_INVALID);
    assert_non_null(strstr(f->err.message, "deeper"));
}

static void a_struct_that_describes_itself_is_refused(void **state)
{
    layout_fixture *f = *state;
    firn_field loop = {.name = "s", .type = FIRN_NESTED, .field_count = 1, .size = 4};
    loop.fields = &loop;
    assert_int_equal(refused(f, 4, &loop, 1), FIRN_INVALID);
}

static void more_leaves_than_allowed_are_refused_before_they_are_made(void **state)
{
    layout_fixture *f = *state;
    firn_field byte = {.name = "b", .type = FIRN_U8};
    firn_field many = {.name = "m",
                       .type = FIRN_NESTED,
                       .count = 65537,
                       .fields = &byte,
                       .field_count = 1,
                       .size = 1};
    assert_int_equal(refused(f, 65537, &many, 1), FIRN_LIMIT);
    assert_int_equal(f->memory.peak_bytes, 0);
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

#define LAYOUT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

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
        LAYOUT_TEST(a_struct_without_fields_is_refused),
        LAYOUT_TEST(a_struct_of_size_0_or_beyond_the_limit_is_refused),
        LAYOUT_TEST(an_alignment_that_c_does_not_have_is_refused),
        LAYOUT_TEST(overlapping_fields_are_refused_naming_both),
        LAYOUT_TEST(overlapping_elements_of_nested_structs_are_refused),
        LAYOUT_TEST(fields_that_leave_their_struct_are_refused),
        LAYOUT_TEST(fields_that_leave_a_nested_struct_are_refused),
        LAYOUT_TEST(misaligned_fields_are_refused),
        LAYOUT_TEST(unknown_types_are_refused),
        LAYOUT_TEST(bad_field_names_are_refused),
        LAYOUT_TEST(field_names_beyond_the_limit_are_refused),
        LAYOUT_TEST(equal_field_names_are_refused),
        LAYOUT_TEST(F10_former_names_that_mean_another_field_are_refused),
        LAYOUT_TEST(what_only_nested_structs_have_is_refused_elsewhere),
        LAYOUT_TEST(reserved_words_of_a_field_must_be_zero),
        LAYOUT_TEST(structs_nested_deeper_than_16_are_refused),
        LAYOUT_TEST(a_struct_that_describes_itself_is_refused),
        LAYOUT_TEST(more_leaves_than_allowed_are_refused_before_they_are_made),
        LAYOUT_TEST(a_failed_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
