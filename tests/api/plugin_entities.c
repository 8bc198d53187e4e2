// A handler of a game that keeps a number for some entities, in saves and loads of some of them.
#include "api/persist_room.h"

#include <string.h>

#define MOST 8

typedef struct mood {
    firn_entity entity;
    double number;
} mood;

// Moods of entities; those of a save, while it is loaded.
typedef struct moods {
    mood items[MOST];
    uint32_t count;
    mood saved[MOST];
    uint32_t saved_count;
    uint32_t commits;
    firn_entity known[3]; // asked about in check and commit
    firn_entity kept[2][3];
    bool refuses;
} moods;

static void ask_all(moods *all, firn_world *world, int when)
{
    for (int i = 0; i < 3; i++) {
        all->kept[when][i] = firn_load_keeps(world, all->known[i]);
    }
}

static firn_result save_moods(void *user, firn_world *world, firn_writer *out, firn_error *err)
{
    (void)err;
    const moods *all = user;
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        count += firn_save_has(world, all->items[i].entity);
    }
    firn_write_table(out, 2 * count, 0);
    for (uint32_t i = 0; i < all->count; i++) {
        if (firn_save_has(world, all->items[i].entity)) {
            firn_write_number(out, (double)all->items[i].entity);
            firn_write_number(out, all->items[i].number);
        }
    }
    return FIRN_OK;
}

static firn_result check_moods(void *user, firn_world *world, firn_reader *in, void **prepared,
                               firn_error *err)
{
    (void)prepared, (void)err;
    moods *all = user;
    uint32_t count = in != NULL ? firn_read_table(in).array_count : 0;
    all->saved_count = 0;
    for (uint32_t i = 0; i < count / 2 && i < MOST; i++) {
        all->saved[i].entity = (firn_entity)firn_read_number(in);
        all->saved[i].number = firn_read_number(in);
        all->saved_count++;
    }
    ask_all(all, world, 0);
    return all->refuses ? FIRN_REFUSED : FIRN_OK;
}

static void commit_moods(void *user, firn_world *world, void *prepared)
{
    (void)prepared;
    moods *all = user;
    uint32_t count = 0;
    ask_all(all, world, 1);
    for (uint32_t i = 0; i < all->count; i++) {
        firn_entity entity = firn_load_keeps(world, all->items[i].entity);
        if (entity != 0) {
            all->items[count++] = (mood){entity, all->items[i].number};
        }
    }
    for (uint32_t i = 0; i < all->saved_count; i++) {
        all->items[count++] = all->saved[i];
    }
    all->count = count;
    all->commits++;
}

static void add_moods(moods *all, firn_world *world)
{
    firn_error err;
    const firn_handler handler = {.abi = FIRN_ABI,
                                  .name = "moods",
                                  .save = save_moods,
                                  .check = check_moods,
                                  .commit = commit_moods,
                                  .user = all};
    assert_ok(firn_handler_add(world, &handler, &err), &err);
}

static void set_mood(moods *all, firn_entity entity, double number)
{
    all->items[all->count++] = (mood){entity, number};
}

// 0: it has none.
static double mood_of(const moods *all, firn_entity entity)
{
    double number = 0;
    uint32_t found = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        if (all->items[i].entity == entity) {
            number = all->items[i].number;
            found++;
        }
    }
    assert_true(found <= 1);
    return number;
}

static void K14_a_handler_is_told_who_is_saved_and_who_is_kept(void **state)
{
    room *r = *state;
    firn_error err;
    static moods all;
    all = (moods){.count = 0};
    add_moods(&all, r->z.world);
    firn_entity gone = room_spawn(r, 1);
    assert_ok(firn_despawn(r->z.world, gone, &err), &err);
    set_mood(&all, r->scenery, 1);
    set_mood(&all, r->player, 2);
    room_save(r);
    all.count = 0;
    firn_entity ball = room_spawn(r, 5);
    room_persist(r, ball, (firn_persist){.id = "ball", .spawned = true});
    set_mood(&all, r->scenery, 10);
    set_mood(&all, r->player, 20);
    set_mood(&all, r->door, 30);
    set_mood(&all, ball, 40);
    all.known[0] = gone;
    all.known[1] = r->scenery;
    all.known[2] = ball;
    room_load(r);
    assert_int_equal(all.commits, 1);
    assert_int_equal(all.count, 2);
    assert_true(mood_of(&all, r->scenery) == 10 && mood_of(&all, r->player) == 2);
    for (int when = 0; when < 2; when++) {
        assert_true(all.kept[when][0] == 0 && all.kept[when][1] == r->scenery &&
                    all.kept[when][2] == 0);
    }
    assert_int_equal(firn_load_keeps(r->z.world, r->scenery), 0); // none runs
    assert_int_equal(firn_load_keeps(NULL, r->scenery), 0);
    assert_true(firn_save_has(r->z.world, r->scenery));
    assert_false(firn_save_has(r->z.world, ball));
    assert_false(firn_save_has(NULL, r->scenery));
}

static void K14_a_handler_is_told_the_new_id_of_who_makes_room(void **state)
{
    room *r = *state;
    firn_error err;
    static moods all;
    all = (moods){.count = 0};
    add_moods(&all, r->z.world);
    assert_ok(firn_despawn(r->z.world, room_spawn(r, 1), &err), &err);
    firn_entity ball = room_spawn(r, 5); // the second one in its slot
    room_persist(r, ball, (firn_persist){.id = "ball", .spawned = true});
    set_mood(&all, ball, 4);
    room_save(r);

    // Another session, in which somebody else has the id, and another one that of the next one.
    firn_saves_close(r->saves);
    firn_world_destroy(r->z.world);
    r->z = zoo_make(&r->memory, false);
    r->saves = firn_saves_open(r->z.world, &r->desc, &err);
    all.count = 0;
    add_moods(&all, r->z.world);
    firn_entity last = 0;
    while ((last & FIRN_SLOT_MAX) != (ball & FIRN_SLOT_MAX)) {
        last = room_spawn(r, 1);
    }
    set_mood(&all, last, 7);
    all.known[0] = last;
    all.known[1] = last + 1; // nobody
    all.known[2] = last + 2; // nobody, until one that makes room gets it
    all.refuses = true;
    assert_int_equal(firn_saves_take(r->saves, r->file.data, r->file.size, NULL, &err),
                     FIRN_REFUSED);
    assert_true(all.count == 1 && mood_of(&all, last) == 7);
    assert_int_equal(firn_load_keeps(r->z.world, last), 0);
    all.refuses = false;
    room_load(r);
    firn_entity moved = all.kept[0][0];
    assert_true(moved != 0 && moved != ball && room_place_of(r, moved) == 1);
    assert_true(all.kept[1][0] == moved);
    assert_true(all.kept[0][1] == 0 && all.kept[1][1] == 0);
    assert_true(all.kept[0][2] == 0 && all.kept[1][2] == 0);
    assert_true(all.count == 2 && mood_of(&all, moved) == 7 && mood_of(&all, ball) == 4);
}

static void S4_a_load_of_the_world_keeps_nobody(void **state)
{
    room *r = *state;
    static moods all;
    all = (moods){.count = 0};
    add_moods(&all, r->z.world);
    set_mood(&all, r->scenery, 1);
    firn_buffer image = zoo_save(r->z.world);
    all.known[0] = r->scenery;
    all.items[0].number = 2;
    zoo_load(r->z.world, &image);
    assert_true(all.count == 1 && mood_of(&all, r->scenery) == 1);
    assert_true(all.kept[0][0] == 0 && all.kept[1][0] == 0);
    firn_buffer_free(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOM(K14_a_handler_is_told_who_is_saved_and_who_is_kept),
        IN_ROOM(K14_a_handler_is_told_the_new_id_of_who_makes_room),
        IN_ROOM(S4_a_load_of_the_world_keeps_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
