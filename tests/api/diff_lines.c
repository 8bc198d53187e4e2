#include "api/diff_lines.h"

#include <string.h>

#include "support/tree.h"

// ---- worlds

static firn_component add_relation(firn_world *world, const char *name, uint32_t bits)
{
    firn_component_desc desc = {.name = name, .kind = FIRN_RELATION, .relation = bits};
    return zoo_register(world, &desc);
}

static void add_state(firn_world *world, const char *name)
{
    firn_error err;
    firn_state_desc desc = {.name = name};
    if (firn_state_create(world, &desc, &err) == 0)
        fail_msg("no state: %s", err.message);
}

static void fill_people(const diff_world *w)
{
    firn_error err;
    firn_world *world = w->world;
    const firn_component *of = w->z.of;
    firn_component hero[] = {of[ZOO_POINT], of[ZOO_BODY], of[ZOO_GAP]};
    firn_component bag[] = {of[ZOO_BAG], of[ZOO_SCORE]};
    assert_int_equal(zoo_spawn(world, hero, 3), DIFF_HERO);
    assert_int_equal(zoo_spawn_one(world, of[ZOO_SCORE]), DIFF_PARENT);
    assert_int_equal(zoo_spawn(world, bag, 2), DIFF_BAG);
    assert_int_equal(zoo_spawn_one(world, of[ZOO_TAG]), DIFF_FRIEND);
    assert_ok(firn_set_text(world, DIFF_HERO, firn_key(world), "hero", &err), &err);
    assert_ok(firn_set_text(world, DIFF_PARENT, firn_name(world), "Ann", &err), &err);
    assert_ok(firn_relate(world, DIFF_BAG, firn_child_of(world), DIFF_PARENT, NULL, &err), &err);
    assert_ok(firn_relate(world, DIFF_FRIEND, w->likes, DIFF_HERO, NULL, &err), &err);
    assert_ok(firn_relate(world, DIFF_FRIEND, w->owns, DIFF_BAG, NULL, &err), &err);
    diff_set_bag(w, DIFF_BAG, "{gold = 12, items = {\"rope\", {name = \"key\", uses = 3}, true}}");
}

static void fill_points(const diff_world *w, uint32_t points)
{
    firn_error err;
    firn_component both[] = {w->z.of[ZOO_POINT], w->z.of[ZOO_TITLE]};
    for (uint32_t i = 0; i < points; i++) {
        firn_entity entity = zoo_spawn(w->world, both, 2);
        zoo_point point = {(float)i, i > 0 ? -(float)i : 0.0f};
        assert_int_equal(entity, DIFF_POINTS + i);
        assert_ok(firn_set(w->world, entity, both[0], &point, &err), &err);
        assert_ok(
            firn_set_string(w->world, entity, both[1], "a title of some length", i % 23, &err),
            &err);
    }
}

diff_world diff_world_make(test_allocator *memory, uint32_t points)
{
    diff_world w = {.z = zoo_make(memory, false)};
    w.world = w.z.world;
    w.likes = add_relation(w.world, "Likes", 0);
    w.owns = add_relation(w.world, "Owns", FIRN_SPARSE | FIRN_REVERSE);
    add_state(w.world, "menu");
    add_state(w.world, "play");
    fill_people(&w);
    fill_points(&w, points);
    return w;
}

diff_worlds diff_worlds_make(void)
{
    return (diff_worlds){diff_world_make(NULL, 100), diff_world_make(NULL, 100)};
}

void diff_worlds_free(diff_worlds *worlds)
{
    firn_world_destroy(worlds->left.world);
    firn_world_destroy(worlds->right.world);
}

void diff_set_bag(const diff_world *world, firn_entity entity, const char *tree)
{
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    const firn_value *value = test_tree(doc, tree);
    assert_ok(firn_set_value(world->world, entity, world->z.of[ZOO_BAG], value, &err), &err);
    firn_doc_destroy(doc);
}

void *diff_row(const diff_world *world, firn_entity entity, firn_component component)
{
    void *row = firn_get_mut(world->world, entity, component);
    assert_non_null(row);
    return row;
}

// ---- comparisons

static uint64_t count_items(const firn_value *list, const char *inner)
{
    uint64_t count = 0;
    for (uint32_t i = 1; i <= firn_table_array_count(list); i++) {
        const firn_value *items =
            inner ? firn_table_get_text(firn_table_get_number(list, i), inner) : NULL;
        count += items ? firn_table_array_count(items) : 1;
    }
    return count;
}

static double number_of(const firn_value *tree, const char *key)
{
    const firn_value *value = firn_table_get_text(tree, key);
    assert_non_null(value);
    assert_int_equal(value->kind, FIRN_VALUE_NUMBER);
    return value->as.number;
}

static void check_tree(const firn_diff_side *left, const firn_diff_side *right,
                       const firn_diff_options *options, const firn_diff_summary *summary)
{
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_diff_summary again;
    const firn_value *tree = firn_diff_value(left, right, options, doc, &again, &err);
    if (tree == NULL)
        fail_msg("no tree: %s", err.message);
    assert_memory_equal(&again, summary, sizeof again);
    static const char *const lists[] = {"header", "schemas", "order", "data"};
    uint64_t count = count_items(firn_table_get_text(tree, "entities"), "changes");
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        count += count_items(firn_table_get_text(tree, lists[i]), NULL);
    assert_int_equal(count, summary->listed);
    assert_true(number_of(tree, "listed") == (double)summary->listed);
    assert_true(number_of(tree, "differences") == (double)summary->differences);
    assert_int_equal(firn_table_get_text(tree, "same")->as.boolean, summary->differences == 0);
    firn_doc_destroy(doc);
}

void diff_assert_sides(const firn_diff_side *left, const firn_diff_side *right,
                       const firn_diff_options *options, const char *text, const char *file,
                       int line)
{
    firn_error err;
    firn_buffer out = {0};
    firn_diff_summary summary;
    assert_ok(firn_diff_text(left, right, options, &out, &summary, &err), &err);
    uint64_t sum = summary.header + summary.schemas + summary.order + summary.left_entities +
                   summary.right_entities + summary.components + summary.fields + summary.data;
    assert_int_equal(sum, summary.differences);
    if (out.size != strlen(text) || (out.size > 0 && memcmp(out.data, text, out.size) != 0)) {
        print_error("it gives\n%.*sand not\n%s", (int)out.size, (const char *)out.data, text);
        _fail(file, line);
    }
    firn_buffer_free(&out);
    check_tree(left, right, options, &summary);
}

void diff_assert_worlds(const diff_worlds *worlds, const firn_diff_options *options,
                        const char *text, const char *file, int line)
{
    firn_error err;
    const firn_save_options sparse = {.sparse_edges = true};
    firn_world *left = worlds->left.world, *right = worlds->right.world;
    firn_buffer saved = zoo_save_with(left, &sparse), other = zoo_save_with(right, &sparse);
    firn_image *image = firn_image_open(other.data, other.size, NULL, &err);
    assert_non_null(image);
    const firn_diff_side lefts[] = {{.world = left}, {.bytes = saved.data, .size = saved.size}};
    const firn_diff_side rights[] = {
        {.world = right}, {.bytes = other.data, .size = other.size}, {.image = image}};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < 3; k++)
            diff_assert_sides(&lefts[i], &rights[k], options, text, file, line);
    firn_image_close(image);
    firn_buffer_free(&saved);
    firn_buffer_free(&other);
}
