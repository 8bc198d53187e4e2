// What a save may hold for a tag: what the component was when it was saved matters.
#include "api/snapshot_zoo.h"

#include <stdio.h>
#include <string.h>

// Worlds whose component Mark is of a kind, on the second of three entities of each archetype.
typedef struct marked {
    firn_world *world;
    firn_component mark;
    firn_entity entity;
    firn_buffer image;
    firn_doc *doc;
    firn_value *table;
} marked;

static const firn_component_desc mark_tag = {.name = "Mark", .kind = FIRN_TAG};

static void save_marked(marked *m)
{
    firn_error err;
    m->image = zoo_save(m->world);
    m->doc = firn_doc_create(NULL, NULL, &err);
    assert_ok(firn_snapshot_save_table(m->world, NULL, m->doc, &m->table, &err), &err);
}

// by_row: beside a sparse relation, whose frames lie row by row.
static void make_marked(marked *m, firn_component_kind kind, bool by_row)
{
    firn_error err;
    *m = (marked){.world = zoo_empty(NULL)};
    m->mark = zoo_register(m->world, &(firn_component_desc){.name = "Mark", .kind = kind});
    firn_entity first = zoo_spawn_one(m->world, m->mark);
    m->entity = zoo_spawn_one(m->world, m->mark);
    for (firn_entity entity = first; by_row && entity <= m->entity; entity++) {
        firn_component child_of = firn_child_of(m->world);
        assert_ok(firn_relate(m->world, entity, child_of, entity, NULL, &err), &err);
    }
}

// Tables are right for tags.
static void set_values(marked *m, bool right)
{
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *table = firn_value_table(doc, &err);
    assert_ok(firn_set_value(m->world, m->entity - 1, m->mark, table, &err), &err);
    assert_ok(firn_table_push(doc, table, firn_value_bool(doc, false, &err), &err), &err);
    const firn_value *second = right ? table : firn_value_text(doc, "x", &err);
    assert_ok(firn_set_value(m->world, m->entity, m->mark, second, &err), &err);
    firn_doc_destroy(doc);
}

static void free_marked(marked *m)
{
    firn_doc_destroy(m->doc);
    firn_buffer_free(&m->image);
    firn_world_destroy(m->world);
}

// In a world whose Mark is a tag, neither image nor table loads; kept, Mark cannot be registered.
static void expect_no_tag(const marked *m, firn_entity entity)
{
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    const firn_load_options keep = {.keep_unknown = true};
    zoo_register(world, &mark_tag);
    assert_int_equal(firn_snapshot_load(world, m->image.data, m->image.size, NULL, NULL, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "Mark");
    assert_int_equal(err.entity, entity);
    assert_true(err.offset < m->image.size);
    assert_int_equal(firn_snapshot_merge(world, m->image.data, m->image.size, NULL, NULL, NULL),
                     FIRN_INVALID);
    assert_int_equal(firn_snapshot_load_table(world, m->table, NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "entities[");
    assert_non_null(strstr(err.message, "Mark"));
    assert_int_equal(err.entity, entity);
    firn_world_destroy(world);
    world = zoo_empty(NULL);
    assert_ok(firn_snapshot_load(world, m->image.data, m->image.size, &keep, NULL, &err), &err);
    assert_int_equal(firn_component_register(world, &mark_tag, &err), 0);
    assert_error(&err, FIRN_INVALID, "Mark");
    assert_int_equal(err.entity, entity);
    assert_saves_as(world, &m->image);
    firn_world_destroy(world);
}

static void expect_tags(const marked *m)
{
    firn_error err;
    const firn_load_options keep = {.keep_unknown = true};
    for (int way = 0; way < 3; way++) {
        firn_world *world = zoo_empty(NULL);
        firn_component mark = 0;
        if (way < 2)
            mark = zoo_register(world, &mark_tag);
        if (way == 1) {
            assert_ok(firn_snapshot_load_table(world, m->table, NULL, NULL, &err), &err);
        } else {
            assert_ok(firn_snapshot_load(world, m->image.data, m->image.size,
                                         way == 0 ? NULL : &keep, NULL, &err),
                      &err);
        }
        if (way == 2)
            mark = zoo_register(world, &mark_tag);
        assert_true(firn_has(world, m->entity, mark));
        firn_world_destroy(world);
    }
}

static void WIRE2_a_value_of_another_kind_is_no_tag(void **state)
{
    (void)state;
    static const firn_component_kind kinds[] = {FIRN_BOOLEAN, FIRN_NUMBER, FIRN_STRING};
    for (int i = 0; i < 6; i++) {
        marked m;
        make_marked(&m, kinds[i / 2], i % 2 == 1);
        save_marked(&m);
        expect_no_tag(&m, m.entity - 1);
        free_marked(&m);
    }
}

static void WIRE2_one_value_among_those_of_tags_is_noticed(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        marked m;
        make_marked(&m, i < 2 ? FIRN_BOOLEAN : FIRN_VALUE, i % 2 == 1);
        firn_entity right = m.entity - 1;
        if (i < 2)
            *(bool *)firn_get_mut(m.world, right, m.mark) = true;
        else
            set_values(&m, false);
        save_marked(&m);
        expect_no_tag(&m, m.entity);
        free_marked(&m);
    }
}

static void WIRE2_true_and_tables_are_tags_in_every_form(void **state)
{
    (void)state;
    static const firn_component_kind kinds[] = {FIRN_TAG, FIRN_BOOLEAN, FIRN_VALUE};
    for (int i = 0; i < 6; i++) {
        marked m;
        make_marked(&m, kinds[i / 2], i % 2 == 1);
        for (firn_entity entity = m.entity - 1; entity <= m.entity; entity++) {
            if (kinds[i / 2] == FIRN_BOOLEAN)
                *(bool *)firn_get_mut(m.world, entity, m.mark) = true;
        }
        if (kinds[i / 2] == FIRN_VALUE)
            set_values(&m, true);
        save_marked(&m);
        expect_tags(&m);
        free_marked(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(WIRE2_a_value_of_another_kind_is_no_tag),
        cmocka_unit_test(WIRE2_one_value_among_those_of_tags_is_noticed),
        cmocka_unit_test(WIRE2_true_and_tables_are_tags_in_every_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
