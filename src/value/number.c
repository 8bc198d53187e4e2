// Shortest decimals by the algorithm Schubfach (Raffaello Giulietti, "The Schubfach way to render
// doubles", 2020). Names follow the paper: a number is c * 2^q, its interval of rounding goes from
// cbl to cbr, in quarters, and the decimal has the exponent k.
#include "value/number.h"

#include <string.h>

#include "buffer/bytes.h"

// ---- powers of ten

typedef struct power {
    uint64_t high, low;
} power;

#define POWER_STEP  27
#define POWER_FIRST (-297)

// 10^-297, 10^-270, ... as 128 bits of which the first is 1, rounded up.
static const power powers[] = {
    {UINT64_C(0xa76c582338ed2621), UINT64_C(0xaf2af2b80af6f24f)},
    {UINT64_C(0x873e4f75e2224e68), UINT64_C(0x5a7744a6e804a292)},
    {UINT64_C(0xda7f5bf590966848), UINT64_C(0xaf39a475506a899f)},
    {UINT64_C(0xb080392cc4349dec), UINT64_C(0xbd8d794d96aacfb4)},
    {UINT64_C(0x8e938662882af53e), UINT64_C(0x547eb47b7282ee9d)},
    {UINT64_C(0xe65829b3046b0afa), UINT64_C(0x0cb4a5a3112a5113)},
    {UINT64_C(0xba121a4650e4ddeb), UINT64_C(0x92f34d62616ce414)},
    {UINT64_C(0x964e858c91ba2655), UINT64_C(0x3a6a07f8d510f870)},
    {UINT64_C(0xf2d56790ab41c2a2), UINT64_C(0xfae27299423fb9c4)},
    {UINT64_C(0xc428d05aa4751e4c), UINT64_C(0xaa97e14c3c26b887)},
    {UINT64_C(0x9e74d1b791e07e48), UINT64_C(0x775ea264cf55347e)},
    {UINT64_C(0x8000000000000000), UINT64_C(0x0000000000000000)},
    {UINT64_C(0xcecb8f27f4200f3a), UINT64_C(0x0000000000000000)},
    {UINT64_C(0xa70c3c40a64e6c51), UINT64_C(0x999090b65f67d924)},
    {UINT64_C(0x86f0ac99b4e8dafd), UINT64_C(0x69a028bb3ded71a4)},
    {UINT64_C(0xda01ee641a708de9), UINT64_C(0xe80e6f4820cc9496)},
    {UINT64_C(0xb01ae745b101e9e4), UINT64_C(0x5ec05dcff72e7f90)},
    {UINT64_C(0x8e41ade9fbebc27d), UINT64_C(0x14588f13be847308)},
    {UINT64_C(0xe5d3ef282a242e81), UINT64_C(0x8f1668c8a86da5fb)},
    {UINT64_C(0xb9a74a0637ce2ee1), UINT64_C(0x6d953e2bd7173693)},
    {UINT64_C(0x95f83d0a1fb69cd9), UINT64_C(0x4abdaf101564f98f)},
    {UINT64_C(0xf24a01a73cf2dccf), UINT64_C(0xbc633b39673c8ced)},
    {UINT64_C(0xc3b8358109e84f07), UINT64_C(0x0a862f80ec4700c9)},
    {UINT64_C(0x9e19db92b4e31ba9), UINT64_C(0x6c07a2c26a8346d2)},
};

// The high and the low half of a product.
static uint64_t multiply_64(uint64_t a, uint64_t b, uint64_t *low)
{
    uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t other = a0 * b1 + (middle & UINT32_MAX);
    *low = a * b;
    return a1 * b1 + (middle >> 32) + (other >> 32);
}

// 10^k for -292 <= k <= 324: at most 3 above the exact number, of which the paper allows 4. It is
// the power below times a power of 5, which has less than 64 bits: 192 bits, of which 128 stay.
static power power_of_ten(int k)
{
    int step = (k - POWER_FIRST) / POWER_STEP;
    power base = powers[step];
    uint64_t five = 1, low, middle, carry;
    for (int i = POWER_FIRST + step * POWER_STEP; i < k; i++) {
        five *= 5;
    }
    if (five == 1) {
        return base;
    }
    uint64_t high = multiply_64(base.high, five, &middle);
    carry = multiply_64(base.low, five, &low);
    middle += carry;
    high += middle < carry;
    while (high >> 63 == 0) {
        high = high << 1 | middle >> 63;
        middle = middle << 1 | low >> 63;
        low <<= 1;
    }
    middle += low != 0;
    high += low != 0 && middle == 0;
    return (power){high, middle};
}

// ---- digits

typedef struct decimal {
    uint64_t digits;
    int exponent;
} decimal;

// The upper 64 bits of g * cp, the last of which also stands for all that is cut off.
static uint64_t round_to_odd(power g, uint64_t cp)
{
    uint64_t unused, middle;
    uint64_t carry = multiply_64(g.low, cp, &unused);
    uint64_t high = multiply_64(g.high, cp, &middle);
    middle += carry;
    high += middle < carry;
    return high | (middle > 1);
}

// floor(x * 2^-shift) for signed x.
static int shift_down(int x, int shift)
{
    return x >= 0 ? x >> shift : -((-x + (1 << shift) - 1) >> shift);
}

// `edge`: c is the first of its binary order, so that the numbers below lie half as far apart.
static decimal shortest_decimal(uint64_t c, int q, bool edge)
{
    bool even = (c & 1) == 0;
    int k = shift_down(q * 1262611 - (edge ? 524031 : 0), 22); // floor(log10(2^q)), of 3/4 of it
    int h = q + shift_down(-k * 1741647, 19) + 1;
    power g = power_of_ten(-k);
    uint64_t lower = round_to_odd(g, (4 * c - (edge ? 1 : 2)) << h) + !even;
    uint64_t value = round_to_odd(g, 4 * c << h);
    uint64_t upper = round_to_odd(g, (4 * c + 2) << h) - !even;
    uint64_t s = value / 4;
    if (s >= 10) { // one digit less, if exactly one such lies within
        uint64_t tens = s / 10;
        bool below = lower <= 40 * tens, above = 40 * tens + 40 <= upper;
        if (below != above) {
            return (decimal){tens + above, k + 1};
        }
    }
    bool below = lower <= 4 * s, above = 4 * s + 4 <= upper;
    if (below != above) {
        return (decimal){s + above, k};
    }
    uint64_t middle = 4 * s + 2;
    bool up = value > middle || (value == middle && (s & 1) != 0);
    return (decimal){s + up, k};
}

// A number of `bits` bits of fraction, given by those and by the biased exponent; not 0.
static decimal decimal_of_bits(uint64_t fraction, int exponent, int bits, int bias)
{
    if (exponent == 0) {
        return shortest_decimal(fraction, 1 - bias - bits, false);
    }
    uint64_t c = fraction | UINT64_C(1) << bits;
    int q = exponent - bias - bits;
    if (q <= 0 && q > -bits && (c & ((UINT64_C(1) << -q) - 1)) == 0) {
        return (decimal){c >> -q, 0}; // an integer
    }
    return shortest_decimal(c, q, fraction == 0 && exponent > 1);
}

// ---- text

char *fr_text_put_uint64(char *at, uint64_t value)
{
    char digits[20];
    int count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    while (count > 0) {
        *at++ = digits[--count];
    }
    return at;
}

char *fr_text_put_int64(char *at, int64_t value)
{
    if (value < 0) {
        *at++ = '-';
        return fr_text_put_uint64(at, 0 - (uint64_t)value);
    }
    return fr_text_put_uint64(at, (uint64_t)value);
}

static char *put_repeated(char *at, char c, int count)
{
    for (; count > 0; count--) {
        *at++ = c;
    }
    return at;
}

static char *put_decimal(char *at, decimal number)
{
    while (number.digits % 10 == 0) {
        number.digits /= 10;
        number.exponent++;
    }
    char digits[20];
    int count = (int)(fr_text_put_uint64(digits, number.digits) - digits);
    int before = count + number.exponent; // digits in front of the point
    if (number.exponent >= 0 && before <= 17) {
        memcpy(at, digits, (size_t)count);
        return put_repeated(at + count, '0', number.exponent);
    }
    if (before > 0 && before <= 17) {
        memcpy(at, digits, (size_t)before);
        at[before] = '.';
        memcpy(at + before + 1, digits + before, (size_t)(count - before));
        return at + count + 1;
    }
    if (before <= 0 && before > -5) {
        memcpy(at, "0.", 2);
        at = put_repeated(at + 2, '0', -before);
        memcpy(at, digits, (size_t)count);
        return at + count;
    }
    *at++ = digits[0];
    if (count > 1) {
        *at++ = '.';
        memcpy(at, digits + 1, (size_t)count - 1);
        at += count - 1;
    }
    *at++ = 'e';
    return fr_text_put_int64(at, before - 1);
}

static char *put_sign(char *at, bool negative, bool zero)
{
    if (zero) {
        memcpy(at, "-0.0", 4); // an integer has no sign of zero
        *at = negative ? '-' : '0';
        return at + (negative ? 4 : 1);
    }
    *at = '-';
    return at + negative;
}

char *fr_text_put_double(char *at, double value)
{
    uint64_t bits = fr_bits_f64(value), rest = bits & (UINT64_MAX >> 1);
    at = put_sign(at, bits != rest, rest == 0);
    if (rest == 0) {
        return at;
    }
    uint64_t fraction = rest & ((UINT64_C(1) << 52) - 1);
    return put_decimal(at, decimal_of_bits(fraction, (int)(rest >> 52), 52, 1023));
}

char *fr_text_put_float(char *at, float value)
{
    uint32_t bits, rest;
    memcpy(&bits, &value, sizeof bits);
    rest = bits & INT32_MAX;
    at = put_sign(at, bits != rest, rest == 0);
    if (rest == 0) {
        return at;
    }
    if (rest == UINT32_C(0x15ae43fd)) {
        // 7.038531e-26 as a double lies half way to the next float, and so reads as that one. It is
        // the only one of all floats.
        return put_decimal(at, (decimal){70385307, -33});
    }
    uint64_t fraction = rest & ((UINT32_C(1) << 23) - 1);
    return put_decimal(at, decimal_of_bits(fraction, (int)(rest >> 23), 23, 127));
}
