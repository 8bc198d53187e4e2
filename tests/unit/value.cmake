# Test programs with the tree helpers.
foreach(name
    value_canonical value_changing value_check value_damage value_encode value_format value_memory value_reader
    value_table value_vectors value_writer)
  firn_test(${name} unit/${name}.c unit/value_trees.c)
endforeach()

# Against a real LuaJIT, where there is one.
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND AND NOT CMAKE_CROSSCOMPILING)
  pkg_check_modules(FIRN_LUAJIT QUIET IMPORTED_TARGET luajit)
endif()
if(FIRN_LUAJIT_FOUND)
  firn_test(value_luajit lua/value_luajit.c unit/value_trees.c)
  target_compile_definitions(value_luajit PRIVATE FIRN_TEST_LUA="${CMAKE_CURRENT_SOURCE_DIR}/lua")
  target_link_libraries(value_luajit PRIVATE PkgConfig::FIRN_LUAJIT)
else()
  add_test(NAME value_luajit
    COMMAND sh -c "echo 'SKIP value_luajit: there is no LuaJIT for this build, as of the Debian package libluajit-5.1-dev'; exit 77")
endif()
set_tests_properties(value_luajit PROPERTIES SKIP_RETURN_CODE 77)
