#include "base/alloc.h"
#include "base/error.h"
#include "json/image.h"
#include "json/json.h"

firn_result fr_json_resolve(const firn_json_options *options, fr_json_setting *out, firn_error *err)
{
    const firn_json_options defaults = {0};
    if (options == NULL) {
        options = &defaults;
    }
    firn_result result = fr_json_supported(err);
    if (result == FIRN_OK) {
        result = fr_check_reserved(options->reserved, "firn_json_options.reserved", err);
    }
    if (result == FIRN_OK) {
        result = fr_allocator_check(options->allocator, err);
    }
    if (result == FIRN_OK) {
        result = fr_limits_resolve(options->limits, &out->limits, err);
    }
    out->allocator = options->allocator ? *options->allocator : *firn_allocator_default();
    return result;
}
