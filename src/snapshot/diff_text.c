// Differences as lines of text.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "snapshot/diff.h"
#include "snapshot/diff_tell.h"
#include "value/print.h"

// A line that is being written.
typedef struct text_line {
    const fr_side_names *names;
    fr_print print;
} text_line;

static void line_text(text_line *to, const char *text)
{
    fr_print_text(&to->print, text);
}

// A name between quotes; a quote in it does not look like the end.
static void line_quoted(text_line *to, const char *name)
{
    line_text(to, "\"");
    for (; *name != 0; name++) {
        const char character[] = {*name, 0};
        line_text(to, *name == '"' ? "\\\"" : character);
    }
    line_text(to, "\"");
}

// ---- values

// Of two long strings that begin alike, where to begin so that it shows what differs.
static uint32_t first_to_show(const firn_value *left, const firn_value *right)
{
    enum { LEAST = 20 };
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

static void line_side(text_line *to, const firn_value *value, const firn_value *other,
                      firn_type type)
{
    uint32_t first = first_to_show(value, other);
    if (value == NULL) {
        line_text(to, "nil");
    } else if (first > 0) {
        fr_print_string(&to->print, value, first);
    } else {
        to->print.floats = type == FIRN_F32;
        fr_print_value(&to->print, value);
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
        fr_print_id(&to->print, difference->entity);
    }
    if (has_key || difference->name[0] != 0) {
        line_text(to, has_key ? " (key " : " (name ");
        line_quoted(to, has_key ? difference->key : difference->name);
        line_text(to, ")");
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
    line_text(to, name != NULL ? name : "data ");
    if (name == NULL) {
        line_quoted(to, difference->component);
    }
    line_text(to, ":");
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
        fr_print_id(&to->print, difference->entity);
        return;
    }
    line_text(to, " the entities of {");
    line_text(to, difference->path);
    line_text(to, "}, first ");
    fr_print_id(&to->print, difference->entity);
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

static text_line begin_text_line(const fr_side_names *names, firn_buffer *out, firn_error *err)
{
    return (text_line){names, {.out = out, .err = err, .result = FIRN_OK, .brief = true}};
}

static firn_result end_text_line(const text_line *to, size_t start)
{
    if (to->print.result != FIRN_OK) {
        to->print.out->size = start;
    }
    return to->print.result;
}

firn_result fr_difference_text(const firn_difference *difference, const fr_side_names *names,
                               firn_buffer *out, firn_error *err)
{
    text_line to = begin_text_line(names, out, err);
    size_t start = out->size;
    line_difference(&to, difference);
    return end_text_line(&to, start);
}

firn_result fr_entity_text(const firn_difference *difference, const char *words, firn_buffer *out,
                           firn_error *err)
{
    text_line to = begin_text_line(NULL, out, err);
    size_t start = out->size;
    line_entity(&to, difference);
    line_text(&to, " ");
    line_text(&to, words);
    return end_text_line(&to, start);
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
