#include "golden/firn_worlds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------- components

static const firn_field point_fields[] = {
    FIRN_FIELD(golden_point, x, FIRN_F32),
    FIRN_FIELD(golden_point, y, FIRN_F32),
};
static const firn_field padded_fields[] = {
    FIRN_FIELD(golden_padded, small, FIRN_I8),
    FIRN_FIELD(golden_padded, wide, FIRN_F64),
    FIRN_FIELD(golden_padded, flag, FIRN_BOOL),
    FIRN_FIELD_ARRAY(golden_padded, marks, FIRN_U16, 3),
};
static const firn_field slot_fields[] = {
    FIRN_FIELD(golden_slot, kind, FIRN_I16),
    FIRN_FIELD(golden_slot, amount, FIRN_I64),
};
static const firn_field unit_fields[] = {
    FIRN_FIELD(golden_unit, number, FIRN_U32),
    FIRN_FIELD_STRUCT(golden_unit, home, golden_point, point_fields),
    {.name = "slots",
     .type = FIRN_NESTED,
     .offset = offsetof(golden_unit, slots),
     .count = 2,
     .fields = slot_fields,
     .field_count = FIRN_COUNT(slot_fields),
     .size = sizeof(golden_slot)},
    FIRN_FIELD(golden_unit, leader, FIRN_ENTITY),
    FIRN_FIELD(golden_unit, follower, FIRN_ENTITY_NUMBER),
    FIRN_FIELD_ARRAY(golden_unit, label, FIRN_CHAR, 6),
};
static const firn_field types_fields[] = {
    FIRN_FIELD(golden_types, b, FIRN_BOOL),  FIRN_FIELD(golden_types, i8, FIRN_I8),
    FIRN_FIELD(golden_types, u8, FIRN_U8),   FIRN_FIELD(golden_types, i16, FIRN_I16),
    FIRN_FIELD(golden_types, u16, FIRN_U16), FIRN_FIELD(golden_types, i32, FIRN_I32),
    FIRN_FIELD(golden_types, u32, FIRN_U32), FIRN_FIELD(golden_types, i64, FIRN_I64),
    FIRN_FIELD(golden_types, u64, FIRN_U64), FIRN_FIELD(golden_types, f32, FIRN_F32),
    FIRN_FIELD(golden_types, f64, FIRN_F64),
};
static const firn_field handle_fields[] = {
    FIRN_FIELD(golden_handle, number, FIRN_I32),
    FIRN_FIELD(golden_handle, pointer, FIRN_POINTER),
};

static const firn_field trust_fields[] = {FIRN_FIELD(golden_trust, amount, FIRN_I32)};

static firn_result encode_handles(void *user, const firn_rows *rows, firn_writer *out,
                                  firn_error *err)
{
    (void)user;
    (void)err;
    const golden_handle *handles = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        char text[32];
        snprintf(text, sizeof text, "handle %d", (int)handles[i].number);
        if (handles[i].number != 0)
            firn_write_text(out, text);
        else
            firn_write_nil(out);
    }
    return FIRN_OK;
}

static firn_result decode_handles(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)user;
    (void)err;
    golden_handle *handles = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        size_t size;
        const char *bytes = firn_read_string(in, &size);
        char text[32] = {0};
        int number = 0;
        if (bytes == NULL || size >= sizeof text)
            return FIRN_CORRUPT;
        memcpy(text, bytes, size);
        if (sscanf(text, "handle %9d", &number) != 1 || number == 0)
            return FIRN_CORRUPT;
        if (number == 13) {
            firn_reader_refuse(in, "13 is no handle");
            return FIRN_REFUSED;
        }
        handles[i].number = number;
    }
    return FIRN_OK;
}

static const firn_codec handle_codec = {FIRN_ABI, "handles", encode_handles, decode_handles, NULL};
static const double gone_default = 5;

#define STRUCT_OF(component_name, T, fields_)                                                      \
    .name = (component_name), .kind = FIRN_STRUCT, .size = sizeof(T), .fields = (fields_),         \
    .field_count = FIRN_COUNT(fields_)

static const firn_component_desc firn_descs[] = {
    {STRUCT_OF("Position", golden_point, point_fields)},
    {STRUCT_OF("Padded", golden_padded, padded_fields)},
    {STRUCT_OF("Unit", golden_unit, unit_fields)},
    {STRUCT_OF("Types", golden_types, types_fields)},
    {.name = "Alive", .kind = FIRN_BOOLEAN},
    {.name = "Score", .kind = FIRN_NUMBER},
    {.name = "Title", .kind = FIRN_STRING},
    {.name = "Bag", .kind = FIRN_VALUE},
    {.name = "Boss", .kind = FIRN_TAG},
    {STRUCT_OF("Handle", golden_handle, handle_fields), .codec = &handle_codec},
    {.name = "Likes", .kind = FIRN_RELATION},
    {.name = "Trusts",
     .kind = FIRN_RELATION,
     .size = sizeof(golden_trust),
     .fields = trust_fields,
     .field_count = FIRN_COUNT(trust_fields),
     .relation = FIRN_SPARSE | FIRN_EXCLUSIVE},
    {.name = "Knows", .kind = FIRN_RELATION, .relation = FIRN_SPARSE | FIRN_REVERSE},
    {.name = "Gone", .kind = FIRN_NUMBER, .default_row = &gone_default, .transient = true},
};

static bool add_game(firn_world *world, firn_error *err)
{
    static const firn_step steps[] = {{"begin", NULL}, {"go", NULL}};
    static const firn_provider_desc story = {.name = "story", .steps = steps, .step_count = 2};
    static const firn_state_desc states[] = {{.name = "day"}, {.name = "night"}};
    firn_phase update = firn_phase_find(world, "Update");
    return firn_state_create(world, &states[0], err) != 0 &&
           firn_state_create(world, &states[1], err) != 0 &&
           firn_phase_add(world, "Thaw", update, err) != 0 &&
           firn_provider_add(world, &story, err) == FIRN_OK;
}

firn_world *golden_firn_world(const firn_allocator *allocator, const char *name, firn_error *err)
{
    firn_world_desc desc = {.allocator = allocator, .name = name};
    firn_world *world = firn_world_create(&desc, err);
    bool made = world != NULL;
    for (uint32_t i = 0; made && i < FIRN_COUNT(firn_descs); i++)
        made = firn_component_register(world, &firn_descs[i], err) != 0;
    if (made && add_game(world, err))
        return world;
    firn_world_destroy(world);
    return NULL;
}

// ---------------------------------------------------------------- contents

// The first failure of many calls.
typedef struct filling {
    firn_world *world;
    firn_result result;
    firn_error *err;
} filling;

static void keep(filling *at, firn_result result)
{
    if (at->result == FIRN_OK)
        at->result = result;
}

static firn_entity spawn(filling *at)
{
    firn_entity entity = firn_spawn(at->world, NULL, 0, at->err);
    keep(at, entity != 0 ? FIRN_OK : FIRN_NO_MEMORY);
    return entity;
}

static void set(filling *at, firn_entity entity, const char *name, const void *row)
{
    keep(at, firn_set(at->world, entity, firn_component_find(at->world, name), row, at->err));
}

static void set_title(filling *at, firn_entity entity, const char *name, const char *text)
{
    keep(at, firn_set_text(at->world, entity, firn_component_find(at->world, name), text, at->err));
}

static void set_bag(filling *at, firn_entity entity, const firn_value *value)
{
    firn_component bag = firn_component_find(at->world, "Bag");
    keep(at, firn_set_value(at->world, entity, bag, value, at->err));
}

static firn_result fill_nothing(firn_world *world, firn_error *err)
{
    (void)world;
    (void)err;
    return FIRN_OK;
}

// One entity of each kind of component, one of several, one of none, one that is transient only.
static firn_result fill_kinds(firn_world *world, firn_error *err)
{
    filling at = {world, FIRN_OK, err};
    firn_doc *doc = firn_doc_create(NULL, NULL, err);
    firn_value *bag = firn_value_table(doc, err);
    keep(&at, firn_table_push(doc, bag, firn_value_text(doc, "rope", err), err));
    keep(&at, firn_table_set_text(doc, bag, "coins", firn_value_number(doc, 12, err), err));
    for (int i = 0; i < 2; i++) {
        set(&at, spawn(&at), "Position", &(golden_point){1.5f, -2.f + (float)i});
        set(&at, spawn(&at), "Alive", &(bool){i == 0});
        set(&at, spawn(&at), "Score", &(double){0.1 + i});
        set_title(&at, spawn(&at), "Title", i == 0 ? "" : "king");
        set_bag(&at, spawn(&at), bag);
        set(&at, spawn(&at), "Boss", NULL);
        set(&at, spawn(&at), "Handle", &(golden_handle){.number = 7 + i});
        set(&at, spawn(&at), "Gone", &(double){i});
        spawn(&at);
    }
    firn_entity all = spawn(&at);
    set(&at, all, "Boss", NULL);
    set(&at, all, "Disabled", NULL);
    set(&at, all, "Score", &(double){-0.0});
    set(&at, all, "Position", &(golden_point){3.f, 4.f});
    set_title(&at, all, "Name", "M\xc3\xa4x");
    firn_doc_destroy(doc);
    return at.result;
}

static firn_result fill_structs(firn_world *world, firn_error *err)
{
    filling at = {world, FIRN_OK, err};
    firn_entity leader = spawn(&at);
    for (int i = 0; i < 3; i++) {
        golden_padded padded;
        memset(&padded, 0x55 + i, sizeof padded);
        padded.small = (int8_t)(-1 - i);
        padded.wide = i + 0.5;
        padded.flag = i == 1;
        for (int k = 0; k < 3; k++)
            padded.marks[k] = (uint16_t)(1000 * i + k);
        golden_unit unit;
        memset(&unit, 0xaa, sizeof unit);
        unit = (golden_unit){.number = UINT32_MAX - (uint32_t)i,
                             .home = {0.25f, (float)i},
                             .slots = {{-7, INT64_MIN}, {7, INT64_MAX}},
                             .leader = leader,
                             .follower = (double)leader,
                             .label = "crow"};
        firn_entity entity = spawn(&at);
        set(&at, entity, "Padded", &padded);
        set(&at, entity, "Unit", &unit);
    }
    golden_types most = {true,       INT8_MAX,  UINT8_MAX,  INT16_MAX, UINT16_MAX, INT32_MAX,
                         UINT32_MAX, INT64_MAX, UINT64_MAX, INFINITY,  1e308};
    golden_types least = {false, INT8_MIN,  0, INT16_MIN, 0,     INT32_MIN,
                          0,     INT64_MIN, 0, -0.f,      5e-324};
    set(&at, leader, "Types", &most);
    set(&at, spawn(&at), "Types", &least);
    return at.result;
}

// An id of the last generation comes into a world by a load; ended, its slot is retired.
static firn_result retire_slot_one(filling *at)
{
    firn_buffer image;
    firn_buffer_init(&image, NULL);
    firn_entity first = spawn(at);
    keep(at, firn_snapshot_save(at->world, NULL, &image, at->err));
    double old = (double)first, last = (double)(first + ((uint64_t)FIRN_GENERATION_MAX << 22));
    for (size_t i = 0; at->result == FIRN_OK && i + 8 <= image.size; i++) {
        uint8_t number[8];
        for (int k = 0; k < 8; k++) {
            uint64_t bits;
            memcpy(&bits, &old, sizeof bits);
            number[k] = (uint8_t)(bits >> (8 * k));
        }
        // The id is the only number without a tag before it.
        if (memcmp(image.data + i, number, 8) != 0 || image.data[i - 1] == 0x07)
            continue;
        uint64_t bits;
        memcpy(&bits, &last, sizeof bits);
        for (int k = 0; k < 8; k++)
            image.data[i + (size_t)k] = (uint8_t)(bits >> (8 * k));
        break;
    }
    keep(at, firn_snapshot_load(at->world, image.data, image.size, NULL, NULL, at->err));
    keep(at, firn_despawn(at->world, (firn_entity)last, at->err));
    firn_buffer_free(&image);
    return at->result;
}

// Slot 1 is retired; others have died once or twice and wait in an order of their own.
static firn_result fill_free_list(firn_world *world, firn_error *err)
{
    filling at = {world, FIRN_OK, err};
    if (retire_slot_one(&at) != FIRN_OK)
        return at.result;
    firn_entity ids[8];
    for (int i = 0; i < 8; i++)
        ids[i] = spawn(&at);
    keep(&at, firn_despawn(world, ids[2], err));
    firn_entity again = spawn(&at);
    keep(&at, firn_despawn(world, again, err));
    static const int order[] = {6, 0, 4};
    for (int i = 0; i < 3; i++)
        keep(&at, firn_despawn(world, ids[order[i]], err));
    ids[0] = spawn(&at);
    set(&at, ids[0], "Score", &(double){4});
    set(&at, ids[7], "Score", &(double){7});
    return at.result;
}

static firn_result fill_world_facts(firn_world *world, firn_error *err)
{
    filling at = {world, FIRN_OK, err};
    keep(&at, firn_world_set_tick(world, UINT64_C(9007199254740992), err));
    set(&at, spawn(&at), "Score", &(double){1});
    return at.result;
}

// A value of every kind, at the bounds of its encoding.
static firn_value *make_odd_bag(filling *at, firn_doc *doc)
{
    firn_error *err = at->err;
    firn_value *bag = firn_value_table(doc, err);
    char text[300];
    memset(text, 'x', sizeof text);
    static const double numbers[] = {0.0, -0.0, 1e300, -INFINITY};
    for (int i = 0; i < 4; i++)
        keep(at, firn_table_push(doc, bag, firn_value_number(doc, numbers[i], err), err));
    keep(at, firn_table_push(doc, bag, firn_value_number(doc, NAN, err), err));
    keep(at, firn_table_push(doc, bag, firn_value_int64(doc, INT64_MIN, err), err));
    keep(at, firn_table_push(doc, bag, firn_value_uint64(doc, UINT64_MAX, err), err));
    keep(at, firn_table_push(doc, bag, firn_value_complex(doc, 1, -1, err), err));
    for (size_t size = 190; size <= 194; size++)
        keep(at, firn_table_push(doc, bag, firn_value_string(doc, text, size, err), err));
    const firn_value *no = firn_value_bool(doc, false, err);
    keep(at, firn_table_set(doc, bag, no, firn_value_bool(doc, true, err), err));
    keep(at, firn_table_set(doc, bag, firn_value_number(doc, -3, err), no, err));
    keep(at, firn_table_set(doc, bag, firn_value_number(doc, 0.5, err), no, err));
    keep(at, firn_table_set_text(doc, bag, "", firn_value_table(doc, err), err));
    return bag;
}

static firn_value *make_deep_bag(filling *at, firn_doc *doc)
{
    firn_value *bag = firn_value_table(doc, at->err);
    for (uint32_t depth = 1; depth < FIRN_DEPTH_MAX; depth++) {
        firn_value *outer = firn_value_table(doc, at->err);
        keep(at, firn_table_push(doc, outer, bag, at->err));
        bag = outer;
    }
    return bag;
}

static firn_result fill_values(firn_world *world, firn_error *err)
{
    filling at = {world, FIRN_OK, err};
    firn_doc *doc = firn_doc_create(NULL, NULL, err);
    set_bag(&at, spawn(&at), make_odd_bag(&at, doc));
    set_bag(&at, spawn(&at), make_deep_bag(&at, doc));
    set_bag(&at, spawn(&at), firn_value_bool(doc, false, err));
    set_bag(&at, spawn(&at), firn_value_table(doc, err));
    firn_doc_destroy(doc);
    firn_component title = firn_component_find(world, "Title");
    static const char zeros[] = "a\0b\xff";
    keep(&at, firn_set_string(world, spawn(&at), title, zeros, sizeof zeros - 1, err));
    set_title(&at, spawn(&at), "Title", "");
    return at.result;
}

static firn_result fill_codec(firn_world *world, firn_error *err)
{
    filling at = {world, FIRN_OK, err};
    for (int32_t i = 0; i < 4; i++)
        set(&at, spawn(&at), "Handle", &(golden_handle){.number = i == 0 ? -1 : i});
    return at.result;
}

// Two states, two disabled phases, time that waits, a random stream.
static firn_result fill_game(firn_world *world, firn_error *err)
{
    filling at = {world, FIRN_OK, err};
    firn_state day = firn_state_find(world, "day"), night = firn_state_find(world, "night");
    keep(&at, firn_world_set_timestep(world, 0.25, err));
    keep(&at, firn_state_push(world, day, err));
    set(&at, spawn(&at), "Score", &(double){1});
    keep(&at, firn_state_push(world, night, err));
    spawn(&at);
    keep(&at, firn_state_push(world, day, err));
    keep(&at, firn_phase_enable(world, firn_phase_find(world, "Thaw"), false, err));
    keep(&at, firn_phase_enable(world, firn_phase_find(world, "Last"), false, err));
    keep(&at, firn_world_step(world, 0.625, err));
    keep(&at, firn_random_seed(world, 42, err));
    keep(&at, firn_random_stream(world, "game.loot", err) != NULL ? FIRN_OK : FIRN_NO_MEMORY);
    return at.result;
}

static void made(filling *at, uint64_t number)
{
    keep(at, number != 0 ? FIRN_OK : FIRN_NO_MEMORY);
}

// One of everything that script state holds, some of it twice.
static firn_result fill_script(firn_world *world, firn_error *err)
{
    filling at = {world, FIRN_OK, err};
    firn_entity hero = spawn(&at), ghost = spawn(&at);
    const firn_value payload = {.kind = FIRN_VALUE_STRING, .length = 4, .as.string = "ding"};
    const firn_timer_desc timers[] = {
        {.provider = "story", .step = "go", .delay = 2.5, .period = 0.25, .clock = "moon"},
        {.provider = "story", .step = "begin", .entity = ghost, .delay = 1},
        {.provider = "story", .step = "begin", .entity = hero}};
    const firn_wait_desc wait = {.provider = "story",
                                 .step = "go",
                                 .entity = hero,
                                 .event = "bell",
                                 .delay = 9,
                                 .clock = "sun"};
    keep(&at, firn_world_set_tick(world, 5, err));
    keep(&at, firn_clock_add(world, "sun", err));
    keep(&at, firn_clock_add(world, "moon", err));
    keep(&at, firn_clock_scale(world, "moon", 0.1, err));
    keep(&at, firn_world_set_tick(world, 12, err));
    keep(&at, firn_clock_pause(world, "moon", true, err));
    made(&at, firn_script_send(world, "bell", hero, 3, &payload, err));
    made(&at, firn_script_send(world, "dawn", 0, 0, NULL, err));
    for (uint32_t i = 0; i < FIRN_COUNT(timers); i++)
        made(&at, firn_timer_start(world, &timers[i], err));
    made(&at, firn_wait_start(world, &wait, err));
    made(&at, firn_machine_set(world, hero, "story", "begin", err));
    made(&at, firn_machine_set(world, hero, "story", "go", err));
    uint64_t cursor = firn_cursor_start(world, "story", hero, "quest", NULL, err);
    made(&at, firn_cursor_start(world, "story", 0, NULL, "go", err));
    keep(&at, firn_cursor_wait(world, cursor, "dawn", 0, NULL, err));
    keep(&at, firn_despawn(world, ghost, err)); // its timer ends
    return at.result;
}

static void relate(filling *at, firn_entity source, const char *name, firn_entity target,
                   const void *row)
{
    firn_component relation = firn_component_find(at->world, name);
    keep(at, firn_relate(at->world, source, relation, target, row, at->err));
}

// Relations of every kind. The children of the first stand in another order than their rows.
static firn_result fill_relations(firn_world *world, firn_error *err)
{
    filling at = {world, FIRN_OK, err};
    firn_entity ids[6];
    for (int i = 0; i < 6; i++)
        ids[i] = spawn(&at);
    relate(&at, ids[1], "Likes", ids[0], NULL);
    relate(&at, ids[1], "Likes", ids[2], NULL);
    relate(&at, ids[2], "Likes", ids[2], NULL);
    relate(&at, ids[3], "ChildOf", ids[1], NULL);
    relate(&at, ids[4], "ChildOf", ids[0], NULL);
    relate(&at, ids[3], "ChildOf", ids[0], NULL);
    relate(&at, ids[3], "Trusts", ids[4], &(golden_trust){.amount = -7});
    relate(&at, ids[4], "Trusts", ids[4], &(golden_trust){.amount = 5});
    set(&at, ids[3], "Position", &(golden_point){1, 2});
    set(&at, ids[3], "Score", &(double){3});
    set(&at, ids[3], "Boss", NULL);
    relate(&at, ids[5], "Knows", ids[3], NULL);
    relate(&at, ids[5], "Knows", ids[0], NULL);
    return at.result;
}

// ---------------------------------------------------------------- images

#define PINNED(total, ids, entities, world)                                                        \
    {                                                                                              \
        UINT64_C(total), UINT64_C(ids), UINT64_C(entities), UINT64_C(world)                        \
    }

const golden_image golden_images[] = {
    {.name = "01_empty",
     .fill = fill_nothing,
     .hash =
         PINNED(0x3c7791f3e461de0a, 0x15e0e6a489cc380e, 0x2d06800538d394c2, 0xc77b3abb6f87acd9)},
    {.name = "02_kinds",
     .fill = fill_kinds,
     .hash =
         PINNED(0x8b0f60d20bd7d52e, 0x3afe7f19069bf325, 0xc9670ce6679a0dc7, 0xc77b3abb6f87acd9)},
    {.name = "03_structs",
     .fill = fill_structs,
     .hash =
         PINNED(0x955f96ffd7923cdd, 0x00622cf4b424e9c4, 0xccce2a3e05e6761d, 0xc77b3abb6f87acd9)},
    {.name = "04_free_list",
     .fill = fill_free_list,
     .hash =
         PINNED(0x3fc691aafa7017de, 0xd00c0a160b148130, 0x96b798115f5664da, 0xc77b3abb6f87acd9)},
    {.name = "05_data",
     .fill = fill_world_facts,
     .world_name = "winter",
     .custom_data = true,
     .hash =
         PINNED(0x813ba7893b8cdaff, 0xd42cd781cca90211, 0xeafffdefa2a621c4, 0xd2806ed6d3c29cbc)},
    {.name = "06_version_2",
     .fill = fill_kinds,
     .wire_version = 2,
     .hash = PINNED(0x8b0f60d20bd7d52e, 0x3afe7f19069bf325, 0xc9670ce6679a0dc7, 0xc77b3abb6f87acd9),
     .version2_hash = UINT64_C(0x158e6065a73636c4)},
    {.name = "07_values",
     .fill = fill_values,
     .hash =
         PINNED(0x56a33ca14ebfcaec, 0x2bd29fd955146d97, 0xef07e01df4d66a6f, 0xc77b3abb6f87acd9)},
    {.name = "08_codec",
     .fill = fill_codec,
     .hash =
         PINNED(0x834f156c34c3888e, 0x8fdbd6dda1560057, 0x418f87a620663bfb, 0xc77b3abb6f87acd9)},
    {.name = "09_game",
     .fill = fill_game,
     .hash =
         PINNED(0x667c7ba24bf1634a, 0xbd4ddaa7a29b5742, 0x01570a4c5ca66025, 0xfaeb1ec3b5566275)},
    {.name = "10_relations",
     .fill = fill_relations,
     .sparse_edges = true,
     .hash =
         PINNED(0x04a084f9be7dc950, 0x84a606829b154e2b, 0xde294706b1dba5ab, 0x6228cabe1c98389c)},
    {.name = "11_script",
     .fill = fill_script,
     .hash =
         PINNED(0x20d276d032ef261a, 0x424eb9c825bc4943, 0x0cfbaea74a8cc0e5, 0x77949bb0cb57f2c7)},
};
const uint32_t golden_image_count = FIRN_COUNT(golden_images);

firn_world *golden_image_world(const golden_image *image, firn_error *err)
{
    firn_world *world = golden_firn_world(NULL, image->world_name, err);
    if (world != NULL && image->fill(world, err) != FIRN_OK) {
        firn_world_destroy(world);
        return NULL;
    }
    return world;
}

firn_result golden_image_save(const golden_image *image, firn_world *world, firn_buffer *out,
                              firn_error *err)
{
    // 5 as another writer may encode it.
    static const uint8_t encoded[] = {0x06, 0x05, 0x00, 0x00, 0x00};
    firn_value number = {.kind = FIRN_VALUE_NUMBER, .as.number = 0.5};
    firn_data data[] = {
        {.key = "weather", .value = &number},
        {.key = "clock", .encoded = encoded, .encoded_size = sizeof encoded},
    };
    firn_save_options options = {.wire_version = image->wire_version,
                                 .sparse_edges = image->sparse_edges};
    if (image->custom_data) {
        options.data = data;
        options.data_count = FIRN_COUNT(data);
    }
    return firn_snapshot_save(world, &options, out, err);
}
