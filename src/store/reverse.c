#include "store/reverse.h"

#include "base/array.h"
#include "store/entity_index.h"

#include <string.h>

void fr_reverse_free(const firn_allocator *allocator, fr_reverse *reverse)
{
    FR_ARRAY_FREE(allocator, reverse->heads, reverse->head_capacity);
    FR_ARRAY_FREE(allocator, reverse->links, reverse->link_capacity);
    fr_map_free(allocator, &reverse->numbers);
    *reverse = (fr_reverse){.listed = reverse->listed, .exclusive = reverse->exclusive};
}

void fr_reverse_clear(fr_reverse *reverse)
{
    if (reverse->head_capacity > 0) {
        memset(reverse->heads, 0, reverse->head_capacity * sizeof *reverse->heads);
    }
    if (reverse->link_capacity > 0) {
        memset(reverse->links, 0, reverse->link_capacity * sizeof *reverse->links);
    }
    reverse->link_count = 0;
    reverse->free_link = 0;
    fr_map_clear(&reverse->numbers);
}

static uint64_t edge_key(firn_entity source, firn_entity target)
{
    return (uint64_t)fr_slot(source) << FIRN_SLOT_BITS | fr_slot(target);
}

// 0: there is no such edge.
static uint32_t number_of(const fr_reverse *reverse, firn_entity source, firn_entity target)
{
    if (reverse->exclusive) {
        return fr_slot(source);
    }
    uint32_t number = fr_map_get(&reverse->numbers, edge_key(source, target));
    return number == FR_MAP_NONE ? 0 : number;
}

// ---------------------------------------------------------------- changing

static bool reserve_heads(const firn_allocator *allocator, fr_reverse *reverse, uint32_t need)
{
    uint32_t old = reverse->head_capacity;
    if (!FR_RESERVE(allocator, reverse->heads, reverse->head_capacity, need)) {
        return false;
    }
    if (reverse->head_capacity > old) {
        memset(reverse->heads + old, 0, (reverse->head_capacity - old) * sizeof *reverse->heads);
    }
    return true;
}

static bool reserve_links(const firn_allocator *allocator, fr_reverse *reverse, uint32_t need)
{
    uint32_t old = reverse->link_capacity;
    if (!FR_RESERVE(allocator, reverse->links, reverse->link_capacity, need)) {
        return false;
    }
    if (reverse->link_capacity > old) {
        memset(reverse->links + old, 0, (reverse->link_capacity - old) * sizeof *reverse->links);
    }
    return true;
}

bool fr_reverse_reserve_more(const firn_allocator *allocator, fr_reverse *reverse,
                             firn_entity source, firn_entity target, uint32_t n)
{
    if (!reserve_heads(allocator, reverse, fr_slot(target) + 1)) {
        return false;
    }
    if (!reverse->listed) {
        return true;
    }
    uint32_t links = reverse->exclusive ? fr_slot(source) + 1 : reverse->link_count + 1 + n;
    return reserve_links(allocator, reverse, links) &&
           (reverse->exclusive || fr_map_reserve(allocator, &reverse->numbers, n));
}

bool fr_reverse_reserve(const firn_allocator *allocator, fr_reverse *reverse, firn_entity source,
                        firn_entity target)
{
    return fr_reverse_reserve_more(allocator, reverse, source, target, 1);
}

// The number of a new link. There is room.
static uint32_t take_number(fr_reverse *reverse, firn_entity source, firn_entity target)
{
    if (reverse->exclusive) {
        return fr_slot(source);
    }
    uint32_t number = reverse->free_link;
    if (number != 0) {
        reverse->free_link = reverse->links[number].next;
    } else {
        number = ++reverse->link_count;
    }
    (void)fr_map_add(NULL, &reverse->numbers, edge_key(source, target), number);
    return number;
}

void fr_reverse_add(fr_reverse *reverse, firn_entity source, firn_entity target)
{
    fr_reverse_head *head = &reverse->heads[fr_slot(target)];
    head->count++;
    if (!reverse->listed) {
        return;
    }
    uint32_t number = take_number(reverse, source, target);
    reverse->links[number] = (fr_reverse_link){.previous = head->last, .source = source};
    if (head->last != 0) {
        reverse->links[head->last].next = number;
    } else {
        head->first = number;
    }
    head->last = number;
}

void fr_reverse_remove(fr_reverse *reverse, firn_entity source, firn_entity target)
{
    fr_reverse_head *head = &reverse->heads[fr_slot(target)];
    head->count--;
    if (!reverse->listed) {
        return;
    }
    uint32_t number = number_of(reverse, source, target);
    fr_reverse_link *link = &reverse->links[number];
    if (link->previous != 0) {
        reverse->links[link->previous].next = link->next;
    } else {
        head->first = link->next;
    }
    if (link->next != 0) {
        reverse->links[link->next].previous = link->previous;
    } else {
        head->last = link->previous;
    }
    if (!reverse->exclusive) {
        fr_map_remove(&reverse->numbers, edge_key(source, target), number);
        link->next = reverse->free_link;
        reverse->free_link = number;
    }
}

// ---------------------------------------------------------------- other ids

bool fr_reverse_reserve_slot(const firn_allocator *allocator, fr_reverse *reverse, bool source,
                             bool target, uint32_t to)
{
    bool by_slot = source && reverse->listed && reverse->exclusive;
    return (!target || reserve_heads(allocator, reverse, to + 1)) &&
           (!by_slot || reserve_links(allocator, reverse, to + 1));
}

// A link whose number is the slot of its source moves with it: first its neighbours, where they
// stand now, then all that move, which takes two steps.
static void move_links(fr_reverse *reverse, fr_reverse_edge *edges, uint32_t count)
{
    fr_reverse_link *links = reverse->links;
    for (uint32_t i = 0; i < count; i++) {
        const fr_reverse_link *link = &edges[i].link;
        fr_reverse_head *head = &reverse->heads[fr_slot(edges[i].target)];
        uint32_t to = fr_slot(edges[i].new_source);
        *(link->previous != 0 ? &links[link->previous].next : &head->first) = to;
        *(link->next != 0 ? &links[link->next].previous : &head->last) = to;
    }
    for (uint32_t i = 0; i < count; i++) {
        edges[i].link = links[edges[i].number];
    }
    for (uint32_t i = 0; i < count; i++) {
        links[edges[i].number] = (fr_reverse_link){.source = 0};
    }
    for (uint32_t i = 0; i < count; i++) {
        edges[i].link.source = edges[i].new_source;
        links[fr_slot(edges[i].new_source)] = edges[i].link;
    }
}

// Other links keep their numbers. There is room: as many go as come.
static void move_numbers(fr_reverse *reverse, const fr_reverse_edge *edges, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        fr_map_remove(&reverse->numbers, edge_key(edges[i].source, edges[i].target),
                      edges[i].number);
    }
    for (uint32_t i = 0; i < count; i++) {
        (void)fr_map_add(NULL, &reverse->numbers,
                         edge_key(edges[i].new_source, edges[i].new_target), edges[i].number);
        reverse->links[edges[i].number].source = edges[i].new_source;
    }
}

void fr_reverse_rename(fr_reverse *reverse, fr_reverse_edge *edges, uint32_t count)
{
    if (!reverse->listed) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        edges[i].number = number_of(reverse, edges[i].source, edges[i].target);
        edges[i].link = reverse->links[edges[i].number];
    }
    if (reverse->exclusive) {
        move_links(reverse, edges, count);
    } else {
        move_numbers(reverse, edges, count);
    }
}

fr_reverse_head fr_reverse_take_head(fr_reverse *reverse, uint32_t slot)
{
    fr_reverse_head head = {.count = 0};
    if (slot < reverse->head_capacity) {
        head = reverse->heads[slot];
        reverse->heads[slot] = (fr_reverse_head){.count = 0};
    }
    return head;
}

void fr_reverse_put_head(fr_reverse *reverse, uint32_t slot, fr_reverse_head head)
{
    if (head.count > 0) {
        reverse->heads[slot] = head;
    }
}

// What `previous` of a link holds that waits for its new place.
#define LINK_WAITS UINT32_MAX

// Whether `sources` are the list of a head, each once. Leaves `previous` of its links undefined.
static bool lists_exactly(fr_reverse *reverse, const fr_reverse_head *head, firn_entity target,
                          const firn_entity *sources, uint32_t count)
{
    fr_reverse_link *links = reverse->links;
    for (uint32_t number = head->first; number != 0; number = links[number].next) {
        links[number].previous = LINK_WAITS;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = number_of(reverse, sources[i], target);
        if (number == 0 || number >= reverse->link_capacity || links[number].source != sources[i] ||
            links[number].previous != LINK_WAITS) {
            return false;
        }
        links[number].previous = 0;
    }
    return true;
}

bool fr_reverse_order(fr_reverse *reverse, firn_entity target, const firn_entity *sources,
                      uint32_t count)
{
    uint32_t slot = fr_slot(target), last = 0;
    if (!reverse->listed || count == 0 || fr_reverse_count(reverse, slot) != count) {
        return false;
    }
    fr_reverse_link *links = reverse->links;
    fr_reverse_head *head = &reverse->heads[slot];
    if (!lists_exactly(reverse, head, target, sources, count)) {
        for (uint32_t number = head->first; number != 0; number = links[number].next) {
            links[number].previous = last;
            last = number;
        }
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = number_of(reverse, sources[i], target);
        links[number].previous = last;
        *(last == 0 ? &head->first : &links[last].next) = number;
        last = number;
    }
    links[last].next = 0;
    head->last = last;
    return true;
}

// ---------------------------------------------------------------- reading

firn_entity fr_reverse_first(const fr_reverse *reverse, uint32_t slot)
{
    uint32_t number = slot < reverse->head_capacity ? reverse->heads[slot].first : 0;
    return number == 0 ? 0 : reverse->links[number].source;
}

firn_entity fr_reverse_next(const fr_reverse *reverse, firn_entity source, firn_entity target)
{
    uint32_t number = reverse->listed ? number_of(reverse, source, target) : 0;
    uint32_t next = number == 0 ? 0 : reverse->links[number].next;
    return next == 0 ? 0 : reverse->links[next].source;
}
