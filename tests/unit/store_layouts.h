/// store_layouts.h: what the tests of layouts share.
#ifndef STORE_LAYOUTS_H
#define STORE_LAYOUTS_H

#include "support/support.h"

#include <stdalign.h>
#include <string.h>

#include "store/layout.h"

typedef struct layout_fixture {
    test_allocator memory;
    firn_limits limits;
    fr_layout layout;
    firn_error err;
} layout_fixture;

static inline int set_up(void **state)
{
    static layout_fixture fixture;
    memset(&fixture, 0, sizeof fixture);
    test_allocator_init(&fixture.memory);
    firn_limits_default(&fixture.limits);
    *state = &fixture;
    return 0;
}

static inline int tear_down(void **state)
{
    layout_fixture *f = *state;
    fr_layout_free(&f->memory.allocator, &f->layout);
    assert_no_leak(&f->memory);
    return 0;
}

static inline firn_result make(layout_fixture *f, size_t size, size_t align,
                               const firn_field *fields, uint32_t count)
{
    firn_component_desc desc = {
        .name = "Thing", .size = size, .align = align, .fields = fields, .field_count = count};
    fr_layout_free(&f->memory.allocator, &f->layout);
    return fr_layout_make(&f->memory.allocator, &desc, &f->limits, &f->layout, &f->err);
}

#define MAKE(f, T, fields)        make(f, sizeof(T), alignof(T), fields, FIRN_COUNT(fields))
#define assert_made(f, T, fields) assert_ok(MAKE(f, T, fields), &(f)->err)

typedef struct position {
    float x;
    float y;
} position;

static const firn_field position_fields[] = {
    FIRN_FIELD(position, x, FIRN_F32),
    FIRN_FIELD(position, y, FIRN_F32),
};

#define LAYOUT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
