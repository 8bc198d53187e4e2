// Arguments and edits that firn_image_rewrite and firn_save_file_rewrite refuse.
#include "api/rewrite_game.h"
#include "api/snapshot_zoo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static firn_buffer make_image(void)
{
    game_names names;
    game_names_begin(&names);
    game_world game = game_make(&names);
    game_fill(&game, 9, 40);
    firn_buffer image = game_save(game.world);
    firn_world_destroy(game.world);
    return image;
}

// Refused with that subject, and nothing is appended.
static void assert_refused(const firn_rewrite_options *options, firn_result result,
                           const char *subject)
{
    firn_error err = {.code = FIRN_OK};
    firn_buffer image = make_image(), out = {0};
    assert_ok(firn_buffer_append(&out, "x", 1, &err), &err);
    assert_int_equal(firn_image_rewrite(image.data, image.size, options, &out, NULL, &err), result);
    assert_error(&err, result, subject);
    assert_int_equal(out.size, 1);
    assert_int_equal(firn_image_rewrite(image.data, image.size, options, &out, NULL, NULL), result);
    firn_buffer_free(&image);
    firn_buffer_free(&out);
}

static void assert_edit_refused(firn_edit edit, firn_result result, const char *subject)
{
    assert_refused(&(firn_rewrite_options){.edits = &edit, .edit_count = 1}, result, subject);
}

static void arguments_that_are_missing_are_named(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer out = {0};
    assert_int_equal(firn_image_rewrite(NULL, 0, NULL, &out, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "image");
    assert_int_equal(firn_image_rewrite("x", 1, NULL, NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "out");
    assert_int_equal(firn_save_file_rewrite(NULL, 0, NULL, &out, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "file");
    assert_int_equal(firn_save_file_rewrite("x", 1, NULL, NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "out");
    assert_int_equal(firn_image_rewrite("x", 1, NULL, &out, NULL, &err), FIRN_NOT_OURS);
}

static void options_that_are_none_are_refused(void **state)
{
    (void)state;
    const firn_limits limits = {.depth = 1000};
    const firn_allocator allocator = {.resize = NULL};
    const firn_image_schema schema = {.component = NULL};
    assert_refused(&(firn_rewrite_options){.reserved = {0, 0, 0, 1}}, FIRN_INVALID, "reserved");
    assert_refused(&(firn_rewrite_options){.edit_count = 1}, FIRN_INVALID, "edits");
    assert_refused(&(firn_rewrite_options){.limits = &limits}, FIRN_INVALID, "depth");
    assert_refused(&(firn_rewrite_options){.allocator = &allocator}, FIRN_INVALID, "allocator");
    assert_refused(&(firn_rewrite_options){.schemas = &schema, .schema_count = 1}, FIRN_INVALID,
                   "");
    firn_error err;
    firn_buffer out = {0};
    const firn_rewrite_options bad = {.reserved = {1}};
    assert_int_equal(firn_save_file_rewrite("x", 1, &bad, &out, NULL, &err), FIRN_INVALID);
}

static void an_edit_without_its_names_is_refused(void **state)
{
    (void)state;
    char name[300];
    memset(name, 'n', sizeof name);
    name[299] = '\0';
    assert_edit_refused((firn_edit){.kind = FIRN_DROP_COMPONENT}, FIRN_INVALID, "");
    assert_edit_refused((firn_edit){.kind = FIRN_DROP_COMPONENT, .component = ""}, FIRN_INVALID,
                        "");
    assert_edit_refused((firn_edit){.kind = FIRN_RENAME_COMPONENT, .component = "Place"},
                        FIRN_INVALID, "");
    assert_edit_refused((firn_edit){.kind = FIRN_RENAME_FIELD, .component = "Place", .to = "z"},
                        FIRN_INVALID, "");
    assert_edit_refused((firn_edit){.kind = FIRN_RENAME_FIELD, .component = "Place", .field = "x"},
                        FIRN_INVALID, "");
    assert_edit_refused((firn_edit){.kind = FIRN_DROP_FIELD, .component = "Place"}, FIRN_INVALID,
                        "");
    assert_edit_refused((firn_edit){.kind = (firn_edit_kind)9, .component = "Place"}, FIRN_INVALID,
                        "kind");
    assert_edit_refused(
        (firn_edit){.kind = FIRN_RENAME_COMPONENT, .component = "Place", .to = name}, FIRN_LIMIT,
        "nnn");
}

static void names_that_nothing_can_have_are_refused(void **state)
{
    (void)state;
    assert_edit_refused((firn_edit){.kind = FIRN_DROP_COMPONENT, .component = "Likes->5"},
                        FIRN_INVALID, "Likes->5");
    assert_edit_refused(
        (firn_edit){.kind = FIRN_RENAME_COMPONENT, .component = "Place", .to = "a->b"},
        FIRN_INVALID, "a->b");
    assert_edit_refused(
        (firn_edit){.kind = FIRN_RENAME_FIELD, .component = "Place", .field = "x", .to = "a:b"},
        FIRN_INVALID, "a:b");
    assert_edit_refused((firn_edit){.kind = FIRN_DROP_FIELD, .component = "Place", .field = "a|b"},
                        FIRN_INVALID, "a|b");
}

static void a_name_that_is_there_already_is_refused(void **state)
{
    (void)state;
    assert_edit_refused(
        (firn_edit){.kind = FIRN_RENAME_COMPONENT, .component = "Place", .to = "Body"}, FIRN_EXISTS,
        "Body");
    assert_edit_refused(
        (firn_edit){.kind = FIRN_RENAME_COMPONENT, .component = "Place", .to = "Likes"},
        FIRN_EXISTS, "Likes");
    assert_edit_refused(
        (firn_edit){.kind = FIRN_RENAME_COMPONENT, .component = "Likes", .to = "Owns"}, FIRN_EXISTS,
        "Owns");
    static const char *const taken[] = {"mass", "home", "home.x", "path", "mass.rest"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        assert_edit_refused(
            (firn_edit){
                .kind = FIRN_RENAME_FIELD, .component = "Body", .field = "kind", .to = taken[i]},
            FIRN_EXISTS, taken[i]);
    }
}

static void the_targets_of_a_relation_are_no_fields(void **state)
{
    (void)state;
    static const char *const relations[] = {"Likes", "Owns", "Knows"};
    for (size_t i = 0; i < 3; i++) {
        assert_edit_refused(
            (firn_edit){.kind = FIRN_DROP_FIELD, .component = relations[i], .field = "target"},
            FIRN_INVALID, "target");
        assert_edit_refused((firn_edit){.kind = FIRN_RENAME_FIELD,
                                        .component = relations[i],
                                        .field = "weight",
                                        .to = "edges"},
                            FIRN_INVALID, "edges");
    }
}

static void the_last_field_of_a_struct_stays(void **state)
{
    (void)state;
    const firn_edit edits[] = {
        {.kind = FIRN_DROP_FIELD, .component = "Place", .field = "x"},
        {.kind = FIRN_DROP_FIELD, .component = "Place", .field = "y"},
    };
    assert_refused(&(firn_rewrite_options){.edits = edits, .edit_count = 2}, FIRN_INVALID,
                   "Place.y");
}

static void names_that_become_too_long_are_refused(void **state)
{
    (void)state;
    char name[256];
    memset(name, 'n', sizeof name);
    name[255] = '\0';
    assert_edit_refused(
        (firn_edit){.kind = FIRN_RENAME_COMPONENT, .component = "Likes", .to = name}, FIRN_LIMIT,
        "nnn");
    assert_edit_refused(
        (firn_edit){.kind = FIRN_RENAME_FIELD, .component = "Body", .field = "home", .to = name},
        FIRN_LIMIT, "Body.");
}

static void what_is_not_there_is_an_error_when_that_is_asked_for(void **state)
{
    (void)state;
    firn_edit edit = {.kind = FIRN_DROP_COMPONENT, .component = "Ghost"};
    firn_rewrite_options options = {.edits = &edit, .edit_count = 1, .strict = true};
    assert_refused(&options, FIRN_NOT_FOUND, "Ghost");
    edit = (firn_edit){.kind = FIRN_DROP_FIELD, .component = "Place", .field = "ghost"};
    assert_refused(&options, FIRN_NOT_FOUND, "ghost");
    edit = (firn_edit){.kind = FIRN_DROP_FIELD, .component = "Bag", .field = "ghost"};
    assert_refused(&options, FIRN_NOT_FOUND, "ghost");
    const firn_edit twice[] = {{.kind = FIRN_DROP_COMPONENT, .component = "Place"},
                               {.kind = FIRN_DROP_COMPONENT, .component = "Place"}};
    options = (firn_rewrite_options){.edits = twice, .edit_count = 2, .strict = true};
    assert_refused(&options, FIRN_NOT_FOUND, "Place");
}

// One entity of N, and an entry of data that is none.
static void assert_data_refused(const char *key_and_value, const char *subject)
{
    firn_error err;
    char hex[1024];
    size_t size;
    (void)snprintf(hex, sizeof hex,
                   "07000000000000f03f 07000000000000f03f 070000000000000000 070000000000000000 "
                   "070000000000000000 02 %s 01",
                   key_and_value);
    uint8_t *image = test_from_hex(hex, &size);
    firn_buffer out = {0};
    assert_int_equal(firn_image_rewrite(image, size, NULL, &out, NULL, &err), FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, subject);
    firn_buffer_free(&out);
    free(image);
}

#define ORDER "2c5f5f6669726e2e6f72646572 "
#define OUTER "2c5f5f6669726e2e6f75746572 "

static void lists_of_sources_that_are_none_are_corrupt(void **state)
{
    (void)state;
    assert_data_refused(ORDER "02", "__firn.order");
    assert_data_refused(ORDER "0901 2161 02", "__firn.order");
    assert_data_refused(ORDER "0c02 02", "__firn.order");
    assert_data_refused(OUTER "0c02 0c03 2141 070000000000000000", "__firn.outer"); // no id
    assert_data_refused(ORDER "0c02 0c04 2141 07000000000000f03f 2161", "__firn.order");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_that_are_missing_are_named),
        cmocka_unit_test(options_that_are_none_are_refused),
        cmocka_unit_test(an_edit_without_its_names_is_refused),
        cmocka_unit_test(names_that_nothing_can_have_are_refused),
        cmocka_unit_test(a_name_that_is_there_already_is_refused),
        cmocka_unit_test(the_targets_of_a_relation_are_no_fields),
        cmocka_unit_test(the_last_field_of_a_struct_stays),
        cmocka_unit_test(names_that_become_too_long_are_refused),
        cmocka_unit_test(what_is_not_there_is_an_error_when_that_is_asked_for),
        cmocka_unit_test(lists_of_sources_that_are_none_are_corrupt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
