// Every call of firn/world.h with each of its allocations failing, once and for ever: it fails with
// FIRN_NO_MEMORY and the world is as before, or succeeds as if nothing had happened.
#include "unit/store_fixture.h"

#include <stdlib.h>
#include <string.h>

typedef struct large {
    uint8_t bytes[400];
} large;

// A world with entities in several archetypes, free slots and queries; made anew for each failure.
typedef struct scene {
    fixture *f;
    firn_component large;
    firn_component second; ///< a second string with a default that is a block
    firn_entity bare;
    firn_entity moving; ///< position, text
    firn_entity full;   ///< hungry and owner, so all that hungry requires
    firn_entity lone;   ///< self, wide, value
    firn_doc *doc;
    const firn_value *tree;
    firn_iter it;
} scene;

typedef struct operation {
    const char *name;
    firn_result (*run)(scene *s, firn_error *err);
    void (*prepare)(scene *s); ///< NULL, or what happens before, with memory
} operation;

static firn_result made(uint64_t thing, const firn_error *err)
{
    return thing != 0 ? FIRN_OK : err->code;
}

// ---------------------------------------------------------------- operations

static firn_result register_struct(scene *s, firn_error *err)
{
    static const firn_field fields[] = {FIRN_FIELD(position, x, FIRN_F32),
                                        FIRN_FIELD(position, y, FIRN_F32)};
    static const position start = {3, 4};
    static const char *const former[] = {"Old", "Older", NULL};
    firn_component required[] = {s->f->hungry, s->f->tag, s->f->owner};
    firn_component_desc desc = {.name = "New",
                                .kind = FIRN_STRUCT,
                                .size = sizeof(position),
                                .fields = fields,
                                .field_count = 2,
                                .default_row = &start,
                                .required = required,
                                .required_count = 3,
                                .former_names = former};
    return made(firn_component_register(s->f->world, &desc, err), err);
}

static firn_result register_value(scene *s, firn_error *err)
{
    firn_component_desc desc = {.name = "New", .kind = FIRN_VALUE, .default_value = s->tree};
    return made(firn_component_register(s->f->world, &desc, err), err);
}

static firn_result spawn_bare(scene *s, firn_error *err)
{
    return made(firn_spawn(s->f->world, NULL, 0, err), err);
}

static firn_result spawn_one(scene *s, firn_error *err)
{
    return made(firn_spawn(s->f->world, &s->f->flag, 1, err), err);
}

static firn_result spawn_several(scene *s, firn_error *err)
{
    firn_component components[] = {s->f->hungry, s->f->owner, s->f->wide, s->f->self, s->f->text};
    return made(firn_spawn(s->f->world, components, 5, err), err);
}

static firn_result spawn_many(scene *s, firn_error *err)
{
    firn_component components[] = {s->f->text, s->f->owner, s->f->self, s->second};
    return firn_spawn_many(s->f->world, components, 4, 7, NULL, err);
}

static firn_result despawn(scene *s, firn_error *err)
{
    return firn_despawn(s->f->world, s->full, err);
}

static firn_result set_in_place(scene *s, firn_error *err)
{
    return firn_set(s->f->world, s->moving, s->f->position, &(position){5, 6}, err);
}

static firn_result set_that_adds(scene *s, firn_error *err)
{
    return firn_set(s->f->world, s->moving, s->f->hungry, &(position){5, 6}, err);
}

static firn_result set_that_adds_large(scene *s, firn_error *err)
{
    static const large row = {{1, 2, 3}};
    return firn_set(s->f->world, s->moving, s->large, &row, err);
}

static firn_result set_tag(scene *s, firn_error *err)
{
    return firn_set(s->f->world, s->lone, s->f->mark, NULL, err);
}

static firn_result set_text_in_place(scene *s, firn_error *err)
{
    return firn_set_text(s->f->world, s->moving, s->f->text, "some other text, long enough", err);
}

static firn_result set_text_that_adds(scene *s, firn_error *err)
{
    return firn_set_text(s->f->world, s->lone, s->f->text, "some other text, long enough", err);
}

static firn_result set_value_in_place(scene *s, firn_error *err)
{
    return firn_set_value(s->f->world, s->lone, s->f->value, s->tree, err);
}

static firn_result set_value_that_adds(scene *s, firn_error *err)
{
    return firn_set_value(s->f->world, s->full, s->f->value, s->tree, err);
}

static firn_result add_several(scene *s, firn_error *err)
{
    firn_component components[] = {s->f->text, s->second, s->f->owner, s->f->value};
    return firn_add(s->f->world, s->bare, components, 4, err);
}

static firn_result add_one(scene *s, firn_error *err)
{
    return firn_add(s->f->world, s->bare, &s->f->text, 1, err);
}

static firn_result remove_several(scene *s, firn_error *err)
{
    firn_component components[] = {s->f->owner, s->f->text, s->f->tag};
    return firn_remove(s->f->world, s->full, components, 3, err);
}

static firn_result remove_one(scene *s, firn_error *err)
{
    return firn_remove(s->f->world, s->lone, &s->f->wide, 1, err);
}

static firn_result make_query(scene *s, firn_error *err)
{
    firn_term terms[] = {{s->f->text, FIRN_WITH, true, 0}, {s->f->wide, FIRN_OPTIONAL, false, 0}};
    firn_query_desc desc = {.name = "texts", .terms = terms, .term_count = 2};
    return made(firn_query_create(s->f->world, &desc, err), err);
}

static firn_result end_query(scene *s, firn_error *err)
{
    return firn_query_destroy(s->f->world, s->f->world->query_base, err);
}

static firn_result set_tick(scene *s, firn_error *err)
{
    return firn_world_set_tick(s->f->world, 77, err);
}

static firn_result get_value(scene *s, firn_error *err)
{
    firn_doc *doc = firn_doc_create(&s->f->memory.allocator, NULL, err);
    if (doc == NULL) {
        return err->code;
    }
    const firn_value *value = firn_get_value(s->f->world, s->moving, s->f->text, doc, err);
    firn_result result = value == NULL ? err->code : FIRN_OK;
    firn_doc_destroy(doc);
    return result;
}

static firn_result loop(scene *s, firn_error *err)
{
    firn_iter it;
    firn_iter_begin(s->f->world, s->f->world->query_base, &it);
    while (firn_iter_next(&it)) {
        assert_int_not_equal(it.count, 0);
    }
    return firn_iter_end(&it, err);
}

static void begin_loop(scene *s)
{
    firn_iter_begin(s->f->world, s->f->world->query_base, &s->it);
}

static const operation operations[] = {
    {"register a struct", register_struct, NULL},
    {"register a value", register_value, NULL},
    {"spawn a bare one", spawn_bare, NULL},
    {"spawn one", spawn_one, NULL},
    {"spawn one with several", spawn_several, NULL},
    {"spawn many", spawn_many, NULL},
    {"despawn", despawn, NULL},
    {"set in place", set_in_place, NULL},
    {"set that adds", set_that_adds, NULL},
    {"set that adds a large row", set_that_adds_large, NULL},
    {"set a tag", set_tag, NULL},
    {"set a text in place", set_text_in_place, NULL},
    {"set a text that adds", set_text_that_adds, NULL},
    {"set a value in place", set_value_in_place, NULL},
    {"set a value that adds", set_value_that_adds, NULL},
    {"add several", add_several, NULL},
    {"add one", add_one, NULL},
    {"remove several", remove_several, NULL},
    {"remove one", remove_one, NULL},
    {"make a query", make_query, NULL},
    {"destroy a query", end_query, NULL},
    {"set the tick", set_tick, NULL},
    {"get a value", get_value, NULL},
    {"loop", loop, NULL},
    {"deferred: spawn", spawn_several, begin_loop},
    {"deferred: spawn many", spawn_many, begin_loop},
    {"deferred: despawn", despawn, begin_loop},
    {"deferred: set in place", set_in_place, begin_loop},
    {"deferred: set that adds", set_that_adds, begin_loop},
    {"deferred: set that adds a large row", set_that_adds_large, begin_loop},
    {"deferred: set a tag", set_tag, begin_loop},
    {"deferred: set a text in place", set_text_in_place, begin_loop},
    {"deferred: set a text that adds", set_text_that_adds, begin_loop},
    {"deferred: set a value that adds", set_value_that_adds, begin_loop},
    {"deferred: add several", add_several, begin_loop},
    {"deferred: remove several", remove_several, begin_loop},
};

// ---------------------------------------------------------------- the loop

static void make_scene(scene *s, fixture *f)
{
    firn_error err;
    f->world = fixture_world(f);
    s->f = f;
    static const firn_field fields[] = {FIRN_FIELD_ARRAY(large, bytes, FIRN_U8, 400)};
    firn_component_desc desc = {.name = "Large",
                                .kind = FIRN_STRUCT,
                                .size = sizeof(large),
                                .fields = fields,
                                .field_count = 1};
    s->large = firn_component_register(f->world, &desc, &err);
    s->doc = firn_doc_create(NULL, NULL, NULL);
    desc = (firn_component_desc){.name = "Second", .kind = FIRN_STRING};
    desc.default_value = firn_value_text(s->doc, "more than twelve bytes", NULL);
    s->second = firn_component_register(f->world, &desc, &err);
    s->bare = firn_spawn(f->world, NULL, 0, NULL);
    s->moving = firn_spawn(f->world, (firn_component[]){f->position, f->text}, 2, NULL);
    s->full = firn_spawn(f->world, (firn_component[]){f->hungry, f->owner}, 2, NULL);
    s->lone = firn_spawn(f->world, (firn_component[]){f->self, f->wide, f->value}, 3, NULL);
    firn_despawn(f->world, firn_spawn(f->world, &f->tag, 1, NULL), NULL);
    assert_int_not_equal(firn_query_create(f->world, &(firn_query_desc){0}, NULL), 0);
    firn_term term = {f->text, FIRN_WITHOUT, false, 0};
    firn_query_desc without = {.terms = &term, .term_count = 1};
    assert_int_not_equal(firn_query_create(f->world, &without, NULL), 0);
    firn_value *tree = firn_value_table(s->doc, NULL);
    firn_table_set_text(s->doc, tree, "a rather long key", firn_value_number(s->doc, 1, NULL),
                        NULL);
    s->tree = tree;
}

static void end_scene(scene *s)
{
    firn_doc_destroy(s->doc);
    firn_world_destroy(s->f->world);
    s->f->world = NULL;
    assert_no_leak(&s->f->memory);
    assert_int_equal(s->f->owned_count, 0);
    s->f->next_resource = 0;
}

// Runs an operation on a fresh scene with its `call`th allocation failing; 0: none. `expected` is
// the world after success: written when `call` is 0, else compared. Whether a failure was injected.
static bool run_once(fixture *f, const operation *op, uint64_t call, bool for_ever,
                     firn_buffer *expected)
{
    scene s = {0};
    firn_buffer before = {0};
    firn_error err = {.code = FIRN_OK};
    make_scene(&s, f);
    if (op->prepare != NULL) {
        op->prepare(&s);
    }
    fixture_print(f->world, &before);
    test_allocator_fail_at(&f->memory, call, for_ever);
    firn_result result = op->run(&s, &err);
    bool injected = f->memory.injected;
    test_allocator_fail_at(&f->memory, 0, false);
    if (call == 0) {
        assert_ok(result, &err);
        fixture_print(f->world, expected);
    } else if (result == FIRN_OK) {
        assert_world_is(f->world, expected);
    } else {
        assert_true(injected);
        assert_error(&err, FIRN_NO_MEMORY, "");
        assert_world_is(f->world, &before);
        assert_ok(op->run(&s, &err), &err);
        assert_world_is(f->world, expected);
    }
    firn_buffer_free(&before);
    end_scene(&s);
    return injected;
}

static void N12_every_call_without_memory_changes_nothing(void **state)
{
    fixture *f = *state;
    firn_world_destroy(f->world);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        for (int for_ever = 0; for_ever < 2; for_ever++) {
            firn_buffer expected = {0};
            run_once(f, &operations[i], 0, false, &expected);
            uint64_t call = 1;
            while (run_once(f, &operations[i], call, for_ever != 0, &expected)) {
                call++;
                if (call > 1000) {
                    fail_msg("%s does not end", operations[i].name);
                }
            }
            firn_buffer_free(&expected);
        }
    }
    f->world = fixture_world(f);
}

static void a_world_that_has_no_memory_is_not_made(void **state)
{
    fixture *f = *state;
    for (int for_ever = 0; for_ever < 2; for_ever++) {
        uint64_t blocks = f->memory.blocks;
        firn_world *world = NULL;
        for (uint64_t call = 1; world == NULL; call++) {
            firn_error err;
            firn_world_desc desc = {.allocator = &f->memory.allocator, .name = "a name"};
            test_allocator_fail_at(&f->memory, call, for_ever != 0);
            world = firn_world_create(&desc, &err);
            test_allocator_fail_at(&f->memory, 0, false);
            if (world == NULL) {
                assert_error(&err, FIRN_NO_MEMORY, "");
                assert_int_equal(f->memory.blocks, blocks);
            }
        }
        firn_world_destroy(world);
        assert_int_equal(f->memory.blocks, blocks);
    }
}

// Queues one change of each kind.
static void defer_all(scene *s)
{
    firn_error err;
    begin_loop(s);
    const operation *deferred = operations;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (deferred[i].prepare != NULL) {
            assert_ok(deferred[i].run(s, &err), &err);
        }
    }
}

// The end of a loop may fail between two changes: the rest waits, and a flush makes the world the
// same as if nothing had failed.
static bool apply_once(fixture *f, uint64_t call, bool for_ever, firn_buffer *expected)
{
    scene s = {0};
    firn_error err;
    make_scene(&s, f);
    defer_all(&s);
    test_allocator_fail_at(&f->memory, call, for_ever);
    firn_result result = firn_iter_end(&s.it, &err);
    bool injected = f->memory.injected;
    uint64_t flush_call = call;
    while (result != FIRN_OK) {
        assert_int_equal(result, FIRN_NO_MEMORY);
        assert_int_not_equal(firn_pending(f->world), 0);
        // A flush that fails as well, then one that may come further.
        test_allocator_fail_at(&f->memory, 1, for_ever);
        result = firn_flush(f->world, &err);
        test_allocator_fail_at(&f->memory, ++flush_call, false);
        if (result != FIRN_OK) {
            result = firn_flush(f->world, &err);
        }
    }
    test_allocator_fail_at(&f->memory, 0, false);
    assert_int_equal(firn_pending(f->world), 0);
    if (call == 0) {
        fixture_print(f->world, expected);
    } else {
        assert_world_is(f->world, expected);
    }
    end_scene(&s);
    return injected;
}

static void N12_deferred_changes_that_had_no_memory_are_made_by_a_flush(void **state)
{
    fixture *f = *state;
    firn_world_destroy(f->world);
    for (int for_ever = 0; for_ever < 2; for_ever++) {
        firn_buffer expected = {0};
        apply_once(f, 0, false, &expected);
        uint64_t call = 1;
        while (apply_once(f, call, for_ever != 0, &expected)) {
            call++;
        }
        assert_true(call > 20);
        firn_buffer_free(&expected);
    }
    f->world = fixture_world(f);
}

static void discarding_and_ending_take_no_memory(void **state)
{
    fixture *f = *state;
    firn_world_destroy(f->world);
    for (int turn = 0; turn < 2; turn++) {
        scene s = {0};
        make_scene(&s, f);
        defer_all(&s);
        test_allocator_fail_at(&f->memory, 1, true);
        if (turn == 0) {
            assert_int_equal(firn_iter_end(&s.it, NULL), FIRN_NO_MEMORY);
            assert_int_not_equal(firn_discard(f->world), 0);
            assert_int_equal(firn_entity_count(f->world), 4);
        }
        end_scene(&s);
        test_allocator_fail_at(&f->memory, 0, false);
    }
    f->world = fixture_world(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(N12_every_call_without_memory_changes_nothing),
        FIXTURE_TEST(a_world_that_has_no_memory_is_not_made),
        FIXTURE_TEST(N12_deferred_changes_that_had_no_memory_are_made_by_a_flush),
        FIXTURE_TEST(discarding_and_ending_take_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
