// Names of columns of dense relations: targets in digits as other writers print them, and former
// names of relations.
#include "api/snapshot_zoo.h"

#include <string.h>

#include "buffer/bytes.h"
#include "firn/relation.h"

// An image with the entity 1, which owns `target` under a name.
static firn_buffer image_of_owner(const char *name, double target)
{
    static const uint8_t edge[] = "\x09\x01\x26target\x07";
    const double front[] = {1, 2, 1, 1, 1};
    const double frame[] = {1, 1, 1, 0};
    uint8_t bytes[256], *at = bytes;
    for (int i = 0; i < 5; i++)
        at = fr_put_number(at, front[i]);
    *at++ = (uint8_t)(strlen(name) + 0x20);
    memcpy(at, name, strlen(name));
    at += strlen(name);
    *at++ = 0x20;
    for (int i = 0; i < 4; i++)
        at = fr_put_number(at, frame[i]);
    at = fr_put_number(at, 1);
    memmove(at - 9, at - 8, 8); // an id has no tag
    at--;
    memcpy(at, edge, sizeof edge - 2);
    at = fr_put_number(at + sizeof edge - 2, target);
    *at++ = 0x01;
    firn_buffer image;
    firn_buffer_init(&image, NULL);
    assert_ok(firn_buffer_append(&image, bytes, (size_t)(at - bytes), NULL), NULL);
    return image;
}

static void T22_a_short_name_of_a_target_has_14_rounded_digits(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double target;
        bool same;
    } names[] = {{"Owns->1e+15", 999999999999996, true},
                 {"Owns->1e+15", 999999999999986, false},
                 {"Owns->9.007199254741e+15", 9007199254740990, true},
                 {"Owns->9.0071992547410e+15", 9007199254740990, false}};
    for (size_t i = 0; i < FIRN_COUNT(names); i++) {
        firn_error err;
        firn_world *world = firn_world_create(NULL, NULL);
        const firn_component_desc desc = {
            .name = "Owns", .kind = FIRN_RELATION, .relation = FIRN_EXCLUSIVE};
        firn_component owns = firn_component_register(world, &desc, &err);
        firn_buffer image = image_of_owner(names[i].name, names[i].target);
        firn_result result = firn_snapshot_load(world, image.data, image.size, NULL, NULL, &err);
        if (names[i].same) {
            assert_ok(result, &err);
            assert_int_equal(firn_target(world, 1, owns), 0); // nobody is it
        } else {
            assert_int_equal(result, FIRN_CORRUPT);
            assert_error(&err, FIRN_CORRUPT, names[i].name);
        }
        firn_buffer_free(&image);
        firn_world_destroy(world);
    }
}

static void a_dense_relation_without_rows_needs_no_target_in_its_name(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = firn_world_create(NULL, NULL);
    const firn_component_desc desc = {.name = "Owns", .kind = FIRN_RELATION};
    assert_true(firn_component_register(world, &desc, &err) != 0);
    const double front[] = {1, 1, 0, 0, 1}; // one component, no frame
    uint8_t bytes[64], *at = bytes;
    for (int i = 0; i < 5; i++)
        at = fr_put_number(at, front[i]);
    memcpy(at, "\x24Owns\x20\x01", 7);
    assert_ok(firn_snapshot_load(world, bytes, (size_t)(at + 7 - bytes), NULL, NULL, &err), &err);
    firn_world_destroy(world);
}

static void T16_two_relations_that_became_one_are_refused(void **state)
{
    (void)state;
    firn_error err;
    firn_world *a = firn_world_create(NULL, NULL), *b = firn_world_create(NULL, NULL);
    const char *const former[] = {"Loves", NULL};
    const firn_component_desc likes_desc = {.name = "Likes", .kind = FIRN_RELATION};
    const firn_component_desc loves_desc = {.name = "Loves", .kind = FIRN_RELATION};
    const firn_component_desc both = {
        .name = "Likes", .kind = FIRN_RELATION, .former_names = former};
    firn_entity one = firn_spawn(a, NULL, 0, &err);
    assert_ok(firn_relate(a, one, firn_component_register(a, &likes_desc, &err), one, NULL, &err),
              &err);
    assert_ok(firn_relate(a, one, firn_component_register(a, &loves_desc, &err), one, NULL, &err),
              &err);
    firn_buffer image = zoo_save(a);
    assert_true(firn_component_register(b, &both, &err) != 0);
    assert_int_equal(firn_snapshot_load(b, image.data, image.size, NULL, NULL, &err), FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "Loves->1");
    assert_non_null(strstr(err.message, "Loves->1 and Likes->1 in the save are one relationship"));
    firn_buffer_free(&image);
    firn_world_destroy(a);
    firn_world_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T22_a_short_name_of_a_target_has_14_rounded_digits),
        cmocka_unit_test(a_dense_relation_without_rows_needs_no_target_in_its_name),
        cmocka_unit_test(T16_two_relations_that_became_one_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
