#include "cli/histogram.h"

// From here on a double has no fractions.
#define NO_FRACTIONS 9007199254740992.0

double fr_number_real(fr_number number)
{
    switch (number.kind) {
    case FR_NUMBER_SIGNED:
        return (double)number.as.integer;
    case FR_NUMBER_UNSIGNED:
        return (double)number.as.natural;
    default:
        return number.as.real;
    }
}

// Exact for two of one kind.
static bool number_is_less(fr_number a, fr_number b)
{
    if (a.kind == FR_NUMBER_SIGNED && b.kind == FR_NUMBER_SIGNED) {
        return a.as.integer < b.as.integer;
    }
    if (a.kind == FR_NUMBER_UNSIGNED && b.kind == FR_NUMBER_UNSIGNED) {
        return a.as.natural < b.as.natural;
    }
    return fr_number_real(a) < fr_number_real(b);
}

static bool has_fraction(double real)
{
    bool small = real > -NO_FRACTIONS && real < NO_FRACTIONS;
    return small && (double)(int64_t)real != real;
}

void fr_histogram_see(fr_histogram *histogram, fr_number number)
{
    double real = fr_number_real(number);
    if (real != real) {
        histogram->nans++;
        return;
    }
    if (real - real != 0) {
        histogram->infinities++;
        return;
    }
    bool first = histogram->count++ == 0;
    if (first || number_is_less(number, histogram->least)) {
        histogram->least = number;
    }
    if (first || number_is_less(histogram->most, number)) {
        histogram->most = number;
    }
    // Divided before they are subtracted: the difference of two numbers may be infinite.
    double count = (double)histogram->count;
    histogram->mean += real / count - histogram->mean / count;
    histogram->fractions = histogram->fractions || has_fraction(real);
}

bool fr_histogram_constant(const fr_histogram *histogram)
{
    return histogram->count > 0 && !number_is_less(histogram->least, histogram->most);
}

void fr_histogram_divide(fr_histogram *histogram)
{
    if (histogram->count == 0 || fr_histogram_constant(histogram)) {
        return;
    }
    // Halves, since the distance of two numbers may be infinite.
    histogram->low = fr_number_real(histogram->least) / 2;
    double range = fr_number_real(histogram->most) / 2 - histogram->low;
    histogram->bin_count = FR_HISTOGRAM_BINS;
    histogram->step = range / FR_HISTOGRAM_BINS;
    if (!histogram->fractions && range < NO_FRACTIONS / 2) {
        uint64_t values = (uint64_t)(range * 2) + 1;
        uint64_t each = (values - 1) / FR_HISTOGRAM_BINS + 1;
        histogram->bin_count = (uint32_t)((values - 1) / each + 1);
        histogram->step = (double)each / 2;
    }
}

void fr_histogram_sort(fr_histogram *histogram, fr_number number)
{
    double real = fr_number_real(number);
    if (histogram->bin_count == 0 || real - real != 0) {
        return;
    }
    double place = (real / 2 - histogram->low) / histogram->step;
    uint32_t last = histogram->bin_count - 1;
    histogram->bins[place < (double)last ? (uint32_t)place : last]++; // also where the step is 0
}
