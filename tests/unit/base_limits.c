#include "support/support.h"

#include "base/error.h"

#include <string.h>

static bool same_limits(const firn_limits *a, const firn_limits *b)
{
    return a->file_bytes == b->file_bytes && a->tree_values == b->tree_values &&
           a->string_bytes == b->string_bytes && a->depth == b->depth &&
           a->name_bytes == b->name_bytes && a->entities == b->entities &&
           a->components == b->components && a->table_entries == b->table_entries &&
           a->archetypes == b->archetypes && a->columns == b->columns &&
           a->data_keys == b->data_keys && a->handlers == b->handlers && a->streams == b->streams &&
           a->window_log == b->window_log && a->expand_ratio == b->expand_ratio &&
           a->expanded_bytes == b->expanded_bytes;
}

static const firn_limits defaults = {
    .file_bytes = 268435456,
    .tree_values = 16777216,
    .string_bytes = 16777216,
    .depth = 100,
    .name_bytes = 255,
    .entities = 4194303,
    .components = 4096,
    .table_entries = 262144,
    .archetypes = 262144,
    .columns = 512,
    .data_keys = 4096,
    .handlers = 1024,
    .streams = 65536,
    .window_log = 23,
    .expand_ratio = 1000,
    .expanded_bytes = 1073741824,
};

static void the_defaults_are_those_of_the_header(void **state)
{
    (void)state;
    firn_limits limits;
    memset(&limits, 0xa5, sizeof limits);
    firn_limits_default(&limits);
    assert_true(same_limits(&limits, &defaults));
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(limits.reserved[i], 0);
    }
}

static void limits_for_strangers_are_lower_and_pass_the_check(void **state)
{
    (void)state;
    static const firn_limits expected = {
        .file_bytes = 67108864,
        .tree_values = 1048576,
        .string_bytes = 1048576,
        .depth = 32,
        .name_bytes = 255,
        .entities = 1048576,
        .components = 1024,
        .table_entries = 65536,
        .archetypes = 65536,
        .columns = 128,
        .data_keys = 1024,
        .handlers = 1024,
        .streams = 4096,
        .window_log = 21,
        .expand_ratio = 250,
        .expanded_bytes = 268435456,
    };
    firn_limits limits;
    memset(&limits, 0xa5, sizeof limits);
    firn_limits_untrusted(&limits);
    assert_true(same_limits(&limits, &expected));
    firn_limits resolved;
    firn_error err;
    assert_ok(fr_limits_resolve(&limits, &resolved, &err), &err);
    assert_true(same_limits(&resolved, &expected));
}

static void no_place_to_write_limits_to_is_no_crash(void **state)
{
    (void)state;
    firn_limits_default(NULL);
    firn_limits_untrusted(NULL);
}

static void null_and_zero_limits_are_the_defaults(void **state)
{
    (void)state;
    firn_limits resolved;
    assert_ok(fr_limits_resolve(NULL, &resolved, NULL), NULL);
    assert_true(same_limits(&resolved, &defaults));
    assert_ok(fr_limits_resolve(&(firn_limits){0}, &resolved, NULL), NULL);
    assert_true(same_limits(&resolved, &defaults));
}

static void a_limit_that_is_set_is_kept_and_the_others_are_defaults(void **state)
{
    (void)state;
    firn_limits expected = defaults;
    expected.depth = 5;
    expected.file_bytes = UINT64_MAX;
    firn_limits limits = {.depth = 5, .file_bytes = UINT64_MAX};
    assert_ok(fr_limits_resolve(&limits, &limits, NULL), NULL);
    assert_true(same_limits(&limits, &expected));
}

static void a_limit_above_the_most_allowed_is_named(void **state)
{
    (void)state;
    static const struct {
        firn_limits limits;
        const char *name;
        const char *value;
    } cases[] = {
        {{.depth = 101}, "depth", "101"},
        {{.name_bytes = 256}, "name_bytes", "256"},
        {{.entities = 4194304}, "entities", "4194304"},
        {{.components = 1048576}, "components", "1048576"},
        {{.archetypes = 262145}, "archetypes", "262145"},
        {{.window_log = 31}, "window_log", "31"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        firn_limits out = {.depth = 77};
        firn_error err;
        assert_int_equal(fr_limits_resolve(&cases[i].limits, &out, &err), FIRN_INVALID);
        assert_error(&err, FIRN_INVALID, cases[i].name);
        assert_non_null(strstr(err.message, cases[i].value));
        assert_int_equal(out.depth, 77);
    }
}

static void the_first_wrong_limit_is_the_one_reported(void **state)
{
    (void)state;
    firn_limits out;
    firn_error err;
    firn_limits limits = {.depth = 101, .archetypes = UINT32_MAX};
    assert_int_equal(fr_limits_resolve(&limits, &out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "depth");
}

static void a_reserved_word_of_the_limits_must_be_zero(void **state)
{
    (void)state;
    firn_limits out;
    firn_error err;
    firn_limits limits = {.reserved = {0, 0, 0, 1}};
    assert_int_equal(fr_limits_resolve(&limits, &out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "firn_limits");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_defaults_are_those_of_the_header),
        cmocka_unit_test(limits_for_strangers_are_lower_and_pass_the_check),
        cmocka_unit_test(no_place_to_write_limits_to_is_no_crash),
        cmocka_unit_test(null_and_zero_limits_are_the_defaults),
        cmocka_unit_test(a_limit_that_is_set_is_kept_and_the_others_are_defaults),
        cmocka_unit_test(a_limit_above_the_most_allowed_is_named),
        cmocka_unit_test(the_first_wrong_limit_is_the_one_reported),
        cmocka_unit_test(a_reserved_word_of_the_limits_must_be_zero),
    };
    return cmocka_run_group_tests_name("base/limits", tests, NULL, NULL);
}
