#include "golden/tecs_components.h"

#include <string.h>

#include "golden/tecs_codecs.h"

typedef struct vec2 {
    float x, y;
} vec2;

typedef struct health {
    int32_t current, max;
} health;

typedef struct all_types {
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f;
    double d;
    bool b;
    char tag[5];
    float m[3];
    int32_t plainint;
    uint32_t uns;
} all_types;

typedef struct plain_after {
    double b;
} plain_after;

typedef struct transient_ffi {
    int32_t v;
} transient_ffi;

// The newer schema of what file 23 holds: old is gone, armor and z are new, types changed.
typedef struct body {
    int32_t flags;
    float hp;
    float m[3];
    float x;
    int16_t y;
    int32_t armor;
    float z;
} body;

typedef struct same {
    int32_t a;
} same;

typedef struct tab_mig {
    double b, c;
} tab_mig;

typedef struct trades {
    firn_entity target;
    int32_t amount;
    float rate;
} trades;

static const firn_field vec2_fields[] = {
    FIRN_FIELD(vec2, x, FIRN_F32),
    FIRN_FIELD(vec2, y, FIRN_F32),
};
static const firn_field health_fields[] = {
    FIRN_FIELD(health, current, FIRN_I32),
    FIRN_FIELD(health, max, FIRN_I32),
};
static const firn_field all_types_fields[] = {
    FIRN_FIELD(all_types, i8, FIRN_I8),          FIRN_FIELD(all_types, u8, FIRN_U8),
    FIRN_FIELD(all_types, i16, FIRN_I16),        FIRN_FIELD(all_types, u16, FIRN_U16),
    FIRN_FIELD(all_types, i32, FIRN_I32),        FIRN_FIELD(all_types, u32, FIRN_U32),
    FIRN_FIELD(all_types, i64, FIRN_I64),        FIRN_FIELD(all_types, u64, FIRN_U64),
    FIRN_FIELD(all_types, f, FIRN_F32),          FIRN_FIELD(all_types, d, FIRN_F64),
    FIRN_FIELD(all_types, b, FIRN_BOOL),         FIRN_FIELD_ARRAY(all_types, tag, FIRN_CHAR, 5),
    FIRN_FIELD_ARRAY(all_types, m, FIRN_F32, 3), FIRN_FIELD(all_types, plainint, FIRN_I32),
    FIRN_FIELD(all_types, uns, FIRN_U32),
};
static const firn_field sprite_like_fields[] = {
    FIRN_FIELD(sprite_like, image, FIRN_I32),
    FIRN_FIELD(sprite_like, u0, FIRN_F32),
    FIRN_FIELD(sprite_like, slot, FIRN_I32),
};
static const firn_field half_custom_fields[] = {FIRN_FIELD(half_custom, a, FIRN_F32)};
static const firn_field plain_after_fields[] = {FIRN_FIELD(plain_after, b, FIRN_F64)};
static const firn_field packed_table_fields[] = {
    FIRN_FIELD(packed_table, x, FIRN_I32),
    FIRN_FIELD_ARRAY(packed_table, label, FIRN_CHAR, 8),
};
static const firn_field nil_codec_fields[] = {FIRN_FIELD(nil_codec, v, FIRN_I32)};
static const firn_field transient_ffi_fields[] = {FIRN_FIELD(transient_ffi, v, FIRN_I32)};
static const firn_field body_fields[] = {
    FIRN_FIELD(body, flags, FIRN_I32),      FIRN_FIELD(body, hp, FIRN_F32),
    FIRN_FIELD_ARRAY(body, m, FIRN_F32, 3), FIRN_FIELD(body, x, FIRN_F32),
    FIRN_FIELD(body, y, FIRN_I16),          FIRN_FIELD(body, armor, FIRN_I32),
    FIRN_FIELD(body, z, FIRN_F32),
};
static const firn_field same_fields[] = {FIRN_FIELD(same, a, FIRN_I32)};
static const firn_field tab_mig_fields[] = {
    FIRN_FIELD(tab_mig, b, FIRN_F64),
    FIRN_FIELD(tab_mig, c, FIRN_F64),
};

static const firn_field trades_fields[] = {
    FIRN_FIELD(trades, amount, FIRN_I32),
    FIRN_FIELD(trades, rate, FIRN_F32),
};

static const double score_default = 3;
static const double charge_default = 8;
static const body body_default = {.armor = 25};
static const tab_mig tab_mig_default = {.c = 7};

#define STRUCT_OF(component_name, T, fields_)                                                      \
    .name = (component_name), .kind = FIRN_STRUCT, .size = sizeof(T), .fields = (fields_),         \
    .field_count = FIRN_COUNT(fields_)

static const golden_component dense[] = {
    {.desc = {STRUCT_OF("Position", vec2, vec2_fields)}},
    {.desc = {STRUCT_OF("Velocity", vec2, vec2_fields)}},
    {.desc = {STRUCT_OF("Health", health, health_fields)}},
};

static const golden_component position[] = {
    {.desc = {STRUCT_OF("Position", vec2, vec2_fields)}},
};

static const golden_component every_type[] = {
    {.desc = {STRUCT_OF("AllTypes", all_types, all_types_fields)}},
};

static const golden_component tables[] = {
    {.desc = {.name = "Inventory", .kind = FIRN_VALUE}},
    {.desc = {.name = "Loose", .kind = FIRN_VALUE}},
};

static const golden_component scalars[] = {
    {.desc = {.name = "Score", .kind = FIRN_NUMBER, .default_row = &score_default}},
    {.desc = {.name = "Alive", .kind = FIRN_BOOLEAN}},
    {.desc = {.name = "Title", .kind = FIRN_STRING}, .default_text = "none"},
    {.desc = {.name = "Boss", .kind = FIRN_TAG}},
    {.desc = {.name = "Elite", .kind = FIRN_TAG}},
};

static const golden_component codecs[] = {
    {.desc = {STRUCT_OF("SpriteLike", sprite_like, sprite_like_fields),
              .codec = &sprite_like_codec}},
    {.desc = {STRUCT_OF("HalfCustom", half_custom, half_custom_fields),
              .codec = &half_custom_codec}},
    {.desc = {STRUCT_OF("PlainAfter", plain_after, plain_after_fields)}},
    {.desc = {STRUCT_OF("PackedTable", packed_table, packed_table_fields),
              .codec = &packed_table_codec}},
    {.desc = {STRUCT_OF("NilCodec", nil_codec, nil_codec_fields), .codec = &nil_codec_codec}},
};

static const golden_component children[] = {
    {.desc = {STRUCT_OF("Position", vec2, vec2_fields)}},
    {.desc = {.name = "Marker", .kind = FIRN_TAG}},
};

static const golden_component many_targets[] = {
    {.desc = {.name = "Likes", .kind = FIRN_RELATION}},
    {.desc = {.name = "Trades",
              .kind = FIRN_RELATION,
              .size = sizeof(trades),
              .fields = trades_fields,
              .field_count = FIRN_COUNT(trades_fields)}},
    {.desc = {STRUCT_OF("Position", vec2, vec2_fields)}},
};

static const golden_component mixed[] = {
    {.desc = {STRUCT_OF("Position", vec2, vec2_fields)}},
    {.desc = {.name = "Info", .kind = FIRN_VALUE}},
    {.desc = {.name = "Score", .kind = FIRN_NUMBER}},
    {.desc = {.name = "Marker", .kind = FIRN_TAG}},
    {.desc = {.name = "Owner",
              .kind = FIRN_RELATION,
              .relation = FIRN_SPARSE | FIRN_EXCLUSIVE | FIRN_REVERSE}},
};

static const golden_component of_the_port[] = {
    {.desc = {STRUCT_OF("Position", vec2, vec2_fields)}},
    {.desc = {.name = "Score", .kind = FIRN_NUMBER}},
    {.desc = {.name = "Boss", .kind = FIRN_TAG}},
    {.desc = {.name = "Likes", .kind = FIRN_RELATION, .relation = FIRN_SPARSE | FIRN_REVERSE}},
    {.desc = {.name = "Info", .kind = FIRN_VALUE}},
};

static const char *const states[] = {"base", "ready", "game", NULL};
static const char *const states_of_the_port[] = {"menu", NULL};

static const golden_component selected[] = {
    {.desc = {STRUCT_OF("Position", vec2, vec2_fields)}},
    {.desc = {.name = "Derived", .kind = FIRN_TAG}},
    {.desc = {STRUCT_OF("Health", health, health_fields)}},
};

static const golden_component transients[] = {
    {.desc = {.name = "Runtime", .kind = FIRN_VALUE, .transient = true}, .default_key = "slot"},
    {.desc = {.name = "Charge",
              .kind = FIRN_NUMBER,
              .default_row = &charge_default,
              .transient = true}},
    {.desc = {.name = "Durable", .kind = FIRN_VALUE}, .required = {"Runtime", "Charge"}},
    {.desc = {STRUCT_OF("TransientFFI", transient_ffi, transient_ffi_fields), .transient = true}},
};

static const golden_component newer_schema[] = {
    {.desc = {STRUCT_OF("Body", body, body_fields), .default_row = &body_default}},
    {.desc = {STRUCT_OF("Same", same, same_fields)}},
    {.desc = {STRUCT_OF("TabMig", tab_mig, tab_mig_fields), .default_row = &tab_mig_default}},
};

#define WITH(components_) .components = (components_), .component_count = FIRN_COUNT(components_)
#define GOLDEN(path_, expect_, ...)                                                                \
    {                                                                                              \
        .path = (path_), .expect = (expect_), __VA_ARGS__                                          \
    }

const golden_file golden_files[] = {
    GOLDEN("01_empty_world", "01_empty_world", .components = NULL),
    GOLDEN("02_bare_entities", "02_bare_entities", .components = NULL),
    GOLDEN("03_dense_ffi", "03_dense_ffi", WITH(dense)),
    GOLDEN("arm64/03_dense_ffi", "03_dense_ffi", WITH(dense)),
    GOLDEN("S_version1_03_dense_ffi", "03_dense_ffi", .version = 1, WITH(dense)),
    GOLDEN("S_int32tags_03_dense_ffi", "03_dense_ffi", WITH(dense)),
    GOLDEN("04_ffi_all_types", "04_ffi_all_types", WITH(every_type)),
    GOLDEN("05_table_components", "05_table_components", WITH(tables)),
    GOLDEN("arm64/05_table_components", "05_table_components", WITH(tables)),
    GOLDEN("06_scalars_and_tags", "06_scalars_and_tags", WITH(scalars)),
    GOLDEN("arm64/06_scalars_and_tags", "06_scalars_and_tags", WITH(scalars)),
    GOLDEN("07_custom_codecs", "07_custom_codecs", WITH(codecs)),
    GOLDEN("08_sparse_exclusive_childof", "08_sparse_exclusive_childof", WITH(children)),
    GOLDEN("arm64/08_sparse_exclusive_childof", "08_sparse_exclusive_childof", WITH(children)),
    GOLDEN("S_int32tags_08_sparse_exclusive_childof", "08_sparse_exclusive_childof",
           WITH(children)),
    GOLDEN("10_dense_ffi_relationship", "10_dense_ffi_relationship", WITH(many_targets)),
    GOLDEN("12_large_target_name", "12_large_target_name", WITH(many_targets)),
    GOLDEN("13_states", "13_states", WITH(position), .states = states),
    GOLDEN("arm64/13_states", "13_states", WITH(position), .states = states),
    GOLDEN("S_version1_13_states", "13_states", .version = 1, WITH(position), .states = states),
    GOLDEN("S_int32tags_13_states", "13_states", WITH(position), .states = states),
    GOLDEN("14_pipeline", "14_pipeline", .components = NULL),
    GOLDEN("15_custom_data", "15_custom_data", .components = NULL),
    GOLDEN("16_random_streams", "16_random_streams", .components = NULL),
    GOLDEN("18_filter_and_exclude", "18_filter_and_exclude", WITH(selected)),
    GOLDEN("19_disabled_paused", "19_disabled_paused", WITH(position)),
    GOLDEN("20_transient_requires", "20_transient_requires", WITH(transients)),
    GOLDEN("21_entity_keys", "21_entity_keys", WITH(position)),
    GOLDEN("23_schema_v1_for_migration", "23_schema_v1_for_migration", WITH(newer_schema)),
    GOLDEN("25_row_major_mixed", "25_row_major_mixed", WITH(mixed)),
    GOLDEN("S_version1_25_row_major_mixed", "25_row_major_mixed", .version = 1, WITH(mixed)),
    GOLDEN("S_old_version1_boolmask_25", "25_row_major_mixed", .version = 1, WITH(mixed)),
    GOLDEN("S_nupp_v1_basic", "S_nupp_v1_basic", .version = 1, WITH(of_the_port),
           .states = states_of_the_port, .edges = true),
};
const uint32_t golden_file_count = FIRN_COUNT(golden_files);

const golden_file *golden_find(const char *path)
{
    for (uint32_t i = 0; i < golden_file_count; i++) {
        if (strcmp(golden_files[i].path, path) == 0) {
            return &golden_files[i];
        }
    }
    return NULL;
}

static const firn_value *make_default(firn_doc *doc, const golden_component *component,
                                      firn_error *err)
{
    if (component->default_text != NULL) {
        return firn_value_text(doc, component->default_text, err);
    }
    if (component->default_key == NULL) {
        return NULL;
    }
    firn_value *table = firn_value_table(doc, err);
    firn_value *number = firn_value_number(doc, component->default_number, err);
    if (firn_table_set_text(doc, table, component->default_key, number, err) != FIRN_OK) {
        return NULL;
    }
    return table;
}

firn_component golden_register(firn_world *world, const golden_component *component,
                               firn_error *err)
{
    firn_doc *doc = firn_doc_create(NULL, NULL, err);
    if (doc == NULL) {
        return 0;
    }
    firn_component_desc desc = component->desc;
    desc.default_value = make_default(doc, component, err);
    firn_component required[GOLDEN_REQUIRED];
    for (uint32_t i = 0; i < GOLDEN_REQUIRED && component->required[i] != NULL; i++) {
        required[desc.required_count++] = firn_component_find(world, component->required[i]);
    }
    desc.required = desc.required_count > 0 ? required : NULL;
    firn_component registered = firn_component_register(world, &desc, err);
    firn_doc_destroy(doc);
    return registered;
}

static bool create_states(firn_world *world, const char *const *names, firn_error *err)
{
    for (; names != NULL && *names != NULL; names++) {
        if (firn_state_create(world, &(firn_state_desc){.name = *names}, err) == 0) {
            return false;
        }
    }
    return true;
}

firn_world *golden_world(const golden_file *file, firn_error *err)
{
    firn_world *world = firn_world_create(NULL, err);
    for (uint32_t i = 0; world != NULL && i < file->component_count; i++) {
        if (golden_register(world, &file->components[i], err) == 0) {
            firn_world_destroy(world);
            world = NULL;
        }
    }
    if (world != NULL && !create_states(world, file->states, err)) {
        firn_world_destroy(world);
        return NULL;
    }
    return world;
}
