// Errors about a save in table form.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/utf8.h"
#include "buffer/bytes.h"
#include "snapshot/format.h"
#include "snapshot/table_image.h"
#include "value/check.h"

firn_result fr_table_fail(firn_error *err, firn_result code, const char *path, const char *format,
                          ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return fr_fail(err, code, path, "%s: %s", path, text);
}

firn_result fr_table_list(const firn_value *list, const char *path, uint32_t *count,
                          firn_error *err)
{
    *count = firn_table_array_count(list);
    if (list != NULL && list->kind != FIRN_VALUE_TABLE) {
        return fr_table_fail(err, FIRN_CORRUPT, path, "no list");
    }
    if (firn_table_map_count(list) > 0) {
        return fr_table_fail(err, FIRN_CORRUPT, path, "a list with other keys than 1 to %u",
                             *count);
    }
    return FIRN_OK;
}

static bool digits_to_number(const firn_value *text, uint64_t *number)
{
    *number = 0;
    for (uint32_t i = 0; i < text->length; i++) {
        char digit = text->as.string[i];
        if (digit < '0' || digit > '9' || *number >= (uint64_t)FR_ID_END) {
            return false;
        }
        *number = *number * 10 + (uint64_t)(digit - '0');
    }
    return text->length > 0;
}

bool fr_table_number(const firn_value *value, uint64_t *number)
{
    switch (value->kind) {
    case FIRN_VALUE_NUMBER:
        if (!(value->as.number >= 0 && value->as.number < FR_ID_END)) {
            return false;
        }
        *number = (uint64_t)value->as.number;
        return (double)*number == value->as.number;
    case FIRN_VALUE_INT64:
        *number = (uint64_t)value->as.int64;
        break;
    case FIRN_VALUE_UINT64:
        *number = value->as.uint64;
        break;
    case FIRN_VALUE_STRING:
        if (!digits_to_number(value, number)) {
            return false;
        }
        break;
    default:
        return false;
    }
    return *number < (uint64_t)FR_ID_END;
}

// ---- marks

firn_result fr_table_mark_here(fr_table_image *image, fr_table_mark mark, firn_error *err)
{
    if (!FR_RESERVE(&image->world->allocator, image->marks, image->mark_capacity,
                    image->mark_count + 1)) {
        return fr_fail_memory(err, "table");
    }
    mark.offset = image->bytes.size;
    image->marks[image->mark_count++] = mark;
    return FIRN_OK;
}

// The part that an offset lies in; NULL in the front of the image.
static const fr_table_mark *find_mark(const fr_table_image *image, uint64_t offset)
{
    uint32_t first = 0, end = image->mark_count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (image->marks[middle].offset <= offset) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first > 0 ? &image->marks[first - 1] : NULL;
}

// The row of a column that an offset lies in.
static uint32_t row_at(const fr_table_image *image, const fr_table_mark *mark, uint64_t offset)
{
    fr_in in;
    fr_in_begin(&in, image->bytes.data, image->bytes.size);
    in.at += mark->offset;
    uint32_t row = 0;
    while (row + 1 < mark->rows && fr_value_check_next(&in, &image->limits, NULL) &&
           fr_in_offset(&in) <= offset) {
        row++;
    }
    return mark->first + row;
}

// The row of an entity, and the ids that it stands among.
static const fr_table_mark *find_entity_row(const fr_table_image *image, firn_entity entity,
                                            uint32_t *row)
{
    for (uint32_t i = 0; i < image->mark_count; i++) {
        const fr_table_mark *mark = &image->marks[i];
        const uint8_t *ids = image->bytes.data + mark->offset;
        for (uint32_t k = 0; mark->kind == FR_MARK_IDS && k < mark->rows; k++) {
            if (fr_load_f64(ids + (size_t)k * FR_ID_BYTES) == (double)entity) {
                *row = mark->first + k;
                return mark;
            }
        }
    }
    return NULL;
}

static void set_row_path(uint32_t archetype, uint32_t row, char path[FR_TABLE_PATH_BYTES])
{
    snprintf(path, FR_TABLE_PATH_BYTES, "archetypes[%u].entities[%u]", archetype, row);
}

static void set_cell_path(const fr_table_image *image, const fr_table_mark *mark, uint32_t row,
                          char path[FR_TABLE_PATH_BYTES])
{
    char name[256];
    const fr_table_name *component = &image->names[mark->name];
    set_row_path(mark->index, row, path);
    size_t size = strlen(path);
    if (mark->position > 0) {
        snprintf(path + size, FR_TABLE_PATH_BYTES - size, "[%u]", mark->position);
    } else {
        fr_printable(name, sizeof name, component->text, component->size);
        snprintf(path + size, FR_TABLE_PATH_BYTES - size, ".values.%s", name);
    }
}

static void set_path(const fr_table_image *image, const fr_table_mark *mark, const firn_error *err,
                     char path[FR_TABLE_PATH_BYTES])
{
    static const char *const beside[] = {"data", "states", "pipeline"};
    uint32_t row = 0;
    switch (mark->kind) {
    case FR_MARK_ARCHETYPE:
        snprintf(path, FR_TABLE_PATH_BYTES, "archetypes[%u]", mark->index);
        break;
    case FR_MARK_IDS:
        row = mark->first + (uint32_t)((err->offset - mark->offset) / FR_ID_BYTES);
        set_row_path(mark->index, row, path);
        break;
    case FR_MARK_COLUMN:
        // A codec says which entity it is about, but not always where.
        if (find_entity_row(image, err->entity, &row) == NULL) {
            row = row_at(image, mark, err->offset);
        }
        set_cell_path(image, mark, row, path);
        break;
    case FR_MARK_DATUM:
        if (mark->name == FR_MARK_DATA) {
            snprintf(path, FR_TABLE_PATH_BYTES, "data[%u]", mark->index);
        } else {
            snprintf(path, FR_TABLE_PATH_BYTES, "%s", beside[mark->name]);
        }
        break;
    }
}

// An offset before the marks: that of a component, or one that a codec did not set.
static void explain_front(const fr_table_image *image, firn_error *err)
{
    char path[FR_TABLE_PATH_BYTES];
    uint32_t row;
    const fr_table_mark *ids = find_entity_row(image, err->entity, &row);
    if (ids != NULL) {
        set_row_path(ids->index, row, path);
        fr_fail_entity(err, err->code, err->entity, path, "%s: %s", path, err->message);
        return;
    }
    for (uint32_t i = image->name_count; i-- > 0;) {
        const fr_table_name *name = &image->names[i];
        if (name->offset <= err->offset && name->place > 0) {
            fr_fail(err, err->code, err->subject, "componentTable[%u]: %s", name->place,
                    err->message);
            return;
        }
    }
    err->offset = FIRN_NO_OFFSET;
}

void fr_table_image_explain(const fr_table_image *image, firn_error *err)
{
    if (err->offset == FIRN_NO_OFFSET) {
        return;
    }
    const fr_table_mark *mark = find_mark(image, err->offset);
    if (mark == NULL) {
        explain_front(image, err);
        return;
    }
    char path[FR_TABLE_PATH_BYTES];
    set_path(image, mark, err, path);
    // A key of data is a name by itself.
    const char *subject = mark->kind == FR_MARK_DATUM ? err->subject : path;
    fr_fail_entity(err, err->code, err->entity, subject, "%s: %s", path, err->message);
}
