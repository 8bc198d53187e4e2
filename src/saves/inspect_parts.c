// Entities of which fields or variables alone are saved: what the section says of them, in the save
// and now.
#include "base/error.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/utf8.h"
#include "saves/inspect.h"
#include "saves/persist.h"
#include "snapshot/diff.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// An entity of a section, by its key.
typedef struct inspected_part {
    const firn_value *key;
    const firn_value *names; // {{name, {value}}, ...}
    const firn_value *vars;  // {{value}}, or {{}} without; {}: they are not saved
} inspected_part;

// ---------------------------------------------------------------- the section

static bool is_kind(const firn_value *value, firn_value_kind kind)
{
    return value != NULL && value->kind == kind;
}

static firn_result refuse_section(firn_error *err)
{
    return fr_fail(err, FIRN_CORRUPT, FIRN_SECTION_PERSIST,
                   "the section " FIRN_SECTION_PERSIST " of the save is not one");
}

static const firn_value *list_of_parts(const fr_inspect *inspect, int side)
{
    return firn_table_get_text(inspect->parts[side], "parts");
}

// False: it is none.
static bool part_at(const fr_inspect *inspect, int side, uint32_t index, inspected_part *out)
{
    const firn_value *part = firn_table_get_number(list_of_parts(inspect, side), index);
    *out = (inspected_part){.key = firn_table_get_number(part, 1),
                            .names = firn_table_get_number(part, 2),
                            .vars = firn_table_get_number(part, 3)};
    return is_kind(out->key, FIRN_VALUE_STRING) && is_kind(out->names, FIRN_VALUE_TABLE) &&
           is_kind(out->vars, FIRN_VALUE_TABLE);
}

bool fr_inspect_part_at(const fr_inspect *inspect, uint32_t index, const firn_value **key,
                        const firn_value **names, const firn_value **vars)
{
    inspected_part part;
    bool good = part_at(inspect, FR_LEFT, index, &part);
    *key = part.key;
    *names = part.names;
    *vars = part.vars;
    return good;
}

bool fr_inspect_leaves_vars(const fr_inspect *inspect, firn_entity entity)
{
    return fr_map_get(&inspect->no_vars, entity) != FR_MAP_NONE;
}

// The key `#12` is that of entity 12.
static firn_entity entity_of_key(const firn_value *key)
{
    firn_entity entity = 0;
    for (uint32_t i = 1; key->as.string[0] == '#' && i < key->length; i++) {
        char digit = key->as.string[i];
        if (digit < '0' || digit > '9' || i > 16) {
            return 0;
        }
        entity = entity * 10 + (firn_entity)(digit - '0');
    }
    return entity;
}

// A key as it would stand in the save: `#20` is `#12` there when that is the same entity; and no
// key at all when in the save another one has it.
static const char *saved_key(const fr_inspect *inspect, int side, const firn_value *key,
                             char out[32], uint32_t *size)
{
    firn_entity entity = side == FR_RIGHT ? entity_of_key(key) : 0;
    uint32_t at = fr_map_get(&inspect->renamed_now, entity);
    *size = key->length;
    if (entity != 0 && at != FR_MAP_NONE) {
        *size = (uint32_t)snprintf(out, 32, "#%" PRIu64, inspect->renamed[at].saved);
        return out;
    }
    if (entity != 0 && (fr_map_get(&inspect->renamed_saved, entity) != FR_MAP_NONE ||
                        !fr_inspect_has_place(inspect, entity))) {
        *size = 0;
    }
    return key->as.string;
}

// ---------------------------------------------------------------- one name

// What is told of the entity at hand.
typedef struct inspected_entity {
    fr_inspect *inspect;
    firn_difference like;
    char key[256];
    bool told; // that it changed
} inspected_entity;

static firn_result tell_part(void *user, const firn_difference *difference, firn_error *err)
{
    inspected_entity *at = user;
    firn_result result = FIRN_OK;
    if (!at->told) {
        at->told = true;
        result = fr_inspect_entity(at->inspect, &at->like, FR_INSPECT_CHANGED, err);
    }
    return result == FIRN_OK ? fr_inspect_difference(at->inspect, difference, err) : result;
}

// `Body.velocity` is of the component Body: the name becomes that of the component. Whether the
// value has the fields of a struct.
static bool name_component(const firn_world *world, const firn_value *name, char out[256])
{
    fr_printable(out, 256, name->as.string, name->length);
    for (uint32_t size = name->length; size > 0; size--) {
        if (size < name->length && name->as.string[size] != '.') {
            continue;
        }
        const fr_component *component =
            fr_components_find(&world->components, name->as.string, size);
        if (component != NULL) {
            bool fields = component->kind == FIRN_STRUCT;
            if (fields && size < name->length) {
                fr_printable(out, 256, name->as.string, size);
            }
            return fields && (size < name->length || !component->has_codec);
        }
    }
    return false;
}

// A load leaves a field of what the entity did not have; a component that it did not have goes.
static bool leaves_field(const fr_inspect *inspect, const firn_value *name)
{
    const fr_components *components = &inspect->saves->world->components;
    return fr_components_find(components, name->as.string, name->length) == NULL;
}

// Of one of both: {value}, or {} when the entity has not got it, or NULL.
static firn_result diff_name(inspected_entity *at, const firn_value *name, const firn_value *left,
                             const firn_value *right, firn_error *err)
{
    char component[256];
    const firn_value *values[2] = {firn_table_get_number(left, 1), firn_table_get_number(right, 1)};
    if (values[FR_LEFT] == NULL && (values[FR_RIGHT] == NULL || leaves_field(at->inspect, name))) {
        return FIRN_OK;
    }
    bool flat = name_component(at->inspect->saves->world, name, component);
    firn_difference like = at->like;
    like.kind = FIRN_DIFFERENCE_FIELD;
    like.component = component;
    if (values[FR_LEFT] == NULL || values[FR_RIGHT] == NULL) {
        like.kind = FIRN_DIFFERENCE_COMPONENT;
        fr_printable(component, sizeof component, name->as.string, name->length);
    }
    firn_diff_summary unused = {0};
    return fr_diff_trees(&like, flat, values[FR_LEFT], values[FR_RIGHT], &at->inspect->options,
                         tell_part, at, &unused, err);
}

// The pair {name, value} of a list of them; NULL: there is none.
static const firn_value *find_part_name(const firn_value *names, const firn_value *name)
{
    for (uint32_t i = 1; i <= firn_table_array_count(names); i++) {
        const firn_value *pair = firn_table_get_number(names, i);
        if (firn_value_equal(firn_table_get_number(pair, 1), name)) {
            return pair;
        }
    }
    return NULL;
}

static firn_result diff_names(inspected_entity *at, const firn_value *names,
                              const firn_value *others, firn_error *err)
{
    firn_result result = FIRN_OK;
    for (uint32_t i = 1; result == FIRN_OK && i <= firn_table_array_count(names); i++) {
        const firn_value *pair = firn_table_get_number(names, i);
        const firn_value *name = firn_table_get_number(pair, 1);
        if (!is_kind(name, FIRN_VALUE_STRING)) {
            return refuse_section(err);
        }
        const firn_value *other = find_part_name(others, name);
        result = diff_name(at, name, firn_table_get_number(pair, 2),
                           firn_table_get_number(other, 2), err);
    }
    return result;
}

// ---------------------------------------------------------------- one entity

static bool has_key_now(const fr_inspect *inspect, firn_entity entity, const firn_value *key)
{
    char own[FIRN_PERSIST_KEY_SIZE];
    firn_persist_key(inspect->saves->world, entity, own);
    return strlen(own) == key->length && memcmp(own, key->as.string, key->length) == 0;
}

static uint64_t hash_key_now(const fr_inspect *inspect, firn_entity entity)
{
    char own[FIRN_PERSIST_KEY_SIZE];
    firn_persist_key(inspect->saves->world, entity, own);
    return fr_hash(own, strlen(own));
}

// Whether a load leaves who has a key now: it is one of the scene, which sees who persists.
static bool spares_key(const fr_inspect *inspect, const firn_value *key)
{
    uint64_t hash = fr_hash(key->as.string, key->length);
    uint32_t cursor = UINT32_MAX, at;
    while ((at = fr_map_next(&inspect->seen_keys, hash, &cursor)) != FR_MAP_NONE) {
        firn_entity entity = inspect->now.seen[at].entity;
        if (has_key_now(inspect, entity, key)) {
            return fr_inspect_spares(inspect, entity);
        }
    }
    return false;
}

static void begin_inspected(inspected_entity *at, fr_inspect *inspect, const firn_value *key)
{
    *at = (inspected_entity){.inspect = inspect};
    bool has_own = key->length > 0 && key->as.string[0] != '#';
    fr_printable(at->key, sizeof at->key, key->as.string, key->length);
    at->like =
        (firn_difference){.entity = entity_of_key(key), .key = has_own ? at->key : "", .name = ""};
}

static firn_result tell_alone(fr_inspect *inspect, const inspected_part *part, int side,
                              firn_error *err)
{
    inspected_entity at;
    if (side == FR_RIGHT && spares_key(inspect, part->key)) {
        return FIRN_OK;
    }
    begin_inspected(&at, inspect, part->key);
    return fr_inspect_entity(inspect, &at.like,
                             side == FR_LEFT ? FR_INSPECT_MISSING : FR_INSPECT_EXTRA, err);
}

static firn_result diff_part(fr_inspect *inspect, const inspected_part *left,
                             const inspected_part *right, firn_error *err)
{
    const firn_value vars = {
        .kind = FIRN_VALUE_STRING, .length = sizeof FR_VARS_NAME - 1, .as.string = FR_VARS_NAME};
    inspected_entity at;
    begin_inspected(&at, inspect, left->key);
    firn_result result = diff_names(&at, left->names, right->names, err);
    const firn_value *saved = firn_table_get_number(left->vars, 1);
    const firn_value *now = firn_table_get_number(right->vars, 1);
    if (result == FIRN_OK && saved != NULL && now != NULL) {
        result = diff_name(&at, &vars, saved, now, err);
    }
    return result == FIRN_OK && !at.told
               ? fr_inspect_entity(inspect, &at.like, FR_INSPECT_SAME, err)
               : result;
}

// ---------------------------------------------------------------- all of them

// Parts of one side by the hash of their keys, but for those that have none.
static firn_result map_parts(const fr_inspect *inspect, int side, fr_map *map, firn_error *err)
{
    inspected_part part;
    for (uint32_t i = 1; i <= firn_table_array_count(list_of_parts(inspect, side)); i++) {
        if (!part_at(inspect, side, i, &part)) {
            return refuse_section(err);
        }
        char text[32];
        uint32_t size;
        const char *key = saved_key(inspect, side, part.key, text, &size);
        if (size > 0 && !fr_map_add(&inspect->saves->allocator, map, fr_hash(key, size), i)) {
            return fr_fail_memory(err, "keys");
        }
    }
    return FIRN_OK;
}

// The place of the part of `side` that has the key of one of the other side; 0: none has.
static uint32_t find_part(const fr_inspect *inspect, int side, const fr_map *map,
                          const firn_value *wanted, inspected_part *out)
{
    char texts[2][32];
    uint32_t size, other_size, cursor = UINT32_MAX, at;
    int other_side = side == FR_LEFT ? FR_RIGHT : FR_LEFT;
    const char *key = saved_key(inspect, other_side, wanted, texts[0], &size);
    uint64_t hash = fr_hash(key, size);
    while (size > 0 && (at = fr_map_next(map, hash, &cursor)) != FR_MAP_NONE) {
        part_at(inspect, side, at, out);
        const char *other = saved_key(inspect, side, out->key, texts[1], &other_size);
        if (other_size == size && memcmp(other, key, size) == 0) {
            return at;
        }
    }
    return 0;
}

static bool map_seen(fr_inspect *inspect)
{
    const fr_scene *now = &inspect->now;
    bool memory = true;
    for (uint32_t i = 0; memory && i < now->seen_count; i++) {
        firn_entity entity = now->seen[i].entity;
        memory = !firn_alive(inspect->saves->world, entity) ||
                 fr_map_add(&inspect->saves->allocator, &inspect->seen_keys,
                            hash_key_now(inspect, entity), i);
    }
    return memory;
}

static bool map_no_vars(fr_inspect *inspect)
{
    const firn_value *list = firn_table_get_text(inspect->parts[FR_LEFT], "no_vars");
    bool memory = true;
    for (uint32_t i = 1; memory && i <= firn_table_array_count(list); i++) {
        firn_entity id = fr_inspect_id(firn_table_get_number(list, i));
        memory = fr_map_add(&inspect->saves->allocator, &inspect->no_vars, id, 0);
    }
    return memory;
}

static firn_result map_saved_parts(fr_inspect *inspect, firn_error *err)
{
    firn_result result = map_parts(inspect, FR_LEFT, &inspect->saved_parts, err);
    bool memory = result != FIRN_OK || (map_seen(inspect) && map_no_vars(inspect));
    return memory ? result : fr_fail_memory(err, "keys");
}

static firn_entity id_of_part(const fr_inspect *inspect, int side, uint32_t index)
{
    const firn_value *part = firn_table_get_number(list_of_parts(inspect, side), index);
    return fr_inspect_id(firn_table_get_number(part, 4));
}

firn_result fr_inspect_pair_parts(fr_inspect *inspect, firn_error *err)
{
    fr_map now = {0};
    firn_result result = map_saved_parts(inspect, err);
    inspected_part part, twin;
    if (result == FIRN_OK) {
        result = map_parts(inspect, FR_RIGHT, &now, err);
    }
    for (uint32_t i = 1; result == FIRN_OK && part_at(inspect, FR_LEFT, i, &part); i++) {
        uint32_t at = find_part(inspect, FR_RIGHT, &now, part.key, &twin);
        firn_entity saved = id_of_part(inspect, FR_LEFT, i);
        if (at != 0 && saved != 0) {
            result = fr_inspect_pair(inspect, saved, id_of_part(inspect, FR_RIGHT, at), err);
        }
    }
    fr_map_free(&inspect->saves->allocator, &now);
    return result;
}

// In the order of the save; those that it lacks behind them.
static firn_result diff_parts(fr_inspect *inspect, const fr_map *now, firn_error *err)
{
    const fr_map *const maps[2] = {&inspect->saved_parts, now};
    firn_result result = FIRN_OK;
    for (int side = FR_LEFT; result == FIRN_OK && side <= FR_RIGHT; side++) {
        int other = side == FR_LEFT ? FR_RIGHT : FR_LEFT;
        uint32_t count = firn_table_array_count(list_of_parts(inspect, side));
        for (uint32_t i = 1; result == FIRN_OK && i <= count; i++) {
            inspected_part part, twin;
            part_at(inspect, side, i, &part);
            bool both = find_part(inspect, other, maps[other], part.key, &twin) != 0;
            if (!both) {
                result = tell_alone(inspect, &part, side, err);
            } else if (side == FR_LEFT) {
                result = diff_part(inspect, &part, &twin, err);
            }
        }
    }
    return result;
}

firn_result fr_inspect_parts(fr_inspect *inspect, firn_error *err)
{
    fr_map now = {0};
    firn_result result = map_parts(inspect, FR_RIGHT, &now, err);
    if (result == FIRN_OK) {
        result = diff_parts(inspect, &now, err);
    }
    fr_map_free(&inspect->saves->allocator, &now);
    return result;
}
