// What callbacks say that fill the message of their error and leave its code alone.
#include "api/snapshot_zoo.h"

#include <stdio.h>
#include <string.h>

#define REASON "the season is over"

// Which callback fails, and how it ends.
typedef struct stage {
    firn_world *world;
    const char *fails;
    bool silent;
} stage;

static firn_result answer(const stage *s, const char *name, firn_error *err)
{
    if (s->fails == NULL || strcmp(s->fails, name) != 0)
        return FIRN_OK;
    if (!s->silent)
        snprintf(err->message, sizeof err->message, "%s", REASON);
    return FIRN_REFUSED;
}

static firn_result on_save(void *user, firn_world *world, firn_writer *out, firn_error *err)
{
    (void)world;
    firn_write_bool(out, true);
    return answer(user, "save", err);
}

static firn_result on_check(void *user, firn_world *world, firn_reader *in, void **prepared,
                            firn_error *err)
{
    (void)world, (void)prepared, (void)in;
    return answer(user, "check", err);
}

static firn_result on_load(void *user, firn_world *world, firn_reader *in, firn_error *err)
{
    (void)world;
    firn_result result = answer(user, "load", err);
    if (result != FIRN_OK)
        firn_reader_refuse(in, "that entry");
    return result;
}

static firn_result on_finish(void *user, firn_world *world, const firn_prelude *prelude,
                             firn_error *err)
{
    (void)world, (void)prelude;
    return answer(user, "finish", err);
}

static firn_result on_encode(void *user, const firn_rows *rows, firn_writer *out, firn_error *err)
{
    for (uint32_t i = 0; i < rows->count; i++)
        firn_write_number(out, 1);
    return answer(user, "encode", err);
}

static firn_result on_decode(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    for (uint32_t i = 0; i < rows->count; i++)
        firn_read_number(in);
    return answer(user, "decode", err);
}

static firn_result on_encode_row(void *user, const void *row, firn_writer *out, firn_error *err)
{
    (void)row;
    firn_write_number(out, 1);
    return answer(user, "encode row", err);
}

static firn_result on_decode_row(void *user, void *row, firn_reader *in, firn_error *err)
{
    (void)row;
    firn_read_number(in);
    return answer(user, "decode row", err);
}

static firn_result on_event(void *user, firn_world *world, const firn_event *event, firn_error *err)
{
    (void)world;
    return answer(user, event->name, err);
}

static firn_result on_install(void *user, firn_world *world, firn_error *err)
{
    (void)world;
    return answer(user, "install", err);
}

static firn_result on_step(void *user, firn_world *world, double dt, firn_error *err)
{
    (void)world, (void)dt;
    return answer(user, "system", err);
}

static void observe_event(stage *s, const char *name)
{
    firn_error err;
    firn_observer_desc desc = {.event = name, .observe = on_event, .user = s};
    assert_int_not_equal(firn_observe(s->world, &desc, &err), 0);
}

static void make_stage(stage *s, firn_row_codec *rows, firn_codec codecs[2])
{
    firn_error err;
    *s = (stage){.world = zoo_empty(NULL)};
    *rows = (firn_row_codec){FIRN_ABI, "one", on_encode_row, on_decode_row, s};
    codecs[0] = (firn_codec){FIRN_ABI, "all", on_encode, on_decode, s};
    assert_ok(firn_row_codec_adapt(rows, &codecs[1], &err), &err);
    for (int i = 0; i < 2; i++) {
        firn_component_desc desc = zoo_desc(ZOO_GAP);
        desc.name = codecs[i].name;
        desc.codec = &codecs[i];
        zoo_spawn_one(s->world, zoo_register(s->world, &desc));
    }
    firn_handler handler = {.abi = FIRN_ABI,
                            .name = "season",
                            .save = on_save,
                            .check = on_check,
                            .load = on_load,
                            .finish = on_finish,
                            .user = s};
    assert_ok(firn_handler_add(s->world, &handler, &err), &err);
    assert_int_not_equal(firn_event_register(s->world, "Hit", &err), 0);
    observe_event(s, "Hit");
    observe_event(s, "OnSnapshotSave");
    firn_system_desc system = {.name = "autumn", .run = on_step, .user = s};
    assert_int_not_equal(firn_system_add(s->world, &system, &err), 0);
}

static firn_result saves(stage *s, firn_error *err)
{
    firn_buffer image = {0};
    firn_result result = firn_snapshot_save(s->world, NULL, &image, err);
    firn_buffer_free(&image);
    return result;
}

static firn_result loads(stage *s, firn_error *err)
{
    const char *fails = s->fails;
    s->fails = NULL;
    firn_buffer image = zoo_save(s->world);
    s->fails = fails;
    firn_result result = firn_snapshot_load(s->world, image.data, image.size, NULL, NULL, err);
    firn_buffer_free(&image);
    return result;
}

static firn_result installs(stage *s, firn_error *err)
{
    firn_plugin plugin = {.abi = FIRN_ABI, .name = "seasons", .install = on_install, .user = s};
    return firn_plugin_add(s->world, &plugin, err);
}

static firn_result emits(stage *s, firn_error *err)
{
    return firn_emit(s->world, firn_event_find(s->world, "Hit"), 0, NULL, 0, err);
}

static firn_result steps(stage *s, firn_error *err)
{
    return firn_world_step(s->world, 1, err);
}

static const struct {
    const char *callback;
    firn_result (*run)(stage *s, firn_error *err);
    const char *silent; // what is said where the callback says nothing
} failures[] = {
    {"save", saves, "handler season: a callback refused"},
    {"encode", saves, "codec all of all: a callback refused"},
    {"encode row", saves, "codec one of one: a callback refused"},
    {"OnSnapshotSave", saves, "OnSnapshotSave: a callback refused"},
    {"check", loads, "handler season: a callback refused"},
    {"load", loads, "handler season: that entry"},
    {"finish", loads, "handler season: a callback refused"},
    {"decode", loads, "codec all of all: a callback refused"},
    {"decode row", loads, "codec one of one: a callback refused"},
    {"install", installs, "plugin seasons: a callback refused"},
    {"Hit", emits, "an observer of Hit: a callback refused"},
    {"system", steps, "the system \"autumn\" failed"},
};

static void expect_failure(size_t i, bool silent, const char *words)
{
    stage s;
    firn_row_codec rows;
    firn_codec codecs[2];
    firn_error err;
    make_stage(&s, &rows, codecs);
    assert_ok(failures[i].run(&s, &err), &err);
    if (failures[i].run == installs)
        assert_ok(firn_plugin_remove(s.world, "seasons", &err), &err);
    s.fails = failures[i].callback;
    s.silent = silent;
    assert_int_equal(failures[i].run(&s, &err), FIRN_REFUSED);
    assert_error(&err, FIRN_REFUSED, "");
    if (strstr(err.message, words) == NULL)
        fail_msg("%s: \"%s\", not \"%s\"", failures[i].callback, err.message, words);
    firn_world_destroy(s.world);
}

static void a_message_counts_though_the_code_was_left_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        expect_failure(i, false, REASON);
}

static void a_callback_that_says_nothing_has_said_no(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        expect_failure(i, true, failures[i].silent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_counts_though_the_code_was_left_alone),
        cmocka_unit_test(a_callback_that_says_nothing_has_said_no),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
