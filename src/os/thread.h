/// thread.h: a thread that is started and joined, and a lock with the condition that its holders
/// wait for. POSIX threads, or those of Windows: those of C11 are not everywhere.
///
/// A thread of the library takes no signals of the process: its handlers run on the game's threads.
/// What is done to memory before a start, an unlock or an end is seen behind the begin of the
/// thread, the next lock or the join.
#ifndef FR_THREAD_H
#define FR_THREAD_H

#include "firn/base.h"

typedef struct fr_thread fr_thread;

/// Starts a thread that calls fn(user) and ends. `what` is what it is for, in messages. NULL with
/// FIRN_NO_MEMORY, also where the system has no thread to give.
fr_thread *fr_thread_start(const firn_allocator *allocator, const char *what,
                           void (*fn)(void *user), void *user, firn_error *err);
/// Waits for its end and frees it. NULL is allowed.
void fr_thread_join(const firn_allocator *allocator, fr_thread *thread);

/// A lock and its condition.
typedef struct fr_monitor fr_monitor;

/// NULL with FIRN_NO_MEMORY; `what` as above.
fr_monitor *fr_monitor_create(const firn_allocator *allocator, const char *what, firn_error *err);
/// Nobody holds it or waits. NULL is allowed.
void fr_monitor_destroy(const firn_allocator *allocator, fr_monitor *monitor);
/// Not twice by one thread.
void fr_monitor_lock(fr_monitor *monitor);
void fr_monitor_unlock(fr_monitor *monitor);
/// Unlocks, sleeps until somebody wakes, or for no reason, and locks again. Held by the caller.
void fr_monitor_wait(fr_monitor *monitor);
/// Wakes all who wait. Held by the caller.
void fr_monitor_wake(fr_monitor *monitor);

#endif
