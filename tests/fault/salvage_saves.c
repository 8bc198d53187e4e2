// Every golden save file with bytes changed, and cut: what is left opens, its snapshot checks, and
// what is lost is told.
#include "firn/firn.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct save_case {
    const char *name;
    uint8_t *bytes;
    size_t size;
    size_t at;      // what is damaged
    uint64_t tried; // how many came back
    uint64_t saved;
} save_case;

static void fail_save(const save_case *save, const char *why, const firn_error *err)
{
    fail_msg("%s, damaged at %zu: %s: %s: %s", save->name, save->at, why, err->subject,
             err->message);
}

static firn_result count_loss(void *user, const firn_loss *loss, firn_error *err)
{
    (void)err;
    assert_true(loss->message[0] != 0 && strchr(loss->message, '\n') == NULL);
    assert_true(loss->section[0] == 0 || strcmp(loss->section, "snapshot") == 0);
    ++*(uint64_t *)user;
    return FIRN_OK;
}

static void check_save(const save_case *save, const firn_buffer *out,
                       const firn_salvage_summary *summary)
{
    firn_error err = {.code = FIRN_OK};
    firn_save_file *file = firn_save_file_open(out->data, out->size, NULL, &err);
    if (file == NULL)
        fail_save(save, "the result does not open", &err);
    assert_int_equal(firn_save_file_section_count(file), summary->sections);
    const void *image;
    size_t size;
    firn_result result = firn_save_file_section(file, FIRN_SECTION_SNAPSHOT, &image, &size, &err);
    if (result == FIRN_OK)
        result = firn_image_check(image, size, NULL, NULL, &err);
    if (result != FIRN_OK && result != FIRN_NOT_FOUND)
        fail_save(save, "the snapshot does not check", &err);
    firn_save_file_close(file);
}

static firn_salvage_summary try_save(save_case *save, const uint8_t *bytes, size_t size,
                                     const firn_salvage_options *options)
{
    firn_error err = {.code = FIRN_OK};
    firn_buffer out = {0};
    firn_salvage_summary summary = {0};
    uint64_t losses = 0;
    firn_result result =
        firn_save_file_salvage(bytes, size, options, count_loss, &losses, &out, &summary, &err);
    save->tried++;
    if (result == FIRN_OK) {
        assert_int_equal(losses, summary.losses);
        assert_true(losses > 0);
        assert_false(summary.whole);
        check_save(save, &out, &summary);
        save->saved++;
    } else {
        if (result != FIRN_CORRUPT && result != FIRN_NOT_OURS && result != FIRN_LIMIT &&
            result != FIRN_VERSION && (result != FIRN_TRUNCATED || size > 0))
            fail_save(save, "it fails otherwise", &err);
        assert_int_equal(out.size, 0);
    }
    firn_buffer_free(&out);
    return summary;
}

static save_case open_case(const char *name)
{
    char path[512];
    save_case save = {.name = name};
    snprintf(path, sizeof path, FIRN_TEST_DATA "/saves/%s.firn", name);
    save.bytes = test_read_file(path, &save.size);
    return save;
}

static void flip(save_case *save, const firn_salvage_options *options)
{
    static const uint8_t changes[] = {0xff, 0x01, 0x80, 0x10, 0x06};
    save->bytes[save->at] ^= changes[save->at % sizeof changes];
    firn_salvage_summary summary = try_save(save, save->bytes, save->size, options);
    if (options != NULL && summary.sections == 0)
        fail_msg("%s: nothing is saved at %zu although there is a backup", save->name, save->at);
    save->bytes[save->at] ^= changes[save->at % sizeof changes];
}

static void cut(save_case *save)
{
    uint8_t *copy = malloc(save->at + 1);
    assert_non_null(copy);
    memcpy(copy, save->bytes, save->at);
    (void)try_save(save, copy, save->at, NULL);
    free(copy);
}

// The head byte by byte, the rest in steps.
static void next_place(save_case *save)
{
    save->at += save->at < 1200 ? 1 : 1 + save->size / 400;
}

static bool is_compressed(const char *name)
{
    return strstr(name, "compressed") != NULL;
}

static void T2_saves_come_back_from_damage_at_every_byte(void **state)
{
    (void)state;
    static const char *const names[] = {"02_kitchen", "03_persisted", "04_thumbnail", "05_most",
                                        "06_compressed"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (is_compressed(names[i]) && !firn_save_file_can_compress())
            continue;
        save_case save = open_case(names[i]);
        for (save.at = 0; save.at < save.size; next_place(&save))
            flip(&save, NULL);
        // A thumbnail alone is lost with any byte of it.
        if (save.saved < save.tried * 9 / 10 && strcmp(save.name, "04_thumbnail") != 0)
            fail_msg("%s: only %llu of %llu come back", save.name, (unsigned long long)save.saved,
                     (unsigned long long)save.tried);
        for (save.at = 0; save.at < save.size; next_place(&save))
            cut(&save);
        free(save.bytes);
    }
}

static void T2_with_a_backup_every_section_comes_back(void **state)
{
    (void)state;
    save_case save = open_case("03_persisted"), backup = open_case("03_persisted");
    const firn_salvage_options options = {.backup = backup.bytes, .backup_size = backup.size};
    for (save.at = 0; save.at < save.size; next_place(&save))
        flip(&save, &options);
    assert_int_equal(save.saved, save.tried);
    free(save.bytes);
    free(backup.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T2_saves_come_back_from_damage_at_every_byte),
        cmocka_unit_test(T2_with_a_backup_every_section_comes_back),
    };
    return cmocka_run_group_tests_name("salvage_saves", tests, NULL, NULL);
}
