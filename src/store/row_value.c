// Rows of structs as tables by field name, both ways.
#include "store/schema.h"

#include "base/utf8.h"
#include "store/leaves.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------- writing

static void write_element(firn_type type, const uint8_t *element, firn_writer *out)
{
    switch (fr_type_plain(type)) {
    case FIRN_BOOL:
        firn_write_bool(out, element[0] != 0);
        break;
    case FIRN_I64: {
        int64_t value;
        memcpy(&value, element, sizeof value);
        firn_write_int64(out, value);
        break;
    }
    case FIRN_U64: {
        uint64_t value;
        memcpy(&value, element, sizeof value);
        firn_write_uint64(out, value);
        break;
    }
    default: {
        double value;
        fr_convert(type, element, FIRN_F64, &value);
        firn_write_number(out, value);
        break;
    }
    }
}

void fr_field_write(firn_type type, uint32_t count, const uint8_t *wire, firn_writer *out)
{
    uint32_t size = fr_type_size(type);
    uint32_t elements = 1;
    if (count > 0) {
        firn_write_table(out, count, 0);
        elements = count;
    }
    for (uint32_t i = 0; i < elements; i++) {
        uint8_t element[8];
        fr_wire_copy(element, wire + (size_t)i * size, size);
        write_element(type, element, out);
    }
}

// ---------------------------------------------------------------- reading

#define ROW_PATH_BYTES 256 // no field name is longer than 255 bytes

// A table that is being read into a row.
typedef struct row_reading {
    const fr_layout *layout;
    firn_reader *in;
    uint8_t *row;
    uint64_t *changed; // may be NULL
    uint64_t *removed; // may be NULL
    bool former;       // takes former names, not current ones
    char path[ROW_PATH_BYTES];
} row_reading;

static const char *value_kind_text(firn_value_kind kind)
{
    switch (kind) {
    case FIRN_VALUE_NIL:
        return "nil";
    case FIRN_VALUE_BOOL:
        return "a boolean";
    case FIRN_VALUE_NUMBER:
        return "a number";
    case FIRN_VALUE_INT64:
    case FIRN_VALUE_UINT64:
        return "a 64-bit integer";
    case FIRN_VALUE_COMPLEX:
        return "a complex number";
    case FIRN_VALUE_STRING:
        return "a string";
    case FIRN_VALUE_TABLE:
        break;
    }
    return "a table";
}

// Refuses the value that comes next.
static void refuse_field(firn_reader *in, const char *name, size_t size, const char *wanted)
{
    char shown[ROW_PATH_BYTES];
    char reason[ROW_PATH_BYTES + 128];
    snprintf(reason, sizeof reason, "the field \"%s\" is %s, not %s",
             fr_printable(shown, sizeof shown, name, size), value_kind_text(firn_read_kind(in)),
             wanted);
    firn_reader_refuse(in, reason);
}

static void count_changed(row_reading *reading, uint32_t leaf, bool changed)
{
    if (changed && reading->changed != NULL) {
        reading->changed[leaf]++;
    }
}

static void skip_removed(row_reading *reading)
{
    // What is no field in one pass is none in the other: it is counted in that of current names.
    if (!reading->former && reading->removed != NULL) {
        (*reading->removed)++;
    }
    firn_read_skip(reading->in);
}

// Reads one number, bool or nil into element `index` of a leaf.
static void read_element(row_reading *reading, uint32_t leaf_index, uint32_t index)
{
    const fr_leaf *leaf = &reading->layout->leaves[leaf_index];
    firn_reader *in = reading->in;
    uint8_t *target = reading->row + leaf->memory_offset + (size_t)index * fr_type_size(leaf->type);
    bool changed = false;
    // What is read as 0 because the reader failed must not reach the row.
    switch (firn_read_kind(in)) {
    case FIRN_VALUE_NIL:
        firn_read_nil(in);
        break;
    case FIRN_VALUE_BOOL: {
        uint8_t value = firn_read_bool(in);
        changed = !firn_reader_failed(in) && fr_convert(FIRN_BOOL, &value, leaf->type, target);
        break;
    }
    case FIRN_VALUE_NUMBER: {
        double value = firn_read_number(in);
        changed = !firn_reader_failed(in) && fr_convert(FIRN_F64, &value, leaf->type, target);
        break;
    }
    case FIRN_VALUE_INT64: {
        int64_t value = firn_read_int64(in);
        changed = !firn_reader_failed(in) && fr_convert(FIRN_I64, &value, leaf->type, target);
        break;
    }
    case FIRN_VALUE_UINT64: {
        uint64_t value = firn_read_uint64(in);
        changed = !firn_reader_failed(in) && fr_convert(FIRN_U64, &value, leaf->type, target);
        break;
    }
    case FIRN_VALUE_COMPLEX:
    case FIRN_VALUE_STRING:
    case FIRN_VALUE_TABLE:
        refuse_field(in, leaf->name, leaf->name_size, "a number");
        break;
    }
    count_changed(reading, leaf_index, changed);
}

// Text into a CHAR array: cut, or filled up with zeros.
static void read_chars(row_reading *reading, uint32_t leaf_index)
{
    const fr_leaf *leaf = &reading->layout->leaves[leaf_index];
    size_t size;
    const char *text = firn_read_string(reading->in, &size);
    if (text == NULL) {
        return;
    }
    uint8_t *target = reading->row + leaf->memory_offset;
    size_t kept = size < leaf->count ? size : leaf->count;
    memcpy(target, text, kept);
    memset(target + kept, 0, leaf->count - kept);
    count_changed(reading, leaf_index, kept < size);
}

// Reads a key: a whole number that may be an index, or -1 for any other key.
static int64_t read_index(firn_reader *in)
{
    if (firn_read_kind(in) != FIRN_VALUE_NUMBER) {
        firn_read_skip(in);
        return -1;
    }
    double key = firn_read_number(in);
    bool whole = key >= 0 && key <= UINT32_MAX && (double)(int64_t)key == key;
    return whole ? (int64_t)key : -1;
}

// A reader at the same place. Levels that are not open are not copied: they are most of it.
static void look_ahead(const firn_reader *in, firn_reader *ahead)
{
    memcpy(ahead, in, offsetof(firn_reader, outer) + in->depth * sizeof *in->outer);
}

// Whether the table whose head was read has something at the key 0.
static bool has_key_zero(const firn_reader *in, const firn_table_head *head)
{
    firn_reader ahead;
    look_ahead(in, &ahead);
    for (uint32_t i = 0; i < head->array_count && !firn_reader_failed(&ahead); i++) {
        firn_read_skip(&ahead);
    }
    for (uint32_t i = 0; i < head->map_count && !firn_reader_failed(&ahead); i++) {
        if (read_index(&ahead) == 0 && firn_read_kind(&ahead) != FIRN_VALUE_NIL) {
            return true;
        }
        firn_read_skip(&ahead);
    }
    return false;
}

// The index of the first element of an array in Lua, whose head was read: 0 when there is one, else
// 1.
static uint32_t array_base(firn_reader *in, const firn_table_head *head)
{
    if (head->array_first == 0 && head->array_count > 0) {
        return firn_read_kind(in) == FIRN_VALUE_NIL ? 1 : 0;
    }
    return head->map_count > 0 && has_key_zero(in, head) ? 0 : 1;
}

static void read_array_element(row_reading *reading, uint32_t leaf_index, int64_t index)
{
    const fr_leaf *leaf = &reading->layout->leaves[leaf_index];
    if (index >= 0 && index < (leaf->count == 0 ? 1 : leaf->count)) {
        read_element(reading, leaf_index, (uint32_t)index);
    } else {
        firn_read_skip(reading->in);
    }
}

static void read_array(row_reading *reading, uint32_t leaf_index)
{
    firn_reader *in = reading->in;
    firn_table_head head = firn_read_table(in);
    int64_t base = array_base(in, &head);
    for (uint32_t i = 0; i < head.array_count && !firn_reader_failed(in); i++) {
        read_array_element(reading, leaf_index, (int64_t)head.array_first + i - base);
    }
    for (uint32_t i = 0; i < head.map_count && !firn_reader_failed(in); i++) {
        read_array_element(reading, leaf_index, read_index(in) - base);
    }
}

static void read_leaf(row_reading *reading, uint32_t leaf_index)
{
    const fr_leaf *leaf = &reading->layout->leaves[leaf_index];
    firn_value_kind kind = firn_read_kind(reading->in);
    if (leaf->type == FIRN_POINTER) {
        skip_removed(reading);
    } else if (kind == FIRN_VALUE_TABLE) {
        read_array(reading, leaf_index);
    } else if (kind == FIRN_VALUE_STRING && leaf->type == FIRN_CHAR && leaf->count > 0) {
        read_chars(reading, leaf_index);
    } else {
        read_element(reading, leaf_index, 0);
    }
}

static void read_fields(row_reading *reading, size_t path_size, uint32_t depth);

// Reads the value of the field, or of the struct of fields, whose name is the path.
static void read_named(row_reading *reading, size_t path_size, uint32_t depth)
{
    const fr_field_names *names = &reading->layout->names;
    const fr_field_name *name = fr_field_names_find(names, reading->path, path_size);
    if (name != NULL) {
        if (name->former == reading->former) {
            read_leaf(reading, name->field);
        } else {
            firn_read_skip(reading->in);
        }
        return;
    }
    firn_value_kind kind = firn_read_kind(reading->in);
    bool outer = fr_field_names_continue(names, reading->path, path_size, '.') ||
                 fr_field_names_continue(names, reading->path, path_size, '[');
    if (!outer || depth > FR_NESTING_MAX || kind == FIRN_VALUE_NIL) {
        skip_removed(reading);
    } else if (kind == FIRN_VALUE_TABLE) {
        read_fields(reading, path_size, depth + 1);
    } else {
        refuse_field(reading->in, reading->path, path_size, "a table");
    }
}

// Appends a key to the path and returns the new size; 0 when no field name is that long.
static size_t path_append(row_reading *reading, size_t path_size, const char *key, size_t size)
{
    size_t dot = path_size > 0 ? 1 : 0;
    if (size == 0 || size + dot > sizeof reading->path - path_size) {
        return 0;
    }
    reading->path[path_size] = '.';
    memcpy(reading->path + path_size + dot, key, size);
    return path_size + dot + size;
}

static size_t path_append_index(row_reading *reading, size_t path_size, int64_t index)
{
    char element[24];
    int size = snprintf(element, sizeof element, "[%" PRId64 "]", index);
    if (index < 0 || (size_t)size > sizeof reading->path - path_size) {
        return 0;
    }
    memcpy(reading->path + path_size, element, (size_t)size);
    return path_size + (size_t)size;
}

static void read_at_path(row_reading *reading, size_t path_size, uint32_t depth)
{
    if (path_size == 0) {
        skip_removed(reading);
    } else {
        read_named(reading, path_size, depth);
    }
}

// Reads a table of fields whose names begin with the path.
static void read_fields(row_reading *reading, size_t path_size, uint32_t depth)
{
    firn_reader *in = reading->in;
    firn_table_head head = firn_read_table(in);
    int64_t base = array_base(in, &head);
    for (uint32_t i = 0; i < head.array_count && !firn_reader_failed(in); i++) {
        int64_t index = (int64_t)head.array_first + i - base;
        read_at_path(reading, path_append_index(reading, path_size, index), depth);
    }
    for (uint32_t i = 0; i < head.map_count && !firn_reader_failed(in); i++) {
        size_t size;
        if (firn_read_kind(in) == FIRN_VALUE_STRING) {
            const char *key = firn_read_string(in, &size);
            size = key == NULL ? 0 : path_append(reading, path_size, key, size);
        } else {
            size = path_append_index(reading, path_size, read_index(in) - base);
        }
        read_at_path(reading, size, depth);
    }
}

void fr_layout_read_row(const fr_layout *layout, firn_reader *in, void *row, uint64_t *changed,
                        uint64_t *removed)
{
    if (!firn_reader_failed(in) && firn_read_kind(in) != FIRN_VALUE_TABLE) {
        char reason[128];
        snprintf(reason, sizeof reason, "the row is %s, not a table by field name",
                 value_kind_text(firn_read_kind(in)));
        firn_reader_refuse(in, reason);
        return;
    }
    row_reading reading = {.layout = layout, .row = row, .changed = changed, .removed = removed};
    // Where a table has both, a field's own name is stronger than a former one: it is read last.
    firn_reader ahead;
    if (layout->names.count > layout->leaf_count) {
        look_ahead(in, &ahead);
        reading.in = &ahead;
        reading.former = true;
        read_fields(&reading, 0, 0);
        if (firn_reader_failed(&ahead)) {
            look_ahead(&ahead, in);
            return;
        }
    }
    reading.in = in;
    reading.former = false;
    read_fields(&reading, 0, 0);
}
