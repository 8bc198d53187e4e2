// Damaged save files: what is left of them, and what comes from a backup.
#include "api/save_parts.h"
#include "firn/salvage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What a salvage came to.
typedef struct saved_file {
    firn_buffer bytes;
    firn_salvage_summary summary;
    char told[4096]; // the messages, one a line
    firn_save_file *file;
} saved_file;

static firn_result note_message(void *user, const firn_loss *loss, firn_error *err)
{
    (void)err;
    saved_file *to = user;
    size_t size = strlen(to->told);
    snprintf(to->told + size, sizeof to->told - size, "%s%s%s\n", loss->section,
             loss->section[0] ? ": " : "", loss->message);
    return FIRN_OK;
}

// Salvages, which must succeed.
static saved_file salvage_file(const firn_buffer *save, const firn_salvage_options *options)
{
    firn_error err = {.code = FIRN_OK};
    saved_file saved = {.told = ""};
    assert_ok(firn_save_file_salvage(save->data, save->size, options, note_message, &saved,
                                     &saved.bytes, &saved.summary, &err),
              &err);
    saved.file = parts_open(&saved.bytes);
    assert_int_equal(firn_save_file_section_count(saved.file), saved.summary.sections);
    return saved;
}

static void free_file(saved_file *saved)
{
    firn_save_file_close(saved->file);
    firn_buffer_free(&saved->bytes);
}

static void assert_told(const saved_file *saved, const char *part)
{
    if (strstr(saved->told, part) == NULL)
        fail_msg("\"%s\" is not told:\n%s", part, saved->told);
}

// Where bytes stand in the file first.
static uint8_t *place_of(const firn_buffer *save, const void *bytes, size_t size)
{
    for (size_t at = 0; at + size <= save->size; at++)
        if (memcmp(save->data + at, bytes, size) == 0)
            return save->data + at;
    fail_msg("not there");
    return NULL;
}

static firn_section_info section_of(const firn_buffer *save, const char *name)
{
    firn_section_info info;
    firn_save_file *file = parts_open(save);
    for (uint32_t i = 0; firn_save_file_section_at(file, i, &info); i++)
        if (strcmp(info.name, name) == 0)
            break;
    firn_save_file_close(file);
    return info;
}

static firn_buffer copy_of(const firn_buffer *save)
{
    firn_buffer copy = {0};
    assert_ok(firn_buffer_append(&copy, save->data, save->size, NULL), NULL);
    return copy;
}

static void T2_a_file_that_checks_stays_as_it_is(void **state)
{
    (void)state;
    firn_buffer save = parts_full_save(NULL);
    saved_file saved = salvage_file(&save, NULL);
    assert_true(saved.summary.whole);
    assert_int_equal(saved.bytes.size, save.size);
    assert_memory_equal(saved.bytes.data, save.data, save.size);
    assert_string_equal(saved.told, "");
    assert_true(saved.summary.entities > 0 && saved.summary.frames > 0 && saved.summary.data > 0);
    assert_int_equal(saved.summary.entities, saved.summary.entities_said);
    free_file(&saved);
    firn_buffer_free(&save);
}

static void T2_whole_sections_are_kept_beside_a_damaged_one(void **state)
{
    (void)state;
    firn_buffer save = parts_full_save(NULL);
    firn_section_info custom = section_of(&save, "custom");
    save.data[custom.offset + 1] ^= 1;
    saved_file saved = salvage_file(&save, NULL);
    assert_told(&saved, "the section custom is damaged: it is lost");
    assert_int_equal(saved.summary.sections_lost, 1);
    assert_int_equal(saved.summary.losses, 1);
    const void *bytes;
    size_t size;
    firn_error err;
    assert_int_equal(firn_save_file_section(saved.file, "custom", &bytes, &size, &err),
                     FIRN_NOT_FOUND);
    assert_ok(firn_save_file_section(saved.file, "snapshot", &bytes, &size, &err), &err);
    assert_string_equal(firn_save_file_header(saved.file)->level, parts_header().level);
    free_file(&saved);
    firn_buffer_free(&save);
}

static void T2_of_a_damaged_snapshot_what_checks_is_kept(void **state)
{
    (void)state;
    firn_buffer save = parts_full_save(NULL);
    firn_section_info snapshot = section_of(&save, "snapshot");
    save.data[snapshot.offset + 9] ^= 0xff; // nextEntityId
    saved_file saved = salvage_file(&save, NULL);
    assert_told(&saved, "snapshot: nextEntityId of the prelude is damaged");
    assert_told(&saved, "the section snapshot is damaged: what is left of it is kept");
    assert_true(saved.summary.entities > 0);
    assert_int_equal(saved.summary.entities, saved.summary.entities_said);
    free_file(&saved);
    firn_buffer_free(&save);
}

static void T2_damaged_sections_are_taken_from_the_backup(void **state)
{
    (void)state;
    firn_buffer save = parts_full_save(NULL), backup = copy_of(&save);
    const firn_salvage_options options = {.backup = backup.data, .backup_size = backup.size};
    firn_section_info snapshot = section_of(&save, "snapshot");
    for (size_t at = (size_t)snapshot.offset; at < save.size; at++)
        save.data[at] ^= 0x55;
    saved_file saved = salvage_file(&save, &options);
    assert_told(&saved, "the section snapshot is damaged: that of the backup is taken");
    assert_int_equal(saved.summary.from_backup, saved.summary.sections - 1); // one is empty
    assert_true(saved.summary.entities > 0 && saved.summary.data > 0);
    assert_int_equal(saved.bytes.size, backup.size);
    assert_memory_equal(saved.bytes.data, backup.data, backup.size);
    free_file(&saved);
    firn_buffer_free(&save);
    firn_buffer_free(&backup);
}

// A backup that is damaged as well is of no use.
static void T2_a_damaged_backup_is_not_used(void **state)
{
    (void)state;
    firn_buffer save = parts_full_save(NULL);
    firn_section_info custom = section_of(&save, "custom");
    save.data[custom.offset + 1] ^= 1;
    const firn_salvage_options options = {.backup = save.data, .backup_size = save.size};
    saved_file saved = salvage_file(&save, &options);
    assert_int_equal(saved.summary.from_backup, 0);
    assert_int_equal(saved.summary.sections_lost, 1);
    free_file(&saved);
    firn_buffer_free(&save);
}

static firn_buffer persisted_save(const char *persist)
{
    firn_buffer snapshot = parts_snapshot(), save = {0};
    firn_save_header header = parts_header();
    header.kind = "persisted";
    const firn_section sections[] = {{"snapshot", snapshot.data, snapshot.size}};
    // Only firn may write the section: it is one of the game's that is called so afterwards.
    const firn_section other = {"from.persist", persist, strlen(persist)};
    const firn_section both[] = {sections[0], other};
    firn_error err;
    assert_ok(firn_save_file_write(&header, both, 2, NULL, &save, &err), &err);
    memcpy(place_of(&save, "from.persist", 12), "firn.persist", 12);
    parts_seal(save.data);
    firn_buffer_free(&snapshot);
    return save;
}

static void T2_a_snapshot_of_the_backup_brings_what_belongs_to_it(void **state)
{
    (void)state;
    firn_buffer save = persisted_save("\x08"), backup = persisted_save("\x09\x01\x21"
                                                                       "a\x02");
    const firn_salvage_options options = {.backup = backup.data, .backup_size = backup.size};
    firn_section_info snapshot = section_of(&save, "snapshot");
    save.data[snapshot.offset + 9] ^= 0xff;
    saved_file saved = salvage_file(&save, &options);
    assert_told(&saved, "the section firn.persist of the backup comes with its snapshot");
    parts_assert_section(saved.file, "firn.persist",
                         "\x09\x01\x21"
                         "a\x02",
                         5);
    free_file(&saved);
    firn_buffer_free(&save);
    firn_buffer_free(&backup);
}

// ---------------------------------------------------------------- the head

static void T2_of_a_damaged_header_each_field_that_is_found_is_kept(void **state)
{
    (void)state;
    firn_buffer save = parts_full_save(NULL), backup = copy_of(&save);
    *place_of(&save, "\x26parent", 7) = 0x03; // no value begins so: the header is no table any more
    memcpy(place_of(&save, "\x24game", 5), "\x24gone", 5);
    memcpy(place_of(&save, "\x24meta", 5), "\x24moth", 5);
    saved_file saved = salvage_file(&save, NULL);
    assert_told(&saved, "game of the header is lost, and was made up");
    assert_told(&saved, "parent of the header is lost\n");
    const firn_save_header *header = firn_save_file_header(saved.file), wanted = parts_header();
    assert_string_equal(header->game, "unknown");
    assert_string_equal(header->level, wanted.level);
    assert_int_equal(header->tick, wanted.tick);
    assert_int_equal(header->game_version, wanted.game_version);
    free_file(&saved);
    const firn_salvage_options options = {.backup = backup.data, .backup_size = backup.size};
    saved = salvage_file(&save, &options);
    assert_told(&saved, "game of the header is lost: that of the backup is taken");
    assert_string_equal(firn_save_file_header(saved.file)->game, wanted.game);
    assert_told(&saved, "meta of the header is lost: that of the backup is taken");
    assert_non_null(firn_save_file_header(saved.file)->meta);
    free_file(&saved);
    firn_buffer_free(&save);
    firn_buffer_free(&backup);
}

static void T2_a_field_that_no_header_may_have_so_is_lost(void **state)
{
    (void)state;
    firn_buffer save = parts_full_save(NULL);
    uint8_t *kind = place_of(&save, "\x24kind", 5);
    kind[6] = 'W'; // "World"
    saved_file saved = salvage_file(&save, NULL);
    assert_told(&saved, "kind of the header is lost");
    assert_string_equal(firn_save_file_header(saved.file)->kind, "world");
    free_file(&saved);
    firn_buffer_free(&save);
}

static void T2_a_head_that_was_changed_otherwise_is_told(void **state)
{
    (void)state;
    firn_buffer save = parts_full_save(NULL);
    place_of(&save, "\x25level", 6)[7] ^= 0x01; // another name of a level
    saved_file saved = salvage_file(&save, NULL);
    assert_int_equal(saved.summary.losses, 1);
    assert_told(&saved, "the head of the file was damaged: a field of it may be wrong");
    free_file(&saved);
    firn_buffer_free(&save);
}

static void T2_sections_that_the_table_does_not_name_come_from_the_backup(void **state)
{
    (void)state;
    firn_buffer save = parts_full_save(NULL), backup = copy_of(&save);
    uint8_t *entry = place_of(&save, "\x09variables", 10);
    entry[0] = 1;
    saved_file saved = salvage_file(&save, NULL);
    assert_told(&saved, "1 sections are lost: the table of sections is damaged");
    assert_int_equal(saved.summary.sections_lost, 1);
    free_file(&saved);
    const firn_salvage_options options = {.backup = backup.data, .backup_size = backup.size};
    saved = salvage_file(&save, &options);
    assert_told(&saved, "the section variables is damaged: that of the backup is taken");
    assert_int_equal(saved.summary.sections_lost, 0);
    free_file(&saved);
    firn_buffer_free(&save);
    firn_buffer_free(&backup);
}

static void T2_a_name_that_is_there_twice_is_that_of_the_first(void **state)
{
    (void)state;
    firn_buffer save = parts_full_save(NULL);
    memcpy(place_of(&save, "\x09variables", 10),
           "\x06"
           "custom\0\0\0",
           10);
    saved_file saved = salvage_file(&save, NULL);
    assert_int_equal(saved.summary.sections_lost, 1);
    free_file(&saved);
    firn_buffer_free(&save);
}

static void T2_the_snapshot_is_found_without_its_entry(void **state)
{
    (void)state;
    firn_buffer save = parts_full_save(NULL);
    place_of(&save, "\x08snapshot", 9)[0] = 0;
    saved_file saved = salvage_file(&save, NULL);
    assert_told(&saved, "the section snapshot is damaged: what is left of it checks as a whole");
    assert_int_equal(saved.summary.sections_lost, 0);
    free_file(&saved);
    firn_buffer_free(&save);
}

static void T2_a_table_is_found_although_the_sizes_in_the_head_are_not(void **state)
{
    (void)state;
    firn_buffer save = parts_full_save(NULL);
    memset(save.data + 8, 0xff, 24); // all numbers in front
    saved_file saved = salvage_file(&save, NULL);
    assert_int_equal(saved.summary.sections_lost, 0);
    free_file(&saved);
    firn_buffer_free(&save);
}

// ---------------------------------------------------------------- compressed

static void T2_a_damaged_compressed_snapshot_is_read_up_to_the_damage(void **state)
{
    (void)state;
    if (!firn_save_file_can_compress())
        skip();
    // A snapshot of many blocks of zstd.
    firn_error err;
    firn_world *world = firn_world_create(NULL, &err);
    firn_component number = firn_component_register(
        world, &(firn_component_desc){.name = "Number", .kind = FIRN_NUMBER}, &err);
    firn_component disabled = firn_component_find(world, "Disabled");
    test_random random = {.state = 7};
    for (int i = 0; i < 40000; i++) {
        double value = test_random_real(&random);
        firn_entity entity = firn_spawn(world, &number, 1, &err);
        assert_ok(firn_set(world, entity, number, &value, &err), &err);
        if (i % 2 == 0) // two frames
            assert_ok(firn_add(world, entity, &disabled, 1, &err), &err);
    }
    firn_buffer snapshot = {0}, save = {0};
    assert_ok(firn_snapshot_save(world, NULL, &snapshot, &err), &err);
    const firn_save_header header = parts_header();
    const firn_section section = {"snapshot", snapshot.data, snapshot.size};
    const firn_save_file_options options = {.compression = 3};
    assert_ok(firn_save_file_write(&header, &section, 1, &options, &save, &err), &err);
    save.data[save.size - 9] ^= 0xff; // at the end
    saved_file saved = salvage_file(&save, NULL);
    assert_true(saved.summary.entities >= 20000 && saved.summary.entities <= 40000);
    firn_section_info info;
    assert_true(firn_save_file_section_at(saved.file, 0, &info));
    assert_true(info.compressed);
    free_file(&saved);
    // A window above the limit, and a size above it.
    const firn_limits low = {.window_log = 10}, small = {.expanded_bytes = 1000};
    firn_salvage_options limited = {.limits = &low};
    assert_int_equal(firn_save_file_salvage(save.data, save.size, &limited, NULL, NULL,
                                            &saved.bytes, NULL, &err),
                     FIRN_CORRUPT);
    limited.limits = &small;
    assert_int_equal(firn_save_file_salvage(save.data, save.size, &limited, NULL, NULL,
                                            &saved.bytes, NULL, &err),
                     FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "file");
    firn_buffer_free(&saved.bytes);
    firn_buffer_free(&snapshot);
    firn_buffer_free(&save);
    firn_world_destroy(world);
}

// ---------------------------------------------------------------- calls

static void assert_not_salvaged(const void *bytes, size_t size, const firn_salvage_options *options,
                                firn_result code, const char *subject)
{
    firn_error err = {.code = FIRN_OK};
    firn_buffer out = {0};
    assert_int_equal(firn_save_file_salvage(bytes, size, options, NULL, NULL, &out, NULL, &err),
                     code);
    assert_error(&err, code, subject);
    assert_int_equal(out.size, 0);
    firn_buffer_free(&out);
}

static void T2_what_is_no_save_is_not_salvaged(void **state)
{
    (void)state;
    firn_buffer snapshot = parts_snapshot(), save = parts_full_save(NULL);
    assert_not_salvaged(snapshot.data, snapshot.size, NULL, FIRN_NOT_OURS, "magic");
    assert_not_salvaged("short", 5, NULL, FIRN_NOT_OURS, "magic");
    assert_not_salvaged(save.data, 20, NULL, FIRN_CORRUPT, "file");
    save.data[8] = 2; // a newer container
    save.data[save.size / 2] ^= 1;
    save.data[40] ^= 1;
    assert_not_salvaged(save.data, save.size, NULL, FIRN_VERSION, "container version");
    firn_buffer_free(&snapshot);
    firn_buffer_free(&save);
}

static firn_result refuse_message(void *user, const firn_loss *loss, firn_error *err)
{
    bool of_snapshot = *(const bool *)user;
    (void)err;
    return of_snapshot == (loss->section[0] != 0) ? FIRN_REFUSED : FIRN_OK;
}

static void T2_a_listener_can_end_it(void **state)
{
    (void)state;
    firn_buffer save = parts_full_save(NULL), out = {0};
    save.data[section_of(&save, "snapshot").offset + 9] ^= 0xff;
    for (int i = 0; i < 2; i++) {
        firn_error err = {.code = FIRN_OK};
        bool of_snapshot = i == 1;
        assert_int_equal(firn_save_file_salvage(save.data, save.size, NULL, refuse_message,
                                                &of_snapshot, &out, NULL, &err),
                         FIRN_REFUSED);
        assert_true(err.message[0] != 0);
        assert_int_equal(out.size, 0);
    }
    firn_buffer_free(&save);
    firn_buffer_free(&out);
}

static void N9_wrong_arguments_are_refused(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer out = {0};
    assert_not_salvaged(NULL, 0, NULL, FIRN_INVALID, "bytes");
    assert_int_equal(firn_save_file_salvage("x", 1, NULL, NULL, NULL, NULL, NULL, &err),
                     FIRN_INVALID);
    const firn_limits low = {.file_bytes = 3};
    const firn_salvage_options bad[] = {{.reserved = {1}}, {.compression = 20}, {.limits = &low}};
    const firn_result codes[] = {FIRN_INVALID, FIRN_INVALID, FIRN_LIMIT};
    const char *const subjects[] = {"reserved", "compression", "file"};
    for (int i = 0; i < 3; i++)
        assert_not_salvaged("long", 4, &bad[i], codes[i], subjects[i]);
    firn_buffer_free(&out);
}

static void T2_N12_without_memory_nothing_is_salvaged_and_nothing_leaks(void **state)
{
    (void)state;
    const firn_save_file_options writing = {.compression = firn_save_file_can_compress() ? 3 : 0};
    firn_buffer save = parts_full_save(&writing), backup = copy_of(&save), good = {0};
    save.data[section_of(&backup, "snapshot").offset + 40] ^= 0xff;
    save.data[section_of(&backup, "custom").offset + 1] ^= 0xff;
    *place_of(&save, "\x26parent", 7) = 0x03;
    for (int round = 0; round < 3; round++) {
        const firn_buffer *bytes = round == 2 ? &backup : &save; // a whole one at last
        test_allocator memory;
        test_allocator_init(&memory);
        firn_salvage_options options = {.allocator = &memory.allocator};
        if (round == 1) {
            options.backup = backup.data;
            options.backup_size = backup.size;
        }
        firn_result result = FIRN_NO_MEMORY;
        firn_buffer_clear(&good);
        firn_result wanted = firn_save_file_salvage(bytes->data, bytes->size, &options, NULL, NULL,
                                                    &good, NULL, NULL);
        for (uint64_t call = 1; result != wanted || memory.injected; call++) {
            firn_error err = {.code = FIRN_OK};
            firn_buffer out;
            firn_buffer_init(&out, &memory.allocator);
            test_allocator_fail_at(&memory, call, false);
            result = firn_save_file_salvage(bytes->data, bytes->size, &options, NULL, NULL, &out,
                                            NULL, &err);
            assert_true(result == wanted || result == FIRN_NO_MEMORY);
            assert_int_equal(err.code, result);
            if (result == FIRN_OK)
                assert_memory_equal(out.data, good.data, good.size);
            firn_buffer_free(&out);
            assert_no_leak(&memory);
        }
    }
    firn_buffer_free(&save);
    firn_buffer_free(&backup);
    firn_buffer_free(&good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T2_a_file_that_checks_stays_as_it_is),
        cmocka_unit_test(T2_whole_sections_are_kept_beside_a_damaged_one),
        cmocka_unit_test(T2_of_a_damaged_snapshot_what_checks_is_kept),
        cmocka_unit_test(T2_damaged_sections_are_taken_from_the_backup),
        cmocka_unit_test(T2_a_damaged_backup_is_not_used),
        cmocka_unit_test(T2_a_snapshot_of_the_backup_brings_what_belongs_to_it),
        cmocka_unit_test(T2_of_a_damaged_header_each_field_that_is_found_is_kept),
        cmocka_unit_test(T2_a_field_that_no_header_may_have_so_is_lost),
        cmocka_unit_test(T2_a_head_that_was_changed_otherwise_is_told),
        cmocka_unit_test(T2_sections_that_the_table_does_not_name_come_from_the_backup),
        cmocka_unit_test(T2_a_name_that_is_there_twice_is_that_of_the_first),
        cmocka_unit_test(T2_the_snapshot_is_found_without_its_entry),
        cmocka_unit_test(T2_a_table_is_found_although_the_sizes_in_the_head_are_not),
        cmocka_unit_test(T2_a_damaged_compressed_snapshot_is_read_up_to_the_damage),
        cmocka_unit_test(T2_what_is_no_save_is_not_salvaged),
        cmocka_unit_test(T2_a_listener_can_end_it),
        cmocka_unit_test(N9_wrong_arguments_are_refused),
        cmocka_unit_test(T2_N12_without_memory_nothing_is_salvaged_and_nothing_leaks),
    };
    return cmocka_run_group_tests_name("salvage_save", tests, NULL, NULL);
}
