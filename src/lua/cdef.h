// cdef.h: what cdef.lua turns into declarations for the FFI.
#include "firn/firn.h"
#include "lua/fast.h"
