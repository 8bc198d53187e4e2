// The bus of events that worlds share: who hears what, and who is on it.
#include "support/support.h"

#include "firn/bus.h"

#include <stdio.h>
#include <string.h>

// Lines of "label world event".
typedef struct heard {
    char text[2048];
} heard;

typedef struct listener {
    heard *log;
    const char *label;
    // NULL, or runs behind the note; its result is the observer's.
    firn_result (*then)(struct listener *listener, firn_world *world, const firn_event *event,
                        firn_error *err);
    firn_bus *bus;
    firn_bus_observer other;
    firn_world *world;
    uint32_t calls;
} listener;

static firn_result listen(void *user, firn_world *world, const firn_event *event, firn_error *err)
{
    listener *l = user;
    size_t size = strlen(l->log->text);
    snprintf(l->log->text + size, sizeof l->log->text - size, "%s %s %s\n", l->label,
             firn_world_name(world), event->name);
    l->calls++;
    return l->then == NULL ? FIRN_OK : l->then(l, world, event, err);
}

static void assert_heard(heard *log, const char *expected)
{
    assert_string_equal(log->text, expected);
    log->text[0] = 0;
}

static firn_bus *make_bus(test_allocator *memory)
{
    firn_error err;
    firn_bus *bus = firn_bus_create(memory == NULL ? NULL : &memory->allocator, &err);
    assert_non_null(bus);
    return bus;
}

static firn_world *make_world_on(firn_bus *bus, const char *name)
{
    firn_error err;
    firn_world *world = firn_world_create(&(firn_world_desc){.name = name, .bus = bus}, &err);
    assert_non_null(world);
    return world;
}

static firn_bus_observer watch(firn_bus *bus, const char *event, listener *l)
{
    firn_error err;
    firn_bus_observer observer = firn_bus_observe(bus, event, listen, l, &err);
    assert_int_not_equal(observer, 0);
    assert_true(observer < UINT64_C(1) << 53);
    return observer;
}

static firn_event_kind kind_in(firn_world *world, const char *name)
{
    firn_error err;
    firn_event_kind kind = firn_event_register(world, name, &err);
    assert_int_not_equal(kind, 0);
    return kind;
}

static void watch_world(firn_world *world, const char *event, listener *l)
{
    firn_error err;
    firn_observer_desc desc = {.event = event, .observe = listen, .user = l};
    kind_in(world, event);
    assert_int_not_equal(firn_observe(world, &desc, &err), 0);
}

static void emit_in(firn_world *world, const char *name)
{
    firn_error err;
    assert_ok(firn_emit(world, kind_in(world, name), 0, NULL, 0, &err), &err);
}

static void end_bus(firn_bus *bus)
{
    firn_error err;
    assert_ok(firn_bus_destroy(bus, &err), &err);
}

// ---------------------------------------------------------------- who hears

static void S9_observers_of_a_bus_hear_its_worlds_behind_their_own(void **state)
{
    (void)state;
    firn_error err;
    heard log = {""};
    test_allocator memory;
    test_allocator_init(&memory);
    firn_bus *bus = make_bus(&memory);
    listener own = {.log = &log, .label = "own"}, one = {.log = &log, .label = "one"};
    listener two = {.log = &log, .label = "two"};
    watch(bus, "Hit", &one); // no world has registered it
    firn_world *a = make_world_on(bus, "a"), *b = make_world_on(bus, "b");
    watch(bus, "Hit", &two);
    emit_in(a, "Hit");
    watch_world(a, "Hit", &own);
    emit_in(a, "Hit");
    emit_in(b, "Hit");
    emit_in(b, "Miss");
    assert_heard(&log, "one a Hit\ntwo a Hit\nown a Hit\none a Hit\ntwo a Hit\n"
                       "one b Hit\ntwo b Hit\n");
    firn_entity at = firn_spawn(a, NULL, 0, &err);
    assert_ok(firn_emit(a, kind_in(a, "Hit"), at, NULL, 0, &err), &err);
    assert_heard(&log, "own a Hit\none a Hit\ntwo a Hit\n");
    assert_ptr_equal(firn_world_bus(a), bus);
    assert_null(firn_world_bus(NULL));
    assert_true(firn_world_attached(b));
    assert_false(firn_world_attached(NULL));
    firn_world_destroy(a);
    firn_world_destroy(b);
    end_bus(bus);
    assert_no_leak(&memory);
}

static void S9_changes_of_a_world_reach_the_bus(void **state)
{
    (void)state;
    firn_error err;
    heard log = {""};
    firn_bus *bus = make_bus(NULL);
    firn_world *world = make_world_on(bus, "w");
    listener l = {.log = &log, .label = "bus"};
    firn_bus_observer spawns = watch(bus, "OnSpawn", &l);
    watch(bus, "OnDespawn", &l);
    watch(bus, "OnSet", &l);
    firn_component name = firn_name(world);
    firn_entity entity = firn_spawn(world, &name, 1, &err);
    assert_ok(firn_set_text(world, entity, name, "x", &err), &err);
    assert_ok(firn_bus_unobserve(bus, spawns, &err), &err);
    firn_spawn(world, NULL, 0, &err);
    assert_ok(firn_despawn(world, entity, &err), &err);
    assert_heard(&log, "bus w OnSpawn\nbus w OnSet\nbus w OnDespawn\n");
    firn_world_destroy(world); // which publishes nothing
    assert_heard(&log, "");
    end_bus(bus);
}

static void S9_a_world_that_is_not_attached_tells_only_its_own(void **state)
{
    (void)state;
    firn_error err;
    heard log = {""};
    firn_bus *bus = make_bus(NULL);
    firn_world *world = make_world_on(bus, "w");
    listener own = {.log = &log, .label = "own"}, one = {.log = &log, .label = "bus"};
    watch(bus, "Hit", &one);
    watch(bus, "OnSpawn", &one);
    watch_world(world, "Hit", &own);
    assert_ok(firn_world_detach(world, &err), &err);
    assert_ok(firn_world_detach(world, &err), &err);
    assert_false(firn_world_attached(world));
    emit_in(world, "Hit");
    firn_spawn(world, NULL, 0, &err);
    watch(bus, "Miss", &one);
    emit_in(world, "Miss");
    assert_heard(&log, "own w Hit\n");
    assert_ok(firn_world_attach(world, &err), &err);
    assert_ok(firn_world_attach(world, &err), &err);
    emit_in(world, "Hit");
    emit_in(world, "Miss");
    firn_spawn(world, NULL, 0, &err);
    assert_heard(&log, "own w Hit\nbus w Hit\nbus w Miss\nbus w OnSpawn\n");
    firn_world_destroy(world);
    end_bus(bus);
}

// ---------------------------------------------------------------- coming and going meanwhile

static firn_result remove_other(listener *l, firn_world *world, const firn_event *event,
                                firn_error *err)
{
    (void)world, (void)event;
    if (l->other != 0)
        assert_ok(firn_bus_unobserve(l->bus, l->other, err), err);
    l->other = 0;
    return FIRN_OK;
}

static firn_result add_itself(listener *l, firn_world *world, const firn_event *event,
                              firn_error *err)
{
    (void)world;
    if (l->calls == 1)
        assert_int_not_equal(firn_bus_observe(l->bus, event->name, listen, l, err), 0);
    return FIRN_OK;
}

static firn_result detach_it(listener *l, firn_world *world, const firn_event *event,
                             firn_error *err)
{
    (void)l, (void)event;
    assert_ok(firn_world_detach(world, err), err);
    return FIRN_OK;
}

static firn_result attach_it(listener *l, firn_world *world, const firn_event *event,
                             firn_error *err)
{
    (void)l, (void)event;
    assert_ok(firn_world_attach(world, err), err);
    return FIRN_OK;
}

static void an_observer_that_is_removed_meanwhile_is_not_called(void **state)
{
    (void)state;
    firn_error err;
    heard log = {""};
    firn_bus *bus = make_bus(NULL);
    firn_world *world = make_world_on(bus, "w");
    listener a = {.log = &log, .label = "a", .then = remove_other, .bus = bus};
    listener b = {.log = &log, .label = "b"}, c = {.log = &log, .label = "c"};
    firn_bus_observer of_a = watch(bus, "Hit", &a);
    a.other = watch(bus, "Hit", &b);
    firn_bus_observer of_b = a.other;
    watch(bus, "Hit", &c);
    emit_in(world, "Hit");
    assert_heard(&log, "a w Hit\nc w Hit\n");
    a.other = of_a; // itself
    emit_in(world, "Hit");
    emit_in(world, "Hit");
    assert_heard(&log, "a w Hit\nc w Hit\nc w Hit\n");
    assert_int_equal(firn_bus_unobserve(bus, of_b, &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "observer");
    firn_world_destroy(world);
    end_bus(bus);
}

static void an_observer_that_comes_meanwhile_waits_for_the_next_event(void **state)
{
    (void)state;
    heard log = {""};
    firn_bus *bus = make_bus(NULL);
    firn_world *world = make_world_on(bus, "w");
    listener a = {.log = &log, .label = "a", .then = add_itself, .bus = bus};
    watch(bus, "Hit", &a);
    emit_in(world, "Hit");
    assert_heard(&log, "a w Hit\n");
    emit_in(world, "Hit");
    assert_heard(&log, "a w Hit\na w Hit\n");
    firn_world_destroy(world);
    end_bus(bus);
}

static void S9_a_world_may_come_and_go_in_the_middle_of_an_event(void **state)
{
    (void)state;
    heard log = {""};
    firn_bus *bus = make_bus(NULL);
    firn_world *world = make_world_on(bus, "w");
    listener out = {.log = &log, .label = "out", .then = detach_it};
    listener in = {.log = &log, .label = "in", .then = attach_it};
    listener last = {.log = &log, .label = "last"};
    watch(bus, "Hit", &out);
    watch(bus, "Hit", &last);
    emit_in(world, "Hit");
    assert_heard(&log, "out w Hit\n"); // the last one does not hear it any more
    emit_in(world, "Hit");
    assert_heard(&log, "");
    watch_world(world, "Hit", &in);
    emit_in(world, "Hit"); // attached while it is published
    assert_heard(&log, "in w Hit\n");
    emit_in(world, "Hit");
    assert_heard(&log, "in w Hit\nout w Hit\n");
    firn_world_destroy(world);
    end_bus(bus);
}

// ---------------------------------------------------------------- rules

static firn_result refuse_hit(listener *l, firn_world *world, const firn_event *event,
                              firn_error *err)
{
    (void)l, (void)event, (void)err;
    firn_spawn(world, NULL, 0, NULL);
    assert_int_equal(firn_flush(world, NULL), FIRN_BUSY);
    return FIRN_REFUSED;
}

static void S9_the_first_failure_of_an_observer_of_the_bus_is_returned(void **state)
{
    (void)state;
    firn_error err;
    heard log = {""};
    firn_bus *bus = make_bus(NULL);
    firn_world *world = make_world_on(bus, "w");
    listener a = {.log = &log, .label = "a", .then = refuse_hit}, b = {.log = &log, .label = "b"};
    watch(bus, "Hit", &a);
    watch(bus, "Hit", &b);
    firn_event_kind hit = kind_in(world, "Hit");
    assert_int_equal(firn_emit(world, hit, 0, NULL, 0, &err), FIRN_REFUSED);
    assert_error(&err, FIRN_REFUSED, "Hit");
    assert_heard(&log, "a w Hit\nb w Hit\n");
    assert_int_equal(firn_entity_count(world), 1); // what it deferred is applied
    firn_world_destroy(world);
    end_bus(bus);
}

static firn_result emit_in_other(listener *l, firn_world *world, const firn_event *event,
                                 firn_error *err)
{
    (void)world;
    return firn_emit(l->world, firn_event_find(l->world, event->name), 0, NULL, 0, err);
}

// An observer of the bus that answers with an event in another of many worlds.
typedef struct ring {
    firn_world *worlds[80];
    uint32_t calls;
    uint32_t at;
} ring;

static firn_result pass_on(void *user, firn_world *world, const firn_event *event, firn_error *err)
{
    ring *r = user;
    (void)world;
    r->calls++;
    r->at = (r->at + 1) % 80;
    firn_world *next = r->worlds[r->at];
    return firn_emit(next, firn_event_find(next, event->name), 0, NULL, 0, err);
}

static void S9_publications_inside_each_other_are_counted_over_all_worlds(void **state)
{
    (void)state;
    firn_error err;
    ring r = {.calls = 0};
    firn_bus *bus = make_bus(NULL);
    for (int i = 0; i < 80; i++) {
        r.worlds[i] = make_world_on(bus, "w");
        kind_in(r.worlds[i], "Hit");
    }
    assert_int_not_equal(firn_bus_observe(bus, "Hit", pass_on, &r, &err), 0);
    firn_event_kind hit = kind_in(r.worlds[0], "Hit");
    assert_int_equal(firn_emit(r.worlds[0], hit, 0, NULL, 0, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "Hit");
    assert_int_equal(r.calls, 64);
    for (int i = 0; i < 80; i++)
        firn_world_destroy(r.worlds[i]);
    end_bus(bus);
}

static void a_world_may_answer_the_bus_with_an_event_in_another(void **state)
{
    (void)state;
    heard log = {""};
    firn_bus *bus = make_bus(NULL);
    firn_world *a = make_world_on(bus, "a"), *b = make_world_on(NULL, "b");
    listener l = {.log = &log, .label = "l", .then = emit_in_other, .world = b};
    listener own = {.log = &log, .label = "own"};
    kind_in(b, "Hit");
    watch_world(b, "Hit", &own);
    watch(bus, "Hit", &l);
    emit_in(a, "Hit");
    assert_heard(&log, "l a Hit\nown b Hit\n");
    firn_world_destroy(a);
    firn_world_destroy(b);
    end_bus(bus);
}

// ---------------------------------------------------------------- bind

static void S9_one_call_detaches_the_old_world_and_attaches_the_new(void **state)
{
    (void)state;
    firn_error err;
    heard log = {""};
    firn_bus *bus = make_bus(NULL);
    listener l = {.log = &log, .label = "bus"};
    watch(bus, "Hit", &l);
    firn_world *old = make_world_on(bus, "old"), *new = make_world_on(bus, "new");
    assert_ok(firn_world_detach(new, &err), &err);
    assert_ok(firn_world_bind(old, new, &err), &err);
    assert_false(firn_world_attached(old));
    emit_in(old, "Hit");
    emit_in(new, "Hit");
    assert_heard(&log, "bus new Hit\n");
    assert_ok(firn_world_bind(NULL, old, &err), &err);
    assert_ok(firn_world_bind(old, old, &err), &err);
    assert_true(firn_world_attached(old) && firn_world_attached(new));
    firn_world_destroy(old);
    firn_world_destroy(new);
    end_bus(bus);
}

static void S9_a_world_without_a_bus_is_not_attached_and_is_named(void **state)
{
    (void)state;
    firn_error err;
    firn_bus *bus = make_bus(NULL);
    firn_world *old = make_world_on(bus, "old"), *lone = make_world_on(NULL, "lone");
    assert_int_equal(firn_world_attach(lone, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "lone");
    assert_false(firn_world_attached(lone));
    assert_int_equal(firn_world_bind(old, lone, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "lone");
    assert_true(firn_world_attached(old)); // both or neither
    assert_ok(firn_world_detach(lone, &err), &err);
    assert_int_equal(firn_world_bind(old, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "replacement");
    assert_int_equal(firn_world_attach(NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "world");
    assert_int_equal(firn_world_detach(NULL, &err), FIRN_INVALID);
    firn_world *nameless = make_world_on(NULL, NULL);
    assert_int_equal(firn_world_attach(nameless, &err), FIRN_INVALID);
    assert_string_equal(err.subject, "world");
    firn_world_destroy(nameless);
    firn_world_destroy(lone);
    firn_world_destroy(old);
    end_bus(bus);
}

// What a hook may not do; its user is the other world.
static void bind_in_hook(void *user, const firn_rows *rows)
{
    firn_error err;
    firn_world *locked = (firn_world *)rows->world, *other = user;
    assert_int_equal(firn_world_attach(locked, &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "Hooked");
    assert_int_equal(firn_world_detach(locked, &err), FIRN_BUSY);
    assert_int_equal(firn_world_bind(locked, other, &err), FIRN_BUSY);
    assert_int_equal(firn_world_bind(other, locked, &err), FIRN_BUSY);
}

static void a_hook_attaches_and_detaches_nothing(void **state)
{
    (void)state;
    firn_error err;
    firn_bus *bus = make_bus(NULL);
    firn_world *world = make_world_on(bus, "w"), *other = make_world_on(bus, "o");
    firn_component_desc desc = {
        .name = "Hooked", .kind = FIRN_TAG, .hooks = {.init = bind_in_hook, .user = other}};
    firn_component hooked = firn_component_register(world, &desc, &err);
    assert_int_not_equal(firn_spawn(world, &hooked, 1, &err), 0);
    assert_true(firn_world_attached(world) && firn_world_attached(other));
    firn_world_destroy(world);
    firn_world_destroy(other);
    end_bus(bus);
}

// ---------------------------------------------------------------- bad input

static void S9_a_bus_with_worlds_stays(void **state)
{
    (void)state;
    firn_error err;
    firn_bus *bus = make_bus(NULL);
    firn_world *a = make_world_on(bus, "a"), *b = make_world_on(bus, "b");
    assert_ok(firn_world_detach(a, &err), &err);
    assert_int_equal(firn_bus_destroy(bus, &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "bus");
    assert_non_null(strstr(err.message, "2 worlds"));
    firn_world_destroy(b);
    assert_int_equal(firn_bus_destroy(bus, &err), FIRN_BUSY);
    firn_world_destroy(a);
    assert_ok(firn_bus_destroy(bus, &err), &err);
    assert_ok(firn_bus_destroy(NULL, &err), &err);
}

static void what_a_bus_cannot_do_is_refused(void **state)
{
    (void)state;
    firn_error err;
    char name[300];
    memset(name, 'a', sizeof name);
    name[sizeof name - 1] = 0;
    firn_bus *bus = make_bus(NULL);
    heard log = {""};
    listener l = {.log = &log};
    assert_null(firn_bus_create(&(firn_allocator){.resize = NULL}, &err));
    assert_error(&err, FIRN_INVALID, "allocator");
    assert_int_equal(firn_bus_observe(NULL, "Hit", listen, &l, &err), 0);
    assert_error(&err, FIRN_INVALID, "bus");
    assert_int_equal(firn_bus_observe(bus, "Hit", NULL, &l, &err), 0);
    assert_error(&err, FIRN_INVALID, "observe");
    assert_int_equal(firn_bus_observe(bus, NULL, listen, &l, &err), 0);
    assert_int_equal(err.code, FIRN_INVALID);
    assert_int_equal(firn_bus_observe(bus, "", listen, &l, &err), 0);
    assert_int_equal(err.code, FIRN_INVALID);
    assert_int_equal(firn_bus_observe(bus, name, listen, &l, &err), 0);
    assert_int_equal(err.code, FIRN_LIMIT);
    assert_int_equal(firn_bus_unobserve(NULL, 1, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "bus");
    assert_int_equal(firn_bus_unobserve(bus, 0, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "observer");
    assert_int_equal(firn_bus_unobserve(bus, 7, &err), FIRN_NOT_FOUND);
    firn_bus_observer hit = watch(bus, "Hit", &l);
    assert_int_equal(firn_bus_unobserve(bus, hit + 1, &err), FIRN_NOT_FOUND);
    assert_int_equal(firn_bus_unobserve(bus, hit + (1 << 16), &err), FIRN_NOT_FOUND);
    assert_ok(firn_bus_unobserve(bus, hit, &err), &err);
    end_bus(bus);
}

static void names_of_a_bus_beyond_the_limit_are_refused(void **state)
{
    (void)state;
    firn_error err;
    char name[16];
    heard log = {""};
    listener l = {.log = &log};
    firn_bus *bus = make_bus(NULL);
    for (uint32_t i = 0; i < 65536; i++) {
        snprintf(name, sizeof name, "kind %u", i);
        assert_int_not_equal(firn_bus_observe(bus, name, listen, &l, &err), 0);
    }
    assert_int_equal(firn_bus_observe(bus, "one more", listen, &l, &err), 0);
    assert_error(&err, FIRN_LIMIT, "one more");
    for (uint32_t i = 65536; i < 1048575; i++)
        assert_int_not_equal(firn_bus_observe(bus, "kind 7", listen, &l, &err), 0);
    assert_int_equal(firn_bus_observe(bus, "kind 7", listen, &l, &err), 0);
    assert_error(&err, FIRN_LIMIT, "observers");
    end_bus(bus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(S9_observers_of_a_bus_hear_its_worlds_behind_their_own),
        cmocka_unit_test(S9_changes_of_a_world_reach_the_bus),
        cmocka_unit_test(S9_a_world_that_is_not_attached_tells_only_its_own),
        cmocka_unit_test(an_observer_that_is_removed_meanwhile_is_not_called),
        cmocka_unit_test(an_observer_that_comes_meanwhile_waits_for_the_next_event),
        cmocka_unit_test(S9_a_world_may_come_and_go_in_the_middle_of_an_event),
        cmocka_unit_test(S9_the_first_failure_of_an_observer_of_the_bus_is_returned),
        cmocka_unit_test(S9_publications_inside_each_other_are_counted_over_all_worlds),
        cmocka_unit_test(a_world_may_answer_the_bus_with_an_event_in_another),
        cmocka_unit_test(S9_one_call_detaches_the_old_world_and_attaches_the_new),
        cmocka_unit_test(S9_a_world_without_a_bus_is_not_attached_and_is_named),
        cmocka_unit_test(a_hook_attaches_and_detaches_nothing),
        cmocka_unit_test(S9_a_bus_with_worlds_stays),
        cmocka_unit_test(what_a_bus_cannot_do_is_refused),
        cmocka_unit_test(names_of_a_bus_beyond_the_limit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
