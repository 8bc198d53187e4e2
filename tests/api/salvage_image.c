// Damaged images by hand: what is left of their frames and their front, and what is told.
#include "api/salvage_parts.h"

#include <stdlib.h>
#include <string.h>

static void T2_an_image_that_checks_stays_as_it_is(void **state)
{
    (void)state;
    image_builder image = begin_parts(3, 1);
    add_whole_frame(&image, 1);
    add_end(&image);
    firn_buffer before = {0};
    assert_ok(firn_buffer_append(&before, image.bytes, image.size, NULL), NULL);
    saved_image saved = salvage(&image);
    assert_true(saved.summary.whole);
    assert_int_equal(saved.summary.entities, 3);
    assert_int_equal(saved.summary.data, 1);
    assert_int_equal(saved.bytes.size, before.size);
    assert_memory_equal(saved.bytes.data, before.data, before.size);
    firn_buffer_free(&before);
    free_saved(&saved);
}

static void T2_a_damaged_frame_is_left_out_and_the_next_one_found(void **state)
{
    (void)state;
    image_builder image = begin_parts(9, 3);
    add_whole_frame(&image, 1);
    size_t second = add_whole_frame(&image, 4);
    size_t third = add_whole_frame(&image, 7);
    image.bytes[second + 5] = 0x00; // how many rows
    add_end(&image);
    saved_image saved = salvage(&image);
    assert_int_equal(saved.count, 1);
    assert_loss(&saved, 0, FIRN_LOSS_BYTES, "a frame");
    assert_int_equal(saved.losses[0].offset, second);
    assert_int_equal(saved.losses[0].size, third - second);
    assert_int_equal(saved.summary.bytes_lost, third - second);
    assert_int_equal(saved.summary.entities_said, 9);
    assert_int_equal(saved.summary.frames_said, 3);
    assert_entities(&saved, 0, 3, 1, 2, 3);
    assert_entities(&saved, 1, 3, 7, 8, 9);
    free_saved(&saved);
}

static void T2_of_a_value_that_cannot_be_read_its_entity_alone_is_lost(void **state)
{
    (void)state;
    image_builder image = begin_parts(6, 2);
    size_t first = add_whole_frame(&image, 1);
    add_whole_frame(&image, 4);
    add_end(&image);
    size_t bob = first + 5 * 6 + 24 + 3 + 4; // behind head, ids, flags and "ann"
    assert_int_equal(image.bytes[bob], 0x23);
    image.bytes[bob] = 0x03; // no value begins so
    saved_image saved = salvage(&image);
    assert_int_equal(saved.count, 1);
    assert_loss(&saved, 0, FIRN_LOSS_ENTITY, "Name of it");
    assert_int_equal(saved.losses[0].entity, 2);
    assert_entities(&saved, 0, 2, 1, 3);
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    const firn_value *name = firn_image_value(saved.image, 0, 1, 1, doc, &saved.err);
    assert_string_equal(name->as.string, "cid");
    const firn_value *flags = firn_image_value(saved.image, 0, 0, 1, doc, &saved.err);
    assert_true(firn_table_get_text(flags, "on")->as.boolean);
    firn_doc_destroy(doc);
    free_saved(&saved);
}

static void T2_of_a_frame_that_is_cut_the_complete_columns_are_kept(void **state)
{
    (void)state;
    image_builder image = begin_parts(3, 1);
    add_whole_frame(&image, 1);
    image.size -= 5; // in the tables
    saved_image saved = salvage(&image);
    assert_int_equal(saved.summary.entities, 3);
    assert_loss(&saved, 0, FIRN_LOSS_COLUMNS, "Bag");
    assert_int_equal(saved.losses[0].count, 3);
    assert_loss(&saved, 1, FIRN_LOSS_BYTES, "the rest of a frame");
    assert_loss(&saved, 2, FIRN_LOSS_BYTES, "data");
    firn_image_archetype archetype;
    assert_true(firn_image_archetype_at(saved.image, 0, &archetype));
    assert_int_equal(archetype.columns, 2);
    free_saved(&saved);
}

// ---------------------------------------------------------------- row by row

static image_builder begin_rows(void)
{
    const uint32_t all[] = {1, 2, 3};
    image_builder image = begin_parts(4, 1);
    add_head(&image, 3, 4, all, 1);
    for (uint32_t id = 1; id <= 4; id++) {
        image_add_number(&image, id);
        image_add_number(&image, 7);
        image_add_byte(&image, 1);
        image_add_text(&image, "x");
        image_add_byte(&image, 0x08);
    }
    return image;
}

#define ROW_BYTES (5 + 5 + 1 + 2 + 1)

static void T2_of_a_row_that_cannot_be_read_the_others_are_kept(void **state)
{
    (void)state;
    image_builder image = begin_rows();
    image.bytes[image.size - 3 * ROW_BYTES + 10] = 2; // a bool
    add_end(&image);
    saved_image saved = salvage(&image);
    assert_int_equal(saved.count, 1);
    assert_loss(&saved, 0, FIRN_LOSS_ENTITY, "");
    assert_int_equal(saved.losses[0].entity, 2);
    assert_entities(&saved, 0, 3, 1, 3, 4);
    free_saved(&saved);
}

static void T2_rows_before_the_place_where_they_are_cut_are_kept(void **state)
{
    (void)state;
    image_builder image = begin_rows();
    image.size -= ROW_BYTES + 3;
    saved_image saved = salvage(&image);
    assert_entities(&saved, 0, 2, 1, 2);
    assert_loss(&saved, 0, FIRN_LOSS_BYTES, "the rest of a frame");
    free_saved(&saved);
}

static void T2_a_row_whose_id_is_there_twice_is_kept_once(void **state)
{
    (void)state;
    image_builder image = begin_rows();
    image.bytes[image.size - ROW_BYTES + 1] = 2;
    add_end(&image);
    saved_image saved = salvage(&image);
    assert_int_equal(saved.count, 1);
    assert_loss(&saved, 0, FIRN_LOSS_ENTITY, "");
    assert_int_equal(saved.losses[0].entity, 2);
    assert_entities(&saved, 0, 3, 1, 2, 3);
    free_saved(&saved);
}

// ---------------------------------------------------------------- ids and bools

static void T2_ids_that_are_none_and_slots_that_are_taken_lose_their_rows(void **state)
{
    (void)state;
    image_builder image = begin_parts(9, 3);
    size_t first = add_whole_frame(&image, 1);
    add_whole_frame(&image, 4);
    size_t third = add_whole_frame(&image, 5); // 5 and 6 are there already
    add_end(&image);
    (void)third;
    image.bytes[first + 30 + 8] = 0x11; // a fraction
    saved_image saved = salvage(&image);
    assert_int_equal(saved.count, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_loss(&saved, i, FIRN_LOSS_ENTITY, "");
    assert_int_equal(saved.losses[0].entity, 0);
    assert_int_equal(saved.losses[0].offset, first + 30 + 8);
    assert_int_equal(saved.losses[1].entity, 5);
    assert_int_equal(saved.losses[2].entity, 6);
    assert_entities(&saved, 0, 2, 1, 3);
    assert_entities(&saved, 2, 1, 7);
    free_saved(&saved);
}

static void T2_a_bool_that_is_none_loses_its_row(void **state)
{
    (void)state;
    image_builder image = begin_parts(3, 1);
    size_t at = add_whole_frame(&image, 1);
    add_end(&image);
    image.bytes[at + 30 + 24] = 7;
    saved_image saved = salvage(&image);
    assert_int_equal(saved.count, 1);
    assert_loss(&saved, 0, FIRN_LOSS_ENTITY, "Flags");
    assert_int_equal(saved.losses[0].entity, 1);
    assert_entities(&saved, 0, 2, 2, 3);
    free_saved(&saved);
}

// With one row fewer than there are, the id that is too many gives it away.
static void T2_a_frame_with_fewer_rows_than_there_are_is_not_believed(void **state)
{
    (void)state;
    const uint32_t flags[] = {1};
    image_builder image = begin_parts(6, 2);
    size_t at = image.size;
    add_head(&image, 1, 3, flags, 0);
    add_ids(&image, 1, 3);
    image_add_bytes(&image, "\x01\x00\x01", 3);
    size_t second = add_whole_frame(&image, 4);
    add_end(&image);
    image.bytes[at + 6] = 2;
    saved_image saved = salvage(&image);
    assert_loss(&saved, 0, FIRN_LOSS_BYTES, "a frame");
    assert_int_equal(saved.losses[0].size, second - at);
    assert_entities(&saved, 0, 3, 4, 5, 6);
    free_saved(&saved);
}

// ---------------------------------------------------------------- the front

static void T2_numbers_of_the_prelude_are_counted_anew(void **state)
{
    (void)state;
    static const char *const names[] = {"version", "nextEntityId", "entityCount", "archetypeCount",
                                        "componentCount"};
    for (uint32_t i = 0; i < 5; i++) {
        image_builder image = begin_parts(6, 2);
        add_whole_frame(&image, 1);
        add_whole_frame(&image, 4);
        add_end(&image);
        image.bytes[5 * i + 4] = 0x80; // below 0
        saved_image saved = salvage(&image);
        assert_int_equal(saved.count, 1);
        assert_loss(&saved, 0, FIRN_LOSS_NUMBER, names[i]);
        assert_int_equal(saved.summary.entities, 6);
        firn_image_info info;
        firn_image_describe(saved.image, &info);
        assert_int_equal(info.prelude.next_slot, i == 1 ? 7 : 20);
        assert_int_equal(info.prelude.version, 1);
        free_saved(&saved);
    }
}

static void T2_a_number_that_is_wrong_but_possible_is_told(void **state)
{
    (void)state;
    image_builder image = begin_parts(7, 2);
    add_whole_frame(&image, 1);
    add_whole_frame(&image, 4);
    add_end(&image);
    saved_image saved = salvage(&image);
    assert_int_equal(saved.count, 1);
    assert_loss(&saved, 0, FIRN_LOSS_NUMBER, "entityCount");
    assert_int_equal(saved.summary.entities, 6);
    free_saved(&saved);
}

static void T2_a_damaged_name_is_made_up_anew(void **state)
{
    (void)state;
    image_builder image = begin_parts(3, 1);
    add_whole_frame(&image, 1);
    add_end(&image);
    image.bytes[27] = 0x07; // the second letter of Flags
    saved_image saved = salvage(&image);
    assert_int_equal(saved.count, 1);
    assert_loss(&saved, 0, FIRN_LOSS_NAME, "lost.1");
    assert_int_equal(firn_image_component_find(saved.image, "lost.1"), 0);
    assert_int_equal(saved.summary.entities, 3);
    free_saved(&saved);
}

static void T2_of_two_components_with_one_name_the_second_gets_another(void **state)
{
    (void)state;
    image_builder image = {0};
    image_add_front(&image, 2, 1, 1, 2);
    image_add_text(&image, "Bag");
    image_add_text(&image, "");
    image_add_text(&image, "Bag");
    image_add_byte(&image, 0x00); // as the port writes it
    image_add_frame(&image, 2, 1);
    image_add_bytes(&image, "\x02\x02", 2);
    add_end(&image);
    saved_image saved = salvage(&image);
    assert_loss(&saved, 0, FIRN_LOSS_NAME, "lost.2");
    assert_int_equal(saved.summary.entities, 1);
    free_saved(&saved);
}

static void assert_nothing(image_builder *image, firn_result code, const char *subject)
{
    firn_error err = {.code = FIRN_OK};
    firn_buffer out = {0};
    assert_ok(firn_buffer_append(&out, "before", 6, NULL), NULL);
    assert_int_equal(
        firn_image_salvage(image->bytes, image->size, NULL, NULL, NULL, &out, NULL, &err), code);
    assert_error(&err, code, subject);
    assert_int_equal(out.size, 6);
    firn_buffer_free(&out);
    free(image->bytes);
}

static void T2_without_a_component_table_nothing_can_be_saved(void **state)
{
    (void)state;
    image_builder image = begin_parts(3, 1);
    add_whole_frame(&image, 1);
    image.bytes[25] = 0x7f; // a name of 95 bytes
    assert_nothing(&image, FIRN_CORRUPT, "component table");
    image = begin_parts(0, 0);
    image.size -= 3; // a name without a fingerprint
    assert_nothing(&image, FIRN_CORRUPT, "component table");
    image = (image_builder){0};
    image_add_front(&image, 2, 1, 1, 70);
    for (int i = 0; i < 70; i++)
        image_add_bytes(&image, "\x21\x01\x20", 3); // no names
    assert_nothing(&image, FIRN_CORRUPT, "component name");
}

static void T2_what_is_no_image_is_not_salvaged(void **state)
{
    (void)state;
    image_builder image = {0};
    image_add_bytes(&image, "Dear diary, today I lost my save.", 33);
    assert_nothing(&image, FIRN_NOT_OURS, "prelude");
    image = begin_parts(0, 0);
    assert_nothing(&image, FIRN_CORRUPT, "image");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T2_an_image_that_checks_stays_as_it_is),
        cmocka_unit_test(T2_a_damaged_frame_is_left_out_and_the_next_one_found),
        cmocka_unit_test(T2_of_a_value_that_cannot_be_read_its_entity_alone_is_lost),
        cmocka_unit_test(T2_of_a_frame_that_is_cut_the_complete_columns_are_kept),
        cmocka_unit_test(T2_of_a_row_that_cannot_be_read_the_others_are_kept),
        cmocka_unit_test(T2_rows_before_the_place_where_they_are_cut_are_kept),
        cmocka_unit_test(T2_a_row_whose_id_is_there_twice_is_kept_once),
        cmocka_unit_test(T2_ids_that_are_none_and_slots_that_are_taken_lose_their_rows),
        cmocka_unit_test(T2_a_bool_that_is_none_loses_its_row),
        cmocka_unit_test(T2_a_frame_with_fewer_rows_than_there_are_is_not_believed),
        cmocka_unit_test(T2_numbers_of_the_prelude_are_counted_anew),
        cmocka_unit_test(T2_a_number_that_is_wrong_but_possible_is_told),
        cmocka_unit_test(T2_a_damaged_name_is_made_up_anew),
        cmocka_unit_test(T2_of_two_components_with_one_name_the_second_gets_another),
        cmocka_unit_test(T2_without_a_component_table_nothing_can_be_saved),
        cmocka_unit_test(T2_what_is_no_image_is_not_salvaged),
    };
    return cmocka_run_group_tests_name("salvage_image", tests, NULL, NULL);
}
