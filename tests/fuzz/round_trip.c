// Bytes drive a world: changes at once and deferred, failing allocations, saves and loads. Then a
// save, loaded into another world, gives the same bytes and hash; and both go on alike.
//
// The first byte says how much of the input is for the going on, in 1/256; the rest is operations.
#include <string.h>

#include "fuzz/fuzz_world.h"
#include "golden/firn_worlds.h"
#include "value/check.h"

#define ENTITIES   32
#define LOOPS      3
#define OPERATIONS 400

// Handle is left out: its codec saves a default row as nil, which a load does not bring back.
static const char *const component_names[] = {"Position", "Padded", "Types", "Alive",    "Score",
                                              "Title",    "Bag",    "Boss",  "Gone",     "Owned",
                                              "Needs",    "Extra",  "Unit",  "Disabled", "Passing"};
enum { NUM = sizeof component_names / sizeof *component_names };

typedef struct machine {
    fuzz_allocator memory;
    fuzz_texts texts;
    firn_world *world;
    firn_component components[NUM];
    firn_entity entities[ENTITIES]; // the newest ones, by turns
    uint32_t spawned;
    firn_query queries[4];
    firn_iter loops[LOOPS];
    uint32_t open;
    firn_buffer image; // an earlier save, or empty
} machine;

static void machine_make(machine *m)
{
    firn_error err = {0};
    *m = (machine){0};
    fuzz_allocator_init(&m->memory);
    m->world = golden_firn_world(&m->memory.allocator, "fuzz", &err);
    FUZZ_CHECK(m->world != NULL && fuzz_register(m->world, &m->texts, &err));
    for (uint32_t i = 0; i < NUM; i++) {
        m->components[i] = firn_component_find(m->world, component_names[i]);
        FUZZ_CHECK(m->components[i] != 0);
    }
}

static void machine_drop(machine *m)
{
    firn_buffer_free(&m->image);
    firn_world_destroy(m->world);
    FUZZ_CHECK(m->texts.living == 0);
    FUZZ_CHECK(m->memory.blocks == 0 && m->memory.bytes == 0);
}

// ---------------------------------------------------------------- operations

// A known entity, living or not, or seldom an id from nowhere.
static firn_entity pick_entity(machine *m, fuzz_bytes *in)
{
    uint32_t choice = fuzz_byte(in);
    if (choice == 255) {
        return fuzz_u64(in);
    }
    uint32_t known = m->spawned < ENTITIES ? m->spawned : ENTITIES;
    return known > 0 ? m->entities[choice % known] : 0;
}

static uint32_t pick_components(machine *m, fuzz_bytes *in, firn_component *out)
{
    uint32_t count = fuzz_below(in, 5);
    for (uint32_t i = 0; i < count; i++) {
        out[i] = m->components[fuzz_below(in, NUM)];
    }
    return count;
}

static void remember(machine *m, firn_entity entity)
{
    m->entities[m->spawned++ % ENTITIES] = entity;
}

static firn_result op_spawn(machine *m, fuzz_bytes *in, firn_error *err)
{
    firn_component components[5];
    uint32_t count = pick_components(m, in, components);
    firn_entity entity = firn_spawn(m->world, components, count, err);
    if (entity == 0) {
        return err->code;
    }
    FUZZ_CHECK(firn_alive(m->world, entity));
    remember(m, entity);
    return FIRN_OK;
}

static firn_result op_spawn_many(machine *m, fuzz_bytes *in, firn_error *err)
{
    firn_component components[5];
    firn_entity made[8] = {0};
    uint32_t count = pick_components(m, in, components), n = fuzz_below(in, 9);
    firn_result result = firn_spawn_many(m->world, components, count, n, made, err);
    for (uint32_t i = 0; result == FIRN_OK && i < n; i++) {
        remember(m, made[i]);
    }
    return result;
}

static firn_result set_value(machine *m, fuzz_bytes *in, firn_entity entity,
                             firn_component component, firn_error *err)
{
    size_t size;
    const uint8_t *bytes = fuzz_slice(in, &size);
    firn_error doc_err = {0};
    firn_doc *doc = firn_doc_create(NULL, NULL, &doc_err);
    FUZZ_CHECK(doc != NULL);
    const firn_value *value = firn_value_decode(doc, bytes, size, &doc_err);
    if (value == NULL) {
        value = firn_value_string(doc, bytes, size, &doc_err);
    }
    firn_result result = firn_set_value(m->world, entity, component, value, err);
    firn_doc_destroy(doc);
    return result;
}

// What an entity has is written in place; bool bytes stay 0 and 1.
static firn_result set_struct(machine *m, fuzz_bytes *in, firn_entity entity, uint32_t which,
                              firn_error *err)
{
    union {
        golden_point point;
        golden_padded padded;
        golden_types types;
        golden_unit unit;
        uint8_t bytes[sizeof(golden_unit)];
    } row;
    memset(&row, 0, sizeof row);
    size_t size;
    const uint8_t *bytes = fuzz_slice(in, &size);
    memcpy(row.bytes, bytes, size < sizeof row ? size : sizeof row);
    uint8_t flag = fuzz_byte(in) & 1;
    if (which == 1) {
        memcpy(&row.padded.flag, &flag, 1);
    } else if (which == 2) {
        memcpy(&row.types.b, &flag, 1);
    }
    return firn_set(m->world, entity, m->components[which], &row, err);
}

static firn_result set_owned(machine *m, fuzz_bytes *in, firn_entity entity,
                             firn_component component, firn_error *err)
{
    size_t size;
    const uint8_t *bytes = fuzz_slice(in, &size);
    if (size > 0 && bytes[0] == '!') { // the codec would refuse it
        size = 0;
    }
    fuzz_text text = fuzz_text_make(&m->texts, bytes, size);
    firn_result result = firn_set(m->world, entity, component, &text, err);
    if (result != FIRN_OK) {
        fuzz_text_drop(&m->texts, &text);
    }
    return result;
}

static firn_result op_set(machine *m, fuzz_bytes *in, firn_error *err)
{
    firn_entity entity = pick_entity(m, in);
    uint32_t which = fuzz_below(in, NUM);
    firn_component component = m->components[which];
    if (strcmp(component_names[which], "Owned") == 0) {
        return set_owned(m, in, entity, component, err);
    }
    size_t size;
    const uint8_t *bytes;
    switch (firn_component_kind_of(m->world, component)) {
    case FIRN_STRUCT:
        return set_struct(m, in, entity, which, err);
    case FIRN_BOOLEAN:
        return firn_set(m->world, entity, component, &(bool){fuzz_byte(in) & 1}, err);
    case FIRN_NUMBER: {
        uint64_t bits = fuzz_u64(in);
        return firn_set(m->world, entity, component, &bits, err);
    }
    case FIRN_STRING:
        bytes = fuzz_slice(in, &size);
        return firn_set_string(m->world, entity, component, bytes, size, err);
    case FIRN_VALUE:
        return set_value(m, in, entity, component, err);
    case FIRN_TAG:
    case FIRN_RELATION:
        break;
    }
    return firn_set(m->world, entity, component, NULL, err);
}

static firn_result op_add_or_remove(machine *m, fuzz_bytes *in, bool add, firn_error *err)
{
    firn_component components[5];
    firn_entity entity = pick_entity(m, in);
    uint32_t count = pick_components(m, in, components);
    return add ? firn_add(m->world, entity, components, count, err)
               : firn_remove(m->world, entity, components, count, err);
}

static firn_result op_query(machine *m, fuzz_bytes *in, firn_error *err)
{
    firn_query *query = &m->queries[fuzz_below(in, 4)];
    if (*query != 0) {
        firn_result result = firn_query_destroy(m->world, *query, err);
        if (result == FIRN_OK) {
            *query = 0;
        }
        return result;
    }
    firn_term terms[3] = {{0}};
    firn_query_desc desc = {.name = "fuzz", .terms = terms, .term_count = fuzz_below(in, 4)};
    for (uint32_t i = 0; i < desc.term_count; i++) {
        terms[i].component = m->components[fuzz_below(in, NUM)];
        terms[i].kind = (firn_term_kind)fuzz_below(in, 4);
    }
    *query = firn_query_create(m->world, &desc, err);
    return *query != 0 ? FIRN_OK : err->code;
}

static firn_result op_begin(machine *m, fuzz_bytes *in)
{
    if (m->open < LOOPS) {
        firn_iter_begin(m->world, m->queries[fuzz_below(in, 4)], &m->loops[m->open++]);
    }
    return FIRN_OK;
}

static void op_step(machine *m)
{
    firn_iter *it = m->open > 0 ? &m->loops[m->open - 1] : NULL;
    if (it != NULL && firn_iter_next(it)) {
        FUZZ_CHECK(it->count > 0);
        for (uint32_t i = 0; i < it->count; i++) {
            FUZZ_CHECK(firn_alive(m->world, it->entities[i]));
        }
    }
}

static firn_result op_end(machine *m, firn_error *err)
{
    return m->open > 0 ? firn_iter_end(&m->loops[--m->open], err) : FIRN_OK;
}

static firn_result op_save(machine *m, firn_error *err)
{
    firn_result result = firn_snapshot_save(m->world, NULL, &m->image, err);
    FUZZ_CHECK(result == FIRN_OK || m->image.size == 0);
    return result;
}

// A save with custom data, in either version. What comes back out is canonical.
static firn_result op_save_with_data(machine *m, fuzz_bytes *in, firn_error *err)
{
    size_t key_size, size;
    const uint8_t *key_bytes = fuzz_slice(in, &key_size), *bytes = fuzz_slice(in, &size);
    char key[64] = {0};
    if (key_size > 0) {
        memcpy(key, key_bytes, key_size);
    }
    firn_value number = {.kind = FIRN_VALUE_NUMBER, .as.number = (double)size};
    firn_data data[] = {{.key = "tree", .value = &number},
                        {.key = key, .encoded = bytes, .encoded_size = size}};
    firn_save_options options = {
        .data = data, .data_count = fuzz_below(in, 3), .wire_version = fuzz_below(in, 3)};
    firn_result result = firn_snapshot_save(m->world, &options, &m->image, err);
    FUZZ_CHECK(result == FIRN_OK || m->image.size == 0);
    for (uint32_t i = 0; result == FIRN_OK && i < options.data_count; i++) {
        firn_error data_err = {0};
        const void *encoded;
        size_t encoded_size;
        firn_result found = firn_image_data(m->image.data, m->image.size, data[i].key, NULL,
                                            &encoded, &encoded_size, &data_err);
        FUZZ_OK(found, &data_err);
        FUZZ_CHECK(fr_value_is_canonical(encoded, encoded_size));
    }
    return result;
}

static firn_result op_load(machine *m, fuzz_bytes *in, firn_error *err)
{
    size_t size = m->image.size;
    if (fuzz_below(in, 4) == 0) {
        size = (size_t)(fuzz_u64(in) % (size + 1));
    }
    firn_load_report report;
    firn_result result = firn_snapshot_load(m->world, m->image.data, size, NULL, &report, err);
    firn_load_report_free(&report);
    FUZZ_CHECK((result == FIRN_OK) == report.committed);
    FUZZ_CHECK(result != FIRN_OK || firn_pending(m->world) == 0);
    return result;
}

enum operation {
    OP_SPAWN,
    OP_SPAWN_MANY,
    OP_DESPAWN,
    OP_SET,
    OP_SET_MORE,
    OP_ADD,
    OP_REMOVE,
    OP_QUERY,
    OP_BEGIN,
    OP_STEP,
    OP_END,
    OP_FLUSH,
    OP_DISCARD,
    OP_TICK,
    OP_SAVE,
    OP_SAVE_WITH_DATA,
    OP_LOAD,
    OP_FAIL,
    OP_COUNT
};

static firn_result operate(machine *m, fuzz_bytes *in, uint32_t op, firn_error *err)
{
    switch ((enum operation)op) {
    case OP_SPAWN:
        return op_spawn(m, in, err);
    case OP_SPAWN_MANY:
        return op_spawn_many(m, in, err);
    case OP_DESPAWN:
        return firn_despawn(m->world, pick_entity(m, in), err);
    case OP_SET:
    case OP_SET_MORE:
        return op_set(m, in, err);
    case OP_ADD:
    case OP_REMOVE:
        return op_add_or_remove(m, in, op == OP_ADD, err);
    case OP_QUERY:
        return op_query(m, in, err);
    case OP_BEGIN:
        return op_begin(m, in);
    case OP_STEP:
        op_step(m);
        return FIRN_OK;
    case OP_END:
        return op_end(m, err);
    case OP_FLUSH:
        return firn_flush(m->world, err);
    case OP_DISCARD:
        firn_discard(m->world);
        return FIRN_OK;
    case OP_TICK:
        return firn_world_set_tick(m->world, fuzz_u64(in) >> fuzz_below(in, 64), err);
    case OP_SAVE:
        return op_save(m, err);
    case OP_SAVE_WITH_DATA:
        return op_save_with_data(m, in, err);
    case OP_LOAD:
        return op_load(m, in, err);
    case OP_FAIL:
    case OP_COUNT:
        break;
    }
    return FIRN_OK;
}

static firn_hash hash_of(machine *m)
{
    firn_error err = {0};
    firn_hash hash = {0};
    FUZZ_OK(firn_world_hash(m->world, &hash, NULL, NULL, &err), &err);
    return hash;
}

// One operation whose `call`th call to the allocator fails. What fails changes nothing.
static void operate_without_memory(machine *m, fuzz_bytes *in)
{
    uint64_t call = fuzz_byte(in);
    uint32_t op = fuzz_below(in, OP_FAIL);
    // Deferred changes are applied one by one, so a failure may come behind some of them.
    bool settled = m->open == 0 && firn_pending(m->world) == 0;
    firn_hash before = {0};
    uint64_t living = m->texts.living;
    if (settled) {
        before = hash_of(m);
    }
    firn_error err = {0};
    m->memory.left = call;
    firn_result result = operate(m, in, op, &err);
    bool ran_out = m->memory.left == UINT64_MAX;
    m->memory.left = UINT64_MAX;
    FUZZ_CHECK(result != FIRN_NO_MEMORY || ran_out);
    if (settled && result != FIRN_OK) {
        firn_hash after = hash_of(m);
        FUZZ_CHECK(memcmp(&before, &after, sizeof before) == 0);
        FUZZ_CHECK(m->texts.living == living);
    }
}

static void settle(machine *m)
{
    firn_error err = {0};
    while (m->open > 0) {
        op_end(m, &err);
    }
    FUZZ_OK(firn_flush(m->world, &err), &err);
    FUZZ_CHECK(firn_pending(m->world) == 0);
}

// ---------------------------------------------------------------- the round trip

static void run(machine *m, fuzz_bytes in, bool failing)
{
    for (uint32_t i = 0; i < OPERATIONS && in.left > 0; i++) {
        uint32_t op = fuzz_below(&in, OP_COUNT);
        firn_error err = {0};
        if (op != OP_FAIL) {
            firn_result result = operate(m, &in, op, &err);
            FUZZ_CHECK(result == FIRN_OK || (err.code == result && err.message[0] != '\0'));
            FUZZ_CHECK(result != FIRN_NO_MEMORY);
        } else if (failing) {
            operate_without_memory(m, &in);
        }
    }
    settle(m);
}

static firn_result append_text(void *user, const void *text, size_t size, firn_error *err)
{
    return firn_buffer_append(user, text, size, err);
}

// The lines of a save bring it back.
static void check_lines(const firn_buffer *image)
{
    firn_error err = {0};
    firn_buffer lines = {0}, again = {0};
    FUZZ_OK(firn_json_export_image(image->data, image->size, NULL, append_text, &lines, &err),
            &err);
    FUZZ_OK(firn_json_import_image(lines.data, lines.size, NULL, &again, &err), &err);
    FUZZ_CHECK(again.size == image->size);
    FUZZ_CHECK(memcmp(again.data, image->data, image->size) == 0);
    firn_buffer_free(&lines);
    firn_buffer_free(&again);
}

static void check_alike(machine *a, machine *b)
{
    firn_error err = {0};
    firn_hash first = hash_of(a), second = hash_of(b), of_image;
    FUZZ_CHECK(memcmp(&first, &second, sizeof first) == 0);
    FUZZ_OK(op_save(a, &err), &err);
    FUZZ_OK(op_save(b, &err), &err);
    FUZZ_CHECK(a->image.size == b->image.size);
    FUZZ_CHECK(memcmp(a->image.data, b->image.data, a->image.size) == 0);
    FUZZ_OK(firn_image_hash(a->image.data, a->image.size, NULL, &of_image, NULL, NULL, &err), &err);
    FUZZ_CHECK(memcmp(&first, &of_image, sizeof first) == 0);
    if (firn_json_available()) {
        check_lines(&a->image);
    }
}

// A load brings no transient components back: both worlds go on without them.
static void load_save_of(machine *m, const firn_buffer *image)
{
    firn_error err = {0};
    firn_result loaded = firn_snapshot_load(m->world, image->data, image->size, NULL, NULL, &err);
    FUZZ_OK(loaded, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return -1;
    }
    size_t later = (size - 1) * data[0] / 256;
    machine a, b;
    machine_make(&a);
    run(&a, (fuzz_bytes){data + 1, size - 1 - later}, true);

    firn_error err = {0};
    FUZZ_OK(op_save(&a, &err), &err);
    machine_make(&b);
    // What stood in the other world before must not matter.
    run(&b, (fuzz_bytes){data + 1, later}, false);
    load_save_of(&b, &a.image);
    check_alike(&a, &b);

    load_save_of(&a, &b.image);
    memcpy(b.entities, a.entities, sizeof b.entities);
    b.spawned = a.spawned;
    memset(a.queries, 0, sizeof a.queries);
    memset(b.queries, 0, sizeof b.queries);
    run(&a, (fuzz_bytes){data + size - later, later}, false);
    run(&b, (fuzz_bytes){data + size - later, later}, false);
    check_alike(&a, &b);
    machine_drop(&a);
    machine_drop(&b);
    return 0;
}
