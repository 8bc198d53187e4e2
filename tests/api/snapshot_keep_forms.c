// What is kept in the other forms of a save, and entries of data for handlers that come later.
#include "api/snapshot_zoo.h"

#include <stdlib.h>
#include <string.h>

static void keep_only(firn_world *world, const firn_buffer *image)
{
    firn_error err;
    firn_load_options options = {.keep_unknown = true};
    assert_ok(firn_snapshot_load(world, image->data, image->size, &options, NULL, &err), &err);
}

// An image of components A and B, of two and three bytes a row that nobody understands: entity 1
// has both, entity 2 has A and a row that looks like no string.
static firn_buffer opaque_image(void)
{
    firn_error err;
    firn_buffer image = {0};
    static const char hex[] =
        "07 000000000000f03f 07 0000000000000840 07 0000000000000040 07 0000000000000040 "
        "07 0000000000000040 21 41 27 783a7665637c32 21 42 27 793a7665637c33 "
        "07 000000000000f03f 07 000000000000f03f 07 000000000000f03f 07 0000000000000000 "
        "0000000000000040 00ff "
        "07 0000000000000040 07 000000000000f03f 07 000000000000f03f 07 0000000000000040 "
        "07 0000000000000000 000000000000f03f 6162 0d0a00 "
        "02 2c 5f5f6669726e2e776f726c64 09 01 24 7469636b 07 0000000000000000 01";
    size_t size;
    uint8_t *bytes = test_from_hex(hex, &size);
    assert_ok(firn_buffer_append(&image, bytes, size, &err), &err);
    free(bytes);
    return image;
}

static void F7_rows_that_nobody_understands_stand_in_the_table_form(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = opaque_image();
    firn_world *world = zoo_empty(NULL), *other = zoo_empty(NULL);
    keep_only(world, &image);
    assert_saves_as(world, &image);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *table = NULL;
    assert_ok(firn_snapshot_save_table(world, NULL, doc, &table, &err), &err);
    const firn_value *entry =
        firn_table_get_number(firn_table_get_text(table, "componentTable"), 2);
    const firn_value *fingerprint = firn_table_get_text(entry, "fingerprint");
    assert_true(fingerprint != NULL && fingerprint->length == 7);
    assert_memory_equal(fingerprint->as.string, "y:vec|3", 7);
    firn_load_options options = {.keep_unknown = true};
    assert_ok(firn_snapshot_load_table(other, table, &options, NULL, &err), &err);
    assert_saves_as(other, &image);
    // Both entities in one archetype, one of them without B.
    firn_value *row = firn_value_table(doc, &err), *rows = firn_value_table(doc, &err);
    const firn_value *frames = firn_table_get_text(table, "archetypes");
    const firn_value *second = firn_table_get_number(frames, 2);
    const firn_value id = {.kind = FIRN_VALUE_NUMBER, .as.number = 2};
    firn_value *raw = firn_value_string(doc, "\0\xff", 2, &err);
    assert_ok(firn_table_push(doc, row, &id, &err), &err);
    assert_ok(firn_table_push(doc, row, raw, &err), &err);
    const firn_value *old = firn_table_get_text(second, "entities");
    assert_ok(firn_table_push(doc, rows, firn_table_get_number(old, 1), &err), &err);
    assert_ok(firn_table_push(doc, rows, row, &err), &err);
    firn_value whole = *second;
    assert_ok(firn_table_set_text(doc, &whole, "entities", rows, &err), &err);
    firn_value *only = firn_value_table(doc, &err);
    assert_ok(firn_table_push(doc, only, &whole, &err), &err);
    assert_ok(firn_table_set_text(doc, table, "archetypes", only, &err), &err);
    assert_ok(firn_snapshot_load_table(other, table, &options, NULL, &err), &err);
    assert_saves_as(other, &image);
    // A string of another size is refused.
    raw->length = 1;
    firn_value *wrong = firn_value_table(doc, &err);
    assert_ok(firn_table_push(doc, wrong, &id, &err), &err);
    assert_ok(firn_table_push(doc, wrong, raw, &err), &err);
    assert_ok(firn_table_push(doc, rows, wrong, &err), &err);
    assert_int_equal(firn_snapshot_load_table(other, table, &options, NULL, &err), FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "archetypes[1].entities[3][2]");
    assert_saves_as(other, &image);
    firn_buffer_free(&image);
    firn_doc_destroy(doc);
    firn_world_destroy(world);
    firn_world_destroy(other);
}

static void F7_a_save_of_version_2_wraps_the_scalars_that_are_kept(void **state)
{
    (void)state;
    firn_error err;
    const firn_save_options version_2 = {.wire_version = 2};
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    // A value of a bare number is one of a scalar to who does not know it.
    for (firn_entity id = 1; id <= 12; id++)
        if (firn_alive(z.world, id) && firn_has(z.world, id, z.of[ZOO_BAG]))
            assert_ok(firn_remove(z.world, id, &z.of[ZOO_BAG], 1, &err), &err);
    firn_buffer image = zoo_save(z.world), wrapped = zoo_save_with(z.world, &version_2);
    firn_world *world = zoo_empty(NULL);
    keep_only(world, &image);
    firn_buffer now = zoo_save_with(world, &version_2);
    assert_same_bytes(&now, &wrapped);
    firn_buffer_free(&now);
    // Read back, also what is kept of it, it is the same.
    keep_only(world, &wrapped);
    now = zoo_save_with(world, &version_2);
    assert_same_bytes(&now, &wrapped);
    zoo_load(z.world, &now);
    assert_saves_as(z.world, &image);
    firn_buffer_free(&now);
    firn_buffer_free(&wrapped);
    firn_buffer_free(&image);
    firn_world_destroy(world);
    firn_world_destroy(z.world);
}

// ---- handlers that come later

typedef struct taken {
    uint32_t checks, commits, loads, discards, destroys;
    double seen; // the last number that was loaded
    firn_result check, load;
} taken;

static firn_result check_number(void *user, firn_world *world, firn_reader *in, void **prepared,
                                firn_error *err)
{
    (void)world, (void)err;
    taken *to = user;
    to->checks++;
    assert_non_null(in);
    *prepared = to;
    firn_read_number(in);
    return to->check;
}

static void commit_number(void *user, firn_world *world, void *prepared)
{
    (void)world;
    ((taken *)user)->commits++;
    assert_ptr_equal(prepared, user);
}

static void discard_number(void *user, firn_world *world, void *prepared)
{
    (void)world, (void)prepared;
    ((taken *)user)->discards++;
}

static firn_result load_number(void *user, firn_world *world, firn_reader *in, firn_error *err)
{
    (void)err;
    taken *to = user;
    to->loads++;
    to->seen = firn_read_number(in);
    const firn_handler other = {.abi = FIRN_ABI, .name = "other", .load = load_number};
    assert_int_equal(firn_handler_add(world, &other, NULL), FIRN_BUSY);
    return to->load;
}

static firn_result save_number(void *user, firn_world *world, firn_writer *out, firn_error *err)
{
    (void)world, (void)err;
    firn_write_number(out, ((taken *)user)->seen);
    return FIRN_OK;
}

static void destroy_taken(void *user, firn_world *world)
{
    (void)world;
    ((taken *)user)->destroys++;
}

static firn_handler number_handler(const char *name, taken *to)
{
    return (firn_handler){FIRN_ABI,     name,          save_number,
                          check_number, commit_number, discard_number,
                          load_number,  NULL,          to};
}

static const uint8_t seven[] = {7, 0, 0, 0, 0, 0, 0, 0x1c, 0x40};

// A world that keeps mod.a = 7 and mod.b = "x".
static firn_world *world_with_data(test_allocator *memory, firn_buffer *image)
{
    firn_world *source = zoo_empty(NULL), *world = zoo_empty(memory);
    firn_data data[] = {{.key = "mod.a", .encoded = seven, .encoded_size = sizeof seven},
                        {.key = "mod.b", .encoded = "\x21x", .encoded_size = 2}};
    zoo_spawn(source, NULL, 0);
    *image = zoo_save_with(source, &(firn_save_options){.data = data, .data_count = 2});
    keep_only(world, image);
    firn_world_destroy(source);
    return world;
}

static void F7_a_handler_that_is_added_later_gets_its_entry_at_once(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image;
    taken to = {0}, none = {0};
    firn_world *world = world_with_data(NULL, &image);
    firn_handler other = number_handler("mod.c", &none), handler = number_handler("mod.a", &to);
    assert_ok(firn_handler_add(world, &other, &err), &err);
    assert_int_equal(none.checks + none.commits + none.loads, 0);
    assert_ok(firn_handler_remove(world, "mod.c", &err), &err);
    assert_ok(firn_handler_add(world, &handler, &err), &err);
    assert_true(to.checks == 1 && to.commits == 1 && to.loads == 1 && to.discards == 0);
    assert_true(to.seen == 7);
    // It is the handler's now: gone when it goes.
    to.seen = 8;
    firn_buffer now = zoo_save(world);
    const void *encoded;
    size_t size;
    assert_ok(firn_image_data(now.data, now.size, "mod.a", NULL, &encoded, &size, &err), &err);
    assert_int_equal(((const uint8_t *)encoded)[7], 0x20);
    firn_buffer_free(&now);
    assert_ok(firn_handler_remove(world, "mod.a", &err), &err);
    now = zoo_save(world);
    assert_int_equal(firn_image_data(now.data, now.size, "mod.a", NULL, &encoded, &size, &err),
                     FIRN_NOT_FOUND);
    assert_ok(firn_image_data(now.data, now.size, "mod.b", NULL, &encoded, &size, &err), &err);
    firn_buffer_free(&now);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void F7_a_handler_that_refuses_its_kept_entry_is_not_added(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image;
    firn_world *world = world_with_data(NULL, &image);
    taken refuses = {.check = FIRN_REFUSED}, fails = {.load = FIRN_IO}, misreads = {0};
    firn_handler handlers[] = {number_handler("mod.a", &refuses), number_handler("mod.a", &fails),
                               number_handler("mod.b", &misreads)};
    const firn_result results[] = {FIRN_REFUSED, FIRN_IO, FIRN_CORRUPT};
    for (uint32_t i = 0; i < FIRN_COUNT(handlers); i++) {
        assert_int_equal(firn_handler_add(world, &handlers[i], &err), results[i]);
        assert_error(&err, results[i], handlers[i].name);
        assert_true(err.offset == FIRN_NO_OFFSET);
        assert_int_equal(firn_handler_remove(world, handlers[i].name, NULL), FIRN_NOT_FOUND);
        assert_saves_as(world, &image);
    }
    assert_true(refuses.commits == 0 && refuses.loads == 0 && refuses.discards == 0);
    assert_true(fails.commits == 1 && fails.loads == 1);
    assert_true(misreads.commits == 0 && misreads.discards == 1);
    firn_query query = firn_query_create(world, &(firn_query_desc){.name = "all"}, &err);
    firn_iter it;
    firn_iter_begin(world, query, &it);
    assert_int_equal(firn_handler_add(world, &handlers[0], &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "all");
    assert_ok(firn_iter_end(&it, &err), &err);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void F7_a_plugin_whose_handler_refuses_its_kept_entry_is_not_added(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image;
    firn_world *world = world_with_data(NULL, &image);
    taken first = {0}, second = {.check = FIRN_REFUSED};
    const firn_handler a = number_handler("mod.a", &first), b = number_handler("mod.b", &second);
    const firn_handler *const handlers[] = {&a, &b, NULL};
    firn_plugin plugin = {.abi = FIRN_ABI,
                          .name = "mod",
                          .handlers = handlers,
                          .destroy = destroy_taken,
                          .user = &first};
    assert_int_equal(firn_plugin_add(world, &plugin, &err), FIRN_REFUSED);
    assert_error(&err, FIRN_REFUSED, "mod.b");
    assert_true(first.checks == 1 && first.discards == 1 && first.commits == 0);
    assert_int_equal(first.destroys, 1);
    assert_saves_as(world, &image);
    const firn_handler *const one[] = {&a, NULL};
    plugin.handlers = one;
    assert_ok(firn_plugin_add(world, &plugin, &err), &err);
    assert_true(first.commits == 1 && first.loads == 1 && first.seen == 7);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void F7_a_kept_entry_stays_when_there_is_no_memory_for_its_handler(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image;
    test_allocator memory;
    test_allocator_init(&memory);
    firn_world *world = world_with_data(&memory, &image);
    taken to = {0};
    firn_handler handler = number_handler("mod.a", &to);
    firn_result result = FIRN_NO_MEMORY;
    for (uint32_t i = 1; result != FIRN_OK; i++) {
        test_allocator_fail_at(&memory, i, false);
        result = firn_handler_add(world, &handler, &err);
        test_allocator_fail_at(&memory, 0, false);
        assert_true(result == FIRN_OK || (result == FIRN_NO_MEMORY && to.commits == 0));
        if (result != FIRN_OK)
            assert_saves_as(world, &image);
    }
    assert_true(to.checks == 1 && to.loads == 1);
    firn_buffer_free(&image);
    firn_world_destroy(world);
    assert_no_leak(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(F7_rows_that_nobody_understands_stand_in_the_table_form),
        cmocka_unit_test(F7_a_save_of_version_2_wraps_the_scalars_that_are_kept),
        cmocka_unit_test(F7_a_handler_that_is_added_later_gets_its_entry_at_once),
        cmocka_unit_test(F7_a_handler_that_refuses_its_kept_entry_is_not_added),
        cmocka_unit_test(F7_a_plugin_whose_handler_refuses_its_kept_entry_is_not_added),
        cmocka_unit_test(F7_a_kept_entry_stays_when_there_is_no_memory_for_its_handler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
