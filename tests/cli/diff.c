// `firn diff`.
#include <stdio.h>
#include <string.h>

#include "cli/village.h"
#include "support/tree.h"

// ---- text

static void everything_that_differs_is_told(void **state)
{
    cli_test *t = *state;
    village_put(t);
    assert_int_equal(cli_run(t, "diff", "evening.firn", "morning.firn", NULL), 1);
    assert_string_equal(t->err, "");
    assert_string_equal(t->out,
                        "save header: level \"square\" -> \"mill\"\n"
                        "save header: meta.title \"Evening\" -> \"Morning\"\n"
                        "save header: parent \"\" -> \"00000000000000000000000000000005\"\n"
                        "save header: playTime 60.25 -> 120.5\n"
                        "save header: revision 1 -> 2\n"
                        "save header: tick 3600 -> 7200\n"
                        "save header: timestamp 1767225600000 -> 1767261600000\n"
                        "save data \"variables\": coins 12 -> 15\n"
                        "save data \"tune\": \"la\" -> nil\n"
                        "entity 1 (key \"player\"): Health.current 80 -> 75\n"
                        "entity 1 (key \"player\"): Inventory.gold 12 -> 11\n"
                        "entity 1 (key \"player\"): Inventory.items[1].uses 3 -> 2\n"
                        "entity 1 (key \"player\"): Inventory.items[2] {name = \"key\"} -> nil\n"
                        "entity 1 (key \"player\"): Position.x 1.5 -> 1.25\n"
                        "entity 1 (key \"player\"): Score only left\n"
                        "entity 3 (name \"the \\\"wolf\\\"\"): only left\n"
                        "entity 4194307 (key \"smith\"): only right\n"
                        "random: seed 7 -> 8\n"
                        "data \"weather\": rain 0.25 -> 0.75\n"
                        "data \"weather\": wind \"north\" -> nil\n");
}

static void a_file_is_the_same_as_itself(void **state)
{
    cli_test *t = *state;
    village_put(t);
    static const char *const files[] = {"evening.firn", "morning.firn", "evening.image"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        assert_int_equal(cli_run(t, "diff", files[i], files[i], NULL), 0);
        assert_string_equal(t->out, "");
        assert_string_equal(t->err, "");
    }
}

static void json_and_bytes_are_compared(void **state)
{
    cli_test *t = *state;
    if (!firn_json_available())
        skip();
    village_put(t);
    assert_int_equal(cli_run(t, "dump", "evening.firn", "--json", NULL), 0);
    cli_put_text(t, "evening.json", t->out);
    assert_int_equal(cli_run(t, "diff", "evening.json", "evening.firn", NULL), 0);
}

static void of_a_save_and_a_snapshot_the_snapshots_are_compared(void **state)
{
    cli_test *t = *state;
    village_put(t);
    assert_int_equal(cli_run(t, "diff", "evening.firn", "evening.image", NULL), 0);
    assert_int_equal(cli_run(t, "diff", "evening.image", "morning.firn", NULL), 1);
    assert_null(strstr(t->out, "save "));
    assert_says(t->out, "Position.x 1.5 -> 1.25\n");
}

static void sections_of_the_right_are_told_too(void **state)
{
    cli_test *t = *state;
    village_put(t);
    assert_int_equal(cli_run(t, "diff", "morning.firn", "evening.firn", NULL), 1);
    assert_says(t->out, "\nsave data \"tune\": nil -> \"la\"\n");
}

static void a_snapshot_that_one_save_lacks_is_told(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "saves/01_least.firn");
    cli_put_golden(t, "saves/02_kitchen.firn");
    assert_int_equal(cli_run(t, "diff", "saves/01_least.firn", "saves/02_kitchen.firn", NULL), 1);
    assert_says(t->out, "\nsave header: snapshot.bytes nil -> ");
    assert_int_equal(cli_run(t, "diff", "saves/02_kitchen.firn", "saves/01_least.firn", NULL), 1);
    assert_says(t->out, "\nsave header: snapshot.bytes ");
    assert_int_equal(cli_run(t, "diff", "saves/01_least.firn", "saves/01_least.firn", NULL), 0);
}

static void compression_is_no_difference(void **state)
{
    cli_test *t = *state;
    if (!firn_save_file_can_compress() || !firn_json_available())
        skip();
    cli_put_golden(t, "saves/06_compressed.firn");
    assert_int_equal(cli_run(t, "dump", "saves/06_compressed.firn", "--json", NULL), 0);
    cli_put_text(t, "a.json", t->out);
    assert_int_equal(cli_run(t, "diff", "saves/06_compressed.firn", "a.json", NULL), 0);
}

// ---- what is compared

static void components_are_chosen(void **state)
{
    cli_test *t = *state;
    village_put(t);
    assert_int_equal(
        cli_run(t, "diff", "evening.firn", "morning.firn", "-c", "Position", "-c", "Likes", NULL),
        1);
    assert_string_equal(t->out, "entity 1 (key \"player\"): Position.x 1.5 -> 1.25\n"
                                "entity 3 (name \"the \\\"wolf\\\"\"): only left\n"
                                "entity 4194307 (key \"smith\"): only right\n");
    assert_int_equal(cli_run(t, "diff", "evening.firn", "morning.firn", "-x", "Position", NULL), 1);
    assert_null(strstr(t->out, "Position"));
    assert_says(t->out, "Health.current");
}

static void a_component_that_neither_file_has_is_trouble(void **state)
{
    cli_test *t = *state;
    village_put(t);
    assert_int_equal(cli_run(t, "diff", "evening.firn", "morning.firn", "-c", "Positon", NULL), 2);
    assert_string_equal(t->out, "");
    assert_string_equal(t->err, "firn: neither file has a component Positon\n");
    assert_int_equal(cli_run(t, "diff", "evening.firn", "morning.firn", "-x", "Positon", NULL), 2);
    assert_string_equal(t->out, "");
    assert_string_equal(t->err, "firn: neither file has a component Positon\n");
    assert_int_equal(
        cli_run(t, "diff", "evening.firn", "morning.firn", "-x", "Likes", "-x", "Likes->1", NULL),
        1);
    assert_string_equal(t->err, "");
}

static void a_component_that_is_left_out_is_not_compared(void **state)
{
    cli_test *t = *state;
    assert_int_equal(cli_run(t, "diff", "a", "b", "-c", "Likes", "-c", "A", "-x", "A", NULL), 2);
    assert_says(t->err, "firn: --component A is left out by --exclude A\n");
    assert_int_equal(cli_run(t, "diff", "a", "b", "-c", "Likes->1", "-x", "Likes", NULL), 2);
    assert_says(t->err, "firn: --component Likes->1 is left out by --exclude Likes\n");
    village_put(t);
    assert_int_equal(
        cli_run(t, "diff", "evening.firn", "morning.firn", "-c", "Likes", "-x", "Likes->1", NULL),
        0);
    assert_string_equal(t->err, "");
}

static void all_of_it_has_no_limit(void **state)
{
    cli_test *t = *state;
    assert_int_equal(cli_run(t, "diff", "a", "b", "--limit", "1", "--all", NULL), 2);
    assert_says(t->err, "firn: --all or --limit, not both\n");
}

static void a_tolerance_hides_what_is_near(void **state)
{
    cli_test *t = *state;
    village_put(t);
    assert_int_equal(cli_run(t, "diff", "evening.firn", "morning.firn", "-c", "Position",
                             "--tolerance", "0.25", NULL),
                     1);
    assert_null(strstr(t->out, "Position.x"));
    assert_int_equal(cli_run(t, "diff", "evening.firn", "morning.firn", "-t0.2", NULL), 1);
    assert_says(t->out, "Position.x 1.5 -> 1.25\n");
    static const char *const wrong[] = {"", "x", "-1", "1x", "nan", "inf", "1e999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(cli_run(t, "diff", "a", "b", "--tolerance", wrong[i], NULL), 2);
        assert_says(t->err, "firn: --tolerance takes a number from 0 on, not \"");
    }
}

// ---- much

static uint32_t lines_of(const char *text)
{
    uint32_t lines = 0;
    for (; *text != 0; text++)
        lines += *text == '\n';
    return lines;
}

static const char summary[] = "306 differences, 100 entities changed\n"
                              "    1  header\n"
                              "    1  entities only right\n"
                              "  200  Position\n"
                              "  100  Score\n"
                              "    4  Likes\n";

// The summary, then so many lines, then, perhaps, what is left out.
static void assert_summary(const cli_test *t, uint32_t lines, const char *end)
{
    assert_memory_equal(t->out, summary, sizeof summary - 1);
    const char *rest = t->out + sizeof summary - 1;
    assert_int_equal(lines_of(rest), lines + (*end != 0));
    assert_string_equal(rest + strlen(rest) - strlen(end), end);
    if (lines > 0)
        assert_memory_equal(rest, "header: nextEntityId 101 -> 102\n", 32);
}

static void much_begins_with_a_summary(void **state)
{
    cli_test *t = *state;
    village_put(t);
    assert_int_equal(cli_run(t, "diff", "evening.flock", "morning.flock", NULL), 1);
    assert_summary(t, 40, "and 266 more\n");
    assert_int_equal(cli_run(t, "diff", "evening.flock", "morning.flock", "--limit", "40", NULL),
                     1);
    assert_summary(t, 40, "and 266 more\n");
    assert_int_equal(cli_run(t, "diff", "evening.flock", "morning.flock", "--limit", "0", NULL), 1);
    assert_summary(t, 0, "and 306 more\n");
    assert_int_equal(cli_run(t, "diff", "evening.flock", "morning.flock", "-n", "3", NULL), 1);
    assert_summary(t, 3, "and 303 more\n");
}

static void more_of_it_is_listed_when_asked_for(void **state)
{
    cli_test *t = *state;
    village_put(t);
    assert_int_equal(cli_run(t, "diff", "evening.flock", "morning.flock", "--limit", "41", NULL),
                     1);
    assert_summary(t, 41, "and 265 more\n");
    assert_int_equal(cli_run(t, "diff", "evening.flock", "morning.flock", "--all", NULL), 1);
    assert_summary(t, 306, "");
    assert_says(t->out, "entity 101: only right\n");
    assert_int_equal(cli_run(t, "diff", "evening.flock", "morning.flock", "-n", "1000", NULL), 1);
    assert_summary(t, 306, "");
    assert_int_equal(cli_run(t, "diff", "evening.flock", "morning.flock", "-n", "x", NULL), 2);
}

static void little_is_cut_by_a_limit_too(void **state)
{
    cli_test *t = *state;
    village_put(t);
    assert_int_equal(cli_run(t, "diff", "evening.image", "morning.image", "-n", "1", NULL), 1);
    assert_string_equal(t->out, "entity 1 (key \"player\"): Health.current 80 -> 75\n"
                                "and 10 more\n");
}

static void a_summary_is_bold_on_a_terminal(void **state)
{
    cli_test *t = *state;
    village_put(t);
    t->host.terminal = true;
    assert_int_equal(cli_run(t, "diff", "evening.flock", "morning.flock", "-n0", NULL), 1);
    assert_memory_equal(t->out, "\33[1m306 differences\33[0m, 100 entities changed\n", 40);
}

// ---- JSON

static void json_is_a_line_for_each_difference(void **state)
{
    cli_test *t = *state;
    if (!firn_json_available())
        skip();
    village_put(t);
    assert_int_equal(cli_run(t, "diff", "evening.firn", "morning.firn", "--json", NULL), 1);
    static const char *const lines[] = {
        "{\"kind\":\"saveHeader\",\"path\":\"level\",\"left\":\"square\",\"right\":\"mill\"}\n",
        "{\"kind\":\"saveData\",\"key\":\"tune\",\"left\":\"la\",\"only\":\"left\"}\n",
        "{\"kind\":\"field\",\"id\":1,\"key\":\"player\",\"name\":\"Ann\",\"component\":"
        "\"Position\","
        "\"path\":\"x\",\"left\":1.5,\"right\":1.25}\n",
        "{\"kind\":\"component\",\"id\":1,\"key\":\"player\",\"name\":\"Ann\",\"component\":"
        "\"Score\",\"left\":1250.5,\"only\":\"left\"}\n",
        "{\"kind\":\"entity\",\"id\":4194307,\"key\":\"smith\",\"only\":\"right\"}\n",
        "{\"kind\":\"data\",\"key\":\"tecs.random\",\"path\":\"seed\",\"left\":7,\"right\":8}\n",
        "{\"changedEntities\":1,\"counts\":{\"Health\":1,\"Inventory\":3,\"Position\":1,\"Score\":"
        "1,"
        "\"data \\\"weather\\\"\":2,\"entities only left\":1,\"entities only "
        "right\":1,\"random\":1,"
        "\"save data \\\"tune\\\"\":1,\"save data \\\"variables\\\"\":1,\"save header\":7},"
        "\"differences\":20,\"kind\":\"summary\",\"listed\":20,\"same\":false}\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_says(t->out, lines[i]);
    assert_int_equal(lines_of(t->out), 21);
}

static void json_is_not_cut_but_by_a_limit(void **state)
{
    cli_test *t = *state;
    if (!firn_json_available())
        skip();
    village_put(t);
    assert_int_equal(cli_run(t, "diff", "evening.flock", "morning.flock", "--json", NULL), 1);
    assert_int_equal(lines_of(t->out), 307);
    assert_int_equal(
        cli_run(t, "diff", "evening.flock", "morning.flock", "--json", "-n", "2", NULL), 1);
    assert_int_equal(lines_of(t->out), 3);
    assert_says(t->out, "\"listed\":2,");
    assert_int_equal(cli_run(t, "diff", "evening.flock", "evening.flock", "--json", NULL), 0);
    assert_string_equal(t->out, "{\"changedEntities\":0,\"counts\":{},\"differences\":0,"
                                "\"kind\":\"summary\",\"listed\":0,\"same\":true}\n");
}

static void orders_and_schemas_are_told(void **state)
{
    cli_test *t = *state;
    if (!firn_json_available())
        skip();
    for (int side = 0; side < 2; side++) {
        firn_error err;
        firn_buffer image = {0};
        firn_world *world = firn_world_create(NULL, NULL);
        static const firn_field fields[] = {{.name = "x", .type = FIRN_F32},
                                            {.name = "x", .type = FIRN_I32}};
        const firn_component_desc descs[] = {
            {.name = "Place",
             .kind = FIRN_STRUCT,
             .size = 4,
             .fields = &fields[side],
             .field_count = 1},
            {.name = "Owns", .kind = FIRN_RELATION, .relation = FIRN_REVERSE}};
        firn_component place = firn_component_register(world, &descs[0], &err);
        firn_component owns = firn_component_register(world, &descs[1], &err);
        for (int i = 0; i < 3; i++)
            firn_spawn(world, &place, 1, &err);
        for (int i = 0; i < 2; i++) {
            firn_entity source = (firn_entity)(side == 0 ? 2 + i : 3 - i);
            assert_ok(firn_relate(world, source, owns, 1, NULL, &err), &err);
        }
        assert_ok(firn_snapshot_save(world, NULL, &image, &err), &err);
        cli_put(t, side == 0 ? "left" : "right", image.data, image.size);
        firn_buffer_free(&image);
        firn_world_destroy(world);
    }
    assert_int_equal(cli_run(t, "diff", "left", "right", NULL), 1);
    assert_says(t->out, "fields: Place \"x:float|4\" -> \"x:int32_t|4\"\n");
    assert_says(t->out, "order: ");
    assert_int_equal(cli_run(t, "diff", "left", "right", "--json", NULL), 1);
    assert_says(t->out, "{\"kind\":\"schema\",\"component\":\"Place\",\"left\":\"x:float|4\",");
    assert_says(t->out, "{\"kind\":\"order\",\"entity\":");
    assert_says(t->out, "\"counts\":{\"fields\":1,\"order\":");
}

// ---- memory

static void assert_memory(cli_test *t, uint32_t moved, uint32_t differences, double most)
{
    char says[64];
    firn_buffer left = {0}, right = {0};
    village_herd(20000, 0, &left);
    village_herd(20000, moved, &right);
    cli_put(t, "left", left.data, left.size);
    cli_put(t, "right", right.data, right.size);
    test_allocator_reset_peak(&t->memory);
    assert_int_equal(cli_run(t, "diff", "left", "right", "-n40", NULL), 1);
    assert_true((double)t->memory.peak_bytes <= most * (double)(left.size + right.size));
    snprintf(says, sizeof says, "%u differences", differences);
    if (differences > 40)
        assert_says(t->out, says);
    else
        assert_int_equal(lines_of(t->out), differences);
    firn_buffer_free(&left);
    firn_buffer_free(&right);
}

// The files themselves are 1 of it.
static void what_is_the_same_takes_no_memory(void **state)
{
    assert_memory(*state, 1, 3, 1.1);
}

static void every_difference_takes_less_than_twice_the_files(void **state)
{
    assert_memory(*state, 20000, 60000, 3);
}

// ---- trouble

static void a_file_that_cannot_be_read_is_trouble(void **state)
{
    cli_test *t = *state;
    village_put(t);
    assert_int_equal(cli_run(t, "diff", "evening.firn", "nothing", NULL), 2);
    assert_string_equal(t->err, "firn: nothing: there is no such file\n");
    assert_int_equal(cli_run(t, "diff", "nothing", "evening.firn", NULL), 2);
    cli_put(t, "cut", cli_get(t, "evening.image")->data, 100);
    assert_int_equal(cli_run(t, "diff", "evening.firn", "cut", NULL), 2);
    assert_says(t->err, "firn: cut: ");
    assert_string_equal(t->out, "");
}

static void a_closed_pipe_ends_a_diff(void **state)
{
    cli_test *t = *state;
    if (!firn_json_available())
        skip();
    village_put(t);
    t->output_most = 0;
    static const char *const forms[][5] = {
        {"firn", "diff", "evening.flock", "morning.flock", "--all"},
        {"firn", "diff", "evening.flock", "morning.flock", "--json"}};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(cli_run_words(t, 5, forms[i]), 2);
        assert_string_equal(t->err, "");
    }
    // Nothing is compared any more once the pipe is closed.
    t->host.width = 80;
    t->output_full = true;
    assert_int_equal(cli_run_words(t, 5, forms[0]), 2);
    assert_says(t->err, "no space left");
}

// A value with a key twice is only seen when it is read.
static void what_cannot_be_compared_is_trouble(void **state)
{
    cli_test *t = *state;
    for (int side = 0; side < 2; side++) {
        firn_error err;
        firn_buffer image = {0};
        firn_world *world = firn_world_create(NULL, NULL);
        firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
        const firn_data data = {.key = "more", .value = test_tree(doc, "{abc = 1, abd = 2}")};
        const firn_save_options options = {.data = &data, .data_count = 1};
        assert_ok(firn_snapshot_save(world, &options, &image, &err), &err);
        for (size_t i = 0; side == 1 && i + 3 < image.size; i++) {
            if (memcmp(image.data + i, "abd", 3) == 0)
                image.data[i + 2] = 'c';
        }
        cli_put(t, side == 0 ? "left" : "right", image.data, image.size);
        firn_buffer_free(&image);
        firn_doc_destroy(doc);
        firn_world_destroy(world);
    }
    assert_int_equal(cli_run(t, "diff", "left", "right", NULL), 2);
    assert_string_equal(t->err, "firn: left: compared with right: data more: the key \"abc\" is "
                                "there twice\n");
}

static void a_diff_without_memory_says_so(void **state)
{
    cli_test *t = *state;
    if (!firn_json_available())
        skip();
    village_put(t);
    static const char *const runs[][7] = {
        {"firn", "diff", "evening.firn", "morning.firn"},
        {"firn", "diff", "evening.firn", "morning.firn", "--json"},
        {"firn", "diff", "evening.firn", "morning.firn", "-cPosition", "-xHealth"},
        {"firn", "diff", "evening.flock", "morning.flock", "--all"}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        int count = 0;
        while (count < 7 && runs[i][count] != NULL)
            count++;
        cli_run_without_memory(t, count, runs[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cli_unit_test(everything_that_differs_is_told),
        cli_unit_test(a_file_is_the_same_as_itself),
        cli_unit_test(json_and_bytes_are_compared),
        cli_unit_test(of_a_save_and_a_snapshot_the_snapshots_are_compared),
        cli_unit_test(sections_of_the_right_are_told_too),
        cli_unit_test(a_snapshot_that_one_save_lacks_is_told),
        cli_unit_test(compression_is_no_difference),
        cli_unit_test(components_are_chosen),
        cli_unit_test(a_component_that_neither_file_has_is_trouble),
        cli_unit_test(a_component_that_is_left_out_is_not_compared),
        cli_unit_test(all_of_it_has_no_limit),
        cli_unit_test(a_tolerance_hides_what_is_near),
        cli_unit_test(much_begins_with_a_summary),
        cli_unit_test(more_of_it_is_listed_when_asked_for),
        cli_unit_test(little_is_cut_by_a_limit_too),
        cli_unit_test(a_summary_is_bold_on_a_terminal),
        cli_unit_test(json_is_a_line_for_each_difference),
        cli_unit_test(json_is_not_cut_but_by_a_limit),
        cli_unit_test(orders_and_schemas_are_told),
        cli_unit_test(a_file_that_cannot_be_read_is_trouble),
        cli_unit_test(what_is_the_same_takes_no_memory),
        cli_unit_test(every_difference_takes_less_than_twice_the_files),
        cli_unit_test(a_closed_pipe_ends_a_diff),
        cli_unit_test(what_cannot_be_compared_is_trouble),
        cli_unit_test(a_diff_without_memory_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
