#include "store/kept.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"

#include <stdalign.h>
#include <string.h>

// ---------------------------------------------------------------- finding

// The next kept component of this name; NULL at the end.
static fr_component *next_kept(const fr_components *components, const char *name, size_t size,
                               uint32_t *cursor)
{
    uint64_t hash = fr_hash(name, size);
    uint32_t index;
    while ((index = fr_map_next(&components->kept, hash, cursor)) != FR_MAP_NONE) {
        fr_component *kept = components->items[index];
        if (kept->name_size == size && memcmp(kept->name, name, size) == 0) {
            return kept;
        }
    }
    return NULL;
}

fr_component *fr_kept_find(const fr_components *components, const fr_kept_desc *desc)
{
    uint32_t cursor = UINT32_MAX;
    fr_component *kept;
    while ((kept = next_kept(components, desc->name, desc->name_size, &cursor)) != NULL) {
        if (!kept->claimed && kept->kept_raw == desc->raw && kept->kept_tag == desc->tag &&
            kept->kept_sparse == desc->sparse && kept->kept_wrapped == desc->wrapped &&
            kept->fingerprint_size == desc->fingerprint_size &&
            memcmp(kept->fingerprint, desc->fingerprint, desc->fingerprint_size) == 0) {
            return kept;
        }
    }
    return NULL;
}

fr_component *fr_kept_listed(const fr_components *components, const char *name, size_t size)
{
    uint32_t cursor = UINT32_MAX;
    fr_component *kept;
    while ((kept = next_kept(components, name, size, &cursor)) != NULL) {
        if (kept->listed) {
            return kept;
        }
    }
    return NULL;
}

static bool has_term_of(const fr_archetype *archetype, const fr_component *component)
{
    return fr_archetype_term(archetype, component->index) >= 0;
}

bool fr_kept_has_rows(const firn_world *world, const fr_component *kept)
{
    for (uint32_t i = 0; i < world->order_count; i++) {
        const fr_archetype *archetype = world->archetypes[world->order[i]];
        if (archetype->count > 0 && has_term_of(archetype, kept)) {
            return true;
        }
    }
    return false;
}

// ---------------------------------------------------------------- making

static fr_component *make_blank(const firn_allocator *allocator)
{
    fr_component *made = fr_alloc_zero(allocator, 1, sizeof *made, alignof(fr_component));
    if (made == NULL) {
        return NULL;
    }
    *made = (fr_component){
        .kind = FIRN_VALUE,
        .kept = true,
        .stride = sizeof(fr_blob),
        .align = alignof(fr_blob),
        .default_row = fr_alloc_zero(allocator, sizeof(fr_blob), 1, alignof(fr_blob)),
    };
    static const uint8_t empty_table = 0x08;
    if (made->default_row == NULL || !fr_blob_make(allocator, &empty_table, 1, made->default_row)) {
        fr_component_destroy(allocator, made);
        return NULL;
    }
    return made;
}

// A component that no save names; it is in the map under the name that it had, if any.
static fr_component *find_idle(const fr_components *components, uint32_t *next)
{
    while (components->kept_count > 0 && *next < components->count) {
        fr_component *kept = components->items[(*next)++];
        if (kept->kept && !kept->listed && !kept->claimed) {
            return kept;
        }
    }
    return NULL;
}

fr_component *fr_kept_add_blank(const firn_allocator *allocator, fr_components *components)
{
    fr_component *made = make_blank(allocator);
    if (made == NULL) {
        return NULL;
    }
    if (!fr_components_reserve(allocator, components, 0)) {
        fr_component_destroy(allocator, made);
        return NULL;
    }
    made->index = components->count;
    components->items[components->count++] = made;
    components->kept_count++;
    return made;
}

uint32_t fr_target_digits(const char *name, uint32_t size)
{
    uint32_t digits = 0;
    while (digits < size && name[size - 1 - digits] >= '0' && name[size - 1 - digits] <= '9') {
        digits++;
    }
    bool target = digits > 0 && name[size - digits] != '0' && size - digits >= 2 &&
                  memcmp(name + size - digits - 2, "->", 2) == 0;
    return target ? digits : 0;
}

static void note_target(fr_component *kept)
{
    uint32_t digits = fr_target_digits(kept->name, kept->name_size);
    bool named = digits > 0 && digits <= 16; // no id has more
    kept->kept_suffix = named ? digits + 2 : 0;
    kept->kept_target = 0;
    for (uint32_t i = 0; named && i < digits; i++) {
        uint32_t digit = (uint32_t)(kept->name[kept->name_size - digits + i] - '0');
        kept->kept_target = kept->kept_target * 10 + digit;
    }
}

// Gives it name and fingerprint; there is room in the map.
static bool describe_kept(const firn_allocator *allocator, fr_components *components,
                          fr_component *kept, const fr_kept_desc *desc)
{
    char *name = fr_copy_text(allocator, desc->name, desc->name_size);
    char *fingerprint = fr_alloc_zero(allocator, (size_t)desc->fingerprint_size + 1, 1, 1);
    if (name == NULL || fingerprint == NULL) {
        fr_free_text(allocator, name);
        fr_free(allocator, fingerprint, (size_t)desc->fingerprint_size + 1, 1, 1);
        return false;
    }
    if (kept->name != NULL) {
        fr_map_remove(&components->kept, fr_hash(kept->name, kept->name_size), kept->index);
    }
    fr_free_text(allocator, kept->name);
    fr_free(allocator, kept->fingerprint, (size_t)kept->fingerprint_size + 1, 1, 1);
    if (desc->fingerprint_size > 0) {
        memcpy(fingerprint, desc->fingerprint, desc->fingerprint_size);
    }
    kept->name = name;
    kept->name_size = desc->name_size;
    kept->fingerprint = fingerprint;
    kept->fingerprint_size = desc->fingerprint_size;
    note_target(kept);
    kept->kept_raw = desc->raw;
    kept->kept_tag = desc->tag;
    kept->kept_sparse = desc->sparse;
    kept->kept_wrapped = desc->wrapped;
    (void)fr_map_add(NULL, &components->kept, fr_hash(name, desc->name_size), kept->index);
    return true;
}

fr_component *fr_kept_make(firn_world *world, const fr_kept_desc *desc, uint32_t *next)
{
    const firn_allocator *allocator = &world->allocator;
    fr_components *components = &world->components;
    if (!fr_map_reserve(allocator, &components->kept, 1)) {
        return NULL;
    }
    fr_component *kept = find_idle(components, next);
    if (kept == NULL) {
        kept = fr_kept_add_blank(allocator, components);
    }
    return kept != NULL && describe_kept(allocator, components, kept, desc) ? kept : NULL;
}

// ---------------------------------------------------------------- going

// Removes the empty archetypes that have one of the kept components that are not listed.
static void remove_unlisted(firn_world *world)
{
    for (uint32_t i = world->order_count; i-- > 0;) {
        fr_archetype *archetype = world->archetypes[world->order[i]];
        bool goes = false;
        for (uint32_t t = 0; archetype->count == 0 && t < archetype->term_count; t++) {
            goes = goes || (archetype->components[t]->kept && !archetype->components[t]->listed);
        }
        if (goes) {
            fr_world_remove_archetype(world, archetype);
        }
    }
}

// Whether a save names the component from now on.
static bool stays_listed(const fr_components *components, const fr_component *kept, fr_kept_end end)
{
    if (end != FR_KEPT_ADDED || kept->claimed || !kept->listed) {
        return end == FR_KEPT_NOTHING ? kept->listed : kept->claimed;
    }
    uint32_t cursor = UINT32_MAX;
    const fr_component *other;
    while ((other = next_kept(components, kept->name, kept->name_size, &cursor)) != NULL) {
        if (other->claimed) {
            return false;
        }
    }
    return true;
}

void fr_kept_settle(firn_world *world, fr_kept_end end)
{
    const fr_components *components = &world->components;
    if (components->kept_count == 0) {
        return;
    }
    bool unlisted = false;
    for (uint32_t i = 0; i < components->count; i++) {
        fr_component *kept = components->items[i];
        bool listed = kept->kept && stays_listed(components, kept, end);
        unlisted = unlisted || (kept->listed && !listed);
        kept->listed = listed;
    }
    for (uint32_t i = 0; i < components->count; i++) {
        components->items[i]->claimed = false;
    }
    if (unlisted) {
        remove_unlisted(world);
    }
}

// ---------------------------------------------------------------- registering

static const char *name_of_desc(const firn_component_desc *desc, uint32_t place)
{
    return place == 0                   ? desc->name
           : desc->former_names != NULL ? desc->former_names[place - 1]
                                        : NULL;
}

static bool holds_arrow(const fr_component *kept, size_t from)
{
    for (size_t at = from; at + 2 <= kept->name_size; at++) {
        if (memcmp(kept->name + at, "->", 2) == 0) {
            return true;
        }
    }
    return false;
}

// Whether a kept component is one of a name: the component, or a target of that relation.
static bool is_of_name(const fr_component *kept, const char *name, bool relation)
{
    size_t size = strlen(name);
    bool named = kept->name_size == size ||
                 (relation && kept->name_size > size + 2 &&
                  memcmp(kept->name + size, "->", 2) == 0 && !holds_arrow(kept, size + 2));
    return named && memcmp(kept->name, name, size) == 0;
}

// The name of the description that a kept component has; NULL: none.
static const char *name_of_kept(const fr_component *kept, const firn_component_desc *desc)
{
    const char *name;
    for (uint32_t i = 0; (name = name_of_desc(desc, i)) != NULL; i++) {
        if (is_of_name(kept, name, desc->kind == FIRN_RELATION)) {
            return name;
        }
    }
    return NULL;
}

// Claims what is kept under the names of the description and has rows. FIRN_INVALID: of two names.
static firn_result claim_rows(const firn_world *world, const firn_component_desc *desc, bool *found,
                              firn_error *err)
{
    const fr_components *components = &world->components;
    const char *first = NULL;
    *found = false;
    for (uint32_t i = 0; i < components->count; i++) {
        fr_component *kept = components->items[i];
        const char *name = kept->listed ? name_of_kept(kept, desc) : NULL;
        if (name == NULL || !fr_kept_has_rows(world, kept)) {
            continue;
        }
        if (first != NULL && strcmp(name, first) != 0) {
            return fr_fail(err, FIRN_INVALID, desc->name,
                           "rows of %s are kept under the names %s and %s", desc->name, first,
                           name);
        }
        first = name;
        kept->claimed = true;
        *found = true;
    }
    return FIRN_OK;
}

// What has its name now is no other component any more.
static void release_names(firn_world *world, const firn_component_desc *desc)
{
    const fr_components *components = &world->components;
    bool released = false;
    for (uint32_t i = 0; i < components->count; i++) {
        fr_component *kept = components->items[i];
        if (kept->listed && name_of_kept(kept, desc) != NULL) {
            kept->listed = false;
            released = true;
        }
    }
    if (released) {
        remove_unlisted(world);
    }
}

static void forget_claims(firn_world *world)
{
    for (uint32_t i = 0; i < world->components.count; i++) {
        world->components.items[i]->claimed = false;
    }
}

static firn_result adopt_rows(firn_world *world, const firn_component_desc *desc,
                              const uint32_t *required, fr_row_check_fn check, fr_component **out,
                              firn_error *err)
{
    fr_component *made;
    uint32_t before = world->components.count;
    firn_result result = fr_world_check_closed(world, err);
    if (result == FIRN_OK) {
        result = fr_components_add(&world->allocator, &world->components, &world->limits, desc,
                                   required, &made, err);
    }
    // What was registered before has nothing kept under its names.
    if (result == FIRN_OK && world->components.count > before) {
        made->check = check;
        result = world->adopt_kept(world, made, err);
        if (result != FIRN_OK) {
            fr_components_drop_last(&world->allocator, &world->components);
        }
    }
    if (result == FIRN_OK) {
        *out = made;
    }
    return result;
}

firn_result fr_kept_register(firn_world *world, const firn_component_desc *desc,
                             const uint32_t *required, fr_row_check_fn check, fr_component **out,
                             firn_error *err)
{
    bool any = world->components.kept_count > 0 && desc->name != NULL, rows = false;
    firn_result result = any ? claim_rows(world, desc, &rows, err) : FIRN_OK;
    if (result == FIRN_OK && rows) {
        result = adopt_rows(world, desc, required, check, out, err);
    } else if (result == FIRN_OK) {
        result = fr_components_add(&world->allocator, &world->components, &world->limits, desc,
                                   required, out, err);
    }
    if (result == FIRN_OK && check != NULL) {
        (*out)->check = check;
    }
    if (any) {
        forget_claims(world);
    }
    if (any && result == FIRN_OK) {
        release_names(world, desc);
    }
    return result;
}

firn_result fr_kept_check(firn_world *world, const firn_component_desc *desc,
                          const uint32_t *required, bool *adopts, firn_error *err)
{
    firn_result result = claim_rows(world, desc, adopts, err);
    forget_claims(world);
    if (result == FIRN_OK && *adopts) {
        result = fr_world_check_closed(world, err);
    }
    return result == FIRN_OK ? fr_components_check(&world->allocator, &world->components,
                                                   &world->limits, desc, required, err)
                             : result;
}
