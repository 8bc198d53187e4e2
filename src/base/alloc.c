#ifndef _GNU_SOURCE
#define _GNU_SOURCE // madvise
#endif

#include "base/alloc.h"

#include "base/error.h"

#include <assert.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <malloc.h>
#endif
#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

// Linux hands memory out when it is first touched, in pages of 4 KiB, at a microsecond each: more
// than filling them takes. Of large blocks it is asked to make pages of 2 MiB where it can: before
// they are touched, for what is in small pages stays there.
#define LARGE_BLOCK ((size_t)2 << 20)

static void ask_for_large_pages(void *block, size_t size)
{
#ifdef __linux__
    if (block == NULL || size < LARGE_BLOCK) {
        return;
    }
    long page = sysconf(_SC_PAGESIZE);
    if (page > 0) {
        uint8_t *begin = (uint8_t *)block - (uintptr_t)block % (uintptr_t)page;
        madvise(begin, (size_t)((uint8_t *)block + size - begin), MADV_HUGEPAGE);
    }
#else
    (void)block;
    (void)size;
#endif
}

#ifdef _WIN32
// Windows has no aligned_alloc, since its free takes only what malloc gave.
static void *resize_aligned(void *ptr, size_t old_size, size_t new_size, size_t align)
{
    (void)old_size;
    return _aligned_realloc(ptr, new_size, align);
}

static void free_aligned(void *ptr)
{
    _aligned_free(ptr);
}
#else
static void *resize_aligned(void *ptr, size_t old_size, size_t new_size, size_t align)
{
    // C11 wants a size that is a multiple of the alignment.
    if (new_size > SIZE_MAX - (align - 1)) {
        return NULL;
    }
    void *moved = aligned_alloc(align, (new_size + align - 1) & ~(align - 1));
    ask_for_large_pages(moved, new_size);
    if (moved != NULL && ptr != NULL) {
        memcpy(moved, ptr, old_size < new_size ? old_size : new_size);
        free(ptr);
    }
    return moved;
}

static void free_aligned(void *ptr)
{
    free(ptr);
}
#endif

static void *resize_plain(void *ptr, size_t new_size)
{
    void *block = realloc(ptr, new_size);
    ask_for_large_pages(block, new_size);
    return block;
}

static void *default_resize(void *user, void *ptr, size_t old_size, size_t new_size, size_t align)
{
    (void)user;
    bool aligned = align > alignof(max_align_t);
    if (new_size == 0) {
        if (aligned) {
            free_aligned(ptr);
        } else {
            free(ptr);
        }
        return NULL;
    }
    return aligned ? resize_aligned(ptr, old_size, new_size, align) : resize_plain(ptr, new_size);
}

const firn_allocator *firn_allocator_default(void)
{
    static const firn_allocator allocator = {default_resize, NULL};
    return &allocator;
}

firn_result fr_allocator_check(const firn_allocator *allocator, firn_error *err)
{
    if (allocator != NULL && allocator->resize == NULL) {
        return fr_fail(err, FIRN_INVALID, "allocator", "allocator has no resize function");
    }
    return FIRN_OK;
}

static void *call_resize(const firn_allocator *allocator, void *ptr, size_t old_size,
                         size_t new_size, size_t align)
{
    assert(align != 0 && (align & (align - 1)) == 0);
    if (allocator == NULL || allocator->resize == NULL) {
        allocator = firn_allocator_default();
    }
    return allocator->resize(allocator->user, ptr, old_size, new_size, align);
}

void *fr_alloc(const firn_allocator *allocator, size_t count, size_t size, size_t align)
{
    return fr_resize(allocator, NULL, 0, count, size, align);
}

void *fr_alloc_zero(const firn_allocator *allocator, size_t count, size_t size, size_t align)
{
    void *ptr = fr_alloc(allocator, count, size, align);
    if (ptr != NULL) {
        memset(ptr, 0, count * size);
    }
    return ptr;
}

void *fr_resize(const firn_allocator *allocator, void *ptr, size_t old_count, size_t new_count,
                size_t size, size_t align)
{
    assert((ptr == NULL) == (old_count * size == 0));
    size_t new_size;
    if (!fr_multiply_size(new_count, size, &new_size)) {
        return NULL;
    }
    if (ptr == NULL && new_size == 0) {
        return NULL;
    }
    return call_resize(allocator, ptr, old_count * size, new_size, align);
}

void fr_free(const firn_allocator *allocator, void *ptr, size_t count, size_t size, size_t align)
{
    if (ptr != NULL) {
        call_resize(allocator, ptr, count * size, 0, align);
    }
}

char *fr_copy_text(const firn_allocator *allocator, const char *text, size_t size)
{
    assert(size == 0 || memchr(text, 0, size) == NULL);
    size_t bytes;
    if (!fr_add_size(size, 1, &bytes)) {
        return NULL;
    }
    char *copy = fr_alloc(allocator, bytes, 1, 1);
    if (copy != NULL) {
        if (size > 0) {
            memcpy(copy, text, size);
        }
        copy[size] = 0;
    }
    return copy;
}

void fr_free_text(const firn_allocator *allocator, char *text)
{
    if (text != NULL) {
        fr_free(allocator, text, strlen(text) + 1, 1, 1);
    }
}

bool fr_add_size(size_t a, size_t b, size_t *out)
{
    if (b > SIZE_MAX - a) {
        return false;
    }
    *out = a + b;
    return true;
}

bool fr_multiply_size(size_t a, size_t b, size_t *out)
{
    if (b != 0 && a > SIZE_MAX / b) {
        return false;
    }
    *out = a * b;
    return true;
}

size_t fr_next_capacity(size_t capacity, size_t need, size_t first)
{
#ifndef NDEBUG
    first = 1;
#endif
    if (need <= capacity) {
        return capacity;
    }
    size_t next = capacity;
    if (!fr_add_size(capacity, capacity / 2, &next) || next < need) {
        next = need;
    }
    return next < first ? first : next;
}

bool fr_grow_bytes(const firn_allocator *allocator, uint8_t **data, size_t *capacity, size_t need)
{
    size_t next = fr_next_capacity(*capacity, need, 256);
    if (next == *capacity) {
        return true;
    }
    uint8_t *moved = fr_resize(allocator, *data, *capacity, next, 1, FR_CACHE_LINE);
    if (moved == NULL) {
        return false;
    }
    *data = moved;
    *capacity = next;
    return true;
}
