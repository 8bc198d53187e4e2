/// physics.h: an engine beside the world, with bodies of its own, as a plugin. A body is no row, so
/// RigidBody is not saved: the handler saves the bodies, and gives them back to their entities.
#ifndef EXAMPLES_PHYSICS_H
#define EXAMPLES_PHYSICS_H

#include <firn/firn.h>

#define PHYSICS_BODIES 16

typedef struct Body {
    firn_entity entity;
    double height, speed;
} Body;

typedef struct Physics {
    Body bodies[PHYSICS_BODIES];
    uint32_t count;
    firn_component rigid_body;
} Physics;

/// The component: where the entity's body stands in the engine.
typedef struct RigidBody {
    uint32_t body;
} RigidBody;

/// Adds the plugin to a world, which `physics` must outlive.
firn_result physics_add(firn_world *world, Physics *physics, firn_error *err);
/// Gives an entity a body.
firn_result physics_add_body(Physics *physics, firn_world *world, firn_entity entity, double height,
                             firn_error *err);
/// Lets all bodies fall.
void physics_step(Physics *physics, double dt);
/// The body of an entity, or NULL.
const Body *physics_body_of(const Physics *physics, const firn_world *world, firn_entity entity);

#endif
