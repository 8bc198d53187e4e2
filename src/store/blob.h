/// blob.h: a row of a FIRN_STRING or FIRN_VALUE column: 16 bytes that hold the canonical encoding
/// of the value inline (up to 12 bytes), or in an owned block. So a save copies, and a load checks
/// and copies.
#ifndef FR_BLOB_H
#define FR_BLOB_H

#include "firn/base.h"

#define FR_BLOB_INLINE 12

typedef struct fr_blob {
    uint32_t size;
    /// The encoding; or, above 12 bytes, the pointer to it at bytes[4], and at bytes[0] how far in
    /// a block that it shares with others it stands: 0 when it has its own.
    uint8_t bytes[FR_BLOB_INLINE];
} fr_blob;

/// Copies `size` encoded bytes, size > 0; false: no memory, *blob unchanged.
bool fr_blob_make(const firn_allocator *allocator, const uint8_t *encoded, uint32_t size,
                  fr_blob *blob);

/// Makes many small blobs with one allocation for hundreds: they share blocks of 4 KiB, each of
/// which lives as long as one of its blobs.
typedef struct fr_blob_pool {
    const firn_allocator *allocator;
    struct fr_blob_block *block; ///< the one that is being filled, or NULL
} fr_blob_pool;

/// *allocator stays where it is until the end.
void fr_blob_pool_begin(fr_blob_pool *pool, const firn_allocator *allocator);
/// fr_blob_make.
bool fr_blob_pool_make(fr_blob_pool *pool, const uint8_t *encoded, uint32_t size, fr_blob *blob);
/// The blobs stay.
void fr_blob_pool_end(fr_blob_pool *pool);

/// Frees `count` blobs in a row, however they were made.
void fr_blob_free(const firn_allocator *allocator, fr_blob *blobs, size_t count);
const uint8_t *fr_blob_bytes(const fr_blob *blob);
/// Copies the encoding to `to`, where there is room for it and for FR_BLOB_INLINE bytes: what a
/// short one has not itself is written all the same.
void fr_blob_copy(const fr_blob *blob, uint8_t *to);

#endif
