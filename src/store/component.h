/// component.h: registered components.
#ifndef FR_COMPONENT_H
#define FR_COMPONENT_H

#include "base/map.h"
#include "firn/plugin.h"
#include "store/blob.h"
#include "store/layout.h"
#include "store/reverse.h"

/// Whether a component of the library can have a row. If not, FIRN_INVALID; err->subject is what it
/// is about. Whose row it is the caller tells.
typedef firn_result (*fr_row_check_fn)(const void *row, firn_error *err);

typedef struct fr_component {
    char *name;
    uint32_t name_size;
    uint32_t index; ///< registration order; what archetype terms hold
    firn_component_kind kind;
    bool transient;
    bool has_codec;
    bool unique;     ///< no two entities have the same string (unique.h)
    bool kept;       ///< not registered: kept for the next save (kept.h)
    bool raw;        ///< durable struct without a codec: saved as a raw column
    uint32_t stride; ///< bytes of one row in memory; 0 for a tag
    uint32_t align;
    uint32_t relation;    ///< FIRN_RELATION: firn_relation_bits
    uint32_t edge_stride; ///< FIRN_RELATION: bytes of one edge: its target, then its fields
    fr_layout layout;     ///< FIRN_STRUCT, and FIRN_RELATION with fields
    void *default_row;    ///< stride bytes (a blob for strings and values); NULL for a tag; of a
                          ///< relation edge_stride bytes
    bool default_zero;    ///< every byte of the default row is 0
    firn_codec codec;
    firn_hooks hooks;
    fr_row_check_fn check; ///< NULL, or what saves and loads ask of each row
    uint32_t *required;    ///< indices, closed under `required`, sorted, without itself
    uint32_t required_count;
    uint32_t required_capacity;
    char **former_names;
    uint32_t former_count;
    // What is kept only.
    char *fingerprint; ///< as a save has it
    uint32_t fingerprint_size;
    uint32_t kept_raw;       ///< bytes of a row of a raw column; 0: a row is an encoded value
    uint32_t kept_suffix;    ///< bytes of its name that say a target: `->5`
    firn_entity kept_target; ///< that target, or 0
    bool kept_tag;           ///< its column stands among those of tags
    bool kept_sparse;  ///< a sparse relation: its column stands there too, its frames row by row
    bool kept_wrapped; ///< of a save of version 2, in which scalars are {value = X} already
    bool listed;       ///< the save that was loaded names it
    bool claimed;      ///< the load that runs has it

    fr_map keys;            ///< unique: hash of the string -> slot of its entity
    fr_map new_keys;        ///< those that a load makes aside
    fr_reverse reverse;     ///< FIRN_RELATION: the sources of each target
    fr_reverse new_reverse; ///< those that a load makes aside
} fr_component;

typedef struct fr_components {
    fr_component **items; ///< by index; a component never moves or goes away
    uint32_t count;
    uint32_t capacity;
    fr_map names;        ///< hash of name -> index
    fr_map former_names; ///< hash of former name -> index
    fr_map kept;         ///< hash of name -> index, of those that are kept: in no other map
    uint32_t kept_count;
} fr_components;

/// Makes a component from a description (everything about it is checked here, except that
/// `required` was resolved by the caller to indices of registered components) and adds it. The same
/// description again (required components compared as the sets they close to, default rows without
/// their padding, codecs and hooks by their pointers): *out is the one that is there. Errors as in
/// firn_component_register; *out is then unchanged.
firn_result fr_components_add(const firn_allocator *allocator, fr_components *components,
                              const firn_limits *limits, const firn_component_desc *desc,
                              const uint32_t *required, fr_component **out, firn_error *err);
/// The error that fr_components_add would give, but of memory. Nothing changes.
firn_result fr_components_check(const firn_allocator *allocator, const fr_components *components,
                                const firn_limits *limits, const firn_component_desc *desc,
                                const uint32_t *required, firn_error *err);
/// Takes the component back that was added last, of which nothing is used.
void fr_components_drop_last(const firn_allocator *allocator, fr_components *components);
/// Adds a component for which there is room, as the last one.
void fr_components_put(const firn_allocator *allocator, fr_components *components,
                       fr_component *added);
/// Makes room for one more with so many former names. False: no memory.
bool fr_components_reserve(const firn_allocator *allocator, fr_components *components,
                           uint32_t former_count);
void fr_components_free(const firn_allocator *allocator, fr_components *components);
/// By name, or NULL.
fr_component *fr_components_find(const fr_components *components, const char *name, size_t size);
/// By former name, or NULL.
fr_component *fr_components_find_former(const fr_components *components, const char *name,
                                        size_t size);

/// Makes a component that is not added yet, with its `required` closed. Errors as above, except
/// those about other components' names.
firn_result fr_component_make(const firn_allocator *allocator, const fr_components *components,
                              const firn_limits *limits, const firn_component_desc *desc,
                              const uint32_t *required, fr_component **out, firn_error *err);
/// A copy for another world whose components have the same indices, not added yet. NULL: no memory.
fr_component *fr_component_copy(const firn_allocator *allocator, const fr_component *from);
void fr_component_destroy(const firn_allocator *allocator, fr_component *component);
/// Everything about a description that needs no layout and no default row.
firn_result fr_component_check(const fr_components *components, const firn_limits *limits,
                               const firn_component_desc *desc, const uint32_t *required,
                               firn_error *err);
/// Makes the default row of a component whose layout and shape are set. What is made is the
/// component's, also when this fails.
firn_result fr_component_make_default(const firn_allocator *allocator,
                                      const firn_component_desc *desc, const firn_limits *limits,
                                      fr_component *component, firn_error *err);
/// NULL when both were made from the same description; else what differs, a static string.
const char *fr_component_difference(const fr_component *a, const fr_component *b);

/// Writes the default row `n` times (blobs are copied). False: no memory, nothing is owned by the
/// rows.
bool fr_component_fill(const firn_allocator *allocator, const fr_component *component, void *rows,
                       size_t n);
/// Bytes of the default row.
static inline uint32_t fr_component_default_size(const fr_component *component)
{
    return component->kind == FIRN_RELATION ? component->edge_stride : component->stride;
}
/// Moves `n` rows to uninitialized memory that does not overlap.
void fr_component_move(const fr_component *component, void *to, void *from, uint32_t n);

#endif
