// The lists of sources of an image, on their way in.
#include <string.h>

#include "base/error.h"
#include "snapshot/beside.h"
#include "snapshot/edges.h"
#include "snapshot/format.h"
#include "snapshot/order.h"
#include "snapshot/order_list.h"

// ---- lists

const char *fr_order_read_list(firn_reader *reader, fr_order_list *list, firn_error *err)
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

// ---- what is read

// An entry of lists.
typedef struct saved_lists {
    const char *key;
    bool outer; // of targets that the save does not have
    size_t at;
    size_t size; // 0: there is none
} saved_lists;

static saved_lists order_of_image(const fr_load *load)
{
    const fr_image_world *saved = &load->image.world;
    return (saved_lists){FR_KEY_ORDER, false, saved->order_value,
                         saved->has_order ? saved->order_size : 0};
}

// Only who keeps others has their targets.
static saved_lists outer_of_image(const fr_load *load)
{
    const fr_image_world *saved = &load->image.world;
    return (saved_lists){FR_KEY_OUTER, true, saved->outer_value,
                         saved->has_outer && load->beside ? saved->outer_size : 0};
}

static firn_result refuse_order(const saved_lists *lists, const char *why, firn_error *err)
{
    return fr_fail_at(err, FIRN_CORRUPT, lists->at, lists->key, "%s %s", lists->key, why);
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

// Beside others: each source has the edge, once.
static firn_result check_beside(fr_load *load, const saved_lists *lists,
                                const fr_component *relation, firn_entity target,
                                const fr_order_list *list, firn_error *err)
{
    bool comes = fr_map_get(&load->comes, fr_slot(target)) == fr_generation(target);
    if (comes == lists->outer) {
        return refuse_order(lists,
                            comes ? "has a target that the save has"
                                  : "has a target that the save does not have",
                            err);
    }
    if (lists->outer && !fr_beside_lives(load, target)) {
        return FIRN_OK;
    }
    const firn_entity *sources = (const firn_entity *)(const void *)list->sources->data;
    size_t count = list->sources->size / sizeof *sources;
    for (size_t i = 0; i < count; i++) {
        uint64_t key = fr_load_edge_key(relation, sources[i], target);
        bool is_id = sources[i] >> FIRN_SLOT_BITS <= FIRN_GENERATION_MAX;
        if (!is_id || fr_map_get(&load->comes, fr_slot(sources[i])) != fr_generation(sources[i]) ||
            !fr_map_remove(&load->edges, key, 0)) {
            return refuse_order(lists, "lists other sources than the rows have", err);
        }
    }
    return FIRN_OK;
}

// Beside others: those of the image come last, as they were linked, and are so again.
static void order_beside(fr_component *relation, firn_entity target, const fr_order_list *list)
{
    const firn_entity *sources = (const firn_entity *)(const void *)list->sources->data;
    for (size_t i = 0; i < list->sources->size / sizeof *sources; i++) {
        fr_reverse_remove(&relation->reverse, sources[i], target);
        fr_reverse_add(&relation->reverse, sources[i], target);
    }
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
static firn_result keep_list(fr_load *load, const fr_order_list *list, const uint8_t *bytes,
                             size_t size, firn_error *err)
{
    const fr_components *components = &load->world->components;
    bool keeps = load->options->keep_unknown && load->merge == NULL && !load->beside &&
                 !is_registered(components, list->name, list->name_size);
    return keeps ? firn_buffer_append(&load->kept_order, bytes, size, err) : FIRN_OK;
}

static firn_result apply_list(fr_load *load, const saved_lists *lists, const fr_order_list *list,
                              firn_error *err)
{
    double number = list->target;
    if (!(number >= 1 && number < FR_ID_END) || number != (double)(uint64_t)number) {
        return refuse_order(lists, "has a target that is no id", err);
    }
    fr_component *relation = find_listed(load, list->name, list->name_size);
    firn_entity *sources = (firn_entity *)(void *)list->sources->data;
    uint32_t count = (uint32_t)(list->sources->size / sizeof *sources);
    if (relation != NULL && load->beside) {
        return check_beside(load, lists, relation, (firn_entity)number, list, err);
    }
    if (relation == NULL || put_in_order(load, relation, (firn_entity)number, sources, count)) {
        return FIRN_OK;
    }
    return refuse_order(lists, "lists other sources than the rows have", err);
}

static firn_result load_list(fr_load *load, const saved_lists *lists, firn_reader *reader,
                             firn_error *err)
{
    firn_error memory = {.code = FIRN_OK};
    fr_order_list list = {.sources = &load->scratch};
    const uint8_t *bytes = reader->at;
    const char *why = fr_order_read_list(reader, &list, &memory);
    if (memory.code != FIRN_OK) {
        return fr_fail_copy(err, &memory);
    }
    if (why != NULL) {
        return refuse_order(lists, why, err);
    }
    firn_result result = apply_list(load, lists, &list, err);
    return result == FIRN_OK ? keep_list(load, &list, bytes, (size_t)(reader->at - bytes), err)
                             : result;
}

static firn_result apply_lists(fr_load *load, const saved_lists *lists, firn_error *err)
{
    if (lists->size == 0) {
        return FIRN_OK;
    }
    firn_reader reader;
    firn_reader_begin(&reader, load->image.bytes + lists->at, lists->size, NULL);
    firn_table_head head = firn_read_table(&reader);
    if (firn_reader_failed(&reader) || head.map_count != 0) {
        return refuse_order(lists, "is no array of lists", err);
    }
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < head.array_count; i++) {
        result = load_list(load, lists, &reader, err);
    }
    return result;
}

firn_result fr_order_apply(fr_load *load, firn_error *err)
{
    const saved_lists order = order_of_image(load), outer = outer_of_image(load);
    firn_result result = apply_lists(load, &order, err);
    return result == FIRN_OK ? apply_lists(load, &outer, err) : result;
}

static void apply_lists_now(fr_load *load, const saved_lists *lists)
{
    if (lists->size == 0) {
        return;
    }
    firn_reader reader;
    firn_reader_begin(&reader, load->image.bytes + lists->at, lists->size, NULL);
    firn_table_head head = firn_read_table(&reader);
    for (uint32_t i = 0; i < head.array_count; i++) {
        fr_order_list list = {.sources = &load->scratch};
        (void)fr_order_read_list(&reader, &list, NULL); // as before, and there is room
        fr_component *relation = find_listed(load, list.name, list.name_size);
        if (relation != NULL && firn_alive(load->world, (firn_entity)list.target)) {
            order_beside(relation, (firn_entity)list.target, &list);
        }
    }
}

void fr_order_apply_now(fr_load *load)
{
    const saved_lists order = order_of_image(load), outer = outer_of_image(load);
    apply_lists_now(load, &order);
    apply_lists_now(load, &outer);
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
