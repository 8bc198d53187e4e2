// What the description of a component may say.
#include "store/component.h"

#include "base/error.h"
#include "base/utf8.h"
#include "store/leaves.h"

#include <inttypes.h>
#include <string.h>

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

firn_result fr_component_check(const fr_components *components, const firn_limits *limits,
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
