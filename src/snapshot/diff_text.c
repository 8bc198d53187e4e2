// Differences as lines of text.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "buffer/bytes.h"
#include "snapshot/diff.h"
#include "snapshot/diff_tell.h"
#include "value/number.h"

// A value takes at most about this much of a line; of a long string as much as this is shown.
#define VALUE_TEXT_BYTES  160
#define STRING_TEXT_BYTES 80

// A line that is being written. The first failure stays.
typedef struct text_line {
    const fr_side_names *names;
    firn_buffer *out;
    firn_error *err;
    firn_result result;
} text_line;

static void line_bytes(text_line *to, const void *bytes, size_t size)
{
    if (to->result == FIRN_OK) {
        to->result = firn_buffer_append(to->out, bytes, size, to->err);
    }
}

static void line_text(text_line *to, const char *text)
{
    line_bytes(to, text, strlen(text));
}

static void line_id(text_line *to, firn_entity entity)
{
    char text[FR_NUMBER_TEXT_BYTES];
    line_bytes(to, text, (size_t)(fr_text_put_uint64(text, entity) - text));
}

// ---- numbers

static void line_double(text_line *to, double value, firn_type type)
{
    char text[FR_NUMBER_TEXT_BYTES];
    uint64_t bits = fr_bits_f64(value), infinity = UINT64_C(0x7ff0000000000000);
    if ((bits & infinity) != infinity) {
        char *end = type == FIRN_F32 ? fr_text_put_float(text, (float)value)
                                     : fr_text_put_double(text, value);
        line_bytes(to, text, (size_t)(end - text));
        return;
    }
    if ((bits & ~infinity & (UINT64_MAX >> 1)) == 0) {
        line_text(to, bits >> 63 ? "-inf" : "inf");
        return;
    }
    line_text(to, "nan");
    if (bits != FR_NAN_BITS) { // as what is saved has it, which tells one from the other
        if (type == FIRN_F32) {
            uint32_t narrow = (uint32_t)(bits >> 32 & UINT32_C(0x80000000)) | UINT32_C(0x7f800000) |
                              (uint32_t)(bits >> 29 & 0x7fffff);
            snprintf(text, sizeof text, "(0x%08" PRIx32 ")", narrow);
        } else {
            snprintf(text, sizeof text, "(0x%016" PRIx64 ")", bits);
        }
        line_text(to, text);
    }
}

// ---- strings

// The bytes from `first` on, as far as they have room.
static void line_string(text_line *to, const firn_value *value, uint32_t first)
{
    char text[STRING_TEXT_BYTES];
    fr_printable(text, sizeof text, value->as.string + first, value->length - first);
    line_text(to, first > 0 ? "\"..." : "\"");
    line_text(to, text);
    line_text(to, "\"");
}

// Of two long strings that begin alike, where to begin so that it shows what differs.
static uint32_t first_to_show(const firn_value *left, const firn_value *right)
{
    enum { LEAST = STRING_TEXT_BYTES / 4 };
    if (left == NULL || right == NULL || left->kind != FIRN_VALUE_STRING ||
        right->kind != FIRN_VALUE_STRING) {
        return 0;
    }
    uint32_t shorter = left->length < right->length ? left->length : right->length, same = 0;
    while (same < shorter && left->as.string[same] == right->as.string[same]) {
        same++;
    }
    return same > LEAST ? same - LEAST / 2 : 0;
}

// ---- values

static void line_value(text_line *to, const firn_value *value, firn_type type, uint32_t depth,
                       size_t end);

static bool is_cut(text_line *to, size_t end)
{
    if (to->out->size < end) {
        return false;
    }
    line_text(to, "...");
    return true;
}

static void line_table(text_line *to, const firn_value *table, uint32_t depth, size_t end)
{
    uint32_t cursor = 0, count = firn_table_array_count(table);
    firn_value key;
    const firn_value *item;
    bool first = true;
    line_text(to, "{");
    while ((item = firn_table_next(table, &cursor, &key)) != NULL && to->result == FIRN_OK) {
        line_text(to, first ? "" : ", ");
        first = false;
        if (is_cut(to, end)) {
            break;
        }
        if (cursor > count) {
            char text[FR_NUMBER_TEXT_BYTES + 128];
            fr_path path;
            fr_path_begin(&path, text, sizeof text);
            fr_path_key(&path, &key);
            line_text(to, text + (text[0] == '.'));
            line_text(to, " = ");
        }
        line_value(to, item, FIRN_TYPE_NONE, depth, end);
    }
    line_text(to, "}");
}

static void line_value(text_line *to, const firn_value *value, firn_type type, uint32_t depth,
                       size_t end)
{
    char text[FR_NUMBER_TEXT_BYTES];
    switch (value->kind) {
    case FIRN_VALUE_NIL:
        line_text(to, "nil");
        break;
    case FIRN_VALUE_BOOL:
        line_text(to, value->as.boolean ? "true" : "false");
        break;
    case FIRN_VALUE_NUMBER:
        line_double(to, value->as.number, type);
        break;
    case FIRN_VALUE_INT64:
        line_bytes(to, text, (size_t)(fr_text_put_int64(text, value->as.int64) - text));
        break;
    case FIRN_VALUE_UINT64:
        line_bytes(to, text, (size_t)(fr_text_put_uint64(text, value->as.uint64) - text));
        break;
    case FIRN_VALUE_COMPLEX:
        line_text(to, "complex(");
        line_double(to, value->as.complex[0], FIRN_TYPE_NONE);
        line_text(to, ", ");
        line_double(to, value->as.complex[1], FIRN_TYPE_NONE);
        line_text(to, ")");
        break;
    case FIRN_VALUE_STRING:
        line_string(to, value, 0);
        break;
    case FIRN_VALUE_TABLE:
        if (depth == FIRN_DEPTH_MAX) {
            line_text(to, "{...}");
        } else {
            line_table(to, value, depth + 1, end);
        }
        break;
    }
}

static void line_side(text_line *to, const firn_value *value, const firn_value *other,
                      firn_type type)
{
    uint32_t first = first_to_show(value, other);
    if (value == NULL) {
        line_text(to, "nil");
    } else if (first > 0) {
        line_string(to, value, first);
    } else {
        line_value(to, value, type, 0, to->out->size + VALUE_TEXT_BYTES);
    }
}

static void line_change(text_line *to, const firn_difference *difference)
{
    line_text(to, " ");
    line_side(to, difference->left, difference->right, difference->type);
    line_text(to, " -> ");
    line_side(to, difference->right, difference->left, difference->type);
}

// ---- differences

static void line_only(text_line *to, const firn_difference *difference)
{
    line_text(to, " only ");
    line_text(to, difference->in_left ? to->names->left : to->names->right);
}

static void line_entity(text_line *to, const firn_difference *difference)
{
    bool has_key = difference->key[0] != 0;
    line_text(to, "entity");
    if (difference->entity != 0) {
        line_text(to, " ");
        line_id(to, difference->entity);
    }
    if (has_key || difference->name[0] != 0) {
        line_text(to, has_key ? " (key \"" : " (name \"");
        line_text(to, has_key ? difference->key : difference->name);
        line_text(to, "\")");
    }
    line_text(to, ":");
}

// `Position.x`, `Bag[2]`, `Score`.
static void line_place(text_line *to, const firn_difference *difference)
{
    const char *path = difference->path;
    line_text(to, " ");
    line_text(to, difference->component);
    line_text(to, path[0] != 0 && path[0] != '[' ? "." : "");
    line_text(to, path);
}

static void line_data(text_line *to, const firn_difference *difference)
{
    static const char *const names[][2] = {{"__tecs.stateStack", "states"},
                                           {"__tecs.pipeline", "phases"},
                                           {"tecs.random", "random"},
                                           {"", "variables"}};
    const char *name = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        name = strcmp(difference->component, names[i][0]) == 0 ? names[i][1] : name;
    }
    line_text(to, name != NULL ? name : "data \"");
    line_text(to, name != NULL ? "" : difference->component);
    line_text(to, name != NULL ? ":" : "\":");
    if (difference->path[0] != 0) {
        line_text(to, " ");
        line_text(to, difference->path);
    }
}

static void line_order(text_line *to, const firn_difference *difference)
{
    line_text(to, "order:");
    if (difference->component[0] != 0) {
        line_text(to, " the sources of ");
        line_text(to, difference->component);
        line_text(to, " -> ");
        line_id(to, difference->entity);
        return;
    }
    line_text(to, " the entities of {");
    line_text(to, difference->path);
    line_text(to, "}, first ");
    line_id(to, difference->entity);
}

static void line_difference(text_line *to, const firn_difference *difference)
{
    switch (difference->kind) {
    case FIRN_DIFFERENCE_HEADER:
        line_text(to, "header: ");
        line_text(to, difference->path);
        line_change(to, difference);
        break;
    case FIRN_DIFFERENCE_SCHEMA:
        line_text(to, "fields:");
        line_place(to, difference);
        line_change(to, difference);
        break;
    case FIRN_DIFFERENCE_ORDER:
        line_order(to, difference);
        break;
    case FIRN_DIFFERENCE_ENTITY:
        line_entity(to, difference);
        line_only(to, difference);
        break;
    case FIRN_DIFFERENCE_COMPONENT:
        line_entity(to, difference);
        line_place(to, difference);
        line_only(to, difference);
        break;
    case FIRN_DIFFERENCE_FIELD:
        line_entity(to, difference);
        line_place(to, difference);
        line_change(to, difference);
        break;
    case FIRN_DIFFERENCE_DATA:
        line_data(to, difference);
        line_change(to, difference);
        break;
    }
}

static firn_result end_text(const text_line *to, size_t start)
{
    if (to->result != FIRN_OK) {
        to->out->size = start;
    }
    return to->result;
}

firn_result fr_difference_text(const firn_difference *difference, const fr_side_names *names,
                               firn_buffer *out, firn_error *err)
{
    text_line to = {names, out, err, FIRN_OK};
    size_t start = out->size;
    line_difference(&to, difference);
    return end_text(&to, start);
}

firn_result fr_entity_text(const firn_difference *difference, const char *words, firn_buffer *out,
                           firn_error *err)
{
    text_line to = {NULL, out, err, FIRN_OK};
    size_t start = out->size;
    line_entity(&to, difference);
    line_text(&to, " ");
    line_text(&to, words);
    return end_text(&to, start);
}

firn_result firn_difference_text(const firn_difference *difference, firn_buffer *out,
                                 firn_error *err)
{
    static const fr_side_names names = {"left", "right"};
    if (difference == NULL || out == NULL) {
        const char *what = difference == NULL ? "difference" : "out";
        return fr_fail(err, FIRN_INVALID, what, "%s is NULL", what);
    }
    return fr_difference_text(difference, &names, out, err);
}

static firn_result add_line(void *out, const firn_difference *difference, firn_error *err)
{
    firn_result result = firn_difference_text(difference, out, err);
    return result == FIRN_OK ? firn_buffer_append(out, "\n", 1, err) : result;
}

firn_result firn_diff_text(const firn_diff_side *left, const firn_diff_side *right,
                           const firn_diff_options *options, firn_buffer *out,
                           firn_diff_summary *summary, firn_error *err)
{
    if (out == NULL) {
        return fr_fail(err, FIRN_INVALID, "out", "out is NULL");
    }
    size_t start = out->size;
    firn_diff_summary counts;
    firn_result result = firn_diff(left, right, options, add_line, out, &counts, err);
    if (result == FIRN_OK && counts.listed < counts.differences) {
        char text[64];
        int size = snprintf(text, sizeof text, "and %" PRIu64 " more\n",
                            counts.differences - counts.listed);
        result = firn_buffer_append(out, text, (size_t)size, err);
    }
    if (result != FIRN_OK) {
        out->size = start;
    } else if (summary != NULL) {
        *summary = counts;
    }
    return result;
}
