/// doc.h: the arena of a document. Memory is handed out from chunks, never given back one by one;
/// each new chunk is twice as large as the one before, so that there are few.
#ifndef FR_DOC_H
#define FR_DOC_H

#include <stdalign.h>

#include "firn/value.h"

#define FR_DOC_ALIGN  8
#define FR_DOC_RECENT 16

typedef struct fr_doc_chunk {
    alignas(FR_DOC_ALIGN) struct fr_doc_chunk *older;
    size_t size; ///< bytes behind this head
    size_t used;
} fr_doc_chunk;

struct firn_doc {
    firn_allocator allocator;
    firn_limits limits;                          ///< resolved
    fr_doc_chunk *newest;                        ///< the others behind it; NULL when there is none
    struct fr_table_keys *recent[FR_DOC_RECENT]; ///< lists of keys that tables may share, or NULL
};

/// A place in the arena, for taking back everything that came after.
typedef struct fr_doc_mark {
    fr_doc_chunk *chunk;
    size_t used;
} fr_doc_mark;

/// `size` bytes at a multiple of `align`, at most FR_DOC_ALIGN, uninitialized; NULL: no memory.
void *fr_doc_take(firn_doc *doc, size_t size, size_t align);
/// The same at a multiple of FR_DOC_ALIGN, for what is small and frequent.
static inline void *fr_doc_take_small(firn_doc *doc, size_t size)
{
    fr_doc_chunk *chunk = doc->newest;
    if (chunk != NULL) {
        size_t begin = (chunk->used + FR_DOC_ALIGN - 1) & ~(size_t)(FR_DOC_ALIGN - 1);
        if (begin <= chunk->size && size <= chunk->size - begin) {
            chunk->used = begin + size;
            return (uint8_t *)(chunk + 1) + begin;
        }
    }
    return fr_doc_take(doc, size, FR_DOC_ALIGN);
}

/// `count * size` bytes at a multiple of FR_DOC_ALIGN, uninitialized; NULL: no memory.
void *fr_doc_alloc(firn_doc *doc, size_t count, size_t size);
/// A block of `old_count` items becomes one of `new_count`, in place when it is the newest. ptr
/// NULL with old_count 0 allocates. NULL: no memory, the old block is as before.
void *fr_doc_grow(firn_doc *doc, void *ptr, size_t old_count, size_t new_count, size_t size);
/// A copy of the bytes with a 0 behind them.
char *fr_doc_copy(firn_doc *doc, const void *bytes, size_t size);

fr_doc_mark fr_doc_here(const firn_doc *doc);
/// Tables share no list of keys from before: a rollback could not take that back.
void fr_doc_forget_keys(firn_doc *doc);
/// Only after fr_doc_forget_keys at the mark.
void fr_doc_rollback(firn_doc *doc, fr_doc_mark mark);

#endif
