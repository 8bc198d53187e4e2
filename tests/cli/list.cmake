# The tool, called in process.
if(NOT FIRN_BUILD_TOOL)
  message(STATUS "SKIP: the tool is not built")
  return()
endif()

add_library(firn_cli_support STATIC cli/run.c $<TARGET_OBJECTS:firn_cli>)
firn_test_settings(firn_cli_support)
target_compile_definitions(firn_cli_support PRIVATE
  FIRN_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/golden")
target_link_libraries(firn_cli_support PRIVATE firn_test_support firn_whole)

# firn_cli_test(name SOURCE...): tests/cli/name.c and sources below tests, as the test cli_name.
function(firn_cli_test name)
  firn_test(cli_${name} cli/${name}.c ${ARGN})
  target_link_libraries(cli_${name} PRIVATE firn_cli_support)
endfunction()

firn_cli_test(tool)
firn_cli_test(hash golden/firn_worlds.c)
firn_cli_test(verify golden/bad_images.c)
firn_cli_test(info)
firn_cli_test(golden)
