/// The files of tests/golden/tecs, and the components that each of them is loaded with.
#ifndef TESTS_GOLDEN_TECS_COMPONENTS_H
#define TESTS_GOLDEN_TECS_COMPONENTS_H

#include "firn/firn.h"

#define GOLDEN_REQUIRED 2

/// A component as a file needs it. `desc` holds what is constant; the rest is filled in when it is
/// registered.
typedef struct golden_component {
    firn_component_desc desc;
    const char *default_text; ///< FIRN_STRING: its default
    const char *default_key;  ///< FIRN_VALUE: its default is {default_key = default_number}
    double default_number;
    const char *required[GOLDEN_REQUIRED]; ///< names of components registered before it, or NULL
} golden_component;

typedef struct golden_file {
    const char *path;   ///< below tests/golden/tecs, without `.bin`
    const char *expect; ///< the same without `.expect.json`
    uint32_t version;   ///< 0: the one that the expectation names
    const golden_component *components;
    uint32_t component_count;
    const char *const *states; ///< NULL, or the names of states, ended by NULL
    bool edges;                ///< holds sparse relationships of many targets
} golden_file;

extern const golden_file golden_files[];
extern const uint32_t golden_file_count;

/// The file of that path; NULL when it is not listed.
const golden_file *golden_find(const char *path);

/// Registers one component, defaults and requirements included.
firn_component golden_register(firn_world *world, const golden_component *component,
                               firn_error *err);

/// A world with the components and states of a file registered in their order. NULL on failure.
firn_world *golden_world(const golden_file *file, firn_error *err);

#endif
