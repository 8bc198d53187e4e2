#include "value/doc.h"

#include <inttypes.h>
#include <stdalign.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "buffer/bytes.h"
#include "value/table.h"

#define DOC_CHUNK_FIRST 1024

static uint8_t *chunk_bytes(fr_doc_chunk *chunk)
{
    return (uint8_t *)(chunk + 1);
}

static void chunk_free(firn_doc *doc, fr_doc_chunk *chunk)
{
    fr_free(&doc->allocator, chunk, sizeof *chunk + chunk->size, 1, alignof(max_align_t));
}

static bool doc_add_chunk(firn_doc *doc, size_t need)
{
    size_t size = doc->newest != NULL ? doc->newest->size : DOC_CHUNK_FIRST / 2;
    if (!fr_multiply_size(size, 2, &size) || size < need) {
        size = need;
    }
    size_t total;
    if (!fr_add_size(size, sizeof(fr_doc_chunk), &total)) {
        return false;
    }
    fr_doc_chunk *chunk = fr_alloc(&doc->allocator, total, 1, alignof(max_align_t));
    if (chunk == NULL) {
        return false;
    }
    chunk->older = doc->newest;
    chunk->size = size;
    chunk->used = 0;
    doc->newest = chunk;
    return true;
}

void *fr_doc_take(firn_doc *doc, size_t size, size_t align)
{
    for (;;) {
        fr_doc_chunk *chunk = doc->newest;
        if (chunk != NULL) {
            size_t begin = (chunk->used + align - 1) & ~(align - 1);
            if (begin <= chunk->size && size <= chunk->size - begin) {
                chunk->used = begin + size;
                return chunk_bytes(chunk) + begin;
            }
        }
        if (!doc_add_chunk(doc, size)) {
            return NULL;
        }
    }
}

void *fr_doc_alloc(firn_doc *doc, size_t count, size_t size)
{
    size_t total;
    return fr_multiply_size(count, size, &total) ? fr_doc_take(doc, total, FR_DOC_ALIGN) : NULL;
}

void *fr_doc_grow(firn_doc *doc, void *ptr, size_t old_count, size_t new_count, size_t size)
{
    size_t new_size;
    if (!fr_multiply_size(new_count, size, &new_size)) {
        return NULL;
    }
    size_t old_size = old_count * size;
    fr_doc_chunk *chunk = doc->newest;
    if (ptr != NULL && chunk_bytes(chunk) + chunk->used == (uint8_t *)ptr + old_size &&
        new_size - old_size <= chunk->size - chunk->used) {
        chunk->used += new_size - old_size;
        return ptr;
    }
    void *moved = fr_doc_take(doc, new_size, FR_DOC_ALIGN);
    if (moved != NULL && ptr != NULL) {
        memcpy(moved, ptr, old_size);
    }
    return moved;
}

char *fr_doc_copy(firn_doc *doc, const void *bytes, size_t size)
{
    size_t total;
    char *copy = fr_add_size(size, 1, &total) ? fr_doc_take(doc, total, 1) : NULL;
    if (copy == NULL) {
        return NULL;
    }
    if (size > 0) {
        memcpy(copy, bytes, size);
    }
    copy[size] = 0;
    return copy;
}

fr_doc_mark fr_doc_here(const firn_doc *doc)
{
    return (fr_doc_mark){doc->newest, doc->newest != NULL ? doc->newest->used : 0};
}

void fr_doc_forget_keys(firn_doc *doc)
{
    memset(doc->recent, 0, sizeof doc->recent);
}

void fr_doc_rollback(firn_doc *doc, fr_doc_mark mark)
{
    fr_doc_forget_keys(doc);
    while (doc->newest != mark.chunk) {
        fr_doc_chunk *chunk = doc->newest;
        doc->newest = chunk->older;
        chunk_free(doc, chunk);
    }
    if (mark.chunk != NULL) {
        mark.chunk->used = mark.used;
    }
}

firn_doc *firn_doc_create(const firn_allocator *allocator, const firn_limits *limits,
                          firn_error *err)
{
    firn_limits bounds;
    if (fr_limits_resolve(limits, &bounds, err) != FIRN_OK ||
        fr_allocator_check(allocator, err) != FIRN_OK) {
        return NULL;
    }
    if (allocator == NULL) {
        allocator = firn_allocator_default();
    }
    firn_doc *doc = fr_alloc(allocator, 1, sizeof *doc, alignof(firn_doc));
    if (doc == NULL) {
        fr_fail_memory(err, "document");
        return NULL;
    }
    doc->allocator = *allocator;
    doc->limits = bounds;
    doc->newest = NULL;
    fr_doc_forget_keys(doc);
    return doc;
}

void firn_doc_destroy(firn_doc *doc)
{
    if (doc == NULL) {
        return;
    }
    fr_doc_rollback(doc, (fr_doc_mark){NULL, 0});
    firn_allocator allocator = doc->allocator;
    fr_free(&allocator, doc, 1, sizeof *doc, alignof(firn_doc));
}

void firn_doc_clear(firn_doc *doc)
{
    if (doc == NULL || doc->newest == NULL) {
        return;
    }
    // The newest chunk is the largest. Keeping only that one makes the memory of a document that
    // is filled and cleared again and again settle in one chunk.
    fr_doc_chunk *kept = doc->newest;
    while (kept->older != NULL) {
        fr_doc_chunk *chunk = kept->older;
        kept->older = chunk->older;
        chunk_free(doc, chunk);
    }
    kept->used = 0;
    fr_doc_forget_keys(doc);
}

static firn_value *make_value(firn_doc *doc, firn_value content, firn_error *err)
{
    if (doc == NULL) {
        fr_fail(err, FIRN_INVALID, "doc", "the document is NULL");
        return NULL;
    }
    firn_value *value = fr_doc_alloc(doc, 1, sizeof *value);
    if (value == NULL) {
        fr_fail_memory(err, "value");
    } else {
        *value = content;
    }
    return value;
}

firn_value *firn_value_nil(firn_doc *doc, firn_error *err)
{
    return make_value(doc, (firn_value){.kind = FIRN_VALUE_NIL}, err);
}

firn_value *firn_value_bool(firn_doc *doc, bool value, firn_error *err)
{
    return make_value(doc, (firn_value){.kind = FIRN_VALUE_BOOL, .as.boolean = value}, err);
}

firn_value *firn_value_number(firn_doc *doc, double value, firn_error *err)
{
    return make_value(doc, (firn_value){.kind = FIRN_VALUE_NUMBER, .as.number = value}, err);
}

firn_value *firn_value_int64(firn_doc *doc, int64_t value, firn_error *err)
{
    return make_value(doc, (firn_value){.kind = FIRN_VALUE_INT64, .as.int64 = value}, err);
}

firn_value *firn_value_uint64(firn_doc *doc, uint64_t value, firn_error *err)
{
    return make_value(doc, (firn_value){.kind = FIRN_VALUE_UINT64, .as.uint64 = value}, err);
}

firn_value *firn_value_complex(firn_doc *doc, double re, double im, firn_error *err)
{
    firn_value *value = make_value(doc, (firn_value){.kind = FIRN_VALUE_NIL}, err);
    if (value == NULL) {
        return NULL;
    }
    double *parts = fr_doc_alloc(doc, 2, sizeof *parts);
    if (parts == NULL) {
        fr_fail_memory(err, "value");
        return NULL;
    }
    parts[0] = re;
    parts[1] = im;
    *value = (firn_value){.kind = FIRN_VALUE_COMPLEX, .as.complex = parts};
    return value;
}

firn_value *firn_value_string(firn_doc *doc, const void *bytes, size_t size, firn_error *err)
{
    firn_value *value = make_value(doc, (firn_value){.kind = FIRN_VALUE_NIL}, err);
    if (value == NULL || fr_string_value(doc, bytes, size, value, err) != FIRN_OK) {
        return NULL;
    }
    return value;
}

firn_result fr_string_value(firn_doc *doc, const void *bytes, size_t size, firn_value *out,
                            firn_error *err)
{
    if (bytes == NULL && size > 0) {
        return fr_fail(err, FIRN_INVALID, "bytes", "%zu bytes at NULL", size);
    }
    if (size > doc->limits.string_bytes || size > FR_STRING_BYTES_MAX) {
        return fr_fail(err, FIRN_LIMIT, "string", "a string of %zu bytes, the limit is %" PRIu64,
                       size, doc->limits.string_bytes);
    }
    char *copy = fr_doc_copy(doc, bytes, size);
    if (copy == NULL) {
        return fr_fail_memory(err, "string");
    }
    *out = (firn_value){.kind = FIRN_VALUE_STRING, .length = (uint32_t)size, .as.string = copy};
    return FIRN_OK;
}

firn_value *firn_value_text(firn_doc *doc, const char *text, firn_error *err)
{
    if (text == NULL) {
        fr_fail(err, FIRN_INVALID, "text", "the text is NULL");
        return NULL;
    }
    return firn_value_string(doc, text, strlen(text), err);
}

firn_value *firn_value_table(firn_doc *doc, firn_error *err)
{
    firn_value *value = make_value(doc, (firn_value){.kind = FIRN_VALUE_NIL}, err);
    if (value == NULL) {
        return NULL;
    }
    firn_table *table = fr_table_create(doc, 0);
    if (table == NULL) {
        fr_fail_memory(err, "table");
        return NULL;
    }
    *value = (firn_value){.kind = FIRN_VALUE_TABLE, .as.table = table};
    return value;
}
