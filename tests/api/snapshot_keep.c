// What a game does not register: kept on request, saved again, and decoded when it is registered.
#include "api/snapshot_zoo.h"

#include <stdlib.h>
#include <string.h>

// Counts the rows of its component that each call brings, and may refuse.
typedef struct row_count {
    uint32_t rows;
} row_count;

static firn_load_report keep(firn_world *world, const firn_buffer *image)
{
    firn_error err;
    firn_load_report report;
    firn_load_options options = {.keep_unknown = true};
    assert_ok(firn_snapshot_load(world, image->data, image->size, &options, &report, &err), &err);
    assert_true(report.committed);
    return report;
}

static void keep_only(firn_world *world, const firn_buffer *image)
{
    firn_load_report report = keep(world, image);
    firn_load_report_free(&report);
}

static firn_buffer zoo_image(void)
{
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_data data[] = {{.key = "mod.a", .encoded = "\x02", .encoded_size = 1},
                        {.key = "mod.b", .encoded = "\x21x", .encoded_size = 2}};
    firn_buffer image = zoo_save_with(z.world, &(firn_save_options){.data = data, .data_count = 2});
    firn_world_destroy(z.world);
    return image;
}

static void F7_what_is_unknown_is_kept_and_saved_byte_for_byte(void **state)
{
    (void)state;
    firn_buffer image = zoo_image();
    firn_world *world = zoo_empty(NULL);
    for (uint32_t i = 0; i < 3; i++) {
        keep_only(world, &image);
        assert_saves_as(world, &image);
    }
    firn_error err;
    firn_hash of_world = zoo_hash(world), of_image;
    assert_ok(firn_image_hash(image.data, image.size, NULL, &of_image, NULL, NULL, &err), &err);
    assert_memory_equal(&of_world, &of_image, sizeof of_world);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void F7_a_game_does_not_see_what_is_kept(void **state)
{
    (void)state;
    firn_buffer image = zoo_image();
    firn_world *world = zoo_empty(NULL);
    uint32_t before = firn_component_count(world);
    keep_only(world, &image);
    assert_int_equal(firn_component_count(world), before);
    assert_int_equal(firn_component_at(world, before), 0);
    assert_int_equal(firn_component_find(world, "zoo.Title"), 0);
    for (firn_entity id = 1; id < 12; id++)
        assert_true(firn_entity_components(world, id, NULL, 0) <= 1); // Name, Disabled or Paused
    // What is registered now comes next to what was.
    firn_component_desc desc = {.name = "New", .kind = FIRN_NUMBER};
    firn_component added = zoo_register(world, &desc);
    assert_int_equal(firn_component_count(world), before + 1);
    assert_true(firn_component_at(world, before) == added);
    assert_true(firn_component_find(world, "New") == added);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void F7_what_is_kept_follows_its_entity_and_ends_with_it(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = zoo_image();
    firn_world *world = zoo_empty(NULL);
    firn_component_desc desc = {.name = "Extra", .kind = FIRN_NUMBER};
    firn_component extra = zoo_register(world, &desc);
    keep_only(world, &image);
    double number = 4;
    assert_ok(firn_set(world, 1, extra, &number, &err), &err);
    assert_ok(firn_set(world, 2, extra, &number, &err), &err);
    assert_ok(firn_remove(world, 2, &extra, 1, &err), &err);
    assert_ok(firn_despawn(world, 5, &err), &err);
    firn_buffer changed = zoo_save(world);
    zoo z = zoo_make(NULL, false), was = zoo_make(NULL, true);
    zoo_load(was.world, &image);
    firn_load_options options = {.skip_unknown = true};
    assert_ok(firn_snapshot_load(z.world, changed.data, changed.size, &options, NULL, &err), &err);
    assert_false(firn_alive(z.world, 5));
    for (firn_entity id = 1; id <= 2; id++) {
        for (uint32_t i = 0; i < ZOO_KINDS; i++)
            assert_int_equal(firn_has(z.world, id, z.of[i]), firn_has(was.world, id, was.of[i]));
        const zoo_point *point = firn_get(z.world, id, z.of[ZOO_POINT]);
        assert_true(point == NULL || point->x == (float)id - 0.75f);
    }
    firn_buffer_free(&image);
    firn_buffer_free(&changed);
    firn_world_destroy(z.world);
    firn_world_destroy(was.world);
    firn_world_destroy(world);
}

static void F7_a_load_without_the_option_ends_what_is_kept(void **state)
{
    (void)state;
    firn_buffer image = zoo_image();
    firn_world *world = zoo_empty(NULL), *plain = zoo_empty(NULL);
    zoo_spawn(plain, NULL, 0);
    firn_buffer other = zoo_save(plain);
    keep_only(world, &image);
    zoo_load(world, &other);
    assert_saves_as(world, &other);
    // What was kept makes room for what is kept next.
    keep_only(world, &image);
    assert_saves_as(world, &image);
    firn_buffer_free(&image);
    firn_buffer_free(&other);
    firn_world_destroy(world);
    firn_world_destroy(plain);
}

static void F7_a_load_that_fails_leaves_what_is_kept(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = zoo_image();
    firn_world *world = zoo_empty(NULL), *changed = zoo_empty(NULL);
    firn_component_desc desc = {.name = "zoo.Title", .kind = FIRN_NUMBER};
    zoo_spawn_one(changed, zoo_register(changed, &desc));
    firn_buffer other = zoo_save(changed);
    keep_only(world, &image);
    firn_load_options options = {.keep_unknown = true};
    other.data[other.size - 1] = 7;
    assert_int_equal(firn_snapshot_load(world, other.data, other.size, &options, NULL, &err),
                     FIRN_CORRUPT);
    assert_int_equal(firn_snapshot_load(world, image.data, image.size, NULL, NULL, &err),
                     FIRN_UNKNOWN);
    assert_saves_as(world, &image);
    other.data[other.size - 1] = 1;
    keep_only(world, &other);
    assert_saves_as(world, &other);
    firn_buffer_free(&image);
    firn_buffer_free(&other);
    firn_world_destroy(world);
    firn_world_destroy(changed);
}

static void F7_what_is_unknown_is_not_kept_and_skipped_both(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = zoo_image();
    firn_world *world = zoo_empty(NULL);
    firn_load_options options = {.keep_unknown = true, .skip_unknown = true};
    assert_int_equal(firn_snapshot_load(world, image.data, image.size, &options, NULL, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "keep_unknown");
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void F7_a_report_tells_what_is_kept(void **state)
{
    (void)state;
    firn_buffer image = zoo_image();
    firn_world *world = zoo_empty(NULL);
    firn_load_report report = keep(world, &image);
    assert_int_equal(report.kept, ZOO_KINDS);
    assert_int_equal(report.unknown, 0);
    assert_int_equal(report.kept_data, 2);
    zoo_notes notes = zoo_take_notes(&report);
    assert_int_equal(notes.count, ZOO_KINDS);
    assert_note(&notes, FIRN_NOTICE_KEPT, "zoo.Tag", "", 2);
    assert_note(&notes, FIRN_NOTICE_KEPT, "zoo.Point", "", 5);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

// ---- data

static firn_result take_nothing(void *user, firn_world *world, const char *key, const void *encoded,
                                size_t size, firn_error *err)
{
    (void)user, (void)world, (void)key, (void)encoded, (void)size, (void)err;
    return FIRN_OK;
}

static firn_result listen_to_a(void *user, firn_world *world, const firn_event *event,
                               firn_error *err)
{
    (void)user, (void)world;
    firn_loading *loading = (firn_loading *)event->payload;
    return firn_loading_on_data(loading, "mod.a", take_nothing, NULL, err);
}

static void F7_data_that_a_listener_takes_is_not_kept(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = zoo_image();
    firn_world *world = zoo_empty(NULL);
    firn_observer_desc desc = {.event = "StartSnapshotLoad", .observe = listen_to_a};
    assert_true(firn_observe(world, &desc, &err) != 0);
    firn_load_options options = {.keep_unknown = true, .on_data = take_nothing};
    firn_load_report report;
    assert_ok(firn_snapshot_load(world, image.data, image.size, &options, &report, &err), &err);
    assert_int_equal(report.kept_data, 1);
    firn_load_report_free(&report);
    firn_buffer now = zoo_save(world);
    const void *encoded;
    size_t size;
    assert_int_equal(firn_image_data(now.data, now.size, "mod.a", NULL, &encoded, &size, &err),
                     FIRN_NOT_FOUND);
    assert_ok(firn_image_data(now.data, now.size, "mod.b", NULL, &encoded, &size, &err), &err);
    firn_buffer_free(&image);
    firn_buffer_free(&now);
    firn_world_destroy(world);
}

static firn_result save_seven(void *user, firn_world *world, firn_writer *out, firn_error *err)
{
    (void)user, (void)world, (void)err;
    firn_write_number(out, 7);
    return FIRN_OK;
}

static void F7_a_game_that_writes_a_kept_key_replaces_it(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = zoo_image();
    firn_world *world = zoo_empty(NULL);
    keep_only(world, &image);
    firn_handler handler = {.abi = FIRN_ABI, .name = "mod.a", .save = save_seven};
    assert_ok(firn_handler_add(world, &handler, &err), &err);
    firn_data data = {.key = "mod.b", .encoded = "\x01", .encoded_size = 1};
    firn_buffer now = zoo_save_with(world, &(firn_save_options){.data = &data, .data_count = 1});
    firn_prelude prelude, was;
    assert_ok(firn_image_check(image.data, image.size, NULL, &was, &err), &err);
    assert_ok(firn_image_check(now.data, now.size, NULL, &prelude, &err), &err);
    assert_int_equal(prelude.data_count, was.data_count);
    const uint8_t *encoded;
    const void *found;
    size_t size;
    assert_ok(firn_image_data(now.data, now.size, "mod.b", NULL, &found, &size, &err), &err);
    encoded = found;
    assert_int_equal(*encoded, 1);
    assert_ok(firn_image_data(now.data, now.size, "mod.a", NULL, &found, &size, &err), &err);
    encoded = found;
    assert_int_equal(*encoded, 7);
    // A load hands the handler its entry, and the world keeps the other one.
    firn_load_report report = keep(world, &now);
    assert_int_equal(report.kept_data, 1);
    firn_load_report_free(&report);
    firn_buffer_free(&image);
    firn_buffer_free(&now);
    firn_world_destroy(world);
}

// ---- registration

static void F7_what_is_registered_later_is_decoded_at_once(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    firn_buffer image = zoo_image();
    zoo was = zoo_make(NULL, false);
    zoo_load(was.world, &image);
    firn_world *world = zoo_empty(&memory);
    keep_only(world, &image);
    firn_component of[ZOO_KINDS];
    for (uint32_t i = 0; i < ZOO_KINDS; i++) {
        firn_component_desc desc = zoo_desc((zoo_kind)i);
        of[i] = zoo_register(world, &desc);
        assert_saves_as(world, &image);
        for (firn_entity id = 1; id < 13; id++)
            assert_int_equal(firn_has(world, id, of[i]), firn_has(was.world, id, was.of[i]));
    }
    const zoo_body *body = firn_get(world, 1, of[ZOO_BODY]);
    assert_true(body != NULL && body->i64 == INT64_MIN && body->u16 == 65535);
    firn_error err;
    assert_ok(firn_despawn(world, 1, &err), &err);
    firn_buffer_free(&image);
    firn_world_destroy(world);
    firn_world_destroy(was.world);
    assert_no_leak(&memory);
}

static void count_init(void *user, const firn_rows *rows)
{
    row_count *count = user;
    count->rows += rows->count;
}

static void F7_a_component_that_is_registered_later_brings_what_it_requires(void **state)
{
    (void)state;
    firn_error err;
    row_count made = {0};
    firn_world *source = zoo_empty(NULL), *world = zoo_empty(NULL);
    firn_component_desc owner = {.name = "Owner", .kind = FIRN_TAG};
    firn_component_desc text = {.name = "Text", .kind = FIRN_STRING};
    firn_component both[] = {zoo_register(source, &owner), zoo_register(source, &text)};
    firn_entity a = zoo_spawn(source, both, 2), b = zoo_spawn(source, both, 1);
    assert_ok(firn_set_text(source, a, both[1], "a text that is not short", &err), &err);
    firn_buffer image = zoo_save(source);
    zoo_point start = {1, 2};
    firn_component_desc point = zoo_desc(ZOO_POINT);
    point.default_row = &start;
    point.hooks = (firn_hooks){.init = count_init, .user = &made};
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    text.default_value = firn_value_text(doc, "a default that is not short", &err);
    firn_component required[] = {zoo_register(world, &point), zoo_register(world, &text)};
    keep_only(world, &image);
    owner.required = required;
    owner.required_count = 2;
    firn_component here = zoo_register(world, &owner);
    assert_true(firn_has(world, a, here) && firn_has(world, b, here));
    assert_int_equal(made.rows, 2);
    assert_memory_equal(firn_get(world, a, required[0]), &start, sizeof start);
    size_t size;
    const char *of_a = firn_get_string(world, a, required[1], &size);
    assert_true(size == 24 && memcmp(of_a, "a text that is not short", size) == 0);
    const char *of_b = firn_get_string(world, b, required[1], &size);
    assert_true(size == 27 && memcmp(of_b, "a default that is not short", size) == 0);
    firn_doc_destroy(doc);
    firn_buffer_free(&image);
    firn_world_destroy(source);
    firn_world_destroy(world);
}

static void F7_a_component_finds_what_is_kept_under_a_former_name(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = zoo_image();
    firn_world *world = zoo_empty(NULL);
    keep_only(world, &image);
    const char *const former[] = {"zoo.Score", NULL};
    firn_component_desc desc = {.name = "Points", .kind = FIRN_NUMBER, .former_names = former};
    firn_component points = zoo_register(world, &desc);
    const double *score = firn_get(world, 2, points);
    assert_true(score != NULL && *score == 1e300);
    const char *const two[] = {"zoo.Flag", "zoo.Tag", NULL};
    firn_component_desc unclear = {.name = "Both", .kind = FIRN_TAG, .former_names = two};
    assert_int_equal(firn_component_register(world, &unclear, &err), 0);
    assert_error(&err, FIRN_INVALID, "Both");
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static firn_result refuse_rows(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)user, (void)rows, (void)in, (void)err;
    return FIRN_REFUSED;
}

static firn_result encode_nothing(void *user, const firn_rows *rows, firn_writer *out,
                                  firn_error *err)
{
    (void)user, (void)rows, (void)out, (void)err;
    return FIRN_OK;
}

static void F7_a_registration_that_does_not_fit_is_refused_and_keeps_the_rows(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = zoo_image();
    firn_world *world = zoo_empty(NULL);
    keep_only(world, &image);
    firn_component_desc codec_desc = zoo_desc(ZOO_POINT), relation = {.name = "zoo.Score"};
    firn_codec codec = {FIRN_ABI, "no", encode_nothing, refuse_rows, NULL};
    codec_desc.codec = &codec;
    relation.kind = FIRN_RELATION;
    const struct {
        firn_component_desc desc;
        firn_result result;
    } cases[] = {
        {{.name = "zoo.Point", .kind = FIRN_NUMBER}, FIRN_INVALID},
        {{.name = "zoo.Title", .kind = FIRN_NUMBER}, FIRN_INVALID},
        {{.name = "zoo.Score", .kind = FIRN_STRING}, FIRN_INVALID},
        {{.name = "zoo.Score", .kind = FIRN_NUMBER, .transient = true}, FIRN_INVALID},
        {relation, FIRN_INVALID},
        {codec_desc, FIRN_REFUSED},
    };
    uint32_t before = firn_component_count(world);
    for (uint32_t i = 0; i < FIRN_COUNT(cases); i++) {
        assert_int_equal(firn_component_register(world, &cases[i].desc, &err), 0);
        assert_error(&err, cases[i].result, cases[i].desc.name);
        assert_int_equal(firn_component_count(world), before);
        assert_int_equal(firn_component_find(world, cases[i].desc.name), 0);
        assert_saves_as(world, &image);
    }
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void F7_a_unique_component_refuses_rows_that_are_not(void **state)
{
    (void)state;
    firn_error err;
    firn_world *source = zoo_empty(NULL), *world = zoo_empty(NULL);
    firn_component_desc desc = {.name = "Label", .kind = FIRN_STRING};
    firn_component label = zoo_register(source, &desc);
    firn_entity ids[2] = {zoo_spawn_one(source, label), zoo_spawn_one(source, label)};
    assert_ok(firn_set_text(source, ids[0], label, "same", &err), &err);
    assert_ok(firn_set_text(source, ids[1], label, "same", &err), &err);
    firn_buffer image = zoo_save(source);
    keep_only(world, &image);
    desc.unique = true;
    assert_int_equal(firn_component_register(world, &desc, &err), 0);
    assert_error(&err, FIRN_INVALID, "Label");
    assert_ok(firn_despawn(world, ids[1], &err), &err);
    label = zoo_register(world, &desc);
    firn_entity other = zoo_spawn(world, NULL, 0);
    assert_int_equal(firn_set_text(world, other, label, "same", &err), FIRN_EXISTS);
    assert_true(err.entity == ids[0]);
    firn_buffer_free(&image);
    firn_world_destroy(source);
    firn_world_destroy(world);
}

static void F7_what_is_kept_without_rows_gives_its_name_free(void **state)
{
    (void)state;
    firn_error err;
    firn_world *source = zoo_empty(NULL), *world = zoo_empty(NULL);
    firn_component_desc desc = {.name = "Label", .kind = FIRN_STRING};
    firn_entity id = zoo_spawn_one(source, zoo_register(source, &desc));
    firn_buffer image = zoo_save(source);
    keep_only(world, &image);
    assert_ok(firn_despawn(world, id, &err), &err);
    desc.kind = FIRN_TAG;
    firn_component label = zoo_register(world, &desc);
    zoo_spawn_one(world, label);
    firn_buffer now = zoo_save(world);
    assert_ok(firn_image_check(now.data, now.size, NULL, NULL, &err), &err);
    firn_buffer_free(&image);
    firn_buffer_free(&now);
    firn_world_destroy(source);
    firn_world_destroy(world);
}

static void F7_kept_rows_are_not_decoded_inside_a_loop(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = zoo_image();
    firn_world *world = zoo_empty(NULL);
    keep_only(world, &image);
    firn_query query = firn_query_create(world, &(firn_query_desc){.name = "all"}, &err);
    firn_iter it;
    firn_iter_begin(world, query, &it);
    firn_component_desc desc = zoo_desc(ZOO_SCORE), other = {.name = "Other", .kind = FIRN_TAG};
    assert_int_equal(firn_component_register(world, &desc, &err), 0);
    assert_error(&err, FIRN_BUSY, "all");
    zoo_register(world, &other);
    assert_ok(firn_iter_end(&it, &err), &err);
    zoo_register(world, &desc);
    assert_saves_as(world, &image);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void F7_targets_of_unknown_relations_are_kept_by_their_names(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = {0};
    // One entity, id 1, that has Likes->2: {target = 2}.
    static const char hex[] =
        "07 000000000000f03f 07 0000000000000840 07 000000000000f03f 07 000000000000f03f "
        "07 000000000000f03f 28 4c696b65732d3e32 20 "
        "07 000000000000f03f 07 000000000000f03f 07 000000000000f03f 07 0000000000000000 "
        "000000000000f03f 09 01 26 746172676574 07 0000000000000040 "
        "02 2b 5f5f6669726e2e66726565 0c 02 28 0200000000000000 "
        "02 2c 5f5f6669726e2e776f726c64 09 01 24 7469636b 07 0000000000000000 01";
    size_t size;
    uint8_t *bytes = test_from_hex(hex, &size);
    assert_ok(firn_buffer_append(&image, bytes, size, &err), &err);
    free(bytes);
    firn_world *world = zoo_empty(NULL);
    keep_only(world, &image);
    assert_saves_as(world, &image);
    // The entity 2 does not live: nothing is left of it.
    firn_component_desc desc = {.name = "Likes", .kind = FIRN_RELATION};
    firn_component likes = zoo_register(world, &desc);
    assert_int_equal(firn_targets(world, 1, likes, NULL, 0), 0);
    assert_false(firn_has(world, 1, likes));
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void F7_what_is_kept_stands_in_frames_that_lie_row_by_row(void **state)
{
    (void)state;
    firn_error err;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    for (firn_entity id = 2; id <= 12; id++)
        if (firn_alive(z.world, id))
            assert_ok(firn_relate(z.world, id, firn_child_of(z.world), 1, NULL, &err), &err);
    firn_buffer image = zoo_save(z.world);
    firn_world *world = zoo_empty(NULL);
    keep_only(world, &image);
    assert_saves_as(world, &image);
    for (uint32_t i = 0; i < ZOO_KINDS; i++) {
        firn_component_desc desc = zoo_desc((zoo_kind)i);
        zoo_register(world, &desc);
        assert_saves_as(world, &image);
    }
    assert_true(firn_target(world, 2, firn_child_of(world)) == 1);
    assert_ok(firn_despawn(world, 1, &err), &err); // and its children
    assert_int_equal(firn_entity_count(world), 0);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
    firn_world_destroy(world);
}

static void F7_what_is_kept_stands_in_the_table_form(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = zoo_image();
    firn_world *world = zoo_empty(NULL);
    zoo z = zoo_make(NULL, false);
    keep_only(world, &image);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *table = NULL;
    assert_ok(firn_snapshot_save_table(world, NULL, doc, &table, &err), &err);
    assert_ok(firn_snapshot_load_table(z.world, table, NULL, NULL, &err), &err);
    zoo was = zoo_make(NULL, false);
    zoo_load(was.world, &image);
    firn_hash now = zoo_hash(z.world), before = zoo_hash(was.world);
    assert_memory_equal(&now, &before, sizeof now);
    // A table is kept from, too.
    assert_ok(firn_snapshot_load_table(world, table, &(firn_load_options){.keep_unknown = true},
                                       NULL, &err),
              &err);
    firn_buffer again = zoo_save(world);
    zoo_load(was.world, &again);
    now = zoo_hash(was.world);
    assert_memory_equal(&now, &before, sizeof now);
    firn_buffer_free(&again);
    firn_buffer_free(&image);
    firn_doc_destroy(doc);
    firn_world_destroy(world);
    firn_world_destroy(z.world);
    firn_world_destroy(was.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(F7_what_is_unknown_is_kept_and_saved_byte_for_byte),
        cmocka_unit_test(F7_a_game_does_not_see_what_is_kept),
        cmocka_unit_test(F7_what_is_kept_follows_its_entity_and_ends_with_it),
        cmocka_unit_test(F7_a_load_without_the_option_ends_what_is_kept),
        cmocka_unit_test(F7_a_load_that_fails_leaves_what_is_kept),
        cmocka_unit_test(F7_what_is_unknown_is_not_kept_and_skipped_both),
        cmocka_unit_test(F7_a_report_tells_what_is_kept),
        cmocka_unit_test(F7_data_that_a_listener_takes_is_not_kept),
        cmocka_unit_test(F7_a_game_that_writes_a_kept_key_replaces_it),
        cmocka_unit_test(F7_what_is_registered_later_is_decoded_at_once),
        cmocka_unit_test(F7_a_component_that_is_registered_later_brings_what_it_requires),
        cmocka_unit_test(F7_a_component_finds_what_is_kept_under_a_former_name),
        cmocka_unit_test(F7_a_registration_that_does_not_fit_is_refused_and_keeps_the_rows),
        cmocka_unit_test(F7_a_unique_component_refuses_rows_that_are_not),
        cmocka_unit_test(F7_what_is_kept_without_rows_gives_its_name_free),
        cmocka_unit_test(F7_kept_rows_are_not_decoded_inside_a_loop),
        cmocka_unit_test(F7_targets_of_unknown_relations_are_kept_by_their_names),
        cmocka_unit_test(F7_what_is_kept_stands_in_frames_that_lie_row_by_row),
        cmocka_unit_test(F7_what_is_kept_stands_in_the_table_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
