// A saved game goes on as if it had never been saved, also where only what persists is saved:
// random histories of a game of three scenes, saved at one tick and loaded in the same process, in
// another one, and from another scene.
//
//     history_saves                  50 histories; FIRN_HISTORIES: as many
//     history_saves COUNT [SEED]     so many, from this one on
#include "unit/os_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/history_runs.h"

static const char *own_path;
static uint32_t history_total = 50, first_seed = 1000;

static history_options options_of(uint32_t seed, bool moving_scenery)
{
    return (history_options){.seed = seed,
                             .kind = FIRN_SAVES_PERSISTED,
                             .moving_scenery = moving_scenery,
                             .first_scene = seed % 3};
}

// Another game, somewhere on its way.
static history *make_another(const history_options *options)
{
    history_options other = *options;
    other.seed = ~options->seed;
    other.first_scene = (options->seed + 1) % 3;
    history *h = history_make(&other);
    history_ticks(h, options->seed % 9);
    return h;
}

// ---- the same process

static void load_in_same_process(bool moving_scenery)
{
    for (uint32_t seed = first_seed; seed < first_seed + history_total; seed++) {
        const history_options options = options_of(seed, moving_scenery);
        history_run run;
        history *h = history_run_make(&run, &options);
        history_ticks(h, seed % 11);
        history_run_again(&run, h, "in the same game");
        // And where scenery and more may have other ids.
        history_go(h, (h->scene + 1) % 3);
        history_ticks(h, seed % 5);
        history_go(h, (h->scene + 1 + seed % 2) % 3);
        history_run_again(&run, h, "from another scene of the same game");
        firn_buffer_free(&run.save);
        history_destroy(h);
    }
}

static void K15_a_load_in_the_same_process_goes_on_as_the_run_did(void **state)
{
    (void)state;
    load_in_same_process(false);
}

static void K15_with_scenery_a_load_in_the_same_process_goes_on_with_what_persists(void **state)
{
    (void)state;
    load_in_same_process(true);
}

// ---- another scene

static void load_in_another_game(bool moving_scenery)
{
    for (uint32_t seed = first_seed; seed < first_seed + history_total; seed++) {
        const history_options options = options_of(seed, moving_scenery);
        history_run run;
        history_destroy(history_run_make(&run, &options));
        history *h = make_another(&options);
        firn_save_file *file = firn_save_file_open(run.save.data, run.save.size, NULL, NULL);
        assert_non_null(file);
        const char *level = firn_save_file_header(file)->level;
        if (strcmp(history_scene_name(h->scene), level) == 0)
            history_go(h, (h->scene + 1) % 3);
        firn_save_file_close(file);
        history_run_again(&run, h, "from another scene");
        firn_buffer_free(&run.save);
        history_destroy(h);
    }
}

static void K15_a_load_from_another_scene_goes_on_as_the_run_did(void **state)
{
    (void)state;
    load_in_another_game(false);
}

static void K15_with_scenery_a_load_from_another_scene_goes_on_with_what_persists(void **state)
{
    (void)state;
    load_in_another_game(true);
}

// ---- beside somebody whom nobody saved

static void K15_beside_a_guest_what_persists_goes_on_and_spawns_the_same_ids(void **state)
{
    (void)state;
    for (uint32_t seed = first_seed; seed < first_seed + history_total; seed++) {
        const history_options options = options_of(seed, true);
        history *direct = history_make(&options), *h = make_another(&options);
        history_ticks(direct, 5 + seed % 50);
        firn_entity guest = history_invite(h);
        firn_buffer save = history_save(direct);
        history_load(h, save.data, save.size);
        assert_int_equal(firn_entity_count(h->world), firn_entity_count(direct->world) + 1);
        for (uint32_t i = 0; i < HISTORY_AFTER; i++) {
            history_tick(direct);
            history_tick(h);
            history_compare_beside(direct, h);
            assert_true(firn_alive(h->world, guest));
        }
        firn_buffer_free(&save);
        history_destroy(direct);
        history_destroy(h);
    }
}

// ---- another process

static void path_of(char *out, size_t room, const char *folder, uint32_t seed)
{
    assert_true(snprintf(out, room, "%s/%u", folder, (unsigned)seed) < (int)room);
}

static void write_run(const char *folder, const history_run *run)
{
    char path[PATH_MAX];
    path_of(path, sizeof path, folder, run->options.seed);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(run, sizeof *run, 1, file), 1);
    assert_int_equal(fwrite(run->save.data, run->save.size, 1, file), 1);
    assert_int_equal(fclose(file), 0);
}

// What the other process does with each run: a new game loads its save and goes on.
static void resume_all(const char *folder)
{
    char path[PATH_MAX];
    for (uint32_t seed = first_seed; seed < first_seed + history_total; seed++) {
        size_t size;
        history_run run;
        path_of(path, sizeof path, folder, seed);
        uint8_t *bytes = test_read_file(path, &size);
        assert_true(size > sizeof run);
        memcpy(&run, bytes, sizeof run);
        run.save = (firn_buffer){.data = bytes + sizeof run, .size = size - sizeof run};
        history_options options = run.options;
        options.seed = 0;
        options.first_scene = seed / 3 % 3;
        history *h = history_make(&options);
        history_run_again(&run, h, "in another process");
        history_destroy(h);
        free(bytes);
    }
}

static void load_in_another_process(const os_folder *folder, bool moving_scenery)
{
    for (uint32_t seed = first_seed; seed < first_seed + history_total; seed++) {
        const history_options options = options_of(seed, moving_scenery);
        history_run run;
        history_destroy(history_run_make(&run, &options));
        write_run(folder->path, &run);
        firn_buffer_free(&run.save);
    }
    const char *launcher = getenv("FIRN_TEST_LAUNCHER"); // an emulator, perhaps
    char command[2 * PATH_MAX];
    int size = snprintf(command, sizeof command, "%s '%s' %u %u '%s'", launcher ? launcher : "",
                        own_path, (unsigned)history_total, (unsigned)first_seed, folder->path);
    assert_true(size < (int)sizeof command);
    assert_int_equal(system(command), 0);
}

static void K15_a_load_in_another_process_goes_on_as_the_run_did(void **state)
{
    load_in_another_process(*state, false);
}

static void K15_with_scenery_a_load_in_another_process_goes_on_with_what_persists(void **state)
{
    load_in_another_process(*state, true);
}

// ---- what the histories are made of

typedef struct history_sums {
    uint32_t of[HISTORY_KINDS]; // archetypes that have it, at every tick
    uint32_t items[FIRN_SCRIPT_CURSOR + 1];
    uint32_t scenes[3], carried, children, called, remembering, hidden, dreaming, deep, silent;
    uint32_t undrawn; // ticks without any stream of the world
} history_sums;

static void add_up(history *h, history_sums *sums)
{
    firn_world *world = h->world;
    firn_iter it;
    firn_iter_begin(world, h->creatures, &it);
    while (firn_iter_next(&it)) {
        firn_entity one = it.entities[0];
        for (uint32_t kind = 0; kind < HISTORY_KINDS; kind++)
            sums->of[kind] += firn_has(world, one, h->of[kind]);
        sums->carried += firn_has(world, one, firn_carry_component(world));
        sums->children += !firn_has(world, one, firn_persist_component(world));
        sums->called += firn_has(world, one, firn_key(world));
        sums->remembering += firn_has(world, one, firn_vars_component(world));
        sums->hidden += firn_has(world, one, firn_disabled(world));
        sums->dreaming += firn_has(world, one, firn_state_tag(world, h->states[1]));
    }
    assert_ok(firn_iter_end(&it, NULL), NULL);
    for (firn_script_kind kind = FIRN_SCRIPT_EVENT; kind <= FIRN_SCRIPT_CURSOR; kind++)
        sums->items[kind] += firn_script_list(world, kind, 0, NULL, 0);
    sums->scenes[h->scene]++;
    sums->undrawn += history_tally_of(h)->late && history_tally_of(h)->dice == 0;
    sums->deep += firn_state_depth(world) > 1;
    sums->silent += !firn_phase_enabled(world, firn_phase_find(world, "Howling"));
}

static void the_histories_have_all_that_a_save_brings_back(void **state)
{
    (void)state;
    history_sums sums = {.carried = 0};
    history_tally all = {.rings = 0};
    uint32_t done[HISTORY_ACTIONS] = {0};
    for (uint32_t seed = 0; seed < 10; seed++) {
        const history_options options = options_of(seed, false);
        history *h = history_make(&options);
        for (uint32_t tick = 0; tick < 80; tick++) {
            history_tick(h);
            add_up(h, &sums);
        }
        const history_tally *tally = history_tally_of(h);
        all.rings += tally->rings;
        all.storms += tally->storms;
        all.dawns += tally->dawns;
        all.cheers += tally->cheers;
        all.dice += tally->dice;
        all.camp_until += tally->camp_until;
        for (uint32_t i = 0; i < HISTORY_ACTIONS; i++)
            done[i] += h->done[i];
        history_destroy(h);
    }
    for (uint32_t kind = 0; kind < HISTORY_KINDS; kind++)
        assert_true(sums.of[kind] > 50 || (kind >= HISTORY_TALLY && kind <= HISTORY_SCENERY));
    for (uint32_t kind = FIRN_SCRIPT_EVENT; kind <= FIRN_SCRIPT_CURSOR; kind++)
        assert_true(sums.items[kind] > 50);
    for (uint32_t i = 0; i < HISTORY_ACTIONS; i++)
        assert_true(done[i] > 5);
    for (uint32_t scene = 0; scene < 3; scene++)
        assert_true(sums.scenes[scene] > 50);
    assert_true(sums.carried > 50 && sums.children > 50 && sums.called > 50);
    assert_true(sums.remembering > 50 && sums.hidden > 50 && sums.dreaming > 50);
    assert_true(sums.deep > 50 && sums.silent > 50 && sums.undrawn > 50);
    assert_true(all.rings > 50 && all.storms > 5 && all.dawns > 5 && all.cheers > 5);
    assert_true(all.dice > 5 && all.camp_until > 5);
}

int main(int argc, char **argv)
{
    own_path = argv[0];
    history_total = history_count("FIRN_HISTORIES", history_total);
    if (argc > 1)
        history_total = (uint32_t)strtoul(argv[1], NULL, 10);
    if (argc > 2)
        first_seed = (uint32_t)strtoul(argv[2], NULL, 10);
    if (argc > 3) {
        resume_all(argv[3]);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(K15_a_load_in_the_same_process_goes_on_as_the_run_did),
        cmocka_unit_test(K15_with_scenery_a_load_in_the_same_process_goes_on_with_what_persists),
        cmocka_unit_test(K15_a_load_from_another_scene_goes_on_as_the_run_did),
        cmocka_unit_test(K15_with_scenery_a_load_from_another_scene_goes_on_with_what_persists),
        cmocka_unit_test(K15_beside_a_guest_what_persists_goes_on_and_spawns_the_same_ids),
        os_test(K15_a_load_in_another_process_goes_on_as_the_run_did),
        os_test(K15_with_scenery_a_load_in_another_process_goes_on_with_what_persists),
        cmocka_unit_test(the_histories_have_all_that_a_save_brings_back),
    };
    return cmocka_run_group_tests_name("history_saves", tests, NULL, NULL);
}
