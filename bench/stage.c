#include "bench.h"

#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static void *count_resize(void *user, void *ptr, size_t old_size, size_t new_size, size_t align)
{
    Memory *memory = user;
    const firn_allocator *base = firn_allocator_default();
    void *moved = base->resize(base->user, ptr, old_size, new_size, align);
    if (moved != NULL || new_size == 0) {
        memory->live += new_size;
        memory->live -= old_size;
    }
    return moved;
}

void memory_count(Memory *memory)
{
    *memory = (Memory){.allocator = {count_resize, memory}};
}

void memory_trim(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

bool stage_fill_world(Stage *stage)
{
    return stage_empty_world(stage) &&
           w1_fill(&stage->w1, stage->entities, stage->kind, stage->ids, &stage->err);
}

bool stage_empty_world(Stage *stage)
{
    w1_destroy(&stage->w1);
    memory_trim();
    return w1_create(&stage->w1, NULL, &stage->err);
}

bool stage_clear_caches(Stage *stage)
{
    const size_t size = (size_t)64 << 20;
    if (stage->cache.size == 0) {
        if (firn_buffer_reserve(&stage->cache, size, &stage->err) != FIRN_OK) {
            return false;
        }
        stage->cache.size = size;
    }
    memset(stage->cache.data, 1, size);
    return true;
}

bool stage_save(Stage *stage)
{
    return firn_snapshot_save(stage->w1.world, NULL, &stage->image, &stage->err) == FIRN_OK;
}

bool stage_load(Stage *stage)
{
    return firn_snapshot_load(stage->w1.world, stage->image.data, stage->image.size, NULL, NULL,
                              &stage->err) == FIRN_OK;
}
