// Queues of events.
#include "unit/event_journal.h"

#include <stdalign.h>
#include <string.h>

static firn_entity bare(fixture *f)
{
    return firn_spawn(f->world, NULL, 0, NULL);
}

static firn_queue open_queue(fixture *f, const char *a, const char *b)
{
    firn_error err;
    firn_event_kind kinds[] = {event_kind(f->world, a), event_kind(f->world, b == NULL ? a : b)};
    firn_queue queue = firn_queue_open(f->world, kinds, 2, &err);
    assert_int_not_equal(queue, 0);
    assert_true(queue < (UINT64_C(1) << 53));
    return queue;
}

static void pull_all(journal *j, firn_queue queue)
{
    firn_event event;
    while (firn_queue_next(j->world, queue, &event)) {
        journal_write(j, "q", &event);
    }
}

static void T10_a_queue_keeps_events_of_its_kinds_in_their_order(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    firn_event_kind hit = event_kind(f->world, "Hit"), miss = event_kind(f->world, "Miss");
    firn_queue both = open_queue(f, "Miss", "Hit"), one = open_queue(f, "Miss", NULL);
    firn_event_kind later = event_kind(f->world, "Later");
    firn_entity entity = bare(f);
    emit(f->world, hit, 0, "one");
    emit(f->world, miss, entity, NULL);
    emit(f->world, later, entity, NULL);
    emit(f->world, hit, entity, "three, which is longer than sixteen bytes");
    pull_all(&j, both);
    assert_journal(&j, "q Hit \"one\"\n"
                       "q Miss @1 1\n"
                       "q Hit @1 1 \"three, which is longer than sixteen bytes\"\n");
    pull_all(&j, both);
    assert_journal(&j, "");
    pull_all(&j, one);
    assert_journal(&j, "q Miss @1 1\n");
    emit(f->world, hit, 0, "four");
    pull_all(&j, both);
    assert_journal(&j, "q Hit \"four\"\n");
    journal_free(&j);
}

static void an_event_that_was_pulled_stays_while_others_come(void **state)
{
    fixture *f = *state;
    firn_error err;
    journal j = {.world = f->world};
    firn_event_kind hit = event_kind(f->world, "Hit");
    firn_queue queue = open_queue(f, "Hit", NULL);
    firn_entity entity = bare(f);
    emit(f->world, hit, entity, "first");
    emit(f->world, hit, entity, "second");
    for (int round = 0; round < 2; round++) {
        firn_event event;
        assert_true(firn_queue_next(f->world, queue, &event));
        firn_despawn(f->world, entity, NULL);
        for (int i = 0; i < 100; i++) {
            // Its own payload as well.
            assert_ok(firn_emit(f->world, hit, 0, event.payload, event.size, &err), &err);
        }
        journal_write(&j, "q", &event);
    }
    assert_journal(&j, "q Hit @1 1 \"first\"\nq Hit @1 1 \"second\"\n");
    for (int i = 0; i < 200; i++) {
        firn_event event;
        assert_true(firn_queue_next(f->world, queue, &event));
        assert_memory_equal(event.payload, i < 100 ? "first" : "second", event.size);
    }
    pull_all(&j, queue);
    assert_journal(&j, "");
    journal_free(&j);
}

static void a_payload_in_a_queue_is_aligned_for_any_type(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_event_kind hit = event_kind(f->world, "Hit");
    firn_queue queue = open_queue(f, "Hit", NULL);
    const char bytes[40] = "abcdefghijklmnopqrstuvwxyz";
    firn_entity entities[] = {0, bare(f)};
    for (size_t i = 0; i < 80; i++) {
        assert_ok(firn_emit(f->world, hit, entities[i % 2], bytes, i / 2, &err), &err);
    }
    for (size_t i = 0; i < 80; i++) {
        firn_event event;
        assert_true(firn_queue_next(f->world, queue, &event));
        assert_int_equal(event.size, i / 2);
        if (event.size == 0) {
            assert_null(event.payload);
            continue;
        }
        assert_int_equal((uintptr_t)event.payload % alignof(max_align_t), 0);
        assert_memory_equal(event.payload, bytes, event.size);
    }
}

static void a_queue_keeps_no_payload_without_a_size(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_event event;
    firn_event_kind hit = event_kind(f->world, "Hit");
    firn_queue queue = open_queue(f, "Hit", NULL);
    assert_ok(firn_emit(f->world, hit, 0, f, 0, &err), &err);
    assert_true(firn_queue_next(f->world, queue, &event));
    assert_null(event.payload);
    assert_null(event.entities);
    assert_int_equal(event.address, 0);
    assert_int_equal(event.kind, hit);
    assert_string_equal(event.name, "Hit");
}

static firn_result emit_pain(noter *n, const firn_event *event, firn_error *err)
{
    return firn_emit(n->journal->world, n->kind, event->address, NULL, 0, err);
}

static void a_queue_takes_an_event_before_its_observers_run(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    firn_event_kind hit = event_kind(f->world, "Hit");
    noter a = {.journal = &j, .label = "a", .then = emit_pain};
    a.kind = event_kind(f->world, "Pain");
    observe(&a, "Hit", 0, 0);
    firn_queue queue = open_queue(f, "Hit", "Pain");
    emit(f->world, hit, 0, NULL);
    assert_journal(&j, "a Hit\n");
    pull_all(&j, queue);
    assert_journal(&j, "q Hit\nq Pain\n");
    journal_free(&j);
}

static void N12_an_event_that_a_queue_has_no_room_for_does_not_happen(void **state)
{
    fixture *f = *state;
    firn_error err;
    journal j = {.world = f->world};
    firn_event_kind hit = event_kind(f->world, "Hit");
    noter a = {.journal = &j, .label = "a"};
    observe(&a, "Hit", 0, 0);
    firn_queue queue = open_queue(f, "Hit", NULL), other = open_queue(f, "Hit", NULL);
    for (uint64_t call = 1; call <= 2; call++) {
        test_allocator_fail_at(&f->memory, call, false);
        assert_int_equal(firn_emit(f->world, hit, 0, "hard", 4, &err), FIRN_NO_MEMORY);
        assert_journal(&j, "");
        pull_all(&j, queue);
        pull_all(&j, other);
        assert_journal(&j, "");
        // One that was pulled gave its room back: begin with none again.
        assert_int_equal(firn_queue_close(f->world, queue, NULL), FIRN_OK);
        assert_int_equal(firn_queue_close(f->world, other, NULL), FIRN_OK);
        queue = open_queue(f, "Hit", NULL);
        other = open_queue(f, "Hit", NULL);
    }
    // Larger than can be: the sum does not fit.
    assert_int_equal(firn_emit(f->world, hit, 0, "hard", SIZE_MAX - 8, &err), FIRN_NO_MEMORY);
    emit(f->world, hit, 0, "hard");
    assert_journal(&j, "a Hit \"hard\"\n");
    journal_free(&j);
}

static void N12_observers_of_a_snapshot_run_when_a_queue_has_no_room(void **state)
{
    fixture *f = *state;
    firn_error err;
    journal j = {.world = f->world};
    noter a = {.journal = &j, .label = "a"};
    observe(&a, "OnSnapshotSave", 0, 0);
    firn_queue queue = open_queue(f, "OnSnapshotSave", NULL);
    test_allocator_fail_at(&f->memory, 1, false);
    assert_int_equal(fr_event_publish(f->world, FR_EVENT_SAVE, f, &err), FIRN_NO_MEMORY);
    assert_journal(&j, "a OnSnapshotSave\n");
    pull_all(&j, queue);
    assert_journal(&j, "");
    assert_ok(fr_event_publish(f->world, FR_EVENT_SAVE, f, &err), &err);
    pull_all(&j, queue);
    assert_journal(&j, "a OnSnapshotSave\nq OnSnapshotSave\n");
    journal_free(&j);
}

static void a_world_is_heard_as_long_as_a_queue_is_open(void **state)
{
    fixture *f = *state;
    firn_queue one = open_queue(f, "OnSpawn", "OnSet"), two = open_queue(f, "OnSet", NULL);
    const uint32_t spawn = FR_HEARD(FR_EVENT_SPAWN), set = FR_HEARD(FR_EVENT_SET);
    assert_int_equal(f->world->events_heard, spawn | set);
    assert_int_equal(firn_queue_close(f->world, one, NULL), FIRN_OK);
    assert_int_equal(f->world->events_heard, set);
    assert_int_equal(firn_queue_close(f->world, two, NULL), FIRN_OK);
    assert_int_equal(f->world->events_heard, 0);
}

static void a_closed_queue_is_known_as_closed(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_event event;
    firn_event_kind hit = event_kind(f->world, "Hit");
    firn_queue queue = open_queue(f, "Hit", NULL);
    emit(f->world, hit, 0, "never pulled");
    assert_ok(firn_queue_close(f->world, queue, &err), &err);
    assert_int_equal(firn_queue_close(f->world, queue, &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "queue");
    assert_false(firn_queue_next(f->world, queue, &event));
    firn_queue next = open_queue(f, "Hit", NULL);
    assert_int_not_equal(next, queue);
    assert_false(firn_queue_next(f->world, next, &event));
    assert_int_equal(firn_queue_close(f->world, next, &err), FIRN_OK);
    emit(f->world, hit, 0, "heard by nobody");
}

static void opening_a_queue_with_wrong_arguments_is_refused(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_event event;
    firn_event_kind kinds[] = {event_kind(f->world, "Hit"), 0};
    assert_int_equal(firn_queue_open(NULL, kinds, 1, &err), 0);
    assert_error(&err, FIRN_INVALID, "world");
    assert_int_equal(firn_queue_open(f->world, NULL, 1, &err), 0);
    assert_error(&err, FIRN_INVALID, "kinds");
    assert_int_equal(firn_queue_open(f->world, kinds, 0, &err), 0);
    assert_error(&err, FIRN_INVALID, "kinds");
    assert_int_equal(firn_queue_open(f->world, kinds, 2, &err), 0);
    assert_error(&err, FIRN_INVALID, "kinds");
    assert_int_equal(firn_queue_close(f->world, 0, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "queue");
    assert_int_equal(firn_queue_close(NULL, 1, &err), FIRN_INVALID);
    assert_false(firn_queue_next(NULL, 1, &event));
    assert_false(firn_queue_next(f->world, 0, &event));
    firn_queue queue = open_queue(f, "Hit", NULL);
    assert_false(firn_queue_next(f->world, queue, NULL));
}

static void a_handle_of_a_queue_is_never_given_twice(void **state)
{
    fixture *f = *state;
    firn_queue first = open_queue(f, "Hit", NULL), last = first;
    for (uint32_t i = 0; i < UINT16_MAX + 10; i++) {
        assert_int_equal(firn_queue_close(f->world, last, NULL), FIRN_OK);
        last = open_queue(f, "Hit", NULL);
        assert_int_not_equal(last, first);
    }
    assert_int_equal(f->world->events.queue_count, 2); // the first slot is used up
}

static void queues_beyond_the_limit_are_refused(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_event_kind hit = event_kind(f->world, "Hit");
    for (int i = 0; i < 4096; i++) {
        assert_int_not_equal(firn_queue_open(f->world, &hit, 1, NULL), 0);
    }
    assert_int_equal(firn_queue_open(f->world, &hit, 1, &err), 0);
    assert_error(&err, FIRN_LIMIT, "queues");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(T10_a_queue_keeps_events_of_its_kinds_in_their_order),
        FIXTURE_TEST(an_event_that_was_pulled_stays_while_others_come),
        FIXTURE_TEST(a_payload_in_a_queue_is_aligned_for_any_type),
        FIXTURE_TEST(a_queue_keeps_no_payload_without_a_size),
        FIXTURE_TEST(a_queue_takes_an_event_before_its_observers_run),
        FIXTURE_TEST(N12_an_event_that_a_queue_has_no_room_for_does_not_happen),
        FIXTURE_TEST(N12_observers_of_a_snapshot_run_when_a_queue_has_no_room),
        FIXTURE_TEST(a_world_is_heard_as_long_as_a_queue_is_open),
        FIXTURE_TEST(a_closed_queue_is_known_as_closed),
        FIXTURE_TEST(opening_a_queue_with_wrong_arguments_is_refused),
        FIXTURE_TEST(a_handle_of_a_queue_is_never_given_twice),
        FIXTURE_TEST(queues_beyond_the_limit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
