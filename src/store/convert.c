// Field types, and numbers carried from one type to another (docs/format.md, "numeric conversion").
#include "store/schema.h"

#include <math.h>
#include <string.h>

uint32_t fr_type_size(firn_type type)
{
    switch (type) {
#define TYPE_SIZE(name, text, size)                                                                \
    case FIRN_##name:                                                                              \
        return size;
        FIRN_TYPES(TYPE_SIZE) // NOLINT(bugprone-branch-clone): types of one size
#undef TYPE_SIZE
    case FIRN_TYPE_NONE:
    case FIRN_POINTER:
    case FIRN_NESTED:
        break;
    }
    return 0;
}

const char *fr_type_text(firn_type type)
{
    switch (type) {
#define TYPE_TEXT(name, text, size)                                                                \
    case FIRN_##name:                                                                              \
        return text;
        FIRN_TYPES(TYPE_TEXT)
#undef TYPE_TEXT
    case FIRN_TYPE_NONE:
        return "none";
    case FIRN_POINTER:
        return "pointer";
    case FIRN_NESTED:
        return "struct";
    }
    return "unknown";
}

firn_type fr_type_plain(firn_type type)
{
    switch (type) {
    case FIRN_CHAR:
        return FIRN_I8;
    case FIRN_ENTITY:
        return FIRN_U64;
    case FIRN_ENTITY_NUMBER:
        return FIRN_F64;
    default:
        return type;
    }
}

// A number of any field type, exact.
typedef struct any_number {
    enum { NUMBER_SIGNED, NUMBER_UNSIGNED, NUMBER_REAL } kind;
    union {
        int64_t whole;
        uint64_t natural;
        double real;
    } as;
} any_number;

static any_number load_number(firn_type type, const void *source)
{
    any_number number = {NUMBER_SIGNED, {0}};
    switch (type) {
#define LOAD_NUMBER(name, c_type, kind_, member)                                                   \
    case FIRN_##name: {                                                                            \
        c_type value;                                                                              \
        memcpy(&value, source, sizeof value);                                                      \
        number.kind = kind_;                                                                       \
        number.as.member = value;                                                                  \
        break;                                                                                     \
    }
        LOAD_NUMBER(I8, int8_t, NUMBER_SIGNED, whole)
        LOAD_NUMBER(I16, int16_t, NUMBER_SIGNED, whole)
        LOAD_NUMBER(I32, int32_t, NUMBER_SIGNED, whole)
        LOAD_NUMBER(I64, int64_t, NUMBER_SIGNED, whole)
        LOAD_NUMBER(U8, uint8_t, NUMBER_UNSIGNED, natural)
        LOAD_NUMBER(U16, uint16_t, NUMBER_UNSIGNED, natural)
        LOAD_NUMBER(U32, uint32_t, NUMBER_UNSIGNED, natural)
        LOAD_NUMBER(U64, uint64_t, NUMBER_UNSIGNED, natural)
        LOAD_NUMBER(F32, float, NUMBER_REAL, real)
        LOAD_NUMBER(F64, double, NUMBER_REAL, real)
#undef LOAD_NUMBER
    case FIRN_BOOL: {
        uint8_t byte;
        memcpy(&byte, source, 1);
        number.as.whole = byte != 0;
        break;
    }
    default:
        break;
    }
    return number;
}

static double number_to_double(const any_number *number)
{
    switch (number->kind) {
    case NUMBER_SIGNED:
        return (double)number->as.whole;
    case NUMBER_UNSIGNED:
        return (double)number->as.natural;
    case NUMBER_REAL:
        break;
    }
    return number->as.real;
}

// Rounds once. A plain cast does the same, but not on every machine: some go through a double and
// round twice. A double holds the upper 53 bits exactly; one bit there that says whether any bit
// below is set makes the second rounding right (Boldo and Melquiond, "Emulation of a FMA and
// correctly rounded sums", 2008: rounding to odd).
static float natural_to_float(uint64_t natural)
{
    if (natural >> 53 != 0) {
        uint64_t below = natural & 0x7ff;
        natural = (natural - below) | (below != 0 ? 0x800 : 0);
    }
    return (float)(double)natural;
}

static float number_to_float(const any_number *number)
{
    switch (number->kind) {
    case NUMBER_SIGNED:
        if (number->as.whole < 0) {
            return -natural_to_float(0 - number->as.natural);
        }
        return natural_to_float(number->as.natural);
    case NUMBER_UNSIGNED:
        return natural_to_float(number->as.natural);
    case NUMBER_REAL:
        break;
    }
    return (float)number->as.real;
}

static bool number_is_zero(const any_number *number)
{
    return number->kind == NUMBER_REAL ? number->as.real == 0 : number->as.natural == 0;
}

#define TWO_TO_63 9223372036854775808.0
#define TWO_TO_64 18446744073709551616.0

static int64_t truncate_to_int64(double value)
{
    if (value != value) {
        return 0;
    }
    if (value >= TWO_TO_63) {
        return INT64_MAX;
    }
    return value <= -TWO_TO_63 ? INT64_MIN : (int64_t)value;
}

static int64_t truncate_to_int32(double value)
{
    int64_t whole = truncate_to_int64(value);
    if (whole > INT32_MAX) {
        return INT32_MAX;
    }
    return whole < INT32_MIN ? INT32_MIN : whole;
}

// The 64 bits of which an integer of type `to` keeps the low ones.
static uint64_t real_to_bits(double value, firn_type to)
{
    switch (to) {
    case FIRN_U32:
    case FIRN_I64:
        return (uint64_t)truncate_to_int64(value);
    case FIRN_U64:
        if (value >= TWO_TO_64) {
            return UINT64_MAX;
        }
        return value > 0 ? (uint64_t)value : (uint64_t)truncate_to_int64(value);
    default:
        return (uint64_t)truncate_to_int32(value);
    }
}

static void store_low_bits(uint64_t bits, uint32_t size, void *target)
{
    uint8_t byte = (uint8_t)bits;
    uint16_t half = (uint16_t)bits;
    uint32_t word = (uint32_t)bits;
    const void *part = size == 1   ? (const void *)&byte
                       : size == 2 ? (const void *)&half
                       : size == 4 ? (const void *)&word
                                   : (const void *)&bits;
    memcpy(target, part, size);
}

static bool real_equals_integer(double real, const any_number *integer)
{
    if (integer->kind == NUMBER_UNSIGNED) {
        return real >= 0 && real < TWO_TO_64 && (double)(uint64_t)real == real &&
               (uint64_t)real == integer->as.natural;
    }
    return real >= -TWO_TO_63 && real < TWO_TO_63 && (double)(int64_t)real == real &&
           (int64_t)real == integer->as.whole;
}

// Whether `after`, an integer, has the value of `before`.
static bool integer_is_unchanged(const any_number *before, const any_number *after)
{
    if (before->kind == NUMBER_REAL) {
        return real_equals_integer(before->as.real, after);
    }
    // Equal bits are equal values, unless only one of the two reads the top bit as a sign.
    bool top = before->as.natural >> 63 != 0;
    return before->as.natural == after->as.natural && !(top && before->kind != after->kind);
}

bool fr_convert(firn_type from, const void *source, firn_type to, void *target)
{
    from = fr_type_plain(from);
    to = fr_type_plain(to);
    if (from == to && to != FIRN_BOOL) {
        memmove(target, source, fr_type_size(to));
        return false;
    }
    any_number before = load_number(from, source);
    switch (to) {
    case FIRN_F64: {
        double value = number_to_double(&before);
        memcpy(target, &value, sizeof value);
        return false;
    }
    case FIRN_F32: {
        float value = number_to_float(&before);
        memcpy(target, &value, sizeof value);
        // Not isinf, which warns about doubles with mingw-w64.
        bool was_infinite = before.kind == NUMBER_REAL && fabs(before.as.real) == HUGE_VAL;
        return fabsf(value) == HUGE_VALF && !was_infinite;
    }
    case FIRN_BOOL: {
        uint8_t byte = !number_is_zero(&before);
        memcpy(target, &byte, 1);
        break;
    }
    default: {
        bool wide = from == FIRN_I64 || from == FIRN_U64;
        uint64_t bits = wide ? before.as.natural : real_to_bits(number_to_double(&before), to);
        store_low_bits(bits, fr_type_size(to), target);
        break;
    }
    }
    any_number after = load_number(to, target);
    return !integer_is_unchanged(&before, &after);
}
