#include "firn/json.h"

bool firn_json_available(void)
{
#ifdef FIRN_JSON
    return true;
#else
    return false;
#endif
}
