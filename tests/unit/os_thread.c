// Threads and monitors. pthread_create and the makers of locks are wrapped by the linker, so that
// they fail on demand.
#include "os/posix.h"

#include "support/support.h"

#include "os/thread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

// How many calls go well until one fails, or -1: all do.
typedef struct refusals {
    int threads, locks, conditions;
} refusals;

static refusals left = {-1, -1, -1};

static bool refused(int *count)
{
    return *count >= 0 && (*count)-- == 0;
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *with, void *(*fn)(void *),
                          void *user);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *with, void *(*fn)(void *),
                          void *user);
int __real_pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *with);
int __wrap_pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *with);
int __real_pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *with);
int __wrap_pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *with);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *with, void *(*fn)(void *),
                          void *user)
{
    return refused(&left.threads) ? EAGAIN : __real_pthread_create(thread, with, fn, user);
}

int __wrap_pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *with)
{
    return refused(&left.locks) ? ENOMEM : __real_pthread_mutex_init(lock, with);
}

int __wrap_pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *with)
{
    return refused(&left.conditions) ? EAGAIN : __real_pthread_cond_init(condition, with);
}

static void store_42(void *user)
{
    *(int *)user = 42;
}

static void F6_a_thread_runs_and_is_joined(void **state)
{
    (void)state;
    firn_error err;
    int number = 0;
    fr_thread *thread = fr_thread_start(NULL, "test", store_42, &number, &err);
    assert_non_null(thread);
    fr_thread_join(NULL, thread);
    assert_int_equal(number, 42);
    fr_thread_join(NULL, NULL);
}

static void store_mask(void *user)
{
    assert_int_equal(pthread_sigmask(SIG_BLOCK, NULL, user), 0);
}

static void a_thread_takes_no_signals_and_leaves_those_of_its_starter(void **state)
{
    (void)state;
    sigset_t before, inside, after;
    assert_int_equal(pthread_sigmask(SIG_BLOCK, NULL, &before), 0);
    fr_thread *thread = fr_thread_start(NULL, "test", store_mask, &inside, NULL);
    assert_int_equal(pthread_sigmask(SIG_BLOCK, NULL, &after), 0);
    fr_thread_join(NULL, thread);
    assert_int_equal(sigismember(&inside, SIGINT), 1);
    assert_int_equal(sigismember(&inside, SIGUSR1), 1);
    assert_int_equal(sigismember(&inside, SIGSEGV), 0);
    assert_int_equal(sigismember(&after, SIGINT), sigismember(&before, SIGINT));
}

typedef struct ball {
    fr_monitor *monitor;
    int turn;  // whose: 0 or 1
    int count; // throws
} ball;

#define THROWS 1000

static void throw_when(ball *it, int turn)
{
    fr_monitor_lock(it->monitor);
    for (int i = 0; i < THROWS; i++) {
        while (it->turn != turn) {
            fr_monitor_wait(it->monitor);
        }
        it->turn = 1 - turn;
        it->count++;
        fr_monitor_wake(it->monitor);
    }
    fr_monitor_unlock(it->monitor);
}

static void throw_back(void *user)
{
    throw_when(user, 1);
}

static void two_threads_take_turns_by_a_monitor(void **state)
{
    (void)state;
    firn_error err;
    ball it = {.monitor = fr_monitor_create(NULL, "test", &err)};
    assert_non_null(it.monitor);
    fr_thread *thread = fr_thread_start(NULL, "test", throw_back, &it, &err);
    assert_non_null(thread);
    throw_when(&it, 0);
    fr_thread_join(NULL, thread);
    assert_int_equal(it.count, 2 * THROWS);
    fr_monitor_destroy(NULL, it.monitor);
    fr_monitor_destroy(NULL, NULL);
}

static void F6_a_thread_that_does_not_start_is_an_error(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    firn_error err;
    int number = 0;
    left.threads = 0;
    assert_null(fr_thread_start(&memory.allocator, "a test", store_42, &number, &err));
    assert_error(&err, FIRN_NO_MEMORY, "a test");
    assert_non_null(strstr(err.message, "a test: starting a thread: "));
    assert_no_leak(&memory);

    test_allocator_fail_at(&memory, 1, false);
    assert_null(fr_thread_start(&memory.allocator, "a test", store_42, &number, &err));
    assert_error(&err, FIRN_NO_MEMORY, "a test");
    assert_int_equal(number, 0);
    assert_no_leak(&memory);
}

static void a_monitor_that_cannot_be_made_is_an_error(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    firn_error err;
    test_allocator_fail_at(&memory, 1, false);
    assert_null(fr_monitor_create(&memory.allocator, "a test", &err));
    assert_error(&err, FIRN_NO_MEMORY, "a test");

    left.locks = 0;
    assert_null(fr_monitor_create(&memory.allocator, "a test", &err));
    assert_error(&err, FIRN_NO_MEMORY, "a test");
    assert_non_null(strstr(err.message, "a test: making a lock: "));

    left.conditions = 0;
    assert_null(fr_monitor_create(&memory.allocator, "a test", &err));
    assert_error(&err, FIRN_NO_MEMORY, "a test");
    assert_no_leak(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(F6_a_thread_runs_and_is_joined),
        cmocka_unit_test(a_thread_takes_no_signals_and_leaves_those_of_its_starter),
        cmocka_unit_test(two_threads_take_turns_by_a_monitor),
        cmocka_unit_test(F6_a_thread_that_does_not_start_is_an_error),
        cmocka_unit_test(a_monitor_that_cannot_be_made_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
