// The conformance suite of storages. Each check has entries of its own, so that what one leaves
// behind is nothing to the others, and looks at one promise of firn/storage.h.
#include "base/error.h"
#include "saves/storage.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CHECK_NAME       "firn-check-"
#define CHECK_LARGE      ((size_t)1 << 20)
#define CHECK_NAMES      5   // of a check
#define CHECK_NAME_BYTES 255 // of the name of a storage

typedef struct checking {
    const firn_storage *storage;
    uint32_t number;                              ///< of the check
    char names[CHECK_NAMES][FIRN_SLOT_NAME_SIZE]; ///< of its entries, in their order
    firn_buffer out;
    uint8_t *large;     ///< CHECK_LARGE bytes
    firn_error err;     ///< of the last call
    firn_result result; ///< of the check
    char message[256];
} checking;

// ---- what a check says

static void fail_check(checking *c, firn_result result, const char *format, ...) FR_PRINTF(3, 4);

static void fail_check(checking *c, firn_result result, const char *format, ...)
{
    if (c->result != FIRN_OK) {
        return; // the first failure is the one that is told
    }
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(c->message, sizeof c->message, format, arguments);
    va_end(arguments);
    c->result = result != FIRN_OK ? result : FIRN_CORRUPT;
}

static void want(checking *c, firn_result result, firn_result wanted, const char *what)
{
    if (result != wanted) {
        fail_check(c, result, "%s gives %s, not %s%s%.128s", what, firn_result_name(result),
                   firn_result_name(wanted), result == FIRN_OK ? "" : ": ",
                   result == FIRN_OK ? "" : c->err.message);
    }
}

static void want_true(checking *c, bool good, const char *wrong)
{
    if (!good) {
        fail_check(c, FIRN_CORRUPT, "%s", wrong);
    }
}

// ---- the calls

// What is done is done, as far as this program can tell.
static firn_result try_put_bytes(checking *c, uint32_t entry, firn_revision expected,
                                 const void *bytes, size_t size, firn_revision *revision)
{
    const firn_storage *s = c->storage;
    firn_revision own = FIRN_REVISION_NONE;
    fr_error_begin(&c->err);
    firn_result result = s->put(s->user, c->names[entry], expected, bytes, size,
                                revision != NULL ? revision : &own, &c->err);
    return result == FIRN_NOT_DURABLE ? FIRN_OK : result;
}

static firn_result try_put(checking *c, uint32_t entry, firn_revision expected, const char *text,
                           firn_revision *revision)
{
    return try_put_bytes(c, entry, expected, text, strlen(text), revision);
}

// A put that is to succeed; gives the revision.
static firn_revision put_good(checking *c, uint32_t entry, const char *text)
{
    firn_revision revision = FIRN_REVISION_NONE;
    want(c, try_put(c, entry, FIRN_REVISION_ANY, text, &revision), FIRN_OK, "a put");
    return revision;
}

static firn_result try_get(checking *c, uint32_t entry, firn_generation generation, uint64_t limit,
                           firn_revision *revision)
{
    const firn_storage *s = c->storage;
    fr_error_begin(&c->err);
    return s->get(s->user, c->names[entry], generation, limit, &c->out, revision, &c->err);
}

// The entry of that name has no such generation.
static void want_none(checking *c, uint32_t entry, firn_generation generation, const char *what)
{
    want(c, try_get(c, entry, generation, UINT64_MAX, NULL), FIRN_NOT_FOUND, what);
}

static bool out_holds(const checking *c, const void *bytes, size_t size)
{
    return c->out.size == size && (size == 0 || memcmp(c->out.data, bytes, size) == 0);
}

static void want_text(checking *c, uint32_t entry, firn_generation generation, const char *text,
                      const char *what)
{
    firn_buffer_clear(&c->out);
    want(c, try_get(c, entry, generation, UINT64_MAX, NULL), FIRN_OK, what);
    if (!out_holds(c, text, strlen(text))) {
        fail_check(c, FIRN_CORRUPT, "%s gives other bytes", what);
    }
}

static firn_result try_head(checking *c, uint32_t entry, firn_generation generation, void *bytes,
                            size_t room, size_t *got, firn_stored *stored)
{
    const firn_storage *s = c->storage;
    fr_error_begin(&c->err);
    return s->head(s->user, c->names[entry], generation, bytes, room, got, stored, &c->err);
}

static firn_result try_remove(checking *c, uint32_t entry, firn_revision expected)
{
    const firn_storage *s = c->storage;
    fr_error_begin(&c->err);
    firn_result result = s->remove(s->user, c->names[entry], expected, &c->err);
    return result == FIRN_NOT_DURABLE ? FIRN_OK : result;
}

// A revision that no put gave.
static firn_revision other_revision(firn_revision revision)
{
    return revision == 77 ? 78 : 77;
}

// ---- put

static void a_put_makes_an_entry(checking *c)
{
    want(c, try_put(c, 0, FIRN_REVISION_NONE, "made", NULL), FIRN_OK, "a put of a new entry");
    want_text(c, 0, FIRN_CURRENT, "made", "a get of the new entry");
}

static void a_put_replaces_the_revision_that_is_expected(checking *c)
{
    firn_revision revision = put_good(c, 0, "first");
    want(c, try_put(c, 0, revision, "second", NULL), FIRN_OK, "a put that expects what is there");
    want_text(c, 0, FIRN_CURRENT, "second", "a get of what was replaced");
}

static void a_put_that_expects_none_meets_one(checking *c)
{
    put_good(c, 0, "there");
    want(c, try_put(c, 0, FIRN_REVISION_NONE, "no", NULL), FIRN_EXISTS,
         "a put that expects no entry where there is one");
}

static void a_put_that_expects_one_meets_none(checking *c)
{
    want(c, try_put(c, 0, 77, "no", NULL), FIRN_NOT_FOUND,
         "a put that expects an entry where there is none");
}

static void a_put_that_expects_another_revision_meets_a_conflict(checking *c)
{
    firn_revision first = put_good(c, 0, "first");
    want(c, try_put(c, 0, other_revision(first), "no", NULL), FIRN_CONFLICT,
         "a put that expects a revision that never was");
    put_good(c, 0, "second");
    want(c, try_put(c, 0, first, "no", NULL), FIRN_CONFLICT,
         "a put that expects the revision before");
}

static void a_put_that_is_refused_changes_nothing(checking *c)
{
    put_good(c, 0, "first");
    firn_revision second = put_good(c, 0, "second");
    bool backups[2];
    for (int i = 0; i < 2; i++) {
        firn_buffer_clear(&c->out);
        firn_result result = try_get(c, 0, FIRN_BACKUP, UINT64_MAX, NULL);
        backups[i] = result == FIRN_OK && out_holds(c, "first", 5);
        (void)try_put(c, 0, FIRN_REVISION_NONE, "no", NULL);
        (void)try_put(c, 0, other_revision(second), "no", NULL);
        (void)try_put(c, 1, other_revision(second), "no", NULL);
    }
    want_true(c, backups[0] == backups[1], "a put that was refused changed the backup");
    want_text(c, 0, FIRN_CURRENT, "second", "a get behind puts that were refused");
    want_none(c, 1, FIRN_CURRENT, "a get of what a refused put would have made");
}

static void every_put_gives_a_revision_of_its_own(checking *c)
{
    firn_revision given[8];
    for (uint32_t i = 0; i < 8; i++) {
        given[i] = put_good(c, 0, i < 4 ? "equal" : "other");
        want_true(c, given[i] != FIRN_REVISION_NONE && given[i] != FIRN_REVISION_ANY,
                  "a put gives a revision that means none, or any");
        for (uint32_t j = 0; j < i; j++) {
            want_true(c, given[j] != given[i], "a put gives a revision that was there before");
        }
    }
}

static void the_backup_is_what_was_replaced(checking *c)
{
    static const char *const texts[] = {"first", "second", "third"};
    for (uint32_t i = 0; i < 3; i++) {
        put_good(c, 0, texts[i]);
        firn_buffer_clear(&c->out);
        firn_result result = try_get(c, 0, FIRN_BACKUP, UINT64_MAX, NULL);
        bool none = result == FIRN_NOT_FOUND;
        if (!none) {
            want(c, result, i > 0 ? FIRN_OK : FIRN_NOT_FOUND, "a get of the backup");
        }
        want_true(c, none || i == 0 || out_holds(c, texts[i - 1], strlen(texts[i - 1])),
                  "the backup is not what was replaced");
    }
}

// ---- get and head

static void get_and_head_tell_the_revision_of_the_put(checking *c)
{
    firn_stored stored = {.size = 0};
    firn_revision put = put_good(c, 0, "some bytes"), told = FIRN_REVISION_NONE;
    uint8_t byte;
    size_t got = 0;
    want(c, try_get(c, 0, FIRN_CURRENT, UINT64_MAX, &told), FIRN_OK, "a get");
    want_true(c, told == put, "get tells another revision than the put");
    want(c, try_head(c, 0, FIRN_CURRENT, &byte, 1, &got, &stored), FIRN_OK, "a head");
    want_true(c, stored.revision == put, "head tells another revision than the put");
}

static void a_get_appends(checking *c)
{
    put_good(c, 0, "one");
    put_good(c, 1, "two");
    firn_buffer_clear(&c->out);
    want(c, try_get(c, 0, FIRN_CURRENT, UINT64_MAX, NULL), FIRN_OK, "a get");
    want(c, try_get(c, 1, FIRN_CURRENT, UINT64_MAX, NULL), FIRN_OK, "a second get");
    want_true(c, out_holds(c, "onetwo", 6), "a get does not append to what is there");
}

static void a_get_of_more_than_the_limit_is_refused(checking *c)
{
    put_good(c, 0, "ten bytes!");
    firn_buffer_clear(&c->out);
    want(c, try_get(c, 0, FIRN_CURRENT, 9, NULL), FIRN_LIMIT, "a get with a limit of 9");
    want(c, try_get(c, 0, FIRN_CURRENT, 0, NULL), FIRN_LIMIT, "a get with a limit of 0");
    want(c, try_get(c, 0, FIRN_CURRENT, 10, NULL), FIRN_OK, "a get with a limit of 10");
}

static void a_get_of_what_is_not_there_finds_nothing(checking *c)
{
    want_none(c, 0, FIRN_CURRENT, "a get of no entry");
    want_none(c, 0, FIRN_BACKUP, "a get of the backup of no entry");
}

static void a_get_that_fails_appends_nothing(checking *c)
{
    put_good(c, 0, "kept");
    put_good(c, 1, "ten bytes!");
    for (uint32_t i = 1; i < 3; i++) {
        firn_buffer_clear(&c->out);
        (void)try_get(c, 0, FIRN_CURRENT, UINT64_MAX, NULL);
        firn_result result = try_get(c, i, FIRN_CURRENT, 9, NULL);
        want_true(c, result == FIRN_OK || out_holds(c, "kept", 4),
                  "a get that fails changes the buffer");
    }
}

static void a_head_is_the_first_bytes_and_the_size(checking *c)
{
    static const size_t rooms[] = {0, 1, 9, 10, 11, 5000};
    uint8_t bytes[5000];
    put_good(c, 0, "first bytes");
    put_good(c, 0, "ten bytes!");
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        firn_stored stored = {.size = 0};
        size_t got = 77, wanted = rooms[i] < 10 ? rooms[i] : 10;
        memset(bytes, 0xa5, sizeof bytes);
        want(c, try_head(c, 0, FIRN_CURRENT, bytes, rooms[i], &got, &stored), FIRN_OK, "a head");
        want_true(c, got == wanted && memcmp(bytes, "ten bytes!", wanted) == 0,
                  "head gives other bytes");
        want_true(c, bytes[wanted] == 0xa5, "head writes behind its room");
        bool named = stored.name != NULL && strcmp(stored.name, c->names[0]) == 0;
        want_true(c, named && stored.size == 10 && !stored.only_backup,
                  "head tells another size or name");
    }
    firn_stored stored = {.size = 0};
    size_t got = 0;
    firn_result result = try_head(c, 0, FIRN_BACKUP, bytes, 5, &got, &stored);
    bool good = got == 5 && stored.size == 11 && memcmp(bytes, "first", 5) == 0;
    want_true(c, result == FIRN_NOT_FOUND || (result == FIRN_OK && good),
              "head of the backup tells something else");
}

static void a_head_of_what_is_not_there_finds_nothing(checking *c)
{
    firn_stored stored = {.size = 0};
    uint8_t bytes[8];
    size_t got = 0;
    want(c, try_head(c, 0, FIRN_CURRENT, bytes, 8, &got, &stored), FIRN_NOT_FOUND,
         "a head of no entry");
    want(c, try_head(c, 0, FIRN_BACKUP, bytes, 8, &got, &stored), FIRN_NOT_FOUND,
         "a head of the backup of no entry");
}

// ---- list

typedef struct seen_entries {
    checking *check;
    uint32_t times[CHECK_NAMES];
    firn_stored stored[CHECK_NAMES];
    char last[FIRN_SLOT_NAME_SIZE];
    bool sorted;
    uint32_t calls;
    firn_result answer;
} seen_entries;

static firn_result see_entry(void *user, const firn_stored *stored, firn_error *err)
{
    seen_entries *seen = user;
    seen->calls++;
    if (seen->answer != FIRN_OK) {
        return fr_fail(err, seen->answer, stored->name, "%s: enough", stored->name);
    }
    seen->sorted = seen->sorted && strcmp(seen->last, stored->name) < 0;
    (void)snprintf(seen->last, sizeof seen->last, "%s", stored->name);
    for (uint32_t i = 0; i < CHECK_NAMES; i++) {
        if (strcmp(stored->name, seen->check->names[i]) == 0) {
            seen->times[i]++;
            seen->stored[i] = *stored;
        }
    }
    return FIRN_OK;
}

static seen_entries try_list(checking *c, firn_result answer, firn_result wanted)
{
    const firn_storage *s = c->storage;
    seen_entries seen = {.check = c, .sorted = true, .answer = answer};
    fr_error_begin(&c->err);
    want(c, s->list(s->user, see_entry, &seen, &c->err), wanted, "a list");
    return seen;
}

static void a_list_has_each_entry_once(checking *c)
{
    put_good(c, 0, "1");
    put_good(c, 0, "22"); // which has a backup now
    firn_revision last = put_good(c, 1, "333");
    put_good(c, 2, "");
    (void)try_remove(c, 2, FIRN_REVISION_ANY);
    seen_entries seen = try_list(c, FIRN_OK, FIRN_OK);
    const firn_stored *one = &seen.stored[0], *two = &seen.stored[1];
    want_true(c, seen.times[0] == 1 && seen.times[1] == 1, "a list does not tell each entry once");
    want_true(c, one->size == 2 && two->size == 3, "a list tells other sizes");
    want_true(c, !one->only_backup, "a list says that a whole entry is only a backup");
    want_true(c, two->revision == last || two->revision == FIRN_REVISION_ANY,
              "a list tells another revision than the put");
}

static void a_list_is_in_the_order_of_names(checking *c)
{
    static const uint32_t order[] = {3, 0, 4, 2, 1};
    for (uint32_t i = 0; i < CHECK_NAMES; i++) {
        put_good(c, order[i], "listed");
    }
    want_true(c, try_list(c, FIRN_OK, FIRN_OK).sorted, "a list is not in the order of names");
}

static void a_list_ends_as_its_callback_says(checking *c)
{
    put_good(c, 0, "1");
    put_good(c, 1, "2");
    seen_entries seen = try_list(c, FIRN_REFUSED, FIRN_REFUSED);
    want_true(c, seen.calls == 1, "a list goes on when its callback has ended it");
}

// ---- remove

static void a_remove_leaves_nothing(checking *c)
{
    put_good(c, 0, "first");
    put_good(c, 0, "second");
    firn_revision last = put_good(c, 1, "other");
    want(c, try_remove(c, 0, FIRN_REVISION_ANY), FIRN_OK, "a remove");
    want(c, try_remove(c, 1, last), FIRN_OK, "a remove that expects what is there");
    for (uint32_t i = 0; i < 2; i++) {
        want_none(c, i, FIRN_CURRENT, "a get of a removed entry");
        want_none(c, i, FIRN_BACKUP, "a get of the backup of a removed entry");
    }
}

static void a_remove_that_is_refused_removes_nothing(checking *c)
{
    firn_revision first = put_good(c, 0, "first");
    put_good(c, 0, "second");
    want(c, try_remove(c, 0, first), FIRN_CONFLICT, "a remove that expects the revision before");
    want(c, try_remove(c, 0, FIRN_REVISION_NONE), FIRN_EXISTS,
         "a remove that expects no entry where there is one");
    want_text(c, 0, FIRN_CURRENT, "second", "a get behind removes that were refused");
}

static void a_remove_of_what_is_not_there_finds_nothing(checking *c)
{
    want(c, try_remove(c, 0, FIRN_REVISION_ANY), FIRN_NOT_FOUND, "a remove of no entry");
    want(c, try_remove(c, 0, 77), FIRN_NOT_FOUND,
         "a remove that expects an entry where there is none");
}

// ---- everything

static void entries_may_have_any_size(checking *c)
{
    static const size_t sizes[] = {0, 1, 511, 4095, 4096, 4097, 65537, CHECK_LARGE};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const void *bytes = sizes[i] > 0 ? c->large : NULL;
        want(c, try_put_bytes(c, 0, FIRN_REVISION_ANY, bytes, sizes[i], NULL), FIRN_OK, "a put");
        firn_buffer_clear(&c->out);
        want(c, try_get(c, 0, FIRN_CURRENT, sizes[i], NULL), FIRN_OK, "a get");
        if (!out_holds(c, c->large, sizes[i])) {
            fail_check(c, FIRN_CORRUPT, "%zu bytes come back as others", sizes[i]);
        }
    }
}

// One that begins another, one of the longest, and what else is in names.
static void entries_of_names_that_are_alike_are_apart(checking *c)
{
    char(*names)[FIRN_SLOT_NAME_SIZE] = c->names;
    static const char *const texts[CHECK_NAMES] = {"0", "1", "2", "3", "4"};
    size_t size = strlen(names[0]);
    memcpy(names[1], names[0], size);
    memcpy(names[1] + size, "_", 2);
    memcpy(names[2], names[0], size);
    memcpy(names[2] + size, "-", 2);
    memset(names[3], 'z', FIRN_SLOT_NAME_MOST);
    memcpy(names[3], names[0], size);
    memcpy(names[4], names[3], sizeof names[4]);
    names[4][FIRN_SLOT_NAME_MOST - 1] = 'y';
    for (uint32_t i = 0; i < CHECK_NAMES; i++) {
        put_good(c, i, texts[i]);
    }
    want(c, try_remove(c, 0, FIRN_REVISION_ANY), FIRN_OK, "a remove");
    for (uint32_t i = 1; i < CHECK_NAMES; i++) {
        want_text(c, i, FIRN_CURRENT, texts[i], "a get of a name that is like another");
    }
}

static void want_words(checking *c, firn_result result)
{
    const firn_error *err = &c->err;
    if (result == FIRN_OK) {
        return; // another check says that it should not be
    }
    want_true(c, err->code == result && err->message[0] != 0,
              "a failure leaves no error with its code and a message");
    want_true(c, strstr(err->message, c->names[0]) != NULL, "a message does not name the entry");
    want_true(c, strchr(err->message, '\n') == NULL, "a message has more than one line");
}

static void a_failure_says_what_it_is_about(checking *c)
{
    firn_stored stored = {.size = 0};
    size_t got;
    want_words(c, try_put(c, 0, 77, "no", NULL));
    want_words(c, try_get(c, 0, FIRN_CURRENT, UINT64_MAX, NULL));
    want_words(c, try_get(c, 0, FIRN_BACKUP, UINT64_MAX, NULL));
    want_words(c, try_head(c, 0, FIRN_CURRENT, NULL, 0, &got, &stored));
    want_words(c, try_remove(c, 0, FIRN_REVISION_ANY));
}

// They come to the same with and without one.
static void calls_do_without_an_error_record(checking *c)
{
    const firn_storage *s = c->storage;
    const char *there = c->names[0], *missing = c->names[1];
    firn_revision revision;
    firn_stored stored = {.size = 0};
    size_t got;
    put_good(c, 0, "there");
    want(c, s->put(s->user, there, FIRN_REVISION_NONE, "no", 2, &revision, NULL),
         try_put(c, 0, FIRN_REVISION_NONE, "no", NULL), "a put without an error record");
    want(c, s->get(s->user, missing, FIRN_CURRENT, 9, &c->out, NULL, NULL),
         try_get(c, 1, FIRN_CURRENT, 9, NULL), "a get without an error record");
    want(c, s->head(s->user, missing, FIRN_CURRENT, NULL, 0, &got, &stored, NULL),
         try_head(c, 1, FIRN_CURRENT, NULL, 0, &got, &stored), "a head without an error record");
    want(c, s->remove(s->user, missing, FIRN_REVISION_ANY, NULL),
         try_remove(c, 1, FIRN_REVISION_ANY), "a remove without an error record");
}

// ---- the suite

typedef struct storage_promise {
    const char *name;
    void (*check)(checking *c);
} storage_promise;

static const storage_promise storage_promises[] = {
    {"a put makes an entry", a_put_makes_an_entry},
    {"a put replaces the revision that is expected", a_put_replaces_the_revision_that_is_expected},
    {"a put that expects none meets one", a_put_that_expects_none_meets_one},
    {"a put that expects one meets none", a_put_that_expects_one_meets_none},
    {"a put that expects another revision meets a conflict",
     a_put_that_expects_another_revision_meets_a_conflict},
    {"a put that is refused changes nothing", a_put_that_is_refused_changes_nothing},
    {"every put gives a revision of its own", every_put_gives_a_revision_of_its_own},
    {"the backup is what was replaced", the_backup_is_what_was_replaced},
    {"get and head tell the revision of the put", get_and_head_tell_the_revision_of_the_put},
    {"a get appends", a_get_appends},
    {"a get of more than the limit is refused", a_get_of_more_than_the_limit_is_refused},
    {"a get of what is not there finds nothing", a_get_of_what_is_not_there_finds_nothing},
    {"a get that fails appends nothing", a_get_that_fails_appends_nothing},
    {"a head is the first bytes and the size", a_head_is_the_first_bytes_and_the_size},
    {"a head of what is not there finds nothing", a_head_of_what_is_not_there_finds_nothing},
    {"a list has each entry once", a_list_has_each_entry_once},
    {"a list is in the order of names", a_list_is_in_the_order_of_names},
    {"a list ends as its callback says", a_list_ends_as_its_callback_says},
    {"a remove leaves nothing", a_remove_leaves_nothing},
    {"a remove that is refused removes nothing", a_remove_that_is_refused_removes_nothing},
    {"a remove of what is not there finds nothing", a_remove_of_what_is_not_there_finds_nothing},
    {"entries may have any size", entries_may_have_any_size},
    {"entries of names that are alike are apart", entries_of_names_that_are_alike_are_apart},
    {"a failure says what it is about", a_failure_says_what_it_is_about},
    {"calls do without an error record", calls_do_without_an_error_record},
};

static void run_check(checking *c, uint32_t number)
{
    c->result = FIRN_OK;
    c->message[0] = 0;
    for (uint32_t i = 0; i < CHECK_NAMES; i++) {
        (void)snprintf(c->names[i], sizeof c->names[i], CHECK_NAME "%" PRIu32 "-%" PRIu32, number,
                       i);
    }
    firn_buffer_clear(&c->out);
    storage_promises[number].check(c);
    for (uint32_t i = 0; i < CHECK_NAMES; i++) {
        (void)try_remove(c, i, FIRN_REVISION_ANY);
    }
}

static firn_result refuse_our_names(void *user, const firn_stored *stored, firn_error *err)
{
    (void)user;
    if (strncmp(stored->name, CHECK_NAME, sizeof CHECK_NAME - 1) == 0) {
        return fr_fail(err, FIRN_EXISTS, stored->name,
                       "%s: is there, and of a name that the checks would use", stored->name);
    }
    return FIRN_OK;
}

static void run_checks(checking *c, firn_storage_report_fn report, void *user, uint32_t *failures)
{
    *failures = 0;
    for (uint32_t i = 0; i < sizeof storage_promises / sizeof *storage_promises; i++) {
        run_check(c, i);
        *failures += c->result != FIRN_OK;
        if (report != NULL) {
            report(user, storage_promises[i].name, c->result, c->message);
        }
    }
}

firn_result firn_storage_check(const firn_storage *storage, firn_storage_report_fn report,
                               void *user, uint32_t *failures, firn_error *err)
{
    if (storage == NULL || failures == NULL) {
        const char *what = storage == NULL ? "storage" : "failures";
        return fr_fail(err, FIRN_INVALID, what, "%s is NULL", what);
    }
    firn_result result = fr_storage_check_table(storage, CHECK_NAME_BYTES, err);
    if (result == FIRN_OK) {
        result = storage->list(storage->user, refuse_our_names, NULL, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    firn_buffer large = {.data = NULL};
    checking c = {.storage = storage};
    result = firn_buffer_reserve(&large, CHECK_LARGE, err);
    if (result == FIRN_OK) {
        for (size_t i = 0; i < CHECK_LARGE; i++) { // no two blocks of it are equal
            large.data[i] = (uint8_t)(i * 7 + (i >> 8) * 3 + (i >> 16));
        }
        c.large = large.data;
        run_checks(&c, report, user, failures);
    }
    firn_buffer_free(&c.out);
    firn_buffer_free(&large);
    return result;
}
