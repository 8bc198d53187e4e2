#include "snapshot/order.h"

#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/sort.h"
#include "buffer/bytes.h"
#include "snapshot/edges.h"
#include "snapshot/format.h"
#include "store/rename.h"

// ---- lists

// One list: relation, target, and pieces of ids.
typedef struct order_list {
    const char *name;
    size_t name_size;
    double target;
    firn_buffer *sources;
} order_list;

// NULL, or why it is none. *err: FIRN_NO_MEMORY.
static const char *read_list(firn_reader *reader, order_list *list, firn_error *err)
{
    firn_table_head head = firn_read_table(reader);
    firn_buffer_clear(list->sources);
    if (head.array_count < 2 || head.array_first != 1 || head.map_count != 0) {
        return "holds something else than lists";
    }
    list->name = firn_read_string(reader, &list->name_size);
    list->target = firn_read_number(reader);
    for (uint32_t i = 2; i < head.array_count; i++) {
        size_t size = 0;
        const char *piece = firn_read_string(reader, &size);
        if (piece == NULL || size % FR_ID_BYTES != 0) {
            return "has a piece that holds no ids";
        }
        for (size_t at = 0; at < size; at += FR_ID_BYTES) {
            firn_entity id = fr_load_u64((const uint8_t *)piece + at);
            if (firn_buffer_append(list->sources, &id, sizeof id, err) != FIRN_OK) {
                return "is too long";
            }
        }
    }
    return firn_reader_failed(reader) ? "is no array of lists" : NULL;
}

// Reads the list at `at` of those that are kept; returns its size. Its name is NULL when there is
// no memory.
static size_t next_kept_list(const firn_buffer *kept, size_t at, order_list *list)
{
    firn_reader reader;
    firn_reader_begin(&reader, kept->data + at, kept->size - at, NULL);
    if (read_list(&reader, list, NULL) != NULL) {
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
    firn_buffer kept;              // sources of relations that are kept
    firn_entity *last;             // per number of a target: its last source so far
    uint8_t *marked;               // per number of a target: it is among `targets`
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

static bool see_edge(order_walk *walk, fr_component *relation, firn_entity source,
                     firn_entity target)
{
    if (fr_is_unsaved(walk->selection, fr_slot(target))) {
        return true;
    }
    uint32_t number = fr_selection_number(walk->selection, fr_slot(target));
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
    uint32_t numbers = fr_selection_numbers(selection, walk->world);
    memset(walk->last, 0, numbers * sizeof *walk->last);
    memset(walk->marked, 0, numbers);
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
static bool see_kept_list(order_walk *walk, const order_list *list)
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
        order_list list = {.sources = &sources};
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
    uint32_t numbers = fr_selection_numbers(save->selection, world);
    bool done = true;
    for (uint32_t i = 0; done && i < world->relations.count; i++) {
        fr_component *relation = world->relations.items[i];
        if (!is_saved(save, relation)) {
            continue;
        }
        if (walk->last == NULL) {
            walk->last = fr_alloc(allocator, numbers, sizeof *walk->last, sizeof *walk->last);
            walk->marked = fr_alloc(allocator, numbers, 1, 1);
        }
        done = walk->last != NULL && walk->marked != NULL && see_relation(walk, relation);
    }
    fr_free(allocator, walk->last, numbers, sizeof *walk->last, sizeof *walk->last);
    fr_free(allocator, walk->marked, numbers, 1, 1);
    return done;
}

static firn_result write_order(const firn_world *world, const fr_save *save, firn_buffer *out,
                               firn_error *err)
{
    order_walk walk = {.world = world, .selection = save != NULL ? save->selection : NULL};
    firn_buffer_init(&walk.kept, &world->allocator);
    bool done = (save == NULL || see_relations(&walk, save)) && see_kept_lists(&walk) &&
                write_lists(&walk, out);
    firn_buffer_free(&walk.kept);
    FR_ARRAY_FREE(&world->allocator, walk.targets, walk.capacity);
    return done ? FIRN_OK : fr_fail_memory(err, FR_KEY_ORDER);
}

firn_result fr_order_write(const fr_save *save, firn_buffer *out, firn_error *err)
{
    return write_order(save->world, save, out, err);
}

firn_result fr_order_write_kept(const firn_world *world, firn_buffer *out, firn_error *err)
{
    return write_order(world, NULL, out, err);
}

// ---- read

static firn_result refuse_order(const fr_load *load, const char *why, firn_error *err)
{
    return fr_fail_at(err, FIRN_CORRUPT, load->image.world.order_value, FR_KEY_ORDER,
                      FR_KEY_ORDER " %s", why);
}

static bool is_registered(const fr_components *components, const char *name, size_t size)
{
    return fr_components_find(components, name, size) != NULL ||
           fr_components_find_former(components, name, size) != NULL;
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

// Beside others: each source has the edge, once. Makes room for all sources of the target.
static firn_result check_beside(fr_load *load, const fr_component *relation, firn_entity target,
                                const order_list *list, firn_error *err)
{
    const firn_entity *sources = (const firn_entity *)(const void *)list->sources->data;
    size_t count = list->sources->size / sizeof *sources;
    if (fr_map_get(&load->comes, fr_slot(target)) != fr_generation(target)) {
        return refuse_order(load, "has a target that the save does not have", err);
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t key = fr_load_edge_key(relation, sources[i], target);
        if (fr_map_get(&load->comes, fr_slot(sources[i])) != fr_generation(sources[i]) ||
            !fr_map_remove(&load->edges, key, 0)) {
            return refuse_order(load, "lists other sources than the rows have", err);
        }
    }
    firn_entity now = fr_renames_old(load->renames, target);
    size_t kept = now == 0 ? 0 : fr_reverse_count(&relation->reverse, fr_slot(now));
    return firn_buffer_reserve(list->sources, kept * sizeof *sources, err);
}

// Beside others: the sources that are kept stay in front of those of the image.
static void order_beside(fr_component *relation, firn_entity target, const order_list *list)
{
    firn_entity *sources = (firn_entity *)(void *)list->sources->data;
    uint32_t count = (uint32_t)(list->sources->size / sizeof *sources);
    uint32_t all = fr_reverse_count(&relation->reverse, fr_slot(target));
    uint32_t kept = all > count ? all - count : 0;
    memmove(sources + kept, sources, count * sizeof *sources);
    firn_entity source = fr_reverse_first(&relation->reverse, fr_slot(target));
    for (uint32_t i = 0; i < kept; i++) {
        sources[i] = source;
        source = fr_reverse_next(&relation->reverse, source, target);
    }
    (void)fr_reverse_order(&relation->reverse, target, sources, all);
}

static bool put_in_order(const fr_load *load, fr_component *relation, firn_entity target,
                         firn_entity *sources, uint32_t count)
{
    if (!load->appends) {
        return fr_relations_order(relation, target, sources, count);
    }
    // The targets of the image, or the relation, are new: nobody else has edges to them.
    for (uint32_t i = 0; load->merge != NULL && i < count; i++) {
        sources[i] = fr_merge_find(load->merge, sources[i]);
    }
    target = load->merge != NULL ? fr_merge_find(load->merge, target) : target;
    return fr_reverse_order(&relation->reverse, target, sources, count);
}

// The lists of relations that are kept are kept with them.
static firn_result keep_list(fr_load *load, const order_list *list, const uint8_t *bytes,
                             size_t size, firn_error *err)
{
    const fr_components *components = &load->world->components;
    bool keeps = load->options->keep_unknown && load->merge == NULL && !load->beside &&
                 !is_registered(components, list->name, list->name_size);
    return keeps ? firn_buffer_append(&load->kept_order, bytes, size, err) : FIRN_OK;
}

static firn_result apply_list(fr_load *load, const order_list *list, firn_error *err)
{
    double number = list->target;
    if (!(number >= 1 && number < FR_ID_END) || number != (double)(uint64_t)number) {
        return refuse_order(load, "has a target that is no id", err);
    }
    fr_component *relation = find_listed(load, list->name, list->name_size);
    firn_entity *sources = (firn_entity *)(void *)list->sources->data;
    uint32_t count = (uint32_t)(list->sources->size / sizeof *sources);
    if (relation != NULL && load->beside) {
        return check_beside(load, relation, (firn_entity)number, list, err);
    }
    if (relation == NULL || put_in_order(load, relation, (firn_entity)number, sources, count)) {
        return FIRN_OK;
    }
    return refuse_order(load, "lists other sources than the rows have", err);
}

static firn_result load_list(fr_load *load, firn_reader *reader, firn_error *err)
{
    firn_error memory = {.code = FIRN_OK};
    order_list list = {.sources = &load->scratch};
    const uint8_t *bytes = reader->at;
    const char *why = read_list(reader, &list, &memory);
    if (memory.code != FIRN_OK) {
        return fr_fail_copy(err, &memory);
    }
    if (why != NULL) {
        return refuse_order(load, why, err);
    }
    firn_result result = apply_list(load, &list, err);
    return result == FIRN_OK ? keep_list(load, &list, bytes, (size_t)(reader->at - bytes), err)
                             : result;
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
        result = load_list(load, &reader, err);
    }
    return result;
}

void fr_order_apply_now(fr_load *load)
{
    const fr_image_world *saved = &load->image.world;
    if (!saved->has_order) {
        return;
    }
    firn_reader reader;
    firn_reader_begin(&reader, load->image.bytes + saved->order_value, saved->order_size, NULL);
    firn_table_head head = firn_read_table(&reader);
    for (uint32_t i = 0; i < head.array_count; i++) {
        order_list list = {.sources = &load->scratch};
        (void)read_list(&reader, &list, NULL); // as before, and there is room
        fr_component *relation = find_listed(load, list.name, list.name_size);
        if (relation != NULL) {
            order_beside(relation, (firn_entity)list.target, &list);
        }
    }
}

void fr_order_forget_registered(firn_world *world)
{
    firn_buffer *kept = &world->kept_order;
    size_t left = 0;
    for (size_t at = 0, size; at < kept->size; at += size) {
        firn_reader reader;
        size_t name_size;
        firn_reader_begin(&reader, kept->data + at, kept->size - at, NULL);
        firn_read_skip(&reader);
        size = (size_t)(reader.at - reader.bytes);
        firn_reader_begin(&reader, kept->data + at, size, NULL);
        firn_read_table(&reader);
        const char *name = firn_read_string(&reader, &name_size);
        if (!is_registered(&world->components, name, name_size)) {
            memmove(kept->data + left, kept->data + at, size);
            left += size;
        }
    }
    kept->size = left;
}
