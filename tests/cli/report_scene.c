#include "cli/report_scene.h"

#include <math.h>
#include <stdio.h>

#include "support/support.h"
#include "support/tree.h"

typedef struct place {
    float x, y;
} place;

typedef struct health {
    float current, most;
    uint8_t armor;
} health;

typedef struct sprite {
    uint8_t layer;
    uint32_t texture;
    bool flipped;
    double depth;
    int16_t frame;
} sprite;

typedef struct scene {
    firn_world *world;
    test_random random;
    firn_component position, velocity, health, sprite, bag, speech, score, burning, lives_in;
    firn_doc *doc;
    firn_entity house;
} scene;

static firn_component register_struct(firn_world *world, const char *name, size_t size,
                                      const firn_field *fields, uint32_t count)
{
    firn_error err;
    firn_component component = firn_component_register(world,
                                                       &(firn_component_desc){.name = name,
                                                                              .kind = FIRN_STRUCT,
                                                                              .size = size,
                                                                              .fields = fields,
                                                                              .field_count = count},
                                                       &err);
    assert_ok(component != 0 ? FIRN_OK : err.code, &err);
    return component;
}

static firn_component register_kind(firn_world *world, const char *name, firn_component_kind kind,
                                    uint32_t relation)
{
    firn_error err;
    firn_component component = firn_component_register(
        world, &(firn_component_desc){.name = name, .kind = kind, .relation = relation}, &err);
    assert_ok(component != 0 ? FIRN_OK : err.code, &err);
    return component;
}

static scene begin_scene(void)
{
    static const firn_field at[] = {FIRN_FIELD(place, x, FIRN_F32), FIRN_FIELD(place, y, FIRN_F32)};
    static const firn_field healthy[] = {FIRN_FIELD(health, current, FIRN_F32),
                                         FIRN_FIELD(health, most, FIRN_F32),
                                         FIRN_FIELD(health, armor, FIRN_U8)};
    static const firn_field drawn[] = {
        FIRN_FIELD(sprite, layer, FIRN_U8), FIRN_FIELD(sprite, texture, FIRN_U32),
        FIRN_FIELD(sprite, flipped, FIRN_BOOL), FIRN_FIELD(sprite, depth, FIRN_F64),
        FIRN_FIELD(sprite, frame, FIRN_I16)};
    scene s = {.random = {7}, .doc = firn_doc_create(NULL, NULL, NULL)};
    s.world = firn_world_create(&(firn_world_desc){.name = "north"}, NULL);
    s.position = register_struct(s.world, "Position", sizeof(place), at, 2);
    s.velocity = register_struct(s.world, "Velocity", sizeof(place), at, 2);
    s.health = register_struct(s.world, "Health", sizeof(health), healthy, 3);
    s.sprite = register_struct(s.world, "Sprite", sizeof(sprite), drawn, 5);
    s.bag = register_kind(s.world, "Inventory", FIRN_VALUE, 0);
    s.speech = register_kind(s.world, "Speech", FIRN_STRING, 0);
    s.score = register_kind(s.world, "Score", FIRN_NUMBER, 0);
    s.burning = register_kind(s.world, "Burning", FIRN_TAG, 0);
    s.lives_in = register_kind(s.world, "LivesIn", FIRN_RELATION, FIRN_EXCLUSIVE);
    return s;
}

static float real_below(scene *s, float bound)
{
    return (float)test_random_real(&s->random) * bound;
}

// The sum of some: a bell.
static float bell(scene *s, float middle, float wide)
{
    float sum = 0;
    for (int i = 0; i < 6; i++) {
        sum += real_below(s, 1) - 0.5f;
    }
    return middle + sum * wide;
}

static void place_it(scene *s, firn_entity entity)
{
    place at = {bell(s, 512, 120), real_below(s, 768)};
    sprite look = {.layer = (uint8_t)test_random_below(&s->random, 4),
                   .texture = 100 + test_random_below(&s->random, 900),
                   .flipped = test_random_below(&s->random, 4) == 0,
                   .depth = (double)at.y / 768,
                   .frame = (int16_t)(test_random_below(&s->random, 64) - 8)};
    firn_set(s->world, entity, s->position, &at, NULL);
    firn_set(s->world, entity, s->sprite, &look, NULL);
}

static void add_arrow(scene *s)
{
    firn_entity entity = firn_spawn(s->world, NULL, 0, NULL);
    place speed = {bell(s, 0, 40), test_random_below(&s->random, 500) == 0 ? NAN : bell(s, -9, 3)};
    place_it(s, entity);
    firn_set(s->world, entity, s->velocity, &speed, NULL);
    if (test_random_below(&s->random, 5) == 0) {
        firn_add(s->world, entity, &s->burning, 1, NULL);
    }
}

static void add_house(scene *s)
{
    char name[32];
    s->house = firn_spawn(s->world, NULL, 0, NULL);
    snprintf(name, sizeof name, "house %u", (unsigned)(s->house % 1000));
    place_it(s, s->house);
    firn_set_text(s->world, s->house, firn_name(s->world), name, NULL);
}

static firn_value *things(scene *s)
{
    static const char *const names[] = {"rope", "lamp", "bread", "iron key", "letter"};
    firn_value *list = firn_value_table(s->doc, NULL);
    uint32_t count = test_random_below(&s->random, 4);
    for (uint32_t i = 0; i < count; i++) {
        firn_value *thing = firn_value_table(s->doc, NULL);
        uint32_t kind = test_random_below(&s->random, 5),
                 number = 1 + test_random_below(&s->random, 9);
        firn_table_set_text(s->doc, thing, "name", firn_value_text(s->doc, names[kind], NULL),
                            NULL);
        firn_table_set_text(s->doc, thing, "count", firn_value_number(s->doc, number, NULL), NULL);
        firn_table_push(s->doc, list, thing, NULL);
    }
    return list;
}

static void give_bag(scene *s, firn_entity entity)
{
    firn_value *bag = firn_value_table(s->doc, NULL);
    double gold = 400 / (1 + real_below(s, 40));
    firn_table_set_text(s->doc, bag, "gold", firn_value_number(s->doc, (uint32_t)gold, NULL), NULL);
    firn_table_set_text(s->doc, bag, "things", things(s), NULL);
    firn_set_value(s->world, entity, s->bag, bag, NULL);
    firn_doc_clear(s->doc);
}

static void add_person(scene *s, uint32_t number)
{
    static const char *const says[] = {
        "Good morning!", "Snow again. The third layer this week, and it does not melt.",
        "Have you seen my lamp?\nIt was <here> & now it is gone."};
    char name[32];
    firn_entity entity = firn_spawn(s->world, NULL, 0, NULL);
    health well = {bell(s, 70, 30), 100, (uint8_t)test_random_below(&s->random, 6)};
    double score = test_random_below(&s->random, 100000);
    snprintf(name, sizeof name, "person %u", (unsigned)number);
    place_it(s, entity);
    firn_set(s->world, entity, s->health, &well, NULL);
    firn_set(s->world, entity, s->score, &score, NULL);
    firn_set_text(s->world, entity, firn_key(s->world), name, NULL);
    give_bag(s, entity);
    if (test_random_below(&s->random, 3) == 0) {
        firn_set_text(s->world, entity, s->speech, says[test_random_below(&s->random, 3)], NULL);
    }
    firn_relate(s->world, entity, s->lives_in, s->house, NULL, NULL);
}

static void fill(scene *s, uint32_t entities)
{
    for (uint32_t i = 0; i < entities; i++) {
        if (i % (entities / 8 + 1) == 0) {
            add_house(s);
        } else if (i % 4 == 0) {
            add_person(s, i);
        } else {
            add_arrow(s);
        }
    }
}

static firn_buffer save_scene(scene *s)
{
    firn_error err;
    firn_value *map = test_tree(s->doc, "{size = {64, 48}, seed = 7, name = \"the valley\"}");
    firn_data data[] = {{.key = "map", .value = map}};
    firn_buffer image = {0};
    firn_world_set_tick(s->world, 216000, NULL);
    firn_random_seed(s->world, 12345, NULL);
    assert_ok(firn_snapshot_save(s->world, &(firn_save_options){.data = data, .data_count = 1},
                                 &image, &err),
              &err);
    return image;
}

firn_buffer report_scene(uint32_t entities)
{
    firn_error err;
    scene s = begin_scene();
    fill(&s, entities);
    firn_buffer image = save_scene(&s), variables = {0}, save = {0};
    firn_value *values = test_tree(s.doc, "{day = 12, weather = \"snow\", quests = {1, 2, 5}}");
    assert_ok(firn_value_encode(values, NULL, &variables, &err), &err);
    firn_section sections[] = {{FIRN_SECTION_SNAPSHOT, image.data, image.size},
                               {FIRN_SECTION_VARIABLES, variables.data, variables.size},
                               {"town.paths", image.data, image.size / 40}};
    firn_save_header header = {
        .game_version = 3,
        .game = "town",
        .level = "north",
        .timestamp = 1767618791000,
        .tick = 216000,
        .play_time = 3671.5,
        .revision = 12,
        .meta = test_tree(s.doc, "{hero = \"Ada\", difficulty = 2, hardcore = false}")};
    assert_ok(firn_save_file_write(&header, sections, 3, NULL, &save, &err), &err);
    firn_buffer_free(&image);
    firn_buffer_free(&variables);
    firn_doc_destroy(s.doc);
    firn_world_destroy(s.world);
    return save;
}
