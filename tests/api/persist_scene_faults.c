// Loads of scenes that fail: where the game is then, and what is no scene at all.
#include "api/persist_house.h"
#include "api/persist_section.h"

#include <string.h>

// ---- the way back

static void K5_a_load_that_comes_to_no_scene_goes_back(void **state)
{
    house *h = *state;
    firn_error err;
    house_save(h);
    house_enter(h, "cellar");
    house_put(h, house_at(h, 2), 120);
    house_end_of(h, house_at(h, 5));
    firn_hash before = zoo_hash(h->z.world);
    // The scene is no more.
    h->scenes[0].name = NULL;
    assert_int_equal(house_take(h, NULL, &err), FIRN_UNKNOWN);
    assert_error(&err, FIRN_UNKNOWN, "hall");
    h->scenes[0].name = "hall";
    // Its level makes another one, or none, or fails when entities are made.
    h->scenes[0].name = "cave";
    h->scenes[2].name = "hall";
    h->tells_nothing = true;
    assert_int_equal(house_take(h, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "hall");
    h->tells_nothing = false;
    h->fails = FIRN_IO;
    assert_int_equal(house_take(h, NULL, &err), FIRN_IO);
    assert_string_equal(h->level, "cellar");
    assert_string_equal(firn_saves_scene_name(h->saves), "cellar");
    assert_true(zoo_hash(h->z.world).total == before.total);
    assert_true(house_place(h, house_at(h, 2)) == 120);
    // Who was gone is gone.
    house_save(h);
    house_enter(h, "cellar");
    assert_true(house_place(h, house_at(h, 5)) == 15);
    house_load(h);
    assert_true(house_place(h, house_at(h, 5)) == -1);
}

// A level is there, and what it makes is unknown: that is no level that there is not.
static void K5_a_load_goes_back_when_something_in_a_level_is_unknown(void **state)
{
    house *h = *state;
    firn_error err;
    house_save(h);
    house_enter(h, "cellar");
    house_put(h, house_at(h, 2), 120);
    firn_hash before = zoo_hash(h->z.world);
    h->fails = FIRN_UNKNOWN;
    assert_int_equal(house_take(h, NULL, &err), FIRN_UNKNOWN);
    assert_true(zoo_hash(h->z.world).total == before.total);
    assert_string_equal(firn_saves_scene_name(h->saves), "cellar");
    assert_true(house_place(h, house_at(h, 2)) == 120);
}

static void K5_entities_are_those_of_before_when_no_level_can_be_entered(void **state)
{
    house *h = *state;
    firn_error err;
    firn_saves_loaded loaded;
    house_save(h);
    house_enter(h, "cellar");
    house_put(h, house_at(h, 2), 120);
    firn_hash before = zoo_hash(h->z.world);
    h->fails = FIRN_IO;
    h->fails_for_ever = true;
    assert_int_equal(house_take(h, &loaded, &err), FIRN_IO);
    assert_false(loaded.went_back);
    assert_non_null(strstr(err.message, "going back to the level \"cellar\" failed too"));
    firn_saves_loaded_free(&loaded);
    assert_true(zoo_hash(h->z.world).total == before.total);
    assert_string_equal(firn_saves_scene_name(h->saves), "cellar");
    assert_true(house_place(h, house_at(h, 2)) == 120);
}

// Each allocation of a load that enters another scene fails by turns; it goes back.
static void K5_a_load_without_memory_is_in_the_scene_of_before(void **state)
{
    house *h = *state;
    firn_error err;
    firn_saves_loaded loaded;
    house_end_of(h, house_at(h, 2));
    house_end_of(h, house_at(h, 3)); // saved by field
    firn_entity chest = house_at(h, 9);
    house_save(h);
    house_enter(h, "cellar");
    house_end_of(h, house_at(h, 5));
    firn_result result = FIRN_NO_MEMORY;
    for (uint64_t call = 1; result == FIRN_NO_MEMORY; call++) {
        firn_hash before = zoo_hash(h->z.world);
        test_allocator_fail_at(&h->memory, call, false);
        result = house_take(h, &loaded, &err);
        test_allocator_fail_at(&h->memory, 0, false);
        firn_saves_loaded_free(&loaded);
        if (result == FIRN_NO_MEMORY) {
            assert_true(zoo_hash(h->z.world).total == before.total);
            assert_string_equal(h->level, "cellar");
            assert_string_equal(firn_saves_scene_name(h->saves), "cellar");
            assert_true(house_place(h, house_at(h, 1)) == 11);
        }
    }
    assert_int_equal(result, FIRN_OK);
    assert_string_equal(h->level, "hall");
    assert_true(house_at(h, 9) == chest && house_place(h, chest) == 9);
    assert_true(house_place(h, house_at(h, 2)) == -1 && house_place(h, house_at(h, 3)) == -1);
}

// ---- while it loads

typedef struct scene_watch {
    house *h;
    firn_entity seen; // the lamp, when an observer of the load asked
    firn_result busy; // of telling a scene then
    firn_result result;
} scene_watch;

static firn_result watch_load(void *user, firn_world *world, const firn_event *event,
                              firn_error *err)
{
    (void)world, (void)event;
    scene_watch *watch = user;
    watch->seen = house_at(watch->h, 3);
    watch->busy = firn_saves_scene(watch->h->saves, "other", NULL, NULL, 0, err);
    firn_result result = watch->result;
    watch->result = FIRN_OK; // the way back is a load, too
    return result;
}

static void watch_house(house *h, scene_watch *watch)
{
    firn_error err;
    const firn_observer_desc desc = {
        .event = "FinishSnapshotLoad", .observe = watch_load, .user = watch};
    watch->h = h;
    assert_int_not_equal(firn_observe(h->z.world, &desc, &err), 0);
}

static void K5_observers_of_a_load_see_the_scene_of_the_save(void **state)
{
    house *h = *state;
    scene_watch watch = {0};
    firn_entity lamp = house_at(h, 3);
    house_save(h);
    house_again(h, 9);
    watch_house(h, &watch);
    assert_true(house_at(h, 3) != lamp);
    house_load(h);
    assert_true(watch.seen == lamp);
    assert_int_equal(watch.busy, FIRN_BUSY);
    assert_string_equal(firn_saves_scene_name(h->saves), "hall");
}

static void K5_a_load_that_fails_late_has_the_scene_of_before(void **state)
{
    house *h = *state;
    firn_error err;
    firn_saves_loaded loaded;
    scene_watch watch = {.seen = 0};
    house_end_of(h, house_at(h, 9));
    house_save(h);
    for (int again = 0; again < 2; again++) {
        house_again(h, again == 0 ? 9 : 0);
        watch_house(h, &watch);
        watch.result = FIRN_REFUSED;
        firn_entity lamp = house_at(h, 3), chest = house_at(h, 9);
        firn_hash before = zoo_hash(h->z.world);
        assert_int_equal(house_take(h, &loaded, &err), FIRN_REFUSED);
        assert_true(loaded.went_back);
        firn_saves_loaded_free(&loaded);
        assert_true(zoo_hash(h->z.world).total == before.total);
        assert_true(house_at(h, 3) == lamp && house_at(h, 9) == chest);
        assert_true(house_place(h, chest) == 9);
    }
}

// ---- sections

// What a section may say of a scene, NULL for what it does not say.
typedef struct scene_said {
    const char *scene;
    const double *ids;
    uint32_t id_count;
    const double *gone;
    uint32_t gone_count;
} scene_said;

static void say_numbers(firn_doc *doc, firn_value *table, const char *key, const double *numbers,
                        uint32_t count)
{
    firn_error err;
    firn_value *array = firn_value_table(doc, &err);
    for (uint32_t i = 0; i < count; i++)
        assert_ok(firn_table_push(doc, array, firn_value_number(doc, numbers[i], &err), &err),
                  &err);
    assert_ok(firn_table_set_text(doc, table, key, array, &err), &err);
}

static firn_result take_said(house *h, const scene_said *said, firn_error *err)
{
    firn_buffer bytes = {0};
    firn_doc *doc = firn_doc_create(NULL, NULL, err);
    firn_value *table = firn_value_table(doc, err);
    say_numbers(doc, table, "parts", NULL, 0);
    say_numbers(doc, table, "ids", said->ids, said->id_count);
    say_numbers(doc, table, "gone", said->gone, said->gone_count);
    const firn_value *name = said->scene == NULL ? firn_value_number(doc, 1, err)
                                                 : firn_value_text(doc, said->scene, err);
    assert_ok(firn_table_set_text(doc, table, "scene", name, err), err);
    assert_ok(firn_value_encode(table, NULL, &bytes, err), err);
    firn_result result = take_with_section(h->saves, &h->file, bytes.data, bytes.size, err);
    firn_buffer_free(&bytes);
    firn_doc_destroy(doc);
    return result;
}

static void assert_said_is_corrupt(house *h, const scene_said *said)
{
    firn_error err;
    assert_int_equal(take_said(h, said, &err), FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "firn.persist");
    assert_int_equal(h->entered, 0);
    assert_true(house_place(h, house_at(h, 2)) == 20);
}

static void K5_a_scene_that_is_none_is_corrupt_and_changes_nothing(void **state)
{
    house *h = *state;
    firn_error err;
    house_save(h);
    house_put(h, house_at(h, 2), 20);
    assert_said_is_corrupt(h, &(scene_said){NULL, NULL, 0, NULL, 0});
    assert_said_is_corrupt(h, &(scene_said){"", NULL, 0, NULL, 0});
    const double bad[][6] = {{0, 1, 1, 5, 5, 1},
                             {1.5, 1, 1, 5, 5, 1},
                             {1, 0, 1, 5, 5, 1},
                             {1, 1, 0, 5, 5, 1},
                             {1, 1, 1, 1, 5, 1},         // a local twice
                             {1, 1, 3, 3, 9, 1},         // and among others
                             {1, 1, 3, 5, 2, 1},         // an entity twice
                             {1, 4194304, 1, 5, 5, 1},   // slot 0
                             {1, 4194303, 2, 5, 5, 1},   // the slot behind the last
                             {1, 1, 4194303, 5, 5, 4e6}, // too many
                             {9007199254740991, 1, 2, 5, 5, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_said_is_corrupt(h, &(scene_said){"hall", bad[i], 6, NULL, 0});
    const double good[3] = {1, 1, 3};
    assert_said_is_corrupt(h, &(scene_said){"hall", good, 2, NULL, 0});
    const double backwards[2] = {2, 1}, half[1] = {1.5};
    assert_said_is_corrupt(h, &(scene_said){"hall", good, 3, backwards, 2});
    assert_said_is_corrupt(h, &(scene_said){"hall", good, 3, half, 1});
    assert_int_equal(take_with_section(h->saves, &h->file, "\xff", 1, &err), FIRN_CORRUPT);
    // A slot that the world of the save never used: it is found when the level was entered.
    const double high[3] = {1, 1000, 1};
    assert_int_equal(take_said(h, &(scene_said){"hall", high, 3, NULL, 0}, &err), FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "firn.persist");
    assert_true(house_place(h, house_at(h, 2)) == 20);
    // Who is gone need not be known.
    const double gone[2] = {2, 50};
    assert_ok(take_said(h, &(scene_said){"hall", good, 3, gone, 2}, &err), &err);
    assert_string_equal(firn_saves_scene_name(h->saves), "hall");
}

static void a_section_of_another_version_is_refused(void **state)
{
    house *h = *state;
    firn_error err;
    house_save(h);
    house_put(h, house_at(h, 2), 20);
    for (int text = 0; text < 2; text++) {
        firn_buffer bytes = {0};
        firn_writer to;
        firn_writer_begin(&to, &bytes, NULL);
        firn_write_table(&to, 0, 2);
        firn_write_text(&to, "parts");
        firn_write_table(&to, 0, 0);
        firn_write_text(&to, "version");
        if (text == 0)
            firn_write_number(&to, 2);
        else
            firn_write_text(&to, "1");
        assert_ok(firn_writer_end(&to, &err), &err);
        assert_int_equal(take_with_section(h->saves, &h->file, bytes.data, bytes.size, &err),
                         FIRN_VERSION);
        assert_error(&err, FIRN_VERSION, "firn.persist");
        firn_buffer_free(&bytes);
    }
    assert_true(house_place(h, house_at(h, 2)) == 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_HOUSE(K5_a_load_that_comes_to_no_scene_goes_back),
        IN_HOUSE(K5_a_load_goes_back_when_something_in_a_level_is_unknown),
        IN_HOUSE(K5_entities_are_those_of_before_when_no_level_can_be_entered),
        IN_HOUSE(K5_a_load_without_memory_is_in_the_scene_of_before),
        IN_HOUSE(K5_observers_of_a_load_see_the_scene_of_the_save),
        IN_HOUSE(K5_a_load_that_fails_late_has_the_scene_of_before),
        IN_HOUSE(K5_a_scene_that_is_none_is_corrupt_and_changes_nothing),
        IN_HOUSE(a_section_of_another_version_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
