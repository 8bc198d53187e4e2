// Relationships of an image: which of them have a target that lives, and their rows.
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/utf8.h"
#include "snapshot/beside.h"
#include "snapshot/edges.h"
#include "snapshot/format.h"
#include "snapshot/image_rows.h"
#include "snapshot/target.h"
#include "value/check.h"

// ---- values

static firn_entity id_of_number(double number)
{
    bool is_id = number >= 1 && number < FR_ID_END && number == (double)(uint64_t)number;
    return is_id ? (firn_entity)number : 0;
}

static firn_entity target_of_value(const fr_image *image, const uint8_t *bytes, size_t size)
{
    if (fr_is_target(bytes, bytes + size)) {
        return id_of_number(fr_target_number(bytes));
    }
    firn_reader reader;
    firn_reader_begin(&reader, bytes, size, &image->limits);
    return fr_read_target(&reader);
}

// Steps over a value that was checked.
static size_t step_over_value(fr_in *in, const firn_limits *limits)
{
    const uint8_t *at = in->at;
    size_t size = fr_is_target(at, in->end)
                      ? FR_TARGET_BYTES
                      : fr_simple_length(at, in->end, fr_short_string_end(limits));
    if (size > 0) {
        in->at += size;
    } else if (!fr_value_check_next(in, limits, NULL)) {
        in->at = in->end;
    }
    return (size_t)(in->at - at);
}

void fr_edges_begin(fr_edge_walk *walk, const fr_image *image, const uint8_t *bytes, size_t size)
{
    firn_reader *reader = &walk->reader;
    walk->left = 0;
    walk->alone = bytes;
    walk->alone_size = size;
    firn_reader_begin(reader, bytes, size, &image->limits);
    if (firn_read_kind(reader) != FIRN_VALUE_TABLE) {
        return;
    }
    firn_table_head head = firn_read_table(reader);
    for (uint32_t i = 0; i < head.array_count; i++) {
        firn_read_skip(reader);
    }
    for (uint32_t i = 0; i < head.map_count && !firn_reader_failed(reader); i++) {
        size_t length = 0;
        const char *key = NULL;
        if (firn_read_kind(reader) == FIRN_VALUE_STRING) {
            key = firn_read_string(reader, &length);
        } else {
            firn_read_skip(reader);
        }
        if (key != NULL && length == 5 && memcmp(key, "edges", 5) == 0 &&
            firn_read_kind(reader) == FIRN_VALUE_TABLE) {
            walk->alone = NULL;
            walk->left = firn_read_table(reader).array_count;
            return;
        }
        firn_read_skip(reader);
    }
}

bool fr_edges_next(fr_edge_walk *walk, const uint8_t **bytes, size_t *size)
{
    if (walk->alone != NULL) {
        *bytes = walk->alone;
        *size = walk->alone_size;
        walk->alone = NULL;
        return true;
    }
    while (walk->left > 0 && !firn_reader_failed(&walk->reader)) {
        walk->left--;
        bool nil = firn_read_kind(&walk->reader) == FIRN_VALUE_NIL;
        *bytes = walk->reader.at;
        firn_read_skip(&walk->reader);
        *size = (size_t)(walk->reader.at - *bytes);
        if (!nil) {
            return true;
        }
    }
    return false;
}

bool fr_holds_edges(const fr_image *image, const uint8_t *bytes, size_t size)
{
    fr_edge_walk walk;
    if (target_of_value(image, bytes, size) != 0) {
        return true;
    }
    fr_edges_begin(&walk, image, bytes, size);
    return walk.alone == NULL;
}

// ---- which targets live

// Until the index is made, its memory holds the id of every slot. Wrong ids are found later.
static firn_result note_ids(fr_load *load, firn_error *err)
{
    firn_world *world = load->world;
    uint32_t slots = load->image.prelude.next_slot;
    if (!FR_RESERVE(&world->allocator, world->spare_records, world->spare_capacity, slots)) {
        return fr_fail_memory(err, "entity index");
    }
    memset(world->spare_records, 0, slots * sizeof *world->spare_records);
    for (uint32_t i = 0; i < load->image.frame_count; i++) {
        const fr_frame *frame = &load->image.frames[i];
        for (uint32_t row = 0; row < frame->rows; row++) {
            firn_entity id = id_of_number(fr_load_f64(frame->ids + (size_t)row * FR_ID_BYTES));
            if (fr_slot(id) < slots) {
                world->spare_records[fr_slot(id)] = id;
            }
        }
    }
    return FIRN_OK;
}

static bool will_live(const fr_load *load, firn_entity target)
{
    uint32_t slot = fr_slot(target);
    if (load->merge != NULL) {
        return fr_merge_find(load->merge, target) != 0;
    }
    if (load->beside) {
        return fr_beside_lives(load, target);
    }
    if (load->appends) {
        return fr_world_check_alive(load->world, target, NULL) == FIRN_OK;
    }
    return slot < load->image.prelude.next_slot && load->world->spare_records[slot] == target;
}

// The edges of a value that stay. *dead: those that do not.
static uint32_t count_edges(const fr_load *load, const fr_component *relation, const uint8_t *bytes,
                            size_t size, uint32_t *dead)
{
    uint32_t edges = 0;
    *dead = 0;
    if (!fr_relation_is_many(relation)) {
        // A codec may keep the target to itself; then its row says so.
        firn_entity target = target_of_value(&load->image, bytes, size);
        if (target != 0 || relation->has_codec) {
            *dead = target != 0 && !will_live(load, target);
            return 1 - *dead;
        }
    }
    fr_edge_walk walk;
    fr_edges_begin(&walk, &load->image, bytes, size);
    while (fr_edges_next(&walk, &bytes, &size)) {
        firn_entity target = target_of_value(&load->image, bytes, size);
        bool lives = target == 0 || will_live(load, target);
        edges += lives;
        *dead += !lives;
    }
    return edges;
}

bool fr_load_lacks_edges(const fr_load *load, const fr_span *span, const uint8_t *at,
                         const uint8_t *end)
{
    const fr_component *relation = load->sources[span->entry].component;
    if (fr_relation_is_dense(relation)) {
        return false;
    }
    fr_in in;
    fr_in_begin(&in, at, (size_t)(end - at));
    uint32_t dead;
    return count_edges(load, relation, at, step_over_value(&in, &load->image.limits), &dead) == 0;
}

static void count_dead_rows(fr_load *load, const fr_span *span, fr_source *source)
{
    fr_in in;
    fr_in_begin(&in, span->bytes, span->size);
    for (uint32_t row = 0; row < span->rows; row++) {
        const uint8_t *at = in.at;
        size_t size = step_over_value(&in, &load->image.limits);
        if (size == 0 || fr_value_tag(at, in.end) == FR_TAG_NIL) {
            continue;
        }
        uint32_t dead, edges = count_edges(load, source->component, at, size, &dead);
        source->dropped += dead;
        source->holed |= edges == 0;
    }
}

// What a target of the save is in the world.
static firn_entity in_world(const fr_load *load, firn_entity target)
{
    return load->merge != NULL ? fr_merge_find(load->merge, target) : target;
}

// Remembers which entry the columns of a term come from.
static firn_result enter_target(fr_load *load, uint32_t entry, firn_error *err)
{
    fr_source *source = &load->sources[entry];
    source->new_target = in_world(load, source->target);
    fr_term term = fr_relation_term(source->component, source->new_target);
    uint32_t other = fr_map_get(&load->entry_of_target, term);
    if (other != FR_MAP_NONE) {
        char name[256], other_name[256];
        fr_load_name(load, entry, name);
        return fr_fail_at(err, FIRN_CORRUPT, load->image.entries[entry].offset, name,
                          "%s and %s in the save are one relationship", name,
                          fr_load_name(load, other, other_name));
    }
    return fr_map_add(&load->world->allocator, &load->entry_of_target, term, entry)
               ? FIRN_OK
               : fr_fail_memory(err, "component table");
}

static firn_result count_dead(fr_load *load, uint32_t entry, firn_error *err)
{
    const fr_image *image = &load->image;
    fr_source *source = &load->sources[entry];
    bool dense = fr_relation_is_dense(source->component);
    bool dead = dense && !will_live(load, source->target);
    uint32_t i = image->entries[entry].first_column;
    for (; i != FR_NO_COLUMN; i = image->spans[i].next) {
        if (dead) {
            source->dropped += image->spans[i].rows - image->spans[i].nils;
        } else if (!dense) {
            count_dead_rows(load, &image->spans[i], source);
        }
    }
    if (dead) {
        source->how = FR_SKIP;
    }
    return dead || !dense ? FIRN_OK : enter_target(load, entry, err);
}

firn_result fr_load_targets(fr_load *load, firn_error *err)
{
    if (!load->has_edges) {
        return FIRN_OK;
    }
    // Of rows that are appended the map of ids says it, or the world.
    firn_result result = load->appends ? FIRN_OK : note_ids(load, err);
    for (uint32_t i = 0; result == FIRN_OK && i < load->image.prelude.component_count; i++) {
        if (load->sources[i].how == FR_EDGE) {
            result = count_dead(load, i, err);
        }
    }
    return result;
}

// When the index is made: whether an entity is one of the save.
static bool lives_in_save(const fr_load *load, firn_entity target)
{
    uint32_t slot = fr_slot(target);
    if (load->merge != NULL) {
        return fr_merge_find(load->merge, target) != 0;
    }
    if (load->appends) {
        return will_live(load, target);
    }
    if (slot == 0 || slot >= load->index.next_slot) {
        return false;
    }
    uint64_t record = load->index.records[slot];
    if (fr_record_kind(record) != FR_SLOT_ALIVE) {
        return false;
    }
    uint32_t stage = fr_map_get(&load->stage_of, fr_record_archetype(record));
    return load->stages[stage].entities[fr_record_row(record)] == target;
}

// ---- rows

static firn_result refuse_edge(const fr_edge_rows *rows, uint32_t row, const uint8_t *at,
                               firn_result code, const char *why, firn_error *err)
{
    firn_entity entity = fr_load_saved_id(rows->load, rows->entities[row]);
    fr_fail_at(err, code, rows->base + (uint64_t)(at - rows->in.bytes), rows->name,
               "%s of entity %llu: %s", rows->name, (unsigned long long)entity, why);
    if (err != NULL) {
        err->entity = entity;
    }
    return code;
}

static firn_result check_edge_target(const fr_edge_rows *rows, uint32_t row, const uint8_t *at,
                                     firn_entity target, firn_error *err)
{
    char why[96];
    if (target == 0) {
        return refuse_edge(rows, row, at, FIRN_CORRUPT, "the saved value has no target", err);
    }
    if (fr_relation_is_dense(rows->relation) && target != rows->source->target) {
        snprintf(why, sizeof why, "the target is %llu, and the column's is %llu",
                 (unsigned long long)target, (unsigned long long)rows->source->target);
        return refuse_edge(rows, row, at, FIRN_CORRUPT, why, err);
    }
    return FIRN_OK;
}

static firn_result read_edge_fields(const fr_edge_rows *rows, uint32_t row, const uint8_t *bytes,
                                    size_t size, uint8_t *edge, firn_error *err)
{
    firn_reader reader;
    firn_error why;
    firn_reader_begin(&reader, bytes, size, &rows->load->image.limits);
    fr_layout_read_row(&rows->relation->layout, &reader, edge, rows->source->changed,
                       &rows->source->removed);
    rows->source->removed--; // the target is no field
    firn_result result = firn_reader_end(&reader, &why);
    if (result == FIRN_OK) {
        return FIRN_OK;
    }
    // No callback refused it: the value is one that the relation cannot hold.
    return refuse_edge(rows, row, bytes + why.offset,
                       result == FIRN_REFUSED ? FIRN_INVALID : result, why.message, err);
}

static firn_result read_edge(const fr_edge_rows *rows, uint32_t row, const uint8_t *bytes,
                             size_t size, firn_entity target, uint8_t *edge, firn_error *err)
{
    const fr_component *relation = rows->relation;
    firn_result result = check_edge_target(rows, row, bytes, target, err);
    if (result != FIRN_OK) {
        return result;
    }
    memcpy(edge, relation->default_row, relation->edge_stride);
    if (relation->layout.leaf_count > 0 && !fr_is_target(bytes, bytes + size)) {
        result = read_edge_fields(rows, row, bytes, size, edge, err);
    }
    memcpy(edge, &target, sizeof target);
    return result;
}

// The edge of a relation whose rows hold one. It may have had several targets when it was saved, of
// which one is left.
static firn_result read_one_edge(const fr_edge_rows *rows, uint32_t row, const uint8_t *bytes,
                                 size_t size, uint8_t *edge, firn_error *err)
{
    const fr_image *image = &rows->load->image;
    firn_entity target = target_of_value(image, bytes, size);
    if (target != 0 || fr_relation_is_dense(rows->relation)) {
        return read_edge(rows, row, bytes, size, target, edge, err);
    }
    fr_edge_walk walk;
    fr_edges_begin(&walk, image, bytes, size);
    const uint8_t *each;
    size_t each_size;
    uint32_t found = 0;
    while (fr_edges_next(&walk, &each, &each_size)) {
        firn_entity one = target_of_value(image, each, each_size);
        if (one != 0 && !lives_in_save(rows->load, one)) {
            continue;
        }
        if (++found > 1) {
            return refuse_edge(rows, row, each, FIRN_INVALID,
                               "the saved value has two targets, and the relation is exclusive",
                               err);
        }
        target = one;
        bytes = each;
        size = each_size;
    }
    return read_edge(rows, row, bytes, size, target, edge, err);
}

static void place_target(const fr_load *load, uint8_t *edge)
{
    firn_entity target = in_world(load, fr_edge_target(edge));
    memcpy(edge, &target, sizeof target);
}

// The targets of a row so far: looked through one by one while they are few.
typedef struct seen_targets {
    const firn_allocator *allocator;
    const fr_component *relation;
    const fr_edges *edges;
    fr_map many;
} seen_targets;

#define FEW_TARGETS 16

// Whether a target is among the edges of a row; *memory is false when that could not be told.
static bool has_target(seen_targets *seen, firn_entity target, bool *memory)
{
    const fr_edges *edges = seen->edges;
    uint32_t first = edges->count <= FEW_TARGETS ? 0 : FEW_TARGETS;
    *memory = true;
    for (uint32_t i = 0; i < edges->count && i < FEW_TARGETS; i++) {
        if (fr_edge_target(edges->rows + (size_t)i * seen->relation->edge_stride) == target) {
            return true;
        }
    }
    if (first > 0 && fr_map_get(&seen->many, target) != FR_MAP_NONE) {
        return true;
    }
    if (edges->count >= FEW_TARGETS) {
        *memory = fr_map_add(seen->allocator, &seen->many, target, 0);
    }
    return false;
}

static firn_result add_edge(const fr_edge_rows *rows, uint32_t row, const uint8_t *bytes,
                            size_t size, fr_edges *edges, seen_targets *seen, firn_error *err)
{
    const fr_component *relation = rows->relation;
    if (!fr_edges_reserve(seen->allocator, relation, edges, edges->count + 1)) {
        return fr_fail_memory(err, rows->name);
    }
    uint8_t *edge = edges->rows + (size_t)edges->count * relation->edge_stride;
    firn_entity target = target_of_value(&rows->load->image, bytes, size);
    firn_result result = read_edge(rows, row, bytes, size, target, edge, err);
    if (result != FIRN_OK || !lives_in_save(rows->load, target)) {
        return result;
    }
    place_target(rows->load, edge);
    bool memory;
    if (has_target(seen, fr_edge_target(edge), &memory)) {
        return refuse_edge(rows, row, bytes, FIRN_CORRUPT, "a target is there twice", err);
    }
    edges->count++;
    return memory ? FIRN_OK : fr_fail_memory(err, rows->name);
}

static firn_result read_edges(const fr_edge_rows *rows, uint32_t row, const uint8_t *bytes,
                              size_t size, fr_edges *edges, firn_error *err)
{
    seen_targets seen = {
        .allocator = &rows->load->world->allocator, .relation = rows->relation, .edges = edges};
    fr_edge_walk walk;
    fr_edges_begin(&walk, &rows->load->image, bytes, size);
    firn_result result = FIRN_OK;
    while (result == FIRN_OK && fr_edges_next(&walk, &bytes, &size)) {
        result = add_edge(rows, row, bytes, size, edges, &seen, err);
    }
    fr_map_free(seen.allocator, &seen.many);
    return result;
}

firn_result fr_load_edge_rows(fr_edge_rows *rows, firn_error *err)
{
    const fr_component *relation = rows->relation;
    bool many = fr_relation_is_many(relation);
    for (uint32_t row = 0; row < rows->count; row++) {
        uint8_t *to = rows->rows + (size_t)row * relation->stride;
        const uint8_t *bytes = rows->in.at;
        size_t size = step_over_value(&rows->in, &rows->load->image.limits);
        firn_result result = many ? read_edges(rows, row, bytes, size, (fr_edges *)(void *)to, err)
                                  : read_one_edge(rows, row, bytes, size, to, err);
        if (result != FIRN_OK) {
            return result;
        }
        if (!many) {
            place_target(rows->load, to);
        }
    }
    return FIRN_OK;
}

// In a merge a codec may have asked firn_reader_entity for the target, or left it as it was saved.
// Which of both it is shows where the save says the target itself; elsewhere it has asked.
static firn_result place_codec_target(const fr_edge_rows *rows, uint32_t row, firn_entity saved,
                                      const uint8_t *bytes, firn_error *err)
{
    fr_load *load = rows->load;
    uint8_t *edge = rows->rows + (size_t)row * rows->relation->stride;
    firn_entity target = fr_edge_target(edge);
    bool is_new = false;
    if (saved != 0 && target != 0) {
        firn_entity place = fr_merge_find(load->merge, saved);
        is_new = place != 0 && (target == saved || target == place);
        memcpy(edge, &place, sizeof place);
    } else if (target != 0 && !fr_merge_gives(load, target, &is_new)) {
        return fr_fail_memory(err, rows->name);
    }
    const char *why = target == 0 ? "the saved value has no target"
                                  : "the codec gave a target that the save does not have";
    return is_new ? FIRN_OK : refuse_edge(rows, row, bytes, FIRN_CORRUPT, why, err);
}

static firn_result check_codec_target(const fr_edge_rows *rows, uint32_t row, firn_error *err)
{
    firn_entity target = fr_edge_target(rows->rows + (size_t)row * rows->relation->stride);
    firn_result result = check_edge_target(rows, row, rows->in.bytes, target, err);
    if (result == FIRN_OK && !lives_in_save(rows->load, target)) {
        result = refuse_edge(rows, row, rows->in.bytes, FIRN_CORRUPT,
                             "the codec gave a target that the save does not have", err);
    }
    return result;
}

firn_result fr_load_check_targets(fr_edge_rows *rows, firn_error *err)
{
    firn_result result = FIRN_OK;
    for (uint32_t row = 0; result == FIRN_OK && row < rows->count; row++) {
        if (rows->load->merge == NULL) {
            result = check_codec_target(rows, row, err);
            continue;
        }
        const uint8_t *bytes = rows->in.at;
        size_t size = step_over_value(&rows->in, &rows->load->image.limits);
        firn_entity saved = rows->source->target != 0
                                ? rows->source->target
                                : target_of_value(&rows->load->image, bytes, size);
        result = place_codec_target(rows, row, saved, bytes, err);
    }
    return result;
}
