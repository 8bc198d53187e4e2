// Saves: what one holds, collected in the game's thread and written to a file.
#include "base/alloc.h"
#include "base/error.h"
#include "saves/draft.h"
#include "saves/persist_load.h"
#include "snapshot/append.h"

#include <string.h>

// ---------------------------------------------------------------- options

static bool is_section_of_every_save(const char *name)
{
    return strcmp(name, FIRN_SECTION_SNAPSHOT) == 0 || strcmp(name, FIRN_SECTION_CUSTOM) == 0 ||
           strcmp(name, FIRN_SECTION_VARIABLES) == 0;
}

static firn_result check_own_section(const firn_section *section, uint32_t index, firn_error *err)
{
    if (section->name == NULL) {
        return fr_fail(err, FIRN_INVALID, "sections", "section %u has no name", index);
    }
    if (is_section_of_every_save(section->name)) {
        return fr_fail(err, FIRN_INVALID, section->name, "the section %s is not the game's own",
                       section->name);
    }
    firn_result result = fr_section_name_check(section->name, err);
    return result != FIRN_OK || section->bytes != NULL || section->size == 0
               ? result
               : fr_fail(err, FIRN_INVALID, section->name, "the section %s has no bytes",
                         section->name);
}

static firn_result check_own_sections(const firn_section *sections, uint32_t count, firn_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        firn_result result = check_own_section(&sections[i], i, err);
        if (result != FIRN_OK) {
            return result;
        }
        for (uint32_t j = 0; j < i; j++) {
            if (strcmp(sections[i].name, sections[j].name) == 0) {
                return fr_fail(err, FIRN_INVALID, sections[i].name, "the section %s is there twice",
                               sections[i].name);
            }
        }
    }
    return FIRN_OK;
}

firn_result fr_draft_check_options(const firn_saves *saves, const firn_saves_write_options *options,
                                   firn_error *err)
{
    const uint32_t most = FIRN_SECTIONS_MOST - FR_DRAFT_SECTIONS - (saves->persisted ? 1 : 0);
    if (options == NULL) {
        return FIRN_OK;
    }
    if (options->meta != NULL && options->meta->kind != FIRN_VALUE_TABLE) {
        return fr_fail(err, FIRN_INVALID, "meta", "meta is no table");
    }
    if (options->sections == NULL && options->section_count > 0) {
        return fr_fail(err, FIRN_INVALID, "sections", "sections is NULL, with a count of %u",
                       options->section_count);
    }
    if (options->section_count > most) {
        return fr_fail(err, FIRN_LIMIT, "sections",
                       "%u sections of the game's own are more than the %u allowed",
                       options->section_count, most);
    }
    firn_result result = fr_check_reserved(options->reserved, "firn_saves_write_options", err);
    return result == FIRN_OK ? check_own_sections(options->sections, options->section_count, err)
                             : result;
}

// ---------------------------------------------------------------- collect

static firn_result copy_level(firn_saves *saves, fr_draft *draft, firn_error *err)
{
    const char *level = fr_saves_level(saves);
    return firn_buffer_append(&draft->level, level, strlen(level) + 1, err);
}

// A line that cannot be counted any further goes on all the same.
static uint64_t next_revision(uint64_t revision)
{
    const uint64_t most = (uint64_t)FR_SAVE_INTEGER_END - 1;
    return revision < most ? revision + 1 : most;
}

static void fill_header(const firn_saves *saves, const firn_value *meta, fr_draft *draft)
{
    draft->header = (firn_save_header){
        .game_version = saves->version,
        .game = saves->game,
        .engine = saves->engine,
        .level = (const char *)draft->level.data,
        .kind = fr_saves_kind_text(saves),
        .timestamp = fr_saves_now(saves),
        .tick = firn_world_tick(saves->world),
        .play_time = saves->line.play_time,
        .revision = next_revision(saves->line.revision),
        .parent = saves->line.identity,
        .meta = meta,
    };
}

static void list_own_sections(const firn_saves_write_options *options, fr_draft *draft)
{
    for (uint32_t i = 0; i < options->section_count; i++) {
        draft->own[i] = &options->sections[i];
    }
    draft->own_count = options->section_count;
    if (draft->saves->persisted) {
        draft->persist_section = (firn_section){.name = FIRN_SECTION_PERSIST};
        draft->own[draft->own_count++] = &draft->persist_section;
    }
    fr_file_sort_sections(draft->own, draft->own_count);
}

void fr_draft_init(fr_draft *draft, firn_saves *saves)
{
    *draft = (fr_draft){.saves = saves};
    firn_buffer_init(&draft->level, &saves->allocator);
    firn_buffer_init(&draft->custom, &saves->allocator);
    firn_buffer_init(&draft->variables, &saves->allocator);
    firn_buffer_init(&draft->snapshot, &saves->allocator);
    firn_buffer_init(&draft->persist, &saves->allocator);
}

firn_result fr_draft_make(fr_draft *draft, const firn_saves_write_options *options, firn_error *err)
{
    const firn_saves_write_options defaults = {0};
    options = options == NULL ? &defaults : options;
    firn_saves *saves = draft->saves;
    fr_worker_look(saves, false); // the line of saves goes on from what is done
    firn_buffer_clear(&draft->level);
    firn_buffer_clear(&draft->custom);
    firn_buffer_clear(&draft->variables);
    draft->captured = false;
    firn_result result = fr_hooks_collect(saves, &draft->doc, &draft->custom, err);
    if (result == FIRN_OK) {
        result = fr_saves_check(saves, err); // a hook may have ended the world
    }
    if (result == FIRN_OK) {
        result = copy_level(saves, draft, err);
    }
    if (result == FIRN_OK) {
        result = fr_variables_write(saves, &draft->variables, err);
    }
    if (result == FIRN_OK) {
        fill_header(saves, options->meta, draft);
        list_own_sections(options, draft);
    }
    return result;
}

void fr_draft_free(fr_draft *draft)
{
    firn_buffer_free(&draft->custom);
    firn_buffer_free(&draft->variables);
    firn_buffer_free(&draft->snapshot);
    firn_buffer_free(&draft->persist);
    firn_buffer_free(&draft->level);
    firn_doc_destroy(draft->doc);
}

static firn_result append_snapshot(fr_draft *draft, size_t behind, firn_buffer *out,
                                   firn_digest *digest, firn_error *err)
{
    firn_save_options options = draft->saves->snapshot;
    options.digest = digest;
    fr_persist_output output = {draft->saves, &draft->persist, draft->also, draft->also_user};
    const fr_append append = {.pick = draft->saves->persisted ? fr_persist_pick : NULL,
                              .pick_user = &output,
                              .behind = behind};
    firn_result result = fr_snapshot_append_with(draft->saves->world, &options, &append, out, err);
    draft->persist_section.bytes = draft->persist.data;
    draft->persist_section.size = draft->persist.size;
    return result;
}

firn_result fr_draft_capture(fr_draft *draft, firn_error *err)
{
    firn_buffer_clear(&draft->snapshot);
    firn_result result = append_snapshot(draft, 0, &draft->snapshot, NULL, err);
    draft->captured = result == FIRN_OK;
    return result;
}

// ---------------------------------------------------------------- write

// Takes the snapshot while the file is written, with room for the sections that come behind it.
static firn_result write_snapshot(fr_draft *draft, fr_file_out *file, size_t behind,
                                  firn_error *err)
{
    firn_digest digest;
    firn_result result = append_snapshot(draft, behind, fr_file_open_section(file), &digest, err);
    if (result != FIRN_OK) {
        fr_file_cancel(file);
        return result;
    }
    return fr_file_close_section(file, &digest, err);
}

firn_save_file_options fr_saves_file_options(const firn_saves *saves)
{
    return (firn_save_file_options){.limits = &saves->limits,
                                    .allocator = &saves->allocator,
                                    .compression = saves->compression};
}

firn_result fr_draft_write(fr_draft *draft, firn_buffer *out, firn_digest *identity,
                           firn_error *err)
{
    const firn_section every[FR_DRAFT_SECTIONS] = {
        {FIRN_SECTION_SNAPSHOT, draft->snapshot.data, draft->snapshot.size},
        {FIRN_SECTION_CUSTOM, draft->custom.data, draft->custom.size},
        {FIRN_SECTION_VARIABLES, draft->variables.data, draft->variables.size}};
    const firn_section *sections[FIRN_SECTIONS_MOST];
    const char *names[FIRN_SECTIONS_MOST];
    const uint32_t count = FR_DRAFT_SECTIONS + draft->own_count;
    for (uint32_t i = 0; i < count; i++) {
        sections[i] = i < FR_DRAFT_SECTIONS ? &every[i] : draft->own[i - FR_DRAFT_SECTIONS];
        names[i] = sections[i]->name;
    }
    const firn_save_file_options options = fr_saves_file_options(draft->saves);
    fr_file_out file;
    firn_result result = fr_file_begin(&file, &draft->header, names, count, &options, out, err);
    const uint32_t done = draft->captured ? 0 : 1;
    if (result == FIRN_OK && !draft->captured) {
        size_t behind = fr_file_room(&file, sections + done, count - done);
        result = write_snapshot(draft, &file, behind, err);
    }
    if (result == FIRN_OK) {
        result = fr_file_sections(&file, sections + done, count - done, err);
    }
    return result == FIRN_OK ? fr_file_end(&file, identity, err) : result;
}

void fr_draft_saved(const fr_draft *draft, firn_digest identity)
{
    draft->saves->line.revision = draft->header.revision;
    draft->saves->line.identity = identity;
}

firn_result firn_saves_make(firn_saves *saves, const firn_saves_write_options *options,
                            firn_buffer *out, firn_error *err)
{
    firn_result result = fr_saves_check_ready(saves, "firn_saves_request_save", err);
    if (result == FIRN_OK && out == NULL) {
        result = fr_fail(err, FIRN_INVALID, "out", "out is NULL");
    }
    if (result == FIRN_OK) {
        result = fr_draft_check_options(saves, options, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    fr_draft draft;
    firn_digest identity;
    fr_draft_init(&draft, saves);
    result = fr_draft_make(&draft, options, err);
    if (result == FIRN_OK) {
        result = fr_draft_write(&draft, out, &identity, err);
    }
    if (result == FIRN_OK) {
        fr_draft_saved(&draft, identity);
    }
    fr_draft_free(&draft);
    return result;
}
