#include "api/script_game.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- steps

static void append(char *text, size_t size, const char *format, ...)
{
    va_list args;
    size_t used = strlen(text);
    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

static firn_result note_call(void *user, firn_world *world, const firn_step_call *call,
                             firn_error *err)
{
    (void)err;
    script_game *game = user;
    char note[256] = "";
    assert_non_null(world);
    append(note, sizeof note, "%s", call->step);
    if (call->entity != 0)
        append(note, sizeof note, "@%c", call->entity == game->a ? 'a' : 'b');
    if (call->key[0] != '\0')
        append(note, sizeof note, "/%s", call->key);
    if (call->event[0] != '\0')
        append(note, sizeof note, ":%s", call->event);
    if (call->payload != NULL && call->payload->kind == FIRN_VALUE_NUMBER)
        append(note, sizeof note, "=%g", call->payload->as.number);
    else if (call->payload != NULL)
        append(note, sizeof note, "=?");
    if (call->first)
        append(note, sizeof note, "!");
    if (call->ticks > 0)
        append(note, sizeof note, "+%u", (unsigned)call->ticks);
    if (call->count > 1)
        append(note, sizeof note, "#%u", (unsigned)call->count);
    if (call->tracked != NULL)
        append(note, sizeof note, "*");
    game_note(&game->log, note);
    return FIRN_OK;
}

static firn_result fail_call(void *user, firn_world *world, const firn_step_call *call,
                             firn_error *err)
{
    note_call(user, world, call, err);
    *err = (firn_error){.code = FIRN_REFUSED, .offset = FIRN_NO_OFFSET, .subject = "jammed"};
    strcpy(err->message, "the door is jammed");
    return FIRN_REFUSED;
}

static firn_result hook_call(void *user, firn_world *world, const firn_step_call *call,
                             firn_error *err)
{
    script_game *game = user;
    note_call(user, world, call, err);
    return game->hook == NULL ? FIRN_OK : game->hook(game, call, err);
}

void script_game_add(script_game *game, firn_world *world)
{
    static const firn_step door[] = {{"open", note_call}, {"close", note_call}, {"ring", note_call},
                                     {"fail", fail_call}, {"hook", hook_call},  {"idle", NULL}};
    static const firn_step guard[] = {{"walk", note_call}, {"fight", note_call}};
    const firn_provider_desc providers[] = {
        {.name = "door", .steps = door, .step_count = FIRN_COUNT(door), .user = game},
        {.name = "guard", .steps = guard, .step_count = FIRN_COUNT(guard), .user = game}};
    firn_error err;
    for (int i = 0; i < 2; i++)
        assert_ok(firn_provider_add(world, &providers[i], &err), &err);
}

// ---------------------------------------------------------------- the game

script_game *script_game_make(test_allocator *memory)
{
    firn_error err;
    script_game *game = calloc(1, sizeof *game);
    assert_non_null(game);
    game->world = zoo_empty(memory);
    assert_ok(firn_world_set_timestep(game->world, 1, &err), &err);
    script_game_add(game, game->world);
    assert_true(firn_script_system(game->world, 0, &err) != 0);
    game->a = zoo_spawn(game->world, NULL, 0);
    game->b = zoo_spawn(game->world, NULL, 0);
    return game;
}

void script_game_free(script_game *game)
{
    firn_world_destroy(game->world);
    firn_buffer_free(&game->out);
    free(game);
}

firn_result script_step(script_game *game, firn_error *err)
{
    return firn_world_step(game->world, 1, err);
}

void script_ticks(script_game *game, uint32_t count)
{
    firn_error err;
    for (uint32_t i = 0; i < count; i++)
        assert_ok(script_step(game, &err), &err);
}

void script_assert_step(script_game *game, const char *notes, const char *file, int line)
{
    firn_error err;
    game->log.text[0] = '\0';
    test_assert_ok(script_step(game, &err), &err, file, line);
    game_assert_log(&game->log, notes, file, line);
}

// ---------------------------------------------------------------- items

static uint64_t made(uint64_t number, const firn_error *err)
{
    assert_ok(number != 0 ? FIRN_OK : err->code, err);
    return number;
}

uint64_t script_send(script_game *game, const char *event, firn_entity address, double delay)
{
    firn_error err;
    return made(firn_script_send(game->world, event, address, delay, NULL, &err), &err);
}

uint64_t script_send_number(script_game *game, const char *event, double delay, double payload)
{
    firn_error err;
    const firn_value value = {.kind = FIRN_VALUE_NUMBER, .as.number = payload};
    return made(firn_script_send(game->world, event, 0, delay, &value, &err), &err);
}

uint64_t script_timer(script_game *game, const char *step, firn_entity entity, double delay,
                      double period)
{
    firn_error err;
    const firn_timer_desc desc = {
        .provider = "door", .step = step, .entity = entity, .delay = delay, .period = period};
    return made(firn_timer_start(game->world, &desc, &err), &err);
}

uint64_t script_wait(script_game *game, const char *step, firn_entity entity, const char *event,
                     double delay)
{
    firn_error err;
    const firn_wait_desc desc = {
        .provider = "door", .step = step, .entity = entity, .event = event, .delay = delay};
    return made(firn_wait_start(game->world, &desc, &err), &err);
}

uint64_t script_machine(script_game *game, firn_entity entity, const char *state)
{
    firn_error err;
    return made(firn_machine_set(game->world, entity, "guard", state, &err), &err);
}

uint64_t script_cursor(script_game *game, firn_entity entity, const char *key, const char *step)
{
    firn_error err;
    return made(firn_cursor_start(game->world, "door", entity, key, step, &err), &err);
}

firn_script_item script_item(script_game *game, uint64_t number)
{
    firn_error err;
    firn_script_item item = {0};
    assert_ok(firn_script_read(game->world, number, &item, &err), &err);
    assert_int_equal(item.number, number);
    return item;
}

bool script_has(script_game *game, uint64_t number)
{
    firn_script_item item;
    return firn_script_read(game->world, number, &item, NULL) == FIRN_OK;
}

void script_reload(script_game *game)
{
    firn_buffer image = zoo_save(game->world);
    game_restore(game->world, &image);
    assert_saves_as(game->world, &image);
    firn_buffer_free(&image);
}
