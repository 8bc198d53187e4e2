#include "store/rename.h"

#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "store/unique.h"

// All rows of an archetype, of which a target gets another slot.
typedef struct fr_rename_move {
    fr_archetype *from;
    fr_archetype *to;
    bool made; // `to`, for this
} fr_rename_move;

bool fr_renames_add(const firn_world *world, fr_renames *renames, firn_entity from, firn_entity to)
{
    const firn_allocator *allocator = &world->allocator;
    if (!FR_RESERVE(allocator, renames->items, renames->capacity, renames->count + 1) ||
        !fr_map_add(allocator, &renames->by_slot, fr_slot(from), renames->count)) {
        return false;
    }
    renames->items[renames->count++] = (fr_rename){from, to};
    return true;
}

static firn_entity new_id(const fr_renames *renames, firn_entity entity)
{
    uint64_t slot = entity & FIRN_SLOT_MAX;
    uint32_t place = fr_map_get(&renames->by_slot, slot);
    return place != FR_MAP_NONE && renames->items[place].from == entity ? renames->items[place].to
                                                                        : entity;
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

// ---------------------------------------------------------------- prepare

static bool note_move(const firn_world *world, fr_renames *renames, fr_archetype *from)
{
    for (uint32_t i = 0; i < renames->move_count; i++) {
        if (renames->moves[i].from == from) {
            return true;
        }
    }
    if (!FR_RESERVE(&world->allocator, renames->moves, renames->move_capacity,
                    renames->move_count + 1)) {
        return false;
    }
    renames->moves[renames->move_count++] = (fr_rename_move){.from = from};
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

static firn_result plan_move(firn_world *world, const fr_renames *renames, fr_rename_move *move,
                             firn_error *err)
{
    const firn_allocator *allocator = &world->allocator;
    const fr_archetype *from = move->from;
    uint32_t count = 0;
    if (!FR_RESERVE(allocator, world->scratch_terms, world->scratch_term_capacity,
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
    return fr_archetype_reserve(allocator, move->to, from->count + from->incoming)
               ? FIRN_OK
               : fr_fail_memory(err, "rows");
}

static bool reserve_new_links(firn_world *world, const fr_rename *rename)
{
    bool memory = true;
    for (uint32_t i = 0; memory && i < world->relations.count; i++) {
        memory =
            fr_relation_reserve_more(world, world->relations.items[i], rename->to, rename->to, 1);
    }
    return memory;
}

firn_result fr_renames_prepare(firn_world *world, fr_renames *renames, firn_error *err)
{
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < renames->count; i++) {
        bool memory = reserve_new_links(world, &renames->items[i]) &&
                      note_moves(world, renames, renames->items[i].from);
        result = memory ? FIRN_OK : fr_fail_memory(err, "edges");
    }
    for (uint32_t i = 0; result == FIRN_OK && i < renames->move_count; i++) {
        result = plan_move(world, renames, &renames->moves[i], err);
    }
    return result;
}

// ---------------------------------------------------------------- commit: edges

static fr_archetype *archetype_of(const firn_world *world, firn_entity entity, uint32_t *row)
{
    uint64_t record = world->index.records[fr_slot(entity)];
    *row = fr_record_row(record);
    return world->archetypes[fr_record_archetype(record)];
}

static void rename_source(firn_world *world, const fr_rename *rename)
{
    uint32_t row;
    fr_archetype *archetype = archetype_of(world, rename->from, &row);
    for (uint32_t i = 0; i < archetype->term_count; i++) {
        fr_component *relation = archetype->components[i];
        if (relation->kind != FIRN_RELATION) {
            continue;
        }
        uint32_t count;
        const uint8_t *edge = fr_row_edges(archetype, i, row, &count);
        for (uint32_t k = 0; k < count; k++, edge += relation->edge_stride) {
            fr_reverse_rename_source(&relation->reverse, rename->from, rename->to,
                                     fr_edge_target(edge));
        }
    }
}

static void rename_target(firn_world *world, const fr_rename *rename)
{
    uint32_t from = fr_slot(rename->from), to = fr_slot(rename->to);
    if (fr_may_be_target(world, from)) {
        world->relations.targets[to / 32] |= UINT32_C(1) << to % 32;
    }
    for (uint32_t i = 0; i < world->relations.count; i++) {
        fr_reverse_rename_target(&world->relations.items[i]->reverse, rename->from, rename->to);
    }
}

// ---------------------------------------------------------------- commit: rows

// The column that the archetype has for a term.
static const fr_column *column_of_term(const fr_archetype *archetype, fr_term key)
{
    const fr_column *column = archetype->columns;
    while (column->key != key) {
        column++;
    }
    return column;
}

static void move_rows(firn_world *world, const fr_renames *renames, const fr_rename_move *move)
{
    fr_archetype *from = move->from, *to = move->to;
    uint32_t first = to->count;
    for (uint32_t i = 0; i < from->column_count && from->count > 0; i++) {
        const fr_column *column = &from->columns[i];
        const fr_column *target = column_of_term(to, new_term(renames, column->key));
        fr_world_move_rows(world, column->component, target->data + (size_t)first * target->stride,
                           column->data, from->count);
    }
    for (uint32_t row = 0; row < from->count; row++) {
        firn_entity entity = from->entities[row];
        to->entities[first + row] = entity;
        world->index.records[fr_slot(entity)] = fr_record_of(entity, to->index, first + row);
    }
    to->count += from->count;
    from->count = 0;
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
            id = new_id(renames, id);
            memcpy(at, &id, sizeof id);
            continue;
        }
        memcpy(&number, at, sizeof number);
        if (number >= 1 && number < 9007199254740992.0 && (double)(int64_t)number == number) {
            number = (double)(int64_t)new_id(renames, (firn_entity)number);
            memcpy(at, &number, sizeof number);
        }
    }
}

static void follow_row(const fr_renames *renames, const fr_component *component, uint8_t *row)
{
    if (component->kind == FIRN_RELATION) {
        firn_entity target = new_id(renames, fr_edge_target(row));
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

// ---------------------------------------------------------------- commit: the entity

static void rename_entity(firn_world *world, const fr_rename *rename)
{
    uint32_t row;
    fr_archetype *archetype = archetype_of(world, rename->from, &row);
    for (uint32_t i = 0; i < archetype->column_count; i++) {
        const fr_column *column = &archetype->columns[i];
        const uint8_t *at = column->data + (size_t)row * column->stride;
        if (column->component->unique) {
            const fr_blob *blob = (const fr_blob *)(const void *)at;
            fr_unique_leave(column->component, &rename->from, blob, 1);
            fr_unique_enter(column->component, rename->to, blob);
        }
    }
    archetype->entities[row] = rename->to;
    world->index.records[fr_slot(rename->from)] = FR_SLOT_NONE;
    world->index.records[fr_slot(rename->to)] = fr_record_of(rename->to, archetype->index, row);
    fr_events_rename(world, rename->from, rename->to);
}

void fr_renames_commit(firn_world *world, fr_renames *renames)
{
    if (renames->count == 0) {
        return;
    }
    for (uint32_t i = 0; i < renames->count; i++) {
        rename_source(world, &renames->items[i]);
    }
    for (uint32_t i = 0; i < renames->count; i++) {
        rename_target(world, &renames->items[i]);
    }
    for (uint32_t i = 0; i < renames->move_count; i++) {
        move_rows(world, renames, &renames->moves[i]);
        renames->moves[i].from->held = false;
        renames->moves[i].to->held = false;
    }
    follow_everywhere(world, renames);
    for (uint32_t i = 0; i < renames->count; i++) {
        rename_entity(world, &renames->items[i]);
    }
    renames->move_count = 0;
}

void fr_renames_cancel(firn_world *world, fr_renames *renames)
{
    while (renames->move_count > 0) {
        const fr_rename_move *move = &renames->moves[--renames->move_count];
        move->from->held = false;
        if (move->to != NULL) {
            move->to->held = false;
        }
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
    fr_map_free(allocator, &renames->by_slot);
}
