// What the script of the history game does: timers, events, waits, machines, a quest, clocks.
#include "api/history_game.h"

enum { MOST_ITEMS = 40 };
static const char *const clocks[] = {"boss", "day", "menu"};
static const char *const moods[] = {"idle", "hunt", "sleep"};
static const char *const events[] = {"bell", "dawn", "storm"};

// ---------------------------------------------------------------- steps

static firn_result ring(void *user, firn_world *world, const firn_step_call *call, firn_error *err)
{
    (void)world, (void)err;
    history_tally_of(user)->rings += (uint32_t)call->count;
    return FIRN_OK;
}

static firn_result hatch(void *user, firn_world *world, const firn_step_call *call, firn_error *err)
{
    (void)world, (void)call, (void)err;
    (void)history_spawn(user);
    return FIRN_OK;
}

static firn_result wilt(void *user, firn_world *world, const firn_step_call *call, firn_error *err)
{
    (void)user;
    return firn_despawn(world, call->entity, err);
}

static firn_result storm(void *user, firn_world *world, const firn_step_call *call, firn_error *err)
{
    (void)world, (void)err;
    history_tally *tally = history_tally_of(user);
    tally->storms++;
    tally->weight += call->payload != NULL ? call->payload->as.number : 0.5;
    return FIRN_OK;
}

static firn_result wake(void *user, firn_world *world, const firn_step_call *call, firn_error *err)
{
    history *h = user;
    history_tally_of(h)->dawns += call->event[0] != 0 ? 1 : 100;
    return call->entity != 0 ? firn_add(world, call->entity, &h->of[HISTORY_AWAKE], 1, err)
                             : FIRN_OK;
}

// One state of a creature: after a while another one.
static firn_result live_on(void *user, firn_world *world, const firn_step_call *call,
                           firn_error *err)
{
    history *h = user;
    double *energy = firn_get_mut(world, call->entity, h->of[HISTORY_ENERGY]);
    if (energy != NULL)
        *energy += call->first ? 3 : -0.25;
    if (call->ticks < 4 + history_draw(h, 8))
        return FIRN_OK;
    const char *next = moods[history_draw(h, 3)];
    return firn_machine_set(world, call->entity, "mood", next, err) != 0 ? FIRN_OK : err->code;
}

// ---- a quest: leaves, walks until a bell rings, camps until some work is done, comes home

static firn_result leave(void *user, firn_world *world, const firn_step_call *call, firn_error *err)
{
    return call->ticks < history_draw(user, 3) ? FIRN_OK
                                               : firn_cursor_go(world, call->number, "walk", err);
}

static firn_result walk(void *user, firn_world *world, const firn_step_call *call, firn_error *err)
{
    if (call->first)
        return firn_cursor_wait(world, call->number, "bell", 4 + history_draw(user, 9), "day", err);
    history_tally_of(user)->weight += call->event[0] != 0 ? 7 : 9;
    return firn_cursor_go(world, call->number, "camp", err);
}

// The work is no state of the world: after a load it is begun again.
static firn_result camp(void *user, firn_world *world, const firn_step_call *call, firn_error *err)
{
    history *h = user;
    uint32_t now = (uint32_t)firn_world_tick(world);
    history_tally *tally = history_tally_of(h);
    if (call->first)
        tally->camp_until = now + 2 + history_draw(h, 9);
    if (now <= tally->camp_until)
        return firn_cursor_track(world, call->number, &h->tracks, NULL, err);
    tally->camp_until = 0;
    return firn_cursor_go(world, call->number, "home", err);
}

static firn_result come_home(void *user, firn_world *world, const firn_step_call *call,
                             firn_error *err)
{
    history_tally_of(user)->weight += 11;
    return firn_script_end(world, call->number, err);
}

void history_end_work(history *h)
{
    firn_error err;
    uint64_t quest = firn_cursor_find(h->world, "quest", 0, NULL);
    uint32_t until = history_tally_of(h)->camp_until;
    if (quest != 0 && firn_world_tick(h->world) >= until && firn_cursor_is_pending(h->world, quest))
        assert_ok(firn_cursor_done(h->world, quest, &h->tracks, &err), &err);
}

void history_add_providers(history *h)
{
    static const firn_step world_steps[] = {{"ring", ring}, {"hatch", hatch}, {"storm", storm}};
    static const firn_step one_steps[] = {{"wilt", wilt}, {"wake", wake}};
    static const firn_step mood_steps[] = {
        {"idle", live_on}, {"hunt", live_on}, {"sleep", live_on}};
    static const firn_step quest_steps[] = {
        {"leave", leave}, {"walk", walk}, {"camp", camp}, {"home", come_home}};
    const firn_provider_desc providers[] = {
        {.name = "world", .steps = world_steps, .step_count = 3, .user = h},
        {.name = "one", .steps = one_steps, .step_count = 2, .user = h},
        {.name = "mood", .steps = mood_steps, .step_count = 3, .user = h},
        {.name = "quest", .steps = quest_steps, .step_count = 4, .user = h}};
    firn_error err;
    for (uint32_t i = 0; i < FIRN_COUNT(providers); i++)
        assert_ok(firn_provider_add(h->world, &providers[i], &err), &err);
    for (uint32_t i = 0; i < FIRN_COUNT(clocks); i++)
        assert_ok(firn_clock_add(h->world, clocks[i], &err), &err);
    assert_ok(firn_script_listen(h->world, "storm", "world", "storm", &err), &err);
    assert_int_not_equal(firn_script_system(h->world, 0, &err), 0);
}

// ---------------------------------------------------------------- actions

static bool too_many_items(const history *h)
{
    return firn_script_list(h->world, FIRN_SCRIPT_NONE, 0, NULL, 0) >= MOST_ITEMS;
}

static void assert_made(uint64_t number, const firn_error *err)
{
    assert_ok(number != 0 ? FIRN_OK : err->code, err);
}

void history_timer(history *h, firn_entity creature)
{
    static const char *const steps[] = {"ring", "hatch", "wilt"};
    firn_error err;
    uint32_t what = history_draw(h, 3), more = history_draw(h, 12);
    if (too_many_items(h))
        return;
    firn_timer_desc desc = {.provider = what == 2 ? "one" : "world",
                            .step = steps[what],
                            .entity = what > 0 ? creature : 0,
                            .delay = 1 + more / 2.0,
                            .period = what == 0 && more % 2 == 0 ? 2.5 + more : 0,
                            .clock = more % 3 == 0 ? clocks[history_draw(h, 3)] : NULL};
    assert_made(firn_timer_start(h->world, &desc, &err), &err);
}

void history_send(history *h, firn_entity creature)
{
    firn_error err;
    uint32_t which = history_draw(h, 3), delay = history_draw(h, 10);
    const firn_value *payload = which == 2 ? history_number(h, delay) : NULL;
    if (!too_many_items(h))
        assert_made(firn_script_send(h->world, events[which], delay % 2 == 0 ? creature : 0, delay,
                                     payload, &err),
                    &err);
}

void history_wait(history *h, firn_entity creature)
{
    firn_error err;
    uint32_t more = history_draw(h, 12);
    firn_wait_desc desc = {.provider = "one",
                           .step = "wake",
                           .entity = more % 3 != 0 ? creature : 0,
                           .event = more % 2 == 0 ? events[history_draw(h, 2)] : NULL,
                           .delay = 1 + more};
    if (!too_many_items(h))
        assert_made(firn_wait_start(h->world, &desc, &err), &err);
}

void history_machine(history *h, firn_entity creature)
{
    firn_error err;
    const char *state = moods[history_draw(h, 3)];
    assert_made(firn_machine_set(h->world, creature, "mood", state, &err), &err);
}

void history_quest(history *h, firn_entity creature)
{
    firn_error err;
    (void)creature;
    if (firn_cursor_find(h->world, "quest", 0, NULL) == 0)
        assert_made(firn_cursor_start(h->world, "quest", 0, NULL, NULL, &err), &err);
}

void history_clock(history *h, firn_entity creature)
{
    firn_error err;
    (void)creature;
    const char *name = clocks[history_draw(h, 3)];
    uint32_t more = history_draw(h, 8);
    firn_result result = more < 3 ? firn_clock_pause(h->world, name, more == 0, &err)
                                  : firn_clock_scale(h->world, name, more / 4.0, &err);
    assert_ok(result, &err);
}

void history_end_item(history *h, firn_entity creature)
{
    firn_error err;
    uint64_t numbers[2 * MOST_ITEMS];
    (void)creature;
    uint32_t count = firn_script_list(h->world, FIRN_SCRIPT_NONE, 0, numbers, 2 * MOST_ITEMS);
    if (count > MOST_ITEMS / 2) // machines come with creatures: there may be more than most
        assert_ok(firn_script_end(h->world, numbers[history_draw(h, MOST_ITEMS / 2)], &err), &err);
}
