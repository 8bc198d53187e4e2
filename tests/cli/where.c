// Expressions of `dump --where`.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/village.h"

// The ids of the entities that an expression chooses, as `1 3`, in the order of the file.
static void assert_chosen_of(cli_test *t, const char *file, const char *expression,
                             const char *wanted)
{
    char ids[64] = "";
    assert_int_equal(cli_run(t, "dump", file, "--where", expression, NULL), 0);
    for (const char *at = t->out; (at = strstr(at, "entity ")) != NULL;) {
        at += strlen("entity ");
        snprintf(ids + strlen(ids), sizeof ids - strlen(ids), "%s%.*s", ids[0] ? " " : "",
                 (int)strspn(at, "0123456789"), at);
    }
    if (strcmp(ids, wanted) != 0) {
        fail_msg("%s chooses \"%s\", not \"%s\"", expression, ids, wanted);
    }
}

// All are 3 4 1 2.
static void assert_chosen(cli_test *t, const char *expression, const char *wanted)
{
    village_put(t);
    assert_chosen_of(t, "evening.firn", expression, wanted);
}

static void a_field_of_a_struct_is_compared(void **state)
{
    cli_test *t = *state;
    assert_chosen(t, "Health.current < 10", "2");
    assert_chosen(t, "Health.current<=9", "2");
    assert_chosen(t, "Health.current > 9", "3 1");
    assert_chosen(t, "Health.current >= 80", "3 1");
    assert_chosen(t, "Health.current == 80", "1");
    assert_chosen(t, "Health.current = 80", "1");
    assert_chosen(t, "Health.current != 80", "3 2");
    assert_chosen(t, "Health.current ~= 80", "3 2");
    assert_chosen(t, "10 > Health.current", "2");
    assert_chosen(t, "Health.current == Health.max", "3");
}

static void a_float_of_the_file_is_what_it_prints_as(void **state)
{
    cli_test *t = *state;
    assert_chosen(t, "Position.y == 0.3", "3");
    assert_chosen(t, "-0.1 == Position.y", "1");
    assert_chosen(t, "Position.y < 0.3", "1");
    assert_chosen(t, "Position.x == -2e1", "3");
    assert_chosen(t, "Position.x < .5", "3");
}

// Entities 1 to 3, with floats that are whole and print with fewer digits than they have.
static void put_large_floats(cli_test *t)
{
    firn_error err;
    firn_buffer image = {0};
    static const float values[] = {123456789.0f, -2147483500.0f, 9007199254740992.0f};
    const firn_field field = {.name = "x", .type = FIRN_F32};
    const firn_component_desc desc = {
        .name = "Far", .kind = FIRN_STRUCT, .size = 4, .fields = &field, .field_count = 1};
    firn_world *world = firn_world_create(NULL, &err);
    assert_non_null(world);
    firn_component far_away = firn_component_register(world, &desc, &err);
    for (size_t i = 0; i < FIRN_COUNT(values); i++) {
        firn_entity entity = firn_spawn(world, &far_away, 1, &err);
        assert_ok(firn_set(world, entity, far_away, &values[i], &err), &err);
    }
    assert_ok(firn_snapshot_save(world, NULL, &image, &err), &err);
    firn_world_destroy(world);
    cli_put(t, "far.bin", image.data, image.size);
    firn_buffer_free(&image);
}

static void a_large_float_is_what_it_prints_as(void **state)
{
    cli_test *t = *state;
    put_large_floats(t);
    assert_int_equal(cli_run(t, "dump", "--csv", "Far", "far.bin", NULL), 0);
    assert_string_equal(t->out, "id,x\n1,123456790\n2,-2147483500\n3,9007199000000000\n");
    assert_chosen_of(t, "far.bin", "Far.x == 123456790", "1");
    assert_chosen_of(t, "far.bin", "123456792 == Far.x", "1");
    assert_chosen_of(t, "far.bin", "Far.x < 123456790", "2");
    assert_chosen_of(t, "far.bin", "Far.x == -2147483500", "2");
    assert_chosen_of(t, "far.bin", "Far.x >= 9007199000000000", "3");
}

static void nested_fields_and_elements_are_reached(void **state)
{
    cli_test *t = *state;
    assert_chosen(t, "Chest.slots[0].count == 300", "4");
    assert_chosen(t, "Chest.slots[ 1 ].kind == 2", "4");
    assert_chosen(t, "Chest.weights[1] == 1e300", "4");
    assert_chosen(t, "Chest.weights[3] == 0", "");
    assert_chosen(t, "Chest.weights[0.5] == 0", "");
    assert_chosen(t, "Chest.weights[-1] == 0", "");
    assert_chosen(t, "Chest.label[0] == 'x'", "");
    assert_chosen(t, "Chest.weights", "4");
    assert_chosen(t, "Chest.open", "4");
    assert_chosen(t, "Chest.open == true", "4");
    assert_chosen(t, "Chest.open != false", "4");
    assert_chosen(t, "Inventory.items[1].name == \"rope\"", "1");
    assert_chosen(t, "Inventory[\"items\"][2][\"name\"] == 'key'", "1");
    assert_chosen(t, "Inventory.items[3]", "");
    assert_chosen(t, "Inventory.`note` == 'to, whom'", "2");
    assert_chosen(t, "Inventory.gold.deeper", "");
}

static void large_integers_are_exact(void **state)
{
    cli_test *t = *state;
    assert_chosen(t, "Chest.seed == 18446744073709551615", "4");
    assert_chosen(t, "Chest.seed < 18446744073709551615", "");
    assert_chosen(t, "Chest.seed < 18446744073709551616", "4");
    assert_chosen(t, "Chest.seed > -1", "4");
    assert_chosen(t, "Chest.seed > -9223372036854775808", "4");
    assert_chosen(t, "Chest.seed == 1.5", "");
    assert_chosen(t, "id == 2", "2");
    assert_chosen(t, "id < 2.5", "1 2");
}

static void texts_are_in_the_order_of_their_bytes(void **state)
{
    cli_test *t = *state;
    assert_chosen(t, "name == 'Bert'", "2");
    assert_chosen(t, "name > \"Ann\"", "3 2");
    assert_chosen(t, "name >= 'Ann' and name < 'Annb'", "1");
    assert_chosen(t, "Name == 'the \\\"wolf\\\"'", "3");
    assert_chosen(t, "Name == \"the \\\"wolf\\\"\"", "3");
    assert_chosen(t, "key == 'player'", "1");
    assert_chosen(t, "Key == 'player'", "1");
    assert_chosen(t, "name != 'Ann'", "3 2");
    assert_chosen(t, "'a' < 'b' and '' < 'a'", "3 4 1 2");
}

static void components_are_asked_for(void **state)
{
    cli_test *t = *state;
    assert_chosen(t, "has(Boss)", "3");
    assert_chosen(t, "has ( Boss )", "3");
    assert_chosen(t, "Boss", "3");
    assert_chosen(t, "Boss == true", "3");
    assert_chosen(t, "not has(Health)", "4");
    assert_chosen(t, "Position", "3 1 2");
    assert_chosen(t, "has(Likes)", "2");
    assert_chosen(t, "Likes.target == 1", "2");
    assert_chosen(t, "has(`Likes->1`)", "2");
    assert_chosen(t, "`Likes->1`.target = id", "");
    assert_chosen(t, "has(Lik)", "");
    assert_chosen(t, "key", "1");
}

static void parts_are_joined(void **state)
{
    cli_test *t = *state;
    assert_chosen(t, "Boss or Chest", "3 4");
    assert_chosen(t, "Boss and Chest", "");
    assert_chosen(t, "not Boss and not Chest", "1 2");
    assert_chosen(t, "not (Boss or Chest)", "1 2");
    assert_chosen(t, "Boss or Chest and id == 9", "3");
    assert_chosen(t, "(Boss or Chest) and id == 4", "4");
    assert_chosen(t, "not not Boss", "3");
    assert_chosen(t, "true", "3 4 1 2");
    assert_chosen(t, "false or nil", "");
    assert_chosen(t, "\tBoss\n", "3");
    assert_chosen(t, "0", "3 4 1 2");
}

static void a_comparison_with_what_is_lacking_does_not_hold(void **state)
{
    cli_test *t = *state;
    assert_chosen(t, "Score < 1e9", "1");
    assert_chosen(t, "Score != 7", "1");
    assert_chosen(t, "not (Score < 0)", "3 4 1 2");
    assert_chosen(t, "Score == nil", "3 4 2");
    assert_chosen(t, "nil != Score", "1");
    assert_chosen(t, "nil == nil", "3 4 1 2");
    assert_chosen(t, "nil < Score", "");
    assert_chosen(t, "Score == Boss", "");
}

static void values_of_two_kinds_are_never_the_same(void **state)
{
    cli_test *t = *state;
    assert_chosen(t, "Score == '1250.5'", "");
    assert_chosen(t, "Score != '1250.5'", "1");
    assert_chosen(t, "Score < 'z'", "");
    assert_chosen(t, "Chest.open == 1", "");
    assert_chosen(t, "Position == Position", "");
    assert_chosen(t, "true == true and false != true", "3 4 1 2");
}

static void a_name_that_nothing_has_is_told(void **state)
{
    cli_test *t = *state;
    assert_chosen(t, "Helth.current < 10", "");
    assert_string_equal(t->err, "firn: evening.firn: nothing has Helth.current\n");
    assert_chosen(t, "Health.curent < 10 or Boss", "3");
    assert_string_equal(t->err, "firn: evening.firn: nothing has Health.curent: there is no field "
                                "curent\n");
    assert_chosen(t, "has(Helth)", "");
    assert_string_equal(t->err, "");
}

static void a_name_with_points_is_found_in_a_place(void **state)
{
    cli_test *t = *state;
    assert_chosen(t, "Door.locks == 2", "4");
    assert_chosen(t, "`Door.locks` == 2", "4");
    assert_chosen(t, "Door.locks.inner == 2", "");
    assert_chosen(t, "has(Door.locks)", "4");
    assert_chosen(t, "has(Door)", "");
    assert_chosen(t, "has(Door.locks.inner)", "");
}

static void scalars_of_wire_version_2_are_plain(void **state)
{
    cli_test *t = *state;
    static const char file[] = "firn/06_version_2.bin";
    cli_put_golden(t, file);
    assert_chosen_of(t, file, "Alive", "2");
    assert_chosen_of(t, file, "Alive == false", "11");
    assert_chosen_of(t, file, "Score == 0", "19");
    assert_chosen_of(t, file, "Score.value == 0 and name < 'N'", "19");
    assert_chosen_of(t, file, "Bag[1] == 'rope' and Bag.coins == 12 and id > 5", "14");
}

static void a_nan_is_not_even_itself(void **state)
{
    cli_test *t = *state;
    static const char file[] = "firn/07_values.bin";
    cli_put_golden(t, file);
    assert_chosen_of(t, file, "Bag[5] == Bag[5] or Bag[5] < 1 or Bag[5] > 1", "");
    assert_chosen_of(t, file, "Bag[5] != Bag[5]", "1");
    assert_chosen_of(t, file, "Bag[1] == Bag[2] and Bag[6] < Bag[7]", "1");
}

static void a_tag_may_be_nil(void **state)
{
    cli_test *t = *state;
    static const char file[] = "tecs/S_nupp_v1_basic.bin";
    cli_put_golden(t, file);
    assert_int_equal(cli_run(t, "dump", file, NULL), 0);
    assert_says(t->out, "\n  Boss\n");
    assert_int_equal(cli_run(t, "dump", file, "--where", "has(Boss) and Boss and Boss == true",
                             "-c", "Boss", NULL),
                     0);
    assert_says(t->out, "\n  Boss\n");
}

static void assert_refused(cli_test *t, const char *expression, int character, const char *why)
{
    char wanted[128];
    village_put(t);
    snprintf(wanted, sizeof wanted, "firn: --where, character %d: %s", character, why);
    assert_int_equal(cli_run(t, "dump", "evening.firn", "--where", expression, NULL), 2);
    assert_string_equal(t->out, "");
    assert_says(t->err, wanted);
    assert_says(t->err, "\ntry: firn dump --help\n");
}

static void an_error_says_where_it_is(void **state)
{
    cli_test *t = *state;
    assert_refused(t, "", 1, "something is missing at the end");
    assert_refused(t, "Health.current <", 17, "something is missing at the end");
    assert_refused(t, "Health.current < < 3", 18, "a component or value is missing");
    assert_refused(t, "Health.current 3", 16, "an operator is missing");
    assert_refused(t, "Boss Chest", 6, "an operator is missing");
    assert_refused(t, "Boss andChest", 6, "an operator is missing");
    assert_refused(t, "(Boss", 6, "a ) is missing");
    assert_refused(t, "has(Boss", 9, "a ) is missing");
    assert_refused(t, "has()", 5, "a name is missing");
    assert_refused(t, "Health.", 8, "a name is missing");
    assert_refused(t, "Health.3", 8, "a name is missing");
    assert_refused(t, "Inventory[x]", 11, "a number or a text is missing");
    assert_refused(t, "Inventory[1", 12, "a ] is missing");
    assert_refused(t, "name == 'Ann", 9, "this ' is not closed");
    assert_refused(t, "name == \"Ann\\", 9, "this \" is not closed");
    assert_refused(t, "`Likes", 1, "this ` is not closed");
    assert_refused(t, "Boss and", 9, "something is missing at the end");
    assert_refused(t, "Health.current < and Boss", 18, "a component or value is missing");
    assert_refused(t, "or Boss", 1, "a component or value is missing");
    assert_refused(t, "Boss == not Boss", 9, "a component or value is missing");
    assert_refused(t, "not", 4, "something is missing at the end");
    assert_refused(t, "Boss #", 6, "an operator is missing: Boss >>#");
}

static void of_a_long_one_the_place_is_shown(void **state)
{
    cli_test *t = *state;
    enum { SIZE = 100000 };
    char *text = malloc(SIZE + 1);
    assert_non_null(text);
    memset(text, 'A', SIZE);
    memcpy(text, "Boss #", 6);
    text[SIZE] = '\0';
    assert_refused(t, text, 6,
                   "an operator is missing: Boss >>#AAAAAAAAAAAAAAAAAAAAAAAAAAAAA...\n");
    free(text);
}

#define FOUR   "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
#define TWELVE FOUR FOUR FOUR

static void a_character_is_not_shown_in_part(void **state)
{
    cli_test *t = *state;
    assert_refused(t, "name == '" TWELVE TWELVE "a' #" TWELVE TWELVE, 61,
                   "an operator is missing: ..." TWELVE "\xc3\xa9"
                   "a' >>#" TWELVE "\xc3\xa9\xc3\xa9...\n");
}

static void too_much_is_refused(void **state)
{
    cli_test *t = *state;
    char deep[64] = "", wide[8192] = "Boss";
    memset(deep, '(', 60);
    assert_refused(t, deep, 51, "more than 50 inside each other");
    for (int i = 0; i < 600; i++)
        memcpy(wide + 4 + 8 * i, " or Boss", 9);
    village_put(t);
    assert_int_equal(cli_run(t, "dump", "evening.firn", "-w", wide, NULL), 2);
    assert_says(t->err, "more than 1000 parts");
}

static void the_longest_chain_is_tested(void **state)
{
    cli_test *t = *state;
    char wide[8192] = "Boss";
    for (int i = 0; i < 499; i++)
        memcpy(wide + 4 + 8 * i, " or Boss", 9);
    assert_chosen(t, wide, "3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cli_unit_test(a_field_of_a_struct_is_compared),
        cli_unit_test(a_float_of_the_file_is_what_it_prints_as),
        cli_unit_test(a_large_float_is_what_it_prints_as),
        cli_unit_test(nested_fields_and_elements_are_reached),
        cli_unit_test(large_integers_are_exact),
        cli_unit_test(texts_are_in_the_order_of_their_bytes),
        cli_unit_test(components_are_asked_for),
        cli_unit_test(parts_are_joined),
        cli_unit_test(a_comparison_with_what_is_lacking_does_not_hold),
        cli_unit_test(values_of_two_kinds_are_never_the_same),
        cli_unit_test(a_name_that_nothing_has_is_told),
        cli_unit_test(a_name_with_points_is_found_in_a_place),
        cli_unit_test(scalars_of_wire_version_2_are_plain),
        cli_unit_test(a_nan_is_not_even_itself),
        cli_unit_test(a_tag_may_be_nil),
        cli_unit_test(an_error_says_where_it_is),
        cli_unit_test(of_a_long_one_the_place_is_shown),
        cli_unit_test(a_character_is_not_shown_in_part),
        cli_unit_test(too_much_is_refused),
        cli_unit_test(the_longest_chain_is_tested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
