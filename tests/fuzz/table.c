// Saves in table form, of any shape: a load that fails says where and leaves the world as it was;
// one that succeeds gives a world whose table brings it back elsewhere.
//
// The first byte holds the limits, the second 1: skip_unknown, and 2: the newer components. The
// rest is an encoded value.
#include <string.h>

#include "fuzz/fuzz_world.h"
#include "golden/firn_worlds.h"

// Two worlds with the same components, which live as long as the process.
typedef struct table_worlds {
    fuzz_allocator memory;
    fuzz_texts texts;
    firn_world *world, *other;
} table_worlds;

static firn_world *make_world(table_worlds *at, bool newer)
{
    firn_error err = {0};
    firn_world *world = newer ? fuzz_newer_world(&at->memory.allocator, &at->texts, &err)
                              : golden_firn_world(&at->memory.allocator, NULL, &err);
    FUZZ_CHECK(world != NULL && (newer || fuzz_register(world, &at->texts, &err)));
    return world;
}

static table_worlds *worlds_of(bool newer)
{
    static table_worlds all[2];
    table_worlds *at = &all[newer];
    if (at->world == NULL) {
        fuzz_allocator_init(&at->memory);
        at->world = make_world(at, newer);
        at->other = make_world(at, newer);
    }
    return at;
}

static firn_value *save_table(firn_world *world, firn_doc *doc)
{
    firn_error err = {0};
    firn_value *table = NULL;
    firn_save_options options = {.sparse_edges = true};
    FUZZ_OK(firn_snapshot_save_table(world, &options, doc, &table, &err), &err);
    return table;
}

static firn_value *load_and_save(firn_world *world, const firn_value *table, firn_doc *doc)
{
    firn_error err = {0};
    FUZZ_OK(firn_snapshot_load_table(world, table, NULL, NULL, &err), &err);
    return save_table(world, doc);
}

// The second table of a world is exact: the first may have values that a codec left out.
static void check_round_trip(const table_worlds *at)
{
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    const firn_value *first = save_table(at->world, doc);
    const firn_value *second = load_and_save(at->other, first, doc);
    FUZZ_CHECK(firn_value_equal(load_and_save(at->world, second, doc), second));
    firn_doc_destroy(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return -1;
    }
    table_worlds *at = worlds_of((data[1] & 2) != 0);
    firn_limits limits = fuzz_limits(data[0]);
    firn_load_options options = {.skip_unknown = (data[1] & 1) != 0, .limits = &limits};
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_error err = {0};
    const firn_value *table = firn_value_decode(doc, data + 2, size - 2, &err);
    if (table == NULL) {
        firn_doc_destroy(doc);
        return -1;
    }
    firn_hash before, after;
    firn_load_report report;
    FUZZ_OK(firn_world_hash(at->world, &before, NULL, NULL, &err), &err);
    firn_result result = firn_snapshot_load_table(at->world, table, &options, &report, &err);
    firn_load_report_free(&report);
    if (report.committed) {
        check_round_trip(at);
    } else {
        FUZZ_CHECK(err.code == result && err.message[0] != '\0' && err.offset == FIRN_NO_OFFSET);
        FUZZ_OK(firn_world_hash(at->world, &after, NULL, NULL, &err), &err);
        FUZZ_CHECK(memcmp(&before, &after, sizeof before) == 0);
    }
    firn_doc_destroy(doc);
    return 0;
}
