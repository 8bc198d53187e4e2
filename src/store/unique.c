#include "store/unique.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/utf8.h"

#include <string.h>

typedef struct unique_text {
    const char *bytes; // NULL or of size 0: no string that is unique
    size_t size;
} unique_text;

static unique_text key_text(const fr_blob *row)
{
    unique_text found;
    found.bytes = firn_row_string(row, &found.size);
    return found;
}

// With a seed of its own, so that a file cannot aim at one place of the table.
static uint64_t hash_of(const fr_component *component, unique_text t)
{
    return fr_hash_seeded(t.bytes, t.size, (uint64_t)(uintptr_t)component);
}

static bool texts_equal(unique_text a, unique_text b)
{
    return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

// The row of an entity that lives; NULL when it does not have the component.
static const fr_blob *row_of_slot(const firn_world *world, const fr_component *component,
                                  uint32_t slot, firn_entity *entity)
{
    uint64_t record = world->index.records[slot];
    const fr_archetype *archetype = world->archetypes[fr_record_archetype(record)];
    uint32_t row = fr_record_row(record);
    const fr_column *column = fr_archetype_column(archetype, component->index);
    *entity = archetype->entities[row];
    return column == NULL ? NULL : (const fr_blob *)(const void *)column->data + row;
}

firn_entity fr_unique_find(const firn_world *world, const fr_component *component,
                           const char *bytes, size_t size)
{
    const unique_text wanted = {bytes, size};
    if (size == 0) {
        return 0;
    }
    uint64_t hash = hash_of(component, wanted);
    uint32_t cursor = UINT32_MAX;
    uint32_t slot;
    while ((slot = fr_map_next(&component->keys, hash, &cursor)) != FR_MAP_NONE) {
        firn_entity entity;
        const fr_blob *row = row_of_slot(world, component, slot, &entity);
        if (row != NULL && texts_equal(key_text(row), wanted)) {
            return entity;
        }
    }
    return 0;
}

firn_result fr_unique_reserve(firn_world *world, fr_component *component, firn_entity entity,
                              const fr_blob *row, firn_error *err)
{
    unique_text wanted = key_text(row);
    firn_entity holder = fr_unique_find(world, component, wanted.bytes, wanted.size);
    if (holder != 0 && holder != entity) {
        char shown[64];
        fr_printable(shown, sizeof shown, wanted.bytes, wanted.size);
        return fr_fail_entity(err, FIRN_EXISTS, holder, component->name,
                              "the entity %llu has the %s \"%s\" already",
                              (unsigned long long)holder, component->name, shown);
    }
    return fr_map_reserve(&world->allocator, &component->keys, 1)
               ? FIRN_OK
               : fr_fail_memory(err, component->name);
}

void fr_unique_enter(fr_component *component, firn_entity entity, const fr_blob *row)
{
    unique_text added = key_text(row);
    if (added.size > 0) {
        // Cannot fail: there is room.
        (void)fr_map_add(NULL, &component->keys, hash_of(component, added), fr_slot(entity));
    }
}

void fr_unique_leave(fr_component *component, const firn_entity *entities, const fr_blob *rows,
                     uint32_t n)
{
    for (uint32_t i = 0; i < n && component->keys.count > 0; i++) {
        unique_text gone = key_text(&rows[i]);
        if (gone.size > 0) {
            fr_map_remove(&component->keys, hash_of(component, gone), fr_slot(entities[i]));
        }
    }
}

// ---------------------------------------------------------------- an index aside

bool fr_unique_begin(const firn_allocator *allocator, fr_component *component, uint32_t n)
{
    // What a large load left is not worth clearing for a small one.
    if (component->new_keys.capacity / 64 > n) {
        fr_map_free(allocator, &component->new_keys);
    }
    fr_map_clear(&component->new_keys);
    return fr_map_reserve(allocator, &component->new_keys, n);
}

uint32_t fr_unique_add(fr_component *component, firn_entity entity, const fr_blob *row,
                       fr_unique_row find_row, void *user)
{
    unique_text added = key_text(row);
    if (added.size == 0) {
        return 0;
    }
    uint64_t hash = hash_of(component, added);
    uint32_t cursor = UINT32_MAX;
    uint32_t slot;
    while ((slot = fr_map_next(&component->new_keys, hash, &cursor)) != FR_MAP_NONE) {
        if (texts_equal(key_text(find_row(user, slot)), added)) {
            return slot;
        }
    }
    // Cannot fail: there is room.
    (void)fr_map_add(NULL, &component->new_keys, hash, fr_slot(entity));
    return 0;
}

void fr_unique_forget(firn_world *world)
{
    for (uint32_t i = 0; i < world->components.count; i++) {
        if (world->components.items[i]->unique) {
            fr_map_clear(&world->components.items[i]->keys);
        }
    }
}

void fr_unique_swap(firn_world *world)
{
    for (uint32_t i = 0; i < world->components.count; i++) {
        fr_component *component = world->components.items[i];
        if (component->unique) {
            fr_map old = component->keys;
            component->keys = component->new_keys;
            component->new_keys = old;
        }
    }
}
