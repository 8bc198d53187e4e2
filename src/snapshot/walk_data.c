#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/utf8.h"
#include "buffer/bytes.h"
#include "snapshot/format.h"
#include "snapshot/image.h"
#include "value/check.h"

// A key of a save has at most so many bytes.
#define KEY_BYTES 255

bool fr_datum_is(const fr_datum *datum, const char *key)
{
    return datum->key_size == strlen(key) && memcmp(datum->key, key, datum->key_size) == 0;
}

// `true` goes on, `false` ends.
static firn_result read_more(fr_in *in, bool *more, firn_error *err)
{
    uint8_t tag;
    uint64_t offset = fr_in_offset(in);
    if (!fr_in_u8(in, &tag)) {
        return fr_fail_at(err, FIRN_TRUNCATED, offset, "data",
                          "the data section has no end: the image ends early");
    }
    if (tag != FR_TAG_TRUE && tag != FR_TAG_FALSE) {
        return fr_fail_at(err, FIRN_CORRUPT, offset, "data",
                          "byte 0x%02x stands where true or false should", tag);
    }
    *more = tag == FR_TAG_TRUE;
    return FIRN_OK;
}

bool fr_datum_is_own(const fr_datum *datum)
{
    return fr_datum_is(datum, FR_KEY_WORLD) || fr_datum_is(datum, FR_KEY_FREE) ||
           fr_datum_is(datum, FR_KEY_ORDER) || fr_datum_is(datum, FR_KEY_OUTER) ||
           fr_datum_is(datum, FR_KEY_STATES) || fr_datum_is(datum, FR_KEY_PIPELINE) ||
           fr_datum_is(datum, FR_KEY_RANDOM) || fr_datum_is(datum, FR_KEY_SCRIPT);
}

// Limits are about the game's data: what firn adds is read under the defaults, so that a world can
// read what it wrote however low its limits are.
static firn_result read_datum(fr_image *image, fr_in *in, fr_datum *datum, firn_error *err)
{
    size_t size;
    uint64_t most = image->limits.string_bytes;
    firn_result result = fr_in_encoded_string(in, "data key", most < KEY_BYTES ? KEY_BYTES : most,
                                              &datum->key, &size, err);
    if (result != FIRN_OK) {
        return result;
    }
    datum->key_size = (uint32_t)size;
    datum->offset = (size_t)fr_in_offset(in);
    firn_limits own;
    firn_limits_default(&own);
    firn_error why;
    if (!fr_value_check_next(in, fr_datum_is_own(datum) ? &own : &image->limits, &why)) {
        char key[256];
        fr_printable(key, sizeof key, datum->key, datum->key_size);
        return fr_fail_at(err, why.code, why.offset, *key ? key : "data", "data %s: %s", key,
                          why.message);
    }
    datum->size = (size_t)fr_in_offset(in) - datum->offset;
    return FIRN_OK;
}

// ---- firn's own entries

static firn_result refuse_own(const fr_datum *datum, const char *why, firn_error *err)
{
    char key[64];
    fr_printable(key, sizeof key, datum->key, datum->key_size);
    return fr_fail_at(err, FIRN_CORRUPT, datum->offset, key, "%s %s", key, why);
}

static firn_result read_world_entry(fr_image *image, const fr_datum *datum, firn_error *err)
{
    fr_image_world *world = &image->world;
    if (world->ours) {
        return refuse_own(datum, "is there twice", err);
    }
    firn_reader reader;
    firn_reader_begin(&reader, image->bytes + datum->offset, datum->size, NULL);
    firn_table_head head = firn_read_table(&reader);
    if (head.array_count > 0) {
        return refuse_own(datum, "is not a table of names", err);
    }
    double tick = 0;
    const char *name = NULL;
    size_t name_size = 0;
    for (uint32_t i = 0; i < head.map_count; i++) {
        size_t size;
        const char *key = firn_read_string(&reader, &size);
        if (key != NULL && size == 4 && memcmp(key, "name", 4) == 0) {
            name = firn_read_string(&reader, &name_size);
        } else if (key != NULL && size == 4 && memcmp(key, "tick", 4) == 0) {
            tick = firn_read_number(&reader);
        } else {
            firn_read_skip(&reader);
        }
    }
    if (firn_reader_end(&reader, NULL) != FIRN_OK) {
        return refuse_own(datum, "is not a table {name = string, tick = number}", err);
    }
    if (!(tick >= 0 && tick <= 9007199254740992.0) || tick != (double)(uint64_t)tick) {
        return refuse_own(datum, "has a tick that is no count", err);
    }
    if (name_size > 0 &&
        fr_check_name(name, name_size, image->limits.name_bytes, "name", NULL) != FIRN_OK) {
        return refuse_own(datum, "has a name that no world can have", err);
    }
    world->ours = true;
    world->name = name;
    world->name_size = name_size;
    world->tick = (uint64_t)tick;
    return FIRN_OK;
}

static firn_result read_own(fr_image *image, const fr_datum *datum, firn_error *err)
{
    if (fr_datum_is(datum, FR_KEY_WORLD)) {
        return read_world_entry(image, datum, err);
    }
    if (fr_datum_is(datum, FR_KEY_ORDER)) {
        if (image->world.has_order) {
            return refuse_own(datum, "is there twice", err);
        }
        image->world.has_order = true;
        image->world.order_value = datum->offset;
        image->world.order_size = datum->size;
        return FIRN_OK;
    }
    if (fr_datum_is(datum, FR_KEY_OUTER)) {
        if (image->world.has_outer) {
            return refuse_own(datum, "is there twice", err);
        }
        image->world.has_outer = true;
        image->world.outer_value = datum->offset;
        image->world.outer_size = datum->size;
        return FIRN_OK;
    }
    if (!fr_datum_is(datum, FR_KEY_FREE)) {
        return FIRN_OK;
    }
    if (image->world.has_free) {
        return refuse_own(datum, "is there twice", err);
    }
    image->world.has_free = true;
    image->world.free_value = datum->offset;
    image->world.free_size = datum->size;
    return FIRN_OK;
}

// One more entry, the game's or not.
static firn_result count_entry(const fr_image *image, const fr_datum *datum, uint32_t *games,
                               uint64_t offset, firn_error *err)
{
    bool custom = fr_key_is_custom(datum->key, datum->key_size);
    *games += custom;
    if (*games > image->limits.data_keys) {
        return fr_fail_at(err, FIRN_LIMIT, offset, "data", "more than %u data keys: the limit",
                          image->limits.data_keys);
    }
    if (!custom && image->data_count - *games == FR_OWN_ENTRIES) {
        return fr_fail_at(err, FIRN_LIMIT, offset, "data",
                          "more than %u entries are of the engine's own", FR_OWN_ENTRIES);
    }
    return FIRN_OK;
}

firn_result fr_image_walk_datum(fr_image *image, fr_in *in, uint32_t *games, firn_error *err)
{
    if (!FR_RESERVE(&image->allocator, image->data, image->data_capacity, image->data_count + 1)) {
        return fr_fail_memory(err, "data section");
    }
    fr_datum *datum = &image->data[image->data_count];
    uint64_t offset = fr_in_offset(in);
    firn_result result = read_datum(image, in, datum, err);
    if (result == FIRN_OK) {
        result = count_entry(image, datum, games, offset, err);
    }
    if (result == FIRN_OK) {
        result = read_own(image, datum, err);
    }
    image->data_count += result == FIRN_OK;
    return result;
}

firn_result fr_image_walk_data(fr_image *image, fr_in *in, firn_error *err)
{
    uint32_t games = 0;
    bool more = true;
    firn_result result = FIRN_OK;
    while (result == FIRN_OK && more) {
        result = read_more(in, &more, err);
        if (result == FIRN_OK && more) {
            result = fr_image_walk_datum(image, in, &games, err);
        }
    }
    if (result != FIRN_OK || fr_in_left(in) == 0) {
        return result;
    }
    return fr_fail_at(err, FIRN_CORRUPT, fr_in_offset(in), "image",
                      "%zu bytes follow the end of the data section", fr_in_left(in));
}

// ---- the free list

void fr_free_begin(fr_free_walk *walk, const fr_image *image)
{
    *walk = (fr_free_walk){0};
    firn_reader_begin(&walk->reader, image->bytes + image->world.free_value, image->world.free_size,
                      NULL);
    firn_table_head head = firn_read_table(&walk->reader);
    walk->pieces = head.array_count;
    walk->failed = firn_reader_failed(&walk->reader) || head.map_count > 0 ||
                   (head.array_count > 0 && head.array_first != 1);
}

bool fr_free_next(fr_free_walk *walk, uint64_t *id)
{
    while (!walk->failed && walk->left == 0) {
        if (walk->pieces == 0) {
            return false;
        }
        walk->pieces--;
        walk->piece = (const uint8_t *)firn_read_string(&walk->reader, &walk->left);
        walk->failed = walk->piece == NULL || walk->left % FR_ID_BYTES != 0;
    }
    if (walk->failed) {
        return false;
    }
    *id = fr_load_u64(walk->piece);
    walk->piece += FR_ID_BYTES;
    walk->left -= FR_ID_BYTES;
    return true;
}
