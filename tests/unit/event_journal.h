/// event_journal.h: observers that write down what they see, as text.
#ifndef EVENT_JOURNAL_H
#define EVENT_JOURNAL_H

#include "unit/store_fixture.h"

#include "firn/event.h"

/// One line an event, in the order in which observers ran: label, name, `@` and the address unless
/// it is 0, component, `->` and target, ids, payload in quotes. An id is its slot, and behind a dot
/// its generation unless it is 0.
typedef struct journal {
    firn_world *world;
    firn_buffer text;
} journal;

/// An observer's user. `then` runs behind the note; its result is the observer's.
typedef struct noter {
    journal *journal;
    const char *label;
    firn_result (*then)(struct noter *noter, const firn_event *event, firn_error *err);
    fixture *f;
    firn_entity entity;     // for `then`
    firn_observer observer; // of itself, or for `then`
    firn_event_kind kind;   // for `then`
    int count;              // for `then`
} noter;

void journal_free(journal *j);
void journal_write(journal *j, const char *label, const firn_event *event);
/// Asserts what was written since the last call, and forgets it.
#define assert_journal(journal, expected) journal_assert((journal), (expected), __FILE__, __LINE__)
void journal_assert(journal *j, const char *expected, const char *file, int line);

/// Observes with a noter; address and component may be 0.
firn_observer observe(noter *n, const char *event, firn_entity address, firn_component component);
firn_event_kind event_kind(firn_world *world, const char *name);
/// Emits with a text as payload, its zero left out; NULL: none.
void emit(firn_world *world, firn_event_kind kind, firn_entity address, const char *text);

#endif
