#include "cli/village.h"

#include <string.h>

#include "support/tree.h"

typedef struct Position {
    float x, y;
} Position;

typedef struct Health {
    int32_t current, max;
} Health;

typedef struct Chest {
    uint64_t seed;
    struct {
        uint8_t kind;
        uint16_t count;
    } slots[2];
    double weights[3];
    char label[8];
    bool open;
} Chest;

typedef struct village {
    firn_world *world;
    firn_doc *doc;
    firn_component position, health, chest, inventory, score, locks, boss, likes;
} village;

// ---- components

static firn_component add_struct(village *v, const char *name, size_t size,
                                 const firn_field *fields, uint32_t count)
{
    firn_error err;
    firn_component made = firn_component_register(v->world,
                                                  &(firn_component_desc){.name = name,
                                                                         .kind = FIRN_STRUCT,
                                                                         .size = size,
                                                                         .fields = fields,
                                                                         .field_count = count},
                                                  &err);
    if (made == 0)
        fail_msg("%s: %s", name, err.message);
    return made;
}

static firn_component add_plain(village *v, const char *name, firn_component_kind kind)
{
    firn_error err;
    const firn_component_desc desc = {.name = name, .kind = kind};
    firn_component made = firn_component_register(v->world, &desc, &err);
    if (made == 0)
        fail_msg("%s: %s", name, err.message);
    return made;
}

static void add_chest(village *v)
{
    static const firn_field slot[] = {{.name = "kind", .type = FIRN_U8, .offset = 0},
                                      {.name = "count", .type = FIRN_U16, .offset = 2}};
    static const firn_field fields[] = {FIRN_FIELD(Chest, seed, FIRN_U64),
                                        {.name = "slots",
                                         .type = FIRN_NESTED,
                                         .offset = offsetof(Chest, slots),
                                         .count = 2,
                                         .fields = slot,
                                         .field_count = 2,
                                         .size = 4},
                                        FIRN_FIELD_ARRAY(Chest, weights, FIRN_F64, 3),
                                        FIRN_FIELD_ARRAY(Chest, label, FIRN_CHAR, 8),
                                        FIRN_FIELD(Chest, open, FIRN_BOOL)};
    v->chest = add_struct(v, "Chest", sizeof(Chest), fields, FIRN_COUNT(fields));
}

static void add_components(village *v)
{
    static const firn_field position[] = {FIRN_FIELD(Position, x, FIRN_F32),
                                          FIRN_FIELD(Position, y, FIRN_F32)};
    static const firn_field health[] = {FIRN_FIELD(Health, current, FIRN_I32),
                                        FIRN_FIELD(Health, max, FIRN_I32)};
    v->position = add_struct(v, "Position", sizeof(Position), position, 2);
    v->health = add_struct(v, "Health", sizeof(Health), health, 2);
    add_chest(v);
    v->inventory = add_plain(v, "Inventory", FIRN_VALUE);
    v->score = add_plain(v, "Score", FIRN_NUMBER);
    v->locks = add_plain(v, "Door.locks", FIRN_NUMBER);
    v->boss = add_plain(v, "Boss", FIRN_TAG);
    v->likes = add_plain(v, "Likes", FIRN_RELATION);
}

// ---- entities

static firn_entity add_person(village *v, const char *key, const char *name, Position position,
                              Health health)
{
    firn_error err;
    const firn_component both[] = {v->position, v->health};
    firn_entity person = firn_spawn(v->world, both, 2, &err);
    assert_ok(firn_set(v->world, person, v->position, &position, &err), &err);
    assert_ok(firn_set(v->world, person, v->health, &health, &err), &err);
    if (key != NULL)
        assert_ok(firn_set_text(v->world, person, firn_key(v->world), key, &err), &err);
    if (name != NULL)
        assert_ok(firn_set_text(v->world, person, firn_name(v->world), name, &err), &err);
    return person;
}

static void set_inventory(village *v, firn_entity entity, const char *text)
{
    firn_error err;
    assert_ok(firn_set_value(v->world, entity, v->inventory, test_tree(v->doc, text), &err), &err);
}

static void set_number(village *v, firn_entity entity, firn_component component, double number)
{
    firn_error err;
    assert_ok(firn_set(v->world, entity, component, &number, &err), &err);
}

static void fill_village(village *v)
{
    firn_error err;
    firn_entity player = add_person(v, "player", "Ann", (Position){1.5f, -0.1f}, (Health){80, 100});
    firn_entity guard = add_person(v, NULL, "Bert", (Position){3, 4}, (Health){9, 50});
    firn_entity wolf =
        add_person(v, NULL, "the \"wolf\"", (Position){-20, 0.3f}, (Health){200, 200});
    assert_ok(firn_add(v->world, wolf, &v->boss, 1, &err), &err);
    assert_ok(firn_relate(v->world, guard, v->likes, player, NULL, &err), &err);
    set_inventory(v, player,
                  "{gold = 12, items = {{name = \"rope\", uses = 3}, {name = \"key\"}}}");
    set_inventory(v, guard, "{gold = 3, note = \"to, whom\"}");
    set_number(v, player, v->score, 1250.5);

    firn_entity box = firn_spawn(v->world, &v->chest, 1, &err);
    const Chest chest = {.seed = UINT64_MAX,
                         .slots = {{1, 300}, {2, 7}},
                         .weights = {0.5, 1e300, -0.0},
                         .label = "\x1b[31mred",
                         .open = true};
    assert_ok(firn_set(v->world, box, v->chest, &chest, &err), &err);
    set_number(v, box, v->locks, 2);
    firn_random_seed(v->world, 7, &err);
}

static void spend_the_night(village *v)
{
    firn_error err;
    const Position moved = {1.25f, -0.1f};
    const Health hurt = {75, 100};
    assert_ok(firn_set(v->world, 1, v->position, &moved, &err), &err);
    assert_ok(firn_set(v->world, 1, v->health, &hurt, &err), &err);
    assert_ok(firn_despawn(v->world, 3, &err), &err);
    assert_ok(firn_remove(v->world, 1, &v->score, 1, &err), &err);
    set_inventory(v, 1, "{gold = 11, items = {{name = \"rope\", uses = 2}}}");
    add_person(v, "smith", NULL, (Position){0, 0}, (Health){40, 40});
    firn_random_seed(v->world, 8, &err);
}

// ---- bytes

void village_image(village_time time, firn_buffer *out)
{
    firn_error err;
    village v = {.world = firn_world_create(NULL, NULL), .doc = firn_doc_create(NULL, NULL, NULL)};
    add_components(&v);
    fill_village(&v);
    if (time == VILLAGE_MORNING)
        spend_the_night(&v);
    const firn_data data = {.key = "weather",
                            .value = test_tree(v.doc, time == VILLAGE_MORNING
                                                          ? "{rain = 0.75}"
                                                          : "{rain = 0.25, wind = \"north\"}")};
    const firn_save_options options = {.data = &data, .data_count = 1};
    assert_ok(firn_snapshot_save(v.world, &options, out, &err), &err);
    firn_doc_destroy(v.doc);
    firn_world_destroy(v.world);
}

static firn_entity add_sheep(village *v, int number, bool moved)
{
    firn_error err;
    const firn_component both[] = {v->position, v->score};
    const Position place = {(float)(number + moved), moved ? 0.2f : 0.1f};
    firn_entity sheep = firn_spawn(v->world, both, 2, &err);
    assert_ok(firn_set(v->world, sheep, v->position, &place, &err), &err);
    set_number(v, sheep, v->score, number + 10 * moved);
    return sheep;
}

void village_flock(village_time time, firn_buffer *out)
{
    firn_error err;
    bool morning = time == VILLAGE_MORNING;
    village v = {.world = firn_world_create(NULL, NULL)};
    add_components(&v);
    for (int i = 0; i < 100; i++) {
        firn_entity sheep = add_sheep(&v, i, morning), friend = 1 + (firn_entity)i % 2;
        if (i > 95 && morning)
            assert_ok(firn_relate(v.world, sheep, v.likes, friend, NULL, &err), &err);
    }
    if (morning)
        firn_spawn(v.world, NULL, 0, &err);
    assert_ok(firn_snapshot_save(v.world, NULL, out, &err), &err);
    firn_world_destroy(v.world);
}

void village_herd(uint32_t count, uint32_t moved, firn_buffer *out)
{
    firn_error err;
    village v = {.world = firn_world_create(NULL, NULL)};
    add_components(&v);
    for (uint32_t i = 0; i < count; i++)
        add_sheep(&v, (int)i, i < moved);
    assert_ok(firn_snapshot_save(v.world, NULL, out, &err), &err);
    firn_world_destroy(v.world);
}

void village_save(village_time time, firn_buffer *out)
{
    bool morning = time == VILLAGE_MORNING;
    firn_error err;
    firn_buffer image = {0}, custom = {0}, variables = {0};
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    village_image(time, &image);
    const char *coins = morning ? "{coins = 15, door = true}" : "{coins = 12, door = true}";
    assert_ok(firn_value_encode(test_tree(doc, coins), NULL, &variables, &err), &err);
    assert_ok(firn_value_encode(test_tree(doc, "{mood = \"calm\"}"), NULL, &custom, &err), &err);
    const firn_save_header header = {
        .game = "village",
        .game_version = 2,
        .engine = "firn 0.1.0",
        .level = morning ? "mill" : "square",
        .timestamp = INT64_C(1767225600000) + (morning ? 36000000 : 0),
        .tick = morning ? 7200 : 3600,
        .play_time = morning ? 120.5 : 60.25,
        .revision = morning ? 2 : 1,
        .parent = {morning ? 5 : 0, 0},
        .meta = test_tree(doc, morning ? "{title = \"Morning\"}" : "{title = \"Evening\"}")};
    const firn_section sections[] = {{FIRN_SECTION_SNAPSHOT, image.data, image.size},
                                     {FIRN_SECTION_CUSTOM, custom.data, custom.size},
                                     {FIRN_SECTION_VARIABLES, variables.data, variables.size},
                                     {"map", "evening\1", 8},
                                     {"tune", "la", 2}};
    uint32_t count = morning ? 4 : 5;
    assert_ok(firn_save_file_write(&header, sections, count, NULL, out, &err), &err);
    firn_buffer_free(&image);
    firn_buffer_free(&custom);
    firn_buffer_free(&variables);
    firn_doc_destroy(doc);
}

static void put_made(cli_test *t, const char *name, village_time time,
                     void (*make)(village_time, firn_buffer *))
{
    firn_buffer made = {0};
    make(time, &made);
    cli_put(t, name, made.data, made.size);
    firn_buffer_free(&made);
}

void village_put(cli_test *t)
{
    put_made(t, "evening.firn", VILLAGE_EVENING, village_save);
    put_made(t, "morning.firn", VILLAGE_MORNING, village_save);
    put_made(t, "evening.image", VILLAGE_EVENING, village_image);
    put_made(t, "morning.image", VILLAGE_MORNING, village_image);
    put_made(t, "evening.flock", VILLAGE_EVENING, village_flock);
    put_made(t, "morning.flock", VILLAGE_MORNING, village_flock);
}
