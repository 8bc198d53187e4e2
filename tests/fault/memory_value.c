// Calls of base.h and value.h.
#include "fault/memory_scene.h"

#include <stdio.h>
#include <string.h>

static firn_result base_calls(scene *s, firn_error *err)
{
    (void)err;
    firn_limits limits;
    firn_limits_default(&limits);
    firn_limits_untrusted(&limits);
    scene_trace(s, &limits, sizeof limits);
    uint32_t version = firn_version();
    scene_trace(s, &version, sizeof version);
    scene_trace(s, firn_result_name(FIRN_OK), 7);
    scene_trace(s, firn_result_text(FIRN_OK), 4);
    return firn_allocator_default() != NULL ? FIRN_OK : FIRN_INVALID;
}

// ---- buffers

static firn_result append(scene *s, firn_error *err)
{
    static const char block[8192] = "more than a buffer takes without growing";
    return firn_buffer_append(&s->out, block, sizeof block, err);
}

static firn_result reserve(scene *s, firn_error *err)
{
    firn_result result = firn_buffer_reserve(&s->out, 5000, err);
    if (result == FIRN_OK)
        assert_true(s->out.capacity - s->out.size >= 5000);
    return result;
}

static void fill_buffer(scene *s)
{
    firn_error err;
    assert_ok(append(s, &err), &err);
}

static firn_result end_buffer(scene *s, firn_error *err)
{
    (void)err;
    firn_buffer_clear(&s->out);
    firn_buffer_free(&s->out);
    firn_buffer_init(&s->out, &s->memory.allocator);
    return FIRN_OK;
}

// ---- trees

static firn_result doc_create(scene *s, firn_error *err)
{
    firn_doc *doc = firn_doc_create(&s->memory.allocator, NULL, err);
    firn_doc_destroy(doc);
    return scene_made(doc != NULL, err);
}

static firn_result doc_clear(scene *s, firn_error *err)
{
    (void)err;
    s->table = NULL;
    firn_doc_clear(s->doc);
    return FIRN_OK;
}

// Makers of values: enough of them to need another block of the arena.
static firn_result make_values(scene *s, firn_error *err)
{
    firn_doc *doc = s->doc;
    for (int i = 0; i < 40; i++) {
        const firn_value *made[] = {
            firn_value_nil(doc, err),         firn_value_bool(doc, true, err),
            firn_value_number(doc, 1.5, err), firn_value_int64(doc, -1, err),
            firn_value_uint64(doc, 1, err),   firn_value_complex(doc, 1, 2, err),
            firn_value_table(doc, err),
        };
        for (size_t k = 0; k < sizeof made / sizeof *made; k++) {
            if (made[k] == NULL)
                return err->code;
            scene_trace_value(s, made[k]);
        }
    }
    return FIRN_OK;
}

static firn_result make_strings(scene *s, firn_error *err)
{
    static const char bytes[3000] = {1};
    for (int i = 0; i < 3; i++) {
        const firn_value *string = firn_value_string(s->doc, bytes, sizeof bytes, err);
        if (string == NULL)
            return err->code;
        const firn_value *text = firn_value_text(s->doc, "text", err);
        if (text == NULL)
            return err->code;
        scene_trace_value(s, string);
        scene_trace_value(s, text);
    }
    return FIRN_OK;
}

// One change of the table, of which the `i`th makes it grow.
typedef firn_result (*table_change)(scene *s, uint32_t i, firn_error *err);

static firn_result push_one(scene *s, uint32_t i, firn_error *err)
{
    (void)i;
    return firn_table_push(s->doc, s->table, s->items[0], err);
}

static firn_result set_one(scene *s, uint32_t i, firn_error *err)
{
    return firn_table_set(s->doc, s->table, s->items[i], s->items[0], err);
}

static firn_result set_text_one(scene *s, uint32_t i, firn_error *err)
{
    char key[16];
    snprintf(key, sizeof key, "key %u", i);
    return firn_table_set_text(s->doc, s->table, key, s->items[0], err);
}

// A new document with a table, and numbers for keys that are made already.
static void renew_document(scene *s)
{
    firn_error err;
    firn_doc_destroy(s->doc);
    s->doc = firn_doc_create(&s->memory.allocator, NULL, &err);
    s->table = firn_value_table(s->doc, &err);
    for (uint32_t i = 0; i < SCENE_ITEMS; i++)
        s->items[i] = firn_value_number(s->doc, i + 0.5, &err);
}

// Makes changes up to the one that needs a larger block than those before.
static void fill_until_growth(scene *s, table_change change)
{
    firn_error err;
    uint32_t growth = 0;
    renew_document(s);
    for (uint32_t i = 1; i < SCENE_ITEMS; i++) {
        uint64_t bytes = s->memory.bytes;
        assert_ok(change(s, i, &err), &err);
        if (s->memory.bytes > bytes && i > SCENE_ITEMS / 4)
            growth = growth == 0 ? i : growth;
    }
    assert_int_not_equal(growth, 0);
    renew_document(s);
    for (uint32_t i = 1; i < growth; i++)
        assert_ok(change(s, i, &err), &err);
    s->next = growth;
}

static void fill_for_push(scene *s)
{
    fill_until_growth(s, push_one);
}

static void fill_for_set(scene *s)
{
    fill_until_growth(s, set_one);
}

static void fill_for_set_text(scene *s)
{
    fill_until_growth(s, set_text_one);
}

static firn_result table_push(scene *s, firn_error *err)
{
    return push_one(s, s->next, err);
}

static firn_result table_set(scene *s, firn_error *err)
{
    return set_one(s, s->next, err);
}

static firn_result table_set_text(scene *s, firn_error *err)
{
    return set_text_one(s, s->next, err);
}

static firn_result table_reads(scene *s, firn_error *err)
{
    (void)err;
    firn_value key = {.kind = FIRN_VALUE_NUMBER, .as = {.number = 2}};
    scene_trace_value(s, firn_table_get(s->table, &key));
    scene_trace_value(s, firn_table_get_text(s->table, "key"));
    scene_trace_value(s, firn_table_get_number(s->table, 1));
    uint32_t counts[] = {firn_table_array_count(s->table), firn_table_map_count(s->table)};
    scene_trace(s, counts, sizeof counts);
    return FIRN_OK;
}

static firn_result walk_table(scene *s, firn_error *err)
{
    (void)err;
    uint32_t cursor = 0;
    firn_value key;
    const firn_value *item;
    while ((item = firn_table_next(s->table, &cursor, &key)) != NULL) {
        scene_trace_value(s, &key);
        scene_trace_value(s, item);
    }
    return FIRN_OK;
}

static firn_result compare_values(scene *s, firn_error *err)
{
    (void)err;
    bool same = firn_value_equal(s->table, s->table);
    scene_trace(s, &same, sizeof same);
    return FIRN_OK;
}

static firn_result encode_value(scene *s, firn_error *err)
{
    return firn_value_encode(s->table, NULL, &s->out, err);
}

// A table of tables with strings, as bytes.
static const uint8_t encoded[] = {0x0d, 4,   2,    0x0c, 3,    0x02, 0x25, 'h',  'e',  'l',
                                  'l',  'o', 0x09, 1,    0x21, 'k',  0x01, 8,    0x21, 'b',
                                  0x0c, 2,   0x01, 0x21, 'a',  0x09, 1,    0x01, 0x02};

// The encoding of a table that fills several blocks of a document.
static void encode_much(scene *s)
{
    firn_error err;
    fill_for_set_text(s);
    assert_ok(firn_value_encode(s->table, NULL, &s->out, &err), &err);
    scene_empty_document(s);
}

static firn_result decode_value(scene *s, firn_error *err)
{
    const firn_value *value = firn_value_decode(s->doc, s->out.data, s->out.size, err);
    scene_trace_value(s, value);
    return scene_made(value != NULL, err);
}

static firn_result check_value(scene *s, firn_error *err)
{
    (void)s;
    return firn_value_check(encoded, sizeof encoded, NULL, NULL, err);
}

static firn_result print_value(scene *s, firn_error *err)
{
    return firn_value_print(s->table, NULL, &s->out, err);
}

// ---- streams

static firn_result write_values(scene *s, firn_error *err)
{
    firn_writer writer;
    firn_writer_begin(&writer, &s->out, NULL);
    firn_write_table(&writer, 6, 1);
    firn_write_bool(&writer, true);
    firn_write_number(&writer, 1.5);
    firn_write_int64(&writer, -1);
    firn_write_uint64(&writer, 1);
    firn_write_complex(&writer, 1, 2);
    firn_write_value(&writer, s->table);
    firn_write_text(&writer, "key");
    firn_write_string(&writer, "a value", 7);
    firn_write_nil(&writer);
    return firn_writer_end(&writer, err);
}

static firn_result row_keys(firn_row_keys *keys, firn_error *err)
{
    static const char *const names[] = {"x", "name", "tree"};
    return firn_row_keys_init(keys, names, 3, err);
}

static firn_result write_rows(scene *s, firn_error *err)
{
    firn_row_keys keys;
    firn_writer writer;
    firn_result result = row_keys(&keys, err);
    if (result != FIRN_OK)
        return result;
    firn_writer_begin(&writer, &s->out, NULL);
    for (int i = 0; i < 20; i++) {
        firn_value row[] = {{.kind = FIRN_VALUE_NUMBER, .as.number = i},
                            {.kind = FIRN_VALUE_STRING, .length = 4, .as.string = "name"},
                            i % 4 == 0 ? *s->table : (firn_value){.kind = FIRN_VALUE_NIL}};
        firn_write_row(&writer, &keys, row);
    }
    return firn_writer_end(&writer, err);
}

static void fill_rows(scene *s)
{
    firn_error err;
    assert_ok(write_rows(s, &err), &err);
    scene_empty_document(s);
}

static firn_result read_rows(scene *s, firn_error *err)
{
    firn_row_keys keys;
    firn_reader reader;
    firn_result result = row_keys(&keys, err);
    if (result != FIRN_OK)
        return result;
    firn_reader_begin(&reader, s->out.data, s->out.size, NULL);
    for (int i = 0; i < 20; i++) {
        firn_value row[3];
        firn_read_row(&reader, &keys, row, s->doc);
        if (!firn_reader_failed(&reader))
            scene_trace_value(s, &row[2]);
    }
    return firn_reader_end(&reader, err);
}

static firn_result read_values(scene *s, firn_error *err)
{
    static const uint8_t bytes[] = {0x00, 0x02, 0x06, 1, 0,    0, 0,    0x10, 1,    0,   0, 0,
                                    0,    0,    0,    0, 0x11, 1, 0,    0,    0,    0,   0, 0,
                                    0,    0x12, 0,    0, 0,    0, 0,    0,    0,    0,   0, 0,
                                    0,    0,    0,    0, 0,    0, 0x21, 'x',  0x08, 0x08};
    firn_reader reader;
    double re, im;
    size_t size;
    firn_reader_begin(&reader, bytes, sizeof bytes, NULL);
    firn_value_kind kind = firn_read_kind(&reader);
    firn_read_nil(&reader);
    bool flag = firn_read_bool(&reader);
    double number = firn_read_number(&reader);
    int64_t big = firn_read_int64(&reader);
    uint64_t large = firn_read_uint64(&reader);
    firn_read_complex(&reader, &re, &im);
    scene_trace(s, firn_read_string(&reader, &size), 1);
    firn_table_head head = firn_read_table(&reader);
    firn_read_skip(&reader);
    double all[] = {kind, flag, number, (double)big, (double)large, re, im, head.map_count};
    scene_trace(s, all, sizeof all);
    assert_false(firn_reader_failed(&reader));
    firn_result result = firn_reader_end(&reader, err);
    assert_int_equal(firn_reader_entity(&reader, 5), 5);
    firn_reader_refuse(&reader, "for once");
    assert_int_equal(firn_reader_end(&reader, NULL), FIRN_REFUSED);
    return result;
}

static firn_result read_tree(scene *s, firn_error *err)
{
    firn_reader reader;
    firn_reader_begin(&reader, s->out.data, s->out.size, NULL);
    scene_trace_value(s, firn_read_value(&reader, s->doc));
    return firn_reader_end(&reader, err);
}

// More than one block of the document.
#define COMPLEX_MANY 4000

static firn_result make_complex(scene *s, firn_error *err)
{
    // A block may end between a value and its parts, or in front of both.
    if (firn_value_nil(s->doc, err) == NULL)
        return err->code;
    for (uint32_t i = 0; i < COMPLEX_MANY; i++)
        if (firn_value_complex(s->doc, i, 1, err) == NULL)
            return err->code;
    return FIRN_OK;
}

static void encode_complex(scene *s)
{
    firn_writer writer;
    firn_error err;
    firn_writer_begin(&writer, &s->out, NULL);
    firn_write_table(&writer, COMPLEX_MANY, 0);
    for (uint32_t i = 0; i < COMPLEX_MANY; i++)
        firn_write_complex(&writer, i, 1);
    assert_ok(firn_writer_end(&writer, &err), &err);
}

const memory_case memory_value_cases[] = {
    {"firn_result_name firn_result_text firn_allocator_default firn_limits_default "
     "firn_limits_untrusted firn_version",
     base_calls, NULL, true},
    {"firn_buffer_append", append, NULL, false},
    {"firn_buffer_append", append, fill_buffer, false},
    {"firn_buffer_reserve", reserve, fill_buffer, false},
    {"firn_buffer_init firn_buffer_clear firn_buffer_free", end_buffer, fill_buffer, true},
    {"firn_doc_create firn_doc_destroy", doc_create, NULL, false},
    {"firn_doc_clear", doc_clear, NULL, true},
    {"firn_value_nil firn_value_bool firn_value_number firn_value_int64 firn_value_uint64 "
     "firn_value_complex firn_value_table",
     make_values, NULL, false},
    {"firn_value_complex", make_complex, NULL, false},
    {"firn_value_decode", decode_value, encode_complex, false},
    {"firn_value_string firn_value_text", make_strings, NULL, false},
    {"firn_table_push", table_push, fill_for_push, false},
    {"firn_table_set", table_set, fill_for_set, false},
    {"firn_table_set_text", table_set_text, fill_for_set_text, false},
    {"firn_table_get firn_table_get_text firn_table_get_number firn_table_array_count "
     "firn_table_map_count",
     table_reads, NULL, true},
    {"firn_table_next", walk_table, fill_for_set, true},
    {"firn_value_equal", compare_values, fill_for_set, true},
    {"firn_value_encode", encode_value, NULL, false},
    {"firn_value_encode", encode_value, fill_buffer, false},
    {"firn_value_decode", decode_value, encode_much, false},
    {"firn_value_check", check_value, NULL, true},
    {"firn_value_print", print_value, fill_for_set, false},
    {"firn_writer_begin firn_writer_end firn_write_nil firn_write_bool firn_write_number "
     "firn_write_int64 firn_write_uint64 firn_write_complex firn_write_string firn_write_text "
     "firn_write_table firn_write_value",
     write_values, NULL, false},
    {"firn_reader_begin firn_reader_end firn_read_kind firn_reader_failed firn_read_nil "
     "firn_read_bool firn_read_number firn_read_int64 firn_read_uint64 firn_read_complex "
     "firn_read_string firn_read_table firn_read_skip firn_reader_refuse "
     "firn_reader_entity",
     read_values, NULL, true},
    {"firn_read_value", read_tree, encode_much, false},
    {"firn_row_keys_init firn_write_row", write_rows, NULL, false},
    {"firn_read_row", read_rows, fill_rows, false},
    {NULL, NULL, NULL, false},
};
