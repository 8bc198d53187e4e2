#include "unit/event_journal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void journal_text(journal *j, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert_true(size >= 0 && (size_t)size < sizeof text);
    assert_int_equal(firn_buffer_append(&j->text, text, (size_t)size, NULL), FIRN_OK);
}

static void journal_id(journal *j, const char *before, firn_entity id)
{
    journal_text(j, "%s%u", before, fr_slot(id));
    if (fr_generation(id) > 0) {
        journal_text(j, ".%u", fr_generation(id));
    }
}

void journal_write(journal *j, const char *label, const firn_event *event)
{
    journal_text(j, "%s %s", label, event->name);
    if (event->address != 0) {
        journal_id(j, " @", event->address);
    }
    if (event->component != 0) {
        journal_text(j, " %s", firn_component_name(j->world, event->component));
    }
    if (event->target != 0) {
        journal_id(j, "->", event->target);
    }
    assert_true((event->entities != NULL) == (event->count > 0));
    for (uint32_t i = 0; i < event->count; i++) {
        journal_id(j, " ", event->entities[i]);
    }
    if (event->size > 0) {
        journal_text(j, " \"%.*s\"", (int)event->size, (const char *)event->payload);
    }
    journal_text(j, "\n");
}

void journal_assert(journal *j, const char *expected, const char *file, int line)
{
    const char *got = j->text.size == 0 ? "" : (const char *)j->text.data;
    if (j->text.size != strlen(expected) || memcmp(got, expected, j->text.size) != 0) {
        print_error("expected:\n%sgot:\n%.*s", expected, (int)j->text.size, got);
        _fail(file, line);
    }
    firn_buffer_clear(&j->text);
}

void journal_free(journal *j)
{
    firn_buffer_free(&j->text);
}

static firn_result note(void *user, firn_world *world, const firn_event *event, firn_error *err)
{
    noter *n = user;
    assert_ptr_equal(world, n->journal->world);
    assert_non_null(err);
    journal_write(n->journal, n->label, event);
    return n->then == NULL ? FIRN_OK : n->then(n, event, err);
}

firn_observer observe(noter *n, const char *event, firn_entity address, firn_component component)
{
    firn_error err;
    firn_observer_desc desc = {event, address, component, note, n, {0}};
    firn_observer observer = firn_observe(n->journal->world, &desc, &err);
    if (observer == 0) {
        fail_msg("observing %s: %s", event, err.message);
    }
    return observer;
}

firn_event_kind event_kind(firn_world *world, const char *name)
{
    firn_error err;
    firn_event_kind kind = firn_event_register(world, name, &err);
    if (kind == 0) {
        fail_msg("registering %s: %s", name, err.message);
    }
    return kind;
}

void emit(firn_world *world, firn_event_kind kind, firn_entity address, const char *text)
{
    firn_error err;
    size_t size = text == NULL ? 0 : strlen(text);
    assert_ok(firn_emit(world, kind, address, text, size, &err), &err);
}
