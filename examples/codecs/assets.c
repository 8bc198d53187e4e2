// What the codecs share: the place of a name, and rows read as tables.
#include "codecs.h"

#include <stdio.h>
#include <string.h>

bool assets_open(Assets *assets, firn_error *err)
{
    assets->doc = firn_doc_create(NULL, NULL, err);
    return assets->doc != NULL;
}

void assets_close(Assets *assets)
{
    firn_doc_destroy(assets->doc);
}

const firn_value *read_row(Assets *assets, firn_reader *in)
{
    firn_doc_clear(assets->doc);
    return firn_read_value(in, assets->doc);
}

const char *row_text(const firn_value *row, const char *key)
{
    const firn_value *text = firn_table_get_text(row, key);
    return text != NULL && text->kind == FIRN_VALUE_STRING ? text->as.string : "";
}

float row_number(const firn_value *row, const char *key)
{
    const firn_value *number = firn_table_get_text(row, key);
    return number != NULL && number->kind == FIRN_VALUE_NUMBER ? (float)number->as.number : 0;
}

int place_of(const char *const *names, const char *name)
{
    for (int i = 0; names[i] != NULL; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

firn_result missing(firn_error *err, const char *thing, const char *name)
{
    snprintf(err->message, sizeof err->message, "there is no %s \"%s\"", thing, name);
    return err->code = FIRN_REFUSED;
}
