// What differs in one entity after the other.
#include "base/utf8.h"
#include "buffer/bytes.h"
#include "snapshot/diff.h"
#include "snapshot/image_rows.h"

// ---- rows as values

static bool cell_is_nil(const fr_entry *entry, const fr_diff_cell *cell)
{
    return !entry->raw && cell->size == 1 && *cell->bytes == FR_TAG_NIL;
}

// Whether the entity has the component. One whose value is nil has not, unless all are: then it is
// a tag of another writer.
static bool has_component(const fr_diff *diff, int side, uint32_t span, uint32_t row,
                          const fr_diff_cell *cell)
{
    const fr_image *image = diff->images[side].image;
    const fr_span *column = &image->spans[span];
    if (cell->size == 0 || !fr_span_has(column, row)) {
        return false;
    }
    return !cell_is_nil(&image->entries[column->entry], cell) ||
           (!image->world.ours && column->nils == column->rows);
}

// `{value = X}`, as version 2 writes scalars: X.
static const firn_value *plain_scalar(const fr_image *image, const firn_value *value)
{
    if (image->prelude.version == 1 || value->kind != FIRN_VALUE_TABLE ||
        firn_table_array_count(value) > 0 || firn_table_map_count(value) != 1) {
        return value;
    }
    const firn_value *inner = firn_table_get_text(value, "value");
    return inner != NULL ? inner : value;
}

static const firn_value *tree_of(fr_diff *diff, int side, uint32_t span, const fr_diff_cell *cell,
                                 firn_error *err)
{
    const fr_image *image = diff->images[side].image;
    uint32_t entry = image->spans[span].entry;
    if (fr_entry_is_opaque(&image->entries[entry])) {
        return firn_value_string(diff->doc, cell->bytes, cell->size, err);
    }
    firn_error why;
    const firn_value *value =
        fr_row_tree(image, entry, cell->bytes, cell->size, &diff->scratch, diff->doc, &why);
    if (value == NULL) {
        fr_fail_entity(err, why.code, diff->at.entity, diff->component, "entity %llu: %s: %s",
                       (unsigned long long)diff->at.entity, diff->component, why.message);
    }
    return value;
}

// ---- fields of a struct

static double double_of_f32(const uint8_t *wire)
{
    uint32_t bits = fr_load_u32(wire);
    uint64_t wide;
    double value;
    if ((bits & UINT32_C(0x7f800000)) != UINT32_C(0x7f800000)) {
        float narrow;
        memcpy(&narrow, &bits, sizeof narrow);
        return narrow;
    }
    // Of what is no number, each bit counts: a conversion may change some.
    wide = (uint64_t)(bits & UINT32_C(0x80000000)) << 32 | UINT64_C(0x7ff0000000000000) |
           (uint64_t)(bits & UINT32_C(0x007fffff)) << 29;
    memcpy(&value, &wide, sizeof value);
    return value;
}

static bool same_element(const fr_diff *diff, firn_type type, const uint8_t *left,
                         const uint8_t *right)
{
    if (memcmp(left, right, fr_type_size(type)) == 0) {
        return true;
    }
    if (type == FIRN_F32) {
        return fr_diff_same_number(diff, double_of_f32(left), double_of_f32(right));
    }
    return fr_type_plain(type) == FIRN_F64 &&
           fr_diff_same_number(diff, fr_load_f64(left), fr_load_f64(right));
}

static const firn_value *element_value(fr_diff *diff, firn_type type, const uint8_t *wire,
                                       firn_error *err)
{
    if (type == FIRN_F32) {
        return firn_value_number(diff->doc, double_of_f32(wire), err);
    }
    if (fr_type_plain(type) == FIRN_F64) {
        return firn_value_number(diff->doc, fr_load_f64(wire), err);
    }
    firn_writer writer;
    firn_buffer_clear(&diff->scratch);
    firn_writer_begin(&writer, &diff->scratch, NULL);
    fr_field_write(type, 0, wire, &writer);
    return firn_writer_end(&writer, err) == FIRN_OK
               ? firn_value_decode(diff->doc, diff->scratch.data, diff->scratch.size, err)
               : NULL;
}

static firn_result tell_bytes(fr_diff *diff, const uint8_t *left, size_t left_size,
                              const uint8_t *right, size_t right_size, firn_error *err)
{
    const firn_value *values[2];
    values[FR_LEFT] = firn_value_string(diff->doc, left, left_size, err);
    values[FR_RIGHT] = firn_value_string(diff->doc, right, right_size, err);
    return values[FR_LEFT] != NULL && values[FR_RIGHT] != NULL
               ? fr_diff_tell(diff, values[FR_LEFT], values[FR_RIGHT], err)
               : err->code;
}

static size_t without_zeros(const uint8_t *bytes, size_t size)
{
    while (size > 0 && bytes[size - 1] == 0) {
        size--;
    }
    return size;
}

static firn_result diff_element(fr_diff *diff, firn_type type, const uint8_t *left,
                                const uint8_t *right, firn_error *err)
{
    if (same_element(diff, type, left, right)) {
        return FIRN_OK;
    }
    const firn_value *values[2] = {element_value(diff, type, left, err), NULL};
    values[FR_RIGHT] = values[FR_LEFT] != NULL ? element_value(diff, type, right, err) : NULL;
    diff->at.type = type;
    firn_result result = values[FR_RIGHT] != NULL
                             ? fr_diff_tell(diff, values[FR_LEFT], values[FR_RIGHT], err)
                             : err->code;
    diff->at.type = FIRN_TYPE_NONE;
    return result;
}

static firn_result diff_field(fr_diff *diff, const fr_schema_field *field, const uint8_t *left,
                              const uint8_t *right, firn_error *err)
{
    uint32_t size = fr_type_size(field->type);
    if (memcmp(left, right, (size_t)size * (field->count > 0 ? field->count : 1)) == 0) {
        return FIRN_OK;
    }
    char name[256];
    fr_path_text(&diff->path, fr_printable(name, sizeof name, field->name, field->name_size));
    size_t path = diff->path.size;
    firn_result result = FIRN_OK;
    if (field->count == 0) {
        result = diff_element(diff, field->type, left, right, err);
    } else if (field->type == FIRN_CHAR) {
        result = tell_bytes(diff, left, without_zeros(left, field->count), right,
                            without_zeros(right, field->count), err);
    }
    for (uint32_t i = 0; field->type != FIRN_CHAR && result == FIRN_OK && i < field->count; i++) {
        size_t at = (size_t)i * size;
        fr_path_index(&diff->path, i);
        result = diff_element(diff, field->type, left + at, right + at, err);
        fr_path_cut(&diff->path, path);
    }
    fr_path_cut(&diff->path, 0);
    return result;
}

static firn_result diff_rows(fr_diff *diff, const fr_entry *entry, const fr_diff_cell cells[2],
                             firn_error *err)
{
    const fr_schema *schema = &entry->schema;
    const uint8_t *left = cells[FR_LEFT].bytes, *right = cells[FR_RIGHT].bytes;
    uint64_t told = diff->summary.fields;
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < schema->field_count; i++) {
        const fr_schema_field *field = &schema->fields[i];
        result = diff_field(diff, field, left + field->offset, right + field->offset, err);
    }
    // Rows that are kept for others may have something between the fields.
    if (result == FIRN_OK && told == diff->summary.fields && diff->options.tolerance == 0) {
        result = tell_bytes(diff, left, cells[FR_LEFT].size, right, cells[FR_RIGHT].size, err);
    }
    return result;
}

// ---- components

static firn_result tell_component(fr_diff *diff, int side, uint32_t span, const fr_diff_cell *cell,
                                  firn_error *err)
{
    const firn_value *value = NULL;
    diff->at.kind = FIRN_DIFFERENCE_COMPONENT;
    if (fr_diff_is_heard(diff)) {
        value = tree_of(diff, side, span, cell, err);
        if (value == NULL) {
            return err->code;
        }
    }
    return fr_diff_tell_only(diff, side, value, err);
}

static firn_result diff_component(fr_diff *diff, const fr_diff_pair *pair,
                                  const fr_diff_cell cells[2], firn_error *err)
{
    const fr_diff_name *name = &diff->names[pair->name];
    if (name->same_rows && fr_diff_same_bytes(&cells[FR_LEFT], &cells[FR_RIGHT])) {
        return FIRN_OK;
    }
    const fr_entry *entry = name->entries[FR_LEFT];
    if (name->same_rows && entry->raw && !fr_entry_is_opaque(entry)) {
        return diff_rows(diff, entry, cells, err);
    }
    const firn_value *values[2];
    for (int side = FR_LEFT; side <= FR_RIGHT; side++) {
        values[side] = tree_of(diff, side, pair->spans[side], &cells[side], err);
        if (values[side] == NULL) {
            return err->code;
        }
    }
    if (diff->images[FR_LEFT].image->prelude.version !=
        diff->images[FR_RIGHT].image->prelude.version) {
        for (int side = FR_LEFT; side <= FR_RIGHT; side++) {
            values[side] = plain_scalar(diff->images[side].image, values[side]);
        }
    }
    diff->lenient = diff->flat = !name->same_rows;
    firn_result result = fr_diff_values(diff, values[FR_LEFT], values[FR_RIGHT], err);
    diff->lenient = diff->flat = false;
    return result;
}

static firn_result diff_pair(fr_diff *diff, const fr_diff_pair *pair, const uint32_t rows[2],
                             firn_error *err)
{
    const fr_diff_name *name = &diff->names[pair->name];
    if (!name->selected) {
        return FIRN_OK;
    }
    fr_diff_cell cells[2];
    bool has[2] = {false, false};
    for (int side = FR_LEFT; side <= FR_RIGHT; side++) {
        uint32_t span = pair->spans[side];
        if (span != FR_NO_COLUMN) {
            if (!fr_diff_find_cell(diff, side, span, rows[side], &cells[side])) {
                return fr_fail_memory(err, "differences");
            }
            has[side] = has_component(diff, side, span, rows[side], &cells[side]);
        }
    }
    if (!has[FR_LEFT] && !has[FR_RIGHT]) {
        return FIRN_OK;
    }
    const fr_entry *entry = name->entries[has[FR_LEFT] ? FR_LEFT : FR_RIGHT];
    fr_diff_name_component(diff, entry->name, entry->name_size);
    diff->at.kind = FIRN_DIFFERENCE_FIELD;
    if (has[FR_LEFT] && has[FR_RIGHT]) {
        return diff_component(diff, pair, cells, err);
    }
    int side = has[FR_LEFT] ? FR_LEFT : FR_RIGHT;
    return tell_component(diff, side, pair->spans[side], &cells[side], err);
}

// ---- entities

// Finds the row of a component by its name; *size is 0 when the entity has none.
static firn_result find_row(fr_diff *diff, int side, uint32_t frame, uint32_t row, uint32_t name,
                            uint32_t *span, fr_diff_cell *cell, firn_error *err)
{
    const fr_diff_image *image = &diff->images[side];
    const fr_frame *columns = &image->image->frames[frame];
    *cell = (fr_diff_cell){NULL, 0};
    for (uint32_t i = 0; i < columns->column_count; i++) {
        *span = columns->first_column + i;
        if (image->names[image->image->spans[*span].entry] == name) {
            return fr_diff_find_cell(diff, side, *span, row, cell)
                       ? FIRN_OK
                       : fr_fail_memory(err, "differences");
        }
    }
    return FIRN_OK;
}

// The string that a component holds, printable; "" when there is none.
static firn_result label_of(fr_diff *diff, int side, uint32_t frame, uint32_t row, uint32_t name,
                            char out[256], firn_error *err)
{
    const fr_image *image = diff->images[side].image;
    uint32_t span;
    fr_diff_cell cell;
    out[0] = 0;
    firn_result result = find_row(diff, side, frame, row, name, &span, &cell, err);
    if (result != FIRN_OK || cell.size == 0 || image->entries[image->spans[span].entry].raw) {
        return result;
    }
    const firn_value *value = tree_of(diff, side, span, &cell, err);
    value = value != NULL ? plain_scalar(image, value) : NULL;
    if (value != NULL && value->kind == FIRN_VALUE_STRING) {
        fr_printable(out, 256, value->as.string, value->length);
    }
    return value != NULL ? FIRN_OK : err->code;
}

// The id that saves know a persisted entity by goes before other keys.
static firn_result label_persisted(fr_diff *diff, int side, uint32_t frame, uint32_t row,
                                   firn_error *err)
{
    const fr_image *image = diff->images[side].image;
    uint32_t span, name = diff->images[side].persist;
    fr_diff_cell cell;
    firn_result result = find_row(diff, side, frame, row, name, &span, &cell, err);
    if (result != FIRN_OK || cell.size == 0 || !image->entries[image->spans[span].entry].raw) {
        return result;
    }
    const fr_schema *schema = &image->entries[image->spans[span].entry].schema;
    for (uint32_t i = 0; i < schema->field_count; i++) {
        const fr_schema_field *field = &schema->fields[i];
        const uint8_t *text = cell.bytes + field->offset;
        if (field->name_size == 2 && memcmp(field->name, "id", 2) == 0 &&
            field->type == FIRN_CHAR && field->count > 0 && *text != 0) {
            fr_printable(diff->key, sizeof diff->key, text, without_zeros(text, field->count));
        }
    }
    return FIRN_OK;
}

static firn_result label_side(fr_diff *diff, int side, uint32_t frame, uint32_t row,
                              firn_error *err)
{
    const fr_diff_image *image = &diff->images[side];
    firn_result result = FIRN_OK;
    if (diff->key[0] == 0) {
        result = label_of(diff, side, frame, row, image->key, diff->key, err);
    }
    if (result == FIRN_OK && diff->title[0] == 0) {
        result = label_of(diff, side, frame, row, image->title, diff->title, err);
    }
    return result == FIRN_OK ? label_persisted(diff, side, frame, row, err) : result;
}

// By what it is called on the left, or else on the right.
static firn_result label_entity(fr_diff *diff, const uint32_t frames[2], const uint32_t rows[2],
                                firn_error *err)
{
    firn_result result = FIRN_OK;
    diff->key[0] = diff->title[0] = 0;
    for (int side = FR_LEFT; result == FIRN_OK && side <= FR_RIGHT; side++) {
        if (rows[side] != FR_NO_ROW) {
            result = label_side(diff, side, frames[side], rows[side], err);
        }
    }
    diff->at.key = diff->key;
    diff->at.name = diff->title;
    return result;
}

static firn_result diff_entity(fr_diff *diff, const fr_diff_entity *entity, firn_error *err)
{
    uint32_t frames[2] = {0, 0}, rows[2] = {FR_NO_ROW, FR_NO_ROW};
    for (int side = FR_LEFT; side <= FR_RIGHT; side++) {
        if (entity->rows[side] != FR_NO_ROW) {
            const fr_diff_image *image = &diff->images[side];
            frames[side] = fr_diff_frame_of(image, entity->rows[side]);
            rows[side] = entity->rows[side] - image->first_rows[frames[side]];
        }
    }
    fr_diff_begin(diff, FIRN_DIFFERENCE_ENTITY, "", 0);
    diff->at.entity = entity->id;
    firn_result result = FIRN_OK;
    if (fr_diff_is_heard(diff)) {
        result = label_entity(diff, frames, rows, err);
    }
    if (result == FIRN_OK && (rows[FR_LEFT] == FR_NO_ROW || rows[FR_RIGHT] == FR_NO_ROW)) {
        return fr_diff_tell_only(diff, rows[FR_LEFT] != FR_NO_ROW ? FR_LEFT : FR_RIGHT, NULL, err);
    }
    if (result == FIRN_OK) {
        result = fr_diff_pair_frames(diff, frames[FR_LEFT], frames[FR_RIGHT], err);
    }
    uint64_t told = diff->summary.differences;
    for (uint32_t i = 0; result == FIRN_OK && i < diff->pair_count; i++) {
        result = diff_pair(diff, &diff->pairs[i], rows, err);
        firn_doc_clear(diff->doc);
    }
    diff->summary.changed_entities += told != diff->summary.differences;
    return result;
}

firn_result fr_diff_entities(fr_diff *diff, firn_error *err)
{
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < diff->entity_count; i++) {
        result = diff_entity(diff, diff->sorted[i], err);
    }
    return result;
}
