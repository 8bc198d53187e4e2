// SyncTest: at every tick a game goes back by 1 to 8 ticks and runs them again, and is all the time
// as one that never loads.
//
//     history_sync                 2,000 ticks with each kind of manager; FIRN_SYNC_TICKS: as many
//     history_sync TICKS [SEED]    so many, from this history on
#include <stdlib.h>

#include "api/history_runs.h"

enum { MOST_BACK = 8, TICKS_OF_ONE = 10000 };

static uint32_t first_seed = 1;
static uint32_t ticks_wanted = 2000;

// A game that loads, and one that does not.
typedef struct sync_pair {
    history *loads, *straight;
    firn_buffer saves[MOST_BACK + 1]; // of the last ticks, by the tick
    uint32_t tick;
} sync_pair;

static void fail_sync(sync_pair *pair, uint32_t back)
{
    print_error("seed %u, %s, is another one at tick %u, %u ticks behind a load:\n",
                (unsigned)pair->straight->options.seed,
                pair->straight->options.kind == FIRN_SAVES_WORLD ? "whole world" : "persisted",
                (unsigned)pair->tick, (unsigned)back);
    history_explain(pair->straight, pair->loads);
    fail_msg("seed %u is another one after a load", (unsigned)pair->straight->options.seed);
}

static uint64_t hash_of(history *h)
{
    firn_error err;
    firn_hash hash;
    assert_ok(firn_world_hash(h->world, &hash, NULL, NULL, &err), &err);
    return hash.total;
}

// In what no persisted save holds; a save of the whole world has all of it.
static bool rest_differs(sync_pair *pair)
{
    return pair->loads->options.kind == FIRN_SAVES_PERSISTED &&
           hash_of(pair->loads) != hash_of(pair->straight);
}

static void sync_tick(sync_pair *pair, uint32_t back)
{
    history *h = pair->loads;
    firn_buffer *save = &pair->saves[pair->tick % (MOST_BACK + 1)];
    firn_buffer_free(save);
    *save = history_save(h);
    if (pair->tick >= back) {
        const firn_buffer *old = &pair->saves[(pair->tick - back) % (MOST_BACK + 1)];
        history_load(h, old->data, old->size);
        history_ticks(h, back);
    }
    firn_buffer wanted = history_save(pair->straight);
    firn_buffer again = history_save(h);
    if (history_differs(&wanted, save) || history_differs(&wanted, &again) || rest_differs(pair))
        fail_sync(pair, back);
    firn_buffer_free(&wanted);
    firn_buffer_free(&again);
    history_tick(h);
    history_tick(pair->straight);
    pair->tick++;
}

static void sync_history(uint32_t seed, firn_saves_kind kind, uint32_t ticks)
{
    const history_options options = {.seed = seed, .kind = kind, .first_scene = seed % 3};
    test_random random = {seed};
    sync_pair pair = {.loads = history_make(&options), .straight = history_make(&options)};
    while (pair.tick < ticks)
        sync_tick(&pair, 1 + test_random_below(&random, MOST_BACK));
    for (uint32_t i = 0; i <= MOST_BACK; i++)
        firn_buffer_free(&pair.saves[i]);
    history_destroy(pair.loads);
    history_destroy(pair.straight);
}

// Another history after each TICKS_OF_ONE.
static void sync_all(firn_saves_kind kind)
{
    uint32_t left = ticks_wanted;
    for (uint32_t seed = first_seed; left > 0; seed++) {
        uint32_t ticks = left < TICKS_OF_ONE ? left : TICKS_OF_ONE;
        sync_history(seed, kind, ticks);
        left -= ticks;
    }
}

static void K15_going_back_1_to_8_ticks_at_every_tick_changes_nothing(void **state)
{
    (void)state;
    sync_all(FIRN_SAVES_PERSISTED);
}

static void K15_so_it_is_with_saves_of_the_whole_world(void **state)
{
    (void)state;
    sync_all(FIRN_SAVES_WORLD);
}

int main(int argc, char **argv)
{
    ticks_wanted = history_count("FIRN_SYNC_TICKS", ticks_wanted);
    if (argc > 1)
        ticks_wanted = (uint32_t)strtoul(argv[1], NULL, 10);
    if (argc > 2)
        first_seed = (uint32_t)strtoul(argv[2], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(K15_going_back_1_to_8_ticks_at_every_tick_changes_nothing),
        cmocka_unit_test(K15_so_it_is_with_saves_of_the_whole_world),
    };
    return cmocka_run_group_tests_name("history_sync", tests, NULL, NULL);
}
