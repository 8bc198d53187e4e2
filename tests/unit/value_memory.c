// Every public call of firn/value.h with the Nth allocation failing, N = 1 until none fails: once
// and for ever. The error is FIRN_NO_MEMORY, nothing leaks, and what was there before stays.
#include <stdlib.h>
#include <string.h>

#include "value/check.h"
#include "value/doc.h"
#include "value_trees.h"

/// A document with a table of 20 elements and 20 names, and its encoding before the call.
struct scene {
    test_allocator memory;
    firn_doc *doc;
    firn_value *table;
    firn_value *item;
    firn_buffer before;
    firn_buffer buffer; ///< of the failing allocator, with "abc" in it
    firn_error err;
};

static void open_scene(struct scene *scene)
{
    memset(scene, 0, sizeof *scene);
    test_allocator_init(&scene->memory);
    scene->doc = firn_doc_create(&scene->memory.allocator, NULL, NULL);
    scene->table = firn_value_table(scene->doc, NULL);
    for (int i = 0; i < 20; i++) {
        char name[3] = {(char)('a' + i), (char)('a' + i * 3 % 7), 0};
        scene->item = firn_value_number(scene->doc, i, NULL);
        assert_int_equal(firn_table_push(scene->doc, scene->table, scene->item, NULL), FIRN_OK);
        assert_int_equal(firn_table_set_text(scene->doc, scene->table, name, scene->item, NULL),
                         FIRN_OK);
    }
    firn_value key = {.kind = FIRN_VALUE_NUMBER, .as.number = 22};
    assert_int_equal(firn_table_set(scene->doc, scene->table, &key, scene->item, NULL), FIRN_OK);
    test_encode(scene->table, &scene->before);
    firn_buffer_init(&scene->buffer, &scene->memory.allocator);
    assert_int_equal(firn_buffer_append(&scene->buffer, "abc", 3, NULL), FIRN_OK);
}

static void assert_untouched(struct scene *scene)
{
    firn_buffer now = {0};
    test_encode(scene->table, &now);
    assert_int_equal(now.size, scene->before.size);
    assert_memory_equal(now.data, scene->before.data, now.size);
    firn_buffer_free(&now);
    assert_int_equal(scene->buffer.size, 3);
    assert_memory_equal(scene->buffer.data, "abc", 3);
}

static void close_scene(struct scene *scene)
{
    firn_buffer_free(&scene->before);
    firn_buffer_free(&scene->buffer);
    firn_doc_destroy(scene->doc);
    assert_no_leak(&scene->memory);
}

/// One or more calls; the result of the first that fails.
typedef firn_result scene_call(struct scene *scene);

static void fail_each_allocation(scene_call *call, bool for_ever)
{
    for (uint64_t n = 1;; n++) {
        struct scene scene;
        open_scene(&scene);
        test_allocator_fail_at(&scene.memory, n, for_ever);
        firn_result result = call(&scene);
        bool injected = scene.memory.injected;
        test_allocator_fail_at(&scene.memory, 0, false);
        if (injected) {
            assert_error(&scene.err, FIRN_NO_MEMORY, "");
            assert_int_equal(result, FIRN_NO_MEMORY);
            assert_untouched(&scene);
        } else {
            assert_ok(result, &scene.err);
        }
        close_scene(&scene);
        if (!injected) {
            // A loop that injects nothing at all would show nothing.
            assert_true(n > 1);
            return;
        }
    }
}

static void survive(scene_call *call)
{
    fail_each_allocation(call, false);
    fail_each_allocation(call, true);
}

static firn_result of(const void *made, const struct scene *scene)
{
    return made != NULL ? FIRN_OK : scene->err.code;
}

static firn_result create_call(struct scene *scene)
{
    firn_doc *doc = firn_doc_create(&scene->memory.allocator, NULL, &scene->err);
    firn_doc_destroy(doc);
    return of(doc, scene);
}

static void creating_a_document(void **state)
{
    (void)state;
    survive(create_call);
}

/// Enough of each kind that the arena has to grow.
static firn_result make_call(struct scene *scene)
{
    static const char text[700] = "text";
    firn_doc *doc = scene->doc;
    firn_error *err = &scene->err;
    for (int i = 0; i < 300; i++) {
        const void *made[] = {firn_value_nil(doc, err),
                              firn_value_bool(doc, true, err),
                              firn_value_number(doc, 1, err),
                              firn_value_int64(doc, 1, err),
                              firn_value_uint64(doc, 1, err),
                              firn_value_complex(doc, 1, 2, err),
                              firn_value_string(doc, text, sizeof text, err),
                              firn_value_text(doc, text, err),
                              firn_value_table(doc, err)};
        for (size_t j = 0; j < sizeof made / sizeof *made; j++)
            if (made[j] == NULL)
                return err->code;
    }
    return FIRN_OK;
}

static void making_values(void **state)
{
    (void)state;
    survive(make_call);
}

/// Each change is made to a table of its own, until one fails; the scene's table stays.
static firn_result change_call(struct scene *scene)
{
    firn_doc *doc = scene->doc;
    firn_error *err = &scene->err;
    firn_value *table = firn_value_table(doc, err);
    firn_result result = of(table, scene);
    for (uint32_t i = 0; i < 200 && result == FIRN_OK; i++) {
        char name[16] = "name";
        firn_value key = {.kind = FIRN_VALUE_NUMBER, .as.number = 400.0 - i};
        name[4] = (char)('a' + i % 20);
        name[5] = (char)('a' + i / 20);
        uint32_t elements = firn_table_array_count(table);
        result = firn_table_push(doc, table, scene->item, err);
        if (result == FIRN_OK)
            result = firn_table_set_text(doc, table, name, scene->item, err);
        if (result == FIRN_OK)
            result = firn_table_set(doc, table, &key, scene->item, err);
        // The last element, 200, brings the keys 201..400 with it.
        bool last = result == FIRN_OK && i == 199;
        assert_in_range(firn_table_array_count(table), elements, last ? 400 : elements + 1);
        assert_in_range(firn_table_map_count(table), i, 2 * i + 2);
        if (last)
            assert_int_equal(firn_table_array_count(table), 400);
    }
    return result;
}

static void changing_tables(void **state)
{
    (void)state;
    survive(change_call);
}

/// Tables of 30 elements lose the first: the others become entries of the map, or all stay.
static firn_result move_call(struct scene *scene)
{
    firn_value first = {.kind = FIRN_VALUE_NUMBER, .as.number = 1};
    firn_value nil = {.kind = FIRN_VALUE_NIL};
    for (int i = 0; i < 30; i++) {
        firn_value *table = firn_value_table(scene->doc, &scene->err);
        if (table == NULL)
            return scene->err.code;
        for (int j = 0; j < 30; j++)
            if (firn_table_push(scene->doc, table, scene->item, &scene->err) != FIRN_OK)
                return scene->err.code;
        firn_result result = firn_table_set(scene->doc, table, &first, &nil, &scene->err);
        assert_int_equal(firn_table_array_count(table), result == FIRN_OK ? 0 : 30);
        assert_int_equal(firn_table_map_count(table), result == FIRN_OK ? 29 : 0);
        if (result != FIRN_OK)
            return result;
    }
    return FIRN_OK;
}

static void moving_elements_out_of_a_table(void **state)
{
    (void)state;
    survive(move_call);
}

/// Into a buffer that has to grow; the scene's own keeps its three bytes.
static firn_result encode_call(struct scene *scene)
{
    firn_buffer other;
    firn_buffer_init(&other, &scene->memory.allocator);
    firn_result result = firn_value_encode(scene->table, NULL, &other, &scene->err);
    assert_int_equal(other.size, result == FIRN_OK ? scene->before.size : 0);
    firn_buffer_free(&other);
    return result;
}

static void encoding(void **state)
{
    (void)state;
    survive(encode_call);
}

/// More than once, so that the document has to grow.
static firn_result decode_call(struct scene *scene)
{
    const firn_buffer *bytes = &scene->before;
    const firn_value *value = scene->table;
    for (int i = 0; i < 30 && value != NULL; i++) {
        fr_doc_mark mark = fr_doc_here(scene->doc);
        value = firn_value_decode(scene->doc, bytes->data, bytes->size, &scene->err);
        fr_doc_mark after = fr_doc_here(scene->doc);
        assert_int_equal(value == NULL, mark.chunk == after.chunk && mark.used == after.used);
        assert_true(value == NULL || firn_value_equal(value, scene->table));
    }
    return of(value, scene);
}

static void decoding(void **state)
{
    (void)state;
    survive(decode_call);
}

static firn_result buffer_call(struct scene *scene)
{
    firn_buffer other;
    firn_buffer_init(&other, &scene->memory.allocator);
    firn_result result = firn_buffer_reserve(&other, 1000, &scene->err);
    for (int i = 0; i < 300 && result == FIRN_OK; i++)
        result = firn_buffer_append(&other, "0123456789", 10, &scene->err);
    assert_int_equal(other.size % 10, 0);
    firn_buffer_free(&other);
    return result;
}

static void growing_a_buffer(void **state)
{
    (void)state;
    survive(buffer_call);
}

static firn_result writer_call(struct scene *scene)
{
    firn_writer writer;
    firn_buffer other;
    firn_buffer_init(&other, &scene->memory.allocator);
    firn_writer_begin(&writer, &other, NULL);
    firn_write_table(&writer, 301, 0);
    for (int i = 0; i < 50; i++) {
        firn_write_bool(&writer, true);
        firn_write_number(&writer, 1);
        firn_write_int64(&writer, 1);
        firn_write_uint64(&writer, 1);
        firn_write_complex(&writer, 1, 1);
        firn_write_text(&writer, "text");
    }
    firn_write_value(&writer, scene->table);
    firn_write_nil(&writer);
    firn_result result = firn_writer_end(&writer, &scene->err);
    assert_true(result == FIRN_OK || other.size == 0);
    firn_buffer_free(&other);
    return result;
}

static void writing(void **state)
{
    (void)state;
    survive(writer_call);
}

static firn_result reader_call(struct scene *scene)
{
    firn_reader reader;
    firn_result result = FIRN_OK;
    for (int i = 0; i < 30 && result == FIRN_OK; i++) {
        firn_reader_begin(&reader, scene->before.data, scene->before.size, NULL);
        const firn_value *value = firn_read_value(&reader, scene->doc);
        result = firn_reader_end(&reader, &scene->err);
        assert_int_equal(value != NULL, result == FIRN_OK);
    }
    return result;
}

static void reading_a_tree(void **state)
{
    (void)state;
    survive(reader_call);
}

static firn_result canonicalise_call(struct scene *scene)
{
    static const uint8_t bytes[] = {0x09, 2, 0x21, 'b', 2, 0x21, 'a', 1};
    firn_buffer other;
    firn_buffer_init(&other, &scene->memory.allocator);
    firn_result result = fr_value_canonicalise(bytes, sizeof bytes, NULL, &scene->memory.allocator,
                                               &other, &scene->err);
    assert_true(result == FIRN_OK || other.size == 0);
    firn_buffer_free(&other);
    return result;
}

static void making_bytes_canonical(void **state)
{
    (void)state;
    survive(canonicalise_call);
}

static void what_takes_no_memory_cannot_fail(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene);
    test_allocator_fail_at(&scene.memory, 1, true);
    uint32_t cursor = 0;
    uint32_t count = 0;
    firn_value key = {.kind = FIRN_VALUE_NUMBER, .as.number = 3};
    assert_non_null(firn_table_get(scene.table, &key));
    assert_non_null(firn_table_get_number(scene.table, 20));
    assert_non_null(firn_table_get_text(scene.table, "aa"));
    while (firn_table_next(scene.table, &cursor, &key) != NULL)
        count += 1;
    assert_int_equal(count,
                     firn_table_array_count(scene.table) + firn_table_map_count(scene.table));
    assert_true(firn_value_equal(scene.table, scene.table));
    assert_ok(firn_value_check(scene.before.data, scene.before.size, NULL, NULL, &scene.err),
              &scene.err);
    firn_reader reader;
    firn_reader_begin(&reader, scene.before.data, scene.before.size, NULL);
    firn_read_skip(&reader);
    assert_ok(firn_reader_end(&reader, &scene.err), &scene.err);
    assert_false(scene.memory.injected);
    firn_doc_clear(scene.doc);
    close_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creating_a_document),
        cmocka_unit_test(making_values),
        cmocka_unit_test(changing_tables),
        cmocka_unit_test(moving_elements_out_of_a_table),
        cmocka_unit_test(encoding),
        cmocka_unit_test(decoding),
        cmocka_unit_test(growing_a_buffer),
        cmocka_unit_test(writing),
        cmocka_unit_test(reading_a_tree),
        cmocka_unit_test(making_bytes_canonical),
        cmocka_unit_test(what_takes_no_memory_cannot_fail),
    };
    return cmocka_run_group_tests_name("value_memory", tests, NULL, NULL);
}
