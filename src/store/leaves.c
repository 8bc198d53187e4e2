#include "store/leaves.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#define PATH_BYTES 512 // longer than any name that passes the limit

// The structs around a field, from the component inwards, and the field itself.
typedef struct leaf_path {
    const firn_field *fields[FR_NESTING_MAX + 1];
    uint32_t elements[FR_NESTING_MAX + 1]; // which element of an array of structs
    uint32_t former[FR_NESTING_MAX + 1];   // 0: the name; n: the n-th former name
    uint32_t depth;
} leaf_path;

// What the checks find out about a field or a struct.
typedef struct leaf_facts {
    size_t align;    // the largest of its leaves
    bool natural;    // every leaf stands at its alignment, and the size is a multiple of it
    uint64_t leaves; // how many it comes to
} leaf_facts;

// What a walk over a description carries.
typedef struct leaf_walk {
    const firn_allocator *allocator;
    const firn_component_desc *desc;
    const firn_limits *limits;
    firn_error *err;
    leaf_path path;
    fr_leaf *leaves;
    uint32_t count;
} leaf_walk;

uint32_t fr_leaf_element_size(const fr_leaf *leaf)
{
    return leaf->type == FIRN_POINTER ? (uint32_t)sizeof(void *) : fr_type_size(leaf->type);
}

uint32_t fr_leaf_size(const fr_leaf *leaf)
{
    return fr_leaf_element_size(leaf) * (leaf->count == 0 ? 1 : leaf->count);
}

char *fr_field_subject(char out[FR_FIELD_SUBJECT_BYTES], const char *component, const char *field)
{
    char text[2 * PATH_BYTES];
    int size = snprintf(text, sizeof text, "%s.%s", component, field);
    return fr_printable(out, FR_FIELD_SUBJECT_BYTES, text,
                        (size_t)size < sizeof text ? (size_t)size : sizeof text - 1);
}

// The alignment that C gives a type here: i386 keeps doubles in structs at multiples of 4.
static size_t memory_align_of(firn_type type)
{
#define ALIGN_IN_STRUCT(T)                                                                         \
    offsetof(                                                                                      \
        struct {                                                                                   \
            char before;                                                                           \
            T value;                                                                               \
        },                                                                                         \
        value)
    switch (type) {
    case FIRN_I64:
    case FIRN_U64:
    case FIRN_ENTITY:
        return ALIGN_IN_STRUCT(uint64_t);
    case FIRN_F64:
    case FIRN_ENTITY_NUMBER:
        return ALIGN_IN_STRUCT(double);
    case FIRN_POINTER:
        return alignof(void *);
    default:
        return fr_type_size(type);
    }
#undef ALIGN_IN_STRUCT
}

static uint32_t former_name_count(const firn_field *field)
{
    uint32_t count = 0;
    while (field->former_names != NULL && field->former_names[count] != NULL) {
        count++;
    }
    return count;
}

// Writes the dotted name that the path's choices come to; false when it is longer than `room`.
static bool path_text(const leaf_path *path, bool with_elements, char *out, size_t room,
                      size_t *size)
{
    size_t end = 0;
    for (uint32_t i = 0; i < path->depth; i++) {
        const firn_field *field = path->fields[i];
        const char *name =
            path->former[i] == 0 ? field->name : field->former_names[path->former[i] - 1];
        char element[16] = "";
        if (with_elements && field->type == FIRN_NESTED && field->count > 0) {
            snprintf(element, sizeof element, "[%" PRIu32 "]", path->elements[i]);
        }
        int wrote = snprintf(out + end, room - end, "%s%s%s", i == 0 ? "" : ".", name, element);
        if (wrote < 0 || (size_t)wrote >= room - end) {
            *size = room - 1;
            return false;
        }
        end += (size_t)wrote;
    }
    *size = end;
    return true;
}

// Fails about the field that the path leads to.
static firn_result fail_field(leaf_walk *walk, firn_result code, const char *message)
{
    char name[PATH_BYTES];
    char subject[FR_FIELD_SUBJECT_BYTES];
    size_t size;
    path_text(&walk->path, false, name, sizeof name, &size);
    fr_field_subject(subject, walk->desc->name, name);
    return fr_fail(walk->err, code, subject, "%s", message);
}

// Fails about field `index` of a struct, whose name is not fit to be shown.
static firn_result fail_unnamed(leaf_walk *walk, uint32_t index, const firn_error *why)
{
    char name[PATH_BYTES + 16];
    char subject[FR_FIELD_SUBJECT_BYTES];
    size_t size;
    path_text(&walk->path, false, name, PATH_BYTES, &size);
    snprintf(name + size, sizeof name - size, "%s#%" PRIu32, size == 0 ? "" : ".", index + 1);
    fr_field_subject(subject, walk->desc->name, name);
    return fr_fail(walk->err, why->code, subject, "%s", why->message);
}

static firn_result check_field_name(const char *name, const char *what, const firn_limits *limits,
                                    firn_error *err)
{
    firn_result result = fr_check_text_name(name, limits->name_bytes, what, NULL, err);
    if (result != FIRN_OK) {
        return result;
    }
    const char *bad = strpbrk(name, ":,|");
    if (bad != NULL) {
        return fr_fail(err, FIRN_INVALID, name, "the %s \"%s\" has a '%c' in it", what, name, *bad);
    }
    return FIRN_OK;
}

static firn_result check_former_field_names(leaf_walk *walk, const firn_field *field)
{
    uint32_t count = former_name_count(field);
    if (count > FR_FORMER_NAMES_MAX) {
        return fail_field(walk, FIRN_LIMIT, "the field has more than 64 former names");
    }
    for (uint32_t i = 0; i < count; i++) {
        firn_error why;
        if (check_field_name(field->former_names[i], "former field name", walk->limits, &why) !=
            FIRN_OK) {
            return fail_field(walk, why.code, why.message);
        }
    }
    return FIRN_OK;
}

// What a field says about its type, but not where it stands.
static firn_result check_field_shape(leaf_walk *walk, const firn_field *field)
{
    char message[128];
    for (unsigned i = 0; i < 4; i++) {
        if (field->reserved[i] != 0) {
            snprintf(message, sizeof message, "reserved[%u] is %" PRIu64 " and must be zero", i,
                     field->reserved[i]);
            return fail_field(walk, FIRN_INVALID, message);
        }
    }
    if (field->type == FIRN_NESTED) {
        if (field->fields == NULL || field->field_count == 0 || field->size == 0) {
            return fail_field(walk, FIRN_INVALID, "a nested struct needs fields and a size");
        }
        if (walk->path.depth > FR_NESTING_MAX) {
            return fail_field(walk, FIRN_INVALID, "structs are nested deeper than 16");
        }
        return FIRN_OK;
    }
    if (field->type != FIRN_POINTER && fr_type_size(field->type) == 0) {
        snprintf(message, sizeof message, "the field has the unknown type %d", (int)field->type);
        return fail_field(walk, FIRN_INVALID, message);
    }
    if (field->fields != NULL || field->field_count != 0 || field->size != 0) {
        snprintf(message, sizeof message,
                 "a field of type %s has fields or a size, which only nested structs have",
                 fr_type_text(field->type));
        return fail_field(walk, FIRN_INVALID, message);
    }
    return FIRN_OK;
}

static firn_result check_field_place(leaf_walk *walk, const firn_field *field, size_t element_size,
                                     size_t struct_size)
{
    size_t size;
    size_t end;
    if (!fr_multiply_size(element_size, field->count == 0 ? 1 : field->count, &size) ||
        !fr_add_size(field->offset, size, &end) || end > struct_size) {
        char message[160];
        snprintf(message, sizeof message,
                 "the field (offset %zu, %" PRIu32 " of %zu bytes) leaves its struct of %zu bytes",
                 field->offset, field->count == 0 ? 1 : field->count, element_size, struct_size);
        return fail_field(walk, FIRN_INVALID, message);
    }
    return FIRN_OK;
}

// The fields of the component itself must be where C puts them. Inside nested structs this cannot
// be told: they may be packed.
static firn_result check_field_align(leaf_walk *walk, const firn_field *field, size_t align)
{
    size_t given = walk->desc->align;
    size_t needed = given != 0 && given < align ? given : align;
    if (field->offset % needed != 0) {
        char message[128];
        snprintf(message, sizeof message,
                 "the offset %zu of the field is not a multiple of its alignment %zu",
                 field->offset, needed);
        return fail_field(walk, FIRN_INVALID, message);
    }
    return FIRN_OK;
}

static firn_result check_fields(leaf_walk *walk, const firn_field *fields, uint32_t count,
                                size_t struct_size, leaf_facts *facts);

// Checks a nested struct that the path leads to.
static firn_result check_nested(leaf_walk *walk, const firn_field *field, leaf_facts *facts)
{
    firn_result result = check_fields(walk, field->fields, field->field_count, field->size, facts);
    if (result != FIRN_OK) {
        return result;
    }
    if (!facts->natural) {
        facts->align = 1; // packed
    }
    facts->leaves *= field->count == 0 ? 1 : field->count;
    return FIRN_OK;
}

// Checks the field that the path leads to.
static firn_result check_field(leaf_walk *walk, const firn_field *field, size_t struct_size,
                               leaf_facts *facts)
{
    firn_result result = check_field_shape(walk, field);
    if (result == FIRN_OK) {
        result = check_former_field_names(walk, field);
    }
    if (result != FIRN_OK) {
        return result;
    }
    bool nested = field->type == FIRN_NESTED;
    size_t size = nested                        ? field->size
                  : field->type == FIRN_POINTER ? sizeof(void *)
                                                : fr_type_size(field->type);
    result = check_field_place(walk, field, size, struct_size);
    if (result != FIRN_OK) {
        return result;
    }
    if (nested) {
        return check_nested(walk, field, facts);
    }
    *facts = (leaf_facts){memory_align_of(field->type), true, 1};
    return FIRN_OK;
}

static firn_result check_fields(leaf_walk *walk, const firn_field *fields, uint32_t count,
                                size_t struct_size, leaf_facts *facts)
{
    *facts = (leaf_facts){1, true, 0};
    for (uint32_t i = 0; i < count; i++) {
        const firn_field *field = &fields[i];
        firn_error why;
        if (check_field_name(field->name, "field name", walk->limits, &why) != FIRN_OK) {
            return fail_unnamed(walk, i, &why);
        }
        uint32_t depth = walk->path.depth++;
        walk->path.fields[depth] = field;
        leaf_facts of_field;
        firn_result result = check_field(walk, field, struct_size, &of_field);
        if (result == FIRN_OK && depth == 0) {
            result = check_field_align(walk, field, of_field.align);
        }
        // Overlapping fields could come to more leaves than the struct has bytes.
        facts->leaves += result == FIRN_OK ? of_field.leaves : 0;
        if (result == FIRN_OK && facts->leaves > FR_LEAVES_MAX) {
            result = fail_field(walk, FIRN_LIMIT, "the struct has more than 65536 leaf fields");
        }
        if (result != FIRN_OK) {
            return result;
        }
        walk->path.depth = depth;
        facts->natural = facts->natural && field->offset % of_field.align == 0;
        facts->align = of_field.align > facts->align ? of_field.align : facts->align;
    }
    facts->natural = facts->natural && struct_size % facts->align == 0;
    return FIRN_OK;
}

static firn_result check_struct(leaf_walk *walk, leaf_facts *facts)
{
    const firn_component_desc *desc = walk->desc;
    if (desc->fields == NULL || desc->field_count == 0) {
        return fr_fail(walk->err, FIRN_INVALID, desc->name,
                       "the component \"%s\" is a struct without fields", desc->name);
    }
    if (desc->size == 0) {
        return fr_fail(walk->err, FIRN_INVALID, desc->name,
                       "the component \"%s\" is a struct of size 0", desc->name);
    }
    if (desc->size > walk->limits->string_bytes || desc->size > UINT32_MAX) {
        return fr_fail(walk->err, FIRN_LIMIT, desc->name,
                       "the size of the component \"%s\", %zu bytes, is above the limit "
                       "string_bytes, %" PRIu64,
                       desc->name, desc->size, walk->limits->string_bytes);
    }
    if (desc->align > FR_CACHE_LINE || (desc->align & (desc->align - 1)) != 0) {
        return fr_fail(walk->err, FIRN_INVALID, desc->name,
                       "the alignment %zu of the component \"%s\" is not a power of two up to 64",
                       desc->align, desc->name);
    }
    firn_result result = check_fields(walk, desc->fields, desc->field_count, desc->size, facts);
    if (result != FIRN_OK) {
        return result;
    }
    size_t align = desc->align == 0 ? facts->align : desc->align;
    if (desc->size % align != 0) {
        return fr_fail(walk->err, FIRN_INVALID, desc->name,
                       "the size %zu of the component \"%s\" is not a multiple of its alignment "
                       "%zu",
                       desc->size, desc->name, align);
    }
    facts->align = align;
    return FIRN_OK;
}

// Steps path->former to the next choice of names; false after the last one.
static bool next_former_choice(leaf_path *path)
{
    for (uint32_t i = path->depth; i > 0; i--) {
        if (path->former[i - 1] < former_name_count(path->fields[i - 1])) {
            path->former[i - 1]++;
            return true;
        }
        path->former[i - 1] = 0;
    }
    return false;
}

// A copy of the name that the path's choices come to.
static firn_result copy_path_text(leaf_walk *walk, char **copy, uint32_t *copy_size)
{
    char name[PATH_BYTES];
    size_t size;
    bool fits = path_text(&walk->path, true, name, sizeof name, &size);
    if (!fits || size > walk->limits->name_bytes) {
        char message[128];
        snprintf(message, sizeof message,
                 "the full name of the field is longer than the %" PRIu32 " bytes allowed",
                 walk->limits->name_bytes);
        return fail_field(walk, FIRN_LIMIT, message);
    }
    *copy = fr_copy_text(walk->allocator, name, size);
    *copy_size = (uint32_t)size;
    return *copy == NULL ? fr_fail_memory(walk->err, "a field name") : FIRN_OK;
}

// Every name the leaf may have had: each struct around it by its name or a former one.
static firn_result make_former_names(leaf_walk *walk, fr_leaf *leaf)
{
    leaf_path *path = &walk->path;
    uint64_t choices = 1;
    for (uint32_t i = 0; i < path->depth && choices <= FR_FORMER_NAMES_MAX; i++) {
        choices *= 1 + (uint64_t)former_name_count(path->fields[i]);
    }
    if (choices == 1) {
        return FIRN_OK;
    }
    if (choices - 1 > FR_FORMER_NAMES_MAX) {
        return fail_field(walk, FIRN_LIMIT,
                          "the field and the structs around it have more than 64 former names");
    }
    leaf->former_count = (uint32_t)choices - 1;
    leaf->former_names =
        fr_alloc_zero(walk->allocator, leaf->former_count, sizeof(char *), alignof(char *));
    if (leaf->former_names == NULL) {
        return fr_fail_memory(walk->err, "former field names");
    }
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && next_former_choice(path); i++) {
        uint32_t size;
        result = copy_path_text(walk, &leaf->former_names[i], &size);
    }
    memset(path->former, 0, sizeof path->former);
    return result;
}

static firn_result make_leaf(leaf_walk *walk, const firn_field *field, size_t offset)
{
    fr_leaf *leaf = &walk->leaves[walk->count++];
    leaf->type = field->type;
    leaf->count = field->count;
    leaf->memory_offset = (uint32_t)(offset + field->offset);
    firn_result result = copy_path_text(walk, &leaf->name, &leaf->name_size);
    return result == FIRN_OK ? make_former_names(walk, leaf) : result;
}

// Makes the leaves of a struct that begins at `offset`. As deep as the checks allow.
static firn_result make_leaves(leaf_walk *walk, const firn_field *fields, uint32_t count,
                               size_t offset)
{
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; i < count && result == FIRN_OK; i++) {
        const firn_field *field = &fields[i];
        uint32_t depth = walk->path.depth++;
        walk->path.fields[depth] = field;
        if (field->type != FIRN_NESTED) {
            result = make_leaf(walk, field, offset);
        } else {
            uint32_t elements = field->count == 0 ? 1 : field->count;
            for (uint32_t e = 0; e < elements && result == FIRN_OK; e++) {
                walk->path.elements[depth] = e;
                result = make_leaves(walk, field->fields, field->field_count,
                                     offset + field->offset + e * field->size);
            }
        }
        walk->path.depth = depth;
    }
    return result;
}

firn_result fr_leaves_make(const firn_allocator *allocator, const firn_component_desc *desc,
                           const firn_limits *limits, fr_leaf **leaves, uint32_t *count,
                           uint32_t *align, firn_error *err)
{
    leaf_walk walk = {.allocator = allocator, .desc = desc, .limits = limits, .err = err};
    leaf_facts facts = {0};
    firn_result result = check_struct(&walk, &facts);
    if (result != FIRN_OK) {
        return result;
    }
    uint32_t total = (uint32_t)facts.leaves;
    walk.leaves = fr_alloc_zero(allocator, total, sizeof(fr_leaf), alignof(fr_leaf));
    if (walk.leaves == NULL) {
        return fr_fail_memory(err, "fields");
    }
    result = make_leaves(&walk, desc->fields, desc->field_count, 0);
    if (result != FIRN_OK) {
        fr_leaves_free(allocator, walk.leaves, total);
        return result;
    }
    *leaves = walk.leaves;
    *count = total;
    *align = (uint32_t)facts.align;
    return FIRN_OK;
}

void fr_leaves_free(const firn_allocator *allocator, fr_leaf *leaves, uint32_t count)
{
    for (uint32_t i = 0; leaves != NULL && i < count; i++) {
        fr_leaf *leaf = &leaves[i];
        fr_free_text(allocator, leaf->name);
        for (uint32_t f = 0; leaf->former_names != NULL && f < leaf->former_count; f++) {
            fr_free_text(allocator, leaf->former_names[f]);
        }
        fr_free(allocator, leaf->former_names, leaf->former_count, sizeof(char *), alignof(char *));
    }
    fr_free(allocator, leaves, count, sizeof(fr_leaf), alignof(fr_leaf));
}
