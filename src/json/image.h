/// image.h: what the export and the import of snapshots share.
#ifndef FR_JSON_IMAGE_H
#define FR_JSON_IMAGE_H

#include "firn/json.h"

/// Of the lines; stands in the header.
#define FR_JSON_FORMAT 1

/// firn_json_options, resolved.
typedef struct fr_json_setting {
    firn_limits limits;
    firn_allocator allocator;
} fr_json_setting;

/// FIRN_UNSUPPORTED in a build without jansson, FIRN_INVALID.
firn_result fr_json_resolve(const firn_json_options *options, fr_json_setting *out,
                            firn_error *err);

#endif
