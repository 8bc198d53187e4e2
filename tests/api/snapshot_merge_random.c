// Random worlds, merged: the entities that were there are as they were, those of the image are as
// they were under new ids, and what comes of it is saved and loaded exactly.
#include "api/snapshot_zoo.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SEEDS  200
#define PEOPLE 24

typedef struct body {
    firn_entity leader, seats[2];
    double second; // an id, as Lua holds it
    int32_t size;
} body;

typedef struct edge {
    firn_entity target, witness;
    float weight;
} edge;

typedef struct watch {
    firn_entity target;
} watch;

static const firn_field body_fields[] = {
    FIRN_FIELD(body, leader, FIRN_ENTITY),
    FIRN_FIELD_ARRAY(body, seats, FIRN_ENTITY, 2),
    FIRN_FIELD(body, second, FIRN_ENTITY_NUMBER),
    FIRN_FIELD(body, size, FIRN_I32),
};
static const firn_field edge_fields[] = {
    FIRN_FIELD(edge, witness, FIRN_ENTITY),
    FIRN_FIELD(edge, weight, FIRN_F32),
};
static const firn_field watch_fields[] = {FIRN_FIELD(watch, target, FIRN_ENTITY)};
static const firn_field mod_fields[] = {FIRN_FIELD(zoo_point, x, FIRN_F32),
                                        FIRN_FIELD(zoo_point, y, FIRN_F32)};

static firn_result encode_watches(void *user, const firn_rows *rows, firn_writer *out,
                                  firn_error *err)
{
    (void)user, (void)err;
    const watch *row = rows->data;
    for (uint32_t i = 0; i < rows->count; i++)
        firn_write_number(out, (double)row[i].target);
    return FIRN_OK;
}

static firn_result decode_watches(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)user, (void)err;
    watch *row = rows->data;
    for (uint32_t i = 0; i < rows->count; i++)
        row[i].target = firn_reader_entity(in, (firn_entity)firn_read_number(in));
    return FIRN_OK;
}

static firn_result encode_edges(void *user, const firn_rows *rows, firn_writer *out,
                                firn_error *err)
{
    (void)user, (void)err;
    const edge *row = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        firn_write_table(out, 2, 1);
        firn_write_number(out, (double)row[i].witness);
        firn_write_number(out, (double)row[i].weight);
        firn_write_text(out, "target");
        firn_write_number(out, (double)row[i].target);
    }
    return FIRN_OK;
}

static firn_result decode_edges(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)user, (void)err;
    edge *row = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        firn_read_table(in);
        row[i].witness = firn_reader_entity(in, (firn_entity)firn_read_number(in));
        row[i].weight = (float)firn_read_number(in);
        firn_read_skip(in);
        row[i].target = firn_reader_entity(in, (firn_entity)firn_read_number(in));
    }
    return FIRN_OK;
}

static const firn_codec watch_codec = {FIRN_ABI, "watches", encode_watches, decode_watches, NULL};
static const firn_codec edge_codec = {FIRN_ABI, "edges", encode_edges, decode_edges, NULL};

// Those of mods come last: a world may go without them.
enum { BODY, TITLE, BAG, SCORE, MARK, WATCH, LIKES, OWNS, PARENT, KNOWS, BOND, DENSE_BOND, KNOWN };
enum { MOD_POINT = KNOWN, MOD_TEXT, MOD_TAG, ALL };

#define EDGE_STRUCT                                                                                \
    .kind = FIRN_RELATION, .size = sizeof(edge), .fields = edge_fields, .field_count = 2

static const firn_component_desc descs[ALL] = {
    [BODY] = {.name = "Body",
              .kind = FIRN_STRUCT,
              .size = sizeof(body),
              .fields = body_fields,
              .field_count = FIRN_COUNT(body_fields)},
    [TITLE] = {.name = "Title", .kind = FIRN_STRING, .unique = true},
    [BAG] = {.name = "Bag", .kind = FIRN_VALUE},
    [SCORE] = {.name = "Score", .kind = FIRN_NUMBER},
    [MARK] = {.name = "Mark", .kind = FIRN_TAG},
    [WATCH] = {.name = "Watch",
               .kind = FIRN_STRUCT,
               .size = sizeof(watch),
               .fields = watch_fields,
               .field_count = 1,
               .codec = &watch_codec},
    [LIKES] = {.name = "Likes", EDGE_STRUCT, .relation = FIRN_REVERSE},
    [OWNS] = {.name = "Owns", .kind = FIRN_RELATION, .relation = FIRN_EXCLUSIVE},
    [PARENT] = {.name = "Parent",
                EDGE_STRUCT,
                .relation = FIRN_SPARSE | FIRN_EXCLUSIVE | FIRN_CASCADE},
    [KNOWS] = {.name = "Knows", EDGE_STRUCT, .relation = FIRN_SPARSE | FIRN_REVERSE},
    [BOND] = {.name = "Bond",
              EDGE_STRUCT,
              .relation = FIRN_SPARSE | FIRN_EXCLUSIVE | FIRN_REVERSE,
              .codec = &edge_codec},
    [DENSE_BOND] = {.name = "DenseBond", EDGE_STRUCT, .codec = &edge_codec},
    [MOD_POINT] = {.name = "mod.Point",
                   .kind = FIRN_STRUCT,
                   .size = sizeof(zoo_point),
                   .fields = mod_fields,
                   .field_count = 2},
    [MOD_TEXT] = {.name = "mod.Text", .kind = FIRN_STRING},
    [MOD_TAG] = {.name = "mod.Tag", .kind = FIRN_TAG},
};

typedef struct folk {
    firn_world *world;
    firn_component of[ALL];
    firn_entity ids[PEOPLE]; // those that live, when it was filled
    uint32_t count;
} folk;

static folk make_folk(uint32_t count)
{
    folk made = {.world = zoo_empty(NULL)};
    for (uint32_t i = 0; i < count; i++)
        made.of[i] = zoo_register(made.world, &descs[i]);
    return made;
}

// ---- random worlds

static firn_entity any_of(test_random *random, const folk *at)
{
    return at->ids[test_random_below(random, PEOPLE)];
}

static void set_random(folk *at, firn_entity entity, uint32_t kind, test_random *random,
                       const char *prefix)
{
    firn_error err;
    firn_component component = at->of[kind];
    char text[40];
    double score = test_random_below(random, 1000) / 8.0;
    const body row = {any_of(random, at),
                      {any_of(random, at), 0},
                      (double)any_of(random, at),
                      (int32_t)test_random_below(random, 99)};
    const edge fields = {0, any_of(random, at), (float)score};
    const firn_value number = {.kind = FIRN_VALUE_NUMBER, .as.number = score};
    switch (kind) {
    case BODY:
        assert_ok(firn_set(at->world, entity, component, &row, &err), &err);
        break;
    case TITLE:
    case MOD_TEXT:
        snprintf(text, sizeof text, "%s %" PRIu64 " and more", prefix, entity);
        assert_ok(firn_set_text(at->world, entity, component, text, &err), &err);
        break;
    case BAG:
        assert_ok(firn_set_value(at->world, entity, component, &number, &err), &err);
        break;
    case SCORE:
        assert_ok(firn_set(at->world, entity, component, &score, &err), &err);
        break;
    case MARK:
    case MOD_TAG:
        assert_ok(firn_add(at->world, entity, &component, 1, &err), &err);
        break;
    case WATCH:
        assert_ok(firn_set(at->world, entity, component, &(watch){row.leader}, &err), &err);
        break;
    case MOD_POINT:
        assert_ok(firn_set(at->world, entity, component, &(zoo_point){fields.weight, 1}, &err),
                  &err);
        break;
    default:
        assert_ok(firn_relate(at->world, entity, component, row.leader,
                              kind == OWNS ? NULL : &fields, &err),
                  &err);
    }
}

static void fill_folk(folk *at, uint64_t seed, const char *prefix)
{
    test_random random = {seed};
    firn_error err;
    uint32_t dead = test_random_below(&random, 6);
    assert_ok(firn_spawn_many(at->world, NULL, 0, PEOPLE, at->ids, &err), &err);
    for (uint32_t i = 0; i < dead; i++)
        assert_ok(firn_despawn(at->world, at->ids[i], &err), &err);
    for (uint32_t i = 0; i < dead / 2; i++)
        at->ids[i] = zoo_spawn(at->world, NULL, 0);
    for (uint32_t i = dead / 2; i < dead; i++)
        at->ids[i] = at->ids[dead];
    uint32_t changes = test_random_below(&random, 150);
    for (uint32_t i = 0; i < changes; i++)
        set_random(at, any_of(&random, at), test_random_below(&random, ALL), &random, prefix);
    // Now and then some end, and what is theirs; ids in fields stay.
    for (uint32_t i = test_random_below(&random, 4); i > 0; i--)
        (void)firn_despawn(at->world, any_of(&random, at), NULL);
    for (uint32_t i = 0; i < PEOPLE; i++) {
        firn_entity id = at->ids[i];
        bool known = !firn_alive(at->world, id);
        for (uint32_t k = 0; k < at->count; k++)
            known = known || at->ids[k] == id;
        if (!known)
            at->ids[at->count++] = id;
    }
}

// ---- what an entity is, in words

typedef struct story {
    char text[8192];
    size_t size;
    const firn_merge_report *report; // NULL: ids are told as they are
} story;

static void tell_bytes(story *to, const char *bytes, size_t size)
{
    assert_true(to->size + size < sizeof to->text);
    memcpy(to->text + to->size, bytes, size);
    to->size += size;
    to->text[to->size] = '\0';
}

static void tell_text(story *to, const char *text)
{
    tell_bytes(to, text, strlen(text));
}

static void tell_id(story *to, firn_entity id)
{
    char text[32];
    snprintf(text, sizeof text, " #%" PRIu64,
             to->report != NULL ? firn_merge_find(to->report, id) : id);
    tell_text(to, text);
}

static void tell_number(story *to, double number)
{
    char text[40];
    snprintf(text, sizeof text, " %.17g", number);
    tell_text(to, text);
}

static void tell_edges(story *to, const folk *at, firn_entity entity, uint32_t kind)
{
    firn_entity ids[PEOPLE];
    uint32_t count = firn_targets(at->world, entity, at->of[kind], ids, PEOPLE);
    // Targets of a dense relation are told by their slots: by a number that is the same for all.
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        story one = {.report = to->report};
        const edge *row = firn_related(at->world, entity, at->of[kind], ids[i]);
        tell_id(&one, row->target);
        if (kind != OWNS) {
            tell_id(&one, row->witness);
            tell_number(&one, (double)row->weight);
        }
        if ((descs[kind].relation & FIRN_SPARSE) != 0)
            tell_text(to, one.text);
        sum += firn_bytes_digest(one.text, one.size).low;
    }
    tell_number(to, count);
    tell_number(to, (double)(sum >> 12));
    if ((descs[kind].relation & (FIRN_REVERSE | FIRN_CASCADE)) == 0)
        return;
    tell_text(to, " from");
    count = firn_sources(at->world, at->of[kind], entity, ids, PEOPLE);
    for (uint32_t i = 0; i < count; i++)
        tell_id(to, ids[i]);
}

static void tell_row(story *to, const folk *at, firn_entity entity, uint32_t kind)
{
    const void *row = firn_get(at->world, entity, at->of[kind]);
    const body *of_body = row;
    const char *text;
    size_t size;
    switch (kind) {
    case BODY:
        tell_id(to, of_body->leader);
        tell_id(to, of_body->seats[0]);
        tell_id(to, of_body->seats[1]);
        tell_id(to, (firn_entity)of_body->second);
        tell_number(to, of_body->size);
        break;
    case TITLE:
    case MOD_TEXT:
        text = firn_get_string(at->world, entity, at->of[kind], &size);
        tell_bytes(to, text, size);
        break;
    case BAG: {
        firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
        tell_number(to, firn_get_value(at->world, entity, at->of[kind], doc, NULL)->as.number);
        firn_doc_destroy(doc);
        break;
    }
    case SCORE:
        tell_number(to, *(const double *)row);
        break;
    case WATCH:
        tell_id(to, ((const watch *)row)->target);
        break;
    case MOD_POINT:
        tell_number(to, (double)((const zoo_point *)row)->x);
        break;
    default:
        break;
    }
}

static void tell(story *to, const folk *at, firn_entity entity, uint32_t kinds)
{
    for (uint32_t kind = 0; kind < kinds; kind++) {
        bool has = firn_has(at->world, entity, at->of[kind]);
        bool relation = descs[kind].kind == FIRN_RELATION;
        tell_text(to, has || relation ? descs[kind].name : "");
        if (relation)
            tell_edges(to, at, entity, kind);
        else if (has)
            tell_row(to, at, entity, kind);
        tell_text(to, ";");
    }
}

// Each entity of `model`, under its new id where there is a report, is the same in `now`.
static void assert_same_folk(const folk *model, const folk *now, uint32_t kinds,
                             const firn_merge_report *report)
{
    static story expected, found;
    for (uint32_t i = 0; i < model->count; i++) {
        firn_entity id = model->ids[i];
        expected.size = found.size = 0;
        expected.report = report;
        tell(&expected, model, id, kinds);
        firn_entity there = report != NULL ? firn_merge_find(report, id) : id;
        assert_true(firn_alive(now->world, there));
        tell(&found, now, there, kinds);
        assert_string_equal(found.text, expected.text);
    }
}

// ---- the test

static const firn_save_options with_edges = {.sparse_edges = true};
static const firn_load_options keeping = {.keep_unknown = true};

static void load_keeping(const folk *at, const firn_buffer *image)
{
    firn_error err;
    assert_ok(firn_snapshot_load(at->world, image->data, image->size, &keeping, NULL, &err), &err);
}

static firn_merge_report merge(const folk *at, const folk *source, bool table)
{
    static const firn_merge_options options = {.keep_unknown = true};
    firn_error err;
    firn_merge_report report;
    firn_buffer image = zoo_save_with(source->world, &with_edges);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    if (table) {
        firn_value *tree;
        assert_ok(firn_snapshot_save_table(source->world, &with_edges, doc, &tree, &err), &err);
        assert_ok(firn_snapshot_merge_table(at->world, tree, &options, &report, &err), &err);
    } else {
        assert_ok(firn_snapshot_merge(at->world, image.data, image.size, &options, &report, &err),
                  &err);
    }
    firn_doc_destroy(doc);
    firn_buffer_free(&image);
    return report;
}

// The save of a world loads to the same world elsewhere.
static void assert_exact(const folk *at, const folk *twin)
{
    firn_buffer image = zoo_save_with(at->world, &with_edges);
    firn_hash of_world = zoo_hash(at->world);
    load_keeping(twin, &image);
    firn_hash of_twin = zoo_hash(twin->world);
    assert_memory_equal(&of_world, &of_twin, sizeof of_world);
    firn_buffer again = zoo_save_with(twin->world, &with_edges);
    assert_same_bytes(&again, &image);
    firn_buffer_free(&again);
    firn_buffer_free(&image);
}

static void expect_merge(uint64_t seed)
{
    // A world that goes without the mods keeps what is theirs. A table has no raw rows: there the
    // mods are there.
    bool table = seed % 3 == 0;
    folk a = make_folk(ALL), b = make_folk(ALL), whole = make_folk(ALL);
    folk at = make_folk(table ? ALL : KNOWN), twin = make_folk(table ? ALL : KNOWN);
    fill_folk(&a, 2 * seed, "a");
    fill_folk(&b, 2 * seed + 1, "b");
    firn_buffer image = zoo_save_with(a.world, &with_edges);
    load_keeping(&at, &image);
    firn_merge_report report = merge(&at, &b, table);
    assert_int_equal(report.count, b.count);
    assert_int_equal(firn_entity_count(at.world), a.count + b.count);
    assert_same_folk(&a, &at, KNOWN, NULL);
    assert_same_folk(&b, &at, KNOWN, &report);
    assert_exact(&at, &twin);
    firn_buffer merged = zoo_save_with(at.world, &with_edges);
    load_keeping(&whole, &merged);
    assert_same_folk(&a, &whole, ALL, NULL);
    assert_same_folk(&b, &whole, ALL, &report);
    // What is linked ends as it should, on both sides.
    for (uint32_t i = 0; i < b.count; i += 3)
        (void)firn_despawn(at.world, firn_merge_find(&report, b.ids[i]), NULL);
    for (uint32_t i = 0; i < a.count; i += 3)
        (void)firn_despawn(at.world, a.ids[i], NULL);
    assert_exact(&at, &twin);
    firn_merge_report_free(&report);
    firn_buffer_free(&image);
    firn_buffer_free(&merged);
    firn_world_destroy(a.world);
    firn_world_destroy(b.world);
    firn_world_destroy(at.world);
    firn_world_destroy(twin.world);
    firn_world_destroy(whole.world);
}

static void F8_random_worlds_are_merged_as_a_model_says(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        expect_merge(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(F8_random_worlds_are_merged_as_a_model_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
