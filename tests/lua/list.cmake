# Against a real LuaJIT, where there is one.
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND AND NOT CMAKE_CROSSCOMPILING)
  pkg_check_modules(FIRN_LUAJIT QUIET IMPORTED_TARGET luajit)
endif()

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
