// codec.c: how rows of components that Lua describes are saved: with functions of Lua. A codec is a
// table that firn/codec.lua makes for each world:
//     encode(row) -> value     what a row, given as a pointer, is saved as; nil: not at all
//     decode(row, value)       fills a row with what was saved. Neither, and it is never saved
//     tables                   rows are those of rows.h
//     plain                    whose tables are saved as they are
//     size, fill, unfill       or nil: tables that have all declared fields, no others, and numbers
//                              in them, are `size` bytes that only differ in the numbers:
//         fill(rows, n, to) -> n or less      writes such rows, up to the first that is another
//         unfill(rows, n, from) -> n or less  reads them
//     decodeAll(rows, stride, values, n)      is decode for each of the list `values`; counts them
//                                             in firn_lua.decoded, as unfill does
#include "lua/rows.h"

#include "base/error.h"
#include "lua/function.h"
#include "lua/value.h"
#include "value/check.h"
#include "value/stream.h"

#include <inttypes.h>
#include <string.h>

// Rows that fill writes at once, and the most that are written one by one before it is tried again.
#define RUN_ROWS     4096
#define SKIPPED_ROWS 1024
// The most that the tables of runs have, see firn/template.lua.
#define RUN_FIELDS     32
#define RUN_NAME_BYTES 64

// The most rows that are encoded or decoded as one list, which is in memory twice then:
// string.buffer does that faster than the C API of Lua. The list has a head of its own.
#define LISTED_ROWS     256
#define LISTED_BYTES    ((size_t)1 << 16)
#define LIST_HEAD_BYTES (1 + FR_COUNT_BYTES_MAX)

// Where values stand on the stack of a body.
enum { AT_CODEC = 3, AT_TABLES, AT_FUNCTION, AT_RUNS, AT_ITEM, AT_ALL = AT_ITEM, AT_BYTES };

typedef struct coding {
    const fr_lua_function *codec;
    const firn_rows *rows;
    firn_writer *out;
    firn_reader *in;
    uint32_t row;  // the one at which it stands
    uint32_t skip; // rows until the next try of a run
    uint32_t skips;
    uint32_t alone;     // rows that are no part of a list
    uint32_t listed;    // rows that the next list to encode may have
    firn_buffer *bytes; // of a list to decode
} coding;

static coding begin_coding(const fr_lua_function *codec, const firn_rows *rows)
{
    return (coding){.codec = codec, .rows = rows, .listed = 2};
}

static void *lua_row_at(const coding *work, uint32_t row)
{
    return (uint8_t *)work->rows->data + (size_t)row * work->rows->size;
}

// What goes wrong with a row names it.
static firn_result refuse_lua_row(const coding *work, const firn_error *why, firn_error *err)
{
    firn_entity entity = work->rows->entities[work->row];
    const char *name = work->codec->what;
    fr_fail_at(err, why->code, why->offset, name, "component '%s', entity %" PRIu64 ": %s", name,
               entity, why->message);
    if (err != NULL) {
        err->entity = entity;
    }
    return why->code;
}

// Pushes what the enumeration above says; returns the bytes of a row in a run, 0: there are none.
static size_t push_codec(lua_State *L, const coding *work, const char *function, const char *runs,
                         const firn_limits *limits)
{
    fr_lua_function_push(L, work->codec);
    fr_lua_push_table(L, work->codec->lua, "tables");
    lua_getfield(L, AT_CODEC, function);
    lua_getfield(L, AT_CODEC, runs);
    lua_getfield(L, AT_CODEC, "size");
    size_t size = (size_t)lua_tonumber(L, -1);
    lua_pop(L, 1);
    bool narrow =
        limits->string_bytes < RUN_NAME_BYTES || limits->tree_values <= UINT64_C(2) * RUN_FIELDS;
    return narrow ? 0 : size;
}

// Calls fill or unfill for `n` rows of `size` bytes; returns for how many it went well. After one
// that did not, the next try is later each time.
static uint32_t call_run(lua_State *L, coding *work, uint32_t n, const void *bytes)
{
    lua_pushvalue(L, AT_RUNS);
    lua_pushlightuserdata(L, lua_row_at(work, work->row));
    lua_pushnumber(L, n);
    lua_pushlightuserdata(L, (void *)(uintptr_t)bytes);
    lua_call(L, 3, 1);
    uint32_t done = (uint32_t)lua_tonumber(L, -1);
    lua_pop(L, 1);
    work->codec->lua->fast.decoded = 0;
    work->skips = done > 0 ? 1 : 2 * work->skips + 1;
    work->skips = work->skips < SKIPPED_ROWS ? work->skips : SKIPPED_ROWS;
    work->skip = done < n ? work->skips : 0;
    work->row += done;
    return done;
}

// ---------------------------------------------------------------- encode

static void write_table_run(lua_State *L, coding *work, size_t size)
{
    uint32_t left = work->rows->count - work->row;
    uint32_t n = left < RUN_ROWS ? left : RUN_ROWS;
    uint8_t *to = fr_writer_room(work->out, n * size);
    if (to != NULL) {
        uint32_t done = call_run(L, work, n, to);
        fr_writer_done_rows(work->out, done, done * size);
    }
}

static int32_t handle_at(const coding *work, uint32_t row)
{
    int32_t handle;
    memcpy(&handle, lua_row_at(work, row), sizeof handle);
    return handle;
}

static void write_one_row(lua_State *L, coding *work, bool plain)
{
    int32_t handle = plain ? handle_at(work, work->row) : 0;
    if (handle > 0) {
        lua_rawgeti(L, AT_TABLES, handle);
    } else {
        lua_pushvalue(L, AT_FUNCTION);
        lua_pushlightuserdata(L, lua_row_at(work, work->row));
        lua_call(L, 1, 1);
    }
    fr_lua_write(L, AT_ITEM, work->out);
    lua_settop(L, AT_RUNS);
    work->row += work->out->error.code == FIRN_OK;
    work->skip -= work->skip > 0;
    work->alone -= work->alone > 0;
}

// Pushes a list of the tables of the rows that come, up to one that has none yet.
static uint32_t push_tables(lua_State *L, const coding *work)
{
    uint32_t left = work->rows->count - work->row;
    uint32_t most = left < work->listed ? left : work->listed;
    most = work->skip > 0 && work->skip < most ? work->skip : most;
    lua_createtable(L, (int)most, 0);
    uint32_t count = 0;
    for (int32_t handle; count < most && (handle = handle_at(work, work->row + count)) > 0;) {
        lua_rawgeti(L, AT_TABLES, handle);
        lua_rawseti(L, AT_ITEM, (int)++count);
    }
    return count;
}

// Where a list is not possible, the next rows are written one by one. Lists grow while they have
// few bytes: how large a table is, is known afterwards.
static void write_listed_rows(lua_State *L, coding *work)
{
    size_t before = work->out->buffer->size;
    uint32_t count = push_tables(L, work);
    uint32_t done = count > 1 ? fr_lua_write_rows(L, work->out) : 0;
    lua_settop(L, AT_RUNS);
    work->row += done;
    work->skip -= work->skip > 0 ? done : 0;
    if (done < count || done == 0) {
        work->alone = done < count ? count - done : 1;
        return;
    }
    size_t fit = LISTED_BYTES * done / (work->out->buffer->size - before);
    uint32_t most = fit < LISTED_ROWS ? (uint32_t)fit : LISTED_ROWS;
    work->listed = 2 * done < most ? 2 * done : most > 2 ? most : 2;
}

static int encode_body(lua_State *L)
{
    coding *work = lua_touserdata(L, 1);
    size_t size = push_codec(L, work, "encode", "fill", &work->out->limits);
    lua_getfield(L, AT_CODEC, "plain");
    bool plain = lua_toboolean(L, -1);
    lua_pop(L, 1);
    const firn_writer *out = work->out;
    while (work->row < work->rows->count && out->error.code == FIRN_OK) {
        if (size > 0 && work->skip == 0) {
            write_table_run(L, work, size);
        } else if (plain && work->alone == 0) {
            write_listed_rows(L, work);
        } else {
            write_one_row(L, work, plain);
        }
    }
    return 0;
}

static firn_result encode_for_lua(void *user, const firn_rows *rows, firn_writer *out,
                                  firn_error *err)
{
    const fr_lua_function *codec = user;
    coding work = begin_coding(codec, rows);
    work.out = out;
    firn_error why;
    firn_result result = fr_lua_protect(codec->lua, encode_body, &work, &why);
    if (result == FIRN_OK && out->error.code != FIRN_OK) {
        why = out->error;
        result = why.code;
    }
    return result == FIRN_OK ? FIRN_OK : refuse_lua_row(&work, &why, err);
}

// ---------------------------------------------------------------- decode

static void read_table_run(lua_State *L, coding *work, size_t size)
{
    firn_reader *in = work->in;
    size_t fit = (size_t)(in->end - in->at) / size;
    uint32_t left = work->rows->count - work->row;
    uint32_t n = fit < left ? (uint32_t)fit : left;
    if (n == 0) {
        work->skip = UINT32_MAX;
        return;
    }
    uint32_t done = call_run(L, work, n, in->at);
    fr_reader_done_rows(in, done, done * size);
}

static void read_one_row(lua_State *L, coding *work)
{
    int top = lua_gettop(L);
    lua_pushvalue(L, AT_FUNCTION);
    lua_pushlightuserdata(L, lua_row_at(work, work->row));
    fr_lua_read(L, work->in);
    if (!firn_reader_failed(work->in)) {
        lua_call(L, 2, 0);
        work->row++;
    }
    lua_settop(L, top);
    work->skip -= work->skip > 0;
    work->alone -= work->alone > 0;
}

// How many of the rows that come are valid and fit a list, and their bytes.
static uint32_t check_listed(const coding *work, size_t *size)
{
    const firn_reader *reader = work->in;
    uint32_t most = work->rows->count - work->row;
    most = most < LISTED_ROWS ? most : LISTED_ROWS;
    most = work->skip > 0 && work->skip < most ? work->skip : most;
    fr_in in = {reader->at, reader->at, reader->end};
    uint32_t count = 0;
    *size = 0;
    while (count < most && fr_value_check_next(&in, &reader->limits, NULL) &&
           (size_t)(in.at - reader->at) <= LISTED_BYTES) {
        *size = (size_t)(in.at - reader->at);
        count++;
    }
    return count;
}

// Lets string.buffer decode rows as a list, which is faster than the C API of Lua; false: it
// cannot, and nothing is on the stack.
static bool push_listed(lua_State *L, const coding *work, uint32_t count, size_t size)
{
    firn_buffer *bytes = work->bytes;
    firn_buffer_clear(bytes);
    if (firn_buffer_reserve(bytes, LIST_HEAD_BYTES + size, NULL) != FIRN_OK) {
        return false;
    }
    uint8_t *at = bytes->data;
    *at++ = FR_TAG_TABLE + 4;
    at = fr_put_count(at, count + 1);
    memcpy(at, work->in->at, size);
    bytes->size = (size_t)(at - bytes->data) + size;
    lua_getfield(L, LUA_REGISTRYINDEX, FR_LUA_DECODE);
    lua_pushlstring(L, (const char *)bytes->data, bytes->size);
    if (lua_pcall(L, 1, 1, 0) != 0) {
        lua_pop(L, 1);
        return false;
    }
    return true;
}

// Where that is not possible, the next rows are read one by one.
static void read_listed_rows(lua_State *L, coding *work)
{
    size_t size;
    uint32_t count = check_listed(work, &size);
    if (count == 0 || !push_listed(L, work, count, size)) {
        work->alone = count > 0 ? count : 1;
        return;
    }
    lua_pushvalue(L, AT_ALL);
    lua_pushlightuserdata(L, lua_row_at(work, work->row));
    lua_pushnumber(L, (lua_Number)work->rows->size);
    lua_pushvalue(L, -4);
    lua_pushnumber(L, count);
    lua_call(L, 4, 0);
    lua_settop(L, AT_BYTES);
    work->codec->lua->fast.decoded = 0;
    work->row += count;
    work->skip -= work->skip > 0 ? count : 0;
    fr_reader_done_rows(work->in, count, size);
}

static int decode_body(lua_State *L)
{
    coding *work = lua_touserdata(L, 1);
    size_t size = push_codec(L, work, "decode", "unfill", &work->in->limits);
    lua_getfield(L, AT_CODEC, "decodeAll");
    work->bytes = fr_lua_push_buffer(L);
    while (work->row < work->rows->count && !firn_reader_failed(work->in)) {
        if (size > 0 && work->skip == 0) {
            read_table_run(L, work, size);
        } else if (work->alone == 0) {
            read_listed_rows(L, work);
        } else {
            read_one_row(L, work);
        }
    }
    fr_lua_keep_buffer(L, AT_BYTES);
    return 0;
}

static firn_result decode_for_lua(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    const fr_lua_function *codec = user;
    coding work = begin_coding(codec, rows);
    work.in = in;
    firn_error why;
    uint64_t begin = in->base + (uint64_t)(in->at - in->bytes);
    firn_reader *outer = codec->lua->decoding;
    codec->lua->fast.decoded = 0;
    codec->lua->decoding = in;
    firn_result result = fr_lua_protect(codec->lua, decode_body, &work, &why);
    codec->lua->decoding = outer;
    work.row += codec->lua->fast.decoded; // of the run in which it failed
    if (result != FIRN_OK) {
        why.offset = begin;
        return refuse_lua_row(&work, &why, err);
    }
    if (firn_reader_failed(in)) {
        why = in->error;
        return refuse_lua_row(&work, &why, err);
    }
    return FIRN_OK;
}

// ---------------------------------------------------------------- registration

void fr_lua_codec_of(lua_State *L, fr_lua *lua, int index, firn_component_desc *desc,
                     firn_codec *codec)
{
    if (lua_isnoneornil(L, index)) {
        return;
    }
    lua_getfield(L, index, "tables");
    if (lua_toboolean(L, -1)) {
        desc->hooks.drop = fr_lua_rows_drop;
        desc->hooks.user = &lua->fast;
    }
    lua_getfield(L, index, "encode");
    if (!lua_isnil(L, -1)) {
        fr_lua_function *function = fr_lua_function_keep(L, lua, index, desc->name);
        *codec = (firn_codec){
            .abi = FIRN_ABI,
            .name = function->what,
            .encode = encode_for_lua,
            .decode = decode_for_lua,
            .user = function,
        };
        desc->codec = codec;
    }
    lua_pop(L, 2);
}
