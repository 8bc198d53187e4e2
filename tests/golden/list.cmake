find_path(FIRN_JANSSON_INCLUDE_DIR jansson.h)
find_library(FIRN_JANSSON_LIBRARY jansson)
if(NOT FIRN_JANSSON_INCLUDE_DIR OR NOT FIRN_JANSSON_LIBRARY)
  message(FATAL_ERROR "the tests of firn need jansson: install the Debian package libjansson-dev, "
    "or set FIRN_BUILD_TESTS to OFF")
endif()

foreach(name tecs_test tecs_game_test tecs_images tecs_rewrites tecs_tables)
  firn_test(${name} golden/${name}.c
    golden/tecs_codecs.c golden/tecs_components.c golden/tecs_expect.c golden/tecs_loaded.c)
  target_include_directories(${name} SYSTEM PRIVATE ${FIRN_JANSSON_INCLUDE_DIR})
  target_link_libraries(${name} PRIVATE ${FIRN_JANSSON_LIBRARY})
endforeach()

firn_test(firn_dialects golden/firn_dialects.c golden/firn_build.c)
firn_test(firn_images golden/firn_images.c golden/firn_worlds.c)
firn_test(firn_errors golden/firn_errors.c golden/bad_images.c golden/firn_worlds.c)
firn_test(firn_loads golden/firn_loads.c golden/firn_build.c golden/firn_worlds.c)
firn_test(firn_readings golden/firn_readings.c golden/firn_build.c)
firn_test(firn_schemas golden/firn_schemas.c golden/firn_build.c)
firn_test(firn_save_files golden/firn_save_files.c golden/firn_saves.c)
firn_test(migration_test golden/migration_test.c)
firn_test(json_images golden/json_images.c api/json_lines.c golden/firn_worlds.c)
