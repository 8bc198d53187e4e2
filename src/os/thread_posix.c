#include "os/posix.h"

#include "base/alloc.h"
#include "base/error.h"
#include "os/system.h"
#include "os/thread.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>

struct fr_thread {
    pthread_t thread;
    void (*fn)(void *user);
    void *user;
};

struct fr_monitor {
    pthread_mutex_t lock;
    pthread_cond_t condition;
};

static void *run_thread(void *user)
{
    const fr_thread *thread = user;
    thread->fn(thread->user);
    return NULL;
}

// With every signal blocked but those that a thread brings on itself.
static int create_quiet(fr_thread *thread)
{
    sigset_t blocked, before;
    (void)sigfillset(&blocked);
    (void)sigdelset(&blocked, SIGSEGV);
    (void)sigdelset(&blocked, SIGBUS);
    (void)sigdelset(&blocked, SIGFPE);
    (void)sigdelset(&blocked, SIGILL);
    (void)pthread_sigmask(SIG_SETMASK, &blocked, &before);
    int number = pthread_create(&thread->thread, NULL, run_thread, thread);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return number;
}

fr_thread *fr_thread_start(const firn_allocator *allocator, const char *what,
                           void (*fn)(void *user), void *user, firn_error *err)
{
    fr_thread *thread = fr_alloc_zero(allocator, 1, sizeof *thread, alignof(fr_thread));
    if (thread == NULL) {
        (void)fr_fail_memory(err, what);
        return NULL;
    }
    thread->fn = fn;
    thread->user = user;
    int number = create_quiet(thread);
    if (number != 0) {
        fr_free(allocator, thread, 1, sizeof *thread, alignof(fr_thread));
        (void)fr_system_fail(err, FIRN_NO_MEMORY, what, "starting a thread", number);
        return NULL;
    }
    return thread;
}

void fr_thread_join(const firn_allocator *allocator, fr_thread *thread)
{
    if (thread != NULL) {
        int number = pthread_join(thread->thread, NULL);
        assert(number == 0);
        (void)number;
        fr_free(allocator, thread, 1, sizeof *thread, alignof(fr_thread));
    }
}

fr_monitor *fr_monitor_create(const firn_allocator *allocator, const char *what, firn_error *err)
{
    fr_monitor *monitor = fr_alloc_zero(allocator, 1, sizeof *monitor, alignof(fr_monitor));
    if (monitor == NULL) {
        (void)fr_fail_memory(err, what);
        return NULL;
    }
    int number = pthread_mutex_init(&monitor->lock, NULL);
    if (number == 0) {
        number = pthread_cond_init(&monitor->condition, NULL);
        if (number == 0) {
            return monitor;
        }
        (void)pthread_mutex_destroy(&monitor->lock);
    }
    fr_free(allocator, monitor, 1, sizeof *monitor, alignof(fr_monitor));
    (void)fr_system_fail(err, FIRN_NO_MEMORY, what, "making a lock", number);
    return NULL;
}

void fr_monitor_destroy(const firn_allocator *allocator, fr_monitor *monitor)
{
    if (monitor != NULL) {
        (void)pthread_cond_destroy(&monitor->condition);
        (void)pthread_mutex_destroy(&monitor->lock);
        fr_free(allocator, monitor, 1, sizeof *monitor, alignof(fr_monitor));
    }
}

void fr_monitor_lock(fr_monitor *monitor)
{
    int number = pthread_mutex_lock(&monitor->lock);
    assert(number == 0);
    (void)number;
}

void fr_monitor_unlock(fr_monitor *monitor)
{
    int number = pthread_mutex_unlock(&monitor->lock);
    assert(number == 0);
    (void)number;
}

void fr_monitor_wait(fr_monitor *monitor)
{
    int number = pthread_cond_wait(&monitor->condition, &monitor->lock);
    assert(number == 0);
    (void)number;
}

void fr_monitor_wake(fr_monitor *monitor)
{
    (void)pthread_cond_broadcast(&monitor->condition);
}
