// What a save holds: filter, layers, excludes.
#include "api/snapshot_zoo.h"

#include <math.h>
#include <string.h>

// Loads an image into a fresh zoo.
static zoo load_fresh(const firn_buffer *image)
{
    zoo z = zoo_make(NULL, false);
    zoo_load(z.world, image);
    return z;
}

static zoo save_and_load(firn_world *world, const firn_save_options *options)
{
    firn_buffer image = zoo_save_with(world, options);
    zoo z = load_fresh(&image);
    assert_saves_as(z.world, &image);
    firn_hash live = zoo_hash(z.world), of_image;
    firn_error err;
    assert_ok(firn_image_hash(image.data, image.size, NULL, &of_image, NULL, NULL, &err), &err);
    assert_memory_equal(&live, &of_image, sizeof live);
    firn_buffer_free(&image);
    return z;
}

static void expect_refused_save(firn_world *world, const firn_save_options *options,
                                const char *subject, const char *words)
{
    firn_error err;
    firn_buffer out = {0};
    assert_int_equal(firn_snapshot_save(world, options, &out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, subject);
    if (strstr(err.message, words) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", words, err.message);
    assert_int_equal(out.size, 0);
    firn_buffer_free(&out);
}

// ---- filter

static void T16_a_filter_selects_entities_and_is_not_changed(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    const firn_term terms[] = {{.component = z.of[ZOO_POINT]},
                               {.component = z.of[ZOO_TITLE], .kind = FIRN_WITHOUT}};
    const firn_query_desc filter = {.terms = terms, .term_count = 2}, before = filter;
    zoo loaded = save_and_load(z.world, &(firn_save_options){.filter = &filter});
    assert_memory_equal(&filter, &before, sizeof filter);
    uint32_t kept = 0;
    for (uint64_t id = 1; id <= 12; id++) {
        bool wanted =
            firn_has(z.world, id, z.of[ZOO_POINT]) && !firn_has(z.world, id, z.of[ZOO_TITLE]);
        assert_int_equal(firn_alive(loaded.world, id), wanted);
        kept += wanted;
        if (wanted)
            assert_memory_equal(firn_get(loaded.world, id, loaded.of[ZOO_POINT]),
                                firn_get(z.world, id, z.of[ZOO_POINT]), sizeof(zoo_point));
    }
    assert_int_equal(firn_entity_count(loaded.world), kept);
    assert_true(kept > 0 && kept < firn_entity_count(z.world));
    firn_world_destroy(z.world);
    firn_world_destroy(loaded.world);
}

static void T16_a_filter_takes_any_of_its_components(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    firn_entity tagged = zoo_spawn_one(z.world, z.of[ZOO_TAG]);
    firn_entity flagged = zoo_spawn_one(z.world, z.of[ZOO_FLAG]);
    firn_entity bare = zoo_spawn(z.world, NULL, 0);
    const firn_term terms[] = {{.component = z.of[ZOO_TAG], .kind = FIRN_ANY},
                               {.component = z.of[ZOO_FLAG], .kind = FIRN_ANY},
                               {.component = z.of[ZOO_BAG], .kind = FIRN_OPTIONAL}};
    const firn_query_desc filter = {.terms = terms, .term_count = 3};
    zoo loaded = save_and_load(z.world, &(firn_save_options){.filter = &filter});
    assert_true(firn_alive(loaded.world, tagged) && firn_alive(loaded.world, flagged));
    assert_false(firn_alive(loaded.world, bare));
    firn_world_destroy(z.world);
    firn_world_destroy(loaded.world);
}

static void T16_a_filter_that_is_no_query_is_refused(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false), other = zoo_make(NULL, false);
    firn_term term = {.component = other.of[ZOO_POINT]};
    firn_query_desc filter = {.terms = &term, .term_count = 1};
    const firn_save_options options = {.filter = &filter};
    expect_refused_save(z.world, &options, "terms", "not a component of this world");
    filter.terms = NULL;
    expect_refused_save(z.world, &options, "terms", "NULL");
    filter = (firn_query_desc){.reserved = {1}};
    expect_refused_save(z.world, &options, "firn_query_desc", "reserved[0]");
    firn_world_destroy(z.world);
    firn_world_destroy(other.world);
}

// An active, a disabled and a paused entity, each with a point.
static zoo make_sleepers(firn_entity ids[3])
{
    zoo z = zoo_make(NULL, false);
    firn_error err;
    for (int i = 0; i < 3; i++)
        ids[i] = zoo_spawn_one(z.world, z.of[ZOO_POINT]);
    const firn_component disabled = firn_disabled(z.world), paused = firn_paused(z.world);
    assert_ok(firn_add(z.world, ids[1], &disabled, 1, &err), &err);
    assert_ok(firn_add(z.world, ids[2], &paused, 1, &err), &err);
    return z;
}

static void N5_disabled_and_paused_entities_are_saved_unless_they_are_named(void **state)
{
    (void)state;
    firn_entity ids[3];
    zoo z = make_sleepers(ids);
    const firn_term terms[] = {
        {.component = z.of[ZOO_POINT]},
        {.component = firn_disabled(z.world), .kind = FIRN_WITHOUT},
        {.component = firn_paused(z.world), .kind = FIRN_WITHOUT},
    };
    for (uint32_t named = 0; named < 3; named++) {
        const firn_query_desc filter = {.terms = terms, .term_count = 1 + named};
        zoo loaded = save_and_load(z.world, &(firn_save_options){.filter = &filter});
        assert_true(firn_alive(loaded.world, ids[0]));
        assert_int_equal(firn_alive(loaded.world, ids[1]), named < 1);
        assert_int_equal(firn_alive(loaded.world, ids[2]), named < 2);
        firn_world_destroy(loaded.world);
    }
    const firn_save_options plain[] = {
        {.filter = NULL},
        {.filter = &(firn_query_desc){.name = "all"}},
        {.exclude = &z.of[ZOO_TAG], .exclude_count = 1},
    };
    for (int i = 0; i < 3; i++) {
        zoo loaded = save_and_load(z.world, &plain[i]);
        assert_int_equal(firn_entity_count(loaded.world), 3);
        assert_true(firn_has(loaded.world, ids[1], firn_disabled(loaded.world)));
        assert_true(firn_has(loaded.world, ids[2], firn_paused(loaded.world)));
        firn_world_destroy(loaded.world);
    }
    firn_world_destroy(z.world);
}

// ---- dead slots

static firn_entity next_generation(firn_entity entity)
{
    return entity + (UINT64_C(1) << FIRN_SLOT_BITS);
}

static void T4_what_a_filter_leaves_out_comes_back_dead_behind_the_free_list(void **state)
{
    (void)state;
    firn_error err;
    zoo z = zoo_make(NULL, false);
    firn_entity ids[8];
    for (int i = 0; i < 8; i++)
        ids[i] = zoo_spawn_one(z.world, z.of[i % 2 == 0 ? ZOO_POINT : ZOO_TAG]);
    assert_ok(firn_despawn(z.world, ids[1], &err), &err);
    assert_ok(firn_despawn(z.world, ids[4], &err), &err);
    const firn_term term = {.component = z.of[ZOO_POINT]};
    const firn_query_desc filter = {.terms = &term, .term_count = 1};
    zoo loaded = save_and_load(z.world, &(firn_save_options){.filter = &filter});
    assert_int_equal(firn_entity_count(loaded.world), 3);
    const int next[] = {4, 1, 3, 5, 7}; // the free list, then the tags in the order of slots
    for (int i = 0; i < 5; i++) {
        assert_false(firn_alive(loaded.world, ids[next[i]]));
        assert_true(zoo_spawn(loaded.world, NULL, 0) == next_generation(ids[next[i]]));
    }
    assert_true(zoo_spawn(loaded.world, NULL, 0) == 9);
    // The saved world goes on as it was.
    assert_true(firn_alive(z.world, ids[3]));
    firn_world_destroy(z.world);
    firn_world_destroy(loaded.world);
}

// Gives the next entity of a world, whose only free slot is 1, the last generation.
static void age_slot(firn_world *world)
{
    firn_buffer image = zoo_save(world);
    // The free list is one string of one id: generation 1 of slot 1.
    static const uint8_t next[] = {0x28, 1, 0, 0x40, 0, 0, 0, 0, 0};
    static const uint8_t last[] = {0x28, 1, 0, 0xc0, 0xff, 0xff, 0xff, 0x1f, 0};
    size_t at = 0;
    while (memcmp(image.data + at, next, sizeof next) != 0)
        assert_true(++at + sizeof next < image.size);
    memcpy(image.data + at, last, sizeof last);
    zoo_load(world, &image);
    firn_buffer_free(&image);
}

static void T4_an_entity_of_the_last_generation_that_is_left_out_retires(void **state)
{
    (void)state;
    firn_error err;
    zoo z = zoo_make(NULL, false);
    assert_ok(firn_despawn(z.world, zoo_spawn(z.world, NULL, 0), &err), &err);
    age_slot(z.world);
    firn_entity old = zoo_spawn(z.world, NULL, 0);
    assert_true(old >> FIRN_SLOT_BITS == FIRN_GENERATION_MAX);
    const firn_term term = {.component = z.of[ZOO_POINT]};
    const firn_query_desc filter = {.terms = &term, .term_count = 1};
    zoo loaded = save_and_load(z.world, &(firn_save_options){.filter = &filter});
    assert_false(firn_alive(loaded.world, old));
    assert_true(zoo_spawn(loaded.world, NULL, 0) == 2);
    firn_world_destroy(z.world);
    firn_world_destroy(loaded.world);
}

// ---- layers

typedef struct transform {
    float x, y;
    int32_t layer;
} transform;

static const firn_field transform_fields[] = {
    FIRN_FIELD(transform, x, FIRN_F32),
    FIRN_FIELD(transform, y, FIRN_F32),
    FIRN_FIELD(transform, layer, FIRN_I32),
};

static firn_component register_transform(firn_world *world)
{
    firn_component_desc desc = zoo_struct("Transform2D", sizeof(transform), transform_fields, 3);
    return zoo_register(world, &desc);
}

#define LAYERED 8
static const int32_t layers_of[LAYERED] = {0, 2, 2, 31, 34, 2, -1, 5};

// An entity on each of these layers, and one without a transform.
typedef struct layered {
    zoo z;
    firn_component transform;
    firn_entity ids[LAYERED];
    firn_entity bare;
} layered;

static layered layered_make(void)
{
    firn_error err;
    layered l = {.z = zoo_make(NULL, false)};
    l.transform = register_transform(l.z.world);
    for (int i = 0; i < LAYERED; i++) {
        l.ids[i] = zoo_spawn_one(l.z.world, l.transform);
        transform row = {(float)i, 0, layers_of[i]};
        assert_ok(firn_set(l.z.world, l.ids[i], l.transform, &row, &err), &err);
    }
    l.bare = zoo_spawn_one(l.z.world, l.z.of[ZOO_POINT]);
    return l;
}

static void expect_layers(const layered *l, const double *layers, uint32_t count)
{
    firn_buffer image =
        zoo_save_with(l->z.world, &(firn_save_options){.layers = layers, .layer_count = count});
    zoo loaded = zoo_make(NULL, false);
    firn_component component = register_transform(loaded.world);
    zoo_load(loaded.world, &image);
    assert_saves_as(loaded.world, &image);
    assert_true(firn_alive(loaded.world, l->bare));
    for (int i = 0; i < LAYERED; i++) {
        bool wanted = false;
        for (uint32_t k = 0; k < count; k++)
            wanted = wanted || layers[k] == layers_of[i];
        assert_int_equal(firn_alive(loaded.world, l->ids[i]), wanted);
        if (wanted)
            assert_true(((const transform *)firn_get(loaded.world, l->ids[i], component))->x ==
                        (float)i);
    }
    firn_buffer_free(&image);
    firn_world_destroy(loaded.world);
}

static void T16_layers_select_by_the_layer_of_the_transform(void **state)
{
    (void)state;
    layered l = layered_make();
    expect_layers(&l, (const double[]){2}, 1);
    expect_layers(&l, (const double[]){0, 31, 5, 5}, 4);
    expect_layers(&l, (const double[]){7}, 1);
    expect_layers(&l, (const double[]){-0.0, 2, 31}, 3);
    expect_layers(&l, (const double[]){0}, 0); // an empty list
    firn_world_destroy(l.z.world);
}

static void T16_layers_and_a_filter_both_hold(void **state)
{
    (void)state;
    firn_error err;
    layered l = layered_make();
    assert_ok(firn_add(l.z.world, l.ids[2], &l.z.of[ZOO_TAG], 1, &err), &err);
    assert_ok(firn_add(l.z.world, l.ids[7], &l.z.of[ZOO_TAG], 1, &err), &err);
    const firn_term term = {.component = l.z.of[ZOO_TAG]};
    const firn_query_desc filter = {.terms = &term, .term_count = 1};
    const firn_save_options options = {
        .filter = &filter, .layers = (const double[]){2}, .layer_count = 1};
    firn_prelude prelude;
    firn_buffer image = zoo_save_with(l.z.world, &options);
    assert_ok(firn_image_check(image.data, image.size, NULL, &prelude, &err), &err);
    assert_int_equal(prelude.entity_count, 1);
    firn_buffer_free(&image);
    firn_world_destroy(l.z.world);
}

static void T16_a_layer_is_an_integer_from_0_to_31(void **state)
{
    (void)state;
    static const double bad[] = {32, 34, -1, 0.5, 1e300, (double)NAN, (double)INFINITY};
    layered l = layered_make();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const double layers[] = {1, bad[i]};
        expect_refused_save(l.z.world, &(firn_save_options){.layers = layers, .layer_count = 2},
                            "layers", "layers[1] is ");
    }
    expect_refused_save(l.z.world, &(firn_save_options){.layer_count = 2}, "layers", "NULL");
    firn_world_destroy(l.z.world);
}

static void T16_layers_without_a_transform_select_everything(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_buffer image = zoo_save(z.world);
    firn_buffer layered_image = zoo_save_with(
        z.world, &(firn_save_options){.layers = (const double[]){1}, .layer_count = 1});
    assert_same_bytes(&image, &layered_image);
    firn_buffer_free(&image);
    firn_buffer_free(&layered_image);
    firn_world_destroy(z.world);
}

static void T16_layers_want_a_number_in_the_transform(void **state)
{
    (void)state;
    const firn_save_options options = {.layers = (const double[]){1}, .layer_count = 1};
    firn_component_desc descs[] = {
        {.name = "Transform2D", .kind = FIRN_VALUE},
        zoo_struct("Transform2D", sizeof(zoo_point), zoo_point_fields, 2),
    };
    for (int i = 0; i < 2; i++) {
        firn_world *world = zoo_empty(NULL);
        zoo_register(world, &descs[i]);
        expect_refused_save(world, &options, "Transform2D.layer", "no number layer");
        firn_world_destroy(world);
    }
}

// ---- excluded entities

static void T16_entities_with_an_excluded_component_are_not_in_the_save(void **state)
{
    (void)state;
    firn_error err;
    firn_load_report report;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    const firn_component exclude[] = {z.of[ZOO_BODY], z.of[ZOO_TAG], z.of[ZOO_BODY]};
    const firn_save_options options = {.exclude = exclude, .exclude_count = 3};
    firn_buffer image = zoo_save_with(z.world, &options);
    zoo loaded = zoo_make(NULL, false);
    assert_ok(firn_snapshot_load(loaded.world, image.data, image.size, NULL, &report, &err), &err);
    for (uint32_t i = 0; i < report.prelude.component_count; i++) {
        assert_string_not_equal(report.prelude.components[i].name, "zoo.Body");
        assert_string_not_equal(report.prelude.components[i].name, "zoo.Tag");
    }
    firn_load_report_free(&report);
    uint32_t left = 0;
    for (uint64_t id = 1; id <= 12; id++) {
        bool wanted = firn_alive(z.world, id) && !firn_has(z.world, id, z.of[ZOO_BODY]) &&
                      !firn_has(z.world, id, z.of[ZOO_TAG]);
        assert_int_equal(firn_alive(loaded.world, id), wanted);
        left += wanted;
        for (int kind = 0; wanted && kind < ZOO_KINDS; kind++)
            assert_int_equal(firn_has(loaded.world, id, loaded.of[kind]),
                             firn_has(z.world, id, z.of[kind]));
    }
    assert_in_range(left, 1, firn_entity_count(z.world) - 1);
    assert_int_equal(firn_entity_count(loaded.world), left);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
    firn_world_destroy(loaded.world);
}

// One exclude says nothing about Disabled and Paused, and those may be excluded themselves.
static void N5_an_exclude_drops_what_it_names_and_nothing_else(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    firn_error err;
    firn_component disabled = firn_disabled(z.world);
    firn_entity asleep = zoo_spawn_one(z.world, disabled);
    firn_entity plain = zoo_spawn_one(z.world, z.of[ZOO_POINT]);
    firn_entity derived = zoo_spawn_one(z.world, z.of[ZOO_TAG]);
    assert_ok(firn_add(z.world, derived, &disabled, 1, &err), &err);
    zoo loaded =
        save_and_load(z.world, &(firn_save_options){.exclude = &z.of[ZOO_TAG], .exclude_count = 1});
    assert_true(firn_has(loaded.world, asleep, firn_disabled(loaded.world)));
    assert_true(firn_alive(loaded.world, plain));
    assert_false(firn_alive(loaded.world, derived));
    firn_world_destroy(loaded.world);
    loaded = save_and_load(z.world, &(firn_save_options){.exclude = &disabled, .exclude_count = 1});
    assert_false(firn_alive(loaded.world, asleep));
    assert_true(firn_alive(loaded.world, plain));
    firn_world_destroy(loaded.world);
    firn_world_destroy(z.world);
}

// A transient component is an attribute like any other for this.
static void T16_entities_are_excluded_by_transient_components_and_by_edges_too(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_component derived = zoo_register(
        world, &(firn_component_desc){.name = "Derived", .kind = FIRN_TAG, .transient = true});
    firn_component likes =
        zoo_register(world, &(firn_component_desc){.name = "Likes", .kind = FIRN_RELATION});
    firn_entity made = zoo_spawn_one(world, derived), kept = zoo_spawn(world, NULL, 0);
    firn_entity fan = zoo_spawn(world, NULL, 0);
    assert_ok(firn_relate(world, fan, likes, kept, NULL, &err), &err);
    const firn_component both[] = {derived, likes};
    firn_buffer image =
        zoo_save_with(world, &(firn_save_options){.exclude = both, .exclude_count = 2});
    assert_ok(firn_snapshot_load(world, image.data, image.size, NULL, NULL, &err), &err);
    assert_true(firn_alive(world, kept));
    assert_false(firn_alive(world, made));
    assert_false(firn_alive(world, fan));
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void T16_nothing_is_left_of_an_empty_world(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    firn_buffer plain = zoo_save(z.world);
    firn_buffer image = zoo_save_with(
        z.world, &(firn_save_options){.exclude = &z.of[ZOO_BODY], .exclude_count = 1});
    assert_same_bytes(&plain, &image);
    firn_buffer_free(&plain);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

static void T16_what_is_excluded_must_be_a_component_of_the_world(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false), other = zoo_make(NULL, false);
    firn_save_options options = {.exclude = &other.of[ZOO_BAG], .exclude_count = 1};
    expect_refused_save(z.world, &options, "exclude", "not a component of this world");
    options.exclude = NULL;
    expect_refused_save(z.world, &options, "exclude", "NULL");
    firn_world_destroy(z.world);
    firn_world_destroy(other.world);
}

static firn_result exclude_one(void *user, firn_world *world, const firn_event *event,
                               firn_error *err)
{
    firn_saving *saving = (firn_saving *)event->payload;
    const firn_component *component = user;
    firn_error why;
    (void)world;
    assert_int_equal(firn_saving_exclude(NULL, *component, &why), FIRN_INVALID);
    assert_error(&why, FIRN_INVALID, "saving");
    assert_int_equal(firn_saving_exclude(saving, 0, &why), FIRN_INVALID);
    assert_error(&why, FIRN_INVALID, "component");
    return firn_saving_exclude(saving, *component, err);
}

static void T15_an_observer_of_a_save_leaves_entities_out_of_it(void **state)
{
    (void)state;
    firn_error err;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    const firn_component both[] = {z.of[ZOO_BAG], z.of[ZOO_TITLE]};
    firn_buffer expected =
        zoo_save_with(z.world, &(firn_save_options){.exclude = both, .exclude_count = 2});
    firn_buffer plain = zoo_save(z.world);
    firn_observer_desc desc = {
        .event = "OnSnapshotSave", .observe = exclude_one, .user = &z.of[ZOO_TITLE]};
    firn_observer observer = firn_observe(z.world, &desc, &err);
    assert_int_not_equal(observer, 0);
    firn_buffer image =
        zoo_save_with(z.world, &(firn_save_options){.exclude = both, .exclude_count = 1});
    assert_same_bytes(&image, &expected);
    assert_ok(firn_unobserve(z.world, observer, &err), &err);
    assert_saves_as(z.world, &plain); // of that save only
    firn_buffer_free(&image);
    firn_buffer_free(&plain);
    firn_buffer_free(&expected);
    firn_world_destroy(z.world);
}

// ---- files and tables

static void T16_a_table_holds_what_the_options_select(void **state)
{
    (void)state;
    firn_error err;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    const firn_term term = {.component = z.of[ZOO_POINT]};
    const firn_query_desc filter = {.terms = &term, .term_count = 1};
    const firn_save_options options = {
        .filter = &filter, .exclude = &z.of[ZOO_BAG], .exclude_count = 1};
    firn_buffer image = zoo_save_with(z.world, &options);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *table = NULL;
    assert_ok(firn_snapshot_save_table(z.world, &options, doc, &table, &err), &err);
    zoo loaded = zoo_make(NULL, false);
    assert_ok(firn_snapshot_load_table(loaded.world, table, NULL, NULL, &err), &err);
    assert_saves_as(loaded.world, &image);
    firn_doc_destroy(doc);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
    firn_world_destroy(loaded.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T16_a_filter_selects_entities_and_is_not_changed),
        cmocka_unit_test(T16_a_filter_takes_any_of_its_components),
        cmocka_unit_test(T16_a_filter_that_is_no_query_is_refused),
        cmocka_unit_test(N5_disabled_and_paused_entities_are_saved_unless_they_are_named),
        cmocka_unit_test(T4_what_a_filter_leaves_out_comes_back_dead_behind_the_free_list),
        cmocka_unit_test(T4_an_entity_of_the_last_generation_that_is_left_out_retires),
        cmocka_unit_test(T16_layers_select_by_the_layer_of_the_transform),
        cmocka_unit_test(T16_layers_and_a_filter_both_hold),
        cmocka_unit_test(T16_a_layer_is_an_integer_from_0_to_31),
        cmocka_unit_test(T16_layers_without_a_transform_select_everything),
        cmocka_unit_test(T16_layers_want_a_number_in_the_transform),
        cmocka_unit_test(T16_entities_with_an_excluded_component_are_not_in_the_save),
        cmocka_unit_test(N5_an_exclude_drops_what_it_names_and_nothing_else),
        cmocka_unit_test(T16_entities_are_excluded_by_transient_components_and_by_edges_too),
        cmocka_unit_test(T16_nothing_is_left_of_an_empty_world),
        cmocka_unit_test(T16_what_is_excluded_must_be_a_component_of_the_world),
        cmocka_unit_test(T15_an_observer_of_a_save_leaves_entities_out_of_it),
        cmocka_unit_test(T16_a_table_holds_what_the_options_select),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
