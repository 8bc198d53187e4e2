/// store_fixture.h: a world with components of all kinds for the tests of the store, over the
/// counting allocator. Its names are in another order than its registrations.
#ifndef STORE_FIXTURE_H
#define STORE_FIXTURE_H

#include "support/support.h"

#include "firn/world.h"

#include "store/world.h"

typedef struct position {
    float x;
    float y;
} position;

/// Over-aligned, with padding.
typedef struct wide {
    _Alignas(64) double value;
    uint8_t more[65];
} wide;

/// Owns one number of fixture.owned: `init` and tests take one, `drop` gives it back.
typedef struct owner {
    uint32_t resource; ///< index + 1, 0 for none
} owner;

/// Points at itself, or is NULL.
typedef struct self_pointer {
    struct self_pointer *self;
    uint64_t value;
} self_pointer;

#define FIXTURE_RESOURCES 65536

typedef struct fixture {
    test_allocator memory;
    firn_world *world;
    firn_component position; ///< "game.Position"
    firn_component wide;     ///< "Wide"
    firn_component number;   ///< "Number"
    firn_component flag;     ///< "Flag"
    firn_component text;     ///< "Text"
    firn_component value;    ///< "Value"
    firn_component tag;      ///< "Tag"
    firn_component mark;     ///< "Mark", a tag that requires Tag
    firn_component owner;    ///< "Aowner", with init, drop and counting move
    firn_component self;     ///< "Zelf", with init and move
    firn_component hungry;   ///< "Hungry", a struct that requires Mark, Number and Text
    firn_component passing;  ///< "A.passing", transient
    uint32_t init_calls;
    uint32_t init_rows;
    uint32_t drop_calls;
    uint32_t drop_rows;
    uint32_t move_rows;
    /// NULL, or called by every hook of owner.
    void (*in_hook)(struct fixture *fixture, const firn_rows *rows);
    uint32_t owned_count;
    bool owned[FIXTURE_RESOURCES];
    uint32_t next_resource;
} fixture;

/// The state of a cmocka test; made by fixture_setup, freed by fixture_teardown, which also asserts
/// that nothing leaked and every resource came back.
int fixture_setup(void **state);
int fixture_teardown(void **state);

/// A world of its own with the same components; the allocator and the resources of `fixture`.
firn_world *fixture_world(fixture *fixture);
/// Registers the components and writes their handles.
void fixture_register(fixture *fixture, firn_world *world);
uint32_t fixture_take_resource(fixture *fixture);

/// Appends all that a game or a save can see of a world, as text: two worlds that print the same
/// are the same. `out` uses the default allocator.
void fixture_print(const firn_world *world, firn_buffer *out);
/// Asserts that the world prints as it did before.
#define assert_world_is(world, before)                                                             \
    fixture_assert_world_is((world), (before), __FILE__, __LINE__)
void fixture_assert_world_is(const firn_world *world, const firn_buffer *before, const char *file,
                             int line);

#define FIXTURE_TEST(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

#endif
