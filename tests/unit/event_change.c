// The five events of changes.
#include "unit/event_journal.h"

#include <stdio.h>
#include <string.h>

// Observes the five events, of address 0 and any component.
static void observe_changes(noter *n)
{
    static const char *const names[] = {"OnSpawn", "OnDespawn", "OnAdd", "OnRemove", "OnSet"};
    for (int i = 0; i < 5; i++) {
        observe(n, names[i], 0, 0);
    }
}

static firn_queue queue_of_changes(fixture *f)
{
    firn_error err;
    static const char *const names[] = {"OnSpawn", "OnDespawn", "OnAdd", "OnRemove", "OnSet"};
    firn_event_kind kinds[5];
    for (int i = 0; i < 5; i++) {
        kinds[i] = event_kind(f->world, names[i]);
    }
    firn_queue queue = firn_queue_open(f->world, kinds, 5, &err);
    assert_int_not_equal(queue, 0);
    return queue;
}

static void begin_loop(fixture *f, firn_iter *it)
{
    firn_error err;
    firn_query query = firn_query_create(f->world, &(firn_query_desc){.name = "all"}, &err);
    firn_iter_begin(f->world, query, it);
}

static void end_loop(firn_iter *it)
{
    firn_error err;
    assert_ok(firn_iter_end(it, &err), &err);
}

// ---------------------------------------------------------------- what is told

static void T10_a_spawn_is_told_once_with_all_its_entities(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    noter n = {.journal = &j, .label = "n"};
    firn_component components[] = {f->mark, f->number};
    observe_changes(&n);
    firn_spawn(f->world, components, 2, NULL);
    assert_journal(&j, "n OnSpawn 1\n");
    firn_spawn_many(f->world, components, 2, 3, NULL, NULL);
    assert_journal(&j, "n OnSpawn 2 3 4\n");
    firn_spawn_many(f->world, components, 2, 0, NULL, NULL);
    firn_spawn(f->world, NULL, 0, NULL);
    assert_journal(&j, "n OnSpawn 5\n");
    journal_free(&j);
}

static void T10_what_is_added_and_removed_is_told_by_name(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    noter n = {.journal = &j, .label = "n"};
    firn_entity entity = firn_spawn(f->world, &f->number, 1, NULL);
    observe_changes(&n);
    firn_component components[] = {f->passing, f->number, f->hungry};
    firn_add(f->world, entity, components, 3, NULL);
    assert_journal(&j, "n OnAdd Hungry 1\nn OnAdd Mark 1\nn OnAdd Tag 1\nn OnAdd Text 1\n"
                       "n OnAdd A.passing 1\n");
    firn_add(f->world, entity, components, 3, NULL);
    assert_journal(&j, "");
    components[0] = f->tag;
    components[1] = f->owner;
    components[2] = f->mark;
    firn_remove(f->world, entity, components, 3, NULL);
    assert_journal(&j, "n OnRemove Mark 1\nn OnRemove Tag 1\n");
    firn_remove(f->world, entity, components, 3, NULL);
    assert_journal(&j, "");
    journal_free(&j);
}

static void T10_a_set_is_told_and_one_that_adds_is_an_add(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    noter n = {.journal = &j, .label = "n"};
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_entity entity = firn_spawn(f->world, NULL, 0, NULL);
    observe_changes(&n);
    for (int i = 0; i < 2; i++) {
        firn_set(f->world, entity, f->hungry, &(position){1, 2}, NULL);
        assert_journal(&j, i == 1 ? "n OnSet Hungry 1\n"
                                  : "n OnAdd Hungry 1\nn OnAdd Mark 1\nn OnAdd Number 1\n"
                                    "n OnAdd Tag 1\nn OnAdd Text 1\n");
        firn_set_text(f->world, entity, firn_name(f->world), "a name", NULL);
        firn_set_value(f->world, entity, f->value, firn_value_number(doc, 3, NULL), NULL);
        assert_journal(&j, i == 0 ? "n OnAdd Name 1\nn OnAdd Value 1\n"
                                  : "n OnSet Name 1\nn OnSet Value 1\n");
        firn_set(f->world, entity, f->tag, NULL, NULL);
        ((double *)firn_get_mut(f->world, entity, f->number))[0] = 3;
        assert_journal(&j, "");
    }
    firn_set(f->world, entity, f->number, firn_get(f->world, entity, f->number), NULL);
    assert_journal(&j, "n OnSet Number 1\n");
    firn_doc_destroy(doc);
    journal_free(&j);
}

static void an_observer_of_a_component_sees_no_other(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    noter a = {.journal = &j, .label = "a"}, s = {.journal = &j, .label = "s"};
    noter r = {.journal = &j, .label = "r"};
    firn_entity entity = firn_spawn(f->world, NULL, 0, NULL);
    observe(&a, "OnAdd", 0, f->number);
    observe(&s, "OnSet", entity, f->number);
    observe(&r, "OnRemove", 0, f->flag);
    firn_component components[] = {f->number, f->flag};
    firn_add(f->world, entity, components, 2, NULL);
    firn_set(f->world, entity, f->flag, &(bool){true}, NULL);
    firn_set(f->world, entity, f->number, &(double){3}, NULL);
    firn_remove(f->world, entity, components, 2, NULL);
    assert_journal(&j, "a OnAdd Number 1\ns OnSet @1 Number 1\nr OnRemove Flag 1\n");
    journal_free(&j);
}

static void T10_observers_at_entities_see_their_own_part_of_a_run(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    noter at = {.journal = &j, .label = "at"}, all = {.journal = &j, .label = "all"};
    firn_entity ids[4];
    firn_iter it;
    begin_loop(f, &it);
    firn_spawn_many(f->world, NULL, 0, 4, ids, NULL);
    observe(&at, "OnSpawn", ids[2], 0);
    observe(&at, "OnSpawn", ids[1], 0);
    observe(&all, "OnSpawn", 0, 0);
    end_loop(&it);
    assert_journal(&j, "all OnSpawn 1 2 3 4\nat OnSpawn @2 2\nat OnSpawn @3 3\n");
    journal_free(&j);
}

static void T10_an_observer_at_an_entity_ends_with_it(void **state)
{
    fixture *f = *state;
    firn_error err;
    journal j = {.world = f->world};
    noter n = {.journal = &j, .label = "n"};
    const char *const seen[] = {"", "n OnDespawn @2 2\n", "", "n OnDespawn @4 4\n"};
    for (int i = 0; i < 4; i++) {
        // With hooks and without.
        firn_entity entity = firn_spawn(f->world, i < 2 ? &f->owner : &f->number, 1, NULL);
        firn_observer add = observe(&n, "OnAdd", entity, 0);
        firn_observer end = i % 2 == 1 ? observe(&n, "OnDespawn", entity, 0) : add;
        assert_ok(firn_despawn(f->world, entity, &err), &err);
        assert_journal(&j, seen[i]);
        assert_int_equal(firn_unobserve(f->world, add, &err), FIRN_NOT_FOUND);
        assert_int_equal(firn_unobserve(f->world, end, &err), FIRN_NOT_FOUND);
        assert_int_equal(f->world->events_heard, 0);
        firn_entity next = firn_spawn(f->world, NULL, 0, NULL);
        assert_int_equal(fr_slot(next), fr_slot(entity));
        firn_add(f->world, next, &f->tag, 1, NULL);
        assert_journal(&j, "");
    }
    journal_free(&j);
}

// ---------------------------------------------------------------- when it is told

static firn_result look(noter *n, const firn_event *event, firn_error *err)
{
    (void)err;
    firn_world *world = n->journal->world;
    const double *number = firn_get(world, event->entities[0], n->f->number);
    const owner *row = firn_get(world, event->entities[0], n->f->owner);
    assert_true(firn_alive(world, event->entities[0]));
    assert_true(number != NULL && *number == n->count);
    // Of what goes, the row is still there, and its hook has not run.
    if (row != NULL) {
        assert_true(n->f->owned[row->resource - 1]);
    }
    n->entity = event->entities[0];
    return FIRN_OK;
}

static void T10_rows_are_there_when_they_are_told_of(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    noter n = {.journal = &j, .label = "n", .then = look, .f = f};
    firn_component components[] = {f->number, f->owner};
    observe_changes(&n);
    firn_entity entity = firn_spawn(f->world, components, 2, NULL);
    n.count = 7;
    firn_set(f->world, entity, f->number, &(double){7}, NULL);
    firn_add(f->world, entity, &f->tag, 1, NULL);
    firn_remove(f->world, entity, &f->owner, 1, NULL);
    firn_remove(f->world, entity, &f->number, 1, NULL);
    n.count = 8;
    firn_set(f->world, entity, f->number, &(double){8}, NULL);
    firn_add(f->world, entity, &f->owner, 1, NULL);
    firn_despawn(f->world, entity, NULL);
    assert_journal(&j, "n OnSpawn 1\nn OnSet Number 1\nn OnAdd Tag 1\nn OnRemove Aowner 1\n"
                       "n OnRemove Number 1\nn OnAdd Number 1\nn OnAdd Aowner 1\nn OnDespawn 1\n");
    assert_int_equal(f->owned_count, 0);
    journal_free(&j);
}

static void changes_that_wait_are_told_when_they_are_applied(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    noter n = {.journal = &j, .label = "n"};
    firn_entity entity = firn_spawn(f->world, &f->number, 1, NULL);
    observe_changes(&n);
    firn_iter it;
    begin_loop(f, &it);
    firn_entity made = firn_spawn(f->world, &f->tag, 1, NULL);
    firn_add(f->world, made, &f->number, 1, NULL);
    firn_set(f->world, entity, f->flag, &(bool){true}, NULL);
    firn_remove(f->world, entity, &f->number, 1, NULL);
    assert_journal(&j, "");
    firn_despawn(f->world, entity, NULL);
    firn_add(f->world, entity, &f->tag, 1, NULL); // never happens
    end_loop(&it);
    assert_journal(&j, "n OnSpawn 2\nn OnAdd Number 2\nn OnAdd Flag 1\nn OnRemove Number 1\n"
                       "n OnDespawn 1\n");
    journal_free(&j);
}

static void a_set_that_happens_at_once_is_told_at_once(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    noter n = {.journal = &j, .label = "n"};
    firn_entity entity = firn_spawn(f->world, &f->number, 1, NULL);
    observe_changes(&n);
    firn_iter it;
    begin_loop(f, &it);
    firn_set(f->world, entity, f->number, &(double){1}, NULL);
    assert_journal(&j, "n OnSet Number 1\n");
    end_loop(&it);
    journal_free(&j);
}

static void changes_that_are_discarded_are_not_told(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    noter n = {.journal = &j, .label = "n"};
    observe_changes(&n);
    firn_iter it;
    begin_loop(f, &it);
    firn_spawn(f->world, &f->tag, 1, NULL);
    fr_commands_discard(f->world);
    end_loop(&it);
    assert_journal(&j, "");
    journal_free(&j);
}

// ---------------------------------------------------------------- observers that change the world

static firn_result end_it(noter *n, const firn_event *event, firn_error *err)
{
    assert_ok(firn_despawn(n->journal->world, event->entities[0], err), err);
    return FIRN_REFUSED; // which is ignored
}

static void an_observer_may_end_what_was_spawned(void **state)
{
    fixture *f = *state;
    firn_error err;
    journal j = {.world = f->world};
    noter n = {.journal = &j, .label = "n", .then = end_it};
    observe(&n, "OnSpawn", 0, 0);
    firn_entity entity = firn_spawn(f->world, &f->tag, 1, &err);
    assert_int_not_equal(entity, 0);
    assert_false(firn_alive(f->world, entity));
    journal_free(&j);
}

static void an_observer_may_end_what_is_ending(void **state)
{
    fixture *f = *state;
    firn_error err;
    journal j = {.world = f->world};
    noter n = {.journal = &j, .label = "n", .then = end_it};
    firn_entity entity = firn_spawn(f->world, &f->owner, 1, &err);
    observe(&n, "OnDespawn", 0, 0);
    assert_ok(firn_despawn(f->world, entity, &err), &err);
    assert_journal(&j, "n OnDespawn 1\n");
    assert_int_equal(firn_entity_count(f->world), 0);
    journal_free(&j);
}

static firn_result take_away_again(noter *n, const firn_event *event, firn_error *err)
{
    assert_ok(firn_remove(n->journal->world, event->entities[0], &event->component, 1, err), err);
    return FIRN_OK;
}

static void what_an_observer_changes_comes_behind_what_waits(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    noter a = {.journal = &j, .label = "a", .then = take_away_again};
    noter n = {.journal = &j, .label = "n"};
    firn_entity entity = firn_spawn(f->world, NULL, 0, NULL);
    observe(&a, "OnAdd", 0, f->tag);
    observe_changes(&n);
    firn_iter it;
    begin_loop(f, &it);
    firn_add(f->world, entity, &f->tag, 1, NULL);
    firn_add(f->world, entity, &f->number, 1, NULL);
    end_loop(&it);
    assert_journal(&j, "a OnAdd Tag 1\nn OnAdd Tag 1\nn OnAdd Number 1\nn OnRemove Tag 1\n");
    journal_free(&j);
}

static firn_result set_text(noter *n, const firn_event *event, firn_error *err)
{
    (void)event;
    n->then = NULL;
    return firn_set_text(n->journal->world, n->entity, n->f->text, "inner and longer", err);
}

static void an_observer_of_a_string_may_set_a_string(void **state)
{
    fixture *f = *state;
    firn_error err;
    size_t size;
    journal j = {.world = f->world};
    firn_entity a = firn_spawn(f->world, &f->text, 1, NULL);
    firn_entity b = firn_spawn(f->world, &f->text, 1, NULL);
    noter n = {.journal = &j, .label = "n", .then = set_text, .f = f, .entity = b};
    observe(&n, "OnSet", 0, 0);
    assert_ok(firn_set_text(f->world, a, f->text, "outer and also longer", &err), &err);
    assert_memory_equal(firn_get_string(f->world, a, f->text, &size), "outer and also longer", 21);
    assert_int_equal(size, 21);
    assert_memory_equal(firn_get_string(f->world, b, f->text, &size), "inner and longer", 16);
    assert_int_equal(size, 16);
    assert_journal(&j, "n OnSet Text 1\nn OnSet Text 2\n");
    journal_free(&j);
}

static firn_result set_again(noter *n, const firn_event *event, firn_error *err)
{
    firn_result result = firn_set(n->journal->world, event->entities[0], event->component,
                                  &(double){++n->count}, err);
    if (result != FIRN_OK) {
        assert_error(err, FIRN_LIMIT, "OnSet");
        n->kind = 1;
    }
    return result;
}

static void an_observer_that_sets_for_ever_meets_a_bound(void **state)
{
    fixture *f = *state;
    firn_error err;
    journal j = {.world = f->world};
    noter n = {.journal = &j, .label = "n", .then = set_again};
    firn_entity entity = firn_spawn(f->world, &f->number, 1, NULL);
    observe(&n, "OnSet", 0, 0);
    assert_ok(firn_set(f->world, entity, f->number, &(double){0}, &err), &err);
    assert_int_equal(n.kind, 1);
    assert_int_equal(n.count, 64);
    assert_true(*(const double *)firn_get(f->world, entity, f->number) == 63);
    journal_free(&j);
}

// ---------------------------------------------------------------- queues

static void T10_a_queue_keeps_changes(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    firn_event event;
    firn_queue queue = queue_of_changes(f);
    firn_component components[] = {f->number, f->mark};
    firn_entity ids[3];
    firn_spawn_many(f->world, components, 2, 3, ids, NULL);
    firn_add(f->world, ids[1], &f->hungry, 1, NULL);
    firn_set(f->world, ids[1], f->number, &(double){1}, NULL);
    firn_remove(f->world, ids[2], components, 2, NULL);
    firn_despawn(f->world, ids[0], NULL);
    while (firn_queue_next(f->world, queue, &event)) {
        journal_write(&j, "q", &event);
    }
    assert_journal(&j, "q OnSpawn 1 2 3\nq OnAdd Hungry 2\nq OnAdd Text 2\nq OnSet Number 2\n"
                       "q OnRemove Mark 3\nq OnRemove Number 3\nq OnDespawn 1\n");
    journal_free(&j);
}

typedef firn_result (*change_fn)(fixture *f, firn_entity entity);

static firn_result do_spawn(fixture *f, firn_entity entity)
{
    (void)entity;
    return firn_spawn_many(f->world, &f->flag, 1, 2, NULL, NULL);
}
static firn_result do_despawn(fixture *f, firn_entity entity)
{
    return firn_despawn(f->world, entity, NULL);
}
static firn_result do_add(fixture *f, firn_entity entity)
{
    return firn_add(f->world, entity, &f->hungry, 1, NULL);
}
static firn_result do_remove(fixture *f, firn_entity entity)
{
    return firn_remove(f->world, entity, &f->number, 1, NULL);
}
static firn_result do_set(fixture *f, firn_entity entity)
{
    return firn_set_text(f->world, entity, f->text, "a text longer than twelve", NULL);
}
static firn_result do_set_that_adds(fixture *f, firn_entity entity)
{
    return firn_set_text(f->world, entity, firn_name(f->world), "a text longer than twelve", NULL);
}

static void N12_a_change_that_a_queue_has_no_room_for_does_not_happen(void **state)
{
    fixture *f = *state;
    static const change_fn changes[] = {do_spawn,  do_despawn, do_add,
                                        do_remove, do_set,     do_set_that_adds};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        firn_component components[] = {f->number, f->text};
        firn_entity entity = firn_spawn(f->world, components, 2, NULL);
        bool done = false;
        for (uint64_t call = 1; !done; call++) {
            firn_event event;
            firn_buffer before = {0};
            firn_queue queue = queue_of_changes(f);
            fixture_print(f->world, &before);
            test_allocator_fail_at(&f->memory, call, true);
            done = changes[i](f, entity) == FIRN_OK;
            test_allocator_fail_at(&f->memory, 0, false);
            if (!done) {
                assert_world_is(f->world, &before);
            }
            assert_int_equal(firn_queue_next(f->world, queue, &event), done);
            assert_int_equal(firn_queue_close(f->world, queue, NULL), FIRN_OK);
            firn_buffer_free(&before);
            assert_true(call < 50);
            assert_true(!done || call > 1); // the first call is for the queue
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(T10_a_spawn_is_told_once_with_all_its_entities),
        FIXTURE_TEST(T10_what_is_added_and_removed_is_told_by_name),
        FIXTURE_TEST(T10_a_set_is_told_and_one_that_adds_is_an_add),
        FIXTURE_TEST(an_observer_of_a_component_sees_no_other),
        FIXTURE_TEST(T10_observers_at_entities_see_their_own_part_of_a_run),
        FIXTURE_TEST(T10_an_observer_at_an_entity_ends_with_it),
        FIXTURE_TEST(T10_rows_are_there_when_they_are_told_of),
        FIXTURE_TEST(changes_that_wait_are_told_when_they_are_applied),
        FIXTURE_TEST(a_set_that_happens_at_once_is_told_at_once),
        FIXTURE_TEST(changes_that_are_discarded_are_not_told),
        FIXTURE_TEST(an_observer_may_end_what_was_spawned),
        FIXTURE_TEST(an_observer_may_end_what_is_ending),
        FIXTURE_TEST(what_an_observer_changes_comes_behind_what_waits),
        FIXTURE_TEST(an_observer_of_a_string_may_set_a_string),
        FIXTURE_TEST(an_observer_that_sets_for_ever_meets_a_bound),
        FIXTURE_TEST(T10_a_queue_keeps_changes),
        FIXTURE_TEST(N12_a_change_that_a_queue_has_no_room_for_does_not_happen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
