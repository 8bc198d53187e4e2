#include "firn/base.h"

uint32_t firn_version(void)
{
    return FIRN_VERSION_MAJOR * 1000000 + FIRN_VERSION_MINOR * 1000 + FIRN_VERSION_PATCH;
}
