// The components of persisted saves, and the rows of `persist`.
#include "saves/persist.h"

#include "base/error.h"
#include "base/utf8.h"
#include "firn/relation.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------- a row alone

static firn_result check_text_field(firn_entity entity, const char *name, const char *text,
                                    size_t room, firn_error *err)
{
    const char *end = memchr(text, '\0', room);
    if (end == NULL) {
        return fr_fail_entity(err, FIRN_INVALID, entity, name,
                              "persist: %s has no end within its %zu bytes", name, room);
    }
    return fr_utf8_is_valid(text, (size_t)(end - text))
               ? FIRN_OK
               : fr_fail_entity(err, FIRN_INVALID, entity, name, "persist: %s is no UTF-8", name);
}

static firn_result check_texts(firn_entity entity, const firn_persist *row, firn_error *err)
{
    firn_result result = check_text_field(entity, "id", row->id, sizeof row->id, err);
    if (result == FIRN_OK && row->id[0] == '#') {
        return fr_fail_entity(err, FIRN_INVALID, entity, "id",
                              "persist: the id %s begins as those of entities without one do",
                              row->id);
    }
    return result == FIRN_OK
               ? check_text_field(entity, "fields", row->fields, sizeof row->fields, err)
               : result;
}

// All but the names, which are those of the game's components.
static firn_result check_row_alone(firn_entity entity, const firn_persist *row, firn_error *err)
{
    firn_result result = check_texts(entity, row, err);
    if (result == FIRN_OK && row->mode > FIRN_PERSIST_VARS) {
        return fr_fail_entity(err, FIRN_INVALID, entity, "mode", "persist: mode is %u, not 0 to 2",
                              row->mode);
    }
    if (result == FIRN_OK && row->spawned && row->mode != FIRN_PERSIST_ALL) {
        return fr_fail_entity(err, FIRN_INVALID, entity, "spawned",
                              "persist: one that was spawned is saved whole, so that a load can "
                              "make it again: mode is %u",
                              row->mode);
    }
    return result;
}

static firn_result check_stored_row(const void *row, firn_error *err)
{
    return check_row_alone(0, row, err);
}

// ---------------------------------------------------------------- registration

static const firn_field persist_fields[] = {
    FIRN_FIELD_ARRAY(firn_persist, id, FIRN_CHAR, FIRN_PERSIST_ID_SIZE),
    FIRN_FIELD_ARRAY(firn_persist, fields, FIRN_CHAR, FIRN_PERSIST_FIELDS_SIZE),
    FIRN_FIELD(firn_persist, mode, FIRN_U8),
    FIRN_FIELD(firn_persist, no_vars, FIRN_BOOL),
    FIRN_FIELD(firn_persist, spawned, FIRN_BOOL),
};

// Registers them one by one; those of before a failure go again, unless they took over kept rows.
static firn_component register_all(firn_world *world, const firn_component_desc *descs,
                                   const fr_row_check_fn *checks, uint32_t count, bool adopts,
                                   firn_error *err)
{
    uint32_t before = world->components.count;
    firn_component component = 0;
    for (uint32_t i = 0; i < count; i++) {
        component = fr_world_register(world, &descs[i], checks[i], err);
        if (component == 0) {
            break;
        }
    }
    while (component == 0 && !adopts && world->components.count > before) {
        fr_components_drop_last(&world->allocator, &world->components);
    }
    return component;
}

// A save has its script state: it has the row, or what it hangs below was spawned and has it.
static bool persists_script(const firn_world *world, firn_entity entity)
{
    firn_component component = firn_persist_component(world);
    uint32_t most = world->index.alive;
    firn_entity at = entity;
    for (uint32_t i = 0; at != 0 && i < most; i++) {
        const firn_persist *row = firn_get(world, at, component);
        if (row != NULL && (at == entity || row->spawned)) {
            return true;
        }
        at = firn_target(world, at, firn_child_of(world));
    }
    return false;
}

firn_component firn_persist_register(firn_world *world, firn_error *err)
{
    const firn_component_desc descs[] = {
        {.name = FR_VARS_NAME, .kind = FIRN_VALUE},
        {.name = FR_CARRY_NAME, .kind = FIRN_TAG},
        {.name = FR_PERSIST_NAME,
         .kind = FIRN_STRUCT,
         .size = sizeof(firn_persist),
         .fields = persist_fields,
         .field_count = FIRN_COUNT(persist_fields)},
    };
    static const fr_row_check_fn checks[] = {fr_vars_check_row, NULL, check_stored_row};
    if (world == NULL) {
        fr_fail(err, FIRN_INVALID, "world", "world is NULL");
        return 0;
    }
    bool adopts = false;
    firn_result result = fr_world_check_unlocked(world, err);
    for (uint32_t i = 0; result == FIRN_OK && i < FIRN_COUNT(descs); i++) {
        bool one = false;
        result = fr_world_check_component(world, &descs[i], &one, err);
        adopts = adopts || one;
    }
    firn_component component =
        result == FIRN_OK ? register_all(world, descs, checks, FIRN_COUNT(descs), adopts, err) : 0;
    if (component != 0) {
        world->persists = persists_script;
    }
    return component;
}

fr_component *fr_persist_find(const firn_world *world, const char *name, firn_component_kind kind)
{
    fr_component *component =
        world == NULL ? NULL : fr_components_find(&world->components, name, strlen(name));
    return component != NULL && component->kind == kind ? component : NULL;
}

static firn_component handle_of(const firn_world *world, const char *name, firn_component_kind kind)
{
    const fr_component *component = fr_persist_find(world, name, kind);
    return component == NULL ? 0 : fr_component_handle(world, component->index);
}

firn_component firn_persist_component(const firn_world *world)
{
    const fr_component *component = fr_persist_find(world, FR_PERSIST_NAME, FIRN_STRUCT);
    bool ours = component != NULL && component->stride == sizeof(firn_persist);
    return ours ? fr_component_handle(world, component->index) : 0;
}

firn_component firn_vars_component(const firn_world *world)
{
    return handle_of(world, FR_VARS_NAME, FIRN_VALUE);
}

firn_component firn_carry_component(const firn_world *world)
{
    return handle_of(world, FR_CARRY_NAME, FIRN_TAG);
}

// ---------------------------------------------------------------- lists of fields

// Whether a leaf is the field or lies in it: `home`, `home.x`, `path[2].x`.
static bool lies_in(const fr_leaf *leaf, const char *field, size_t size)
{
    return leaf->name_size >= size && memcmp(leaf->name, field, size) == 0 &&
           (leaf->name_size == size || leaf->name[size] == '.' || leaf->name[size] == '[');
}

// The leaves of a field stand side by side.
static bool find_leaves(fr_persist_part *part, const char *field, size_t size)
{
    const fr_layout *layout = &part->component->layout;
    for (uint32_t i = 0; i < layout->leaf_count; i++) {
        if (lies_in(&layout->leaves[i], field, size)) {
            if (layout->leaves[i].type == FIRN_POINTER) {
                return false;
            }
            part->first_leaf = part->leaf_count == 0 ? i : part->first_leaf;
            part->leaf_count++;
        }
    }
    return part->leaf_count > 0;
}

// The name may have dots itself: the longest part of it that is a component is.
static const char *resolve_name(const firn_world *world, fr_persist_part *part)
{
    const fr_components *components = &world->components;
    for (size_t size = part->name_size; size > 0; size--) {
        bool all = size == part->name_size;
        if (!all && part->name[size] != '.') {
            continue;
        }
        part->component = fr_components_find(components, part->name, size);
        if (part->component != NULL) {
            part->whole = all;
            break;
        }
    }
    if (part->component == NULL) {
        return NULL;
    }
    if (part->component->transient) {
        return "is of a transient component, which no save has";
    }
    if (part->component->kind == FIRN_RELATION) {
        return "is a relation";
    }
    if (part->component->unique) {
        return "has strings that nobody shares, of entities that are saved whole";
    }
    if (part->component->check != NULL && !part->whole) {
        return "is part of a component whose rows are saved whole";
    }
    const char *field = part->name + part->component->name_size + 1;
    size_t rest = (size_t)(part->name + part->name_size - field);
    return part->whole || find_leaves(part, field, rest)
               ? NULL
               : "is no field of its component that can be saved";
}

bool fr_persist_next(const firn_world *world, const firn_persist *row, firn_entity entity,
                     uint32_t *at, fr_persist_part *out, firn_result *result, firn_error *err)
{
    *result = FIRN_OK;
    while (row->fields[*at] == ' ') {
        ++*at;
    }
    *out = (fr_persist_part){.name = row->fields + *at};
    while (row->fields[*at] != '\0' && row->fields[*at] != ' ') {
        ++*at;
        out->name_size++;
    }
    if (out->name_size == 0) {
        return false;
    }
    const char *why = resolve_name(world, out);
    if (why == NULL) {
        return true;
    }
    char shown[FIRN_PERSIST_FIELDS_SIZE];
    (void)snprintf(shown, sizeof shown, "%.*s", (int)out->name_size, out->name);
    *result = fr_fail_entity(err, FIRN_INVALID, entity, shown, "persist: %s %s", shown, why);
    return false;
}

// ---------------------------------------------------------------- rows

firn_result fr_persist_check_row(const firn_world *world, firn_entity entity,
                                 const firn_persist *row, bool complete, firn_error *err)
{
    firn_result result = check_row_alone(entity, row, err);
    uint32_t at = 0;
    fr_persist_part part;
    while (result == FIRN_OK && fr_persist_next(world, row, entity, &at, &part, &result, err)) {
        if (complete && part.component == NULL) {
            char shown[FIRN_PERSIST_FIELDS_SIZE];
            (void)snprintf(shown, sizeof shown, "%.*s", (int)part.name_size, part.name);
            result = fr_fail_entity(err, FIRN_INVALID, entity, shown,
                                    "persist: %s is of no component that is registered", shown);
        }
    }
    return result;
}

firn_result firn_persist_set(firn_world *world, firn_entity entity, const firn_persist *row,
                             firn_error *err)
{
    if (world == NULL || row == NULL) {
        const char *what = world == NULL ? "world" : "row";
        return fr_fail(err, FIRN_INVALID, what, "%s is NULL", what);
    }
    firn_component component = firn_persist_component(world);
    if (component == 0) {
        return fr_fail(err, FIRN_NOT_FOUND, FR_PERSIST_NAME,
                       "the component " FR_PERSIST_NAME " is not registered");
    }
    firn_result result = fr_persist_check_row(world, entity, row, false, err);
    return result == FIRN_OK ? firn_set(world, entity, component, row, err) : result;
}

firn_result firn_persist_check(const firn_world *world, firn_entity entity, firn_error *err)
{
    if (world == NULL) {
        return fr_fail(err, FIRN_INVALID, "world", "world is NULL");
    }
    const firn_persist *row = firn_get(world, entity, firn_persist_component(world));
    return row != NULL ? fr_persist_check_row(world, entity, row, true, err)
                       : fr_fail_entity(err, FIRN_NOT_FOUND, entity, FR_PERSIST_NAME,
                                        "the entity has no " FR_PERSIST_NAME);
}

void fr_persist_write_key(firn_entity entity, const firn_persist *row,
                          char out[FIRN_PERSIST_KEY_SIZE])
{
    if (row->id[0] == '\0') {
        (void)snprintf(out, FIRN_PERSIST_KEY_SIZE, "#%" PRIu64, entity);
    } else {
        memcpy(out, row->id, sizeof row->id);
    }
}

void firn_persist_key(const firn_world *world, firn_entity entity, char out[FIRN_PERSIST_KEY_SIZE])
{
    const firn_persist *row = firn_get(world, entity, firn_persist_component(world));
    out[0] = '\0';
    if (row != NULL && memchr(row->id, '\0', sizeof row->id) != NULL) {
        fr_persist_write_key(entity, row, out);
    }
}
