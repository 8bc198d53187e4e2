/// writer.h: little-endian bytes out. Everything firn writes passes here: to a buffer, to a digest,
/// or to both. The first failure sticks; fr_out_end returns it.
#ifndef FR_WRITER_H
#define FR_WRITER_H

#include "base/hash.h"
#include "firn/value.h"

/// Where bytes go. `buffer` and `digest` may each be NULL. With a digest and no buffer nothing is
/// kept: large pieces go to the digest straight, without a copy. With both, the digest follows the
/// buffer, at most FR_OUT_BLOCK bytes behind, so that it reads what is still in a near cache;
/// it also sees what others append to the buffer in between.
typedef struct fr_out {
    firn_buffer *buffer;
    fr_digest *digest;
    size_t digested;  ///< bytes of the buffer that the digest is past
    firn_error error; ///< code FIRN_OK while all is well
} fr_out;

/// Less than the second cache of processors holds, and large enough that copies and the digest,
/// which takes some steps for each piece, run at their full speed.
#define FR_OUT_BLOCK ((size_t)262144)

/// What the buffer holds already is no business of the digest.
void fr_out_begin(fr_out *out, firn_buffer *buffer, fr_digest *digest);
/// Lets the digest see the last bytes: before its value is read.
void fr_out_flush(fr_out *out);
/// The first failure, or FIRN_OK.
firn_result fr_out_end(const fr_out *out, firn_error *err);
void fr_out_bytes(fr_out *out, const void *bytes, size_t size);
void fr_out_u8(fr_out *out, uint8_t value);
void fr_out_u64(fr_out *out, uint64_t value);
/// U(n) of docs/format.md: 1, 2 or 5 bytes.
void fr_out_count(fr_out *out, uint32_t value);
/// Room for `size` bytes that the caller fills at once, before any other call; NULL after a failure
/// or when there is no buffer (then use a scratch block and fr_out_bytes). The digest sees them at
/// fr_out_filled.
uint8_t *fr_out_space(fr_out *out, size_t size);
void fr_out_filled(fr_out *out, size_t size);

/// The encoded forms of simple values: what a prelude is made of.
void fr_out_encoded_bool(fr_out *out, bool value);
void fr_out_encoded_number(fr_out *out, double value); ///< NaN becomes 00 00 00 00 00 00 f8 7f
void fr_out_encoded_string(fr_out *out, const void *bytes, size_t size);

#endif
