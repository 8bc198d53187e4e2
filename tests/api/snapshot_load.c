// What a load brings back: ids, rows of every kind, what the save does not know.
#include "api/snapshot_zoo.h"

#include <stdlib.h>
#include <string.h>

static void T2_a_load_leaves_the_image_as_it_is(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_buffer image = zoo_save(z.world), copy = {0};
    firn_error err;
    assert_ok(firn_buffer_append(&copy, image.data, image.size, &err), &err);
    zoo_load(z.world, &image);
    zoo_load(z.world, &image);
    assert_same_bytes(&image, &copy);
    // Nothing points into the image afterwards.
    memset(image.data, 0xee, image.size);
    firn_buffer_free(&image);
    assert_saves_as(z.world, &copy);
    firn_buffer_free(&copy);
    firn_world_destroy(z.world);
}

static void T2_an_image_may_stand_at_any_address(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_buffer image = zoo_save(z.world);
    firn_error err;
    for (size_t shift = 0; shift < 8; shift++) {
        // Exactly as large as the image: a read behind it is found.
        uint8_t *moved = malloc(image.size + shift);
        assert_non_null(moved);
        memcpy(moved + shift, image.data, image.size);
        assert_ok(firn_snapshot_load(z.world, moved + shift, image.size, NULL, NULL, &err), &err);
        free(moved);
        assert_saves_as(z.world, &image);
    }
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

// ---- ids

// Frees and reuses slots: 3 lives at generation 2, 1 and 4 are free.
static void make_ids(firn_world *world, firn_entity dead[4])
{
    firn_error err;
    firn_entity ids[5];
    assert_ok(firn_spawn_many(world, NULL, 0, 5, ids, &err), &err);
    for (int i = 0; i < 2; i++) {
        dead[i] = ids[2];
        assert_ok(firn_despawn(world, ids[2], &err), &err);
        ids[2] = zoo_spawn(world, NULL, 0);
    }
    dead[2] = ids[3];
    dead[3] = ids[0];
    assert_ok(firn_despawn(world, ids[3], &err), &err);
    assert_ok(firn_despawn(world, ids[0], &err), &err);
}

static void assert_ids(firn_world *world, const firn_entity dead[4])
{
    for (int i = 0; i < 4; i++)
        assert_false(firn_alive(world, dead[i]));
    assert_true(firn_alive(world, 2));
    assert_true(firn_alive(world, 3 + (UINT64_C(2) << FIRN_SLOT_BITS)));
    assert_true(firn_alive(world, 5));
    assert_int_equal(firn_entity_count(world), 3);
    // Last in, first out, one generation up; then a fresh slot.
    assert_int_equal(zoo_spawn(world, NULL, 0), 1 + (UINT64_C(1) << FIRN_SLOT_BITS));
    assert_int_equal(zoo_spawn(world, NULL, 0), 4 + (UINT64_C(1) << FIRN_SLOT_BITS));
    assert_int_equal(zoo_spawn(world, NULL, 0), 6);
    for (int i = 0; i < 4; i++)
        assert_false(firn_alive(world, dead[i]));
}

static void T4_ids_free_list_and_next_ids_are_those_of_the_save(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false), fresh = zoo_make(NULL, false), dirty = zoo_make(NULL, false);
    firn_entity dead[4];
    make_ids(z.world, dead);
    firn_buffer image = zoo_save(z.world);
    zoo_fill(&z); // ids of a timeline that the load ends
    zoo_load(z.world, &image);
    assert_ids(z.world, dead);
    zoo_load(fresh.world, &image);
    assert_ids(fresh.world, dead);
    zoo_fill(&dirty);
    zoo_litter(&dirty);
    zoo_load(dirty.world, &image);
    assert_ids(dirty.world, dead);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
    firn_world_destroy(fresh.world);
    firn_world_destroy(dirty.world);
}

// The place of some bytes in an image.
static uint8_t *find_bytes(const firn_buffer *image, const void *bytes, size_t size)
{
    for (size_t i = 0; i + size <= image->size; i++)
        if (memcmp(image->data + i, bytes, size) == 0)
            return image->data + i;
    fail_msg("the image lacks %zu bytes", size);
    return NULL;
}

static void T4_a_slot_of_the_last_generation_is_never_used_again(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL), *other = zoo_empty(NULL);
    firn_entity entity = zoo_spawn(world, NULL, 0);
    assert_ok(firn_despawn(world, entity, &err), &err);
    firn_buffer image = zoo_save(world);
    // The free list is one string of one id: generation 1 of slot 1.
    static const uint8_t next[] = {0x28, 1, 0, 0x40, 0, 0, 0, 0, 0};
    static const uint8_t last[] = {0x28, 1, 0, 0xc0, 0xff, 0xff, 0xff, 0x1f, 0};
    memcpy(find_bytes(&image, next, sizeof next), last, sizeof last);
    zoo_load(world, &image);
    entity = zoo_spawn(world, NULL, 0);
    assert_int_equal(entity, 1 + ((uint64_t)FIRN_GENERATION_MAX << FIRN_SLOT_BITS));
    firn_buffer alive = zoo_save(world);
    zoo_load(other, &alive);
    assert_true(firn_alive(other, entity));
    assert_saves_as(other, &alive);
    assert_ok(firn_despawn(world, entity, &err), &err);
    firn_buffer retired = zoo_save(world);
    zoo_load(other, &retired);
    assert_saves_as(other, &retired);
    assert_int_equal(zoo_hash(world).ids, zoo_hash(other).ids);
    firn_limits one = {.entities = 1};
    firn_world *small = firn_world_create(&(firn_world_desc){.limits = &one}, &err);
    zoo_load(small, &retired);
    assert_int_equal(firn_spawn(small, NULL, 0, &err), 0); // its one slot is retired
    assert_error(&err, FIRN_LIMIT, "entities");
    assert_saves_as(small, &retired);
    firn_world_destroy(small);
    assert_int_equal(zoo_spawn(world, NULL, 0), 2);
    assert_int_equal(zoo_spawn(other, NULL, 0), 2);
    assert_false(firn_alive(other, entity));
    firn_buffer_free(&image);
    firn_buffer_free(&alive);
    firn_buffer_free(&retired);
    firn_world_destroy(world);
    firn_world_destroy(other);
}

// More free slots than one string of the free list holds.
static void T4_a_long_free_list_comes_back_in_order(void **state)
{
    (void)state;
    enum { COUNT = 140000 };
    firn_error err;
    firn_world *world = zoo_empty(NULL), *other = zoo_empty(NULL);
    firn_entity *ids = malloc(COUNT * sizeof *ids);
    assert_non_null(ids);
    assert_ok(firn_spawn_many(world, NULL, 0, COUNT, ids, &err), &err);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t which = (uint32_t)((uint64_t)i * 7919 % COUNT);
        if (which % 1000 != 0)
            assert_ok(firn_despawn(world, ids[which], &err), &err);
    }
    free(ids);
    firn_buffer image = zoo_save(world);
    zoo_load(other, &image);
    assert_saves_as(other, &image);
    assert_int_equal(zoo_hash(other).total, zoo_hash(world).total);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(zoo_spawn(world, NULL, 0), zoo_spawn(other, NULL, 0));
    firn_buffer_free(&image);
    firn_world_destroy(world);
    firn_world_destroy(other);
}

// An image of another writer: slots 1 to 3 were used, 2 lives, and there is no data.
static const char foreign_hex[] = "07 00*6 f03f 07 00*6 1040 07 00*6 f03f 07 00*6 f03f 07 00*8 "
                                  "07 00*8 07 00*6 f03f 07 00*8 00*7 40 01";

static void T4_a_save_without_a_free_list_keeps_the_higher_generation_of_each_slot(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = {0};
    image.data = test_from_hex(foreign_hex, &image.size);
    firn_world *fresh = zoo_empty(NULL), *used = zoo_empty(NULL);
    firn_entity ids[3];
    assert_ok(firn_spawn_many(used, NULL, 0, 3, ids, &err), &err);
    for (int i = 0; i < 5; i++) { // slot 1 lives at generation 5
        assert_ok(firn_despawn(used, ids[0], &err), &err);
        ids[0] = zoo_spawn(used, NULL, 0);
    }
    assert_ok(firn_despawn(used, ids[2], &err), &err);
    assert_ok(firn_despawn(used, zoo_spawn(used, NULL, 0), &err), &err); // 3 is dead, next at 2
    zoo_load(fresh, &image);
    zoo_load(used, &image);
    assert_true(firn_alive(used, 2) && firn_alive(fresh, 2));
    assert_int_equal(firn_entity_count(used), 1);
    const uint64_t one = UINT64_C(1) << FIRN_SLOT_BITS;
    assert_int_equal(zoo_spawn(fresh, NULL, 0), 1 + one);
    assert_int_equal(zoo_spawn(fresh, NULL, 0), 3 + one);
    assert_int_equal(zoo_spawn(fresh, NULL, 0), 4);
    assert_int_equal(zoo_spawn(used, NULL, 0), 1 + 6 * one);
    assert_int_equal(zoo_spawn(used, NULL, 0), 3 + 2 * one);
    assert_int_equal(zoo_spawn(used, NULL, 0), 4);
    free(image.data);
    firn_world_destroy(fresh);
    firn_world_destroy(used);
}

static void T4_a_save_without_world_data_keeps_the_name_and_has_tick_0(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = {0};
    image.data = test_from_hex(foreign_hex, &image.size);
    firn_world *world = firn_world_create(&(firn_world_desc){.name = "kept"}, &err);
    assert_ok(firn_world_set_tick(world, 9, &err), &err);
    zoo_load(world, &image);
    assert_string_equal(firn_world_name(world), "kept");
    assert_int_equal(firn_world_tick(world), 0);
    free(image.data);
    firn_world_destroy(world);
}

static void T4_queries_made_before_a_load_see_the_loaded_rows_in_order(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false), other = zoo_make(NULL, true);
    firn_error err;
    zoo_fill(&z);
    zoo_litter(&other);
    zoo *both[] = {&z, &other};
    firn_query queries[2];
    for (int i = 0; i < 2; i++) {
        firn_term term = {both[i]->of[ZOO_POINT], FIRN_WITH, true, 0};
        firn_query_desc desc = {.terms = &term, .term_count = 1};
        queries[i] = firn_query_create(both[i]->world, &desc, &err);
    }
    firn_buffer image = zoo_save(z.world);
    zoo_load(other.world, &image);
    firn_iter a, b;
    firn_iter_begin(z.world, queries[0], &a);
    firn_iter_begin(other.world, queries[1], &b);
    uint32_t rows = 0;
    while (firn_iter_next(&a)) {
        assert_true(firn_iter_next(&b));
        assert_int_equal(a.count, b.count);
        assert_memory_equal(a.entities, b.entities, a.count * sizeof *a.entities);
        assert_memory_equal(a.columns[0], b.columns[0], a.count * sizeof(zoo_point));
        rows += a.count;
    }
    assert_false(firn_iter_next(&b));
    assert_int_equal(rows, firn_query_count(other.world, queries[1]));
    assert_int_not_equal(rows, 0);
    assert_ok(firn_iter_end(&a, &err), &err);
    assert_ok(firn_iter_end(&b, &err), &err);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
    firn_world_destroy(other.world);
}

// ---- rows

static void T5_components_of_every_kind_come_back(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false), other = zoo_make(NULL, true);
    firn_error err;
    firn_component names = firn_name(z.world),
                   tags[] = {firn_disabled(z.world), firn_paused(z.world), z.of[ZOO_TAG]};
    firn_entity entity = zoo_spawn(z.world, tags, 3), plain = zoo_spawn(z.world, NULL, 0);
    size_t size = 1 << 20;
    char *big = malloc(size);
    assert_non_null(big);
    memset(big, 0, size);
    big[size - 1] = 'x';
    zoo_body body;
    memset(&body, 0, sizeof body);
    body = (zoo_body){.mass = -0.0,
                      .i8 = INT8_MIN,
                      .u16 = UINT16_MAX,
                      .awake = true,
                      .i64 = INT64_MIN,
                      .u64 = UINT64_MAX,
                      .label = {'a', 0, 'b'},
                      .path = {{1, 2}, {3, 4}, {5, 6}},
                      .target = plain,
                      .target_number = (double)entity,
                      .doors = {true, false, true}};
    bool flag = true;
    double score = 0x1p-1074;
    assert_ok(firn_set(z.world, entity, z.of[ZOO_BODY], &body, &err), &err);
    assert_ok(firn_set(z.world, entity, z.of[ZOO_FLAG], &flag, &err), &err);
    assert_ok(firn_set(z.world, entity, z.of[ZOO_SCORE], &score, &err), &err);
    assert_ok(firn_set_string(z.world, entity, z.of[ZOO_TITLE], big, size, &err), &err);
    assert_ok(firn_set_string(z.world, entity, names, "\0zero\0", 6, &err), &err);
    firn_buffer image = zoo_save(z.world);
    zoo_load(other.world, &image);

    firn_world *world = other.world;
    const zoo_body *row = firn_get(world, entity, other.of[ZOO_BODY]);
    assert_non_null(row);
    assert_int_equal((uintptr_t)row % 64, 0);
    assert_memory_equal(&row->mass, &body.mass, sizeof body.mass);
    assert_int_equal(row->i8, INT8_MIN);
    assert_int_equal(row->u16, UINT16_MAX);
    assert_int_equal(row->i64, INT64_MIN);
    assert_true(row->u64 == UINT64_MAX);
    assert_memory_equal(row->label, body.label, sizeof body.label);
    assert_memory_equal(row->path, body.path, sizeof body.path);
    assert_int_equal(row->target, plain);
    assert_true(row->target_number == (double)entity);
    assert_true(row->awake && row->doors[0] && !row->doors[1] && row->doors[2]);
    assert_true(*(const bool *)firn_get(world, entity, other.of[ZOO_FLAG]));
    assert_memory_equal(firn_get(world, entity, other.of[ZOO_SCORE]), &score, sizeof score);
    size_t got;
    const char *text = firn_get_string(world, entity, other.of[ZOO_TITLE], &got);
    assert_int_equal(got, size);
    assert_memory_equal(text, big, size);
    text = firn_get_string(world, entity, firn_name(world), &got);
    assert_int_equal(got, 6);
    assert_memory_equal(text, "\0zero\0", 6);
    assert_true(firn_has(world, entity, firn_disabled(world)));
    assert_true(firn_has(world, entity, firn_paused(world)));
    assert_true(firn_has(world, entity, other.of[ZOO_TAG]));
    assert_int_equal(firn_entity_components(world, plain, NULL, 0), 0);
    free(big);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
    firn_world_destroy(other.world);
}

static void T5_numbers_cross_bit_for_bit(void **state)
{
    (void)state;
    static const uint64_t bits[] = {
        UINT64_C(0x7ff8000000000000),
        UINT64_C(0xfff8000000000000),
        UINT64_C(0x7ff0000000000000),
        UINT64_C(0x8000000000000000),
        UINT64_C(1),
    };
    static const uint32_t floats[] = {0x7fc00001, 0xffc12345, 0x7f800000, 0x80000000, 1};
    zoo z = zoo_make(NULL, false), other = zoo_make(NULL, false);
    firn_error err;
    for (int i = 0; i < 5; i++) {
        firn_entity entity = zoo_spawn(z.world, NULL, 0);
        zoo_point point;
        memcpy(&point.x, &floats[i], 4);
        memcpy(&point.y, &floats[4 - i], 4);
        assert_ok(firn_set(z.world, entity, z.of[ZOO_SCORE], &bits[i], &err), &err);
        assert_ok(firn_set(z.world, entity, z.of[ZOO_POINT], &point, &err), &err);
    }
    firn_buffer image = zoo_save(z.world);
    zoo_load(other.world, &image);
    for (uint64_t id = 1; id <= 5; id++) {
        assert_memory_equal(firn_get(other.world, id, other.of[ZOO_POINT]),
                            firn_get(z.world, id, z.of[ZOO_POINT]), sizeof(zoo_point));
        // The sign of a NaN is no number: firn writes one NaN.
        if (id != 2)
            assert_memory_equal(firn_get(other.world, id, other.of[ZOO_SCORE]), &bits[id - 1], 8);
    }
    assert_saves_as(other.world, &image);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
    firn_world_destroy(other.world);
}

static void T4_name_and_tick_of_the_world_come_back(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = firn_world_create(&(firn_world_desc){.name = "Frühling"}, &err);
    firn_world *other = firn_world_create(&(firn_world_desc){.name = "other"}, &err);
    assert_ok(firn_world_set_tick(world, UINT64_C(1) << 53, &err), &err);
    firn_buffer image = zoo_save(world);
    zoo_load(other, &image);
    assert_string_equal(firn_world_name(other), "Frühling");
    assert_int_equal(firn_world_tick(other), UINT64_C(1) << 53);
    assert_saves_as(other, &image);
    firn_buffer_free(&image);
    firn_world_destroy(world);
    firn_world_destroy(other);
}

// ---- what the game knows and the save does not, and the other way round

// A world with zoo.Point and one component that another world may not have.
typedef struct half {
    firn_world *world;
    firn_component point, extra;
} half;

static half half_make(const firn_component_desc *extra)
{
    half h = {.world = zoo_empty(NULL)};
    firn_component_desc point = zoo_desc(ZOO_POINT);
    h.point = zoo_register(h.world, &point);
    if (extra != NULL)
        h.extra = zoo_register(h.world, extra);
    return h;
}

static void an_unknown_component_fails_the_load_and_is_named(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    half h = half_make(NULL);
    zoo_spawn_one(h.world, h.point);
    firn_buffer image = zoo_save(z.world), before = zoo_save(h.world);
    firn_error err;
    firn_load_report report;
    firn_load_options options = {.skip_unknown = false};
    assert_int_equal(firn_snapshot_load(h.world, image.data, image.size, &options, &report, &err),
                     FIRN_UNKNOWN);
    zoo_notes notes = zoo_take_notes(&report);
    assert_error(&err, FIRN_UNKNOWN, "zoo.Bag");
    assert_false(report.committed);
    assert_int_equal(report.unknown, ZOO_KINDS - 1);
    assert_int_equal(notes.count, ZOO_KINDS - 1);
    assert_note(&notes, FIRN_NOTICE_UNKNOWN, "zoo.Tag", "", 2);
    assert_note(&notes, FIRN_NOTICE_UNKNOWN, "zoo.Body", "", 3);
    assert_saves_as(h.world, &before);

    options.skip_unknown = true;
    assert_ok(firn_snapshot_load(h.world, image.data, image.size, &options, &report, &err), &err);
    notes = zoo_take_notes(&report);
    assert_true(report.committed);
    assert_int_equal(report.unknown, ZOO_KINDS - 1);
    assert_int_equal(notes.count, ZOO_KINDS - 1);
    assert_int_equal(firn_entity_count(h.world), 9);
    for (uint64_t id = 1; id <= 12; id++) {
        const void *row = firn_get(z.world, id, z.of[ZOO_POINT]);
        const void *loaded = firn_get(h.world, id, h.point);
        assert_int_equal(row == NULL, loaded == NULL);
        if (row != NULL)
            assert_memory_equal(row, loaded, sizeof(zoo_point));
    }
    firn_buffer_free(&image);
    firn_buffer_free(&before);
    firn_world_destroy(z.world);
    firn_world_destroy(h.world);
}

static void T14_a_transient_component_is_not_saved_and_its_entity_is(void **state)
{
    (void)state;
    firn_component_desc extra = zoo_desc(ZOO_TITLE);
    extra.transient = true;
    half h = half_make(&extra), plain = half_make(NULL);
    firn_component both[] = {h.point, h.extra};
    zoo_spawn(h.world, both, 2);
    zoo_spawn_one(h.world, h.point);
    zoo_spawn_one(plain.world, plain.point);
    zoo_spawn_one(plain.world, plain.point);
    firn_buffer image = zoo_save(plain.world);
    firn_hash before = zoo_hash(h.world);
    assert_int_equal(before.entities, zoo_hash(plain.world).entities);
    firn_error err;
    assert_ok(firn_remove(h.world, 1, &h.extra, 1, &err), &err);
    firn_buffer without = zoo_save(h.world);
    // Rows stand by archetype, so the order may differ; what is saved of them does not.
    zoo_load(plain.world, &without);
    assert_int_equal(firn_entity_count(plain.world), 2);
    assert_non_null(firn_get(plain.world, 1, plain.point));
    firn_buffer_free(&image);
    firn_buffer_free(&without);
    firn_world_destroy(h.world);
    firn_world_destroy(plain.world);
}

// Rows of several archetypes that differ in what is not saved share a frame.
static void T14_a_world_with_transient_columns_is_exact_from_its_first_load_on(void **state)
{
    (void)state;
    firn_component_desc extra = zoo_desc(ZOO_TITLE);
    extra.transient = true;
    half h = half_make(&extra), plain = half_make(NULL);
    firn_component both[] = {h.point, h.extra};
    for (int i = 0; i < 6; i++)
        zoo_spawn(h.world, both, i % 2 == 0 ? 2 : 1);
    firn_buffer image = zoo_save(h.world);
    firn_hash live = zoo_hash(h.world);
    zoo_load(h.world, &image);
    zoo_load(plain.world, &image);
    assert_saves_as(h.world, &image);
    assert_saves_as(plain.world, &image);
    assert_int_equal(zoo_hash(plain.world).total, live.total);
    assert_int_equal(firn_image_check(image.data, image.size, NULL, NULL, NULL), FIRN_OK);
    firn_buffer_free(&image);
    firn_world_destroy(h.world);
    firn_world_destroy(plain.world);
}

static void T14_what_is_saved_and_transient_now_is_left_out_and_told(void **state)
{
    (void)state;
    firn_component_desc extra = zoo_desc(ZOO_TITLE);
    half durable = half_make(&extra);
    extra.transient = true;
    half transient = half_make(&extra);
    firn_component both[] = {durable.point, durable.extra};
    zoo_spawn(durable.world, both, 2);
    zoo_spawn(durable.world, both, 2);
    firn_buffer image = zoo_save(durable.world);
    firn_load_report report;
    firn_error err;
    assert_ok(firn_snapshot_load(transient.world, image.data, image.size, NULL, &report, &err),
              &err);
    zoo_notes notes = zoo_take_notes(&report);
    assert_int_equal(notes.count, 1);
    assert_note(&notes, FIRN_NOTICE_TRANSIENT, "zoo.Title", "", 2);
    assert_false(firn_has(transient.world, 1, transient.extra));
    assert_true(firn_has(transient.world, 2, transient.point));
    firn_buffer_free(&image);
    firn_world_destroy(durable.world);
    firn_world_destroy(transient.world);
}

// ---- pending changes

static void deferred_changes_are_dropped_by_a_load_and_counted(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    zoo z = zoo_make(&memory, false);
    zoo_fill(&z);
    firn_error err;
    firn_buffer image = zoo_save(z.world);
    firn_query_desc all = {.name = "all"};
    firn_query query = firn_query_create(z.world, &all, &err);
    firn_iter it;
    firn_iter_begin(z.world, query, &it);
    firn_entity reserved = zoo_spawn_one(z.world, z.of[ZOO_TITLE]);
    assert_ok(firn_set_text(z.world, 1, z.of[ZOO_TITLE], "a title that is long enough", &err),
              &err);
    test_allocator_fail_at(&memory, 1, true);
    assert_int_equal(firn_iter_end(&it, &err), FIRN_NO_MEMORY);
    // A load that fails keeps them.
    assert_int_equal(firn_snapshot_load(z.world, image.data, image.size, NULL, NULL, &err),
                     FIRN_NO_MEMORY);
    assert_int_equal(firn_pending(z.world), 2);
    assert_true(firn_alive(z.world, reserved));
    test_allocator_fail_at(&memory, 0, false);
    firn_load_report report;
    assert_ok(firn_snapshot_load(z.world, image.data, image.size, NULL, &report, &err), &err);
    assert_int_equal(report.discarded, 2);
    zoo_notes notes = zoo_take_notes(&report);
    assert_note(&notes, FIRN_NOTICE_DISCARDED, "", "", 2);
    assert_int_equal(firn_pending(z.world), 0);
    assert_false(firn_alive(z.world, reserved));
    assert_saves_as(z.world, &image);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
    assert_no_leak(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T2_a_load_leaves_the_image_as_it_is),
        cmocka_unit_test(T2_an_image_may_stand_at_any_address),
        cmocka_unit_test(T4_ids_free_list_and_next_ids_are_those_of_the_save),
        cmocka_unit_test(T4_a_slot_of_the_last_generation_is_never_used_again),
        cmocka_unit_test(T4_a_long_free_list_comes_back_in_order),
        cmocka_unit_test(T4_a_save_without_a_free_list_keeps_the_higher_generation_of_each_slot),
        cmocka_unit_test(T4_a_save_without_world_data_keeps_the_name_and_has_tick_0),
        cmocka_unit_test(T4_queries_made_before_a_load_see_the_loaded_rows_in_order),
        cmocka_unit_test(T5_components_of_every_kind_come_back),
        cmocka_unit_test(T5_numbers_cross_bit_for_bit),
        cmocka_unit_test(T4_name_and_tick_of_the_world_come_back),
        cmocka_unit_test(an_unknown_component_fails_the_load_and_is_named),
        cmocka_unit_test(T14_a_transient_component_is_not_saved_and_its_entity_is),
        cmocka_unit_test(T14_a_world_with_transient_columns_is_exact_from_its_first_load_on),
        cmocka_unit_test(T14_what_is_saved_and_transient_now_is_left_out_and_told),
        cmocka_unit_test(deferred_changes_are_dropped_by_a_load_and_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
