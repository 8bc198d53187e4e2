// Which entity a codec that fails to decode is about.
#include "api/snapshot_zoo.h"

#include <stdio.h>
#include <string.h>

#define ROWS 4

// What the codec does at which row.
typedef enum fault {
    NOTHING,
    REFUSE_READ,   // the reader, after the value was read
    REFUSE_LOOKED, // the reader, after a look at its kind
    REFUSE_BEGUN,  // the reader, inside the value
    WRONG_KIND,
    SAY_NO,      // a message
    SAY_NOTHING, // the code alone
    STOP         // nothing is wrong, but no value is read
} fault;

typedef struct stage {
    firn_world *world;
    firn_entity entities[ROWS];
    fault fault;
    uint32_t row;  // in the order of decoding
    uint32_t next; // the row that a codec of rows is at
} stage;

static firn_result encode_pair(void *user, const void *row, firn_writer *out, firn_error *err)
{
    (void)user, (void)err;
    firn_write_table(out, 2, 0);
    firn_write_number(out, ((const zoo_gap *)row)->a);
    firn_write_text(out, "end");
    return FIRN_OK;
}

static firn_result decode_pair(void *user, void *row, firn_reader *in, firn_error *err)
{
    stage *s = user;
    fault what = s->next++ == s->row ? s->fault : NOTHING;
    if (what == WRONG_KIND)
        (void)firn_read_bool(in);
    if (what == REFUSE_LOOKED && firn_read_kind(in) == FIRN_VALUE_TABLE)
        firn_reader_refuse(in, "no tables here");
    if (what == STOP)
        return FIRN_OK;
    firn_read_table(in);
    ((zoo_gap *)row)->a = (int32_t)firn_read_number(in);
    if (what == REFUSE_BEGUN)
        firn_reader_refuse(in, "the number is bad");
    firn_read_string(in, NULL);
    if (what == REFUSE_READ)
        firn_reader_refuse(in, "no such sprite");
    if (what == SAY_NO)
        snprintf(err->message, sizeof err->message, "not this one");
    return what == SAY_NO || what == SAY_NOTHING ? FIRN_REFUSED : FIRN_OK;
}

static firn_result encode_pairs(void *user, const firn_rows *rows, firn_writer *out,
                                firn_error *err)
{
    for (uint32_t i = 0; i < rows->count; i++)
        encode_pair(user, (const zoo_gap *)rows->data + i, out, err);
    return FIRN_OK;
}

static firn_result decode_pairs(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < rows->count; i++)
        result = decode_pair(user, (zoo_gap *)rows->data + i, in, err);
    return result;
}

static void make_stage(stage *s, const firn_codec *codec)
{
    firn_component_desc desc = zoo_desc(ZOO_GAP);
    desc.name = "Sprite";
    desc.codec = codec;
    *s = (stage){.world = zoo_empty(NULL)};
    firn_component sprite = zoo_register(s->world, &desc);
    zoo_spawn_one(s->world, zoo_register(s->world, &(firn_component_desc){.name = "Other",
                                                                          .kind = FIRN_TAG}));
    for (int i = 0; i < ROWS; i++)
        s->entities[i] = zoo_spawn_one(s->world, sprite);
}

// A load of the world's own save fails at the row, in every form.
static void expect_fault(stage *s, fault what, uint32_t row, firn_result result)
{
    firn_error err, table_err;
    firn_buffer image = zoo_save(s->world);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *table = NULL;
    assert_ok(firn_snapshot_save_table(s->world, NULL, doc, &table, &err), &err);
    s->fault = what;
    s->row = row;
    s->next = 0;
    assert_int_equal(firn_snapshot_load(s->world, image.data, image.size, NULL, NULL, &err),
                     result);
    s->next = 0;
    assert_int_equal(firn_snapshot_merge(s->world, image.data, image.size, NULL, NULL, NULL),
                     result);
    s->next = 0;
    assert_int_equal(firn_snapshot_load_table(s->world, table, NULL, NULL, &table_err), result);
    s->fault = NOTHING;
    assert_error(&err, result, "Sprite");
    assert_int_equal(err.entity, s->entities[row]);
    assert_true(err.offset > 0 && err.offset < image.size);
    char path[64];
    snprintf(path, sizeof path, "archetypes[2].entities[%u][2]", row + 1);
    assert_error(&table_err, result, path);
    assert_int_equal(table_err.entity, s->entities[row]);
    firn_doc_destroy(doc);
    firn_buffer_free(&image);
}

static void expect_faults(stage *s)
{
    for (uint32_t row = 0; row < ROWS; row++) {
        expect_fault(s, REFUSE_READ, row, FIRN_REFUSED);
        expect_fault(s, REFUSE_LOOKED, row, FIRN_REFUSED);
        expect_fault(s, REFUSE_BEGUN, row, FIRN_REFUSED);
        expect_fault(s, WRONG_KIND, row, FIRN_CORRUPT);
        expect_fault(s, SAY_NO, row, FIRN_REFUSED);
        expect_fault(s, SAY_NOTHING, row, FIRN_REFUSED);
    }
}

static void N6_what_a_codec_of_columns_refuses_names_the_entity(void **state)
{
    (void)state;
    stage s;
    firn_codec codec = {FIRN_ABI, "sprites", encode_pairs, decode_pairs, &s};
    make_stage(&s, &codec);
    expect_faults(&s);
    // The last value was not read: bytes are left.
    expect_fault(&s, STOP, ROWS - 1, FIRN_CORRUPT);
    firn_world_destroy(s.world);
}

static void N6_what_a_codec_of_rows_refuses_names_the_entity(void **state)
{
    (void)state;
    stage s;
    firn_row_codec row_codec = {FIRN_ABI, "sprite", encode_pair, decode_pair, &s};
    firn_codec codec;
    firn_error err;
    assert_ok(firn_row_codec_adapt(&row_codec, &codec, &err), &err);
    make_stage(&s, &codec);
    expect_faults(&s);
    firn_world_destroy(s.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(N6_what_a_codec_of_columns_refuses_names_the_entity),
        cmocka_unit_test(N6_what_a_codec_of_rows_refuses_names_the_entity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
