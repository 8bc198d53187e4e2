/// fuzz.h: what the fuzz targets share: the entry that libFuzzer and driver.c call, checks that
/// abort, an allocator that counts and fails, and bytes as a source of choices.
#ifndef FUZZ_H
#define FUZZ_H

#include "firn/firn.h"

/// One run of a target. Returns 0, or -1 for bytes that are not worth keeping; a finding aborts.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// Aborts with the place and the text of a condition that does not hold.
#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fuzz_fail(#condition, __FILE__, __LINE__);                                             \
        }                                                                                          \
    } while (0)
_Noreturn void fuzz_fail(const char *condition, const char *file, int line);

/// FUZZ_CHECK that a call came to FIRN_OK; prints err when it did not.
#define FUZZ_OK(result, err)                                                                       \
    do {                                                                                           \
        if ((result) != FIRN_OK) {                                                                 \
            fuzz_fail((err)->message, __FILE__, __LINE__);                                         \
        }                                                                                          \
    } while (0)

/// An allocator over malloc that counts what lives. It must not move while blocks live.
typedef struct fuzz_allocator {
    firn_allocator allocator; ///< hand out its address
    uint64_t left;            ///< calls that succeed before one fails; UINT64_MAX: none fails
    uint64_t blocks;          ///< blocks that live
    uint64_t bytes;           ///< their bytes
} fuzz_allocator;

void fuzz_allocator_init(fuzz_allocator *memory);

/// Input that is consumed from the front. At its end every number is 0.
typedef struct fuzz_bytes {
    const uint8_t *at;
    size_t left;
} fuzz_bytes;

uint8_t fuzz_byte(fuzz_bytes *in);
/// Little-endian.
uint64_t fuzz_u64(fuzz_bytes *in);
/// 0 .. bound - 1 of one byte; bound is 1 .. 256.
uint32_t fuzz_below(fuzz_bytes *in, uint32_t bound);
/// A length byte modulo 64 and so many bytes, fewer at the end of the input; *size receives how
/// many.
const uint8_t *fuzz_slice(fuzz_bytes *in, size_t *size);

/// The limits that a byte chooses: the defaults, those for bytes from strangers, or tiny ones.
firn_limits fuzz_limits(uint8_t choice);

/// Puts the right hashes on whatever looks like a save file, its sections and its head. Of seal.c.
void fuzz_seal(uint8_t *file, size_t size);

#endif
