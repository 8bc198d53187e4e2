// Calls of world.h.
#include "fault/memory_scene.h"

#include <string.h>

// ---- worlds and components

static firn_result world_create(scene *s, firn_error *err)
{
    firn_world_desc desc = {.allocator = &s->memory.allocator, .name = "a world with a name"};
    firn_world *world = firn_world_create(&desc, err);
    firn_world_destroy(world);
    return scene_made(world != NULL, err);
}

static firn_result world_reads(scene *s, firn_error *err)
{
    const firn_world *world = s->z.world;
    firn_component components[8];
    const firn_component point = s->z.of[ZOO_POINT], title = s->z.of[ZOO_TITLE];
    scene_trace(s, firn_world_limits(world), sizeof(firn_limits));
    scene_trace(s, firn_world_name(world), strlen(firn_world_name(world)));
    uint64_t numbers[] = {
        firn_world_tick(world),
        firn_entity_count(world),
        firn_pending(world),
        firn_component_find(world, "zoo.Point") == point,
        firn_component_kind_of(world, title),
        firn_component_count(world),
        firn_component_at(world, 0) == firn_name(world),
        firn_disabled(world) != firn_paused(world),
        firn_alive(world, s->entity),
        firn_has(world, s->entity, point),
        firn_entity_components(world, s->entity, components, 8),
    };
    scene_trace(s, numbers, sizeof numbers);
    scene_trace(s, firn_component_name(world, point), 9);
    size_t size;
    const char *text = firn_get_string(world, s->entity, title, &size);
    scene_trace(s, text, size);
    const void *row = firn_get(world, s->entity, title);
    scene_trace(s, firn_row_string(row, &size), 1);
    scene_trace(s, firn_row_encoded(row, &size), 1);
    scene_trace(s, firn_get_mut(s->z.world, s->entity, point), sizeof(zoo_point));
    return firn_world_set_tick(s->z.world, 601, err);
}

static firn_result register_struct(scene *s, firn_error *err)
{
    static const char *const former[] = {"new.Older", "new.Old", NULL};
    static const firn_field fields[] = {
        {.name = "place",
         .type = FIRN_NESTED,
         .count = 2,
         .fields = zoo_point_fields,
         .field_count = 2,
         .size = sizeof(zoo_point),
         .former_names = former},
    };
    static const zoo_point both[] = {{1, 2}, {3, 4}};
    firn_component_desc desc = zoo_struct("new.Struct", sizeof both, fields, 1);
    desc.default_row = both;
    desc.required = &s->owner;
    desc.required_count = 1;
    desc.former_names = former;
    return scene_made(firn_component_register(s->z.world, &desc, err) != 0, err);
}

static firn_result register_value(scene *s, firn_error *err)
{
    firn_component_desc desc = {.name = "new.Value", .kind = FIRN_VALUE, .default_value = s->table};
    return scene_made(firn_component_register(s->z.world, &desc, err) != 0, err);
}

static firn_result register_again(scene *s, firn_error *err)
{
    firn_component_desc desc = zoo_desc(ZOO_BODY);
    firn_component component = firn_component_register(s->z.world, &desc, err);
    scene_trace(s, &(bool){component == s->z.of[ZOO_BODY]}, 1);
    return scene_made(component != 0, err);
}

// ---- entities

static firn_result spawn(scene *s, firn_error *err)
{
    firn_component components[] = {s->owner, s->z.of[ZOO_BAG], s->z.of[ZOO_BODY], s->held};
    firn_entity entity = firn_spawn(s->z.world, components, 4, err);
    scene_trace(s, &entity, sizeof entity);
    return scene_made(entity != 0, err);
}

static firn_result spawn_rows(scene *s, firn_error *err)
{
    firn_component components[] = {s->owner, s->z.of[ZOO_BAG], s->z.of[ZOO_POINT]};
    zoo_point point = {.x = 1, .y = 2};
    const void *rows[] = {NULL, NULL, &point};
    firn_entity entity = firn_spawn_rows(s->z.world, components, rows, 3, err);
    scene_trace(s, &entity, sizeof entity);
    return scene_made(entity != 0, err);
}

static firn_result spawn_many(scene *s, firn_error *err)
{
    firn_component components[] = {s->owner, s->z.of[ZOO_POINT]};
    firn_entity ids[50];
    firn_result result = firn_spawn_many(s->z.world, components, 2, 50, ids, err);
    if (result == FIRN_OK)
        scene_trace(s, ids, sizeof ids);
    return result;
}

// Into an archetype that is there and full.
static void fill_archetype(scene *s)
{
    firn_component components[] = {s->owner, s->z.of[ZOO_POINT]};
    for (int i = 0; i < 16; i++)
        zoo_spawn(s->z.world, components, 2);
}

static firn_result despawn(scene *s, firn_error *err)
{
    return firn_despawn(s->z.world, s->entity, err);
}

static firn_result add(scene *s, firn_error *err)
{
    firn_component components[] = {s->owner, s->z.of[ZOO_BODY], s->coded, s->z.of[ZOO_TITLE],
                                   s->held};
    return firn_add(s->z.world, s->other, components, 5, err);
}

static firn_result remove_some(scene *s, firn_error *err)
{
    firn_component components[] = {s->z.of[ZOO_TITLE], s->z.of[ZOO_POINT]};
    return firn_remove(s->z.world, s->entity, components, 2, err);
}

static firn_result set(scene *s, firn_error *err)
{
    const double score = 5;
    return firn_set(s->z.world, s->entity, s->z.of[ZOO_SCORE], &score, err);
}

static firn_result set_there(scene *s, firn_error *err)
{
    const zoo_point point = {8, 9};
    return firn_set(s->z.world, s->entity, s->z.of[ZOO_POINT], &point, err);
}

static firn_result set_string(scene *s, firn_error *err)
{
    static const char bytes[300] = {2};
    return firn_set_string(s->z.world, s->entity, s->z.of[ZOO_TITLE], bytes, sizeof bytes, err);
}

static firn_result set_text(scene *s, firn_error *err)
{
    return firn_set_text(s->z.world, s->other, firn_name(s->z.world), "a name that is not short",
                         err);
}

static firn_result set_value(scene *s, firn_error *err)
{
    return firn_set_value(s->z.world, s->other, s->z.of[ZOO_BAG], s->table, err);
}

static firn_result set_value_there(scene *s, firn_error *err)
{
    return firn_set_value(s->z.world, s->entity, s->z.of[ZOO_BAG], s->table, err);
}

static firn_result get_value(scene *s, firn_error *err)
{
    const firn_value *value = firn_get_value(s->z.world, s->entity, s->z.of[ZOO_BAG], s->doc, err);
    scene_trace_value(s, value);
    return scene_made(value != NULL, err);
}

// ---- queries and deferred changes

static firn_result query_create(scene *s, firn_error *err)
{
    firn_term terms[] = {{s->z.of[ZOO_POINT], FIRN_WITH, false, 0},
                         {s->z.of[ZOO_TAG], FIRN_OPTIONAL, false, 0}};
    firn_query_desc desc = {.name = "a query with a name", .terms = terms, .term_count = 2};
    firn_query query = firn_query_create(s->z.world, &desc, err);
    scene_trace(s, &(uint32_t){firn_query_count(s->z.world, query)}, 4);
    return scene_made(query != 0, err);
}

static firn_result query_destroy(scene *s, firn_error *err)
{
    return firn_query_destroy(s->z.world, s->query, err);
}

static firn_result loop(scene *s, firn_error *err)
{
    firn_iter it;
    firn_iter_begin(s->z.world, s->query, &it);
    while (firn_iter_next(&it))
        scene_trace(s, it.entities, it.count * sizeof *it.entities);
    return firn_iter_end(&it, err);
}

// One of every change waits for the end of the loop.
static void defer(scene *s)
{
    firn_error err;
    scene_open_loop(s);
    assert_ok(spawn(s, &err), &err);
    assert_ok(spawn_many(s, &err), &err);
    assert_ok(add(s, &err), &err);
    assert_ok(set_value(s, &err), &err);
    assert_ok(set(s, &err), &err);
    assert_ok(set_string(s, &err), &err);
    assert_ok(remove_some(s, &err), &err);
    assert_ok(set_string(s, &err), &err);
    assert_ok(firn_despawn(s->z.world, s->entity, &err), &err);
}

static firn_result flush(scene *s, firn_error *err)
{
    firn_result result = firn_flush(s->z.world, err);
    if (result != FIRN_OK) {
        assert_int_equal(result, FIRN_NO_MEMORY);
        assert_true(firn_pending(s->z.world) > 0);
        test_allocator_fail_at(&s->memory, 0, false);
        result = firn_flush(s->z.world, err);
    }
    return result;
}

// The loop has ended without memory, and nothing was applied.
static void leave_waiting(scene *s)
{
    firn_error err;
    defer(s);
    test_allocator_fail_at(&s->memory, 1, true);
    assert_int_equal(firn_iter_end(&s->it, &err), FIRN_NO_MEMORY);
    s->in_loop = false;
    test_allocator_fail_at(&s->memory, 0, false);
    assert_true(firn_pending(s->z.world) > 0);
}

static firn_result discard(scene *s, firn_error *err)
{
    (void)err;
    scene_trace(s, &(uint32_t){firn_discard(s->z.world)}, 4);
    return FIRN_OK;
}

const memory_case memory_world_cases[] = {
    {"firn_world_create firn_world_destroy", world_create, NULL, false},
    {"firn_world_name firn_world_tick firn_world_set_tick firn_entity_count firn_world_limits "
     "firn_component_find firn_component_name firn_component_kind_of firn_component_count "
     "firn_component_at firn_name firn_disabled firn_paused firn_alive firn_has firn_get "
     "firn_get_mut firn_get_string firn_row_string firn_row_encoded firn_entity_components "
     "firn_pending",
     world_reads, NULL, true},
    {"firn_component_register", register_struct, NULL, false},
    {"firn_component_register", register_value, NULL, false},
    {"firn_component_register", register_again, NULL, false},
    {"firn_component_register", register_struct, scene_open_loop, false},
    {"firn_spawn", spawn, NULL, false},
    {"firn_spawn_rows", spawn_rows, NULL, false},
    {"firn_spawn_many", spawn_many, NULL, false},
    {"firn_spawn_many", spawn_many, fill_archetype, false},
    {"firn_despawn", despawn, NULL, true},
    {"firn_add", add, NULL, false},
    {"firn_remove", remove_some, NULL, false},
    {"firn_set", set, NULL, false},
    {"firn_set", set_there, NULL, true},
    {"firn_set_string", set_string, NULL, false},
    {"firn_set_text", set_text, NULL, false},
    {"firn_set_value", set_value, NULL, false},
    {"firn_set_value", set_value_there, NULL, false},
    {"firn_get_value", get_value, scene_empty_document, false},
    {"firn_query_create firn_query_count", query_create, NULL, false},
    {"firn_query_destroy", query_destroy, NULL, true},
    {"firn_iter_begin firn_iter_next firn_iter_end", loop, NULL, true},
    {"firn_spawn", spawn, scene_open_loop, false},
    {"firn_spawn_rows", spawn_rows, scene_open_loop, false},
    {"firn_spawn_many", spawn_many, scene_open_loop, false},
    {"firn_despawn", despawn, scene_open_loop, false},
    {"firn_add", add, scene_open_loop, false},
    {"firn_remove", remove_some, scene_open_loop, false},
    {"firn_set", set, scene_open_loop, false},
    {"firn_set_string", set_string, scene_open_loop, false},
    {"firn_set_text", set_text, scene_open_loop, false},
    {"firn_set_value", set_value, scene_open_loop, false},
    {"firn_query_create", query_create, scene_open_loop, false},
    {"firn_iter_end", scene_end_loop, defer, false},
    {"firn_flush", flush, leave_waiting, false},
    {"firn_discard", discard, leave_waiting, true},
    {NULL, NULL, NULL, false},
};
