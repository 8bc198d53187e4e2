#include "base/error.h"

#include <inttypes.h>

#define LIMIT_MI (UINT64_C(1) << 20)

// Every limit: its name, its default, the one for strangers, the most allowed.
#define FIRN_LIMITS(X)                                                                             \
    X(file_bytes, 256 * LIMIT_MI, 64 * LIMIT_MI, UINT64_MAX)                                       \
    X(tree_values, 16 * LIMIT_MI, LIMIT_MI, UINT64_MAX)                                            \
    X(string_bytes, 16 * LIMIT_MI, LIMIT_MI, UINT64_MAX)                                           \
    X(depth, 100, 32, 100)                                                                         \
    X(name_bytes, 255, 255, 255)                                                                   \
    X(entities, FIRN_SLOT_MAX, LIMIT_MI, FIRN_SLOT_MAX)                                            \
    X(components, 4096, 1024, LIMIT_MI - 1)                                                        \
    X(table_entries, 262144, 65536, UINT32_MAX)                                                    \
    X(archetypes, 262144, 65536, 262144)                                                           \
    X(columns, 512, 128, UINT32_MAX)                                                               \
    X(data_keys, 4096, 1024, UINT32_MAX)                                                           \
    X(handlers, 1024, 1024, UINT32_MAX)                                                            \
    X(streams, 65536, 4096, LIMIT_MI - 1)                                                          \
    X(window_log, 23, 21, 30)                                                                      \
    X(expand_ratio, 1000, 250, UINT32_MAX)                                                         \
    X(expanded_bytes, 1024 * LIMIT_MI, 256 * LIMIT_MI, UINT64_MAX)

void firn_limits_default(firn_limits *out)
{
    if (out == NULL) {
        return;
    }
    *out = (firn_limits){
#define LIMIT_DEFAULT(name, normal, untrusted, most) .name = normal,
        FIRN_LIMITS(LIMIT_DEFAULT)
#undef LIMIT_DEFAULT
    };
}

void firn_limits_untrusted(firn_limits *out)
{
    if (out == NULL) {
        return;
    }
    *out = (firn_limits){
#define LIMIT_UNTRUSTED(name, normal, untrusted, most) .name = untrusted,
        FIRN_LIMITS(LIMIT_UNTRUSTED)
#undef LIMIT_UNTRUSTED
    };
}

static firn_result check_limit(uint64_t value, uint64_t most, const char *name, firn_error *err)
{
    if (value > most) {
        return fr_fail(err, FIRN_INVALID, name,
                       "the limit %s is %" PRIu64 ", more than the %" PRIu64 " allowed", name,
                       value, most);
    }
    return FIRN_OK;
}

void fr_limits_wide(const firn_limits *limits, firn_limits *out)
{
    firn_limits defaults;
    firn_limits_default(&defaults);
    *out = *limits;
    out->depth = limits->depth > defaults.depth ? limits->depth : defaults.depth;
    out->tree_values =
        limits->tree_values > defaults.tree_values ? limits->tree_values : defaults.tree_values;
    out->string_bytes =
        limits->string_bytes > defaults.string_bytes ? limits->string_bytes : defaults.string_bytes;
}

void fr_limits_lower(firn_limits *limits, const firn_limits *other)
{
#define LIMIT_LOWER(name, normal, untrusted, most)                                                 \
    if (other->name < limits->name) {                                                              \
        limits->name = other->name;                                                                \
    }
    FIRN_LIMITS(LIMIT_LOWER)
#undef LIMIT_LOWER
}

firn_result fr_limits_resolve(const firn_limits *limits, firn_limits *out, firn_error *err)
{
    if (limits == NULL) {
        firn_limits_default(out);
        return FIRN_OK;
    }
    firn_limits resolved;
    firn_limits_default(&resolved);
    firn_result result = fr_check_reserved(limits->reserved, "firn_limits", err);
#define LIMIT_RESOLVE(name, normal, untrusted, most)                                               \
    if (result == FIRN_OK && limits->name != 0) {                                                  \
        result = check_limit(limits->name, most, #name, err);                                      \
        resolved.name = limits->name;                                                              \
    }
    FIRN_LIMITS(LIMIT_RESOLVE)
#undef LIMIT_RESOLVE
    if (result == FIRN_OK) {
        *out = resolved;
    }
    return result;
}
