// The bar of commands that take long, on a terminal.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/village.h"

// Of a snapshot of 30,000 entities, and of the same with others in other places.
static void put_herds(cli_test *t, uint32_t moved)
{
    firn_buffer left = {0}, right = {0};
    village_herd(30000, 0, &left);
    village_herd(30000, moved, &right);
    cli_put(t, "left", left.data, left.size);
    cli_put(t, "right", right.data, right.size);
    firn_buffer_free(&left);
    firn_buffer_free(&right);
    t->host.error_terminal = true;
}

// How many bars were drawn that say more than `from` and less than `to` percent. None goes back.
static uint32_t bars_between(const cli_test *t, long from, long to)
{
    uint32_t bars = 0;
    long before = 0;
    for (const char *at = t->err; (at = strstr(at, "\r[")) != NULL; at += 2) {
        long percent = strtol(strchr(at, ']') + 1, NULL, 10);
        assert_true(percent >= before);
        before = percent;
        bars += percent > from && percent < to;
    }
    return bars;
}

static void assert_bar_is_gone(const cli_test *t)
{
    const char *end = strstr(t->err, "\r\33[K");
    for (const char *at = end; at != NULL; at = strstr(at + 1, "\r\33[K"))
        end = at;
    assert_non_null(end);
    assert_null(strstr(end, "\r["));
}

static void it_moves_within_a_file_that_verify_checks(void **state)
{
    cli_test *t = *state;
    put_herds(t, 0);
    assert_int_equal(cli_run(t, "verify", "left", NULL), 0);
    assert_true(bars_between(t, 50, 100) > 3);
    assert_bar_is_gone(t);
    t->host.error_terminal = false;
    assert_int_equal(cli_run(t, "verify", "left", NULL), 0);
    assert_string_equal(t->err, "");
}

static void it_moves_with_the_entities_that_differ(void **state)
{
    cli_test *t = *state;
    put_herds(t, 30000);
    static const char *const options[] = {"--all", "--limit=3"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        assert_int_equal(cli_run(t, "diff", "left", "right", options[i], NULL), 1);
        assert_true(bars_between(t, 49, 100) > 20);
        assert_bar_is_gone(t);
    }
}

// They may go to a pager, which has the same terminal.
static void it_keeps_out_of_lines_that_are_printed(void **state)
{
    cli_test *t = *state;
    if (!firn_json_available())
        skip();
    put_herds(t, 30000);
    assert_int_equal(cli_run(t, "diff", "left", "right", "--json", NULL), 1);
    assert_string_equal(t->err, "");
}

static void small_files_have_none(void **state)
{
    cli_test *t = *state;
    village_put(t);
    t->host.error_terminal = true;
    assert_int_equal(cli_run(t, "diff", "evening.flock", "morning.flock", "--all", NULL), 1);
    assert_string_equal(t->err, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cli_unit_test(it_moves_within_a_file_that_verify_checks),
        cli_unit_test(it_moves_with_the_entities_that_differ),
        cli_unit_test(it_keeps_out_of_lines_that_are_printed),
        cli_unit_test(small_files_have_none),
    };
    return cmocka_run_group_tests_name("cli_bar", tests, NULL, NULL);
}
