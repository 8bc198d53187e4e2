// firn_snapshot_check: all of a load but the change.
#include "api/snapshot_zoo.h"

#include <stdlib.h>
#include <string.h>

// What a world is and would do, to be compared with itself later.
typedef struct looks {
    firn_buffer image;
    firn_hash hash;
    uint32_t components, entities;
    const void *row;
} looks;

static looks look(const zoo *z, firn_entity entity)
{
    return (looks){.image = zoo_save(z->world),
                   .hash = zoo_hash(z->world),
                   .components = firn_component_count(z->world),
                   .entities = firn_entity_count(z->world),
                   .row = firn_get(z->world, entity, z->of[ZOO_BODY])};
}

static void assert_looks(const zoo *z, firn_entity entity, const looks *before)
{
    looks now = look(z, entity);
    assert_ptr_equal(now.row, before->row);
    assert_int_equal(now.components, before->components);
    assert_int_equal(now.entities, before->entities);
    assert_memory_equal(&now.hash, &before->hash, sizeof now.hash);
    assert_same_bytes(&now.image, &before->image);
    firn_buffer_free(&now.image);
}

static zoo other_world(test_allocator *memory, firn_entity *entity)
{
    zoo z = zoo_make(memory, false);
    zoo_litter(&z);
    *entity = zoo_spawn_one(z.world, z.of[ZOO_BODY]);
    return z;
}

static firn_buffer zoo_image(void)
{
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_data data = {.key = "mod.a", .encoded = "\x02", .encoded_size = 1};
    firn_buffer image =
        zoo_save_with(z.world, &(firn_save_options){.data = &data, .data_count = 1});
    firn_world_destroy(z.world);
    return image;
}

static void S3_a_check_leaves_the_world_as_it_was_and_the_load_succeeds(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    firn_error err;
    firn_entity entity;
    firn_load_report report;
    zoo z = other_world(&memory, &entity);
    firn_buffer image = zoo_image();
    looks before = look(&z, entity);
    uint64_t blocks[2];
    for (int i = 0; i < 2; i++) {
        assert_ok(firn_snapshot_check(z.world, image.data, image.size, NULL, &report, &err), &err);
        assert_false(report.committed);
        assert_string_not_equal(report.prelude.components[ZOO_KINDS - 1].name, "");
        assert_int_equal(report.kept_data, 0);
        firn_load_report_free(&report);
        assert_looks(&z, entity, &before);
        blocks[i] = memory.blocks;
    }
    assert_int_equal(blocks[0], blocks[1]);
    assert_ok(firn_snapshot_check(z.world, image.data, image.size, NULL, NULL, NULL), NULL);
    report = zoo_load(z.world, &image);
    assert_true(report.committed);
    firn_buffer_free(&before.image);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
    assert_no_leak(&memory);
}

// Any bytes: both say the same, and the check changes nothing.
static void S3_a_check_says_what_the_load_of_the_same_bytes_says(void **state)
{
    (void)state;
    test_random random = {7};
    firn_buffer image = zoo_image();
    uint32_t good = 0, bad = 0;
    for (uint32_t i = 0; i < 2000; i++) {
        firn_entity entity;
        zoo z = other_world(NULL, &entity);
        size_t size = i % 3 == 0 ? test_random_below(&random, (uint32_t)image.size) : image.size;
        uint8_t *bytes = malloc(size + 1);
        assert_non_null(bytes);
        memcpy(bytes, image.data, size);
        if (size > 0)
            bytes[test_random_below(&random, (uint32_t)size)] = (uint8_t)test_random_u64(&random);
        firn_load_options options = {.skip_unknown = i % 4 == 1, .keep_unknown = i % 4 == 2};
        firn_error said = {.code = FIRN_OK}, loads = {.code = FIRN_OK};
        looks before = look(&z, entity);
        firn_result result = firn_snapshot_check(z.world, bytes, size, &options, NULL, &said);
        assert_looks(&z, entity, &before);
        assert_int_equal(firn_snapshot_load(z.world, bytes, size, &options, NULL, &loads), result);
        assert_int_equal(said.code, loads.code);
        assert_true(said.offset == loads.offset && said.entity == loads.entity);
        assert_string_equal(said.subject, loads.subject);
        assert_string_equal(said.message, loads.message);
        good += result == FIRN_OK;
        bad += result != FIRN_OK;
        free(bytes);
        firn_buffer_free(&before.image);
        firn_world_destroy(z.world);
    }
    assert_true(good > 100 && bad > 100);
    firn_buffer_free(&image);
}

static void S3_what_is_not_registered_fails_a_check_by_name(void **state)
{
    (void)state;
    firn_error err;
    firn_load_report report;
    firn_buffer image = zoo_image();
    firn_world *world = zoo_empty(NULL);
    assert_int_equal(firn_snapshot_check(world, image.data, image.size, NULL, &report, &err),
                     FIRN_UNKNOWN);
    assert_error(&err, FIRN_UNKNOWN, "zoo.");
    assert_int_equal(report.unknown, ZOO_KINDS);
    firn_load_report_free(&report);
    firn_load_options skip = {.skip_unknown = true}, keep = {.keep_unknown = true};
    assert_ok(firn_snapshot_check(world, image.data, image.size, &skip, &report, &err), &err);
    assert_int_equal(report.unknown, ZOO_KINDS);
    firn_load_report_free(&report);
    assert_ok(firn_snapshot_check(world, image.data, image.size, &keep, &report, &err), &err);
    assert_int_equal(report.kept, ZOO_KINDS);
    zoo_notes notes = zoo_take_notes(&report);
    assert_int_equal(notes.items[0].kind, FIRN_NOTICE_KEPT);
    // Nothing was kept: a name is free for another kind.
    assert_int_not_equal(
        zoo_register(world, &(firn_component_desc){.name = "zoo.Title", .kind = FIRN_TAG}), 0);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

// ---- callbacks

typedef struct called {
    uint32_t checks, discards, others;
    bool refuse;
} called;

static firn_result check_entry(void *user, firn_world *world, firn_reader *in, void **prepared,
                               firn_error *err)
{
    called *c = user;
    c->checks++;
    *prepared = c;
    assert_int_equal(firn_snapshot_check(world, "", 1, NULL, NULL, err), FIRN_BUSY);
    *err = (firn_error){.code = FIRN_OK};
    if (c->refuse)
        firn_reader_refuse(in, "not today");
    return FIRN_OK;
}

static void discard_entry(void *user, firn_world *world, void *prepared)
{
    called *c = user;
    assert_ptr_equal(prepared, c);
    assert_int_equal(firn_spawn(world, NULL, 0, NULL), 0); // locked
    c->discards++;
}

static void commit_entry(void *user, firn_world *world, void *prepared)
{
    (void)world, (void)prepared;
    ((called *)user)->others++;
}

static firn_result load_entry(void *user, firn_world *world, firn_reader *in, firn_error *err)
{
    (void)world, (void)in, (void)err;
    ((called *)user)->others++;
    return FIRN_OK;
}

static firn_result hear(void *user, firn_world *world, const firn_event *event, firn_error *err)
{
    (void)world, (void)event, (void)err;
    ((called *)user)->others++;
    return FIRN_OK;
}

static firn_result take_data(void *user, firn_world *world, const char *key, const void *encoded,
                             size_t size, firn_error *err)
{
    (void)world, (void)key, (void)encoded, (void)size, (void)err;
    ((called *)user)->others++;
    return FIRN_OK;
}

static void S3_a_check_asks_handlers_and_lets_them_discard(void **state)
{
    (void)state;
    firn_error err;
    called c = {0};
    zoo z = zoo_make(NULL, false);
    firn_buffer image = zoo_image();
    firn_handler handler = {.abi = FIRN_ABI,
                            .name = "mod.a",
                            .check = check_entry,
                            .commit = commit_entry,
                            .discard = discard_entry,
                            .load = load_entry,
                            .user = &c};
    assert_ok(firn_handler_add(z.world, &handler, &err), &err);
    static const char *const events[] = {"StartSnapshotLoad", "FinishSnapshotLoad", "OnSpawn"};
    for (int i = 0; i < 3; i++)
        assert_int_not_equal(
            firn_observe(z.world,
                         &(firn_observer_desc){.event = events[i], .observe = hear, .user = &c},
                         &err),
            0);
    firn_load_options options = {.on_data = take_data, .user = &c};
    assert_ok(firn_snapshot_check(z.world, image.data, image.size, &options, NULL, &err), &err);
    assert_true(c.checks == 1 && c.discards == 1 && c.others == 0);
    c.refuse = true;
    assert_int_equal(firn_snapshot_check(z.world, image.data, image.size, &options, NULL, &err),
                     FIRN_REFUSED);
    assert_error(&err, FIRN_REFUSED, "mod.a");
    // It had accepted before its reader failed.
    assert_true(c.checks == 2 && c.discards == 2 && c.others == 0);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

static void S3_a_check_is_busy_where_a_load_is(void **state)
{
    (void)state;
    firn_error err;
    firn_iter it;
    zoo z = zoo_make(NULL, false);
    firn_buffer image = zoo_image();
    firn_query query = firn_query_create(z.world, &(firn_query_desc){.name = "all"}, &err);
    firn_iter_begin(z.world, query, &it);
    zoo_spawn(z.world, NULL, 0);
    assert_int_equal(firn_snapshot_check(z.world, image.data, image.size, NULL, NULL, &err),
                     FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "all");
    assert_ok(firn_iter_end(&it, &err), &err);
    assert_int_equal(firn_snapshot_check(NULL, image.data, image.size, NULL, NULL, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "world");
    assert_int_equal(firn_snapshot_check(z.world, NULL, 0, NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "image");
    assert_int_equal(firn_snapshot_check_table(z.world, NULL, NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "table");
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

// Changes that a failure of memory left waiting.
static void S3_a_check_leaves_the_changes_that_wait(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    firn_error err;
    firn_iter it;
    zoo z = zoo_make(&memory, false);
    firn_buffer image = zoo_image();
    firn_query query = firn_query_create(z.world, &(firn_query_desc){.name = "all"}, &err);
    zoo_spawn(z.world, NULL, 0);
    firn_iter_begin(z.world, query, &it);
    zoo_spawn_one(z.world, z.of[ZOO_TITLE]);
    test_allocator_fail_at(&memory, 1, true);
    assert_int_equal(firn_iter_end(&it, &err), FIRN_NO_MEMORY);
    test_allocator_fail_at(&memory, 0, false);
    uint32_t pending = firn_pending(z.world);
    assert_true(pending > 0);
    assert_ok(firn_snapshot_check(z.world, image.data, image.size, NULL, NULL, &err), &err);
    assert_int_equal(firn_pending(z.world), pending);
    assert_ok(firn_flush(z.world, &err), &err);
    assert_int_equal(firn_entity_count(z.world), 2);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
    assert_no_leak(&memory);
}

// ---- rows that own something

static firn_result decode_owned(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)err;
    void **owned = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        firn_read_skip(in);
        owned[i] = malloc(1);
        ++*(uint32_t *)user;
    }
    return FIRN_OK;
}

static firn_result encode_owned(void *user, const firn_rows *rows, firn_writer *out,
                                firn_error *err)
{
    (void)user, (void)err;
    for (uint32_t i = 0; i < rows->count; i++)
        firn_write_number(out, i);
    return FIRN_OK;
}

static void drop_owned(void *user, const firn_rows *rows)
{
    void **owned = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        *(uint32_t *)user -= owned[i] != NULL;
        free(owned[i]);
    }
}

static firn_component register_owned(firn_world *world, uint32_t *live)
{
    firn_codec codec = {FIRN_ABI, "owned", encode_owned, decode_owned, live};
    const firn_field fields[] = {{.name = "pointer", .type = FIRN_POINTER}};
    firn_component_desc desc = zoo_struct("Owned", sizeof(void *), fields, 1);
    desc.codec = &codec;
    desc.hooks = (firn_hooks){.drop = drop_owned, .user = live};
    return zoo_register(world, &desc);
}

static void S3_rows_that_a_check_decodes_are_dropped(void **state)
{
    (void)state;
    firn_error err;
    uint32_t live = 0;
    firn_world *world = zoo_empty(NULL);
    firn_component owned = register_owned(world, &live);
    for (int i = 0; i < 5; i++)
        zoo_spawn_one(world, owned);
    firn_buffer image = zoo_save(world);
    assert_ok(firn_snapshot_check(world, image.data, image.size, NULL, NULL, &err), &err);
    assert_int_equal(live, 0);
    zoo_load(world, &image);
    assert_int_equal(live, 5);
    assert_ok(firn_snapshot_check(world, image.data, image.size, NULL, NULL, &err), &err);
    assert_int_equal(live, 5);
    firn_buffer_free(&image);
    firn_world_destroy(world);
    assert_int_equal(live, 0);
}

// ---- the table form

static void S3_a_table_is_checked_as_its_load_would(void **state)
{
    (void)state;
    firn_error err;
    firn_entity entity;
    firn_load_report report;
    zoo z = other_world(NULL, &entity), source = zoo_make(NULL, false);
    zoo_fill(&source);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *table;
    assert_ok(firn_snapshot_save_table(source.world, NULL, doc, &table, &err), &err);
    looks before = look(&z, entity);
    assert_ok(firn_snapshot_check_table(z.world, table, NULL, &report, &err), &err);
    assert_false(report.committed);
    assert_int_equal(report.prelude.entity_count, firn_entity_count(source.world));
    firn_load_report_free(&report);
    assert_looks(&z, entity, &before);
    assert_ok(
        firn_table_set_text(doc, table, "entityCount", firn_value_number(doc, 99, &err), &err),
        &err);
    firn_error loads;
    assert_int_equal(firn_snapshot_check_table(z.world, table, NULL, NULL, &err), FIRN_CORRUPT);
    assert_looks(&z, entity, &before);
    assert_int_equal(firn_snapshot_load_table(z.world, table, NULL, NULL, &loads), FIRN_CORRUPT);
    assert_string_equal(err.message, loads.message);
    firn_buffer_free(&before.image);
    firn_doc_destroy(doc);
    firn_world_destroy(source.world);
    firn_world_destroy(z.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(S3_a_check_leaves_the_world_as_it_was_and_the_load_succeeds),
        cmocka_unit_test(S3_a_check_says_what_the_load_of_the_same_bytes_says),
        cmocka_unit_test(S3_what_is_not_registered_fails_a_check_by_name),
        cmocka_unit_test(S3_a_check_asks_handlers_and_lets_them_discard),
        cmocka_unit_test(S3_a_check_is_busy_where_a_load_is),
        cmocka_unit_test(S3_a_check_leaves_the_changes_that_wait),
        cmocka_unit_test(S3_rows_that_a_check_decodes_are_dropped),
        cmocka_unit_test(S3_a_table_is_checked_as_its_load_would),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
