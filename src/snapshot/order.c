#include "snapshot/order.h"

#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/sort.h"
#include "snapshot/format.h"
#include "snapshot/order_list.h"
#include "store/relation.h"

// Reads the list at `at` of those that are kept; returns its size. Its name is NULL when there is
// no memory.
static size_t next_kept_list(const firn_buffer *kept, size_t at, fr_order_list *list)
{
    firn_reader reader;
    firn_reader_begin(&reader, kept->data + at, kept->size - at, NULL);
    if (fr_order_read_list(&reader, list, NULL) != NULL) {
        list->name = NULL;
    }
    return (size_t)(reader.at - reader.bytes);
}

// ---- write

// One target whose sources stand in another order than their rows.
typedef struct ordered_target {
    fr_component *relation; // NULL: its relation is kept
    const char *name;       // of the relation
    size_t name_size;
    firn_entity target;
    size_t first; // kept: where its sources begin in order_walk.kept
    uint32_t count;
} ordered_target;

typedef struct order_walk {
    const firn_world *world;
    const fr_selection *selection; // NULL: all entities
    bool outer;                    // of targets that are not saved, else of those that are
    firn_buffer kept;              // sources of relations that are kept
    fr_map numbers;                // slot of a target, of this relation -> its number
    firn_entity *last;             // per number of a target: its last source so far
    uint32_t last_room;
    uint8_t *marked; // per number of a target: it is among `targets`
    uint32_t marked_room;
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
    } while (source != 0 && fr_is_unsaved(walk->selection, fr_slot(source)));
    return source;
}

static bool add_target(order_walk *walk, ordered_target target)
{
    if (!FR_RESERVE(&walk->world->allocator, walk->targets, walk->capacity, walk->count + 1)) {
        return false;
    }
    walk->targets[walk->count++] = target;
    return true;
}

static bool reserve_numbers(order_walk *walk, uint32_t numbers)
{
    const firn_allocator *allocator = &walk->world->allocator;
    return FR_RESERVE(allocator, walk->last, walk->last_room, numbers) &&
           FR_RESERVE(allocator, walk->marked, walk->marked_room, numbers);
}

// A target that is not saved is numbered when it is met. False: no memory.
static bool number_outer(order_walk *walk, uint32_t slot, uint32_t *number)
{
    *number = fr_map_get(&walk->numbers, slot);
    if (*number != FR_MAP_NONE) {
        return true;
    }
    *number = walk->numbers.count;
    if (!reserve_numbers(walk, *number + 1) ||
        !fr_map_add(&walk->world->allocator, &walk->numbers, slot, *number)) {
        return false;
    }
    walk->last[*number] = 0;
    walk->marked[*number] = 0;
    return true;
}

// A list that is not saved can be as long as the world is large: it is looked through where that
// does not take longer than all the rest.
static bool is_worth_a_look(const order_walk *walk, const fr_component *relation, uint32_t slot)
{
    return fr_reverse_count(&relation->reverse, slot) / 16 <= walk->selection->entity_count;
}

static bool see_edge(order_walk *walk, fr_component *relation, firn_entity source,
                     firn_entity target)
{
    uint32_t slot = fr_slot(target), number;
    if (fr_is_unsaved(walk->selection, slot) != walk->outer ||
        (walk->outer && !is_worth_a_look(walk, relation, slot))) {
        return true;
    }
    if (!walk->outer) {
        number = fr_selection_number(walk->selection, slot);
    } else if (!number_outer(walk, slot, &number)) {
        return false;
    }
    if (walk->marked[number]) {
        return true;
    }
    firn_entity expected = next_saved_source(walk, relation, target, walk->last[number]);
    walk->last[number] = source;
    if (expected == source) {
        return true;
    }
    walk->marked[number] = 1;
    return add_target(walk, (ordered_target){.relation = relation,
                                             .name = relation->name,
                                             .name_size = relation->name_size,
                                             .target = target});
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
    const fr_selection *selection = walk->selection;
    uint32_t numbers = walk->outer ? 0 : fr_selection_numbers(selection, walk->world);
    if (!reserve_numbers(walk, numbers)) {
        return false;
    }
    if (numbers > 0) {
        memset(walk->last, 0, numbers * sizeof *walk->last);
        memset(walk->marked, 0, numbers);
    }
    fr_map_clear(&walk->numbers);
    for (uint32_t i = 0; i < selection->run_count; i++) {
        if (!see_run(walk, &selection->runs[i], relation)) {
            return false;
        }
    }
    return true;
}

static bool will_be_saved(const order_walk *walk, firn_entity entity)
{
    return fr_world_check_alive(walk->world, entity, NULL) == FIRN_OK &&
           (walk->selection == NULL || !fr_is_unsaved(walk->selection, fr_slot(entity)));
}

// A list of a relation that is kept, of which the entities that are saved are left.
static bool see_kept_list(order_walk *walk, const fr_order_list *list)
{
    size_t first = walk->kept.size;
    const firn_entity *sources = (const firn_entity *)(const void *)list->sources->data;
    for (size_t i = 0; i < list->sources->size / sizeof *sources; i++) {
        if (will_be_saved(walk, sources[i]) &&
            firn_buffer_append(&walk->kept, &sources[i], sizeof *sources, NULL) != FIRN_OK) {
            return false;
        }
    }
    ordered_target ordered = {.name = list->name,
                              .name_size = list->name_size,
                              .target = (firn_entity)list->target,
                              .first = first,
                              .count = (uint32_t)((walk->kept.size - first) / sizeof *sources)};
    return ordered.count < 2 || !will_be_saved(walk, ordered.target) || add_target(walk, ordered);
}

static bool see_kept_lists(order_walk *walk)
{
    const firn_buffer *kept = &walk->world->kept_order;
    firn_buffer sources;
    firn_buffer_init(&sources, &walk->world->allocator);
    bool seen = true;
    for (size_t at = 0; seen && at < kept->size;) {
        fr_order_list list = {.sources = &sources};
        at += next_kept_list(kept, at, &list);
        seen = list.name != NULL && see_kept_list(walk, &list);
    }
    firn_buffer_free(&sources);
    return seen;
}

static int compare_ordered_targets(const void *a, const void *b)
{
    const ordered_target *left = a, *right = b;
    int order = fr_compare_names(left->name, left->name_size, right->name, right->name_size);
    return order != 0 ? order : (left->target > right->target) - (left->target < right->target);
}

static uint32_t count_sources(const order_walk *walk, const ordered_target *ordered)
{
    uint32_t count = ordered->count;
    for (firn_entity source = 0;
         ordered->relation != NULL &&
         (source = next_saved_source(walk, ordered->relation, ordered->target, source)) != 0;) {
        count++;
    }
    return count;
}

// The source at place `i` of a list, behind `source`.
static firn_entity next_listed(const order_walk *walk, const ordered_target *ordered, uint32_t i,
                               firn_entity source)
{
    if (ordered->relation != NULL) {
        return next_saved_source(walk, ordered->relation, ordered->target, source);
    }
    memcpy(&source, walk->kept.data + ordered->first + i * sizeof source, sizeof source);
    return source;
}

static void write_list(const order_walk *walk, const ordered_target *ordered, fr_out *out)
{
    const uint32_t per_piece = FR_PIECE_BYTES / FR_ID_BYTES;
    uint32_t count = count_sources(walk, ordered);
    uint32_t pieces = count / per_piece + (count % per_piece != 0);
    fr_out_u8(out, FR_TAG_TABLE + 4);
    fr_out_count(out, 2 + pieces + 1);
    fr_out_encoded_string(out, ordered->name, ordered->name_size);
    fr_out_encoded_number(out, (double)ordered->target);
    firn_entity source = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i % per_piece == 0) {
            uint32_t n = count - i < per_piece ? count - i : per_piece;
            fr_out_count(out, FR_TAG_STRING + n * FR_ID_BYTES);
        }
        source = next_listed(walk, ordered, i, source);
        fr_out_u64(out, source);
    }
}

static bool write_lists(const order_walk *walk, firn_buffer *buffer)
{
    if (walk->count == 0) {
        return true;
    }
    const firn_allocator *allocator = &walk->world->allocator;
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
    return fr_selection_has(save->selection, relation) && relation->reverse.listed &&
           !relation->transient;
}

static bool see_relations(order_walk *walk, const fr_save *save)
{
    const firn_world *world = walk->world;
    const firn_allocator *allocator = &world->allocator;
    bool done = true;
    for (uint32_t i = 0; done && i < world->relations.count; i++) {
        fr_component *relation = world->relations.items[i];
        done = !is_saved(save, relation) || see_relation(walk, relation);
    }
    FR_ARRAY_FREE(allocator, walk->last, walk->last_room);
    FR_ARRAY_FREE(allocator, walk->marked, walk->marked_room);
    fr_map_free(allocator, &walk->numbers);
    return done;
}

static firn_result write_order(const firn_world *world, const fr_save *save, bool outer,
                               firn_buffer *out, firn_error *err)
{
    order_walk walk = {
        .world = world, .selection = save != NULL ? save->selection : NULL, .outer = outer};
    firn_buffer_init(&walk.kept, &world->allocator);
    bool done = (save == NULL || see_relations(&walk, save)) && (outer || see_kept_lists(&walk)) &&
                write_lists(&walk, out);
    firn_buffer_free(&walk.kept);
    FR_ARRAY_FREE(&world->allocator, walk.targets, walk.capacity);
    return done ? FIRN_OK : fr_fail_memory(err, FR_KEY_ORDER);
}

firn_result fr_order_write(const fr_save *save, firn_buffer *out, firn_error *err)
{
    return write_order(save->world, save, false, out, err);
}

firn_result fr_order_write_outer(const fr_save *save, firn_buffer *out, firn_error *err)
{
    return write_order(save->world, save, true, out, err);
}

firn_result fr_order_write_kept(const firn_world *world, firn_buffer *out, firn_error *err)
{
    return write_order(world, NULL, false, out, err);
}
