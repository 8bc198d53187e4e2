#include <string.h>

#include "base/error.h"
#include "firn/json.h"
#include "json/json.h"
#include "json/read.h"
#include "value/doc.h"
#include "value/table.h"

// One value that is being made.
typedef struct value_making {
    firn_doc *doc;
    uint64_t values; // below the value at the top
    firn_error *err; // never NULL
} value_making;

static firn_result node_value(value_making *making, const fr_json_node *node, uint32_t depth,
                              firn_value *out);

// A string, or a key, of a node.
static firn_result node_string(value_making *making, const fr_json_node *node, const void *bytes,
                               size_t size, firn_value *out)
{
    firn_result result = fr_string_value(making->doc, bytes, size, out, making->err);
    if (result == FIRN_LIMIT) {
        making->err->offset = node->offset;
    }
    return result;
}

// ---- tables

static firn_result node_table(value_making *making, const fr_json_node *node, uint32_t depth,
                              uint64_t items, firn_value *out)
{
    const firn_limits *limits = &making->doc->limits;
    making->values += items;
    if (depth >= limits->depth) {
        return fr_fail_at(making->err, FIRN_LIMIT, node->offset, "value",
                          "more than %u tables inside each other", limits->depth);
    }
    if (making->values >= limits->tree_values) {
        return fr_fail_at(making->err, FIRN_LIMIT, node->offset, "value",
                          "more than %llu values in one", (unsigned long long)limits->tree_values);
    }
    const firn_value *table = firn_value_table(making->doc, making->err);
    if (table == NULL) {
        return FIRN_NO_MEMORY;
    }
    *out = *table;
    return FIRN_OK;
}

// A null is no element; what comes behind it keeps its index.
static firn_result node_elements(value_making *making, const fr_json_node *node, uint32_t depth,
                                 firn_value *out)
{
    firn_result result = node_table(making, node, depth, node->size, out);
    const fr_json_node *at = node + 1, *end = fr_json_next(node);
    for (uint32_t index = 1; result == FIRN_OK && at < end; at = fr_json_next(at), index++) {
        firn_value item = {.kind = FIRN_VALUE_NIL};
        result = node_value(making, at, depth + 1, &item);
        if (result == FIRN_OK && item.kind != FIRN_VALUE_NIL) {
            firn_value key = {.kind = FIRN_VALUE_NUMBER, .as.number = index};
            result = firn_table_set(making->doc, out, &key, &item, making->err);
        }
    }
    return result;
}

static firn_result node_members(value_making *making, const fr_json_node *node, uint32_t depth,
                                firn_value *out)
{
    firn_result result = node_table(making, node, depth, 2 * (uint64_t)node->size, out);
    const fr_json_node *at = node + 1, *end = fr_json_next(node);
    for (; result == FIRN_OK && at < end; at = fr_json_next(at)) {
        firn_value key, item;
        if (at->key_size > 0 && *at->key == '$') {
            return fr_json_refuse(at, "value", "a key that begins with $ stands in a $table alone",
                                  making->err);
        }
        result = node_string(making, at, at->key, at->key_size, &key);
        if (result == FIRN_OK) {
            result = node_value(making, at, depth + 1, &item);
        }
        if (result == FIRN_OK && item.kind != FIRN_VALUE_NIL) {
            result = firn_table_set(making->doc, out, &key, &item, making->err);
        }
    }
    return result;
}

static firn_result node_pair(value_making *making, const fr_json_node *pair, uint32_t depth,
                             firn_value *table)
{
    firn_value key = {.kind = FIRN_VALUE_NIL}, item = key;
    if (pair->kind != FR_JSON_ARRAY || pair->size != 2) {
        return fr_json_refuse(pair, "value", "is no pair [key, value] of a $table", making->err);
    }
    firn_result result = node_value(making, pair + 1, depth, &key);
    if (result == FIRN_OK) {
        result = node_value(making, fr_json_next(pair + 1), depth, &item);
    }
    if (result != FIRN_OK) {
        return result;
    }
    if (!fr_is_key(&key)) {
        return fr_json_refuse(pair, "value", "a key is a boolean, a number or a string",
                              making->err);
    }
    if (firn_table_get(table, &key) != NULL) {
        return fr_json_refuse(pair, "value", "a key that is there twice", making->err);
    }
    return item.kind == FIRN_VALUE_NIL
               ? FIRN_OK
               : firn_table_set(making->doc, table, &key, &item, making->err);
}

static firn_result node_pairs(value_making *making, const fr_json_node *node, uint32_t depth,
                              firn_value *out)
{
    if (node->kind != FR_JSON_ARRAY) {
        return fr_json_refuse(node, "value", "a $table holds an array of pairs", making->err);
    }
    firn_result result = node_table(making, node, depth, 2 * (uint64_t)node->size, out);
    const fr_json_node *at = node + 1, *end = fr_json_next(node);
    for (; result == FIRN_OK && at < end; at = fr_json_next(at)) {
        result = node_pair(making, at, depth + 1, out);
    }
    return result;
}

// ---- tags

static firn_result node_bytes(value_making *making, const fr_json_node *node, firn_value *out)
{
    firn_buffer bytes;
    firn_buffer_init(&bytes, &making->doc->allocator);
    firn_result result = fr_json_read_base64(node, &bytes, making->err);
    if (result == FIRN_OK) {
        result = node_string(making, node, bytes.data, bytes.size, out);
    }
    firn_buffer_free(&bytes);
    return result;
}

static firn_result node_complex(value_making *making, const fr_json_node *node, firn_value *out)
{
    double re, im;
    bool two = node->kind == FR_JSON_ARRAY && node->size == 2;
    if (!two || !fr_json_read_double(node + 1, &re) ||
        !fr_json_read_double(fr_json_next(node + 1), &im)) {
        return fr_json_refuse(node, "value", "a $complex is [real part, imaginary part]",
                              making->err);
    }
    const firn_value *made = firn_value_complex(making->doc, re, im, making->err);
    if (made != NULL) {
        *out = *made;
    }
    return made != NULL ? FIRN_OK : FIRN_NO_MEMORY;
}

static firn_result node_tagged(value_making *making, const fr_json_node *node, uint32_t depth,
                               firn_value *out)
{
    const fr_json_node *said = node + 1;
    if (fr_json_key_is(said, "$table")) {
        return node_pairs(making, said, depth, out);
    }
    if (fr_json_key_is(said, "$bytes")) {
        return node_bytes(making, said, out);
    }
    if (fr_json_key_is(said, "$complex")) {
        return node_complex(making, said, out);
    }
    *out = (firn_value){.kind = FIRN_VALUE_NUMBER};
    if (fr_json_read_double(node, &out->as.number)) {
        return FIRN_OK;
    }
    out->kind = FIRN_VALUE_INT64;
    if (fr_json_read_signed(node, INT64_MIN, INT64_MAX, &out->as.int64)) {
        return FIRN_OK;
    }
    out->kind = FIRN_VALUE_UINT64;
    if (fr_json_read_unsigned(node, UINT64_MAX, &out->as.uint64)) {
        return FIRN_OK;
    }
    return fr_json_refuse(said, "value", "is no $int64, $uint64, $number, $complex, $bytes, $table",
                          making->err);
}

static firn_result node_value(value_making *making, const fr_json_node *node, uint32_t depth,
                              firn_value *out)
{
    switch (node->kind) {
    case FR_JSON_BOOL:
        *out = (firn_value){.kind = FIRN_VALUE_BOOL, .as.boolean = node->as.boolean};
        return FIRN_OK;
    case FR_JSON_INTEGER:
        *out = (firn_value){.kind = FIRN_VALUE_NUMBER, .as.number = (double)node->as.integer};
        return FIRN_OK;
    case FR_JSON_REAL:
        *out = (firn_value){.kind = FIRN_VALUE_NUMBER, .as.number = node->as.real};
        return FIRN_OK;
    case FR_JSON_STRING:
        return node_string(making, node, node->as.string, node->size, out);
    case FR_JSON_ARRAY:
        return node_elements(making, node, depth, out);
    case FR_JSON_OBJECT:
        return node->size == 1 && node[1].key_size > 0 && *node[1].key == '$'
                   ? node_tagged(making, node, depth, out)
                   : node_members(making, node, depth, out);
    default:
        *out = (firn_value){.kind = FIRN_VALUE_NIL};
        return FIRN_OK;
    }
}

firn_result fr_json_value(const fr_json_node *node, firn_doc *doc, firn_value *out, firn_error *err)
{
    firn_error why;
    value_making making = {.doc = doc, .err = &why};
    firn_result result = node_value(&making, node, 0, out);
    return result == FIRN_OK ? result : fr_fail_copy(err, &why);
}

static firn_value *read_tree(firn_doc *doc, fr_json_parser *parser, const void *text, size_t size,
                             firn_error *err)
{
    const fr_json_node *node = fr_json_parse(parser, text, size, 0, err);
    firn_value *value = node != NULL ? firn_value_nil(doc, err) : NULL;
    if (value == NULL || fr_json_value(node, doc, value, err) != FIRN_OK) {
        return NULL;
    }
    return value;
}

firn_value *firn_json_read(firn_doc *doc, const void *text, size_t size, firn_error *err)
{
    if (doc == NULL || text == NULL) {
        fr_fail(err, FIRN_INVALID, doc ? "text" : "doc", "%s is NULL", doc ? "text" : "doc");
        return NULL;
    }
    if (fr_json_supported(err) != FIRN_OK) {
        return NULL;
    }
    fr_json_parser parser;
    fr_json_parser_begin(&parser, &doc->allocator, &doc->limits);
    fr_doc_forget_keys(doc);
    fr_doc_mark before = fr_doc_here(doc);
    firn_value *value = read_tree(doc, &parser, text, size, err);
    if (value == NULL) {
        fr_doc_forget_keys(doc);
        fr_doc_rollback(doc, before);
    }
    fr_json_parser_end(&parser);
    return value;
}
