// Variables of entities: the component Vars.
#include "saves/persist.h"

#include "base/error.h"

#include <assert.h>
#include <string.h>

static firn_result check_vars_call(const firn_world *world, const char *name,
                                   const fr_component **out, firn_error *err)
{
    if (world == NULL || name == NULL || name[0] == '\0') {
        const char *what = world == NULL ? "world" : "name";
        return fr_fail(err, FIRN_INVALID, what, "%s is %s", what,
                       world == NULL || name == NULL ? "NULL" : "empty");
    }
    *out = fr_persist_find(world, FR_VARS_NAME, FIRN_VALUE);
    return *out != NULL ? FIRN_OK
                        : fr_fail(err, FIRN_NOT_FOUND, FR_VARS_NAME,
                                  "the component " FR_VARS_NAME " is not registered");
}

// ---------------------------------------------------------------- set

firn_result fr_vars_check_row(const void *row, firn_error *err)
{
    firn_reader reader;
    size_t size;
    const uint8_t *bytes = firn_row_encoded(row, &size);
    firn_reader_begin(&reader, bytes, size, NULL);
    return firn_read_kind(&reader) == FIRN_VALUE_TABLE
               ? FIRN_OK
               : fr_fail(err, FIRN_INVALID, FR_VARS_NAME, FR_VARS_NAME " is no map");
}

// The variables that are there, in a document of their own.
static firn_value *vars_of(firn_world *world, firn_entity entity, const fr_component *vars,
                           firn_doc *doc, firn_error *err)
{
    firn_component handle = fr_component_handle(world, vars->index);
    if (!firn_has(world, entity, handle)) {
        return firn_value_table(doc, err);
    }
    firn_value *table = firn_get_value(world, entity, handle, doc, err);
    if (table != NULL && table->kind != FIRN_VALUE_TABLE) {
        fr_fail_entity(err, FIRN_INVALID, entity, FR_VARS_NAME,
                       FR_VARS_NAME " of the entity is no map");
        return NULL;
    }
    return table;
}

static firn_result set_in(firn_world *world, firn_entity entity, const fr_component *vars,
                          const char *name, const firn_value *value, firn_error *err)
{
    firn_error why = {.code = FIRN_OK};
    const firn_value none = {.kind = FIRN_VALUE_NIL};
    firn_component handle = fr_component_handle(world, vars->index);
    firn_doc *doc = firn_doc_create(&world->allocator, &world->limits, &why);
    firn_value *table = doc == NULL ? NULL : vars_of(world, entity, vars, doc, &why);
    firn_result result = table == NULL ? why.code : FIRN_OK;
    if (result == FIRN_OK) {
        result = firn_table_set_text(doc, table, name, value == NULL ? &none : value, &why);
    }
    if (result == FIRN_OK) {
        result = firn_set_value(world, entity, handle, table, &why);
    }
    firn_doc_destroy(doc);
    return result == FIRN_OK ? FIRN_OK : fr_fail_copy(err, &why);
}

firn_result firn_vars_set(firn_world *world, firn_entity entity, const char *name,
                          const firn_value *value, firn_error *err)
{
    const fr_component *vars = NULL;
    firn_result result = check_vars_call(world, name, &vars, err);
    if (result == FIRN_OK) {
        result = fr_world_check_unlocked(world, err);
    }
    if (result == FIRN_OK) {
        result = fr_world_check_alive(world, entity, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    assert(vars != NULL); // the call was checked
    if (!firn_has(world, entity, fr_component_handle(world, vars->index))) {
        if (value == NULL || value->kind == FIRN_VALUE_NIL) {
            return FIRN_OK;
        }
        // A second one would not see the first, which waits.
        result = fr_world_check_closed(world, err);
    }
    return result == FIRN_OK ? set_in(world, entity, vars, name, value, err) : result;
}

// ---------------------------------------------------------------- get

// The bytes of a variable in an encoded map; NULL: there is none.
static const uint8_t *find_variable(const firn_limits *limits, const uint8_t *map, size_t map_size,
                                    const char *name, size_t *size)
{
    firn_reader reader;
    firn_reader_begin(&reader, map, map_size, limits);
    if (firn_read_kind(&reader) != FIRN_VALUE_TABLE) {
        return NULL;
    }
    firn_table_head head = firn_read_table(&reader);
    for (uint32_t i = 0; i < head.array_count; i++) {
        firn_read_skip(&reader);
    }
    for (uint32_t i = 0; i < head.map_count && !firn_reader_failed(&reader); i++) {
        bool found = false;
        if (firn_read_kind(&reader) == FIRN_VALUE_STRING) {
            size_t key_size;
            const char *key = firn_read_string(&reader, &key_size);
            found = key != NULL && key_size == strlen(name) && memcmp(key, name, key_size) == 0;
        } else {
            firn_read_skip(&reader);
        }
        const uint8_t *value = reader.at;
        firn_read_skip(&reader);
        if (found) {
            *size = (size_t)(reader.at - value);
            return value;
        }
    }
    return NULL;
}

firn_value *firn_vars_get(const firn_world *world, firn_entity entity, const char *name,
                          firn_doc *doc, firn_error *err)
{
    const fr_component *vars = NULL;
    if (check_vars_call(world, name, &vars, err) != FIRN_OK) {
        return NULL;
    }
    assert(vars != NULL); // the call was checked
    const void *row = firn_get(world, entity, fr_component_handle(world, vars->index));
    size_t size = 0;
    const uint8_t *map = row == NULL ? NULL : firn_row_encoded(row, &size);
    const uint8_t *value =
        map == NULL ? NULL : find_variable(&world->limits, map, size, name, &size);
    if (value == NULL) {
        fr_fail_entity(err, FIRN_NOT_FOUND, entity, name, "the entity has no variable %.200s",
                       name);
        return NULL;
    }
    return firn_value_decode(doc, value, size, err);
}
