// Damaged saves of what persists: each is refused and changes nothing, or loads to a world that can
// be saved and loaded again. Their hashes are right, so that nothing but the load looks at them.
#include "api/persist_room.h"

#include <string.h>

typedef struct damage_run {
    room *r;
    firn_buffer image, section; // of the save
    firn_buffer whole;          // the world before
    firn_hash hash;
    uint32_t loaded, refused;
} damage_run;

static firn_component likes_of(room *r)
{
    const firn_component_desc desc = {.name = "Likes", .kind = FIRN_RELATION};
    return zoo_register(r->z.world, &desc);
}

static void relate(room *r, firn_entity source, firn_component of, firn_entity target)
{
    firn_error err;
    assert_ok(firn_relate(r->z.world, source, of, target, NULL, &err), &err);
}

static void add_title(room *r, firn_entity entity)
{
    firn_error err;
    assert_ok(firn_set_text(r->z.world, entity, r->z.of[ZOO_TITLE], "a title of some length", &err),
              &err);
}

// Whatever such a save can hold.
static void fill_save(room *r)
{
    firn_error err;
    firn_component child_of = firn_child_of(r->z.world), likes = likes_of(r);
    firn_entity spare = room_spawn(r, 4), ball = room_spawn(r, 5), lamp = room_spawn(r, 6),
                grip = room_spawn(r, 7);
    room_persist(r, r->player, (firn_persist){.id = "player", .no_vars = true});
    room_persist(r, ball, (firn_persist){.spawned = true});
    room_persist(r, lamp,
                 (firn_persist){.id = "lamp",
                                .mode = FIRN_PERSIST_FIELDS,
                                .fields = "zoo.Point zoo.Title zoo.Score"});
    add_title(r, r->player);
    add_title(r, lamp);
    relate(r, grip, child_of, ball);
    relate(r, r->player, child_of, r->scenery);
    relate(r, r->door, child_of, r->scenery);
    relate(r, r->player, child_of, r->door);
    relate(r, r->player, child_of, r->scenery);
    relate(r, r->player, likes, r->scenery);
    relate(r, ball, likes, r->player);
    const firn_entity entities[] = {r->scenery, r->door, spare};
    const uint64_t locals[] = {1, 2, 3};
    assert_ok(firn_saves_scene(r->saves, "room", entities, locals, 3, &err), &err);
    assert_ok(firn_despawn(r->z.world, spare, &err), &err);
    room_save(r);
    // Some of it has changed since.
    assert_ok(firn_despawn(r->z.world, ball, &err), &err);
    room_place(r, room_spawn(r, 8), 9);
    relate(r, room_spawn(r, 10), likes, r->player);
}

static void copy_section(const room *r, const char *name, firn_buffer *out)
{
    firn_error err;
    const void *bytes;
    size_t size;
    firn_save_file *file = firn_save_file_open(r->file.data, r->file.size, NULL, &err);
    assert_ok(firn_save_file_section(file, name, &bytes, &size, &err), &err);
    assert_ok(firn_buffer_append(out, bytes, size, &err), &err);
    firn_save_file_close(file);
}

static firn_result take_both(damage_run *run, firn_error *err)
{
    room *r = run->r;
    firn_save_file *file = firn_save_file_open(r->file.data, r->file.size, NULL, err);
    const firn_section sections[] = {{FIRN_SECTION_SNAPSHOT, run->image.data, run->image.size},
                                     {FIRN_SECTION_PERSIST, run->section.data, run->section.size}};
    firn_buffer bytes = {0};
    firn_result result =
        firn_save_file_write(firn_save_file_header(file), sections, 2, NULL, &bytes, err);
    if (result == FIRN_OK)
        result = firn_saves_take(r->saves, bytes.data, bytes.size, NULL, err);
    firn_save_file_close(file);
    firn_buffer_free(&bytes);
    return result;
}

static void try_damage(damage_run *run)
{
    firn_error err;
    room *r = run->r;
    if (take_both(run, &err) != FIRN_OK) {
        run->refused++;
        assert_int_equal(zoo_hash(r->z.world).total, run->hash.total);
        return;
    }
    run->loaded++;
    firn_hash loaded = zoo_hash(r->z.world);
    firn_buffer now = zoo_save(r->z.world);
    zoo_load(r->z.world, &now);
    assert_int_equal(zoo_hash(r->z.world).total, loaded.total);
    firn_buffer_clear(&now);
    // What a row names is looked up by the save.
    if (firn_saves_make(r->saves, NULL, &now, &err) != FIRN_OK)
        assert_non_null(strstr(err.message, "is of no component that is registered"));
    firn_buffer_free(&now);
    zoo_load(r->z.world, &run->whole);
}

static void damage_bytes(damage_run *run, firn_buffer *bytes, test_random *random)
{
    for (size_t i = 0; i < bytes->size; i++) {
        uint8_t before = bytes->data[i];
        bytes->data[i] = (uint8_t)(before ^ (1 + test_random_below(random, 255)));
        try_damage(run);
        bytes->data[i] = before;
    }
}

static void damage_end_of(damage_run *run, firn_buffer *bytes, size_t step)
{
    size_t size = bytes->size;
    for (bytes->size = 0; bytes->size < size; bytes->size += step)
        try_damage(run);
    bytes->size = size;
}

static void K14_a_save_that_is_damaged_in_any_byte_is_refused_or_loads(void **state)
{
    room *r = *state;
    test_random random = {14};
    damage_run run = {.r = r};
    fill_save(r);
    copy_section(r, FIRN_SECTION_SNAPSHOT, &run.image);
    copy_section(r, FIRN_SECTION_PERSIST, &run.section);
    run.whole = zoo_save(r->z.world);
    run.hash = zoo_hash(r->z.world);
    damage_bytes(&run, &run.section, &random);
    damage_bytes(&run, &run.image, &random);
    damage_end_of(&run, &run.section, 7);
    damage_end_of(&run, &run.image, 61);
    assert_true(run.refused > 500 && run.loaded > 100);
    print_message("%u refused, %u loaded\n", run.refused, run.loaded);
    firn_buffer_free(&run.image);
    firn_buffer_free(&run.section);
    firn_buffer_free(&run.whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOM(K14_a_save_that_is_damaged_in_any_byte_is_refused_or_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
