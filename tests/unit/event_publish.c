// What observers may do while an event is published.
#include "unit/event_journal.h"

#include <stdio.h>
#include <string.h>

static firn_entity bare(fixture *f)
{
    return firn_spawn(f->world, NULL, 0, NULL);
}

static firn_query query_of_all(fixture *f, const char *name)
{
    firn_error err;
    firn_query query = firn_query_create(f->world, &(firn_query_desc){.name = name}, &err);
    assert_int_not_equal(query, 0);
    return query;
}

// ---------------------------------------------------------------- observers that come and go

static void count_forgotten(void *user)
{
    ++*(int *)user;
}

static firn_result unheard(void *user, firn_world *world, const firn_event *event, firn_error *err)
{
    (void)user, (void)world, (void)event, (void)err;
    return FIRN_OK;
}

static void whoever_asks_is_told_once_that_an_observer_is_gone(void **state)
{
    fixture *f = *state;
    int forgotten[3] = {0};
    firn_entity ends = bare(f), stays = bare(f);
    firn_entity at[] = {0, ends, stays};
    firn_observer observers[3];
    for (int i = 0; i < 3; i++) {
        const firn_observer_desc desc = {
            .event = "OnSpawn", .address = at[i], .observe = unheard, .user = &forgotten[i]};
        observers[i] = fr_observe(f->world, &desc, count_forgotten, NULL);
        assert_int_not_equal(observers[i], 0);
    }
    assert_int_equal(firn_unobserve(f->world, observers[0], NULL), FIRN_OK);
    assert_int_equal(firn_unobserve(f->world, observers[0], NULL), FIRN_NOT_FOUND);
    assert_int_equal(firn_despawn(f->world, ends, NULL), FIRN_OK);
    assert_memory_equal(forgotten, ((int[]){1, 1, 0}), sizeof forgotten);
    fr_events_clear_addresses(f->world); // as a load does
    assert_memory_equal(forgotten, ((int[]){1, 1, 1}), sizeof forgotten);
}

static firn_result remove_observer_of(noter *n, const firn_event *event, firn_error *err)
{
    (void)event;
    assert_ok(firn_unobserve(n->journal->world, n->observer, err), err);
    n->then = NULL;
    return FIRN_OK;
}

static void an_observer_that_another_one_removes_is_not_called_again(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    firn_event_kind hit = event_kind(f->world, "Hit");
    firn_entity entities[] = {0, bare(f)};
    for (int i = 0; i < 2; i++) {
        noter a = {.journal = &j, .label = "a", .then = remove_observer_of};
        noter b = {.journal = &j, .label = "b"}, c = {.journal = &j, .label = "c"};
        firn_observer observers[] = {
            observe(&a, "Hit", entities[i], 0),
            observe(&b, "Hit", entities[i], 0),
            observe(&c, "Hit", entities[i], 0),
        };
        a.observer = observers[1];
        emit(f->world, hit, entities[i], NULL);
        assert_journal(&j, i == 0 ? "a Hit\nc Hit\n" : "a Hit @1 1\nc Hit @1 1\n");
        emit(f->world, hit, entities[i], NULL);
        assert_journal(&j, i == 0 ? "a Hit\nc Hit\n" : "a Hit @1 1\nc Hit @1 1\n");
        firn_unobserve(f->world, observers[0], NULL);
        firn_unobserve(f->world, observers[2], NULL);
    }
    assert_int_equal(f->world->events_heard, 0);
    journal_free(&j);
}

static void an_observer_may_remove_itself(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    firn_event_kind hit = event_kind(f->world, "Hit");
    noter a = {.journal = &j, .label = "a", .then = remove_observer_of};
    noter b = {.journal = &j, .label = "b"};
    a.observer = observe(&a, "Hit", 0, 0);
    observe(&b, "Hit", 0, 0);
    emit(f->world, hit, 0, NULL);
    emit(f->world, hit, 0, NULL);
    assert_journal(&j, "a Hit\nb Hit\nb Hit\n");
    journal_free(&j);
}

static firn_result add_many(noter *n, const firn_event *event, firn_error *err)
{
    (void)err;
    // Enough that everything the observers stand in moves.
    for (int i = 0; i < 20; i++) {
        observe(n + 1, event->name, event->address, 0);
        observe(n + 1, event->name, n->entity, 0);
    }
    n->then = NULL;
    return FIRN_OK;
}

static void an_observer_that_is_added_meanwhile_sees_the_next_event(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    firn_event_kind hit = event_kind(f->world, "Hit");
    firn_entity entity = bare(f);
    noter n[] = {{.journal = &j, .label = "a", .then = add_many, .entity = entity},
                 {.journal = &j, .label = "new"}};
    observe(&n[0], "Hit", entity, 0);
    emit(f->world, hit, entity, NULL);
    assert_journal(&j, "a Hit @1 1\n");
    emit(f->world, hit, entity, NULL);
    assert_int_equal(j.text.size, strlen("a Hit @1 1\n") + 40 * strlen("new Hit @1 1\n"));
    journal_free(&j);
}

static firn_result register_kinds(noter *n, const firn_event *event, firn_error *err)
{
    (void)event;
    (void)err;
    char name[24];
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "kind %d", i);
        event_kind(n->journal->world, name);
    }
    return FIRN_OK;
}

static void an_observer_may_register_kinds(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    firn_event_kind hit = event_kind(f->world, "Hit");
    noter a = {.journal = &j, .label = "a", .then = register_kinds};
    noter b = {.journal = &j, .label = "b"};
    observe(&a, "Hit", 0, 0);
    observe(&b, "Hit", 0, 0);
    emit(f->world, hit, 0, NULL);
    assert_journal(&j, "a Hit\nb Hit\n");
    journal_free(&j);
}

// ---------------------------------------------------------------- changes of structure

static firn_result change_everything(noter *n, const firn_event *event, firn_error *err)
{
    (void)event;
    firn_world *world = n->journal->world;
    uint32_t pending = firn_pending(world);
    firn_entity made = firn_spawn(world, &n->f->tag, 1, err);
    assert_int_not_equal(made, 0);
    assert_false(firn_has(world, made, n->f->tag));
    assert_ok(firn_add(world, n->entity, &n->f->number, 1, err), err);
    assert_false(firn_has(world, n->entity, n->f->number));
    assert_ok(firn_set(world, n->entity, n->f->position, &(position){7, 8}, err), err);
    assert_ok(firn_despawn(world, n->entity + 1, err), err);
    assert_true(firn_alive(world, n->entity + 1));
    assert_int_equal(firn_pending(world), pending + 4);
    assert_int_equal(firn_discard(world), 0);
    n->entity = made;
    return FIRN_OK;
}

static void T10_changes_of_an_observer_wait_for_the_end_of_the_publication(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    firn_event_kind hit = event_kind(f->world, "Hit");
    firn_entity entity = bare(f), other = bare(f);
    noter a = {.journal = &j, .label = "a", .then = change_everything, .f = f, .entity = entity};
    observe(&a, "Hit", 0, 0);
    emit(f->world, hit, 0, NULL);
    assert_int_equal(firn_pending(f->world), 0);
    assert_true(firn_has(f->world, a.entity, f->tag));
    assert_true(firn_has(f->world, entity, f->number));
    assert_true(((const position *)firn_get(f->world, entity, f->position))->x == 7);
    assert_false(firn_alive(f->world, other));
    journal_free(&j);
}

static void inside_a_loop_they_wait_for_its_end(void **state)
{
    fixture *f = *state;
    firn_error err;
    journal j = {.world = f->world};
    firn_event_kind hit = event_kind(f->world, "Hit");
    firn_entity entity = bare(f), other = bare(f);
    noter a = {.journal = &j, .label = "a", .then = change_everything, .f = f, .entity = entity};
    observe(&a, "Hit", 0, 0);
    firn_iter it;
    firn_iter_begin(f->world, query_of_all(f, "all"), &it);
    emit(f->world, hit, entity, NULL);
    assert_journal(&j, "a Hit @1 1\n");
    assert_int_equal(firn_pending(f->world), 4);
    assert_true(firn_alive(f->world, other));
    assert_ok(firn_iter_end(&it, &err), &err);
    assert_int_equal(firn_pending(f->world), 0);
    assert_false(firn_alive(f->world, other));
    journal_free(&j);
}

static firn_result emit_kind(noter *n, const firn_event *event, firn_error *err)
{
    (void)event;
    assert_ok(firn_emit(n->journal->world, n->kind, 0, NULL, 0, err), err);
    return FIRN_OK;
}

static void only_the_outermost_publication_applies(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    firn_entity entity = bare(f), other = bare(f);
    noter outer = {.journal = &j, .label = "outer", .then = emit_kind};
    noter inner = {
        .journal = &j, .label = "inner", .then = change_everything, .f = f, .entity = entity};
    noter last = {.journal = &j, .label = "last", .f = f};
    firn_event_kind hit = event_kind(f->world, "Hit");
    outer.kind = event_kind(f->world, "Pain");
    observe(&outer, "Hit", 0, 0);
    observe(&inner, "Pain", 0, 0);
    observe(&last, "Hit", 0, 0);
    emit(f->world, hit, 0, NULL);
    assert_journal(&j, "outer Hit\ninner Pain\nlast Hit\n");
    assert_int_equal(firn_pending(f->world), 0);
    assert_false(firn_alive(f->world, other));
    journal_free(&j);
}

static firn_result loop_over_all(noter *n, const firn_event *event, firn_error *err)
{
    (void)event;
    firn_iter it;
    firn_world *world = n->journal->world;
    firn_iter_begin(world, query_of_all(n->f, "inside"), &it);
    while (firn_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++) {
            assert_ok(firn_add(world, it.entities[i], &n->f->tag, 1, err), err);
        }
    }
    assert_ok(firn_iter_end(&it, err), err);
    assert_int_equal(firn_pending(world), 2);
    return FIRN_OK;
}

static void the_end_of_an_observers_loop_applies_nothing(void **state)
{
    fixture *f = *state;
    journal j = {.world = f->world};
    firn_event_kind hit = event_kind(f->world, "Hit");
    firn_entity entities[] = {bare(f), bare(f)};
    noter a = {.journal = &j, .label = "a", .then = loop_over_all, .f = f};
    observe(&a, "Hit", 0, 0);
    emit(f->world, hit, 0, NULL);
    assert_true(firn_has(f->world, entities[0], f->tag));
    assert_true(firn_has(f->world, entities[1], f->tag));
    journal_free(&j);
}

static firn_result end_the_loop(noter *n, const firn_event *event, firn_error *err)
{
    (void)event;
    firn_iter *it = (firn_iter *)event->payload;
    firn_world *world = n->journal->world;
    assert_int_not_equal(firn_spawn(world, NULL, 0, err), 0);
    assert_ok(firn_iter_end(it, err), err);
    assert_int_equal(firn_pending(world), 1);
    return FIRN_OK;
}

static void a_loop_that_an_observer_ends_is_applied_behind_the_publication(void **state)
{
    fixture *f = *state;
    firn_error err;
    journal j = {.world = f->world};
    firn_event_kind hit = event_kind(f->world, "Hit");
    noter a = {.journal = &j, .label = "a", .then = end_the_loop, .f = f};
    observe(&a, "Hit", 0, 0);
    firn_iter it;
    firn_iter_begin(f->world, query_of_all(f, "all"), &it);
    assert_ok(firn_emit(f->world, hit, 0, &it, 0, &err), &err);
    assert_int_equal(firn_pending(f->world), 0);
    assert_int_equal(f->world->open_loops, 0);
    journal_free(&j);
}

// ---------------------------------------------------------------- what is not allowed

static firn_result flush_inside(noter *n, const firn_event *event, firn_error *err)
{
    assert_int_equal(firn_flush(n->journal->world, err), FIRN_BUSY);
    assert_error(err, FIRN_BUSY, event->name);
    if (n->kind != 0) {
        assert_ok(firn_emit(n->journal->world, n->kind, 0, NULL, 0, err), err);
        assert_int_equal(firn_flush(n->journal->world, err), FIRN_BUSY);
        assert_error(err, FIRN_BUSY, event->name);
    }
    return FIRN_OK;
}

static void N4_a_flush_inside_a_publication_names_the_innermost_event(void **state)
{
    fixture *f = *state;
    firn_error err;
    journal j = {.world = f->world};
    firn_event_kind hit = event_kind(f->world, "Hit");
    noter outer = {.journal = &j, .label = "a", .then = flush_inside};
    noter inner = {.journal = &j, .label = "b", .then = flush_inside};
    outer.kind = event_kind(f->world, "Pain");
    observe(&outer, "Hit", 0, 0);
    observe(&inner, "Pain", 0, 0);
    emit(f->world, hit, 0, NULL);
    assert_journal(&j, "a Hit\nb Pain\n");
    assert_ok(firn_flush(f->world, &err), &err);
    journal_free(&j);
}

static firn_result emit_again(noter *n, const firn_event *event, firn_error *err)
{
    n->count++;
    return firn_emit(n->journal->world, event->kind, 0, NULL, 0, err);
}

static void publications_inside_each_other_have_a_bound(void **state)
{
    fixture *f = *state;
    firn_error err;
    journal j = {.world = f->world};
    firn_event_kind hit = event_kind(f->world, "Hit");
    noter a = {.journal = &j, .label = "a", .then = emit_again};
    observe(&a, "Hit", 0, 0);
    assert_int_equal(firn_emit(f->world, hit, 0, NULL, 0, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "Hit");
    assert_int_equal(a.count, 64);
    assert_int_equal(f->world->open_loops, 0);
    journal_free(&j);
}

static void try_events_in_hook(fixture *f, const firn_rows *rows)
{
    (void)rows;
    firn_error err;
    firn_event_kind hit = firn_event_find(f->world, "Hit");
    firn_observer_desc desc = {.event = "Hit"};
    assert_int_equal(firn_emit(f->world, hit, 0, NULL, 0, &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "Aowner");
    assert_int_equal(firn_observe(f->world, &desc, &err), 0);
    assert_error(&err, FIRN_BUSY, "Aowner");
    assert_int_equal(firn_unobserve(f->world, 1, &err), FIRN_BUSY);
    assert_int_equal(firn_event_register(f->world, "Miss", &err), 0);
    assert_error(&err, FIRN_BUSY, "Aowner");
    assert_int_equal(firn_queue_open(f->world, &hit, 1, &err), 0);
    assert_error(&err, FIRN_BUSY, "Aowner");
    assert_int_equal(firn_queue_close(f->world, 1, &err), FIRN_BUSY);
}

static void hooks_have_nothing_to_do_with_events(void **state)
{
    fixture *f = *state;
    event_kind(f->world, "Hit");
    f->in_hook = try_events_in_hook;
    assert_int_not_equal(firn_spawn(f->world, &f->owner, 1, NULL), 0);
    assert_int_equal(f->init_calls, 1);
    f->in_hook = NULL;
}

// ---------------------------------------------------------------- what fails at the end

static firn_result add_two(noter *n, const firn_event *event, firn_error *err)
{
    (void)event;
    assert_ok(firn_add(n->journal->world, n->entity, &n->f->tag, 1, err), err);
    assert_ok(firn_add(n->journal->world, n->entity, &n->f->position, 1, err), err);
    return FIRN_OK;
}

static void a_change_of_an_observer_that_fails_waits(void **state)
{
    fixture *f = *state;
    firn_error err;
    // Entities hold one component, so that a second one fails.
    firn_limits limits = {.columns = 1};
    firn_world_desc desc = {.allocator = &f->memory.allocator, .limits = &limits};
    firn_world *world = firn_world_create(&desc, &err);
    fixture narrow = {.world = world};
    narrow.tag = firn_component_register(
        world, &(firn_component_desc){.name = "Tag", .kind = FIRN_TAG}, &err);
    narrow.position = firn_component_register(
        world, &(firn_component_desc){.name = "Number", .kind = FIRN_NUMBER}, &err);
    journal j = {.world = world};
    firn_entity entity = firn_spawn(world, NULL, 0, &err);
    noter a = {.journal = &j, .label = "a", .then = add_two, .f = &narrow, .entity = entity};
    firn_event_kind hit = event_kind(world, "Hit");
    observe(&a, "Hit", 0, 0);
    assert_int_equal(firn_emit(world, hit, 0, NULL, 0, &err), FIRN_LIMIT);
    assert_true(firn_has(world, entity, narrow.tag));
    assert_int_equal(firn_pending(world), 1);
    assert_journal(&j, "a Hit\n");
    // The next emit applies first, and fails before it publishes.
    assert_int_equal(firn_emit(world, hit, 0, NULL, 0, &err), FIRN_LIMIT);
    assert_journal(&j, "");
    assert_int_equal(firn_discard(world), 1);
    journal_free(&j);
    firn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(whoever_asks_is_told_once_that_an_observer_is_gone),
        FIXTURE_TEST(an_observer_that_another_one_removes_is_not_called_again),
        FIXTURE_TEST(an_observer_may_remove_itself),
        FIXTURE_TEST(an_observer_that_is_added_meanwhile_sees_the_next_event),
        FIXTURE_TEST(an_observer_may_register_kinds),
        FIXTURE_TEST(T10_changes_of_an_observer_wait_for_the_end_of_the_publication),
        FIXTURE_TEST(inside_a_loop_they_wait_for_its_end),
        FIXTURE_TEST(only_the_outermost_publication_applies),
        FIXTURE_TEST(the_end_of_an_observers_loop_applies_nothing),
        FIXTURE_TEST(a_loop_that_an_observer_ends_is_applied_behind_the_publication),
        FIXTURE_TEST(N4_a_flush_inside_a_publication_names_the_innermost_event),
        FIXTURE_TEST(publications_inside_each_other_have_a_bound),
        FIXTURE_TEST(hooks_have_nothing_to_do_with_events),
        FIXTURE_TEST(a_change_of_an_observer_that_fails_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
