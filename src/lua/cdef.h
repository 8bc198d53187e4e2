// cdef.h: what cdef.lua turns into declarations for the FFI.
#include "firn/firn.h"
#include "lua/fast.h"

enum {
    firn_lua_declared =
        FIRN_VERSION_MAJOR * 1000000 + FIRN_VERSION_MINOR * 1000 + FIRN_VERSION_PATCH
};
