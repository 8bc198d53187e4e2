// saves_load.c: save files and what is in them, made and taken.
#include "lua/saves.h"
#include "lua/snapshot.h"
#include "lua/value.h"

#include "base/error.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------- envelopes

static void set_text(lua_State *L, const char *name, const char *text)
{
    lua_pushstring(L, text != NULL ? text : "");
    lua_setfield(L, -2, name);
}

static void set_count(lua_State *L, const char *name, double number)
{
    lua_pushnumber(L, number);
    lua_setfield(L, -2, name);
}

static void set_parent(lua_State *L, const firn_digest *parent)
{
    char text[33] = "";
    if (parent->high != 0 || parent->low != 0) {
        snprintf(text, sizeof text, "%016llx%016llx", (unsigned long long)parent->high,
                 (unsigned long long)parent->low);
    }
    set_text(L, "parent", text);
}

void fr_lua_push_header(lua_State *L, const firn_save_header *header)
{
    lua_createtable(L, 0, 16);
    set_count(L, "saveFormatVersion", header->format_version);
    set_count(L, "gameVersion", header->game_version);
    set_text(L, "game", header->game);
    set_text(L, "engineVersion", header->engine);
    set_text(L, "level", header->level);
    set_text(L, "kind", header->kind);
    set_count(L, "timestamp", (double)header->timestamp);
    set_count(L, "tick", (double)header->tick);
    set_count(L, "playTime", header->play_time);
    set_count(L, "revision", (double)header->revision);
    set_parent(L, &header->parent);
    if (header->meta != NULL) {
        fr_lua_push_value(L, header->meta);
        lua_setfield(L, -2, "meta");
    }
}

// Pushes a section: its bytes, or the value that they encode.
static void push_section(lua_State *L, firn_save_file *file, const char *name, bool decoded,
                         const char *doing)
{
    const void *bytes;
    size_t size;
    firn_error err;
    if (firn_save_file_section(file, name, &bytes, &size, &err) != FIRN_OK) {
        fr_lua_raise(L, NULL, doing, &err);
    }
    if (!decoded) {
        lua_pushlstring(L, size > 0 ? bytes : "", size);
        return;
    }
    firn_reader reader;
    firn_reader_begin(&reader, bytes, size, NULL);
    fr_lua_read(L, &reader);
    if (firn_reader_end(&reader, &err) != FIRN_OK) {
        fr_lua_raise(L, NULL, doing, &err);
    }
}

// Pushes envelope[name], a table, which is made when it is not there.
static void push_part(lua_State *L, int envelope, const char *name)
{
    lua_getfield(L, envelope, name);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_setfield(L, envelope, name);
    }
}

void fr_lua_push_envelope(lua_State *L, firn_save_file *file, const char *doing)
{
    luaL_checkstack(L, 20, doing);
    fr_lua_push_header(L, firn_save_file_header(file));
    int envelope = lua_gettop(L);
    firn_section_info info;
    for (uint32_t i = 0; firn_save_file_section_at(file, i, &info); i++) {
        bool map = strcmp(info.name, FIRN_SECTION_CUSTOM) == 0 ||
                   strcmp(info.name, FIRN_SECTION_VARIABLES) == 0;
        if (map || strcmp(info.name, FIRN_SECTION_SNAPSHOT) == 0) {
            push_section(L, file, info.name, map, doing);
            lua_setfield(L, envelope, info.name);
            continue;
        }
        bool thumbnail = strcmp(info.name, FIRN_SECTION_THUMBNAIL) == 0;
        push_part(L, envelope, thumbnail ? "meta" : "sections");
        push_section(L, file, info.name, false, doing);
        lua_setfield(L, -2, info.name);
        lua_pop(L, 1);
    }
}

static int free_file(lua_State *L)
{
    firn_save_file **file = lua_touserdata(L, 1);
    firn_save_file_close(*file);
    *file = NULL;
    return 0;
}

// Pushes a file that is closed with its userdata. `bytes` stay as long.
static firn_save_file *push_file(lua_State *L, const void *bytes, size_t size, bool head,
                                 const char *doing)
{
    firn_save_file **file =
        fr_lua_push_object(L, sizeof(firn_save_file *), "firn.SaveFile", free_file);
    firn_error err;
    *file = head ? firn_save_file_read_head(bytes, size, NULL, &err)
                 : firn_save_file_open(bytes, size, NULL, &err);
    if (*file == NULL) {
        fr_lua_raise(L, NULL, doing, &err);
    }
    return *file;
}

// save_file_header(bytes) -> fields
static int save_file_header(lua_State *L)
{
    size_t size;
    const char *bytes = luaL_checklstring(L, 1, &size);
    const firn_save_file *file = push_file(L, bytes, size, true, "header");
    fr_lua_push_header(L, firn_save_file_header(file));
    set_count(L, "size", (double)firn_save_file_size(file));
    return 1;
}

// save_file_envelope(bytes) -> envelope
static int save_file_envelope(lua_State *L)
{
    size_t size;
    const char *bytes = luaL_checklstring(L, 1, &size);
    fr_lua_push_envelope(L, push_file(L, bytes, size, false, "envelope"), "envelope");
    return 1;
}

// save_file_bytes(envelope, compression, doing) -> bytes
static int save_file_bytes(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    const char *doing = luaL_checkstring(L, 3);
    firn_save_file_options options = {
        .compression = (int)fr_lua_integer(L, 2, doing, "option 'compression'", -1, INT16_MAX)};
    firn_limits limits;
    firn_error err;
    firn_limits_default(&limits);
    limits.string_bytes = limits.expanded_bytes; // a snapshot is one string
    const firn_value *value =
        fr_lua_to_value(L, 1, fr_lua_push_limited_doc(L, &limits, doing), &err);
    firn_buffer *out = fr_lua_push_buffer(L);
    if (value == NULL || firn_save_file_from_value(value, &options, out, &err) != FIRN_OK) {
        return fr_lua_raise(L, NULL, doing, &err);
    }
    lua_pushlstring(L, (const char *)out->data, out->size);
    fr_lua_keep_buffer(L, -2);
    return 1;
}

// ---------------------------------------------------------------- saves

// options.sections: name -> bytes
static void push_sections(lua_State *L, int index, firn_saves_write_options *options,
                          const char *doing)
{
    lua_getfield(L, index, "sections");
    luaL_checktype(L, -1, LUA_TTABLE);
    int table = lua_gettop(L);
    uint32_t count = 0;
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
        count++;
    }
    firn_section *sections = lua_newuserdata(L, (count + 1) * sizeof *sections);
    options->sections = sections;
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
        firn_section *section = &sections[options->section_count++];
        section->name = fr_lua_text(L, lua_gettop(L) - 1, doing, "sections: a name");
        section->bytes = luaL_checklstring(L, -1, &section->size);
    }
}

// Reads {meta, sections, force} at `index`; what they point to is on the stack.
static firn_saves_write_options read_write_options(lua_State *L, int index, const char *doing)
{
    firn_saves_write_options options;
    memset(&options, 0, sizeof options);
    luaL_checktype(L, index, LUA_TTABLE);
    push_sections(L, index, &options, doing);
    lua_getfield(L, index, "force");
    options.force = lua_toboolean(L, -1);
    lua_getfield(L, index, "meta");
    if (!lua_isnil(L, -1)) {
        int meta = lua_gettop(L);
        firn_error err;
        options.meta = fr_lua_to_value(L, meta, fr_lua_push_doc(L, doing), &err);
        if (options.meta == NULL) {
            firn_error named;
            fr_fail(&named, err.code, err.subject, "meta%s%s", err.message[0] == '.' ? "" : ": ",
                    err.message);
            fr_lua_raise(L, NULL, doing, &named);
        }
    }
    return options;
}

// saves_make(manager, options, as bytes) -> envelope or bytes
static int saves_make(lua_State *L)
{
    bool as_bytes = lua_toboolean(L, 3);
    const char *doing = as_bytes ? "makeBytes" : "make";
    fr_lua_saves *manager = fr_lua_saves_check(L, doing);
    const firn_saves_write_options options = read_write_options(L, 2, doing);
    firn_buffer *out = fr_lua_push_buffer(L);
    int kept = lua_gettop(L);
    firn_error err;
    fr_lua_saves_call call;
    fr_lua_saves_begin(L, manager, doing, &call);
    fr_lua_saves_end(&call, firn_saves_make(manager->saves, &options, out, &err), &err);
    if (as_bytes) {
        lua_pushlstring(L, (const char *)out->data, out->size);
    } else {
        fr_lua_push_envelope(L, push_file(L, out->data, out->size, false, doing), doing);
    }
    fr_lua_keep_buffer(L, kept);
    return 1;
}

// saves_write(manager, slot, options, request): now, or at the end of the tick
static int saves_write(lua_State *L)
{
    bool request = lua_toboolean(L, 4);
    const char *doing = request ? "requestSave" : "write";
    fr_lua_saves *manager = fr_lua_saves_check(L, doing);
    const char *slot = luaL_checkstring(L, 2);
    const firn_saves_write_options options = read_write_options(L, 3, doing);
    firn_error err;
    fr_lua_saves_call call;
    fr_lua_saves_begin(L, manager, doing, &call);
    firn_result result = request ? firn_saves_request_save(manager->saves, slot, &options, &err)
                                 : firn_saves_write(manager->saves, slot, &options, &err);
    fr_lua_saves_end(&call, result, &err);
    return 0;
}

// ---------------------------------------------------------------- loads

static int free_loaded(lua_State *L)
{
    firn_saves_loaded_free(lua_touserdata(L, 1));
    return 0;
}

static void set_ids(lua_State *L, const char *name, const uint64_t *ids, uint32_t count)
{
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        lua_pushnumber(L, (lua_Number)ids[i]);
        lua_rawseti(L, -2, (int)i + 1);
    }
    lua_setfield(L, -2, name);
}

// Pushes {envelope, prelude, report, fromBackup, damage, migratedFrom, wentBack, moved,
// sceneMissing, sceneNew}.
static void push_loaded_table(lua_State *L, const firn_saves_loaded *loaded, const char *doing)
{
    lua_createtable(L, 0, 11);
    fr_lua_push_moved(L, loaded->moved, loaded->moved_count);
    lua_setfield(L, -2, "moved");
    set_ids(L, "sceneMissing", loaded->scene_missing, loaded->scene_missing_count);
    set_ids(L, "sceneNew", loaded->scene_new, loaded->scene_new_count);
    if (loaded->envelope != NULL) {
        fr_lua_push_envelope(L, loaded->envelope, doing);
        lua_setfield(L, -2, "envelope");
    }
    fr_lua_push_prelude(L, &loaded->report.prelude);
    lua_setfield(L, -2, "prelude");
    fr_lua_push_load_report(L, &loaded->report);
    lua_setfield(L, -2, "report");
    lua_pushboolean(L, loaded->from_backup);
    lua_setfield(L, -2, "fromBackup");
    lua_pushboolean(L, loaded->went_back);
    lua_setfield(L, -2, "wentBack");
    if (loaded->from_backup) {
        fr_lua_push_error(L, NULL, doing, &loaded->damage);
        lua_setfield(L, -2, "damage");
    }
    if (loaded->migrated_from != 0) {
        set_count(L, "migratedFrom", loaded->migrated_from);
    }
}

// saves_load(manager, slot or bytes, from a slot) -> loaded
static int saves_load(lua_State *L)
{
    bool slot = lua_toboolean(L, 3);
    const char *doing = slot ? "read" : "take";
    fr_lua_saves *manager = fr_lua_saves_check(L, doing);
    size_t size;
    const char *from = luaL_checklstring(L, 2, &size);
    firn_saves_loaded *loaded =
        fr_lua_push_object(L, sizeof *loaded, "firn.SavesLoaded", free_loaded);
    firn_error err;
    fr_lua_saves_call call;
    fr_lua_saves_begin(L, manager, doing, &call);
    firn_result result = slot ? firn_saves_read(manager->saves, from, loaded, &err)
                              : firn_saves_take(manager->saves, from, size, loaded, &err);
    fr_lua_saves_leave(&call);
    if (result != FIRN_OK) {
        fr_lua_saves_push_error(&call, &err);
        lua_pushboolean(L, loaded->went_back);
        lua_setfield(L, -2, "wentBack");
        return lua_error(L);
    }
    fr_lua_saves_conclude(&call, result, &err);
    push_loaded_table(L, loaded, doing);
    fr_lua_saves_push_world(L, manager, firn_saves_world(manager->saves));
    lua_setfield(L, -2, "world");
    return 1;
}

// saves_request_load(manager, slot) -> false: the slot is empty
static int saves_request_load(lua_State *L)
{
    fr_lua_saves *manager = fr_lua_saves_check(L, "requestLoad");
    const char *slot = luaL_checkstring(L, 2);
    firn_error err;
    fr_lua_saves_call call;
    fr_lua_saves_begin(L, manager, "requestLoad", &call);
    firn_result result = firn_saves_request_load(manager->saves, slot, &err);
    bool empty = result == FIRN_NOT_FOUND;
    fr_lua_saves_end(&call, empty ? FIRN_OK : result, &err);
    lua_pushboolean(L, !empty);
    return 1;
}

// ---------------------------------------------------------------- events

// Whether the message of an error has a text, as messages show it, or ends with the beginning of it
// and "...".
static bool has_text(const firn_error *error, const char *text)
{
    const char *message = error->message;
    char shown[sizeof error->message];
    fr_printable(shown, sizeof shown, text, strlen(text));
    if (strstr(message, shown) != NULL) {
        return true;
    }
    size_t size = strlen(message);
    if (size < 3 || strcmp(message + size - 3, "...") != 0) {
        return false;
    }
    for (size_t i = 0; i + 11 < size; i++) {
        if (strncmp(message + i, shown, size - 3 - i) == 0) {
            return true;
        }
    }
    return false;
}

// Whether {value, traceback, text} on top is what became the error.
static bool is_cause(lua_State *L, const firn_error *error)
{
    lua_rawgeti(L, -1, 3);
    const char *text = lua_tostring(L, -1);
    bool is = text != NULL && has_text(error, text);
    lua_pop(L, 1);
    return is;
}

// Takes the cause of an error from what callbacks raised in the call that runs, and pushes it.
static bool take_raised(lua_State *L, const fr_lua *lua, const firn_error *error)
{
    int top = lua_gettop(L), key = (int)lua->depth;
    fr_lua_push_table(L, lua, "raised");
    for (lua_rawgeti(L, -1, key); lua_istable(L, -1); lua_rawgeti(L, -1, key)) {
        if (is_cause(L, error)) {
            lua_rawgeti(L, -1, FR_LUA_CAUSE_NEXT);
            lua_rawseti(L, -3, key);
            lua_replace(L, top + 1);
            lua_settop(L, top + 1);
            return true;
        }
        lua_replace(L, -2);
        key = FR_LUA_CAUSE_NEXT;
    }
    lua_settop(L, top);
    return false;
}

// The same of what was raised in the call that told before.
static bool take_waiting(lua_State *L, const fr_lua_saves *manager, const firn_error *error)
{
    int top = lua_gettop(L);
    fr_lua_push_table(L, &manager->own, "waiting");
    int count = (int)lua_objlen(L, -1);
    for (int i = 1; i <= count; i++) {
        lua_rawgeti(L, top + 1, i);
        if (is_cause(L, error)) {
            for (; i <= count; i++) {
                lua_rawgeti(L, top + 1, i + 1);
                lua_rawseti(L, top + 1, i);
            }
            lua_replace(L, top + 1);
            return true;
        }
        lua_pop(L, 1);
    }
    lua_settop(L, top);
    return false;
}

// What is told of another call than the one that runs was raised in that one.
static bool take_cause(lua_State *L, const fr_lua_saves *manager, bool later,
                       const firn_error *error)
{
    if (later && take_waiting(L, manager, error)) {
        return true;
    }
    bool found = take_raised(L, &manager->own, error);
    for (uint32_t i = 0; !found && i < manager->call->world_count; i++) {
        found = take_raised(L, manager->call->worlds[i].lua, error);
    }
    return found;
}

// Gives the error on top of the stack the cause that a callback left. The next request that fails
// has its own, and the next observer of this one finds it in values.told.
static void add_cause(lua_State *L, const fr_lua_saves *manager, bool later,
                      const firn_error *error)
{
    int shown = lua_gettop(L);
    fr_lua_push_values(L, &manager->own);
    if (take_cause(L, manager, later, error)) {
        lua_pushvalue(L, -1);
        lua_setfield(L, shown + 1, "told");
    } else {
        lua_getfield(L, shown + 1, "told");
        if (lua_istable(L, -1) && !is_cause(L, error)) {
            lua_pop(L, 1);
            lua_pushnil(L);
        }
    }
    if (lua_istable(L, -1)) {
        lua_rawgeti(L, -1, 1);
        lua_setfield(L, shown, "cause");
        lua_rawgeti(L, -1, 2);
        lua_setfield(L, shown, "traceback");
    }
    lua_settop(L, shown);
}

// saves_event(world) -> the payload of the event of a manager that an observer sees
static int saves_event(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    const firn_event *event = fr_lua_observed(lua);
    if (event == NULL || event->payload == NULL || event->size != 0) {
        return 0; // of the game's own
    }
    const firn_saves_event *payload = event->payload;
    fr_lua_saves *manager = lua->manager;
    bool calling = manager != NULL && manager->call != NULL;
    lua_createtable(L, 0, 4);
    set_text(L, "slot", payload->slot);
    set_text(L, "result", firn_result_name(payload->result));
    if (payload->error != NULL) {
        bool late = calling && manager->late.code != FIRN_OK;
        firn_error error = late ? manager->late : *payload->error;
        fr_lua_push_error(L, NULL, event->name, &error);
        if (calling) {
            manager->late.code = FIRN_OK;
            bool later = payload->loaded != NULL || strcmp(event->name, "level_entered") == 0;
            add_cause(L, manager, later, &error);
        }
        lua_setfield(L, -2, "error");
    }
    if (payload->loaded != NULL) {
        push_loaded_table(L, payload->loaded, event->name);
        lua_setfield(L, -2, "loaded");
    }
    return 1;
}

const luaL_Reg fr_lua_saves_load_functions[] = {
    {"save_file_bytes", save_file_bytes},
    {"save_file_envelope", save_file_envelope},
    {"save_file_header", save_file_header},
    {"saves_event", saves_event},
    {"saves_load", saves_load},
    {"saves_make", saves_make},
    {"saves_request_load", saves_request_load},
    {"saves_write", saves_write},
    {NULL, NULL},
};
