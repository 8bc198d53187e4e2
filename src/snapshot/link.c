// The links of the edges of a load: sources by target.
#include "base/error.h"
#include "snapshot/edges.h"
#include "snapshot/order.h"

static firn_result link_edge(fr_load *load, fr_component *relation, firn_entity source,
                             const uint8_t *edge, firn_error *err)
{
    firn_world *world = load->world;
    firn_entity target = fr_edge_target(edge);
    if (!load->appends) {
        return fr_relations_add(world, relation, source, target)
                   ? FIRN_OK
                   : fr_fail_memory(err, relation->name);
    }
    if (load->beside) {
        load->coming++;
        bool room = fr_relation_reserve_more(world, relation, source, target, load->coming) &&
                    (!relation->reverse.listed ||
                     fr_map_add(&world->allocator, &load->edges,
                                fr_load_edge_key(relation, source, target), 0));
        return room ? FIRN_OK : fr_fail_memory(err, relation->name);
    }
    if (!fr_relation_reserve(world, relation, source, target)) {
        return fr_fail_memory(err, relation->name);
    }
    fr_relation_link(world, relation, source, target);
    load->linked++;
    return FIRN_OK;
}

// What is done to each edge of a load, in the order of frames and rows.
typedef firn_result (*edge_fn)(fr_load *load, fr_component *relation, firn_entity source,
                               const uint8_t *edge, firn_error *err);

static firn_result each_row_edge(fr_load *load, edge_fn each, fr_component *relation,
                                 firn_entity source, const uint8_t *row, firn_error *err)
{
    if (!fr_relation_is_many(relation)) {
        return each(load, relation, source, row, err);
    }
    const fr_edges *edges = (const fr_edges *)(const void *)row;
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < edges->count; i++) {
        result = each(load, relation, source, edges->rows + (size_t)i * relation->edge_stride, err);
    }
    return result;
}

static firn_result each_piece_edge(fr_load *load, edge_fn each, const fr_piece *piece,
                                   const fr_source *source, firn_error *err)
{
    const fr_stage *stage = &load->stages[piece->stage];
    fr_component *relation = source->component;
    const fr_column *column =
        fr_archetype_term_column(stage->archetype, fr_relation_term(relation, source->new_target));
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && column != NULL && i < piece->rows; i++) {
        const uint8_t *rows = stage->blocks[column - stage->archetype->columns];
        result = each_row_edge(load, each, relation, stage->entities[piece->to + i],
                               rows + (size_t)(piece->to + i) * relation->stride, err);
    }
    return result;
}

static firn_result each_edge(fr_load *load, edge_fn each, firn_error *err)
{
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < load->piece_count; i++) {
        const fr_piece *piece = &load->pieces[i];
        const fr_frame *frame = &load->image.frames[piece->frame];
        for (uint32_t k = 0; result == FIRN_OK && k < frame->column_count; k++) {
            const fr_span *span = &load->image.spans[frame->first_column + k];
            const fr_source *source = &load->sources[span->entry];
            if (source->how == FR_EDGE) {
                result = each_piece_edge(load, each, piece, source, err);
            }
        }
    }
    return result;
}

firn_result fr_load_link(fr_load *load, firn_error *err)
{
    if (!load->appends && !fr_relations_begin(load->world, load->image.prelude.next_slot)) {
        return fr_fail_memory(err, "relationships");
    }
    firn_result result = load->has_edges ? each_edge(load, link_edge, err) : FIRN_OK;
    return result == FIRN_OK ? fr_order_apply(load, err) : result;
}

static firn_result unlink_edge(fr_load *load, fr_component *relation, firn_entity source,
                               const uint8_t *edge, firn_error *err)
{
    (void)err;
    if (load->linked == 0) {
        return FIRN_NOT_FOUND; // the rest was not linked
    }
    load->linked--;
    fr_reverse_remove(&relation->reverse, source, fr_edge_target(edge));
    return FIRN_OK;
}

void fr_load_unlink(fr_load *load)
{
    if (load->linked > 0) {
        (void)each_edge(load, unlink_edge, NULL);
    }
}

static firn_result link_now(fr_load *load, fr_component *relation, firn_entity source,
                            const uint8_t *edge, firn_error *err)
{
    (void)err;
    fr_relation_link(load->world, relation, source, fr_edge_target(edge));
    return FIRN_OK;
}

void fr_load_link_now(fr_load *load)
{
    if (load->has_edges) {
        (void)each_edge(load, link_now, NULL);
    }
}
