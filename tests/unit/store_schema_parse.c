// Fingerprints read back.
#include "support/support.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "store/schema.h"

static firn_error last;

static firn_result parse_with(const firn_limits *limits, const char *text, fr_schema *schema)
{
    return fr_schema_parse(firn_allocator_default(), text, strlen(text), "Thing", limits, schema,
                           &last);
}

static firn_result parse(const char *text, fr_schema *schema)
{
    firn_limits limits;
    firn_limits_default(&limits);
    return parse_with(&limits, text, schema);
}

static void assert_refused(const char *text, firn_result result)
{
    fr_schema schema;
    firn_result got = parse(text, &schema);
    if (got != result) {
        fail_msg("\"%s\": %s", text, firn_result_name(got));
    }
    assert_error(&last, result, "Thing");
}

static void T13_the_fingerprint_of_a_recorded_file_is_read(void **state)
{
    (void)state;
    fr_schema schema;
    assert_ok(parse("i8:int8_t,u8:uint8_t,i16:int16_t,u16:uint16_t,i32:int32_t,u32:uint32_t,"
                    "i64:int64_t,u64:uint64_t,f:float,d:double,b:bool,tag:char[5],m:float[3],"
                    "plainint:int,uns:unsigned int|80",
                    &schema),
              &last);
    assert_int_equal(schema.field_count, 15);
    assert_int_equal(schema.size, 80);
    static const struct {
        firn_type type;
        uint32_t count;
        uint32_t offset;
    } expected[] = {
        {FIRN_I8, 0, 0},   {FIRN_U8, 0, 1},   {FIRN_I16, 0, 2},   {FIRN_U16, 0, 4},
        {FIRN_I32, 0, 8},  {FIRN_U32, 0, 12}, {FIRN_I64, 0, 16},  {FIRN_U64, 0, 24},
        {FIRN_F32, 0, 32}, {FIRN_F64, 0, 40}, {FIRN_BOOL, 0, 48}, {FIRN_CHAR, 5, 49},
        {FIRN_F32, 3, 56}, {FIRN_I32, 0, 68}, {FIRN_U32, 0, 72},
    };
    for (uint32_t i = 0; i < 15; i++) {
        assert_int_equal(schema.fields[i].type, expected[i].type);
        assert_int_equal(schema.fields[i].count, expected[i].count);
        assert_int_equal(schema.fields[i].offset, expected[i].offset);
    }
    assert_memory_equal(schema.fields[13].name, "plainint", 8);
    assert_int_equal(schema.fields[13].name_size, 8);
    fr_schema_free(firn_allocator_default(), &schema);
}

static void T13_c_spellings_of_types_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        firn_type type;
        uint32_t count;
    } cases[] = {
        {"int", FIRN_I32, 0},
        {"signed", FIRN_I32, 0},
        {"signed int", FIRN_I32, 0},
        {"unsigned", FIRN_U32, 0},
        {"unsigned int", FIRN_U32, 0},
        {"int  unsigned ", FIRN_U32, 0},
        {"short", FIRN_I16, 0},
        {"short int", FIRN_I16, 0},
        {"unsigned short", FIRN_U16, 0},
        {"char", FIRN_CHAR, 0},
        {"signed char", FIRN_I8, 0},
        {"unsigned char", FIRN_U8, 0},
        {"long long", FIRN_I64, 0},
        {"long long int", FIRN_I64, 0},
        {"unsigned long long", FIRN_U64, 0},
        {"long unsigned int long", FIRN_U64, 0},
        {"_Bool", FIRN_BOOL, 0},
        {"bool[2]", FIRN_BOOL, 2},
        {"unsigned int [4]", FIRN_U32, 4},
        {"float[4294967295]", FIRN_F32, UINT32_MAX},
        {"uint64_t", FIRN_U64, 0},
        {"double", FIRN_F64, 0},
    };
    for (size_t i = 0; i < FIRN_COUNT(cases); i++) {
        uint32_t count = 77;
        firn_type type = fr_type_parse(cases[i].text, strlen(cases[i].text), &count);
        if (type != cases[i].type || count != cases[i].count) {
            fail_msg("%s is read as %s[%u]", cases[i].text, fr_type_text(type), count);
        }
    }
}

static void T13_what_is_no_type_of_one_size_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "long",
        "unsigned long",
        "void *",
        "long long long",
        "short char",
        "char int",
        "signed unsigned",
        "unsigned unsigned",
        "float double",
        "float[0]",
        "float[",
        "float[]",
        "float[-1]",
        "float[01]",
        "float[4294967296]",
        "float[2][3]",
        "float]",
        "Int",
        "int32",
        "[3]",
        "pointer",
        "struct",
        "short long",
        "int int",
    };
    for (size_t i = 0; i < FIRN_COUNT(texts); i++) {
        uint32_t count;
        if (fr_type_parse(texts[i], strlen(texts[i]), &count) != FIRN_TYPE_NONE) {
            fail_msg("\"%s\" is read as a type", texts[i]);
        }
    }
}

static void T13_broken_fingerprints_are_corrupt(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "|",
        "|0",
        "x",
        "x:",
        "x:int",
        "x:int|",
        "x:int|3",
        "x:int|04",
        "x:int|8",
        "x:int|4 ",
        "x:int|4|4",
        "x:int|4,",
        "x:int,|4",
        ",x:int|4",
        ":int|4",
        "x:int:int|4",
        "x:widget|4",
        "x:int,x:float|8",
        "x:int,y:float,x:int|12",
        "x:char,y:double|9",
        "x:float[0]|4",
        "x:int|99999999999999999999",
    };
    for (size_t i = 0; i < FIRN_COUNT(texts); i++) {
        assert_refused(texts[i], FIRN_CORRUPT);
    }
}

static void T13_rows_and_names_beyond_the_limits_are_refused(void **state)
{
    (void)state;
    assert_refused("x:double[4294967295]|34359738360", FIRN_LIMIT);
    assert_refused("x:char[16777217]|16777217", FIRN_LIMIT);
    firn_limits limits;
    firn_limits_default(&limits);
    limits.name_bytes = 3;
    fr_schema schema;
    assert_int_equal(parse_with(&limits, "long:int|4", &schema), FIRN_LIMIT);
    assert_ok(parse_with(&limits, "lon:int|4", &schema), &last);
    fr_schema_free(firn_allocator_default(), &schema);
}

static void T13_a_fingerprint_of_more_than_65536_fields_is_refused(void **state)
{
    (void)state;
    enum { FIELDS = 65537 };
    static const char field[] = "a:bool,";
    const size_t size = sizeof field - 1;
    char *text = malloc(FIELDS * size + 8);
    assert_non_null(text);
    for (size_t i = 0; i < FIELDS; i++) {
        memcpy(text + i * size, field, size);
    }
    strcpy(text + FIELDS * size - 1, "|65537");
    assert_refused(text, FIRN_LIMIT);
    free(text);
}

static void T13_every_cut_of_a_fingerprint_is_refused(void **state)
{
    (void)state;
    static const char text[] = "x:double,y:uint8_t[12],z:unsigned int|24";
    firn_limits limits;
    firn_limits_default(&limits);
    fr_schema schema;
    for (size_t size = 0; size < sizeof text - 1; size++) {
        // In a block of its own, so that a sanitizer sees a read behind it.
        size_t exact;
        char *cut = (char *)test_from_hex("00*64", &exact);
        memcpy(cut + exact - size, text, size);
        assert_int_equal(fr_schema_parse(firn_allocator_default(), cut + exact - size, size,
                                         "Thing", &limits, &schema, &last),
                         FIRN_CORRUPT);
        free(cut);
    }
}

static void T13_damaged_fingerprints_are_refused_or_describe_whole_rows(void **state)
{
    (void)state;
    static const char text[] = "x:double,y:uint8_t[12],z:unsigned int|24";
    static const char alphabet[] = ":,|[]0123456789xyz intfloa\xff";
    test_random random = {5};
    unsigned read = 0;
    for (unsigned round = 0; round < 20000; round++) {
        char damaged[sizeof text];
        memcpy(damaged, text, sizeof text);
        for (unsigned i = 0; i <= round % 3; i++) {
            damaged[test_random_below(&random, sizeof text - 1)] =
                alphabet[test_random_below(&random, sizeof alphabet)];
        }
        fr_schema schema;
        firn_limits limits;
        firn_limits_default(&limits);
        if (fr_schema_parse(firn_allocator_default(), damaged, sizeof text - 1, "Thing", &limits,
                            &schema, &last) != FIRN_OK) {
            continue;
        }
        read++;
        for (uint32_t i = 0; i < schema.field_count; i++) {
            const fr_schema_field *field = &schema.fields[i];
            uint64_t bytes =
                (uint64_t)fr_type_size(field->type) * (field->count ? field->count : 1);
            assert_true(bytes > 0 && field->offset + bytes <= schema.size);
        }
        fr_schema_free(firn_allocator_default(), &schema);
    }
    assert_true(read > 100);
}

typedef struct thing {
    int32_t n;
    char text[3];
    firn_entity owner;
    double target;
} thing;

static const firn_field thing_fields[] = {
    FIRN_FIELD(thing, n, FIRN_I32),
    FIRN_FIELD_ARRAY(thing, text, FIRN_CHAR, 3),
    FIRN_FIELD(thing, owner, FIRN_ENTITY),
    FIRN_FIELD(thing, target, FIRN_ENTITY_NUMBER),
};

static fr_layout thing_layout(void)
{
    firn_component_desc desc = {.name = "Thing",
                                .size = sizeof(thing),
                                .align = alignof(thing),
                                .fields = thing_fields,
                                .field_count = FIRN_COUNT(thing_fields)};
    firn_limits limits;
    firn_limits_default(&limits);
    fr_layout layout;
    assert_ok(fr_layout_make(firn_allocator_default(), &desc, &limits, &layout, &last), &last);
    return layout;
}

static bool matches(const fr_layout *layout, const char *text)
{
    fr_schema schema;
    assert_ok(parse(text, &schema), &last);
    bool same = fr_schema_matches(&schema, layout);
    fr_schema_free(firn_allocator_default(), &schema);
    return same;
}

static void T13_a_schema_matches_the_layout_whose_fingerprint_it_is(void **state)
{
    (void)state;
    fr_layout layout = thing_layout();
    assert_true(matches(&layout, layout.fingerprint));
    assert_true(matches(&layout, "n:int,text:char[3],owner:unsigned long long,target:double|24"));
    assert_true(matches(&layout, "n:int,text:int8_t[3],owner:uint64_t,target:double|24"));
    fr_layout_free(firn_allocator_default(), &layout);
}

static void T13_a_schema_with_any_difference_does_not_match(void **state)
{
    (void)state;
    fr_layout layout = thing_layout();
    static const char *const texts[] = {
        "n:int,text:char[3],owner:uint64_t|16",
        "n:int,text:char[4],owner:uint64_t,target:double|24",
        "n:unsigned,text:char[3],owner:uint64_t,target:double|24",
        "n:int,text:bool[3],owner:uint64_t,target:double|24",
        "m:int,text:char[3],owner:uint64_t,target:double|24",
        "text:char[3],n:int,owner:uint64_t,target:double|24",
        "n:int,text:char[3],owner:int64_t,target:double|24",
        "n:int,text:char[3],owner:uint64_t,target:uint64_t|24",
        "n:int[1],text:char[3],owner:uint64_t,target:double|24",
    };
    for (size_t i = 0; i < FIRN_COUNT(texts); i++) {
        if (matches(&layout, texts[i])) {
            fail_msg("%s matches %s", texts[i], layout.fingerprint);
        }
    }
    fr_layout_free(firn_allocator_default(), &layout);
}

static void T13_bad_bools_of_saved_rows_are_found(void **state)
{
    (void)state;
    fr_schema schema;
    assert_ok(parse("a:uint8_t,b:bool,c:bool[2]|4", &schema), &last);
    uint8_t wire[12] = {9, 1, 0, 1, 9, 0, 0, 0, 9, 1, 1, 1};
    size_t row;
    uint32_t field;
    assert_true(fr_schema_check_rows(&schema, wire, 3, &row, &field));
    wire[7] = 2;
    assert_false(fr_schema_check_rows(&schema, wire, 3, &row, &field));
    assert_int_equal(row, 1);
    assert_int_equal(field, 2);
    fr_schema_free(firn_allocator_default(), &schema);
}

static void a_failed_allocation_of_a_schema_leaves_nothing_behind(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    firn_limits limits;
    firn_limits_default(&limits);
    static const char text[] = "a:int,b:float|8";
    for (uint64_t call = 1;; call++) {
        fr_schema schema;
        test_allocator_fail_at(&memory, call, true);
        firn_result result = fr_schema_parse(&memory.allocator, text, sizeof text - 1, "Thing",
                                             &limits, &schema, &last);
        if (!memory.injected) {
            assert_ok(result, &last);
            fr_schema_free(&memory.allocator, &schema);
            break;
        }
        assert_int_equal(result, FIRN_NO_MEMORY);
        assert_no_leak(&memory);
    }
    assert_no_leak(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T13_the_fingerprint_of_a_recorded_file_is_read),
        cmocka_unit_test(T13_c_spellings_of_types_are_read),
        cmocka_unit_test(T13_what_is_no_type_of_one_size_is_refused),
        cmocka_unit_test(T13_broken_fingerprints_are_corrupt),
        cmocka_unit_test(T13_rows_and_names_beyond_the_limits_are_refused),
        cmocka_unit_test(T13_a_fingerprint_of_more_than_65536_fields_is_refused),
        cmocka_unit_test(T13_every_cut_of_a_fingerprint_is_refused),
        cmocka_unit_test(T13_damaged_fingerprints_are_refused_or_describe_whole_rows),
        cmocka_unit_test(T13_a_schema_matches_the_layout_whose_fingerprint_it_is),
        cmocka_unit_test(T13_a_schema_with_any_difference_does_not_match),
        cmocka_unit_test(T13_bad_bools_of_saved_rows_are_found),
        cmocka_unit_test(a_failed_allocation_of_a_schema_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
