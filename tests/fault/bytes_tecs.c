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
    for (uint32_t i = 0; i < golden_file_count; i++) {
        damage_case damage;
        begin_tecs(&damage, i);
        damage_prefixes(&damage);
        damage_end(&damage);
    }
}

static void N12_a_changed_tecs_image_is_refused_or_loads_to_a_whole_world(void **state)
{
    (void)state;
    uint64_t refused = 0, loaded = 0;
    for (uint32_t i = 0; i < golden_file_count; i++) {
        damage_case damage;
        begin_tecs(&damage, i);
        damage_changes(&damage, 5000, 100 + i);
        refused += damage.refused;
        loaded += damage.loaded;
        damage_end(&damage);
    }
    assert_true(refused > 0 && loaded > 0);
    print_message("%llu loads refused, %llu done\n", (unsigned long long)refused,
                  (unsigned long long)loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(N12_no_prefix_of_a_tecs_image_loads_or_changes_the_world),
        cmocka_unit_test(N12_a_changed_tecs_image_is_refused_or_loads_to_a_whole_world),
    };
    return cmocka_run_group_tests_name("bytes_tecs", tests, NULL, NULL);
}
