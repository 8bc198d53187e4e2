#include "unit/store_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t fixture_take_resource(fixture *f)
{
    uint32_t resource = f->next_resource;
    while (f->owned[resource]) {
        resource = (resource + 1) % FIXTURE_RESOURCES;
    }
    f->owned[resource] = true;
    f->owned_count++;
    f->next_resource = (resource + 1) % FIXTURE_RESOURCES;
    return resource + 1;
}

static void init_owners(void *user, const firn_rows *rows)
{
    fixture *f = user;
    owner *owners = rows->data;
    f->init_calls++;
    f->init_rows += rows->count;
    for (uint32_t i = 0; i < rows->count; i++) {
        assert_int_equal(owners[i].resource, 0);
        owners[i].resource = fixture_take_resource(f);
    }
    if (f->in_hook != NULL) {
        f->in_hook(f, rows);
    }
}

static void drop_owners(void *user, const firn_rows *rows)
{
    fixture *f = user;
    owner *owners = rows->data;
    f->drop_calls++;
    f->drop_rows += rows->count;
    if (f->in_hook != NULL) {
        f->in_hook(f, rows);
    }
    for (uint32_t i = 0; i < rows->count; i++) {
        if (owners[i].resource != 0) {
            assert_true(f->owned[owners[i].resource - 1]);
            f->owned[owners[i].resource - 1] = false;
            f->owned_count--;
        }
        owners[i].resource = UINT32_MAX;
    }
}

static void move_owners(void *user, void *to, void *from, uint32_t count)
{
    fixture *f = user;
    f->move_rows += count;
    memcpy(to, from, count * sizeof(owner));
    memset(from, 0xee, count * sizeof(owner));
    if (f->in_hook != NULL) {
        f->in_hook(f, NULL);
    }
}

static void init_selves(void *user, const firn_rows *rows)
{
    (void)user;
    self_pointer *selves = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        selves[i].self = &selves[i];
    }
}

static void move_selves(void *user, void *to, void *from, uint32_t count)
{
    (void)user;
    self_pointer *target = to;
    self_pointer *source = from;
    for (uint32_t i = 0; i < count; i++) {
        assert_true(source[i].self == NULL || source[i].self == &source[i]);
        target[i] = source[i];
        if (target[i].self != NULL) {
            target[i].self = &target[i];
        }
    }
}

static firn_component register_one(firn_world *world, const firn_component_desc *desc)
{
    firn_error err;
    firn_component component = firn_component_register(world, desc, &err);
    if (component == 0) {
        fail_msg("registering %s: %s", desc->name, err.message);
    }
    return component;
}

static const firn_field position_fields[] = {
    FIRN_FIELD(position, x, FIRN_F32),
    FIRN_FIELD(position, y, FIRN_F32),
};
static const firn_field wide_fields[] = {
    FIRN_FIELD(wide, value, FIRN_F64),
    FIRN_FIELD_ARRAY(wide, more, FIRN_U8, 65),
};
static const firn_field owner_fields[] = {FIRN_FIELD(owner, resource, FIRN_U32)};
static const firn_field self_fields[] = {
    FIRN_FIELD(self_pointer, self, FIRN_POINTER),
    FIRN_FIELD(self_pointer, value, FIRN_U64),
};

static void register_plain(fixture *f, firn_world *world)
{
    static const position origin = {1, 2};
    f->wide = register_one(world, &(firn_component_desc){
                                      .name = "Wide",
                                      .kind = FIRN_STRUCT,
                                      .size = sizeof(wide),
                                      .align = _Alignof(wide),
                                      .fields = wide_fields,
                                      .field_count = FIRN_COUNT(wide_fields),
                                  });
    f->position = register_one(world, &(firn_component_desc){
                                          .name = "game.Position",
                                          .kind = FIRN_STRUCT,
                                          .size = sizeof(position),
                                          .fields = position_fields,
                                          .field_count = FIRN_COUNT(position_fields),
                                          .default_row = &origin,
                                      });
    f->number = register_one(world, &(firn_component_desc){.name = "Number", .kind = FIRN_NUMBER});
    f->flag = register_one(world, &(firn_component_desc){.name = "Flag", .kind = FIRN_BOOLEAN});
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    f->text = register_one(world, &(firn_component_desc){
                                      .name = "Text",
                                      .kind = FIRN_STRING,
                                      .default_value = firn_value_text(
                                          doc, "a default that does not fit inline", NULL),
                                  });
    firn_doc_destroy(doc);
    f->value = register_one(world, &(firn_component_desc){.name = "Value", .kind = FIRN_VALUE});
    f->tag = register_one(world, &(firn_component_desc){.name = "Tag", .kind = FIRN_TAG});
}

void fixture_register(fixture *f, firn_world *world)
{
    register_plain(f, world);
    f->mark = register_one(world, &(firn_component_desc){
                                      .name = "Mark",
                                      .kind = FIRN_TAG,
                                      .required = &f->tag,
                                      .required_count = 1,
                                  });
    f->owner = register_one(world, &(firn_component_desc){
                                       .name = "Aowner",
                                       .kind = FIRN_STRUCT,
                                       .size = sizeof(owner),
                                       .fields = owner_fields,
                                       .field_count = FIRN_COUNT(owner_fields),
                                       .hooks = {init_owners, drop_owners, move_owners, f},
                                   });
    f->self = register_one(world, &(firn_component_desc){
                                      .name = "Zelf",
                                      .kind = FIRN_STRUCT,
                                      .size = sizeof(self_pointer),
                                      .fields = self_fields,
                                      .field_count = FIRN_COUNT(self_fields),
                                      .transient = true,
                                      .hooks = {init_selves, NULL, move_selves, NULL},
                                  });
    f->hungry = register_one(world, &(firn_component_desc){
                                        .name = "Hungry",
                                        .kind = FIRN_STRUCT,
                                        .size = sizeof(position),
                                        .fields = position_fields,
                                        .field_count = FIRN_COUNT(position_fields),
                                        .required = (firn_component[]){f->number, f->mark, f->text},
                                        .required_count = 3,
                                    });
    f->passing = register_one(world, &(firn_component_desc){
                                         .name = "A.passing",
                                         .kind = FIRN_TAG,
                                         .transient = true,
                                     });
}

firn_world *fixture_world(fixture *f)
{
    firn_error err;
    firn_world_desc desc = {.allocator = &f->memory.allocator, .name = "test"};
    firn_world *world = firn_world_create(&desc, &err);
    if (world == NULL) {
        fail_msg("making a world: %s", err.message);
    }
    fixture_register(f, world);
    return world;
}

// ---------------------------------------------------------------- printing

static void print_text(firn_buffer *out, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert_true(size >= 0 && (size_t)size < sizeof text);
    assert_int_equal(firn_buffer_append(out, text, (size_t)size, NULL), FIRN_OK);
}

static void print_bytes(firn_buffer *out, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        print_text(out, "%02x", bytes[i]);
    }
}

// A row without what depends on where things are.
static void print_row(firn_buffer *out, const fr_component *component, const uint8_t *row)
{
    print_text(out, " %s ", component->name);
    if (component->kind == FIRN_STRING || component->kind == FIRN_VALUE) {
        size_t size;
        const uint8_t *encoded = firn_row_encoded(row, &size);
        print_bytes(out, encoded, size);
    } else if (strcmp(component->name, "Zelf") == 0) {
        const self_pointer *self = (const self_pointer *)(const void *)row;
        print_text(out, "%d %llu", self->self == self, (unsigned long long)self->value);
    } else {
        print_bytes(out, row, component->stride);
    }
}

static void print_archetype(firn_buffer *out, const fr_archetype *archetype)
{
    print_text(out, "archetype");
    for (uint32_t i = 0; i < archetype->term_count; i++) {
        print_text(out, " %s", archetype->components[archetype->by_name[i]]->name);
    }
    print_text(out, "\n");
    for (uint32_t row = 0; row < archetype->count; row++) {
        print_text(out, "%llu", (unsigned long long)archetype->entities[row]);
        for (uint32_t i = 0; i < archetype->column_count; i++) {
            const fr_column *column = &archetype->columns[i];
            print_row(out, column->component, column->data + (size_t)row * column->stride);
        }
        print_text(out, "\n");
    }
}

void fixture_print(const firn_world *world, firn_buffer *out)
{
    const fr_entity_index *index = &world->index;
    print_text(out, "%s tick %llu components %u pending %u entities %u loops %u\n", world->name,
               (unsigned long long)world->tick, world->components.count, firn_pending(world),
               firn_entity_count(world), world->open_loops);
    for (uint32_t i = 0; i < world->order_count; i++) {
        print_archetype(out, world->archetypes[world->order[i]]);
    }
    print_text(out, "next %u free", index->next_slot);
    for (uint32_t slot = index->free_head; slot != 0;) {
        print_text(out, " %u:%u", slot, fr_record_generation(index->records[slot]));
        slot = fr_record_next_free(index->records[slot]);
    }
    for (uint32_t i = 0; i < world->queries.count; i++) {
        const fr_query *query = &world->queries.items[i];
        print_text(out, "\nquery %u used %d open %u:", i, query->used, query->open);
        for (uint32_t k = 0; k < query->match_count; k++) {
            print_text(out, " %u", query->matches[k]);
        }
    }
    print_text(out, "\n");
}

void fixture_assert_world_is(const firn_world *world, const firn_buffer *before, const char *file,
                             int line)
{
    firn_buffer now = {0};
    fixture_print(world, &now);
    if (now.size != before->size || memcmp(now.data, before->data, now.size) != 0) {
        print_error("before:\n%.*sand now:\n%.*s", (int)before->size, (const char *)before->data,
                    (int)now.size, (const char *)now.data);
        firn_buffer_free(&now);
        _fail(file, line);
    }
    firn_buffer_free(&now);
}

int fixture_setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (f == NULL) {
        return -1;
    }
    *state = f;
    test_allocator_init(&f->memory);
    f->world = fixture_world(f);
    return 0;
}

int fixture_teardown(void **state)
{
    fixture *f = *state;
    f->in_hook = NULL;
    firn_world_destroy(f->world);
    assert_no_leak(&f->memory);
    assert_int_equal(f->owned_count, 0);
    free(f);
    return 0;
}
