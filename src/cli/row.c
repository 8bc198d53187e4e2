#include "cli/row.h"

#include <string.h>

#include "cli/field.h"

// ---- names

fr_cli_name fr_cli_name_find(const firn_image *image, const char *text, size_t size)
{
    fr_cli_name name = {.image = image, .text = text, .size = (uint32_t)size};
    firn_image_info info;
    firn_image_describe(image, &info);
    for (uint32_t i = 0; i < info.prelude.component_count && !name.known; i++) {
        name.known = fr_cli_name_is(&name, i);
    }
    return name;
}

bool fr_cli_name_is(const fr_cli_name *name, uint32_t component)
{
    firn_image_component at;
    if (!firn_image_component_at(name->image, component, &at) ||
        strncmp(at.name, name->text, name->size) != 0) {
        return false;
    }
    return at.name[name->size] == 0 || (at.relation_size > 0 && at.relation_size == name->size);
}

// ---- columns

static bool is_nil(const void *bytes, size_t size)
{
    firn_reader reader;
    firn_reader_begin(&reader, bytes, size, NULL);
    return firn_read_kind(&reader) == FIRN_VALUE_NIL;
}

bool fr_cli_row_has(const fr_cli_row *row, uint32_t column)
{
    firn_image_column at;
    size_t size = 0;
    const void *bytes = firn_image_rows_bytes(row->rows, column, &size);
    return bytes != NULL && firn_image_column_at(row->image, row->archetype, column, &at) &&
           (at.raw || at.nils == 0 || at.nils == at.rows || !is_nil(bytes, size));
}

uint32_t fr_cli_row_column(const fr_cli_row *row, const fr_cli_name *name, uint32_t first)
{
    firn_image_column at;
    for (uint32_t i = first; name->known && i < row->columns; i++) {
        if (firn_image_column_at(row->image, row->archetype, i, &at) &&
            fr_cli_name_is(name, at.component) && fr_cli_row_has(row, i)) {
            return i;
        }
    }
    return row->columns;
}

// ---- labels

// The field `id` of a raw row, or a string, which in wire version 2 may stand in a table.
static firn_result read_label(fr_cli_row *row, uint32_t column, firn_value *out, firn_error *err)
{
    firn_image_column at;
    firn_image_field field;
    firn_image_column_at(row->image, row->archetype, column, &at);
    if (at.raw) {
        size_t size;
        const void *bytes = firn_image_rows_bytes(row->rows, column, &size);
        for (uint32_t i = 0; firn_image_field_at(row->image, at.component, i, &field); i++) {
            if (field.name_size == 2 && memcmp(field.name, "id", 2) == 0) {
                *out = fr_cli_field_value(&field, bytes, 0);
            }
        }
        return FIRN_OK;
    }
    const firn_value *value = firn_image_rows_value(row->rows, column, row->doc, err);
    if (value == NULL) {
        return err->code;
    }
    const firn_value *inner = firn_table_get_text(value, "value");
    *out = inner != NULL ? *inner : *value;
    return FIRN_OK;
}

firn_result fr_cli_row_label(fr_cli_row *row, fr_cli_label label, firn_value *out, firn_error *err)
{
    static const char *const names[2][2] = {{"persist", "Key"}, {"Name", NULL}};
    *out = (firn_value){.kind = FIRN_VALUE_NIL};
    for (int i = 0; i < 2 && names[label][i] != NULL; i++) {
        const char *text = names[label][i];
        const fr_cli_name name = {row->image, text, (uint32_t)strlen(text), true};
        uint32_t column = fr_cli_row_column(row, &name, 0);
        firn_result result = column < row->columns ? read_label(row, column, out, err) : FIRN_OK;
        if (result != FIRN_OK || (out->kind == FIRN_VALUE_STRING && out->length > 0)) {
            return result;
        }
    }
    *out = (firn_value){.kind = FIRN_VALUE_NIL};
    return FIRN_OK;
}
