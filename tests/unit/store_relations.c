#include "unit/store_relations.h"

void register_relations(const fixture *f, firn_world *world, firn_component of[KINDS])
{
    static const firn_field fields[] = {FIRN_FIELD(likes, weight, FIRN_F64)};
    static const likes by_default = {.weight = 0.5};
    const firn_component_desc descs[KINDS] = {
        {.name = "Likes",
         .kind = FIRN_RELATION,
         .size = sizeof(likes),
         .fields = fields,
         .field_count = 1,
         .default_row = &by_default,
         .relation = FIRN_REVERSE},
        {.name = "Owns",
         .kind = FIRN_RELATION,
         .required = &f->mark,
         .required_count = 1,
         .relation = FIRN_EXCLUSIVE},
        {.name = "Parent",
         .kind = FIRN_RELATION,
         .relation = FIRN_SPARSE | FIRN_EXCLUSIVE | FIRN_CASCADE},
        {.name = "Knows", .kind = FIRN_RELATION, .relation = FIRN_SPARSE | FIRN_REVERSE},
    };
    firn_error err;
    for (uint32_t i = 0; i < KINDS; i++) {
        of[i] = firn_component_register(world, &descs[i], &err);
        assert_ok(of[i] != 0 ? FIRN_OK : err.code, &err);
    }
}

void relate_default(const fixture *f, firn_entity source, firn_component relation,
                    firn_entity target)
{
    firn_error err;
    assert_ok(firn_relate(f->world, source, relation, target, NULL, &err), &err);
}

void spawn_bare(const fixture *f, firn_entity *out, uint32_t count)
{
    firn_error err;
    assert_ok(firn_spawn_many(f->world, NULL, 0, count, out, &err), &err);
}
