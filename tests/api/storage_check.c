// The conformance suite: it passes over both storages, and each of its checks finds the fault that
// it is for and no other one does.
#include "unit/os_folder.h"

#include "firn/storage.h"

#include <stdio.h>
#include <string.h>

// ---- a storage that breaks one promise

typedef enum fault {
    NONE,
    PUT_LOSES_BYTES,
    PUT_REFUSES_ITS_REVISION,
    PUT_IGNORES_NONE,
    PUT_IGNORES_ONE,
    PUT_IGNORES_CONFLICTS,
    REFUSED_PUT_WRITES,
    EQUAL_BYTES_ARE_NOT_PUT,
    BACKUP_IS_CURRENT,
    HEAD_HAS_ANOTHER_REVISION,
    GET_REPLACES,
    GET_TAKES_ONE_MORE,
    GET_INVENTS,
    FAILED_GET_CLEARS,
    HEAD_IS_SHORT,
    HEAD_INVENTS,
    LIST_TELLS_OTHER_SIZES,
    LIST_IS_REVERSED,
    LIST_GOES_ON,
    REMOVE_KEEPS_THE_BACKUP,
    REFUSED_REMOVE_REMOVES,
    REMOVE_FINDS_ALL,
    SIZES_END_AT_4_KIB,
    NAMES_END_AT_63,
    MESSAGES_ARE_EMPTY,
    ERRORS_ARE_NEEDED,
    FAULTS
} fault;

// The checks in their order; the fault of the same place is what they find.
static const char *const checks[FAULTS] = {
    "",
    "a put makes an entry",
    "a put replaces the revision that is expected",
    "a put that expects none meets one",
    "a put that expects one meets none",
    "a put that expects another revision meets a conflict",
    "a put that is refused changes nothing",
    "every put gives a revision of its own",
    "the backup is what was replaced",
    "get and head tell the revision of the put",
    "a get appends",
    "a get of more than the limit is refused",
    "a get of what is not there finds nothing",
    "a get that fails appends nothing",
    "a head is the first bytes and the size",
    "a head of what is not there finds nothing",
    "a list has each entry once",
    "a list is in the order of names",
    "a list ends as its callback says",
    "a remove leaves nothing",
    "a remove that is refused removes nothing",
    "a remove of what is not there finds nothing",
    "entries may have any size",
    "entries of names that are alike are apart",
    "a failure says what it is about",
    "calls do without an error record",
};

typedef struct broken {
    firn_storage good;
    fault fault;
    char removed[FIRN_SLOT_NAME_SIZE]; // whose backup is still told
    char put[FIRN_SLOT_NAME_SIZE];     // the name of the last put
} broken;

// The revision of what is there.
static firn_revision current_of(const broken *b, const char *name)
{
    firn_stored stored;
    size_t got;
    firn_result result =
        b->good.head(b->good.user, name, FIRN_CURRENT, NULL, 0, &got, &stored, NULL);
    return result == FIRN_OK ? stored.revision : FIRN_REVISION_NONE;
}

static const char *short_name(const broken *b, const char *name, char room[FIRN_SLOT_NAME_SIZE])
{
    int size = b->fault == NAMES_END_AT_63 ? 63 : FIRN_SLOT_NAME_MOST;
    (void)snprintf(room, FIRN_SLOT_NAME_SIZE, "%.*s", size, name);
    return room;
}

static firn_result end_call(const broken *b, firn_result result, firn_error *err)
{
    if (result != FIRN_OK && err == NULL && b->fault == ERRORS_ARE_NEEDED)
        return FIRN_INVALID;
    if (result != FIRN_OK && err != NULL && b->fault == MESSAGES_ARE_EMPTY)
        err->message[0] = 0;
    return result;
}

static bool holds_already(const broken *b, const char *name, const void *bytes, size_t size)
{
    firn_buffer out = {0};
    firn_result result = b->good.get(b->good.user, name, FIRN_CURRENT, size, &out, NULL, NULL);
    bool equal = result == FIRN_OK && out.size == size && memcmp(out.data, bytes, size) == 0;
    firn_buffer_free(&out);
    return equal;
}

static firn_result broken_put(void *user, const char *name, firn_revision expected,
                              const void *bytes, size_t size, firn_revision *revision,
                              firn_error *err)
{
    broken *b = user;
    char room[FIRN_SLOT_NAME_SIZE];
    firn_revision current = current_of(b, name), mine = expected;
    bool none = expected == FIRN_REVISION_NONE;
    (void)snprintf(b->put, sizeof b->put, "%s", name);
    if (b->fault == PUT_LOSES_BYTES && none && current == FIRN_REVISION_NONE)
        size--;
    if (b->fault == PUT_REFUSES_ITS_REVISION && expected == current && !none)
        mine = current + 1000;
    if (b->fault == SIZES_END_AT_4_KIB && size > 4096)
        size = 4096;
    if (b->fault == EQUAL_BYTES_ARE_NOT_PUT && size > 0 && holds_already(b, name, bytes, size)) {
        *revision = current;
        return FIRN_OK;
    }
    firn_result result =
        b->good.put(b->good.user, short_name(b, name, room), mine, bytes, size, revision, err);
    if (b->fault == REFUSED_PUT_WRITES && result == FIRN_CONFLICT)
        (void)b->good.put(b->good.user, name, FIRN_REVISION_ANY, bytes, size, revision, NULL);
    if ((b->fault == PUT_IGNORES_NONE && result == FIRN_EXISTS) ||
        (b->fault == PUT_IGNORES_ONE && result == FIRN_NOT_FOUND) ||
        (b->fault == PUT_IGNORES_CONFLICTS && result == FIRN_CONFLICT))
        return FIRN_OK;
    return end_call(b, result, err);
}

static firn_result broken_get(void *user, const char *name, firn_generation generation,
                              uint64_t limit, firn_buffer *out, firn_revision *revision,
                              firn_error *err)
{
    broken *b = user;
    char room[FIRN_SLOT_NAME_SIZE];
    size_t before = out->size;
    if (b->fault == GET_TAKES_ONE_MORE && limit < UINT64_MAX)
        limit++;
    if (b->fault == REMOVE_KEEPS_THE_BACKUP && generation == FIRN_BACKUP &&
        strcmp(name, b->removed) == 0)
        return FIRN_OK;
    firn_generation real = generation;
    if (b->fault == BACKUP_IS_CURRENT)
        real = FIRN_CURRENT;
    firn_result result =
        b->good.get(b->good.user, short_name(b, name, room), real, limit, out, revision, err);
    if (b->fault == GET_REPLACES && result == FIRN_OK && before > 0) {
        memmove(out->data, out->data + before, out->size - before);
        out->size -= before;
    }
    // In a check that puts nothing.
    if (b->fault == GET_INVENTS && strncmp(name, b->put, strlen(name) - 1) != 0)
        return FIRN_OK;
    if (b->fault == FAILED_GET_CLEARS && result != FIRN_OK)
        firn_buffer_clear(out);
    return end_call(b, result, err);
}

static firn_result broken_head(void *user, const char *name, firn_generation generation,
                               void *bytes, size_t room, size_t *got, firn_stored *stored,
                               firn_error *err)
{
    broken *b = user;
    char shorter[FIRN_SLOT_NAME_SIZE];
    firn_result result = b->good.head(b->good.user, short_name(b, name, shorter), generation, bytes,
                                      room, got, stored, err);
    if (b->fault == HEAD_HAS_ANOTHER_REVISION && result == FIRN_OK)
        stored->revision += 1000;
    if (b->fault == HEAD_IS_SHORT && result == FIRN_OK && *got > 0)
        --*got;
    if (b->fault == HEAD_INVENTS && result == FIRN_NOT_FOUND && bytes != NULL) {
        *got = 0;
        return FIRN_OK;
    }
    return end_call(b, result, err);
}

typedef struct listing {
    broken *b;
    firn_stored_fn each;
    void *user;
    char names[64][FIRN_SLOT_NAME_SIZE];
    firn_stored stored[64];
    uint32_t count;
    firn_result answer;
} listing;

static firn_result broken_each(void *user, const firn_stored *stored, firn_error *err)
{
    listing *list = user;
    if (list->b->fault == LIST_IS_REVERSED) {
        (void)snprintf(list->names[list->count], FIRN_SLOT_NAME_SIZE, "%s", stored->name);
        list->stored[list->count] = *stored;
        list->stored[list->count].name = list->names[list->count];
        list->count++;
        return FIRN_OK;
    }
    firn_stored told = *stored;
    if (list->b->fault == LIST_TELLS_OTHER_SIZES)
        told.size++;
    firn_result result = list->each(list->user, &told, err);
    if (list->b->fault == LIST_GOES_ON) {
        list->answer = list->answer == FIRN_OK ? result : list->answer;
        return FIRN_OK;
    }
    return result;
}

static firn_result broken_list(void *user, firn_stored_fn each, void *each_user, firn_error *err)
{
    broken *b = user;
    listing list = {.b = b, .each = each, .user = each_user};
    firn_result result = b->good.list(b->good.user, broken_each, &list, err);
    while (list.count > 0 && result == FIRN_OK)
        result = each(each_user, &list.stored[--list.count], err);
    return result == FIRN_OK ? list.answer : result;
}

static firn_result broken_remove(void *user, const char *name, firn_revision expected,
                                 firn_error *err)
{
    broken *b = user;
    char room[FIRN_SLOT_NAME_SIZE];
    firn_result result = b->good.remove(b->good.user, short_name(b, name, room), expected, err);
    if (b->fault == REMOVE_KEEPS_THE_BACKUP && result == FIRN_OK)
        (void)snprintf(b->removed, sizeof b->removed, "%s", name);
    if (b->fault == REFUSED_REMOVE_REMOVES && result == FIRN_CONFLICT)
        (void)b->good.remove(b->good.user, name, FIRN_REVISION_ANY, NULL);
    if (b->fault == REMOVE_FINDS_ALL && result == FIRN_NOT_FOUND && expected == 77)
        return FIRN_OK;
    return end_call(b, result, err);
}

// ---- what the suite says

typedef struct told {
    uint32_t count;
    char failed[8][128];
    char messages[8][256];
    uint32_t failures;
} told;

static void hear(void *user, const char *check, firn_result result, const char *message)
{
    told *t = user;
    t->count++;
    assert_int_equal(result == FIRN_OK, message[0] == 0);
    assert_null(strchr(message, '\n'));
    assert_string_equal(check, t->count < FAULTS ? checks[t->count] : "another check");
    if (result != FIRN_OK && t->failures < 8) {
        (void)snprintf(t->failed[t->failures], 128, "%s", check);
        (void)snprintf(t->messages[t->failures], 256, "%s", message);
        t->failures++;
    }
}

static told check_storage(const firn_storage *storage)
{
    told t = {.count = 0};
    firn_error err;
    uint32_t failures = 99;
    assert_ok(firn_storage_check(storage, hear, &t, &failures, &err), &err);
    assert_int_equal(failures, t.failures);
    assert_int_equal(t.count, FAULTS - 1);
    for (uint32_t i = 0; i < t.failures; i++)
        print_message("%s: %s\n", t.failed[i], t.messages[i]);
    return t;
}

static firn_result count_entry(void *user, const firn_stored *stored, firn_error *err)
{
    (void)stored;
    (void)err;
    ++*(uint32_t *)user;
    return FIRN_OK;
}

static void assert_conforms(firn_storage *storage)
{
    firn_error err;
    firn_revision revision;
    uint32_t count = 0;
    assert_ok(storage->put(storage->user, "mine", FIRN_REVISION_NONE, "1", 1, &revision, &err),
              &err);
    assert_int_equal(check_storage(storage).failures, 0);
    assert_ok(storage->list(storage->user, count_entry, &count, &err), &err);
    assert_int_equal(count, 1); // what was there, and nothing of the suite
    firn_storage_close(storage);
}

static void the_storage_in_memory_conforms(void **state)
{
    (void)state;
    firn_error err;
    firn_storage storage;
    assert_ok(firn_storage_memory(NULL, &storage, &err), &err);
    assert_conforms(&storage);
}

static void K12_the_storage_in_a_folder_conforms(void **state)
{
    const os_folder *folder = *state;
    firn_error err;
    firn_storage storage;
    firn_folder_desc desc = {.path =
                                 os_folder_path(folder, "Schnee \xe2\x9d\x84/\xf0\x9f\x90\xa7")};
    assert_ok(firn_storage_folder(&desc, &storage, &err), &err);
    assert_conforms(&storage);
}

static void each_check_finds_its_fault_and_no_other_one_does(void **state)
{
    (void)state;
    for (fault at = NONE; at < FAULTS; at++) {
        firn_error err;
        broken b = {.fault = at};
        assert_ok(firn_storage_memory(NULL, &b.good, &err), &err);
        firn_storage storage = b.good;
        storage.put = broken_put;
        storage.get = broken_get;
        storage.head = broken_head;
        storage.list = broken_list;
        storage.remove = broken_remove;
        storage.user = &b;
        told t = check_storage(&storage);
        assert_int_equal(t.failures, at == NONE ? 0 : 1);
        assert_string_equal(t.failed[0], checks[at]);
        firn_storage_close(&b.good);
    }
}

// ---- what it refuses to check

static void an_incomplete_storage_is_not_checked(void **state)
{
    (void)state;
    firn_error err;
    firn_storage good;
    uint32_t failures = 99;
    assert_ok(firn_storage_memory(NULL, &good, &err), &err);
    firn_storage bad[7] = {good, good, good, good, good, good, good};
    bad[0].put = NULL;
    bad[1].get = NULL;
    bad[2].head = NULL;
    bad[3].list = NULL;
    bad[4].remove = NULL;
    bad[5].abi = 0;
    bad[6].name = NULL;
    for (int i = 0; i < 7; i++) {
        assert_int_equal(firn_storage_check(&bad[i], NULL, NULL, &failures, &err), FIRN_INVALID);
        assert_error(&err, FIRN_INVALID, "storage");
    }
    bad[5].abi = FIRN_ABI + 1;
    assert_int_equal(firn_storage_check(&bad[5], NULL, NULL, &failures, &err), FIRN_VERSION);
    assert_int_equal(firn_storage_check(NULL, NULL, NULL, &failures, &err), FIRN_INVALID);
    assert_int_equal(firn_storage_check(&good, NULL, NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "failures");
    assert_int_equal(failures, 99);
    assert_ok(firn_storage_check(&good, NULL, NULL, &failures, &err), &err);
    assert_int_equal(failures, 0);
    firn_storage_close(&good);
}

static void entries_of_the_names_that_it_uses_are_left_alone(void **state)
{
    (void)state;
    firn_error err;
    firn_storage storage;
    firn_revision revision;
    uint32_t failures = 99;
    assert_ok(firn_storage_memory(NULL, &storage, &err), &err);
    assert_ok(storage.put(storage.user, "firn-check-me", 0, "1", 1, &revision, &err), &err);
    assert_int_equal(firn_storage_check(&storage, NULL, NULL, &failures, &err), FIRN_EXISTS);
    assert_error(&err, FIRN_EXISTS, "firn-check-me");
    assert_int_equal(failures, 99);
    firn_storage_close(&storage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_storage_in_memory_conforms),
        os_test(K12_the_storage_in_a_folder_conforms),
        cmocka_unit_test(each_check_finds_its_fault_and_no_other_one_does),
        cmocka_unit_test(an_incomplete_storage_is_not_checked),
        cmocka_unit_test(entries_of_the_names_that_it_uses_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
