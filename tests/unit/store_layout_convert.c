// fr_convert: every case of the recorded matrix, and what the matrix leaves out.
#include "support/support.h"

#include <math.h>
#include <string.h>

#include "store/schema.h"

typedef struct convert_case {
    firn_type from;
    uint64_t source;
    firn_type to;
    uint64_t target;
    bool changed;
    bool portable; // real LuaJIT builds agree; else the definition alone counts
} convert_case;

// Made by store_convert_cases.py, which holds the definition a second time.
static const convert_case cases[] = {
#include "store_convert_cases.inc"
};

// The number whose bits are these, in memory order.
static void put_bits(firn_type type, uint64_t bits, void *out)
{
    uint8_t byte = (uint8_t)bits;
    uint16_t half = (uint16_t)bits;
    uint32_t word = (uint32_t)bits;
    switch (fr_type_size(type)) {
    case 1:
        memcpy(out, &byte, 1);
        break;
    case 2:
        memcpy(out, &half, 2);
        break;
    case 4:
        memcpy(out, &word, 4);
        break;
    default:
        memcpy(out, &bits, 8);
        break;
    }
}

static uint64_t get_bits(firn_type type, const void *in)
{
    uint8_t byte;
    uint16_t half;
    uint32_t word;
    uint64_t bits;
    switch (fr_type_size(type)) {
    case 1:
        memcpy(&byte, in, 1);
        return byte;
    case 2:
        memcpy(&half, in, 2);
        return half;
    case 4:
        memcpy(&word, in, 4);
        return word;
    default:
        memcpy(&bits, in, 8);
        return bits;
    }
}

static bool is_nan_bits(firn_type type, uint64_t bits)
{
    return (type == FIRN_F32 && (bits & 0x7fffffff) > 0x7f800000) ||
           (type == FIRN_F64 && (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000));
}

static void check_case(const convert_case *c)
{
    uint8_t source[9];
    uint8_t target[10];
    memset(target, 0xcc, sizeof target);
    put_bits(c->from, c->source, source + 1);
    bool changed = fr_convert(c->from, source + 1, c->to, target + 1);
    uint64_t bits = get_bits(c->to, target + 1);
    bool both_nan = is_nan_bits(c->to, bits) && is_nan_bits(c->to, c->target);
    if ((bits != c->target && !both_nan) || changed != c->changed) {
        fail_msg("%s 0x%llx to %s: 0x%llx%s, not 0x%llx%s", fr_type_text(c->from),
                 (unsigned long long)c->source, fr_type_text(c->to), (unsigned long long)bits,
                 changed ? " changed" : "", (unsigned long long)c->target,
                 c->changed ? " changed" : "");
    }
    assert_int_equal(target[0], 0xcc);
    assert_int_equal(target[1 + fr_type_size(c->to)], 0xcc);
}

static void T13_conversions_agree_with_luajit_where_it_agrees_with_itself(void **state)
{
    (void)state;
    unsigned portable = 0;
    for (size_t i = 0; i < FIRN_COUNT(cases); i++) {
        if (cases[i].portable) {
            portable++;
            check_case(&cases[i]);
        }
    }
    assert_int_equal(portable, 384);
}

static void T13_conversions_follow_the_definition_where_luajit_builds_differ(void **state)
{
    (void)state;
    unsigned others = 0;
    for (size_t i = 0; i < FIRN_COUNT(cases); i++) {
        if (!cases[i].portable) {
            others++;
            check_case(&cases[i]);
        }
    }
    assert_int_equal(others, 106);
}

static void T13_every_conversion_of_a_type_to_itself_keeps_the_bits(void **state)
{
    (void)state;
    static const uint64_t bits[] = {0,
                                    1,
                                    0x80,
                                    UINT64_C(0x7ff8000000000123),
                                    UINT64_C(0xfff0000000000001),
                                    UINT64_C(0x8000000000000000),
                                    UINT64_MAX,
                                    0x7f800001};
    for (unsigned type = FIRN_I8; type <= FIRN_ENTITY_NUMBER; type++) {
        for (size_t i = 0; i < FIRN_COUNT(bits); i++) {
            uint8_t source[8];
            uint8_t target[8] = {0};
            put_bits((firn_type)type, bits[i], source);
            assert_false(fr_convert((firn_type)type, source, (firn_type)type, target));
            assert_memory_equal(source, target, fr_type_size((firn_type)type));
        }
    }
}

static void T13_a_bool_that_is_neither_0_nor_1_becomes_1(void **state)
{
    (void)state;
    uint8_t source = 7;
    uint8_t target = 9;
    fr_convert(FIRN_BOOL, &source, FIRN_BOOL, &target);
    assert_int_equal(target, 1);
    int32_t number = 0;
    fr_convert(FIRN_BOOL, &source, FIRN_I32, &number);
    assert_int_equal(number, 1);
}

static void T13_entities_and_chars_convert_as_the_numbers_they_are(void **state)
{
    (void)state;
    uint64_t entity = (UINT64_C(5) << 22) + 7;
    double number = 0;
    assert_false(fr_convert(FIRN_ENTITY, &entity, FIRN_ENTITY_NUMBER, &number));
    assert_true(number == 20971527.0);
    uint64_t back = 0;
    assert_false(fr_convert(FIRN_ENTITY_NUMBER, &number, FIRN_ENTITY, &back));
    assert_int_equal(back, entity);
    int8_t letter = -3;
    int32_t wide = 0;
    assert_false(fr_convert(FIRN_CHAR, &letter, FIRN_I32, &wide));
    assert_int_equal(wide, -3);
}

static void T13_a_64_bit_integer_is_rounded_to_float_once(void **state)
{
    (void)state;
    // Through a double this would round twice, and down.
    int64_t source = (INT64_C(1) << 60) + (INT64_C(1) << 36) + 1;
    float target = 0;
    assert_false(fr_convert(FIRN_I64, &source, FIRN_F32, &target));
    assert_true(target == 1152921642045800448.0f);
}

static void T13_a_double_too_large_for_a_float_is_counted_as_changed(void **state)
{
    (void)state;
    double huge = 1e300;
    double small = 1e-300;
    double infinite = (double)INFINITY;
    float target = 0;
    assert_true(fr_convert(FIRN_F64, &huge, FIRN_F32, &target));
    assert_true(isinf(target));
    assert_false(fr_convert(FIRN_F64, &small, FIRN_F32, &target));
    assert_true(target == 0);
    assert_false(fr_convert(FIRN_F64, &infinite, FIRN_F32, &target));
    assert_true(isinf(target));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T13_conversions_agree_with_luajit_where_it_agrees_with_itself),
        cmocka_unit_test(T13_conversions_follow_the_definition_where_luajit_builds_differ),
        cmocka_unit_test(T13_every_conversion_of_a_type_to_itself_keeps_the_bits),
        cmocka_unit_test(T13_a_bool_that_is_neither_0_nor_1_becomes_1),
        cmocka_unit_test(T13_entities_and_chars_convert_as_the_numbers_they_are),
        cmocka_unit_test(T13_a_64_bit_integer_is_rounded_to_float_once),
        cmocka_unit_test(T13_a_double_too_large_for_a_float_is_counted_as_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
