// One step of the village. What a villager draws from the generator depends on who came before, so
// the step is the same only when order, ids and free slots are.
#include "village.h"

enum {
    EDGE = 1024,
    STEPS_BETWEEN_TURNS = 64,
    GROWN_UP_AGE = 200,
    OLDEST_AGE = 2000,
    STARVED = 640,
    MOST_FOOD = 9,
    HARVEST = 5
};

// The terms of village->people.
enum { NEEDS, POSITION, CHILD, FIRST_JOB };

static void bounce(float *place, float *velocity)
{
    *place += *velocity / 64;
    if (*place < 0 || *place >= EDGE) {
        *velocity = -*velocity;
        *place += *velocity / 64;
    }
}

static void walk(Village *village)
{
    firn_iter it;
    firn_iter_begin(village->world, village->movers, &it);
    while (firn_iter_next(&it)) {
        Position *positions = it.columns[0];
        Velocity *velocities = it.columns[1];
        for (uint32_t i = 0; i < it.count; i++) {
            bounce(&positions[i].x, &velocities[i].x);
            bounce(&positions[i].y, &velocities[i].y);
        }
    }
    firn_iter_end(&it, &village->err);
}

static double *granary_stock(Village *village)
{
    double *stock = NULL;
    firn_iter it;
    firn_iter_begin(village->world, village->granaries, &it);
    if (firn_iter_next(&it)) {
        stock = it.columns[0];
    }
    firn_iter_end(&it, &village->err);
    return stock;
}

// Works, then eats one of what is carried, or else one of the granary's.
static void work_and_eat(Village *village, firn_entity villager, Needs *needs, int job,
                         double *stock)
{
    firn_doc *doc = village->doc;
    firn_doc_clear(doc);
    firn_value *inventory =
        firn_get_value(village->world, villager, village->inventory, doc, &village->err);
    const firn_value *carried = firn_table_get_text(inventory, "food");
    double food = carried != NULL ? carried->as.number : 0;
    double before = food;
    food += job == FARMER ? HARVEST : 0;
    if (food > MOST_FOOD) {
        *stock += food - MOST_FOOD;
        food = MOST_FOOD;
    }
    if (food > 0) {
        food -= 1;
        needs->hunger = 0;
    } else if (*stock >= 1) {
        *stock -= 1;
        needs->hunger = 0;
    }
    if (food != before) {
        firn_table_set_text(doc, inventory, "food", firn_value_number(doc, food, &village->err),
                            &village->err);
        firn_set_value(village->world, villager, village->inventory, inventory, &village->err);
    }
}

static void change_job(Village *village, firn_entity villager, firn_component from)
{
    firn_component to = village->jobs[village_random(village, JOBS)];
    if (to != from) {
        firn_remove(village->world, villager, &from, 1, &village->err);
        firn_add(village->world, villager, &to, 1, &village->err);
    }
}

static int job_of(const firn_iter *it)
{
    for (int job = 0; job < JOBS; job++) {
        if (it->present[FIRST_JOB + job]) {
            return job;
        }
    }
    return JOBS;
}

static void take_turn(Village *village, const firn_iter *it, uint32_t row, double *stock)
{
    firn_entity villager = it->entities[row];
    Needs *needs = (Needs *)it->columns[NEEDS] + row;
    const Position *position = (const Position *)it->columns[POSITION] + row;
    int job = job_of(it);
    work_and_eat(village, villager, needs, job, stock);
    if (it->present[CHILD]) {
        if (needs->age >= GROWN_UP_AGE) {
            change_job(village, villager, village->child);
        }
        return;
    }
    if (village_random(village, 28) == 0) {
        village_birth(village, position);
    }
    if (job < JOBS && village_random(village, 16) == 0) {
        change_job(village, villager, village->jobs[job]);
    }
}

static void live(Village *village)
{
    uint64_t tick = firn_world_tick(village->world);
    double *stock = granary_stock(village);
    firn_iter it;
    firn_iter_begin(village->world, village->people, &it);
    while (stock != NULL && firn_iter_next(&it)) {
        Needs *needs = it.columns[NEEDS];
        for (uint32_t i = 0; i < it.count; i++) {
            needs[i].age++;
            needs[i].hunger++;
            if (needs[i].age >= OLDEST_AGE || needs[i].hunger >= STARVED) {
                firn_despawn(village->world, it.entities[i], &village->err);
            } else if ((it.entities[i] + tick) % STEPS_BETWEEN_TURNS == 0) {
                take_turn(village, &it, i, stock);
            }
        }
    }
    firn_iter_end(&it, &village->err); // births, deaths and new jobs happen here
}

bool village_step(Village *village)
{
    walk(village);
    live(village);
    firn_world_set_tick(village->world, firn_world_tick(village->world) + 1, &village->err);
    return village->err.code == FIRN_OK;
}
