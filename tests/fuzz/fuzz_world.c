#include "fuzz/fuzz_world.h"

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- rows that own memory

fuzz_text fuzz_text_make(fuzz_texts *texts, const uint8_t *bytes, size_t size)
{
    fuzz_text text = {.size = (uint32_t)size, .magic = FUZZ_TEXT_LIVES};
    if (size > 0) {
        text.bytes = malloc(size);
        FUZZ_CHECK(text.bytes != NULL);
        memcpy(text.bytes, bytes, size);
        texts->living++;
    }
    return text;
}

void fuzz_text_drop(fuzz_texts *texts, fuzz_text *text)
{
    FUZZ_CHECK(text->magic == FUZZ_TEXT_LIVES);
    FUZZ_CHECK((text->bytes == NULL) == (text->size == 0));
    if (text->bytes != NULL) {
        FUZZ_CHECK(texts->living > 0);
        texts->living--;
        free(text->bytes);
    }
    memset(text, 0x5a, sizeof *text);
}

static void init_texts(void *user, const firn_rows *rows)
{
    fuzz_text *text = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        FUZZ_CHECK(text[i].magic == FUZZ_TEXT_LIVES && text[i].bytes == NULL);
        text[i] = fuzz_text_make(user, (const uint8_t *)"new", 3);
    }
}

static void drop_texts(void *user, const firn_rows *rows)
{
    fuzz_text *text = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        fuzz_text_drop(user, &text[i]);
    }
}

static void move_texts(void *user, void *to, void *from, uint32_t count)
{
    (void)user;
    fuzz_text *text = from;
    for (uint32_t i = 0; i < count; i++) {
        FUZZ_CHECK(text[i].magic == FUZZ_TEXT_LIVES);
    }
    memcpy(to, from, count * sizeof(fuzz_text));
    memset(from, 0x5a, count * sizeof(fuzz_text));
}

static firn_result encode_texts(void *user, const firn_rows *rows, firn_writer *out,
                                firn_error *err)
{
    (void)user;
    (void)err;
    const fuzz_text *text = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        FUZZ_CHECK(text[i].magic == FUZZ_TEXT_LIVES);
        firn_write_string(out, text[i].size > 0 ? text[i].bytes : "", text[i].size);
    }
    return FIRN_OK;
}

static firn_result decode_texts(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)err;
    fuzz_text *text = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        FUZZ_CHECK(text[i].magic == FUZZ_TEXT_LIVES && text[i].bytes == NULL);
        size_t size;
        const char *bytes = firn_read_string(in, &size);
        if (bytes == NULL) {
            return FIRN_CORRUPT;
        }
        if (size > 0 && bytes[0] == '!') {
            firn_reader_refuse(in, "a text that begins with !");
            return FIRN_REFUSED;
        }
        text[i] = fuzz_text_make(user, (const uint8_t *)bytes, size);
    }
    return FIRN_OK;
}

static const firn_field text_fields[] = {
    FIRN_FIELD(fuzz_text, bytes, FIRN_POINTER),
    FIRN_FIELD(fuzz_text, size, FIRN_U32),
    FIRN_FIELD(fuzz_text, magic, FIRN_U32),
};
static const fuzz_text text_default = {.magic = FUZZ_TEXT_LIVES};
static const double extra_default = 3;

#define STRUCT_OF(component_name, T, fields_)                                                      \
    .name = (component_name), .kind = FIRN_STRUCT, .size = sizeof(T), .fields = (fields_),         \
    .field_count = FIRN_COUNT(fields_)

bool fuzz_register(firn_world *world, fuzz_texts *texts, firn_error *err)
{
    firn_component_desc extra = {
        .name = "Extra", .kind = FIRN_NUMBER, .default_row = &extra_default};
    firn_component_desc passing = {.name = "Passing", .kind = FIRN_NUMBER, .transient = true};
    firn_codec codec = {FIRN_ABI, "texts", encode_texts, decode_texts, texts};
    firn_component_desc owned = {STRUCT_OF("Owned", fuzz_text, text_fields),
                                 .default_row = &text_default, .codec = &codec,
                                 .hooks = {init_texts, drop_texts, move_texts, texts}};
    firn_component required[] = {firn_component_register(world, &extra, err),
                                 firn_component_register(world, &passing, err),
                                 firn_component_register(world, &owned, err)};
    firn_component_desc needs = {.name = "Needs",
                                 .kind = FIRN_TAG,
                                 .required = required,
                                 .required_count = FIRN_COUNT(required)};
    return firn_component_register(world, &needs, err) != 0;
}

// ---------------------------------------------------------------- another schema

typedef struct newer_place {
    double height;
    int16_t x;
    uint8_t z[3];
} newer_place;

typedef struct newer_padded {
    double small;
    int8_t wide;
    bool flag;
    int64_t marks[2];
} newer_padded;

typedef struct newer_slot {
    double kind;
    bool amount;
} newer_slot;

typedef struct newer_unit {
    uint16_t number;
    newer_slot slots[3];
    double leader;
    firn_entity follower;
    int8_t label[4];
    char added[9];
} newer_unit;

typedef struct newer_types {
    double b;
    bool i8;
    int64_t u8;
    uint8_t i16;
    float u16;
    uint64_t i32;
    int16_t u32;
    uint16_t i64;
    int32_t u64;
    uint32_t f32;
    int8_t f64;
} newer_types;

static const char *const position_names[] = {"Position", NULL};
static const char *const y_names[] = {"y", NULL};

static const firn_field place_fields[] = {
    {.name = "height",
     .type = FIRN_F64,
     .offset = offsetof(newer_place, height),
     .former_names = y_names},
    FIRN_FIELD(newer_place, x, FIRN_I16),
    FIRN_FIELD_ARRAY(newer_place, z, FIRN_U8, 3),
};
static const newer_place place_default = {.z = {1, 2, 3}};

static const firn_field newer_padded_fields[] = {
    FIRN_FIELD(newer_padded, small, FIRN_F64),
    FIRN_FIELD(newer_padded, wide, FIRN_I8),
    FIRN_FIELD(newer_padded, flag, FIRN_BOOL),
    FIRN_FIELD_ARRAY(newer_padded, marks, FIRN_I64, 2),
};
static const firn_field newer_slot_fields[] = {
    FIRN_FIELD(newer_slot, kind, FIRN_F64),
    FIRN_FIELD(newer_slot, amount, FIRN_BOOL),
};
static const firn_field newer_unit_fields[] = {
    FIRN_FIELD(newer_unit, number, FIRN_U16),
    {.name = "slots",
     .type = FIRN_NESTED,
     .offset = offsetof(newer_unit, slots),
     .count = 3,
     .fields = newer_slot_fields,
     .field_count = FIRN_COUNT(newer_slot_fields),
     .size = sizeof(newer_slot)},
    FIRN_FIELD(newer_unit, leader, FIRN_ENTITY_NUMBER),
    FIRN_FIELD(newer_unit, follower, FIRN_ENTITY),
    FIRN_FIELD_ARRAY(newer_unit, label, FIRN_I8, 4),
    FIRN_FIELD_ARRAY(newer_unit, added, FIRN_CHAR, 9),
};
static const firn_field newer_types_fields[] = {
    FIRN_FIELD(newer_types, b, FIRN_F64),   FIRN_FIELD(newer_types, i8, FIRN_BOOL),
    FIRN_FIELD(newer_types, u8, FIRN_I64),  FIRN_FIELD(newer_types, i16, FIRN_U8),
    FIRN_FIELD(newer_types, u16, FIRN_F32), FIRN_FIELD(newer_types, i32, FIRN_U64),
    FIRN_FIELD(newer_types, u32, FIRN_I16), FIRN_FIELD(newer_types, i64, FIRN_U16),
    FIRN_FIELD(newer_types, u64, FIRN_I32), FIRN_FIELD(newer_types, f32, FIRN_U32),
    FIRN_FIELD(newer_types, f64, FIRN_I8),
};

static const firn_component_desc newer_descs[] = {
    {STRUCT_OF("Place", newer_place, place_fields), .default_row = &place_default,
     .former_names = position_names},
    {STRUCT_OF("Padded", newer_padded, newer_padded_fields)},
    {STRUCT_OF("Unit", newer_unit, newer_unit_fields)},
    {STRUCT_OF("Types", newer_types, newer_types_fields)},
    {.name = "Alive", .kind = FIRN_NUMBER},
    {.name = "Score", .kind = FIRN_BOOLEAN},
    {.name = "Title", .kind = FIRN_VALUE},
    {.name = "Bag", .kind = FIRN_STRING},
    {.name = "Boss", .kind = FIRN_NUMBER, .transient = true},
    {.name = "Handle", .kind = FIRN_STRING},
    {.name = "Gone", .kind = FIRN_NUMBER},
};

firn_world *fuzz_newer_world(const firn_allocator *allocator, fuzz_texts *texts, firn_error *err)
{
    firn_world *world = firn_world_create(&(firn_world_desc){.allocator = allocator}, err);
    for (uint32_t i = 0; world != NULL && i < FIRN_COUNT(newer_descs); i++) {
        if (firn_component_register(world, &newer_descs[i], err) == 0) {
            firn_world_destroy(world);
            world = NULL;
        }
    }
    if (world != NULL && !fuzz_register(world, texts, err)) {
        firn_world_destroy(world);
        world = NULL;
    }
    return world;
}
