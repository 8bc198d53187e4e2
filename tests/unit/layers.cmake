# The rules that the folders promise: see layers.py.
if(CMAKE_CROSSCOMPILING)
  message(STATUS "SKIP: layers, package and LuaJIT are checked where the library is built for")
  return()
endif()

find_program(FIRN_PYTHON python3)
if(NOT FIRN_PYTHON)
  message(FATAL_ERROR "the tests of firn need python3: install the Debian package python3")
endif()

set(room_objects)
set(room_sources)
foreach(room IN LISTS FIRN_ROOMS)
  list(APPEND room_objects "${room}=$<JOIN:$<TARGET_OBJECTS:firn_${room}>,,>")
  get_target_property(sources firn_${room} SOURCES)
  list(JOIN sources "," sources)
  list(APPEND room_sources "${room}=${sources}")
endforeach()

# Binding and tool are no part of the library, and of no amalgamation.
set(all_objects ${room_objects})
if(FIRN_BUILD_LUA)
  list(APPEND all_objects "lua=$<JOIN:$<TARGET_OBJECTS:firn_lua>,,>")
endif()
if(FIRN_BUILD_TOOL)
  list(APPEND all_objects "cli=$<JOIN:$<TARGET_OBJECTS:firn_cli>,,>")
endif()

function(firn_layer_test check)
  add_test(NAME layers_${check} COMMAND ${FIRN_PYTHON}
    ${PROJECT_SOURCE_DIR}/tests/unit/layers.py ${check} ${PROJECT_SOURCE_DIR} ${ARGN})
  set_tests_properties(layers_${check} PROPERTIES LABELS unit)
endfunction()

firn_layer_test(includes)
firn_layer_test(sizes)
firn_layer_test(statics)
firn_layer_test(one_file ${room_sources} --cc ${CMAKE_C_COMPILER})
firn_layer_test(calls ${all_objects})
firn_layer_test(names ${all_objects})
if(NOT FIRN_SANITIZE) # sanitizers keep notes in .data
  firn_layer_test(constants ${all_objects})
endif()
firn_layer_test(public ${room_objects})
if(BUILD_SHARED_LIBS)
  firn_layer_test(exports --library $<TARGET_FILE:firn> --soname
    libfirn.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endif()

set(readme_flags "")
if(FIRN_SANITIZE)
  set(readme_flags -fsanitize=${FIRN_SANITIZE})
endif()
firn_layer_test(readme --cc ${CMAKE_C_COMPILER} "--flags=${readme_flags}"
  --library $<TARGET_FILE:firn_whole>)

if(FIRN_INSTALL AND NOT FIRN_SANITIZE)
  set(luajit)
  if(FIRN_BUILD_LUA)
    set(luajit ${FIRN_LUAJIT})
  endif()
  add_test(NAME package COMMAND ${FIRN_PYTHON} ${PROJECT_SOURCE_DIR}/tests/unit/package.py
    ${PROJECT_BINARY_DIR} ${CMAKE_COMMAND} ${CMAKE_C_COMPILER} ${PROJECT_VERSION}
    $<IF:$<BOOL:${BUILD_SHARED_LIBS}>,shared,static> ${luajit})
  set_tests_properties(package PROPERTIES LABELS unit)
endif()

# With each compiler that is there, so once is enough.
if(NOT FIRN_SANITIZE)
  add_test(NAME amalgamation COMMAND ${FIRN_PYTHON} ${PROJECT_SOURCE_DIR}/tests/unit/amalgamation.py
    ${FIRN_XXHASH_INCLUDE_DIR} ${FIRN_CMOCKA_INCLUDE_DIR} ${FIRN_CMOCKA_LIBRARY})
  set_tests_properties(amalgamation PROPERTIES LABELS amalgamation)
endif()
