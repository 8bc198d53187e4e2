// Relations with a codec: what it writes comes back, and a target that it makes up does not.
#include "api/snapshot_zoo.h"

#include <string.h>

#include "firn/plugin.h"
#include "firn/relation.h"

typedef struct hold {
    firn_entity target;
    int32_t amount;
} hold;

typedef struct codec_way {
    firn_entity given; ///< the target that is decoded instead of the saved one; 0: that one
    bool none;         ///< no target is decoded
} codec_way;

typedef struct scene {
    firn_world *world;
    codec_way way;
    firn_component dense, exclusive;
} scene;

// {target, amount}: no table that names its target.
static firn_result encode_holds(void *user, const firn_rows *rows, firn_writer *out,
                                firn_error *err)
{
    (void)user, (void)err;
    const hold *holds = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        firn_write_table(out, 2, 0);
        firn_write_number(out, (double)holds[i].target);
        firn_write_number(out, holds[i].amount);
    }
    return FIRN_OK;
}

static firn_result decode_holds(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)err;
    const codec_way *way = user;
    hold *holds = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        firn_read_table(in);
        firn_entity target = (firn_entity)firn_read_number(in);
        holds[i].target = way->none ? 0 : way->given != 0 ? way->given : target;
        holds[i].amount = (int32_t)firn_read_number(in);
    }
    return FIRN_OK;
}

static void open_scene(scene *s)
{
    const firn_field fields[] = {FIRN_FIELD(hold, amount, FIRN_I32)};
    const firn_codec codec = {.abi = FIRN_ABI,
                              .name = "holds",
                              .encode = encode_holds,
                              .decode = decode_holds,
                              .user = &s->way};
    firn_component_desc desc = {.name = "Holds",
                                .kind = FIRN_RELATION,
                                .size = sizeof(hold),
                                .fields = fields,
                                .field_count = 1,
                                .codec = &codec,
                                .relation = FIRN_REVERSE};
    *s = (scene){.world = firn_world_create(NULL, NULL)};
    assert_non_null(s->world);
    s->dense = firn_component_register(s->world, &desc, NULL);
    desc.name = "Wears";
    desc.relation = FIRN_SPARSE | FIRN_EXCLUSIVE | FIRN_REVERSE;
    s->exclusive = firn_component_register(s->world, &desc, NULL);
    assert_true(s->dense != 0 && s->exclusive != 0);
}

// 1 holds 2 and 3; 2 and 3 wear 1.
static void fill_scene(const scene *s)
{
    firn_error err;
    firn_entity made[3];
    assert_ok(firn_spawn_many(s->world, NULL, 0, 3, made, &err), &err);
    const hold rows[] = {{.amount = 7}, {.amount = -7}};
    for (int i = 0; i < 2; i++) {
        assert_ok(firn_relate(s->world, made[0], s->dense, made[i + 1], &rows[i], &err), &err);
        assert_ok(firn_relate(s->world, made[i + 1], s->exclusive, made[0], &rows[i], &err), &err);
    }
}

static int32_t amount(const scene *s, firn_entity source, firn_component relation,
                      firn_entity target)
{
    const hold *row = firn_related(s->world, source, relation, target);
    assert_non_null(row);
    assert_int_equal(row->target, target);
    return row->amount;
}

static void T5_a_relation_with_a_codec_comes_back(void **state)
{
    (void)state;
    scene a, b;
    open_scene(&a);
    open_scene(&b);
    fill_scene(&a);
    firn_error err;
    firn_buffer image = zoo_save(a.world);
    assert_ok(firn_snapshot_load(b.world, image.data, image.size, NULL, NULL, &err), &err);
    assert_int_equal(amount(&b, 1, b.dense, 2), 7);
    assert_int_equal(amount(&b, 1, b.dense, 3), -7);
    assert_int_equal(amount(&b, 2, b.exclusive, 1), 7);
    assert_int_equal(amount(&b, 3, b.exclusive, 1), -7);
    assert_int_equal(firn_first_source(b.world, b.exclusive, 1), 2);
    assert_int_equal(firn_next_source(b.world, b.exclusive, 1, 2), 3);
    assert_int_equal(firn_first_source(b.world, b.dense, 3), 1);
    assert_saves_as(b.world, &image);
    firn_buffer_free(&image);
    firn_world_destroy(a.world);
    firn_world_destroy(b.world);
}

// Nothing in the value says to the load that the target was left out.
static void N5_T5_an_edge_to_what_is_left_out_goes_also_when_only_the_codec_knows_it(void **state)
{
    (void)state;
    scene a, b;
    open_scene(&a);
    open_scene(&b);
    fill_scene(&a);
    firn_error err;
    // 3 wears 2 now, and 1 is left out for its edges.
    assert_ok(firn_relate(a.world, 3, a.exclusive, 2, &(hold){.amount = 5}, &err), &err);
    firn_save_options options = {.exclude = &a.dense, .exclude_count = 1};
    firn_buffer image = zoo_save_with(a.world, &options);
    assert_ok(firn_snapshot_load(b.world, image.data, image.size, NULL, NULL, &err), &err);
    assert_int_equal(firn_entity_count(b.world), 2);
    assert_false(firn_has(b.world, 2, b.exclusive));
    assert_int_equal(amount(&b, 3, b.exclusive, 2), 5);
    firn_buffer_free(&image);
    firn_world_destroy(a.world);
    firn_world_destroy(b.world);
}

// What a load comes to whose codec gives other targets.
static void expect_refused(codec_way way, const char *subject, const char *message)
{
    scene s;
    open_scene(&s);
    fill_scene(&s);
    firn_error err;
    firn_buffer image = zoo_save(s.world);
    s.way = way;
    assert_int_equal(firn_snapshot_load(s.world, image.data, image.size, NULL, NULL, &err),
                     FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, subject);
    assert_non_null(strstr(err.message, message));
    assert_true(err.entity != 0);
    assert_saves_as(s.world, &image);
    firn_buffer_free(&image);
    firn_world_destroy(s.world);
}

static void T5_T21_a_codec_gives_the_target_of_the_column_or_one_that_the_save_has(void **state)
{
    (void)state;
    expect_refused((codec_way){.none = true}, "Holds->2", "the saved value has no target");
    expect_refused((codec_way){.given = 3}, "Holds->2", "the target is 3, and the column's is 2");
}

static void T21_a_codec_that_gives_a_target_that_nobody_is_is_refused(void **state)
{
    (void)state;
    scene s;
    open_scene(&s);
    fill_scene(&s);
    firn_error err;
    assert_ok(firn_unrelate(s.world, 1, s.dense, 0, &err), &err);
    firn_buffer image = zoo_save(s.world);
    const firn_entity wrong[] = {4, 77, 1 + (UINT64_C(1) << 22)};
    for (size_t i = 0; i < FIRN_COUNT(wrong); i++) {
        s.way.given = wrong[i];
        assert_int_equal(firn_snapshot_load(s.world, image.data, image.size, NULL, NULL, &err),
                         FIRN_CORRUPT);
        assert_error(&err, FIRN_CORRUPT, "Wears");
        assert_non_null(strstr(err.message, "a target that the save does not have"));
        assert_saves_as(s.world, &image);
    }
    firn_buffer_free(&image);
    firn_world_destroy(s.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T5_a_relation_with_a_codec_comes_back),
        cmocka_unit_test(N5_T5_an_edge_to_what_is_left_out_goes_also_when_only_the_codec_knows_it),
        cmocka_unit_test(T5_T21_a_codec_gives_the_target_of_the_column_or_one_that_the_save_has),
        cmocka_unit_test(T21_a_codec_that_gives_a_target_that_nobody_is_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
