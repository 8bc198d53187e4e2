#include "village.h"

#include <stdio.h>
#include <string.h>

static const firn_field position_fields[] = {
    FIRN_FIELD(Position, x, FIRN_F32),
    FIRN_FIELD(Position, y, FIRN_F32),
};
static const firn_field velocity_fields[] = {
    FIRN_FIELD(Velocity, x, FIRN_F32),
    FIRN_FIELD(Velocity, y, FIRN_F32),
};
static const firn_field needs_fields[] = {
    FIRN_FIELD(Needs, age, FIRN_I32),
    FIRN_FIELD(Needs, hunger, FIRN_I32),
};
static const char *const job_names[JOBS] = {"Farmer", "Smith", "Guard"};

static firn_component register_struct(Village *village, const char *name, size_t size,
                                      const firn_field *fields, uint32_t field_count)
{
    firn_component_desc desc = {.name = name,
                                .kind = FIRN_STRUCT,
                                .size = size,
                                .fields = fields,
                                .field_count = field_count};
    return firn_component_register(village->world, &desc, &village->err);
}

static firn_component register_plain(Village *village, const char *name, firn_component_kind kind)
{
    firn_component_desc desc = {.name = name, .kind = kind};
    return firn_component_register(village->world, &desc, &village->err);
}

static void register_components(Village *village)
{
    village->position = register_struct(village, "Position", sizeof(Position), position_fields,
                                        FIRN_COUNT(position_fields));
    village->velocity = register_struct(village, "Velocity", sizeof(Velocity), velocity_fields,
                                        FIRN_COUNT(velocity_fields));
    village->needs =
        register_struct(village, "Needs", sizeof(Needs), needs_fields, FIRN_COUNT(needs_fields));
    village->inventory = register_plain(village, "Inventory", FIRN_VALUE);
    village->stock = register_plain(village, "Stock", FIRN_NUMBER);
    village->child = register_plain(village, "Child", FIRN_TAG);
    for (int i = 0; i < JOBS; i++) {
        village->jobs[i] = register_plain(village, job_names[i], FIRN_TAG);
    }
}

static firn_query make_query(Village *village, const char *name, const firn_term *terms,
                             uint32_t count)
{
    firn_query_desc desc = {.name = name, .terms = terms, .term_count = count};
    return firn_query_create(village->world, &desc, &village->err);
}

static void make_queries(Village *village)
{
    firn_term movers[] = {
        {.component = village->position},
        {.component = village->velocity},
    };
    firn_term people[] = {
        {.component = village->needs},
        {.component = village->position, .read_only = true},
        {.component = village->child, .kind = FIRN_OPTIONAL},
        {.component = village->jobs[FARMER], .kind = FIRN_OPTIONAL},
        {.component = village->jobs[SMITH], .kind = FIRN_OPTIONAL},
        {.component = village->jobs[GUARD], .kind = FIRN_OPTIONAL},
    };
    firn_term granaries[] = {{.component = village->stock}};
    village->movers = make_query(village, "movers", movers, FIRN_COUNT(movers));
    village->people = make_query(village, "people", people, FIRN_COUNT(people));
    village->granaries = make_query(village, "granaries", granaries, FIRN_COUNT(granaries));
}

bool village_create(Village *village)
{
    *village = (Village){.random = 2026};
    village->world = firn_world_create(&(firn_world_desc){.name = "village"}, &village->err);
    village->doc = firn_doc_create(NULL, NULL, &village->err);
    if (village->world == NULL || village->doc == NULL) {
        return false;
    }
    register_components(village);
    make_queries(village);
    return village->err.code == FIRN_OK;
}

void village_destroy(Village *village)
{
    firn_doc_destroy(village->doc);
    firn_world_destroy(village->world);
}

// splitmix64: one word of state, the same numbers on every machine.
uint32_t village_random(Village *village, uint32_t bound)
{
    uint64_t z = village->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ (z >> 31)) >> 32) % bound;
}

static void set_name(Village *village, firn_entity villager)
{
    static const char *const first[] = {"Ar", "Bo", "Da", "El", "Fri", "Hil", "Ka", "Mo"};
    static const char *const middle[] = {"", "la", "ri", "no", "mi", "de", "go", "sa"};
    static const char *const last[] = {"n", "ra", "th", "s", "vin", "ta", "l", "rik"};
    char name[16];
    snprintf(name, sizeof name, "%s%s%s", first[village_random(village, 8)],
             middle[village_random(village, 8)], last[village_random(village, 8)]);
    firn_set_text(village->world, villager, firn_name(village->world), name, &village->err);
}

static void set_inventory(Village *village, firn_entity villager, double food)
{
    static const char *const things[] = {"knife", "pot", "rope", "whistle"};
    firn_doc *doc = village->doc;
    firn_doc_clear(doc);
    firn_value *inventory = firn_value_table(doc, &village->err);
    firn_value *items = firn_value_table(doc, &village->err);
    firn_value *thing = firn_value_text(doc, things[village_random(village, 4)], &village->err);
    firn_table_push(doc, items, thing, &village->err);
    firn_table_set_text(doc, inventory, "food", firn_value_number(doc, food, &village->err),
                        &village->err);
    firn_table_set_text(doc, inventory, "items", items, &village->err);
    firn_set_value(village->world, villager, village->inventory, inventory, &village->err);
}

static void set_place(Village *village, firn_entity villager, const Position *at)
{
    Velocity velocity = {.x = ((float)village_random(village, 129) - 64) / 64,
                         .y = ((float)village_random(village, 129) - 64) / 64};
    firn_set(village->world, villager, village->position, at, &village->err);
    firn_set(village->world, villager, village->velocity, &velocity, &village->err);
}

static void furnish(Village *village, firn_entity villager, const Position *at)
{
    set_name(village, villager);
    set_inventory(village, villager, 3);
    set_place(village, villager, at);
}

static firn_entity spawn(Village *village, firn_component job)
{
    firn_component components[] = {
        village->position,  village->velocity,         village->needs,
        village->inventory, firn_name(village->world), job,
    };
    return firn_spawn(village->world, components, FIRN_COUNT(components), &village->err);
}

void village_birth(Village *village, const Position *at)
{
    furnish(village, spawn(village, village->child), at);
}

bool village_settle(Village *village, uint32_t people)
{
    double stock = people;
    firn_entity granary = firn_spawn(village->world, &village->stock, 1, &village->err);
    firn_set(village->world, granary, village->stock, &stock, &village->err);
    firn_set_text(village->world, granary, firn_name(village->world), "granary", &village->err);
    for (uint32_t i = 0; i < people && village->err.code == FIRN_OK; i++) {
        firn_entity villager = spawn(village, village->jobs[village_random(village, JOBS)]);
        Position at = {.x = (float)village_random(village, 1024 * 64) / 64,
                       .y = (float)village_random(village, 1024 * 64) / 64};
        furnish(village, villager, &at);
        Needs needs = {.age = (int32_t)village_random(village, 2000)};
        firn_set(village->world, villager, village->needs, &needs, &village->err);
    }
    return village->err.code == FIRN_OK;
}

// ---- Saving: the world is firn's; the generator goes along as custom data.

bool village_save(Village *village, const char *path, firn_buffer *out)
{
    firn_doc_clear(village->doc);
    firn_data data = {.key = "village.rng",
                      .value = firn_value_uint64(village->doc, village->random, &village->err)};
    firn_save_options options = {.data = &data, .data_count = 1};
    firn_result result =
        path != NULL ? firn_snapshot_save_file(village->world, path, &options, &village->err)
                     : firn_snapshot_save(village->world, &options, out, &village->err);
    return result == FIRN_OK;
}

static firn_result on_data(void *user, firn_world *world, const char *key, const void *encoded,
                           size_t size, firn_error *err)
{
    (void)world;
    Village *village = user;
    if (strcmp(key, "village.rng") != 0) {
        return FIRN_OK;
    }
    firn_reader reader;
    firn_reader_begin(&reader, encoded, size, NULL);
    village->random = firn_read_uint64(&reader);
    return firn_reader_end(&reader, err);
}

bool village_load(Village *village, const char *path)
{
    firn_load_options options = {.on_data = on_data, .user = village};
    return firn_snapshot_load_file(village->world, path, &options, NULL, &village->err) == FIRN_OK;
}
