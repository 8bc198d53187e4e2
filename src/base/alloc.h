/// alloc.h: the one door to memory. Nothing else in firn calls malloc, calloc, realloc or free.
///
/// Sizes are checked for overflow here, so callers pass count and size apart. A failure returns
/// NULL and leaves the old block as it was. Blocks are freed with the size and alignment that they
/// were made with.
#ifndef FR_ALLOC_H
#define FR_ALLOC_H

#include "firn/base.h"

#define FR_CACHE_LINE 64

/// FIRN_INVALID for an allocator without resize. NULL, which stands for the default, is good.
firn_result fr_allocator_check(const firn_allocator *allocator, firn_error *err);

/// `count * size` bytes, uninitialized. 0 bytes gives NULL: callers do not ask for nothing.
void *fr_alloc(const firn_allocator *allocator, size_t count, size_t size, size_t align);
/// The same, zeroed.
void *fr_alloc_zero(const firn_allocator *allocator, size_t count, size_t size, size_t align);
/// Moves a block to `new_count * size` bytes. ptr NULL with old_count 0 allocates; new_count 0
/// frees and gives NULL.
void *fr_resize(const firn_allocator *allocator, void *ptr, size_t old_count, size_t new_count,
                size_t size, size_t align);
/// Frees a block of `count * size` bytes; ptr NULL is allowed.
void fr_free(const firn_allocator *allocator, void *ptr, size_t count, size_t size, size_t align);
/// A zero-terminated copy of `size` bytes of text without a 0 in it; freed with fr_free_text.
char *fr_copy_text(const firn_allocator *allocator, const char *text, size_t size);
void fr_free_text(const firn_allocator *allocator, char *text);

/// *out = a + b or a * b; false when it does not fit.
bool fr_add_size(size_t a, size_t b, size_t *out);
bool fr_multiply_size(size_t a, size_t b, size_t *out);

/// The next capacity at or above `need` for a container that holds `capacity`: half as much again,
/// at least `first`. In debug builds (NDEBUG not defined) `first` is 1, so that growth is
/// exercised.
size_t fr_next_capacity(size_t capacity, size_t need, size_t first);
/// Grows a block of *capacity bytes, at a multiple of FR_CACHE_LINE, to hold at least `need`; both
/// change, or (false: no memory) neither.
bool fr_grow_bytes(const firn_allocator *allocator, uint8_t **data, size_t *capacity, size_t need);

#endif
