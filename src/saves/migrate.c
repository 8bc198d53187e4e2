// Saves of older versions of the game: one step after the other, on a copy.
#include "base/error.h"
#include "saves/draft.h"
#include "saves/take.h"
#include "snapshot/table.h"

#include <stdio.h>
#include <string.h>

#define VERSION_TEXT_BYTES 16

// What the steps of one migration share.
typedef struct migration_run {
    const firn_saves *saves;
    firn_save_file *file;
    firn_limits limits; // of the copy, in which the whole snapshot is one string at times
    firn_doc *doc;
    firn_value *save;
    uint32_t from;
    bool tables; // a step has a function: the snapshot is a table
    firn_error *err;
} migration_run;

// The step from a version, or NULL.
static const firn_migration *find_step(const firn_saves *saves, uint32_t from)
{
    for (uint32_t i = 0; i < saves->migration_count; i++) {
        if (saves->migrations[i].from == from) {
            return &saves->migrations[i];
        }
    }
    return NULL;
}

static const char *version_text(char text[VERSION_TEXT_BYTES], uint32_t version)
{
    (void)snprintf(text, VERSION_TEXT_BYTES, "%u", version);
    return text;
}

static firn_result find_steps(migration_run *run)
{
    char text[VERSION_TEXT_BYTES];
    for (uint32_t version = run->from; version < run->saves->version; version++) {
        const firn_migration *step = find_step(run->saves, version);
        if (step == NULL) {
            return fr_fail(run->err, FIRN_NOT_FOUND, version_text(text, version),
                           "version %u to %u: there is no migration from version %u", run->from,
                           run->saves->version, version);
        }
        run->tables |= step->migrate != NULL;
    }
    return FIRN_OK;
}

// ---------------------------------------------------------------- the copy

// Steps may rely on the maps of a save, also where another writer left them out.
static firn_result add_missing_map(migration_run *run, const char *key)
{
    firn_error why;
    if (firn_table_get_text(run->save, key) != NULL) {
        return FIRN_OK;
    }
    const firn_value *map = firn_value_table(run->doc, &why);
    return map == NULL ? fr_fail_copy(run->err, &why)
                       : firn_table_set_text(run->doc, run->save, key, map, run->err);
}

static firn_result table_of_snapshot(migration_run *run)
{
    const firn_value *bytes = firn_table_get_text(run->save, FIRN_SECTION_SNAPSHOT);
    if (bytes == NULL || bytes->kind != FIRN_VALUE_STRING) {
        return fr_fail(run->err, FIRN_CORRUPT, FIRN_SECTION_SNAPSHOT, "the save has no snapshot");
    }
    firn_value *table;
    firn_result result = fr_table_of_image(bytes->as.string, bytes->length, &run->saves->limits,
                                           &run->saves->allocator, run->doc, &table, run->err);
    return result == FIRN_OK
               ? firn_table_set_text(run->doc, run->save, FIRN_SECTION_SNAPSHOT, table, run->err)
               : result;
}

static firn_result copy_save(migration_run *run)
{
    firn_error why;
    if (run->limits.string_bytes < run->limits.expanded_bytes) {
        run->limits.string_bytes = run->limits.expanded_bytes;
    }
    run->doc = firn_doc_create(&run->saves->allocator, &run->limits, &why);
    run->save = run->doc == NULL ? NULL : firn_save_file_value(run->file, run->doc, &why);
    if (run->save == NULL) {
        return fr_fail_copy(run->err, &why);
    }
    firn_result result = add_missing_map(run, FIRN_SECTION_CUSTOM);
    if (result == FIRN_OK) {
        result = add_missing_map(run, FIRN_SECTION_VARIABLES);
    }
    return result == FIRN_OK && run->tables ? table_of_snapshot(run) : result;
}

// ---------------------------------------------------------------- steps

static firn_result refuse_result(const migration_run *run, uint32_t from, const char *key,
                                 const char *what)
{
    return fr_fail(run->err, FIRN_INVALID, key,
                   "the migration from version %u left a save whose %s is no %s", from, key, what);
}

static bool is_kind_or_absent(const firn_value *value, firn_value_kind kind)
{
    return value == NULL || value->kind == kind;
}

// What a step left has the shape of a save.
static firn_result check_result(const migration_run *run, uint32_t from)
{
    static const char *const texts[] = {"game", "level", "engineVersion"};
    static const char *const tables[] = {FIRN_SECTION_CUSTOM, FIRN_SECTION_VARIABLES,
                                         FIRN_SECTION_SNAPSHOT};
    static const char *const options[] = {"meta", "sections"};
    if (run->save == NULL || run->save->kind != FIRN_VALUE_TABLE) {
        return refuse_result(run, from, "save", "table");
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const firn_value *text = firn_table_get_text(run->save, texts[i]);
        if (text == NULL || text->kind != FIRN_VALUE_STRING) {
            return refuse_result(run, from, texts[i], "text");
        }
    }
    if (strcmp(firn_table_get_text(run->save, "game")->as.string, run->saves->game) != 0) {
        return fr_fail(run->err, FIRN_INVALID, "game",
                       "the migration from version %u left a save of another game", from);
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const firn_value *table = firn_table_get_text(run->save, tables[i]);
        if (table == NULL || table->kind != FIRN_VALUE_TABLE) {
            return refuse_result(run, from, tables[i], "table");
        }
    }
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (!is_kind_or_absent(firn_table_get_text(run->save, options[i]), FIRN_VALUE_TABLE)) {
            return refuse_result(run, from, options[i], "table");
        }
    }
    return FIRN_OK;
}

static firn_result set_version(const migration_run *run, const char *key, uint32_t version)
{
    const firn_value number = {.kind = FIRN_VALUE_NUMBER, .as.number = version};
    return firn_table_set_text(run->doc, run->save, key, &number, run->err);
}

static firn_result run_step(const migration_run *run, const firn_migration *step)
{
    char text[VERSION_TEXT_BYTES];
    firn_error why;
    fr_error_begin(&why);
    firn_result result = step->migrate(step->user, run->doc, run->save, &why);
    if (result != FIRN_OK) {
        fr_error_complete(&why, result);
        return fr_fail(run->err, result, version_text(text, step->from),
                       "the migration from version %u failed: %s", step->from, why.message);
    }
    return check_result(run, step->from);
}

static firn_result run_steps(const migration_run *run)
{
    firn_result result = FIRN_OK;
    for (uint32_t version = run->from; result == FIRN_OK && version < run->saves->version;
         version++) {
        const firn_migration *step = find_step(run->saves, version);
        if (step != NULL && step->migrate != NULL) {
            result = run_step(run, step);
        }
        if (result == FIRN_OK) {
            result = set_version(run, "gameVersion", version + 1);
        }
        if (result == FIRN_OK) {
            result = set_version(run, "saveFormatVersion", FIRN_SAVE_FORMAT_VERSION);
        }
    }
    return result;
}

// ---------------------------------------------------------------- back to bytes

// The snapshot is checked as a table, whose errors say the place in it.
static firn_result snapshot_of_table(const migration_run *run)
{
    const firn_saves *saves = run->saves;
    const firn_value *table = firn_table_get_text(run->save, FIRN_SECTION_SNAPSHOT);
    const firn_load_options options = fr_saves_load_options(saves);
    firn_error why;
    firn_result result = firn_snapshot_check_table(saves->world, table, &options, NULL, &why);
    if (result != FIRN_OK) {
        return fr_fail(run->err, result, why.subject, "migrated from version %u: %s", run->from,
                       why.message);
    }
    firn_buffer image;
    firn_buffer_init(&image, &saves->allocator);
    result = fr_image_of_table(saves->world, table, &saves->limits, &image, run->err);
    const firn_value *bytes = NULL;
    if (result == FIRN_OK) {
        bytes = firn_value_string(run->doc, image.data, image.size, &why);
        result = bytes == NULL ? fr_fail_copy(run->err, &why) : FIRN_OK;
    }
    if (result == FIRN_OK) {
        result = firn_table_set_text(run->doc, run->save, FIRN_SECTION_SNAPSHOT, bytes, run->err);
    }
    firn_buffer_free(&image);
    return result;
}

firn_result fr_migrate(const firn_saves *saves, firn_save_file *file, firn_buffer *out,
                       firn_error *err)
{
    migration_run run = {.saves = saves,
                         .file = file,
                         .limits = saves->limits,
                         .from = firn_save_file_header(file)->game_version,
                         .err = err};
    firn_result result = find_steps(&run);
    if (result == FIRN_OK) {
        result = copy_save(&run);
    }
    if (result == FIRN_OK) {
        result = run_steps(&run);
    }
    if (result == FIRN_OK && run.tables) {
        result = snapshot_of_table(&run);
    }
    if (result == FIRN_OK) {
        firn_save_file_options options = fr_saves_file_options(saves);
        options.compression = 0; // it stays in memory
        firn_error why;
        result = firn_save_file_from_value(run.save, &options, out, &why);
        if (result != FIRN_OK) {
            fr_fail(err, result, why.subject, "migrated from version %u: %s", run.from,
                    why.message);
        }
    }
    firn_doc_destroy(run.doc);
    return result;
}
