// Reading relationships: targets of a source, sources of a target.
#include "store/relation.h"

// Where an entity stands, and its relation; false: it does not live, or the handle is no relation.
static bool find_related(const firn_world *world, firn_entity source, firn_component handle,
                         fr_archetype **archetype, uint32_t *row, const fr_component **relation)
{
    if (world == NULL || !fr_world_find(world, source, archetype, row)) {
        return false;
    }
    uint32_t index = fr_component_index(world, handle);
    *relation = index == FR_NO_COMPONENT ? NULL : world->components.items[index];
    return *relation != NULL && (*relation)->kind == FIRN_RELATION;
}

static uint8_t *find_edge(const firn_world *world, firn_entity source, firn_component handle,
                          firn_entity target)
{
    fr_archetype *archetype;
    uint32_t row;
    const fr_component *relation;
    return find_related(world, source, handle, &archetype, &row, &relation)
               ? fr_row_edge(archetype, row, relation, target)
               : NULL;
}

const void *firn_related(const firn_world *world, firn_entity source, firn_component relation,
                         firn_entity target)
{
    return find_edge(world, source, relation, target);
}

void *firn_related_mut(firn_world *world, firn_entity source, firn_component relation,
                       firn_entity target)
{
    return find_edge(world, source, relation, target);
}

// ---------------------------------------------------------------- targets

uint32_t firn_targets(const firn_world *world, firn_entity source, firn_component handle,
                      firn_entity *out, uint32_t room)
{
    fr_archetype *archetype;
    uint32_t row;
    const fr_component *relation;
    uint32_t total = 0;
    if (!find_related(world, source, handle, &archetype, &row, &relation)) {
        return 0;
    }
    int32_t first = fr_archetype_term(archetype, relation->index);
    for (uint32_t term = (uint32_t)first;
         first >= 0 && term < archetype->term_count && archetype->components[term] == relation;
         term++) {
        uint32_t count;
        const uint8_t *edge = fr_row_edges(archetype, term, row, &count);
        for (uint32_t i = 0; i < count; i++, edge += relation->edge_stride, total++) {
            if (out != NULL && total < room) {
                out[total] = fr_edge_target(edge);
            }
        }
    }
    return total;
}

firn_entity firn_target(const firn_world *world, firn_entity source, firn_component relation)
{
    firn_entity target = 0;
    (void)firn_targets(world, source, relation, &target, 1);
    return target;
}

// ---------------------------------------------------------------- sources

static const fr_component *relation_of_target(const firn_world *world, firn_component handle,
                                              firn_entity target)
{
    fr_archetype *archetype;
    uint32_t row;
    const fr_component *relation;
    return find_related(world, target, handle, &archetype, &row, &relation) ? relation : NULL;
}

firn_entity firn_first_source(const firn_world *world, firn_component handle, firn_entity target)
{
    const fr_component *relation = relation_of_target(world, handle, target);
    return relation == NULL ? 0 : fr_reverse_first(&relation->reverse, fr_slot(target));
}

firn_entity firn_next_source(const firn_world *world, firn_component handle, firn_entity target,
                             firn_entity source)
{
    const fr_component *relation = relation_of_target(world, handle, target);
    fr_archetype *archetype;
    uint32_t row;
    return relation != NULL && fr_world_find(world, source, &archetype, &row) &&
                   fr_row_edge(archetype, row, relation, target) != NULL
               ? fr_reverse_next(&relation->reverse, source, target)
               : 0;
}

// In the order of rows: for relations that list no sources.
static void scan_sources(const firn_world *world, const fr_component *relation, firn_entity target,
                         firn_entity *out, uint32_t room)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < world->order_count && found < room; i++) {
        const fr_archetype *archetype = world->archetypes[world->order[i]];
        if (fr_archetype_term(archetype, relation->index) < 0) {
            continue;
        }
        for (uint32_t row = 0; row < archetype->count && found < room; row++) {
            if (fr_row_edge(archetype, row, relation, target) != NULL) {
                out[found++] = archetype->entities[row];
            }
        }
    }
}

uint32_t firn_sources(const firn_world *world, firn_component handle, firn_entity target,
                      firn_entity *out, uint32_t room)
{
    const fr_component *relation = relation_of_target(world, handle, target);
    uint32_t count = relation == NULL ? 0 : fr_reverse_count(&relation->reverse, fr_slot(target));
    if (count == 0 || out == NULL) {
        return count;
    }
    room = count < room ? count : room;
    if (!relation->reverse.listed) {
        scan_sources(world, relation, target, out, room);
        return count;
    }
    firn_entity source = fr_reverse_first(&relation->reverse, fr_slot(target));
    for (uint32_t i = 0; i < room; i++) {
        out[i] = source;
        source = fr_reverse_next(&relation->reverse, source, target);
    }
    return count;
}
