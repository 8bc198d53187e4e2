// Loads: all that can be checked is checked; then the level is entered and the world restored; what
// fails from there on takes the game back to where it was.
#include "saves/take.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "plugin/registry.h"
#include "saves/draft.h"
#include "saves/persist_load.h"
#include "saves/scene_load.h"
#include "snapshot/append.h"

#include <string.h>

// One load.
typedef struct save_take {
    firn_saves *saves;
    firn_saves_loaded *loaded;
    fr_save_line line;      // what the save's is
    fr_variables variables; // those of the save, until they are the manager's
    const void *image;
    size_t image_size;
    const void *persist; // of a persisted save: its section
    size_t persist_size;
    fr_scene scene;    // that it is of
    fr_scene before;   // that the game was in
    bool enters;       // a level is entered
    bool returns;      // the running world is kept, for going back
    char *level;       // the one that it is in
    firn_buffer kept;  // its snapshot
    bool entered;      // a level was entered
    firn_world *first; // the world before the first one, or NULL: entering destroyed it
    firn_world *left;  // the one before the last, in the same way
} save_take;

// ---------------------------------------------------------------- what the header says

static firn_result check_game(const firn_saves *saves, const firn_save_header *header,
                              firn_error *err)
{
    if (strcmp(header->game, saves->game) != 0) {
        return fr_fail(err, FIRN_OTHER_GAME, header->game,
                       "the save is of the game %.100s, and this one is %.100s", header->game,
                       saves->game);
    }
    const char *kind = fr_saves_kind_of(header);
    if (strcmp(kind, fr_saves_kind_text(saves)) != 0) {
        return fr_fail(err, FIRN_UNSUPPORTED, "kind",
                       "the save is of the kind %.100s, and this game loads the kind %s", kind,
                       fr_saves_kind_text(saves));
    }
    if (header->game_version > saves->version) {
        return fr_fail(err, FIRN_NEWER, "gameVersion",
                       "the save is of version %u of the game, and this one is version %u",
                       header->game_version, saves->version);
    }
    return FIRN_OK;
}

// From here on the envelope is the save as this version of the game would have written it.
static firn_result migrate_envelope(save_take *take, firn_error *err)
{
    firn_saves_loaded *loaded = take->loaded;
    uint32_t version = firn_save_file_header(loaded->envelope)->game_version;
    if (version == take->saves->version) {
        return FIRN_OK;
    }
    firn_buffer bytes;
    firn_buffer_init(&bytes, &take->saves->allocator);
    firn_save_file *file = NULL;
    firn_result result = fr_migrate(take->saves, loaded->envelope, &bytes, err);
    if (result == FIRN_OK) {
        const firn_save_file_options options = fr_saves_file_options(take->saves);
        firn_error why;
        file = firn_save_file_open(bytes.data, bytes.size, &options, &why);
        result = file == NULL ? fr_fail_copy(err, &why) : FIRN_OK;
    }
    if (result != FIRN_OK) {
        firn_buffer_free(&bytes);
        return result;
    }
    firn_save_file_close(loaded->envelope);
    firn_buffer_free(&loaded->bytes);
    loaded->envelope = file;
    loaded->bytes = bytes;
    loaded->migrated_from = version;
    take->line.play_time = firn_save_file_header(file)->play_time;
    return FIRN_OK;
}

// ---------------------------------------------------------------- what the sections say

// The bytes of a map; of one that the file does not have, those of an empty one.
static firn_result find_map(const save_take *take, const char *name, const void **bytes,
                            size_t *size, firn_error *err)
{
    static const uint8_t empty_map[] = {0x08};
    firn_error why;
    firn_result result = firn_save_file_section(take->loaded->envelope, name, bytes, size, &why);
    if (result == FIRN_NOT_FOUND) {
        *bytes = empty_map;
        *size = sizeof empty_map;
        return FIRN_OK;
    }
    return result == FIRN_OK ? FIRN_OK : fr_fail_copy(err, &why);
}

static firn_result read_variables(save_take *take, firn_error *err)
{
    const void *bytes;
    size_t size;
    firn_result result = find_map(take, FIRN_SECTION_VARIABLES, &bytes, &size, err);
    return result == FIRN_OK ? fr_variables_read(take->saves, bytes, size, &take->variables, err)
                             : result;
}

static firn_result find_persist(save_take *take, firn_error *err)
{
    firn_saves *saves = take->saves;
    if (!saves->persisted) {
        return FIRN_OK;
    }
    firn_result result =
        find_map(take, FIRN_SECTION_PERSIST, &take->persist, &take->persist_size, err);
    return result == FIRN_OK ? fr_scene_read(&saves->allocator, &saves->limits, take->persist,
                                             take->persist_size, &take->scene, err)
                             : result;
}

// The game reads it from the envelope, which then cannot surprise it.
static firn_result check_custom(const save_take *take, firn_error *err)
{
    const void *bytes;
    size_t size;
    firn_result result = find_map(take, FIRN_SECTION_CUSTOM, &bytes, &size, err);
    if (result != FIRN_OK) {
        return result;
    }
    firn_error why;
    firn_doc *doc = firn_doc_create(&take->saves->allocator, &take->saves->limits, &why);
    const firn_value *custom = doc == NULL ? NULL : firn_value_decode(doc, bytes, size, &why);
    if (custom == NULL) {
        result = fr_fail_copy(err, &why);
    } else if (custom->kind != FIRN_VALUE_TABLE) {
        result = fr_fail(err, FIRN_CORRUPT, FIRN_SECTION_CUSTOM, "custom of the save is no table");
    }
    firn_doc_destroy(doc);
    return result;
}

static firn_result find_image(save_take *take, firn_error *err)
{
    firn_error why;
    firn_result result = firn_save_file_section(take->loaded->envelope, FIRN_SECTION_SNAPSHOT,
                                                &take->image, &take->image_size, &why);
    if (result == FIRN_NOT_FOUND) {
        return fr_fail(err, FIRN_CORRUPT, FIRN_SECTION_SNAPSHOT, "the save has no snapshot");
    }
    return result == FIRN_OK ? FIRN_OK : fr_fail_copy(err, &why);
}

// A persisted save of the level and scene that the game is in is put back as it is.
static bool enters_level(const save_take *take)
{
    firn_saves *saves = take->saves;
    const firn_save_header *header = firn_save_file_header(take->loaded->envelope);
    bool stays = saves->persisted && strcmp(fr_saves_level(saves), header->level) == 0 &&
                 (take->scene.name == NULL ||
                  fr_scene_fits(saves, &take->scene, take->image, take->image_size));
    return saves->levels.enter != NULL && !stays;
}

static bool is_scene(const firn_saves *saves, const fr_scene *scene)
{
    return saves->scene.name != NULL && strcmp(saves->scene.name, scene->name) == 0;
}

// How the game comes to the scene of the save.
static firn_result plan_scene(save_take *take, firn_error *err)
{
    const firn_saves *saves = take->saves;
    const fr_scene *scene = &take->scene;
    take->enters = enters_level(take);
    if (take->enters || scene->name == NULL) {
        return FIRN_OK;
    }
    if (!is_scene(saves, scene)) {
        return fr_fail(
            err, FIRN_UNKNOWN, scene->name,
            "the save is of the scene \"%.100s\", and the manager has no levels to enter",
            scene->name);
    }
    return FIRN_OK;
}

// Without a level to enter the load itself checks everything before it changes anything.
static firn_result check_image(const save_take *take, firn_error *err)
{
    const firn_saves *saves = take->saves;
    if (!take->enters) {
        return FIRN_OK;
    }
    const firn_load_options options = fr_saves_load_options(saves);
    firn_load_report report = {0};
    firn_result result =
        firn_snapshot_check(saves->world, take->image, take->image_size, &options, &report, err);
    if (result == FIRN_OK) {
        firn_load_report_free(&report);
    } else {
        take->loaded->report = report;
    }
    return result;
}

// The envelope is of this game, and becomes one of its version.
static firn_result ready_envelope(save_take *take, firn_error *err)
{
    const firn_save_file *file = take->loaded->envelope;
    const firn_save_header *header = firn_save_file_header(file);
    firn_result result = check_game(take->saves, header, err);
    if (result != FIRN_OK) {
        return result;
    }
    // What is saved next follows the save as it is in its slot, not as migrated.
    take->line = (fr_save_line){header->play_time, header->revision, firn_save_file_identity(file)};
    return migrate_envelope(take, err);
}

static firn_result check_envelope(save_take *take, firn_error *err)
{
    firn_result result = ready_envelope(take, err);
    if (result == FIRN_OK) {
        result = check_custom(take, err);
    }
    if (result == FIRN_OK) {
        result = read_variables(take, err);
    }
    if (result == FIRN_OK) {
        result = find_image(take, err);
    }
    if (result == FIRN_OK) {
        result = find_persist(take, err);
    }
    if (result == FIRN_OK) {
        result = plan_scene(take, err);
    }
    return result == FIRN_OK ? check_image(take, err) : result;
}

// ---------------------------------------------------------------- the way back

// Whether a load into the world can fail when it holds the save already.
static bool calls_back_late(const firn_world *world)
{
    const fr_registry *registry = fr_registry_of(world);
    for (uint32_t i = 0; registry != NULL && i < registry->handler_count; i++) {
        const firn_handler *handler = &registry->handlers[i].table;
        if (handler->load != NULL || handler->finish != NULL) {
            return true;
        }
    }
    const uint32_t events = FR_HEARD(FR_EVENT_LOAD_START) | FR_HEARD(FR_EVENT_LOAD_FINISH);
    return world->watch.restore != NULL || (world->events_heard & events) != 0;
}

static firn_result keep_level(save_take *take, firn_error *err)
{
    firn_saves *saves = take->saves;
    const char *level = fr_saves_level(saves);
    take->level = fr_copy_text(&saves->allocator, level, strlen(level));
    return take->level != NULL ? FIRN_OK : fr_fail_memory(err, "the name of the level");
}

// All of the world, whatever the options of saves leave out of them.
static firn_result keep_running_world(save_take *take, firn_error *err)
{
    firn_saves *saves = take->saves;
    take->returns = take->enters || calls_back_late(saves->world);
    if (!take->returns) {
        return FIRN_OK;
    }
    if (!fr_scene_keep(&saves->allocator, &saves->scene, &take->before)) {
        return fr_fail_memory(err, "a scene");
    }
    firn_result result = keep_level(take, err);
    const firn_save_options options = {.data = saves->snapshot.data,
                                       .data_count = saves->snapshot.data_count,
                                       .sparse_edges = true};
    return result == FIRN_OK ? fr_snapshot_append(saves->world, &options, &take->kept, err)
                             : result;
}

// Enters a level and binds the manager to the world that it is in then.
static firn_result enter_level(save_take *take, const char *name, firn_error *err)
{
    firn_saves *saves = take->saves;
    firn_world *world = saves->world;
    if (!take->enters) {
        return FIRN_OK;
    }
    firn_result result = fr_level_enter(saves, name, true, &world, err);
    if (result != FIRN_OK) {
        return result;
    }
    take->first = take->entered ? take->first : saves->world;
    take->left = saves->world;
    take->entered = true;
    return fr_level_bind(saves, name, world, err);
}

// The game is in the world of the level: on the bus of both it takes the place of those before.
static void take_place_on_bus(const save_take *take)
{
    if (take->entered) {
        fr_level_take_bus(take->first, take->saves->world);
        fr_level_take_bus(take->left, take->saves->world);
    }
}

static firn_result return_to_level(save_take *take, firn_error *err)
{
    const firn_load_options options = {.keep_unknown = true};
    firn_error why;
    firn_result entered = enter_level(take, take->level, &why);
    // Whatever becomes of the level, its entities are those of before.
    firn_result result = firn_snapshot_load(take->saves->world, take->kept.data, take->kept.size,
                                            &options, NULL, err);
    return entered == FIRN_OK ? result : fr_fail_copy(err, &why);
}

// *why is the failure that made it necessary.
static void go_back(save_take *take, firn_error *why)
{
    firn_error back;
    firn_result result = return_to_level(take, &back);
    take->loaded->went_back = result == FIRN_OK;
    take->loaded->report.committed = false;
    if (result == FIRN_OK) {
        take_place_on_bus(take);
    } else {
        const firn_error first = *why;
        fr_fail(why, first.code, first.subject,
                "%.200s; going back to the level \"%.60s\" failed too: %.200s", first.message,
                take->level, back.message);
    }
}

// ---------------------------------------------------------------- the load

static firn_result restore_world(save_take *take, firn_error *err)
{
    firn_saves *saves = take->saves;
    const firn_load_options options = fr_saves_load_options(saves);
    const fr_scene *scene = &take->scene;
    if (scene->name != NULL && !is_scene(saves, scene)) {
        return fr_fail(err, FIRN_INVALID, scene->name,
                       "the level of the save has made no scene \"%.100s\"", scene->name);
    }
    if (saves->persisted) {
        const fr_persist_input input = {take->image, take->image_size, take->persist,
                                        take->persist_size, scene};
        return fr_persist_restore(saves, &input, &options, take->loaded, err);
    }
    return firn_snapshot_load(saves->world, take->image, take->image_size, &options,
                              &take->loaded->report, err);
}

// Everything is checked and kept: the game changes from here on.
static firn_result enter_and_restore(save_take *take, firn_error *err)
{
    firn_error why;
    const char *level = firn_save_file_header(take->loaded->envelope)->level;
    firn_result result = enter_level(take, level, &why);
    // A level that there is not leaves everything as it was; but something in it may be unknown,
    // too.
    const firn_saves *saves = take->saves;
    bool changed = take->enters && (take->entered || saves->left || result != FIRN_UNKNOWN);
    if (result == FIRN_OK) {
        result = restore_world(take, &why);
        changed = changed || take->loaded->report.committed;
    }
    if (result == FIRN_OK) {
        take_place_on_bus(take);
        return FIRN_OK;
    }
    if (changed && take->returns) {
        go_back(take, &why);
    }
    return fr_fail_copy(err, &why);
}

static void finish_take(save_take *take)
{
    firn_saves *saves = take->saves;
    fr_variables_free(&saves->variables);
    saves->variables = take->variables;
    take->variables = (fr_variables){0};
    saves->line = take->line;
    saves->requests.played = 0;
    fr_requests_drop_enter(saves);
}

// The scene is again the one from before the load.
static void return_to_scene(save_take *take)
{
    fr_scene_free(&take->saves->allocator, &take->saves->scene);
    take->saves->scene = take->before;
    take->before = (fr_scene){.name = NULL};
}

firn_result fr_take_file(firn_saves *saves, firn_saves_loaded *loaded, firn_error *err)
{
    save_take take = {.saves = saves, .loaded = loaded};
    firn_buffer_init(&take.kept, &saves->allocator);
    saves->busy = "a load";
    saves->loading = true;
    firn_result result = check_envelope(&take, err);
    if (result == FIRN_OK) {
        result = keep_running_world(&take, err);
    }
    if (result == FIRN_OK) {
        result = enter_and_restore(&take, err);
        if (result != FIRN_OK && take.returns) {
            return_to_scene(&take);
        }
    }
    if (result == FIRN_OK) {
        finish_take(&take);
    }
    fr_scene_free(&saves->allocator, &take.before);
    fr_scene_free(&saves->allocator, &take.scene);
    saves->loading = false;
    saves->busy = NULL;
    loaded->world = saves->world;
    fr_variables_free(&take.variables);
    fr_free_text(&saves->allocator, take.level);
    firn_buffer_free(&take.kept);
    return result;
}

// ---------------------------------------------------------------- calls of the game

void firn_saves_loaded_free(firn_saves_loaded *loaded)
{
    if (loaded == NULL) {
        return;
    }
    firn_save_file_close(loaded->envelope);
    firn_load_report_free(&loaded->report);
    firn_merged *moved = (firn_merged *)loaded->moved;
    FR_ARRAY_FREE(&loaded->allocator, moved, loaded->moved_room);
    uint64_t *missing = (uint64_t *)loaded->scene_missing, *added = (uint64_t *)loaded->scene_new;
    FR_ARRAY_FREE(&loaded->allocator, missing, loaded->missing_room);
    FR_ARRAY_FREE(&loaded->allocator, added, loaded->new_room);
    firn_buffer_free(&loaded->bytes);
    *loaded = (firn_saves_loaded){0};
}

firn_result fr_take_ready(firn_saves *saves, firn_saves_loaded *loaded, firn_error *err)
{
    save_take take = {.saves = saves, .loaded = loaded};
    return ready_envelope(&take, err);
}

firn_result fr_take_check(const firn_saves *saves, firn_error *err)
{
    return fr_saves_check_ready(saves, "firn_saves_request_load", err);
}

firn_result firn_saves_take(firn_saves *saves, const void *bytes, size_t size,
                            firn_saves_loaded *loaded, firn_error *err)
{
    firn_saves_loaded own = {0};
    firn_saves_loaded *told = loaded != NULL ? loaded : &own;
    *told = (firn_saves_loaded){.world = firn_saves_world(saves)};
    firn_result result = fr_take_check(saves, err);
    if (result == FIRN_OK && bytes == NULL) {
        result = fr_fail(err, FIRN_INVALID, "bytes", "bytes is NULL");
    }
    if (result != FIRN_OK) {
        return result;
    }
    fr_worker_finish(saves);
    const firn_save_file_options options = fr_saves_file_options(saves);
    firn_error why;
    told->envelope = firn_save_file_open(bytes, size, &options, &why);
    result = told->envelope == NULL ? fr_fail_copy(err, &why) : fr_take_file(saves, told, err);
    if (loaded == NULL) {
        firn_saves_loaded_free(&own);
    }
    return result;
}
