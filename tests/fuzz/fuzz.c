#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void fuzz_fail(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: FINDING: %s\n", file, line, condition);
    abort();
}

// Blocks of more than 16 bytes of alignment begin inside what malloc gave.
static void *block_take(size_t size, size_t align)
{
    if (size > SIZE_MAX - align - sizeof(void *)) {
        return NULL;
    }
    char *raw = malloc(size + align + sizeof(void *));
    if (raw == NULL) {
        return NULL;
    }
    uintptr_t start = ((uintptr_t)raw + sizeof(void *) + align - 1) & ~(uintptr_t)(align - 1);
    char *block = raw + (start - (uintptr_t)raw);
    memcpy(block - sizeof(void *), &raw, sizeof raw);
    return block;
}

static void block_give(void *block)
{
    void *raw;
    memcpy(&raw, (char *)block - sizeof(void *), sizeof raw);
    free(raw);
}

static void *fuzz_resize(void *user, void *ptr, size_t old_size, size_t new_size, size_t align)
{
    fuzz_allocator *memory = user;
    FUZZ_CHECK(align > 0 && (align & (align - 1)) == 0);
    FUZZ_CHECK((ptr == NULL) == (old_size == 0));
    void *block = NULL;
    if (new_size > 0) {
        if (memory->left == 0) {
            memory->left = UINT64_MAX;
            return NULL;
        }
        memory->left -= memory->left != UINT64_MAX;
        block = block_take(new_size, align);
        if (block == NULL) {
            return NULL;
        }
        memory->blocks++;
        memory->bytes += new_size;
    }
    if (ptr != NULL) {
        FUZZ_CHECK(memory->blocks > 0 && memory->bytes >= old_size);
        if (block != NULL) {
            memcpy(block, ptr, old_size < new_size ? old_size : new_size);
        }
        block_give(ptr);
        memory->blocks--;
        memory->bytes -= old_size;
    }
    return block;
}

void fuzz_allocator_init(fuzz_allocator *memory)
{
    *memory = (fuzz_allocator){.allocator = {fuzz_resize, memory}, .left = UINT64_MAX};
}

uint8_t fuzz_byte(fuzz_bytes *in)
{
    if (in->left == 0) {
        return 0;
    }
    in->left--;
    return *in->at++;
}

uint64_t fuzz_u64(fuzz_bytes *in)
{
    uint64_t number = 0;
    for (int i = 0; i < 8; i++) {
        number |= (uint64_t)fuzz_byte(in) << (8 * i);
    }
    return number;
}

uint32_t fuzz_below(fuzz_bytes *in, uint32_t bound)
{
    return fuzz_byte(in) % bound;
}

const uint8_t *fuzz_slice(fuzz_bytes *in, size_t *size)
{
    size_t wanted = fuzz_byte(in) % 64;
    *size = wanted < in->left ? wanted : in->left;
    const uint8_t *slice = in->at;
    in->at += *size;
    in->left -= *size;
    return slice;
}

firn_limits fuzz_limits(uint8_t choice)
{
    firn_limits limits;
    firn_limits_default(&limits);
    if (choice % 4 == 1) {
        firn_limits_untrusted(&limits);
    } else if (choice % 4 == 2) {
        limits.file_bytes = 4096;
        limits.tree_values = 12;
        limits.string_bytes = 40;
        limits.depth = 3;
        limits.name_bytes = 20;
        limits.entities = 8;
        limits.components = 64;
        limits.table_entries = 12;
        limits.archetypes = 6;
        limits.columns = 6;
        limits.data_keys = 3;
    }
    return limits;
}
