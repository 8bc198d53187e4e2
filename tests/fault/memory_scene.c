#ifndef _GNU_SOURCE
#define _GNU_SOURCE // mkdtemp
#endif

#include "fault/memory_scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- components that are saved one way and registered another

typedef struct three {
    int32_t a, b, c;
} three;

typedef struct two {
    double c;
    int8_t a;
} two;

static const firn_field three_fields[] = {
    FIRN_FIELD(three, a, FIRN_I32),
    FIRN_FIELD(three, b, FIRN_I32),
    FIRN_FIELD(three, c, FIRN_I32),
};
static const firn_field two_fields[] = {
    FIRN_FIELD(two, c, FIRN_F64),
    FIRN_FIELD(two, a, FIRN_I8),
};

static firn_result encode_three(void *user, const firn_rows *rows, firn_writer *out,
                                firn_error *err)
{
    (void)user;
    (void)err;
    const three *row = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        if (i == 1) { // splits the frame into pieces
            firn_write_nil(out);
            continue;
        }
        firn_write_table(out, 1, 1);
        firn_write_number(out, row[i].a);
        firn_write_text(out, "b");
        firn_write_text(out, "a text that is longer than some");
    }
    return FIRN_OK;
}

static firn_result decode_three(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)user;
    (void)err;
    three *row = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        firn_read_skip(in);
        row[i] = (three){1, 2, 3};
    }
    return FIRN_OK;
}

// ---- rows that own something

typedef struct held {
    int *number; // NULL, or its own
} held;

static const firn_field held_fields[] = {FIRN_FIELD(held, number, FIRN_POINTER)};

static int *hold(uint64_t *live, int number)
{
    int *made = malloc(sizeof *made);
    assert_non_null(made);
    *made = number;
    ++*live;
    return made;
}

static void init_held(void *user, const firn_rows *rows)
{
    held *row = rows->data;
    for (uint32_t i = 0; i < rows->count; i++)
        row[i].number = hold(user, 7);
}

static void drop_held(void *user, const firn_rows *rows)
{
    uint64_t *live = user;
    held *row = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        *live -= row[i].number != NULL;
        free(row[i].number);
        row[i].number = NULL;
    }
}

static firn_result encode_held(void *user, const firn_rows *rows, firn_writer *out, firn_error *err)
{
    (void)user;
    (void)err;
    const held *row = rows->data;
    for (uint32_t i = 0; i < rows->count; i++)
        firn_write_number(out, row[i].number != NULL ? *row[i].number : 0);
    return FIRN_OK;
}

static firn_result decode_held(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)err;
    held *row = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        double number = firn_read_number(in);
        row[i].number = hold(user, number >= 0 && number < 1000 ? (int)number : 0);
    }
    return FIRN_OK;
}

static firn_component register_held(firn_world *world, uint64_t *live)
{
    firn_codec codec = {FIRN_ABI, "held", encode_held, decode_held, live};
    firn_component_desc desc = zoo_struct("Held", sizeof(held), held_fields, 1);
    desc.codec = &codec;
    desc.hooks = (firn_hooks){.init = init_held, .drop = drop_held, .user = live};
    return zoo_register(world, &desc);
}

static firn_component_desc three_desc(const char *name)
{
    return zoo_struct(name, sizeof(three), three_fields, 3);
}

static firn_component_desc coded_desc(const char *name, firn_codec *codec)
{
    firn_component_desc desc = three_desc(name);
    *codec = (firn_codec){FIRN_ABI, "three", encode_three, decode_three, NULL};
    desc.codec = codec;
    return desc;
}

// ---- the source

memory_source memory_source_make(void)
{
    memory_source source = {.folder = P_tmpdir "/memory.XXXXXX"};
    firn_error err;
    firn_codec codec;
    assert_non_null(mkdtemp(source.folder));
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_component_desc descs[] = {
        coded_desc("Coded", &codec),              // the same
        three_desc("Moved"),                      // another schema now
        three_desc("Tabled"),                     // a table now
        {.name = "Fielded", .kind = FIRN_VALUE},  // a struct now
        three_desc("RawCoded"),                   // has a codec now
        {.name = "Unknown", .kind = FIRN_STRING}, // not registered any more
        {.name = "Cache", .kind = FIRN_NUMBER},   // transient now
        {.name = "Owner", .kind = FIRN_TAG},      // requires new ones now
    };
    firn_component all[sizeof descs / sizeof *descs];
    for (uint32_t i = 0; i < sizeof descs / sizeof *descs; i++)
        all[i] = zoo_register(z.world, &descs[i]);
    for (uint32_t i = 0; i < sizeof descs / sizeof *descs; i++) {
        zoo_spawn(z.world, all, i + 1);
        zoo_spawn(z.world, all + i, 1);
    }
    uint64_t live = 0;
    firn_component held_one[] = {register_held(z.world, &live), all[0]};
    zoo_spawn(z.world, held_one, 1);
    zoo_spawn(z.world, held_one, 2);
    zoo_spawn(z.world, held_one, 2);
    firn_data data[] = {{.key = "first", .encoded = "\x02", .encoded_size = 1},
                        {.key = "second", .encoded = "\x02", .encoded_size = 1}};
    assert_ok(firn_snapshot_save(z.world, &(firn_save_options){.data = data, .data_count = 2},
                                 &source.image, &err),
              &err);
    firn_world_destroy(z.world);
    assert_int_equal(live, 0);
    return source;
}

void memory_source_free(memory_source *source)
{
    assert_int_equal(rmdir(source->folder), 0);
    firn_buffer_free(&source->image);
}

// ---- the scene

static void register_more(scene *s)
{
    firn_error err;
    firn_codec codec;
    firn_world *world = s->z.world;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_component_desc coded = coded_desc("Coded", &codec), moved = three_desc("Moved");
    firn_component_desc raw_coded = coded_desc("RawCoded", &codec), fielded = three_desc("Fielded");
    firn_component_desc tabled = {.name = "Tabled", .kind = FIRN_VALUE};
    firn_component_desc cache = {.name = "Cache", .kind = FIRN_NUMBER, .transient = true};
    firn_component_desc label = {.name = "Label", .kind = FIRN_STRING};
    moved.size = sizeof(two);
    moved.fields = two_fields;
    moved.field_count = 2;
    label.default_value = firn_value_text(doc, "a default that is longer than some", &err);
    s->coded = zoo_register(world, &coded);
    zoo_register(world, &moved);
    zoo_register(world, &raw_coded);
    zoo_register(world, &fielded);
    zoo_register(world, &tabled);
    s->cache = zoo_register(world, &cache);
    firn_component required[] = {s->cache, zoo_register(world, &label)};
    firn_component_desc owner = {
        .name = "Owner", .kind = FIRN_TAG, .required = required, .required_count = 2};
    s->owner = zoo_register(world, &owner);
    s->held = register_held(world, &s->live);
    firn_doc_destroy(doc);
}

static void make_document(scene *s)
{
    firn_error err;
    s->doc = firn_doc_create(&s->memory.allocator, NULL, &err);
    assert_non_null(s->doc);
    s->table = firn_value_table(s->doc, &err);
    for (int i = 0; i < 3; i++)
        assert_ok(firn_table_push(s->doc, s->table, firn_value_number(s->doc, i, &err), &err),
                  &err);
    assert_ok(firn_table_set_text(s->doc, s->table, "key",
                                  firn_value_text(s->doc, "a text that is longer than some", &err),
                                  &err),
              &err);
}

static void write_file(const char *path, const firn_buffer *bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes->data, 1, bytes->size, file), bytes->size);
    assert_int_equal(fclose(file), 0);
}

void scene_make(scene *s, const memory_source *source)
{
    firn_error err;
    *s = (scene){.source = source};
    test_allocator_init(&s->memory);
    s->z = zoo_make(&s->memory, false);
    register_more(s);
    zoo_fill(&s->z);
    firn_query_desc all = {.name = "all"};
    s->query = firn_query_create(s->z.world, &all, &err);
    s->entity = zoo_spawn_one(s->z.world, s->z.of[ZOO_POINT]);
    s->other = zoo_spawn(s->z.world, NULL, 0);
    zoo_spawn_one(s->z.world, s->held);
    zoo_spawn_one(s->z.world, s->held);
    make_document(s);
    assert_ok(firn_set_text(s->z.world, s->entity, s->z.of[ZOO_TITLE], "longer than twelve", &err),
              &err);
    assert_ok(firn_set_value(s->z.world, s->entity, s->z.of[ZOO_BAG], s->table, &err), &err);
    firn_buffer_init(&s->out, &s->memory.allocator);
    snprintf(s->path, sizeof s->path, "%s/a.firn", source->folder);
    write_file(s->path, &source->image);
}

void scene_free(scene *s)
{
    firn_saves_close(s->saves);
    firn_storage_close(&s->storage);
    char backup[180];
    snprintf(backup, sizeof backup, "%s.bak", s->path);
    scene_close_loop(s);
    (void)remove(backup);
    assert_int_equal(remove(s->path), 0);
    firn_world_destroy(s->z.world);
    assert_int_equal(s->live, 0);
    firn_doc_destroy(s->doc);
    firn_buffer_free(&s->out);
    firn_buffer_free(&s->trace);
    assert_no_leak(&s->memory);
}

void scene_open_loop(scene *s)
{
    firn_iter_begin(s->z.world, s->query, &s->it);
    assert_true(firn_iter_next(&s->it));
    s->in_loop = true;
}

void scene_close_loop(scene *s)
{
    firn_error err;
    if (s->in_loop)
        assert_ok(firn_iter_end(&s->it, &err), &err);
    s->in_loop = false;
}

firn_result scene_end_loop(scene *s, firn_error *err)
{
    firn_result result = FIRN_OK;
    if (s->in_loop)
        result = firn_iter_end(&s->it, err);
    s->in_loop = false;
    if (result != FIRN_OK) {
        assert_int_equal(result, FIRN_NO_MEMORY);
        test_allocator_fail_at(&s->memory, 0, false);
        result = firn_flush(s->z.world, err);
    }
    return result;
}

void scene_empty_document(scene *s)
{
    firn_error err;
    firn_doc_destroy(s->doc);
    s->doc = firn_doc_create(&s->memory.allocator, NULL, &err);
    s->table = NULL;
}

// ---- what can be seen

static void print_bytes(firn_buffer *out, const void *bytes, size_t size)
{
    firn_error err;
    assert_ok(firn_buffer_append(out, &size, sizeof size, &err), &err);
    if (size > 0)
        assert_ok(firn_buffer_append(out, bytes, size, &err), &err);
}

static void print_world(scene *s, firn_buffer *out)
{
    firn_world *world = s->z.world;
    uint64_t numbers[] = {firn_entity_count(world),
                          firn_pending(world),
                          firn_world_tick(world),
                          firn_component_count(world),
                          s->told,
                          s->live};
    print_bytes(out, numbers, sizeof numbers);
    print_bytes(out, firn_world_name(world), strlen(firn_world_name(world)));
    // A save would apply what waits, and is refused in a loop.
    if (s->in_loop || firn_pending(world) > 0)
        return;
    firn_hash hash = zoo_hash(world);
    firn_buffer image = zoo_save_with(world, &(firn_save_options){.sparse_edges = true});
    print_bytes(out, &hash, sizeof hash);
    print_bytes(out, image.data, image.size);
    firn_buffer_free(&image);
}

static void print_saves(scene *s, firn_buffer *out)
{
    firn_error err;
    assert_ok(firn_value_encode(firn_saves_variables(s->saves), NULL, out, &err), &err);
    const char *name = firn_saves_scene_name(s->saves);
    print_bytes(out, name, name == NULL ? 0 : strlen(name));
    for (int i = 0; s->storage.get != NULL && i < 2; i++) {
        firn_buffer bytes = {0};
        firn_generation generation = i == 0 ? FIRN_CURRENT : FIRN_BACKUP;
        if (s->storage.get(s->storage.user, "a", generation, UINT64_MAX, &bytes, NULL, &err) ==
            FIRN_OK)
            print_bytes(out, bytes.data, bytes.size);
        firn_buffer_free(&bytes);
    }
}

firn_buffer scene_print(scene *s)
{
    firn_error err;
    firn_buffer out = {0};
    print_world(s, &out);
    print_bytes(&out, s->out.data, s->out.size);
    if (s->table != NULL)
        assert_ok(firn_value_encode(s->table, NULL, &out, &err), &err);
    if (s->saves != NULL)
        print_saves(s, &out);
    size_t size;
    uint8_t *file = test_read_file(s->path, &size);
    print_bytes(&out, file, size);
    free(file);
    return out;
}

void scene_trace(scene *s, const void *bytes, size_t size)
{
    print_bytes(&s->trace, bytes, size);
}

void scene_trace_value(scene *s, const firn_value *value)
{
    firn_error err;
    if (value != NULL)
        assert_ok(firn_value_encode(value, NULL, &s->trace, &err), &err);
}

void scene_hear_changes(scene *s)
{
    static const char *const names[] = {"OnSpawn", "OnDespawn", "OnAdd", "OnRemove", "OnSet"};
    firn_event_kind kinds[5];
    firn_error err;
    for (int i = 0; i < 5; i++)
        kinds[i] = firn_event_find(s->z.world, names[i]);
    s->queue = firn_queue_open(s->z.world, kinds, 5, &err);
    assert_int_not_equal(s->queue, 0);
}

firn_result scene_pull(scene *s, firn_result result)
{
    firn_event event;
    while (result == FIRN_OK && firn_queue_next(s->z.world, s->queue, &event)) {
        scene_trace(s, event.name, strlen(event.name));
        scene_trace(s, event.entities, event.count * sizeof *event.entities);
        scene_trace(s, &event.target, sizeof event.target);
        scene_trace(s, event.payload, event.size);
    }
    return result;
}

firn_result scene_made(bool done, const firn_error *err)
{
    return done ? FIRN_OK : err->code;
}
