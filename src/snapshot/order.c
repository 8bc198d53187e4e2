#include "snapshot/order.h"

#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/sort.h"
#include "buffer/bytes.h"
#include "snapshot/format.h"
#include "store/relation.h"

// ---- write

// One target whose sources stand in another order than their rows.
typedef struct ordered_target {
    fr_component *relation;
    firn_entity target;
} ordered_target;

typedef struct order_walk {
    const fr_save *save;
    firn_entity *last; // per slot of a target: its last source so far
    uint8_t *marked;   // per slot of a target: it is among `targets`
    ordered_target *targets;
    uint32_t count;
    uint32_t capacity;
} order_walk;

// The source behind one in a list, of those that are saved; behind 0 the first.
static firn_entity next_saved_source(const order_walk *walk, const fr_component *relation,
                                     firn_entity target, firn_entity source)
{
    do {
        source = source == 0 ? fr_reverse_first(&relation->reverse, fr_slot(target))
                             : fr_reverse_next(&relation->reverse, source, target);
    } while (source != 0 && fr_is_left_out(&walk->save->selection, fr_slot(source)));
    return source;
}

static bool see_edge(order_walk *walk, fr_component *relation, firn_entity source,
                     firn_entity target)
{
    uint32_t slot = fr_slot(target);
    if (walk->marked[slot] || fr_is_left_out(&walk->save->selection, slot)) {
        return true;
    }
    firn_entity expected = next_saved_source(walk, relation, target, walk->last[slot]);
    walk->last[slot] = source;
    if (expected == source) {
        return true;
    }
    walk->marked[slot] = 1;
    if (!FR_RESERVE(&walk->save->world->allocator, walk->targets, walk->capacity,
                    walk->count + 1)) {
        return false;
    }
    walk->targets[walk->count++] = (ordered_target){relation, target};
    return true;
}

static bool see_row(order_walk *walk, fr_component *relation, firn_entity source,
                    const uint8_t *row)
{
    if (!fr_relation_is_many(relation)) {
        return see_edge(walk, relation, source, fr_edge_target(row));
    }
    const fr_edges *edges = (const fr_edges *)(const void *)row;
    bool seen = true;
    for (uint32_t i = 0; seen && i < edges->count; i++) {
        const uint8_t *edge = edges->rows + (size_t)i * relation->edge_stride;
        seen = see_edge(walk, relation, source, fr_edge_target(edge));
    }
    return seen;
}

static bool see_run(order_walk *walk, const fr_saved_rows *run, fr_component *relation)
{
    const fr_archetype *archetype = run->archetype;
    bool seen = true;
    for (uint32_t i = 0; seen && i < archetype->column_count; i++) {
        const fr_column *column = &archetype->columns[i];
        if (column->component != relation) {
            continue;
        }
        const uint8_t *rows = column->data + (size_t)run->first * column->stride;
        for (uint32_t row = 0; seen && row < run->count; row++) {
            seen = see_row(walk, relation, run->entities[row], rows + (size_t)row * column->stride);
        }
    }
    return seen;
}

static bool see_relation(order_walk *walk, fr_component *relation)
{
    const fr_selection *selection = &walk->save->selection;
    uint32_t slots = walk->save->world->index.next_slot;
    memset(walk->last, 0, slots * sizeof *walk->last);
    memset(walk->marked, 0, slots);
    for (uint32_t i = 0; i < selection->run_count; i++) {
        if (!see_run(walk, &selection->runs[i], relation)) {
            return false;
        }
    }
    return true;
}

static int compare_ordered_targets(const void *a, const void *b)
{
    const ordered_target *left = a, *right = b;
    if (left->relation != right->relation) {
        return fr_compare_names(left->relation->name, left->relation->name_size,
                                right->relation->name, right->relation->name_size);
    }
    return (left->target > right->target) - (left->target < right->target);
}

static uint32_t count_sources(const order_walk *walk, const ordered_target *ordered)
{
    uint32_t count = 0;
    for (firn_entity source = 0;
         (source = next_saved_source(walk, ordered->relation, ordered->target, source)) != 0;) {
        count++;
    }
    return count;
}

static void write_list(const order_walk *walk, const ordered_target *ordered, fr_out *out)
{
    const fr_component *relation = ordered->relation;
    const uint32_t per_piece = FR_PIECE_BYTES / FR_ID_BYTES;
    uint32_t count = count_sources(walk, ordered);
    uint32_t pieces = count / per_piece + (count % per_piece != 0);
    fr_out_u8(out, FR_TAG_TABLE + 4);
    fr_out_count(out, 2 + pieces + 1);
    fr_out_encoded_string(out, relation->name, relation->name_size);
    fr_out_encoded_number(out, (double)ordered->target);
    firn_entity source = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i % per_piece == 0) {
            uint32_t n = count - i < per_piece ? count - i : per_piece;
            fr_out_count(out, FR_TAG_STRING + n * FR_ID_BYTES);
        }
        source = next_saved_source(walk, relation, ordered->target, source);
        fr_out_u64(out, source);
    }
}

static bool write_lists(const order_walk *walk, firn_buffer *buffer)
{
    if (walk->count == 0) {
        return true;
    }
    const firn_allocator *allocator = &walk->save->world->allocator;
    const ordered_target **sorted =
        fr_alloc(allocator, walk->count, sizeof *sorted, sizeof(void *));
    if (sorted == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < walk->count; i++) {
        sorted[i] = &walk->targets[i];
    }
    fr_sort((const void **)sorted, walk->count, compare_ordered_targets);
    fr_out out;
    fr_out_begin(&out, buffer, NULL);
    fr_out_u8(&out, FR_TAG_TABLE + 4);
    fr_out_count(&out, walk->count + 1);
    for (uint32_t i = 0; i < walk->count; i++) {
        write_list(walk, sorted[i], &out);
    }
    fr_free(allocator, sorted, walk->count, sizeof *sorted, sizeof(void *));
    return fr_out_end(&out, NULL) == FIRN_OK;
}

// Whether a save of the selection holds edges of a relation that lists sources.
static bool is_saved(const fr_save *save, const fr_component *relation)
{
    return relation->reverse.listed && !relation->transient &&
           fr_selection_has(&save->selection, relation);
}

firn_result fr_order_write(const fr_save *save, firn_buffer *out, firn_error *err)
{
    const firn_world *world = save->world;
    const firn_allocator *allocator = &world->allocator;
    uint32_t slots = world->index.next_slot;
    order_walk walk = {.save = save};
    bool done = true;
    for (uint32_t i = 0; done && i < world->relations.count; i++) {
        fr_component *relation = world->relations.items[i];
        if (!is_saved(save, relation)) {
            continue;
        }
        if (walk.last == NULL) {
            walk.last = fr_alloc(allocator, slots, sizeof *walk.last, sizeof *walk.last);
            walk.marked = fr_alloc(allocator, slots, 1, 1);
        }
        done = walk.last != NULL && walk.marked != NULL && see_relation(&walk, relation);
    }
    done = done && write_lists(&walk, out);
    fr_free(allocator, walk.last, slots, sizeof *walk.last, sizeof *walk.last);
    fr_free(allocator, walk.marked, slots, 1, 1);
    FR_ARRAY_FREE(allocator, walk.targets, walk.capacity);
    return done ? FIRN_OK : fr_fail_memory(err, FR_KEY_ORDER);
}

// ---- read

static firn_result refuse_order(const fr_load *load, const char *why, firn_error *err)
{
    return fr_fail_at(err, FIRN_CORRUPT, load->image.world.order_value, FR_KEY_ORDER,
                      FR_KEY_ORDER " %s", why);
}

// The relation of a name; NULL when the world has none that lists sources.
static fr_component *find_listed(const fr_load *load, const char *name, size_t size)
{
    fr_component *relation = fr_components_find(&load->world->components, name, size);
    if (relation == NULL) {
        relation = fr_components_find_former(&load->world->components, name, size);
    }
    return relation != NULL && relation->reverse.listed && !relation->transient ? relation : NULL;
}

static bool put_in_order(const fr_load *load, fr_component *relation, firn_entity target,
                         firn_entity *sources, uint32_t count)
{
    if (load->merge == NULL) {
        return fr_relations_order(relation, target, sources, count);
    }
    // Targets of the image are new ones: nobody else has edges to them.
    for (uint32_t i = 0; i < count; i++) {
        sources[i] = fr_merge_find(load->merge, sources[i]);
    }
    target = fr_merge_find(load->merge, target);
    return fr_reverse_order(&relation->reverse, target, sources, count);
}

static firn_result apply_list(fr_load *load, fr_component *relation, double number,
                              firn_buffer *list, firn_error *err)
{
    if (!(number >= 1 && number < FR_ID_END) || number != (double)(uint64_t)number) {
        return refuse_order(load, "has a target that is no id", err);
    }
    firn_entity *sources = (firn_entity *)(void *)list->data;
    uint32_t count = (uint32_t)(list->size / sizeof *sources);
    if (relation == NULL || put_in_order(load, relation, (firn_entity)number, sources, count)) {
        return FIRN_OK;
    }
    return refuse_order(load, "lists other sources than the rows have", err);
}

// One list: relation, target, and pieces of ids, which go to load->scratch.
static firn_result read_list(fr_load *load, firn_reader *reader, firn_error *err)
{
    firn_table_head head = firn_read_table(reader);
    size_t size = 0;
    firn_buffer *list = &load->scratch;
    firn_buffer_clear(list);
    if (head.array_count < 2 || head.array_first != 1 || head.map_count != 0) {
        return refuse_order(load, "holds something else than lists", err);
    }
    const char *name = firn_read_string(reader, &size);
    fr_component *relation = name != NULL ? find_listed(load, name, size) : NULL;
    double target = firn_read_number(reader);
    for (uint32_t i = 2; i < head.array_count; i++) {
        const char *piece = firn_read_string(reader, &size);
        if (piece == NULL || size % FR_ID_BYTES != 0) {
            return refuse_order(load, "has a piece that holds no ids", err);
        }
        for (size_t at = 0; at < size; at += FR_ID_BYTES) {
            firn_entity id = fr_load_u64((const uint8_t *)piece + at);
            if (firn_buffer_append(list, &id, sizeof id, err) != FIRN_OK) {
                return FIRN_NO_MEMORY;
            }
        }
    }
    return firn_reader_failed(reader) ? refuse_order(load, "is no array of lists", err)
                                      : apply_list(load, relation, target, list, err);
}

firn_result fr_order_apply(fr_load *load, firn_error *err)
{
    const fr_image_world *saved = &load->image.world;
    if (!saved->has_order) {
        return FIRN_OK;
    }
    firn_reader reader;
    firn_reader_begin(&reader, load->image.bytes + saved->order_value, saved->order_size, NULL);
    firn_table_head head = firn_read_table(&reader);
    if (firn_reader_failed(&reader) || head.map_count != 0) {
        return refuse_order(load, "is no array of lists", err);
    }
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < head.array_count; i++) {
        result = read_list(load, &reader, err);
    }
    return result;
}
