#include "store/rename.h"

#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "store/unique.h"

// All rows of an archetype, of which a target gets another slot. They may go where others come
// from, so that they stand aside in between.
typedef struct fr_rename_move {
    fr_archetype *from;
    fr_archetype *to;
    bool made;     // `to`, for this
    uint32_t most; // rows, at most
    uint32_t count;
    firn_entity *entities; // [most]
    void **blocks;         // per column of `from`: [most]
} fr_rename_move;

bool fr_renames_add(const firn_world *world, fr_renames *renames, firn_entity from, firn_entity to)
{
    const firn_allocator *allocator = &world->allocator;
    if (from == to) {
        return true;
    }
    if (!FR_RESERVE(allocator, renames->items, renames->capacity, renames->count + 1) ||
        !fr_map_reserve(allocator, &renames->to_slot, 1) ||
        !fr_map_add(allocator, &renames->by_slot, fr_slot(from), renames->count)) {
        return false;
    }
    (void)fr_map_add(allocator, &renames->to_slot, fr_slot(to), renames->count);
    renames->items[renames->count++] = (fr_rename){.from = from, .to = to};
    return true;
}

firn_entity fr_renames_new(const fr_renames *renames, firn_entity entity)
{
    uint64_t slot = entity & FIRN_SLOT_MAX;
    uint32_t place = fr_map_get(&renames->by_slot, slot);
    return place != FR_MAP_NONE && renames->items[place].from == entity ? renames->items[place].to
                                                                        : entity;
}

firn_entity fr_renames_old(const fr_renames *renames, firn_entity entity)
{
    uint32_t place = fr_map_get(&renames->to_slot, fr_slot(entity));
    if (place != FR_MAP_NONE) {
        return renames->items[place].to == entity ? renames->items[place].from : 0;
    }
    return fr_renames_new(renames, entity) == entity ? entity : 0;
}

// A term of a dense relation whose target is renamed has another slot.
static fr_term new_term(const fr_renames *renames, fr_term term)
{
    uint32_t slot = (uint32_t)term;
    uint32_t place = slot != 0 ? fr_map_get(&renames->by_slot, slot) : FR_MAP_NONE;
    return place != FR_MAP_NONE
               ? fr_term_make(fr_term_component(term), fr_slot(renames->items[place].to))
               : term;
}

// ---------------------------------------------------------------- prepare: rows

// Rows with an edge to what ends are gone by the time of the commit.
static bool parts_from_target(const firn_world *world, const fr_archetype *archetype)
{
    const fr_relations *relations = &world->relations;
    for (uint32_t i = 0; i < archetype->term_count; i++) {
        uint32_t slot = (uint32_t)archetype->terms[i];
        if (slot != 0 && slot < relations->mark_capacity &&
            relations->marks[slot] == FR_MARK_ENDS) {
            return true;
        }
    }
    return false;
}

static bool note_move(const firn_world *world, fr_renames *renames, fr_archetype *from)
{
    uint32_t most = from->count + from->incoming;
    if (most == 0 || parts_from_target(world, from)) {
        return true;
    }
    for (uint32_t i = 0; i < renames->move_count; i++) {
        if (renames->moves[i].from == from) {
            return true;
        }
    }
    if (!FR_RESERVE(&world->allocator, renames->moves, renames->move_capacity,
                    renames->move_count + 1)) {
        return false;
    }
    renames->moves[renames->move_count++] = (fr_rename_move){.from = from, .most = most};
    from->held = true;
    return true;
}

// The archetypes that have the entity as the target of a dense relation.
static bool note_moves(const firn_world *world, fr_renames *renames, firn_entity target)
{
    bool memory = true;
    for (uint32_t i = 0; memory && i < world->relations.count; i++) {
        fr_term term = fr_term_make(world->relations.items[i]->index, fr_slot(target));
        uint32_t cursor = UINT32_MAX, index;
        while (memory && world->relations.dense.count > 0 &&
               (index = fr_map_next(&world->relations.dense, term, &cursor)) != FR_MAP_NONE) {
            memory = note_move(world, renames, world->archetypes[index]);
        }
    }
    return memory;
}

static firn_result find_new_archetype(firn_world *world, const fr_renames *renames,
                                      fr_rename_move *move, firn_error *err)
{
    const fr_archetype *from = move->from;
    uint32_t count = 0;
    if (!FR_RESERVE(&world->allocator, world->scratch_terms, world->scratch_term_capacity,
                    from->term_count)) {
        return fr_fail_memory(err, "a set of components");
    }
    for (uint32_t i = 0; i < from->term_count; i++) {
        fr_terms_insert(world->scratch_terms, &count, new_term(renames, from->terms[i]));
    }
    uint64_t before = world->archetypes_made;
    firn_error why;
    move->to = fr_world_archetype(world, world->scratch_terms, count, &why);
    if (move->to == NULL) {
        return fr_fail_copy(err, &why);
    }
    move->made = world->archetypes_made > before;
    move->to->held = true;
    move->to->incoming += move->most;
    return FIRN_OK;
}

static firn_result make_room_aside(const firn_world *world, fr_rename_move *move, firn_error *err)
{
    const firn_allocator *allocator = &world->allocator;
    const fr_archetype *from = move->from;
    bool memory = fr_archetype_reserve(allocator, move->to, move->to->count + move->to->incoming);
    if (memory) {
        move->entities = fr_column_alloc(allocator, sizeof(firn_entity), move->most);
        // A target has a column.
        move->blocks =
            fr_alloc_zero(allocator, from->column_count, sizeof *move->blocks, sizeof(void *));
        memory = move->entities != NULL && move->blocks != NULL;
    }
    for (uint32_t i = 0; memory && i < from->column_count; i++) {
        move->blocks[i] = fr_column_alloc(allocator, from->columns[i].stride, move->most);
        memory = move->blocks[i] != NULL;
    }
    return memory ? FIRN_OK : fr_fail_memory(err, "rows");
}

static void free_room_aside(const firn_world *world, fr_rename_move *move)
{
    const firn_allocator *allocator = &world->allocator;
    const fr_archetype *from = move->from;
    for (uint32_t i = 0; move->blocks != NULL && i < from->column_count; i++) {
        fr_column_free(allocator, move->blocks[i], from->columns[i].stride, move->most);
    }
    fr_free(allocator, move->blocks, from->column_count, sizeof *move->blocks, sizeof(void *));
    fr_column_free(allocator, move->entities, sizeof(firn_entity), move->most);
}

static void let_go_of_move(const fr_rename_move *move)
{
    move->from->held = false;
    if (move->to != NULL) {
        move->to->held = false;
        move->to->incoming = 0;
    }
}

// ---------------------------------------------------------------- prepare: edges

typedef bool (*rename_edge_fn)(void *user, firn_entity source, firn_entity target);

// The edges of a relation that an entity, which lives or not, is the source of.
static bool each_edge_from(const firn_world *world, const fr_component *relation,
                           firn_entity source, rename_edge_fn each, void *user)
{
    fr_archetype *archetype;
    uint32_t row, count;
    if (!fr_world_find(world, source, &archetype, &row)) {
        return true;
    }
    bool good = true;
    for (uint32_t i = 0; i < archetype->term_count; i++) {
        if (archetype->components[i] != relation) {
            continue;
        }
        const uint8_t *edge = fr_row_edges(archetype, i, row, &count);
        for (uint32_t k = 0; good && k < count; k++, edge += relation->edge_stride) {
            good = each(user, source, fr_edge_target(edge));
        }
    }
    return good;
}

static bool count_one(void *user, firn_entity source, firn_entity target)
{
    (void)source;
    (void)target;
    ++*(uint32_t *)user;
    return true;
}

static bool reserve_edges(const firn_world *world, fr_renames *renames, fr_component *relation)
{
    fr_reverse *reverse = &relation->reverse;
    bool memory = true;
    uint32_t edges = 0;
    for (uint32_t i = 0; memory && i < renames->count; i++) {
        const fr_rename *rename = &renames->items[i];
        uint32_t before = edges, to_it = fr_reverse_count(reverse, fr_slot(rename->from));
        (void)each_edge_from(world, relation, rename->from, count_one, &edges);
        memory = fr_reverse_reserve_slot(&world->allocator, reverse, edges > before, to_it > 0,
                                         fr_slot(rename->to));
        edges += reverse->exclusive ? 0 : to_it;
    }
    return memory && (!reverse->listed ||
                      FR_RESERVE(&world->allocator, renames->edges, renames->edge_capacity, edges));
}

static bool reserve_all_edges(firn_world *world, fr_renames *renames)
{
    bool memory = true;
    for (uint32_t i = 0; memory && i < renames->count; i++) {
        memory = fr_relations_reserve_target(world, fr_slot(renames->items[i].to));
    }
    for (uint32_t i = 0; memory && i < world->relations.count; i++) {
        memory = reserve_edges(world, renames, world->relations.items[i]);
    }
    return memory;
}

firn_result fr_renames_prepare(firn_world *world, fr_renames *renames, firn_error *err)
{
    bool memory = reserve_all_edges(world, renames);
    for (uint32_t i = 0; memory && i < renames->count; i++) {
        const fr_rename *rename = &renames->items[i];
        // Terms have the slot alone.
        memory = fr_slot(rename->from) == fr_slot(rename->to) ||
                 note_moves(world, renames, rename->from);
    }
    firn_result result = memory ? FIRN_OK : fr_fail_memory(err, "edges");
    for (uint32_t i = 0; result == FIRN_OK && i < renames->move_count; i++) {
        result = find_new_archetype(world, renames, &renames->moves[i], err);
    }
    for (uint32_t i = 0; result == FIRN_OK && i < renames->move_count; i++) {
        result = make_room_aside(world, &renames->moves[i], err);
    }
    return result;
}

fr_archetype *fr_renames_home(const fr_renames *renames, fr_archetype *archetype)
{
    for (uint32_t i = 0; i < renames->move_count; i++) {
        if (renames->moves[i].from == archetype) {
            return renames->moves[i].to;
        }
    }
    return archetype;
}

// ---------------------------------------------------------------- commit: edges

// The edges of a relation that change, on their way into renames->edges.
typedef struct edge_list {
    fr_renames *renames;
    uint32_t count;
} edge_list;

static bool list_edge(void *user, firn_entity source, firn_entity target)
{
    edge_list *list = user;
    const fr_renames *renames = list->renames;
    renames->edges[list->count++] =
        (fr_reverse_edge){.source = source,
                          .target = target,
                          .new_source = fr_renames_new(renames, source),
                          .new_target = fr_renames_new(renames, target)};
    return true;
}

// Those from an entity that is not renamed. Where it has one edge alone, nothing is known by
// target.
static void list_edges_to(edge_list *list, const fr_reverse *reverse, firn_entity target)
{
    firn_entity source = reverse->exclusive ? 0 : fr_reverse_first(reverse, fr_slot(target));
    for (; source != 0; source = fr_reverse_next(reverse, source, target)) {
        if (fr_renames_new(list->renames, source) == source) {
            (void)list_edge(list, source, target);
        }
    }
}

static void rename_edges(const firn_world *world, fr_renames *renames, fr_component *relation)
{
    fr_reverse *reverse = &relation->reverse;
    edge_list list = {.renames = renames};
    for (uint32_t i = 0; reverse->listed && i < renames->count; i++) {
        (void)each_edge_from(world, relation, renames->items[i].from, list_edge, &list);
        list_edges_to(&list, reverse, renames->items[i].from);
    }
    fr_reverse_rename(reverse, renames->edges, list.count);
    for (uint32_t i = 0; i < renames->count; i++) {
        fr_rename *rename = &renames->items[i];
        rename->head = fr_reverse_take_head(reverse, fr_slot(rename->from));
    }
    for (uint32_t i = 0; i < renames->count; i++) {
        const fr_rename *rename = &renames->items[i];
        fr_reverse_put_head(reverse, fr_slot(rename->to), rename->head);
    }
}

static void rename_all_edges(firn_world *world, fr_renames *renames)
{
    for (uint32_t i = 0; i < world->relations.count; i++) {
        rename_edges(world, renames, world->relations.items[i]);
    }
    // The bits of the old slots stay: archetypes may still have terms with them.
    for (uint32_t i = 0; i < renames->count; i++) {
        uint32_t to = fr_slot(renames->items[i].to);
        if (fr_may_be_target(world, fr_slot(renames->items[i].from))) {
            world->relations.targets[to / 32] |= UINT32_C(1) << to % 32;
        }
    }
}

// ---------------------------------------------------------------- commit: rows

static void lift_rows(firn_world *world, fr_rename_move *move)
{
    fr_archetype *from = move->from;
    for (uint32_t i = 0; i < from->column_count; i++) {
        const fr_column *column = &from->columns[i];
        fr_world_move_rows(world, column->component, move->blocks[i], column->data, from->count);
    }
    memcpy(move->entities, from->entities, from->count * sizeof *move->entities);
    move->count = from->count;
    from->count = 0;
}

static void place_rows(firn_world *world, const fr_renames *renames, fr_rename_move *move)
{
    const fr_archetype *from = move->from;
    fr_archetype *to = move->to;
    uint32_t first = to->count;
    for (uint32_t i = 0; i < from->column_count; i++) {
        fr_term key = new_term(renames, from->columns[i].key);
        const fr_column *column = to->columns;
        while (column->key != key) {
            column++;
        }
        fr_world_move_rows(world, column->component, column->data + (size_t)first * column->stride,
                           move->blocks[i], move->count);
    }
    for (uint32_t row = 0; row < move->count; row++) {
        firn_entity entity = move->entities[row];
        to->entities[first + row] = entity;
        world->index.records[fr_slot(entity)] = fr_record_of(entity, to->index, first + row);
    }
    to->count += move->count;
}

static void move_all_rows(firn_world *world, fr_renames *renames)
{
    for (uint32_t i = 0; i < renames->move_count; i++) {
        if (renames->moves[i].from->count > 0) {
            lift_rows(world, &renames->moves[i]);
        }
    }
    for (uint32_t i = 0; i < renames->move_count; i++) {
        fr_rename_move *move = &renames->moves[i];
        if (move->count > 0) {
            place_rows(world, renames, move);
        }
        let_go_of_move(move);
        free_room_aside(world, move);
    }
    renames->move_count = 0;
}

// ---------------------------------------------------------------- commit: ids in rows

static void follow_leaf_of(const fr_renames *renames, const fr_leaf *leaf, uint8_t *row)
{
    uint32_t count = leaf->count > 0 ? leaf->count : 1;
    uint8_t *at = row + leaf->memory_offset;
    for (uint32_t i = 0; i < count; i++, at += sizeof(firn_entity)) {
        firn_entity id;
        double number;
        if (leaf->type == FIRN_ENTITY) {
            memcpy(&id, at, sizeof id);
            id = fr_renames_new(renames, id);
            memcpy(at, &id, sizeof id);
            continue;
        }
        memcpy(&number, at, sizeof number);
        if (number >= 1 && number < 9007199254740992.0 && (double)(int64_t)number == number) {
            number = (double)(int64_t)fr_renames_new(renames, (firn_entity)number);
            memcpy(at, &number, sizeof number);
        }
    }
}

static void follow_row(const fr_renames *renames, const fr_component *component, uint8_t *row)
{
    if (component->kind == FIRN_RELATION) {
        firn_entity target = fr_renames_new(renames, fr_edge_target(row));
        memcpy(row, &target, sizeof target);
    }
    for (uint32_t i = 0; i < component->layout.leaf_count; i++) {
        const fr_leaf *leaf = &component->layout.leaves[i];
        if (leaf->type == FIRN_ENTITY || leaf->type == FIRN_ENTITY_NUMBER) {
            follow_leaf_of(renames, leaf, row);
        }
    }
}

static bool names_entities(const fr_component *component)
{
    bool names = component->kind == FIRN_RELATION;
    for (uint32_t i = 0; !names && i < component->layout.leaf_count; i++) {
        firn_type type = component->layout.leaves[i].type;
        names = type == FIRN_ENTITY || type == FIRN_ENTITY_NUMBER;
    }
    return names;
}

static void follow_column_of(const fr_renames *renames, const fr_column *column, uint32_t rows)
{
    const fr_component *component = column->component;
    if (!names_entities(component)) {
        return;
    }
    for (uint32_t row = 0; row < rows; row++) {
        uint8_t *at = column->data + (size_t)row * column->stride;
        if (!fr_relation_is_many(component)) {
            follow_row(renames, component, at);
            continue;
        }
        fr_edges *edges = (fr_edges *)(void *)at;
        for (uint32_t i = 0; i < edges->count; i++) {
            follow_row(renames, component, edges->rows + (size_t)i * component->edge_stride);
        }
    }
}

static void follow_everywhere(firn_world *world, const fr_renames *renames)
{
    for (uint32_t i = 0; i < world->order_count; i++) {
        const fr_archetype *archetype = world->archetypes[world->order[i]];
        for (uint32_t k = 0; k < archetype->column_count; k++) {
            follow_column_of(renames, &archetype->columns[k], archetype->count);
        }
    }
}

// ---------------------------------------------------------------- commit: the entities

// Enters the strings of a row that nobody shares, or takes them out.
static void change_unique(const fr_archetype *archetype, uint32_t row, firn_entity entity,
                          bool enters)
{
    for (uint32_t i = 0; i < archetype->column_count; i++) {
        const fr_column *column = &archetype->columns[i];
        if (!column->component->unique) {
            continue;
        }
        const fr_blob *blob = (const fr_blob *)(const void *)column->data + row;
        if (enters) {
            fr_unique_enter(column->component, entity, blob);
        } else {
            fr_unique_leave(column->component, &entity, blob, 1);
        }
    }
}

static void leave_old_id(firn_world *world, fr_rename *rename)
{
    fr_archetype *archetype;
    uint32_t row;
    rename->observers = fr_events_leave_id(world, rename->from);
    rename->record = 0;
    if (fr_world_find(world, rename->from, &archetype, &row)) {
        change_unique(archetype, row, rename->from, false);
        uint64_t *record = &world->index.records[fr_slot(rename->from)];
        rename->record = *record;
        *record = FR_SLOT_NONE;
    }
}

static void enter_new_id(firn_world *world, const fr_rename *rename)
{
    fr_events_enter_id(world, rename->observers, rename->to);
    if (rename->record != 0) {
        uint32_t row = fr_record_row(rename->record);
        fr_archetype *archetype = world->archetypes[fr_record_archetype(rename->record)];
        archetype->entities[row] = rename->to;
        world->index.records[fr_slot(rename->to)] = fr_record_of(rename->to, archetype->index, row);
        change_unique(archetype, row, rename->to, true);
    }
}

void fr_renames_commit(firn_world *world, fr_renames *renames)
{
    if (renames->count == 0) {
        return;
    }
    rename_all_edges(world, renames);
    move_all_rows(world, renames);
    follow_everywhere(world, renames);
    for (uint32_t i = 0; i < renames->count; i++) {
        leave_old_id(world, &renames->items[i]);
    }
    for (uint32_t i = 0; i < renames->count; i++) {
        enter_new_id(world, &renames->items[i]);
    }
}

void fr_renames_cancel(firn_world *world, fr_renames *renames)
{
    while (renames->move_count > 0) {
        fr_rename_move *move = &renames->moves[--renames->move_count];
        let_go_of_move(move);
        free_room_aside(world, move);
        if (move->made) {
            fr_world_remove_archetype(world, move->to);
        }
    }
}

void fr_renames_free(const firn_world *world, fr_renames *renames)
{
    const firn_allocator *allocator = &world->allocator;
    FR_ARRAY_FREE(allocator, renames->items, renames->capacity);
    FR_ARRAY_FREE(allocator, renames->moves, renames->move_capacity);
    FR_ARRAY_FREE(allocator, renames->edges, renames->edge_capacity);
    fr_map_free(allocator, &renames->by_slot);
    fr_map_free(allocator, &renames->to_slot);
}
