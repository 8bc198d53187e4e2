// Saves of what persists: entities that the save knows under another id.
#include "api/persist_room.h"
#include "api/persist_section.h"

#include <string.h>

static void despawn(room *r, firn_entity entity)
{
    firn_error err;
    assert_ok(firn_despawn(r->z.world, entity, &err), &err);
}

static void relate(room *r, firn_entity source, firn_entity target)
{
    firn_error err;
    assert_ok(firn_relate(r->z.world, source, firn_child_of(r->z.world), target, NULL, &err), &err);
}

// Scenery that names an entity in a field, and as its parent.
static firn_entity follow(room *r, firn_entity target)
{
    firn_error err;
    firn_entity entity = room_spawn(r, 70);
    const zoo_body body = {.target = target, .target_number = (double)target};
    assert_ok(firn_set(r->z.world, entity, r->z.of[ZOO_BODY], &body, &err), &err);
    relate(r, entity, target);
    return entity;
}

static void assert_follows(const room *r, firn_entity entity, firn_entity target)
{
    const zoo_body *body = firn_get(r->z.world, entity, r->z.of[ZOO_BODY]);
    assert_int_equal(body->target, target);
    assert_true(body->target_number == (double)target);
    assert_int_equal(firn_target(r->z.world, entity, firn_child_of(r->z.world)), target);
}

static firn_saves_loaded load_told(room *r)
{
    firn_error err;
    firn_saves_loaded loaded;
    assert_ok(firn_saves_take(r->saves, r->file.data, r->file.size, &loaded, &err), &err);
    return loaded;
}

static void assert_key(const room *r, firn_entity entity, const char *expected)
{
    char key[FIRN_PERSIST_KEY_SIZE];
    firn_persist_key(r->z.world, entity, key);
    assert_string_equal(key, expected);
}

// The scene was made again: another entity is called as the saved one.
static void K14_who_has_the_key_of_a_saved_entity_gets_its_id(void **state)
{
    room *r = *state;
    room_save(r);
    despawn(r, r->player);
    firn_entity other = room_spawn(r, 8), again = room_spawn(r, 20);
    room_persist(r, again, (firn_persist){.id = "player"});
    firn_entity friend = follow(r, again);
    assert_true((other & FIRN_SLOT_MAX) == (r->player & FIRN_SLOT_MAX));
    firn_saves_loaded loaded = load_told(r);
    assert_false(firn_alive(r->z.world, again));
    assert_key(r, r->player, "player");
    assert_true(room_place_of(r, r->player) == 2);
    assert_follows(r, friend, r->player);
    // Who was on its slot has moved.
    assert_int_equal(loaded.moved_count, 2);
    assert_true(loaded.moved[0].saved == again && loaded.moved[0].entity == r->player);
    assert_true(loaded.moved[1].saved == other);
    assert_true(room_place_of(r, loaded.moved[1].entity) == 8);
    firn_saves_loaded_free(&loaded);
}

static void K14_keys_that_have_changed_places_come_back(void **state)
{
    room *r = *state;
    room_persist(r, r->door, (firn_persist){.id = "door"});
    room_save(r);
    room_persist(r, r->door, (firn_persist){.id = "player"});
    room_persist(r, r->player, (firn_persist){.id = "door"});
    firn_entity of_door = follow(r, r->door), of_player = follow(r, r->player);
    room_load(r);
    assert_key(r, r->player, "player");
    assert_key(r, r->door, "door");
    assert_true(room_place_of(r, r->player) == 2 && room_place_of(r, r->door) == 3);
    assert_follows(r, of_door, r->player);
    assert_follows(r, of_player, r->door);
}

// It persists under a key of its own, which the save does not have.
static void K14_who_has_the_id_of_a_saved_entity_under_another_key_ends(void **state)
{
    room *r = *state;
    room_save(r);
    room_persist(r, r->player, (firn_persist){.id = "ghost"});
    firn_entity again = room_spawn(r, 20), haunted = follow(r, r->player);
    room_persist(r, again, (firn_persist){.id = "player"});
    firn_entity friend = follow(r, again);
    room_load(r);
    assert_key(r, r->player, "player");
    assert_true(room_place_of(r, r->player) == 2);
    assert_follows(r, friend, r->player);
    assert_false(firn_alive(r->z.world, haunted)); // with its parent
    assert_false(firn_alive(r->z.world, again));
}

static void K14_who_has_the_id_of_a_saved_entity_and_does_not_persist_moves(void **state)
{
    room *r = *state;
    firn_error err;
    room_save(r);
    assert_ok(firn_remove(r->z.world, r->player, &r->persist, 1, &err), &err);
    room_place(r, r->player, 77);
    firn_entity again = room_spawn(r, 20), friend = follow(r, r->player);
    room_persist(r, again, (firn_persist){.id = "player"});
    firn_saves_loaded loaded = load_told(r);
    assert_int_equal(loaded.moved_count, 2);
    assert_true(loaded.moved[1].saved == r->player);
    assert_true(room_place_of(r, loaded.moved[1].entity) == 77);
    assert_follows(r, friend, loaded.moved[1].entity);
    assert_true(room_place_of(r, r->player) == 2);
    firn_saves_loaded_free(&loaded);
}

// It is saved by field by now.
static void K14_who_has_the_key_comes_back_whole_however_it_is_saved_now(void **state)
{
    room *r = *state;
    room_save(r);
    despawn(r, r->player);
    (void)room_spawn(r, 8);
    firn_entity again = room_spawn(r, 20);
    room_persist(r, again, (firn_persist){.id = "player", .mode = FIRN_PERSIST_VARS});
    room_load(r);
    assert_false(firn_alive(r->z.world, again));
    assert_true(room_place_of(r, r->player) == 2);
    const firn_persist *row = firn_get(r->z.world, r->player, r->persist);
    assert_int_equal(row->mode, FIRN_PERSIST_ALL);
}

static void K14_a_slot_that_nobody_has_any_more_is_free(void **state)
{
    room *r = *state;
    room_save(r);
    despawn(r, r->player);
    firn_entity other = room_spawn(r, 8), again = room_spawn(r, 20);
    room_persist(r, again, (firn_persist){.id = "player"});
    despawn(r, other);
    room_load(r);
    // The save knew no entity there: the next one is fresh.
    assert_int_equal(room_spawn(r, 1), again & FIRN_SLOT_MAX);
}

// ---- rows of who is renamed

static void set_var(room *r, firn_entity entity, double number)
{
    firn_error err;
    const firn_value value = {.kind = FIRN_VALUE_NUMBER, .as.number = number};
    assert_ok(firn_vars_set(r->z.world, entity, "keys of the house", &value, &err), &err);
}

static double var_of(const room *r, firn_entity entity)
{
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    const firn_value *value = firn_vars_get(r->z.world, entity, "keys of the house", doc, NULL);
    double number = value == NULL ? -1 : value->as.number;
    firn_doc_destroy(doc);
    return number;
}

static void K1_variables_of_a_whole_entity_can_stay_as_they_are(void **state)
{
    room *r = *state;
    firn_error err;
    firn_component vars = firn_vars_component(r->z.world);
    room_persist(r, r->player, (firn_persist){.id = "player", .no_vars = true});
    room_persist(r, r->door, (firn_persist){.no_vars = true});
    set_var(r, r->player, 1);
    set_var(r, r->door, 1);
    room_save(r);
    set_var(r, r->player, 2);
    room_place(r, r->player, 20);
    assert_ok(firn_remove(r->z.world, r->door, &vars, 1, &err), &err);
    room_load(r);
    assert_true(room_place_of(r, r->player) == 2);
    assert_true(var_of(r, r->player) == 2);
    assert_false(firn_has(r->z.world, r->door, vars));
    // As they are with who has the key, and none with whom the load makes.
    despawn(r, r->player);
    despawn(r, r->door);
    firn_entity again = room_spawn(r, 20);
    room_persist(r, again, (firn_persist){.id = "player"});
    set_var(r, again, 3);
    room_load(r);
    assert_true(var_of(r, r->player) == 3);
    assert_false(firn_has(r->z.world, r->door, vars));
}

// A manager of another session, to which an entity without `persist` is scenery.
static void K1_variables_of_scenery_that_makes_room_go_with_it(void **state)
{
    room *r = *state;
    firn_error err;
    room_persist(r, r->player, (firn_persist){.id = "player", .no_vars = true});
    room_persist(r, r->door, (firn_persist){.no_vars = true});
    room_save(r);
    firn_saves_close(r->saves);
    r->saves = firn_saves_open(r->z.world, &r->desc, &err);
    assert_non_null(r->saves);
    assert_ok(firn_remove(r->z.world, r->door, &r->persist, 1, &err), &err);
    assert_ok(firn_remove(r->z.world, r->player, &r->persist, 1, &err), &err);
    set_var(r, r->door, 4);
    set_var(r, r->player, 5);
    firn_saves_loaded loaded;
    assert_ok(firn_saves_take(r->saves, r->file.data, r->file.size, &loaded, &err), &err);
    assert_int_equal(loaded.moved_count, 2);
    for (uint32_t i = 0; i < 2; i++)
        assert_true(var_of(r, loaded.moved[i].entity) ==
                    (loaded.moved[i].saved == r->door ? 4 : 5));
    assert_true(room_place_of(r, r->door) == 3 && var_of(r, r->door) == -1);
    assert_true(room_place_of(r, r->player) == 2 && var_of(r, r->player) == -1);
    firn_saves_loaded_free(&loaded);
}

static void K1_variables_that_stay_leave_the_rows_of_others_in_their_order(void **state)
{
    room *r = *state;
    firn_entity all[6];
    for (int i = 0; i < 6; i++) {
        all[i] = room_spawn(r, 30 + (float)i);
        room_persist(r, all[i], (firn_persist){.no_vars = i % 2 == 0});
        set_var(r, all[i], i);
    }
    room_save(r);
    firn_hash before = zoo_hash(r->z.world);
    for (int i = 5; i >= 0; i--)
        room_place(r, all[i], 99);
    room_load(r);
    assert_int_equal(zoo_hash(r->z.world).total, before.total);
}

// Fields of one that is kept, moves to another id and loses a parent of old; an entity that is
// renamed; variables that stay: whatever needs room, with each allocation failing by turns.
static void K14_a_load_is_done_or_not_whatever_allocation_fails(void **state)
{
    room *r = *state;
    firn_error err;
    const firn_component *of = r->z.of;
    const firn_component_desc desc = {.name = "Likes", .kind = FIRN_RELATION};
    firn_component likes = zoo_register(r->z.world, &desc);
    firn_entity ball = room_spawn(r, 5);
    room_persist(r, r->player, (firn_persist){.id = "player", .no_vars = true});
    room_persist(r, ball, (firn_persist){.spawned = true});
    room_persist(r, r->door,
                 (firn_persist){.id = "door",
                                .mode = FIRN_PERSIST_FIELDS,
                                .fields = "zoo.Title zoo.Bag zoo.Body.mass zoo.Score"});
    const char *title = "a title that is not short";
    const double score = 5;
    const zoo_body body = {.mass = 7, .i32 = 8};
    assert_ok(firn_set_text(r->z.world, r->door, of[ZOO_TITLE], title, &err), &err);
    assert_ok(firn_set(r->z.world, r->door, of[ZOO_SCORE], &score, &err), &err);
    assert_ok(firn_set(r->z.world, r->door, of[ZOO_BODY], &body, &err), &err);
    room_save(r);
    // The slots of the save are those of others now.
    despawn(r, r->player);
    despawn(r, r->door);
    despawn(r, ball);
    firn_entity door = room_spawn(r, 33), guest = room_spawn(r, 34), player = room_spawn(r, 22),
                later = room_spawn(r, 23), other = room_spawn(r, 24);
    room_persist(r, door, (firn_persist){.id = "door", .mode = FIRN_PERSIST_VARS});
    room_persist(r, player, (firn_persist){.id = "player", .mode = FIRN_PERSIST_VARS});
    room_persist(r, later, (firn_persist){.id = "later", .spawned = true});
    for (int i = 0; i < 5; i++)
        relate(r, room_spawn(r, 1), later);
    assert_ok(firn_add(r->z.world, door, &of[ZOO_BAG], 1, &err), &err);
    set_var(r, player, 3);
    assert_ok(firn_relate(r->z.world, door, likes, later, NULL, &err), &err);
    assert_ok(firn_relate(r->z.world, door, likes, guest, NULL, &err), &err);
    assert_ok(firn_relate(r->z.world, other, likes, player, NULL, &err), &err);
    firn_result result = FIRN_NO_MEMORY;
    uint64_t call = 0;
    firn_hash before = zoo_hash(r->z.world);
    firn_saves_loaded loaded;
    while (result == FIRN_NO_MEMORY) {
        test_allocator_fail_at(&r->memory, ++call, false);
        result = firn_saves_take(r->saves, r->file.data, r->file.size, &loaded, &err);
        test_allocator_fail_at(&r->memory, 0, false);
        if (result == FIRN_NO_MEMORY) {
            assert_false(loaded.report.committed);
            assert_int_equal(zoo_hash(r->z.world).total, before.total);
            firn_saves_loaded_free(&loaded);
        }
    }
    assert_ok(result, &err);
    assert_true(call > 80);
    assert_int_equal(loaded.moved_count, 2);
    assert_true(loaded.moved[1].saved == door);
    door = loaded.moved[1].entity;
    firn_saves_loaded_free(&loaded);
    size_t size;
    assert_memory_equal(firn_get_string(r->z.world, door, of[ZOO_TITLE], &size), title,
                        strlen(title));
    assert_true(*(const double *)firn_get(r->z.world, door, of[ZOO_SCORE]) == 5);
    const zoo_body *now = firn_get(r->z.world, door, of[ZOO_BODY]);
    assert_true(now->mass == 7 && now->i32 == 0);
    assert_false(firn_has(r->z.world, door, of[ZOO_BAG]));
    assert_true(room_place_of(r, door) == 33);
    assert_int_equal(firn_targets(r->z.world, door, likes, NULL, 0), 1);
    assert_non_null(firn_related(r->z.world, other, likes, r->player));
    assert_true(var_of(r, r->player) == 3 && room_place_of(r, r->player) == 2);
}

// Its archetype is another one, for it has a relationship to an entity that moves.
static void K14_fields_find_an_entity_whose_target_moves(void **state)
{
    room *r = *state;
    firn_error err;
    const firn_component_desc desc = {.name = "Likes", .kind = FIRN_RELATION};
    firn_component likes = zoo_register(r->z.world, &desc);
    firn_component needs_title = r->z.of[ZOO_TITLE];
    const firn_component_desc scroll = {
        .name = "Scroll", .kind = FIRN_NUMBER, .required = &needs_title, .required_count = 1};
    firn_component scrolls = zoo_register(r->z.world, &scroll);
    const double number = 4;
    firn_entity lamp = room_spawn(r, 6);
    room_persist(
        r, lamp,
        (firn_persist){.id = "lamp", .mode = FIRN_PERSIST_FIELDS, .fields = "zoo.Point Scroll"});
    assert_ok(firn_set(r->z.world, lamp, scrolls, &number, &err), &err);
    room_save(r);
    assert_ok(firn_remove(r->z.world, lamp, &scrolls, 1, &err), &err);
    assert_ok(firn_remove(r->z.world, lamp, &needs_title, 1, &err), &err);
    despawn(r, r->player);
    firn_entity guest = room_spawn(r, 9);
    assert_ok(firn_relate(r->z.world, lamp, likes, guest, NULL, &err), &err);
    firn_saves_loaded loaded = load_told(r);
    assert_int_equal(loaded.moved_count, 1);
    assert_int_equal(firn_target(r->z.world, lamp, likes), loaded.moved[0].entity);
    firn_saves_loaded_free(&loaded);
    assert_true(*(const double *)firn_get(r->z.world, lamp, scrolls) == 4);
    assert_true(firn_has(r->z.world, lamp, needs_title));
}

// ---- bad input

// {parts = {}, name = {first, second}}; as text when they are none.
static firn_result take_keys(room *r, const char *name, const char *first, double second,
                             firn_error *err)
{
    firn_buffer bytes = {0};
    firn_writer to;
    firn_writer_begin(&to, &bytes, NULL);
    firn_write_table(&to, 0, 2);
    firn_write_text(&to, name);
    firn_write_table(&to, 2, 0);
    if (first != NULL)
        firn_write_text(&to, first);
    else
        firn_write_number(&to, second);
    firn_write_number(&to, second);
    firn_write_text(&to, "parts");
    firn_write_table(&to, 0, 0);
    assert_ok(firn_writer_end(&to, err), err);
    firn_result result = take_with_section(r->saves, &r->file, bytes.data, bytes.size, err);
    firn_buffer_free(&bytes);
    return result;
}

static void keys_and_ids_that_are_none_are_corrupt_and_change_nothing(void **state)
{
    room *r = *state;
    firn_error err;
    room_save(r);
    room_place(r, r->player, 20);
    const double wrong[] = {0, 1.5, -1, 9007199254740992.0, 9007199254740992.0 * 4};
    for (uint32_t i = 0; i < FIRN_COUNT(wrong); i++) {
        assert_int_equal(take_keys(r, "keys", "player", wrong[i], &err), FIRN_CORRUPT);
        assert_error(&err, FIRN_CORRUPT, "firn.persist");
        assert_int_equal(take_keys(r, "no_vars", NULL, wrong[i], &err), FIRN_CORRUPT);
        assert_error(&err, FIRN_CORRUPT, "firn.persist");
    }
    assert_int_equal(take_keys(r, "keys", NULL, 1, &err), FIRN_CORRUPT);
    assert_int_equal(take_keys(r, "no_vars", "player", 1, &err), FIRN_CORRUPT);
    assert_int_equal(take_keys(r, "no_vars", NULL, (double)r->player, &err), FIRN_CORRUPT);
    // An id, but of a slot that no world of this limit has, or that is none.
    assert_int_equal(take_keys(r, "keys", "player", 4194304, &err), FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "ids");
    assert_int_equal(err.entity, r->player);
    assert_true(room_place_of(r, r->player) == 20);
    // The image does not have the entity: it ends, as one that was spawned later.
    assert_ok(take_keys(r, "keys", "player", 77, &err), &err);
    assert_true(room_place_of(r, r->player) == 2);
}

static void a_key_that_is_no_id_is_that_of_nobody(void **state)
{
    room *r = *state;
    firn_error err;
    room_save(r);
    assert_ok(take_keys(r, "keys", "#3x", (double)r->player, &err), &err);
    assert_ok(take_keys(r, "keys", "#99999999999999999999999999", (double)r->player, &err), &err);
    assert_ok(take_keys(r, "keys", "", (double)r->player, &err), &err);
    assert_true(room_place_of(r, r->player) == 2 && room_place_of(r, r->door) == 3);
}

// The first holds: the other one is made beside it.
static void K14_of_two_ids_for_one_key_the_first_holds(void **state)
{
    room *r = *state;
    firn_error err;
    firn_buffer bytes = {0};
    firn_writer to;
    room_save(r);
    despawn(r, r->player);
    firn_entity again = room_spawn(r, 20);
    room_persist(r, again, (firn_persist){.id = "player"});
    firn_entity friend = follow(r, again);
    firn_writer_begin(&to, &bytes, NULL);
    firn_write_table(&to, 0, 2);
    firn_write_text(&to, "keys");
    firn_write_table(&to, 4, 0);
    for (int i = 0; i < 2; i++) {
        firn_write_text(&to, "player");
        firn_write_number(&to, (double)(i == 0 ? r->player : r->door));
    }
    firn_write_text(&to, "parts");
    firn_write_table(&to, 0, 0);
    assert_ok(firn_writer_end(&to, &err), &err);
    assert_ok(take_with_section(r->saves, &r->file, bytes.data, bytes.size, &err), &err);
    assert_follows(r, friend, r->player);
    assert_true(room_place_of(r, r->player) == 2 && room_place_of(r, r->door) == 3);
    firn_buffer_free(&bytes);
}

// Who has a part has one.
static void a_key_that_is_there_twice_is_corrupt(void **state)
{
    room *r = *state;
    firn_error err;
    firn_buffer bytes = {0};
    firn_writer to;
    room_save(r);
    firn_writer_begin(&to, &bytes, NULL);
    firn_write_table(&to, 0, 1);
    firn_write_text(&to, "parts");
    firn_write_table(&to, 2, 0);
    for (int i = 0; i < 2; i++) {
        firn_write_table(&to, 3, 0);
        firn_write_text(&to, "player");
        firn_write_table(&to, 0, 0);
        firn_write_table(&to, 0, 0);
    }
    assert_ok(firn_writer_end(&to, &err), &err);
    assert_int_equal(take_with_section(r->saves, &r->file, bytes.data, bytes.size, &err),
                     FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "firn.persist");
    firn_buffer_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOM(K14_who_has_the_key_of_a_saved_entity_gets_its_id),
        IN_ROOM(K14_keys_that_have_changed_places_come_back),
        IN_ROOM(K14_who_has_the_id_of_a_saved_entity_under_another_key_ends),
        IN_ROOM(K14_who_has_the_id_of_a_saved_entity_and_does_not_persist_moves),
        IN_ROOM(K14_who_has_the_key_comes_back_whole_however_it_is_saved_now),
        IN_ROOM(K14_a_slot_that_nobody_has_any_more_is_free),
        IN_ROOM(K1_variables_of_a_whole_entity_can_stay_as_they_are),
        IN_ROOM(K1_variables_of_scenery_that_makes_room_go_with_it),
        IN_ROOM(K1_variables_that_stay_leave_the_rows_of_others_in_their_order),
        IN_ROOM(K14_a_load_is_done_or_not_whatever_allocation_fails),
        IN_ROOM(K14_fields_find_an_entity_whose_target_moves),
        IN_ROOM(K14_of_two_ids_for_one_key_the_first_holds),
        IN_ROOM(a_key_that_is_no_id_is_that_of_nobody),
        IN_ROOM(keys_and_ids_that_are_none_are_corrupt_and_change_nothing),
        IN_ROOM(a_key_that_is_there_twice_is_corrupt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
