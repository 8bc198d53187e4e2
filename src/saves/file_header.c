#include <float.h>
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "saves/file.h"

#define VERSION_TEXT_OF(n) #n
#define VERSION_TEXT(n)    VERSION_TEXT_OF(n)

static const char engine_text[] = "firn " VERSION_TEXT(FIRN_VERSION_MAJOR) "." VERSION_TEXT(
    FIRN_VERSION_MINOR) "." VERSION_TEXT(FIRN_VERSION_PATCH);

// A copy: a walk over the table may move its values.
firn_value fr_file_thumbnail(const firn_save_header *header)
{
    const firn_value *thumbnail = firn_table_get_text(header->meta, FIRN_SECTION_THUMBNAIL);
    bool is_string = thumbnail != NULL && thumbnail->kind == FIRN_VALUE_STRING;
    return is_string ? *thumbnail : (firn_value){.kind = FIRN_VALUE_NIL};
}

firn_result fr_file_put_thumbnail(firn_doc *doc, firn_save_header *header, firn_value *meta,
                                  const void *bytes, size_t size, firn_error *err)
{
    if (header->meta == NULL) {
        return fr_fail(err, FIRN_CORRUPT, FIRN_SECTION_THUMBNAIL,
                       "there is a thumbnail, and no meta that it was in");
    }
    firn_error why;
    const firn_value *item = firn_value_string(doc, bytes, size, &why);
    if (item == NULL) {
        return fr_fail_copy(err, &why);
    }
    *meta = *header->meta;
    header->meta = meta;
    return firn_table_set_text(doc, meta, FIRN_SECTION_THUMBNAIL, item, err);
}

// ---- checks

// A failure has this code, whatever the text is.
static firn_result check_header_text(const char *text, const char *key, bool may_be_empty,
                                     firn_result code, firn_error *err)
{
    if (may_be_empty && (text == NULL || *text == 0)) {
        return FIRN_OK;
    }
    firn_error why;
    if (fr_check_text_name(text, FR_SAVE_TEXT_MOST, key, NULL, &why) == FIRN_OK) {
        return FIRN_OK;
    }
    return fr_fail(err, code, key, "%s", why.message);
}

static bool is_known_kind(const char *kind)
{
    return strcmp(kind, "world") == 0 || strcmp(kind, "persisted") == 0;
}

static firn_result check_header(const firn_save_header *header, firn_result code, firn_error *err)
{
    firn_result result = check_header_text(header->game, "game", false, code, err);
    if (result == FIRN_OK) {
        result = check_header_text(header->engine, "engineVersion", true, code, err);
    }
    if (result == FIRN_OK) {
        result = check_header_text(header->level, "level", true, code, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    if (header->game_version == 0) {
        return fr_fail(err, code, "gameVersion", "gameVersion is 0, and the first version is 1");
    }
    if (header->kind != NULL && !is_known_kind(header->kind)) {
        return fr_fail(err, code, "kind", "kind is neither 'world' nor 'persisted': '%.64s'",
                       header->kind);
    }
    if (!(header->play_time >= 0 && header->play_time <= DBL_MAX)) {
        return fr_fail(err, code, "playTime", "playTime is %g, not a number of seconds",
                       header->play_time);
    }
    if (header->meta != NULL && header->meta->kind != FIRN_VALUE_TABLE) {
        return fr_fail(err, code, "meta", "meta is no table");
    }
    return FIRN_OK;
}

static firn_result check_written_integer(uint64_t value, const char *key, firn_error *err)
{
    if ((double)value >= FR_SAVE_INTEGER_END) {
        return fr_fail(err, FIRN_INVALID, key, "%s is %" PRIu64 ", above 2^53 - 1", key, value);
    }
    return FIRN_OK;
}

firn_result fr_file_check_header(const firn_save_header *header, firn_error *err)
{
    if (header == NULL) {
        return fr_fail(err, FIRN_INVALID, "header", "header is NULL");
    }
    if (header->level == NULL) {
        return fr_fail(err, FIRN_INVALID, "level", "level is NULL; a game without levels has ''");
    }
    firn_result result = check_header(header, FIRN_INVALID, err);
    if (result == FIRN_OK && header->timestamp < 0) {
        return fr_fail(err, FIRN_INVALID, "timestamp", "timestamp is %" PRId64 ", before 1970",
                       header->timestamp);
    }
    if (result == FIRN_OK) {
        result = check_written_integer((uint64_t)header->timestamp, "timestamp", err);
    }
    if (result == FIRN_OK) {
        result = check_written_integer(header->tick, "tick", err);
    }
    return result == FIRN_OK ? check_written_integer(header->revision, "revision", err) : result;
}

// ---- write

static bool is_thumbnail(const firn_value *key, const firn_value *item)
{
    return item->kind == FIRN_VALUE_STRING && key->kind == FIRN_VALUE_STRING &&
           key->length == strlen(FIRN_SECTION_THUMBNAIL) &&
           memcmp(key->as.string, FIRN_SECTION_THUMBNAIL, key->length) == 0;
}

// The table without its thumbnail, if that is a string.
static void write_meta(firn_writer *writer, const firn_value *meta, bool has_thumbnail)
{
    uint32_t pairs = firn_table_map_count(meta) - (has_thumbnail ? 1 : 0);
    firn_write_table(writer, firn_table_array_count(meta), pairs);
    uint32_t cursor = 0, elements = firn_table_array_count(meta);
    firn_value key;
    const firn_value *item;
    while ((item = firn_table_next(meta, &cursor, &key)) != NULL) {
        if (elements > 0) {
            elements--;
        } else if (is_thumbnail(&key, item)) {
            continue;
        } else {
            firn_write_value(writer, &key);
        }
        firn_write_value(writer, item);
    }
}

static void write_text_field(firn_writer *writer, const char *key, const char *text)
{
    firn_write_text(writer, key);
    firn_write_text(writer, text);
}

static void write_number_field(firn_writer *writer, const char *key, double number)
{
    firn_write_text(writer, key);
    firn_write_number(writer, number);
}

firn_result fr_file_write_header(const firn_save_header *header, const firn_limits *limits,
                                 firn_buffer *out, firn_error *err)
{
    char parent[FR_DIGEST_TEXT_BYTES];
    fr_digest_text(parent, header->parent);
    bool has_engine = header->engine != NULL && *header->engine != 0;
    firn_writer writer;
    firn_writer_begin(&writer, out, limits);
    firn_write_table(&writer, 0, header->meta != NULL ? 12 : 11);
    write_text_field(&writer, "engineVersion", has_engine ? header->engine : engine_text);
    write_text_field(&writer, "game", header->game);
    write_number_field(&writer, "gameVersion", header->game_version);
    write_text_field(&writer, "kind", header->kind != NULL ? header->kind : "world");
    write_text_field(&writer, "level", header->level);
    if (header->meta != NULL) {
        firn_write_text(&writer, "meta");
        bool has_thumbnail = fr_file_thumbnail(header).kind == FIRN_VALUE_STRING;
        write_meta(&writer, header->meta, has_thumbnail);
    }
    write_text_field(&writer, "parent", parent);
    write_number_field(&writer, "playTime", header->play_time);
    write_number_field(&writer, "revision", (double)header->revision);
    write_number_field(&writer, "saveFormatVersion", FIRN_SAVE_FORMAT_VERSION);
    write_number_field(&writer, "tick", (double)header->tick);
    write_number_field(&writer, "timestamp", (double)header->timestamp);
    return firn_writer_end(&writer, err);
}

// ---- read

// What the keys of a map are read with; the first failure sticks.
typedef struct header_reader {
    const firn_value *map;
    firn_result code;
    firn_result result;
    firn_error *err;
} header_reader;

static const firn_value *read_field(header_reader *in, const char *key, bool needed)
{
    const firn_value *value = firn_table_get_text(in->map, key);
    if (value == NULL && needed && in->result == FIRN_OK) {
        in->result = fr_fail(in->err, in->code, key, "%s is missing", key);
    }
    return in->result == FIRN_OK ? value : NULL;
}

static const char *read_text_field(header_reader *in, const char *key, bool needed)
{
    const firn_value *value = read_field(in, key, needed);
    if (value == NULL) {
        return "";
    }
    if (value->kind != FIRN_VALUE_STRING) {
        in->result = fr_fail(in->err, in->code, key, "%s is no string", key);
        return "";
    }
    if (memchr(value->as.string, 0, value->length) != NULL) {
        in->result = fr_fail(in->err, in->code, key, "%s has a zero byte in it", key);
        return "";
    }
    return value->as.string;
}

// Any kind of number; `most` is below 2^53, so that the comparison is exact.
static bool is_integer_to(const firn_value *value, uint64_t most, uint64_t *out)
{
    if (value->kind == FIRN_VALUE_NUMBER) {
        double number = value->as.number;
        if (!(number >= 0 && number <= (double)most)) { // also NaN
            return false;
        }
        *out = (uint64_t)number;
        return (double)*out == number;
    }
    *out = value->kind == FIRN_VALUE_INT64 ? (uint64_t)value->as.int64 : value->as.uint64;
    return (value->kind == FIRN_VALUE_INT64 || value->kind == FIRN_VALUE_UINT64) && *out <= most;
}

static uint64_t read_integer_field(header_reader *in, const char *key, bool needed, uint64_t most)
{
    const firn_value *value = read_field(in, key, needed);
    uint64_t number = 0;
    if (value != NULL && !is_integer_to(value, most, &number)) {
        in->result = fr_fail(in->err, in->code, key, "%s is no integer of 0..%" PRIu64, key, most);
        return 0;
    }
    return number;
}

static double read_seconds_field(header_reader *in, const char *key)
{
    const firn_value *value = read_field(in, key, false);
    uint64_t whole = 0;
    if (value == NULL || value->kind == FIRN_VALUE_NUMBER) {
        return value != NULL ? value->as.number : 0;
    }
    if (!is_integer_to(value, (uint64_t)FR_SAVE_INTEGER_END - 1, &whole)) {
        in->result = fr_fail(in->err, in->code, key, "%s is no number of seconds", key);
    }
    return (double)whole;
}

static firn_digest read_digest_field(header_reader *in, const char *key)
{
    firn_digest digest = {0, 0};
    const char *text = read_text_field(in, key, false);
    if (*text != 0 && !fr_digest_from_text(text, strlen(text), &digest)) {
        in->result = fr_fail(in->err, in->code, key, "%s is not 32 hex digits: '%.64s'", key, text);
    }
    return digest;
}

firn_result fr_file_read_header(const firn_value *map, firn_result code, firn_save_header *out,
                                firn_error *err)
{
    if (map == NULL || map->kind != FIRN_VALUE_TABLE) {
        return fr_fail(err, code, "header", "the header is no table");
    }
    const uint64_t most = (uint64_t)FR_SAVE_INTEGER_END - 1;
    header_reader in = {.map = map, .code = code, .err = err};
    *out = (firn_save_header){0};
    out->format_version = (uint32_t)read_integer_field(&in, "saveFormatVersion", true, UINT32_MAX);
    if (in.result == FIRN_OK && out->format_version != FIRN_SAVE_FORMAT_VERSION) {
        return fr_fail(err, FIRN_VERSION, "saveFormatVersion",
                       "save format version %" PRIu32 " is not %u, the one known here",
                       out->format_version, FIRN_SAVE_FORMAT_VERSION);
    }
    out->game = read_text_field(&in, "game", true);
    out->game_version = (uint32_t)read_integer_field(&in, "gameVersion", true, UINT32_MAX);
    out->level = read_text_field(&in, "level", true);
    out->engine = read_text_field(&in, "engineVersion", false);
    out->kind = read_text_field(&in, "kind", false);
    out->timestamp = (int64_t)read_integer_field(&in, "timestamp", false, most);
    out->tick = read_integer_field(&in, "tick", false, most);
    out->revision = read_integer_field(&in, "revision", false, most);
    out->play_time = read_seconds_field(&in, "playTime");
    out->parent = read_digest_field(&in, "parent");
    out->meta = firn_table_get_text(map, "meta");
    if (*out->kind == 0) {
        out->kind = "world";
    }
    return in.result == FIRN_OK ? check_header(out, code, err) : in.result;
}
