// arrange.c: what string.buffer's own encoder wrote, put into firn's order. That encoder walks a
// table several times faster than the C API of Lua does; what it writes differs in the order of
// pairs, in the bits of NaN, and in shapes that are rare and not handled here.
#include "lua/value.h"

#include "base/alloc.h"
#include "value/check.h"
#include "value/stream.h"

// A table with no more pairs than this is sorted without memory of its own.
#define ARRANGED_FEW 16
// What may be written behind the end.
#define COPY_BYTES 32

struct arranging {
    const uint8_t *at; // the next value
    const uint8_t *end;
    uint8_t *out;    // room for all that comes
    uint64_t values; // that may still come
    uint64_t string_bytes;
    const firn_allocator *allocator;
    // Tables that have as many pairs mostly have the same keys, which LuaJIT writes in the same
    // order: at [count][i], where pair i of the last such table went.
    uint8_t places[ARRANGED_FEW + 1][ARRANGED_FEW];
    bool placed[ARRANGED_FEW + 1];
};

// A pair: where it stands, and its place among the others as a number, unless that is the same.
struct arranged {
    uint64_t order;
    const uint8_t *at;
    uint32_t key_size;
    uint32_t whole; // bytes of key and value where they may be copied as they are, or 0
    uint16_t rank;  // booleans, numbers, strings
    uint16_t came;  // as which of the pairs
};

// ---------------------------------------------------------------- sizes

// What a table announces, and the bytes of that; 0: not plain.
static inline size_t table_head(const uint8_t *at, const uint8_t *end, uint32_t *elements,
                                uint32_t *pairs)
{
    uint32_t form = (uint32_t)*at - FR_TAG_TABLE;
    fr_in in = {at, at + 1, end};
    *elements = 0;
    *pairs = 0;
    if ((form >= 4 && !fr_in_count(&in, elements)) ||
        ((form & 1) != 0 && !fr_in_count(&in, pairs))) {
        return 0;
    }
    *elements -= *elements > 0;
    // An element at index 0 is a pair in firn's order.
    bool fits = *elements + 2 * (uint64_t)*pairs <= fr_in_left(&in);
    return form != 2 && form != 3 && fits ? (size_t)(in.at - at) : 0;
}

static inline bool is_table_tag(uint8_t tag)
{
    return tag >= FR_TAG_TABLE && tag <= FR_TAG_TABLE_LAST;
}

// Bytes of a string or scalar; 0: not plain.
static size_t other_size(const uint8_t *at, const uint8_t *end)
{
    fr_in in = {at, at, end};
    uint32_t tag;
    if (!fr_in_count(&in, &tag)) {
        return 0;
    }
    uint64_t size = (uint64_t)(in.at - at);
    if (tag >= FR_TAG_STRING) {
        size += tag - FR_TAG_STRING;
    } else if (fr_scalar_payload[tag] != FR_NO_SCALAR && tag != FR_TAG_NIL) {
        size += fr_scalar_payload[tag];
    } else {
        return 0;
    }
    return size <= (uint64_t)(end - at) ? (size_t)size : 0;
}

static inline size_t plain_size(const uint8_t *at, const uint8_t *end)
{
    size_t left = (size_t)(end - at);
    size_t size = left == 0                                    ? 0
                  : *at == FR_TAG_NUMBER                       ? 9
                  : *at >= FR_TAG_STRING && *at < FR_COUNT_TWO ? (size_t)*at - FR_TAG_STRING + 1
                                                               : other_size(at, end);
    return size <= left ? size : 0;
}

// One past the value at `at`; NULL: not plain.
static const uint8_t *value_end(const uint8_t *at, const uint8_t *end)
{
    for (uint64_t left = 1; left > 0; left--) {
        size_t size;
        if (at != end && is_table_tag(*at)) {
            uint32_t elements;
            uint32_t pairs;
            size = table_head(at, end, &elements, &pairs);
            left += elements + 2 * (uint64_t)pairs;
        } else {
            size = plain_size(at, end);
        }
        if (size == 0) {
            return NULL;
        }
        at += size;
    }
    return at;
}

// ---------------------------------------------------------------- sorting

static bool comes_before(const struct arranged *a, const struct arranged *b)
{
    if (a->rank != b->rank) {
        return a->rank < b->rank;
    }
    if (a->order != b->order) {
        return a->order < b->order;
    }
    return fr_encoded_key_compare(a->at, b->at) < 0;
}

// False: they were sorted.
static bool sort_few_arranged(struct arranged *pairs, uint32_t count)
{
    bool moved = false;
    for (uint32_t i = 1; i < count; i++) {
        if (!comes_before(&pairs[i], &pairs[i - 1])) {
            continue;
        }
        struct arranged pair = pairs[i];
        uint32_t to = i;
        moved = true;
        for (; to > 0 && comes_before(&pair, &pairs[to - 1]); to--) {
            pairs[to] = pairs[to - 1];
        }
        pairs[to] = pair;
    }
    return moved;
}

// Merges sorted runs of `run` pairs, two by two, from one place to another.
static void merge_runs(const struct arranged *from, struct arranged *to, size_t count, size_t run)
{
    for (size_t start = 0; start < count; start += 2 * run) {
        size_t middle = start + run < count ? start + run : count;
        size_t end = middle + run < count ? middle + run : count;
        size_t a = start;
        size_t b = middle;
        for (size_t i = start; i < end; i++) {
            bool second = a == middle || (b < end && comes_before(&from[b], &from[a]));
            to[i] = second ? from[b++] : from[a++];
        }
    }
}

// Deals pairs out by one byte of their order; false: that byte is the same in all, and they stay.
static bool deal_out(const struct arranged *from, struct arranged *to, uint32_t count, int shift)
{
    uint32_t starts[257] = {0};
    for (uint32_t i = 0; i < count; i++) {
        starts[(from[i].order >> shift & 0xff) + 1] += 1;
    }
    if (starts[(from[0].order >> shift & 0xff) + 1] == count) {
        return false;
    }
    for (int i = 1; i < 256; i++) {
        starts[i] += starts[i - 1];
    }
    for (uint32_t i = 0; i < count; i++) {
        to[starts[from[i].order >> shift & 0xff]++] = from[i];
    }
    return true;
}

static bool are_numbers(const struct arranged *pairs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (pairs[i].rank != 1) {
            return false;
        }
    }
    return true;
}

// Sorts with as much room behind the pairs; returns where they are then. Numbers, of which `order`
// says all, need no comparing.
static struct arranged *sort_many_arranged(struct arranged *pairs, uint32_t count)
{
    struct arranged *other = pairs + count;
    if (are_numbers(pairs, count)) {
        for (int shift = 0; shift < 64; shift += 8) {
            if (deal_out(pairs, other, count, shift)) {
                struct arranged *swap = pairs;
                pairs = other;
                other = swap;
            }
        }
        return pairs;
    }
    for (size_t run = 1; run < count; run *= 2) {
        merge_runs(pairs, other, count, run);
        struct arranged *swap = pairs;
        pairs = other;
        other = swap;
    }
    return pairs;
}

// ---------------------------------------------------------------- values

static bool arrange_value(struct arranging *to, uint32_t depth);

// Most are short: a copy of fixed size, of which the rest is written over, takes less time.
static void copy_bytes(struct arranging *to, const uint8_t *bytes, size_t size)
{
    if (size <= COPY_BYTES && to->end - bytes >= COPY_BYTES) {
        memcpy(to->out, bytes, COPY_BYTES);
    } else {
        memcpy(to->out, bytes, size);
    }
    to->out += size;
}

static bool arrange_scalar(struct arranging *to)
{
    uint8_t tag = *to->at;
    size_t size = plain_size(to->at, to->end);
    if (size == 0 || (tag >= FR_TAG_STRING && size > to->string_bytes)) {
        return false;
    }
    if (tag == FR_TAG_INT32) {
        to->out = fr_put_number(to->out, (double)(int32_t)fr_load_u32(to->at + 1));
    } else if (tag == FR_TAG_COMPLEX) {
        *to->out = tag;
        fr_store_u64(to->out + 1, fr_canonical_bits(fr_load_f64(to->at + 1)));
        fr_store_u64(to->out + 9, fr_canonical_bits(fr_load_f64(to->at + 9)));
        to->out += size;
    } else {
        copy_bytes(to, to->at, size);
    }
    to->at += size;
    return true;
}

// What the order of a number is among numbers.
static uint64_t number_order(double number)
{
    uint64_t bits = fr_bits_f64(number);
    return (bits >> 63) != 0 ? ~bits : bits | UINT64_C(1) << 63;
}

// The first 8 bytes of a string, as their order is.
static uint64_t text_order(const uint8_t *text, size_t size, const uint8_t *end)
{
    uint64_t order = 0;
    if (end - text >= 8) {
        for (int i = 0; i < 8; i++) {
            order = order << 8 | text[i];
        }
        return size >= 8 ? order : size > 0 ? order & ~(UINT64_MAX >> (8 * size)) : 0;
    }
    for (size_t i = 0; i < 8; i++) {
        order = order << 8 | (i < size ? text[i] : 0);
    }
    return order;
}

// Looks at the key that comes; `elements` stand before the pairs.
static bool take_key(struct arranging *to, uint32_t elements, struct arranged *pair)
{
    const uint8_t *at = to->at;
    uint8_t tag = *at;
    size_t size = plain_size(at, to->end);
    if (size == 0) {
        return false;
    }
    *pair = (struct arranged){.at = at, .key_size = (uint32_t)size, .rank = 2};
    if (tag >= FR_TAG_STRING) {
        size_t head = tag < FR_COUNT_TWO ? 1 : tag < 0xff ? 2 : FR_COUNT_BYTES_MAX;
        pair->order = text_order(at + head, size - head, to->end);
        return size <= to->string_bytes;
    }
    if (tag == FR_TAG_TRUE || tag == FR_TAG_FALSE) {
        pair->rank = 0;
        pair->order = tag;
        return true;
    }
    if (tag != FR_TAG_NUMBER) {
        return false;
    }
    double number = fr_load_f64(at + 1);
    pair->rank = 1;
    pair->order = number_order(number);
    // A key that continues the elements would be one of them.
    return number != 0 && number != (double)elements + 1;
}

// The value behind the key of a pair needs no more than a copy: a number that is not NaN, a boolean
// or a short string.
static bool take_whole(struct arranging *to, struct arranged *pair)
{
    const uint8_t *value = pair->at + pair->key_size;
    size_t left = (size_t)(to->end - value);
    size_t size = 0;
    if (left >= 9 && *value == FR_TAG_NUMBER) {
        double number = fr_load_f64(value + 1);
        size = number == number ? 9 : 0;
    } else if (left > 0 && *value >= FR_TAG_STRING && *value < FR_COUNT_TWO) {
        size = (size_t)*value - FR_TAG_STRING + 1;
        size = size <= left && size <= to->string_bytes ? size : 0;
    } else if (left > 0 && (*value == FR_TAG_TRUE || *value == FR_TAG_FALSE)) {
        size = 1;
    }
    pair->whole = size > 0 ? pair->key_size + (uint32_t)size : 0;
    to->at = value + size;
    return size > 0;
}

// `places` says where to put each pair, NULL: one behind the other.
static bool find_arranged(struct arranging *to, uint32_t elements, struct arranged *pairs,
                          uint32_t count, const uint8_t *places)
{
    for (uint32_t i = 0; i < count; i++) {
        struct arranged *pair = &pairs[places != NULL ? places[i] : i];
        if (to->at == to->end || !take_key(to, elements, pair)) {
            return false;
        }
        pair->came = (uint16_t)i;
        if (!take_whole(to, pair)) {
            to->at = value_end(to->at, to->end);
            if (to->at == NULL) {
                return false;
            }
        }
    }
    return true;
}

static bool put_arranged(struct arranging *to, const struct arranged *pairs, uint32_t count,
                         uint32_t depth)
{
    const uint8_t *after = to->at;
    for (uint32_t i = 0; i < count; i++) {
        const struct arranged *pair = &pairs[i];
        // Places are a permutation. NOLINTNEXTLINE(clang-analyzer-core.*)
        copy_bytes(to, pair->at, pair->whole > 0 ? pair->whole : pair->key_size);
        to->at = pair->at + pair->key_size;
        if (pair->whole == 0 && !arrange_value(to, depth)) {
            return false;
        }
    }
    to->at = after;
    return true;
}

static bool arrange_few(struct arranging *to, uint32_t elements, uint32_t count, uint32_t depth)
{
    struct arranged pairs[ARRANGED_FEW];
    uint8_t *places = to->places[count];
    if (!find_arranged(to, elements, pairs, count, to->placed[count] ? places : NULL)) {
        return false;
    }
    if (sort_few_arranged(pairs, count)) {
        to->placed[count] = true;
        for (uint32_t i = 0; i < count; i++) {
            // Each came as another one. NOLINTNEXTLINE(clang-analyzer-core.*)
            places[pairs[i].came] = (uint8_t)i;
        }
    }
    return put_arranged(to, pairs, count, depth);
}

static bool arrange_many(struct arranging *to, uint32_t elements, uint32_t count, uint32_t depth)
{
    struct arranged *pairs =
        fr_alloc(to->allocator, count, 2 * sizeof *pairs, _Alignof(struct arranged));
    bool arranged = pairs != NULL && find_arranged(to, elements, pairs, count, NULL) &&
                    put_arranged(to, sort_many_arranged(pairs, count), count, depth);
    fr_free(to->allocator, pairs, count, 2 * sizeof *pairs, _Alignof(struct arranged));
    return arranged;
}

static bool arrange_elements(struct arranging *to, uint32_t count, uint32_t depth)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!arrange_value(to, depth)) {
            return false;
        }
    }
    return true;
}

static bool arrange_table(struct arranging *to, uint32_t depth)
{
    uint32_t elements;
    uint32_t pairs;
    size_t head = table_head(to->at, to->end, &elements, &pairs);
    uint64_t items = elements + 2 * (uint64_t)pairs;
    if (head == 0 || depth == 0 || items > to->values) {
        return false;
    }
    to->values -= items;
    to->at += head;
    *to->out++ = (uint8_t)(FR_TAG_TABLE + (elements > 0 ? 4 : 0) + (pairs > 0 ? 1 : 0));
    if (elements > 0) {
        to->out = fr_put_count(to->out, elements + 1);
    }
    if (pairs > 0) {
        to->out = fr_put_count(to->out, pairs);
    }
    if (!arrange_elements(to, elements, depth - 1)) {
        return false;
    }
    return pairs == 0              ? true
           : pairs <= ARRANGED_FEW ? arrange_few(to, elements, pairs, depth - 1)
                                   : arrange_many(to, elements, pairs, depth - 1);
}

// The value that comes; `depth` more tables may be inside each other.
static bool arrange_value(struct arranging *to, uint32_t depth)
{
    if (to->end - to->at >= 9 && *to->at == FR_TAG_NUMBER) {
        to->out = fr_put_number(to->out, fr_load_f64(to->at + 1));
        to->at += 9;
        return true;
    }
    if (to->at != to->end && is_table_tag(*to->at)) {
        return arrange_table(to, depth);
    }
    return to->at != to->end && arrange_scalar(to);
}

static bool begin_arranging(struct arranging *to, const uint8_t *bytes, size_t size,
                            const firn_limits *limits, firn_buffer *out)
{
    // An int32 of 5 bytes becomes a number of 9.
    if (size > SIZE_MAX / 2 - COPY_BYTES ||
        firn_buffer_reserve(out, 2 * size + COPY_BYTES, NULL) != FIRN_OK) {
        return false;
    }
    *to = (struct arranging){
        .at = bytes,
        .end = bytes + size,
        .out = out->data + out->size,
        .string_bytes = limits->string_bytes,
        .allocator = &out->allocator,
    };
    return true;
}

bool fr_lua_arrange(const uint8_t *bytes, size_t size, uint32_t depth, uint64_t *values,
                    const firn_limits *limits, firn_buffer *out)
{
    struct arranging to;
    if (!begin_arranging(&to, bytes, size, limits, out)) {
        return false;
    }
    to.values = limits->tree_values - *values;
    if (!arrange_value(&to, limits->depth - depth) || to.at != to.end) {
        return false;
    }
    *values = limits->tree_values - to.values;
    out->size = (size_t)(to.out - out->data);
    return true;
}

uint32_t fr_lua_arrange_rows(const uint8_t *bytes, size_t size, firn_writer *out)
{
    struct arranging to;
    if (!begin_arranging(&to, bytes, size, &out->limits, out->buffer)) {
        return 0;
    }
    uint32_t count;
    uint32_t pairs;
    to.at += table_head(bytes, to.end, &count, &pairs);
    for (uint32_t done = 0; done < count; done++) {
        const uint8_t *row = to.out;
        to.values = out->limits.tree_values - 1;
        if (!arrange_value(&to, out->limits.depth)) {
            return done;
        }
        fr_writer_done_rows(out, 1, (size_t)(to.out - row));
    }
    return count;
}
