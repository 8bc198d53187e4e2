// Pages about files: what stands on them, and that nothing of a file becomes markup.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/report_scene.h"
#include "cli/run.h"
#include "support/tree.h"

// The page about a file.
static const char *page_of(cli_test *t, const char *name)
{
    if (cli_run(t, "report", name, "-o", "-", NULL) != 0) {
        fail_msg("%s: %s", name, t->err);
    }
    assert_string_equal(t->err, "");
    return t->out;
}

static void assert_not_on(const char *page, const char *part)
{
    if (strstr(page, part) != NULL) {
        fail_msg("the page has %s", part);
    }
}

// ---- arguments

static void a_page_goes_to_the_file_that_is_named(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/03_structs.bin");
    assert_int_equal(cli_run(t, "report", "firn/03_structs.bin", "-o", "out.html", NULL), 0);
    assert_string_equal(t->out, "");
    assert_string_equal(t->err, "");
    const firn_buffer *page = cli_get(t, "out.html");
    assert_memory_equal(page->data, "<!DOCTYPE html>\n", 16);
    const char *printed = page_of(t, "firn/03_structs.bin");
    assert_int_equal(strlen(printed), page->size);
    assert_memory_equal(printed, page->data, page->size);
}

static void a_page_needs_a_place(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/03_structs.bin");
    assert_int_equal(cli_run(t, "report", "firn/03_structs.bin", NULL), 2);
    assert_says(t->err, "firn: report takes -o OUT.html\n");
    assert_int_equal(cli_run(t, "report", "firn/03_structs.bin", "-o", "no/out.html", NULL), 2);
    assert_says(t->err, "no such folder");
}

static void a_file_that_is_damaged_has_no_page(void **state)
{
    cli_test *t = *state;
    static const char *const damaged[] = {"errors/corrupt/id_twice.bin",
                                          "errors/version/version_3.bin"};
    for (uint32_t i = 0; i < FIRN_COUNT(damaged); i++) {
        cli_put_golden(t, damaged[i]);
        assert_int_equal(cli_run(t, "report", damaged[i], "-o", "out.html", NULL), 2);
        assert_says(t->err, damaged[i]);
        assert_false(cli_has(t, "out.html"));
    }
    assert_int_equal(cli_run(t, "report", "none", "-o", "out.html", NULL), 2);
    assert_says(t->err, "firn: none: there is no such file\n");
}

// ---- sums

// The number behind a text; digits in groups.
static uint64_t number_behind(const char **at, const char *text)
{
    uint64_t number = 0;
    const char *found = strstr(*at, text);
    if (found == NULL) {
        fail_msg("no %s on the page", text);
    }
    for (*at = found + strlen(text); **at == ',' || (**at >= '0' && **at <= '9'); ++*at) {
        number = **at == ',' ? number : number * 10 + (uint64_t)(**at - '0');
    }
    return number;
}

// The rows of the first table come to what its last one says, and that is the file.
static void assert_sums(const char *page, uint64_t bytes)
{
    const char *at = strstr(page, "<section id=\"sums\">");
    assert_non_null(at);
    const char *all = strstr(at, "<tbody class=\"rest\">");
    assert_non_null(all);
    uint64_t sum = 0;
    while (strstr(at, "</th><td class=\"n\">") < all) {
        sum += number_behind(&at, "</th><td class=\"n\">");
    }
    assert_int_equal(sum, number_behind(&all, "All</th><td class=\"n\">"));
    assert_int_equal(sum, bytes);
}

static void every_byte_of_a_golden_file_is_counted_once(void **state)
{
    static const char *const names[] = {
        "firn/01_empty.bin",
        "firn/02_kinds.bin",
        "firn/03_structs.bin",
        "firn/04_free_list.bin",
        "firn/05_data.bin",
        "firn/06_version_2.bin",
        "firn/07_values.bin",
        "firn/08_codec.bin",
        "firn/09_game.bin",
        "firn/10_relations.bin",
        "firn/11_script.bin",
        "saves/02_kitchen.firn",
        "saves/03_persisted.firn",
        "saves/05_most.firn",
        "tecs/01_empty_world.bin",
        "tecs/02_bare_entities.bin",
        "tecs/04_ffi_all_types.bin",
        "tecs/05_table_components.bin",
        "tecs/06_scalars_and_tags.bin",
        "tecs/08_sparse_exclusive_childof.bin",
        "tecs/10_dense_ffi_relationship.bin",
        "tecs/12_large_target_name.bin",
        "tecs/16_random_streams.bin",
        "tecs/25_row_major_mixed.bin",
        "tecs/S_int32tags_08_sparse_exclusive_childof.bin",
        "tecs/S_nupp_v1_basic.bin",
        "tecs/S_old_version1_boolmask_25.bin",
        "tecs/S_version1_25_row_major_mixed.bin",
    };
    cli_test *t = *state;
    for (uint32_t i = 0; i < FIRN_COUNT(names); i++) {
        cli_put_golden(t, names[i]);
        assert_sums(page_of(t, names[i]), cli_get(t, names[i])->size);
    }
}

static void a_save_without_a_snapshot_has_a_page(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "saves/01_least.firn");
    const char *page = page_of(t, "saves/01_least.firn");
    assert_sums(page, cli_get(t, "saves/01_least.firn")->size);
    assert_says(page, "<dt>Game</dt><dd>mill</dd>");
    assert_not_on(page, "<section id=\"components\">");
    cli_put_golden(t, "saves/04_thumbnail.firn");
    page = page_of(t, "saves/04_thumbnail.firn");
    assert_sums(page, cli_get(t, "saves/04_thumbnail.firn")->size);
    assert_says(page, "<th scope=\"row\">thumbnail</th>");
}

static void compressed_sections_count_as_they_are_in_memory(void **state)
{
    cli_test *t = *state;
    if (!firn_save_file_can_compress()) {
        skip();
    }
    cli_put_golden(t, "saves/06_compressed.firn");
    const char *page = page_of(t, "saves/06_compressed.firn");
    const firn_buffer *bytes = cli_get(t, "saves/06_compressed.firn");
    firn_save_file *file = firn_save_file_open(bytes->data, bytes->size, NULL, NULL);
    uint64_t expanded = bytes->size;
    firn_section_info section;
    for (uint32_t i = 0; firn_save_file_section_at(file, i, &section); i++) {
        expanded += section.size - section.stored;
    }
    firn_save_file_close(file);
    assert_true(expanded > bytes->size);
    assert_sums(page, expanded);
    assert_says(page, " expanded</small>");
    assert_says(page, "<td>zstd</td>");
}

static void json_has_the_page_of_its_bytes(void **state)
{
    cli_test *t = *state;
    if (!firn_json_available()) {
        skip();
    }
    cli_put_golden(t, "json/firn_10_relations.jsonl");
    cli_put_golden(t, "firn/10_relations.bin");
    assert_sums(page_of(t, "json/firn_10_relations.jsonl"),
                cli_get(t, "firn/10_relations.bin")->size);
}

// ---- a town

static void put_town(cli_test *t, uint32_t entities)
{
    firn_buffer save = report_scene(entities);
    cli_put(t, "town.firn", save.data, save.size);
    firn_buffer_free(&save);
}

static void a_save_is_described(void **state)
{
    cli_test *t = *state;
    put_town(t, 400);
    const char *page = page_of(t, "town.firn");
    assert_sums(page, cli_get(t, "town.firn")->size);
    static const char *const parts[] = {
        "<title>town.firn \u2013 firn report</title>",
        "<h1>town.firn</h1>",
        "<dt>Entities</dt><dd>400</dd>",
        "<dt>Game</dt><dd>town</dd>",
        "<dt>Saved</dt><dd><time>2026-01-05T13:13:11Z</time></dd>",
        "<dt>Played</dt><dd>1:01:11</dd>",
        "<dt>Tick</dt><dd>216,000</dd>",
        "<dt>World</dt><dd>north</dd>",
        "<caption>Components</caption>",
        "<caption>Archetypes</caption>",
        "<caption>Largest entities</caption>",
        "<caption>Largest strings</caption>",
        "<caption>Numeric fields</caption>",
        "<caption>Data</caption>",
        "<caption>Sections</caption>",
        "<caption>Meta</caption>",
        "<th scope=\"row\">hero</th><td class=\"w\">&quot;Ada&quot;</td>",
        "<th scope=\"row\">town.paths</th>",
        "<th scope=\"row\">LivesIn</th><td>encoded, 8 targets</td>",
        "<td class=\"w\">person 1", // the key of a large entity
        "Have you seen my lamp?\\nIt was &lt;here&gt; &amp; now it is gone.",
    };
    for (uint32_t i = 0; i < FIRN_COUNT(parts); i++) {
        assert_says(page, parts[i]);
    }
}

// A sprite has 1, 4, 1, 8 and 2 bytes at 0, 4, 8, 16 and 24, in rows of 32.
static void padding_is_what_no_field_covers(void **state)
{
    cli_test *t = *state;
    put_town(t, 400);
    const char *row = strstr(page_of(t, "town.firn"), "<th scope=\"row\">Sprite</th><td>raw</td>");
    assert_non_null(row);
    assert_int_equal(number_behind(&row, "<td class=\"n\">"), 400);
    const char *padding = strstr(row, "50.0 %</td></tr>");
    assert_true(padding != NULL && padding < strstr(row, "</tr>"));
}

static void numbers_are_summed_up(void **state)
{
    cli_test *t = *state;
    put_town(t, 400);
    const char *page = page_of(t, "town.firn");
    const char *row = strstr(page, "<th scope=\"row\">Health</th><td class=\"w\">most</td>"
                                   "<td>float</td><td class=\"n\">");
    assert_non_null(row);
    const char *end = strstr(row, "</tr>");
    const char *constant = strstr(row, "data-order=\"100\">100</td><td class=\"n\" "
                                       "data-order=\"100\">100</td><td class=\"n\" "
                                       "data-order=\"100\">100</td><td class=\"n quiet\">0</td>"
                                       "<td class=\"n quiet\">0</td><td>constant</td>");
    assert_true(constant != NULL && constant < end);
    assert_says(page, "<th scope=\"row\">Inventory</th><td class=\"w\">things[].count</td>");
    assert_says(page, "<desc>4 bins from 0 to 3, at most ");
}

// Without style and script: those are in the source. Change what a page says, and this.
static void a_page_is_the_same_on_every_machine(void **state)
{
    cli_test *t = *state;
    put_town(t, 2000);
    const char *body = strstr(page_of(t, "town.firn"), "<body>");
    const char *script = strstr(body, "<script>");
    firn_digest digest = firn_bytes_digest(body, (size_t)(script - body));
    char text[40];
    (void)snprintf(text, sizeof text, "%016llx%016llx", (unsigned long long)digest.high,
                   (unsigned long long)digest.low);
    assert_string_equal(text, "dfca34df4ae8afffc5946e376342c55e");
}

// ---- hostile names

#define HOSTILE "<script>alert('x')</script>\"&amp;"
#define SHOWN   "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot;&amp;amp;"

#define SHOWN_IN_QUOTES "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;\\&quot;&amp;amp;"

// A name in every place that a name may have.
static void put_hostile(cli_test *t)
{
    static const firn_field fields[] = {{.name = HOSTILE, .type = FIRN_F32}};
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_world *world = firn_world_create(&(firn_world_desc){.name = HOSTILE}, &err);
    firn_component raw = firn_component_register(
        world,
        &(firn_component_desc){.name = HOSTILE, .size = 4, .fields = fields, .field_count = 1},
        &err);
    firn_component value = firn_component_register(
        world, &(firn_component_desc){.name = "\xe2\x80\xae" HOSTILE, .kind = FIRN_VALUE}, &err);
    firn_entity entity = firn_spawn(world, &raw, 1, &err);
    firn_value *table = firn_value_table(doc, &err);
    firn_table_set_text(doc, table, HOSTILE, firn_value_text(doc, HOSTILE "\x1b[2J\xff", &err),
                        NULL);
    firn_table_set_text(doc, table, "n " HOSTILE, firn_value_number(doc, 1, NULL), NULL);
    firn_table_set(doc, table, firn_value_number(doc, 0.5, NULL), firn_value_bool(doc, true, NULL),
                   NULL);
    firn_set_value(world, entity, value, table, &err);
    firn_set_text(world, entity, firn_key(world), HOSTILE, &err);
    firn_data data = {.key = HOSTILE, .value = table};
    firn_buffer image = {0}, save = {0};
    assert_ok(firn_snapshot_save(world, &(firn_save_options){.data = &data, .data_count = 1},
                                 &image, &err),
              &err);
    firn_save_header header = {
        .game_version = 1, .game = HOSTILE, .engine = HOSTILE, .level = HOSTILE, .meta = table};
    firn_section section = {FIRN_SECTION_SNAPSHOT, image.data, image.size};
    assert_ok(firn_save_file_write(&header, &section, 1, NULL, &save, &err), &err);
    cli_put(t, HOSTILE, save.data, save.size);
    firn_buffer_free(&image);
    firn_buffer_free(&save);
    firn_doc_destroy(doc);
    firn_world_destroy(world);
}

static void nothing_of_a_file_becomes_markup(void **state)
{
    cli_test *t = *state;
    put_hostile(t);
    const char *page = page_of(t, HOSTILE);
    static const char *const parts[] = {
        "<dt>Game</dt><dd>" SHOWN "</dd>",
        "<dt>Level</dt><dd>" SHOWN "</dd>",
        "<dt>Written by</dt><dd>" SHOWN "</dd>",
        "<dt>World</dt><dd>" SHOWN "</dd>",
        "<th scope=\"row\">" SHOWN "</th><td>raw</td>",
        "<th scope=\"row\">\\u{202e}" SHOWN "</th><td>encoded</td>",
        "<th scope=\"row\">" SHOWN "</th><td class=\"w\">" SHOWN "</td><td>float</td>",
        "<td class=\"w\">n " SHOWN "</td><td>number</td>",
        "class=\"text\">" SHOWN "\\u{1b}[2J\\xff</td>",
        "<th scope=\"row\">" SHOWN "</th><td>the game</td>",
        "<th scope=\"row\">" SHOWN "</th><td class=\"w\">&quot;" SHOWN_IN_QUOTES,
        "<td class=\"w\">" SHOWN "</td>",
        "<th scope=\"row\">[0.5]</th><td class=\"w\">true</td>",
        ("<title>" SHOWN),
    };
    for (uint32_t i = 0; i < FIRN_COUNT(parts); i++) {
        assert_says(page, parts[i]);
    }
    assert_not_on(page, "<script>alert");
    assert_not_on(page, "alert('x')");
    assert_not_on(page, "\xe2\x80\xae");
    assert_not_on(page, "\x1b");
    assert_not_on(page, "\xff");
}

// ---- more than there is room for

#define WIDE 300

static const firn_field one_field[] = {{.name = "v", .type = FIRN_F32}};

static firn_component register_float(firn_world *world, const char *name)
{
    return firn_component_register(
        world,
        &(firn_component_desc){
            .name = name, .size = sizeof(float), .fields = one_field, .field_count = 1},
        NULL);
}

static void put_world(cli_test *t, firn_world *world, const firn_save_options *options)
{
    firn_error err;
    firn_buffer image = {0};
    assert_ok(firn_snapshot_save(world, options, &image, &err), &err);
    cli_put(t, "world", image.data, image.size);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

// So many components, archetypes of 20 of them each, and entries of data.
static void put_wide(cli_test *t)
{
    char name[WIDE][16];
    firn_component components[WIDE];
    firn_data data[WIDE];
    firn_world *world = firn_world_create(NULL, NULL);
    for (uint32_t i = 0; i < WIDE; i++) {
        (void)snprintf(name[i], sizeof name[i], "C%03u", (unsigned)i);
        components[i] = register_float(world, name[i]);
        data[i] = (firn_data){.key = name[i], .encoded = "\x02", .encoded_size = 1};
    }
    for (uint32_t i = 0; i < WIDE; i++) {
        firn_component some[20];
        for (uint32_t k = 0; k < 20; k++) {
            some[k] = components[(i + k * 7) % WIDE];
        }
        assert_true(firn_spawn(world, some, 20, NULL) != 0);
    }
    put_world(t, world, &(firn_save_options){.data = data, .data_count = WIDE});
}

static void what_is_left_out_is_counted(void **state)
{
    cli_test *t = *state;
    put_wide(t);
    const char *page = page_of(t, "world");
    assert_sums(page, cli_get(t, "world")->size);
    static const char *const parts[] = {
        ">44 smaller components</td>",
        ">44 smaller archetypes</td>",
        ">45 smaller entries</td>", // the world's own is one
        "There are more fields than are listed here.",
        " and 12 more</th>",
        "<title>7 more components of C000, ",
        "<title>260 more archetypes: ",
        "<title>286 more entries: ",
    };
    for (uint32_t i = 0; i < FIRN_COUNT(parts); i++) {
        assert_says(page, parts[i]);
    }
}

static void a_field_may_have_no_finite_number(void **state)
{
    cli_test *t = *state;
    firn_world *world = firn_world_create(NULL, NULL);
    firn_component component = register_float(world, "Lone");
    firn_entity entity = firn_spawn(world, NULL, 0, NULL);
    firn_set(world, entity, component, &(float){NAN}, NULL);
    put_world(t, world, NULL);
    assert_says(page_of(t, "world"),
                "<td>float</td><td class=\"n\">0</td><td class=\"n\"></td><td class=\"n\"></td>"
                "<td class=\"n\"></td><td class=\"n odd\">1</td><td class=\"n quiet\">0</td>"
                "<td>no finite number</td>");
}

// ---- memory

static void assert_no_page_without_memory(cli_test *t, const char *name)
{
    uint64_t call = 0;
    for (bool injected = true; injected;) {
        test_allocator_fail_at(&t->memory, ++call, false);
        int status = cli_run(t, "report", name, "-o", "out.html", NULL);
        injected = t->memory.injected;
        assert_int_equal(status, injected ? 2 : 0);
        assert_int_equal(cli_has(t, "out.html"), !injected);
        if (injected) {
            assert_says(t->err, "firn: ");
        }
    }
    assert_true(call > 20);
    test_allocator_fail_at(&t->memory, 0, false);
}

static void a_page_without_memory_is_no_page(void **state)
{
    cli_test *t = *state;
    put_town(t, 60);
    assert_no_page_without_memory(t, "town.firn");
}

static void a_section_that_is_not_expanded_has_no_page(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "saves/06_compressed.firn");
    if (firn_save_file_can_compress()) {
        assert_no_page_without_memory(t, "saves/06_compressed.firn");
    } else {
        assert_int_equal(cli_run(t, "report", "saves/06_compressed.firn", "-o", "out.html", NULL),
                         2);
        assert_says(t->err, "zstd");
    }
}

// Only columns and names cost something: lists and histograms are as large for any world.
static void memory_does_not_follow_entities(void **state)
{
    cli_test *t = *state;
    uint64_t beside[2];
    static const uint32_t entities[] = {2000, 16000};
    for (uint32_t i = 0; i < 2; i++) {
        put_town(t, entities[i]);
        test_allocator_reset_peak(&t->memory);
        page_of(t, "town.firn");
        beside[i] = t->memory.peak_bytes - cli_get(t, "town.firn")->size;
    }
    assert_true(beside[1] < beside[0] + 65536);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cli_unit_test(a_page_goes_to_the_file_that_is_named),
        cli_unit_test(a_page_needs_a_place),
        cli_unit_test(a_file_that_is_damaged_has_no_page),
        cli_unit_test(every_byte_of_a_golden_file_is_counted_once),
        cli_unit_test(a_save_without_a_snapshot_has_a_page),
        cli_unit_test(compressed_sections_count_as_they_are_in_memory),
        cli_unit_test(json_has_the_page_of_its_bytes),
        cli_unit_test(a_save_is_described),
        cli_unit_test(padding_is_what_no_field_covers),
        cli_unit_test(numbers_are_summed_up),
        cli_unit_test(a_page_is_the_same_on_every_machine),
        cli_unit_test(nothing_of_a_file_becomes_markup),
        cli_unit_test(what_is_left_out_is_counted),
        cli_unit_test(a_field_may_have_no_finite_number),
        cli_unit_test(a_page_without_memory_is_no_page),
        cli_unit_test(a_section_that_is_not_expanded_has_no_page),
        cli_unit_test(memory_does_not_follow_entities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
