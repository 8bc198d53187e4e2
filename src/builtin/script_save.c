// What a save holds of script state (docs/format.md, `tecs.sequence`).
#include "builtin/script.h"

#include "base/alloc.h"
#include "base/error.h"
#include "builtin/game.h"
#include "plugin/registry.h"

#include <stdalign.h>
#include <string.h>

static const char *const item_fields[] = {
#define FIELD_NAME(name) #name,
    FR_SCRIPT_FIELDS(FIELD_NAME)
#undef FIELD_NAME
};

// The state on its way out.
typedef struct script_writing {
    const fr_script *script;
    firn_writer *out;
    firn_doc *doc; // for payloads
    firn_row_keys keys;
    bool persists;         // a persisted save is made
    const fr_item **items; // sorted
    uint32_t count;
} script_writing;

// ---------------------------------------------------------------- items

static firn_value text_value(const char *text)
{
    firn_value value = {.kind = FIRN_VALUE_NIL};
    if (text != NULL) {
        value = (firn_value){
            .kind = FIRN_VALUE_STRING, .length = (uint32_t)strlen(text), .as.string = text};
    }
    return value;
}

static firn_value number_value(double number)
{
    return (firn_value){.kind = FIRN_VALUE_NUMBER, .as.number = number};
}

static void fill_standing(const fr_item *item, firn_value *values)
{
    values[FR_SCRIPT_since] = number_value((double)(int64_t)item->since);
    if (item->first) {
        values[FR_SCRIPT_first] = (firn_value){.kind = FIRN_VALUE_BOOL, .as.boolean = true};
    }
}

static void fill_step(const script_writing *writing, const fr_item *item, firn_value *values)
{
    const fr_provider *provider = writing->script->providers[item->provider];
    values[FR_SCRIPT_provider] = text_value(provider->name);
    values[FR_SCRIPT_step] = text_value(provider->steps[item->step].name);
    if (item->kind == FIRN_SCRIPT_MACHINE || item->kind == FIRN_SCRIPT_CURSOR) {
        fill_standing(item, values);
    }
    if (item->kind == FIRN_SCRIPT_MACHINE && item->previous != FR_NO_STEP) {
        values[FR_SCRIPT_previous] = text_value(provider->steps[item->previous].name);
    }
}

static firn_result write_item(const script_writing *writing, const fr_item *item, firn_error *err)
{
    firn_value values[FR_SCRIPT_FIELD_COUNT] = {{.kind = FIRN_VALUE_NIL}};
    values[FR_SCRIPT_number] = number_value((double)item->number);
    values[FR_SCRIPT_event] = text_value(item->event);
    values[FR_SCRIPT_key] = text_value(item->key);
    if (item->entity != 0) {
        values[FR_SCRIPT_entity] = number_value((double)item->entity);
    }
    if (item->timed) {
        values[FR_SCRIPT_due] = number_value(item->due);
    }
    if (item->period > 0) {
        values[FR_SCRIPT_period] = number_value(item->period);
    }
    if (item->clock != NULL) {
        values[FR_SCRIPT_clock] = text_value(item->clock->name);
    }
    if (item->kind != FIRN_SCRIPT_EVENT) {
        fill_step(writing, item, values);
    }
    if (item->payload.size > 0) {
        firn_doc_clear(writing->doc);
        const firn_value *payload =
            firn_value_decode(writing->doc, item->payload.data, item->payload.size, err);
        if (payload == NULL) {
            return FIRN_NO_MEMORY;
        }
        values[FR_SCRIPT_payload] = *payload;
    }
    firn_write_row(writing->out, &writing->keys, values);
    return FIRN_OK;
}

static uint32_t count_kind(const script_writing *writing, firn_script_kind kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < writing->count; i++) {
        count += writing->items[i]->kind == kind;
    }
    return count;
}

// A list that is empty is left out.
static firn_result write_kind(const script_writing *writing, const char *name,
                              firn_script_kind kind, firn_error *err)
{
    uint32_t count = count_kind(writing, kind);
    firn_result result = FIRN_OK;
    if (count > 0) {
        firn_write_text(writing->out, name);
        firn_write_table(writing->out, count, 0);
    }
    for (uint32_t i = 0; result == FIRN_OK && count > 0 && i < writing->count; i++) {
        if (writing->items[i]->kind == kind) {
            result = write_item(writing, writing->items[i], err);
        }
    }
    return result;
}

// ---------------------------------------------------------------- the whole

static void write_clocks(const script_writing *writing)
{
    const fr_script_state *state = &writing->script->state;
    firn_writer *out = writing->out;
    if (state->clock_count == 0) {
        return;
    }
    firn_write_text(out, "clocks");
    firn_write_table(out, 0, state->clock_count);
    for (uint32_t i = 0; i < state->clock_count; i++) {
        const fr_clock *clock = state->clocks[i];
        firn_write_text(out, clock->name);
        firn_write_table(out, 0, clock->paused ? 4 : 3);
        if (clock->paused) {
            firn_write_text(out, "paused");
            firn_write_bool(out, true);
        }
        firn_write_text(out, "scale");
        firn_write_number(out, clock->scale);
        firn_write_text(out, "since");
        firn_write_number(out, (double)clock->anchor);
        firn_write_text(out, "ticks");
        firn_write_number(out, clock->base);
    }
}

// Not below those that are saved, which a load may have kept.
static uint64_t apart_of(const script_writing *writing)
{
    uint64_t apart = writing->persists ? 0 : writing->script->state.apart;
    uint64_t last = writing->count > 0 ? writing->items[writing->count - 1]->number : 0;
    return last > FR_SCRIPT_APART + apart ? last - FR_SCRIPT_APART : apart;
}

// Whether nothing was made but what the save that runs leaves out.
static bool has_nothing(const script_writing *writing)
{
    const fr_script_state *state = &writing->script->state;
    return writing->count == 0 && state->made == 0 && state->clock_count == 0 &&
           (writing->persists || state->apart == 0);
}

static firn_result write_state(const script_writing *writing, firn_error *err)
{
    const fr_script_state *state = &writing->script->state;
    uint64_t apart = apart_of(writing);
    uint32_t entries = 2u + (state->clock_count > 0) + (apart > 0);
    for (firn_script_kind kind = FIRN_SCRIPT_EVENT; kind <= FIRN_SCRIPT_CURSOR; kind++) {
        entries += count_kind(writing, kind) > 0;
    }
    firn_writer *out = writing->out;
    firn_write_table(out, 0, entries);
    if (apart > 0) {
        firn_write_text(out, "apart");
        firn_write_number(out, (double)apart);
    }
    write_clocks(writing);
    firn_result result = write_kind(writing, "cursors", FIRN_SCRIPT_CURSOR, err);
    if (result == FIRN_OK) {
        result = write_kind(writing, "events", FIRN_SCRIPT_EVENT, err);
    }
    if (result == FIRN_OK) {
        result = write_kind(writing, "machines", FIRN_SCRIPT_MACHINE, err);
    }
    firn_write_text(out, "number");
    firn_write_number(out, (double)state->made);
    if (result == FIRN_OK) {
        result = write_kind(writing, "timers", FIRN_SCRIPT_TIMER, err);
    }
    firn_write_text(out, "version");
    firn_write_number(out, FR_SCRIPT_VERSION);
    return result == FIRN_OK ? write_kind(writing, "waits", FIRN_SCRIPT_WAIT, err) : result;
}

firn_result fr_script_write(const firn_world *world, const fr_script *script, firn_writer *out,
                            firn_error *err)
{
    script_writing writing = {.script = script, .out = out};
    writing.persists = world->asked != NULL && world->asked->persists;
    firn_result result = firn_row_keys_init(&writing.keys, item_fields, FR_SCRIPT_FIELD_COUNT, err);
    if (result == FIRN_OK) {
        result = fr_items_sorted(world, &script->state, &writing.items, &writing.count, err);
    }
    if (result == FIRN_OK) {
        writing.doc = firn_doc_create(&world->allocator, NULL, err);
        result = writing.doc != NULL ? FIRN_OK : FIRN_NO_MEMORY;
    }
    out->limits.tree_values = FR_SCRIPT_VALUES(&world->limits);
    if (result == FIRN_OK && has_nothing(&writing)) {
        firn_write_nil(out);
    } else if (result == FIRN_OK) {
        result = write_state(&writing, err);
    }
    firn_doc_destroy(writing.doc);
    fr_free(&world->allocator, writing.items, script->state.item_count, sizeof *writing.items,
            alignof(fr_item *));
    return result;
}

firn_value *firn_script_value(firn_world *world, firn_doc *doc, firn_error *err)
{
    fr_game *game;
    firn_result result = fr_game_enter(world, &game, err);
    if (result == FIRN_OK && doc == NULL) {
        result = fr_fail(err, FIRN_INVALID, "doc", "doc is NULL");
    }
    if (result != FIRN_OK) {
        return NULL;
    }
    if (fr_script_rests(&game->script)) {
        return firn_value_nil(doc, err);
    }
    firn_buffer bytes;
    firn_buffer_init(&bytes, &world->allocator);
    firn_writer writer;
    firn_writer_begin(&writer, &bytes, NULL);
    firn_error why;
    result = fr_script_write(world, &game->script, &writer, &why);
    firn_result ended = firn_writer_end(&writer, result == FIRN_OK ? &why : NULL);
    firn_value *value = NULL;
    if (result == FIRN_OK && ended == FIRN_OK) {
        value = firn_value_decode(doc, bytes.data, bytes.size, err);
    } else {
        fr_fail_copy(err, &why);
    }
    firn_buffer_free(&bytes);
    return value;
}
