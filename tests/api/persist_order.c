// Saves of what persists: the order of sources of a target that does not.
#include "api/persist_room.h"
#include "api/persist_section.h"
#include "buffer/bytes.h"

#include <string.h>

static void relate(room *r, firn_entity source, firn_entity target)
{
    firn_error err;
    assert_ok(firn_relate(r->z.world, source, firn_child_of(r->z.world), target, NULL, &err), &err);
}

static void assert_children(const room *r, const firn_entity *expected, uint32_t count)
{
    firn_entity found[8];
    assert_int_equal(firn_sources(r->z.world, firn_child_of(r->z.world), r->scenery, found, 8),
                     count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(found[i], expected[i]);
}

// The player comes before the door as a row, and behind it as a child.
static void place_children(room *r)
{
    relate(r, r->player, r->scenery);
    relate(r, r->door, r->scenery);
    relate(r, r->player, r->door);
    relate(r, r->player, r->scenery);
    const firn_entity both[] = {r->door, r->player};
    assert_children(r, both, 2);
}

static void K14_sources_of_a_target_that_does_not_persist_are_in_their_order_again(void **state)
{
    room *r = *state;
    place_children(r);
    room_save(r);
    relate(r, r->door, r->player);
    relate(r, r->door, r->scenery);
    firn_entity guest = room_spawn(r, 5);
    relate(r, guest, r->scenery);
    const firn_entity changed[] = {r->player, r->door, guest},
                      after[] = {guest, r->door, r->player};
    assert_children(r, changed, 3);
    room_load(r);
    // Who was kept stands before.
    assert_children(r, after, 3);
}

static void K14_in_a_world_of_fewer_slots_sources_are_in_their_order_too(void **state)
{
    room *r = *state;
    firn_error err;
    firn_entity chest = room_spawn(r, 5);
    room_persist(r, chest, (firn_persist){.spawned = true});
    relate(r, r->player, chest);
    relate(r, r->door, chest);
    relate(r, r->player, r->door);
    relate(r, r->player, chest);
    room_save(r);
    firn_saves_close(r->saves);
    firn_world_destroy(r->z.world);
    r->z = zoo_make(&r->memory, false);
    r->saves = firn_saves_open(r->z.world, &r->desc, &err);
    room_load(r);
    r->scenery = chest;
    const firn_entity both[] = {r->door, r->player};
    assert_children(r, both, 2);
}

static void K14_a_target_that_is_gone_has_no_sources_to_order(void **state)
{
    room *r = *state;
    firn_error err;
    place_children(r);
    room_save(r);
    assert_ok(firn_despawn(r->z.world, r->scenery, &err), &err);
    room_load(r);
    assert_true(room_place_of(r, r->player) == 2 && room_place_of(r, r->door) == 3);
    assert_int_equal(firn_target(r->z.world, r->player, firn_child_of(r->z.world)), 0);
}

static void K14_a_list_that_is_far_longer_than_the_save_is_not_looked_through(void **state)
{
    room *r = *state;
    for (int i = 0; i < 100; i++)
        relate(r, room_spawn(r, 5), r->scenery);
    relate(r, r->player, r->scenery);
    relate(r, r->door, r->scenery);
    relate(r, r->player, r->door);
    relate(r, r->player, r->scenery);
    room_save(r);
    room_load(r);
    firn_entity found[102];
    assert_int_equal(firn_sources(r->z.world, firn_child_of(r->z.world), r->scenery, found, 102),
                     102);
    assert_true(found[100] == r->player && found[101] == r->door);
}

static void K14_a_save_without_memory_for_the_order_fails(void **state)
{
    room *r = *state;
    firn_error err;
    place_children(r);
    firn_result result = FIRN_NO_MEMORY;
    for (uint64_t call = 1; result == FIRN_NO_MEMORY; call++) {
        firn_buffer_clear(&r->file);
        test_allocator_fail_at(&r->memory, call, false);
        result = firn_saves_make(r->saves, NULL, &r->file, &err);
        test_allocator_fail_at(&r->memory, 0, false);
    }
    assert_ok(result, &err);
    result = FIRN_NO_MEMORY;
    for (uint64_t call = 1; result == FIRN_NO_MEMORY; call++) {
        test_allocator_fail_at(&r->memory, call, false);
        result = firn_saves_take(r->saves, r->file.data, r->file.size, NULL, &err);
        test_allocator_fail_at(&r->memory, 0, false);
    }
    assert_ok(result, &err);
    const firn_entity both[] = {r->door, r->player};
    assert_children(r, both, 2);
}

// ---- bad input

static firn_buffer copy_image(const room *r)
{
    firn_error err;
    const void *bytes;
    size_t size;
    firn_buffer image = {0};
    firn_save_file *file = firn_save_file_open(r->file.data, r->file.size, NULL, &err);
    assert_ok(firn_save_file_section(file, FIRN_SECTION_SNAPSHOT, &bytes, &size, &err), &err);
    assert_ok(firn_buffer_append(&image, bytes, size, &err), &err);
    firn_save_file_close(file);
    return image;
}

static uint8_t *find_text(const firn_buffer *image, const char *text)
{
    size_t at = 0;
    while (memcmp(image->data + at, text, strlen(text)) != 0)
        at++;
    return image->data + at + strlen(text);
}

static void lists_that_do_not_fit_are_corrupt_and_change_nothing(void **state)
{
    room *r = *state;
    firn_error err;
    place_children(r);
    room_save(r);
    room_place(r, r->player, 20);
    // key, head of the array, head of a list, `ChildOf`, the target, two sources in a piece.
    for (int i = 0; i < 3; i++) {
        firn_buffer image = copy_image(r);
        uint8_t *target = find_text(&image, "__firn.outer");
        while (memcmp(target, "ChildOf", 7) != 0)
            target++;
        target += 7;
        uint8_t *source = target;
        while (fr_load_u64(source) != r->door)
            source++;
        if (i == 0)
            fr_store_u64(source, r->player); // twice
        else if (i == 1)
            fr_store_u64(source, r->scenery); // not of the save
        else
            (void)fr_put_number(target, (double)r->player); // who is of the save
        assert_int_equal(take_with_image(r->saves, &r->file, image.data, image.size, &err),
                         FIRN_CORRUPT);
        assert_error(&err, FIRN_CORRUPT, "__firn.outer");
        firn_buffer_free(&image);
    }
    assert_true(room_place_of(r, r->player) == 20);
}

// ---- rows

static void assert_rows(const room *r, const firn_entity *expected, uint32_t count)
{
    const firn_term terms[] = {{.component = r->persist}, {.component = r->z.of[ZOO_POINT]}};
    const firn_query_desc desc = {.terms = terms, .term_count = 2};
    firn_query query = firn_query_create(r->z.world, &desc, NULL);
    uint32_t at = 0;
    firn_iter it;
    firn_iter_begin(r->z.world, query, &it);
    while (firn_iter_next(&it))
        for (uint32_t i = 0; i < it.count; i++, at++)
            assert_true(at < count && it.entities[i] == expected[at]);
    assert_ok(firn_iter_end(&it, NULL), NULL);
    assert_int_equal(at, count);
    assert_ok(firn_query_destroy(r->z.world, query, NULL), NULL);
}

// The lamp stands among them, and leaves them in the load, which gives its score back.
static void K14_rows_are_in_their_order_when_one_that_is_saved_by_field_leaves_them(void **state)
{
    room *r = *state;
    firn_error err;
    firn_component score = r->z.of[ZOO_SCORE];
    const firn_persist by_field = {
        .id = "lamp", .mode = FIRN_PERSIST_FIELDS, .fields = "zoo.Score"};
    firn_entity chest = room_spawn(r, 5), lamp = room_spawn(r, 6);
    room_persist(r, chest, (firn_persist){.spawned = true});
    room_persist(r, lamp, by_field);
    assert_ok(firn_add(r->z.world, lamp, &score, 1, &err), &err);
    const firn_entity rows[] = {r->player, r->door, chest, lamp};
    assert_rows(r, rows, 4);
    room_save(r);
    assert_ok(firn_remove(r->z.world, lamp, &score, 1, &err), &err);
    room_load(r);
    assert_rows(r, rows, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOM(K14_sources_of_a_target_that_does_not_persist_are_in_their_order_again),
        IN_ROOM(K14_in_a_world_of_fewer_slots_sources_are_in_their_order_too),
        IN_ROOM(K14_a_target_that_is_gone_has_no_sources_to_order),
        IN_ROOM(K14_a_list_that_is_far_longer_than_the_save_is_not_looked_through),
        IN_ROOM(K14_a_save_without_memory_for_the_order_fails),
        IN_ROOM(lists_that_do_not_fit_are_corrupt_and_change_nothing),
        IN_ROOM(K14_rows_are_in_their_order_when_one_that_is_saved_by_field_leaves_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
