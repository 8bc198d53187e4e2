// Random histories: a comparison tells exactly what differs, as looking at everything does.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/diff_lines.h"

#define HISTORIES 60
#define CHANGES   40

typedef struct ids {
    firn_entity *items;
    uint32_t count;
} ids;

// ---- changes

static ids entities_of(firn_world *world)
{
    firn_error err;
    ids all = {malloc(4096 * sizeof *all.items), 0};
    assert_non_null(all.items);
    firn_query query = firn_query_create(world, &(firn_query_desc){.name = NULL}, &err);
    firn_iter it;
    firn_iter_begin(world, query, &it);
    while (firn_iter_next(&it)) {
        assert_true(all.count + it.count <= 4096);
        memcpy(all.items + all.count, it.entities, it.count * sizeof *all.items);
        all.count += it.count;
    }
    assert_ok(firn_iter_end(&it, &err), &err);
    assert_ok(firn_query_destroy(world, query, &err), &err);
    return all;
}

static void change_values(const diff_world *w, firn_entity entity, test_random *random)
{
    firn_error err;
    double score = test_random_below(random, 4);
    zoo_point *point = firn_get_mut(w->world, entity, w->z.of[ZOO_POINT]);
    if (point != NULL && test_random_below(random, 2) == 0) {
        point->x = (float)test_random_below(random, 4);
    } else if (point != NULL) {
        point->y = (float)test_random_below(random, 4);
    } else {
        assert_ok(firn_set(w->world, entity, w->z.of[ZOO_SCORE], &score, &err), &err);
    }
}

static void change_one(const diff_world *w, test_random *random)
{
    firn_error err;
    ids all = entities_of(w->world);
    firn_entity entity = all.items[test_random_below(random, all.count)];
    const firn_component some[] = {w->z.of[ZOO_POINT], w->z.of[ZOO_TAG], w->z.of[ZOO_SCORE],
                                   w->z.of[ZOO_TITLE]};
    const firn_component *one = &some[test_random_below(random, 4)];
    free(all.items);
    switch (test_random_below(random, 8)) {
    case 0:
        assert_ok(firn_despawn(w->world, entity, &err), &err);
        break;
    case 1:
        zoo_spawn(w->world, some, test_random_below(random, 4));
        break;
    case 2:
        assert_ok(firn_add(w->world, entity, one, 1, &err), &err);
        break;
    case 3:
        assert_ok(firn_remove(w->world, entity, one, 1, &err), &err);
        break;
    case 4:
        assert_ok(firn_set_string(w->world, entity, some[3], "abcdefghijklmnop",
                                  test_random_below(random, 16), &err),
                  &err);
        break;
    default:
        change_values(w, entity, random);
    }
}

// ---- the same by looking at everything

typedef struct text {
    char *bytes;
    size_t size, room;
} text;

static void add_line(text *to, const char *format, ...)
{
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (to->size + (size_t)size + 1 > to->room) {
        to->room = 2 * to->room + 1024;
        to->bytes = realloc(to->bytes, to->room);
        assert_non_null(to->bytes);
    }
    memcpy(to->bytes + to->size, line, (size_t)size + 1);
    to->size += (size_t)size;
}

// Whether both have it; tells when only one has.
static bool both_have(text *to, const diff_worlds *w, firn_entity entity, zoo_kind kind,
                      const char *name)
{
    bool left = firn_has(w->left.world, entity, w->left.z.of[kind]);
    bool right = firn_has(w->right.world, entity, w->right.z.of[kind]);
    if (left != right)
        add_line(to, "entity %" PRIu64 ": %s only %s\n", entity, name, left ? "left" : "right");
    return left && right;
}

static void look_at_point(text *to, const diff_worlds *w, firn_entity entity)
{
    const zoo_point *a = firn_get(w->left.world, entity, w->left.z.of[ZOO_POINT]);
    const zoo_point *b = firn_get(w->right.world, entity, w->right.z.of[ZOO_POINT]);
    if (a->x != b->x)
        add_line(to, "entity %" PRIu64 ": zoo.Point.x %g -> %g\n", entity, (double)a->x,
                 (double)b->x);
    if (a->y != b->y)
        add_line(to, "entity %" PRIu64 ": zoo.Point.y %g -> %g\n", entity, (double)a->y,
                 (double)b->y);
}

static void look_at_entity(text *to, const diff_worlds *w, firn_entity entity)
{
    if (both_have(to, w, entity, ZOO_POINT, "zoo.Point"))
        look_at_point(to, w, entity);
    if (both_have(to, w, entity, ZOO_SCORE, "zoo.Score")) {
        const double *a = firn_get(w->left.world, entity, w->left.z.of[ZOO_SCORE]);
        const double *b = firn_get(w->right.world, entity, w->right.z.of[ZOO_SCORE]);
        if (*a != *b)
            add_line(to, "entity %" PRIu64 ": zoo.Score %g -> %g\n", entity, *a, *b);
    }
    both_have(to, w, entity, ZOO_TAG, "zoo.Tag");
    if (both_have(to, w, entity, ZOO_TITLE, "zoo.Title")) {
        size_t sizes[2];
        const char *a = firn_get_string(w->left.world, entity, w->left.z.of[ZOO_TITLE], &sizes[0]);
        const char *b =
            firn_get_string(w->right.world, entity, w->right.z.of[ZOO_TITLE], &sizes[1]);
        if (sizes[0] != sizes[1] || memcmp(a, b, sizes[0]) != 0)
            add_line(to, "entity %" PRIu64 ": zoo.Title \"%.*s\" -> \"%.*s\"\n", entity,
                     (int)sizes[0], a, (int)sizes[1], b);
    }
}

static int compare_entities(const void *a, const void *b)
{
    const firn_entity *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

static text look_at_all(const diff_worlds *w)
{
    text to = {0};
    ids left = entities_of(w->left.world), right = entities_of(w->right.world);
    assert_true(left.count + right.count <= 4096);
    memcpy(left.items + left.count, right.items, right.count * sizeof *right.items);
    uint32_t count = left.count + right.count;
    qsort(left.items, count, sizeof *left.items, compare_entities);
    add_line(&to, "");
    for (uint32_t i = 0; i < count; i++) {
        firn_entity entity = left.items[i];
        bool in_left = firn_alive(w->left.world, entity);
        if (i > 0 && left.items[i - 1] == entity)
            continue;
        if (in_left && firn_alive(w->right.world, entity))
            look_at_entity(&to, w, entity);
        else
            add_line(&to, "entity %" PRIu64 ": only %s\n", entity, in_left ? "left" : "right");
    }
    free(left.items);
    free(right.items);
    return to;
}

// ---- histories

// The labels of the people are left out: their entities go.
static diff_worlds start(test_random *random)
{
    firn_error err;
    diff_worlds w = {diff_world_make(NULL, 150), diff_world_make(NULL, 0)};
    for (firn_entity entity = DIFF_FRIEND; entity >= DIFF_HERO; entity--)
        assert_ok(firn_despawn(w.left.world, entity, &err), &err);
    for (int i = 0; i < 150; i++)
        change_one(&w.left, random);
    firn_buffer image = zoo_save(w.left.world);
    zoo_load(w.right.world, &image);
    firn_buffer_free(&image);
    return w;
}

static bool hashes_are_equal(const diff_worlds *w)
{
    return zoo_hash(w->left.world).total == zoo_hash(w->right.world).total;
}

static void check_histories(const diff_worlds *w)
{
    firn_error err;
    const firn_diff_options entities = {.entities_only = true};
    const firn_diff_side sides[] = {{.world = w->left.world}, {.world = w->right.world}};
    firn_diff_summary summary;
    text to = look_at_all(w);
    assert_differences(w, &entities, to.bytes);
    free(to.bytes);
    diff_worlds back = {w->right, w->left};
    to = look_at_all(&back);
    assert_sides_differ(&sides[1], &sides[0], &entities, to.bytes);
    free(to.bytes);
    assert_ok(firn_diff(&sides[0], &sides[1], NULL, NULL, NULL, &summary, &err), &err);
    assert_int_equal(summary.differences == 0, hashes_are_equal(w));
}

static void F1_random_changes_are_told_and_nothing_else(void **state)
{
    (void)state;
    test_random random = {20261130};
    for (int i = 0; i < HISTORIES; i++) {
        diff_worlds w = start(&random);
        assert_true(hashes_are_equal(&w));
        check_histories(&w);
        for (int k = 0; k < CHANGES; k++) {
            change_one(test_random_below(&random, 3) == 0 ? &w.left : &w.right, &random);
            if (k % 13 == 0)
                check_histories(&w);
        }
        check_histories(&w);
        diff_worlds_free(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(F1_random_changes_are_told_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
