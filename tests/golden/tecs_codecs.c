#include "golden/tecs_codecs.h"

#include <stdio.h>
#include <string.h>

static const char *const image_names[] = {"", "hero.png", "rock.png"};

static bool text_is(const char *bytes, size_t size, const char *text)
{
    return bytes != NULL && size == strlen(text) && memcmp(bytes, text, size) == 0;
}

// Opens a table and skips its array part: the entries of its map part follow.
static uint32_t read_map(firn_reader *in)
{
    firn_table_head head = firn_read_table(in);
    for (uint32_t i = 0; i < head.array_count && !firn_reader_failed(in); i++) {
        firn_read_skip(in);
    }
    return head.map_count;
}

static firn_result sprite_like_encode(void *user, const firn_rows *rows, firn_writer *out,
                                      firn_error *err)
{
    (void)user;
    (void)err;
    const sprite_like *sprites = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        firn_write_table(out, 0, 2);
        firn_write_text(out, "image");
        firn_write_text(out, image_names[sprites[i].image]);
        firn_write_text(out, "u0");
        firn_write_number(out, (double)sprites[i].u0);
    }
    return FIRN_OK;
}

static int32_t image_index(firn_reader *in)
{
    size_t size;
    const char *name = firn_read_string(in, &size);
    for (uint32_t i = 1; i < FIRN_COUNT(image_names); i++) {
        if (text_is(name, size, image_names[i])) {
            return (int32_t)i;
        }
    }
    firn_reader_refuse(in, "no image has that name");
    return 0;
}

static firn_result sprite_like_decode(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)user;
    (void)err;
    sprite_like *sprites = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        for (uint32_t left = read_map(in); left > 0 && !firn_reader_failed(in); left--) {
            size_t size;
            const char *key = firn_read_string(in, &size);
            if (text_is(key, size, "image")) {
                sprites[i].image = image_index(in);
            } else if (text_is(key, size, "u0")) {
                sprites[i].u0 = (float)firn_read_number(in);
            } else {
                firn_read_skip(in);
            }
        }
    }
    return FIRN_OK;
}

// Reads {name = number}; other entries are skipped.
static double read_only_field(firn_reader *in, const char *name)
{
    double number = 0;
    for (uint32_t left = read_map(in); left > 0 && !firn_reader_failed(in); left--) {
        size_t size;
        const char *key = firn_read_string(in, &size);
        if (text_is(key, size, name)) {
            number = firn_read_number(in);
        } else {
            firn_read_skip(in);
        }
    }
    return number;
}

static firn_result half_custom_encode(void *user, const firn_rows *rows, firn_writer *out,
                                      firn_error *err)
{
    (void)user;
    (void)err;
    const half_custom *halves = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        firn_write_table(out, 0, 1);
        firn_write_text(out, "a");
        firn_write_number(out, (double)halves[i].a);
    }
    return FIRN_OK;
}

static firn_result half_custom_decode(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)user;
    (void)err;
    half_custom *halves = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        halves[i].a = (float)read_only_field(in, "a");
    }
    return FIRN_OK;
}

static firn_result packed_table_encode(void *user, const firn_rows *rows, firn_writer *out,
                                       firn_error *err)
{
    (void)user;
    (void)err;
    const packed_table *tables = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        char text[32];
        snprintf(text, sizeof text, "%d:%s", (int)tables[i].x, tables[i].label);
        firn_write_text(out, text);
    }
    return FIRN_OK;
}

static firn_result packed_table_decode(void *user, firn_rows *rows, firn_reader *in,
                                       firn_error *err)
{
    (void)user;
    (void)err;
    packed_table *tables = rows->data;
    for (uint32_t i = 0; i < rows->count && !firn_reader_failed(in); i++) {
        size_t size;
        const char *bytes = firn_read_string(in, &size);
        char text[32] = "";
        memcpy(text, bytes != NULL ? bytes : "", size < sizeof text ? size : 0);
        int x;
        packed_table table = {0};
        if (sscanf(text, "%d:%7s", &x, table.label) != 2) {
            firn_reader_refuse(in, "expected number:label");
            break;
        }
        table.x = x;
        tables[i] = table;
    }
    return FIRN_OK;
}

static firn_result nil_codec_encode(void *user, const firn_rows *rows, firn_writer *out,
                                    firn_error *err)
{
    (void)user;
    (void)err;
    const nil_codec *values = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        if (values[i].v <= 1) {
            firn_write_nil(out);
            continue;
        }
        firn_write_table(out, 0, 1);
        firn_write_text(out, "v");
        firn_write_number(out, values[i].v);
    }
    return FIRN_OK;
}

static firn_result nil_codec_decode(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)user;
    (void)err;
    nil_codec *values = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        double v = read_only_field(in, "v");
        if (!(v >= INT32_MIN && v <= INT32_MAX)) {
            firn_reader_refuse(in, "v is no int32");
            break;
        }
        values[i].v = (int32_t)v;
    }
    return FIRN_OK;
}

const firn_codec sprite_like_codec = {FIRN_ABI, "sprite_like", sprite_like_encode,
                                      sprite_like_decode, NULL};
const firn_codec half_custom_codec = {FIRN_ABI, "half_custom", half_custom_encode,
                                      half_custom_decode, NULL};
const firn_codec packed_table_codec = {FIRN_ABI, "packed_table", packed_table_encode,
                                       packed_table_decode, NULL};
const firn_codec nil_codec_codec = {FIRN_ABI, "nil_codec", nil_codec_encode, nil_codec_decode,
                                    NULL};
