#include "cli/persisted.h"

#include <stdlib.h>
#include <string.h>

#include "cli/envelope.h"

// docs/format.md: parts = {{key, {{name, {value}}, ...}, {{vars}}}, ...}
typedef struct persisted_diff {
    const firn_diff_options *options;
    firn_doc *doc;
    firn_difference_fn each;
    void *user;
    firn_buffer key; ///< of the entity at hand, printable
    firn_entity entity;
} persisted_diff;

static bool is_table_of(const firn_value *value)
{
    return value != NULL && value->kind == FIRN_VALUE_TABLE;
}

static bool is_string_of(const firn_value *value)
{
    return value != NULL && value->kind == FIRN_VALUE_STRING;
}

static const firn_value *item_at(const firn_value *table, uint32_t index)
{
    return firn_table_get_number(table, index);
}

// ---- shape

static bool is_part_table(const firn_value *part)
{
    const firn_value *names = item_at(part, 2), *pair;
    if (!is_string_of(item_at(part, 1)) || !is_table_of(names) || !is_table_of(item_at(part, 3))) {
        return false;
    }
    for (uint32_t i = 1; (pair = item_at(names, i)) != NULL; i++) {
        if (!is_string_of(item_at(pair, 1)) || !is_table_of(item_at(pair, 2))) {
            return false;
        }
    }
    return true;
}

static bool has_parts(const firn_value *section)
{
    const firn_value *parts = firn_table_get_text(section, "parts"), *part;
    for (uint32_t i = 1; (part = item_at(parts, i)) != NULL; i++) {
        if (!is_part_table(part)) {
            return false;
        }
    }
    return is_table_of(parts);
}

// ---- tables by key and by name

static firn_value *parts_by_key(persisted_diff *diff, const firn_value *section, firn_error *err)
{
    const firn_value *parts = firn_table_get_text(section, "parts"), *part;
    firn_value *table = firn_value_table(diff->doc, err);
    firn_result result = table != NULL ? FIRN_OK : err->code;
    for (uint32_t i = 1; result == FIRN_OK && (part = item_at(parts, i)) != NULL; i++) {
        result = firn_table_set(diff->doc, table, item_at(part, 1), part, err);
    }
    return result == FIRN_OK ? table : NULL;
}

// The components of a part that the entity has, and its variables.
static firn_value *values_by_name(persisted_diff *diff, const firn_value *part, firn_error *err)
{
    static const firn_value nil = {.kind = FIRN_VALUE_NIL};
    const firn_value *names = item_at(part, 2), *pair;
    const firn_value *vars = item_at(item_at(item_at(part, 3), 1), 1);
    firn_value *table = firn_value_table(diff->doc, err);
    firn_result result = table != NULL ? FIRN_OK : err->code;
    for (uint32_t i = 1; result == FIRN_OK && (pair = item_at(names, i)) != NULL; i++) {
        const firn_value *value = item_at(item_at(pair, 2), 1);
        result =
            firn_table_set(diff->doc, table, item_at(pair, 1), value != NULL ? value : &nil, err);
    }
    if (result == FIRN_OK) {
        result = firn_table_set_text(diff->doc, table, "Vars", vars != NULL ? vars : &nil, err);
    }
    return result == FIRN_OK ? table : NULL;
}

static firn_value *without_parts(persisted_diff *diff, const firn_value *section, firn_error *err)
{
    firn_value key;
    uint32_t cursor = 0;
    const firn_value *item;
    firn_value *table = firn_value_table(diff->doc, err);
    firn_result result = table != NULL ? FIRN_OK : err->code;
    while (result == FIRN_OK && (item = firn_table_next(section, &cursor, &key)) != NULL) {
        bool is_parts = is_string_of(&key) && strcmp(key.as.string, "parts") == 0;
        result = is_parts ? FIRN_OK : firn_table_set(diff->doc, table, &key, item, err);
    }
    return result == FIRN_OK ? table : NULL;
}

// ---- components

// `Lamp.oil` is chosen as `Lamp`.
static bool is_named_part(const char *name, const char *const *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        size_t size = strlen(names[i]);
        if (strncmp(name, names[i], size) == 0 && (name[size] == 0 || name[size] == '.')) {
            return true;
        }
    }
    return false;
}

static bool part_has(const firn_value *part, const char *name)
{
    const firn_value *pair;
    for (uint32_t i = 1; (pair = item_at(item_at(part, 2), i)) != NULL; i++) {
        if (is_named_part(item_at(pair, 1)->as.string, &name, 1)) {
            return true;
        }
    }
    return strcmp(name, "Vars") == 0;
}

firn_result fr_cli_persisted_has(fr_cli *cli, const fr_cli_source *source, const char *name,
                                 bool *out, firn_error *err)
{
    fr_cli_section section = {.value = NULL};
    *out = false;
    firn_doc *doc = firn_doc_create(cli->host->allocator, &cli->limits, err);
    if (doc == NULL) {
        return err->code;
    }
    firn_result result =
        source->save != NULL
            ? fr_cli_section_read(cli, source, FIRN_SECTION_PERSIST, doc, &section, err)
            : FIRN_NOT_FOUND;
    if (result == FIRN_OK && has_parts(section.value)) {
        const firn_value *parts = firn_table_get_text(section.value, "parts"), *part;
        for (uint32_t i = 1; !*out && (part = item_at(parts, i)) != NULL; i++) {
            *out = part_has(part, name);
        }
    }
    firn_doc_destroy(doc);
    return result == FIRN_NOT_FOUND ? FIRN_OK : result;
}

static bool is_compared(const persisted_diff *diff, const char *name)
{
    const firn_diff_options *options = diff->options;
    return (options->component_count == 0 ||
            is_named_part(name, options->components, options->component_count)) &&
           !is_named_part(name, options->exclude, options->exclude_count);
}

static firn_result hear_part(void *user, const firn_difference *difference, firn_error *err)
{
    persisted_diff *diff = user;
    firn_difference part = *difference;
    bool whole = part.path[0] == 0 && part.in_left != part.in_right;
    part.kind = whole ? FIRN_DIFFERENCE_COMPONENT : FIRN_DIFFERENCE_FIELD;
    part.entity = diff->entity;
    part.key = diff->entity != 0 ? "" : (const char *)diff->key.data;
    return diff->each(diff->user, &part, err);
}

// The names of `left`, or those that only `right` has.
static firn_result diff_named(persisted_diff *diff, const firn_value *left, const firn_value *right,
                              bool only_right, firn_error *err)
{
    firn_value name;
    uint32_t cursor = 0;
    firn_result result = FIRN_OK;
    const firn_value *walked = only_right ? right : left;
    while (result == FIRN_OK && firn_table_next(walked, &cursor, &name) != NULL) {
        const firn_value *a = firn_table_get(left, &name), *b = firn_table_get(right, &name);
        if (is_compared(diff, name.as.string) && (!only_right || a == NULL)) {
            result =
                firn_diff_values(name.as.string, a, b, diff->options, hear_part, diff, NULL, err);
        }
    }
    return result;
}

typedef firn_value *(*persisted_make_fn)(persisted_diff *diff, const firn_value *value,
                                         firn_error *err);
typedef firn_result (*persisted_walk_fn)(persisted_diff *diff, const firn_value *left,
                                         const firn_value *right, bool only_right, firn_error *err);

// Makes a table of each side, and walks what the left one has, then what only the right one has.
static firn_result diff_both(persisted_diff *diff, const firn_value *left, const firn_value *right,
                             persisted_make_fn make, persisted_walk_fn walk, firn_error *err)
{
    const firn_value *a = make(diff, left, err);
    const firn_value *b = a != NULL ? make(diff, right, err) : NULL;
    firn_result result = b != NULL ? walk(diff, a, b, false, err) : err->code;
    return result == FIRN_OK ? walk(diff, a, b, true, err) : result;
}

// ---- entities

// Its text between quotes, ended by a 0.
static firn_result take_part_key(persisted_diff *diff, const firn_value *key, firn_error *err)
{
    const char *digits = key->as.string + (key->as.string[0] == '#');
    bool is_id = key->as.string[0] == '#' && strspn(digits, "0123456789") == strlen(digits);
    diff->entity = is_id ? (firn_entity)strtoull(digits, NULL, 10) : 0;
    firn_buffer_clear(&diff->key);
    firn_result result = firn_value_print(key, NULL, &diff->key, err);
    if (result == FIRN_OK) {
        size_t size = diff->key.size - 2;
        memmove(diff->key.data, diff->key.data + 1, size);
        diff->key.data[size] = 0;
    }
    return result;
}

static firn_result tell_persisted_part(persisted_diff *diff, bool in_left, firn_error *err)
{
    const firn_difference difference = {.kind = FIRN_DIFFERENCE_ENTITY,
                                        .entity = diff->entity,
                                        .key =
                                            diff->entity != 0 ? "" : (const char *)diff->key.data,
                                        .name = "",
                                        .component = "",
                                        .path = "",
                                        .in_left = in_left,
                                        .in_right = !in_left};
    return diff->each(diff->user, &difference, err);
}

// The keys of `left`, or those that only `right` has.
static firn_result diff_keys(persisted_diff *diff, const firn_value *left, const firn_value *right,
                             bool only_right, firn_error *err)
{
    firn_value key;
    uint32_t cursor = 0;
    firn_result result = FIRN_OK;
    const firn_value *walked = only_right ? right : left;
    while (result == FIRN_OK && firn_table_next(walked, &cursor, &key) != NULL) {
        const firn_value *a = firn_table_get(left, &key), *b = firn_table_get(right, &key);
        result = take_part_key(diff, &key, err);
        if (result == FIRN_OK && a != NULL && b != NULL && !only_right) {
            result = diff_both(diff, a, b, values_by_name, diff_named, err);
        } else if (result == FIRN_OK && (a == NULL || b == NULL)) {
            result = tell_persisted_part(diff, a != NULL, err);
        }
    }
    return result;
}

// ---- all of it

static firn_result diff_rest(persisted_diff *diff, const firn_value *left, const firn_value *right,
                             firn_error *err)
{
    const firn_value *a = without_parts(diff, left, err);
    const firn_value *b = a != NULL ? without_parts(diff, right, err) : NULL;
    return b != NULL ? firn_diff_values(FIRN_SECTION_PERSIST, a, b, diff->options, diff->each,
                                        diff->user, NULL, err)
                     : err->code;
}

firn_result fr_cli_diff_persisted(const firn_value *left, const firn_value *right,
                                  const firn_diff_options *options, firn_doc *doc,
                                  firn_difference_fn each, void *user, firn_error *err)
{
    bool whole = options->component_count == 0;
    if (!has_parts(left) || !has_parts(right)) {
        return whole ? firn_diff_values(FIRN_SECTION_PERSIST, left, right, options, each, user,
                                        NULL, err)
                     : FIRN_OK;
    }
    persisted_diff diff = {.options = options, .doc = doc, .each = each, .user = user};
    firn_buffer_init(&diff.key, options->allocator);
    firn_result result = whole ? diff_rest(&diff, left, right, err) : FIRN_OK;
    if (result == FIRN_OK) {
        result = diff_both(&diff, left, right, parts_by_key, diff_keys, err);
    }
    firn_buffer_free(&diff.key);
    return result;
}
