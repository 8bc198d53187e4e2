// Codecs of one row at a time, and codecs that do what they may not.
#include "api/snapshot_zoo.h"

#include <string.h>

// What a codec saw, and what it answers.
typedef struct ways {
    uint32_t encodes, decodes;
    firn_result answer;
} ways;

// ---- codecs of one row

typedef struct pet {
    int32_t age;
} pet;

static firn_result encode_pet(void *user, const void *row, firn_writer *out, firn_error *err)
{
    const pet *one = row;
    ways *how = user;
    how->encodes++;
    if (one->age == 13) {
        err->code = FIRN_REFUSED;
        strcpy(err->message, "13 is no age");
        return FIRN_REFUSED;
    }
    if (one->age < 0)
        firn_write_nil(out);
    else
        firn_write_number(out, one->age * 2);
    return FIRN_OK;
}

static firn_result decode_pet(void *user, void *row, firn_reader *in, firn_error *err)
{
    (void)err;
    ways *how = user;
    how->decodes++;
    ((pet *)row)->age = (int32_t)firn_read_number(in) / 2;
    return how->answer;
}

static const firn_field pet_fields[] = {FIRN_FIELD(pet, age, FIRN_I32)};

static firn_world *pet_world(const firn_codec *codec, firn_component *pets)
{
    firn_world *world = zoo_empty(NULL);
    firn_component_desc desc = zoo_struct("Pet", sizeof(pet), pet_fields, 1);
    desc.codec = codec;
    *pets = zoo_register(world, &desc);
    return world;
}

static void T12_a_codec_of_rows_runs_once_per_row(void **state)
{
    (void)state;
    ways how = {0};
    firn_error err;
    firn_codec codec;
    firn_row_codec rows = {FIRN_ABI, "pets", encode_pet, decode_pet, &how};
    assert_ok(firn_row_codec_adapt(&rows, &codec, &err), &err);
    firn_component pets;
    firn_world *world = pet_world(&codec, &pets);
    firn_entity ids[3];
    for (int i = 0; i < 3; i++) {
        ids[i] = zoo_spawn_one(world, pets);
        assert_ok(firn_set(world, ids[i], pets, &(pet){.age = 5 - i * 3}, &err), &err);
    }
    firn_buffer image = zoo_save(world);
    assert_int_equal(how.encodes, 3);
    zoo_load(world, &image);
    assert_int_equal(how.decodes, 2);
    assert_int_equal(((const pet *)firn_get(world, ids[0], pets))->age, 5);
    assert_int_equal(((const pet *)firn_get(world, ids[1], pets))->age, 2);
    assert_false(firn_has(world, ids[2], pets));

    how.answer = FIRN_REFUSED;
    assert_int_equal(firn_snapshot_load(world, image.data, image.size, NULL, NULL, &err),
                     FIRN_REFUSED);
    assert_error(&err, FIRN_REFUSED, "Pet");
    assert_int_equal(err.entity, ids[0]);
    ((pet *)firn_get_mut(world, ids[1], pets))->age = 13;
    assert_int_equal(firn_snapshot_save(world, NULL, &image, &err), FIRN_REFUSED);
    assert_error(&err, FIRN_REFUSED, "Pet");
    assert_non_null(strstr(err.message, "13 is no age"));
    assert_int_equal(err.entity, ids[1]);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

// Reads a string where decode_pet finds a number, and does not look at what comes of it.
static firn_result decode_careless(void *user, void *row, firn_reader *in, firn_error *err)
{
    (void)user, (void)row, (void)err;
    size_t size;
    (void)firn_read_string(in, &size);
    return FIRN_OK;
}

static void a_codec_of_rows_that_overlooks_a_failed_read_fails_the_load_at_that_row(void **state)
{
    (void)state;
    ways how = {0};
    firn_error err;
    firn_codec codec;
    firn_row_codec rows = {FIRN_ABI, "pets", encode_pet, decode_careless, &how};
    assert_ok(firn_row_codec_adapt(&rows, &codec, &err), &err);
    firn_component pets;
    firn_world *world = pet_world(&codec, &pets);
    firn_entity id = zoo_spawn_one(world, pets);
    firn_buffer image = zoo_save(world);
    firn_result result = firn_snapshot_load(world, image.data, image.size, NULL, NULL, &err);
    assert_int_equal(result, FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "Pet");
    assert_int_equal(err.entity, id);
    assert_saves_as(world, &image);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void a_codec_of_rows_that_is_not_whole_is_refused(void **state)
{
    (void)state;
    firn_error err;
    firn_codec codec = {.name = "untouched"};
    const firn_row_codec good = {FIRN_ABI, "pets", encode_pet, decode_pet, NULL};
    firn_row_codec bad[4] = {good, good, good, good};
    bad[0].abi = 0;
    bad[1].name = NULL;
    bad[2].encode = NULL;
    bad[3].decode = NULL;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(firn_row_codec_adapt(&bad[i], &codec, &err), FIRN_INVALID);
        assert_error(&err, FIRN_INVALID, "row_codec");
    }
    bad[0].abi = FIRN_ABI + 1;
    assert_int_equal(firn_row_codec_adapt(&bad[0], &codec, &err), FIRN_VERSION);
    assert_int_equal(firn_row_codec_adapt(NULL, &codec, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "row_codec");
    assert_int_equal(firn_row_codec_adapt(&good, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "out");
    assert_string_equal(codec.name, "untouched");
}

// ---- codecs that reach for the buffer

typedef struct reach {
    firn_world *world;
    firn_buffer *out;
    int way;
} reach;

static firn_result encode_reaching(void *user, const firn_rows *rows, firn_writer *out,
                                   firn_error *err)
{
    reach *how = user;
    for (uint32_t i = 0; i < rows->count; i++)
        firn_write_number(out, i);
    if (how->way == 0)
        assert_int_equal(firn_snapshot_save(how->world, NULL, how->out, err), FIRN_BUSY);
    else if (how->way == 1)
        firn_buffer_clear(out->buffer);
    else
        out->buffer = NULL;
    return FIRN_OK;
}

static firn_result decode_nothing(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)user, (void)err;
    for (uint32_t i = 0; i < rows->count; i++)
        firn_read_skip(in);
    return FIRN_OK;
}

static void a_codec_that_reaches_for_the_buffer_breaks_no_image(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer out = {0};
    reach how = {.out = &out};
    firn_codec codec = {FIRN_ABI, "reaching", encode_reaching, decode_nothing, &how};
    firn_component pets;
    firn_world *world = how.world = pet_world(&codec, &pets);
    zoo_spawn_one(world, pets);
    assert_ok(firn_snapshot_save(world, NULL, &out, &err), &err);
    assert_ok(firn_image_check(out.data, out.size, NULL, NULL, &err), &err);
    for (how.way = 1; how.way < 3; how.way++) {
        assert_int_equal(firn_snapshot_save(world, NULL, &out, &err), FIRN_INVALID);
        assert_error(&err, FIRN_INVALID, "Pet");
        assert_int_equal(out.size, 0);
    }
    firn_buffer_free(&out);
    firn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T12_a_codec_of_rows_runs_once_per_row),
        cmocka_unit_test(a_codec_of_rows_that_overlooks_a_failed_read_fails_the_load_at_that_row),
        cmocka_unit_test(a_codec_of_rows_that_is_not_whole_is_refused),
        cmocka_unit_test(a_codec_that_reaches_for_the_buffer_breaks_no_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
