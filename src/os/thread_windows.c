#include "base/alloc.h"
#include "base/error.h"
#include "os/system.h"
#include "os/thread.h"

#include <process.h>
#include <stdalign.h>
#include <windows.h>

struct fr_thread {
    HANDLE handle;
    void (*fn)(void *user);
    void *user;
};

struct fr_monitor {
    SRWLOCK lock;
    CONDITION_VARIABLE condition;
};

static unsigned __stdcall run_windows_thread(void *user)
{
    const fr_thread *thread = user;
    thread->fn(thread->user);
    return 0;
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
    thread->handle = (HANDLE)_beginthreadex(NULL, 0, run_windows_thread, thread, 0, NULL);
    if (thread->handle == NULL) {
        int number = (int)GetLastError();
        fr_free(allocator, thread, 1, sizeof *thread, alignof(fr_thread));
        (void)fr_system_fail(err, FIRN_NO_MEMORY, what, "starting a thread", number);
        return NULL;
    }
    return thread;
}

void fr_thread_join(const firn_allocator *allocator, fr_thread *thread)
{
    if (thread != NULL) {
        (void)WaitForSingleObject(thread->handle, INFINITE);
        (void)CloseHandle(thread->handle);
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
    InitializeSRWLock(&monitor->lock);
    InitializeConditionVariable(&monitor->condition);
    return monitor;
}

void fr_monitor_destroy(const firn_allocator *allocator, fr_monitor *monitor)
{
    fr_free(allocator, monitor, 1, sizeof *monitor, alignof(fr_monitor));
}

void fr_monitor_lock(fr_monitor *monitor)
{
    AcquireSRWLockExclusive(&monitor->lock);
}

void fr_monitor_unlock(fr_monitor *monitor)
{
    ReleaseSRWLockExclusive(&monitor->lock);
}

void fr_monitor_wait(fr_monitor *monitor)
{
    (void)SleepConditionVariableSRW(&monitor->condition, &monitor->lock, INFINITE, 0);
}

void fr_monitor_wake(fr_monitor *monitor)
{
    WakeAllConditionVariable(&monitor->condition);
}
