// firn_snapshot_merge of relationships: their targets, their fields, and those that have codecs.
#include "api/snapshot_zoo.h"

#include <string.h>

typedef struct bond {
    firn_entity target;
    firn_entity witness;
    double second; // an id, as Lua holds it
} bond;

static const firn_field bond_fields[] = {
    FIRN_FIELD(bond, witness, FIRN_ENTITY),
    FIRN_FIELD(bond, second, FIRN_ENTITY_NUMBER),
};

static firn_component register_bond(firn_world *world, const char *name, uint32_t bits,
                                    const firn_codec *codec)
{
    firn_component_desc desc = zoo_struct(name, sizeof(bond), bond_fields, 2);
    desc.kind = FIRN_RELATION;
    desc.relation = bits;
    desc.codec = codec;
    return zoo_register(world, &desc);
}

static firn_buffer save_edges(firn_world *world)
{
    return zoo_save_with(world, &(firn_save_options){.sparse_edges = true});
}

static firn_merge_report merge(firn_world *world, const firn_buffer *image)
{
    firn_error err;
    firn_merge_report report;
    assert_ok(firn_snapshot_merge(world, image->data, image->size, NULL, &report, &err), &err);
    assert_true(report.load.committed);
    return report;
}

static void assert_bond(const firn_world *world, firn_entity source, firn_component relation,
                        const bond *expected)
{
    const bond *row = firn_related(world, source, relation, expected->target);
    assert_true(row != NULL && row->target == expected->target);
    assert_true(row->witness == expected->witness && row->second == expected->second);
}

// One entity with two bonds, or one, whose fields are ids; one of the targets ends.
static void expect_fields_to_follow(uint32_t bits)
{
    firn_error err;
    firn_world *source = zoo_empty(NULL), *world = zoo_empty(NULL);
    firn_component relation = register_bond(source, "Bond", bits, NULL);
    firn_component here = register_bond(world, "Bond", bits, NULL);
    bool one = (bits & FIRN_EXCLUSIVE) != 0;
    firn_entity gone = zoo_spawn(source, NULL, 0), ids[4];
    assert_ok(firn_spawn_many(source, NULL, 0, 4, ids, &err), &err);
    const bond first = {0, ids[2], (double)ids[3]}, second = {0, gone, (double)ids[0]};
    assert_ok(firn_relate(source, ids[0], relation, ids[1], &first, &err), &err);
    assert_ok(firn_relate(source, ids[one], relation, ids[2], &second, &err), &err);
    assert_ok(firn_despawn(source, gone, &err), &err);
    assert_ok(firn_spawn_many(world, NULL, 0, 9, NULL, &err), &err);
    firn_buffer image = save_edges(source);
    firn_merge_report report = merge(world, &image);
    firn_entity now[4];
    for (uint32_t i = 0; i < 4; i++)
        now[i] = firn_merge_find(&report, ids[i]);
    const bond to_first = {now[1], now[2], (double)now[3]}, to_second = {now[2], 0, (double)now[0]};
    assert_bond(world, now[0], here, &to_first);
    assert_bond(world, now[one], here, &to_second);
    assert_int_equal(report.dangling, 1);
    assert_int_equal(firn_targets(world, now[0], here, NULL, 0), one ? 1 : 2);
    firn_merge_report_free(&report);
    firn_buffer_free(&image);
    firn_world_destroy(source);
    firn_world_destroy(world);
}

static void F8_ids_in_fields_of_relationships_follow(void **state)
{
    (void)state;
    expect_fields_to_follow(0);
    expect_fields_to_follow(FIRN_EXCLUSIVE);
    expect_fields_to_follow(FIRN_SPARSE);
    expect_fields_to_follow(FIRN_SPARSE | FIRN_EXCLUSIVE | FIRN_REVERSE);
}

static void F8_ids_follow_where_other_targets_of_the_relation_are_not_in_the_save(void **state)
{
    (void)state;
    firn_error err;
    firn_world *source = zoo_empty(NULL), *world = zoo_empty(NULL);
    firn_component relation = register_bond(source, "Bond", 0, NULL);
    firn_component here = register_bond(world, "Bond", 0, NULL);
    firn_component mark =
        zoo_register(source, &(firn_component_desc){.name = "Mark", .kind = FIRN_TAG});
    zoo_register(world, &(firn_component_desc){.name = "Mark", .kind = FIRN_TAG});
    firn_entity a = zoo_spawn_one(source, mark), b = zoo_spawn_one(source, mark);
    firn_entity left_out = zoo_spawn(source, NULL, 0);
    assert_ok(firn_relate(source, a, relation, b, &(bond){0, b, 0}, &err), &err);
    assert_ok(firn_relate(source, b, relation, left_out, &(bond){0, b, 0}, &err), &err);
    const firn_term marked = {.component = mark};
    const firn_query_desc filter = {.terms = &marked, .term_count = 1};
    firn_buffer image = zoo_save_with(source, &(firn_save_options){.filter = &filter});
    zoo_spawn(world, NULL, 0);
    firn_merge_report report = merge(world, &image);
    firn_entity now = firn_merge_find(&report, b);
    assert_bond(world, firn_merge_find(&report, a), here, &(bond){now, now, 0});
    assert_int_equal(firn_targets(world, now, here, NULL, 0), 0);
    firn_merge_report_free(&report);
    firn_buffer_free(&image);
    firn_world_destroy(source);
    firn_world_destroy(world);
}

// ---- codecs

typedef enum manner {
    OPEN,   // {target, witness}, and the target as it was saved
    ASKING, // {target, witness}, and the target that firn_reader_entity gives
    SECRET  // a string of both ids
} manner;

static firn_result encode_bonds(void *user, const firn_rows *rows, firn_writer *out,
                                firn_error *err)
{
    (void)err;
    const bond *row = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        if (*(manner *)user == SECRET) {
            firn_write_string(out, (const char *)&row[i], 2 * sizeof(firn_entity));
            continue;
        }
        firn_write_table(out, 0, 2);
        firn_write_text(out, "target");
        firn_write_number(out, (double)row[i].target);
        firn_write_text(out, "witness");
        firn_write_number(out, (double)row[i].witness);
    }
    return FIRN_OK;
}

static firn_result decode_bonds(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)err;
    bond *row = rows->data;
    manner way = *(manner *)user;
    for (uint32_t i = 0; i < rows->count; i++) {
        if (way == SECRET) {
            size_t size;
            const char *bytes = firn_read_string(in, &size);
            if (bytes == NULL || size != 2 * sizeof(firn_entity))
                return FIRN_CORRUPT;
            memcpy(&row[i], bytes, size);
        } else {
            firn_read_table(in);
            firn_read_skip(in);
            row[i].target = (firn_entity)firn_read_number(in);
            firn_read_skip(in);
            row[i].witness = (firn_entity)firn_read_number(in);
        }
        if (way != OPEN)
            row[i].target = firn_reader_entity(in, row[i].target);
        row[i].witness = firn_reader_entity(in, row[i].witness);
    }
    return FIRN_OK;
}

// A ring of three bonds, and a fourth whose target ends.
static void expect_codec_to_follow(uint32_t bits, manner way)
{
    firn_error err;
    firn_world *source = zoo_empty(NULL), *world = zoo_empty(NULL);
    firn_codec codec = {FIRN_ABI, "bonds", encode_bonds, decode_bonds, &way};
    firn_component relation = register_bond(source, "Bond", bits, &codec);
    firn_component here = register_bond(world, "Bond", bits, &codec);
    firn_entity ids[3];
    assert_ok(firn_spawn_many(source, NULL, 0, 3, ids, &err), &err);
    for (uint32_t i = 0; i < 3; i++) {
        const bond row = {0, ids[(i + 2) % 3], 0};
        assert_ok(firn_relate(source, ids[i], relation, ids[(i + 1) % 3], &row, &err), &err);
    }
    assert_ok(firn_spawn_many(world, NULL, 0, 2, NULL, &err), &err);
    firn_buffer image = save_edges(source);
    for (uint32_t times = 0; times < 2; times++) {
        firn_merge_report report = merge(world, &image);
        firn_entity now[3];
        for (uint32_t i = 0; i < 3; i++)
            now[i] = firn_merge_find(&report, ids[i]);
        for (uint32_t i = 0; i < 3; i++)
            assert_bond(world, now[i], here, &(bond){now[(i + 1) % 3], now[(i + 2) % 3], 0});
        firn_merge_report_free(&report);
    }
    firn_buffer merged = save_edges(world);
    zoo_load(source, &merged);
    firn_buffer again = save_edges(source);
    assert_same_bytes(&again, &merged);
    firn_buffer_free(&again);
    firn_buffer_free(&merged);
    firn_buffer_free(&image);
    firn_world_destroy(source);
    firn_world_destroy(world);
}

static void F8_relationships_with_codecs_follow(void **state)
{
    (void)state;
    const uint32_t kinds[] = {0, FIRN_EXCLUSIVE, FIRN_SPARSE | FIRN_EXCLUSIVE,
                              FIRN_SPARSE | FIRN_EXCLUSIVE | FIRN_CASCADE};
    for (uint32_t i = 0; i < FIRN_COUNT(kinds); i++) {
        expect_codec_to_follow(kinds[i], OPEN);
        expect_codec_to_follow(kinds[i], ASKING);
        expect_codec_to_follow(kinds[i], SECRET);
    }
}

static firn_result decode_wrongly(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)err;
    bond *row = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        firn_read_skip(in);
        row[i].target = *(firn_entity *)user;
    }
    return FIRN_OK;
}

static void F8_a_target_that_no_entity_of_the_image_has_is_corrupt(void **state)
{
    (void)state;
    firn_error err;
    manner way = OPEN;
    firn_entity wrong = 0;
    firn_codec codec = {FIRN_ABI, "bonds", encode_bonds, decode_bonds, &way};
    firn_codec other = {FIRN_ABI, "wrong", encode_bonds, decode_wrongly, &wrong};
    firn_world *source = zoo_empty(NULL);
    firn_component relation = register_bond(source, "Bond", FIRN_SPARSE | FIRN_EXCLUSIVE, &codec);
    firn_entity a = zoo_spawn(source, NULL, 0), b = zoo_spawn(source, NULL, 0);
    assert_ok(firn_relate(source, b, relation, a, NULL, &err), &err);
    const manner ways[] = {OPEN, SECRET};
    for (uint32_t i = 0; i < FIRN_COUNT(ways); i++) {
        way = ways[i];
        firn_buffer image = save_edges(source);
        firn_world *world = zoo_empty(NULL);
        register_bond(world, "Bond", FIRN_SPARSE | FIRN_EXCLUSIVE, &other);
        firn_entity own = zoo_spawn(world, NULL, 0);
        zoo_spawn_one(world, firn_paused(world));
        const firn_entity targets[] = {0, FIRN_SLOT_MAX, own};
        firn_buffer before = zoo_save(world);
        for (uint32_t k = 0; k < (way == OPEN ? 2u : 3u); k++) {
            wrong = targets[k];
            assert_int_equal(firn_snapshot_merge(world, image.data, image.size, NULL, NULL, &err),
                             FIRN_CORRUPT);
            assert_error(&err, FIRN_CORRUPT, "Bond");
            assert_true(err.entity == b);
            assert_saves_as(world, &before);
        }
        firn_buffer_free(&before);
        firn_buffer_free(&image);
        firn_world_destroy(world);
    }
    firn_world_destroy(source);
}

// ---- the order of sources

// Three sources of a target, in another order than their rows: the last fills the gap of a fourth.
static firn_buffer image_of_order(uint32_t bits, firn_entity ids[5])
{
    firn_error err;
    firn_world *source = zoo_empty(NULL);
    firn_component relation = register_bond(source, "Bond", bits, NULL);
    assert_ok(firn_spawn_many(source, NULL, 0, 5, ids, &err), &err);
    for (uint32_t i = 1; i < 5; i++)
        assert_ok(firn_relate(source, ids[i], relation, ids[0], NULL, &err), &err);
    assert_ok(firn_unrelate(source, ids[1], relation, 0, &err), &err);
    firn_buffer image = save_edges(source);
    firn_world_destroy(source);
    return image;
}

static const uint32_t kinds_that_list[] = {FIRN_REVERSE, FIRN_EXCLUSIVE | FIRN_CASCADE,
                                           FIRN_SPARSE | FIRN_REVERSE,
                                           FIRN_SPARSE | FIRN_EXCLUSIVE | FIRN_REVERSE};

static void F8_the_sources_of_a_target_keep_their_order(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < FIRN_COUNT(kinds_that_list); k++) {
        firn_entity ids[5], sources[4];
        firn_buffer image = image_of_order(kinds_that_list[k], ids);
        firn_world *world = zoo_empty(NULL);
        firn_component here = register_bond(world, "Bond", kinds_that_list[k], NULL);
        zoo_spawn(world, NULL, 0);
        for (uint32_t times = 0; times < 2; times++) {
            firn_merge_report report = merge(world, &image);
            firn_entity target = firn_merge_find(&report, ids[0]);
            assert_int_equal(firn_sources(world, here, target, sources, 4), 3);
            for (uint32_t i = 0; i < 3; i++)
                assert_true(sources[i] == firn_merge_find(&report, ids[2 + i]));
            firn_merge_report_free(&report);
        }
        firn_buffer_free(&image);
        firn_world_destroy(world);
    }
}

static void F8_an_order_of_other_sources_is_corrupt_and_changes_nothing(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < FIRN_COUNT(kinds_that_list); k++) {
        firn_error err;
        firn_entity ids[5], sources[4];
        firn_buffer image = image_of_order(kinds_that_list[k], ids);
        // The list says the second source twice.
        const uint8_t pair[16] = {(uint8_t)ids[2], 0, 0, 0, 0, 0, 0, 0, (uint8_t)ids[3]};
        size_t at = 0;
        while (memcmp(image.data + at, pair, sizeof pair) != 0)
            at++;
        image.data[at] = (uint8_t)ids[3];
        firn_world *world = zoo_empty(NULL);
        firn_component here = register_bond(world, "Bond", kinds_that_list[k], NULL);
        firn_entity a = zoo_spawn(world, NULL, 0), b = zoo_spawn(world, NULL, 0);
        assert_ok(firn_relate(world, b, here, a, NULL, &err), &err);
        assert_ok(firn_relate(world, a, here, a, NULL, &err), &err);
        firn_buffer before = save_edges(world);
        assert_int_equal(firn_snapshot_merge(world, image.data, image.size, NULL, NULL, &err),
                         FIRN_CORRUPT);
        assert_error(&err, FIRN_CORRUPT, "__firn.order");
        firn_buffer after = save_edges(world);
        assert_same_bytes(&after, &before);
        assert_int_equal(firn_sources(world, here, a, sources, 4), 2);
        assert_true(sources[0] == b && sources[1] == a);
        firn_buffer_free(&after);
        firn_buffer_free(&before);
        firn_buffer_free(&image);
        firn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(F8_ids_in_fields_of_relationships_follow),
        cmocka_unit_test(F8_ids_follow_where_other_targets_of_the_relation_are_not_in_the_save),
        cmocka_unit_test(F8_relationships_with_codecs_follow),
        cmocka_unit_test(F8_a_target_that_no_entity_of_the_image_has_is_corrupt),
        cmocka_unit_test(F8_the_sources_of_a_target_keep_their_order),
        cmocka_unit_test(F8_an_order_of_other_sources_is_corrupt_and_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
