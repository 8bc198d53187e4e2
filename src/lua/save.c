// save.c: saves and hashes for Lua. firn/snapshot.lua checks the options and makes them plain.
#include "lua/snapshot.h"

#include "base/error.h"
#include "lua/value.h"
#include "os/file.h"

#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------- options

// Pushes options[name], a list, as an array of numbers that the stack keeps.
static double *push_list(lua_State *L, int options, const char *name, uint32_t *count)
{
    lua_getfield(L, options, name);
    size_t length = lua_objlen(L, -1);
    double *numbers = lua_newuserdata(L, (length + 1) * sizeof *numbers);
    for (size_t i = 0; i < length; i++) {
        lua_rawgeti(L, -2, (int)i + 1);
        numbers[i] = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    *count = (uint32_t)length;
    return numbers;
}

// The same; NULL when it is nil.
static double *push_numbers(lua_State *L, int options, const char *name, uint32_t *count)
{
    double *numbers = push_list(L, options, name, count);
    return lua_isnil(L, -2) ? NULL : numbers;
}

// options.terms: {handles, kinds, targets}, a list each
static const firn_query_desc *push_filter(lua_State *L, int options)
{
    lua_getfield(L, options, "terms");
    if (lua_isnil(L, -1)) {
        return NULL;
    }
    int lists = lua_gettop(L);
    uint32_t count;
    const double *handles = push_list(L, lists, "handles", &count);
    const double *kinds = push_list(L, lists, "kinds", &count);
    const double *targets = push_list(L, lists, "targets", &count);
    firn_query_desc *filter = lua_newuserdata(L, sizeof *filter);
    firn_term *terms = lua_newuserdata(L, (count + 1) * sizeof *terms);
    memset(filter, 0, sizeof *filter);
    for (uint32_t i = 0; i < count; i++) {
        terms[i] = (firn_term){.component = (firn_component)handles[i],
                               .kind = (firn_term_kind)kinds[i],
                               .target = (firn_entity)targets[i]};
    }
    filter->terms = terms;
    filter->term_count = count;
    return filter;
}

static const firn_component *push_excludes(lua_State *L, int options, uint32_t *count)
{
    const double *numbers = push_numbers(L, options, "exclude", count);
    if (numbers == NULL) {
        return NULL;
    }
    firn_component *components = lua_newuserdata(L, (*count + 1) * sizeof *components);
    for (uint32_t i = 0; i < *count; i++) {
        components[i] = (firn_component)numbers[i];
    }
    return components;
}

firn_buffer *fr_lua_push_encoded(lua_State *L, int index, const char *doing, const char *key)
{
    firn_buffer *encoded = fr_lua_push_buffer(L);
    firn_writer writer;
    firn_error err;
    firn_writer_begin(&writer, encoded, NULL);
    fr_lua_write(L, index, &writer);
    if (firn_writer_end(&writer, &err) != FIRN_OK) {
        firn_error named;
        fr_fail(&named, err.code, key, "data '%s'%s%s", key, err.message[0] == '.' ? "" : ": ",
                err.message);
        fr_lua_raise(L, NULL, doing, &named);
    }
    return encoded;
}

// options.customData: key -> value
static const firn_data *push_data(lua_State *L, int options, uint32_t *count, const char *doing)
{
    *count = 0;
    lua_getfield(L, options, "customData");
    if (lua_isnil(L, -1)) {
        return NULL;
    }
    int table = lua_gettop(L);
    uint32_t entries = 0;
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING) {
            fr_lua_misuse(L, doing, "customData: a key is a %s, not a string",
                          luaL_typename(L, -2));
        }
        entries++;
    }
    firn_data *data = lua_newuserdata(L, (entries + 1) * sizeof *data);
    memset(data, 0, (entries + 1) * sizeof *data);
    lua_createtable(L, (int)entries, 0); // keeps the buffers
    int buffers = lua_gettop(L);
    for (lua_pushnil(L); lua_next(L, table);) {
        const char *key = fr_lua_text(L, lua_gettop(L) - 1, doing, "customData: a key");
        firn_buffer *encoded = fr_lua_push_encoded(L, lua_gettop(L), doing, key);
        data[*count] = (firn_data){key, NULL, encoded->data, encoded->size};
        lua_rawseti(L, buffers, (int)++*count);
        lua_pop(L, 1);
    }
    return data;
}

firn_save_options fr_lua_save_options(lua_State *L, int index, const char *doing)
{
    firn_save_options options;
    memset(&options, 0, sizeof options);
    if (lua_isnil(L, index)) {
        return options;
    }
    luaL_checktype(L, index, LUA_TTABLE);
    luaL_checkstack(L, 40, doing);
    options.filter = push_filter(L, index);
    options.layers = push_numbers(L, index, "layers", &options.layer_count);
    options.exclude = push_excludes(L, index, &options.exclude_count);
    options.data = push_data(L, index, &options.data_count, doing);
    lua_getfield(L, index, "wireVersion");
    if (!lua_isnil(L, -1)) {
        options.wire_version =
            (uint32_t)fr_lua_integer(L, -1, doing, "option 'wireVersion'", 0, UINT32_MAX);
    }
    lua_getfield(L, index, "sparseEdges");
    options.sparse_edges = lua_toboolean(L, -1);
    lua_pop(L, 2);
    return options;
}

// ---------------------------------------------------------------- saves

// Memory that Lua lent, which is there once.
typedef struct lent_memory {
    void *bytes;
    size_t size;
    bool taken;
} lent_memory;

// It is all that there is of it: what does not fit goes to the heap, and so does a second block.
static void *lent_resize(void *user, void *ptr, size_t old_size, size_t new_size, size_t align)
{
    lent_memory *lent = user;
    const firn_allocator *heap = firn_allocator_default();
    if (ptr == NULL && !lent->taken && new_size > 0 && new_size <= lent->size) {
        lent->taken = true;
        return lent->bytes;
    }
    if (ptr == NULL || ptr != lent->bytes) {
        return heap->resize(heap->user, ptr, old_size, new_size, align);
    }
    if (new_size == 0) {
        lent->taken = false;
        return NULL;
    }
    if (new_size <= lent->size) {
        return ptr;
    }
    void *moved = heap->resize(heap->user, NULL, 0, new_size, align);
    if (moved != NULL) {
        memcpy(moved, ptr, old_size < new_size ? old_size : new_size);
        lent->taken = false;
    }
    return moved;
}

// save_calls(userdata) -> whether Lua may run in a save.
static int world_save_calls(lua_State *L)
{
    lua_pushboolean(L, fr_lua_check(L)->callbacks > 0);
    return 1;
}

// save(userdata, options, doing, bytes, room, where) -> size, kept. `bytes` is a pointer to memory
// that nobody else may touch meanwhile, or nil. kept: what does not fit is at where[0], a pointer,
// as long as `kept` lives, or until `release` has it.
static int world_save(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    const char *doing = luaL_checkstring(L, 3);
    lua_settop(L, 6);
    lent_memory lent = {
        .bytes = fr_lua_pointer(L, 4), .size = (size_t)lua_tonumber(L, 5), .taken = true};
    void **where = (void **)(uintptr_t)lua_topointer(L, 6);
    firn_save_options options = fr_lua_save_options(L, 2, doing);
    firn_buffer *out = fr_lua_push_buffer(L);
    int kept = lua_gettop(L);
    firn_allocator lender = {lent_resize, &lent};
    firn_buffer borrowed;
    bool lend = lent.bytes != NULL;
    firn_buffer_init(&borrowed, &lender);
    borrowed.data = lent.bytes; // all of it: growing by steps, it would go to the heap too soon
    borrowed.capacity = lend ? lent.size : 0;
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, doing);
    firn_result result =
        firn_snapshot_save(lua->fast.world, &options, lend ? &borrowed : out, &err);
    fr_lua_leave(&call);
    bool inside = lend && borrowed.data == lent.bytes;
    size_t size = lend ? borrowed.size : out->size;
    if (lend && !inside) { // it grew out of what was lent
        firn_buffer_free(out);
        firn_buffer_init(out, NULL);
        out->data = borrowed.data;
        out->size = borrowed.size;
        out->capacity = borrowed.capacity;
    }
    if (inside || result != FIRN_OK) {
        fr_lua_keep_buffer(L, kept);
    }
    fr_lua_conclude(&call, result, &err);
    lua_pushnumber(L, (lua_Number)size);
    if (inside) {
        return 1;
    }
    *where = out->data;
    lua_pushvalue(L, kept);
    return 2;
}

// release(kept): what a save returned is not needed any more.
static int release_save(lua_State *L)
{
    fr_lua_release_buffer(L, 1);
    return 0;
}

static int free_doc(lua_State *L)
{
    firn_doc **doc = lua_touserdata(L, 1);
    firn_doc_destroy(*doc);
    return 0;
}

firn_doc *fr_lua_push_doc(lua_State *L, const char *doing)
{
    return fr_lua_push_limited_doc(L, NULL, doing);
}

firn_doc *fr_lua_push_limited_doc(lua_State *L, const firn_limits *limits, const char *doing)
{
    firn_doc **doc = fr_lua_push_object(L, sizeof(firn_doc *), "firn.Doc", free_doc);
    firn_error err;
    *doc = firn_doc_create(NULL, limits, &err);
    if (*doc == NULL) {
        fr_lua_raise(L, NULL, doing, &err);
    }
    return *doc;
}

// A load bounds the whole table, where a save bounds each value in it.
static firn_result check_loadable(lua_State *L, const firn_value *table, firn_error *err)
{
    firn_error why;
    firn_buffer *encoded = fr_lua_push_buffer(L);
    firn_result result = firn_value_encode(table, NULL, encoded, &why);
    fr_lua_keep_buffer(L, lua_gettop(L));
    lua_pop(L, 1);
    return result == FIRN_OK ? FIRN_OK
                             : fr_fail(err, result, why.subject,
                                       "the table could not be loaded: %s", why.message);
}

// save_table(userdata, options) -> snapshot table
static int world_save_table(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_save_options options = fr_lua_save_options(L, 2, "saveSnapshot");
    firn_doc *doc = fr_lua_push_doc(L, "saveSnapshot");
    firn_value *table = NULL;
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "saveSnapshot");
    firn_result result = firn_snapshot_save_table(lua->fast.world, &options, doc, &table, &err);
    fr_lua_end(&call, result, &err);
    if (check_loadable(L, table, &err) != FIRN_OK) {
        return fr_lua_raise(L, NULL, "saveSnapshot", &err);
    }
    fr_lua_push_value(L, table);
    return 1;
}

// replace_file(path, bytes, size): writes what the pointer points to to a file.
static int replace_file(lua_State *L)
{
    const char *path = fr_lua_text(L, 1, "saveSnapshot", "option 'path'");
    const void *bytes = fr_lua_pointer(L, 2);
    size_t size = (size_t)luaL_checknumber(L, 3);
    firn_error err;
    firn_result result = fr_file_replace(firn_allocator_default(), path, bytes, size, &err);
    return result == FIRN_OK ? 0 : fr_lua_raise(L, NULL, "saveSnapshot", &err);
}

// ---------------------------------------------------------------- hashes

// Names and hashes, until they are in a table: gathering them must not raise.
typedef struct hash_list {
    firn_buffer *names;  ///< each with its 0
    firn_buffer *hashes; ///< 8 bytes each
    bool full;
} hash_list;

static void gather_hash(void *user, const char *component, uint64_t hash)
{
    hash_list *list = user;
    list->full |=
        firn_buffer_append(list->names, component, strlen(component) + 1, NULL) != FIRN_OK ||
        firn_buffer_append(list->hashes, &hash, sizeof hash, NULL) != FIRN_OK;
}

static void push_hex(lua_State *L, uint64_t hash)
{
    char text[17];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    lua_pushstring(L, text);
}

// Pushes the total, {name = hash}, and {ids, entities, world}, all as hexadecimal digits.
static int push_hashes(lua_State *L, const firn_hash *hash, const hash_list *list,
                       const char *doing)
{
    if (list->full) {
        return fr_lua_misuse(L, doing, "no memory");
    }
    push_hex(L, hash->total);
    lua_newtable(L);
    const char *name = (const char *)list->names->data;
    for (size_t at = 0; at < list->hashes->size; at += sizeof(uint64_t)) {
        uint64_t one;
        memcpy(&one, list->hashes->data + at, sizeof one);
        push_hex(L, one);
        lua_setfield(L, -2, name);
        name += strlen(name) + 1;
    }
    lua_createtable(L, 0, 3);
    push_hex(L, hash->ids);
    lua_setfield(L, -2, "ids");
    push_hex(L, hash->entities);
    lua_setfield(L, -2, "entities");
    push_hex(L, hash->world);
    lua_setfield(L, -2, "world");
    return 3;
}

// hash(userdata)
static int world_hash(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    hash_list list = {fr_lua_push_buffer(L), fr_lua_push_buffer(L), false};
    firn_hash hash;
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "hash");
    fr_lua_end(&call, firn_world_hash(lua->fast.world, &hash, gather_hash, &list, &err), &err);
    return push_hashes(L, &hash, &list, "hash");
}

// image_hash(bytes, limits)
static int image_hash(lua_State *L)
{
    size_t size;
    const char *bytes = luaL_checklstring(L, 1, &size);
    firn_limits limits;
    fr_lua_limits(L, 2, "hashSnapshot", &limits);
    firn_image_options options = {.limits = &limits};
    hash_list list = {fr_lua_push_buffer(L), fr_lua_push_buffer(L), false};
    firn_hash hash;
    firn_error err;
    if (firn_image_hash(bytes, size, &options, &hash, gather_hash, &list, &err) != FIRN_OK) {
        return fr_lua_raise(L, NULL, "hashSnapshot", &err);
    }
    return push_hashes(L, &hash, &list, "hashSnapshot");
}

const luaL_Reg fr_lua_save_functions[] = {
    {"save", world_save},
    {"save_calls", world_save_calls},
    {"save_table", world_save_table},
    {"release", release_save},
    {"replace_file", replace_file},
    {"hash", world_hash},
    {"image_hash", image_hash},
    {NULL, NULL},
};
