/// store_components.h: what the tests of components share.
#ifndef STORE_COMPONENTS_H
#define STORE_COMPONENTS_H

#include "support/support.h"

#include <stdalign.h>
#include <string.h>

#include "store/component.h"

typedef struct components_fixture {
    test_allocator memory;
    firn_limits limits;
    fr_components components;
    firn_error err;
} components_fixture;

static inline void open_components(components_fixture *f)
{
    memset(f, 0, sizeof *f);
    test_allocator_init(&f->memory);
    firn_limits_default(&f->limits);
}

static inline void close_components(components_fixture *f)
{
    fr_components_free(&f->memory.allocator, &f->components);
    assert_no_leak(&f->memory);
}

/// Adds a component; `required` is an array of desc->required_count indices.
static inline firn_result add_component(components_fixture *f, const firn_component_desc *desc,
                                        const uint32_t *required, fr_component **out)
{
    return fr_components_add(&f->memory.allocator, &f->components, &f->limits, desc, required, out,
                             &f->err);
}

static inline fr_component *must_add(components_fixture *f, const firn_component_desc *desc,
                                     const uint32_t *required)
{
    fr_component *component = NULL;
    assert_ok(add_component(f, desc, required, &component), &f->err);
    assert_non_null(component);
    return component;
}

typedef struct mover {
    int8_t state;
    float x;
    bool moving;
} mover;

static const firn_field mover_fields[] = {
    FIRN_FIELD(mover, state, FIRN_I8),
    FIRN_FIELD(mover, x, FIRN_F32),
    FIRN_FIELD(mover, moving, FIRN_BOOL),
};

static inline firn_component_desc mover_desc(const char *name)
{
    return (firn_component_desc){.name = name,
                                 .size = sizeof(mover),
                                 .align = alignof(mover),
                                 .fields = mover_fields,
                                 .field_count = FIRN_COUNT(mover_fields)};
}

#endif
