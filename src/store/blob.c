#include "store/blob.h"

#include "base/alloc.h"

#include <assert.h>
#include <stdalign.h>
#include <string.h>

#define BLOB_POINTER_AT 4 // the pointer of an owned block ends with the 16 bytes of the row

static uint8_t *bytes_of_blob(const fr_blob *blob)
{
    uint8_t *bytes;
    memcpy(&bytes, blob->bytes + BLOB_POINTER_AT, sizeof bytes);
    return bytes;
}

// More than 8 bytes, by eights, the last of which may overlap: a call, or what compilers put in its
// place, takes longer than names are.
static void copy_eights(uint8_t *to, const uint8_t *from, uint32_t size)
{
    for (uint32_t at = 0; at < size - 8; at += 8) {
        memcpy(to + at, from + at, 8);
    }
    memcpy(to + size - 8, from + size - 8, 8);
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

// ---- blocks that blobs share

#define SHARED_BYTES 4096
#define SHARED_MOST                                                                                \
    512 // larger ones have a block of their own: little of a shared one is left over

typedef struct fr_blob_block {
    uint32_t users; // blobs, and the pool that fills it
    uint32_t used;  // bytes
    uint8_t bytes[SHARED_BYTES - 2 * sizeof(uint32_t)];
} fr_blob_block;

static void leave_block(const firn_allocator *allocator, fr_blob_block *block)
{
    if (--block->users == 0) {
        fr_free(allocator, block, 1, sizeof *block, alignof(fr_blob_block));
    }
}

void fr_blob_pool_begin(fr_blob_pool *pool, const firn_allocator *allocator)
{
    *pool = (fr_blob_pool){.allocator = allocator};
}

void fr_blob_pool_end(fr_blob_pool *pool)
{
    if (pool->block != NULL) {
        leave_block(pool->allocator, pool->block);
        pool->block = NULL;
    }
}

static bool make_room(fr_blob_pool *pool, uint32_t size)
{
    if (pool->block != NULL && size <= sizeof pool->block->bytes - pool->block->used) {
        return true;
    }
    fr_blob_block *block = fr_alloc(pool->allocator, 1, sizeof *block, alignof(fr_blob_block));
    if (block == NULL) {
        return false;
    }
    fr_blob_pool_end(pool);
    block->users = 1;
    block->used = 0;
    pool->block = block;
    return true;
}

bool fr_blob_pool_make(fr_blob_pool *pool, const uint8_t *encoded, uint32_t size, fr_blob *blob)
{
    if (size <= FR_BLOB_INLINE || size > SHARED_MOST) {
        return fr_blob_make(pool->allocator, encoded, size, blob);
    }
    if (!make_room(pool, size)) {
        return false;
    }
    fr_blob_block *block = pool->block;
    uint8_t *bytes = block->bytes + block->used;
    uint32_t distance = (uint32_t)(bytes - (uint8_t *)block);
    copy_eights(bytes, encoded, size);
    block->used += size;
    block->users++;
    blob->size = size;
    memcpy(blob->bytes, &distance, sizeof distance);
    memcpy(blob->bytes + BLOB_POINTER_AT, &bytes, sizeof bytes);
    return true;
}

static void free_bytes(const firn_allocator *allocator, const fr_blob *blob)
{
    uint8_t *bytes = bytes_of_blob(blob);
    uint32_t distance;
    memcpy(&distance, blob->bytes, sizeof distance);
    if (distance == 0) {
        fr_free(allocator, bytes, blob->size, 1, 1);
    } else {
        leave_block(allocator, (fr_blob_block *)(void *)(bytes - distance));
    }
}

void fr_blob_free(const firn_allocator *allocator, fr_blob *blobs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (blobs[i].size > FR_BLOB_INLINE) {
            free_bytes(allocator, &blobs[i]);
        }
    }
}

const uint8_t *fr_blob_bytes(const fr_blob *blob)
{
    return blob->size <= FR_BLOB_INLINE ? blob->bytes : bytes_of_blob(blob);
}

void fr_blob_copy(const fr_blob *blob, uint8_t *to)
{
    if (blob->size <= FR_BLOB_INLINE) {
        memcpy(to, blob->bytes, FR_BLOB_INLINE);
    } else if (blob->size <= SHARED_MOST) {
        copy_eights(to, bytes_of_blob(blob), blob->size);
    } else {
        memcpy(to, bytes_of_blob(blob), blob->size);
    }
}
