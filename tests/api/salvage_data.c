// Damaged images by hand: data, freed ids, values that no world takes, and the calls.
#include "api/salvage_parts.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- data

static void add_entry(image_builder *image, const char *key, const void *value, size_t size)
{
    image_add_byte(image, 0x02);
    image_add_text(image, key);
    image_add_bytes(image, value, size);
}

static void T2_entries_of_data_that_check_are_kept(void **state)
{
    (void)state;
    image_builder image = begin_parts(3, 1);
    add_whole_frame(&image, 1);
    add_entry(&image, "first", "\x02", 1);
    size_t bad = image.size;
    add_entry(&image, "second", "\x03", 1);
    add_entry(&image, "twice", "\x09\x02\x21z\x01\x21z\x02", 8); // a key twice
    add_entry(&image, "last", "\x01", 1);
    add_end(&image);
    add_entry(&image, "__firn.world", "\x08", 1); // behind the end, and there already
    image_add_byte(&image, 0x01);
    saved_image saved = salvage(&image);
    assert_loss(&saved, 0, FIRN_LOSS_BYTES, "an entry of data");
    assert_int_equal(saved.losses[0].offset, bad);
    assert_loss(&saved, 1, FIRN_LOSS_DATA, "twice");
    assert_int_equal(saved.summary.data, 3);
    firn_image_datum datum;
    assert_true(firn_image_datum_at(saved.image, 2, &datum));
    assert_string_equal(datum.key, "last");
    free_saved(&saved);
}

// The entry is there twice: it can be stepped over.
static void T2_of_an_entry_of_firn_that_is_there_twice_the_first_is_kept(void **state)
{
    (void)state;
    image_builder image = begin_parts(3, 1);
    add_whole_frame(&image, 1);
    add_entry(&image, "__firn.world", "\x09\x01\x24tick\x06\x07\0\0\0", 12);
    add_end(&image);
    saved_image saved = salvage(&image);
    assert_int_equal(saved.count, 1);
    assert_loss(&saved, 0, FIRN_LOSS_DATA, "__firn.world");
    firn_image_info info;
    firn_image_describe(saved.image, &info);
    assert_int_equal(info.tick, 7);
    free_saved(&saved);
}

static void T2_built_in_entries_that_no_world_takes_are_left_out(void **state)
{
    (void)state;
    static const char *const keys[] = {"__tecs.stateStack", "__tecs.pipeline", "tecs.random",
                                       "tecs.sequence"};
    for (int i = 0; i < 4; i++) {
        image_builder image = begin_parts(3, 1);
        add_whole_frame(&image, 1);
        add_entry(&image, keys[i], "\x02", 1);
        add_end(&image);
        saved_image saved = salvage(&image);
        assert_loss(&saved, 0, FIRN_LOSS_DATA, keys[i]);
        assert_int_equal(saved.summary.data, 1);
        free_saved(&saved);
    }
}

static void T2_bytes_behind_the_end_are_lost(void **state)
{
    (void)state;
    image_builder image = begin_parts(3, 1);
    add_whole_frame(&image, 1);
    add_end(&image);
    size_t end = image.size;
    image_add_bytes(&image, "\x55\x55\x55", 3);
    saved_image saved = salvage(&image);
    assert_loss(&saved, 0, FIRN_LOSS_BYTES, "an entry of data");
    assert_int_equal(saved.losses[0].offset, end - 1);
    assert_int_equal(saved.summary.data, 1);
    free_saved(&saved);
}

// ---------------------------------------------------------------- values that no world takes

static void T2_a_table_with_a_key_twice_loses_its_entity(void **state)
{
    (void)state;
    const uint32_t bag[] = {3};
    image_builder image = begin_parts(2, 1);
    add_head(&image, 1, 2, bag, 0);
    add_ids(&image, 1, 2);
    image_add_bytes(&image, "\x09\x02\x21z\x01\x21z\x02\x08", 9);
    add_end(&image);
    saved_image saved = salvage(&image);
    assert_loss(&saved, 0, FIRN_LOSS_ENTITY, "");
    assert_entities(&saved, 0, 1, 2);
    free_saved(&saved);
}

// Key is built in: a string, and each once.
static void T2_keys_that_are_none_or_there_twice_lose_their_entities(void **state)
{
    (void)state;
    for (int by_row = 0; by_row < 2; by_row++) {
        const char *const keys[] = {"\x22"
                                    "ab",
                                    "\x02",
                                    "\x22"
                                    "ab",
                                    "\x22"
                                    "cd"};
        const size_t sizes[] = {3, 1, 3, 3};
        const uint32_t key[] = {1};
        image_builder image = {0};
        image_add_front(&image, 9, 4, 1, 1);
        image_add_text(&image, "Key");
        image_add_text(&image, "");
        add_head(&image, 1, 4, key, (uint32_t)by_row);
        if (!by_row)
            add_ids(&image, 1, 4);
        for (uint32_t i = 0; i < 4; i++) {
            if (by_row) {
                image_add_number(&image, i + 1);
                image_add_number(&image, 1);
            }
            image_add_bytes(&image, keys[i], sizes[i]);
        }
        add_end(&image);
        saved_image saved = salvage(&image);
        assert_int_equal(saved.summary.entities, 2);
        assert_int_equal(saved.count, 2);
        assert_loss(&saved, 0, FIRN_LOSS_ENTITY, "");
        free_saved(&saved);
    }
}

// ---------------------------------------------------------------- freed ids

static void add_free(image_builder *image, const uint64_t *ids, uint32_t count)
{
    image_add_byte(image, 0x02);
    image_add_text(image, "__firn.free");
    image_add_bytes(image, "\x0c\x02", 2);
    char bytes[64];
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < 8; k++)
            bytes[8 * i + k] = (char)(ids[i] >> 8 * k);
    image_add_string(image, bytes, 8 * (size_t)count);
}

static void T2_freed_ids_that_cannot_be_are_left_out(void **state)
{
    (void)state;
    const uint64_t generation = UINT64_C(1) << 22;
    const uint64_t ids[] = {7 + generation, 2 + generation, 7 + 2 * generation, 99, 8 + generation};
    image_builder image = begin_parts(3, 1);
    add_whole_frame(&image, 1);
    add_free(&image, ids, 5);
    add_end(&image);
    saved_image saved = salvage(&image);
    assert_int_equal(saved.count, 1);
    assert_loss(&saved, 0, FIRN_LOSS_IDS, "__firn.free");
    assert_int_equal(saved.losses[0].count, 3);
    firn_image_info info;
    firn_image_describe(saved.image, &info);
    assert_int_equal(info.free_count, 2);
    free_saved(&saved);
}

// 7 is the highest slot that anything names.
static void T2_without_nextEntityId_freed_ids_are_counted_too(void **state)
{
    (void)state;
    const uint64_t ids[] = {7 + (UINT64_C(1) << 22)};
    image_builder image = begin_parts(3, 1);
    add_whole_frame(&image, 1);
    add_free(&image, ids, 1);
    add_end(&image);
    image.bytes[9] = 0x80;
    saved_image saved = salvage(&image);
    firn_image_info info;
    firn_image_describe(saved.image, &info);
    assert_int_equal(info.prelude.next_slot, 8);
    assert_int_equal(info.free_count, 1);
    free_saved(&saved);
}

// A free list that is none: nothing is known of the slots, so they are not used again.
static void T2_slots_of_lost_entities_are_not_used_again(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        image_builder image = begin_parts(6, 2);
        size_t first = add_whole_frame(&image, 1);
        add_whole_frame(&image, 4);
        if (i == 1)
            add_entry(&image, "__firn.free", "\x02", 1);
        add_end(&image);
        image.bytes[first + 5] = 0;
        saved_image saved = salvage(&image);
        firn_world *world = firn_world_create(NULL, &saved.err);
        const firn_load_options keep = {.keep_unknown = true};
        assert_ok(firn_snapshot_load(world, saved.bytes.data, saved.bytes.size, &keep, NULL, NULL),
                  NULL);
        assert_int_equal(firn_spawn(world, NULL, 0, NULL), 20);
        firn_world_destroy(world);
        free_saved(&saved);
    }
}

// ---------------------------------------------------------------- orders of sources

// Entities 1 to 3 like 4, two by a column of the target; 1 to 3 know 4.
static image_builder make_edges(void)
{
    const uint32_t both[] = {1, 2};
    image_builder image = {0};
    image_add_front(&image, 9, 4, 2, 2);
    image_add_text(&image, "Knows");
    image_add_text(&image, "");
    image_add_text(&image, "Likes->4");
    image_add_text(&image, "");
    add_head(&image, 2, 3, both, 0);
    add_ids(&image, 1, 3);
    for (int i = 0; i < 3; i++) // {edges = {{target = 4}}}
        image_add_bytes(&image,
                        "\x09\x01\x25"
                        "edges\x0c\x02\x09\x01\x26target\x07\0\0\0\0\0\0\x10\x40",
                        28);
    for (int i = 0; i < 3; i++)
        image_add_byte(&image, i == 2 ? 0x00 : 0x08); // nil: it has none
    add_head(&image, 0, 1, NULL, 0);
    add_ids(&image, 4, 1);
    return image;
}

static void T2_orders_are_those_of_the_edges_that_are_left(void **state)
{
    (void)state;
    image_builder image = make_edges();
    begin_lists(&image, 2);
    add_list(&image, "Knows", 4, 3, 3, 1, 2);
    add_list(&image, "Likes", 4, 2, 2, 1);
    add_end(&image);
    image.bytes[9] = 0x80; // so that there is something to do
    saved_image saved = salvage(&image);
    assert_int_equal(saved.count, 1);
    assert_int_equal(saved.summary.data, 2);
    firn_image_datum datum;
    assert_true(firn_image_datum_at(saved.image, 0, &datum));
    assert_string_equal(datum.key, "__firn.free"); // slots 5 to 8
    assert_true(firn_image_datum_at(saved.image, 1, &datum));
    assert_string_equal(datum.key, "__firn.order");
    free_saved(&saved);
}

static void T2_orders_of_other_sources_are_lost(void **state)
{
    (void)state;
    image_builder image = make_edges();
    begin_lists(&image, 5);
    add_list(&image, "Knows", 4, 2, 3, 1);    // 2 knows 4, too
    add_list(&image, "Likes", 4, 3, 3, 2, 1); // 3 does not like 4
    add_list(&image, "Likes", 4.5, 2, 2, 1);  // no id
    add_list(&image, "Likes", 7, 2, 2, 1);    // nobody
    add_list(&image, "Knows", 4, 3, 3, 1, 2); // not in the order of relations
    add_end(&image);
    image.bytes[9] = 0x80;
    saved_image saved = salvage(&image);
    assert_int_equal(saved.count, 6);
    assert_loss(&saved, 1, FIRN_LOSS_ORDER, "Knows");
    assert_loss(&saved, 2, FIRN_LOSS_ORDER, "Likes");
    assert_int_equal(saved.losses[2].count, 1);
    assert_int_equal(saved.losses[3].entity, 0);
    assert_loss(&saved, 5, FIRN_LOSS_ORDER, "__firn.order");
    free_saved(&saved);
}

// ---------------------------------------------------------------- readings and schemas

// Third is encoded although it has a fingerprint: no value of it is one byte.
static image_builder make_dialect(void)
{
    image_builder image = {0};
    image_add_front(&image, 9, 4, 2, 1);
    image_add_text(&image, "Third");
    image_add_text(&image, "c:int32_t|4");
    image_add_frame(&image, 1, 2);
    image_add_text(&image, "a long text");
    image_add_text(&image, "and another");
    const uint32_t one[] = {1};
    add_head(&image, 1, 2, one, 0);
    add_ids(&image, 3, 2);
    image_add_text(&image, "a long text");
    image_add_text(&image, "and another");
    image_add_byte(&image, 0x01);
    return image;
}

static void T2_T13_of_another_writer_columns_are_read_so_that_most_is_left(void **state)
{
    (void)state;
    image_builder image = make_dialect();
    image.bytes[image.size - 25] = 0x03; // the first text of the second frame
    saved_image saved = salvage(&image);
    assert_int_equal(saved.summary.entities, 3);
    firn_image_component component;
    assert_true(firn_image_component_at(saved.image, 0, &component));
    assert_false(component.raw);
    free_saved(&saved);
}

// Its rows read as values, too, with nothing lost but what its fingerprint says.
static void T2_T13_columns_of_firn_with_a_fingerprint_are_not_read_as_values(void **state)
{
    (void)state;
    image_builder image = {0};
    image_add_front(&image, 5, 4, 1, 1);
    image_add_text(&image, "Types");
    image_add_text(&image, "b:bool|2"); // it was b:bool|1
    image_add_frame(&image, 1, 4);
    image_add_bytes(&image, "\x00\x01\x02\x01", 4);
    add_end(&image);
    saved_image saved = salvage(&image);
    assert_false(saved.summary.whole);
    firn_image_component component;
    assert_true(firn_image_component_at(saved.image, 0, &component));
    assert_string_equal(component.fingerprint, "b:bool|2");
    assert_true(component.raw);
    free_saved(&saved);
}

static void T2_T13_a_schema_mends_a_damaged_fingerprint(void **state)
{
    (void)state;
    image_builder image = begin_parts(3, 1);
    add_whole_frame(&image, 1);
    add_end(&image);
    const firn_image_schema schema = {"Flags", "on:bool|1"};
    const firn_image_options options = {.schemas = &schema, .schema_count = 1};
    image.bytes[31 + 9] = '3'; // a row of 3 bytes
    saved_image saved = salvage_with(&image, &options);
    assert_int_equal(saved.summary.entities, 3);
    assert_true(saved.summary.whole);
    firn_image_component component;
    assert_true(firn_image_component_at(saved.image, 0, &component));
    assert_string_equal(component.fingerprint, "on:bool|1");
    free_saved(&saved);
}

// ---------------------------------------------------------------- calls

static firn_result refuse_loss(void *user, const firn_loss *loss, firn_error *err)
{
    (void)user, (void)loss, (void)err;
    return FIRN_REFUSED;
}

static void assert_ended(image_builder *image)
{
    firn_error err = {.code = FIRN_OK};
    firn_buffer out = {0};
    assert_int_equal(
        firn_image_salvage(image->bytes, image->size, NULL, refuse_loss, NULL, &out, NULL, &err),
        FIRN_REFUSED);
    assert_true(err.message[0] != 0);
    assert_int_equal(out.size, 0);
    firn_buffer_free(&out);
    free(image->bytes);
}

static void T2_a_listener_can_end_it(void **state)
{
    (void)state;
    for (int front = 0; front < 2; front++) {
        image_builder image = begin_parts(3, 1);
        size_t at = add_whole_frame(&image, 1);
        add_end(&image);
        image.bytes[front ? 27 : at + 30 + 24] = 7;
        assert_ended(&image);
    }
    image_builder image = {0};
    image_add_front(&image, 1, 0, 0, 2);
    for (int i = 0; i < 2; i++) { // a name twice
        image_add_text(&image, "Bag");
        image_add_text(&image, "");
    }
    add_end(&image);
    assert_ended(&image);
}

static void N9_wrong_arguments_are_refused(void **state)
{
    (void)state;
    firn_error err = {.code = FIRN_OK};
    firn_buffer out = {0};
    firn_image_options bad = {.reserved = {1}};
    firn_limits low = {.file_bytes = 3};
    firn_image_options small = {.limits = &low};
    assert_int_equal(firn_image_salvage(NULL, 0, NULL, NULL, NULL, &out, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "bytes");
    assert_int_equal(firn_image_salvage("x", 1, NULL, NULL, NULL, NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "out");
    assert_int_equal(firn_image_salvage("x", 1, &bad, NULL, NULL, &out, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "reserved");
    assert_int_equal(firn_image_salvage("long", 4, &small, NULL, NULL, &out, NULL, &err),
                     FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "image");
    const firn_allocator none = {0};
    firn_image_options nowhere = {.allocator = &none};
    assert_int_equal(firn_image_salvage("x", 1, &nowhere, NULL, NULL, &out, NULL, &err),
                     FIRN_INVALID);
}

static image_builder make_broken(void)
{
    const uint64_t ids[] = {7 + (UINT64_C(1) << 22), 99};
    const uint32_t bag[] = {3};
    image_builder image = begin_parts(11, 4);
    size_t first = add_whole_frame(&image, 1);
    add_whole_frame(&image, 4);
    size_t third = add_whole_frame(&image, 7);
    add_head(&image, 1, 2, bag, 0);
    add_ids(&image, 10, 2);
    image_add_bytes(&image, "\x09\x02\x21z\x01\x21z\x02\x08", 9); // a key twice
    add_entry(&image, "twice", "\x09\x02\x21z\x01\x21z\x02", 8);
    add_entry(&image, "tecs.random", "\x02", 1);
    add_free(&image, ids, 2);
    add_entry(&image, "__firn.order",
              "\x0c\x02\x0c\x03\x23"
              "Bag\x06\1\0\0\0",
              13);
    add_end(&image);
    image.bytes[27] = 0x07;         // a name
    image.bytes[first + 5] = 0;     // a frame
    image.bytes[third + 30] = 0x11; // an id
    return image;
}

static image_builder make_broken_edges(void)
{
    image_builder image = make_edges();
    begin_lists(&image, 2);
    add_list(&image, "Knows", 4, 3, 3, 1, 2);
    add_list(&image, "Likes", 4, 2, 2, 1);
    add_end(&image);
    image.bytes[9] = 0x80;
    return image;
}

// Damage of every kind: each allocation fails once.
static void T2_N12_without_memory_nothing_is_salvaged_and_nothing_leaks(void **state)
{
    (void)state;
    image_builder image = make_broken();
    fail_each_allocation(&image);
    image = make_broken_edges();
    fail_each_allocation(&image);
}

// A world refuses one after the other; at some time it is enough.
static void T2_of_too_many_keys_nothing_is_left(void **state)
{
    (void)state;
    firn_error err = {.code = FIRN_OK};
    firn_buffer out = {0};
    image_builder image = {0};
    image_add_front(&image, 100, 80, 1, 1);
    image_add_text(&image, "Key");
    image_add_text(&image, "");
    image_add_frame(&image, 1, 80);
    for (int i = 0; i < 80; i++)
        image_add_text(&image, "all of them");
    add_end(&image);
    assert_int_equal(
        firn_image_salvage(image.bytes, image.size, NULL, NULL, NULL, &out, NULL, &err),
        FIRN_CORRUPT);
    assert_non_null(strstr(err.message, "too much of it is no world's"));
    firn_buffer_free(&out);
    free(image.bytes);
}

static void T2_the_limits_hold(void **state)
{
    (void)state;
    firn_error err = {.code = FIRN_OK};
    firn_buffer out = {0};
    const firn_limits low = {.table_entries = 2};
    const firn_image_options options = {.limits = &low};
    image_builder image = begin_parts(3, 1);
    add_whole_frame(&image, 1);
    add_end(&image);
    assert_int_equal(
        firn_image_salvage(image.bytes, image.size, &options, NULL, NULL, &out, NULL, &err),
        FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "component table");
    firn_buffer_free(&out);
    free(image.bytes);
}

// The frame is damaged, and so is the last of the entries that would say where the data begins.
static void T2_data_that_cannot_be_told_is_looked_for_further_on(void **state)
{
    (void)state;
    image_builder image = begin_parts(6, 2);
    add_whole_frame(&image, 1);
    size_t second = add_whole_frame(&image, 4);
    add_entry(&image, "ours", "\x02", 1);
    add_entry(&image, "theirs", "\x03", 1);
    add_end(&image);
    image.bytes[second + 5] = 0;
    saved_image saved = salvage(&image);
    assert_int_equal(saved.summary.entities, 3);
    assert_int_equal(saved.summary.data, 1); // __firn.world
    free_saved(&saved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T2_N12_without_memory_nothing_is_salvaged_and_nothing_leaks),
        cmocka_unit_test(T2_entries_of_data_that_check_are_kept),
        cmocka_unit_test(T2_of_an_entry_of_firn_that_is_there_twice_the_first_is_kept),
        cmocka_unit_test(T2_built_in_entries_that_no_world_takes_are_left_out),
        cmocka_unit_test(T2_bytes_behind_the_end_are_lost),
        cmocka_unit_test(T2_a_table_with_a_key_twice_loses_its_entity),
        cmocka_unit_test(T2_keys_that_are_none_or_there_twice_lose_their_entities),
        cmocka_unit_test(T2_freed_ids_that_cannot_be_are_left_out),
        cmocka_unit_test(T2_without_nextEntityId_freed_ids_are_counted_too),
        cmocka_unit_test(T2_slots_of_lost_entities_are_not_used_again),
        cmocka_unit_test(T2_orders_are_those_of_the_edges_that_are_left),
        cmocka_unit_test(T2_orders_of_other_sources_are_lost),
        cmocka_unit_test(T2_T13_of_another_writer_columns_are_read_so_that_most_is_left),
        cmocka_unit_test(T2_T13_columns_of_firn_with_a_fingerprint_are_not_read_as_values),
        cmocka_unit_test(T2_T13_a_schema_mends_a_damaged_fingerprint),
        cmocka_unit_test(T2_of_too_many_keys_nothing_is_left),
        cmocka_unit_test(T2_the_limits_hold),
        cmocka_unit_test(T2_data_that_cannot_be_told_is_looked_for_further_on),
        cmocka_unit_test(T2_a_listener_can_end_it),
        cmocka_unit_test(N9_wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests_name("salvage_data", tests, NULL, NULL);
}
