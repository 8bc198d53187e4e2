// Files of Tecs, written again by firn: what loads from them is the same.
#include <stdlib.h>
#include <string.h>

#include "golden/tecs_loaded.h"
#include "support/support.h"

static firn_buffer load_and_save(const golden_file *file, const void *image, size_t size)
{
    firn_error err;
    firn_buffer out = {0};
    const firn_save_options options = {.sparse_edges = true};
    firn_world *world = golden_world(file, &err);
    assert_non_null(world);
    assert_ok(firn_snapshot_load(world, image, size, NULL, NULL, &err), &err);
    assert_ok(firn_snapshot_save(world, &options, &out, &err), &err);
    firn_world_destroy(world);
    return out;
}

static void assert_same(const firn_buffer *a, const firn_buffer *b, const char *path)
{
    if (a->size != b->size || memcmp(a->data, b->data, a->size) != 0) {
        fail_msg("%s: %zu bytes differ from %zu", path, a->size, b->size);
    }
}

static void check_file(const golden_file *file)
{
    firn_error err;
    size_t size;
    uint8_t *image = golden_image(file, &size);
    firn_buffer once = {0}, twice = {0};
    assert_ok(firn_image_rewrite(image, size, NULL, &once, NULL, &err), &err);
    assert_ok(firn_image_rewrite(once.data, once.size, NULL, &twice, NULL, &err), &err);
    assert_same(&once, &twice, file->path);
    firn_buffer before = load_and_save(file, image, size);
    firn_buffer after = load_and_save(file, once.data, once.size);
    assert_same(&before, &after, file->path);
    free(image);
    firn_buffer_free(&once);
    firn_buffer_free(&twice);
    firn_buffer_free(&before);
    firn_buffer_free(&after);
}

static void a_file_of_tecs_that_is_written_again_loads_as_before(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < golden_file_count; i++) {
        check_file(&golden_files[i]);
    }
}

static void what_was_written_again_says_that_firn_wrote_it(void **state)
{
    (void)state;
    firn_error err;
    size_t size;
    uint8_t *image = golden_image(golden_find("25_row_major_mixed"), &size);
    firn_buffer out = {0};
    assert_ok(firn_image_rewrite(image, size, NULL, &out, NULL, &err), &err);
    firn_image *opened = firn_image_open(out.data, out.size, NULL, &err);
    firn_image_info info;
    firn_image_describe(opened, &info);
    assert_true(info.by_firn);
    assert_int_equal(info.prelude.version, 2);
    firn_image_close(opened);
    firn_buffer_free(&out);
    free(image);
}

static void a_target_that_a_name_says_inexactly_is_written_out(void **state)
{
    (void)state;
    firn_error err;
    size_t size;
    uint8_t *image = golden_image(golden_find("12_large_target_name"), &size);
    firn_buffer out = {0};
    assert_ok(firn_image_rewrite(image, size, NULL, &out, NULL, &err), &err);
    firn_image *opened = firn_image_open(out.data, out.size, NULL, &err);
    firn_image_component component;
    uint32_t targets = 0;
    for (uint32_t i = 0; firn_image_component_at(opened, i, &component); i++) {
        targets += component.relation_size > 0;
        assert_null(strstr(component.name, "e+"));
    }
    assert_true(targets > 0);
    firn_image_close(opened);
    firn_buffer_free(&out);
    free(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_tecs_that_is_written_again_loads_as_before),
        cmocka_unit_test(what_was_written_again_says_that_firn_wrote_it),
        cmocka_unit_test(a_target_that_a_name_says_inexactly_is_written_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
