// Components that a codec saves.
#include "api/snapshot_zoo.h"

#include <stdlib.h>
#include <string.h>

// A handle into a table of the game: saved by name.
typedef struct sprite {
    int32_t slot;
} sprite;

static const char *const sprite_names[] = {"none", "hero", "tree", "a name of more bytes than fit"};

// What the codec does, and what it saw.
typedef struct ways {
    uint32_t encodes, decodes, drops, rows; // calls, and rows in them
    int encode_more;                        // values written beyond the rows, or left out
    int decode_less;                        // values not read
    firn_result answer;                     // of a codec that fails
    const char *message;
    uint32_t fail_row; // the row at which it fails; UINT32_MAX never
    bool meddle;       // calls what it may not
    firn_world *world;
    firn_component component;
} ways;

static firn_result fail_codec(const ways *how, const firn_rows *rows, firn_error *err)
{
    if (how->message != NULL) {
        err->code = how->answer;
        err->entity = rows->entities[how->fail_row];
        strcpy(err->message, how->message);
    }
    return how->answer;
}

static void meddle(const ways *how, const firn_rows *rows)
{
    firn_error err;
    firn_world *world = how->world;
    firn_buffer out = {0};
    firn_hash hash;
    firn_entity other = rows->entities[0];
    sprite row = {1};
#define BUSY(call)                                                                                 \
    assert_int_equal((call), FIRN_BUSY);                                                           \
    assert_error(&err, FIRN_BUSY, "Sprite")
    assert_int_equal(firn_spawn(world, NULL, 0, &err), 0);
    assert_error(&err, FIRN_BUSY, "Sprite");
    BUSY(firn_spawn_many(world, NULL, 0, 1, NULL, &err));
    BUSY(firn_despawn(world, other, &err));
    BUSY(firn_add(world, other, &how->component, 1, &err));
    BUSY(firn_remove(world, other, &how->component, 1, &err));
    BUSY(firn_set(world, other, how->component, &row, &err));
    BUSY(firn_set_text(world, other, firn_name(world), "x", &err));
    BUSY(firn_flush(world, &err));
    BUSY(firn_world_set_tick(world, 1, &err));
    BUSY(firn_snapshot_save(world, NULL, &out, &err));
    BUSY(firn_snapshot_load(world, "", 1, NULL, NULL, &err));
    BUSY(firn_world_hash(world, &hash, NULL, NULL, &err));
    firn_component_desc tag = {.name = "made in a codec", .kind = FIRN_TAG};
    assert_int_equal(firn_component_register(world, &tag, &err), 0);
    assert_error(&err, FIRN_BUSY, "Sprite");
#undef BUSY
}

static firn_result encode_sprites(void *user, const firn_rows *rows, firn_writer *out,
                                  firn_error *err)
{
    ways *how = user;
    const sprite *sprites = rows->data;
    how->encodes++;
    how->rows += rows->count;
    if (how->meddle)
        meddle(how, rows);
    int count = (int)rows->count + how->encode_more;
    for (int i = 0; i < count; i++) {
        if ((uint32_t)i == how->fail_row)
            return fail_codec(how, rows, err);
        int32_t slot = i < (int)rows->count ? sprites[i].slot : 0;
        if (slot < 0)
            firn_write_nil(out);
        else
            firn_write_text(out, sprite_names[slot]);
    }
    return FIRN_OK;
}

static int32_t find_sprite(const char *name, size_t size)
{
    for (int32_t i = 0; i < 4; i++)
        if (strlen(sprite_names[i]) == size && memcmp(sprite_names[i], name, size) == 0)
            return i;
    return -1;
}

// A name, or a table {slot = n} of an older save.
static int32_t read_sprite(firn_reader *in)
{
    size_t size;
    if (firn_read_kind(in) != FIRN_VALUE_TABLE) {
        const char *name = firn_read_string(in, &size);
        int32_t slot = name != NULL ? find_sprite(name, size) : 0;
        return slot;
    }
    firn_table_head head = firn_read_table(in);
    int32_t slot = 0;
    for (uint32_t i = 0; i < head.map_count; i++) {
        firn_read_string(in, &size);
        slot = (int32_t)firn_read_number(in);
    }
    return slot;
}

static firn_result decode_sprites(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    ways *how = user;
    sprite *sprites = rows->data;
    how->decodes++;
    how->rows += rows->count;
    if (how->meddle)
        meddle(how, rows);
    for (uint32_t i = 0; (int)i < (int)rows->count - how->decode_less; i++) {
        assert_int_equal(sprites[i].slot, 99); // the default row
        if (i == how->fail_row)
            return fail_codec(how, rows, err);
        int32_t slot = read_sprite(in);
        if (slot < 0) {
            firn_reader_refuse(in, "no such sprite");
            return FIRN_REFUSED;
        }
        if (firn_reader_failed(in))
            return firn_reader_end(in, err);
        sprites[i].slot = slot;
    }
    return FIRN_OK;
}

static void drop_sprites(void *user, const firn_rows *rows)
{
    ways *how = user;
    firn_error err;
    how->drops += rows->count;
    if (how->world == NULL)
        return;
    assert_int_equal(firn_spawn(how->world, NULL, 0, &err), 0);
    assert_error(&err, FIRN_BUSY, "Sprite");
}

typedef struct stage {
    firn_world *world;
    firn_component sprite, tag;
    ways *how;
} stage;

static firn_codec sprite_codec(ways *how)
{
    return (firn_codec){.abi = FIRN_ABI,
                        .name = "sprites",
                        .encode = encode_sprites,
                        .decode = decode_sprites,
                        .user = how};
}

static const firn_field sprite_fields[] = {FIRN_FIELD(sprite, slot, FIRN_I32)};
static const sprite default_sprite = {99};

static stage stage_make(test_allocator *memory, ways *how)
{
    stage s = {.world = zoo_empty(memory), .how = how};
    firn_component_desc tag = zoo_desc(ZOO_TAG);
    firn_component_desc desc = zoo_struct("Sprite", sizeof(sprite), sprite_fields, 1);
    firn_codec codec = sprite_codec(how);
    desc.default_row = &default_sprite;
    desc.codec = how != NULL ? &codec : NULL;
    desc.hooks = (firn_hooks){.drop = how != NULL ? drop_sprites : NULL, .user = how};
    s.tag = zoo_register(s.world, &tag);
    s.sprite = zoo_register(s.world, &desc);
    if (how != NULL) {
        how->world = s.world;
        how->component = s.sprite;
    }
    return s;
}

// Five entities in two archetypes, with these sprites.
static void stage_fill(const stage *s, const int32_t slots[5])
{
    firn_error err;
    for (int i = 0; i < 5; i++) {
        firn_entity entity = zoo_spawn_one(s->world, s->sprite);
        sprite row = {slots[i]};
        assert_ok(firn_set(s->world, entity, s->sprite, &row, &err), &err);
        if (i >= 3)
            assert_ok(firn_add(s->world, entity, &s->tag, 1, &err), &err);
    }
}

static ways good_ways(void)
{
    return (ways){.fail_row = UINT32_MAX};
}

static int32_t slot_of(const stage *s, firn_entity entity)
{
    const sprite *row = firn_get(s->world, entity, s->sprite);
    return row != NULL ? row->slot : INT32_MIN;
}

static const int32_t some_slots[5] = {3, 1, 0, 2, 1};

static void T12_a_codec_runs_once_for_a_run_of_rows(void **state)
{
    (void)state;
    ways how = good_ways();
    stage s = stage_make(NULL, &how);
    stage_fill(&s, some_slots);
    firn_buffer image = zoo_save(s.world);
    assert_int_equal(how.encodes, 2);
    assert_int_equal(how.rows, 5);
    how.rows = 0;
    zoo_load(s.world, &image);
    assert_int_equal(how.decodes, 2);
    assert_int_equal(how.rows, 5);
    for (uint64_t id = 1; id <= 5; id++)
        assert_int_equal(slot_of(&s, id), some_slots[id - 1]);
    assert_saves_as(s.world, &image);
    firn_hash live = zoo_hash(s.world), saved;
    firn_error err;
    assert_ok(firn_image_hash(image.data, image.size, NULL, &saved, NULL, NULL, &err), &err);
    assert_int_equal(live.total, saved.total);
    firn_buffer_free(&image);
    firn_world_destroy(s.world);
}

static void T12_nil_leaves_the_component_out_and_the_entity_in(void **state)
{
    (void)state;
    ways how = good_ways();
    stage s = stage_make(NULL, &how);
    stage_fill(&s, (const int32_t[]){-1, 1, -1, 2, -1});
    firn_buffer image = zoo_save(s.world);
    zoo_load(s.world, &image);
    assert_int_equal(firn_entity_count(s.world), 5);
    for (uint64_t id = 1; id <= 5; id += 2)
        assert_false(firn_has(s.world, id, s.sprite));
    assert_int_equal(slot_of(&s, 2), 1);
    assert_int_equal(slot_of(&s, 4), 2);
    assert_true(firn_has(s.world, 5, s.tag));
    // From the second save on such a world is exact.
    firn_buffer second = zoo_save(s.world);
    zoo_load(s.world, &second);
    assert_saves_as(s.world, &second);
    firn_buffer_free(&image);
    firn_buffer_free(&second);
    firn_world_destroy(s.world);
}

// ---- codecs that do not do what they should

static void expect_failed_save(const stage *s, firn_result result, const char *part)
{
    firn_error err;
    firn_buffer out = {0};
    assert_ok(firn_buffer_append(&out, "old", 3, &err), &err);
    assert_int_equal(firn_snapshot_save(s->world, NULL, &out, &err), result);
    assert_error(&err, result, "Sprite");
    if (strstr(err.message, part) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", part, err.message);
    assert_int_equal(out.size, 0);
    firn_hash hash;
    assert_int_equal(firn_world_hash(s->world, &hash, NULL, NULL, &err), result);
    assert_error(&err, result, "Sprite");
    firn_buffer_free(&out);
}

static void T12_a_codec_that_writes_too_much_or_too_little_fails_the_save(void **state)
{
    (void)state;
    ways how = good_ways();
    stage s = stage_make(NULL, &how);
    stage_fill(&s, some_slots);
    firn_buffer before = zoo_save(s.world);
    how.encode_more = 1;
    expect_failed_save(&s, FIRN_INVALID, "codec sprites");
    how.encode_more = -1;
    expect_failed_save(&s, FIRN_INVALID, "wrote 2 values for 3 rows");
    how.encode_more = -2;
    expect_failed_save(&s, FIRN_INVALID, "wrote 1 values for 3 rows");
    how.encode_more = 0;
    assert_saves_as(s.world, &before);
    firn_buffer_free(&before);
    firn_world_destroy(s.world);
}

static void T12_a_codec_that_fails_fails_the_save_with_its_reason(void **state)
{
    (void)state;
    ways how = good_ways();
    stage s = stage_make(NULL, &how);
    stage_fill(&s, some_slots);
    firn_buffer before = zoo_save(s.world);
    how.fail_row = 1;
    how.answer = FIRN_REFUSED;
    how.message = "this sprite is a secret";
    expect_failed_save(&s, FIRN_REFUSED, "this sprite is a secret");
    how.message = NULL;
    expect_failed_save(&s, FIRN_REFUSED, "a callback refused");
    how = good_ways();
    how.world = s.world;
    assert_saves_as(s.world, &before);
    firn_buffer_free(&before);
    firn_world_destroy(s.world);
}

static firn_result encode_unended(void *user, const firn_rows *rows, firn_writer *out,
                                  firn_error *err)
{
    (void)err;
    const char *what = user;
    for (uint32_t i = 0; i < rows->count; i++) {
        if (*what == 'o') {
            firn_write_table(out, 2, 0);
            firn_write_bool(out, true);
        } else {
            firn_write_table(out, 0, 1);
            firn_write_number(out, 0.0 / (*what == 'n' ? 0.0 : 1.0)); // NaN as a key
            firn_write_bool(out, true);
        }
    }
    return FIRN_OK;
}

static void T12_a_codec_that_leaves_a_table_open_or_writes_a_nan_key_fails_the_save(void **state)
{
    (void)state;
    static char what[][5] = {"open", "nan"};
    for (int i = 0; i < 2; i++) {
        firn_world *world = zoo_empty(NULL);
        firn_component_desc desc = zoo_struct("Sprite", sizeof(sprite), sprite_fields, 1);
        firn_codec codec = sprite_codec(NULL);
        codec.encode = encode_unended;
        codec.user = what[i];
        desc.codec = &codec;
        stage s = {.world = world, .sprite = zoo_register(world, &desc)};
        zoo_spawn_one(world, s.sprite);
        expect_failed_save(&s, FIRN_INVALID, "codec sprites");
        firn_world_destroy(world);
    }
}

static void expect_failed_load(const stage *s, const firn_buffer *image, firn_result result,
                               const char *part)
{
    firn_error err;
    firn_load_report report;
    ways how = *s->how;
    *s->how = good_ways();
    firn_buffer before = zoo_save(s->world);
    how.rows = how.drops = 0;
    *s->how = how;
    assert_int_equal(firn_snapshot_load(s->world, image->data, image->size, NULL, &report, &err),
                     result);
    firn_load_report_free(&report);
    assert_error(&err, result, "Sprite");
    if (strstr(err.message, part) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", part, err.message);
    assert_false(report.committed);
    // Every row that was handed to the codec went to the drop hook.
    assert_int_equal(s->how->drops, s->how->rows);
    *s->how = good_ways();
    s->how->world = s->world;
    s->how->component = s->sprite;
    assert_saves_as(s->world, &before);
    firn_buffer_free(&before);
}

static void N12_a_codec_that_fails_at_a_load_leaves_the_world(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    ways how = good_ways();
    stage s = stage_make(&memory, &how);
    stage_fill(&s, some_slots);
    firn_buffer image = zoo_save(s.world);
    firn_error err;
    assert_ok(firn_despawn(s.world, 2, &err), &err);
    zoo_spawn_one(s.world, s.tag);

    how = good_ways();
    how.fail_row = 1;
    how.answer = FIRN_REFUSED;
    how.message = "this sprite is gone";
    expect_failed_load(&s, &image, FIRN_REFUSED, "this sprite is gone");
    how.fail_row = 2;
    how.answer = FIRN_NOT_FOUND;
    expect_failed_load(&s, &image, FIRN_NOT_FOUND, "the named thing does not exist");
    how.decode_less = 1;
    expect_failed_load(&s, &image, FIRN_CORRUPT, "codec sprites");

    // A name that is no sprite: the codec read it and refuses there.
    for (size_t i = 0; i + 4 < image.size; i++)
        if (memcmp(image.data + i, "tree", 4) == 0) {
            image.data[i] = 'f';
            expect_failed_load(&s, &image, FIRN_REFUSED, "no such sprite");
            assert_int_equal(firn_snapshot_load(s.world, image.data, image.size, NULL, NULL, &err),
                             FIRN_REFUSED);
            assert_int_equal(err.offset, i - 1);
        }
    firn_buffer_free(&image);
    firn_world_destroy(s.world);
    assert_no_leak(&memory);
}

static void F7_a_load_that_fails_later_tells_what_was_unknown(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    firn_error err;
    ways how = good_ways(), other = good_ways();
    stage source = stage_make(NULL, &other), s = stage_make(&memory, &how);
    firn_component_desc point = zoo_desc(ZOO_POINT);
    stage_fill(&source, some_slots);
    zoo_spawn_one(source.world, zoo_register(source.world, &point));
    firn_buffer image = zoo_save(source.world);
    how.fail_row = 0;
    how.answer = FIRN_REFUSED;
    firn_load_options options = {.skip_unknown = true};
    firn_load_report report;
    assert_int_equal(firn_snapshot_load(s.world, image.data, image.size, &options, &report, &err),
                     FIRN_REFUSED);
    assert_int_equal(firn_entity_count(s.world), 0);
    zoo_notes notes = zoo_take_notes(&report);
    assert_int_equal(notes.count, 1);
    assert_note(&notes, FIRN_NOTICE_UNKNOWN, "zoo.Point", "", 1);
    // Its components stand in the save, and nowhere else in the world.
    firn_component both[] = {s.sprite, s.tag};
    zoo_spawn(s.world, both, 2);
    assert_int_equal(slot_of(&s, 1), 99);
    assert_ok(firn_despawn(s.world, 1, &err), &err);
    firn_buffer_free(&image);
    firn_world_destroy(source.world);
    firn_world_destroy(s.world);
    assert_no_leak(&memory);
}

static void T12_a_codec_may_not_change_the_world(void **state)
{
    (void)state;
    ways how = good_ways();
    stage s = stage_make(NULL, &how);
    stage_fill(&s, some_slots);
    firn_buffer before = zoo_save(s.world);
    how.meddle = true;
    assert_saves_as(s.world, &before);
    zoo_load(s.world, &before);
    how.meddle = false;
    assert_saves_as(s.world, &before);
    firn_buffer_free(&before);
    firn_world_destroy(s.world);
}

// ---- saved one way, registered another

static void T13_rows_saved_raw_go_to_a_codec_as_tables(void **state)
{
    (void)state;
    ways how = good_ways();
    stage raw = stage_make(NULL, NULL), coded = stage_make(NULL, &how);
    stage_fill(&raw, some_slots);
    firn_buffer image = zoo_save(raw.world);
    zoo_load(coded.world, &image);
    assert_int_equal(how.decodes, 2);
    for (uint64_t id = 1; id <= 5; id++)
        assert_int_equal(slot_of(&coded, id), some_slots[id - 1]);
    firn_buffer_free(&image);
    firn_world_destroy(raw.world);
    firn_world_destroy(coded.world);
}

// Writes {slot = n} and a field that no one knows.
static firn_result encode_tables(void *user, const firn_rows *rows, firn_writer *out,
                                 firn_error *err)
{
    (void)user;
    (void)err;
    for (uint32_t i = 0; i < rows->count; i++) {
        firn_write_table(out, 0, 2);
        firn_write_text(out, "old");
        firn_write_bool(out, true);
        firn_write_text(out, "slot");
        firn_write_number(out, 5 + i);
    }
    return FIRN_OK;
}

static firn_result decode_nothing(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)user;
    (void)in;
    (void)rows;
    (void)err;
    return FIRN_REFUSED;
}

static void T13_rows_saved_by_a_codec_go_to_a_plain_struct_by_field_name(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_component_desc desc = zoo_struct("Sprite", sizeof(sprite), sprite_fields, 1);
    firn_codec codec = {.abi = FIRN_ABI, .encode = encode_tables, .decode = decode_nothing};
    codec.name = "tables";
    desc.codec = &codec;
    firn_component component = zoo_register(world, &desc);
    for (int i = 0; i < 3; i++)
        zoo_spawn_one(world, component);
    firn_buffer image = zoo_save(world);
    stage plain = stage_make(NULL, NULL);
    firn_load_report report;
    assert_ok(firn_snapshot_load(plain.world, image.data, image.size, NULL, &report, &err), &err);
    zoo_notes notes = zoo_take_notes(&report);
    for (uint64_t id = 1; id <= 3; id++)
        assert_int_equal(slot_of(&plain, id), 4 + (int)id);
    assert_int_equal(notes.count, 1);
    assert_note(&notes, FIRN_NOTICE_REMOVED, "Sprite", "", 3);
    firn_buffer_free(&image);
    firn_world_destroy(world);
    firn_world_destroy(plain.world);
}

static void T13_rows_saved_as_names_do_not_load_into_a_plain_struct(void **state)
{
    (void)state;
    firn_error err;
    ways how = good_ways();
    stage coded = stage_make(NULL, &how), plain = stage_make(NULL, NULL);
    stage_fill(&coded, some_slots);
    stage_fill(&plain, some_slots);
    firn_buffer image = zoo_save(coded.world), before = zoo_save(plain.world);
    firn_result result = firn_snapshot_load(plain.world, image.data, image.size, NULL, NULL, &err);
    assert_int_not_equal(result, FIRN_OK);
    assert_error(&err, result, "Sprite");
    assert_int_equal(err.entity, 1);
    assert_saves_as(plain.world, &before);
    firn_buffer_free(&image);
    firn_buffer_free(&before);
    firn_world_destroy(coded.world);
    firn_world_destroy(plain.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T12_a_codec_runs_once_for_a_run_of_rows),
        cmocka_unit_test(T12_nil_leaves_the_component_out_and_the_entity_in),
        cmocka_unit_test(T12_a_codec_that_writes_too_much_or_too_little_fails_the_save),
        cmocka_unit_test(T12_a_codec_that_fails_fails_the_save_with_its_reason),
        cmocka_unit_test(T12_a_codec_that_leaves_a_table_open_or_writes_a_nan_key_fails_the_save),
        cmocka_unit_test(N12_a_codec_that_fails_at_a_load_leaves_the_world),
        cmocka_unit_test(F7_a_load_that_fails_later_tells_what_was_unknown),
        cmocka_unit_test(T12_a_codec_may_not_change_the_world),
        cmocka_unit_test(T13_rows_saved_raw_go_to_a_codec_as_tables),
        cmocka_unit_test(T13_rows_saved_by_a_codec_go_to_a_plain_struct_by_field_name),
        cmocka_unit_test(T13_rows_saved_as_names_do_not_load_into_a_plain_struct),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
