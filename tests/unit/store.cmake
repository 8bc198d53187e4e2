include(unit/store_layout.cmake)
include(unit/store_world.cmake)
