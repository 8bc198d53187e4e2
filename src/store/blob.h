/// blob.h: a row of a FIRN_STRING or FIRN_VALUE column: 16 bytes that hold the canonical encoding
/// of the value inline (up to 12 bytes), or in an owned block. So a save copies, and a load checks
/// and copies.
#ifndef FR_BLOB_H
#define FR_BLOB_H

#include "firn/base.h"

#define FR_BLOB_INLINE 12

typedef struct fr_blob {
    uint32_t size;
    /// The encoding; or, above 12 bytes, the pointer to it at bytes[4].
    uint8_t bytes[FR_BLOB_INLINE];
} fr_blob;

/// Copies `size` encoded bytes, size > 0; false: no memory, *blob unchanged.
bool fr_blob_make(const firn_allocator *allocator, const uint8_t *encoded, uint32_t size,
                  fr_blob *blob);
/// Frees `count` blobs in a row.
void fr_blob_free(const firn_allocator *allocator, fr_blob *blobs, size_t count);
const uint8_t *fr_blob_bytes(const fr_blob *blob);

#endif
