// Background saves: the game's thread captures, a thread of the manager's packs and puts.
#include "base/alloc.h"
#include "base/error.h"
#include "os/thread.h"
#include "saves/draft.h"

#include <stdalign.h>

#include <string.h>

#define BACKGROUND "a background save"

typedef enum worker_step {
    WORKER_IDLE,
    WORKER_PACKS,  // the thread works
    WORKER_PACKED, // and is done; the game's thread has to put, as the storage wants it
    WORKER_DONE    // the game's thread has to collect what came of it
} worker_step;

// All but step and ends belongs to the thread while it packs. Of the manager that reads only what
// never changes.
typedef struct fr_worker {
    fr_monitor *monitor; // of step and ends
    fr_monitor *storage; // held around each call of the storage
    fr_thread *thread;
    worker_step step;
    bool ends;
    fr_request *request; // whose save it is, or NULL
    fr_draft draft;      // its memory, and that of the file, is used again
    firn_buffer file;    // as it is put
    firn_digest identity;
    firn_result result;
    firn_error error;
} fr_worker;

// ---------------------------------------------------------------- the thread

static void pack(firn_saves *saves)
{
    fr_worker *worker = saves->worker;
    firn_buffer_clear(&worker->file);
    worker->result =
        fr_draft_write(&worker->draft, &worker->file, &worker->identity, &worker->error);
}

static void put(firn_saves *saves)
{
    fr_worker *worker = saves->worker;
    if (worker->result == FIRN_OK) {
        worker->result = fr_request_put(saves, worker->request, &worker->file, &worker->error);
    }
}

static void work(void *user)
{
    firn_saves *saves = user;
    fr_worker *worker = saves->worker;
    bool puts = (saves->storage.flags & FIRN_STORAGE_ANY_THREAD) != 0;
    fr_monitor_lock(worker->monitor);
    for (;;) {
        while (worker->step != WORKER_PACKS && !worker->ends) {
            fr_monitor_wait(worker->monitor);
        }
        if (worker->ends) {
            break;
        }
        fr_monitor_unlock(worker->monitor);
        pack(saves);
        if (puts) {
            put(saves);
        }
        fr_monitor_lock(worker->monitor);
        worker->step = puts ? WORKER_DONE : WORKER_PACKED;
        fr_monitor_wake(worker->monitor);
    }
    fr_monitor_unlock(worker->monitor);
}

static void free_worker(firn_saves *saves, fr_worker *worker)
{
    const firn_allocator *allocator = &saves->allocator;
    fr_monitor_destroy(allocator, worker->storage);
    fr_monitor_destroy(allocator, worker->monitor);
    fr_draft_free(&worker->draft);
    firn_buffer_free(&worker->file);
    fr_free(allocator, worker, 1, sizeof *worker, alignof(fr_worker));
}

static firn_result start_worker(firn_saves *saves, firn_error *err)
{
    const firn_allocator *allocator = &saves->allocator;
    if (saves->worker != NULL) {
        return FIRN_OK;
    }
    fr_worker *worker = fr_alloc_zero(allocator, 1, sizeof *worker, alignof(fr_worker));
    if (worker == NULL) {
        return fr_fail_memory(err, BACKGROUND);
    }
    fr_draft_init(&worker->draft, saves);
    firn_buffer_init(&worker->file, allocator);
    worker->monitor = fr_monitor_create(allocator, BACKGROUND, err);
    if (worker->monitor != NULL) {
        worker->storage = fr_monitor_create(allocator, BACKGROUND, err);
    }
    if (worker->storage != NULL) {
        saves->worker = worker;
        worker->thread = fr_thread_start(allocator, BACKGROUND, work, saves, err);
    }
    if (worker->thread == NULL) {
        saves->worker = NULL;
        free_worker(saves, worker);
        return FIRN_NO_MEMORY;
    }
    return FIRN_OK;
}

// ---------------------------------------------------------------- the game's side

static worker_step step_of(fr_worker *worker)
{
    if (worker == NULL) {
        return WORKER_IDLE;
    }
    fr_monitor_lock(worker->monitor);
    worker_step step = worker->step;
    fr_monitor_unlock(worker->monitor);
    return step;
}

static void set_step(fr_worker *worker, worker_step step)
{
    fr_monitor_lock(worker->monitor);
    worker->step = step;
    fr_monitor_wake(worker->monitor);
    fr_monitor_unlock(worker->monitor);
}

firn_result fr_worker_begin(firn_saves *saves, fr_request *request, firn_error *err)
{
    fr_worker_look(saves, true);
    firn_result result = start_worker(saves, err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_worker *worker = saves->worker;
    result = fr_draft_make(&worker->draft, &request->options, err);
    if (result == FIRN_OK) {
        result = fr_draft_capture(&worker->draft, err);
    }
    if (result == FIRN_OK) {
        worker->request = request;
        set_step(worker, WORKER_PACKS);
    }
    return result;
}

// The save that is done joins the line of saves, and those that are to be told.
static void collect(firn_saves *saves)
{
    fr_worker *worker = saves->worker;
    fr_request *request = worker->request;
    firn_result result = worker->result;
    if (result == FIRN_OK || result == FIRN_NOT_DURABLE) {
        fr_draft_saved(&worker->draft, worker->identity);
    }
    worker->request = NULL;
    set_step(worker, WORKER_IDLE);
    request->later = true;
    fr_request_done(saves, request, result, &worker->error);
}

void fr_worker_look(firn_saves *saves, bool puts)
{
    worker_step step = step_of(saves->worker);
    if (step == WORKER_PACKED && puts) {
        put(saves);
        step = WORKER_DONE;
    }
    if (step == WORKER_DONE) {
        collect(saves);
    }
}

void fr_worker_finish(firn_saves *saves)
{
    fr_worker *worker = saves->worker;
    if (worker == NULL) {
        return;
    }
    fr_monitor_lock(worker->monitor);
    while (worker->step == WORKER_PACKS) {
        fr_monitor_wait(worker->monitor);
    }
    fr_monitor_unlock(worker->monitor);
    fr_worker_look(saves, true);
}

const char *fr_worker_slot(firn_saves *saves)
{
    if (!firn_saves_writing(saves)) {
        return NULL;
    }
    // That of an autosave is chosen by the thread.
    const fr_request *request = saves->worker->request;
    return request->autosave ? FIRN_SLOT_AUTOSAVE : request->slot;
}

bool fr_worker_writes(const firn_saves *saves, const char *slot)
{
    const fr_request *request = saves->worker == NULL ? NULL : saves->worker->request;
    return request != NULL && !request->autosave && strcmp(request->slot, slot) == 0;
}

void fr_worker_free(firn_saves *saves)
{
    fr_worker *worker = saves->worker;
    if (worker == NULL) {
        return;
    }
    fr_worker_finish(saves);
    fr_monitor_lock(worker->monitor);
    worker->ends = true;
    fr_monitor_wake(worker->monitor);
    fr_monitor_unlock(worker->monitor);
    fr_thread_join(&saves->allocator, worker->thread);
    free_worker(saves, worker);
    saves->worker = NULL;
}

bool firn_saves_writing(firn_saves *saves)
{
    worker_step step = step_of(saves == NULL ? NULL : saves->worker);
    return step == WORKER_PACKS || step == WORKER_PACKED;
}

void firn_saves_wait(firn_saves *saves)
{
    if (saves != NULL) {
        fr_worker_finish(saves);
    }
}

void fr_saves_lock_storage(const firn_saves *saves)
{
    if (saves->worker != NULL) {
        fr_monitor_lock(saves->worker->storage);
    }
}

void fr_saves_unlock_storage(const firn_saves *saves)
{
    if (saves->worker != NULL) {
        fr_monitor_unlock(saves->worker->storage);
    }
}
