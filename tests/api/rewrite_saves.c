// Save files with other names: snapshots, what is saved by field, and everything that stays.
#include "api/persist_room.h"
#include "support/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static firn_buffer rewrite_save(const firn_buffer *file, const firn_edit *edits, uint32_t count,
                                firn_edit_effect *effects)
{
    firn_error err;
    firn_buffer out = {0};
    const firn_rewrite_options options = {.edits = edits, .edit_count = count};
    assert_ok(firn_save_file_rewrite(file->data, file->size, &options, &out, effects, &err), &err);
    return out;
}

static firn_save_file *open_save(const firn_buffer *bytes)
{
    firn_error err;
    firn_save_file *file = firn_save_file_open(bytes->data, bytes->size, NULL, &err);
    assert_ok(file != NULL ? FIRN_OK : err.code, &err);
    return file;
}

static const firn_value *section_tree(const firn_buffer *bytes, const char *name, firn_doc *doc)
{
    firn_error err;
    const void *section;
    size_t size;
    firn_save_file *file = open_save(bytes);
    assert_ok(firn_save_file_section(file, name, &section, &size, &err), &err);
    const firn_value *tree = firn_value_decode(doc, section, size, &err);
    assert_non_null(tree);
    firn_save_file_close(file);
    return tree;
}

// ---- what persists

static void set_gold(room *r, firn_entity entity, double gold)
{
    firn_error err;
    const firn_value number = {.kind = FIRN_VALUE_NUMBER, .as.number = gold};
    assert_ok(firn_vars_set(r->z.world, entity, "gold", &number, &err), &err);
}

// The player persists as a whole and the door by field.
static void set_by_field(room *r, const char *fields)
{
    firn_persist row = {.id = "door", .mode = FIRN_PERSIST_FIELDS};
    (void)snprintf(row.fields, sizeof row.fields, "%s", fields);
    room_persist(r, r->door, row);
    set_gold(r, r->door, 5);
    set_gold(r, r->player, 6);
    room_place(r, r->player, 1);
    room_place(r, r->door, 3);
}

static void save_by_field(room *r, const char *fields)
{
    set_by_field(r, fields);
    room_save(r);
}

static void what_is_saved_by_field_follows(void **state)
{
    room *r = *state;
    const firn_edit edits[] = {
        {.kind = FIRN_RENAME_COMPONENT, .component = "zoo.Point", .to = "Spot"},
        {.kind = FIRN_RENAME_FIELD, .component = "Spot", .field = "x", .to = "left"},
        {.kind = FIRN_RENAME_FIELD, .component = "Vars", .field = "gold", .to = "coins"},
    };
    firn_edit_effect effects[3];
    save_by_field(r, "zoo.Point.x zoo.Title zoo.Point");
    firn_buffer out = rewrite_save(&r->file, edits, 3, effects);
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    const firn_value *section = section_tree(&out, FIRN_SECTION_PERSIST, doc);
    assert_tree(firn_table_get_text(section, "parts"),
                "{{\"door\", {{\"Spot.left\", {{left = 3}}}, {\"zoo.Title\", {}}, "
                "{\"Spot\", {{left = 3, y = -3}}}}, {{{coins = 5}}}, 3}}");
    assert_int_equal(effects[0].names, 2);
    assert_int_equal(effects[1].names, 1);
    assert_true(effects[2].found && effects[2].rows == 2);
    firn_doc_destroy(doc);
    firn_buffer_free(&out);
}

static void what_is_dropped_is_in_no_list_any_more(void **state)
{
    room *r = *state;
    const firn_edit edits[] = {
        {.kind = FIRN_DROP_COMPONENT, .component = "zoo.Point"},
        {.kind = FIRN_DROP_COMPONENT, .component = "Vars"},
        {.kind = FIRN_DROP_FIELD, .component = "zoo.Gap", .field = "a"},
    };
    save_by_field(r, "zoo.Point.x zoo.Gap.a zoo.Title zoo.Point");
    firn_buffer out = rewrite_save(&r->file, edits, 3, NULL);
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    const firn_value *parts =
        firn_table_get_text(section_tree(&out, FIRN_SECTION_PERSIST, doc), "parts");
    assert_tree(parts, "{{\"door\", {{\"zoo.Title\", {}}}, {}, 3}}");
    firn_doc_destroy(doc);
    firn_buffer_free(&out);
}

static void what_has_no_variables_has_none_afterwards(void **state)
{
    room *r = *state;
    const firn_edit edits[] = {
        {.kind = FIRN_RENAME_COMPONENT, .component = "zoo.Title", .to = "Name"},
        {.kind = FIRN_DROP_COMPONENT, .component = "Vars"},
    };
    room_persist(r, r->door,
                 (firn_persist){.id = "door", .mode = FIRN_PERSIST_FIELDS, .fields = "zoo.Title"});
    room_save(r);
    firn_buffer out = rewrite_save(&r->file, edits, 2, NULL);
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    assert_tree(firn_table_get_text(section_tree(&out, FIRN_SECTION_PERSIST, doc), "parts"),
                "{{\"door\", {{\"Name\", {}}}, {}, 3}}");
    firn_doc_destroy(doc);
    firn_buffer_free(&out);
}

static void a_rewritten_save_loads_under_the_new_names(void **state)
{
    room *r = *state;
    firn_error err;
    const firn_edit there = {
        .kind = FIRN_RENAME_COMPONENT, .component = "zoo.Point", .to = "Elsewhere"};
    const firn_edit back = {
        .kind = FIRN_RENAME_COMPONENT, .component = "Elsewhere", .to = "zoo.Point"};
    save_by_field(r, "zoo.Point");
    firn_buffer out = rewrite_save(&r->file, &there, 1, NULL);
    firn_buffer again = rewrite_save(&out, &back, 1, NULL);
    assert_same_bytes(&again, &r->file);
    assert_false(out.size == again.size && memcmp(out.data, again.data, out.size) == 0);
    room_place(r, r->door, 8);
    assert_ok(firn_saves_take(r->saves, again.data, again.size, NULL, &err), &err);
    assert_true(room_place_of(r, r->door) == 3);
    firn_buffer_free(&out);
    firn_buffer_free(&again);
}

// Edges to what the save has and to what it has not, of relations that list their sources and one
// that does not, in an order that is not that of the rows.
static void relate_all(room *r, const char *name, uint32_t bits, const firn_entity *sources,
                       firn_entity target)
{
    firn_error err;
    const firn_component_desc desc = {.name = name, .kind = FIRN_RELATION, .relation = bits};
    firn_component relation = zoo_register(r->z.world, &desc);
    for (uint32_t i = 4; i-- > 0;) {
        assert_ok(firn_relate(r->z.world, sources[i], relation, target, NULL, &err), &err);
    }
}

static void save_with_edges(room *r)
{
    firn_error err;
    firn_entity sources[4] = {r->player, r->door, room_spawn(r, 4), room_spawn(r, 5)};
    for (uint32_t i = 2; i < 4; i++) {
        const firn_component more[] = {r->z.of[ZOO_TAG], r->z.of[ZOO_GAP]};
        assert_ok(firn_add(r->z.world, sources[i], more, i - 1, &err), &err);
        room_persist(r, sources[i], (firn_persist){.mode = FIRN_PERSIST_ALL});
    }
    relate_all(r, "Likes", FIRN_REVERSE, sources, r->player);
    relate_all(r, "Owns", FIRN_SPARSE | FIRN_EXCLUSIVE | FIRN_REVERSE, sources, r->scenery);
    relate_all(r, "Sees", FIRN_REVERSE, sources, r->scenery);
    relate_all(r, "Trusts", 0, sources, r->player);
    room_save(r);
}

static bool save_has_outer(const firn_buffer *file)
{
    firn_error err;
    const void *image, *lists;
    size_t size, list_size;
    firn_save_file *opened = open_save(file);
    assert_ok(firn_save_file_section(opened, FIRN_SECTION_SNAPSHOT, &image, &size, &err), &err);
    firn_result found =
        firn_image_data(image, size, "__firn.outer", NULL, &lists, &list_size, &err);
    firn_save_file_close(opened);
    return found == FIRN_OK;
}

static void edges_of_what_persists_keep_their_order(void **state)
{
    room *r = *state;
    firn_error err;
    save_with_edges(r);
    assert_true(save_has_outer(&r->file));
    const firn_edit there[] = {
        {.kind = FIRN_RENAME_COMPONENT, .component = "zoo.Gap", .to = "A"},
        {.kind = FIRN_RENAME_COMPONENT, .component = "zoo.Tag", .to = "B"},
    };
    const firn_edit back[] = {
        {.kind = FIRN_RENAME_COMPONENT, .component = "A", .to = "zoo.Gap"},
        {.kind = FIRN_RENAME_COMPONENT, .component = "B", .to = "zoo.Tag"},
    };
    firn_buffer out = rewrite_save(&r->file, there, 2, NULL);
    assert_false(save_has_outer(&out)); // the rows stand in that order now
    firn_buffer again = rewrite_save(&out, back, 2, NULL);
    assert_same_bytes(&again, &r->file);
    assert_ok(firn_saves_take(r->saves, again.data, again.size, NULL, &err), &err);
    firn_buffer_free(&out);
    firn_buffer_free(&again);
}

// Rows of `persist` in a snapshot list names, too.
static void lists_of_names_in_rows_follow(void **state)
{
    room *r = *state;
    firn_error err;
    const firn_edit edits[] = {
        {.kind = FIRN_RENAME_COMPONENT, .component = "zoo.Point", .to = "Spot"},
        {.kind = FIRN_DROP_FIELD, .component = "Spot", .field = "y"},
        {.kind = FIRN_DROP_COMPONENT, .component = "zoo.Bag"},
        {.kind = FIRN_RENAME_COMPONENT, .component = "Unseen", .to = "Seen"},
    };
    firn_edit_effect effects[4];
    set_by_field(r, "zoo.Point.x  zoo.Point.y zoo.Bag zoo.Title Other.x");
    firn_buffer image = zoo_save(r->z.world), out = {0};
    const firn_rewrite_options options = {.edits = edits, .edit_count = 4};
    assert_ok(firn_image_rewrite(image.data, image.size, &options, &out, effects, &err), &err);
    firn_world *world = zoo_empty(NULL);
    assert_true(firn_persist_register(world, &err) != 0);
    const firn_load_options loading = {.skip_unknown = true};
    assert_ok(firn_snapshot_load(world, out.data, out.size, &loading, NULL, &err), &err);
    const firn_persist *row = firn_get(world, r->door, firn_persist_component(world));
    assert_string_equal(row->fields, "Spot.x zoo.Title Other.x");
    assert_string_equal(row->id, "door");
    assert_int_equal(effects[0].names, 2);
    assert_int_equal(effects[1].names, 1);
    assert_int_equal(effects[2].names, 1);
    assert_false(effects[3].found);
    firn_world_destroy(world);
    firn_buffer_free(&image);
    firn_buffer_free(&out);
}

static void a_list_that_would_be_too_long_is_an_error(void **state)
{
    room *r = *state;
    firn_error err;
    char name[200];
    memset(name, 'n', sizeof name);
    name[199] = '\0';
    const firn_edit edit = {.kind = FIRN_RENAME_COMPONENT, .component = "zoo.Title", .to = name};
    save_by_field(r, "zoo.Title");
    firn_buffer image = zoo_save(r->z.world), out = {0};
    const firn_rewrite_options options = {.edits = &edit, .edit_count = 1};
    assert_int_equal(firn_image_rewrite(image.data, image.size, &options, &out, NULL, &err),
                     FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "nnn");
    firn_buffer_free(&image);
    firn_buffer_free(&out);
}

static void a_name_that_only_a_list_has_is_taken_all_the_same(void **state)
{
    room *r = *state;
    firn_error err;
    firn_buffer out = {0};
    const firn_edit edit = {
        .kind = FIRN_RENAME_COMPONENT, .component = "zoo.Point", .to = "zoo.Title"};
    save_by_field(r, "zoo.Title");
    const firn_rewrite_options options = {.edits = &edit, .edit_count = 1};
    assert_int_equal(firn_save_file_rewrite(r->file.data, r->file.size, &options, &out, NULL, &err),
                     FIRN_EXISTS);
    assert_error(&err, FIRN_EXISTS, "zoo.Title");
    firn_buffer_free(&out);
}

// ---- sections that are none

static firn_buffer save_with_section(const char *name, const char *tree)
{
    firn_error err;
    firn_buffer encoded = {0}, file = {0};
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    assert_ok(firn_value_encode(test_tree(doc, tree), NULL, &encoded, &err), &err);
    const firn_save_header header = {
        .game = "mill", .game_version = 1, .level = "", .kind = "persisted"};
    const firn_section section = {name, encoded.data, encoded.size};
    assert_ok(firn_save_file_write(&header, &section, 1, NULL, &file, &err), &err);
    firn_doc_destroy(doc);
    firn_buffer_free(&encoded);
    return file;
}

static void a_section_that_is_none_is_corrupt(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "7",
        "{}",
        "{parts = 1}",
        "{parts = {1}}",
        "{parts = {{\"key\", {}}}}",
        "{parts = {{\"key\", {1}, {}}}}",
        "{parts = {{\"key\", {{\"name\"}}, {}}}}",
        "{parts = {{\"key\", {{1, {}}}, {}}}}",
        "{parts = {}, version = 2}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        firn_error err;
        firn_buffer file = save_with_section(FIRN_SECTION_PERSIST, bad[i]), out = {0};
        assert_int_equal(firn_save_file_rewrite(file.data, file.size, NULL, &out, NULL, &err),
                         FIRN_CORRUPT);
        assert_error(&err, FIRN_CORRUPT, FIRN_SECTION_PERSIST);
        assert_int_equal(out.size, 0);
        firn_buffer_free(&file);
        firn_buffer_free(&out);
    }
}

static void bytes_that_are_no_value_are_no_section(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer file = {0}, out = {0};
    const firn_save_header header = {
        .game = "mill", .game_version = 1, .level = "", .kind = "persisted"};
    const firn_section section = {FIRN_SECTION_PERSIST, "\x0c", 1};
    assert_ok(firn_save_file_write(&header, &section, 1, NULL, &file, &err), &err);
    assert_int_equal(firn_save_file_rewrite(file.data, file.size, NULL, &out, NULL, &err),
                     FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, FIRN_SECTION_PERSIST);
    firn_limits limits = {.depth = 2};
    const firn_rewrite_options options = {.limits = &limits};
    firn_buffer_free(&file);
    file = save_with_section(FIRN_SECTION_PERSIST, "{parts = {{{{}}}}}");
    assert_int_equal(firn_save_file_rewrite(file.data, file.size, &options, &out, NULL, &err),
                     FIRN_LIMIT);
    firn_buffer_free(&file);
    firn_buffer_free(&out);
}

// ---- what stays

static firn_buffer golden_save(const char *name)
{
    firn_error err;
    char path[256];
    size_t size;
    firn_buffer file = {0};
    (void)snprintf(path, sizeof path, FIRN_TEST_DATA "/saves/%s", name);
    uint8_t *bytes = test_read_file(path, &size);
    assert_ok(firn_buffer_append(&file, bytes, size, &err), &err);
    free(bytes);
    return file;
}

static void a_save_without_edits_comes_out_as_the_same_bytes(void **state)
{
    (void)state;
    static const char *const names[] = {"01_least.firn",     "02_kitchen.firn",
                                        "03_persisted.firn", "04_thumbnail.firn",
                                        "05_most.firn",      "06_compressed.firn"};
    size_t count = sizeof names / sizeof *names - (firn_save_file_can_compress() ? 0 : 1);
    for (size_t i = 0; i < count; i++) {
        firn_buffer file = golden_save(names[i]);
        firn_buffer out = rewrite_save(&file, NULL, 0, NULL);
        assert_same_bytes(&out, &file);
        firn_buffer_free(&file);
        firn_buffer_free(&out);
    }
}

static void what_was_compressed_is_compressed_again(void **state)
{
    (void)state;
    if (!firn_save_file_can_compress()) {
        skip();
    }
    firn_error err;
    firn_buffer file = golden_save("06_compressed.firn"), out = {0};
    const firn_rewrite_options options = {.game_version = 77};
    assert_ok(firn_save_file_rewrite(file.data, file.size, &options, &out, NULL, &err), &err);
    firn_save_file *before = open_save(&file), *after = open_save(&out);
    firn_section_info a, b;
    for (uint32_t i = 0; firn_save_file_section_at(before, i, &a); i++) {
        const void *left, *right;
        size_t left_size, right_size;
        assert_true(firn_save_file_section_at(after, i, &b));
        assert_string_equal(a.name, b.name);
        assert_int_equal(a.compressed, b.compressed);
        assert_ok(firn_save_file_section(before, a.name, &left, &left_size, NULL), NULL);
        assert_ok(firn_save_file_section(after, a.name, &right, &right_size, NULL), NULL);
        assert_int_equal(left_size, right_size);
        assert_memory_equal(left, right, left_size);
    }
    firn_save_file_close(before);
    firn_save_file_close(after);
    firn_buffer_free(&file);
    firn_buffer_free(&out);
}

static void the_version_of_the_game_can_be_set(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer file = golden_save("04_thumbnail.firn"), out = {0};
    const firn_rewrite_options options = {.game_version = 77};
    assert_ok(firn_save_file_rewrite(file.data, file.size, &options, &out, NULL, &err), &err);
    firn_save_file *before = open_save(&file), *after = open_save(&out);
    const firn_save_header *a = firn_save_file_header(before), *b = firn_save_file_header(after);
    assert_int_equal(b->game_version, 77);
    assert_string_equal(b->engine, a->engine);
    assert_true(b->timestamp == a->timestamp && b->revision == a->revision);
    assert_true(firn_value_equal(a->meta, b->meta));
    assert_int_equal(firn_save_file_section_count(after), firn_save_file_section_count(before));
    firn_save_file_close(before);
    firn_save_file_close(after);
    firn_buffer_free(&file);
    firn_buffer_free(&out);
}

static void a_damaged_save_is_not_rewritten(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer file = golden_save("02_kitchen.firn"), out = {0};
    file.data[file.size - 1] ^= 1;
    assert_int_equal(firn_save_file_rewrite(file.data, file.size, NULL, &out, NULL, &err),
                     FIRN_CORRUPT);
    assert_int_equal(out.size, 0);
    firn_buffer_free(&file);
    firn_buffer_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOM(what_is_saved_by_field_follows),
        IN_ROOM(what_is_dropped_is_in_no_list_any_more),
        IN_ROOM(what_has_no_variables_has_none_afterwards),
        IN_ROOM(a_rewritten_save_loads_under_the_new_names),
        IN_ROOM(edges_of_what_persists_keep_their_order),
        IN_ROOM(lists_of_names_in_rows_follow),
        IN_ROOM(a_list_that_would_be_too_long_is_an_error),
        IN_ROOM(a_name_that_only_a_list_has_is_taken_all_the_same),
        cmocka_unit_test(a_section_that_is_none_is_corrupt),
        cmocka_unit_test(bytes_that_are_no_value_are_no_section),
        cmocka_unit_test(a_save_without_edits_comes_out_as_the_same_bytes),
        cmocka_unit_test(what_was_compressed_is_compressed_again),
        cmocka_unit_test(the_version_of_the_game_can_be_set),
        cmocka_unit_test(a_damaged_save_is_not_rewritten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
