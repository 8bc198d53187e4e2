include(unit/store_layout.cmake)
include(unit/store_world.cmake)
firn_test(store_blob unit/store_blob.c)
