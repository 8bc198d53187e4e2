// Hooks and required components at a load.
#include "api/snapshot_zoo.h"

#include <string.h>

// What the hooks of a component saw.
typedef struct log {
    char calls[512];
    uint32_t rows;
    firn_world *world;
    firn_component title;
} log;

static void note_call(log *seen, const char *what, const firn_rows *rows)
{
    strncat(seen->calls, what, sizeof seen->calls - strlen(seen->calls) - 1);
    seen->rows += rows->count;
    // Whatever a hook tries to change is refused.
    firn_error err;
    assert_int_equal(firn_spawn(seen->world, NULL, 0, &err), 0);
    assert_int_equal(err.code, FIRN_BUSY);
    assert_int_equal(firn_snapshot_load(seen->world, "", 1, NULL, NULL, &err), FIRN_BUSY);
    assert_string_equal(err.subject, firn_component_name(seen->world, rows->component));
    for (uint32_t i = 0; i < rows->count; i++)
        assert_non_null(firn_get(rows->world, rows->entities[i], rows->component));
}

static void log_init(void *user, const firn_rows *rows)
{
    note_call(user, "init ", rows);
}

static void log_drop(void *user, const firn_rows *rows)
{
    note_call(user, "drop ", rows);
}

// A world with zoo.Title and a component "hooked" of one number that has hooks.
typedef struct hooked {
    log *seen;
    firn_world *world;
    firn_component title, hooked;
} hooked;

static hooked hooked_make(log *seen, bool transient)
{
    hooked h = {.seen = seen, .world = zoo_empty(NULL)};
    static const firn_field fields[] = {{.name = "n", .type = FIRN_U32}};
    static const uint32_t seven = 7;
    firn_component_desc title = zoo_desc(ZOO_TITLE), desc = zoo_struct("hooked", 4, fields, 1);
    h.title = zoo_register(h.world, &title);
    desc.default_row = &seven;
    desc.transient = transient;
    desc.hooks = (firn_hooks){.init = log_init, .drop = log_drop, .user = seen};
    h.hooked = zoo_register(h.world, &desc);
    seen->world = h.world;
    seen->title = h.title;
    return h;
}

static void T14_replaced_rows_are_dropped_before_the_new_ones_are_in_place(void **state)
{
    (void)state;
    log seen = {.rows = 0};
    hooked h = hooked_make(&seen, false);
    firn_error err;
    zoo_spawn_one(h.world, h.hooked);
    firn_buffer image = zoo_save(h.world);
    for (int i = 0; i < 3; i++)
        zoo_spawn_one(h.world, h.hooked);
    assert_string_equal(seen.calls, "init init init init ");
    seen = (log){.world = h.world};
    firn_load_report report;
    assert_ok(firn_snapshot_load(h.world, image.data, image.size, NULL, &report, &err), &err);
    firn_load_report_free(&report);
    // One run of four rows dropped; what a load brings is not initialized.
    assert_string_equal(seen.calls, "drop ");
    assert_int_equal(seen.rows, 4);
    assert_int_equal(*(const uint32_t *)firn_get(h.world, 1, h.hooked), 7);
    seen = (log){.world = h.world};
    firn_world_destroy(h.world);
    assert_string_equal(seen.calls, "drop ");
    assert_int_equal(seen.rows, 1);
    firn_buffer_free(&image);
}

// Reads what the other entities hold, which is all still there.
static void read_titles(void *user, const firn_rows *rows)
{
    log *seen = user;
    for (uint64_t id = 1; id <= 4; id++) {
        size_t size;
        const char *text = firn_get_string(rows->world, id, seen->title, &size);
        assert_non_null(text);
        assert_int_equal(size, 23);
        assert_memory_equal(text, "a title that is not inl", 23);
    }
    seen->rows += rows->count;
}

static void T14_a_drop_hook_at_a_load_still_sees_all_the_old_world(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    zoo z = zoo_make(&memory, false);
    firn_error err;
    log seen = {.world = z.world, .title = z.of[ZOO_TITLE]};
    firn_component_desc desc = {.name = "watcher", .kind = FIRN_TAG};
    desc.hooks = (firn_hooks){.drop = read_titles, .user = &seen};
    firn_component watcher = zoo_register(z.world, &desc);
    firn_buffer empty = zoo_save(z.world);
    for (uint64_t id = 1; id <= 4; id++) {
        // Four archetypes, two of them with a watcher.
        firn_component more = z.of[id];
        zoo_spawn(z.world, &more, 1);
        assert_ok(firn_set_text(z.world, id, z.of[ZOO_TITLE], "a title that is not inl", &err),
                  &err);
        if (id % 2 == 0)
            assert_ok(firn_add(z.world, id, &watcher, 1, &err), &err);
    }
    zoo_load(z.world, &empty);
    assert_int_equal(seen.rows, 2);
    firn_buffer_free(&empty);
    firn_world_destroy(z.world);
    assert_no_leak(&memory);
}

static void require(firn_world *world, hooked *h, firn_component *owner)
{
    firn_component_desc desc = {
        .name = "owner", .kind = FIRN_TAG, .required = &h->hooked, .required_count = 1};
    *owner = zoo_register(world, &desc);
}

static void T14_a_required_transient_component_comes_with_its_default_and_init(void **state)
{
    (void)state;
    log seen = {.rows = 0};
    hooked h = hooked_make(&seen, true);
    firn_component owner;
    firn_error err;
    require(h.world, &h, &owner);
    firn_entity entity = zoo_spawn_one(h.world, owner);
    zoo_spawn_one(h.world, owner);
    uint32_t nine = 9;
    assert_ok(firn_set(h.world, entity, h.hooked, &nine, &err), &err);
    firn_buffer image = zoo_save(h.world);
    seen = (log){.world = h.world};
    zoo_load(h.world, &image);
    assert_string_equal(seen.calls, "drop init ");
    assert_int_equal(seen.rows, 4);
    assert_int_equal(*(const uint32_t *)firn_get(h.world, entity, h.hooked), 7);
    assert_saves_as(h.world, &image);
    firn_buffer_free(&image);
    firn_world_destroy(h.world);
}

static void T14_a_required_component_that_the_save_does_not_know_is_added(void **state)
{
    (void)state;
    firn_world *old = zoo_empty(NULL);
    firn_component_desc desc = {.name = "owner", .kind = FIRN_TAG};
    firn_component plain_owner = zoo_register(old, &desc), owner;
    zoo_spawn_one(old, plain_owner);
    zoo_spawn(old, NULL, 0);
    firn_buffer image = zoo_save(old);
    log seen = {.rows = 0};
    hooked h = hooked_make(&seen, false);
    require(h.world, &h, &owner);
    zoo_load(h.world, &image);
    assert_string_equal(seen.calls, "init ");
    assert_int_equal(seen.rows, 1);
    assert_int_equal(*(const uint32_t *)firn_get(h.world, 1, h.hooked), 7);
    assert_false(firn_has(h.world, 2, h.hooked));
    firn_buffer_free(&image);
    firn_world_destroy(old);
    firn_world_destroy(h.world);
}

static void T14_a_required_component_that_the_game_removed_stays_removed(void **state)
{
    (void)state;
    log seen = {.rows = 0};
    hooked h = hooked_make(&seen, false);
    firn_component owner;
    firn_error err;
    require(h.world, &h, &owner);
    firn_entity entity = zoo_spawn_one(h.world, owner), other = zoo_spawn_one(h.world, owner);
    assert_ok(firn_remove(h.world, entity, &h.hooked, 1, &err), &err);
    firn_buffer image = zoo_save(h.world);
    zoo_load(h.world, &image);
    assert_true(firn_has(h.world, entity, owner));
    assert_false(firn_has(h.world, entity, h.hooked));
    assert_true(firn_has(h.world, other, h.hooked));
    assert_saves_as(h.world, &image);
    firn_buffer_free(&image);
    firn_world_destroy(h.world);
}

static void T14_a_component_that_the_game_removed_everywhere_stays_removed(void **state)
{
    (void)state;
    log seen = {.rows = 0};
    hooked h = hooked_make(&seen, false);
    firn_component owner;
    firn_error err;
    require(h.world, &h, &owner);
    firn_entity entity = zoo_spawn_one(h.world, owner);
    assert_ok(firn_remove(h.world, entity, &h.hooked, 1, &err), &err);
    firn_buffer image = zoo_save(h.world);
    firn_hash saved, loaded;
    assert_ok(firn_image_hash(image.data, image.size, NULL, &saved, NULL, NULL, &err), &err);
    zoo_load(h.world, &image);
    assert_true(firn_has(h.world, entity, owner));
    assert_false(firn_has(h.world, entity, h.hooked));
    assert_ok(firn_world_hash(h.world, &loaded, NULL, NULL, &err), &err);
    assert_int_equal(loaded.total, saved.total);
    assert_saves_as(h.world, &image);
    firn_buffer_free(&image);
    firn_world_destroy(h.world);
}

// A required string is made aside, a number where it stays: both have their defaults.
static void T14_required_components_of_every_kind_have_their_defaults(void **state)
{
    (void)state;
    firn_error err;
    firn_world *old = zoo_empty(NULL);
    firn_component_desc desc = {.name = "owner", .kind = FIRN_TAG};
    firn_component plain_owner = zoo_register(old, &desc);
    for (int i = 0; i < 20; i++)
        zoo_spawn_one(old, plain_owner);
    firn_buffer image = zoo_save(old);

    firn_world *world = zoo_empty(NULL);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    const bool yes = true;
    const double half = 0.5;
    firn_component_desc flag = zoo_desc(ZOO_FLAG), score = zoo_desc(ZOO_SCORE);
    firn_component_desc title = zoo_desc(ZOO_TITLE), bag = zoo_desc(ZOO_BAG);
    flag.default_row = &yes;
    score.default_row = &half;
    title.default_value = firn_value_text(doc, "a default of more than 12 bytes", &err);
    bag.default_value = firn_value_table(doc, &err);
    firn_component required[] = {zoo_register(world, &flag), zoo_register(world, &score),
                                 zoo_register(world, &title), zoo_register(world, &bag)};
    desc.required = required;
    desc.required_count = 4;
    zoo_register(world, &desc);
    for (int round = 0; round < 2; round++) { // cold, and into blocks that fit
        zoo_load(world, &image);
        for (uint64_t id = 1; id <= 20; id++) {
            size_t size;
            assert_true(*(const bool *)firn_get(world, id, required[0]));
            assert_true(*(const double *)firn_get(world, id, required[1]) == 0.5);
            assert_non_null(firn_get_string(world, id, required[2], &size));
            assert_int_equal(size, 31);
            firn_value *value = firn_get_value(world, id, required[3], doc, &err);
            assert_int_equal(value->kind, FIRN_VALUE_TABLE);
        }
    }
    firn_doc_destroy(doc);
    firn_buffer_free(&image);
    firn_world_destroy(old);
    firn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T14_replaced_rows_are_dropped_before_the_new_ones_are_in_place),
        cmocka_unit_test(T14_a_drop_hook_at_a_load_still_sees_all_the_old_world),
        cmocka_unit_test(T14_a_required_transient_component_comes_with_its_default_and_init),
        cmocka_unit_test(T14_a_required_component_that_the_save_does_not_know_is_added),
        cmocka_unit_test(T14_a_required_component_that_the_game_removed_stays_removed),
        cmocka_unit_test(T14_a_component_that_the_game_removed_everywhere_stays_removed),
        cmocka_unit_test(T14_required_components_of_every_kind_have_their_defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
