/// histogram.h: how numbers are spread, in two passes over them and a bounded memory.
#ifndef FR_CLI_HISTOGRAM_H
#define FR_CLI_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define FR_HISTOGRAM_BINS 32

typedef enum fr_number_kind { FR_NUMBER_REAL, FR_NUMBER_SIGNED, FR_NUMBER_UNSIGNED } fr_number_kind;

/// A number as exactly as it was saved.
typedef struct fr_number {
    fr_number_kind kind;
    union {
        double real;
        int64_t integer;
        uint64_t natural;
    } as;
} fr_number;

/// A zeroed one is empty.
typedef struct fr_histogram {
    uint64_t count; ///< of numbers that are neither NaN nor infinite
    uint64_t nans;
    uint64_t infinities;
    fr_number least, most; ///< of those that count
    double mean;           ///< of those that count
    bool fractions;        ///< some of them are no integers
    double low, step;      ///< where the first bin begins, and how wide all are
    uint32_t bin_count;    ///< 0: they are all one number, or there is none
    uint64_t bins[FR_HISTOGRAM_BINS];
} fr_histogram;

/// The number as a double, rounded.
double fr_number_real(fr_number number);

/// First pass.
void fr_histogram_see(fr_histogram *histogram, fr_number number);
/// Between the passes: chooses the bins. Integers get bins that hold as many of them each.
void fr_histogram_divide(fr_histogram *histogram);
/// Second pass, over the same numbers.
void fr_histogram_sort(fr_histogram *histogram, fr_number number);
/// The numbers that are counted are all the same, and there is one.
bool fr_histogram_constant(const fr_histogram *histogram);

#endif
