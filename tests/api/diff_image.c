// Images of other writers and other games compared, and what is refused.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/diff_lines.h"
#include "support/tree.h"

// ---- bytes by hand

typedef struct bytes {
    uint8_t *data;
    size_t size;
} bytes;

static firn_diff_side side_of(const bytes *image)
{
    return (firn_diff_side){.bytes = image->data, .size = image->size};
}

static void assert_hex_differs(const char *left, const char *right,
                               const firn_diff_options *options, const char *text)
{
    bytes images[2];
    images[0].data = test_from_hex(left, &images[0].size);
    images[1].data = test_from_hex(right, &images[1].size);
    firn_diff_side sides[] = {side_of(&images[0]), side_of(&images[1])};
    assert_sides_differ(&sides[0], &sides[1], options, text);
    free(images[0].data);
    free(images[1].data);
}

#define ONE        "07000000000000f03f "
#define TWO        "070000000000000040 "
#define ZERO       "070000000000000000 "
#define ID_1       "000000000000f03f "
#define ONE_ENTITY ONE TWO ONE ONE ONE
#define ONE_FRAME  ONE ONE ONE ZERO ID_1

static void rows_whose_fields_are_unknown_are_told_as_bytes(void **state)
{
    (void)state;
#define SPIN(bytes) ONE_ENTITY "24 5370696e 28 713a717561747c38 " ONE_FRAME bytes " 01"
    assert_hex_differs(SPIN("4142434445464748"), SPIN("4142434445464758"), NULL,
                       "entity 1: Spin \"ABCDEFGH\" -> \"ABCDEFGX\"\n");
    assert_hex_differs(SPIN("4142434445464748"),
                       ONE_ENTITY "24 5370696e 28 723a717561747c38 " ONE_FRAME
                                  "4142434445464748 01",
                       NULL, "fields: Spin \"q:quat|8\" -> \"r:quat|8\"\n");
#undef SPIN
}

static void bytes_between_fields_are_told(void **state)
{
    (void)state;
#define GAP(bytes)                                                                                 \
    ONE_ENTITY "23 476170 35 613a696e7431365f742c623a646f75626c657c3136 " ONE_FRAME bytes          \
               "00000000000000000000 01"
    const firn_diff_options tolerant = {.tolerance = 0.5};
    assert_hex_differs(GAP("414200000000"), GAP("414200000061"), NULL,
                       "entity 1: Gap \"AB\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00"
                       "\\x00\\x00\\x00\" -> \"AB\\x00\\x00\\x00a\\x00\\x00\\x00\\x00\\x00\\x00"
                       "\\x00\\x00\\x00\\x00\"\n");
    assert_hex_differs(GAP("414200000000"), GAP("414200000061"), &tolerant, "");
#undef GAP
}

static void the_same_fields_in_other_words_are_the_same(void **state)
{
    (void)state;
#define NUMBER(type) ONE_ENTITY "21 4e " type ONE_FRAME "05000000 01"
    assert_hex_differs(NUMBER("27 613a696e747c34 "), NUMBER("2b 613a696e7433325f747c34 "), NULL,
                       "");
    assert_hex_differs(NUMBER("27 613a696e747c34 "), NUMBER("27 623a696e747c34 "), NULL,
                       "fields: N \"a:int|4\" -> \"b:int|4\"\n"
                       "entity 1: N.a 5 -> nil\n"
                       "entity 1: N.b nil -> 5\n");
#undef NUMBER
}

// Limits of trees are those of values in the images, not of rows that are told as values.
static void rows_are_told_whatever_the_limits_of_trees(void **state)
{
    (void)state;
    const firn_diff_options small = {.limits = &(firn_limits){.tree_values = 1, .depth = 1}};
#define LIST(name) ONE_ENTITY "21 4e 2e " name "3a75696e74385f745b335d7c33 " ONE_FRAME "010203 01"
    assert_hex_differs(LIST("61"), LIST("62"), &small,
                       "fields: N \"a:uint8_t[3]|3\" -> \"b:uint8_t[3]|3\"\n"
                       "entity 1: N.a {1, 2, 3} -> nil\n"
                       "entity 1: N.b nil -> {1, 2, 3}\n");
#undef LIST
}

static void a_row_without_a_value_lacks_the_component(void **state)
{
    (void)state;
    // "P", "x:float|4" and "Q"; entity 1 has both, 2 has Q, 3 has P.
#define ROWS(first, second, third)                                                                 \
    ONE "070000000000001040 070000000000000840" ONE TWO                                            \
        "21 50 29 783a666c6f61747c34 21 51 20 " TWO                                                \
        "070000000000000840 " ONE TWO ONE first second third "01"
    const char *rows = ROWS("0601000000 0603000000 0000803f 2161 ", "0602000000 0602000000 2162 ",
                            "0603000000 0601000000 00004040 ");
    assert_hex_differs(rows,
                       ROWS("0601000000 0603000000 00000040 2161 ",
                            "0602000000 0603000000 0000803f 2162 ", "0603000000 0602000000 2163 "),
                       NULL,
                       "entity 1: P.x 1 -> 2\n"
                       "entity 2: P only right\n"
                       "entity 3: P only left\n"
                       "entity 3: Q only right\n");
    assert_hex_differs(rows, rows, NULL, "");
#undef ROWS
}

static void data_that_is_there_twice_is_compared_in_order(void **state)
{
    (void)state;
#define EMPTY        ONE ONE ZERO ZERO ZERO
#define DATUM(value) "02 21 6b " value
    assert_hex_differs(EMPTY DATUM("02") DATUM(ONE) "01", EMPTY DATUM("02") DATUM(TWO) "01", NULL,
                       "data \"k\": 1 -> 2\n");
    assert_hex_differs(EMPTY DATUM("02") "02 21 6a 01 01", EMPTY DATUM("02") DATUM("02") "01", NULL,
                       "data \"j\": false -> nil\n"
                       "data \"k\": nil -> true\n");
    assert_hex_differs(EMPTY DATUM("02") "01", EMPTY DATUM("02") "01", NULL, "");
}

static void every_kind_of_value_is_told(void **state)
{
    (void)state;
#define INT64(byte)   "10" byte "00000000000000"
#define COMPLEX(byte) "12 0000000000000000 000000000000" byte
    const firn_diff_options tolerant = {.tolerance = 1.5};
    assert_hex_differs(EMPTY DATUM(INT64("05")) "01", EMPTY DATUM("01") "01", NULL,
                       "data \"k\": 5 -> false\n");
    assert_hex_differs(EMPTY DATUM(INT64("05")) "01", EMPTY DATUM("070000000000001440 ") "01", NULL,
                       "data \"k\": 5 -> 5\n");
    assert_hex_differs(EMPTY DATUM(COMPLEX("0000")) "01", EMPTY DATUM(COMPLEX("f03f")) "01", NULL,
                       "data \"k\": complex(0, 0) -> complex(0, 1)\n");
    assert_hex_differs(EMPTY DATUM(COMPLEX("0000")) "01", EMPTY DATUM(COMPLEX("f03f")) "01",
                       &tolerant, "");
    assert_hex_differs(EMPTY DATUM("00") "01", EMPTY DATUM("11ffffffffffffffff") "01", NULL,
                       "data \"k\": nil -> 18446744073709551615\n");
    // A table whose element 3 stands behind a hole, and keys that are no elements.
    assert_hex_differs(EMPTY DATUM("0a03 00 02 02") "01",
                       EMPTY DATUM("0902 070000000000000840 01 07000000000000e03f 02") "01", NULL,
                       "data \"k\": [1] true -> nil\n"
                       "data \"k\": [2] true -> nil\n"
                       "data \"k\": [0.5] nil -> true\n"
                       "data \"k\": [3] nil -> false\n");
}

static void what_the_order_of_sources_holds_may_be_anything(void **state)
{
    (void)state;
#define ORDER(value) "02 2c 5f5f6669726e2e6f72646572 " value
    assert_hex_differs(EMPTY ORDER("0c03 02 0c03 2141 " ONE) "01", EMPTY "01", NULL,
                       "order: the sources of ? -> 0\norder: the sources of A -> 1\n");
    assert_hex_differs(EMPTY ORDER("0c02 0c03 2141 " ONE) "01",
                       EMPTY ORDER("0c03 0c03 2141 " ONE "0c03 2141 " TWO) "01", NULL,
                       "order: the sources of A -> 2\n");
}

// ---- dialects

static bytes read_golden(const char *name)
{
    char path[512];
    bytes out;
    snprintf(path, sizeof path, FIRN_TEST_DATA "/tecs/%s.bin", name);
    out.data = test_read_file(path, &out.size);
    return out;
}

static void assert_golden_differ(const char *left, const char *right, const char *text)
{
    bytes a = read_golden(left), b = read_golden(right);
    firn_diff_side sides[] = {side_of(&a), side_of(&b)};
    assert_sides_differ(&sides[0], &sides[1], NULL, text);
    free(a.data);
    free(b.data);
}

static void D1_images_of_other_dialects_are_compared(void **state)
{
    (void)state;
    assert_golden_differ("03_dense_ffi", "S_int32tags_03_dense_ffi", "");
    assert_golden_differ("08_sparse_exclusive_childof", "S_int32tags_08_sparse_exclusive_childof",
                         "");
    assert_golden_differ("13_states", "S_int32tags_13_states", "");
    assert_golden_differ("03_dense_ffi", "S_version1_03_dense_ffi", "header: version 2 -> 1\n");
    assert_golden_differ("25_row_major_mixed", "S_version1_25_row_major_mixed",
                         "header: version 2 -> 1\n");
}

static void scalars_of_both_versions_are_the_same(void **state)
{
    (void)state;
    diff_worlds w = diff_worlds_make();
    const firn_save_options first = {.sparse_edges = true};
    const firn_save_options second = {.sparse_edges = true, .wire_version = 2};
    firn_buffer old = zoo_save_with(w.left.world, &first);
    firn_buffer new = zoo_save_with(w.right.world, &second);
    const firn_diff_side left = {.bytes = old.data, .size = old.size};
    const firn_diff_side right = {.bytes = new.data, .size = new.size};
    assert_sides_differ(&left, &right, NULL, "header: version 1 -> 2\n");
    assert_sides_differ(&(firn_diff_side){.world = w.left.world}, &right, NULL, "");
    assert_sides_differ(&right, &(firn_diff_side){.world = w.left.world}, NULL, "");
    double *score = diff_row(&w.left, DIFF_PARENT, w.left.z.of[ZOO_SCORE]);
    *score = 3;
    assert_sides_differ(&(firn_diff_side){.world = w.left.world}, &right, NULL,
                        "entity 2 (name \"Ann\"): zoo.Score.value 3 -> 0\n");
    firn_buffer_free(&old);
    firn_buffer_free(&new);
    diff_worlds_free(&w);
}

// ---- other registrations

static firn_buffer save_one(const firn_component_desc *desc, const void *row, const char *tree)
{
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_component component = zoo_register(world, desc);
    firn_entity entity = zoo_spawn_one(world, component);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    if (tree != NULL)
        assert_ok(firn_set_value(world, entity, component, test_tree(doc, tree), &err), &err);
    else
        assert_ok(firn_set(world, entity, component, row, &err), &err);
    firn_buffer image = zoo_save(world);
    firn_doc_destroy(doc);
    firn_world_destroy(world);
    return image;
}

static void T13_a_component_with_other_fields_is_compared_by_name(void **state)
{
    (void)state;
    static const struct wide {
        double x;
        int64_t y;
        float z;
    } wide = {1.5, 2, 3};
    static const firn_field wide_fields[] = {
        {.name = "x", .type = FIRN_F64, .offset = offsetof(struct wide, x)},
        {.name = "y", .type = FIRN_I64, .offset = offsetof(struct wide, y)},
        {.name = "z", .type = FIRN_F32, .offset = offsetof(struct wide, z)},
    };
    const zoo_point point = {1.5f, 2.5f};
    firn_component_desc descs[] = {zoo_struct("P", sizeof point, zoo_point_fields, 2),
                                   zoo_struct("P", sizeof wide, wide_fields, 3),
                                   {.name = "P", .kind = FIRN_VALUE}};
    firn_buffer images[] = {save_one(&descs[0], &point, NULL), save_one(&descs[1], &wide, NULL),
                            save_one(&descs[2], NULL, "{x = 1.5, y = {2.5}}")};
    firn_diff_side sides[3];
    for (int i = 0; i < 3; i++)
        sides[i] = (firn_diff_side){.bytes = images[i].data, .size = images[i].size};
    assert_sides_differ(&sides[0], &sides[1], NULL,
                        "fields: P \"x:float,y:float|8\" -> \"x:double,y:int64_t,z:float|24\"\n"
                        "entity 1: P.y 2.5 -> 2\n"
                        "entity 1: P.z nil -> 3\n");
    assert_sides_differ(&sides[1], &sides[2], NULL,
                        "fields: P \"x:double,y:int64_t,z:float|24\" -> \"\"\n"
                        "entity 1: P.y 2 -> {2.5}\n"
                        "entity 1: P.z 3 -> nil\n");
    for (int i = 0; i < 3; i++)
        firn_buffer_free(&images[i]);
}

// ---- trees by themselves

static firn_result add_line(void *out, const firn_difference *difference, firn_error *err)
{
    assert_int_equal(difference->kind, FIRN_DIFFERENCE_DATA);
    assert_ok(firn_difference_text(difference, out, err), err);
    return firn_buffer_append(out, "\n", 2, err);
}

static void F1_two_values_are_compared_by_path(void **state)
{
    (void)state;
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    const firn_value *left = test_tree(doc, "{a = 1, b = {1, 2}}");
    const firn_value *right = test_tree(doc, "{a = 1.5, b = {1}}");
    firn_buffer out = {0};
    firn_diff_summary summary;
    const firn_diff_options one = {.limit = 1}, tolerant = {.tolerance = 1};
    assert_ok(firn_diff_values("custom", left, right, NULL, add_line, &out, &summary, &err), &err);
    assert_memory_equal(out.data, "data \"custom\": a 1 -> 1.5\n\0data \"custom\": b[2] 2 -> nil\n",
                        out.size);
    assert_true(summary.data == 2 && summary.differences == 2 && summary.listed == 2);
    assert_ok(firn_diff_values("custom", left, right, &one, add_line, &out, &summary, &err), &err);
    assert_true(summary.differences == 2 && summary.listed == 1);
    assert_ok(firn_diff_values("", left, right, &tolerant, NULL, NULL, &summary, &err), &err);
    assert_true(summary.differences == 1 && summary.listed == 0);
    assert_ok(firn_diff_values("", left, NULL, NULL, NULL, NULL, &summary, &err), &err);
    assert_int_equal(summary.data, 1);
    assert_ok(firn_diff_values("", NULL, NULL, NULL, NULL, NULL, &summary, &err), &err);
    assert_int_equal(summary.data, 0);
    assert_ok(firn_diff_values("", left, left, NULL, NULL, NULL, NULL, &err), &err);
    const firn_diff_options wrong = {.tolerance = -1};
    assert_int_equal(firn_diff_values("", left, right, &wrong, NULL, NULL, NULL, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "tolerance");
    assert_int_equal(firn_diff_values(NULL, left, right, NULL, NULL, NULL, NULL, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "name");
    firn_buffer_free(&out);
    firn_doc_destroy(doc);
}

// ---- what is refused

static firn_result hear(void *user, const firn_difference *difference, firn_error *err)
{
    uint32_t *left = user;
    assert_int_equal(difference->kind, FIRN_DIFFERENCE_FIELD);
    if (--*left > 0)
        return FIRN_OK;
    snprintf(err->message, sizeof err->message, "enough");
    return FIRN_REFUSED;
}

static void a_listener_ends_the_comparison(void **state)
{
    (void)state;
    firn_error err;
    diff_worlds w = diff_worlds_make();
    for (uint32_t i = 0; i < 9; i++) {
        zoo_point *point = diff_row(&w.right, DIFF_POINTS + i, w.right.z.of[ZOO_POINT]);
        point->x += 0.5f;
    }
    const firn_diff_side sides[] = {{.world = w.left.world}, {.world = w.right.world}};
    firn_diff_summary summary = {.listed = 77};
    uint32_t left = 4;
    assert_int_equal(firn_diff(&sides[0], &sides[1], NULL, hear, &left, &summary, &err),
                     FIRN_REFUSED);
    assert_string_equal(err.message, "enough");
    assert_int_equal(summary.listed, 77);
    left = 1;
    assert_int_equal(firn_diff(&sides[0], &sides[1], NULL, hear, &left, NULL, NULL), FIRN_REFUSED);
    diff_worlds_free(&w);
}

static void assert_refused(const firn_diff_side *left, const firn_diff_side *right,
                           const firn_diff_options *options, firn_result result,
                           const char *subject)
{
    firn_error err;
    firn_buffer out = {0};
    assert_ok(firn_buffer_append(&out, "before", 6, &err), &err);
    assert_int_equal(firn_diff_text(left, right, options, &out, NULL, &err), result);
    assert_error(&err, result, subject);
    assert_int_equal(out.size, 6);
    firn_buffer_free(&out);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    assert_null(firn_diff_value(left, right, options, doc, NULL, &err));
    assert_error(&err, result, subject);
    firn_doc_destroy(doc);
}

static void sides_and_options_that_are_wrong_are_refused(void **state)
{
    (void)state;
    firn_error err;
    diff_worlds w = diff_worlds_make();
    firn_diff_side good = {.world = w.left.world};
    static const uint8_t junk[] = {7, 1, 2};
    firn_diff_side none = {.world = NULL}, two = {.world = w.left.world, .bytes = junk};
    firn_diff_side bad = {.bytes = junk, .size = sizeof junk};
    assert_refused(NULL, &good, NULL, FIRN_INVALID, "left");
    assert_refused(&none, &good, NULL, FIRN_INVALID, "left");
    assert_refused(&good, &two, NULL, FIRN_INVALID, "right");
    assert_refused(&good, &bad, NULL, FIRN_TRUNCATED, "");
    const char *const names[] = {"A", NULL};
    const firn_diff_options wrong[] = {
        {.tolerance = -1},
        {.tolerance = (double)NAN},
        {.component_count = 1},
        {.exclude_count = 1},
        {.components = names, .component_count = 2},
        {.exclude = names, .exclude_count = 2},
        {.reserved = {1}},
        {.limits = &(firn_limits){.depth = 101}},
        {.allocator = &(firn_allocator){.user = NULL}},
    };
    static const char *const subjects[] = {"tolerance", "tolerance",  "components",
                                           "exclude",   "components", "exclude",
                                           "reserved",  "depth",      "allocator"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_refused(&good, &good, &wrong[i], FIRN_INVALID, subjects[i]);
    assert_int_equal(firn_diff_text(&good, &good, NULL, NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "out");
    assert_null(firn_diff_value(&good, &good, NULL, NULL, NULL, &err));
    assert_error(&err, FIRN_INVALID, "doc");
    assert_int_equal(firn_difference_text(NULL, &(firn_buffer){0}, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "difference");
    assert_int_equal(firn_difference_text(&(firn_difference){.key = ""}, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "out");
    diff_worlds_free(&w);
}

static void a_world_in_a_loop_is_busy(void **state)
{
    (void)state;
    firn_error err;
    diff_worlds w = diff_worlds_make();
    firn_world *world = w.left.world;
    firn_query query = firn_query_create(world, &(firn_query_desc){.name = "all"}, &err);
    firn_iter it;
    firn_iter_begin(world, query, &it);
    firn_diff_side sides[] = {{.world = world}, {.world = w.right.world}};
    assert_refused(&sides[0], &sides[1], NULL, FIRN_BUSY, "all");
    assert_ok(firn_iter_end(&it, &err), &err);
    diff_worlds_free(&w);
}

static void a_table_that_has_a_key_twice_is_refused_where_it_differs(void **state)
{
    (void)state;
    firn_error err;
    bytes images[5];
    images[0].data = test_from_hex(ONE_ENTITY "23 426167 20 " ONE_FRAME "0902 2161 02 2161 02 01",
                                   &images[0].size);
    images[1].data = test_from_hex(ONE_ENTITY "23 426167 20 " ONE_FRAME "02 01", &images[1].size);
    images[2].data = test_from_hex(EMPTY DATUM("0902 2161 02 2161 02") "01", &images[2].size);
    images[3].data = test_from_hex(EMPTY DATUM("02") "01", &images[3].size);
    images[4].data = test_from_hex(ONE TWO ONE ONE ZERO ZERO ONE ZERO ID_1 "01", &images[4].size);
    firn_diff_side sides[5];
    for (int i = 0; i < 5; i++)
        sides[i] = side_of(&images[i]);
    assert_sides_differ(&sides[0], &sides[0], NULL, "");
    assert_refused(&sides[0], &sides[1], NULL, FIRN_CORRUPT, "Bag");
    assert_refused(&sides[1], &sides[0], NULL, FIRN_CORRUPT, "Bag");
    assert_refused(&sides[2], &sides[3], NULL, FIRN_CORRUPT, "k");
    assert_int_equal(firn_diff(&sides[0], &sides[1], NULL, NULL, NULL, NULL, &err), FIRN_CORRUPT);
    assert_true(err.entity == 1);
    assert_refused(&sides[0], &sides[4], NULL, FIRN_CORRUPT, "Bag");
    assert_refused(&sides[4], &sides[0], NULL, FIRN_CORRUPT, "Bag");
    firn_diff_summary counts;
    assert_ok(firn_diff(&sides[0], &sides[4], NULL, NULL, NULL, &counts, &err), &err);
    assert_true(counts.differences == 1 && counts.components == 1);
    for (int i = 0; i < 5; i++)
        free(images[i].data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_whose_fields_are_unknown_are_told_as_bytes),
        cmocka_unit_test(bytes_between_fields_are_told),
        cmocka_unit_test(the_same_fields_in_other_words_are_the_same),
        cmocka_unit_test(rows_are_told_whatever_the_limits_of_trees),
        cmocka_unit_test(a_row_without_a_value_lacks_the_component),
        cmocka_unit_test(data_that_is_there_twice_is_compared_in_order),
        cmocka_unit_test(every_kind_of_value_is_told),
        cmocka_unit_test(what_the_order_of_sources_holds_may_be_anything),
        cmocka_unit_test(D1_images_of_other_dialects_are_compared),
        cmocka_unit_test(scalars_of_both_versions_are_the_same),
        cmocka_unit_test(T13_a_component_with_other_fields_is_compared_by_name),
        cmocka_unit_test(F1_two_values_are_compared_by_path),
        cmocka_unit_test(a_listener_ends_the_comparison),
        cmocka_unit_test(sides_and_options_that_are_wrong_are_refused),
        cmocka_unit_test(a_world_in_a_loop_is_busy),
        cmocka_unit_test(a_table_that_has_a_key_twice_is_refused_where_it_differs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
