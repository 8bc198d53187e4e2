// The end of a target: what ends with it, and the edges to what ends.
//
// Three steps: gather what ends, level by level; find out for every other source of it where it
// goes, and make room there; then change rows, which cannot fail. Relations come in the order of
// their names, sources in that of their lists (or of rows). A source that loses several edges moves
// once.
#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "store/entity.h"

#include <assert.h>

// A source that loses edges.
typedef struct fr_parting {
    firn_entity source;
    fr_archetype *to; // the archetype that it has without their terms
    bool made;        // for this
} fr_parting;

void fr_target_end_free(firn_world *world)
{
    fr_relations *relations = &world->relations;
    FR_ARRAY_FREE(&world->allocator, relations->marks, relations->mark_capacity);
    FR_ARRAY_FREE(&world->allocator, relations->ending, relations->ending_capacity);
    FR_ARRAY_FREE(&world->allocator, relations->partings, relations->parting_capacity);
}

static fr_archetype *home_of(const firn_world *world, firn_entity entity, uint32_t *row)
{
    uint64_t record = world->index.records[fr_slot(entity)];
    assert(fr_record_kind(record) == FR_SLOT_ALIVE);
    *row = fr_record_row(record);
    return world->archetypes[fr_record_archetype(record)];
}

// ---------------------------------------------------------------- gathering

static bool comes_back(const firn_world *world, firn_entity entity)
{
    const fr_map *comes = world->relations.comes;
    return comes != NULL && fr_map_get(comes, fr_slot(entity)) == fr_generation(entity);
}

static bool gather_parting(firn_world *world, firn_entity source)
{
    fr_relations *relations = &world->relations;
    uint8_t *mark = &relations->marks[fr_slot(source)];
    if (*mark != 0 || comes_back(world, source)) {
        return true;
    }
    if (!FR_RESERVE(&world->allocator, relations->partings, relations->parting_capacity,
                    relations->parting_count + 1)) {
        return false;
    }
    relations->partings[relations->parting_count++] = (fr_parting){.source = source};
    *mark = FR_MARK_PARTS;
    return true;
}

static bool stays_alone(const firn_world *world, firn_entity entity)
{
    const fr_map *stays = world->relations.stays;
    return stays != NULL && fr_map_get(stays, fr_slot(entity)) == fr_generation(entity);
}

static bool gather_ending(firn_world *world, firn_entity entity)
{
    fr_relations *relations = &world->relations;
    uint8_t *mark = &relations->marks[fr_slot(entity)];
    if (*mark != 0 || comes_back(world, entity)) {
        return true;
    }
    if (stays_alone(world, entity)) {
        return gather_parting(world, entity);
    }
    if (!FR_RESERVE(&world->allocator, relations->ending, relations->ending_capacity,
                    relations->ending_count + 1)) {
        return false;
    }
    relations->ending[relations->ending_count++] = entity;
    *mark = FR_MARK_ENDS;
    return true;
}

typedef bool (*gather_fn)(firn_world *world, firn_entity source);

// Sources that are not listed, in one archetype.
static bool gather_rows(firn_world *world, const fr_archetype *archetype,
                        const fr_component *relation, firn_entity target, gather_fn gather)
{
    for (uint32_t row = 0; row < archetype->count; row++) {
        if (fr_row_edge(archetype, row, relation, target) != NULL &&
            !gather(world, archetype->entities[row])) {
            return false;
        }
    }
    return true;
}

static bool gather_sources(firn_world *world, const fr_component *relation, firn_entity target,
                           gather_fn gather)
{
    const fr_reverse *reverse = &relation->reverse;
    bool good = true;
    if (fr_reverse_count(reverse, fr_slot(target)) == 0) {
        return true;
    }
    if (reverse->listed) {
        firn_entity source = fr_reverse_first(reverse, fr_slot(target));
        for (; good && source != 0; source = fr_reverse_next(reverse, source, target)) {
            good = gather(world, source);
        }
        return good;
    }
    fr_term term = fr_relation_term(relation, target);
    for (uint32_t i = 0; good && i < world->order_count; i++) {
        const fr_archetype *archetype = world->archetypes[world->order[i]];
        if (fr_archetype_term_column(archetype, term) != NULL) {
            good = gather_rows(world, archetype, relation, target, gather);
        }
    }
    return good;
}

// All that ends with these, then all others that lose an edge.
static bool gather_all(firn_world *world, const firn_entity *entities, uint32_t count)
{
    fr_relations *relations = &world->relations;
    uint32_t marks = relations->mark_capacity;
    if (count == 0) {
        return true;
    }
    if (!FR_RESERVE(&world->allocator, relations->marks, relations->mark_capacity,
                    world->index.next_slot)) {
        return false;
    }
    memset(relations->marks + marks, 0, relations->mark_capacity - marks);
    bool good = true;
    for (uint32_t i = 0; good && i < count; i++) {
        good = gather_ending(world, entities[i]);
    }
    for (uint32_t i = 0; good && i < relations->ending_count; i++) {
        for (uint32_t k = 0; good && k < relations->count; k++) {
            const fr_component *relation = relations->items[k];
            if ((relation->relation & FIRN_CASCADE) != 0) {
                good = gather_sources(world, relation, relations->ending[i], gather_ending);
            }
        }
    }
    for (uint32_t i = 0; good && i < relations->ending_count; i++) {
        for (uint32_t k = 0; good && k < relations->count; k++) {
            const fr_component *relation = relations->items[k];
            if ((relation->relation & FIRN_CASCADE) == 0) {
                good = gather_sources(world, relation, relations->ending[i], gather_parting);
            }
        }
    }
    return good;
}

// ---------------------------------------------------------------- where sources go

static bool ends(const firn_world *world, const uint8_t *edge)
{
    return world->relations.marks[fr_slot(fr_edge_target(edge))] == FR_MARK_ENDS;
}

// How many edges of a term of a row go, and whether that is all.
static uint32_t count_ending(const firn_world *world, const fr_archetype *archetype, uint32_t term,
                             uint32_t row, bool *all)
{
    const fr_component *relation = archetype->components[term];
    uint32_t count;
    uint32_t gone = 0;
    const uint8_t *edge = fr_row_edges(archetype, term, row, &count);
    for (uint32_t i = 0; i < count; i++, edge += relation->edge_stride) {
        gone += ends(world, edge);
    }
    *all = gone == count;
    return gone;
}

// Finds the archetype that a source goes to, and counts the edges that it loses.
static firn_result plan_parting(firn_world *world, fr_parting *parting, uint32_t *edges,
                                firn_error *err)
{
    uint32_t row;
    const fr_archetype *from = home_of(world, parting->source, &row);
    uint32_t count = 0;
    if (!FR_RESERVE(&world->allocator, world->scratch_terms, world->scratch_term_capacity,
                    from->term_count)) {
        return fr_fail_memory(err, "a set of components");
    }
    for (uint32_t i = 0; i < from->term_count; i++) {
        bool all = false;
        if (from->components[i]->kind == FIRN_RELATION) {
            *edges += count_ending(world, from, i, row, &all);
        }
        if (!all) {
            world->scratch_terms[count++] = from->terms[i];
        }
    }
    uint64_t before = world->archetypes_made;
    parting->to = fr_world_archetype(world, world->scratch_terms, count, err);
    if (parting->to == NULL) {
        return err == NULL ? FIRN_NO_MEMORY : err->code;
    }
    parting->made = world->archetypes_made > before;
    // The next one may need room among the archetypes.
    parting->to->held = true;
    parting->to->incoming += parting->to != from;
    return FIRN_OK;
}

static firn_result plan_partings(firn_world *world, uint32_t *edges, firn_error *err)
{
    const fr_relations *relations = &world->relations;
    firn_error why;
    for (uint32_t i = 0; i < relations->parting_count; i++) {
        if (plan_parting(world, &relations->partings[i], edges, &why) != FIRN_OK) {
            return fr_fail_copy(err, &why);
        }
    }
    for (uint32_t i = 0; i < relations->parting_count; i++) {
        fr_archetype *to = relations->partings[i].to;
        if (!fr_archetype_reserve(&world->allocator, to, to->count + to->incoming)) {
            return fr_fail_memory(err, "the row of an entity");
        }
    }
    return FIRN_OK;
}

static void forget_partings(firn_world *world, bool failed)
{
    fr_relations *relations = &world->relations;
    for (uint32_t i = 0; i < relations->parting_count; i++) {
        fr_parting *parting = &relations->partings[i];
        relations->marks[fr_slot(parting->source)] = 0;
        if (parting->to != NULL) {
            parting->to->held = false;
            parting->to->incoming = 0;
        }
    }
    for (uint32_t i = relations->parting_count; failed && i-- > 0;) {
        if (relations->partings[i].made) {
            fr_world_remove_archetype(world, relations->partings[i].to);
        }
    }
    for (uint32_t i = 0; i < relations->ending_count; i++) {
        relations->marks[fr_slot(relations->ending[i])] = 0;
    }
    relations->parting_count = 0;
    relations->ending_count = 0;
}

// ---------------------------------------------------------------- telling

static firn_result reserve_ends(firn_world *world, uint32_t edges, firn_error *err)
{
    uint32_t kinds = FR_HEARD(FR_EVENT_DESPAWN) | (edges > 0 ? FR_HEARD(FR_EVENT_REMOVE) : 0u);
    if (!fr_heard(world, kinds)) {
        return FIRN_OK;
    }
    // One event of all that end, and one of each edge; the ids of all, with what sizes of records
    // are rounded up by, fit when they are spread evenly.
    uint32_t records = edges + 1;
    uint32_t entities = world->relations.ending_count / records + 3;
    return fr_event_reserve(world, kinds, records, entities, err);
}

typedef void (*tell_edge_fn)(firn_world *world, uint32_t kind, const fr_edge_event *edge);

static void tell_parting(firn_world *world, firn_entity source, tell_edge_fn tell)
{
    uint32_t row;
    const fr_archetype *from = home_of(world, source, &row);
    for (uint32_t i = 0; i < from->term_count; i++) {
        uint32_t term = from->by_name[i];
        const fr_component *relation = from->components[term];
        if (relation->kind != FIRN_RELATION) {
            continue;
        }
        uint32_t count;
        const uint8_t *edge = fr_row_edges(from, term, row, &count);
        for (uint32_t k = 0; k < count; k++, edge += relation->edge_stride) {
            if (ends(world, edge)) {
                tell(world, FR_EVENT_REMOVE,
                     &(fr_edge_event){from->entities + row, relation->index, fr_edge_target(edge)});
            }
        }
    }
}

static void tell_partings(firn_world *world, tell_edge_fn tell)
{
    const fr_relations *relations = &world->relations;
    for (uint32_t i = 0; i < relations->parting_count; i++) {
        tell_parting(world, relations->partings[i].source, tell);
    }
}

static uint32_t tell_ends(firn_world *world)
{
    const fr_relations *relations = &world->relations;
    bool removes = relations->parting_count > 0 && fr_heard(world, FR_HEARD(FR_EVENT_REMOVE));
    if (!removes) {
        return fr_publish_despawn(world, relations->ending, relations->ending_count);
    }
    uint32_t outer = fr_publication_begin(world, FR_EVENT_REMOVE);
    fr_record_despawn(world, relations->ending, relations->ending_count);
    tell_partings(world, fr_record_edge);
    fr_observe_despawn(world, relations->ending, relations->ending_count);
    tell_partings(world, fr_observe_edge);
    return outer;
}

// ---------------------------------------------------------------- changing

// Removes the edges of a row that go, of a term that stays.
static void prune_edges(firn_world *world, fr_archetype *archetype, uint32_t term, uint32_t row)
{
    fr_component *relation = archetype->components[term];
    fr_edges *edges = fr_row_edge_array(archetype, row, relation);
    uint32_t i = 0;
    while (i < edges->count) {
        uint8_t *edge = edges->rows + (size_t)i * relation->edge_stride;
        if (ends(world, edge)) {
            fr_reverse_remove(&relation->reverse, archetype->entities[row], fr_edge_target(edge));
            fr_edges_remove(relation, edges, edge);
        } else {
            i++;
        }
    }
}

static void part(firn_world *world, const fr_parting *parting)
{
    uint32_t row;
    fr_archetype *from = home_of(world, parting->source, &row);
    for (uint32_t i = 0; i < from->term_count; i++) {
        if (fr_relation_is_many(from->components[i]) &&
            fr_archetype_term_column(parting->to, from->terms[i]) != NULL) {
            prune_edges(world, from, i, row);
        }
    }
    if (parting->to != from) {
        bool moved = fr_entity_move(world, from, row, parting->to, NULL, NULL);
        assert(moved); // there is room, and nothing is new
        (void)moved;
    }
}

void fr_targets_end_drop(firn_world *world)
{
    const fr_relations *relations = &world->relations;
    for (uint32_t i = 0; i < relations->ending_count; i++) {
        uint32_t row;
        fr_archetype *archetype = home_of(world, relations->ending[i], &row);
        fr_archetype_run_drops(world, archetype, NULL, row, 1);
    }
}

// All drop hooks have run: a hook may read other entities.
static void end_all(firn_world *world)
{
    fr_relations *relations = &world->relations;
    uint32_t row;
    for (uint32_t i = 0; i < relations->parting_count; i++) {
        part(world, &relations->partings[i]);
    }
    for (uint32_t i = 0; i < relations->ending_count; i++) {
        fr_archetype *archetype = home_of(world, relations->ending[i], &row);
        fr_entity_take_out(world, archetype, row);
        fr_entity_index_release(&world->index, relations->ending[i]);
    }
}

// The archetypes with a slot as a target, all of them empty by now; not those that somebody is
// about to fill, whose target will be there. Whether none is left.
static bool remove_archetypes_of(firn_world *world, uint32_t slot)
{
    fr_relations *relations = &world->relations;
    bool all = true;
    for (uint32_t i = 0; i < relations->count && relations->dense.count > 0; i++) {
        fr_term term = fr_term_make(relations->items[i]->index, slot);
        uint32_t cursor = UINT32_MAX, index = fr_map_next(&relations->dense, term, &cursor);
        while (index != FR_MAP_NONE) {
            fr_archetype *archetype = world->archetypes[index];
            all = all && !archetype->held;
            if (!archetype->held) {
                fr_world_remove_archetype(world, archetype);
                cursor = UINT32_MAX;
            }
            index = fr_map_next(&relations->dense, term, &cursor);
        }
    }
    return all;
}

static void forget_targets(firn_world *world)
{
    fr_relations *relations = &world->relations;
    for (uint32_t i = 0; i < relations->ending_count; i++) {
        uint32_t slot = fr_slot(relations->ending[i]);
        if (fr_may_be_target(world, slot) && remove_archetypes_of(world, slot)) {
            relations->targets[slot / 32] &= ~(UINT32_C(1) << slot % 32);
        }
    }
}

firn_result fr_target_end(firn_world *world, firn_entity entity, firn_error *err)
{
    return fr_targets_end(world, &entity, 1, NULL, err);
}

firn_result fr_targets_end(firn_world *world, const firn_entity *entities, uint32_t count,
                           const fr_map *stays, firn_error *err)
{
    uint32_t edges = 0;
    world->relations.stays = stays;
    firn_result result =
        gather_all(world, entities, count) ? FIRN_OK : fr_fail_memory(err, "what ends");
    world->relations.stays = NULL;
    if (result == FIRN_OK) {
        result = plan_partings(world, &edges, err);
    }
    if (result == FIRN_OK) {
        result = reserve_ends(world, edges, err);
    }
    if (result != FIRN_OK) {
        forget_partings(world, true);
        return result;
    }
    uint32_t outer = tell_ends(world);
    fr_targets_end_drop(world);
    end_all(world);
    forget_targets(world);
    forget_partings(world, false);
    fr_change_end(world, outer);
    return FIRN_OK;
}

// ---------------------------------------------------------------- several, in steps

firn_result fr_targets_end_prepare(firn_world *world, const firn_entity *entities, uint32_t count,
                                   const fr_map *comes, const fr_map *stays, firn_error *err)
{
    uint32_t edges = 0;
    world->relations.comes = comes;
    world->relations.stays = stays;
    firn_result result =
        gather_all(world, entities, count) ? FIRN_OK : fr_fail_memory(err, "what ends");
    if (result == FIRN_OK) {
        result = plan_partings(world, &edges, err);
    }
    world->relations.comes = NULL;
    world->relations.stays = NULL;
    if (result != FIRN_OK) {
        forget_partings(world, true);
    }
    return result;
}

fr_archetype *fr_targets_end_home(const firn_world *world, firn_entity entity, fr_archetype *home)
{
    const fr_relations *relations = &world->relations;
    if (fr_slot(entity) >= relations->mark_capacity ||
        relations->marks[fr_slot(entity)] != FR_MARK_PARTS) {
        return home;
    }
    const fr_parting *parting = relations->partings;
    while (parting->source != entity) {
        parting++;
    }
    return parting->to;
}

void fr_targets_end_commit(firn_world *world)
{
    end_all(world);
    forget_targets(world);
    forget_partings(world, false);
}

void fr_targets_end_cancel(firn_world *world)
{
    forget_partings(world, true);
}
