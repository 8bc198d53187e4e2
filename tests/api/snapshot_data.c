// Custom data: entries of the game beside the world.
#include "api/snapshot_zoo.h"

#include <stdlib.h>
#include <string.h>

// What on_data was given.
typedef struct mail {
    char keys[1024];
    uint32_t count;
    uint8_t last[64];
    size_t last_size;
    firn_result answer; // to every entry
    const char *message;
    firn_component spawn; // what the callback makes an entity with, or 0
} mail;

static firn_result take_data(void *user, firn_world *world, const char *key, const void *encoded,
                             size_t size, firn_error *err)
{
    mail *box = user;
    if (box->spawn != 0)
        zoo_spawn_one(world, box->spawn);
    assert_ok(firn_value_check(encoded, size, NULL, NULL, NULL), NULL);
    strncat(box->keys, key, sizeof box->keys - strlen(box->keys) - 1);
    strncat(box->keys, ";", sizeof box->keys - strlen(box->keys) - 1);
    box->count++;
    if (size <= sizeof box->last) {
        memcpy(box->last, encoded, size);
        box->last_size = size;
    }
    if (box->message != NULL) {
        err->code = box->answer;
        strcpy(err->message, box->message);
    }
    return box->answer;
}

static firn_result deliver(firn_world *world, const firn_buffer *image, mail *box,
                           firn_load_report *report, firn_error *err)
{
    firn_load_options options = {.on_data = take_data, .user = box};
    return firn_snapshot_load(world, image->data, image->size, &options, report, err);
}

static const uint8_t nil_value[] = {0x00};
static const uint8_t one_value[] = {0x07, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f};

static firn_data entry(const char *key)
{
    return (firn_data){.key = key, .encoded = nil_value, .encoded_size = 1};
}

static firn_result save_data(firn_world *world, const firn_data *data, uint32_t count,
                             firn_buffer *out, firn_error *err)
{
    return firn_snapshot_save(world, &(firn_save_options){.data = data, .data_count = count}, out,
                              err);
}

static void T8_trees_and_encoded_values_are_delivered_in_the_order_of_keys(void **state)
{
    (void)state;
    firn_world *world = zoo_empty(NULL);
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_data data[] = {entry("b"),
                        entry("a.long.one"),
                        entry("\xc3\xa9"),
                        entry("a"),
                        {.key = "z", .encoded = one_value, .encoded_size = 9}};
    data[0] = (firn_data){.key = "b", .value = firn_value_text(doc, "tree", &err)};
    firn_buffer image = {0}, again = {0};
    assert_ok(save_data(world, data, 5, &image, &err), &err);
    mail box = {.count = 0};
    firn_load_report report;
    assert_ok(deliver(world, &image, &box, &report, &err), &err);
    firn_load_report_free(&report);
    assert_string_equal(box.keys, "a;a.long.one;b;z;\xc3\xa9;");
    assert_int_equal(report.prelude.data_count, 6);
    // Another order of the same entries gives the same bytes.
    firn_data turned[] = {data[4], data[3], data[2], data[1], data[0]};
    assert_ok(save_data(world, turned, 5, &again, &err), &err);
    assert_same_bytes(&image, &again);
    firn_doc_destroy(doc);
    firn_buffer_free(&image);
    firn_buffer_free(&again);
    firn_world_destroy(world);
}

static void T8_encoded_values_are_written_canonically(void **state)
{
    (void)state;
    firn_world *world = zoo_empty(NULL);
    firn_error err;
    // {b = 1, a = 1} with int32 numbers, keys in the wrong order.
    static const uint8_t loose[] = {0x09, 2, 0x21, 'b', 6, 1, 0, 0, 0, 0x21, 'a', 6, 1, 0, 0, 0};
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_data data = {.key = "k", .encoded = loose, .encoded_size = sizeof loose};
    firn_buffer image = {0}, again = {0};
    assert_ok(save_data(world, &data, 1, &image, &err), &err);
    data = (firn_data){.key = "k", .value = firn_value_decode(doc, loose, sizeof loose, &err)};
    assert_ok(save_data(world, &data, 1, &again, &err), &err);
    assert_same_bytes(&image, &again);
    firn_doc_destroy(doc);
    firn_buffer_free(&image);
    firn_buffer_free(&again);
    firn_world_destroy(world);
}

static void T8_reserved_empty_double_and_bad_keys_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"__tecs.stateStack", "__tecs.", "__firn.world", "__firn.x",
                                      "tecs.random"};
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_error err;
    firn_buffer out = {0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        firn_data data[] = {entry("fine"), entry(bad[i])};
        assert_int_equal(save_data(z.world, data, 2, &out, &err), FIRN_INVALID);
        assert_error(&err, FIRN_INVALID, bad[i]);
        assert_int_equal(out.size, 0);
    }
    firn_data twice[] = {entry("same"), entry("other"), entry("same")};
    assert_int_equal(save_data(z.world, twice, 3, &out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "same");
    firn_data empty = entry("");
    assert_int_equal(save_data(z.world, &empty, 1, &out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "data key");
    firn_data broken = entry("a\xff");
    assert_int_equal(save_data(z.world, &broken, 1, &out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "a\\xff");
    char longest[257];
    memset(longest, 'k', sizeof longest);
    longest[256] = 0;
    firn_data too_long = entry(longest);
    assert_int_equal(save_data(z.world, &too_long, 1, &out, &err), FIRN_LIMIT);
    firn_buffer_free(&out);
    firn_world_destroy(z.world);
}

static void T8_names_that_only_look_reserved_are_the_games(void **state)
{
    (void)state;
    firn_world *world = zoo_empty(NULL);
    firn_error err;
    firn_data data[] = {entry("__tecs"), entry("__firn"), entry("tecs.random2"),
                        entry("tecs.rando"), entry("x__firn.world")};
    firn_buffer image = {0};
    assert_ok(save_data(world, data, 5, &image, &err), &err);
    mail box = {.count = 0};
    assert_ok(deliver(world, &image, &box, NULL, &err), &err);
    assert_int_equal(box.count, 5);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void T8_the_longest_key_is_delivered_whole(void **state)
{
    (void)state;
    firn_world *world = zoo_empty(NULL);
    firn_error err;
    char longest[256];
    for (int i = 0; i < 255; i++)
        longest[i] = (char)('a' + i % 26);
    longest[255] = 0;
    // U+00A0 stands right behind the control characters, and is a fine key.
    firn_data data[] = {entry(longest), entry("\xc2\xa0")};
    firn_buffer image = {0};
    assert_ok(save_data(world, data, 2, &image, &err), &err);
    mail box = {.count = 0};
    assert_ok(deliver(world, &image, &box, NULL, &err), &err);
    char expected[300];
    strcpy(expected, longest);
    strcat(expected, ";\xc2\xa0;");
    assert_string_equal(box.keys, expected);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void T8_values_that_are_no_values_are_refused(void **state)
{
    (void)state;
    firn_world *world = zoo_empty(NULL);
    firn_error err;
    firn_buffer out = {0};
    firn_data data = {.key = "k", .encoded = "\x07\x00", .encoded_size = 2};
    assert_int_equal(save_data(world, &data, 1, &out, &err), FIRN_TRUNCATED);
    assert_error(&err, FIRN_TRUNCATED, "k");
    data = (firn_data){.key = "k", .encoded = "\x00\x00", .encoded_size = 2};
    assert_int_equal(save_data(world, &data, 1, &out, &err), FIRN_CORRUPT);
    data = (firn_data){.key = "k", .encoded = "", .encoded_size = 0};
    assert_int_equal(save_data(world, &data, 1, &out, &err), FIRN_TRUNCATED);
    // {a = 1, a = 1}: a table has a key once.
    static const uint8_t twice[] = {0x09, 2, 0x21, 'a', 1, 0x21, 'a', 1};
    data = (firn_data){.key = "k", .encoded = twice, .encoded_size = sizeof twice};
    assert_int_equal(save_data(world, &data, 1, &out, &err), FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "k");
    assert_int_equal(out.size, 0);
    firn_buffer_free(&out);
    firn_world_destroy(world);
}

static void T8_a_refusal_of_on_data_leaves_the_loaded_world_and_all_run(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false), other = zoo_make(NULL, false);
    zoo_fill(&z);
    zoo_litter(&other);
    firn_error err;
    firn_data data[] = {entry("one"), entry("two"), entry("three")};
    firn_buffer image = {0}, plain = zoo_save(z.world);
    assert_ok(save_data(z.world, data, 3, &image, &err), &err);
    mail box = {.answer = FIRN_REFUSED, .message = "a level of another game"};
    firn_load_report report;
    assert_int_equal(deliver(other.world, &image, &box, &report, &err), FIRN_REFUSED);
    firn_load_report_free(&report);
    assert_error(&err, FIRN_REFUSED, "one");
    assert_non_null(strstr(err.message, "a level of another game"));
    assert_true(report.committed);
    assert_string_equal(box.keys, "one;three;two;");
    assert_saves_as(other.world, &plain);
    firn_buffer_free(&image);
    firn_buffer_free(&plain);
    firn_world_destroy(z.world);
    firn_world_destroy(other.world);
}

// An entry that is there twice, as other writers do, comes twice, in the order of the file.
static void T8_a_key_that_a_file_repeats_is_delivered_each_time(void **state)
{
    (void)state;
    firn_world *world = zoo_empty(NULL);
    firn_error err;
    firn_buffer image = zoo_save(world);
    image.size--; // the end of the data section
    assert_ok(firn_buffer_append(&image, "\x02\x21k\x01\x02\x21k\x02\x02\x21j\x00\x01", 13, &err),
              &err);
    mail box = {.count = 0};
    assert_ok(deliver(world, &image, &box, NULL, &err), &err);
    assert_string_equal(box.keys, "k;k;j;");
    const void *encoded;
    size_t size;
    assert_ok(firn_image_data(image.data, image.size, "k", NULL, &encoded, &size, &err), &err);
    assert_int_equal(size, 1);
    assert_int_equal(*(const uint8_t *)encoded, 0x01); // the first
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void T8_on_data_may_change_the_loaded_world(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_error err;
    firn_data data = entry("k");
    firn_buffer image = {0};
    assert_ok(save_data(z.world, &data, 1, &image, &err), &err);
    mail box = {.spawn = z.of[ZOO_TITLE]};
    assert_ok(deliver(z.world, &image, &box, NULL, &err), &err);
    assert_int_equal(firn_entity_count(z.world), 10);
    assert_true(firn_has(z.world, 10 + (UINT64_C(1) << FIRN_SLOT_BITS), z.of[ZOO_TITLE]));
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

// What a callback tries inside a load.
typedef struct nest {
    const firn_buffer *image;
    firn_buffer out;
    uint32_t refused;
} nest;

static firn_result save_and_load_inside(void *user, firn_world *world, const char *key,
                                        const void *encoded, size_t size, firn_error *err)
{
    nest *n = user;
    firn_error why;
    (void)encoded, (void)size, (void)err;
    assert_int_equal(firn_snapshot_load(world, n->image->data, n->image->size, NULL, NULL, &why),
                     FIRN_BUSY);
    assert_error(&why, FIRN_BUSY, key);
    assert_int_equal(firn_snapshot_save(world, NULL, &n->out, &why), FIRN_BUSY);
    assert_error(&why, FIRN_BUSY, key);
    n->refused++;
    return FIRN_OK;
}

static void N4_a_save_or_load_inside_a_load_is_refused(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_error err;
    firn_data data[] = {entry("one"), entry("two")};
    firn_buffer image = zoo_save_with(z.world, &(firn_save_options){.data = data, .data_count = 2});
    firn_buffer plain = zoo_save(z.world);
    nest n = {.image = &image};
    firn_load_options options = {.on_data = save_and_load_inside, .user = &n};
    assert_ok(firn_snapshot_load(z.world, image.data, image.size, &options, NULL, &err), &err);
    assert_int_equal(n.refused, 2);
    assert_saves_as(z.world, &plain); // when it is over
    firn_buffer_free(&image);
    firn_buffer_free(&plain);
    firn_buffer_free(&n.out);
    firn_world_destroy(z.world);
}

// What a callback that replaces what was loaded needs.
typedef struct again {
    firn_entity saved;
    firn_component other;
} again;

// At the limit of archetypes, the new entity takes the place of the set that the saved one leaves.
static firn_result replace_saved(void *user, firn_world *world, const char *key,
                                 const void *encoded, size_t size, firn_error *err)
{
    const again *how = user;
    (void)key, (void)encoded, (void)size;
    assert_ok(firn_despawn(world, how->saved, err), err);
    zoo_spawn_one(world, how->other);
    return FIRN_OK;
}

static void T8_on_data_may_replace_the_archetypes_of_its_load(void **state)
{
    (void)state;
    firn_error err;
    test_allocator memory;
    test_allocator_init(&memory);
    const firn_limits limits = {.archetypes = 2}; // the one without components included
    firn_world *world = firn_world_create(
        &(firn_world_desc){.allocator = &memory.allocator, .limits = &limits}, &err);
    assert_non_null(world);
    firn_component_desc desc = zoo_desc(ZOO_POINT);
    firn_entity saved = zoo_spawn_one(world, zoo_register(world, &desc));
    desc = zoo_desc(ZOO_GAP);
    again how = {.saved = saved, .other = zoo_register(world, &desc)};
    firn_data one = entry("a");
    firn_buffer image = zoo_save_with(world, &(firn_save_options){.data = &one, .data_count = 1});
    const firn_load_options options = {.on_data = replace_saved, .user = &how};
    assert_ok(firn_snapshot_load(world, image.data, image.size, &options, NULL, &err), &err);
    assert_false(firn_alive(world, saved));
    assert_int_equal(firn_entity_count(world), 1);
    firn_buffer_free(&image);
    firn_world_destroy(world);
    assert_no_leak(&memory);
}

static void T8_a_key_is_found_in_an_image_without_a_world(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_error err;
    firn_data data[] = {entry("a"), {.key = "z", .encoded = one_value, .encoded_size = 9}};
    firn_buffer image = {0};
    assert_ok(save_data(z.world, data, 2, &image, &err), &err);
    const void *encoded = NULL;
    size_t size = 0;
    assert_ok(firn_image_data(image.data, image.size, "z", NULL, &encoded, &size, &err), &err);
    assert_int_equal(size, 9);
    assert_memory_equal(encoded, one_value, 9);
    assert_true((const uint8_t *)encoded > image.data &&
                (const uint8_t *)encoded + size <= image.data + image.size);
    assert_int_equal(firn_image_data(image.data, image.size, "y", NULL, &encoded, &size, &err),
                     FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "y");
    assert_int_equal(firn_image_data(image.data, image.size, NULL, NULL, &encoded, &size, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "key");
    assert_int_equal(firn_image_data(image.data, image.size, "z", NULL, NULL, &size, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "encoded");
    assert_int_equal(firn_image_data(image.data, image.size, "z", NULL, &encoded, NULL, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "encoded_size");
    assert_int_equal(firn_image_data(image.data, image.size - 1, "z", NULL, &encoded, &size, &err),
                     FIRN_TRUNCATED);
    firn_image_options options = {.reserved = {0, 0, 0, 1}};
    assert_int_equal(firn_image_data(image.data, image.size, "z", &options, &encoded, &size, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "firn_image_options.reserved");
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

static void T8_encoded_data_inside_the_output_is_refused(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_buffer out = zoo_save(world);
    firn_data inside = {.key = "a", .encoded = out.data, .encoded_size = 9};
    firn_save_options options = {.data = &inside, .data_count = 1};
    assert_int_equal(firn_snapshot_save(world, &options, &out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "a");
    assert_int_equal(out.size, 0);
    firn_buffer_free(&out);
    firn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T8_trees_and_encoded_values_are_delivered_in_the_order_of_keys),
        cmocka_unit_test(T8_encoded_values_are_written_canonically),
        cmocka_unit_test(T8_reserved_empty_double_and_bad_keys_are_refused),
        cmocka_unit_test(T8_names_that_only_look_reserved_are_the_games),
        cmocka_unit_test(T8_the_longest_key_is_delivered_whole),
        cmocka_unit_test(T8_values_that_are_no_values_are_refused),
        cmocka_unit_test(T8_a_refusal_of_on_data_leaves_the_loaded_world_and_all_run),
        cmocka_unit_test(T8_a_key_that_a_file_repeats_is_delivered_each_time),
        cmocka_unit_test(T8_on_data_may_change_the_loaded_world),
        cmocka_unit_test(N4_a_save_or_load_inside_a_load_is_refused),
        cmocka_unit_test(T8_on_data_may_replace_the_archetypes_of_its_load),
        cmocka_unit_test(T8_a_key_is_found_in_an_image_without_a_world),
        cmocka_unit_test(T8_encoded_data_inside_the_output_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
