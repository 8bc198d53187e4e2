#include "api/slots_game.h"

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- memory of two threads

static void *shared_resize(void *user, void *ptr, size_t old_size, size_t new_size, size_t align)
{
    shared_memory *memory = user;
    const firn_allocator *inner = &memory->inner.allocator;
    fr_monitor_lock(memory->turn);
    memory->calls += new_size > 0 && pthread_equal(memory->thread, pthread_self()) != 0;
    void *block = inner->resize(inner->user, ptr, old_size, new_size, align);
    fr_monitor_unlock(memory->turn);
    return block;
}

static void shared_memory_make(shared_memory *memory)
{
    test_allocator_init(&memory->inner);
    memory->thread = pthread_self();
    memory->calls = 0;
    memory->turn = fr_monitor_create(NULL, "test", NULL);
    assert_non_null(memory->turn);
    memory->allocator = (firn_allocator){shared_resize, memory};
}

static void shared_memory_end(shared_memory *memory)
{
    assert_no_leak(&memory->inner);
    fr_monitor_destroy(NULL, memory->turn);
}

// ---------------------------------------------------------------- the storage

static firn_result gated_put(void *user, const char *name, firn_revision expected,
                             const void *bytes, size_t size, firn_revision *revision,
                             firn_error *err)
{
    slots_game *game = user;
    fr_monitor_lock(game->gate);
    game->waits = true;
    fr_monitor_wake(game->gate);
    while (game->closed) {
        fr_monitor_wait(game->gate);
    }
    game->waits = false;
    game->puts++;
    game->put_elsewhere = pthread_equal(game->thread, pthread_self()) == 0;
    firn_result fails = game->put_fails;
    fr_monitor_unlock(game->gate);
    if (fails != FIRN_OK && fails != FIRN_NOT_DURABLE) {
        return fails;
    }
    firn_result result =
        game->kept.put(game->kept.user, name, expected, bytes, size, revision, err);
    return result == FIRN_OK ? fails : result;
}

static firn_result counted_get(void *user, const char *name, firn_generation generation,
                               uint64_t limit, firn_buffer *out, firn_revision *revision,
                               firn_error *err)
{
    slots_game *game = user;
    game->gets++;
    if (game->current_gone && generation == FIRN_CURRENT) {
        return FIRN_NOT_FOUND;
    }
    return game->kept.get(game->kept.user, name, generation, limit, out, revision, err);
}

static firn_result counted_head(void *user, const char *name, firn_generation generation,
                                void *bytes, size_t room, size_t *got, firn_stored *stored,
                                firn_error *err)
{
    slots_game *game = user;
    game->heads++;
    if (room > game->most_room) {
        game->most_room = room;
    }
    if (game->head_fails != FIRN_OK) {
        return game->head_fails;
    }
    if (game->current_gone && generation == FIRN_CURRENT) {
        return FIRN_NOT_FOUND;
    }
    firn_result result =
        game->kept.head(game->kept.user, name, generation, bytes, room, got, stored, err);
    game->head_bytes += *got;
    return result;
}

static firn_result passed_list(void *user, firn_stored_fn each, void *each_user, firn_error *err)
{
    const slots_game *game = user;
    return game->list_fails != FIRN_OK ? game->list_fails
                                       : game->kept.list(game->kept.user, each, each_user, err);
}

static firn_result passed_remove(void *user, const char *name, firn_revision expected,
                                 firn_error *err)
{
    const slots_game *game = user;
    return game->kept.remove(game->kept.user, name, expected, err);
}

void slots_game_close_gate(slots_game *game)
{
    fr_monitor_lock(game->gate);
    game->closed = true;
    fr_monitor_unlock(game->gate);
}

void slots_game_open_gate(slots_game *game)
{
    fr_monitor_lock(game->gate);
    game->closed = false;
    fr_monitor_wake(game->gate);
    fr_monitor_unlock(game->gate);
}

void slots_game_await_put(slots_game *game)
{
    fr_monitor_lock(game->gate);
    while (!game->waits) {
        fr_monitor_wait(game->gate);
    }
    fr_monitor_unlock(game->gate);
}

// ---------------------------------------------------------------- the game

static firn_result hear(void *user, firn_world *world, const firn_event *event, firn_error *err)
{
    (void)world;
    (void)err;
    slots_game *game = user;
    const firn_saves_event *told = event->payload;
    assert_true(game->heard_count < HEARD_MOST);
    heard_event *heard = &game->heard[game->heard_count++];
    *heard = (heard_event){.result = told->result,
                           .error = told->error == NULL ? FIRN_OK : told->error->code,
                           .loads = told->loaded != NULL,
                           .score = slots_game_score(game)};
    strcpy(heard->kind, event->name);
    strcpy(heard->slot, told->slot);
    strcpy(heard->subject, told->error != NULL ? told->error->subject : "");
    if (told->error != NULL) {
        assert_int_not_equal(told->error->message[0], 0);
    }
    if (game->on_event != NULL) {
        game->on_event(game, event->name);
    }
    return game->observer_result;
}

static void listen(slots_game *game)
{
    static const char *const kinds[] = {"saved", "save_failed", "loaded"};
    firn_error err;
    for (int i = 0; i < 3; i++) {
        const firn_observer_desc desc = {.event = kinds[i], .observe = hear, .user = game};
        assert_true(firn_observe(game->world, &desc, &err) != 0);
    }
}

static int64_t tell_time(void *user)
{
    return ((slots_game *)user)->clock;
}

static firn_world *make_world(firn_component *score)
{
    firn_error err;
    firn_world *world = firn_world_create(NULL, &err);
    assert_non_null(world);
    const firn_component_desc desc = {.name = "Score", .kind = FIRN_NUMBER};
    *score = firn_component_register(world, &desc, &err);
    assert_true(*score != 0);
    return world;
}

void slots_game_make(slots_game *game)
{
    firn_error err;
    *game = (slots_game){.clock = 1000000, .thread = pthread_self()};
    shared_memory_make(&game->memory);
    game->gate = fr_monitor_create(NULL, "test", &err);
    assert_non_null(game->gate);
    game->world = make_world(&game->score);
    game->hero = firn_spawn(game->world, &game->score, 1, &err);
    assert_true(game->hero != 0);
    assert_ok(firn_storage_memory(NULL, &game->kept, &err), &err);
    game->storage = (firn_storage){.abi = FIRN_ABI,
                                   .name = "gated",
                                   .flags = FIRN_STORAGE_ANY_THREAD,
                                   .put = gated_put,
                                   .get = counted_get,
                                   .head = counted_head,
                                   .list = passed_list,
                                   .remove = passed_remove,
                                   .user = game};
    game->desc = (firn_saves_desc){.game = "test.slots",
                                   .version = 2,
                                   .storage = &game->storage,
                                   .now = tell_time,
                                   .now_user = game};
}

void slots_game_open(slots_game *game)
{
    firn_error err;
    game->desc.allocator = &game->memory.allocator;
    game->saves = firn_saves_open(game->world, &game->desc, &err);
    if (game->saves == NULL) {
        fail_msg("%s", err.message);
    }
    if (!game->listens) {
        listen(game);
        game->listens = true;
    }
}

void slots_game_open_again(slots_game *game)
{
    firn_saves_close(game->saves);
    slots_game_open(game);
}

void slots_game_free(slots_game *game)
{
    firn_saves_close(game->saves);
    firn_world_destroy(game->world);
    firn_storage_close(&game->kept);
    fr_monitor_destroy(NULL, game->gate);
    shared_memory_end(&game->memory);
}

static int set_up(void **state, bool background)
{
    slots_game *game = malloc(sizeof *game);
    assert_non_null(game);
    slots_game_make(game);
    game->desc.background = background;
    slots_game_open(game);
    *state = game;
    return 0;
}

int slots_game_setup(void **state)
{
    return set_up(state, false);
}

int slots_game_setup_background(void **state)
{
    return set_up(state, true);
}

int slots_game_teardown(void **state)
{
    slots_game_free(*state);
    free(*state);
    return 0;
}

void slots_game_set_score(slots_game *game, double score)
{
    firn_error err;
    assert_ok(firn_set(game->world, game->hero, game->score, &score, &err), &err);
}

double slots_game_score(const slots_game *game)
{
    const double *score = firn_get(game->world, game->hero, game->score);
    return score == NULL ? -1 : *score;
}

double slots_game_saved_score(slots_game *game, const char *slot)
{
    firn_error err;
    firn_component score;
    firn_world *world = make_world(&score);
    firn_buffer bytes = slots_game_bytes(game, slot, FIRN_CURRENT);
    firn_save_file *file = firn_save_file_open(bytes.data, bytes.size, NULL, &err);
    const void *image;
    size_t size;
    assert_non_null(file);
    assert_ok(firn_save_file_section(file, FIRN_SECTION_SNAPSHOT, &image, &size, &err), &err);
    assert_ok(firn_snapshot_load(world, image, size, NULL, NULL, &err), &err);
    const double *at = firn_get(world, game->hero, score);
    double saved = at == NULL ? -1 : *at;
    firn_save_file_close(file);
    firn_buffer_free(&bytes);
    firn_world_destroy(world);
    return saved;
}

void slots_game_write(slots_game *game, const char *slot, double score)
{
    firn_error err;
    slots_game_set_score(game, score);
    game->clock += 1000;
    assert_ok(firn_saves_write(game->saves, slot, NULL, &err), &err);
}

void slots_game_tick(slots_game *game)
{
    firn_error err;
    game->clock += 1000;
    assert_ok(firn_saves_end_tick(game->saves, 1, &err), &err);
}

void slots_game_request(slots_game *game, const char *slot)
{
    firn_error err;
    assert_ok(firn_saves_request_save(game->saves, slot, NULL, &err), &err);
}

void slots_game_request_load(slots_game *game, const char *slot)
{
    firn_error err;
    assert_ok(firn_saves_request_load(game->saves, slot, &err), &err);
}

void slots_game_save_behind(slots_game *game, const char *slot)
{
    slots_game_request(game, slot);
    slots_game_tick(game);
    firn_saves_wait(game->saves);
    slots_game_tick(game);
}

heard_event slots_game_heard(slots_game *game)
{
    if (game->heard_count != 1) {
        for (uint32_t i = 0; i < game->heard_count; i++) {
            print_error("%s %s %s\n", game->heard[i].kind, game->heard[i].slot,
                        firn_result_name(game->heard[i].result));
        }
        fail_msg("%u events were heard", game->heard_count);
    }
    game->heard_count = 0;
    return game->heard[0];
}

void slots_game_assert_heard(slots_game *game, const char *kind, const char *slot,
                             firn_result result)
{
    heard_event heard = slots_game_heard(game);
    assert_string_equal(heard.kind, kind);
    assert_string_equal(heard.slot, slot);
    assert_int_equal(heard.result, result);
    assert_int_equal(heard.error, result);
    assert_int_equal(heard.loads, strcmp(kind, "loaded") == 0);
}

firn_buffer slots_game_bytes(slots_game *game, const char *slot, firn_generation generation)
{
    firn_error err;
    firn_buffer bytes;
    firn_buffer_init(&bytes, NULL);
    assert_ok(game->kept.get(game->kept.user, slot, generation, UINT64_MAX, &bytes, NULL, &err),
              &err);
    return bytes;
}

void slots_game_put(slots_game *game, const char *slot, const void *bytes, size_t size)
{
    firn_error err;
    firn_revision revision;
    assert_ok(
        game->kept.put(game->kept.user, slot, FIRN_REVISION_ANY, bytes, size, &revision, &err),
        &err);
}

void slots_game_put_header(slots_game *game, const char *slot, const char *id, uint32_t version)
{
    firn_error err;
    firn_buffer image, file;
    firn_buffer_init(&image, NULL);
    firn_buffer_init(&file, NULL);
    assert_ok(firn_snapshot_save(game->world, NULL, &image, &err), &err);
    const firn_section section = {FIRN_SECTION_SNAPSHOT, image.data, image.size};
    const firn_save_header header = {
        .game = id, .game_version = version, .level = "", .timestamp = game->clock};
    assert_ok(firn_save_file_write(&header, &section, 1, NULL, &file, &err), &err);
    slots_game_put(game, slot, file.data, file.size);
    firn_buffer_free(&image);
    firn_buffer_free(&file);
}
