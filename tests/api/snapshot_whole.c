// What a save brings back of a world as a whole, and that ids stay names of entities.
#include "api/snapshot_zoo.h"

#include <stdio.h>
#include <string.h>

typedef struct bond {
    firn_entity friend;
    double rival; // as Lua holds an id
} bond;

static const firn_field bond_fields[] = {
    FIRN_FIELD(bond, friend, FIRN_ENTITY),
    FIRN_FIELD(bond, rival, FIRN_ENTITY_NUMBER),
};

// A village of people with names, bonds and notes.
typedef struct village {
    firn_world *world;
    firn_component bond, notes, health;
} village;

static village make_village(const char *name)
{
    firn_error err;
    village v = {.world = firn_world_create(&(firn_world_desc){.name = name}, &err)};
    assert_non_null(v.world);
    firn_component_desc desc = zoo_struct("Bond", sizeof(bond), bond_fields, 2);
    v.bond = zoo_register(v.world, &desc);
    v.notes = zoo_register(v.world, &(firn_component_desc){.name = "Notes", .kind = FIRN_VALUE});
    v.health = zoo_register(v.world, &(firn_component_desc){.name = "Health", .kind = FIRN_NUMBER});
    return v;
}

static firn_entity add_person(const village *v, const char *name, double health)
{
    firn_error err;
    firn_entity entity = zoo_spawn_one(v->world, v->health);
    assert_ok(firn_set(v->world, entity, v->health, &health, &err), &err);
    assert_ok(firn_set_text(v->world, entity, firn_name(v->world), name, &err), &err);
    return entity;
}

static void expect_person(const village *v, firn_entity entity, const char *name, double health)
{
    size_t size;
    const char *found = firn_get_string(v->world, entity, firn_name(v->world), &size);
    assert_non_null(found);
    assert_int_equal(size, strlen(name));
    assert_memory_equal(found, name, size);
    assert_true(*(const double *)firn_get(v->world, entity, v->health) == health);
}

static firn_result run_step(void *user, firn_world *world, double dt, firn_error *err)
{
    firn_buffer *image = user;
    (void)dt;
    // In the middle of a step: the save holds the steps that are complete, and this one's time.
    if (image != NULL && firn_world_tick(world) == 2 && image->size == 0)
        return firn_snapshot_save(world, NULL, image, err);
    return FIRN_OK;
}

static void S5_name_tick_ids_generator_and_the_state_of_entities_come_back(void **state)
{
    (void)state;
    firn_error err;
    village v = make_village("Harbour"), other = make_village("elsewhere");
    firn_entity people[20];
    char name[32];
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "person %d", i);
        people[i] = add_person(&v, name, i + 0.5);
    }
    for (int i = 3; i < 20; i += 4)
        assert_ok(firn_despawn(v.world, people[i], &err), &err);
    people[3] = add_person(&v, "newcomer", 7); // a slot with a higher generation
    assert_ok(firn_random_seed(v.world, 77, &err), &err);
    for (int i = 0; i < 5; i++)
        (void)firn_random_next(firn_random_stream(v.world, "weather", &err));
    assert_ok(firn_world_set_timestep(v.world, 0.5, &err), &err);
    assert_ok(firn_world_step(v.world, 2.25, &err), &err);
    firn_buffer image = zoo_save(v.world);
    add_person(&other, "somebody", 1);
    zoo_load(other.world, &image);
    assert_string_equal(firn_world_name(other.world), "Harbour");
    assert_int_equal(firn_world_tick(other.world), 4);
    assert_true(firn_world_accumulator(other.world) == 0.25);
    assert_int_equal(firn_entity_count(other.world), firn_entity_count(v.world));
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "person %d", i);
        assert_int_equal(firn_alive(other.world, people[i]), i == 3 || i % 4 != 3);
        if (i % 4 != 3)
            expect_person(&other, people[i], name, i + 0.5);
    }
    expect_person(&other, people[3], "newcomer", 7);
    assert_int_equal(firn_random_seed_of(other.world), 77);
    assert_true(firn_random_next(firn_random_stream(other.world, "weather", &err)) ==
                firn_random_next(firn_random_stream(v.world, "weather", &err)));
    // The counter of ids: both give the same ones, and none that the save held.
    for (int i = 0; i < 8; i++) {
        firn_entity next = zoo_spawn(v.world, NULL, 0);
        assert_int_equal(zoo_spawn(other.world, NULL, 0), next);
        for (int k = 0; k < 20; k++)
            assert_int_not_equal(next, people[k]);
    }
    firn_buffer_free(&image);
    firn_world_destroy(v.world);
    firn_world_destroy(other.world);
}

static void S5_a_save_between_fixed_steps_goes_on_at_that_step(void **state)
{
    (void)state;
    firn_error err;
    village v = make_village("v"), other = make_village("o");
    firn_buffer image = {0};
    firn_system_desc system = {
        .phase = firn_phase_find(v.world, "FixedFirst"), .run = run_step, .user = &image};
    assert_int_not_equal(firn_system_add(v.world, &system, &err), 0);
    assert_ok(firn_world_set_timestep(v.world, 0.5, &err), &err);
    assert_ok(firn_world_set_timestep(other.world, 0.5, &err), &err);
    assert_ok(firn_world_step(v.world, 2.25, &err), &err);
    zoo_load(other.world, &image);
    assert_int_equal(firn_world_tick(other.world), 2);
    assert_true(firn_world_accumulator(other.world) == 0.75); // without the step under way
    firn_buffer_free(&image);
    firn_world_destroy(v.world);
    firn_world_destroy(other.world);
}

// ---------------------------------------------------------------- ids

// What custom data said.
typedef struct told {
    firn_entity hero;
} told;

static firn_result take_hero(void *user, firn_world *world, const char *key, const void *encoded,
                             size_t size, firn_error *err)
{
    told *t = user;
    firn_reader reader;
    (void)world, (void)key, (void)err;
    firn_reader_begin(&reader, encoded, size, NULL);
    t->hero = (firn_entity)firn_read_number(&reader);
    return firn_reader_end(&reader, err);
}

static void S6_an_id_in_data_or_in_a_field_names_the_same_entity_after_a_load(void **state)
{
    (void)state;
    firn_error err;
    village v = make_village("v"), other = make_village("o");
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    for (int i = 0; i < 3; i++) // so that slots have generations
        assert_ok(firn_despawn(v.world, zoo_spawn(v.world, NULL, 0), &err), &err);
    firn_entity hero = add_person(&v, "hero", 9), foe = add_person(&v, "foe", 3);
    assert_true(hero > UINT32_C(1) << FIRN_SLOT_BITS);
    firn_entity poet = add_person(&v, "poet", 1);
    bond both = {.friend = hero, .rival = (double)foe};
    assert_ok(firn_set(v.world, poet, v.bond, &both, &err), &err);
    firn_value *notes = firn_value_table(doc, &err);
    assert_ok(
        firn_table_set_text(doc, notes, "hero", firn_value_number(doc, (double)hero, &err), &err),
        &err);
    assert_ok(firn_set_value(v.world, poet, v.notes, notes, &err), &err);
    firn_data data = {.key = "hero", .value = firn_value_number(doc, (double)hero, &err)};
    firn_buffer image =
        zoo_save_with(v.world, &(firn_save_options){.data = &data, .data_count = 1});
    // Into a world where these ids are others', and into the same one, where the hero has died.
    add_person(&other, "nobody", 0);
    add_person(&other, "no one", 0);
    assert_ok(firn_despawn(v.world, hero, &err), &err);
    add_person(&v, "impostor", 0);
    village *worlds[] = {&v, &other};
    for (int i = 0; i < 2; i++) {
        told t = {0};
        firn_load_options options = {.on_data = take_hero, .user = &t};
        assert_ok(
            firn_snapshot_load(worlds[i]->world, image.data, image.size, &options, NULL, &err),
            &err);
        assert_int_equal(t.hero, hero);
        expect_person(worlds[i], t.hero, "hero", 9);
        const bond *found = firn_get(worlds[i]->world, poet, worlds[i]->bond);
        expect_person(worlds[i], found->friend, "hero", 9);
        expect_person(worlds[i], (firn_entity)found->rival, "foe", 3);
        const firn_value *note =
            firn_get_value(worlds[i]->world, poet, worlds[i]->notes, doc, &err);
        expect_person(worlds[i], (firn_entity)firn_table_get_text(note, "hero")->as.number, "hero",
                      9);
    }
    firn_buffer_free(&image);
    firn_doc_destroy(doc);
    firn_world_destroy(v.world);
    firn_world_destroy(other.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(S5_name_tick_ids_generator_and_the_state_of_entities_come_back),
        cmocka_unit_test(S5_a_save_between_fixed_steps_goes_on_at_that_step),
        cmocka_unit_test(S6_an_id_in_data_or_in_a_field_names_the_same_entity_after_a_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
