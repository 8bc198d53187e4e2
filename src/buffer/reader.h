/// reader.h: checked bytes in. No read leaves the bytes; a read that would, fails with
/// FIRN_TRUNCATED at the offset where the bytes are missing, and the position stays.
#ifndef FR_READER_H
#define FR_READER_H

#include "firn/value.h"

/// A place in bytes. `end` is one past the last readable byte.
typedef struct fr_in {
    const uint8_t *bytes; ///< the start, for offsets
    const uint8_t *at;
    const uint8_t *end;
} fr_in;

void fr_in_begin(fr_in *in, const void *bytes, size_t size);
size_t fr_in_left(const fr_in *in);
uint64_t fr_in_offset(const fr_in *in);
/// Each returns false, and moves nothing, when the bytes end before it does.
bool fr_in_bytes(fr_in *in, size_t size, const uint8_t **bytes);
bool fr_in_u8(fr_in *in, uint8_t *value);
bool fr_in_u32(fr_in *in, uint32_t *value);
bool fr_in_u64(fr_in *in, uint64_t *value);
bool fr_in_f64(fr_in *in, double *value);
/// U(n): minimal or not.
bool fr_in_count(fr_in *in, uint32_t *value);

uint16_t fr_load_u16(const uint8_t *bytes); ///< little-endian, unaligned
uint32_t fr_load_u32(const uint8_t *bytes);
uint64_t fr_load_u64(const uint8_t *bytes);
double fr_load_f64(const uint8_t *bytes);
void fr_store_u16(uint8_t *bytes, uint16_t value);
void fr_store_u32(uint8_t *bytes, uint32_t value);
void fr_store_u64(uint8_t *bytes, uint64_t value);
void fr_store_f64(uint8_t *bytes, double value);

/// One encoded number (double or int32 form) or string, as preludes are made of. On failure the
/// position stays and err has `what` as its subject: FIRN_TRUNCATED, or FIRN_CORRUPT for another kind.
firn_result fr_in_encoded_number(fr_in *in, const char *what, double *value, firn_error *err);
/// A number that is integral and within 0..most.
firn_result fr_in_encoded_count(fr_in *in, const char *what, uint64_t most, uint64_t *value,
                                firn_error *err);
firn_result fr_in_encoded_string(fr_in *in, const char *what, uint64_t most, const char **bytes,
                                 size_t *size, firn_error *err);

#endif
