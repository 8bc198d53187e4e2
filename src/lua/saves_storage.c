// saves_storage.c: storages of firn as Lua objects, and storages whose functions are Lua's, which
// firn/saves_storage.lua adapts.
#include "lua/saves.h"
#include "lua/value.h"

#include "base/alloc.h"
#include "base/error.h"
#include "os/thread.h"

#include <stdalign.h>
#include <string.h>

#define STORAGE_TYPE "firn.Storage"

// ---------------------------------------------------------------- storages of firn

// One that a Lua object and managers share: the last of them closes it, in whatever order they go.
// Background saves of several managers take turns in it.
struct fr_lua_storage {
    firn_storage table;
    fr_monitor *turn;
    uint32_t users;
};

void fr_lua_storage_drop(struct fr_lua_storage *storage)
{
    if (storage != NULL && --storage->users == 0) {
        firn_storage_close(&storage->table);
        fr_monitor_destroy(firn_allocator_default(), storage->turn);
        fr_free(firn_allocator_default(), storage, 1, sizeof *storage,
                alignof(struct fr_lua_storage));
    }
}

static int collect_storage(lua_State *L)
{
    struct fr_lua_storage **held = luaL_checkudata(L, 1, STORAGE_TYPE);
    fr_lua_storage_drop(*held);
    *held = NULL;
    return 0;
}

// Pushes the Lua object of a storage that is still to be opened.
static struct fr_lua_storage *push_storage(lua_State *L, const char *doing)
{
    struct fr_lua_storage **held =
        fr_lua_push_object(L, sizeof(struct fr_lua_storage *), STORAGE_TYPE, collect_storage);
    struct fr_lua_storage *storage =
        fr_alloc_zero(firn_allocator_default(), 1, sizeof *storage, alignof(struct fr_lua_storage));
    if (storage == NULL) {
        firn_error err;
        fr_fail_memory(&err, "a storage");
        fr_lua_raise(L, NULL, doing, &err);
        return NULL;
    }
    storage->users = 1;
    *held = storage;
    firn_error err;
    storage->turn = fr_monitor_create(firn_allocator_default(), "a storage", &err);
    if (storage->turn == NULL) {
        fr_lua_raise(L, NULL, doing, &err);
        return NULL;
    }
    return storage;
}

static firn_result shared_put(void *user, const char *name, firn_revision expected,
                              const void *bytes, size_t size, firn_revision *revision,
                              firn_error *err)
{
    const struct fr_lua_storage *storage = user;
    const firn_storage *table = &storage->table;
    fr_monitor_lock(storage->turn);
    firn_result result = table->put(table->user, name, expected, bytes, size, revision, err);
    fr_monitor_unlock(storage->turn);
    return result;
}

static firn_result shared_get(void *user, const char *name, firn_generation generation,
                              uint64_t limit, firn_buffer *out, firn_revision *revision,
                              firn_error *err)
{
    const struct fr_lua_storage *storage = user;
    const firn_storage *table = &storage->table;
    fr_monitor_lock(storage->turn);
    firn_result result = table->get(table->user, name, generation, limit, out, revision, err);
    fr_monitor_unlock(storage->turn);
    return result;
}

static firn_result shared_head(void *user, const char *name, firn_generation generation,
                               void *bytes, size_t room, size_t *got, firn_stored *stored,
                               firn_error *err)
{
    const struct fr_lua_storage *storage = user;
    const firn_storage *table = &storage->table;
    fr_monitor_lock(storage->turn);
    firn_result result = table->head(table->user, name, generation, bytes, room, got, stored, err);
    fr_monitor_unlock(storage->turn);
    return result;
}

static firn_result shared_list(void *user, firn_stored_fn each, void *each_user, firn_error *err)
{
    const struct fr_lua_storage *storage = user;
    const firn_storage *table = &storage->table;
    fr_monitor_lock(storage->turn);
    firn_result result = table->list(table->user, each, each_user, err);
    fr_monitor_unlock(storage->turn);
    return result;
}

static firn_result shared_remove(void *user, const char *name, firn_revision expected,
                                 firn_error *err)
{
    const struct fr_lua_storage *storage = user;
    const firn_storage *table = &storage->table;
    fr_monitor_lock(storage->turn);
    firn_result result = table->remove(table->user, name, expected, err);
    fr_monitor_unlock(storage->turn);
    return result;
}

// The table for one of those who share a storage.
static firn_storage share_storage(struct fr_lua_storage *storage)
{
    storage->users++;
    return (firn_storage){
        .abi = storage->table.abi,
        .name = storage->table.name,
        .flags = storage->table.flags,
        .put = shared_put,
        .get = shared_get,
        .head = shared_head,
        .list = shared_list,
        .remove = shared_remove,
        .user = storage,
    };
}

// storage_folder(path or nil, game or nil) -> storage
static int storage_folder(lua_State *L)
{
    firn_folder_desc desc = {0};
    desc.path = lua_isnil(L, 1) ? NULL : fr_lua_text(L, 1, "folder", "option 'path'");
    desc.game = lua_isnil(L, 2) ? NULL : fr_lua_text(L, 2, "folder", "option 'game'");
    firn_error err;
    struct fr_lua_storage *storage = push_storage(L, "folder");
    firn_result result = firn_storage_folder(&desc, &storage->table, &err);
    return result == FIRN_OK ? 1 : fr_lua_raise(L, NULL, "folder", &err);
}

// storage_memory() -> storage
static int storage_memory(lua_State *L)
{
    firn_error err;
    struct fr_lua_storage *storage = push_storage(L, "memory");
    firn_result result = firn_storage_memory(NULL, &storage->table, &err);
    return result == FIRN_OK ? 1 : fr_lua_raise(L, NULL, "memory", &err);
}

// storage_is(value): whether it is a storage of firn.
static int storage_is(lua_State *L)
{
    bool is = false;
    luaL_getmetatable(L, STORAGE_TYPE);
    if (lua_type(L, 1) == LUA_TUSERDATA && lua_getmetatable(L, 1)) {
        is = lua_rawequal(L, -1, -2);
    }
    lua_pushboolean(L, is);
    return 1;
}

// storage_game_folder(game) -> path
static int storage_game_folder(lua_State *L)
{
    const char *game = fr_lua_text(L, 1, "folderOf", "game");
    firn_error err;
    firn_buffer *out = fr_lua_push_buffer(L);
    if (firn_saves_folder(game, out, &err) != FIRN_OK) {
        return fr_lua_raise(L, NULL, "folderOf", &err);
    }
    lua_pushlstring(L, (const char *)out->data, out->size);
    fr_lua_keep_buffer(L, -2);
    return 1;
}

// ---------------------------------------------------------------- storages of Lua

// What one call of the vtable hands to the body that runs in Lua, and what that gives.
typedef struct storage_call storage_call;
struct storage_call {
    const char *function;
    void (*run)(lua_State *L, storage_call *call); // with the function on top of the stack
    const char *name;
    firn_revision expected;
    firn_generation generation;
    uint64_t limit; // of get; the room of head
    const void *bytes;
    size_t size;
    firn_buffer *out; // of get
    void *room;       // of head
    size_t got;
    firn_stored stored;
    firn_stored_fn each; // of list
    void *each_user;
    firn_result result;
    firn_error err; // of the call, when that failed
};

// Takes what the adapter returned first: nil, or the name of a result and why.
static bool take_result(lua_State *L, int first, storage_call *call)
{
    if (lua_isnil(L, first)) {
        return true;
    }
    const char *name = luaL_checkstring(L, first);
    const char *why = lua_tostring(L, first + 1);
    call->result = FIRN_REFUSED;
    for (int code = 1; code < 256; code++) {
        if (strcmp(firn_result_name((firn_result)code), name) == 0) {
            call->result = (firn_result)code;
        }
    }
    fr_fail(&call->err, call->result, call->name, "%.64s: %.400s", call->name,
            why != NULL ? why : firn_result_text(call->result));
    return call->result == FIRN_NOT_DURABLE;
}

static void push_expected(lua_State *L, firn_revision expected)
{
    if (expected == FIRN_REVISION_ANY) {
        lua_pushnil(L);
    } else {
        lua_pushnumber(L, (lua_Number)expected);
    }
}

static void push_generation(lua_State *L, firn_generation generation)
{
    lua_pushstring(L, generation == FIRN_BACKUP ? "backup" : "current");
}

// put(name, bytes, expected) -> result, why, revision
static void call_put(lua_State *L, storage_call *call)
{
    lua_pushstring(L, call->name);
    lua_pushlstring(L, call->size > 0 ? call->bytes : "", call->size);
    push_expected(L, call->expected);
    lua_call(L, 3, 3);
    if (take_result(L, lua_gettop(L) - 2, call)) {
        call->stored.revision = (firn_revision)lua_tonumber(L, -1);
    }
}

// get(name, generation, limit) -> result, why, bytes, revision
static void call_get(lua_State *L, storage_call *call)
{
    lua_pushstring(L, call->name);
    push_generation(L, call->generation);
    lua_pushnumber(L, (lua_Number)call->limit);
    lua_call(L, 3, 4);
    if (take_result(L, lua_gettop(L) - 3, call)) {
        size_t size;
        const char *bytes = luaL_checklstring(L, -2, &size);
        call->stored.revision = (firn_revision)lua_tonumber(L, -1);
        call->result = firn_buffer_append(call->out, bytes, size, &call->err);
    }
}

// head(name, generation, room) -> result, why, bytes, size, revision, modified
static void call_head(lua_State *L, storage_call *call)
{
    lua_pushstring(L, call->name);
    push_generation(L, call->generation);
    lua_pushnumber(L, (lua_Number)call->limit);
    lua_call(L, 3, 6);
    if (take_result(L, lua_gettop(L) - 5, call)) {
        const char *bytes = luaL_checklstring(L, -4, &call->got);
        if (call->got > 0) {
            memcpy(call->room, bytes, call->got); // the adapter saw that it fits
        }
        call->stored.size = (uint64_t)lua_tonumber(L, -3);
        call->stored.revision = (firn_revision)lua_tonumber(L, -2);
        call->stored.modified = (int64_t)lua_tonumber(L, -1);
    }
}

static double number_field(lua_State *L, const char *name)
{
    lua_getfield(L, -1, name);
    double number = lua_tonumber(L, -1);
    lua_pop(L, 1);
    return number;
}

// list() -> result, why, {{name, size, revision, modified, onlyBackup}, ...} in order
static void call_list(lua_State *L, storage_call *call)
{
    lua_call(L, 0, 3);
    if (!take_result(L, lua_gettop(L) - 2, call)) {
        return;
    }
    size_t count = lua_objlen(L, -1);
    for (size_t i = 1; i <= count && call->result == FIRN_OK; i++) {
        lua_rawgeti(L, -1, (int)i);
        firn_stored stored = {.size = (uint64_t)number_field(L, "size"),
                              .revision = (firn_revision)number_field(L, "revision"),
                              .modified = (int64_t)number_field(L, "modified")};
        if (stored.revision == 0) {
            stored.revision = FIRN_REVISION_ANY;
        }
        lua_getfield(L, -1, "onlyBackup");
        stored.only_backup = lua_toboolean(L, -1);
        lua_getfield(L, -2, "name");
        stored.name = lua_tostring(L, -1);
        call->result = call->each(call->each_user, &stored, &call->err);
        lua_pop(L, 3);
    }
}

// remove(name, expected) -> result, why
static void call_remove(lua_State *L, storage_call *call)
{
    lua_pushstring(L, call->name);
    push_expected(L, call->expected);
    lua_call(L, 2, 2);
    take_result(L, lua_gettop(L) - 1, call);
}

static int storage_body(lua_State *L)
{
    storage_call *call = lua_touserdata(L, 1);
    lua_getfield(L, 2, "storage");
    lua_getfield(L, -1, call->function);
    call->run(L, call);
    return 0;
}

static firn_result run_storage(fr_lua_saves *manager, storage_call *call, firn_error *err)
{
    fr_error_begin(&call->err);
    if (manager->own.L != NULL) {
        fr_lua_saves_remember(manager->own.L, manager);
    }
    manager->storing++;
    firn_result result = fr_lua_protect(&manager->own, storage_body, call, &call->err);
    manager->storing--;
    if (result != FIRN_OK) {
        return fr_fail(err, result, call->name, "%s%s%s of the storage: %.400s",
                       call->name != NULL ? call->name : "", call->name != NULL ? ": " : "",
                       call->function, call->err.message);
    }
    return call->result == FIRN_OK ? FIRN_OK : fr_fail_copy(err, &call->err);
}

static firn_result lua_storage_put(void *user, const char *name, firn_revision expected,
                                   const void *bytes, size_t size, firn_revision *revision,
                                   firn_error *err)
{
    storage_call call = {.function = "put",
                         .run = call_put,
                         .name = name,
                         .expected = expected,
                         .bytes = bytes,
                         .size = size};
    firn_result result = run_storage(user, &call, err);
    if (result == FIRN_OK || result == FIRN_NOT_DURABLE) {
        *revision = call.stored.revision;
    }
    return result;
}

static firn_result lua_storage_get(void *user, const char *name, firn_generation generation,
                                   uint64_t limit, firn_buffer *out, firn_revision *revision,
                                   firn_error *err)
{
    storage_call call = {.function = "get",
                         .run = call_get,
                         .name = name,
                         .generation = generation,
                         .limit = limit,
                         .out = out};
    firn_result result = run_storage(user, &call, err);
    if (result == FIRN_OK && revision != NULL) {
        *revision = generation == FIRN_CURRENT ? call.stored.revision : FIRN_REVISION_NONE;
    }
    return result;
}

static firn_result lua_storage_head(void *user, const char *name, firn_generation generation,
                                    void *bytes, size_t room, size_t *got, firn_stored *stored,
                                    firn_error *err)
{
    storage_call call = {.function = "head",
                         .run = call_head,
                         .name = name,
                         .generation = generation,
                         .limit = room,
                         .room = bytes};
    firn_result result = run_storage(user, &call, err);
    if (result == FIRN_OK) {
        *got = call.got;
        *stored = call.stored;
        stored->name = name;
        if (generation == FIRN_BACKUP) {
            stored->revision = FIRN_REVISION_NONE;
        }
    }
    return result;
}

static firn_result lua_storage_list(void *user, firn_stored_fn each, void *each_user,
                                    firn_error *err)
{
    storage_call call = {
        .function = "list", .run = call_list, .each = each, .each_user = each_user};
    return run_storage(user, &call, err);
}

static firn_result lua_storage_remove(void *user, const char *name, firn_revision expected,
                                      firn_error *err)
{
    storage_call call = {
        .function = "remove", .run = call_remove, .name = name, .expected = expected};
    return run_storage(user, &call, err);
}

void fr_lua_storage_take(lua_State *L, int index, fr_lua_saves *manager, firn_storage *storage)
{
    if (lua_type(L, index) == LUA_TUSERDATA) {
        struct fr_lua_storage **held = luaL_checkudata(L, index, STORAGE_TYPE);
        *storage = share_storage(*held);
        manager->storage = *held;
        return;
    }
    luaL_checktype(L, index, LUA_TTABLE);
    fr_lua_push_values(L, &manager->own);
    lua_pushvalue(L, index);
    lua_setfield(L, -2, "storage");
    lua_getfield(L, index, "name");
    *storage = (firn_storage){
        .abi = FIRN_ABI,
        .name = fr_lua_text(L, lua_gettop(L), "storage", "name"),
        .put = lua_storage_put,
        .get = lua_storage_get,
        .head = lua_storage_head,
        .list = lua_storage_list,
        .remove = lua_storage_remove,
        .user = manager,
    };
    lua_pop(L, 2);
}

// ---------------------------------------------------------------- conformance

typedef struct storage_report {
    fr_lua *lua;
    const char *check;
    firn_result result;
    const char *message;
    bool full;
} storage_report;

// Appends {check, result, message} to values.reports.
static int report_body(lua_State *L)
{
    const storage_report *report = lua_touserdata(L, 1);
    lua_getfield(L, 2, "reports");
    lua_createtable(L, 0, 3);
    lua_pushstring(L, report->check);
    lua_setfield(L, -2, "check");
    lua_pushstring(L, firn_result_name(report->result));
    lua_setfield(L, -2, "result");
    lua_pushstring(L, report->message);
    lua_setfield(L, -2, "message");
    lua_rawseti(L, -2, (int)lua_objlen(L, -2) + 1);
    return 0;
}

static void add_report(void *user, const char *check, firn_result result, const char *message)
{
    storage_report *report = user;
    report->check = check;
    report->result = result;
    report->message = message;
    report->full |= fr_lua_protect(report->lua, report_body, report, NULL) != FIRN_OK;
}

// storage_check(storage or adapter) -> {{check, result, message}, ...}, failures
static int storage_check(lua_State *L)
{
    fr_lua_saves *manager = fr_lua_saves_push(L); // only to call back from
    int context = lua_gettop(L);
    lua_getfenv(L, context);
    lua_newtable(L);
    lua_setfield(L, -2, "reports");
    firn_storage storage;
    fr_lua_storage_take(L, 1, manager, &storage);
    storage_report report = {.lua = &manager->own};
    uint32_t failures = 0;
    firn_error err;
    fr_lua_saves_call call;
    fr_lua_saves_begin(L, manager, "checkStorage", &call);
    firn_result result = firn_storage_check(&storage, add_report, &report, &failures, &err);
    fr_lua_saves_end(&call, result, &err);
    if (report.full) {
        return fr_lua_misuse(L, "checkStorage", "no memory");
    }
    lua_getfenv(L, context);
    lua_getfield(L, -1, "reports");
    lua_pushnumber(L, failures);
    return 2;
}

const luaL_Reg fr_lua_saves_storage_functions[] = {
    {"storage_check", storage_check},
    {"storage_folder", storage_folder},
    {"storage_game_folder", storage_game_folder},
    {"storage_is", storage_is},
    {"storage_memory", storage_memory},
    {NULL, NULL},
};
