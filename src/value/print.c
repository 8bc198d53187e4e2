#include "value/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "buffer/bytes.h"
#include "value/number.h"
#include "value/path.h"

// In brief a value takes at most about this much, and of a long string as much as this is shown.
#define BRIEF_VALUE_BYTES  160
#define BRIEF_STRING_BYTES 79

void fr_print_bytes(fr_print *to, const void *bytes, size_t size)
{
    if (to->result == FIRN_OK) {
        to->result = firn_buffer_append(to->out, bytes, size, to->err);
    }
}

void fr_print_text(fr_print *to, const char *text)
{
    fr_print_bytes(to, text, strlen(text));
}

void fr_print_id(fr_print *to, firn_entity entity)
{
    char text[FR_NUMBER_TEXT_BYTES];
    fr_print_bytes(to, text, (size_t)(fr_text_put_uint64(text, entity) - text));
}

// ---- numbers

// As what is saved has it, which tells one from the other.
static void print_nan(fr_print *to, uint64_t bits)
{
    char text[FR_NUMBER_TEXT_BYTES];
    fr_print_text(to, "nan");
    if (bits == FR_NAN_BITS) {
        return;
    }
    if (to->floats) {
        uint32_t narrow = (uint32_t)(bits >> 32 & UINT32_C(0x80000000)) | UINT32_C(0x7f800000) |
                          (uint32_t)(bits >> 29 & 0x7fffff);
        snprintf(text, sizeof text, "(0x%08" PRIx32 ")", narrow);
    } else {
        snprintf(text, sizeof text, "(0x%016" PRIx64 ")", bits);
    }
    fr_print_text(to, text);
}

static void print_double(fr_print *to, double value)
{
    char text[FR_NUMBER_TEXT_BYTES];
    uint64_t bits = fr_bits_f64(value), infinity = UINT64_C(0x7ff0000000000000);
    if ((bits & infinity) != infinity) {
        char *end =
            to->floats ? fr_text_put_float(text, (float)value) : fr_text_put_double(text, value);
        fr_print_bytes(to, text, (size_t)(end - text));
    } else if ((bits & ~infinity & (UINT64_MAX >> 1)) == 0) {
        fr_print_text(to, bits >> 63 ? "-inf" : "inf");
    } else {
        print_nan(to, bits);
    }
}

// ---- strings

// What is not printable becomes \xNN. most 0: all of it; else what is longer ends in "...".
static void print_characters(fr_print *to, const uint8_t *bytes, size_t size, size_t most)
{
    size_t start = to->out->size, cut = start;
    for (size_t at = 0; at < size && to->result == FIRN_OK;) {
        char piece[4];
        size_t shown;
        if (bytes[at] == '"' || bytes[at] == '\\') {
            fr_print_bytes(to, "\\", 1);
        }
        at += fr_show_character(piece, &shown, bytes + at, size - at);
        fr_print_bytes(to, piece, shown);
        if (most == 0 || to->result != FIRN_OK) {
            continue;
        }
        if (to->out->size - start > most) {
            to->out->size = cut;
            fr_print_text(to, "...");
            break;
        }
        if (to->out->size - start + 3 <= most) {
            cut = to->out->size;
        }
    }
}

void fr_print_string(fr_print *to, const firn_value *value, uint32_t first)
{
    fr_print_text(to, first > 0 ? "\"..." : "\"");
    print_characters(to, (const uint8_t *)value->as.string + first, value->length - first,
                     to->brief ? BRIEF_STRING_BYTES : 0);
    fr_print_text(to, "\"");
}

// ---- tables

static void print_tree(fr_print *to, const firn_value *value, uint32_t depth, size_t end);

static void print_key(fr_print *to, const firn_value *key)
{
    if (key->kind == FIRN_VALUE_STRING && fr_is_identifier(key->as.string, key->length)) {
        fr_print_bytes(to, key->as.string, key->length);
    } else {
        fr_print_text(to, "[");
        print_tree(to, key, FIRN_DEPTH_MAX, SIZE_MAX);
        fr_print_text(to, "]");
    }
    fr_print_text(to, " = ");
}

static void print_table(fr_print *to, const firn_value *table, uint32_t depth, size_t end)
{
    uint32_t cursor = 0, count = firn_table_array_count(table);
    firn_value key;
    const firn_value *item;
    const char *between = "";
    fr_print_text(to, "{");
    while ((item = firn_table_next(table, &cursor, &key)) != NULL && to->result == FIRN_OK) {
        fr_print_text(to, between);
        between = ", ";
        if (to->out->size >= end) {
            fr_print_text(to, "...");
            break;
        }
        if (cursor > count) {
            print_key(to, &key);
        }
        print_tree(to, item, depth, end);
    }
    fr_print_text(to, "}");
}

static void print_tree(fr_print *to, const firn_value *value, uint32_t depth, size_t end)
{
    char text[FR_NUMBER_TEXT_BYTES];
    switch (value->kind) {
    case FIRN_VALUE_NIL:
        fr_print_text(to, "nil");
        break;
    case FIRN_VALUE_BOOL:
        fr_print_text(to, value->as.boolean ? "true" : "false");
        break;
    case FIRN_VALUE_NUMBER:
        print_double(to, value->as.number);
        break;
    case FIRN_VALUE_INT64:
        fr_print_bytes(to, text, (size_t)(fr_text_put_int64(text, value->as.int64) - text));
        break;
    case FIRN_VALUE_UINT64:
        fr_print_bytes(to, text, (size_t)(fr_text_put_uint64(text, value->as.uint64) - text));
        break;
    case FIRN_VALUE_COMPLEX:
        fr_print_text(to, "complex(");
        print_double(to, value->as.complex[0]);
        fr_print_text(to, ", ");
        print_double(to, value->as.complex[1]);
        fr_print_text(to, ")");
        break;
    case FIRN_VALUE_STRING:
        fr_print_string(to, value, 0);
        break;
    case FIRN_VALUE_TABLE:
        if (depth == FIRN_DEPTH_MAX) {
            fr_print_text(to, "{...}");
        } else {
            print_table(to, value, depth + 1, end);
        }
        break;
    }
}

void fr_print_value(fr_print *to, const firn_value *value)
{
    print_tree(to, value, 0, to->brief ? to->out->size + BRIEF_VALUE_BYTES : SIZE_MAX);
}

firn_result firn_value_print(const firn_value *value, const firn_print_options *options,
                             firn_buffer *out, firn_error *err)
{
    static const firn_print_options defaults = {0};
    if (value == NULL || out == NULL) {
        const char *what = value == NULL ? "value" : "out";
        return fr_fail(err, FIRN_INVALID, what, "%s is NULL", what);
    }
    options = options != NULL ? options : &defaults;
    firn_result result = fr_check_reserved(options->reserved, "firn_print_options.reserved", err);
    if (result != FIRN_OK) {
        return result;
    }
    size_t start = out->size;
    fr_print to = {out, err, FIRN_OK, options->floats, options->brief};
    fr_print_value(&to, value);
    if (to.result != FIRN_OK) {
        out->size = start;
    }
    return to.result;
}
