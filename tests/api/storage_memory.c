// The storage in memory, as far as storage_check does not see it: memory, arguments, the end.
#include "support/support.h"

#include "firn/storage.h"

#include <string.h>

static void put_text(const firn_storage *storage, const char *name, const char *text)
{
    firn_error err;
    firn_revision revision;
    assert_ok(
        storage->put(storage->user, name, FIRN_REVISION_ANY, text, strlen(text), &revision, &err),
        &err);
}

static void assert_entry(const firn_storage *storage, const char *name, firn_generation generation,
                         const char *text)
{
    firn_error err;
    firn_buffer out = {0};
    assert_ok(storage->get(storage->user, name, generation, UINT64_MAX, &out, NULL, &err), &err);
    assert_int_equal(out.size, strlen(text));
    assert_memory_equal(out.data, text, out.size);
    firn_buffer_free(&out);
}

static void a_storage_in_memory_keeps_two_generations(void **state)
{
    (void)state;
    firn_error err;
    firn_storage storage;
    assert_ok(firn_storage_memory(NULL, &storage, &err), &err);
    assert_int_equal(storage.abi, FIRN_ABI);
    assert_true((storage.flags & FIRN_STORAGE_ANY_THREAD) != 0);
    static const char *const names[] = {"b", "none", "a", "-rf", "c"};
    for (size_t i = 0; i < 5; i++)
        put_text(&storage, names[i], "one");
    put_text(&storage, "a", "two");
    put_text(&storage, "a", "three");
    assert_entry(&storage, "a", FIRN_CURRENT, "three");
    assert_entry(&storage, "a", FIRN_BACKUP, "two");
    assert_entry(&storage, "none", FIRN_CURRENT, "one");
    firn_storage_close(&storage);
}

static void a_name_that_is_none_is_refused(void **state)
{
    (void)state;
    firn_error err;
    firn_storage storage;
    firn_revision revision = 7;
    assert_ok(firn_storage_memory(NULL, &storage, &err), &err);
    assert_int_equal(storage.put(storage.user, "../x", FIRN_REVISION_ANY, "1", 1, &revision, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "../x");
    assert_int_equal(revision, 7);
    firn_storage_close(&storage);
}

static void wrong_arguments_are_named(void **state)
{
    (void)state;
    firn_error err;
    firn_allocator none = {NULL, NULL};
    firn_storage storage = {.abi = 7};
    assert_int_equal(firn_storage_memory(NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "out");
    assert_int_equal(firn_storage_memory(&none, &storage, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "allocator");
    assert_int_equal(storage.abi, 7);
}

static void count_destroy(void *user)
{
    int *times = user;
    ++*times;
}

static void closing_destroys_once_and_zeroes(void **state)
{
    (void)state;
    int times = 0;
    firn_storage storage = {.abi = FIRN_ABI, .destroy = count_destroy, .user = &times};
    firn_storage zero = {.abi = 0};
    firn_storage_close(&storage);
    firn_storage_close(&storage);
    firn_storage_close(NULL);
    assert_int_equal(times, 1);
    assert_memory_equal(&storage, &zero, sizeof zero);
}

static void without_memory_a_storage_keeps_what_it_has(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    firn_error err;
    firn_storage storage = {.abi = 0};
    test_allocator_fail_at(&memory, 1, false);
    assert_int_equal(firn_storage_memory(&memory.allocator, &storage, &err), FIRN_NO_MEMORY);
    assert_error(&err, FIRN_NO_MEMORY, "storage");
    assert_int_equal(storage.abi, 0);
    assert_ok(firn_storage_memory(&memory.allocator, &storage, &err), &err);
    put_text(&storage, "a", "one");
    for (uint64_t call = 1;; call++) {
        firn_revision revision;
        test_allocator_fail_at(&memory, call, false);
        firn_result result = storage.put(storage.user, call % 2 ? "a" : "b", FIRN_REVISION_ANY,
                                         "two", 3, &revision, &err);
        if (!memory.injected)
            break;
        assert_int_equal(result, FIRN_NO_MEMORY);
        assert_entry(&storage, "a", FIRN_CURRENT, "one");
        assert_int_equal(storage.get(storage.user, "b", FIRN_CURRENT, 9, NULL, NULL, &err),
                         FIRN_NOT_FOUND);
    }
    test_allocator_fail_at(&memory, 0, false);
    firn_storage_close(&storage);
    assert_no_leak(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_storage_in_memory_keeps_two_generations),
        cmocka_unit_test(a_name_that_is_none_is_refused),
        cmocka_unit_test(wrong_arguments_are_named),
        cmocka_unit_test(closing_destroys_once_and_zeroes),
        cmocka_unit_test(without_memory_a_storage_keeps_what_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
