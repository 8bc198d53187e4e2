// Saves of what persists: entities that are saved by field, and bad input.
#include "api/persist_room.h"
#include "api/persist_section.h"

#include <string.h>

// ---- by field

static void give_body(room *r, firn_entity entity, double mass, int32_t number, float home)
{
    firn_error err;
    const zoo_body body = {.mass = mass, .i32 = number, .home = {home, home}, .label = "abc"};
    assert_ok(firn_set(r->z.world, entity, r->z.of[ZOO_BODY], &body, &err), &err);
}

static void K1_only_the_fields_that_are_named_come_back(void **state)
{
    room *r = *state;
    give_body(r, r->door, 0.1, 7, 3);
    room_persist(r, r->door,
                 (firn_persist){.mode = FIRN_PERSIST_FIELDS,
                                .fields = "zoo.Body.mass zoo.Body.home zoo.Body.label"});
    room_save(r);
    give_body(r, r->door, 5, 70, 30);
    room_place(r, r->door, 33);
    ((zoo_body *)firn_get_mut(r->z.world, r->door, r->z.of[ZOO_BODY]))->label[0] = 'x';
    room_load(r);
    const zoo_body *body = firn_get(r->z.world, r->door, r->z.of[ZOO_BODY]);
    assert_true(body->mass == 0.1 && body->home.x == 3 && body->home.y == 3);
    assert_string_equal(body->label, "abc");
    assert_int_equal(body->i32, 70);
    assert_true(room_place_of(r, r->door) == 33);
}

static void K1_whole_components_of_every_kind_come_back(void **state)
{
    room *r = *state;
    firn_error err;
    firn_world *world = r->z.world;
    const firn_component *of = r->z.of;
    const char *fields = "zoo.Point zoo.Flag zoo.Score zoo.Title zoo.Bag zoo.Tag";
    const bool yes = true, no = false;
    const double score = 0.1, other = 9;
    room_persist(r, r->door, (firn_persist){.mode = FIRN_PERSIST_FIELDS});
    firn_persist row = {.mode = FIRN_PERSIST_FIELDS};
    strcpy(row.fields, fields);
    room_persist(r, r->door, row);
    assert_ok(firn_set(world, r->door, of[ZOO_FLAG], &yes, &err), &err);
    assert_ok(firn_set(world, r->door, of[ZOO_SCORE], &score, &err), &err);
    assert_ok(firn_set_text(world, r->door, of[ZOO_TITLE], "a door with a long title", &err), &err);
    assert_ok(firn_add(world, r->door, &of[ZOO_TAG], 1, &err), &err);
    room_save(r);
    room_place(r, r->door, 33);
    assert_ok(firn_set(world, r->door, of[ZOO_FLAG], &no, &err), &err);
    assert_ok(firn_set(world, r->door, of[ZOO_SCORE], &other, &err), &err);
    assert_ok(firn_remove(world, r->door, &of[ZOO_TITLE], 1, &err), &err);
    assert_ok(firn_remove(world, r->door, &of[ZOO_TAG], 1, &err), &err);
    assert_ok(firn_add(world, r->door, &of[ZOO_BAG], 1, &err), &err);
    room_load(r);
    size_t size;
    assert_true(room_place_of(r, r->door) == 3);
    assert_true(*(const bool *)firn_get(world, r->door, of[ZOO_FLAG]));
    assert_true(*(const double *)firn_get(world, r->door, of[ZOO_SCORE]) == 0.1);
    assert_memory_equal(firn_get_string(world, r->door, of[ZOO_TITLE], &size),
                        "a door with a long title", 24);
    assert_true(firn_has(world, r->door, of[ZOO_TAG]));
    assert_false(firn_has(world, r->door, of[ZOO_BAG]));
}

// In the section the names of fields ascend, wherever they stand in the struct.
static void K1_a_struct_comes_back_whatever_the_order_of_its_fields(void **state)
{
    room *r = *state;
    firn_error err;
    static const firn_field fields[] = {FIRN_FIELD(zoo_point, y, FIRN_F32),
                                        FIRN_FIELD(zoo_point, x, FIRN_F32)};
    const firn_component_desc desc = zoo_struct("Back", sizeof(zoo_point), fields, 2);
    firn_component back = zoo_register(r->z.world, &desc);
    const zoo_point at = {1, 2}, elsewhere = {9, 9};
    give_body(r, r->door, 0.1, 7, 3);
    assert_ok(firn_set(r->z.world, r->door, back, &at, &err), &err);
    room_persist(r, r->door,
                 (firn_persist){.mode = FIRN_PERSIST_FIELDS,
                                .fields = "zoo.Body Back persist zoo.Body.path"});
    room_save(r);
    give_body(r, r->door, 5, 70, 30);
    assert_ok(firn_set(r->z.world, r->door, back, &elsewhere, &err), &err);
    room_persist(r, r->door, (firn_persist){.mode = FIRN_PERSIST_VARS});
    room_load(r);
    const zoo_body *body = firn_get(r->z.world, r->door, r->z.of[ZOO_BODY]);
    const zoo_point *point = firn_get(r->z.world, r->door, back);
    const firn_persist *row = firn_get(r->z.world, r->door, r->persist);
    assert_true(body->mass == 0.1 && body->i32 == 7 && body->home.y == 3);
    assert_true(point->x == 1 && point->y == 2);
    assert_int_equal(row->mode, FIRN_PERSIST_FIELDS);
}

static void set_var(room *r, firn_entity entity, double number)
{
    firn_error err;
    const firn_value value = {.kind = FIRN_VALUE_NUMBER, .as.number = number};
    assert_ok(firn_vars_set(r->z.world, entity, "keys", &value, &err), &err);
}

static double var_of(room *r, firn_entity entity)
{
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    const firn_value *value = firn_vars_get(r->z.world, entity, "keys", doc, NULL);
    double number = value == NULL ? -1 : value->as.number;
    firn_doc_destroy(doc);
    return number;
}

static void K1_variables_come_back_unless_they_are_left_out(void **state)
{
    room *r = *state;
    firn_entity chest = room_spawn(r, 4);
    room_persist(r, r->door, (firn_persist){.mode = FIRN_PERSIST_VARS});
    room_persist(
        r, chest,
        (firn_persist){.mode = FIRN_PERSIST_FIELDS, .fields = "zoo.Point", .no_vars = true});
    set_var(r, r->player, 1);
    set_var(r, r->door, 2);
    set_var(r, chest, 3);
    room_save(r);
    set_var(r, r->player, 10);
    set_var(r, r->door, 20);
    set_var(r, chest, 30);
    room_place(r, r->door, 33);
    room_place(r, chest, 44);
    room_load(r);
    assert_true(var_of(r, r->player) == 1 && var_of(r, r->door) == 2 && var_of(r, chest) == 30);
    assert_true(room_place_of(r, r->door) == 33 && room_place_of(r, chest) == 4);
}

static void K1_an_entity_with_an_id_gets_its_fields_under_another_entity_id(void **state)
{
    room *r = *state;
    firn_error err;
    const firn_persist row = {.id = "chest", .mode = FIRN_PERSIST_FIELDS, .fields = "zoo.Point"};
    firn_entity chest = room_spawn(r, 4);
    room_persist(r, chest, row);
    room_save(r);
    assert_ok(firn_despawn(r->z.world, chest, &err), &err);
    room_load(r);
    room_spawn(r, 0);
    chest = room_spawn(r, 44);
    room_persist(r, chest, row);
    room_load(r);
    assert_true(room_place_of(r, chest) == 4);
}

// A component whose rows own memory and have a codec.
typedef struct owner {
    uint64_t *owned;
    int32_t number;
} owner;

static int64_t owned_now;

static void drop_owner(void *user, const firn_rows *rows)
{
    (void)user;
    for (uint32_t i = 0; i < rows->count; i++)
        owned_now += ((owner *)rows->data)[i].owned != NULL ? -1 : 0;
}

static firn_result encode_owner(void *user, const firn_rows *rows, firn_writer *out,
                                firn_error *err)
{
    const owner *row = rows->data;
    if (row->number == 13)
        return firn_despawn(NULL, 0, err);
    (void)user;
    firn_write_number(out, row->number);
    return FIRN_OK;
}

static firn_result decode_owner(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)user;
    owner *row = rows->data;
    int32_t number = (int32_t)firn_read_number(in);
    if (number == 14)
        return firn_despawn(NULL, 0, err);
    static uint64_t thing;
    row->owned = &thing;
    row->number = number;
    owned_now++;
    return FIRN_OK;
}

static firn_component register_owner(room *r)
{
    static const firn_codec codec = {FIRN_ABI, "owner", encode_owner, decode_owner, NULL};
    static const firn_field fields[] = {FIRN_FIELD(owner, owned, FIRN_POINTER),
                                        FIRN_FIELD(owner, number, FIRN_I32)};
    const firn_component_desc desc = {.name = "Owner",
                                      .kind = FIRN_STRUCT,
                                      .size = sizeof(owner),
                                      .fields = fields,
                                      .field_count = 2,
                                      .codec = &codec,
                                      .hooks = {.drop = drop_owner}};
    return zoo_register(r->z.world, &desc);
}

static void K1_a_component_with_a_codec_is_saved_by_it(void **state)
{
    room *r = *state;
    firn_error err;
    firn_component of = register_owner(r);
    owner row = {.number = 7};
    owned_now = 0;
    room_persist(r, r->door, (firn_persist){.mode = FIRN_PERSIST_FIELDS, .fields = "Owner"});
    assert_ok(firn_set(r->z.world, r->door, of, &row, &err), &err);
    room_save(r);
    row.number = 8;
    assert_ok(firn_set(r->z.world, r->door, of, &row, &err), &err);
    room_load(r);
    assert_int_equal(((const owner *)firn_get(r->z.world, r->door, of))->number, 7);
    assert_int_equal(owned_now, 1);
    room_load(r);
    assert_int_equal(owned_now, 1);
    row.number = 13;
    assert_ok(firn_set(r->z.world, r->door, of, &row, &err), &err);
    assert_int_equal(owned_now, 0);
    assert_int_equal(firn_saves_make(r->saves, NULL, &r->file, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "Owner");
    row.number = 14;
    assert_ok(firn_set(r->z.world, r->door, of, &row, &err), &err);
    room_save(r);
    assert_int_equal(firn_saves_take(r->saves, r->file.data, r->file.size, NULL, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "Owner");
    firn_persist pointer = {.mode = FIRN_PERSIST_FIELDS, .fields = "Owner.owned"};
    assert_int_equal(firn_persist_set(r->z.world, r->door, &pointer, &err), FIRN_INVALID);
}

static void K1_a_field_of_a_component_that_is_gone_comes_back_with_it(void **state)
{
    room *r = *state;
    firn_error err;
    firn_persist row = {.mode = FIRN_PERSIST_FIELDS, .fields = "zoo.Point.x zoo.Gap.a"};
    room_persist(r, r->door, row);
    room_save(r);
    assert_ok(firn_remove(r->z.world, r->door, &r->z.of[ZOO_POINT], 1, &err), &err);
    room_load(r);
    const zoo_point *point = firn_get(r->z.world, r->door, r->z.of[ZOO_POINT]);
    assert_true(point->x == 3 && point->y == 0);
    assert_false(firn_has(r->z.world, r->door, r->z.of[ZOO_GAP]));
}

static void K1_fields_without_memory_leave_the_world_as_it_was(void **state)
{
    room *r = *state;
    firn_error err;
    firn_component of = register_owner(r);
    const char *text = "a note of more than 12 bytes";
    const firn_value value = {
        .kind = FIRN_VALUE_STRING, .length = (uint32_t)strlen(text), .as.string = text};
    const firn_component_desc desc = {.name = "Note", .kind = FIRN_STRING, .default_value = &value};
    firn_component note = zoo_register(r->z.world, &desc);
    firn_entity ball = room_spawn(r, 5), child = room_spawn(r, 6);
    const owner row = {.number = 7};
    room_persist(r, ball, (firn_persist){.spawned = true});
    assert_ok(firn_relate(r->z.world, child, firn_child_of(r->z.world), ball, NULL, &err), &err);
    assert_ok(firn_set(r->z.world, r->door, of, &row, &err), &err);
    assert_ok(firn_set_text(r->z.world, r->door, r->z.of[ZOO_TITLE], "a title that is long", &err),
              &err);
    assert_ok(firn_add(r->z.world, r->door, &note, 1, &err), &err);
    set_var(r, r->door, 4);
    room_persist(
        r, r->door,
        (firn_persist){.mode = FIRN_PERSIST_FIELDS, .fields = "zoo.Point Owner zoo.Title Note"});
    room_save(r);
    room_place(r, r->door, 33);
    firn_result result = FIRN_NO_MEMORY;
    for (uint64_t call = 1; result == FIRN_NO_MEMORY; call++) {
        test_allocator_fail_at(&r->memory, call, false);
        result = firn_saves_take(r->saves, r->file.data, r->file.size, NULL, &err);
        test_allocator_fail_at(&r->memory, 0, false);
        if (result == FIRN_NO_MEMORY)
            assert_true(room_place_of(r, r->door) == 33);
    }
    assert_ok(result, &err);
    assert_true(room_place_of(r, r->door) == 3 && var_of(r, r->door) == 4);
    result = FIRN_NO_MEMORY;
    for (uint64_t call = 1; result == FIRN_NO_MEMORY; call++) {
        firn_buffer_clear(&r->file);
        test_allocator_fail_at(&r->memory, call, false);
        result = firn_saves_make(r->saves, NULL, &r->file, &err);
        test_allocator_fail_at(&r->memory, 0, false);
    }
    assert_ok(result, &err);
}

// ---- bad input

// A list of one, which the caller writes, or a number in its place.
static bool write_list(firn_writer *to, bool wrong)
{
    if (wrong)
        firn_write_number(to, 1);
    else
        firn_write_table(to, 1, 0);
    return !wrong;
}

// {parts = {part}}, of the door, with one name and its value; one of three lists may be none.
static firn_result take_part(room *r, const char *name, const firn_value *value, int shape,
                             firn_error *err)
{
    char key[FIRN_PERSIST_KEY_SIZE];
    firn_buffer bytes = {0};
    firn_writer to;
    firn_persist_key(r->z.world, r->door, key);
    firn_writer_begin(&to, &bytes, NULL);
    firn_write_table(&to, 0, 1);
    firn_write_text(&to, "parts");
    if (write_list(&to, shape == 1)) {
        firn_write_table(&to, 3, 0);
        firn_write_text(&to, key);
        if (write_list(&to, shape == 2)) {
            firn_write_table(&to, 2, 0);
            firn_write_text(&to, name);
            if (write_list(&to, shape == 3))
                firn_write_value(&to, value);
        }
        firn_write_table(&to, 0, 0);
    }
    assert_ok(firn_writer_end(&to, err), err);
    firn_result result = take_with_section(r->saves, &r->file, bytes.data, bytes.size, err);
    firn_buffer_free(&bytes);
    return result;
}

static void a_section_that_is_none_is_corrupt_and_changes_nothing(void **state)
{
    room *r = *state;
    firn_error err;
    room_persist(r, r->door, (firn_persist){.mode = FIRN_PERSIST_FIELDS, .fields = "zoo.Point"});
    room_save(r);
    room_place(r, r->player, 20);
    const firn_value text = {.kind = FIRN_VALUE_STRING, .length = 1, .as.string = "x"};
    for (int shape = 1; shape <= 3; shape++) {
        assert_int_equal(take_part(r, "zoo.Point", &text, shape, &err), FIRN_CORRUPT);
        assert_error(&err, FIRN_CORRUPT, "firn.persist");
    }
    assert_int_equal(take_with_section(r->saves, &r->file, "\xff", 1, &err), FIRN_CORRUPT);
    const double counts[] = {-1, 0.5, 4503599627370496.0};
    for (size_t i = 0; i <= FIRN_COUNT(counts); i++) {
        firn_buffer bytes = {0};
        firn_writer to;
        firn_writer_begin(&to, &bytes, NULL);
        firn_write_table(&to, 0, 2);
        firn_write_text(&to, "apart");
        if (i < FIRN_COUNT(counts)) {
            firn_write_number(&to, counts[i]);
        } else {
            firn_write_text(&to, "x");
        }
        firn_write_text(&to, "parts");
        firn_write_table(&to, 0, 0);
        assert_ok(firn_writer_end(&to, &err), &err);
        assert_int_equal(take_with_section(r->saves, &r->file, bytes.data, bytes.size, &err),
                         FIRN_CORRUPT);
        firn_buffer_free(&bytes);
    }
    assert_true(room_place_of(r, r->player) == 20);
}

static void a_value_that_a_component_cannot_hold_is_refused_by_name(void **state)
{
    room *r = *state;
    firn_error err;
    room_persist(r, r->door, (firn_persist){.mode = FIRN_PERSIST_FIELDS, .fields = "zoo.Point"});
    room_save(r);
    room_place(r, r->player, 20);
    const firn_value text = {.kind = FIRN_VALUE_STRING, .length = 1, .as.string = "x"};
    assert_int_equal(take_part(r, "zoo.Score", &text, 0, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "zoo.Score");
    assert_int_equal(take_part(r, "zoo.Point", &text, 0, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "zoo.Point");
    assert_true(err.entity == r->door);
    assert_true(room_place_of(r, r->player) == 20);
    // What the game no longer has is passed over.
    assert_ok(take_part(r, "Gone.x", &text, 0, &err), &err);
    assert_true(room_place_of(r, r->player) == 2);
}

static void two_persisted_entities_of_one_id_fail_the_save(void **state)
{
    room *r = *state;
    firn_error err;
    room_persist(r, r->door, (firn_persist){.id = "player"});
    assert_int_equal(firn_saves_make(r->saves, NULL, &r->file, &err), FIRN_EXISTS);
    assert_error(&err, FIRN_EXISTS, "player");
    assert_int_equal(r->file.size, 0);
}

static void a_row_that_no_save_can_have_fails_the_save(void **state)
{
    room *r = *state;
    firn_error err;
    room_persist(r, r->door, (firn_persist){.mode = FIRN_PERSIST_FIELDS, .fields = "Lock.open"});
    assert_int_equal(firn_saves_make(r->saves, NULL, &r->file, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "Lock.open");
    assert_true(err.entity == r->door);
    assert_int_equal(r->file.size, 0);
}

static void a_save_of_the_other_kind_is_refused_and_changes_nothing(void **state)
{
    room *r = *state;
    firn_error err;
    room_save(r);
    room_place(r, r->player, 20);
    firn_saves_close(r->saves);
    r->desc.kind = FIRN_SAVES_WORLD;
    r->saves = firn_saves_open(r->z.world, &r->desc, &err);
    assert_int_equal(firn_saves_take(r->saves, r->file.data, r->file.size, NULL, &err),
                     FIRN_UNSUPPORTED);
    assert_error(&err, FIRN_UNSUPPORTED, "kind");
    room_save(r);
    firn_saves_close(r->saves);
    r->desc.kind = FIRN_SAVES_PERSISTED;
    r->saves = firn_saves_open(r->z.world, &r->desc, &err);
    assert_int_equal(firn_saves_take(r->saves, r->file.data, r->file.size, NULL, &err),
                     FIRN_UNSUPPORTED);
    assert_error(&err, FIRN_UNSUPPORTED, "kind");
    assert_true(room_place_of(r, r->player) == 20);
}

static void a_kind_that_is_none_is_refused(void **state)
{
    room *r = *state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    r->desc.kind = (firn_saves_kind)2;
    assert_null(firn_saves_open(world, &r->desc, &err));
    assert_error(&err, FIRN_INVALID, "kind");
    r->desc.kind = FIRN_SAVES_PERSISTED;
    const firn_component_desc own = {.name = "persist", .kind = FIRN_NUMBER};
    zoo_register(world, &own);
    assert_null(firn_saves_open(world, &r->desc, &err));
    assert_error(&err, FIRN_EXISTS, "persist");
    firn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOM(K1_only_the_fields_that_are_named_come_back),
        IN_ROOM(K1_whole_components_of_every_kind_come_back),
        IN_ROOM(K1_a_struct_comes_back_whatever_the_order_of_its_fields),
        IN_ROOM(K1_variables_come_back_unless_they_are_left_out),
        IN_ROOM(K1_an_entity_with_an_id_gets_its_fields_under_another_entity_id),
        IN_ROOM(K1_a_component_with_a_codec_is_saved_by_it),
        IN_ROOM(K1_a_field_of_a_component_that_is_gone_comes_back_with_it),
        IN_ROOM(K1_fields_without_memory_leave_the_world_as_it_was),
        IN_ROOM(a_section_that_is_none_is_corrupt_and_changes_nothing),
        IN_ROOM(a_value_that_a_component_cannot_hold_is_refused_by_name),
        IN_ROOM(two_persisted_entities_of_one_id_fail_the_save),
        IN_ROOM(a_row_that_no_save_can_have_fails_the_save),
        IN_ROOM(a_save_of_the_other_kind_is_refused_and_changes_nothing),
        IN_ROOM(a_kind_that_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
