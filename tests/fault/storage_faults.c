// System calls that fail, and processes that are killed there: each call of a put, an overwrite, a
// remove, a copy, a get and a list, once and for ever, with what a full or broken disk says. The
// entry then loads as what the result says; nothing temporary stays behind the next opening, and no
// descriptor is left open. On the disk of disk.h, so that it runs where nothing can be traced;
// storage_syscalls.py does the same with the system's own.
#include "fault/storage_disk.h"
#include "support/support.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    int number;
    const char *name;
} faults[] = {
    {ENOSPC, "ENOSPC"}, {EIO, "EIO"},       {EACCES, "EACCES"}, {EMFILE, "EMFILE"},
    {EINTR, "EINTR"},   {EDQUOT, "EDQUOT"}, {EROFS, "EROFS"},   {EINVAL, "EINVAL"},
};
#define FAULT_COUNT (sizeof faults / sizeof *faults)

typedef struct trial {
    const scenario *s;
    disk *d;
    arena memory;
    firn_result result;
    firn_error err;
    uint64_t call;
    const char *fault;
    int error;
    bool for_ever;
    uint64_t runs, refused, not_durable;
} trial;

static void say_where(const trial *t)
{
    print_error("%s: call %llu (%s) with %s%s: %s: %s\n", t->s->name, (unsigned long long)t->call,
                t->d->victim != NULL ? t->d->victim : "not reached", t->fault,
                t->for_ever ? " for ever" : "", firn_result_name(t->result),
                t->result == FIRN_OK ? "" : t->err.message);
}

static void want(const trial *t, bool good, const char *what)
{
    if (!good) {
        say_where(t);
        fail_msg("%s", what);
    }
}

// The disk behind a process that has ended, looked at by the next one.
static content look_again(trial *t)
{
    firn_storage storage;
    firn_error err;
    disk_end_processes(t->d);
    t->d->fault_at = 0;
    assert_ok(storage_open(&t->memory, &storage, &err), &err);
    content found = storage_load(&storage, t->s->entry);
    if (t->s->other != NULL) {
        want(t, storage_load(&storage, t->s->other) == t->s->stays, "another entry changed");
    }
    want(t, disk_count_names(t->d, STORAGE_PATH, ".firn-tmp") == 0, "a temporary file stays");
    firn_error put_err;
    firn_result put = storage_put(&storage, t->s->entry, FIRN_REVISION_ANY, OLDER, &put_err);
    want(t, put == FIRN_OK && storage_load(&storage, t->s->entry) == OLDER, "the next put fails");
    firn_storage_close(&storage);
    want(t, disk_open_descriptors(t->d) == 0, "the next process leaves a descriptor open");
    return found;
}

// false: that call is not reached.
static bool run_with_fault(trial *t, uint64_t call, int error, bool for_ever)
{
    scenario_prepare(t->s, t->d, &t->memory);
    disk *d = t->d;
    t->call = d->fault_at = call;
    d->error = error;
    t->for_ever = d->for_ever = for_ever;
    t->result = t->s->run(&t->memory, &t->err);
    want(t, disk_open_descriptors(d) == 0, "a descriptor is left open");
    if (!d->hit) {
        want(t, t->result == FIRN_OK, "it fails without a fault");
        return false;
    }
    bool done = t->result == FIRN_OK || t->result == FIRN_NOT_DURABLE;
    // A folder is opened to be flushed.
    bool flush = strcmp(d->victim, "fsync") == 0 || strcmp(d->victim, "openat") == 0 || for_ever;
    want(t, done || t->result == FIRN_IO, "another result");
    want(t, t->result != FIRN_NOT_DURABLE || flush, "not durable, and nothing was not flushed");
    want(t, done || (t->err.code == t->result && strstr(t->err.message, DISK_ROOT) != NULL),
         "the error does not say what it is about");
    content found = look_again(t);
    want(t, found == (done ? t->s->after : t->s->before), content_names[found]);
    t->runs++;
    t->refused += t->result == FIRN_IO;
    t->not_durable += t->result == FIRN_NOT_DURABLE;
    return true;
}

static void begin_trials(trial *t)
{
    *t = (trial){.d = malloc(sizeof *t->d)};
    assert_non_null(t->d);
    arena_init(&t->memory);
}

static void end_trials(trial *t)
{
    disk_use(NULL);
    arena_free(&t->memory);
    free(t->d);
}

static void K12_every_call_that_fails_leaves_the_old_entry_or_the_new(void **state)
{
    (void)state;
    trial t;
    begin_trials(&t);
    for (uint32_t i = 0; i < scenario_count; i++) {
        t.s = &scenarios[i];
        for (size_t fault = 0; fault < FAULT_COUNT; fault++) {
            t.fault = faults[fault].name;
            // What is interrupted is tried again for as long as that goes on.
            for (int for_ever = 0; for_ever < 1 + (faults[fault].number != EINTR); for_ever++) {
                uint64_t call = 1;
                while (run_with_fault(&t, call, faults[fault].number, for_ever != 0)) {
                    call++;
                }
                want(&t, call > 15, "there are too few system calls");
            }
        }
    }
    print_message("%llu runs with a fault: %llu refused, %llu not durable\n",
                  (unsigned long long)t.runs, (unsigned long long)t.refused,
                  (unsigned long long)t.not_durable);
    assert_true(t.refused > 1000 && t.not_durable > 10);
    end_trials(&t);
}

// false: that call is not reached.
static bool run_and_kill(trial *t, uint64_t call, size_t write_most)
{
    scenario_prepare(t->s, t->d, &t->memory);
    disk *d = t->d;
    t->call = d->fault_at = call;
    d->error = 0;
    d->write_most = write_most;
    if (setjmp(d->killed) == 0) {
        t->result = t->s->run(&t->memory, &t->err);
        want(t, t->result == FIRN_OK, "it fails without being killed");
        return false;
    }
    d->write_most = 0;
    t->result = FIRN_OK;
    content found = look_again(t);
    want(t, found == t->s->before || found == t->s->after, content_names[found]);
    t->runs++;
    return true;
}

static void K12_a_process_that_is_killed_leaves_the_old_entry_or_the_new(void **state)
{
    (void)state;
    trial t;
    begin_trials(&t);
    t.fault = "SIGKILL";
    for (uint32_t i = 0; i < scenario_count; i++) {
        t.s = &scenarios[i];
        for (int shorter = 0; shorter < 2; shorter++) { // and at each write of 100 bytes
            uint64_t call = 1;
            while (run_and_kill(&t, call, shorter ? 100 : 0)) {
                call++;
            }
        }
    }
    print_message("%llu kills\n", (unsigned long long)t.runs);
    assert_true(t.runs > 500);
    end_trials(&t);
}

static void short_writes_are_continued(void **state)
{
    (void)state;
    trial t;
    begin_trials(&t);
    t.fault = "short writes";
    for (uint32_t i = 0; i < scenario_count; i++) {
        t.s = &scenarios[i];
        scenario_prepare(t.s, t.d, &t.memory);
        t.d->write_most = 7;
        t.result = t.s->run(&t.memory, &t.err);
        want(&t, t.result == FIRN_OK, "it fails");
        t.d->write_most = 0;
        want(&t, look_again(&t) == t.s->after, "it wrote something else");
    }
    end_trials(&t);
}

// Where folders cannot be flushed at all, everything else is as ever.
static void a_disk_that_flushes_no_folders_keeps_entries_and_backups(void **state)
{
    (void)state;
    trial t;
    firn_storage storage;
    begin_trials(&t);
    disk_format(t.d);
    disk_use(t.d);
    t.d->flushes_no_folders = true;
    assert_ok(storage_open(&t.memory, &storage, &t.err), &t.err);
    for (content what = OLDER; what <= NEW; what++) {
        assert_int_equal(storage_put(&storage, "a", FIRN_REVISION_ANY, what, &t.err),
                         FIRN_NOT_DURABLE);
        assert_int_equal(storage_load(&storage, "a"), what);
    }
    assert_int_equal(storage_put(&storage, "a", FIRN_REVISION_ANY, DAMAGED, &t.err),
                     FIRN_NOT_DURABLE);
    assert_int_equal(storage_load(&storage, "a"), NEW); // the backup
    assert_int_equal(storage.remove(storage.user, "a", FIRN_REVISION_ANY, &t.err),
                     FIRN_NOT_DURABLE);
    assert_error(&t.err, FIRN_NOT_DURABLE, STORAGE_PATH);
    assert_int_equal(storage_load(&storage, "a"), NOTHING);
    assert_int_equal(disk_count_names(t.d, STORAGE_PATH, ".firn-tmp"), 0);
    firn_storage_close(&storage);
    end_trials(&t);
}

// ---- reading

static firn_result count_stored(void *user, const firn_stored *stored, firn_error *err)
{
    (void)err;
    *(uint64_t *)user += stored->size + (uint64_t)stored->name[0];
    return FIRN_OK;
}

typedef firn_result (*reading_fn)(const firn_storage *storage, firn_buffer *out, uint64_t *told,
                                  firn_error *err);

static firn_result read_entry(const firn_storage *storage, firn_buffer *out, uint64_t *told,
                              firn_error *err)
{
    firn_result result = storage->get(storage->user, "a", FIRN_CURRENT, UINT64_MAX, out, told, err);
    assert_true(result == FIRN_OK || out->size == 0);
    return result;
}

static firn_result read_head(const firn_storage *storage, firn_buffer *out, uint64_t *told,
                             firn_error *err)
{
    firn_stored stored = {.size = 0};
    size_t got = 0;
    uint8_t bytes[64] = {0};
    firn_result result =
        storage->head(storage->user, "a", FIRN_CURRENT, bytes, sizeof bytes, &got, &stored, err);
    if (result == FIRN_OK) {
        assert_ok(firn_buffer_append(out, bytes, got, err), err);
        *told = stored.revision;
    }
    return result;
}

static firn_result read_list(const firn_storage *storage, firn_buffer *out, uint64_t *told,
                             firn_error *err)
{
    (void)out;
    return storage->list(storage->user, count_stored, told, err);
}

// Reads with a fault at a call, or with none: call 0. *told and `out` receive what was read.
static bool read_with_fault(trial *t, reading_fn reading, uint64_t call, firn_buffer *out,
                            uint64_t *told)
{
    firn_storage storage;
    firn_error err;
    firn_buffer_clear(out);
    scenario_prepare(t->s, t->d, &t->memory);
    assert_ok(storage_open(&t->memory, &storage, &err), &err);
    t->d->calls = 0;
    t->d->fault_at = call;
    t->d->error = t->error;
    t->d->for_ever = t->for_ever;
    *told = 0;
    t->result = reading(&storage, out, told, &t->err);
    want(t, disk_open_descriptors(t->d) == 0, "a descriptor is left open");
    firn_storage_close(&storage);
    t->call = call;
    return t->d->hit;
}

static void every_reading_call_that_fails_is_refused_or_reads_all(void **state)
{
    (void)state;
    static const reading_fn readings[] = {read_entry, read_head, read_list};
    trial t;
    begin_trials(&t);
    t.s = &scenarios[3]; // an entry and its backup
    firn_buffer good = {0}, out = {0};
    uint64_t good_told, told;
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        read_with_fault(&t, readings[i], 0, &good, &good_told);
        want(&t, t.result == FIRN_OK && good_told != 0, "it fails without a fault");
        for (size_t fault = 0; fault < FAULT_COUNT; fault++) {
            t.fault = faults[fault].name;
            for (int for_ever = 0; for_ever < 1 + (faults[fault].number != EINTR); for_ever++) {
                t.error = faults[fault].number;
                t.for_ever = for_ever != 0;
                for (uint64_t call = 1; read_with_fault(&t, readings[i], call, &out, &told);
                     call++) {
                    bool same = told == good_told && out.size == good.size &&
                                (out.size == 0 || memcmp(out.data, good.data, out.size) == 0);
                    want(&t, t.result == FIRN_IO || (t.result == FIRN_OK && same),
                         "it reads something else");
                    t.runs++;
                    t.refused += t.result == FIRN_IO;
                }
            }
        }
    }
    print_message("%llu runs with a fault: %llu refused\n", (unsigned long long)t.runs,
                  (unsigned long long)t.refused);
    assert_true(t.refused > 50 && t.runs > t.refused);
    firn_buffer_free(&good);
    firn_buffer_free(&out);
    end_trials(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(K12_every_call_that_fails_leaves_the_old_entry_or_the_new),
        cmocka_unit_test(K12_a_process_that_is_killed_leaves_the_old_entry_or_the_new),
        cmocka_unit_test(short_writes_are_continued),
        cmocka_unit_test(a_disk_that_flushes_no_folders_keeps_entries_and_backups),
        cmocka_unit_test(every_reading_call_that_fails_is_refused_or_reads_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
