#include <string.h>

#include "base/error.h"
#include "buffer/bytes.h"
#include "firn/json.h"
#include "json/json.h"
#include "value/number.h"
#include "json/text.h"
#include "snapshot/target.h"

static void put_tree(fr_json_text *text, const firn_value *value, uint32_t depth);

static void put_double(fr_json_text *text, double number)
{
    if (text->one_nan && number != number) {
        const uint64_t bits = FR_NAN_BITS;
        memcpy(&number, &bits, sizeof number);
    }
    fr_json_put_number(text, number);
}

static void put_tagged_text(fr_json_text *text, const char *tag, const char *number, size_t size)
{
    fr_json_put(text, "{\"");
    fr_json_put(text, tag);
    fr_json_put(text, "\":");
    fr_json_put_text(text, number, size);
    fr_json_put(text, "}");
}

static void put_elements(fr_json_text *text, const firn_value *table, uint32_t depth)
{
    uint32_t cursor = 0;
    firn_value key;
    const firn_value *item;
    const char *between = "[";
    while (!fr_json_text_failed(text) && (item = firn_table_next(table, &cursor, &key)) != NULL) {
        fr_json_put(text, between);
        put_tree(text, item, depth);
        between = ",";
    }
    fr_json_put(text, "]");
}

static bool has_plain_keys(const firn_value *table)
{
    uint32_t cursor = 0;
    firn_value key;
    while (firn_table_next(table, &cursor, &key) != NULL) {
        if (key.kind != FIRN_VALUE_STRING || !fr_json_is_key(key.as.string, key.length)) {
            return false;
        }
    }
    return true;
}

static void put_members(fr_json_text *text, const firn_value *table, uint32_t depth)
{
    uint32_t cursor = 0;
    firn_value key;
    const firn_value *item;
    const char *between = "{";
    while (!fr_json_text_failed(text) && (item = firn_table_next(table, &cursor, &key)) != NULL) {
        fr_json_put(text, between);
        fr_json_put_text(text, key.as.string, key.length);
        fr_json_put(text, ":");
        put_tree(text, item, depth);
        between = ",";
    }
    fr_json_put(text, "}");
}

static void put_keyed(fr_json_text *text, const firn_value *table, uint32_t depth)
{
    uint32_t cursor = 0;
    firn_value key;
    const firn_value *item;
    const char *between = "{\"$table\":[[";
    while (!fr_json_text_failed(text) && (item = firn_table_next(table, &cursor, &key)) != NULL) {
        fr_json_put(text, between);
        put_tree(text, &key, depth);
        fr_json_put(text, ",");
        put_tree(text, item, depth);
        between = "],[";
    }
    fr_json_put(text, "]]}");
}

// Whether a table may be written inside `depth` others; counts what it holds.
static bool count_table(fr_json_text *text, const firn_value *table, uint32_t depth)
{
    firn_error why;
    uint64_t most = text->limits.tree_values;
    text->values +=
        (uint64_t)firn_table_array_count(table) + 2 * (uint64_t)firn_table_map_count(table);
    if (depth >= text->limits.depth) {
        fr_fail(&why, FIRN_LIMIT, "value", "more than %u tables inside each other",
                text->limits.depth);
    } else if (text->values >= most) {
        fr_fail(&why, FIRN_LIMIT, "value", "more than %llu values in one",
                (unsigned long long)most);
    } else {
        return true;
    }
    fr_json_text_fail(text, &why);
    return false;
}

static void put_table(fr_json_text *text, const firn_value *table, uint32_t depth)
{
    if (!count_table(text, table, depth)) {
        return;
    }
    uint32_t elements = firn_table_array_count(table), pairs = firn_table_map_count(table);
    if (elements == 0 && pairs == 0) {
        fr_json_put(text, "{}");
    } else if (pairs == 0) {
        put_elements(text, table, depth + 1);
    } else if (elements == 0 && has_plain_keys(table)) {
        put_members(text, table, depth + 1);
    } else {
        put_keyed(text, table, depth + 1);
    }
}

static void put_tree(fr_json_text *text, const firn_value *value, uint32_t depth)
{
    char number[FR_NUMBER_TEXT_BYTES];
    switch (value->kind) {
    case FIRN_VALUE_BOOL:
        fr_json_put(text, value->as.boolean ? "true" : "false");
        break;
    case FIRN_VALUE_NUMBER:
        put_double(text, value->as.number);
        break;
    case FIRN_VALUE_INT64:
        put_tagged_text(text, "$int64", number,
                        (size_t)(fr_text_put_int64(number, value->as.int64) - number));
        break;
    case FIRN_VALUE_UINT64:
        put_tagged_text(text, "$uint64", number,
                        (size_t)(fr_text_put_uint64(number, value->as.uint64) - number));
        break;
    case FIRN_VALUE_COMPLEX:
        fr_json_put(text, "{\"$complex\":[");
        put_double(text, value->as.complex[0]);
        fr_json_put(text, ",");
        put_double(text, value->as.complex[1]);
        fr_json_put(text, "]}");
        break;
    case FIRN_VALUE_STRING:
        fr_json_put_string(text, value->as.string, value->length);
        break;
    case FIRN_VALUE_TABLE:
        put_table(text, value, depth);
        break;
    default:
        fr_json_put(text, "null");
    }
}

void fr_json_put_value(fr_json_text *text, const firn_value *value)
{
    text->values = 0;
    put_tree(text, value, 0);
}

// Values that need no tree, as most are; false for others.
static bool put_simple(fr_json_text *text, const uint8_t *bytes, size_t size)
{
    const uint8_t *end = bytes + size;
    if (fr_is_target(bytes, end) && size == FR_TARGET_BYTES && fr_target_allowed(&text->limits)) {
        fr_json_put(text, "{\"target\":");
        put_double(text, fr_target_number(bytes));
        fr_json_put(text, "}");
        return true;
    }
    switch (*bytes) {
    case FR_TAG_NIL:
        fr_json_put(text, "null");
        return true;
    case FR_TAG_FALSE:
    case FR_TAG_TRUE:
        fr_json_put(text, *bytes == FR_TAG_TRUE ? "true" : "false");
        return true;
    case FR_TAG_NUMBER:
        put_double(text, fr_load_f64(bytes + 1));
        return true;
    default:
        if (*bytes >= FR_TAG_STRING && *bytes < FR_COUNT_TWO) {
            fr_json_put_string(text, bytes + 1, size - 1);
            return true;
        }
        return false;
    }
}

void fr_json_put_encoded(fr_json_text *text, const uint8_t *bytes, size_t size, firn_doc *doc)
{
    text->one_nan = true;
    if (put_simple(text, bytes, size)) {
        return;
    }
    firn_error why;
    firn_doc_clear(doc);
    const firn_value *value = firn_value_decode(doc, bytes, size, &why);
    if (value == NULL) {
        fr_json_text_fail(text, &why);
    } else {
        fr_json_put_value(text, value);
    }
}

firn_result firn_json_write(const firn_value *value, firn_buffer *out, firn_error *err)
{
    if (value == NULL || out == NULL) {
        return fr_fail(err, FIRN_INVALID, value ? "out" : "value", "%s is NULL",
                       value ? "out" : "value");
    }
    firn_result result = fr_json_supported(err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_json_text text;
    firn_limits limits;
    firn_limits_default(&limits);
    fr_json_text_begin(&text, out, &limits);
    fr_json_put_value(&text, value);
    return fr_json_text_end(&text, err);
}
