// Every golden image with each byte changed, and cut at each length: what is left of it is an image
// that checks and loads, and what is lost is told.
#include "firn/firn.h"
#include "support/support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What all salvages of a folder came to.
typedef struct salvage_count {
    uint64_t tried;
    uint64_t saved;
    uint64_t entities; // of those that are saved
    uint64_t said;     // of all, in the images as they were
    uint64_t losses;
} salvage_count;

typedef struct damaged {
    const char *name;
    const uint8_t *bytes;
    size_t size;
    uint32_t entities; // as it was
    size_t at;         // what was changed
} damaged;

static void fail_salvage(const damaged *image, const char *why, const firn_error *err)
{
    fail_msg("%s, %zu bytes, damaged at %zu: %s: %s: %s", image->name, image->size, image->at, why,
             err->subject, err->message);
}

static firn_result count_loss(void *user, const firn_loss *loss, firn_error *err)
{
    (void)err;
    assert_true(loss->message[0] != 0 && strchr(loss->message, '\n') == NULL);
    ++*(uint64_t *)user;
    return FIRN_OK;
}

static void check_result(const damaged *image, const firn_buffer *out,
                         const firn_salvage_summary *summary)
{
    firn_error err = {.code = FIRN_OK};
    firn_prelude prelude;
    const firn_load_options keep = {.keep_unknown = true};
    if (firn_image_check(out->data, out->size, NULL, &prelude, &err) != FIRN_OK)
        fail_salvage(image, "the result does not check", &err);
    assert_int_equal(prelude.entity_count, summary->entities);
    assert_int_equal(prelude.frame_count, summary->frames);
    firn_world *world = firn_world_create(NULL, &err);
    firn_result result = firn_snapshot_load(world, out->data, out->size, &keep, NULL, &err);
    // States and classes are those of a game.
    if (result != FIRN_OK && result != FIRN_UNKNOWN)
        fail_salvage(image, "the result does not load", &err);
    firn_world_destroy(world);
}

// Salvages the same again from what came of it: nothing is lost any more.
static void check_again(const damaged *image, const firn_buffer *out)
{
    firn_error err = {.code = FIRN_OK};
    firn_buffer again = {0};
    firn_salvage_summary summary;
    if (firn_image_salvage(out->data, out->size, NULL, NULL, NULL, &again, &summary, &err) !=
        FIRN_OK)
        fail_salvage(image, "the result cannot be salvaged", &err);
    if (!summary.whole || again.size != out->size || memcmp(again.data, out->data, again.size) != 0)
        fail_salvage(image, "the result is not whole", &err);
    firn_buffer_free(&again);
}

static void try_image(const damaged *image, salvage_count *count)
{
    firn_error err = {.code = FIRN_OK};
    firn_buffer out = {0};
    firn_salvage_summary summary = {0};
    uint64_t losses = 0;
    firn_result result = firn_image_salvage(image->bytes, image->size, NULL, count_loss, &losses,
                                            &out, &summary, &err);
    count->tried++;
    count->said += image->entities;
    if (result == FIRN_OK) {
        assert_int_equal(losses, summary.losses);
        assert_int_equal(summary.whole, losses == 0);
        if (summary.whole)
            assert_memory_equal(out.data, image->bytes, image->size);
        check_result(image, &out, &summary);
        check_again(image, &out);
        count->saved++;
        count->entities += summary.entities;
        count->losses += losses;
    } else {
        assert_true(result == FIRN_CORRUPT || result == FIRN_NOT_OURS || result == FIRN_LIMIT);
        assert_int_equal(out.size, 0);
        assert_true(err.message[0] != 0);
    }
    firn_buffer_free(&out);
}

static void flip_and_cut(const char *name, const uint8_t *bytes, size_t size, uint32_t step,
                         salvage_count *count)
{
    static const uint8_t changes[] = {0xff, 0x01, 0x80, 0x10, 0x06};
    firn_prelude prelude = {0};
    damaged image = {.name = name};
    (void)firn_image_check(bytes, size, NULL, &prelude, NULL);
    image.entities = prelude.entity_count;
    for (size_t at = 0; at < size; at += step) {
        // In a block of its own, so that a byte read behind it is noticed.
        uint8_t *copy = malloc(size);
        assert_non_null(copy);
        memcpy(copy, bytes, size);
        copy[at] ^= changes[at / step % sizeof changes];
        image.bytes = copy;
        image.size = size;
        image.at = at;
        try_image(&image, count);
        free(copy);
        copy = malloc(at + 1);
        assert_non_null(copy);
        memcpy(copy, bytes, at);
        image.bytes = copy;
        image.size = at;
        try_image(&image, count);
        free(copy);
    }
}

// Bytes that go, come, or are another's.
static size_t change(test_random *random, uint8_t *bytes, size_t size)
{
    size_t at = test_random_below(random, (uint32_t)size);
    size_t length = 1 + test_random_below(random, 40);
    length = length < size - at ? length : size - at;
    switch (test_random_below(random, 4)) {
    case 0:
        bytes[at] = (uint8_t)test_random_below(random, 256);
        return size;
    case 1:
        memset(bytes + at, 0, length);
        return size;
    case 2:
        memmove(bytes + at, bytes + test_random_below(random, (uint32_t)(size - length + 1)),
                length);
        return size;
    default:
        memmove(bytes + at, bytes + at + length, size - at - length);
        return size - length > 0 ? size - length : 1;
    }
}

static void change_much(const char *name, const uint8_t *bytes, size_t size, uint32_t times,
                        salvage_count *count)
{
    test_random random = {.state = size};
    damaged image = {.name = name};
    for (uint32_t i = 0; i < times; i++) {
        uint8_t *copy = malloc(size);
        assert_non_null(copy);
        memcpy(copy, bytes, size);
        image.size = size;
        image.at = i;
        for (uint32_t k = 0; k <= i % 5; k++)
            image.size = change(&random, copy, image.size);
        uint8_t *exact = malloc(image.size);
        assert_non_null(exact);
        memcpy(exact, copy, image.size);
        image.bytes = exact;
        try_image(&image, count);
        free(exact);
        free(copy);
    }
}

static salvage_count try_folder(const char *folder, uint32_t step)
{
    salvage_count count = {0};
    char path[1024];
    snprintf(path, sizeof path, FIRN_TEST_DATA "/%s", folder);
    DIR *open = opendir(path);
    assert_non_null(open);
    for (const struct dirent *entry; (entry = readdir(open)) != NULL;) {
        const char *end = strrchr(entry->d_name, '.');
        if (end == NULL || strcmp(end, ".bin") != 0)
            continue;
        size_t size;
        snprintf(path, sizeof path, FIRN_TEST_DATA "/%s/%s", folder, entry->d_name);
        uint8_t *bytes = test_read_file(path, &size);
        flip_and_cut(entry->d_name, bytes, size, step, &count);
        if (size > 0)
            change_much(entry->d_name, bytes, size, step < size ? 100 : 1, &count);
        free(bytes);
    }
    closedir(open);
    return count;
}

static void T2_images_of_firn_come_back_from_damage_at_every_byte(void **state)
{
    (void)state;
    salvage_count count = try_folder("firn", 1);
    print_message("%llu of %llu salvaged, with %llu of %llu entities; %llu losses\n",
                  (unsigned long long)count.saved, (unsigned long long)count.tried,
                  (unsigned long long)count.entities, (unsigned long long)count.said,
                  (unsigned long long)count.losses);
    assert_true(count.saved > count.tried * 8 / 10);
    assert_true(count.entities > count.said * 6 / 10); // half of them are cut
    assert_true(count.losses > count.saved / 2);
}

static void T2_images_of_tecs_come_back_from_damage(void **state)
{
    (void)state;
    salvage_count count = try_folder("tecs", 7);
    assert_true(count.saved > count.tried * 8 / 10);
    assert_true(count.entities > count.said * 5 / 10);
}

// Those that a world refuses, too.
static void T2_images_that_are_refused_come_back_or_are_refused_again(void **state)
{
    (void)state;
    static const char *const folders[] = {"corrupt", "invalid",   "limit",   "not_ours",
                                          "refused", "truncated", "unknown", "version"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[512];
        snprintf(path, sizeof path, "errors/%s", folders[i]);
        salvage_count count = try_folder(path, 1000000); // as they are, and with a byte changed
        assert_true(count.tried > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T2_images_of_firn_come_back_from_damage_at_every_byte),
        cmocka_unit_test(T2_images_of_tecs_come_back_from_damage),
        cmocka_unit_test(T2_images_that_are_refused_come_back_or_are_refused_again),
    };
    return cmocka_run_group_tests_name("salvage_damage", tests, NULL, NULL);
}
