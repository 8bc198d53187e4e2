// Relationships in saves: values, lists of sources, targets that are gone, bytes and hashes.
#include "api/snapshot_zoo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "firn/game.h"
#include "firn/relation.h"

enum { LIKES, OWNS, PARENT, KNOWS, KINDS };

typedef struct likes {
    firn_entity target;
    float weight;
    bool zeal;
} likes;

typedef struct scene {
    firn_world *world;
    firn_component of[KINDS];
    firn_component score;
    firn_component mark;
} scene;

static scene make_scene(const firn_allocator *allocator)
{
    static const firn_field fields[] = {FIRN_FIELD(likes, weight, FIRN_F32),
                                        FIRN_FIELD(likes, zeal, FIRN_BOOL)};
    static const likes by_default = {0, 0.5f, true};
    const firn_component_desc descs[KINDS] = {
        {.name = "Likes",
         .kind = FIRN_RELATION,
         .size = sizeof(likes),
         .fields = fields,
         .field_count = 2,
         .default_row = &by_default,
         .relation = FIRN_REVERSE},
        {.name = "Owns", .kind = FIRN_RELATION, .relation = FIRN_EXCLUSIVE},
        {.name = "Parent",
         .kind = FIRN_RELATION,
         .size = sizeof(likes),
         .fields = fields,
         .field_count = 2,
         .relation = FIRN_SPARSE | FIRN_EXCLUSIVE | FIRN_CASCADE},
        {.name = "Knows", .kind = FIRN_RELATION, .relation = FIRN_SPARSE | FIRN_REVERSE},
    };
    firn_error err;
    const firn_world_desc desc = {.allocator = allocator};
    scene s = {.world = firn_world_create(&desc, &err)};
    assert_non_null(s.world);
    for (uint32_t i = 0; i < KINDS; i++) {
        s.of[i] = firn_component_register(s.world, &descs[i], &err);
        assert_ok(s.of[i] != 0 ? FIRN_OK : err.code, &err);
    }
    const firn_component_desc score = {.name = "Score", .kind = FIRN_NUMBER};
    const firn_component_desc mark = {.name = "Mark", .kind = FIRN_TAG};
    s.score = firn_component_register(s.world, &score, &err);
    s.mark = firn_component_register(s.world, &mark, &err);
    return s;
}

static void relate(const scene *s, firn_entity source, uint32_t kind, firn_entity target,
                   float weight)
{
    firn_error err;
    const likes row = {0, weight, weight > 1};
    bool fields = kind == LIKES || kind == PARENT;
    assert_ok(firn_relate(s->world, source, s->of[kind], target, fields ? &row : NULL, &err), &err);
}

#define PEOPLE 40

// Some of each, related at random, and some that have ended.
static void fill_scene(scene *s, firn_entity people[PEOPLE], bool many, uint64_t seed)
{
    test_random random = {seed};
    for (uint32_t i = 0; i < PEOPLE; i++) {
        const firn_component of[] = {s->score, s->mark};
        people[i] = firn_spawn(s->world, of, test_random_below(&random, 3), NULL);
        assert_true(people[i] != 0);
    }
    for (uint32_t i = 0; i < 5; i++) {
        assert_ok(firn_despawn(s->world, people[i * 7], NULL), NULL);
        people[i * 7] = firn_spawn(s->world, &s->score, 1, NULL);
    }
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t kind = test_random_below(&random, many ? KINDS : KNOWS);
        // Few targets of the dense ones.
        firn_entity target = people[test_random_below(&random, kind < PARENT ? 6 : PEOPLE)];
        relate(s, people[test_random_below(&random, PEOPLE)], kind, target, (float)i / 8);
    }
    for (uint32_t i = 0; i < 10; i++)
        assert_ok(firn_unrelate(s->world, people[i], s->of[i % KNOWS], 0, NULL), NULL);
}

static firn_buffer save(const scene *s)
{
    firn_buffer image;
    firn_error err;
    firn_buffer_init(&image, NULL);
    const firn_save_options options = {.sparse_edges = true};
    assert_ok(firn_snapshot_save(s->world, &options, &image, &err), &err);
    return image;
}

static void load(const scene *s, const firn_buffer *image)
{
    firn_error err;
    assert_ok(firn_snapshot_load(s->world, image->data, image->size, NULL, NULL, &err), &err);
}

static void assert_same_edges(const scene *a, const scene *b, firn_entity entity, uint32_t kind)
{
    firn_entity left[PEOPLE], right[PEOPLE];
    uint32_t count = firn_targets(a->world, entity, a->of[kind], left, PEOPLE);
    assert_int_equal(count, firn_targets(b->world, entity, b->of[kind], right, PEOPLE));
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(left[i], right[i]);
        const likes *x = firn_related(a->world, entity, a->of[kind], left[i]);
        const likes *y = firn_related(b->world, entity, b->of[kind], left[i]);
        assert_int_equal(x->target, y->target);
        if (kind == LIKES || kind == PARENT) {
            assert_true(x->weight == y->weight);
            assert_int_equal(x->zeal, y->zeal);
        }
    }
    count = firn_sources(a->world, a->of[kind], entity, left, PEOPLE);
    assert_int_equal(count, firn_sources(b->world, b->of[kind], entity, right, PEOPLE));
    assert_memory_equal(left, right, count * sizeof *left);
}

static void assert_hashes(const scene *s, const firn_buffer *image)
{
    firn_hash world, bytes;
    firn_error err;
    assert_ok(firn_world_hash(s->world, &world, NULL, NULL, &err), &err);
    assert_ok(firn_image_hash(image->data, image->size, NULL, &bytes, NULL, NULL, &err), &err);
    assert_memory_equal(&world, &bytes, sizeof world);
}

static void expect_round_trip(bool many, uint64_t seed)
{
    scene a = make_scene(NULL), b = make_scene(NULL);
    firn_entity people[PEOPLE];
    fill_scene(&a, people, many, seed);
    firn_buffer first = save(&a);
    assert_hashes(&a, &first);
    load(&b, &first);
    for (uint32_t i = 0; i < PEOPLE; i++)
        for (uint32_t kind = 0; kind < KINDS; kind++)
            assert_same_edges(&a, &b, people[i], kind);
    firn_buffer second = save(&b);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    assert_hashes(&b, &second);
    firn_buffer_free(&first);
    firn_buffer_free(&second);
    firn_world_destroy(a.world);
    firn_world_destroy(b.world);
}

// ---- tests

static void T5_relationships_of_every_kind_come_back_with_their_order(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++)
        expect_round_trip(seed % 2 == 0, seed);
}

static void T5_a_sparse_relation_of_many_targets_needs_an_option(void **state)
{
    (void)state;
    scene s = make_scene(NULL);
    firn_error err;
    firn_buffer image;
    firn_buffer_init(&image, NULL);
    firn_entity entity = firn_spawn(s.world, NULL, 0, NULL);
    relate(&s, entity, KNOWS, entity, 0);
    assert_int_equal(firn_snapshot_save(s.world, NULL, &image, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "Knows");
    assert_int_equal(image.size, 0);
    image = save(&s);
    assert_true(image.size > 0);
    firn_buffer_free(&image);
    firn_world_destroy(s.world);
}

static void T5_the_end_of_a_target_follows_the_policy_after_a_load(void **state)
{
    (void)state;
    scene a = make_scene(NULL), b = make_scene(NULL);
    firn_entity parent = firn_spawn(a.world, NULL, 0, NULL);
    firn_entity child = firn_spawn(a.world, NULL, 0, NULL);
    firn_entity friend = firn_spawn(a.world, NULL, 0, NULL);
    relate(&a, child, PARENT, parent, 1);
    relate(&a, friend, LIKES, parent, 2);
    firn_buffer image = save(&a);
    load(&b, &image);
    assert_ok(firn_despawn(b.world, parent, NULL), NULL);
    assert_false(firn_alive(b.world, child));
    assert_true(firn_alive(b.world, friend));
    assert_false(firn_has(b.world, friend, b.of[LIKES]));
    firn_buffer_free(&image);
    firn_world_destroy(a.world);
    firn_world_destroy(b.world);
}

static void T16_a_relationship_to_what_was_left_out_is_dropped_and_counted(void **state)
{
    (void)state;
    scene a = make_scene(NULL), b = make_scene(NULL);
    firn_entity kept = firn_spawn(a.world, &a.score, 1, NULL);
    firn_entity other = firn_spawn(a.world, &a.score, 1, NULL);
    firn_entity gone = firn_spawn(a.world, &a.mark, 1, NULL);
    relate(&a, kept, LIKES, gone, 1);
    relate(&a, kept, LIKES, other, 1);
    relate(&a, kept, PARENT, gone, 1);
    relate(&a, other, PARENT, kept, 1);
    relate(&a, kept, KNOWS, gone, 1);
    relate(&a, kept, KNOWS, other, 1);
    const firn_term term = {.component = a.score};
    const firn_query_desc scored = {.terms = &term, .term_count = 1};
    const firn_save_options options = {.sparse_edges = true, .filter = &scored};
    firn_buffer image;
    firn_error err;
    firn_buffer_init(&image, NULL);
    assert_ok(firn_snapshot_save(a.world, &options, &image, &err), &err);
    firn_load_report report;
    assert_ok(firn_snapshot_load(b.world, image.data, image.size, NULL, &report, &err), &err);
    uint64_t dropped = 0;
    for (uint32_t i = 0; i < report.notice_count; i++)
        if (report.notices[i].kind == FIRN_NOTICE_TARGET)
            dropped += report.notices[i].count;
    assert_int_equal(dropped, 3);
    firn_load_report_free(&report);
    assert_int_equal(firn_target(b.world, kept, b.of[LIKES]), other);
    assert_false(firn_has(b.world, kept, b.of[PARENT]));
    assert_int_equal(firn_target(b.world, other, b.of[PARENT]), kept);
    assert_int_equal(firn_targets(b.world, kept, b.of[KNOWS], NULL, 0), 1);
    firn_buffer_free(&image);
    firn_world_destroy(a.world);
    firn_world_destroy(b.world);
}

// Every change of a byte, and every end, gives a load that refuses or one that saves again.
// Every third of them is related to the first, the others to the second; every other one stands on
// layer 1.
typedef struct crowd {
    scene scene;
    firn_component transform;
    firn_entity people[64];
} crowd;

static firn_component register_transform(firn_world *world)
{
    static const firn_field fields[] = {{.name = "layer", .type = FIRN_F64}};
    const firn_component_desc transform = {.name = "Transform2D",
                                           .kind = FIRN_STRUCT,
                                           .size = sizeof(double),
                                           .fields = fields,
                                           .field_count = 1};
    firn_component made = firn_component_register(world, &transform, NULL);
    assert_true(made != 0);
    return made;
}

static crowd make_crowd(uint32_t kind)
{
    crowd c = {.scene = make_scene(NULL)};
    firn_error err;
    c.transform = register_transform(c.scene.world);
    for (uint32_t i = 0; i < 64; i++) {
        const double layer = i % 2;
        c.people[i] = firn_spawn(c.scene.world, &c.transform, 1, &err);
        assert_ok(firn_set(c.scene.world, c.people[i], c.transform, &layer, &err), &err);
    }
    for (uint32_t i = 0; i < 64; i++)
        relate(&c.scene, c.people[i], kind, c.people[i % 3 == 0 ? 0 : 1], 1);
    return c;
}

static void expect_selected(const crowd *c, const firn_save_options *options, firn_term_kind kind,
                            bool by_layer)
{
    scene b = make_scene(NULL);
    register_transform(b.world);
    firn_error err;
    firn_buffer image;
    firn_buffer_init(&image, NULL);
    assert_ok(firn_snapshot_save(c->scene.world, options, &image, &err), &err);
    load(&b, &image);
    for (uint32_t i = 0; i < 64; i++) {
        bool wanted = (i % 3 == 0) == (kind == FIRN_WITH) && (!by_layer || i % 2 == 1);
        assert_int_equal(firn_alive(b.world, c->people[i]), wanted);
    }
    firn_buffer_free(&image);
    firn_world_destroy(b.world);
}

static void N5_T16_a_filter_selects_the_sources_of_a_target(void **state)
{
    (void)state;
    static const double layer = 1;
    static const firn_term_kind kinds[] = {FIRN_WITH, FIRN_WITHOUT};
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        crowd c = make_crowd(kind);
        for (uint32_t i = 0; i < 2; i++) {
            const firn_term term = {
                .component = c.scene.of[kind], .kind = kinds[i], .target = c.people[0]};
            const firn_query_desc filter = {.terms = &term, .term_count = 1};
            firn_save_options options = {.sparse_edges = true, .filter = &filter};
            expect_selected(&c, &options, kinds[i], false);
            options.layers = &layer;
            options.layer_count = 1;
            expect_selected(&c, &options, kinds[i], true);
        }
        firn_world_destroy(c.scene.world);
    }
}

static void T21_damaged_relationships_are_refused_or_whole(void **state)
{
    (void)state;
    scene a = make_scene(NULL), b = make_scene(NULL);
    firn_entity people[PEOPLE];
    fill_scene(&a, people, true, 5);
    firn_buffer image = save(&a);
    test_random random = {11};
    for (uint32_t i = 0; i < 3000; i++) {
        size_t at = (size_t)(test_random_u64(&random) % image.size);
        uint8_t before = image.data[at];
        image.data[at] ^= (uint8_t)(1u << test_random_below(&random, 8));
        if (firn_snapshot_load(b.world, image.data, image.size, NULL, NULL, NULL) == FIRN_OK) {
            firn_buffer again = save(&b);
            assert_hashes(&b, &again);
            firn_buffer_free(&again);
        }
        image.data[at] = before;
    }
    for (size_t size = 0; size < image.size; size += 7)
        assert_int_not_equal(firn_snapshot_load(b.world, image.data, size, NULL, NULL, NULL),
                             FIRN_OK);
    firn_buffer_free(&image);
    firn_world_destroy(a.world);
    firn_world_destroy(b.world);
}

static void T5_a_save_and_a_load_without_memory_change_nothing(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    scene a = make_scene(NULL), b = make_scene(&memory.allocator);
    firn_entity people[PEOPLE];
    fill_scene(&a, people, true, 3);
    fill_scene(&b, people, true, 4);
    firn_buffer image = save(&a), before = save(&b);
    firn_error err;
    for (uint64_t call = 1;; call++) {
        test_allocator_fail_at(&memory, call, false);
        firn_buffer out;
        firn_buffer_init(&out, &memory.allocator);
        const firn_save_options options = {.sparse_edges = true};
        firn_result saved = firn_snapshot_save(b.world, &options, &out, &err);
        firn_result result =
            memory.injected ? saved
                            : firn_snapshot_load(b.world, image.data, image.size, NULL, NULL, &err);
        bool injected = memory.injected;
        test_allocator_fail_at(&memory, 0, false);
        firn_buffer_free(&out);
        if (!injected) {
            assert_ok(result, &err);
            break;
        }
        assert_int_equal(result, FIRN_NO_MEMORY);
        firn_buffer after = save(&b);
        assert_int_equal(after.size, before.size);
        assert_memory_equal(after.data, before.data, before.size);
        firn_buffer_free(&after);
    }
    firn_buffer after = save(&b);
    assert_int_equal(after.size, image.size);
    assert_memory_equal(after.data, image.data, image.size);
    firn_buffer_free(&after);
    firn_buffer_free(&image);
    firn_buffer_free(&before);
    firn_world_destroy(a.world);
    firn_world_destroy(b.world);
    assert_no_leak(&memory);
}

static void T21_a_bool_of_an_edge_that_is_none_is_not_saved(void **state)
{
    (void)state;
    static const uint32_t kinds[] = {LIKES, PARENT};
    for (size_t i = 0; i < FIRN_COUNT(kinds); i++) {
        scene s = make_scene(NULL);
        firn_error err;
        firn_entity source = firn_spawn(s.world, NULL, 0, &err);
        relate(&s, source, kinds[i], source, 1);
        likes *row = firn_related_mut(s.world, source, s.of[kinds[i]], source);
        memset(&row->zeal, 2, 1);
        firn_buffer image;
        firn_buffer_init(&image, NULL);
        assert_int_equal(firn_snapshot_save(s.world, NULL, &image, &err), FIRN_INVALID);
        assert_error(&err, FIRN_INVALID, firn_component_name(s.world, s.of[kinds[i]]));
        assert_non_null(strstr(err.message, "zeal is a bool that is neither 0 nor 1"));
        assert_int_equal(image.size, 0);
        firn_buffer_free(&image);
        firn_world_destroy(s.world);
    }
}

static void T5_rows_of_many_targets_have_at_most_51_other_components(void **state)
{
    (void)state;
    scene s = make_scene(NULL);
    firn_error err;
    firn_component tags[52];
    for (unsigned i = 0; i < 52; i++) {
        char name[16];
        snprintf(name, sizeof name, "Atag%02u", i);
        const firn_component_desc desc = {.name = name, .kind = FIRN_TAG};
        tags[i] = firn_component_register(s.world, &desc, &err);
    }
    firn_entity source = firn_spawn(s.world, tags, 51, &err);
    relate(&s, source, KNOWS, source, 0);
    firn_buffer image = save(&s);
    assert_ok(firn_add(s.world, source, &tags[51], 1, &err), &err);
    const firn_save_options options = {.sparse_edges = true};
    firn_buffer more;
    firn_buffer_init(&more, NULL);
    assert_int_equal(firn_snapshot_save(s.world, &options, &more, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "Knows");
    assert_non_null(strstr(err.message, "53 saved components: at most 52"));
    assert_int_equal(more.size, 0);
    load(&s, &image);
    assert_false(firn_has(s.world, source, tags[51]));
    firn_buffer_free(&more);
    firn_buffer_free(&image);
    firn_world_destroy(s.world);
}

static void T5_a_merge_without_memory_changes_nothing(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    scene a = make_scene(NULL), b = make_scene(&memory.allocator);
    firn_entity people[PEOPLE];
    firn_error err;
    fill_scene(&b, people, true, 4);
    fill_scene(&a, people, true, 3);
    for (uint32_t i = 0; i < PEOPLE; i++) {
        const char key[] = {(char)('0' + i), 0};
        assert_ok(firn_set_text(a.world, people[i], firn_key(a.world), key, &err), &err);
    }
    firn_buffer image = save(&a), before = save(&b);
    for (uint64_t call = 1;; call++) {
        test_allocator_fail_at(&memory, call, false);
        firn_result result = firn_snapshot_merge(b.world, image.data, image.size, NULL, NULL, &err);
        bool injected = memory.injected;
        test_allocator_fail_at(&memory, 0, false);
        if (!injected) {
            assert_ok(result, &err);
            break;
        }
        assert_int_equal(result, FIRN_NO_MEMORY);
        firn_buffer after = save(&b);
        assert_int_equal(after.size, before.size);
        assert_memory_equal(after.data, before.data, before.size);
        firn_buffer_free(&after);
    }
    assert_int_equal(firn_entity_count(b.world), 2 * PEOPLE);
    assert_true(firn_find_key(b.world, "7", 1) != 0);
    firn_buffer_free(&image);
    firn_buffer_free(&before);
    firn_world_destroy(a.world);
    firn_world_destroy(b.world);
    assert_no_leak(&memory);
}

static void T22_a_target_of_the_last_generations_comes_back(void **state)
{
    (void)state;
    scene s = make_scene(NULL);
    firn_error err;
    // Version, slots, entities, frames, components; then Owns->9007199250546693 at slot 5.
    size_t size;
    uint8_t *image =
        test_from_hex("07000000000000f03f 070000000000001c40 070000000000000040 070000000000000040 "
                      "07000000000000f03f 36 4f776e732d3e39303037313939323530353436363933 20 "
                      "070000000000000000 07000000000000f03f 070000000000000000 05e0ffffffff3f43 "
                      "07000000000000f03f 07000000000000f03f 07000000000000f03f 070000000000000000 "
                      "0000000000001840 09012674617267657407 05e0ffffffff3f43 01",
                      &size);
    double id = 9007199250546693.0;
    uint64_t bits;
    memcpy(&bits, &id, sizeof bits);
    uint8_t pattern[8];
    for (int i = 0; i < 8; i++)
        pattern[i] = (uint8_t)(bits >> (8 * i));
    for (size_t at = 0; at + 8 <= size; at++)
        if (memcmp(image + at, "\x05\xe0\xff\xff\xff\xff\x3f\x43", 8) == 0)
            memcpy(image + at, pattern, 8);
    assert_ok(firn_snapshot_load(s.world, image, size, NULL, NULL, &err), &err);
    assert_true(firn_target(s.world, 6, s.of[OWNS]) == UINT64_C(9007199250546693));
    free(image);
    firn_world_destroy(s.world);
}

// What is written can be read: a target takes a table of one pair, three values.
static void T5_limits_hold_for_targets_when_they_are_saved(void **state)
{
    (void)state;
    firn_error err;
    const firn_limits limits[] = {{.tree_values = 2}, {.string_bytes = 5}, {.tree_values = 3}};
    for (size_t i = 0; i < FIRN_COUNT(limits); i++) {
        firn_world *world = firn_world_create(&(firn_world_desc){.limits = &limits[i]}, &err);
        const firn_component_desc desc = {.name = "Owns", .kind = FIRN_RELATION};
        firn_component owns = firn_component_register(world, &desc, &err);
        firn_entity owner = firn_spawn(world, NULL, 0, &err);
        assert_ok(firn_relate(world, owner, owns, owner, NULL, &err), &err);
        firn_buffer image = {0};
        firn_result result = firn_snapshot_save(world, NULL, &image, &err);
        assert_int_equal(result, i == 2 ? FIRN_OK : FIRN_LIMIT);
        if (result == FIRN_OK)
            assert_ok(firn_snapshot_load(world, image.data, image.size, NULL, NULL, &err), &err);
        firn_buffer_free(&image);
        firn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T5_relationships_of_every_kind_come_back_with_their_order),
        cmocka_unit_test(T5_a_sparse_relation_of_many_targets_needs_an_option),
        cmocka_unit_test(T5_the_end_of_a_target_follows_the_policy_after_a_load),
        cmocka_unit_test(T16_a_relationship_to_what_was_left_out_is_dropped_and_counted),
        cmocka_unit_test(N5_T16_a_filter_selects_the_sources_of_a_target),
        cmocka_unit_test(T21_damaged_relationships_are_refused_or_whole),
        cmocka_unit_test(T5_a_save_and_a_load_without_memory_change_nothing),
        cmocka_unit_test(T21_a_bool_of_an_edge_that_is_none_is_not_saved),
        cmocka_unit_test(T5_rows_of_many_targets_have_at_most_51_other_components),
        cmocka_unit_test(T5_a_merge_without_memory_changes_nothing),
        cmocka_unit_test(T22_a_target_of_the_last_generations_comes_back),
        cmocka_unit_test(T5_limits_hold_for_targets_when_they_are_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
