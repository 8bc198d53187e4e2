// Play mode of editors: the world as it was edited is kept as a save file in memory, which the end
// of play loads.
#include "base/error.h"
#include "saves/draft.h"
#include "saves/take.h"
#include "snapshot/append.h"

#include <string.h>

static firn_result check_editor(const firn_saves *saves, firn_error *err)
{
    firn_result result = fr_saves_check(saves, err);
    return result == FIRN_OK && !saves->editor
               ? fr_fail(err, FIRN_INVALID, "editor", "the manager is not that of an editor")
               : result;
}

// All of the world, whatever the options of saves leave out of them.
static firn_result write_edited(firn_saves *saves, firn_buffer *out, firn_error *err)
{
    static const char *const names[] = {FIRN_SECTION_SNAPSHOT};
    const firn_save_header header = {.game_version = saves->version,
                                     .game = saves->game,
                                     .engine = saves->engine,
                                     .level = fr_saves_level(saves)};
    const firn_save_file_options options = {.limits = &saves->limits,
                                            .allocator = &saves->allocator};
    fr_file_out file;
    firn_result result = fr_file_begin(&file, &header, names, 1, &options, out, err);
    if (result != FIRN_OK) {
        return result;
    }
    firn_digest digest;
    const firn_save_options all = {.data = saves->snapshot.data,
                                   .data_count = saves->snapshot.data_count,
                                   .sparse_edges = true,
                                   .digest = &digest};
    result = fr_snapshot_append(saves->world, &all, fr_file_open_section(&file), err);
    if (result != FIRN_OK) {
        fr_file_cancel(&file);
        return result;
    }
    result = fr_file_close_section(&file, &digest, err);
    return result == FIRN_OK ? fr_file_end(&file, NULL, err) : result;
}

firn_result firn_saves_play_begin(firn_saves *saves, firn_error *err)
{
    firn_result result = check_editor(saves, err);
    if (result == FIRN_OK && saves->playing) {
        result = fr_fail(err, FIRN_EXISTS, "play", "the editor is in play already");
    }
    if (result == FIRN_OK) {
        result = fr_saves_check_rests(saves, NULL, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    saves->busy = "the begin of play";
    firn_buffer_clear(&saves->edited);
    fr_scene_free(&saves->allocator, &saves->edited_scene);
    result = write_edited(saves, &saves->edited, err);
    if (result == FIRN_OK &&
        !fr_scene_keep(&saves->allocator, &saves->scene, &saves->edited_scene)) {
        result = fr_fail_memory(err, "a scene");
    }
    saves->busy = NULL;
    saves->requests.played = 0;
    saves->playing = result == FIRN_OK;
    return result;
}

// Loads the world as it was edited: with all that nobody knows, and, in the level that it is of,
// without entering one.
static firn_result restore_edited(firn_saves *saves, firn_saves_loaded *loaded, firn_error *err)
{
    const bool keeps = saves->keep_unknown, skips = saves->skip_unknown;
    const firn_levels levels = saves->levels;
    const bool persisted = saves->persisted;
    if (strcmp(firn_save_file_header(loaded->envelope)->level, fr_saves_level(saves)) == 0) {
        saves->levels.enter = NULL;
    }
    saves->persisted = false;
    saves->keep_unknown = true;
    saves->skip_unknown = false;
    firn_result result = fr_take_file(saves, loaded, err);
    saves->persisted = persisted;
    saves->keep_unknown = keeps;
    saves->skip_unknown = skips;
    saves->levels = levels;
    return result;
}

static firn_result stop_play(firn_saves *saves, fr_variables *none, firn_error *err)
{
    const firn_save_file_options options = fr_saves_file_options(saves);
    firn_saves_loaded loaded = {.world = saves->world};
    firn_error why;
    loaded.envelope = firn_save_file_open(saves->edited.data, saves->edited.size, &options, &why);
    firn_result result =
        loaded.envelope == NULL ? fr_fail_copy(err, &why) : restore_edited(saves, &loaded, err);
    firn_saves_loaded_free(&loaded);
    if (result != FIRN_OK) {
        return result;
    }
    fr_scene_free(&saves->allocator, &saves->scene);
    saves->scene = saves->edited_scene;
    saves->edited_scene = (fr_scene){.name = NULL};
    fr_variables_free(&saves->variables);
    saves->variables = *none;
    *none = (fr_variables){.doc = NULL};
    saves->line = (fr_save_line){.revision = 0};
    saves->playing = false;
    fr_requests_drop(saves);
    firn_buffer_free(&saves->edited);
    return FIRN_OK;
}

firn_result firn_saves_play_stop(firn_saves *saves, firn_error *err)
{
    firn_result result = check_editor(saves, err);
    if (result == FIRN_OK && !saves->playing) {
        result = fr_fail(err, FIRN_NOT_FOUND, "play", "the editor is not in play");
    }
    if (result == FIRN_OK) {
        result = fr_saves_check_rests(saves, NULL, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    fr_variables none = {.doc = NULL};
    fr_worker_finish(saves);
    result = fr_variables_make(saves, &none, err);
    if (result == FIRN_OK) {
        result = stop_play(saves, &none, err);
    }
    fr_variables_free(&none);
    return result;
}

bool firn_saves_playing(const firn_saves *saves)
{
    return saves != NULL && saves->playing;
}
