// The allocator of support.h.
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_ASAN
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define TEST_ASAN
#endif

#ifdef TEST_ASAN
#include <sanitizer/asan_interface.h>
#define GUARD_HIDE(at, size) ASAN_POISON_MEMORY_REGION((at), (size))
#define GUARD_SHOW(at, size) ASAN_UNPOISON_MEMORY_REGION((at), (size))
#else
#define GUARD_HIDE(at, size) ((void)(at), (void)(size))
#define GUARD_SHOW(at, size) ((void)(at), (void)(size))
#endif

#define BLOCK_MAGIC UINT64_C(0x6e72696662616c6c)
#define GUARD_SIZE  16
#define GUARD_BYTE  0xfd

// Stands right before each block; GUARD_SIZE bytes of GUARD_BYTE stand right behind it.
typedef struct block_head {
    void *raw; // what malloc gave
    const test_allocator *owner;
    size_t size;
    size_t align;
    uint64_t magic;
} block_head;

static block_head *block_head_of(void *ptr)
{
    return (block_head *)(void *)((char *)ptr - sizeof(block_head));
}

static void *block_make(test_allocator *memory, size_t size, size_t align)
{
    size_t head_align = align < sizeof(void *) ? sizeof(void *) : align;
    size_t extra = sizeof(block_head) + head_align + GUARD_SIZE;
    if (size > SIZE_MAX / 2 - extra) {
        return NULL;
    }
    char *raw = malloc(size + extra);
    if (raw == NULL) {
        return NULL;
    }
    uintptr_t start = (uintptr_t)raw + sizeof(block_head);
    start = (start + head_align - 1) & ~(uintptr_t)(head_align - 1);
    char *ptr = raw + (start - (uintptr_t)raw);
    *block_head_of(ptr) = (block_head){raw, memory, size, align, BLOCK_MAGIC};
    memset(ptr, 0xa5, size);
    memset(ptr + size, GUARD_BYTE, GUARD_SIZE);
    GUARD_HIDE(ptr - sizeof(block_head), sizeof(block_head));
    GUARD_HIDE(ptr + size, GUARD_SIZE);
    memory->blocks++;
    memory->bytes += size;
    if (memory->bytes > memory->peak_bytes) {
        memory->peak_bytes = memory->bytes;
    }
    return ptr;
}

static void block_check(const test_allocator *memory, void *ptr, size_t size, size_t align)
{
    block_head *head = block_head_of(ptr);
    GUARD_SHOW(head, sizeof *head);
    if (head->magic != BLOCK_MAGIC) {
        fail_msg("block %p is damaged before its start, or was freed already", ptr);
    }
    if (head->owner != memory) {
        fail_msg("block %p belongs to another allocator", ptr);
    }
    if (head->size != size || head->align != align) {
        fail_msg("block %p of %zu bytes, alignment %zu, is handed in as %zu bytes, alignment %zu",
                 ptr, head->size, head->align, size, align);
    }
    const uint8_t *guard = (const uint8_t *)ptr + size;
    GUARD_SHOW(guard, GUARD_SIZE);
    for (size_t i = 0; i < GUARD_SIZE; i++) {
        if (guard[i] != GUARD_BYTE) {
            fail_msg("block %p of %zu bytes was written %zu bytes behind its end", ptr, size, i);
        }
    }
}

static void block_drop(test_allocator *memory, void *ptr, size_t size)
{
    block_head *head = block_head_of(ptr);
    void *raw = head->raw;
    memory->blocks--;
    memory->bytes -= size;
    head->magic = 0;
    memset(ptr, 0x5a, size);
    free(raw);
}

static void *test_resize(void *user, void *ptr, size_t old_size, size_t new_size, size_t align)
{
    test_allocator *memory = user;
    if (align == 0 || (align & (align - 1)) != 0) {
        fail_msg("the alignment %zu is no power of two", align);
    }
    if ((ptr == NULL) != (old_size == 0)) {
        fail_msg("the block %p is handed in as %zu bytes", ptr, old_size);
    }
    if (new_size == 0) {
        if (ptr == NULL) {
            fail_msg("no block is resized to 0 bytes");
        }
        block_check(memory, ptr, old_size, align);
        block_drop(memory, ptr, old_size);
        return NULL;
    }
    memory->calls++;
    if (memory->fail_call != 0 && (memory->calls == memory->fail_call ||
                                   (memory->fail_for_ever && memory->calls > memory->fail_call))) {
        memory->injected = true;
        return NULL;
    }
    void *moved = block_make(memory, new_size, align);
    if (moved != NULL && ptr != NULL) {
        memcpy(moved, ptr, old_size < new_size ? old_size : new_size);
        block_check(memory, ptr, old_size, align);
        block_drop(memory, ptr, old_size);
    }
    return moved;
}

void test_allocator_init(test_allocator *memory)
{
    *memory = (test_allocator){.allocator = {test_resize, memory}};
}

void test_allocator_fail_at(test_allocator *memory, uint64_t call, bool for_ever)
{
    memory->calls = 0;
    memory->fail_call = call;
    memory->fail_for_ever = for_ever;
    memory->injected = false;
}

void test_allocator_reset_peak(test_allocator *memory)
{
    memory->peak_bytes = memory->bytes;
}

void test_assert_no_leak(const test_allocator *memory, const char *file, int line)
{
    if (memory->blocks != 0) {
        print_error("%llu blocks of %llu bytes still live\n", (unsigned long long)memory->blocks,
                    (unsigned long long)memory->bytes);
        _fail(file, line);
    }
}
