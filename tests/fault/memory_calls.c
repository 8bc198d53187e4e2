// Out of memory: every public call with each of its allocations failing, once and for ever. It says
// FIRN_NO_MEMORY and nothing has changed, or it does without; made again, it does what it should.
#include "fault/memory_scene.h"

#include "firn/json.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What a run came to.
typedef struct outcome {
    bool injected;
    uint64_t calls; // of the allocator
    firn_buffer end;
} outcome;

static firn_result make_call(scene *s, const memory_case *what, firn_error *err)
{
    *err = (firn_error){.code = FIRN_OK};
    firn_buffer_clear(&s->trace);
    return what->call(s, err);
}

static void say_where(const memory_case *what, uint64_t fail_call, bool for_ever)
{
    print_error("%s, allocation %llu failing %s:\n", what->functions, (unsigned long long)fail_call,
                for_ever ? "for ever" : "once");
}

// Both prints are the same.
static void compare(const firn_buffer *a, const firn_buffer *b, const char *which,
                    const memory_case *what, uint64_t fail_call, bool for_ever)
{
    if (a->size == b->size && memcmp(a->data, b->data, a->size) == 0)
        return;
    say_where(what, fail_call, for_ever);
    print_error("%s\n", which);
    assert_same_bytes(a, b);
}

static void check_failure(const firn_error *err, firn_result result, const memory_case *what,
                          uint64_t fail_call, bool for_ever)
{
    if (result == FIRN_NO_MEMORY && err->code == FIRN_NO_MEMORY && err->message[0] != 0)
        return;
    say_where(what, fail_call, for_ever);
    fail_msg("gives %s, the error says %s: \"%s\"", firn_result_name(result),
             firn_result_name(err->code), err->message);
}

static outcome run_case(const memory_source *source, const memory_case *what, uint64_t fail_call,
                        bool for_ever)
{
    scene *s = malloc(sizeof *s); // blocks know the address of their allocator
    assert_non_null(s);
    firn_error err;
    outcome run = {.injected = false};
    scene_make(s, source);
    if (what->prepare != NULL)
        what->prepare(s);
    firn_buffer before = scene_print(s);
    test_allocator_fail_at(&s->memory, fail_call, for_ever);
    firn_result result = make_call(s, what, &err);
    run.injected = s->memory.injected;
    run.calls = s->memory.calls;
    test_allocator_fail_at(&s->memory, 0, false);
    if (result != FIRN_OK) {
        check_failure(&err, result, what, fail_call, for_ever);
        assert_true(run.injected);
        firn_buffer after = scene_print(s);
        compare(&after, &before, "something changed", what, fail_call, for_ever);
        firn_buffer_free(&after);
        result = make_call(s, what, &err);
        if (result != FIRN_OK) {
            say_where(what, fail_call, for_ever);
            fail_msg("the second try gives %s: \"%s\"", firn_result_name(result), err.message);
        }
    }
    scene_close_loop(s);
    run.end = scene_print(s);
    if (s->trace.size > 0)
        assert_ok(firn_buffer_append(&run.end, s->trace.data, s->trace.size, &err), &err);
    firn_buffer_free(&before);
    scene_free(s);
    free(s);
    return run;
}

static void run_every_failure(const memory_source *source, const memory_case *what)
{
    outcome good = run_case(source, what, 0, false);
    if (what->takes_none != (good.calls == 0))
        fail_msg("%s: %llu allocations, and the table says %s", what->functions,
                 (unsigned long long)good.calls, what->takes_none ? "none" : "some");
    for (int for_ever = 0; for_ever < 2; for_ever++) {
        for (uint64_t fail_call = 1;; fail_call++) {
            outcome bad = run_case(source, what, fail_call, for_ever != 0);
            compare(&bad.end, &good.end, "it ends otherwise than with memory", what, fail_call,
                    for_ever != 0);
            firn_buffer_free(&bad.end);
            if (!bad.injected)
                break;
            assert_true(fail_call < 10000);
        }
    }
    firn_buffer_free(&good.end);
}

static void run_cases(const memory_case *cases)
{
    memory_source source = memory_source_make();
    for (const memory_case *what = cases; what->functions != NULL; what++)
        run_every_failure(&source, what);
    memory_source_free(&source);
}

static void values_without_memory_change_nothing(void **state)
{
    (void)state;
    run_cases(memory_value_cases);
}

static void N12_worlds_without_memory_change_nothing(void **state)
{
    (void)state;
    run_cases(memory_world_cases);
}

static void N12_snapshots_without_memory_change_nothing(void **state)
{
    (void)state;
    run_cases(memory_snapshot_cases);
}

static void N12_plugins_without_memory_change_nothing(void **state)
{
    (void)state;
    run_cases(memory_plugin_cases);
}

static void N12_events_without_memory_change_nothing(void **state)
{
    (void)state;
    run_cases(memory_event_cases);
}

static void N12_T5_relationships_without_memory_change_nothing(void **state)
{
    (void)state;
    run_cases(memory_relation_cases);
}

static void N12_games_without_memory_change_nothing(void **state)
{
    (void)state;
    run_cases(memory_game_cases);
}

static void N12_images_and_tables_without_memory_change_nothing(void **state)
{
    (void)state;
    run_cases(memory_image_cases);
}

static void F1_comparisons_without_memory_change_nothing(void **state)
{
    (void)state;
    run_cases(memory_diff_cases);
}

static void T2_salvages_without_memory_change_nothing(void **state)
{
    (void)state;
    run_cases(memory_salvage_cases);
}

static void S7_json_without_memory_changes_nothing(void **state)
{
    (void)state;
    if (firn_json_available())
        run_cases(memory_json_cases);
}

static void save_files_without_memory_change_nothing(void **state)
{
    (void)state;
    run_cases(memory_save_file_cases);
}

static void storages_without_memory_change_nothing(void **state)
{
    (void)state;
    run_cases(memory_storage_cases);
}

static void files_without_memory_change_nothing(void **state)
{
    (void)state;
    run_cases(memory_file_cases);
}

static void managers_of_saves_without_memory_change_nothing(void **state)
{
    (void)state;
    run_cases(memory_manager_cases);
}

static void persisted_entities_without_memory_change_nothing(void **state)
{
    (void)state;
    run_cases(memory_persist_cases);
}

static void N12_S9_shared_buses_and_replacements_without_memory_change_nothing(void **state)
{
    (void)state;
    run_cases(memory_replace_cases);
}

static void rewritten_images_and_saves_without_memory_change_nothing(void **state)
{
    (void)state;
    run_cases(memory_rewrite_cases);
}

static void K4_script_state_without_memory_changes_nothing(void **state)
{
    (void)state;
    run_cases(memory_script_cases);
}

static void slots_without_memory_change_nothing(void **state)
{
    (void)state;
    run_cases(memory_slots_cases);
}

// ---- nothing is left out

static bool is_listed(const char *functions, const char *name, size_t size)
{
    for (const char *at = functions; (at = strstr(at, name)) != NULL; at++)
        if ((at == functions || at[-1] == ' ') && (at[size] == ' ' || at[size] == 0))
            return true;
    return false;
}

static bool is_in_tables(const char *name)
{
    const memory_case *tables[] = {
        memory_value_cases,   memory_world_cases,     memory_snapshot_cases, memory_plugin_cases,
        memory_event_cases,   memory_relation_cases,  memory_game_cases,     memory_image_cases,
        memory_json_cases,    memory_storage_cases,   memory_manager_cases,  memory_slots_cases,
        memory_replace_cases, memory_save_file_cases, memory_persist_cases,  memory_diff_cases,
        memory_script_cases,  memory_file_cases,      memory_rewrite_cases,  memory_salvage_cases};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const memory_case *what = tables[i]; what->functions != NULL; what++)
            if (is_listed(what->functions, name, strlen(name)))
                return true;
    return false;
}

// The first `firn_...(` before the end of the declaration.
static bool declared_name(const char *at, char name[64])
{
    const char *end = strchr(at, ';');
    for (const char *word = at; (word = strstr(word, "firn_")) != NULL && word < end; word++) {
        size_t size = 0;
        while (isalnum((unsigned char)word[size]) || word[size] == '_')
            size++;
        if (word[size] != '(' || size >= 64)
            continue;
        memcpy(name, word, size);
        name[size] = 0;
        return true;
    }
    return false;
}

static void every_function_of_the_headers_is_in_the_tables(void **state)
{
    (void)state;
    static const char *const headers[] = {
        "base.h",    "value.h", "world.h", "snapshot.h", "plugin.h", "event.h",  "relation.h",
        "game.h",    "image.h", "json.h",  "storage.h",  "saves.h",  "bus.h",    "save_file.h",
        "replace.h", "class.h", "diff.h",  "script.h",   "file.h",   "rewrite.h"};
    uint32_t found = 0, missing = 0;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        char path[512], name[64];
        snprintf(path, sizeof path, FIRN_TEST_DATA "/../../include/firn/%s", headers[i]);
        size_t size;
        char *text = (char *)test_read_file(path, &size);
        for (const char *at = text; (at = strstr(at, "FIRN_API ")) != NULL; at++) {
            if (!declared_name(at, name))
                continue;
            found++;
            if (!is_in_tables(name)) {
                print_error("%s is in no table\n", name);
                missing++;
            }
        }
        free(text);
    }
    assert_true(found > 100);
    assert_int_equal(missing, 0);
}

// memory_calls [FILTER [SKIPPED]]: the tests whose names fit a pattern with `*`, and not the other.
int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    if (argc > 2)
        cmocka_set_skip_filter(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_of_the_headers_is_in_the_tables),
        cmocka_unit_test(values_without_memory_change_nothing),
        cmocka_unit_test(N12_worlds_without_memory_change_nothing),
        cmocka_unit_test(N12_snapshots_without_memory_change_nothing),
        cmocka_unit_test(N12_plugins_without_memory_change_nothing),
        cmocka_unit_test(N12_events_without_memory_change_nothing),
        cmocka_unit_test(N12_T5_relationships_without_memory_change_nothing),
        cmocka_unit_test(N12_games_without_memory_change_nothing),
        cmocka_unit_test(N12_images_and_tables_without_memory_change_nothing),
        cmocka_unit_test(F1_comparisons_without_memory_change_nothing),
        cmocka_unit_test(T2_salvages_without_memory_change_nothing),
        cmocka_unit_test(S7_json_without_memory_changes_nothing),
        cmocka_unit_test(save_files_without_memory_change_nothing),
        cmocka_unit_test(storages_without_memory_change_nothing),
        cmocka_unit_test(files_without_memory_change_nothing),
        cmocka_unit_test(managers_of_saves_without_memory_change_nothing),
        cmocka_unit_test(persisted_entities_without_memory_change_nothing),
        cmocka_unit_test(K4_script_state_without_memory_changes_nothing),
        cmocka_unit_test(slots_without_memory_change_nothing),
        cmocka_unit_test(rewritten_images_and_saves_without_memory_change_nothing),
        cmocka_unit_test(N12_S9_shared_buses_and_replacements_without_memory_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
