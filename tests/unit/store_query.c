#include "unit/store_fixture.h"

#include <string.h>

static firn_query make(fixture *f, const firn_term *terms, uint32_t count)
{
    firn_error err;
    firn_query_desc desc = {.terms = terms, .term_count = count};
    firn_query query = firn_query_create(f->world, &desc, &err);
    if (query == 0) {
        fail_msg("making a query: %s", err.message);
    }
    return query;
}

static firn_entity spawn(fixture *f, const firn_component *components, uint32_t count)
{
    firn_error err;
    firn_entity entity = firn_spawn(f->world, components, count, &err);
    if (entity == 0) {
        fail_msg("spawning: %s", err.message);
    }
    return entity;
}

// The entities that a query gives, in its order.
static uint32_t collect(fixture *f, firn_query query, firn_entity *out, uint32_t room)
{
    firn_error err;
    firn_iter it;
    uint32_t count = 0;
    firn_iter_begin(f->world, query, &it);
    while (firn_iter_next(&it)) {
        assert_int_not_equal(it.count, 0);
        for (uint32_t i = 0; i < it.count; i++) {
            assert_true(count < room);
            out[count++] = it.entities[i];
        }
    }
    assert_ok(firn_iter_end(&it, &err), &err);
    assert_int_equal(firn_query_count(f->world, query), count);
    return count;
}

#define assert_gives(f, query, ...)                                                                \
    do {                                                                                           \
        const firn_entity expected_[] = {__VA_ARGS__};                                             \
        firn_entity got_[64];                                                                      \
        assert_int_equal(collect((f), (query), got_, 64), FIRN_COUNT(expected_));                  \
        assert_memory_equal(got_, expected_, sizeof expected_);                                    \
    } while (0)

static void a_query_without_terms_gives_every_entity(void **state)
{
    fixture *f = *state;
    firn_query query = make(f, NULL, 0);
    assert_int_equal(collect(f, query, NULL, 0), 0);
    firn_entity bare = spawn(f, NULL, 0);
    firn_entity tagged = spawn(f, &f->tag, 1);
    assert_gives(f, query, bare, tagged);
}

static void terms_select_with_without_any_and_optional(void **state)
{
    fixture *f = *state;
    firn_entity a = spawn(f, (firn_component[]){f->position, f->number}, 2);
    firn_entity b = spawn(f, (firn_component[]){f->position, f->flag}, 2);
    firn_entity c = spawn(f, (firn_component[]){f->position}, 1);
    firn_entity d = spawn(f, (firn_component[]){f->number, f->flag}, 2);
    // The order of names: Flag, Number, game.Position.
    assert_gives(f, make(f, (firn_term[]){{f->position, FIRN_WITH, false, 0}}, 1), b, a, c);
    assert_gives(
        f,
        make(f,
             (firn_term[]){{f->position, FIRN_WITH, false, 0}, {f->number, FIRN_WITHOUT, false, 0}},
             2),
        b, c);
    assert_gives(
        f,
        make(f, (firn_term[]){{f->number, FIRN_ANY, false, 0}, {f->flag, FIRN_ANY, false, 0}}, 2),
        d, b, a);
    assert_gives(f,
                 make(f,
                      (firn_term[]){{f->position, FIRN_WITH, false, 0},
                                    {f->number, FIRN_OPTIONAL, false, 0}},
                      2),
                 b, a, c);
}

static void a_step_has_a_column_for_each_term_that_is_there(void **state)
{
    fixture *f = *state;
    spawn(f, (firn_component[]){f->position, f->tag}, 2);
    firn_entity both = spawn(f, (firn_component[]){f->position, f->tag}, 2);
    firn_term terms[] = {{f->position, FIRN_WITH, true, 0},
                         {f->tag, FIRN_WITH, false, 0},
                         {f->number, FIRN_OPTIONAL, false, 0},
                         {f->flag, FIRN_WITHOUT, false, 0}};
    firn_iter it;
    firn_iter_begin(f->world, make(f, terms, 4), &it);
    assert_true(firn_iter_next(&it));
    assert_int_equal(it.count, 2);
    assert_true(it.present[0] && it.present[1]);
    assert_false(it.present[2] || it.present[3]);
    assert_ptr_equal((position *)it.columns[0] + 1, firn_get(f->world, both, f->position));
    assert_int_equal((uintptr_t)it.columns[0] % 64, 0);
    assert_int_equal((uintptr_t)it.entities % 64, 0);
    assert_null(it.columns[1]);
    assert_null(it.columns[2]);
    assert_null(it.columns[3]);
    assert_false(firn_iter_next(&it));
    assert_int_equal(it.count, 0);
    assert_false(firn_iter_next(&it));
    assert_int_equal(firn_iter_end(&it, NULL), FIRN_OK);
}

static void disabled_entities_are_skipped_unless_a_term_names_them(void **state)
{
    fixture *f = *state;
    firn_component disabled = firn_disabled(f->world);
    firn_entity off = spawn(f, (firn_component[]){f->tag, disabled}, 2);
    firn_entity on = spawn(f, &f->tag, 1);
    assert_gives(f, make(f, (firn_term[]){{f->tag, FIRN_WITH, false, 0}}, 1), on);
    assert_gives(f, make(f, (firn_term[]){{disabled, FIRN_WITH, false, 0}}, 1), off);
    assert_gives(
        f,
        make(f, (firn_term[]){{f->tag, FIRN_WITH, false, 0}, {disabled, FIRN_OPTIONAL, false, 0}},
             2),
        off, on);
    firn_remove(f->world, off, &disabled, 1, NULL);
    assert_gives(f, make(f, (firn_term[]){{f->tag, FIRN_WITH, false, 0}}, 1), on, off);
}

static void paused_entities_are_not_skipped(void **state)
{
    fixture *f = *state;
    firn_entity paused = spawn(f, (firn_component[]){firn_paused(f->world)}, 1);
    assert_gives(f, make(f, NULL, 0), paused);
}

static void a_query_follows_archetypes_that_come_later_in_order(void **state)
{
    fixture *f = *state;
    firn_query query = make(f, (firn_term[]){{f->tag, FIRN_WITH, false, 0}}, 1);
    firn_entity big = spawn(f, (firn_component[]){f->wide, f->tag}, 2);
    firn_entity flag = spawn(f, (firn_component[]){f->flag, f->tag}, 2);
    firn_entity bare = spawn(f, &f->tag, 1);
    firn_entity mark = spawn(f, (firn_component[]){f->mark}, 1);
    assert_gives(f, query, flag, mark, bare, big);
}

static void transient_names_order_only_what_durable_names_leave_equal(void **state)
{
    fixture *f = *state;
    firn_query query = make(f, NULL, 0);
    firn_entity self = spawn(f, (firn_component[]){f->self}, 1);
    firn_entity passing = spawn(f, (firn_component[]){f->passing}, 1);
    firn_entity flag = spawn(f, (firn_component[]){f->flag, f->passing}, 2);
    firn_entity number = spawn(f, (firn_component[]){f->number}, 1);
    firn_entity bare = spawn(f, NULL, 0);
    assert_gives(f, query, bare, passing, self, flag, number);
}

// The same world, its components registered in another order and made in another order.
static void the_order_is_that_of_names_not_of_registration(void **state)
{
    (void)state;
    const char *const names[] = {"B", "a", "A", "Ab", "C"};
    const char *const others[] = {"C", "Ab", "a", "B", "A"};
    char texts[2][256] = {"", ""};
    for (int turn = 0; turn < 2; turn++) {
        firn_world *world = firn_world_create(NULL, NULL);
        const char *const *list = turn == 0 ? names : others;
        for (int i = 0; i < 5; i++) {
            firn_component_desc tag = {.name = list[i], .kind = FIRN_TAG};
            assert_int_not_equal(firn_component_register(world, &tag, NULL), 0);
        }
        for (int i = 0; i < 25; i++) {
            firn_component set[] = {firn_component_find(world, list[i % 5]),
                                    firn_component_find(world, list[i / 5])};
            firn_spawn(world, set, 2, NULL);
        }
        firn_iter it;
        firn_iter_begin(world, firn_query_create(world, &(firn_query_desc){0}, NULL), &it);
        while (firn_iter_next(&it)) {
            firn_component found[2];
            uint32_t count = firn_entity_components(world, it.entities[0], found, 2);
            for (uint32_t i = 0; i < count; i++) {
                strcat(texts[turn], firn_component_name(world, found[i]));
                strcat(texts[turn], i + 1 < count ? "+" : " ");
            }
        }
        firn_iter_end(&it, NULL);
        firn_world_destroy(world);
    }
    assert_string_equal(texts[0], "A A+Ab A+B A+C A+a Ab Ab+B Ab+C Ab+a B B+C B+a C C+a a ");
    assert_string_equal(texts[1], texts[0]);
}

static void a_destroyed_query_is_not_found_again(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_query query = make(f, NULL, 0);
    assert_ok(firn_query_destroy(f->world, query, &err), &err);
    assert_int_equal(firn_query_destroy(f->world, query, &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "query");
    assert_int_equal(firn_query_count(f->world, query), 0);
    // The slot is used again, the handle is not.
    firn_query next = make(f, NULL, 0);
    assert_int_not_equal(next, query);
    assert_int_equal(firn_query_destroy(f->world, query, NULL), FIRN_NOT_FOUND);
    assert_int_equal(firn_query_destroy(f->world, next, NULL), FIRN_OK);
}

static void a_query_slot_at_its_last_generation_retires(void **state)
{
    fixture *f = *state;
    firn_query first = make(f, NULL, 0);
    firn_query_destroy(f->world, first, NULL);
    f->world->queries.items[0].generation = UINT16_MAX - 1;
    firn_query last = make(f, NULL, 0);
    assert_int_equal(f->world->queries.count, 1);
    assert_int_equal(firn_query_destroy(f->world, last, NULL), FIRN_OK);
    firn_query next = make(f, NULL, 0);
    assert_int_equal(f->world->queries.count, 2);
    assert_int_equal(firn_query_destroy(f->world, last, NULL), FIRN_NOT_FOUND);
    assert_int_equal(firn_query_destroy(f->world, next, NULL), FIRN_OK);
}

static void slots_of_destroyed_queries_are_used_again(void **state)
{
    fixture *f = *state;
    firn_entity entity = spawn(f, &f->tag, 1);
    firn_query queries[6];
    for (uint32_t i = 0; i < 5; i++) {
        queries[i] = make(f, NULL, 0);
    }
    for (uint32_t i = 0; i < 5; i += 2) {
        assert_int_equal(firn_query_destroy(f->world, queries[i], NULL), FIRN_OK);
        queries[i] = 0;
    }
    for (uint32_t i = 0; i < 6; i++) {
        queries[i] = i % 2 == 1 && i < 5 ? queries[i] : make(f, NULL, 0);
        for (uint32_t k = 0; k < i; k++) {
            assert_int_not_equal(queries[i], queries[k]);
        }
    }
    assert_int_equal(f->world->queries.count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_gives(f, queries[i], entity);
    }
}

static void a_query_with_an_open_loop_cannot_be_destroyed(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_query query = firn_query_create(f->world, &(firn_query_desc){.name = "movers"}, NULL);
    firn_iter it;
    firn_iter_begin(f->world, query, &it);
    assert_int_equal(firn_query_destroy(f->world, query, &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "movers");
    firn_query other = make(f, NULL, 0);
    assert_int_equal(firn_query_destroy(f->world, other, NULL), FIRN_OK);
    assert_int_equal(firn_iter_end(&it, NULL), FIRN_OK);
    assert_int_equal(firn_query_destroy(f->world, query, NULL), FIRN_OK);
}

static void a_loop_that_ends_early_is_closed(void **state)
{
    fixture *f = *state;
    firn_query query = make(f, NULL, 0);
    spawn(f, NULL, 0);
    spawn(f, &f->tag, 1);
    firn_iter it;
    firn_iter_begin(f->world, query, &it);
    assert_true(firn_iter_next(&it));
    assert_int_equal(firn_iter_end(&it, NULL), FIRN_OK);
    assert_false(firn_iter_next(&it));
    assert_int_equal(f->world->open_loops, 0);
}

static void a_loop_ends_once(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_iter it = {0};
    assert_false(firn_iter_next(&it));
    assert_int_equal(firn_iter_end(&it, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "it");
    firn_iter_begin(f->world, make(f, NULL, 0), &it);
    firn_iter copy = it;
    assert_int_equal(firn_iter_end(&it, &err), FIRN_OK);
    assert_int_equal(firn_iter_end(&it, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "it");
    assert_int_equal(firn_iter_end(&copy, &err), FIRN_INVALID);
    assert_int_equal(f->world->open_loops, 0);
}

static void a_loop_over_a_bad_query_has_no_steps_and_fails_at_its_end(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_iter it;
    spawn(f, NULL, 0);
    firn_iter_begin(f->world, 0, &it);
    assert_false(firn_iter_next(&it));
    assert_int_equal(firn_iter_end(&it, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "query");
    assert_int_equal(firn_iter_end(&it, &err), FIRN_INVALID);
    firn_query gone = make(f, NULL, 0);
    firn_query_destroy(f->world, gone, NULL);
    firn_iter_begin(f->world, gone, &it);
    assert_false(firn_iter_next(&it));
    assert_int_equal(firn_iter_end(&it, &err), FIRN_NOT_FOUND);
    firn_iter_begin(NULL, gone, &it);
    assert_false(firn_iter_next(&it));
    assert_int_equal(firn_iter_end(&it, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "world");
    assert_int_equal(f->world->open_loops, 0);
}

static void components_and_queries_can_be_made_inside_a_loop(void **state)
{
    fixture *f = *state;
    firn_entity entity = spawn(f, NULL, 0);
    firn_iter it;
    firn_iter_begin(f->world, make(f, NULL, 0), &it);
    for (int i = 0; i < 20; i++) {
        make(f, NULL, 0);
    }
    firn_component_desc tag = {.name = "Late", .kind = FIRN_TAG};
    assert_int_not_equal(firn_component_register(f->world, &tag, NULL), 0);
    assert_true(firn_iter_next(&it));
    assert_int_equal(it.entities[0], entity);
    assert_int_equal(firn_iter_end(&it, NULL), FIRN_OK);
}

static void indices_of_removed_archetypes_are_used_again(void **state)
{
    fixture *f = *state;
    const firn_component components[] = {f->tag, f->flag, f->number, f->position, f->text};
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < FIRN_COUNT(components); i++) {
            firn_entity entity = spawn(f, &components[i], 1);
            for (uint32_t k = 0; k < FIRN_COUNT(components); k++) {
                assert_true(firn_has(f->world, entity, components[k]) == (i == k));
            }
            fr_archetype *archetype = NULL;
            uint32_t row = 0;
            assert_true(fr_world_find(f->world, entity, &archetype, &row));
            firn_despawn(f->world, entity, NULL);
            if (i != round) {
                fr_world_remove_archetype(f->world, archetype);
            }
        }
    }
    // The one without components, the last that stayed, and one that came and went.
    assert_int_equal(f->world->order_count, 2);
    assert_int_equal(f->world->archetype_count, 3);
}

static void an_archetype_that_is_removed_leaves_queries_and_edges(void **state)
{
    fixture *f = *state;
    firn_query query = make(f, (firn_term[]){{f->tag, FIRN_WITH, false, 0}}, 1);
    firn_entity entity = spawn(f, &f->tag, 1);
    fr_archetype *archetype = NULL;
    uint32_t row = 0;
    assert_true(fr_world_find(f->world, entity, &archetype, &row));
    uint32_t index = archetype->index;
    firn_despawn(f->world, entity, NULL);
    fr_world_remove_archetype(f->world, archetype);
    assert_int_equal(f->world->order_count, 1);
    assert_int_equal(collect(f, query, NULL, 0), 0);
    // Its index goes to the next one; an edge that still led there would give the wrong components.
    firn_entity flag = spawn(f, &f->flag, 1);
    assert_true(fr_world_find(f->world, flag, &archetype, &row));
    assert_int_equal(archetype->index, index);
    entity = spawn(f, &f->tag, 1);
    assert_true(firn_has(f->world, entity, f->tag));
    assert_false(firn_has(f->world, entity, f->flag));
    assert_gives(f, query, entity);
}

static void a_world_has_at_most_65535_queries(void **state)
{
    fixture *f = *state;
    firn_error err;
    const firn_query_desc desc = {.name = "one of many"};
    firn_query first = firn_query_create(f->world, &desc, &err);
    for (uint32_t i = 1; i < 65535; i++)
        assert_true(firn_query_create(f->world, &desc, &err) != 0);
    assert_int_equal(firn_query_create(f->world, &desc, &err), 0);
    assert_error(&err, FIRN_LIMIT, "queries");
    assert_ok(firn_query_destroy(f->world, first, &err), &err);
    assert_true(firn_query_create(f->world, &desc, &err) != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(a_query_without_terms_gives_every_entity),
        FIXTURE_TEST(terms_select_with_without_any_and_optional),
        FIXTURE_TEST(a_step_has_a_column_for_each_term_that_is_there),
        FIXTURE_TEST(disabled_entities_are_skipped_unless_a_term_names_them),
        FIXTURE_TEST(paused_entities_are_not_skipped),
        FIXTURE_TEST(a_query_follows_archetypes_that_come_later_in_order),
        FIXTURE_TEST(transient_names_order_only_what_durable_names_leave_equal),
        cmocka_unit_test(the_order_is_that_of_names_not_of_registration),
        FIXTURE_TEST(a_destroyed_query_is_not_found_again),
        FIXTURE_TEST(a_query_slot_at_its_last_generation_retires),
        FIXTURE_TEST(slots_of_destroyed_queries_are_used_again),
        FIXTURE_TEST(indices_of_removed_archetypes_are_used_again),
        FIXTURE_TEST(a_query_with_an_open_loop_cannot_be_destroyed),
        FIXTURE_TEST(a_loop_that_ends_early_is_closed),
        FIXTURE_TEST(a_loop_ends_once),
        FIXTURE_TEST(a_loop_over_a_bad_query_has_no_steps_and_fails_at_its_end),
        FIXTURE_TEST(components_and_queries_can_be_made_inside_a_loop),
        FIXTURE_TEST(an_archetype_that_is_removed_leaves_queries_and_edges),
        FIXTURE_TEST(a_world_has_at_most_65535_queries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
