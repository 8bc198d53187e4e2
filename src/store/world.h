/// world.h (private): the world's insides, and the steps that several files share. Everything hangs
/// off firn_world; there is no other state.
#ifndef FR_WORLD_H
#define FR_WORLD_H

#include "store/archetype.h"
#include "store/command.h"
#include "store/component.h"
#include "store/entity_index.h"
#include "store/event.h"
#include "store/query.h"

/// A remembered step in the graph: the set of components that a call gave, from an archetype, to
/// the one it led to. An entry of a small table that is overwritten on a clash.
#define FR_STEP_COMPONENTS 8
#define FR_STEP_BITS       6
typedef struct fr_step {
    uint32_t epoch; ///< remembered when that was the world's edge_epoch; 0: never
    bool add;       ///< or remove
    uint32_t from;  ///< archetype index
    uint32_t to;
    uint32_t count;
    uint32_t components[FR_STEP_COMPONENTS];
} fr_step;

/// What the rooms to the right hang on a world, one part each.
typedef enum fr_part_kind {
    FR_PART_KEPT,      ///< entries of data that nobody took
    FR_PART_PLUGINS,   ///< handlers, codecs and plugins
    FR_PART_GAME,      ///< states, phases, random streams
    FR_PART_SAVES,     ///< the manager of its saves
    FR_PART_LAST_SAVE, ///< what a save leaves for the next one
    FR_PART_COUNT
} fr_part_kind;

typedef struct fr_part {
    void *data;
    void (*destroy)(firn_world *world, void *data); ///< NULL: nothing to do
} fr_part;

/// A pointer of the game that hangs on the world by name.
typedef struct fr_resource {
    char *name;
    void *pointer;
    void (*destroy)(void *pointer); ///< NULL: nothing to do
} fr_resource;

/// The relations, and which entities may be targets.
typedef struct fr_relations {
    fr_component **items; ///< in the order of their names
    uint32_t count;
    uint32_t capacity;
    uint32_t *targets; ///< a bit per slot
    uint32_t target_words;
    uint32_t *new_targets; ///< those that a load makes aside
    uint32_t new_target_words;
    fr_map dense; ///< dense term -> the indices of archetypes with it
    // What ends with a target, while it does.
    uint8_t *marks; ///< per slot, 0 outside
    uint32_t mark_capacity;
    firn_entity *ending;
    uint32_t ending_count;
    uint32_t ending_capacity;
    const fr_map *stays;         ///< NULL, or who ends with nobody: slot -> generation
    const fr_map *comes;         ///< NULL, or who is there afterwards: slot -> generation
    struct fr_parting *partings; ///< relation_end.c
    uint32_t parting_count;
    uint32_t parting_capacity;
} fr_relations;

/// Who watches the rows of a component of strings that loads and merges bring.
typedef struct fr_watch {
    uint32_t component; ///< index
    /// NULL: nobody watches. Refuses a row before anything changes; err->subject is what it is
    /// about.
    firn_result (*check)(firn_world *world, const fr_blob *row, firn_error *err);
    /// The entity was brought, as all others, and may have changed since. world->dispatch is then
    /// whose callback runs.
    firn_result (*restore)(firn_world *world, firn_entity entity, firn_error *err);
} fr_watch;

/// What the handlers of a save or load that is about some of the entities may ask of it. Each may
/// be NULL: all are saved, none is kept.
typedef struct fr_asked {
    bool (*saves)(const void *user, firn_entity entity); ///< of one that lives
    firn_entity (*keeps)(const void *user, firn_entity entity);
    bool (*brings)(const void *user, firn_entity entity);
    /// Of entities that persist in part, but for their script state, which is saved with them.
    /// NULL: there are none. Whether one that lives is such in a save; whether one that the load
    /// keeps was such in the save; and who is one of the save when it is loaded, 0: nobody.
    bool (*saves_part)(const void *user, firn_entity entity);
    bool (*takes_part)(const void *user, firn_entity entity);
    firn_entity (*brings_part)(const void *user, firn_entity saved);
    const void *user;
    bool persists; ///< a save of what persists
} fr_asked;

struct fr_handler; // plugin/registry.h

struct firn_world {
    firn_allocator allocator;
    firn_limits limits;
    char *name;
    uint64_t tick;
    fr_entity_index index;
    fr_components components;
    fr_archetype **archetypes; ///< by index; NULL where one was removed
    uint32_t archetype_count;  ///< indices ever used
    uint32_t archetype_capacity;
    uint32_t *holes; ///< the indices of removed archetypes; has room for all indices
    uint32_t hole_count;
    uint32_t hole_capacity;
    uint32_t *order; ///< the indices of all archetypes in the decided order
    uint32_t order_count;
    uint64_t archetypes_made; ///< ever: tells whether a call made one
    uint32_t order_capacity;
    fr_map archetype_keys; ///< hash of terms -> index
    fr_queries queries;
    fr_commands commands;
    uint32_t open_loops;     ///< and publications: changes of structure are deferred
    uint32_t loop_epoch;     ///< rises when loops are ended that nobody ended
    uint32_t events_heard;   ///< FR_HEARD bits of the built-in events that somebody listens to
    firn_query loop_query;   ///< the query of the innermost open loop, for messages
    const char *locked_by;   ///< NULL, or the component whose hook or codec runs, the outermost
    uint32_t locks;          ///< hooks and codecs that run, inside each other
    const char *dispatch;    ///< NULL, or whose callback of a save or load runs, for messages
    uint64_t *spare_records; ///< the entity index of before the last load, reused by the next one;
    uint32_t spare_capacity; ///< an array of base/array.h, as index.records is
    uint32_t builtin_name;
    uint32_t builtin_disabled;
    uint32_t builtin_paused;
    uint32_t spawn_tag;      ///< a tag that new entities get, or FR_NO_COMPONENT
    uint32_t installer;      ///< the number of the plugin whose install runs, or 0
    uint64_t component_base; ///< the handle of component 0
    uint64_t query_base;     ///< the handle of query slot 0 at generation 0
    uint32_t edge_epoch;     ///< rises when an archetype goes away: edges and steps are then stale;
                             ///< begins at 1
    fr_step steps[1 << FR_STEP_BITS];
    fr_term *scratch_terms; ///< of the call that runs
    uint32_t scratch_term_capacity;
    uint32_t *scratch_components;
    uint32_t scratch_component_capacity;
    fr_relations relations;
    fr_resource *resources; ///< in the order in which they were set
    uint32_t resource_count;
    uint32_t resource_capacity;
    firn_buffer scratch; ///< encoded values on their way to a row
    /// The lists of sources (docs/format.md) of relations that are kept, encoded, one after
    /// another.
    firn_buffer kept_order;
    fr_events events;
    /// NULL, or makes rows of `component` of all rows that are kept and claimed (kept.h), which
    /// have gone then.
    firn_result (*adopt_kept)(firn_world *world, fr_component *component, firn_error *err);
    /// NULL, or gives handlers that are about to be added what is kept for them (registry.h).
    firn_result (*adopt_data)(firn_world *world, const struct fr_handler *handlers, uint32_t count,
                              firn_error *err);
    fr_watch watch;
    const fr_asked *asked; ///< NULL: no such save or load runs
    /// NULL: there are no persisted saves. Else whether one that is made now would hold the script
    /// state of the entity.
    bool (*persists)(const firn_world *world, firn_entity entity);
    fr_part parts[FR_PART_COUNT]; ///< destroyed when all entities have ended, the last kind first
};

/// firn_world_create without what rooms to the right add.
firn_world *fr_world_make(const firn_world_desc *desc, firn_error *err);

/// Destroys the resources, the one set last first.
void fr_resources_free(firn_world *world);

/// Handles: component = tag << 20 | index + 1; query = tag << 32 | slot generation << 16 | slot +
/// 1, with a tag (21 or 32 bits) from the world's address, so that another world's handle is
/// noticed.
firn_component fr_component_handle(const firn_world *world, uint32_t index);
/// The component, or NULL with FIRN_INVALID naming `argument`: 0, of another world, never
/// registered.
fr_component *fr_component_of(const firn_world *world, firn_component handle, const char *argument,
                              firn_error *err);

/// The archetype with exactly these sorted terms: found, or made, entered into the order and
/// offered to the queries. At the limit of archetypes, those that are empty are removed first.
/// NULL: FIRN_NO_MEMORY or FIRN_LIMIT (archetypes, columns), and nothing changed.
fr_archetype *fr_world_archetype(firn_world *world, const fr_term *terms, uint32_t count,
                                 firn_error *err);
/// Removes an archetype that has no rows: from order, keys, queries and edges. The archetype of no
/// components, which has index 0, always stays.
void fr_world_remove_archetype(firn_world *world, fr_archetype *archetype);
/// The archetype with these plain components, and what they require, added to those of `from`: by
/// edge, by remembered step, or made. NULL as fr_world_archetype.
fr_archetype *fr_world_with(firn_world *world, fr_archetype *from, const uint32_t *components,
                            uint32_t count, firn_error *err);
/// The archetype of what `from` has without these components.
fr_archetype *fr_world_without(firn_world *world, fr_archetype *from, const uint32_t *components,
                               uint32_t count, firn_error *err);
/// FIRN_INVALID: one of the components is a relation, which firn_relate adds.
firn_result fr_world_check_plain(const firn_world *world, const uint32_t *components,
                                 uint32_t count, firn_error *err);
/// The archetype with a term of a relation, and what the relation requires, added to those of
/// `from`; another target of an exclusive relation goes. NULL as fr_world_archetype.
fr_archetype *fr_world_with_term(firn_world *world, fr_archetype *from, fr_term term,
                                 firn_error *err);
/// The archetype of what `from` has without this term.
fr_archetype *fr_world_without_term(firn_world *world, fr_archetype *from, fr_term term,
                                    firn_error *err);
/// What fr_world_with or fr_world_without gave for these components before, or NULL when that is
/// not remembered.
static inline fr_archetype *fr_world_recall(const firn_world *world, const fr_archetype *from,
                                            bool add, const uint32_t *components, uint32_t count);
/// Where an archetype stands, or would stand, in a list of archetype indices in the decided order.
uint32_t fr_world_order_place(const firn_world *world, const uint32_t *list, uint32_t count,
                              const fr_archetype *archetype);
/// Sorted terms of a set of plain components closed under `required`; *terms is allocated from the
/// world's allocator with room for *capacity terms. NULL is returned in *terms for the empty set.
firn_result fr_world_close_terms(firn_world *world, const uint32_t *components, uint32_t count,
                                 fr_term **terms, uint32_t *term_count, uint32_t *capacity,
                                 firn_error *err);

/// Resolves handles to indices in world->scratch_components, valid until the next call of this
/// function. FIRN_INVALID names `argument`, with the place in it.
static inline firn_result fr_world_resolve(firn_world *world, const firn_component *handles,
                                           uint32_t count, const char *argument, firn_error *err);

/// FIRN_BUSY when a hook or codec runs (subject: the component).
firn_result fr_world_check_unlocked(const firn_world *world, firn_error *err);
/// FIRN_BUSY when a hook or codec runs, or a callback of a save or load (subject: whose).
firn_result fr_world_check_idle(const firn_world *world, firn_error *err);
/// The same, and when an event is being published (subject: its name) or a loop is open (subject:
/// the query).
firn_result fr_world_check_closed(const firn_world *world, firn_error *err);
/// What a call outside loops does first: nothing is open, deferred changes are applied.
firn_result fr_world_settle(firn_world *world, firn_error *err);
/// Ends every open loop, whose firn_iter are then over, and applies the deferred changes.
firn_result fr_world_close_loops(firn_world *world, firn_error *err);
/// Locks the world while user code of a component runs, and unlocks it. Locks nest.
void fr_world_lock(firn_world *world, const char *component);
void fr_world_unlock(firn_world *world);
/// Runs a hook over rows of a column (or a tag) of an archetype, with the world locked.
void fr_world_run_hook(const firn_world *world, void (*hook)(void *, const firn_rows *),
                       const fr_component *component, fr_archetype *archetype, uint32_t first,
                       uint32_t n);
/// The same over rows that stand anywhere.
void fr_world_run_hook_on(void (*hook)(void *, const firn_rows *), const fr_component *component,
                          const firn_rows *rows);
/// Moves `n` rows of a column with the world (NULL: none) locked while a move hook runs.
void fr_world_move_rows(firn_world *world, const fr_component *component, void *to, void *from,
                        uint32_t n);

/// FIRN_NOT_FOUND with the id in err; FIRN_INVALID for 0.
firn_result fr_world_fail_dead(firn_entity entity, firn_error *err);
/// FIRN_NOT_FOUND unless the entity lives, be it placed or reserved.
firn_result fr_world_check_alive(const firn_world *world, firn_entity entity, firn_error *err);

/// Whether a change may happen at once, and nothing has to happen before it.
static inline bool fr_world_is_idle(const firn_world *world)
{
    return world != NULL && world->locked_by == NULL && world->open_loops == 0 &&
           world->commands.count == 0;
}

/// What a call that may be deferred does first: unlocked; inside a loop *deferred is true, outside
/// the changes that wait are applied.
firn_result fr_world_enter_slow(firn_world *world, bool *deferred, firn_error *err);
static inline firn_result fr_world_enter(firn_world *world, bool *deferred, firn_error *err)
{
    *deferred = false;
    return fr_world_is_idle(world) ? FIRN_OK : fr_world_enter_slow(world, deferred, err);
}

/// Whether an entity lives and is placed, and where.
static inline bool fr_world_find(const firn_world *world, firn_entity entity,
                                 fr_archetype **archetype, uint32_t *row)
{
    uint32_t slot = fr_slot(entity);
    // Slot 0 wraps around to the largest number.
    if (slot - 1 >= world->index.next_slot - 1) {
        return false;
    }
    uint64_t record = world->index.records[slot];
    if (fr_record_kind(record) != FR_SLOT_ALIVE) {
        return false;
    }
    *archetype = world->archetypes[fr_record_archetype(record)];
    *row = fr_record_row(record);
    uint64_t mark = fr_record_mark(record);
    bool found =
        mark != 0 ? mark == (entity >> FIRN_SLOT_BITS) + 1 : (*archetype)->entities[*row] == entity;
    assert(found == ((*archetype)->entities[*row] == entity));
    return found;
}

/// The index of a handle, or FR_NO_COMPONENT when it is not of this world.
static inline uint32_t fr_component_index(const firn_world *world, firn_component handle)
{
    uint64_t index = handle - world->component_base;
    return index < world->components.count ? (uint32_t)index : FR_NO_COMPONENT;
}

/// Where a step is remembered: one place of few, multiplied so that they spread (Fibonacci
/// hashing).
static inline uint32_t fr_step_place(const fr_archetype *from, bool add, const uint32_t *components,
                                     uint32_t count)
{
    uint32_t hash = from->index * 2 + add;
    for (uint32_t i = 0; i < count; i++) {
        hash = hash * 31 + components[i];
    }
    return (hash * UINT32_C(0x9e3779b9)) >> (32 - FR_STEP_BITS);
}

static inline fr_archetype *fr_world_recall(const firn_world *world, const fr_archetype *from,
                                            bool add, const uint32_t *components, uint32_t count)
{
    const fr_step *step = &world->steps[fr_step_place(from, add, components, count)];
    if (step->epoch != world->edge_epoch || step->add != add || step->from != from->index ||
        step->count != count) {
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (step->components[i] != components[i]) {
            return NULL;
        }
    }
    return world->archetypes[step->to];
}

/// firn_component_register of a component whose rows saves and loads check.
firn_component fr_world_register(firn_world *world, const firn_component_desc *desc,
                                 fr_row_check_fn check, firn_error *err);
/// The error that firn_component_register would give, but of memory; *adopts: rows that are kept
/// under the name would become the component's, which their bytes may still prevent. The name must
/// not be NULL. Nothing changes.
firn_result fr_world_check_component(firn_world *world, const firn_component_desc *desc,
                                     bool *adopts, firn_error *err);
/// What fr_world_resolve does when the handles are many or wrong.
firn_result fr_world_resolve_slow(firn_world *world, const firn_component *handles, uint32_t count,
                                  const char *argument, firn_error *err);
static inline firn_result fr_world_resolve(firn_world *world, const firn_component *handles,
                                           uint32_t count, const char *argument, firn_error *err)
{
    bool resolved = count <= world->scratch_component_capacity && (handles != NULL || count == 0);
    for (uint32_t i = 0; resolved && i < count; i++) {
        world->scratch_components[i] = fr_component_index(world, handles[i]);
        resolved = world->scratch_components[i] != FR_NO_COMPONENT;
    }
    return resolved ? FIRN_OK : fr_world_resolve_slow(world, handles, count, argument, err);
}

#endif
