// Scenes of values: rows {hp, x, y}, as trees and streaming.
#include "bench.h"

#include <string.h>

static firn_limits row_limits(void)
{
    firn_limits limits;
    firn_limits_default(&limits);
    limits.tree_values = UINT64_C(1) << 28; // more rows than games have
    return limits;
}

static bool encode_tree(Stage *stage)
{
    firn_limits limits = row_limits();
    firn_buffer_clear(&stage->image);
    return firn_value_encode(stage->tree, &limits, &stage->image, &stage->err) == FIRN_OK;
}

static firn_value *make_row(Stage *stage, uint32_t number)
{
    firn_doc *doc = stage->doc;
    firn_error *err = &stage->err;
    firn_value *row = firn_value_table(doc, err);
    firn_table_set_text(doc, row, "hp", firn_value_number(doc, number % 100, err), err);
    firn_table_set_text(doc, row, "x", firn_value_number(doc, number * 0.37, err), err);
    firn_table_set_text(doc, row, "y", firn_value_number(doc, number * 0.73, err), err);
    return row;
}

static bool make_tree(Stage *stage)
{
    firn_limits limits = row_limits();
    stage->doc = firn_doc_create(NULL, &limits, &stage->err);
    stage->tree = firn_value_table(stage->doc, &stage->err);
    for (uint32_t i = 0; i < stage->entities && stage->err.code == FIRN_OK; i++) {
        firn_table_push(stage->doc, stage->tree, make_row(stage, i), &stage->err);
    }
    if (stage->err.code != FIRN_OK || !encode_tree(stage)) {
        return false;
    }
    stage->bytes = stage->image.size;
    return true;
}

static bool clear_doc(Stage *stage)
{
    firn_doc_clear(stage->doc);
    return true;
}

static bool decode_tree(Stage *stage)
{
    stage->tree = firn_value_decode(stage->doc, stage->image.data, stage->image.size, &stage->err);
    return stage->tree != NULL;
}

static const char *const row_names[] = {"hp", "x", "y"};

static bool encode_stream(Stage *stage)
{
    firn_limits limits = row_limits();
    firn_row_keys keys;
    firn_writer writer;
    firn_row_keys_init(&keys, row_names, 3, NULL);
    firn_buffer_clear(&stage->image);
    firn_writer_begin(&writer, &stage->image, &limits);
    firn_write_table(&writer, stage->entities, 0);
    for (uint32_t i = 0; i < stage->entities; i++) {
        firn_value row[] = {
            {.kind = FIRN_VALUE_NUMBER, .as.number = i % 100},
            {.kind = FIRN_VALUE_NUMBER, .as.number = i * 0.37},
            {.kind = FIRN_VALUE_NUMBER, .as.number = i * 0.73},
        };
        firn_write_row(&writer, &keys, row);
    }
    return firn_writer_end(&writer, &stage->err) == FIRN_OK;
}

static bool make_stream(Stage *stage)
{
    if (!encode_stream(stage)) {
        return false;
    }
    stage->bytes = stage->image.size;
    return true;
}

static bool decode_stream(Stage *stage)
{
    firn_limits limits = row_limits();
    firn_row_keys keys;
    firn_reader reader;
    firn_row_keys_init(&keys, row_names, 3, NULL);
    firn_reader_begin(&reader, stage->image.data, stage->image.size, &limits);
    firn_table_head head = firn_read_table(&reader);
    double sum = 0;
    for (uint32_t i = 0; i < head.array_count; i++) {
        firn_value row[3];
        firn_read_row(&reader, &keys, row, NULL);
        sum += row[0].as.number + row[1].as.number + row[2].as.number;
    }
    stage->sum += sum;
    return firn_reader_end(&reader, &stage->err) == FIRN_OK;
}

static bool encode_items(Stage *stage)
{
    firn_limits limits = row_limits();
    firn_writer writer;
    firn_buffer_clear(&stage->image);
    firn_writer_begin(&writer, &stage->image, &limits);
    firn_write_table(&writer, stage->entities, 0);
    for (uint32_t i = 0; i < stage->entities; i++) {
        firn_write_table(&writer, 0, 3);
        firn_write_text(&writer, "hp");
        firn_write_number(&writer, i % 100);
        firn_write_text(&writer, "x");
        firn_write_number(&writer, i * 0.37);
        firn_write_text(&writer, "y");
        firn_write_number(&writer, i * 0.73);
    }
    return firn_writer_end(&writer, &stage->err) == FIRN_OK;
}

static void read_items(firn_reader *reader, double row[3])
{
    firn_table_head head = firn_read_table(reader);
    for (uint32_t i = 0; i < head.map_count; i++) {
        size_t size;
        const char *key = firn_read_string(reader, &size);
        double number = firn_read_number(reader);
        if (key == NULL) {
            return;
        }
        if (size == 1 && key[0] == 'x') {
            row[0] = number;
        } else if (size == 1 && key[0] == 'y') {
            row[1] = number;
        } else if (size == 2 && memcmp(key, "hp", 2) == 0) {
            row[2] = number;
        }
    }
}

static bool decode_items(Stage *stage)
{
    firn_limits limits = row_limits();
    firn_reader reader;
    firn_reader_begin(&reader, stage->image.data, stage->image.size, &limits);
    firn_table_head head = firn_read_table(&reader);
    double sum = 0;
    for (uint32_t i = 0; i < head.array_count; i++) {
        double row[3] = {0};
        read_items(&reader, row);
        sum += row[0] + row[1] + row[2];
    }
    stage->sum += sum;
    return firn_reader_end(&reader, &stage->err) == FIRN_OK;
}

const Scene value_scenes[] = {
    {.name = "encode_tree",
     .about = "rows {hp, x, y} from a tree",
     .setup = make_tree,
     .run = encode_tree},
    {.name = "decode_tree",
     .about = "rows {hp, x, y} to a tree",
     .setup = make_tree,
     .before = clear_doc,
     .run = decode_tree},
    {.name = "encode_stream",
     .about = "rows {hp, x, y} through a writer, a call a row",
     .setup = make_stream,
     .run = encode_stream},
    {.name = "decode_stream",
     .about = "rows {hp, x, y} through a reader, a call a row",
     .setup = make_stream,
     .run = decode_stream},
    {.name = "encode_items",
     .about = "rows {hp, x, y} through a writer, a call for each key and value",
     .setup = make_stream,
     .run = encode_items},
    {.name = "decode_items",
     .about = "rows {hp, x, y} through a reader, a call for each key and value",
     .setup = make_stream,
     .run = decode_items},
};
const uint32_t value_scene_count = FIRN_COUNT(value_scenes);
