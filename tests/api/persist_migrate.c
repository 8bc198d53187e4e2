// Saves of what persists that are of an older version of the game: as trees, and back.
#include "api/persist_room.h"

#include <string.h>

// A room with all that such a save can hold.
typedef struct old_room {
    room *r;
    firn_component likes, owns, child_of;
    firn_entity ball, lamp, guest, gone;
} old_room;

static firn_component add_relation(room *r, const char *name, uint32_t bits)
{
    const firn_component_desc desc = {.name = name, .kind = FIRN_RELATION, .relation = bits};
    return zoo_register(r->z.world, &desc);
}

static void relate(const old_room *o, firn_entity source, firn_component of, firn_entity target)
{
    firn_error err;
    assert_ok(firn_relate(o->r->z.world, source, of, target, NULL, &err), &err);
}

static void set_var(const old_room *o, firn_entity entity, double number)
{
    firn_error err;
    const firn_value value = {.kind = FIRN_VALUE_NUMBER, .as.number = number};
    assert_ok(firn_vars_set(o->r->z.world, entity, "mood", &value, &err), &err);
}

static double var_of(const room *r, firn_entity entity)
{
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    const firn_value *value = firn_vars_get(r->z.world, entity, "mood", doc, NULL);
    double number = value == NULL ? -1 : value->as.number;
    firn_doc_destroy(doc);
    return number;
}

static void tell_scene(const old_room *o)
{
    firn_error err;
    const firn_entity entities[] = {o->r->scenery, o->r->door, o->gone};
    const uint64_t locals[] = {1, 2, 3};
    assert_ok(firn_saves_scene(o->r->saves, "room", entities, locals, 3, &err), &err);
}

static old_room fill_old_room(room *r)
{
    firn_error err;
    old_room o = {.r = r, .child_of = firn_child_of(r->z.world)};
    o.likes = add_relation(r, "Likes", 0);
    o.owns = add_relation(r, "Owns", FIRN_SPARSE | FIRN_REVERSE);
    firn_entity spare = room_spawn(r, 1);
    o.ball = room_spawn(r, 5);
    o.lamp = room_spawn(r, 6);
    o.guest = room_spawn(r, 7);
    o.gone = room_spawn(r, 8);
    room_persist(r, r->player, (firn_persist){.id = "player", .no_vars = true});
    room_persist(r, o.ball, (firn_persist){.spawned = true});
    room_persist(r, o.lamp,
                 (firn_persist){.id = "lamp", .mode = FIRN_PERSIST_FIELDS, .fields = "zoo.Point"});
    room_persist(r, o.gone, (firn_persist){.mode = FIRN_PERSIST_ALL});
    tell_scene(&o);
    relate(&o, r->player, o.likes, r->scenery); // which the save does not have
    relate(&o, r->player, o.likes, o.ball);
    relate(&o, r->player, o.owns, o.guest);
    relate(&o, o.ball, o.owns, r->player);
    relate(&o, r->door, o.owns, r->player);
    relate(&o, r->player, o.child_of, o.guest);
    relate(&o, o.guest, o.likes, o.ball);
    set_var(&o, r->player, 1);
    set_var(&o, o.lamp, 2);
    assert_ok(firn_despawn(r->z.world, o.gone, &err), &err);
    assert_ok(firn_despawn(r->z.world, spare, &err), &err);
    return o;
}

static void change_old_room(const old_room *o)
{
    firn_error err;
    room *r = o->r;
    room_place(r, r->player, 22);
    room_place(r, o->lamp, 66);
    set_var(o, r->player, 11);
    set_var(o, o->lamp, 22);
    if (firn_alive(r->z.world, o->ball))
        assert_ok(firn_despawn(r->z.world, o->ball, &err), &err);
    assert_ok(firn_unrelate(r->z.world, r->player, o->owns, 0, &err), &err);
}

static void reopen(const old_room *o, const firn_migration *steps, uint32_t count)
{
    firn_error err;
    room *r = o->r;
    firn_saves_close(r->saves);
    r->desc.version = 2;
    r->desc.migrations = steps;
    r->desc.migration_count = count;
    r->saves = firn_saves_open(r->z.world, &r->desc, &err);
    assert_non_null(r->saves);
    tell_scene(o);
}

static firn_result keep_all(void *user, firn_doc *doc, firn_value *save, firn_error *err)
{
    (void)user;
    (void)doc;
    (void)err;
    // What a step sees: the image as a table, what is saved by field as bytes.
    assert_int_equal(firn_table_get_text(save, "snapshot")->kind, FIRN_VALUE_TABLE);
    const firn_value *sections = firn_table_get_text(save, "sections");
    assert_int_equal(firn_table_get_text(sections, FIRN_SECTION_PERSIST)->kind, FIRN_VALUE_STRING);
    assert_string_equal(firn_table_get_text(save, "kind")->as.string, "persisted");
    return FIRN_OK;
}

static void K13_a_persisted_save_comes_back_from_its_table_as_it_was(void **state)
{
    room *r = *state;
    firn_error err;
    r->desc.version = 1;
    const firn_save_options sparse = {.sparse_edges = true};
    r->desc.snapshot = &sparse;
    firn_saves_close(r->saves);
    r->saves = firn_saves_open(r->z.world, &r->desc, &err);
    old_room o = fill_old_room(r);
    room_save(r);
    change_old_room(&o);
    room_load(r);
    firn_hash expected = zoo_hash(r->z.world);
    change_old_room(&o);
    const firn_migration steps[] = {{.from = 1, .migrate = keep_all}};
    reopen(&o, steps, 1);
    firn_saves_loaded loaded;
    assert_ok(firn_saves_take(r->saves, r->file.data, r->file.size, &loaded, &err), &err);
    assert_int_equal(loaded.migrated_from, 1);
    assert_int_equal(loaded.scene_missing_count + loaded.scene_new_count, 0);
    firn_saves_loaded_free(&loaded);
    // What stays is as it was.
    assert_true(var_of(r, r->player) == 11);
    set_var(&o, r->player, 11);
    assert_true(room_place_of(r, o.lamp) == 6 && var_of(r, o.lamp) == 2);
    assert_non_null(firn_related(r->z.world, r->player, o.likes, r->scenery));
    assert_non_null(firn_related(r->z.world, r->player, o.owns, o.guest));
    assert_int_equal(firn_target(r->z.world, r->player, o.child_of), o.guest);
    assert_false(firn_alive(r->z.world, o.gone));
    assert_int_equal(zoo_hash(r->z.world).total, expected.total);
}

// The section of what is saved by field is the step's own to change, and so is the image.
static firn_result move_all(void *user, firn_doc *doc, firn_value *save, firn_error *err)
{
    (void)user;
    firn_value *sections = firn_value_table(doc, err);
    const firn_value *bytes =
        firn_table_get_text(firn_table_get_text(save, "sections"), FIRN_SECTION_PERSIST);
    firn_value *section = firn_value_decode(doc, bytes->as.string, bytes->length, err);
    const firn_value one = {.kind = FIRN_VALUE_NUMBER, .as.number = 1};
    firn_value *part = (firn_value *)firn_table_get(firn_table_get_text(section, "parts"), &one);
    firn_result result = firn_table_set(doc, part, &one, firn_value_text(doc, "player", err), err);
    firn_buffer encoded = {0};
    if (result == FIRN_OK)
        result = firn_value_encode(section, NULL, &encoded, err);
    if (result == FIRN_OK)
        result = firn_table_set_text(doc, sections, FIRN_SECTION_PERSIST,
                                     firn_value_string(doc, encoded.data, encoded.size, err), err);
    firn_buffer_free(&encoded);
    return result == FIRN_OK ? firn_table_set_text(doc, save, "sections", sections, err) : result;
}

static void K13_a_step_changes_what_is_saved_by_field(void **state)
{
    room *r = *state;
    firn_error err;
    r->desc.version = 1;
    firn_saves_close(r->saves);
    r->saves = firn_saves_open(r->z.world, &r->desc, &err);
    room_persist(r, r->door,
                 (firn_persist){.id = "lamp", .mode = FIRN_PERSIST_FIELDS, .fields = "zoo.Point"});
    assert_ok(firn_remove(r->z.world, r->player, &r->persist, 1, &err), &err);
    room_save(r);
    // The lamp of old is the player now.
    room_persist(
        r, r->player,
        (firn_persist){.id = "player", .mode = FIRN_PERSIST_FIELDS, .fields = "zoo.Point"});
    const old_room o = {.r = r, .gone = r->player};
    const firn_migration steps[] = {{.from = 1, .migrate = move_all}};
    reopen(&o, steps, 1);
    room_place(r, r->door, 33);
    room_load(r);
    assert_true(room_place_of(r, r->door) == 33 && room_place_of(r, r->player) == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOM(K13_a_persisted_save_comes_back_from_its_table_as_it_was),
        IN_ROOM(K13_a_step_changes_what_is_saved_by_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
