// Entities that are spawned with their rows.
#include "unit/store_fixture.h"

#include "base/error.h"
#include "store/entity.h"

#include <string.h>

static const position here = {3, 4};
static const double seven = 7;

// Spawns an entity with Position, Number, Tag, of which the first two have rows.
static firn_entity spawn_usual(fixture *f)
{
    firn_component components[] = {f->position, f->number, f->tag};
    const void *rows[] = {&here, &seven, NULL};
    return firn_spawn_rows(f->world, components, rows, 3, NULL);
}

static void assert_is_usual(fixture *f, firn_entity entity)
{
    const position *row = firn_get(f->world, entity, f->position);
    assert_non_null(row);
    assert_true(row->x == 3 && row->y == 4);
    assert_true(*(const double *)firn_get(f->world, entity, f->number) == 7);
    assert_true(firn_has(f->world, entity, f->tag));
}

static void rows_are_those_that_were_given(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 100; i++) {
        assert_is_usual(f, spawn_usual(f));
    }
}

static void a_row_that_is_not_given_is_the_default(void **state)
{
    fixture *f = *state;
    firn_component components[] = {f->position, f->number};
    const void *rows[] = {NULL, &seven};
    firn_entity entity = firn_spawn_rows(f->world, components, rows, 2, NULL);
    firn_entity bare = firn_spawn_rows(f->world, components, NULL, 2, NULL);
    const position *row = firn_get(f->world, entity, f->position);
    const position *other = firn_get(f->world, bare, f->position);
    assert_memory_equal(row, other, sizeof *row);
    assert_true(*(const double *)firn_get(f->world, entity, f->number) == 7);
}

static void the_init_hook_sees_rows_by_default_only(void **state)
{
    fixture *f = *state;
    owner given = {fixture_take_resource(f)};
    const void *rows[] = {&given};
    firn_entity entity = firn_spawn_rows(f->world, &f->owner, rows, 1, NULL);
    assert_int_equal(f->init_rows, 0);
    assert_int_equal(((const owner *)firn_get(f->world, entity, f->owner))->resource,
                     given.resource);
    firn_component components[] = {f->position, f->owner};
    const void *other[] = {&here, NULL};
    assert_int_not_equal(firn_spawn_rows(f->world, components, other, 2, NULL), 0);
    assert_int_equal(f->init_rows, 1);
}

static void what_is_required_comes_by_default(void **state)
{
    fixture *f = *state;
    firn_entity first = firn_spawn(f->world, &f->hungry, 1, NULL);
    uint8_t row[256] = {0};
    memcpy(row, firn_get(f->world, first, f->hungry), 1);
    const void *rows[] = {row};
    firn_entity entity = firn_spawn_rows(f->world, &f->hungry, rows, 1, NULL);
    assert_true(firn_has(f->world, entity, f->mark));
    assert_true(firn_has(f->world, entity, f->text));
}

static void a_row_of_the_world_can_be_given_while_its_column_grows(void **state)
{
    fixture *f = *state;
    firn_entity entity = spawn_usual(f);
    for (uint32_t i = 0; i < 200; i++) {
        firn_component components[] = {f->position, f->number, f->tag};
        const void *rows[] = {firn_get(f->world, entity, f->position),
                              firn_get(f->world, entity, f->number), NULL};
        entity = firn_spawn_rows(f->world, components, rows, 3, NULL);
        assert_is_usual(f, entity);
    }
}

static void rows_of_large_structs_are_aligned(void **state)
{
    fixture *f = *state;
    wide given;
    memset(&given, 0, sizeof given); // holes too: they are compared
    given.value = 5;
    given.more[0] = 1;
    firn_component components[] = {f->flag, f->wide, f->position};
    bool flag = true;
    const void *rows[] = {&flag, &given, &here};
    firn_iter it;
    firn_query query = firn_query_create(f->world, &(firn_query_desc){0}, NULL);
    firn_iter_begin(f->world, query, &it);
    firn_entity later = firn_spawn_rows(f->world, components, rows, 3, NULL);
    assert_int_equal(firn_iter_end(&it, NULL), FIRN_OK);
    firn_entity now = firn_spawn_rows(f->world, components, rows, 3, NULL);
    assert_memory_equal(firn_get(f->world, later, f->wide), &given, sizeof given);
    assert_memory_equal(firn_get(f->world, now, f->wide), &given, sizeof given);
    assert_true(*(const bool *)firn_get(f->world, later, f->flag));
}

static firn_result look_at_spawned(void *user, firn_world *world, const firn_event *event,
                                   firn_error *err)
{
    fixture *f = user;
    (void)world;
    (void)err;
    assert_int_equal(event->count, 1);
    assert_is_usual(f, event->entities[0]);
    return FIRN_OK;
}

static void observers_of_OnSpawn_see_the_rows(void **state)
{
    fixture *f = *state;
    firn_observer_desc desc = {.event = "OnSpawn", .observe = look_at_spawned, .user = f};
    assert_int_not_equal(firn_observe(f->world, &desc, NULL), 0);
    assert_is_usual(f, spawn_usual(f));
    firn_iter it;
    firn_query query = firn_query_create(f->world, &(firn_query_desc){0}, NULL);
    firn_iter_begin(f->world, query, &it);
    firn_entity entity = spawn_usual(f);
    assert_int_not_equal(entity, 0);
    assert_false(firn_has(f->world, entity, f->position));
    assert_int_equal(firn_iter_end(&it, NULL), FIRN_OK);
    assert_is_usual(f, entity);
}

static void rows_that_are_discarded_are_dropped(void **state)
{
    fixture *f = *state;
    owner given = {fixture_take_resource(f)};
    firn_component components[] = {f->owner, f->number};
    const void *rows[] = {&given, &seven};
    firn_iter it;
    firn_query query = firn_query_create(f->world, &(firn_query_desc){0}, NULL);
    firn_iter_begin(f->world, query, &it);
    assert_int_not_equal(firn_spawn_rows(f->world, components, rows, 2, NULL), 0);
    firn_world_destroy(f->world);
    f->world = NULL;
    assert_int_equal(f->drop_rows, 1);
}

// Larger than what is copied aside without memory.
static void large_rows_without_memory_change_nothing(void **state)
{
    fixture *f = *state;
    uint8_t given[1000];
    memset(given, 9, sizeof given);
    firn_field bytes = {.name = "bytes", .type = FIRN_U8, .count = sizeof given};
    firn_component_desc desc = {
        .name = "Large", .size = sizeof given, .fields = &bytes, .field_count = 1};
    firn_component large = firn_component_register(f->world, &desc, NULL);
    const void *rows[] = {given};
    for (uint64_t call = 1;; call++) {
        test_allocator_fail_at(&f->memory, call, false);
        firn_entity entity = firn_spawn_rows(f->world, &large, rows, 1, NULL);
        test_allocator_fail_at(&f->memory, 0, false);
        if (entity != 0) {
            assert_memory_equal(firn_get(f->world, entity, large), given, sizeof given);
            assert_true(call > 1);
            break;
        }
        assert_int_equal(firn_entity_count(f->world), 0);
    }
}

// Spawns with two components, which is refused, and asserts that nothing changed.
static void assert_refused(fixture *f, firn_component a, const void *row_a, firn_component b,
                           const void *row_b, const char *subject)
{
    firn_error err;
    firn_component components[] = {a, b};
    const void *rows[] = {row_a, row_b};
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(firn_spawn_rows(f->world, components, rows, 2, &err), 0);
        assert_error(&err, FIRN_INVALID, subject);
        // The second time the set of components is remembered, and there is room.
        firn_entity entity = firn_spawn(f->world, components, 2, NULL);
        assert_ok(firn_despawn(f->world, entity, &err), &err);
    }
    assert_int_equal(firn_entity_count(f->world), 0);
}

static void a_row_of_a_tag_is_refused(void **state)
{
    fixture *f = *state;
    assert_refused(f, f->position, &here, f->tag, &here, "Tag");
}

static void a_row_of_a_string_is_refused(void **state)
{
    fixture *f = *state;
    assert_refused(f, f->position, &here, f->text, "abc", "Text");
}

static void two_rows_of_one_component_are_refused(void **state)
{
    fixture *f = *state;
    assert_refused(f, f->position, &here, f->position, NULL, "game.Position");
}

// What is set for each of several entities, and what observers hear of it.
typedef struct completion {
    fixture *f;
    uint32_t done;
    uint32_t fails_at; // counted from 1
    uint32_t heard;
    bool heard_others;
} completion;

static firn_result set_its_text(void *user, firn_world *world, firn_entity entity, firn_error *err)
{
    completion *c = user;
    if (++c->done == c->fails_at) {
        return fr_fail(err, FIRN_REFUSED, "it", "not this one");
    }
    return firn_set_string(world, entity, c->f->text, "abc", 3, err);
}

static firn_result look_at_complete(void *user, firn_world *world, const firn_event *event,
                                    firn_error *err)
{
    completion *c = user;
    (void)err;
    for (uint32_t i = 0; i < event->count; i++) {
        size_t size;
        const char *text = firn_get_string(world, event->entities[i], c->f->text, &size);
        assert_true(text != NULL && size == 3 && memcmp(text, "abc", 3) == 0);
    }
    c->heard += event->count;
    return FIRN_OK;
}

static firn_result hear_other(void *user, firn_world *world, const firn_event *event,
                              firn_error *err)
{
    (void)world, (void)event, (void)err;
    ((completion *)user)->heard_others = true;
    return FIRN_OK;
}

static firn_result spawn_complete(completion *c, uint32_t n, firn_error *err)
{
    firn_entity out[3];
    firn_component components[] = {c->f->position};
    const void *rows[] = {&here};
    return fr_spawn_complete(c->f->world, components, rows, 1, n, out, set_its_text, c, err);
}

static void entities_are_heard_of_when_they_are_complete(void **state)
{
    completion c = {.f = *state};
    firn_error err;
    firn_world *world = c.f->world;
    firn_observer_desc spawns = {.event = "OnSpawn", .observe = look_at_complete, .user = &c};
    assert_int_not_equal(firn_observe(world, &spawns, NULL), 0);
    const char *others[] = {"OnAdd", "OnSet", "OnDespawn"};
    for (int i = 0; i < 3; i++) {
        firn_observer_desc other = {.event = others[i], .observe = hear_other, .user = &c};
        assert_int_not_equal(firn_observe(world, &other, NULL), 0);
    }
    assert_ok(spawn_complete(&c, 3, &err), &err);
    assert_true(c.heard == 3 && !c.heard_others);
    assert_ok(spawn_complete(&c, 0, &err), &err);
    assert_int_equal(c.done, 3);
    c.fails_at = 5;
    assert_int_equal(spawn_complete(&c, 3, &err), FIRN_REFUSED);
    assert_error(&err, FIRN_REFUSED, "it");
    assert_true(c.heard == 3 && !c.heard_others && firn_entity_count(world) == 3);
    assert_int_equal(firn_set_string(world, 1, c.f->text, "x", 1, &err), FIRN_OK);
    assert_true(c.heard_others);
}

static void what_completes_an_entity_waits_behind_it_in_a_loop(void **state)
{
    completion c = {.f = *state};
    firn_error err;
    firn_iter it;
    firn_query query = firn_query_create(c.f->world, &(firn_query_desc){0}, NULL);
    firn_iter_begin(c.f->world, query, &it);
    assert_ok(spawn_complete(&c, 2, &err), &err);
    c.fails_at = 4;
    assert_int_equal(spawn_complete(&c, 2, &err), FIRN_REFUSED);
    assert_int_equal(firn_iter_end(&it, NULL), FIRN_OK);
    assert_int_equal(firn_entity_count(c.f->world), 2);
    size_t size;
    assert_non_null(firn_get_string(c.f->world, 2, c.f->text, &size));
}

static void spawn_in_hook(fixture *f, const firn_rows *rows)
{
    (void)rows;
    completion c = {.f = f};
    firn_error err;
    assert_int_equal(spawn_complete(&c, 1, &err), FIRN_BUSY);
    assert_int_equal(c.done, 0);
}

static void nothing_is_spawned_and_completed_in_a_hook(void **state)
{
    fixture *f = *state;
    f->in_hook = spawn_in_hook;
    assert_int_not_equal(firn_spawn(f->world, &f->owner, 1, NULL), 0);
    f->in_hook = NULL;
    assert_int_equal(firn_entity_count(f->world), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(rows_are_those_that_were_given),
        FIXTURE_TEST(a_row_that_is_not_given_is_the_default),
        FIXTURE_TEST(the_init_hook_sees_rows_by_default_only),
        FIXTURE_TEST(what_is_required_comes_by_default),
        FIXTURE_TEST(a_row_of_the_world_can_be_given_while_its_column_grows),
        FIXTURE_TEST(rows_of_large_structs_are_aligned),
        FIXTURE_TEST(observers_of_OnSpawn_see_the_rows),
        FIXTURE_TEST(rows_that_are_discarded_are_dropped),
        FIXTURE_TEST(large_rows_without_memory_change_nothing),
        FIXTURE_TEST(a_row_of_a_tag_is_refused),
        FIXTURE_TEST(a_row_of_a_string_is_refused),
        FIXTURE_TEST(two_rows_of_one_component_are_refused),
        FIXTURE_TEST(entities_are_heard_of_when_they_are_complete),
        FIXTURE_TEST(what_completes_an_entity_waits_behind_it_in_a_loop),
        FIXTURE_TEST(nothing_is_spawned_and_completed_in_a_hook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
