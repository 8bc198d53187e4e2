// Other names in the bytes of saves: the public calls, and what saves hold beside the snapshot.
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "saves/file.h"
#include "saves/persist.h"
#include "snapshot/rewrite.h"

// Of zstd, for files that were compressed.
#define REWRITE_COMPRESSION 3

// ---- the section of a persisted save

static firn_result refuse_persist(firn_error *err)
{
    return fr_fail(err, FIRN_CORRUPT, FIRN_SECTION_PERSIST,
                   "the section " FIRN_SECTION_PERSIST " of the save is not one");
}

static bool is_persist_table(const firn_value *value)
{
    return value != NULL && value->kind == FIRN_VALUE_TABLE;
}

static bool is_persist_text(const firn_value *value)
{
    return value != NULL && value->kind == FIRN_VALUE_STRING;
}

// The list of entities that are saved by field. NULL: the section is none of a persisted save.
static const firn_value *parts_of_section(const firn_value *section)
{
    const firn_value *version = firn_table_get_text(section, "version");
    const firn_value *parts = firn_table_get_text(section, "parts");
    bool known = version == NULL || (version->kind == FIRN_VALUE_NUMBER && version->as.number == 1);
    return known && is_persist_table(parts) ? parts : NULL;
}

// {key, {{name, {value}}, ...}, {vars}, id}
static bool is_persist_part(const firn_value *part)
{
    return is_persist_table(part) && is_persist_table(firn_table_get_number(part, 2)) &&
           is_persist_table(firn_table_get_number(part, 3));
}

static firn_result note_saved_part(fr_rewrite *rewrite, const firn_value *part, firn_error *err)
{
    const firn_value *names = firn_table_get_number(part, 2);
    firn_result result = is_persist_part(part) ? FIRN_OK : refuse_persist(err);
    uint32_t count = result == FIRN_OK ? firn_table_array_count(names) : 0;
    for (uint32_t i = 1; result == FIRN_OK && i <= count; i++) {
        const firn_value *pair = firn_table_get_number(names, i);
        const firn_value *name = firn_table_get_number(pair, 1);
        bool good = is_persist_text(name) && is_persist_table(firn_table_get_number(pair, 2));
        result = good ? fr_rewrite_note(rewrite, name->as.string, name->length, err)
                      : refuse_persist(err);
    }
    if (result == FIRN_OK && firn_table_array_count(firn_table_get_number(part, 3)) > 0) {
        result = fr_rewrite_note(rewrite, FR_VARS_NAME, strlen(FR_VARS_NAME), err);
    }
    return result;
}

static firn_result note_section(fr_rewrite *rewrite, const firn_value *section, firn_error *err)
{
    const firn_value *parts = parts_of_section(section);
    firn_result result = parts != NULL ? FIRN_OK : refuse_persist(err);
    uint32_t count = firn_table_array_count(parts);
    for (uint32_t i = 1; result == FIRN_OK && i <= count; i++) {
        result = note_saved_part(rewrite, firn_table_get_number(parts, i), err);
    }
    return result;
}

// The section on its way from old names to new ones.
typedef struct persist_edit {
    fr_rewrite *rewrite;
    firn_doc *doc;    // of the section
    firn_buffer name; // the one at hand
    firn_error *err;
} persist_edit;

static firn_result set_at(const persist_edit *edit, const firn_value *table, double at,
                          const firn_value *item)
{
    const firn_value key = {.kind = FIRN_VALUE_NUMBER, .as.number = at};
    firn_value same = *table;
    return item != NULL ? firn_table_set(edit->doc, &same, &key, item, edit->err) : edit->err->code;
}

// The value of {value}, if it is there: its fields follow the edits.
static firn_result edit_maybe(const persist_edit *edit, uint32_t group, const firn_value *maybe)
{
    const firn_value *value = firn_table_get_number(maybe, 1);
    if (!is_persist_table(value)) {
        return FIRN_OK;
    }
    bool changed;
    firn_value same = *value;
    return fr_rewrite_value(edit->rewrite, group, edit->doc, &same, &changed, edit->err);
}

// Appends {name, {value}} with the name that it has now to a list, or nothing where it goes.
static firn_result edit_pair(persist_edit *edit, const firn_value *pair, firn_value *list)
{
    const firn_value *name = firn_table_get_number(pair, 1);
    uint32_t group;
    firn_result result = fr_rewrite_name(edit->rewrite, name->as.string, name->length, &edit->name,
                                         &group, edit->err);
    if (result != FIRN_OK || edit->name.size == 0) {
        return result;
    }
    result = set_at(edit, pair, 1,
                    firn_value_string(edit->doc, edit->name.data, edit->name.size, edit->err));
    if (result == FIRN_OK) {
        result = edit_maybe(edit, group, firn_table_get_number(pair, 2));
    }
    return result == FIRN_OK ? firn_table_push(edit->doc, list, pair, edit->err) : result;
}

// Variables are values of the component Vars.
static firn_result edit_vars(const persist_edit *edit, const firn_value *part)
{
    fr_rewrite *rewrite = edit->rewrite;
    uint32_t group = fr_rewrite_group_find(rewrite, FR_VARS_NAME, strlen(FR_VARS_NAME));
    const firn_value *maybe = firn_table_get_number(firn_table_get_number(part, 3), 1);
    if (!is_persist_table(maybe)) {
        return FIRN_OK;
    }
    return rewrite->groups[group].dropped
               ? set_at(edit, part, 3, firn_value_table(edit->doc, edit->err))
               : edit_maybe(edit, group, maybe);
}

static firn_result edit_part(persist_edit *edit, const firn_value *part)
{
    const firn_value *names = firn_table_get_number(part, 2);
    uint32_t count = firn_table_array_count(names);
    firn_value *list = firn_value_table(edit->doc, edit->err);
    firn_result result = list != NULL ? FIRN_OK : edit->err->code;
    for (uint32_t i = 1; result == FIRN_OK && i <= count; i++) {
        result = edit_pair(edit, firn_table_get_number(names, i), list);
    }
    if (result == FIRN_OK) {
        result = set_at(edit, part, 2, list);
    }
    return result == FIRN_OK ? edit_vars(edit, part) : result;
}

static firn_result edit_section(fr_rewrite *rewrite, firn_doc *doc, const firn_value *section,
                                firn_buffer *out, firn_error *err)
{
    const firn_value *parts = parts_of_section(section);
    uint32_t count = firn_table_array_count(parts);
    firn_result result = FIRN_OK;
    persist_edit edit = {.rewrite = rewrite, .doc = doc, .err = err};
    firn_buffer_init(&edit.name, &rewrite->allocator);
    for (uint32_t i = 1; result == FIRN_OK && i <= count; i++) {
        result = edit_part(&edit, firn_table_get_number(parts, i));
    }
    firn_buffer_free(&edit.name);
    return result == FIRN_OK ? firn_value_encode(section, &rewrite->limits, out, err) : result;
}

// ---- snapshots

// Opens an image, and notes the names that rows of `persist` list.
static firn_result open_rewrite(fr_rewrite *rewrite, const void *bytes, size_t size,
                                firn_error *err)
{
    firn_result result = fr_rewrite_open(rewrite, bytes, size, err);
    return result == FIRN_OK ? fr_rewrite_lists(rewrite, FR_PERSIST_NAME, "fields", err) : result;
}

static firn_result check_arguments(const void *bytes, const char *what, const firn_buffer *out,
                                   firn_error *err)
{
    if (bytes == NULL || out == NULL) {
        const char *missing = bytes == NULL ? what : "out";
        return fr_fail(err, FIRN_INVALID, missing, "%s is NULL", missing);
    }
    return FIRN_OK;
}

static firn_result rewrite_image(fr_rewrite *rewrite, const void *image, size_t size,
                                 firn_buffer *out, firn_error *err)
{
    firn_result result = open_rewrite(rewrite, image, size, err);
    if (result == FIRN_OK) {
        result = fr_rewrite_plan(rewrite, err);
    }
    return result == FIRN_OK ? fr_rewrite_write(rewrite, out, err) : result;
}

firn_result firn_image_rewrite(const void *image, size_t size, const firn_rewrite_options *options,
                               firn_buffer *out, firn_edit_effect *effects, firn_error *err)
{
    firn_result result = check_arguments(image, "image", out, err);
    if (result != FIRN_OK) {
        return result;
    }
    firn_error why;
    fr_rewrite rewrite;
    size_t start = out->size;
    result = fr_rewrite_begin(&rewrite, options, &why);
    if (result == FIRN_OK) {
        result = rewrite_image(&rewrite, image, size, out, &why);
    }
    if (result == FIRN_OK) {
        result = fr_rewrite_finish(&rewrite, effects, &why);
    }
    fr_rewrite_end(&rewrite);
    if (result != FIRN_OK) {
        out->size = start;
        return fr_fail_copy(err, &why);
    }
    return FIRN_OK;
}

// ---- save files

typedef struct save_rewrite {
    fr_rewrite rewrite;
    firn_save_file *file;
    firn_doc *doc;             // of the section and of meta
    const firn_value *persist; // the section, or NULL
    firn_buffer image, section;
    firn_save_header header;
    firn_value meta;
    firn_section sections[FIRN_SECTIONS_MOST];
    uint32_t count;
    bool compressed;
    bool changed; // some section is another one now
} save_rewrite;

static firn_result read_persist(save_rewrite *save, const firn_section *section, firn_error *err)
{
    firn_error why;
    save->persist = firn_value_decode(save->doc, section->bytes, section->size, &why);
    if (save->persist == NULL && why.code != FIRN_CORRUPT && why.code != FIRN_TRUNCATED) {
        return fr_fail_copy(err, &why);
    }
    return is_persist_table(save->persist) ? note_section(&save->rewrite, save->persist, err)
                                           : refuse_persist(err);
}

// Takes the sections out of the file; those that hold names are opened.
static firn_result read_sections(save_rewrite *save, firn_error *err)
{
    firn_result result = FIRN_OK;
    firn_section_info info;
    for (uint32_t i = 0; result == FIRN_OK && firn_save_file_section_at(save->file, i, &info);
         i++) {
        firn_section *section = &save->sections[save->count++];
        section->name = info.name;
        save->compressed = save->compressed || info.compressed;
        result =
            firn_save_file_section(save->file, info.name, &section->bytes, &section->size, err);
        if (result == FIRN_OK && strcmp(info.name, FIRN_SECTION_SNAPSHOT) == 0) {
            result = open_rewrite(&save->rewrite, section->bytes, section->size, err);
        }
    }
    for (uint32_t i = 0; result == FIRN_OK && i < save->count; i++) {
        if (strcmp(save->sections[i].name, FIRN_SECTION_PERSIST) == 0) {
            result = read_persist(save, &save->sections[i], err);
        }
    }
    return result;
}

static void replace_section(save_rewrite *save, firn_section *section, const firn_buffer *bytes)
{
    save->changed = save->changed || section->size != bytes->size ||
                    memcmp(section->bytes, bytes->data, bytes->size) != 0;
    section->bytes = bytes->data;
    section->size = bytes->size;
}

// Puts what changed in the place of what was.
static firn_result edit_sections(save_rewrite *save, firn_error *err)
{
    firn_result result = fr_rewrite_plan(&save->rewrite, err);
    uint32_t left = 0;
    for (uint32_t i = 0; result == FIRN_OK && i < save->count; i++) {
        firn_section *section = &save->sections[i];
        if (strcmp(section->name, FIRN_SECTION_THUMBNAIL) == 0) {
            result = fr_file_put_thumbnail(save->doc, &save->header, &save->meta, section->bytes,
                                           section->size, err);
            continue;
        }
        if (strcmp(section->name, FIRN_SECTION_SNAPSHOT) == 0) {
            result = fr_rewrite_write(&save->rewrite, &save->image, err);
            replace_section(save, section, &save->image);
        } else if (strcmp(section->name, FIRN_SECTION_PERSIST) == 0) {
            result = edit_section(&save->rewrite, save->doc, save->persist, &save->section, err);
            replace_section(save, section, &save->section);
        }
        save->sections[left++] = *section;
    }
    save->count = left;
    return result;
}

static firn_result copy_header(save_rewrite *save, uint32_t game_version, firn_error *err)
{
    save->header = *firn_save_file_header(save->file);
    if (game_version > 0 && game_version != save->header.game_version) {
        save->header.game_version = game_version;
        save->changed = true;
    }
    if (save->header.meta != NULL) {
        save->header.meta =
            fr_file_copy_meta(save->header.meta, &save->rewrite.allocator, save->doc, err);
        return save->header.meta != NULL ? FIRN_OK : err->code;
    }
    return FIRN_OK;
}

static firn_result rewrite_save(save_rewrite *save, const void *bytes, size_t size,
                                uint32_t game_version, firn_buffer *out, firn_error *err)
{
    firn_save_file_options options = {.limits = &save->rewrite.limits,
                                      .allocator = &save->rewrite.allocator};
    save->doc = firn_doc_create(&save->rewrite.allocator, &save->rewrite.limits, err);
    save->file = save->doc != NULL ? firn_save_file_open(bytes, size, &options, err) : NULL;
    firn_result result = save->file != NULL ? copy_header(save, game_version, err) : err->code;
    if (result == FIRN_OK) {
        result = read_sections(save, err);
    }
    if (result == FIRN_OK) {
        result = edit_sections(save, err);
    }
    if (result == FIRN_OK && !save->changed) { // compressing again might give other bytes
        return firn_buffer_append(out, bytes, size, err);
    }
    if (result == FIRN_OK) {
        options.compression = save->compressed ? REWRITE_COMPRESSION : 0;
        result =
            firn_save_file_write(&save->header, save->sections, save->count, &options, out, err);
    }
    return result;
}

firn_result firn_save_file_rewrite(const void *file, size_t size,
                                   const firn_rewrite_options *options, firn_buffer *out,
                                   firn_edit_effect *effects, firn_error *err)
{
    firn_result result = check_arguments(file, "file", out, err);
    if (result != FIRN_OK) {
        return result;
    }
    firn_error why;
    size_t start = out->size;
    save_rewrite save = {.count = 0};
    result = fr_rewrite_begin(&save.rewrite, options, &why);
    firn_buffer_init(&save.image, &save.rewrite.allocator);
    firn_buffer_init(&save.section, &save.rewrite.allocator);
    if (result == FIRN_OK) {
        uint32_t game_version = options != NULL ? options->game_version : 0;
        result = rewrite_save(&save, file, size, game_version, out, &why);
    }
    if (result == FIRN_OK) {
        result = fr_rewrite_finish(&save.rewrite, effects, &why);
    }
    fr_rewrite_end(&save.rewrite);
    firn_doc_destroy(save.doc);
    firn_save_file_close(save.file);
    firn_buffer_free(&save.image);
    firn_buffer_free(&save.section);
    if (result != FIRN_OK) {
        out->size = start;
        return fr_fail_copy(err, &why);
    }
    return FIRN_OK;
}
