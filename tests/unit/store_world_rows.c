// Entities and their rows: defaults, requirements, order, hooks, strings and values.
#include "unit/store_fixture.h"

#include <string.h>

static firn_entity spawn(fixture *f, const firn_component *components, uint32_t count)
{
    firn_error err;
    firn_entity entity = firn_spawn(f->world, components, count, &err);
    if (entity == 0) {
        fail_msg("spawning: %s", err.message);
    }
    return entity;
}

static void a_spawned_entity_has_default_rows(void **state)
{
    fixture *f = *state;
    firn_component all[] = {f->position, f->number, f->flag, f->text, f->value, f->tag};
    firn_entity entity = spawn(f, all, 6);
    const position *row = firn_get(f->world, entity, f->position);
    assert_true(row->x == 1 && row->y == 2);
    assert_true(*(const double *)firn_get(f->world, entity, f->number) == 0);
    assert_false(*(const bool *)firn_get(f->world, entity, f->flag));
    size_t size;
    const char *text = firn_get_string(f->world, entity, f->text, &size);
    assert_int_equal(size, strlen("a default that does not fit inline"));
    assert_memory_equal(text, "a default that does not fit inline", size);
    const uint8_t *encoded = firn_row_encoded(firn_get(f->world, entity, f->value), &size);
    assert_int_equal(size, 1);
    assert_int_equal(encoded[0], 0x08);
    assert_true(firn_has(f->world, entity, f->tag));
    assert_null(firn_get(f->world, entity, f->tag));
}

static void T12_spawn_many_fills_consecutive_rows(void **state)
{
    fixture *f = *state;
    firn_entity ids[100];
    spawn(f, &f->position, 1);
    assert_int_equal(firn_spawn_many(f->world, &f->position, 1, 100, ids, NULL), FIRN_OK);
    const position *first = firn_get(f->world, ids[0], f->position);
    for (uint32_t i = 0; i < 100; i++) {
        const position *row = firn_get(f->world, ids[i], f->position);
        assert_ptr_equal(row, first + i);
        assert_true(row->x == 1 && row->y == 2);
    }
    assert_int_equal(firn_spawn_many(f->world, &f->position, 1, 3, NULL, NULL), FIRN_OK);
    assert_int_equal(firn_spawn_many(f->world, &f->position, 1, 0, NULL, NULL), FIRN_OK);
    assert_int_equal(firn_entity_count(f->world), 104);
}

static void T12_columns_start_at_a_cache_line(void **state)
{
    fixture *f = *state;
    firn_component components[] = {f->flag, f->wide, f->position};
    firn_entity first = spawn(f, components, 3);
    for (uint32_t i = 0; i < 200; i++) {
        firn_entity entity = spawn(f, components, 3);
        assert_int_equal((uintptr_t)firn_get(f->world, entity, f->wide) % 64, 0);
        assert_int_equal((uintptr_t)firn_get(f->world, first, f->flag) % 64, 0);
        assert_int_equal((uintptr_t)firn_get(f->world, first, f->position) % 64, 0);
    }
}

static void what_a_component_requires_comes_with_it_at_any_depth(void **state)
{
    fixture *f = *state;
    const firn_component expected[] = {f->hungry, f->mark, f->number, f->tag, f->text};
    firn_entity spawned = spawn(f, &f->hungry, 1);
    firn_entity added = spawn(f, NULL, 0);
    firn_entity set = spawn(f, NULL, 0);
    assert_int_equal(firn_add(f->world, added, &f->hungry, 1, NULL), FIRN_OK);
    assert_int_equal(firn_set(f->world, set, f->hungry, &(position){5, 6}, NULL), FIRN_OK);
    const firn_entity entities[] = {spawned, added, set};
    for (int i = 0; i < 3; i++) {
        firn_component got[8];
        assert_int_equal(firn_entity_components(f->world, entities[i], got, 8), 5);
        assert_memory_equal(got, expected, sizeof expected);
    }
    assert_true(((const position *)firn_get(f->world, set, f->hungry))->x == 5);
}

static void what_is_required_may_be_removed(void **state)
{
    fixture *f = *state;
    firn_entity entity = spawn(f, &f->hungry, 1);
    assert_int_equal(firn_remove(f->world, entity, (firn_component[]){f->number, f->tag}, 2, NULL),
                     FIRN_OK);
    assert_false(firn_has(f->world, entity, f->number));
    assert_false(firn_has(f->world, entity, f->tag));
    assert_true(firn_has(f->world, entity, f->hungry));
    assert_true(firn_has(f->world, entity, f->mark));
}

static void adding_keeps_the_rows_that_are_there(void **state)
{
    fixture *f = *state;
    firn_entity entity = spawn(f, &f->position, 1);
    firn_set(f->world, entity, f->position, &(position){9, 9}, NULL);
    firn_component more[] = {f->position, f->number, f->position};
    assert_int_equal(firn_add(f->world, entity, more, 3, NULL), FIRN_OK);
    assert_true(((const position *)firn_get(f->world, entity, f->position))->x == 9);
    const void *before = firn_get(f->world, entity, f->position);
    assert_int_equal(firn_add(f->world, entity, more, 3, NULL), FIRN_OK);
    assert_int_equal(firn_remove(f->world, entity, &f->flag, 1, NULL), FIRN_OK);
    assert_int_equal(firn_remove(f->world, entity, NULL, 0, NULL), FIRN_OK);
    assert_ptr_equal(firn_get(f->world, entity, f->position), before);
}

static void the_last_row_takes_the_place_of_one_that_ends(void **state)
{
    fixture *f = *state;
    firn_entity ids[4];
    firn_spawn_many(f->world, &f->number, 1, 4, ids, NULL);
    for (uint32_t i = 0; i < 4; i++) {
        firn_set(f->world, ids[i], f->number, &(double){i}, NULL);
    }
    const double *rows = firn_get(f->world, ids[0], f->number);
    firn_despawn(f->world, ids[1], NULL);
    assert_true(rows[0] == 0 && rows[1] == 3 && rows[2] == 2);
    assert_ptr_equal(firn_get(f->world, ids[3], f->number), rows + 1);
    firn_despawn(f->world, ids[2], NULL);
    assert_ptr_equal(firn_get(f->world, ids[3], f->number), rows + 1);
}

static void an_entity_that_changes_archetype_comes_last_there(void **state)
{
    fixture *f = *state;
    firn_entity ids[3];
    firn_component both[] = {f->number, f->flag};
    firn_spawn_many(f->world, &f->number, 1, 3, ids, NULL);
    firn_entity there = spawn(f, both, 2);
    firn_add(f->world, ids[0], &f->flag, 1, NULL);
    const double *rows = firn_get(f->world, there, f->number);
    assert_ptr_equal(firn_get(f->world, ids[0], f->number), rows + 1);
    rows = firn_get(f->world, ids[2], f->number);
    assert_ptr_equal(firn_get(f->world, ids[1], f->number), rows + 1);
}

static void T4_an_id_of_another_generation_is_not_the_entity(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_entity old = spawn(f, &f->number, 1);
    firn_despawn(f->world, old, NULL);
    firn_entity entity = spawn(f, &f->number, 1);
    assert_int_equal(fr_slot(entity), fr_slot(old));
    assert_false(firn_alive(f->world, old));
    assert_false(firn_has(f->world, old, f->number));
    assert_null(firn_get(f->world, old, f->number));
    assert_int_equal(firn_despawn(f->world, old, &err), FIRN_NOT_FOUND);
    assert_int_equal(err.entity, old);
    assert_true(firn_alive(f->world, entity));
    // Nor is one with bits above the generation.
    assert_false(firn_alive(f->world, entity | UINT64_C(1) << 63));
}

static void a_row_can_be_set_from_a_row_of_the_same_world(void **state)
{
    fixture *f = *state;
    firn_entity source = spawn(f, &f->wide, 1);
    firn_set(f->world, source, f->wide, &(wide){.value = 42, .more = {[64] = 9}}, NULL);
    for (uint32_t i = 0; i < 50; i++) {
        // The column grows under the row that is being copied.
        firn_entity entity = spawn(f, NULL, 0);
        const wide *row = firn_get(f->world, source, f->wide);
        assert_int_equal(firn_set(f->world, entity, f->wide, row, NULL), FIRN_OK);
        const wide *copy = firn_get(f->world, entity, f->wide);
        assert_true(copy->value == 42 && copy->more[64] == 9);
    }
}

static void strings_and_values_of_any_size_are_kept(void **state)
{
    fixture *f = *state;
    firn_entity entity = spawn(f, NULL, 0);
    char text[9000];
    for (size_t size = 0; size < sizeof text; size = size < 40 ? size + 1 : size * 3) {
        memset(text, (int)(size % 256), size);
        assert_int_equal(firn_set_string(f->world, entity, f->text, text, size, NULL), FIRN_OK);
        size_t got;
        const char *bytes = firn_get_string(f->world, entity, f->text, &got);
        assert_int_equal(got, size);
        assert_memory_equal(bytes, text, size);
    }
    // Moving the entity moves the row and not the bytes.
    const char *bytes = firn_get_string(f->world, entity, f->text, NULL);
    firn_add(f->world, entity, &f->tag, 1, NULL);
    assert_ptr_equal(firn_get_string(f->world, entity, f->text, NULL), bytes);
}

static void values_of_value_like_components_are_copies(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_entity entity = spawn(f, (firn_component[]){f->number, f->flag, f->text}, 3);
    firn_set(f->world, entity, f->number, &(double){2.5}, NULL);
    firn_set(f->world, entity, f->flag, &(bool){true}, NULL);
    firn_set_text(f->world, entity, f->text, "abc", NULL);
    assert_true(firn_get_value(f->world, entity, f->number, doc, &err)->as.number == 2.5);
    assert_true(firn_get_value(f->world, entity, f->flag, doc, &err)->as.boolean);
    memset(firn_get_mut(f->world, entity, f->flag), 2, 1);
    assert_true(firn_get_value(f->world, entity, f->flag, doc, &err)->as.boolean);
    assert_string_equal(firn_get_value(f->world, entity, f->text, doc, &err)->as.string, "abc");
    assert_null(firn_get_value(f->world, entity, f->value, doc, &err));
    assert_error(&err, FIRN_NOT_FOUND, "Value");
    assert_null(firn_get_value(f->world, entity, f->tag, doc, &err));
    assert_error(&err, FIRN_INVALID, "Tag");
    firn_doc_destroy(doc);
}

static void a_value_that_cannot_be_encoded_names_component_and_path(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_entity entity = spawn(f, &f->value, 1);
    firn_value *loop = firn_value_table(doc, NULL);
    firn_value *inner = firn_value_table(doc, NULL);
    firn_table_set_text(doc, loop, "inner", inner, NULL);
    firn_table_set_text(doc, inner, "outer", loop, NULL);
    assert_int_equal(firn_set_value(f->world, entity, f->value, loop, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "Value.inner.outer");
    size_t size;
    firn_row_encoded(firn_get(f->world, entity, f->value), &size);
    assert_int_equal(size, 1);
    firn_doc_destroy(doc);
}

static void rows_that_are_no_string_have_no_string(void **state)
{
    fixture *f = *state;
    size_t size = 7;
    firn_entity entity = spawn(f, (firn_component[]){f->value, f->number}, 2);
    assert_null(firn_row_string(firn_get(f->world, entity, f->value), &size));
    assert_int_equal(size, 0);
    assert_null(firn_row_string(NULL, &size));
    assert_null(firn_row_encoded(NULL, &size));
    assert_int_equal(size, 0);
    assert_null(firn_get_string(f->world, entity, f->number, &size));
    assert_null(firn_get_mut(f->world, entity, f->value));
    assert_non_null(firn_get_mut(f->world, entity, f->number));
}

// ---------------------------------------------------------------- hooks

static void init_runs_once_for_a_run_of_rows(void **state)
{
    fixture *f = *state;
    firn_entity ids[64];
    firn_spawn_many(f->world, &f->owner, 1, 64, ids, NULL);
    assert_int_equal(f->init_calls, 1);
    assert_int_equal(f->init_rows, 64);
    assert_int_equal(f->owned_count, 64);
    firn_entity entity = spawn(f, NULL, 0);
    firn_add(f->world, entity, &f->owner, 1, NULL);
    assert_int_equal(f->init_calls, 2);
    assert_int_equal(f->init_rows, 65);
}

static void drop_runs_before_a_row_goes_or_is_overwritten(void **state)
{
    fixture *f = *state;
    firn_entity entity = spawn(f, &f->owner, 1);
    firn_set(f->world, entity, f->owner, &(owner){fixture_take_resource(f)}, NULL);
    assert_int_equal(f->drop_rows, 1);
    firn_remove(f->world, entity, &f->owner, 1, NULL);
    assert_int_equal(f->drop_rows, 2);
    firn_set(f->world, entity, f->owner, &(owner){fixture_take_resource(f)}, NULL);
    assert_int_equal(f->init_calls, 1);
    firn_despawn(f->world, entity, NULL);
    assert_int_equal(f->drop_rows, 3);
    assert_int_equal(f->owned_count, 0);
}

static void the_end_of_a_world_drops_each_archetype_in_one_run(void **state)
{
    fixture *f = *state;
    firn_world *world = fixture_world(f);
    firn_spawn_many(world, &f->owner, 1, 10, NULL, NULL);
    firn_spawn_many(world, (firn_component[]){f->owner, f->tag}, 2, 20, NULL, NULL);
    firn_world_destroy(world);
    assert_int_equal(f->drop_calls, 2);
    assert_int_equal(f->drop_rows, 30);
    assert_int_equal(f->owned_count, 0);
    fixture_register(f, f->world);
}

static void setting_a_row_from_itself_drops_nothing(void **state)
{
    fixture *f = *state;
    firn_entity entity = spawn(f, &f->owner, 1);
    const void *row = firn_get(f->world, entity, f->owner);
    assert_int_equal(firn_set(f->world, entity, f->owner, row, NULL), FIRN_OK);
    assert_int_equal(f->drop_rows, 0);
    assert_int_equal(f->owned_count, 1);
}

static void assert_selves_point_at_themselves(fixture *f, const firn_entity *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const self_pointer *self = firn_get(f->world, ids[i], f->self);
        if (self != NULL) {
            assert_ptr_equal(self->self, self);
        }
    }
}

static void move_runs_for_growth_for_archetypes_and_for_holes(void **state)
{
    fixture *f = *state;
    firn_entity ids[40];
    for (uint32_t i = 0; i < 40; i++) {
        ids[i] = spawn(f, &f->self, 1);
        assert_selves_point_at_themselves(f, ids, i + 1);
    }
    for (uint32_t i = 0; i < 40; i += 3) {
        firn_add(f->world, ids[i], &f->tag, 1, NULL);
        assert_selves_point_at_themselves(f, ids, 40);
    }
    for (uint32_t i = 0; i < 40; i += 2) {
        firn_despawn(f->world, ids[i], NULL);
        assert_selves_point_at_themselves(f, ids, 40);
    }
}

static firn_entity seen_by_hook;

// Reads every text there is; a row that is about to go may have none left.
static void read_all_texts(fixture *f)
{
    firn_iter it;
    firn_iter_begin(f->world, f->world->query_base, &it);
    while (firn_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++) {
            size_t size;
            const uint8_t *row = it.columns[0];
            const char *text = firn_row_string(row + (size_t)i * FIRN_ROW_SIZE, &size);
            assert_true(text == NULL || memcmp(text, "a default", 9) == 0);
        }
    }
    assert_int_equal(firn_iter_end(&it, NULL), FIRN_OK);
}

// Reads through the world and finds the very rows that the hook was given.
static void read_in_hook(fixture *f, const firn_rows *rows)
{
    read_all_texts(f);
    if (rows == NULL) {
        return;
    }
    firn_world *world = (firn_world *)(uintptr_t)rows->world;
    assert_int_equal(rows->component, f->owner);
    assert_int_equal(rows->size, sizeof(owner));
    for (uint32_t i = 0; i < rows->count; i++) {
        assert_true(firn_alive(world, rows->entities[i]));
        assert_ptr_equal(firn_get(world, rows->entities[i], f->owner),
                         (const owner *)rows->data + i);
        size_t size;
        const char *text = firn_get_string(world, rows->entities[i], f->text, &size);
        assert_int_equal(text != NULL, firn_has(world, rows->entities[i], f->text));
        assert_true(text == NULL || memcmp(text, "a default", 9) == 0);
        seen_by_hook = rows->entities[i];
    }
}

static void hooks_may_read_the_world_and_the_rows_beside_theirs(void **state)
{
    fixture *f = *state;
    firn_query_desc texts = {.terms = &(firn_term){f->text, FIRN_WITH, true, 0}, .term_count = 1};
    assert_int_not_equal(firn_query_create(f->world, &texts, NULL), 0);
    f->in_hook = read_in_hook;
    firn_component components[] = {f->text, f->owner, f->number};
    firn_entity ids[8];
    firn_spawn_many(f->world, components, 3, 8, ids, NULL);
    assert_int_equal(seen_by_hook, ids[7]);
    firn_remove(f->world, ids[3], &f->owner, 1, NULL);
    assert_int_equal(seen_by_hook, ids[3]);
    firn_despawn(f->world, ids[5], NULL);
    assert_int_equal(seen_by_hook, ids[5]);
    firn_set(f->world, ids[6], f->owner, &(owner){fixture_take_resource(f)}, NULL);
    assert_int_equal(seen_by_hook, ids[6]);
    assert_int_equal(firn_remove(f->world, ids[1], &f->number, 1, NULL), FIRN_OK);
    assert_int_equal(firn_remove(f->world, ids[1], &f->text, 1, NULL), FIRN_OK);
    firn_despawn(f->world, ids[1], NULL);
    firn_world_destroy(f->world);
    assert_int_equal(f->drop_rows, 1 + 1 + 1 + 1 + 5);
    f->in_hook = NULL;
    f->world = fixture_world(f);
}

// ---------------------------------------------------------------- limits

static firn_world *limited_world(fixture *f, const firn_limits *limits, firn_component tags[4])
{
    firn_world_desc desc = {.allocator = &f->memory.allocator, .limits = limits};
    firn_world *world = firn_world_create(&desc, NULL);
    assert_non_null(world);
    const char *const names[] = {"One", "Two", "Three", "Four"};
    for (int i = 0; i < 4; i++) {
        firn_component_desc tag = {.name = names[i], .kind = FIRN_TAG};
        tags[i] = firn_component_register(world, &tag, NULL);
    }
    return world;
}

static void entities_above_the_limit_are_refused(void **state)
{
    firn_error err;
    firn_component tags[4];
    firn_world *world = limited_world(*state, &(firn_limits){.entities = 3}, tags);
    firn_entity first = firn_spawn(world, NULL, 0, NULL);
    assert_int_equal(firn_spawn_many(world, NULL, 0, 3, NULL, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "entities");
    assert_int_equal(firn_entity_count(world), 1);
    assert_ok(firn_spawn_many(world, NULL, 0, 2, NULL, &err), &err);
    assert_int_equal(firn_spawn(world, tags, 1, &err), 0);
    assert_error(&err, FIRN_LIMIT, "entities");
    assert_int_equal(world->order_count, 1);
    firn_despawn(world, first, NULL);
    assert_int_not_equal(firn_spawn(world, NULL, 0, &err), 0);
    firn_world_destroy(world);
}

static void archetypes_above_the_limit_are_refused(void **state)
{
    firn_error err;
    firn_component tags[4];
    firn_world *world = limited_world(*state, &(firn_limits){.archetypes = 3}, tags);
    firn_entity entity = firn_spawn(world, &tags[0], 1, NULL);
    firn_spawn(world, &tags[1], 1, NULL);
    assert_int_equal(firn_spawn(world, &tags[2], 1, &err), 0);
    assert_error(&err, FIRN_LIMIT, "archetypes");
    assert_int_equal(firn_add(world, entity, &tags[1], 1, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "archetypes");
    assert_int_equal(firn_remove(world, entity, &tags[0], 1, &err), FIRN_OK);
    // Its old archetype is empty now, and makes way.
    assert_int_equal(firn_set(world, entity, tags[3], NULL, &err), FIRN_OK);
    assert_int_equal(firn_set(world, entity, tags[2], NULL, &err), FIRN_LIMIT);
    assert_int_equal(firn_entity_count(world), 2);
    firn_world_destroy(world);
}

static void components_above_the_limit_are_refused(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_limits limits = {.components = 0};
    firn_world_desc desc = {.allocator = &f->memory.allocator, .limits = &limits};
    firn_world *world = firn_world_create(&desc, NULL);
    limits.components = firn_component_count(world) + 1; // the built-in ones and one
    firn_world_destroy(world);
    world = firn_world_create(&desc, NULL);
    firn_component_desc tag = {.name = "One", .kind = FIRN_TAG};
    assert_int_not_equal(firn_component_register(world, &tag, &err), 0);
    tag.name = "Two";
    assert_int_equal(firn_component_register(world, &tag, &err), 0);
    assert_error(&err, FIRN_LIMIT, "Two");
    firn_world_destroy(world);
    limits.components = 2;
    assert_null(firn_world_create(&desc, &err));
    assert_error(&err, FIRN_LIMIT, "Paused");
}

static void strings_above_the_limit_are_refused(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_limits limits = {.string_bytes = 8};
    firn_world_desc desc = {.allocator = &f->memory.allocator, .limits = &limits};
    firn_world *world = firn_world_create(&desc, NULL);
    firn_component name = firn_name(world);
    firn_entity entity = firn_spawn(world, &name, 1, NULL);
    assert_ok(firn_set_text(world, entity, name, "12345678", &err), &err);
    assert_int_equal(firn_set_text(world, entity, name, "123456789", &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "Name");
    assert_int_equal(err.entity, entity);
    size_t size;
    firn_get_string(world, entity, name, &size);
    assert_int_equal(size, 8);
    firn_world_destroy(world);
}

// An entity in a slot that was freed before, so that it has this generation.
static firn_entity spawn_at_generation(fixture *f, uint32_t generation)
{
    firn_entity freed = spawn(f, &f->number, 1);
    assert_int_equal(firn_despawn(f->world, freed, NULL), FIRN_OK);
    f->world->index.records[fr_slot(freed)] = fr_record_dead(generation, 0);
    firn_entity entity = spawn(f, &f->number, 1);
    assert_int_equal(entity, fr_entity(fr_slot(freed), generation));
    return entity;
}

static void T4_generations_of_any_size_are_told_apart(void **state)
{
    fixture *f = *state;
    // Around the largest that a record holds itself.
    const uint32_t generations[] = {1,        (1u << 22) - 2, (1u << 22) - 1,
                                    1u << 22, (1u << 22) + 1, FIRN_GENERATION_MAX};
    const uint32_t count = FIRN_COUNT(generations);
    for (uint32_t i = 0; i < count; i++) {
        firn_entity entity = spawn_at_generation(f, generations[i]);
        assert_int_equal(firn_add(f->world, entity, &f->flag, 1, NULL), FIRN_OK);
        for (uint32_t k = 0; k < count; k++) {
            firn_entity other = fr_entity(fr_slot(entity), generations[k]);
            assert_true(firn_alive(f->world, other) == (i == k));
        }
        assert_false(firn_alive(f->world, fr_slot(entity)));
        assert_false(firn_alive(f->world, entity + (UINT64_C(1) << 53)));
        assert_false(firn_alive(f->world, UINT64_MAX << FIRN_SLOT_BITS | fr_slot(entity)));
    }
}

static void T4_a_retired_slot_is_never_used_again(void **state)
{
    fixture *f = *state;
    firn_entity entity = spawn_at_generation(f, FIRN_GENERATION_MAX);
    assert_true(firn_alive(f->world, entity));
    assert_int_equal(firn_despawn(f->world, entity, NULL), FIRN_OK);
    assert_false(firn_alive(f->world, entity));
    assert_int_equal(firn_entity_count(f->world), 0);
    assert_int_equal(spawn(f, &f->number, 1), 2);
    assert_int_equal(firn_despawn(f->world, entity, NULL), FIRN_NOT_FOUND);
}

static void locks_nest_and_name_the_outermost(void **state)
{
    fixture *f = *state;
    firn_error err;
    fr_world_lock(f->world, "Outer");
    fr_world_lock(f->world, "Inner");
    assert_int_equal(fr_world_check_unlocked(f->world, &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "Outer");
    fr_world_unlock(f->world);
    assert_int_equal(fr_world_check_unlocked(f->world, &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "Outer");
    fr_world_unlock(f->world);
    assert_ok(fr_world_check_unlocked(f->world, &err), &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(a_spawned_entity_has_default_rows),
        FIXTURE_TEST(locks_nest_and_name_the_outermost),
        FIXTURE_TEST(T12_spawn_many_fills_consecutive_rows),
        FIXTURE_TEST(T12_columns_start_at_a_cache_line),
        FIXTURE_TEST(what_a_component_requires_comes_with_it_at_any_depth),
        FIXTURE_TEST(what_is_required_may_be_removed),
        FIXTURE_TEST(adding_keeps_the_rows_that_are_there),
        FIXTURE_TEST(the_last_row_takes_the_place_of_one_that_ends),
        FIXTURE_TEST(an_entity_that_changes_archetype_comes_last_there),
        FIXTURE_TEST(T4_an_id_of_another_generation_is_not_the_entity),
        FIXTURE_TEST(a_row_can_be_set_from_a_row_of_the_same_world),
        FIXTURE_TEST(strings_and_values_of_any_size_are_kept),
        FIXTURE_TEST(values_of_value_like_components_are_copies),
        FIXTURE_TEST(a_value_that_cannot_be_encoded_names_component_and_path),
        FIXTURE_TEST(rows_that_are_no_string_have_no_string),
        FIXTURE_TEST(init_runs_once_for_a_run_of_rows),
        FIXTURE_TEST(drop_runs_before_a_row_goes_or_is_overwritten),
        FIXTURE_TEST(the_end_of_a_world_drops_each_archetype_in_one_run),
        FIXTURE_TEST(setting_a_row_from_itself_drops_nothing),
        FIXTURE_TEST(move_runs_for_growth_for_archetypes_and_for_holes),
        FIXTURE_TEST(hooks_may_read_the_world_and_the_rows_beside_theirs),
        FIXTURE_TEST(entities_above_the_limit_are_refused),
        FIXTURE_TEST(archetypes_above_the_limit_are_refused),
        FIXTURE_TEST(components_above_the_limit_are_refused),
        FIXTURE_TEST(strings_above_the_limit_are_refused),
        FIXTURE_TEST(T4_generations_of_any_size_are_told_apart),
        FIXTURE_TEST(T4_a_retired_slot_is_never_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
