// What a damaged image says of others: freed ids, and the order of sources.
#include "base/alloc.h"
#include "base/map.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "buffer/bytes.h"
#include "buffer/writer.h"
#include "snapshot/edges.h"
#include "snapshot/format.h"
#include "snapshot/image_rows.h"
#include "snapshot/order_list.h"
#include "snapshot/salvage.h"
#include "snapshot/target.h"
#include "store/kept.h"

// ---- freed ids

// Ids in strings of at most FR_PIECE_BYTES each, as elements of the open table.
static void write_pieces(firn_writer *writer, const firn_buffer *ids)
{
    for (size_t at = 0; at < ids->size;) {
        size_t left = ids->size - at, size = left < FR_PIECE_BYTES ? left : FR_PIECE_BYTES;
        firn_write_string(writer, ids->data + at, size);
        at += size;
    }
}

static uint32_t piece_count(const firn_buffer *ids)
{
    return (uint32_t)((ids->size + FR_PIECE_BYTES - 1) / FR_PIECE_BYTES);
}

static void fail_with_writer(fr_salvage *job, firn_writer *writer)
{
    if (firn_writer_end(writer, NULL) != FIRN_OK) {
        fr_salvage_no_memory(job);
    }
}

void fr_salvage_free_list(fr_salvage *job, firn_buffer *out, uint64_t *lost)
{
    fr_image *image = &job->image;
    firn_buffer ids;
    fr_free_walk walk;
    uint64_t id;
    firn_buffer_init(&ids, &image->allocator);
    fr_free_begin(&walk, image);
    *lost = 0;
    while (job->result == FIRN_OK && fr_free_next(&walk, &id)) {
        firn_result result = fr_image_check_slot(image, id, 0, FR_KEY_FREE, NULL);
        if (result == FIRN_CORRUPT) {
            ++*lost;
            continue;
        }
        uint8_t bytes[FR_ID_BYTES];
        fr_store_u64(bytes, id);
        if (result != FIRN_OK || firn_buffer_append(&ids, bytes, sizeof bytes, NULL) != FIRN_OK) {
            fr_salvage_no_memory(job);
        }
    }
    *lost += walk.failed;
    firn_writer writer;
    firn_writer_begin(&writer, out, NULL);
    firn_write_table(&writer, piece_count(&ids), 0);
    write_pieces(&writer, &ids);
    fail_with_writer(job, &writer);
    firn_buffer_free(&ids);
}

// ---- edges

// The edges of one relation in what is kept: places in `sources` by target.
typedef struct left_edges {
    fr_salvage *job;
    const fr_image *image;
    fr_map ids;    // entities that are kept
    fr_map places; // by target
    fr_map wanted; // sources of the target at hand
    firn_buffer sources;
    firn_doc *doc;
    const char *name; // of the relation
    size_t name_size;
} left_edges;

static void edges_no_memory(left_edges *edges, bool done)
{
    if (!done) {
        fr_salvage_no_memory(edges->job);
    }
}

static void map_ids(left_edges *edges)
{
    const fr_image *image = edges->image;
    edges_no_memory(edges,
                    fr_map_reserve(&image->allocator, &edges->ids, image->prelude.entity_count));
    for (uint32_t i = 0; edges->job->result == FIRN_OK && i < image->frame_count; i++) {
        for (uint32_t row = 0; row < image->frames[i].rows; row++) {
            (void)fr_map_add(&image->allocator, &edges->ids, fr_frame_id(&image->frames[i], row),
                             0);
        }
    }
}

static void note_edge(left_edges *edges, double target, firn_entity source)
{
    if (!(target >= 1 && target < FR_ID_END)) {
        return;
    }
    uint32_t place = (uint32_t)(edges->sources.size / sizeof source);
    edges_no_memory(
        edges, firn_buffer_append(&edges->sources, &source, sizeof source, NULL) == FIRN_OK &&
                   fr_map_add(&edges->image->allocator, &edges->places, (uint64_t)target, place));
}

static void note_edge_of(left_edges *edges, const firn_value *value, firn_entity source)
{
    const firn_value *target =
        value->kind == FIRN_VALUE_TABLE ? firn_table_get_text(value, "target") : NULL;
    if (target != NULL && target->kind == FIRN_VALUE_NUMBER) {
        note_edge(edges, target->as.number, source);
    }
}

// {target = id}, or {edges = {{target = id}, ...}}.
static void note_edges_of_value(left_edges *edges, const uint8_t *at, size_t size,
                                firn_entity source)
{
    if (fr_is_target(at, at + size)) {
        note_edge(edges, fr_target_number(at), source);
        return;
    }
    firn_error why = {.code = FIRN_OK};
    const firn_value *value = firn_value_decode(edges->doc, at, size, &why);
    edges_no_memory(edges, why.code != FIRN_NO_MEMORY);
    const firn_value *list = value != NULL && value->kind == FIRN_VALUE_TABLE
                                 ? firn_table_get_text(value, "edges")
                                 : NULL;
    if (value != NULL) {
        note_edge_of(edges, value, source);
    }
    if (list != NULL && list->kind == FIRN_VALUE_TABLE) {
        uint32_t cursor = 0;
        firn_value key;
        const firn_value *item;
        while ((item = firn_table_next(list, &cursor, &key)) != NULL) {
            note_edge_of(edges, item, source);
        }
    }
    firn_doc_clear(edges->doc);
}

static void note_edges_of_entry(left_edges *edges, const fr_entry *entry)
{
    const fr_image *image = edges->image;
    bool dense = entry->name_size > edges->name_size;
    size_t digits = edges->name_size + sizeof FR_ARROW - 1;
    firn_entity target =
        dense ? fr_target_of_entry(image, entry, entry->name + digits, entry->name_size - digits)
              : 0;
    fr_value_walk walk;
    fr_values_begin(&walk, image, entry);
    while (edges->job->result == FIRN_OK && fr_values_next(&walk)) {
        if (*walk.at == FR_TAG_NIL) {
            // It has none.
        } else if (dense) {
            note_edge(edges, (double)target, fr_values_entity(&walk));
        } else {
            note_edges_of_value(edges, walk.at, walk.size, fr_values_entity(&walk));
        }
    }
}

static bool is_of_relation(const left_edges *edges, const fr_entry *entry)
{
    uint32_t digits = fr_target_digits(entry->name, entry->name_size);
    size_t size = entry->name_size - digits - (digits > 0 ? 2 : 0);
    return !entry->raw && size == edges->name_size && memcmp(entry->name, edges->name, size) == 0;
}

// Its columns stand side by side in the order of names.
static void gather_edges(left_edges *edges)
{
    const fr_image *image = edges->image;
    const fr_entry wanted = {.name = edges->name, .name_size = (uint32_t)edges->name_size};
    uint32_t first = 0, end = image->prelude.component_count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (fr_compare_entries(image->by_name[middle], &wanted) < 0) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    fr_map_free(&image->allocator, &edges->places);
    firn_buffer_clear(&edges->sources);
    while (first < image->prelude.component_count && is_of_relation(edges, image->by_name[first])) {
        note_edges_of_entry(edges, image->by_name[first++]);
    }
}

// ---- lists

static firn_entity source_at(const left_edges *edges, uint32_t place)
{
    firn_entity id;
    memcpy(&id, edges->sources.data + place * sizeof id, sizeof id);
    return id;
}

// Leaves those sources of a list that have an edge to the target; false: others have one, too.
static bool filter_list(left_edges *edges, const fr_order_list *list)
{
    const firn_allocator *allocator = &edges->image->allocator;
    uint64_t target = (uint64_t)list->target;
    uint32_t cursor = UINT32_MAX, place, missing = 0;
    while ((place = fr_map_next(&edges->places, target, &cursor)) != FR_MAP_NONE) {
        edges_no_memory(edges, fr_map_add(allocator, &edges->wanted, source_at(edges, place), 0));
    }
    size_t left = 0;
    for (size_t at = 0; at < list->sources->size; at += FR_ID_BYTES) {
        firn_entity id;
        memcpy(&id, list->sources->data + at, sizeof id);
        if (fr_map_remove(&edges->wanted, id, 0)) {
            fr_store_u64(list->sources->data + left, id);
            left += FR_ID_BYTES;
        }
    }
    list->sources->size = left;
    // What is left, and the edges, go: a second list of the target has none.
    while ((place = fr_map_get(&edges->places, target)) != FR_MAP_NONE) {
        missing += fr_map_remove(&edges->wanted, source_at(edges, place), 0);
        (void)fr_map_remove(&edges->places, target, place);
    }
    return missing == 0;
}

static bool is_target(const fr_order_list *list)
{
    return list->target >= 1 && list->target < FR_ID_END &&
           list->target == (double)(uint64_t)list->target;
}

static void tell_left_order(fr_salvage *job, const fr_order_list *list, bool kept, size_t gone)
{
    char name[256];
    bool is_id = is_target(list);
    firn_loss loss = {.kind = FIRN_LOSS_ORDER,
                      .offset = FIRN_NO_OFFSET,
                      .count = kept ? gone : 1,
                      .entity = is_id ? (firn_entity)list->target : 0};
    fr_printable(name, sizeof name, list->name, list->name_size);
    if (kept) {
        fr_salvage_tell(job, &loss, name, "of the sources of %s of entity %.0f, %zu are gone", name,
                        list->target, gone);
    } else {
        fr_salvage_tell(job, &loss, name, "the order of the sources of %s of entity %.17g is lost",
                        name, list->target);
    }
}

static void begin_relation(left_edges *edges, const fr_order_list *list)
{
    if (edges->name == NULL ||
        fr_compare_names(edges->name, edges->name_size, list->name, list->name_size) != 0) {
        edges->name = list->name;
        edges->name_size = list->name_size;
        gather_edges(edges);
    }
}

// Appends a list to `out`; false: it is not kept.
static bool keep_left_list(left_edges *edges, const fr_order_list *list, bool outer,
                           firn_buffer *out)
{
    fr_salvage *job = edges->job;
    size_t said = list->sources->size;
    bool is_id = is_target(list);
    bool there = is_id && fr_map_get(&edges->ids, (uint64_t)list->target) != FR_MAP_NONE;
    begin_relation(edges, list);
    bool kept = is_id && there != outer && filter_list(edges, list) && list->sources->size > 0;
    if (!kept || list->sources->size < said) {
        tell_left_order(job, list, kept, (said - list->sources->size) / FR_ID_BYTES);
    }
    if (!kept) {
        return false;
    }
    firn_writer writer;
    firn_writer_begin(&writer, out, NULL);
    firn_write_table(&writer, 2 + piece_count(list->sources), 0);
    firn_write_string(&writer, list->name, list->name_size);
    firn_write_number(&writer, list->target);
    write_pieces(&writer, list->sources);
    fail_with_writer(job, &writer);
    return true;
}

// Lists stand in the order of their relations; one that does not is no list of firn.
static const char *next_left_list(const left_edges *edges, firn_reader *reader, fr_order_list *list)
{
    firn_error memory = {.code = FIRN_OK};
    const char *why = fr_order_read_list(reader, list, &memory);
    if (memory.code != FIRN_OK) {
        fr_salvage_no_memory(edges->job);
    }
    if (why == NULL && edges->name != NULL &&
        fr_compare_names(list->name, list->name_size, edges->name, edges->name_size) < 0) {
        return "is out of order";
    }
    return why;
}

static void keep_left_lists(left_edges *edges, const fr_datum *datum, bool outer,
                            firn_buffer *lists, uint32_t *kept)
{
    fr_salvage *job = edges->job;
    firn_reader reader;
    firn_reader_begin(&reader, job->image.bytes + datum->offset, datum->size, NULL);
    firn_table_head head = firn_read_table(&reader);
    firn_buffer sources;
    firn_buffer_init(&sources, &job->image.allocator);
    fr_order_list list = {.sources = &sources};
    const char *why = firn_reader_failed(&reader) || head.map_count != 0 ? "is no array" : NULL;
    for (uint32_t i = 0; i < head.array_count && why == NULL && job->result == FIRN_OK; i++) {
        why = next_left_list(edges, &reader, &list);
        *kept += why == NULL && keep_left_list(edges, &list, outer, lists);
    }
    if (why != NULL) {
        char key[64];
        fr_printable(key, sizeof key, datum->key, datum->key_size);
        fr_salvage_tell(
            job,
            &(firn_loss){
                .kind = FIRN_LOSS_ORDER, .offset = datum->offset, .size = datum->size, .count = 1},
            key, "orders of sources are lost: %s %s", key, why);
    }
    firn_buffer_free(&sources);
}

void fr_salvage_order(fr_salvage *job, const fr_image *image, const fr_datum *datum, bool outer,
                      firn_buffer *out, uint32_t *kept)
{
    left_edges edges = {.job = job, .image = image};
    firn_buffer lists;
    firn_limits wide;
    fr_limits_wide(&image->limits, &wide);
    firn_buffer_init(&lists, &image->allocator);
    firn_buffer_init(&edges.sources, &image->allocator);
    edges.doc = firn_doc_create(&image->allocator, &wide, NULL);
    edges_no_memory(&edges, edges.doc != NULL);
    map_ids(&edges);
    *kept = 0;
    if (job->result == FIRN_OK) {
        keep_left_lists(&edges, datum, outer, &lists, kept);
    }
    fr_out writer;
    fr_out_begin(&writer, out, NULL);
    fr_out_u8(&writer, FR_TAG_TABLE + 4); // an array from 1
    fr_out_count(&writer, *kept + 1);
    fr_out_bytes(&writer, lists.data, lists.size);
    edges_no_memory(&edges, fr_out_end(&writer, NULL) == FIRN_OK);
    fr_map_free(&image->allocator, &edges.ids);
    fr_map_free(&image->allocator, &edges.places);
    fr_map_free(&image->allocator, &edges.wanted);
    firn_buffer_free(&edges.sources);
    firn_buffer_free(&lists);
    firn_doc_destroy(edges.doc);
}
