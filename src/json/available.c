#include "base/error.h"
#include "firn/json.h"
#include "json/json.h"

bool firn_json_available(void)
{
#ifdef FIRN_JSON
    return true;
#else
    return false;
#endif
}

firn_result fr_json_supported(firn_error *err)
{
    if (firn_json_available()) {
        return FIRN_OK;
    }
    return fr_fail(err, FIRN_UNSUPPORTED, "JSON", "this build of firn has no JSON");
}
