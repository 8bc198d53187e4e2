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
firn_cli_test(verify cli/golden_files.c golden/bad_images.c)
firn_cli_test(info)
firn_cli_test(report cli/report_scene.c)
firn_cli_test(report_parts)
firn_cli_test(migrate)
firn_cli_test(salvage)
firn_cli_test(salvage_bad cli/golden_files.c golden/firn_build.c)
firn_cli_test(schema golden/firn_build.c)
firn_cli_test(golden cli/golden_files.c cli/every.c)
firn_cli_test(truncate cli/golden_files.c cli/every.c)
firn_cli_test(round_trip cli/golden_files.c)
firn_cli_test(village_files cli/village.c support/tree.c)
firn_cli_test(where cli/village.c support/tree.c)
firn_cli_test(diff cli/village.c support/tree.c)
firn_cli_test(diff_persisted support/tree.c)
firn_cli_test(bar cli/village.c support/tree.c)
firn_cli_test(dump cli/village.c support/tree.c)

# The program itself, its man page, completion and chapter of the manual.
find_program(FIRN_PYTHON python3)
if(NOT CMAKE_CROSSCOMPILING AND FIRN_PYTHON)
  foreach(check manual completion streams files pipes terminal)
    add_test(NAME cli_${check} COMMAND ${FIRN_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/cli/process.py ${check}
      $<TARGET_FILE:firn_tool> ${PROJECT_SOURCE_DIR})
    set_tests_properties(cli_${check} PROPERTIES LABELS cli)
  endforeach()
  if(FIRN_JSON AND FIRN_ZSTD)
    add_test(NAME cli_docs COMMAND ${FIRN_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/cli/docs.py $<TARGET_FILE:firn_tool>
      ${PROJECT_SOURCE_DIR})
    add_test(NAME cli_page COMMAND ${FIRN_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/cli/page.py $<TARGET_FILE:firn_tool>
      ${PROJECT_SOURCE_DIR})
    set_tests_properties(cli_docs cli_page PROPERTIES LABELS cli)
  endif()
endif()

# Pages of `firn report` in a browser. Sanitizers are for firn, not for Chromium.
if(NOT CMAKE_CROSSCOMPILING AND FIRN_PYTHON AND NOT FIRN_SANITIZE)
  add_executable(report_write cli/report_write.c cli/report_scene.c)
  firn_test_settings(report_write)
  target_link_libraries(report_write PRIVATE firn_test_support firn_whole)
  find_program(FIRN_CHROMIUM chromium)
  if(FIRN_CHROMIUM)
    add_test(NAME browser COMMAND ${FIRN_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/cli/browser.py
      $<TARGET_FILE:firn_tool> $<TARGET_FILE:report_write> ${PROJECT_SOURCE_DIR}/tests/golden)
  else()
    add_test(NAME browser COMMAND sh -c
      "echo 'SKIP browser: it takes the Debian package chromium'; exit 77")
  endif()
  set_tests_properties(browser PROPERTIES LABELS browser TIMEOUT 1200 SKIP_RETURN_CODE 77)
endif()
