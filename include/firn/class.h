/// firn/class.h: entity classes: bundles of components by name, with a callback for entities that
/// are new and another for those that a load brings.
///
/// An entity of a class has its name in the component Class (a FIRN_STRING, registered with the
/// first class), and is saved with it. A save with an entity whose Class is no class of the world
/// is not loaded: FIRN_UNKNOWN, err->subject is that name, err->entity the entity. So it is with a
/// merge, firn_snapshot_check and the table form. An entity with an empty Class, or without one, is
/// of none.
///
/// Common failures as in firn/world.h.
#ifndef FIRN_CLASS_H
#define FIRN_CLASS_H

#include "firn/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A class of one world; 0 is none. Exact as a double.
typedef uint64_t firn_class;

/// What is called for an entity of the class. A result other than FIRN_OK, with *err filled to say
/// why, is a failure. It may change the world.
typedef firn_result (*firn_class_fn)(void *user, firn_world *world, firn_entity entity,
                                     firn_error *err);

typedef struct firn_class_desc {
    const char *name; ///< unique; what a save calls it. Copied.
    const firn_component
        *components; ///< `component_count` of them, each once: no relation, no Class
    uint32_t component_count;
    /// NULL, or `component_count` rows that an entity begins with, copied; NULL: the default. Of
    /// FIRN_STRUCT without a drop hook, FIRN_BOOLEAN (bool) and FIRN_NUMBER (double).
    const void *const *rows;
    /// NULL, or `component_count` values, copied; NULL: the default. Of FIRN_STRING and FIRN_VALUE.
    const firn_value *const *values;
    /// NULL, or called by firn_class_spawn when the entity is there. When it fails the entity ends.
    firn_class_fn create;
    /// NULL, or called for each entity of the class that a load or a merge brought: in the order of
    /// the image, when all entities are there, after the loads of handlers and before custom data.
    /// When it fails the world stays loaded, and the load returns the failure when all have run.
    firn_class_fn restore;
    void *user;           ///< handed to both
    uint64_t reserved[4]; ///< must be zero
} firn_class_desc;

/// Registers a class, and with the first one the component Class. 0: FIRN_EXISTS (the name is
/// taken, or `Class` by another kind of component), FIRN_INVALID (a bad name, component, row or
/// value: err->subject is the component), FIRN_LIMIT (a long name, more than 65,536 classes).
FIRN_CALLS_BACK FIRN_API firn_class firn_class_register(firn_world *world,
                                                        const firn_class_desc *desc,
                                                        firn_error *err);

/// The class of that name, or 0; the name of a class, or "".
FIRN_API firn_class firn_class_find(const firn_world *world, const char *name);
FIRN_API const char *firn_class_name(const firn_world *world, firn_class entity_class);

/// The component Class; 0 before the first class.
FIRN_API firn_component firn_class_component(const firn_world *world);

/// The class of an entity, or 0.
FIRN_API firn_class firn_class_of(const firn_world *world, firn_entity entity);

/// Makes an entity of the class: its components, and all that they require, with their rows and
/// values and with Class, before anybody hears of it; then create runs. 0: FIRN_BUSY (inside a loop
/// or a publication), FIRN_EXISTS (a unique string of the class that another entity has), as
/// firn_spawn, or what create returned, with err->subject the class and err->entity the entity.
/// What else create changed stays.
FIRN_CALLS_BACK FIRN_API firn_entity firn_class_spawn(firn_world *world, firn_class entity_class,
                                                      firn_error *err);

#ifdef __cplusplus
}
#endif

#endif
