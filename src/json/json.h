/// json.h: whether this build can.
#ifndef FR_JSON_H
#define FR_JSON_H

#include "firn/base.h"

/// FIRN_UNSUPPORTED in a build without jansson.
firn_result fr_json_supported(firn_error *err);

#endif
