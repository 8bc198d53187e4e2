add_executable(windows_driver windows/driver.c golden/firn_worlds.c)
set_target_properties(windows_driver PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON)
target_include_directories(windows_driver PRIVATE
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
target_compile_definitions(windows_driver PRIVATE __USE_MINGW_ANSI_STDIO=1
  FIRN_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/golden")
target_compile_options(windows_driver PRIVATE ${FIRN_FLOAT_OPTIONS})
target_link_libraries(windows_driver PRIVATE firn firn_dev)
add_test(NAME windows_driver
  COMMAND ${FIRN_TEST_LAUNCHER} $<TARGET_FILE:windows_driver> windows_driver_files)
set_tests_properties(windows_driver PROPERTIES LABELS unit TIMEOUT 600)

# The tool: arguments that are UTF-8, binary streams, files that are replaced.
if(FIRN_BUILD_TOOL)
  add_test(NAME windows_tool COMMAND ${CMAKE_COMMAND}
    "-DFIRN=${FIRN_TEST_LAUNCHER};$<TARGET_FILE:firn_tool>"
    "-DGOLDEN=${PROJECT_SOURCE_DIR}/tests/golden" "-DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/windows_tool"
    -P ${CMAKE_CURRENT_SOURCE_DIR}/windows/tool.cmake)
  set_tests_properties(windows_tool PROPERTIES LABELS cli TIMEOUT 600)
endif()
