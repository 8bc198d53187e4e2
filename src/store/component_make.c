// A component from its description.
#include "store/component.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/utf8.h"
#include "store/leaves.h"
#include "store/relation.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------- checks

static firn_result check_component_name(const char *name, const char *what,
                                        const firn_limits *limits, firn_error *err)
{
    firn_result result = fr_check_text_name(name, limits->name_bytes, what, NULL, err);
    if (result == FIRN_OK && strstr(name, "->") != NULL) {
        result = fr_fail(err, FIRN_INVALID, name,
                         "the %s \"%s\" has \"->\" in it, which stands between a relation and its "
                         "target",
                         what, name);
    }
    return result;
}

static const char *kind_text(firn_component_kind kind)
{
    switch (kind) {
    case FIRN_STRUCT:
        return "FIRN_STRUCT";
    case FIRN_BOOLEAN:
        return "FIRN_BOOLEAN";
    case FIRN_NUMBER:
        return "FIRN_NUMBER";
    case FIRN_STRING:
        return "FIRN_STRING";
    case FIRN_VALUE:
        return "FIRN_VALUE";
    case FIRN_TAG:
        return "FIRN_TAG";
    case FIRN_RELATION:
        return "FIRN_RELATION";
    }
    return NULL;
}

// Fails because the description has something that components of its kind do not take.
static firn_result fail_not_taken(const firn_component_desc *desc, const char *what,
                                  firn_error *err)
{
    return fr_fail(err, FIRN_INVALID, desc->name, "the component \"%s\" is a %s, which takes no %s",
                   desc->name, kind_text(desc->kind), what);
}

static firn_result check_kind(const firn_component_desc *desc, firn_error *err)
{
    firn_component_kind kind = desc->kind;
    if (kind_text(kind) == NULL) {
        return fr_fail(err, FIRN_INVALID, desc->name,
                       "the component \"%s\" has the unknown kind %d", desc->name, (int)kind);
    }
    const firn_hooks *hooks = &desc->hooks;
    bool has_hooks = hooks->init != NULL || hooks->drop != NULL || hooks->move != NULL;
    bool struct_row = kind == FIRN_STRUCT || kind == FIRN_RELATION;
    if (!struct_row && (desc->size != 0 || desc->align != 0)) {
        return fail_not_taken(desc, "size or align", err);
    }
    if (!struct_row && (desc->fields != NULL || desc->field_count != 0)) {
        return fail_not_taken(desc, "fields", err);
    }
    // A codec sees one edge a row, and a sparse relation of many targets has rows of several.
    bool many = (desc->relation & (FIRN_SPARSE | FIRN_EXCLUSIVE)) == FIRN_SPARSE;
    if ((!struct_row || many) && desc->codec != NULL) {
        return fail_not_taken(desc, "codec", err);
    }
    if (kind != FIRN_STRUCT && kind != FIRN_TAG && has_hooks) {
        return fail_not_taken(desc, "hooks", err);
    }
    bool plain_row = struct_row || kind == FIRN_BOOLEAN || kind == FIRN_NUMBER;
    if (!plain_row && desc->default_row != NULL) {
        return fail_not_taken(desc, "default_row", err);
    }
    bool value_row = kind == FIRN_STRING || kind == FIRN_VALUE;
    if (!value_row && desc->default_value != NULL) {
        return fail_not_taken(desc, "default_value", err);
    }
    if (kind != FIRN_RELATION && desc->relation != 0) {
        return fail_not_taken(desc, "relation", err);
    }
    if (kind != FIRN_STRING && desc->unique) {
        return fail_not_taken(desc, "unique", err);
    }
    if (desc->unique && desc->default_value != NULL && desc->default_value->length > 0) {
        return fr_fail(err, FIRN_INVALID, desc->name,
                       "the component \"%s\" is unique, so its default is the empty string",
                       desc->name);
    }
    return FIRN_OK;
}

static firn_result check_edge_struct(const firn_component_desc *desc, firn_error *err)
{
    if (desc->size == 0) {
        return desc->align == 0 && desc->field_count == 0 && desc->default_row == NULL
                   ? FIRN_OK
                   : fr_fail(err, FIRN_INVALID, desc->name,
                             "the relation \"%s\" has the size 0: it takes no align, fields or "
                             "default_row",
                             desc->name);
    }
    if (desc->size < sizeof(firn_entity) || desc->size > UINT32_MAX) {
        return fr_fail(err, FIRN_INVALID, desc->name,
                       "the relation \"%s\" has the size %zu: its struct begins with a firn_entity",
                       desc->name, desc->size);
    }
    for (uint32_t i = 0; desc->fields != NULL && i < desc->field_count; i++) {
        const char *name = desc->fields[i].name;
        if (desc->fields[i].offset < sizeof(firn_entity)) {
            char subject[FR_FIELD_SUBJECT_BYTES];
            return fr_fail(err, FIRN_INVALID,
                           fr_field_subject(subject, desc->name, name == NULL ? "" : name),
                           "the field \"%s\" stands at byte %zu, where the target is",
                           name == NULL ? "" : name, desc->fields[i].offset);
        }
    }
    return FIRN_OK;
}

static firn_result check_relation(const firn_component_desc *desc, firn_error *err)
{
    const uint32_t all = FIRN_SPARSE | FIRN_EXCLUSIVE | FIRN_REVERSE | FIRN_CASCADE;
    if (desc->kind != FIRN_RELATION) {
        return FIRN_OK;
    }
    if ((desc->relation & ~all) != 0) {
        return fr_fail(err, FIRN_INVALID, desc->name,
                       "the relation \"%s\" has unknown bits in relation: 0x%" PRIx32, desc->name,
                       desc->relation & ~all);
    }
    return check_edge_struct(desc, err);
}

static firn_result check_codec(const firn_component_desc *desc, firn_error *err)
{
    const firn_codec *codec = desc->codec;
    if (codec == NULL) {
        return FIRN_OK;
    }
    if (desc->transient) {
        return fr_fail(err, FIRN_INVALID, desc->name,
                       "the component \"%s\" is transient and has a codec, which would never run",
                       desc->name);
    }
    if (codec->abi == 0) {
        return fr_fail(err, FIRN_INVALID, desc->name,
                       "the codec of the component \"%s\" has the abi 0: it must be FIRN_ABI",
                       desc->name);
    }
    if (codec->abi > FIRN_ABI) {
        return fr_fail(err, FIRN_VERSION, desc->name,
                       "the codec of the component \"%s\" has the abi %" PRIu32
                       ", newer than this library's %u",
                       desc->name, codec->abi, FIRN_ABI);
    }
    const char *missing = codec->name == NULL     ? "name"
                          : codec->encode == NULL ? "encode"
                          : codec->decode == NULL ? "decode"
                                                  : NULL;
    if (missing != NULL) {
        return fr_fail(err, FIRN_INVALID, desc->name,
                       "the codec of the component \"%s\" has NULL for %s", desc->name, missing);
    }
    return FIRN_OK;
}

static firn_result check_former_names(const firn_component_desc *desc, const firn_limits *limits,
                                      firn_error *err)
{
    const char *const *names = desc->former_names;
    for (uint32_t i = 0; names != NULL && names[i] != NULL; i++) {
        if (i == FR_FORMER_NAMES_MAX) {
            return fr_fail(err, FIRN_LIMIT, desc->name,
                           "the component \"%s\" has more than 64 former names", desc->name);
        }
        firn_error why;
        if (check_component_name(names[i], "former component name", limits, &why) != FIRN_OK) {
            return fr_fail(err, why.code, desc->name, "%s", why.message);
        }
        bool repeated = strcmp(names[i], desc->name) == 0;
        for (uint32_t earlier = 0; earlier < i; earlier++) {
            repeated = repeated || strcmp(names[i], names[earlier]) == 0;
        }
        if (repeated) {
            return fr_fail(err, FIRN_INVALID, desc->name,
                           "the component \"%s\" has the name \"%s\" twice", desc->name, names[i]);
        }
    }
    return FIRN_OK;
}

static firn_result check_required(const fr_components *components, const firn_component_desc *desc,
                                  const uint32_t *required, firn_error *err)
{
    for (uint32_t i = 0; i < desc->required_count; i++) {
        if (components->items[required[i]]->kind == FIRN_RELATION) {
            return fr_fail(err, FIRN_INVALID, desc->name,
                           "the component \"%s\" requires %s, a relation, which needs a target",
                           desc->name, components->items[required[i]]->name);
        }
        if (strcmp(components->items[required[i]]->name, desc->name) == 0) {
            return fr_fail(err, FIRN_INVALID, desc->name, "the component \"%s\" requires itself",
                           desc->name);
        }
    }
    return FIRN_OK;
}

static firn_result check_description(const fr_components *components, const firn_limits *limits,
                                     const firn_component_desc *desc, const uint32_t *required,
                                     firn_error *err)
{
    firn_result result = check_component_name(desc->name, "component name", limits, err);
    if (result == FIRN_OK) {
        result = fr_check_reserved(desc->reserved, desc->name, err);
    }
    if (result == FIRN_OK) {
        result = check_kind(desc, err);
    }
    if (result == FIRN_OK) {
        result = check_relation(desc, err);
    }
    if (result == FIRN_OK) {
        result = check_codec(desc, err);
    }
    if (result == FIRN_OK) {
        result = check_former_names(desc, limits, err);
    }
    return result == FIRN_OK ? check_required(components, desc, required, err) : result;
}

// A struct that is saved must mean something to another process.
static firn_result check_pointers(const firn_component_desc *desc, const fr_layout *layout,
                                  firn_error *err)
{
    if (layout->leaf_count == 0 || layout->wire || desc->codec != NULL || desc->transient) {
        return FIRN_OK;
    }
    const fr_leaf *leaf = layout->leaves;
    while (leaf->type != FIRN_POINTER) {
        leaf++;
    }
    char subject[FR_FIELD_SUBJECT_BYTES];
    return fr_fail(err, FIRN_INVALID, fr_field_subject(subject, desc->name, leaf->name),
                   "the field \"%s\" is a pointer, which cannot be saved: the component needs a "
                   "codec, or must be transient",
                   leaf->name);
}

// ---------------------------------------------------------------- default rows

static firn_result check_default_bool(const firn_component_desc *desc, const char *subject,
                                      uint8_t byte, firn_error *err)
{
    if (byte <= 1) {
        return FIRN_OK;
    }
    return fr_fail(err, FIRN_INVALID, subject,
                   "the default row of the component \"%s\" has a bool of %u, neither 0 nor 1",
                   desc->name, byte);
}

// Field by field, so that padding is zero.
static firn_result copy_struct_default(const firn_component_desc *desc, fr_component *component,
                                       firn_error *err)
{
    const fr_layout *layout = &component->layout;
    size_t row;
    uint32_t leaf;
    if (!fr_layout_check_rows(layout, desc->default_row, 1, &row, &leaf)) {
        const fr_leaf *bad = &layout->leaves[leaf];
        const uint8_t *byte = (const uint8_t *)desc->default_row + bad->memory_offset;
        while (*byte <= 1) {
            byte++;
        }
        char subject[FR_FIELD_SUBJECT_BYTES];
        return check_default_bool(desc, fr_field_subject(subject, desc->name, bad->name), *byte,
                                  err);
    }
    for (uint32_t i = 0; i < layout->leaf_count; i++) {
        const fr_leaf *copied = &layout->leaves[i];
        memcpy((uint8_t *)component->default_row + copied->memory_offset,
               (const uint8_t *)desc->default_row + copied->memory_offset, fr_leaf_size(copied));
    }
    return FIRN_OK;
}

static firn_result copy_plain_default(const firn_component_desc *desc, fr_component *component,
                                      firn_error *err)
{
    if (desc->default_row == NULL) {
        return FIRN_OK;
    }
    if (component->kind == FIRN_STRUCT || component->kind == FIRN_RELATION) {
        return copy_struct_default(desc, component, err);
    }
    memcpy(component->default_row, desc->default_row, component->stride);
    if (component->kind == FIRN_NUMBER) {
        return FIRN_OK;
    }
    return check_default_bool(desc, desc->name, *(const uint8_t *)component->default_row, err);
}

// Encodes the default of a string or value into `encoded`.
static firn_result encode_default(const firn_component_desc *desc, const firn_limits *limits,
                                  firn_buffer *encoded, firn_error *err)
{
    if (desc->default_value == NULL) {
        firn_writer writer;
        firn_writer_begin(&writer, encoded, limits);
        if (desc->kind == FIRN_STRING) {
            firn_write_string(&writer, "", 0);
        } else {
            firn_write_table(&writer, 0, 0);
        }
        return firn_writer_end(&writer, err);
    }
    firn_value_kind kind = desc->default_value->kind;
    if (desc->kind == FIRN_STRING && kind != FIRN_VALUE_STRING) {
        return fr_fail(err, FIRN_INVALID, desc->name,
                       "the default value of the component \"%s\" is no string", desc->name);
    }
    if (kind == FIRN_VALUE_NIL) {
        return fr_fail(err, FIRN_INVALID, desc->name,
                       "the default value of the component \"%s\" is nil", desc->name);
    }
    firn_error why;
    firn_result result = firn_value_encode(desc->default_value, limits, encoded, &why);
    if (result != FIRN_OK) {
        // The subject of `why` is the path to the place in the value, like `.items[3]`.
        char text[2 * FR_FIELD_SUBJECT_BYTES];
        snprintf(text, sizeof text, "%s%s", desc->name, why.subject);
        return fr_fail(err, result, text, "%s", why.message);
    }
    return FIRN_OK;
}

static firn_result copy_value_default(const firn_allocator *allocator,
                                      const firn_component_desc *desc, const firn_limits *limits,
                                      fr_component *component, firn_error *err)
{
    firn_buffer encoded;
    firn_buffer_init(&encoded, allocator);
    firn_result result = encode_default(desc, limits, &encoded, err);
    if (result == FIRN_OK && encoded.size > UINT32_MAX) {
        result = fr_fail(err, FIRN_LIMIT, desc->name,
                         "the default value of the component \"%s\" has %zu bytes, more than 4 GiB",
                         desc->name, encoded.size);
    }
    if (result == FIRN_OK &&
        !fr_blob_make(allocator, encoded.data, (uint32_t)encoded.size, component->default_row)) {
        result = fr_fail_memory(err, "a default value");
    }
    firn_buffer_free(&encoded);
    return result;
}

static firn_result make_default(const firn_allocator *allocator, const firn_component_desc *desc,
                                const firn_limits *limits, fr_component *component, firn_error *err)
{
    if (component->stride == 0) {
        return FIRN_OK;
    }
    uint32_t size = fr_component_default_size(component);
    component->default_row = fr_alloc_zero(allocator, size, 1, component->align);
    if (component->default_row == NULL) {
        return fr_fail_memory(err, "a default row");
    }
    bool value_row = component->kind == FIRN_STRING || component->kind == FIRN_VALUE;
    firn_result result = value_row ? copy_value_default(allocator, desc, limits, component, err)
                                   : copy_plain_default(desc, component, err);
    const uint8_t *bytes = component->default_row;
    component->default_zero = true;
    for (uint32_t i = 0; i < size; i++) {
        component->default_zero = component->default_zero && bytes[i] == 0;
    }
    return result;
}

// ---------------------------------------------------------------- parts

static firn_result copy_former_names(const firn_allocator *allocator,
                                     const firn_component_desc *desc, fr_component *component,
                                     firn_error *err)
{
    uint32_t count = 0;
    while (desc->former_names != NULL && desc->former_names[count] != NULL) {
        count++;
    }
    if (count == 0) {
        return FIRN_OK;
    }
    component->former_names = fr_alloc_zero(allocator, count, sizeof(char *), alignof(char *));
    if (component->former_names == NULL) {
        return fr_fail_memory(err, "former names");
    }
    component->former_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const char *name = desc->former_names[i];
        component->former_names[i] = fr_copy_text(allocator, name, strlen(name));
        if (component->former_names[i] == NULL) {
            return fr_fail_memory(err, "former names");
        }
    }
    return FIRN_OK;
}

// Adds an index to a sorted set that has room for it.
static void add_required(fr_component *component, uint32_t index)
{
    uint32_t at = component->required_count;
    while (at > 0 && component->required[at - 1] > index) {
        at--;
    }
    if (at > 0 && component->required[at - 1] == index) {
        return;
    }
    memmove(&component->required[at + 1], &component->required[at],
            (component->required_count - at) * sizeof *component->required);
    component->required[at] = index;
    component->required_count++;
}

static firn_result close_required(const firn_allocator *allocator, const fr_components *components,
                                  const firn_component_desc *desc, const uint32_t *required,
                                  fr_component *component, firn_error *err)
{
    size_t room = 0;
    for (uint32_t i = 0; i < desc->required_count; i++) {
        room += 1 + (size_t)components->items[required[i]]->required_count;
    }
    if (room == 0) {
        return FIRN_OK;
    }
    // No set has more members than there are components.
    room = room < components->count ? room : components->count;
    component->required = fr_alloc(allocator, room, sizeof(uint32_t), alignof(uint32_t));
    if (component->required == NULL) {
        return fr_fail_memory(err, "required components");
    }
    component->required_capacity = (uint32_t)room;
    for (uint32_t i = 0; i < desc->required_count; i++) {
        const fr_component *other = components->items[required[i]];
        add_required(component, other->index);
        for (uint32_t r = 0; r < other->required_count; r++) {
            add_required(component, other->required[r]);
        }
    }
    return FIRN_OK;
}

static void set_edge_shape(fr_component *component)
{
    const fr_layout *layout = &component->layout;
    bool many = (component->relation & (FIRN_SPARSE | FIRN_EXCLUSIVE)) == FIRN_SPARSE;
    component->stride = many ? (uint32_t)sizeof(fr_edges) : component->edge_stride;
    component->align = layout->memory_align > alignof(fr_edges) ? layout->memory_align
                                                                : (uint32_t)alignof(fr_edges);
    component->reverse.listed = (component->relation & FIRN_REVERSE) != 0;
    component->reverse.exclusive = (component->relation & FIRN_EXCLUSIVE) != 0;
    component->new_reverse = component->reverse;
}

static void set_shape(fr_component *component)
{
    switch (component->kind) {
    case FIRN_STRUCT:
        component->stride = component->layout.memory_size;
        component->align = component->layout.memory_align;
        break;
    case FIRN_BOOLEAN:
        component->stride = sizeof(bool);
        component->align = alignof(bool);
        break;
    case FIRN_NUMBER:
        component->stride = sizeof(double);
        component->align = alignof(double);
        break;
    case FIRN_STRING:
    case FIRN_VALUE:
        component->stride = sizeof(fr_blob);
        component->align = alignof(fr_blob);
        break;
    case FIRN_TAG:
        component->align = 1;
        break;
    case FIRN_RELATION:
        set_edge_shape(component);
        break;
    }
}

// Makes what the component owns; it can be destroyed whatever this returns.
static firn_result make_component_parts(const firn_allocator *allocator,
                                        const fr_components *components, const firn_limits *limits,
                                        const firn_component_desc *desc, const uint32_t *required,
                                        fr_component *component, firn_error *err)
{
    component->name_size = (uint32_t)strlen(desc->name);
    component->name = fr_copy_text(allocator, desc->name, component->name_size);
    if (component->name == NULL) {
        return fr_fail_memory(err, "a component name");
    }
    firn_result result = FIRN_OK;
    if (desc->kind == FIRN_RELATION) {
        component->edge_stride =
            desc->size == 0 ? (uint32_t)sizeof(firn_entity) : (uint32_t)desc->size;
    }
    if (desc->kind == FIRN_STRUCT || desc->field_count > 0 || desc->size > sizeof(firn_entity)) {
        result = fr_layout_make(allocator, desc, limits, &component->layout, err);
        if (result == FIRN_OK) {
            result = check_pointers(desc, &component->layout, err);
        }
    }
    set_shape(component);
    if (result == FIRN_OK) {
        result = make_default(allocator, desc, limits, component, err);
    }
    if (result == FIRN_OK) {
        result = copy_former_names(allocator, desc, component, err);
    }
    if (result == FIRN_OK) {
        result = close_required(allocator, components, desc, required, component, err);
    }
    return result;
}

firn_result fr_component_make(const firn_allocator *allocator, const fr_components *components,
                              const firn_limits *limits, const firn_component_desc *desc,
                              const uint32_t *required, fr_component **out, firn_error *err)
{
    firn_result result = check_description(components, limits, desc, required, err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_component *made = fr_alloc_zero(allocator, 1, sizeof *made, alignof(fr_component));
    if (made == NULL) {
        return fr_fail_memory(err, "a component");
    }
    made->kind = desc->kind;
    made->transient = desc->transient;
    made->unique = desc->unique;
    made->relation = desc->relation;
    if ((made->relation & FIRN_CASCADE) != 0) {
        made->relation |= FIRN_REVERSE;
    }
    made->has_codec = desc->codec != NULL;
    made->raw = desc->kind == FIRN_STRUCT && !made->has_codec && !made->transient;
    made->hooks = desc->hooks;
    if (made->has_codec) {
        made->codec = *desc->codec;
    }
    result = make_component_parts(allocator, components, limits, desc, required, made, err);
    if (result != FIRN_OK) {
        fr_component_destroy(allocator, made);
        return result;
    }
    *out = made;
    return FIRN_OK;
}

void fr_component_destroy(const firn_allocator *allocator, fr_component *component)
{
    if (component->default_row != NULL) {
        if (component->kind == FIRN_STRING || component->kind == FIRN_VALUE) {
            fr_blob_free(allocator, component->default_row, 1);
        }
        fr_free(allocator, component->default_row, fr_component_default_size(component), 1,
                component->align);
    }
    fr_reverse_free(allocator, &component->reverse);
    fr_reverse_free(allocator, &component->new_reverse);
    fr_map_free(allocator, &component->keys);
    fr_map_free(allocator, &component->new_keys);
    fr_layout_free(allocator, &component->layout);
    fr_free_text(allocator, component->name);
    fr_free(allocator, component->fingerprint, (size_t)component->fingerprint_size + 1, 1, 1);
    for (uint32_t i = 0; i < component->former_count; i++) {
        fr_free_text(allocator, component->former_names[i]);
    }
    fr_free(allocator, component->former_names, component->former_count, sizeof(char *),
            alignof(char *));
    fr_free(allocator, component->required, component->required_capacity, sizeof(uint32_t),
            alignof(uint32_t));
    fr_free(allocator, component, 1, sizeof *component, alignof(fr_component));
}
