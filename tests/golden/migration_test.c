// tecs/migration_matrix.json, from a save to a load: a field of each type becomes one of another.
#include "support/support.h"

#include <string.h>

#include "firn/firn.h"

typedef struct migration {
    firn_type from;
    uint64_t source;
    firn_type to;
    uint64_t target;
    bool changed;
    bool portable; // every LuaJIT does the same; else docs/format.md says what is right
} migration;

// Made of the matrix by unit/store_convert_cases.py.
static const migration cases[] = {
#include "unit/store_convert_cases.inc"
};

// A field of each type, at its place in memory.
typedef union number {
    bool boolean;
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
} number;

static size_t size_of(firn_type type)
{
    switch (type) {
#define MIGRATION_SIZE(name, text, size)                                                           \
    case FIRN_##name:                                                                              \
        return size;
        FIRN_TYPES(MIGRATION_SIZE)
#undef MIGRATION_SIZE
    default:
        return 0;
    }
}

static number from_bits(firn_type type, uint64_t bits)
{
    number made;
    memset(&made, 0, sizeof made);
    switch (size_of(type)) {
    case 1:
        made.u8 = (uint8_t)bits;
        break;
    case 2:
        made.u16 = (uint16_t)bits;
        break;
    case 4:
        made.u32 = (uint32_t)bits;
        break;
    default:
        made.u64 = bits;
    }
    return made;
}

static bool same_number(firn_type type, const number *a, const number *b)
{
    if (type == FIRN_F32 && a->f32 != a->f32)
        return b->f32 != b->f32;
    if (type == FIRN_F64 && a->f64 != a->f64)
        return b->f64 != b->f64;
    return memcmp(a, b, size_of(type)) == 0;
}

// A world with the component Number, whose field `n` is alone or the third of an array.
static firn_world *world_with(firn_type type, bool in_array, firn_component *component)
{
    firn_error err = {0};
    firn_field field = {.name = "n", .type = type, .count = in_array ? 3 : 0};
    firn_component_desc desc = {.name = "Number",
                                .kind = FIRN_STRUCT,
                                .size = size_of(type) * (in_array ? 3 : 1),
                                .fields = &field,
                                .field_count = 1};
    firn_world *world = firn_world_create(NULL, &err);
    *component = firn_component_register(world, &desc, &err);
    assert_ok(*component != 0 ? FIRN_OK : err.code, &err);
    return world;
}

static void migrate(const migration *m, bool in_array)
{
    firn_error err = {0};
    firn_component before, after;
    firn_world *old = world_with(m->from, in_array, &before);
    firn_world *fresh = world_with(m->to, in_array, &after);
    uint8_t row[3 * sizeof(number)] = {0};
    number source = from_bits(m->from, m->source), target = from_bits(m->to, m->target), got;
    memcpy(row + (in_array ? 2 : 0) * size_of(m->from), &source, size_of(m->from));
    firn_entity entity = firn_spawn(old, NULL, 0, &err);
    assert_ok(firn_set(old, entity, before, row, &err), &err);
    firn_buffer save = {0};
    firn_load_report report = {0};
    assert_ok(firn_snapshot_save(old, NULL, &save, &err), &err);
    assert_ok(firn_snapshot_load(fresh, save.data, save.size, NULL, &report, &err), &err);
    memset(&got, 0, sizeof got);
    memcpy(&got,
           (const uint8_t *)firn_get(fresh, entity, after) + (in_array ? 2 : 0) * size_of(m->to),
           size_of(m->to));
    if (!same_number(m->to, &target, &got) || report.changed_values != m->changed)
        fail_msg("type %d 0x%llx to type %d: 0x%llx, %d changed, not 0x%llx, %d", (int)m->from,
                 (unsigned long long)m->source, (int)m->to, (unsigned long long)got.u64,
                 (int)report.changed_values, (unsigned long long)m->target, (int)m->changed);
    firn_load_report_free(&report);
    firn_buffer_free(&save);
    firn_world_destroy(old);
    firn_world_destroy(fresh);
}

static void T13_a_field_that_was_saved_with_another_type_is_converted(void **state)
{
    (void)state;
    assert_int_equal(FIRN_COUNT(cases), 490);
    for (size_t i = 0; i < FIRN_COUNT(cases); i++)
        migrate(&cases[i], false);
}

static void T13_elements_that_were_saved_with_another_type_are_converted(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIRN_COUNT(cases); i++)
        migrate(&cases[i], true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T13_a_field_that_was_saved_with_another_type_is_converted),
        cmocka_unit_test(T13_elements_that_were_saved_with_another_type_are_converted),
    };
    return cmocka_run_group_tests_name("migration_test", tests, NULL, NULL);
}
