/// reverse.h (private): the sources of each target of one relation: how many, and, where the
/// relation lists them, in the order in which they came, as a linked list through all its edges.
/// The link of an edge has a number: the slot of its source where a source has one edge, else a
/// place in a pool, found by the slots of both ends.
#ifndef FR_REVERSE_H
#define FR_REVERSE_H

#include "base/map.h"
#include "firn/world.h"

typedef struct fr_reverse_head {
    uint32_t count; ///< sources
    uint32_t first; ///< numbers of links, when they are listed; 0: none
    uint32_t last;
} fr_reverse_head;

typedef struct fr_reverse_link {
    uint32_t previous; ///< 0: none
    uint32_t next;     ///< of free ones too
    firn_entity source;
} fr_reverse_link;

typedef struct fr_reverse {
    bool listed;            ///< else only counted
    bool exclusive;         ///< a source has one edge
    fr_reverse_head *heads; ///< by the slot of the target
    uint32_t head_capacity;
    fr_reverse_link *links; ///< by number
    uint32_t link_capacity;
    uint32_t link_count; ///< numbers ever used, + 1; not where they are slots
    uint32_t free_link;  ///< 0: none
    fr_map numbers;      ///< both slots -> number; not where it is a slot
} fr_reverse;

void fr_reverse_free(const firn_allocator *allocator, fr_reverse *reverse);
/// Forgets all edges, keeps memory.
void fr_reverse_clear(fr_reverse *reverse);
/// Makes room so that fr_reverse_add of this edge cannot fail. False: no memory.
bool fr_reverse_reserve(const firn_allocator *allocator, fr_reverse *reverse, firn_entity source,
                        firn_entity target);
/// The same of the last of `n` edges for which there was no room before.
bool fr_reverse_reserve_more(const firn_allocator *allocator, fr_reverse *reverse,
                             firn_entity source, firn_entity target, uint32_t n);
/// Appends an edge that is not there.
void fr_reverse_add(fr_reverse *reverse, firn_entity source, firn_entity target);
/// Removes an edge that is there.
void fr_reverse_remove(fr_reverse *reverse, firn_entity source, firn_entity target);
/// An edge that is there, of which an end gets another id.
typedef struct fr_reverse_edge {
    firn_entity source;
    firn_entity target;
    firn_entity new_source;
    firn_entity new_target;
    uint32_t number; // while it is done
    fr_reverse_link link;
} fr_reverse_edge;

/// Room for the ends of edges that get the slot `to`: sources, targets. False: no memory.
bool fr_reverse_reserve_slot(const firn_allocator *allocator, fr_reverse *reverse, bool source,
                             bool target, uint32_t to);
/// Edges get other ends, all at once, and keep their places in the lists: all that have an end
/// which changes, each once. The heads are moved afterwards. There is room.
void fr_reverse_rename(fr_reverse *reverse, fr_reverse_edge *edges, uint32_t count);
/// Takes what is known of the target in a slot out; puts it to another, which has nothing.
fr_reverse_head fr_reverse_take_head(fr_reverse *reverse, uint32_t slot);
void fr_reverse_put_head(fr_reverse *reverse, uint32_t slot, fr_reverse_head head);
/// Puts the sources of a target into this order. False, and nothing changed: they are not exactly
/// those, each once.
bool fr_reverse_order(fr_reverse *reverse, firn_entity target, const firn_entity *sources,
                      uint32_t count);
/// How many edges there are to the entity in a slot.
static inline uint32_t fr_reverse_count(const fr_reverse *reverse, uint32_t slot)
{
    return slot < reverse->head_capacity ? reverse->heads[slot].count : 0;
}
/// The first source in the list of a slot, or 0.
firn_entity fr_reverse_first(const fr_reverse *reverse, uint32_t slot);
/// The one behind the edge from `source` to `target`, which is there; 0 at the end, and when
/// nothing is listed.
firn_entity fr_reverse_next(const fr_reverse *reverse, firn_entity source, firn_entity target);

#endif
