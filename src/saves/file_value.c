#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "saves/file.h"
#include "value/doc.h"

// ---- to a tree

// What a tree is filled with. After the first failure, which err says, nothing is done any more.
typedef struct tree_maker {
    firn_save_file *file;
    firn_doc *doc;
    firn_value *tree;
    firn_error *err;
    bool failed;
} tree_maker;

// table[key] = item; an item that is NULL could not be made.
static void set_item(tree_maker *make, firn_value *table, const char *key, const firn_value *item)
{
    if (make->failed || table == NULL || item == NULL) {
        make->failed = true;
        return;
    }
    make->failed = firn_table_set_text(make->doc, table, key, item, make->err) != FIRN_OK;
}

static void set_text_item(tree_maker *make, const char *key, const char *text)
{
    if (!make->failed) {
        set_item(make, make->tree, key, firn_value_text(make->doc, text, make->err));
    }
}

static void set_number_item(tree_maker *make, const char *key, double number)
{
    if (!make->failed) {
        set_item(make, make->tree, key, firn_value_number(make->doc, number, make->err));
    }
}

static void set_header(tree_maker *make, const firn_save_header *header)
{
    char parent[FR_DIGEST_TEXT_BYTES];
    fr_digest_text(parent, header->parent);
    set_number_item(make, "saveFormatVersion", header->format_version);
    set_text_item(make, "engineVersion", header->engine);
    set_text_item(make, "game", header->game);
    set_number_item(make, "gameVersion", header->game_version);
    set_text_item(make, "kind", header->kind);
    set_text_item(make, "level", header->level);
    set_text_item(make, "parent", parent);
    set_number_item(make, "playTime", header->play_time);
    set_number_item(make, "revision", (double)header->revision);
    set_number_item(make, "tick", (double)header->tick);
    set_number_item(make, "timestamp", (double)header->timestamp);
}

firn_value *fr_file_copy_meta(const firn_value *meta, const firn_allocator *allocator,
                              firn_doc *doc, firn_error *err)
{
    firn_buffer bytes;
    firn_buffer_init(&bytes, allocator);
    firn_value *copy = NULL;
    if (firn_value_encode(meta, NULL, &bytes, err) == FIRN_OK) {
        copy = firn_value_decode(doc, bytes.data, bytes.size, err);
    }
    firn_buffer_free(&bytes);
    return copy;
}

static bool find_section(tree_maker *make, const char *name, const void **bytes, size_t *size)
{
    make->failed =
        make->failed || firn_save_file_section(make->file, name, bytes, size, make->err) != FIRN_OK;
    return !make->failed;
}

static void set_table(tree_maker *make, const char *name)
{
    const void *bytes;
    size_t size;
    if (!find_section(make, name, &bytes, &size)) {
        return;
    }
    firn_error why;
    const firn_value *table = firn_value_decode(make->doc, bytes, size, &why);
    if (table == NULL) {
        fr_fail(make->err, why.code, name, "the section %s: %s", name, why.message);
    } else if (table->kind != FIRN_VALUE_TABLE) {
        fr_fail(make->err, FIRN_CORRUPT, name, "the section %s is no table", name);
        table = NULL;
    }
    set_item(make, make->tree, name, table);
}

static void set_bytes(tree_maker *make, firn_value *table, const char *name)
{
    const void *bytes;
    size_t size;
    if (find_section(make, name, &bytes, &size)) {
        set_item(make, table, name, firn_value_string(make->doc, bytes, size, make->err));
    }
}

// tree[key], a table, which is made when it is not there.
static firn_value *part_of_tree(tree_maker *make, const char *key, firn_value **part)
{
    if (*part == NULL && !make->failed) {
        *part = firn_value_table(make->doc, make->err);
        set_item(make, make->tree, key, *part);
    }
    return *part;
}

static void set_sections(tree_maker *make, firn_value *meta)
{
    firn_value *others = NULL;
    firn_section_info info;
    for (uint32_t i = 0; firn_save_file_section_at(make->file, i, &info); i++) {
        if (strcmp(info.name, FIRN_SECTION_CUSTOM) == 0 ||
            strcmp(info.name, FIRN_SECTION_VARIABLES) == 0) {
            set_table(make, info.name);
        } else if (strcmp(info.name, FIRN_SECTION_SNAPSHOT) == 0) {
            set_bytes(make, make->tree, info.name);
        } else if (strcmp(info.name, FIRN_SECTION_THUMBNAIL) == 0) {
            set_bytes(make, part_of_tree(make, "meta", &meta), info.name);
        } else {
            set_bytes(make, part_of_tree(make, "sections", &others), info.name);
        }
    }
}

firn_value *firn_save_file_value(firn_save_file *file, firn_doc *doc, firn_error *err)
{
    if (file == NULL || doc == NULL) {
        const char *what = file == NULL ? "file" : "doc";
        fr_fail(err, FIRN_INVALID, what, "%s is NULL", what);
        return NULL;
    }
    fr_doc_forget_keys(doc);
    fr_doc_mark mark = fr_doc_here(doc);
    tree_maker make = {.file = file, .doc = doc, .err = err};
    const firn_save_header *header = firn_save_file_header(file);
    firn_value *meta = NULL;
    make.tree = firn_value_table(doc, err);
    make.failed = make.tree == NULL;
    set_header(&make, header);
    if (header->meta != NULL && !make.failed) {
        meta = fr_file_copy_meta(header->meta, fr_file_allocator(file), doc, err);
        set_item(&make, make.tree, "meta", meta);
    }
    set_sections(&make, meta);
    if (make.failed) {
        fr_doc_rollback(doc, mark);
        return NULL;
    }
    return make.tree;
}

// ---- from a tree

// What is read from a tree: sections, and the bytes of those that it holds as tables.
typedef struct tree_reader {
    const firn_value *tree;
    const firn_limits *limits;
    firn_section sections[FIRN_SECTIONS_MOST];
    uint32_t count;
    firn_buffer encoded[2];
} tree_reader;

static firn_result check_tree_keys(const firn_value *tree, firn_error *err)
{
    static const char *const known[] = {
        "saveFormatVersion", "engineVersion", "game", "gameVersion", "kind", "level",  "parent",
        "playTime",          "revision",      "tick", "timestamp",   "meta", "custom", "variables",
        "snapshot",          "sections",
    };
    const size_t count = sizeof known / sizeof *known;
    uint32_t cursor = 0;
    firn_value key;
    while (firn_table_next(tree, &cursor, &key) != NULL) {
        size_t i = 0;
        if (key.kind != FIRN_VALUE_STRING) {
            return fr_fail(err, FIRN_INVALID, "save", "a key of the save is no string");
        }
        while (i < count && strcmp(known[i], key.as.string) != 0) {
            i++;
        }
        if (i == count || strlen(key.as.string) != key.length) {
            return fr_fail(err, FIRN_INVALID, key.as.string,
                           "'%.64s' is no field of a save; what is the game's own goes to custom",
                           key.as.string);
        }
    }
    return FIRN_OK;
}

static firn_result take_section_value(tree_reader *in, const char *name, const firn_value *value,
                                      firn_error *err)
{
    if (value->kind != FIRN_VALUE_STRING) {
        return fr_fail(err, FIRN_INVALID, name, "%s is no string", name);
    }
    if (in->count == FIRN_SECTIONS_MOST) {
        return fr_fail(err, FIRN_LIMIT, "sections", "more than the %d sections of a file",
                       FIRN_SECTIONS_MOST);
    }
    in->sections[in->count++] = (firn_section){name, value->as.string, value->length};
    return FIRN_OK;
}

// custom and variables.
static firn_result take_table(tree_reader *in, const char *name, firn_buffer *encoded,
                              firn_error *err)
{
    const firn_value *value = firn_table_get_text(in->tree, name);
    if (value == NULL) {
        return FIRN_OK;
    }
    if (value->kind != FIRN_VALUE_TABLE) {
        return fr_fail(err, FIRN_INVALID, name, "%s is no table", name);
    }
    firn_error why;
    firn_result result = firn_value_encode(value, in->limits, encoded, &why);
    if (result != FIRN_OK) {
        return fr_fail(err, result, name, "%s%s: %s", name, why.subject, why.message);
    }
    in->sections[in->count++] = (firn_section){name, encoded->data, encoded->size};
    return FIRN_OK;
}

// The game's own.
static firn_result take_others(tree_reader *in, firn_error *err)
{
    const firn_value *others = firn_table_get_text(in->tree, "sections"), *item;
    if (others != NULL && others->kind != FIRN_VALUE_TABLE) {
        return fr_fail(err, FIRN_INVALID, "sections", "sections is no table");
    }
    uint32_t cursor = 0;
    firn_value key;
    while ((item = firn_table_next(others, &cursor, &key)) != NULL) {
        if (key.kind != FIRN_VALUE_STRING || strlen(key.as.string) != key.length) {
            return fr_fail(err, FIRN_INVALID, "sections", "a key of sections is no name");
        }
        firn_result result = take_section_value(in, key.as.string, item, err);
        if (result != FIRN_OK) {
            return result;
        }
    }
    return FIRN_OK;
}

static firn_result take_tree(tree_reader *in, firn_error *err)
{
    firn_result result = take_table(in, FIRN_SECTION_CUSTOM, &in->encoded[0], err);
    if (result == FIRN_OK) {
        result = take_table(in, FIRN_SECTION_VARIABLES, &in->encoded[1], err);
    }
    const firn_value *snapshot = firn_table_get_text(in->tree, FIRN_SECTION_SNAPSHOT);
    if (result == FIRN_OK && snapshot != NULL) {
        result = take_section_value(in, FIRN_SECTION_SNAPSHOT, snapshot, err);
    }
    return result == FIRN_OK ? take_others(in, err) : result;
}

firn_result firn_save_file_from_value(const firn_value *value,
                                      const firn_save_file_options *options, firn_buffer *out,
                                      firn_error *err)
{
    if (value == NULL || value->kind != FIRN_VALUE_TABLE) {
        return fr_fail(err, FIRN_INVALID, "value", "the save is %s",
                       value == NULL ? "NULL" : "no table");
    }
    firn_save_header header;
    fr_file_settings settings;
    firn_result result = fr_file_settings_make(&settings, options, err);
    if (result == FIRN_OK) {
        result = check_tree_keys(value, err);
    }
    if (result == FIRN_OK) {
        result = fr_file_read_header(value, FIRN_INVALID, &header, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    tree_reader in = {.tree = value, .limits = &settings.limits};
    firn_buffer_init(&in.encoded[0], &settings.allocator);
    firn_buffer_init(&in.encoded[1], &settings.allocator);
    result = take_tree(&in, err);
    if (result == FIRN_OK) {
        result = firn_save_file_write(&header, in.sections, in.count, options, out, err);
    }
    firn_buffer_free(&in.encoded[0]);
    firn_buffer_free(&in.encoded[1]);
    return result;
}
