#include "cli/number.h"

bool fr_cli_is_number(const firn_value *value)
{
    return value->kind == FIRN_VALUE_NUMBER || value->kind == FIRN_VALUE_INT64 ||
           value->kind == FIRN_VALUE_UINT64;
}

// A whole number of 64 bits of either kind.
typedef struct whole_number {
    bool negative;
    uint64_t magnitude;
} whole_number;

static whole_number whole_of(const firn_value *value)
{
    if (value->kind == FIRN_VALUE_UINT64) {
        return (whole_number){false, value->as.uint64};
    }
    bool negative = value->as.int64 < 0;
    uint64_t bits = (uint64_t)value->as.int64;
    return (whole_number){negative, negative ? 0 - bits : bits};
}

static int order_of(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_wholes(whole_number a, whole_number b)
{
    if (a.negative != b.negative) {
        return a.negative ? -1 : 1;
    }
    int order = order_of(a.magnitude, b.magnitude);
    return a.negative ? -order : order;
}

static int compare_whole_double(whole_number a, double b)
{
    double size = b < 0 ? -b : b;
    if (size >= 18446744073709551616.0) { // 2^64
        return b < 0 ? 1 : -1;
    }
    int order = compare_wholes(a, (whole_number){b < 0 && size >= 1, (uint64_t)size});
    double rest = size - (double)(uint64_t)size;
    return order != 0 || rest == 0 ? order : b < 0 ? 1 : -1;
}

bool fr_cli_number_compare(const firn_value *a, const firn_value *b, int *order)
{
    bool doubles[2] = {a->kind == FIRN_VALUE_NUMBER, b->kind == FIRN_VALUE_NUMBER};
    double left = doubles[0] ? a->as.number : 0, right = doubles[1] ? b->as.number : 0;
    if (left != left || right != right) {
        return false;
    }
    if (doubles[0] && doubles[1]) {
        *order = (left > right) - (left < right);
    } else if (doubles[0]) {
        *order = -compare_whole_double(whole_of(b), left);
    } else if (doubles[1]) {
        *order = compare_whole_double(whole_of(a), right);
    } else {
        *order = compare_wholes(whole_of(a), whole_of(b));
    }
    return true;
}
