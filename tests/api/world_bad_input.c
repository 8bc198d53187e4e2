// Wrong arguments of every function of firn/world.h: the result, a message that names the thing,
// and a world that is as before.
#include "firn/game.h"
#include "firn/relation.h"
#include "unit/store_fixture.h"

#include <stdlib.h>
#include <string.h>

static firn_buffer before;

static int bad_setup(void **state)
{
    int result = fixture_setup(state);
    if (result == 0) {
        fixture *f = *state;
        firn_component components[] = {f->position, f->text, f->owner};
        firn_spawn_many(f->world, components, 3, 3, NULL, NULL);
        firn_despawn(f->world, 2, NULL);
        firn_query_create(f->world, &(firn_query_desc){.name = "all"}, NULL);
        before = (firn_buffer){0};
        fixture_print(f->world, &before);
    }
    return result;
}

static int bad_teardown(void **state)
{
    fixture *f = *state;
    assert_world_is(f->world, &before);
    firn_buffer_free(&before);
    return fixture_teardown(state);
}

// The call fails with this result and subject, with an error to fill and without.
#define assert_fails(call, result, subject)                                                        \
    do {                                                                                           \
        firn_error error_ = {.code = FIRN_OK};                                                     \
        firn_error *err = &error_;                                                                 \
        assert_int_equal((call), (result));                                                        \
        assert_error(err, (result), (subject));                                                    \
        err = NULL;                                                                                \
        assert_int_equal((call), (result));                                                        \
    } while (0)

// The same for a call that makes something and gives 0 or NULL.
#define assert_makes_nothing(call, result, subject)                                                \
    do {                                                                                           \
        firn_error error_ = {.code = FIRN_OK};                                                     \
        firn_error *err = &error_;                                                                 \
        assert_true((call) == 0);                                                                  \
        assert_error(err, (result), (subject));                                                    \
        err = NULL;                                                                                \
        assert_true((call) == 0);                                                                  \
    } while (0)

static void a_null_world_is_refused_by_every_change(void **state)
{
    fixture *f = *state;
    firn_component c = f->position;
    double row = 0;
    firn_value value = {.kind = FIRN_VALUE_BOOL};
    firn_component_desc desc = {.name = "X", .kind = FIRN_TAG};
    firn_query_desc query = {0};
    assert_fails(firn_world_set_tick(NULL, 1, err), FIRN_INVALID, "world");
    assert_makes_nothing(firn_component_register(NULL, &desc, err), FIRN_INVALID, "world");
    assert_makes_nothing(firn_spawn(NULL, &c, 1, err), FIRN_INVALID, "world");
    assert_fails(firn_spawn_many(NULL, &c, 1, 1, NULL, err), FIRN_INVALID, "world");
    assert_fails(firn_despawn(NULL, 1, err), FIRN_INVALID, "world");
    assert_fails(firn_set(NULL, 1, c, &row, err), FIRN_INVALID, "world");
    assert_fails(firn_set_string(NULL, 1, c, "x", 1, err), FIRN_INVALID, "world");
    assert_fails(firn_set_text(NULL, 1, c, "x", err), FIRN_INVALID, "world");
    assert_fails(firn_set_value(NULL, 1, c, &value, err), FIRN_INVALID, "world");
    assert_fails(firn_add(NULL, 1, &c, 1, err), FIRN_INVALID, "world");
    assert_fails(firn_remove(NULL, 1, &c, 1, err), FIRN_INVALID, "world");
    assert_makes_nothing(firn_query_create(NULL, &query, err), FIRN_INVALID, "world");
    assert_fails(firn_query_destroy(NULL, 1, err), FIRN_INVALID, "world");
    assert_fails(firn_flush(NULL, err), FIRN_INVALID, "world");
    assert_int_equal(firn_discard(NULL), 0);
    assert_fails(firn_iter_end(NULL, err), FIRN_INVALID, "it");
    firn_iter_begin(NULL, 1, NULL);
    assert_false(firn_iter_next(NULL));
    firn_world_destroy(NULL);
}

static void a_null_world_is_empty_to_every_question(void **state)
{
    fixture *f = *state;
    firn_component c = f->position;
    size_t size = 5;
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    assert_string_equal(firn_world_name(NULL), "");
    assert_int_equal(firn_world_tick(NULL), 0);
    assert_int_equal(firn_entity_count(NULL), 0);
    assert_null(firn_world_limits(NULL));
    assert_int_equal(firn_component_find(NULL, "Name"), 0);
    assert_string_equal(firn_component_name(NULL, c), "");
    assert_int_equal(firn_component_kind_of(NULL, c), FIRN_TAG);
    assert_int_equal(firn_component_count(NULL), 0);
    assert_int_equal(firn_component_at(NULL, 0), 0);
    assert_int_equal(firn_name(NULL) + firn_disabled(NULL) + firn_paused(NULL), 0);
    assert_false(firn_alive(NULL, 1));
    assert_false(firn_has(NULL, 1, c));
    assert_null(firn_get(NULL, 1, c));
    assert_null(firn_get_mut(NULL, 1, c));
    assert_null(firn_get_string(NULL, 1, c, &size));
    assert_int_equal(size, 0);
    assert_makes_nothing(firn_get_value(NULL, 1, c, doc, err), FIRN_INVALID, "world");
    assert_int_equal(firn_entity_components(NULL, 1, NULL, 0), 0);
    assert_int_equal(firn_query_count(NULL, 1), 0);
    assert_int_equal(firn_pending(NULL), 0);
    firn_doc_destroy(doc);
}

static void null_arguments_are_named(void **state)
{
    fixture *f = *state;
    firn_world *w = f->world;
    assert_makes_nothing(firn_component_register(w, NULL, err), FIRN_INVALID, "desc");
    assert_makes_nothing(firn_spawn(w, NULL, 1, err), FIRN_INVALID, "components");
    assert_fails(firn_spawn_many(w, NULL, 2, 1, NULL, err), FIRN_INVALID, "components");
    assert_fails(firn_add(w, 1, NULL, 1, err), FIRN_INVALID, "components");
    assert_fails(firn_remove(w, 1, NULL, 1, err), FIRN_INVALID, "components");
    assert_fails(firn_set(w, 1, f->position, NULL, err), FIRN_INVALID, "row");
    assert_fails(firn_set_string(w, 1, f->text, NULL, 1, err), FIRN_INVALID, "bytes");
    assert_fails(firn_set_text(w, 1, f->text, NULL, err), FIRN_INVALID, "text");
    assert_fails(firn_set_value(w, 1, f->value, NULL, err), FIRN_INVALID, "value");
    assert_makes_nothing(firn_get_value(w, 1, f->text, NULL, err), FIRN_INVALID, "doc");
    assert_makes_nothing(firn_query_create(w, NULL, err), FIRN_INVALID, "desc");
    firn_query_desc query = {.term_count = 1};
    assert_makes_nothing(firn_query_create(w, &query, err), FIRN_INVALID, "terms");
    firn_component_desc desc = {.name = "X", .kind = FIRN_TAG, .required_count = 1};
    assert_makes_nothing(firn_component_register(w, &desc, err), FIRN_INVALID, "required");
    assert_int_equal(firn_component_find(w, NULL), 0);
}

static void entity_zero_is_refused(void **state)
{
    fixture *f = *state;
    firn_world *w = f->world;
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    assert_fails(firn_despawn(w, 0, err), FIRN_INVALID, "entity");
    assert_fails(firn_set(w, 0, f->number, &(double){1}, err), FIRN_INVALID, "entity");
    assert_fails(firn_add(w, 0, &f->tag, 1, err), FIRN_INVALID, "entity");
    assert_fails(firn_remove(w, 0, &f->tag, 1, err), FIRN_INVALID, "entity");
    assert_makes_nothing(firn_get_value(w, 0, f->text, doc, err), FIRN_INVALID, "entity");
    assert_false(firn_alive(w, 0));
    assert_false(firn_has(w, 0, f->position));
    assert_null(firn_get(w, 0, f->position));
    firn_doc_destroy(doc);
}

// Dead, of another generation, never made, with slots out of range.
static const firn_entity dead_ids[] = {
    2, 1 + (UINT64_C(1) << FIRN_SLOT_BITS), 4, FIRN_SLOT_MAX, UINT64_MAX, UINT64_C(1) << 40,
};

static void T4_dead_entities_are_not_found(void **state)
{
    fixture *f = *state;
    firn_world *w = f->world;
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_value *value = firn_value_bool(doc, true, NULL);
    for (size_t i = 0; i < sizeof dead_ids / sizeof *dead_ids; i++) {
        firn_entity id = dead_ids[i];
        firn_error last;
        assert_fails(firn_despawn(w, id, err), FIRN_NOT_FOUND, "entity");
        assert_fails(firn_set(w, id, f->number, &(double){1}, err), FIRN_NOT_FOUND, "entity");
        assert_fails(firn_set(w, id, f->tag, NULL, err), FIRN_NOT_FOUND, "entity");
        assert_fails(firn_set_string(w, id, f->text, "x", 1, err), FIRN_NOT_FOUND, "entity");
        assert_fails(firn_set_text(w, id, f->text, "x", err), FIRN_NOT_FOUND, "entity");
        assert_fails(firn_set_value(w, id, f->value, value, err), FIRN_NOT_FOUND, "entity");
        assert_fails(firn_add(w, id, &f->tag, 1, err), FIRN_NOT_FOUND, "entity");
        assert_fails(firn_remove(w, id, &f->tag, 1, err), FIRN_NOT_FOUND, "entity");
        assert_makes_nothing(firn_get_value(w, id, f->text, doc, err), FIRN_NOT_FOUND, "entity");
        assert_int_equal(firn_despawn(w, id, &last), FIRN_NOT_FOUND);
        assert_true(last.entity == id);
        assert_false(firn_alive(w, id));
        assert_false(firn_has(w, id, f->position));
        assert_null(firn_get(w, id, f->position));
        assert_null(firn_get_mut(w, id, f->position));
        assert_null(firn_get_string(w, id, f->text, NULL));
        assert_int_equal(firn_entity_components(w, id, NULL, 0), 0);
    }
    firn_doc_destroy(doc);
}

static void refuse_component(fixture *f, firn_component bad)
{
    firn_world *w = f->world;
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_value *value = firn_value_bool(doc, true, NULL);
    firn_component list[] = {f->tag, bad};
    firn_component_desc desc = {
        .name = "X", .kind = FIRN_TAG, .required = list, .required_count = 2};
    firn_term terms[] = {{f->tag, FIRN_WITH, false, 0}, {bad, FIRN_OPTIONAL, false, 0}};
    firn_query_desc query = {.terms = terms, .term_count = 2};
    assert_makes_nothing(firn_spawn(w, list, 2, err), FIRN_INVALID, "components");
    assert_fails(firn_spawn_many(w, list, 2, 4, NULL, err), FIRN_INVALID, "components");
    assert_fails(firn_add(w, 1, list, 2, err), FIRN_INVALID, "components");
    assert_fails(firn_remove(w, 1, list, 2, err), FIRN_INVALID, "components");
    assert_fails(firn_set(w, 1, bad, &(double){1}, err), FIRN_INVALID, "component");
    assert_fails(firn_set_string(w, 1, bad, "x", 1, err), FIRN_INVALID, "component");
    assert_fails(firn_set_text(w, 1, bad, "x", err), FIRN_INVALID, "component");
    assert_fails(firn_set_value(w, 1, bad, value, err), FIRN_INVALID, "component");
    assert_makes_nothing(firn_get_value(w, 1, bad, doc, err), FIRN_INVALID, "component");
    assert_makes_nothing(firn_component_register(w, &desc, err), FIRN_INVALID, "required");
    assert_makes_nothing(firn_query_create(w, &query, err), FIRN_INVALID, "terms");
    assert_false(firn_has(w, 1, bad));
    assert_null(firn_get(w, 1, bad));
    assert_null(firn_get_mut(w, 1, bad));
    assert_null(firn_get_string(w, 1, bad, NULL));
    assert_string_equal(firn_component_name(w, bad), "");
    assert_int_equal(firn_component_kind_of(w, bad), FIRN_TAG);
    firn_doc_destroy(doc);
}

static void components_of_another_world_are_refused(void **state)
{
    fixture *f = *state;
    firn_world *other = firn_world_create(NULL, NULL);
    firn_component_desc tag = {.name = "Tag", .kind = FIRN_TAG};
    refuse_component(f, firn_component_register(other, &tag, NULL));
    refuse_component(f, firn_name(other));
    firn_world_destroy(other);
}

static void components_that_never_were_are_refused(void **state)
{
    fixture *f = *state;
    refuse_component(f, 0);
    refuse_component(f, f->passing + 1);
    refuse_component(f, UINT64_MAX);
    refuse_component(f, firn_name(f->world) - 1);
}

static void queries_of_another_world_are_refused(void **state)
{
    fixture *f = *state;
    firn_world *other = firn_world_create(NULL, NULL);
    firn_query foreign = firn_query_create(other, &(firn_query_desc){0}, NULL);
    const firn_query bad[] = {0, foreign, UINT64_MAX, f->world->query_base + 1};
    for (int i = 0; i < 4; i++) {
        assert_fails(firn_query_destroy(f->world, bad[i], err), FIRN_INVALID, "query");
        assert_int_equal(firn_query_count(f->world, bad[i]), 0);
        firn_iter it;
        firn_iter_begin(f->world, bad[i], &it);
        assert_false(firn_iter_next(&it));
        firn_error err;
        assert_int_equal(firn_iter_end(&it, &err), FIRN_INVALID);
        assert_error(&err, FIRN_INVALID, "query");
    }
    firn_world_destroy(other);
}

// An allocator that gives the memory of one block, and takes nothing back.
typedef struct stretch {
    uint8_t *bytes;
    size_t used;
} stretch;

static void *stretch_resize(void *user, void *ptr, size_t old_size, size_t new_size, size_t align)
{
    stretch *memory = user;
    if (new_size == 0) {
        return NULL;
    }
    memory->used += (size_t) - (uintptr_t)(memory->bytes + memory->used) & (align - 1);
    uint8_t *block = memory->bytes + memory->used;
    memory->used += new_size;
    if (ptr != NULL) {
        memcpy(block, ptr, old_size < new_size ? old_size : new_size);
    }
    return block;
}

static void handles_tell_worlds_a_large_power_of_two_apart(void **state)
{
    (void)state;
    const size_t apart = (size_t)1 << 27;
    stretch memory = {malloc(apart + ((size_t)1 << 20)), 0};
    assert_non_null(memory.bytes);
    const firn_allocator allocator = {stretch_resize, &memory};
    firn_world *one = firn_world_create(&(firn_world_desc){.allocator = &allocator}, NULL);
    memory.used = apart;
    firn_world *two = firn_world_create(&(firn_world_desc){.allocator = &allocator}, NULL);
    assert_ptr_equal((uint8_t *)one + apart, two);
    firn_query query = firn_query_create(one, &(firn_query_desc){0}, NULL);
    assert_true(firn_query_create(two, &(firn_query_desc){0}, NULL) != query);
    assert_fails(firn_query_destroy(two, query, err), FIRN_INVALID, "query");
    firn_component foreign = firn_name(one);
    assert_makes_nothing(firn_spawn(two, &foreign, 1, err), FIRN_INVALID, "components");
    firn_world_destroy(one);
    firn_world_destroy(two);
    free(memory.bytes);
}

static void rows_of_the_wrong_kind_are_refused(void **state)
{
    fixture *f = *state;
    firn_world *w = f->world;
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_value *text = firn_value_text(doc, "x", NULL);
    firn_value *nil = firn_value_nil(doc, NULL);
    assert_fails(firn_set(w, 1, f->tag, "x", err), FIRN_INVALID, "row");
    assert_fails(firn_set(w, 1, f->text, "x", err), FIRN_INVALID, "Text");
    assert_fails(firn_set(w, 1, f->value, "x", err), FIRN_INVALID, "Value");
    assert_fails(firn_set_text(w, 1, f->position, "x", err), FIRN_INVALID, "game.Position");
    assert_fails(firn_set_text(w, 1, f->value, "x", err), FIRN_INVALID, "Value");
    assert_fails(firn_set_value(w, 1, f->text, text, err), FIRN_INVALID, "Text");
    assert_fails(firn_set_value(w, 1, f->value, nil, err), FIRN_INVALID, "Value");
    assert_makes_nothing(firn_get_value(w, 1, f->position, doc, err), FIRN_INVALID,
                         "game.Position");
    firn_doc_destroy(doc);
}

static void bad_query_descriptions_are_refused(void **state)
{
    fixture *f = *state;
    firn_world *w = f->world;
    firn_term terms[40] = {{f->tag, FIRN_WITH, false, 0}, {f->number, FIRN_ANY, false, 0}};
    firn_query_desc desc = {.terms = terms, .term_count = 3};
    terms[2] = (firn_term){f->tag, FIRN_WITHOUT, false, 0};
    assert_makes_nothing(firn_query_create(w, &desc, err), FIRN_INVALID, "Tag");
    terms[2] = (firn_term){f->number, FIRN_ANY, false, 0};
    assert_makes_nothing(firn_query_create(w, &desc, err), FIRN_INVALID, "Number");
    terms[2] = (firn_term){f->flag, (firn_term_kind)4, false, 0};
    assert_makes_nothing(firn_query_create(w, &desc, err), FIRN_INVALID, "Flag");
    desc.term_count = 33;
    assert_makes_nothing(firn_query_create(w, &desc, err), FIRN_INVALID, "term_count");
    desc = (firn_query_desc){.reserved = {0, 0, 7, 0}};
    assert_makes_nothing(firn_query_create(w, &desc, err), FIRN_INVALID, "firn_query_desc");
    desc = (firn_query_desc){.name = "bad \xff"};
    assert_makes_nothing(firn_query_create(w, &desc, err), FIRN_INVALID, "bad");
    char name[300] = "";
    memset(name, 'n', 299);
    desc.name = name;
    assert_makes_nothing(firn_query_create(w, &desc, err), FIRN_LIMIT, "n");
}

static void bad_world_descriptions_are_refused(void **state)
{
    (void)state;
    firn_limits limits = {.depth = 101};
    firn_allocator allocator = {NULL, NULL};
    firn_world_desc desc = {.reserved = {1, 0, 0, 0}};
    assert_makes_nothing(firn_world_create(&desc, err), FIRN_INVALID, "firn_world_desc");
    desc = (firn_world_desc){.limits = &limits};
    assert_makes_nothing(firn_world_create(&desc, err), FIRN_INVALID, "depth");
    desc = (firn_world_desc){.allocator = &allocator};
    assert_makes_nothing(firn_world_create(&desc, err), FIRN_INVALID, "allocator");
    desc = (firn_world_desc){.name = "\xc0\x80"};
    assert_makes_nothing(firn_world_create(&desc, err), FIRN_INVALID, "");
    limits = (firn_limits){.components = 2};
    desc = (firn_world_desc){.limits = &limits};
    assert_makes_nothing(firn_world_create(&desc, err), FIRN_LIMIT, "Paused");
}

static void another_layout_under_the_same_name_is_refused(void **state)
{
    fixture *f = *state;
    firn_component_desc desc = {.name = "game.Position", .kind = FIRN_TAG};
    assert_makes_nothing(firn_component_register(f->world, &desc, err), FIRN_EXISTS,
                         "game.Position");
    // What it requires belongs to the description as well; a closed set is the same set.
    desc = (firn_component_desc){.name = "Mark", .kind = FIRN_TAG};
    assert_makes_nothing(firn_component_register(f->world, &desc, err), FIRN_EXISTS, "Mark");
    desc.required = &f->tag;
    desc.required_count = 1;
    assert_int_equal(firn_component_register(f->world, &desc, NULL), f->mark);
}

static void what_sets_another_kind_says_which_kind_it_is(void **state)
{
    fixture *f = *state;
    const struct {
        firn_component component;
        const char *words;
    } kinds[] = {
        {f->position, "is a struct, not a string"}, {f->flag, "is a boolean, not a string"},
        {f->number, "is a number, not a string"},   {f->value, "is a value, not a string"},
        {f->tag, "is a tag, not a string"},
    };
    for (uint32_t i = 0; i < FIRN_COUNT(kinds); i++) {
        firn_error err;
        assert_int_equal(firn_set_text(f->world, 1, kinds[i].component, "x", &err), FIRN_INVALID);
        assert_error(&err, FIRN_INVALID, firn_component_name(f->world, kinds[i].component));
        assert_non_null(strstr(err.message, kinds[i].words));
    }
}

static void a_tick_above_2_to_53_is_refused(void **state)
{
    fixture *f = *state;
    assert_fails(firn_world_set_tick(f->world, (UINT64_C(1) << 53) + 1, err), FIRN_INVALID, "tick");
    assert_int_equal(firn_world_set_tick(f->world, UINT64_C(1) << 53, NULL), FIRN_OK);
    assert_int_equal(firn_world_tick(f->world), UINT64_C(1) << 53);
    assert_int_equal(firn_world_set_tick(f->world, 0, NULL), FIRN_OK);
}

static void a_world_has_defaults_and_its_built_in_components(void **state)
{
    (void)state;
    firn_world *world = firn_world_create(NULL, NULL);
    firn_limits limits;
    firn_limits_default(&limits);
    assert_memory_equal(firn_world_limits(world), &limits, sizeof limits);
    assert_string_equal(firn_world_name(world), "");
    assert_int_equal(firn_component_count(world), 5);
    assert_int_equal(firn_component_find(world, "Name"), firn_name(world));
    assert_int_equal(firn_component_find(world, "Disabled"), firn_disabled(world));
    assert_int_equal(firn_component_find(world, "Paused"), firn_paused(world));
    assert_int_equal(firn_component_kind_of(world, firn_name(world)), FIRN_STRING);
    assert_int_equal(firn_component_kind_of(world, firn_disabled(world)), FIRN_TAG);
    assert_int_equal(firn_component_find(world, "Key"), firn_key(world));
    assert_int_equal(firn_component_at(world, 2), firn_paused(world));
    assert_int_equal(firn_component_find(world, "ChildOf"), firn_child_of(world));
    assert_int_equal(firn_component_at(world, 4), firn_child_of(world));
    assert_int_equal(firn_component_at(world, 5), 0);
    assert_int_equal(firn_component_find(world, "name"), 0);
    firn_world_destroy(world);
    world = firn_world_create(&(firn_world_desc){.name = "overworld"}, NULL);
    assert_string_equal(firn_world_name(world), "overworld");
    firn_world_destroy(world);
}

// ---------------------------------------------------------------- hooks

static uint32_t hook_runs;

// Every change is FIRN_BUSY and names the component whose hook runs.
static void change_in_hook(fixture *f, const firn_rows *rows)
{
    (void)rows;
    firn_world *w = f->world;
    firn_value value = {.kind = FIRN_VALUE_BOOL};
    firn_component_desc desc = {.name = "X", .kind = FIRN_TAG};
    firn_query_desc query = {0};
    hook_runs++;
    assert_fails(firn_world_set_tick(w, 9, err), FIRN_BUSY, "Aowner");
    assert_makes_nothing(firn_component_register(w, &desc, err), FIRN_BUSY, "Aowner");
    assert_makes_nothing(firn_spawn(w, &f->tag, 1, err), FIRN_BUSY, "Aowner");
    assert_fails(firn_spawn_many(w, &f->tag, 1, 2, NULL, err), FIRN_BUSY, "Aowner");
    assert_fails(firn_despawn(w, 1, err), FIRN_BUSY, "Aowner");
    assert_fails(firn_set(w, 1, f->position, &(position){0, 0}, err), FIRN_BUSY, "Aowner");
    assert_fails(firn_set_string(w, 1, f->text, "x", 1, err), FIRN_BUSY, "Aowner");
    assert_fails(firn_set_text(w, 1, f->text, "x", err), FIRN_BUSY, "Aowner");
    assert_fails(firn_set_value(w, 1, f->value, &value, err), FIRN_BUSY, "Aowner");
    assert_fails(firn_add(w, 1, &f->tag, 1, err), FIRN_BUSY, "Aowner");
    assert_fails(firn_remove(w, 1, &f->text, 1, err), FIRN_BUSY, "Aowner");
    assert_makes_nothing(firn_query_create(w, &query, err), FIRN_BUSY, "Aowner");
    assert_fails(firn_query_destroy(w, w->query_base, err), FIRN_BUSY, "Aowner");
    assert_fails(firn_flush(w, err), FIRN_BUSY, "Aowner");
    assert_int_equal(firn_discard(w), 0);
}

static void hooks_cannot_change_the_world(void **state)
{
    fixture *f = *state;
    f->in_hook = change_in_hook;
    hook_runs = 0;
    firn_entity entity = firn_spawn(f->world, &f->owner, 1, NULL);
    assert_int_equal(hook_runs, 1);
    firn_add(f->world, entity, &f->tag, 1, NULL);
    assert_int_equal(hook_runs, 2);
    firn_set(f->world, entity, f->owner, &(owner){fixture_take_resource(f)}, NULL);
    assert_int_equal(hook_runs, 3);
    firn_iter it;
    firn_iter_begin(f->world, f->world->query_base, &it);
    firn_despawn(f->world, entity, NULL);
    firn_spawn(f->world, NULL, 0, NULL);
    assert_int_equal(firn_iter_end(&it, NULL), FIRN_OK);
    assert_int_equal(hook_runs, 4);
    f->in_hook = NULL;
    // What the test changed is what the teardown compares with.
    firn_buffer_free(&before);
    fixture_print(f->world, &before);
}

#define BAD_TEST(test) cmocka_unit_test_setup_teardown(test, bad_setup, bad_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BAD_TEST(a_null_world_is_refused_by_every_change),
        BAD_TEST(a_null_world_is_empty_to_every_question),
        BAD_TEST(null_arguments_are_named),
        BAD_TEST(entity_zero_is_refused),
        BAD_TEST(T4_dead_entities_are_not_found),
        BAD_TEST(components_of_another_world_are_refused),
        BAD_TEST(components_that_never_were_are_refused),
        BAD_TEST(queries_of_another_world_are_refused),
        cmocka_unit_test(handles_tell_worlds_a_large_power_of_two_apart),
        BAD_TEST(rows_of_the_wrong_kind_are_refused),
        BAD_TEST(bad_query_descriptions_are_refused),
        BAD_TEST(bad_world_descriptions_are_refused),
        BAD_TEST(another_layout_under_the_same_name_is_refused),
        BAD_TEST(what_sets_another_kind_says_which_kind_it_is),
        BAD_TEST(a_tick_above_2_to_53_is_refused),
        cmocka_unit_test(a_world_has_defaults_and_its_built_in_components),
        BAD_TEST(hooks_cannot_change_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
