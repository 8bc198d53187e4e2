// What the files of tecs/ hold beside entities: data, states, phases, keys, random streams.
#include "support/support.h"

#include <string.h>

#include "golden/tecs_loaded.h"

// Compares the entries of a file's data with those that are expected, one by one.
typedef struct listening {
    const golden_loaded *golden;
    size_t heard;
} listening;

static firn_result hear_data(void *user, firn_world *world, const char *key, const void *encoded,
                             size_t size, firn_error *err)
{
    (void)world;
    listening *heard = user;
    const json_t *expect =
        json_array_get(json_object_get(heard->golden->expect, "data"), heard->heard++);
    const char *expected_key = json_string_value(json_object_get(expect, "key"));
    if (expected_key == NULL || strcmp(key, expected_key) != 0) {
        fail_msg("entry %zu is %s, not %s", heard->heard, key, expected_key);
    }
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    const firn_value *value = firn_value_decode(doc, encoded, size, err);
    char difference[GOLDEN_ROOM] = "";
    if (!golden_is_value(json_object_get(expect, "value"), value, key, difference)) {
        fail_msg("%s: %s", heard->golden->file->path, difference);
    }
    firn_doc_destroy(doc);
    return FIRN_OK;
}

static void T8_the_data_of_a_tecs_file_is_delivered_in_its_order(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < golden_file_count; i++) {
        golden_loaded golden = golden_load(&golden_files[i]);
        listening heard = {&golden, 0};
        firn_load_options options = {.on_data = hear_data, .user = &heard};
        firn_error err = {0};
        assert_ok(firn_snapshot_load(golden.world, golden.image, golden.size, &options, NULL, &err),
                  &err);
        assert_int_equal(heard.heard, json_array_size(json_object_get(golden.expect, "data")));
        golden_unload(&golden);
    }
}

static void T6_the_state_stack_of_a_tecs_file_comes_back(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < golden_file_count; i++) {
        golden_loaded golden = golden_load(&golden_files[i]);
        const json_t *stack = json_object_get(golden.expect, "stateStack");
        assert_int_equal(firn_state_depth(golden.world), json_array_size(stack));
        for (uint32_t j = 0; j < firn_state_depth(golden.world); j++) {
            firn_state at = firn_state_at(golden.world, j);
            assert_string_equal(firn_state_name(golden.world, at),
                                json_string_value(json_array_get(stack, j)));
        }
        golden_unload(&golden);
    }
}

static void T7_the_accumulator_and_phases_of_a_tecs_file_come_back(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < golden_file_count; i++) {
        golden_loaded golden = golden_load(&golden_files[i]);
        const json_t *phases = json_object_get(golden.expect, "phaseStates");
        double time = json_number_value(json_object_get(golden.expect, "fixedAccumulator"));
        assert_true(firn_world_accumulator(golden.world) == time);
        size_t position = 0;
        for (uint32_t j = 0; j < firn_phase_count(golden.world); j++) {
            firn_phase phase = firn_phase_at(golden.world, j);
            // Where there are 21, this one was not invented yet.
            bool newer = strcmp(firn_phase_name(golden.world, phase), "Ingress") == 0;
            if (newer && json_array_size(phases) == 21) {
                assert_true(firn_phase_enabled(golden.world, phase));
            } else {
                const json_t *enabled = json_array_get(phases, position++);
                assert_int_equal(firn_phase_enabled(golden.world, phase), json_is_true(enabled));
            }
        }
        assert_int_equal(position, json_array_size(phases));
        golden_unload(&golden);
    }
}

static void T19_the_random_streams_of_a_tecs_file_go_on_where_they_stood(void **state)
{
    (void)state;
    golden_loaded golden = golden_load(golden_find("16_random_streams"));
    const char *name;
    json_t *draws;
    json_object_foreach(json_object_get(golden.expect, "nextDraws"), name, draws)
    {
        firn_random *stream = firn_random_stream(golden.world, name, NULL);
        assert_int_equal(json_array_size(draws), 5);
        for (size_t i = 0; i < json_array_size(draws); i++) {
            assert_true(firn_random_next(stream) == json_real_value(json_array_get(draws, i)));
        }
    }
    assert_int_equal(firn_random_seed_of(golden.world), 4242);
    golden_unload(&golden);
}

static void T9_the_keys_of_a_tecs_file_find_their_entities(void **state)
{
    (void)state;
    golden_loaded golden = golden_load(golden_find("21_entity_keys"));
    // Keys may hold any bytes, so the entities tell them.
    const json_t *keys = json_object_get(golden.expect, "keyIndex");
    size_t i, found = 0;
    json_t *expect;
    json_array_foreach(json_object_get(golden.expect, "entities"), i, expect)
    {
        firn_entity entity = (firn_entity)json_integer_value(json_object_get(expect, "id"));
        size_t size;
        const char *key = firn_get_string(golden.world, entity, firn_key(golden.world), &size);
        const json_t *text = json_object_get(json_object_get(expect, "components"), "Key");
        assert_int_equal(key != NULL, text != NULL);
        if (key != NULL) {
            assert_true(golden_is_text(text, key, size));
            assert_int_equal(firn_find_key(golden.world, key, size), entity);
            found++;
        }
    }
    assert_int_equal(found, json_array_size(keys));
    assert_int_equal(firn_require_key(golden.world, "player", NULL), 2);
    assert_int_equal(firn_require_key(golden.world, "boss/1", NULL), 3);
    assert_int_equal(firn_require_key(golden.world, "boss/2", NULL), 0);
    golden_unload(&golden);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T8_the_data_of_a_tecs_file_is_delivered_in_its_order),
        cmocka_unit_test(T6_the_state_stack_of_a_tecs_file_comes_back),
        cmocka_unit_test(T7_the_accumulator_and_phases_of_a_tecs_file_come_back),
        cmocka_unit_test(T9_the_keys_of_a_tecs_file_find_their_entities),
        cmocka_unit_test(T19_the_random_streams_of_a_tecs_file_go_on_where_they_stood),
    };
    return cmocka_run_group_tests_name("tecs_game_test", tests, NULL, NULL);
}
