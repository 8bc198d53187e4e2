#include "json/parse.h"

#include <string.h>

#ifdef FIRN_JSON
#include <jansson.h>
#endif

#include "base/array.h"
#include "base/error.h"
#include "base/utf8.h"
#include "json/json.h"
#include "os/numeric.h"

uint64_t fr_json_values_most(const firn_limits *limits)
{
    uint64_t most =
        limits->tree_values < UINT32_MAX / 8 ? limits->tree_values * 4 + 65536 : UINT32_MAX - 1;
    return most;
}

void fr_json_parser_begin(fr_json_parser *parser, const firn_allocator *allocator,
                          const firn_limits *limits)
{
    *parser = (fr_json_parser){.allocator = allocator ? *allocator : *firn_allocator_default(),
                               .limits = *limits};
}

bool fr_json_key_is(const fr_json_node *member, const char *key)
{
    size_t size = strlen(key);
    return member->key_size == size && memcmp(member->key, key, size) == 0;
}

const fr_json_node *fr_json_member(const fr_json_node *object, const char *key)
{
    const fr_json_node *member = object + 1, *end = fr_json_next(object);
    while (object->kind == FR_JSON_OBJECT && member < end) {
        if (fr_json_key_is(member, key)) {
            return member;
        }
        member = fr_json_next(member);
    }
    return NULL;
}

firn_result fr_json_refuse(const fr_json_node *node, const char *subject, const char *message,
                           firn_error *err)
{
    return fr_fail_at(err, FIRN_CORRUPT, node->offset, subject, "%s%s%s", subject,
                      *subject ? ": " : "", message);
}

#ifdef FIRN_JSON

// ---- what a text may cost

// What there is in a text, or a little more.
typedef struct text_cost {
    uint64_t values;
    uint64_t bytes; // of memory that jansson and the nodes take, its strings included
} text_cost;

// Lines up to this size need no look.
#define SHORT_LINE_BYTES ((size_t)1 << 16)

#define VALUE_COST  128u
#define MEMBER_COST 96u
#define ARRAY_COST  96u
#define OBJECT_COST 192u

static text_cost count_cost(const char *text, size_t size)
{
    text_cost cost = {1, (uint64_t)size * 2};
    bool quoted = false;
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        if (c == '"') {
            quoted = !quoted;
        } else if (quoted) {
            i += c == '\\';
        } else {
            cost.values += c == ',' || c == '[' || c == '{';
            cost.bytes += c == ':' ? MEMBER_COST : 0;
            cost.bytes += c == '[' ? ARRAY_COST : c == '{' ? OBJECT_COST : 0;
        }
    }
    cost.bytes += VALUE_COST * cost.values;
    return cost;
}

static firn_result check_text(const fr_json_parser *parser, const char *text, size_t size,
                              uint64_t offset, firn_error *err)
{
    const firn_limits *limits = &parser->limits;
    // What a byte of a file becomes has 8 at most, names apart, which lines repeat.
    if (size / 8 > limits->file_bytes && size / 8 - limits->file_bytes > 8192) {
        return fr_fail_at(err, FIRN_LIMIT, offset, "line",
                          "a line of %zu bytes is longer than files of %llu bytes have", size,
                          (unsigned long long)limits->file_bytes);
    }
    if (size <= SHORT_LINE_BYTES) {
        return FIRN_OK;
    }
    text_cost cost = count_cost(text, size);
    uint64_t most = fr_json_values_most(limits);
    if (cost.values > most) {
        return fr_fail_at(err, FIRN_LIMIT, offset, "line", "a line has more than %llu values",
                          (unsigned long long)most);
    }
    if (cost.bytes > limits->expanded_bytes) {
        return fr_fail_at(err, FIRN_LIMIT, offset, "line",
                          "a line takes %llu bytes of memory, above the limit %llu",
                          (unsigned long long)cost.bytes,
                          (unsigned long long)limits->expanded_bytes);
    }
    return FIRN_OK;
}

// ---- from jansson's tree to nodes

// The same text once more, step by step with the tree, for the offsets.
typedef struct flattening {
    fr_json_parser *parser;
    const char *text;
    const char *at;
    const char *end;
    uint64_t offset; // of the text
    firn_error *err;
} flattening;

// Steps over what stands between values.
static void skip_between(flattening *flat)
{
    while (flat->at < flat->end && memchr(" \t\r\n,:", *flat->at, 6) != NULL) {
        flat->at++;
    }
}

static void skip_quoted(flattening *flat)
{
    flat->at++;
    while (flat->at < flat->end && *flat->at != '"') {
        flat->at += *flat->at == '\\' ? 2 : 1;
    }
    flat->at++;
}

static void skip_word(flattening *flat)
{
    while (flat->at < flat->end && memchr(" \t\r\n,]}", *flat->at, 7) == NULL) {
        flat->at++;
    }
}

// The node of a value that comes next in the text; NULL: no memory.
static fr_json_node *add_node(flattening *flat, fr_json_kind kind)
{
    fr_json_parser *parser = flat->parser;
    if (!FR_RESERVE(&parser->allocator, parser->nodes, parser->capacity, parser->count + 1)) {
        fr_fail_memory(flat->err, "line");
        return NULL;
    }
    fr_json_node *node = &parser->nodes[parser->count++];
    *node = (fr_json_node){
        .kind = kind, .span = 1, .offset = flat->offset + (uint64_t)(flat->at - flat->text)};
    return node;
}

static bool flatten(flattening *flat, json_t *value, uint32_t depth);

static bool flatten_array(flattening *flat, json_t *value, uint32_t depth)
{
    for (size_t i = 0; i < json_array_size(value); i++) {
        if (!flatten(flat, json_array_get(value, i), depth)) {
            return false;
        }
    }
    return true;
}

static bool flatten_object(flattening *flat, json_t *value, uint32_t depth)
{
    for (void *member = json_object_iter(value); member != NULL;
         member = json_object_iter_next(value, member)) {
        uint32_t place = flat->parser->count;
        skip_between(flat);
        skip_quoted(flat);
        if (!flatten(flat, json_object_iter_value(member), depth)) {
            return false;
        }
        flat->parser->nodes[place].key = json_object_iter_key(member);
        flat->parser->nodes[place].key_size = json_object_iter_key_len(member);
    }
    return true;
}

static bool flatten_container(flattening *flat, json_t *value, uint32_t depth)
{
    bool array = json_is_array(value);
    uint32_t place = flat->parser->count;
    fr_json_node *node = add_node(flat, array ? FR_JSON_ARRAY : FR_JSON_OBJECT);
    if (node == NULL) {
        return false;
    }
    node->size = array ? json_array_size(value) : json_object_size(value);
    // A table inside a table is three deep: `{"$table": [[key, ...`.
    if (depth >= flat->parser->limits.depth * 3 + 8) {
        fr_fail_at(flat->err, FIRN_LIMIT, node->offset, "line",
                   "more than %u tables inside each other", flat->parser->limits.depth);
        return false;
    }
    flat->at++;
    if (!(array ? flatten_array : flatten_object)(flat, value, depth + 1)) {
        return false;
    }
    skip_between(flat);
    flat->at++;
    flat->parser->nodes[place].span = flat->parser->count - place;
    return true;
}

static bool flatten_scalar(flattening *flat, const json_t *value)
{
    fr_json_node *node = add_node(flat, FR_JSON_NULL);
    if (node == NULL) {
        return false;
    }
    switch (json_typeof(value)) {
    case JSON_STRING:
        node->kind = FR_JSON_STRING;
        node->as.string = json_string_value(value);
        node->size = json_string_length(value);
        skip_quoted(flat);
        return true;
    case JSON_INTEGER:
        node->kind = FR_JSON_INTEGER;
        node->as.integer = json_integer_value(value);
        break;
    case JSON_REAL:
        node->kind = FR_JSON_REAL;
        node->as.real = json_real_value(value);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        node->kind = FR_JSON_BOOL;
        node->as.boolean = json_is_true(value);
        break;
    default:
        break;
    }
    skip_word(flat);
    return true;
}

static bool flatten(flattening *flat, json_t *value, uint32_t depth)
{
    skip_between(flat);
    return json_is_array(value) || json_is_object(value) ? flatten_container(flat, value, depth)
                                                         : flatten_scalar(flat, value);
}

// ---- parsing

static firn_result refuse_text(const json_error_t *why, uint64_t offset, firn_error *err)
{
    char text[JSON_ERROR_TEXT_LENGTH + 1];
    firn_result code = FIRN_CORRUPT;
    switch (json_error_code(why)) {
    case json_error_out_of_memory:
        return fr_fail_memory(err, "line");
    case json_error_stack_overflow:
        code = FIRN_LIMIT;
        break;
    case json_error_premature_end_of_input:
        code = FIRN_TRUNCATED;
        break;
    default:
        break;
    }
    // Without the code, which stands behind the text.
    fr_printable(text, sizeof text, why->text, strlen(why->text));
    return fr_fail_at(err, code, offset + (uint64_t)(why->position > 0 ? why->position : 0), "line",
                      "no JSON: %s", text);
}

static void drop_root(fr_json_parser *parser)
{
    json_decref(parser->root);
    parser->root = NULL;
    parser->count = 0;
}

void fr_json_parser_end(fr_json_parser *parser)
{
    drop_root(parser);
    FR_ARRAY_FREE(&parser->allocator, parser->nodes, parser->capacity);
}

const fr_json_node *fr_json_parse(fr_json_parser *parser, const char *text, size_t size,
                                  uint64_t offset, firn_error *err)
{
    drop_root(parser);
    fr_numeric numeric;
    if (check_text(parser, text, size, offset, err) != FIRN_OK ||
        fr_numeric_enter(&numeric, err) != FIRN_OK) {
        return NULL;
    }
    json_error_t why;
    size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL;
    json_t *root = json_loadb(text, size, flags, &why);
    fr_numeric_leave(&numeric);
    if (root == NULL) {
        refuse_text(&why, offset, err);
        return NULL;
    }
    parser->root = root;
    flattening flat = {parser, text, text, text + size, offset, err};
    return flatten(&flat, root, 0) ? parser->nodes : NULL;
}

#else

void fr_json_parser_end(fr_json_parser *parser)
{
    FR_ARRAY_FREE(&parser->allocator, parser->nodes, parser->capacity);
}

const fr_json_node *fr_json_parse(fr_json_parser *parser, const char *text, size_t size,
                                  uint64_t offset, firn_error *err)
{
    (void)parser, (void)text, (void)size, (void)offset;
    fr_json_supported(err);
    return NULL;
}

#endif
