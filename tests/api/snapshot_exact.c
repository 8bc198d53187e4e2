// Saves are exact: the same world gives the same bytes, and a loaded one goes on as the saved one.
#define _POSIX_C_SOURCE 200809L // popen
#include "api/snapshot_zoo.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void T1_a_save_is_an_image_that_checks(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_buffer image = zoo_save(z.world);
    firn_error err;
    firn_prelude prelude;
    assert_ok(firn_image_check(image.data, image.size, NULL, &prelude, &err), &err);
    assert_int_equal(prelude.version, 1);
    assert_int_equal(prelude.entity_count, 9);
    assert_int_equal(prelude.next_slot, 13);
    assert_int_equal(prelude.component_count, ZOO_KINDS + 3);
    assert_int_equal(prelude.data_count, 2);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

static void T1_a_save_of_an_empty_world_loads(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    firn_buffer image = zoo_save(z.world);
    zoo_fill(&z);
    firn_load_report report = zoo_load(z.world, &image);
    assert_int_equal(report.prelude.entity_count, 0);
    assert_int_equal(firn_entity_count(z.world), 0);
    assert_saves_as(z.world, &image);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

static void T4_save_of_a_load_gives_the_same_bytes_in_any_world(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    zoo z = zoo_make(&memory, false);
    zoo_fill(&z);
    firn_buffer image = zoo_save(z.world);
    zoo fresh = zoo_make(&memory, false), dirty = zoo_make(&memory, false);
    zoo backwards = zoo_make(&memory, true);
    zoo_litter(&dirty);
    zoo_load(z.world, &image);
    zoo_load(fresh.world, &image);
    zoo_load(dirty.world, &image);
    zoo_load(backwards.world, &image);
    assert_saves_as(z.world, &image);
    assert_saves_as(fresh.world, &image);
    assert_saves_as(dirty.world, &image);
    assert_saves_as(backwards.world, &image);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
    firn_world_destroy(fresh.world);
    firn_world_destroy(dirty.world);
    firn_world_destroy(backwards.world);
    assert_no_leak(&memory);
}

static void T4_another_order_of_registration_gives_the_same_bytes(void **state)
{
    (void)state;
    zoo forward = zoo_make(NULL, false), backward = zoo_make(NULL, true);
    firn_component_desc unused = {.name = "zoo.Unused", .kind = FIRN_TAG};
    zoo_register(forward.world, &unused);
    zoo_fill(&forward);
    zoo_fill(&backward);
    firn_buffer image = zoo_save(forward.world);
    assert_saves_as(backward.world, &image);
    assert_memory_equal(&(firn_hash[]){zoo_hash(forward.world)},
                        &(firn_hash[]){zoo_hash(backward.world)}, sizeof(firn_hash));
    firn_buffer_free(&image);
    firn_world_destroy(forward.world);
    firn_world_destroy(backward.world);
}

// The same state by another way: other sets of components in between, other rows before.
static void T4_another_history_with_the_same_end_gives_the_same_bytes(void **state)
{
    (void)state;
    zoo plain = zoo_make(NULL, false), winding = zoo_make(NULL, false);
    firn_error err;
    zoo_point point = {1, 2};
    for (uint32_t i = 0; i < 3; i++) {
        firn_entity a = zoo_spawn_one(plain.world, plain.of[ZOO_POINT]);
        assert_ok(firn_set(plain.world, a, plain.of[ZOO_POINT], &point, &err), &err);
        firn_entity b = zoo_spawn(winding.world, NULL, 0);
        assert_int_equal(a, b);
        assert_ok(firn_add(winding.world, b, &winding.of[ZOO_TAG], 1, &err), &err);
        assert_ok(firn_set_text(winding.world, b, winding.of[ZOO_TITLE], "gone again later", &err),
                  &err);
        assert_ok(firn_set(winding.world, b, winding.of[ZOO_POINT], &point, &err), &err);
    }
    firn_query_desc all = {0};
    firn_query query = firn_query_create(winding.world, &all, &err);
    assert_int_not_equal(query, 0);
    firn_iter it;
    firn_iter_begin(winding.world, query, &it);
    while (firn_iter_next(&it))
        for (uint32_t i = 0; i < it.count; i++)
            assert_ok(firn_remove(winding.world, it.entities[i], &winding.of[ZOO_TITLE], 1, &err),
                      &err);
    assert_ok(firn_iter_end(&it, &err), &err);
    for (uint64_t slot = 1; slot <= 3; slot++)
        assert_ok(firn_remove(winding.world, slot, &winding.of[ZOO_TAG], 1, &err), &err);
    firn_buffer image = zoo_save(plain.world);
    assert_saves_as(winding.world, &image);
    firn_buffer_free(&image);
    firn_world_destroy(plain.world);
    firn_world_destroy(winding.world);
}

static void pad(zoo_gap *gap, zoo_body *body, int byte)
{
    memset(gap, byte, sizeof *gap);
    memset(body, byte, sizeof *body);
    gap->a = 1;
    gap->b = 2;
    body->mass = 1;
    body->i8 = 1;
    body->i16 = 1;
    body->u16 = 2;
    body->u8 = 2;
    body->awake = true;
    body->i64 = 3;
    body->i32 = 3;
    body->u64 = 4;
    body->u32 = 4;
    memset(body->label, 'x', sizeof body->label);
    body->home = body->path[0] = body->path[1] = body->path[2] = (zoo_point){1, 2};
    body->target = 1;
    body->target_number = 1;
    body->doors[0] = body->doors[1] = body->doors[2] = false;
}

static void T12_padding_reaches_neither_bytes_nor_hash(void **state)
{
    (void)state;
    zoo worlds[2] = {zoo_make(NULL, false), zoo_make(NULL, false)};
    firn_error err;
    for (int w = 0; w < 2; w++) {
        zoo_gap gap;
        zoo_body body;
        pad(&gap, &body, w == 0 ? 0xaa : 0x55);
        for (int i = 0; i < 3; i++) {
            firn_entity entity = zoo_spawn(worlds[w].world, NULL, 0);
            assert_ok(firn_set(worlds[w].world, entity, worlds[w].of[ZOO_GAP], &gap, &err), &err);
            assert_ok(firn_set(worlds[w].world, entity, worlds[w].of[ZOO_BODY], &body, &err), &err);
            memset((char *)firn_get_mut(worlds[w].world, entity, worlds[w].of[ZOO_GAP]) + 6,
                   w == 0 ? 0xaa : 0x55, 2);
        }
    }
    firn_buffer image = zoo_save(worlds[0].world);
    assert_saves_as(worlds[1].world, &image);
    assert_int_equal(zoo_hash(worlds[0].world).total, zoo_hash(worlds[1].world).total);
    firn_buffer_free(&image);
    firn_world_destroy(worlds[0].world);
    firn_world_destroy(worlds[1].world);
}

// ---- a simulation that changes everything all the time

typedef struct churn {
    zoo z;
    test_random random;
    firn_query everything;
} churn;

static churn churn_begin(test_allocator *memory, bool backwards)
{
    firn_error err;
    churn c = {.z = zoo_make(memory, backwards), .random = {42}};
    firn_component disabled = firn_disabled(c.z.world);
    firn_term terms[] = {{disabled, FIRN_OPTIONAL, true, 0},
                         {c.z.of[ZOO_POINT], FIRN_OPTIONAL, false, 0}};
    firn_query_desc desc = {.name = "everything", .terms = terms, .term_count = 2};
    c.everything = firn_query_create(c.z.world, &desc, &err);
    if (c.everything == 0)
        fail_msg("no query: %s", err.message);
    return c;
}

// One change, drawn from the generator, of an entity in a loop. Changes are deferred.
static void churn_entity(churn *c, firn_entity entity)
{
    firn_error err;
    firn_world *world = c->z.world;
    firn_component component = c->z.of[test_random_below(&c->random, ZOO_KINDS)];
    firn_component disabled = firn_disabled(world);
    char text[32];
    switch (test_random_below(&c->random, 9)) {
    case 0:
        assert_ok(firn_despawn(world, entity, &err), &err);
        break;
    case 1:
    case 2:
        assert_ok(firn_add(world, entity, &component, 1, &err), &err);
        break;
    case 3:
        assert_ok(firn_remove(world, entity, &component, 1, &err), &err);
        break;
    case 4:
        assert_int_not_equal(firn_spawn(world, &component, 1, &err), 0);
        break;
    case 5:
        snprintf(text, sizeof text, "name %u", test_random_below(&c->random, 1000000));
        assert_ok(firn_set_text(world, entity, firn_name(world), text, &err), &err);
        break;
    case 6:
        if (firn_has(world, entity, disabled))
            assert_ok(firn_remove(world, entity, &disabled, 1, &err), &err);
        else
            assert_ok(firn_add(world, entity, &disabled, 1, &err), &err);
        break;
    default:
        break;
    }
}

static void churn_step(churn *c)
{
    firn_error err;
    firn_iter it;
    if (firn_entity_count(c->z.world) < 50)
        assert_ok(firn_spawn_many(c->z.world, &c->z.of[ZOO_POINT], 1, 20, NULL, &err), &err);
    firn_iter_begin(c->z.world, c->everything, &it);
    while (firn_iter_next(&it))
        for (uint32_t i = 0; i < it.count; i++) {
            zoo_point *points = it.columns[1];
            if (points != NULL)
                points[i].x += (float)test_random_real(&c->random);
            if (test_random_below(&c->random, 4) == 0)
                churn_entity(c, it.entities[i]);
        }
    assert_ok(firn_iter_end(&it, &err), &err);
    assert_ok(firn_world_set_tick(c->z.world, firn_world_tick(c->z.world) + 1, &err), &err);
}

static void churn_steps(churn *c, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++)
        churn_step(c);
}

static void T4_steps_load_and_more_steps_are_all_the_steps(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    churn direct = churn_begin(&memory, false);
    churn_steps(&direct, 40);
    firn_buffer middle = zoo_save(direct.z.world);
    test_random random = direct.random;
    churn_steps(&direct, 60);
    firn_buffer end = zoo_save(direct.z.world);

    // Into the same world, which is 60 steps ahead; a fresh one; one that went another way.
    churn fresh = churn_begin(&memory, true), dirty = churn_begin(&memory, false);
    dirty.random.state = 4711;
    churn_steps(&dirty, 77);
    churn *all[] = {&direct, &fresh, &dirty};
    for (int i = 0; i < 3; i++) {
        zoo_load(all[i]->z.world, &middle);
        assert_int_equal(firn_world_tick(all[i]->z.world), 40);
        all[i]->random = random;
        churn_steps(all[i], 60);
        assert_saves_as(all[i]->z.world, &end);
        firn_world_destroy(all[i]->z.world);
    }
    firn_buffer_free(&middle);
    firn_buffer_free(&end);
    assert_no_leak(&memory);
}

// A load that cannot succeed: cut off, changed, or without memory.
static void fail_to_load(firn_world *world, test_allocator *memory, const firn_buffer *image,
                         test_random *random)
{
    firn_error err;
    uint32_t way = test_random_below(random, 3);
    size_t size = image->size;
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    memcpy(bytes, image->data, size);
    if (way == 0)
        size = test_random_below(random, (uint32_t)size);
    else if (way == 1)
        bytes[size - 1] = 0x77; // the end of the data section
    else
        test_allocator_fail_at(memory, 1 + test_random_below(random, 60), true);
    firn_load_report report;
    firn_result result = firn_snapshot_load(world, bytes, size, NULL, &report, &err);
    firn_load_report_free(&report);
    test_allocator_fail_at(memory, 0, false);
    assert_int_not_equal(result, FIRN_OK);
    assert_false(report.committed);
    free(bytes);
}

// A save of another writer has no free list: slots 1 to 3 were used, and one of them lives.
static firn_buffer image_of_one(double id)
{
    firn_buffer image = {0};
    image.data = test_from_hex("07 00*6 f03f 07 00*6 1040 07 00*6 f03f 07 00*6 f03f 07 00*8 "
                               "07 00*8 07 00*6 f03f 07 00*8 00*8 01",
                               &image.size);
    uint64_t bits;
    memcpy(&bits, &id, sizeof bits);
    for (int i = 0; i < 8; i++)
        image.data[image.size - 9 + (size_t)i] = (uint8_t)(bits >> 8 * i);
    return image;
}

static void T4_a_slot_without_generations_stays_retired_when_no_free_list_comes(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    const uint64_t last = ((uint64_t)FIRN_GENERATION_MAX << FIRN_SLOT_BITS) + 1;
    firn_buffer image = image_of_one((double)last);
    zoo_load(world, &image);
    assert_ok(firn_despawn(world, last, &err), &err);
    free(image.data);
    image = image_of_one(2);
    zoo_load(world, &image);
    assert_int_equal(zoo_spawn(world, NULL, 0) % (UINT64_C(1) << FIRN_SLOT_BITS), 3);
    assert_int_equal(zoo_spawn(world, NULL, 0), 4);
    free(image.data);
    firn_world_destroy(world);
}

static void N12_failed_loads_between_the_steps_leave_no_trace(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    test_random random = {9};
    churn other = churn_begin(NULL, false);
    other.random.state = 77;
    churn_steps(&other, 50);
    firn_buffer image = zoo_save(other.z.world);
    churn calm = churn_begin(NULL, false), troubled = churn_begin(&memory, true);
    for (int i = 0; i < 60; i++) {
        churn_step(&calm);
        churn_step(&troubled);
        fail_to_load(troubled.z.world, &memory, &image, &random);
        assert_int_equal(firn_query_count(calm.z.world, calm.everything),
                         firn_query_count(troubled.z.world, troubled.everything));
    }
    firn_buffer end = zoo_save(calm.z.world);
    assert_saves_as(troubled.z.world, &end);
    firn_buffer_free(&end);
    firn_buffer_free(&image);
    firn_world_destroy(other.z.world);
    firn_world_destroy(calm.z.world);
    firn_world_destroy(troubled.z.world);
    assert_no_leak(&memory);
}

// ---- another process

static void T1_two_processes_write_the_same_bytes(void **state)
{
    const char *own_path = *state;
    churn c = churn_begin(NULL, false);
    churn_steps(&c, 30);
    firn_buffer image = zoo_save(c.z.world);
    const char *launcher = getenv("FIRN_TEST_LAUNCHER"); // an emulator, perhaps
    char command[4096];
    int size =
        snprintf(command, sizeof command, "%s '%s' --save", launcher ? launcher : "", own_path);
    assert_true(size < (int)sizeof command);
    FILE *other = popen(command, "r");
    assert_non_null(other);
    uint8_t *bytes = malloc(image.size + 1);
    assert_non_null(bytes);
    size_t got = fread(bytes, 1, image.size + 1, other);
    assert_int_equal(pclose(other), 0);
    assert_int_equal(got, image.size);
    assert_memory_equal(bytes, image.data, got);
    free(bytes);
    firn_buffer_free(&image);
    firn_world_destroy(c.z.world);
}

// An id as it stands in an image: little-endian.
static void id_bytes(double number, uint8_t *out)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    for (unsigned i = 0; i < 8; i++)
        out[i] = (uint8_t)(bits >> 8 * i);
}

// Where the id stands in an image; a column of ids is plain doubles.
static size_t find_id(const firn_buffer *image, firn_entity id)
{
    uint8_t wire[8];
    id_bytes((double)id, wire);
    size_t at = 0;
    while (at + sizeof wire <= image->size && memcmp(image->data + at, wire, sizeof wire) != 0)
        at++;
    assert_true(at + sizeof wire <= image->size);
    return at;
}

static void patch_id(const firn_buffer *image, firn_entity id, double number)
{
    id_bytes(number, image->data + find_id(image, id));
}

// Many ids are converted at a time; what does not fit that way is as right, or as wrong, as alone.
static void T4_ids_of_every_generation_load_from_a_long_column(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    assert_ok(firn_spawn_many(world, NULL, 0, 3000, NULL, &err), &err);
    firn_buffer good = zoo_save(world);
    const firn_entity high = ((uint64_t)FIRN_GENERATION_MAX << FIRN_SLOT_BITS) | 2000;
    patch_id(&good, 2000, (double)high);
    zoo_load(world, &good);
    assert_true(firn_alive(world, high));
    assert_false(firn_alive(world, 2000));
    assert_saves_as(world, &good);

    const double wrong[] = {999,
                            0,
                            -7,
                            2001.5,
                            3001,
                            (double)NAN,
                            4194304,
                            1e300,
                            -1e300,
                            9007199254740992.0,
                            4503599623176192.0};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        firn_buffer bad = {0};
        assert_ok(firn_buffer_append(&bad, good.data, good.size, &err), &err);
        patch_id(&bad, 1001, wrong[i]);
        assert_int_equal(firn_snapshot_load(world, bad.data, bad.size, NULL, NULL, &err),
                         FIRN_CORRUPT);
        assert_error(&err, FIRN_CORRUPT, "ids");
        assert_int_equal(err.offset, find_id(&good, 1001));
        firn_buffer_free(&bad);
        assert_saves_as(world, &good);
    }
    firn_buffer_free(&good);
    firn_world_destroy(world);
}

// What the other process does: the components in another order, the image on its output.
static int save_to_output(void)
{
    churn c = churn_begin(NULL, true);
    churn_steps(&c, 30);
    firn_buffer image = zoo_save(c.z.world);
    bool done = fwrite(image.data, 1, image.size, stdout) == image.size && fflush(stdout) == 0;
    firn_buffer_free(&image);
    firn_world_destroy(c.z.world);
    return done ? 0 : 1;
}

// Longer than what a save prepares at a time, with values that are longer than that by themselves.
static void T12_long_columns_of_encoded_values_come_back(void **state)
{
    (void)state;
    static char text[70000];
    zoo z = zoo_make(NULL, false), other = zoo_make(NULL, true);
    firn_component kinds[] = {z.of[ZOO_FLAG], z.of[ZOO_SCORE], z.of[ZOO_TITLE]};
    firn_error err;
    memset(text, 'x', sizeof text);
    for (uint32_t i = 0; i < 20000; i++) {
        firn_entity entity = zoo_spawn(z.world, kinds, 3);
        double score = i;
        uint32_t length = i % 5000 == 4999 ? 69000 + i / 5000 : i % 40;
        text[length] = 0;
        assert_ok(firn_set_text(z.world, entity, z.of[ZOO_TITLE], text, &err), &err);
        assert_ok(firn_set(z.world, entity, z.of[ZOO_SCORE], &score, &err), &err);
        text[length] = 'x';
    }
    firn_buffer plain = zoo_save(z.world);
    for (uint32_t version = 1; version <= 2; version++) {
        firn_buffer image = zoo_save_with(z.world, &(firn_save_options){.wire_version = version});
        zoo_load(other.world, &image);
        assert_saves_as(other.world, &plain);
        assert_int_equal(zoo_hash(other.world).total, zoo_hash(z.world).total);
        for (uint32_t i = 0; i < 20000; i += 4999) {
            size_t length = 0;
            const double *score = firn_get(other.world, i + 1, other.of[ZOO_SCORE]);
            const char *title = firn_get_string(other.world, i + 1, other.of[ZOO_TITLE], &length);
            assert_true(score != NULL && *score == i && title != NULL);
            assert_int_equal(length, i % 5000 == 4999 ? 69000 + i / 5000 : i % 40);
            assert_true(length == 0 || title[length - 1] == 'x');
        }
        firn_buffer_free(&image);
    }
    firn_buffer_free(&plain);
    firn_world_destroy(z.world);
    firn_world_destroy(other.world);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T12_long_columns_of_encoded_values_come_back),
        cmocka_unit_test(T1_a_save_is_an_image_that_checks),
        cmocka_unit_test(T1_a_save_of_an_empty_world_loads),
        cmocka_unit_test(T4_save_of_a_load_gives_the_same_bytes_in_any_world),
        cmocka_unit_test(T4_another_order_of_registration_gives_the_same_bytes),
        cmocka_unit_test(T4_another_history_with_the_same_end_gives_the_same_bytes),
        cmocka_unit_test(T12_padding_reaches_neither_bytes_nor_hash),
        cmocka_unit_test(T4_steps_load_and_more_steps_are_all_the_steps),
        cmocka_unit_test(T4_a_slot_without_generations_stays_retired_when_no_free_list_comes),
        cmocka_unit_test(N12_failed_loads_between_the_steps_leave_no_trace),
        cmocka_unit_test(T4_ids_of_every_generation_load_from_a_long_column),
        cmocka_unit_test_prestate(T1_two_processes_write_the_same_bytes, arguments[0]),
    };
    if (count > 1 && strcmp(arguments[1], "--save") == 0)
        return save_to_output();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
