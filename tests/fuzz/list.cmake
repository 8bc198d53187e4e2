# Fuzz targets. Here driver.c replays the seeds and the inputs that once were findings; with
# FIRN_FUZZ they are linked with libFuzzer for run.sh.
option(FIRN_FUZZ "Link the fuzz targets with libFuzzer (clang)" OFF)
find_program(FIRN_PYTHON python3)

set(fuzz_seeds ${CMAKE_CURRENT_BINARY_DIR}/fuzz_seeds)
add_test(NAME fuzz_seeds COMMAND ${FIRN_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/seeds.py
  ${PROJECT_SOURCE_DIR}/tests/golden ${fuzz_seeds})
set_tests_properties(fuzz_seeds PROPERTIES LABELS fuzz FIXTURES_SETUP fuzz_seeds)

add_custom_target(fuzz_targets)
function(firn_fuzz target)
  set(name fuzz_${target})
  add_executable(${name} fuzz/${target}.c fuzz/fuzz.c ${ARGN})
  firn_test_settings(${name})
  target_link_libraries(${name} PRIVATE firn_whole)
  add_dependencies(fuzz_targets ${name})
  if(FIRN_FUZZ)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    return()
  endif()
  target_sources(${name} PRIVATE fuzz/driver.c)
  add_test(NAME ${name} COMMAND ${FIRN_TEST_LAUNCHER} $<TARGET_FILE:${name}>
    ${fuzz_seeds}/${target} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${target})
  set_tests_properties(${name} PROPERTIES
    LABELS fuzz TIMEOUT 600 FIXTURES_REQUIRED fuzz_seeds)
endfunction()

firn_fuzz(values)
firn_fuzz(image)
firn_fuzz(save fuzz/seal.c)
firn_fuzz(json)
firn_fuzz(load fuzz/fuzz_world.c golden/firn_worlds.c
  golden/tecs_components.c golden/tecs_codecs.c)
firn_fuzz(table fuzz/fuzz_world.c golden/firn_worlds.c)
firn_fuzz(round_trip fuzz/fuzz_world.c golden/firn_worlds.c)
if(FIRN_BUILD_TOOL)
  firn_fuzz(tool fuzz/seal.c cli/every.c)
  target_sources(fuzz_tool PRIVATE $<TARGET_OBJECTS:firn_cli>)
endif()
