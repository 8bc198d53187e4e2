#include "builtin/entry.h"

#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>

firn_result fr_entry_fail(const fr_game_entry *entry, firn_result code, firn_error *err,
                          const char *format, ...)
{
    char message[sizeof err->message];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return fr_fail_at(err, code, entry->place, entry->key, "%s: %s", entry->key, message);
}

// The entry as a tree in `doc`.
static firn_result read_entry_table(firn_reader *in, firn_doc *doc, fr_game_entry *entry,
                                    firn_error *err)
{
    entry->value = firn_read_value(in, doc);
    if (entry->value == NULL) {
        return fr_fail_copy(err, &in->error);
    }
    return entry->value->kind == FIRN_VALUE_TABLE
               ? FIRN_OK
               : fr_fail_at(err, FIRN_CORRUPT, entry->place, entry->key, "%s is not a table",
                            entry->key);
}

static firn_result make_saved(const fr_entry_reading *reading, void *user, firn_world *world,
                              const fr_game_entry *entry, void **prepared, firn_error *err)
{
    void *saved = fr_alloc_zero(&world->allocator, 1, reading->saved_size, reading->saved_align);
    if (saved == NULL) {
        return fr_fail_memory(err, reading->key);
    }
    firn_result result = reading->read(user, entry, saved, err);
    if (result == FIRN_OK) {
        *prepared = saved;
    } else {
        reading->discard(user, world, saved);
    }
    return result;
}

firn_result fr_entry_check(const fr_entry_reading *reading, void *user, firn_world *world,
                           firn_reader *in, void **prepared, firn_error *err)
{
    if (in == NULL) {
        return FIRN_OK;
    }
    const firn_limits limits = {.tree_values = reading->most};
    firn_doc *doc = firn_doc_create(&world->allocator, &limits, err);
    if (doc == NULL) {
        return FIRN_NO_MEMORY;
    }
    fr_game_entry entry = {
        .world = world,
        .key = reading->key,
        .place = in->base + (uint64_t)(in->at - in->bytes),
        .in = in,
    };
    firn_result result = read_entry_table(in, doc, &entry, err);
    if (result == FIRN_OK) {
        result = make_saved(reading, user, world, &entry, prepared, err);
    }
    firn_doc_destroy(doc);
    return result;
}
