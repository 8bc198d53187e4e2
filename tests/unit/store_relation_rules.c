// Relationships: what is told in which order, and what a change does to rows, hooks and lists.
#include "unit/event_journal.h"
#include "unit/store_relations.h"

#include "firn/firn.h"
#include "store/relation.h"

#include <string.h>

// ---------------------------------------------------------------- what is told

static void observe_all(noter *n)
{
    static const char *const names[] = {"OnSpawn", "OnDespawn", "OnAdd", "OnRemove", "OnSet"};
    for (int i = 0; i < 5; i++) {
        observe(n, names[i], 0, 0);
    }
}

// A queue of the same events holds what the observers saw.
static firn_queue queue_all(const fixture *f)
{
    static const char *const names[] = {"OnSpawn", "OnDespawn", "OnAdd", "OnRemove", "OnSet"};
    firn_event_kind kinds[5];
    for (int i = 0; i < 5; i++) {
        kinds[i] = event_kind(f->world, names[i]);
    }
    firn_queue queue = firn_queue_open(f->world, kinds, 5, NULL);
    assert_int_not_equal(queue, 0);
    return queue;
}

static void assert_told(journal *j, firn_queue queue, const char *expected)
{
    journal pulled = {.world = j->world};
    firn_event event;
    while (firn_queue_next(j->world, queue, &event)) {
        journal_write(&pulled, "n", &event);
    }
    assert_journal(j, expected);
    assert_journal(&pulled, expected);
    journal_free(&pulled);
}

static void T10_T5_edges_that_come_change_and_go_are_told_in_order(void **state)
{
    fixture *f = *state;
    firn_component of[KINDS];
    firn_entity e[4];
    firn_error err;
    journal j = {.world = f->world};
    noter n = {.journal = &j, .label = "n"};
    register_relations(f, f->world, of);
    spawn_bare(f, e, 4);
    observe_all(&n);
    firn_queue queue = queue_all(f);
    relate_default(f, e[0], of[LIKES], e[1]);
    relate_default(f, e[0], of[LIKES], e[2]);
    relate_default(f, e[0], of[LIKES], e[1]);
    assert_told(&j, queue,
                "n OnAdd Likes->2 1\n"
                "n OnAdd Likes->3 1\n"
                "n OnSet Likes->2 1\n");
    relate_default(f, e[0], of[OWNS], e[1]);
    assert_told(&j, queue,
                "n OnAdd Mark 1\n"
                "n OnAdd Owns->2 1\n"
                "n OnAdd Tag 1\n");
    relate_default(f, e[0], of[OWNS], e[2]);
    relate_default(f, e[0], of[PARENT], e[1]);
    relate_default(f, e[0], of[PARENT], e[3]);
    assert_told(&j, queue,
                "n OnRemove Owns->2 1\n"
                "n OnAdd Owns->3 1\n"
                "n OnAdd Parent->2 1\n"
                "n OnRemove Parent->2 1\n"
                "n OnAdd Parent->4 1\n");
    relate_default(f, e[0], of[KNOWS], e[2]);
    relate_default(f, e[0], of[KNOWS], e[1]);
    relate_default(f, e[0], of[KNOWS], e[3]);
    assert_ok(firn_unrelate(f->world, e[0], of[KNOWS], e[1], &err), &err);
    assert_told(&j, queue,
                "n OnAdd Knows->3 1\n"
                "n OnAdd Knows->2 1\n"
                "n OnAdd Knows->4 1\n"
                "n OnRemove Knows->2 1\n");
    assert_ok(firn_unrelate(f->world, e[0], of[KNOWS], 0, &err), &err);
    assert_ok(firn_unrelate(f->world, e[0], of[LIKES], 0, &err), &err);
    assert_ok(firn_remove(f->world, e[0], of, KINDS, &err), &err);
    assert_told(&j, queue,
                "n OnRemove Knows->3 1\n"
                "n OnRemove Knows->4 1\n"
                "n OnRemove Likes->2 1\n"
                "n OnRemove Likes->3 1\n"
                "n OnRemove Owns->3 1\n"
                "n OnRemove Parent->4 1\n");
    journal_free(&j);
}

static void T10_T5_the_end_of_a_target_is_told_level_by_level_and_then_its_edges(void **state)
{
    fixture *f = *state;
    firn_component of[KINDS];
    firn_entity e[8];
    firn_error err;
    journal j = {.world = f->world};
    noter n = {.journal = &j, .label = "n"};
    register_relations(f, f->world, of);
    spawn_bare(f, e, 8);
    relate_default(f, e[3], of[PARENT], e[2]); // 4 under 3
    relate_default(f, e[2], of[PARENT], e[0]); // 3 and 2 under 1
    relate_default(f, e[1], of[PARENT], e[0]);
    relate_default(f, e[4], of[PARENT], e[1]); // 5 under 2
    relate_default(f, e[7], of[LIKES], e[0]);
    relate_default(f, e[6], of[LIKES], e[0]);
    relate_default(f, e[5], of[LIKES], e[3]);
    relate_default(f, e[7], of[KNOWS], e[4]);
    relate_default(f, e[7], of[KNOWS], e[6]); // stays
    relate_default(f, e[7], of[KNOWS], e[0]);
    relate_default(f, e[3], of[KNOWS], e[0]); // ends with its source
    observe_all(&n);
    firn_queue queue = queue_all(f);
    assert_ok(firn_despawn(f->world, e[0], &err), &err);
    // 1; then its sources in the order in which they came; then theirs. Edges by the first source
    // that was found, each with all that it loses, by name.
    assert_told(&j, queue,
                "n OnDespawn 1 3 2 4 5\n"
                "n OnRemove Knows->5 8\n"
                "n OnRemove Knows->1 8\n"
                "n OnRemove Likes->1 8\n"
                "n OnRemove Likes->1 7\n"
                "n OnRemove Likes->4 6\n");
    assert_int_equal(firn_entity_count(f->world), 3);
    assert_true(firn_target(f->world, e[7], of[KNOWS]) == e[6]);
    journal_free(&j);
}

static void T10_T5_relations_cascade_in_the_order_of_their_names(void **state)
{
    fixture *f = *state;
    static const char *const names[] = {"b", "c", "a"};
    firn_component of[3];
    firn_entity e[4];
    journal j = {.world = f->world};
    noter n = {.journal = &j, .label = "n"};
    spawn_bare(f, e, 4);
    for (uint32_t i = 0; i < 3; i++) {
        const firn_component_desc desc = {
            .name = names[i], .kind = FIRN_RELATION, .relation = FIRN_SPARSE | FIRN_CASCADE};
        of[i] = firn_component_register(f->world, &desc, NULL);
        relate_default(f, e[i + 1], of[i], e[0]);
    }
    observe(&n, "OnDespawn", 0, 0);
    assert_ok(firn_despawn(f->world, e[0], NULL), NULL);
    assert_journal(&j, "n OnDespawn 1 4 2 3\n");
    journal_free(&j);
}

static firn_result read_while_ending(noter *n, const firn_event *event, firn_error *err)
{
    (void)err;
    firn_component parent = firn_component_find(n->f->world, "Parent");
    for (uint32_t i = 0; i < event->count; i++) {
        assert_true(firn_alive(n->f->world, event->entities[i]));
        n->count += (int)firn_targets(n->f->world, event->entities[i], parent, NULL, 0);
    }
    return FIRN_OK;
}

static void T10_T5_what_ends_can_be_read_while_its_end_is_told(void **state)
{
    fixture *f = *state;
    firn_component of[KINDS];
    firn_entity e[3];
    journal j = {.world = f->world};
    noter n = {.journal = &j, .label = "n", .then = read_while_ending, .f = f};
    register_relations(f, f->world, of);
    spawn_bare(f, e, 3);
    relate_default(f, e[1], of[PARENT], e[0]);
    relate_default(f, e[2], of[PARENT], e[1]);
    observe(&n, "OnDespawn", 0, 0);
    assert_ok(firn_despawn(f->world, e[0], NULL), NULL);
    assert_int_equal(n.count, 2);
    assert_journal(&j, "n OnDespawn 1 2 3\n");
    journal_free(&j);
}

// ---------------------------------------------------------------- rows, hooks, lists

static void T5_hooks_of_other_components_follow_an_entity_through_its_edges(void **state)
{
    fixture *f = *state;
    firn_component of[KINDS], both[] = {f->owner, f->self};
    firn_entity e[3];
    firn_error err;
    register_relations(f, f->world, of);
    spawn_bare(f, e, 2);
    e[2] = firn_spawn(f->world, both, 2, &err);
    uint32_t resource = ((const owner *)firn_get(f->world, e[2], f->owner))->resource;
    uint32_t inits = f->init_rows, drops = f->drop_rows, moves = f->move_rows;
    relate_default(f, e[2], of[LIKES], e[0]);
    relate_default(f, e[2], of[OWNS], e[0]);
    relate_default(f, e[2], of[KNOWS], e[1]);
    assert_int_equal(f->move_rows, moves + 3);
    relate_default(f, e[2], of[KNOWS], e[0]); // in place
    relate_default(f, e[2], of[PARENT], e[1]);
    relate_default(f, e[2], of[PARENT], e[2]); // in place
    assert_int_equal(f->move_rows, moves + 4);
    assert_ok(firn_despawn(f->world, e[0], &err), &err); // three edges, one move
    assert_int_equal(f->move_rows, moves + 5);
    assert_int_equal(f->init_rows, inits);
    assert_int_equal(f->drop_rows, drops);
    assert_int_equal(((const owner *)firn_get(f->world, e[2], f->owner))->resource, resource);
    const self_pointer *self = firn_get(f->world, e[2], f->self);
    assert_ptr_equal(self->self, self);
    assert_ok(firn_despawn(f->world, e[2], &err), &err);
    assert_int_equal(f->drop_rows, drops + 1);
    assert_int_equal(f->owned_count, 0);
}

static void T5_a_cascade_drops_each_row_once(void **state)
{
    fixture *f = *state;
    firn_component of[KINDS];
    firn_entity e[5];
    firn_error err;
    register_relations(f, f->world, of);
    assert_ok(firn_spawn_many(f->world, &f->owner, 1, 5, e, &err), &err);
    for (uint32_t i = 0; i < 4; i++)
        relate_default(f, e[i], of[PARENT], e[(i + 1) % 4]);
    uint32_t drops = f->drop_rows;
    assert_ok(firn_despawn(f->world, e[2], &err), &err);
    assert_int_equal(f->drop_rows, drops + 4);
    assert_int_equal(firn_entity_count(f->world), 1);
    assert_int_equal(f->owned_count, 1);
}

static void expect_rows(const fixture *f, firn_component component, const firn_entity *expected,
                        uint32_t count)
{
    firn_error err;
    const firn_term term = {.component = component};
    const firn_query_desc desc = {.terms = &term, .term_count = 1};
    firn_query query = firn_query_create(f->world, &desc, &err);
    firn_iter it;
    uint32_t seen = 0;
    firn_iter_begin(f->world, query, &it);
    while (firn_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++) {
            assert_true(seen < count);
            assert_true(it.entities[i] == expected[seen++]);
        }
    }
    assert_int_equal(seen, count);
    assert_ok(firn_iter_end(&it, &err), &err);
    assert_ok(firn_query_destroy(f->world, query, &err), &err);
}

static void T5_sources_come_behind_the_rows_that_are_there_in_the_order_of_their_list(void **state)
{
    fixture *f = *state;
    firn_component of[KINDS];
    firn_entity e[7], target;
    firn_error err;
    register_relations(f, f->world, of);
    spawn_bare(f, &target, 1);
    assert_ok(firn_spawn_many(f->world, &f->tag, 1, 7, e, &err), &err);
    // The row of each is taken by the last one.
    relate_default(f, e[5], of[LIKES], target);
    relate_default(f, e[2], of[LIKES], target);
    relate_default(f, e[4], of[LIKES], target);
    relate_default(f, e[1], of[LIKES], target);
    assert_ok(firn_unrelate(f->world, e[2], of[LIKES], target, &err), &err);
    relate_default(f, e[2], of[LIKES], target); // now the last
    assert_ok(firn_despawn(f->world, target, &err), &err);
    expect_rows(f, f->tag, (firn_entity[]){e[0], e[3], e[6], e[5], e[4], e[1], e[2]}, 7);
}

static void T5_a_source_that_goes_from_the_middle_leaves_the_others_in_order(void **state)
{
    fixture *f = *state;
    firn_component of[KINDS];
    firn_entity e[6], out[6];
    firn_error err;
    register_relations(f, f->world, of);
    spawn_bare(f, e, 6);
    const firn_component listed[] = {of[LIKES], of[PARENT], of[KNOWS]};
    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t i = 1; i < 6; i++)
            relate_default(f, e[i], listed[k], e[0]);
        assert_ok(firn_unrelate(f->world, e[3], listed[k], e[0], &err), &err);
        assert_ok(firn_unrelate(f->world, e[1], listed[k], e[0], &err), &err);
        assert_int_equal(firn_next_source(f->world, listed[k], e[0], e[3]), 0);
        out[3] = 99;
        assert_int_equal(firn_sources(f->world, listed[k], e[0], out, 6), 3);
        assert_memory_equal(out, ((firn_entity[]){e[2], e[4], e[5], 99}), 4 * sizeof *out);
        assert_ok(firn_unrelate(f->world, e[5], listed[k], e[0], &err), &err);
        relate_default(f, e[3], listed[k], e[0]);
        relate_default(f, e[1], listed[k], e[0]);
        assert_int_equal(firn_sources(f->world, listed[k], e[0], out, 6), 4);
        assert_memory_equal(out, ((firn_entity[]){e[2], e[4], e[3], e[1]}), 4 * sizeof *out);
        assert_int_equal(firn_sources(f->world, listed[k], e[0], out, 2), 4);
        assert_true(out[1] == e[4] && out[2] == e[3]);
        relate_default(f, e[4], listed[k], e[0]); // is there: keeps its place
        assert_true(firn_next_source(f->world, listed[k], e[0], e[2]) == e[4]);
    }
}

// ---------------------------------------------------------------- memory

// The archetypes of targets.
static uint32_t count_dense(const firn_world *world)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->order_count; i++) {
        count += fr_archetype_dense_terms(world->archetypes[world->order[i]]) > 0;
    }
    return count;
}

static void T5_a_load_leaves_no_archetype_of_a_target_that_is_gone(void **state)
{
    fixture *f = *state;
    firn_component of[KINDS];
    firn_entity e[8];
    firn_error err;
    firn_buffer image = {0};
    register_relations(f, f->world, of);
    spawn_bare(f, e, 8);
    relate_default(f, e[0], of[LIKES], e[1]);
    assert_ok(firn_snapshot_save(f->world, NULL, &image, &err), &err);
    for (uint32_t i = 2; i < 8; i++)
        relate_default(f, e[i], of[LIKES], e[i - 1]);
    assert_true(count_dense(f->world) > 1);
    assert_ok(firn_snapshot_load(f->world, image.data, image.size, NULL, NULL, &err), &err);
    assert_int_equal(count_dense(f->world), 1);
    firn_buffer_free(&image);
}

static void T5_what_a_target_had_goes_with_it(void **state)
{
    fixture *f = *state;
    firn_component of[KINDS];
    firn_entity e[2];
    register_relations(f, f->world, of);
    spawn_bare(f, e, 1);
    uint64_t bytes = 0;
    for (int round = 0; round < 100; round++) {
        spawn_bare(f, &e[1], 1);
        for (uint32_t i = 0; i < KINDS; i++)
            relate_default(f, e[0], of[i], e[1]);
        relate_default(f, e[0], of[KNOWS], e[0]); // another target, that stays
        assert_true(fr_may_be_target(f->world, fr_slot(e[1])));
        assert_ok(firn_despawn(f->world, e[1], NULL), NULL);
        assert_true(!firn_alive(f->world, e[0]));
        assert_false(fr_may_be_target(f->world, fr_slot(e[1])));
        spawn_bare(f, e, 1);
        bytes = round <= 1 ? f->memory.bytes : bytes;
        assert_true(f->memory.bytes == bytes);
        assert_int_equal(count_dense(f->world), 0);
    }
}

static void T5_links_of_edges_that_went_are_used_again(void **state)
{
    fixture *f = *state;
    firn_component of[KINDS];
    firn_entity e[9];
    register_relations(f, f->world, of);
    spawn_bare(f, e, 9);
    uint64_t bytes = 0;
    for (int round = 0; round < 200; round++) {
        for (uint32_t i = 1; i < 9; i++)
            relate_default(f, e[i], of[KNOWS], e[0]);
        for (uint32_t i = 1; i < 9; i++)
            assert_ok(firn_unrelate(f->world, e[i], of[KNOWS], e[0], NULL), NULL);
        bytes = round <= 20 ? f->memory.bytes : bytes; // the first rounds make room
        assert_true(f->memory.bytes == bytes);
    }
}

#define LETTER_SIZE 1000

typedef struct letter {
    firn_entity target;
    char text[LETTER_SIZE];
} letter;

static void T5_rows_of_any_size_are_copied_whole(void **state)
{
    fixture *f = *state;
    static const firn_field fields[] = {FIRN_FIELD_ARRAY(letter, text, FIRN_CHAR, LETTER_SIZE)};
    static const uint32_t forms[] = {0, FIRN_SPARSE, FIRN_SPARSE | FIRN_EXCLUSIVE};
    letter row = {.target = 77};
    firn_entity e[2];
    spawn_bare(f, e, 2);
    for (size_t i = 0; i < sizeof row.text; i++)
        row.text[i] = (char)('a' + i % 26);
    for (uint32_t i = 0; i < 3; i++) {
        const char name[] = {(char)('x' + i), 0};
        const firn_component_desc desc = {.name = name,
                                          .kind = FIRN_RELATION,
                                          .size = sizeof row,
                                          .fields = fields,
                                          .field_count = 1,
                                          .relation = forms[i]};
        firn_component relation = firn_component_register(f->world, &desc, NULL);
        assert_int_not_equal(relation, 0);
        assert_ok(firn_relate(f->world, e[0], relation, e[1], &row, NULL), NULL);
        const letter *there = firn_related(f->world, e[0], relation, e[1]);
        assert_true(there->target == e[1]);
        assert_memory_equal(there->text, row.text, sizeof row.text);
        // A row of the world itself, for an entity whose row moves.
        assert_ok(firn_relate(f->world, e[0], relation, e[0], there, NULL), NULL);
        there = firn_related(f->world, e[0], relation, e[0]);
        assert_true(there->target == e[0]);
        assert_memory_equal(there->text, row.text, sizeof row.text);
    }
}

static void T5_an_edge_without_a_row_has_the_default_one(void **state)
{
    fixture *f = *state;
    firn_component of[KINDS];
    firn_entity e[2];
    register_relations(f, f->world, of);
    spawn_bare(f, e, 2);
    const likes mine = {.weight = 7};
    assert_ok(firn_relate(f->world, e[0], of[LIKES], e[1], &mine, NULL), NULL);
    relate_default(f, e[0], of[LIKES], e[0]);
    const likes *row = firn_related(f->world, e[0], of[LIKES], e[0]);
    assert_true(row->weight == 0.5);
    relate_default(f, e[0], of[LIKES], e[1]); // sets the row that is there
    row = firn_related(f->world, e[0], of[LIKES], e[1]);
    assert_true(row->weight == 0.5 && row->target == e[1]);
}

// ---------------------------------------------------------------- no more archetypes

static firn_component tag_of(firn_world *world, const char *name)
{
    firn_error err;
    firn_component tag = firn_component_register(
        world, &(firn_component_desc){.name = name, .kind = FIRN_TAG}, &err);
    assert_true(tag != 0);
    return tag;
}

// Two sources of t need an archetype each when t ends, and the world may have five: theirs, that of
// t, that of an entity alone, and one more.
static void T5_a_target_whose_sources_need_too_many_archetypes_does_not_end(void **state)
{
    fixture *f = *state;
    firn_error err = {0};
    firn_limits limits = {.archetypes = 5};
    firn_world_desc desc = {.allocator = &f->memory.allocator, .limits = &limits};
    firn_world *world = fr_world_make(&desc, NULL);
    firn_component relation = firn_component_register(
        world, &(firn_component_desc){.name = "Likes", .kind = FIRN_RELATION}, NULL);
    firn_component one = tag_of(world, "One"), two = tag_of(world, "Two");
    firn_component third = tag_of(world, "Third");
    firn_entity t = firn_spawn(world, NULL, 0, NULL);
    firn_entity a = firn_spawn(world, &one, 1, NULL), b = firn_spawn(world, &two, 1, NULL);
    assert_ok(firn_relate(world, a, relation, t, NULL, &err), &err);
    assert_ok(firn_relate(world, b, relation, t, NULL, &err), &err);
    firn_entity alone = firn_spawn(world, &third, 1, NULL); // the two that are empty go for it
    assert_int_equal(world->order_count, 4);
    firn_buffer before = {0};
    fixture_print(world, &before);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(firn_despawn(world, t, &err), FIRN_LIMIT);
        assert_error(&err, FIRN_LIMIT, "archetypes");
        assert_world_is(world, &before);
        assert_int_equal(world->order_count, 4);
    }
    assert_ok(firn_despawn(world, alone, &err), &err);
    assert_ok(firn_despawn(world, t, &err), &err);
    assert_true(firn_has(world, a, one) && !firn_has(world, a, relation));
    assert_true(firn_has(world, b, two) && !firn_has(world, b, relation));
    firn_buffer_free(&before);
    firn_world_destroy(world);
}

static void T5_a_relate_without_memory_leaves_no_archetype(void **state)
{
    fixture *f = *state;
    firn_component of[KINDS];
    firn_entity e[2];
    register_relations(f, f->world, of);
    spawn_bare(f, e, 2);
    for (uint32_t i = 0; i < KINDS; i++) {
        uint32_t archetypes = f->world->order_count;
        firn_result result = FIRN_NO_MEMORY;
        for (uint64_t call = 1; result != FIRN_OK; call++) {
            test_allocator_fail_at(&f->memory, call, false);
            result = firn_relate(f->world, e[0], of[i], e[1], NULL, NULL);
            test_allocator_fail_at(&f->memory, 0, false);
            assert_true(result == FIRN_OK || result == FIRN_NO_MEMORY);
            assert_int_equal(f->world->order_count, archetypes + (result == FIRN_OK));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(T10_T5_edges_that_come_change_and_go_are_told_in_order),
        FIXTURE_TEST(T10_T5_the_end_of_a_target_is_told_level_by_level_and_then_its_edges),
        FIXTURE_TEST(T10_T5_what_ends_can_be_read_while_its_end_is_told),
        FIXTURE_TEST(T5_hooks_of_other_components_follow_an_entity_through_its_edges),
        FIXTURE_TEST(T5_a_cascade_drops_each_row_once),
        FIXTURE_TEST(T5_sources_come_behind_the_rows_that_are_there_in_the_order_of_their_list),
        FIXTURE_TEST(T5_a_source_that_goes_from_the_middle_leaves_the_others_in_order),
        FIXTURE_TEST(T10_T5_relations_cascade_in_the_order_of_their_names),
        FIXTURE_TEST(T5_a_load_leaves_no_archetype_of_a_target_that_is_gone),
        FIXTURE_TEST(T5_what_a_target_had_goes_with_it),
        FIXTURE_TEST(T5_links_of_edges_that_went_are_used_again),
        FIXTURE_TEST(T5_rows_of_any_size_are_copied_whole),
        FIXTURE_TEST(T5_an_edge_without_a_row_has_the_default_one),
        FIXTURE_TEST(T5_a_target_whose_sources_need_too_many_archetypes_does_not_end),
        FIXTURE_TEST(T5_a_relate_without_memory_leaves_no_archetype),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
