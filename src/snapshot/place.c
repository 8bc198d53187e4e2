// The entity index of an image, made aside.
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "buffer/bytes.h"
#include "snapshot/format.h"
#include "snapshot/load.h"

static firn_result make_records(fr_load *load, firn_error *err)
{
    firn_world *world = load->world;
    uint32_t need = load->image.prelude.next_slot;
    if (!FR_RESERVE(&world->allocator, world->spare_records, world->spare_capacity, need)) {
        return fr_fail_memory(err, "entity index");
    }
    memset(world->spare_records, 0, need * sizeof *world->spare_records);
    load->index = (fr_entity_index){.records = world->spare_records,
                                    .capacity = world->spare_capacity,
                                    .next_slot = need,
                                    .alive = load->image.prelude.entity_count};
    return FIRN_OK;
}

// How far records of neighbouring rows are apart.
#define NEXT_RECORD (UINT64_C(1) << 2)

// Ids that are whole numbers in range, each slot once, become ids and records. False at the first
// that is not. Record 0 belongs to no slot.
static bool place_one_by_one(const fr_load *load, const uint8_t *wire, uint32_t rows,
                             firn_entity *to, uint64_t record)
{
    uint64_t *records = load->index.records;
    uint32_t slots = load->index.next_slot - 1;
    for (uint32_t row = 0; row < rows; row++, record += NEXT_RECORD) {
        double number = fr_load_f64(wire + (size_t)row * FR_ID_BYTES);
        if (!(number >= 1 && number < FR_ID_END)) {
            return false;
        }
        firn_entity id = (firn_entity)(int64_t)number;
        uint32_t slot = fr_slot(id);
        // Slot 0 wraps around to the largest number.
        if ((double)(int64_t)id != number || slot - 1 >= slots || records[slot] != 0) {
            return false;
        }
        records[slot] = record | fr_record_known(id);
        to[row] = id;
    }
    return true;
}

// Longer pieces go block by block, in loops without a branch, of which a compiler makes vectors.
#define ID_BLOCK 256

// Whether the ids of a block count up by one from the first, as they do where entities were spawned
// together. The last one tells most others apart.
static bool is_run(const uint8_t *wire)
{
    double first = fr_load_f64(wire);
    uint64_t differ = 0;
    if (fr_load_f64(wire + (size_t)(ID_BLOCK - 1) * FR_ID_BYTES) != first + (ID_BLOCK - 1)) {
        return false;
    }
    for (int32_t i = 0; i < ID_BLOCK; i++) {
        uint64_t bits = fr_load_u64(wire + (size_t)i * FR_ID_BYTES);
        differ |= bits ^ fr_bits_f64(first + i);
    }
    return differ == 0;
}

static bool place_run(uint64_t *restrict records, firn_entity first, firn_entity *restrict to,
                      uint64_t record)
{
    uint64_t taken = 0;
    for (uint64_t i = 0; i < ID_BLOCK; i++) {
        taken |= records[i];
        records[i] = record + i * NEXT_RECORD;
        to[i] = first + i;
    }
    return taken == 0;
}

// Converts and checks. An id below 2^52 is what adding 2^52 puts into the mantissa; taking it away
// again gives the number back only when it was whole. False: something is wrong, or an id has a
// generation above 2^30.
static bool convert_block(const uint8_t *restrict wire, uint64_t slots, firn_entity *restrict to)
{
    const double mantissa = 4503599627370496.0; // 2^52
    uint64_t wrong = 0, above = 0, below = UINT64_MAX;
    for (uint32_t i = 0; i < ID_BLOCK; i++) {
        double number = fr_load_f64(wire + (size_t)i * FR_ID_BYTES);
        double sum = number + mantissa;
        uint64_t id = fr_bits_f64(sum) - UINT64_C(0x4330000000000000);
        uint64_t place = (id & FIRN_SLOT_MAX) - 1;
        wrong |= fr_bits_f64(sum - mantissa) ^ fr_bits_f64(number);
        above |= id >> 52 | place >> 63; // negative, too large, or slot 0
        below &= place - slots;          // its sign says that the slot is in range
        to[i] = id;
    }
    return wrong == 0 && above == 0 && below >> 63 == 1;
}

static bool place_block(uint64_t *records, const firn_entity *ids, uint64_t record)
{
    uint64_t taken = 0;
    for (uint32_t i = 0; i < ID_BLOCK; i++, record += NEXT_RECORD) {
        uint32_t slot = fr_slot(ids[i]);
        taken |= records[slot];
        records[slot] = record;
    }
    return taken == 0;
}

// Apart from its caller: inside it the sums of the loops would no longer fit the registers.
#ifdef __GNUC__
__attribute__((noinline))
#endif
static bool
place_any_block(const fr_load *load, const uint8_t *wire, firn_entity *to, uint64_t record)
{
    uint64_t *records = load->index.records;
    uint32_t slots = load->index.next_slot - 1;
    double number = fr_load_f64(wire);
    firn_entity first = number >= 1 && number < FR_ID_END ? (firn_entity)(int64_t)number : 0;
    uint32_t slot = fr_slot(first);
    bool in_range = slot != 0 && slot + (ID_BLOCK - 1) <= slots;
    if (in_range && (double)(int64_t)first == number && is_run(wire)) {
        return place_run(records + slot, first, to, record | fr_record_known(first));
    }
    return convert_block(wire, slots, to) ? place_block(records, to, record)
                                          : place_one_by_one(load, wire, ID_BLOCK, to, record);
}

static bool place_piece(const fr_load *load, const uint8_t *wire, uint32_t rows, firn_entity *to,
                        uint64_t record)
{
    for (; rows >= ID_BLOCK; rows -= ID_BLOCK) {
        if (!place_any_block(load, wire, to, record)) {
            return false;
        }
        wire += (size_t)ID_BLOCK * FR_ID_BYTES;
        to += ID_BLOCK;
        record += (size_t)ID_BLOCK * NEXT_RECORD;
    }
    return place_one_by_one(load, wire, rows, to, record);
}

static bool place_ids(const fr_load *load)
{
    for (uint32_t i = 0; i < load->piece_count; i++) {
        const fr_piece *piece = &load->pieces[i];
        const fr_stage *stage = &load->stages[piece->stage];
        const uint8_t *ids =
            load->image.frames[piece->frame].ids + (size_t)piece->first * FR_ID_BYTES;
        if (!place_piece(load, ids, piece->rows, stage->entities + piece->to,
                         fr_record_alive(stage->archetype->index, piece->to))) {
            return false;
        }
    }
    return true;
}

// The free list as it was saved; false when it is not one.
static bool place_free(fr_load *load)
{
    fr_entity_index *index = &load->index;
    fr_free_walk walk;
    fr_free_begin(&walk, &load->image);
    uint64_t id;
    uint32_t before = 0;
    while (fr_free_next(&walk, &id)) {
        uint32_t slot = fr_slot(id);
        if (id >> 53 != 0 || slot - 1 >= index->next_slot - 1 || index->records[slot] != 0) {
            return false;
        }
        index->records[slot] = fr_record_dead(fr_generation(id), 0);
        if (before == 0) {
            index->free_head = slot;
        } else {
            index->records[before] =
                fr_record_dead(fr_record_generation(index->records[before]), slot);
        }
        before = slot;
        index->free_count++;
    }
    return !walk.failed;
}

// The generation that a dead slot gives next when the save does not say: above all that this world
// gave, at least 1, since the slot was used. FIRN_GENERATION_MAX + 1: retired.
static uint32_t unsaved_generation(const firn_world *world, uint32_t slot)
{
    if (slot >= world->index.next_slot) {
        return 1;
    }
    uint64_t record = world->index.records[slot];
    uint32_t generation;
    switch (fr_record_kind(record)) {
    case FR_SLOT_ALIVE:
        generation =
            fr_generation(
                world->archetypes[fr_record_archetype(record)]->entities[fr_record_row(record)]) +
            1;
        break;
    case FR_SLOT_RESERVED:
        generation = fr_record_generation(record) + 1;
        break;
    case FR_SLOT_DEAD:
        generation = fr_record_generation(record);
        break;
    default:
        return FIRN_GENERATION_MAX + 1;
    }
    return generation > 0 ? generation : 1;
}

// A save without a free list: its dead slots are reused from the lowest up.
static void place_unsaved(fr_load *load)
{
    fr_entity_index *index = &load->index;
    for (uint32_t slot = index->next_slot; slot-- > 1;) {
        if (index->records[slot] != 0) {
            continue;
        }
        uint32_t generation = unsaved_generation(load->world, slot);
        if (generation > FIRN_GENERATION_MAX) {
            continue;
        }
        index->records[slot] = fr_record_dead(generation, index->free_head);
        index->free_head = slot;
        index->free_count++;
    }
}

firn_result fr_load_index(fr_load *load, firn_error *err)
{
    firn_result result = make_records(load, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (!place_ids(load) || (load->image.world.has_free && !place_free(load))) {
        // What is wrong is said by the load that checks them first.
        return fr_fail(err, FIRN_CORRUPT, "ids", "the ids contradict themselves");
    }
    if (!load->image.world.has_free && load->index.alive != load->index.next_slot - 1) {
        place_unsaved(load);
    }
    load->ids_checked = true;
    return FIRN_OK;
}
