#include "api/saves_game.h"

#include <stdio.h>
#include <string.h>

static int64_t stopped_clock(void *user)
{
    (void)user;
    return SAVES_GAME_NOW;
}

static void note(saves_game *game, const char *what, const char *level)
{
    size_t used = strlen(game->trace);
    snprintf(game->trace + used, sizeof game->trace - used, "%s %s; ", what, level);
}

static const char *current_level(void *user, firn_world *world)
{
    (void)world;
    return ((saves_game *)user)->level;
}

// A level of its own: what was in the world before is gone, and something else is there.
static void clear_level(firn_world *world)
{
    firn_error err;
    const firn_query_desc all = {.name = "all"};
    firn_query query = firn_query_create(world, &all, &err);
    firn_iter it;
    firn_iter_begin(world, query, &it);
    while (firn_iter_next(&it))
        for (uint32_t i = 0; i < it.count; i++)
            assert_ok(firn_despawn(world, it.entities[i], &err), &err);
    assert_ok(firn_iter_end(&it, &err), &err);
    assert_ok(firn_query_destroy(world, query, &err), &err);
    assert_ok(firn_world_set_tick(world, 77, &err), &err);
}

static firn_result enter_level(void *user, const char *level, bool for_restore, firn_world **world,
                               firn_error *err)
{
    saves_game *game = user;
    assert_true(for_restore);
    note(game, "enter", level);
    game->entered++;
    if (strcmp(level, "nowhere") == 0)
        return FIRN_UNKNOWN;
    clear_level(*world);
    snprintf(game->level, sizeof game->level, "%s", level);
    bool fails =
        game->fail_enter != 0 && (game->entered == game->fail_enter ||
                                  (game->fail_enter_for_ever && game->entered > game->fail_enter));
    if (fails) {
        snprintf(err->message, sizeof err->message, "the level %s is closed", level);
        return game->enter_result;
    }
    if (game->next_world != NULL) {
        firn_world *next = game->next_world;
        game->next_world = *world;
        *world = next;
    }
    if (game->gives_none > 0) {
        game->gives_none--;
        *world = NULL;
    }
    return FIRN_OK;
}

void saves_game_make(saves_game *game)
{
    firn_error err;
    *game = (saves_game){.level = "start", .enter_result = FIRN_IO};
    test_allocator_init(&game->memory);
    game->z = zoo_make(&game->memory, false);
    zoo_fill(&game->z);
    assert_ok(firn_storage_memory(&game->memory.allocator, &game->storage, &err), &err);
    game->levels = (firn_levels){current_level, enter_level, game};
    game->desc = (firn_saves_desc){.game = "zoo", .storage = &game->storage, .now = stopped_clock};
}

void saves_game_open(saves_game *game)
{
    firn_error err = {.code = FIRN_OK};
    game->saves = firn_saves_open(game->z.world, &game->desc, &err);
    assert_ok(err.code, &err);
    assert_non_null(game->saves);
}

void saves_game_open_again(saves_game *game)
{
    firn_saves_close(game->saves);
    saves_game_open(game);
}

void saves_game_end(saves_game *game)
{
    firn_saves_close(game->saves);
    firn_storage_close(&game->storage);
    firn_world_destroy(game->next_world);
    firn_world_destroy(game->z.world);
    assert_no_leak(&game->memory);
}

int saves_game_begin(saves_game *game, void **state)
{
    saves_game_open(game);
    *state = game;
    return 0;
}

int saves_game_teardown(void **state)
{
    saves_game_end(*state);
    return 0;
}

firn_buffer saves_game_file(saves_game *game)
{
    firn_error err;
    firn_buffer file = {0};
    assert_ok(firn_saves_make(game->saves, NULL, &file, &err), &err);
    return file;
}

firn_buffer saves_game_slot(saves_game *game, const char *slot, firn_generation generation)
{
    firn_error err;
    firn_buffer bytes = {0};
    assert_ok(
        game->storage.get(game->storage.user, slot, generation, UINT64_MAX, &bytes, NULL, &err),
        &err);
    return bytes;
}

void saves_game_put(saves_game *game, const char *slot, const firn_buffer *bytes)
{
    firn_error err;
    firn_revision revision;
    assert_ok(game->storage.put(game->storage.user, slot, FIRN_REVISION_ANY, bytes->data,
                                bytes->size, &revision, &err),
              &err);
}

firn_buffer saves_game_with_header(firn_buffer *file, void (*change)(firn_save_header *header))
{
    firn_error err;
    firn_save_file *open = firn_save_file_open(file->data, file->size, NULL, &err);
    assert_non_null(open);
    firn_save_header header = *firn_save_file_header(open);
    firn_section sections[FIRN_SECTIONS_MOST];
    firn_section_info info;
    uint32_t count = 0;
    for (; firn_save_file_section_at(open, count, &info); count++) {
        sections[count].name = info.name;
        assert_ok(firn_save_file_section(open, info.name, &sections[count].bytes,
                                         &sections[count].size, &err),
                  &err);
    }
    change(&header);
    firn_buffer out = {0};
    assert_ok(firn_save_file_write(&header, sections, count, NULL, &out, &err), &err);
    firn_save_file_close(open);
    firn_buffer_free(file);
    return out;
}

void saves_game_set(saves_game *game, const char *name, double number)
{
    firn_error err;
    const firn_value value = {.kind = FIRN_VALUE_NUMBER, .as.number = number};
    assert_ok(firn_saves_set_variable(game->saves, name, &value, &err), &err);
}

double saves_game_get(const saves_game *game, const char *name)
{
    const firn_value *value = firn_saves_variable(game->saves, name);
    return value == NULL ? -1 : value->as.number;
}

static firn_buffer slot_or_nothing(saves_game *game, firn_generation generation)
{
    firn_buffer bytes = {0};
    (void)game->storage.get(game->storage.user, "a", generation, UINT64_MAX, &bytes, NULL, NULL);
    return bytes;
}

saves_game_state saves_game_look(saves_game *game)
{
    firn_error err;
    saves_game_state state = {.world = firn_saves_world(game->saves),
                              .hash = zoo_hash(firn_saves_world(game->saves)),
                              .slot = slot_or_nothing(game, FIRN_CURRENT),
                              .backup = slot_or_nothing(game, FIRN_BACKUP),
                              .play_time = firn_saves_play_time(game->saves)};
    assert_ok(firn_value_encode(firn_saves_variables(game->saves), NULL, &state.variables, &err),
              &err);
    memcpy(state.level, game->level, sizeof state.level);
    return state;
}

static bool same_bytes(const firn_buffer *a, const firn_buffer *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

static void free_state(saves_game_state *state)
{
    firn_buffer_free(&state->variables);
    firn_buffer_free(&state->slot);
    firn_buffer_free(&state->backup);
}

void saves_game_assert(saves_game *game, saves_game_state *state, const char *file, int line)
{
    saves_game_state now = saves_game_look(game);
    const struct {
        const char *what;
        bool same;
    } parts[] = {
        {"the world", now.world == state->world},
        {"its hash", now.hash.total == state->hash.total},
        {"variables", same_bytes(&now.variables, &state->variables)},
        {"the slot", same_bytes(&now.slot, &state->slot)},
        {"its backup", same_bytes(&now.backup, &state->backup)},
        {"play time", now.play_time == state->play_time},
        {"the level", strcmp(now.level, state->level) == 0},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!parts[i].same)
            print_error("%s changed\n", parts[i].what);
        _assert_true(parts[i].same, parts[i].what, file, line);
    }
    free_state(&now);
    free_state(state);
}
