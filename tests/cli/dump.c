// `firn dump` and `firn undump`.
#include <stdio.h>
#include <string.h>

#include "cli/village.h"
#include "support/tree.h"

// ---- text

static void a_save_is_told_from_its_header_to_its_data(void **state)
{
    cli_test *t = *state;
    village_put(t);
    assert_int_equal(cli_run(t, "dump", "evening.firn", NULL), 0);
    assert_string_equal(t->err, "");
    assert_string_equal(
        t->out, "save file\n"
                "  engineVersion = \"firn 0.1.0\"\n"
                "  game = \"village\"\n"
                "  gameVersion = 2\n"
                "  kind = \"world\"\n"
                "  level = \"square\"\n"
                "  meta = {title = \"Evening\"}\n"
                "  parent = \"\"\n"
                "  playTime = 60.25\n"
                "  revision = 1\n"
                "  saveFormatVersion = 1\n"
                "  tick = 3600\n"
                "  timestamp = 1767225600000\n"
                "section custom: {mood = \"calm\"}\n"
                "section variables: {coins = 12, door = true}\n"
                "section map: 8 bytes\n"
                "section tune: 2 bytes\n"
                "snapshot of firn\n"
                "  version = 1\n"
                "  entities = 4\n"
                "  archetypes = 4\n"
                "  components = 10\n"
                "  data = 3\n"
                "  nextEntityId = 5\n"
                "  freeIds = 0\n"
                "  tick = 0\n"
                "  name = \"\"\n"
                "entity 3 (name \"the \\\"wolf\\\"\")\n"
                "  Health {current = 200, max = 200}\n"
                "  Name \"the \\\"wolf\\\"\"\n"
                "  Position {x = -20, y = 0.3}\n"
                "  Boss true\n"
                "entity 4\n"
                "  Chest {seed = 18446744073709551615, slots[0].kind = 1, slots[0].count = 300, "
                "slots[1].kind = 2, slots[1].count = 7, weights = {0.5, 1e300, -0.0}, label = "
                "\"\\x1b[31mred\", open = true}\n"
                "  Door.locks 2\n"
                "entity 1 (key \"player\")\n"
                "  Health {current = 80, max = 100}\n"
                "  Inventory {gold = 12, items = {{name = \"rope\", uses = 3}, {name = \"key\"}}}\n"
                "  Key \"player\"\n"
                "  Name \"Ann\"\n"
                "  Position {x = 1.5, y = -0.1}\n"
                "  Score 1250.5\n"
                "entity 2 (name \"Bert\")\n"
                "  Health {current = 9, max = 50}\n"
                "  Inventory {gold = 3, note = \"to, whom\"}\n"
                "  Likes->1 {target = 1}\n"
                "  Name \"Bert\"\n"
                "  Position {x = 3, y = 4}\n"
                "data tecs.random: {seed = 7, streams = {}}\n"
                "data __firn.world: {tick = 0}\n"
                "data weather: {rain = 0.25, wind = \"north\"}\n");
}

static void a_bare_snapshot_has_no_save_header(void **state)
{
    cli_test *t = *state;
    village_put(t);
    assert_int_equal(cli_run(t, "dump", "evening.image", NULL), 0);
    assert_memory_equal(t->out, "snapshot of firn\n  version = 1\n", 30);
    cli_put_golden(t, "tecs/05_table_components.bin");
    assert_int_equal(cli_run(t, "dump", "tecs/05_table_components.bin", NULL), 0);
    assert_memory_equal(t->out, "snapshot of another writer\n  version = 2\n", 40);
}

static void colors_are_for_terminals(void **state)
{
    cli_test *t = *state;
    village_put(t);
    t->host.terminal = true;
    assert_int_equal(cli_run(t, "dump", "evening.firn", "-e", "4", "-c", "Door.locks", NULL), 0);
    assert_string_equal(t->out, "\33[1mentity 4\33[0m\n  \33[36mDoor.locks\33[0m 2\n");
    t->host.no_color = true;
    assert_int_equal(cli_run(t, "dump", "evening.firn", "-e", "4", "-c", "Door.locks", NULL), 0);
    assert_string_equal(t->out, "entity 4\n  Door.locks 2\n");
}

static void no_byte_of_a_file_drives_the_terminal(void **state)
{
    cli_test *t = *state;
    if (!firn_json_available())
        skip();
    firn_error err;
    firn_buffer image = {0};
    firn_world *world = firn_world_create(NULL, NULL);
    const firn_component text = firn_component_register(
        world, &(firn_component_desc){.name = "A\xe2\x80\xae\\B", .kind = FIRN_STRING}, &err);
    firn_entity entity = firn_spawn(world, &text, 1, &err);
    assert_ok(firn_set_text(world, entity, text, "a\33]0;x\7\xc2\x9b\xe2\x80\xae\xff\n", &err),
              &err);
    assert_ok(firn_set_text(world, entity, firn_name(world), "\33c\xe2\x81\xa6", &err), &err);
    assert_ok(firn_snapshot_save(world, NULL, &image, &err), &err);
    cli_put(t, "a", image.data, image.size);
    firn_buffer_free(&image);
    firn_world_destroy(world);
    t->host.no_color = t->host.terminal = true;
    static const char *const forms[][4] = {{"firn", "dump", "a", NULL},
                                           {"firn", "dump", "a", "--json"},
                                           {"firn", "dump", "a", "--csv"}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const char *words[] = {"firn", "dump", "a", forms[i][3], "A\xe2\x80\xae\\B"};
        int count = i == 0 ? 3 : i == 1 ? 4 : 5;
        assert_int_equal(cli_run_words(t, count, words), 0);
        for (const char *at = t->out; *at != 0; at++) {
            assert_true(*at == '\n' || (unsigned char)*at >= 0x20);
            assert_true(memcmp(at, "\xc2\x9b", 2) != 0 && memcmp(at, "\xe2\x80", 2) != 0 &&
                        memcmp(at, "\xe2\x81", 2) != 0);
        }
    }
    assert_string_equal(t->out, "id,value\n1,a\\u{1b}]0;x\\u{7}\\u{9b}\\u{202e}\\xff\\n\n");
}

// ---- which entities

static void entities_are_named_by_id_or_key(void **state)
{
    cli_test *t = *state;
    village_put(t);
    assert_int_equal(cli_run(t, "dump", "evening.firn", "-e", "player", "--entity=4", "-c", "Score",
                             "-c", "Door.locks", NULL),
                     0);
    assert_string_equal(t->out, "entity 4\n  Door.locks 2\nentity 1 (key \"player\")\n"
                                "  Score 1250.5\n");
}

static void an_entity_that_is_missing_is_trouble(void **state)
{
    cli_test *t = *state;
    if (!firn_json_available())
        skip();
    village_put(t);
    static const char *const nobody[] = {
        "nobody", "17", "", "0", "99999999999999999999999", "18446744073709551617", "playe"};
    for (size_t i = 0; i < sizeof nobody / sizeof *nobody; i++) {
        assert_int_equal(cli_run(t, "dump", "evening.firn", "-e", nobody[i], NULL), 2);
        assert_string_equal(t->out, "");
        assert_says(t->err, "firn: evening.firn: there is no such entity: ");
    }
    assert_int_equal(cli_run(t, "dump", "evening.firn", "-e", "2", "-e", "x", "--json", NULL), 2);
    assert_says(t->out, "{\"id\":2,");
    // She is there, and is no boss.
    assert_int_equal(cli_run(t, "dump", "evening.firn", "-e", "player", "-c", "Boss", NULL), 0);
    assert_string_equal(t->out, "");
}

static void a_persisted_id_is_a_key(void **state)
{
    cli_test *t = *state;
    firn_error err;
    firn_buffer image = {0};
    firn_world *world = firn_world_create(NULL, NULL);
    firn_persist_register(world, NULL);
    firn_entity gate = firn_spawn(world, NULL, 0, &err);
    firn_entity lamp = firn_spawn(world, NULL, 0, &err);
    assert_ok(firn_set_text(world, gate, firn_key(world), "key of gate", &err), &err);
    assert_ok(firn_set_text(world, lamp, firn_key(world), "key of lamp", &err), &err);
    assert_ok(firn_persist_set(world, gate, &(firn_persist){.id = "gate"}, &err), &err);
    assert_ok(firn_persist_set(world, lamp, &(firn_persist){.id = ""}, &err), &err);
    assert_ok(firn_snapshot_save(world, NULL, &image, &err), &err);
    cli_put(t, "a", image.data, image.size);
    firn_buffer_free(&image);
    firn_world_destroy(world);
    assert_int_equal(cli_run(t, "dump", "a", "-e", "gate", "-c", "Key", NULL), 0);
    assert_string_equal(t->out, "entity 1 (key \"gate\")\n  Key \"key of gate\"\n");
    assert_int_equal(cli_run(t, "dump", "a", "-w", "key == 'key of lamp'", "-c", "Key", NULL), 0);
    assert_string_equal(t->out, "entity 2 (key \"key of lamp\")\n  Key \"key of lamp\"\n");
}

static void a_component_that_is_missing_is_trouble(void **state)
{
    cli_test *t = *state;
    village_put(t);
    assert_int_equal(cli_run(t, "dump", "evening.firn", "-c", "Helth", NULL), 2);
    assert_string_equal(t->err, "firn: evening.firn: there is no component Helth\n");
    assert_int_equal(cli_run(t, "dump", "evening.firn", "--csv", "Helth", NULL), 2);
    assert_string_equal(t->err, "firn: evening.firn: there is no component Helth\n");
}

static void a_relation_stands_for_all_its_targets(void **state)
{
    cli_test *t = *state;
    village_put(t);
    static const char *const names[] = {"Likes", "Likes->1"};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(cli_run(t, "dump", "evening.firn", "-c", names[i], NULL), 0);
        assert_string_equal(t->out, "entity 2 (name \"Bert\")\n  Likes->1 {target = 1}\n");
    }
}

// ---- tables

static void a_struct_has_a_column_for_each_field(void **state)
{
    cli_test *t = *state;
    village_put(t);
    assert_int_equal(cli_run(t, "dump", "evening.firn", "--csv", "Position", NULL), 0);
    assert_string_equal(t->out, "id,x,y\n3,-20,0.3\n1,1.5,-0.1\n2,3,4\n");
    assert_int_equal(cli_run(t, "dump", "evening.firn", "--csv", "Chest", NULL), 0);
    assert_string_equal(t->out, "id,seed,slots[0].kind,slots[0].count,slots[1].kind,"
                                "slots[1].count,weights,label,open\n"
                                "4,18446744073709551615,1,300,2,7,\"{0.5, 1e300, -0.0}\","
                                "\\u{1b}[31mred,true\n");
}

static void a_value_has_a_column_for_each_key_of_any(void **state)
{
    cli_test *t = *state;
    village_put(t);
    assert_int_equal(cli_run(t, "dump", "evening.firn", "--csv", "Inventory", NULL), 0);
    assert_string_equal(t->out,
                        "id,gold,items,note\n"
                        "1,12,\"{{name = \"\"rope\"\", uses = 3}, {name = \"\"key\"\"}}\",\n"
                        "2,3,,\"to, whom\"\n");
    cli_put_golden(t, "firn/06_version_2.bin");
    assert_int_equal(cli_run(t, "dump", "firn/06_version_2.bin", "--csv", "Bag", NULL), 0);
    assert_string_equal(t->out, "id,[1],coins\n5,rope,12\n14,rope,12\n");
}

static void a_scalar_has_one_column(void **state)
{
    cli_test *t = *state;
    village_put(t);
    assert_int_equal(cli_run(t, "dump", "evening.firn", "--csv", "Name", NULL), 0);
    assert_string_equal(t->out, "id,value\n3,\"the \"\"wolf\"\"\"\n1,Ann\n2,Bert\n");
    assert_int_equal(cli_run(t, "dump", "evening.firn", "--csv", "Boss", NULL), 0);
    assert_string_equal(t->out, "id,value\n3,true\n");
}

static void a_table_has_only_what_is_chosen(void **state)
{
    cli_test *t = *state;
    village_put(t);
    assert_int_equal(
        cli_run(t, "dump", "evening.firn", "--csv", "Inventory", "-w", "id == 2", NULL), 0);
    assert_string_equal(t->out, "id,gold,note\n2,3,\"to, whom\"\n");
    assert_int_equal(cli_run(t, "dump", "evening.firn", "--csv", "Score", "-e", "2", NULL), 0);
    assert_string_equal(t->out, "id\n");
}

static void each_edge_of_a_relation_is_a_row(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/10_relations.bin");
    assert_int_equal(cli_run(t, "dump", "firn/10_relations.bin", "--csv", "ChildOf", NULL), 0);
    assert_memory_equal(t->out, "id,target", 9);
}

static void blanks_at_an_end_are_quoted(void **state)
{
    cli_test *t = *state;
    firn_error err;
    firn_buffer image = {0};
    firn_world *world = firn_world_create(NULL, NULL);
    static const char *const texts[] = {" a", "a ", "a b", "", "\"", "a\nb"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        firn_entity entity = firn_spawn(world, NULL, 0, &err);
        assert_ok(firn_set_text(world, entity, firn_name(world), texts[i], &err), &err);
    }
    assert_ok(firn_snapshot_save(world, NULL, &image, &err), &err);
    cli_put(t, "a", image.data, image.size);
    firn_buffer_free(&image);
    firn_world_destroy(world);
    assert_int_equal(cli_run(t, "dump", "a", "--csv", "Name", NULL), 0);
    assert_string_equal(t->out, "id,value\n1,\" a\"\n2,\"a \"\n3,a b\n4,\n5,\"\"\"\"\n6,a\\nb\n");
}

static void a_table_of_too_many_columns_is_refused(void **state)
{
    cli_test *t = *state;
    firn_error err;
    firn_buffer image = {0};
    firn_world *world = firn_world_create(NULL, NULL);
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_value *table = firn_value_table(doc, NULL);
    for (int i = 0; i < 10001; i++)
        firn_table_push(doc, table, firn_value_number(doc, i, NULL), NULL);
    const firn_component bag = firn_component_register(
        world, &(firn_component_desc){.name = "Bag", .kind = FIRN_VALUE}, &err);
    firn_entity entity = firn_spawn(world, &bag, 1, &err);
    assert_ok(firn_set_value(world, entity, bag, table, &err), &err);
    assert_ok(firn_snapshot_save(world, NULL, &image, &err), &err);
    cli_put(t, "a", image.data, image.size);
    firn_buffer_free(&image);
    firn_doc_destroy(doc);
    firn_world_destroy(world);
    assert_int_equal(cli_run(t, "dump", "a", "--csv", "Bag", NULL), 2);
    assert_string_equal(t->err, "firn: a: entity 1: a table of more than 10000 columns\n");
}

// A type that nobody knows, in the place of `float`.
static void rows_of_unknown_fields_are_bytes(void **state)
{
    cli_test *t = *state;
    village_put(t);
    firn_buffer image = {0};
    const firn_buffer *flock = cli_get(t, "evening.flock");
    assert_int_equal(firn_buffer_append(&image, flock->data, flock->size, NULL), FIRN_OK);
    for (size_t i = 0; i + 5 < image.size; i++) {
        if (memcmp(image.data + i, "float", 5) == 0)
            memcpy(image.data + i, "flout", 5);
    }
    cli_put(t, "a", image.data, image.size);
    firn_buffer_free(&image);
    assert_int_equal(cli_run(t, "dump", "a", "-e2", "-c", "Position", NULL), 0);
    assert_string_equal(t->out, "entity 2\n  Position \"\\x00\\x00\\x80?\\xcd\\xcc\\xcc=\"\n");
    assert_int_equal(cli_run(t, "dump", "a", "-e2", "--csv", "Position", NULL), 0);
    assert_string_equal(t->out, "id,bytes\n2,\\u{0}\\u{0}\\x80?\\xcd\\xcc\\xcc=\n");
}

// ---- JSON

static void undump_gives_the_same_bytes(void **state)
{
    cli_test *t = *state;
    if (!firn_json_available())
        skip();
    village_put(t);
    static const char *const files[] = {"evening.firn", "morning.firn", "evening.image"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        assert_int_equal(cli_run(t, "dump", files[i], "--json", NULL), 0);
        cli_put_text(t, "a.json", t->out);
        assert_int_equal(cli_run(t, "undump", "a.json", "-o", "again", NULL), 0);
        assert_string_equal(t->out, "");
        const firn_buffer *again = cli_get(t, "again"), *file = cli_get(t, files[i]);
        assert_int_equal(again->size, file->size);
        assert_memory_equal(again->data, file->data, file->size);
        assert_int_equal(cli_run(t, "undump", "a.json", NULL), 0);
        assert_int_equal(t->streams[0].size, file->size);
        assert_memory_equal(t->out, file->data, file->size);
    }
}

static void json_of_json_is_the_same(void **state)
{
    cli_test *t = *state;
    if (!firn_json_available())
        skip();
    village_put(t);
    assert_int_equal(cli_run(t, "dump", "evening.firn", "--json", NULL), 0);
    cli_put_text(t, "a.json", t->out);
    assert_int_equal(cli_run(t, "dump", "a.json", "--json", NULL), 0);
    assert_int_equal(t->streams[0].size, cli_get(t, "a.json")->size);
    assert_memory_equal(t->out, cli_get(t, "a.json")->data, t->streams[0].size);
}

static void json_of_some_entities_is_their_lines(void **state)
{
    cli_test *t = *state;
    if (!firn_json_available())
        skip();
    village_put(t);
    assert_int_equal(cli_run(t, "dump", "evening.firn", "--json", "-w", "Boss", NULL), 0);
    assert_string_equal(t->out,
                        "{\"id\":3,\"frame\":0,\"components\":{\"Health\":{\"current\":200,"
                        "\"max\":200},\"Name\":\"the \\\"wolf\\\"\",\"Position\":{\"x\":-20,"
                        "\"y\":0.3},\"Boss\":true}}\n");
    cli_put_text(t, "some.json", t->out);
    assert_int_equal(cli_run(t, "undump", "some.json", NULL), 2);
    assert_says(t->err, "firn: some.json: ");
}

static void bytes_are_not_undumped(void **state)
{
    cli_test *t = *state;
    village_put(t);
    assert_int_equal(cli_run(t, "undump", "evening.firn", "-o", "x", NULL), 2);
    assert_string_equal(t->err, "firn: evening.firn: it is no JSON: there is nothing to undo\n");
    assert_false(cli_has(t, "x"));
}

static void bytes_do_not_go_to_a_terminal(void **state)
{
    cli_test *t = *state;
    if (!firn_json_available())
        skip();
    village_put(t);
    assert_int_equal(cli_run(t, "dump", "evening.firn", "--json", NULL), 0);
    cli_put_text(t, "a.json", t->out);
    t->host.terminal = true;
    assert_int_equal(cli_run(t, "undump", "a.json", NULL), 2);
    assert_string_equal(t->out, "");
    assert_says(t->err, "firn: bytes are not written to a terminal: -o FILE\n");
    assert_int_equal(cli_run(t, "undump", "a.json", "-o", "x", NULL), 0);
    assert_int_equal(cli_run(t, "undump", "a.json", "-o", "no/x", NULL), 2);
    assert_says(t->err, "firn: no/x: there is no such folder\n");
}

// ---- trouble

static void one_form_is_chosen(void **state)
{
    cli_test *t = *state;
    assert_int_equal(cli_run(t, "dump", "a", "--json", "--csv", "Position", NULL), 2);
    assert_says(t->err, "firn: --json or --csv, not both\n");
}

static void a_file_that_cannot_be_read_is_trouble(void **state)
{
    cli_test *t = *state;
    assert_int_equal(cli_run(t, "dump", "nothing", NULL), 2);
    assert_string_equal(t->err, "firn: nothing: there is no such file\n");
    assert_int_equal(cli_run(t, "undump", "nothing", NULL), 2);
    cli_put_text(t, "a", "no save");
    assert_int_equal(cli_run(t, "dump", "a", NULL), 2);
    assert_says(t->err, "firn: a: ");
    cli_put_text(t, "a", "{\"firn\":\"save\"}\n");
    assert_int_equal(cli_run(t, "undump", "a", NULL), 2);
    assert_says(t->err, "firn: a: ");
}

static void a_save_without_a_snapshot_has_no_entities(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "saves/01_least.firn");
    assert_int_equal(cli_run(t, "dump", "saves/01_least.firn", NULL), 0);
    assert_memory_equal(t->out, "save file\n", 10);
    assert_null(strstr(t->out, "snapshot"));
    assert_int_equal(cli_run(t, "dump", "saves/01_least.firn", "-w", "Boss", NULL), 0);
    assert_string_equal(t->out, "");
    assert_int_equal(cli_run(t, "dump", "saves/01_least.firn", "-c", "Boss", NULL), 2);
}

// Of a table with a key twice, which is only seen when it is read.
static void put_key_twice(cli_test *t, bool in_data)
{
    firn_error err;
    firn_buffer image = {0};
    firn_world *world = firn_world_create(NULL, NULL);
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    const firn_value *table = test_tree(doc, "{abc = 1, abd = 2}");
    const firn_component bag = firn_component_register(
        world, &(firn_component_desc){.name = "Bag", .kind = FIRN_VALUE}, &err);
    firn_entity entity = firn_spawn(world, &bag, 1, &err);
    assert_ok(
        firn_set_value(world, entity, bag, in_data ? firn_value_table(doc, NULL) : table, &err),
        &err);
    const firn_data data = {.key = "more", .value = table};
    const firn_save_options options = {.data = &data, .data_count = in_data};
    assert_ok(firn_snapshot_save(world, &options, &image, &err), &err);
    for (size_t i = 0; i + 3 < image.size; i++) {
        if (memcmp(image.data + i, "abd", 3) == 0)
            image.data[i + 2] = 'c';
    }
    cli_put(t, "a", image.data, image.size);
    firn_buffer_free(&image);
    firn_doc_destroy(doc);
    firn_world_destroy(world);
}

static void a_value_that_cannot_be_read_is_trouble(void **state)
{
    cli_test *t = *state;
    put_key_twice(t, false);
    static const char *const runs[][6] = {{"firn", "dump", "a"},
                                          {"firn", "dump", "a", "--csv", "Bag"},
                                          {"firn", "dump", "a", "-w", "Bag.abc == 1"}};
    static const int counts[] = {3, 5, 5};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(cli_run_words(t, counts[i], runs[i]), 2);
        assert_string_equal(t->err, "firn: a: entity 1: the key \"abc\" is there twice\n");
    }
    put_key_twice(t, true);
    assert_int_equal(cli_run(t, "dump", "a", NULL), 2);
    assert_string_equal(t->err, "firn: a: data more: the key \"abc\" is there twice\n");
}

static void a_closed_pipe_ends_a_dump(void **state)
{
    cli_test *t = *state;
    if (!firn_json_available())
        skip();
    village_put(t);
    static const char *const forms[][4] = {{"firn", "dump", "evening.firn", NULL},
                                           {"firn", "dump", "evening.firn", "--json"}};
    t->output_most = 0;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(cli_run_words(t, 3 + i, forms[i]), 2);
        assert_string_equal(t->err, "");
    }
    t->output_full = true;
    assert_int_equal(cli_run(t, "dump", "evening.firn", NULL), 2);
    assert_says(t->err, "no space left");
}

static void a_compressed_section_without_memory_says_so(void **state)
{
    cli_test *t = *state;
    if (!firn_save_file_can_compress())
        skip();
    cli_put_golden(t, "saves/06_compressed.firn");
    static const char *const runs[][4] = {
        {"firn", "dump", "saves/06_compressed.firn"},
        {"firn", "diff", "saves/06_compressed.firn", "saves/06_compressed.firn"}};
    cli_run_without_memory(t, 3, runs[0]);
    cli_run_without_memory(t, 4, runs[1]);
}

static void a_dump_without_memory_says_so(void **state)
{
    cli_test *t = *state;
    if (!firn_json_available())
        skip();
    village_put(t);
    assert_int_equal(cli_run(t, "dump", "evening.firn", "--json", NULL), 0);
    cli_put_text(t, "a.json", t->out);
    static const char *const runs[][9] = {
        {"firn", "dump", "evening.firn"},
        {"firn", "dump", "evening.firn", "--json"},
        {"firn", "dump", "evening.firn", "--json", "-w", "Boss"},
        {"firn", "dump", "evening.firn", "--csv", "Inventory"},
        {"firn", "dump", "evening.firn", "--csv", "Chest"},
        {"firn", "dump", "evening.firn", "--csv", "Likes"},
        {"firn", "dump", "evening.firn", "-e", "player", "-c", "Score"},
        {"firn", "dump", "evening.firn", "-w", "Inventory.items[1].name == 'rope' or key == 'x'"},
        {"firn", "undump", "a.json", "-o", "out"}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        int count = 0;
        while (count < 9 && runs[i][count] != NULL)
            count++;
        cli_run_without_memory(t, count, runs[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cli_unit_test(a_save_is_told_from_its_header_to_its_data),
        cli_unit_test(a_bare_snapshot_has_no_save_header),
        cli_unit_test(colors_are_for_terminals),
        cli_unit_test(no_byte_of_a_file_drives_the_terminal),
        cli_unit_test(entities_are_named_by_id_or_key),
        cli_unit_test(an_entity_that_is_missing_is_trouble),
        cli_unit_test(a_persisted_id_is_a_key),
        cli_unit_test(a_component_that_is_missing_is_trouble),
        cli_unit_test(a_relation_stands_for_all_its_targets),
        cli_unit_test(a_struct_has_a_column_for_each_field),
        cli_unit_test(a_value_has_a_column_for_each_key_of_any),
        cli_unit_test(a_scalar_has_one_column),
        cli_unit_test(a_table_has_only_what_is_chosen),
        cli_unit_test(each_edge_of_a_relation_is_a_row),
        cli_unit_test(blanks_at_an_end_are_quoted),
        cli_unit_test(a_table_of_too_many_columns_is_refused),
        cli_unit_test(rows_of_unknown_fields_are_bytes),
        cli_unit_test(undump_gives_the_same_bytes),
        cli_unit_test(json_of_json_is_the_same),
        cli_unit_test(json_of_some_entities_is_their_lines),
        cli_unit_test(bytes_are_not_undumped),
        cli_unit_test(bytes_do_not_go_to_a_terminal),
        cli_unit_test(one_form_is_chosen),
        cli_unit_test(a_file_that_cannot_be_read_is_trouble),
        cli_unit_test(a_save_without_a_snapshot_has_no_entities),
        cli_unit_test(a_value_that_cannot_be_read_is_trouble),
        cli_unit_test(a_closed_pipe_ends_a_dump),
        cli_unit_test(a_compressed_section_without_memory_says_so),
        cli_unit_test(a_dump_without_memory_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
