// village run STEPS [--save FILE] [--save-every STEPS]
// village resume FILE STEPS [--save FILE] [--save-every STEPS]
#include "village.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { VILLAGERS = 10000 };

typedef struct Plan {
    const char *from; ///< a save to begin with, or NULL
    uint64_t steps;
    const char *save; ///< where to save to, or NULL
    uint64_t save_every;
} Plan;

typedef struct Times {
    double save_ms;
    double load_ms;
} Times;

// Time of this process on a processor.
static double now_ms(void)
{
    return (double)clock() * 1e3 / CLOCKS_PER_SEC;
}

static bool parse_number(const char *text, uint64_t *out)
{
    char *end;
    *out = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == 0;
}

static bool parse(int argc, char **argv, Plan *plan)
{
    bool run = argc >= 3 && strcmp(argv[1], "run") == 0;
    bool resume = argc >= 4 && strcmp(argv[1], "resume") == 0;
    int at = run ? 2 : 3;
    if ((!run && !resume) || !parse_number(argv[at], &plan->steps)) {
        return false;
    }
    plan->from = resume ? argv[2] : NULL;
    for (at++; at < argc; at += 2) {
        if (at + 1 < argc && strcmp(argv[at], "--save") == 0) {
            plan->save = argv[at + 1];
        } else if (at + 1 >= argc || strcmp(argv[at], "--save-every") != 0 ||
                   !parse_number(argv[at + 1], &plan->save_every)) {
            return false;
        }
    }
    return plan->save_every == 0 || plan->save != NULL;
}

static bool begin(Village *village, const Plan *plan, Times *times)
{
    if (plan->from == NULL) {
        return village_settle(village, VILLAGERS);
    }
    double start = now_ms();
    bool loaded = village_load(village, plan->from);
    times->load_ms = now_ms() - start;
    return loaded;
}

static bool go_on(Village *village, const Plan *plan)
{
    for (uint64_t i = 1; i <= plan->steps; i++) {
        if (!village_step(village)) {
            return false;
        }
        if (plan->save_every != 0 && i % plan->save_every == 0 &&
            !village_save(village, plan->save, NULL)) {
            return false;
        }
    }
    return true;
}

// Saves to memory, for its size and time, and to the file if there is one to save to.
static bool end(Village *village, const Plan *plan, const Times *times)
{
    firn_buffer save = {0};
    firn_hash hash;
    double start = now_ms();
    bool done = village_save(village, NULL, &save);
    double save_ms = now_ms() - start;
    done = done && (plan->save == NULL || village_save(village, plan->save, NULL)) &&
           firn_world_hash(village->world, &hash, NULL, NULL, &village->err) == FIRN_OK;
    if (done) {
        printf("%6s %9s %10s %9s %8s %8s  %s\n", "tick", "entities", "components", "bytes",
               "save ms", "load ms", "hash");
        printf("%6" PRIu64 " %9" PRIu32 " %10" PRIu32 " %9zu %8.2f %8.2f  %016" PRIx64 "\n",
               firn_world_tick(village->world), firn_entity_count(village->world),
               firn_component_count(village->world), save.size, save_ms, times->load_ms,
               hash.total);
    }
    firn_buffer_free(&save);
    return done;
}

int main(int argc, char **argv)
{
    Plan plan = {0};
    if (!parse(argc, argv, &plan)) {
        fprintf(stderr, "usage: village run STEPS [--save FILE] [--save-every STEPS]\n"
                        "       village resume FILE STEPS [--save FILE] [--save-every STEPS]\n");
        return 2;
    }
    Village village;
    Times times = {0};
    bool done = village_create(&village) && begin(&village, &plan, &times) &&
                go_on(&village, &plan) && end(&village, &plan, &times);
    if (!done) {
        fprintf(stderr, "village: %s: %s\n", firn_result_name(village.err.code),
                village.err.message);
    }
    village_destroy(&village);
    return done ? 0 : 1;
}
