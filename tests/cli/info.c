// firn info.
#include "cli/run.h"

#include <string.h>

static void a_snapshot_is_told_apart(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/10_relations.bin");
    assert_int_equal(cli_run(t, "info", "firn/10_relations.bin", NULL), 0);
    assert_string_equal(t->err, "");
    assert_string_equal(
        t->out, "file       firn/10_relations.bin\n"
                "format     snapshot, 773 bytes\n"
                "snapshot   version 1, written by firn\n"
                "tick       0\n"
                "entities   6, free slots 0, next slot 7\n"
                "bytes      773: names 129, entities 561, data 83\n"
                "hash       04a084f9be7dc950\n"
                "\n"
                "      bytes        rows        nils  form        component\n"
                "          1           1           0  values      Boss\n"
                "         36           2           0  values      ChildOf\n"
                "         46           1           0  values      Knows\n"
                "         18           1           0  values      Likes->1\n"
                "         36           2           0  values      Likes->3\n"
                "          8           1           0  raw 8       Position {x: float, y: float}\n"
                "          9           1           0  values      Score\n"
                "         68           2           0  values      Trusts\n"
                "\n"
                "      bytes        rows  archetype\n"
                "         35           1  (no components)\n"
                "        160           1  Position, Score, Boss, ChildOf, Trusts\n"
                "        115           1  ChildOf, Trusts\n"
                "        100           1  Knows\n"
                "         62           1  Likes->3\n"
                "         89           1  Likes->1, Likes->3\n"
                "\n"
                "      bytes  data\n"
                "         38  __firn.order\n"
                "         16  __firn.world\n");
}

static void fields_show_their_types(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/03_structs.bin");
    assert_int_equal(cli_run(t, "info", "firn/03_structs.bin", NULL), 0);
    assert_says(t->out, "  raw 24      Padded {small: int8_t, wide: double, flag: bool, "
                        "marks: uint16_t[3]}\n");
    assert_says(t->out, "slots[1].amount: int64_t, leader: uint64_t");
}

static void another_writer_is_told(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "tecs/05_table_components.bin");
    assert_int_equal(cli_run(t, "info", "tecs/05_table_components.bin", NULL), 0);
    assert_says(t->out, "\nsnapshot   version 2, of another writer\nentities   ");
    assert_says(t->out, "\nhash       3113d883620a69ae of the bytes\n");
}

static void a_save_file_shows_its_header_and_sections(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "saves/02_kitchen.firn");
    assert_int_equal(cli_run(t, "info", "saves/02_kitchen.firn", NULL), 0);
    static const char expected[] =
        "file       saves/02_kitchen.firn\n"
        "format     save file, 4096 bytes\n"
        "game       mill, version 3\n"
        "level      kitchen\n"
        "kind       world\n"
        "engine     grist 1.5\n"
        "saved      2023-11-14T22:13:20Z\n"
        "play time  0:10:00\n"
        "tick       36000\n"
        "revision   7\n"
        "identity   8dbfc7aa18b86cf340965b90bbace3a8\n"
        "parent     fedcba98765432100123456789abcdef\n"
        "meta       {difficulty = 2, tags = {\"cold\", \"night\"}, title = \"The kitchen\"}\n"
        "\n"
        "      bytes     in file  section\n"
        "       1490        1490  snapshot\n"
        "         37          37  custom\n"
        "         43          43  variables\n"
        "        333         333  map.png\n"
        "        925         925  replay\n"
        "        500         500  thumbnail\n"
        "\n"
        "snapshot   version 1, written by firn\n";
    if (strncmp(t->out, expected, sizeof expected - 1) != 0) {
        assert_string_equal(t->out, expected);
    }
}

static void a_save_without_a_snapshot_is_described(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "saves/01_least.firn");
    assert_int_equal(cli_run(t, "info", "saves/01_least.firn", NULL), 0);
    assert_string_equal(t->out, "file       saves/01_least.firn\n"
                                "format     save file, 256 bytes\n"
                                "game       mill, version 1\n"
                                "kind       world\n"
                                "engine     firn 0.1.0\n"
                                "play time  0:00:00\n"
                                "tick       0\n"
                                "revision   0\n"
                                "identity   e5da42b4f2fa30b0d267bec148655f83\n");
}

static void compressed_sections_say_so(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "saves/06_compressed.firn");
    if (firn_save_file_can_compress()) {
        assert_int_equal(cli_run(t, "info", "saves/06_compressed.firn", NULL), 0);
        assert_says(t->out, "    1048576          49  zeros (zstd)\n");
    }
}

static void several_files_are_apart(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/01_empty.bin");
    assert_int_equal(cli_run(t, "info", "firn/01_empty.bin", "no", "firn/01_empty.bin", NULL), 2);
    assert_says(t->out, "\n\nfile       firn/01_empty.bin\n");
    assert_string_equal(t->err, "firn: no: there is no such file\n");
}

static void damage_is_trouble(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "errors/corrupt/id_0.bin");
    assert_int_equal(cli_run(t, "info", "errors/corrupt/id_0.bin", NULL), 2);
    assert_string_equal(t->out, "");
    assert_string_equal(t->err, "firn: errors/corrupt/id_0.bin: 0 is no entity id (byte 108)\n");
}

// ---- headers

static void put_save(cli_test *t, const firn_save_header *header)
{
    firn_error err;
    firn_buffer save = {0};
    assert_ok(firn_save_file_write(header, NULL, 0, NULL, &save, &err), &err);
    cli_put(t, "a.firn", save.data, save.size);
    firn_buffer_free(&save);
}

static void times_are_dates_in_utc(void **state)
{
    cli_test *t = *state;
    static const struct {
        int64_t timestamp;
        const char *date;
    } times[] = {
        {1, "1970-01-01T00:00:00Z"},
        {68255999999, "1972-02-29T23:59:59Z"},
        {951782400000, "2000-02-29T00:00:00Z"},
        {951868800000, "2000-03-01T00:00:00Z"},
        {1735689599999, "2024-12-31T23:59:59Z"},
        {4107542400000, "2100-03-01T00:00:00Z"},
        {9007199254740991, "287396-10-12T08:59:00Z"},
    };
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        put_save(t,
                 &(firn_save_header){
                     .game = "g", .game_version = 1, .level = "", .timestamp = times[i].timestamp});
        assert_int_equal(cli_run(t, "info", "a.firn", NULL), 0);
        assert_says(t->out, "\nsaved      ");
        assert_says(t->out, times[i].date);
    }
}

static void play_times_are_hours(void **state)
{
    cli_test *t = *state;
    firn_save_header header = {.game = "g", .game_version = 1, .level = "", .play_time = 362439.5};
    put_save(t, &header);
    assert_int_equal(cli_run(t, "info", "a.firn", NULL), 0);
    assert_says(t->out, "\nplay time  100:40:39\n");
    header.play_time = 1e300;
    put_save(t, &header);
    assert_int_equal(cli_run(t, "info", "a.firn", NULL), 0);
    assert_says(t->out, "\nplay time  1e+300 s\n");
}

static void json_has_all_that_is_known(void **state)
{
    cli_test *t = *state;
    if (!firn_json_available()) {
        return;
    }
    static const char *const parts[] = {
        "\"file\":\"saves/02_kitchen.firn\",\"format\":\"save\",\"json\":false,\"save\":{",
        "\"identity\":\"8dbfc7aa18b86cf340965b90bbace3a8\"",
        "\"meta\":{\"difficulty\":2,\"tags\":[\"cold\",\"night\"],\"title\":\"The kitchen\"}",
        "{\"compressed\":false,\"digest\":\"faac61ce7850bde2f75e415caa140a3b\",\"name\":",
        "\"name\":\"snapshot\",\"offset\":768,\"size\":1490,\"stored\":1490}",
        "\"timestamp\":1700000000123",
        "\"size\":4096,\"snapshot\":{\"archetypes\":[{\"bytes\":1344,\"components\":[\"Bag\"],",
        "\"hash\":\"56a33ca14ebfcaec\",\"hashOf\":\"world\"",
    };
    cli_put_golden(t, "saves/02_kitchen.firn");
    assert_int_equal(cli_run(t, "info", "--json", "saves/02_kitchen.firn", NULL), 0);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        assert_says(t->out, parts[i]);
    }
    cli_put_golden(t, "firn/03_structs.bin");
    assert_int_equal(cli_run(t, "info", "--json", "firn/03_structs.bin", NULL), 0);
    assert_says(t->out, "{\"count\":3,\"name\":\"marks\",\"offset\":18,\"type\":\"uint16_t\"}");
}

static void info_without_memory_says_so(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "saves/02_kitchen.firn");
    const char *const words[] = {"firn", "info", "saves/02_kitchen.firn"};
    cli_run_without_memory(t, 3, words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cli_unit_test(a_snapshot_is_told_apart),
        cli_unit_test(fields_show_their_types),
        cli_unit_test(another_writer_is_told),
        cli_unit_test(a_save_file_shows_its_header_and_sections),
        cli_unit_test(a_save_without_a_snapshot_is_described),
        cli_unit_test(compressed_sections_say_so),
        cli_unit_test(several_files_are_apart),
        cli_unit_test(damage_is_trouble),
        cli_unit_test(times_are_dates_in_utc),
        cli_unit_test(play_times_are_hours),
        cli_unit_test(json_has_all_that_is_known),
        cli_unit_test(info_without_memory_says_so),
    };
    return cmocka_run_group_tests_name("cli_info", tests, NULL, NULL);
}
