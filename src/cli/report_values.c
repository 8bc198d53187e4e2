// Numbers, strings and entities: what the rows hold.
#include <string.h>

#include "cli/report.h"

// Reading of one component, or of one value elsewhere.
typedef struct value_reading {
    fr_report *report;
    fr_place place;
    uint32_t what, row_of, row; // of a column: component, archetype, row
    uint32_t root;              // node of the whole value; 0: fields are not looked at
    bool again;                 // the second pass, for histograms alone
} value_reading;

// ---- strings

// The string, when it is one of the largest already.
static fr_long_string *same_string(fr_report *report, const firn_value *text)
{
    for (uint32_t i = 0; i < report->string_count; i++) {
        fr_long_string *string = &report->strings[i];
        if (string->size == text->length &&
            memcmp(string->bytes, text->as.string, text->length) == 0) {
            return string;
        }
    }
    return NULL;
}

static void keep_long_string(const value_reading *reading, const fr_walk *walk,
                             const firn_value *text)
{
    fr_report *report = reading->report;
    fr_long_string *strings = report->strings;
    bool full = report->string_count == FR_STRINGS_MOST;
    if (text->length == 0 || (full && text->length < strings[FR_STRINGS_MOST - 1].size)) {
        return;
    }
    fr_long_string *same = same_string(report, text);
    if (same != NULL) {
        same->times++;
        return;
    }
    if (full && text->length == strings[FR_STRINGS_MOST - 1].size) {
        return;
    }
    uint32_t at = full ? FR_STRINGS_MOST - 1 : report->string_count++;
    for (; at > 0 && strings[at - 1].size < text->length; at--) {
        strings[at] = strings[at - 1];
    }
    strings[at] = (fr_long_string){.bytes = text->as.string,
                                   .size = text->length,
                                   .times = 1,
                                   .place = reading->place,
                                   .what = reading->what,
                                   .depth = walk->depth};
    if (reading->place == FR_PLACE_COLUMN) {
        firn_image_entities(report->image, reading->row_of, reading->row, &strings[at].entity, 1);
    }
    uint32_t steps = walk->depth < FR_STRING_STEPS ? walk->depth : FR_STRING_STEPS;
    memcpy(strings[at].steps, walk->steps, steps * sizeof *walk->steps);
}

// ---- numbers

static bool number_of_value(const firn_value *value, fr_number *number, const char **type)
{
    switch (value->kind) {
    case FIRN_VALUE_BOOL:
        *number = (fr_number){FR_NUMBER_UNSIGNED, {.natural = value->as.boolean}};
        *type = "boolean";
        return true;
    case FIRN_VALUE_NUMBER:
        *number = (fr_number){FR_NUMBER_REAL, {.real = value->as.number}};
        *type = "number";
        return true;
    case FIRN_VALUE_INT64:
        *number = (fr_number){FR_NUMBER_SIGNED, {.integer = value->as.int64}};
        *type = "int64";
        return true;
    case FIRN_VALUE_UINT64:
        *number = (fr_number){FR_NUMBER_UNSIGNED, {.natural = value->as.uint64}};
        *type = "uint64";
        return true;
    default:
        return false;
    }
}

static void add_to_field(fr_field *field, fr_number number, bool again)
{
    if (again) {
        fr_histogram_sort(&field->histogram, number);
    } else {
        fr_histogram_see(&field->histogram, number);
    }
}

static void look_at_leaf(void *user, const fr_walk *walk, const firn_value *value)
{
    const value_reading *reading = user;
    fr_fields *fields = &reading->report->fields;
    fr_number number;
    const char *type;
    if (value->kind == FIRN_VALUE_STRING && !reading->again) {
        keep_long_string(reading, walk, value);
    }
    if (reading->root == 0 || !number_of_value(value, &number, &type)) {
        return;
    }
    uint32_t node = reading->root;
    for (uint32_t i = 0; i < walk->depth; i++) {
        node = fr_fields_below(fields, node, &walk->steps[i]);
    }
    fr_field *field = fr_fields_at(fields, node, type);
    if (field != NULL) {
        field->type = strcmp(field->type, type) == 0 ? type : "mixed";
        add_to_field(field, number, reading->again);
    }
}

static void read_encoded_column(value_reading *reading, fr_column_place place)
{
    firn_reader reader;
    firn_image_column column;
    const firn_image *image = reading->report->image;
    firn_image_column_at(image, place.archetype, place.column, &column);
    firn_image_reader(image, place.archetype, place.column, &reader, NULL);
    fr_walk walk = {.reader = &reader, .leaf = look_at_leaf, .user = reading};
    reading->what = column.component;
    reading->row_of = place.archetype;
    for (reading->row = 0; reading->row < column.rows; reading->row++) {
        fr_walk_value(&walk);
    }
}

// ---- raw columns

static uint64_t little_endian(const uint8_t *bytes, uint32_t size)
{
    uint64_t number = 0;
    for (uint32_t i = size; i-- > 0;) {
        number = number << 8 | bytes[i];
    }
    return number;
}

// `top` is the bit of the sign.
static fr_number signed_number(uint64_t bits, uint64_t top)
{
    int64_t integer;
    bits = (bits ^ top) - top;
    memcpy(&integer, &bits, sizeof integer);
    return (fr_number){FR_NUMBER_SIGNED, {.integer = integer}};
}

static fr_number number_of_bits(firn_type type, uint64_t bits)
{
    float single;
    double real;
    uint32_t low = (uint32_t)bits;
    switch (type) {
    case FIRN_F32:
        memcpy(&single, &low, sizeof single);
        return (fr_number){FR_NUMBER_REAL, {.real = (double)single}};
    case FIRN_F64:
    case FIRN_ENTITY_NUMBER:
        memcpy(&real, &bits, sizeof real);
        return (fr_number){FR_NUMBER_REAL, {.real = real}};
    case FIRN_I8:
        return signed_number(bits, UINT64_C(1) << 7);
    case FIRN_I16:
        return signed_number(bits, UINT64_C(1) << 15);
    case FIRN_I32:
        return signed_number(bits, UINT64_C(1) << 31);
    case FIRN_I64:
        return signed_number(bits, UINT64_C(1) << 63);
    default:
        return (fr_number){FR_NUMBER_UNSIGNED, {.natural = bits}};
    }
}

static void read_raw_field(const value_reading *reading, const fr_part *part,
                           const firn_image_field *shape, fr_field *field)
{
    const firn_image *image = reading->report->image;
    const fr_column_place *places =
        (const fr_column_place *)(const void *)reading->report->columns.data;
    uint32_t elements = shape->count > 0 ? shape->count : 1, size = shape->size / elements;
    for (uint32_t i = 0; i < part->columns; i++) {
        firn_image_column column;
        fr_column_place place = places[part->first_column + i];
        firn_image_column_at(image, place.archetype, place.column, &column);
        const uint8_t *row = column.bytes;
        for (uint32_t k = column.nils; k < column.rows; k++, row += part->row_size) {
            for (uint32_t e = 0; e < elements; e++) {
                uint64_t bits = little_endian(row + shape->offset + (size_t)e * size, size);
                add_to_field(field, number_of_bits(shape->type, bits), reading->again);
            }
        }
    }
}

// ---- both

static void read_raw_fields(const value_reading *reading, const fr_part *part)
{
    fr_fields *fields = &reading->report->fields;
    firn_image_field shape;
    for (uint32_t i = 0; firn_image_field_at(reading->report->image, part->component, i, &shape);
         i++) {
        if (shape.type == FIRN_CHAR) {
            continue; // text
        }
        fr_step step = {.key = shape.name, .size = shape.name_size};
        uint32_t node = fr_fields_below(fields, reading->root, &step);
        fr_field *field = fr_fields_at(fields, node, shape.type_text);
        if (field != NULL) {
            field->elements = shape.count;
            read_raw_field(reading, part, &shape, field);
        }
    }
}

static void look_at_part(value_reading *reading, const fr_part *part)
{
    const fr_column_place *places =
        (const fr_column_place *)(const void *)reading->report->columns.data;
    if (part->raw) {
        read_raw_fields(reading, part);
        return;
    }
    for (uint32_t i = 0; i < part->columns; i++) {
        read_encoded_column(reading, places[part->first_column + i]);
    }
}

// The largest components have their fields looked at.
static void look_at_parts(fr_report *report)
{
    for (uint32_t i = 0; i < report->components.count; i++) {
        uint32_t index = report->components.items[i].what;
        const fr_part *part = fr_report_part(report, index);
        uint32_t first = report->fields.count;
        value_reading reading = {.report = report, .root = fr_fields_begin(&report->fields, index)};
        look_at_part(&reading, part);
        for (uint32_t k = first; k < report->fields.count; k++) {
            fr_histogram_divide(&report->fields.fields[k].histogram);
        }
        reading.again = true;
        if (report->fields.count > first) {
            look_at_part(&reading, part);
        }
    }
}

static void look_at_encoded(value_reading *reading, const void *bytes, size_t size)
{
    firn_reader reader;
    firn_reader_begin(&reader, bytes, size, reading->report->limits);
    fr_walk walk = {.reader = &reader, .leaf = look_at_leaf, .user = reading};
    fr_walk_value(&walk);
}

static void look_at_data(fr_report *report)
{
    firn_image_datum datum;
    for (uint32_t i = 0; firn_image_datum_at(report->image, i, &datum); i++) {
        value_reading reading = {.report = report, .place = FR_PLACE_DATUM, .what = i};
        look_at_encoded(&reading, datum.encoded, datum.size);
    }
}

// The sections that hold tables.
static firn_result look_at_sections(fr_report *report, firn_error *err)
{
    static const char *const tables[] = {FIRN_SECTION_CUSTOM, FIRN_SECTION_VARIABLES,
                                         FIRN_SECTION_PERSIST};
    firn_section_info section;
    for (uint32_t i = 0; firn_save_file_section_at(report->save, i, &section); i++) {
        for (uint32_t k = 0; k < FIRN_COUNT(tables); k++) {
            value_reading reading = {.report = report, .place = FR_PLACE_SECTION, .what = i};
            const void *bytes;
            size_t size;
            if (strcmp(section.name, tables[k]) != 0) {
                continue;
            }
            firn_result result =
                firn_save_file_section(report->save, section.name, &bytes, &size, err);
            if (result != FIRN_OK) {
                return result;
            }
            look_at_encoded(&reading, bytes, size);
        }
    }
    return FIRN_OK;
}

firn_result fr_report_values(fr_report *report, firn_error *err)
{
    look_at_parts(report);
    look_at_data(report);
    return look_at_sections(report, err);
}

// ---- entities

static bool is_encoded_nil(const void *bytes, size_t size)
{
    return size == 1 && *(const uint8_t *)bytes == 0;
}

// The column of a component in an archetype; UINT32_MAX when there is none.
static uint32_t encoded_column_of(const firn_image *image, uint32_t archetype, const char *name)
{
    uint32_t component = firn_image_component_find(image, name);
    firn_image_column column;
    for (uint32_t i = 0; firn_image_column_at(image, archetype, i, &column); i++) {
        if (column.component == component) {
            return column.raw ? UINT32_MAX : i;
        }
    }
    return UINT32_MAX;
}

// What its Key or Name says.
static void take_entity_key(fr_top_item *item, const firn_image_rows *rows, const uint32_t *columns)
{
    for (uint32_t i = 0; i < 2 && item->key == NULL; i++) {
        size_t size;
        const void *bytes = firn_image_rows_bytes(rows, columns[i], &size);
        if (bytes != NULL && !is_encoded_nil(bytes, size)) {
            item->key = bytes;
            item->key_size = size;
        }
    }
}

static void weigh_row(fr_report *report, const firn_image_rows *rows, uint32_t columns,
                      fr_top_item *item, const uint32_t *names)
{
    item->weight = 0;
    item->key = NULL;
    for (uint32_t i = 0; i < columns; i++) {
        size_t size;
        const void *bytes = firn_image_rows_bytes(rows, i, &size);
        item->weight += bytes == NULL || is_encoded_nil(bytes, size) ? 0 : size;
    }
    const fr_top *top = &report->entities;
    if (top->count < top->most || item->weight > top->items[top->count - 1].weight) {
        take_entity_key(item, rows, names);
    }
    fr_top_add(&report->entities, item);
}

// Rows that all have the same bytes: behind the first ones there is nothing to find.
static uint32_t rows_to_weigh(const fr_report *report, uint32_t index,
                              const firn_image_archetype *archetype)
{
    firn_image_column column;
    for (uint32_t i = 0; firn_image_column_at(report->image, index, i, &column); i++) {
        if (!column.raw || column.nils > 0) {
            return archetype->rows;
        }
    }
    return archetype->rows < FR_ENTITIES_MOST ? archetype->rows : FR_ENTITIES_MOST;
}

firn_result fr_report_entities(fr_report *report, firn_error *err)
{
    firn_image_archetype archetype;
    for (uint32_t i = 0; firn_image_archetype_at(report->image, i, &archetype); i++) {
        firn_image_rows *rows = firn_image_rows_open(report->image, i, err);
        if (rows == NULL) {
            return FIRN_NO_MEMORY;
        }
        const uint32_t names[] = {encoded_column_of(report->image, i, "Key"),
                                  encoded_column_of(report->image, i, "Name")};
        uint32_t count = rows_to_weigh(report, i, &archetype);
        fr_top_item item = {.what = i};
        for (; item.row < count && firn_image_rows_next(rows); item.row++) {
            weigh_row(report, rows, archetype.columns, &item, names);
        }
        firn_image_rows_close(rows);
    }
    return FIRN_OK;
}
