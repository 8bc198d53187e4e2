// Loads with entity classes, and into worlds that a level brings on a bus that they share.
#include "api/snapshot_zoo.h"

#include <stdio.h>
#include <string.h>

typedef struct fixture {
    test_allocator memory;
    firn_bus *bus;
    firn_world *world;
    firn_world *next; // what enter gives, when it is set
    firn_saves *saves;
    int created, restored;
    int fail_restore; // the call that fails, from 1
    int heard;        // on the bus
    bool destroys;    // enter destroys the world that it replaces
    firn_buffer image;
} fixture;

static firn_result count_create(void *user, firn_world *world, firn_entity entity, firn_error *err)
{
    (void)world, (void)entity, (void)err;
    ((fixture *)user)->created++;
    return FIRN_OK;
}

static firn_result count_restore(void *user, firn_world *world, firn_entity entity, firn_error *err)
{
    fixture *f = user;
    (void)world, (void)entity;
    if (++f->restored != f->fail_restore)
        return FIRN_OK;
    snprintf(err->message, sizeof err->message, "no mesh for the knight");
    return FIRN_REFUSED;
}

static void register_knight(fixture *f, firn_world *world)
{
    firn_error err = {.code = FIRN_OK};
    const firn_class_desc desc = {
        .name = "Knight", .create = count_create, .restore = count_restore, .user = f};
    if (firn_class_register(world, &desc, &err) == 0)
        assert_ok(err.code, &err);
}

static firn_result hear(void *user, firn_world *world, const firn_event *event, firn_error *err)
{
    (void)world, (void)event, (void)err;
    ((fixture *)user)->heard++;
    return FIRN_OK;
}

static firn_result enter(void *user, const char *level, bool for_restore, firn_world **world,
                         firn_error *err)
{
    fixture *f = user;
    (void)level, (void)for_restore, (void)err;
    if (f->next != NULL) {
        firn_world *next = f->next;
        f->next = f->destroys ? NULL : *world;
        if (f->destroys)
            firn_world_destroy(*world);
        *world = next;
    }
    return FIRN_OK;
}

static firn_world *make_world(fixture *f)
{
    firn_error err;
    const firn_world_desc desc = {.allocator = &f->memory.allocator, .bus = f->bus};
    firn_world *world = firn_world_create(&desc, &err);
    assert_non_null(world);
    return world;
}

static int make_fixture(void **state)
{
    static fixture f;
    firn_error err;
    f = (fixture){.created = 0};
    test_allocator_init(&f.memory);
    f.bus = firn_bus_create(&f.memory.allocator, &err);
    f.world = make_world(&f);
    register_knight(&f, f.world);
    assert_int_not_equal(firn_class_spawn(f.world, firn_class_find(f.world, "Knight"), &err), 0);
    firn_event_register(f.world, "ring", &err);
    firn_bus_observe(f.bus, "ring", hear, &f, &err);
    const firn_levels levels = {.enter = enter, .user = &f};
    const firn_saves_desc desc = {.game = "game", .levels = &levels};
    f.saves = firn_saves_open(f.world, &desc, &err);
    *state = &f;
    return f.saves == NULL;
}

static int end_fixture(void **state)
{
    fixture *f = *state;
    firn_saves_close(f->saves);
    firn_world_destroy(f->next);
    firn_world_destroy(f->world);
    assert_int_equal(firn_bus_destroy(f->bus, NULL), FIRN_OK);
    firn_buffer_free(&f->image);
    assert_no_leak(&f->memory);
    return 0;
}

static firn_buffer make_save(fixture *f)
{
    firn_error err;
    firn_buffer bytes = {0};
    assert_ok(firn_saves_make(f->saves, NULL, &bytes, &err), &err);
    return bytes;
}

// Whether what happens in the world is told on the bus.
static bool is_heard(fixture *f, firn_world *world)
{
    firn_error err;
    int before = f->heard;
    assert_ok(firn_emit(world, firn_event_register(world, "ring", &err), 0, NULL, 0, &err), &err);
    return f->heard > before;
}

// ---------------------------------------------------------------- classes

static void S8_a_load_runs_the_restore_of_a_class_and_never_its_create(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_buffer bytes = make_save(f);
    assert_int_equal(f->created, 1);
    assert_ok(firn_saves_take(f->saves, bytes.data, bytes.size, NULL, &err), &err);
    assert_int_equal(f->created, 1);
    assert_int_equal(f->restored, 1);
    firn_buffer_free(&bytes);
}

static void S8_an_unknown_class_fails_the_load_naming_it(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_buffer bytes = make_save(f);
    firn_world *other = make_world(f);
    const firn_class_desc page = {.name = "Page"};
    assert_int_not_equal(firn_class_register(other, &page, &err), 0);
    const firn_levels levels = {.enter = enter, .user = f};
    const firn_saves_desc desc = {.game = "game", .levels = &levels};
    firn_saves *saves = firn_saves_open(other, &desc, &err);
    firn_saves_loaded loaded;
    assert_int_equal(firn_saves_take(saves, bytes.data, bytes.size, &loaded, &err), FIRN_UNKNOWN);
    assert_error(&err, FIRN_UNKNOWN, "Knight");
    assert_false(loaded.went_back);
    assert_int_equal(firn_entity_count(other), 0);
    firn_saves_loaded_free(&loaded);
    firn_saves_close(saves);
    firn_world_destroy(other);
    firn_buffer_free(&bytes);
}

static void S3_a_restore_of_a_class_that_fails_goes_back(void **state)
{
    fixture *f = *state;
    firn_error err;
    for (int levels = 0; levels < 2; levels++) {
        firn_buffer bytes = make_save(f);
        assert_ok(firn_world_set_tick(f->world, 100, &err), &err);
        firn_hash before = zoo_hash(f->world);
        f->fail_restore = f->restored + 1;
        firn_saves_loaded loaded;
        assert_int_equal(firn_saves_take(f->saves, bytes.data, bytes.size, &loaded, &err),
                         FIRN_REFUSED);
        assert_non_null(strstr(err.message, "no mesh for the knight"));
        assert_true(loaded.went_back);
        assert_true(zoo_hash(f->world).total == before.total);
        assert_int_equal(firn_world_tick(f->world), 100);
        firn_saves_loaded_free(&loaded);
        firn_buffer_free(&bytes);
        firn_saves_close(f->saves);
        const firn_saves_desc desc = {.game = "game"};
        f->saves = firn_saves_open(f->world, &desc, &err);
        assert_non_null(f->saves);
    }
}

// ---------------------------------------------------------------- worlds without a load

static int told;

static firn_result hear_saved(void *user, firn_world *world, const firn_event *event,
                              firn_error *err)
{
    (void)user, (void)world, (void)event, (void)err;
    told++;
    return FIRN_OK;
}

static void S3_a_game_that_goes_to_another_world_takes_its_manager_along(void **state)
{
    fixture *f = *state;
    firn_error err;
    const firn_value gold = {.kind = FIRN_VALUE_NUMBER, .as.number = 7};
    assert_ok(firn_saves_set_variable(f->saves, "gold", &gold, &err), &err);
    f->next = make_world(f);
    register_knight(f, f->next);
    assert_ok(firn_world_set_tick(f->next, 55, &err), &err);
    assert_ok(firn_saves_bind(f->saves, f->next, &err), &err);
    assert_ptr_equal(firn_saves_world(f->saves), f->next);
    firn_buffer bytes = make_save(f);
    firn_save_file *file = firn_save_file_open(bytes.data, bytes.size, NULL, &err);
    assert_int_equal(firn_save_file_header(file)->tick, 55);
    firn_save_file_close(file);
    firn_buffer_free(&bytes);
    assert_true(firn_saves_variable(f->saves, "gold")->as.number == 7);
    // The world that it left may have another manager, and this one does not go there then.
    const firn_saves_desc desc = {.game = "game"};
    firn_saves *other = firn_saves_open(f->world, &desc, &err);
    assert_non_null(other);
    assert_int_equal(firn_saves_bind(f->saves, f->world, &err), FIRN_EXISTS);
    assert_ptr_equal(firn_saves_world(f->saves), f->next);
    firn_saves_close(other);
}

static void a_manager_goes_on_in_another_world_when_its_own_was_destroyed(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_storage storage;
    firn_saves_close(f->saves);
    assert_ok(firn_storage_memory(NULL, &storage, &err), &err);
    const firn_saves_desc desc = {.game = "game", .storage = &storage};
    f->saves = firn_saves_open(f->world, &desc, &err);
    assert_ok(firn_saves_request_save(f->saves, "a", NULL, &err), &err);
    firn_world_destroy(f->world);
    f->world = make_world(f);
    assert_int_equal(firn_saves_end_tick(f->saves, 1, &err), FIRN_INVALID);
    assert_ok(firn_saves_bind(f->saves, f->world, &err), &err);
    told = 0;
    const firn_observer_desc hearer = {.event = "saved", .observe = hear_saved};
    assert_int_not_equal(firn_observe(f->world, &hearer, &err), 0);
    assert_ok(firn_saves_end_tick(f->saves, 1, &err), &err);
    assert_int_equal(told, 1);
    assert_true(firn_saves_has(f->saves, "a"));
    firn_saves_close(f->saves);
    f->saves = NULL;
    firn_storage_close(&storage);
}

static firn_result bind_in_hook(void *user, firn_saves *saves, firn_doc *doc, firn_value *fields,
                                firn_error *err)
{
    (void)user, (void)doc, (void)fields, (void)err;
    firn_error inside;
    assert_int_equal(firn_saves_bind(saves, firn_saves_world(saves), &inside), FIRN_BUSY);
    assert_error(&inside, FIRN_BUSY, "a before-save hook");
    return FIRN_OK;
}

static void a_manager_stays_where_it_is_inside_of_its_callbacks(void **state)
{
    fixture *f = *state;
    firn_error err;
    assert_int_not_equal(firn_saves_before_save(f->saves, NULL, bind_in_hook, NULL, &err), 0);
    firn_buffer bytes = make_save(f);
    firn_buffer_free(&bytes);
    assert_int_equal(firn_saves_bind(NULL, f->world, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "saves");
    assert_int_equal(firn_saves_bind(f->saves, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "world");
}

// ---------------------------------------------------------------- worlds on a bus

static void S9_the_world_of_the_level_takes_the_place_of_the_old_one_on_the_bus(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_buffer bytes = make_save(f), image = zoo_save(f->world);
    f->next = firn_world_build_from(f->world, image.data, image.size, NULL, NULL, &err);
    assert_non_null(f->next);
    firn_world *built = f->next;
    assert_false(is_heard(f, built));
    firn_saves_loaded loaded;
    assert_ok(firn_saves_take(f->saves, bytes.data, bytes.size, &loaded, &err), &err);
    assert_ptr_equal(loaded.world, built);
    assert_true(is_heard(f, built));
    assert_false(is_heard(f, f->world));
    assert_saves_as(built, &image);
    // And back again.
    assert_ok(firn_saves_take(f->saves, bytes.data, bytes.size, NULL, &err), &err);
    assert_ptr_equal(firn_saves_world(f->saves), f->world);
    assert_true(is_heard(f, f->world));
    assert_false(is_heard(f, built));
    firn_saves_loaded_free(&loaded);
    firn_buffer_free(&image);
    firn_buffer_free(&bytes);
}

static void S9_a_load_that_goes_back_leaves_the_old_world_on_the_bus(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_buffer bytes = make_save(f), image = zoo_save(f->world);
    f->next = firn_world_build_from(f->world, image.data, image.size, NULL, NULL, &err);
    f->fail_restore = f->restored + 1;
    assert_int_equal(firn_saves_take(f->saves, bytes.data, bytes.size, NULL, &err), FIRN_REFUSED);
    assert_ptr_equal(firn_saves_world(f->saves), f->world);
    assert_true(is_heard(f, f->world));
    assert_false(is_heard(f, f->next));
    firn_buffer_free(&image);
    firn_buffer_free(&bytes);
}

// The level of before is made anew in the world that the failed one brought.
static firn_result enter_and_stay(void *user, const char *level, bool for_restore,
                                  firn_world **world, firn_error *err)
{
    fixture *f = user;
    (void)level, (void)for_restore, (void)err;
    *world = f->next;
    return FIRN_OK;
}

static void S9_a_load_that_goes_back_in_another_world_puts_that_on_the_bus(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_saves_close(f->saves);
    const firn_levels levels = {.enter = enter_and_stay, .user = f};
    const firn_saves_desc desc = {.game = "game", .levels = &levels};
    f->saves = firn_saves_open(f->world, &desc, &err);
    assert_non_null(f->saves);
    firn_buffer bytes = make_save(f), image = zoo_save(f->world);
    f->next = firn_world_build_from(f->world, image.data, image.size, NULL, NULL, &err);
    f->fail_restore = f->restored + 1;
    assert_int_equal(firn_saves_take(f->saves, bytes.data, bytes.size, NULL, &err), FIRN_REFUSED);
    assert_ptr_equal(firn_saves_world(f->saves), f->next);
    assert_saves_as(f->next, &image);
    assert_true(is_heard(f, f->next));
    assert_false(is_heard(f, f->world));
    firn_buffer_free(&image);
    firn_buffer_free(&bytes);
}

static void S3_a_level_that_destroys_the_world_that_it_replaces_is_no_harm(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_buffer bytes = make_save(f), image = zoo_save(f->world);
    f->next = firn_world_build_from(f->world, image.data, image.size, NULL, NULL, &err);
    f->world = f->next;
    f->destroys = true;
    assert_ok(firn_saves_take(f->saves, bytes.data, bytes.size, NULL, &err), &err);
    assert_ptr_equal(firn_saves_world(f->saves), f->world);
    assert_saves_as(f->world, &image);
    assert_true(is_heard(f, f->world));
    firn_buffer_free(&image);
    firn_buffer_free(&bytes);
}

#define WORLD_TEST(test) cmocka_unit_test_setup_teardown(test, make_fixture, end_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(S8_a_load_runs_the_restore_of_a_class_and_never_its_create),
        WORLD_TEST(S8_an_unknown_class_fails_the_load_naming_it),
        WORLD_TEST(S3_a_restore_of_a_class_that_fails_goes_back),
        WORLD_TEST(S3_a_game_that_goes_to_another_world_takes_its_manager_along),
        WORLD_TEST(a_manager_goes_on_in_another_world_when_its_own_was_destroyed),
        WORLD_TEST(a_manager_stays_where_it_is_inside_of_its_callbacks),
        WORLD_TEST(S9_the_world_of_the_level_takes_the_place_of_the_old_one_on_the_bus),
        WORLD_TEST(S9_a_load_that_goes_back_leaves_the_old_world_on_the_bus),
        WORLD_TEST(S9_a_load_that_goes_back_in_another_world_puts_that_on_the_bus),
        WORLD_TEST(S3_a_level_that_destroys_the_world_that_it_replaces_is_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
