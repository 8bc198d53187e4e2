// What a save leaves for the next one of the world is seen nowhere but in the memory that it takes.
#include "api/snapshot_zoo.h"

#include <string.h>

#include "snapshot/last_save.h"

#define SEEDS  60
#define STEPS  60
#define PEOPLE 24

static void forget_last_save(firn_world *world)
{
    fr_part *part = &world->parts[FR_PART_LAST_SAVE];
    if (part->data != NULL)
        part->destroy(world, part->data);
    *part = (fr_part){0};
}

// Saves with what the last save left, with what this one left, and without.
static void check_saves(firn_world *world, const firn_save_options *options)
{
    firn_buffer first = zoo_save_with(world, options), second = zoo_save_with(world, options);
    forget_last_save(world);
    firn_buffer fresh = zoo_save_with(world, options);
    assert_same_bytes(&first, &fresh);
    assert_same_bytes(&second, &fresh);
    firn_buffer_free(&first);
    firn_buffer_free(&second);
    firn_buffer_free(&fresh);
}

// ---- random worlds

// A mod's components are registered in some worlds only.
enum { POINT, SCORE, TITLE, MARK, NEEDS, PASSING, PARENT, KNOWS, LIKES, MOD_POINT, MOD_TAG, ALL };

#define POINT_STRUCT                                                                               \
    .size = sizeof(zoo_point), .fields = zoo_point_fields,                                         \
    .field_count = FIRN_COUNT(zoo_point_fields)

static const firn_component_desc descs[ALL] = {
    [POINT] = {.name = "Point", POINT_STRUCT},
    [SCORE] = {.name = "Score", .kind = FIRN_NUMBER},
    [TITLE] = {.name = "Title", .kind = FIRN_STRING},
    [MARK] = {.name = "Mark", .kind = FIRN_TAG},
    [NEEDS] = {.name = "Aims", POINT_STRUCT, .required_count = 1},
    [PASSING] = {.name = "Passing", .kind = FIRN_NUMBER, .transient = true},
    [PARENT] = {.name = "Parent",
                .kind = FIRN_RELATION,
                .relation = FIRN_SPARSE | FIRN_EXCLUSIVE | FIRN_REVERSE},
    [KNOWS] = {.name = "Knows", .kind = FIRN_RELATION, .relation = FIRN_SPARSE},
    [LIKES] = {.name = "Likes", .kind = FIRN_RELATION},
    [MOD_POINT] = {.name = "ModPoint", POINT_STRUCT},
    [MOD_TAG] = {.name = "ModTag", .kind = FIRN_TAG},
};

typedef struct crowd {
    firn_world *world;
    test_random random;
    firn_component of[ALL]; // 0: not registered yet
    firn_entity people[PEOPLE];
} crowd;

static uint32_t below(crowd *c, uint32_t bound)
{
    return test_random_below(&c->random, bound);
}

static void register_kind(crowd *c, uint32_t kind)
{
    firn_component_desc desc = descs[kind];
    if (c->of[kind] != 0 || (desc.required_count > 0 && c->of[POINT] == 0))
        return;
    desc.required = &c->of[POINT];
    c->of[kind] = zoo_register(c->world, &desc);
}

static crowd begin_crowd(uint64_t seed, uint32_t kinds)
{
    // Archetypes are removed when there are more.
    const firn_limits limits = {.archetypes = 20};
    firn_error err;
    crowd c = {.world = firn_world_create(&(firn_world_desc){.limits = &limits}, &err),
               .random = {seed}};
    assert_non_null(c.world);
    for (uint32_t i = 0; i < kinds; i++)
        register_kind(&c, i);
    return c;
}

// Some registered component that is no relation, or 0.
static firn_component some_plain(crowd *c)
{
    uint32_t kind = below(c, ALL);
    return kind == PARENT || kind == KNOWS || kind == LIKES ? 0 : c->of[kind];
}

static void may_be_full(firn_result result, const firn_error *err)
{
    if (result != FIRN_LIMIT)
        assert_ok(result, err);
}

// What changes people and components; some of it fails where there are archetypes enough.
static void change_person(crowd *c)
{
    firn_error err;
    firn_entity *person = &c->people[below(c, PEOPLE)];
    firn_component component = some_plain(c);
    firn_component relation = c->of[PARENT + below(c, 3)];
    firn_entity target = c->people[below(c, PEOPLE)];
    if (!firn_alive(c->world, *person)) {
        *person = firn_spawn(c->world, &component, component != 0, &err);
        return;
    }
    switch (below(c, 8)) {
    case 0:
        may_be_full(firn_despawn(c->world, *person, &err), &err);
        break;
    case 1:
    case 2:
        if (component != 0)
            may_be_full(firn_remove(c->world, *person, &component, 1, &err), &err);
        break;
    case 3:
        if (relation != 0)
            may_be_full(firn_unrelate(c->world, *person, relation, 0, &err), &err);
        break;
    case 4:
    case 5:
        if (relation != 0 && firn_alive(c->world, target))
            may_be_full(firn_relate(c->world, *person, relation, target, NULL, &err), &err);
        break;
    default:
        if (component != 0 && component != c->of[NEEDS])
            may_be_full(firn_add(c->world, *person, &component, 1, &err), &err);
    }
}

static void load_kept(crowd *c, const firn_buffer *image)
{
    firn_error err;
    firn_result result = firn_snapshot_load(c->world, image->data, image->size,
                                            &(firn_load_options){.keep_unknown = true}, NULL, &err);
    may_be_full(result, &err);
    for (uint32_t i = 0; result == FIRN_OK && i < PEOPLE; i++)
        c->people[i] = i + 1;
}

static void save_in_part(crowd *c)
{
    firn_component component = some_plain(c);
    if (component == 0)
        return;
    const firn_term term = {.component = component};
    const firn_query_desc filter = {.terms = &term, .term_count = 1};
    bool leaves_out = below(c, 2) == 0;
    check_saves(c->world, &(firn_save_options){.sparse_edges = true,
                                               .exclude = leaves_out ? &component : NULL,
                                               .exclude_count = leaves_out,
                                               .filter = leaves_out ? NULL : &filter});
}

// Which fails where an entity knows another.
static void save_plainly(firn_world *world)
{
    firn_buffer out = {0};
    firn_error err;
    firn_result result = firn_snapshot_save(world, NULL, &out, &err);
    if (result != FIRN_INVALID)
        assert_ok(result, &err);
    firn_buffer_free(&out);
}

static void change_crowd(crowd *c, const firn_buffer *image)
{
    switch (below(c, 30)) {
    case 0:
        register_kind(c, below(c, ALL));
        break;
    case 1:
        load_kept(c, image);
        break;
    case 2:
    case 3:
        save_in_part(c);
        break;
    case 4:
        save_plainly(c->world);
        break;
    default:
        change_person(c);
    }
}

// What a world with all components saves.
static firn_buffer modded_image(uint64_t seed)
{
    crowd c = begin_crowd(seed, ALL);
    for (uint32_t i = 0; i < 2 * PEOPLE; i++)
        change_person(&c);
    firn_buffer image = zoo_save_with(c.world, &(firn_save_options){.sparse_edges = true});
    firn_world_destroy(c.world);
    return image;
}

static void saves_of_random_worlds_do_not_depend_on_saves_before(void **state)
{
    (void)state;
    const firn_save_options options = {.sparse_edges = true};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        firn_buffer image = modded_image(seed * 977);
        crowd c = begin_crowd(seed, test_random_below(&(test_random){seed}, MOD_POINT));
        for (uint32_t step = 0; step < STEPS; step++) {
            for (uint32_t changes = below(&c, 4); changes > 0; changes--)
                change_crowd(&c, &image);
            check_saves(c.world, &options);
        }
        firn_world_destroy(c.world);
        firn_buffer_free(&image);
    }
}

// ---- what makes another selection

static void an_entity_in_another_archetype_is_saved_after_a_save(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    firn_entity entity = zoo_spawn_one(z.world, z.of[ZOO_POINT]);
    firn_buffer before = zoo_save(z.world);
    firn_error err;
    assert_ok(firn_add(z.world, entity, &z.of[ZOO_TAG], 1, &err), &err);
    check_saves(z.world, NULL);
    assert_ok(firn_remove(z.world, entity, &z.of[ZOO_TAG], 1, &err), &err);
    assert_saves_as(z.world, &before);
    firn_buffer_free(&before);
    firn_world_destroy(z.world);
}

static void a_save_of_some_entities_is_none_of_all_after_it(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_buffer all = zoo_save(z.world);
    check_saves(z.world, &(firn_save_options){.exclude = &z.of[ZOO_POINT], .exclude_count = 1});
    assert_saves_as(z.world, &all);
    firn_buffer_free(&all);
    firn_world_destroy(z.world);
}

// They list sources, of which a save looks at the edges where it has some.
static void relations_that_are_registered_after_a_save_are_not_in_the_next(void **state)
{
    (void)state;
    firn_world *world = zoo_empty(NULL);
    zoo_spawn(world, NULL, 0);
    firn_buffer before = zoo_save(world);
    static const char *const names[] = {"First", "Second", "Third"};
    for (size_t i = 0; i < FIRN_COUNT(names); i++) {
        firn_component_desc desc = descs[PARENT];
        desc.name = names[i];
        zoo_register(world, &desc);
    }
    assert_saves_as(world, &before);
    firn_buffer_free(&before);
    firn_world_destroy(world);
}

static firn_buffer load_and_save(firn_world *world, const firn_buffer *image)
{
    firn_error err;
    const firn_load_options options = {.keep_unknown = true};
    assert_ok(firn_snapshot_load(world, image->data, image->size, &options, NULL, &err), &err);
    return zoo_save(world);
}

// Both images come back, each after the other.
static void check_turns(firn_world *world, const firn_buffer *one, const firn_buffer *other)
{
    for (int turn = 0; turn < 4; turn++) {
        const firn_buffer *image = turn % 2 == 0 ? one : other;
        firn_buffer saved = load_and_save(world, image);
        assert_same_bytes(&saved, image);
        firn_buffer_free(&saved);
    }
}

// Two targets that had a slot after each other, and so the same archetype for their sources.
static void a_target_in_the_slot_of_another_is_saved_by_its_own_id(void **state)
{
    (void)state;
    firn_world *world = zoo_empty(NULL);
    firn_component likes = zoo_register(world, &descs[LIKES]);
    firn_entity source = zoo_spawn(world, NULL, 0), target = zoo_spawn(world, NULL, 0);
    firn_error err;
    assert_ok(firn_relate(world, source, likes, target, NULL, &err), &err);
    firn_buffer before = zoo_save(world);
    assert_ok(firn_despawn(world, target, &err), &err);
    firn_entity next = zoo_spawn(world, NULL, 0);
    assert_int_equal(fr_slot(next), fr_slot(target));
    assert_ok(firn_relate(world, source, likes, next, NULL, &err), &err);
    firn_buffer after = zoo_save(world);
    check_turns(world, &before, &after);
    firn_buffer_free(&before);
    firn_buffer_free(&after);
    firn_world_destroy(world);
}

// One of two images names it, though no entity has it: what requires it has lost it.
static void a_kept_component_without_rows_is_named_while_the_save_named_it(void **state)
{
    (void)state;
    firn_world *plain = zoo_empty(NULL), *modded = zoo_empty(NULL);
    firn_component_desc desc = descs[POINT];
    firn_component point = zoo_register(plain, &desc);
    zoo_spawn(plain, &point, 1);
    firn_component mod = zoo_register(modded, &descs[MOD_TAG]);
    desc.required = &mod;
    desc.required_count = 1;
    point = zoo_register(modded, &desc);
    firn_entity entity = zoo_spawn(modded, &point, 1);
    firn_error err;
    assert_ok(firn_remove(modded, entity, &mod, 1, &err), &err);
    firn_buffer without = zoo_save(plain), with = zoo_save(modded);
    check_turns(plain, &with, &without);
    firn_buffer_free(&without);
    firn_buffer_free(&with);
    firn_world_destroy(plain);
    firn_world_destroy(modded);
}

// An allocator that gives one block away again at once.
typedef struct recycler {
    firn_allocator allocator;
    void *block;
    size_t size; // 0 until it is freed
    bool recycled;
} recycler;

static void *recycle(void *user, void *block, size_t old_size, size_t new_size, size_t align)
{
    recycler *own = user;
    const firn_allocator *heap = firn_allocator_default();
    if (block != NULL && block == own->block && new_size == 0 && !own->recycled) {
        own->size = old_size;
        return NULL;
    }
    if (block == NULL && new_size > 0 && new_size == own->size && !own->recycled) {
        own->recycled = true;
        return own->block;
    }
    return heap->resize(heap->user, block, old_size, new_size, align);
}

static void an_archetype_at_the_address_of_another_is_another(void **state)
{
    (void)state;
    recycler own = {.allocator = {recycle, &own}};
    firn_error err;
    firn_world *world = firn_world_create(&(firn_world_desc){.allocator = &own.allocator}, &err);
    assert_non_null(world);
    firn_component point = zoo_register(world, &descs[POINT]);
    firn_component score = zoo_register(world, &descs[SCORE]);
    firn_entity entity = zoo_spawn_one(world, point);
    firn_buffer before = zoo_save(world);
    fr_archetype *archetype = NULL;
    uint32_t row;
    assert_true(fr_world_find(world, entity, &archetype, &row));
    assert_ok(firn_remove(world, entity, &point, 1, &err), &err);
    own.block = archetype;
    fr_world_remove_archetype(world, archetype);
    assert_ok(firn_add(world, entity, &score, 1, &err), &err);
    assert_true(own.recycled);
    check_saves(world, NULL);
    firn_buffer_free(&before);
    firn_world_destroy(world);
}

// ---- memory

static void a_save_of_the_same_archetypes_takes_no_memory(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    zoo z = zoo_make(&memory, false);
    const firn_component components[] = {z.of[ZOO_POINT], z.of[ZOO_GAP], z.of[ZOO_TAG]};
    zoo_spawn(z.world, components, 3);
    zoo_spawn(z.world, components, 1);
    firn_error err;
    firn_buffer out = {0};
    assert_ok(firn_snapshot_save(z.world, NULL, &out, &err), &err);
    zoo_spawn(z.world, components, 3);
    test_allocator_fail_at(&memory, 1, true);
    assert_ok(firn_snapshot_save(z.world, NULL, &out, &err), &err);
    assert_int_equal(memory.calls, 0);
    test_allocator_fail_at(&memory, 0, false);
    assert_saves_as(z.world, &out);
    firn_buffer_free(&out);
    firn_world_destroy(z.world);
    assert_no_leak(&memory);
}

static void a_save_after_one_without_memory_is_whole(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    zoo z = zoo_make(&memory, false);
    firn_entity entity = zoo_spawn_one(z.world, z.of[ZOO_POINT]);
    firn_error err;
    firn_buffer out = {0};
    firn_result result = FIRN_NO_MEMORY;
    for (uint64_t call = 1; result != FIRN_OK; call++) {
        // With room for less than what comes.
        assert_ok(firn_remove(z.world, entity, &z.of[ZOO_TITLE], 1, &err), &err);
        forget_last_save(z.world);
        assert_ok(firn_snapshot_save(z.world, NULL, &out, &err), &err);
        assert_ok(firn_add(z.world, entity, &z.of[ZOO_TITLE], 1, &err), &err);
        test_allocator_fail_at(&memory, call, true);
        result = firn_snapshot_save(z.world, NULL, &out, &err);
        assert_true(result == FIRN_OK || result == FIRN_NO_MEMORY);
        test_allocator_fail_at(&memory, 0, false);
        check_saves(z.world, NULL);
    }
    firn_buffer_free(&out);
    firn_world_destroy(z.world);
    assert_no_leak(&memory);
}

// With states and a filter: each piece of memory that a first save takes is missing once.
static void a_first_save_without_memory_is_an_error(void **state)
{
    (void)state;
    firn_result result = FIRN_NO_MEMORY;
    for (uint64_t call = 1; result != FIRN_OK; call++) {
        test_allocator memory;
        test_allocator_init(&memory);
        zoo z = zoo_make(&memory, false);
        firn_error err;
        zoo_spawn(z.world, &z.of[ZOO_POINT], 1);
        firn_state town = firn_state_create(z.world, &(firn_state_desc){.name = "town"}, &err);
        assert_ok(firn_state_push(z.world, town, &err), &err);
        firn_term term = {.component = z.of[ZOO_POINT]};
        firn_query_desc points = {.terms = &term, .term_count = 1};
        firn_save_options options = {.filter = call % 2 == 0 ? &points : NULL};
        firn_buffer out = {0};
        test_allocator_fail_at(&memory, (call + 1) / 2, false);
        result = firn_snapshot_save(z.world, &options, &out, &err);
        assert_true(result == FIRN_OK || err.code == FIRN_NO_MEMORY);
        firn_buffer_free(&out);
        firn_world_destroy(z.world);
        assert_no_leak(&memory);
    }
}

// Every other row is saved: a run each.
static void what_a_save_of_many_runs_took_does_not_stay(void **state)
{
    (void)state;
    enum { ROWS = 60000 };
    test_allocator memory;
    test_allocator_init(&memory);
    firn_world *world = zoo_empty(&memory);
    firn_component parent = zoo_register(world, &descs[PARENT]);
    firn_entity parents[] = {zoo_spawn(world, NULL, 0), zoo_spawn(world, NULL, 0)};
    firn_error err;
    for (uint32_t i = 0; i < ROWS; i++) {
        firn_entity child = zoo_spawn(world, NULL, 0);
        assert_ok(firn_relate(world, child, parent, parents[i % 2], NULL, &err), &err);
    }
    const firn_term term = {.component = parent, .target = parents[0]};
    const firn_query_desc filter = {.terms = &term, .term_count = 1};
    uint64_t before = memory.bytes;
    test_allocator_reset_peak(&memory);
    firn_buffer some = zoo_save_with(world, &(firn_save_options){.filter = &filter});
    assert_true(memory.peak_bytes > before + FR_LAST_SAVE_BYTES);
    assert_true(memory.bytes < before + 1024);
    check_saves(world, NULL);
    firn_buffer_free(&some);
    firn_world_destroy(world);
    assert_no_leak(&memory);
}

// The encoded value of a handler goes by way of memory that the world keeps.
static firn_result save_bytes(void *user, firn_world *world, firn_writer *out, firn_error *err)
{
    (void)world, (void)err;
    static const char bytes[FR_LAST_SAVE_BYTES + 1];
    firn_write_string(out, bytes, *(const size_t *)user);
    return FIRN_OK;
}

static void memory_of_a_large_value_does_not_stay(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    firn_world *world = zoo_empty(&memory);
    size_t size = 100;
    firn_error err;
    const firn_handler handler = {
        .abi = FIRN_ABI, .name = "bytes", .save = save_bytes, .user = &size};
    assert_ok(firn_handler_add(world, &handler, &err), &err);
    firn_buffer small = zoo_save(world);
    uint64_t kept = memory.bytes;
    size = FR_LAST_SAVE_BYTES + 1;
    firn_buffer large = zoo_save(world);
    assert_true(memory.bytes < kept);
    size = 100;
    assert_saves_as(world, &small);
    firn_buffer_free(&small);
    firn_buffer_free(&large);
    firn_world_destroy(world);
    assert_no_leak(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saves_of_random_worlds_do_not_depend_on_saves_before),
        cmocka_unit_test(an_entity_in_another_archetype_is_saved_after_a_save),
        cmocka_unit_test(a_save_of_some_entities_is_none_of_all_after_it),
        cmocka_unit_test(relations_that_are_registered_after_a_save_are_not_in_the_next),
        cmocka_unit_test(a_target_in_the_slot_of_another_is_saved_by_its_own_id),
        cmocka_unit_test(a_kept_component_without_rows_is_named_while_the_save_named_it),
        cmocka_unit_test(an_archetype_at_the_address_of_another_is_another),
        cmocka_unit_test(a_save_after_one_without_memory_is_whole),
        cmocka_unit_test(a_first_save_without_memory_is_an_error),
        cmocka_unit_test(a_save_of_the_same_archetypes_takes_no_memory),
        cmocka_unit_test(what_a_save_of_many_runs_took_does_not_stay),
        cmocka_unit_test(memory_of_a_large_value_does_not_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
