// Loads into worlds with registrations. A load that fails leaves the world as it was; one that
// succeeds gives a world whose save, loaded elsewhere, saves as the same bytes.
//
// The first byte holds options: 1 skip_unknown, 2 a refusal by on_data, 4 and 8 the limits, 16
// keep_unknown, 32 a merge in place of a load; the second chooses the components, the third the
// call to the allocator that fails (0: none). The rest is the image.
#include <string.h>

#include "fuzz/fuzz_world.h"
#include "golden/firn_worlds.h"
#include "golden/tecs_components.h"

#define SCHEMAS_MAX 64

static const firn_save_options with_edges = {.sparse_edges = true};

// Two worlds with the same components, which live as long as the process and hold `base` at the
// begin of each run.
typedef struct loads {
    fuzz_allocator memory;
    fuzz_texts texts;
    firn_world *world, *other;
    firn_buffer base;
    firn_hash hash;  // of base
    uint64_t living; // texts while both hold base
} loads;

// Codecs of 07_custom_codecs save default rows as nil, or as what they do not read.
static bool codecs_are_exact(uint32_t schema)
{
    return schema < 2 || strstr(golden_files[schema - 2].path, "07_custom_codecs") == NULL;
}

static firn_world *make_world(loads *at, uint32_t schema)
{
    firn_error err = {0};
    firn_world *world;
    if (schema == 0) {
        world = golden_firn_world(&at->memory.allocator, NULL, &err);
        FUZZ_CHECK(world != NULL && fuzz_register(world, &at->texts, &err));
    } else if (schema == 1) {
        world = fuzz_newer_world(&at->memory.allocator, &at->texts, &err);
    } else {
        world = golden_world(&golden_files[schema - 2], &err);
    }
    FUZZ_CHECK(world != NULL);
    // A save without random state would leave that of the load before it.
    FUZZ_OK(firn_random_seed(world, 1, &err), &err);
    return world;
}

// Edges of a relation to each of two targets, and to the source itself, as far as it takes them.
static void relate_all(firn_world *world, firn_component relation, const firn_entity ids[3])
{
    firn_error err = {0};
    for (uint32_t source = 0; source < 2; source++) {
        for (uint32_t target = 0; target < 3; target++) {
            FUZZ_OK(firn_relate(world, ids[source], relation, ids[target], NULL, &err), &err);
        }
    }
}

// Entities with all components and with one each, edges of every relation, a dead slot.
static void fill(loads *at, uint32_t schema)
{
    firn_error err = {0};
    firn_component all[64];
    firn_entity ids[3];
    uint32_t count = 0;
    FUZZ_OK(firn_spawn_many(at->world, NULL, 0, 3, ids, &err), &err);
    for (uint32_t i = 0; i < firn_component_count(at->world); i++) {
        firn_component component = firn_component_at(at->world, i);
        // The default row of a Handle is saved as nil.
        bool handle = strcmp(firn_component_name(at->world, component), "Handle") == 0;
        if (firn_component_kind_of(at->world, component) == FIRN_RELATION) {
            relate_all(at->world, component, ids);
        } else if (!handle && codecs_are_exact(schema) && count < FIRN_COUNT(all)) {
            all[count++] = component;
            FUZZ_CHECK(firn_spawn(at->world, &component, 1, &err) != 0);
        }
    }
    firn_entity last = firn_spawn(at->world, all, count, &err);
    FUZZ_CHECK(last != 0 && firn_spawn(at->world, all, count > 0, &err) != 0);
    FUZZ_OK(firn_despawn(at->world, last, &err), &err);
}

// Brings both worlds back to `base`.
static void reset(loads *at)
{
    firn_error err = {0};
    firn_result first =
        firn_snapshot_load(at->world, at->base.data, at->base.size, NULL, NULL, &err);
    FUZZ_OK(first, &err);
    firn_result second =
        firn_snapshot_load(at->other, at->base.data, at->base.size, NULL, NULL, &err);
    FUZZ_OK(second, &err);
}

static loads *loads_of(uint32_t schema)
{
    static loads all[SCHEMAS_MAX];
    FUZZ_CHECK(schema < SCHEMAS_MAX);
    loads *at = &all[schema];
    if (at->world == NULL) {
        firn_error err = {0};
        fuzz_allocator_init(&at->memory);
        at->world = make_world(at, schema);
        at->other = make_world(at, schema);
        fill(at, schema);
        FUZZ_OK(firn_snapshot_save(at->world, &with_edges, &at->base, &err), &err);
        reset(at);
        FUZZ_OK(firn_world_hash(at->world, &at->hash, NULL, NULL, &err), &err);
        at->living = at->texts.living;
    }
    return at;
}

static firn_result see_data(void *user, firn_world *world, const char *key, const void *encoded,
                            size_t size, firn_error *err)
{
    (void)world;
    (void)key;
    firn_error check_err = {0};
    FUZZ_OK(firn_value_check(encoded, size, NULL, NULL, &check_err), &check_err);
    bool refuse = *(const bool *)user;
    if (refuse) {
        *err = (firn_error){.code = FIRN_REFUSED, .message = "no data today"};
    }
    return refuse ? FIRN_REFUSED : FIRN_OK;
}

static void check_unchanged(loads *at)
{
    firn_error err = {0};
    firn_hash hash;
    FUZZ_OK(firn_world_hash(at->world, &hash, NULL, NULL, &err), &err);
    FUZZ_CHECK(memcmp(&hash, &at->hash, sizeof hash) == 0);
    FUZZ_CHECK(at->texts.living == at->living);
}

static void check_same_with(firn_world *world, const firn_save_options *options,
                            const firn_buffer *image)
{
    firn_error err = {0};
    firn_buffer again = {0};
    FUZZ_OK(firn_snapshot_save(world, options, &again, &err), &err);
    FUZZ_CHECK(again.size == image->size && memcmp(again.data, image->data, image->size) == 0);
    firn_buffer_free(&again);
}

static void check_same(firn_world *world, const firn_buffer *image)
{
    check_same_with(world, &with_edges, image);
}

static const firn_load_options keeps = {.keep_unknown = true};

// Tables bring the world back, too: from the first on, which makes each NaN the same, as the same
// bytes.
static void check_tables(loads *at)
{
    firn_error err = {0};
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_value *table = NULL;
    firn_buffer image = {0};
    FUZZ_OK(firn_snapshot_save_table(at->world, &with_edges, doc, &table, &err), &err);
    FUZZ_OK(firn_snapshot_load_table(at->other, table, &keeps, NULL, &err), &err);
    FUZZ_OK(firn_snapshot_save(at->other, &with_edges, &image, &err), &err);
    FUZZ_OK(firn_snapshot_save_table(at->other, &with_edges, doc, &table, &err), &err);
    FUZZ_OK(firn_snapshot_load_table(at->world, table, &keeps, NULL, &err), &err);
    check_same(at->world, &image);
    firn_buffer_free(&image);
    firn_doc_destroy(doc);
}

// The loaded world saves, and its saves in both versions bring back the same world elsewhere. What
// is `kept` stays as version 2 has it.
static void check_saves(loads *at, bool kept)
{
    firn_error err = {0};
    firn_buffer image = {0}, version_2 = {0};
    FUZZ_OK(firn_snapshot_save(at->world, &with_edges, &image, &err), &err);
    FUZZ_OK(firn_image_check(image.data, image.size, NULL, NULL, &err), &err);
    firn_hash of_world, of_image;
    FUZZ_OK(firn_world_hash(at->world, &of_world, NULL, NULL, &err), &err);
    FUZZ_OK(firn_image_hash(image.data, image.size, NULL, &of_image, NULL, NULL, &err), &err);
    FUZZ_CHECK(memcmp(&of_world, &of_image, sizeof of_world) == 0);

    firn_save_options options = {.wire_version = 2, .sparse_edges = true};
    FUZZ_OK(firn_snapshot_save(at->world, &options, &version_2, &err), &err);
    firn_result loaded = firn_snapshot_load(at->other, image.data, image.size, &keeps, NULL, &err);
    FUZZ_OK(loaded, &err);
    check_same(at->other, &image);
    loaded = firn_snapshot_load(at->other, version_2.data, version_2.size, &keeps, NULL, &err);
    FUZZ_OK(loaded, &err);
    if (!kept) {
        check_same(at->other, &image);
    }
    check_same_with(at->other, &options, &version_2);
    firn_buffer_free(&image);
    firn_buffer_free(&version_2);
}

// What the input asks for.
typedef struct input {
    loads *at;
    const uint8_t *image;
    size_t size;
    uint8_t bits;
    uint8_t failing;
    firn_limits limits;
    bool exact; // codecs save what they load
} input;

// Whether an allocation failed in the call that gave this.
static bool check_result(const input *in, firn_result result, const firn_error *err)
{
    bool ran_out = in->failing > 0 && in->at->memory.left == UINT64_MAX;
    in->at->memory.left = UINT64_MAX;
    FUZZ_CHECK(result == FIRN_OK || (err->code == result && err->message[0] != '\0'));
    FUZZ_CHECK(result != FIRN_NO_MEMORY || ran_out);
    return ran_out;
}

static void begin_call(const input *in)
{
    if (in->failing > 0) {
        in->at->memory.left = in->failing - 1u;
    }
}

static void end_call(const input *in, bool committed)
{
    if (committed && in->exact) {
        check_saves(in->at, (in->bits & 16) != 0);
    }
    // A value that is kept as it was may have a key twice, which no tree can.
    if (committed && in->exact && (in->bits & 16) == 0) {
        check_tables(in->at);
    }
    if (committed) {
        reset(in->at);
    }
    check_unchanged(in->at);
}

static void load_input(const input *in)
{
    bool refuse = (in->bits & 2) != 0;
    firn_load_options options = {.skip_unknown = (in->bits & 1) != 0,
                                 .keep_unknown = (in->bits & 17) == 16,
                                 .on_data = see_data,
                                 .user = &refuse,
                                 .limits = &in->limits};
    firn_load_report report = {0};
    firn_error err = {0};
    firn_world *world = in->at->world;
    begin_call(in);
    firn_result result = firn_snapshot_load(world, in->image, in->size, &options, &report, &err);
    firn_load_report_free(&report);
    bool ran_out = check_result(in, result, &err);
    FUZZ_CHECK(result != FIRN_OK || report.committed);
    if (report.committed) {
        FUZZ_CHECK(result == FIRN_OK || result == FIRN_REFUSED || ran_out);
        FUZZ_CHECK(firn_entity_count(world) == report.prelude.entity_count);
        firn_image_options image_options = {.limits = &in->limits};
        result = firn_image_check(in->image, in->size, &image_options, NULL, &err);
        // Registrations settle which columns are encoded where the image leaves it open.
        FUZZ_CHECK(result == FIRN_OK || result == FIRN_UNKNOWN);
    }
    end_call(in, report.committed);
}

static void merge_input(const input *in)
{
    firn_merge_options options = {.skip_unknown = (in->bits & 1) != 0,
                                  .keep_unknown = (in->bits & 17) == 16,
                                  .limits = &in->limits};
    firn_merge_report report = {0};
    firn_error err = {0};
    firn_world *world = in->at->world;
    uint32_t before = firn_entity_count(world);
    begin_call(in);
    firn_result result = firn_snapshot_merge(world, in->image, in->size, &options, &report, &err);
    check_result(in, result, &err);
    FUZZ_CHECK((result == FIRN_OK) == report.load.committed);
    FUZZ_CHECK(firn_entity_count(world) == before + report.count);
    for (uint32_t i = 0; i < report.count; i++) {
        FUZZ_CHECK(firn_alive(world, report.map[i].entity));
        FUZZ_CHECK(firn_merge_find(&report, report.map[i].saved) == report.map[i].entity);
    }
    firn_merge_report_free(&report);
    end_call(in, report.load.committed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3) {
        return -1;
    }
    uint32_t schema = data[1] % (2 + golden_file_count);
    input in = {.at = loads_of(schema),
                .image = data + 3,
                .size = size - 3,
                .bits = data[0],
                .failing = data[2],
                .limits = fuzz_limits((uint8_t)(data[0] >> 2)),
                .exact = codecs_are_exact(schema)};
    if ((in.bits & 32) != 0) {
        merge_input(&in);
    } else {
        load_input(&in);
    }
    return 0;
}
