/// avx2.h: FR_AVX2 is there where firn is compiled for processors that may have vectors of 256 bits
/// or not: a function with that target may then be called when __builtin_cpu_supports("avx2").
#ifndef FR_AVX2_H
#define FR_AVX2_H

// Not on Windows, where gcc does not align the stack as these vectors need it.
#if defined(__GNUC__) && defined(__x86_64__) && !defined(__AVX2__) && !defined(_WIN32)
#define FR_AVX2
#endif

#endif
