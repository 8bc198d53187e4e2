/// support.h: what the tests share: cmocka, an allocator that counts, checks and fails, bytes from
/// hex and files, a small generator, and assertions about errors.
#ifndef TEST_SUPPORT_H
#define TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "firn/base.h"

// ---------------------------------------------------------------- memory

/// An allocator over malloc. It ends the test when a block is resized or freed with another size or
/// alignment than it was made with, or was written before its start or behind its end. Fresh bytes
/// are 0xA5, freed ones 0x5A, and every resize moves.
typedef struct test_allocator {
    firn_allocator allocator; ///< hand out its address
    uint64_t calls;      ///< calls that could have failed (all but frees) since the last fail_at
    uint64_t fail_call;  ///< the call that fails, from 1; 0 for none
    bool fail_for_ever;  ///< and all after it
    bool injected;       ///< a call was made to fail
    uint64_t blocks;     ///< blocks that live
    uint64_t bytes;      ///< their bytes
    uint64_t peak_bytes; ///< the most `bytes` there were since init or test_allocator_reset_peak
} test_allocator;

/// The allocator must not move while blocks live: they know its address.
void test_allocator_init(test_allocator *memory);
/// Lets the `call`th call from now fail, once or with all that follow; 0 for none.
void test_allocator_fail_at(test_allocator *memory, uint64_t call, bool for_ever);
/// peak_bytes = bytes.
void test_allocator_reset_peak(test_allocator *memory);
/// No block lives.
#define assert_no_leak(memory) test_assert_no_leak((memory), __FILE__, __LINE__)
void test_assert_no_leak(const test_allocator *memory, const char *file, int line);

// ---------------------------------------------------------------- errors

/// err->code is `result`, the subject contains `subject_part`, and the message is one line that is
/// not empty. Prints the whole error when not.
#define assert_error(err, result, subject_part)                                                    \
    test_assert_error((err), (result), (subject_part), __FILE__, __LINE__)
void test_assert_error(const firn_error *err, firn_result result, const char *subject_part,
                       const char *file, int line);

/// The call came to FIRN_OK; else prints err (which may be NULL).
#define assert_ok(result, err) test_assert_ok((result), (err), __FILE__, __LINE__)
void test_assert_ok(firn_result result, const firn_error *err, const char *file, int line);

// ---------------------------------------------------------------- bytes

/// Bytes from hex digits and blanks; a token `62*190` is 190 times the byte 0x62. The caller frees
/// them with free; never NULL. Anything else in the text ends the test.
uint8_t *test_from_hex(const char *hex, size_t *size);

/// A whole file, with a 0 behind it; freed with free. A file that cannot be read ends the test.
uint8_t *test_read_file(const char *path, size_t *size);

/// FIRN_TEST_DATA "/" name, as test_read_file.
#define test_read_data(name, size) test_read_file(FIRN_TEST_DATA "/" name, (size))

// ---------------------------------------------------------------- generator

/// splitmix64 (Steele, Lea, Flood 2014; public domain code by Vigna): the state may be any number.
typedef struct test_random {
    uint64_t state;
} test_random;

uint64_t test_random_u64(test_random *random);
/// 0 .. bound - 1; bound is not 0.
uint32_t test_random_below(test_random *random, uint32_t bound);
/// 0 <= x < 1.
double test_random_real(test_random *random);

#endif
