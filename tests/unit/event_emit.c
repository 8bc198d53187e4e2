// Kinds of event, observers, emitting, and what observers may do.
#include "unit/event_journal.h"

#include <stdio.h>
#include <string.h>

static firn_entity bare(fixture *f)
{
    return firn_spawn(f->world, NULL, 0, NULL);
}

// ---------------------------------------------------------------- kinds

static void T10_a_kind_of_event_is_registered_once(void **state)
{
    fixture *f = *state;
    firn_event_kind hit = event_kind(f->world, "Hit");
    firn_event_kind miss = event_kind(f->world, "Miss");
    assert_true(hit != miss);
    assert_int_equal(event_kind(f->world, "Hit"), hit);
    assert_int_equal(firn_event_find(f->world, "Hit"), hit);
    assert_int_equal(firn_event_find(f->world, "Hi"), 0);
    assert_int_equal(firn_event_find(f->world, NULL), 0);
    assert_int_equal(firn_event_find(NULL, "Hit"), 0);
    assert_true(hit < (UINT64_C(1) << 53));
}

static void T15_the_built_in_kinds_are_there(void **state)
{
    fixture *f = *state;
    static const char *const names[] = {
        "OnSpawn",           "OnDespawn",          "OnAdd", "OnRemove", "OnSet", "OnSnapshotSave",
        "StartSnapshotLoad", "FinishSnapshotLoad",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        firn_event_kind kind = firn_event_find(f->world, names[i]);
        assert_int_not_equal(kind, 0);
        assert_int_equal(event_kind(f->world, names[i]), kind);
    }
}

static void a_bad_name_of_a_kind_is_refused(void **state)
{
    fixture *f = *state;
    firn_error err;
    char name[300];
    memset(name, 'a', sizeof name);
    name[sizeof name - 1] = 0;
    assert_int_equal(firn_event_register(f->world, "", &err), 0);
    assert_int_equal(err.code, FIRN_INVALID);
    assert_int_equal(firn_event_register(f->world, NULL, &err), 0);
    assert_int_equal(err.code, FIRN_INVALID);
    assert_int_equal(firn_event_register(f->world, name, &err), 0);
    assert_int_equal(err.code, FIRN_LIMIT);
    assert_int_equal(firn_event_register(NULL, "Hit", &err), 0);
    assert_error(&err, FIRN_INVALID, "world");
}

static void kinds_beyond_the_limit_are_refused(void **state)
{
    fixture *f = *state;
    firn_error err;
    char name[16];
    for (uint32_t i = FR_EVENT_BUILTIN; i < 65536; i++) {
        snprintf(name, sizeof name, "kind %u", i);
        assert_int_not_equal(firn_event_register(f->world, name, &err), 0);
    }
    assert_int_equal(firn_event_register(f->world, "one more", &err), 0);
    assert_error(&err, FIRN_LIMIT, "one more");
    assert_int_not_equal(firn_event_register(f->world, "kind 9", &err), 0);
}

// ---------------------------------------------------------------- who sees what

static void T10_observers_of_address_0_see_every_address_in_the_order_of_registration(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    firn_event_kind hit = event_kind(f->world, "Hit");
    noter a = {.journal = &j, .label = "a"}, b = {.journal = &j, .label = "b"};
    observe(&b, "Hit", 0, 0);
    observe(&a, "Hit", 0, 0);
    firn_entity entity = bare(f);
    emit(f->world, hit, 0, NULL);
    assert_journal(&j, "b Hit\na Hit\n");
    emit(f->world, hit, entity, "hard");
    assert_journal(&j, "b Hit @1 1 \"hard\"\na Hit @1 1 \"hard\"\n");
    emit(f->world, event_kind(f->world, "Miss"), 0, NULL);
    assert_journal(&j, "");
    journal_free(&j);
}

static void T10_observers_at_an_entity_run_behind_those_of_address_0(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    firn_event_kind hit = event_kind(f->world, "Hit"), miss = event_kind(f->world, "Miss");
    noter at = {.journal = &j, .label = "at"}, all = {.journal = &j, .label = "all"};
    noter too = {.journal = &j, .label = "too"};
    firn_entity entity = bare(f), other = bare(f);
    observe(&at, "Hit", entity, 0);
    observe(&at, "Miss", entity, 0);
    observe(&all, "Hit", 0, 0);
    observe(&too, "Hit", entity, 0);
    emit(f->world, hit, entity, NULL);
    assert_journal(&j, "all Hit @1 1\nat Hit @1 1\ntoo Hit @1 1\n");
    emit(f->world, hit, other, NULL);
    assert_journal(&j, "all Hit @2 2\n");
    emit(f->world, miss, entity, NULL);
    assert_journal(&j, "at Miss @1 1\n");
    emit(f->world, miss, 0, NULL);
    assert_journal(&j, "");
    journal_free(&j);
}

static firn_result same_pointer(noter *n, const firn_event *event, firn_error *err)
{
    (void)err;
    assert_ptr_equal(event->payload, n);
    assert_int_equal(event->size, 0);
    n->count++;
    return FIRN_OK;
}

static void a_payload_without_a_size_is_handed_on_as_it_is(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    firn_error err;
    noter n = {.journal = &j, .label = "n", .then = same_pointer};
    firn_event_kind hit = event_kind(f->world, "Hit");
    observe(&n, "Hit", 0, 0);
    assert_ok(firn_emit(f->world, hit, 0, &n, 0, &err), &err);
    assert_int_equal(n.count, 1);
    journal_free(&j);
}

// ---------------------------------------------------------------- failing

static firn_result refuse_silently(noter *n, const firn_event *event, firn_error *err)
{
    (void)n;
    (void)event;
    (void)err;
    return FIRN_REFUSED;
}

static firn_result refuse_with_reason(noter *n, const firn_event *event, firn_error *err)
{
    (void)event;
    *err = (firn_error){.code = FIRN_LIMIT, .subject = "arrows"};
    snprintf(err->message, sizeof err->message, "%s has no arrows", n->label);
    return FIRN_LIMIT;
}

static void T15_the_first_observer_that_fails_decides_and_the_others_run(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    firn_error err;
    firn_event_kind hit = event_kind(f->world, "Hit");
    noter a = {.journal = &j, .label = "a"};
    noter b = {.journal = &j, .label = "b", .then = refuse_with_reason};
    noter c = {.journal = &j, .label = "c", .then = refuse_silently};
    observe(&a, "Hit", 0, 0);
    observe(&c, "Hit", bare(f), 0);
    observe(&b, "Hit", 0, 0);
    assert_int_equal(firn_emit(f->world, hit, 1, NULL, 0, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "arrows");
    assert_string_equal(err.message, "b has no arrows");
    assert_journal(&j, "a Hit @1 1\nb Hit @1 1\nc Hit @1 1\n");
    assert_int_equal(firn_emit(f->world, hit, 1, NULL, 0, NULL), FIRN_LIMIT);
    journal_free(&j);
}

static void an_observer_that_does_not_say_why_is_named_by_its_event(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    firn_error err;
    firn_event_kind hit = event_kind(f->world, "Hit");
    noter c = {.journal = &j, .label = "c", .then = refuse_silently};
    observe(&c, "Hit", 0, 0);
    assert_int_equal(firn_emit(f->world, hit, 0, NULL, 0, &err), FIRN_REFUSED);
    assert_error(&err, FIRN_REFUSED, "Hit");
    assert_string_equal(err.message, "an observer of Hit: a callback refused");
    journal_free(&j);
}

static void emitting_with_wrong_arguments_is_refused(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_event_kind hit = event_kind(f->world, "Hit");
    firn_entity dead = bare(f);
    firn_despawn(f->world, dead, NULL);
    assert_int_equal(firn_emit(NULL, hit, 0, NULL, 0, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "world");
    assert_int_equal(firn_emit(f->world, 0, 0, NULL, 0, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "kind");
    assert_int_equal(firn_emit(f->world, hit + 1, 0, NULL, 0, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "kind");
    assert_int_equal(firn_emit(f->world, hit, 0, NULL, 1, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "payload");
    assert_int_equal(firn_emit(f->world, hit, dead, NULL, 0, &err), FIRN_NOT_FOUND);
    assert_int_equal(err.entity, dead);
    firn_event_kind set = firn_event_find(f->world, "OnSet");
    assert_int_equal(firn_emit(f->world, set, 0, NULL, 0, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "OnSet");
}

static void handles_of_another_world_are_noticed(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_world *other = fixture_world(f);
    firn_event_kind hit = event_kind(f->world, "Hit");
    event_kind(other, "Hit");
    noter n = {.journal = &(journal){.world = f->world}};
    firn_observer observer = observe(&n, "Hit", 0, 0);
    firn_queue queue = firn_queue_open(f->world, &hit, 1, &err);
    assert_int_equal(firn_emit(other, hit, 0, NULL, 0, &err), FIRN_INVALID);
    assert_int_equal(firn_unobserve(other, observer, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "observer");
    assert_int_equal(firn_queue_close(other, queue, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "queue");
    assert_int_equal(firn_queue_open(other, &hit, 1, &err), 0);
    assert_error(&err, FIRN_INVALID, "kinds");
    // One kind of handle is not another either.
    assert_int_equal(firn_unobserve(f->world, queue, &err), FIRN_INVALID);
    assert_int_equal(firn_queue_close(f->world, observer, &err), FIRN_INVALID);
    assert_int_equal(firn_emit(f->world, observer, 0, NULL, 0, &err), FIRN_INVALID);
    firn_world_destroy(other);
}

// ---------------------------------------------------------------- coming and going

static firn_result observe_nothing(void *user, firn_world *world, const firn_event *event,
                                   firn_error *err)
{
    (void)user;
    (void)world;
    (void)event;
    (void)err;
    return FIRN_OK;
}

static void a_bad_description_of_an_observer_is_refused(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_entity dead = bare(f);
    firn_despawn(f->world, dead, NULL);
    const struct {
        firn_observer_desc desc;
        firn_result code;
        const char *subject;
    } cases[] = {
        {{.observe = observe_nothing}, FIRN_INVALID, "event"},
        {{.event = "OnAdd"}, FIRN_INVALID, "observe"},
        {{.event = "OnAdd", .observe = observe_nothing, .reserved = {0, 0, 0, 1}},
         FIRN_INVALID,
         "firn_observer_desc"},
        {{.event = "Nowhere", .observe = observe_nothing}, FIRN_NOT_FOUND, "Nowhere"},
        {{.event = "OnAdd", .observe = observe_nothing, .component = 7}, FIRN_INVALID, "component"},
        {{.event = "OnSpawn", .observe = observe_nothing, .component = f->tag},
         FIRN_INVALID,
         "component"},
        {{.event = "OnSnapshotSave", .observe = observe_nothing, .component = f->tag},
         FIRN_INVALID,
         "component"},
        {{.event = "OnAdd", .observe = observe_nothing, .address = dead}, FIRN_NOT_FOUND, "entity"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(firn_observe(f->world, &cases[i].desc, &err), 0);
        assert_error(&err, cases[i].code, cases[i].subject);
    }
    assert_int_equal(firn_observe(f->world, NULL, &err), 0);
    assert_error(&err, FIRN_INVALID, "desc");
    assert_int_equal(firn_observe(NULL, &cases[0].desc, &err), 0);
    assert_error(&err, FIRN_INVALID, "world");
    assert_int_equal(f->world->events_heard, 0);
}

static void a_removed_observer_is_known_as_removed(void **state)
{
    fixture *f = *state;
    firn_error err;
    journal j = {.world = f->world};
    noter n = {.journal = &j, .label = "n"};
    firn_event_kind hit = event_kind(f->world, "Hit");
    firn_observer observer = observe(&n, "Hit", 0, 0);
    assert_ok(firn_unobserve(f->world, observer, &err), &err);
    emit(f->world, hit, 0, NULL);
    assert_journal(&j, "");
    assert_int_equal(firn_unobserve(f->world, observer, &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "observer");
    assert_int_equal(firn_unobserve(f->world, 0, &err), FIRN_INVALID);
    assert_int_equal(firn_unobserve(NULL, observer, &err), FIRN_INVALID);
    journal_free(&j);
}

static void a_handle_of_an_observer_is_never_given_twice(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    noter n = {.journal = &j, .label = "n"};
    event_kind(f->world, "Hit");
    firn_observer first = observe(&n, "Hit", 0, 0), last = first;
    for (uint32_t i = 0; i < 5000; i++) {
        assert_int_equal(firn_unobserve(f->world, last, NULL), FIRN_OK);
        last = observe(&n, "Hit", 0, 0);
        assert_int_not_equal(last, first);
        assert_true(last < (UINT64_C(1) << 53));
    }
    assert_int_equal(f->world->events.observer_count, 2); // the first slot is used up
    journal_free(&j);
}

static void observers_beyond_the_limit_are_refused(void **state)
{
    fixture *f = *state;
    firn_error err;
    event_kind(f->world, "Hit");
    firn_observer_desc desc = {.event = "Hit", .observe = observe_nothing};
    // As if all slots were in use.
    f->world->events.observer_count = (1u << 20) - 1;
    assert_int_equal(firn_observe(f->world, &desc, &err), 0);
    assert_error(&err, FIRN_LIMIT, "observers");
    f->world->events.observer_count = 0;
    assert_int_not_equal(firn_observe(f->world, &desc, &err), 0);
}

static void observers_leave_the_middle_the_front_and_the_end(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    noter n[5];
    firn_observer observers[5];
    static const char *const labels[] = {"a", "b", "c", "d", "e"};
    firn_event_kind hit = event_kind(f->world, "Hit");
    firn_entity entities[] = {0, bare(f)};
    for (int where = 0; where < 2; where++) {
        for (int i = 0; i < 5; i++) {
            n[i] = (noter){.journal = &j, .label = labels[i]};
            observers[i] = observe(&n[i], "Hit", entities[where], 0);
        }
        static const int leave[] = {2, 0, 4, 1, 3};
        static const char *const left[] = {"abde", "bde", "bd", "d", ""};
        for (int i = 0; i < 5; i++) {
            assert_int_equal(firn_unobserve(f->world, observers[leave[i]], NULL), FIRN_OK);
            char expected[200] = "";
            for (const char *c = left[i]; *c != 0; c++) {
                size_t size = strlen(expected);
                snprintf(expected + size, sizeof expected - size, "%c Hit%s\n", *c,
                         where == 0 ? "" : " @1 1");
            }
            emit(f->world, hit, entities[where], NULL);
            assert_journal(&j, expected);
        }
    }
    assert_int_equal(f->world->events.places.count, 0);
    assert_int_equal(f->world->events_heard, 0);
    journal_free(&j);
}

static void T10_observers_at_an_entity_go_when_a_load_clears_them(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    firn_event_kind hit = event_kind(f->world, "Hit");
    noter all = {.journal = &j, .label = "all"}, at = {.journal = &j, .label = "at"};
    firn_observer observers[3];
    firn_entity entities[] = {bare(f), bare(f)};
    observe(&all, "Hit", 0, 0);
    observers[0] = observe(&at, "Hit", entities[0], 0);
    observers[1] = observe(&at, "Hit", entities[1], 0);
    observers[2] = observe(&at, "Hit", entities[0], 0);
    fr_events_clear_addresses(f->world);
    emit(f->world, hit, entities[0], NULL);
    assert_journal(&j, "all Hit @1 1\n");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(firn_unobserve(f->world, observers[i], NULL), FIRN_NOT_FOUND);
    }
    assert_int_equal(f->world->events_heard & FR_HEARD_ADDRESSES, 0);
    observe(&at, "Hit", entities[0], 0);
    emit(f->world, hit, entities[0], NULL);
    assert_journal(&j, "all Hit @1 1\nat Hit @1 1\n");
    journal_free(&j);
}

static void observers_of_a_reserved_entity_go_with_what_is_discarded(void **state)
{
    fixture *f = *state;
    firn_error err;
    journal j = {.world = f->world};
    noter at = {.journal = &j, .label = "at"};
    event_kind(f->world, "Hit");
    firn_iter it;
    firn_query query = firn_query_create(f->world, &(firn_query_desc){0}, &err);
    firn_iter_begin(f->world, query, &it);
    firn_entity reserved = bare(f);
    firn_observer observer = observe(&at, "Hit", reserved, 0);
    fr_commands_discard(f->world);
    assert_ok(firn_iter_end(&it, &err), &err);
    assert_int_equal(firn_unobserve(f->world, observer, &err), FIRN_NOT_FOUND);
    assert_int_not_equal(bare(f), reserved);
    journal_free(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(T10_a_kind_of_event_is_registered_once),
        FIXTURE_TEST(T15_the_built_in_kinds_are_there),
        FIXTURE_TEST(a_bad_name_of_a_kind_is_refused),
        FIXTURE_TEST(kinds_beyond_the_limit_are_refused),
        FIXTURE_TEST(T10_observers_of_address_0_see_every_address_in_the_order_of_registration),
        FIXTURE_TEST(T10_observers_at_an_entity_run_behind_those_of_address_0),
        FIXTURE_TEST(a_payload_without_a_size_is_handed_on_as_it_is),
        FIXTURE_TEST(T15_the_first_observer_that_fails_decides_and_the_others_run),
        FIXTURE_TEST(an_observer_that_does_not_say_why_is_named_by_its_event),
        FIXTURE_TEST(emitting_with_wrong_arguments_is_refused),
        FIXTURE_TEST(handles_of_another_world_are_noticed),
        FIXTURE_TEST(a_bad_description_of_an_observer_is_refused),
        FIXTURE_TEST(a_removed_observer_is_known_as_removed),
        FIXTURE_TEST(a_handle_of_an_observer_is_never_given_twice),
        FIXTURE_TEST(observers_beyond_the_limit_are_refused),
        FIXTURE_TEST(observers_leave_the_middle_the_front_and_the_end),
        FIXTURE_TEST(T10_observers_at_an_entity_go_when_a_load_clears_them),
        FIXTURE_TEST(observers_of_a_reserved_entity_go_with_what_is_discarded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
