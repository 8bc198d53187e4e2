// Loads from bytes: what comes back, and what is refused before anything changes.
#include "api/saves_game.h"
#include "buffer/bytes.h"
#include "saves/file.h"

#include <stdio.h>
#include <string.h>

static saves_game game;

static int make_game(void **state)
{
    saves_game_make(&game);
    game.desc.version = 2;
    return saves_game_begin(&game, state);
}

static void take_file(const firn_buffer *bytes, firn_saves_loaded *loaded)
{
    firn_error err;
    assert_ok(firn_saves_take(game.saves, bytes->data, bytes->size, loaded, &err), &err);
}

// Fails, and nothing changes; also where levels would be entered, which are not.
static void assert_take_fails(const firn_buffer *bytes, firn_result result, const char *subject)
{
    for (int levels = 0; levels < 2; levels++) {
        game.desc.levels = levels == 0 ? NULL : &game.levels;
        firn_error err;
        saves_game_open_again(&game);
        saves_game_set(&game, "chapter", 1);
        saves_game_state before = saves_game_look(&game);
        firn_saves_loaded loaded;
        assert_int_equal(firn_saves_take(game.saves, bytes->data, bytes->size, &loaded, &err),
                         result);
        assert_error(&err, result, subject);
        assert_ptr_equal(loaded.world, game.z.world);
        assert_false(loaded.went_back || loaded.report.committed);
        firn_saves_loaded_free(&loaded);
        assert_unchanged(&game, &before);
        assert_string_equal(game.trace, "");
    }
}

// ---------------------------------------------------------------- what comes back

static void S5_the_world_comes_back_with_its_tick_its_ids_and_its_generator(void **state)
{
    (void)state;
    firn_error err;
    assert_ok(firn_world_set_tick(game.z.world, 42, &err), &err);
    firn_random *random = firn_random_stream(game.z.world, "loot", &err);
    (void)firn_random_next(random);
    firn_buffer image = zoo_save(game.z.world), bytes = saves_game_file(&game);
    double next = firn_random_next(random);
    uint32_t count = firn_entity_count(game.z.world);
    firn_entity spawned = zoo_spawn(game.z.world, NULL, 0);
    zoo_litter(&game.z);
    firn_saves_loaded loaded;
    take_file(&bytes, &loaded);
    assert_saves_as(game.z.world, &image);
    assert_int_equal(firn_world_tick(game.z.world), 42);
    assert_true(firn_random_next(random) == next);
    assert_int_equal(zoo_spawn(game.z.world, NULL, 0), spawned);
    assert_true(loaded.report.committed);
    assert_int_equal(loaded.report.prelude.entity_count, count);
    firn_saves_loaded_free(&loaded);
    firn_buffer_free(&bytes);
    firn_buffer_free(&image);
}

static firn_result save_id(void *user, firn_saves *saves, firn_doc *doc, firn_value *fields,
                           firn_error *err)
{
    (void)saves;
    const firn_value id = {.kind = FIRN_VALUE_NUMBER,
                           .as.number = (double)*(const firn_entity *)user};
    return firn_table_set_text(doc, fields, "hero", &id, err);
}

static void S6_an_id_in_custom_still_names_the_same_entity(void **state)
{
    (void)state;
    firn_error err;
    firn_entity hero = zoo_spawn_one(game.z.world, game.z.of[ZOO_TITLE]);
    assert_ok(firn_set_text(game.z.world, hero, game.z.of[ZOO_TITLE], "hero", &err), &err);
    assert_int_not_equal(firn_saves_before_save(game.saves, NULL, save_id, &hero, &err), 0);
    firn_buffer bytes = saves_game_file(&game);
    zoo_litter(&game.z);
    firn_saves_loaded loaded;
    take_file(&bytes, &loaded);
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    const void *custom;
    size_t size;
    assert_ok(firn_save_file_section(loaded.envelope, FIRN_SECTION_CUSTOM, &custom, &size, &err),
              &err);
    const firn_value *map = firn_value_decode(doc, custom, size, &err);
    firn_entity found = (firn_entity)firn_table_get_text(map, "hero")->as.number;
    assert_int_equal(found, hero);
    size_t length;
    const char *title = firn_get_string(game.z.world, found, game.z.of[ZOO_TITLE], &length);
    assert_int_equal(length, 4);
    assert_memory_equal(title, "hero", 4);
    firn_doc_destroy(doc);
    firn_saves_loaded_free(&loaded);
    firn_buffer_free(&bytes);
}

static void S1_the_result_of_a_load_is_the_world_and_the_envelope(void **state)
{
    (void)state;
    firn_buffer bytes = saves_game_file(&game);
    firn_saves_loaded loaded;
    take_file(&bytes, &loaded);
    assert_ptr_equal(loaded.world, game.z.world);
    assert_string_equal(firn_save_file_header(loaded.envelope)->game, "zoo");
    assert_int_equal(loaded.migrated_from, 0);
    assert_false(loaded.from_backup || loaded.went_back);
    firn_saves_loaded_free(&loaded);
    assert_null(loaded.envelope);
    firn_saves_loaded_free(&loaded);
    firn_saves_loaded_free(NULL);
    take_file(&bytes, NULL);
    firn_buffer_free(&bytes);
}

static void K3_the_variables_become_those_of_the_save(void **state)
{
    (void)state;
    saves_game_set(&game, "chapter", 5);
    saves_game_set(&game, "door", 1);
    firn_buffer bytes = saves_game_file(&game);
    saves_game_set(&game, "chapter", 6);
    saves_game_set(&game, "new", 1);
    take_file(&bytes, NULL);
    assert_true(saves_game_get(&game, "chapter") == 5);
    assert_true(saves_game_get(&game, "door") == 1);
    assert_true(saves_game_get(&game, "new") == -1);
    firn_buffer_free(&bytes);
}

static void have_played(firn_save_header *header)
{
    header->play_time = 61.5;
    header->revision = 7;
}

static void K6_play_time_and_the_line_go_on_from_the_save(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer bytes = saves_game_file(&game);
    bytes = saves_game_with_header(&bytes, have_played);
    firn_saves_loaded loaded;
    take_file(&bytes, &loaded);
    assert_true(firn_saves_play_time(game.saves) == 61.5);
    firn_digest identity = firn_save_file_identity(loaded.envelope);
    firn_saves_loaded_free(&loaded);
    firn_buffer next = saves_game_file(&game);
    firn_save_file *file = firn_save_file_open(next.data, next.size, NULL, &err);
    const firn_save_header *header = firn_save_file_header(file);
    assert_int_equal(header->revision, 8);
    assert_true(header->play_time == 61.5);
    assert_memory_equal(&header->parent, &identity, sizeof identity);
    firn_save_file_close(file);
    firn_buffer_free(&next);
    firn_buffer_free(&bytes);
}

static void a_save_of_another_writer_may_lack_custom_and_variables(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = zoo_save(game.z.world), bytes = {0};
    const firn_section section = {FIRN_SECTION_SNAPSHOT, image.data, image.size};
    const firn_save_header header = {.game_version = 2, .game = "zoo", .level = ""};
    assert_ok(firn_save_file_write(&header, &section, 1, NULL, &bytes, &err), &err);
    saves_game_set(&game, "chapter", 5);
    take_file(&bytes, NULL);
    assert_true(saves_game_get(&game, "chapter") == -1);
    firn_buffer_free(&bytes);
    firn_buffer_free(&image);
}

static void what_is_unknown_is_kept_or_skipped_as_the_desc_says(void **state)
{
    (void)state;
    firn_error err;
    const firn_component_desc desc = {.name = "zoo.New", .kind = FIRN_NUMBER};
    zoo_spawn_one(game.z.world, zoo_register(game.z.world, &desc));
    firn_buffer bytes = saves_game_file(&game);
    for (int keep = 0; keep < 2; keep++) {
        firn_world *world = zoo_make(&game.memory, false).world;
        const firn_saves_desc other = {
            .game = "zoo", .version = 2, .keep_unknown = keep != 0, .skip_unknown = keep == 0};
        firn_saves *saves = firn_saves_open(world, &other, &err);
        firn_saves_loaded loaded;
        assert_ok(firn_saves_take(saves, bytes.data, bytes.size, &loaded, &err), &err);
        assert_int_equal(loaded.report.kept, keep);
        assert_int_equal(loaded.report.unknown, 1 - keep);
        firn_saves_loaded_free(&loaded);
        firn_saves_close(saves);
        firn_world_destroy(world);
    }
    firn_buffer_free(&bytes);
}

// ---------------------------------------------------------------- what is refused

// The hash of a head whose bytes were changed.
static void seal_head(firn_buffer *bytes)
{
    size_t size = fr_load_u32(bytes->data + FR_HEAD_SIZE) - FR_SAVE_DIGEST_BYTES;
    fr_put_digest(bytes->data + size, firn_bytes_digest(bytes->data, size));
}

static void be_of_another_game(firn_save_header *header)
{
    header->game = "other";
}

static void be_newer(firn_save_header *header)
{
    header->game_version = 3;
}

static void be_partial(firn_save_header *header)
{
    header->kind = "persisted";
}

static void a_save_of_another_game_is_refused(void **state)
{
    (void)state;
    firn_buffer bytes = saves_game_file(&game);
    bytes = saves_game_with_header(&bytes, be_of_another_game);
    assert_take_fails(&bytes, FIRN_OTHER_GAME, "other");
    firn_buffer_free(&bytes);
}

static void K13_a_save_of_a_newer_game_is_refused(void **state)
{
    (void)state;
    firn_buffer bytes = saves_game_file(&game);
    bytes = saves_game_with_header(&bytes, be_newer);
    assert_take_fails(&bytes, FIRN_NEWER, "gameVersion");
    firn_buffer_free(&bytes);
}

static void a_save_of_a_kind_that_cannot_be_loaded_is_refused(void **state)
{
    (void)state;
    firn_buffer bytes = saves_game_file(&game);
    bytes = saves_game_with_header(&bytes, be_partial);
    assert_take_fails(&bytes, FIRN_UNSUPPORTED, "kind");
    firn_buffer_free(&bytes);
}

static void S4_an_unknown_version_of_the_container_is_refused(void **state)
{
    (void)state;
    firn_buffer bytes = saves_game_file(&game);
    bytes.data[8] = 2;
    assert_take_fails(&bytes, FIRN_CORRUPT, "container version"); // nothing else changed
    bytes.data[16] ^= 64;
    assert_take_fails(&bytes, FIRN_VERSION, "");
    firn_buffer_free(&bytes);
}

static void S4_an_unknown_version_of_the_format_is_refused(void **state)
{
    (void)state;
    static const char key[] = "saveFormatVersion";
    firn_buffer bytes = saves_game_file(&game);
    size_t at = 0;
    while (memcmp(bytes.data + at, key, sizeof key - 1) != 0)
        at++;
    uint8_t *number = bytes.data + at + sizeof key - 1;
    assert_int_equal(number[0], FR_TAG_NUMBER);
    fr_store_f64(number + 1, 2);
    seal_head(&bytes);
    assert_take_fails(&bytes, FIRN_VERSION, "saveFormatVersion");
    firn_buffer_free(&bytes);
}

static void bytes_that_are_no_save_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        firn_result result;
    } cases[] = {{"", 0, FIRN_TRUNCATED},
                 {"hello, this is some text and no save", 36, FIRN_NOT_OURS},
                 {"\x89", 1, FIRN_TRUNCATED}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        firn_buffer bytes = {.data = (uint8_t *)(uintptr_t)cases[i].bytes, .size = cases[i].size};
        assert_take_fails(&bytes, cases[i].result, "");
    }
    firn_error err;
    assert_int_equal(firn_saves_take(game.saves, NULL, 4, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "bytes");
    assert_int_equal(firn_saves_take(NULL, "", 0, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "saves");
}

static void a_bare_snapshot_is_refused(void **state)
{
    (void)state;
    firn_buffer image = zoo_save(game.z.world);
    assert_take_fails(&image, FIRN_NOT_OURS, "");
    firn_buffer_free(&image);
}

static void a_save_that_is_cut_or_damaged_is_refused(void **state)
{
    (void)state;
    firn_buffer bytes = saves_game_file(&game);
    for (size_t cut = 0; cut < bytes.size; cut += 97) {
        firn_buffer front = {.data = bytes.data, .size = cut};
        firn_error err;
        firn_result result = firn_saves_take(game.saves, front.data, front.size, NULL, &err);
        assert_true(result == FIRN_TRUNCATED || result == FIRN_CORRUPT);
    }
    bytes.data[bytes.size - 20] ^= 1;
    assert_take_fails(&bytes, FIRN_CORRUPT, "");
    firn_buffer_free(&bytes);
}

// A file with these sections, as another writer might make it.
static firn_buffer file_of(const firn_section *sections, uint32_t count)
{
    firn_error err;
    firn_buffer bytes = {0};
    const firn_save_header header = {.game_version = 2, .game = "zoo", .level = "cave"};
    assert_ok(firn_save_file_write(&header, sections, count, NULL, &bytes, &err), &err);
    return bytes;
}

// Writes other bytes over a section, with all hashes as they should be.
static void forge_section(firn_buffer *bytes, uint32_t index, const firn_section *section)
{
    firn_error err;
    firn_section_info info;
    firn_save_file *file = firn_save_file_open(bytes->data, bytes->size, NULL, &err);
    assert_true(firn_save_file_section_at(file, index, &info));
    assert_string_equal(info.name, section->name);
    assert_int_equal(info.size, section->size);
    memcpy(bytes->data + info.offset, section->bytes, section->size);
    firn_save_file_close(file);
    uint8_t *entry = bytes->data + FR_SAVE_FIXED_BYTES + fr_load_u32(bytes->data + FR_HEAD_HEADER) +
                     index * FR_SAVE_ENTRY_BYTES;
    fr_put_digest(entry + FR_ENTRY_DIGEST, firn_bytes_digest(section->bytes, section->size));
    seal_head(bytes);
}

static void sections_that_are_not_what_they_should_be_are_refused(void **state)
{
    (void)state;
    // {aaaaaaaa = true}, and in its place {[1.5] = true} and {[""] = true, ...}.
    static const char map[] = "\x09\x01\x28"
                              "aaaaaaaa\x02";
    static const char number[] = "\x09\x01\x07\0\0\0\0\0\0\xf8\x3f\x02";
    static const char empty[] = "\x09\x02\x20\x02\x26"
                                "aaaaaa\x02";
    firn_buffer image = zoo_save(game.z.world);
    const struct {
        firn_section section;
        const char *subject;
    } cases[] = {
        {{FIRN_SECTION_CUSTOM, "\x02", 1}, "custom"},
        {{FIRN_SECTION_CUSTOM, "\xff", 1}, ""},
        {{FIRN_SECTION_VARIABLES, "\x02", 1}, "variables"},
        {{FIRN_SECTION_VARIABLES, "\xff", 1}, ""},
        {{FIRN_SECTION_VARIABLES, number, sizeof number - 1}, "variables"},
        {{FIRN_SECTION_VARIABLES, empty, sizeof empty - 1}, "variables"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *good = cases[i].section.size == 1 ? "\x08" : map;
        const firn_section sections[] = {{cases[i].section.name, good, cases[i].section.size},
                                         {FIRN_SECTION_SNAPSHOT, image.data, image.size}};
        firn_buffer bytes = file_of(sections, 2);
        forge_section(&bytes, 1, &cases[i].section);
        firn_error err;
        saves_game_state before = saves_game_look(&game);
        firn_result result = firn_saves_take(game.saves, bytes.data, bytes.size, NULL, &err);
        assert_true(result == FIRN_CORRUPT || result == FIRN_TRUNCATED);
        assert_error(&err, result, cases[i].subject);
        assert_unchanged(&game, &before);
        firn_buffer_free(&bytes);
    }
    firn_buffer_free(&image);
}

static void a_save_without_a_snapshot_or_with_a_damaged_one_is_refused(void **state)
{
    (void)state;
    const firn_section custom = {FIRN_SECTION_CUSTOM, "\x08", 1};
    firn_buffer bytes = file_of(&custom, 1);
    assert_take_fails(&bytes, FIRN_CORRUPT, "snapshot");
    firn_buffer_free(&bytes);
    firn_buffer image = zoo_save(game.z.world);
    const firn_section cut = {FIRN_SECTION_SNAPSHOT, image.data, image.size - 3};
    bytes = file_of(&cut, 1);
    assert_take_fails(&bytes, FIRN_TRUNCATED, "");
    firn_buffer_free(&bytes);
    firn_buffer_free(&image);
}

static void S8_a_component_that_is_not_registered_fails_the_load_naming_it(void **state)
{
    (void)state;
    firn_error err;
    zoo other = zoo_make(&game.memory, true);
    const firn_component_desc desc = {.name = "zoo.New", .kind = FIRN_NUMBER};
    zoo_spawn_one(other.world, zoo_register(other.world, &desc));
    const firn_saves_desc manager = {.game = "zoo", .version = 2};
    firn_saves *saves = firn_saves_open(other.world, &manager, &err);
    firn_buffer bytes = {0};
    assert_ok(firn_saves_make(saves, NULL, &bytes, &err), &err);
    assert_take_fails(&bytes, FIRN_UNKNOWN, "zoo.New");
    firn_saves_loaded loaded;
    assert_int_equal(firn_saves_take(game.saves, bytes.data, bytes.size, &loaded, &err),
                     FIRN_UNKNOWN);
    assert_int_equal(loaded.report.notice_count, 1);
    assert_string_equal(loaded.report.notices[0].component, "zoo.New");
    firn_saves_loaded_free(&loaded);
    firn_buffer_free(&bytes);
    firn_saves_close(saves);
    firn_world_destroy(other.world);
}

static void S8_a_state_that_is_not_registered_fails_the_load_naming_it(void **state)
{
    (void)state;
    firn_error err;
    zoo other = zoo_make(&game.memory, true);
    const firn_state_desc desc = {.name = "Menu"};
    firn_state menu = firn_state_create(other.world, &desc, &err);
    assert_ok(firn_state_push(other.world, menu, &err), &err);
    const firn_saves_desc manager = {.game = "zoo", .version = 2};
    firn_saves *saves = firn_saves_open(other.world, &manager, &err);
    firn_buffer bytes = {0};
    assert_ok(firn_saves_make(saves, NULL, &bytes, &err), &err);
    assert_take_fails(&bytes, FIRN_UNKNOWN, "Menu");
    firn_buffer_free(&bytes);
    firn_saves_close(saves);
    firn_world_destroy(other.world);
}

// ---------------------------------------------------------------- when it is allowed

static firn_buffer file;
static firn_error inside;

static firn_result load_in_system(void *user, firn_world *world, double dt, firn_error *err)
{
    (void)user, (void)world, (void)dt, (void)err;
    assert_int_equal(firn_saves_take(game.saves, file.data, file.size, NULL, &inside), FIRN_BUSY);
    return FIRN_OK;
}

static void K7_a_load_inside_a_step_is_busy_and_names_the_request(void **state)
{
    (void)state;
    firn_error err;
    const firn_system_desc desc = {.name = "loader", .run = load_in_system};
    assert_int_not_equal(firn_system_add(game.z.world, &desc, &err), 0);
    file = saves_game_file(&game);
    inside = (firn_error){.code = FIRN_OK};
    assert_ok(firn_world_step(game.z.world, 0.1, &err), &err);
    assert_error(&inside, FIRN_BUSY, "Update");
    assert_non_null(strstr(inside.message, "firn_saves_request_load"));
    firn_buffer_free(&file);
}

static firn_result set_in_load(void *user, firn_world *world, const firn_event *event,
                               firn_error *err)
{
    (void)user, (void)world, (void)event, (void)err;
    firn_buffer out = {0};
    assert_int_equal(firn_saves_set_variable(game.saves, "chapter", NULL, &inside), FIRN_BUSY);
    assert_int_equal(firn_saves_make(game.saves, NULL, &out, NULL), FIRN_BUSY);
    assert_int_equal(firn_saves_take(game.saves, file.data, file.size, NULL, NULL), FIRN_BUSY);
    return FIRN_OK;
}

static void a_call_of_the_manager_inside_a_load_is_busy(void **state)
{
    (void)state;
    firn_error err;
    const firn_observer_desc desc = {.event = "FinishSnapshotLoad", .observe = set_in_load};
    assert_int_not_equal(firn_observe(game.z.world, &desc, &err), 0);
    file = saves_game_file(&game);
    inside = (firn_error){.code = FIRN_OK};
    take_file(&file, NULL);
    assert_error(&inside, FIRN_BUSY, "chapter");
    firn_buffer_free(&file);
}

#define GAME_TEST(test) cmocka_unit_test_setup_teardown(test, make_game, saves_game_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        GAME_TEST(S5_the_world_comes_back_with_its_tick_its_ids_and_its_generator),
        GAME_TEST(S6_an_id_in_custom_still_names_the_same_entity),
        GAME_TEST(S1_the_result_of_a_load_is_the_world_and_the_envelope),
        GAME_TEST(K3_the_variables_become_those_of_the_save),
        GAME_TEST(K6_play_time_and_the_line_go_on_from_the_save),
        GAME_TEST(a_save_of_another_writer_may_lack_custom_and_variables),
        GAME_TEST(what_is_unknown_is_kept_or_skipped_as_the_desc_says),
        GAME_TEST(a_save_of_another_game_is_refused),
        GAME_TEST(K13_a_save_of_a_newer_game_is_refused),
        GAME_TEST(a_save_of_a_kind_that_cannot_be_loaded_is_refused),
        GAME_TEST(S4_an_unknown_version_of_the_container_is_refused),
        GAME_TEST(S4_an_unknown_version_of_the_format_is_refused),
        GAME_TEST(bytes_that_are_no_save_are_refused),
        GAME_TEST(a_bare_snapshot_is_refused),
        GAME_TEST(a_save_that_is_cut_or_damaged_is_refused),
        GAME_TEST(sections_that_are_not_what_they_should_be_are_refused),
        GAME_TEST(a_save_without_a_snapshot_or_with_a_damaged_one_is_refused),
        GAME_TEST(S8_a_component_that_is_not_registered_fails_the_load_naming_it),
        GAME_TEST(S8_a_state_that_is_not_registered_fails_the_load_naming_it),
        GAME_TEST(K7_a_load_inside_a_step_is_busy_and_names_the_request),
        GAME_TEST(a_call_of_the_manager_inside_a_load_is_busy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
