// Damaged images of firn itself (golden/firn).
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>

#include "fault/bytes_damage.h"
#include "golden/firn_worlds.h"

static void begin_firn(damage_case *damage, uint32_t i)
{
    char path[512];
    size_t size;
    firn_error err = {0};
    snprintf(path, sizeof path, FIRN_TEST_DATA "/firn/%s.bin", golden_images[i].name);
    uint8_t *image = test_read_file(path, &size);
    firn_world *world = golden_firn_world(NULL, "before", &err);
    firn_world *other = golden_firn_world(NULL, NULL, &err);
    assert_true(world != NULL && other != NULL);
    damage_begin(damage, golden_images[i].name, image, size, world, other);
    free(image);
}

static void N12_no_prefix_of_an_image_loads_or_changes_the_world(void **state)
{
    (void)state;
    damage_prefixes_of_all(begin_firn, golden_image_count);
}

static void N12_a_changed_image_is_refused_or_loads_to_a_whole_world(void **state)
{
    (void)state;
    damage_changes_of_all(begin_firn, golden_image_count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(N12_no_prefix_of_an_image_loads_or_changes_the_world),
        cmocka_unit_test(N12_a_changed_image_is_refused_or_loads_to_a_whole_world),
    };
    return cmocka_run_group_tests_name("bytes_firn", tests, NULL, NULL);
}
