// Power losses: at every system call of a put, an overwrite, a remove and a copy, everything that
// POSIX lets the disk hold then. The entry loads as what it was or what it becomes, and when the
// call has returned, as what it became; the storage is as usable as ever.
#include "fault/storage_disk.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

typedef struct survey {
    const scenario *s;
    disk *d;       // that the scenario runs on
    disk *left;    // what a power loss leaves of it
    arena memory;  // of who comes after it
    bool returned; // the call has
    uint64_t *seen;
    size_t seen_count, seen_capacity; // a power of two
    uint64_t states;
    bool lies; // the disk does not flush: a state that loads as something else is looked for
    bool bad;  // and there is one
} survey;

// Whether the state is new.
static bool note_state(survey *v, uint64_t hash)
{
    hash += hash == 0;
    if (v->seen_count * 2 >= v->seen_capacity) {
        size_t capacity = v->seen_capacity == 0 ? 4096 : 2 * v->seen_capacity;
        uint64_t *seen = calloc(capacity, sizeof *seen);
        assert_non_null(seen);
        for (size_t i = 0; i < v->seen_capacity; i++) {
            size_t at = (size_t)(v->seen[i] % capacity);
            while (v->seen[i] != 0 && seen[at] != 0) {
                at = (at + 1) % capacity;
            }
            seen[at] = v->seen[i] != 0 ? v->seen[i] : seen[at];
        }
        free(v->seen);
        v->seen = seen;
        v->seen_capacity = capacity;
    }
    size_t at = (size_t)(hash % v->seen_capacity);
    while (v->seen[at] != 0 && v->seen[at] != hash) {
        at = (at + 1) % v->seen_capacity;
    }
    bool fresh = v->seen[at] == 0;
    v->seen[at] = hash;
    v->seen_count += fresh;
    return fresh;
}

static bool is_allowed(const survey *v, content found)
{
    return found == v->s->after || (!v->returned && found == v->s->before);
}

// What a game that starts again finds.
static void look_at_what_is_left(survey *v)
{
    firn_storage storage;
    firn_error err;
    v->memory.used = 0;
    assert_ok(storage_open(&v->memory, &storage, &err), &err);
    content found = storage_load(&storage, v->s->entry);
    if (v->lies) {
        v->bad = !is_allowed(v, found);
    } else if (!is_allowed(v, found)) {
        fail_msg("%s, %s call %llu: loads as %s", v->s->name, v->returned ? "after" : "at",
                 (unsigned long long)v->d->calls, content_names[found]);
    }
    if (!v->lies && v->s->other != NULL) {
        assert_int_equal(storage_load(&storage, v->s->other), v->s->stays);
    }
    assert_int_equal(disk_count_names(v->left, STORAGE_PATH, ".firn-tmp"), 0);
    assert_ok(storage_put(&storage, v->s->entry, FIRN_REVISION_ANY, OLDER, &err), &err);
    assert_int_equal(storage_load(&storage, v->s->entry), OLDER);
    firn_storage_close(&storage);
    assert_int_equal(disk_open_descriptors(v->left), 0);
}

static bool see_left(void *user, disk *left)
{
    survey *v = user;
    if (!note_state(v, disk_hash(left) * 2 + v->returned)) {
        return true;
    }
    v->states++;
    assert_true(v->states < 100000); // or something is flushed no more
    *v->left = *left;
    disk_use(v->left);
    look_at_what_is_left(v);
    disk_use(v->d);
    return !v->bad;
}

static void lose_power_here(void *user)
{
    survey *v = user;
    if (!v->bad) {
        disk_lose_power(v->d, see_left, v);
    }
}

static survey survey_scenario(const scenario *s, bool lies)
{
    survey v = {.s = s, .d = malloc(sizeof *v.d), .left = malloc(sizeof *v.left)};
    assert_true(v.d != NULL && v.left != NULL);
    arena memory;
    arena_init(&memory);
    arena_init(&v.memory);
    scenario_prepare(s, v.d, &memory);
    v.lies = v.d->lies = lies;
    v.d->write_most = 1500; // so that blocks are torn inside as well
    v.d->before = lose_power_here;
    v.d->user = &v;
    firn_error err;
    assert_ok(s->run(&memory, &err), &err);
    v.returned = true;
    lose_power_here(&v);
    disk_use(NULL);
    arena_free(&memory);
    arena_free(&v.memory);
    free(v.seen);
    free(v.d);
    free(v.left);
    return v;
}

static void K12_a_power_loss_leaves_the_old_entry_or_the_new(void **state)
{
    (void)state;
    uint64_t states = 0;
    for (uint32_t i = 0; i < scenario_count; i++) {
        survey v = survey_scenario(&scenarios[i], false);
        print_message("%s: %llu states\n", v.s->name, (unsigned long long)v.states);
        assert_true(v.states > 1);
        states += v.states;
    }
    print_message("%llu states\n", (unsigned long long)states);
    assert_true(states > 5000);
}

// The disk can show what the flushes are for.
static void a_disk_that_does_not_flush_loses_entries(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < scenario_count; i++) {
        survey v = survey_scenario(&scenarios[i], true);
        if (!v.bad) {
            fail_msg("%s: no state of %llu is bad", v.s->name, (unsigned long long)v.states);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(K12_a_power_loss_leaves_the_old_entry_or_the_new),
        cmocka_unit_test(a_disk_that_does_not_flush_loses_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
