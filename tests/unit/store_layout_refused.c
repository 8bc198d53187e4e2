// Structs that have no layout: each has its result and names the field.
#include "store_layouts.h"

#include <stdio.h>

// The error of a struct that is refused; nothing is left allocated.
static firn_result refused(layout_fixture *f, size_t size, const firn_field *fields, uint32_t count)
{
    firn_result result = make(f, size, 0, fields, count);
    assert_int_not_equal(result, FIRN_OK);
    assert_null(f->layout.leaves);
    assert_no_leak(&f->memory);
    return result;
}

typedef struct padded {
    int8_t a;
    double b;
    int16_t c;
} padded;

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

// On the wire, fields stand in declared order: with holes that memory, in another order, has not.
static void a_struct_whose_saved_row_is_beyond_the_limit_is_refused(void **state)
{
    layout_fixture *f = *state;
    const firn_field fields[] = {
        {.name = "a", .type = FIRN_U8, .offset = 320},
        {.name = "b", .type = FIRN_U64, .offset = 0, .count = 20},
        {.name = "c", .type = FIRN_U8, .offset = 321},
        {.name = "d", .type = FIRN_U64, .offset = 160, .count = 20},
    };
    f->limits.string_bytes = 336;
    assert_ok(make(f, 328, 8, fields, 4), &f->err);
    assert_int_equal(f->layout.wire_size, 336);
    f->limits.string_bytes = 335;
    assert_int_equal(refused(f, 328, fields, 4), FIRN_LIMIT);
    assert_error(&f->err, FIRN_LIMIT, "Thing");
    assert_non_null(strstr(f->err.message, "336 bytes"));
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

static void an_overlap_behind_other_fields_names_the_one_it_overlaps(void **state)
{
    layout_fixture *f = *state;
    const firn_field fields[] = {
        {.name = "a", .type = FIRN_U8, .offset = 0},
        {.name = "b", .type = FIRN_U8, .offset = 7},
        {.name = "c", .type = FIRN_I32, .offset = 4},
    };
    assert_int_equal(refused(f, 8, fields, 3), FIRN_INVALID);
    assert_error(&f->err, FIRN_INVALID, "Thing.c");
    assert_non_null(strstr(f->err.message, "\"b\""));
}

static void F10_more_than_64_former_names_of_a_field_are_refused(void **state)
{
    layout_fixture *f = *state;
    char names[65][16];
    const char *former[66] = {NULL};
    for (int i = 0; i < 65; i++) {
        snprintf(names[i], sizeof names[i], "was%d", i);
        former[i] = names[i];
    }
    firn_field field = {.name = "b", .type = FIRN_U8, .former_names = former};
    assert_int_equal(refused(f, 1, &field, 1), FIRN_LIMIT);
    assert_error(&f->err, FIRN_LIMIT, "Thing.b");
    former[64] = NULL;
    assert_ok(make(f, 1, 1, &field, 1), &f->err);
}

// 8 former names of the struct and 8 of its field make 80 paths that it could have had.
static void F10_more_than_64_former_paths_of_a_field_are_refused(void **state)
{
    layout_fixture *f = *state;
    static const char *const outer[] = {"p", "q", "r", "s", "t", "u", "v", "w", NULL};
    static const char *const inner[] = {"a", "b", "c", "d", "e", "f", "g", "h", NULL};
    firn_field byte = {.name = "byte", .type = FIRN_U8, .former_names = inner};
    firn_field holder = {.name = "holder",
                         .type = FIRN_NESTED,
                         .fields = &byte,
                         .field_count = 1,
                         .size = 1,
                         .former_names = outer};
    assert_int_equal(refused(f, 1, &holder, 1), FIRN_LIMIT);
    assert_error(&f->err, FIRN_LIMIT, "Thing.holder.byte");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        LAYOUT_TEST(a_struct_without_fields_is_refused),
        LAYOUT_TEST(a_struct_of_size_0_or_beyond_the_limit_is_refused),
        LAYOUT_TEST(a_struct_whose_saved_row_is_beyond_the_limit_is_refused),
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
        LAYOUT_TEST(an_overlap_behind_other_fields_names_the_one_it_overlaps),
        LAYOUT_TEST(F10_more_than_64_former_names_of_a_field_are_refused),
        LAYOUT_TEST(F10_more_than_64_former_paths_of_a_field_are_refused),
        LAYOUT_TEST(more_leaves_than_allowed_are_refused_before_they_are_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
