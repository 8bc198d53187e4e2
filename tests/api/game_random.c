// Random numbers, alone and as streams of a world. The golden numbers are those of docs/format.md.
#include "api/game_world.h"

#include <string.h>

static firn_random *stream_of(firn_world *world, const char *name)
{
    firn_error err;
    firn_random *stream = firn_random_stream(world, name, &err);
    assert_ok(stream != NULL ? FIRN_OK : err.code, &err);
    return stream;
}

static void assert_words(const firn_random *random, const int32_t words[4])
{
    for (int i = 0; i < 4; i++)
        assert_int_equal(random->words[i], (uint32_t)words[i]);
}

static void T19_a_seed_gives_the_golden_numbers(void **state)
{
    (void)state;
    static const double golden[] = {0.25454781646840274, 0.047265402274206281, 0.87110176053829491,
                                    0.88562377681955695};
    static const int64_t integers[] = {26, 5, 88, 89, 98, 19, 32, 95, 87, 90, 75, 51};
    firn_random random;
    firn_random_start(&random, 12345);
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++)
        assert_true(firn_random_next(&random) == golden[i]);
    firn_random_start(&random, 12345);
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        assert_int_equal(firn_random_integer(&random, 1, 100), integers[i]);
    firn_random_start(&random, 1);
    assert_words(&random, (const int32_t[]){1580013426, 350525680, -770792963, -1283263687});
}

static void T19_a_stream_begins_from_its_name_and_the_seed_of_the_world(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    assert_int_equal(firn_random_seed_of(world), 0x5eed1234);
    assert_ok(firn_random_seed(world, 42, &err), &err);
    assert_int_equal(firn_random_seed_of(world), 42);
    assert_words(stream_of(world, "game.loot"),
                 (const int32_t[]){1782179806, -635290933, 1046902905, -1667463104});
    firn_world_destroy(world);
}

static void range_is_a_draw_between_two_bounds(void **state)
{
    (void)state;
    firn_random a, b;
    firn_random_start(&a, 7);
    firn_random_start(&b, 7);
    for (int i = 0; i < 100; i++) {
        double drawn = firn_random_next(&a);
        double between = firn_random_range(&b, -3, 5);
        assert_true(drawn >= 0 && drawn < 1);
        assert_true(between == -3 + drawn * 8);
    }
}

static void integers_stay_in_any_range(void **state)
{
    (void)state;
    firn_random random;
    firn_random_start(&random, 99);
    bool low = false, high = false;
    for (int i = 0; i < 1000; i++) {
        int64_t small = firn_random_integer(&random, -1, 1);
        assert_true(small >= -1 && small <= 1);
        low = low || small == -1;
        high = high || small == 1;
        int64_t top = firn_random_integer(&random, INT64_MAX - 1, INT64_MAX);
        assert_true(top >= INT64_MAX - 1);
        assert_int_equal(firn_random_integer(&random, 5, 5), 5);
        assert_int_equal(firn_random_integer(&random, 5, 4), 5);
    }
    assert_true(low && high);
}

static void the_integer_of_the_highest_draw_is_the_upper_bound(void **state)
{
    (void)state;
    // rotl(words[1] * 5, 7) * 9 is 2^32 - 1: with the inverses of 9 and 5 modulo 2^32.
    uint32_t rotated = UINT32_C(954437177) * UINT32_MAX;
    uint32_t product = rotated >> 7 | rotated << 25;
    const firn_random random = {.words = {1, product * UINT32_C(3435973837), 0, 0}};
    firn_random again = random;
    assert_true(firn_random_next(&again) == 4294967295.0 / 4294967296.0);
    again = random;
    assert_int_equal(firn_random_integer(&again, 1, 6), 6);
    again = random;
    assert_true(firn_random_integer(&again, INT64_MIN, INT64_MAX) > INT64_MAX - (INT64_C(1) << 33));
}

static void a_missing_generator_gives_the_lowest(void **state)
{
    (void)state;
    firn_random_start(NULL, 1);
    assert_true(firn_random_next(NULL) == 0);
    assert_int_equal(firn_random_integer(NULL, 3, 9), 3);
    assert_true(firn_random_range(NULL, 2, 4) == 2);
}

static void T19_a_stream_keeps_its_address_and_its_place(void **state)
{
    (void)state;
    firn_world *world = zoo_empty(NULL);
    firn_random *loot = stream_of(world, "loot");
    double first = firn_random_next(loot);
    for (char name[] = "a"; name[0] <= 'z'; name[0]++)
        stream_of(world, name);
    assert_ptr_equal(stream_of(world, "loot"), loot);
    assert_true(firn_random_next(loot) != first);
    firn_world_destroy(world);
}

static void seeding_starts_every_stream_again(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_random *loot = stream_of(world, "loot");
    double first = firn_random_next(loot);
    assert_ok(firn_random_seed(world, 0x5eed1234, &err), &err);
    assert_true(firn_random_next(loot) == first);
    assert_ok(firn_random_seed(world, 1, &err), &err);
    assert_true(firn_random_next(loot) != first);
    firn_world_destroy(world);
}

static void T19_a_world_that_never_drew_saves_nothing(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    assert_entry(world, "tecs.random", NULL);
    assert_ok(firn_random_seed(world, -5, &err), &err);
    assert_entry(world, "tecs.random", "{seed = -5, streams = {}}");
    stream_of(world, "b");
    stream_of(world, "a");
    assert_ok(firn_random_seed(world, 42, &err), &err);
    stream_of(world, "game.loot");
    firn_buffer image = zoo_save(world);
    game_restore(world, &image);
    assert_saves_as(world, &image);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void T19_a_loaded_game_rolls_on_from_where_the_save_stood(void **state)
{
    (void)state;
    firn_world *world = zoo_empty(NULL);
    firn_random *loot = stream_of(world, "loot");
    firn_random_next(loot);
    firn_buffer image = zoo_save(world);
    double wanted[3];
    for (int i = 0; i < 3; i++)
        wanted[i] = firn_random_next(loot);
    game_restore(world, &image);
    assert_ptr_equal(stream_of(world, "loot"), loot);
    firn_world *other = zoo_empty(NULL);
    game_restore(other, &image);
    for (int i = 0; i < 3; i++) {
        assert_true(firn_random_next(loot) == wanted[i]);
        assert_true(firn_random_next(stream_of(other, "loot")) == wanted[i]);
    }
    firn_buffer_free(&image);
    firn_world_destroy(other);
    firn_world_destroy(world);
}

static void T19_a_stream_that_the_save_does_not_name_starts_again_from_the_saved_seed(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    assert_ok(firn_random_seed(world, 42, &err), &err);
    firn_buffer image = zoo_save(world);
    assert_ok(firn_random_seed(world, 7, &err), &err);
    firn_random *loot = stream_of(world, "game.loot");
    firn_random_next(loot);
    game_restore(world, &image);
    assert_ptr_equal(stream_of(world, "game.loot"), loot);
    assert_words(loot, (const int32_t[]){1782179806, -635290933, 1046902905, -1667463104});
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void T19_a_stream_that_began_after_a_save_waits_to_begin_again(void **state)
{
    (void)state;
    firn_error err;
    const char *without = "{seed = 1, streams = {a = {1, 2, 3, 4}}}";
    firn_world *world = zoo_empty(NULL);
    firn_random *loot = stream_of(world, "loot");
    for (int i = 0; i < 2; i++) {
        assert_ok(game_load(world, "tecs.random", without, &err), &err);
        assert_entry(world, "tecs.random", without);
        if (i == 0)
            firn_random_next(loot);
        else
            assert_ptr_equal(stream_of(world, "loot"), loot);
        firn_buffer image = zoo_save(world);
        firn_world *other = zoo_empty(NULL);
        game_restore(other, &image);
        assert_memory_equal(stream_of(other, "loot"), loot, sizeof *loot);
        assert_saves_as(other, &image);
        firn_buffer_free(&image);
        firn_world_destroy(other);
    }
    firn_world_destroy(world);
}

static void T19_a_saved_stream_waits_until_it_is_opened(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    const char *tree = "{seed = 1, streams = {a = {1, 2, 3, 4}, b = {-1, -2, -3, -4}}}";
    assert_ok(game_load(world, "tecs.random", tree, &err), &err);
    assert_entry(world, "tecs.random", tree);
    assert_words(stream_of(world, "b"), (const int32_t[]){-1, -2, -3, -4});
    assert_entry(world, "tecs.random", tree);
    // Another save replaces those that nobody opened.
    tree = "{seed = 2, streams = {b = {5, 6, 7, 8}, c = {1, 1, 1, 1}}}";
    assert_ok(game_load(world, "tecs.random", tree, &err), &err);
    assert_entry(world, "tecs.random", tree);
    firn_world_destroy(world);
}

static void
T19_a_save_of_another_library_without_random_state_leaves_the_generator_as_it_is(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_random *loot = stream_of(world, "loot");
    firn_random_next(loot);
    firn_random before = *loot;
    assert_ok(game_load(world, NULL, NULL, &err), &err);
    assert_memory_equal(loot, &before, sizeof before);
    firn_world_destroy(world);
}

static void T19_a_save_from_before_the_first_draw_starts_all_streams_again(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_buffer image = zoo_save(world);
    firn_random *loot = stream_of(world, "loot");
    firn_random first = *loot;
    firn_random_next(loot);
    game_restore(world, &image);
    assert_ptr_equal(stream_of(world, "loot"), loot);
    assert_memory_equal(loot, &first, sizeof first);
    assert_ok(firn_random_seed(world, 42, &err), &err);
    game_restore(world, &image);
    assert_int_equal(firn_random_seed_of(world), 0x5eed1234);
    assert_memory_equal(loot, &first, sizeof first);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void T19_a_world_that_went_back_to_before_its_first_draw_is_as_it_was_then(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_buffer image = zoo_save(world);
    // A stream that the game holds, and one that waits to be opened.
    firn_random *loot = stream_of(world, "loot");
    assert_ok(game_load(world, "tecs.random", "{seed = 1, streams = {a = {1, 2, 3, 4}}}", &err),
              &err);
    game_restore(world, &image);
    assert_saves_as(world, &image);
    firn_random_next(loot);
    firn_buffer drawn = zoo_save(world);
    firn_world *other = zoo_empty(NULL);
    firn_random_next(stream_of(other, "loot"));
    assert_saves_as(other, &drawn);
    firn_buffer_free(&drawn);
    firn_buffer_free(&image);
    firn_world_destroy(other);
    firn_world_destroy(world);
}

static void T19_words_are_read_signed_or_not(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    assert_ok(game_load(world, "tecs.random",
                        "{seed = 4294967295, streams = {a = {4294967295, 2147483648, 0, 1}}}",
                        &err),
              &err);
    assert_entry(world, "tecs.random", "{seed = -1, streams = {a = {-1, -2147483648, 0, 1}}}");
    firn_world_destroy(world);
}

static void a_state_of_zeros_is_mended(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    assert_ok(game_load(world, "tecs.random", "{seed = 0, streams = {a = {0, 0, 0, 0}}}", &err),
              &err);
    assert_int_equal(stream_of(world, "a")->words[0], 0x9e3779b9);
    firn_world_destroy(world);
}

static void seeding_forgets_streams_that_only_a_save_named(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    const char *tree = "{seed = 1, streams = {a = {1, 2, 3, 4}, b = {5, 6, 7, 8}}}";
    assert_ok(game_load(world, "tecs.random", tree, &err), &err);
    assert_non_null(firn_random_stream(world, "b", &err));
    assert_ok(firn_random_seed(world, 42, &err), &err);
    firn_random expected = *firn_random_stream(world, "b", &err);
    firn_world *other = zoo_empty(NULL);
    assert_ok(firn_random_seed(other, 42, &err), &err);
    assert_non_null(firn_random_stream(other, "b", &err));
    assert_memory_equal(firn_random_stream(other, "b", &err), &expected, sizeof expected);
    firn_buffer image = zoo_save(other);
    assert_saves_as(world, &image);
    firn_buffer_free(&image);
    firn_world_destroy(other);
    firn_world_destroy(world);
}

static void a_stream_without_memory_is_not_opened(void **state)
{
    (void)state;
    firn_error err;
    test_allocator memory;
    test_allocator_init(&memory);
    firn_world *world = firn_world_create(&(firn_world_desc){.allocator = &memory.allocator}, &err);
    assert_non_null(world);
    for (int i = 0; i < 20; i++) {
        const char name[] = {(char)('a' + i), 0};
        uint64_t call = 1;
        test_allocator_fail_at(&memory, call, false);
        while (firn_random_stream(world, name, &err) == NULL) {
            assert_error(&err, FIRN_NO_MEMORY, "a random stream");
            test_allocator_fail_at(&memory, ++call, false);
        }
        test_allocator_fail_at(&memory, 0, false);
        assert_in_range(call, 2, 3);
    }
    firn_world_destroy(world);
    assert_no_leak(&memory);
}

static void T19_bad_random_state_is_refused_before_anything_changes(void **state)
{
    (void)state;
    firn_world *world = zoo_empty(NULL);
    firn_random_next(stream_of(world, "a"));
    static const struct {
        const char *tree, *part;
    } bad[] = {
        {"5", "is not a table"},
        {"{streams = {}}", "seed is not"},
        {"{seed = 1.5, streams = {}}", "seed is not"},
        {"{seed = \"1\", streams = {}}", "seed is not"},
        {"{seed = 4294967296, streams = {}}", "seed is not"},
        {"{seed = -2147483649, streams = {}}", "seed is not"},
        {"{seed = 1}", "streams is not"},
        {"{seed = 1, streams = 2}", "streams is not"},
        {"{seed = 1, streams = {{1, 2, 3, 4}}}", "streams is not"},
        {"{seed = 1, streams = {[0.5] = {1, 2, 3, 4}}}", "not a string"},
        {"{seed = 1, streams = {a = {1, 2, 3}}}", "stream a is not 4 words"},
        {"{seed = 1, streams = {a = {1, 2, 3, 4, 5}}}", "stream a is not 4 words"},
        {"{seed = 1, streams = {a = {1, 2, 3, 4, x = 5}}}", "stream a is not 4 words"},
        {"{seed = 1, streams = {a = {1, 2, 3, \"4\"}}}", "stream a is not 4 words"},
        {"{seed = 1, streams = {a = {1, 2, 3, 0.5}}}", "stream a is not 4 words"},
        {"{seed = 1, streams = {a = {1, 2, 3, 4294967296}}}", "stream a is not 4 words"},
        {"{seed = 1, streams = {a = {1, 2, 3, 4}, b = 7}}", "stream b is not 4 words"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(world, "tecs.random", bad[i].tree, FIRN_CORRUPT, bad[i].part);
    firn_world_destroy(world);
}

static void no_more_streams_than_the_limit(void **state)
{
    (void)state;
    firn_error err;
    firn_limits limits = {.streams = 2};
    firn_world *world = firn_world_create(&(firn_world_desc){.limits = &limits}, &err);
    stream_of(world, "a");
    const char *tree = "{seed = 1, streams = {b = {1, 2, 3, 4}, c = {1, 2, 3, 4}}}";
    // What is open stays, so these would be three.
    assert_refused(world, "tecs.random", tree, FIRN_LIMIT, "3 streams");
    stream_of(world, "b");
    assert_null(firn_random_stream(world, "c", &err));
    assert_error(&err, FIRN_LIMIT, "c");
    firn_world_destroy(world);
}

static void streams_have_names(void **state)
{
    (void)state;
    firn_error err;
    char tree[512] = "{seed = 1, streams = {";
    memset(tree + strlen(tree), 'n', 256);
    strcat(tree, " = {1, 2, 3, 4}}}");
    firn_world *world = zoo_empty(NULL);
    assert_refused(world, "tecs.random", tree, FIRN_LIMIT, "256 bytes");
    assert_null(firn_random_stream(world, "", &err));
    assert_error(&err, FIRN_INVALID, "");
    assert_null(firn_random_stream(NULL, "a", &err));
    assert_error(&err, FIRN_INVALID, "world");
    assert_int_equal(firn_random_seed(NULL, 1, &err), FIRN_INVALID);
    assert_int_equal(firn_random_seed_of(NULL), 0);
    firn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T19_a_seed_gives_the_golden_numbers),
        cmocka_unit_test(T19_a_stream_begins_from_its_name_and_the_seed_of_the_world),
        cmocka_unit_test(range_is_a_draw_between_two_bounds),
        cmocka_unit_test(integers_stay_in_any_range),
        cmocka_unit_test(the_integer_of_the_highest_draw_is_the_upper_bound),
        cmocka_unit_test(a_missing_generator_gives_the_lowest),
        cmocka_unit_test(T19_a_stream_keeps_its_address_and_its_place),
        cmocka_unit_test(seeding_starts_every_stream_again),
        cmocka_unit_test(T19_a_world_that_never_drew_saves_nothing),
        cmocka_unit_test(T19_a_loaded_game_rolls_on_from_where_the_save_stood),
        cmocka_unit_test(T19_a_stream_that_the_save_does_not_name_starts_again_from_the_saved_seed),
        cmocka_unit_test(T19_a_stream_that_began_after_a_save_waits_to_begin_again),
        cmocka_unit_test(T19_a_saved_stream_waits_until_it_is_opened),
        cmocka_unit_test(
            T19_a_save_of_another_library_without_random_state_leaves_the_generator_as_it_is),
        cmocka_unit_test(T19_a_save_from_before_the_first_draw_starts_all_streams_again),
        cmocka_unit_test(T19_a_world_that_went_back_to_before_its_first_draw_is_as_it_was_then),
        cmocka_unit_test(T19_words_are_read_signed_or_not),
        cmocka_unit_test(a_state_of_zeros_is_mended),
        cmocka_unit_test(seeding_forgets_streams_that_only_a_save_named),
        cmocka_unit_test(a_stream_without_memory_is_not_opened),
        cmocka_unit_test(T19_bad_random_state_is_refused_before_anything_changes),
        cmocka_unit_test(no_more_streams_than_the_limit),
        cmocka_unit_test(streams_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
