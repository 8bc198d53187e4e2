#include "api/rewrite_game.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct place {
    float x, y;
} place;

typedef struct body {
    double mass;
    int8_t kind;
    uint64_t serial;
    place home;
    place path[2];
    char label[6];
    bool awake;
} body;

typedef struct likes {
    firn_entity target;
    float weight;
    bool zeal;
} likes;

static const firn_field place_fields[] = {FIRN_FIELD(place, x, FIRN_F32),
                                          FIRN_FIELD(place, y, FIRN_F32)};
static const firn_field body_fields[] = {
    FIRN_FIELD(body, mass, FIRN_F64),
    FIRN_FIELD(body, kind, FIRN_I8),
    FIRN_FIELD(body, serial, FIRN_U64),
    FIRN_FIELD_STRUCT(body, home, place, place_fields),
    {"path", FIRN_NESTED, offsetof(body, path), 2, place_fields, 2, sizeof(place), NULL, {0}},
    FIRN_FIELD_ARRAY(body, label, FIRN_CHAR, 6),
    FIRN_FIELD(body, awake, FIRN_BOOL),
};
static const firn_field likes_fields[] = {FIRN_FIELD(likes, weight, FIRN_F32),
                                          FIRN_FIELD(likes, zeal, FIRN_BOOL)};

static const firn_component_desc game_descs[GAME_KINDS] = {
    [GAME_PLACE] = {.name = "Place",
                    .size = sizeof(place),
                    .fields = place_fields,
                    .field_count = 2},
    [GAME_BODY] = {.name = "Body", .size = sizeof(body), .fields = body_fields, .field_count = 7},
    [GAME_ALIVE] = {.name = "Alive", .kind = FIRN_BOOLEAN},
    [GAME_SCORE] = {.name = "Score", .kind = FIRN_NUMBER},
    [GAME_TITLE] = {.name = "Title", .kind = FIRN_STRING},
    [GAME_BAG] = {.name = "Bag", .kind = FIRN_VALUE},
    [GAME_BOSS] = {.name = "Boss", .kind = FIRN_TAG},
    [GAME_SMALL] = {.name = "Small", .kind = FIRN_TAG},
    [GAME_LIKES] = {.name = "Likes",
                    .kind = FIRN_RELATION,
                    .size = sizeof(likes),
                    .fields = likes_fields,
                    .field_count = 2,
                    .relation = FIRN_REVERSE},
    [GAME_OWNS] = {.name = "Owns",
                   .kind = FIRN_RELATION,
                   .size = sizeof(likes),
                   .fields = likes_fields,
                   .field_count = 2,
                   .relation = FIRN_SPARSE | FIRN_EXCLUSIVE | FIRN_REVERSE},
    [GAME_KNOWS] = {.name = "Knows",
                    .kind = FIRN_RELATION,
                    .size = sizeof(likes),
                    .fields = likes_fields,
                    .field_count = 2,
                    .relation = FIRN_SPARSE | FIRN_REVERSE},
};

// ---- names

static void begin_name(game_name *name, const char *was)
{
    *name = (game_name){.was = was};
    (void)snprintf(name->now, sizeof name->now, "%s", was);
}

void game_names_begin(game_names *names)
{
    *names = (game_names){0};
    for (uint32_t i = 0; i < GAME_KINDS; i++) {
        const firn_component_desc *desc = &game_descs[i];
        begin_name(&names->components[i], desc->name);
        for (uint32_t k = 0; k < desc->field_count; k++)
            begin_name(&names->fields[i][k], desc->fields[k].name);
    }
}

static const char *const *former_of(game_name *name)
{
    if (strcmp(name->was, name->now) == 0)
        return NULL;
    name->former[0] = name->was;
    return name->former;
}

static game_name *find_now(game_name *names, uint32_t count, const char *now)
{
    for (uint32_t i = 0; i < count; i++)
        if (names[i].was != NULL && !names[i].dropped && strcmp(names[i].now, now) == 0)
            return &names[i];
    return NULL;
}

static uint32_t count_left(const game_name *fields)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < GAME_FIELDS; i++)
        left += fields[i].was != NULL && !fields[i].dropped;
    return left;
}

bool game_edit(game_names *names, const firn_edit *edit)
{
    game_name *component = find_now(names->components, GAME_KINDS, edit->component);
    if (component == NULL)
        return false;
    game_name *fields = names->fields[component - names->components];
    bool of_field = edit->kind == FIRN_RENAME_FIELD || edit->kind == FIRN_DROP_FIELD;
    game_name *name = of_field ? find_now(fields, GAME_FIELDS, edit->field) : component;
    bool last = of_field && count_left(fields) == 1;
    if (name == NULL || (edit->kind == FIRN_DROP_FIELD && last))
        return false;
    if (edit->kind == FIRN_DROP_FIELD || edit->kind == FIRN_DROP_COMPONENT) {
        name->dropped = true;
        return true;
    }
    if (find_now(of_field ? fields : names->components, of_field ? GAME_FIELDS : GAME_KINDS,
                 edit->to) != NULL)
        return false;
    (void)snprintf(name->now, sizeof name->now, "%s", edit->to);
    return true;
}

// ---- worlds

static firn_component register_named(firn_world *world, game_names *names, uint32_t kind)
{
    firn_component_desc desc = game_descs[kind];
    firn_field fields[GAME_FIELDS];
    game_name *of = names->fields[kind];
    uint32_t count = 0;
    for (uint32_t i = 0; i < desc.field_count; i++) {
        if (of[i].dropped)
            continue;
        fields[count] = desc.fields[i];
        fields[count].name = of[i].now;
        fields[count++].former_names = former_of(&of[i]);
    }
    desc.fields = count > 0 ? fields : NULL;
    desc.field_count = count;
    desc.name = names->components[kind].now;
    desc.former_names = former_of(&names->components[kind]);
    firn_error err;
    firn_component component = firn_component_register(world, &desc, &err);
    assert_ok(component != 0 ? FIRN_OK : err.code, &err);
    return component;
}

game_world game_make(game_names *names)
{
    firn_error err;
    game_world game = {.world = firn_world_create(NULL, &err)};
    assert_non_null(game.world);
    for (uint32_t i = 0; i < GAME_KINDS; i++)
        if (!names->components[i].dropped)
            game.of[i] = register_named(game.world, names, i);
    return game;
}

static void set_row(const game_world *game, test_random *random, firn_entity entity, uint32_t kind)
{
    firn_error err;
    body row = {.mass = test_random_real(random), .kind = (int8_t)test_random_below(random, 200)};
    row.serial = test_random_u64(random);
    row.home.x = row.path[1].y = (float)test_random_below(random, 100);
    memcpy(row.label, "ab", 2);
    row.awake = test_random_below(random, 2) != 0;
    bool alive = row.awake;
    double score = test_random_below(random, 50);
    const void *rows[] = {
        [GAME_PLACE] = &row.home, [GAME_BODY] = &row, [GAME_ALIVE] = &alive, [GAME_SCORE] = &score};
    firn_component component = game->of[kind];
    if (kind == GAME_TITLE) {
        assert_ok(firn_set_text(game->world, entity, component, "frost", &err), &err);
    } else if (kind == GAME_BAG) {
        firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
        firn_value *bag = firn_value_table(doc, NULL);
        (void)firn_table_set_text(doc, bag, "gold", firn_value_number(doc, score, NULL), NULL);
        assert_ok(firn_set_value(game->world, entity, component, bag, &err), &err);
        firn_doc_destroy(doc);
    } else if (kind <= GAME_SCORE) {
        assert_ok(firn_set(game->world, entity, component, rows[kind], &err), &err);
    } else {
        assert_ok(firn_add(game->world, entity, &component, 1, &err), &err);
    }
}

static void relate_some(const game_world *game, test_random *random, const firn_entity *entities,
                        uint32_t count)
{
    firn_error err;
    for (uint32_t i = 0; i < count * 2; i++) {
        firn_entity source = entities[test_random_below(random, count)];
        firn_entity target = entities[test_random_below(random, count < 5 ? count : 5)];
        uint32_t kind = GAME_LIKES + test_random_below(random, 4);
        const likes row = {.weight = (float)i, .zeal = true};
        firn_component relation = kind < GAME_KINDS ? game->of[kind] : firn_child_of(game->world);
        if (source != target)
            assert_ok(firn_relate(game->world, source, relation, target,
                                  kind < GAME_KINDS ? &row : NULL, &err),
                      &err);
    }
}

void game_fill(const game_world *game, uint64_t seed, uint32_t entities)
{
    firn_error err;
    test_random random = {seed};
    firn_entity *all = calloc(entities + 1, sizeof *all);
    for (uint32_t i = 0; i < entities; i++) {
        all[i] = firn_spawn(game->world, NULL, 0, &err);
        for (uint32_t kind = 0; kind < GAME_LIKES; kind++)
            if (test_random_below(&random, 3) == 0)
                set_row(game, &random, all[i], kind);
    }
    // What is true everywhere would be taken for a tag.
    bool dead = false;
    for (uint32_t i = 0; i < entities; i++)
        if (firn_has(game->world, all[i], game->of[GAME_ALIVE]))
            assert_ok(firn_set(game->world, all[i], game->of[GAME_ALIVE], &dead, &err), &err);
    if (entities > 1)
        relate_some(game, &random, all, entities);
    for (uint32_t i = 5; i < entities; i += 7)
        if (firn_alive(game->world, all[i]))
            assert_ok(firn_despawn(game->world, all[i], &err), &err);
    free(all);
}

firn_buffer game_save(firn_world *world)
{
    firn_error err;
    firn_buffer image = {0};
    const firn_save_options options = {.sparse_edges = true};
    assert_ok(firn_snapshot_save(world, &options, &image, &err), &err);
    return image;
}

firn_buffer game_expect(game_names *names, const firn_buffer *image)
{
    firn_error err;
    game_world game = game_make(names);
    const firn_load_options options = {.skip_unknown = true};
    assert_ok(firn_snapshot_load(game.world, image->data, image->size, &options, NULL, &err), &err);
    firn_buffer expected = game_save(game.world);
    firn_world_destroy(game.world);
    return expected;
}

firn_buffer game_rewrite(const firn_buffer *image, const firn_edit *edits, uint32_t count)
{
    firn_error err;
    firn_buffer out = {0};
    const firn_rewrite_options options = {.edits = edits, .edit_count = count};
    assert_ok(firn_image_rewrite(image->data, image->size, &options, &out, NULL, &err), &err);
    return out;
}
