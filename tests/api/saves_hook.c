// Before-save hooks: fields of `custom`, removal, clashes.
#include "api/saves_game.h"

#include <stdio.h>
#include <string.h>

static saves_game game;

static int make_game(void **state)
{
    saves_game_make(&game);
    return saves_game_begin(&game, state);
}

// Sets the field whose name is `user` to the number of calls so far.
static int calls;

static firn_result give_field(void *user, firn_saves *saves, firn_doc *doc, firn_value *fields,
                              firn_error *err)
{
    (void)saves;
    return firn_table_set_text(doc, fields, user, firn_value_number(doc, ++calls, err), err);
}

static firn_save_hook add_hook(const char *const *fields, firn_before_save_fn fn, const char *user)
{
    firn_error err = {.code = FIRN_OK};
    firn_save_hook hook = firn_saves_before_save(game.saves, fields, fn, (void *)user, &err);
    assert_ok(err.code, &err);
    assert_int_not_equal(hook, 0);
    calls = 0;
    return hook;
}

// The keys of custom and their numbers, in order: "a=1 b=2 ".
static void assert_custom(const char *expected)
{
    firn_error err;
    firn_buffer bytes = saves_game_file(&game);
    firn_save_file *file = firn_save_file_open(bytes.data, bytes.size, NULL, &err);
    const void *section;
    size_t size;
    assert_ok(firn_save_file_section(file, FIRN_SECTION_CUSTOM, &section, &size, &err), &err);
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    const firn_value *custom = firn_value_decode(doc, section, size, &err), *value;
    char text[256] = "";
    uint32_t cursor = 0;
    firn_value key;
    while ((value = firn_table_next(custom, &cursor, &key)) != NULL) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s=%g ", key.as.string, value->as.number);
    }
    assert_string_equal(text, expected);
    firn_doc_destroy(doc);
    firn_save_file_close(file);
    firn_buffer_free(&bytes);
}

static void assert_save_fails(firn_result result, const char *subject)
{
    firn_error err;
    firn_buffer out = {0};
    saves_game_state before = saves_game_look(&game);
    assert_int_equal(firn_saves_make(game.saves, NULL, &out, &err), result);
    assert_error(&err, result, subject);
    assert_int_equal(out.size, 0);
    assert_int_equal(firn_saves_write(game.saves, "a", NULL, &err), result);
    assert_unchanged(&game, &before);
    firn_buffer_free(&out);
}

static void S2_hooks_give_fields_for_custom_in_their_order(void **state)
{
    (void)state;
    assert_custom("");
    static const char *const declared[] = {"quest", "score", NULL};
    add_hook(NULL, give_field, "z");
    add_hook(declared, give_field, "quest");
    add_hook(NULL, give_field, "a");
    assert_custom("a=3 quest=2 z=1 ");
}

static void S2_a_hook_that_was_removed_gives_nothing(void **state)
{
    (void)state;
    firn_error err;
    add_hook(NULL, give_field, "a");
    firn_save_hook hook = add_hook(NULL, give_field, "b");
    add_hook(NULL, give_field, "c");
    assert_ok(firn_saves_remove_hook(game.saves, hook, &err), &err);
    assert_custom("a=1 c=2 ");
    assert_int_equal(firn_saves_remove_hook(game.saves, hook, &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "hook");
    assert_int_equal(firn_saves_remove_hook(game.saves, 0, &err), FIRN_NOT_FOUND);
    assert_int_equal(firn_saves_remove_hook(NULL, 1, &err), FIRN_INVALID);
}

static void S2_a_declared_field_is_free_again_when_its_hook_is_removed(void **state)
{
    (void)state;
    firn_error err;
    static const char *const declared[] = {"score", NULL};
    firn_save_hook hook = add_hook(declared, give_field, "score");
    assert_ok(firn_saves_remove_hook(game.saves, hook, &err), &err);
    add_hook(declared, give_field, "score");
    assert_custom("score=1 ");
}

static void S2_a_clash_of_declared_fields_is_refused_at_registration(void **state)
{
    (void)state;
    firn_error err;
    static const char *const one[] = {"quest", "score", NULL}, *const two[] = {"x", "score", NULL};
    add_hook(one, give_field, "score");
    assert_int_equal(firn_saves_before_save(game.saves, two, give_field, NULL, &err), 0);
    assert_error(&err, FIRN_EXISTS, "score");
    assert_custom("score=1 ");
}

static void S2_a_clash_of_undeclared_fields_fails_the_save(void **state)
{
    (void)state;
    add_hook(NULL, give_field, "score");
    add_hook(NULL, give_field, "score");
    assert_save_fails(FIRN_EXISTS, "score");
}

static void S2_a_field_that_another_hook_declared_fails_the_save(void **state)
{
    (void)state;
    static const char *const declared[] = {"score", NULL};
    add_hook(NULL, give_field, "score");
    add_hook(declared, give_field, "score");
    assert_save_fails(FIRN_EXISTS, "score");
}

static void S2_a_field_that_was_not_declared_fails_the_save(void **state)
{
    (void)state;
    static const char *const declared[] = {"quest", NULL}, *const nothing[] = {NULL};
    firn_error err;
    firn_save_hook hook = add_hook(declared, give_field, "score");
    assert_save_fails(FIRN_INVALID, "score");
    assert_ok(firn_saves_remove_hook(game.saves, hook, &err), &err);
    add_hook(nothing, give_field, "score");
    assert_save_fails(FIRN_INVALID, "score");
}

static firn_result give_number_key(void *user, firn_saves *saves, firn_doc *doc, firn_value *fields,
                                   firn_error *err)
{
    (void)user, (void)saves;
    return firn_table_push(doc, fields, firn_value_number(doc, 1, err), err);
}

static firn_result give_zero_in_key(void *user, firn_saves *saves, firn_doc *doc,
                                    firn_value *fields, firn_error *err)
{
    (void)user, (void)saves;
    return firn_table_set(doc, fields, firn_value_string(doc, "a\0b", 3, err),
                          firn_value_number(doc, 1, err), err);
}

static void a_field_whose_name_is_no_text_fails_the_save(void **state)
{
    (void)state;
    firn_error err;
    firn_save_hook hook = add_hook(NULL, give_number_key, NULL);
    assert_save_fails(FIRN_INVALID, "custom");
    assert_ok(firn_saves_remove_hook(game.saves, hook, &err), &err);
    add_hook(NULL, give_zero_in_key, NULL);
    assert_save_fails(FIRN_INVALID, "custom");
}

static firn_result refuse(void *user, firn_saves *saves, firn_doc *doc, firn_value *fields,
                          firn_error *err)
{
    (void)saves, (void)doc, (void)fields;
    if (user != NULL)
        snprintf(err->message, sizeof err->message, "%s", (const char *)user);
    return FIRN_REFUSED;
}

static void what_a_hook_returns_fails_the_save(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer out = {0};
    add_hook(NULL, give_field, "score");
    firn_save_hook hook = add_hook(NULL, refuse, "not in a fight");
    add_hook(NULL, give_field, "never");
    assert_int_equal(firn_saves_make(game.saves, NULL, &out, &err), FIRN_REFUSED);
    assert_error(&err, FIRN_REFUSED, "");
    assert_string_equal(err.message, "not in a fight");
    assert_int_equal(calls, 1);
    assert_ok(firn_saves_remove_hook(game.saves, hook, &err), &err);
    add_hook(NULL, refuse, NULL);
    assert_save_fails(FIRN_REFUSED, "hook");
}

static firn_result remove_itself(void *user, firn_saves *saves, firn_doc *doc, firn_value *fields,
                                 firn_error *err)
{
    (void)user, (void)doc, (void)fields;
    return firn_saves_remove_hook(saves, 1, err);
}

static void a_hook_that_removes_a_hook_is_busy(void **state)
{
    (void)state;
    add_hook(NULL, remove_itself, NULL);
    assert_save_fails(FIRN_BUSY, "hook");
}

static firn_result add_another(void *user, firn_saves *saves, firn_doc *doc, firn_value *fields,
                               firn_error *err)
{
    (void)user, (void)doc, (void)fields;
    for (int i = 0; i < 8 && calls == 0; i++)
        if (firn_saves_before_save(saves, NULL, i == 0 ? give_field : add_another, "late", err) ==
            0)
            return FIRN_INVALID;
    calls++;
    return FIRN_OK;
}

static void a_hook_that_is_added_by_a_hook_waits_for_the_next_save(void **state)
{
    (void)state;
    add_hook(NULL, add_another, NULL);
    assert_custom("");
    assert_custom("late=3 ");
}

static firn_result change_game(void *user, firn_saves *saves, firn_doc *doc, firn_value *fields,
                               firn_error *err)
{
    (void)user, (void)doc, (void)fields;
    const firn_value value = {.kind = FIRN_VALUE_NUMBER, .as.number = 9};
    firn_result result = firn_saves_set_variable(saves, "late", &value, err);
    return result == FIRN_OK ? firn_world_set_tick(firn_saves_world(saves), 123, err) : result;
}

static firn_result tell_in_hook(void *user, firn_saves *saves, firn_doc *doc, firn_value *fields,
                                firn_error *err)
{
    (void)user, (void)doc, (void)fields, (void)err;
    firn_error inside;
    assert_int_equal(firn_saves_tell(saves, &inside), FIRN_BUSY);
    assert_error(&inside, FIRN_BUSY, "a before-save hook");
    return FIRN_OK;
}

static void a_hook_that_tells_is_busy(void **state)
{
    (void)state;
    add_hook(NULL, tell_in_hook, NULL);
    firn_buffer bytes = saves_game_file(&game);
    firn_buffer_free(&bytes);
}

static void what_a_hook_changes_is_saved(void **state)
{
    (void)state;
    firn_error err;
    add_hook(NULL, change_game, NULL);
    firn_buffer bytes = saves_game_file(&game);
    saves_game_set(&game, "late", 1);
    assert_ok(firn_world_set_tick(game.z.world, 5, &err), &err);
    assert_ok(firn_saves_take(game.saves, bytes.data, bytes.size, NULL, &err), &err);
    assert_true(saves_game_get(&game, "late") == 9);
    assert_int_equal(firn_world_tick(game.z.world), 123);
    firn_buffer_free(&bytes);
}

static firn_result end_world(void *user, firn_saves *saves, firn_doc *doc, firn_value *fields,
                             firn_error *err)
{
    (void)user, (void)doc, (void)fields, (void)err;
    firn_world_destroy(firn_saves_world(saves));
    game.z.world = NULL;
    return FIRN_OK;
}

static void a_hook_that_ends_the_world_fails_the_save(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer bytes = {0};
    add_hook(NULL, end_world, NULL);
    assert_int_equal(firn_saves_make(game.saves, NULL, &bytes, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "world");
    assert_int_equal(bytes.size, 0);
}

static void a_hook_without_a_function_or_with_an_empty_field_is_refused(void **state)
{
    (void)state;
    firn_error err;
    static const char *const fields[] = {"a", "", NULL};
    assert_int_equal(firn_saves_before_save(game.saves, NULL, NULL, NULL, &err), 0);
    assert_error(&err, FIRN_INVALID, "fn");
    assert_int_equal(firn_saves_before_save(game.saves, fields, give_field, NULL, &err), 0);
    assert_error(&err, FIRN_INVALID, "fields");
    assert_int_equal(firn_saves_before_save(NULL, NULL, give_field, NULL, &err), 0);
    assert_error(&err, FIRN_INVALID, "saves");
}

#define GAME_TEST(test) cmocka_unit_test_setup_teardown(test, make_game, saves_game_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        GAME_TEST(S2_hooks_give_fields_for_custom_in_their_order),
        GAME_TEST(S2_a_hook_that_was_removed_gives_nothing),
        GAME_TEST(S2_a_declared_field_is_free_again_when_its_hook_is_removed),
        GAME_TEST(S2_a_clash_of_declared_fields_is_refused_at_registration),
        GAME_TEST(S2_a_clash_of_undeclared_fields_fails_the_save),
        GAME_TEST(S2_a_field_that_another_hook_declared_fails_the_save),
        GAME_TEST(S2_a_field_that_was_not_declared_fails_the_save),
        GAME_TEST(a_field_whose_name_is_no_text_fails_the_save),
        GAME_TEST(what_a_hook_returns_fails_the_save),
        GAME_TEST(a_hook_that_removes_a_hook_is_busy),
        GAME_TEST(a_hook_that_is_added_by_a_hook_waits_for_the_next_save),
        GAME_TEST(a_hook_that_tells_is_busy),
        GAME_TEST(what_a_hook_changes_is_saved),
        GAME_TEST(a_hook_that_ends_the_world_fails_the_save),
        GAME_TEST(a_hook_without_a_function_or_with_an_empty_field_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
