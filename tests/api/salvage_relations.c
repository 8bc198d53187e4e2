// Damaged relations by hand: what no world takes of them.
#include "api/salvage_parts.h"

#include <stdlib.h>

// Columns of no target and of another one, and values of a listed relation that are no edges.
static image_builder make_bad_relations(void)
{
    static const char *const names[] = {"Likes->0", "Likes->1", "Knows"};
    image_builder image = {0};
    image_add_front(&image, 9, 2, 1, 3);
    for (uint32_t i = 0; i < 3; i++) {
        image_add_text(&image, names[i]);
        image_add_text(&image, "");
    }
    image_add_frame(&image, 3, 2);
    for (uint32_t i = 0; i < 4; i++)
        image_add_bytes(&image, "\x09\x01\x26target\x06\2\0\0\0", 14);
    image_add_bytes(&image, "\x09\x01\x26target\x02", 10);
    image_add_bytes(&image, "\x09\x01\x26target\x06\1\0\0\0", 14);
    begin_lists(&image, 1);
    add_list(&image, "Knows", 1, 1, 2);
    add_end(&image);
    return image;
}

static void T2_values_of_relations_that_no_world_takes_are_left_out(void **state)
{
    (void)state;
    image_builder image = make_bad_relations();
    saved_image saved = salvage(&image);
    assert_int_equal(saved.count, 4);
    assert_loss(&saved, 0, FIRN_LOSS_COLUMNS, "Likes->0");
    assert_int_equal(saved.losses[0].count, 2);
    assert_loss(&saved, 1, FIRN_LOSS_VALUE, "Likes->1");
    assert_loss(&saved, 2, FIRN_LOSS_VALUE, "Likes->1");
    assert_int_equal(saved.losses[2].entity, 2);
    assert_loss(&saved, 3, FIRN_LOSS_VALUE, "Knows");
    assert_entities(&saved, 0, 2, 1, 2);
    firn_image_component component;
    assert_true(firn_image_component_at(saved.image, 0, &component));
    assert_string_equal(component.name, "Likes->1");
    firn_image_info info;
    firn_image_describe(saved.image, &info);
    assert_int_equal(info.prelude.component_count, 2);
    free_saved(&saved);
}

static void T2_N12_without_memory_no_relations_are_salvaged_and_nothing_leaks(void **state)
{
    (void)state;
    image_builder image = make_bad_relations();
    fail_each_allocation(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T2_values_of_relations_that_no_world_takes_are_left_out),
        cmocka_unit_test(T2_N12_without_memory_no_relations_are_salvaged_and_nothing_leaks),
    };
    return cmocka_run_group_tests_name("salvage_relations", tests, NULL, NULL);
}
