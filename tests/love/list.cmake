# examples/love in LÖVE, on a screen that nobody sees. Sanitizers are for firn, not for LÖVE.
if(FIRN_BUILD_LUA AND NOT FIRN_SANITIZE)
  find_program(FIRN_LOVE love)
  find_program(FIRN_XVFB_RUN xvfb-run)
  if(FIRN_LOVE AND FIRN_XVFB_RUN)
    add_test(NAME love COMMAND ${FIRN_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/love/play.py
      ${PROJECT_SOURCE_DIR}/examples/love ${PROJECT_BINARY_DIR}/lua)
  else()
    add_test(NAME love COMMAND sh -c
      "echo 'SKIP love: it takes the Debian packages love, xvfb and xauth'; exit 77")
  endif()
  set_tests_properties(love PROPERTIES LABELS love TIMEOUT 600 SKIP_RETURN_CODE 77)
endif()
