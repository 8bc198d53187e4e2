// The 14 faults that were seen in the original and that firn must not have, one test each.
#include "api/snapshot_zoo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/tree.h"

typedef struct edge {
    firn_entity target;
    float weight;
} edge;

static const firn_field edge_fields[] = {FIRN_FIELD(edge, weight, FIRN_F32)};

static firn_component add_kind(firn_world *world, const char *name, firn_component_kind kind)
{
    return zoo_register(world, &(firn_component_desc){.name = name, .kind = kind});
}

static firn_component add_likes(firn_world *world)
{
    return zoo_register(world, &(firn_component_desc){.name = "Likes",
                                                      .kind = FIRN_RELATION,
                                                      .relation = FIRN_REVERSE,
                                                      .size = sizeof(edge),
                                                      .fields = edge_fields,
                                                      .field_count = 1});
}

static firn_result load_text(firn_world *world, const char *text, firn_error *err)
{
    firn_doc *doc = firn_doc_create(NULL, NULL, err);
    firn_result result = firn_snapshot_load_table(world, test_tree(doc, text), NULL, NULL, err);
    firn_doc_destroy(doc);
    return result;
}

static void WIRE6_1_values_and_sources_of_dense_relations_survive_a_load(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL), *fresh = zoo_empty(NULL);
    firn_component likes = add_likes(world);
    firn_entity a = zoo_spawn(world, NULL, 0), b = zoo_spawn(world, NULL, 0), sources[2];
    edge row = {.weight = 2.5f};
    assert_ok(firn_relate(world, a, likes, b, &row, &err), &err);
    firn_buffer image = zoo_save(world);
    likes = add_likes(fresh);
    zoo_load(fresh, &image);
    const edge *loaded = firn_related(fresh, a, likes, b);
    assert_non_null(loaded);
    assert_true(loaded->weight == 2.5f);
    assert_int_equal(firn_sources(fresh, likes, b, sources, 2), 1);
    assert_int_equal(sources[0], a);
    firn_buffer_free(&image);
    firn_world_destroy(fresh);
    firn_world_destroy(world);
}

static void WIRE6_2_a_file_that_ends_early_is_not_read_beyond_and_clears_nothing(void **state)
{
    (void)state;
    firn_error err;
    zoo z = zoo_make(NULL, false), other = zoo_make(NULL, false);
    zoo_fill(&z);
    zoo_litter(&other);
    firn_buffer image = zoo_save(z.world), before = zoo_save(other.world);
    for (size_t size = 0; size < image.size; size += 7) {
        // Bytes of their own, so that a read behind them is noticed.
        uint8_t *part = malloc(size + 1);
        memcpy(part, image.data, size);
        part = realloc(part, size > 0 ? size : 1);
        assert_int_not_equal(firn_snapshot_load(other.world, part, size, NULL, NULL, &err),
                             FIRN_OK);
        assert_true(err.code == FIRN_TRUNCATED || err.code == FIRN_CORRUPT);
        free(part);
    }
    assert_saves_as(other.world, &before);
    firn_buffer_free(&before);
    firn_buffer_free(&image);
    firn_world_destroy(other.world);
    firn_world_destroy(z.world);
}

static void WIRE6_3_a_tag_that_requires_something_is_saved(void **state)
{
    (void)state;
    firn_world *world = zoo_empty(NULL);
    firn_component score = add_kind(world, "Score", FIRN_NUMBER);
    firn_component_desc desc = {
        .name = "Player", .kind = FIRN_TAG, .required = &score, .required_count = 1};
    firn_component player = zoo_register(world, &desc);
    firn_entity entity = zoo_spawn_one(world, player);
    *(double *)firn_get_mut(world, entity, score) = 7;
    firn_buffer image = zoo_save(world);
    *(double *)firn_get_mut(world, entity, score) = 8;
    zoo_load(world, &image);
    assert_true(firn_has(world, entity, player));
    assert_true(*(const double *)firn_get(world, entity, score) == 7);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void WIRE6_4_targets_of_15_and_16_digits_load(void **state)
{
    (void)state;
    firn_error err;
    static const uint64_t generations[] = {238418580, FIRN_GENERATION_MAX};
    for (int i = 0; i < 2; i++) {
        firn_world *world = zoo_empty(NULL);
        firn_component likes = add_likes(world);
        firn_entity target = 1 + (generations[i] << FIRN_SLOT_BITS);
        char text[512], name[64];
        snprintf(name, sizeof name, "%llu", (unsigned long long)target);
        assert_true(strlen(name) >= 15);
        snprintf(text, sizeof text,
                 "{version = 1, componentTable = {{name = \"Likes->%s\"}}, archetypes = {"
                 "{columnIndices = {}, entities = {{\"%s\"}}},"
                 "{columnIndices = {1}, entities = {{2, {target = %s}}}}}}",
                 name, name, name);
        assert_ok(load_text(world, text, &err), &err);
        firn_buffer image = zoo_save(world);
        assert_ok(firn_despawn(world, target, &err), &err);
        zoo_load(world, &image);
        assert_int_equal(firn_target(world, 2, likes), target);
        firn_buffer_free(&image);
        firn_world_destroy(world);
    }
}

static void WIRE6_5_a_component_saved_as_a_table_loads_into_a_struct(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL), *other = zoo_empty(NULL);
    firn_component bag = add_kind(world, "Point", FIRN_VALUE);
    firn_entity entity = zoo_spawn_one(world, bag);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    assert_ok(firn_set_value(world, entity, bag, test_tree(doc, "{x = 3, y = -4}"), &err), &err);
    firn_buffer image = zoo_save(world);
    firn_component_desc desc = zoo_struct("Point", sizeof(zoo_point), zoo_point_fields, 2);
    firn_component point = zoo_register(other, &desc);
    zoo_load(other, &image);
    const zoo_point *row = firn_get(other, entity, point);
    assert_true(row->x == 3 && row->y == -4);
    firn_doc_destroy(doc);
    firn_buffer_free(&image);
    firn_world_destroy(other);
    firn_world_destroy(world);
}

static void WIRE6_6_a_slot_that_is_there_twice_or_out_of_range_is_refused(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_entity entity = zoo_spawn(world, NULL, 0);
    zoo_spawn(world, NULL, 0);
    firn_buffer image = zoo_save(world);
    // The second id, a double: 2 becomes 1, the second generation of slot 1, and slot 3.
    static const double bad[] = {1, 1 + 4194304.0, 3, 0, -1, 1.5};
    size_t at = 0;
    while (memcmp(image.data + at, "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\x40", 16) != 0)
        at++;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t bits;
        memcpy(&bits, &bad[i], 8);
        for (int b = 0; b < 8; b++)
            image.data[at + 8 + (size_t)b] = (uint8_t)(bits >> (8 * b));
        assert_int_equal(firn_snapshot_load(world, image.data, image.size, NULL, NULL, &err),
                         FIRN_CORRUPT);
        assert_error(&err, FIRN_CORRUPT, "ids");
        assert_true(firn_alive(world, entity) && firn_entity_count(world) == 2);
    }
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static firn_result write_true(void *user, firn_world *world, firn_writer *out, firn_error *err)
{
    (void)user, (void)world, (void)err;
    firn_write_bool(out, true);
    return FIRN_OK;
}

static void WIRE6_7_a_state_or_key_that_is_wrong_is_found_before_the_world_is_gone(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL), *other = zoo_empty(NULL);
    const firn_state_desc fishing = {.name = "fishing"};
    assert_ok(firn_state_push(world, firn_state_create(world, &fishing, &err), &err), &err);
    firn_buffer image = zoo_save(world);
    firn_entity entity = zoo_spawn(other, NULL, 0);
    assert_int_equal(firn_snapshot_load(other, image.data, image.size, NULL, NULL, &err),
                     FIRN_UNKNOWN);
    assert_error(&err, FIRN_UNKNOWN, "fishing");
    assert_true(firn_alive(other, entity));
    const firn_handler handler = {.abi = FIRN_ABI, .name = "season", .save = write_true};
    assert_ok(firn_handler_add(other, &handler, &err), &err);
    assert_int_equal(firn_handler_add(other, &handler, &err), FIRN_EXISTS);
    const firn_data data = {.key = "season", .encoded = "\x02", .encoded_size = 1};
    const firn_save_options options = {.data = &data, .data_count = 1};
    assert_int_equal(firn_snapshot_save(other, &options, &image, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "season");
    assert_true(firn_alive(other, entity));
    firn_buffer_free(&image);
    firn_world_destroy(other);
    firn_world_destroy(world);
}

static void WIRE6_8_the_id_of_a_dead_entity_stays_dead(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL), *fresh = zoo_empty(NULL);
    firn_entity dead = zoo_spawn(world, NULL, 0);
    zoo_spawn(world, NULL, 0);
    assert_ok(firn_despawn(world, dead, &err), &err);
    firn_buffer image = zoo_save(world);
    zoo_load(fresh, &image);
    firn_entity next = zoo_spawn(fresh, NULL, 0);
    assert_false(firn_alive(fresh, dead));
    assert_int_not_equal(next, dead);
    assert_int_equal(next, zoo_spawn(world, NULL, 0));
    firn_buffer_free(&image);
    firn_world_destroy(fresh);
    firn_world_destroy(world);
}

static void WIRE6_9_an_exclude_keeps_disabled_entities(void **state)
{
    (void)state;
    firn_world *world = zoo_empty(NULL);
    firn_component hidden = add_kind(world, "Hidden", FIRN_TAG);
    firn_entity disabled = zoo_spawn_one(world, firn_component_find(world, "Disabled"));
    firn_entity out = zoo_spawn_one(world, hidden);
    const firn_save_options options = {.exclude = &hidden, .exclude_count = 1};
    firn_buffer image = zoo_save_with(world, &options);
    zoo_load(world, &image);
    assert_true(firn_alive(world, disabled));
    assert_false(firn_alive(world, out));
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void WIRE6_10_layer_34_is_no_layer(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_buffer image = {0};
    const double layers[] = {34};
    const firn_save_options options = {.layers = layers, .layer_count = 1};
    assert_int_equal(firn_snapshot_save(world, &options, &image, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "layer");
    assert_non_null(strstr(err.message, "34"));
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void WIRE6_11_data_of_the_game_overrides_no_reserved_key(void **state)
{
    (void)state;
    static const char *const keys[] = {"__tecs.stateStack", "__firn.world", "tecs.random"};
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_buffer image = {0};
    for (int i = 0; i < 3; i++) {
        const firn_data data = {.key = keys[i], .encoded = "\x02", .encoded_size = 1};
        const firn_save_options options = {.data = &data, .data_count = 1};
        assert_int_equal(firn_snapshot_save(world, &options, &image, &err), FIRN_INVALID);
        assert_error(&err, FIRN_INVALID, keys[i]);
    }
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void WIRE6_12_a_tag_costs_a_byte_a_row(void **state)
{
    (void)state;
    firn_world *plain = zoo_empty(NULL), *tagged = zoo_empty(NULL);
    firn_component tag = add_kind(tagged, "Tag", FIRN_TAG);
    for (int i = 0; i < 1000; i++) {
        zoo_spawn(plain, NULL, 0);
        zoo_spawn_one(tagged, tag);
    }
    firn_buffer without = zoo_save(plain), with = zoo_save(tagged);
    // Beside a byte a row: its name, its fingerprint, its place in the frame.
    assert_true(with.size - without.size <= 1000 + 32);
    firn_buffer_free(&with);
    firn_buffer_free(&without);
    firn_world_destroy(tagged);
    firn_world_destroy(plain);
}

typedef struct odd {
    int32_t storage, component, componentId;
} odd;

static void WIRE6_13_fields_named_storage_and_component_survive(void **state)
{
    (void)state;
    static const firn_field fields[] = {FIRN_FIELD(odd, storage, FIRN_I32),
                                        FIRN_FIELD(odd, component, FIRN_I32),
                                        FIRN_FIELD(odd, componentId, FIRN_I32)};
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_component_desc desc = zoo_struct("Odd", sizeof(odd), fields, 3);
    firn_component plain = zoo_register(world, &desc), bag = add_kind(world, "Bag", FIRN_VALUE);
    firn_entity entity = zoo_spawn(world, (firn_component[]){plain, bag}, 2);
    *(odd *)firn_get_mut(world, entity, plain) = (odd){1, 2, 3};
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    const char *tree = "{component = 5, componentId = 6, storage = 4}";
    assert_ok(firn_set_value(world, entity, bag, test_tree(doc, tree), &err), &err);
    firn_buffer image = zoo_save(world);
    firn_value *table = NULL;
    assert_ok(firn_snapshot_save_table(world, NULL, doc, &table, &err), &err);
    for (int i = 0; i < 2; i++) {
        assert_ok(firn_despawn(world, entity, &err), &err);
        if (i == 0)
            zoo_load(world, &image);
        else
            assert_ok(firn_snapshot_load_table(world, table, NULL, NULL, &err), &err);
        const odd *row = firn_get(world, entity, plain);
        assert_true(row->storage == 1 && row->component == 2 && row->componentId == 3);
        assert_tree(firn_get_value(world, entity, bag, doc, &err), tree);
    }
    firn_doc_destroy(doc);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static firn_result refuse_to_save(void *user, firn_world *world, firn_writer *out, firn_error *err)
{
    (void)user, (void)world, (void)out, (void)err;
    return FIRN_REFUSED;
}

static void WIRE6_14_a_failed_save_leaves_no_half_buffer(void **state)
{
    (void)state;
    firn_error err;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_buffer image = zoo_save(z.world);
    assert_true(image.size > 0);
    const firn_handler handler = {.abi = FIRN_ABI, .name = "last", .save = refuse_to_save};
    assert_ok(firn_handler_add(z.world, &handler, &err), &err);
    assert_int_equal(firn_snapshot_save(z.world, NULL, &image, &err), FIRN_REFUSED);
    assert_int_equal(image.size, 0);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(WIRE6_1_values_and_sources_of_dense_relations_survive_a_load),
        cmocka_unit_test(WIRE6_2_a_file_that_ends_early_is_not_read_beyond_and_clears_nothing),
        cmocka_unit_test(WIRE6_3_a_tag_that_requires_something_is_saved),
        cmocka_unit_test(WIRE6_4_targets_of_15_and_16_digits_load),
        cmocka_unit_test(WIRE6_5_a_component_saved_as_a_table_loads_into_a_struct),
        cmocka_unit_test(WIRE6_6_a_slot_that_is_there_twice_or_out_of_range_is_refused),
        cmocka_unit_test(WIRE6_7_a_state_or_key_that_is_wrong_is_found_before_the_world_is_gone),
        cmocka_unit_test(WIRE6_8_the_id_of_a_dead_entity_stays_dead),
        cmocka_unit_test(WIRE6_9_an_exclude_keeps_disabled_entities),
        cmocka_unit_test(WIRE6_10_layer_34_is_no_layer),
        cmocka_unit_test(WIRE6_11_data_of_the_game_overrides_no_reserved_key),
        cmocka_unit_test(WIRE6_12_a_tag_costs_a_byte_a_row),
        cmocka_unit_test(WIRE6_13_fields_named_storage_and_component_survive),
        cmocka_unit_test(WIRE6_14_a_failed_save_leaves_no_half_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
