// Damaged images of another system (golden/tecs).
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>

#include "fault/bytes_damage.h"
#include "golden/tecs_components.h"

static void begin_tecs(damage_case *damage, uint32_t i)
{
    char path[512];
    size_t size;
    firn_error err = {0};
    snprintf(path, sizeof path, FIRN_TEST_DATA "/tecs/%s.bin", golden_files[i].path);
    uint8_t *image = test_read_file(path, &size);
    firn_world *world = golden_world(&golden_files[i], &err);
    firn_world *other = golden_world(&golden_files[i], &err);
    assert_true(world != NULL && other != NULL);
    damage_begin(damage, golden_files[i].path, image, size, world, other);
    damage->loose_codecs =
        golden_files[i].components == golden_find("07_custom_codecs")->components;
    free(image);
}

static void N12_no_prefix_of_a_tecs_image_loads_or_changes_the_world(void **state)
{
    (void)state;
    damage_prefixes_of_all(begin_tecs, golden_file_count);
}

static void N12_a_changed_tecs_image_is_refused_or_loads_to_a_whole_world(void **state)
{
    (void)state;
    damage_changes_of_all(begin_tecs, golden_file_count, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(N12_no_prefix_of_a_tecs_image_loads_or_changes_the_world),
        cmocka_unit_test(N12_a_changed_tecs_image_is_refused_or_loads_to_a_whole_world),
    };
    return cmocka_run_group_tests_name("bytes_tecs", tests, NULL, NULL);
}
