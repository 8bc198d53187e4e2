#include "unit/store_fixture.h"

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
