#include "store/blob.h"

#include "base/alloc.h"

#include <assert.h>
#include <string.h>

#define BLOB_POINTER_AT 4 // the pointer of an owned block ends with the 16 bytes of the row

static uint8_t *blob_block(const fr_blob *blob)
{
    uint8_t *block;
    memcpy(&block, blob->bytes + BLOB_POINTER_AT, sizeof block);
    return block;
}

bool fr_blob_make(const firn_allocator *allocator, const uint8_t *encoded, uint32_t size,
                  fr_blob *blob)
{
    assert(size > 0);
    fr_blob made = {.size = size};
    if (size <= FR_BLOB_INLINE) {
        memcpy(made.bytes, encoded, size);
    } else {
        uint8_t *block = fr_alloc(allocator, size, 1, 1);
        if (block == NULL) {
            return false;
        }
        memcpy(block, encoded, size);
        memcpy(made.bytes + BLOB_POINTER_AT, &block, sizeof block);
    }
    *blob = made;
    return true;
}

void fr_blob_free(const firn_allocator *allocator, fr_blob *blobs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (blobs[i].size > FR_BLOB_INLINE) {
            fr_free(allocator, blob_block(&blobs[i]), blobs[i].size, 1, 1);
        }
    }
}

const uint8_t *fr_blob_bytes(const fr_blob *blob)
{
    return blob->size <= FR_BLOB_INLINE ? blob->bytes : blob_block(blob);
}
