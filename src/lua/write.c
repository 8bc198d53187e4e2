// write.c: Lua values to bytes. A table is walked once: its elements and pairs are encoded as they
// come, then the head is put in front and pairs that came in another order are moved.
#include "lua/value.h"

#include "base/error.h"
#include "base/sort.h"
#include "value/check.h"
#include "value/path.h"
#include "value/stream.h"

#include <stdarg.h>
#include <stdio.h>

#define HEAD_BYTES_MAX (1 + 2 * FR_COUNT_BYTES_MAX)
// A table with no more pairs than this is sorted without memory of its own.
#define FEW_PAIRS 32

// A table that is being written, and where in it.
struct place {
    const struct place *outer; // NULL for the value itself
    const void *table;
    uint32_t depth; // tables that are open, this one too
    uint64_t index; // of an element; 0: the value of the key at `key` on Lua's stack
    int key;
};

struct writing {
    lua_State *L;
    firn_writer *out;
};

// ---------------------------------------------------------------- failing

// The path down to the place; as many steps as tables may be inside each other.
static void add_place(lua_State *L, fr_path *path, const struct place *place)
{
    if (place == NULL) {
        return;
    }
    add_place(L, path, place->outer);
    if (place->index > 0) {
        fr_path_index(path, place->index);
        return;
    }
    firn_value key = {.kind = FIRN_VALUE_NUMBER};
    size_t size = 0;
    switch (lua_type(L, place->key)) {
    case LUA_TBOOLEAN:
        key = (firn_value){.kind = FIRN_VALUE_BOOL, .as.boolean = lua_toboolean(L, place->key)};
        break;
    case LUA_TSTRING:
        key.kind = FIRN_VALUE_STRING;
        key.as.string = lua_tolstring(L, place->key, &size);
        key.length = (uint32_t)size;
        break;
    default:
        key.as.number = lua_tonumber(L, place->key);
        break;
    }
    fr_path_key(path, &key);
}

// Makes the writer fail with what is wrong with the value at the place.
static bool refuse(const struct writing *to, const struct place *place, firn_result code,
                   const char *format, ...)
{
    char subject[sizeof to->out->error.subject];
    char problem[160];
    fr_path path;
    fr_writer_path(to->out, &path, subject, sizeof subject);
    add_place(to->L, &path, place);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem, sizeof problem, format, arguments);
    va_end(arguments);
    fr_fail(&to->out->error, code, subject, "%s %s", path.size > 0 ? subject : "the value",
            problem);
    return false;
}

static bool refuse_type(const struct writing *to, const struct place *place, const char *as)
{
    int type = lua_type(to->L, -1);
    const char *name = type == LUA_TTHREAD          ? "coroutine"
                       : type == LUA_TLIGHTUSERDATA ? "light userdata"
                                                    : lua_typename(to->L, type);
    return refuse(to, place, FIRN_INVALID, "%s a %s", as, name);
}

static bool take_values(const struct writing *to, const struct place *place, uint32_t count)
{
    firn_writer *out = to->out;
    if (count > out->limits.tree_values - out->values) {
        return refuse(to, place, FIRN_LIMIT, "is one value more than the limit of %llu in one",
                      (unsigned long long)out->limits.tree_values);
    }
    out->values += count;
    return true;
}

// ---------------------------------------------------------------- what is no table

static bool write_lua_number(const struct writing *to, double value)
{
    uint8_t *at = fr_writer_room(to->out, 9);
    if (at == NULL) {
        return false;
    }
    fr_put_number(at, value);
    to->out->buffer->size += 9;
    return true;
}

static bool write_lua_boolean(const struct writing *to, bool value)
{
    uint8_t *at = fr_writer_room(to->out, 1);
    if (at == NULL) {
        return false;
    }
    *at = value ? FR_TAG_TRUE : FR_TAG_FALSE;
    to->out->buffer->size += 1;
    return true;
}

// The string on top of the stack.
static bool write_lua_string(const struct writing *to, const struct place *place)
{
    size_t size;
    const char *text = lua_tolstring(to->L, -1, &size);
    uint64_t most = to->out->limits.string_bytes;
    if (size > most || size > FR_STRING_BYTES_MAX) {
        return refuse(to, place, FIRN_LIMIT, "is a string of %zu bytes, the limit is %llu", size,
                      (unsigned long long)most);
    }
    uint8_t *start = fr_writer_room(to->out, size + FR_COUNT_BYTES_MAX);
    if (start == NULL) {
        return false;
    }
    uint8_t *at = fr_put_count(start, (uint32_t)size + FR_TAG_STRING);
    memcpy(at, text, size);
    to->out->buffer->size += (size_t)(at - start) + size;
    return true;
}

// The cdata on top of the stack, as string.buffer encodes it: the C API cannot tell its type.
static bool write_cdata(const struct writing *to, const struct place *place)
{
    lua_State *L = to->L;
    lua_getfield(L, LUA_REGISTRYINDEX, FR_LUA_ENCODE);
    lua_pushvalue(L, -2);
    if (lua_pcall(L, 1, 1, 0) != 0) {
        lua_pop(L, 1);
        return refuse_type(to, place, "is");
    }
    size_t size;
    const uint8_t *bytes = (const uint8_t *)lua_tolstring(L, -1, &size);
    uint8_t *at = fr_writer_room(to->out, FR_SCALAR_BYTES_MAX);
    if (at == NULL) {
        return false;
    }
    memcpy(at, bytes, size);
    if (*at == FR_TAG_COMPLEX) {
        fr_store_u64(at + 1, fr_canonical_bits(fr_load_f64(at + 1)));
        fr_store_u64(at + 9, fr_canonical_bits(fr_load_f64(at + 9)));
    }
    to->out->buffer->size += size;
    lua_pop(L, 1);
    return true;
}

// ---------------------------------------------------------------- tables

static bool write_lua_table(const struct writing *to, const struct place *outer);

// The value on top of the stack, which is not nil.
static bool write_lua_item(const struct writing *to, const struct place *place)
{
    switch (lua_type(to->L, -1)) {
    case LUA_TNUMBER:
        return write_lua_number(to, lua_tonumber(to->L, -1));
    case LUA_TSTRING:
        return write_lua_string(to, place);
    case LUA_TBOOLEAN:
        return write_lua_boolean(to, lua_toboolean(to->L, -1));
    case LUA_TTABLE:
        return write_lua_table(to, place);
    case FR_LUA_TCDATA:
        return write_cdata(to, place);
    default:
        return refuse_type(to, place, "is");
    }
}

// Key and value are on top of the stack after lua_next; the key is the number `index`.
static inline bool key_is_number(lua_State *L, uint64_t index)
{
    return lua_type(L, -2) == LUA_TNUMBER && lua_tonumber(L, -2) == (double)index;
}

// Writes elements 1..n. The walk with lua_next meets them first, except for those that the table
// has between its other keys. True in *more: a pair of the walk is on the stack.
static bool write_elements(const struct writing *to, struct place *place, int table,
                           uint32_t *count, bool *more)
{
    lua_State *L = to->L;
    uint32_t n = 0;
    lua_pushnil(L);
    while ((*more = lua_next(L, table)) && key_is_number(L, (uint64_t)n + 1)) {
        place->index = ++n;
        if (!take_values(to, place, 1) || !write_lua_item(to, place)) {
            return false;
        }
        lua_pop(L, 1);
    }
    while (*more) {
        lua_rawgeti(L, table, (int)(n + 1));
        if (lua_isnil(L, -1)) {
            lua_pop(L, 1);
            break;
        }
        place->index = ++n;
        if (!take_values(to, place, 1) || !write_lua_item(to, place)) {
            return false;
        }
        lua_pop(L, 1);
    }
    place->index = 0;
    *count = n;
    return true;
}

// The key on top of the stack; `place` is that of the table.
static bool write_lua_key(const struct writing *to, const struct place *place)
{
    double number;
    switch (lua_type(to->L, -1)) {
    case LUA_TNUMBER:
        number = lua_tonumber(to->L, -1);
        return write_lua_number(to, number == 0 ? 0 : number);
    case LUA_TSTRING:
        return write_lua_string(to, place);
    case LUA_TBOOLEAN:
        return write_lua_boolean(to, lua_toboolean(to->L, -1));
    default:
        return refuse_type(to, place->outer, "has a key that is");
    }
}

// A pair that has been written, for sorting.
struct pair {
    const uint8_t *at;
    size_t size;
};

static int compare_pairs(const void *a, const void *b)
{
    return fr_encoded_key_compare(((const struct pair *)a)->at, ((const struct pair *)b)->at);
}

static size_t encoded_size(const firn_writer *out, const uint8_t *at, const uint8_t *end)
{
    fr_in in = {at, at, end};
    uint64_t values = 0;
    fr_value_check_inside(&in, 0, &values, &out->limits, NULL);
    return (size_t)(in.at - at);
}

// Sorts pairs that stand at the end of the buffer, from `first`, by way of a copy behind it.
static bool sort_pairs(const struct writing *to, size_t first, uint32_t count, struct pair *pairs,
                       const void **order)
{
    firn_buffer *buffer = to->out->buffer;
    size_t size = buffer->size - first;
    uint8_t *copy = fr_writer_room(to->out, size);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, buffer->data + first, size);
    const uint8_t *at = copy;
    for (uint32_t i = 0; i < count; i++) {
        size_t key = encoded_size(to->out, at, copy + size);
        pairs[i].at = at;
        pairs[i].size = key + encoded_size(to->out, at + key, copy + size);
        order[i] = &pairs[i];
        at += pairs[i].size;
    }
    fr_sort(order, count, compare_pairs);
    uint8_t *sorted = buffer->data + first;
    for (uint32_t i = 0; i < count; i++) {
        const struct pair *pair = order[i];
        memcpy(sorted, pair->at, pair->size);
        sorted += pair->size;
    }
    return true;
}

static bool sort_many(const struct writing *to, size_t first, uint32_t count)
{
    struct pair *pairs = lua_newuserdata(to->L, count * sizeof *pairs);
    const void **order = lua_newuserdata(to->L, count * sizeof *order);
    bool sorted = sort_pairs(to, first, count, pairs, order);
    lua_pop(to->L, 2);
    return sorted;
}

static bool sort_few(const struct writing *to, size_t first, uint32_t count)
{
    struct pair pairs[FEW_PAIRS];
    const void *order[FEW_PAIRS];
    return sort_pairs(to, first, count, pairs, order);
}

// Writes what is no element, and sorts it. A pair of the walk is on the stack when `more`.
static bool write_pairs(const struct writing *to, struct place *place, int table, uint32_t elements,
                        bool more, uint32_t *count)
{
    lua_State *L = to->L;
    firn_buffer *buffer = to->out->buffer;
    size_t first = buffer->size;
    size_t last = first;
    uint32_t n = 0;
    bool ascending = true;
    for (; more; more = lua_next(L, table)) {
        double number = lua_type(L, -2) == LUA_TNUMBER ? lua_tonumber(L, -2) : 0;
        if (number >= 1 && number <= elements && number == (double)(uint32_t)number) {
            lua_pop(L, 1);
            continue;
        }
        size_t key = buffer->size;
        lua_pushvalue(L, -2);
        if (!take_values(to, place->outer, 2) || !write_lua_key(to, place)) {
            return false;
        }
        lua_pop(L, 1);
        ascending = ascending &&
                    (n == 0 || fr_encoded_key_compare(buffer->data + last, buffer->data + key) < 0);
        if (!write_lua_item(to, place)) {
            return false;
        }
        lua_pop(L, 1);
        last = key;
        n += 1;
    }
    *count = n;
    return ascending || (n <= FEW_PAIRS ? sort_few(to, first, n) : sort_many(to, first, n));
}

static uint8_t *put_head(uint8_t *at, uint32_t elements, uint32_t pairs)
{
    *at++ = (uint8_t)(FR_TAG_TABLE + (elements > 0 ? 4 : 0) + (pairs > 0 ? 1 : 0));
    if (elements > 0) {
        at = fr_put_count(at, elements + 1);
    }
    return pairs > 0 ? fr_put_count(at, pairs) : at;
}

// Puts the head in front of the items from `start` on, where there are `room` bytes for it.
static bool place_head(const struct writing *to, size_t start, size_t room, uint32_t elements,
                       uint32_t pairs)
{
    uint8_t head[HEAD_BYTES_MAX];
    size_t size = (size_t)(put_head(head, elements, pairs) - head);
    if (fr_writer_room(to->out, HEAD_BYTES_MAX) == NULL) {
        return false;
    }
    firn_buffer *buffer = to->out->buffer;
    uint8_t *at = buffer->data + start;
    if (size != room) {
        memmove(at + size, at + room, buffer->size - start - room);
        buffer->size = buffer->size - room + size;
    }
    memcpy(at, head, size);
    return true;
}

// Whether the table at `place` may be opened.
static bool may_open(const struct writing *to, const struct place *place)
{
    for (const struct place *outer = place->outer; outer != NULL; outer = outer->outer) {
        if (outer->table == place->table) {
            return refuse(to, place->outer, FIRN_INVALID, "is a table that is inside itself");
        }
    }
    uint32_t most = to->out->limits.depth;
    return place->depth <= most ||
           refuse(to, place->outer, FIRN_LIMIT, "is deeper than %u tables inside each other",
                  (unsigned)most);
}

// The table on top of the stack.
static bool write_lua_table(const struct writing *to, const struct place *outer)
{
    lua_State *L = to->L;
    firn_writer *out = to->out;
    int table = lua_gettop(L);
    struct place place = {
        .outer = outer,
        .table = lua_topointer(L, table),
        .depth = (outer != NULL ? outer->depth : out->depth) + 1,
        .key = table + 1,
    };
    luaL_checkstack(L, 8, "a table to encode is too deep");
    if (!may_open(to, &place) || fr_writer_room(out, HEAD_BYTES_MAX) == NULL) {
        return false;
    }
    size_t start = out->buffer->size;
    size_t border = lua_objlen(L, table);
    uint8_t head[HEAD_BYTES_MAX];
    size_t room = (size_t)(put_head(head, (uint32_t)border, border == 0 ? 1 : 0) - head);
    uint32_t elements;
    uint32_t pairs;
    bool more;
    out->buffer->size += room; // most often just right
    if (!write_elements(to, &place, table, &elements, &more) ||
        !write_pairs(to, &place, table, elements, more, &pairs) ||
        !place_head(to, start, room, elements, pairs)) {
        return false;
    }
    return true;
}

// ---------------------------------------------------------------- the function

// Pushes what string.buffer makes of the table on top; NULL: it cannot, and nothing is pushed.
static const uint8_t *push_by_buffer(lua_State *L, size_t *size)
{
    lua_getfield(L, LUA_REGISTRYINDEX, FR_LUA_ENCODE);
    lua_pushvalue(L, -2);
    if (lua_pcall(L, 1, 1, 0) != 0) {
        lua_pop(L, 1);
        return NULL;
    }
    return (const uint8_t *)lua_tolstring(L, -1, size);
}

// Lets string.buffer encode the table on top of the stack, which is faster; false: write it here.
static bool write_by_buffer(const struct writing *to)
{
    firn_writer *out = to->out;
    size_t size;
    const uint8_t *bytes = push_by_buffer(to->L, &size);
    if (bytes == NULL) {
        return false;
    }
    bool arranged =
        fr_lua_arrange(bytes, size, out->depth, &out->values, &out->limits, out->buffer);
    lua_pop(to->L, 1);
    return arranged;
}

uint32_t fr_lua_write_rows(lua_State *L, firn_writer *out)
{
    size_t size;
    const uint8_t *bytes = push_by_buffer(L, &size);
    if (bytes == NULL) {
        return 0;
    }
    uint32_t done = fr_lua_arrange_rows(bytes, size, out);
    lua_pop(L, 1);
    return done;
}

void fr_lua_write(lua_State *L, int index, firn_writer *out)
{
    if (out->error.code != FIRN_OK) {
        return;
    }
    struct writing to = {L, out};
    int top = lua_gettop(L);
    luaL_checkstack(L, 8, "a value to encode");
    lua_pushvalue(L, index);
    if (lua_isnil(L, -1)) {
        firn_write_nil(out);
    } else if ((lua_istable(L, -1) && write_by_buffer(&to)) || write_lua_item(&to, NULL)) {
        fr_writer_done(out, 0);
    }
    lua_settop(L, top);
}
