/// firn/json.h: values, snapshots and save files as JSON text and back, without loss. In a build
/// without jansson every function but firn_json_available is FIRN_UNSUPPORTED.
#ifndef FIRN_JSON_H
#define FIRN_JSON_H

#include "firn/image.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Whether this build has JSON.
FIRN_API bool firn_json_available(void);

#ifdef __cplusplus
}
#endif

#endif
