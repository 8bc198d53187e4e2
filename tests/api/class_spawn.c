// Entity classes: registration and spawning.
#include "api/game_world.h"

#include "support/tree.h"

#include <stdio.h>
#include <string.h>

typedef struct body {
    float weight;
    bool tame;
} body;

static const firn_field body_fields[] = {
    FIRN_FIELD(body, weight, FIRN_F32),
    FIRN_FIELD(body, tame, FIRN_BOOL),
};

// A world with a class of every kind of part, and what its callbacks saw.
typedef struct barn {
    test_allocator memory;
    firn_world *world;
    firn_doc *doc;
    firn_component body, loud, age, title, bag, tag, needy;
    firn_class horse;
    uint32_t created;
    firn_result answer; // of create
    bool ends;          // create's observer ends it
    firn_entity last;
} barn;

static void expect_horse(const barn *b, firn_entity entity)
{
    size_t size;
    const body *row = firn_get(b->world, entity, b->body);
    assert_true(row->weight == 500 && row->tame);
    assert_true(*(const bool *)firn_get(b->world, entity, b->loud));
    assert_true(*(const double *)firn_get(b->world, entity, b->age) == 3);
    const char *title = firn_get_string(b->world, entity, b->title, &size);
    assert_int_equal(size, strlen("a title of more than twelve bytes"));
    assert_memory_equal(title, "a title of more than twelve bytes", size);
    assert_true(firn_has(b->world, entity, b->bag) && firn_has(b->world, entity, b->tag));
    assert_int_equal(firn_class_of(b->world, entity), b->horse);
}

static firn_result create_horse(void *user, firn_world *world, firn_entity entity, firn_error *err)
{
    barn *b = user;
    b->created++;
    b->last = entity;
    assert_ptr_equal(world, b->world);
    expect_horse(b, entity);
    if (b->answer != FIRN_OK)
        snprintf(err->message, sizeof err->message, "no stable is free");
    return b->answer;
}

static void make_barn(barn *b)
{
    firn_error err;
    *b = (barn){.answer = FIRN_OK};
    test_allocator_init(&b->memory);
    b->world = zoo_empty(&b->memory);
    b->doc = firn_doc_create(NULL, NULL, &err);
    firn_component_desc desc = zoo_struct("Body", sizeof(body), body_fields, 2);
    b->tag = zoo_register(b->world, &(firn_component_desc){.name = "Tag", .kind = FIRN_TAG});
    desc.required = &b->tag;
    desc.required_count = 1;
    b->body = zoo_register(b->world, &desc);
    b->loud = zoo_register(b->world, &(firn_component_desc){.name = "Loud", .kind = FIRN_BOOLEAN});
    b->age = zoo_register(b->world, &(firn_component_desc){.name = "Age", .kind = FIRN_NUMBER});
    firn_component_desc title = {.name = "Title", .kind = FIRN_STRING};
    title.default_value = firn_value_text(b->doc, "a default of more than twelve bytes", &err);
    b->title = zoo_register(b->world, &title);
    b->bag = zoo_register(b->world, &(firn_component_desc){.name = "Bag", .kind = FIRN_VALUE});
    const firn_component parts[] = {b->title, b->body, b->loud, b->bag, b->age};
    const body heavy = {500, true};
    const bool loud = true;
    const double age = 3;
    const void *rows[] = {NULL, &heavy, &loud, NULL, &age};
    const firn_value *values[] = {
        firn_value_text(b->doc, "a title of more than twelve bytes", &err), NULL, NULL,
        test_tree(b->doc, "{hay = 2}"), NULL};
    firn_class_desc horse = {.name = "Horse",
                             .components = parts,
                             .component_count = 5,
                             .rows = rows,
                             .values = values,
                             .create = create_horse,
                             .user = b};
    b->horse = firn_class_register(b->world, &horse, &err);
    if (b->horse == 0)
        fail_msg("no class: %s", err.message);
}

static void end_barn(barn *b)
{
    firn_world_destroy(b->world);
    firn_doc_destroy(b->doc);
    assert_no_leak(&b->memory);
}

// ---------------------------------------------------------------- spawning

static firn_result see_horse(void *user, firn_world *world, const firn_event *event,
                             firn_error *err)
{
    barn *b = user;
    (void)err;
    assert_int_equal(event->count, 1);
    expect_horse(b, event->entities[0]);
    assert_int_equal(b->created, 0);
    b->answer = FIRN_REFUSED; // of create, which is not called for what ends before
    if (b->ends)
        assert_ok(firn_despawn(world, event->entities[0], err), err);
    else
        b->answer = FIRN_OK;
    return FIRN_OK;
}

static firn_result see_no_set(void *user, firn_world *world, const firn_event *event,
                              firn_error *err)
{
    (void)user, (void)world, (void)event, (void)err;
    fail_msg("OnSet");
    return FIRN_OK;
}

static void S8_an_entity_of_a_class_is_complete_before_anybody_hears_of_it(void **state)
{
    (void)state;
    firn_error err;
    barn b;
    make_barn(&b);
    firn_observer_desc spawn = {.event = "OnSpawn", .observe = see_horse, .user = &b};
    firn_observer_desc set = {.event = "OnSet", .observe = see_no_set, .user = &b};
    assert_int_not_equal(firn_observe(b.world, &spawn, &err), 0);
    assert_int_not_equal(firn_observe(b.world, &set, &err), 0);
    firn_entity entity = firn_class_spawn(b.world, b.horse, &err);
    assert_int_not_equal(entity, 0);
    assert_int_equal(b.last, entity);
    assert_int_equal(b.created, 1);
    expect_horse(&b, entity);
    const firn_value *bag = firn_get_value(b.world, entity, b.bag, b.doc, &err);
    assert_true(firn_table_get_text(bag, "hay")->as.number == 2);
    // Who hears of it may end it: create is not called then.
    b.created = 0;
    b.ends = true;
    entity = firn_class_spawn(b.world, b.horse, &err);
    assert_int_not_equal(entity, 0);
    assert_false(firn_alive(b.world, entity));
    assert_int_equal(b.created, 0);
    end_barn(&b);
}

static void S8_entities_of_a_class_own_their_rows(void **state)
{
    (void)state;
    firn_error err;
    barn b;
    make_barn(&b);
    firn_entity one = firn_class_spawn(b.world, b.horse, &err);
    firn_entity two = firn_class_spawn(b.world, b.horse, &err);
    assert_ok(firn_set_text(b.world, one, b.title, "another one of many bytes", &err), &err);
    ((body *)firn_get_mut(b.world, one, b.body))->weight = 1;
    expect_horse(&b, two);
    assert_ok(firn_despawn(b.world, one, &err), &err);
    expect_horse(&b, two);
    expect_horse(&b, firn_class_spawn(b.world, b.horse, &err));
    end_barn(&b);
}

static void S8_an_entity_whose_create_fails_ends(void **state)
{
    (void)state;
    firn_error err;
    barn b;
    make_barn(&b);
    b.answer = FIRN_REFUSED;
    assert_int_equal(firn_class_spawn(b.world, b.horse, &err), 0);
    assert_error(&err, FIRN_REFUSED, "Horse");
    assert_string_equal(err.message, "class Horse: no stable is free");
    assert_int_equal(err.entity, b.last);
    assert_false(firn_alive(b.world, b.last));
    assert_int_equal(firn_entity_count(b.world), 0);
    end_barn(&b);
}

static firn_result despawn_it(void *user, firn_world *world, firn_entity entity, firn_error *err)
{
    (void)user;
    assert_ok(firn_despawn(world, entity, err), err);
    return FIRN_REFUSED;
}

static void S8_a_create_may_end_its_entity_itself(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_class_desc desc = {.name = "Mist", .create = despawn_it};
    firn_class mist = firn_class_register(world, &desc, &err);
    assert_int_equal(firn_class_spawn(world, mist, &err), 0);
    assert_error(&err, FIRN_REFUSED, "Mist");
    assert_int_equal(firn_entity_count(world), 0);
    firn_world_destroy(world);
}

static void S8_a_class_has_the_tag_of_the_state_on_top(void **state)
{
    (void)state;
    firn_error err;
    barn b;
    make_barn(&b);
    firn_state play = firn_state_create(b.world, &(firn_state_desc){.name = "play"}, &err);
    assert_ok(firn_state_push(b.world, play, &err), &err);
    firn_entity entity = firn_class_spawn(b.world, b.horse, &err);
    assert_true(firn_has(b.world, entity, firn_state_tag(b.world, play)));
    expect_horse(&b, entity);
    end_barn(&b);
}

static void S8_a_unique_string_of_a_class_is_that_of_one_entity(void **state)
{
    (void)state;
    firn_error err;
    barn b;
    make_barn(&b);
    firn_component key = firn_key(b.world);
    const firn_value *values[] = {firn_value_text(b.doc, "king", &err)};
    firn_class_desc desc = {
        .name = "King", .components = &key, .component_count = 1, .values = values};
    firn_class king = firn_class_register(b.world, &desc, &err);
    firn_entity first = firn_class_spawn(b.world, king, &err);
    assert_int_equal(firn_find_key(b.world, "king", 4), first);
    assert_int_equal(firn_class_spawn(b.world, king, &err), 0);
    assert_error(&err, FIRN_EXISTS, "Key");
    assert_int_equal(err.entity, first);
    assert_int_equal(firn_entity_count(b.world), 1);
    assert_ok(firn_despawn(b.world, first, &err), &err);
    firn_entity second = firn_class_spawn(b.world, king, &err);
    assert_int_equal(firn_find_key(b.world, "king", 4), second);
    end_barn(&b);
}

static void S8_no_class_is_spawned_in_loops_and_observers(void **state)
{
    (void)state;
    firn_error err;
    barn b;
    make_barn(&b);
    firn_iter it;
    firn_query all = firn_query_create(b.world, &(firn_query_desc){.name = "all"}, &err);
    firn_class_spawn(b.world, b.horse, &err);
    firn_iter_begin(b.world, all, &it);
    assert_true(firn_iter_next(&it));
    assert_int_equal(firn_class_spawn(b.world, b.horse, &err), 0);
    assert_error(&err, FIRN_BUSY, "all");
    assert_ok(firn_iter_end(&it, &err), &err);
    assert_int_equal(firn_entity_count(b.world), 1);
    end_barn(&b);
}

// ---------------------------------------------------------------- registration

static void S8_a_class_is_found_by_its_name(void **state)
{
    (void)state;
    firn_error err;
    barn b;
    make_barn(&b);
    assert_int_equal(firn_class_find(b.world, "Horse"), b.horse);
    assert_int_equal(firn_class_find(b.world, "Horses"), 0);
    assert_int_equal(firn_class_find(b.world, NULL), 0);
    assert_int_equal(firn_class_find(NULL, "Horse"), 0);
    assert_string_equal(firn_class_name(b.world, b.horse), "Horse");
    assert_string_equal(firn_class_name(b.world, 0), "");
    assert_string_equal(firn_class_name(NULL, b.horse), "");
    assert_true(b.horse < UINT64_C(1) << 53);
    assert_int_equal(firn_component_find(b.world, "Class"), firn_class_component(b.world));
    assert_int_equal(firn_class_component(NULL), 0);
    assert_int_equal(firn_class_of(b.world, 77), 0);
    assert_int_equal(firn_class_of(NULL, 1), 0);
    firn_entity bare = zoo_spawn(b.world, NULL, 0);
    assert_int_equal(firn_class_of(b.world, bare), 0);
    assert_int_equal(firn_class_register(b.world, &(firn_class_desc){.name = "Horse"}, &err), 0);
    assert_error(&err, FIRN_EXISTS, "Horse");
    firn_world *other = zoo_empty(NULL);
    assert_int_equal(firn_class_component(other), 0);
    assert_int_equal(firn_class_of(other, 1), 0);
    assert_int_equal(firn_class_spawn(other, b.horse, &err), 0);
    assert_error(&err, FIRN_INVALID, "entity_class");
    assert_int_equal(firn_class_spawn(b.world, 0, &err), 0);
    assert_error(&err, FIRN_INVALID, "entity_class");
    assert_int_equal(firn_class_spawn(NULL, b.horse, &err), 0);
    assert_error(&err, FIRN_INVALID, "world");
    firn_world_destroy(other);
    end_barn(&b);
}

static void drop_nothing(void *user, const firn_rows *rows)
{
    (void)user, (void)rows;
}

static void expect_no_class(firn_world *world, const firn_class_desc *desc, firn_result result,
                            const char *subject)
{
    firn_error err;
    assert_int_equal(firn_class_register(world, desc, &err), 0);
    assert_error(&err, result, subject);
    assert_int_equal(firn_class_find(world, "Bad"), 0);
}

static void S8_what_is_no_part_of_a_class_is_refused(void **state)
{
    (void)state;
    firn_error err;
    barn b;
    make_barn(&b);
    uint64_t blocks = b.memory.blocks;
    const void *row[] = {&(double){1}, &(double){1}};
    const firn_value *text[] = {firn_value_text(b.doc, "x", &err), NULL};
    const firn_value *number[] = {firn_value_number(b.doc, 1, &err), NULL};
    const firn_value *nil[] = {firn_value_nil(b.doc, &err), NULL};
    firn_class_desc desc = {.name = "Bad", .component_count = 1};
    expect_no_class(b.world, NULL, FIRN_INVALID, "desc");
    expect_no_class(b.world, &desc, FIRN_INVALID, "components");
    desc.components = &b.tag;
    desc.rows = row;
    expect_no_class(b.world, &desc, FIRN_INVALID, "Tag");
    desc.components = &b.title;
    expect_no_class(b.world, &desc, FIRN_INVALID, "Title");
    desc.rows = NULL;
    desc.values = number;
    expect_no_class(b.world, &desc, FIRN_INVALID, "Title");
    desc.components = &b.bag;
    desc.values = nil;
    expect_no_class(b.world, &desc, FIRN_INVALID, "Bag");
    desc.components = &b.age;
    desc.values = text;
    expect_no_class(b.world, &desc, FIRN_INVALID, "Age");
    desc.values = NULL;
    const firn_component twice[] = {b.age, b.age}, child[] = {firn_child_of(b.world)};
    const firn_component class[] = {firn_class_component(b.world)}, none[] = {0};
    desc.components = twice;
    desc.component_count = 2;
    expect_no_class(b.world, &desc, FIRN_INVALID, "Age");
    desc.component_count = 1;
    desc.components = child;
    expect_no_class(b.world, &desc, FIRN_INVALID, "ChildOf");
    desc.components = class;
    expect_no_class(b.world, &desc, FIRN_INVALID, "Class");
    desc.components = none;
    expect_no_class(b.world, &desc, FIRN_INVALID, "components");
    desc.component_count = UINT32_MAX;
    expect_no_class(b.world, &desc, FIRN_INVALID, "component_count");
    desc = (firn_class_desc){.name = "Bad", .reserved = {0, 1}};
    expect_no_class(b.world, &desc, FIRN_INVALID, "firn_class_desc");
    desc = (firn_class_desc){.name = ""};
    expect_no_class(b.world, &desc, FIRN_INVALID, "class name");
    desc = (firn_class_desc){.name = NULL};
    expect_no_class(b.world, &desc, FIRN_INVALID, "class name");
    expect_no_class(NULL, &desc, FIRN_INVALID, "world");
    assert_int_equal(b.memory.blocks, blocks);
    firn_component_desc owning = zoo_struct("Owning", sizeof(body), body_fields, 2);
    owning.hooks.drop = drop_nothing;
    firn_component owner = zoo_register(b.world, &owning);
    const body light = {1, false};
    const void *owned[] = {&light};
    desc =
        (firn_class_desc){.name = "Bad", .components = &owner, .component_count = 1, .rows = owned};
    expect_no_class(b.world, &desc, FIRN_INVALID, "Owning");
    end_barn(&b);
}

static void S8_a_value_above_the_limits_is_no_part_of_a_class(void **state)
{
    (void)state;
    firn_error err;
    firn_limits limits = {.string_bytes = 16};
    firn_world *world = firn_world_create(&(firn_world_desc){.limits = &limits}, &err);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_component name = firn_name(world);
    const firn_value *values[] = {firn_value_text(doc, "a name of many bytes", &err)};
    firn_class_desc desc = {
        .name = "Bad", .components = &name, .component_count = 1, .values = values};
    expect_no_class(world, &desc, FIRN_LIMIT, "Name");
    assert_int_equal(firn_class_component(world), 0);
    assert_int_equal(firn_component_find(world, "Class"), 0); // nothing has changed
    firn_doc_destroy(doc);
    firn_world_destroy(world);
}

static void S8_a_component_class_of_another_kind_is_in_the_way(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    zoo_register(world, &(firn_component_desc){.name = "Class", .kind = FIRN_TAG});
    firn_class_desc desc = {.name = "Bad"};
    expect_no_class(world, &desc, FIRN_EXISTS, "Class");
    firn_world_destroy(world);
    // The same one may be the game's.
    world = zoo_empty(NULL);
    firn_component own =
        zoo_register(world, &(firn_component_desc){.name = "Class", .kind = FIRN_STRING});
    assert_int_not_equal(firn_class_register(world, &desc, &err), 0);
    assert_int_equal(firn_class_component(world), own);
    firn_world_destroy(world);
}

static void S8_classes_beyond_the_limit_are_refused(void **state)
{
    (void)state;
    firn_error err;
    char name[16];
    firn_world *world = zoo_empty(NULL);
    firn_class_desc desc = {.name = name};
    for (uint32_t i = 0; i < 65536; i++) {
        snprintf(name, sizeof name, "class %u", i);
        assert_int_not_equal(firn_class_register(world, &desc, &err), 0);
    }
    snprintf(name, sizeof name, "one more");
    assert_int_equal(firn_class_register(world, &desc, &err), 0);
    assert_error(&err, FIRN_LIMIT, "one more");
    firn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(S8_an_entity_of_a_class_is_complete_before_anybody_hears_of_it),
        cmocka_unit_test(S8_entities_of_a_class_own_their_rows),
        cmocka_unit_test(S8_an_entity_whose_create_fails_ends),
        cmocka_unit_test(S8_a_create_may_end_its_entity_itself),
        cmocka_unit_test(S8_a_class_has_the_tag_of_the_state_on_top),
        cmocka_unit_test(S8_a_unique_string_of_a_class_is_that_of_one_entity),
        cmocka_unit_test(S8_no_class_is_spawned_in_loops_and_observers),
        cmocka_unit_test(S8_a_class_is_found_by_its_name),
        cmocka_unit_test(S8_what_is_no_part_of_a_class_is_refused),
        cmocka_unit_test(S8_a_value_above_the_limits_is_no_part_of_a_class),
        cmocka_unit_test(S8_a_component_class_of_another_kind_is_in_the_way),
        cmocka_unit_test(S8_classes_beyond_the_limit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
