// Calls of snapshot.h.
#include "fault/memory_scene.h"

#include <string.h>

// ---- save

// The output is empty after a failure and whole otherwise.
static firn_result save_with(scene *s, const firn_save_options *options, firn_error *err)
{
    firn_buffer image;
    firn_buffer_init(&image, &s->memory.allocator);
    firn_result result = firn_snapshot_save(s->z.world, options, &image, err);
    if (result == FIRN_OK)
        scene_trace(s, image.data, image.size);
    else
        assert_int_equal(image.size, 0);
    firn_buffer_free(&image);
    return result;
}

// The digest is left as it was by a failure.
static firn_result trace_digest(scene *s, firn_result result, firn_digest digest)
{
    if (result == FIRN_OK)
        scene_trace(s, &digest, sizeof digest);
    else
        assert_true(digest.low == 1 && digest.high == 2);
    return result;
}

static firn_result save(scene *s, firn_error *err)
{
    return save_with(s, NULL, err);
}

static firn_result save_data(scene *s, firn_error *err)
{
    // {b = 1, a = {}} in an order that is not canonical.
    static const uint8_t loose[] = {0x09, 2, 0x21, 'b', 6, 1, 0, 0, 0, 0x21, 'a', 0x08};
    firn_data data[] = {{.key = "tree", .value = s->table},
                        {.key = "bytes", .encoded = loose, .encoded_size = sizeof loose}};
    return save_with(s, &(firn_save_options){.data = data, .data_count = 2, .wire_version = 2},
                     err);
}

static firn_result save_digest(scene *s, firn_error *err)
{
    firn_digest digest = {1, 2};
    firn_result result = save_with(s, &(firn_save_options){.digest = &digest}, err);
    return trace_digest(s, result, digest);
}

// Some entities, without some of their components.
static firn_result save_selected(scene *s, firn_error *err)
{
    const firn_term terms[] = {{.component = s->z.of[ZOO_POINT]},
                               {.component = s->z.of[ZOO_TAG], .kind = FIRN_WITHOUT}};
    const firn_query_desc filter = {.terms = terms, .term_count = 2};
    const firn_component exclude[] = {s->z.of[ZOO_TITLE], s->z.of[ZOO_BAG]};
    const double layers[] = {1, 2};
    return save_with(s,
                     &(firn_save_options){.filter = &filter,
                                          .layers = layers,
                                          .layer_count = 2,
                                          .exclude = exclude,
                                          .exclude_count = 2},
                     err);
}

static firn_result save_file(scene *s, firn_error *err)
{
    firn_digest digest = {1, 2};
    firn_save_options options = {.digest = &digest};
    firn_result result = firn_snapshot_save_file(s->z.world, s->path, &options, err);
    return trace_digest(s, result, digest);
}

static firn_result bytes_digest(scene *s, firn_error *err)
{
    (void)err;
    firn_digest digest = firn_bytes_digest("snow", 4);
    scene_trace(s, &digest, sizeof digest);
    return FIRN_OK;
}

static firn_result hash(scene *s, firn_error *err)
{
    firn_hash value;
    firn_result result = firn_world_hash(s->z.world, &value, NULL, NULL, err);
    if (result == FIRN_OK)
        scene_trace(s, &value, sizeof value);
    return result;
}

// Rows that a codec saves.
static void add_coded(scene *s)
{
    firn_component both[] = {s->coded, s->owner};
    zoo_spawn(s->z.world, both, 1);
    zoo_spawn(s->z.world, both, 2);
}

// ---- load

static firn_result count_data(void *user, firn_world *world, const char *key, const void *encoded,
                              size_t size, firn_error *err)
{
    scene *s = user;
    (void)world;
    (void)key;
    (void)encoded;
    (void)size;
    (void)err;
    s->told++;
    return FIRN_OK;
}

static firn_load_options load_options(scene *s)
{
    return (firn_load_options){.skip_unknown = true, .on_data = count_data, .user = s};
}

static firn_result load(scene *s, firn_error *err)
{
    firn_load_options options = load_options(s);
    firn_load_report report;
    const firn_buffer *image = &s->source->image;
    firn_result result =
        firn_snapshot_load(s->z.world, image->data, image->size, &options, &report, err);
    assert_int_equal(result == FIRN_OK, report.committed);
    scene_trace(s, &report.changed_values, sizeof report.changed_values);
    for (uint32_t i = 0; result == FIRN_OK && i < report.notice_count; i++)
        scene_trace(s, report.notices[i].field, strlen(report.notices[i].field));
    firn_load_report_free(&report);
    return result;
}

// Nothing of it stays, whatever it comes to.
static firn_result check(scene *s, firn_error *err)
{
    firn_load_options options = load_options(s);
    firn_load_report report;
    const firn_buffer *image = &s->source->image;
    firn_result result =
        firn_snapshot_check(s->z.world, image->data, image->size, &options, &report, err);
    assert_false(report.committed);
    firn_load_report_free(&report);
    return result;
}

// What is not registered is kept, saved again, and decoded when it is registered.
static firn_result keep(scene *s, firn_error *err)
{
    firn_load_options options = {.keep_unknown = true};
    firn_load_report report;
    const firn_buffer *image = &s->source->image;
    firn_result result =
        firn_snapshot_load(s->z.world, image->data, image->size, &options, &report, err);
    assert_int_equal(result == FIRN_OK, report.committed);
    if (result == FIRN_OK)
        scene_trace(s, &report.kept, sizeof report.kept);
    firn_load_report_free(&report);
    return result;
}

static void keep_before(scene *s)
{
    firn_error err;
    assert_ok(keep(s, &err), &err);
}

static firn_result register_kept(scene *s, firn_error *err)
{
    firn_component required[] = {s->z.of[ZOO_TITLE], s->z.of[ZOO_POINT], s->held};
    firn_component_desc desc = {.name = "Unknown",
                                .kind = FIRN_STRING,
                                .required = required,
                                .required_count = FIRN_COUNT(required)};
    return scene_made(firn_component_register(s->z.world, &desc, err) != 0, err);
}

static firn_result load_file(scene *s, firn_error *err)
{
    firn_load_options options = load_options(s);
    return firn_snapshot_load_file(s->z.world, s->path, &options, NULL, err);
}

static firn_result load_strictly(scene *s, firn_error *err)
{
    const firn_buffer *image = &s->source->image;
    firn_result result = firn_snapshot_load(s->z.world, image->data, image->size, NULL, NULL, err);
    return result == FIRN_UNKNOWN ? FIRN_OK : result;
}

static void load_before(scene *s)
{
    firn_error err;
    assert_ok(load(s, &err), &err);
}

static firn_result merged(scene *s, firn_result result, firn_merge_report *report)
{
    assert_int_equal(result == FIRN_OK, report->load.committed);
    assert_int_equal(result == FIRN_OK, report->map != NULL);
    for (uint32_t i = 0; result == FIRN_OK && i < report->count; i++)
        scene_trace(s, &report->map[i], sizeof report->map[i]);
    firn_merge_report_free(report);
    return result;
}

static firn_result merge(scene *s, firn_error *err)
{
    firn_merge_options options = {.skip_unknown = true};
    firn_merge_report report;
    const firn_buffer *image = &s->source->image;
    firn_result result =
        firn_snapshot_merge(s->z.world, image->data, image->size, &options, &report, err);
    return merged(s, result, &report);
}

static firn_result merge_kept(scene *s, firn_error *err)
{
    firn_merge_options options = {.keep_unknown = true};
    firn_merge_report report;
    const firn_buffer *image = &s->source->image;
    firn_result result =
        firn_snapshot_merge(s->z.world, image->data, image->size, &options, &report, err);
    return merged(s, result, &report);
}

static firn_result merge_table(scene *s, firn_error *err)
{
    firn_error made;
    firn_doc *doc = firn_doc_create(NULL, NULL, &made);
    firn_value *table = NULL;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    assert_ok(firn_snapshot_save_table(z.world, NULL, doc, &table, &made), &made);
    firn_merge_report report;
    firn_result result = firn_snapshot_merge_table(s->z.world, table, NULL, &report, err);
    firn_world_destroy(z.world);
    result = merged(s, result, &report);
    firn_doc_destroy(doc);
    return result;
}

static firn_result merge_find(scene *s, firn_error *err)
{
    (void)err;
    firn_merged map[] = {{3, 5}, {7, 9}};
    firn_merge_report report = {.map = map, .count = 2};
    firn_entity found[] = {firn_merge_find(&report, 3), firn_merge_find(&report, 4)};
    scene_trace(s, found, sizeof found);
    firn_merge_report_free(NULL);
    return FIRN_OK;
}

// Changes that wait are kept by a load that fails.
static void leave_waiting(scene *s)
{
    firn_error err;
    scene_open_loop(s);
    zoo_spawn_one(s->z.world, s->z.of[ZOO_TITLE]);
    assert_ok(firn_set_text(s->z.world, s->other, s->z.of[ZOO_TITLE], "longer than twelve", &err),
              &err);
    test_allocator_fail_at(&s->memory, 1, true);
    assert_int_equal(firn_iter_end(&s->it, &err), FIRN_NO_MEMORY);
    test_allocator_fail_at(&s->memory, 0, false);
    s->in_loop = false;
    assert_int_equal(firn_pending(s->z.world), 2);
}

// ---- images

static firn_result image_check(scene *s, firn_error *err)
{
    firn_image_options options = {.allocator = &s->memory.allocator};
    firn_prelude prelude;
    const firn_buffer *image = &s->source->image;
    firn_result result = firn_image_check(image->data, image->size, &options, &prelude, err);
    if (result == FIRN_OK)
        scene_trace(s, &prelude, sizeof prelude);
    return result;
}

static firn_result image_data(scene *s, firn_error *err)
{
    firn_image_options options = {.allocator = &s->memory.allocator};
    const void *encoded;
    size_t size = 0;
    const firn_buffer *image = &s->source->image;
    firn_result result =
        firn_image_data(image->data, image->size, "second", &options, &encoded, &size, err);
    if (result == FIRN_OK)
        scene_trace(s, encoded, size);
    return result;
}

static firn_result image_hash(scene *s, firn_error *err)
{
    firn_image_options options = {.allocator = &s->memory.allocator};
    firn_hash value;
    const firn_buffer *image = &s->source->image;
    firn_result result =
        firn_image_hash(image->data, image->size, &options, &value, NULL, NULL, err);
    if (result == FIRN_OK)
        scene_trace(s, &value, sizeof value);
    return result;
}

// ---- codecs of rows

static firn_result write_row(void *user, const void *row, firn_writer *out, firn_error *err)
{
    (void)user, (void)row, (void)err;
    firn_write_nil(out);
    return FIRN_OK;
}

static firn_result read_row(void *user, void *row, firn_reader *in, firn_error *err)
{
    (void)user, (void)row, (void)err;
    firn_read_skip(in);
    return FIRN_OK;
}

static firn_result adapt(scene *s, firn_error *err)
{
    static const firn_row_codec rows = {FIRN_ABI, "rows", write_row, read_row, NULL};
    firn_codec codec;
    firn_result result = firn_row_codec_adapt(&rows, &codec, err);
    if (result == FIRN_OK)
        scene_trace(s, codec.name, 5);
    return result;
}

static firn_result report_free(scene *s, firn_error *err)
{
    (void)s, (void)err;
    firn_load_report report = {.committed = true};
    firn_load_report_free(&report);
    firn_load_report_free(NULL);
    assert_true(report.committed);
    return FIRN_OK;
}

const memory_case memory_snapshot_cases[] = {
    {"firn_row_codec_adapt", adapt, NULL, true},
    {"firn_snapshot_save", save, NULL, false},
    {"firn_snapshot_save", save, add_coded, false},
    {"firn_snapshot_save", save_data, add_coded, false},
    {"firn_snapshot_save", save_selected, NULL, false},
    {"firn_snapshot_save", save_digest, add_coded, false},
    {"firn_bytes_digest", bytes_digest, NULL, true},
    {"firn_snapshot_save_file", save_file, NULL, false},
    {"firn_world_hash", hash, add_coded, false},
    {"firn_snapshot_load", load, NULL, false},
    {"firn_snapshot_load", load, load_before, false},
    {"firn_snapshot_load", load, leave_waiting, false},
    {"firn_snapshot_load", load_strictly, NULL, false},
    {"firn_snapshot_load", keep, NULL, false},
    {"firn_snapshot_load", keep, keep_before, false},
    {"firn_snapshot_load", load, keep_before, false},
    {"firn_snapshot_save", save, keep_before, false},
    {"firn_snapshot_check", check, NULL, false},
    {"firn_snapshot_check", check, leave_waiting, false},
    {"firn_component_register", register_kept, keep_before, false},
    {"firn_snapshot_load_file", load_file, NULL, false},
    {"firn_snapshot_merge firn_merge_report_free", merge, NULL, false},
    {"firn_snapshot_merge", merge_kept, NULL, false},
    {"firn_snapshot_merge", merge_kept, keep_before, false},
    {"firn_snapshot_merge_table", merge_table, NULL, false},
    {"firn_merge_find firn_merge_report_free", merge_find, NULL, true},
    {"firn_image_check", image_check, NULL, false},
    {"firn_image_data", image_data, NULL, false},
    {"firn_image_hash", image_hash, NULL, false},
    {"firn_load_report_free", report_free, NULL, true},
    {NULL, NULL, NULL, false},
};
