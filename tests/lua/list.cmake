# Against a real LuaJIT, where there is one.

# firn_luajit_test(name lua/x.c ...): a test with a LuaJIT inside; skipped without one.
function(firn_luajit_test name)
  if(FIRN_LUAJIT_FOUND)
    firn_test(${name} ${ARGN})
    target_compile_definitions(${name} PRIVATE FIRN_TEST_LUA="${PROJECT_SOURCE_DIR}/tests/lua")
    target_link_libraries(${name} PRIVATE PkgConfig::FIRN_LUAJIT)
  else()
    add_test(NAME ${name} COMMAND sh -c
      "echo 'SKIP ${name}: there is no LuaJIT for this build, as of the Debian package libluajit-5.1-dev'; exit 77")
  endif()
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()

firn_luajit_test(value_luajit lua/value_luajit.c unit/value_trees.c)
firn_luajit_test(snapshot_luajit lua/snapshot_luajit.c golden/firn_worlds.c)

# The Lua binding: each file runs in a plain luajit, with the JIT compiler on and off. A sanitizer's
# runtime has to be there before luajit starts.
if(FIRN_BUILD_LUA)
  firn_luajit_test(event_luajit lua/event_luajit.c)
  target_sources(event_luajit PRIVATE $<TARGET_OBJECTS:firn_lua>)
  target_compile_definitions(event_luajit PRIVATE FIRN_TEST_LUA_BUILT="${PROJECT_BINARY_DIR}/lua")
  add_dependencies(event_luajit firn_lua_files)
  set(firn_lua_environment
    "LUA_PATH=${PROJECT_BINARY_DIR}/lua/?.lua\;${PROJECT_SOURCE_DIR}/tests/lua/?.lua"
    "LUA_CPATH=${PROJECT_BINARY_DIR}/lua/?.so"
    "FIRN_TEST_DATA=${PROJECT_SOURCE_DIR}/tests/golden")
  if(FIRN_SANITIZE)
    if(CMAKE_C_COMPILER_ID STREQUAL Clang)
      set(firn_asan libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so)
    else()
      set(firn_asan libasan.so)
    endif()
    execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=${firn_asan}
      OUTPUT_VARIABLE firn_asan OUTPUT_STRIP_TRAILING_WHITESPACE)
    # LuaJIT keeps what it has until the process ends; leaks of firn are counted by the tests.
    list(APPEND firn_lua_environment "LD_PRELOAD=${firn_asan}" "ASAN_OPTIONS=detect_leaks=0")
  endif()

  # firn_lua_test(name script ...): a script in a plain luajit with these arguments.
  function(firn_lua_test name)
    add_test(NAME lua_${name} COMMAND ${FIRN_LUAJIT} ${ARGN})
    set_tests_properties(lua_${name} PROPERTIES LABELS unit TIMEOUT 600
      ENVIRONMENT "${firn_lua_environment}")
  endfunction()

  set(firn_lua_tests ${PROJECT_SOURCE_DIR}/tests/lua)
  foreach(name
      bus
      bytes
      class
      codec
      component
      diff
      engine
      entity
      event
      game
      levels
      lifecycle
      memory
      persist
      query
      relation
      rows
      saves
      saves_between
      scene
      snapshot
      script
      storage
      table
      tecs
      value
      world)
    foreach(jit on off)
      firn_lua_test(${name}_jit_${jit} -j${jit}
        ${firn_lua_tests}/run.lua ${firn_lua_tests}/binding_${name}.lua)
    endforeach()
    firn_lua_test(${name}_stress
      ${firn_lua_tests}/run.lua --stress ${firn_lua_tests}/binding_${name}.lua)
  endforeach()
  firn_lua_test(declarations ${firn_lua_tests}/run.lua ${firn_lua_tests}/binding_declarations.lua)
  # The binding makes no callbacks of the FFI.
  foreach(name codec event game lifecycle saves storage tecs)
    firn_lua_test(${name}_callbacks
      ${firn_lua_tests}/run.lua --callbacks ${firn_lua_tests}/binding_${name}.lua)
  endforeach()
  foreach(jit on off)
    foreach(name docs reference)
      firn_lua_test(${name}_jit_${jit} -j${jit}
        ${firn_lua_tests}/run.lua ${firn_lua_tests}/${name}.lua)
    endforeach()
  endforeach()
  add_test(NAME lua_adventure COMMAND ${FIRN_PYTHON} ${PROJECT_SOURCE_DIR}/examples/check.py adventure
    ${PROJECT_SOURCE_DIR}/examples/adventure/adventure.lua ${FIRN_LUAJIT} ${firn_lua_environment})
  set_tests_properties(lua_adventure PROPERTIES LABELS example TIMEOUT 600)
  add_test(NAME lua_dungeon COMMAND ${FIRN_PYTHON} ${PROJECT_SOURCE_DIR}/examples/check.py story
    ${PROJECT_SOURCE_DIR}/examples/11_dungeon.c ${PROJECT_SOURCE_DIR}/examples/dungeon/dungeon.lua
    ${FIRN_LUAJIT} ${firn_lua_environment})
  set_tests_properties(lua_dungeon PROPERTIES LABELS example)
  firn_lua_test(readme ${firn_lua_tests}/readme.lua ${PROJECT_SOURCE_DIR}/README.md)
  if(NOT FIRN_SANITIZE) # it is a build of its own, so once is enough
    add_test(NAME lua_rockspec COMMAND ${FIRN_PYTHON} ${firn_lua_tests}/rockspec.py
      ${PROJECT_SOURCE_DIR} ${FIRN_LUAJIT})
    set_tests_properties(lua_rockspec PROPERTIES LABELS package)
  endif()
endif()
