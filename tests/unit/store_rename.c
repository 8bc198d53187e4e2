// Entities that get other ids, against a world that was built with those ids.
#include "api/snapshot_zoo.h"
#include "unit/store_renames.h"

#include <stdio.h>
#include <string.h>

#define SLOTS     48
#define MOST      28 // entities that both worlds have in the end
#define FREE      10 // slots that some of them get
#define RELATIONS 7

static const uint32_t forms[RELATIONS] = {
    0,
    FIRN_REVERSE,
    FIRN_EXCLUSIVE | FIRN_REVERSE,
    FIRN_SPARSE,
    FIRN_SPARSE | FIRN_REVERSE,
    FIRN_SPARSE | FIRN_EXCLUSIVE,
    FIRN_SPARSE | FIRN_EXCLUSIVE | FIRN_REVERSE,
};

// One of both worlds. Entities have numbers, and ids of their own in each.
typedef struct side {
    test_allocator memory;
    zoo z;
    firn_component relations[RELATIONS], text;
    firn_entity slots[SLOTS]; // what lived in each slot at first
    firn_entity of[MOST];
    uint32_t heard[MOST];
} side;

// A slot each, in a random order.
typedef struct deal {
    uint32_t now[MOST];
    uint32_t then[MOST];
    uint32_t fresh[FREE];
    uint32_t unused[SLOTS - MOST - FREE];
} deal;

static void begin_side(side *s)
{
    firn_error err;
    test_allocator_init(&s->memory);
    s->z = zoo_make(&s->memory, false);
    for (uint32_t i = 0; i < RELATIONS; i++) {
        const char *const names[] = {"R0", "R1", "R2", "R3", "R4", "R5", "R6"};
        const firn_component_desc desc = {
            .name = names[i], .kind = FIRN_RELATION, .relation = forms[i]};
        s->relations[i] = zoo_register(s->z.world, &desc);
    }
    const firn_component_desc text = {.name = "Text", .kind = FIRN_STRING, .unique = true};
    s->text = zoo_register(s->z.world, &text);
    assert_true(firn_event_register(s->z.world, "Hit", &err) != 0);
    assert_ok(firn_spawn_many(s->z.world, NULL, 0, SLOTS, s->slots, &err), &err);
    // Some slots are used again.
    for (uint32_t i = 0; i < SLOTS; i += 3)
        assert_ok(firn_despawn(s->z.world, s->slots[i], &err), &err);
    for (uint32_t i = 0; i < SLOTS; i += 3) {
        firn_entity entity = zoo_spawn(s->z.world, NULL, 0);
        s->slots[fr_slot(entity) - 1] = entity;
    }
}

static void end_side(side *s)
{
    firn_world_destroy(s->z.world);
    assert_no_leak(&s->memory);
}

static deal make_deal(test_random *random)
{
    deal d;
    uint32_t all[SLOTS], count = SLOTS;
    for (uint32_t i = 0; i < SLOTS; i++)
        all[i] = i;
    for (uint32_t i = 0; i < SLOTS; i++) {
        uint32_t at = test_random_below(random, count), slot = all[at];
        all[at] = all[--count];
        if (i < MOST)
            d.now[i] = slot;
        else if (i < MOST + FREE)
            d.fresh[i - MOST] = slot;
        else
            d.unused[i - MOST - FREE] = slot;
    }
    // Some stay, the others get each other's slots, and the fresh ones.
    uint32_t stay = test_random_below(random, MOST - FREE), pool[MOST];
    memcpy(d.then, d.now, sizeof d.then);
    memcpy(pool, d.now + stay, (MOST - stay) * sizeof *pool);
    memcpy(pool + MOST - stay - FREE, d.fresh, sizeof d.fresh);
    for (uint32_t i = stay, left = MOST - stay; i < MOST; i++) {
        uint32_t at = test_random_below(random, left);
        d.then[i] = pool[at];
        pool[at] = pool[--left];
    }
    return d;
}

static void despawn(side *s, uint32_t slot)
{
    firn_error err;
    assert_ok(firn_despawn(s->z.world, s->slots[slot], &err), &err);
}

// Both have the same slots in use, and those of FREE besides in the direct one.
static void place(side *s, const deal *d, bool direct)
{
    for (uint32_t i = 0; i < FREE; i++)
        despawn(s, d->fresh[i]);
    for (uint32_t i = 0; direct && i < FREE; i++) {
        firn_entity entity = zoo_spawn(s->z.world, NULL, 0);
        s->slots[fr_slot(entity) - 1] = entity;
    }
    for (uint32_t i = 0; i < SLOTS - MOST - FREE; i++)
        despawn(s, d->unused[i]);
    for (uint32_t i = 0; i < MOST; i++)
        s->of[i] = s->slots[direct ? d->then[i] : d->now[i]];
}

static void change_row(side *s, uint32_t what, uint32_t a, uint32_t b, uint32_t number)
{
    firn_error err;
    char text[40];
    firn_component one = s->z.of[number % ZOO_KINDS];
    (void)snprintf(text, sizeof text, "a text of more than 12 bytes %u", number);
    const zoo_body body = {
        .mass = number, .target = s->of[b], .target_number = (double)s->of[(a + b) % MOST]};
    if (what == 0)
        assert_ok(firn_add(s->z.world, s->of[a], &one, 1, &err), &err);
    else if (what == 1 && one != s->z.of[ZOO_SCORE])
        assert_ok(firn_remove(s->z.world, s->of[a], &one, 1, &err), &err);
    else if (what == 2)
        assert_ok(firn_set(s->z.world, s->of[a], s->z.of[ZOO_BODY], &body, &err), &err);
    else if (what == 3)
        assert_ok(firn_set_text(s->z.world, s->of[a], s->text, text, &err), &err);
    else if (what == 4)
        assert_ok(firn_set_text(s->z.world, s->of[a], firn_key(s->z.world), text, &err), &err);
}

static void change_edge(side *s, uint32_t what, uint32_t a, uint32_t b, uint32_t number)
{
    firn_error err;
    firn_component relation =
        number % 8 == 7 ? firn_child_of(s->z.world) : s->relations[number % 8];
    if (what < 8 && a != b)
        assert_ok(firn_relate(s->z.world, s->of[a], relation, s->of[b], NULL, &err), &err);
    else
        assert_ok(firn_unrelate(s->z.world, s->of[a], relation, s->of[b], &err), &err);
}

// The same to both.
static void change(side *sides, test_random *random, uint32_t times)
{
    while (times-- > 0) {
        uint32_t what = test_random_below(random, 9), a = test_random_below(random, MOST),
                 b = test_random_below(random, MOST), number = test_random_below(random, 1u << 30);
        for (int i = 0; i < 2; i++) {
            if (what < 5)
                change_row(&sides[i], what, a, b, number);
            else
                change_edge(&sides[i], what, a, b, number);
        }
    }
}

static firn_result hear(void *user, firn_world *world, const firn_event *event, firn_error *err)
{
    (void)world;
    (void)event;
    (void)err;
    ++*(uint32_t *)user;
    return FIRN_OK;
}

static void listen(side *s)
{
    firn_error err;
    for (uint32_t i = 0; i < MOST; i++) {
        const firn_observer_desc desc = {
            .event = "Hit", .address = s->of[i], .observe = hear, .user = &s->heard[i]};
        assert_true(firn_observe(s->z.world, &desc, &err) != 0);
    }
}

static void assert_heard(side *s)
{
    firn_error err;
    firn_event_kind hit = firn_event_find(s->z.world, "Hit");
    for (uint32_t i = 0; i < MOST; i++) {
        assert_ok(firn_emit(s->z.world, hit, s->of[i], NULL, 0, &err), &err);
        assert_int_equal(s->heard[i], 1);
        s->heard[i] = 0;
    }
}

static const firn_save_options sparse = {.sparse_edges = true};

static void assert_same_worlds(const side *sides)
{
    firn_error err;
    firn_hash hashes[2];
    firn_buffer images[2];
    for (int i = 0; i < 2; i++) {
        images[i] = zoo_save_with(sides[i].z.world, &sparse);
        assert_ok(firn_world_hash(sides[i].z.world, &hashes[i], NULL, NULL, &err), &err);
    }
    assert_same_bytes(&images[0], &images[1]);
    assert_memory_equal(&hashes[0], &hashes[1], sizeof hashes[0]);
    firn_buffer_free(&images[0]);
    firn_buffer_free(&images[1]);
}

// In the order of numbers; `from` is what the first world has, `to` the second.
static firn_result rename_all(side *sides, firn_error *err)
{
    fr_renames renames = {.count = 0};
    bool memory = true;
    for (uint32_t i = 0; memory && i < MOST; i++)
        memory = fr_renames_add(sides[0].z.world, &renames, sides[0].of[i], sides[1].of[i]);
    firn_result result = memory ? renames_run(sides[0].z.world, &renames, err) : FIRN_NO_MEMORY;
    fr_renames_free(sides[0].z.world, &renames);
    return result;
}

static void begin_both(side *sides, test_random *random, deal *d)
{
    firn_error err;
    memset(sides, 0, 2 * sizeof *sides);
    *d = make_deal(random);
    for (int i = 0; i < 2; i++) {
        begin_side(&sides[i]);
        place(&sides[i], d, i == 1);
        for (uint32_t k = 0; k < MOST; k++) {
            const double score = k;
            assert_ok(
                firn_set(sides[i].z.world, sides[i].of[k], sides[i].z.of[ZOO_SCORE], &score, &err),
                &err);
        }
        listen(&sides[i]);
    }
}

// Whatever slot no entity has that is in the first world loses it in the other one.
static void free_left_slots(side *sides, const deal *d)
{
    for (uint32_t i = 0; i < MOST; i++) {
        bool taken = false;
        for (uint32_t k = 0; k < MOST; k++)
            taken = taken || d->then[k] == d->now[i];
        if (!taken)
            despawn(&sides[1], d->now[i]);
    }
}

static void K14_entities_with_other_ids_are_those_of_a_world_built_with_them(void **state)
{
    (void)state;
    side sides[2];
    deal d;
    for (uint64_t round = 0; round < 60; round++) {
        firn_error err;
        test_random random = {round};
        begin_both(sides, &random, &d);
        change(sides, &random, 20 + (uint32_t)round * 8);
        free_left_slots(sides, &d);
        assert_ok(rename_all(sides, &err), &err);
        memcpy(sides[0].of, sides[1].of, sizeof sides[0].of);
        assert_same_worlds(sides);
        assert_heard(&sides[0]);
        // They live on, and are in the same lists.
        change(sides, &random, 200);
        assert_same_worlds(sides);
        // Parents take their children with them.
        for (uint32_t i = 0; i < MOST; i += 3)
            for (int k = 0; k < 2; k++)
                if (firn_alive(sides[k].z.world, sides[k].of[i]))
                    assert_ok(firn_despawn(sides[k].z.world, sides[k].of[i], &err), &err);
        assert_same_worlds(sides);
        end_side(&sides[0]);
        end_side(&sides[1]);
    }
}

// Each allocation fails by turns.
static void K14_a_rename_without_memory_changes_nothing(void **state)
{
    (void)state;
    firn_error err;
    side sides[2];
    deal d;
    test_random random = {7};
    begin_both(sides, &random, &d);
    change(sides, &random, 300);
    free_left_slots(sides, &d);
    firn_buffer before = zoo_save_with(sides[0].z.world, &sparse);
    // A world that was loaded has made nothing of its own so far.
    firn_world_destroy(sides[0].z.world);
    begin_side(&sides[0]);
    zoo_load(sides[0].z.world, &before);
    firn_result result = FIRN_NO_MEMORY;
    uint64_t call = 0;
    while (result == FIRN_NO_MEMORY) {
        test_allocator_fail_at(&sides[0].memory, ++call, false);
        result = rename_all(sides, &err);
        test_allocator_fail_at(&sides[0].memory, 0, false);
        if (result != FIRN_NO_MEMORY)
            break;
        firn_buffer now = zoo_save_with(sides[0].z.world, &sparse);
        assert_same_bytes(&before, &now);
        firn_buffer_free(&now);
    }
    assert_ok(result, &err);
    assert_true(call > 50);
    assert_same_worlds(sides);
    firn_buffer_free(&before);
    end_side(&sides[0]);
    end_side(&sides[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(K14_entities_with_other_ids_are_those_of_a_world_built_with_them),
        cmocka_unit_test(K14_a_rename_without_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
