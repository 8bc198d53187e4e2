// Script state of a save: checked and made aside, then put in place of what there is.
#include "builtin/entry.h"
#include "builtin/game.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/utf8.h"
#include "plugin/registry.h"

#include <stdalign.h>
#include <stdio.h>
#include <string.h>

// The entry on its way in.
typedef struct script_reading {
    const fr_script *script; // the running game's
    const fr_game_entry *entry;
    fr_script_state *state; // what is made of it
} script_reading;

// An item on its way in, and its table.
typedef struct item_reading {
    const script_reading *reading;
    const firn_value *table;
    const char *list;
    uint32_t place; // in the list, from 1
} item_reading;

// ---------------------------------------------------------------- fields

static firn_result fail_item_field(const item_reading *item, firn_result code, const char *field,
                                   const char *what, firn_error *err)
{
    return fr_entry_fail(item->reading->entry, code, err, "%s[%u].%s is not %s", item->list,
                         item->place, field, what);
}

// A whole number from 0 to 2^53; one that is absent is 0.
static bool read_whole(const firn_value *table, const char *field, uint64_t *out)
{
    const firn_value *value = firn_table_get_text(table, field);
    *out = 0;
    if (value == NULL) {
        return true;
    }
    double number = value->kind == FIRN_VALUE_NUMBER ? value->as.number : -1;
    if (!(number >= 0 && number <= FR_SCRIPT_TICKS_MOST) || number != (double)(uint64_t)number) {
        return false;
    }
    *out = (uint64_t)number;
    return true;
}

// A whole number of -2^53 to 2^53; one that is absent is 0.
static bool read_since(const firn_value *table, uint64_t *out)
{
    const firn_value *value = firn_table_get_text(table, "since");
    double number = value == NULL ? 0 : value->kind == FIRN_VALUE_NUMBER ? value->as.number : 0.5;
    bool good = number >= -FR_SCRIPT_TICKS_MOST && number <= FR_SCRIPT_TICKS_MOST &&
                number == (double)(int64_t)number;
    *out = good ? (uint64_t)(int64_t)number : 0;
    return good;
}

// A finite number from 0 on; one that is absent is 0.
static bool read_time(const firn_value *table, const char *field, double *out)
{
    const firn_value *value = firn_table_get_text(table, field);
    *out = 0;
    if (value == NULL) {
        return true;
    }
    if (value->kind != FIRN_VALUE_NUMBER || !(value->as.number >= 0 && value->as.number <= 1e300)) {
        return false;
    }
    *out = value->as.number + 0.0; // -0 is 0
    return true;
}

// A name that the game could have given; *out is NULL where it is absent.
static bool read_item_name(const firn_value *table, const char *field, const firn_value **out)
{
    const firn_value *value = firn_table_get_text(table, field);
    *out = value;
    return value == NULL || (value->kind == FIRN_VALUE_STRING &&
                             fr_check_name(value->as.string, value->length, FR_SCRIPT_NAME_BYTES,
                                           field, NULL) == FIRN_OK);
}

static bool read_flag(const firn_value *table, const char *field, bool *out)
{
    const firn_value *value = firn_table_get_text(table, field);
    *out = value != NULL && value->kind == FIRN_VALUE_BOOL && value->as.boolean;
    return value == NULL || value->kind == FIRN_VALUE_BOOL;
}

// ---------------------------------------------------------------- clocks

static firn_result read_clock(const script_reading *reading, const firn_value *name,
                              const firn_value *table, firn_error *err)
{
    double scale, ticks;
    uint64_t since;
    bool paused;
    if (name->kind != FIRN_VALUE_STRING ||
        fr_check_name(name->as.string, name->length, FR_SCRIPT_NAME_BYTES, "clock", NULL) !=
            FIRN_OK) {
        return fr_entry_fail(reading->entry, FIRN_CORRUPT, err, "a clock has no name");
    }
    if (table->kind != FIRN_VALUE_TABLE || !read_time(table, "scale", &scale) ||
        scale > FR_SCRIPT_SCALE_MOST || !read_time(table, "ticks", &ticks) ||
        !read_whole(table, "since", &since) || !read_flag(table, "paused", &paused)) {
        return fr_entry_fail(reading->entry, FIRN_CORRUPT, err,
                             "the clock \"%s\" is not {paused, scale, since, ticks}",
                             name->as.string);
    }
    fr_clock *clock = fr_clock_make(&reading->entry->world->allocator, reading->state,
                                    name->as.string, name->length, err);
    if (clock == NULL) {
        return FIRN_NO_MEMORY;
    }
    clock->base = ticks;
    clock->scale = scale;
    clock->anchor = since;
    clock->paused = paused;
    return FIRN_OK;
}

static firn_result read_clocks(const script_reading *reading, firn_error *err)
{
    const firn_value *clocks = firn_table_get_text(reading->entry->value, "clocks");
    if (clocks == NULL) {
        return FIRN_OK;
    }
    if (clocks->kind != FIRN_VALUE_TABLE || firn_table_array_count(clocks) > 0) {
        return fr_entry_fail(reading->entry, FIRN_CORRUPT, err, "clocks is not a table of names");
    }
    if (firn_table_map_count(clocks) > FR_SCRIPT_NAMES_MOST) {
        return fr_entry_fail(reading->entry, FIRN_LIMIT, err, "%u clocks are above the limit %u",
                             firn_table_map_count(clocks), FR_SCRIPT_NAMES_MOST);
    }
    uint32_t cursor = 0;
    firn_value name;
    const firn_value *table;
    firn_result result = FIRN_OK;
    while (result == FIRN_OK && (table = firn_table_next(clocks, &cursor, &name)) != NULL) {
        result = read_clock(reading, &name, table, err);
    }
    return result;
}

// ---------------------------------------------------------------- items

// A step of the provider, or FR_NO_STEP with FIRN_UNKNOWN.
static firn_result find_saved_step(const item_reading *item, const fr_provider *provider,
                                   const firn_value *name, uint32_t *step, firn_error *err)
{
    *step = fr_step_named(provider, name->as.string, name->length);
    if (*step != FR_NO_STEP) {
        return FIRN_OK;
    }
    char subject[sizeof err->subject];
    snprintf(subject, sizeof subject, "%s.%s", provider->name, name->as.string);
    return fr_fail_at(err, FIRN_UNKNOWN, item->reading->entry->place, subject,
                      "the provider \"%s\" has no step \"%s\", at which %s[%u] of the save stands",
                      provider->name, name->as.string, item->list, item->place);
}

static firn_result read_item_step(const item_reading *item, fr_item *out, firn_error *err)
{
    const fr_script *script = item->reading->script;
    const firn_value *provider, *step, *previous;
    if (!read_item_name(item->table, "provider", &provider) || provider == NULL) {
        return fail_item_field(item, FIRN_CORRUPT, "provider", "a name", err);
    }
    if (!read_item_name(item->table, "step", &step) || step == NULL) {
        return fail_item_field(item, FIRN_CORRUPT, "step", "a name", err);
    }
    if (!read_item_name(item->table, "previous", &previous)) {
        return fail_item_field(item, FIRN_CORRUPT, "previous", "a name", err);
    }
    out->provider = fr_provider_named(script, provider->as.string, provider->length);
    if (out->provider == UINT32_MAX) {
        return fr_fail_at(err, FIRN_UNKNOWN, item->reading->entry->place, provider->as.string,
                          "the provider \"%s\" of %s[%u] of the save is not registered",
                          provider->as.string, item->list, item->place);
    }
    const fr_provider *found = script->providers[out->provider];
    firn_result result = find_saved_step(item, found, step, &out->step, err);
    out->previous = FR_NO_STEP;
    if (result == FIRN_OK && previous != NULL && out->kind == FIRN_SCRIPT_MACHINE) {
        result = find_saved_step(item, found, previous, &out->previous, err);
    }
    return result;
}

static firn_result read_item_times(const item_reading *item, fr_item *out, firn_error *err)
{
    const firn_value *clock;
    if (!read_time(item->table, "due", &out->due)) {
        return fail_item_field(item, FIRN_CORRUPT, "due", "a number of ticks from 0 on", err);
    }
    if (out->kind == FIRN_SCRIPT_TIMER && !read_time(item->table, "period", &out->period)) {
        return fail_item_field(item, FIRN_INVALID, "period", "a number of ticks from 0 on", err);
    }
    out->timed = firn_table_get_text(item->table, "due") != NULL;
    if (!read_item_name(item->table, "clock", &clock)) {
        return fail_item_field(item, FIRN_CORRUPT, "clock", "a name", err);
    }
    if (!out->timed || out->kind == FIRN_SCRIPT_EVENT) {
        return FIRN_OK; // it goes by no clock
    }
    if (clock != NULL) {
        out->clock = fr_clock_named(item->reading->state, clock->as.string);
    }
    if (clock != NULL && out->clock == NULL) {
        return fr_fail_at(err, FIRN_UNKNOWN, item->reading->entry->place, clock->as.string,
                          "the clock \"%s\" of %s[%u] is not in the save", clock->as.string,
                          item->list, item->place);
    }
    return FIRN_OK;
}

static firn_result read_standing(const item_reading *item, fr_item *out, firn_error *err)
{
    if (!read_since(item->table, &out->since)) {
        return fail_item_field(item, FIRN_CORRUPT, "since", "a tick", err);
    }
    return read_flag(item->table, "first", &out->first)
               ? FIRN_OK
               : fail_item_field(item, FIRN_CORRUPT, "first", "true or false", err);
}

static bool was_given(const fr_script_state *state, uint64_t number)
{
    return number <= state->made ||
           (number > FR_SCRIPT_APART && number - FR_SCRIPT_APART <= state->apart);
}

static firn_result read_identity(const item_reading *item, fr_item *out, firn_error *err)
{
    uint64_t entity;
    if (!read_whole(item->table, "number", &out->number) || out->number == 0 ||
        !was_given(item->reading->state, out->number)) {
        return fail_item_field(item, FIRN_CORRUPT, "number", "one that was given", err);
    }
    if (fr_map_get(&item->reading->state->numbers, out->number) != FR_MAP_NONE) {
        return fail_item_field(item, FIRN_CORRUPT, "number", "its own", err);
    }
    if (!read_whole(item->table, "entity", &entity) ||
        (entity == 0 && out->kind == FIRN_SCRIPT_MACHINE)) {
        return fail_item_field(item, FIRN_CORRUPT, "entity", "an entity", err);
    }
    out->entity = firn_reader_entity(item->reading->entry->in, entity);
    return FIRN_OK;
}

// What it needs to be one of its kind.
static firn_result check_shape(const item_reading *item, const fr_item *out,
                               const firn_value *event, const firn_value *key, firn_error *err)
{
    bool is_event = out->kind == FIRN_SCRIPT_EVENT;
    if (event == NULL && is_event) {
        return fail_item_field(item, FIRN_CORRUPT, "event", "a name", err);
    }
    if (!out->timed && (is_event || out->kind == FIRN_SCRIPT_TIMER ||
                        (out->kind == FIRN_SCRIPT_WAIT && event == NULL))) {
        return fail_item_field(item, FIRN_CORRUPT, "due", "there", err);
    }
    if (out->kind != FIRN_SCRIPT_MACHINE && out->kind != FIRN_SCRIPT_CURSOR) {
        return FIRN_OK;
    }
    if (key == NULL && out->kind == FIRN_SCRIPT_CURSOR) {
        return fail_item_field(item, FIRN_CORRUPT, "key", "a name or empty", err);
    }
    const char *text = key == NULL ? NULL : key->as.string;
    return fr_item_with_name(item->reading->state, out->provider, out->entity, text) == NULL
               ? FIRN_OK
               : fail_item_field(item, FIRN_CORRUPT, "provider", "its own", err);
}

static firn_result read_texts(const item_reading *item, const firn_value *event,
                              const firn_value *key, fr_item *out, firn_error *err)
{
    const firn_world *world = item->reading->entry->world;
    const firn_allocator *allocator = &world->allocator;
    const firn_value *payload = firn_table_get_text(item->table, "payload");
    firn_buffer_init(&out->payload, allocator);
    bool memory = true;
    if (event != NULL) {
        out->event = fr_copy_text(allocator, event->as.string, event->length);
        memory = out->event != NULL;
    }
    if (memory && key != NULL) {
        out->key = fr_copy_text(allocator, key->as.string, key->length);
        memory = out->key != NULL;
    }
    firn_result result = memory ? FIRN_OK : fr_fail_memory(err, "script state");
    if (result == FIRN_OK && payload != NULL && out->kind == FIRN_SCRIPT_EVENT) {
        firn_error why;
        result = fr_script_encode(world, payload, &out->payload, &why);
        if (result != FIRN_OK) {
            result = fr_entry_fail(item->reading->entry, result, err, "%s[%u].payload%s: %s",
                                   item->list, item->place, why.subject, why.message);
        }
    }
    return result;
}

static bool read_cursor_key(const firn_value *table, const firn_value **key)
{
    const firn_value *value = firn_table_get_text(table, "key");
    *key = value;
    return value == NULL || (value->kind == FIRN_VALUE_STRING && value->length == 0) ||
           read_item_name(table, "key", key);
}

static firn_result add_saved_item(const item_reading *item, fr_item *out, const firn_value *event,
                                  const firn_value *key, firn_error *err)
{
    fr_script_state *state = item->reading->state;
    const firn_world *world = item->reading->entry->world;
    firn_result result = fr_item_reserve(world, state, err);
    if (result == FIRN_OK) {
        result = read_texts(item, event, key, out, err);
    }
    if (result == FIRN_OK) {
        fr_item_put(&world->allocator, state, out);
    } else {
        fr_item_free_texts(&world->allocator, out);
    }
    return result;
}

// What an item of this kind does not have is not looked at.
static firn_result read_item_fields(const item_reading *item, fr_item *out,
                                    const firn_value **event, const firn_value **key,
                                    firn_error *err)
{
    firn_result result = read_identity(item, out, err);
    if (result == FIRN_OK && out->kind != FIRN_SCRIPT_EVENT) {
        result = read_item_step(item, out, err);
    }
    if (result == FIRN_OK && out->kind != FIRN_SCRIPT_MACHINE) {
        result = read_item_times(item, out, err);
    }
    if (result == FIRN_OK &&
        (out->kind == FIRN_SCRIPT_MACHINE || out->kind == FIRN_SCRIPT_CURSOR)) {
        result = read_standing(item, out, err);
    }
    bool has_event = out->kind != FIRN_SCRIPT_TIMER && out->kind != FIRN_SCRIPT_MACHINE;
    if (result == FIRN_OK && has_event && !read_item_name(item->table, "event", event)) {
        result = fail_item_field(item, FIRN_CORRUPT, "event", "a name", err);
    }
    if (result == FIRN_OK && out->kind == FIRN_SCRIPT_CURSOR &&
        !read_cursor_key(item->table, key)) {
        result = fail_item_field(item, FIRN_CORRUPT, "key", "a name or empty", err);
    }
    return result;
}

// Whose it is when it is loaded. False: the save does not have the entity, and it would fall to
// whoever has the id.
static bool find_owner(const item_reading *item, fr_item *out)
{
    const fr_asked *asked = item->reading->entry->world->asked;
    if (out->entity == 0 || asked == NULL || asked->brings == NULL ||
        asked->brings(asked->user, out->entity)) {
        return true;
    }
    firn_entity owner = asked->brings_part(asked->user, out->entity);
    out->entity = owner != 0 ? owner : out->entity;
    return owner != 0;
}

static firn_result read_saved_item(const item_reading *item, firn_script_kind kind, firn_error *err)
{
    fr_item out = {.kind = kind};
    const firn_value *event = NULL, *key = NULL;
    if (item->table->kind != FIRN_VALUE_TABLE) {
        return fr_entry_fail(item->reading->entry, FIRN_CORRUPT, err, "%s[%u] is not a table",
                             item->list, item->place);
    }
    firn_result result = read_item_fields(item, &out, &event, &key, err);
    bool brought = result == FIRN_OK && find_owner(item, &out);
    if (result == FIRN_OK) {
        result = check_shape(item, &out, event, key, err);
    }
    return result == FIRN_OK && brought ? add_saved_item(item, &out, event, key, err) : result;
}

static firn_result read_item_list(const script_reading *reading, const char *name,
                                  firn_script_kind kind, firn_error *err)
{
    const firn_value *list = firn_table_get_text(reading->entry->value, name);
    if (list == NULL) {
        return FIRN_OK;
    }
    if (list->kind != FIRN_VALUE_TABLE || firn_table_map_count(list) > 0) {
        return fr_entry_fail(reading->entry, FIRN_CORRUPT, err, "%s is not a list", name);
    }
    item_reading item = {.reading = reading, .list = name};
    uint32_t count = firn_table_array_count(list);
    firn_result result = FIRN_OK;
    for (item.place = 1; result == FIRN_OK && item.place <= count; item.place++) {
        item.table = firn_table_get_number(list, item.place);
        result = read_saved_item(&item, kind, err);
    }
    return result;
}

// ---------------------------------------------------------------- the handler

static firn_result read_script(void *user, const fr_game_entry *entry, void *prepared,
                               firn_error *err)
{
    const fr_game *game = user;
    fr_script_state *state = prepared;
    const script_reading reading = {&game->script, entry, state};
    static const struct {
        const char *name;
        firn_script_kind kind;
    } lists[] = {
        {"cursors", FIRN_SCRIPT_CURSOR},   {"events", FIRN_SCRIPT_EVENT},
        {"machines", FIRN_SCRIPT_MACHINE}, {"timers", FIRN_SCRIPT_TIMER},
        {"waits", FIRN_SCRIPT_WAIT},
    };
    if (firn_table_get_text(entry->value, "version") == NULL &&
        firn_table_get_text(entry->value, "number") == NULL) {
        return FIRN_OK; // that of Tecs itself, whose sequences are not known here
    }
    uint64_t version;
    if (!read_whole(entry->value, "version", &version) || version != (uint64_t)FR_SCRIPT_VERSION) {
        return fr_entry_fail(entry, FIRN_VERSION, err, "the version is not %d",
                             (int)FR_SCRIPT_VERSION);
    }
    if (!read_whole(entry->value, "number", &state->made) || state->made > FR_SCRIPT_APART) {
        return fr_entry_fail(entry, FIRN_CORRUPT, err, "number is not a count");
    }
    if (!read_whole(entry->value, "apart", &state->apart) || state->apart >= FR_SCRIPT_APART) {
        return fr_entry_fail(entry, FIRN_CORRUPT, err, "apart is not a count");
    }
    firn_result result = read_clocks(&reading, err);
    for (size_t i = 0; result == FIRN_OK && i < sizeof lists / sizeof *lists; i++) {
        result = read_item_list(&reading, lists[i].name, lists[i].kind, err);
    }
    return result;
}

static void discard_script(void *user, firn_world *world, void *prepared)
{
    (void)user;
    fr_script_state *state = prepared;
    if (state != NULL) {
        fr_script_state_free(&world->allocator, state);
        fr_free(&world->allocator, state, 1, sizeof *state, alignof(fr_script_state));
    }
}

// What entities have that the load keeps, beside what the save has.
static firn_result keep_beside(const fr_game *game, const firn_world *world, void **prepared,
                               firn_error *err)
{
    const fr_script_state *now = &game->script.state;
    if (world->asked == NULL || now->item_count == 0) {
        return FIRN_OK;
    }
    if (*prepared == NULL) {
        *prepared =
            fr_alloc_zero(&world->allocator, 1, sizeof(fr_script_state), alignof(fr_script_state));
    }
    return *prepared != NULL ? fr_script_keep(world, now, *prepared, err)
                             : fr_fail_memory(err, "script state");
}

static firn_result check_script(void *user, firn_world *world, firn_reader *in, void **prepared,
                                firn_error *err)
{
    const fr_entry_reading reading = {
        .key = FR_KEY_SCRIPT,
        .most = FR_SCRIPT_VALUES(&world->limits),
        .saved_size = sizeof(fr_script_state),
        .saved_align = alignof(fr_script_state),
        .read = read_script,
        .discard = discard_script,
    };
    firn_result result = fr_entry_check(&reading, user, world, in, prepared, err);
    if (result == FIRN_OK) {
        result = keep_beside(user, world, prepared, err);
    }
    if (result != FIRN_OK) {
        discard_script(user, world, *prepared);
    }
    return result;
}

// A save without script state empties it, but for what entities have that are kept.
static void commit_script(void *user, firn_world *world, void *prepared)
{
    fr_game *game = user;
    fr_script_state *saved = prepared;
    if (saved != NULL) {
        fr_script_place_kept(world, saved, &game->script.state);
    }
    fr_script_state_free(&world->allocator, &game->script.state);
    if (saved != NULL) {
        game->script.state = *saved;
        fr_free(&world->allocator, saved, 1, sizeof *saved, alignof(fr_script_state));
    }
}

static bool script_is_empty(const void *user)
{
    const fr_game *game = user;
    return fr_script_rests(&game->script);
}

static firn_result save_script(void *user, firn_world *world, firn_writer *out, firn_error *err)
{
    const fr_game *game = user;
    return fr_script_write(world, &game->script, out, err);
}

firn_result fr_script_install(firn_world *world, fr_game *game, firn_error *err)
{
    const firn_handler handler = {
        .abi = FIRN_ABI,
        .name = FR_KEY_SCRIPT,
        .save = save_script,
        .check = check_script,
        .commit = commit_script,
        .discard = discard_script,
        .user = game,
    };
    return fr_handler_add_resting(world, &handler, script_is_empty, NULL, err);
}
