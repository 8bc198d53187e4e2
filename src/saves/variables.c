// The game's variables.
#include "base/error.h"
#include "saves/saves.h"
#include "value/doc.h"

// A document below this is not worth copying.
#define SMALL_DOCUMENT ((size_t)16 << 10)

firn_result fr_variables_make(const firn_saves *saves, fr_variables *out, firn_error *err)
{
    firn_doc *doc = firn_doc_create(&saves->allocator, &saves->limits, err);
    firn_value *table = doc == NULL ? NULL : firn_value_table(doc, err);
    if (table == NULL) {
        firn_doc_destroy(doc);
        return FIRN_NO_MEMORY;
    }
    *out = (fr_variables){.doc = doc, .table = table};
    return FIRN_OK;
}

void fr_variables_free(fr_variables *variables)
{
    firn_doc_destroy(variables->doc);
    *variables = (fr_variables){0};
}

static size_t document_bytes(const firn_doc *doc)
{
    size_t bytes = 0;
    for (const fr_doc_chunk *chunk = doc->newest; chunk != NULL; chunk = chunk->older) {
        bytes += chunk->used;
    }
    return bytes;
}

static firn_result check_variable_names(const firn_value *table, firn_error *err)
{
    uint32_t cursor = 0;
    firn_value key;
    if (table->kind != FIRN_VALUE_TABLE) {
        return fr_fail(err, FIRN_CORRUPT, "variables", "the variables of the save are no table");
    }
    while (firn_table_next(table, &cursor, &key) != NULL) {
        if (key.kind != FIRN_VALUE_STRING || key.length == 0) {
            return fr_fail(err, FIRN_CORRUPT, "variables",
                           "a variable of the save has a key that is no name");
        }
    }
    return FIRN_OK;
}

firn_result fr_variables_read(const firn_saves *saves, const void *bytes, size_t size,
                              fr_variables *out, firn_error *err)
{
    firn_error why;
    firn_doc *doc = firn_doc_create(&saves->allocator, &saves->limits, &why);
    if (doc == NULL) {
        return fr_fail_copy(err, &why);
    }
    firn_value *table = firn_value_decode(doc, bytes, size, &why);
    if (table == NULL || check_variable_names(table, &why) != FIRN_OK) {
        firn_doc_destroy(doc);
        return fr_fail_copy(err, &why);
    }
    *out = (fr_variables){doc, table, document_bytes(doc)};
    return FIRN_OK;
}

firn_result fr_variables_write(const firn_saves *saves, firn_buffer *out, firn_error *err)
{
    return firn_value_encode(saves->variables.table, &saves->limits, out, err);
}

// Most of a large document may be what was replaced since: then what lives moves to a new one. That
// there is no memory for it is no reason to fail.
static void pack_variables(firn_saves *saves)
{
    fr_variables *variables = &saves->variables;
    if (document_bytes(variables->doc) < SMALL_DOCUMENT + 4 * variables->packed) {
        return;
    }
    firn_buffer bytes;
    fr_variables packed;
    firn_buffer_init(&bytes, &saves->allocator);
    if (fr_variables_write(saves, &bytes, NULL) == FIRN_OK &&
        fr_variables_read(saves, bytes.data, bytes.size, &packed, NULL) == FIRN_OK) {
        fr_variables_free(variables);
        *variables = packed;
    }
    firn_buffer_free(&bytes);
}

// ---------------------------------------------------------------- calls of the game

static firn_result check_change(const firn_saves *saves, const char *name, firn_error *err)
{
    firn_result result = fr_saves_check(saves, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (name == NULL || name[0] == 0) {
        return fr_fail(err, FIRN_INVALID, "name", "the name of the variable is %s",
                       name == NULL ? "NULL" : "empty");
    }
    if (saves->loading) {
        return fr_fail(err, FIRN_BUSY, name,
                       "the variable %.200s cannot be set while a load runs, which brings its own",
                       name);
    }
    return FIRN_OK;
}

// A copy in the document of the variables: encoded as it will be saved, so that limits hold, and
// decoded. NULL after a failure.
static const firn_value *copy_variable(firn_saves *saves, const char *name, const firn_value *value,
                                       firn_error *err)
{
    firn_buffer bytes;
    firn_buffer_init(&bytes, &saves->allocator);
    firn_writer writer;
    firn_writer_begin(&writer, &bytes, &saves->limits);
    firn_write_table(&writer, 0, 1);
    firn_write_text(&writer, name);
    firn_write_value(&writer, value);
    const firn_value *pair = NULL;
    if (firn_writer_end(&writer, err) == FIRN_OK) {
        pair = firn_value_decode(saves->variables.doc, bytes.data, bytes.size, err);
    }
    firn_buffer_free(&bytes);
    return firn_table_get_text(pair, name);
}

firn_result firn_saves_set_variable(firn_saves *saves, const char *name, const firn_value *value,
                                    firn_error *err)
{
    firn_error why;
    firn_result result = check_change(saves, name, err);
    if (result != FIRN_OK) {
        return result;
    }
    const firn_value none = {.kind = FIRN_VALUE_NIL};
    const firn_value *item = &none;
    if (value != NULL && value->kind != FIRN_VALUE_NIL) {
        item = copy_variable(saves, name, value, &why);
    }
    const fr_variables *variables = &saves->variables;
    if (item == NULL ||
        firn_table_set_text(variables->doc, variables->table, name, item, &why) != FIRN_OK) {
        return fr_fail(err, why.code, why.subject, "the variable %.100s: %s", name, why.message);
    }
    pack_variables(saves);
    return FIRN_OK;
}

const firn_value *firn_saves_variable(const firn_saves *saves, const char *name)
{
    return saves == NULL || name == NULL ? NULL : firn_table_get_text(saves->variables.table, name);
}

const firn_value *firn_saves_variables(const firn_saves *saves)
{
    return saves == NULL ? NULL : saves->variables.table;
}
