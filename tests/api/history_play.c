// What the creatures of the history game do: one action after the other, each of them drawn.
#include "api/history_game.h"

#include <stdio.h>
#include <string.h>

enum { CROWD = 24 };

// ---------------------------------------------------------------- who comes and goes

static bool is_spawned(const history *h, firn_entity entity)
{
    const firn_persist *row = firn_get(h->world, entity, firn_persist_component(h->world));
    return row != NULL && row->spawned;
}

static bool persists(const history *h, firn_entity entity)
{
    return firn_has(h->world, entity, firn_persist_component(h->world));
}

// Who does not persist is always below somebody that was spawned and does.
static bool may_be_parent(const history *h, firn_entity parent, firn_entity child)
{
    for (firn_entity at = parent; at != 0; at = firn_target(h->world, at, firn_child_of(h->world)))
        if (at == child)
            return false;
    return persists(h, child) || is_spawned(h, parent) || !persists(h, parent);
}

static firn_entity draw_parent(history *h)
{
    return history_draw(h, 3) == 0 ? history_keeper(h) : history_creature(h);
}

static void come(history *h, firn_entity creature)
{
    (void)creature;
    if (firn_query_count(h->world, h->creatures) < CROWD)
        (void)history_spawn(h);
}

static void have_child(history *h, firn_entity creature)
{
    firn_error err;
    const firn_component kinds[2] = {h->of[HISTORY_CREATURE],
                                     h->of[HISTORY_PLACE + history_draw(h, 4)]};
    firn_entity parent = draw_parent(h);
    (void)creature;
    if (parent == 0 || (persists(h, parent) && !is_spawned(h, parent)) ||
        firn_query_count(h->world, h->creatures) >= CROWD)
        return;
    firn_entity child = firn_spawn(h->world, kinds, 2, &err);
    assert_int_not_equal(child, 0);
    assert_ok(firn_relate(h->world, child, firn_child_of(h->world), parent, NULL, &err), &err);
}

static void go(history *h, firn_entity creature)
{
    firn_error err;
    if (firn_query_count(h->world, h->creatures) > CROWD / 3)
        assert_ok(firn_despawn(h->world, creature, &err), &err);
}

static void move_below(history *h, firn_entity creature)
{
    firn_error err;
    firn_component child_of = firn_child_of(h->world);
    firn_entity parent = draw_parent(h);
    if (persists(h, creature) && history_draw(h, 3) == 0)
        assert_ok(firn_unrelate(h->world, creature, child_of, 0, &err), &err);
    else if (may_be_parent(h, parent, creature))
        assert_ok(firn_relate(h->world, creature, child_of, parent, NULL, &err), &err);
}

static void pack_for_journey(history *h, firn_entity creature)
{
    firn_error err;
    firn_component carry = firn_carry_component(h->world);
    if (!persists(h, creature))
        return; // without its parent it would not be saved any more
    assert_ok(firn_has(h->world, creature, carry) ? firn_remove(h->world, creature, &carry, 1, &err)
                                                  : firn_add(h->world, creature, &carry, 1, &err),
              &err);
}

static void travel(history *h, firn_entity creature)
{
    firn_error err;
    (void)creature;
    const char *scene = history_scene_name(history_draw(h, 3));
    assert_ok(firn_saves_request_enter(h->saves, scene, &err), &err);
}

// ---------------------------------------------------------------- what they are

static void relate(history *h, firn_entity creature)
{
    firn_error err;
    firn_entity other = history_creature(h);
    firn_component kind = h->of[HISTORY_LIKES + history_draw(h, 4)];
    const history_edge *old = firn_related(h->world, creature, kind, other);
    bool fields = kind == h->of[HISTORY_FEARS] || kind == h->of[HISTORY_FOLLOWS];
    const history_edge row = {0, fields && old != NULL ? old->strength / 2 + 1 : 1};
    assert_ok(firn_relate(h->world, creature, kind, other, fields ? &row : NULL, &err), &err);
}

static void unrelate(history *h, firn_entity creature)
{
    firn_error err;
    firn_component kind = h->of[HISTORY_LIKES + history_draw(h, 4)];
    firn_entity targets[8];
    uint32_t count = firn_targets(h->world, creature, kind, targets, 8);
    if (count > 0)
        assert_ok(firn_unrelate(h->world, creature, kind,
                                targets[history_draw(h, count < 8 ? count : 8)], &err),
                  &err);
}

static void rest(history *h, firn_entity creature)
{
    firn_error err;
    uint32_t wanted = 1 + history_draw(h, history_scenery_count(h->scene));
    firn_entity found = 0;
    firn_iter it;
    firn_iter_begin(h->world, h->scenery, &it);
    while (firn_iter_next(&it)) {
        const history_scenery *rows = it.columns[0];
        for (uint32_t i = 0; i < it.count; i++)
            found = rows[i].number == wanted ? it.entities[i] : found;
    }
    assert_ok(firn_iter_end(&it, &err), &err);
    assert_int_not_equal(found, 0);
    assert_ok(wanted % 2 == 0
                  ? firn_unrelate(h->world, creature, h->of[HISTORY_RESTS], 0, &err)
                  : firn_relate(h->world, creature, h->of[HISTORY_RESTS], found, NULL, &err),
              &err);
}

static void gain(history *h, firn_entity creature)
{
    firn_error err;
    firn_component kind = h->of[HISTORY_PLACE + history_draw(h, 7)];
    assert_ok(firn_add(h->world, creature, &kind, 1, &err), &err);
}

static void lose(history *h, firn_entity creature)
{
    firn_error err;
    firn_component kind = h->of[HISTORY_PLACE + history_draw(h, 7)];
    assert_ok(firn_remove(h->world, creature, &kind, 1, &err), &err);
}

// A number that is there, else 1, and more: what it becomes tells what it was.
static double more_than(const firn_value *value, uint32_t more)
{
    return (value == NULL ? 1 : value->as.number / 2) + more;
}

static void fill_bag(history *h, firn_entity creature, const char *name, uint32_t more)
{
    firn_error err;
    firn_value *bag = firn_get_value(h->world, creature, h->of[HISTORY_BAG], h->doc, &err);
    if (bag == NULL)
        bag = firn_value_table(h->doc, &err);
    const firn_value *number = history_number(h, more_than(firn_table_get_text(bag, name), more));
    assert_ok(firn_table_set_text(h->doc, bag, name, number, &err), &err);
    assert_ok(firn_set_value(h->world, creature, h->of[HISTORY_BAG], bag, &err), &err);
}

static void change(history *h, firn_entity creature)
{
    firn_error err;
    firn_world *world = h->world;
    const firn_component *of = h->of;
    uint32_t more = history_draw(h, 50);
    const double *energy = firn_get(world, creature, of[HISTORY_ENERGY]);
    const bool *brave = firn_get(world, creature, of[HISTORY_BRAVE]);
    const history_goal *old = firn_get(world, creature, of[HISTORY_GOAL]);
    const history_goal goal = {history_creature(h), old == NULL ? 0 : (double)old->who,
                               (int32_t)more};
    size_t length;
    bool moody = firn_get_string(world, creature, of[HISTORY_MOOD], &length) != NULL && length < 9;
    const char *mood = moody ? "in a mood that needs a longer text" : "merry";
    switch (more % 5) {
    case 0:
        assert_ok(firn_set_text(world, creature, of[HISTORY_MOOD], mood, &err), &err);
        break;
    case 1:
        fill_bag(h, creature, more < 25 ? "coins" : "keys", more);
        break;
    case 2:
        assert_ok(firn_set(world, creature, of[HISTORY_BRAVE], &(bool){brave && !*brave}, &err),
                  &err);
        break;
    case 3:
        assert_ok(firn_set(world, creature, of[HISTORY_GOAL], &goal, &err), &err);
        break;
    default:
        assert_ok(firn_set(world, creature, of[HISTORY_ENERGY],
                           &(double){energy == NULL ? 1 : *energy / 2 + more}, &err),
                  &err);
    }
}

static void be_called(history *h, firn_entity creature)
{
    firn_error err;
    char text[24];
    uint32_t more = history_draw(h, 30);
    (void)snprintf(text, sizeof text, "creature %u", more);
    if (more % 2 == 0) {
        assert_ok(firn_set_text(h->world, creature, firn_name(h->world), text, &err), &err);
        return;
    }
    // Somebody else may have the key.
    firn_result result = firn_set_text(h->world, creature, firn_key(h->world), text, &err);
    assert_true(result == FIRN_OK || result == FIRN_EXISTS);
}

static void hide(history *h, firn_entity creature)
{
    firn_error err;
    firn_component disabled = firn_disabled(h->world);
    assert_ok(firn_has(h->world, creature, disabled)
                  ? firn_remove(h->world, creature, &disabled, 1, &err)
                  : firn_add(h->world, creature, &disabled, 1, &err),
              &err);
}

static firn_entity only_one(history *h, firn_query query)
{
    firn_error err;
    firn_entity found = 0;
    firn_iter it;
    firn_iter_begin(h->world, query, &it);
    while (firn_iter_next(&it))
        found = it.entities[0];
    assert_ok(firn_iter_end(&it, &err), &err);
    return found;
}

// A creature, or the door of the scene, whose variables are all that persists.
static void remember(history *h, firn_entity creature)
{
    firn_error err;
    char name[8];
    uint32_t more = history_draw(h, 24);
    firn_entity door = only_one(h, h->doors);
    firn_entity who = more % 4 == 0 && door != 0 ? door : creature;
    (void)snprintf(name, sizeof name, "v%u", more % 3);
    const firn_value *value = firn_vars_get(h->world, who, name, h->doc, &err);
    value = more < 8 ? NULL : history_number(h, more_than(value, more));
    assert_ok(firn_vars_set(h->world, who, name, value, &err), &err);
}

// Now and then the lamp or the door of a scene ends: neither is saved whole.
static void light_lamp(history *h, firn_entity creature)
{
    firn_error err;
    firn_entity lamp = only_one(h, h->lamps), door = only_one(h, h->doors);
    uint32_t more = history_draw(h, 12);
    (void)creature;
    if (more < 2 && (more == 0 ? lamp : door) != 0)
        assert_ok(firn_despawn(h->world, more == 0 ? lamp : door, &err), &err);
    if (more == 0 || lamp == 0)
        return;
    float *glow = firn_get_mut(h->world, lamp, h->of[HISTORY_LAMP]);
    *glow = *glow / 2 + (float)history_draw(h, 100);
}

// ---------------------------------------------------------------- the world

static void set_variable(history *h, firn_entity creature)
{
    firn_error err;
    char name[8];
    uint32_t more = history_draw(h, 24);
    (void)creature;
    (void)snprintf(name, sizeof name, "n%u", more % 5);
    const firn_value *value = firn_saves_variable(h->saves, name);
    value = more < 6 ? NULL : history_number(h, more_than(value, more));
    assert_ok(firn_saves_set_variable(h->saves, name, value, &err), &err);
}

static void change_state(history *h, firn_entity creature)
{
    firn_error err;
    (void)creature;
    uint32_t more = history_draw(h, 9);
    if (more < 3 && firn_state_depth(h->world) < 4)
        assert_ok(firn_state_push(h->world, h->states[more], &err), &err);
    else if (more < 5 && firn_state_depth(h->world) > 0)
        assert_ok(firn_state_pop(h->world, &err), &err);
    else if (more == 5)
        assert_ok(firn_state_switch(h->world, h->states[history_draw(h, 3)], &err), &err);
}

static void change_phase(history *h, firn_entity creature)
{
    static const char *const names[] = {"FixedPostUpdate", "Update", "Howling"};
    firn_error err;
    (void)creature;
    firn_phase phase = firn_phase_find(h->world, names[history_draw(h, 3)]);
    bool enable = !firn_phase_enabled(h->world, phase);
    assert_ok(firn_phase_enable(h->world, phase, enable, &err), &err);
}

static void cheer(history *h, firn_entity creature)
{
    firn_error err;
    assert_ok(firn_emit(h->world, h->cheer, creature, NULL, 0, &err), &err);
}

// A stream that begins late.
static void throw_dice(history *h, firn_entity creature)
{
    firn_error err;
    char name[16];
    history_tally *tally = history_tally_of(h);
    (void)creature;
    tally->dice += tally->dice < 6;
    (void)snprintf(name, sizeof name, "dice %u", tally->dice);
    firn_random *dice = firn_random_stream(h->world, name, &err);
    assert_non_null(dice);
    tally->weight += firn_random_next(dice);
}

// ---------------------------------------------------------------- the choice

typedef struct history_action {
    uint32_t weight; // how often
    void (*run)(history *h, firn_entity creature);
} history_action;

static const history_action actions[HISTORY_ACTIONS] = {
    {12, come},
    {8, have_child},
    {6, go},
    {5, move_below},
    {4, pack_for_journey},
    {2, travel},
    {10, relate},
    {4, unrelate},
    {3, rest},
    {6, gain},
    {4, lose},
    {8, change},
    {4, be_called},
    {2, hide},
    {6, remember},
    {3, light_lamp},
    {4, set_variable},
    {4, change_state},
    {2, change_phase},
    {3, cheer},
    {2, throw_dice},
    {5, history_timer},
    {5, history_send},
    {3, history_wait},
    {5, history_machine},
    {4, history_quest},
    {2, history_clock},
    {2, history_end_item},
};

static uint32_t draw_action(history *h)
{
    uint32_t total = 0, at = 0;
    for (uint32_t i = 0; i < HISTORY_ACTIONS; i++)
        total += actions[i].weight;
    for (uint32_t left = history_draw(h, total); left >= actions[at].weight; at++)
        left -= actions[at].weight;
    return at;
}

void history_play(history *h)
{
    for (uint32_t i = 1 + history_draw(h, 3); i > 0; i--) {
        uint32_t action = draw_action(h);
        firn_entity creature = history_creature(h);
        if (creature == 0) {
            come(h, 0);
            continue;
        }
        firn_doc_clear(h->doc);
        actions[action].run(h, creature);
        h->done[action]++;
    }
}
