// Saves as bytes: the envelope around a snapshot, hooks, the line of saves, when they are allowed.
#include "api/saves_game.h"

#include <float.h>
#include <string.h>

#include "saves/draft.h"

static saves_game game;

static int make_game(void **state)
{
    saves_game_make(&game);
    game.desc.version = 3;
    game.desc.levels = &game.levels;
    return saves_game_begin(&game, state);
}

static firn_save_file *open_file(const firn_buffer *bytes)
{
    firn_error err;
    firn_save_file *file = firn_save_file_open(bytes->data, bytes->size, NULL, &err);
    if (file == NULL)
        assert_ok(err.code, &err);
    return file;
}

// A number in a section that is an encoded map; -1: it is not there.
static double number_in(firn_save_file *file, const char *section, const char *key)
{
    firn_error err;
    const void *bytes;
    size_t size;
    assert_ok(firn_save_file_section(file, section, &bytes, &size, &err), &err);
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    const firn_value *map = firn_value_decode(doc, bytes, size, &err);
    const firn_value *value = firn_table_get_text(map, key);
    double number = value == NULL ? -1 : value->as.number;
    firn_doc_destroy(doc);
    return number;
}

// ---------------------------------------------------------------- the envelope

static void S1_a_save_is_an_envelope_around_a_snapshot(void **state)
{
    (void)state;
    firn_error err;
    assert_ok(firn_world_set_tick(game.z.world, 42, &err), &err);
    firn_buffer bytes = saves_game_file(&game);
    firn_save_file *file = open_file(&bytes);
    const firn_save_header *header = firn_save_file_header(file);
    assert_int_equal(header->format_version, FIRN_SAVE_FORMAT_VERSION);
    assert_int_equal(header->game_version, 3);
    assert_string_equal(header->game, "zoo");
    assert_non_null(strstr(header->engine, "firn "));
    assert_string_equal(header->level, "start");
    assert_int_equal(header->timestamp, SAVES_GAME_NOW);
    assert_int_equal(header->tick, 42);
    assert_null(header->meta);
    assert_int_equal(firn_save_file_section_count(file), 3);
    firn_save_file_close(file);
    firn_buffer_free(&bytes);
}

static void S1_the_snapshot_of_a_save_is_what_firn_snapshot_save_gives(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer bytes = saves_game_file(&game), image = zoo_save(game.z.world);
    firn_save_file *file = open_file(&bytes);
    const void *section;
    size_t size;
    assert_ok(firn_save_file_section(file, FIRN_SECTION_SNAPSHOT, &section, &size, &err), &err);
    assert_int_equal(size, image.size);
    assert_memory_equal(section, image.data, size);
    firn_save_file_close(file);
    firn_buffer_free(&image);
    firn_buffer_free(&bytes);
}

static void S1_the_options_of_snapshots_are_those_of_the_desc(void **state)
{
    (void)state;
    firn_error err;
    const firn_component excluded[] = {game.z.of[ZOO_BAG]};
    const firn_save_options options = {.exclude = excluded, .exclude_count = 1};
    game.desc.snapshot = &options;
    saves_game_open_again(&game);
    firn_buffer bytes = saves_game_file(&game), image = zoo_save_with(game.z.world, &options);
    firn_save_file *file = open_file(&bytes);
    const void *section;
    size_t size;
    assert_ok(firn_save_file_section(file, FIRN_SECTION_SNAPSHOT, &section, &size, &err), &err);
    assert_int_equal(size, image.size);
    assert_memory_equal(section, image.data, size);
    firn_save_file_close(file);
    firn_buffer_free(&image);
    firn_buffer_free(&bytes);
}

static void S1_a_save_is_made_without_a_storage_and_behind_bytes_that_are_there(void **state)
{
    (void)state;
    firn_error err;
    game.desc.storage = NULL;
    game.desc.levels = NULL;
    saves_game_open_again(&game);
    firn_buffer bytes = {0};
    assert_ok(firn_buffer_append(&bytes, "before", 6, &err), &err);
    assert_ok(firn_saves_make(game.saves, NULL, &bytes, &err), &err);
    assert_memory_equal(bytes.data, "before", 6);
    firn_save_file *file = firn_save_file_open(bytes.data + 6, bytes.size - 6, NULL, &err);
    assert_non_null(file);
    assert_string_equal(firn_save_file_header(file)->level, "");
    firn_save_file_close(file);
    firn_buffer_free(&bytes);
}

static void K6_meta_and_play_time_are_in_the_header(void **state)
{
    (void)state;
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_value *meta = firn_value_table(doc, &err);
    assert_ok(firn_table_set_text(doc, meta, "title", firn_value_text(doc, "Bridge", &err), &err),
              &err);
    assert_ok(firn_table_set_text(doc, meta, "thumbnail", firn_value_string(doc, "pixels", 6, &err),
                                  &err),
              &err);
    const firn_saves_write_options options = {.meta = meta};
    firn_buffer bytes = {0};
    assert_ok(firn_saves_make(game.saves, &options, &bytes, &err), &err);
    firn_save_file *head = firn_save_file_read_head(bytes.data, FIRN_SAVE_HEAD_MOST, NULL, &err);
    const firn_save_header *header = firn_save_file_header(head);
    assert_string_equal(firn_table_get_text(header->meta, "title")->as.string, "Bridge");
    assert_null(firn_table_get_text(header->meta, "thumbnail"));
    assert_true(header->play_time == 0);
    firn_save_file_close(head);
    firn_save_file *file = open_file(&bytes);
    const void *thumbnail;
    size_t size;
    assert_ok(firn_save_file_section(file, FIRN_SECTION_THUMBNAIL, &thumbnail, &size, &err), &err);
    assert_int_equal(size, 6);
    assert_memory_equal(thumbnail, "pixels", 6);
    firn_save_file_close(file);
    firn_buffer_free(&bytes);
    firn_doc_destroy(doc);
}

static void the_games_own_sections_are_in_a_save(void **state)
{
    (void)state;
    firn_error err;
    const firn_section sections[] = {{"map", "xyz", 3}, {"audio", NULL, 0}};
    const firn_saves_write_options options = {.sections = sections, .section_count = 2};
    firn_buffer bytes = {0};
    assert_ok(firn_saves_make(game.saves, &options, &bytes, &err), &err);
    firn_save_file *file = open_file(&bytes);
    const void *section;
    size_t size;
    assert_ok(firn_save_file_section(file, "map", &section, &size, &err), &err);
    assert_int_equal(size, 3);
    assert_memory_equal(section, "xyz", 3);
    assert_ok(firn_save_file_section(file, "audio", &section, &size, &err), &err);
    assert_int_equal(size, 0);
    firn_save_file_close(file);
    firn_buffer_free(&bytes);
}

// What comes behind a large snapshot must not make the buffer grow, and move, once more.
static void the_buffer_of_a_save_is_made_once(void **state)
{
    (void)state;
    static const uint8_t map[100000];
    const firn_section section = {"map", map, sizeof map};
    const firn_saves_write_options options = {.sections = &section, .section_count = 1};
    for (int captured = 0; captured < 2; captured++) {
        firn_error err;
        firn_digest identity;
        firn_buffer out = {0};
        fr_draft draft;
        fr_draft_init(&draft, game.saves);
        assert_ok(fr_draft_make(&draft, &options, &err), &err);
        if (captured)
            assert_ok(fr_draft_capture(&draft, &err), &err);
        assert_ok(fr_draft_write(&draft, &out, &identity, &err), &err);
        assert_in_range(out.capacity - out.size, 0, FIRN_SAVE_HEAD_MOST);
        firn_buffer_free(&out);
        fr_draft_free(&draft);
    }
}

static void K3_variables_are_in_every_save(void **state)
{
    (void)state;
    saves_game_set(&game, "chapter", 5);
    firn_buffer bytes = saves_game_file(&game);
    firn_save_file *file = open_file(&bytes);
    assert_true(number_in(file, FIRN_SECTION_VARIABLES, "chapter") == 5);
    firn_save_file_close(file);
    firn_buffer_free(&bytes);
}

static void each_save_follows_the_one_before(void **state)
{
    (void)state;
    const firn_digest none = {0, 0};
    firn_digest before = none;
    for (uint64_t revision = 1; revision < 4; revision++) {
        firn_buffer bytes = saves_game_file(&game);
        firn_save_file *file = open_file(&bytes);
        const firn_save_header *header = firn_save_file_header(file);
        assert_int_equal(header->revision, revision);
        assert_memory_equal(&header->parent, &before, sizeof before);
        before = firn_save_file_identity(file);
        firn_save_file_close(file);
        firn_buffer_free(&bytes);
    }
}

// What a save says may be the most that a header holds.
static void a_line_of_the_most_saves_and_seconds_goes_on(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = zoo_save(game.z.world), bytes = {0};
    const firn_section snapshot = {FIRN_SECTION_SNAPSHOT, image.data, image.size};
    const uint64_t most = (UINT64_C(1) << 53) - 1;
    const firn_save_header header = {
        .game = "zoo", .game_version = 3, .level = "", .revision = most, .play_time = DBL_MAX};
    assert_ok(firn_save_file_write(&header, &snapshot, 1, NULL, &bytes, &err), &err);
    assert_ok(firn_saves_take(game.saves, bytes.data, bytes.size, NULL, &err), &err);
    assert_ok(firn_saves_end_tick(game.saves, DBL_MAX, &err), &err);
    firn_buffer next = saves_game_file(&game);
    firn_save_file *file = open_file(&next);
    assert_true(firn_save_file_header(file)->revision == most);
    assert_true(firn_save_file_header(file)->play_time == DBL_MAX);
    firn_save_file_close(file);
    firn_buffer_free(&next);
    firn_buffer_free(&bytes);
    firn_buffer_free(&image);
}

// ---------------------------------------------------------------- options

static void options_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    const firn_value number = {.kind = FIRN_VALUE_NUMBER};
    const firn_section reserved[] = {{"custom", "x", 1}}, firns[] = {{"firn.x", "x", 1}},
                       nameless[] = {{NULL, "x", 1}}, empty[] = {{"map", NULL, 1}},
                       bad[] = {{"Map", "x", 1}}, twice[] = {{"a", "x", 1}, {"a", "y", 1}},
                       thumbnail[] = {{"thumbnail", "x", 1}};
    const struct {
        firn_saves_write_options options;
        firn_result result;
        const char *subject;
    } cases[] = {
        {{.meta = &number}, FIRN_INVALID, "meta"},
        {{.section_count = 1}, FIRN_INVALID, "sections"},
        {{.sections = reserved, .section_count = 1}, FIRN_INVALID, "custom"},
        {{.sections = firns, .section_count = 1}, FIRN_INVALID, "firn.x"},
        {{.sections = thumbnail, .section_count = 1}, FIRN_INVALID, "thumbnail"},
        {{.sections = nameless, .section_count = 1}, FIRN_INVALID, "sections"},
        {{.sections = empty, .section_count = 1}, FIRN_INVALID, "map"},
        {{.sections = bad, .section_count = 1}, FIRN_INVALID, ""},
        {{.sections = twice, .section_count = 2}, FIRN_INVALID, "a"},
        {{.sections = bad, .section_count = FIRN_SECTIONS_MOST}, FIRN_LIMIT, "sections"},
        {{.reserved = {1}}, FIRN_INVALID, "firn_saves_write_options"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        firn_error err;
        firn_buffer out = {0};
        assert_int_equal(firn_saves_make(game.saves, &cases[i].options, &out, &err),
                         cases[i].result);
        assert_error(&err, cases[i].result, cases[i].subject);
        assert_int_equal(out.size, 0);
        firn_buffer_free(&out);
    }
    firn_error err;
    assert_int_equal(firn_saves_make(game.saves, NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "out");
    assert_int_equal(firn_saves_make(NULL, NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "saves");
}

static void a_save_that_fails_leaves_the_buffer_and_the_line(void **state)
{
    (void)state;
    firn_error err;
    char text[5000];
    memset(text, 'x', sizeof text);
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_value *meta = firn_value_table(doc, &err);
    assert_ok(firn_table_set_text(doc, meta, "title",
                                  firn_value_string(doc, text, sizeof text, &err), &err),
              &err);
    const firn_saves_write_options options = {.meta = meta};
    firn_buffer out = {0};
    assert_ok(firn_buffer_append(&out, "before", 6, &err), &err);
    assert_int_equal(firn_saves_make(game.saves, &options, &out, &err), FIRN_LIMIT);
    assert_int_equal(out.size, 6);
    firn_buffer_free(&out);
    firn_doc_destroy(doc);
    firn_buffer bytes = saves_game_file(&game);
    firn_save_file *file = open_file(&bytes);
    assert_int_equal(firn_save_file_header(file)->revision, 1);
    firn_save_file_close(file);
    firn_buffer_free(&bytes);
}

static void a_snapshot_that_cannot_be_saved_fails_the_save(void **state)
{
    (void)state;
    firn_error err;
    const firn_component_desc many = {
        .name = "zoo.Likes", .kind = FIRN_RELATION, .relation = FIRN_SPARSE};
    firn_component likes = zoo_register(game.z.world, &many);
    firn_entity a = zoo_spawn(game.z.world, NULL, 0), b = zoo_spawn(game.z.world, NULL, 0);
    assert_ok(firn_relate(game.z.world, a, likes, b, NULL, &err), &err);
    firn_buffer out = {0};
    assert_int_equal(firn_saves_make(game.saves, NULL, &out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "zoo.Likes");
    assert_int_equal(out.size, 0);
    firn_buffer_free(&out);
}

// ---------------------------------------------------------------- when it is allowed

static firn_error inside; // what a save inside said
static firn_result inside_result;

static firn_result save_inside(void *user, firn_world *world, const firn_event *event,
                               firn_error *err)
{
    (void)user, (void)world, (void)event, (void)err;
    firn_buffer out = {0};
    inside_result = firn_saves_make(game.saves, NULL, &out, &inside);
    firn_buffer_free(&out);
    return FIRN_OK;
}

static firn_result save_in_system(void *user, firn_world *world, double dt, firn_error *err)
{
    (void)dt;
    return save_inside(user, world, NULL, err);
}

static void save_in_state(void *user, firn_world *world)
{
    (void)save_inside(user, world, NULL, NULL);
}

static void assert_was_busy(void)
{
    assert_int_equal(inside_result, FIRN_BUSY);
    assert_error(&inside, FIRN_BUSY, "");
    assert_non_null(strstr(inside.message, "firn_saves_request_save"));
    inside_result = FIRN_OK;
}

static void K7_a_save_inside_a_step_is_busy_and_names_the_request(void **state)
{
    (void)state;
    firn_error err;
    const firn_system_desc desc = {.name = "saver", .run = save_in_system};
    assert_int_not_equal(firn_system_add(game.z.world, &desc, &err), 0);
    assert_ok(firn_world_step(game.z.world, 0.1, &err), &err);
    assert_was_busy();
}

static void K7_a_save_inside_a_loop_is_busy_and_names_the_request(void **state)
{
    (void)state;
    firn_error err;
    const firn_query_desc all = {.name = "all"};
    firn_query query = firn_query_create(game.z.world, &all, &err);
    firn_iter it;
    firn_iter_begin(game.z.world, query, &it);
    assert_true(firn_iter_next(&it));
    (void)save_inside(NULL, NULL, NULL, NULL);
    assert_ok(firn_iter_end(&it, &err), &err);
    assert_was_busy();
}

static void K7_a_save_inside_a_publication_is_busy_and_names_the_request(void **state)
{
    (void)state;
    firn_error err;
    firn_event_kind kind = firn_event_register(game.z.world, "ring", &err);
    const firn_observer_desc desc = {.event = "ring", .observe = save_inside};
    assert_int_not_equal(firn_observe(game.z.world, &desc, &err), 0);
    assert_ok(firn_emit(game.z.world, kind, 0, NULL, 0, &err), &err);
    assert_was_busy();
}

static void K7_a_save_inside_a_callback_is_busy_and_names_the_request(void **state)
{
    (void)state;
    firn_error err;
    const firn_state_desc desc = {.name = "Menu", .enter = save_in_state};
    firn_state menu = firn_state_create(game.z.world, &desc, &err);
    assert_ok(firn_state_push(game.z.world, menu, &err), &err);
    assert_was_busy();
    const firn_observer_desc saver = {.event = "OnSnapshotSave", .observe = save_inside};
    assert_int_not_equal(firn_observe(game.z.world, &saver, &err), 0);
    firn_buffer bytes = saves_game_file(&game);
    firn_buffer_free(&bytes);
    assert_was_busy();
}

static firn_result save_in_hook(void *user, firn_saves *saves, firn_doc *doc, firn_value *fields,
                                firn_error *err)
{
    (void)user, (void)doc, (void)fields, (void)err;
    assert_ptr_equal(saves, game.saves);
    (void)save_inside(NULL, NULL, NULL, NULL);
    return FIRN_OK;
}

static void K7_a_save_inside_a_hook_is_busy_and_names_the_request(void **state)
{
    (void)state;
    firn_error err;
    assert_int_not_equal(firn_saves_before_save(game.saves, NULL, save_in_hook, NULL, &err), 0);
    firn_buffer bytes = saves_game_file(&game);
    firn_buffer_free(&bytes);
    assert_was_busy();
    assert_non_null(strstr(inside.message, "before-save hook"));
}

static void a_save_of_an_editor_outside_of_play_is_busy(void **state)
{
    (void)state;
    game.desc.editor = true;
    saves_game_open_again(&game);
    firn_error err;
    firn_buffer out = {0};
    assert_int_equal(firn_saves_make(game.saves, NULL, &out, &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "play");
}

#define GAME_TEST(test) cmocka_unit_test_setup_teardown(test, make_game, saves_game_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        GAME_TEST(S1_a_save_is_an_envelope_around_a_snapshot),
        GAME_TEST(S1_the_snapshot_of_a_save_is_what_firn_snapshot_save_gives),
        GAME_TEST(S1_the_options_of_snapshots_are_those_of_the_desc),
        GAME_TEST(S1_a_save_is_made_without_a_storage_and_behind_bytes_that_are_there),
        GAME_TEST(K6_meta_and_play_time_are_in_the_header),
        GAME_TEST(the_games_own_sections_are_in_a_save),
        GAME_TEST(the_buffer_of_a_save_is_made_once),
        GAME_TEST(K3_variables_are_in_every_save),
        GAME_TEST(each_save_follows_the_one_before),
        GAME_TEST(a_line_of_the_most_saves_and_seconds_goes_on),
        GAME_TEST(options_that_make_no_sense_are_refused),
        GAME_TEST(a_save_that_fails_leaves_the_buffer_and_the_line),
        GAME_TEST(a_snapshot_that_cannot_be_saved_fails_the_save),
        GAME_TEST(K7_a_save_inside_a_step_is_busy_and_names_the_request),
        GAME_TEST(K7_a_save_inside_a_loop_is_busy_and_names_the_request),
        GAME_TEST(K7_a_save_inside_a_publication_is_busy_and_names_the_request),
        GAME_TEST(K7_a_save_inside_a_callback_is_busy_and_names_the_request),
        GAME_TEST(K7_a_save_inside_a_hook_is_busy_and_names_the_request),
        GAME_TEST(a_save_of_an_editor_outside_of_play_is_busy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
