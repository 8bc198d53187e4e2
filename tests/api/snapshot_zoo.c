#include "api/snapshot_zoo.h"

#include <stdlib.h>
#include <string.h>

const firn_field zoo_point_fields[2] = {
    FIRN_FIELD(zoo_point, x, FIRN_F32),
    FIRN_FIELD(zoo_point, y, FIRN_F32),
};

static const firn_field zoo_body_fields[] = {
    FIRN_FIELD(zoo_body, mass, FIRN_F64),
    FIRN_FIELD(zoo_body, i8, FIRN_I8),
    FIRN_FIELD(zoo_body, u16, FIRN_U16),
    FIRN_FIELD(zoo_body, awake, FIRN_BOOL),
    FIRN_FIELD(zoo_body, i64, FIRN_I64),
    FIRN_FIELD(zoo_body, u8, FIRN_U8),
    FIRN_FIELD(zoo_body, i16, FIRN_I16),
    FIRN_FIELD(zoo_body, i32, FIRN_I32),
    FIRN_FIELD(zoo_body, u32, FIRN_U32),
    FIRN_FIELD(zoo_body, u64, FIRN_U64),
    FIRN_FIELD_ARRAY(zoo_body, label, FIRN_CHAR, 7),
    FIRN_FIELD_STRUCT(zoo_body, home, zoo_point, zoo_point_fields),
    {.name = "path",
     .type = FIRN_NESTED,
     .offset = offsetof(zoo_body, path),
     .count = 3,
     .fields = zoo_point_fields,
     .field_count = 2,
     .size = sizeof(zoo_point)},
    FIRN_FIELD(zoo_body, target, FIRN_ENTITY),
    FIRN_FIELD(zoo_body, target_number, FIRN_ENTITY_NUMBER),
    FIRN_FIELD_ARRAY(zoo_body, doors, FIRN_BOOL, 3),
};

static const firn_field zoo_gap_fields[] = {
    FIRN_FIELD(zoo_gap, a, FIRN_I32),
    FIRN_FIELD(zoo_gap, b, FIRN_I16),
};

firn_component_desc zoo_struct(const char *name, size_t size, const firn_field *fields,
                               uint32_t count)
{
    return (firn_component_desc){
        .name = name, .kind = FIRN_STRUCT, .size = size, .fields = fields, .field_count = count};
}

firn_component_desc zoo_desc(zoo_kind kind)
{
    firn_component_desc body =
        zoo_struct("zoo.Body", sizeof(zoo_body), zoo_body_fields, FIRN_COUNT(zoo_body_fields));
    switch (kind) {
    case ZOO_POINT:
        return zoo_struct("zoo.Point", sizeof(zoo_point), zoo_point_fields, 2);
    case ZOO_BODY:
        body.align = 64;
        return body;
    case ZOO_GAP:
        return zoo_struct("zoo.Gap", sizeof(zoo_gap), zoo_gap_fields, 2);
    case ZOO_FLAG:
        return (firn_component_desc){.name = "zoo.Flag", .kind = FIRN_BOOLEAN};
    case ZOO_SCORE:
        return (firn_component_desc){.name = "zoo.Score", .kind = FIRN_NUMBER};
    case ZOO_TITLE:
        return (firn_component_desc){.name = "zoo.Title", .kind = FIRN_STRING};
    case ZOO_BAG:
        return (firn_component_desc){.name = "zoo.Bag", .kind = FIRN_VALUE};
    default:
        return (firn_component_desc){.name = "zoo.Tag", .kind = FIRN_TAG};
    }
}

firn_world *zoo_empty(test_allocator *memory)
{
    firn_error err;
    firn_world_desc desc = {.allocator = memory ? &memory->allocator : NULL};
    firn_world *world = firn_world_create(&desc, &err);
    if (world == NULL) {
        fail_msg("no world: %s", err.message);
    }
    return world;
}

firn_component zoo_register(firn_world *world, const firn_component_desc *desc)
{
    firn_error err;
    firn_component component = firn_component_register(world, desc, &err);
    if (component == 0) {
        fail_msg("%s is not registered: %s", desc->name, err.message);
    }
    return component;
}

zoo zoo_make(test_allocator *memory, bool backwards)
{
    zoo z = {.world = zoo_empty(memory)};
    for (int i = 0; i < ZOO_KINDS; i++) {
        zoo_kind kind = (zoo_kind)(backwards ? ZOO_KINDS - 1 - i : i);
        firn_component_desc desc = zoo_desc(kind);
        z.of[kind] = zoo_register(z.world, &desc);
    }
    return z;
}

firn_entity zoo_spawn(firn_world *world, const firn_component *components, uint32_t count)
{
    firn_error err;
    firn_entity entity = firn_spawn(world, components, count, &err);
    if (entity == 0) {
        fail_msg("no entity: %s", err.message);
    }
    return entity;
}

firn_entity zoo_spawn_one(firn_world *world, firn_component component)
{
    return zoo_spawn(world, &component, 1);
}

static zoo_body body_of(uint32_t i, firn_entity target)
{
    zoo_body body;
    memset(&body, 0, sizeof body);
    body.mass = i == 3 ? -0.0 : 1.5 * i;
    body.i8 = (int8_t)-i;
    body.u16 = (uint16_t)(65535 - i);
    body.awake = i % 2 == 0;
    body.i64 = INT64_MIN + i;
    body.u8 = (uint8_t)(255 - i);
    body.i16 = (int16_t)(-32768 + (int)i);
    body.i32 = -(int32_t)i;
    body.u32 = UINT32_MAX - i;
    body.u64 = UINT64_MAX - i;
    memcpy(body.label, "label\0x", 7);
    body.home = (zoo_point){(float)i, -(float)i};
    body.path[1] = (zoo_point){0.5f, (float)i};
    body.target = target;
    body.target_number = (double)target;
    body.doors[i % 3] = true;
    return body;
}

static void set_bag(const zoo *z, firn_entity entity, uint32_t i)
{
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *bag = firn_value_table(doc, &err);
    firn_value *inner = firn_value_table(doc, &err);
    assert_ok(firn_table_push(doc, inner, firn_value_text(doc, "rope", &err), &err), &err);
    assert_ok(firn_table_push(doc, inner, firn_value_int64(doc, INT64_MIN, &err), &err), &err);
    assert_ok(firn_table_set_text(doc, bag, "items", inner, &err), &err);
    assert_ok(firn_table_set_text(doc, bag, "gold", firn_value_number(doc, i, &err), &err), &err);
    assert_ok(firn_table_set(doc, bag, firn_value_bool(doc, true, &err),
                             firn_value_uint64(doc, UINT64_MAX, &err), &err),
              &err);
    assert_ok(firn_set_value(z->world, entity, z->of[ZOO_BAG], bag, &err), &err);
    firn_doc_destroy(doc);
}

static void fill_one(const zoo *z, firn_entity entity, uint32_t i, firn_entity target)
{
    firn_error err;
    firn_world *world = z->world;
    zoo_point point = {(float)i + 0.25f, -0.0f};
    zoo_gap gap = {(int32_t)i, (int16_t)-1};
    zoo_body body = body_of(i, target);
    bool flag = i % 3 == 0;
    double score = i == 4 ? -0.0 : i * 1e300;
    if (i % 2 == 0)
        assert_ok(firn_set(world, entity, z->of[ZOO_POINT], &point, &err), &err);
    if (i % 3 == 0)
        assert_ok(firn_set(world, entity, z->of[ZOO_BODY], &body, &err), &err);
    if (i % 4 == 0)
        assert_ok(firn_set(world, entity, z->of[ZOO_GAP], &gap, &err), &err);
    if (i % 5 == 0)
        assert_ok(firn_set(world, entity, z->of[ZOO_FLAG], &flag, &err), &err);
    if (i % 2 == 1)
        assert_ok(firn_set(world, entity, z->of[ZOO_SCORE], &score, &err), &err);
    if (i % 3 == 1)
        assert_ok(firn_set_string(world, entity, z->of[ZOO_TITLE], "a\0b, longer than twelve bytes",
                                  i * 2, &err),
                  &err);
    if (i % 4 == 1)
        set_bag(z, entity, i);
    if (i % 3 == 2)
        assert_ok(firn_add(world, entity, &z->of[ZOO_TAG], 1, &err), &err);
}

void zoo_fill(const zoo *z)
{
    firn_error err;
    firn_world *world = z->world;
    firn_entity entities[12];
    for (uint32_t i = 0; i < 12; i++) {
        entities[i] = zoo_spawn(world, NULL, 0);
        fill_one(z, entities[i], i, i > 0 ? entities[i - 1] : 0);
    }
    firn_component disabled = firn_disabled(world), paused = firn_paused(world);
    assert_ok(firn_set_text(world, entities[6], firn_name(world), "hero", &err), &err);
    assert_ok(firn_add(world, entities[7], &disabled, 1, &err), &err);
    assert_ok(firn_add(world, entities[8], &paused, 1, &err), &err);
    assert_ok(firn_despawn(world, entities[5], &err), &err);
    assert_ok(firn_despawn(world, entities[2], &err), &err);
    assert_ok(firn_despawn(world, entities[9], &err), &err);
    assert_ok(firn_world_set_tick(world, 600, &err), &err);
}

void zoo_litter(const zoo *z)
{
    firn_error err;
    firn_entity first[40];
    assert_ok(firn_spawn_many(z->world, z->of, ZOO_KINDS, 40, first, &err), &err);
    for (uint32_t i = 0; i < 40; i += 1 + i % 3)
        assert_ok(firn_despawn(z->world, first[i], &err), &err);
    for (uint32_t i = 0; i < 9; i++) {
        firn_entity entity = zoo_spawn_one(z->world, z->of[i % ZOO_KINDS]);
        assert_ok(
            firn_set_text(z->world, entity, z->of[ZOO_TITLE], "litter that is long enough", &err),
            &err);
    }
    assert_ok(firn_world_set_tick(z->world, 7, &err), &err);
}

firn_buffer zoo_save_with(firn_world *world, const firn_save_options *options)
{
    firn_error err;
    firn_buffer image = {0};
    assert_ok(firn_snapshot_save(world, options, &image, &err), &err);
    return image;
}

firn_buffer zoo_save(firn_world *world)
{
    return zoo_save_with(world, NULL);
}

firn_load_report zoo_load(firn_world *world, const firn_buffer *image)
{
    firn_error err;
    firn_load_report report;
    assert_ok(firn_snapshot_load(world, image->data, image->size, NULL, &report, &err), &err);
    assert_true(report.committed);
    firn_load_report_free(&report);
    return report;
}

firn_hash zoo_hash(firn_world *world)
{
    firn_error err;
    firn_hash hash;
    assert_ok(firn_world_hash(world, &hash, NULL, NULL, &err), &err);
    return hash;
}

void zoo_assert_same_bytes(const firn_buffer *a, const firn_buffer *b, const char *file, int line)
{
    size_t most = a->size < b->size ? a->size : b->size;
    size_t at = 0;
    while (at < most && a->data[at] == b->data[at])
        at++;
    if (at == most && a->size == b->size)
        return;
    print_error("%zu bytes against %zu, the first difference is at %zu: 0x%02x, 0x%02x\n", a->size,
                b->size, at, at < a->size ? a->data[at] : 0u, at < b->size ? b->data[at] : 0u);
    _fail(file, line);
}

void zoo_assert_saves_as(firn_world *world, const firn_buffer *image, const char *file, int line)
{
    firn_buffer now = zoo_save(world);
    zoo_assert_same_bytes(&now, image, file, line);
    firn_buffer_free(&now);
}

zoo_notes zoo_take_notes(firn_load_report *report)
{
    zoo_notes notes = {.count = report->notice_count};
    assert_true(notes.count <= ZOO_NOTES);
    for (uint32_t i = 0; i < notes.count; i++) {
        const firn_notice *notice = &report->notices[i];
        zoo_note *note = &notes.items[i];
        *note = (zoo_note){.kind = notice->kind, .count = notice->count};
        strncat(note->component, notice->component, sizeof note->component - 1);
        strncat(note->field, notice->field, sizeof note->field - 1);
    }
    firn_load_report_free(report);
    return notes;
}

void zoo_assert_note(const zoo_notes *notes, firn_notice_kind kind, const char *component,
                     const char *field, uint64_t count, const char *file, int line)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < notes->count; i++) {
        const zoo_note *note = &notes->items[i];
        found += note->kind == kind && strcmp(note->component, component) == 0 &&
                 strcmp(note->field, field) == 0 && note->count == count;
    }
    if (found == 1)
        return;
    print_error("no single notice %d about %s.%s, count %llu, among %u:\n", (int)kind, component,
                field, (unsigned long long)count, notes->count);
    for (uint32_t i = 0; i < notes->count; i++)
        print_error("  %d %s.%s %llu\n", (int)notes->items[i].kind, notes->items[i].component,
                    notes->items[i].field, (unsigned long long)notes->items[i].count);
    _fail(file, line);
}
