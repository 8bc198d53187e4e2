#include "support/tree.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

// ---- from text

typedef struct reading_tree {
    firn_doc *doc;
    const char *text;
    const char *at;
} reading_tree;

static void skip_blanks(reading_tree *in)
{
    while (isspace((unsigned char)*in->at))
        in->at++;
}

static void refuse_text(const reading_tree *in)
{
    fail_msg("no tree at \"%s\" in \"%s\"", in->at, in->text);
}

static bool takes(reading_tree *in, const char *word)
{
    skip_blanks(in);
    size_t size = strlen(word);
    if (strncmp(in->at, word, size) != 0)
        return false;
    if (isalpha((unsigned char)word[0]) && isalnum((unsigned char)in->at[size]))
        return false;
    in->at += size;
    return true;
}

static firn_value *made_value(firn_value *value)
{
    assert_non_null(value);
    return value;
}

static firn_value *read_digits(reading_tree *in)
{
    char *end, *end_of_integer;
    double number = strtod(in->at, &end);
    if (end == in->at)
        refuse_text(in);
    uint64_t integer = strtoull(in->at, &end_of_integer, 10);
    int64_t sign = strtoll(in->at, NULL, 10);
    in->at = end;
    if (end == end_of_integer && takes(in, "ULL"))
        return made_value(firn_value_uint64(in->doc, integer, NULL));
    if (end == end_of_integer && takes(in, "LL"))
        return made_value(firn_value_int64(in->doc, sign, NULL));
    return made_value(firn_value_number(in->doc, number, NULL));
}

static firn_value *read_tree(reading_tree *in);

// One item of a table: `value`, `name = value` or `[key] = value`.
static void read_item(reading_tree *in, firn_value *table, double *next)
{
    firn_value *key = NULL;
    const char *before = in->at;
    skip_blanks(in);
    if (takes(in, "[")) {
        key = read_tree(in);
        if (!takes(in, "]"))
            refuse_text(in);
    } else if (isalpha((unsigned char)*in->at) || *in->at == '_') {
        const char *name = in->at;
        while (isalnum((unsigned char)*in->at) || *in->at == '_')
            in->at++;
        key = made_value(firn_value_string(in->doc, name, (size_t)(in->at - name), NULL));
    }
    if (key != NULL && !takes(in, "=")) {
        key = NULL; // true, false or nil
        in->at = before;
    }
    firn_value *item = read_tree(in);
    if (key == NULL)
        key = made_value(firn_value_number(in->doc, (*next)++, NULL));
    assert_ok(firn_table_set(in->doc, table, key, item, NULL), NULL);
}

static firn_value *read_items(reading_tree *in)
{
    firn_value *table = made_value(firn_value_table(in->doc, NULL));
    double next = 1;
    while (!takes(in, "}")) {
        read_item(in, table, &next);
        skip_blanks(in);
        if (!takes(in, ",") && *in->at != '}')
            refuse_text(in);
    }
    return table;
}

static firn_value *read_tree(reading_tree *in)
{
    if (takes(in, "{"))
        return read_items(in);
    if (takes(in, "true") || takes(in, "false"))
        return made_value(firn_value_bool(in->doc, in->at[-2] == 'u', NULL));
    if (takes(in, "nil"))
        return made_value(firn_value_nil(in->doc, NULL));
    if (!takes(in, "\""))
        return read_digits(in);
    const char *end = strchr(in->at, '"');
    if (end == NULL)
        refuse_text(in);
    firn_value *text = made_value(firn_value_string(in->doc, in->at, (size_t)(end - in->at), NULL));
    in->at = end + 1;
    return text;
}

firn_value *test_tree(firn_doc *doc, const char *text)
{
    reading_tree in = {doc, text, text};
    firn_value *tree = read_tree(&in);
    skip_blanks(&in);
    if (*in.at != 0)
        refuse_text(&in);
    return tree;
}

// ---- to text

static void print_text(firn_buffer *out, const char *format, ...)
{
    char text[128];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    assert_ok(firn_buffer_append(out, text, (size_t)size, NULL), NULL);
}

static void print_string(firn_buffer *out, const firn_value *value)
{
    print_text(out, "\"");
    for (uint32_t i = 0; i < value->length; i++) {
        unsigned char byte = (unsigned char)value->as.string[i];
        print_text(out, isprint(byte) ? "%c" : "\\x%02x", byte);
    }
    print_text(out, "\"");
}

static void print_tree(firn_buffer *out, const firn_value *value);

static void print_table(firn_buffer *out, const firn_value *table)
{
    uint32_t cursor = 0, elements = firn_table_array_count(table), printed = 0;
    firn_value key;
    const firn_value *item;
    print_text(out, "{");
    while ((item = firn_table_next(table, &cursor, &key)) != NULL) {
        print_text(out, printed > 0 ? ", " : "");
        if (printed++ >= elements) {
            print_text(out, "[");
            print_tree(out, &key);
            print_text(out, "] = ");
        }
        print_tree(out, item);
    }
    print_text(out, "}");
}

static void print_tree(firn_buffer *out, const firn_value *value)
{
    switch (value->kind) {
    case FIRN_VALUE_NIL:
        print_text(out, "nil");
        break;
    case FIRN_VALUE_BOOL:
        print_text(out, value->as.boolean ? "true" : "false");
        break;
    case FIRN_VALUE_NUMBER:
        print_text(out, "%.17g", value->as.number);
        break;
    case FIRN_VALUE_INT64:
        print_text(out, "%" PRId64 "LL", value->as.int64);
        break;
    case FIRN_VALUE_UINT64:
        print_text(out, "%" PRIu64 "ULL", value->as.uint64);
        break;
    case FIRN_VALUE_COMPLEX:
        print_text(out, "%.17g+%.17gi", value->as.complex[0], value->as.complex[1]);
        break;
    case FIRN_VALUE_STRING:
        print_string(out, value);
        break;
    case FIRN_VALUE_TABLE:
        print_table(out, value);
        break;
    }
}

char *test_tree_text(const firn_value *value)
{
    firn_buffer out = {0};
    if (value == NULL)
        print_text(&out, "nothing");
    else
        print_tree(&out, value);
    char *text = malloc(out.size + 1);
    assert_non_null(text);
    memcpy(text, out.data, out.size);
    text[out.size] = 0;
    firn_buffer_free(&out);
    return text;
}

void test_assert_tree(const firn_value *value, const char *text, const char *file, int line)
{
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    const firn_value *wanted = test_tree(doc, text);
    bool same = value != NULL && firn_value_equal(value, wanted);
    char *got = test_tree_text(value), *want = test_tree_text(wanted);
    if (!same)
        print_error("got  %s\nwant %s\n", got, want);
    free(got);
    free(want);
    firn_doc_destroy(doc);
    if (!same)
        _fail(file, line);
}
